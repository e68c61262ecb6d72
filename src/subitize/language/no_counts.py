"""Finds numbers that count nothing: denials, pronouns, names, labels, list numbers, measures, dates, shares."""

from subitize.language.mentions import is_negation, opens_bound
from subitize.language.numbers import BEFORE_PRONOUN, DENOMINATORS, PLURAL_DENOMINATORS, SMALL
from subitize.language.tokens import WORDS, TextToken, is_glued, is_year, word_set


def is_no_count(tokens: list[TextToken], i: int, end: int) -> bool:
    """Whether the number in tokens i to end names, measures, dates or denies something instead of counting it."""
    return (
        (tokens[i].text == "one" and end == i + 1 and _is_pronoun(tokens, i))
        or _is_part_of_name(tokens, i, end)
        or _is_label(tokens, i, end)
        or _is_measure(tokens, i, end)
        or _is_date(tokens, i, end)
        or _is_proportion(tokens, end)
        or _is_denied(tokens, i)
    )


def find_list_numbers(tokens: list[TextToken], openings: list[int]) -> tuple[set[int], int]:
    """The positions of list numbers 1, 2, …, and of a lone "1." that opens the text."""
    markers: list[int] = []
    for i in openings:
        if tokens[i].kind != "number" or tokens[i + 1].text not in (".", ")") or tokens[i + 2].text == "\n":
            continue
        opens = tokens[i - 1].text == "\n" or (tokens[i - 1].text in "(-•" and tokens[i - 2].text == "\n")
        unopened = tokens[i + 1].text == ")" and tokens[i - 1].text != "(" and tokens[i + 2].is_word
        if (opens or unopened) and tokens[i].values == (float(len(markers) + 1),):
            markers.append(i)
    if len(markers) == 1:
        return set(), markers[0]
    return set(markers), -1


_DETERMINERS = word_set("a an the this that my your its his her their")
_NO_ADJECTIVE = WORDS["no_adjective"]
_AFTER_PRONOUN = word_set("another could can cannot may might would should must who whose by at")
_AFTER_ONE_IDIOM = word_set("side hand end corner way thing")
_PARTITIVE = word_set("which whom the them these those us you its it all our your my each his her")


def _is_pronoun(tokens: list[TextToken], i: int) -> bool:
    """Whether "one" stands for a thing: "this one", "the big red one", "one of them"."""
    before, after = tokens[i - 1].text, tokens[i + 1].text
    if before in BEFORE_PRONOUN or after in _AFTER_PRONOUN or after in _AFTER_ONE_IDIOM:
        return True
    if after == "of" and tokens[i + 2].text in _PARTITIVE:
        return True
    for k in range(i - 1, i - 4, -1):
        if tokens[k].text in _DETERMINERS:
            return not tokens[i + 1].is_word or after in _NO_ADJECTIVE
        if not tokens[k].is_word or tokens[k].text in _NO_ADJECTIVE:
            return False
    return False


_ORDINALS = WORDS["ordinals"]
_NAMES = word_set("covid gpt llama claude mp apollo area formula boeing catch")


def _is_part_of_name(tokens: list[TextToken], i: int, end: int) -> bool:
    """Whether it is part of a word: "v2", "GPT-4", "image_1", "3D", "1st", "twenty-first", "2-year-old"."""
    if is_glued(tokens, i) and tokens[i - 1].is_word and tokens[i - 1].text != "x":
        return True
    name = tokens[i - 2]
    if tokens[i - 1].text in ("-", "_") and is_glued(tokens, i) and is_glued(tokens, i - 1) and name.is_word:
        return tokens[i - 1].text == "_" or name.is_capital or name.text in _NAMES
    after, then = tokens[end], tokens[end + 1]
    if after.text in _ORDINALS and not tokens[i].values:
        return True
    if not is_glued(tokens, end):
        return False
    if after.text == "-":
        return then.is_word and is_glued(tokens, end + 1) and then.text != "ish"
    is_short = after.text.isascii() and len(after.text) <= 2 and after.text != "x"
    return (after.is_word and (is_short or after.text in _UNIT_WORDS)) or after.text == "_"


