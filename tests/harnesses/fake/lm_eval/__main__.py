"""`python -m lm_eval run ...`: asks `Question N` for each sample N, right where the answer is N."""

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("command")
parser.add_argument("--model_args", nargs="+")
parser.add_argument("--samples", type=json.loads)
parser.add_argument("--output_path", type=Path)
options, _ = parser.parse_known_args()
model = dict(pair.split("=", 1) for pair in options.model_args)


def ask(number: int) -> str:
    body = {
        "model": model["model"],
        "messages": [{"role": "user", "content": f"Question {number}"}],
        "max_tokens": 10**6,
        "temperature": 0,
        "stop": ["Question:"],
        "seed": 1234,
    }
    headers = {"Authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "Content-Type": "application/json"}
    request = urllib.request.Request(model["base_url"], json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return str(json.load(response)["choices"][0]["message"]["content"])
    except urllib.error.HTTPError as error:
        sys.exit(f"HTTP {error.code}: {error.read().decode()[:200]}")


out = options.output_path / "model"
out.mkdir(parents=True)
for task, numbers in options.samples.items():
    with ThreadPoolExecutor(int(model["num_concurrent"])) as pool:
        answers = list(pool.map(ask, numbers))
    with (out / f"samples_{task}_2026-11-29T00-00-00.jsonl").open("w") as log:
        for number, answer in zip(numbers, answers, strict=True):
            row = {
                "doc_id": number,
                "resps": [[answer]],
                "filtered_resps": [answer],
                "filter": "strict",
                "metrics": ["exact_match"],
                "exact_match": float(answer == str(number)),
            }
            log.write(json.dumps(row) + "\n")
