"""Papers that misbehave, registered by entry points as an outside package's would be."""

from subitize.interfaces import Paper, Reference

_EXPLODING = "exploding:PART"

HALF = Paper(
    title="Half a paper",
    references=(Reference("Roe, R. (2026). Half a paper.", "", "Nothing that can be imported."),),
    suites={"half": _EXPLODING},
    rules={"half": _EXPLODING},
    consensus_rules={"half": _EXPLODING},
    file_names={"half": _EXPLODING},
    reproduce=_EXPLODING,
    tabulate=_EXPLODING,
    import_release=_EXPLODING,
    report=_EXPLODING,
)
NUMBER = 7
