"""From observations to the measures of Numbersense, against figures worked out by hand with scipy."""

import cProfile
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from subitize.analysis.counting import ALL, CountingReport, baselines, measure_counting
from subitize.errors import NothingToDoError
from subitize.frame import FrameRow, Status, frame_seen
from subitize.records import Answer, Ask, Confirm, Control, Count, Draw, Item, Name, Scalar, Stimulus
from subitize.stats.response_law import human_law
from subitize.stats.weber import Weber

CATEGORIES = ("apples", "dots", "people")
NUMBERS = tuple(range(1, 11))


def naming(
    number: int, category: str = "apples", *, wording: str = "things", seed: int = 0, control: Control | None = None
) -> Item:
    question = f"How many {wording} are there in the picture?"
    task = Answer(Stimulus(category, number, seed, control=control), question)
    factors: dict[str, Scalar] = {"category": category, "number": number, "wording": wording}
    return Item(f"naming/{category}/{number}/{seed}/{wording}", task, (Ask(Count("x"), question, (number,)),), factors)


def production(number: int, category: str = "apples") -> Item:
    ask = Ask(Count("x"), "How many?", (number,))
    return Item(f"production/{category}/{number}", Draw("An image"), (ask,), {"category": category, "number": number})


def observe(item: Item, value: Scalar | None, *, status: Status = "eligible", model: str = "m") -> FrameRow:
    return FrameRow(item, item.asks[0], status, value, model, "parser")


def respond(
    law: Callable[[int], np.ndarray], trials: int = 30, *, wording: str = "things", model: str = "m", seed: int = 0
) -> list[FrameRow]:
    """Answer as a model of known law, `trials` times to each number in each category."""
    random = np.random.default_rng(seed)
    return [
        observe(naming(number, category, wording=wording, seed=index), int(response), model=model)
        for category in CATEGORIES
        for number in NUMBERS
        for index, response in enumerate(1 + random.choice(len(law(number)), trials, p=law(number)))
    ]


def one_of(observations: Sequence[FrameRow]) -> CountingReport:
    (found,) = measure_counting({"run": frame_seen(observations)})
    return found


@pytest.fixture(scope="module")
def human() -> list[FrameRow]:
    return respond(human_law)


@pytest.fixture(scope="module")
def measured(human: list[FrameRow]) -> CountingReport:
    return one_of(human)


