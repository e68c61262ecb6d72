"""Reading: the mentions in a text, and the one decision over all of them."""

from collections.abc import Callable, Set
from itertools import pairwise

from subitize.numerals.amounts import Amount, Exact, NoNumber, Refusal, Several, Vague
from subitize.numerals.indefinites import (
    ABSENCE_OPENERS,
    ADDITION_OPENERS,
    BOTH_OPENERS,
    ONE_OPENERS,
    VAGUE_OPENERS,
    read_absence,
    read_addition,
    read_both,
    read_one,
    read_vague,
)
from subitize.numerals.mentions import ABSENCE_WEIGHT, ADDITION_WEIGHT, JOINTS, NUMERAL_WEIGHT, Mention
from subitize.numerals.no_counts import find_list_numbers, is_no_count
from subitize.numerals.phrases import WORDS, find_phrases, word_set
from subitize.numerals.quantities import BOUND_OPENERS, QUANTITY_OPENERS, read_bounded, read_quantity
from subitize.numerals.tokens import MARGIN, SENTENCE_ENDS, Token, tokenise


def read(text: str) -> Amount:
    """What the text says about how many there are, before any policy."""
    tokens = tokenise(text)
    return decide(text, tokens, find_mentions(tokens))


_Reader = Callable[[list[Token], int], Mention | None]
_READERS: tuple[tuple[Set[str], _Reader], ...] = (
    (BOUND_OPENERS, read_bounded),
    (VAGUE_OPENERS, read_vague),
    (ABSENCE_OPENERS, read_absence),
    (QUANTITY_OPENERS, read_quantity),
    (ONE_OPENERS, read_one),
    (BOTH_OPENERS, read_both),
    (ADDITION_OPENERS, read_addition),
)
# Most words open no mention: one look tells.
_READERS_BY_OPENER: dict[str, tuple[_Reader, ...]] = {
    word: tuple(reader for openers, reader in _READERS if word in openers)
    for word in frozenset[str]().union(*(openers for openers, _ in _READERS))
}


def find_mentions(tokens: list[Token]) -> list[Mention]:
    """What each quantity in the text says, in order; numbers that count nothing are left out."""
    inner = enumerate(tokens[MARGIN:-MARGIN], MARGIN)
    openings = [i for i, token in inner if token.text in _READERS_BY_OPENER or token.values]
    list_numbers, lone = find_list_numbers(tokens, openings)
    found: list[Mention] = []
    reached = 0
    for i in openings:
        mention = _read_mention(tokens, i) if i >= reached and i not in list_numbers else None
        if mention is None:
            continue
        if mention.weight < NUMERAL_WEIGHT or not is_no_count(tokens, mention.start, mention.end):
            found.append(mention._replace(weight=ABSENCE_WEIGHT) if i == lone else mention)
        reached = mention.end
    return found


def _read_mention(tokens: list[Token], i: int) -> Mention | None:
    if tokens[i].values:
        return read_quantity(tokens, i)
    for reader in _READERS_BY_OPENER[tokens[i].text]:
        mention = reader(tokens, i)
        if mention is not None:
            return mention
    return None


def decide(text: str, tokens: list[Token], mentions: list[Mention]) -> Amount:
    """What all mentions together say, or that the text refuses to say anything."""
    top = max([mention.weight for mention in mentions], default=ADDITION_WEIGHT)
    refusal = _find_refusal(text, tokens) if top < ABSENCE_WEIGHT else None
    if refusal is not None:
        return refusal
    if top == ADDITION_WEIGHT:
        return NoNumber()
    if len(mentions) == 1:
        return mentions[0].amount
    amount = _combine(_heard(mentions, top))
    for earlier, later in pairwise(mentions):
        if not (_is_joined(tokens, earlier, later) or _is_set_apart(tokens, earlier, later)):
            continue
        for mention in (earlier, later):
            if isinstance(mention.amount, Vague):
                return mention.amount
        if isinstance(amount, Exact):
            return Several(tuple(dict.fromkeys((amount.value, *earlier.numbers, *later.numbers))))
    return amount


