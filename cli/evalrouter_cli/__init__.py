"""The `evalrouter` command: evaluate models on benchmarks with a hard budget in dollars."""

__version__ = "1.0.0"
"""The distribution's version, which is not looked up so that the command starts at once."""
