"""What an import would bring, counted: nothing is sent and nothing is written."""

from evalrouter.langsmith.importer import AHEAD_NS
from evalrouter.langsmith.mapping import Policy
from evalrouter.langsmith.reader import read_trace
from evalrouter.langsmith.runs import Malformed
from evalrouter.langsmith.source.interface import Window
from evalrouter.langsmith.source.service import Service
from evalrouter.langsmith.telling import Counts


def preview(service: Service, project_id: str, policy: Policy, since_ns: int | None, counts: Counts) -> dict[str, int]:
    """Reads every trace of the window once and counts.

    Args:
        service: LangSmith.
        project_id: The project.
        policy: What would be sent of a run.
        since_ns: Where the window starts, nanoseconds since 1970; None: everything.
        counts: Counts.

    Raises:
        SourceError: LangSmith cannot be read.
    """
    totals = {"traces": 0, "open": 0, "runs": 0, "bytes": 0, "malformed_rows": 0, "unknown_types": 0, "too_large": 0}
    seen: set[bytes] = set()
    window = Window(since_ns or 0, service.now_ns() + AHEAD_NS)
    for root in service.roots(project_id, window):
        if isinstance(root, Malformed):
            counts.note_malformed(str(root.trace_id), [root.reason])
            continue
        if root.run_id.bytes in seen or root.started_ns < window.start_ns:
            continue
        seen.add(root.run_id.bytes)
        found = read_trace(service, project_id, str(root.trace_id), policy, 0.0)
        counts.note_malformed(str(root.trace_id), found.malformed)
        totals["open"] += found.reading.root_ended_ns is None
        totals["too_large"] += found.is_too_large
        if found.reading.root_ended_ns is not None and not found.is_too_large:
            totals["traces"] += 1
            totals["runs"] += len(found.reading.lines)
            totals["bytes"] += found.size
            totals["unknown_types"] += found.unknown_types
    return {**totals, "malformed_rows": counts.malformed_rows}
