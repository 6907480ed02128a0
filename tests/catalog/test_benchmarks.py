"""The shipped manifests, their stable names, and look-ups."""

import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.items import Item, item_id
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.render import render
from evalrouter_server.catalog.sources import load_items, normalise, read_rows
from evalrouter_server.grading import (
    CodeGrader,
    CustomGrader,
    JudgeGrader,
    LimitGrader,
    PureGrader,
    RepositoryGrader,
    grade,
)
from evalrouter_server.quoting.plan import (
    ConcurrencyLimits,
    Coverage,
    PlannedBenchmark,
    PlannedModel,
    bound_calls,
    build_plan,
)
from evalrouter_server.quoting.price import Price
from pydantic import ValidationError

from tests.shared_data import shared

BENCHMARKS = Benchmarks.shipped()


def one(name: str) -> Manifest:
    (found,) = BENCHMARKS.match(name)
    assert isinstance(found, Manifest)
    return found


def pure(name: str) -> PureGrader:
    grader = one(name).grader
    assert not isinstance(grader, CodeGrader | CustomGrader | JudgeGrader | LimitGrader | RepositoryGrader)
    return grader


@pytest.fixture
def first_steps(tmp_path: Path) -> list[Item]:
    return load_items(one("first-steps"), tmp_path)


def test_ids_never_change() -> None:
    ids = {manifest.reference: manifest.id for manifest in BENCHMARKS.all()}
    assert (
        ids.items()
        >= {
            "aqua_rat@1": "bench_5qp71h0ec0caw2hsdqztwm7fsd",
            "first-steps@1": "bench_77p5jj7py21nrcw5107k3y9w52",
            "gsm8k@1": "bench_2h0tskr8dpyqjvc0a6szn186mw",
            "gsm8k@2": "bench_0d2q0cvz165vt14fzq1xz9mhtc",
        }.items()
    )
    assert item_id("gsm8k", "2", 0) == "item_5hz6n1hmv219q83n4zxh4z88fw"


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("gsm8k", "gsm8k@2"),
        ("gsm8k@1", "gsm8k@1"),
        ("GSM8K", "gsm8k@2"),
        ("First Steps", "first-steps@1"),
        ("aqua_rat", "aqua_rat@1"),
        ("ARC_easy@1", "arc_easy@1"),
        ("bench_2h0tskr8dpyqjvc0a6szn186mw", "gsm8k@1"),
    ],
)
def test_names(text: str, reference: str) -> None:
    assert one(text).reference == reference
    assert BENCHMARKS.get(one(text).id) == one(text)


@pytest.mark.parametrize("text", ["gsm", "gsm8k@3", "gsm8k@", "gsm8k-platinum", "", "bench_", "@2"])
def test_no_name_is_guessed(text: str) -> None:
    assert BENCHMARKS.match(text) == []


def test_benchmarks_must_be_consistent() -> None:
    gsm8k = one("gsm8k")
    with pytest.raises(ValueError, match="same slug and version"):
        Benchmarks([gsm8k, gsm8k])
    with pytest.raises(ValueError, match="one default version"):
        Benchmarks([one("gsm8k@1")])


def test_a_manifest_with_an_unknown_field_is_refused() -> None:
    document = one("gsm8k").model_dump(mode="json")
    assert Manifest.model_validate(document) == one("gsm8k")
    with pytest.raises(ValidationError, match="extra"):
        Manifest.model_validate({**document, "few_shot": 5})
    with pytest.raises(ValidationError, match="name its groups"):
        Manifest.model_validate({**document, "groups": ["easy"]})


def test_gsm8k_is_the_authors_test_set() -> None:
    path = shared("data", "gsm8k", "test.jsonl")
    published = [json.loads(line) for line in path.read_text().splitlines()]
    for name in ("gsm8k@1", "gsm8k@2"):
        items = normalise(one(name), read_rows(path, one(name).sources[0]))
        assert [item.inputs["question"] for item in items] == [row["question"] for row in published]
        own = [{"answer": row["answer"].rpartition("#### ")[2]} for row in published]
        assert [item.target for item in items] == own
        right = [
            grade(pure(name), output=row["answer"], target=item.target, finish_reason="stop").correct
            for row, item in zip(published, items, strict=True)
        ]
        assert all(right)


