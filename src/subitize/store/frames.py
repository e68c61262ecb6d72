"""Reads a run as polars frames: responses, readings, and how each came about.

Results need a few columns per trial or reading: decoding whole records would take most of the time of a large report.
Exports read whole records in chunks, as a run may be large. `settings` (parameters, revision, weights and versions),
`usage` (tokens, price and unsettled tries) and the prompts stay JSON: few are distinct, so each text need only be
decoded once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import polars as pl
from sqlalchemy import ColumnElement, Connection, Select, Table, and_, case, exists, func, select, true

from subitize.io.frames import make_frame
from subitize.records import Subject
from subitize.store import codec, tables
from subitize.store.database import Folder
from subitize.store.encoding import with_attachments
from subitize.store.interning import IS_ANSWER, is_current, select_readings
from subitize.store.reading import FAILED, REFUSED
from subitize.store.run import Run

RESPONSES: dict[str, pl.DataType] = {
    **dict.fromkeys(("trial", "item", "model"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    "kind": pl.String(),
}
_ROWS_AT_ONCE = 10_000
# The kind is the last field of a record's JSON, and the longest is "refused".
_KIND_CHARACTERS = 10
_KIND = r'"(\w+)"\}$'


def read_responses(run: Run) -> pl.DataFrame:
    """Return the responses, one per trial: the answer, or else the latest failure."""
    return one_per_trial(pl.concat(fetch_responses(run, {})))


def one_per_trial(responses: pl.DataFrame) -> pl.DataFrame:
    """Keep one of each trial's responses, given in stored order: the answer, or else the latest failure."""
    rows = responses.select(*RESPONSES)
    return keep_best(rows, ["trial"], pl.col("kind") != FAILED, pl.int_range(pl.len()))


