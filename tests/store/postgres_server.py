"""A PostgreSQL server of our own for tests: its own data folder, a free loopback port, gone afterwards."""

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

_BYTES_NEEDED = 2e9


def find_postgres() -> Path | None:
    """Find the folder of initdb and postgres, if PostgreSQL and its Python client are installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    on_path = shutil.which("initdb")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    if find_spec("psycopg") is None:
        return None
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class PostgresServer:
    """Starts on entry and is stopped on exit."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # PostgreSQL will not run as root; Debian's package brings a user for it.
        self._user = "postgres" if os.geteuid() == 0 else None
        self._home = Path(tempfile.mkdtemp(prefix="subitize-postgres-", dir=_find_room()))
        if self._user:
            shutil.chown(self._home, self._user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]

    def __enter__(self) -> Self:
        import psycopg

        data = str(self._home / "data")
        self._call("initdb", "-D", data, "-U", "subitize", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._call("pg_ctl", "-D", data, "-w", "-l", str(self._home / "log"), "-o", options, "start")
        self._connection = psycopg.connect(self.url("postgres"), autocommit=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._call("pg_ctl", "-D", str(self._home / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self._home, ignore_errors=True)

    def url(self, database: str) -> str:
        """Say how to reach a database."""
        return f"postgresql://subitize@127.0.0.1:{self.port}/{database}"

    def new_database(self, options: str = "") -> str:
        """Make an empty database and return its URL."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        self._connection.execute(f"CREATE DATABASE {name} {options}".encode())
        return self.url(name)

    def _call(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), *arguments]
        done = subprocess.run(
            command,
            user=self._user,
            cwd=self._home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stderr or done.stdout}")


def _find_room() -> Path | None:
    """Take memory where there is enough of it: every test has a database of its own, and each is 300 files."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > _BYTES_NEEDED else None
