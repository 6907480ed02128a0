"""A full run of GSM8K beside inspect-ai and lm-eval: `python perf/harnesses.py [CONCURRENCY] [ROUNDS]`.

The same 1,319 prompts go to the same upstream, which answers at once, at the same concurrency; each side's own time
from its first step to its results on disk, without the start of its process. Then ours alone against an upstream of
500 ms at concurrency 200, beside the ideal. The exit code is 1 where ours is not 3 times the faster of the two, or
takes more than 1/0.95 of the ideal time.
"""

import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import textwrap
import uuid
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from evalrouter import EvalRouter, Run
from perf.load import load
from perf.peers import python_of, version_of
from perf.upstream import MODEL, upstream
from scripts.machine import machine

BENCHMARK = "gsm8k"
RATIO = 3.0
SLOW_SECONDS, SLOW_CONCURRENCY, OF_IDEAL = 0.5, 200, 0.95

INSPECT_TASK = """
import time
from inspect_ai import Task, eval
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import match
from inspect_ai.solver import generate

dataset = json_dataset({rows!r}, FieldSpec(input="question", target="answer"))
task = Task(dataset=dataset, solver=[generate()], scorer=match(numeric=True))
began = time.perf_counter()
logs = eval(
    task, model="openai-api/fake/{model}", log_dir={folder!r}, display="none", max_connections={concurrency},
    max_samples={concurrency}, max_tokens=64,
)
took = time.perf_counter() - began
assert logs[0].status == "success", logs[0].error
print(took)
"""

LM_EVAL_TASK = """
task: perf_gsm8k
dataset_path: json
dataset_kwargs: {{data_files: {{test: {rows}}}}}
test_split: test
output_type: generate_until
doc_to_text: "{{{{question}}}}"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n\\n\\n"], max_gen_toks: 64, temperature: 0.0}}
filter_list:
  - name: number
    filter: [{{function: regex, regex_pattern: "ANSWER: (-?[0-9]+)"}}, {{function: take_first}}]
metric_list: [{{metric: exact_match, aggregation: mean, higher_is_better: true}}]
"""

LM_EVAL = """
import time
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

manager = TaskManager(include_path={folder!r}, include_defaults=False)
arguments = "base_url={url}/chat/completions,model={model},num_concurrent={concurrency},tokenized_requests=False"
began = time.perf_counter()
results = simple_evaluate(
    model="local-chat-completions", model_args=arguments, tasks=["perf_gsm8k"], task_manager=manager,
    apply_chat_template=True, log_samples=True, bootstrap_iters=0,
)
took = time.perf_counter() - began
assert len(results["samples"]["perf_gsm8k"]) == {tasks}
print(took)
"""


def connect(client: EvalRouter, name: str, base_url: str) -> str:
    """Connect the upstream at a price, and give its model's name."""
    client.connections.create(name, base_url=base_url, model=MODEL, input_price=1, output_price=1)
    return f"connection:{name}"


def run_ours(client: EvalRouter, model: str, concurrency: int) -> tuple[Run, float]:
    """A whole run on the embedded server, durable, metered and graded, and its seconds."""
    client.wallet.top_up(19)
    run = client.runs.create(
        benchmark=BENCHMARK,
        model=model,
        max_cost=19,
        concurrency=concurrency,
        idempotency_key=str(uuid.uuid4()),
        wait=True,
    )
    assert (run.status, run.coverage.graded) == ("completed", run.coverage.selected), run.status_reason
    assert run.ended_at is not None
    return run, (run.ended_at - run.created_at).total_seconds()


def apart(peer: str, program: str, base_url: str) -> float:
    """The seconds that a peer's program prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EVALROUTER_")} | {
        "FAKE_BASE_URL": base_url,
        "FAKE_API_KEY": "unused",
        "OPENAI_API_KEY": "unused",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    told = subprocess.run(
        [str(python_of(peer)), "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment
    )
    if told.returncode:
        raise SystemExit(f"{peer} failed:\n{told.stderr[-3000:]}")
    return float(told.stdout.strip().splitlines()[-1])


def main(concurrency: int = 50, rounds: int = 3) -> int:
    """Measure all sides in turns and print a table."""
    for name in [name for name in os.environ if name.startswith("EVALROUTER_")]:
        del os.environ[name]
    versions = f"inspect-ai {version_of('inspect', 'inspect-ai')}, lm-eval {version_of('lm-eval', 'lm-eval')}"
    print(f"{BENCHMARK} beside {versions} on {machine()}; medians of {rounds}")
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url, slow_url = stack.enter_context(upstream()), stack.enter_context(upstream(SLOW_SECONDS))
        os.environ["EVALROUTER_DATA_DIR"] = str(folder / "data")
        client = stack.enter_context(EvalRouter())
        model, slow_model = connect(client, "fast", url), connect(client, "slow", slow_url)
        rows = folder / "rows.jsonl"
        warm, _ = run_ours(client, model, concurrency)
        asked = [
            {"question": str(result.inputs["messages"][-1]["content"]), "answer": "42"} for result in warm.results()
        ]
        rows.write_text("".join(json.dumps(row) + "\n" for row in asked))
        (folder / "perf_gsm8k.yaml").write_text(LM_EVAL_TASK.format(rows=rows))
        given = {"folder": str(folder), "rows": str(rows), "model": MODEL, "concurrency": concurrency, "url": url}
        sides: dict[str, Callable[[], float]] = {
            "evalrouter": lambda: run_ours(client, model, concurrency)[1],
            "inspect-ai": lambda: apart("inspect", INSPECT_TASK.format(**given), url),
            "lm-eval": lambda: apart("lm-eval", LM_EVAL.format(**given, tasks=len(asked)), url),
        }
        ceiling = load(url, "unused", MODEL, concurrency, 5, False).requests_per_second
        taken: dict[str, list[float]] = {side: [] for side in sides}
        for _ in range(rounds):
            for side, measure in sides.items():
                taken[side].append(measure())
        rates = {side: len(asked) / statistics.median(seconds) for side, seconds in taken.items()}
        slow = statistics.median(run_ours(client, slow_model, SLOW_CONCURRENCY)[1] for _ in range(rounds))
    print(f"upstream of 0 ms, {concurrency} at once; its own ceiling is {ceiling:,.0f} requests/s")
    for side, rate in rates.items():
        print(f"{side:<12} {rate:8,.0f} tasks/s   {rate / rates['evalrouter']:.2f} of ours")
    ratio = rates["evalrouter"] / max(rates["inspect-ai"], rates["lm-eval"])
    ideal = math.ceil(len(asked) / SLOW_CONCURRENCY) * SLOW_SECONDS
    print(f"{ratio:.1f} times the faster peer (at least {RATIO:.0f})")
    print(f"upstream of {SLOW_SECONDS * 1000:.0f} ms, {SLOW_CONCURRENCY} at once: {slow:.2f} s, ideal {ideal:.2f} s:")
    print(f"{ideal / slow:.0%} (at least {OF_IDEAL:.0%})")
    return int(ratio < RATIO or ideal / slow < OF_IDEAL)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
