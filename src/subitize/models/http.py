"""Calls a server over HTTP; the answer becomes JSON, an image, or an error that says what to do.

Keys come from the environment only. A key is sent to its own server alone, and redacted from everything that comes
back."""

import asyncio
import email.utils
import ipaddress
import json
import math
import os
import re
import socket
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, is_dataclass, replace
from typing import Annotated, Any
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from aiohttp.abc import ResolveResult
from pydantic_core import from_json

from subitize.errors import BadValueError, UnusableModelError
from subitize.interfaces import Model, Pixels, Reply, Request, RuntimeOption, TransientError, Usage
from subitize.models.pacing import LONGEST_PAUSE_SECONDS, Pacer, Turn
from subitize.records import Draw, Failed, Refused, Said, TaskKind, digest

_LARGEST_ANSWER_BYTES = 200_000_000
_LONGEST_MESSAGE = 300
SHORTEST_SECRET = 8
_UNKNOWN_MODEL = {"model_not_found", "model_not_supported"}
_REFUSALS = {"content_policy_violation", "content_filter", "moderation_blocked", "invalid_prompt"}
# Some servers refuse in words, without a code.
_REFUSED = re.compile(r"\bnsfw\b|content.policy|safety (?:system|checker|filter)", re.IGNORECASE)
_VERSION = re.compile(r"api-version=[\w.-]{1,40}", re.ASCII)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|h|m|s)", re.ASCII)
_REDIRECTS = {301, 302, 303, 307, 308}
_SAME_REQUEST = {307, 308}
_UNNAMED_KINDS = {"", "application/octet-stream", "binary/octet-stream"}
_MOST_REDIRECTS = 5
# Temporary trouble of the server, whatever the request.
_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}


