"""Reads single numbers in languages other than English, in digits or words; rejects doubtful ones."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from subitize.language.mentions import NoValue
from subitize.language.numbers import SMALL
from subitize.language.tokens import is_year, word_set


def in_ascii_digits(text: str) -> str:
    """The text with the decimal digits of all scripts as 0 to 9."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def read_foreign(text: str) -> float | NoValue | None:
    """The one number of a text in another language, or why there is none; None if the text is English."""
    text = _NO_COUNT.sub(" ", unicodedata.normalize("NFC", text))
    script = _main_script(text)
    if script in _HAN_SCRIPTS:
        return _only(_read_han(text), is_doubtful=_HAN_DOUBT.search(text) is not None)
    words = _part_and(_split(text)) if script == "ARABIC" else _split(text)
    languages = _latin_languages(words) if script == "LATIN" else _languages_in(script) or [_UNKNOWN]
    if languages is None:
        return None
    said = [(language, *_read_words(words, language)) for language in languages]
    fewest = min(len(others) for _, _, others in said)
    # The likely languages are those that leave the fewest words unread: "noventa e nove".
    likely = [one for one in said if len(one[2]) == fewest]
    is_doubtful = any(
        not (language.doubts | _large_words()).isdisjoint(others)
        or ("," in text and not language.one.isdisjoint(others))
        or _has_strange_compound(text, language)
        for language, _, others in likely
    )
    found = {tuple(numbers) for _, numbers, _ in likely}
    return _only([number for numbers in found for number in numbers], is_doubtful=is_doubtful)


@dataclass(frozen=True, slots=True)
class _Language:
    script: str
    numbers: Mapping[tuple[str, ...], int]
    one: frozenset[str]
    joints: frozenset[str]
    doubtful: frozenset[str]
    common: frozenset[str]
    doubts: frozenset[str]
    large: frozenset[str]


@cache
def _languages() -> tuple[_Language, ...]:
    text = Path(__file__).with_name("languages.toml").read_text(encoding="utf-8")
    return tuple(map(_make, tomllib.loads(unicodedata.normalize("NFC", text)).values()))


def _make(table: Mapping[str, str]) -> _Language:
    tens = {10 * n: words for n, words in enumerate(table["tens"].split(), 3)}
    spelt = dict(enumerate(table["numbers"].split())) | tens
    numbers = {tuple(word.split("+")): n for n, words in spelt.items() for word in words.split("/") if word != "-"}
    lists = (word_set(table.get(name, "")) for name in ("one", "joints", "doubtful", "common", "doubts", "large"))
    return _Language(table.get("script", "LATIN"), numbers, *lists)


@cache
def _large_words() -> frozenset[str]:
    return frozenset[str]().union(*(language.large for language in _languages()))


def _languages_in(script: str) -> list[_Language]:
    return [language for language in _languages() if language.script == script]


_MOST_LETTERS = 2_000
_HAN_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA")


def _main_script(text: str) -> str:
    """The most frequent script; a text without letters counts as Latin."""
    letters = [c for c in text if c.isalpha()][:_MOST_LETTERS]
    scripts = Counter(unicodedata.name(c, "LATIN").split()[0].removesuffix("-") for c in letters)
    return scripts.most_common(1)[0][0] if scripts else "LATIN"


# Shares, measures, years and ordinals. A decimal point or comma splits a number in two, so neither is read.
_NO_COUNT = re.compile(r"第\s?+\d{1,9}|\d{1,9}\s?+(?:[%°年月日]|px\b|cm\b|mm\b|[x×]\s?+\d{1,9})")
_MARKS = re.compile(r"[\s\u200b-\u200f.,;:!?…()\[\]{}\"'«»“”„‘’‚।॥،؛؟/\\*_`~¿¡#<>|=+—–-]+")
_DIGITS = re.compile(r"(\d{1,15})")


def _split(text: str) -> list[str]:
    return _MARKS.sub(" ", _DIGITS.sub(r" \1 ", text.lower())).split()


def _part_and(words: Sequence[str]) -> list[str]:
    """Split the Arabic "and" from the number it is attached to."""
    known = {" ".join(phrase) for language in _languages_in("ARABIC") for phrase in language.numbers}
    return [part for word in words for part in (("و", word[1:]) if word[0] == "و" and word[1:] in known else (word,))]


_ENGLISH = word_set(
    "the there are is was were of i see and with this that you picture image photo answer total count in it on an can"
    " can't my we here one"
) | (SMALL.keys() - {"six"})
# Words that join counts in languages outside the table, or state bounds in those inside it.
_OTHER_DOUBTS = word_set(
    "och og ve dan và oraz și şi ja és sekä mindestens höchstens mehr weniger über más menos moins mais pelo più meno"
    " almeno"
)
_NONE = frozenset[str]()
_UNKNOWN = _Language("", {}, _NONE, _NONE, _NONE, _NONE, _OTHER_DOUBTS, _NONE)


def _latin_languages(words: Sequence[str]) -> list[_Language] | None:
    """The languages that a text in Latin letters may be in; None for English."""
    said, latin = frozenset(words), _languages_in("LATIN")
    english = len(said & _ENGLISH)
    scores = [len(said & language.common) for language in latin]
    best = max(scores)
    if best > english and (best > 1 or not english):
        return [language for language, score in zip(latin, scores, strict=True) if score == best]
    if english:
        return None
    found = [language for language in latin if _has_plain_number(words, language)]
    return found or (None if said.isdisjoint(_OTHER_DOUBTS) else [_UNKNOWN])


