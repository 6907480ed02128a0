"""The unmodified `openai` package with a run's gateway key, while the run itself is still running."""

import openai
import pytest

from evalrouter import EvalRouter
from tests.e2e.audit import audit_calls
from tests.e2e.programs import PATIENCE_SECONDS, wait_until
from tests.e2e.provider import Provider, exact_charge, tokens

QUESTION = "What is the capital of France?"


def test_the_openai_package_is_answered_and_billed_within_the_run(client: EvalRouter, provider: Provider) -> None:
    provider.text, provider.delay_seconds = "Paris, of course.", 0.3
    run = client.runs.create(
        benchmark="first-steps",
        model=provider.connect(client),
        max_cost=1,
        coverage={"mode": "sample", "sample_count": 20},
        concurrency=2,
    )
    wait_until(lambda: len(provider.requests) > 1)
    key = run.gateway_key()
    assert key.secret not in repr(key)
    with openai.OpenAI(base_url=key.base_url, api_key=key.secret, max_retries=0) as outside:
        whole = outside.chat.completions.create(
            model=key.model, messages=[{"role": "user", "content": QUESTION}], max_tokens=20
        )
        with outside.chat.completions.create(
            model=key.model, messages=[{"role": "user", "content": QUESTION}], max_tokens=20, stream=True
        ) as stream:
            streamed = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
        with pytest.raises(openai.NotFoundError) as refused:
            outside.chat.completions.create(
                model="gpt-5", messages=[{"role": "user", "content": QUESTION}], max_tokens=20
            )
        assert refused.value.code == "model_not_in_run"
        assert run.refresh().status == "running"
    assert whole.choices[0].message.content == streamed == provider.text
    assert whole.usage is not None
    assert whole.usage.completion_tokens == tokens(provider.text)

    run.wait(PATIENCE_SECONDS)
    assert (run.status, run.coverage.graded) == ("completed", 20)
    calls = list(run.calls())
    outsiders = [call for call in calls if call.task_id is None]
    assert [call.streamed for call in outsiders] == [False, True]
    for call in outsiders:
        assert (call.usage.input_tokens, call.usage.output_tokens) == (tokens(QUESTION), tokens(provider.text))
        assert (call.usage_source, call.model_served) == ("reported", "double-1")
        assert call.charge == exact_charge(call.usage) > 0
    assert len(calls) == len(provider.requests) == 22
    audit_calls(client, run, calls)
    assert "unattributed_calls" in run.flags
    charged = {entry.call_id: -entry.amount for entry in client.wallet.entries() if entry.kind == "charge"}
    assert charged.keys() >= {call.id for call in outsiders}

    with (
        openai.OpenAI(base_url=key.base_url, api_key=key.secret, max_retries=0) as late,
        pytest.raises(openai.AuthenticationError),
    ):
        late.chat.completions.create(model=key.model, messages=[{"role": "user", "content": "?"}], max_tokens=1)
    assert len(provider.requests) == 22
