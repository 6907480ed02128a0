"""Our graders of other harnesses' protocols beside verdicts that those harnesses' own code gave: see `docs/parity.md`.

`record_verdicts.py` made the verdicts in `outputs.json`, with inspect-ai 0.3.285 and lm-eval 0.4.13.
"""

import json
from pathlib import Path

from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.grading import grade

CASES = json.loads((Path(__file__).parent / "outputs.json").read_text("utf-8"))
GRADERS = {manifest.slug: manifest.grader for manifest in Benchmarks.shipped().native()}

FIVE_DIGITS = "Inspect compares five significant digits, we compare exactly"
PERCENT = "Inspect reads no number in 60%, we read it at face value"
RUN_ON = "the harness reads on into a question that the model asks itself, we cut it"

EXPLAINED = {
    ("gsm8k-inspect-zero-shot", "ANSWER: 17.999999"): FIVE_DIGITS,
    ("gsm8k-inspect-zero-shot", "ANSWER: 123457"): FIVE_DIGITS,
    ("gsm8k-inspect-zero-shot", "ANSWER: 123461"): FIVE_DIGITS,
    ("gsm8k-inspect-zero-shot", "The answer is 60%."): PERCENT,
    ("gsm8k-inspect-zero-shot", "ANSWER: 60%"): PERCENT,
    ("gsm8k-inspect-zero-shot", "Question: and 7?"): RUN_ON,
    ("gsm8k-lm-eval-cot-flexible", "Question: and 7?"): RUN_ON,
}


def test_verdicts_are_the_same_but_for_what_is_explained() -> None:
    differing = set()
    for case in CASES:
        for slug, theirs in case["verdicts"].items():
            ours = grade(
                GRADERS[slug],  # type: ignore[arg-type]
                output=case["output"],
                target={"answer": case["gold"]},
                finish_reason="stop",
            )
            if ours.correct != theirs:
                differing.add((slug, case["output"].splitlines()[-1]))
    assert differing == EXPLAINED.keys()
    assert len(CASES) >= 50
