"""Suites, judges and papers of outside packages are checked as models are: one line names them, nothing is stored."""

import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from subitize import papers as plugins
from subitize.errors import BadValueError
from subitize.interfaces import Paper, Reference
from tests.cases import Case
from tests.commands import PLUGINS, call


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PLUGINS / "outside")


def test_what_is_written_as_an_entry_point_is_loaded_as_one() -> None:
    for reference in ("pathlib", "pathlib:Path", "pathlib:Path.home", "pathlib : Path [extra]", "os.path:join"):
        assert plugins.load(reference) == EntryPoint("", reference, "").load()
    for reference in ("", "pathlib:Missing", "nowhere_to_be_found:Suite"):
        with pytest.raises(BadValueError, match="cannot be loaded"):
            plugins.load(reference)


SLIPS = {
    "raises": "suite 'odd' failed to make item 3: ZeroDivisionError: no apples",
    "twice": "suite 'odd': item 3 has the id 'odd/1' of an earlier one; each needs its own",
    "foreign": "suite 'odd': item 3 has the id 'naming/3'; it should begin with odd/",
    "nan": "suite 'odd': item 3 ('odd/3') gave what cannot be stored",
    "type": "suite 'odd': item 3 ('odd/3') gave what cannot be stored",
    "text": "suite 'odd': item 3 should be an Item, not '3 apples'",
}


SLIPPED = "SUITE"


def test_a_bad_item_of_an_outside_suite_is_named_and_nothing_is_stored(tmp_path: Path, case: Case) -> None:
    for slip, message in SLIPS.items():
        for command in (
            ["run", SLIPPED, "--model", "painter", "--out", tmp_path / "run"],
            ["make", "prompts", SLIPPED],
        ):
            with case(f"{slip} {command[0]}"):
                finished = call(*(f"odd:slips={slip}" if one == SLIPPED else one for one in command))
                assert (finished.code, finished.err.count("\n")) == (2, 1), finished
                assert message in finished.err
    assert list(tmp_path.iterdir()) == []


def test_an_outside_suite_that_is_sound_is_run(tmp_path: Path) -> None:
    finished = call("run", "odd", "--model", "painter:size_px=128", "--out", tmp_path / "run")
    assert (finished.code, finished.err) == (0, "")


def test_what_lacks_what_its_role_needs_is_named(tmp_path: Path, case: Case) -> None:
    naming = ["naming:images=1,numbers=1,categories=apples", "--out", tmp_path / "run"]
    for arguments, message in (
        (["untitled", "--model", "painter"], "suite 'untitled': title should be of type str, not None"),
        (["seven", "--model", "painter"], "suite 'seven' (odd_roles:SEVEN) should be a class or a function"),
        (["absent", "--model", "painter"], "suite 'absent' (nowhere_to_be_found:Suite) cannot be loaded"),
        ([*naming, "--model", "mute"], "model 'mute' has none of respond, respond_all, compute, compute_all"),
        ([*naming, "--model", "random", "--judge", "ruleless"], "judge 'ruleless': rule should be of type str"),
        (
            [*naming, "--model", "random", "--judge", "twin"],
            "judge 'twin' is brought by several packages: odd_roles:Ruleless, odd_roles:Twin; uninstall all but one",
        ),
    ):
        with case(message):
            finished = call("run", *arguments)
            assert (finished.code, finished.err.count("\n")) == (2, 1), finished
            assert message in finished.err
    assert list(tmp_path.iterdir()) == []


def test_a_judge_that_breaks_anywhere_is_named_and_leaves_no_trace(tmp_path: Path) -> None:
    naming = "naming:images=1,numbers=1-2,categories=apples,size_px=128,wordings=category,control_question=false"
    assert call("run", naming, "--model", "random", "--judge", "none", "--out", tmp_path / "run").code == 0
    finished = call("judge", tmp_path / "run", "--judge", "unsure")
    assert finished.code == 2
    told = "subitize: judge 'unsure' (odd_roles:Unsure) failed: LookupError: who knows; tell its authors\n"
    assert finished.err.endswith(told)
    assert call("show", tmp_path / "run", "--json").json()["judges"] == []


def test_a_paper_that_breaks_or_gives_no_tables_is_named(tmp_path: Path) -> None:
    broken = call("report", "reproduce", "hollow")
    told = "subitize: plug-in odd_roles failed: RuntimeError: no data; tell its authors\n"
    assert (broken.code, broken.err) == (2, told)
    assert call("run", "odd", "--model", "painter:size_px=128", "--out", tmp_path / "run").code == 0
    hollow = call("report", "tables", tmp_path / "run", "--paper", "hollow")
    assert (hollow.code, hollow.err) == (2, "subitize: paper 'hollow': its tables should be Tabulated, not 'a table'\n")


def test_a_paper_of_wrong_types_cannot_be_made(case: Case) -> None:
    sound = {"package": "t", "title": "T", "references": (Reference("A. (2026).", "", ""),)}
    for wrong, message in (
        ({"references": ()}, "references should be References, at least one"),
        ({"suites": None}, "suites should be of type Mapping, not None"),
        ({"report": print}, "report should be of type str"),
    ):
        with case(message), pytest.raises(TypeError, match=message):
            Paper(**{**sound, **wrong})  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_package_among_the_examples_brings_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = Path(__file__).parents[2] / "examples" / "plugin"
    project = tomllib.loads((example / "pyproject.toml").read_text("utf-8"))["project"]
    # What an installer makes of it.
    installed = tmp_path / f"subitize_blobs-{project['version']}.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", "utf-8")
    lines = [f"{name} = {place}" for name, place in project["entry-points"]["subitize.models"].items()]
    (installed / "entry_points.txt").write_text("\n".join(["[subitize.models]", *lines]), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(example)
    assert "how many pixels a spot has at least" in call("list", "blobs").out
    suite = "naming:images=1,numbers=1-4,categories=dots,wordings=things,control_question=false,size_px=256"
    finished = call("run", suite, "--model", "blobs", "--out", tmp_path / "run")
    assert finished.code == 0, finished.err
    scores = call("score", tmp_path / "run", "--json").json()
    assert next(one["value"] for one in scores if one["measure"] == "accuracy") == 1
