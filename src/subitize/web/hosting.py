"""Where web apps are served: free ports, loopback addresses, and a server that ends as it should."""

import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from subitize.errors import BadValueError, MissingPartError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_MOST_WAITING = 1024
"""The number of connections that may wait to be accepted."""


def require_parts() -> None:
    """Raise an error unless the packages of the web apps are installed."""
    for module in ("fastapi", "uvicorn", "itsdangerous"):
        if find_spec(module) is None:
            raise MissingPartError("a page in the browser", module, "web")


def listen(host: str, port: int) -> socket.socket:
    """Reserve the address before any slow work begins."""
    if not 0 <= port <= 65_535:
        raise BadValueError(f"`port` {port}: should be from 0 (any that is free) to 65535")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=_MOST_WAITING)
        # asyncio sets it for sockets of its own making only; without it each response waits for a delayed ACK, 40 ms.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, UnicodeError) as error:
        why, _, _ = str(getattr(error, "strerror", None) or error).partition(" (while")
        raise BadValueError(
            f"cannot listen at {host}, port {port}: {why}; name another with `port` (0: any that is free) or `host`"
        ) from None


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def address_at(host: str, listening: socket.socket) -> str:
    """Return the address that a browser opens."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def hosts_at(address: str) -> frozenset[str] | None:
    """List the names that a server answers to: on this machine only its own, elsewhere any."""
    return frozenset({"localhost", "127.0.0.1", "::1"}) if is_loopback(urlsplit(address).hostname or "") else None


def serve(app: "ASGIApp", listening: socket.socket, on_ready: Callable[[], object]) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are answered first."""
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, server_header=False, lifespan="on")
    )
    on_ready()
    # After stopping, the server raises the signal again, which must not end us before we close.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
