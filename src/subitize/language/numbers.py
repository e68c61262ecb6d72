"""Reads and writes single numbers: digits, number words, scales, fractions, dozens and pairs."""

from collections.abc import Iterable, Mapping
from typing import Literal

from subitize.language.nouns import plural
from subitize.language.tokens import SENTENCE_ENDS, WORDS, TextToken, is_glued, word_list, word_set

Number = tuple[float, int]  # and the index of the token after it
NUMBERS_BELOW_20 = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
SMALL = {word: n for n, word in enumerate(NUMBERS_BELOW_20)} | {word: 20 + 10 * n for n, word in enumerate(TENS)}
SMALL["fourty"] = 40  # a common misspelling
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
GROUPS = {
    "dozen": 12, "dozens": 12, "pair": 2, "pairs": 2, "couple": 2, "couples": 2, "duo": 2, "trio": 3,
}  # fmt: skip
DENOMINATORS = {
    "half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10,
}  # fmt: skip
PLURAL_DENOMINATORS = {"halves": 2} | {word + "s": n for word, n in DENOMINATORS.items()}
_ONE_IN_A_PAIR = WORDS["one_in_a_pair"]
_SIGNS = word_set("- − minus negative")
NUMBER_OPENERS = _SIGNS | SMALL.keys() | SCALES.keys() | GROUPS.keys() | {"a", "an", "half"}
BEFORE_PRONOUN = WORDS["before_pronoun"]


def parse_number(tokens: list[TextToken], i: int) -> Number | None:
    """The number that begins at i."""
    if tokens[i].text in _SIGNS:
        return _negative(tokens, i)
    whole = read_whole(tokens, i)
    if whole is None:
        return _part(tokens, i)
    number, end = whole
    share = _share(tokens, number, end)
    if share is not None:
        return share
    mixed = _mixed(tokens, number, end)
    return _grouped(tokens, *mixed)


def _negative(tokens: list[TextToken], i: int) -> Number | None:
    sign, after = tokens[i], tokens[i + 1]
    if len(after.values) != 1 and after.text not in SMALL:
        return None
    if tokens[i - 1].values or tokens[i - 1].text in SMALL:  # a subtraction
        return None
    is_bullet = tokens[i - 1].text == "\n" and tokens[i + 2].is_word
    if sign.text == "-" and (is_glued(tokens, i) or not is_glued(tokens, i + 1) or is_bullet):
        return None
    number = parse_number(tokens, i + 1)
    return None if number is None else (-number[0], number[1])


def read_whole(tokens: list[TextToken], i: int) -> Number | None:
    """Digits or number words with their scales: "5 thousand", "one hundred and five", "a dozen"."""
    token, after = tokens[i], tokens[i + 1]
    if token.kind == "number" and len(token.values) == 1:
        return _with_scales(tokens, token.values[0], i + 1, room=1)
    if token.text in ("a", "an") and (after.text in SCALES or after.text in GROUPS):
        return _with_scales(tokens, 1.0, i + 1, room=1)
    if token.text in GROUPS and not token.text.endswith("s") and tokens[i - 1].text not in BEFORE_PRONOUN:
        return 1.0, i
    if token.text in SCALES and after.text != "percent":
        return _with_scales(tokens, 1.0, i, room=1)
    if token.text in SMALL:
        return _with_scales(tokens, float(SMALL[token.text]), i + 1, room=_room_after(SMALL[token.text]))
    return None


def _room_after(small: int) -> int:
    """The limit of what may be added to a number word: 10 after "twenty", nothing after "two"."""
    return 10 if small >= 20 else 1


def _with_scales(tokens: list[TextToken], current: float, i: int, *, room: int) -> Number:
    """Extend a first number word as long as the next word fits."""
    total, scale = 0.0, 10**12
    while True:
        k, word = i, tokens[i].text
        if word == "-" and is_glued(tokens, i) and is_glued(tokens, i + 1):
            k, word = i + 1, tokens[i + 1].text
        if word == "and" and room >= 100:
            k, word = k + 1, tokens[k + 1].text
        small = SMALL.get(word, 0)
        if 0 < small < room:
            current, room = current + small, _room_after(small)
        elif word == "hundred" and 0 < current < 100 and current * 100 < scale:
            current, room = current * 100, 100
        elif word != "hundred" and word in SCALES and current > 0 and SCALES[word] < scale and k == i:
            total, current, scale = total + current * SCALES[word], 0.0, SCALES[word]
            room = scale
        else:
            return total + current, i
        i = k + 1


def _share(tokens: list[TextToken], number: float, i: int) -> Number | None:
    """A number of equal parts: "three quarters", "one third"."""
    k = i + 1 if tokens[i].text == "-" and is_glued(tokens, i) else i
    table = DENOMINATORS if number == 1 else PLURAL_DENOMINATORS
    if tokens[k].text not in table or not 0 < number < 20:
        return None
    return number / table[tokens[k].text], k + 1


