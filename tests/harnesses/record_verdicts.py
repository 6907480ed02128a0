"""Has a harness's own code grade the outputs of `outputs.json`; the harness's environment runs it.

`python record_verdicts.py inspect` or `lm-eval` prints a list of verdicts by rule, in the order of the outputs.
"""

import json
import sys
from pathlib import Path

CASES = json.loads((Path(__file__).parent / "outputs.json").read_text("utf-8"))
STRICT = r"The answer is (\-?[0-9\.\,]+)."
FLEXIBLE = r"(-?[$0-9.,]{2,})|(-?[0-9]+)"


def inspect() -> dict[str, list[bool]]:
    """inspect_evals' GSM8K: `match(numeric=True)`."""
    from inspect_ai.scorer._common import match_str

    graded = [match_str(case["output"], case["gold"], location="end", numeric=True)[1] for case in CASES]
    return {"gsm8k-inspect-zero-shot": graded}


def lm_eval() -> dict[str, list[bool]]:
    """lm-eval's gsm8k_cot, both filters."""
    from lm_eval.api.metrics import exact_match_hf_evaluate
    from lm_eval.filters.extraction import RegexFilter

    def graded(pattern: str, group: int) -> list[bool]:
        extract = RegexFilter(regex_pattern=pattern, group_select=group)
        answers = [found[0] for found in extract.apply([[case["output"]] for case in CASES], CASES)]
        ignored = [",", "\\$", "(?s).*#### ", "\\.$"]
        return [
            bool(
                exact_match_hf_evaluate(
                    predictions=[answer],
                    references=[case["gold"]],
                    ignore_case=True,
                    ignore_punctuation=False,
                    regexes_to_ignore=ignored,
                )["exact_match"]
            )
            for answer, case in zip(answers, CASES, strict=True)
        ]

    return {"gsm8k-lm-eval-cot": graded(STRICT, 0), "gsm8k-lm-eval-cot-flexible": graded(FLEXIBLE, -1)}


if __name__ == "__main__":
    print(json.dumps(inspect() if sys.argv[1] == "inspect" else lm_eval()))
