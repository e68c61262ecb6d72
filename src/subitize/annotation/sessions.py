"""Sessions and security of the web apps: signed sessions, CSRF tokens, rate limits, bounds and headers."""

import hmac
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from importlib.resources import files
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from itsdangerous import BadSignature, URLSafeTimedSerializer

from subitize.annotation.people import Person, sign
from subitize.errors import BadValueError, SubitizeError, UnknownNameError

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
_SESSION_SECONDS = 7 * 24 * 3600


class Sessions:
    """Sessions of people, whom `find` returns by their IDs."""

    def __init__(self, secret: str, find: Callable[[int], Person | None]) -> None:
        self._secret, self._find = secret, find
        self._signed = URLSafeTimedSerializer(secret, salt="session")
        self._joining = Limiter(per_second=1, burst=20)
        self._working = Limiter(per_second=50, burst=200)

    def let_in(self, person: Person, request: Request) -> Response:
        """Begin a session and redirect to the first page."""
        root, session = root_of(request), self._signed.dumps(person.id)
        response, is_https = RedirectResponse(f"{root}/", 303), request.url.scheme == "https"
        response.set_cookie(
            _cookie(request), session, _SESSION_SECONDS, f"{root}/", httponly=True, samesite="lax", secure=is_https
        )
        return response

    def identify(self, request: Request) -> Person:
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

    def send_page(self, request: Request, choose: Callable[[Person], str]) -> Response:
        """Send the static page chosen for the person, or the reason why there is none."""
        try:
            return FileResponse(str(STATIC / choose(self.identify(request))))
        except HTTPException as error:
            return PlainTextResponse(str(error.detail), error.status_code)

    def identify_changing(self, request: Request) -> Person:
        """Return who sends a changing request, which needs the CSRF token of one of our pages."""
        person = self.identify(request)
        if not is_same(request.headers.get("x-csrf-token", ""), self.csrf_token(person)):
            raise HTTPException(403, "the page is out of date; reload it")
        return person

    def csrf_token(self, person: Person) -> str:
        """Make a person's CSRF token; it outlives sessions, so that other tabs keep working."""
        return sign(self._secret, "csrf", person.id)

    def slow_down(self, request: Request) -> None:
        """Refuse an address that tries too many links."""
        address = request.client.host if request.client else ""
        if not self._joining.admit(address, time.monotonic()):
            raise HTTPException(429, "too many tries; wait a minute")


def root_of(request: Request) -> str:
    """Return the path that the app is mounted at, without a slash at its end."""
    return str(request.scope.get("root_path", ""))


def address_of(request: Request) -> str:
    """Return the address of the app."""
    return f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"


def is_same(given: str, secret: str) -> bool:
    """Compare tokens in constant time."""
    return hmac.compare_digest(given.encode(), secret.encode())


def _cookie(request: Request) -> str:
    """Name the cookie after the mount path, so that one browser can use several studies."""
    return COOKIE + root_of(request).replace("/", "_")


STATIC = files("subitize.annotation") / "static"
UNKNOWN_LINK = HTTPException(404, "this invitation is not known, or was withdrawn; ask whoever sent it")
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


def guarded_app(hosts: frozenset[str] | None) -> FastAPI:
    """Make an app with only our static files; `hosts` are the names it answers to (None: any)."""
    app = FastAPI(title="subitize annotate", docs_url=None, redoc_url=None)
    app.middleware("http")(_Guard(hosts))
    app.exception_handler(SubitizeError)(_describe)
    app.mount("/static", StaticFiles(directory=str(STATIC)))
    return app


async def _describe(_: Request, error: Exception) -> JSONResponse:
    status = 422 if isinstance(error, BadValueError | UnknownNameError) else 503
    return JSONResponse({"detail": str(error)}, status)


class _Guard:
    def __init__(self, hosts: frozenset[str] | None) -> None:
        self._hosts, self._limiter = hosts, Limiter(per_second=1000, burst=2000)  # a whole team may have one address

    async def __call__(self, request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        refused = self._refuse(request)
        response = refused or await call_next(request)
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    def _refuse(self, request: Request) -> Response | None:
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname
        if self._hosts is not None and host not in self._hosts:
            return JSONResponse({"detail": "this server has another name"}, 400)
        length = request.headers.get("content-length", "0")
        if request.method not in ("GET", "HEAD") and not (length.isdecimal() and int(length) <= _LARGEST_BODY_BYTES):
            return JSONResponse({"detail": f"a request has at most {_LARGEST_BODY_BYTES:,} bytes, and says so"}, 413)
        if "transfer-encoding" in request.headers:
            return JSONResponse({"detail": "a request says how long it is"}, 411)
        if not self._limiter.admit(request.client.host if request.client else "", time.monotonic()):
            return JSONResponse({"detail": "too many requests; wait a second"}, 429, {"Retry-After": "1"})
        return None
