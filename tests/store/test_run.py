"""A run keeps what it acknowledged, on SQLite and PostgreSQL alike."""

import random
import sqlite3
import string
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from sqlalchemy import text

from subitize.errors import (
    BadImageError,
    BadValueError,
    BusyError,
    ConflictError,
    LeaseLostError,
    NewerSchemaError,
    NotARunError,
    StorageError,
    UnknownNameError,
)
from subitize.records import (
    Attached,
    Box,
    Boxes,
    Confirm,
    Count,
    Design,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    Known,
    Reading,
    Refused,
    Said,
    Scored,
)
from subitize.store import Attachment, Database, Folder, Location, Run, tables
from subitize.store.reading import read_readings, scan_readings
from subitize.store.rows import look_up_responses, read_designs
from tests.samples import MODEL, SUITE, drawing_item, naming_item, reading, response, trial
from tests.store.earlier_schemas import open_engine
from tests.store.postgres_server import PostgresServer

OpenRun = Callable[[Location], Run]
ITEMS = [naming_item(index) for index in range(3)]


@pytest.fixture
def open_run() -> Iterator[OpenRun]:
    with ExitStack() as opened:
        yield lambda location: opened.enter_context(Run(location, create=True))


@pytest.fixture
def run(open_run: OpenRun, location: Location) -> Run:
    run = open_run(location)
    run.add_suite(SUITE, 5, ITEMS)
    run.add_model(MODEL, is_stand_in=True)
    return run


def test_items_come_back_as_they_were_in_their_order(run: Run) -> None:
    assert run.items() == ITEMS
    assert run.items("naming") == ITEMS
    assert run.items("other") == []
    assert [(entry.name, entry.seed) for entry in run.suites()] == [("naming", 5)]
    assert [(entry.spec, entry.is_stand_in, dict(entry.options)) for entry in run.models()] == [
        ("random", True, {"low": "1", "high": "20"})
    ]


@pytest.mark.parametrize(
    "outcome",
    [
        Said("three, I “think” ≈ 3 \x00 \x1b"),
        Scored({"match": 0.25}),
        Refused("no"),
        Failed("bad", False),
    ],
    ids=["said", "scored", "refused", "failed"],
)
def test_a_response_comes_back_as_it_was(
    run: Run, open_run: OpenRun, location: Location, outcome: Said | Scored | Refused | Failed
) -> None:
    given = response(trial(ITEMS[0]), outcome)
    with run.lease("random") as lease:
        run.add_responses(lease, [given])
    (stored,) = open_run(location).responses()
    assert stored.response == given
    assert stored.trial_id == given.trial.id


def test_a_finished_trial_is_known_and_a_transient_failure_is_not_finished(run: Run) -> None:
    done, failed, broken = (trial(item) for item in ITEMS)
    with run.lease("random") as lease:
        run.add_responses(
            lease, [response(done), response(failed, Failed("500", True)), response(broken, Failed("400", False))]
        )
    assert run.finished("random") == {done.id, broken.id}
    assert run.finished("other") == set()


def test_an_answer_after_a_transient_failure_stands(run: Run) -> None:
    one = trial(ITEMS[0])
    with run.lease("random") as lease:
        run.add_responses(lease, [response(one, Failed("500", True))])
        run.add_responses(lease, [response(one, Said("3"))])
    assert [stored.response.outcome for stored in run.responses()] == [Said("3")]


def test_the_database_refuses_a_second_answer_to_a_trial(run: Run) -> None:
    with run.lease("random") as lease:
        run.add_responses(lease, [response(trial(ITEMS[0]))])
        with pytest.raises(StorageError, match=r"(?i)unique"):
            run.add_responses(lease, [response(trial(ITEMS[1])), response(trial(ITEMS[0]))])
    assert run.finished("random") == {trial(ITEMS[0]).id}, "a batch is committed whole or not at all"


