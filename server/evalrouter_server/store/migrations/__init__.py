"""The schema's history, for Alembic."""

HEAD = "0008"
"""The newest revision."""
