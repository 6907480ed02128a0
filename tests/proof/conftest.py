from tests.databases import database_kind, database_url, templates

__all__ = ["database_kind", "database_url", "templates"]
