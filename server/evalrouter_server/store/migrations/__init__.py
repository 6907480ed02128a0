"""The schema's history, for Alembic."""

HEAD = "0003"
"""The newest revision."""
