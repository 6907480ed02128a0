"""The catalog: benchmark manifests, data sources with hashes, models and prices."""
