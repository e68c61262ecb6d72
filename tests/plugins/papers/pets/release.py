"""The paper's released data, answers.csv: what people said of each image; and the same as a run."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadFileError
from subitize.io.files import CsvRow, read_lines
from subitize.labels import Rule, interpret
from subitize.records import Drawn, Elsewhere, Item, Provenance, Reading, Response, Spec, Subject, Trial, Words
from subitize.registry import make_suite
from subitize.store import Run

JUDGE = "pets-annotators"
_COLUMNS = "model, animal, number, image, answer"


@dataclass(frozen=True, slots=True)
class Release:
    """The images as responses known by name, and people's answers as readings."""

    items: Sequence[Item]
    responses: Sequence[Response]
    readings: Sequence[Reading]
    warnings: Sequence[str] = ("the data of Pets in Pairs is made up; please cite Doe (2026)",)

    def store(self, run: Run) -> str:
        """Add what the run has not, all or nothing."""
        suite = make_suite("pets")
        with run.lease(f"judge {JUDGE}") as lease:
            run.add_suite(suite.spec, 0, self.items)
            run.add_judge(Spec(JUDGE, {}, JUDGE), is_stand_in=False)
            for model in dict.fromkeys(one.trial.model for one in self.responses):
                run.add_model(Spec(model, {}, model), is_stand_in=False)
            known = {stored.trial_id for stored in run.responses()}
            responses = [one for one in self.responses if one.trial.id not in known]
            readings = [one for one in self.readings if one.subject.id not in known]
            added, read = run.add_judged(lease, responses, readings)
        return f"{added} images and {read} answers added"


def read_release(folder: Path) -> Release:
    """Read the answers, each about the next repeat of its item."""
    items = {item.id: item for item in make_suite("pets").obj.items(0)}
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
    return Release(list(items.values()), responses, readings)


def _respond(line: CsvRow, item: Item, before: Sequence[Response]) -> Response:
    model = line.get("model")
    repeat = sum((one.trial.item_id, one.trial.model) == (item.id, model) for one in before)
    return Response(Trial(item.id, model, {}, repeat), Drawn(Elsewhere(line.get("image"))), Provenance(0, ""))


def _read(line: CsvRow, item: Item, response: Response) -> Reading:
    question, words, rule = item.asks[0].question, Words(line.get("answer")), Rule("pets")
    value = interpret(words, question, rule)
    return Reading(Subject((response.trial.id,)), question, JUDGE, words, str(rule), value, "ann")
