"""Which registry counts, what a name means, and that a refresh changes no default."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalrouter import agents
from evalrouter.agents.additions import NOTHING_ADDED, Additions
from evalrouter.agents.choosing import find_agent
from evalrouter.agents.launch import ModelAccess
from evalrouter.agents.registry.agent import RegistryAgent, describe_launch
from evalrouter.agents.registry.entries import Entry, this_platform
from evalrouter.agents.registry.recipes import RECIPES
from evalrouter.agents.registry.sources import Registries, find_entry, load_registries, refresh
from evalrouter.agents.registry.store import AgentStore, Installed
from evalrouter.agents.registry.tools import AgentInstallError
from evalrouter.errors import ConfigurationError, InvalidArgumentError, NotFoundError
from tests.agents.registry.conftest import Host

ACCESS = ModelAccess("http://127.0.0.1:1/gateway/v1", "sk-secret", 'maker/model-"1"')


def published(*raw: dict[str, Any]) -> bytes:
    return json.dumps({"version": "1.0.0", "agents": list(raw), "extensions": []}).encode()


def shipped(store: AgentStore) -> Registries:
    return load_registries(store)


def test_the_snapshot_has_a_date_exact_versions_and_nothing_that_could_not_be_read(store: AgentStore) -> None:
    snapshot = shipped(store).snapshot
    assert snapshot.date >= "2026-11-29"
    assert snapshot.skipped == ()
    for id_ in RECIPES:
        entry = snapshot.entries[id_]
        assert entry.integrity == "package-registry"
        assert entry.licence


def test_a_bare_name_is_the_snapshots_version_and_a_version_can_be_asked_for(store: AgentStore) -> None:
    default = agents.registry_agent("opencode")
    assert default.entry == shipped(store).snapshot.entries["opencode"]
    other = agents.registry_agent("opencode@1.18.34")
    assert (other.spec().version, other.spec().integrity) == ("1.18.34", "package-registry")
    assert other.spec().digest != default.spec().digest
    assert agents.registry_agent("opencode").spec() == default.spec()


def test_the_text_of_a_run_names_a_registry_agent(store: AgentStore) -> None:
    agent = find_agent("qwen-code")
    assert isinstance(agent, RegistryAgent)
    assert agent.spec().kind == "registry"


def test_names_are_exact_and_the_nearest_are_suggested(store: AgentStore) -> None:
    assert agents.registry_agent("OpenCode").entry.id == "opencode"
    with pytest.raises(NotFoundError, match="Did you mean opencode") as caught:
        agents.registry_agent("opencod")
    assert caught.value.suggestions[0] == "opencode"
    for name in ("qwen", "opencode@latest", "opencode@", "@", "../x"):
        with pytest.raises(NotFoundError):
            agents.registry_agent(name)
    with pytest.raises(InvalidArgumentError):
        agents.registry_agent("  ")


def test_what_is_unverified_is_refused_until_it_is_allowed(store: AgentStore) -> None:
    with pytest.raises(InvalidArgumentError, match=r"allow_unverified=True \(--allow-unverified"):
        agents.registry_agent("cursor")
    assert agents.registry_agent("cursor", allow_unverified=True).spec().integrity == "unverified-upstream"


def test_a_refresh_adds_agents_and_versions_and_changes_no_default(
    host: Host, store: AgentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = {this_platform(): {"archive": "https://host.example/a.tar.gz", "cmd": "a", "sha256": "ab" * 32}}
    host.files["/registry.json"] = published(
        {"id": "opencode", "name": "OpenCode", "version": "9.9.9", "distribution": {"binary": binary}},
        {"id": "cursor", "name": "Cursor", "version": "5.0.0", "distribution": {"binary": binary}},
        {"id": "brand-new", "name": "New", "version": "1.0.0", "distribution": {"npx": {"package": "new@1.0.0"}}},
        {"id": "Broken!"},
    )
    monkeypatch.setenv("EVALROUTER_AGENT_REGISTRY_URL", f"{host.address}/registry.json")
    before = shipped(store).default("opencode")

    assert len(refresh(store).skipped) == 1

    after = load_registries(store)
    assert after.default("opencode") == before
    assert after.newer("opencode") == "9.9.9"
    assert after.in_version("opencode", "9.9.9").integrity == "pinned"
    assert after.in_version("opencode", "9.9.8").integrity == "package-registry"
    assert find_entry(after, "brand-new").origin == "refreshed"
    assert find_entry(after, "cursor").integrity == "pinned"


@pytest.mark.parametrize("content", [b"<html>", b"[]", b'{"agents": 1}', b"[" * 100_000, b"\xff\xfe"])
def test_a_refresh_that_fails_keeps_what_was_there(
    content: bytes, host: Host, store: AgentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.files["/registry.json"] = published({"id": "kept", "version": "1.0.0"})
    monkeypatch.setenv("EVALROUTER_AGENT_REGISTRY_URL", f"{host.address}/registry.json")
    refresh(store)
    host.files["/registry.json"] = content
    with pytest.raises(ConfigurationError, match="is not a registry"):
        refresh(store)
    del host.files["/registry.json"]
    with pytest.raises(AgentInstallError, match="HTTP 404"):
        refresh(store)
    assert list(load_registries(store).refreshed.entries) == ["kept"]


def test_a_file_of_ones_own_replaces_the_source_of_an_agent(
    store: AgentStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "mine.json"
    monkeypatch.setenv("EVALROUTER_AGENT_REGISTRY", str(own))
    own.write_bytes(
        published({"id": "kimi", "version": "3.0.0", "distribution": {"npx": {"package": "kimi-acp@3.0.0"}}})
    )
    assert agents.registry_agent("kimi").spec().integrity == "package-registry"
    own.write_bytes(published({"id": "kimi", "distribution": {"npx": {}}}))
    with pytest.raises(ConfigurationError, match="without a package"):
        agents.registry_agent("opencode")
    own.unlink()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        agents.registry_agent("opencode")


@pytest.mark.parametrize("id_", RECIPES)
def test_a_recipe_gives_the_key_and_address_to_nobody_but_the_agent(id_: str, store: AgentStore) -> None:
    entry = shipped(store).default(id_)
    launch = describe_launch(entry, Installed(("/agent",), None, None), ACCESS, NOTHING_ADDED, "digest")
    assert launch.argv[0] == "/agent"
    assert ACCESS.api_key not in " ".join(launch.argv)  # arguments are visible to every user of the machine
    assert ACCESS.api_key in launch.env.values()
    assert any(ACCESS.root_url in text for text in (*launch.env.values(), *launch.files.values()))
    assert launch.wire in ("chat", "responses", "messages")
    for path, content in launch.files.items():
        assert not path.startswith("/")
        assert ACCESS.api_key not in content


def test_recipes_write_any_model_name_as_their_formats_want_it(store: AgentStore) -> None:
    import tomllib

    import yaml

    vibe = tomllib.loads(RECIPES["mistral-vibe"].setup(ACCESS).files[".vibe/config.toml"])
    assert vibe["models"][0]["name"] == ACCESS.model
    crow = yaml.safe_load(RECIPES["crow-cli"].setup(ACCESS).files[".agents/crow/config.yaml"])
    assert crow["models"][ACCESS.model]["provider"] in crow["providers"]
    opencode = json.loads(RECIPES["opencode"].setup(ACCESS).env["OPENCODE_CONFIG_CONTENT"])
    assert opencode["enabled_providers"] == list(opencode["provider"])
    codex = json.loads(RECIPES["codex-acp"].setup(ACCESS).env["CODEX_CONFIG"])
    assert codex["web_search"] == "disabled"


def test_variables_and_files_of_the_caller_win(store: AgentStore) -> None:
    entry = Entry("unknown", "U", "1")
    added = Additions({"A": "1"}, {".rc": "x"})
    launch = describe_launch(entry, Installed(("/agent",), None, None), ACCESS, added, "digest")
    assert (launch.env, launch.files, launch.argv) == ({"A": "1"}, {".rc": "x"}, ("/agent",))
    qwen = agents.registry_agent("qwen-code", env={"OPENAI_MODEL": "other"})
    assert qwen.spec().digest != agents.registry_agent("qwen-code").spec().digest
