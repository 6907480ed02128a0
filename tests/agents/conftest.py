from tests.e2e.conftest import client, data_dir, provider

__all__ = ["client", "data_dir", "provider"]
