"""Who sends a request: signed sessions that expire, and the CSRF token."""

import hmac
import time
from collections.abc import Callable

from fastapi import HTTPException, Request, Response
from fastapi.responses import RedirectResponse
from itsdangerous import BadSignature, URLSafeTimedSerializer

from subitize.annotation.people import Person, sign
from subitize.annotation.rate_limits import Limiter

COOKIE = "subitize_session"
_SESSION_SECONDS = 7 * 24 * 3600


class Sessions:
    """The sessions of those whom `find` knows by their numbers."""

    def __init__(self, secret: str, find: Callable[[int], Person | None]) -> None:
        self._secret, self._find = secret, find
        self._signed = URLSafeTimedSerializer(secret, salt="session")
        self._joining = Limiter(per_second=1, burst=20)
        self._working = Limiter(per_second=50, burst=200)

    def let_in(self, person: Person, request: Request) -> Response:
        """Begin a session, and go to the first page."""
        root, session = root_of(request), self._signed.dumps(person.id)
        response, is_https = RedirectResponse(f"{root}/", 303), request.url.scheme == "https"
        response.set_cookie(
            _cookie(request), session, _SESSION_SECONDS, f"{root}/", httponly=True, samesite="lax", secure=is_https
        )
        return response

    def identify(self, request: Request) -> Person:
        """Find who sends a request, by their session."""
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

    def identify_changing(self, request: Request) -> Person:
        """Find who wants to change something; only a page of ours knows the token that this takes."""
        person = self.identify(request)
        if not is_same(request.headers.get("x-csrf-token", ""), self.csrf_token(person)):
            raise HTTPException(403, "the page is out of date; reload it")
        return person

    def csrf_token(self, person: Person) -> str:
        """Make the token of a person's pages; it outlives a session, so that a page stays good in a second tab."""
        return sign(self._secret, "csrf", person.id)

    def slow_down(self, request: Request) -> None:
        """Refuse whoever tries too many links."""
        address = request.client.host if request.client else ""
        if not self._joining.admit(address, time.monotonic()):
            raise HTTPException(429, "too many tries; wait a minute")


def root_of(request: Request) -> str:
    """Tell where the application stands among others: nothing, or a path without a slash at its end."""
    return str(request.scope.get("root_path", ""))


def address_of(request: Request) -> str:
    """Tell the address under which the application is reached."""
    return f"{request.url.scheme}://{request.url.netloc}{root_of(request)}"


def is_same(given: str, secret: str) -> bool:
    """Compare a token with what it should be, in the same time whatever it is."""
    return hmac.compare_digest(given.encode(), secret.encode())


def _cookie(request: Request) -> str:
    """Name the cookie after where the application stands, so that one browser can be in several."""
    return COOKIE + root_of(request).replace("/", "_")
