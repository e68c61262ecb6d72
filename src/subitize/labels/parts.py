"""Joins one judge's verdicts on the parts of a picture into a verdict on the whole, by a rule of the suite."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from subitize import papers
from subitize.language.texts import normalise
from subitize.records import OF_FILE, Ask, Discarded, Item, Known, Question, Transcribe, Value, base_suite


@dataclass(frozen=True, slots=True)
class PartsRule:
    """How values of parts are joined to whether a picture matches its prompt.

    Judges that answer the whole question directly need no joining.
    """

    name: str
    """Includes the version, as in gimbrr-parts@1."""
    list_parts: Callable[[Item], Sequence[Ask]]
    """List an item's asks about parts; none if only the whole can be judged."""
    join: Callable[[Item, Mapping[str, Value]], Value | None]
    """Join values, by question id; None where one is missing."""
    name_waiting: Callable[[Iterable[Item], Callable[[Question], bool]], str]
    """Describe which items wait for another judge, given what this one can answer; "" if none do."""


def find_parts_rule(suite: str) -> PartsRule | None:
    """Find the rule of a suite's paper, or that of YAML suites; None if there is none."""
    base = base_suite(suite)
    if base.endswith(OF_FILE):
        return OF_FILES
    reference = papers.find("parts_rules", base)
    return papers.load(reference) if reference else None


def join_parts(parts: Sequence[Ask], values: Mapping[str, Value], texts: Sequence[str] = ()) -> Value | None:
    """Join one judge's values of the parts: a picture matches if all hold; None if a part was not judged.

    One wrong part makes the whole wrong; otherwise one unknown part makes it unknown. The text that should be written
    is the one that the part expects, unless texts are given.
    """
    if not parts or any(ask.question.id not in values for ask in parts):
        return None
    verdicts = [_holds(ask, values[ask.question.id], texts) for ask in parts]
    if False in verdicts:
        return Known(False)
    return Discarded("a part is unknown", is_refusal=True) if None in verdicts else Known(True)


def is_written(text: str, read: str) -> bool:
    """Return whether the words of a text occur in what was read, in order and without others between."""
    return f" {_words(text)} " in f" {_words(read)} "


def is_served(parts: Sequence[Ask], can_answer: Callable[[Question], bool]) -> bool:
    """Return whether a judge can answer all parts of an item."""
    return bool(parts) and all(can_answer(ask.question) for ask in parts)


def _holds(ask: Ask, value: Value, texts: Sequence[str]) -> bool | None:
    """Return whether a part is right; None if the judge could not tell. An unusable answer counts as wrong."""
    if not isinstance(value, Known):
        return None if value.is_refusal else False
    if isinstance(ask.question, Transcribe):
        return all(is_written(text, str(value.value)) for text in texts or map(str, ask.expects))
    return value.value in ask.expects


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", normalise(text)))


def _list_parts(item: Item) -> tuple[Ask, ...]:
    return tuple(ask for ask in item.asks if not ask.is_relevant)


def _name_waiting(items: Iterable[Item], can_answer: Callable[[Question], bool]) -> str:
    parts = [own for item in items if (own := _list_parts(item))]
    waiting = sum(not is_served(own, can_answer) for own in parts)
    return f"{waiting} of {len(parts)} items wait for people or another judge" if waiting else ""


OF_FILES = PartsRule("parts@1", _list_parts, lambda item, values: join_parts(_list_parts(item), values), _name_waiting)
"""The rule of YAML suites: all parts must hold."""
