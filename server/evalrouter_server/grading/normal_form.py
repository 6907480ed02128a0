"""Normal forms of a text, in which two ways of writing an answer are the same."""

import re
import string

from evalrouter_server.grading.spec import Aspect, Normalisation

_SQUAD: tuple[Aspect, ...] = ("case", "punctuation", "articles", "white_space")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)


def normal_form(text: str, ignored: Normalisation) -> str:
    """A text without what a comparison ignores.

    `case` makes it lower case, `punctuation` drops ASCII punctuation, `articles` the English articles, `white_space`
    makes one space of each run of white space, `final_stop` drops full stops at the end. `squad` is the first four in
    that order: the normal form of the SQuAD evaluation script.
    """
    aspects = _SQUAD if ignored == "squad" else ignored
    text = text.strip()
    if "final_stop" in aspects:
        text = text.rstrip(".").rstrip()
    if "case" in aspects:
        text = text.lower()
    if "punctuation" in aspects:
        text = text.translate(_PUNCTUATION)
    if "articles" in aspects:
        text = _ARTICLE.sub(" ", text)
    if "white_space" in aspects:
        text = " ".join(text.split())
    return text.strip()
