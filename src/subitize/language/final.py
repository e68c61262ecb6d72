"""Takes one number from a text by a policy, and searches for its final answer.

The final answer is the number that a text marks as its answer, states last, or breaks down into parts. Numbers
counted aloud and breakdowns before or after a total are recognised and left out."""

import re
from itertools import pairwise
from typing import Literal, get_args

from subitize.language import answers
from subitize.language.languages import in_ascii_digits, read_foreign
from subitize.language.mentions import (
    ADDITION_WEIGHT,
    NUMERAL_WEIGHT,
    Exact,
    Mention,
    NoNumber,
    NoValue,
    Refusal,
    Several,
    Vague,
    describe,
    is_negation,
)
from subitize.language.nouns import singular
from subitize.language.reading import decide, find_mentions, find_stated_total
from subitize.language.tokens import LONGEST_TEXT, SENTENCE_ENDS, WORDS, TextToken, tokenise, word_set

_COUNTING = word_set(", . … - – — ; : and then → ...") | frozenset("()[]\n")
_LEAST_COUNTED = 3


def without_row_numbers(tokens: list[TextToken], numerals: list[Mention]) -> list[Mention]:
    """Leave out the numbers that number the rows of a table."""
    first = [[token.text for token in tokens[mention.start - 2 : mention.start]] == ["\n", "|"] for mention in numerals]
    rows = [mention.numbers[0] for mention, is_first in zip(numerals, first, strict=True) if is_first]
    if len(rows) < 2 or rows != list(range(1, len(rows) + 1)):
        return numerals
    return [mention for mention, is_first in zip(numerals, first, strict=True) if not is_first]


def without_counting(tokens: list[TextToken], numerals: list[Mention]) -> list[Mention]:
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


def _counts_things(tokens: list[TextToken], last: Mention) -> bool:
    """Whether the last number of a count aloud is followed by its things: "1, 2, 3 dogs"."""
    return tokens[last.end].is_word and tokens[last.end].text not in _COUNTING


def _is_close(tokens: list[TextToken], earlier: Mention, later: Mention) -> bool:
    """Whether there are only marks, or words in brackets, between two numbers."""
    depth = 0
    for token in tokens[earlier.end : later.start]:
        depth += (token.text == "(") - (token.text == ")")
        if not depth and token.text not in _COUNTING:
            return False
    return True


def _goes_on(tokens: list[TextToken], last: Mention) -> bool:
    """Whether the count ends in dots, so its last number is unknown."""
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
_QUALITIES = WORDS["qualities"]
_AFTER_PART = WORDS["after_part"]
_KINDS = WORDS["kinds"]


def is_whole_of(tokens: list[TextToken], whole: Mention, parts: list[Mention]) -> bool:
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
    if values[-1] == total and len(values) > 2:  # repeated at the end
        is_same_sum = sum(values[:-1]) == total or _is_product(tokens, total, parts[:-1])
        return is_same_sum and (is_of_same or is_broken_down) and _noun(tokens, parts[-1]) in ("", noun)
    if _is_product(tokens, total, parts):
        return True
    is_alone = not noun and not _label(tokens, whole) and between[:1] in SENTENCE_ENDS
    if is_alone and len(values) > 1:  # an answer by itself, then its reason
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


# What may come between a whole and its parts: no place, as the parts may be elsewhere.
_OF_ALL = re.compile(
    rf"""
    (?: (?!(?:{"|".join(sorted(WORDS["places"]))})\b) [a-z-]{{1,30}} [ ]? ){{0,3}}
    (?: [ ]? (?:visible\ )? in\ (?:the|this)\ (?:image|picture|photo) )? [ ]? [.,;\n-] [.,;\n\ :-]{{0,9}}
    """,
    re.VERBOSE,
)
_NEW_COUNT = re.compile(r"\b(?:and|also|as well as|plus|along with|alongside|but|with)\s*$")
_THERE_ARE = re.compile(r"\bthere (?:is|are)\s*$")


def _is_product(tokens: list[TextToken], total: float, parts: list[Mention]) -> bool:
    """Whether the parts are a number of rows and the number in each."""
    if len(parts) != 2 or parts[0].numbers[0] * parts[1].numbers[0] != total:
        return False
    return not GROUPED.isdisjoint(token.text for token in tokens[parts[0].end : parts[1].start])


