"""The number that a text states as its total or its answer."""

from subitize.numerals.amounts import Exact
from subitize.numerals.mentions import ADDITION_WEIGHT, JOINTS, Mention
from subitize.numerals.number_words import SMALL, read_number
from subitize.numerals.phrases import find_phrases, word_set
from subitize.numerals.quantities import SUMMING
from subitize.numerals.tokens import MARGIN, SENTENCE_ENDS, Token


def find_stated_total(tokens: list[Token], mentions: list[Mention]) -> float | None:
    """The one number that the text states as the total or the answer; see `value` for which wins."""
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


def _total_strength(tokens: list[Token], mentions: list[Mention], k: int) -> int:
    """How plainly mention k is stated as the total: a cue's strength, or 0."""
    mention = mentions[k]
    if _is_term(tokens, mention.end) or _is_term(tokens, mention.end + 1):
        return 0
    if _cue_after(tokens, mention):
        return _TOTAL
    # What follows the mention before this one may be that one's cue: "12 in total, 3 of them red".
    first = (_cue_after(tokens, mentions[k - 1]) or mentions[k - 1].end) if k else MARGIN
    cue = _cue_before(tokens, mention.start, first)
    return 0 if cue and _opens_a_list(tokens, mentions, k) else cue


def _is_term(tokens: list[Token], i: int) -> bool:
    """Whether an operator stands at i, so that the number before it is but a term of the total."""
    if tokens[i].text in _OPERATORS:
        return True
    after = tokens[i + 1]
    return tokens[i].text in _OPERATORS_BEFORE_NUMBERS and (bool(after.values) or after.text in SMALL)


def _cue_after(tokens: list[Token], mention: Mention) -> int:
    """Where a cue that follows the number ends; 0 if none does."""
    for i in range(mention.end, min(mention.end + _AFTER_REACH, len(tokens) - MARGIN)):
        if tokens[i].text in SENTENCE_ENDS or tokens[i].text in _CLAUSE_ENDS or tokens[i].values:
            return 0
        cue = _CUES_AFTER.match(tokens, i)
        if cue is not None:
            return 0 if _is_cue_of_next(tokens, cue[1], mention) else cue[1]
    return 0


def _is_cue_of_next(tokens: list[Token], i: int, mention: Mention) -> bool:
    """Whether the cue that ends at i belongs to what follows: "3 blue, total 5"; but "5 in total: 3 blue"."""
    after = tokens[i]
    if after.text == ":":
        following = read_number(tokens, i + 1)
        return following is not None and following[0] > max(mention.numbers, default=0.0)
    return bool(after.values) or after.text in SMALL or after.text in ("of", "is", "=")


def _cue_before(tokens: list[Token], start: int, first: int) -> int:
    strength = 0
    for i in range(start - 1, max(start - _CUE_REACH, first) - 1, -1):
        word = tokens[i].text
        if word in SENTENCE_ENDS and not (word == "\n" and tokens[i - 1].text == ":"):
            break
        if word in _CUE_NEEDS and tokens[i - 1].text not in _CUE_NEEDS[word]:
            continue
        strength = max(strength, _CUES_BEFORE.get(word, 0))
    return strength


def _opens_a_list(tokens: list[Token], mentions: list[Mention], k: int) -> bool:
    """Whether the numbers after mention k are its equals, not its parts: "in total 2 cats and 3 dogs"."""
    rest = 0.0
    for later in mentions[k + 1 : k + 1 + _CUE_REACH]:
        between = tokens[mentions[k].end : later.start]
        if len(between) > 4 * _CUE_REACH or any(token.text in SENTENCE_ENDS for token in between):
            break
        if later is mentions[k + 1] and between and between[-1].text in JOINTS:
            return True
        rest += sum(later.numbers)
    return rest > sum(mentions[k].numbers)
