"""Evidence is read by named, versioned rules, and several values come to one by another."""

from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import BadValueError, UnknownNameError
from subitize.labels import Rule, consensus, interpret, parse_rule, read_statement, rule_versions
from subitize.labels.consensus import consensus_rules, is_tie
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
    Reading,
    Said,
    Scalar,
    Spec,
    Subject,
    Transcribe,
    Value,
    Words,
)
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.samples import MODEL, SUITE, naming_item, response, trial

DOGS = Count("dog")
LINES = Choose(("no dogs", "some dogs", "many dogs"))
PRESENT = Confirm("there is a dog", is_informed=False)
FOUND = Boxes(
    (
        Box("dog", 0.9, (0.0, 0.0, 9.0, 9.0), "red"),
        Box("dog", 0.4, (20.0, 0.0, 29.0, 9.0), "blue"),
        Box("dog", 0.1, (40.0, 0.0, 49.0, 9.0), "red"),
        Box("cat", 0.8, (60.0, 0.0, 69.0, 9.0), "red"),
    )
)


READ: dict[str, tuple[str, Question, str, Scalar]] = {
    "digit": ("3", DOGS, "strict", 3),
    "word": ("There are three dogs.", DOGS, "strict", 3),
    "stated total": ("2 red and 3 blue dogs, 5 in total", DOGS, "total", 5),
    "range": ("3-4", DOGS, "geckonum", 3.5),
    "at least": ("10+", DOGS, "geckonum", 11),
    "fraction": ("2.5", DOGS, "strict", 2.5),
    "place": ("3", Count("dog", "red", Place("above", "cat")), "strict", 3),
    "yes": ("Yes", PRESENT, "strict", True),
    "no": ("no, there is none", PRESENT, "strict", False),
    "emphasis": ("**Yes**, it does", PRESENT, "strict", True),
    "quotes": ("“No.”", PRESENT, "strict", False),
    "full stop": ("1.", PRESENT, "strict", True),
    "true": (" TRUE", MatchesPrompt(), "strict", True),
    "one for yes": ("1", MatchesPrompt(), "geckonum", True),
    "nought for no": ("0", MatchesPrompt(), "total", False),
    "line": ("many dogs", LINES, "strict", 2),
    "position": (" 1 ", LINES, "geckonum", 1),
    "position by the observer": ("2", LINES, "boxes", 2),
    "line of digits": ("5", Choose(("3", "4", "5")), "strict", 2),
    "line before position": ("1", Choose(("0", "1", "2")), "strict", 1),
    "yes, then no": ("Yes, no dog is missing", PRESENT, "strict", True),
    "no twice": ("No, no dog", PRESENT, "strict", False),
    "name": (" a dog\n", Name(), "strict", "a dog"),
    "text": ("STOP", Transcribe(), "boxes", "STOP"),
}


def test_words_are_read_as_the_question_asks(case: Case) -> None:
    for name, (text, question, rule, expected) in READ.items():
        with case(name):
            value = interpret(Words(text), question, parse_rule(rule))
            assert value == Known(expected)
            assert isinstance(value, Known)
            assert type(value.value) is type(expected)


YES_OR_NO = [
    ("Yes.", True),
    ("yes!", True),
    ("Y", True),
    ("_Yes_", True),
    ("`true`", True),
    ("Yes it is", True),
    ("Yes there are 3 dogs", True),
    ("Yes - no dog is missing", True),
    ("Yes—no dog is missing.", True),
    ("Yes\n\nThere are two cats and no dogs.", True),
    ("Yes. There is no doubt.", True),
    ("Yes (not that many)", True),
    ("n", False),
    ("N.", False),
    ("False", False),
    ("No there isn't", False),
    ("No, yes-men are not in the picture", False),
    ("No, that is not true.", False),
    ("No, it isn't true", False),
    ("No. No.", False),
    ("No, there is only 1.", False),
    ("No, I cannot see any dogs.", False),
    ('"0"', False),
    ("(1)", True),
]


