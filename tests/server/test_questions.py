"""The question of a prompt, as reports and comparisons show it."""

from typing import Any

import pytest
from evalrouter_server.catalog.benchmarks import Benchmarks
from evalrouter_server.catalog.items import Item
from evalrouter_server.catalog.render import render
from evalrouter_server.questions import questions_of
from pydantic import JsonValue

NATIVE = Benchmarks.shipped().native()


def asked(*contents: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": content} for content in contents]}


@pytest.mark.parametrize("manifest", NATIVE, ids=lambda manifest: manifest.reference)
def test_every_shipped_templates_question_is_found(manifest: Any) -> None:
    names = list(manifest.rows.inputs)
    inputs: dict[str, JsonValue] = {name: f"the {name}\nQ: of it?" for name in names}
    shown: dict[str, JsonValue] = (
        {} if manifest.examples is None else dict.fromkeys(manifest.examples.rows.inputs, "\n\nQ: shown?\n\nA: 5")
    )
    item = Item(id="1", index=0, inputs=inputs, target={"answer": "1"}, group=None, examples=(shown, shown))
    (found,) = questions_of(manifest.protocol.user, [{"messages": render(manifest.protocol, item)}])
    used = [name for name in names if f"{{{name}}}" in (manifest.protocol.user or "")] or names
    wanted = "question" if "question" in names and manifest.slug != "svamp" else used[0]
    assert found.startswith(f"the {wanted}\nQ: of it?")
    assert "ANSWER" not in found
    assert "shown" not in found


def test_a_prompt_of_another_form_is_taken_as_it_is() -> None:
    template = "Solve this.\n\n{question}\n\nEnd with ANSWER."
    assert questions_of(template, [asked("first", "Something else")]) == ["Something else"]
    assert questions_of("No input at all", [asked("No input at all")]) == ["No input at all"]
    assert questions_of(template, [{"question": "7 + 5?"}, {"messages": []}, asked("")]) == ["7 + 5?", "", ""]


def test_without_a_template_what_all_prompts_share_is_left_out() -> None:
    prompts = [asked(f"Q: Seven?\nA: 7\n\nQ: {number}?\nA:") for number in ("Five", "Six")]
    assert questions_of(None, prompts) == ["Q: Five?", "Q: Six?"]
    assert questions_of(None, prompts[:1]) == ["Q: Seven?\nA: 7\n\nQ: Five?\nA:"]
    assert questions_of(None, [asked("one"), asked("one\ntwo")]) == ["one", "one\ntwo"]
    assert questions_of(None, []) == []
