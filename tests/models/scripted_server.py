"""A server that answers with exactly what a test gives it, byte for byte, for what no proper server would say."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


class _Server(ThreadingHTTPServer):
    request_queue_size = 64


@dataclass
class Scripted:
    """A running server and what it was sent: path, headers and JSON."""

    base_url: str = ""
    requests: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


@contextmanager
def scripting(answer: Callable[[int, Any], Answer]) -> Iterator[Scripted]:
    """Serve what `answer` makes of a call's ordinal, from 0, and its JSON."""
    scripted, lock = Scripted(), threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                ordinal = len(scripted.requests)
                scripted.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self._send(*answer(ordinal, body))

        def do_GET(self) -> None:
            with lock:
                ordinal = len(scripted.requests)
                scripted.requests.append((self.path, {k.lower(): v for k, v in self.headers.items()}, None))
            self._send(*answer(ordinal, None))

        def _send(self, status: int, headers: dict[str, str], data: bytes) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with _Server(("127.0.0.1", 0), Handler) as server:
        scripted.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield scripted
        finally:
            server.shutdown()
            thread.join()


def chat(message: object, **more: object) -> bytes:
    """Write a chat completion."""
    choice = {"message": message, "finish_reason": "stop"} | {k: v for k, v in more.items() if k != "top"}
    top = more.get("top", {})
    assert isinstance(top, dict)
    return json.dumps({"choices": [choice], **top}).encode()
