"""Samples: the same everywhere, nested, in the benchmark's order."""

import pytest
from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.sampling import draw_sample, sample_order, turns
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


GROUPED = [
    Item(id=item_id("mixed", "1", index), index=index, inputs={}, target={}, group="abc"[min(index // 10, 2)])
    for index in range(50)
]


def stratified(count: int, seed: int) -> list[int]:
    return [item.index for item in draw_sample("mixed@1", GROUPED, count=count, seed=seed, stratify="group")]


def test_golden_stratified_sample() -> None:
    assert stratified(10, 42) == [6, 8, 12, 17, 27, 28, 35, 38, 47, 48]
    assert [sum(index // 10 == group for index in stratified(10, 42)) for group in (0, 1)] == [2, 2]


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 2**53 - 1))
def test_a_larger_stratified_sample_contains_the_smaller(count: int, other: int, seed: int) -> None:
    smaller, larger = sorted((count, other))
    assert set(stratified(smaller, seed)) <= set(stratified(larger, seed))


def test_within_a_group_the_order_is_that_of_the_plain_sample() -> None:
    plain = [item for item in sample_order("mixed@1", GROUPED, 7) if item.group == "c"]
    assert [item for item in sample_order("mixed@1", GROUPED, 7, "group") if item.group == "c"] == plain


@given(st.lists(st.integers(1, 60), min_size=1, max_size=12))
def test_every_group_has_its_share_rounded_down_or_up_at_every_count(sizes: list[int]) -> None:
    groups = {str(number): size for number, size in enumerate(sizes)}
    taken = dict.fromkeys(groups, 0)
    for count, group in enumerate(turns(groups), start=1):
        taken[group] += 1
        shares = {name: count * size / sum(sizes) for name, size in groups.items()}
        assert all(abs(taken[name] - share) < 1 for name, share in shares.items())
    assert taken == groups


def test_the_largest_remainder_alone_would_not_be_nested() -> None:
    """With groups of 6, 6 and 2, it gives 10 items as 4, 4, 2 and 11 as 5, 5, 1: the third group loses one."""
    counts = []
    taken = dict.fromkeys("abc", 0)
    for group in turns({"a": 6, "b": 6, "c": 2}):
        taken[group] += 1
        counts.append(tuple(taken.values()))
    assert (counts[9], counts[10]) == ((5, 4, 1), (5, 5, 1))
