"""The schema's history, for Alembic."""

HEAD = "0001"
"""The newest revision."""
