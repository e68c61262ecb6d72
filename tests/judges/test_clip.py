"""CLIP as a judge: which rivals are drawn, what is kept as evidence, and that weights without sense are refused."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from subitize.analysis.alignment import align_run
from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.interfaces import JudgeQuestion, JudgeRequest, SelfTest
from subitize.judges.asking import NOUNS, shown_picture
from subitize.judges.clip import Clip, ClipScore, Encoders, draw_rivals, is_akin
from subitize.labels import interpret, parse_rule
from subitize.networks import collages
from subitize.networks.encoders import LazyImage
from subitize.records import Ask, Compared, Confirm, Count, Drawn, Fit, Known, Measured, Question, Stored
from subitize.store import Run
from tests.commands import call
from tests.judges.drawn_prompts import item, made, new_run, paint_all, presence
from tests.networks.tiny_weights import find_tiny
from tests.runs import judge_run

PICTURE = Drawn(Stored("0" * 64, "png"))
APPLES = Confirm("there are some apples", is_informed=False)
NO_SEEDS = Confirm("there are no seeds", is_informed=False)
PRESENCE = "it answers only whether things are there, or are not"
COLOUR = "cannot tell what colour there is: 'red apple'"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return find_tiny("clip", tmp_path_factory)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    no_seeds = Ask(NO_SEEDS, "Is it free of seeds?", (True,))
    items = [
        item(0, "Three apples.", [presence("apples")]),
        item(1, "2 dogs above a cat.", [presence("dogs"), presence("cats")]),
        item(2, "A watermelon with no seeds", [presence("watermelons"), no_seeds]),
    ]
    with new_run(tmp_path_factory.mktemp("drawn") / "run", items) as run:
        paint_all(run)
        yield run


def exhibit(run: Run, index: int, *questions: Question, prompt: str | None = None) -> JudgeRequest:
    outcome = [stored.response.outcome for stored in run.responses()][index]
    assert isinstance(outcome, Drawn)
    asked = tuple(JudgeQuestion(one, one.id) for one in questions)
    return JudgeRequest((outcome,), asked, run.image_files.load, prompt)  # type: ignore[arg-type]


def compared(judge: Clip, *exhibits: JudgeRequest) -> list[dict[str, float]]:
    found = [finding.evidence for findings in judge.compute_all(exhibits) for finding in findings]
    assert all(isinstance(one, Compared) for one in found)
    return [dict(one.scores) for one in found if isinstance(one, Compared)]


def test_rivals_rest_on_the_lot_alone() -> None:
    assert draw_rivals("apple", 5, "one") == draw_rivals("apple", 5, "one")
    assert draw_rivals("apple", 5, "one") != draw_rivals("apple", 5, "two")
    assert draw_rivals("apple", 9, "one")[:5] == draw_rivals("apple", 5, "one")


def test_leaving_one_thing_out_leaves_the_others_in_their_places() -> None:
    rivals = draw_rivals("apple", 9, "one")
    without = draw_rivals("apple", 9, "one", [rivals[2]])
    assert rivals[2] not in without
    others = [one for one in draw_rivals("apple", 30, "one") if not is_akin(one, rivals[2])]
    assert list(without) == others[:9]


@pytest.mark.parametrize(
    ("one", "other", "are_akin"),
    [
        ("apple", "apples", True),
        ("airplane", "plane", True),
        ("couch", "sofa", True),
        ("table", "dining table", True),
        ("teddy bear", "bear", True),
        ("mug", "wine glass", True),
        ("apple", "dog", False),
        ("cup", "pizza", False),
    ],
)
def test_the_same_and_the_akin_do_not_distract(one: str, other: str, are_akin: bool) -> None:
    assert is_akin(one, other) == is_akin(other, one) == are_akin


def test_no_rival_is_akin_to_what_is_asked_about() -> None:
    assert_no_rival_is_akin(NOUNS[::8])


@pytest.mark.proof("subitize.judges.clip")
def test_no_rival_is_akin_to_anything_that_can_be_asked_about() -> None:
    assert_no_rival_is_akin(NOUNS)


def assert_no_rival_is_akin(nouns: Sequence[str]) -> None:
    for noun in nouns:
        rivals = draw_rivals(noun, 9, "any", ["dog", "cat"])
        assert len(set(rivals)) == 9
        assert not any(is_akin(rival, known) for rival in rivals for known in (noun, "dog", "cat"))


@pytest.mark.torch
def test_presence_is_compared_with_5_others_and_absence_with_9(weights: Path, run: Run) -> None:
    apples, seeds = compared(Clip(str(weights)), exhibit(run, 0, APPLES, NO_SEEDS))
    assert (len(apples), len(seeds)) == (6, 10)
    assert next(iter(apples)) == "a photo of an apple"
    assert next(iter(seeds)) == "a photo of a seed"
    assert all(text.startswith("a photo of ") for text in [*apples, *seeds])
    assert all(-1 <= score <= 1 for score in [*apples.values(), *seeds.values()])


@pytest.mark.torch
def test_the_same_picture_question_and_seed_have_the_same_rivals_in_any_company(weights: Path, run: Run) -> None:
    judge = Clip(str(weights))
    alone = compared(judge, exhibit(run, 0, APPLES))[0]
    in_batch = compared(judge, exhibit(run, 1, NO_SEEDS), exhibit(run, 0, APPLES))[1]
    assert list(alone) == list(in_batch)
    np.testing.assert_allclose(list(alone.values()), list(in_batch.values()), atol=1e-4)
    assert list(compared(Clip(str(weights), seed=1), exhibit(run, 0, APPLES))[0]) != list(alone)


@pytest.mark.torch
def test_what_else_is_asked_about_or_told_never_distracts(weights: Path, run: Run) -> None:
    judge = Clip(str(weights), distractors=9)
    (alone,) = compared(judge, exhibit(run, 0, APPLES))
    rival = list(alone)[1].removeprefix("a photo of ").partition(" ")[2]
    other = Confirm(f"there are some {rival}", is_informed=False)
    assert list(alone)[1] not in compared(judge, exhibit(run, 0, APPLES, other))[0]
    told = exhibit(run, 0, APPLES, prompt=f"An apple and a {rival.upper()}.")
    assert list(alone)[1] not in compared(judge, told)[0]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("question", "can", "why"),
    [
        (APPLES, True, ""),
        (NO_SEEDS, True, ""),
        (Confirm("there are 3 apples", is_informed=True), False, PRESENCE),
        (Confirm("there are no whole apples", is_informed=False), False, PRESENCE),
        (Confirm("there are some red apples", is_informed=False), False, COLOUR),
        (Confirm("there are some oranges", is_informed=False), True, ""),
        (Count("apple"), False, PRESENCE),
    ],
    ids=["presence", "absence", "number", "form", "colour", "orange", "count"],
)  # fmt: skip
def test_it_tells_what_is_there_and_what_is_not(weights: Path, question: Question, can: bool, why: str) -> None:
    judge = Clip(str(weights))
    assert judge.can_answer(question, [PICTURE]) == can
    assert judge.why_not(question) == why
    assert not judge.can_answer(question, [PICTURE, PICTURE])


@pytest.mark.torch
def test_it_judges_a_run_and_its_evidence_can_be_read_anew(weights: Path, run: Run) -> None:
    judge = f"clip:{weights},self_test=false"
    finished = call("judge", run.location, "--judge", judge)
    assert finished.code == 0, finished.err
    assert ": left out (self_test=false)" in finished.err
    readings = [stored.reading for stored in run.readings(f"clip:{weights}")]
    assert len(readings) == 5
    for reading in readings:
        assert isinstance(reading.evidence, Compared)
        first, *others = reading.evidence.scores.values()
        is_absence = reading.question == NO_SEEDS
        assert reading.value == Known((first > max(others)) != is_absence)
        assert reading.value == interpret(reading.evidence, reading.question, parse_rule("compared"))
        assert reading.provenance is not None
        assert len(str(reading.provenance.weights_hash)) == 64
        assert set(reading.provenance.versions) == {"torch", "transformers"}
    again = call("judge", run.location, "--judge", judge)
    assert "0 new readings" in again.out


@pytest.mark.torch
@pytest.mark.parametrize("make", [Clip, ClipScore])
def test_weights_that_were_never_trained_are_refused(weights: Path, make: Any) -> None:  # noqa: ANN401
    with pytest.raises(UnusableModelError, match=r"^\d of 24 rounds won .* is taken for a"):
        make(str(weights)).self_test()


@pytest.mark.torch
def test_a_refused_judge_is_one_line_and_exit_code_2(weights: Path, run: Run) -> None:
    finished = call("judge", run.location, "--judge", f"clip:{weights},seed=7")
    assert (finished.code, finished.err.count("\n")) == (2, 1)
    # The seed is named beside other judges of that model in the run.
    assert re.match(rf"subitize: judge clip:{weights.name}(?: seed=7)? failed its self-test: ", finished.err)
    assert finished.err.count("clip:") == 1
    assert list(run.readings(f"clip:{weights},seed=7")) == []


class _Knowing(Encoders):
    """Encoders that know what the photographs show, or find all names alike."""

    def __init__(self, *, is_right: bool) -> None:
        self._is_right, self._is_tested = is_right, True

    @property
    def similarity(self) -> Any:  # noqa: ANN401
        return self

    def _phrase(self, noun: str) -> str:
        return f"a photo of a {noun}"

    def similarities(self, views: Any, texts: list[str]) -> NDArray[np.float64]:  # noqa: ANN401
        return np.array(
            [[float(self._is_right and text.endswith(f" {view.name}")) for text in texts] for view in views]
        )


@pytest.mark.detect
def test_one_that_knows_what_photographs_show_passes_and_one_to_which_all_is_alike_does_not() -> None:
    result = _Knowing(is_right=True).self_test()
    assert result == SelfTest(True, "24 of 24 rounds won by what photographs show")
    with pytest.raises(UnusableModelError, match="0 of 24 rounds"):
        _Knowing(is_right=False).self_test()


@pytest.mark.torch
def test_without_photographs_it_says_why_it_cannot_be_tested(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collages._photograph.cache_clear()
    monkeypatch.setattr(collages, "find_spec", lambda name: None)
    result = Clip(str(weights)).self_test()
    collages._photograph.cache_clear()
    assert not result.is_passed
    assert "cannot be tested: " in result.summary
    assert "scikit-image" in result.summary


@pytest.mark.torch
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"distractors": 0}, "distractors=0: should be from 1 to 50"),
        ({"absence_distractors": 51}, "absence_distractors=51"),
        ({"template": "a photo"}, "should have one {}"),
        ({"template": "{} and {}"}, "should have one {}"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"dtype": "int3"}, "dtype='int3'"),
    ],
)
def test_a_wrong_option_is_refused(weights: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValueError, match=message):
        Clip(str(weights), **options)


@pytest.mark.torch
def test_a_folder_that_is_no_model_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="no model"):
        Clip(str(tmp_path))
    with pytest.raises(BadFileError, match="there is no folder"):
        ClipScore(str(tmp_path / "nowhere"))


@pytest.mark.torch
def test_clipscore_is_2_5_times_the_cosine_and_never_below_0(weights: Path, run: Run) -> None:
    judge = ClipScore(str(weights))
    assert [ask.question for ask in judge.asks(run.items()[0])] == [Fit("Three apples.")]
    similarity = ClipScore(str(weights)).similarity
    exhibits = [exhibit(run, 0, Fit("Three apples.")), exhibit(run, 1, Fit("no"), Fit("2 dogs"))]
    found = [finding.evidence for findings in judge.compute_all(exhibits) for finding in findings]
    views = [LazyImage.of(shown_picture(one), one.load) for one in exhibits]
    cosines = similarity.similarities(views, [f"A photo depicts {text}" for text in ("Three apples.", "no", "2 dogs")])
    expected = [2.5 * max(float(cosine), 0) for cosine in (cosines[0, 0], cosines[1, 1], cosines[1, 2])]
    assert [one.score for one in found if isinstance(one, Measured)] == pytest.approx(expected, abs=1e-4)


@pytest.mark.torch
def test_clipscore_judges_whole_prompts(weights: Path, run: Run) -> None:
    summary = judge_run(run, made("clipscore:tiny", ClipScore(str(weights))))
    assert (summary.readings, summary.failed) == (3, 0)
    (aligned,) = align_run(run, "clipscore:tiny")
    assert aligned.measure == "fit"
    scores = [stored.reading.value for stored in run.readings("clipscore:tiny")]
    values = [float(one.value) for one in scores if isinstance(one, Known)]
    assert aligned.estimate.value == pytest.approx(sum(values) / 3)