def fetch_responses(run: Run, more: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Yield all responses in stored order, in chunks, with further columns of the table."""
    c = tables.responses.c
    end = func.substr(c.outcome, func.length(c.outcome) - (_KIND_CHARACTERS - 1))
    query = select(c.trial_id, c.item_id, c.model, c.repeat, c.attempt, end, c.status, *(c[name] for name in more))
    kind = pl.when(pl.col("status") == tables.DONE).then(take_kind(pl.col("kind"))).otherwise(pl.lit(FAILED))
    schema = {**RESPONSES, "status": pl.String(), **more}
    for rows in fetch(run, query.where(_is_of(run, tables.responses)).order_by(c.id), schema):
        with_kinds = rows.with_columns(kind=kind)
        if with_kinds["kind"].has_nulls():
            raise ValueError("an outcome has no kind")  # closing the run names the damaged row
        yield with_kinds.drop("status")


def take_kind(outcome: pl.Expr) -> pl.Expr:
    """Extract the kind from outcomes as JSON, or from their ends."""
    return outcome.str.tail(_KIND_CHARACTERS).str.extract(_KIND)


def latest_attempts(responses: pl.DataFrame) -> pl.DataFrame:
    """Keep the last attempt at each item and repeat: the one that counts in results.

    A failed attempt counts only if there is no other: a failure to ask again does not undo an answer.
    """
    return keep_best(responses, ["item", "model", "repeat"], pl.col("kind") != FAILED, pl.col("attempt"))


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


def keep_best(rows: pl.DataFrame, key: list[str], *by: pl.Expr) -> pl.DataFrame:
    """For each key keep the row with the largest `by`, in order of first appearance."""
    ranked = rows.with_row_index("first").with_columns(*(one.alias(f"by {place}") for place, one in enumerate(by)))
    ranked = ranked.with_columns(pl.col("first").min().over(key))
    best = ranked.sort([f"by {place}" for place in range(len(by))], descending=True, maintain_order=True)
    return best.unique(key, keep="first", maintain_order=True).sort("first").select(rows.columns)


def read_readings(
    run: Run, judge: str | None = None, *, with_evidence: bool = False, with_reviews: bool = False
) -> pl.DataFrame:
    """Return the current readings in stored order: who says what of which subject, and when.

    The value is JSON; `trial` is the subject's first. With the evidence comes the question, also as JSON: together they
    can be read by another rule. Reviews and adjudications are left out unless asked for; their `purpose` is not null.
    """
    c = tables.readings.c
    texts = ("value", "evidence") if with_evidence else ("value",)
    numbers = dict.fromkeys(("id", "subject", "question", "source"), pl.Int64())
    schema: dict[str, pl.DataType] = {**numbers, "at": pl.Float64(), **dict.fromkeys(texts, pl.String())}
    schema |= _OF_REVIEWS if with_reviews else {}
    query = select_readings(run.run_id, [c[name] for name in schema], judge, with_reviews=with_reviews)
    rows = pl.concat(fetch(run, query, schema))
    # A column that is nearly always null takes as long to read as any other: replaced readings are selected separately.
    replacing = select_readings(run.run_id, [c.replaces], judge, with_reviews=with_reviews)
    replacing = replacing.where(c.replaces.is_not(None), c.id <= rows.select(pl.col("id").max().fill_null(0)).item())
    replaced = pl.concat(fetch(run, replacing, {"id": pl.Int64()}))
    rows = rows.join(replaced, on="id", how="anti", maintain_order="left")
    # What readings share is read after them: whatever they name was stored before.
    subjects = read_shared(run, tables.subjects).with_columns(trial=pl.col("trial_ids").str.extract('"(.*?)"'))
    questions, sources = read_shared(run, tables.questions), read_shared(run, tables.sources)
    for shared, number in ((subjects, "subject"), (questions, "question"), (sources, "source")):
        joined = rows.rename({number: "number"}).join(shared, on="number", maintain_order="left").drop("number")
        if joined.height != rows.height:
            raise ValueError(f"a reading is of no {number}")  # closing the run names the damaged row
        rows = joined
    of_reviews = [pl.col(name) if with_reviews else pl.lit(None, of).alias(name) for name, of in _OF_REVIEWS.items()]
    question = [pl.col("question").alias("question_record")] if with_evidence else []
    ids = {"subject": pl.col("subject_id"), "trial": pl.col("trial"), "question": pl.col("question_id")}
    return rows.select("id", "judge", "annotator", "rule", "at", *texts, *of_reviews, *question, **ids)


_OF_REVIEWS: dict[str, pl.DataType] = {"reviews": pl.Int64(), "purpose": pl.String()}


def read_shared(run: Run, table: Table) -> pl.DataFrame:
    """Read a table of what readings share, with the numbers by which they refer to it."""
    names = [column.name for column in table.columns if column.name not in ("id", "run_id")]
    query = select(table.c.id, *(table.c[name] for name in names)).where(_is_of(run, table))
    return pl.concat(fetch(run, query, {"number": pl.Int64(), **dict.fromkeys(names, pl.String())}))


def _is_of(run: Run, table: Table) -> ColumnElement[bool]:
    """Return the condition for rows of a run; a folder has no others, and without it SQLite reads rows in order."""
    return true() if isinstance(run.location, Folder) else table.c.run_id == run.run_id


def read_trials_looked_at(run: Run) -> pl.Series:
    """Return the trials whose responses have been judged, alone or in a group."""
    trials = pl.col("trial_ids").str.json_decode(pl.List(pl.String))
    return read_shared(run, tables.subjects).select(trials.explode()).to_series()


def fetch(run: Run, query: Select[Any], schema: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Yield rows in chunks; the first is empty, so that there is one even without rows."""
    with run.reading() as connection:
        # The driver's own cursor: SQLAlchemy would make an object for every row.
        cursor = connection.execute(query).cursor
        assert cursor is not None
        yield pl.DataFrame(schema=schema)
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield make_frame(rows, schema)


ROWS_AT_ONCE: Final = 20_000
_IDS_AT_ONCE = 500

_RESPONSES: dict[str, pl.DataType] = {
    **dict.fromkeys(("trial", "item", "model"), pl.String()),
    **dict.fromkeys(("repeat", "attempt"), pl.Int64()),
    **dict.fromkeys(("image", "outcome", "provenance"), pl.String()),
    "tries": pl.Int64(),
    **dict.fromkeys(("latency_seconds", "stored_at"), pl.Float64()),
    "attached": pl.String(),
}
_READINGS: dict[str, pl.DataType] = {
    **dict.fromkeys(("reading", "subject_number", "question_number", "source_number"), pl.Int64()),
    **dict.fromkeys(("value", "evidence"), pl.String()),
    "stored_at": pl.Float64(),
    "purpose": pl.String(),
    "reviews": pl.Int64(),
}


def stream_responses(run: Run) -> Iterator[pl.DataFrame]:
    """Yield the responses, one per trial: the answer, or else the latest failure.

    Outcome and provenance are JSON; `image` is the file of a stored picture, `attached` of one attached later.
    """
    c = tables.responses.c
    done = tables.responses.alias()
    is_done = exists().where(done.c.run_id == c.run_id, done.c.trial_id == c.trial_id, done.c.status == tables.DONE)
    failures = (
        select(c.trial_id, func.min(c.id).label("first"), func.max(c.id).label("last"))
        .where(c.run_id == run.run_id, c.status != tables.DONE)
        .group_by(c.trial_id)
        .subquery()
    )
    columns = (c.trial_id, c.item_id, c.model, c.repeat, c.attempt, c.image, c.outcome, c.provenance)
    query = with_attachments(select(*columns, c.tries, c.latency_seconds, c.at))
    query = query.outerjoin(failures, failures.c.trial_id == c.trial_id)
    query = query.where(c.run_id == run.run_id, (c.status == tables.DONE) | and_(c.id == failures.c.last, ~is_done))
    # A trial that was tried again comes where it was tried first.
    query = query.order_by(case((failures.c.first < c.id, failures.c.first), else_=c.id))
    with _streaming(run) as connection:
        yield from _frames(connection, query, _RESPONSES)


def stream_readings(run: Run) -> Iterator[pl.DataFrame]:
    """Yield the current readings in stored order; value, evidence and question are JSON."""
    c = tables.readings.c
    columns = (c.id, c.subject, c.question, c.source, c.value, c.evidence, c.at, c.purpose, c.reviews)
    query = select_readings(run.run_id, columns, with_reviews=True).where(is_current(run.run_id))
    shared: list[tuple[str, pl.DataFrame]] = []
    with _streaming(run) as connection:
        for rows in _frames(connection, query, _READINGS):
            # What readings share is read after them: whatever they name was stored before.
            shared = shared or [
                ("subject_number", read_shared(run, tables.subjects).rename({"subject_id": "subject"})),
                ("question_number", read_shared(run, tables.questions).rename({"question": "question_record"})),
                ("source_number", read_shared(run, tables.sources)),
            ]
            for number, others in shared:
                rows = rows.join(others, left_on=number, right_on="number", maintain_order="left").drop(number)
            yield rows.rename({"question_id": "question"})


def count_annotators(run: Run) -> pl.DataFrame:
    """Count the current answers of each subject, question and judge."""
    c, subjects, questions, sources = (
        table.c for table in (tables.readings, tables.subjects, tables.questions, tables.sources)
    )
    counted = (
        select(c.subject, c.question, sources.judge, func.count().label("annotators"))
        .where(is_current(run.run_id), IS_ANSWER, sources.id == c.source)
        .group_by(c.subject, c.question, sources.judge)
        .subquery()
    )
    columns = (subjects.subject_id, questions.question_id, counted.c.judge, counted.c.annotators)
    query = select(*columns).where(subjects.id == counted.c.subject, questions.id == counted.c.question)
    key = ("subject", "question", "judge")
    schema: dict[str, pl.DataType] = {**dict.fromkeys(key, pl.String()), "annotators": pl.Int64()}
    with run.reading() as connection:
        rows = pl.concat(list(_frames(connection, query, schema)))
    # Different questions may have the same id.
    return rows.group_by(*key).agg(pl.col("annotators").sum())


def look_up_outcomes(run: Run, trials: pl.Series) -> pl.DataFrame:
    """Return the outcomes of some answered trials, as JSON."""
    c = tables.responses.c
    query = run.select(tables.responses, c.trial_id, c.outcome).where(c.status == tables.DONE)
    schema: dict[str, pl.DataType] = dict.fromkeys(("trial", "outcome"), pl.String())
    found = [make_frame((), schema)]
    with run.reading() as connection:
        for some in trials.to_frame().iter_slices(_IDS_AT_ONCE):
            ids = some.to_series().to_list()
            found.extend(_frames(connection, query.where(c.trial_id.in_(ids)), schema))
    return pl.concat(found)


@contextmanager
def _streaming(run: Run) -> Iterator[Connection]:
    """Read without fetching all rows at once; PostgreSQL keeps rows for later only in a transaction."""
    with run.reading() as connection:
        if connection.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="READ COMMITTED", stream_results=True)
        yield connection


