"""A run on disk: SQLite in a folder, or PostgreSQL by URL, and images named by their content."""

from subitize.store.attachments import Attachment
from subitize.store.catalogue import list_runs
from subitize.store.databases import Database, Folder, Location
from subitize.store.entries import Entry, choose_names, find_spec, resolve_entry
from subitize.store.leases import RENEWAL_SECONDS, Lease
from subitize.store.run import FRAME_ITEMS, Run, Sample, Sampling, StoredReading, StoredResponse, SuiteEntry
from subitize.store.subjects import group_answers, is_refused, latest_attempts, subject_of

__all__ = [
    "FRAME_ITEMS",
    "RENEWAL_SECONDS",
    "Attachment",
    "Database",
    "Entry",
    "Folder",
    "Lease",
    "Location",
    "Run",
    "Sample",
    "Sampling",
    "StoredReading",
    "StoredResponse",
    "SuiteEntry",
    "choose_names",
    "find_spec",
    "group_answers",
    "is_refused",
    "latest_attempts",
    "list_runs",
    "resolve_entry",
    "subject_of",
]
