"""Answers grouped by page: its pictures and questions, and what each person answered."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from subitize.analysis.ratings import Rating
from subitize.annotation.exchange.remarks import Place, Remark
from subitize.annotation.pages import Form, form_of
from subitize.records import Ask, Boxes, task_text


@dataclass(frozen=True, slots=True)
class Said:
    """A person's answer to a question of a page, by its number there, and what was noted beside it."""

    number: int
    rating: Rating
    remark: Remark


@dataclass(frozen=True, slots=True)
class RatedPage:
    """What was shown at once, and who said what, by the person's number: each look by itself, if there were several.

    `pictures` say where each picture is. Only where people are asked about the prompt it is told.
    """

    subject_id: str
    pictures: Sequence[str]
    prompt: str | None
    asks: Sequence[Ask]
    forms: Sequence[Form]
    answers: Sequence[tuple[int, Sequence[Said]]]


def make_pages(
    ratings: Iterable[Rating],
    people: Mapping[str, int],
    remarks: Mapping[Place, Remark],
    name_pictures: Callable[[Rating], Sequence[str]],
) -> list[RatedPage]:
    """Put ratings together by what they are about, in the order in which the first of each was given."""
    by_subject: dict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        by_subject[rating.reading.subject.id].append(rating)
    pages = []
    for subject_id, own in by_subject.items():
        asked = _find_asked(own)
        prompt = task_text(own[0].item.task) if "match" in asked.values() else None
        answers = _gather_answers([one for one in own if one.ask in asked], list(asked), people, remarks)
        pages.append(RatedPage(subject_id, name_pictures(own[0]), prompt, list(asked), list(asked.values()), answers))
    return pages


def _find_asked(ratings: Sequence[Rating]) -> dict[Ask, Form]:
    """List the questions that were answered, in the order of their item, with the form of each."""
    clicked = {one.ask for one in ratings if isinstance(one.reading.evidence, Boxes)}
    rated = {one.ask for one in ratings}
    forms = {ask: form_of(ask.question, is_clicked=ask in clicked) for ask in ratings[0].item.asks if ask in rated}
    return {ask: form for ask, form in forms.items() if form is not None}


def _gather_answers(
    ratings: Iterable[Rating], asked: Sequence[Ask], people: Mapping[str, int], remarks: Mapping[Place, Remark]
) -> list[tuple[int, list[Said]]]:
    """Gather what each person said; who answered a question again looked again."""
    looks: dict[tuple[int, int], list[Said]] = defaultdict(list)
    times: Counter[tuple[str, Ask]] = Counter()
    for one in ratings:
        remark = remarks.get((one.annotator, one.reading.subject.id, one.ask.question.id), Remark())
        look = times[one.annotator, one.ask]
        times[one.annotator, one.ask] += 1
        looks[people[one.annotator], look].append(Said(asked.index(one.ask), one, remark))
    return [(person, said) for (person, _), said in looks.items()]
