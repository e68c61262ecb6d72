"""What a paper is, the papers, one folder each, and what they provide by name, usable from lower layers too.

Each paper is imported on first use and is independent of the others. Outside packages add papers by entry points."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib import import_module
from operator import attrgetter
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, Literal

from subitize.errors import BadValueError, SubitizeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True, slots=True)
class Reference:
    """A work to cite, its URL, and what it is used for."""

    citation: str
    url: str
    use: str


Part = Literal["release", "reproduction", "tables", "claims", "figures", "export"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What a paper provides: a folder in papers/, or an entry point of an outside package.

    References written `module:object` are imported on first use, so listing papers is cheap. So are its `parts`, the
    modules of its `package` that have these functions:

    - release: `read(folder)` reads the authors' data as an analysis.papers.Release;
    - reproduction: `reproduce(folder or None, extensions=…)` gives Tabulated where there is no such release;
    - tables: `rows` and what else analysis.papers.TablesPart lists, for runs and releases alike;
    - claims: `claims`, the paper's conclusions on such rows, and `WORDING`, what they are called;
    - figures: a report's `leaderboard`, `SECTIONS` and `headline` of such rows, see report.papers;
    - export: `write(run, judge or None, path)` writes people's ratings as the authors do.
    """

    package: str
    title: str
    references: Sequence[Reference]
    parts: Sequence[Part] = ()
    suites: Mapping[str, str] = field(default_factory=dict)
    picture_suites: Sequence[str] = ()
    """Its suites that ask about pictures; they are Inspect tasks, too."""
    judged_by: Mapping[str, str] = field(default_factory=dict)
    """Who counted in the paper, by suite."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """How answers are read: each a labels.WordRule."""
    consensus_rules: Mapping[str, str] = field(default_factory=dict)
    """How several values become one: each a function of the most frequent value."""
    parts_rules: Mapping[str, str] = field(default_factory=dict)
    """How verdicts on the parts of a picture are combined, by suite: each a labels.PartsRule."""
    file_names: Mapping[str, str] = field(default_factory=dict)
    """How its image files are named: each a models.image_folders.FileNaming."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The score from which a detector's boxes were counted, by detector."""
    recipes: Mapping[str, str] = field(default_factory=dict)
    """How weights were trained: each a training.recipes.TrainingRecipe."""
    kappas: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Fleiss' κ as printed, by suite and kind of question."""
    rating_columns: Mapping[str, str] = field(default_factory=dict)
    """The columns of its file of ratings, to read them: each an imports.releases.RatingColumns."""
    probes: Mapping[str, str] = field(default_factory=dict)
    """The commands of `subitize probes`: build, captions, describe."""
    counts: str = ""
    """Published figures of counting models, by suite: a mapping to analysis.published.PublishedCounts."""
    tabulate: str = ""
    """(run, judge or None, *, extensions) → Tabulated, of a paper whose tables have not the common form."""
    report: str = ""
    """(suite, series, refined series, counted models, palette) → SuiteReport, of a paper whose figures have it not."""

    def __post_init__(self) -> None:
        """Refuse bad fields at once: they would break every command that queries all papers."""
        if not self.references or not all(isinstance(one, Reference) for one in self.references):
            raise TypeError(
                f"{self.title!r}: references should be References, at least one, not {self.references!r:.60}"
            )
        for one in fields(self):
            value = getattr(self, one.name)
            wanted = str if one.default == "" or one.name in ("package", "title") else Mapping
            if one.name not in ("references", "picture_suites", "parts") and not isinstance(value, wanted):
                raise TypeError(f"{self.title!r}: {one.name} should be of type {wanted.__name__}, not {value!r:.60}")

    @property
    def citation(self) -> str:
        """The paper itself."""
        return self.references[0].citation

    def load(self, part: Part) -> Any:  # noqa: ANN401
        """Import a part."""
        return load(f"{self.package}.{part}")


