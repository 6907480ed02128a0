"""Secret field names and shapes go, and what only looks like them stays."""

import json
from typing import Any

import pytest

from evalrouter.tracing.content import snapshot
from evalrouter.tracing.redaction import REDACTED, is_secret_name, may_hold_secret, redact, redact_text


def words(text: str) -> list[str]:
    return text.split()


SECRET_NAMES = words(
    "password passwd pwd user_password DB_PASSWORD passphrase secret client_secret clientSecret AWS_SECRET_ACCESS_KEY "
    "api_key apikey x-api-key OPENAI_API_KEY access_key accessKeyId private_key privateKey ssh_key signing_key "
    "encryption_key token access_token refreshToken id_token auth_token bearer authorization Proxy-Authorization auth "
    "credentials cookie Set-Cookie sessionid csrf_token X-XSRF-TOKEN jwt dsn database_url connection_string signature "
    "card_number cvv x-amz-security-token"
)

LOOKALIKES = words(
    "input_tokens output_tokens max_tokens total_tokens maxTokens token_count tokenizer eos_token author "
    "authority monkey keyboard keywords key primary_key passenger bypass compass secretary cardinality session_id "
    "bearing function_signature"
)

SHAPES = {
    "openai": "sk-proj-" + "a1B2" * 8,
    "anthropic": "sk-ant-api03-" + "a1B2" * 8,
    "stripe": "sk_live_" + "a1B2" * 6,
    "github": "ghp_" + "a1B2" * 9,
    "github-fine": "github_pat_" + "a1B2" * 9,
    "gitlab": "glpat-" + "a1B2" * 5,
    "slack": "xoxb-1234567890-" + "a1B2" * 4,
    "google": "AIza" + "a1B2_" * 7,
    "amazon": "AKIA" + "A1B2" * 4,
    "hugging-face": "hf_" + "a1B2" * 8,
    "sendgrid": "SG." + "a1B2" * 5 + "." + "c3D4" * 5,
    "langsmith": "lsv2_pt_" + "a1b2" * 8,
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "ours": "er_" + "a1B2-_" * 8,
    "bearer": "abcdef0123456789",
    "url": "user:hunter2",
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----",
}


def test_there_are_as_many_names_as_were_measured() -> None:
    assert (len(set(SECRET_NAMES)), len(set(LOOKALIKES))) == (44, 23)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_secret_name_is_redacted_at_any_depth_and_before_the_quick_look(name: str) -> None:
    assert is_secret_name(name)
    assert may_hold_secret(json.dumps({name: 1}))
    assert may_hold_secret(json.dumps(json.dumps({name: 1})))
    kept = json.loads(snapshot({"a": [{"b": {name: "hunter2", "rest": 1}}]}))
    assert kept == {"a": [{"b": {name: REDACTED, "rest": 1}}]}


@pytest.mark.parametrize("name", LOOKALIKES)
def test_a_lookalike_stays(name: str) -> None:
    assert json.loads(snapshot({name: "hunter2", "password": "x"})) == {name: "hunter2", "password": REDACTED}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_secret_goes_by_its_shape_and_the_text_around_it_stays(shape: str) -> None:
    secret = SHAPES[shape]
    text = {"bearer": f"curl -H 'Authorization: Bearer {secret}' x", "url": f"postgres://{secret}@host/db"}.get(
        shape, f"use {secret} now"
    )
    kept = json.loads(snapshot({"note": text}))["note"]
    assert secret not in kept
    assert REDACTED in kept
    assert kept.split(REDACTED)[0] == text.split(secret)[0]


@pytest.mark.parametrize(
    "value", [{"password": 12345}, {"password": ["a"]}, {"password": {"a": 1}}, {"card_number": 4111111111111111}]
)
def test_a_secret_of_any_type_goes(value: dict[str, Any]) -> None:
    assert list(redact(value).values()) == [REDACTED]


def test_whether_there_is_a_secret_stays() -> None:
    assert redact({"password": None, "token": True}) == {"password": None, "token": True}


def test_tool_arguments_that_are_json_in_a_text_are_looked_into() -> None:
    kept = redact({"arguments": '{"city": "Oslo", "api_key": "hunter2"}'})
    assert json.loads(kept["arguments"]) == {"city": "Oslo", "api_key": REDACTED}


def test_a_text_without_secrets_comes_back_as_it_is() -> None:
    text = ' {"token_count":  3,"x":1.50}'
    assert redact_text(text) == text
    assert redact_text("Ask the author how many keys a keyboard has; see https://example.org/a?b=c@d") == (
        "Ask the author how many keys a keyboard has; see https://example.org/a?b=c@d"
    )


@pytest.mark.parametrize("size", [10_000, 100_000])
def test_hostile_text_takes_no_time(size: int) -> None:
    for piece in ("sk-", "eyJaaaaaaaa.", "://a:", "-----BEGIN PRIVATE KEY-----", "Bearer a"):
        redact_text(piece * (size // len(piece)))
