"""Finds what a question or prompt counts: "How many red apples are there?", "Generate 3 apples on a table.".

Also finds the quoted texts that a prompt wants written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from subitize.language.nouns import plural, singular
from subitize.language.numbers import LARGEST_IN_WORDS, in_words
from subitize.language.tokens import WORDS, word_set
from subitize.records import Count, Draw, Item

_MOST_WORDS = 5
_ASKED = re.compile(
    r"(?:\bhow many\b|^\W*(?:please\s+)?count\b|^\W*what is the (?:total )?number of\b)"
    r"(?:\s+(?:all|of|the|these|those|number of))*\b(.*)",
    re.IGNORECASE | re.DOTALL,
)
_VERBS = word_set("are is was were do does did can have has")
_WORD = re.compile(r"[^\W\d_](?:[\w'-]*\w)?")
_WITH_VERB = re.compile(r"how many ([a-z -]{1,60}?) (?:are|is|do|can)\b(.*)", re.IGNORECASE | re.DOTALL)
_WITHOUT_VERB = re.compile(
    r"(?:how many|(?:please )?count|what is the (?:total )?number of)(?: (?:all|of|the|number of))*"
    r" (?P<things>[a-z -]{1,60}?)(?: in (?:the|this) (?:image|photo|photograph|picture))?\s*"
    r"(?:[.?!:]\s*(?:(?:please )?(?:answer|give|reply|respond|return|say|write)\b.*)?)?",
    re.IGNORECASE | re.DOTALL,
)
_NO_NOUNS = _VERBS | word_set(
    "above all and any below by each every for from here in it more of on or that the them there these they this those"
    " to up which with without you"
)


class AskedCount(NamedTuple):
    """The things to count, as written, and the rest of the question: "red apples", " to the left of the trees?"."""

    things: str
    rest: str


def is_count(question: str) -> bool:
    """Return whether a question asks for a number."""
    return _ASKED.search(question) is not None


def read_counted(question: str) -> AskedCount | None:
    """Read a plain question: with a verb, "How many apples are …?", or with nothing but the things."""
    if found := _WITH_VERB.search(question):
        return AskedCount(*found.groups())
    bare = _WITHOUT_VERB.fullmatch(" ".join(question.split()))
    return AskedCount(bare["things"], "") if bare and _is_noun(bare["things"].lower().split()) else None


def _is_noun(words: list[str]) -> bool:
    """Return whether words are one noun, unlike "apples on tables": at most the last word is a plural."""
    is_plural = [singular(word) != word for word in words]
    return _NO_NOUNS.isdisjoint(words) and not any(is_plural[:-1]) and (len(words) == 1 or is_plural[-1])


@lru_cache(maxsize=4096)
def find_counted(question: str) -> str | None:
    """Find what any question counts, in the plural: "How many yellow cars have …?" counts yellow cars."""
    asked = _ASKED.search(question)
    if asked is None:
        return None
    plain = read_counted(question)
    return find_first_things(asked[1]) or (plain.things if plain else None)


def find_first_things(text: str) -> str | None:
    """Take the words up to the first plural, or before the verb, if either comes soon."""
    taken: list[str] = []
    for found in islice(_WORD.finditer(text), _MOST_WORDS):
        if found[0].lower() in _VERBS:
            return " ".join(taken) or None
        taken.append(found[0])
        if singular(found[0].lower()) != found[0].lower():
            return " ".join(taken)
    return None


@lru_cache(maxsize=4096)
def make_count(thing: str, colours: tuple[str, ...]) -> Count:
    """Make the question for a thing, singular or plural, perhaps with a colour: "red apples"."""
    whole = thing.strip().lower()
    first, _, rest = whole.partition(" ")
    colour = "grey" if first == "gray" else first
    return Count(singular(rest), colour) if rest and colour in colours else Count(singular(whole))


Style = Literal["digits", "words"]
_STEM = 4
_PHRASE_WORD = re.compile(r"\s+([^\W\d_](?:[\w'-]*\w)?)")
_OF = re.compile(r"\s+of\b", re.IGNORECASE)
_THERE_ARE = re.compile(r"(?i)(\bthere\s+)are(\s+)$")
_ENDS_PHRASE = WORDS["ends_phrase"]


@dataclass(frozen=True, slots=True)
class CountedPhrase:
    """A prompt split at its counted phrase: "Generate " 3 "apples" " on a table."."""

    item: str
    """The id of the prompt's item."""
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
        """Write a number of the things: "1 apple", "three apples"."""
        return f"{self.write(number)} {self.singular if number == 1 else self.plural}"

    def put(self, phrase: str, *, begins_with_one: bool = False) -> str:
        """Replace the counted phrase, with a capital at the beginning of a prompt that has one.

        If the new phrase begins with a single thing, a verb before it agrees: "There is 1 apple on the left, 2 …".
        """
        before = _THERE_ARE.sub(r"\1is\2", self.before) if begins_with_one else self.before
        text = f"{before}{phrase}{self.after}"
        return text if self.prompt[:1].islower() else text[:1].upper() + text[1:]