def test_a_lease_is_held_by_one(run: Run, open_run: OpenRun, location: Location) -> None:
    with run.lease("random"):
        with pytest.raises(BusyError, match=r"random.*process"), open_run(location).lease("random"):
            pytest.fail("the lease was given twice")
        with open_run(location).lease("another model"):
            pass
    with open_run(location).lease("random"):
        pass


def test_who_lost_the_lease_can_store_nothing(run: Run, open_run: OpenRun, location: Location) -> None:
    with run.lease("random") as lease:
        _execute(location, "UPDATE leases SET expires_at = 0")
        with open_run(location).lease("random"):
            with pytest.raises(LeaseLostError, match="run the same command again"):
                run.add_responses(lease, [response(trial(ITEMS[0]))])
            with pytest.raises(LeaseLostError):
                run.renew(lease)
    assert list(run.responses()) == []


def test_the_lease_of_a_dead_process_is_free_at_once(run: Run, open_run: OpenRun, location: Location) -> None:
    with run.lease("random"):
        _execute(location, "UPDATE leases SET pid_started = 'another time'")
        with open_run(location).lease("random"):
            pass


def test_an_unexpired_lease_of_another_machine_is_respected(run: Run, open_run: OpenRun, location: Location) -> None:
    with run.lease("random"):
        _execute(location, "UPDATE leases SET host = 'elsewhere', pid = 1")
        with pytest.raises(BusyError, match="process 1 on elsewhere"), open_run(location).lease("random"):
            pytest.fail("the lease was given twice")


def test_an_image_is_visible_under_its_hash_and_only_whole(run: Run) -> None:
    stored = run.images.save(b"some bytes", "png")
    assert run.images.load(stored) == b"some bytes"
    assert run.images.path(stored).name == f"{stored.hash}.png"
    assert run.images.save(b"some bytes", "png") == stored
    assert list(run.images.names()) == [f"{stored.hash}.png"]
    assert [path.name for path in run.images.root.rglob("*") if path.is_file()] == [f"{stored.hash}.png"]


def test_a_sweep_removes_orphans_and_half_written_files_and_keeps_the_rest(run: Run) -> None:
    wanted, orphan = run.images.save(b"wanted", "png"), run.images.save(b"orphan", "jpeg")
    (run.images.root / "incoming" / "half").write_bytes(b"hal")
    with run.lease("random") as lease:
        run.add_responses(lease, [response(trial(ITEMS[0]), Drawn(wanted))])
        assert run.sweep(lease) == 2
        assert run.sweep(lease) == 0
    assert run.images.load(wanted) == b"wanted"
    with pytest.raises(BadImageError, match="gone"):
        run.images.load(orphan)


def test_a_sweep_touches_nothing_that_is_not_named_as_our_images_are(run: Run) -> None:
    run.images.save(b"orphan", "png")
    foreign = run.images.root / "ab" / "thesis.doc"
    foreign.parent.mkdir(exist_ok=True)
    foreign.write_text("precious")
    with run.lease("random") as lease:
        assert run.sweep(lease) == 1
    assert foreign.read_text() == "precious"


@pytest.mark.parametrize("name", ["../escape", "/etc/x", "a/b", "", "-x", "x" * 101, "a\nb"], ids=repr)
def test_a_name_in_a_database_cannot_lead_out_of_the_images(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="run name"):
        Database("postgresql://127.0.0.1:1/x", name, tmp_path)


@pytest.mark.postgres
def test_runs_of_one_name_in_two_databases_do_not_share_images(
    postgres: PostgresServer, open_run: OpenRun, tmp_path: Path
) -> None:
    one, other = (open_run(Database(postgres.new_database(), "same", tmp_path)) for _ in range(2))
    kept = one.images.save(b"picture", "png")
    with other.lease("random") as lease:
        other.sweep(lease)
    assert one.images.load(kept) == b"picture"
    assert one.images.root != other.images.root


