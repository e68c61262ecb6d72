"""Mistakes that scorers of counting are known to make, each put to the whole pipeline: none of them is made here."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from subitize.interfaces import JudgeQuestion, Model, Reply, Request
from subitize.judges.asking import phrase
from subitize.language.numbers import in_words
from subitize.papers.geckonum.prompts import TYPES
from subitize.records import Ask, Choose, Confirm, Count, Draw, Item, Said, Scalar, Spec
from subitize.registry import Resolved, make_judge, make_suite, names
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.models.openai_server import Behaviour, Server, serving
from tests.papers.geckonum.geckonum_release import SOME, write_images, write_release
from tests.papers.seeing_past_words.probe_files import write_suites
from tests.runs import run_suite
from tests.suites import geneval_files
from tests.suites.own_tables import write_own_suites


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def score(run: Path, *options: object) -> list[dict[str, Any]]:
    finished = call("score", run, "--json", *options)
    assert finished.code == 0, finished.err
    rows: list[dict[str, Any]] = finished.json()
    return rows


class Saying(Model):
    """A model that says the same of every picture."""

    tasks = frozenset({"answer"})
    is_stand_in = True
    concurrency = 8

    def __init__(self, text: str) -> None:
        self._text = text

    async def respond(self, request: Request, /) -> Reply:
        return Reply(Said(self._text), request.provenance())


def say(texts: Sequence[str], numbers: Iterable[int], folder: Path) -> Path:
    """Have every text said by a model of its own of pictures of these numbers of apples, and the answers parsed."""
    design = f"numbers={'+'.join(map(str, sorted(set(numbers))))},images=1,categories=apples,wordings=category"
    suite, judge = make_suite(f"naming:{design},control_question=false,max_attempts=1"), make_judge("parser")
    with Run(Folder(folder), create=True) as run:
        for place, text in enumerate(texts):
            model: Resolved[Model] = Resolved(
                Spec(f"model-{place}", {}, f"model-{place}"), Saying(text), f"model-{place}"
            )
            run_suite(run, suite, model, judge)
    return folder


def score_texts(run: Path, rule: str, texts: Sequence[str]) -> dict[str, dict[int, dict[str, float]]]:
    """Give the measures of each text for each number that it was said of."""
    found: dict[str, dict[int, dict[str, float]]] = {text: defaultdict(dict) for text in texts}
    for row in score(run, "--rule", rule, "--by", "number"):
        if row["factor"] == "number":
            text = texts[int(row["model"].removeprefix("model-"))]
            found[text][int(row["group"])][row["measure"]] = row["value"]
    return found


@pytest.mark.parametrize("judge", ["observer", "vlm:observer"])
@pytest.mark.parametrize(
    "suite",
    ["production:numbers=5,categories=apples", f"geckonum:types={next(iter(TYPES))},numbers=5"],
    ids=["production", "geckonum"],
)
def test_presence_of_the_things_alone_earns_nothing(suite: str, judge: str, tmp_path: Path) -> None:
    """Two apples where five were asked for are wrong: 0 in every share, not a half for there being apples."""
    run = tmp_path / "run"
    model = "painter:under=3,size_px=256"
    made = call("run", suite, "--limit", 4, "--model", model, "--repeats", 1, "--out", run, "--judge", judge)
    assert made.code == 0, made.err
    rows = score(run)
    assert {row["measure"] for row in rows} >= {"accuracy", "mae", "nae"}
    for row in rows:
        expected = {"mae": 3.0, "nae": 0.6, "mae_all": 3.0, "nae_all": 0.6, "coverage": 1.0}.get(row["measure"], 0.0)
        assert row["value"] == pytest.approx(expected), row


WITHIN = {
    "12": 12,
    "2": 2,
    "There are 12 apples.": 12,
    "twelve": 12,
    "thirty-three": 33,
    "There are thirty-three apples.": 33,
    "1,000": 1000,
    "10": 10,
    "twenty-one apples": 21,
    "fourteen": 14,
    "sixty": 60,
}
"""What is said, and the number that it is."""


@pytest.mark.slow
def test_a_number_within_another_is_not_that_number(tmp_path: Path, case: Case) -> None:
    numbers, texts = (1, 2, 3, 4, 6, 12, 30, 33), list(WITHIN)
    run = say(texts, numbers, tmp_path / "run")
    for rule in ("strict", "total"):
        for text, found in score_texts(run, rule, texts).items():
            with case((rule, text)):
                expected = {number: (number == WITHIN[text], abs(number - WITHIN[text])) for number in numbers}
                assert {number: (own["accuracy"], own["mae"]) for number, own in found.items()} == expected


TALES = [
    ("In image 1 I see 3 cats and 2 dogs: 5 animals", 1, 5),
    ("Looking at the 4 corners and at the middle, there are 7.", 4, 7),
    ("Looking at the 4 corners of the picture, there are 7 apples in total.", 4, 7),
    ("Image 1: 5 apples", 1, 5),
    ("I count 2 on the left and 3 on the right, so there are 5 in total.", 2, 5),
    ("There are 3 red apples and 4 green apples.", 3, 7),
    ("Step 1: I look at the rows. Step 2: I add them up. Answer: 6", 1, 6),
    ("1. I look at the picture.\n2. I count the apples.\nThere are 6 apples.", 1, 6),
    ("The 2 rows have 3 apples each, so the total is 6.", 2, 6),
    ("Of the 10 shapes in the picture, 4 are apples.", 10, 4),
    ("First I thought there were 8, but there are 9 apples.", 8, 9),
]
"""What is said, the first number in it, and the right one."""


@pytest.mark.slow
def test_the_first_number_of_a_tale_is_not_taken_for_the_count(tmp_path: Path, case: Case) -> None:
    """It is read as what it comes to, or discarded, whoever would have gained by the first number."""
    texts = [text for text, *_ in TALES]
    run = say(texts, [number for _, *both in TALES for number in both], tmp_path / "run")
    for rule in ("strict", "total"):
        scored = score_texts(run, rule, texts)
        for text, first, right in TALES:
            with case((rule, text)):
                assert scored[text][first].get("accuracy", 0) == 0
                assert scored[text][right].get("accuracy_read", 1) == 1
                assert "accuracy_read" in scored[text][right] or scored[text][right]["discarded"] == 1


@pytest.mark.parametrize(
    ("text", "measures"),
    [
        ("12", {"accuracy": 0.0, "mae": 10.0}),
        ("In image 2 I see 3 cats and 4 dogs: 7 animals", {"discarded": 1.0}),
    ],
    ids=["substring", "tale"],
)
def test_a_judge_that_is_a_model_is_read_as_carefully(
    server: Server, tmp_path: Path, text: str, measures: dict[str, float]
) -> None:
    server.behave(Behaviour(text=text))
    suite, judge = "production:numbers=2,categories=apples", f"vlm:openai:test-model,base_url={server.base_url}"
    run = tmp_path / "run"
    made = call("run", suite, "--model", "painter:size_px=256", "--repeats", 1, "--out", run, "--judge", judge)
    assert made.code == 0, made.err
    found = {row["measure"]: row["value"] for row in score(run)}
    assert found | measures == found
    assert found.get("accuracy", 0.0) == 0.0


IN_WORDS = {in_words(number): number for number in range(101)}


def numbers_in(text: str) -> set[int]:
    return {int(digits) for digits in re.findall(r"\d+", text)} | {
        IN_WORDS[word] for word in re.findall(r"[a-z]+(?:-[a-z]+)?", text.lower()) if word in IN_WORDS
    }


# These have whole texts scored, with the number in them.
INFORMED = {"alignment-probe", "counting-probe"}
DEFINED = (
    'prompts: "{number} {noun(s)}"\nwords: {noun: [cat, dog], number: 0-3}\nask: [{count: "{noun}"}, {shown: "{noun}"}]'
)


@pytest.fixture(scope="module", params=[name for name in names("suites") if name not in INFORMED])
def items(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    if request.param == "geckonum-vqa":
        prompts = [prompt for prompt in SOME if TYPES[prompt.type] == 1][::3]
        folder = tmp_path_factory.mktemp("geckonum")
        release = write_release(folder / "release", ["muse_a"], prompts=prompts, seeds=1)
        images = write_images(folder / "images", ["muse_a"], prompts, 1, size_px=128)
        return list(make_suite(f"geckonum-vqa:{release},images={images}").obj.items(0))
    if request.param == "file":
        (path := tmp_path_factory.mktemp("file") / "cats.yaml").write_text(DEFINED, encoding="utf-8")
        return list(make_suite(str(path)).obj.items(0))
    of_files = write_suites(tmp_path_factory.mktemp("probes")) if "probe" in request.param else {}
    of_files |= geneval_files.write_suites(tmp_path_factory.mktemp("geneval"))
    of_files |= write_own_suites(tmp_path_factory.mktemp("own"))
    return list(make_suite(of_files.get(request.param, request.param)).obj.items(0))


def blind(items: list[Item]) -> list[tuple[Item, Ask]]:
    return [(item, ask) for item in items for ask in item.asks if not ask.question.is_informed]


def test_no_blind_question_gives_the_answer_away(items: list[Item]) -> None:
    """Neither as a suite puts it nor as a model gets it does it hold the prompt, or a number."""
    found = blind(items)
    assert found
    for item, ask in found:
        asked = phrase(JudgeQuestion(ask.question, ask.wording), None)
        if isinstance(ask.question, Choose):
            asked = asked.replace("\n".join(asked.splitlines()[1:-1]), "")
        for text in (ask.wording, asked):
            # One half is a place here, not how many there are.
            is_half = isinstance(ask.question, Confirm) and text.startswith("Is one half of the ")
            assert numbers_in(text) <= ({1} if is_half else set()), text
            if isinstance(item.task, Draw):
                assert item.task.prompt.strip(" .").lower() not in text.lower()


def test_a_question_is_put_in_the_same_words_whatever_is_right(items: list[Item]) -> None:
    """Not even the grammar tells: one apple and five are asked for alike."""
    texts: dict[tuple[str, Scalar | None], set[str]] = defaultdict(set)
    expected: dict[str, set[tuple[Scalar, ...]]] = defaultdict(set)
    for item, ask in blind(items):
        if isinstance(ask.question, Count | Choose):
            text = phrase(JudgeQuestion(ask.question, ask.wording), None)
            texts[ask.question.id, item.factors.get("wording")].add(text)
            expected[text].add(ask.expects)
    assert {len(worded) for worded in texts.values()} == {1}
    assert max(len(answers) for answers in expected.values()) > 1
