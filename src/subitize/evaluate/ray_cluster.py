"""The nodes of a Ray cluster: how one joins them, what runs there, and what goes wrong with them, in one line."""

import asyncio
import logging
import os
import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import ray
from ray import exceptions
from ray._private import services

from subitize import __version__
from subitize.errors import BadValueError, RunError, SubitizeError
from subitize.evaluate.engines import Called, Failure, Kind, Method, compute, failure_of, make_again
from subitize.io.specs import check_range

_ANSWER_SECONDS = 5.0
# The head of a cluster speaks gRPC, and so HTTP/2 (RFC 9113, 3.4): both sides begin with their settings.
_HTTP2_SETTINGS = b"\4"
_HTTP2_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0" + _HTTP2_SETTINGS + b"\0\0\0\0\0"
# A busy cluster may make room, and one that grows needs minutes for a new node.
_PLACEMENT_SECONDS = 600.0
_MOST_CHARACTERS = 300
_SMALLER = "`engine` ray:cpus=1,gpus=0.5"


@dataclass(frozen=True, slots=True)
class WorkerSize:
    """What each worker takes, and how many there may be; None: as many as the cluster has room for now.

    Without `gpus`, a network takes a whole GPU if the cluster has any.
    """

    workers: int | None = None
    cpus: float = 1.0
    gpus: float | None = None

    def __post_init__(self) -> None:
        check_range("`engine` ray", 1, workers=self.workers)
        check_range("`engine` ray", 0.01, cpus=self.cpus)
        check_range("`engine` ray", 0, gpus=self.gpus)
        if self.gpus is not None and self.gpus > 1 and self.gpus % 1:
            raise BadValueError(f"`engine` ray: gpus={self.gpus:g}: above 1 it should be a whole number")


