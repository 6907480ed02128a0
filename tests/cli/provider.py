"""A paid provider's double: the Chat Completions wire over real HTTP, with answers and delay that the test sets."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler
from typing import Any, Self

from tests.loopback import LoopbackServer


class Provider:
    """Answers every question with one text.

    Attributes:
        answer: The text.
        delay_seconds: How long each answer takes.
        refuse_after: How many calls are answered before every other is refused with 400; None for no end.
        keys: The keys that it was given.
        calls: How many calls it answered.
    """

    def __init__(self) -> None:
        self.answer = "Paris"
        self.delay_seconds = 0.0
        self.refuse_after: int | None = None
        self.keys: list[str | None] = []
        self.calls = 0
        self._lock = threading.Lock()
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                time.sleep(provider.delay_seconds)
                status, answer = provider.reply(body, self.headers.get("Authorization"))
                payload = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, format: str, *args: Any) -> None:
                """Stay quiet."""

        self._server = LoopbackServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """What a connection takes as its base URL."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply(self, body: dict[str, Any], authorization: str | None) -> tuple[int, dict[str, Any]]:
        """The status and the body of one answer."""
        with self._lock:
            self.keys.append(authorization)
            if self.refuse_after is not None and self.calls >= self.refuse_after:
                return 400, {"error": {"message": "refused", "type": "invalid_request_error", "code": "refused"}}
            self.calls += 1
        return 200, {
            "id": f"chatcmpl-{self.calls}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": [
                {"index": 0, "message": {"role": "assistant", "content": self.answer}, "finish_reason": "stop"}
            ],
            "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
