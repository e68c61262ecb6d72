"""A run on disk: SQLite in a folder, or PostgreSQL by URL, and images named by their content."""

from subitize.store.databases import Database, Folder, Location
from subitize.store.leases import RENEWAL_SECONDS, Lease
from subitize.store.run import ModelEntry, Run, StoredReading, StoredResponse, SuiteEntry

__all__ = [
    "RENEWAL_SECONDS",
    "Database",
    "Folder",
    "Lease",
    "Location",
    "ModelEntry",
    "Run",
    "StoredReading",
    "StoredResponse",
    "SuiteEntry",
]
