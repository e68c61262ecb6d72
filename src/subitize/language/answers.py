"""Finds the answer in a model's reply: drops reasoning, prefers marked answers.

Every pattern is bounded or possessive, so that each step is linear in the text."""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from subitize.language.mentions import NoValue
from subitize.language.numbers import NUMBERS_BELOW_20
from subitize.language.tokens import LONGEST_TEXT

NO_END = NoValue("reasoning without an end: no answer follows it")
_LONGEST_MARKED = 400
_MOST_JSON_STARTS = 8
_MOST_MARKS = 64


class Marked(NamedTuple):
    """An answer marked in a text, how clearly, and where; `has_end` is False if only words introduce it."""

    answer: str
    strength: int
    start: int
    end: int
    has_end: bool = True


def strip_reasoning(text: str) -> str | NoValue:
    """Remove a model's reasoning before or between answers; unfinished reasoning leaves no answer."""
    text = _UNESCAPED.sub(lambda found: html.unescape(found[0]), text)
    channels = list(_CHANNEL.finditer(text))
    if channels:
        finals = [found.end() for found in channels if found[1].lower() == "final"]
        if not finals:
            return NO_END
        text = _CHANNEL_END.split(text[finals[-1] :], maxsplit=1)[0]
    elif _BARE_CHANNEL.match(text):
        _, has_final, text = text.rpartition("assistantfinal")
        if not has_final:
            return NO_END
    announced = _ANNOUNCED.split(text)
    return _outside_tags(announced[-1])


def drop_reasoning(text: str) -> str:
    """Return what a model says besides its reasoning; of reasoning without an end only its mark is left.

    A text without marks of reasoning stays as it is.
    """
    if not any(pattern.search(text) for pattern in (_THOUGHT, _UNESCAPED, _CHANNEL)):
        return text
    rest = strip_reasoning(text)
    return "<think>" if isinstance(rest, NoValue) else rest.strip()


def mark_answers(text: str) -> list[Marked]:
    """Find the marked answers of a text, in order."""
    found = [Marked(next(filter(None, mark.groups()), ""), _TAGGED, *mark.span()) for mark in _TAG.finditer(text)]
    found += [Marked(from_latex(mark[1]), _TAGGED, *mark.span()) for mark in _BOX.finditer(text)]
    found += [Marked(*one) for one in _json_answers(text)]
    plain = _EMPHASIS.sub(lambda emphasis: " " * len(emphasis[0]), text)
    for mark in _CUE.finditer(plain):
        is_final = mark["final"] or (mark["headed"] or "").lower().startswith("final")
        answer = _EMPHASIS.sub("", text[slice(*mark.span("answer"))])
        found.append(Marked(answer, _FINAL if is_final else _STATED, *mark.span(), has_end=False))
    return sorted(found, key=lambda mark: mark.start)[-_MOST_MARKS:]


def find_answer(text: str) -> str | NoValue:
    """The answer in words: the marked answer, else everything but the reasoning."""
    rest = strip_reasoning(text)
    if isinstance(rest, NoValue):
        return rest
    marks = mark_answers(rest[-LONGEST_TEXT:])
    if not marks:
        return rest
    chosen = choose_mark(
        rest[-LONGEST_TEXT:], [(mark, " ".join(mark.answer.lower().split()).strip(" .*")) for mark in marks]
    )
    return NoValue("several different answers are marked") if chosen is None else chosen.answer.strip()


def choose_mark(text: str, marks: Sequence[tuple[Marked, object]]) -> Marked | None:
    """The last of the clearest marks; None if another of them, or any later mark, disagrees.

    A statement after a correction ("wait") overrides those before it.
    """
    strongest = max(mark.strength for mark, _ in marks)
    last = max(k for k, (mark, _) in enumerate(marks) if mark.strength == strongest)
    chosen, meaning = marks[last]
    for mark, other in marks[last + 1 :]:
        if other != meaning and not isinstance(other, NoValue):
            if not is_corrected(text, chosen.end, mark.start):
                return None
            chosen, meaning = mark, other
    earlier = [mark for mark, other in marks[:last] if mark.strength == strongest and other != meaning]
    return None if earlier and not is_corrected(text, earlier[-1].end, chosen.start) else chosen


def is_weak(mark: Marked) -> bool:
    """Whether only words introduce it, so it may be talk about the answer."""
    return mark.strength == _STATED


def is_corrected(text: str, start: int, end: int) -> bool:
    """Whether there is a correction between two positions."""
    return CORRECTION.search(text, start, end) is not None


