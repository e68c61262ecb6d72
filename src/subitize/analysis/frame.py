"""The frame: a row per question, judge and subject, made from a run's items, responses and readings.

Figures are expressions over its columns, which docs/frame.md explains."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self

import polars as pl

from subitize.errors import BadValueError, NothingToDoError
from subitize.io.frames import group_rows, lay_out_beside, make_frame
from subitize.labels import (
    ADJUDICATED,
    MEDIAN,
    PLURALITY,
    Rule,
    check_floor,
    consensus,
    find_parts_rule,
    interpret,
    is_ours,
    is_tie,
)
from subitize.records import (
    SIGHT_CHECK,
    Answer,
    Ask,
    Count,
    Design,
    Discarded,
    Draw,
    Item,
    Known,
    MatchesPrompt,
    Reading,
    Response,
    Scalar,
    Value,
    as_float,
)
from subitize.store import Database, Run, codec
from subitize.store.frames import (
    RESPONSES,
    group_responses,
    group_trials,
    latest_attempts,
    one_per_trial,
    read_readings,
    read_responses,
    read_trials_looked_at,
)
from subitize.store.reading import FAILED, REFUSED, decode_question, decode_value, read_designs, read_judges

Status = Literal["eligible", "discarded", "refused", "unknown"]

# A judge's name where nothing could be judged, because every response was a refusal.
NO_JUDGE = "none"

COLUMNS: dict[str, pl.DataType] = {
    **dict.fromkeys(("suite", "item", "model", "judge"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    "subject": pl.String(),
    "ask": pl.Int64(),
    **dict.fromkeys(("question", "question_kind"), pl.String()),
    "group": pl.Int64(),
    "status": pl.String(),
    **dict.fromkeys(("value", "target"), pl.Float64()),
    **dict.fromkeys(("value_text", "expected"), pl.String()),
    **dict.fromkeys(("is_right", "is_right_by_itself"), pl.Boolean()),
    "parent": pl.String(),
    **dict.fromkeys(("is_relevant", "is_number", "is_informed", "is_excluded"), pl.Boolean()),
}
_PLACE = ("suite", "model", "is_group", "is_relevant")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Rows with the columns of COLUMNS, in the order of the items and of their asks; the items themselves by id.

    `designs` are those of the suites, as far as they are known.
    """

    rows: pl.DataFrame
    items: Mapping[str, Item]
    designs: Mapping[str, Design] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.rows.height

    def filter(self, *predicates: pl.Expr) -> Self:
        """Keep the rows that fulfil all of these."""
        return type(self)(self.rows.filter(*predicates), self.items, self.designs)

    def kept(self) -> Self:
        """Leave out what was excluded by hand."""
        return self.filter(~pl.col("is_excluded"))

    def partition(self, *columns: str) -> Iterator[tuple[tuple[str, ...], Self]]:
        """Go through the parts that are alike in these columns, in the order of their first rows."""
        for key, rows in self.rows.group_by(*columns, maintain_order=True):
            yield tuple(map(str, key)), type(self)(rows, self.items, self.designs)

    def look(self, row: Mapping[str, Any]) -> "FrameRow":
        """Take one of the rows, with its item and what was asked."""
        item, text = self.items[row["item"]], row["value_text"]
        value = None if text is None else read_scalar(row["value"], text)
        return FrameRow(
            item, item.asks[row["ask"]], row["status"], value, *(row[name] for name in FrameRow._fields[4:])
        )

    def seen_items(self) -> list[Item]:
        """List the items that there are rows of."""
        return [self.items[id] for id in self.rows["item"].unique(maintain_order=True)]


def find_one_judge(run: Run, rows: pl.DataFrame, of: str = "") -> str:
    """Find whose readings these are (nobody's, if all was refused); `of` names the suite where there are several."""
    judges = sorted({*rows["judge"]} - {NO_JUDGE})
    if len(judges) > 1:
        told = ", ".join(run.judge_names().get(name, name) for name in judges)
        raise NothingToDoError(
            f"{run.location} has several judges{f' of {of}' * bool(of)}: {told}; name one with --judge"
        )
    return judges[0] if judges else NO_JUDGE


