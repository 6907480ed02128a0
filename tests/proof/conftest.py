from tests.databases import templates

__all__ = ["templates"]