def test_yes_and_no_are_read_where_they_stand_as_the_answer(case: Case) -> None:
    for text, expected in YES_OR_NO:
        with case(text):
            for rule in ("strict", "total", "geckonum"):
                assert interpret(Words(text), PRESENT, parse_rule(rule)) == Known(expected)


NEITHER = [
    "N/A",
    "n/a.",
    "n.a.",
    "N. A.",
    "NA",
    "No images attached",
    "No image.",
    "No answer",
    "No response",
    "No information",
    "No comment",
    "No opinion",
    "No problem, send the picture",
    "No way to tell",
    "No more than two",
    "No one",
    "No dog is missing",
    "No-one",
    "True to life",
    "N dogs",
    "Y/N",
    "y / n",
    "True/False",
    "True or false",
    "Yes|No",
    "Yes | No",
    "yes or maybe no",
    "yes and no",
    "Yes, but no",
    "Yes, no",
    "Yes. No.",
    "Yes\nNo",
    "'Yes' or 'no'",
    "No, there are no cats. Yes",
    "No. Yes there are.",
    "No, wait, the answer is yes.",
    "No, true.",
    "No, I cannot view images.",
    "No. I can't see the picture.",
    "No, I’m unable to tell.",
    "No, there is no image.",
    "1 or 0",
    "1/0",
    "1%",
    "1, 2",
    "yes" * 30_000,
    "no," * 30_000 + "yes",
    "(" * 100_000,
    "no" + " " * 100_000 + "x",
]


def test_what_is_not_clearly_yes_or_no_is_discarded(case: Case) -> None:
    for text in NEITHER:
        with case(text[:30]):
            for rule in ("strict", "total", "geckonum"):
                assert isinstance(interpret(Words(text), PRESENT, parse_rule(rule)), Discarded)


NO_ANSWER: dict[str, tuple[str, Question, str]] = {
    "vague": ("a few", DOGS, "a few"),
    "range": ("2 or 3", DOGS, ""),
    "empty": ("", DOGS, ""),
    "endless number": ("9" * 6000, DOGS, ""),
    "neither": ("maybe", PRESENT, "neither yes nor no: 'maybe'"),
    "beginning of a word": ("yesterday", PRESENT, "neither yes nor no: 'yesterday'"),
    "no vote": ("", MatchesPrompt(), "neither yes nor no"),
    "ten": ("10", PRESENT, "neither yes nor no"),
    "share": ("0.9", PRESENT, "neither yes nor no"),
    "fraction": ("10.5", PRESENT, "neither yes nor no"),
    "less than nought": ("-1", PRESENT, "neither yes nor no"),
    "a count of one": ("1 dog", PRESENT, "neither yes nor no"),
    "a count of nought": ("0 dogs, 1 cat", PRESENT, "neither yes nor no"),
    "no idea": ("No idea.", PRESENT, "neither yes nor no"),
    "no image": ("No image is attached.", PRESENT, "neither yes nor no"),
    "the question": ("Yes or no?", PRESENT, "neither yes nor no"),
    "both words": ("Yes/No", PRESENT, "neither yes nor no"),
    "other line": ("some cats", LINES, "none of the 3 lines: 'some cats'"),
    "past the last": ("3", LINES, "none of the 3 lines"),
    "negative": ("-1", LINES, "none of the 3 lines"),
    "superscript": ("²", LINES, "none of the 3 lines"),
    "endless position": ("9" * 6000, LINES, "none of the 3 lines"),
    "score in words": ("0.5", Fit("3 dogs"), "words cannot answer 'fit:3 dogs'"),
}


def test_words_that_do_not_answer_are_discarded_with_a_reason(case: Case) -> None:
    for name, (text, question, reason) in NO_ANSWER.items():
        with case(name):
            value = interpret(Words(text), question, parse_rule("strict"))
            assert isinstance(value, Discarded)
            assert reason in value.reason
            assert 0 < len(value.reason) < 200


PETS = Choose(
    (
        "An image with no cats and with no dogs.",
        "Two cats.",
        "Two cats and a dog.",
        "An image with some cats and some dogs. There are more cats than dogs.",
    )
)


