"""Web apps: who sends a request, by signed sessions and CSRF tokens; headers, bounds, static files, readable errors."""

import time
from collections import OrderedDict
from collections.abc import Callable
from html import escape
from importlib.resources import files
from typing import Any, Protocol
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from subitize.errors import BadValueError, ConflictError, SubitizeError, UnknownNameError
from subitize.web import is_same, sign

UNKNOWN_LINK = HTTPException(404, "this invitation is not known, or was withdrawn; ask whoever sent it")
_MOST_ADDRESSES = 10_000


class Limiter:
    """Limits the requests per second from each address, with bursts after a pause."""

    def __init__(self, *, per_second: float, burst: float) -> None:
        self._per_second, self._burst = per_second, burst
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admit(self, address: str, now: float) -> bool:
        """Return whether to admit a request."""
        left, since = self._left.pop(address, (self._burst, now))
        left = min(self._burst, left + (now - since) * self._per_second)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > _MOST_ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


COOKIE = "subitize_session"
_SESSION_SECONDS, _BOUND_SECONDS = 7 * 24 * 3600, 365 * 24 * 3600


class Account(Protocol):
    """Somebody who may sign in."""

    @property
    def id(self) -> int:
        """The number by which a session knows them."""

    @property
    def is_withdrawn(self) -> bool:
        """Whether their link is closed."""


class Sessions:
    """Sessions of accounts, which `find` returns by their IDs."""

    def __init__(self, secret: str, find: Callable[[int], Account | None]) -> None:
        self._secret, self._find = secret, find
        self._signed = URLSafeTimedSerializer(secret, salt="session")
        self._joining = Limiter(per_second=1, burst=20)
        self._working = Limiter(per_second=50, burst=200)

    def let_in(self, person: Account, request: Request, *, is_bound: bool = False) -> Response:
        """Begin a session and redirect to the first page; optionally bind the person to this browser."""
        root, signed, is_https = root_of(request), self._signed.dumps(person.id), request.url.scheme == "https"
        response = RedirectResponse(f"{root}/", 303)
        cookies = {_cookie(request): _SESSION_SECONDS} | ({_bound(request, person): _BOUND_SECONDS} if is_bound else {})
        for name, seconds in cookies.items():
            response.set_cookie(name, signed, seconds, f"{root}/", httponly=True, samesite="lax", secure=is_https)
        return response

    def is_bound(self, person: Account, request: Request) -> bool:
        """Return whether a person was bound to this browser."""
        try:
            signed = request.cookies.get(_bound(request, person), "")
            return bool(self._signed.loads(signed, max_age=_BOUND_SECONDS) == person.id)
        except BadSignature:
            return False

    def identify(self, request: Request) -> Account:
        """Return who sends a request, by their session."""
        try:
            number = self._signed.loads(request.cookies.get(_cookie(request), ""), max_age=_SESSION_SECONDS)
        except BadSignature:
            raise HTTPException(
                401, "you are not signed in, or it was too long ago; open your invitation link"
            ) from None
        person = self._find(number)
        if person is None or person.is_withdrawn:
            raise HTTPException(403, "your invitation was withdrawn; what you said is kept")
        if not self._working.admit(str(person.id), time.monotonic()):
            raise HTTPException(429, "too many requests; wait a second", {"Retry-After": "1"})
        return person

    def identify_changing(self, request: Request) -> Account:
        """Return who sends a changing request, which needs the CSRF token of one of our pages."""
        person = self.identify(request)
        if not is_same(request.headers.get("x-csrf-token", ""), self.csrf_token(person)):
            raise HTTPException(403, "the page is out of date; reload it")
        return person

    def csrf_token(self, person: Account) -> str:
        """Make a person's CSRF token; it outlives sessions, so that other tabs keep working."""
        return sign(self._secret, "csrf", person.id)

    def slow_down(self, request: Request) -> None:
        """Refuse an address that tries too many links."""
        address = request.client.host if request.client else ""
        if not self._joining.admit(address, time.monotonic()):
            raise HTTPException(429, "too many tries; wait a minute")


