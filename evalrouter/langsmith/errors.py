"""What can end an import. None holds a key or anything of a trace's content."""

from evalrouter.errors import ConfigurationError, EvalRouterError


class UnavailableError(EvalRouterError):
    """A service could not be reached, or asks for patience; later may go better.

    Args:
        message: What was wrong.
        retry_after: Seconds that it asks to wait, if it says.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class SourceError(EvalRouterError):
    """LangSmith refused, or its answers are not to be used."""


class SourceUnavailableError(UnavailableError, SourceError):
    """LangSmith gave no answer, or one that asks for patience."""


class SourceRefusedError(SourceError):
    """LangSmith does not take the key."""


class MissingInterfaceError(SourceError):
    """The backend does not have this version of the API."""


class CheckpointError(ConfigurationError):
    """The checkpoint or its delivery cannot be used; both are left as they are."""


class DestinationError(EvalRouterError):
    """The trace connection refused everything, such as for its key."""


class DestinationUnavailableError(UnavailableError):
    """The trace connection did not acknowledge; the delivery is kept."""


class StopRequestedError(BaseException):
    """The process was asked to end: no library may take it for a failure."""
