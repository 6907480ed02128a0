"""A run and a quote as a human reads them; a score never stands without its sample and its gaps."""

from typing import TYPE_CHECKING

from evalrouter_cli import formats, output, progress

if TYPE_CHECKING:
    from evalrouter import AgentRef, ModelRef, Plan, Quote, Run, RunData

FLAGS = {
    "external_cost": "external cost: what the remote agent itself spends is outside the meter and not in this bill",
    "overage": "a provider reported more usage than a call's bound; the excess is not charged",
    "usage_estimated": "some usage was counted from the text, because the provider reported none",
    "usage_unknown": "some calls have no known outcome and are charged at their reservation",
    "other_model_served": "the provider says that another model answered",
    "unattributed_calls": "some calls belong to no task",
    "provider_cost_differs": "the provider states another cost",
}


def show_run(run: "Run") -> None:
    """Write a run to stdout: score with interval, labels, coverage, cost, and what to do next."""
    pairs = [("run", f"{run.id} ({run.status})")]
    if run.name:
        pairs.append(("name", output.printable(run.name)))
    pairs += [
        ("benchmark", str(run.benchmark)),
        *_subject(run),
        ("score", "\n".join(score_lines(run))),
        ("coverage", coverage(run)),
        ("cost", progress.cost(run)),
    ]
    if run.status_reason:
        pairs.append(("reason", output.printable(run.status_reason)))
    pairs += [("note", FLAGS.get(flag, flag)) for flag in run.flags]
    pairs.append(("next", "\n".join(next_commands(run))))
    output.details(pairs)


def score_lines(run: "Run") -> list[str]:
    """The headline, then every other metric, each with interval and n, and the groups; labelled where incomplete."""
    label = "".join(f" [{text}]" for text in labels(run))
    lines = [
        _metric(metric.name, metric.value, metric.low, metric.high, metric.n) + label for metric in run.metrics.values()
    ]
    lines += [
        _metric(output.printable(group.name), group.score, group.low, group.high, group.n)
        for group in run.groups.values()
    ]
    return lines or [f"none: no task is graded{label}"]


def labels(run: "Run | RunData") -> list[str]:
    """What a score of this run must be read with: that it is a sample, or partial, or has a cost that is not known."""
    whole = formats.count(run.coverage.benchmark_task_count)
    found = []
    if run.is_sample:
        drawn = f"seed {run.coverage.seed}{', by group' if run.coverage.stratify else ''}"
        found.append(f"sample of {formats.count(run.coverage.sample_count or 0)} of {whole}, {drawn}")
    if run.is_partial:
        found.append(f"partial: {formats.count(run.coverage.graded)} of {formats.count(run.coverage.selected)} graded")
    return found + (["external cost"] if "external_cost" in run.flags else [])


def short_score(run: "Run") -> str:
    """The score for a table's cell, labelled where it is of a sample or partial."""
    kinds = [kind for kind, holds in (("sample", run.is_sample), ("partial", run.is_partial)) if holds]
    return " ".join([formats.score(run.score), *kinds]) if run.score is not None else formats.NOTHING


def coverage(run: "Run") -> str:
    """Selected, graded, failed and missing tasks."""
    parts = run.coverage
    return (
        f"{formats.count(parts.graded)} of {formats.count(parts.selected)} tasks graded,"
        f" {formats.count(parts.failed)} failed, {formats.count(parts.missing)} missing"
    )


def next_commands(run: "Run") -> list[str]:
    """The commands that go on from here."""
    if run.status == "paused":
        return [f"evalrouter resume {run.id}"]
    if not run.has_ended:
        return [f"evalrouter wait {run.id}", f"evalrouter cancel {run.id}"]
    return [f"evalrouter results {run.id}", f"evalrouter export {run.id} --format csv"]


def show_quote(quote: "Quote") -> None:
    """Write a quote to stdout: line by line how its maximum charge comes about, and how to start it."""
    plan = quote.plan
    output.details(
        [
            ("quote", f"{quote.id} (until {formats.moment(quote.expires_at)})"),
            ("benchmark", str(plan.benchmark)),
            ("agent" if plan.model is None else "model", output.printable(subject(plan))),
            (
                "concurrency",
                f"{plan.concurrency.admitted} {'calls' if plan.model else 'tasks'} at once ({plan.concurrency.reason})",
            ),
        ]
    )
    output.say()
    output.table(
        ["", "USD", "how it comes about"],
        [
            [line.label, formats.NOTHING if line.amount is None else formats.usd(line.amount), line.detail]
            for line in plan.lines
        ],
        numeric=["USD"],
    )
    output.say()
    output.say(verdict(quote))


def verdict(quote: "Quote") -> str:
    """What the quote comes to, against the most that it may cost, and what to do."""
    maximum = f"The run would charge at most {formats.usd(quote.maximum_charge)} USD"
    if quote.within_max_cost:
        return f"{maximum}. Start it with: evalrouter run --quote {quote.id}"
    fits = (
        f"--sample {quote.largest_sample_count} fits" if quote.largest_sample_count else "not even one task would fit"
    )
    most = "" if quote.max_cost is None else f" of {formats.usd(quote.max_cost)} USD"
    return (
        f"{maximum}, {formats.usd(quote.shortfall)} USD more than --max-cost{most} allows: raise it, or ask for fewer"
        f" tasks ({fits})."
    )


def _metric(name: str, value: float | None, low: float | None, high: float | None, n: int) -> str:
    interval = "" if low is None or high is None else f"95% interval {formats.score(low)} to {formats.score(high)}, "
    return f"{name} {formats.score(value)} ({interval}n {formats.count(n)})"


def subject(value: "Run | RunData | Plan") -> str:
    """What is evaluated: the model with its provider, or the agent that brings its own."""
    if value.model is not None:
        return f"{value.model.slug} ({value.model.provider})"
    return "no model" if value.agent is None else f"{value.agent.name} ({value.agent.kind})"


def short_subject(value: "Run | RunData | Plan") -> str:
    """What is evaluated, for a table's cell."""
    if value.model is not None:
        return value.model.slug
    return formats.NOTHING if value.agent is None else f"{value.agent.kind}:{value.agent.name}"


def _subject(run: "Run") -> list[tuple[str, str]]:
    agent = [] if run.agent is None else [("agent", output.printable(_agent(run.agent)))]
    return agent if run.model is None else [*agent, ("model", output.printable(_model(run, run.model)))]


def _agent(agent: "AgentRef") -> str:
    return f"{agent.name}{'' if agent.version is None else f' {agent.version}'} ({agent.kind})"


def _model(run: "Run", model: "ModelRef") -> str:
    served = [name for name in run.models_served if name != model.slug]
    others = f"; served as {', '.join(served)}" if served else ""
    return f"{model.slug} ({model.provider}{others})"
