"""Remote agents: the client's side of A2A, versions 1.0 and 0.3, over JSON-RPC and HTTP+JSON.

`a2a` and `httpx` take long to import, so whoever needs this package imports it when a remote agent is used.
"""
