"""The closed word lists for reading prompts (prompt_words.toml).

Words outside the lists are not understood. A word belongs here only if it cannot change the number, kind, colour or
place of what is asked for, or if the grammar in items.py and clauses.py handles it."""

from collections.abc import Iterable, Mapping
from itertools import product
from typing import Literal

from subitize.io.files import read_own_toml
from subitize.language.nouns import plural
from subitize.language.numbers import in_words
from subitize.language.tokens import Phrases, list_phrases, word_set

Kind = Literal[
    "number", "noun", "colour", "post-colour", "adjective", "single", "image", "cartoon", "link", "of", "with", "ask",
    "there", "polite", "be", "that", "all", "after", "setting", "style", "exactly", "a", "the", "another", "ones",
    "they", "of-them", "number-of", "relation", "side", "and", "comma", "stop", "question", "colon", "equals", "times",
    "product", "multiple", "pot", "grid", "cell", "open", "close", "dash", "quantity", "compare", "than", "share",
    "portion", "cut", "pieces", "shares", "size", "other", "each", "whole", "hold", "without", "but", "unknown", "end",
]  # fmt: skip

ENDS: frozenset[Kind] = frozenset({"stop", "question", "end"})
"""What ends a clause."""

AFTERTHOUGHTS: frozenset[Kind] = frozenset({"after", "exactly", "style", "setting", "polite"})
"""What may follow an item without changing it."""

OPEN: frozenset[Kind] = frozenset(
    {"quantity", "without", "compare", "portion", "share", "cut", "size", "pieces", "whole"}
)
"""What tells of open numbers, comparisons or parts."""

EXCLUSIVE = frozenset({"only", "else", "other", "others"})
"""An afterthought with one of these rules out further items."""

MARKS: Mapping[str, Kind] = {
    ",": "comma", ";": "stop", ".": "stop", "!": "stop", "\n": "stop", "?": "question", ":": "colon", "=": "equals",
    "×": "times", "(": "open", ")": "close", "&": "and", "+": "and", "-": "dash", "–": "dash", "—": "dash",
}  # fmt: skip

LISTS = read_own_toml(__file__, "prompt_words.toml")
_WORDS = {name: words.split() for name, words in LISTS["words"].items()}
_PLACE_HEADS: Mapping[str, str] = LISTS["place_heads"]
_SYNONYMS: Mapping[str, str] = LISTS["synonyms"]
_MORE_PLURALS: Mapping[str, str] = LISTS["plurals"]
_COLOUR_SYNONYMS = {"gray": "grey"}
FRUIT_COLOURS = frozenset({"orange"})  # "an apple and an orange" are two fruits
HOLDERS, POTTED = (frozenset(_WORDS[name]) for name in ("holders", "potted"))

_PARTS = LISTS["parts"]
_SIZES = list_phrases(_PARTS["sizes"])
_PIECES, _EQUAL, _WAYS_TO_CUT, _ONE_PIECE, _THE_OTHER = (
    tuple(list_phrases({"": _PARTS[name]})) for name in ("pieces", "equal", "ways_to_cut", "one_piece", "the_other")
)
HOLDS: Mapping[str, str] = LISTS["holds"]
OWN_PARTS: Mapping[str, str] = LISTS["own_parts"]

SIDES: Mapping[str, tuple[str, int]] = {
    "left": ("across", 0), "middle": ("", 1), "center": ("", 1), "centre": ("", 1), "right": ("across", 2),
    "top": ("down", 0), "bottom": ("down", 2),
}  # fmt: skip
"""The axis of a place in the picture (the middle is on both), and its rank on it."""


def _phrases() -> dict[str, str]:
    """All fixed phrases with their kinds, and what they name."""
    words = dict.fromkeys(_WORDS["adjectives"], "adjective") | dict.fromkeys(_WORDS["images"], "image")
    return words | list_phrases(LISTS["phrases"]) | _side_phrases() | _multiple_phrases() | _part_phrases()


def _multiple_phrases() -> dict[str, str]:
    return {f"{times} as many": f"multiple {number}" for times, number in list_phrases(LISTS["multiples"]).items()}


def _side_phrases() -> dict[str, str]:
    suffixes = ("", " side", " half", " part", " hand side")
    wholes = ("", *(f" of {the} {image}" for the in ("the", "this") for image in _WORDS["images"]))
    patterns = product(("on", "at", "in", "to"), SIDES, suffixes, wholes)
    return {f"{where} the {side}{suffix}{whole}": f"side {side}" for where, side, suffix, whole in patterns}


