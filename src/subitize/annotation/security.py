"""Security of the web applications: bounds on requests, and headers that restrict what a browser may do."""

import time
from collections.abc import Awaitable, Callable
from importlib.resources import files
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles

from subitize.annotation.rate_limits import Limiter
from subitize.errors import BadValueError, SubitizeError, UnknownNameError

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
    """Make an application with our static files and no other route; `hosts` are the names it answers to, None any."""
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
