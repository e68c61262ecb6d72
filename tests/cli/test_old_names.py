"""Commands and options by their names of the version before, and how groups take a first word."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from subitize.cli import app
from subitize.cli.old_names import _NOW, modernise
from tests.cases import Case
from tests.commands import call

OLD = [
    *("run", "judge", "score", "measure", "compare", "align", "report", "plate", "show", "exclude", "export"),
    *("list", "prompts", "stimuli", "glyphs", "rewrite", "power", "doctor", "annotate", "sample", "screen", "ratings"),
    *("agree", "calibrate", "import", "attach", "rescore", "probes", "corpus", "reproduce", "tables", "serve"),
]


def find(words: list[str]) -> Any:  # noqa: ANN401
    """Find the command that words call; of a group, that of its own name."""
    command: Any = typer.main.get_command(app)
    for word in words:
        if isinstance(command, TyperGroup):
            command = command.commands.get(word)
    if isinstance(command, TyperGroup):
        command = command.commands.get(str(command.name), command)
    return command


def test_every_command_of_the_version_before_is_a_command_still(case: Case) -> None:
    known = typer.main.get_command(app)
    assert isinstance(known, TyperGroup)
    for name in OLD:
        with case(name):
            assert name in known.commands or any(old.split()[0] == name for old in _NOW)


def test_every_name_of_today_is_a_command_with_that_option(case: Case) -> None:
    for now in _NOW.values():
        with case(now):
            words = [one for one in now.split() if one[0] != "-"]
            flags = {one for one in now.split() if one[0] == "-"}
            command = find(words)
            assert command is not None
            assert flags <= {flag for option in command.params for flag in option.opts}


def test_a_mistyped_kind_of_import_is_no_paper() -> None:
    failed = call("import", "imags", "x")
    assert failed.code == 2
    assert "No such command 'imags'. Did you mean 'images'?" in failed.err
    assert "is now" not in failed.err


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("align RUN --json", "score --alignment RUN --json"),
        ("rescore", "list scorers"),
        ("rescore --json", "list scorers --json"),
        ("rescore RUN", "score --scorer all RUN"),
        ("rescore RUN --scorer NAME", "score RUN --scorer NAME"),
        ("compare RUN --models --by number", "compare RUN --by number"),
        ("exclude RUN ITEM --reason WHY --undo", "show RUN --exclude ITEM --reason WHY --undo"),
        ("export RUN --paper gimbrr --out FILE", "export ratings RUN --paper gimbrr --out FILE"),
        ("import named-counts RUN --model MODEL", "import readings --run RUN --from-file-names MODEL"),
        ("export RUN --paper=gimbrr", "export ratings RUN --paper=gimbrr"),
        ("import named-counts RUN --model=MODEL", "import readings --run RUN --from-file-names=MODEL"),
        ("import geckonum DIR --out RUN", "import release geckonum DIR --out RUN"),
        ("probes build FILE", "make probes FILE"),
        ("power accuracy --rate 0.3", "make plan accuracy --rate 0.3"),
        ("corpus count FILE --column text", "corpus FILE --column text"),
        ("plate RUN", "report plate RUN"),
    ],
)
def test_an_older_name_is_understood_and_said(old: str, now: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert modernise(old.split()) == now.split()
    assert capsys.readouterr().err.startswith(f"subitize: subitize {old.split()[0]}")


@pytest.mark.parametrize(
    "given",
    [
        "report RUN",
        "export ratings RUN --paper gimbrr",
        "import release geckonum DIR --out RUN",
        "import",
        "compare RUN",
    ],
)
def test_a_name_of_today_stays_as_it_is(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert modernise(given.split()) == given.split()
    assert capsys.readouterr().err == ""


def test_an_older_command_does_what_the_newer_one_does(tmp_path: Path) -> None:
    old, now = call("glyphs", "--json"), call("list", "glyphs", "--json")
    assert (old.code, old.out) == (0, now.out)
    assert old.err == "subitize: subitize glyphs is now: subitize list glyphs\n"
    assert len(json.loads(now.out)) > 60


def test_subitize_alone_says_what_to_do_first() -> None:
    done = call()
    assert done.code == 0
    assert len(done.out.splitlines()) == 3
    assert "subitize run naming --model observer" in done.out


def test_a_first_word_that_is_no_subcommand_is_an_argument(tmp_path: Path) -> None:
    for command in ("report", "export", "agree"):
        done = call(command, tmp_path / "nowhere")
        assert done.code == 2
        assert "nowhere is not a run" in done.err


def test_help_of_a_group_lists_its_commands_and_the_options_without_one() -> None:
    told = call("report", "--help").out
    assert "plate" in told
    assert "reproduce" in told
    assert "--figures DIR" in told


def test_sixteen_commands_are_enough() -> None:
    known = typer.main.get_command(app)
    assert isinstance(known, TyperGroup)
    assert len(known.commands) <= 16
    told = call("--help").out
    assert all(f"\n  {name} " in told for name in known.commands)


def test_a_bare_rescore_lists_the_scorers_for_programs_too() -> None:
    assert {"name", "rule", "defect"} == set(call("rescore", "--json").json()[0])


def test_the_help_of_a_mistyped_kind_is_no_other_kind_s() -> None:
    failed = call("import", "imags", "--help")
    assert failed.code == 2
    assert "No such command 'imags'" in failed.err
