"""The agent host as a server starts it: `prepare` outside the sandbox, `deliver` inside, once for each task.

`agent` is what a client names. The rest runs on the server's machine, as processes of `python -m
evalrouter.agents.hosted`: the same installer, the same sessions and the same delivery as for an agent on your own.
"""
