"""Scene graphs put to a model, end to end: what is asked, what comes of it, and what a failure costs."""

from collections.abc import Iterator

import pytest

from subitize.analysis.alignment import Alignment, align_run
from subitize.errors import BadValueError
from subitize.interfaces import ComputesSeveral, Judge
from subitize.judges.asking import Dsg, graph_of
from subitize.records import Answer, Confirm, Count, Draw, Item, Known, Stimulus
from subitize.registry import make_judge
from subitize.store import Run
from tests.judges.drawn_prompts import EXACT, OMITTING, Seeing, item, made, new_run, paint_all
from tests.runs import judge_run

PROMPTS = (
    "Three apples.",
    "2 red cups and 3 green cups.",
    "2 dogs above a cat.",
    "An image with some dogs and some cats. There are fewer dogs than cats.",
    "A watermelon with no seeds",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    items = [item(index, prompt) for index, prompt in enumerate(PROMPTS)]
    with new_run(tmp_path_factory.mktemp("dsg") / "run", items) as run:
        paint_all(run, EXACT)
        paint_all(run, OMITTING, repeats=2)
        yield run


def align(run: Run, judge: str) -> dict[str, Alignment]:
    return {one.model: one for one in align_run(run, judge)}


@pytest.mark.slow
def test_an_exact_painter_is_right_throughout_and_one_that_omits_is_not(run: Run) -> None:
    model = Seeing()
    summary = judge_run(run, made("dsg:seeing", Dsg(model)))
    questions = sum(len(graph_of(one)) for one in run.items())
    assert (summary.readings, summary.failed, summary.unanswerable) == (3 * questions, 0, 0)
    assert max(model.batches) == model.batch_size
    found = align(run, "dsg:seeing")
    assert found["exact"].estimate.value == 1
    assert found["exact"].estimate.low < 1
    assert found["omitting"].estimate.value < 0.9
    assert (found["exact"].estimate.n, found["omitting"].estimate.n) == (5, 10)
    assert judge_run(run, made("dsg:seeing", Dsg(Seeing()))).readings == 0


@pytest.mark.slow
def test_a_question_that_fails_costs_no_other_and_none_is_put_twice(run: Run) -> None:
    model = Seeing(batch_size=8, fails_on="exactly 3 green cups")
    summary = judge_run(run, made("dsg:half-blind", Dsg(model)))
    questions = sum(len(graph_of(one)) for one in run.items())
    assert (summary.readings, summary.failed) == (3 * questions - 3, 3)
    assert summary.reasons == ["ValueError: the lights went out"]
    answered = [text for text in model.asked if "exactly 3 green cups" not in text]
    assert len(answered) == 3 * questions - 3
    found = align(run, "dsg:half-blind")
    assert {model: (one.estimate.n, one.incomplete) for model, one in found.items()} == {
        "exact": (4, 1),
        "omitting": (8, 2),
    }


def test_answers_that_are_neither_yes_nor_no_are_wrong_and_counted(run: Run) -> None:
    judge_run(run, made("dsg:unsure", Dsg(Seeing(says="maybe"))))
    one = align(run, "dsg:unsure")["exact"]
    assert one.estimate.value == 0
    assert one.discarded == sum(len(graph_of(each)) for each in run.items())


def test_saying_yes_to_all_is_right_but_for_what_must_not_be_there(run: Run) -> None:
    judge_run(run, made("dsg:yes", Dsg(Seeing(says="Yes"))))
    assert align(run, "dsg:yes")["exact"].estimate.value == pytest.approx((4 + 2 / 3) / 5)


@pytest.mark.slow
def test_readings_keep_the_words_and_the_question_as_it_was_sent(run: Run) -> None:
    judge_run(run, made("dsg:seeing", Dsg(Seeing())))
    for stored in run.readings("dsg:seeing"):
        reading = stored.reading
        assert isinstance(reading.question, Confirm)
        assert isinstance(reading.value, Known)
        assert reading.provenance is not None
        assert reading.provenance.prompt_sent.endswith("? Answer yes or no.")


def test_it_asks_about_drawings_whose_prompt_is_understood() -> None:
    judge = Dsg(Seeing())
    assert isinstance(judge, ComputesSeveral)
    assert len(judge.asks(item(0, "Three zebras and a pizza."))) == 4
    assert judge.asks(item(0, "Seven unicorns")) == []
    shown = Item("prompts/1", Answer(Stimulus("apples", 3, 1), "How many?"), (), {})
    assert judge.asks(shown) == []


def test_it_answers_yes_or_no_only(run: Run) -> None:
    judge = Dsg(Seeing())
    drawn = [stored.response.outcome for stored in run.responses()][:1]
    assert judge.can_answer(Confirm("there are some apples", is_informed=False), drawn)
    assert not judge.can_answer(Count("apple"), drawn)
    assert not judge.can_answer(Confirm("there are some apples", is_informed=False), [])


def test_it_works_as_its_model_does() -> None:
    judges: list[Judge] = [make_judge(spec).obj for spec in ("dsg:observer", "dsg:openai:m,base_url=http://h/v1")]
    assert [hasattr(judge, "compute") for judge in judges] == [True, False]
    assert [judge.base_url for judge in judges] == ["", "http://h/v1"]
    assert make_judge("dsg:observer").spec.text == "dsg:observer"


def test_a_model_that_answers_nothing_is_refused() -> None:
    with pytest.raises(
        BadValueError, match="judge 'dsg' asks questions about pictures, and the model does not answer any"
    ):
        make_judge("dsg:painter")


def test_the_prompts_of_this_test_are_understood() -> None:
    assert all(graph_of(Item("prompts/0", Draw(prompt), (), {})) for prompt in PROMPTS)
