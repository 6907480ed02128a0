"""Examples: which ones a prompt shows, and how they are written."""

import random

import pytest
from evalrouter_server.catalog.examples import Example, with_examples
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import DrawnExamples, FirstExamples, ListedExamples, Protocol, Selection
from evalrouter_server.catalog.render import render

ITEMS = [Item(id=f"i{n}", index=n, inputs={"q": f"item {n}"}, target={}, group="ab"[n % 2]) for n in range(4)]
POOL: list[tuple[Example, str | None]] = [({"q": f"example {n}", "a": str(n)}, None) for n in range(10)]
GROUPED: list[tuple[Example, str | None]] = [({"q": f"{group} {n}"}, group) for n in range(3) for group in "ab"]


def shown(selection: Selection, pool: list[tuple[Example, str | None]]) -> list[list[object]]:
    return [[example["q"] for example in item.examples] for item in with_examples(selection, ITEMS, pool)]


def test_the_first_ones() -> None:
    assert shown(FirstExamples(kind="first", count=2), POOL) == [["example 0", "example 1"]] * 4


def test_the_first_ones_of_the_items_own_group() -> None:
    assert shown(FirstExamples(kind="first", count=2), GROUPED) == [["a 0", "a 1"], ["b 0", "b 1"]] * 2


def test_listed_ones_keep_their_order() -> None:
    assert shown(ListedExamples(kind="listed", rows=(3, 1)), POOL) == [["example 3", "example 1"]] * 4


def test_drawn_ones_are_those_of_one_generator_that_goes_through_the_items() -> None:
    generator = random.Random(1234)
    pool = [example["q"] for example, _ in POOL]
    expected = [generator.sample(pool, 5) for _ in ITEMS]
    assert shown(DrawnExamples(kind="drawn", count=5, seed=1234), POOL) == expected
    assert expected[0] == [f"example {n}" for n in (7, 1, 0, 9, 4)]


@pytest.mark.parametrize(
    ("selection", "pool", "message"),
    [
        (FirstExamples(kind="first", count=11), POOL, "10 examples, and the protocol shows 11"),
        (FirstExamples(kind="first", count=4), GROUPED, "3 examples of a, and"),
        (FirstExamples(kind="first", count=1), GROUPED[::2], "no examples of b"),
        (ListedExamples(kind="listed", rows=(10,)), POOL, "lists number 10"),
        (DrawnExamples(kind="drawn", count=11, seed=0), POOL, "shows 11"),
    ],
)
def test_too_few_examples_are_refused(
    selection: Selection, pool: list[tuple[Example, str | None]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        shown(selection, pool)


def test_examples_as_text() -> None:
    form = {"form": "text", "text": "Q: {q}\nA: {a}", "separator": "\n--\n"}
    protocol = Protocol.model_validate(
        {"description": "", "system": "S", "user": "{examples}\n--\nQ: {q}\nA:", "examples": form}
    )
    (item, *_) = with_examples(FirstExamples(kind="first", count=2), ITEMS, POOL)
    assert render(protocol, item) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "Q: example 0\nA: 0\n--\nQ: example 1\nA: 1\n--\nQ: item 0\nA:"},
    ]


def test_examples_as_turns() -> None:
    form = {"form": "turns", "user": "Q: {q}", "assistant": "{a}"}
    protocol = Protocol.model_validate({"description": "", "user": "Q: {q}", "examples": form})
    (item, *_) = with_examples(ListedExamples(kind="listed", rows=(4,)), ITEMS, POOL)
    assert [(message["role"], message["content"]) for message in render(protocol, item)] == [
        ("user", "Q: example 4"),
        ("assistant", "4"),
        ("user", "Q: item 0"),
    ]


def test_lists_are_written_one_element_a_line() -> None:
    item = Item(id="i", index=0, inputs={"choices": ["x", "{y}"]}, target={})
    protocol = Protocol(description="", user="{choices}")
    assert render(protocol, item)[0]["content"] == "A. x\nB. {y}"
    numbered = protocol.model_copy(update={"list_line": "({number}) {text}"})
    assert render(numbered, item)[0]["content"] == "(1) x\n(2) {y}"