def test_a_suite_whose_items_bear_another_name_is_refused(run: Run) -> None:
    with pytest.raises(BadValueError, match=r"naming/apples/3/0/category.*should have an id that begins with other/"):
        run.add_suite(replace(SUITE, name="other"), 0, ITEMS)
    assert [entry.name for entry in run.suites()] == ["naming"]


def test_a_sweep_waits_while_another_model_is_at_work(run: Run, open_run: OpenRun, location: Location) -> None:
    run.images.save(b"just written by the other, its row not yet committed", "png")
    with run.lease("random") as lease, open_run(location).lease("another"):
        assert run.sweep(lease) == 0
    assert len(list(run.images.names())) == 1


def test_another_seed_or_other_options_are_refused_by_name(run: Run) -> None:
    run.add_suite(SUITE, 5, ITEMS)
    with pytest.raises(ConflictError, match="`seed` 5, not 6"):
        run.add_suite(SUITE, 6, ITEMS)
    other = replace(SUITE, options={"images": "4"}, text="naming:images=4")
    with pytest.raises(ConflictError, match=r"naming:images=3.*naming:images=4"):
        run.add_suite(other, 5, ITEMS)
    with pytest.raises(ConflictError, match=r"20.*30"):
        run.add_model(replace(MODEL, options={"low": "1", "high": "30"}), is_stand_in=True)


@pytest.mark.parametrize(
    "items",
    [
        pytest.param([*ITEMS[:-1], replace(ITEMS[-1], task=Draw("another"))], id="another prompt"),
        pytest.param(ITEMS[:-1], id="one less"),
        pytest.param([*ITEMS, replace(ITEMS[0], id="naming/one/more")], id="one more"),
        pytest.param([], id="none"),
    ],
)
def test_a_suite_that_is_made_of_other_items_by_now_is_refused(run: Run, items: list[Item]) -> None:
    with pytest.raises(ConflictError, match="other items of 'naming:images=3' than are made now"):
        run.add_suite(SUITE, 5, items)
    assert run.items() == ITEMS


def test_items_that_hash_as_those_stored_are_not_compared_one_by_one(run: Run, location: Location) -> None:
    _execute(location, "UPDATE items SET task = 'unreadable' WHERE position = 1")
    run.add_suite(SUITE, 5, ITEMS)
    _execute(location, "UPDATE suites SET items_hash = NULL")
    with pytest.raises(ValueError, match="Invalid JSON"):
        run.add_suite(SUITE, 5, ITEMS)


def test_how_a_suite_is_designed_is_stored_with_it(run: Run) -> None:
    design = Design(asks_again=True, strata=("category", "number"))
    run.add_suite(replace(SUITE, name="production"), 0, [drawing_item()], design)
    assert read_designs(run) == {"naming": Design(), "production": design}


def test_sampled_factors_are_stored_beside_strata_which_look_as_before_where_there_are_none(
    run: Run, location: Location
) -> None:
    design = Design(strata=("type",), sampled={"noun": ("cat", "dog"), "template": "template"})
    run.add_suite(replace(SUITE, name="production"), 0, [drawing_item()], design)
    assert read_designs(run)["production"] == design
    stored = [row.strata for row in run.fetch(run.select(tables.suites).order_by(tables.suites.c.suite))]
    assert stored == ["[]", '{"strata": ["type"], "sampled": {"noun": ["cat", "dog"], "template": "template"}}']


def test_a_reading_comes_back_as_it_was(run: Run) -> None:
    box = Box("apple", 0.75, (1.0, 2.0, 3.5, 4.0), "red")
    given = replace(reading(trial(ITEMS[0])), evidence=Boxes((box,)), rule="boxes@1", value=Known(1))
    with run.lease("judge") as lease:
        run.add_readings(lease, [given])
    (stored,) = run.readings()
    assert stored.reading == given


