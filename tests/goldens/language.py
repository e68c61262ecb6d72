"""What is read from answers and prompts, and which values the rules make of evidence: a line for each case."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import product

from subitize.analysis.scorers import SCORERS, ScoredReply
from subitize.errors import SubitizeError
from subitize.labels import consensus, interpret, parse_rule, read_standing, read_statement, rule_versions
from subitize.labels.consensus import consensus_rules
from subitize.labels.rules import word_rules
from subitize.language.answers import find_answer
from subitize.language.clauses import read_graph, read_scene
from subitize.language.nouns import article, plural, singular
from subitize.language.numbers import in_words
from subitize.language.questions import scene_asks
from subitize.language.reading import read
from subitize.language.scene import NotUnderstood, Scene
from subitize.records import (
    Ask,
    Box,
    Boxes,
    Choose,
    Compared,
    Confirm,
    Count,
    Discarded,
    Evidence,
    Fit,
    Known,
    MatchesPrompt,
    Measured,
    Name,
    Place,
    Question,
    Scalar,
    Transcribe,
    Value,
    Words,
    to_plain,
)
from tests.goldens.texts import Golden, Texts, sha256
from tests.language.numeral_cases import GROUPS
from tests.language.numeral_policy_cases import POLICY_CASES, REASONS
from tests.language.prompt_cases import COLOURS, NOT_UNDERSTOOD, NOUNS, TOGETHER, UNDERSTOOD

CHARACTERS_PER_FILE = 36_000
"""So that each file is kept as it is."""
MOST_SHOWN = 500
EVERY = 60
"""Of so many prompts the questions of one are kept in full, of all others as a hash."""


def make_numerals() -> Texts:
    """What is read from each text, and the value that every rule for words makes of it."""
    rules = list(word_rules())
    groups = {group: [text for text, _ in cases] for group, cases in GROUPS.items()}
    groups["policies"] = [text for _, text, _ in POLICY_CASES]
    groups["reasons"] = [text for text, _ in REASONS]
    for group, texts in groups.items():
        lines: list[list[object]] = [["text", "read", "answer", *rules]]
        for text in dict.fromkeys(texts):
            values = [_shown(interpret(Words(text), Count("thing"), parse_rule(rule))) for rule in rules]
            answer = find_answer(text)
            answered = "" if answer == text else _abbreviated(str(answer).replace("NoValue(", "Unread("))
            lines.append([_abbreviated(text), _named(read(text)), answered, *_shortened(values)])
        yield from _in_parts(group, lines)


def make_words() -> Texts:
    """Numbers in words, plurals, singulars and articles."""
    numbers = [*range(1_010), 1_999, 12_345, 999_999]
    yield "numbers.txt", sha256("".join(f"{in_words(number)}\n" for number in numbers))
    yield "nouns.jsonl", _lines([noun, plural(noun), singular(plural(noun)), article(noun)] for noun in NOUNS)


def make_prompts() -> Texts:
    """The scene that each prompt asks for, its questions and its graph; or why it is not understood."""
    scenes: list[list[object]] = []
    for number, prompt in enumerate(dict.fromkeys(prompt for prompt, _ in [*UNDERSTOOD, *TOGETHER])):
        scene = read_scene(prompt, NOUNS, COLOURS)
        assert isinstance(scene, Scene), prompt
        questions, graph = _questions(scene), _graph(prompt)
        if number % EVERY == 0:
            scenes.append([prompt, _told(scene), questions, graph])
        else:
            scenes.append([prompt, _told(scene), _short_hash([questions, graph])])
    yield from _in_parts("understood", scenes)
    reasons: list[list[object]] = []
    for prompt in NOT_UNDERSTOOD:
        found = read_scene(prompt, NOUNS, COLOURS)
        assert isinstance(found, NotUnderstood), prompt
        reasons.append([prompt, found.reason])
    yield from _in_parts("not-understood", reasons)


def make_rules() -> Texts:
    """The value that every named rule makes of evidence of each kind, for questions of each kind."""
    yield "versions.json", json.dumps(rule_versions())
    rules = [*rule_versions(), "boxes>=0.5", "boxes>=0.2,iou=0.3", "boxes>=0.2,iou=0.8"]
    for kind, evidence in EVIDENCE.items():
        lines: list[list[object]] = [["question", "evidence", *rules]]
        questions = QUESTIONS[::2] if kind == "words" else QUESTIONS
        for question, (name, one) in product(questions, evidence.items()):
            values = [_value(one, question, rule) for rule in rules]
            lines.append([question.id, name, *_shortened(values)])
        yield from _in_parts(kind, lines)
    yield "statements.jsonl", _lines([text, _named(read_statement(text)), _named(read_standing(text))] for text in SAID)
    yield (
        "consensus.jsonl",
        _lines(
            [list(votes), *(_shown(consensus([_vote(vote) for vote in votes], rule)) for rule in consensus_rules())]
            for votes in VOTES
        ),
    )
    names = list(SCORERS)
    replies = [
        [text, expected, *(SCORERS[name].credit(ScoredReply(text, expected)) for name in names)]
        for text, expected in product(REPLIES, (2, 4))
    ]
    yield "scorers.jsonl", _lines([["reply", "right", *names], *replies])


DOG, PRESENT = Count("dog"), Confirm("there is a dog", is_informed=False)
QUESTIONS: tuple[Question, ...] = (
    DOG,
    Count("dog", "red"),
    Count("dog", None, Place("left of", "cat")),
    PRESENT,
    Confirm("there are 2 dogs", is_informed=True),
    Confirm("there are no dogs", is_informed=False),
    Confirm("there are some dogs left of some cats", is_informed=False),
    Choose(("no dogs", "Two dogs.", "many dogs")),
    MatchesPrompt(),
    Name(),
    Transcribe(),
    Fit("3 dogs"),
)
_FOUND = (
    Box("dog", 0.9, (0.0, 0.0, 9.0, 9.0), "red"),
    Box("dog", 0.4, (20.0, 0.0, 29.0, 9.0), "blue"),
    Box("dog", 0.1, (40.0, 0.0, 49.0, 9.0), "red"),
    Box("cat", 0.8, (60.0, 0.0, 69.0, 9.0), "red"),
    Box("dog", 0.7, (1.0, 0.0, 9.0, 8.0), "red"),
    Box("dog", 0.3, (2.0, 2.0, 12.0, 12.0), "blue"),
)
_SAID = (
    *(
        "2",
        "two dogs",
        "1 red and 2 blue, 3 in total",
        "3-4",
        "10+",
        "a few",
        "",
        "I cannot see it",
        "no dogs",
        "-1",
        "½",
    ),
    *("yes", "No.", "**Yes**, it does", "yes and no", "true", "0", "1", "✓", "failure", "N/A", "no idea", "No, no."),
    *("b", "(B) Two dogs.", "**b**", "many dogs", "a or b", "Two dogs", "(a) is wrong", "2.", "Answer: c", "d"),
)
EVIDENCE: Mapping[str, Mapping[str, Evidence]] = {
    "words": {text: Words(text) for text in _SAID},
    "boxes": {str(number): Boxes(_FOUND[:number]) for number in range(len(_FOUND) + 1)},
    "scores": {
        "high": Measured(0.75),
        "low": Measured(-3.5),
        "first": Compared({"a dog": 0.9, "a cat": 0.1}),
        "second": Compared({"a dog": 0.1, "a cat": 0.9}),
    },
}
SAID = ("there is a dog", "there are no red dogs", "there are 3 cats", "there are some dogs left of some cats", "dogs")
VOTES: tuple[tuple[Scalar | None, ...], ...] = (
    *((), (None,), (2,), (2, 3), (2, 2, 3), (2, 3, 3, 2), (1, 2, 9), (1.5, 2.5, 2.5), (3, None, None)),
    *((True,), (True, False), (True, True, False), (True, False, None), ("a", "b", "a"), (12, 13, 12), (0, 0, 1, 1, 2)),
)
REPLIES = (
    "4",
    "4.",
    " 4",
    "four",
    "Four.",
    "row 1 has 4",
    "12",
    "There are 2.",
    "{4}",
    "about 4",
    "",
    "none",
    "24",
    "a total of 4",
)


def _value(evidence: Evidence, question: Question, rule: str) -> object:
    try:
        return _shown(interpret(evidence, question, parse_rule(rule)))
    except SubitizeError as error:
        return type(error).__name__


def _vote(vote: Scalar | None) -> Value:
    return Discarded("unread") if vote is None else Known(vote)


def _shown(value: Value) -> object:
    """Show a value as it is, and why there is none in brackets."""
    if isinstance(value, Known):
        return value.value
    return [f"{value.reason}{' (refusal)' if value.is_refusal else ''}"]


def _shortened(values: Iterable[object]) -> list[object]:
    """Leave out what is the same as before it."""
    listed = list(values)
    return [
        one if place == 0 or one != listed[place - 1] or type(one) is not type(listed[place - 1]) else "…"
        for place, one in enumerate(listed)
    ]


_EARLIER_NAMES = {"NoValue": "Unread", "SpatialClaim": "Standing"}


def _named(record: object) -> object:
    """Show a record by its kind, with the fields that are not as they are without being named."""
    if record is None or isinstance(record, str | int | float):
        return record
    if isinstance(record, tuple):
        return [_named(one) for one in record]
    if not hasattr(record, "__dataclass_fields__"):
        return str(record)
    own = {field: getattr(record, field.name) for field in fields(record)}  # type: ignore[arg-type]
    given = {field.name: _named(one) for field, one in own.items() if field.default != one}
    kind = type(record).__name__
    return {_EARLIER_NAMES.get(kind, kind): given}


def _told(scene: Scene) -> list[object]:
    """Tell a scene in a few words: its things, how they are, and how they stand and compare."""
    things = [
        " ".join([str(one.number), *filter(None, [one.colour]), one.noun, *([repr(one.form)] if one.form else [])])
        for one in scene.entities
    ]
    named = [_named(one) for one in (*scene.relations, *scene.comparisons)]
    return [things, *named, *([f"grid {scene.grid}"] if scene.grid else [])]


def _questions(scene: Scene) -> list[object]:
    return [_asked(ask) for ask in scene_asks(scene)]


def _graph(prompt: str) -> list[object]:
    return [[_asked(node.ask), list(node.parents)] for node in read_graph(prompt, NOUNS, COLOURS)]


def _asked(ask: Ask) -> object:
    return {name: one for name, one in to_plain(ask).items() if one is not None}


def _short_hash(record: object) -> str:
    return sha256(json.dumps(record)).split()[1][:12]


def _in_parts(name: str, records: Iterable[object]) -> Texts:
    """Give as many records in each file as it has room for."""
    part, number = "", 0
    for line in map(_line, records):
        if part and len(part) + len(line) > CHARACTERS_PER_FILE:
            yield f"{name}-{number}.jsonl", part
            part, number = "", number + 1
        part += line
    yield f"{name}-{number}.jsonl", part


def _lines(records: Iterable[object]) -> str:
    return "".join(map(_line, records))


def _line(record: object) -> str:
    return f"{json.dumps(record, ensure_ascii=False)}\n"


def _abbreviated(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:60]}… {len(text)} characters, {sha256(text).strip()}"


GOLDENS: dict[str, Golden] = {
    "language-numerals": Golden(make_numerals),
    "language-words": Golden(make_words),
    "language-prompts": Golden(make_prompts),
    "language-rules": Golden(make_rules),
}
