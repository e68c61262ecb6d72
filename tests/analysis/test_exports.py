"""What is exported is what is stored, in every format."""

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from subitize.analysis import export as exports
from subitize.analysis.export import FORMATS, Format, export, read_tables
from subitize.errors import StorageError
from subitize.interfaces import NoEvents
from subitize.io import codec
from subitize.records import (
    Design,
    Discarded,
    Drawn,
    Elsewhere,
    Failed,
    Known,
    MatchesPrompt,
    Outcome,
    Refused,
    Said,
    Scored,
    Spec,
    Subject,
)
from subitize.store import Attachment, Folder, Run
from tests.samples import MODEL, SUITE, drawing_item, naming_item, reading, response, trial
from tests.store.disks import tiny_disk

ITEMS = [naming_item(index) for index in range(4)]
NASTY = 'three, "3"\r\n\tor\n; 3 ≈ ３ 🍎 \x1b[31m\'=1+1'


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        yield run


@pytest.fixture
def full_run(run: Run) -> Run:
    odd = replace(drawing_item(), factors={"category": "apples", "number": "three", "is_odd": True, "share": 0.5})
    run.add_suite(SUITE, 5, ITEMS)
    run.add_suite(Spec("production", {}, "production"), 5, [odd])
    run.add_model(MODEL, is_stand_in=True)
    drawn = Drawn(run.image_files.save(b"a picture", "png"))
    outcomes: list[Outcome] = [Said(NASTY), Scored({"match": 0.25}), Refused("no\nthanks"), Failed("400", False)]
    trials = [trial(item) for item in (*ITEMS, odd)]
    with run.lease("a") as lease:
        run.add_responses(lease, [response(*pair) for pair in zip(trials, [*outcomes, drawn], strict=True)])
        run.add_readings(
            lease,
            [
                reading(trials[0], "3"),
                replace(reading(trials[0], "4", annotator="ada"), value=Discarded('a "few", they said')),
                replace(reading(trials[4], "5", annotator="bob"), value=Known(True)),
            ],
        )
    run.exclude(ITEMS[3].id, "a smudge, \nor two")
    return run


def frames(run: Run) -> dict[str, pl.DataFrame]:
    return {name: pl.concat(table) for name, table in read_tables(run)}


def _read(path: Path, format: Format, like: pl.DataFrame) -> pl.DataFrame:
    match format:
        case "parquet":
            return pl.read_parquet(path)
        case "csv":
            flat = {name: pl.String() if isinstance(dtype, pl.List) else dtype for name, dtype in like.schema.items()}
            whole = pl.read_csv(path, schema=flat)
            return whole.with_columns(pl.col(name).str.split(" ") for name in flat if flat[name] != like.schema[name])
        case "jsonl":
            return pl.read_ndjson(path, schema=like.schema)


def test_a_number_larger_than_any_float_is_written_in_full_and_infinite_as_a_number(run: Run) -> None:
    run.add_suite(SUITE, 5, ITEMS)
    run.add_model(MODEL, is_stand_in=True)
    trials = [trial(item) for item in ITEMS[:2]]
    values = (10**400, -(10**400))
    known = [replace(reading(one, "3"), value=Known(value)) for one, value in zip(trials, values, strict=True)]
    with run.lease("a") as lease:
        run.add_responses(lease, [response(one, Said("many")) for one in trials])
        run.add_readings(lease, known)
    readings = frames(run)["readings"]
    assert readings["value"].to_list() == [math.inf, -math.inf]
    assert readings["value_text"].to_list() == [str(value) for value in values]