def join_cluster(address: str | None) -> None:
    """Become a driver of the cluster at an address, else of the one of this machine; "local" starts one here."""
    address = address or os.environ.get("RAY_ADDRESS") or "auto"
    if address != "local":
        _check_address(_find_here() if address == "auto" else address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
    except Exception as error:  # of many kinds
        ray.shutdown()  # it may have half joined
        raise RunError(
            f"cannot join the Ray cluster ({address}): {' '.join(str(error).split())}; this machine must be a node "
            "(ray start --address HOST:PORT) with the same versions of Ray and Python, and RAY_AUTH_MODE=token if the "
            "cluster wants a token"
        ) from None


def count_room(size: WorkerSize, gpus: float) -> int:
    """Count the workers for which the nodes have room, unless their number was given."""
    if size.workers is not None:
        return size.workers
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    wanted = {name: number for name, number in (("CPU", size.cpus), ("GPU", gpus)) if number}
    room = sum(min(int(node.get(name, 0) / number) for name, number in wanted.items()) for node in nodes)
    if not room:
        largest = " and ".join(f"{max(node.get(name, 0) for node in nodes):g} {name}" for name in wanted)
        raise RunError(
            f"a worker takes {_describe(size.cpus, gpus)}, and no node of the Ray cluster has more than "
            f"{largest}; add a larger node, or take less, as in {_SMALLER}"
        )
    return room


class RayWorker:
    """A worker on a node of the cluster, with its model or judge."""

    def __init__(self, kind: Kind, text: str, folder: str) -> None:
        self._given = (kind, text)
        self._it: Any = None
        with suppress(OSError):  # specs may name files relative to the folder of the command
            os.chdir(folder)

    def report(self) -> tuple[str, str]:
        """Return its version of subitize, and its node."""
        return __version__, ray.util.get_node_ip_address()

    def load(self) -> Failure | None:
        """Make the model or judge, and load its weights; return why that fails."""
        try:
            self._it = make_again(*self._given)
        except Exception as error:
            return _ending(error)
        failed = self.invoke("check")
        return failed if isinstance(failed, Failure) else None

    def invoke(self, method: Method) -> Any:  # noqa: ANN401
        """Call a method of the model or judge."""
        try:
            return getattr(self._it, method)()
        except Exception as error:
            return _ending(error)

    def compute(self, asked: Sequence[Any]) -> Called | Failure:
        """Compute the answers of a call."""
        return compute(self._it, asked)


async def load_worker(worker: Any) -> Failure | None:  # noqa: ANN401
    """Wait until a worker has a place and its weights; return why it cannot work."""
    version, node = await asyncio.wait_for(worker.report.remote(), _PLACEMENT_SECONDS)
    if version != __version__:
        return _other_version(version, __version__, node)
    failure: Failure | None = await worker.load.remote()
    return failure and _at(node, failure)


def perform(version: str, function: Callable[..., Any], *given: object) -> Any:  # noqa: ANN401
    """Call a function on a node; return a failure where it raises an error."""
    node = ray.util.get_node_ip_address()
    if version != __version__:
        return _other_version(__version__, version, node)
    try:
        return function(*given)
    except Exception as error:
        return _at(node, _ending(error))


def _other_version(version: str, wanted: str, node: str) -> Failure:
    return Failure(
        f"node {node} has subitize {version}, and the command runs with {wanted}; install the same there: "
        f"pip install subitize=={wanted}",
        ends_run="run",
    )


def _at(node: str, failure: Failure) -> Failure:
    return replace(failure, reason=f"node {node}: {failure.reason} (each node needs the same packages and files)")


def describe_error(error: exceptions.RayError) -> Failure:
    """Describe an error of Ray, in one line."""
    text = str(error)
    if isinstance(error, exceptions.ObjectStoreFullError | exceptions.OutOfDiskError):
        return Failure(
            "the object store of a Ray node is full, and so is its disk; start the nodes with a larger one, ray start "
            "--object-store-memory=BYTES, or ask for smaller pictures or batches",
            ends_run="run",
        )
    if "failed to import on the worker" in text or "ModuleNotFoundError" in text:
        node = re.search(r"ip=([^,)]+)", text)
        return Failure(
            f"the worker on {node[1] if node else 'a node'} cannot start: {_one_line(error)}; install there what is "
            f"installed here: pip install subitize=={__version__}",
            ends_run="run",
        )
    return Failure(_one_line(error))


def describe_want(size: WorkerSize) -> Failure:
    """Say that no worker of this size found a place."""
    return Failure(
        f"no node of the Ray cluster had room for a worker of {_describe(size.cpus, size.gpus or 0)} within "
        f"{_PLACEMENT_SECONDS:g} s; see ray status, or take less, as in {_SMALLER}",
        ends_run="run",
    )


def _describe(cpus: float, gpus: float) -> str:
    return f"{cpus:g} CPU" + (f" and {gpus:g} GPU" if gpus else "")


def _find_here() -> str:
    """Find the address of this machine's cluster, as Ray does: it may be gone."""
    try:
        return str(services.canonicalize_bootstrap_address_or_die("auto"))
    except ConnectionError:
        raise RunError(
            "this machine belongs to no Ray cluster: start one, ray start --head, or give its `ray_address`"
        ) from None


def _check_address(address: str) -> None:
    """Refuse an address where nothing answers, for which Ray would wait forever."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not (port.isdecimal() and int(port) < 2**16):
        raise BadValueError(
            f"`ray_address` {address!r}: should be HOST:PORT of the cluster's head, as in 10.0.0.1:6379"
        )
    try:
        with socket.create_connection((host, int(port)), _ANSWER_SECONDS) as connection:
            connection.sendall(_HTTP2_GREETING)
            if os.environ.get("RAY_USE_TLS") != "1" and connection.recv(9)[3:4] != _HTTP2_SETTINGS:
                raise ConnectionError("something else answers there")
    except OSError as error:
        raise RunError(
            f"there is no Ray cluster at `ray_address` {address} ({error}); start one there, ray start --head "
            f"--port={port}, or give the address that it printed"
        ) from None


def _ending(error: Exception) -> Failure:
    failure = failure_of(error)
    reason = str(error) if isinstance(error, SubitizeError) else failure.reason
    return replace(failure, reason=reason, ends_run=failure.ends_run or "run")


def _one_line(error: Exception) -> str:
    """Return the last line of a message, where Ray puts the cause."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1].strip()[:_MOST_CHARACTERS]
