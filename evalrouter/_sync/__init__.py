# Generated from evalrouter/_async/__init__.py by scripts/regen; do not edit.

"""The synchronous client."""
