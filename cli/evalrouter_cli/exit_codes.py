"""What the command's exit codes mean; scripts branch on them."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of `evalrouter`."""

    OK = 0
    """What was asked for was done."""
    ERROR = 1
    """An API or transport error, a run that failed, or a ledger that does not add up."""
    INVALID = 2
    """Invalid input, or a request that was refused."""
    INCOMPLETE = 4
    """A run that was waited for ended partial or cancelled."""
    DECLINED = 5
    """Declined at the prompt; nothing was started."""
    NOT_ENDED = 6
    """Stopped watching; the run has not ended."""
    INTERRUPTED = 130
    """Ctrl-C outside of a run that is watched (128 + SIGINT, as shells have it)."""