def find_counted_phrase(item: Item) -> CountedPhrase | None:
    """Find the counted phrase of an item that asks to draw a number of one kind of thing, and nothing else.

    None if it is uncertain, as with words whose singular is a guess.
    """
    asked = _find_asked(item)
    if asked is None or not isinstance(item.task, Draw):
        return None
    prompt = item.task.prompt
    noun, number = asked
    found = _find_spans(prompt, noun, number)
    if len(found) != 1:
        return None
    (span,) = found
    things, after = prompt[span.number_end : span.end].strip(), prompt[span.end :]
    forms = _inflect(things, noun, number)
    if forms is None or _OF.match(after):  # "2 cups" is not the whole phrase in "2 cups of tea"
        return None
    return CountedPhrase(item.id, prompt, prompt[: span.start], number, *forms, span.style, after)


def _inflect(things: str, noun: str, number: int) -> tuple[str, str] | None:
    """The singular and plural of the counted things: by the noun asked about, or if both forms agree."""
    one, several = (things, plural(things)) if number == 1 else (singular(things), things)
    if one.casefold().endswith(noun.casefold()):
        return one, several
    last, asked = " ".join(things.split()[-1 - noun.count(" ") :]).casefold(), noun.casefold()
    if number > 1 and last == plural(asked):
        return f"{things[: -len(last)]}{noun}", several
    is_odd_form = last.startswith(asked[: min(_STEM, len(asked) - 2)])  # of the noun: "octopodes", "axes"
    is_certain = plural(one).casefold() == several.casefold() and singular(several).casefold() == one.casefold()
    return (one, several) if is_certain and not is_odd_form else None


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
    """The position of a counted phrase, and of the number in it."""

    start: int
    number_end: int
    style: Style
    end: int


def _find_asked(item: Item) -> tuple[str, int] | None:
    """The noun and number of an item with a single count, without colour or place."""
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
    """The positions of a number in this style."""
    for found in re.finditer(rf"(?<![\w.,'-]){pattern}(?![\w'-]|[.,]\d)", prompt, re.IGNORECASE):
        yield found.start(), found.end(), style


def _end_at_noun(prompt: str, start: int, noun: str, number: int) -> int | None:
    """The end of the phrase after a number, if it ends with the noun in the right form."""
    words: list[str] = []
    noun = noun.casefold()
    for word, end in _words(prompt, start, _MOST_WORDS + noun.count(" ")):
        words.append(word)
        tail = " ".join(words[-1 - noun.count(" ") :])
        is_plural = tail == plural(noun) or (tail != noun and singular(tail) == noun)
        if is_plural if number > 1 else tail == noun:
            # "3 boxes of apples" are boxes.
            return end if _ENDS_PHRASE.isdisjoint(words[: -1 - noun.count(" ")]) else None
    return None


def _end_before_next(prompt: str, start: int, number: int) -> int | None:
    """The end of the last plural (of the last word, for one thing) before a preposition, verb or mark."""
    last = None
    for word, end in _words(prompt, start, _MOST_WORDS):
        if word in _ENDS_PHRASE:
            break
        if number == 1 or singular(word) != word:
            last = end
    return last


def _words(prompt: str, start: int, most: int) -> Iterator[tuple[str, int]]:
    """The following words up to a mark, in lower case, each with its end."""
    for _ in range(most):
        found = _PHRASE_WORD.match(prompt, start)
        if found is None:
            return
        start = found.end()
        yield found[1].casefold(), start


# A straight quote after a letter or digit opens no quotation: the dogs' bowl, a 5" pipe.
_QUOTED = re.compile(
    r"""
    (?<!\w) " (?P<straight>[^"\n]+) "
  | [“„‟] (?P<curly>[^“”„‟\n]+) [”“]
  | « \s* (?P<angled>[^«»\n]+?) \s* »
  | (?<!\w) ['‘] (?=\S) (?P<single>[^\n]+?) (?<=\S) ['’] (?!\w)
    """,
    re.VERBOSE,
)


def quoted_texts(prompt: str) -> tuple[str, ...]:
    """List the quoted texts in their order, without their quotes."""
    found = (match[match.lastgroup or 0].strip() for match in _QUOTED.finditer(prompt))
    return tuple(text for text in found if text)