LETTERS = [
    ("b", 1),
    ("B", 1),
    ("A", 0),
    (" d\n", 3),
    ("(b)", 1),
    ("[B]", 1),
    ("b)", 1),
    ("b.", 1),
    ("(b).", 1),
    ("**B**", 1),
    ("**(b)**", 1),
    ("`b`", 1),
    ('"b"', 1),
    ("b) Two cats.", 1),
    ("(b) two cats", 1),
    ("B. Two cats", 1),
    ("B: Two cats", 1),
    ("b - Two cats", 1),
    ("**b) Two cats.**", 1),
    ("**b** Two cats", 1),
    ("c) Two cats and a dog.", 2),
    ("(c) Two cats and a dog, as I see it", 2),
    ("a) An image with no cats and with no dogs.", 0),
    ("d) There are more cats than dogs.", 3),
    ("(d) I see a row of cats, and 1 dog.", 3),
    ("b\n\nI can see a pair of cats in the picture.", 1),
    ("Answer: b", 1),
    ("**Answer:** (b)", 1),
    ("The answer is (b).", 1),
    ("The best line is B.", 1),
    ("Option b", 1),
    ("Line (d) describes the image the best.", 3),
    ("two cats", 1),
    ("TWO CATS.", 1),
    ("**Two cats.**", 1),
    ("“Two cats and a dog”", 2),
    ("An image with no cats\nand with no dogs", 0),
    ("(a) no dogs", 0),
    ("(d) more cats than dogs", 3),
    ("b. Because I see 2 cats.", 1),
    ("(b) Two cats. It's no dog.", 1),
]


def test_a_line_is_read_by_its_letter_or_its_words(case: Case) -> None:
    for text, expected in LETTERS:
        with case(text):
            assert interpret(Words(text), PETS, parse_rule("strict")) == Known(expected)


NO_CHOICE = [
    "a cat",
    "A cat.",
    "A cat and a dog",
    "I see a cat",
    "a* search",
    "'a cat'",
    "A's",
    "e",
    "(z)",
    "I",
    "bb",
    "b2",
    "1)",
    "4",
    "b or c",
    "a, b",
    "(b) or (c)",
    "b) or c",
    "(b), (c)",
    "A. B. C. D.",
    "(b)\n(c)",
    "(a) is wrong, the cats are two",
    "(a) isn't right",
    "(a) doesn't fit",
    "Not (b)",
    "None of them: neither (a) nor (b)",
    "b) Two cats and a dog.",
    "c) Two cats.",
    "(a) Two cats",
    "0",
    "1",
    "2.",
    "(1)",
    "Answer: 1",
    "(a) wrong",
    "a: wrong",
    "(a) no",
    "a: no",
    "c: no",
    "b: maybe",
    "(b) too few",
    "b. c could also be",
    "b\nc could also be",
    "b) Two cats. Or c",
    "(b) Two cats: no",
    "(b) Two cats is wrong",
    "(b) Two catsuits",
    "a: no\nb: yes",
    "Answer: a cat",
    "The answer is a dog",
    "both",
    "(",
    "**",
    "",
    "*" * 100_000,
    "(b) " + "c) " * 30_000,
]


def test_a_letter_in_prose_or_one_of_several_is_no_choice(case: Case) -> None:
    for text in NO_CHOICE:
        with case(text[:30]):
            assert isinstance(interpret(Words(text), PETS, parse_rule("strict")), Discarded)


def test_of_lines_that_differ_in_case_only_the_exact_one_is_read() -> None:
    lines = Choose(("Dogs", "dogs", "b"))
    values = [interpret(Words(text), lines, parse_rule("strict")) for text in ("dogs", "DOGS", "b", "a")]
    assert values[0] == Known(1)
    assert isinstance(values[1], Discarded)
    assert values[2:] == [Known(2), Known(0)]


