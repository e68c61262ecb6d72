"""Whether an annotator is reliable: known answers, first with feedback, later hidden among the other questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from subitize.annotation.pages import Page
from subitize.errors import BadValueError
from subitize.records import Known, Scalar
from subitize.store import Run

CHANCES = 2
"""How often somebody may try to pass the training."""
Outcome = Literal["passed", "training", "failed"]


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answers that are known, by subject and question; pages for training, and those shown unmarked."""

    answers: Mapping[tuple[str, str], Scalar]
    training: tuple[int, ...] = ()
    hidden: tuple[int, ...] = ()

    def expects(self, page: Page, number: int) -> Scalar | None:
        """Tell the right answer to a question, if it is known."""
        return self.answers.get((page.subject.id, page.asks[number].question.id))


def read_gold(run: Run, judge: str | None, pages: Sequence[Page], training: int) -> Gold:
    """Take the readings of a judge as right answers; pages with an answer to every question can be shown as gold."""
    if judge is None:
        if training:
            raise BadValueError(f"--training {training}: needs right answers; name whose they are with --gold JUDGE")
        return Gold({})
    answers = {
        (one.reading.subject.id, one.reading.question.id): one.reading.value.value
        for one in run.readings(judge)
        if isinstance(one.reading.value, Known)
    }
    gold = Gold(answers)
    known = [
        place
        for place, page in enumerate(pages)
        if all(gold.expects(page, number) is not None for number in range(len(page.asks)))
    ]
    if len(known) < max(training, 1):
        raise BadValueError(
            f"--gold {judge}: right answers are known for {len(known)} of this study's pages, "
            f"and {max(training, 1)} needed; "
            f"bring them in with: subitize import readings CSV --run RUN --judge {judge}"
        )
    return Gold(answers, tuple(known[:training]), tuple(known[training:]))


def judge_training(rights: Sequence[bool], pages: int, pass_mark: float) -> Outcome:
    """Tell whether somebody has passed, by what they answered so far: in order, one round of pages after the other."""
    rounds = [rights[start : start + pages] for start in range(0, len(rights), pages)] if pages else []
    done = [one for one in rounds if len(one) == pages]
    if not pages or any(sum(one) >= pass_mark * pages for one in done):
        return "passed"
    return "failed" if len(done) >= CHANCES else "training"
