"""The command line as a user meets it: every wrong input is one line that names the value and the remedy, code 2."""

import csv
import io
import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copytree

import numpy as np
import polars as pl
import pytest
from PIL import Image

from subitize.records import Stimulus
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import PLUGINS, Finished, call, environment, start, subitize
from tests.models import openai_server
from tests.store.disks import grow, read_only, tiny_disk

SMALL = "naming:images=2,numbers=1-3,categories=apples+dots,wordings=category,control_question=false"

pytestmark = pytest.mark.usefixtures("odd_models")
PROOF = pytest.mark.proof("subitize.cli", "subitize.evaluate", "subitize.store")


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PLUGINS))
        assert call("run", SMALL, "--model", "instant", "--out", folder).code == 0
    return folder


@pytest.fixture
def run(finished_run: Path, tmp_path: Path) -> Path:
    """A small finished run, the test's own."""
    return copytree(finished_run, tmp_path / "run")


# Pictures of our own in a folder are no model of ours: the judge that knows them must be named.
BY_OBSERVER = ("--judge", "observer")


def assert_is_friendly(finished: Finished, *mentions: str) -> None:
    assert finished.code == 2, finished
    assert finished.err.startswith("subitize: "), finished.err
    assert len(finished.err.strip().splitlines()) == 1, finished.err
    assert "Traceback" not in finished.err
    for mention in mentions:
        assert mention in finished.err


WRONG: list[tuple[list[str], list[str]]] = [
    (["run", "nmaing", "--model", "random"], ["no suite named 'nmaing'", "naming, production"]),
    (["run", "naming", "--model", "gpt"], ["no model named 'gpt'", "ideal-human, "]),
    (["run", "naming", "--model", "random", "--judge", "me"], ["no judge named 'me'", "observer", "parser"]),
    (["run", "naming:pictures=3", "--model", "random"], ["no option 'pictures'", "images"]),
    (["run", "naming:images=many", "--model", "random"], ["images='many'", "a whole number"]),
    (["run", "naming:numbers=9-1", "--model", "random"], ["numbers='9-1'", "go up"]),
    (["run", "naming:categories=apples,dots", "--model", "random"], ["categories='apples,dots'", "apples+dots"]),
    (["run", "naming", "--model", "random:high=999999999999999"], ["high=999999999999999", "1000000"]),
    (["run", "naming", "--model", "exploding"], ["model 'exploding'", "cannot be loaded", "boom"]),
    (["run", "naming", "--model", "stillborn"], ["model 'stillborn' cannot be made", "ZeroDivisionError"]),
    (["run", "naming:size_px=10", "--model", "random"], ["10", "128"]),
    (["run", "naming:numbers=1-9000", "--model", "random"], ["9000"]),
    (
        ["run", "naming:categories=apples+pears", "--model", "random"],
        ["no category named 'pears'", "apples, butterflies, dots"],
    ),
    (["run", "naming", "--model", "random:high=0"], ["low=1,high=0"]),
    (["run", "naming", "--model", "random:20"], ["takes options as key=value, not '20'"]),
    (["run", "naming", "--model", "ideal-human:weber=-1"], ["weber=-1"]),
    (["run", "naming", "--model", "folder"], ["needs PATH: write folder:PATH"]),
    (["run", "naming", "--model", "folder:/no/such/place"], ["/no/such/place", "not a folder"]),
    (["run", "naming", "--model", "random", "--repeats", "0"], ["--repeats 0", "at least 1"]),
    (["run", "naming", "--model", "random", "--limit", "-3"], ["--limit -3", "at least 1"]),
    (["run", "naming", "--model", "random", "--seed", "-1"], ["--seed -1", "from 0"]),
    (
        ["run", "production", "--model", "observer"],
        ["'observer' cannot do 'production'", "can answer", "asks to draw"],
    ),
    (["make", "prompts", "geckonumm"], ["no suite named 'geckonumm'"]),
    (
        ["list", "things"],
        ["no suite, model, judge, refinement or paper named 'things'", "naming", "painter"],
    ),
    (["show", "nowhere"], ["nowhere is not a run", "run.sqlite"]),
    (["score", "nowhere"], ["nowhere is not a run"]),
    (["judge", "nowhere", "--judge", "parser"], ["nowhere is not a run"]),
    (["export", "nowhere", "--format", "xlsx"], ["no format named 'xlsx'", "csv, jsonl, parquet"]),
    (["run", "naming", "--model", "random", "--out", "r", "--database", "postgresql://x/y"], ["--images"]),
    (
        ["run", "naming", "--model", "random", "--out", "r", "--database", "mysql://x/y", "--images", "i"],
        ["postgresql://"],
    ),
    (["make", "stimuli", "--suite", "production"], ["'production' shows no pictures"]),
    (["make", "stimuli", "--control", "ink"], ["no control named 'ink'", "area, density, hull"]),
    (["make", "stimuli", "--numbers", "1-5000", "--categories", "fastcards"], ["number 5000"]),
    (["list", "glyphs", "--out", "somewhere/run.sqlite"], ["somewhere/run.sqlite", "a run's database"]),
    (["report", "nowhere", "-o", "run.sqlite"], ["run.sqlite", "a run's database"]),
    (["report", "nowhere", "-o", "a-file/report.html"], ["a-file is a file, not a folder"]),
    (["list", "glyphs", "-o", "a-file/below/glyphs.png"], ["a-file is a file, not a folder"]),
    (["make", "stimuli", "--out", "a-file"], ["a-file is a file, not a folder"]),
    (["run", "naming"], ["no model given", "--model observer", "subitize list models"]),
]