COUNTED: dict[str, tuple[Question, str, int]] = {
    "all": (DOGS, "boxes", 3),
    "lowest": (DOGS, "boxes>=0.1", 3),
    "on the threshold": (DOGS, "boxes>=0.4", 2),
    "above it": (DOGS, "boxes>=0.41", 1),
    "certain": (DOGS, "boxes>=1", 0),
    "colour": (Count("dog", "red"), "boxes", 2),
    "colour, sure": (Count("dog", "red"), "boxes>=.5", 1),
    "other": (Count("cat"), "boxes", 1),
    "none": (Count("cow"), "boxes", 0),
}


def test_boxes_are_counted_by_label_colour_and_score(case: Case) -> None:
    for name, (question, rule, expected) in COUNTED.items():
        with case(name):
            assert interpret(FOUND, question, parse_rule(rule)) == Known(expected)


def cats_and_dogs() -> Boxes:
    """Two cats in the middle, dogs all around, one between the cats; sizes differ, so that edges overlap."""
    return Boxes(
        (
            Box("cat", 0.9, (40.0, 40.0, 60.0, 60.0), "black"),
            Box("cat", 0.3, (70.0, 20.0, 90.0, 40.0), "red"),
            Box("dog", 0.9, (10.0, 45.0, 60.0, 55.0), "red"),
            Box("dog", 0.9, (60.0, 46.0, 70.0, 56.0), "blue"),
            Box("dog", 0.9, (95.0, 0.0, 105.0, 10.0), "red"),
            Box("dog", 0.2, (0.0, 90.0, 10.0, 100.0), "red"),
        )
    )


PLACED: dict[str, tuple[Question, str, int]] = {
    "left of both": (Count("dog", place=Place("left of", "cat")), "boxes", 2),
    "right of both": (Count("dog", place=Place("right of", "cat")), "boxes", 1),
    "above both": (Count("dog", place=Place("above", "cat")), "boxes", 1),
    "below both": (Count("dog", place=Place("below", "cat")), "boxes", 2),
    "by colour": (Count("dog", "blue", Place("below", "cat")), "boxes", 1),
    "surely there": (Count("dog", place=Place("left of", "cat")), "boxes>=0.3", 1),
    "of a landmark surely there": (Count("dog", place=Place("right of", "cat")), "boxes>=0.5", 2),
    "the other way round": (Count("cat", place=Place("above", "dog")), "boxes", 0),
    "without a landmark": (Count("dog", place=Place("left of", "cow")), "boxes", 0),
    "without the thing": (Count("cow", place=Place("left of", "dog")), "boxes", 0),
    "of its like": (Count("cat", place=Place("left of", "cat")), "boxes", 0),
}


def test_a_thing_stands_where_its_centre_is_on_one_side_of_all_landmarks(case: Case) -> None:
    for name, (question, rule, expected) in PLACED.items():
        with case(name):
            assert interpret(cats_and_dogs(), question, parse_rule(rule)) == Known(expected)


def test_a_measured_score_is_its_own_value() -> None:
    assert interpret(Measured(0.31), Fit("3 dogs"), parse_rule("strict")) == Known(0.31)


WRONG_KIND: list[tuple[Evidence, Question]] = [
    (FOUND, PRESENT),
    (FOUND, LINES),
    (FOUND, MatchesPrompt()),
    (FOUND, Name()),
    (FOUND, Transcribe()),
    (FOUND, Fit("3 dogs")),
    (Measured(0.5), DOGS),
    (Measured(0.5), PRESENT),
    (Measured(0.5), LINES),
    (Measured(0.5), MatchesPrompt()),
    (Measured(0.5), Name()),
    (Measured(0.5), Transcribe()),
]


def test_evidence_of_the_wrong_kind_is_discarded_by_name(case: Case) -> None:
    for evidence, question in WRONG_KIND:
        with case(f"{evidence.kind} for {question.id}"):
            value = interpret(evidence, question, parse_rule("boxes"))
            assert value == Discarded(f"{evidence.kind} cannot answer {question.id!r}")


