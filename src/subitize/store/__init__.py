"""A run on disk: SQLite in a folder, or PostgreSQL by URL, and images named by their content."""

from subitize.store.attachments import Attachment
from subitize.store.databases import Database, Folder, Location
from subitize.store.leases import RENEWAL_SECONDS, Lease
from subitize.store.run import Entry, Run, StoredReading, StoredResponse, SuiteEntry, latest_attempts
from subitize.store.subjects import Exhibited, exhibited

__all__ = [
    "RENEWAL_SECONDS",
    "Attachment",
    "Database",
    "Entry",
    "Exhibited",
    "Folder",
    "Lease",
    "Location",
    "Run",
    "StoredReading",
    "StoredResponse",
    "SuiteEntry",
    "exhibited",
    "latest_attempts",
]
