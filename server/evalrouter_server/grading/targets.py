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
