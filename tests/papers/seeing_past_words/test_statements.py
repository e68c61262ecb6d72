"""From questions to statements: as the paper's templates write them, and in English."""

import csv
import json
from pathlib import Path

import pytest

from subitize.errors import BadValueError, SubitizeError
from subitize.papers.seeing_past_words import statement
from subitize.papers.seeing_past_words.statements import mask
from tests.cases import Case

FAITHFUL = [
    ("How many black cats are there in the picture?", 3, "There are 3 black cats in the picture."),
    ("How many elephants can you see?", 2, "You see 2 elephants ."),
    ("How many people do you see by the tree?", 4, "There are 4 people by the tree."),
    ("How many glasses are on the table?", 5, "There are 5 glasses on the table."),
    ("How many surcoats can be found in the storage?", 3, "3 surcoats can be found in the storage."),
    ("How many headphones do the people have?", 2, "The people have 2 headphones."),
    ("How many holes does he have in his pants?", 2, "He has 2 holes in his pants."),
    ("How many bottles have blue caps?", 6, "6 bottles have blue caps."),
    ("How many have white shirt?", 2, "2  have white shirt."),
    ("How many cars in the picture?", 0, "There are 0 cars in the picture."),
    # Of one only the fourth word is put into the singular, whatever it is.
    ("How many yellow cars are there?", 1, "There is 1 yellow cars."),
    ("How many buses are there?", 1, "There is 1 buse."),
    ("How many tennis rackets can you see?", 1, "You see 1 tenni rackets ."),
    ("How many people are there?", 1, "There is 1 person."),
    ("How many rings does the man have?", 1, "The man has 1 rings."),
    ("How many men have hats?", 1, "1 men have hat."),
]


def test_the_papers_templates_are_kept_with_their_slips(case: Case) -> None:
    for question, number, expected in FAITHFUL:
        with case(question):
            assert statement(question, number) == statement(question, number, mode="faithful") == expected


def test_every_released_statement_and_foil_is_reproduced(shared_data: Path) -> None:
    compared = 0
    for path in sorted((shared_data / "counting-probe").glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8")).values():
            numbers = [entry["answer"], *entry["foils"]]
            expected = [entry["declarative_statement"], *entry["declarative_statement_foils"]]
            assert [statement(entry["caption"], number) for number in numbers] == expected
            compared += len(numbers)
    assert compared >= 19_530


def test_corrected_statements_are_grammatical(case: Case) -> None:
    with Path(__file__).with_name("questions.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 100
    for row in rows:
        with case(row["question"]):
            assert statement(row["question"], 1, mode="corrected") == row["one"]
            for number in (0, 3):
                expected = row["several"].replace("3", str(number), 1)
                assert statement(row["question"], number, mode="corrected") == expected


@pytest.mark.parametrize(
    ("question", "mode"),
    [
        ("How many dishes will he eat?", "faithful"),
        ("How many people is the dog chasing?", "faithful"),
        ("How much water is there?", "faithful"),
        ("Where are the 3 dogs?", "corrected"),
        ("How many colors are the oxen?", "corrected"),
        ("How many dishes did he make?", "corrected"),
        ("How many more dogs than cats are there?", "corrected"),
    ],
)
def test_where_no_template_fits_there_is_no_statement(question: str, mode: str) -> None:
    assert statement(question, 2, mode) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [-1, 10**9 + 1, 2.5, True, "2"])
def test_what_nobody_counted_is_refused(number: int) -> None:
    with pytest.raises(BadValueError, match="should be a whole number from 0 to 1000000000"):
        statement("How many dogs?", number)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(SubitizeError, match="no mode named 'loose'; known: corrected, faithful"):
        statement("How many dogs?", 2, "loose")  # type: ignore[arg-type]


def test_a_neutral_gap_tells_nothing_of_the_answer_and_a_faithful_one_does() -> None:
    question = "How many cars are there?"
    assert {mask(question, answer, "corrected").neutral for answer in range(5)} == {"There are [GAP] cars."}
    assert mask(question, 1, "corrected").faithful == "There is [GAP] car."
    assert mask(question, 1, "faithful").faithful == "There is [GAP] car."
    assert mask(question, 4, "faithful") == ("There are [GAP] cars.", "There are [GAP] cars.")
