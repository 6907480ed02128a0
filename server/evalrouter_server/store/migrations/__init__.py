"""The schema's history, for Alembic."""

HEAD = "0007"
"""The newest revision."""
