"""Questions about pictures in users' words, which determine the kind of answer."""

import re
from collections.abc import Iterable

from subitize.errors import BadValueError
from subitize.language.nouns import singular
from subitize.language.questions import LINES_WORDING
from subitize.records import Ask, Choose, Confirm, Count, Name, Question, Transcribe

_LINE_BREAK = "|"
_HOW_MANY = re.compile(r"how many (?P<noun>.+?)(?: (?:are|is|do|does|can|in|on) .*)?\?*", re.IGNORECASE)
_WRITTEN = re.compile(r"what (?:text |words? )?(?:is|are|does it|do they) (?:written|say)\b.*", re.IGNORECASE)
_WHAT = re.compile(r"what\b.*", re.IGNORECASE)


def read_asks(texts: Iterable[str]) -> tuple[Ask, ...]:
    """Read questions: `How many X …?` is a count, `What …?` is answered in words, any other by yes or no.

    Lines with | between them are for a choice. What would be right is not known.
    """
    asks = tuple(_read_ask(" ".join(text.split())) for text in texts)
    known: dict[str, Ask] = {}
    for ask in asks:
        other = known.setdefault(ask.question.id, ask)
        if other is not ask:
            raise BadValueError(f"--question {ask.wording!r} asks the same as {other.wording!r}; leave one out")
    return asks


def _read_ask(text: str) -> Ask:
    question = _read_question(text)
    return Ask(question, LINES_WORDING if isinstance(question, Choose) else text, ())


def _read_question(text: str) -> Question:
    if not text:
        raise BadValueError("--question is empty; ask something, as in --question 'How many apples are there?'")
    if _LINE_BREAK in text:
        return Choose(_read_lines(text))
    if counted := _HOW_MANY.fullmatch(text):
        return Count(singular(counted["noun"].lower()))
    if _WRITTEN.fullmatch(text):
        return Transcribe()
    return Name() if _WHAT.fullmatch(text) else Confirm(text, is_informed=False)


def _read_lines(text: str) -> tuple[str, ...]:
    lines = tuple(line.strip() for line in text.split(_LINE_BREAK))
    if not 2 <= len(set(lines)) == len(lines) <= 9 or not all(lines):
        raise BadValueError(f"--question {text!r}: a choice has 2 to 9 different lines, as in 'few cats | many cats'")
    return lines