_REFUSALS = find_phrases("refusals")


def _find_refusal(text: str, tokens: list[Token]) -> Refusal | None:
    """The first phrase in the text by which it declines to answer, as it is written there."""
    for i, token in enumerate(tokens):
        phrase = _REFUSALS.match(tokens, i) if token.text in _REFUSALS.openers else None
        if phrase is not None:
            return Refusal(text[tokens[i].start : tokens[phrase[1] - 1].end])
    return None


def _heard(mentions: list[Mention], weight: int) -> list[Mention]:
    """The mentions that count: those of this weight, and an absence stated before them.

    "No apples, but 3 pears" may answer 0 or 3, so both are heard; in "3 apples, no pears" the 3 is the answer.
    """
    first = next(k for k, mention in enumerate(mentions) if mention.weight == weight)
    absences = [mention for mention in mentions[:first] if mention.amount == Exact(0.0)]
    return absences + [mention for mention in mentions if mention.weight == weight]


_JOINT_ADVERBS = word_set("also then maybe perhaps possibly about another")


def _is_joined(tokens: list[Token], earlier: Mention, later: Mention) -> bool:
    """Whether two quantities add up: "3 red and a few green ones", "a dog and another one"."""
    if later.weight == ADDITION_WEIGHT:
        return earlier.amount != Exact(0.0) and _is_one_sentence(tokens[earlier.end : later.start])
    if NUMERAL_WEIGHT not in (earlier.weight, later.weight) or ABSENCE_WEIGHT in (earlier.weight, later.weight):
        return False
    k = later.start - 1
    if tokens[k].text in _JOINT_ADVERBS:
        k -= 1
    return k >= earlier.end and tokens[k].text in JOINTS and _is_one_sentence(tokens[earlier.end : k])


def _is_one_sentence(tokens: list[Token]) -> bool:
    return not any(token.text in SENTENCE_ENDS for token in tokens)


_PLACE_WORDS = WORDS["places"]
_WHOLES = word_set("total all sum image picture photo be")  # "in total" and "in the picture" are no places apart
_RESTATING = word_set("of in to is are as if total altogether overall combined exactly precisely i we that which it so")
_DESCRIPTION_REACH = 6


def _is_set_apart(tokens: list[Token], earlier: Mention, later: Mention) -> bool:
    """Whether a comma parts counts of different things: "one in front, one behind", "2 cats, 2 dogs"."""
    comma = later.start - 1
    if tokens[comma].text != "," or not earlier.weight == later.weight == NUMERAL_WEIGHT:
        return False
    first, second = _description(tokens, earlier.end), _description(tokens, later.end)
    if not first or not second or first == second or earlier.end + len(first) != comma:
        return False
    if not _PLACE_WORDS.isdisjoint(first) and not _PLACE_WORDS.isdisjoint(second):
        return _WHOLES.isdisjoint((*first, *second))
    is_restated = second[0] in _RESTATING and second[0] != first[0]
    return len(first) == len(second) <= 2 and not is_restated


def _description(tokens: list[Token], i: int) -> list[str]:
    """The words from i up to a mark or a joint."""
    words: list[str] = []
    for token in tokens[i : i + _DESCRIPTION_REACH]:
        if not token.is_word or token.text in JOINTS:
            break
        words.append(token.text)
    return words


def _combine(mentions: list[Mention]) -> Amount:
    """What mentions of equal weight say together."""
    amounts = list(dict.fromkeys(mention.amount for mention in mentions))
    if len(amounts) == 1 or isinstance(amounts[0], Vague):
        return amounts[0]
    numbers = tuple(dict.fromkeys(number for mention in mentions for number in mention.numbers))
    if len(numbers) > 1:
        return Several(numbers)
    exact = tuple(amount.value for amount in amounts if isinstance(amount, Exact))
    if len(exact) > 1:  # "fewer than 1, or 1"
        return Several(exact)
    return next(amount for amount in amounts if not isinstance(amount, Exact))  # "10, or rather 10+"
