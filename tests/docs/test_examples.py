"""The examples against the embedded server: with the real local model, and with a provider's double."""

from pathlib import Path

from evalrouter_server.catalog.artifacts import SMOLLM2_135M

from tests.docs.conftest import NewUser
from tests.upstreams.weights import weights

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_quickstart_evaluates_the_real_local_model(user: NewUser) -> None:
    user.has(SMOLLM2_135M.member_sha256, weights())
    said = user.python(EXAMPLES / "quickstart.py", "--sample", "3")
    assert "3/3 tasks" in said
    assert "n=3" in said


def test_async_quickstart_evaluates_models_side_by_side(user: NewUser) -> None:
    said = user.python(EXAMPLES / "async_quickstart.py", "connection:double", "connection:other")
    assert sorted(line.partition(": ")[0] for line in said.splitlines()) == ["connection:double", "connection:other"]


def test_quote_first_takes_a_sample_that_fits(user: NewUser) -> None:
    arguments = ("--model", "connection:double", "--max-cost", "0.05")
    said = user.python(EXAMPLES / "quote_first.py", *arguments, given="y\n")
    assert "quoting a sample that fits" in said
    assert "Maximum charge" in said
    assert "completed" in said


def test_quote_first_starts_nothing_when_nothing_fits(user: NewUser) -> None:
    asked = len(user.provider.requests)
    said = user.python(EXAMPLES / "quote_first.py", "--model", "connection:double", "--max-cost", "0.000001")
    assert "nothing was started" in said
    assert len(user.provider.requests) == asked


def test_own_endpoint_connects_once_and_evaluates(user: NewUser) -> None:
    arguments = ("--base-url", user.provider.base_url, "--model", "my-model")
    first, again = (user.python(EXAMPLES / "own_endpoint.py", *arguments) for _ in range(2))
    assert "completed" in first
    assert first == again
