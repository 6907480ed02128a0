"""Evaluate a model on a sample of a benchmark and print what came out.

python examples/quickstart.py                                    # a small real model on this machine, free
python examples/quickstart.py --model gpt-5 --benchmark gsm8k --max-cost 0.50
"""

import argparse

from evalrouter import EvalRouter


def main() -> None:
    parser = argparse.ArgumentParser(description="Evaluate a model on a sample of a benchmark.")
    parser.add_argument("--benchmark", default="first-steps")
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--max-cost", default="1", help="USD that the run may charge at most")
    parser.add_argument("--sample", type=int, default=20)
    options = parser.parse_args()

    with EvalRouter() as client:
        run = client.runs.create(
            benchmark=options.benchmark,
            model=options.model,
            max_cost=options.max_cost,
            coverage={"mode": "sample", "sample_count": options.sample, "seed": 42},
            wait=True,
            on_progress=lambda progress: print(f"{progress.done}/{progress.total} tasks, {progress.cost} USD"),
        )
        print(run)
        for metric in run.metrics.values():
            print(f"{metric.name}: {metric.value:.3f}, 95% interval {metric.low} to {metric.high}, n={metric.n}")
        for result in run.results(limit=3):
            print(f"{result.item_id}: {result.extracted!r}, {'right' if result.correct else 'wrong'}")


if __name__ == "__main__":
    main()