def test_a_changed_mind_hides_the_first_answer_and_deletes_nothing(run: Run, location: Location) -> None:
    with run.lease("judge") as lease:
        run.add_readings(lease, [reading(trial(ITEMS[0]), "3", annotator="ada")])
        (first,) = run.readings("human")
        run.add_readings(lease, [replace(reading(trial(ITEMS[0]), "4", annotator="ada"), replaces=first.id)])
    assert [stored.reading.value for stored in run.readings()] == [Known(4)]
    assert _execute(location, "SELECT count(*) FROM readings") == 2


def test_equal_readings_are_kept_apart(run: Run) -> None:
    twice = [reading(trial(ITEMS[0]), "3", annotator="ada")] * 2
    with run.lease("judge") as lease:
        run.add_readings(lease, twice)
    assert [stored.reading for stored in run.readings()] == twice


def test_what_readings_share_is_stored_once_though_several_write_at_once(
    run: Run, open_run: OpenRun, location: Location
) -> None:
    trials = [trial(ITEMS[0], repeat=repeat) for repeat in range(60)]

    def add(judge: str) -> None:
        own, order = open_run(location), trials if judge < "c" else trials[::-1]
        with own.lease(judge) as lease:
            # Rows for one commit come from several chunks, which meet those of the others in another order.
            own.add_judged(lease, [], (replace(reading(one), judge=judge) for one in order))
            own.add_readings(lease, [replace(reading(one, "4"), judge=judge) for one in order])

    with ThreadPoolExecutor(4) as threads, pytest.MonkeyPatch.context() as patch:
        patch.setattr("subitize.store.run.ROWS_AT_ONCE", 7)
        list(threads.map(add, "abcd"))
    assert len(list(run.readings())) == 4 * 2 * len(trials)
    counts = {
        table: _execute(location, f"SELECT count(*) FROM {table}") for table in ("subjects", "questions", "sources")
    }
    assert counts == {"subjects": len(trials), "questions": 1, "sources": 4}


def test_a_commit_that_failed_leaves_nothing_that_later_readings_rest_on(
    run: Run, open_run: OpenRun, location: Location
) -> None:
    pears, plums = (reading(trial(ITEMS[0]), question=Count(noun)) for noun in ("pear", "plum"))

    def broken() -> Iterator[Reading]:
        yield pears
        raise ValueError("the file ends here")

    with run.lease("judge") as lease:
        with pytest.raises(ValueError, match="ends here"):
            run.add_judged(lease, [], broken())
        other = open_run(location)
        with other.lease("other") as its:
            other.add_readings(its, [plums])
        run.add_readings(lease, [pears])
    assert [stored.reading for stored in run.readings()] == [plums, pears]


def test_a_question_longer_than_an_index_takes_is_stored(run: Run) -> None:
    rng = random.Random(3)
    long = Confirm("".join(rng.choices(string.ascii_letters, k=20_000)), False)
    named = "".join(rng.choices(string.ascii_letters, k=9_000))
    given = replace(reading(trial(ITEMS[0]), annotator=named, question=long), value=Known(True))
    with run.lease("judge") as lease:
        run.add_readings(lease, [given])
        run.add_readings(lease, [given])
    assert [stored.reading for stored in run.readings()] == [given] * 2


def test_readings_stored_while_others_are_fetched_are_not_half_read(run: Run) -> None:
    with run.lease("judge") as lease:
        run.add_readings(lease, [reading(trial(item)) for item in ITEMS[:2]])
        (first, second) = (one.id for one in run.readings())
        parts = scan_readings(run, columns=("id", "annotator", "question"), rows=1)
        found = [next(parts)]
        changed = replace(reading(trial(ITEMS[1]), annotator="ada", question=Count("pear")), replaces=second)
        run.add_readings(lease, [changed])
        found += parts
    assert pl.concat(found).rows() == [(first, "", "count:apple"), (second, "", "count:apple")]
    assert read_readings(run, columns=("annotator", "question")).rows() == [("", "count:apple"), ("ada", "count:pear")]


