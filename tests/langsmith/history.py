"""What an application did, put into the service's double directly: traces, late children, updates."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.langsmith.langsmith_service import LangSmithService

TYPES = ("llm", "tool", "chain", "retriever", "embedding", "prompt", "parser")


def uuid_of(*parts: object) -> str:
    """An ID that the same parts always give."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, "/".join(map(str, parts))))


class History:
    """An application that is traced into a service.

    Args:
        service: The double.
        start: When its first trace starts.
    """

    def __init__(self, service: LangSmithService, start: datetime | None = None) -> None:
        self.service = service
        self.start = start or datetime.now(UTC) - timedelta(minutes=5)
        self.project_id = service.project()

    def trace(self, name: object, children: int = 2, *, closed: bool = True, **changes: Any) -> str:
        """A trace whose children hang below each other in twos; its ID."""
        trace_id = uuid_of("trace", name)
        self.run(trace_id, trace_id, None, 0, ended=closed, **{"run_type": "chain", **changes})
        parents = [trace_id]
        for place in range(1, children + 1):
            run_id = uuid_of(trace_id, place)
            self.run(run_id, trace_id, parents[(place - 1) // 2], place, run_type=TYPES[place % len(TYPES)])
            parents.append(run_id)
        return trace_id

    def run(
        self, run_id: str, trace_id: str, parent: str | None, place: int, *, ended: bool = True, **changes: Any
    ) -> None:
        """A run."""
        begun = self.start + timedelta(milliseconds=10 * place)
        self.service.put(
            {
                "id": run_id,
                "trace_id": trace_id,
                "parent_run_id": parent,
                "name": f"step {place}",
                "run_type": "tool",
                "start_time": begun.isoformat(),
                "end_time": (begun + timedelta(seconds=1)).isoformat() if ended else None,
                "inputs": {"question": f"what is {place}?"},
                "outputs": {
                    "answer": place,
                    "usage_metadata": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
                },
                **changes,
            }
        )

    def close(self, trace_id: str) -> None:
        """Ends a root."""
        root = self.service.runs[trace_id]
        self.service.put({"id": trace_id, "end_time": root["start_time"]})

    def late_child(self, trace_id: str, name: object = "late") -> str:
        """A child that arrives now; its ID."""
        run_id = uuid_of(trace_id, name)
        self.run(run_id, trace_id, trace_id, 50)
        return run_id
