"""Pages of a list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalrouter.errors import InvalidArgumentError, ServerAnswerError
from evalrouter.pages import Page, Position


def walk(items: list[int], size: int, limit: int | None) -> tuple[list[int], int]:
    position: Position | None = Position.start(limit)
    taken: list[int] = []
    pages = 0
    while position is not None:
        begin = int(position.cursor or 0)
        end = begin + min(size, position.page_size)
        page = Page(items[begin:end], str(end) if end < len(items) else None)
        taken += position.take(page)
        position = position.after(page)
        pages += 1
    return taken, pages


@given(st.lists(st.integers(), max_size=50), st.integers(1, 10), st.none() | st.integers(1, 60))
def test_a_limit_means_what_it_says(items: list[int], size: int, limit: int | None) -> None:
    taken, pages = walk(items, size, limit)
    assert taken == items[:limit]
    assert pages <= max(1, -(-len(taken) // size))


def test_an_endless_list_is_noticed() -> None:
    with pytest.raises(ServerAnswerError, match="twice"):
        Position("same").after(Page([1], "same"))


@pytest.mark.parametrize("wrong", [0, -1, True, 1.5, "5"])
def test_what_is_no_limit_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError, match="limit="):
        Position.start(wrong)  # type: ignore[arg-type]
