"""What of an answer is code, and the program that comes of it."""

import pytest
from evalrouter_server.grading import CodeGrader
from evalrouter_server.grading.code import assemble, extract
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

PROMPT = 'import math\n\n\ndef helper(x):\n    return x\n\n\ndef solve(n: int) -> int:\n    """ Double it. """\n'
TARGET = {"tests": "def check(candidate):\n    assert candidate(2) == 4\n", "entry_point": "solve"}
COMPLETING = CodeGrader(completes="prompt", call="check({entry_point})")
WHOLE = CodeGrader()


def completed(output: str) -> str | None:
    return extract(COMPLETING, output=output, inputs={"prompt": PROMPT}, target=TARGET)


def whole(output: str) -> str | None:
    return extract(WHOLE, output=output, inputs={}, target={"tests": ["assert solve(2) == 4"]})


BEFORE = PROMPT[: PROMPT.index("def solve")]


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("    return 2 * n", PROMPT + "    return 2 * n"),
        ("\n    return 2 * n\n", PROMPT + "    return 2 * n"),
        ("    raise ValueError(n)", PROMPT + "    raise ValueError(n)"),
        ("return 2 * n", PROMPT + "    return 2 * n"),
        ("m = 2\n    return m * n", PROMPT + "    m = 2\n    return m * n"),
        ("if n:\n    return 2 * n\nreturn 0", PROMPT + "    if n:\n        return 2 * n\n    return 0"),
        ("if n:\n        return 2 * n\n    return 0", PROMPT + "    if n:\n        return 2 * n\n    return 0"),
        ("    return 2 * n\n\nprint(solve(3))\nassert False", PROMPT + "    return 2 * n\n"),
        ("```python\n    return 2 * n\n```", PROMPT + "    return 2 * n"),
        (
            "Here it is:\n\n```python\ndef solve(n):\n    return 2 * n\n```\nDone.",
            BEFORE + "def solve(n):\n    return 2 * n",
        ),
        ("def solve(n):\n    return 2 * n", BEFORE + "def solve(n):\n    return 2 * n"),
        ("```py\nsolve = lambda n: 2 * n\n```", BEFORE + "solve = lambda n: 2 * n"),
        ("<think>```python\ndef solve(n): 1\n```</think>```\ndef solve(n): 2\n```", BEFORE + "def solve(n): 2"),
        ("```python\ndef solve(n):\n    return 2 *", BEFORE + "def solve(n):\n    return 2 *"),
    ],
)
def test_a_prompt_that_is_the_beginning_of_a_function(output: str, code: str) -> None:
    assert completed(output) == code


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("```python\ndef solve(n): return 2 * n\n```\n```python\nprint(solve(2))\n```", "def solve(n): return 2 * n"),
        (
            "```python\ndef solve(n): return 1\n```\nBetter:\n```python\ndef solve(n): return 2\n```",
            "def solve(n): return 2",
        ),
        ("```bash\npip install x\n```\n```Python\ndef solve(n): pass\n```", "def solve(n): pass"),
        ("~~~\nx = '```'\n~~~", "x = '```'"),
        ("````\n```\ny = 1\n```\n````", "```\ny = 1\n```"),
        ("def solve(n):\n    return 2 * n", "def solve(n):\n    return 2 * n"),
        ("solve = lambda n: 2 * n", "solve = lambda n: 2 * n"),
    ],
)
def test_an_answer_that_is_a_program(output: str, code: str) -> None:
    assert whole(output) == code


@pytest.mark.parametrize("output", ["", "   \n", "I cannot do this.", "<think>def solve(n): pass", "```bash\nls\n```"])
def test_an_answer_without_code(output: str) -> None:
    assert completed(output) is None
    assert whole(output) is None


def test_a_program_is_code_what_prepares_the_tests_tests_and_their_call() -> None:
    assert assemble(COMPLETING, "CODE", TARGET) == f"CODE\n\n{TARGET['tests']}\ncheck(solve)\n"
    target: dict[str, JsonValue] = {"tests": ["assert 1", "assert 2"], "setup": "root = Node(1)"}
    assert assemble(WHOLE, "CODE", target) == "CODE\nroot = Node(1)\nassert 1\nassert 2\n\n"


@pytest.mark.parametrize("tests", [None, "", [], " "])
def test_a_target_without_tests_is_an_error(tests: object) -> None:
    with pytest.raises(ValueError, match="must have its tests"):
        assemble(WHOLE, "CODE", {"tests": tests})  # type: ignore[dict-item]


@given(st.text())
def test_any_answer_has_code_or_has_none(output: str) -> None:
    for code in (completed(output), whole(output)):
        assert code is None or code.strip()


@pytest.mark.parametrize("piece", ["```\n", "\n", " ", "x = ", "```python\ndef solve(n): 1\n", "for ", "~~~~\n", "a\n"])
def test_long_answers_take_linear_time(piece: str) -> None:
    completed(piece * 50_000)


def test_a_target_that_lacks_what_the_grader_needs_is_an_error() -> None:
    with pytest.raises(ValueError, match="entry_point"):
        assemble(COMPLETING, "CODE", {"tests": "assert 1"})
    with pytest.raises(ValueError, match=r"needs 'name' .* only \['tests'\]"):
        assemble(CodeGrader(call="check({name})"), "CODE", {"tests": "assert 1"})
