"""The schema's history, for Alembic."""

HEAD = "0006"
"""The newest revision."""
