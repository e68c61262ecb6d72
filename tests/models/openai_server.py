"""A real OpenAI-compatible server for tests and benchmarks: chat with images, images, faults, limits and counters.

Rules by which it counts:
- text tokens = ceil(UTF-8 bytes / 4), over all texts of a request, and over an answer;
- image tokens = 85 + 170 per 512-pixel tile once the image fits 2048 × 2048 and its short side 768 (never enlarged):
  OpenAI's published rule for gpt-4o;
- a made image's tokens = 272, 1056 or 4160 (low, medium, high: gpt-image-1's for 1024 × 1024), scaled by its area;
- a call is completed, and billed, once its work is done; a fault costs nothing unless its kind says so below.
"""

import argparse
import asyncio
import atexit
import base64
import binascii
import http.client
import json
import math
import os
import re
import struct
import subprocess
import sys
import threading
import time
import traceback
import zlib
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from typing import Any, Literal, NoReturn

DECLINED = ("busy", "quota", "error_500", "error_502", "error_503", "dropped_before")
"""Nothing is done: 429 with Retry-After, 429 without hope, the server's own errors, no answer at all."""
SPOILT = ("malformed_json", "html", "wrong_shape")
"""Status 200 and no answer in it; free."""
DAMAGED = ("truncated_base64", "truncated_image", "not_an_image", "empty_image")
"""Status 200 with an image that cannot be read; free. Images only."""
FILTERED = ("content_filter", "refusal")
"""A chat ends with finish_reason content_filter or a refusal, both billed; an image is declined with 400, free."""
LATE = ("slow", "dropped_during", "dropped_after")
"""The work is done and billed, its answer comes after `slow_seconds`, comes by half, or never comes."""
KINDS = DECLINED + SPOILT + DAMAGED + FILTERED + LATE

IMAGE_TOKENS = {"low": 272, "medium": 1056, "high": 4160}
_REQUESTS_KEPT = 1000


@dataclass(frozen=True)
class Fault:
    """What goes wrong with a share of the calls, with the calls of these ordinals (from 0), or both."""

    kind: str
    probability: float = 0.0
    calls: tuple[int, ...] = ()
    containing: str = ""
    """Only for requests whose JSON has this text (ASCII)."""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no fault named {self.kind!r}; known: {', '.join(KINDS)}")


@dataclass(frozen=True)
class Behaviour:
    """How the server answers, until it is told otherwise."""

    seed: int = 0
    models: tuple[str, ...] = ("test-model", "test-image-model")
    key: str | None = None
    rejected_parameters: tuple[str, ...] = ()

    answer: Literal["fixed", "count-hash"] = "fixed"
    """The text below, or a number from 1 to 10 that depends on the texts and images of the request."""
    text: str = "There are 3."
    image_format: Literal["b64_json", "url"] = "b64_json"
    """What is sent where the request does not ask for a format."""
    revises_prompts: bool = False
    echo_headers: bool = False
    """Answers and errors quote the request's authorization."""

    faults: tuple[Fault, ...] = ()
    """Probabilities add up: a call has one fault at most. A scheduled one goes before those by chance."""
    latency_seconds: float = 0.0
    slow_seconds: float = 5.0
    retry_after_seconds: float = 1.0

    requests_per_second: float | None = None
    burst: int = 10
    honours_keys: bool = False
    """A completed Idempotency-Key is answered again as before, free."""

    chat_usd_per_million: tuple[float, float] = (0.0, 0.0)
    image_usd: tuple[tuple[str, str, float], ...] = ()
    """(size, quality, price) of what is sold; everything, and free, where this is empty."""

    def __post_init__(self) -> None:
        if sum(fault.probability for fault in self.faults) > 1 + 1e-9:
            raise ValueError("the faults' probabilities add up to more than 1; lower them")


