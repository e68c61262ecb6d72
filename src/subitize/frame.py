"""The frame: a row per question, judge and subject, made from items, responses and votes, from a run or anything else.

Figures are expressions over its columns, which docs/frame.md explains."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self

import polars as pl

from subitize.io import codec
from subitize.io.frames import add_columns, group_rows, lay_out_beside, make_frame
from subitize.labels.consensus import ADJUDICATED, MEDIAN, PLURALITY, consensus, find_parts_rule, is_ours, is_tie
from subitize.records import (
    FAILED,
    REFUSED,
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
    Subject,
    Value,
    as_float,
)

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
RESPONSES: dict[str, pl.DataType] = {
    **dict.fromkeys(("trial", "item", "model"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    "kind": pl.String(),
}
_PLACE = ("suite", "model", "is_group", "is_relevant")


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Rows with the columns of COLUMNS, in the order of the items and their asks, and the items by id.

    `designs` are those of the suites, as far as they are known.
    """

    rows: pl.DataFrame
    items: Mapping[str, Item]
    designs: Mapping[str, Design] = field(default_factory=dict)

    def __len__(self) -> int:
        return self.rows.height

    def filter(self, *predicates: pl.Expr) -> Self:
        """Keep the rows that satisfy all predicates."""
        return type(self)(self.rows.filter(*predicates), self.items, self.designs)

    def kept(self) -> Self:
        """Leave out rows that were excluded by hand."""
        return self.filter(~pl.col("is_excluded"))

    def partition(self, *columns: str) -> Iterator[tuple[tuple[str, ...], Self]]:
        """Split into parts with equal values in these columns, in the order of their first rows."""
        for key, rows in self.rows.group_by(*columns, maintain_order=True):
            yield tuple(map(str, key)), type(self)(rows, self.items, self.designs)

    def row(self, row: Mapping[str, Any]) -> "FrameRow":
        """Make a record of one row, with its item and ask."""
        item, text = self.items[row["item"]], row["value_text"]
        value = None if text is None else read_scalar(row["value"], text)
        return FrameRow(
            item, item.asks[row["ask"]], row["status"], value, *(row[name] for name in FrameRow._fields[4:])
        )

    def seen_items(self) -> list[Item]:
        """List the items that have rows."""
        return [self.items[id] for id in self.rows["item"].unique(maintain_order=True)]


