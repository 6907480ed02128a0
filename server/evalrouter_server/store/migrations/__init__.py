"""The schema's history, for Alembic."""

HEAD = "0002"
"""The newest revision."""
