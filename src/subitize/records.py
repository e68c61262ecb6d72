"""The words subitize speaks, as frozen values; docs/walkthrough.md shows them at work.

Members of a union carry a `kind`, which tells them apart once they are stored as JSON. A field's name is its key there,
and what is stored outlives names: a field that is renamed keeps its key by `field(metadata={"alias": "its_key"})`.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

ImageFormat = Literal["png", "jpeg", "webp", "gif"]
Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Stored:
    """A picture kept in the run's images, named by the SHA-256 of its bytes."""

    hash: str
    format: ImageFormat
    kind: Literal["stored"] = field(default="stored", kw_only=True, repr=False)


Magnitude = Literal["area", "size", "hull", "density"]


@dataclass(frozen=True, slots=True)
class Control:
    """The magnitude that stays the same over pictures of 1 to `up_to` things: total area, item size, hull, density."""

    magnitude: Magnitude
    up_to: int


@dataclass(frozen=True, slots=True)
class Stimulus:
    """A recipe for a picture of `number` things; the same recipe always renders to the same bytes.

    `overlap` is the share of their diameters by which neighbours may cover each other.
    """

    category: str
    number: int
    seed: int
    size_px: int = 1024
    control: Control | None = None
    background: str = "white"
    overlap: float = 0.0
    kind: Literal["stimulus"] = field(default="stimulus", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A picture known by name only: published data without its pixels."""

    name: str
    kind: Literal["elsewhere"] = field(default="elsewhere", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Attached(Stored):
    """A picture that was known by name only until its pixels were attached; a run keeps the two apart."""

    name: str


@dataclass(frozen=True, slots=True)
class Filed:
    """A picture in a file of the user's, which is read where it lies and not kept in the run."""

    path: str
    kind: Literal["filed"] = field(default="filed", kw_only=True, repr=False)


Picture = Stored | Stimulus | Elsewhere | Filed


@dataclass(frozen=True, slots=True)
class Draw:
    """Make a picture of this."""

    prompt: str
    kind: Literal["draw"] = field(default="draw", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """Look at this and answer in words."""

    picture: Picture
    question: str
    kind: Literal["answer"] = field(default="answer", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Match:
    """Say how well this text fits this picture, as a score."""

    picture: Picture
    text: str
    kind: Literal["match"] = field(default="match", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Fill:
    """Fill the one gap, written [GAP], in this text about this picture."""

    picture: Picture
    text: str
    kind: Literal["fill"] = field(default="fill", kw_only=True, repr=False)


Task = Draw | Answer | Match | Fill
TaskKind = Literal["draw", "answer", "match", "fill"]


def task_text(task: Task) -> str:
    """Give the words of a task: its prompt, question or text."""
    match task:
        case Draw(prompt=text) | Answer(question=text) | Match(text=text) | Fill(text=text):
            return text


RelationWord = Literal["above", "below", "left of", "right of"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where counted things stand: `relation` the things named by `landmark` ("left of", "cat")."""

    relation: RelationWord
    landmark: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many of these are there? The noun stands in the singular."""

    noun: str
    colour: str | None = None
    place: Place | None = None
    kind: Literal["count"] = field(default="count", kw_only=True, repr=False)
    is_informed = False

    @property
    def id(self) -> str:
        """The meaning as text, so that readings by detectors and people join."""
        thing = f"{self.colour} {self.noun}" if self.colour else self.noun
        where = f" {self.place.relation} {self.place.landmark}" if self.place else ""
        return f"count:{thing}{where}"


@dataclass(frozen=True, slots=True)
class Choose:
    """Which of these lines describes it? The value is the line's position, from 0."""

    lines: tuple[str, ...]
    kind: Literal["choose"] = field(default="choose", kw_only=True, repr=False)
    is_informed = False

    @property
    def id(self) -> str:
        """The meaning as text."""
        return "choose:" + json.dumps(self.lines, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Confirm:
    """Is this so, yes or no? Informed where the statement gives the number away ("there are 3 forks")."""

    statement: str
    is_informed: bool
    kind: Literal["confirm"] = field(default="confirm", kw_only=True, repr=False)

    @property
    def id(self) -> str:
        """The meaning as text."""
        return f"confirm:{self.statement}"


@dataclass(frozen=True, slots=True)
class MatchesPrompt:
    """Does it show what the prompt asks for? Of a group: does at least one of its members?"""

    kind: Literal["matches-prompt"] = field(default="matches-prompt", kw_only=True, repr=False)
    is_informed = True

    @property
    def id(self) -> str:
        """The meaning as text."""
        return "matches-prompt"


@dataclass(frozen=True, slots=True)
class Name:
    """What does it show, in words?"""

    kind: Literal["name"] = field(default="name", kw_only=True, repr=False)
    is_informed = False

    @property
    def id(self) -> str:
        """The meaning as text."""
        return "name"


@dataclass(frozen=True, slots=True)
class Transcribe:
    """What text is written in it?"""

    kind: Literal["transcribe"] = field(default="transcribe", kw_only=True, repr=False)
    is_informed = False

    @property
    def id(self) -> str:
        """The meaning as text."""
        return "transcribe"


@dataclass(frozen=True, slots=True)
class Fit:
    """How well does it fit this text, as a score?"""

    text: str
    kind: Literal["fit"] = field(default="fit", kw_only=True, repr=False)
    is_informed = True

    @property
    def id(self) -> str:
        """The meaning as text."""
        return f"fit:{self.text}"


Question = Count | Choose | Confirm | MatchesPrompt | Name | Transcribe | Fit


@dataclass(frozen=True, slots=True)
class Ask:
    """One question about an item's outcome, how it is worded, and the values that make the outcome right.

    Where there are no such values, nobody has said what is right. It is about one response, or about `group` repeats of
    the item together (the best of four). `parent` is the id of the question that must hold before this one means
    anything (in a scene graph); an irrelevant ask is put and kept but does not enter the score.
    """

    question: Question
    wording: str
    expects: tuple[Scalar, ...]
    parent: str | None = None
    is_relevant: bool = True
    group: int = 1


@dataclass(frozen=True, slots=True)
class Item:
    """One thing a suite asks of a model. The id is the suite's name, a slash, and the suite's own key."""

    id: str
    task: Task
    asks: tuple[Ask, ...]
    factors: Mapping[str, Scalar]

    @property
    def suite(self) -> str:
        """The name of the suite it belongs to."""
        return self.id.partition("/")[0]

    @property
    def base(self) -> str | None:
        """The id of the item whose prompt it refines: "production~grid/apples/7" is made of "production/apples/7"."""
        suite, _, key = self.id.partition("/")
        return f"{base_suite(suite)}/{key}" if REFINED in suite else None


SIGHT_CHECK = "sight-check"
"""The suite by which a model shows that it sees; it enters no figure."""
REFINED = "~"
"""Stands in the name of a suite between the one that it is made of and the refinement of its prompts."""

OF_FILE = ".yaml"
"""Ends the name of a suite that a file defines, whatever the file is called."""


def title_of_file(suite: str) -> str:
    """Make a title of the name of a suite that a file defines: half-a-pizza.yaml is "Half a pizza"."""
    return suite.removesuffix(OF_FILE).replace("-", " ").capitalize()


def base_suite(suite: str) -> str:
    """Name the suite that a refined one is made of; any other is made of itself."""
    return suite.partition(REFINED)[0]


@dataclass(frozen=True, slots=True)
class Spec:
    """The name of a suite, model or judge as users write it, `name:target,key=value`, with all its options.

    `text` leaves out the options that stand at their defaults; identity rests on `options`, which has all but those
    that were added later and stand at their defaults.
    """

    name: str
    options: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Design:
    """What a suite's figures rest on: whether what came to nothing is asked again, and the factors that it fixes."""

    asks_again: bool = False
    strata: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """An item given to a model: once per repeat, and again (attempt 1, 2, …) where the suite asks again."""

    item_id: str
    model: str
    model_options: Mapping[str, str]
    repeat: int = 0
    attempt: int = 0
    id: str = field(init=False, compare=False, repr=False)
    """A hash of what the trial is, equal on every machine."""

    def __post_init__(self) -> None:
        id = digest(self.item_id, self.model, dict(self.model_options), self.repeat, self.attempt)
        object.__setattr__(self, "id", id)

    def seed(self, run_seed: int) -> int:
        """Derive the trial's own seed from the run's seed and the trial, never from the order of work."""
        return int(hashlib.sha256(f"{run_seed} {self.id}".encode()).hexdigest()[:8], 16)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture was made; of published data its name may be all there is."""

    picture: Stored | Elsewhere
    kind: Literal["drawn"] = field(default="drawn", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of an answer, its natural-log probability, and those of what might have stood there instead."""

    text: str
    logprob: float
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """Text was written; where the model tells, with its tokens."""

    text: str
    tokens: tuple[Token, ...] = ()
    kind: Literal["said"] = field(default="said", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores were given, by name ("match", or one per candidate)."""

    scores: Mapping[str, float]
    kind: Literal["scored"] = field(default="scored", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """The model would not, or did not understand; final."""

    reason: str
    kind: Literal["refused"] = field(default="refused", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """Something broke. A transient failure is tried again on resume, any other is final."""

    reason: str
    is_transient: bool
    kind: Literal["failed"] = field(default="failed", kw_only=True, repr=False)


Outcome = Drawn | Said | Scored | Refused | Failed


def is_final(outcome: Outcome) -> bool:
    """Tell whether a trial with this outcome is done."""
    return not (isinstance(outcome, Failed) and outcome.is_transient)


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a response came about; what a backend does not tell stays at its default."""

    seed: int
    prompt_sent: str
    prompt_rewritten: str | None = None
    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    revision: str | None = None
    weights_hash: str | None = None
    parameter_count: int | None = None
    """How many numbers the network has learnt; of a pipeline that draws, the part that denoises."""
    versions: Mapping[str, str] = field(default_factory=dict)
    tokens_in: int | None = None
    tokens_out: int | None = None
    price_usd: float | None = None
    unsettled_tries: int = 0
    """Tries that ended before their answer came, a time-out for one, and may have been paid for all the same."""


@dataclass(frozen=True, slots=True)
class Response:
    """What came of a trial, how, after how many tries and how long."""

    trial: Trial
    outcome: Outcome
    provenance: Provenance
    tries: int = 1
    latency_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about: one trial's response, or an ordered group of them."""

    trial_ids: tuple[str, ...]

    @property
    def id(self) -> str:
        """The trial's id, or for a group a hash of its members in order."""
        return self.trial_ids[0] if len(self.trial_ids) == 1 else digest(*self.trial_ids)


@dataclass(frozen=True, slots=True)
class Box:
    """A thing found in a picture, in its pixels: left, top, right, bottom."""

    label: str
    score: float
    xyxy: tuple[float, float, float, float]
    colour: str | None = None


UNKNOWN = "unknown"
"""The label of a box that shows something, but nothing that whoever looks knows."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """All the things a judge found above its floor; counting them is interpretation."""

    boxes: tuple[Box, ...]
    kind: Literal["boxes"] = field(default="boxes", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Masks(Boxes):
    """Boxes, and which cells of a grid over each the thing covers: runs of cells, row by row, the first uncovered."""

    masks: tuple[str, ...] = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Words:
    """What was said, raw: a model's answer, a person's answer as typed, the text found in a picture."""

    text: str
    kind: Literal["words"] = field(default="words", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Measured:
    """A score as it was computed."""

    score: float
    kind: Literal["measured"] = field(default="measured", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Compared:
    """How well each of several texts fits, by text; the first is the one that is asked about, the others distract."""

    scores: Mapping[str, float]
    kind: Literal["compared"] = field(default="compared", kw_only=True, repr=False)


Evidence = Masks | Boxes | Words | Measured | Compared


@dataclass(frozen=True, slots=True)
class Discarded:
    """Evidence that a rule makes no value of, and why; a refusal in words is told apart from an unusable answer."""

    reason: str
    is_refusal: bool = False
    kind: Literal["discarded"] = field(default="discarded", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """The value that a rule reads off the evidence: a number, a position, yes or no, a text."""

    value: Scalar
    kind: Literal["known"] = field(default="known", kw_only=True, repr=False)


def as_float(value: Scalar) -> float:
    """Make a float of a number; one that no float is large enough for is infinite."""
    try:
        return float(value)
    except OverflowError:
        return -math.inf if isinstance(value, int) and value < 0 else math.inf


Value = Known | Discarded
ReadingPurpose = Literal["answer", "review", "adjudication"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One judge's answer to one question about one subject.

    `judge` names the way of looking, `annotator` who looked ("" for a machine). The value is the evidence as
    the named rule reads it, and can be computed anew under another. A changed mind is a new reading that
    names the one it replaces. Whoever checks or settles others' answers is no independent annotator: `purpose` marks
    what they say, and `reviews` is the number of the reading that was checked.
    """

    subject: Subject
    question: Question
    judge: str
    evidence: Evidence
    rule: str
    value: Value
    annotator: str = ""
    replaces: int | None = None
    provenance: Provenance | None = None
    purpose: ReadingPurpose = "answer"
    reviews: int | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its interval, the number of observations behind it, how it was got, and why to be wary of it."""

    value: float
    low: float
    high: float
    n: int
    method: str
    confidence: float = 0.95
    caution: str = ""


def to_plain(record: object) -> Any:  # noqa: ANN401
    """Make dictionaries of records, and of those within them, by the keys of their fields."""
    if is_dataclass(record) and not isinstance(record, type):
        names = zip(keys(type(record)), fields(record), strict=True)
        return {key: to_plain(getattr(record, field.name)) for key, field in names}
    if isinstance(record, Mapping):
        return {key: to_plain(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [to_plain(value) for value in record]
    return record


def keys(kind: type) -> list[str]:
    """List the keys of a record's fields, as they are stored and printed."""
    return [field.metadata.get("alias", field.name) for field in fields(kind)]


def digest(*parts: object) -> str:
    """Hash plain values to 32 hexadecimal digits, the same on every machine and in every process."""
    return hashlib.sha256(_canonical_json(parts).encode()).hexdigest()[:32]


_canonical_json = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode
