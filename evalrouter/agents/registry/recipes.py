"""How each known agent is pointed at the gateway: its command, variables and files, as pure functions of the access.

What an agent could otherwise spend or send elsewhere is off: free models of its own, hosted web search, telemetry,
updates, titles and suggestions where it lets them be turned off.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import yaml
from attrs import field, frozen

from evalrouter.agents.launch import ModelAccess, Wire

CONTEXT_TOKENS = 128_000
"""The window that an agent is told where it must be told one; the gateway enforces the model's real one."""

OUTPUT_TOKENS = 8_192
"""The longest answer that an agent asks for, where it must be told one."""

_KEY = "EVALROUTER_GATEWAY_KEY"
_PROVIDER = "gateway"


@frozen
class Setup:
    """What an agent needs for one task.

    Attributes:
        args: What its command gets.
        env: Variables.
        files: Content by path in the private HOME.
    """

    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(factory=dict)
    files: Mapping[str, str] = field(factory=dict)


@frozen
class Recipe:
    """How an agent is pointed at the gateway.

    Attributes:
        wire: How it talks to the model.
        setup: What it needs for one task.
        program: The name of the program in its package.
        natives: By platform, paths below npm's modules of programs that the package would link on installation by a
            script of its own, which is not run; the first that is there is started.
        model_aliases: Names under which it calls the model beside the model's own.
    """

    wire: Wire
    setup: Callable[[ModelAccess], Setup]
    program: str
    natives: Mapping[str, tuple[str, ...]] = field(factory=dict)
    model_aliases: tuple[str, ...] = ()


def _opencode(access: ModelAccess) -> Setup:
    model = f"{_PROVIDER}/{access.model}"
    config = {
        "model": model,
        "small_model": model,
        "enabled_providers": [_PROVIDER],
        "share": "disabled",
        "autoupdate": False,
        "agent": {"title": {"disable": True}},
        "permission": {"edit": "ask", "bash": "ask"},
        "provider": {
            _PROVIDER: {
                "npm": "@ai-sdk/openai-compatible",
                "name": "EvalRouter",
                "options": {"baseURL": access.base_url, "apiKey": f"{{env:{_KEY}}}"},
                "models": {
                    access.model: {
                        "name": access.model,
                        "tool_call": True,
                        "limit": {"context": CONTEXT_TOKENS, "output": OUTPUT_TOKENS},
                    }
                },
            }
        },
    }
    return Setup(
        args=("acp",),
        env={
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            _KEY: access.api_key,
        },
    )


def _qwen_code(access: ModelAccess) -> Setup:
    settings = {
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False},
        "ui": {"enableFollowupSuggestions": False},
    }
    return Setup(
        args=("--acp", "--auth-type", "openai"),
        env={
            "OPENAI_API_KEY": access.api_key,
            "OPENAI_BASE_URL": access.base_url,
            "OPENAI_MODEL": access.model,
            "QWEN_CODE_MAX_OUTPUT_TOKENS": str(OUTPUT_TOKENS),
        },
        files={".qwen/settings.json": json.dumps(settings)},
    )


def _mistral_vibe(access: ModelAccess) -> Setup:
    lines = [
        f"active_model = {_toml(_PROVIDER)}",
        "enable_telemetry = false",
        "enable_update_checks = false",
        "enable_auto_update = false",
        "enable_connectors = false",
        "enable_notifications = false",
        "",
        "[[providers]]",
        f"name = {_toml(_PROVIDER)}",
        f"api_base = {_toml(access.base_url)}",
        f"api_key_env_var = {_toml(_KEY)}",
        'api_style = "openai"',
        'backend = "generic"',
        "",
        "[[models]]",
        f"name = {_toml(access.model)}",
        f"provider = {_toml(_PROVIDER)}",
        f"alias = {_toml(_PROVIDER)}",
        "",
    ]
    return Setup(env={_KEY: access.api_key}, files={".vibe/config.toml": "\n".join(lines)})


