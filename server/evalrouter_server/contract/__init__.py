"""The REST contract on the server's side: `models.py` and `openapi.yaml` here are generated from the root's document."""
