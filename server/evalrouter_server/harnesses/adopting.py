"""Tasks of other harnesses that this package does not list, taken up by their full name at the user's risk.

Taking one up makes the environment, has the harness list the task, and keeps what is then known of it as a manifest in
the cache: the number of its samples, the digest of what they ask, and their output limit. Nobody here has looked at its
data, its licence or its grader.
"""

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

from evalrouter_server.catalog.harness_manifest import HarnessManifest, Runner
from evalrouter_server.catalog.manifest import Limits
from evalrouter_server.catalog.sources import content_digest
from evalrouter_server.harnesses.environments import version_of
from evalrouter_server.harnesses.listing import Harnesses, items_of, output_limit
from evalrouter_server.problems import Problem

DEFAULT_OUTPUT_TOKENS = 2048
"""The output limit of tasks that ask for none."""

SECONDS_PER_TASK = 600.0

_NAME = re.compile(r"(?P<runner>inspect|lm-eval)/(?P<task>[A-Za-z0-9][A-Za-z0-9_./-]*)(?P<arguments>(,\w+=[^,]*)*)")


def is_full_name(text: str) -> bool:
    """Whether a text is the full name of a harness's task, such as `lm-eval/gsm8k`."""
    return _NAME.fullmatch(text) is not None


async def adopt(harnesses: Harnesses, name: str, folder: Path) -> HarnessManifest:
    """Take a task up.

    Args:
        harnesses: Lists it.
        name: Its full name: `lm-eval/TASK` or `inspect/PACKAGE/TASK`, then `,ARGUMENT=VALUE` for each argument.
        folder: Where manifests of such tasks are kept.

    Returns:
        Its manifest.

    Raises:
        Problem: `invalid_request`: that is no full name; or it cannot be listed.
    """
    matched = _NAME.fullmatch(name)
    if matched is None:
        raise Problem(
            "invalid_request", f"{name!r} is no full name of a task: write lm-eval/TASK or inspect/PACKAGE/TASK."
        )
    runner: Runner = "inspect" if matched["runner"] == "inspect" else "lm-eval"
    pairs = (pair.split("=", 1) for pair in matched["arguments"].split(",")[1:])
    draft = HarnessManifest(
        runner=runner,
        task=matched["task"],
        arguments={argument: _value(text) for argument, text in pairs},
        version=version_of(runner),
        known=False,
        name=name,
        description=f"The task {matched['task']} of {runner}, taken up at the user's risk: nobody here has checked it.",
        licence="LicenseRef-not-checked",
        citation="Not checked; see the harness's own page of the task.",
        item_count=1,
        content_digest="0" * 64,
        limits=Limits(max_output_tokens=DEFAULT_OUTPUT_TOKENS, task_seconds=SECONDS_PER_TASK),
    )
    manifest = completed(draft, await harnesses.listed(draft))
    await asyncio.to_thread(_keep, manifest, folder)
    return manifest


def _keep(manifest: HarnessManifest, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(manifest.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    fresh = folder / f"{manifest.id}.part"
    fresh.write_text(text, "utf-8")
    fresh.replace(fresh.with_suffix(".yaml"))


def completed(draft: HarnessManifest, samples: Sequence[Mapping[str, Any]]) -> HarnessManifest:
    """A manifest with what the harness listed: the number of samples, their digest, groups and output limit."""
    items = items_of(draft, samples)
    limit = output_limit(samples, draft.limits.max_output_tokens)
    return draft.model_copy(
        update={
            "item_count": len(items),
            "content_digest": content_digest(items),
            "groups": tuple(dict.fromkeys(item.group for item in items if item.group is not None)),
            "limits": draft.limits.model_copy(update={"max_output_tokens": limit}),
        }
    )


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text
    return value
