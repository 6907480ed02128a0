"""What an item's target must hold for a grader."""

from collections.abc import Mapping

from pydantic import JsonValue


def accepted_texts(target: Mapping[str, JsonValue]) -> list[str]:
    """The accepted answers of a target: its list under `answers`, or its one text under `answer`.

    Raises:
        ValueError: There is neither, or the list is empty or holds something that is not a text.
    """
    answers = target.get("answers", [target["answer"]] if "answer" in target else None)
    if not isinstance(answers, list) or not answers or not all(isinstance(answer, str) for answer in answers):
        raise ValueError(
            f"the target of a text grader must be a list of texts under 'answers' or a text under 'answer',"
            f" not {answers!r}"
        )
    return [str(answer) for answer in answers]


def accepted_spans(target: Mapping[str, JsonValue]) -> list[list[str]]:
    """The accepted answers of a target as lists of spans: each entry under `answers` is a text or a list of texts.

    Raises:
        ValueError: There is no such list, or one of its entries is neither.
    """
    answers = target.get("answers")
    spans = [entry if isinstance(entry, list) else [entry] for entry in answers] if isinstance(answers, list) else []
    if not spans or not all(entry and all(isinstance(text, str) for text in entry) for entry in spans):
        raise ValueError(
            f"the target of a DROP grader must be a list of texts or of lists of texts under 'answers', not {answers!r}"
        )
    return [[str(text) for text in entry] for entry in spans]


def accepted_values(target: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The accepted JSON values of a target: its list under `answers`, or its one value under `answer`.

    Raises:
        ValueError: There is neither, or the list is empty.
    """
    answers = target.get("answers", [target["answer"]] if "answer" in target else None)
    if not isinstance(answers, list) or not answers:
        raise ValueError(
            f"the target of a JSON grader must be a list of values under 'answers' or a value under 'answer',"
            f" not {answers!r}"
        )
    return answers
