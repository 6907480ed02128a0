from tests.databases import database, database_kind, database_url, templates

__all__ = ["database", "database_kind", "database_url", "templates"]
