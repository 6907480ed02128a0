"""What starts an agent that is a process: the description that whoever runs it is given for one task."""

from collections.abc import Mapping
from typing import Literal, Protocol

from attrs import field, frozen

type Wire = Literal["chat", "responses", "messages"]
"""How an agent talks to the model: Chat Completions, Responses, or Anthropic's Messages."""

type Integrity = Literal["pinned", "package-registry", "unverified-upstream"]
"""How a registry agent's files are known to be right: a published sha256, a package's exact version, or not at all."""


@frozen
class ModelAccess:
    """How a process reaches the run's model for one task.

    Attributes:
        base_url: The gateway as an OpenAI client takes it; it ends in `/v1`.
        api_key: The task's gateway key; it is not shown.
        model: The model's name.
    """

    base_url: str
    api_key: str = field(repr=False)
    model: str

    @property
    def root_url(self) -> str:
        """The gateway as an Anthropic client takes it, without `/v1`."""
        return self.base_url.removesuffix("/v1")


@frozen
class AgentLaunch:
    """How an agent's process is started for one task.

    Attributes:
        name: The agent's name; of a registry agent its ID.
        argv: The command; its first word is an absolute path, or a name to look up on the path.
        env: Variables beside the few that every process gets (such as PATH and a private HOME); these win.
        files: What to write into the private HOME before the start: content by relative path.
        wire: How it talks to the model.
        model_aliases: Names under which it calls the model beside the model's own.
        version: Its version, where it is known.
        integrity: How its files are known to be right, where it comes from the registry.
        digest: Names exactly what runs.
    """

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str] = field(factory=dict, repr=False)
    files: Mapping[str, str] = field(factory=dict, repr=False)
    wire: Wire = "chat"
    model_aliases: tuple[str, ...] = ()
    version: str | None = None
    integrity: Integrity | None = None
    digest: str = ""


class Launcher(Protocol):
    """Makes the description of an agent's start, once for each task; it does no I/O."""

    def __call__(self, access: ModelAccess) -> AgentLaunch:
        """How to start the agent for a task that has this access to the model."""
        ...
