"""The schema's history, for Alembic."""

HEAD = "0009"
"""The newest revision."""
