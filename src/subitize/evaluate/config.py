"""What to evaluate and what to judge, as a user names it: texts and numbers, checked before anything is opened."""

from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadValueError
from subitize.evaluate.costs import check_limit

NO_JUDGE = "none"
_MOST_AT_ONCE = 10_000
_MOST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """A suite, its refinements, models and how they are asked.

    `judge`: None for the suite's own, "none" for no judge. `only_found`: of models that have their answers ready, ask
    only for those. `limit`: a sample of so many items. `tries`: how often a request is sent before it counts as failed.
    """

    suite: str
    models: tuple[str, ...]
    refine: tuple[str, ...] = ()
    judge: str | None = None
    seed: int | None = None
    repeats: int | None = None
    limit: int | None = None
    concurrency: int | None = None
    tries: int = 5
    only_found: bool = False
    sight_check: bool = True
    is_same_model: bool = False
    trained_with: str | None = None
    trained_on: str | None = None
    max_cost_usd: float | None = None
    prices: Path | None = None

    def __post_init__(self) -> None:
        for name in ("repeats", "limit", "concurrency", "tries"):
            check_at_least_one(name, getattr(self, name))
        if self.seed is not None and not 0 <= self.seed <= _MOST_SEED:
            raise BadValueError(f"`seed` {self.seed}: should be from 0 to {_MOST_SEED}")
        if self.concurrency is not None and self.concurrency > _MOST_AT_ONCE:
            raise BadValueError(f"`concurrency` {self.concurrency:,}: should be at most {_MOST_AT_ONCE:,}")
        check_limit(self.max_cost_usd)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """A judge, which responses of a run it judges (None: all), and by which rule they are read.

    Without a rule, the evidence is read by the suite's rule, or else by the judge's own.
    """

    judge: str
    model: str | None = None
    suite: str | None = None
    rule: str | None = None
    tries: int = 5
    is_same_model: bool = False
    max_cost_usd: float | None = None
    prices: Path | None = None

    def __post_init__(self) -> None:
        check_at_least_one("tries", self.tries)
        check_limit(self.max_cost_usd)


def check_at_least_one(option: str, value: int | None) -> None:
    """Refuse a number below 1."""
    if value is not None and value < 1:
        raise BadValueError(f"`{option}` {value}: should be at least 1")
