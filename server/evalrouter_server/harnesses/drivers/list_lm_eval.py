"""Lists an lm-eval task's requests without making any: `python list_lm_eval.py SPEC OUT`.

lm-eval's own evaluator goes through the task with a model that answers nothing, so what is listed is what a run will
ask: its samples log has each document's messages, settings and target.
"""

import json
import sys
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.models.openai_completions import LocalChatCompletion


class Listing(LocalChatCompletion):
    """A chat model that answers every request with nothing."""

    def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
        """An empty answer for each request."""
        return ["" for _ in requests]

    def loglikelihood(self, requests: list[Any], **_: Any) -> list[Any]:
        """Refuse: a chat interface gives no likelihoods of given texts."""
        sys.exit("the task asks for likelihoods of given texts, which no chat interface gives")


def main(spec_path: str, out_path: str) -> None:
    """Write a line for each sample.

    Args:
        spec_path: A JSON file with the task's name.
        out_path: The file to write.
    """
    spec = json.loads(Path(spec_path).read_text("utf-8"))
    model = Listing(base_url="http://localhost", model="listing", tokenizer_backend=None)
    results = simple_evaluate(
        model=model,
        tasks=[spec["task"]],
        apply_chat_template=True,
        fewshot_as_multiturn=True,
        log_samples=True,
        bootstrap_iters=0,
    )
    with Path(out_path).open("w", encoding="utf-8") as out:
        for task, samples in results["samples"].items():
            for sample in {sample["doc_id"]: sample for sample in samples}.values():
                out.write(json.dumps(_row(model, task, sample), ensure_ascii=False) + "\n")


def _row(model: Listing, task: str, sample: dict[str, Any]) -> dict[str, Any]:
    message, settings = sample["arguments"][0]
    payload = model._create_payload(model.create_message([message]), generate=True, gen_kwargs=dict(settings))
    return {
        "id": [task, sample["doc_id"]],
        "group": task,
        "calls": len(sample["arguments"]),
        "messages": payload["messages"],
        "max_tokens": payload["max_tokens"],
        "target": str(sample["target"]),
    }


if __name__ == "__main__":
    main(*sys.argv[1:3])