def judges_of_refusals(places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """Map suite and judge to the judges of these rows: what was only ever refused is wrong for every judge.

    If a suite has no judge at all, they remain without one.
    """
    different = dict.fromkeys(places)
    judges = group_rows((one for one in different if one[1] != NO_JUDGE), lambda one: one[0])
    known = {suite: [judge for _, judge in own] for suite, own in judges.items()}
    return {(suite, own): known.get(suite, [own]) if own == NO_JUDGE else [own] for suite, own in different}


def asks_for_number(item: Item, ask: Ask) -> bool:
    """Return whether an ask is for a count whose right answer is the item's factor `number`, in its category."""
    factors = item.factors
    number = factors.get("number")
    is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    return isinstance(ask.question, Count) and is_number and "category" in factors and ask.expects == (number,)


def build_frame(
    items: Mapping[str, Item],
    responses: pl.DataFrame,
    votes: pl.DataFrame,
    designs: Mapping[str, Design],
    *,
    agreement: str = PLURALITY,
    stored: pl.DataFrame | None = None,
    excluded: Set[str] = frozenset(),
) -> tuple[Frame, int]:
    """Make the frame of items, their latest responses and votes; also count the scored rows without a value for a tie.

    Votes have columns `subject`, `question`, `judge` and `value`, as JSON. `stored` are those for questions that do not
    enter the score, if they differ.
    """
    labels = label_readings(votes, agreement)
    stored_labels = labels if stored is None else label_readings(stored, agreement)
    asked = _Asked(items, responses, designs, excluded)
    labels = _join_parts(asked, labels)
    whole = _observe(asked, labels, stored_labels)
    place, tied = ["subject", "question", "judge"], labels.filter(pl.col("label") == TIED)
    counted = whole.rows.filter("is_relevant", ~pl.col("is_excluded")).select(place)
    return whole, counted.join(tied, on=place, how="semi").n_unique()


def frame_of(
    items: Iterable[Item], responses: Iterable[Response], readings: Iterable[Reading], designs: Mapping[str, Design]
) -> Frame:
    """Make the frame of records that are in no run, as far as it enters the score."""
    trials = make_frame(
        (
            (of.id, of.item_id, of.model, of.repeat, of.attempt, one.outcome.kind)
            for one in responses
            for of in (one.trial,)
        ),
        RESPONSES,
    )
    votes = make_frame(
        ((one.subject.id, one.question.id, one.judge, codec.encode(codec.value, one.value)) for one in readings),
        dict.fromkeys(("subject", "question", "judge", "value"), pl.String()),
    )
    whole, _ = build_frame({item.id: item for item in items}, latest_attempts(trials), votes, designs)
    return whole.filter(pl.col("is_relevant"))


def latest_attempts(responses: pl.DataFrame) -> pl.DataFrame:
    """Keep the last attempt at each item and repeat, in the place of the first: the one that counts in results.

    A failed attempt counts only if there is no other: a failure to ask again does not undo an answer.
    """
    key, order = ("item", "model", "repeat"), ("_is_answer", "attempt")
    if responses.select(key).n_unique() == responses.height:
        return responses
    ranked = responses.with_row_index("_first").with_columns(
        pl.col("_first").min().over(key), _is_answer=pl.col("kind") != FAILED
    )
    best = ranked.sort(order, descending=True, maintain_order=True).unique(key, keep="first", maintain_order=True)
    return best.sort("_first").select(responses.columns)


def group_responses(answered: pl.DataFrame, size: int) -> pl.DataFrame:
    """Return the subjects of questions about `size` responses: each response, or several repeats of an item.

    For more than one: a model's latest attempts at the repeats 0 to size-1 of an item, then at the next `size`, and so
    on. Incomplete groups are left out. A refused response stays in its group; the group is refused only if all were.
    """
    columns = ("item", "model", "repeat", "attempt", "subject", "is_refused")
    if size == 1:
        return answered.with_columns(subject="trial", is_refused=pl.col("kind") == REFUSED).select(columns)
    return group_trials(answered, size).select(columns)


def group_trials(answered: pl.DataFrame, size: int) -> pl.DataFrame:
    """Return the groups of `size` responses, each with its `trials` in the order of their repeats."""
    blocks = answered.sort("repeat", maintain_order=True).with_columns(block=pl.col("repeat") // size)
    groups = blocks.group_by("item", "model", "block", maintain_order=True).agg(
        pl.col("repeat").first(),
        pl.col("attempt").first(),
        pl.col("trial").alias("trials"),
        (pl.col("kind") == REFUSED).all().alias("is_refused"),
    )
    groups = groups.filter(pl.col("trials").list.len() == size)
    subjects = [Subject(tuple(trials)).id for trials in groups["trials"]]
    return groups.with_columns(pl.Series("subject", subjects, pl.String()))


class FrameRow(NamedTuple):
    """The result of one ask."""

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
    """Make a frame of given results, without responses and readings; subjects are the repeats, if not named."""
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
    """Reduce all readings of a question to one value: a row per subject, question and judge, with the judges in order.

    `is_blind` marks labels that follow from those of blind questions (see `_join_parts`), so it is false here.
    There are few distinct sets of answers, and each is evaluated once. The lines of a choice have numbers but no
    median.
    """
    if agreement == ADJUDICATED:
        readings = settle_votes(readings)
    place, is_choice = ["subject", "question", "judge"], pl.col("question").str.starts_with(_CHOICE)
    rule = pl.when(is_choice & (pl.lit(agreement) == MEDIAN)).then(pl.lit(PLURALITY)).otherwise(pl.lit(agreement))
    answers = readings.select(*place, pl.col("value").alias("values"))
    if answers.select(place).n_unique() < answers.height:
        answers = answers.group_by(place, maintain_order=True).agg(pl.col("values").str.join(_BETWEEN))
    votes = answers.with_columns(pl.concat_str(rule, "values", separator=_BETWEEN).alias("values"))
    labelled = decode_columns(votes, "values", _agree).drop("values")
    judges = answers.select(pl.col("judge").unique(maintain_order=True)).with_row_index("judge_order")
    return add_columns(labelled, judges, "judge").with_columns(is_blind=pl.lit(False))


def settle_votes(readings: pl.DataFrame) -> pl.DataFrame:
    """Replace each answer by its reviewer's correction, and all answers to an adjudicated question by the adjudication.

    A review does not apply to an answer that its author has since replaced. A review or adjudication without a value
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
"""Independent answers, given without sight of anyone else's."""
_DISCARDED = '"kind":"discarded"}'


def decode_columns(rows: pl.DataFrame, column: str, decode: Callable[[str], Value]) -> pl.DataFrame:
    """Add columns for stored values: their kind, and their value as a number (yes is 1), as text, and as a key.

    Each distinct one is decoded once.
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


_decode_value = lru_cache(10_000)(codec.value.validate_json)


def _agree(votes: str) -> Value:
    agreement, *texts = votes.split(_BETWEEN)
    given = [_decode_value(text) for text in texts]
    # A single vote counts as it is, unless the rule may change it; unknown rules are refused.
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
    """Rebuild a label from its columns."""
    return Discarded(label, is_refusal=label == "declined") if text is None else Known(read_scalar(value, text))


def read_scalar(value: float | None, text: str) -> Scalar:
    """Rebuild a value from its columns."""
    if value is None:
        return text
    if text in ("True", "False"):
        return text == "True"
    return int(text) if text.lstrip("-").isdecimal() else value


@lru_cache(10_000)
def _key(value: Scalar) -> str:
    """Write a value so that equal ones read the same: 1, 1.0 and yes are equal, but no text equals a number."""
    if isinstance(value, str):
        return json.dumps(value)
    # Larger whole numbers are not distinct as floats.
    return str(value) if isinstance(value, int) and abs(value) > 2**53 else str(as_float(value) + 0.0)  # -0.0 is 0


class _Asked(NamedTuple):
    """The items, the responses that count, the designs of the suites, and the excluded items."""

    items: Mapping[str, Item]
    latest: pl.DataFrame
    designs: Mapping[str, Design]
    excluded: Set[str]


_PLACED = ("place", "suite", "item", "group", "question", "is_relevant")


def _observe(asked: _Asked, labels: pl.DataFrame, stored_labels: pl.DataFrame) -> Frame:
    asks = _list_asks(asked.items.values())
    shown = pair_asks_with_responses(asks.select(_PLACED), asked.latest)
    seen = pl.concat(
        _join_labels(shown.filter(pl.col("is_relevant") == is_relevant), own)
        for is_relevant, own in ((True, labels), (False, stored_labels))
    )
    # Only now what else an ask has: to copy it at each step takes much memory.
    seen = seen.with_columns(asks[seen["place"]].drop(_PLACED))
    asked_again = [suite for suite, design in asked.designs.items() if design.asks_again]
    again = pl.col("is_drawn_number") & pl.col("suite").is_in(asked_again)
    rows = seen.with_columns(
        status=_status(is_empty=again & (pl.col("value").round() == 0)),
        is_excluded=pl.col("item").is_in(list(asked.excluded)),
        # Judges of blind parts did not see the prompt, and refusals were not looked at.
        is_informed=pl.col("is_informed") & ~pl.coalesce("is_blind", pl.col("is_blind").any().over(*_PLACE, "judge")),
    )
    return Frame(_mark_right(rows), asked.items, asked.designs)


def _join_parts(asked: _Asked, labels: pl.DataFrame) -> pl.DataFrame:
    """Add the labels that follow from those of parts, if a suite's paper says how parts are combined.

    A judge's own label of whether a picture matches takes precedence.
    """
    rules = {suite: rule for suite in {item.suite for item in asked.items.values()} if (rule := find_parts_rule(suite))}
    items = {id: item for id, item in asked.items.items() if item.suite in rules}
    if not items or not labels.height:
        return labels
    parts = _list_asks(items.values()).filter(~pl.col("is_relevant"))
    read = pair_asks_with_responses(parts, asked.latest).join(labels, on=["subject", "question"], maintain_order="left")
    said = labels.filter(pl.col("question") == MatchesPrompt().id)
    left = read.join(said, on=["subject", "judge"], how="anti", maintain_order="left")
    wholes = left.group_by("subject", "judge", maintain_order=True).agg(
        pl.first("item", "judge_order"), pl.col("is_informed").any(), "question", "label", "value", "value_text"
    )
    joined = []
    for subject, judge, item_id, order, is_informed, *given in wholes.iter_rows():
        item = items[item_id]
        values = {id: read_label(*label) for id, *label in zip(*given, strict=True)}
        value = rules[item.suite].join(item, values)
        if value is not None:
            joined.append((subject, MatchesPrompt().id, judge, *_columns_of(value), order, not is_informed))
    columns = ("subject", "question", "judge", *_LABEL, "judge_order", "is_blind")
    return pl.concat([labels, make_frame(joined, {name: labels.schema[name] for name in columns})], how="diagonal")


def pair_asks_with_responses(asks: pl.DataFrame, latest: pl.DataFrame) -> pl.DataFrame:
    """Pair each ask with its subjects: single responses, or groups of an item's repeats.

    Incomplete groups are left out. A refused response stays in its group: it shows nothing and is wrong, but the others
    are looked at. A group in which all were refused has nothing to look at.
    """
    answered = latest.filter(pl.col("kind") != FAILED)
    shown = [
        of_size.join(group_responses(answered, int(of_size["group"][0])), on="item", maintain_order="left_right")
        for of_size in asks.partition_by("group")
    ]
    nothing = asks.clear().join(group_responses(answered, 1), on="item")
    return pl.concat([nothing, *shown]).sort("place", maintain_order=True).with_row_index("row")


def _list_asks(items: Iterable[Item]) -> pl.DataFrame:
    rows = (_ask_row(item, ask, place) for item in items for place, ask in enumerate(item.asks))
    return make_frame(rows, _ASKS).with_row_index("place").with_columns(pl.col("expects").str.split(_BETWEEN))


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
        question.is_informed and is_drawn,  # of an answer in words, the judge reads only the words
        isinstance(item.task, Answer),
        is_drawn and is_number,
    )


def _join_labels(shown: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Join subjects with their labels, one per judge; unlabelled ones are left out, and refusals count for every judge.

    Judges of single images and of groups are matched separately.
    """
    shown = shown.with_columns(is_group=pl.col("group") > 1)
    labelled = shown.join(labels, on=["subject", "question"])
    looked = labelled.group_by(*_PLACE, "judge").agg(pl.col("row").min(), pl.col("judge_order").first())
    looked = looked.sort("row", "judge_order").with_columns(rank=pl.int_range(pl.len()).over(*_PLACE))
    looked = looked.select(*_PLACE, "judge", "rank")
    alone = shown.group_by(*_PLACE).agg(pl.col("is_refused").all()).filter("is_refused")
    others = alone.join(looked, on=_PLACE, how="anti").select(*_PLACE, judge=pl.lit(NO_JUDGE), rank=pl.lit(0, pl.Int64))
    refused = shown.filter("is_refused").join(pl.concat([looked, others]), on=_PLACE)
    if refused.height:
        labelled = labelled.filter(~pl.col("is_refused"))
    labelled = labelled.join(looked, on=[*_PLACE, "judge"])
    return pl.concat([labelled, refused], how="diagonal").sort("row", "rank")


def _status(*, is_empty: pl.Expr) -> pl.Expr:
    """Derive the status of a subject from one judge's label.

    If a suite asks again for drawings of nothing, a drawing without anything to count is discarded with the value 0
    (Numbersense, section 2.1.2): after the last attempt there is no number to be right or wrong about. Declining words
    are a refusal by the model that wrote them; about a drawing or scores they are the judge's, and the status is
    unknown. So it is for ties between people.
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
    """Mark right answers: they have an expected value, and the answers that they depend on are right, too."""
    is_eligible = pl.col("status") == "eligible"
    holds = pl.col("expects").list.contains(pl.col("value_key")).fill_null(value=False)
    marked = rows.with_columns(is_right_by_itself=is_eligible & holds, target=_nearest(rows))
    return _mark_founded(marked).select(*COLUMNS)


def _nearest(rows: pl.DataFrame) -> pl.Series:
    """Find the expected number nearest to the one read, for counts with several expected numbers."""
    several = rows.with_row_index("at").filter(pl.col("targets").is_not_null() & pl.col("value").is_not_null())
    if not several.height:
        return rows["target"]
    pairs = several.select("value", "targets").iter_rows()
    nearest = [min(map(float, targets.split(_BETWEEN)), key=lambda one: abs(one - value)) for value, targets in pairs]
    return rows["target"].scatter(several["at"], pl.Series(nearest, dtype=pl.Float64))


def _mark_founded(rows: pl.DataFrame) -> pl.DataFrame:
    """Count an answer as wrong if it depends, in a scene graph, on a wrong one.

    If there is no fork, it does not matter that none is broken. Answers that enter no score cannot lower one.
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
