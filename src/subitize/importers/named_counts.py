"""Counts that people wrote into the names of image files, as readings of a run (Numbersense releases them so)."""

from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.labels import Rule, interpret
from subitize.records import Count, Drawn, Item, Question, Reading, Response, Spec, Subject, Words
from subitize.store import Run

JUDGE = "human"
ANNOTATOR = "file names"
RULE = Rule("strict")


def import_named_counts(run: Run, model: str) -> int:
    """Add what the names of a folder's images say to be in them, all or nothing; tell how many readings are new."""
    names = run.model_names()
    if model not in names:
        raise UnknownNameError("model", model, names.values())
    with run.lease(f"judge {JUDGE}") as lease:
        items = {item.id: item for item in run.items()}
        read = [read_named_count(stored.response, items[stored.item_id]) for stored in run.responses(model)]
        readings = [reading for reading in read if reading is not None]
        if not readings:
            raise NothingToDoError(
                f"no image of {model!r} has a count in its name; "
                "a layout that has: 3_4_apples_17.png shows 4 where 3 were asked for"
            )
        run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
        said = {
            (stored.reading.subject.id, stored.reading.question.id)
            for stored in run.readings(JUDGE)
            if stored.reading.annotator == ANNOTATOR
        }
        new = [reading for reading in readings if (reading.subject.id, reading.question.id) not in said]
        run.add_readings(lease, new)
    return len(new)


def read_named_count(response: Response, item: Item) -> Reading | None:
    """Read the count in the name of the image that an item was answered with, if there is one.

    A file that could not be read has none, as nothing shows it.
    """
    text = response.provenance.parameters.get("count_in_name")
    if text is None or not isinstance(response.outcome, Drawn):
        return None
    question, words = _question(item), Words(str(text))
    value = interpret(words, question, RULE)
    return Reading(Subject((response.trial.id,)), question, JUDGE, words, str(RULE), value, ANNOTATOR)


def _question(item: Item) -> Question:
    """Find what a count in a name answers: the one question of how many there are."""
    counts = [ask.question for ask in item.asks if isinstance(ask.question, Count) and ask.group == 1]
    if len(counts) != 1:
        raise BadValueError(
            f"{item.id!r} asks for {len(counts)} counts, and a file name has one; "
            "import such answers with: subitize import readings"
        )
    return counts[0]
