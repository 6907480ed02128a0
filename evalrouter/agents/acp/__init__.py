"""Agents that speak the Agent Client Protocol and run on this machine, one process for each task.

`agent` is the whole; `local` names one by its command line. `session` is one process and one prompt, `client` what an
agent may ask for meanwhile (`folder`, `terminals`, `permissions`), `lines` its pipes, `transcript` its answer.
`process` and `keeper` see to it that nothing of it stays alive.
"""