def _has_plain_number(words: Sequence[str], language: _Language) -> bool:
    """Whether a word is an unambiguous number of the language; the word for one must be alone."""
    if len(words) == 1 and words[0] in language.one:
        return True
    plain = {phrase[0] for phrase in language.numbers if len(phrase) == 1} - language.doubtful - SMALL.keys()
    return not (plain | language.large).isdisjoint(words)


def _read_words(words: Sequence[str], language: _Language) -> tuple[list[float], list[str]]:
    """The numbers, in digits or words, in order, and all other words."""
    if len(words) == 1 and words[0] in language.one:
        return [1.0], []
    numbers: list[float] = []
    others: list[str] = []
    i = 0
    while i < len(words):
        value, end = _number_at(words, i, language)
        if end == i:
            others.append(words[i])
            i += 1
            continue
        unit, beyond = _unit_at(words, end, language) if value in _TENS else (0, end)
        is_whole = 0 < unit < 10 or (value in _SCORES and 10 <= unit < 20)
        numbers.append(float(value + unit if is_whole else value))
        i = beyond if is_whole else end
    return numbers, others


def _has_strange_compound(text: str, language: _Language) -> bool:
    """Whether a hyphen joins a number word to another word: it may be another language's number."""
    known = {word for phrase in language.numbers for word in phrase} | language.one | language.joints
    joined = (frozenset(found[0].split("-")) for found in _COMPOUND.finditer(text.lower()))
    return any(not known.isdisjoint(parts) and not parts <= known for parts in joined)


_COMPOUND = re.compile(r"[^\W\d_]++(?:-[^\W\d_]++)++")
_TENS = frozenset(range(20, 100, 10))
_SCORES = (60, 80)  # "soixante et onze", "quatre-vingt-dix-neuf"
_LONGEST_PHRASE = 3


def _unit_at(words: Sequence[str], i: int, language: _Language) -> tuple[int, int]:
    """The number added to tens at i, with or without a joint, and its end."""
    k = i + (i < len(words) and words[i] in language.joints)
    if k < len(words) and words[k] in language.one:
        return 1, k + 1
    return _number_at(words, k, language)


def _number_at(words: Sequence[str], i: int, language: _Language) -> tuple[int, int]:
    """The number that begins at i, and its end; i if there is none."""
    if i < len(words) and words[i].isdecimal():
        return (0, i) if is_year(words[i]) else (int(words[i]), i + 1)
    for end in range(min(i + _LONGEST_PHRASE, len(words)), i, -1):
        value = language.numbers.get(tuple(words[i:end]))
        if value is not None:
            return value, end
    return 0, i


def _only(numbers: Sequence[float], *, is_doubtful: bool) -> float | NoValue:
    """The one number, if it is clearly stated once, or repeated in digits."""
    if not numbers:
        return NoValue("no number in a language that is read")
    if is_doubtful:
        return NoValue("not plainly one number, in a language of which little is read")
    if len(set(numbers)) > 1 or len(numbers) > _MOST_MENTIONS:
        return NoValue(f"several different numbers: {', '.join(f'{n:g}' for n in dict.fromkeys(numbers))}")
    return numbers[0]


_MOST_MENTIONS = 2
_HAN_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
# A numeral counts before a measure word or mark, or alone: 三角形 is a triangle. One is an article
# unless the text says that something exists: 有一只狗.
_HAN_NUMBER = re.compile(
    r"""
    (?<![第星]) (?: (?P<one>(?<=[有共])一) | (?P<han>[零〇一二两兩三四五六七八九十百千]{1,9}+) | (?P<digits>\d{1,15}+) )
    (?: \s?+ (?: [个個只隻条條匹头頭辆輛把朵棵位名块塊根颗顆本件台架艘座枚粒支瓶杯盏盆串羽冊人つ] | [张張](?![图圖照]) )
      | (?=[\s。，、,.!！)）*]|$) | (?(digits)|(?!)) )
    """,
    re.VERBOSE,
)
_HAN_DOUBT = re.compile(
    "至少|最多|超过|超過|多于|少于|以上|以下|以内|左右|或|和|与|及|没|沒|无法|無法|不|抱歉|几|幾|还|還|另|除|とか|ませ|ない|以外|ずつ|各|每|分之|[一二三四五六七八九]{2}"
)


def _read_han(text: str) -> list[float]:
    numbers = []
    for found in _HAN_NUMBER.finditer(text):
        is_article = found["han"] == "一" and found[0].strip() != text.strip(" 。.!！*\n")
        if not is_article and not is_year(found[0]):
            numbers.append(float(found["digits"]) if found["digits"] else _han_value(found["one"] or found["han"]))
    return numbers


def _han_value(written: str) -> float:
    """十二 is 12, 二十 is 20, 一百零五 is 105."""
    total, digit = 0, 0
    for c in written:
        if c in _HAN_SCALES:
            total, digit = total + (digit or 1) * _HAN_SCALES[c], 0
        else:
            digit = _HAN_DIGITS[c]
    return float(total + digit)
