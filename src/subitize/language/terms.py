"""Splits a prompt into terms: numbers, nouns, colours, relations and phrases of the closed lists.

Also has the cursor with which the grammar walks through terms, and skips openers ("please draw a picture of")."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, NoReturn, cast

from subitize.language import lexicon
from subitize.language.lexicon import ENDS, Kind
from subitize.language.numbers import GROUPS, SCALES, SMALL, Number, parse_number, read_whole
from subitize.language.tokens import LONGEST_TEXT, MARGIN, Phrases, TextToken, is_glued, tokenise


class Term(NamedTuple):
    """A stretch of the prompt: its kind, its words, and what it names ("apple", "red", "left of")."""

    kind: Kind
    text: str
    name: str = ""
    number: float = 0.0
    is_group: bool = False
    """A dozen or pair, which "of" may follow."""
    is_plural: bool = False
    is_singular: bool = False


END = Term("end", "")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The nouns and colours that a prompt may use, as phrases."""

    nouns: tuple[str, ...]
    phrases: Phrases


class NotUnderstoodError(Exception):
    """Part of the prompt is not understood; the message is the reason for the user."""


@lru_cache(maxsize=16)
def vocabulary(nouns: tuple[str, ...], colours: tuple[str, ...]) -> Vocabulary:
    """Make the phrases of these nouns and colours."""
    phrases = lexicon.colour_phrases(colours) | {
        form: f"noun {noun}" for form, noun in lexicon.noun_phrases(nouns).items()
    }
    return Vocabulary(nouns, Phrases({phrase.replace("-", " "): meaning for phrase, meaning in phrases.items()}))


def find_terms(prompt: str, known: Vocabulary) -> list[Term]:
    """The terms of a prompt in order; they cover every character but spaces and emphasis."""
    if len(prompt) > LONGEST_TEXT:
        raise NotUnderstoodError(f"a prompt of {len(prompt):,} characters; {LONGEST_TEXT:,} are read")
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


def _check_nothing_is_skipped(text: str, tokens: list[TextToken]) -> None:
    """Refuse a prompt that the tokens do not cover: an address, a tag, the comma of "7,8"."""
    reached = 0
    for start, end in (*((token.start, token.end) for token in tokens), (len(text), len(text))):
        left_out = text[reached:start].strip(_EMPHASIS)
        if left_out:
            raise NotUnderstoodError(f"{left_out[:_SHOWN]!r}")
        reached = end


_EMPHASIS = " \t\r\f\v\u00a0*_`"
_SHOWN = 40


def _joined(tokens: list[TextToken]) -> Iterator[TextToken]:
    """The tokens without the hyphens inside words ("close-up"); those of numbers ("twenty-one") stay."""
    for i, token in enumerate(tokens):
        is_inside = token.text == "-" and 0 < i < len(tokens) - 1 and is_glued(tokens, i) and is_glued(tokens, i + 1)
        if is_inside and tokens[i - 1].is_word and tokens[i + 1].is_word and tokens[i - 1].text not in _NUMBER_WORDS:
            continue
        yield token


_NUMBER_WORDS = SMALL.keys() | SCALES.keys() | GROUPS.keys()


def _terms(text: str, tokens: list[TextToken], known: Vocabulary) -> Iterator[Term]:
    i = MARGIN
    while i < len(tokens) - MARGIN:
        term, end = _term(tokens, i, known)
        yield term._replace(text=text[tokens[i].start : tokens[end - 1].end])
        i = end


def _term(tokens: list[TextToken], i: int, known: Vocabulary) -> tuple[Term, int]:
    """The longest term at i; among equally long ones a share ("one half") wins, then a number, a noun or colour."""
    candidates = (
        _of_phrases(tokens, i, lexicon.SHARES),
        _number(tokens, i),
        _of_phrases(tokens, i, known.phrases),
        _of_phrases(tokens, i, lexicon.PHRASES),
        _setting(tokens, i, known),
        _grid(tokens, i),
        _cell(tokens, i),
    )
    found = [term for term in candidates if term]
    if not found:
        kind = lexicon.MARKS.get(tokens[i].text, "unknown")
        is_after = is_glued(tokens, i) and tokens[i - 1].text != "\n"
        is_bound = kind == "dash" and (is_after or is_glued(tokens, i + 1))  # "7-", "-7"
        return Term("unknown" if is_bound else kind, ""), i + 1
    return max(found, key=lambda term: term[1])


