"""Reads the questions of a suite file, and turns them into asks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from subitize.language import mentions, reading
from subitize.language.nouns import plural, plural_of, singular, with_article
from subitize.language.questions import LINES_WORDING
from subitize.records import Ask, Choose, Confirm, Count, MatchesPrompt, Transcribe
from subitize.stimuli.clipart import PALETTE
from subitize.suites.files.words import NUMBER, Template, Word, read_numbers, read_template
from subitize.suites.files.yaml import FilePosition, Listed, Node, Text, YamlTable, want_text

Kind = Literal["count", "shown", "absent", "confirm", "choose", "text", "match"]
Lists = Mapping[str, Sequence[Word]]
_WITH_OBJECT: tuple[Kind, ...] = ("count", "shown", "absent", "confirm", "choose", "text")
_EXPECTING = ("count", "confirm", "choose")
_ANSWERS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Question:
    """A question in the file: its kind, its object, the right answers, and its own wording if it has one."""

    kind: Kind
    about: tuple[Template, ...]
    expects: tuple[Template, ...] = ()
    wording: Template | None = None
    place: FilePosition = field(repr=False, compare=False, kw_only=True)

    @property
    def templates(self) -> tuple[Template, ...]:
        """All templates of the question."""
        return (*self.about, *self.expects, *([self.wording] if self.wording else []))

    def ask(self, words: Mapping[str, Word], prompt: str) -> Ask:
        """Make an ask about the outcome of a prompt; "" if nothing is drawn."""
        asked = _MAKE[self.kind](self, words)
        wording = self.wording.fill(words) if self.wording else asked.wording
        question = asked.question
        if isinstance(question, Confirm):
            question = Confirm(question.statement, is_informed=_is_informed(wording, prompt))
        return Ask(question, wording, asked.expects)


def _is_informed(wording: str, prompt: str) -> bool:
    """Return whether a yes-or-no question gives away the prompt or a number."""
    names_number = not isinstance(reading.read(wording), mentions.NoNumber)
    said = prompt.strip(" .").casefold()
    return names_number or (said != "" and said in wording.casefold())


def read_question(node: Node, lists: Lists) -> Question:
    """Read `match`, or a kind of question with its object, `count: "{noun}"`, and the right answer, `is: 3`."""
    if isinstance(node, Text):
        if node.value != "match":
            raise node.place.error(f"question {node}: should be match, or a kind and its object, as in {_EXAMPLE}")
        return Question("match", (), place=node.place)
    if not isinstance(node, YamlTable):
        raise node.place.error(f"a question should be match, or a kind and its object, as in {_EXAMPLE}")
    node.check_keys((*_WITH_OBJECT, "is", "question"), " in a question")
    kinds = [kind for kind in _WITH_OBJECT if node.get(kind) is not None]
    if len(kinds) != 1:
        known = ", ".join(_WITH_OBJECT)
        raise node.place.error(f"a question has one of {known}; this has {' and '.join(kinds) or 'none'}")
    (kind,) = kinds
    expects, wording = node.get("is"), node.get("question")
    about, right = _read_objects(kind, node, lists), _read_expected(kind, node, expects, lists)
    asked = read_template(want_text(wording, "question"), lists) if wording else None
    return Question(kind, about, right, asked, place=node.place)


_EXAMPLE = 'count: "{noun}"'


def _read_objects(kind: Kind, node: YamlTable, lists: Lists) -> tuple[Template, ...]:
    """Read a question's object: one text, or the lines to choose from."""
    about = node.get(kind)
    if about is None:
        return ()
    if kind != "choose":
        return (read_template(want_text(about, kind), lists),)
    if not isinstance(about, Listed) or len(about.entries) < 2:
        raise about.place.error('choose: should be a list of two lines or more, as in ["more cats", "more dogs"]')
    return tuple(read_template(want_text(line, kind), lists) for line in about.entries)


