from typing import Any

import pytest

from evalrouter.agents.acp.transcript import ANSWER_CHARACTERS, Transcript


def chunk(text: str, message_id: str | None = None) -> dict[str, Any]:
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return {"sessionId": "s", "update": update | ({"messageId": message_id} if message_id else {})}


def tool() -> dict[str, Any]:
    return {"sessionId": "s", "update": {"sessionUpdate": "tool_call", "toolCallId": "t"}}


@pytest.mark.parametrize(
    ("updates", "answer"),
    [
        ([chunk("a"), chunk("b")], "ab"),
        ([chunk("let me look"), tool(), chunk("4"), chunk("2")], "42"),
        ([chunk("42"), tool()], "42"),
        ([chunk("42"), tool(), chunk(" \n")], "42"),
        ([chunk("one"), tool(), chunk("two"), tool(), tool(), chunk("three")], "three"),
        ([chunk("look", "1"), tool(), chunk("4", "2"), chunk("2", "2")], "42"),
        ([chunk("warning"), chunk("4", "1"), chunk("warning"), chunk("2", "1"), chunk("warning")], "42"),
        ([chunk("4", "1"), tool(), chunk("2", "1")], "42"),
        ([chunk("42", "1"), tool(), chunk("warning")], "42"),
        ([chunk("a", "1"), chunk("b", "2"), chunk("c", "1")], "c"),
        ([tool()], ""),
        ([], ""),
        ([chunk("half a pair \ud800")], "half a pair ?"),
    ],
)
def test_the_answer_is_the_last_message(updates: list[dict[str, Any]], answer: str) -> None:
    transcript = Transcript()
    for update in updates:
        transcript.add(update)
    assert transcript.answer() == answer


def test_what_is_no_text_of_the_agent_is_left_out() -> None:
    transcript = Transcript()
    transcript.add({"update": {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "hm"}}})
    transcript.add({"update": {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "hm"}}})
    transcript.add({"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "hm"}}})
    transcript.add({"update": {"sessionUpdate": ["agent_message_chunk"]}})
    assert (transcript.answer(), transcript.updates) == ("", 4)


def test_an_endless_answer_is_cut() -> None:
    transcript = Transcript()
    for _ in range(12):
        transcript.add(chunk("x" * (ANSWER_CHARACTERS // 10)))
    assert len(transcript.answer()) == ANSWER_CHARACTERS