def is_sum_of(tokens: list[TextToken], whole: Mention, parts: list[Mention]) -> bool:
    """Whether a sentence of its own gives the sum: "2 on the left, 3 on the right. There are 5 dogs"."""
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


def count_apart(tokens: list[TextToken], mentions: list[Mention]) -> bool:
    """Whether equal numbers count different things, or things in different places: "2 dogs, and 2 cats"."""
    if sum(_is_numbered(tokens, mention) for mention in mentions) > 1:
        return True
    nouns = {_noun(tokens, mention) or _label(tokens, mention) for mention in mentions} - {"", *_KINDS}
    are_different = len({noun for noun in nouns if noun.isascii()}) > 1
    return are_different or sum(_is_placed(tokens, mention) for mention in mentions) > 1


def _is_numbered(tokens: list[TextToken], mention: Mention) -> bool:
    """Whether a numbered heading comes before it: "Row 2: 6 coins"."""
    name, number, colon = tokens[mention.start - 3 : mention.start]
    return name.is_word and bool(number.values) and colon.text == ":"


def lists_another(tokens: list[TextToken], one: Mention, after: Mention) -> bool:
    """Whether a comma separates counts of different things: "3 apples, 2 pears"."""
    first, second = _noun(tokens, one), _noun(tokens, after)
    is_next = [token.text for token in tokens[one.end + 1 : after.start]] == [","]
    return is_next and bool(first and second) and first != second and first not in _KINDS


def _is_placed(tokens: list[TextToken], mention: Mention) -> bool:
    """Whether a number counts the things in one place only, not in the whole picture."""
    words = [token.text for token in tokens[mention.end : mention.end + _PLACE_REACH]]
    for k, word in enumerate(words):
        if word in SENTENCE_ENDS or word in ",:(":
            return False
        if word in WORDS["places"]:
            return _WHOLES.isdisjoint(words[k + 1 :])
    return False


_PLACE_REACH = 7
_WHOLES = word_set("image picture photo photograph scene total all it this")


def _label(tokens: list[TextToken], mention: Mention) -> str:
    """The label of a number in a list or table: "dogs: 2, cats: 3"; "" if there is none."""
    opens, label, colon = tokens[mention.start - 3 : mention.start]
    is_label = colon.text in (":", "|") and label.is_word and opens.text in (",", ";", ".", "\n", "-", "•", "|")
    return singular(label.text) if is_label else ""


def _noun(tokens: list[TextToken], mention: Mention) -> str:
    """The singular noun after a number; "" if there is none."""
    i = mention.end
    while tokens[i].text in _QUALITIES:
        i += 1
    word = tokens[i]
    return singular(word.text) if word.is_word and word.text not in _AFTER_PART else ""


def read_final(text: str) -> float | NoValue:
    """The number that the text gives as its final answer, or why there is none."""
    answer = answers.strip_reasoning(text)
    if isinstance(answer, NoValue):
        return answer
    answer = in_ascii_digits(answer)
    is_cut = len(answer) > LONGEST_TEXT
    answer = answer[-LONGEST_TEXT:]
    meant = [(mark, _read_marked(mark)) for mark in answers.mark_answers(answer)]
    meant = [(mark, value) for mark, value in meant if value != _NO_NUMBER or not answers.is_weak(mark)]
    if meant:
        return _read_chosen(answer, meant)
    return NoValue("a long text in which no answer is marked") if is_cut else _read_plain(answer)


def _read_chosen(text: str, meant: "list[tuple[answers.Marked, float | NoValue]]") -> float | NoValue:
    chosen = answers.choose_mark(text, meant)
    if chosen is None:
        return NoValue("several different answers are marked")
    rest = text[chosen.end :]
    if not answers.CORRECTION.search(rest):
        return dict(meant)[chosen]
    return _read_plain(f"{chosen.answer}. {rest}" if chosen.has_end else rest)


_NO_NUMBER = NoValue("no number")
_SENTENCE = re.compile(r"(?<=[.!?])\s")


