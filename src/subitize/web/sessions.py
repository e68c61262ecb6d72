"""Who sends a request: signed sessions of accounts that links open, CSRF tokens, rate limits."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

from fastapi import HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from itsdangerous import BadSignature, URLSafeTimedSerializer

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
_SESSION_SECONDS = 7 * 24 * 3600


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

    def let_in(self, person: Account, request: Request) -> Response:
        """Begin a session and redirect to the first page."""
        root, session = root_of(request), self._signed.dumps(person.id)
        response, is_https = RedirectResponse(f"{root}/", 303), request.url.scheme == "https"
        response.set_cookie(
            _cookie(request), session, _SESSION_SECONDS, f"{root}/", httponly=True, samesite="lax", secure=is_https
        )
        return response

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