@pytest.mark.parametrize(
    ("evidence", "rule", "message"),
    [
        (Words("3"), "boxes", "rule 'boxes' cannot read words; for these: final, geckonum, strict, total"),
        (FOUND, "strict", "rule 'strict' cannot read boxes; for these: boxes"),
    ],
    ids=["words", "boxes"],
)
def test_a_rule_for_other_evidence_is_an_error_that_names_the_right_ones(
    evidence: Evidence, rule: str, message: str
) -> None:
    with pytest.raises(BadValueError) as caught:
        interpret(evidence, DOGS, parse_rule(rule))
    assert str(caught.value) == message


RULES = [
    ("strict", Rule("strict"), "strict@2"),
    ("total@2", Rule("total"), "total@2"),
    ("geckonum", Rule("geckonum"), "geckonum@2"),
    ("boxes", Rule("boxes"), "boxes@1"),
    ("boxes>=0", Rule("boxes", 0.0), "boxes@1"),
    ("boxes>=0.40", Rule("boxes", 0.4), "boxes@1>=0.4,iou=1"),
    ("boxes>=0.0001", Rule("boxes", 0.0001), "boxes@1>=0.0001,iou=1"),
    ("boxes>=0.9999", Rule("boxes", 0.9999), "boxes@1>=0.9999,iou=1"),
    ("boxes>=1.0", Rule("boxes", 1.0), "boxes@1>=1,iou=1"),
    ("boxes>=0.4,iou=1", Rule("boxes", 0.4, 1.0), "boxes@1>=0.4,iou=1"),
    ("boxes,iou=0.5", Rule("boxes", None, 0.5), "boxes@1>=0,iou=0.5"),
    ("boxes,iou=0", Rule("boxes", None, 0.0), "boxes@1>=0,iou=0"),
    ("boxes@1", Rule("boxes", 0.0, 1.0), "boxes@1"),
    ("boxes@1>=.4", Rule("boxes", 0.4, 1.0), "boxes@1>=0.4,iou=1"),
    ("boxes@1>=0.4,iou=0.95", Rule("boxes", 0.4, 0.95), "boxes@1>=0.4,iou=0.95"),
]


def test_a_rule_is_stored_with_its_version_and_read_back(case: Case) -> None:
    for text, rule, stored in RULES:
        with case(text):
            assert parse_rule(text) == rule
            assert str(rule) == stored
            assert str(parse_rule(stored)) == stored
            whole = parse_rule(stored)
            assert parse_rule(str(whole)) == whole


def test_a_rule_that_is_copied_without_its_version_means_the_same() -> None:
    printed = str(Rule("boxes", 0.29, 1.0))
    assert printed == "boxes@1>=0.29,iou=1"
    copied = parse_rule(printed.replace("@1", ""))
    assert copied.over_stored("boxes@1>=0.5,iou=0.9") == Rule("boxes", 0.29, 1.0)
    assert parse_rule("boxes@1>=0.29") == Rule("boxes", 0.29, 1.0)  # as it was once written


LEFT_OPEN = [
    ("boxes>=0.3", "boxes@1>=0.4,iou=0.5", "boxes@1>=0.3,iou=0.5"),
    ("boxes,iou=0.9", "boxes@1>=0.4,iou=0.5", "boxes@1>=0.4,iou=0.9"),
    ("boxes", "boxes@1>=0.4,iou=0.5", "boxes@1>=0.4,iou=0.5"),
    ("boxes>=0,iou=1", "boxes@1>=0.4,iou=0.5", "boxes@1"),
    ("boxes@1>=0.3", "boxes@1>=0.4,iou=0.5", "boxes@1>=0.3,iou=1"),
    ("boxes>=0.3", "boxes@1>=0.4", "boxes@1>=0.3,iou=1"),
    ("boxes>=0.3", "boxes@9>=0.4,iou=0.5", "boxes@1>=0.3,iou=1"),
    ("boxes>=0.3", "strict@2", "boxes@1>=0.3,iou=1"),
    ("total", "strict@1", "total@2"),
]


def test_what_a_rule_leaves_open_is_as_it_was_stored(case: Case) -> None:
    for rule, stored, read_by in LEFT_OPEN:
        with case(f"{rule} over {stored}"):
            assert str(parse_rule(rule).over_stored(stored)) == read_by


