"""What is sent of a task, what counts as its answer, and how the key is sent; without any network."""

from typing import Any

import pytest
from a2a.client.card_resolver import parse_agent_card
from a2a.helpers import new_data_part, new_text_message, new_text_part
from a2a.types.a2a_pb2 import (
    Artifact,
    Part,
    StreamResponse,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from evalrouter_server.remote_agents.address import AgentAddress, credential, origin_of
from evalrouter_server.remote_agents.card import check_card
from evalrouter_server.remote_agents.failures import AgentUnavailable, TaskNotDone
from evalrouter_server.remote_agents.messages import message_of
from evalrouter_server.remote_agents.progress import Progress

DONE = TaskStatus(state=TaskState.TASK_STATE_COMPLETED)
HERE = "https://agent.example.com"


def test_a_conversation_becomes_one_message() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "1+1?"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "2+2?"},
    ]
    made = message_of(messages, "task_1")
    assert made.message_id == "task_1"
    assert [part.text for part in made.parts] == ["Be brief.\n\nUser: 1+1?\n\nAssistant: 2\n\nUser: 2+2?"]
    assert message_of(messages[1:2], "task_2").parts[0].text == "1+1?"


def update(text: str, *, append: bool, artifact_id: str = "a") -> StreamResponse:
    artifact = Artifact(artifact_id=artifact_id, parts=[new_text_part(text)])
    return StreamResponse(artifact_update=TaskArtifactUpdateEvent(task_id="t", artifact=artifact, append=append))


def heard(*events: StreamResponse) -> Progress:
    progress = Progress()
    for event in events:
        progress.hear(event)
    return progress


def ended(state: TaskState = TaskState.TASK_STATE_COMPLETED) -> StreamResponse:
    return StreamResponse(status_update=TaskStatusUpdateEvent(task_id="t", status=TaskStatus(state=state)))


def test_chunks_are_joined_and_replaced_as_they_say() -> None:
    progress = heard(update("4", append=False), update("2", append=True), update("!", append=False, artifact_id="b"))
    assert not progress.is_over
    progress.hear(ended())
    assert progress.answer() == "42\n\n!"
    assert progress.remote_id == "t"
    assert heard(update("4", append=False), update("5", append=False), ended()).answer() == "5"


def test_a_whole_task_replaces_what_was_heard() -> None:
    progress = heard(update("half", append=False))
    progress.take(Task(id="t", status=DONE, artifacts=[Artifact(artifact_id="a", parts=[new_text_part("whole")])]))
    assert progress.answer() == "whole"


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        ([new_text_part("a"), new_text_part("b")], "a\nb"),
        ([new_data_part({"answer": 42})], '{"answer": 42'),
        ([new_data_part({"answer": 42}), new_text_part("text")], "text"),
        ([Part(raw=b"from a file", media_type="text/plain")], "from a file"),
    ],
)
def test_a_message_answers_with_its_text_else_its_data(parts: list[Part], answer: str) -> None:
    message = new_text_message("")
    del message.parts[:]
    message.parts.extend(parts)
    assert heard(StreamResponse(message=message)).answer().startswith(answer)


def test_the_last_message_of_the_history_is_the_last_resort() -> None:
    progress = Progress()
    progress.take(Task(id="t", status=DONE, history=[new_text_message("first"), new_text_message("last")]))
    assert progress.answer() == "last"


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (TaskState.TASK_STATE_FAILED, "agent_failed"),
        (TaskState.TASK_STATE_REJECTED, "agent_rejected"),
        (TaskState.TASK_STATE_CANCELED, "agent_cancelled"),
        (TaskState.TASK_STATE_INPUT_REQUIRED, "agent_needs_input"),
        (TaskState.TASK_STATE_AUTH_REQUIRED, "agent_needs_auth"),
        (TaskState.TASK_STATE_COMPLETED, "no_answer"),
    ],
)
def test_a_task_that_was_not_done_says_why(state: TaskState, code: str) -> None:
    progress = heard(ended(state))
    assert progress.is_over
    with pytest.raises(TaskNotDone) as error:
        progress.answer()
    assert error.value.code == code


def test_an_answer_has_a_bound_whatever_it_comes_in() -> None:
    with pytest.raises(TaskNotDone, match="longer than") as error:
        heard(*(update("x" * 900_000, append=place > 0) for place in range(10)))
    assert error.value.code == "answer_too_large"
    with pytest.raises(TaskNotDone, match="longer than"):
        heard(update("x" * 1_000_001, append=False), ended()).answer()
    with pytest.raises(TaskNotDone, match="longer than"):
        heard(StreamResponse(status_update=TaskStatusUpdateEvent(task_id="t" * 501)))


