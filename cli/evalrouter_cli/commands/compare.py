"""`compare`: runs of one benchmark beside a baseline."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from evalrouter_cli import documents, formats, output, summary
from evalrouter_cli.errors import CommandError
from evalrouter_cli.options import Json
from evalrouter_cli.session import connect

if TYPE_CHECKING:
    from evalrouter.types import Comparison, FlipSide, RunComparison

SHOWN_FLIPS = 20
"""Flips that are printed; --json and --format html have all of them."""

SHOWN_ANSWER = 30
"""Characters of a question or an answer that the table shows."""

NOTHING_TO_TEST = (
    "no question has another score, so there is nothing to test: p is 1 by definition and does not say that the models"
    " are alike; how far apart they may still be is the interval"
)
"""What identical results mean."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(compare)


def compare(
    baseline: Annotated[
        str, typer.Argument(metavar="BASELINE", help="The run that the others are compared with.", show_default=False)
    ],
    others: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="One or more others, by their IDs.", show_default=False)
    ],
    format: Annotated[
        Literal["html"] | None, typer.Option("--format", "-f", help="Write a page to a file instead.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it is there.")] = False,
    json: Json = False,
) -> None:
    """Compare runs of one benchmark on the questions that both graded.

    Shows the difference with its 95% interval, whether it is significant, what flipped, and what each cost.
    """
    if format is None and (to is not None or overwrite):
        raise CommandError("--output and --overwrite are for a file: add --format html, or leave them out")
    with connect() as client:
        if format is not None:
            path = client.runs.export_comparison(baseline, *others, path=to, overwrite=overwrite)
            if json:
                output.document({"baseline_id": baseline, "run_ids": others, "format": format, "path": str(path)})
            else:
                output.say(str(path))
            return
        found = client.runs.compare(baseline, *others)
    if json:
        output.document(documents.comparison(found))
        return
    for each in found.others:
        _show(found, each)


def _show(comparison: "Comparison", one: "RunComparison") -> None:
    baseline, run, difference = comparison.baseline, one.run, one.difference
    adjusted = f"; {_p_value(one.p_value_adjusted)} for all comparisons" if len(comparison.others) > 1 else ""
    output.table(
        ["", "RUN", "MODEL", "SCORE", "95% INTERVAL", "SHARED COST USD", "TOTAL COST USD", "READ WITH"],
        [
            [
                role,
                each.id,
                output.printable(summary.short_subject(each)),
                formats.score(metric.value),
                _interval(metric.low, metric.high),
                formats.usd(cost),
                formats.usd(each.cost),
                "; ".join(summary.labels(each)) or formats.NOTHING,
            ]
            for role, each, metric, cost in (
                ("baseline", baseline, one.baseline_metric, one.baseline_cost),
                ("run", run, one.run_metric, one.run_cost),
            )
        ],
        numeric=["SCORE", "SHARED COST USD", "TOTAL COST USD"],
    )
    output.say()
    output.details(
        [
            ("benchmark", str(run.benchmark)),
            (
                "shared",
                f"{formats.count(one.shared)} questions; {formats.count(one.baseline_only)} of the baseline and"
                f" {formats.count(one.run_only)} of the run are not shared and do not count",
            ),
            (
                "difference",
                f"{difference.value:+.3f} (95% interval {_interval(difference.low, difference.high, signed=True)},"
                f" {_p_value(one.p_value)} by {one.test.replace('_', ' ')}{adjusted})",
            ),
            *([] if one.differing else [("meaning", NOTHING_TO_TEST)]),
            ("detectable", _least(one.smallest_detectable_difference)),
            (
                "questions",
                f"{formats.count(one.gained)} gained, {formats.count(one.lost)} lost,"
                f" {formats.count(one.both_right)} right in both, {formats.count(one.both_wrong)} wrong in both",
            ),
        ]
    )
    if one.flips:
        output.say()
        output.table(
            ["FLIPPED", "QUESTION", "KIND", "RIGHT ANSWER", "BASELINE", "RUN"],
            [
                [
                    output.printable(flip.item_id),
                    _short(flip.question),
                    flip.kind,
                    _short(", ".join(map(str, flip.target.values()))),
                    _answers(flip.baseline),
                    _answers(flip.run),
                ]
                for flip in one.flips[:SHOWN_FLIPS]
            ],
            numeric=[],
        )
    if len(one.flips) > SHOWN_FLIPS:
        output.note(f"{formats.count(len(one.flips) - SHOWN_FLIPS)} more flips: --json, or --format html")
    output.say()


def _interval(low: float | None, high: float | None, *, signed: bool = False) -> str:
    if low is None or high is None:
        return "none"
    sign = "+" if signed else ""
    return f"{low:{sign}.3f} to {high:{sign}.3f}"


def _least(difference: float | None) -> str:
    return "cannot be told" if difference is None else f"a true difference of {formats.score(difference)} or more"


def _p_value(value: float) -> str:
    return f"p {value:.3f}" if value >= 0.001 else "p below 0.001"


def _answers(side: "FlipSide") -> str:
    return _short(" | ".join(formats.NOTHING if each.answer is None else each.answer for each in side.answers))


def _short(text: str) -> str:
    line = output.printable(text)
    return line if len(line) <= SHOWN_ANSWER else f"{line[: SHOWN_ANSWER - 3]}..."
