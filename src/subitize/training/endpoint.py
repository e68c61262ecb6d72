"""A reward endpoint over HTTP: `GET /health`, and `POST /compute` with prompts and pictures."""

import asyncio
import hmac
import logging
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from aiohttp import web
from pydantic_core import to_json

from subitize.errors import BadValueError, SubitizeError, UnusableModelError
from subitize.evaluate.costs import Budget
from subitize.evaluate.engines import LocalEngine
from subitize.evaluate.judging import self_test
from subitize.evaluate.looks import JudgePool, RewardedCount, RewardKind, RewardSample, Unscorable, read_samples, reward
from subitize.interfaces import Judge
from subitize.judges.asking import NOUNS
from subitize.labels import Rule, parse_rule
from subitize.records import Count, Drawn, Stored
from subitize.registry import Resolved

try:
    import resource
except ImportError:  # on Windows
    resource = None  # type: ignore[assignment]

MOST_REQUESTS = 1024
"""The most requests handled at once."""
_MOST_BODIES = 8
"""The most bodies of the largest size held at once."""
_LARGE_BODY_BYTES = 1_000_000
_READING_SECONDS = 60.0
_RETRY_AFTER_SECONDS = 1
_SHUTDOWN_SECONDS = 600.0
_MOST_FILES = 4 * MOST_REQUESTS


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """The judge and its rule (None: its own), the kind of reward, limits on requests, and the budget."""

    judge: Resolved[Judge]
    kind: RewardKind = "exact"
    rule: Rule | None = None
    tries: int = 5
    max_body_bytes: int = 64_000_000
    token: str | None = None
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        self.budget.meter(self.judge)  # a limit without a price is refused
        for option, value in (("`tries`", self.tries), ("`max_body`", self.max_body_bytes)):
            if value < 1:
                raise BadValueError(f"{option} {value}: should be at least 1")


@dataclass(frozen=True, slots=True)
class Admission:
    """The result of the judge's self-test; with a fault, every request is refused."""

    note: str = ""
    fault: str = ""


def admit_judge(judge: Resolved[Judge]) -> Admission:
    """Run the judge's self-test; raise an error if the judge cannot be asked or does not count pictures."""
    judge.obj.check()
    picture = (Drawn(Stored("0" * 64, "png")),)
    can_count = (judge.obj.can_answer(Count(noun), picture) or judge.obj.why_not(Count(noun)) for noun in NOUNS)
    if not any(can_count):
        instead = "take vlm:MODEL, a detector or observer"
        raise BadValueError(f"judge {str(judge)!r} does not count what is in pictures; {instead}")
    try:
        return Admission(note=self_test(judge))
    except UnusableModelError as error:
        return Admission(fault=str(error))


