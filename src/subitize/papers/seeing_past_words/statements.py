"""Turns questions and their numbers into statements, whole or with a gap for the number.

Faithful statements follow the paper's own templates with all their slips (appendix A.2, and what was released);
corrected ones are grammatical English, for data of one's own."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from subitize.errors import BadValueError, UnknownNameError
from subitize.io.files import read_own_toml
from subitize.language.nouns import plural, singular
from subitize.language.tokens import WORDS as NUMBER_WORDS
from subitize.language.tokens import word_set
from subitize.networks.joint import GAP
from subitize.papers.seeing_past_words.probes import LARGEST_FOIL

_FAITHFUL_HOW_MANY = "how many"
_SINGULARS = {"people": "person", "men": "man", "women": "woman"}
_FOURTH = 3  # the only word that loses its final s, whatever it is: "1 yellow cars", "1 tenni rackets"


def faithful_statement(question: str, number: str, *, is_one: bool) -> str | None:
    """Write the statement as the authors' templates do, grammatical or not; None if none fits.

    `number` may be anything in its place, such as a gap.
    """
    start = 0 if question.startswith("How many") else question.lower().find(_FAITHFUL_HOW_MANY)
    sentence = (
        None if start < 0 else _fill_template(question[start + len(_FAITHFUL_HOW_MANY) :].replace("?", ""), number)
    )
    if sentence is None:
        return None
    return (_make_singular(sentence) if is_one else sentence) + "."


def _fill_template(rest: str, number: str) -> str | None:
    """Use the first template whose key occurs in the text after "How many", which starts with a space."""
    if " are there" in rest and (parts := _part(rest, " are there")):
        return f"There are {number}{parts[0]}{parts[1]}"
    if " you see" in rest and (parts := _part(rest, " can you see")):
        return re.sub(" +", " ", f"You see {number}{parts[0]} {parts[1]}")
    if " you see" in rest and (parts := _part(rest, " do you see")):
        return f"There are {number}{parts[0]}{parts[1]}"
    if " are " in rest:
        return f"There are {number}{rest.replace(' are ', ' ')}"
    if " can " in rest:
        return f"{number}{rest}"
    if " do " in rest and _part(rest, " have"):
        counted, _, owners = rest.partition(" do ")
        return f"{_capitalise(owners)} {number}{counted}"
    if " does " in rest and _part(rest, " have"):
        counted, _, owning = rest.partition(" does ")
        owner, _, more = owning.partition(" have")
        return f"{_capitalise(owner)} has {number}{counted}{more}"
    if " have " in rest:
        counted, _, owned = rest.partition(" have ")
        return f"{number} {counted.removeprefix(' ')} have {owned}"  # with nothing counted, two blanks
    if " is " in rest or " will " in rest or " does " in rest or " has " in rest:
        return None
    return f"There are {number}{rest}"


def _part(text: str, key: str) -> tuple[str, str] | None:
    """Split a text at the first key that ends with a whole word; None if there is none."""
    place = text.find(key)
    while place >= 0:
        end = place + len(key)
        if not text[end : end + 1].isalnum():
            return text[:place], text[end:]
        place = text.find(key, end)
    return None


def _make_singular(sentence: str) -> str:
    words = sentence.replace("There are ", "There is ").split(" ")
    if len(words) > _FOURTH:
        word = _SINGULARS.get(words[_FOURTH], words[_FOURTH])
        words[_FOURTH] = word if word == "has" else word.removesuffix("s")
    return " ".join(words)


def _capitalise(text: str) -> str:
    return text[:1].upper() + text[1:]


_LISTS = read_own_toml(__file__, "vocabulary.toml")
_PREPOSITIONS, _RELATIVES, _PREDICATES, _VERBS = (
    word_set(_LISTS[kind]) for kind in ("prepositions", "relatives", "predicates", "verbs")
)
_NOT_PARTICIPLES, _SUBJECTS, _VIEWERS, _VIEWING = (
    word_set(_LISTS[kind]) for kind in ("not_participles", "subjects", "viewers", "viewing")
)
_HOW_MANY = re.compile(r"\s*how many\b(.*?)[\s?.!]*", re.IGNORECASE | re.DOTALL)
_YOU_SEE = re.compile(r"(?<!\bdo)(?<!\bdid)(?<!\bcan)(?<!\bcould) you see\b")  # "How many cups you see?"
_OF_ONE = {
    "are": "is", "were": "was", "aren't": "isn't", "weren't": "wasn't",
    "have": "has", "haven't": "hasn't", "don't": "doesn't", "go": "goes",
}  # fmt: skip
_OF_MANY = {one: many for many, one in _OF_ONE.items()}
_BE = frozenset({"are", "is", "were", "was", "aren't", "isn't", "weren't", "wasn't"})
_DO = frozenset({"do", "does", "did"})
_HAVE = frozenset({"have", "has", "had", "haven't", "hasn't", "don't", "doesn't", "didn't"})
_MODALS = frozenset({"can", "could", "will", "would", "should", "may", "might", "must", "can't", "cannot"})
_AUXILIARIES = _BE | _DO | _HAVE | _MODALS
_PAIRS = NUMBER_WORDS["one_in_a_pair"] - {"glasses"}  # one glass is meant more often than one pair of glasses


class _Number(NamedTuple):
    """How the number is written, and whether it is one."""

    text: str
    is_one: bool

    def agree(self, verb: str) -> str:
        """Inflect a verb to agree with the number."""
        many = _OF_MANY.get(verb, verb)
        return (_OF_ONE.get(many) or (plural(many) if many in _VERBS else many)) if self.is_one else many


def corrected_statement(question: str, number: str, *, is_one: bool) -> str | None:
    """Write the statement in grammatical English; None if no template fits.

    `number` may be anything in its place, such as a gap.
    """
    found = _HOW_MANY.fullmatch(question)
    if found is None or found[1].lower().startswith(" more "):  # a difference, not a number of things
        return None
    words = _YOU_SEE.sub(" do you see", found[1]).split()
    sentence = _state(words, _Number(number, is_one))
    return sentence and f"{sentence[:1].upper()}{sentence[1:]}."


def _state(words: Sequence[str], number: _Number) -> str | None:
    """Choose the template by the verb that follows what is counted."""
    place = _find_verb(words)
    if place is None:
        return _join("there", number.agree("are"), _count(words, number))
    counted, verb, rest = words[:place], words[place].lower(), words[place + 1 :]
    first = rest[0].lower() if rest else ""
    if verb in _BE:
        return _state_being(counted, verb, rest, number)
    if first in _VIEWERS and verb in {*_DO, *_MODALS}:
        return _state_seen(counted, verb, rest, number)
    if verb in _DO or (first in _SUBJECTS and verb in {*_MODALS, "has"}):
        return _state_owned(counted, verb, rest, number)
    return _join(_count(counted, number), number.agree(verb), *rest)


def _find_verb(words: Sequence[str]) -> int | None:
    """Find the verb of the question: an auxiliary, or a verb after a plural, outside relative clauses."""
    is_relative = False
    for place, word in enumerate(map(str.lower, words)):
        is_verb = word in _AUXILIARIES or (word in _VERBS and _may_precede_verb(words[:place], words[place + 1 :]))
        is_verb = is_verb or (is_relative and word in _VERBS)
        if is_verb and not is_relative:
            return place
        is_relative = not is_verb and (is_relative or word in _RELATIVES)
    return None


def _may_precede_verb(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether the word after these is a verb: after a plural, or the end of a place ("in the photo")."""
    *others, last = map(str.lower, before or [""])
    is_after_place = not _PREPOSITIONS.isdisjoint(others) and last not in _SUBJECTS | _PREPOSITIONS
    return (bool(last) and _is_plural(last)) or (is_after_place and bool(after))


