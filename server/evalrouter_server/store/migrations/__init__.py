"""The schema's history, for Alembic."""

HEAD = "0004"
"""The newest revision."""