def test_an_exclusion_can_be_taken_back(run: Run) -> None:
    run.exclude(ITEMS[0].id, "a smudge")
    run.exclude(ITEMS[0].id, "two smudges")
    assert run.exclusions() == {ITEMS[0].id: "two smudges"}
    run.include(ITEMS[0].id, "it was dust")
    assert run.exclusions() == {}
    with pytest.raises(UnknownNameError, match="no excluded item named"):
        run.include(ITEMS[0].id, "again")


@pytest.mark.parametrize(
    ("item_id", "reason"), [("naming/pears/1", "why"), (ITEMS[0].id, "  ")], ids=["item", "reason"]
)
def test_excluding_needs_a_known_item_and_a_reason(run: Run, item_id: str, reason: str) -> None:
    with pytest.raises(BadValueError, match=item_id):
        run.exclude(item_id, reason)
    assert run.exclusions() == {}


def test_a_newer_schema_is_refused_with_both_versions(run: Run, location: Location) -> None:
    _execute(location, "UPDATE schema_version SET version = 99")
    with pytest.raises(NewerSchemaError, match=r"schema 99.*up to 7.*pip install --upgrade"):
        Run(location)


def test_an_image_attached_later_is_seen_beside_the_name_and_changes_no_row(run: Run, location: Location) -> None:
    named = replace(response(trial(ITEMS[0])), outcome=Drawn(Elsewhere("a_0")))
    other = replace(response(trial(ITEMS[1])), outcome=Drawn(Elsewhere("b_0")))
    with run.lease("m") as lease:
        run.add_responses(lease, [named, other])
        query = "SELECT outcome FROM responses ORDER BY id LIMIT 1"
        before = _execute(location, query)
        image = run.images.save(b"\x89PNG\r\n\x1a\n", "png")
        run.add_attachments(lease, [Attachment(named.trial.id, image, "a_0.png")])
        assert run.sweep(lease) == 0
    attached = Drawn(Attached(image.hash, "png", "a_0"))
    assert [stored.response.outcome for stored in run.responses()] == [attached, other.outcome]
    looked_up = look_up_responses(run, [named.trial.id, other.trial.id])
    assert {one.outcome for one in looked_up.values()} == {attached, other.outcome}
    assert run.attachments() == {named.trial.id: Attachment(named.trial.id, image, "a_0.png")}
    assert _execute(location, query) == before


def test_a_trial_has_one_attachment(run: Run) -> None:
    with run.lease("m") as lease:
        images = [run.images.save(bytes([number]), "png") for number in range(2)]
        run.add_attachments(lease, [Attachment("t", images[0], "x.png")])
        with pytest.raises(StorageError, match="refused"):
            run.add_attachments(lease, [Attachment("t", images[1], "y.png"), Attachment("u", images[1], "y.png")])
    assert run.attachments() == {"t": Attachment("t", images[0], "x.png")}


@pytest.mark.postgres
def test_two_runs_of_one_database_do_not_see_each_other(
    postgres: PostgresServer, open_run: OpenRun, tmp_path: Path
) -> None:
    location = Database(postgres.new_database(), "a-run", tmp_path)
    one, other = open_run(location), open_run(replace(location, run_id="other"))
    one.add_suite(SUITE, 5, ITEMS)
    assert one.items() == ITEMS
    assert other.items() == []
    with pytest.raises(NotARunError, match=r"no run 'third' in this database; it has: a-run, other"):
        Run(replace(location, run_id="third"))


def test_a_database_url_is_shown_without_its_password() -> None:
    shown = str(Database("postgresql://me:s3cret@127.0.0.1:1/x", "r", Path("i")))
    assert "s3cret" not in shown
    assert "127.0.0.1" in shown


