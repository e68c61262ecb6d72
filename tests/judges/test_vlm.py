"""Any image-to-text model as a judge: what it is asked, what is made of its answers, and what it never gets to know."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from subitize.errors import BadValueError, UnknownNameError
from subitize.interfaces import (
    Computes,
    ComputesSeveral,
    Finding,
    JudgeQuestion,
    JudgeRequest,
    Model,
    Reply,
    Request,
    Responds,
)
from subitize.judges.asking import Vlm, phrase
from subitize.language.numbers import in_words
from subitize.records import (
    Choose,
    Confirm,
    Count,
    Discarded,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Fit,
    Item,
    Known,
    MatchesPrompt,
    Name,
    Outcome,
    Question,
    Reading,
    Said,
    Stored,
    Transcribe,
    Words,
)
from subitize.registry import make_judge
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.models.openai_server import Behaviour, Fault, Server, serving
from tests.models.scripted_server import Answer, Scripted, chat, scripting

PAINTER = "painter:size_px=256"
PICTURE = Drawn(Stored("0" * 64, "png"))
PRICES = """
[[price]]
host = "127.0.0.1"
models = ["test-model"]
as_of = 2026-11-16
source = "a test"
chat_usd_per_million = { input = 1.0, output = 2.0 }
"""


@dataclass(frozen=True)
class Judged:
    """A run that a model behind a server has judged."""

    folder: Path
    judge: str
    command: tuple[object, ...]


def judge_of(server: Server | Scripted, options: str = "") -> str:
    return f"vlm:openai:test-model,base_url={server.base_url}{options}"


def draw_and_judge(folder: Path, server: Server | Scripted, suite: str, *more: object) -> Judged:
    judge = judge_of(server)
    command = ("run", suite, "--model", PAINTER, "--repeats", 1, "--out", folder, "--judge", judge, *more)
    finished = call(*command)
    assert finished.code == 0, finished.err
    return Judged(folder, judge, command)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Behaviour(answer="count-hash")) as server:
        yield server


@pytest.fixture(scope="module")
def production(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Six drawings of which a server says some number that depends on the picture."""
    folder = tmp_path_factory.mktemp("production") / "run"
    return draw_and_judge(folder, server, "production:numbers=1-3,categories=apples+dots")


@pytest.fixture(scope="module")
def agreeing() -> Iterator[Server]:
    """A server that always says the same."""
    with serving(Behaviour(text="(b)")) as server:
        yield server


