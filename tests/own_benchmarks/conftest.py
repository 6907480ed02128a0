from tests.databases import database_kind, database_url, templates
from tests.e2e.conftest import provider
from tests.server.conftest import other_workspace, service, workspace

__all__ = ["database_kind", "database_url", "other_workspace", "provider", "service", "templates", "workspace"]