def test_a_wrong_word_is_named_with_the_right_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a-file").touch()
    for arguments, mentions in WRONG:
        with case(" ".join(arguments)):
            assert_is_friendly(call(*arguments), *mentions)
    assert list(tmp_path.iterdir()) == [tmp_path / "a-file"]


@pytest.mark.parametrize(
    "arguments",
    [["run"], ["run", "naming", "--model", "random", "--repeats", "x"], ["frobnicate"], ["score"]],
    ids=" ".join,
)
def test_a_command_that_cannot_be_parsed_ends_with_code_2(arguments: list[str]) -> None:
    finished = call(*arguments)
    assert finished.code == 2
    assert "Traceback" not in finished.err


def test_a_folder_without_images_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no picture")
    finished = call("run", "production", "--model", f"folder:{tmp_path}", *BY_OBSERVER, "--out", tmp_path / "run")
    assert_is_friendly(finished, str(tmp_path), "has no images")
    assert not (tmp_path / "run").exists()


def _truncated(path: Path) -> None:
    data = render(Stimulus("apples", 3, 1, 256)).png
    path.write_bytes(data[: len(data) // 2])


def _bomb(path: Path) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(10_000_000), 9)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b""))


def _text(path: Path) -> None:
    path.write_text("I am text")


@pytest.mark.slow
def test_bad_images_are_named_and_the_good_ones_are_kept(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "apples_3.png").write_bytes(render(Stimulus("apples", 3, 1, 256)).png)
    spoilt = {4: (_truncated, "truncated"), 5: (_bomb, "megapixels"), 6: (_text, "not a PNG")}
    for number, (spoil, _) in spoilt.items():
        spoil(images / f"apples_{number}_0.png")
    command = [
        "run",
        "production:categories=apples,numbers=3-6",
        "--model",
        f"folder:{images}",
        *BY_OBSERVER,
        "--repeats",
        1,
    ]
    out = tmp_path / "run"
    failed = call(*command, "--out", out)
    for number, (_, mention) in spoilt.items():
        assert_is_friendly(failed, mention, f"apples_{number}_0.png")
    assert _accuracy(out) == (1.0, 1)

    for number in spoilt:
        (images / f"apples_{number}_0.png").write_bytes(render(Stimulus("apples", number, 1, 256)).png)
    assert call(*command, "--out", out).code == 0
    assert _accuracy(out) == (1.0, 4)


def _accuracy(run: Path) -> tuple[float, int]:
    rows = call("score", run, "--json").json()
    (found,) = [row for row in rows if row["measure"] == "accuracy" and row["group"] == "all"]
    return found["value"], found["n"]


def test_a_newer_schema_is_named(run: Path) -> None:
    with sqlite3.connect(run / "run.sqlite") as connection:
        connection.execute("UPDATE schema_version SET version = 8")
    connection.close()
    assert_is_friendly(call("score", run), "schema 8", "pip install --upgrade subitize")


def test_another_seed_on_resume_names_both(run: Path) -> None:
    assert_is_friendly(call("run", SMALL, "--model", "instant", "--out", run, "--seed", 5), "--seed 0, not 5")


def test_scoring_a_run_without_readings_says_what_to_do(tmp_path: Path) -> None:
    out = tmp_path / "run"
    call("run", SMALL, "--model", "instant", "--out", out, "--judge", "none")
    assert_is_friendly(call("score", out), "no readings yet", f"subitize judge {out}")
    assert call("judge", out, "--judge", "parser").code == 0
    assert call("score", out).code == 0