def _settings() -> dict[str, str]:
    """All settings: a "place" needs an article, a "bare" one does not."""
    named = dict(LISTS["settings"])
    in_city = list_phrases({"place": named.pop("city")})
    cities = {f"{city} {place}": "place" for city, place in product(("city", "city's"), in_city)}
    places = dict.fromkeys((*_WORDS["places"], *_WORDS["images"]), "place")
    return places | dict.fromkeys(_WORDS["bare_places"], "bare") | list_phrases(named) | cities


def _part_phrases() -> dict[str, str]:
    """The phrases about parts of things, put together; those of shares are in SHARES."""
    cut = {f"{way} {into}": "cut" for way, into in product(_WAYS_TO_CUT, ("into", "in"))}
    sizes = {
        " ".join(f"{one} {be} {size} {other}".split()): f"size {ratio}"
        for one, be, (size, ratio), other in product(_ONE_PIECE, ("", "is", "being"), _SIZES.items(), _THE_OTHER)
    }
    equal = {pattern.format(piece): "pieces equal" for pattern, piece in product(_EQUAL, _PIECES)}
    return dict.fromkeys(_THE_OTHER, "other") | dict.fromkeys(_PIECES, "pieces") | equal | cut | sizes


def _share_phrases() -> dict[str, str]:
    """The phrases for shares of things, and for the equal shares that things are cut into."""
    phrases = {f"half {a}": "portion 1/2 a" for a in ("a", "an")}
    for share, name in list_phrases(_PARTS["shares"]).items():
        phrases |= dict.fromkeys((share, f"{share} of it"), f"share {name}")
        phrases |= {f"{share} of {of}": f"portion {name} {of}" for of in ("a", "an", "one", "another", "the")}
    for parts, number in _PARTS["in_equal_parts"].items():
        phrases |= dict.fromkeys((parts, f"equal {parts}", f"{in_words(number)} {parts}"), f"shares {number}")
    return phrases


PHRASES = Phrases(_phrases())
SHARES = Phrases(_share_phrases())
BEFORE_SETTINGS = Phrases(list_phrases(LISTS["before_settings"]))
SETTING_ARTICLES = word_set("a an the this")
SETTING_ADJECTIVES = frozenset((*_WORDS["adjectives"], *_WORDS["place_adjectives"]))
SETTINGS = Phrases(_settings())
BEFORE_GRIDS = word_set("with in")
BEFORE_CELLS = word_set("at in")


def fits_preposition(preposition: str, place: str) -> bool:
    """Whether the phrase is a mere setting: "in front of a wall" is, "in front of a table" is a position."""
    return preposition == "place" or place in _WORDS[preposition]


def names_place(setting: str, noun: str) -> bool:
    """Whether a setting names this thing: "on a wooden table" names a table, "on an apple tree" no apple."""
    for place, head in _PLACE_HEADS.items():
        setting = setting.replace(place, head)
    return f" {noun} " in f" {setting} "


def noun_phrases(nouns: Iterable[str]) -> dict[str, str]:
    """The singulars and plurals of nouns and synonyms, each with its form and the noun it stands for."""
    known = {noun: noun for noun in nouns}
    known |= {other: noun for other, noun in _SYNONYMS.items() if noun in known}
    forms = {form: f"plural {noun}" for form, noun in _MORE_PLURALS.items() if noun in known}
    for written, noun in known.items():
        several = plural(written)
        forms[several] = f"plural {noun}"
        forms[written] = f"{'either' if several == written else 'singular'} {noun}"
    return forms


def colour_phrases(colours: Iterable[str]) -> dict[str, str]:
    """The colours as written before a noun ("red", "red coloured") and after it ("coloured red")."""
    known = {colour: colour for colour in colours}
    known |= {other: colour for other, colour in _COLOUR_SYNONYMS.items() if colour in known}
    phrases: dict[str, str] = {}
    for written, colour in known.items():
        before = (written, f"{written} coloured", f"{written} colored", f"bright {written}")
        after = (f"in {written} colour", f"in {written} color", f"coloured {written}",
                 f"colored {written}", f"painted {written}", f"{written} in colour", f"{written} in color",
                 f"of {written} colour", f"of {written} color")  # fmt: skip
        phrases |= dict.fromkeys(before, f"colour {colour}") | dict.fromkeys(after, f"post-colour {colour}")
    return phrases
