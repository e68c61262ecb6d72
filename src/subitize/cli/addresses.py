"""The addresses at which commands serve."""

import socket
from ipaddress import ip_address

from subitize.errors import BadValueError

_MOST_WAITING = 1024
"""How many connections may wait to be taken."""


def listen(host: str, port: int) -> socket.socket:
    """Take the address, before anything slow is done."""
    if not 0 <= port <= 65_535:
        raise BadValueError(f"--port {port}: should be from 0 (any that is free) to 65535")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_MOST_WAITING)
    except (OSError, UnicodeError) as error:
        why, _, _ = str(getattr(error, "strerror", None) or error).partition(" (while")
        raise BadValueError(
            f"cannot listen at {host}, port {port}: {why}; name another with --port (0: any that is free) or --host"
        ) from None


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