@pytest.mark.parametrize("name", ["gsm8k@1", "gsm8k@2"])
def test_a_full_run_at_a_common_price_quotes_under_five_dollars(name: str) -> None:
    manifest = one(name)
    items = normalise(manifest, read_rows(shared("data", "gsm8k", "test.jsonl"), manifest.sources[0]))
    price = Price.model_validate(
        {"input_usd_per_mtok": "1.25", "output_usd_per_mtok": "10", "source": "test", "version": "1"}
    )
    plan = build_plan(
        benchmark=PlannedBenchmark(
            id=manifest.id,
            slug=manifest.slug,
            version=manifest.version,
            name=manifest.name,
            content_digest=manifest.content_digest,
        ),
        model=PlannedModel(id="m", provider="p", slug="m", name="M", upstream_name="m", route="r", price=price),
        coverage=Coverage(mode="full", sample_count=None, seed=None, benchmark_task_count=len(items)),
        calls=bound_calls(
            price,
            ((item.id, render(manifest.protocol, item)) for item in items),
            output_tokens=manifest.limits.max_output_tokens,
        ),
        limits=ConcurrencyLimits(auto=10, gateway=50),
    )
    assert 4_000_000 < plan.maximum_charge_microusd < 5_000_000


def test_prompts() -> None:
    item = Item(id="i", index=0, inputs={"question": "What is {x}?"}, target={"answer": "1"})
    assert render(one("gsm8k@1").protocol, item) == [{"role": "user", "content": "What is {x}?"}]
    (message,) = render(one("gsm8k@2").protocol, item)
    assert "\nANSWER: <number>\n" in message["content"]
    assert message["content"].endswith("What is {x}?")
    with_system = one("gsm8k@1").protocol.model_copy(update={"system": "Be brief."})
    assert render(with_system, item)[0] == {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize(
    ("output", "target", "extracted", "correct"),
    [
        ("Seven and eleven.\n\nAnswer: 18", "18", "18", True),
        ("Answer: $1,234.00", "1,234", "1,234.00", True),
        ("First Answer: 5\nAnswer: 6 apples of 7.", "7", "7.", True),
        ("Answer: 18 of 20", "18", "20", False),
        ("Answer: 18.5", "18", "18.5", False),
        ("Answer: -3", "3", "3", True),
        ("**Answer:** **70**", "70", "70", True),
        ("Answer: 12.50", "12.5", "12.50", False),
        ("ANSWER: 18", "18", None, False),
        ("It is 18.", "18", None, False),
    ],
)
def test_the_last_number_behind_simple_evals_marker_counts(
    output: str, target: str, extracted: str | None, correct: bool
) -> None:
    verdict = grade(pure("gsm8k-simple-evals"), output=output, target={"answer": target}, finish_reason="stop")
    assert (verdict.extracted, verdict.correct) == (extracted, correct)


def test_first_steps_has_three_groups_of_forty(first_steps: list[Item]) -> None:
    assert Counter(item.group for item in first_steps) == {"facts": 40, "arithmetic": 40, "words": 40}
    assert len({item.inputs["question"] for item in first_steps}) == 120
    assert first_steps[0].id == "item_0xy363b2ebb4tj9qhnz4w6z81d"


def test_every_accepted_answer_of_first_steps_is_right_and_short(first_steps: list[Item]) -> None:
    grader = pure("first-steps")
    for item in first_steps:
        answers = item.target["answers"]
        assert isinstance(answers, list)
        for answer in map(str, answers):
            assert len(answer.split()) <= 3
            assert grade(grader, output=f"{answer}.", target=item.target, finish_reason="stop").correct


def test_repeating_an_arithmetic_question_is_not_answering_it(first_steps: list[Item]) -> None:
    grader = pure("first-steps")
    for item in first_steps:
        if item.group == "arithmetic":
            echo = str(item.inputs["question"])
            assert not grade(grader, output=echo, target=item.target, finish_reason="stop").correct, echo


def test_contract_names_fit() -> None:
    contract = yaml.safe_load((Path(__file__).parents[2] / "openapi.yaml").read_text())
    pattern = contract["components"]["schemas"]["BenchmarkIdValue"]["pattern"].strip("^$")
    assert pattern.startswith("bench_")
    assert all(len(manifest.id) == len("bench_") + 26 for manifest in BENCHMARKS.all())
