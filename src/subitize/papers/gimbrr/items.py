"""Prompts as items: what is asked about their pictures, part by part, and under which conditions they stand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from subitize.language.nouns import plural
from subitize.papers.gimbrr.grammar import (
    Acting,
    Chimera,
    Choice,
    Counted,
    Having,
    Lacking,
    Meaning,
    Placed,
    Shown,
    Unread,
    Written,
    classes_of,
    with_article,
)
from subitize.papers.gimbrr.tasks import Task
from subitize.papers.gimbrr.words import a, be, is_plural, several
from subitize.records import Ask, Confirm, Count, Draw, Item, MatchesPrompt, Question, Scalar, Transcribe

NAME = "gimbrr"
MATCH = Ask(MatchesPrompt(), "Does the image match the prompt?", (True,))
"""What people were asked, and what is scored; whoever only sees parts is asked about these."""


@dataclass(frozen=True, slots=True)
class TaskPrompt:
    """A prompt with its key, its task, what it says, and the keys of the single objects that it is made of."""

    key: str
    task: Task
    text: str
    meaning: Meaning
    linked: tuple[str, ...]
    told: Mapping[str, Scalar] = field(default_factory=dict)
    """Factors as the authors' directory has them, in place of those that follow from the meaning."""


def make_item(prompt: TaskPrompt) -> Item:
    """Make the item of a prompt."""
    factors: dict[str, Scalar] = {"task": prompt.task.key, **dict(_factors(prompt)), **prompt.told}
    if prompt.linked:
        factors["linked"] = ",".join(prompt.linked)
    return Item(f"{NAME}/{prompt.key}", Draw(prompt.text), (MATCH, *_parts(prompt.meaning)), factors)


def _factors(prompt: TaskPrompt) -> Iterator[tuple[str, Scalar]]:
    """Tell the conditions of a prompt; what its task does not have is left out."""
    yield "classes", ", ".join(classes_of(prompt.meaning))
    match prompt.meaning:
        case Shown(nouns=nouns, is_common=is_common):
            if prompt.task.key == "multiple":
                yield "objects", len(nouns)
            if is_common is not None:
                yield "common", is_common
        case Counted(things=((_, number),)):
            yield "number", number
        case Counted(things=things, operation=operation):
            yield "numbers", ",".join(str(number) for _, number in things)
            if operation:
                yield "operation", operation
        case Placed(relation=relation):
            yield "relation", relation
        case Acting(verb=verb):
            yield "verb", verb
        case Choice(absent=absent, position=position, has_adjective=has_adjective):
            yield "absent", absent
            if position is not None:
                yield "target_position", position
            if has_adjective is not None:
                yield "adjective", has_adjective
        case Having(attribute=attribute):
            yield "attribute", attribute
        case Lacking(absent=absent) | Unread(absent=absent):
            if absent:
                yield "absent", absent
        case Chimera(parts=parts):
            yield "features", 1 + len(parts)
        case Written(texts=texts):
            yield "text", ", ".join(texts)


def _parts(meaning: Meaning) -> Iterator[Ask]:
    """Ask about each part on its own; none enters the score, they are joined (assessment.py).

    A question that says as much as the prompt is informed.
    """
    match meaning:
        case Shown(nouns=(noun,)):
            yield _is_there(noun, is_all=True)
        case Shown(nouns=nouns):
            yield from map(_is_there, dict.fromkeys(nouns))
        case Counted(things=things):
            for noun, number in things:
                yield _part(Count(noun), f"How many {plural(noun)} are in the image?", number)
        case Placed(subject=one, relation=relation, landmark=other):
            yield from map(_is_there, dict.fromkeys((one, other)))
            side = relation.removeprefix("to the ")
            verb = "are" if is_plural(one) else "is"
            stated = Confirm(f"there {verb} {a(one)} {side} {a(other)}", is_informed=True)
            yield _part(stated, f"{verb.capitalize()} the {one} {relation} the {other}?", parent=_is_there(one))
        case Acting(actor=actor, other=other, deed=deed):
            yield from map(_is_there, dict.fromkeys((actor, other)))
            stated = Confirm(f"the {actor} is {deed}", is_informed=True)
            yield _part(stated, f"Is the {actor} {deed}?", parent=_is_there(actor))
        case Choice(shown=shown, absent=absent) | Lacking(noun=shown, absent=absent):
            yield _is_there(shown)
            stated = _confirm(f"there {be(absent)} no {several(absent)}")
            yield _part(stated, f"Is the image free of {several(absent)}?")
        case Having(noun=noun, attribute=attribute):
            yield _is_there(noun)
            has = with_article(attribute)
            stated = Confirm(f"the {noun} has {has}", is_informed=True)
            yield _part(stated, f"Does the {noun} have {has}?", parent=_is_there(noun))
        case Chimera(body=body, parts=parts):
            names = " and ".join(part for part, _ in parts)
            yield _part(
                _confirm(f"apart from its {names} the animal is {a(body)}"),
                f"Apart from its {names}, is the animal {a(body)}?",
            )
            for part, donor in parts:
                has = f"the {part} of {a(donor)}"
                yield _part(_confirm(f"the animal has {has}"), f"Does the animal have {has}?")
        case Written(noun=noun, texts=texts):
            yield _is_there(noun)
            yield _part(Transcribe(), "What text is written in the image?", " ".join(texts))


def _is_there(noun: str, *, is_all: bool = False) -> Ask:
    stated = Confirm(f"there {be(noun)} some {several(noun)}", is_informed=is_all)
    if is_plural(noun):
        return _part(stated, f"Are there any {noun}?")
    return _part(stated, f"Is there {a(noun).replace('some ', 'any ')}?")


def _confirm(statement: str) -> Confirm:
    return Confirm(statement, is_informed=False)


def _part(question: Question, wording: str, expected: Scalar = True, *, parent: Ask | None = None) -> Ask:
    return Ask(question, wording, (expected,), parent.question.id if parent else None, is_relevant=False)
