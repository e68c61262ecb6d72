"""Web apps with security headers, bounds on requests, their own static files, and readable errors."""

import time
from collections.abc import Awaitable, Callable
from html import escape
from importlib.resources import files
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from subitize.errors import BadValueError, SubitizeError, UnknownNameError
from subitize.web.sessions import Limiter, root_of

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
    app.middleware("http")(_Guard(hosts))
    app.exception_handler(SubitizeError)(_describe)
    app.exception_handler(RequestValidationError)(_describe_faults)
    app.exception_handler(HTTPException)(_refuse)
    app.mount("/static", StaticFiles(packages=[(package, "static"), ("subitize.web", "static")]))
    return app


def send_page(package: str, name: str) -> Response:
    """Send a page of a package."""
    return FileResponse(str(files(package) / "static" / name))


def _describe(_: Request, error: Exception) -> Response:
    return JSONResponse({"detail": str(error)}, 422 if isinstance(error, BadValueError | UnknownNameError) else 503)


def _describe_faults(_: Request, error: Exception) -> Response:
    """Describe the first fault of a request that has not the right shape."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    return JSONResponse({"detail": f"{faults[0]['loc'][-1]}: {faults[0]['msg']}"}, 422)


def _refuse(request: Request, error: Exception) -> Response:
    """Answer a browser by a page, a program by JSON."""
    if not isinstance(error, HTTPException):
        raise error
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"detail": error.detail}, error.status_code, error.headers)
    title, detail = f"Not possible ({error.status_code})", escape(error.detail)
    page = _ERROR_PAGE.format(root=root_of(request), title=title, detail=detail)
    return HTMLResponse(page, error.status_code, error.headers)


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
