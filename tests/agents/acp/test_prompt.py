import base64
import json
from pathlib import Path

from evalrouter.agents.acp.prompt import prompt_of

PNG = base64.b64encode(b"\x89PNG").decode()


def test_a_single_question_is_the_prompt() -> None:
    assert prompt_of({"messages": [{"role": "user", "content": "What is 6 x 7?"}]}).text == "What is 6 x 7?"


def test_instructions_come_first_and_turns_have_headings() -> None:
    messages = [
        {"role": "user", "content": "1 + 1?"},
        {"role": "assistant", "content": "ANSWER: 2"},
        {"role": "system", "content": "End with ANSWER."},
        {"role": "user", "content": "6 x 7?"},
    ]
    prompt = prompt_of({"messages": messages})
    assert prompt.text == "End with ANSWER.\n\nUser: 1 + 1?\n\nAssistant: ANSWER: 2\n\nUser: 6 x 7?"


def test_inputs_without_messages_are_given_whole() -> None:
    assert json.loads(prompt_of({"question": "6 x 7?"}).text) == {"question": "6 x 7?"}


def test_what_is_attached_becomes_files(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "What is in these?"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        {
            "type": "file",
            "file": {"filename": "../../etc/report.pdf", "file_data": f"data:application/pdf;base64,{PNG}"},
        },
        {"type": "input_audio", "input_audio": {"format": "wav", "data": PNG}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,!"}},
    ]
    prompt = prompt_of({"messages": [{"role": "user", "content": content}]})
    assert [each.name for each in prompt.attachments] == ["attachment-1.png", "attachment-2.pdf", "attachment-3.wav"]
    assert prompt.attachments[0].content == b"\x89PNG"
    assert "(see the file attachment-1.png)\nhttps://example.com/a.png\n(see the file attachment-2.pdf)" in prompt.text
    kinds = [block["type"] for block in prompt.blocks(tmp_path, with_images=True)]
    assert kinds == ["text", "image", "resource_link", "resource_link", "resource_link"]
    assert "image" not in [block["type"] for block in prompt.blocks(tmp_path, with_images=False)]
    assert prompt.blocks(tmp_path, with_images=False)[1]["uri"] == f"file://{tmp_path}/attachment-1.png"
