"""A number and its parts: counting aloud, a breakdown after the total or before it."""

import re

from subitize.numerals.mentions import Mention
from subitize.numerals.nouns import singular
from subitize.numerals.phrases import WORDS, word_set
from subitize.numerals.tokens import SENTENCE_ENDS, Token

_COUNTING = word_set(", . … - – — ; : and then → ...") | frozenset("()[]\n")
_LEAST_COUNTED = 3


def without_row_numbers(tokens: list[Token], numerals: list[Mention]) -> list[Mention]:
    """Leave out the numbers that number the rows of a table."""
    first = [[token.text for token in tokens[mention.start - 2 : mention.start]] == ["\n", "|"] for mention in numerals]
    rows = [mention.numbers[0] for mention, is_first in zip(numerals, first, strict=True) if is_first]
    if len(rows) < 2 or rows != list(range(1, len(rows) + 1)):
        return numerals
    return [mention for mention, is_first in zip(numerals, first, strict=True) if not is_first]


def without_counting(tokens: list[Token], numerals: list[Mention]) -> list[Mention]:
    """Leave out a count aloud ("1, 2, 3"), unless nothing else is said: then its last number stays."""
    left: list[Mention] = []
    run: list[Mention] = []
    for mention in [*numerals, None]:
        is_next = mention is not None and mention.numbers[0] == len(run) + 1
        is_close = not run or (mention is not None and _is_close(tokens, run[-1], mention))
        if mention is not None and is_next and is_close:
            run.append(mention)
            continue
        is_count = len(run) >= _LEAST_COUNTED or (len(run) == 2 and mention is not None and mention.numbers[0] == 2)
        if not is_count:
            left += run
        elif _counts_things(tokens, run[-1]) or (mention is None and not left and not _goes_on(tokens, run[-1])):
            left.append(run[-1])
        run = []
        if mention is not None:
            if mention.numbers[0] == 1:
                run = [mention]
            else:
                left.append(mention)
    return left


def _counts_things(tokens: list[Token], last: Mention) -> bool:
    """Whether the last number of a count aloud has its things beside it: "1, 2, 3 dogs"."""
    return tokens[last.end].is_word and tokens[last.end].text not in _COUNTING


def _is_close(tokens: list[Token], earlier: Mention, later: Mention) -> bool:
    """Whether only marks, or words between brackets, stand between two numbers."""
    depth = 0
    for token in tokens[earlier.end : later.start]:
        depth += (token.text == "(") - (token.text == ")")
        if not depth and token.text not in _COUNTING:
            return False
    return True


def _goes_on(tokens: list[Token], last: Mention) -> bool:
    """Whether the count ends in dots, so that nobody knows how far it went."""
    after = [token.text for token in tokens[last.end : last.end + 2]]
    return after[0] == "…" or after == [".", "."] or after[0] in (",", "etc")


_OPENS_PARTS = re.compile(r"[:(—–=]|\s-\s")
_TELLS_PARTS = re.compile(
    r"\b(?:including|of (?:which|whom|them|these|those)|consist\w*|compris\w*|made up|namely|i\.e\.|arranged|divided"
    r"|breakdown)"
)
_OF_SOME = re.compile(r"(?:is|are) (?!(?:missing|absent|hidden|gone|empty|not|behind)\b)")
_EACH_SIDE = re.compile(r"(?:on|at) (?:each|either) (?:side|end)")
GROUPED = word_set("rows columns lines groups stacks sets clusters piles bunches layers row column")
_QUALITIES = word_set(
    "red green blue yellow black white brown grey gray orange purple pink golden silver big small large little tiny"
    " tall short old young male female adult whole dark light striped spotted single other larger smaller bigger"
)
_AFTER_PART = word_set(
    "is are was were of on in at to near behind beside above below under with standing sitting facing looking lying"
    " has have and but each left right one ones here there visible total appear appears seem seems can could times"
)
_KINDS = word_set(
    "animal person people thing object item fruit vegetable vehicle flower shape piece individual creature"
)


def is_whole_of(tokens: list[Token], whole: Mention, parts: list[Mention]) -> bool:
    """Whether the numbers that follow break the first one down: "3 apples: 1 red and 2 green", "10 in 2 rows of 5"."""
    total, values = whole.numbers[0], [part.numbers[0] for part in parts]
    before = [token.text for token in tokens[whole.start - 2 : whole.start]]
    if before == ["out", "of"] or before[0] in ("of", "among"):  # "of the 6 birds, 4 are flying"
        return False
    between = " ".join(token.text for token in tokens[whole.end : parts[0].start])
    after = " ".join(token.text for token in tokens[parts[0].end : parts[0].end + 4])
    opening = re.split(r"[,;|\n]", between, maxsplit=1)[0]
    is_broken_down = bool(
        _OPENS_PARTS.search(f" {opening} ") or _TELLS_PARTS.search(between) or _TELLS_PARTS.match(after)
    )
    noun = _noun(tokens, whole)
    is_of_same = all(_noun(tokens, part) in ("", noun) for part in parts)
    if values[-1] == total and len(values) > 2:  # said again in the end
        is_same_sum = sum(values[:-1]) == total or _is_product(tokens, total, parts[:-1])
        return is_same_sum and (is_of_same or is_broken_down) and _noun(tokens, parts[-1]) in ("", noun)
    if _is_product(tokens, total, parts):
        return True
    if (
        not noun and not _label(tokens, whole) and len(values) > 1 and between[:1] in SENTENCE_ENDS
    ):  # an answer by itself, then its reason
        return sum(values) == total
    if _THERE_ARE.search(between):
        between = _THERE_ARE.sub("", between) if noun and all(_noun(tokens, part) == noun for part in parts) else "?"
    if _NEW_COUNT.search(f" {between} ") or not (is_broken_down or (is_of_same and _OF_ALL.fullmatch(between))):
        return False
    if len(values) > 1:
        return sum(values) == total
    if _EACH_SIDE.match(after):
        return 2 * values[0] == total
    is_told = any(between[found.end() :].strip(" ,(") == "" for found in _TELLS_PARTS.finditer(between))
    is_some = is_told or (is_of_same and _OF_SOME.match(after) is not None)
    is_of_same = is_of_same and not _label(tokens, parts[0])  # "Apples: 3. Pears: 2."
    return values[0] < total and (is_some or (is_of_same and is_broken_down))


