"""A run: its items, their responses and the readings of these, appended and never overwritten."""

import sys
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice, zip_longest
from types import TracebackType
from typing import Any, Self

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Row,
    Select,
    Table,
    func,
    insert,
    literal,
    select,
    tuple_,
    update,
)

import subitize
from subitize.errors import BadValueError, ConflictError, DamagedRunError, NotARunError, SubitizeError, UnknownNameError
from subitize.io import codec
from subitize.io.memory import gc_paused
from subitize.records import Ask, Design, Item, Question, Reading, ReadingPurpose, Response, Spec, Subject, Trial
from subitize.store import leases, tables
from subitize.store.damage import find_damage
from subitize.store.database import ROWS_AT_ONCE, Database, Location, insert_all, open_backend
from subitize.store.encoding import (
    Attachment,
    EncodedReading,
    ItemsHash,
    attach_image,
    decode_asks,
    decode_item,
    decode_reading,
    encode_options,
    encode_purpose,
    encode_readings,
    hash_items,
    is_of,
    item_row,
    parse_image,
    response_rows,
)
from subitize.store.entries import Entry, addresses_among, display_names, find_spec, match_entry
from subitize.store.images import Images
from subitize.store.interning import Interned, Texts
from subitize.store.leases import Lease
from subitize.store.rows import (
    ATTACHED,
    IS_DONE,
    READING,
    StoredReading,
    StoredResponse,
    is_by,
    select_readings,
    select_responses,
)

_NO_DESIGN = Design()
_ITEMS_AT_ONCE = 500

SAMPLED_FROM_AT_MOST = 20_000
"""A sample is taken from a suite's first so many items: a suite may have more than can be made."""