def from_latex(text: str) -> str:
    """The text with LaTeX symbols replaced by characters, and other commands removed."""
    return _LATEX.sub(lambda found: f" {_LATEX_SIGNS.get(found[1] or '', '')} ", text)


def drop_json(text: str) -> str:
    """Remove JSON, whose numbers may mean anything."""
    for start, end, _ in reversed(list(_find_json(text))):
        text = f"{text[:start]} {text[end:]}"
    return text


_NUMBER = f"[0-9]|(?:{'|'.join(NUMBERS_BELOW_20)})\\b"
CORRECTION = re.compile(
    rf"""\b(?:
        wait (?=\s*+[,.!…:;—–-]|\s++(?:no|let|there|i)\b|\s++(?:{_NUMBER}))
      | actually (?=\s*+[,:]|\s++(?:there|it|it's|i|only|just|that|that's|no|see)\b|\s++(?:{_NUMBER}))
      | correction | recount(?:ing)? | oops | scratch\ that | i\ mean | my\ mistake | was\ (?:wrong|incorrect|mistaken)
      | make\ that
      | on\ second\ (?:thought|look|glance) | let\ me\ (?:re-?check|double[- ]check|count\ again|look\ again|correct)
      | looking\ (?:again|closer|more\ closely|more\ carefully) | (?:up)?on\ (?:a\ )?closer\ (?:inspection|look)
      | counting\ again | after\ (?:a\ )?(?:closer|second|re-?count) | or\ rather | sorry
    )\b
    | (?<=[,.;:!?…—–-])\s*+\bno\b\s*+[,.!—–-]""",
    re.VERBOSE | re.IGNORECASE,
)