@pytest.fixture(scope="module")
def geckonum(agreeing: Server, tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Drawings of prompts of all three tasks, about which a server always says the same."""
    return draw_and_judge(tmp_path_factory.mktemp("geckonum") / "run", agreeing, "geckonum:numbers=1", "--limit", 29)


def read(judged: Judged, judge: str | None = None) -> list[tuple[Item, Reading]]:
    with Run(Folder(judged.folder)) as run:
        items = {item.id: item for item in run.items()}
        asked = {stored.trial_id: items[stored.response.trial.item_id] for stored in run.responses()}
        readings = [stored.reading for stored in run.readings(run.find_judge(judge or judged.judge))]
    return [(asked[reading.subject.id], reading) for reading in readings]


def sent(reading: Reading) -> str:
    assert reading.provenance is not None
    return reading.provenance.prompt_sent


def texts(server: Server) -> list[str]:
    """What the server was really asked."""
    messages = [request["body"]["messages"][-1] for request in server.requests()]
    return [part["text"] for message in messages for part in message["content"] if part["type"] == "text"]


def test_every_question_is_put_once_and_its_answer_read(production: Judged) -> None:
    found = read(production)
    assert len(found) == 6
    for item, reading in found:
        assert isinstance(reading.evidence, Words)
        assert reading.value == Known(int(reading.evidence.text))
        assert reading.rule == "strict@2"
        assert sent(reading) == f"{item.asks[0].wording} Answer with a number."


def test_a_reading_says_which_model_answered_what_and_at_what_expense(production: Judged, server: Server) -> None:
    for _, reading in read(production):
        made = reading.provenance
        assert made is not None
        assert str(made.revision).startswith("test-model-2026-01-01")
        assert made.parameters == {"base_url": server.base_url, "sends_seed": False}
        assert (made.tokens_in or 0) > 85
        assert made.tokens_out == 1
        assert made.versions["subitize"]


def test_going_on_asks_nothing_again(production: Judged, server: Server) -> None:
    before = server.counters().received
    again = call(*production.command)
    judged = call("judge", production.folder, "--judge", production.judge)
    assert (again.code, judged.code) == (0, 0)
    assert "0 new readings" in judged.out
    assert server.counters().received == before


def test_every_look_has_a_key_of_its_own_and_another_judge_has_others(production: Judged, server: Server) -> None:
    keys = {request["headers"]["idempotency-key"] for request in server.requests()}
    judged = call("judge", production.folder, "--judge", judge_of(server, ",policy=total"))
    assert judged.code == 0, judged.err
    requests = server.requests()
    others = {request["headers"]["idempotency-key"] for request in requests[-6:]}
    assert (len(keys), len(others), len(keys & others)) == (6, 6, 0)
    by_policy = [
        {(reading.subject.id, sent(reading)) for _, reading in found}
        for found in (read(production), read(production, judge_of(server, ",policy=total")))
    ]
    assert by_policy[0] == by_policy[1]


def test_what_it_costs_is_counted(production: Judged, server: Server, tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(PRICES, encoding="utf-8")
    judge = judge_of(server, ",temperature=0")
    judged = call("judge", production.folder, "--judge", judge, "--prices", prices, "--max-cost", 1)
    assert judged.code == 0, judged.err
    for _, reading in read(production, judge):
        made = reading.provenance
        assert made is not None
        assert made.price_usd == pytest.approx(((made.tokens_in or 0) + 2 * (made.tokens_out or 0)) / 1e6)


def numbers_in(text: str) -> set[int]:
    """The numbers that a text names, in digits or words."""
    words = {in_words(number): number for number in range(21)}
    tokens = re.findall(r"[a-z]+|\d+", text.lower())
    return {
        int(token) if token.isdecimal() else words[token] for token in tokens if token.isdecimal() or token in words
    }


def test_what_was_stored_as_sent_was_sent(geckonum: Judged, agreeing: Server) -> None:
    assert sorted(sent(reading) for _, reading in read(geckonum)) == sorted(texts(agreeing))


def test_a_blind_question_never_comes_with_the_prompt_or_the_number(geckonum: Judged, production: Judged) -> None:
    blind = [(item, one) for item, one in [*read(geckonum), *read(production)] if not one.question.is_informed]
    assert len({type(one.question) for _, one in blind}) == 3
    for item, reading in blind:
        assert isinstance(item.task, Draw)
        text = sent(reading)
        if isinstance(reading.question, Choose):  # the lines are the same whatever the prompt asks for
            text = text.replace("\n".join(text.splitlines()[1:-1]), "")
        assert item.task.prompt.rstrip(".").lower() not in text.lower()
        assert numbers_in(text) == set()


def test_informed_questions_say_no_more_than_their_own_words_and_are_marked(geckonum: Judged) -> None:
    informed = [(item, one) for item, one in read(geckonum) if one.question.is_informed]
    assert informed
    for item, reading in informed:
        wording = next(ask.wording for ask in item.asks if ask.question == reading.question)
        assert sent(reading) == f"{wording} Answer yes or no."
    scored = call("score", geckonum.folder)
    assert "† informed: the judge knew what was asked for" in scored.out
    rows: list[dict[str, Any]] = call("score", geckonum.folder, "--by", "task", "--json").json()
    assert {row["group"]: row["is_informed"] for row in rows if row["factor"] == "task"}["2"] is False


def test_a_line_is_chosen_by_its_letter(geckonum: Judged) -> None:
    chosen = [reading for _, reading in read(geckonum) if isinstance(reading.question, Choose)]
    assert {reading.value for reading in chosen} == {Known(1)}


def test_a_digit_a_doubt_and_two_letters_choose_no_line(tmp_path: Path) -> None:
    said = ["1", "(a) wrong", "b. c could also be"]
    lines = cycle(said)

    def answer(_: int, body: object) -> Answer:
        return 200, {}, chat({"content": next(lines) if "\\n(a) " in json.dumps(body) else "3"})

    with scripting(answer) as server:
        judged = draw_and_judge(tmp_path / "run", server, "geckonum:types=approx-2-entity", "--limit", len(said))
    chosen = [reading for _, reading in read(judged) if isinstance(reading.question, Choose)]
    assert sorted(reading.evidence.text for reading in chosen if isinstance(reading.evidence, Words)) == sorted(said)
    assert all(isinstance(reading.value, Discarded) for reading in chosen)


def test_the_observer_asked_in_words_counts_what_the_observer_counts(production: Judged) -> None:
    for judge in ("observer", "vlm:observer"):
        assert call("judge", production.folder, "--judge", judge).code == 0
    by_judge = [
        {(item.id, reading.question.id): reading.value for item, reading in read(production, judge)}
        for judge in ("observer", "vlm:observer")
    ]
    assert len(by_judge[0]) == 6
    assert by_judge[0] == by_judge[1]
    assert all(value == Known(int(item.split("/")[-1])) for (item, _), value in by_judge[0].items())


def test_a_judge_that_refuses_gives_no_words_and_its_reason_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.evaluate.driving._FIRST_WAIT_SECONDS", 0.01)
    faults = (Fault("refusal", calls=(0,)), Fault("content_filter", calls=(1,)), Fault("error_500", calls=(2,)))
    with serving(Behaviour(faults=faults)) as server:
        judged = draw_and_judge(tmp_path / "run", server, "production:numbers=1-3,categories=dots")
    readings = [reading for _, reading in read(judged)]
    refused = [one for one in readings if one.evidence == Words("")]
    assert sorted(str(one.provenance.parameters["refused"]) for one in refused if one.provenance) == [
        "There are 3.",
        "content filter",
    ]
    assert all(one.value == Discarded("no number") for one in refused)
    # The server's own error was tried again.
    assert [one.value for one in readings if one not in refused] == [Known(3)]


@pytest.mark.slow
def test_a_judge_that_declines_is_no_refusal_of_the_model_that_drew(tmp_path: Path) -> None:
    said = ["I'm sorry, I can't count these.", "I cannot see any image."]
    with scripting(lambda ordinal, _: (200, {}, chat({"content": said[ordinal]}))) as server:
        judged = draw_and_judge(tmp_path / "run", server, "production:numbers=2-3,categories=dots")
    assert {reading.evidence for _, reading in read(judged)} == {Words(text) for text in said}
    rows: list[dict[str, Any]] = call("score", judged.folder, "--json").json()
    assert {row["measure"]: row["value"] for row in rows if row["group"] == "all"} == {"unknown": 1.0}


def test_a_model_that_is_not_there_is_one_line_and_exit_code_2(production: Judged, server: Server) -> None:
    judge = judge_of(server).replace("test-model", "no-model")
    finished = call("judge", production.folder, "--judge", judge)
    assert finished.code == 2
    tested, error = finished.err.splitlines()
    assert "self-test" in tested
    assert error.startswith("subitize: ")
    assert "no-model" in error


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("vlm:painter", r"the model does not answer any \(it can: draw\); take vlm:openai:MODEL"),
        ("vlm", "judge 'vlm' needs MODEL: write vlm:MODEL"),
        ("vlm:observer,policy=geckonum", "no policy named 'geckonum'; known: final, strict, total"),
        ("vlm:observer,temperature=0", "model 'observer' has no option 'temperature'"),
        ("vlm:nobody", "no model named 'nobody'"),
    ],
    ids=["draws only", "nobody", "policy for digits", "option of neither", "unknown"],
)
def test_what_cannot_judge_says_what_can(spec: str, message: str) -> None:
    with pytest.raises((BadValueError, UnknownNameError), match=message):
        make_judge(spec)


@pytest.mark.usefixtures("odd_models")
@pytest.mark.parametrize(
    ("spec", "waits", "is_metered"),
    [("vlm:observer", False, False), ("vlm:instant", True, False), ("vlm:openai:m,base_url=http://h/v1", True, True)],
    ids=["computes", "waits", "is paid for"],
)
def test_it_is_what_its_model_is(spec: str, waits: bool, is_metered: bool) -> None:
    judge = make_judge(spec).obj
    assert isinstance(judge, Responds) == waits
    assert isinstance(judge, Computes) != waits
    assert bool(judge.base_url and judge.served_name) == is_metered
    assert judge.is_stand_in != is_metered
    assert not judge.asks_together


@pytest.mark.usefixtures("odd_models")
def test_it_has_as_many_under_way_as_its_model() -> None:
    judge = make_judge("vlm:instant:concurrency=7").obj
    assert isinstance(judge, Responds)
    assert judge.concurrency == 7

    async def ask() -> tuple[Finding, ...]:
        async with judge.opened():
            exhibit = JudgeRequest((PICTURE,), (JudgeQuestion(Count("dog"), "How many dogs?"),), lambda _: b"")
            found: tuple[Finding, ...] = await judge.respond(exhibit)
            return found

    assert [finding.evidence for finding in asyncio.run(ask())] == [Words("3")]


LINES = Choose(("no dogs", "some dogs"))


ANSWERABLE: dict[str, tuple[Question, list[Outcome], bool]] = {
    "count": (Count("dog"), [PICTURE], True),
    "lines": (LINES, [PICTURE], True),
    "statement": (Confirm("there are 3 dogs", is_informed=True), [PICTURE], True),
    "prompt": (MatchesPrompt(), [PICTURE], True),
    "name": (Name(), [PICTURE], True),
    "text": (Transcribe(), [PICTURE], True),
    "score": (Fit("3 dogs"), [PICTURE], False),
    "more lines than letters": (Choose(tuple(map(str, range(27)))), [PICTURE], False),
    "four pictures": (MatchesPrompt(), [PICTURE] * 4, False),
    "words": (Count("dog"), [Said("3 dogs")], False),
    "no pixels": (Count("dog"), [Drawn(Elsewhere("a.png"))], False),
    "nothing": (Count("dog"), [], False),
}


def test_it_answers_in_words_about_one_picture(case: Case) -> None:
    judge = make_judge("vlm:observer").obj
    for name, (question, outcomes, can) in ANSWERABLE.items():
        with case(name):
            assert judge.can_answer(question, outcomes) == can


@pytest.mark.parametrize(
    ("question", "wording", "expected"),
    [
        (Count("dog"), "How many dogs are there?", "How many dogs are there? Answer with a number."),
        (Confirm("there are some dogs", is_informed=False), "Are there dogs?", "Are there dogs? Answer yes or no."),
        (
            Confirm("there are 3 dogs", is_informed=True),
            "Are there exactly 3 dogs?",
            "Are there exactly 3 dogs? Answer yes or no.",
        ),
        (
            MatchesPrompt(),
            "Does the image show exactly this?",
            'The picture was asked for in these words: "3 dogs."\nDoes the image show exactly this? Answer yes or no.',
        ),
        (
            LINES,
            "Which line fits?",
            "Which line fits?\n(a) no dogs\n(b) some dogs\nAnswer with the letter of the line.",
        ),
        (Name(), "What does the image represent?", "What does the image represent?"),
        (Transcribe(), "What is written in it?", "What is written in it?"),
    ],
    ids=["count", "blind statement", "informed statement", "prompt", "lines", "name", "text"],
)
def test_a_question_is_put_with_the_form_of_its_answer(question: Question, wording: str, expected: str) -> None:
    assert phrase(JudgeQuestion(question, wording), "3 dogs.") == expected


def test_without_a_prompt_there_is_nothing_to_match() -> None:
    with pytest.raises(ValueError, match="only where there is a prompt"):
        phrase(JudgeQuestion(MatchesPrompt(), "Does it match?"), None)


class Batching(Model):
    """A model that computes batch by batch, says how long each question is, and chokes on one of them."""

    tasks = frozenset({"answer"})
    batch_size = 3

    def __init__(self, chokes_on: str = "nothing") -> None:
        self.chokes_on, self.checks = chokes_on, 0
        self.batches: list[list[str]] = []

    def check(self) -> None:
        self.checks += 1

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        self.batches.append([request.item_id for request in requests])
        return [
            Reply(
                Failed("too dark", is_transient=False)
                if self.chokes_on in request.text
                else Said(str(len(request.text))),
                request.provenance(),
            )
            for request in requests
        ]


NOUNS = ("dog", "cat", "horse", "elephant", "fly")


def exhibits(*nouns: str) -> list[JudgeRequest]:
    asked = (JudgeQuestion(Count(noun), f"How many {noun} are there?") for noun in nouns)
    return [JudgeRequest((PICTURE,), (inquiry,), lambda _: b"") for inquiry in asked]


def test_a_model_that_computes_in_batches_gets_all_questions_in_its_batches() -> None:
    model = Batching()
    judge = Vlm(model)
    assert isinstance(judge, ComputesSeveral)
    judge.check()
    assert (judge.batch_size, model.checks) == (3, 1)
    together = judge.compute_all(exhibits(*NOUNS))
    assert model.batches == [[f"count:{noun}" for noun in NOUNS[:3]], [f"count:{noun}" for noun in NOUNS[3:]]]
    one_by_one = [found for one in exhibits(*NOUNS) for found in make_judge_of(Batching()).compute_all([one])]
    assert together == one_by_one
    assert [finding.evidence for (finding,) in together] == [Words(str(len(noun) + 42)) for noun in NOUNS]


def make_judge_of(model: Batching) -> ComputesSeveral[JudgeRequest, tuple[Finding, ...]]:
    judge = Vlm(model)
    assert isinstance(judge, ComputesSeveral)
    return judge


def test_what_was_answered_beside_a_failure_is_not_asked_again() -> None:
    model = Batching(chokes_on="horse")
    judge = make_judge_of(model)
    with pytest.raises(ValueError, match="too dark"):
        judge.compute_all(exhibits("dog", "horse", "cat"))
    assert [finding.evidence for (finding,) in judge.compute_all(exhibits("dog", "cat"))] == [Words("45")] * 2
    with pytest.raises(ValueError, match="too dark"):
        judge.compute_all(exhibits("horse"))
    assert model.batches == [["count:dog", "count:horse", "count:cat"], ["count:horse"]]


def test_a_model_that_gives_too_few_replies_is_told_so() -> None:
    class Short(Batching):
        def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
            return super().compute_all(requests)[1:]

    with pytest.raises(ValueError, match="the model gave 1 replies to 2 questions"):
        make_judge_of(Short()).compute_all(exhibits("dog", "cat"))
