"""Suite, Model, Judge, Paper and Events: the interfaces that everything else implements.

A suite makes items; a model turns the request of one trial into a reply; a judge turns a request (responses and
questions about them) into evidence. Models and judges come in three shapes. Those that wait for a server or disk
implement `respond`: many calls at once in one event loop. Those that need a processor implement `compute`, in worker
processes. Networks that are loaded once implement `compute_all`, batch after batch in this process.
A class adds an optional ability by having the attributes of Checks, Opens, SelfTested, RespondsToSeveral, Metered,
Matches, AsksItself, Explains, NamesRule, NamesItself, CountsItems, HasNotes or BringsPictures.
A new suite, model or judge takes one file and one line in registry.py, or one entry point of an outside package."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar, runtime_checkable

from subitize import __version__
from subitize.records import (
    Answer,
    Ask,
    Design,
    Draw,
    Evidence,
    Failed,
    Item,
    Match,
    Outcome,
    Picture,
    Provenance,
    Question,
    Refused,
    Said,
    Scored,
    Spec,
    Stored,
    Task,
    TaskKind,
    Value,
    task_text,
)

AskedT = TypeVar("AskedT", contravariant=True)
GivenT = TypeVar("GivenT", covariant=True)
T = TypeVar("T")


@runtime_checkable
class Responds(Protocol[AskedT, GivenT]):
    """Waits rather than computes: up to `concurrency` calls run at once."""

    concurrency: int

    async def respond(self, asked: AskedT, /) -> GivenT:
        """Answer one; raise TransientError where trying again may help."""


@runtime_checkable
class Computes(Protocol[AskedT, GivenT]):
    """Computes rather than waits: the runner distributes calls over worker processes."""

    def compute(self, asked: AskedT, /) -> GivenT:
        """Answer one; raise TransientError where trying again may help."""


@runtime_checkable
class ComputesSeveral(Protocol[AskedT, GivenT]):
    """Computes a batch at a time in this process: a network that is loaded once and uses the whole machine."""

    batch_size: int

    def compute_all(self, asked: Sequence[AskedT], /) -> Sequence[GivenT]:
        """Answer at most `batch_size`, in order; if this raises, the runner retries each half."""


class TransientError(Exception):
    """Trying again may help: a time-out, a busy server, an answer cut short.

    A busy server did nothing and asks to be called again later. A try is unsettled if it may have been charged without
    a usable answer.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry_after_seconds: float | None = None,
        is_busy: bool = False,
        is_unsettled: bool = False,
    ) -> None:
        super().__init__(reason)
        self.retry_after_seconds = retry_after_seconds
        self.is_busy, self.is_unsettled = is_busy, is_unsettled


class RuntimeOption:
    """Marks an option that says how something is reached, not what it is: `Annotated[int, RuntimeOption]`.

    Such an option is not part of the identity: a run can be resumed with another rate limit or time-out.
    """


class NotInOldIds:
    """Marks an option added after runs without it existed: `Annotated[int, NotInOldIds]`.

    At its default it is not part of the identity: ids stay the same, and earlier runs can be resumed.
    """


@runtime_checkable
class Checks(Protocol):
    """Can detect, before any work begins, that it would fail."""

    def check(self) -> None:
        """Raise an error that the user can fix, such as a missing key."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The result of a test with known answers: passed, with how many were right, or why nothing could be tested.

    Built-in observers that pass have an empty summary.
    """

    is_passed: bool
    summary: str = ""

    def __str__(self) -> str:
        return f"{'passed, ' if self.is_passed else ''}{self.summary}"


@runtime_checkable
class SelfTested(Protocol):
    """A judge that is tested with known answers before it is used."""

    def self_test(self) -> SelfTest:
        """Judge known pictures; raise UnusableModelError, with the reason, if the answers are wrong."""


@runtime_checkable
class Opens(Protocol):
    """Keeps something open while it works, such as connections to a server."""

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Open it for the duration of the context."""


@dataclass(frozen=True, slots=True)
class Request:
    """One trial as its model gets it: the task, its own seed, and a loader for the task's picture."""

    item_id: str
    task: Task
    repeat: int
    attempt: int
    seed: int
    load: Callable[[Picture], bytes]
    trial_id: str = ""

    @property
    def text(self) -> str:
        """The words of the task."""
        return task_text(self.task)

    def picture(self) -> bytes:
        """Load the task's encoded picture, rendering it now if it is a recipe."""
        if isinstance(self.task, Draw):
            raise TypeError(f"the task of {self.item_id} has no picture: it asks for one")
        return self.load(self.task.picture)

    def provenance(self) -> Provenance:
        """Start the reply's provenance from the request."""
        return Provenance(self.seed, self.text, versions={"subitize": __version__})


@dataclass(frozen=True, slots=True)
class Pixels:
    """An encoded image, as a model returns it."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call uses, or is expected to use: tokens, and pictures of a size and quality named by the server.

    `tokens_in` includes `cached_in`; a picture shown in low detail counts fewer tokens.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    pictures: int = 0
    size: str = ""
    quality: str = ""
    cached_in: int = 0
    is_low_detail: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer to a request, with its provenance, duration and usage as far as the model reports them."""

    content: Pixels | Said | Scored | Refused | Failed
    provenance: Provenance
    seconds: float | None = None
    usage: Usage | None = None


class Model(Protocol):
    """Performs tasks. It also Responds, Computes or ComputesSeveral, from a Request to a Reply."""

    tasks: frozenset[TaskKind]
    is_stand_in: bool


@runtime_checkable
class RespondsToSeveral(Protocol):
    """Answers several repeats of one item in one call: the same prompt, several pictures."""

    concurrency: int
    repeats_per_call: int

    async def respond_all(self, requests: Sequence[Request], /) -> Sequence[Reply]:
        """Answer all requests, at most `repeats_per_call`, in order."""


@runtime_checkable
class Metered(Protocol):
    """Is charged by use: its server, its name there, and the expected usage of a call."""

    base_url: str
    served_name: str

    def expect(self, task: Task, /) -> Usage:
        """Estimate the usage of one answer to such a task, without calling the server."""


class Matched(Protocol):
    """Which trials a model of ready-made answers can answer, known before anything is stored."""

    @property
    def count(self) -> int:
        """The number of trials with an answer."""

    @property
    def absent(self) -> Collection[tuple[str, int]]:
        """The trials without an answer, by item and repeat."""

    def lines(self) -> list[str]:
        """Describe what matched, what is missing and what is unknown."""


@runtime_checkable
class Matches(Protocol):
    """Has ready-made answers, and can match them with a suite's items."""

    def match(self, items: Sequence[Item], repeats: int, /) -> Matched:
        """Find the answers to these items."""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A question as it is put to a judge."""

    question: Question
    wording: str


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What a judge gets: a subject's responses in order, the questions, and the prompt only if the look is informed."""

    outcomes: tuple[Outcome, ...]
    inquiries: tuple[JudgeQuestion, ...]
    load: Callable[[Picture], bytes]
    prompt: str | None = None
    id: str = ""
    """Equal for equal looks by the same judge, so that a server can recognise a repeated call."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A judge's evidence on one question, with provenance and usage if a model was asked."""

    evidence: Evidence
    provenance: Provenance | None = None
    usage: Usage | None = None


class Judge(Protocol):
    """Answers questions. It also Responds, Computes or ComputesSeveral, from a JudgeRequest to Findings.

    The findings are a tuple, one per question.

    `rule` names how its evidence is read unless the user names another rule (see labels/). A judge that asks together
    answers all questions about a subject in one call; any other gets them one by one, so that a failure affects only
    one question.
    """

    rule: str
    is_stand_in: bool
    asks_together: bool

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Return whether it can answer this question about these responses."""


@runtime_checkable
class AsksModel(Protocol):
    """A judge that puts its questions to a model."""

    def put(self, exhibit: JudgeRequest, /) -> Iterator[Answer | Match]:
        """Turn the questions into tasks for the model, in order."""


@runtime_checkable
class AsksItself(Protocol):
    """A judge that asks its own questions about an item's prompt instead of the suite's."""

    asks_about: str
    """What it asks about, in a few words, for the message when there was nothing to ask."""

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """List questions about an item's outcome; none if its prompt is not understood."""


@runtime_checkable
class Explains(Protocol):
    """A judge that can explain why it does not answer a question."""

    def why_not(self, question: Question, /) -> str:
        """Explain in a few words ("cannot see 'fork'"), or return ""."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The latest judged attempt at an item, with the values read, by question id; never empty."""

    item: Item
    repeat: int
    attempt: int
    values: Mapping[str, Value]


class Suite(Protocol):
    """A benchmark: its items, and which of them must be asked again."""

    title: str
    judge: str
    max_attempts: int
    repeats: int
    asks_again: bool
    """Whether failed items are asked again."""
    strata: tuple[str, ...]
    """The factors whose levels the design fixes."""

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items in order, lazily; any beginning should be balanced.

        A limit takes a sample over the strata, drawn from the beginning if the suite is too large to be made in full.
        """

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Pick the attempts that must be followed by another."""


@runtime_checkable
class NamesRule(Protocol):
    """A suite whose class sets the rule for reading answers in words; None leaves it to the judge.

    The default is `final`, or the judge's own rule in suites of papers.
    """

    rule: str | None


@runtime_checkable
class NamesItself(Protocol):
    """A suite that makes its own spec, independent of where its file is."""

    spec: Spec

    def check_judge(self, check: Callable[[str], None], /) -> None:
        """Check the judge named in the file; an error gives its line."""