def test_an_origin_is_scheme_host_and_port() -> None:
    assert origin_of("https://Agent.example.com:443/a/b?c") == HERE
    assert origin_of("http://[::1]:99/") == "http://[::1]:99"
    for nowhere in ("file:///etc/passwd", "ftp://host/", "https://", "http://host:99999/", "//host", ""):
        assert origin_of(nowhere) == ""


def card(**changes: Any) -> dict[str, Any]:
    interface = {"url": f"{HERE}/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
    return {"name": "a", "version": "2", "supportedInterfaces": [interface], **changes}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"supportedInterfaces": []}, "names no address"),
        ({"supportedInterfaces": [{"url": HERE, "protocolBinding": "GRPC", "protocolVersion": "1.0"}]}, "GRPC"),
        ({"supportedInterfaces": [{"url": HERE, "protocolBinding": "JSONRPC", "protocolVersion": "2.0"}]}, "2.0"),
        ({"supportedInterfaces": [{"url": HERE, "protocolBinding": "JSONRPC", "protocolVersion": "0.2.5"}]}, "0.2.5"),
        (
            {"supportedInterfaces": [{"url": "http://169.254.169.254/", "protocolBinding": "JSONRPC"}]},
            "with the origin http://169.254.169.254",
        ),
        ({"capabilities": {"extensions": [{"uri": "https://x.example/pay", "required": True}]}}, "x.example/pay"),
    ],
)
def test_a_card_that_cannot_be_used_says_why(changes: dict[str, Any], why: str) -> None:
    address = AgentAddress("mine", f"{HERE}/card.json", key="s3cret")
    with pytest.raises(AgentUnavailable) as error:
        check_card(parse_agent_card(card(**changes)), address)
    assert why in error.value.message
    assert "s3cret" not in repr(address) + error.value.message


def test_an_origin_that_the_operator_names_is_used() -> None:
    there = {"url": "https://api.example.com/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
    found = parse_agent_card(card(supportedInterfaces=[there, card()["supportedInterfaces"][0]]))
    assert len(check_card(found, AgentAddress("mine", HERE)).card.supported_interfaces) == 1
    address = AgentAddress("mine", HERE, ("https://api.example.com",))
    assert check_card(found, address).protocol == "A2A 1.0 over HTTP+JSON"


@pytest.mark.parametrize(
    ("scheme", "header"),
    [
        ({"httpAuthSecurityScheme": {"scheme": "Bearer"}}, ("Authorization", "Bearer k:1")),
        ({"httpAuthSecurityScheme": {"scheme": "basic"}}, ("Authorization", "Basic azox")),
        ({"oauth2SecurityScheme": {"flows": {}}}, ("Authorization", "Bearer k:1")),
        ({"apiKeySecurityScheme": {"location": "header", "name": "X-Agent-Key"}}, ("X-Agent-Key", "k:1")),
        ({"apiKeySecurityScheme": {"location": "query", "name": "key"}}, None),
        ({"apiKeySecurityScheme": {"location": "header", "name": "Host"}}, None),
        ({"mtlsSecurityScheme": {}}, None),
    ],
)
def test_the_key_is_sent_as_the_card_says(scheme: dict[str, Any], header: tuple[str, str] | None) -> None:
    says = card(securitySchemes={"s": scheme}, securityRequirements=[{"schemes": {"s": {"list": []}}}])
    found = parse_agent_card(says)
    address = AgentAddress("mine", HERE, key="k:1")
    assert credential(AgentAddress("mine", HERE, key="k:1", key_header="X-Mine"), found) == ("X-Mine", "k:1")
    assert credential(AgentAddress("mine", HERE), found) is None
    if header is None:
        with pytest.raises(AgentUnavailable, match="not supported"):
            credential(address, found)
    else:
        assert credential(address, found) == header


def test_a_key_without_a_scheme_is_a_bearer_token_and_never_breaks_a_header() -> None:
    assert credential(AgentAddress("mine", HERE, key="k"), parse_agent_card(card())) == ("Authorization", "Bearer k")
    with pytest.raises(AgentUnavailable) as error:
        credential(AgentAddress("mine", HERE, key="sec\r\nX-Evil: 1"), None)
    assert error.value.code == "agent_key_unusable"
    assert "sec" not in error.value.message
