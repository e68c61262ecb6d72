"""Every command in the documentation runs as it stands, in the order it stands."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import WIDE, call, serving
from geckonum_release import SOME, write_images, write_release
from gimbrr_release import write_release as write_gimbrr
from subitize.analysis import power
from subitize.cli import app
from subitize.drawing.stimuli import render
from subitize.models.painter import Painter
from subitize.papers.geckonum.prompts import TYPES
from subitize.papers.numbersense.naming import Naming
from subitize.records import Stimulus
from subitize.report.terminal.layout import measure

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
QUICK = [
    *("api-models", "architecture", "costs", "diffusers", "inspect", "local-models", "matching", "walkthrough"),
]
MARKS = dict.fromkeys(QUICK, ()) | {
    "annotating": pytest.mark.annotate,
    "corpus": pytest.mark.spacy,
    "hf-inference": pytest.mark.hub,
}
MARKED = [pytest.param(page, marks=MARKS.get(page.stem, pytest.mark.slow), id=page.name) for page in PAGES]


READ_ONLY = {
    *("agree", "align", "compare", "costs", "doctor", "glyphs", "list", "measure", "power", "reproduce", "score"),
    *("show", "tables"),
}
# What a page does not say, or says for figures that are not tested here: the side of pictures, and simulated studies.
SMALL_PX = 256
FEW_STUDIES = 500
# They print what is not for people: CSV, or a prompt as it would be sent.
FOR_PROGRAMS = {"prompts", "rewrite"}


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


def commands(page: str) -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def files(page: str) -> dict[str, str]:
    """Files that a page says to write: a block headed by its language and the file's name."""
    return dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL))


def simulate_once() -> Callable[..., power.Plan]:
    """Plan each study once, however often it is printed, by few simulations: they take long."""
    plan, plans = power.plan, dict[str, power.Plan]()

    def find_or_plan(what: str, given: power.Assumed, *others: Any, **options: Any) -> power.Plan:  # noqa: ANN401
        study = repr((what, sorted(given.items()), options))
        if study not in plans:
            plans[study] = plan(what, {**given, "simulations": FEW_STUDIES}, *others, **options)
        return plans[study]

    return find_or_plan


def draw_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw pictures small where a command does not name their size."""
    for kind in (Painter, Naming):
        defaults = kind.__init__.__kwdefaults__
        assert defaults is not None
        monkeypatch.setitem(defaults, "size_px", SMALL_PX)


@pytest.mark.parametrize("page", MARKED)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBITIZE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.setattr(power, "plan", simulate_once())
    draw_small(monkeypatch)
    for name, content in files(text).items():
        Path(name).write_text(content, encoding="utf-8")
    if "geckonum-release" in text:  # what the authors released is not ours to ship: a made-up one stands in
        prompts = [prompt for place, prompt in enumerate(SOME) if place % 12 == 0 or prompt.index > 1250]
        write_release(tmp_path / "geckonum-release", ["muse_a"], prompts=prompts)
        drawn = [prompt for prompt in prompts if TYPES[prompt.type] == 1]
        write_images(tmp_path / "geckonum-images", ["muse_a"], drawn)
    if "gimbrr-release" in text:
        write_gimbrr(tmp_path / "gimbrr-release", per_task=3)
    for command in commands(text):
        program, *arguments = shlex.split(command, comments=True)
        if program == "make":
            assert arguments[0] in {"demo", "test"}
            continue
        if program in {"mkdir", "cp"}:
            subprocess.run([program, *arguments], check=True)
            continue
        assert program == "subitize"
        if arguments[0] in {"serve", "annotate"}:
            with serving(*arguments):
                continue
        finished = call(*arguments, columns=80)
        assert finished.code == 0, f"{command}: {finished.err}"
        assert finished.out, command
        if "--json" in arguments or arguments[0] in FOR_PROGRAMS:
            continue
        assert find_wide_lines(finished.out, 80) == [], command
        if arguments[0] in READ_ONLY or arguments[:2] == ["probes", "describe"]:
            others = {columns: call(*arguments, columns=columns).out for columns in (120, WIDE)}
            assert find_wide_lines(others[120], 120) == [], command
            for told in (finished.out, others[120]):
                assert find_cut_figures(told, others[WIDE]) == [], command


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
    with serving("serve", "--judge", "observer") as (_, address):
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
    names = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert {name for name in names if f"subitize {name}" not in documented} == set()
    assert "subitize import readings" in documented
    assert "subitize import votes" in documented
    assert "subitize import outputs" in documented
    assert "subitize import geckonum" in documented
    assert "subitize import numbersense" in documented
    assert "subitize import gimbrr" in documented


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
