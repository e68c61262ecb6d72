"""A real server that speaks as Hugging Face does: text-to-image, a word in a chat, and the hub's list of models."""

import io
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image, ImageDraw

KINDS: Mapping[str, tuple[int, str]] = {
    "loading": (503, '{"error": "Model test is currently loading", "estimated_time": 0.05}'),
    "busy": (429, '{"error": "Rate limit reached. Please log in or use a HF access token"}'),
    "error_500": (500, '{"error": ["Error in `parameters`: CUDA out of memory"]}'),
    "error_504": (504, "<html>upstream request timeout</html>"),
    "no_credit": (402, '{"error": "You have exceeded your monthly included credits."}'),
    "forbidden": (403, '{"error": "This authentication method does not have sufficient permissions"}'),
    "unknown": (404, '{"error": "Model test does not exist"}'),
    "unsupported": (400, '{"error": {"message": "Not supported by any provider", "code": "model_not_supported"}}'),
    "invalid": (422, '{"error": "Input validation error: `width` must be a multiple of 8"}'),
    "filtered": (400, '{"error": {"message": "Not allowed.", "code": "content_policy_violation"}}'),
    "filtered_in_words": (422, '{"detail": [{"msg": "NSFW content detected", "type": "value_error"}]}'),
    "json": (200, '{"error": "unexpected"}'),
    "html": (200, "<html>Sign in</html>"),
}
"""What is answered instead of an image; the others are "dropped", "truncated", "empty" and "slow"."""


@dataclass
class HfServer:
    """A running server, what it was asked, and how it answers: the first calls by a plan, the others by chance."""

    plan: tuple[str, ...] = ()
    shares: Mapping[str, float] = field(default_factory=dict)
    key: str | None = None
    echoes_key: bool = False
    listed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The models of the hub, with its answer to a question for each."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    drawn: list[bytes] = field(default_factory=list)
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def pick_fault(self) -> str:
        """Decide the next call's fate by its ordinal alone."""
        ordinal = len(self.requests) - 1
        if ordinal < len(self.plan):
            return self.plan[ordinal]
        left = int(sha256(f"{ordinal}".encode()).hexdigest()[:8], 16) / 16**8
        for kind, share in self.shares.items():
            left -= share
            if left < 0:
                return kind
        return ""


@contextmanager
def serving_images(**behaviour: Any) -> Iterator[HfServer]:  # noqa: ANN401
    """Serve on a free port of this machine, in threads of this process."""
    served = HfServer(**behaviour)

    class Handler(_Handler):
        hf = served

    with _Server(("127.0.0.1", 0), Handler) as server:
        served.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hf: HfServer

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].removeprefix("/api/models/")
        listed = self.hf.listed.get(name)
        if listed is None:
            self._send(404, b"{}", ("X-Error-Code", "RepoNotFound"))
        else:
            self._send(200, json.dumps({"id": name, "modelId": name, "tags": [], **listed}).encode())

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        sent = self.headers.get("Authorization", "")
        with self.hf.lock:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.hf.requests.append({"path": self.path, "headers": headers, "body": body})
            kind = self.hf.pick_fault()
            self.hf.faults[kind] += 1
        if self.hf.key and sent != f"Bearer {self.hf.key}":
            self._send(401, json.dumps({"error": f"Invalid credentials: {sent}"}).encode())
        elif kind == "dropped":
            self.close_connection = True
        elif kind in KINDS:
            status, text = KINDS[kind]
            echo = sent if self.hf.echoes_key else ""
            retry_after = ("Retry-After", "0.05") if kind == "busy" else ("X-Kind", kind)
            self._send(
                status, text.replace("error", f"error{echo}", 1).encode() if echo else text.encode(), retry_after
            )
        elif self.path.endswith("/chat/completions"):
            self._send(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": "3"}}]}).encode())
        else:
            self._draw(body, kind, sent)

    def _draw(self, body: Mapping[str, Any], kind: str, sent: str) -> None:
        if kind == "slow":
            time.sleep(1.5)
        picture = _draw(body["inputs"], body.get("parameters", {}), sent if self.hf.echoes_key else "")
        self.hf.drawn.append(picture)
        share = {"truncated": 0.5, "empty": 0.0}.get(kind, 1.0)
        self._send(200, picture[: int(share * len(picture))], type_="image/jpeg")

    def _send(
        self, status: int, data: bytes, header: tuple[str, str] = ("X-Kind", ""), type_: str = "application/json"
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", type_)
        self.send_header("Content-Length", str(len(data)))
        self.send_header(*header)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing: the test asks what it wants to know."""


def _draw(prompt: str, parameters: Mapping[str, Any], mark: str) -> bytes:
    """Draw a disk whose colour is that of prompt and seed, with a mark in the file's comment."""
    width, height = parameters.get("width", 64), parameters.get("height", 64)
    colour = sha256(f"{prompt} {parameters.get('seed')}".encode()).digest()[:3]
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).ellipse((8, 8, width - 8, height - 8), fill=(colour[0], colour[1], colour[2]))
    written = io.BytesIO()
    image.save(written, "JPEG", comment=mark.encode())
    return written.getvalue()
