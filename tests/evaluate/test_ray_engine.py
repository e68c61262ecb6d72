"""On a real Ray cluster of two nodes a run, a judge and a corpus give what they give here, though nodes are killed."""

import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from subitize import __version__
from subitize.corpus import counting
from subitize.corpus.counting import count_corpus, count_part, to_plain
from subitize.errors import BadValueError, RunError, SubitizeError
from subitize.evaluate.engines import Engine, LocalEngine, make_engine
from subitize.interfaces import NoEvents
from subitize.registry import make_judge, make_model, make_suite
from subitize.store import Folder, Run
from tests.commands import Finished, start, subitize
from tests.corpus.test_counting import open_corpus, write_corpus
from tests.evaluate.ray_nodes import TwoNodes, two_nodes
from tests.runs import judge_run, run_suite

pytestmark = [pytest.mark.ray, pytest.mark.xdist_group("ray")]
pytestmark.append(pytest.mark.slow)  # by itself: where Ray is absent, quick runs show the file as skipped
SUITE = "production:numbers=1-10,categories=apples"
MODEL = "painter:size_px=128,weber=0.2"
REPEATS = 200
NAMING = "naming:images=2,size_px=128,numbers=1-3,categories=apples"
STUB = 'raise ModuleNotFoundError("No module named \'subitize\'", name="subitize")\n'


@pytest.fixture(scope="module")
def cluster() -> Iterator[TwoNodes]:
    with two_nodes() as nodes:
        yield nodes


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], list[Any]]:
    """What the local engine stores."""
    folder = tmp_path_factory.mktemp("local")
    with LocalEngine() as engine:
        return make_rows(folder, engine), judge_rows(folder, engine)


def run_command(cluster: TwoNodes, folder: Path) -> list[object]:
    """The run that is made everywhere, as a command."""
    where = ["--out", folder, "--judge", "none", "--engine", "ray", "--ray-address", cluster.address]
    return ["run", SUITE, "--model", MODEL, "--repeats", REPEATS, *where]


def make_rows(folder: Path, engine: Engine) -> list[Any]:
    with Run(Folder(folder), create=True) as run:
        run_suite(run, make_suite(SUITE), make_model(MODEL), engine=engine, repeats=REPEATS)
    return rows_of(folder)


def rows_of(folder: Path) -> list[Any]:
    """All that is stored of responses, but for times."""
    with Run(Folder(folder)) as run:
        rows = [(one.trial_id, one.response.outcome, one.response.provenance) for one in run.responses()]
    return sorted(rows, key=lambda row: row[0])


def judge_rows(folder: Path, engine: Engine) -> list[Any]:
    with Run(Folder(folder)) as run:
        tally = judge_run(run, make_judge("observer"), engine=engine)
        readings = [one.reading for one in run.readings()]
    assert (tally.readings, tally.failed) == (10 * REPEATS, 0)
    return sorted(readings, key=lambda one: (one.subject.id, one.question.id))


def test_two_thousand_trials_and_their_readings_equal_those_made_here(
    cluster: TwoNodes, expected: tuple[list[Any], list[Any]], tmp_path: Path
) -> None:
    with cluster.engine() as engine:
        rows = make_rows(tmp_path, engine)
        assert len(rows) == 2_000
        assert (rows, judge_rows(tmp_path, engine)) == expected


def test_a_node_that_is_killed_loses_and_doubles_nothing(
    cluster: TwoNodes, expected: tuple[list[Any], list[Any]], tmp_path: Path
) -> None:
    process = start(*run_command(cluster, tmp_path))
    wait_for_more(tmp_path, process)
    cluster.kill(cluster.second)
    stored = count_rows(tmp_path)
    out, err = process.communicate(timeout=100)
    cluster.second = cluster.add(3)
    assert stored < 2_000, "the kill must hit it at work"
    assert process.returncode == 0, err
    assert "painter" in out
    assert count_rows(tmp_path) == 2_000
    assert rows_of(tmp_path) == expected[0]


def test_a_command_that_is_stopped_and_then_killed_goes_on(
    cluster: TwoNodes, expected: tuple[list[Any], list[Any]], tmp_path: Path
) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        process = start(*run_command(cluster, tmp_path))
        wait_for_more(tmp_path, process)
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
        if number == signal.SIGINT:
            assert (process.returncode, "stopped; what was answered is stored" in err) == (130, True), err
            assert "Traceback" not in err
        assert count_rows(tmp_path) < 2_000, "it must be hit at work"
    assert_ends_well(subitize(*run_command(cluster, tmp_path)))
    assert count_rows(tmp_path) == 2_000
    assert rows_of(tmp_path) == expected[0]


