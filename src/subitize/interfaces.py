"""Suite, Model, Judge, Paper and Progress: the interfaces that everything else implements.

A suite makes items; a model turns the request of one trial into a reply; a judge turns a request (responses, and
questions about them) into evidence. Models and judges come in three shapes: those that wait for a server or a disk
`respond`, many at a time in one event loop; those that need a processor `compute`, in worker processes; networks
that are loaded once `compute_all`, batch after batch in this process.
A class adds an ability by having the attributes that Checks, Opens, SelfTested, RespondsToSeveral, Metered, Matches,
AsksItself, Explains, NamesRule, NamesItself, CountsItems, HasNotes or BringsPictures name.
A new suite, model or judge is one file and one line in registry.py, or one entry point of an outside package."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, fields
from typing import Protocol, TypeVar, runtime_checkable

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


@runtime_checkable
class Responds(Protocol[AskedT, GivenT]):
    """Waits rather than computes: up to `concurrency` are under way at once."""

    concurrency: int

    async def respond(self, asked: AskedT, /) -> GivenT:
        """Answer one; raise TransientError where trying again may help."""


@runtime_checkable
class Computes(Protocol[AskedT, GivenT]):
    """Computes rather than waits: the runner spreads it over worker processes."""

    def compute(self, asked: AskedT, /) -> GivenT:
        """Answer one; raise TransientError where trying again may help."""


@runtime_checkable
class ComputesSeveral(Protocol[AskedT, GivenT]):
    """Computes a batch at a time in this process: a network that is loaded once and fills the machine."""

    batch_size: int

    def compute_all(self, asked: Sequence[AskedT], /) -> Sequence[GivenT]:
        """Answer all in their order, at most `batch_size`; where it raises, the runner asks for each half anew."""


class TransientError(Exception):
    """Trying again may help: a time-out, a busy server, an answer cut short.

    A busy server did nothing and asks to come again later. A try is unsettled if nobody knows whether it was done,
    or it was done and the answer is of no use: it may have been paid for.
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
    """Marks an option of how something is reached (`Annotated[int, RuntimeOption]`), not of what it is.

    Such an option is no part of its name: a run may go on with another rate limit or time-out.
    """


class NotInOldIds:
    """Marks an option that was added once there were runs without it (`Annotated[int, NotInOldIds]`).

    At its default it is no part of what the thing is: ids are the same as before, and earlier runs go on.
    """


@runtime_checkable
class Checks(Protocol):
    """Can tell, before anything is made, that it would not work."""

    def check(self) -> None:
        """Raise what a user can mend: a missing key."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What came of a test by known answers: passed, with how many were right, or why nothing could be tested.

    What is embedded and passes has nothing to tell.
    """

    is_passed: bool
    summary: str = ""

    def __str__(self) -> str:
        return f"{'passed, ' if self.is_passed else ''}{self.summary}"


@runtime_checkable
class SelfTested(Protocol):
    """A judge that is tested by known answers before it is used."""

    def self_test(self) -> SelfTest:
        """Look at what is known; raise UnusableModelError, with the reason, if what is seen is wrong."""


@runtime_checkable
class Opens(Protocol):
    """Keeps something open while it is at work: connections to a server."""

    def opened(self) -> AbstractAsyncContextManager[object]:
        """Open it for as long as the context lasts."""


@dataclass(frozen=True, slots=True)
class Request:
    """One trial as its model gets it: the task, a seed of its own, and a way to the task's picture."""

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
        """Get the encoded picture the task is about, rendered now if it is a recipe."""
        if isinstance(self.task, Draw):
            raise TypeError(f"the task of {self.item_id} has no picture: it asks for one")
        return self.load(self.task.picture)

    def provenance(self) -> Provenance:
        """Start the provenance of the reply with what the request knows."""
        return Provenance(self.seed, self.text, versions={"subitize": __version__})


@dataclass(frozen=True, slots=True)
class Pixels:
    """An encoded image, as a model hands it over."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """What a call uses, or is expected to use: tokens, and pictures of a size and quality as the server names them.

    `cached_in` is a part of `tokens_in`; a picture that is shown in low detail counts fewer tokens.
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
    """What a model gave for a request, and what it tells about how it came to it, how long it took and what it used."""

    content: Pixels | Said | Scored | Refused | Failed
    provenance: Provenance
    seconds: float | None = None
    usage: Usage | None = None