async def identify(request: Request) -> Any:  # noqa: ANN401
    """Return who sends a request, as a dependency of handlers; the app keeps its sessions in its state."""
    return request.app.state.sessions.identify(request)


async def identify_changing(request: Request) -> Any:  # noqa: ANN401
    """Return who sends a changing request, as a dependency of handlers."""
    return request.app.state.sessions.identify_changing(request)


def root_of(request: Request) -> str:
    """Return the path that the app is mounted at, without a slash at its end."""
    return str(request.scope.get("root_path", ""))


def address_of(request: Request) -> str:
    """Return the address of the app."""
    return f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"


def _cookie(request: Request) -> str:
    """Name the cookie after the mount path, so that one browser can use several studies."""
    return COOKIE + root_of(request).replace("/", "_")


def _bound(request: Request, person: Account) -> str:
    return f"{_cookie(request)}_of_{person.id}"


_LARGEST_BODY_BYTES = 65_536
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_ERROR_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>subitize</title>
<link rel="stylesheet" href="{root}/static/page.css">
<main class="problem"><h1>{title}</h1><p>{detail}</p></main>
</html>
"""


def make_web_app(package: str, hosts: frozenset[str] | None) -> FastAPI:
    """Make an app with the static files of a package and ours; `hosts` are the names it answers to (None: any)."""
    app = FastAPI(title=package.replace(".", " "), docs_url=None, redoc_url=None)
    app.add_middleware(_Guard, hosts=hosts)
    app.exception_handler(SubitizeError)(_describe)
    app.exception_handler(RequestValidationError)(_describe_faults)
    app.exception_handler(AnyHTTPException)(_refuse)
    app.mount("/static", StaticFiles(packages=[(package, "static"), ("subitize.web", "static")]))
    return app


def send_page(package: str, name: str) -> Response:
    """Send a page of a package."""
    return FileResponse(str(files(package) / "static" / name))


def _describe(request: Request, error: Exception) -> Response:
    is_faulty = isinstance(error, BadValueError | UnknownNameError)
    status = 409 if isinstance(error, ConflictError) else 422 if is_faulty else 503
    return _refuse(request, HTTPException(status, str(error)))


def _describe_faults(_: Request, error: Exception) -> Response:
    """Describe the first fault of a request that has not the right shape."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    return JSONResponse({"detail": f"{faults[0]['loc'][-1]}: {faults[0]['msg']}"}, 422)


def _refuse(request: Request, error: Exception) -> Response:
    """Answer a browser by a page, a program by JSON."""
    if not isinstance(error, AnyHTTPException):
        raise error
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)
    title, detail = f"Not possible ({error.status_code})", escape(error.detail)
    page = _ERROR_PAGE.format(root=root_of(request), title=title, detail=detail)
    return HTMLResponse(page, error.status_code, error.headers)


class _Guard:
    """Refuses requests before anything of them is read, and adds our headers to every response."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._app, self._hosts = app, hosts
        self._limiter = Limiter(per_second=1000, burst=2000)  # a whole team may have one address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refuse(Request(scope)) if scope["type"] == "http" else None
        await (refused or self._app)(scope, receive, send_with_headers)

    def _refuse(self, request: Request) -> Response | None:
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname
        if self._hosts is not None and host not in self._hosts:
            return JSONResponse({"detail": "unknown Host header"}, 400)
        length = request.headers.get("content-length", "0")
        if request.method not in ("GET", "HEAD") and not (length.isdecimal() and int(length) <= _LARGEST_BODY_BYTES):
            return JSONResponse(
                {"detail": f"body too large (at most {_LARGEST_BODY_BYTES:,} bytes; Content-Length required)"}, 413
            )
        if "transfer-encoding" in request.headers:
            return JSONResponse({"detail": "Content-Length required"}, 411)
        if not self._limiter.admit(request.client.host if request.client else "", time.monotonic()):
            return JSONResponse({"detail": "too many requests; wait a second"}, 429, {"Retry-After": "1"})
        return None