def pairs(observations: Iterable[FrameRow], category: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Give responses and targets as arrays."""
    found = [
        (one.value, one.item.factors["number"])
        for one in observations
        if category in (None, one.item.factors["category"])
    ]
    responses, targets = np.array(found, dtype=float).T
    return responses, targets


def matrix(observations: Sequence[FrameRow], category: str) -> np.ndarray:
    responses, targets = pairs(observations, category)
    counts = np.histogram2d(np.minimum(responses, 20), targets, [np.arange(0.5, 21), np.arange(0.5, 11)])[0]
    return np.asarray(counts)


def test_accuracy_and_errors_are_those_computed_by_hand(human: list[FrameRow], measured: CountingReport) -> None:
    responses, targets = pairs(human)
    errors = abs(responses - targets)
    for estimate, values in ((measured.mae, errors), (measured.nae, errors / targets)):
        assert estimate is not None
        assert estimate.value == pytest.approx(values.mean(), abs=1e-9)
        assert estimate.n == len(values)
    assert measured.accuracy == measured.accuracy_answered
    assert measured.accuracy is not None
    assert measured.accuracy.value == np.mean(errors == 0)
    assert (measured.eligible, measured.discarded, measured.refused, measured.zeros) == (900, 0, 0, 0)
    assert measured.smallest_cell == 30


def test_matrices_are_counts_by_category_and_of_all(human: list[FrameRow], measured: CountingReport) -> None:
    assert list(measured.matrices) == [ALL, *CATEGORIES]
    assert (measured.categories, measured.numbers) == (CATEGORIES, NUMBERS)
    assert measured.responses == tuple(range(1, 21))
    for category in CATEGORIES:
        np.testing.assert_array_equal(measured.matrices[category], matrix(human, category))
    np.testing.assert_array_equal(measured.matrices[ALL], sum(measured.matrices[one] for one in CATEGORIES))


def test_likeness_and_abstraction_are_pearsons_of_shares(human: list[FrameRow], measured: CountingReport) -> None:
    shares = {category: matrix(human, category) / 30 for category in CATEGORIES}
    ideal = np.stack([human_law(number) for number in NUMBERS], axis=1)
    expected = stats.pearsonr(np.mean(list(shares.values()), axis=0).ravel(), ideal.ravel()).statistic
    assert measured.human_correlation is not None
    assert measured.human_correlation.value == pytest.approx(expected, abs=1e-9)
    assert measured.human_correlation.high > 0.99
    between = {
        pair: stats.pearsonr(shares[pair[0]].ravel(), shares[pair[1]].ravel()).statistic
        for pair in itertools.combinations(CATEGORIES, 2)
    }
    assert measured.abstraction is not None
    assert measured.abstraction.pair == min(between, key=lambda pair: between[pair])
    assert measured.abstraction.estimate.value == pytest.approx(min(between.values()), abs=1e-9)


def test_biases_are_wilcoxons_by_category_and_of_all(human: list[FrameRow], measured: CountingReport) -> None:
    assert [bias.category for bias in measured.biases] == [ALL, *CATEGORIES]
    for bias in measured.biases:
        responses, targets = pairs(human, None if bias.category == ALL else bias.category)
        expected = stats.wilcoxon(responses - targets, zero_method="wilcox", correction=False, method="approx")
        assert bias.p_by_trial == pytest.approx(float(expected.pvalue), abs=1e-9)
        assert bias.p == pytest.approx(bias.p_by_trial, abs=0.2)  # a picture has one trial
        assert bias.r.value == pytest.approx(abs(bias.z) / math.sqrt(bias.n), abs=1e-12)
        assert bias.n == len(responses)
        assert bias.direction == "none"


def test_an_ideal_human_is_a_4_knower_with_the_weber_fraction_it_has(measured: CountingReport) -> None:
    assert measured.knower is not None
    assert measured.knower.level == 4
    assert isinstance(measured.weber, Weber)
    assert measured.weber.subitizing == 4
    assert measured.weber.estimate.low < 0.15 < measured.weber.estimate.high
    assert measured.scalar is not None
    assert [point.number for point in measured.scalar.points] == [5, 6, 7, 8, 9, 10]
    assert measured.cues is not None
    assert measured.cues.verdict == "number"


def test_an_exact_model_has_every_figure_or_none_but_never_nan() -> None:
    found = one_of(respond(lambda number: np.eye(20)[number - 1], 3))
    assert found.accuracy is not None
    assert found.accuracy.value == 1
    assert found.knower is not None
    assert found.knower.level == 10
    assert isinstance(found.weber, Weber)
    assert found.weber.estimate.value == 0
    assert found.scalar is None
    assert [bias.r.value for bias in found.biases] == [0, 0, 0, 0]
    assert found.abstraction is not None
    assert found.abstraction.estimate.value == pytest.approx(1, abs=1e-12)


def test_the_wording_with_the_smallest_error_is_kept_and_all_are_told() -> None:
    good = respond(human_law, 2, wording="things")
    bad = respond(lambda _: np.full(20, 0.05), 2, wording="objects")
    found = one_of([*bad, *good])
    assert found.wording == "things"
    assert [(one.wording, one.n) for one in found.wordings] == [("objects", 60), ("things", 60)]
    assert all_but(found, "wordings", "cues") == all_but(one_of(good), "wordings", "cues")


def all_but(found: CountingReport, *left_out: str) -> str:
    return repr({name: figure for name, figure in found.row().items() if name not in left_out})


def test_a_wording_that_is_hardly_answered_cannot_be_kept() -> None:
    lucky = [observe(naming(3, wording="objects"), 3)]
    lost = [observe(naming(3, wording="objects", seed=seed), None, status="discarded") for seed in range(1, 10)]
    usual = [observe(naming(3, wording="things", seed=seed), 4) for seed in range(10)]
    assert one_of([*lucky, *lost, *usual]).wording == "things"


def test_equal_errors_keep_the_wording_that_comes_first() -> None:
    found = one_of([observe(naming(3, wording=wording), 3) for wording in ("category", "objects", "things")])
    assert found.wording == "category"


def test_discarded_and_refused_answers_are_counted_apart() -> None:
    given = [
        *(observe(naming(2, seed=seed), 2) for seed in range(3)),
        observe(naming(2, seed=3), None, status="refused"),
        observe(naming(2, seed=4), None, status="discarded"),
        observe(naming(3), 3),
    ]
    found = one_of(given)
    assert (found.eligible, found.discarded, found.refused, found.smallest_cell) == (4, 1, 1, 1)
    assert found.accuracy is not None
    assert found.accuracy_answered is not None
    assert found.accuracy_read is not None
    assert found.coverage is not None
    assert (found.accuracy.value, found.accuracy_read.value, found.accuracy_answered.value) == (4 / 6, 4 / 5, 1.0)
    assert (found.coverage.value, found.coverage.n) == (4 / 6, 6)


def test_an_answer_of_nought_is_wrong_and_has_no_place_in_the_matrix() -> None:
    found = one_of([*(observe(naming(2, seed=seed), 2) for seed in range(3)), observe(naming(2, seed=3), 0)])
    assert (found.eligible, found.zeros, found.discarded) == (4, 1, 0)
    assert found.accuracy is not None
    assert found.accuracy.value == 0.75
    assert found.matrices[ALL].sum() == 3
    assert found.knower is not None
    assert found.knower.numbers[0].hits.value == 0.75
    assert found.human_correlation is not None
    assert found.human_correlation_all is not None
    assert found.human_correlation.value == pytest.approx(1)
    assert found.human_correlation_all.value < 0.98  # people never see nothing


def test_a_discarded_drawing_with_nothing_to_count_is_a_zero_and_not_right() -> None:
    empty = observe(production(2), 0, status="discarded")
    found = one_of([*(observe(production(2), 2) for _ in range(3)), empty])
    assert (found.eligible, found.zeros, found.discarded) == (3, 1, 1)
    assert found.accuracy is not None
    assert found.accuracy.value == 0.75
    assert (found.wording, found.wordings, found.cues, found.control) == (None, (), None, None)


def test_excluded_items_are_in_no_figure_and_counted() -> None:
    given = [observe(naming(2, seed=seed), 2) for seed in range(3)]
    found = one_of([*given, observe(naming(2, seed=9), 7)._replace(is_excluded=True)])
    assert (found.eligible, found.excluded) == (3, 1)
    assert found.mae is not None
    assert found.mae.value == 0


def test_only_exclusions_of_the_wording_kept_are_counted() -> None:
    given = [observe(naming(2, wording=wording), value) for wording, value in (("things", 2), ("objects", 5))]
    excluded = [
        observe(naming(2, wording=wording, seed=seed), 7)._replace(is_excluded=True)
        for wording, seeds in (("things", (1,)), ("objects", (1, 2)))
        for seed in seeds
    ]
    found = one_of([*given, *excluded])
    assert (found.wording, found.excluded) == ("things", 1)


def test_an_answer_that_is_nearly_right_is_no_hit() -> None:
    given = [observe(naming(number, seed=seed), number) for number in (1, 3) for seed in range(3)]
    found = one_of([*given, *(observe(naming(2, seed=seed), 2.4) for seed in range(3))])
    assert found.accuracy is not None
    assert found.accuracy.value == 6 / 9
    assert found.knower is not None
    assert [number.hits.value for number in found.knower.numbers] == [1, 0, 1]
    assert found.matrices[ALL][:3].tolist() == [[3, 0, 0], [0, 0, 0], [0, 3, 3]]


def test_everything_excluded_says_how_to_take_it_back() -> None:
    with pytest.raises(NothingToDoError, match=r"all counts are excluded; .*--undo"):
        measure_counting({"run": frame_seen([observe(naming(2), 2)._replace(is_excluded=True)])})


def test_a_run_without_counts_says_what_to_do_instead() -> None:
    ask = Ask(Confirm("there is a dog", is_informed=False), "?", (True,))
    item = replace(naming(2), asks=(ask,))
    with pytest.raises(NothingToDoError, match=r"there are no counts to measure: .* subitize score RUN"):
        measure_counting({"run": frame_seen([observe(item, True)])})


def test_a_model_that_refuses_everything_has_an_accuracy_and_nothing_else() -> None:
    found = one_of([observe(naming(number), None, status="refused") for number in NUMBERS])
    assert found.accuracy is not None
    assert (found.accuracy.value, found.accuracy.n) == (0.0, 10)
    assert (found.eligible, found.refused, found.smallest_cell) == (0, 10, 0)
    undefined = (
        *(found.accuracy_answered, found.mae, found.nae, found.knower, found.human_correlation),
        *(found.abstraction, found.scalar, found.weber, found.cues),
    )
    assert undefined == (None,) * 9
    assert found.biases == ()


def test_refusing_what_one_does_not_know_is_not_to_know_it_nor_to_be_human() -> None:
    given = [
        observe(naming(number, category, seed=seed), number if number <= 4 else None, status=status)
        for category in CATEGORIES
        for number in NUMBERS
        for seed in range(20)
        for status in (("eligible" if number <= 4 else "refused"),)
    ]
    found = one_of(given)
    assert found.knower is not None
    assert found.knower_all is not None
    assert (found.knower.level, found.knower_all.level) == (4, 4)
    assert (found.knower_all.low, found.knower_all.high) == (4, 4)
    assert [one.number for one in found.knower.numbers] == [1, 2, 3, 4]
    assert [one.hits.value for one in found.knower_all.numbers] == [1] * 4 + [0] * 6
    assert found.human_correlation is not None
    assert found.human_correlation_all is not None
    assert found.coverage is not None
    assert found.human_correlation.value == pytest.approx(1, abs=1e-9)  # as the paper has it
    assert (round(found.human_correlation_all.value, 3), found.coverage.value) == (0.508, 0.4)


def test_where_everything_has_a_count_nothing_changes_by_what_has_none(measured: CountingReport) -> None:
    assert measured.knower == measured.knower_all
    assert measured.human_correlation == measured.human_correlation_all


def test_who_always_says_five_returns_to_it() -> None:
    found = one_of(respond(lambda _: np.eye(20)[4], 5))
    assert found.anchoring is not None
    assert [(one.answer, one.share.value) for one in found.anchoring.anchors] == [(5, 1.0)]


def test_models_judges_suites_and_runs_are_measured_apart() -> None:
    given = [observe(naming(2), 2), observe(production(2), 3), observe(naming(2), 5, model="other")]
    judged = [one._replace(judge="human") for one in given[:1]]
    found = measure_counting({"first": frame_seen([*given, *judged]), "second": frame_seen(given[:1])})
    assert [(one.run, one.suite, one.model, one.judge) for one in found] == [
        ("first", "naming", "m", "parser"),
        ("first", "production", "m", "parser"),
        ("first", "naming", "other", "parser"),
        ("first", "naming", "m", "human"),
        ("second", "naming", "m", "parser"),
    ]


def control(text: str | None, *, status: Status = "eligible", seed: int = 0) -> FrameRow:
    question = "What does the image represent?"
    item = replace(
        naming(2, wording="control", seed=seed),
        asks=(Ask(Name(), question, ("apple", "fruit"), is_relevant=False),),
    )
    return observe(item, text, status=status)


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("Two apples.", True),
        ("an Apple on white", True),
        ("A piece of FRUIT", True),
        ("fruits", True),
        ("a pineapple", False),
        ("two red balls", False),
        ("grapefruit", False),
        ("", False),
    ],
)
def test_the_control_question_wants_apples_or_fruit(text: str, is_right: bool) -> None:
    found = one_of([observe(naming(2), 2), control(text)])
    assert found.control is not None
    assert (found.control.value, found.control.n) == (float(is_right), 1)


def test_control_answers_enter_no_other_figure() -> None:
    counts = [observe(naming(number, seed=seed), number) for number in (1, 2) for seed in range(3)]
    controls = [control("two apples"), control(None, status="refused", seed=1), control("2", seed=2)]
    found = one_of([*counts, *controls])
    assert found.control is not None
    assert (found.control.value, found.control.n) == (1 / 3, 3)
    assert all_but(found, "control") == all_but(one_of(counts), "control")


@pytest.mark.parametrize("cue", ["number", "ink"])
def test_runs_with_area_and_then_size_held_tell_ink_from_number(cue: str) -> None:
    observed = {}
    for held in ("area", "size"):
        items = [
            naming(number, "dots", seed=seed, control=Control("area" if held == "area" else "size", 10))
            for number in NUMBERS
            for seed in range(4)
        ]
        shown = [_number_or_ink(item, cue) for item in items]
        observed[held] = frame_seen(observe(item, value) for item, value in zip(items, shown, strict=True))
    for found in measure_counting(observed):
        assert found.cues is not None
        assert (found.cues.verdict, found.cues.n) == (cue, 80)
    (alone,) = measure_counting({"size": observed["size"]})
    assert alone.cues is not None
    assert alone.cues.verdict == "undecided"


def _number_or_ink(item: Item, cue: str) -> int:
    from subitize.stimuli.recipes import magnitudes

    assert isinstance(item.task, Answer)
    assert isinstance(item.task.picture, Stimulus)
    seen = magnitudes(item.task.picture)
    return seen.number if cue == "number" else max(1, round(seen.total_area_px / 6000))


def test_larger_numbers_have_a_larger_matrix() -> None:
    given = [observe(naming(number, seed=seed), number) for number in (1, 20, 50) for seed in range(3)]
    found = one_of(given)
    assert found.matrices[ALL].shape == (100, 3)
    assert found.knower is not None
    assert [number.is_known for number in found.knower.numbers] == [True, True, True]
    assert found.knower.level == 1


def test_the_known_observers_have_their_known_figures() -> None:
    perfect, ideal, random = baselines(NUMBERS)
    assert (perfect.accuracy, perfect.mae, perfect.nae) == (1, 0, 0)
    assert perfect.human_correlation == pytest.approx(0.8185, abs=1e-4)
    assert (round(ideal.accuracy, 4), round(ideal.nae, 4)) == (0.6156, 0.0689)
    assert ideal.human_correlation == pytest.approx(1, abs=1e-12)
    assert random.accuracy == pytest.approx(0.05, abs=1e-12)
    assert round(random.nae, 3) == 2.3
    assert random.human_correlation is None


@pytest.mark.slow
def test_a_reading_more_is_little_more_work() -> None:
    def calls(trials: int) -> int:
        drawn = [one._replace(item=replace(one.item, task=Draw("An image"))) for one in respond(human_law, trials)]
        profile = cProfile.Profile()
        profile.runcall(lambda: [one.row() for one in measure_counting({"run": frame_seen(drawn)})])
        return sum(entry.callcount for entry in profile.getstats())

    one_of(respond(human_law, 1)).row()  # what is imported and cached first counts for nobody
    more = 30 * len(CATEGORIES) * len(NUMBERS)
    assert (calls(40) - calls(10)) / more < 100  # resampling row by row makes thousands of each