def serve(
    settings: RewardSettings, admission: Admission, listening: socket.socket, on_ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM; running requests are finished first."""
    _allow_connections()
    with LocalEngine(is_at_hand=True) as engine, engine.start("judge", settings.judge) as caller:
        rule = settings.rule or parse_rule(settings.judge.obj.rule)
        pool = JudgePool(settings.judge, rule, caller, settings.tries, settings.budget.meter(settings.judge))
        asyncio.run(_serve(make_app(settings, admission, pool), listening, on_ready))


def _allow_connections() -> None:
    """Raise the limit of open files: every connection takes one, and many systems start with 1024 or 256."""
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def make_app(settings: RewardSettings, admission: Admission, pool: JudgePool) -> web.Application:
    """Make the app, which asks the judge while it runs."""
    endpoint = _Endpoint(settings, admission, pool)

    async def run_pool(_: web.Application) -> AsyncIterator[None]:
        async with pool.running():
            yield

    app = web.Application(middlewares=[endpoint.answer_in_json])
    app.router.add_get("/health", endpoint.health)
    app.router.add_post("/compute", endpoint.compute)
    app.cleanup_ctx.append(run_pool)
    return app


async def _serve(app: web.Application, listening: socket.socket, on_ready: Callable[[], None]) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # on Windows
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    # Malformed HTTP is answered by aiohttp; logging it would not help.
    silent = logging.Logger("subitize.training", logging.CRITICAL + 1)
    runner = web.AppRunner(
        app,
        handler_cancellation=True,
        shutdown_timeout=_SHUTDOWN_SECONDS,
        access_log=None,
        logger=silent,
        read_bufsize=_LARGE_BODY_BYTES,
    )
    try:
        await runner.setup()
        await web.SockSite(runner, listening, backlog=MOST_REQUESTS).start()
        on_ready()
        await stopped.wait()
    finally:
        await runner.cleanup()


_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Endpoint:
    """Handles requests, with all answers in JSON."""

    def __init__(self, settings: RewardSettings, admission: Admission, pool: JudgePool) -> None:
        self._settings, self._admission, self._pool = settings, admission, pool
        self._requests, self._bytes = 0, 0

    @web.middleware
    async def answer_in_json(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """Turn every error into a JSON message."""
        try:
            self._check_token(request)
            return await handler(request)
        except _RefusedError as refused:
            return _answer({"error": refused.message}, refused.status, refused.headers)
        except BadValueError as error:
            return _answer({"error": str(error)}, 400)
        except SubitizeError as error:  # the judge cannot work, for lack of memory or a key
            return _answer({"error": str(error)}, 503)
        except web.HTTPException as error:
            asked, known = f"{request.method} {request.path[:80]}", "GET /health and POST /compute"
            return _answer({"error": f"{asked}: {error.reason}; there are {known}"}, error.status)
        except Exception as error:
            return _answer({"error": f"a fault in the server: {type(error).__name__}: {error!s:.300}"}, 500)

    async def health(self, _: web.Request) -> web.Response:
        """Return whether the judge works, and if not, why."""
        reason = self._admission.fault or self._pool.failure
        status = {
            "status": "unfit" if reason else "ok",
            "judge": self._settings.judge.spec.text,
            "judge_name": str(self._settings.judge),
            "reward": self._settings.kind,
            "requests_under_way": self._requests,
            "reason": reason or None,
        }
        return _answer(status, 503 if reason else 200)

    async def compute(self, request: web.Request) -> web.Response:
        """Reward samples; one that cannot be judged gets a reason instead."""
        if self._admission.fault:
            raise _RefusedError(503, self._admission.fault)
        if request.content_type != "application/json":
            raise _RefusedError(415, f"Content-Type {request.content_type[:80]!r}: should be application/json")
        with self._admit(request.content_length):
            body = await self._read(request)
            is_large = len(body) > _LARGE_BODY_BYTES  # keeps the event loop free
            samples = await asyncio.to_thread(read_samples, body) if is_large else read_samples(body)
            counted = await asyncio.gather(*map(self._count, samples))
        rewards = [reward(one, self._settings.kind) for one in counted]
        details = [{"counts": one.counts, "expected": one.expected, "reason": one.reason} for one in rewards]
        return _answer({"rewards": [one.value for one in rewards], "details": details})

    def _check_token(self, request: web.Request) -> None:
        token = self._settings.token
        if token is None:
            return
        given = request.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, f"Bearer {token}".encode()):
            raise _RefusedError(401, "Authorization: missing or wrong; send `Bearer` and the token of this server")

    @contextmanager
    def _admit(self, length: int | None) -> Iterator[None]:
        """Admit a request if there is room for it, before reading it."""
        largest = self._settings.max_body_bytes
        size = largest if length is None else length
        if size > largest:
            raise _too_large(largest)
        if self._requests >= MOST_REQUESTS or self._bytes + size > _MOST_BODIES * largest:
            message = f"{self._requests:,} requests are under way; send this one again after a while"
            raise _RefusedError(503, message, {"Retry-After": str(_RETRY_AFTER_SECONDS)})
        self._requests, self._bytes = self._requests + 1, self._bytes + size
        try:
            yield
        finally:
            self._requests, self._bytes = self._requests - 1, self._bytes - size

    async def _read(self, request: web.Request) -> bytes:
        """Read a body, which may be larger than declared if compressed."""
        body = bytearray()
        try:
            async with asyncio.timeout(_READING_SECONDS):
                async for chunk in request.content.iter_any():
                    body += chunk
                    if len(body) > self._settings.max_body_bytes:
                        raise _too_large(self._settings.max_body_bytes)
        except TimeoutError:
            raise _RefusedError(408, f"body: not here after {_READING_SECONDS:g} seconds") from None
        return bytes(body)

    async def _count(self, sample: RewardSample | Unscorable) -> tuple[RewardedCount, ...] | Unscorable:
        return sample if isinstance(sample, Unscorable) else await self._pool.count(sample)


@dataclass
class _RefusedError(Exception):
    """A request is refused."""

    status: int
    message: str
    headers: Mapping[str, str] | None = None


def _too_large(largest: int) -> _RefusedError:
    return _RefusedError(413, f"body: more than {largest:,} bytes; send fewer or smaller images, or raise `max_body`")


def _answer(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    body = to_json(content, inf_nan_mode="null")
    return web.Response(body=body, status=status, headers=headers, content_type="application/json")
