import json
import logging

from evalrouter_server import log_context
from evalrouter_server.log_context import about
from evalrouter_server.logs import _Json


def test_a_json_line_names_what_it_is_about() -> None:
    record = logging.LogRecord("evalrouter_server", logging.INFO, __file__, 1, "it %s", ("works",), None)
    assert "run_id" not in json.loads(_Json().format(record))
    with about(log_context.request_id, "req_1"), about(log_context.run_id, "run_1"):
        line = json.loads(_Json().format(record))
    assert (line["message"], line["request_id"], line["run_id"]) == ("it works", "req_1", "run_1")
    assert log_context.run_id.get() is None