PAPERS = {
    "geckonum": "subitize.papers.geckonum:PAPER",
    "gimbrr": "subitize.papers.gimbrr:PAPER",
    "numbersense": "subitize.papers.numbersense:PAPER",
    "seeing-past-words": "subitize.papers.seeing_past_words:PAPER",
    "t2icountbench": "subitize.papers.t2icountbench:PAPER",
}

_KINDS = ("model", "judge", "detector", "suite", "refinement", "paper")
GROUP = "subitize.papers"
"""The entry-point group of papers from outside packages."""


def find(what: str, name: str) -> str | None:
    """Find what some paper provides under this name, as `module:object`; None if no paper does."""
    for paper in papers():
        if name in getattr(paper, what):
            return str(getattr(paper, what)[name])
    return None


def list_all(what: str) -> dict[str, str]:
    """List what all papers provide of a kind, by name; the first of two equal names wins, as in `find`."""
    found: dict[str, str] = {}
    for paper in papers():
        for name, reference in getattr(paper, what).items():
            found.setdefault(name, reference)
    return found


def load(reference: str, who: str = "") -> Any:  # noqa: ANN401
    """Import `module:object`; `who` names it in messages."""
    try:
        return _import_object(reference)
    except SubitizeError:
        raise
    except Exception as error:  # an outside package may raise anything
        raise BadValueError(f"{who or reference} cannot be loaded: {error}") from error


def _import_object(reference: str) -> Any:  # noqa: ANN401
    """Import the object of an entry point, ignoring extras in brackets."""
    module, _, name = (part.strip() for part in reference.partition("[")[0].partition(":"))
    found = import_module(module)
    return attrgetter(name)(found) if name else found


def load_all(what: str) -> dict[str, Any]:
    """Import what all papers provide of a kind, by name; skip what outside papers fail to import."""
    ours = {reference for paper in _load_built_in().values() for reference in getattr(paper, what).values()}
    found = {}
    for name, reference in list_all(what).items():
        try:
            found[name] = load(reference)
        except BadValueError:
            if reference in ours:
                raise
    return found


def find_culprit(error: BaseException) -> str | None:
    """Name the plug-in that raised an error, as `judge 'name' (module:object)`; None if there is none."""
    brought = {point.value: (kind, point) for kind in _KINDS for point in installed(f"subitize.{kind}s")}
    modules = {point.module for _, point in brought.values()}
    for frame, _ in reversed([*walk_tb(error.__traceback__)]):
        module, of = str(frame.f_globals.get("__name__")), type(frame.f_locals.get("self")).__name__
        if f"{module}:{of}" in brought:
            kind, point = brought[f"{module}:{of}"]
            return f"{kind} {point.name!r} ({point.value})"
        if own := next((one for one in modules if f"{module}.".startswith(f"{one}.")), None):
            return f"plug-in {own}"
    return None


def papers() -> Iterator[Paper]:
    """Iterate over the papers, built-in ones first, before installed packages are searched."""
    return (paper for _, paper in _named())


def papers_by_name() -> dict[str, Paper]:
    """List the papers that can be loaded; `subitize list papers` explains why others cannot."""
    return dict(reversed([*_named()]))


def installed(group: str) -> "tuple[EntryPoint, ...]":
    """List the entry points of installed packages in a group."""
    return _read_entry_points(group, tuple(sys.path))


# Searching installed packages is slow, so it is done once per search path.
@lru_cache(maxsize=64)
def _read_entry_points(group: str, _: tuple[str, ...]) -> "tuple[EntryPoint, ...]":
    from importlib.metadata import entry_points  # slow to import

    return tuple(entry_points(group=group))


def _named() -> Iterator[tuple[str, Paper]]:
    yield from _load_built_in().items()
    for point in installed(GROUP):
        with suppress(Exception):  # a broken paper is skipped
            found = point.load()
            if isinstance(found, Paper):
                yield point.name, found


@cache
def _load_built_in() -> dict[str, Paper]:
    return {name: load(reference) for name, reference in PAPERS.items()}