def _frames(connection: Connection, query: Select[Any], schema: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Yield rows in chunks; there is at least one frame, if an empty one."""
    parts = connection.execute(query).partitions(ROWS_AT_ONCE)
    yield make_frame(next(parts, ()), schema)
    for rows in parts:
        yield make_frame(rows, schema)


# The texts between the fields of a provenance. Quotes within texts have a backslash, and only the versions before the
# tokens end in a brace, so that nothing else looks alike.
_BETWEEN = {
    "seed": ',"prompt_sent":',
    "prompt": ',"prompt_rewritten":',
    "rewritten": ',"parameters":',
    "settings": '},"tokens_in":',
}


def trace_responses(run: Run) -> pl.DataFrame:
    """Return all responses in stored order, including failures that were tried again."""
    chunks = fetch_responses(run, {"at": pl.Float64(), "provenance": pl.String()})
    # Some providers return the prompt that they were given.
    is_rewritten = (pl.col("rewritten") != "null") & (pl.col("rewritten") != pl.col("prompt"))
    suite = pl.col("item").str.extract("^([^/]*)")
    return pl.concat(map(_take_apart, chunks)).with_columns(suite=suite, is_rewritten=is_rewritten)


def trace_readings(run: Run, readings: pl.DataFrame) -> pl.DataFrame:
    """Add to readings the provenance of their calls; it is null where no model was asked.

    Prompts are left out: they are long, and not used.
    """
    c = tables.readings.c
    query = select_readings(run.run_id, (c.id, c.provenance)).where(c.provenance.is_not(None))
    chunks = fetch(run, query, {"id": pl.Int64(), "provenance": pl.String()})
    calls = pl.concat(_take_apart(chunk).select("id", "settings", "usage") for chunk in chunks)
    return readings.join(calls, on="id", how="left", maintain_order="left")


def _take_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """Split provenances into their fields without decoding them."""
    text = pl.col("provenance")
    # A provenance with half a surrogate pair was written with blanks.
    spaced = rows.select(text.filter(~text.str.contains(',"parameters":', literal=True)).unique()).to_series()
    plain = {one: codec.encode(codec.provenance, codec.provenance.validate_json(one)) for one in spaced}
    cut = rows.lazy().with_columns(text.replace(plain) if plain else text)
    for name, mark in _BETWEEN.items():
        cut = cut.with_columns(text.str.splitn(mark, 2).struct.rename_fields([name, "provenance"])).unnest("provenance")
    settings = pl.lit('{"parameters":') + pl.col("settings") + pl.lit("}}")
    usage = pl.lit('{"tokens_in":') + text
    seed = pl.col("seed").str.strip_prefix('{"seed":')
    return cut.with_columns(seed=seed, settings=settings, usage=usage).drop("provenance").collect()
