"""Grades one answer: the right capital is worth half, and so is a whole sentence."""

import json
import sys

asked = json.load(sys.stdin)
answer = asked["output"].strip()
names_it = asked["target"]["answer"].casefold() in answer.casefold()
is_sentence = answer.endswith(".") and len(answer.split()) > 2
verdict = {"score": names_it * (0.5 + 0.5 * is_sentence), "extracted": answer[:200], "rule": "capital_in_a_sentence"}
json.dump(verdict, sys.stdout)
