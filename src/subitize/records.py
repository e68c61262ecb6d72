"""Subitize's vocabulary as frozen values; docs/walkthrough.md shows them at work.

Members of a union carry a `kind`, which distinguishes them in stored JSON. A field's name is its JSON key, and stored
data outlives names: a renamed field keeps its key with `field(metadata={"alias": "its_key"})`.
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
    """The magnitude held constant across pictures of 1 to `up_to` things: total area, item size, hull, density."""

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
    """A picture known by name only, as in data published without pixels."""

    name: str
    kind: Literal["elsewhere"] = field(default="elsewhere", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Attached(Stored):
    """A picture first known by name only, whose pixels were attached later; a run keeps the two apart."""

    name: str


@dataclass(frozen=True, slots=True)
class Filed:
    """A picture in a user's file, which is read in place and not copied into the run."""

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
    """Look at this picture and answer in words."""

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
    """Return the words of a task: its prompt, question or text."""
    match task:
        case Draw(prompt=text) | Answer(question=text) | Match(text=text) | Fill(text=text):
            return text


RelationWord = Literal["above", "below", "left of", "right of"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the counted things are, relative to a landmark: `relation` "left of", `landmark` "cat"."""

    relation: RelationWord
    landmark: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many of these are there? The noun is singular."""

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
    """Is this true, yes or no? Informed if the statement gives the number away ("there are 3 forks")."""

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
    id = "matches-prompt"


@dataclass(frozen=True, slots=True)
class Name:
    """What does it show, in words?"""

    kind: Literal["name"] = field(default="name", kw_only=True, repr=False)
    is_informed = False
    id = "name"


@dataclass(frozen=True, slots=True)
class Transcribe:
    """What text is written in it?"""

    kind: Literal["transcribe"] = field(default="transcribe", kw_only=True, repr=False)
    is_informed = False
    id = "transcribe"


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

    Without such values, the right answer is unknown. An ask is about one response, or about `group` repeats of the item
    together (the best of four). `parent` is the id of the question that must hold for this one to make sense (in a
    scene graph). An irrelevant ask is put and stored but does not enter the score.
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
"""The suite that checks whether a model sees its pictures; excluded from all results."""
REFINED = "~"
"""Separates a base suite from its refinement in the name of a refined suite."""

OF_FILE = ".yaml"
"""Ends the name of every suite defined by a file, whatever the file is called."""


def title_of_file(suite: str) -> str:
    """Turn the name of a suite defined by a file into a title: half-a-pizza.yaml is "Half a pizza"."""
    return suite.removesuffix(OF_FILE).replace("-", " ").capitalize()


def base_suite(suite: str) -> str:
    """Return the name of a refined suite's base; any other suite is its own base."""
    return suite.partition(REFINED)[0]


@dataclass(frozen=True, slots=True)
class Spec:
    """The name of a suite, model or judge as users write it, `name:target,key=value`, with all its options.

    `text` leaves out options at their defaults. Identity rests on `options`, which leaves out only options that were
    added later and are at their defaults.
    """

    name: str
    options: Mapping[str, str]
    text: str


@dataclass(frozen=True, slots=True)
class Design:
    """A suite's design: whether failed items are asked again, and the factors that it fixes and samples.

    `sampled` names each sampled factor and where its levels are found: an item's factor of that name, whose text may
    list several ("cat, dog"), or words, of which an item has those in its prompt.
    """

    asks_again: bool = False
    strata: tuple[str, ...] = ()
    sampled: Mapping[str, "str | tuple[str, ...]"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trial:
    """An item given to a model: once per repeat, and again (attempt 1, 2, …) where the suite asks again."""

    item_id: str
    model: str
    model_options: Mapping[str, str]
    repeat: int = 0
    attempt: int = 0
    id: str = field(init=False, compare=False, repr=False)
    """A hash of the other fields, equal on every machine."""

    def __post_init__(self) -> None:
        id = digest(self.item_id, self.model, dict(self.model_options), self.repeat, self.attempt)
        object.__setattr__(self, "id", id)

    def seed(self, run_seed: int) -> int:
        """Derive the trial's own seed from the run's seed and the trial, never from the order of work."""
        return int(hashlib.sha256(f"{run_seed} {self.id}".encode()).hexdigest()[:8], 16)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture was made; in published data, only its name may be known."""

    picture: Stored | Elsewhere
    kind: Literal["drawn"] = field(default="drawn", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of an answer, its natural-log probability, and those of its alternatives."""

    text: str
    logprob: float
    others: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """Text was written; with its tokens, if the model reports them."""

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
    """The model declined or did not understand; final."""

    reason: str
    kind: Literal["refused"] = field(default="refused", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """Something broke. A transient failure is retried on resume; any other is final."""

    reason: str
    is_transient: bool
    kind: Literal["failed"] = field(default="failed", kw_only=True, repr=False)


Outcome = Drawn | Said | Scored | Refused | Failed
FAILED, REFUSED = "failed", "refused"
"""Kinds of outcomes that have nothing to be judged."""


def is_final(outcome: Outcome) -> bool:
    """Return whether a trial with this outcome is done."""
    return not (isinstance(outcome, Failed) and outcome.is_transient)


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a response came about; fields that a backend does not report keep their defaults."""

    seed: int
    prompt_sent: str
    prompt_rewritten: str | None = None
    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    revision: str | None = None
    weights_hash: str | None = None
    parameter_count: int | None = None
    """The number of learnt parameters; for a drawing pipeline, those of the denoiser."""
    versions: Mapping[str, str] = field(default_factory=dict)
    tokens_in: int | None = None
    tokens_out: int | None = None
    price_usd: float | None = None
    unsettled_tries: int = 0
    """Tries that ended without an answer, as by a time-out, but may have been charged."""


@dataclass(frozen=True, slots=True)
class Response:
    """The outcome of a trial, its provenance, and how many tries and how long it took."""

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
        """The trial's id, or a hash of a group's members in order."""
        return self.trial_ids[0] if len(self.trial_ids) == 1 else digest(*self.trial_ids)


@dataclass(frozen=True, slots=True)
class Box:
    """A thing found in a picture, in its pixels: left, top, right, bottom."""

    label: str
    score: float
    xyxy: tuple[float, float, float, float]
    colour: str | None = None


UNKNOWN = "unknown"
"""The label of a box around something that the judge cannot name."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """Everything a judge found above its floor; counting is left to interpretation."""

    boxes: tuple[Box, ...]
    kind: Literal["boxes"] = field(default="boxes", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Masks(Boxes):
    """Boxes with masks: run lengths of grid cells over each box, row by row, the first run uncovered."""

    masks: tuple[str, ...] = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Words:
    """Raw words: a model's answer, a person's answer as typed, the text found in a picture."""

    text: str
    kind: Literal["words"] = field(default="words", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Measured:
    """A computed score."""

    score: float
    kind: Literal["measured"] = field(default="measured", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Compared:
    """How well each of several texts fits; the first is the one asked about, the others are distractors."""

    scores: Mapping[str, float]
    kind: Literal["compared"] = field(default="compared", kw_only=True, repr=False)


Evidence = Masks | Boxes | Words | Measured | Compared


@dataclass(frozen=True, slots=True)
class Discarded:
    """Why a rule reads no value from the evidence; `is_refusal` separates refusals from unusable answers."""

    reason: str
    is_refusal: bool = False
    kind: Literal["discarded"] = field(default="discarded", kw_only=True, repr=False)


@dataclass(frozen=True, slots=True)
class Known:
    """The value that a rule reads from the evidence: a number, a position, yes or no, a text."""

    value: Scalar
    kind: Literal["known"] = field(default="known", kw_only=True, repr=False)


def as_float(value: Scalar) -> float:
    """Convert a number to a float; numbers too large for a float become infinite."""
    try:
        return float(value)
    except OverflowError:
        return -math.inf if isinstance(value, int) and value < 0 else math.inf


Value = Known | Discarded
ReadingPurpose = Literal["answer", "review", "adjudication"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One judge's answer to one question about one subject.

    `judge` names the method, `annotator` the person ("" for a machine). The value is the evidence as the named rule
    reads it, and can be recomputed under another. A changed answer is a new reading that names the one it replaces.
    Reviewers and adjudicators are not independent annotators: `purpose` marks their readings, and `reviews` is the
    number of the reading that was checked.
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
    """An estimate with its interval, number of observations, method, and a caution if there is one."""

    value: float
    low: float
    high: float
    n: int
    method: str
    confidence: float = 0.95
    caution: str = ""


def to_plain(record: object) -> Any:  # noqa: ANN401
    """Convert records, nested ones included, to dictionaries by the keys of their fields."""
    if is_dataclass(record) and not isinstance(record, type):
        names = zip(keys(type(record)), fields(record), strict=True)
        return {key: to_plain(getattr(record, field.name)) for key, field in names}
    if isinstance(record, Mapping):
        return {key: to_plain(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [to_plain(value) for value in record]
    return record


def keys(kind: type) -> list[str]:
    """List a record's keys as stored and printed."""
    return [field.metadata.get("alias", field.name) for field in fields(kind)]


def digest(*parts: object) -> str:
    """Hash plain values to 32 hexadecimal digits, the same on every machine and in every process."""
    return hashlib.sha256(_canonical_json(parts).encode()).hexdigest()[:32]


_canonical_json = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":")).encode
