"""The rule `final` on all questions that are answered in words."""

import pytest

from subitize.labels import interpret, parse_rule
from subitize.records import Choose, Confirm, Count, Discarded, Known, MatchesPrompt, Words
from tests.cases import Case

FINAL = parse_rule("final")
LINES = ("One cat", "Two cats", "Three cats")

YES_OR_NO: list[tuple[str, bool | None]] = [
    ("yes", True),
    ("No.", False),
    ("<think>Yes? It may be a no.</think>No.", False),
    ("<think>Is there a dog? No, a cat.</think>\n\nYes, there is.", True),
    ("<think>Yes, I see one", None),
    ("There is a dog here</think>Yes", True),
    ("[THINK]no[/THINK]yes", True),
    ("<|channel|>analysis<|message|>no dog?<|end|><|start|>assistant<|channel|>final<|message|>Yes<|return|>", True),
    ("I see fur and a tail.\n\nAnswer: yes", True),
    ("The tail is a dog's, so the answer is **no**.", False),
    ("<answer>no</answer>", False),
    ("\\boxed{yes}", True),
    ('{"answer": "no", "confidence": 0.8}', False),
    ('```json\n{"answer": true}\n```', True),
    ("Answer: yes. Answer: no.", None),
    ("Answer: yes\nWait, I was wrong. Answer: no", False),
    ("<think>yes</think>I cannot see the image.", None),
]
CHOICES: list[tuple[str, int | None]] = [
    ("(b)", 1),
    ("<think>(a) One cat? No.</think>(b) Two cats", 1),
    ("<think>(a)</think>\n\n**C**", 2),
    ("<think>(a) or (b)", None),
    ("There are two cats.\n\nAnswer: (b)", 1),
    ("Final answer: b) Two cats", 1),
    ("\\boxed{\\text{B}}", 1),
    ("<answer>c</answer>", 2),
    ('{"answer": "a"}', 0),
    ("Answer: (a). Answer: (b).", None),
]


def test_reasoning_is_no_yes_and_no_no(case: Case) -> None:
    for text, expected in YES_OR_NO:
        for question in (Confirm("there are some dogs", is_informed=False), MatchesPrompt()):
            with case(f"{question.id}: {text!r}"):
                value = interpret(Words(text), question, FINAL)
                assert isinstance(value, Discarded) if expected is None else value == Known(expected)


def test_a_line_is_chosen_after_the_reasoning(case: Case) -> None:
    for text, expected in CHOICES:
        with case(repr(text)):
            value = interpret(Words(text), Choose(LINES), FINAL)
            assert isinstance(value, Discarded) if expected is None else value == Known(expected)


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        ("<think>I see 3 dogs, or 4.</think>I can't see the image.", True),
        ("<think>I can't see the image.</think>There are a few dogs.", False),
        ("<think>I can't see the", False),
        ("Answer: I cannot tell.", True),
        ("3 or 4", False),
    ],
)
def test_a_refusal_is_one_of_the_answer_not_of_the_reasoning(text: str, is_refusal: bool) -> None:
    value = interpret(Words(text), Count("dog"), FINAL)
    assert isinstance(value, Discarded)
    assert value.is_refusal == is_refusal


def test_the_other_rules_read_reasoning_as_they_did() -> None:
    text = Words("<think>3 or 4</think>4")
    assert all(isinstance(interpret(text, Count("dog"), parse_rule(name)), Discarded) for name in ("strict", "total"))
    assert isinstance(interpret(Words("<think>no</think>yes"), MatchesPrompt(), parse_rule("strict")), Discarded)