def _read_expected(kind: Kind, node: YamlTable, expects: Node | None, lists: Lists) -> tuple[Template, ...]:
    if expects is None:
        if kind == "count" and NUMBER in lists:
            return (read_template(Text(f"{{{NUMBER}}}", node.place), lists),)
        if kind in ("count", "choose"):
            raise node.place.error(f"{kind}: what is right? add is, as in is: {'3' if kind == 'count' else '1'}")
        return ()
    if kind not in _EXPECTING:
        raise expects.place.error(
            f"{kind} has no is: it says itself what is right; is goes with count, confirm and choose"
        )
    entries = expects.entries if isinstance(expects, Listed) else (expects,)
    if not entries:
        raise expects.place.error(f"{kind}: what is right? is has nothing in it")
    return tuple(read_template(want_text(one, "is"), lists) for one in entries)


def _count(question: Question, words: Mapping[str, Word]) -> Ask:
    colour, noun = _part(question.about[0].fill(words))
    filled = (Text(one.fill(words), one.text.place) for one in question.expects)
    numbers = tuple(dict.fromkeys(number for one in filled for number in read_numbers(one, "is")))
    return Ask(Count(noun.lower(), colour), f"How many {plural_of(noun, colour)} are in the image?", numbers)


def _show(question: Question, words: Mapping[str, Word]) -> Ask:
    thing = question.about[0].fill(words)
    if stuff := _find_stuff(thing):
        return Ask(_state(f"there is some {stuff}"), f"Is there any {stuff}?", (True,))
    one = " ".join(filter(None, _part(thing)))
    return Ask(_state(f"there are some {plural(one)}"), f"Is there {with_article(one)}?", (True,))


def _lack(question: Question, words: Mapping[str, Word]) -> Ask:
    thing = question.about[0].fill(words)
    stuff, (colour, noun) = _find_stuff(thing), _part(thing)
    things = stuff or plural_of(noun, colour)
    stated = _state(f"there {'is' if stuff else 'are'} no {things}")
    return Ask(stated, f"Is the image free of {things}?", (True,))


def _confirm(question: Question, words: Mapping[str, Word]) -> Ask:
    asked, right = question.about[0].fill(words), True
    for expected in question.expects[:1]:
        answer = expected.fill(words)
        if answer not in _ANSWERS or len(question.expects) > 1:
            raise expected.text.place.error(f"is {answer!r}: should be yes or no")
        right = _ANSWERS[answer]
    return Ask(_state(asked), asked, (right,))


def _state(statement: str) -> Confirm:
    return Confirm(statement, is_informed=False)


def _choose(question: Question, words: Mapping[str, Word]) -> Ask:
    lines = tuple(line.fill(words) for line in question.about)
    if len(set(lines)) < len(lines):
        raise question.place.error(f"choose: two lines are the same: {', '.join(map(repr, lines))}")
    return Ask(Choose(lines), LINES_WORDING, tuple(_find_line(one, lines, words) for one in question.expects))


def _find_line(right: Template, lines: Sequence[str], words: Mapping[str, Word]) -> int:
    """Find the right line, given in full or by its number from 1; values count from 0."""
    said = right.fill(words)
    if said in lines:
        return lines.index(said)
    if said.isdecimal() and 1 <= int(said) <= len(lines):
        return int(said) - 1
    raise right.text.place.error(f"is {said!r}: should be one of the lines, or its place from 1 to {len(lines)}")


_MAKE: Mapping[Kind, Callable[[Question, Mapping[str, Word]], Ask]] = {
    "count": _count,
    "shown": _show,
    "absent": _lack,
    "confirm": _confirm,
    "choose": _choose,
    "text": lambda question, words: Ask(
        Transcribe(), "What text is written in the image?", (question.about[0].fill(words),)
    ),
    "match": lambda *_: Ask(MatchesPrompt(), "Does the image match the prompt?", (True,)),
}


def _find_stuff(thing: str) -> str:
    """Find a mass noun, which has no plural: "some rice"."""
    return thing.removeprefix("some ") if thing.startswith("some ") else ""


def _part(thing: str) -> tuple[str | None, str]:
    """Split off a colour from a noun, and make the noun singular."""
    first, _, rest = thing.partition(" ")
    return (first, singular(rest)) if rest and first in PALETTE else (None, singular(thing))
