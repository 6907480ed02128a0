"""The SDK's version."""

from importlib.metadata import version

__version__ = version("evalrouter-sdk")
