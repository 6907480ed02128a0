"""Evaluate several models side by side with the async client.

python examples/async_quickstart.py smollm2-135m connection:mine
"""

import asyncio
import sys

from evalrouter import AsyncEvalRouter, AsyncRun


async def evaluate(client: AsyncEvalRouter, model: str) -> AsyncRun:
    return await client.runs.create(
        benchmark="first-steps",
        model=model,
        max_cost="0.50",
        coverage={"mode": "sample", "sample_count": 20, "seed": 42},
        wait=True,
    )


async def main(models: list[str]) -> None:
    async with AsyncEvalRouter() as client:
        runs = await asyncio.gather(*(evaluate(client, model) for model in models))
        for run in sorted(runs, key=lambda run: run.score or 0.0, reverse=True):
            wrong = [result.item_id async for result in run.results() if not result.correct]
            print(f"{run.model}: {run.score} for {run.cost} USD; wrong: {', '.join(wrong) or 'none'}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] or ["smollm2-135m"]))
