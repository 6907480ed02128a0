"""Runs an Inspect task, or lists its samples without asking a model: `python run_inspect.py SPEC OUT`.

Inspect's own `eval` does both. A listing runs the task with Inspect's mock model, so that it has the messages that a
run will send; what the mock's answers score is thrown away.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog, EvalSample, resolve_sample_attachments
from inspect_ai.model import ModelOutput, ModelUsage


def main(spec_path: str, out_path: str) -> None:
    """Write a line for each sample.

    Args:
        spec_path: A JSON file: the task and its arguments; with `model`, also the samples to run and how many at once.
        out_path: The file to write.
    """
    spec = json.loads(Path(spec_path).read_text("utf-8"))
    model = spec.get("model")
    samples = spec.get("samples")
    (log,) = run_eval(
        spec["task"],
        model=model or "mockllm/model",
        model_args={} if model else {"custom_outputs": _no_answer},
        task_args=spec["arguments"],
        sample_id=[_literal(sample) for sample in samples] if samples else None,
        epochs=1,
        fail_on_error=False,
        retry_on_error=0,
        max_connections=spec.get("connections", 16),
        max_samples=spec.get("connections", 16),
        log_dir=str(Path(out_path).parent / "logs"),
        log_format="eval",
        log_realtime=False,
        display="none",
    )
    if log.status != "success":
        sys.exit(f"the task ended with {log.status}: {log.error.message if log.error else 'no reason given'}")
    with Path(out_path).open("w", encoding="utf-8") as out:
        for sample in log.samples or []:
            row = _result(sample) if model else _listed(log, sample)
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def _no_answer(*_: Any) -> ModelOutput:
    """The mock's answer; it states its usage, as Inspect would fetch a tokeniser to count it."""
    output = ModelOutput.from_content("mockllm", "")
    output.usage = ModelUsage()
    return output


def _literal(sample_id: int | str) -> int | str:
    """An ID that means itself where IDs are taken for patterns."""
    return re.sub(r"([*?[])", r"[\1]", sample_id) if isinstance(sample_id, str) else sample_id


def _listed(log: EvalLog, sample: EvalSample) -> dict[str, Any]:
    calls = [event for event in resolve_sample_attachments(sample).events if event.event == "model"]
    if sample.error is not None:
        sys.exit(f"sample {sample.id} of the task failed with a mock model: {sample.error.message}")
    return {
        "id": sample.id,
        "group": None,
        "calls": len(calls),
        "messages": [{"role": message.role, "content": message.text} for message in calls[0].input] if calls else [],
        "max_tokens": calls[0].config.max_tokens if calls else None,
        "target": sample.target if isinstance(sample.target, str) else "\n".join(sample.target),
    }


def _result(sample: EvalSample) -> dict[str, Any]:
    name, score = next(iter((sample.scores or {}).items()), (None, None))
    return {
        "id": sample.id,
        "output": sample.output.completion,
        "scorer": name,
        "value": None if score is None else score.value,
        "answer": None if score is None else score.answer,
        "error": None if sample.error is None else sample.error.message,
    }


if __name__ == "__main__":
    main(*sys.argv[1:3])