def _state_being(counted: Sequence[str], verb: str, rest: Sequence[str], number: _Number) -> str | None:
    """State what exists, or what it is like: "There are 3 cups on it", "3 cups are red"."""
    first = rest[0].lower() if rest else "there"
    if first == "there":
        return _join("there", number.agree(verb), _count(counted, number), *rest[1:])
    if first in _SUBJECTS:
        return _state_doing(counted, verb, rest, number)
    goes_on = first in _PREPOSITIONS | _PREDICATES or _is_participle(first)
    if goes_on and verb in {"are", "is", "were", "was"} and counted[:1] != ["of"]:
        return _join("there", number.agree(verb), _count(counted, number), *rest)
    return _join(_count(counted, number), number.agree(verb), *rest)


def _state_doing(counted: Sequence[str], verb: str, rest: Sequence[str], number: _Number) -> str | None:
    """State what somebody is doing: "How many cups is the man holding" gives "The man is holding 3 cups"."""
    verb = "is" if rest[0].lower() in ("each", "every") else verb
    for place, word in enumerate(rest):
        if place and word.endswith("ing") and word not in _NOT_PARTICIPLES:
            return _join(*rest[:place], verb, word, _count(counted, number), *rest[place + 1 :])
    return None


def _state_seen(counted: Sequence[str], verb: str, rest: Sequence[str], number: _Number) -> str | None:
    """State what the viewer sees: "How many cups can you see" gives "You can see 3 cups"."""
    seeing = next((place for place, word in enumerate(rest) if word in _VIEWING), None)
    if seeing is None:
        return _state_owned(counted, verb, rest, number)
    if verb in _MODALS:
        return _join(rest[0], verb, *rest[1 : seeing + 1], _count(counted, number), *rest[seeing + 1 :])
    return _join(
        "there", number.agree("were" if verb == "did" else "are"), _count(counted, number), *rest[seeing + 1 :]
    )


