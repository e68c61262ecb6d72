"""What questions ask to be counted, as people write them."""

from subitize.language.counted import find_counted, is_count, make_count, read_counted
from subitize.records import Count
from tests.cases import Case

PLAIN = {
    "How many apples?": "apples",
    "how many apples": "apples",
    "How many sheep?": "sheep",
    "How many red apples?": "red apples",
    "How many traffic lights?": "traffic lights",
    "How many apples are there?": "apples",
    "How many apples in the picture?": "apples",
    "How many apples? Answer with a number.": "apples",
    "Count the apples.": "apples",
    "Please count all of the red apples in this image.": "red apples",
    "Count the number of apples": "apples",
    "What is the total number of apples?": "apples",
}
OTHER = (
    "How many?",
    "How many are there?",
    "How many apples sit on the table?",
    "How many apples on the table?",
    "How many apples and pears?",
    "How many apples, and how many pears?",
    "How many apples? Only the red ones.",
    "How many pairs of shoes?",
    "How many sheep graze?",
    "Count the apples that are red.",
    "Do not count the apples.",
    "Count to three.",
    "Count them.",
    "Counting apples is fun.",
    "What is in the picture?",
)
FOUND = {
    "How many dogs wear hats?": "dogs",
    "How many of the yellow cars have a roof?": "yellow cars",
    "How many sheep graze here?": None,
    "Count the dogs that wear hats.": "dogs",
    "Is the number of dogs even?": None,
    "What is the dog's name?": None,
}


def test_plain_questions_for_a_number_are_read(case: Case) -> None:
    for question, things in PLAIN.items():
        with case(question):
            asked = read_counted(question)
            assert asked
            assert (asked.things, find_counted(question), is_count(question)) == (things, things, True)


def test_what_asks_for_more_than_a_number_of_things_is_not_read_as_plain(case: Case) -> None:
    for question in OTHER:
        with case(question):
            assert read_counted(question) is None


def test_what_is_counted_is_found_in_longer_questions(case: Case) -> None:
    for question, things in FOUND.items():
        with case(question):
            assert find_counted(question) == things


def test_a_colour_before_a_thing_is_its_colour(case: Case) -> None:
    colours = ("red", "orange", "grey")
    for thing, count in {
        "red apples": Count("apple", "red"),
        "Gray whale": Count("whale", "grey"),
        "oranges": Count("orange"),
        "red stingrays": Count("stingray", "red"),
    }.items():
        with case(thing):
            assert make_count(thing, colours) == count
