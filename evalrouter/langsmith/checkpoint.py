"""Where an import stands, as a document; pure. Version 2 is bound to its source, destination and content policy."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from attrs import asdict, define, field, frozen

from evalrouter.langsmith.errors import CheckpointError
from evalrouter.langsmith.mapping import Policy
from evalrouter.langsmith.runs import moment, nanoseconds
from evalrouter.tracing.destination import Destination

VERSION = 2


@frozen
class Binding:
    """What a checkpoint belongs to for good.

    Attributes:
        source_url: LangSmith's address.
        project_id: The project.
        base_url: The destination's server.
        workspace_id: The destination's workspace.
        connection_id: The destination's trace connection.
        policy: What is sent of a run.
    """

    source_url: str
    project_id: str
    base_url: str
    workspace_id: str
    connection_id: str
    policy: Policy


def binding_of(source_url: str, project_id: str, destination: Destination, policy: Policy) -> Binding:
    """The binding of an import."""
    return Binding(
        source_url,
        project_id,
        destination.base_url,
        destination.workspace_id,
        destination.connection_id,
        policy,
    )


@define
class Waiting:
    """A trace that was seen and has not closed.

    Attributes:
        started_ns: When it started, nanoseconds since 1970.
        look_ns: When to look again, nanoseconds since 1970.
        is_reported: Whether it was reported as one that does not close.
    """

    started_ns: int
    look_ns: int
    is_reported: bool = False


@define
class Late:
    """A trace that was imported soon after it had closed, and is read once more later.

    Attributes:
        look_ns: When, nanoseconds since 1970.
        digest: What was imported.
    """

    look_ns: int
    digest: str


@define
class Checkpoint:
    """Where an import stands.

    Attributes:
        binding: What it belongs to.
        since_ns: The start of the window that was asked for first; None: everything.
        position_ns: Up to here every root has been looked at.
        swept_ns: When the last day was looked through last.
        remembered: The ID of the file of traces that need not be read again.
        has_delivery: Whether the adjacent delivery is without an acknowledgement.
        waiting: Traces that have not closed, by ID.
        late: Traces to read once more, by ID.
        imported: Traces that were imported, ever.
        lost: Deliveries of a version 1 connector whose bytes are gone, as it named them.
        handled: Traces that a version 1 connector has taken care of; they are not imported again.
    """

    binding: Binding
    since_ns: int | None
    position_ns: int = 0
    swept_ns: int = 0
    remembered: str = field(factory=lambda: uuid4().hex)
    has_delivery: bool = False
    waiting: dict[str, Waiting] = field(factory=dict)
    late: dict[str, Late] = field(factory=dict)
    imported: int = 0
    lost: list[str] = field(factory=list)
    handled: list[str] = field(factory=list)

    def encode(self) -> bytes:
        """Its file."""
        return json.dumps({"version": VERSION, **asdict(self)}, indent=1).encode()


def decode(content: bytes, path: Path, binding: Binding) -> Checkpoint:
    """The checkpoint of a file; one of version 1 is upgraded.

    Args:
        content: The file's bytes.
        path: The file, for messages.
        binding: What is asked for now.

    Raises:
        CheckpointError: It is none, is of a newer version, or belongs to something else.
    """
    try:
        document = json.loads(content)
        version = document["version"] if isinstance(document, dict) else None
    except (ValueError, KeyError, RecursionError):
        raise _corrupt(path) from None
    if type(version) is not int or version < 1:
        raise _corrupt(path)
    if version > VERSION:
        raise CheckpointError(
            f"{path} is a checkpoint of version {version}, and this connector knows up to {VERSION}: install a newer "
            "evalrouter-sdk. The file is unchanged."
        )
    try:
        return _upgraded(document, path, binding) if version == 1 else _read(document, path, binding)
    except CheckpointError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise _corrupt(path) from None


def _read(document: Mapping[str, Any], path: Path, binding: Binding) -> Checkpoint:
    found = Binding(**document["binding"])
    if not all(isinstance(value, str) for value in asdict(found).values()):
        raise TypeError
    _check(found, path, binding)
    since = document["since_ns"]
    return Checkpoint(
        binding=found,
        since_ns=None if since is None else _count(since),
        position_ns=_count(document["position_ns"]),
        swept_ns=_count(document["swept_ns"]),
        remembered=UUID(document["remembered"]).hex,
        has_delivery=_flag(document["has_delivery"]),
        waiting={
            _trace(name): Waiting(_count(row["started_ns"]), _count(row["look_ns"]), _flag(row["is_reported"]))
            for name, row in document["waiting"].items()
        },
        late={_trace(name): Late(_count(row["look_ns"]), str(row["digest"])) for name, row in document["late"].items()},
        imported=_count(document["imported"]),
        lost=_traces(document["lost"]),
        handled=_traces(document["handled"]),
    )


def _upgraded(document: Mapping[str, Any], path: Path, binding: Binding) -> Checkpoint:
    """What a version 1 checkpoint says. It knows no policy: its connector always captured content."""
    if UUID(document["project_id"]) != UUID(binding.project_id):
        raise CheckpointError(f"{path} is a checkpoint of project {document['project_id']}: name another --state.")
    if binding.policy != "content":
        raise CheckpointError(
            f"{path} is a checkpoint of version 1, whose imports hold content: it goes on only without "
            "--metadata-only. For metadata only, finish it first and then take a new --state and a new trace "
            "connection. The file is unchanged."
        )
    pending = document.get("pending")
    lost = [] if pending is None else [_trace(pending["trace_id"])]
    return Checkpoint(
        binding=binding,
        since_ns=None if document.get("since") is None else _moment(document["since"]),
        position_ns=_moment(document["position"]),
        imported=len(document["delivered"]),
        lost=lost,
        handled=[*_traces(document["delivered"]), *lost],
    )


def _check(found: Binding, path: Path, binding: Binding) -> None:
    """Refuses a checkpoint of something else.

    Raises:
        CheckpointError: It belongs to something else.
    """
    if found.policy != binding.policy:
        once = "with --metadata-only" if found.policy == "metadata-only" else "without --metadata-only"
        raise CheckpointError(
            f"{path} is bound to the content policy {found.policy!r}, and {binding.policy!r} was asked for. Finish "
            f"its delivery by running it once more {once}; then take a new --state and a new trace connection for the "
            "other policy."
        )
    for name, what in (
        ("project_id", "LangSmith project"),
        ("source_url", "LangSmith service"),
        ("base_url", "EvalRouter server"),
        ("workspace_id", "workspace"),
        ("connection_id", "trace connection"),
    ):
        theirs, ours = getattr(found, name), getattr(binding, name)
        if theirs != ours:
            raise CheckpointError(
                f"{path} is bound to the {what} {theirs}, and {ours} was asked for: go on with the former, or take a "
                "new --state."
            )


def parse_since(text: str) -> int:
    """Nanoseconds since 1970 of an ISO 8601 time.

    Raises:
        ValueError: It is none, or has no offset.
    """
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("it has no offset: add one, such as Z for UTC")
    return max(0, nanoseconds(found.astimezone(UTC)))


def check_since(checkpoint: Checkpoint, since_ns: int | None, path: Path) -> None:
    """Refuses another start than the one that a checkpoint began with.

    Raises:
        CheckpointError: It is another.
    """
    if since_ns is not None and since_ns != checkpoint.since_ns:
        began = "everything" if checkpoint.since_ns is None else moment(checkpoint.since_ns)
        raise CheckpointError(
            f"{path} began with --since {began}, and {moment(since_ns)} was asked for: leave --since out to go on, or "
            "take a new --state for another window."
        )


def _corrupt(path: Path) -> CheckpointError:
    return CheckpointError(
        f"{path} is no checkpoint, or is damaged; it is unchanged. Restore it from a copy, or take a new --state: "
        "traces that the destination holds are not doubled."
    )


def _trace(value: Any) -> str:
    return str(UUID(value))


def _traces(value: Any) -> list[str]:
    if not isinstance(value, list):
        raise TypeError
    return [_trace(name) for name in value]


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError
    return value


def _moment(value: Any) -> int:
    return _count(nanoseconds(datetime.fromisoformat(value)))
