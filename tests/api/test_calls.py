"""The package as programs use it: the figures and errors of the commands, and nothing is imported early."""

import asyncio
import linecache
import math
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import subitize
from subitize import api
from subitize.errors import BadValueError, SubitizeError, UnknownNameError
from subitize.interfaces import NoEvents
from subitize.store import Run
from tests.commands import call

ROOT = Path(__file__).parent.parent.parent
SUITE = "naming:images=1,numbers=1-3,categories=apples+dots,wordings=things,size_px=128"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("front") / "run"
    subitize.run(SUITE, ["observer", "random"], folder, repeats=2, seed=3).close()
    return folder


def test_its_run_is_that_of_the_command(run: Path, tmp_path: Path) -> None:
    ran = call("run", SUITE, "--model", "observer", "--model", "random", "--repeats", 2, "--seed", 3, "--out", tmp_path)
    assert ran.code == 0
    assert call("score", tmp_path, "--json").out == call("score", run, "--json").out


def test_its_scores_are_those_of_the_command(run: Path) -> None:
    told = call("score", run, "--by", "number", "--json").json()
    scores = subitize.score(run, by=["number"]).frame
    for name in ("suite", "model", "model_name", "judge", "factor", "group", "measure", "value", "n", "method"):
        assert scores[name].to_list() == [row[name] for row in told]
    for name in ("low", "high"):
        ends = [math.inf if row[name] is None else row[name] for row in told]
        assert scores[name].abs().to_list() == pytest.approx([abs(one) for one in ends])


def test_its_comparison_is_that_of_the_command(run: Path) -> None:
    boards = call("compare", run, "--json").json()["leaderboards"]
    frames = subitize.compare(run).frames
    ranks, differences = frames["models"], frames["pairs"]
    ranked = [(board["measure"], one["model"], one["letters"]) for board in boards for one in board["models"]]
    assert ranks.select("measure", "model", "letters").rows() == ranked
    told = [(board["measure"], one["first"], one["p_holm"]) for board in boards for one in board["pairs"]]
    assert differences.select("measure", "first", "p_holm").rows() == told


def test_a_run_that_is_open_stays_open(run: Path) -> None:
    with subitize.open(run) as opened:
        subitize.judge(opened, "parser:policy=total")
        assert "parser:policy=total" in subitize.score(opened).frame["judge"].to_list()
        assert len(list(opened.responses())) == 36


@pytest.mark.slow
def test_what_cannot_work_is_refused_with_the_remedy(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="observer"):
        subitize.run(SUITE, "observr", tmp_path / "new")
    with pytest.raises(BadValueError, match="sampled"):
        subitize.score(run, prompts="some")
    with pytest.raises(SubitizeError, match="no run"):
        subitize.open(tmp_path / "nowhere")
    with pytest.raises(BadValueError, match="no model given"):
        subitize.run(SUITE, [], tmp_path / "new")
    with pytest.raises(BadValueError, match="no run given"):
        subitize.compare()
    with pytest.raises(BadValueError, match="name of a run's database"):
        subitize.write_report(run, out=run / "run.sqlite")
    assert not (tmp_path / "new").exists()
    with pytest.raises(AttributeError, match="has no attribute 'scores'"):
        subitize.scores  # noqa: B018


def test_one_name_may_be_a_string(run: Path) -> None:
    assert subitize.score(run, by="number").frame.equals(subitize.score(run, by=["number"]).frame)
    assert subitize.compare(run, measures="nae").frame["measure"].unique().to_list() == ["nae"]


