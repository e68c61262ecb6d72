"""Networks that are asked questions are tested by photographs: one that knows passes, one that guesses is refused."""

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from subitize.errors import BadFileError, UnusableModelError
from subitize.interfaces import Judge, Model, Reply, Request, SelfTest
from subitize.io.images import decode
from subitize.judges.asking import Dsg, FitJudge, Vlm
from subitize.judges.clip import ClipScore
from subitize.judges.ocr import Ocr
from subitize.language.nouns import plural
from subitize.networks.collages import PHOTO_NOUNS, make_collage
from subitize.records import Said, Scored
from tests.cases import Case

pytestmark = pytest.mark.detect

Answering = Callable[[str, str], str]


class Network(Model):
    """Answers, and scores, by what a photograph shows and what is asked."""

    tasks = frozenset({"answer", "match"})
    batch_size = 3

    def __init__(self, answer: Answering) -> None:
        self._answer = answer

    def compute_all(self, requests: Sequence[Request], /) -> list[Reply]:
        return [self._reply(request) for request in requests]

    def _reply(self, request: Request) -> Reply:
        said = self._answer(_shown(request), request.text)
        if request.task.kind == "match":
            return Reply(Scored({"match": float(said)}), request.provenance())
        return Reply(Said(said), request.provenance())


@cache
def _photographs() -> dict[bytes, str]:
    return {make_collage([noun], seed).pixels.tobytes(): noun for noun in PHOTO_NOUNS for seed in (0, 1)}


def _shown(request: Request) -> str:
    return _recognise(request.picture())


@cache
def _recognise(picture: bytes) -> str:
    return _photographs()[decode(picture).tobytes()]


def names(text: str, noun: str) -> bool:
    return f" {noun}" in text or f" {plural(noun)}" in text


def yes_or_no(noun: str, text: str) -> str:
    return "yes" if names(text, noun) else "no"


def only_counts(noun: str, text: str) -> str:
    return str(int(names(text, noun)))


def scores(noun: str, text: str) -> str:
    return "0.9" if names(text, noun) else "0.4"


def self_test(judge: Judge) -> SelfTest:
    return judge.self_test()


def test_a_network_that_knows_what_is_shown_passes() -> None:
    for judge in (Vlm(Network(yes_or_no)), Dsg(Network(yes_or_no)), FitJudge(Network(scores))):
        result = self_test(judge)
        assert result.is_passed
        assert result.summary.startswith("8 of 8 ")


def test_one_that_only_counts_may_count_but_not_confirm() -> None:
    def count(noun: str, text: str) -> str:
        return only_counts(noun, text) if text.startswith("How many") else "three"

    assert self_test(Vlm(Network(count))).is_passed
    with pytest.raises(UnusableModelError, match="0 of 8 questions about photographs"):
        self_test(Dsg(Network(count)))


@pytest.mark.parametrize("make", [Vlm, Dsg])
def test_one_that_always_says_the_same_is_refused(make: Callable[[Network], Judge], case: Case) -> None:
    for answer in ("yes", "no", "", "1", "0", "a cat"):
        with case(answer), pytest.raises(UnusableModelError, match=r"of 8 questions .*its weights are damaged"):
            self_test(make(Network(lambda *_, answer=answer: answer)))


@pytest.mark.parametrize("score", [lambda *_: "0.5", lambda noun, text: str(len(text))], ids=["alike", "by text alone"])
def test_one_that_scores_without_looking_is_refused(score: Answering) -> None:
    with pytest.raises(UnusableModelError, match=r"[02] of 8 photographs fit their own names best"):
        self_test(FitJudge(Network(score)))


def test_one_that_is_shown_something_else_than_pictures_cannot_be_tested() -> None:
    def refuse(*_: str) -> str:
        raise BadFileError("regions.npz has no features of this picture")

    for judge in (Vlm(Network(refuse)), FitJudge(Network(refuse))):
        assert self_test(judge) == SelfTest(False, "cannot be tested: regions.npz has no features of this picture")


def test_a_judge_with_questions_of_its_own_says_what_they_are_about() -> None:
    silent = Network(lambda *_: "0")
    told = {judge.asks_about for judge in (Dsg(silent), FitJudge(silent))}
    assert told == {"drawings of prompts that it can make a scene graph of", "drawings of prompts"}
    assert not Vlm(silent).asks_about
    assert (Ocr.asks_about, ClipScore.asks_about) == (
        "text that prompts quote, or that a suite asks for",
        "drawings of prompts",
    )


def test_what_is_told_quotes_a_question_that_was_asked() -> None:
    with pytest.raises(UnusableModelError, match=r"\(Is there a cat in the image\? …\) answered right"):
        self_test(Dsg(Network(lambda *_: "yes")))


def test_the_test_can_be_left_out() -> None:
    guessing = Network(lambda *_: "yes")
    for judge in (
        Vlm(guessing, self_test=False),
        Dsg(guessing, self_test=False),
        FitJudge(guessing, self_test=False),
    ):
        assert self_test(judge) == SelfTest(False, "left out (self_test=false)")