def _number(tokens: list[TextToken], i: int) -> tuple[Term, int] | None:
    token = tokens[i]
    opens = token.values or token.text in _NUMBER_WORDS or token.text == "half"
    if token.text in ("a", "an"):
        opens = tokens[i + 1].text in (*SCALES, *GROUPS, "half")
    if token.kind == "vulgar" or (not opens and token.kind != "code"):
        return None
    number = parse_number(tokens, i)
    if number and tokens[number[1]].text == "as":  # "twelve cats and a third as many dogs"
        number = read_whole(tokens, i)
    if number is None or _is_loose(tokens, i, number) or _is_ambiguous(token, number[0]):
        return Term("unknown", ""), i + 1
    return Term("number", "", number=number[0], is_group=tokens[number[1] - 1].text in GROUPS), number[1]


def _is_loose(tokens: list[TextToken], i: int, number: Number) -> bool:
    """Whether "couple" is only an idiom: "a couple of" is two, "a couple dozen" is not 24."""
    said = [token.text for token in tokens[i : number[1]]]
    return not {"couple", "couples"}.isdisjoint(said) and said not in (["a", "couple"], ["couple"])


def _is_ambiguous(token: TextToken, number: float) -> bool:
    """Whether digits are ambiguous: "1.000" is one in some countries, a thousand in others."""
    return number == int(number) and token.text[:1].isdecimal() and not set(token.text).isdisjoint(".e")


def _of_phrases(tokens: list[TextToken], i: int, phrases: Phrases) -> tuple[Term, int] | None:
    match = phrases.match(tokens, i)
    if match is None:
        return None
    kind, _, name = match[0].partition(" ")
    if kind != "noun":
        return Term(cast(Kind, kind), "", name), match[1]
    form, _, noun = name.partition(" ")
    return Term("noun", "", noun, is_plural=form == "plural", is_singular=form == "singular"), match[1]


def _setting(tokens: list[TextToken], i: int, known: Vocabulary) -> tuple[Term, int] | None:
    """A setting, which need not be drawn: "on a wooden table", "in white background"."""
    preposition = lexicon.BEFORE_SETTINGS.match(tokens, i)
    if preposition is None:
        return None
    i = preposition[1]
    has_article = tokens[i].text in lexicon.SETTING_ARTICLES
    i += has_article
    while (place := lexicon.SETTINGS.match(tokens, i)) is None:
        if tokens[i].text not in lexicon.SETTING_ADJECTIVES and not _is_colour(tokens, i, known):
            return None
        i += 1
    is_place = has_article or place[0] == "bare"
    if not is_place or not lexicon.fits_preposition(preposition[0], tokens[place[1] - 1].text):
        return None
    return Term("setting", ""), place[1]


def _grid(tokens: list[TextToken], i: int) -> tuple[Term, int] | None:
    """A grid of rows and columns: "with a 3 row 4 column grid"."""
    if tokens[i].text not in lexicon.BEFORE_GRIDS:
        return None
    i += 1 + (tokens[i + 1].text in ("a", "an"))
    rows = _rank(tokens, i)
    columns = _rank(tokens, rows[1] + 1) if rows and tokens[rows[1]].text == "row" else None
    if not rows or not columns or [token.text for token in tokens[columns[1] : columns[1] + 2]] != ["column", "grid"]:
        return None
    return Term("grid", "", f"{rows[0]} {columns[0]}"), columns[1] + 2


def _cell(tokens: list[TextToken], i: int) -> tuple[Term, int] | None:
    """The row and column of one thing: "at row 1 column 2"."""
    if tokens[i].text not in lexicon.BEFORE_CELLS or tokens[i + 1].text != "row":
        return None
    row = _rank(tokens, i + 2)
    column = _rank(tokens, row[1] + 1) if row and tokens[row[1]].text == "column" else None
    return (Term("cell", "", f"{row[0]} {column[0]}"), column[1]) if row and column else None