def _part(tokens: list[TextToken], i: int) -> Number | None:
    """Less than one thing: "½", "half an apple", "a quarter of another apple"."""
    if tokens[i].kind == "vulgar":
        return tokens[i].values[0], i + 1
    k = i + 1 if tokens[i].text in ("a", "an") else i
    word, after = tokens[k].text, tokens[k + 1].text
    if word not in DENOMINATORS or (k == i and word != "half"):
        return None
    if word == "half" and (after == "dozen" or (after == "a" and tokens[k + 2].text == "dozen")):
        return 6.0, k + (2 if after == "dozen" else 3)
    then = tokens[k + 2].text if after == "of" else after
    is_alone = word == "half" and after in SENTENCE_ENDS and tokens[i - 1].text in SENTENCE_ENDS
    return (1 / DENOMINATORS[word], k + 1) if then in ("a", "an", "another", "one") or is_alone else None


def _mixed(tokens: list[TextToken], number: float, i: int) -> Number:
    """A whole number with its fraction: "2½", "2 1/2", "one and a half", "one apple and a half"."""
    if number != int(number):
        return number, i
    if tokens[i].kind == "vulgar" or ("/" in tokens[i].text and tokens[i].values and tokens[i].values[0] < 1):
        return number + tokens[i].values[0], i + 1
    k = i if tokens[i].text == "and" else i + 1
    if tokens[k].text != "and" or (k > i and (not tokens[i].is_word or tokens[i].text in GROUPS)):
        return number, i
    if tokens[k + 1].text in ("a", "one") and tokens[k + 2].text in DENOMINATORS:
        is_of_another = tokens[k + 3].text == "of"  # "one apple and a half of another" names two things
        return (number, i) if is_of_another else (number + 1 / DENOMINATORS[tokens[k + 2].text], k + 3)
    if k == i and "/" in tokens[k + 1].text and len(tokens[k + 1].values) == 1:
        return number + tokens[k + 1].values[0], k + 2
    share = _share(tokens, float(SMALL.get(tokens[k + 1].text, 0)), k + 2) if k == i else None
    return (number + share[0], share[1]) if share else (number, i)


def _grouped(tokens: list[TextToken], number: float, i: int) -> Number:
    """A number of dozens or pairs; a pair of scissors is one thing."""
    if tokens[i].text == "-" and is_glued(tokens, i) and tokens[i + 1].text in GROUPS:
        i += 1
    while tokens[i].text in GROUPS:
        if tokens[i].text in ("pair", "pairs") and tokens[i + 1].text == "of":
            things = (tokens[i + 2].text, tokens[i + 3].text)
            if not _ONE_IN_A_PAIR.isdisjoint(things):
                return number, i + 1
        size = GROUPS[tokens[i].text]
        number, i = number * size, i + 1
        if [token.text for token in tokens[i : i + 3]] == ["and", "a", "half"]:
            return number + size / 2, i + 3
    return number, i


LARGEST_IN_WORDS = 999_999


def in_words(n: int) -> str:
    """21 as "twenty-one"; from 0 to 999,999."""
    if not 0 <= n <= LARGEST_IN_WORDS:
        raise ValueError(f"cannot write {n} in words; the number must be from 0 to {LARGEST_IN_WORDS:,}")
    if n < 20:
        return NUMBERS_BELOW_20[n]
    if n < 100:
        return TENS[n // 10 - 2] + (f"-{NUMBERS_BELOW_20[n % 10]}" if n % 10 else "")
    scale, name = (100, "hundred") if n < 1000 else (1000, "thousand")
    rest = f" {in_words(n % scale)}" if n % scale else ""
    return f"{in_words(n // scale)} {name}{rest}"


def count_noun(n: int, noun: str, style: Literal["digits", "words"] = "digits") -> str:
    """A number and its noun: "1 apple", "two flies"."""
    return f"{in_words(n) if style == 'words' else n} {noun if n == 1 else plural(noun)}"


def list_some(texts: Iterable[str], most: int = 3) -> str:
    """The first of several texts: "a.png, b.png, c.png, …"."""
    every = list(texts)
    return ", ".join(every[:most]) + (", …" if len(every) > most else "")


# "a" and "an" can be read as one, "no" as zero (Parcalabescu et al. 2021, section 4.2.2).
NUMERALS: Mapping[str, int] = {
    **{word: SMALL[word] for word in (*NUMBERS_BELOW_20, *TENS)},
    "hundred": 100,
    **{str(number): number for number in range(101)},
    "a": 1,
    "an": 1,
    "no": 0,
}


def name_number(scores: Mapping[str, float]) -> int | None:
    """Return the most likely number in a gap, ignoring words that are not numerals."""
    numerals = {word: score for word, score in scores.items() if word.lower() in NUMERALS}
    return NUMERALS[max(numerals, key=numerals.__getitem__).lower()] if numerals else None
