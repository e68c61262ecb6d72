"""A prompt as terms: numbers, nouns, colours, relations and the phrases of the closed lists, each with its kind."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple, cast

from subitize.numerals import LONGEST_TEXT
from subitize.numerals.number_words import GROUPS, SCALES, SMALL, Number, read_number
from subitize.numerals.phrases import Phrases
from subitize.numerals.tokens import MARGIN, Token, is_glued, tokenise
from subitize.scenes import words
from subitize.scenes.words import Kind


class Term(NamedTuple):
    """What one stretch of the prompt is: its kind, its words, and what it names ("apple", "red", "left of")."""

    kind: Kind
    text: str
    name: str = ""
    number: float = 0.0
    is_group: bool = False
    """A dozen, a pair: "of" may follow it."""
    is_plural: bool = False
    is_singular: bool = False


END = Term("end", "")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The nouns and the colours that a prompt may use, as phrases; a grammar's `own` go before numbers."""

    nouns: tuple[str, ...]
    phrases: Phrases
    own: Phrases = field(default_factory=lambda: Phrases({}))


class PuzzledError(Exception):
    """Something in the prompt is not understood; the reason is for the user."""


class HeldError(PuzzledError):
    """Things are in or on a place that is drawn: whoever reads that much may understand it."""


@lru_cache(maxsize=16)
def vocabulary(nouns: tuple[str, ...], colours: tuple[str, ...]) -> Vocabulary:
    """Make the phrases of these nouns and colours."""
    phrases = words.colour_phrases(colours) | {form: f"noun {noun}" for form, noun in words.noun_phrases(nouns).items()}
    return Vocabulary(nouns, Phrases({phrase.replace("-", " "): meaning for phrase, meaning in phrases.items()}))


def find_terms(prompt: str, known: Vocabulary) -> list[Term]:
    """The terms of a prompt in order; every character of it belongs to one, but for spaces and emphasis."""
    if len(prompt) > LONGEST_TEXT:
        raise PuzzledError(f"a prompt of {len(prompt):,} characters; {LONGEST_TEXT:,} are read")
    text = _unquoted(prompt)
    tokens = tokenise(text)
    _check_nothing_is_skipped(text, tokens[MARGIN:-MARGIN])
    return list(_terms(text, list(_joined(tokens)), known))


def _unquoted(prompt: str) -> str:
    stripped = prompt.strip()
    for opening, closing in ('""', "''", "“”", "‘’"):
        inner = stripped[1:-1]
        is_quoted = len(stripped) > 2 and stripped[0] == opening and stripped[-1] == closing
        if is_quoted and opening not in inner and closing not in inner:
            return inner
    return stripped


def _check_nothing_is_skipped(text: str, tokens: list[Token]) -> None:
    """Refuse a prompt of which the tokens leave something out: an address, a tag, the comma of "7,8"."""
    reached = 0
    for start, end in (*((token.start, token.end) for token in tokens), (len(text), len(text))):
        left_out = text[reached:start].strip(_EMPHASIS)
        if left_out:
            raise PuzzledError(f"{left_out[:_SHOWN]!r}")
        reached = end


_EMPHASIS = " \t\r\f\v\u00a0*_`"
_SHOWN = 40


def _joined(tokens: list[Token]) -> Iterator[Token]:
    """The tokens without the hyphens inside words ("close-up"); those of numbers ("twenty-one") stay."""
    for i, token in enumerate(tokens):
        is_inside = token.text == "-" and 0 < i < len(tokens) - 1 and is_glued(tokens, i) and is_glued(tokens, i + 1)
        if is_inside and tokens[i - 1].is_word and tokens[i + 1].is_word and tokens[i - 1].text not in _NUMBER_WORDS:
            continue
        yield token


_NUMBER_WORDS = SMALL.keys() | SCALES.keys() | GROUPS.keys()


def _terms(text: str, tokens: list[Token], known: Vocabulary) -> Iterator[Term]:
    i = MARGIN
    while i < len(tokens) - MARGIN:
        term, end = _term(tokens, i, known)
        yield term._replace(text=text[tokens[i].start : tokens[end - 1].end])
        i = end


def _term(tokens: list[Token], i: int, known: Vocabulary) -> tuple[Term, int]:
    """The longest term at i; of two as long as each other a number goes first, then a noun or colour."""
    candidates = (
        _of_phrases(tokens, i, known.own),
        _number(tokens, i),
        _of_vocabulary(tokens, i, known),
        _of_phrases(tokens, i, words.PHRASES),
        _setting(tokens, i, known),
        _grid(tokens, i),
        _cell(tokens, i),
    )
    found = [term for term in candidates if term]
    if not found:
        kind = words.MARKS.get(tokens[i].text, "unknown")
        is_after = is_glued(tokens, i) and tokens[i - 1].text != "\n"
        is_bound = kind == "dash" and (is_after or is_glued(tokens, i + 1))  # "7-", "-7"
        return Term("unknown" if is_bound else kind, ""), i + 1
    return max(found, key=lambda term: term[1])


