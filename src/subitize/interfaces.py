"""Suite, Model, Judge, Paper and Events: the interfaces that everything else implements.

A suite makes items; a model turns the request of one trial into a reply; a judge turns a request (responses and
questions about them) into evidence. Models and judges come in three shapes. Those that wait for a server or disk
implement `respond`: many calls at once in one event loop. Those that need a processor implement `compute`, in worker
processes. Networks that are loaded once implement `compute_all`, batch after batch in this process.
Suite, Model and Judge are base classes: a class overrides the defaults that do not fit it.
A new suite, model or judge takes one file and one line in registry.py, or one entry point of an outside package."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from subitize import __version__, records

if TYPE_CHECKING:
    from subitize.language.counted import CountedPhrase

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


@dataclass(frozen=True, slots=True)
class SelfTest:
    """The result of a test with known answers: passed, with how many were right, or why nothing could be tested.

    Built-in observers that pass have an empty summary.
    """

    is_passed: bool
    summary: str = ""

    def __str__(self) -> str:
        return f"{'passed, ' if self.is_passed else ''}{self.summary}"


@dataclass(frozen=True, slots=True)
class Request:
    """One trial as its model gets it: the task, its own seed, and a loader for the task's picture."""

    item_id: str
    task: records.Task
    repeat: int
    attempt: int
    seed: int
    load: Callable[[records.Picture], bytes]
    trial_id: str = ""

    @property
    def text(self) -> str:
        """The words of the task."""
        return records.task_text(self.task)

    def picture(self) -> bytes:
        """Load the task's encoded picture, rendering it now if it is a recipe."""
        if isinstance(self.task, records.Draw):
            raise TypeError(f"the task of {self.item_id} has no picture: it asks for one")
        return self.load(self.task.picture)

    def provenance(self) -> records.Provenance:
        """Start the reply's provenance from the request."""
        return records.Provenance(self.seed, self.text, versions={"subitize": __version__})


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

    content: Pixels | records.Said | records.Scored | records.Refused | records.Failed
    provenance: records.Provenance
    seconds: float | None = None
    usage: Usage | None = None


class Answerer:
    """What models and judges share: how they are checked, reached and charged.

    Each also Responds, Computes or ComputesSeveral.
    """

    is_stand_in: bool = False
    base_url: str = ""
    """The server that charges by use; empty if it is free."""
    served_name: str = ""
    """Its name at that server."""
    repeats_per_call: int = 1
    """The most repeats of one item that `respond_all(requests)` answers in one call, in order."""

    def check(self) -> None:
        """Raise an error that the user can fix, such as a missing key, before any work begins."""

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Keep what its work needs open, such as connections to a server, for the duration of the context."""
        return nullcontext()

    def expect(self, task: records.Task, /) -> Usage:
        """Estimate the usage of one answer to such a task, without calling the server."""
        return Usage()


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


class Model(Answerer):
    """Performs tasks: from a Request to a Reply."""

    tasks: frozenset[records.TaskKind]
    is_ready_made: bool = False
    """Whether it has its answers ready, and so would give the same again."""
    is_self_tested: bool = False
    """Whether `check` tests it with known pictures, so that it needs no sight check."""

    def match(self, items: Sequence[records.Item], repeats: int, /) -> Matched:
        """Find the ready-made answers to these items."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A question as it is put to a judge."""

    question: records.Question
    wording: str


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What a judge gets: a subject's responses in order, the questions, and the prompt only if the look is informed."""

    outcomes: tuple[records.Outcome, ...]
    inquiries: tuple[JudgeQuestion, ...]
    load: Callable[[records.Picture], bytes]
    prompt: str | None = None
    id: str = ""
    """Equal for equal looks by the same judge, so that a server can recognise a repeated call."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A judge's evidence on one question, with provenance and usage if a model was asked."""

    evidence: records.Evidence
    provenance: records.Provenance | None = None
    usage: Usage | None = None


