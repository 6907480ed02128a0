"""One run of a harness over some samples of a task: how it is started, and what its log says."""

import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from evalrouter_server.catalog.harness_manifest import HarnessManifest
from evalrouter_server.harnesses.listing import Harnesses, driver
from evalrouter_server.harnesses.process import HarnessFailed, Process
from evalrouter_server.harnesses.results import SampleKey, SampleResult, read_inspect, read_lm_eval


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The gateway as a harness sees it.

    Attributes:
        base_url: Its base URL, which ends in `/v1`.
        key: A gateway key.
        model: The model's name.
        connections: Calls side by side.
        seconds_per_call: The most time for a call.
    """

    base_url: str
    key: str
    model: str
    connections: int
    seconds_per_call: float


async def run_samples(
    harnesses: Harnesses, manifest: HarnessManifest, samples: Sequence[JsonValue], endpoint: Endpoint, *, seconds: float
) -> tuple[dict[SampleKey, SampleResult], HarnessFailed | None]:
    """Run the harness over some of a task's samples.

    Args:
        harnesses: Says how to start it.
        manifest: The benchmark.
        samples: The samples' IDs in the harness.
        endpoint: Where its model is.
        seconds: The most time for it.

    Returns:
        What it says of each sample that it finished, and how it failed, if it did.

    Raises:
        Problem: Its environment cannot be made.
    """
    python = await harnesses.python(manifest)
    with tempfile.TemporaryDirectory(prefix="evalrouter-harness-", ignore_cleanup_errors=True) as folder:
        out = Path(folder)
        command = _lm_eval if manifest.runner == "lm-eval" else _inspect
        arguments, variables = command(manifest, samples, endpoint, out)
        process = Process(
            python=python,
            arguments=arguments,
            cwd=harnesses.working_folder(manifest),
            environment={**harnesses.variables(manifest), **variables},
            online=False,
            seconds=seconds,
        )
        failure = None
        try:
            await process.run()
        except HarnessFailed as error:
            failure = error
        return _read(manifest, out), failure


def _lm_eval(
    manifest: HarnessManifest, samples: Sequence[JsonValue], endpoint: Endpoint, out: Path
) -> tuple[list[str], dict[str, str]]:
    chosen: dict[str, list[int]] = {}
    for sample in samples:
        assert isinstance(sample, list)
        chosen.setdefault(str(sample[0]), []).append(int(str(sample[1])))
    model = {
        "base_url": f"{endpoint.base_url}/chat/completions",
        "model": endpoint.model,
        "num_concurrent": endpoint.connections,
        "max_retries": 2,
        "timeout": int(endpoint.seconds_per_call) + 5,
        "tokenizer_backend": "None",
    }
    spec = json.dumps({task: sorted(ids) for task, ids in chosen.items()})
    arguments = [
        *("-m", "lm_eval", "run", "--model", "local-chat-completions", "--model_args"),
        *(f"{name}={value}" for name, value in model.items()),
        *("--tasks", manifest.task, "--samples", spec, "--apply_chat_template"),
        *("--fewshot_as_multiturn", "true", "--log_samples", "--output_path", str(out)),
    ]
    return arguments, {"OPENAI_API_KEY": endpoint.key}


def _inspect(
    manifest: HarnessManifest, samples: Sequence[JsonValue], endpoint: Endpoint, out: Path
) -> tuple[list[str], dict[str, str]]:
    spec = out / "spec.json"
    asked = {
        "task": manifest.task,
        "arguments": manifest.arguments,
        "samples": list(samples),
        "connections": endpoint.connections,
        "model": f"openai-api/evalrouter/{endpoint.model}",
    }
    spec.write_text(json.dumps(asked), "utf-8")
    variables = {"EVALROUTER_BASE_URL": endpoint.base_url, "EVALROUTER_API_KEY": endpoint.key}
    return [driver("run_inspect.py"), str(spec), str(out / "results.jsonl")], variables


def _read(manifest: HarnessManifest, out: Path) -> dict[SampleKey, SampleResult]:
    if manifest.runner == "inspect":
        return read_inspect(_rows(out / "results.jsonl"))
    found: dict[SampleKey, SampleResult] = {}
    for log in sorted(out.glob("*/samples_*.jsonl")):
        task = log.stem.removeprefix("samples_").rpartition("_")[0]
        found |= read_lm_eval(task, _rows(log), filter_name=manifest.filter)
    return found


def _rows(path: Path) -> list[Mapping[str, JsonValue]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []
