"""A paper's cells beside ours."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["exact", "within 0.1 pp", "within 1 pp", "differs", "not published"]
VERDICTS: tuple[Verdict, ...] = ("exact", "within 0.1 pp", "within 1 pp", "differs", "not published")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A cell as printed and as computed; `exact` means that it rounds to what is printed."""

    table: str
    row: str
    column: str
    published: float | str | None
    ours: float | str
    verdict: Verdict
    low: float | None
    high: float | None
    n: int | None