class Judge(Answerer):
    """Answers questions: from a JudgeRequest to a tuple of Findings, one per question."""

    rule: str = "strict"
    """How its evidence is read unless the user names another rule (see labels/)."""
    asks_together: bool = False
    """Whether it gets all questions about a subject in one call; else a failure affects only one question."""
    asks_model: bool = False
    """Whether it puts its questions to a model, by `put`."""
    asks_about: str = ""
    """What it asks about if it asks its own questions, in a few words, for the message when nothing is to be asked."""

    def can_answer(self, question: records.Question, outcomes: Sequence[records.Outcome]) -> bool:
        """Return whether it can answer this question about these responses."""
        raise NotImplementedError

    def why_not(self, question: records.Question, /) -> str:
        """Explain in a few words ("cannot see 'fork'") why it does not answer a question, or return ""."""
        return ""

    def asks(self, item: records.Item, /) -> Sequence[records.Ask]:
        """List questions about an item's outcome: the suite's, or its own if it understands the prompt."""
        return item.asks

    def put(self, exhibit: JudgeRequest, /) -> Iterator[records.Answer | records.Match]:
        """Turn the questions into tasks for the model that it asks, in order."""
        return iter(())

    def self_test(self) -> SelfTest:
        """Judge known pictures; raise UnusableModelError, with the reason, if the answers are wrong."""
        return SelfTest(False, "cannot be tested, as it has no test of its own")


@dataclass(frozen=True, slots=True)
class Attempt:
    """The latest judged attempt at an item, with the values read, by question id; never empty."""

    item: records.Item
    repeat: int
    attempt: int
    values: Mapping[str, records.Value]


class Suite:
    """A benchmark: its items, and which of them must be asked again."""

    title: str
    judge: str
    repeats: int = 1
    max_attempts: int = 1
    asks_again: bool | None = None
    """Whether failed items are asked again; None: if there are several attempts."""
    strata: tuple[str, ...] = ()
    """The factors whose levels the design fixes."""
    rule: str | None = ""
    """The rule for reading answers in words, stated by the class; None leaves it to the judge.

    If empty, it is `final`, or the judge's own rule in suites of papers.
    """
    references: Sequence["Reference"] = ()
    """The works to cite, stated by the class; those of a paper's suite are the paper's."""
    notes: Sequence[str] = ()
    """Notes on its file: what was left out, and what is wrong in it."""
    spec: records.Spec | None = None
    """Its spec, if that is independent of where its file is."""
    _items: Sequence[records.Item]

    def items(self, seed: int) -> Iterator[records.Item]:
        """Make the items in order, lazily; any beginning should be balanced. By default `_items`, for every seed.

        A limit takes a sample over the strata, drawn from the beginning if the suite is too large to be made in full.
        """
        return iter(self._items)

    def count_items(self) -> int | None:
        """Count the items without making them; None if that is not possible."""
        return None

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Pick the attempts that must be followed by another."""
        return ()

    def find_counted(self, item: records.Item, /) -> "CountedPhrase | None":
        """Find an item's counted phrase, which refinements reword; None if it has none."""
        from subitize.language.counted import find_counted_phrase

        return find_counted_phrase(item)

    def load_pictures(self, wanted: Collection[records.Stored], /) -> Iterator[bytes]:
        """Read these pictures, if all are in one file; the run stores those that it shows."""
        return iter(())

    def check_judge(self, check: Callable[[str], None], /) -> None:
        """Check the judge named in the suite's file; an error gives its line."""

    def design(self) -> records.Design:
        """Return what the analysis needs to know of its design."""
        return records.Design(self.max_attempts > 1 if self.asks_again is None else self.asks_again, tuple(self.strata))


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
    """How its image files are named: each a models.image_folders.FileNaming."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The score from which a detector's boxes were counted, by detector."""
    kappas: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Fleiss' κ as printed, by suite and kind of question."""
    counts: str = ""
    """Published figures of counting models, by suite: a mapping to PublishedCounts."""
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
    """Those columns, for the way back: each an imports.releases.RatingColumns."""
    probes: Mapping[str, str] = field(default_factory=dict)
    """What is done with probes: build, captions, describe, train; training is its settings."""
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
