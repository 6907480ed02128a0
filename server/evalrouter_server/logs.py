"""The service's log: plain lines for people or JSON lines for programs, with times in UTC.

A JSON line names the request and the run that it is about, where it is about one.
"""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Literal

from evalrouter_server.log_context import request_id, run_id


class _Plain(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s: %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return _time(record)


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name, variable in (("request_id", request_id), ("run_id", run_id)):
            if (value := variable.get()) is not None:
                line[name] = value
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def configure_logging(form: Literal["plain", "json"]) -> None:
    """Send this process's log to standard error.

    Args:
        form: `plain` or `json`.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Plain() if form == "plain" else _Json())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for noisy in ("uvicorn.error", "alembic", "aiohttp.access", "httpx"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