def _fast_agent(access: ModelAccess) -> Setup:
    return Setup(
        args=("acp", "-x", "--model", f"generic.{access.model}"),
        env={"GENERIC_BASE_URL": access.base_url, "GENERIC_API_KEY": access.api_key},
    )


def _crow_cli(access: ModelAccess) -> Setup:
    config = {
        "providers": {_PROVIDER: {"base_url": access.base_url, "api_key": f"${{{_KEY}}}"}},
        "models": {access.model: {"provider": _PROVIDER, "model": access.model}},
    }
    return Setup(
        args=("acp",),
        env={_KEY: access.api_key},
        files={".agents/crow/config.yaml": yaml.safe_dump(config, sort_keys=False)},
    )


def _codex(access: ModelAccess) -> Setup:
    config: dict[str, Any] = {
        "model": access.model,
        "model_provider": _PROVIDER,
        "web_search": "disabled",
        "check_for_update_on_startup": False,
        "analytics": {"enabled": False},
        "features": {"image_generation": False, "apps": False, "memories": False, "multi_agent": False},
        "model_providers": {
            _PROVIDER: {
                "name": "EvalRouter",
                "base_url": access.base_url,
                "env_key": _KEY,
                "wire_api": "responses",
                "supports_websockets": False,
            }
        },
    }
    return Setup(
        env={
            "MODEL_PROVIDER": _PROVIDER,
            "CODEX_CONFIG": json.dumps(config),
            "NO_BROWSER": "1",
            _KEY: access.api_key,
        },
    )


def _claude(access: ModelAccess) -> Setup:
    models = ("ANTHROPIC_MODEL", *(f"ANTHROPIC_DEFAULT_{size}_MODEL" for size in ("OPUS", "SONNET", "HAIKU")))
    settings = {"permissions": {"deny": ["WebSearch"]}, "skipWebFetchPreflight": True}
    return Setup(
        env={
            "ANTHROPIC_BASE_URL": access.root_url,
            "ANTHROPIC_AUTH_TOKEN": access.api_key,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(OUTPUT_TOKENS),
            "DISABLE_AUTOUPDATER": "1",
            **dict.fromkeys(models, access.model),
        },
        files={".claude/settings.json": json.dumps(settings)},
    )


def _toml(text: str) -> str:
    """A text as TOML writes it: a basic string has JSON's escapes, but none for what lies beyond 16 bits."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


RECIPES: Mapping[str, Recipe] = {
    "opencode": Recipe(
        "chat",
        _opencode,
        "opencode",
        natives={
            "linux-x86_64": (
                "opencode-linux-x64-baseline/bin/opencode",
                "opencode-linux-x64-baseline-musl/bin/opencode",
                "opencode-linux-x64/bin/opencode",
                "opencode-linux-x64-musl/bin/opencode",
            ),
            "linux-aarch64": ("opencode-linux-arm64/bin/opencode", "opencode-linux-arm64-musl/bin/opencode"),
            "darwin-x86_64": ("opencode-darwin-x64-baseline/bin/opencode", "opencode-darwin-x64/bin/opencode"),
            "darwin-aarch64": ("opencode-darwin-arm64/bin/opencode",),
            "windows-x86_64": ("opencode-windows-x64-baseline/bin/opencode.exe",),
            "windows-aarch64": ("opencode-windows-arm64/bin/opencode.exe",),
        },
    ),
    "qwen-code": Recipe("chat", _qwen_code, "qwen"),
    "mistral-vibe": Recipe("chat", _mistral_vibe, "vibe-acp"),
    "fast-agent": Recipe("chat", _fast_agent, "fast-agent"),
    "crow-cli": Recipe("chat", _crow_cli, "crow-cli"),
    "codex-acp": Recipe("responses", _codex, "codex-acp"),
    "claude-acp": Recipe("messages", _claude, "claude-agent-acp"),
}
"""The recipe of each agent that has one, by its registry ID."""
