"""Papers that misbehave, registered by entry points as an outside package's would be."""

from subitize.papers import Paper, Reference

_EXPLODING = "exploding:PART"

HALF = Paper(
    package="exploding",
    title="Half a paper",
    references=(Reference("Roe, R. (2026). Half a paper.", "", "Nothing that can be imported."),),
    parts=("release", "reproduction", "tables", "figures"),
    suites={"half": _EXPLODING},
    rules={"half": _EXPLODING},
    consensus_rules={"half": _EXPLODING},
    file_names={"half": _EXPLODING},
)
# Of everything that a paper can bring it names one that is not there.
EMPTY = Paper(
    package="odd_papers",
    title="No part of a paper",
    references=(Reference("Poe, P. (2026). No part of a paper.", "", "Nothing that is there."),),
    parts=("release", "reproduction", "tables", "claims", "figures", "export"),
    suites={"empty": "odd_papers:NO.suites"},
    rules={"empty": "odd_papers:NO.rules"},
    consensus_rules={"empty": "odd_papers:NO.consensus_rules"},
    parts_rules={"empty": "odd_papers:NO.parts_rules"},
    file_names={"empty": "odd_papers:NO.file_names"},
    counts="odd_papers:NO.counts",
    rating_columns={"empty": "odd_papers:NO.rating_columns"},
    recipes={"empty": "odd_papers:NO.recipes"},
    probes={"empty": "odd_papers:NO.probes"},
    tabulate="odd_papers:NO.tabulate",
    report="odd_papers:NO.report",
)
NUMBER = 7