def _read_marked(mark: answers.Marked) -> float | NoValue:
    """Read the marked answer, up to the end of its sentence."""
    return _read_plain(mark.answer if mark.has_end else _SENTENCE.split(mark.answer.strip(), maxsplit=1)[0])


def _read_plain(text: str) -> float | NoValue:
    """The number of a text without marks."""
    text = _clean(text)
    if _NO_SIGHT.search(text):
        return NoValue("no picture was seen, or an error is told")
    foreign = read_foreign(text)
    if foreign is not None:
        return foreign
    tokens = tokenise(text)
    mentions = find_mentions(tokens)
    amount = decide(text, tokens, mentions)
    if isinstance(amount, NoNumber | Refusal):
        return 0.0 if isinstance(amount, NoNumber) and _NEITHER.search(text) else NoValue(describe(amount))
    corrections = list(answers.CORRECTION.finditer(text))
    if corrections and any(tokens[mention.start].start < corrections[-1].start() for mention in mentions):
        return _read_corrected(text, corrections[-1])
    if _NEITHER.search(text) or _ONE_MORE.search(text) or _LEFT_OPEN.search(text):
        return NoValue("perhaps not the count of all")
    number = amount.value if isinstance(amount, Exact) else _find_final(text, tokens, mentions)
    if number is None or number < 0:
        return NoValue(describe(amount))
    stated = [mention for mention in mentions if mention.weight == NUMERAL_WEIGHT]
    if stated and all(_is_aside(tokens, mention) or _is_order(tokens, mention) for mention in stated):
        return NoValue("no count of all: a difference, an order, or some of those counted")
    if isinstance(amount, Exact) and count_apart(tokens, stated):
        return NoValue(f"several counts of {number:g}")
    if any(_is_added(tokens, earlier, later) for earlier, later in pairwise(stated)) and isinstance(amount, Exact):
        return NoValue("a sum without its total")
    return number if _is_count(number) else NoValue(f"no count: {number:g}")


def _is_count(number: float) -> bool:
    """Whether a number can count things: whole ones, halves, thirds and quarters."""
    return any(number * parts == round(number * parts) for parts in (1, 3, 4))


def _is_added(tokens: list[TextToken], earlier: Mention, later: Mention) -> bool:
    return [token.text for token in tokens[earlier.end : later.start]] in (["+"], ["plus"], ["×"], ["minus"])


# Tags, coordinates, and a model's confidence: their numbers count nothing.
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
    r"(?:^|(?<=[.!?\n]))\s*+(?:are|is|could|can|do|did|does|would|should)\b[^.!?\n]{0,300}+\?", re.IGNORECASE
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
    """The text without markup, coordinates, questions and offers."""
    text = _ARROW.sub("→", _MARKUP.sub(" ", answers.drop_json(text)))
    text = _FORMULA.sub(lambda formula: answers.from_latex(formula[1]), text)
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
    """Whether it is a count aloud in brackets, "(1, 2, 3)", not coordinates."""
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
    r"\b(?:do not|don't|don’t) (?:think|believe) (?:that )?(?:the|my|it|there)\b|\bdepends on\b", re.IGNORECASE
)
_TAKES_BACK = re.compile(
    r"\b(?:wrong|incorrect|not (?:right|correct|sure)|miscount\w*|missed|forgot|mistake)\b", re.IGNORECASE
)
_MILD = ("sorry", "actually")


def _read_corrected(text: str, correction: re.Match[str]) -> float | NoValue:
    """Read what follows the last correction, unless it is only about things counted before."""
    before, rest = text[: correction.start()], text[correction.end() :]
    tokens = tokenise(rest)
    mentions = find_mentions(tokens)
    if not mentions:
        is_mild = correction[0].strip().lower() in _MILD and not _TAKES_BACK.search(rest)
        is_mild = is_mild and isinstance(decide(rest, tokens, mentions), NoNumber)
        return _read_plain(before) if is_mild else NoValue("a correction without a number")
    number = _read_plain(rest)
    is_about_some = len(mentions) == 1 and tokens[mentions[0].end].text in _ABOUT_SOME
    return NoValue("a correction that gives no new number") if is_about_some or number == 0 else number


_ABOUT_SOME = WORDS["about_some"]
_BEFORE_DIFFERENCE = WORDS["before_difference"]
_AFTER_DIFFERENCE = word_set("more extra additional fewer others other")


