"""Finds all mentions of quantities in a text and decides what they mean together, totals included.

Numbers that count nothing are left out: denials, pronouns, names, labels, list numbers, measures, dates, shares."""

from itertools import pairwise

from subitize.language.mentions import (
    ABSENCE_WEIGHT,
    ADDITION_WEIGHT,
    JOINTS,
    NUMERAL_WEIGHT,
    SUMMING,
    Amount,
    Exact,
    Mention,
    NoNumber,
    Refusal,
    Several,
    Vague,
    is_negation,
    opens_bound,
    opens_mention,
    read_mention,
)
from subitize.language.numbers import BEFORE_PRONOUN, DENOMINATORS, PLURAL_DENOMINATORS, SMALL, parse_number
from subitize.language.tokens import (
    MARGIN,
    SENTENCE_ENDS,
    WORDS,
    TextToken,
    find_phrases,
    is_glued,
    is_year,
    tokenise,
    word_set,
)


def read(text: str) -> Amount:
    """The amount that a text states, before any policy."""
    tokens = tokenise(text)
    return decide(text, tokens, find_mentions(tokens))


def find_mentions(tokens: list[TextToken]) -> list[Mention]:
    """All mentions in order, without numbers that count nothing."""
    openings = [i for i, token in enumerate(tokens[MARGIN:-MARGIN], MARGIN) if opens_mention(token)]
    list_numbers, lone = find_list_numbers(tokens, openings)
    found: list[Mention] = []
    reached = 0
    for i in openings:
        mention = read_mention(tokens, i) if i >= reached and i not in list_numbers else None
        if mention is None:
            continue
        if mention.weight < NUMERAL_WEIGHT or not is_no_count(tokens, mention.start, mention.end):
            found.append(mention._replace(weight=ABSENCE_WEIGHT) if i == lone else mention)
        reached = mention.end
    return found


def decide(text: str, tokens: list[TextToken], mentions: list[Mention]) -> Amount:
    """The amount that all mentions state together, or a refusal."""
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


def _find_refusal(text: str, tokens: list[TextToken]) -> Refusal | None:
    """The first phrase that declines to answer, as written."""
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


def _is_joined(tokens: list[TextToken], earlier: Mention, later: Mention) -> bool:
    """Whether two quantities add up: "3 red and a few green ones", "a dog and another one"."""
    if later.weight == ADDITION_WEIGHT:
        return earlier.amount != Exact(0.0) and _is_one_sentence(tokens[earlier.end : later.start])
    if NUMERAL_WEIGHT not in (earlier.weight, later.weight) or ABSENCE_WEIGHT in (earlier.weight, later.weight):
        return False
    k = later.start - 1
    if tokens[k].text in _JOINT_ADVERBS:
        k -= 1
    return k >= earlier.end and tokens[k].text in JOINTS and _is_one_sentence(tokens[earlier.end : k])


def _is_one_sentence(tokens: list[TextToken]) -> bool:
    return not any(token.text in SENTENCE_ENDS for token in tokens)


_PLACE_WORDS = WORDS["places"]
_WHOLES = word_set("total all sum image picture photo be")  # "in total" and "in the picture" are not separate places
_RESTATING = word_set("of in to is are as if total altogether overall combined exactly precisely i we that which it so")
_DESCRIPTION_REACH = 6


def _is_set_apart(tokens: list[TextToken], earlier: Mention, later: Mention) -> bool:
    """Whether a comma separates counts of different things: "one in front, one behind", "2 cats, 2 dogs"."""
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


def _description(tokens: list[TextToken], i: int) -> list[str]:
    """The words from i up to a mark or joint."""
    words: list[str] = []
    for token in tokens[i : i + _DESCRIPTION_REACH]:
        if not token.is_word or token.text in JOINTS:
            break
        words.append(token.text)
    return words


def _combine(mentions: list[Mention]) -> Amount:
    """The amount that mentions of equal weight state together."""
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


def find_stated_total(tokens: list[TextToken], mentions: list[Mention]) -> float | None:
    """The one number stated as the total or the answer; `final.read_number` says which wins."""
    mentions = [mention for mention in mentions if mention.weight != ADDITION_WEIGHT]
    strengths = [_total_strength(tokens, mentions, k) for k in range(len(mentions))]
    strongest = max(strengths, default=0)
    if strongest == 0:
        return None
    stated = [mention for mention, strength in zip(mentions, strengths, strict=True) if strength == strongest]
    last = stated[-1]
    others = [mention for mention in stated if mention.amount != last.amount]
    if others and not any(token.text in _CORRECTIONS for token in tokens[others[-1].end : last.start]):
        return None
    return last.amount.value if isinstance(last.amount, Exact) else None


