"""The paper's released data, answers.csv: what people said of each image; and the same as a run."""

from collections.abc import Sequence
from pathlib import Path

from subitize.analysis.papers import Release
from subitize.errors import BadFileError
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule, interpret
from subitize.records import Drawn, Elsewhere, Item, Provenance, Reading, Response, Spec, Subject, Trial, Words
from subitize.registry import make_suite

JUDGE = "pets-annotators"
_COLUMNS = "model, animal, number, image, answer"


def read(folder: Path) -> Release:
    """Read the answers, each about the next repeat of its item."""
    suite = make_suite("pets")
    items = {item.id: item for item in suite.obj.items(0)}
    responses: list[Response] = []
    readings: list[Reading] = []
    for line in read_lines(folder / "answers.csv", [[name] for name in _COLUMNS.split(", ")], _COLUMNS):
        item = items.get(f"pets/{line.get('animal')}/{line.get('number')}")
        if item is None:
            raise line.error(f"no item of pets asks for {line.get('number')} of {line.get('animal')!r}")
        responses.append(_respond(line, item, responses))
        readings.append(_read(line, item, responses[-1]))
    if not readings:
        raise BadFileError(f"{folder / 'answers.csv'} has no answers")
    models = [Spec(model, {}, model) for model in dict.fromkeys(one.trial.model for one in responses)]
    of_suite = (suite.spec, suite.obj.design(), list(items.values()))
    return Release(*of_suite, models, JUDGE, responses, readings, ("the data is made up; please cite Doe (2026)",))


def _respond(line: CsvRow, item: Item, before: Sequence[Response]) -> Response:
    model = line.get("model")
    repeat = sum((one.trial.item_id, one.trial.model) == (item.id, model) for one in before)
    return Response(Trial(item.id, model, {}, repeat), Drawn(Elsewhere(line.get("image"))), Provenance(0, ""))


def _read(line: CsvRow, item: Item, response: Response) -> Reading:
    question, words, rule = item.asks[0].question, Words(line.get("answer")), Rule("pets")
    value = interpret(words, question, rule)
    return Reading(Subject((response.trial.id,)), question, JUDGE, words, str(rule), value, "ann")