@pytest.mark.slow
def test_what_a_comparison_leaves_out_is_noted_and_what_a_suite_says_is_a_warning(run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    assert call("show", copy, "--exclude", "naming/dots/3/0/things", "--reason", "blurred").code == 0
    notes = "\n".join(subitize.compare(copy, measures="accuracy").notes)
    assert re.search("left out: 2 of 12 answers about (observer|random)", notes)
    assert (
        call("make", "stimuli", "--images", 1, "--numbers", 1, "--categories", "dots", "--out", tmp_path / "drawn").code
        == 0
    )
    table = tmp_path / "questions.csv"
    (picture,) = (tmp_path / "drawn").glob("*.png")
    table.write_text(f"image,question,count\n{picture},How many dots?,1\nb.png,How many dots?,2\n", "utf-8")
    with pytest.warns(UserWarning, match="b.png"):
        subitize.run(f"questions:{table}", "random", tmp_path / "asked").close()


def test_what_a_command_warns_of_is_a_warning(tmp_path: Path) -> None:
    drawn = "production:numbers=1,categories=dots"
    assert call("run", drawn, "--model", "painter", "--repeats", 1, "--trained-with", "observer", "--out", tmp_path)
    with pytest.warns(UserWarning, match="was trained with observer"):
        subitize.score(tmp_path)


def test_every_warning_is_shown_at_the_line_of_the_program_that_called_us(tmp_path: Path) -> None:
    drawn = "production:numbers=1,categories=dots"
    assert call("run", drawn, "--model", "painter", "--repeats", 1, "--trained-with", "observer", "--out", tmp_path)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("default")
        for _ in range(2):
            subitize.judge(tmp_path, "observer")
            subitize.score(tmp_path)
    assert all("was trained with observer" in str(one.message) for one in shown)
    lines = [linecache.getline(one.filename, one.lineno).strip() for one in shown]
    assert lines == ['subitize.judge(tmp_path, "observer")', "subitize.score(tmp_path)"] * 2


def test_importing_it_imports_nothing_that_takes_long() -> None:
    heavy = "{'polars', 'numpy', 'sqlalchemy', 'pydantic'} & set(__import__('sys').modules)"
    told = subprocess.run([sys.executable, "-c", f"import subitize; print({heavy})"], capture_output=True, text=True)
    assert told.stdout == "set()\n"


@pytest.mark.slow
def test_a_worker_process_that_imports_the_program_does_not_begin_again(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    at_once = "from subitize.evaluate import engines\nengines.IN_PROCESS_SECONDS = 0\n"  # as for a run that takes long
    program.write_text(f"{at_once}import subitize\nsubitize.run('naming:images=1,size_px=128', 'observer', 'run')\n")
    ended = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 1
    assert 'put its calls under if __name__ == "__main__":' in ended.stderr


def program_of_page(name: str) -> str:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    (source,) = re.findall(rf"^```python {name}\n(.*?)^```", page, re.M | re.S)
    return str(source)


@pytest.mark.slow
@pytest.mark.parametrize(("program", "written"), [("first_look.py", "python.html"), ("own_model.py", "five.html")])
def test_the_programs_of_the_page_run(tmp_path: Path, program: str, written: str) -> None:
    (tmp_path / program).write_text(program_of_page(program), "utf-8")
    ended = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith(f"{written}\n")


@pytest.mark.slow
@pytest.mark.notebook
def test_the_notebook_runs_in_jupyter_and_shows_tables(tmp_path: Path) -> None:
    """A kernel has an event loop running, which a test has not."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "examples" / "first_look.ipynb", as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    _, *cells = program_of_page("own_model.py").split("\n\n\n")
    make_cell = nbformat.v4.new_code_cell
    notebook.cells += [make_cell(source) for source in (*cells, "run.score()")]  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not any(output.output_type == "error" for output in shown)
    assert "<table" in shown[-1].data["text/html"]
    assert {page.name for page in tmp_path.glob("*.html")} == {"notebook.html", "five.html"}


def test_a_verb_works_where_an_event_loop_is_running(tmp_path: Path) -> None:
    async def notebook() -> Run:
        made: Run = subitize.run(SUITE, "observer", tmp_path / "run", repeats=1)
        subitize.judge(made, "parser:policy=total")
        return made

    with asyncio.run(notebook()) as made:
        assert set(subitize.score(made).frame["judge"]) == {"parser", "parser:policy=total"}


@pytest.mark.usefixtures("odd_models")
def test_the_stop_button_of_a_notebook_ends_a_run_and_what_was_answered_is_stored(tmp_path: Path) -> None:
    main = threading.main_thread().ident
    images = tmp_path / "run" / "images"

    def press() -> None:
        while len(list(images.glob("??/*"))) < 5:
            time.sleep(0.02)
        signal.pthread_kill(main or 0, signal.SIGINT)

    async def notebook() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # as a kernel has it
        with ThreadPoolExecutor(1) as presser:
            pressed = presser.submit(press)
            with pytest.raises(KeyboardInterrupt):
                subitize.run("production", "noisy:longest_ms=200", tmp_path / "run", judge="none")
            pressed.result()

    asyncio.run(notebook())
    with subitize.open(tmp_path / "run") as run:
        assert 0 < len(list(run.responses())) < 40


def test_a_verb_that_hears_events_gives_no_python_warning(tmp_path: Path) -> None:
    heard: list[str] = []

    class Listener(NoEvents):
        def warn(self, *lines: str) -> None:
            heard.extend(lines)

    drawn = "production:numbers=1,categories=dots"
    subitize.run(drawn, "painter:size_px=128", tmp_path, repeats=1, trained_with="observer", events=Listener()).close()
    assert [one for one in heard if "was trained with observer" in one]


def test_options_of_a_study_are_those_of_its_kind() -> None:
    found = subitize.plan_study("accuracy", rate=0.3, prompts=20, simulations=200).records
    assert (
        found == call("make", "plan", "accuracy", "--rate", 0.3, "--prompts", 20, "--simulations", 200, "--json").json()
    )
    with pytest.raises(UnknownNameError, match="no option of accuracy named 'raters'"):
        subitize.plan_study("accuracy", raters=3)
    with pytest.raises(UnknownNameError, match="no kind of study named 'speed'"):
        subitize.plan_study("speed")


def test_parameters_are_named_for_programs_and_options_for_people(run: Path) -> None:
    with pytest.raises(BadValueError, match="`by` number: leave it out with `refined`"):
        subitize.compare(run, refined=True, by="number")
    assert "--by number: leave it out with --refined" in call("compare", run, "--refined", "--by", "number").err


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        (("score", "--scorer", "all", "--by", "number"), "--by number: leave it out with --scorer"),
        (("score", "--alignment", "--scorer", "all"), "--scorer all: leave it out with --alignment"),
        (("score", "--alignment", "--agreement", "median"), "--agreement median: leave it out with --alignment"),
        (
            ("export", "ratings", "--paper", "gimbrr", "--format", "potato"),
            "--format potato: leave it out with --paper",
        ),
        (("show", "naming/dots/1", "--exclude", "naming/dots/2"), "show it or leave it out, not both at once"),
    ],
)
def test_an_option_without_effect_is_refused(run: Path, command: tuple[str, ...], fault: str) -> None:
    words = 2 if command[0] == "export" else 1
    failed = call(*command[:words], run, *command[words:])
    assert (failed.code, failed.out) == (2, "")
    assert fault in failed.err


def test_an_import_is_found_by_its_kind(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no import named 'pictures'; known: attachments, images"):
        subitize.import_("pictures", tmp_path, out=tmp_path / "run")


def test_every_verb_is_on_the_page_on_programs() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    assert [name for name in api.__all__ if f"`{name}" not in page] == []
    assert [name for name in api.__all__ if not getattr(subitize, name).__doc__] == []
