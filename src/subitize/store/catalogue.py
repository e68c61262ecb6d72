"""Lists the runs at a location."""

from dataclasses import replace

from sqlalchemy import select

from subitize.store import tables
from subitize.store.databases import DATABASE_FILE, Folder, Location, open_backend


def list_runs(location: Location) -> list[Location]:
    """List the run at a place and those beside it: in a folder that is no run those in it, in a database all others."""
    if isinstance(location, Folder):
        if (location.path / DATABASE_FILE).exists():
            return [location]
        found = sorted(location.path.glob(f"*/{DATABASE_FILE}")) if location.path.is_dir() else []
        return [Folder(file.parent) for file in found]
    backend = open_backend(location, create=False)
    try:
        with backend.reading() as connection:
            names = connection.execute(select(tables.runs.c.run_id).order_by(tables.runs.c.run_id)).scalars().all()
    finally:
        backend.close()
    return [location, *(replace(location, run_id=name) for name in names if name != location.run_id)]