@pytest.mark.spacy
def test_a_corpus_is_counted_over_two_nodes_as_by_one_process(
    cluster: TwoNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_corpus(tmp_path, shards=3, rows=400)
    (tmp_path / "2.parquet").rename(tmp_path / "2-damaged.parquet")
    alone = count_corpus(open_corpus(tmp_path), NoEvents(), 1)
    monkeypatch.setattr(counting, "_ROWS_AT_ONCE", 150)
    out = tmp_path / "out"
    with cluster.engine() as engine:
        spread = count_corpus(open_corpus(tmp_path, out), NoEvents(), spread=engine.spread)
        again = count_corpus(open_corpus(tmp_path, out), NoEvents(), spread=lambda *_: iter(()))
    assert to_plain(spread) == to_plain(again) == to_plain(alone)
    assert len(list((out / "shards").glob("*.json"))) == 3


def test_batches_and_the_judge_of_a_run_give_what_they_give_here(cluster: TwoNodes, tmp_path: Path) -> None:
    script = tmp_path / "count.py"
    script.write_text("import sys\nfor line in sys.stdin:\n    print(len(line) % 9, flush=True)\n")
    counter = f"counter:{sys.executable} {script},batch_size=5"
    command = ["run", NAMING, "--model", counter, "--model", "random", "--no-sight-check", "--out"]
    there = ["--engine", "ray", "--ray-address", cluster.address]
    stored = []
    for name, engine in (("there", there), ("here", [])):
        done = subitize(*command, tmp_path / name, *engine)
        assert_ends_well(done)
        with Run(Folder(tmp_path / name)) as run:
            readings = sorted((one.reading.subject.id, str(one.reading.value)) for one in run.readings())
        stored.append((rows_of(tmp_path / name), readings, done.out.replace(name, "")))
    assert stored[0] == stored[1]
    assert all(stored[0])


@pytest.mark.usefixtures("odd_models")
def test_what_a_model_does_wrong_is_stored_as_here(cluster: TwoNodes, tmp_path: Path) -> None:
    reasons = {}
    with cluster.engine("ray:workers=2") as engine, LocalEngine() as local:
        for name, own in (("ray", engine), ("local", local)):
            with Run(Folder(tmp_path / name), create=True) as run:
                reasons[name] = run_suite(run, make_suite(NAMING), make_model("broken"), engine=own).reasons
    assert reasons["ray"] == reasons["local"] == ["RuntimeError: a bug in the plug-in"]


@pytest.mark.usefixtures("odd_models")
def test_a_model_that_takes_workers_down_ends_the_run(
    cluster: TwoNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from subitize.evaluate import ray_engine

    monkeypatch.setattr(ray_engine, "_MOST_LOSSES", 2)
    with (
        cluster.engine("ray:workers=1") as engine,
        Run(Folder(tmp_path / "run"), create=True) as run,
        pytest.raises(RunError, match="2 workers died at one call, perhaps for want of memory"),
    ):
        run_suite(run, make_suite(NAMING), make_model("crashing"), engine=engine)


def test_files_are_found_from_the_folder_of_the_command(cluster: TwoNodes, tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("")
    command = ["run", NAMING, "--limit", 2, "--model", "weighty:weights", "--judge", "none", "--out", "run"]
    assert_ends_well(subitize(*command, "--engine", "ray", "--ray-address", cluster.address, cwd=tmp_path))
    with Run(Folder(tmp_path / "run")) as run:
        assert {str(one.response.outcome.text) for one in run.responses()} == {str(tmp_path / "weights")}  # type: ignore[union-attr]


def test_what_waits_for_a_server_needs_no_worker(cluster: TwoNodes, tmp_path: Path) -> None:
    where = ["--out", tmp_path, "--judge", "none", "--engine", "ray:gpus=7", "--ray-address", cluster.address]
    assert_ends_well(subitize("run", NAMING, "--model", "instant", *where))


def assert_ends_well(done: Finished) -> None:
    assert done.code == 0, done.err


def run_where(cluster: TwoNodes, folder: Path, model: str, engine: str) -> str:
    """Return the one line with which a run is refused, before there is one."""
    where = ["--judge", "none", "--engine", engine, "--ray-address", cluster.address, "--out", folder / "run"]
    done = subitize("run", NAMING, "--model", model, *where)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done.err
    assert not (folder / "run").exists()
    return done.err


def test_a_worker_without_the_weights_is_named(cluster: TwoNodes, tmp_path: Path) -> None:
    assert run_where(cluster, tmp_path, "weighty:/nowhere/weights", "ray:workers=1").startswith(
        "subitize: node 127.0.0."
    )


def test_a_gpu_that_no_node_has_is_named(cluster: TwoNodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from subitize.evaluate import ray_cluster

    assert (
        "a worker takes 1 CPU and 0.5 GPU, and no node of the Ray cluster has more than 1 CPU and 0 GPU; add a larger "
        "node, or take less, as in --engine ray:cpus=1,gpus=0.5"
    ) in run_where(cluster, tmp_path, "observer", "ray:gpus=0.5")
    monkeypatch.setattr(ray_cluster, "_PLACEMENT_SECONDS", 1.0)
    with (
        cluster.engine("ray:workers=2,gpus=1") as engine,
        pytest.raises(RunError, match=r"no node .* had room for a worker of 1 CPU and 1 GPU within 1 s"),
    ):
        engine.invoke("model", make_model("observer"), "check")


@pytest.mark.usefixtures("odd_models")
def test_two_workers_share_a_gpu(cluster: TwoNodes) -> None:
    node = cluster.add(5, num_cpus=4, num_gpus=1)
    with (
        cluster.engine("ray:gpus=0.5") as engine,
        engine.start("judge", make_judge("observer")) as caller,
        engine.start("judge", make_judge("nosy")) as waiting,
    ):
        assert (caller.concurrency, caller.is_waiting) == (4, False)
        assert (waiting.concurrency, waiting.is_waiting) == (4, True)
        assert engine.invoke("judge", make_judge("observer"), "self_test").is_passed
    cluster.kill(node)


def test_a_node_without_the_package_is_named(cluster: TwoNodes, tmp_path: Path) -> None:
    (tmp_path / "stub").mkdir()
    (tmp_path / "stub" / "subitize.py").write_text(STUB)
    node = cluster.add(4, num_cpus=3, env_vars={"PYTHONPATH": str(tmp_path / "stub")})
    message = run_where(cluster, tmp_path, "observer", "ray:cpus=3")
    with cluster.engine("ray:cpus=3") as engine, pytest.raises(RunError, match="cannot start: ModuleNotFoundError"):
        list(engine.spread(count_part, [()]))
    cluster.kill(node)
    assert "the worker on 127.0.0.4 cannot start: ModuleNotFoundError: No module named 'subitize'; install" in message


def test_another_version_on_a_node_is_named(cluster: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    from subitize.evaluate import ray_cluster, ray_engine

    with cluster.engine() as engine:
        for module in (ray_cluster, ray_engine):
            monkeypatch.setattr(module, "__version__", "99.0")
        told = rf"node 127.0.0.\d has subitize {__version__}, and the command runs with 99.0; .* subitize==99.0"
        with pytest.raises(RunError, match=told):
            engine.invoke("model", make_model("observer"), "check")
        with pytest.raises(RunError, match=told):
            list(engine.spread(len, [([],)]))


def test_another_version_of_ray_is_named(cluster: TwoNodes, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    monkeypatch.setattr(ray, "__version__", "2.1.0")
    with pytest.raises(RunError, match=r"cannot join .* 2\.1\.0.*same versions of Ray and Python"), cluster.engine():
        pass


def test_an_object_store_that_is_full_is_named(cluster: TwoNodes) -> None:
    with cluster.engine() as engine, pytest.raises(RunError, match="the object store of a Ray node is full"):
        list(engine.spread(bytes, [(150_000_000,)]))


@pytest.mark.parametrize(("is_silent", "why"), [(False, "Connection refused"), (True, "timed out")])
def test_an_address_without_a_cluster_is_named(tmp_path: Path, is_silent: bool, why: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        if is_silent:
            taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        where = ["--out", tmp_path, "--engine", "ray", "--ray-address", address]
        done = subitize("run", NAMING, "--model", "observer", *where)
    assert done.code == 2
    assert done.err.startswith(f"subitize: there is no Ray cluster at --ray-address {address} (")
    assert why in done.err
    assert done.err.count("\n") == 1


def test_a_machine_without_a_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from ray._private import services

    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr(services, "get_ray_address_from_environment", lambda *_: None)
    monkeypatch.setattr(services, "find_gcs_addresses", set)
    with pytest.raises(RunError, match=r"^this machine belongs to no Ray cluster: start one, ray start --head,"):
        make_engine("ray").__enter__()


@pytest.mark.parametrize("address", ["ray://head:10001", "head", "head:port", "head:70000", ":6379"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(BadValueError, match="should be HOST:PORT"), make_engine("ray", address):
        pass


def wait_for_more(folder: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until a command has stored more."""
    deadline, before = time.monotonic() + 60, count_rows(folder)
    while count_rows(folder) < before + 100:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "the run does not get on"
        time.sleep(0.01)


def count_rows(folder: Path) -> int:
    file = f"file:{folder / 'run.sqlite'}?mode=rw"
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(file, uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM responses").fetchone()[0])
    return 0  # the tables are not made yet


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        ("ray:gpu=1", "no option of `engine` ray named 'gpu'; known: cpus, gpus, workers"),
        ("ray:workers=0", "`engine` ray: workers=0: should be at least 1"),
        ("ray:cpus=0", "`engine` ray: cpus=0: should be at least 0.01"),
        ("ray:gpus=1.5", "`engine` ray: gpus=1.5: above 1 it should be a whole number"),
        ("ray:workers=many", "`engine` ray: workers"),
    ],
)
def test_a_size_of_workers_that_is_none_is_refused(engine: str, reason: str) -> None:
    with pytest.raises(SubitizeError, match=f"^{reason}"):
        make_engine(engine)
