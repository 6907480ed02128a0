"""The environment of an agent's process: what every process needs, the gateway, and nothing of the user's secrets."""

import os
from collections.abc import Mapping
from pathlib import Path

from evalrouter.agents.launch import ModelAccess

_INHERITED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
"""What is taken over from the user: where programs are, the language, the time zone and where certificates are."""


def agent_environment(access: ModelAccess, home: Path, temporary: Path, own: Mapping[str, str]) -> dict[str, str]:
    """All variables of an agent's process.

    Args:
        access: How it reaches the model.
        home: Its private home.
        temporary: Its private folder for temporary files.
        own: Further variables, which win.
    """
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    places = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "TMPDIR": str(temporary),
    }
    usual = {"PATH": os.defpath, "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "USER": "agent"}
    return usual | inherited | places | gateway_variables(access) | dict(own)


def gateway_variables(access: ModelAccess) -> dict[str, str]:
    """The variables by which most agents find a model.

    Args:
        access: How the model is reached.
    """
    return {
        "OPENAI_BASE_URL": access.base_url,
        "OPENAI_API_KEY": access.api_key,
        "OPENAI_MODEL": access.model,
        "ANTHROPIC_BASE_URL": access.root_url,
        "ANTHROPIC_AUTH_TOKEN": access.api_key,
        "ANTHROPIC_MODEL": access.model,
    }
