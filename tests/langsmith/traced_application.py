"""An application that LangSmith's own client traces: `python traced_application.py URL KEY PROJECT`.

It prints what it did as JSON: the traces that are complete and those that are not. Each line of its standard input
makes it do the next thing: children that come late, an update after the close.
"""

import json
import sys
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from langsmith import Client, traceable
from langsmith.run_helpers import get_current_run_tree, tracing_context

url, key, project = sys.argv[1:]
client = Client(api_url=url, api_key=key)
traces: dict[str, list[str]] = {"complete": [], "open": []}


@traceable(run_type="llm", client=client, project_name=project)
def model(question: str) -> dict[str, Any]:
    return {"answer": question, "usage_metadata": {"input_tokens": 11, "output_tokens": 3, "total_tokens": 14}}


@traceable(run_type="tool", client=client, project_name=project)
def tool(number: int) -> int:
    if number < 0:
        raise ValueError("no negative numbers")
    return number + 1


@traceable(run_type="retriever", client=client, project_name=project)
def look_up(text: str) -> list[dict[str, Any]]:
    return [{"page_content": text, "type": "Document"}]


@traceable(run_type="chain", client=client, project_name=project, tags=["nested"])
def agent(depth: int) -> int:
    run = get_current_run_tree()
    assert run is not None
    if depth == 3:
        traces["complete"].append(str(run.trace_id))
    model(f"how deep is {depth}?")
    look_up("depth")
    with suppress(ValueError):
        tool(depth - 2)
    return agent(depth - 1) if depth else 0


def bare_run(**fields: Any) -> None:
    client.create_run(project_name=project, inputs={"x": 1}, **fields)


def tell() -> None:
    client.flush()
    print(json.dumps(traces), flush=True)


with tracing_context(enabled=True):
    for _ in range(3):
        agent(3)
root = uuid.uuid4()
now = datetime.now(UTC)
order = f"{now.strftime('%Y%m%dT%H%M%S%f')}Z"
bare_run(id=root, trace_id=root, name="never ends", run_type="chain", start_time=now, dotted_order=f"{order}{root}")
traces["open"].append(str(root))
tell()
sys.stdin.readline()
late = uuid.uuid4()
first = traces["complete"][0]
bare_run(
    id=late, trace_id=uuid.UUID(first), parent_run_id=uuid.UUID(first), name="late", run_type="tool",
    start_time=now, end_time=now, outputs={"y": 2}, dotted_order=f"{order}{first}.{order}{late}",
)  # fmt: skip
client.update_run(
    root, end_time=datetime.now(UTC), outputs={"ended": True}, trace_id=root, dotted_order=f"{order}{root}"
)
traces["complete"].append(traces["open"].pop())
tell()
