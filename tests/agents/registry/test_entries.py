"""Reading registries: what drifts is read, what is broken is skipped, and the integrity class is never too good."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalrouter.agents.registry.entries import (
    Binary,
    Entry,
    EntryError,
    Package,
    is_exact,
    parse_entry,
    parse_registry,
    this_platform,
)
from tests.shared_data import shared

SHA = "ab" * 32


def agent(**distribution: Any) -> dict[str, Any]:
    return {"id": "a-1", "name": "A", "version": "1.2.3", "description": "d", "distribution": distribution}


def binary(**more: Any) -> dict[str, Any]:
    return {this_platform(): {"archive": "https://host.example/v1.2.3/a.tar.gz", "cmd": "./a", **more}}


@pytest.mark.parametrize(
    ("distribution", "integrity"),
    [
        ({"npx": {"package": "@scope/a@1.2.3"}}, "package-registry"),
        ({"npx": {"package": "a@1.2.3-beta.1"}}, "package-registry"),
        ({"uvx": {"package": "a==1.2.3"}}, "package-registry"),
        ({"uvx": {"package": "a@1.2.3"}}, "package-registry"),
        ({"binary": binary(sha256=SHA)}, "pinned"),
        ({"binary": binary(sha256=SHA.upper())}, "pinned"),
        ({"binary": binary(), "npx": {"package": "a@1.2.3"}}, "package-registry"),
        ({"binary": binary()}, "unverified-upstream"),
        ({"npx": {"package": "@scope/a"}}, "unverified-upstream"),
        ({"npx": {"package": "a@latest"}}, "unverified-upstream"),
        ({"npx": {"package": "a@^1.2.3"}}, "unverified-upstream"),
        ({"npx": {"package": "a@1.x"}}, "unverified-upstream"),
        ({"uvx": {"package": "a"}}, "unverified-upstream"),
        ({"uvx": {"package": "a==1.*"}}, "unverified-upstream"),
        ({}, "unverified-upstream"),
    ],
)
def test_the_integrity_class_follows_from_the_source(distribution: dict[str, Any], integrity: str) -> None:
    assert parse_entry(agent(**distribution), "snapshot").integrity == integrity


def test_what_drifted_is_read_and_what_is_unknown_is_passed_over() -> None:
    raw = agent(npx={"package": "a@1.2.3", "cmd": "a-acp", "args": ["--acp"], "env": {"X": "1"}, "news": []})
    raw |= {"preview": True, "license": "MIT", "license_url": "https://host.example", "something": {"else": 1}}

    entry = parse_entry(raw, "refreshed")

    assert entry.packages == (Package("npx", "a", "1.2.3", ("--acp",), {"X": "1"}, "a-acp"),)
    assert (entry.preview, entry.licence, entry.origin) == (True, "MIT", "refreshed")


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        {"id": "../evil"},
        {"id": "A"},
        {"id": "a", "version": "1 2"},
        agent(npx={"package": "--global"}),
        agent(npx={"package": "a b@1.2.3"}),
        agent(npx={"package": "git+https://host.example/a"}),
        agent(npx={}),
        agent(npx={"package": "a@1.2.3", "args": "--acp"}),
        agent(npx={"package": "a@1.2.3", "env": {"A=B": "x"}}),
        agent(uvx={"package": "-r evil"}),
        agent(binary=binary(sha256="abc")),
        agent(binary={this_platform(): {"archive": "https://host.example/a.zip"}}),
    ],
)
def test_a_broken_entry_is_skipped_with_its_reason(raw: Any) -> None:
    with pytest.raises(EntryError):
        parse_entry(raw, "refreshed")
    registry = parse_registry({"agents": [raw, {"id": "fine"}]}, "refreshed")
    assert list(registry.entries) == ["fine"]
    assert len(registry.skipped) == 1


@pytest.mark.parametrize("document", [None, [], {}, {"agents": {}}, "x"])
def test_what_is_no_registry_is_refused(document: Any) -> None:
    with pytest.raises(EntryError, match="not a registry"):
        parse_registry(document, "refreshed")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)
drifting = st.fixed_dictionaries(
    {"id": st.from_regex(r"[a-z][a-z0-9-]{0,10}", fullmatch=True)},
    optional={
        "version": st.sampled_from(["1.2.3", "2"]) | json_values,
        "name": json_values,
        "license": json_values,
        "preview": json_values,
        "distribution": st.fixed_dictionaries(
            {},
            optional={
                "npx": json_values | st.fixed_dictionaries({"package": st.text(max_size=30), "args": json_values}),
                "uvx": json_values | st.fixed_dictionaries({"package": st.text(max_size=30), "env": json_values}),
                "binary": json_values
                | st.dictionaries(st.just(this_platform()), st.fixed_dictionaries({"archive": st.text()})),
            },
        )
        | json_values,
    },
)


@given(agents=st.lists(json_values | drifting, max_size=5))
@settings(max_examples=150, deadline=None)
def test_any_document_is_read_with_each_agent_in_or_named(agents: list[Any]) -> None:
    registry = parse_registry({"agents": agents}, "refreshed")
    assert len(registry.entries) + len(registry.skipped) == len(agents)
    for entry in registry.entries.values():
        source = entry.distribution()
        assert entry.integrity == (source.integrity if source else "unverified-upstream")
        if isinstance(source, Package):
            assert not source.name.startswith("-")
            assert source.version is None or is_exact(source.version)


def test_another_version_loses_the_hash_and_a_binary_its_pin() -> None:
    entry = parse_entry(agent(binary=binary(sha256=SHA)), "snapshot").at_version("2.0.0")
    chosen = entry.distribution()
    assert isinstance(chosen, Binary)
    assert chosen.archive == "https://host.example/v2.0.0/a.tar.gz"
    assert entry.integrity == "unverified-upstream"
    package = parse_entry(agent(npx={"package": "a@1.2.3", "integrity": "sha512-x"}), "snapshot").at_version("2.0.0")
    assert package.packages == (Package("npx", "a", "2.0.0"),)
    assert package.integrity == "package-registry"


@pytest.mark.parametrize("version", ["latest", "^1.2.3", "1.x", "", "1.2.3 || 2", "*", "1" * 65, "../1"])
def test_what_is_not_an_exact_version_is_refused(version: str) -> None:
    with pytest.raises(EntryError, match="not an exact version"):
        Entry("a", "A", "1.2.3").at_version(version)


def test_the_published_registry_is_read() -> None:
    folder = shared("data/acp_registry")
    raws = [json.loads(path.read_text()) for path in sorted(folder.glob("*/agent.json"))]
    registry = parse_registry({"agents": raws}, "refreshed")
    assert registry.skipped == ()
    assert registry.entries["opencode"].integrity == "unverified-upstream"
    assert registry.entries["gemini"].integrity == "package-registry"
