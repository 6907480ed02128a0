"""Where LangSmith is and how to show that one may read there: its own environment variables."""

import os
from collections.abc import Mapping

from attrs import field, frozen

from evalrouter.endpoints import checked_url
from evalrouter.errors import ConfigurationError

HOSTED = "https://api.smith.langchain.com"
KEY, ENDPOINT, WORKSPACE = "LANGSMITH_API_KEY", "LANGSMITH_ENDPOINT", "LANGSMITH_WORKSPACE_ID"


@frozen
class SourceSettings:
    """A LangSmith service.

    Attributes:
        api_url: What the first API's paths come after, such as https://host/api/v1.
        api_key: The source key, which goes nowhere else.
        workspace_id: The workspace that a key of an organisation reads from.
    """

    api_url: str
    api_key: str = field(repr=False)
    workspace_id: str | None = None

    @property
    def base_url(self) -> str:
        """What the second API's paths come after."""
        for ending in ("/api/v1", "/api"):
            if self.api_url.endswith(ending):
                return self.api_url.removesuffix(ending)
        return self.api_url


def find_source(environment: Mapping[str, str] = os.environ) -> SourceSettings:
    """The service that the environment names.

    Args:
        environment: The environment variables.

    Raises:
        ConfigurationError: There is no key, or a variable is not what it should be.
    """
    key = environment.get(KEY, "").strip()
    if not key:
        raise ConfigurationError(f"{KEY} is not set: supply a LangSmith key that may read the project.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigurationError(f"{KEY} has characters that no key has: check for a line end or a space in it.")
    try:
        url = checked_url(environment.get(ENDPOINT, "").strip().strip("\"'") or HOSTED)
    except ConfigurationError:
        raise ConfigurationError(
            f"{ENDPOINT} is not valid: give the service's address, such as {HOSTED} or https://HOST/api/v1."
        ) from None
    return SourceSettings(url, key, environment.get(WORKSPACE, "").strip() or None)
