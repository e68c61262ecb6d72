"""The final answer: the number that a text marks as its answer, or states last or above its parts."""

import re
from itertools import pairwise

from subitize.numerals.amounts import Exact, NoNumber, Refusal, Unread, Vague, describe
from subitize.numerals.answers import (
    CORRECTION,
    Marked,
    choose_mark,
    drop_json,
    from_latex,
    is_weak,
    mark_answers,
    strip_reasoning,
)
from subitize.numerals.languages import in_ascii_digits, read_foreign
from subitize.numerals.mentions import ADDITION_WEIGHT, NUMERAL_WEIGHT, Mention, is_negation
from subitize.numerals.parts import (
    GROUPED,
    count_apart,
    is_sum_of,
    is_whole_of,
    lists_another,
    without_counting,
    without_row_numbers,
)
from subitize.numerals.phrases import word_set
from subitize.numerals.reading import decide, find_mentions
from subitize.numerals.tokens import LONGEST_TEXT, Token, tokenise
from subitize.numerals.totals import find_stated_total


def read_final(text: str) -> float | Unread:
    """The number that the text gives as its final answer, or why there is none."""
    answer = strip_reasoning(text)
    if isinstance(answer, Unread):
        return answer
    answer = in_ascii_digits(answer)
    is_cut = len(answer) > LONGEST_TEXT
    answer = answer[-LONGEST_TEXT:]
    meant = [(mark, _read_marked(mark)) for mark in mark_answers(answer)]
    meant = [(mark, value) for mark, value in meant if value != _NO_NUMBER or not is_weak(mark)]
    if meant:
        return _read_chosen(answer, meant)
    return Unread("a long text in which no answer is marked") if is_cut else _read_plain(answer)


def _read_chosen(text: str, meant: "list[tuple[Marked, float | Unread]]") -> float | Unread:
    chosen = choose_mark(text, meant)
    if chosen is None:
        return Unread("several different answers are marked")
    rest = text[chosen.end :]
    if not CORRECTION.search(rest):
        return dict(meant)[chosen]
    return _read_plain(f"{chosen.answer}. {rest}" if chosen.has_end else rest)


_NO_NUMBER = Unread("no number")
_SENTENCE = re.compile(r"(?<=[.!?])\s")


def _read_marked(mark: Marked) -> float | Unread:
    """What is marked, up to the end of its sentence."""
    return _read_plain(mark.answer if mark.has_end else _SENTENCE.split(mark.answer.strip(), maxsplit=1)[0])


def _read_plain(text: str) -> float | Unread:
    """The number of a text without marks."""
    text = _clean(text)
    if _NO_SIGHT.search(text):
        return Unread("no picture was seen, or an error is told")
    foreign = read_foreign(text)
    if foreign is not None:
        return foreign
    tokens = tokenise(text)
    mentions = find_mentions(tokens)
    amount = decide(text, tokens, mentions)
    if isinstance(amount, NoNumber | Refusal):
        return 0.0 if isinstance(amount, NoNumber) and _NEITHER.search(text) else Unread(describe(amount))
    corrections = list(CORRECTION.finditer(text))
    if corrections and any(tokens[mention.start].start < corrections[-1].start() for mention in mentions):
        return _read_corrected(text, corrections[-1])
    if _NEITHER.search(text) or _ONE_MORE.search(text) or _LEFT_OPEN.search(text):
        return Unread("perhaps not the count of all")
    number = amount.value if isinstance(amount, Exact) else _find_final(text, tokens, mentions)
    if number is None or number < 0:
        return Unread(describe(amount))
    stated = [mention for mention in mentions if mention.weight == NUMERAL_WEIGHT]
    if stated and all(_is_aside(tokens, mention) or _is_order(tokens, mention) for mention in stated):
        return Unread("no count of all: a difference, an order, or some of those counted")
    if isinstance(amount, Exact) and count_apart(tokens, stated):
        return Unread(f"several counts of {number:g}")
    if any(_is_added(tokens, earlier, later) for earlier, later in pairwise(stated)) and isinstance(amount, Exact):
        return Unread("a sum without its total")
    return number if _is_count(number) else Unread(f"no count: {number:g}")


