"""Running code that nobody vouches for: in bubblewrap, without a network, bounded in everything, or not at all."""

from evalrouter_server.sandbox.command import Command, Ended, Limits, Mount, Outcome
from evalrouter_server.sandbox.process import SandboxFailed
from evalrouter_server.sandbox.sandbox import Sandbox

__all__ = ["Command", "Ended", "Limits", "Mount", "Outcome", "Sandbox", "SandboxFailed"]