UNKNOWN = [
    "",
    "lenient",
    "strict@3",
    "strict@0",
    "strict@1.0",
    "Strict",
    "@1",
    ">=0.4",
    "boxes>0.4",
]


def test_an_unknown_rule_or_version_lists_the_known_ones(case: Case) -> None:
    for text in UNKNOWN:
        with (
            case(text),
            pytest.raises(
                UnknownNameError, match=r"no rule named .*; known: boxes, compared, final, geckonum, strict, total"
            ),
        ):
            parse_rule(text)


BAD_THRESHOLDS = [
    "strict>=0.4",
    "strict,iou=0.5",
    "boxes,iou=",
    "boxes>=0.4,iou=2",
    "boxes>=",
    "boxes>=1.5",
    "boxes>=1.0001",
    "boxes>=-0.1",
    "boxes>=nan",
    "boxes>=40%",
]


def test_a_bad_threshold_is_refused_with_a_right_one(case: Case) -> None:
    for text in BAD_THRESHOLDS:
        with (
            case(text),
            pytest.raises(
                BadValueError, match=r"only boxes takes a lowest score .*, numbers from 0 to 1.*boxes>=0\.4,iou=0\.95"
            ),
        ):
            parse_rule(text)


@pytest.mark.parametrize("name", ["strict", "total", "geckonum"])
def test_an_earlier_version_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(BadValueError) as caught:
        parse_rule(f"{name}@1")
    assert str(caught.value) == (
        f"rule '{name}@1': version 1 of {name} is no more; write {name}@2 to read the evidence anew, or no rule for "
        "the values as they were stored"
    )


def test_of_boxes_that_overlap_too_much_only_the_best_counts() -> None:
    twice = Boxes((*FOUND.boxes, Box("dog", 0.7, (0.0, 0.0, 9.0, 8.0)), Box("cat", 0.6, (0.0, 0.0, 9.0, 9.0))))
    assert interpret(twice, DOGS, parse_rule("boxes>=0.4")) == Known(3)
    assert interpret(twice, DOGS, parse_rule("boxes>=0.4,iou=0.9")) == Known(3)
    assert interpret(twice, DOGS, parse_rule("boxes>=0.4,iou=0.5")) == Known(2)
    assert interpret(twice, DOGS, parse_rule("boxes,iou=0.5")) == Known(3)
    assert interpret(twice, Count("cat"), parse_rule("boxes,iou=0.5")) == Known(2)


STATEMENTS = [
    ("there are some dogs", "boxes", True),
    ("there are some dogs", "boxes>=0.95", False),
    ("there are no dogs", "boxes", False),
    ("there are no birds", "boxes", True),
    ("there are 3 dogs", "boxes", True),
    ("there are three dogs", "boxes", True),
    ("there are 3 dogs", "boxes>=0.2", False),
    ("there is 1 cat.", "boxes", True),
    ("there are no loaves of bread", "boxes", True),
]


def test_boxes_tell_whether_so_many_are_there(case: Case) -> None:
    for statement, rule, is_so in STATEMENTS:
        with case(f"{statement} by {rule}"):
            assert interpret(FOUND, Confirm(statement, is_informed=False), parse_rule(rule)) == Known(is_so)


SAYS_MORE = [
    "there are some dogs on a shelf",
    "there is half of a pizza",
    "there are two thirds of a pizza",
    "there is 1 fork in 2 pieces",
    "this is an image",
    "there are no whole forks",
    "there are two cats and three dogs",
    "there are 2 cats or dogs",
    "there are some cats but no dogs",
    "there is no dog and no cat",
    "there are some cats some dogs",
    "there are 3 cats near a dog",
    "there are four dogs facing two cats",
    "there are four dogs facing cats",
    "there are some dogs chasing cats",
    "there are two cats that sleep",
    "there are 2 dogs next to cats",
    "there are 2 dogs behind the cat",
    "there are two hundred cats",
    "there is 1 dozen eggs",
]


