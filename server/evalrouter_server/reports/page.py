"""What the pages share: templates that escape, a policy that lets a page load nothing, and how values are shown."""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evalrouter_server.contract import models as contract


@cache
def environment() -> Environment:
    """The templates; whatever they are given is escaped."""
    found = Environment(
        loader=PackageLoader("evalrouter_server.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = _asset("page.css"), _asset("page.js")
    found.globals |= {"style": Markup(style), "script": Markup(script), "policy": _policy(style, script)}  # noqa: S704
    found.filters |= {
        "usd": usd,
        "score": score,
        "count": "{:,}".format,
        "p_value": p_value,
        "moment": moment,
        "labels": labels,
        "subject": subject,
        "prompt": prompt,
        "target": target,
    }
    return found


def usd(microusd: int) -> str:
    """An amount in USD with at least cents."""
    whole, _, fraction = f"{Decimal(microusd).scaleb(-6):f}".partition(".")
    return f"{whole}.{fraction.rstrip('0'):0<2}"


def score(value: float | None, signed: bool = False) -> str:
    """A score with three decimals, or that there is none."""
    return "none" if value is None else f"{value:{'+' if signed else ''}.3f}"


def p_value(value: float) -> str:
    """A p-value with what digits it is worth."""
    return f"{value:.3f}" if value >= 0.001 else "below 0.001"


def moment(at: datetime | None) -> str:
    """A time in UTC to the second."""
    return "not yet" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def labels(run: contract.Run) -> list[str]:
    """What a score of the run must be read with: that it is a sample, or partial, and the run's flags."""
    coverage, found = run.coverage, []
    if run.is_sample:
        count, whole = coverage.sample_count or 0, coverage.benchmark_task_count
        found.append(f"sample of {count:,} of {whole:,} questions, seed {coverage.seed}")
    if run.is_partial:
        found.append(f"partial: {coverage.graded:,} of {coverage.selected:,} tasks graded")
    return found + [flag.replace("_", " ") for flag in run.flags]


def subject(run: contract.Run) -> str:
    """What was evaluated: the model, or the agent that brought its own."""
    if run.model is not None:
        return run.model.slug
    return "no model" if run.agent is None else run.agent.name


def prompt(inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a model was given, as parts with a heading: the messages by their role, all else by its name."""
    messages = inputs.get("messages")
    if not isinstance(messages, list):
        return [(name, text(value)) for name, value in inputs.items()]
    parts = [(str(each.get("role", "message")), text(each.get("content"))) for each in messages]
    return parts + [(name, text(value)) for name, value in inputs.items() if name != "messages"]


def target(wanted: Mapping[str, Any]) -> str:
    """The right answer; by its names where there are several."""
    return text(next(iter(wanted.values()))) if len(wanted) == 1 else text(wanted)


def text(value: object) -> str:
    """A value as text: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _asset(name: str) -> str:
    return (files("evalrouter_server.reports") / "templates" / name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """The content security policy: this style and this script, and nothing from anywhere."""
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )


def _hash(asset: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(asset.encode()).digest()).decode()}'"
