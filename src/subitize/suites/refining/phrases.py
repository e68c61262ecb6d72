"""The counted phrase of a prompt: the one place where it says how many of what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from subitize.numerals import LARGEST_IN_WORDS, in_words, plural, singular
from subitize.numerals.phrases import word_set
from subitize.records import Count, Draw, Item

Style = Literal["digits", "words"]
# Words may stand between the number and what is counted: "12 filled dots", "5 human travelers".
_MOST_WORDS = 5
_WORD = re.compile(r"\s+([^\W\d_](?:[\w'-]*\w)?)")
_ENDS_PHRASE = word_set(
    "above across against all along alongside among and are around at before behind below beside between by each for"
    " from in inside into is near next of on onto or outside over that the to under were which who with"
)


@dataclass(frozen=True, slots=True)
class Counted:
    """A prompt taken apart at its counted phrase: "Generate " 3 "apples" " on a table."."""

    item: str
    """The id of the item whose prompt it is."""
    prompt: str
    before: str
    number: int
    singular: str
    plural: str
    style: Style
    after: str

    def write(self, number: int) -> str:
        """Write a number as the prompt does, in digits or in words."""
        return in_words(number) if self.style == "words" else str(number)

    def count(self, number: int) -> str:
        """Write so many of the things: "1 apple", "three apples"."""
        return f"{self.write(number)} {self.singular if number == 1 else self.plural}"

    def put(self, phrase: str) -> str:
        """Put another phrase in place of the counted one; it begins with a capital unless the prompt did not."""
        text = f"{self.before}{phrase}{self.after}"
        return text if self.prompt[:1].islower() else text[:1].upper() + text[1:]


def find_counted(item: Item) -> Counted | None:
    """Find the counted phrase of an item that asks to draw a number of one kind of things, and nothing else."""
    asked = _find_asked(item)
    if asked is None or not isinstance(item.task, Draw):
        return None
    prompt = item.task.prompt
    noun, number = asked
    found = _find_spans(prompt, noun, number)
    if len(found) != 1:
        return None
    (span,) = found
    things = prompt[span.number_end : span.end].strip()
    one, several = (things, plural(things)) if number == 1 else (singular(things), things)
    return Counted(item.id, prompt, prompt[: span.start], number, one, several, span.style, prompt[span.end :])


def _find_spans(prompt: str, noun: str, number: int) -> "list[_Span]":
    """Find the number before the noun, else before another word for it ("travelers" for people), else an article."""
    forms: list[tuple[str, Style]] = [(str(number), "digits")]
    if number <= LARGEST_IN_WORDS:
        forms.append((in_words(number), "words"))
    numerals = [one for pattern, style in forms for one in _find_numbers(prompt, pattern, style)]
    articles = list(_find_numbers(prompt, "an?", "words")) if number == 1 else []
    return (
        [_Span(*one, end) for one in numerals if (end := _end_at_noun(prompt, one[1], noun, number))]
        or [_Span(*one, end) for one in numerals if (end := _end_before_next(prompt, one[1], number))]
        or [_Span(*one, end) for one in articles if (end := _end_at_noun(prompt, one[1], noun, number))]
    )


class _Span(NamedTuple):
    """Where a counted phrase stands, and the number in it."""

    start: int
    number_end: int
    style: Style
    end: int


def _find_asked(item: Item) -> tuple[str, int] | None:
    """The noun and the number, where an item is about one count: of any colour, anywhere."""
    asks = [ask for ask in item.asks if ask.is_relevant and ask.group == 1]
    if len(asks) != 1 or not isinstance(asks[0].question, Count) or len(asks[0].expects) != 1:
        return None
    (number,) = asks[0].expects
    question = asks[0].question
    is_number = isinstance(number, int) and not isinstance(number, bool) and number >= 1
    if question.colour or question.place or not is_number:
        return None
    return question.noun, int(number)


def _find_numbers(prompt: str, pattern: str, style: Style) -> Iterator[tuple[int, int, Style]]:
    """Where a number stands that is written so: from, to, and in which style."""
    for found in re.finditer(rf"(?<![\w.,'-]){pattern}(?![\w'-]|[.,]\d)", prompt, re.IGNORECASE):
        yield found.start(), found.end(), style


def _end_at_noun(prompt: str, start: int, noun: str, number: int) -> int | None:
    """Where the phrase ends that begins with a number, if it ends with the noun in the right form."""
    words: list[str] = []
    for word, end in _words(prompt, start, _MOST_WORDS + noun.count(" ")):
        words.append(word)
        tail = " ".join(words[-1 - noun.count(" ") :])
        is_plural = tail == plural(noun) or (tail != noun and singular(tail) == noun)
        if is_plural if number > 1 else tail == noun:
            return end
    return None


def _end_before_next(prompt: str, start: int, number: int) -> int | None:
    """Where the phrase ends with the last plural, or of one thing the last word, before a preposition, verb or mark."""
    last = None
    for word, end in _words(prompt, start, _MOST_WORDS):
        if word in _ENDS_PHRASE:
            break
        if number == 1 or singular(word) != word:
            last = end
    return last


def _words(prompt: str, start: int, most: int) -> Iterator[tuple[str, int]]:
    """The words that follow without a mark between, in lower case, each with where it ends."""
    for _ in range(most):
        found = _WORD.match(prompt, start)
        if found is None:
            return
        start = found.end()
        yield found[1].lower(), start
