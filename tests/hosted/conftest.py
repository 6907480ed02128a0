from tests.e2e.conftest import client, data_dir, provider
from tests.sandboxes import has_sandbox

__all__ = ["client", "data_dir", "has_sandbox", "provider"]
