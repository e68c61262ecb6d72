"""A command of the user's counts: what it is given, what it may write, and what is said when it does not work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from subitize.errors import BadValueError
from subitize.networks.command import Counter
from subitize.records import Stimulus
from subitize.stimuli.recipes import render
from tests.commands import call, environment

# Counts by classical vision, as any script of a user's might; the noun comes as its argument.
COUNTS = """
import sys
from pathlib import Path
from subitize.stimuli.observing import look_at
for line in sys.stdin:
    path = line.rstrip("\\n")
    seen = [box for box in look_at(Path(path).read_bytes()) if box.label == sys.argv[1]]
    print(len(seen))
"""
PICTURES = [render(Stimulus("apples", number, 1, 256)).png for number in (3, 1, 2)]


def script(folder: Path, text: str, options: str = "-IS") -> str:
    """Write a command; without packages Python starts in a third of the time."""
    path = folder / "count it.py"
    path.write_text(text)
    return f"{sys.executable} {options} '{path}' {{noun}}"


# What a file weighs tells pictures apart without looking at them.
WEIGHS = """
import os, sys
for line in sys.stdin:
    path = line.rstrip("\\n")
    print(WRITTEN)
"""


@pytest.mark.parametrize(
    "written",
    ["os.stat(path).st_size", "path, os.stat(path).st_size, sep=','", "path, os.stat(path).st_size, sep='\\t'"],
)
def test_numbers_come_back_in_the_order_of_the_pictures(tmp_path: Path, written: str) -> None:
    command = script(tmp_path, WEIGHS.replace("WRITTEN", written))
    assert Counter(command).count(PICTURES, "apple") == [str(len(data)) for data in PICTURES]


def test_lines_with_paths_may_come_in_any_order(tmp_path: Path) -> None:
    text = "import sys\nfor place, line in reversed(list(enumerate(sys.stdin))): print(line.strip(), place, sep=',')"
    assert Counter(script(tmp_path, text)).count(PICTURES, "apple") == ["0", "1", "2"]


def test_a_noun_is_one_word_of_the_command_and_nothing_of_it_is_executed(tmp_path: Path) -> None:
    command = script(tmp_path, "import sys\nfor _ in sys.stdin: print(len(sys.argv))")
    assert Counter(command).count(PICTURES[:1], "a; touch x $(id) `id`") == ["2"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('three')", "wrote 'three'; should be a number"),
        ("print(1)", "wrote 1 numbers for 3 pictures"),
        ("print('a,1'); print('b,1'); print('c,1')", "wrote no number for 000000.png"),
        ("raise SystemExit('no GPU')", "ended with code 1: no GPU"),
    ],
)
def test_what_is_no_answer_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Counter(script(tmp_path, text)).count(PICTURES, "apple")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_command_that_never_stops_writing_is_stopped(tmp_path: Path, stream: str) -> None:
    text = f"import sys\nwhile True: sys.{stream}.write('1\\n' * 100_000)"
    with pytest.raises(ValueError, match="was stopped: it wrote more than 10,000,000 bytes"):
        Counter(script(tmp_path, text)).count(PICTURES, "apple")


def test_a_command_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match=r"took more than 0.2 s a picture"):
        Counter(script(tmp_path, "import time; time.sleep(60)"), timeout_seconds=0.2).count(PICTURES[:1], "apple")


@pytest.mark.parametrize("command", ["no-such-command", "'", " "])
def test_what_is_no_command_is_refused_before_anything_is_run(command: str) -> None:
    with pytest.raises(BadValueError, match="counter: "):
        Counter(command)


@pytest.mark.slow
def test_a_command_names_numbers_as_a_model_and_judges_drawings(tmp_path: Path) -> None:
    command = script(tmp_path, COUNTS, options="")
    naming = "naming:images=1,numbers=1-3,categories=apples,size_px=256,wordings=category,control_question=false"
    named = call("run", naming, "--model", f"counter:{command}", "--out", tmp_path / "naming")
    assert named.code == 0, named.err
    scores = call("score", tmp_path / "naming", "--json").json()
    assert next(row["value"] for row in scores if row["measure"] == "accuracy") == 1.0
    drawn = call(
        "run", "production:numbers=1-3,categories=apples", "--model", "painter:size_px=256", "--repeats", "2",
        "--judge", f"counter:{command}", "--out", tmp_path / "drawn",
    )  # fmt: skip
    assert drawn.code == 0, drawn.err
    assert f"self-test of counter:{command}: cannot be tested" in drawn.err
    assert "6 new readings" in drawn.out


@pytest.mark.slow
def test_a_command_that_hangs_is_waited_for_once_and_not_for_every_half_of_a_batch(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    command = script(tmp_path, f"import time; open({str(tries)!r}, 'a').write('x'); time.sleep(60)")
    naming = "naming:images=1,numbers=1-3,categories=apples,size_px=128,wordings=category,control_question=false"
    model = f"counter:{command},timeout_seconds=0.1"
    done = call("run", naming, "--model", model, "--tries", "1", "--out", tmp_path / "naming")
    assert "took more than 0.1 s a picture" in done.err
    assert tries.read_text() == "x"


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_ctrl_c_stops_the_command_and_nothing_is_begun_again(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    command = script(tmp_path, f"import time; open({str(tries)!r}, 'a').write('x'); time.sleep(60)")
    naming = "naming:images=1,numbers=1-8,categories=apples,size_px=128,wordings=category,control_question=false"
    process = subprocess.Popen(
        [sys.executable, "-m", "subitize", "run", naming, "--model", f"counter:{command}", "--out", tmp_path / "run"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not tries.exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip() == "subitize: stopped; what was answered is stored, and the same command goes on"
    assert tries.read_text() == "x"


def test_a_batch_of_less_than_one_is_refused() -> None:
    with pytest.raises(BadValueError, match="batch_size=0: should be at least 1"):
        Counter("cat", batch_size=0)


@pytest.mark.slow
def test_a_broken_command_leaves_failures_that_say_why(tmp_path: Path) -> None:
    naming = "naming:images=1,numbers=1-3,categories=apples,size_px=256,wordings=category,control_question=false"
    command = script(tmp_path, "raise SystemExit('no GPU')")
    done = call("run", naming, "--model", f"counter:{command}", "--out", tmp_path / "naming")
    assert done.code != 0
    assert "no GPU" in done.err
    missing = call("run", naming, "--model", "counter:no-such-command", "--out", tmp_path / "other")
    assert (missing.code, "no command 'no-such-command'" in missing.err) == (2, True)
    assert not (tmp_path / "other").exists()
