"""A study on a port, until it is stopped."""

import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from ipaddress import ip_address

from subitize.annotation.people import RECRUITERS_DETAILS
from subitize.annotation.study import Study
from subitize.annotation.texts import Texts
from subitize.errors import MissingPartError
from subitize.store import Lease, Run

OWNER = "owner"


def require_parts() -> None:
    """Refuse to start without the web server."""
    for module in ("fastapi", "uvicorn", "itsdangerous"):
        if find_spec(module) is None:
            raise MissingPartError("the annotation page", module, "annotate")


def invite_all(study: Study, names: Sequence[str], address: str) -> dict[str, str]:
    """Invite people and the owner, and make the link of each."""
    invited = [*(study.people.invite(name) for name in names), study.people.invite(OWNER, "owner")]
    return {person.name: f"{address}/join/{study.people.join_token(person)}" for person in invited}


def recruiting_link(study: Study, address: str) -> str:
    """Make the link that lets anybody in; Prolific fills in what is in braces."""
    details = "&".join(f"{name}={{{{%{name}%}}}}" for name in RECRUITERS_DETAILS)
    return f"{address}/study/{study.people.recruiting_token()}?{details}"


def serve(
    study: Study, texts: Texts, run: Run, lease: Lease, listening: socket.socket, on_ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM; requests under way are answered first."""
    import uvicorn

    from subitize.annotation.ownership import Overseer
    from subitize.annotation.server import make_app

    host = listening.getsockname()[0]
    hosts = frozenset({"localhost", "127.0.0.1", "::1"}) if ip_address(host).is_loopback else None
    overseer = Overseer(run.location, study.settings.judge)
    app = make_app(study, texts, run.images, overseer, lambda: run.renew(lease), hosts)
    config = uvicorn.Config(app, log_level="critical", access_log=False, server_header=False, lifespan="on")
    server = uvicorn.Server(config)
    on_ready()
    server.run(sockets=[listening])
