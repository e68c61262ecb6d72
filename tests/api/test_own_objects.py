"""Functions and objects of a program as models, judges and suites."""

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import subitize
from subitize.errors import BadValueError, SubitizeError
from subitize.interfaces import Finding, Judge, JudgeRequest, Model, Reply, Request, SelfTest, Suite
from subitize.records import Ask, Count, Draw, Item, Outcome, Question, Refused, Said, Words
from tests.cases import Case

pytestmark = pytest.mark.usefixtures("own_names")
NAMING = "naming:images=1,numbers=1-3,categories=dots,size_px=128,wordings=things,control_question=false"


def five(image: Image.Image, question: str) -> str:
    assert image.mode == "RGB"
    assert question
    return "5"


def square(prompt: str, seed: int) -> Image.Image:
    return Image.new("RGB", (32, 32), (seed % 256, len(prompt), 0))


def test_a_function_that_answers_is_a_model(tmp_path: Path) -> None:
    with subitize.run(NAMING, five, tmp_path / "run", repeats=2) as run:
        frame = run.frame()
        assert set(frame["model"]) == {"five"}
        assert frame["value"].to_list() == [5.0] * 6
        (stored, *_) = run.responses()
        about = stored.response.provenance.parameters
        assert about["function"] == f"{__name__}.five"
        assert len(str(about["source_hash"])) == 32


def test_an_answered_trial_is_not_asked_of_a_function_again(tmp_path: Path) -> None:
    asked: list[str] = []

    def count(question: str) -> int:
        asked.append(question)
        return 2

    for _ in range(2):
        subitize.run(NAMING, count, tmp_path / "run", repeats=2).close()
    assert len(asked) == 6


def test_a_function_has_a_name_of_its_own_or_the_given_one(tmp_path: Path) -> None:
    with subitize.run(NAMING, lambda question: 1, tmp_path / "run", name="always-one") as run:
        assert [one.spec for one in run.models()] == ["always-one"]


def test_several_functions_and_names_run_side_by_side(tmp_path: Path) -> None:
    async def later(question: str) -> str:
        await asyncio.sleep(0)
        return "3"

    with subitize.run(NAMING, [five, later, "random"], tmp_path / "run") as run:
        assert {one.spec for one in run.models()} == {"five", "later", "random"}
        assert "later" in str(run.score())


def test_a_function_that_draws_is_a_model(tmp_path: Path) -> None:
    with subitize.run(
        "production:numbers=1-2,categories=apples", square, tmp_path / "run", judge="none", repeats=1
    ) as run:
        images = run.images()
        assert images.height == 2
        assert all(Path(one).is_file() for one in images["image"])
        assert images["prompt_sent"].str.contains("apple").all()


def test_no_answer_is_a_refusal_and_an_error_a_failure_with_its_reason(tmp_path: Path) -> None:
    def silent(question: str) -> None: ...

    with pytest.raises(SubitizeError, match="nothing was answered: 3 refused, most as: silent returned None"):
        subitize.run(NAMING, silent, tmp_path / "silent")
    with subitize.open(tmp_path / "silent") as run:
        assert {one.response.outcome for one in run.responses()} == {Refused("silent returned None")}

    def broken(question: str) -> str:
        raise ZeroDivisionError("by zero")

    with pytest.raises(SubitizeError, match="ZeroDivisionError: by zero"):
        subitize.run(NAMING, broken, tmp_path / "broken")

    def listing(question: str) -> list[int]:
        return [1]

    with pytest.raises(SubitizeError, match=r"listing should return a text or a number, not \[1\]"):
        subitize.run(NAMING, listing, tmp_path / "listing")


def misnamed(picture: Image.Image, question: str) -> str:
    return question


def both(prompt: str, question: str) -> str:
    return prompt + question


def nothing() -> str:
    return "1"


REFUSED: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "unknown parameter": (misnamed, {}, r"function 'misnamed' has picture: PIL.Image.Image; a model is a function"),
    "answers and draws": (both, {}, r"function 'both' has prompt, question; a model is a function"),
    "no parameter": (nothing, {}, r"function 'nothing' has no parameter; a model is a function"),
    "no name": (lambda question: "1", {}, r"model '<lambda>': give it a `name` of letters"),
    "a name that is taken": (five, {"name": "random"}, r"model 'random' is there already: give yours another `name`"),
}


def test_a_function_that_is_no_model_is_refused_with_what_one_is(tmp_path: Path, case: Case) -> None:
    for name, (function, options, message) in REFUSED.items():
        with case(name), pytest.raises(BadValueError, match=message):
            subitize.run(NAMING, function, tmp_path / "run", **options)
    with pytest.raises(BadValueError, match="`name` 'x' is for one function or object; of a model by its name"):
        subitize.run(NAMING, "random", tmp_path / "run", name="x")
    assert not (tmp_path / "run").exists()


class Two(Model):
    """Computes in a worker process where it is installed, here in this one."""

    tasks = frozenset({"answer"})
    is_self_tested = True

    def compute(self, request: Request, /) -> Reply:
        return Reply(Said("2"), request.provenance())


class OneApple(Suite):
    title = "One apple"
    judge = "parser"

    def items(self, seed: int) -> Iterator[Item]:
        yield Item("OneApple/0", Draw("one apple"), (Ask(Count("apple"), "How many apples?", (1,)),), {"number": 1})


class SeesOne(Judge):
    concurrency = 1

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        return True

    def self_test(self) -> SelfTest:
        return SelfTest(True)

    async def respond(self, asked: JudgeRequest, /) -> tuple[Finding, ...]:
        return tuple(Finding(Words("1")) for _ in asked.inquiries)


def test_objects_of_a_program_are_models_judges_and_suites(tmp_path: Path) -> None:
    with subitize.run(NAMING, Two(), tmp_path / "naming") as run:
        assert set(run.frame()["value"]) == {2.0}
    with subitize.run(OneApple(), square, tmp_path / "drawn", judge=SeesOne()) as run:
        assert run.frame().select("judge", "value", "is_right").rows() == [("SeesOne", 1.0, True)]


def test_an_open_run_reads_itself(tmp_path: Path) -> None:
    subitize.run(NAMING, five, tmp_path / "run").close()
    with subitize.open(tmp_path / "run") as run:
        assert run.score(by="number").frame.height
        assert run.images().height == 0
        (page,) = run.report(tmp_path / "page.html")
        assert "five" in page.read_text("utf-8")


def test_the_package_lists_its_verbs() -> None:
    assert {"run", "score", "open", "compare"} <= set(dir(subitize))


@pytest.mark.slow
def test_a_script_with_a_function_needs_no_guard(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import subitize\n\n\ndef five(image, question):\n    return '5'\n\n\n"
        f"run = subitize.run({NAMING!r}, five, 'run')\nprint(run.score())\nprint(run.report('five.html')[0])\n"
    )
    ended = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("five.html\n")
