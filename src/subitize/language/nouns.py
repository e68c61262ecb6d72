"""Plurals, singulars and articles of English nouns, and their names in questions to people."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import takewhile
from typing import Literal

from subitize.io.files import read_own_toml
from subitize.language.tokens import word_list, word_set


@lru_cache(maxsize=2048)  # a suite asks for the same few nouns thousands of times
def plural(noun: str) -> str:
    """The plural of a noun or noun phrase: "loaf of bread" gives "loaves of bread"."""
    return _inflect(noun, _plural_word)


@lru_cache(maxsize=2048)
def singular(noun: str) -> str:
    """The singular of a noun or noun phrase; a singular stays as it is."""
    return _inflect(noun, _singular_word)


def plural_of(noun: str, colour: str | None = None) -> str:
    """The plural of a noun, after its colour."""
    return f"{colour} {plural(noun)}" if colour else plural(noun)


def article(noun: str) -> Literal["a", "an"]:
    """The indefinite article that the noun's sound asks for: "an hour", "a unicorn", "an X-ray"."""
    word = re.split(r"[\s-]", noun.strip(), maxsplit=1)[0]
    if word.isupper() and len(word) <= _LONGEST_INITIALISM:
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    lower = noun.strip().lower()
    if re.match(_VOWEL_SOUND, lower):
        return "an"
    return "an" if re.match("[aeiou]", lower) and not re.match(_CONSONANT_SOUND, lower) else "a"


def with_article(noun: str) -> str:
    """The noun after its indefinite article."""
    return f"{article(noun)} {noun}"


_NOUNS = read_own_toml(__file__, "nouns.toml")
_ENDINGS: dict[str, str] = _NOUNS["endings"]
_IRREGULAR: dict[str, str] = _NOUNS["irregular"]
_UNCHANGED, _NOT_ENDINGS = word_set(_NOUNS["unchanged"]), word_set(_NOUNS["not_endings"])
_O_ES, _HARD_SINGULARS = word_list(_NOUNS["o_es"]), word_list(_NOUNS["hard_singulars"])
_PREPOSITION = r"(?i)\s(?:of|in|on|with|from|for|at|to|without)\s|-(?:in|of|on|at|to)-"


def _inflect(noun: str, inflect_word: Callable[[str], str]) -> str:
    """Inflect the head of a noun phrase: the last word before the first preposition."""
    preposition = re.search(_PREPOSITION, noun)
    head, rest = (noun[: preposition.start()], noun[preposition.start() :]) if preposition else (noun, "")
    before, space, word = head.rpartition(" ")
    changed = inflect_word(word.lower())
    if word.isupper() and len(word) > 1:
        changed = changed.upper()
    else:
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word.lower(), changed, strict=False)))
        changed = word[:kept] + changed[kept:]
    return before + space + changed + rest


def _plural_word(word: str) -> str:
    if not word or word in _UNCHANGED:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    ending = _ending(word, _ENDINGS)
    if ending is not None:
        return ending
    if word in _O_ES or re.search(r"(?:s|x|z|ch|sh)$", word):
        return word + "es"
    if re.search(r"(?:[^aeiou]|qu)y$", word):
        return word[:-1] + "ies"
    return word + "s"


def _ending(word: str, endings: dict[str, str]) -> str | None:
    if word in _NOT_ENDINGS:
        return None
    for old, new in endings.items():
        if word.endswith(old):
            return word.removesuffix(old) + new
    return None


def _singular_word(word: str) -> str:
    if word in _SINGULARS or word in _UNCHANGED:
        return _SINGULARS.get(word, word)
    ending = _ending(word, _SINGULAR_ENDINGS)
    if ending is not None:
        return ending
    for pattern, replacement in _SINGULAR_RULES:
        if re.search(pattern, word):
            return re.sub(pattern, replacement, word)
    return word


_SINGULAR_ENDINGS = {new: old for old, new in _ENDINGS.items()}
_SINGULARS = (
    {_plural_word(word): word for word in (*_HARD_SINGULARS, *_O_ES)}
    | {new: old for old, new in _IRREGULAR.items()}
    | {word: word for word in (*_HARD_SINGULARS, *_IRREGULAR)}
    | {"persons": "person"}
)
_SINGULAR_RULES = (
    (r"(?:ss|us|sis|itis)$", r"\g<0>"),
    (r"^(.ie)s$", r"\1"),
    (r"ies$", "y"),
    (r"(ch|sh|ss|x|zz|tz)es$", r"\1"),
    (r"([^o]us)es$", r"\1"),
    (r"s$", ""),
)
_LONGEST_INITIALISM = 3  # X, TV, MRI; longer capitals (NASA) are mostly said as words
_VOWEL_SOUND = r"hour|honest|honou?r|heir|herb(?!i)|8|1[18](?!\d)"  # eight, eleven, eighteen
_CONSONANT_SOUND = r"eu|ewe|ouija|once\b|one\b|uni(?![mn]|d[eio])|ubiq|ufo|uk|ur(?:an|et|in|ol)|us[aeiu]|ut[eio]|u\b"


_SPOKEN = {"loaf": "loaf of bread", "rice grain": "grain of rice"}


def spoken(noun: str, colour: str | None = None) -> str:
    """The spoken singular of a noun, after its colour."""
    name = _SPOKEN.get(noun, noun)
    return f"{colour} {name}" if colour else name


def spoken_plural(noun: str, colour: str | None = None) -> str:
    """The spoken plural of a noun, after its colour."""
    return plural(spoken(noun, colour))