def _is_count(number: float) -> bool:
    """Whether things can be so many: whole ones, halves, thirds and quarters."""
    return any(number * parts == round(number * parts) for parts in (1, 3, 4))


def _is_added(tokens: list[Token], earlier: Mention, later: Mention) -> bool:
    return [token.text for token in tokens[earlier.end : later.start]] in (["+"], ["plus"], ["×"], ["minus"])


# Tags, places in the picture, and how sure a model is: their numbers count nothing.
_MARKUP = re.compile(r"<[/a-zA-Z][^<>]{0,4000}+>|^[ ]{0,3}+```\w{0,20}|\\[()\[\]]", re.MULTILINE)
_PLACE = re.compile(
    r"""
    [(\[] \s?+ -?\d{1,6}+(?:\.\d{1,9}+)? (?: \s?+[,;]\s?+ -?\d{1,6}+(?:\.\d{1,9}+)? ){1,40}+ \s?+ [)\]]
  | \b[xywh]\d{0,2}+ \s?+ [=:] \s?+ -?\d{1,6}+(?:\.\d{1,9}+)?
  | \b\d{1,6}+(?:\s?+x|\ times)\ as\ many\b
  | \bfrom\ (?:19|20)\d\d\b (?=\s?+[,.;)])
  | \b(?:upload|attach|provide|share|send|submit|process|accept)\ (?:only\ )?(?:\d{1,3}+|one)
    \ (?:image|picture|photo|file)s?\b
  | \bnone\ of\ the\ (?:above|options|choices|answers)\b
  | ~~[^~\n]{1,200}+~~
  | \b(?:confidence|probability|certainty|likelihood|score)(?:\ (?:level|score|of|is))* \s?+ [:=]? \s?+ \d{1,6}+
    (?:\.\d{1,9}+)? (?:\s?+%|/\d{1,3}+)?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ARROW = re.compile(r"[=-]>")
_FORMULA = re.compile(r"\$(?=\S)([^$\n]{1,200}+)(?<=\S)\$(?!\d)")
_QUESTION = re.compile(
    r"""
    \s*+ (?: (?:q|question)\s?+[:.] | ¿ | (?:so[,]?\ )? how\ many | what | which | you\ asked | combien | quant[oa]s
         | сколько | كم | wie\ viele | (?=[^?？\n]{0,100}?(?:多少|几|कितन|কত|کتن)) )
    [^?？؟\n]{0,300}+ [?？؟]
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ASKED_BACK = re.compile(
    r"(?:^|(?<=[.!?\n]))\s*+(?:are|is|could|can|do|did|does|would|should)\b[^.!?\n]{0,300}+\?",
    re.IGNORECASE,
)
_NO_SIGHT = re.compile(
    r"""
    \b(?:can't|cannot|unable\ to|not\ able\ to)\ (?:directly\ )?(?:view|access|open|process)\ (?:the\ |any\ |your\ )?
    (?:image|picture|photo|file)s?\b
  | \A\W*+(?:error|exception|traceback|request\ failed)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OFFER = re.compile(
    r"(?:would you like|do you want|let me know|if you(?:'d| would) like|feel free|i hope)\b[^\n]{0,300}+",
    re.IGNORECASE,
)


def _clean(text: str) -> str:
    """The text without what is no part of the statement."""
    text = _ARROW.sub("→", _MARKUP.sub(" ", drop_json(text)))
    text = _FORMULA.sub(lambda formula: from_latex(formula[1]), text)
    text = _PLACE.sub(lambda place: place[0] if _counts_up(place[0]) else " ", text)
    without_questions = _ASKED_BACK.sub(" ", text)
    text = without_questions if _SAYS_SOMETHING.search(without_questions) else text
    for pattern in (_QUESTION, _OFFER):
        asked = pattern.match(text) if pattern is _QUESTION else pattern.search(text)
        rest = text if asked is None else f"{text[: asked.start()]} {text[asked.end() :]}"
        text = rest if _SAYS_SOMETHING.search(rest) else text
    return text


_SAYS_SOMETHING = re.compile(r"\w")


def _counts_up(text: str) -> bool:
    """Whether it is a count aloud in brackets, "(1, 2, 3)", and no place."""
    return text[0] == "(" and [int(n) for n in re.findall(r"\d{1,6}", text)] == list(range(1, 1 + text.count(",") + 1))


_NEITHER = re.compile(
    r"""
    \b(?:there\ (?:is|are|was|were)|(?:i\ )?(?:can\ )?see|contains?|shows?|has|depicts?)\ neither\ (?:an?\ |any\ )?
    (?!of\b|the\b)[a-z-]{2,30}+ (?:\ [a-z-]{1,30}+){0,4}? \ nor \b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ONE_MORE = re.compile(
    r"\bplus\ (?:possibly\ |maybe\ |perhaps\ )?an?(?:other)?\b[^.!?\n=]{0,60}+[.!]?\s*$", re.IGNORECASE
)
_LEFT_OPEN = re.compile(
    r"\b(?:do not|don't|don’t) (?:think|believe) (?:that )?(?:the|my|it|there)\b|\bdepends on\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:wrong|incorrect|not (?:right|correct|sure)|miscount\w*|missed|forgot|mistake)\b", re.IGNORECASE
)
_MILD = ("sorry", "actually")


def _read_corrected(text: str, correction: re.Match[str]) -> float | Unread:
    """What is said after the last correction, unless that is only about the things counted before."""
    before, rest = text[: correction.start()], text[correction.end() :]
    tokens = tokenise(rest)
    mentions = find_mentions(tokens)
    if not mentions:
        is_mild = correction[0].strip().lower() in _MILD and not _TAKES_BACK.search(rest)
        is_mild = is_mild and isinstance(decide(rest, tokens, mentions), NoNumber)
        return _read_plain(before) if is_mild else Unread("a correction without a number")
    number = _read_plain(rest)
    is_about_some = len(mentions) == 1 and tokens[mentions[0].end].text in _ABOUT_SOME
    return Unread("a correction that gives no new number") if is_about_some or number == 0 else number


_ABOUT_SOME = word_set(
    "is are was were of has have had looks look appears appear seems seem might could may isn't aren't"
)
_BEFORE_DIFFERENCE = word_set(
    "missed miss missing forgot overlooked skipped add adding subtract remove removing exclude"
)
_AFTER_DIFFERENCE = word_set("more extra additional fewer others other")


def _is_aside(tokens: list[Token], mention: Mention) -> bool:
    """Whether it is added to a count, taken from it, denied, or of each: "I missed one", "two more", "each has 4"."""
    before = [token.text for token in tokens[mention.start - 3 : mention.start]]
    is_difference = not _BEFORE_DIFFERENCE.isdisjoint(before) or tokens[mention.end].text in _AFTER_DIFFERENCE
    is_denied = is_negation(before[1]) and before[2] in ("say", "claim", "call")
    is_of_each = before[0] in ("each", "every") and before[2] in ("has", "have")
    return is_difference or is_denied or is_of_each or (before[0] in ("neither", "none") and before[1] == "of")


def _is_order(tokens: list[Token], mention: Mention) -> bool:
    """Whether it tells how things stand, not how many they are: "arranged in 3 rows"."""
    return tokens[mention.start - 1].text in ("in", "into") and tokens[mention.end].text in _ORDERS


_ORDERS = GROUPED | word_set("steps parts sections quadrants passes halves regions")


def _find_final(text: str, tokens: list[Token], mentions: list[Mention]) -> float | None:
    """Of several numbers the one that is stated as the total, above or below its parts, or as a conclusion."""
    total = find_stated_total(tokens, mentions)
    if total is not None:
        return None if _is_recounted(text, tokens, mentions, total) else total
    concluded = _concluded(text, tokens, mentions)
    if concluded is not None:
        return concluded
    numerals: list[Mention] = []
    others: list[Mention] = []
    for mention in mentions:
        (numerals if mention.weight == NUMERAL_WEIGHT or tokens[mention.start].values else others).append(mention)
    repeated = {one for one, after in pairwise(numerals) if _is_repeated(tokens, one, after)}
    numerals = [one for one in numerals if one not in repeated]
    is_plain = all(
        isinstance(one.amount, Exact) and one.amount.value >= 0 and not _is_aside(tokens, one) for one in numerals
    )
    if not is_plain or any(isinstance(one.amount, Vague) or one.weight == ADDITION_WEIGHT for one in others):
        return None
    stated = without_counting(tokens, without_row_numbers(tokens, numerals))
    values = [mention.numbers[0] for mention in stated]
    if len(stated) < len(numerals) and len(set(values)) == 1:
        return values[0]
    if len(values) < 2:
        return None
    numerals = stated
    if is_whole_of(tokens, numerals[0], numerals[1:]):
        return values[0]
    return values[-1] if is_sum_of(tokens, numerals[-1], numerals[:-1]) else None


_COUNTS_ANEW = re.compile(
    r"""
    [.!?\n]\s{0,9}+ (?: (?:so|therefore|thus|hence),? (?:\ there\ (?:is|are)|\ i\ (?:see|count))?
      | there\ (?:is|are) | i\ (?:see|count) ) \s*+ $
    """,
    re.VERBOSE | re.IGNORECASE,
)


def _is_recounted(text: str, tokens: list[Token], mentions: list[Mention], total: float) -> bool:
    """Whether a later sentence gives another count than the total: "5 animals in total. There are 3 dogs"."""
    last = max((k for k, mention in enumerate(mentions) if mention.amount == Exact(total)), default=len(mentions))
    later = [mention for mention in mentions[last + 1 :] if mention.weight == NUMERAL_WEIGHT]
    if last + 1 < len(mentions) and lists_another(tokens, *mentions[last : last + 2]):
        return True
    if not later or sum(number for mention in later for number in mention.numbers) == total:
        return False
    starts = (tokens[mention.start].start for mention in later)
    return any(_COUNTS_ANEW.search(text[max(start - 60, 0) : start]) for start in starts)


def _is_repeated(tokens: list[Token], one: Mention, after: Mention) -> bool:
    """Whether a number is said again between brackets: "four (4)"."""
    return one.amount == after.amount and [token.text for token in tokens[one.end : after.start]] == ["("]


_CONCLUDES = re.compile(
    r"""
    \b(?: i(?:'d|\ would)\ (?:say|estimate|guess|go\ with) | i(?:'ll|\ will)\ (?:say|go\ with) | settle\ on | overall
      | best\ (?:guess|estimate) | (?:the|my|final)\ count | comes\ (?:out\ )?to | leav(?:es|ing) | giving
      | that(?:'s|\ is|\ makes|\ gives) | brings\ (?:it|the\ total|the\ count|us)\ to | number\ of\ [a-z\ ]{1,40}?\ is
      | in\ short | in\ summary | to\ summarize
    )\b [^.!?\n\d]{0,40}+ $
    """,
    re.VERBOSE | re.IGNORECASE,
)


def _concluded(text: str, tokens: list[Token], mentions: list[Mention]) -> float | None:
    """The last number, if words that conclude stand between it and the one before."""
    last = mentions[-1]
    if last.weight != NUMERAL_WEIGHT or not isinstance(last.amount, Exact) or len(mentions) < 2:
        return None
    before = tokens[mentions[-2].start].start
    if _CONCLUDES.search(text[max(before - 200, 0) : before]):  # "the count of dogs is 3 and the count of cats is 2"
        return None
    between = text[tokens[mentions[-2].end - 1].end : tokens[last.start].start]
    return last.amount.value if _CONCLUDES.search(between[-200:]) else None