def _state_owned(counted: Sequence[str], verb: str, rest: Sequence[str], number: _Number) -> str | None:
    """State what somebody has or does: "How many cups does the man have" gives "The man has 3 cups"."""
    place = next((place for place, word in enumerate(rest) if place and word in _VERBS), None)
    if place is None or verb == "has" or (verb == "did" and rest[place] != "have"):
        return None
    own = rest[place]
    match verb:
        case "does":
            own = _OF_ONE.get(own) or plural(own)
        case "did":
            own = "had"
        case "do":
            pass
        case _:
            own = f"{verb} {own}"
    return _join(*rest[:place], own, _count(counted, number), *rest[place + 1 :])


def _count(words: Sequence[str], number: _Number) -> str:
    """Put the number before a noun phrase and inflect its head; parts of a whole stay as they are."""
    head = _find_head(words)
    if head is None:
        return _join(number.text, *words)
    before, word, after = words[:head], words[head], words[head + 1 :]
    if word.lower() in _PAIRS and "of" not in before:
        return _join(number.text, "pair of" if number.is_one else "pairs of", *words)
    agreeing = (
        number.agree(own) if last in _RELATIVES else own for last, own in zip([word, *after], after, strict=False)
    )
    return _join(number.text, *before, _inflect(word, number), *agreeing)


def _find_head(words: Sequence[str]) -> int | None:
    """Find the counted noun: the last plural before its place or action, or else the last word.

    Parts ("of the cups") have none.
    """
    end = next((place for place, word in enumerate(words) if _ends_noun_phrase(words[:place], word)), len(words))
    plurals = [place for place in range(end) if _is_plural(words[place].lower())]
    return plurals[-1] if plurals else end - 1 if end else None


def _ends_noun_phrase(before: Sequence[str], word: str) -> bool:
    lower = word.lower()
    if lower in _PREPOSITIONS or lower in _RELATIVES:
        return True
    return bool(before) and _is_plural(before[-1].lower()) and (lower in _PREDICATES or _is_participle(lower))


def _inflect(word: str, number: _Number) -> str:
    word = re.sub("['’]s$", "s", word)  # "How many giraffe's are there?"
    if number.is_one:
        return "glass" if word.lower() == "glasses" else singular(word)
    if _is_plural(word.lower()) or singular(plural(word)) != word:
        return word
    return f"{word}s" if word.isupper() else plural(word)


def _is_plural(word: str) -> bool:
    return singular(word) != word or plural(word) == word


def _is_participle(word: str) -> bool:
    return word.endswith(("ing", "ed")) and word not in _NOT_PARTICIPLES


def _join(*parts: str) -> str:
    return " ".join(filter(None, parts))


Mode = Literal["faithful", "corrected"]
_WRITERS = {"faithful": faithful_statement, "corrected": corrected_statement}
MODES: tuple[Mode, ...] = ("faithful", "corrected")
_NUMBER = "\0"  # no question has it


class Masked(NamedTuple):
    """A statement with a gap: worded for any number, and for the right answer."""

    neutral: str
    faithful: str


def statement(question: str, number: int, mode: Mode = "faithful") -> str | None:
    """Write a how-many question and a number as a statement; None if no template fits.

    `faithful` writes what the authors' templates do, slips included, `corrected` grammatical English.
    """
    if type(number) is not int or not 0 <= number <= LARGEST_FOIL:
        raise BadValueError(f"number {number!r}: should be a whole number from 0 to {LARGEST_FOIL}")
    found = _find_template(question, mode, number == 1)
    return found and f"{found[0]}{number}{found[1]}"


def mask(question: str, answer: int, mode: Mode) -> Masked:
    """Write a question as a statement with a gap; empty if no template fits.

    The grammar of the right answer gives away one: "There is [GAP] car" (of 634 statements with the answer 1 in the
    released validation data, 614 begin so, and no others).
    """
    both = (_find_template(question, mode, is_one) for is_one in (False, answer == 1))
    return Masked(*(GAP.join(found) if found else "" for found in both))


@lru_cache(maxsize=256)  # each question is stated with its answer, its foils, and a gap
def _find_template(question: str, mode: Mode, is_one: bool) -> tuple[str, str] | None:
    """Find the text before and after the number."""
    if mode not in _WRITERS:
        raise UnknownNameError("mode", mode, MODES)
    found = _WRITERS[mode](question, _NUMBER, is_one=is_one)
    if found is None:
        return None
    before, _, after = found.partition(_NUMBER)
    return before, after
