"""Fixtures of the sandbox's tests."""

from tests.sandboxes import has_sandbox, sandbox

__all__ = ["has_sandbox", "sandbox"]
