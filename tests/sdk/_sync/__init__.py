# Generated from tests/sdk/_async/__init__.py by scripts/regen; do not edit.

