"""Every command in the documentation runs as it stands, in the order it stands."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

from subitize.cli import app
from subitize.records import Stimulus
from subitize.report.terminal import measure
from subitize.stimuli.recipes import render
from tests.commands import WIDE, Finished, call, serving
from tests.docs.pages import PAGES, ROOT, commands, files, find_samples, is_shown, prepared, print_samples, run_commands

QUICK = [
    *("api-models", "architecture", "costs", "diffusers", "inspect", "local-models", "matching", "walkthrough"),
]
MARKS = dict.fromkeys(QUICK, ()) | {
    "annotating": pytest.mark.web,
    "corpus": pytest.mark.spacy,
    "hf-inference": pytest.mark.hub,
}
MARKED = {page: pytest.param(page, marks=MARKS.get(page.stem, pytest.mark.slow), id=page.name) for page in PAGES}
WITH_SAMPLES = [one for page, one in MARKED.items() if find_samples(page.read_text(encoding="utf-8"))]
READ_ONLY = {
    *("compare", "costs", "list", "measure", "score", "show"),
    *("make plan", "report reproduce", "report tables"),
}
# They change a run, or quote long replies.
NOT_READ_ONLY = {"--exclude", "--scorer"}
# They print what is not for people: CSV, or a prompt as it would be sent.
FOR_PROGRAMS = {"make prompts", "make rewrites"}


def find_wide_lines(told: str, columns: int) -> list[str]:
    """Find lines wider than the terminal; a path, or a command to be copied, is never broken."""
    wide = (line.strip() for line in told.splitlines() if measure(line) > columns)
    return [line for line in wide if " " in line and not line.startswith("subitize ")]


def find_cut_figures(told: str, whole: str) -> list[str]:
    """Find numbers that are not those of the same output in full width, and intervals that are gone."""
    numbers, intervals = re.compile(r"\d(?:[\d.,]*\d)?"), re.compile(r"\[[−\d., ∞-]+\]")
    cut = re.findall(r"\S*(?:\d…|…\d)\S*", told)
    return [
        *cut,
        *sorted({*numbers.findall(told)} - {*numbers.findall(whole)}),
        *sorted({*intervals.findall(whole)} ^ {*intervals.findall(told)}),
    ]


@pytest.mark.parametrize("page", MARKED.values())
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    with prepared(text, tmp_path):
        for ran in run_commands(text, columns=80):
            if ran.finished is not None:
                check_output(ran.command, ran.arguments, ran.finished)


def check_output(command: str, arguments: list[str], finished: Finished) -> None:
    """Check that a command ended well, and that what it printed for people fits any terminal."""
    assert finished.code == 0, f"{command}: {finished.err}"
    assert finished.out, command
    names = {arguments[0], " ".join(arguments[:2])}
    if "--json" in arguments or names & FOR_PROGRAMS:
        return
    assert find_wide_lines(finished.out, 80) == [], command
    is_read_only = names & READ_ONLY or (arguments[0] == "agree" and "calibrate" not in arguments)
    if is_read_only and not NOT_READ_ONLY & set(arguments):
        others = {columns: call(*arguments, columns=columns).out for columns in (120, WIDE)}
        assert find_wide_lines(others[120], 120) == [], command
        for told in (finished.out, others[120]):
            assert find_cut_figures(told, others[WIDE]) == [], command


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SAMPLES)
def test_the_samples_of_a_page_are_printed(page: Path, tmp_path: Path) -> None:
    """`python -m tests.docs.renew` writes them again."""
    text = page.read_text(encoding="utf-8")
    for sample, printed in zip(find_samples(text), print_samples(text, tmp_path), strict=True):
        assert any(is_shown(sample.lines, one.splitlines()) for one in printed), printed


@pytest.mark.slow
def test_the_page_on_the_frame_has_its_columns_and_its_programs_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "frame.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command in commands(text):
        assert call(*shlex.split(command)[1:]).code == 0
    for table in ("items", "responses", "readings", "exclusions", "observations"):
        columns = pl.read_parquet(f"frame-parquet/{table}.parquet").columns
        kept = list(dict.fromkeys("factor_…" if name.startswith("factor_") else name for name in columns))
        assert _documented_columns(text, table) == kept
    for name, program in files(text).items():
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        assert "observer" in done.stdout


@pytest.mark.slow
def test_the_program_on_the_page_on_rewards_gets_them(tmp_path: Path) -> None:
    (program,) = files((ROOT / "docs" / "reward-endpoint.md").read_text(encoding="utf-8")).values()
    for number in (3, 2):
        (tmp_path / f"{number}.png").write_bytes(render(Stimulus("apples", number, seed=1, size_px=128)).png)
    with serving("train", "serve", "--judge", "observer") as (_, address):
        command = [sys.executable, "-c", program, address, "3.png", "2.png"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "[1.0, 0.0]\n", done.stderr


def _documented_columns(text: str, table: str) -> list[str]:
    if table == "observations":
        return re.findall(
            r"^\| `(\w+…?)` \| .* \| .* \|$", text.partition("## The other tables")[0], flags=re.MULTILINE
        )
    (row,) = re.findall(rf"^\| `{table}` \| .*? \| (.*) \|$", text, flags=re.MULTILINE)
    return re.findall(r"`(\w+…?)`", row)


def test_every_command_is_in_the_documentation() -> None:
    documented = " ".join(command for page in PAGES for command in commands(page.read_text(encoding="utf-8")))
    names = {
        str(command.name or (command.callback and command.callback.__name__)) for command in app.registered_commands
    }
    assert {name for name in names if f"subitize {name}" not in documented} == set()
    assert "subitize import readings" in documented
    assert "subitize import votes" in documented
    assert "subitize import outputs" in documented
    assert "subitize import release geckonum" in documented
    assert "subitize import release numbersense" in documented
    assert "subitize import release gimbrr" in documented


@pytest.mark.slow
def test_the_demo_runs_and_says_where_its_report_is(tmp_path: Path) -> None:
    run = tmp_path / "demo"
    venv = Path(sys.prefix)
    small = [
        "NAMING=naming:images=1,numbers=1-5,categories=apples,size_px=256",
        "PRODUCTION=production:numbers=1-2,categories=apples",
    ]
    done = subprocess.run(
        ["make", "demo", f"VENV={venv}", f"RUN={run}", *small, "SIZE=256", "REPEATS=1", "--old-file", f"{venv}/.core"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    assert f"The report is in {run}/report.html" in done.stdout
    report = (run / "report.html").read_text(encoding="utf-8")
    for model in ("observer", "painter", "ideal-human", "random"):
        assert model in report


def test_links_between_pages_lead_somewhere() -> None:
    broken = [
        f"{page.name}: {link}"
        for page in [*PAGES, ROOT / "CONTRIBUTING.md"]
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []


def test_the_package_says_what_the_licence_file_says() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
