"""Samples: the same everywhere, nested, in the benchmark's order."""

import pytest
from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.sampling import draw_sample, sample_order
from hypothesis import given
from hypothesis import strategies as st

ITEMS = [Item(id=item_id("gsm8k", "2", index), index=index, inputs={}, target={}) for index in range(1319)]


def indices(count: int, seed: int, reference: str = "gsm8k@2") -> list[int]:
    return [item.index for item in draw_sample(reference, ITEMS, count=count, seed=seed)]


def test_golden_sample() -> None:
    assert indices(20, 42) == [
        *(112, 246, 335, 457, 495, 519, 582, 598, 689, 733),
        *(863, 930, 987, 1058, 1102, 1117, 1171, 1176, 1215, 1313),
    ]


@given(st.integers(1, 200), st.integers(0, 200), st.integers(0, 2**53 - 1))
def test_a_larger_sample_contains_the_smaller(count: int, more: int, seed: int) -> None:
    smaller, larger = indices(count, seed), indices(count + more, seed)
    assert set(smaller) <= set(larger)
    assert smaller == sorted(set(smaller))
    assert len(smaller) == count


def test_order_of_the_rows_does_not_matter() -> None:
    assert [item.index for item in draw_sample("gsm8k@2", ITEMS[::-1], count=20, seed=42)] == indices(20, 42)


def test_seed_and_version_make_other_samples() -> None:
    assert indices(20, 42) != indices(20, 43)
    assert indices(20, 42) != indices(20, 42, "gsm8k@1")


def test_the_whole_benchmark_is_a_sample() -> None:
    assert indices(1319, 7) == list(range(1319))
    assert len(sample_order("gsm8k@2", ITEMS, 7)) == 1319


@pytest.mark.parametrize("count", [0, -1, 1320])
def test_impossible_counts_are_refused(count: int) -> None:
    with pytest.raises(ValueError, match="1 to 1,319 items"):
        indices(count, 0)