@dataclass(frozen=True, slots=True)
class Limits:
    """A server's limits: calls at once, requests and tokens a minute, seconds to wait for an answer."""

    concurrency: int
    requests_per_minute: float | None
    tokens_per_minute: float | None
    timeout_seconds: float

    def __post_init__(self) -> None:
        for name in ("concurrency", "requests_per_minute", "tokens_per_minute", "timeout_seconds"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise BadValueError(f"{name}={value:g}: should be more than 0")


Answered = tuple[Mapping[str, Any], float]
"""A server's answer: its JSON, and how many seconds it took."""


class DeclinedError(Exception):
    """The server rejected the request itself, so retrying will not help; `code` and text are the server's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ServerState:
    """State of one server: its name in messages, its key, and its consecutive failures."""

    def __init__(self, where: str, key_variable: str, slots: int) -> None:
        self.where = where
        self.has_answered = False
        self.key = find_key(key_variable)
        self._key_variable, self._slots = key_variable, slots
        self._misses = 0

    def need_key(self, who: str) -> None:
        """Raise BadValueError if there is no key."""
        if not self.key:
            raise BadValueError(f"{who} needs a key: set the environment variable {self._key_variable}")

    def answer(self) -> None:
        """Note a useful answer."""
        self.has_answered, self._misses = True, 0

    def failure(self, reason: str, *, is_unsettled: bool = True) -> Exception:
        """Make an error for a useless answer; after too many in a row the model is unusable."""
        return UnusableModelError(reason) if self._is_hopeless() else TransientError(reason, is_unsettled=is_unsettled)

    def read_decline(self, error: DeclinedError) -> Refused | Failed:
        """Distinguish a refusal from a bad request; after too many in a row the model is unusable."""
        if is_refusal(error.code, str(error)):
            return Refused(str(error))
        if self._is_hopeless():
            raise UnusableModelError(f"{self.where} declines every request: {error}")
        # Either the request is bad or the account is empty: asking again costs nothing.
        return Failed(f"{self.where} declined: {error}", is_transient=True)

    def error_of(self, status: int, code: str, message: str, wait_seconds: float | None) -> Exception:
        """Make the error for an HTTP status other than success."""
        if status == 402 or code == "insufficient_quota":
            return UnusableModelError(f"no credit is left at {self.where}: {message}")
        if status in (401, 403) and not is_refusal(code, message):
            # Servers quote parts of a wrong key, so their message is left out.
            state = "does not accept the key in" if self.key else "wants a key: set"
            return UnusableModelError(f"{self.where} {state} {self._key_variable} (status {status})")
        if (wait_seconds or 0) > LONGEST_PAUSE_SECONDS:
            reason = f"{self.where} asks to come again in {wait_seconds:,.0f} s ({status}: {message})"
            return UnusableModelError(f"{reason}; the same command goes on then")
        if status in _PASSING or status >= 500:
            reason = f"{self.where} answered {status}: {message}"
            # A gateway that timed out does not know whether the work was done.
            is_busy, is_unsettled = status == 429, status == 504
            return TransientError(reason, retry_after_seconds=wait_seconds, is_busy=is_busy, is_unsettled=is_unsettled)
        if status in (404, 405) or status < 400 or code in _UNKNOWN_MODEL:
            reason = f"{self.where} has no such model or address ({status}: {message}); check the name and base_url"
            return TransientError(reason) if self.has_answered else UnusableModelError(reason)
        return DeclinedError(code, message)

    def follow(self, url: str, location: str) -> str:
        """Return where a redirect leads; refuse another server, which must get neither key nor picture."""
        try:
            target = urljoin(url, location)
            here, there = _origin(url), _origin(target)
        except ValueError:
            raise UnusableModelError(f"{self.where} redirects to no web address: {location[:80]!r}") from None
        if here != there:
            there = one_line(self.redact(there))
            remedy = f"if it is the right one, give base_url={there}/…"
            raise UnusableModelError(
                f"{here} redirects to {there}, another server, to which nothing was sent; {remedy}"
            )
        return target

    def redact(self, value: Any) -> Any:  # noqa: ANN401
        """Replace the key in an answer at any depth; a key short enough to be a word is left."""
        if isinstance(value, list):
            return [self.redact(one) for one in value]
        if isinstance(value, dict):
            # Hugging Face's client has dict classes that keep unknown fields as attributes only.
            held = vars(value) if is_dataclass(value) else value
            return {self.redact(name): self.redact(one) for name, one in held.items()}
        if not isinstance(value, str | bytes) or len(self.key) < SHORTEST_SECRET:
            return value
        if isinstance(value, str):
            return value.replace(self.key, "[key]")
        # As long as the key: an image file stores the length of each comment.
        return value.replace(self.key.encode(), b"[key]".ljust(len(self.key), b"*"))

    def _is_hopeless(self) -> bool:
        """Count a failure; return whether there were more in a row than can be under way at once."""
        self._misses += 1
        return self._misses > self._slots


class PrivateAddressError(UnusableModelError):
    """A server gave the address of a picture on a private network."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"a picture is at {host}, a private address that is not the server's own: allow_private=true fetches it"
        )


class _PublicResolver(aiohttp.ThreadedResolver):
    """Finds the public addresses of a name. Connections are made to these, so that no second look finds others."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = [one for one in await super().resolve(host, port, family) if is_public(one["host"])]
        if not found:
            raise PrivateAddressError(host)
        return found


def is_public(address: str) -> bool:
    """Return whether an IP address is one of the public internet; one within another counts as that within."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    within = (ip.ipv4_mapped or ip.sixtofour) if isinstance(ip, ipaddress.IPv6Address) else None
    return (within or ip).is_global and not (within or ip).is_multicast


