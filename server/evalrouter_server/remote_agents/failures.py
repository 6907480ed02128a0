"""What goes wrong with a remote agent: for one task, or for every task alike."""


class AgentUnavailable(Exception):
    """The agent cannot be called, or refuses the request itself, so that every other task would meet the same.

    Args:
        code: A stable code.
        message: What was wrong and what to do; no key, no payload.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class TaskNotDone(Exception):
    """The agent did not finish a task.

    Args:
        code: A stable code.
        message: What happened; no key, no payload.
        said: What the agent said of it, if anything.
    """

    def __init__(self, code: str, message: str, said: str | None = None) -> None:
        super().__init__(code, message, said)
        self.code = code
        self.message = message
        self.said = said