def _is_aside(tokens: list[TextToken], mention: Mention) -> bool:
    """Whether it is a difference, denied, or a number per thing: "I missed one", "two more", "each has 4"."""
    before = [token.text for token in tokens[mention.start - 3 : mention.start]]
    is_difference = not _BEFORE_DIFFERENCE.isdisjoint(before) or tokens[mention.end].text in _AFTER_DIFFERENCE
    is_denied = is_negation(before[1]) and before[2] in ("say", "claim", "call")
    is_of_each = before[0] in ("each", "every") and before[2] in ("has", "have")
    return is_difference or is_denied or is_of_each or (before[0] in ("neither", "none") and before[1] == "of")


def _is_order(tokens: list[TextToken], mention: Mention) -> bool:
    """Whether it says how things are arranged, not how many there are: "arranged in 3 rows"."""
    return tokens[mention.start - 1].text in ("in", "into") and tokens[mention.end].text in _ORDERS


_ORDERS = GROUPED | word_set("steps parts sections quadrants passes halves regions")


def _find_final(text: str, tokens: list[TextToken], mentions: list[Mention]) -> float | None:
    """The one of several numbers that is stated as the total, before or after its parts, or as a conclusion."""
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


def _is_recounted(text: str, tokens: list[TextToken], mentions: list[Mention], total: float) -> bool:
    """Whether a later sentence contradicts the total: "5 animals in total. There are 3 dogs"."""
    last = max((k for k, mention in enumerate(mentions) if mention.amount == Exact(total)), default=len(mentions))
    later = [mention for mention in mentions[last + 1 :] if mention.weight == NUMERAL_WEIGHT]
    if last + 1 < len(mentions) and lists_another(tokens, *mentions[last : last + 2]):
        return True
    if not later or sum(number for mention in later for number in mention.numbers) == total:
        return False
    starts = (tokens[mention.start].start for mention in later)
    return any(_COUNTS_ANEW.search(text[max(start - 60, 0) : start]) for start in starts)


def _is_repeated(tokens: list[TextToken], one: Mention, after: Mention) -> bool:
    """Whether a number is repeated in brackets: "four (4)"."""
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


def _concluded(text: str, tokens: list[TextToken], mentions: list[Mention]) -> float | None:
    """The last number, if concluding words come between it and the one before."""
    last = mentions[-1]
    if last.weight != NUMERAL_WEIGHT or not isinstance(last.amount, Exact) or len(mentions) < 2:
        return None
    before = tokens[mentions[-2].start].start
    if _CONCLUDES.search(text[max(before - 200, 0) : before]):  # "the count of dogs is 3 and the count of cats is 2"
        return None
    between = text[tokens[mentions[-2].end - 1].end : tokens[last.start].start]
    return last.amount.value if _CONCLUDES.search(between[-200:]) else None


Policy = Literal["strict", "total", "final"]
POLICIES: tuple[Policy, ...] = get_args(Policy)


def read_number(text: str, policy: Policy = "strict") -> float | NoValue:
    """The number that a policy takes from the text, or why it takes none.

    strict: one exact number counts (the rule of Numbersense).
    total: as strict, but among several different numbers the one stated as total or answer counts; nothing is summed.
    A final answer beats an answer, which beats a total, which beats a conclusion ("so 5"). Two different ones of a kind
    are discarded unless the later one corrects the earlier ("wait", "actually").
    final: the model's conclusion. Reasoning is dropped; then the number marked as the answer counts, else the only
    number, or among several the total, the one before or after its parts, or a conclusion.
    All policies discard negative numbers, as they count nothing.
    """
    if policy not in POLICIES:
        raise ValueError(f"no policy named {policy!r}; known: {', '.join(POLICIES)}")
    if policy == "final":
        return read_final(text)
    tokens = tokenise(text)
    mentions = find_mentions(tokens)
    amount = decide(text, tokens, mentions)
    if policy == "total" and isinstance(amount, Several | Vague):
        total = find_stated_total(tokens, mentions)
        if total is not None and total >= 0:
            return total
    return amount.value if isinstance(amount, Exact) and amount.value >= 0 else NoValue(describe(amount))