@dataclass(frozen=True, slots=True)
class StoredSuite:
    """A suite as stored in the run."""

    name: str
    shown: str
    seed: int


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a limit samples a suite: by which scheme, from how many items (at most SAMPLED_FROM_AT_MOST)."""

    scheme: str
    sampled_from: int


@dataclass(frozen=True, slots=True)
class Sample:
    """The sampled items of a suite, each with its position in the suite, and the sampling scheme."""

    scheme: str
    items: Iterable[tuple[int, Item]]


class Run:
    """An open run. Reading is free; adding responses or readings needs a lease."""

    def __init__(self, location: Location, *, create: bool = False) -> None:
        self.location = location
        self._backend = open_backend(location, create=create)
        self.run_id = location.run_id if isinstance(location, Database) else "run"
        self._questions: Mapping[Texts, int] = {}
        self._sources: Mapping[Texts, int] = {}
        try:
            with self._backend.setting_up() if create else self._backend.reading() as connection:
                token = self._enter(connection, create=create)
        except Exception as error:
            self._leave(error)
            raise
        # The token distinguishes runs of the same name in two databases that share a folder for images.
        folder = location.images / f"{self.run_id}-{token[:8]}" if isinstance(location, Database) else location.path
        self.image_files = Images(folder / "images")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        """Close the database; if an error may be due to damaged rows, look for them and name the first."""
        damage = self._find_damage() if error is not None and _may_be_damage(error) else None
        self.close()
        if damage is not None:
            raise DamagedRunError(f"{self.location} is damaged: {damage}") from error

    def _find_damage(self) -> str | None:
        with suppress(SubitizeError), self.reading() as connection:
            return find_damage(connection, self.run_id)
        return None

    def close(self) -> None:
        """Close the database."""
        self._backend.close()

    @gc_paused()  # items and their rows are many, and have no cycles
    def add_suite(
        self,
        spec: Spec,
        seed: int,
        items: Iterable[Item],
        design: Design = _NO_DESIGN,
        sample: Sample | None = None,
    ) -> None:
        """Store a suite and its items, or those of a sample; if the run has the suite, check that it is the same.

        A later sample adds to the stored items.
        """
        with self._backend.setting_up() as connection:
            if connection.execute(self._select_suite(spec.name)).first() is None:
                frame = items if sample is None else islice(items, SAMPLED_FROM_AT_MOST)
                made = ItemsHash()
                rows = made.follow(item_row(self.run_id, *placed) for placed in enumerate(_of_suite(spec.name, frame)))
                if sample is None:
                    insert_all(connection, tables.items, rows)
                else:
                    deque(rows, maxlen=0)
                    self._add_items(connection, spec.name, sample)
                row = {
                    "run_id": self.run_id,
                    "suite": spec.name,
                    "shown": spec.text,
                    "options": encode_options(spec.options),
                    "seed": seed,
                    "asks_again": design.asks_again,
                    "strata": codec.encode_factors(design),
                    "items_hash": str(made),
                    "sampling": None if sample is None else sample.scheme,
                    "sampled_from": None if sample is None else made.count,
                }
                connection.execute(insert(tables.suites).values(row))
                return
        self.check_suite(spec, seed, items)
        if sample is not None:
            with self._backend.setting_up() as connection:
                self._add_items(connection, spec.name, sample)

    def check_suite(self, spec: Spec, seed: int, items: Iterable[Item]) -> None:
        """Refuse a suite that the run has with other options, another seed or other items."""
        with self._backend.reading() as connection:
            known = connection.execute(self._select_suite(spec.name)).first()
            if known is not None:
                self._check_known_suite(connection, known, spec, seed, items)

    def add_model(self, spec: Spec, *, is_stand_in: bool, name: str = "", addresses: tuple[str, ...] = ()) -> None:
        """Store a model; if the run has it, check that it is the same, and store its new name or address.

        It is the same if it shares an address with the stored one or has none.
        """
        self._add_entry(tables.models.c.model, Entry(spec.text, spec.options, is_stand_in, name, addresses))

    def add_judge(self, spec: Spec, *, is_stand_in: bool, name: str = "", addresses: tuple[str, ...] = ()) -> None:
        """Store a judge, as `add_model` stores a model."""
        self._add_entry(tables.judges.c.judge, Entry(spec.text, spec.options, is_stand_in, name, addresses))

    def suites(self) -> list[StoredSuite]:
        """List the suites of the run."""
        rows = self.fetch(self.select(tables.suites).order_by(tables.suites.c.suite))
        return [StoredSuite(row.suite, row.shown, row.seed) for row in rows]

    def samplings(self) -> dict[str, Sampling]:
        """Return how each suite is sampled; a limit takes the first items of suites not listed, from older versions."""
        rows = self.fetch(self.select(tables.suites).where(tables.suites.c.sampling.is_not(None)))
        return {row.suite: Sampling(row.sampling, row.sampled_from) for row in rows}

    def models(self) -> list[Entry]:
        """List the models of the run."""
        return self._entries(tables.models.c.model)

    def judges(self) -> list[Entry]:
        """List the judges of the run."""
        return self._entries(tables.judges.c.judge)

    def model_names(self) -> dict[str, str]:
        """Return the display name of each model, by its spec."""
        return display_names(self.models())

    def judge_names(self) -> dict[str, str]:
        """Return the display name of each judge, by its spec; people go by the name stored with their readings."""
        return display_names(self.judges(), keeps_kind=True)

    def find_model(self, text: str) -> str:
        """Find the spec of a model by its name or spec; return unknown text unchanged."""
        return find_spec(text, self.model_names())

    def find_judge(self, text: str) -> str:
        """Find the spec of a judge by its name or spec; return unknown text unchanged."""
        return find_spec(text, self.judge_names())

    def items(self, suite: str | None = None, ids: Sequence[str] | None = None) -> list[Item]:
        """List all items, or some, in order."""
        c = tables.items.c
        query = self.select(tables.items, c.item_id, c.task, c.asks, c.factors).order_by(c.suite, c.position)
        if suite is not None:
            query = query.where(c.suite == suite)
        if ids is not None:
            query = query.where(c.item_id.in_(ids))
        return [decode_item(*row) for row in self.rows(query)]

    def stream_items(self, suite: str | None = None) -> Iterator[Item]:
        """Yield all items, or those of a suite, in order; few are held at once."""
        c = tables.items.c
        return (decode_item(*row) for row in self._stream_items(suite, c.item_id, c.task, c.asks, c.factors))

    def stream_asks(self, suite: str | None = None) -> Iterator[tuple[str, tuple[Ask, ...]]]:
        """Yield the id of each item with the suite's questions about it; the rest is not decoded."""
        c = tables.items.c
        return ((item_id, decode_asks(asks)) for item_id, asks in self._stream_items(suite, c.item_id, c.asks))

    def _stream_items(self, suite: str | None, *columns: Column[Any]) -> Iterator[tuple[Any, ...]]:
        c = tables.items.c
        query = self.select(tables.items, *columns, c.suite, c.position).order_by(c.suite, c.position)
        query = query.limit(_ITEMS_AT_ONCE) if suite is None else query.limit(_ITEMS_AT_ONCE).where(c.suite == suite)
        rows = list(self.rows(query))
        while rows:
            yield from (row[:-2] for row in rows)
            last = tuple_(*map(literal, rows[-1][-2:]))
            rows = list(self.rows(query.where(tuple_(c.suite, c.position) > last)))

    def finished(self, model: str) -> set[str]:
        """Return the ids of the trials that need no further try."""
        c = tables.responses.c
        query = self.select(tables.responses, c.trial_id).where(c.model == model, c.status != tables.TRANSIENT)
        return {trial_id for (trial_id,) in self.rows(query)}

    def add_responses(self, lease: Lease, responses: Sequence[Response]) -> None:
        """Commit responses, all or none. Their images must be saved already."""
        rows = list(response_rows(self.run_id, responses))
        with self._backend.writing() as connection:
            leases.require(connection, lease)
            insert_all(connection, tables.responses, rows)

    def responses(self, model: str | None = None, items: Sequence[str] | None = None) -> Iterator[StoredResponse]:
        """Yield the responses to all or some items, one per trial: the answer, or else the latest failure.

        A drawing that is known by name comes with its attached image, if any.
        """
        c = tables.responses.c
        conditions = [] if model is None else [c.model == model]
        conditions += [] if items is None else [c.item_id.in_(items)]
        options = {entry.spec: entry.options for entry in self.models()}
        for row in self.fetch(select_responses(self, (*c, ATTACHED), *conditions)):
            trial = Trial(row.item_id, row.model, options[row.model], row.repeat, row.attempt)
            outcome = attach_image(codec.outcome.validate_json(row.outcome), row.attached)
            provenance = codec.provenance.validate_json(row.provenance)
            response = Response(trial, outcome, provenance, row.tries, row.latency_seconds)
            yield StoredResponse(row.trial_id, response, row.at)

    def add_readings(self, lease: Lease, readings: Sequence[Reading], connection: Connection | None = None) -> None:
        """Commit readings, all or none; with a connection, as part of its transaction."""
        encoded = list(encode_readings(readings))
        with self.writing(lease) if connection is None else nullcontext(connection) as opened:
            shared = self._intern(opened)
            _insert_readings(opened, self.run_id, shared, encoded)
        if connection is None:
            self._keep(shared)

    def add_judged(self, lease: Lease, responses: Iterable[Response], readings: Iterable[Reading]) -> tuple[int, int]:
        """Commit responses made elsewhere and readings of them, all or none; return the number of each."""
        with self._backend.writing() as connection:
            leases.require(connection, lease)
            added = insert_all(connection, tables.responses, response_rows(self.run_id, responses))
            shared = self._intern(connection)
            read = _insert_readings(connection, self.run_id, shared, encode_readings(readings))
        self._keep(shared)
        return added, read

    def add_attachments(self, lease: Lease, attachments: Sequence[Attachment]) -> None:
        """Commit images of responses known by name, all or none. They must be saved already."""
        rows = [(self.run_id, one.trial_id, Images.name(one.image), one.file, time.time()) for one in attachments]
        with self._backend.writing() as connection:
            leases.require(connection, lease)
            insert_all(connection, tables.attachments, rows)

    def attachments(self) -> dict[str, Attachment]:
        """Return the attached images, by trial."""
        return {
            row.trial_id: Attachment(row.trial_id, parse_image(row.image), row.file)
            for row in self.fetch(self.select(tables.attachments))
        }

    def answers(self, model: str, items: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the trials by which a model has answered these items, with the items."""
        c = tables.responses.c
        own = (c.run_id == self.run_id, c.model == model, c.item_id.in_(items), IS_DONE)
        yield from self.rows(select_responses(self, (c.trial_id, c.item_id), *own, per="response"))

    def answered(self, judge: str) -> set[tuple[str, str]]:
        """Return what a judge has answered, as ids of subject and question."""
        columns = (tables.subjects.c.subject_id, tables.questions.c.question_id)
        rows = self.rows(select_readings(self, columns, is_by(self, judge)))
        return {(subject, sys.intern(question)) for subject, question in rows}

    def readings(
        self, judge: str | None = None, items: Sequence[str] | None = None, *, with_reviews: bool = False
    ) -> Iterator[StoredReading]:
        """Yield the current readings of responses to all or some items, in stored order.

        Replaced readings are left out, and so are reviews and adjudications unless asked for.
        """
        conditions = [] if judge is None else [is_by(self, judge)]
        if items is not None:
            with self.reading() as connection:
                conditions.append(tables.readings.c.subject.in_(self._find_subjects(connection, items)))
        for id, at, *columns in self.rows(select_readings(self, READING, *conditions, with_reviews=with_reviews)):
            yield StoredReading(id, decode_reading(columns), at)

    def find_reading(
        self,
        judge: str,
        annotator: str,
        subject: Subject,
        question: Question,
        purpose: ReadingPurpose = "answer",
        reviews: int | None = None,
    ) -> int | None:
        """Find the number of an annotator's latest reading for a purpose; of reviews, those of one reading."""
        own = {"judge": judge, "annotator": annotator, "subject_id": subject.id, "question_id": question.id}
        c = tables.readings.c
        is_alike = (c.purpose == encode_purpose(purpose)) & (c.reviews == reviews)
        query = self.select(tables.readings, func.max(c.id)).where(is_alike)
        for column, table in (("source", tables.sources), ("subject", tables.subjects), ("question", tables.questions)):
            is_own = [table.c[name] == value for name, value in own.items() if name in table.c]
            query = query.where(c[column].in_(self.select(table, table.c.id).where(*is_own)))
        with self.reading() as connection:
            return connection.execute(query).scalar()

    def exclude(self, item_id: str, reason: str) -> None:
        """Exclude an item from all results from now on; nothing is deleted."""
        if not reason.strip():
            raise BadValueError(f"excluding {item_id!r} needs a reason, so that readers can judge it")
        self._mark(item_id, is_excluded=True, reason=reason)

    def include(self, item_id: str, reason: str) -> None:
        """Revoke an exclusion."""
        if item_id not in self.exclusions():
            raise UnknownNameError("excluded item", item_id, self.exclusions())
        self._mark(item_id, is_excluded=False, reason=reason)

    def exclusions(self) -> dict[str, str]:
        """Return the reasons of the current exclusions, by item."""
        reasons: dict[str, str] = {}
        for row in self.fetch(self.select(tables.exclusions).order_by(tables.exclusions.c.id)):
            reasons.pop(row.item_id, None)
            if row.is_excluded:
                reasons[row.item_id] = row.reason
        return reasons

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection that reads without locking."""
        with self._backend.reading() as connection:
            yield connection

    def fetch(self, query: Select[Any]) -> Sequence[Any]:
        """Return all rows of a query."""
        with self.reading() as connection:
            return connection.execute(query).all()

    def rows(self, query: Select[Any]) -> Iterator[Any]:
        """Yield the rows of a query as tuples, fetched in parts.

        The driver's own cursor gives them: SQLAlchemy would make an object for every row.
        """
        with self.reading() as connection:
            cursor = connection.execute(query).cursor
            assert cursor is not None
            while part := cursor.fetchmany(ROWS_AT_ONCE):
                yield from part

    def select(self, table: Table, *columns: ColumnElement[Any]) -> Select[Any]:
        """Select this run's rows of a table: the named columns, or all."""
        return select(*(columns or [table])).where(table.c.run_id == self.run_id)

    def create_tables(self, metadata: MetaData) -> None:
        """Create tables beside the run's own, unless they exist."""
        with self._backend.setting_up() as connection:
            metadata.create_all(connection)

    @contextmanager
    def writing(self, lease: Lease) -> Iterator[Connection]:
        """Open a write transaction under a lease; an error rolls it back."""
        with self._backend.writing() as connection:
            leases.require(connection, lease)
            yield connection

    @contextmanager
    def lease(self, name: str) -> Iterator[Lease]:
        """Hold the lease on a part of the run."""
        with self._backend.writing() as connection:
            lease = leases.take(connection, self.run_id, name)
        try:
            yield lease
        finally:
            with self._backend.writing() as connection:
                leases.release(connection, lease)

    def renew(self, lease: Lease) -> None:
        """Extend a lease."""
        with self._backend.writing() as connection:
            leases.renew(connection, lease)

    def sweep(self, lease: Lease) -> int:
        """Remove images that no row names, left by a killed process, unless another process works on the run."""
        with self._backend.writing() as connection:
            if not leases.is_alone(connection, lease):
                return 0
            return self.image_files.sweep(self._wanted_images(connection))

    def _find_subjects(self, connection: Connection, items: Sequence[str]) -> Select[tuple[int]]:
        """Select the subjects that include responses to these items: the responses, and groups with any of them."""
        responses, subjects = tables.responses.c, tables.subjects.c
        trials = self.select(tables.responses, responses.trial_id).where(responses.item_id.in_(items))
        known = frozenset(connection.execute(trials).scalars())
        groups = self.select(tables.subjects, subjects.id, subjects.trial_ids).where(subjects.trial_ids.like("%,%"))
        own = [
            row.id
            for row in connection.execute(groups)
            if not known.isdisjoint(codec.trial_ids.validate_json(row.trial_ids))
        ]
        is_wanted = subjects.subject_id.in_(trials) | subjects.id.in_(own)
        return self.select(tables.subjects, subjects.id).where(is_wanted)

    def _intern(self, connection: Connection) -> list[Interned]:
        """Start with the committed questions and sources; subjects seldom recur."""
        return [
            Interned(connection, self.run_id, tables.subjects),
            Interned(connection, self.run_id, tables.questions, self._questions),
            Interned(connection, self.run_id, tables.sources, self._sources),
        ]

    def _keep(self, shared: Sequence[Interned]) -> None:
        """Remember the questions and sources, now that they are committed."""
        _, self._questions, self._sources = (one.numbers for one in shared)

    def _enter(self, connection: Connection, *, create: bool) -> str:
        """Return the run's token; create the run if asked to."""
        known_run = connection.execute(self.select(tables.runs)).first()
        if known_run is not None:
            return str(known_run.token)
        if not create:
            known = connection.execute(select(tables.runs.c.run_id)).scalars()
            raise NotARunError(f"no run {self.run_id!r} in this database; it has: {', '.join(known) or 'none'}")
        token = uuid.uuid4().hex
        row = {"token": token, "subitize_version": subitize.__version__, "created_at": time.time()}
        connection.execute(insert(tables.runs).values(run_id=self.run_id, **row))
        return token

    def _add_entry(self, spec: Column[str], wanted: Entry) -> None:
        with self._backend.setting_up() as connection:
            known = _read_entries(connection, self.select(spec.table), spec)
            settled = match_entry(known, wanted)
            row = {"name": settled.given_name, "address": " ".join(settled.addresses)}
            if settled.spec not in {entry.spec for entry in known}:
                row |= {spec.name: settled.spec, "options": encode_options(settled.options)}
                connection.execute(
                    insert(spec.table).values(run_id=self.run_id, is_stand_in=settled.is_stand_in, **row)
                )
            elif settled not in known:
                own = update(spec.table).where(spec.table.c.run_id == self.run_id, spec == settled.spec)
                connection.execute(own.values(row))

    def _entries(self, spec: Column[str]) -> list[Entry]:
        with self.reading() as connection:
            return _read_entries(connection, self.select(spec.table), spec)

    def _select_suite(self, name: str) -> Select[tuple[object, ...]]:
        return self.select(tables.suites).where(tables.suites.c.suite == name)

    def _add_items(self, connection: Connection, suite: str, sample: Sample) -> None:
        """Add those items of a sample that the run does not have."""
        query = self.select(tables.items, tables.items.c.item_id).where(tables.items.c.suite == suite)
        kept = frozenset(connection.execute(query).scalars())
        missing = (placed for placed in sample.items if placed[1].id not in kept)
        insert_all(connection, tables.items, (item_row(self.run_id, *placed) for placed in missing))

    def _check_known_suite(
        self, connection: Connection, known: Row[tuple[object, ...]], spec: Spec, seed: int, items: Iterable[Item]
    ) -> None:
        self._check_same_suite(known, spec, seed)
        query = self.select(tables.items).where(tables.items.c.suite == spec.name).order_by("position")
        if known.sampled_from is None:
            made = list(items)
            if known.items_hash != hash_items(item_row(self.run_id, *placed) for placed in enumerate(made)):
                self._check_same_items(spec, zip_longest(connection.execute(query), made))
            return
        frame = list(islice(items, SAMPLED_FROM_AT_MOST))
        is_same = known.items_hash == hash_items(item_row(self.run_id, *placed) for placed in enumerate(frame))
        kept = connection.execute(query.where(tables.items.c.position >= len(frame)) if is_same else query).all()
        self._check_same_items(spec, _find_made(kept, items))
        if not is_same:  # the difference is not among the stored items
            raise self._other_items(spec, "")

    def _check_same_suite(self, known: Row[tuple[object, ...]], spec: Spec, seed: int) -> None:
        if known.seed != seed:
            raise ConflictError(
                f"{self.location} was made with `seed` {known.seed}, not {seed}; "
                f"go on with `seed` {known.seed}, or start a new run"
            )
        if known.options != encode_options(spec.options):
            # Versions of subitize may differ in defaults, which a spec's text leaves out.
            is_told = known.shown != spec.text
            before, now = (known.shown, spec.text) if is_told else (known.options, encode_options(spec.options))
            raise ConflictError(
                f"{self.location} was made with the suite {before!r}, not {now!r}; "
                f"go on with {before!r}, or start a new run"
            )

    def _check_same_items(
        self, spec: Spec, pairs: Iterable[tuple[Row[tuple[object, ...]] | None, Item | None]]
    ) -> None:
        """Refuse items that differ from the stored ones: their file, or subitize itself, has changed."""
        for row, item in pairs:
            if row is None or item is None or not is_of(row, item):
                name = row.item_id if row is not None else "" if item is None else item.id
                raise self._other_items(spec, f", the first of them {name!r}")

    def _other_items(self, spec: Spec, which: str) -> ConflictError:
        return ConflictError(
            f"{self.location} has other items of {spec.text!r} than are made now{which}: "
            "a file behind the suite, or subitize itself, has changed; go on with what the run was made with, "
            "or start a new run"
        )

    def _mark(self, item_id: str, *, is_excluded: bool, reason: str) -> None:
        row = {"item_id": item_id, "is_excluded": is_excluded, "reason": reason, "at": time.time()}
        with self._backend.writing() as connection:
            known = self.select(tables.items, tables.items.c.item_id)
            if connection.execute(known.where(tables.items.c.item_id == item_id)).first() is None:
                some = connection.execute(known.order_by(tables.items.c.position).limit(3)).scalars()
                raise BadValueError(f"no item {item_id!r} in this run; its first are: {', '.join(some) or 'none'}")
            connection.execute(insert(tables.exclusions).values(run_id=self.run_id, **row))

    def _wanted_images(self, connection: Connection) -> set[str]:
        wanted: set[str] = set()
        for table in (tables.responses, tables.items, tables.attachments):
            query = self.select(table, table.c.image).where(table.c.image.is_not(None))
            wanted.update(connection.execute(query).scalars())
        return wanted


def _may_be_damage(error: BaseException) -> bool:
    """Return whether a damaged row can have caused an error, which does not itself say what is wrong."""
    says_itself = isinstance(error, SubitizeError | OSError | RuntimeError) or not isinstance(error, Exception)
    return isinstance(error, DamagedRunError) or not says_itself


def _read_entries(connection: Connection, query: Select[tuple[object, ...]], spec: Column[str]) -> list[Entry]:
    found = []
    for row in connection.execute(query.order_by(spec)):
        options = codec.options.validate_json(row.options)
        addresses = tuple(row.address.split()) or addresses_among(options)
        found.append(Entry(row._mapping[spec], options, row.is_stand_in, row.name, addresses))
    return found


def _of_suite(suite: str, items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        if item.suite != suite:
            raise BadValueError(f"item {item.id!r} of suite {suite!r} should have an id that begins with {suite}/")
        yield item


def _find_made(
    kept: Sequence[Row[tuple[object, ...]]], items: Iterable[Item]
) -> Iterator[tuple[Row[tuple[object, ...]], Item | None]]:
    """Pair each stored item, in order, with the one now made at its position."""
    remaining, before = iter(items), -1
    for row in kept:
        yield row, next(islice(remaining, row.position - before - 1, None), None)
        before = row.position


def _insert_readings(
    connection: Connection, run_id: str, shared: Sequence[Interned], readings: Iterable[EncodedReading]
) -> int:
    """Insert readings, and once each what they share; return the number of readings."""

    def rows() -> Iterator[tuple[object, ...]]:
        remaining = iter(readings)
        while chunk := list(islice(remaining, ROWS_AT_ONCE)):
            *texts, own = zip(*chunk, strict=True)
            numbers = zip(*(table.number(each) for table, each in zip(shared, texts, strict=True)), strict=True)
            yield from ((run_id, *three, *rest) for three, rest in zip(numbers, own, strict=True))

    return insert_all(connection, tables.readings, rows())