class Model(Protocol):
    """Anything that does a task; it also Responds, Computes or ComputesSeveral, from a Request to a Reply."""

    tasks: frozenset[TaskKind]
    is_stand_in: bool


@runtime_checkable
class RespondsToSeveral(Protocol):
    """Responds to several repeats of one item in one call: the same prompt, several pictures."""

    concurrency: int
    repeats_per_call: int

    async def respond_all(self, requests: Sequence[Request], /) -> Sequence[Reply]:
        """Answer all of them in their order; at most `repeats_per_call` are asked at once."""


@runtime_checkable
class Metered(Protocol):
    """Is paid for by use: where it is served, under which name, and what a call is expected to use."""

    base_url: str
    served_name: str

    def expect(self, task: Task, /) -> Usage:
        """Guess what one answer to such a task uses, without asking for it."""


class Matched(Protocol):
    """Which trials a model of ready-made answers can give, to be read before anything is stored."""

    @property
    def count(self) -> int:
        """How many trials have their answer."""

    @property
    def absent(self) -> Collection[tuple[str, int]]:
        """The trials without an answer, by item and repeat."""

    def lines(self) -> list[str]:
        """Say what matched, what is missing and what is unknown."""


@runtime_checkable
class Matches(Protocol):
    """Has its answers ready, and can tell which of a suite's items they are for."""

    def match(self, items: Sequence[Item], repeats: int, /) -> Matched:
        """Find the answers to these items."""


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """A question as it is put to a judge."""

    question: Question
    wording: str


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What a judge gets: a subject's responses in order, and the questions; the prompt only if it is informed."""

    outcomes: tuple[Outcome, ...]
    inquiries: tuple[JudgeQuestion, ...]
    load: Callable[[Picture], bytes]
    prompt: str | None = None
    id: str = ""
    """The same for the same look by the same judge: it lets a server know a call that comes again."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a judge found for one inquiry, and, if a model was asked, how that came about and what it used."""

    evidence: Evidence
    provenance: Provenance | None = None
    usage: Usage | None = None


class Judge(Protocol):
    """Anything that answers questions; it also Responds, Computes or ComputesSeveral, from an Exhibit to Findings.

    There is one Finding per inquiry, in a tuple.

    `rule` names how its evidence is read unless the user names another rule (see labels.py). One that asks together
    answers all questions about a subject in one look; another gets them one by one, and one that fails costs no more
    than itself.
    """

    rule: str
    is_stand_in: bool
    asks_together: bool

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        """Tell whether it can answer such a question about such responses."""


@runtime_checkable
class AsksModel(Protocol):
    """A judge that puts its questions to a model."""

    def put(self, exhibit: JudgeRequest, /) -> Iterator[Answer | Match]:
        """Put the questions as tasks of the model, in their order."""


@runtime_checkable
class AsksItself(Protocol):
    """A judge with questions of its own about what an item's prompt says, in place of the suite's."""

    asks_about: str
    """What it asks about, in a few words, to be said where there was nothing to ask."""

    def asks(self, item: Item, /) -> Sequence[Ask]:
        """Ask about the outcome of an item; nothing where its prompt is not understood."""


@runtime_checkable
class Explains(Protocol):
    """A judge that can say why it does not answer a question that it might be expected to."""

    def why_not(self, question: Question, /) -> str:
        """Say it in a few words: "cannot see 'fork'", or nothing."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The latest attempt at an item, once it is judged: the values read, by question id; never none."""

    item: Item
    repeat: int
    attempt: int
    values: Mapping[str, Value]