@dataclass
class Counters:
    """What the server has served since a test began; calls are those to chat and to images."""

    received: int = 0
    completed: int = 0
    by_status: dict[int, int] = field(default_factory=Counter)
    by_fault: dict[str, int] = field(default_factory=Counter)
    """Faults that happened, and "rate_limited"."""
    prompt_tokens: int = 0
    images_made: int = 0
    billed_usd: float = 0.0


class Server:
    """A running server, seen from the test."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.base_url = f"http://127.0.0.1:{port}/v1"

    def counters(self) -> Counters:
        """Say what was served so far."""
        told = self._ask("GET", "counters")
        return Counters(**{**told, "by_status": {int(status): n for status, n in told["by_status"].items()}})

    def requests(self) -> list[dict[str, Any]]:
        """List the last requests: method, path, headers (names in lower case), JSON body with images abbreviated."""
        listed: list[dict[str, Any]] = self._ask("GET", "requests")
        return listed

    def behave(self, behaviour: Behaviour) -> None:
        """Change how it answers; schedules and limits start anew, counters and completed keys stay."""
        self._ask("POST", "behave", json.dumps(asdict(behaviour)))

    def begin(self, behaviour: Behaviour) -> None:
        """Forget everything."""
        self._ask("POST", "begin", json.dumps(asdict(behaviour)))

    def _ask(self, method: str, what: str, body: str | None = None) -> Any:  # noqa: ANN401
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request(method, f"/_control/{what}", body)
            answer = connection.getresponse()
            text = answer.read()
        if answer.status != HTTPStatus.OK:
            raise RuntimeError(f"/_control/{what} answered {answer.status}: {text.decode()}")
        return json.loads(text)


_IDLE: list[Server] = []
"""Servers whose test is done; the next one begins there, as starting a process takes long."""


@contextmanager
def serving(behaviour: Behaviour | None = None) -> Iterator[Server]:
    """Run a server in a process of its own, which ends with this one at the latest."""
    server = _IDLE.pop() if _IDLE else _start()
    server.begin(behaviour or Behaviour())
    try:
        yield server
    finally:
        _IDLE.append(server)


def _start() -> Server:
    # Neither site nor environment: the server needs the standard library only, and starts in half the time.
    command = [sys.executable, "-I", "-S", str(Path(__file__).resolve()), "--port", "0", "--ends-with-stdin"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.kill)
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("the test server did not start; its message is on stderr")
    return Server(int(line))


@dataclass(frozen=True)
class _Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    sent_share: float = 1.0
    """The share that is sent before the connection is dropped."""


@dataclass(frozen=True)
class _Work:
    """What a call comes to, ready to be counted."""

    payload: dict[str, Any]
    prompt_tokens: int
    images: int
    usd: float


class _DeclinedError(Exception):
    """An error answer in OpenAI's form."""

    def __init__(
        self, status: int, message: str, *, code: str | None = None, param: str | None = None, kind: str = ""
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers: tuple[tuple[str, str], ...] = ()
        self.error = {"message": message, "type": kind or "invalid_request_error", "param": param, "code": code}


def _decline_for_now(wait_seconds: float) -> NoReturn:
    declined = _DeclinedError(429, "Rate limit reached for requests.", code="rate_limit_exceeded", kind="requests")
    declined.headers = (
        ("retry-after", str(math.ceil(wait_seconds))),
        ("retry-after-ms", str(math.ceil(wait_seconds * 1000))),
    )
    raise declined


class _Bucket:
    """Fills at a rate up to its capacity."""

    def __init__(self, per_second: float, capacity: float) -> None:
        self._per_second, self._capacity, self._level = per_second, capacity, capacity
        self._filled_at = time.monotonic()

    def take(self) -> float:
        """Take one, or say how many seconds there is none."""
        now = time.monotonic()
        self._level = min(self._capacity, self._level + (now - self._filled_at) * self._per_second)
        self._filled_at = now
        if self._level < 1:
            return (1 - self._level) / self._per_second
        self._level -= 1
        return 0.0


class _Service:
    """The server's state, and its answer to each request."""

    def __init__(self, behaviour: Behaviour, port: int) -> None:
        self._port = port
        self._counters = Counters()
        self._done: dict[str, _Answer] = {}
        self._kept: deque[_Request] = deque(maxlen=_REQUESTS_KEPT)
        self.behave(behaviour)

    def behave(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._ordinal = 0
        rate = behaviour.requests_per_second
        self._bucket = _Bucket(rate, behaviour.burst) if rate is not None else None

    def tell(self, what: str) -> Any:  # noqa: ANN401
        return vars(self._counters) if what == "counters" else [_show(kept) for kept in self._kept]

    async def answer(self, request: _Request) -> _Answer:
        self._kept.append(request)
        is_call = request.path.partition("?")[0] in ("/v1/chat/completions", "/v1/images/generations")
        try:
            answer = await self._call(request) if is_call else self._look_up(request)
        except _DeclinedError as declined:
            error = {**declined.error, "message": f"{declined}{self._echo(request)}"}
            answer = _Answer(declined.status, _dump({"error": error}), headers=declined.headers)
        if is_call and answer.sent_share == 1:
            self._counters.by_status[answer.status] += 1
        return answer

    def _look_up(self, request: _Request) -> _Answer:
        if request.method == "GET" and (named := re.fullmatch(r"/images/(\d+x\d+-\w+-\w+)\.png", request.path)):
            return _Answer(200, _draw(named[1]), "image/png")
        raise _DeclinedError(404, f"Invalid URL ({request.method} {request.path})")

    def _check_key(self, request: _Request) -> None:
        key = self._behaviour.key
        has_version = "?api-version=" in request.path  # as Azure wants it
        sent = request.headers.get("api-key" if has_version else "authorization", "").removeprefix("Bearer").strip()
        if key is None or sent == key:
            return
        if not sent:
            raise _DeclinedError(401, "You didn't provide an API key in an Authorization header (Bearer YOUR_KEY).")
        shown = f"{sent[:8]}{'*' * max(0, len(sent) - 12)}{sent[-4:]}"
        raise _DeclinedError(401, f"Incorrect API key provided: {shown}.", code="invalid_api_key")

    async def _call(self, request: _Request) -> _Answer:
        self._counters.received += 1
        body = self._read_body(request)
        is_chat = request.path.startswith("/v1/chat")
        kind = self._pick_fault(request, is_chat=is_chat)
        work = self._chat(body, kind, request) if is_chat else self._make_images(body, kind, request)
        if self._bucket and (wait_seconds := self._bucket.take()):
            self._counters.by_fault["rate_limited"] += 1
            _decline_for_now(wait_seconds)
        self._ordinal += 1
        if kind:
            self._counters.by_fault[kind] += 1
        if kind == "dropped_before":
            return _Answer(200, b"", sent_share=0)
        if kind in DECLINED or (kind in FILTERED and not is_chat):
            self._decline(kind)
        await asyncio.sleep(self._behaviour.latency_seconds)
        answer = self._finish(work, kind, request)
        if kind == "slow":
            await asyncio.sleep(self._behaviour.slow_seconds)
        return replace(answer, sent_share={"dropped_during": 0.5, "dropped_after": 0}.get(kind, 1))

    def _finish(self, work: _Work, kind: str, request: _Request) -> _Answer:
        key = request.headers.get("idempotency-key", "")
        if key and self._behaviour.honours_keys and key in self._done:
            return self._done[key]
        answer = _spoil(_Answer(200, _dump(work.payload)), kind, self._echo(request))
        if kind not in SPOILT + DAMAGED:
            self._counters.completed += 1
            self._counters.prompt_tokens += work.prompt_tokens
            self._counters.images_made += work.images
            self._counters.billed_usd += work.usd
            self._done[key] = answer
        return answer

    def _read_body(self, request: _Request) -> dict[str, Any]:
        if request.method != "POST":
            raise _DeclinedError(
                405, f"Not allowed to {request.method} on {request.path}.", code="method_not_supported"
            )
        self._check_key(request)
        try:
            body = json.loads(request.body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise _DeclinedError(400, "We could not parse the JSON body of your request.")
        model = body.get("model")
        if model not in self._behaviour.models:
            message = f"The model `{model}` does not exist or you do not have access to it."
            raise _DeclinedError(404, message, code="model_not_found")
        for name in self._behaviour.rejected_parameters:
            if name in body:
                raise _DeclinedError(400, f"Unknown parameter: '{name}'.", param=name, code="unknown_parameter")
        return body

    def _pick_fault(self, request: _Request, *, is_chat: bool) -> str:
        faults = [
            fault
            for fault in self._behaviour.faults
            if fault.kind not in (DAMAGED if is_chat else ("refusal",)) and fault.containing.encode() in request.body
        ]
        scheduled = next((fault.kind for fault in faults if self._ordinal in fault.calls), "")
        digest = sha256(f"{self._behaviour.seed}/{self._ordinal}".encode()).digest()
        left = int.from_bytes(digest[:8]) / 2**64
        for fault in faults:
            left -= fault.probability
            if left < 0:
                return scheduled or fault.kind
        return scheduled

    def _chat(self, body: dict[str, Any], kind: str, request: _Request) -> _Work:
        texts, images, image_tokens = _read_messages(body.get("messages"))
        behaviour = self._behaviour
        text = behaviour.text
        if behaviour.answer == "count-hash":
            digest = sha256("\n".join(texts).encode())
            for image in images:
                digest.update(image)
            text = str(int.from_bytes(digest.digest()[:8]) % 10 + 1)
        told, finish = _cut(text + self._echo(request), body.get("max_tokens"))
        message: dict[str, Any] = {"role": "assistant", "content": told, "refusal": None}
        if kind == "content_filter":
            told, finish, message["content"] = "", "content_filter", None
        elif kind == "refusal":
            told, message["content"], message["refusal"] = text, None, text
        logprobs = _tell_logprobs(told, body.get("top_logprobs") or 0) if body.get("logprobs") else None
        prompt_tokens, completion_tokens = _count_tokens("".join(texts)) + image_tokens, _count_tokens(told)
        payload = {
            "id": f"chatcmpl-{self._counters.received}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": f"{body['model']}-2026-01-01",
            "system_fingerprint": f"fp_{behaviour.seed:010x}",
            "choices": [{"index": 0, "message": message, "logprobs": logprobs, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": completion_tokens,
                "total_tokens": prompt_tokens + completion_tokens,
            },
        }
        if kind == "wrong_shape":
            del payload["choices"]
        usd_in, usd_out = behaviour.chat_usd_per_million
        usd = (prompt_tokens * usd_in + completion_tokens * usd_out) / 1e6
        return _Work(payload, prompt_tokens, 0, usd)

    def _make_images(self, body: dict[str, Any], kind: str, request: _Request) -> _Work:
        prompt, n = body.get("prompt"), body.get("n") or 1
        if not isinstance(prompt, str) or not prompt:
            raise _DeclinedError(400, "Missing required parameter: 'prompt'.", param="prompt")
        if not isinstance(n, int) or not 1 <= n <= 10:
            raise _DeclinedError(400, f"Invalid 'n': {n} is not an integer from 1 to 10.", param="n")
        size, quality, usd = self._sell_image(body)
        form = body.get("response_format") or self._behaviour.image_format
        # Equal pixels, different bytes: each picture of each call is one of its own, and the same when asked again.
        source = f"{prompt}\n{request.headers.get('idempotency-key', '')}\n"
        marks = [sha256(f"{source}{index}".encode()).hexdigest()[:16] for index in range(n)]
        data: list[dict[str, str]] = []
        for mark in marks:
            name = f"{size}-{mark}-{kind if kind in DAMAGED else 'whole'}"
            picture = {form: f"http://127.0.0.1:{self._port}/images/{name}.png" if form == "url" else _encode(name)}
            if self._behaviour.revises_prompts:
                picture["revised_prompt"] = f"A detailed picture: {prompt}{self._echo(request)}"
            data.append(picture)
        width, height = map(int, size.split("x"))
        text_tokens = _count_tokens(prompt)
        made_tokens = math.ceil(IMAGE_TOKENS[quality] * width * height / 1024**2) * n
        usage = {
            "input_tokens": text_tokens,
            "input_tokens_details": {"text_tokens": text_tokens, "image_tokens": 0},
            "output_tokens": made_tokens,
            "total_tokens": text_tokens + made_tokens,
        }
        payload = {"created": int(time.time()), "size": size, "quality": quality, "data": data, "usage": usage}
        if kind == "wrong_shape":
            del payload["data"]
        return _Work(payload, text_tokens, n, usd * n)

    def _sell_image(self, body: dict[str, Any]) -> tuple[str, str, float]:
        asked = [body.get(name) or "auto" for name in ("size", "quality")]
        size, quality = (
            auto if name == "auto" else name for name, auto in zip(asked, ("1024x1024", "medium"), strict=True)
        )
        shape = re.fullmatch(r"(\d{1,4})x(\d{1,4})", size)
        if not shape or not 1 <= min(int(shape[1]), int(shape[2])) <= max(int(shape[1]), int(shape[2])) <= 4096:
            raise _DeclinedError(400, f"Invalid size: {size!r}.", param="size", code="invalid_value")
        if quality not in IMAGE_TOKENS:
            raise _DeclinedError(400, f"Invalid quality: {quality!r}.", param="quality", code="invalid_value")
        if not self._behaviour.image_usd:
            return size, quality, 0.0
        for sold_size, sold_quality, usd in self._behaviour.image_usd:
            if (sold_size, sold_quality) == (size, quality):
                return size, quality, usd
        raise _DeclinedError(400, f"No images of {size}, {quality} here.", param="size", code="invalid_value")

    def _decline(self, kind: str) -> NoReturn:
        if kind == "busy":
            _decline_for_now(self._behaviour.retry_after_seconds)
        if kind == "quota":
            code = "insufficient_quota"
            raise _DeclinedError(429, "You exceeded your current quota.", code=code, kind=code)
        if kind in FILTERED:
            message = "Your request was rejected as a result of our safety system."
            raise _DeclinedError(400, message, code="content_policy_violation")
        status = int(kind.removeprefix("error_"))
        raise _DeclinedError(status, f"The server had an error: {HTTPStatus(status).phrase}.", kind="server_error")

    def _echo(self, request: _Request) -> str:
        return f" [authorization: {request.headers.get('authorization')}]" if self._behaviour.echo_headers else ""


def _show(request: _Request) -> dict[str, Any]:
    try:
        body = _abbreviate(json.loads(request.body)) if request.body else None
    except ValueError:
        body = request.body.decode("utf-8", "replace")
    return {"method": request.method, "path": request.path, "headers": request.headers, "body": body}


def _abbreviate(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {name: _abbreviate(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_abbreviate(part) for part in value]
    if isinstance(value, str) and value.startswith("data:"):
        with suppress(ValueError):
            data = base64.b64decode(value.partition(",")[2], validate=True)
            return {"sha256": sha256(data).hexdigest(), "length": len(data)}
    return value


def _read_behaviour(text: str) -> Behaviour:
    told = json.loads(text)
    faults = tuple(Fault(**{**fault, "calls": tuple(fault["calls"])}) for fault in told.pop("faults", ()))
    known = {one.name for one in fields(Behaviour)}
    if unknown := told.keys() - known:
        raise ValueError(f"no behaviour named {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
    return Behaviour(faults=faults, **{name: _freeze(value) for name, value in told.items()})


def _freeze(value: Any) -> Any:  # noqa: ANN401
    return tuple(_freeze(part) for part in value) if isinstance(value, list) else value


def _read_messages(messages: Any) -> tuple[list[str], list[bytes], int]:  # noqa: ANN401
    """Find the texts, the images, and the images' tokens."""
    if not isinstance(messages, list) or not messages:
        raise _DeclinedError(400, "Missing required parameter: 'messages'.", param="messages")
    texts: list[str] = []
    images: list[bytes] = []
    tokens = 0
    for message in messages:
        for part in _list_parts(message):
            if part.get("type") == "text":
                texts.append(part["text"])
            elif part.get("type") == "image_url":
                image, (width, height) = _read_image(part["image_url"]["url"])
                images.append(image)
                tokens += _count_image_tokens(width, height)
            else:
                wrong = f"Invalid value: '{part.get('type')}'. Supported: 'text' and 'image_url'."
                raise _DeclinedError(400, wrong, param="messages", code="invalid_value")
    return texts, images, tokens


def _list_parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _read_image(url: str) -> tuple[bytes, tuple[int, int]]:
    head, _, encoded = url.partition(",")
    if not re.fullmatch(r"data:image/\w+;base64", head):
        raise _DeclinedError(400, "Images must be data: URLs in base64 here.", code="invalid_image_url")
    try:
        image = binascii.a2b_base64(encoded, strict_mode=True)
        return image, _read_size(image)
    except (ValueError, struct.error):
        message = "You uploaded an unsupported image. Please make sure your image is valid (png, jpeg, gif or webp)."
        raise _DeclinedError(400, message, code="invalid_image_format") from None


def _read_size(image: bytes) -> tuple[int, int]:
    if not image.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ValueError("no magic bytes of a PNG")
    width, height = struct.unpack_from(">II", image, 16)
    return width, height


def _count_image_tokens(width: int, height: int) -> int:
    scale = min(1.0, 2048 / max(width, height))
    scale = min(scale, 768 / min(width, height))
    return 85 + 170 * math.ceil(round(width * scale) / 512) * math.ceil(round(height * scale) / 512)


def _count_tokens(text: str) -> int:
    return math.ceil(len(text.encode()) / 4)


def _cut(text: str, max_tokens: int | None) -> tuple[str, str]:
    if max_tokens is None or _count_tokens(text) <= max_tokens:
        return text, "stop"
    return text.encode()[: 4 * max_tokens].decode("utf-8", "ignore"), "length"


def _tell_logprobs(text: str, alternatives: int) -> dict[str, Any]:
    """Give each token of four bytes .9, and digits as the alternatives, each half as likely as the one before."""
    told = []
    encoded = text.encode()
    for start in range(0, len(encoded), 4):
        token = encoded[start : start + 4]
        others = [other for number in range(21) if (other := str(number).encode()) != token]
        ranked = [(token, 0.9), *((other, 0.05 / 2**rank) for rank, other in enumerate(others))]
        described = [
            {"token": one.decode("utf-8", "replace"), "logprob": math.log(share), "bytes": list(one)}
            for one, share in ranked[: max(1, alternatives)]
        ]
        told.append({**described[0], "top_logprobs": described[:alternatives]})
    return {"content": told, "refusal": None}


def _encode(name: str) -> str:
    encoded = base64.b64encode(_draw(name)).decode()
    return encoded[: len(encoded) // 2 // 4 * 4 + 3] if name.endswith("-truncated_base64") else encoded


_PICTURES: dict[str, bytes] = {}
_END_CHUNK = 12


def _draw(name: str) -> bytes:
    """Make the PNG of SIZE-MARK-STATE: a dark disk, the mark in a comment, whole or damaged."""
    size, mark, state = name.split("-")
    if state == "empty_image":
        return b""
    if state == "not_an_image":
        return b"this is no image"
    if size not in _PICTURES:
        _PICTURES[size] = _draw_disk(*map(int, size.split("x")))
    picture = _PICTURES[size]
    marked = picture[:-_END_CHUNK] + _chunk(b"tEXt", b"Comment\0" + mark.encode()) + picture[-_END_CHUNK:]
    return marked[: len(picture) // 2] if state.startswith("truncated") else marked


def _draw_disk(width: int, height: int) -> bytes:
    radius = min(width, height) / 3
    rows = bytearray()
    for y in range(height):
        inside = radius**2 - (y + 0.5 - height / 2) ** 2
        chord = min(width, round(2 * math.sqrt(inside))) if inside > 0 else 0
        left = (width - chord) // 2
        rows += b"\0" + b"\xf5\xf0\xe6" * left + b"\x20\x40\x90" * chord + b"\xf5\xf0\xe6" * (width - left - chord)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(bytes(rows))) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _spoil(answer: _Answer, kind: str, echo: str) -> _Answer:
    if kind == "malformed_json":
        return replace(answer, body=answer.body[: len(answer.body) // 2])
    if kind == "html":
        page = f"<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in first.{echo}</body></html>"
        return replace(answer, body=page.encode(), content_type="text/html; charset=utf-8")
    return answer


def _dump(value: Any) -> bytes:  # noqa: ANN401
    return json.dumps(value).encode()


class _Host:
    """The socket, and the service of the test that has it now."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour

    async def serve(self, port: int) -> None:
        server = await asyncio.start_server(self._converse, "127.0.0.1", port, backlog=1024, limit=2**20)
        self._port = server.sockets[0].getsockname()[1]
        self._service = _Service(self._behaviour, self._port)
        print(self._port, flush=True)
        await server.serve_forever()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError), closing(writer):
            while True:
                request = await _receive(reader)
                try:
                    is_control = request.path.startswith("/_control/")
                    answer = self._control(request) if is_control else await self._service.answer(request)
                except Exception:
                    # A mistake in the server or a request it cannot read: never to be taken for a planned fault.
                    traceback.print_exc()
                    raise
                writer.write(_format(answer))
                if answer.sent_share < 1:
                    return
                await writer.drain()

    def _control(self, request: _Request) -> _Answer:
        what = request.path.removeprefix("/_control/")
        if request.method == "GET":
            return _Answer(200, _dump(self._service.tell(what)))
        behaviour = _read_behaviour(request.body.decode())
        if what == "begin":
            self._service = _Service(behaviour, self._port)
        else:
            self._service.behave(behaviour)
        return _Answer(200, b"{}")


async def _receive(reader: asyncio.StreamReader) -> _Request:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = first.split(" ")
    named = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in named}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return _Request(method, path, headers, body)


def _format(answer: _Answer) -> bytes:
    named = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
    head = (
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\ncontent-type: {answer.content_type}\r\n"
        f"content-length: {len(answer.body)}\r\n{named}\r\n"
    )
    whole = head.encode() + answer.body
    return whole if answer.sent_share == 1 else whole[: int(answer.sent_share * len(whole))]


def main() -> None:
    """Serve until stopped, having printed the port."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--behaviour", default="{}", help="JSON of Behaviour's fields")
    parser.add_argument("--ends-with-stdin", action="store_true", help="stop when standard input is closed")
    options = parser.parse_args()
    if options.ends_with_stdin:
        threading.Thread(target=_end_with_stdin, daemon=True).start()
    with suppress(KeyboardInterrupt):
        asyncio.run(_Host(_read_behaviour(options.behaviour)).serve(options.port))


def _end_with_stdin() -> NoReturn:
    # The pipe's other end closes with the parent, even when that is killed.
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