class Server:
    """A server that speaks JSON, at one address, with one key.

    The pictures whose addresses it gives are fetched from public addresses and its own host only, or from anywhere
    with `allow_private`. Behind a proxy only addresses in numbers can be checked, as the proxy looks up names.
    """

    def __init__(self, base_url: str, key_variable: str, limits: Limits, *, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self.base_url = check_url(base_url, takes_version=True)
        self.limits = limits
        self.pacer = Pacer(limits.concurrency, limits.requests_per_minute, limits.tokens_per_minute)
        self._session: aiohttp.ClientSession | None = None
        self._public: aiohttp.ClientSession | None = None
        self._proxies: Mapping[str, str] = {}
        self.state = ServerState(self.base_url, key_variable, limits.concurrency)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keep connections open within the context."""
        self._proxies = _list_proxies()
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=30)
        public = aiohttp.TCPConnector(limit=0, keepalive_timeout=30, resolver=_PublicResolver())
        timeout = aiohttp.ClientTimeout(total=self.limits.timeout_seconds, connect=self._connect_seconds)
        try:
            async with (
                aiohttp.ClientSession(connector=connector, timeout=timeout) as self._session,
                aiohttp.ClientSession(connector=public, timeout=timeout) as self._public,
            ):
                yield
        finally:
            self._session = self._public = None

    async def post(self, path: str, body: bytes, *, tokens: int, idempotency_key: str) -> Answered:
        """Send a request that is expected to use so many tokens; return its answer."""
        headers = {"Content-Type": "application/json"}
        address, mark, query = self.base_url.partition("?")
        if self.state.key:
            headers |= {"api-key": self.state.key} if query else {"Authorization": f"Bearer {self.state.key}"}
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        async with self.pacer.turn(tokens) as turn:
            start = time.perf_counter()
            status, told, data = await self._post(f"{address}{path}{mark}{query}", body, headers)
            seconds = time.perf_counter() - start
            self._heed(status, told, turn)
            content = self._read(status, told, data)
            self.state.answer()
            self.pacer.accept(turn, _count_tokens(content, turn.tokens))
        return content, seconds

    async def fetch(self, url: str) -> bytes:
        """Fetch a finished image by its address, without the key; retry, as the image is paid for."""
        reason = f"{url[:80]!r} is no web address"
        for wait_seconds in (0.2, 1.0, None) if url.startswith(("http://", "https://")) else ():
            try:
                status, data = await self._get(url)
            except PrivateAddressError:
                raise
            except (TransientError, UnusableModelError, ValueError) as error:
                reason = str(error)
            else:
                if status == 200:
                    return data
                reason = f"status {status}"
            if wait_seconds is not None:
                await asyncio.sleep(wait_seconds)
        raise TransientError(f"the image that was made could not be fetched: {reason}", is_unsettled=True)

    async def _get(self, url: str) -> tuple[int, bytes]:
        """Fetch what is no text; follow redirects, each of which may lead to a private address."""
        for _ in range(_MOST_REDIRECTS):
            status, told, data = await self._exchange("GET", url, None, {})
            if status not in _REDIRECTS or "Location" not in told:
                break
            url = urljoin(url, told["Location"])
        kind = told.get("Content-Type", "").partition(";")[0].strip().lower()
        if status == 200 and not kind.startswith("image/") and kind not in _UNNAMED_KINDS:
            raise TransientError(f"{kind[:80]} is not a picture", is_unsettled=True)
        return status, data

    async def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        """Send and receive; follow redirects within the server."""
        for _ in range(_MOST_REDIRECTS):
            status, told, data = await self._exchange("POST", url, body, headers)
            if status not in _REDIRECTS or "Location" not in told:
                break
            url = self.state.follow(url, told["Location"])
            if status not in _SAME_REQUEST:
                break
        return status, told, data

    async def _exchange(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send and receive; errors below HTTP may pass, and the request may have been paid for if it was sent."""
        if self._session is None or self._public is None:
            raise TypeError("the server is called while it is not opened")
        is_fetched = method == "GET"
        session = self._public if is_fetched and self._must_be_public(url) else self._session
        host = str(urlsplit(url).hostname) if is_fetched else self.base_url
        options: dict[str, Any] = {"proxy": self._proxy(url), "allow_redirects": False}
        try:
            async with session.request(method, url, data=body, headers=headers, **options) as answer:
                data = bytearray()
                async for chunk in answer.content.iter_any():
                    data += chunk
                    if len(data) > _LARGEST_ANSWER_BYTES:
                        raise TransientError("the server's answer is larger than 200 MB", is_unsettled=True)
                return answer.status, answer.headers, bytes(data)
        except aiohttp.ConnectionTimeoutError:
            raise TransientError(f"no connection to {host} within {self._connect_seconds:g} s") from None
        except TimeoutError:
            raise TransientError(
                f"no answer within {self.limits.timeout_seconds:g} s; timeout_seconds=… waits longer", is_unsettled=True
            ) from None
        except aiohttp.ClientConnectorError as error:
            reason = f"cannot reach {host}: {_describe(error)}; is the server running, and base_url right?"
            raise self.state.failure(reason, is_unsettled=False) from None
        except aiohttp.InvalidURL:
            raise UnusableModelError(f"{host!r} is no web address; give base_url=http://host:port/v1") from None
        except (aiohttp.ClientError, ConnectionError) as error:
            raise TransientError(f"the connection broke: {type(error).__name__}", is_unsettled=True) from None

    def _must_be_public(self, url: str) -> bool:
        """Return whether only a public address may be asked; refuse one in numbers that is private."""
        host = urlsplit(url).hostname or ""
        if self._allow_private or host == urlsplit(self.base_url).hostname:
            return False
        with suppress(ValueError):  # a name
            if not is_public(host):
                raise PrivateAddressError(host)
        return not self._proxy(url)

    def _proxy(self, url: str) -> str | None:
        parts = urlsplit(url)
        return None if not self._proxies or proxy_bypass(parts.hostname or "") else self._proxies.get(parts.scheme)

    @property
    def _connect_seconds(self) -> float:
        return min(30.0, self.limits.timeout_seconds)

    def _heed(self, status: int, told: Mapping[str, str], turn: Turn) -> None:
        """Adjust the pace to what the server says about its limits."""
        if status == 429:
            self.pacer.reject(turn, retry_after_seconds(told, time.time()))
        for what in ("requests", "tokens"):
            # The limit is used up: calls before the reset would be rejected.
            if told.get(f"x-ratelimit-remaining-{what}") == "0":
                self.pacer.close(_duration_seconds(told.get(f"x-ratelimit-reset-{what}", "")))

    def _read(self, status: int, told: Mapping[str, str], data: bytes) -> Mapping[str, Any]:
        """Return the answer's JSON, or raise the error it means."""
        content = self.state.redact(parse_json(data))
        if 200 <= status < 300 and isinstance(content, dict) and not content.get("error"):
            return content
        code, message = read_error(content, self.state.redact(data.decode("utf-8", "replace")))
        if 200 <= status < 300:
            what = "an error" if content is not None else "HTML" if data.lstrip()[:1] == b"<" else "no JSON"
            raise self.state.failure(f"{self.base_url} answered with {what}: {message}; is base_url right (…/v1)?")
        raise self.state.error_of(status, code, message, retry_after_seconds(told, time.time()))


def retry_after_seconds(told: Mapping[str, str], now: float) -> float | None:
    """Read how long a server asks us to wait: in milliseconds, in seconds, or until a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        if name not in told:
            continue
        try:
            seconds = float(told[name]) * unit
        except ValueError:
            seconds = _read_date(told[name]) - now
        return max(0.0, seconds) if math.isfinite(seconds) else None
    return None


def is_refusal(code: str, message: str) -> bool:
    """Return whether a server says that the content is not allowed."""
    return code in _REFUSALS or bool(_REFUSED.search(message))


def parse_json(data: bytes) -> Any:  # noqa: ANN401
    """Read JSON, or return None; the quick reader refuses lone surrogates, which models write at times."""
    for read in (from_json, json.loads):
        try:
            return read(data)
        except (ValueError, RecursionError):
            continue
    return None


def _origin(url: str) -> str:
    parts = urlsplit(url)
    port = parts.port if parts.port not in (None, {"http": 80, "https": 443}.get(parts.scheme)) else None
    return f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port else "")


def _read_date(text: str) -> float:
    try:
        date = email.utils.parsedate_tz(text)
        return math.nan if date is None else float(email.utils.mktime_tz(date))
    except (ValueError, OverflowError):
        return math.nan


def _list_proxies() -> Mapping[str, str]:
    """List the proxies in the environment; aiohttp would also look for passwords in ~/.netrc."""
    return getproxies() if any(name.lower().endswith("_proxy") for name in os.environ) else {}


def _describe(error: aiohttp.ClientConnectorError) -> str:
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "no such host"
    if isinstance(error, aiohttp.ClientSSLError):
        return "its certificate is not accepted"
    return os.strerror(error.os_error.errno) if error.os_error.errno else type(error.os_error).__name__


def _duration_seconds(text: str) -> float:
    """Read a duration such as 6m0s, 1.5s or 20ms; anything else is 0."""
    units = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
    return min(60.0, sum(float(number) * units[unit] for number, unit in _DURATION.findall(text)))


def check_url(url: str, given_as: str = "base_url", *, takes_version: bool = False) -> str:
    """Check that this is a server's address without a secret; Azure's addresses hold an API version."""
    try:
        parts = urlsplit(url)
        has_host = parts.scheme in ("http", "https") and bool(parts.hostname) and not re.search(r"\s", url)
        _ = parts.port
    except ValueError:
        has_host = False
    if not has_host:
        shown = url if "@" not in url else "…"
        raise BadValueError(f"{given_as}={shown!r}: should be like http://localhost:8000/v1")
    is_plain = not parts.query or (takes_version and _VERSION.fullmatch(parts.query))
    if "@" in parts.netloc or parts.fragment or not is_plain:
        but = " but ?api-version=…" * takes_version
        secret = f"a password nor ?…{but}"
        raise BadValueError(f"{given_as} must hold neither {secret}: a key is read from the environment only")
    path, mark, query = url.partition("?")
    return path.rstrip("/") + mark + query


def find_key(variable: str) -> str:
    """Return a key from the environment, or an empty text."""
    key = os.environ.get(variable, "").strip()
    if not all(33 <= ord(char) < 127 for char in key):
        raise BadValueError(f"{variable} holds characters that no key has; set it anew")
    return key


def read_error(content: object, text: str) -> tuple[str, str]:
    """Find an error's code and message, wherever servers put them; else return the text."""
    error = content
    for name in ("error", "detail"):
        error = error.get(name, error) if isinstance(error, dict) else error
    error = error[0] if isinstance(error, list) and error else error
    if isinstance(error, dict):
        code = error.get("code") or error.get("type") or ""
        return str(code), one_line(str(error.get("message") or error.get("msg") or error))
    return "", one_line(error if isinstance(error, str) else text)


def one_line(text: str) -> str:
    """Shorten a message to one readable line."""
    return " ".join(text[: 4 * _LONGEST_MESSAGE].split())[:_LONGEST_MESSAGE]


def _count_tokens(content: Mapping[str, Any], expected: int) -> int:
    usage = content.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else expected


def read_usage(content: Mapping[str, Any]) -> Usage | None:
    """Read what a call used, if the server gives plausible numbers."""
    usage = content.get("usage")
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = (
        _count(usage.get(name, usage.get(other)))
        for name, other in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
    )
    if tokens_in is None or tokens_out is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Usage(tokens_in, tokens_out, cached_in=min(cached or 0, tokens_in))


def _count(value: object) -> int | None:
    is_count = isinstance(value, int | float) and 0 <= value < 10**12 and value == int(value)
    return int(value) if is_count and isinstance(value, int | float) else None


class ServedModel(Model):
    """Asks a server, at a pace that it can bear; what goes wrong becomes a reply, or an error that says what to do.

    A class for one server gives its address, the variable that holds its key, and a method for each task: `answer`,
    `draw` or both. Each method sends with `post` and reads what comes back.
    """

    name: str
    """Its name in specs, NAME:MODEL."""
    usual_url: str
    """The server's address, unless `base_url` gives another; there it needs a key."""
    usual_key_variable: str

    def __init__(
        self,
        model: str,
        /,
        *,
        base_url: Annotated[str | None, RuntimeOption] = None,
        concurrency: Annotated[int, RuntimeOption] = 32,
        requests_per_minute: Annotated[float | None, RuntimeOption] = None,
        tokens_per_minute: Annotated[float | None, RuntimeOption] = None,
        timeout_seconds: Annotated[float, RuntimeOption] = 120.0,
        key_variable: Annotated[str | None, RuntimeOption] = None,
        allow_private: Annotated[bool, RuntimeOption] = False,
    ) -> None:
        limits = Limits(concurrency, requests_per_minute, tokens_per_minute, timeout_seconds)
        address, key = base_url or self.usual_url, key_variable or self.usual_key_variable
        self.connect(model, Server(address, key, limits, allow_private=allow_private))

    def connect(self, served_name: str, server: Server) -> None:
        """Take the server to ask; a constructor with options of its own makes one, and calls this."""
        self.server, self.base_url, self.served_name = server, server.base_url, served_name
        self.concurrency = server.limits.concurrency

    def __init_subclass__(cls) -> None:
        """Find the tasks: those for which there is a method."""
        if "tasks" not in vars(cls):
            both: tuple[TaskKind, ...] = ("answer", "draw")
            cls.tasks = frozenset(task for task in both if getattr(cls, task) is not getattr(ServedModel, task))

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep the connections to the server open."""
        return self.server.opened()

    def check(self) -> None:
        """Raise BadValueError if a key is needed and missing."""
        if self.base_url == self.usual_url:
            self.server.state.need_key(f"{self.name}:{self.served_name}")

    async def answer(self, picture: bytes, question: str, request: Request) -> tuple[str, Answered]:
        """Answer a question about a picture: return the words, and what `post` gave."""
        raise NotImplementedError

    async def draw(self, prompt: str, request: Request) -> tuple[bytes, Answered]:
        """Draw a prompt: return the encoded picture, and what `post` gave."""
        raise NotImplementedError

    async def respond(self, request: Request, /) -> Reply:
        """Send the task; a refusal is a reply, too."""
        provenance = replace(request.provenance(), parameters={"base_url": self.base_url})
        content: Pixels | Said
        try:
            if isinstance(request.task, Draw):
                data, (came, seconds) = await self.draw(request.text, request)
                content = Pixels(data)
            else:
                words, (came, seconds) = await self.answer(request.picture(), request.text, request)
                content = Said(words)
        except DeclinedError as error:
            return Reply(self.server.state.read_decline(error), provenance)
        return Reply(content, provenance, seconds, read_usage(came))

    async def post(self, path: str, body: Mapping[str, Any], requests: Sequence[Request], tokens: int = 0) -> Answered:
        """Send what some requests ask for, which is expected to use so many tokens.

        By an idempotency key the server recognises a repeated call. It includes a hash of the body: a run with another
        seed has trials of the same ids, with other pictures.
        """
        ids, sent = [request.trial_id for request in requests], json.dumps(body)
        key = f"{ids[0] if len(ids) == 1 else digest(*ids)}-{digest(sent)[:8]}"
        return await self.server.post(path, sent.encode(), tokens=tokens, idempotency_key=key)
