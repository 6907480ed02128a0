"""The schema's history, for Alembic."""

HEAD = "0005"
"""The newest revision."""
