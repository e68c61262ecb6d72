"""The paper's conclusions on its printed tables; their cells are known up to rounding."""

from pathlib import Path

from subitize.analysis.claims import Claim
from subitize.analysis.papers import Tabulated
from subitize.analysis.published import PublishedCounts, PublishedRow
from subitize.errors import BadValueError
from subitize.papers.numbersense.claims import PRINTED, Level, ModelSummary, evaluate
from subitize.papers.numbersense.tables import COUNTS, SPELLINGS
from subitize.records import Estimate
from subitize.report.claims import claim_lines
from subitize.report.table import Result

_ROUNDING = 0.005


def reproduce(folder: Path | None, *, extensions: bool) -> Tabulated:
    """Evaluate the conclusions, without the images."""
    if extensions:
        raise BadValueError("--extensions needs images: subitize report reproduce numbersense DIR --extensions")
    found = claims_of_printed()
    note = "without the folder of its images, the paper's claims are checked against its printed tables"
    return Tabulated(found, (note,), lambda: found, lambda it: Result(notes=tuple(claim_lines(it))), shows_claims=True)


def claims_of_printed() -> list[Claim]:
    """Evaluate the paper's conclusions on its printed tables."""
    return evaluate([_take_printed(row, of) for of in COUNTS.values() for row in of.rows])


def _take_printed(row: PublishedRow, of: PublishedCounts) -> ModelSummary:
    likeness = {SPELLINGS[model]: value for model, value in of.abstractions.items()}.get(row.model)
    return ModelSummary(
        suite=row.suite,
        model=row.model,
        accuracy=_rounded(row.accuracy),
        level=Level(row.level, row.level, row.level),
        human_correlation=_rounded(row.human_correlation),
        likeness=None if likeness is None else _rounded(likeness),
        biases={one.category: one.direction for one in of.biases if SPELLINGS[one.model] == row.model},
        size_billion=row.size_billion,
    )


def _rounded(value: float) -> Estimate:
    return Estimate(value, value - _ROUNDING, value + _ROUNDING, 0, PRINTED)
