"""Two commits are compared claim by claim: ratios, a repetition, an exit code, errors, and nothing left behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import against
from benchmarks.against import Claim, NotComparableError, Task, compare
from benchmarks.processes import ROOT

GIT = (
    "git",
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@t",
    "-c",
    "commit.gpgsign=false",
    "-c",
    "init.defaultBranch=main",
)
# What it takes is a figure in src, so that the clock does not matter.
BENCHMARK = """
from benchmarks.comparing import Figure, Unmeasured, compare_times
import subitize

def measure(*, is_tiny):
    assert is_tiny
    print("what a benchmark prints is no claim")
    clock = iter([0, subitize.SECONDS]).__next__
    yield compare_times("made", lambda: None, lambda: 1 / 0, aim="<= 2", pairs=1, clock=clock)
    yield Figure("memory", subitize.MEGABYTES, "MB", "<= 10")
    yield Figure("rate", 1 / subitize.SECONDS, "per second", ">= 1")
    yield Unmeasured("a part", "a part that is absent")
    if subitize.SECONDS > 1:
        yield Figure("of one tree", 1)
"""


def run_git(folder: Path, *arguments: str) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True)


def write(folder: Path, seconds: float, megabytes: float) -> None:
    source = folder / "src" / "subitize"
    source.mkdir(parents=True, exist_ok=True)
    (source / "__init__.py").write_text(f"SECONDS, MEGABYTES = {seconds}, {megabytes}\n")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One commit, with a benchmark whose figures are those of its source."""
    folder = tmp_path_factory.mktemp("repository")
    (folder / "benchmarks").mkdir()
    for name in ("__init__.py", "comparing.py"):
        shutil.copy(ROOT / "benchmarks" / name, folder / "benchmarks")
    (folder / "benchmarks" / "made.py").write_text(BENCHMARK)
    (folder / ".gitignore").write_text("__pycache__\n")
    write(folder, 1, 4)
    for arguments in (("init",), ("add", "."), ("commit", "-m", "One")):
        run_git(folder, *arguments)
    return folder


def task(*names: str, revision: str = "HEAD", rounds: int = 1) -> Task:
    return Task(names, revision, rounds, 1.1, is_tiny=True)


def list_worktrees(folder: Path) -> list[str]:
    return os.listdir(folder / ".git" / "worktrees") if (folder / ".git" / "worktrees").exists() else []


def test_a_tree_that_takes_no_more_is_kept(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(repository, 1, 2)  # not committed
    assert compare(repository, task("made", "new"))
    assert capsys.readouterr().out.splitlines() == [
        "made: 1.00 times that of HEAD (range 1.00 to 1.00, 1 round; at most 1.1); here 1.000 s, there 1.000 s",
        "memory: 0.50 times that of HEAD (range 0.50 to 0.50, 1 round; at most 1.1); here 2.000 MB, there 4.000 MB",
        "rate: 1.00 times that of HEAD (its rate in times of ours) (range 1.00 to 1.00, 1 round; at most 1.1); "
        "here 1.000 per second, there 1.000 per second",
        "a part, which needs a part that is absent: not compared, measured in neither",
        "new: not compared, HEAD does not have it",
    ]
    assert list_worktrees(repository) == []


def test_what_takes_more_is_measured_again_and_then_told(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(repository, 1.5, 4)
    assert not compare(repository, task("made"))
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" times")[0] for line in lines] == [
        "made: 1.50",
        "memory: 1.00",
        "rate: 1.50",
        "a part, which needs a part that is absent: not compared, measured in neither",
        "of one tree: not compared, measured in the working tree",
        "made: measured again, as 2 of 3 took more than 1.1",
        "again: made: 1.50",
        "again: rate: 1.50",
    ]
    assert "1 round; at most 1.1, EXCEEDED" in lines[0]


def test_a_benchmark_that_fails_is_an_error_with_its_reason(repository: Path) -> None:
    (repository / "src" / "subitize" / "__init__.py").write_text("SECONDS = 1\n")
    with pytest.raises(NotComparableError, match=r"made in the working tree ended with 1:\n(.*\n)*.*'MEGABYTES'"):
        compare(repository, task("made"))
    assert list_worktrees(repository) == []


def test_what_is_no_commit_is_an_error(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for revision in ("nope", "--all", "HEAD:src"):
        with pytest.raises(NotComparableError, match=f"^no commit '{revision}'$"):
            compare(repository, task("made", revision=revision))
    for folder in (repository / "src", tmp_path):
        with pytest.raises(NotComparableError, match=r"^--against needs a git repository: "):
            compare(folder, task("made"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotComparableError, match=r"^--against needs git$"):
        compare(repository, task("made"))


def test_ratios_compare_what_is_taken() -> None:
    pairs = [(3.0, 2.0), (1.0, 2.0), (0.0, 0.0), (1.0, 0.0)]
    assert Claim("", "s", False, pairs).ratios == [1.5, 0.5, 1.0, float("inf")]
    assert Claim("", "per second", True, pairs).ratios == [pytest.approx(2 / 3), 2.0, 1.0, 0.0]
    assert Claim("", "s", False, pairs).ratio == 1.25


def test_options_without_a_revision_are_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from benchmarks.__main__ import main

    for options, told in (
        (["--rounds", "3"], "go with --against REV"),
        (["--against", "x", "--rounds", "0"], "1 or more"),
    ):
        monkeypatch.setattr(sys, "argv", ["benchmarks", *options])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 2
        assert told in capsys.readouterr().err


@pytest.mark.slow
def test_the_working_tree_is_compared_with_its_commit() -> None:
    try:
        against._find_commit(ROOT, "HEAD")
    except NotComparableError as error:
        pytest.skip(str(error))
    options = "startup small_run --tiny --against HEAD --rounds 2 --most 99"
    command = [sys.executable, "-m", "benchmarks", *options.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "subitize --help, in starts of python -c pass: " in done.stdout
    assert done.stdout.count("times that of HEAD (range") == 2
