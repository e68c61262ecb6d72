"""What there is, and all that can be said about one of them."""

import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
import typer.main

from subitize.cli import app
from subitize.registry import KINDS, names
from subitize.report.listing import describe_all
from tests.cases import Case
from tests.commands import call, environment


def test_without_a_name_the_kinds_are_listed_with_how_many_there_are() -> None:
    counts = call("list", "--json").json()
    assert list(counts) == [*KINDS, "datasets", "calibrations"]
    assert counts["models"] == len(names("models"))
    assert ["models", str(counts["models"])] in [line.split() for line in call("list").out.splitlines()]


def test_a_name_is_described_with_its_task_and_every_option(case: Case) -> None:
    (found,) = call("list", "naming", "--json").json()
    assert (found["kind"], found["facts"]["task"], found["facts"]["judged by"]) == ("suites", "answer", "parser")
    images = next(one for one in found["options"] if one["name"] == "images")
    assert images == {
        "name": "images",
        "type": "a whole number",
        "default": "50",
        "meaning": "pictures for each thing and number",
        "is_runtime": False,
    }
    printed = " ".join(call("list", "naming:images=3").out.split())
    for option in found["options"]:
        with case(option["name"]):
            assert f"{option['name']} {option['default']} {option['meaning']}" in printed
            assert option["type"] == "text" or f"{option['meaning']} ({option['type']})" in printed


def test_help_lists_every_command_once_with_its_whole_first_sentence(case: Case) -> None:
    printed = call("--help", columns=80).out
    assert "..." not in printed.partition("Evaluate models:")[2]
    for name in typer.main.get_command(app).list_commands(None):  # type: ignore[attr-defined]
        with case(name):
            assert len(re.findall(rf"^  {name}  +\S", printed, flags=re.MULTILINE)) == 1


def test_what_shares_a_name_is_described_one_after_the_other() -> None:
    assert [one["kind"] for one in call("list", "observer", "--json").json()] == ["models", "judges"]
    assert [one["kind"] for one in call("list", "geckonum", "--json").json()] == ["suites", "papers"]
    printed = call("list", "geckonum").out
    assert printed.index("suite geckonum: ") < printed.index("paper geckonum: ")


def test_every_option_of_what_is_built_in_has_a_meaning(case: Case) -> None:
    for name in {name for kind in KINDS for name in names(kind)}:
        for one in describe_all(name):
            for option in one.options:
                with case((one.kind, name, option.name)):
                    assert option.meaning
                    assert option.type


def test_missing_parts_are_named_with_their_remedy(case: Case) -> None:
    needs = {
        "transformers": ("torch", "local"),
        "sam3": ("torch", "local"),
        "clip": ("torch", "local"),
        "ssd": ("cv2", "detect"),
        "hf-inference": ("huggingface_hub", "hub"),
        "painter": ("subitize", ""),
    }
    for name, (package, extra) in needs.items():
        with case(name):
            remedy = None if find_spec(package) else f"pip install 'subitize[{extra}]'"
            assert {one.remedy for one in describe_all(name)} == {remedy}
            told = "installed" if remedy is None else f"missing; run: {remedy}"
            assert f"what it needs: {told}\n" in call("list", name).out


@pytest.mark.usefixtures("odd_models")
def test_what_cannot_be_loaded_or_made_says_so() -> None:
    assert (
        "model exploding: model 'exploding' (exploding:Model) cannot be loaded: boom\n" in call("list", "exploding").out
    )
    for name, note in {
        "stillborn": "note: model 'stillborn' cannot be made",
        "rewritten": "needs file=FILE.csv",
    }.items():
        printed = call("list", name)
        assert printed.code == 0
        assert note in printed.out
        assert "what it needs: " not in printed.out


def test_a_name_of_nothing_is_refused_with_those_there_are() -> None:
    refused = call("list", "paintre")
    assert refused.code == 2
    assert "no suite, model, judge, refinement or paper named 'paintre'; known: " in refused.err
    assert "painter" in refused.err


@pytest.mark.slow
def test_a_terminal_of_another_encoding_is_shown_what_it_can_show() -> None:
    command = [sys.executable, "-m", "subitize", "list", "openai"]
    done = subprocess.run(command, env=environment() | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True)
    assert b"\n----" in done.stdout
    assert b"\\u2013" in done.stdout