def test_boxes_do_not_tell_what_says_more(case: Case) -> None:
    for statement in SAYS_MORE:
        with case(statement):
            assert isinstance(interpret(FOUND, Confirm(statement, is_informed=False), parse_rule("boxes")), Discarded)


@pytest.mark.parametrize(
    ("statement", "noun"),
    [
        ("there are 2 loaves of bread", "loaf of bread"),
        ("there are some hot dogs", "hot dog"),
        ("there are no potted plants", "potted plant"),
        ("there are 3 sports balls", "sports ball"),
        ("there are twenty-one teddy bears", "teddy bear"),
        ("there are 2 swimming pools", "swimming pool"),
        ("there is 1 stop sign", "stop sign"),
    ],
)
def test_a_thing_may_have_a_name_of_several_words(statement: str, noun: str) -> None:
    stated = read_statement(statement)
    assert stated is not None
    assert stated.noun == noun


@pytest.mark.parametrize(
    ("statement", "scores", "is_so"),
    [
        ("there are some dogs", {"dog": 0.3, "cat": 0.2}, True),
        ("there are some dogs", {"dog": 0.2, "cat": 0.2}, False),
        ("there are no dogs", {"dog": 0.2, "cat": 0.2}, True),
        ("there are no dogs", {"dog": 0.3, "cat": 0.2}, False),
    ],
)
def test_a_thing_is_there_if_its_name_fits_better_than_all_others(
    statement: str, scores: dict[str, float], is_so: bool
) -> None:
    assert interpret(Compared(scores), Confirm(statement, is_informed=False), parse_rule("compared")) == Known(is_so)


def test_values_of_an_earlier_version_stay_as_they_were_stored_and_say_their_version(tmp_path: Path) -> None:
    item = replace(naming_item(), asks=(Ask(PRESENT, "Is there a dog?", (True,)),))
    said = Reading(Subject((trial(item).id,)), PRESENT, "human", Words("1 dog"), "strict@1", Known(True))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        run.add_judge(Spec("human", {}, "human"), is_stand_in=False)
        with run.lease("model") as lease:
            run.add_responses(lease, [response(trial(item), Said("1 dog"))])
        with run.lease("judge human") as lease:
            run.add_readings(lease, [said])
    figures = {
        rule: {row["measure"]: row["value"] for row in call("score", tmp_path / "run", "--json", *rule).json()}
        for rule in ((), ("--rule", "strict"))
    }
    assert figures[()]["accuracy"] == 1.0
    assert figures["--rule", "strict"]["discarded"] == 1.0
    assert "(strict@1)" in call("show", tmp_path / "run", item.id).out
    refused = call("score", tmp_path / "run", "--rule", "strict@1")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "version 1 of strict is no more; write strict@2" in refused.err


def test_every_rule_has_a_version_and_can_be_named() -> None:
    assert [parse_rule(name).name for name in rule_versions()] == list(rule_versions())


def _values(*values: Scalar | None) -> list[Value]:
    return [Discarded("vague") if value is None else Known(value) for value in values]


VOTES: dict[str, tuple[tuple[Scalar | None, ...], str, Scalar]] = {
    "plurality": ((3, 4, 4), "plurality", 4),
    "less than half": ((3, 4, 4, 5, 6), "plurality", 4),
    "unrounded": ((3.5, 3.5, 3), "plurality", 3.5),
    "discarded have no vote": ((None, 3, None), "plurality", 3),
    "a line": (("a dog", "a cat", "a dog"), "plurality", "a dog"),
    "tie: first": ((3, 4), "first", 3),
    "tie: first seen": ((4, 3, 3, 4), "first", 4),
    "first, by its earlier name": ((4, 3, 3, 4), "mode", 4),
    "median": ((9, 3, 4), "median", 4),
    "between two": ((3, 4, 9, 1), "median", 3.5),
    "between two, whole": ((3, 5), "median", 4),
    "twice the same": ((2.5, 2.5), "median", 2.5),
    "larger than any float": ((10**400, 10**400 + 1), "median", 10**400),
    "median of yes and no": ((True, False, True), "median", True),
    "median of texts": (("a dog", "a dog", "a cat"), "median", "a dog"),
    "majority": ((True, False, True), "majority", True),
    "three of five": ((3, 3, 3, 4, 5), "majority", 3),
    "majority of the votes": ((3, 3, 4, None, None), "majority", 3),
    "2.5 to 2": ((2.5, 2.5, 3), "geckonum", 2),
    "3.5 to 4": ((3.5,), "geckonum", 4),
    "0.5 to 0": ((0.5, 1), "geckonum", 0),
    "mode before rounding": ((2.5, 3, 3), "geckonum", 3),
    "tie before rounding": ((2.5, 3.5, 3), "geckonum", 2),
    "yes or no": ((True, False, False), "geckonum", False),
    "text": (("a dog",), "geckonum", "a dog"),
}