@pytest.mark.parametrize("format", FORMATS)
def test_every_table_reads_back_as_it_is_stored(full_run: Run, tmp_path: Path, format: Format) -> None:
    paths = export(full_run, tmp_path / "deep" / "export", format, NoEvents())
    expected = frames(full_run)
    assert [path.name for path in paths] == [f"{name}.{format}" for name in expected]
    for path, frame in zip(paths, expected.values(), strict=True):
        assert_frame_equal(_read(path, format, frame), frame)
    assert sorted(path.parent.iterdir()) == sorted(paths), "nothing else is left there"


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_a_table_in_many_parts_reads_the_same(
    full_run: Run, tmp_path: Path, format: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = frames(full_run)
    monkeypatch.setattr(exports, "PART_ROWS", 2)
    parts = {name: (len(table), len(list(table))) for name, table in read_tables(full_run)}
    assert parts["responses"] == (3, 3), "how many they are is known before"
    assert parts["readings"] == (2, 2)
    for path, frame in zip(export(full_run, tmp_path, format, NoEvents()), expected.values(), strict=True):
        assert_frame_equal(_read(path, format, frame), frame)


def test_how_many_rows_a_table_has_is_known_before_reviews_included(full_run: Run) -> None:
    first = next(full_run.readings())
    with full_run.lease("a") as lease:
        full_run.add_readings(lease, [replace(first.reading, annotator="rex", purpose="review", reviews=first.id)])
    rows = {name: (table.rows, sum(part.height for part in table)) for name, table in read_tables(full_run)}
    assert rows.pop("items") == (1, 5)  # in one part
    assert {name: told - found for name, (told, found) in rows.items()} == dict.fromkeys(rows, 0)
    assert rows["readings"] == (4, 4)


def test_the_frames_hold_what_the_run_holds(full_run: Run) -> None:
    found = frames(full_run)
    items = full_run.items()
    assert found["items"]["item"].to_list() == [item.id for item in items]
    assert [codec.task.validate_json(text) for text in found["items"]["task_record"]] == [item.task for item in items]
    assert [codec.asks.validate_json(text) for text in found["items"]["asks"]] == [item.asks for item in items]

    stored = list(full_run.responses())
    responses = found["responses"]
    assert responses["trial"].to_list() == [one.trial_id for one in stored]
    assert [codec.outcome.validate_json(text) for text in responses["outcome_record"]] == [
        one.response.outcome for one in stored
    ]
    assert [codec.provenance.validate_json(text) for text in responses["provenance"]] == [
        one.response.provenance for one in stored
    ]
    assert responses["text"].to_list() == [NASTY, None, None, None, None]
    assert responses["reason"].to_list() == [None, None, "no\nthanks", "400", None]
    assert responses["outcome"].to_list() == ["said", "scored", "refused", "failed", "drawn"]
    assert Path(responses["image"][4]).read_bytes() == b"a picture"

    readings = found["readings"]
    assert readings["reading"].to_list() == [one.id for one in full_run.readings()]
    assert [codec.evidence.validate_json(text) for text in readings["evidence"]] == [
        one.reading.evidence for one in full_run.readings()
    ]
    assert readings["value_text"].to_list() == ["3", None, "True"]
    assert readings["value"].to_list() == [3.0, None, 1.0]
    assert readings["discarded"].to_list() == [None, 'a "few", they said', None]
    assert readings["annotator"].to_list() == ["", "ada", "bob"]
    assert found["exclusions"].rows() == [(ITEMS[3].id, "a smudge, \nor two")]


def test_factors_have_a_column_each_even_where_suites_disagree_on_their_type(full_run: Run) -> None:
    items = frames(full_run)["items"]
    assert items["factor_number"].to_list() == ["3", "3", "3", "3", "three"]
    assert items["factor_is_odd"].to_list() == [None, None, None, None, True]
    assert items["factor_share"].to_list() == [None, None, None, None, 0.5]


def test_a_replaced_reading_is_not_exported(full_run: Run) -> None:
    first = next(full_run.readings())
    with full_run.lease("a") as lease:
        full_run.add_readings(lease, [replace(first.reading, value=Known(9), replaces=first.id)])
    readings = frames(full_run)["readings"]
    assert first.id not in readings["reading"]
    assert readings["value_text"].to_list() == [None, "True", "9"]


def test_a_trial_that_was_tried_again_stands_where_it_was_tried_first(full_run: Run) -> None:
    again = trial(ITEMS[0], repeat=1)
    with full_run.lease("a") as lease:
        full_run.add_responses(lease, [response(again, Failed("503", True)), response(again, Failed("504", True))])
        full_run.add_responses(lease, [response(trial(ITEMS[1], repeat=1), Said("4"))])
        assert frames(full_run)["responses"]["reason"].to_list()[5:] == ["504", None]
        full_run.add_responses(lease, [response(again, Said("5")), response(trial(ITEMS[2], repeat=1), Said("6"))])
    responses = frames(full_run)["responses"]
    assert responses["trial"].to_list() == [one.trial_id for one in full_run.responses()]
    assert responses["text"].to_list()[5:] == ["5", "4", "6"]


def test_an_attached_image_is_the_pictures(full_run: Run) -> None:
    named, other = trial(drawing_item(), repeat=1), trial(drawing_item(), repeat=2)
    with full_run.lease("a") as lease:
        full_run.add_responses(lease, [response(one, Drawn(Elsewhere("apples_7"))) for one in (named, other)])
        full_run.add_attachments(lease, [Attachment(named.id, full_run.image_files.save(b"pixels", "webp"), "a.webp")])
    responses = frames(full_run)["responses"]
    assert Path(responses["image"][5]).read_bytes() == b"pixels"
    assert responses["image"][6] == "apples_7"
    assert responses["outcome_record"].to_list() == [
        codec.encode(codec.outcome, one.response.outcome) for one in full_run.responses()
    ]


def test_observations_tell_what_was_said_by_whom_about_what(run: Run) -> None:
    run.add_suite(SUITE, 5, ITEMS, Design(strata=("category", "number")))
    run.add_model(MODEL, is_stand_in=True)
    trials = [trial(ITEMS[0]), trial(ITEMS[0], repeat=1), trial(ITEMS[1])]
    answers: list[Outcome] = [Said(NASTY), Said("4"), Refused("no")]
    with run.lease("a") as lease:
        run.add_responses(lease, [response(*pair) for pair in zip(trials, answers, strict=True)])
        votes = [reading(trials[0], "3", annotator=who) for who in ("ada", "bob")]
        run.add_readings(lease, [*votes, reading(trials[1], "4", annotator="ada")])
    rows = frames(run)["observations"]
    assert rows["trials"].to_list() == [[one.id] for one in trials]
    assert rows["subject"].to_list() == [one.id for one in trials]
    assert rows["answer"].to_list() == [NASTY, "4", None]
    assert rows["annotators"].to_list() == [2, 1, 0]
    assert rows["value"].to_list() == [3.0, 4.0, None]
    assert rows["is_right"].to_list() == [True, False, False]
    assert rows["stratum"].unique().to_list() == ["apples · 3"]
    assert rows["factor_number"].dtype == pl.Int64
    assert rows["cluster"].str.len_chars().unique().to_list() == [12]
    assert rows["cluster"][0] == rows["cluster"][1] != rows["cluster"][2], "the pictures' identity"


def test_a_group_lists_its_members(run: Run) -> None:
    one = drawing_item()
    item = replace(one, asks=(replace(one.asks[0], question=MatchesPrompt(), expects=(True,), group=2),))
    run.add_suite(Spec("production", {}, "production"), 5, [item])
    run.add_model(MODEL, is_stand_in=True)
    trials = [trial(item, repeat=repeat) for repeat in range(4)]
    drawn = Drawn(run.image_files.save(b"a picture", "png"))
    with run.lease("a") as lease:
        run.add_responses(lease, [response(one, drawn) for one in reversed(trials)])
        groups = [Subject((trials[first].id, trials[first + 1].id)) for first in (0, 2)]
        about = replace(reading(trials[0], annotator="ada"), question=MatchesPrompt(), value=Known(True))
        run.add_readings(lease, [replace(about, subject=group) for group in groups])
    found = frames(run)
    assert sorted(found["observations"]["trials"].to_list()) == sorted(list(group.trial_ids) for group in groups)
    assert found["readings"]["trials"].to_list() == [list(group.trial_ids) for group in groups]
    assert found["observations"]["cluster"].unique().to_list() == [item.task.prompt]  # type: ignore[union-attr]


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_run_exports_tables_with_their_first_columns(run: Run, tmp_path: Path, format: Format) -> None:
    paths = export(run, tmp_path / "export", format, NoEvents())
    assert [path.stat().st_size > 0 or format == "jsonl" for path in paths] == [True] * 5
    if format != "jsonl":
        read = pl.read_parquet if format == "parquet" else pl.read_csv
        assert [read(path).columns[0] for path in paths] == ["item", "trial", "reading", "item", "suite"]
        assert [read(path).height for path in paths] == [0] * 5


def test_an_export_replaces_the_one_before(full_run: Run, tmp_path: Path) -> None:
    export(full_run, tmp_path / "export", "csv", NoEvents())
    full_run.include(ITEMS[3].id, "it was dust")
    export(full_run, tmp_path / "export", "csv", NoEvents())
    assert pl.read_csv(tmp_path / "export" / "exclusions.csv").height == 0


def test_a_file_in_place_of_the_folder_is_said(full_run: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("precious")
    with pytest.raises(StorageError, match=r"cannot make the folder .*taken: File exists"):
        export(full_run, tmp_path / "taken", "csv", NoEvents())
    with pytest.raises(StorageError, match=r"cannot make the folder .*deeper: Not a directory"):
        export(full_run, tmp_path / "taken" / "deeper", "csv", NoEvents())
    assert (tmp_path / "taken").read_text() == "precious"


@pytest.mark.parametrize("format", FORMATS)
def test_a_full_disk_is_said_and_the_file_before_stays_whole(full_run: Run, tmp_path: Path, format: Format) -> None:
    with tiny_disk(tmp_path / "disk", 1000) as could:
        if not could:
            pytest.skip("needs the right to mount")
        (items, *others) = export(full_run, tmp_path / "disk", format, NoEvents())
        before = items.read_bytes()
        for path in others:
            path.unlink()
        with contextlib.suppress(OSError), (tmp_path / "disk" / "ballast").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        with pytest.raises(StorageError, match=r"cannot write .*No space left on device"):
            export(full_run, tmp_path / "disk", format, NoEvents())
        assert items.read_bytes() == before
        assert not list((tmp_path / "disk").glob(".*"))


def test_a_file_that_cannot_be_replaced_is_said_and_nothing_half_written_is_left(full_run: Run, tmp_path: Path) -> None:
    (tmp_path / "export" / "items.csv").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"items\.csv is a folder; name a file in it"):
        export(full_run, tmp_path / "export", "csv", NoEvents())
    assert [path.name for path in (tmp_path / "export").iterdir()] == ["items.csv"]


def test_no_spreadsheet_runs_what_a_model_said(run: Run, tmp_path: Path) -> None:
    item, formula = ITEMS[0], '=HYPERLINK("http://x")'
    run.add_suite(SUITE, 5, [item])
    run.add_model(MODEL, is_stand_in=True)
    with run.lease("a") as lease:
        run.add_responses(lease, [response(trial(item), Said(formula))])
        run.add_readings(lease, [reading(trial(item), "3")])
    for format, written in (("csv", f"'{formula}"), ("parquet", formula)):
        export(run, tmp_path, "csv" if format == "csv" else "parquet", NoEvents())
        read = pl.read_csv if format == "csv" else pl.read_parquet
        assert read(tmp_path / f"observations.{format}")["answer"].to_list() == [written]
