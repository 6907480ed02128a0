"""Names: exact, or exact but for letter case."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalrouter.errors import AmbiguousNameError, InvalidArgumentError, NotFoundError
from evalrouter.names import Candidate, checked_name, resolve


def model(
    slug: str, *, id: str = "", name: str = "", reference: str | None = None, preferred: bool = True
) -> Candidate[str]:
    return Candidate(slug, id or f"model_{slug}", slug, name or slug, reference=reference, preferred=preferred)


def version(slug: str, number: str, *, preferred: bool) -> Candidate[str]:
    label = f"{slug}@{number}"
    return Candidate(label, f"bench_{label}", slug, slug.upper(), version=number, preferred=preferred)


BENCHMARKS = [version("gsm8k", "1", preferred=False), version("gsm8k", "2", preferred=True)]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gsm8k", "gsm8k@2"),
        ("GSM8K", "gsm8k@2"),
        ("gsm8k@1", "gsm8k@1"),
        ("GSM8k@2", "gsm8k@2"),
        ("bench_gsm8k@1", "gsm8k@1"),
    ],
)
def test_benchmarks(name: str, found: str) -> None:
    assert resolve(name, "benchmark", BENCHMARKS) == found


@pytest.mark.parametrize("name", ["gsm8k@3", "gsm", "gsm8k-platinum", "gsm8k@", "gsm8k@1.0"])
def test_no_benchmark_is_guessed(name: str) -> None:
    with pytest.raises(NotFoundError, match="There is no benchmark"):
        resolve(name, "benchmark", BENCHMARKS)


def test_an_earlier_rule_decides() -> None:
    by_id = model("other", id="gpt-5")
    by_slug = model("gpt-5", name="Something")
    by_name = model("third", name="gpt-5")
    assert resolve("gpt-5", "model", [by_name, by_slug, by_id]) == "other"
    assert resolve("gpt-5", "model", [by_name, by_slug]) == "gpt-5"
    assert resolve("gpt-5", "model", [by_name]) == "third"
    assert resolve("GPT-5", "model", [by_name, by_slug]) == "gpt-5"


def test_a_bare_slug_is_its_makers() -> None:
    maker = Candidate("maker", "model_1", "gpt-5", "GPT-5", reference="openai/gpt-5")
    reseller = Candidate("reseller", "model_2", "gpt-5", "GPT-5", reference="azure/gpt-5", preferred=False)
    for name in ("gpt-5", "GPT-5", "openai/gpt-5"):
        assert resolve(name, "model", [maker, reseller]) == "maker"
    assert resolve("azure/gpt-5", "model", [maker, reseller]) == "reseller"
    assert resolve("Azure/GPT-5", "model", [maker, reseller]) == "reseller"
    with pytest.raises(NotFoundError):
        resolve("gpt-5x", "model", [maker, reseller])


def test_several_are_listed_with_their_ids() -> None:
    with pytest.raises(AmbiguousNameError) as caught:
        resolve("same", "model", [model("a", name="Same"), model("b", name="SAME")])
    assert caught.value.candidates == ("a (model_a)", "b (model_b)")
    assert "a (model_a), b (model_b)" in str(caught.value)


def test_not_found_is_a_lookup_error_with_suggestions() -> None:
    with pytest.raises(LookupError, match=r"Did you mean gpt-5, gpt-5-mini\?") as caught:
        resolve("gpt", "model", [], ["gpt-5", "gpt-5-mini"])
    assert isinstance(caught.value, NotFoundError)
    assert caught.value.suggestions == ("gpt-5", "gpt-5-mini")


slugs = st.text("abc5-.", min_size=1, max_size=6)


@given(slugs, st.lists(slugs, max_size=8, unique=True))
def test_nothing_but_an_equal_name_is_ever_found(name: str, known: list[str]) -> None:
    assume(name not in known)
    with pytest.raises(NotFoundError):
        resolve(name, "model", [model(slug) for slug in known])


@given(slugs, st.lists(slugs, max_size=8, unique=True))
def test_an_exact_slug_is_always_found(name: str, known: list[str]) -> None:
    assert resolve(name, "model", [model(slug) for slug in {*known, name}]) == name


@pytest.mark.parametrize("wrong", ["", "  ", "x" * 201, None, 5])
def test_what_is_no_name_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidArgumentError, match="model="):
        checked_name(wrong, "model")
