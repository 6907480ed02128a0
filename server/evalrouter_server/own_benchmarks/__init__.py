"""Benchmarks of a workspace's own: a manifest, a file of rows, and what is checked before a version is made."""
