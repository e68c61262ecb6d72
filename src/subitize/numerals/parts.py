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
    rows = [m for m in numerals if [token.text for token in tokens[m.start - 2 : m.start]] == ["\n", "|"]]
    is_numbered = len(rows) > 1 and [m.numbers[0] for m in rows] == list(range(1, len(rows) + 1))
    return [m for m in numerals if m not in rows] if is_numbered else numerals


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
_GROUPED = word_set("rows columns lines groups stacks sets clusters piles bunches layers row column")
_QUALITIES = word_set(
    "red green blue yellow black white brown grey gray orange purple pink golden silver big small large little tiny"
    " tall short old young male female adult whole dark light striped spotted single other larger smaller bigger"
)
_AFTER_PART = word_set(
    "is are was were of on in at to near behind beside above below under with standing sitting facing looking lying"
    " has have and but each left right one ones here there visible total"
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
    if values[-1] == total and len(values) > 1:  # said again in the end
        is_same_sum = sum(values[:-1]) == total or _is_product(tokens, total, parts[:-1])
        return is_same_sum and (is_of_same or is_broken_down) and _noun(tokens, parts[-1]) in ("", noun)
    if _is_product(tokens, total, parts):
        return True
    if not noun and len(values) > 1 and between[:1] in SENTENCE_ENDS:  # an answer by itself, then its reason
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
    return not _GROUPED.isdisjoint(token.text for token in tokens[parts[0].end : parts[1].start])


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
    noun, named = _noun(tokens, whole), {_noun(tokens, part) for part in parts}
    return is_product or noun in ("", *_KINDS) or named <= {"", noun}


def _noun(tokens: list[Token], mention: Mention) -> str:
    """What a number counts, in the singular; empty where it does not say."""
    i = mention.end
    while tokens[i].text in _QUALITIES:
        i += 1
    word = tokens[i]
    return singular(word.text) if word.is_word and word.text not in _AFTER_PART else ""