def test_several_values_come_to_one(case: Case) -> None:
    for name, (values, rule, expected) in VOTES.items():
        with case(name):
            label = consensus(_values(*values), rule)
            assert label == Known(expected)
            assert isinstance(label, Known)
            assert type(label.value) is type(expected)


@pytest.mark.parametrize(
    ("values", "reason"),
    [((True, False), "no majority among 2 votes"), ((3, 3, 4, 5), "no majority among 4 votes")],
    ids=["tie", "only half"],
)
def test_without_a_majority_there_is_no_label(values: tuple[Scalar, ...], reason: str) -> None:
    assert consensus(_values(*values), "majority") == Discarded(reason)


@pytest.mark.parametrize("rule", consensus_rules())
def test_without_a_vote_there_is_no_label_and_the_first_reason_stands(rule: str) -> None:
    assert consensus([Discarded("vague"), Discarded("a range")], rule) == Discarded("vague")
    assert consensus([], rule) == Discarded("no reading")


@pytest.mark.parametrize("rule", ["first", "mode", "majority"])
def test_a_tie_of_yes_and_no_has_no_value_in_any_order(rule: str) -> None:
    assert consensus(_values(True, False), rule) == Discarded("no majority among 2 votes")
    assert consensus(_values(False, True), rule) == Discarded("no majority among 2 votes")
    assert consensus(_values(False, True, True), rule) == Known(True)


TIES: dict[str, tuple[tuple[Scalar | None, ...], str]] = {
    "counts": ((3, 4), "plurality"),
    "two of three values": ((4, 3, 3, 4, 5), "plurality"),
    "yes and no": ((True, False), "plurality"),
    "one has no vote": ((3, None, 4), "plurality"),
    "texts": (("a dog", "a cat"), "median"),
    "yes and no have no middle": ((True, False), "median"),
}


def test_a_tie_has_no_value_whatever_the_order(case: Case) -> None:
    for name, (values, rule) in TIES.items():
        for order in (values, values[::-1]):
            with case(name):
                found = consensus(_values(*order), rule)
                assert found == Discarded(f"a tie among {sum(value is not None for value in values)} votes")
                assert is_tie(found)
    assert not is_tie(Discarded("vague"))


@pytest.mark.parametrize(
    ("text", "value"),
    [(" Right ", True), ("✓", True), ("1", True), ("wrong", False), ("FAILURE", False), ("n", False)],
)
def test_a_vote_is_read_by_its_own_words(text: str, value: bool) -> None:
    assert interpret(Words(text), MatchesPrompt(), parse_rule("votes")) == Known(value)


def test_what_is_no_vote_is_discarded() -> None:
    assert interpret(Words("maybe"), MatchesPrompt(), parse_rule("votes@1")) == Discarded("no vote: 'maybe'")


@pytest.mark.parametrize("values", [(), (None,), (3,)], ids=["nothing", "discarded", "a vote"])
def test_an_unknown_consensus_rule_lists_the_known_ones(values: tuple[Scalar | None, ...]) -> None:
    known = "adjudicated, first, geckonum, majority, "
    with pytest.raises(UnknownNameError, match=f"no consensus rule named 'mean'; known: {known}"):
        consensus(_values(*values), "mean")