def judges_of_refusals(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """Tell by suite and judge whose observations these are: what was only ever refused is wrong for every judge.

    Where a suite has no judge at all, they stay nobody's.
    """
    different = dict.fromkeys(places)
    judges = group_rows((one for one in different if one[1] != NO_JUDGE), lambda one: one[0])
    known = {suite: [judge for _, judge in own] for suite, own in judges.items()}
    return {(suite, own): known.get(suite, [own]) if own == NO_JUDGE else [own] for suite, own in different}


def asks_for_number(item: Item, ask: Ask) -> bool:
    """Tell whether an ask is a count whose right answer is the item's factor `number`, of things of its category."""
    factors = item.factors
    number = factors.get("number")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return isinstance(ask.question, Count) and is_number and "category" in factors and ask.expects == (number,)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which readings to take, how to read their evidence (None: as stored), and how several become one.

    What a rule leaves open is as in the rule that a reading was stored with.
    """

    judge: str | None = None
    rule: Rule | None = None
    agreement: str = PLURALITY


@dataclass(frozen=True, slots=True)
class Missing:
    """What no figure covers: items that a model was not given, trials that failed, answers that nobody has read.

    Answers whose readings are tied have no value, and are unknown.
    """

    unasked: int
    failed: int
    unread: int
    tied: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class RunFrame:
    """All that figures are made of, read at once: the responses that count, and what was observed.

    `whole` has the asks that do not enter the score, too; their values are as stored, as rules are for counts. Failed
    trials are not observed; refusals stand for every judge of that model. Labels were made of the `votes`: the
    readings, and with the rule `adjudicated` what reviewers and adjudicators said of them.
    """

    run: Run
    reader: ReadOptions
    responses: pl.DataFrame
    votes: pl.DataFrame
    whole: Frame
    ties: int = 0
    """How many of the observations have no value because their readings are tied."""

    @property
    def readings(self) -> pl.DataFrame:
        """What judges and people said by themselves."""
        return self.votes.filter(IS_ANSWER) if self.reader.agreement == ADJUDICATED else self.votes

    @property
    def observations(self) -> Frame:
        """What enters the score."""
        return self.whole.filter(pl.col("is_relevant"))

    def gaps(self) -> Missing:
        """Count what no figure covers; a sight check is for none."""
        latest = self.responses.filter(~pl.col("item").str.starts_with(f"{SIGHT_CHECK}/"))
        asked = latest.select("model", "item").unique()
        begun = asked.select("model", suite=pl.col("item").str.splitn("/", 2).struct.field("field_0")).unique()
        sizes = Counter(item.suite for item in self.whole.items.values())
        given = sum(sizes[suite] for suite in begun["suite"])
        failed = latest.filter(pl.col("kind") == FAILED).height
        answered = latest.filter(~pl.col("kind").is_in([FAILED, REFUSED]))["trial"]
        unread = (~answered.is_in(read_trials_looked_at(self.run).implode())).sum()
        return Missing(given - asked.height, failed, int(unread), self.ties)

    def trials(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """List the trials that a row of observations is about: of a group, those of its repeats."""
        answered = self.responses.filter(
            pl.col("item") == row["item"], pl.col("model") == row["model"], pl.col("kind") != FAILED
        )
        groups = group_trials(answered, row["group"])
        return tuple(groups.filter(pl.col("subject") == row["subject"])["trials"].item())


def read_frame(run: Run, reader: ReadOptions | None = None, responses: pl.DataFrame | None = None) -> RunFrame:
    """Read a run once, for all figures; `responses` are all that it has, if they have been read."""
    reader = reader or ReadOptions()
    if reader.judge is not None:
        reader = replace(reader, judge=run.find_judge(reader.judge))
    latest = latest_attempts(read_responses(run) if responses is None else one_per_trial(responses))
    votes = _read(run, reader)
    labels = label_readings(votes, reader.agreement)
    stored = labels if reader.rule is None else label_readings(_read(run, replace(reader, rule=None)), reader.agreement)
    items, excluded = {item.id: item for item in run.items()}, frozenset(run.exclusions())
    asked = _Asked(items, latest, read_designs(run), excluded)
    labels = _join_parts(asked, labels)
    whole = _observe(asked, labels, stored)
    place, tied = ["subject", "question", "judge"], labels.filter(pl.col("label") == TIED)
    counted = whole.rows.filter("is_relevant", ~pl.col("is_excluded")).unique(place)
    found = RunFrame(run, reader, latest, votes, whole, counted.join(tied, on=place, how="semi").height)
    if not len(found.observations) or (reader.judge is not None and not votes.height and read_judges(run)):
        raise NothingToDoError(_what_is_missing(run, reader, latest))
    return found


def observe_run(run: Run, reader: ReadOptions | None = None) -> Frame:
    """Join what the run has of the asks that enter the score."""
    return read_frame(run, reader).observations


def frame_of(
    items: Sequence[Item], responses: Iterable[Response], readings: Iterable[Reading], designs: Mapping[str, Design]
) -> Frame:
    """Join what is known without a run, as a run's is; `designs` are those of the suites."""
    trials = make_frame(
        (
            (of.id, of.item_id, of.model, of.repeat, of.attempt, one.outcome.kind)
            for one in responses
            for of in (one.trial,)
        ),
        RESPONSES,
    )
    values = make_frame(
        ((one.subject.id, one.question.id, one.judge, codec.encode(codec.value, one.value)) for one in readings),
        dict.fromkeys(("subject", "question", "judge", "value"), pl.String()),
    )
    labels = label_readings(values, ReadOptions().agreement)
    asked = _Asked({item.id: item for item in items}, latest_attempts(trials), designs, frozenset())
    return _observe(asked, labels, labels).filter(pl.col("is_relevant"))


def check_judge(run: Run, judge: str) -> None:
    """Refuse a judge that has read nothing, and name those that have."""
    if judge not in read_judges(run):
        told = list_judges(run)
        raise NothingToDoError(
            f"{run.location} has no readings by {judge!r}; judges with readings: {told}; add some with "
            "subitize judge, or people's with subitize import readings"
        )


def list_judges(run: Run) -> str:
    """Name the judges that have read anything."""
    names = run.judge_names()
    return ", ".join(names.get(judge, judge) for judge in read_judges(run)) or "none"


class FrameRow(NamedTuple):
    """What came of one ask."""

    item: Item
    ask: Ask
    status: Status
    value: Scalar | None
    model: str = ""
    judge: str = ""
    repeat: int = 0
    is_excluded: bool = False
    subject: str = ""


def frame_seen(seen: Iterable[FrameRow]) -> Frame:
    """Make observations of what is known without responses and readings; subjects are the repeats, if not named."""
    rows = list(seen)
    items = {one.item.id: one.item for one in rows}
    outcomes = make_frame(
        (
            (
                one.item.id,
                one.item.asks.index(one.ask),
                one.model,
                one.judge,
                one.repeat,
                0,
                one.subject or f"{one.item.id} {one.model} {one.repeat}",
                one.status,
                *_columns_of(None if one.value is None else Known(one.value))[1:],
                one.is_excluded,
            )
            for one in rows
        ),
        _SEEN,
    )
    asks = _list_asks(items.values())
    return Frame(_mark_right(outcomes.join(asks, on=["item", "ask"], maintain_order="left")), items)


def label_readings(readings: pl.DataFrame, agreement: str) -> pl.DataFrame:
    """Make one value of all the readings of a question: a row per subject, question and judge, the judges in order.

    `is_blind` is for labels that follow from those of blind questions (`_join_parts`); these are none.
    Few sets of answers are different, so each is looked at once. The lines of a choice have numbers but no median.
    """
    if agreement == ADJUDICATED:
        readings = settle_votes(readings)
    is_choice = pl.col("question").str.starts_with(_CHOICE)
    rule = pl.when(is_choice & (pl.lit(agreement) == MEDIAN)).then(pl.lit(PLURALITY)).otherwise(pl.lit(agreement))
    answers = readings.group_by("subject", "question", "judge", maintain_order=True).agg(
        pl.col("value").str.join(_BETWEEN).alias("values")
    )
    votes = answers.with_columns(pl.concat_str(rule, "values", separator=_BETWEEN).alias("values"))
    labelled = decode_columns(votes, "values", _agree)
    judges = answers.select(pl.col("judge").unique(maintain_order=True)).with_row_index("judge_order")
    return labelled.join(judges, on="judge", maintain_order="left").with_columns(is_blind=pl.lit(False))


def settle_votes(readings: pl.DataFrame) -> pl.DataFrame:
    """Let each answer stand as its reviewer left it, and where somebody has adjudicated their answer alone.

    What was reviewed and then replaced by whoever said it stands as it is. An adjudicator or reviewer without a value
    settles nothing.
    """
    answers = readings.filter(IS_ANSWER)
    settled = readings.filter(~IS_ANSWER & ~pl.col("value").str.ends_with(_DISCARDED))
    reviews = settled.filter(pl.col("purpose") == "review").unique("reviews", keep="last", maintain_order=True)
    corrected = answers.join(
        reviews.select(pl.col("reviews").alias("id"), pl.col("value").alias("corrected")),
        on="id",
        how="left",
        maintain_order="left",
    ).with_columns(value=pl.coalesce("corrected", "value"))
    place = ["subject", "question", "judge"]
    adjudicated = settled.filter(pl.col("purpose") == "adjudication").unique(place, keep="last", maintain_order=True)
    left = corrected.drop("corrected").join(adjudicated, on=place, how="anti", maintain_order="left")
    return pl.concat([left, adjudicated])


IS_ANSWER = pl.col("purpose").is_null()
"""What somebody said by themselves, who was shown nobody's answer."""
_DISCARDED = '"kind":"discarded"}'


def decode_columns(rows: pl.DataFrame, column: str, decode: Callable[[str], Value]) -> pl.DataFrame:
    """Put beside a column of stored values what they say: the kind, as a number (yes is 1), as text, and as a key.

    Each different one is decoded once.
    """
    return lay_out_beside(rows, column, _LABEL, lambda text: _columns_of(decode(text)))


_BETWEEN = "\x1e"  # JSON has no such character
_CHOICE = "choose:"
KNOWN, TIED = "known", "tied"
"""The labels of readings that have a value, and of several that agree on none."""
_TYPES: dict[str, pl.DataType] = {
    **COLUMNS,
    **dict.fromkeys(("label", "value_key", "expects", "targets"), pl.String()),
    **dict.fromkeys(("is_answered", "is_drawn_number"), pl.Boolean()),
}


def _schema(*names: str) -> dict[str, pl.DataType]:
    return {name: _TYPES[name] for name in names}


_LABEL = _schema("label", "value", "value_text", "value_key")
_SEEN = _schema(
    *("item", "ask", "model", "judge", "repeat", "attempt", "subject", "status"),
    *("value", "value_text", "value_key", "is_excluded"),
)
_ASKS = _schema(
    *("suite", "item", "ask", "question", "question_kind", "group", "expected", "expects", "target", "targets"),
    *("parent", "is_relevant", "is_number", "is_informed", "is_answered", "is_drawn_number"),
)


def _agree(votes: str) -> Value:
    agreement, *texts = votes.split(_BETWEEN)
    given = [decode_value(text) for text in texts]
    # One vote counts as it is, unless the rule makes something else of it; a rule that is not known is refused.
    return given[0] if len(given) == 1 and is_ours(agreement) else consensus(given, agreement)


def _columns_of(value: Value | None) -> tuple[str | None, float | None, str | None, str | None]:
    match value:
        case Known(known):
            return KNOWN, None if isinstance(known, str) else as_float(known) + 0.0, str(known), _key(known)
        case Discarded() if value.is_refusal:
            return "declined", None, None, None
        case Discarded() if is_tie(value):
            return TIED, None, None, None
    return "unusable", None, None, None


def read_label(label: str, value: float | None, text: str | None) -> Value:
    """Put a label together again that was laid out in columns."""
    return Discarded(label, is_refusal=label == "declined") if text is None else Known(read_scalar(value, text))


def read_scalar(value: float | None, text: str) -> Scalar:
    """Put a value together again that was laid out in columns."""
    if value is None:
        return text
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text.lstrip("-").isdecimal() else value


@lru_cache(10_000)
def _key(value: Scalar) -> str:
    """Write a value so that equal ones read the same: 1, 1.0 and yes are equal, and no text is a number."""
    if isinstance(value, str):
        return json.dumps(value)
    # Larger whole numbers are not told apart as floats.
    return str(value) if isinstance(value, int) and abs(value) > 2**53 else str(as_float(value) + 0.0)  # -0.0 is 0


def _read(run: Run, reader: ReadOptions) -> pl.DataFrame:
    with_reviews = reader.agreement == ADJUDICATED
    if reader.rule is None:
        return read_readings(run, reader.judge, with_reviews=with_reviews)
    for entry in run.judges():
        if reader.judge in (None, entry.spec):
            check_floor(reader.rule, entry.options, entry.spec)
    rows = read_readings(run, reader.judge, with_evidence=True, with_reviews=with_reviews)
    of = ("judge", "rule", "evidence", "question_record")
    different = rows.select(*of).unique(maintain_order=True)
    anew = [_interpret_anew(run, reader, *stored) for stored in different.iter_rows()]
    values = different.with_columns(pl.Series("anew", anew, pl.String()))
    return rows.join(values, on=of, maintain_order="left").with_columns(value=pl.col("anew"))


def _interpret_anew(run: Run, reader: ReadOptions, judge: str, stored: str, evidence: str, question: str) -> str:
    assert reader.rule is not None
    rule = _whole_rule(reader.rule, stored)
    try:
        value = interpret(codec.evidence.validate_json(evidence), decode_question(question), rule)
    except BadValueError as error:
        judge = run.judge_names().get(judge, judge)
        remedy = f", as {judge!r} has; name a judge with --judge: {list_judges(run)}" if reader.judge is None else ""
        raise BadValueError(f"{error}{remedy}") from None
    return codec.encode(codec.value, value)


_whole_rule = lru_cache(1_000)(Rule.over_stored)


class _Asked(NamedTuple):
    """The items, the responses that count, the designs of the suites, and what is left out."""

    items: Mapping[str, Item]
    latest: pl.DataFrame
    designs: Mapping[str, Design]
    excluded: Set[str]


def _observe(asked: _Asked, labels: pl.DataFrame, stored_labels: pl.DataFrame) -> Frame:
    shown = pair_asks_with_responses(_list_asks(asked.items.values()), asked.latest)
    relevant, others = (shown.filter(pl.col("is_relevant") == is_relevant) for is_relevant in (True, False))
    seen = pl.concat([_join_labels(relevant, labels), _join_labels(others, stored_labels)])
    asked_again = [suite for suite, design in asked.designs.items() if design.asks_again]
    again = pl.col("is_drawn_number") & pl.col("suite").is_in(asked_again)
    rows = seen.with_columns(
        status=_status(is_empty=again & (pl.col("value").round() == 0)),
        is_excluded=pl.col("item").is_in(list(asked.excluded)),
        # Whoever looked at blind parts was not told the prompt; at what was refused nobody looked.
        is_informed=pl.col("is_informed") & ~pl.coalesce("is_blind", pl.col("is_blind").any().over(*_PLACE, "judge")),
    )
    return Frame(_mark_right(rows), asked.items, asked.designs)


def _join_parts(asked: _Asked, labels: pl.DataFrame) -> pl.DataFrame:
    """Add to the labels what follows from those of parts, where a suite's paper says how they are joined.

    A judge that said itself whether a picture matches has its say.
    """
    rules = {suite: rule for suite in {item.suite for item in asked.items.values()} if (rule := find_parts_rule(suite))}
    items = {id: item for id, item in asked.items.items() if item.suite in rules}
    if not items or not labels.height:
        return labels
    parts = _list_asks(items.values()).filter(~pl.col("is_relevant"))
    read = pair_asks_with_responses(parts, asked.latest).join(labels, on=["subject", "question"], maintain_order="left")
    said = labels.filter(pl.col("question") == MatchesPrompt().id)
    left = read.join(said, on=["subject", "judge"], how="anti", maintain_order="left")
    joined = []
    for (subject, judge), rows in left.group_by("subject", "judge", maintain_order=True):
        item = items[rows["item"][0]]
        values = {id: read_label(*label) for id, *label in rows.select("question", *list(_LABEL)[:3]).iter_rows()}
        value = rules[item.suite].join(item, values)
        if value is not None:
            is_blind = not rows["is_informed"].any()
            joined.append((subject, MatchesPrompt().id, judge, *_columns_of(value), rows["judge_order"][0], is_blind))
    columns = ("subject", "question", "judge", *_LABEL, "judge_order", "is_blind")
    return pl.concat([labels, make_frame(joined, {name: labels.schema[name] for name in columns})], how="diagonal")


def pair_asks_with_responses(asks: pl.DataFrame, latest: pl.DataFrame) -> pl.DataFrame:
    """Put each ask beside what it is about: one response each, or the repeats of an item, so many at a time.

    A group that is not yet complete is left out. One that was refused stays in its group: it shows nothing and is
    wrong, the others are looked at. Where all were refused there is nothing to look at.
    """
    answered = latest.filter(pl.col("kind") != FAILED)
    shown = [
        of_size.join(group_responses(answered, int(of_size["group"][0])), on="item", maintain_order="left_right")
        for of_size in asks.partition_by("group")
    ]
    nothing = asks.clear().join(group_responses(answered, 1), on="item")
    return pl.concat([nothing, *shown]).sort("place", maintain_order=True).with_row_index("row")


def _list_asks(items: Iterable[Item]) -> pl.DataFrame:
    rows = ((item, ask, place) for item in items for place, ask in enumerate(item.asks))
    asks = make_frame((_ask_row(*row) for row in rows), _ASKS).with_row_index("place")
    return asks.with_columns(pl.col("expects").str.split(_BETWEEN))


def _ask_row(item: Item, ask: Ask, place: int) -> tuple[object, ...]:
    question = ask.question
    is_drawn, is_number = isinstance(item.task, Draw), asks_for_number(item, ask)
    # A line's position is a number too, but only a count can be off by so many.
    targets = [_key(one) for one in ask.expects if not isinstance(one, str)] if isinstance(question, Count) else []
    return (
        item.suite,
        item.id,
        place,
        question.id,
        question.kind,
        ask.group,
        " or ".join(map(str, ask.expects)),
        _BETWEEN.join(map(_key, ask.expects)),
        float(targets[0]) if targets else None,
        _BETWEEN.join(targets) if len(targets) > 1 else None,
        ask.parent,
        ask.is_relevant,
        is_number,
        question.is_informed and is_drawn,  # of what a model wrote, the judge reads no more than that
        isinstance(item.task, Answer),
        is_drawn and is_number,
    )


def _join_labels(shown: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Give each subject its labels, one per judge; one without any is left out, and a refusal has one of each judge.

    Who looks at images one by one need not look at groups of them.
    """
    shown = shown.with_columns(is_group=pl.col("group") > 1)
    labelled = shown.join(labels, on=["subject", "question"])
    looked = labelled.group_by(*_PLACE, "judge").agg(pl.col("row").min(), pl.col("judge_order").first())
    looked = looked.sort("row", "judge_order").with_columns(rank=pl.int_range(pl.len()).over(*_PLACE))
    looked = looked.select(*_PLACE, "judge", "rank")
    alone = shown.group_by(*_PLACE).agg(pl.col("is_refused").all()).filter("is_refused")
    nobody = alone.join(looked, on=_PLACE, how="anti").select(*_PLACE, judge=pl.lit(NO_JUDGE), rank=pl.lit(0, pl.Int64))
    refused = shown.filter("is_refused").join(pl.concat([looked, nobody]), on=_PLACE)
    answered = labelled.filter(~pl.col("is_refused")).join(looked, on=[*_PLACE, "judge"])
    return pl.concat([answered, refused], how="diagonal").sort("row", "rank")


def _status(*, is_empty: pl.Expr) -> pl.Expr:
    """Tell what came of it as one judge labels it.

    Where a suite asks again for what came out as nothing, a drawing in which nothing is to be counted is discarded, its
    value 0 (Numbersense, section 2.1.2): after the last attempt there is no number to be right or wrong about. Words
    that decline are a refusal of the model that wrote them; about a drawing, or scores, they are the judge's, and it
    is unknown. So is what people are divided about.
    """
    declines = pl.col("label") == "declined"
    is_eligible = (pl.col("label") == KNOWN) & ~is_empty.fill_null(value=False)
    return (
        pl.when(pl.col("is_refused") | (declines & pl.col("is_answered")))
        .then(pl.lit("refused"))
        .when(declines | (pl.col("label") == TIED))
        .then(pl.lit("unknown"))
        .when(is_eligible)
        .then(pl.lit("eligible"))
        .otherwise(pl.lit("discarded"))
    )


def _mark_right(rows: pl.DataFrame) -> pl.DataFrame:
    """Tell what is right: one of the values that a right outcome shows, and what it rests on is right, too."""
    is_eligible = pl.col("status") == "eligible"
    holds = pl.col("expects").list.contains(pl.col("value_key")).fill_null(value=False)
    marked = rows.with_columns(is_right_by_itself=is_eligible & holds, target=_nearest(rows))
    return _mark_founded(marked).select(*COLUMNS)


def _nearest(rows: pl.DataFrame) -> pl.Series:
    """Find the right number that is nearest to the one read, of counts that have several."""
    several = rows.with_row_index("at").filter(pl.col("targets").is_not_null() & pl.col("value").is_not_null())
    if not several.height:
        return rows["target"]
    pairs = several.select("value", "targets").iter_rows()
    nearest = [min(map(float, targets.split(_BETWEEN)), key=lambda one: abs(one - value)) for value, targets in pairs]
    return rows["target"].scatter(several["at"], pl.Series(nearest, dtype=pl.Float64))


def _mark_founded(rows: pl.DataFrame) -> pl.DataFrame:
    """Count an answer as wrong that rests, in a scene graph, on a wrong one.

    Where there is no fork, it does not matter that none is broken. What enters no score cannot lower one.
    """
    marked = rows.with_columns(is_right=pl.col("is_right_by_itself"))
    if rows["parent"].null_count() == rows.height:
        return marked
    place = ["subject", "judge", "is_relevant", "parent"]
    while True:
        parents = marked.select("subject", "judge", "is_relevant", parent="question", does_parent_hold="is_right")
        parents = parents.unique(place, keep="last", maintain_order=True)
        joined = marked.join(parents, on=place, how="left", maintain_order="left")
        holds = pl.col("is_right_by_itself") & pl.col("does_parent_hold").fill_null(value=True)
        found = joined.with_columns(is_right=holds).drop("does_parent_hold")
        if found["is_right"].equals(marked["is_right"]):
            return found
        marked = found


def _what_is_missing(run: Run, reader: ReadOptions, latest: pl.DataFrame) -> str:
    if latest.height and (latest["kind"] == FAILED).all():
        return f"all {latest.height} trials of {run.location} failed; run the same command again to try them again"
    name = run.location.run_id if isinstance(run.location, Database) else run.location
    if not latest.height:
        return f"{run.location} has no responses yet; first: subitize run SUITE --model MODEL --out {name}"
    if reader.judge is not None:
        return f"{run.location} has no readings by {reader.judge!r}; judges with readings: {list_judges(run)}"
    if read_judges(run):
        return (
            f"{run.location} has no readings of the suites' own questions yet: subitize judge {name} --judge JUDGE; "
            f"for those of judges that ask their own: subitize align {name}"
        )
    return f"{run.location} has no readings yet; finish its run, or: subitize judge {name} --judge JUDGE"