# What may follow a whole before its parts: no place, as the parts may be in others.
_OF_ALL = re.compile(
    rf"""
    (?: (?!(?:{"|".join(sorted(WORDS["places"]))})\b) [a-z-]{{1,30}} [ ]? ){{0,3}}
    (?: [ ]? (?:visible\ )? in\ (?:the|this)\ (?:image|picture|photo) )? [ ]? [.,;\n-] [.,;\n\ :-]{{0,9}}
    """,
    re.VERBOSE,
)
_NEW_COUNT = re.compile(r"\b(?:and|also|as well as|plus|along with|alongside|but|with)\s*$")
_THERE_ARE = re.compile(r"\bthere (?:is|are)\s*$")


def _is_product(tokens: list[Token], total: float, parts: list[Mention]) -> bool:
    """Whether the parts are so many rows of so many."""
    if len(parts) != 2 or parts[0].numbers[0] * parts[1].numbers[0] != total:
        return False
    return not GROUPED.isdisjoint(token.text for token in tokens[parts[0].end : parts[1].start])


def is_sum_of(tokens: list[Token], whole: Mention, parts: list[Mention]) -> bool:
    """Whether a sentence of its own adds up what was said before: "2 on the left, 3 on the right. There are 5 dogs"."""
    values = [part.numbers[0] for part in parts]
    is_sum = len(values) > 1 and sum(values) == whole.numbers[0]
    is_product = _is_product(tokens, whole.numbers[0], parts)
    if not is_sum and not is_product:
        return False
    between = [token.text for token in tokens[parts[-1].end : whole.start]]
    if SENTENCE_ENDS.isdisjoint(between) and not {":", "—", "–", "=", "("} & {*between}:
        return False
    if _is_placed(tokens, whole) or _label(tokens, whole) not in ("", "total", "all", "sum", "count", *_KINDS):
        return False
    noun, named = _noun(tokens, whole), {_noun(tokens, part) for part in parts}
    return is_product or noun in ("", *_KINDS) or named <= {"", noun}


def count_apart(tokens: list[Token], mentions: list[Mention]) -> bool:
    """Whether equal numbers count different things, or things in different places: "2 dogs, and 2 cats"."""
    if sum(_is_numbered(tokens, mention) for mention in mentions) > 1:
        return True
    nouns = {_noun(tokens, mention) or _label(tokens, mention) for mention in mentions} - {"", *_KINDS}
    return (
        len({noun for noun in nouns if noun.isascii()}) > 1
        or sum(_is_placed(tokens, mention) for mention in mentions) > 1
    )


def _is_numbered(tokens: list[Token], mention: Mention) -> bool:
    """Whether a numbered heading stands before it: "Row 2: 6 coins"."""
    name, number, colon = tokens[mention.start - 3 : mention.start]
    return name.is_word and bool(number.values) and colon.text == ":"


def lists_another(tokens: list[Token], one: Mention, after: Mention) -> bool:
    """Whether a comma parts two counts of different things: "3 apples, 2 pears"."""
    first, second = _noun(tokens, one), _noun(tokens, after)
    is_next = [token.text for token in tokens[one.end + 1 : after.start]] == [","]
    return is_next and bool(first and second) and first != second and first not in _KINDS


def _is_placed(tokens: list[Token], mention: Mention) -> bool:
    """Whether a number is of the things in some place, and not in the whole picture."""
    words = [token.text for token in tokens[mention.end : mention.end + _PLACE_REACH]]
    for k, word in enumerate(words):
        if word in SENTENCE_ENDS or word in ",:(":
            return False
        if word in WORDS["places"]:
            return _WHOLES.isdisjoint(words[k + 1 :])
    return False


_PLACE_REACH = 7
_WHOLES = word_set("image picture photo photograph scene total all it this")


def _label(tokens: list[Token], mention: Mention) -> str:
    """The word that labels a number in a list or a table: "dogs: 2, cats: 3"; empty where there is none."""
    opens, label, colon = tokens[mention.start - 3 : mention.start]
    is_label = colon.text in (":", "|") and label.is_word and opens.text in (",", ";", ".", "\n", "-", "•", "|")
    return singular(label.text) if is_label else ""


def _noun(tokens: list[Token], mention: Mention) -> str:
    """What a number counts, in the singular; empty where it does not say."""
    i = mention.end
    while tokens[i].text in _QUALITIES:
        i += 1
    word = tokens[i]
    return singular(word.text) if word.is_word and word.text not in _AFTER_PART else ""
