"""Leases: one process at a time works on a part of a run; a lease is taken over only from a dead process."""

import os
import socket
import uuid
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, delete, insert, literal_column, select, update

from subitize.errors import BusyError, LeaseLostError
from subitize.store.tables import leases, runs

DURATION_SECONDS = 60.0
RENEWAL_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to add to one part of a run (a model's responses, a judge's readings)."""

    run_id: str
    name: str
    token: str


# Executed with every commit, so built once.
_HELD = (
    select(leases.c.token)
    .where(leases.c.run_id == bindparam("run"), leases.c.name == bindparam("part"))
    .with_for_update(read=True)
)


def take(connection: Connection, run_id: str, name: str) -> Lease:
    """Take the lease, or raise an error that names its holder. Call inside a write transaction."""
    _one_at_a_time(connection, run_id)
    held = (
        connection.execute(select(leases).where(leases.c.run_id == run_id, leases.c.name == name))
        .mappings()
        .one_or_none()
    )
    now = _now(connection)
    if held is not None and _is_alive(held, now):
        raise BusyError(
            f"{name!r} of this run is being worked on by process {held['pid']} on {held['host'].split()[0]}; "
            "wait until it ends, or stop it first"
        )
    connection.execute(delete(leases).where(leases.c.run_id == run_id, leases.c.name == name))
    lease = Lease(run_id, name, uuid.uuid4().hex)
    connection.execute(
        insert(leases).values(
            run_id=run_id,
            name=name,
            token=lease.token,
            host=_host(),
            pid=os.getpid(),
            pid_started=_process_start(os.getpid()),
            expires_at=now + DURATION_SECONDS,
        )
    )
    return lease


def refuse_if_any(connection: Connection, why: str) -> None:
    """Raise an error if any process is working on any run of the database."""
    now = _now(connection)
    for held in connection.execute(select(leases)).mappings():
        if _is_alive(held, now):
            raise BusyError(
                f"{why}, and process {held['pid']} on {held['host'].split()[0]} is at work on it; "
                "wait until it ends, or stop it first"
            )


def renew(connection: Connection, lease: Lease) -> None:
    """Extend the lease; raise an error if another process has taken it over."""
    renewed = connection.execute(
        update(leases).where(*_mine(lease)).values(expires_at=_now(connection) + DURATION_SECONDS)
    )
    if renewed.rowcount != 1:
        raise _lost(lease)


def require(connection: Connection, lease: Lease) -> None:
    """Ensure that the lease is still ours and stays so until the transaction ends."""
    if connection.execute(_HELD, {"run": lease.run_id, "part": lease.name}).scalar() != lease.token:
        raise _lost(lease)


def release(connection: Connection, lease: Lease) -> None:
    """Give the lease back."""
    connection.execute(delete(leases).where(*_mine(lease)))


def is_alone(connection: Connection, lease: Lease) -> bool:
    """Return whether no other part of the run is being worked on; the answer holds until the transaction ends."""
    _one_at_a_time(connection, lease.run_id)
    require(connection, lease)
    others = connection.execute(
        select(leases).where(leases.c.run_id == lease.run_id, leases.c.name != lease.name)
    ).mappings()
    now = _now(connection)
    return not any(_is_alive(other, now) for other in others)


def _one_at_a_time(connection: Connection, run_id: str) -> None:
    # SQLite has one writer anyway; on PostgreSQL a process that takes or counts leases locks the run's row meanwhile.
    connection.execute(select(runs.c.run_id).where(runs.c.run_id == run_id).with_for_update())


def _mine(lease: Lease) -> tuple[ColumnElement[bool], ...]:
    return (leases.c.run_id == lease.run_id, leases.c.name == lease.name, leases.c.token == lease.token)


def _lost(lease: Lease) -> LeaseLostError:
    return LeaseLostError(
        f"another process took over {lease.name!r} of this run while this one was stalled; "
        "what was stored is safe: run the same command again to go on"
    )


def _is_alive(held: RowMapping, now: float) -> bool:
    if held["expires_at"] < now:
        return False
    # A process killed on this machine is known to be dead at once, one elsewhere only when its lease expires.
    is_here = held["host"] == _host()
    return not is_here or _process_start(held["pid"]) == held["pid_started"]


def _host() -> str:
    """Identify the machine, its boot, and the namespace of its process ids: host names alone may be equal."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot = space = ""
    return f"{socket.gethostname()} {boot} {space}".strip()


def _process_start(pid: int) -> str:
    """Return when a process started, in kernel ticks, so that a reused pid is not mistaken for it."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "gone" if Path("/proc/self").exists() or not _answers(pid) else "running"
    state, start = fields[0], fields[19]
    return "gone" if state == "Z" else start


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _now(connection: Connection) -> float:
    """Return the time of the database's clock, the only one that all machines share."""
    clock = {
        "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
        "postgresql": "extract(epoch from clock_timestamp())",
    }[connection.dialect.name]
    return float(connection.execute(select(literal_column(clock))).scalar_one())