class Suite(Protocol):
    """A benchmark: the items it is made of, and when an item must be asked again."""

    title: str
    judge: str
    max_attempts: int
    repeats: int
    asks_again: bool
    """Whether an item that came to nothing is asked again."""
    strata: tuple[str, ...]
    """The factors whose levels the design fixes."""

    def items(self, seed: int) -> Iterator[Item]:
        """Make the items in their order, each only when it is asked for; the beginning should be fair.

        A limit takes a sample over the strata; of a suite too large to be made, it is taken from the beginning.
        """

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Pick those of the latest attempts that must be followed by another."""


@runtime_checkable
class NamesRule(Protocol):
    """A suite whose class says by which rule answers in words are read; None leaves it to the judge.

    Where none is said it is `final`, and the judge's own in the suites of papers.
    """

    rule: str | None


@runtime_checkable
class NamesItself(Protocol):
    """A suite that says itself what it is, wherever the file lies that it was made of."""

    spec: Spec

    def check_judge(self, check: Callable[[str], None], /) -> None:
        """Have the judge that the file names checked; an error tells where it stands there."""


@runtime_checkable
class CountsItems(Protocol):
    """A suite that can tell how many items it has without making them."""

    def count_items(self) -> int:
        """Count them."""


@runtime_checkable
class HasNotes(Protocol):
    """A suite with something to say about the file that it was made of: what is left out, what is wrong in it."""

    notes: Sequence[str]


@runtime_checkable
class BringsPictures(Protocol):
    """A suite whose pictures lie in a file of many; the run keeps those that it shows."""

    def load_pictures(self, wanted: Collection[Stored], /) -> Iterator[bytes]:
        """Read these pictures."""


def design_of(suite: Suite) -> Design:
    """Tell how a suite is designed, also one of an outside package that does not say."""
    asks_again = getattr(suite, "asks_again", suite.max_attempts > 1)
    return Design(asks_again, tuple(getattr(suite, "strata", ())))


@dataclass(frozen=True, slots=True)
class Reference:
    """A work to cite, where it is found, and what rests on it."""

    citation: str
    url: str
    use: str


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a paper, computed: what a program reads, and, written `module:object`, what prints it.

    `claims` computes what the paper concludes in words, each an analysis.claims.Statement; they are printed below the
    tables, unless these show them.
    """

    it: object
    printed_by: str = "subitize.report.claims:print_reproduction"
    warnings: Sequence[str] = ()
    claims: Callable[[], Sequence[object]] | None = field(default=None, compare=False)
    shows_claims: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """What a published system brings: a folder in papers/, or an entry point of an outside package.

    What is written `module:object` is imported when it is first used, so that a paper itself costs nothing.
    """

    title: str
    references: Sequence[Reference]
    suites: Mapping[str, str] = field(default_factory=dict)
    picture_suites: Sequence[str] = ()
    """Those of its suites that ask about pictures; they are tasks of Inspect, too."""
    judged_by: Mapping[str, str] = field(default_factory=dict)
    """Who counted in the paper, by suite."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """How answers are read: each a labels.WordRule."""
    consensus_rules: Mapping[str, str] = field(default_factory=dict)
    """How several values become one: each a function of the most frequent value."""
    parts_rules: Mapping[str, str] = field(default_factory=dict)
    """How the parts of a picture are joined to one verdict, by suite: each a labels.PartsRule."""
    file_names: Mapping[str, str] = field(default_factory=dict)
    """How its image files are named: each a models.folder.names.Naming."""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """The score from which a detector's boxes were counted, by detector."""
    kappas: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Fleiss' κ as printed, by suite and kind of question."""
    counts: str = ""
    """What it printed of models that count, by suite: a mapping to analysis.reproduction.PublishedCounts."""
    count_claims: str = ""
    """(names of models with their Enumerations) → Statements: what it concludes of models that count, for reports."""
    reproduce: str = ""
    """(folder or None, *, extensions) → Tables: from the released data, beside the published figures."""
    tabulate: str = ""
    """(run, judge or None, *, extensions) → Tables: from the answers in a run."""
    import_release: str = ""
    """(folder) → importers.releases.Importable: a release that was read, ready to be stored in a run."""
    export_ratings: str = ""
    """(run, judge or None, path) → how many, where: people's ratings of a run in the columns of the paper's files."""
    rating_columns: Mapping[str, str] = field(default_factory=dict)
    """Those columns, for the way back: each an importers.rating_columns.RatingColumns."""
    probes: Mapping[str, str] = field(default_factory=dict)
    """What the commands `subitize probes` do, by command: build, captions, describe."""
    report: str = ""
    """(suite, series, refined series, counted models, palette) → Account, or None to be reported as any other suite."""

    def __post_init__(self) -> None:
        """Refuse at once what would otherwise break the commands that ask every paper what it brings."""
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


class Progress(Protocol):
    """Is told how far the work is."""

    def begin(self, what: str, total: int) -> None:
        """Start on `total` pieces of work."""
        ...

    def advance(self, *, has_failed: bool) -> None:
        """Count one piece as stored."""
        ...


class Silent:
    """Shows nothing."""

    def begin(self, what: str, total: int) -> None:
        """Show nothing."""

    def advance(self, *, has_failed: bool) -> None:
        """Show nothing."""