def _rank(tokens: list[TextToken], i: int) -> tuple[int, int] | None:
    """A whole number from 1, and its end."""
    number = _number(tokens, i)
    if number is None or number[0].number < 1 or number[0].number % 1:
        return None
    return int(number[0].number), number[1]


def _is_colour(tokens: list[TextToken], i: int, known: Vocabulary) -> bool:
    match = known.phrases.match(tokens, i)
    return match is not None and match[0].startswith("colour ") and match[1] == i + 1


def describe(terms: Iterable[Term]) -> str:
    """The words of some terms, shortened, for a message."""
    text = " ".join(term.text for term in terms).strip()
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")


class Cursor:
    """A reader's position among terms; past the last term, every term is END."""

    def __init__(self, terms: list[Term]) -> None:
        self._terms = [*terms, END]
        self.at = 0

    def peek(self, ahead: int = 0) -> Term:
        """The next term, or the one so far ahead; -1 is the last one taken."""
        place = self.at + ahead
        return self._terms[place] if 0 <= place < len(self._terms) else END

    def kinds(self, number: int) -> list[Kind]:
        """The kinds of the next terms."""
        return [self.peek(ahead).kind for ahead in range(number)]

    def has(self, kind: Kind) -> bool:
        """Whether there is a term of this kind anywhere."""
        return any(term.kind == kind for term in self._terms)

    def take(self, number: int = 1) -> Term:
        """Take the next terms, and return the last of them."""
        self.at += number
        return self.peek(-1)

    def take_all(self, *kinds: Kind) -> None:
        """Take all next terms of these kinds."""
        while self.peek().kind in kinds:
            self.at += 1

    def puzzle(self, reason: str = "") -> NoReturn:
        """Raise NotUnderstoodError, quoting the words around the position."""
        here = describe(self.peek(ahead) for ahead in (-1, 0, 1))
        if self.peek().kind == "unknown":
            reason = f"the word {self.peek().text!r}" if self.peek().text.isalpha() else f"{self.peek().text!r}"
            raise NotUnderstoodError(f"{reason} in {here}")
        raise NotUnderstoodError(f"{reason}: {here}" if reason else here)


_OPENERS: frozenset[Kind] = frozenset({"ask", "there", "polite", "style", "setting", "adjective"})
_BEFORE_IMAGE: frozenset[Kind] = frozenset({"adjective", "style", "cartoon", "image", "comma"})
_AFTER_CARTOON: frozenset[Kind] = ENDS | {"of", "with", "link", "comma", "colon"}


class Openers:
    """Skips openers at a cursor, and notices a question: "could you draw"."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self.is_question = False
        self._no_image_before = 0

    def skip(self, *, has_items: bool) -> None:
        """Skip all openers here; once there are items, an afterthought may open a clause, too."""
        has_image, start = False, self._cursor.at
        while True:
            kind = self._cursor.peek().kind
            self.is_question = self.is_question or self._cursor.peek().name == "question"
            if image_end := self._image_end():
                self._cursor.at, has_image = image_end, True
            elif (
                kind in _OPENERS
                or (kind == "after" and has_items)
                or (kind in ("comma", "colon", "dash") and (self._cursor.at > start or kind == "dash"))
                or (kind in ("of", "with", "link") and has_image)
            ):
                self._cursor.take()
            else:
                return

    def _image_end(self) -> int:
        """The end of an image phrase that begins here ("a nice picture"); 0 if there is none."""
        if self._cursor.at < self._no_image_before:
            return 0
        first = self._cursor.peek()
        is_one = first.kind == "number" and first.number == 1 and not first.is_group
        end, at = 0, self._cursor.at + (first.kind in ("a", "the") or is_one)
        while (kind := self._cursor.peek(at - self._cursor.at).kind) in _BEFORE_IMAGE:
            at += 1
            after = self._cursor.peek(at - self._cursor.at).kind
            if kind == "image" or (kind == "cartoon" and after in _AFTER_CARTOON):
                end = at
        if not end:
            self._no_image_before = at
        return end