def test_scoring_a_run_without_responses_says_what_to_do(tmp_path: Path) -> None:
    out = tmp_path / "run"
    Run(Folder(out), create=True).close()
    assert_is_friendly(call("score", out), "no responses yet", "subitize run")


def test_scoring_a_run_where_all_failed_says_so(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert_is_friendly(call("run", SMALL, "--model", "flaky", "--tries", 1, "--out", out), "try again")
    assert_is_friendly(call("score", out), "all 12 trials", "failed")


def test_scoring_for_a_judge_that_read_nothing_names_those_that_did(run: Path) -> None:
    assert_is_friendly(call("score", run, "--judge", "human"), "'human'", "parser")


def test_readings_that_are_not_utf_8_are_named_with_their_line(run: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(
        b"annotator,item,question,answer\nada,naming/apples/1/0/category,,1\nzo\xeb,naming/apples/2/0/category,,2\n"
    )
    assert_is_friendly(call("import", "readings", file, "--run", run), "people.csv line 3", "UTF-8")


def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir()
    with read_only(folder) as could:
        if not could:
            pytest.skip("this machine lets root write everywhere and does not let it mount")
        finished = call("run", SMALL, "--model", "instant", "--out", folder / "run")
    assert_is_friendly(finished, str(folder / "run"))
    assert list(folder.iterdir()) == []


def test_a_read_only_run_cannot_be_gone_on_with(run: Path) -> None:
    with read_only(run) as could:
        if not could:
            pytest.skip("this machine lets root write everywhere and does not let it mount")
        assert_is_friendly(call("run", SMALL, "--model", "instant", "--out", run, "--repeats", 2), str(run))


def test_a_read_only_run_can_be_looked_at(run: Path, tmp_path: Path) -> None:
    before = call("score", run, "--json").json()
    with read_only(run) as could:
        if not could:
            pytest.skip("this machine lets root write everywhere and does not let it mount")
        assert call("score", run, "--json").json() == before
        assert call("show", run).code == 0
        assert call("export", run, "--out", tmp_path / "out").code == 0
        refused = call("show", run, "--exclude", "naming/apples/3/0/category", "--reason", "why")
    assert_is_friendly(refused, str(run), "readonly")


@pytest.mark.slow
def test_a_read_only_run_that_was_killed_shows_all_that_was_stored(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start(
        "run", "naming:images=10", "--model", "instant", "--judge", "none", "--out", out, "--concurrency", 1
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not call("show", out).out.count("said"):
        time.sleep(0.05)
    process.kill()
    process.communicate()
    with read_only(out) as could:
        if not could:
            pytest.skip("this machine lets root write everywhere and does not let it mount")
        frozen = call("show", out, "--json").json()
    assert frozen["models"] == call("show", out, "--json").json()["models"] != []


@pytest.mark.parametrize(("given", "used"), [(None, "1"), ("2", "2")], ids=["by default", "as the user says"])
def test_commands_multiply_matrices_in_one_thread(given: str | None, used: str) -> None:
    program = "import os, subitize.cli as cli\ncli.app = lambda: print(os.environ['OPENBLAS_NUM_THREADS'])\ncli.main()"
    others = {name: value for name, value in environment().items() if name != "OPENBLAS_NUM_THREADS"}
    known = others | ({"OPENBLAS_NUM_THREADS": given} if given else {})
    done = subprocess.run([sys.executable, "-c", program], env=known, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == used


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "RUN", "--exclude", "\udcff", "--reason", "x"],
        ["show", "RUN", "--exclude", "naming/apples/1/0/category", "--reason", "\udcff"],
        ["score", "RUN", "--judge", "\udcff"],
    ],
    ids=["item", "reason", "judge"],
)
def test_an_argument_that_is_not_utf_8_is_named(run: Path, arguments: list[str]) -> None:
    filled = [str(run) if argument == "RUN" else argument for argument in arguments]
    assert_is_friendly(call(*filled), "not UTF-8", r"\xff")


def test_a_run_name_that_no_disk_takes_is_refused() -> None:
    assert_is_friendly(call("show", "x" * 300), "x" * 300)


def test_a_figure_by_a_factor_named_twice_counts_nothing_twice(run: Path) -> None:
    once = call("score", run, "--by", "number", "--json").json()
    assert call("score", run, "--by", "number", "--by", "number", "--json").json() == once


def test_rows_come_in_order(run: Path) -> None:
    rows = call("score", run, "--by", "number", "--json").json()
    assert [row["group"] for row in rows if row["measure"] == "mae"] == ["all", "1", "2", "3"]


@pytest.mark.slow
def test_what_no_figure_covers_is_said(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "apples_3.png").write_bytes(render(Stimulus("apples", 3, 1, 256)).png)
    out = tmp_path / "run"
    suite = "production:categories=apples,numbers=3-5"
    finished = call(
        "run",
        suite,
        "--model",
        f"folder:{images}",
        *BY_OBSERVER,
        "--repeats",
        1,
        "--limit",
        2,
        "--seed",
        4,
        "--out",
        out,
    )
    assert_is_friendly(finished, "no file apples_4_0.png", "--repeats 1")
    printed = call("score", out).out
    assert "a sample of 2 of 3 items" in printed
    assert "in no figure: 1 trial that failed" in printed
    assert "not yet given" not in printed
    assert call("run", suite, "--model", "painter:size_px=128", "--repeats", 1, "--out", out).code == 0
    assert "1 item not yet given" in call("score", out).out


def test_two_files_for_one_image_are_refused(tmp_path: Path) -> None:
    for name in ("apples_3_0.png", "apples_3_0.jpg"):
        (tmp_path / name).write_bytes(b"x")
    finished = call("run", "production", "--model", f"folder:{tmp_path}", *BY_OBSERVER, "--out", tmp_path / "run")
    assert_is_friendly(finished, "apples_3_0.jpg and apples_3_0.png")


def test_a_folder_that_has_few_of_many_images_is_judged_all_the_same(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "apples_3.png").write_bytes(render(Stimulus("apples", 3, 1, 256)).png)
    out = tmp_path / "run"
    finished = call(
        "run",
        "production:categories=apples,numbers=3",
        "--model",
        f"folder:{images}",
        *BY_OBSERVER,
        "--out",
        out,
    )
    assert_is_friendly(finished, "no file apples_3_1.png")
    assert "1 answered, 0 refused, 99 failed, 1 new reading" in finished.out
    assert call("score", out).code == 0


def test_a_database_without_its_extra_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    finished = call("show", "a-run", "--database", "postgresql://127.0.0.1:1/x", "--images", tmp_path)
    assert_is_friendly(finished, "psycopg", "pip install 'subitize[postgres]'")


@PROOF
def test_a_full_disk_stops_the_run_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    command = [
        "run",
        "production:numbers=1-5,categories=apples+dots",
        "--model",
        "noisy",
        "--repeats",
        40,
        "--judge",
        "none",
        "--out",
        disk / "run",
    ]
    with tiny_disk(disk, kilobytes=900) as could:
        if could:
            finished = subitize(*command)
        else:  # the kernel refuses to let any file grow beyond the limit
            limited = (
                "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, -1))\n"
                "import subitize.cli; subitize.cli.main()"
            )
            done = subprocess.run(
                [sys.executable, "-c", limited, *map(str, command)], env=environment(), capture_output=True, text=True
            )
            finished = Finished(done.returncode, done.stdout, done.stderr)
        assert_is_friendly(finished, str(disk))
        kept = call("show", disk / "run", "--json").json()["models"][0]["outcomes"]["drawn"]
        assert 0 < kept < 400
        if could:
            grow(disk, 20_000)
        again = subitize(*command)
        assert again.code == 0, again.err
        assert f"{400 - kept} answered" in again.out


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = [
        "run",
        "production:categories=apples+dots",
        "--model",
        "noisy:longest_ms=200",
        "--repeats",
        20,
        "--judge",
        "none",
        "--out",
        out,
    ]
    process = start(*command)
    deadline = time.monotonic() + 60
    while len(list(out.glob("images/??/*"))) < 30 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.strip() == "subitize: stopped; what was answered is stored, and the same command goes on"
    kept = call("show", out, "--json").json()["models"][0]["outcomes"]["drawn"]
    assert 0 < kept < 400
    finished = subitize(*command, "--concurrency", 64)
    assert f"{400 - kept} answered, 0 refused, 0 failed, {kept} done before" in finished.out


@pytest.fixture(params=["computes", "waits for a server, its pictures drawn ahead"])
def run_with_workers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[str]]:
    """A command that is at work for long, with worker processes."""
    run = ["run", "naming:images=10", "--no-sight-check", "--out", str(tmp_path / "run"), "--model"]
    if request.param == "computes":
        yield [*run, "ideal-human"]
        return
    with openai_server.serving(openai_server.Behaviour(latency_seconds=0.5)) as server:
        yield [*run, f"openai:test-model,base_url={server.base_url}"]


@pytest.mark.timeout(120)
@PROOF
def test_ctrl_c_reaches_no_worker_process_as_a_traceback(run_with_workers: list[str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "subitize", *run_with_workers],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _wait_for_workers(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.strip() == "subitize: stopped; what was answered is stored, and the same command goes on"


@PROOF
def test_worker_processes_end_with_a_killed_parent(run_with_workers: list[str]) -> None:
    process = start(*run_with_workers)
    _wait_for_workers(process.pid)
    children = _children(process.pid)
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []


def _wait_for_workers(pid: int) -> None:
    """Wait until all worker processes are started; one child alone keeps count of their resources."""
    deadline = time.monotonic() + 60
    before, count = 0, 0
    while count < 2 or count > before:
        assert time.monotonic() < deadline, "no worker process was started"
        time.sleep(0.3)
        before, count = count, len(_children(pid))


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in found.read_text().split()] if found.exists() else []


def test_prompts_are_a_csv_with_id_prompt_and_factors() -> None:
    rows = list(csv.DictReader(io.StringIO(call("make", "prompts", "production").out)))
    assert rows[0] == {
        "id": "production/apples/1",
        "prompt": "An image with 1 apple",
        "category": "apples",
        "number": "1",
    }
    assert {
        "id": "production/dots/7",
        "prompt": "7 filled dots in white background",
        "category": "dots",
        "number": "7",
    } in rows
    assert len(rows) == 40
    naming = list(csv.DictReader(io.StringIO(call("make", "prompts", "naming").out)))
    assert len(naming) == len({row["id"] for row in naming}) == 8000


def test_stimuli_are_written_with_the_released_names_and_their_magnitudes(tmp_path: Path) -> None:
    finished = call(
        "make",
        "stimuli",
        "--suite",
        "naming:size_px=256",
        "--images",
        2,
        "--numbers",
        "1-3",
        "--out",
        tmp_path / "s",
        "--seed",
        4,
    )
    assert finished.out.strip() == str(tmp_path / "s" / "stimuli.csv")
    table = pl.read_csv(tmp_path / "s" / "stimuli.csv")
    names = {
        f"{number}_{category}_{index}.png"
        for number in (1, 2, 3)
        for category in ("apples", "people", "butterflies", "dots", "fastcards")
        for index in (0, 1)
    }
    assert set(table["file"]) == names == {path.name for path in (tmp_path / "s").glob("*.png")}
    assert {"number", "total_area_px", "mean_item_area_px", "convex_hull_px", "density_per_megapixel"} <= set(
        table.columns
    )
    with Image.open(tmp_path / "s" / "3_dots_1.png") as picture:
        assert picture.size == (256, 256)


@pytest.mark.slow
def test_stimuli_written_by_several_processes_are_those_written_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []
    for cores in (1, 2):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        out = tmp_path / f"{cores}"
        call("make", "stimuli", "--suite", "naming:size_px=128", "--images", 1, "--out", out)
        written.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert written[0] == written[1]
    assert len(written[0]) == 50 + 2


def test_stimuli_are_not_written_among_older_pictures(tmp_path: Path) -> None:
    (tmp_path / "9_dots_0.png").touch()
    command = ["make", "stimuli", "--numbers", "1", "--images", 1, "--categories", "dots", "--out", tmp_path]
    assert_is_friendly(call(*command), f"{tmp_path} holds pictures already, as 9_dots_0.png", "--out")
    assert [path.name for path in tmp_path.iterdir()] == ["9_dots_0.png"]


def test_correlations_of_magnitudes_are_written_beside_the_stimuli(tmp_path: Path) -> None:
    small = ("--suite", "naming:size_px=256")
    call(
        "make",
        "stimuli",
        *small,
        "--control",
        "area",
        "--images",
        4,
        "--numbers",
        "1-4",
        "--categories",
        "dots",
        "--out",
        tmp_path,
    )
    magnitudes = pl.read_csv(tmp_path / "stimuli.csv")
    assert set(magnitudes["control"]) == {"area"}
    assert magnitudes["total_area_px"].max() / magnitudes["total_area_px"].min() < 1.02  # type: ignore[operator]
    found = pl.read_csv(tmp_path / "correlations.csv").filter(pl.col("category") == "all")
    row = found.filter((pl.col("first") == "number") & (pl.col("second") == "convex_hull_px")).row(0, named=True)
    assert row["pearson"] == pytest.approx(magnitudes.select(pl.corr("number", "convex_hull_px")).item())
    assert row["low"] < row["pearson"] < row["high"]
    assert row["n"] == 16


def test_score_as_json_has_the_promised_fields(run: Path) -> None:
    rows = call("score", run, "--json").json()
    promised = {"model", "judge", "suite", "group", "measure", "value", "low", "high", "n"}
    assert all(promised <= row.keys() for row in rows)
    whole = {row["measure"]: row for row in rows if row["group"] == "all"}
    assert (whole["accuracy"]["value"], whole["accuracy"]["n"]) == (pytest.approx(1 / 3), 12)
    assert whole["mae"]["value"] == pytest.approx(1.0)
    assert whole["nae"]["value"] == pytest.approx((2 / 1 + 1 / 2 + 0) / 3)
    groups = {row["group"] for row in rows if row["factor"] == "category"}
    assert groups == {"apples", "dots"}
    assert {row["group"] for row in rows if row["factor"] == "number"} == {"1", "2", "3"}


def test_score_by_a_factor_and_by_an_unknown_one(run: Path) -> None:
    printed = call("score", run, "--by", "number").out
    assert "number=3" in printed
    assert_is_friendly(call("score", run, "--by", "colour"), "no factor named 'colour'", "category, number, wording")


@pytest.mark.slow
def test_an_exclusion_shows_in_every_n_and_can_be_taken_back(run: Path) -> None:
    item = "naming/apples/3/0/category"
    assert call("show", run, "--exclude", item, "--reason", "a smudge").code == 0
    rows = call("score", run, "--json").json()
    assert {row["n"] for row in rows if row["group"] == "all"} == {11}
    assert {row["excluded"] for row in rows if row["group"] == "all"} == {1}
    assert "11 (1 excluded)" in call("score", run).out
    assert "excluded: naming/apples/3/0/category (a smudge)" in call("show", run).out
    assert call("show", run, "--exclude", item, "--undo", "--reason", "it was dust").code == 0
    assert {row["n"] for row in call("score", run, "--json").json() if row["group"] == "all"} == {12}


@pytest.mark.parametrize("format", ["parquet", "csv", "jsonl"])
def test_an_export_has_every_table(run: Path, tmp_path: Path, format: str) -> None:
    finished = call("export", run, "--format", format, "--out", tmp_path / "out")
    readers: dict[str, Callable[[Path], pl.DataFrame]] = {
        "parquet": pl.read_parquet,
        "csv": pl.read_csv,
        "jsonl": pl.read_ndjson,
    }
    files = {Path(line).stem: Path(line) for line in finished.out.split()}
    assert {name: readers[format](file).height for name, file in files.items() if name != "exclusions"} == {
        "items": 12,
        "responses": 12,
        "readings": 12,
        "observations": 12,
    }
    rows = call("score", run, "--json").json()
    (accuracy,) = [row["value"] for row in rows if row["measure"] == "accuracy" and row["group"] == "all"]
    assert readers[format](files["observations"])["is_right"].mean() == pytest.approx(accuracy)


def test_people_can_judge_what_a_folder_holds(tmp_path: Path) -> None:
    images = tmp_path / "images"
    images.mkdir()
    for number in (3, 4):
        (images / f"apples_{number}.png").write_bytes(render(Stimulus("apples", number, 1, 256)).png)
    out = tmp_path / "run"
    call(
        "run",
        "production:categories=apples,numbers=3-4",
        "--model",
        f"folder:{images}",
        *BY_OBSERVER,
        "--repeats",
        1,
        "--out",
        out,
    )
    people = tmp_path / "people.csv"
    people.write_text(
        "annotator,item,question,answer\n"
        "ada,production/apples/3,How many apples are in the image?,three\n"
        "ben,production/apples/3,count:apple,3\n"
        "ada,production/apples/4,,five\n"
    )
    assert_is_friendly(call("import", "readings", people, "--run", out, "--judge", "observer"), "--judge observer")
    assert call("import", "readings", people, "--run", out).out.strip() == "3 readings added"
    assert call("import", "readings", people, "--run", out).out.strip() == "0 readings added, 3 were there already"
    accuracy = {
        row["judge"]: (row["value"], row["n"])
        for row in call("score", out, "--json").json()
        if row["measure"] == "accuracy" and row["group"] == "all"
    }
    assert accuracy == {"observer": (1.0, 2), "human": (0.5, 2)}


def test_an_image_with_nothing_in_it_is_discarded_and_named_as_such_though_a_folder_cannot_be_asked_again(
    tmp_path: Path,
) -> None:
    images = tmp_path / "images"
    images.mkdir()
    (images / "apples_3.png").write_bytes(render(Stimulus("apples", 3, 1, 256)).png)
    Image.new("RGB", (256, 256), "white").save(images / "apples_4.png")
    out = tmp_path / "run"
    suite = "production:categories=apples,numbers=3-4,max_attempts=2"
    assert call("run", suite, "--model", f"folder:{images}", *BY_OBSERVER, "--repeats", 1, "--out", out).code == 0
    whole = {row["measure"]: row for row in call("score", out, "--json").json() if row["group"] == "all"}
    assert (whole["accuracy"]["value"], whole["accuracy"]["n"]) == (0.5, 2)
    assert (whole["accuracy_read"]["value"], whole["accuracy_read"]["n"]) == (1.0, 1)
    assert (whole["discarded"]["value"], whole["discarded"]["n"], whole["refused"]["value"]) == (0.5, 2, 0.0)


def test_a_refusal_in_words_counts_as_wrong_or_is_left_out_and_is_not_asked_again(tmp_path: Path) -> None:
    out = tmp_path / "run"
    call(
        "run",
        "naming:images=1,numbers=3,categories=apples+dots,wordings=category,control_question=false",
        "--model",
        "apologetic",
        "--out",
        out,
    )
    whole = {row["measure"]: row for row in call("score", out, "--json").json() if row["group"] == "all"}
    assert (whole["accuracy"]["value"], whole["accuracy"]["n"]) == (0.5, 2)
    assert (whole["accuracy_answered"]["value"], whole["accuracy_answered"]["n"]) == (1.0, 1)
    assert call("show", out, "--json").json()["models"][0]["outcomes"] == {"said": 2}


def test_list_names_everything_with_its_options() -> None:
    for kind, names in {"suites": {"naming"}, "models": {"random", "folder", "noisy"}, "judges": {"parser"}}.items():
        listed = {row["name"]: row for row in call("list", kind, "--json").json()}
        assert names <= listed.keys()
        assert all(row["summary"] for row in listed.values())
        printed = call("list", kind).out
        assert all(name in printed for name in names)
    assert listed["parser"]["options"] == {"policy": "strict"}


def test_doctor_says_what_is_there_and_how_to_get_the_rest() -> None:
    findings = {row["part"]: row for row in call("list", "parts", "--json").json()}
    assert findings["numpy"]["version"]
    assert all(row["version"] or "pip install" in row["remedy"] for row in findings.values())
    assert "sqlite" in call("list", "parts").out


def test_help_starts_without_anything_heavy() -> None:
    code = (
        "import sys, contextlib, io\n"
        "from subitize.cli import main\n"
        "sys.argv = ['subitize', '--help']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()\n"
        "heavy = 'numpy scipy polars pandas sqlalchemy pydantic openai altair torch ray '\n"
        "heavy += 'importlib.metadata webbrowser'\n"
        "print([name for name in heavy.split() if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_command_that_ends_does_not_look_for_garbage_once_more() -> None:
    code = (
        "import atexit, contextlib, gc, io, sys\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 0))\n"  # what is registered first is called last
        "from subitize.cli import main\n"
        "sys.argv = ['subitize', '--version']\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"


@pytest.mark.slow
def test_neither_a_suite_nor_a_report_begins_with_the_tools_of_pictures() -> None:
    code = (
        "import sys\n"
        "from subitize.registry import make_suite\n"
        "import subitize.report.document\n"
        "make_suite('naming')\n"
        "print([name for name in ('scipy.ndimage', 'scipy.spatial') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_run_needs_neither_tables_nor_scipy_nor_another_database(tmp_path: Path) -> None:
    code = (
        "import sys, contextlib, io\n"
        "from subitize.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()\n"
        "heavy = 'polars scipy sqlalchemy.dialects.postgresql'\n"
        "print([name for name in heavy.split() if name in sys.modules])"
    )
    what = "run production:numbers=1 --limit 1 --repeats 1 --model painter:size_px=128 --judge observer --out run"
    command = [sys.executable, "-c", code, *what.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert (tmp_path / "run" / "run.sqlite").exists()


@pytest.mark.slow
def test_tables_of_a_release_need_neither_a_database_nor_pictures(shared_data: Path) -> None:
    code = (
        "import sys, contextlib, io\n"
        "from subitize.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()\n"
        "print([name for name in ('sqlalchemy', 'PIL') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, "report", "reproduce", "geckonum", str(shared_data / "geckonum")]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.slow
def test_python_dash_m_is_the_same_command() -> None:
    assert subitize("--version").out == call("--version").out


def test_json_of_a_single_observation_is_valid(tmp_path: Path) -> None:
    out = tmp_path / "run"
    call("run", SMALL, "--model", "instant", "--limit", 1, "--out", out)
    text = call("score", out, "--json").out
    rows = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert {row["n"] for row in rows} == {1}


def _photographs(folder: Path) -> Path:
    """Make pictures that are as far from our drawings as photographs are."""
    folder.mkdir()
    random = np.random.default_rng(3)
    for number in (3, 4):
        coarse = Image.fromarray(random.integers(0, 256, (24, 24, 3), dtype=np.uint8))
        coarse.resize((256, 256), Image.Resampling.BICUBIC).save(folder / f"apples_{number}.png")
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_judge_that_cannot_see_is_not_chosen_for_a_real_model(tmp_path: Path) -> None:
    images, out = _photographs(tmp_path / "images"), tmp_path / "run"
    command = ["run", "production:categories=apples,numbers=3-4", "--model", f"folder:{images}", "--out", out]
    refused = call(*command, "--repeats", 1)
    assert_is_friendly(refused, "observer", f"folder:{images}", "--judge vlm:MODEL", "--judge none", "list judges")
    assert_is_friendly(call(*command, "--dry-run"), "--judge vlm:MODEL")
    assert not out.exists()

    assert call(*command, *BY_OBSERVER, "--repeats", 1).code == 0
    rows = call("score", out, "--json").json()
    assert {row["measure"] for row in rows} == {"unknown"}
    assert call(*command, "--repeats", 1).code == 0  # a run that was begun with it goes on
    report = tmp_path / "report.html"
    assert call("report", out, "-o", report).code == 0
    assert "nothing can be said: a stand-in judged the drawings of real models" in report.read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_models_that_a_stand_in_judged_have_no_rank(tmp_path: Path) -> None:
    images, out = tmp_path / "images", tmp_path / "run"
    images.mkdir()
    for number in (3, 4):
        (images / f"apples_{number}.png").write_bytes(render(Stimulus("apples", number, 1, 256)).png)
    suite = "production:categories=apples,numbers=3-4"
    assert call("run", suite, "--model", f"folder:{images}", *BY_OBSERVER, "--repeats", 1, "--out", out).code == 0
    painters = ("--model", "painter:size_px=256", "--model", "painter:size_px=256,weber=3")
    assert call("run", suite, *painters, "--repeats", 1, "--out", out).code == 0
    tables = tmp_path / "tables"
    assert call("report", out, "-o", tmp_path / "report.html", "--tables", tables).code == 0
    header, *rows = csv.reader((tables / "production-leaderboard.csv").read_text().splitlines())
    ranks = {row[0]: row[header.index("Rank")] for row in rows if row[-1].startswith("stand-in")}
    assert list(ranks)[-1] == "images"
    assert not ranks["images"]
    assert all(rank for model, rank in ranks.items() if model.startswith("painter"))
    assert "no rank of images by it counts" in call("compare", out).out


def test_a_run_in_which_nothing_was_answered_ends_with_1_and_says_why(tmp_path: Path) -> None:
    suite = tmp_path / "own.yaml"
    suite.write_text('prompts: "{number} {noun(s)}"\nwords:\n  noun: [zorg]\n  number: 1-3\n')
    ended = call("run", suite, "--model", "painter", "--repeats", 1, "--out", tmp_path / "run")
    assert ended.code == 1
    assert "3 refused, as own.yaml/zorg/1: not understood: no drawing of 'zorg'" in ended.out
    assert "nothing was answered: 3 refused, most as: not understood: no drawing of 'zorg'" in ended.err
    assert call("show", tmp_path / "run", "own.yaml/zorg/1").code == 0


def test_a_slash_behind_the_name_of_a_run_does_not_lead_into_it(run: Path) -> None:
    before = set(run.iterdir())
    for command, made in ((("export",), "run-export"), (("export", "ratings"), "run-ratings.csv")):
        done = call(*command, f"{run}/")
        assert (run.parent / made).exists() or "no answers" in done.err or "people" in done.err, done.err
    assert (run.parent / "run-export" / "items.parquet").exists()
    assert set(run.iterdir()) == before


def test_a_report_that_cannot_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    page = tmp_path / "nowhere" / "report.html"
    done = call("run", SMALL, "--model", "instant", "--out", tmp_path / "run", "--report", page)
    assert_is_friendly(done, f"--report {page}: there is no folder", "mkdir -p")
    assert not (tmp_path / "run").exists()
