"""A run on disk: SQLite in a folder, or PostgreSQL by URL, and images named by their content."""

from subitize.store.database import Database, Folder, Location, list_runs
from subitize.store.encoding import Attachment
from subitize.store.entries import Entry, display_names, find_spec, match_entry
from subitize.store.leases import RENEWAL_SECONDS, Lease
from subitize.store.rows import (
    StoredReading,
    StoredResponse,
    group_answers,
    is_refused,
    latest_attempts,
    subject_of,
)
from subitize.store.run import SAMPLED_FROM_AT_MOST, Run, Sample, Sampling, StoredSuite

__all__ = [
    "RENEWAL_SECONDS",
    "SAMPLED_FROM_AT_MOST",
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
    "StoredSuite",
    "display_names",
    "find_spec",
    "group_answers",
    "is_refused",
    "latest_attempts",
    "list_runs",
    "match_entry",
    "subject_of",
]