_TAGGED, _FINAL, _STATED = 4, 3, 2
_THINKS = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflect(?:ion)?|analysis|scratchpad|rationale|inner_monologue)"
_THOUGHT = re.compile(
    rf"""
    < \s?+ (?P<close>/?) \s?+ (?:\w{{1,8}}:)? {_THINKS} \b [^<>\n]{{0,60}}+ >
  | ◁ (?P<close_2>/?) {_THINKS} ▷
  | \[ (?P<close_3>/?) think(?:ing)? \]
  | <\|? (?P<close_4>end_(?:of_)?|/)? (?:(?:start|begin)_(?:of_)?)? {_THINKS} \|?>
  | <unused9(?P<close_5>5)> | <unused94>
  | ^```[ ]?{_THINKS}\s*?$ [^`]{{0,100000}}+ ```
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
_UNESCAPED = re.compile(rf"&lt;/?{_THINKS}&gt;", re.IGNORECASE)
# The channels of gpt-oss, with their marks or without.
_CHANNEL = re.compile(r"<\|channel\|>\s?+(\w{1,20})[^<\n]{0,60}+<\|message\|>")
_CHANNEL_END = re.compile(r"<\|(?:end|return|start|call)\|>")
_BARE_CHANNEL = re.compile(r"\s*+(?:analysis|commentary)(?=[A-Z]|\s*+\n)")
_ANNOUNCED = re.compile(r"\bhere(?:'s|’s| is) my (?:final )?response:", re.IGNORECASE)
_SPECIAL = re.compile(
    r"<\|(?!(?:begin|end)_of_box)[^|<>\n]{1,40}+\|>|</?s>|<(?:eos|bos|end_of_turn|start_of_turn)>"
    r"|<(tool_call|function_call|tool_response)>[^<]{0,4000}+</\1>"
)


def _outside_tags(text: str) -> str | NoValue:
    kept, depth, reached = [], 0, 0
    for tag in _THOUGHT.finditer(text):
        if tag[0].startswith("```"):
            if not depth:
                kept.append(text[reached : tag.start()])
        elif tag["close"] or tag["close_2"] or tag["close_3"] or tag["close_4"] or tag["close_5"]:
            if not depth:
                kept.clear()  # the opening tag was in the prompt
            depth = max(depth - 1, 0)
        else:
            if not depth:
                kept.append(text[reached : tag.start()])
            depth += 1
        reached = tag.end()
    return NO_END if depth else _SPECIAL.sub("\n", "\n".join([*kept, text[reached:]]))


_ANSWER_TAGS = "answer|final_answer|final|conclusion|result|count"
_TAG = re.compile(
    rf"<(?:{_ANSWER_TAGS})>([^<]{{0,{_LONGEST_MARKED}}}+)</(?:{_ANSWER_TAGS})>"
    rf"|<\|begin_of_box\|>([^<]{{0,{_LONGEST_MARKED}}}+)<\|end_of_box\|>",
    re.IGNORECASE,
)
_BOX = re.compile(r"\\f?boxed\s?+\{((?:[^{}]|\{[^{}]{0,100}+\}){0,200}+)\}")
_LATEX = re.compile(r"\\([a-zA-Z]++|[,;! ])|[{}$]")
_LATEX_SIGNS = {"times": "×", "cdot": "×", "ge": "≥", "geq": "≥", "gt": ">", "le": "≤", "leq": "≤", "lt": "<"}
# Replaced by equally long blanks, so that positions stay.
_EMPHASIS = re.compile(r"[*`]|(?<!\w)_|_(?!\w)")
_ANSWER_WORDS = (
    "answer|ans|response|final\\ (?:count|tally|total|number|result)"
    "|respuesta|réponse|reponse|resposta|antwort|risposta|ответ|答案|回答|उत्तर|जवाब|الإجابة|الجواب|উত্তর|جواب"
)
_CUE = re.compile(
    rf"""
    (?:
        (?<![\w<"']) (?<!think\ the\ ) (?<!think\ my\ )
        (?:(?P<final>final|correct|short|окончательный|最终)\s?+)? (?:{_ANSWER_WORDS})
        (?: \s++(?:to|for)\s++(?:the|your|this)\s++question )?+
        [ \t]*+ (?: (?:is|es|est|é|है|would\ be|should\ be)(?!\w) | [:：=→—–] | -[ >] | 是 ) (?: [ \t]*+ [:：=] )?+
      | ^[ ]{{0,3}}+ (?:\#{{1,6}}[ ]*+)?+ (?P<headed>final\ answer|answer) [ ]*+ \n
      | ^[ ]{{0,3}}+ \#{{4}} [ ]?+ (?=[\d,.]{{1,12}}+[ ]*+$)
    )
    \s{{0,9}}+ (?=(?P<answer> [^\n]{{1,{_LONGEST_MARKED}}}+ ))
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


def _json_answers(text: str) -> Iterator[tuple[str, int, int, int]]:
    for start, end, value in _find_json(text):
        answer = _answer_in(value)
        if answer is not None:
            yield answer, _FINAL, start, end


def _find_json(text: str) -> Iterator[tuple[int, int, object]]:
    """The JSON objects and lists in the text, also with Python's quotes."""
    decoder, reached = json.JSONDecoder(), 0
    for start in list(_JSON_START.finditer(text))[:_MOST_JSON_STARTS]:
        if start.start() < reached:
            continue
        for written in (text, _PYTHON_QUOTES.sub('"', text)):
            try:
                value, reached = decoder.raw_decode(
                    _NO_FINAL_COMMA.sub(lambda comma: " " * len(comma[0]), written), start.start()
                )
            except (ValueError, RecursionError):
                continue
            yield start.start(), reached, value
            break


_JSON_START = re.compile(r"""\{(?=\s*+["'])|\[(?=\s*+[{"'\[])""")
_PYTHON_QUOTES = re.compile(r"(?<!\w)'|'(?!\w)")
_NO_FINAL_COMMA = re.compile(r",(?=\s{0,20}+[}\]])")
_ANSWER_KEYS = ("final_answer", "answer", "final")
_COUNT_KEYS = ("count", "total", "total_count", "number", "result", "quantity", "num", "n", "value", "response")


def _answer_in(value: object) -> str | None:
    """The answer in an object: under a telling key, or its only number."""
    if not isinstance(value, Mapping):
        return None
    named = {re.sub(r"[\s-]", "_", str(name)[:40].strip().lower()): one for name, one in value.items()}
    for keys in (_ANSWER_KEYS, _COUNT_KEYS):
        found = {_written(named[key]) for key in keys if key in named and not isinstance(named[key], Mapping | list)}
        if found:
            return found.pop() if len(found) == 1 else ""
    inner = [one for one in value.values() if isinstance(one, Mapping)]
    numbers = {name: one for name, one in named.items() if isinstance(one, int | float) and not isinstance(one, bool)}
    if len(inner) == 1 and not numbers:
        return _answer_in(inner[0])
    counts = {name: one for name, one in numbers.items() if not _NO_COUNT.search(name)}
    is_plain = len(counts) == 1 and not any(isinstance(one, Mapping | list) for one in value.values())
    return _written(counts.popitem()[1]) if is_plain else None


_NO_COUNT = re.compile(
    r"confidence|score|probability|certainty|width|height|size|year"
    r"|^(?:id|index|x|y|w|h|status|version|(?:error_|status_)?code)$"
)


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