_FINAL, _ANSWER, _TOTAL, _CONCLUSION = 4, 3, 2, 1
_CUES_BEFORE = {
    "final": _FINAL, "boxed": _FINAL, "answer": _ANSWER, "total": _TOTAL, "totals": _TOTAL, "totaling": _TOTAL,
    "totalling": _TOTAL, "altogether": _TOTAL, "overall": _TOTAL, "sum": _TOTAL, "combined": _TOTAL, "=": _TOTAL,
    "equals": _TOTAL, "equal": _TOTAL, "makes": _TOTAL, "making": _TOTAL, "all": _TOTAL, "up": _TOTAL, "gives": _TOTAL,
    "get": _TOTAL, "→": _TOTAL, "⇒": _TOTAL, "so": _CONCLUSION, "thus": _CONCLUSION, "therefore": _CONCLUSION,
    "hence": _CONCLUSION, "conclusion": _CONCLUSION,
}  # fmt: skip
_CUE_NEEDS = {"all": ("in",), "up": SUMMING}  # only "in all" and "adds up" state a total
_CUES_AFTER = find_phrases("total_cues_after")
_OPERATORS = word_set("+ plus minus × * times =")
_OPERATORS_BEFORE_NUMBERS = word_set("- − x")  # elsewhere a dash or a letter
_CORRECTIONS = word_set("actually wait correction rather recount recounting sorry no oops mistake instead")
_CLAUSE_ENDS = word_set(", and so : (")
_CUE_REACH = 12
_AFTER_REACH = 5


def _total_strength(tokens: list[TextToken], mentions: list[Mention], k: int) -> int:
    """How clearly mention k is stated as the total: its cue's strength, or 0."""
    mention = mentions[k]
    if _is_term(tokens, mention.end) or _is_term(tokens, mention.end + 1):
        return 0
    if _cue_after(tokens, mention):
        return _TOTAL
    # A cue after the previous mention may belong to that one: "12 in total, 3 of them red".
    first = (_cue_after(tokens, mentions[k - 1]) or mentions[k - 1].end) if k else MARGIN
    cue = _cue_before(tokens, mention.start, first)
    return 0 if cue and _opens_a_list(tokens, mentions, k) else cue


def _is_term(tokens: list[TextToken], i: int) -> bool:
    """Whether there is an operator at i, so that the number before it is only a term."""
    if tokens[i].text in _OPERATORS:
        return True
    after = tokens[i + 1]
    return tokens[i].text in _OPERATORS_BEFORE_NUMBERS and (bool(after.values) or after.text in SMALL)


def _cue_after(tokens: list[TextToken], mention: Mention) -> int:
    """The end of a cue after the number; 0 if there is none."""
    for i in range(mention.end, min(mention.end + _AFTER_REACH, len(tokens) - MARGIN)):
        if tokens[i].text in SENTENCE_ENDS or tokens[i].text in _CLAUSE_ENDS or tokens[i].values:
            return 0
        cue = _CUES_AFTER.match(tokens, i)
        if cue is not None:
            return 0 if _is_cue_of_next(tokens, cue[1], mention) else cue[1]
    return 0


def _is_cue_of_next(tokens: list[TextToken], i: int, mention: Mention) -> bool:
    """Whether a cue that ends at i belongs to the next number: "3 blue, total 5"; but "5 in total: 3 blue"."""
    after = tokens[i]
    if after.text == ":":
        following = parse_number(tokens, i + 1)
        return following is not None and following[0] > max(mention.numbers, default=0.0)
    return bool(after.values) or after.text in SMALL or after.text in ("of", "is", "=")


def _cue_before(tokens: list[TextToken], start: int, first: int) -> int:
    strength = 0
    for i in range(start - 1, max(start - _CUE_REACH, first) - 1, -1):
        word = tokens[i].text
        if word in SENTENCE_ENDS and not (word == "\n" and tokens[i - 1].text == ":"):
            break
        if word in _CUE_NEEDS and tokens[i - 1].text not in _CUE_NEEDS[word]:
            continue
        strength = max(strength, _CUES_BEFORE.get(word, 0))
    return strength


def _opens_a_list(tokens: list[TextToken], mentions: list[Mention], k: int) -> bool:
    """Whether the numbers after mention k are its peers, not its parts: "in total 2 cats and 3 dogs"."""
    rest = 0.0
    for later in mentions[k + 1 : k + 1 + _CUE_REACH]:
        between = tokens[mentions[k].end : later.start]
        if len(between) > 4 * _CUE_REACH or any(token.text in SENTENCE_ENDS for token in between):
            break
        if later is mentions[k + 1] and between and between[-1].text in JOINTS:
            return True
        rest += sum(later.numbers)
    return rest > sum(mentions[k].numbers)


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
