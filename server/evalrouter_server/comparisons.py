"""Comparing stored runs: which may be compared, on what, and the answers behind each question that flipped."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from evalrouter_server.contract import models as contract
from evalrouter_server.documents import run_document
from evalrouter_server.problems import Problem
from evalrouter_server.questions import questions_of
from evalrouter_server.quoting.plan import Plan
from evalrouter_server.services import Services
from evalrouter_server.store import quotes, results, runs
from evalrouter_server.store.results import Answer, Measure
from evalrouter_server.store.runs import RunRow

if TYPE_CHECKING:
    from evalrouter_server.metrics.comparison import Flip, PairedComparison

SHOWN_OUTPUT = 300
"""Characters of an output that are shown where the grader extracted nothing."""

SHOWN_QUESTION = 500
"""Characters of a question that are shown."""


@dataclass(frozen=True, slots=True)
class _Side:
    """A run with the figures of its tasks."""

    run: RunRow
    content_digest: str
    measures: Sequence[Measure]

    @property
    def graded(self) -> frozenset[str]:
        """The questions that it graded."""
        return frozenset(measure.item_id for measure in self.measures if measure.score is not None)

    def charge_microusd(self, items: frozenset[str]) -> int:
        """What it was charged for some questions."""
        return sum(measure.charge_microusd for measure in self.measures if measure.item_id in items)


async def compare_stored_runs(
    services: Services, workspace_id: str, baseline_id: str, other_ids: Sequence[str]
) -> contract.Comparison:
    """Compare runs of a workspace with one of them.

    Args:
        services: The service.
        workspace_id: The workspace.
        baseline_id: The run that the others are compared with.
        other_ids: The others.

    Raises:
        Problem: `not_found`, `not_comparable`; `invalid_request` where a run comes twice.
    """
    if len({baseline_id, *other_ids}) <= len(other_ids):
        raise Problem("invalid_request", "A run is named twice: name two or more runs, each once.", fields=[])
    database = services.database
    baseline, *others = [
        await database.read(partial(_read_side, workspace_id=workspace_id, run_id=run_id))
        for run_id in (baseline_id, *other_ids)
    ]
    for other in others:
        _check_comparable(baseline, other)
    # scipy takes long to import, and the bootstrap to compute: both happen beside the event loop.
    compared = await asyncio.to_thread(_compare_all, baseline, others)
    template = await services.benchmarks.template_of(baseline.run.benchmark["id"])
    found = []
    for other, (comparison, adjusted) in zip(others, compared, strict=True):
        flipped = [flip.item_id for flip in comparison.flips]
        before, after = [
            await database.read(partial(_answers, run_id=side.run.id, item_ids=flipped)) for side in (baseline, other)
        ]
        found.append(_document(baseline, other, comparison, adjusted, before, after, template))
    return contract.Comparison(baseline=run_document(baseline.run), others=found)


def _read_side(connection: Connection, workspace_id: str, run_id: str) -> _Side:
    run = runs.get(connection, workspace_id, run_id)
    quote = None if run is None else quotes.load(connection, run.quote_id)
    if run is None or quote is None:
        raise Problem("not_found", f"There is no run {run_id} in this workspace.", id=run_id)
    digest = Plan.model_validate(quote.plan).benchmark.content_digest
    return _Side(run, digest, tuple(results.measures(connection, run_id)))


def _check_comparable(baseline: _Side, other: _Side) -> None:
    """Refuse runs whose questions or protocols differ; a version of a benchmark fixes both."""
    one, another = (f"{side.run.benchmark['slug']}@{side.run.benchmark['version']}" for side in (baseline, other))
    runs_named = f"{baseline.run.id} ran {one}, {other.run.id} ran {another}"
    if baseline.run.benchmark["slug"] != other.run.benchmark["slug"]:
        why = f"{runs_named}: different benchmarks or protocols. Only runs of one benchmark can be compared."
    elif baseline.run.benchmark["id"] != other.run.benchmark["id"]:
        why = (
            f"{runs_named}: versions of a benchmark differ in prompt or grading. Run one of the models on the other's."
        )
    elif baseline.content_digest != other.content_digest:
        why = f"{runs_named}, but on different data: the benchmark's content changed. Run one of them anew."
    elif not baseline.graded & other.graded:
        why = (
            f"{baseline.run.id} and {other.run.id} graded no question in common: run them on the same sample and seed."
        )
    else:
        return
    raise Problem("not_comparable", why, run_ids=[baseline.run.id, other.run.id], benchmarks=[one, another])


def _compare_all(baseline: _Side, others: Sequence[_Side]) -> list[tuple["PairedComparison", float]]:
    """Each comparison with its p-value adjusted for how many there are."""
    from evalrouter_server.metrics import ScoredTask
    from evalrouter_server.metrics.comparison import compare, holm

    def scored(side: _Side) -> list[ScoredTask]:
        return [ScoredTask(each.item_id, each.score) for each in side.measures if each.score is not None]

    here = scored(baseline)
    found = [comparison for other in others if (comparison := compare(here, scored(other))) is not None]
    return list(zip(found, holm([comparison.p_value for comparison in found]), strict=True))


def _answers(connection: Connection, run_id: str, item_ids: Sequence[str]) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = defaultdict(list)
    for answer in results.answers(connection, run_id, item_ids, SHOWN_OUTPUT):
        found[answer.item_id].append(answer)
    return found


def _document(
    baseline: _Side,
    other: _Side,
    found: "PairedComparison",
    adjusted: float,
    before: Mapping[str, list[Answer]],
    after: Mapping[str, list[Answer]],
    template: str | None,
) -> contract.RunComparison:
    shared = baseline.graded & other.graded
    questions = questions_of(template, [before[flip.item_id][0].inputs for flip in found.flips])
    return contract.RunComparison(
        run=run_document(other.run),
        shared=found.shared,
        baseline_only=len(baseline.graded - shared),
        run_only=len(other.graded - shared),
        baseline_metric=contract.Metric.model_validate(asdict(found.baseline)),
        run_metric=contract.Metric.model_validate(asdict(found.other)),
        difference=contract.Difference.model_validate(asdict(found.difference)),
        test=contract.PairedTest(name=found.test, p_value=found.p_value, p_value_adjusted=adjusted),
        smallest_detectable_difference=found.smallest_detectable_difference,
        differing=found.differing,
        both_right=found.both_right,
        both_wrong=found.both_wrong,
        gained=sum(flip.kind == "gained" for flip in found.flips),
        lost=sum(flip.kind == "lost" for flip in found.flips),
        flips=[
            _flip(flip, question, before[flip.item_id], after[flip.item_id])
            for flip, question in zip(found.flips, questions, strict=True)
        ],
        baseline_charge_microusd=baseline.charge_microusd(shared),
        run_charge_microusd=other.charge_microusd(shared),
    )


def _flip(flip: "Flip", question: str, before: Sequence[Answer], after: Sequence[Answer]) -> contract.Flip:
    return contract.Flip(
        item_id=flip.item_id,
        group=before[0].group,
        question=question[:SHOWN_QUESTION],
        target=before[0].target,
        kind=flip.kind,
        baseline=contract.FlipSide(score=flip.baseline_score, answers=[_given(answer) for answer in before]),
        run=contract.FlipSide(score=flip.score, answers=[_given(answer) for answer in after]),
    )


def _given(answer: Answer) -> contract.GivenAnswer:
    extracted = answer.extracted is not None
    return contract.GivenAnswer(
        task_id=answer.task_id,
        answer=answer.extracted if extracted else answer.output_start,
        is_extracted=extracted,
    )
