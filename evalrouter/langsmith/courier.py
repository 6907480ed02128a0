"""Sends the requests of a delivery, and says what came of each; tried again by one policy."""

import json
import time
from collections.abc import Mapping
from typing import Any, Literal

import httpx
from attrs import frozen

from evalrouter.convert.problems import status_error
from evalrouter.langsmith.errors import DestinationError, DestinationUnavailableError
from evalrouter.langsmith.patience import retrying
from evalrouter.langsmith.pending import Request
from evalrouter.langsmith.stopping import Stop
from evalrouter.retry import Deadline, parse_retry_after
from evalrouter.tracing.destination import Destination
from evalrouter.tracing.network import send

ANSWER_SECONDS = 60.0


@frozen
class Result:
    """What came of a request.

    Attributes:
        kind: `taken`; `conflict`: spans are there with other content; `refused`: this request will never be taken.
        answer: The receipt of what was taken.
        span_ids: The spans that are there with other content, or some of them.
        reason: Why it was refused: a code, no content.
    """

    kind: Literal["taken", "conflict", "refused"]
    answer: Mapping[str, Any] = {}
    span_ids: frozenset[str] = frozenset()
    reason: str = ""


class Courier:
    """Sends to a trace connection.

    Args:
        destination: The connection.
        stop: Ends pauses and breaks off requests: what is sent is on disk.
        answer_seconds: How long an answer may take.
    """

    def __init__(self, destination: Destination, stop: Stop, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._destination = destination
        self._stop = stop
        self._answer_seconds = answer_seconds

    def send(self, request: Request) -> Result:
        """Sends a request, again where that may help.

        Raises:
            DestinationUnavailableError: There was no acknowledgement.
            DestinationError: The connection takes nothing.
        """
        return retrying(self._stop.sleep)(self._send, request)

    def _send(self, request: Request) -> Result:
        where = self._destination.base_url
        deadline = Deadline.after(time.monotonic, self._answer_seconds)
        try:
            with self._stop.may_break_off():
                response = send(self._destination, request.resource, request.body.encode("ascii"), deadline)
        except Exception as error:
            raise DestinationUnavailableError(
                f"{where} did not acknowledge: {error or type(error).__name__}."
            ) from None
        if response.is_success:
            return Result("taken", _receipt(request, response, where))
        return self._refusal(response)

    def _refusal(self, response: httpx.Response) -> Result:
        refusal = status_error(response)
        where, status = self._destination.base_url, response.status_code
        if status in (408, 429) or status >= 500:
            asked = parse_retry_after(response.headers.get("retry-after"))
            raise DestinationUnavailableError(f"{where} answered {status} {refusal.code}.", asked)
        if refusal.code == "span_conflict":
            named = refusal.details.get("spans")
            ids = frozenset(name for name in named if isinstance(name, str)) if isinstance(named, list) else frozenset()
            return Result("conflict", span_ids=ids) if ids else Result("refused", reason=refusal.code)
        if status in (401, 403, 404) or not 400 <= status < 500:
            raise DestinationError(
                f"{where} takes nothing over the trace connection {self._destination.connection_id} "
                f"({status} {refusal.code}): check its key and that the workspace has Traces. The delivery is kept."
            )
        return Result("refused", reason=refusal.code)


def _receipt(request: Request, response: httpx.Response, where: str) -> Mapping[str, Any]:
    """The answer, if it acknowledges this request.

    Raises:
        DestinationUnavailableError: It does not.
    """
    try:
        answer = response.json()
        sent = json.loads(request.body)
        if request.resource == "batches":
            names = {trace["trace_id"] for trace in answer["traces"]}
            is_receipt = (answer["batch_id"], answer["received"]) == (sent["batch_id"], len(sent["spans"]))
            is_receipt = is_receipt and request.trace_id in names
        else:
            is_receipt = answer["trace_id"] == request.trace_id and isinstance(answer["complete"], bool)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_receipt = False
    if not is_receipt:
        raise DestinationUnavailableError(f"{where} answered something that acknowledges nothing.")
    found: Mapping[str, Any] = answer
    return found