_LABELS = WORDS["labels"]
_ANSWER_WORDS = word_set("total answer count number")


def _is_label(tokens: list[TextToken], i: int, end: int) -> bool:
    """Whether it labels a thing: "Image 1", "#1", "Apple 1: red"; but "in the image 5 apples" counts."""
    before, earlier = tokens[i - 1], tokens[i - 2]
    if before.text == "#":
        return True
    if before.text == "." and earlier.text in ("no", "fig") and tokens[i].values:
        return True
    if before.text in _LABELS:
        return earlier.text not in _DETERMINERS
    is_heading = earlier.text in ("\n", "-", "•") and before.is_capital and tokens[end].text == ":"
    return is_heading and bool(tokens[i].values) and before.text not in _ANSWER_WORDS


_UNIT_WORDS = WORDS["units"]
_UNITS_OF_LENGTH = word_set("feet foot yards yard")  # also things, unless a dimension follows
_DIMENSIONS = word_set("tall long wide high deep away apart")
_CURRENCIES = word_set("$ € £ ¥ ©")


def _is_measure(tokens: list[TextToken], i: int, end: int) -> bool:
    """Whether it measures: "5 cm", "50%", "$5", "3 pm", "4 x 4", "6 feet tall"."""
    before, after, then = tokens[i - 1].text, tokens[end], tokens[end + 1]
    if before in _CURRENCIES and after.text != "$":  # "$5$" is mathematics
        return True
    if after.text == "-":
        after, then = then, tokens[end + 2]
    if after.text in _UNITS_OF_LENGTH:
        return then.text in _DIMENSIONS
    if after.text in ("a", "p") and then.text == "." and tokens[end + 2].text == "m":
        return True
    if after.text in _UNIT_WORDS:
        return not (after.text == "$" and before == "$")
    if before == "-" and tokens[i - 2].text == "by":
        return True
    by = ("x", "×", "by")
    is_side = after.text in by and (then.values or then.text in SMALL)
    return bool(is_side) or (before in by and (bool(tokens[i - 2].values) or tokens[i - 2].text in SMALL))


_BEFORE_YEAR = word_set("in since year circa copyright © until during")
_MONTHS = WORDS["months"]


def _is_date(tokens: list[TextToken], i: int, end: int) -> bool:
    """Whether it is a year or a day: "in 2023", "© 2019", "January 5", "5 May 2020"."""
    if tokens[i].kind != "number":
        return False
    before, after = tokens[i - 1], tokens[end]
    if any(near.text in _MONTHS and near.is_capital for near in (before, after)):
        return True
    if not is_year(tokens[i].text):
        return False
    return before.text in _BEFORE_YEAR or tokens[i - 2].text in _MONTHS or tokens[i - 2].text == "c"


def _is_proportion(tokens: list[TextToken], end: int) -> bool:
    """Whether it is a share, not a number of things: "two thirds of the apples", "¾ of them"."""
    last = tokens[end - 1]
    is_fraction = last.text in DENOMINATORS or last.text in PLURAL_DENOMINATORS or last.kind == "vulgar"
    is_fraction = is_fraction or (bool(last.values) and "/" in last.text)
    return is_fraction and tokens[end].text == "of" and tokens[end + 1].text in _PARTITIVE


_BETWEEN_NOT_AND_NUMBER = word_set("be see count find have")


def _is_denied(tokens: list[TextToken], i: int) -> bool:
    """Whether it is denied: "the answer isn't 5"; but "4, if not 5" leaves it open."""
    k = i - 2 if tokens[i - 1].text in _BETWEEN_NOT_AND_NUMBER else i - 1
    if not is_negation(tokens[k].text) or tokens[k].text == "without" or tokens[k - 1].text == "if":
        return False
    return not opens_bound(tokens, i)  # a bound is reversed, not denied