@pytest.mark.postgres
def test_a_database_that_does_not_answer_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        Run(Database("postgresql://me:s3cret@127.0.0.1:1/x", "r", tmp_path))
    assert "s3cret" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://h/db?user=u&password=s3cret",
        "postgresql://h/db?sslpassword=s3cret",
        "postgresql://me:s3cret@h/db?connect_timeout=5",
    ],
)
def test_a_password_anywhere_in_the_url_is_not_shown(url: str) -> None:
    database = Database(url, "r", Path("i"))
    assert "s3cret" not in f"{database} {database!r}"


def test_an_at_sign_in_a_password_is_told_how_to_write_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="%40") as caught:
        Run(Database("postgresql://me:pw-Se@cret7@127.0.0.1:1/x", "r", tmp_path))
    assert "cret7" not in str(caught.value)


@pytest.mark.parametrize("url", ["mysql://host/name", "postgresql+foo://host/name", "nonsense", ""], ids=str)
def test_a_url_of_another_kind_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="postgresql://"):
        Run(Database(url, "r", tmp_path))


def _make_file(folder: Path) -> None:
    folder.write_text("I am a file")


def _make_foreign_folder(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.doc").write_text("precious")


def _make_fake_database(folder: Path) -> None:
    folder.mkdir()
    (folder / "run.sqlite").write_bytes(b"not a database at all" * 100)


def _make_other_database(folder: Path) -> None:
    folder.mkdir()
    with sqlite3.connect(folder / "run.sqlite") as connection:
        connection.execute("CREATE TABLE things (name TEXT)")


def _make_namesake(folder: Path) -> None:
    folder.mkdir()
    with sqlite3.connect(folder / "run.sqlite") as connection:
        connection.execute("CREATE TABLE schema_version (number INTEGER)")


def _make_folder_of_that_name(folder: Path) -> None:
    (folder / "run.sqlite").mkdir(parents=True)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda folder: None, "has no run.sqlite"),
        (_make_file, "it is a file"),
        (_make_foreign_folder, "has no run.sqlite"),
        (_make_fake_database, "no database"),
        (_make_other_database, "is another program's database, with the tables things"),
        (_make_namesake, "is another program's database, with the tables schema_version"),
        (_make_folder_of_that_name, "its run.sqlite is not a file"),
    ],
    ids=["missing", "a file", "a foreign folder", "garbage", "another program's database", "a namesake", "a folder"],
)
def test_a_folder_that_is_not_a_run_is_said_to_be_none(make: object, message: str, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path / "run")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(NotARunError, match=message):
        Run(Folder(tmp_path / "run"))
    assert (
        sorted(path.name for path in tmp_path.rglob("*") if "-wal" not in path.name and "-shm" not in path.name)
        == before
    )


@pytest.mark.parametrize("make", [_make_other_database, _make_namesake])
def test_a_run_is_not_made_in_another_programs_database(make: object, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path / "run")
    before = (tmp_path / "run" / "run.sqlite").read_bytes()
    with pytest.raises(NotARunError, match="another program's database"):
        Run(Folder(tmp_path / "run"), create=True)
    assert (tmp_path / "run" / "run.sqlite").read_bytes() == before
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["run.sqlite"]


def test_a_run_is_not_made_in_a_folder_with_other_things(tmp_path: Path) -> None:
    _make_foreign_folder(tmp_path / "run")
    with pytest.raises(NotARunError, match="not empty"):
        Run(Folder(tmp_path / "run"), create=True)


@pytest.mark.usefixtures("synced")
def test_sqlite_commits_survive_a_power_cut(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run, run._backend.reading() as connection:
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2, "2 is FULL"
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"


def test_an_item_with_a_drawing_task_comes_back(run: Run) -> None:
    run.add_suite(replace(SUITE, name="production"), 0, [drawing_item()])
    assert run.items("production") == [drawing_item()]


def _execute(location: Location, statement: str) -> object:
    engine = open_engine(location)
    with engine.begin() as connection:
        found = connection.execute(text(statement))
        result = found.scalar() if found.returns_rows else None
    engine.dispose()
    return result