def _number(tokens: list[Token], i: int) -> tuple[Term, int] | None:
    token = tokens[i]
    opens = token.values or token.text in _NUMBER_WORDS or token.text == "half"
    if token.text in ("a", "an"):
        opens = tokens[i + 1].text in (*SCALES, *GROUPS, "half")
    if token.kind == "vulgar" or (not opens and token.kind != "code"):
        return None
    number = read_number(tokens, i)
    if number is None or _is_loose(tokens, i, number) or _is_ambiguous(token, number[0]):
        return Term("unknown", ""), i + 1
    return Term("number", "", number=number[0], is_group=tokens[number[1] - 1].text in GROUPS), number[1]


def _is_loose(tokens: list[Token], i: int, number: Number) -> bool:
    """Whether a couple is but a manner of speaking: "a couple of" is two, "a couple dozen" is not 24."""
    said = [token.text for token in tokens[i : number[1]]]
    return not {"couple", "couples"}.isdisjoint(said) and said not in (["a", "couple"], ["couple"])


def _is_ambiguous(token: Token, number: float) -> bool:
    """Whether digits may mean two things: "1.000" is one in some countries, a thousand in others."""
    return number == int(number) and token.text[:1].isdecimal() and not set(token.text).isdisjoint(".e")


def _of_vocabulary(tokens: list[Token], i: int, known: Vocabulary) -> tuple[Term, int] | None:
    match = known.phrases.match(tokens, i)
    if match is None:
        return None
    kind, _, name = match[0].partition(" ")
    if kind != "noun":
        return Term(cast(Kind, kind), "", name), match[1]
    form, _, noun = name.partition(" ")
    return Term("noun", "", noun, is_plural=form == "plural", is_singular=form == "singular"), match[1]


def _of_phrases(tokens: list[Token], i: int, phrases: Phrases) -> tuple[Term, int] | None:
    match = phrases.match(tokens, i)
    if match is None:
        return None
    kind, _, name = match[0].partition(" ")
    return Term(cast(Kind, kind), "", name), match[1]


def _setting(tokens: list[Token], i: int, known: Vocabulary) -> tuple[Term, int] | None:
    """Where the things are supposed to be, which need not be drawn: "on a wooden table", "in white background"."""
    preposition = words.BEFORE_SETTINGS.match(tokens, i)
    if preposition is None:
        return None
    i = preposition[1]
    has_article = tokens[i].text in words.SETTING_ARTICLES
    i += has_article
    while (place := words.SETTINGS.match(tokens, i)) is None:
        if tokens[i].text not in words.SETTING_ADJECTIVES and not _is_colour(tokens, i, known):
            return None
        i += 1
    is_place = has_article or place[0] == "bare"
    if not is_place or not words.fits_preposition(preposition[0], tokens[place[1] - 1].text):
        return None
    return Term("setting", ""), place[1]


def _grid(tokens: list[Token], i: int) -> tuple[Term, int] | None:
    """In which rows and columns the things stand: "with a 3 row 4 column grid"."""
    if tokens[i].text not in words.BEFORE_GRIDS:
        return None
    i += 1 + (tokens[i + 1].text in ("a", "an"))
    rows = _rank(tokens, i)
    columns = _rank(tokens, rows[1] + 1) if rows and tokens[rows[1]].text == "row" else None
    if not rows or not columns or [token.text for token in tokens[columns[1] : columns[1] + 2]] != ["column", "grid"]:
        return None
    return Term("grid", "", f"{rows[0]} {columns[0]}"), columns[1] + 2


def _cell(tokens: list[Token], i: int) -> tuple[Term, int] | None:
    """In which row and column one thing stands: "at row 1 column 2"."""
    if tokens[i].text not in words.BEFORE_CELLS or tokens[i + 1].text != "row":
        return None
    row = _rank(tokens, i + 2)
    column = _rank(tokens, row[1] + 1) if row and tokens[row[1]].text == "column" else None
    return (Term("cell", "", f"{row[0]} {column[0]}"), column[1]) if row and column else None


def _rank(tokens: list[Token], i: int) -> tuple[int, int] | None:
    """A whole number from 1 on, and where it ends."""
    number = _number(tokens, i)
    if number is None or number[0].number < 1 or number[0].number % 1:
        return None
    return int(number[0].number), number[1]


def _is_colour(tokens: list[Token], i: int, known: Vocabulary) -> bool:
    match = known.phrases.match(tokens, i)
    return match is not None and match[0].startswith("colour ") and match[1] == i + 1


def describe(terms: Iterable[Term]) -> str:
    """The words of some terms, shortened, to name them in a reason."""
    text = " ".join(term.text for term in terms).strip()
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