@runtime_checkable
class CountsItems(Protocol):
    """A suite that can count its items without making them."""

    def count_items(self) -> int:
        """Count the items."""


@runtime_checkable
class HasNotes(Protocol):
    """A suite with notes on its file: what was left out, and what is wrong in it."""

    notes: Sequence[str]


@runtime_checkable
class BringsPictures(Protocol):
    """A suite whose pictures share one file; the run stores those that it shows."""

    def load_pictures(self, wanted: Collection[Stored], /) -> Iterator[bytes]:
        """Read these pictures."""


def design_of(suite: Suite) -> Design:
    """Return a suite's design, with defaults for outside suites that do not state it."""
    asks_again = getattr(suite, "asks_again", suite.max_attempts > 1)
    return Design(asks_again, tuple(getattr(suite, "strata", ())))


@dataclass(frozen=True, slots=True)
class Reference:
    """A work to cite, its URL, and what it is used for."""

    citation: str
    url: str
    use: str


@dataclass(frozen=True, slots=True)
class Tables:
    """The computed tables of a paper as records: ComparedCells, or others that `show` makes a report's Result of.

    `claims` computes the paper's conclusions in words, each an analysis.claims.Claim. They are printed below the
    tables unless the tables show them.
    """

    records: object
    warnings: Sequence[str] = ()
    claims: Callable[[], Sequence[object]] | None = field(default=None, compare=False)
    show: Callable[[Any], Any] | None = field(default=None, compare=False)
    shows_claims: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What a paper provides: a folder in papers/, or an entry point of an outside package.

    References written `module:object` are imported on first use, so listing papers is cheap.
    """

    title: str
    references: Sequence[Reference]
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
    """How its image files are named: each a models.folder.names.Naming."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The score from which a detector's boxes were counted, by detector."""
    kappas: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Fleiss' κ as printed, by suite and kind of question."""
    counts: str = ""
    """Published figures of counting models, by suite: a mapping to analysis.reproduction.PublishedCounts."""
    count_claims: str = ""
    """(names of models with their Enumerations) → Statements: its conclusions on counting models, for reports."""
    reproduce: str = ""
    """(folder or None, *, extensions) → Tables: from the released data, next to the published figures."""
    tabulate: str = ""
    """(run, judge or None, *, extensions) → Tables: from the answers in a run."""
    import_release: str = ""
    """(folder) → imports.releases.Importable: a release, ready to be stored in a run."""
    export_ratings: str = ""
    """(run, judge or None, path) → how many, where: exports people's ratings in the paper's columns."""
    rating_columns: Mapping[str, str] = field(default_factory=dict)
    """Those columns, for the way back: each an importers.rating_columns.RatingColumns."""
    probes: Mapping[str, str] = field(default_factory=dict)
    """The commands of `subitize probes`: build, captions, describe."""
    report: str = ""
    """(suite, series, refined series, counted models, palette) → Account, or None to be reported as any other suite."""

    def __post_init__(self) -> None:
        """Refuse bad fields at once: they would break every command that queries all papers."""
        if not self.references or not all(isinstance(one, Reference) for one in self.references):
            raise TypeError(
                f"{self.title!r}: references should be References, at least one, not {self.references!r:.60}"
            )
        for one in fields(self):
            value = getattr(self, one.name)
            wanted = str if one.default == "" or one.name == "title" else Mapping
            if one.name not in ("references", "picture_suites") and not isinstance(value, wanted):
                raise TypeError(f"{self.title!r}: {one.name} should be of type {wanted.__name__}, not {value!r:.60}")

    @property
    def citation(self) -> str:
        """The paper itself."""
        return self.references[0].citation


class Events(Protocol):
    """Receives what happens while something works: results and warnings, line by line, and the progress."""

    def say(self, *lines: str) -> None:
        """Report results."""
        ...

    def warn(self, *lines: str) -> None:
        """Report what the user should know before relying on the results."""
        ...

    def begin(self, what: str, total: int) -> None:
        """Start on `total` pieces of work."""
        ...

    def advance(self, *, has_failed: bool = False) -> None:
        """Count one finished piece."""
        ...


class NoEvents:
    """Discards all events."""

    def say(self, *lines: str) -> None:
        """Discard results."""

    def warn(self, *lines: str) -> None:
        """Discard warnings."""

    def begin(self, what: str, total: int) -> None:
        """Discard the start."""

    def advance(self, *, has_failed: bool = False) -> None:
        """Discard the progress."""


class _Counted(Protocol[GivenT]):
    """An iterable whose length is known."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[GivenT]: ...


def watch(events: Events, what: str, each: _Counted[T]) -> Iterator[T]:
    """Iterate, and report the progress."""
    events.begin(what, len(each))
    for one in each:
        yield one
        events.advance()
