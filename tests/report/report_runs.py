"""Small runs to report on: naming with every kind of outcome, drawn and refined ones, and a suite without numbers."""

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from subitize.interfaces import NoEvents
from subitize.records import (
    Answer,
    Ask,
    Box,
    Boxes,
    Confirm,
    Count,
    Design,
    Discarded,
    Draw,
    Drawn,
    Evidence,
    Failed,
    Item,
    Known,
    MatchesPrompt,
    Outcome,
    Provenance,
    Reading,
    Refused,
    Response,
    Said,
    Scalar,
    Spec,
    Stimulus,
    Stored,
    Subject,
    Trial,
    Value,
    Words,
)
from subitize.registry import make_suite
from subitize.report.compose import build_report
from subitize.report.document import Outputs, write_report
from subitize.report.series import read_sources
from subitize.report.table import Document, Figure, Section
from subitize.report.writers import to_html
from subitize.store import Folder, Run

HOSTILE = "<script>alert('model')</script>"
FORMULA = "=cmd|' /C calc'!A0"
VAGUE = "<img src=x onerror=alert('answer')> a few"
STRANGE = 'strange" onload="alert(1)'
NUMBERS = range(1, 7)
PAID = Provenance(1, "p", "better p", tokens_in=300, tokens_out=4, price_usd=0.002)
Answers = Callable[[Item, int], tuple[Outcome, Value | None]]


@dataclass(frozen=True)
class Written:
    """A report and its files."""

    page: Path
    figures: Path
    tables: Path

    @property
    def html(self) -> str:
        return self.page.read_text(encoding="utf-8")


def naming_items() -> list[Item]:
    items = []
    for index in range(3):
        for number in NUMBERS:
            for category, noun in (("apples", "apple"), ("dots", "dot")):
                question = f"How many {category} are there in the picture?"
                task = Answer(Stimulus(category, number, seed=index, size_px=256), question)
                key = f"naming/{category}/{number}/{index}/category"
                factors: dict[str, Scalar] = {"category": category, "number": number, "wording": "category"}
                items.append(Item(key, task, (Ask(Count(noun), question, (number,)),), factors))
    return items


def exact(item: Item, place: int) -> tuple[Outcome, Value | None]:
    number = int(item.factors["number"])
    return Said(f"There are {number}."), Known(number)


def varied(item: Item, place: int) -> tuple[Outcome, Value | None]:
    """Every kind of outcome, and errors on both sides."""
    number = int(item.factors["number"])
    match place % 9:
        case 3:
            return Refused("not my thing"), None
        case 5:
            return Said(VAGUE), Discarded("a vague quantity")
        case 7:
            return Failed("HTTP 500 <b>", False), None
    said = max(1, number + (0, 1, -1, 2)[place % 4])
    return Said(f"{said}"), Known(said)


def fill(
    run: Run,
    items: Sequence[Item],
    model: Spec,
    answers: Answers,
    *,
    is_stand_in: bool = False,
    parameter_count: int | None = None,
) -> None:
    run.add_model(model, is_stand_in=is_stand_in)
    responses, readings = [], []
    for place, item in enumerate(items):
        trial = Trial(item.id, model.text, model.options)
        outcome, value = answers(item, place)
        provenance = Provenance(
            seed=place,
            prompt_sent=item.asks[0].wording,
            parameters={"temperature": 0.25},
            revision="rev-7",
            weights_hash="feedbeef",
            parameter_count=parameter_count,
            versions={"some-library": "1.2.3"},
        )
        responses.append(Response(trial, outcome, provenance))
        if value is not None:
            evidence: Evidence = Words(outcome.text if isinstance(outcome, Said) else "")
            readings.append(Reading(Subject((trial.id,)), item.asks[0].question, "parser", evidence, "strict@1", value))
    with run.lease("test") as lease:
        run.add_responses(lease, responses)
        run.add_readings(lease, readings)


def new_run(folder: Path, suite: str, items: Sequence[Item]) -> Run:
    run = Run(Folder(folder), create=True)
    # What is drawn in production is asked for again where it shows nothing.
    options = {"max_attempts": "5"} if suite == "production" else {}
    run.add_suite(Spec(suite, options, suite), 11, items, Design(asks_again=suite == "production"))
    run.add_judge(Spec("parser", {"policy": "strict"}, "parser"), is_stand_in=False)
    return run


def named(folder: Path) -> Run:
    """A naming run: one exact stand-in, and models with hostile names and all kinds of outcome."""
    items = naming_items()
    run = new_run(folder, "naming", items)
    fill(run, items, Spec("exact", {"weber": "0.0"}, "exact"), exact, is_stand_in=True)
    fill(run, items, Spec(HOSTILE, {}, HOSTILE), varied)
    fill(run, items, Spec(FORMULA, {}, FORMULA), varied)
    run.exclude(items[0].id, "printed <i>badly</i>")
    return run


def drawn(folder: Path) -> Run:
    """A production run: drawn pictures, what they cost, and boxes around what a judge found in them."""
    items = [
        Item(
            f"production/apples/{number}",
            Draw(f"An image with {number} apples"),
            (Ask(Count("apple"), "How many apples are in the image?", (number,)),),
            {"category": "apples", "number": number},
        )
        for number in NUMBERS
    ]
    run = new_run(folder, "production", items)
    model = Spec("drawer", {}, "drawer")
    run.add_model(model, is_stand_in=False)
    run.add_judge(Spec("finder", {}, "finder"), is_stand_in=True)
    responses, readings = [], []
    for number, item in enumerate(items, start=1):
        file = io.BytesIO()
        Image.new("RGB", (300, 200), (20 * number, 90, 90)).save(file, "PNG")
        trial = Trial(item.id, "drawer", {})
        responses.append(Response(trial, Drawn(run.image_files.save(file.getvalue(), "png")), PAID))
        boxes = tuple(Box("apple", 0.9, (10.0 * n, 5.0, 10.0 * n + 8, 25.0)) for n in range(number))
        readings.append(Reading(Subject((trial.id,)), Count("apple"), "finder", Boxes(boxes), "boxes@1", Known(number)))
    with run.lease("test") as lease:
        run.add_responses(lease, responses)
        run.add_readings(lease, readings)
    return run


def unnumbered(folder: Path) -> Run:
    """A run of a suite with a hostile name that is not installed, without numbers or categories."""
    items = [
        Item(
            f"{STRANGE}/{kind}/{index}",
            Answer(Stimulus("apples", 2, seed=index, size_px=256), "Is there an apple?"),
            (Ask(Confirm("there is an apple", is_informed=True), "Is there an apple?", (True,)),),
            {"kind of prompt": kind},
        )
        for kind in ("plain", "odd")
        for index in range(4)
    ]
    run = new_run(folder, STRANGE, items)
    fill(run, items, Spec("sayer", {}, "sayer"), lambda _, place: (Said("yes"), Known(place % 4 != 1)))
    return run


def report(runs: Sequence[Run], folder: Path) -> Written:
    written = Written(folder / "report.html", folder / "figures", folder / "tables")
    write_report(runs, Outputs(written.page, written.figures, written.tables), NoEvents())
    return written


def composed(*runs: Run) -> Document:
    return build_report(read_sources(runs), NoEvents())


def page(*runs: Run) -> str:
    """The page of a report but for its charts, which take longer to draw than all the rest."""
    document = composed(*runs)
    return "".join(to_html(replace(document, sections=tuple(map(_without_charts, document.sections)))))


def check_charts(figures: Iterable[Figure]) -> None:
    """Check charts by the schema of Vega-Lite, once and whole: Chart.from_dict checks every part of each again."""
    import altair  # which takes long, and most tests of reports do without

    for figure in figures:
        altair.Root.validate(dict(figure.spec))


def _without_charts(section: Section) -> Section:
    blocks = tuple(block for block in section.blocks if not isinstance(block, Figure))
    return replace(section, blocks=blocks, sections=tuple(map(_without_charts, section.sections)))


PAINTERS = {"exact": 0, "low": 5, "shaky": 9}
"""Models that draw, and by how much they are off at most where more than 5 things are asked for."""


def refined(folder: Path, suite: str, *refinements: str, repeats: int = 4) -> Run:
    """A run of a suite that draws and of its refinements, in which a judge counted what models drew."""
    run = Run(Folder(folder), create=True)
    run.add_judge(Spec("finder", {}, "finder"), is_stand_in=False)
    items = []
    for text in (suite, *(_refine(suite, name) for name in refinements)):
        made = make_suite(text)
        own = list(made.obj.items(0))
        run.add_suite(made.spec, 0, own)
        items += own
    picture = _picture(run)
    for model, most in PAINTERS.items():
        run.add_model(Spec(model, {}, model), is_stand_in=False)
        responses, readings = [], []
        for place, item in enumerate(items):
            for repeat in range(repeats):
                trial = Trial(item.id, model, {}, repeat)
                responses.append(Response(trial, Drawn(picture), Provenance(repeat, "p")))
                number = int(item.factors["number"])
                seen = number - (place + repeat) % (most + 1) if number > 5 else number
                question = item.asks[0].question
                readings.append(Reading(Subject((trial.id,)), question, "finder", Words(""), "test@1", Known(seen)))
        with run.lease("test") as lease:
            run.add_responses(lease, responses)
            run.add_readings(lease, readings)
    return run


def voted(folder: Path, suite: str, *, annotators: int = 5) -> Run:
    """A run of which nobody counted anything: people voted on groups of four, one of them always yes."""
    made = make_suite(suite)
    items = list(made.obj.items(0))
    run = Run(Folder(folder), create=True)
    run.add_suite(made.spec, 0, items)
    run.add_judge(Spec("human", {}, "human"), is_stand_in=False)
    picture = _picture(run)
    for model, most in PAINTERS.items():
        run.add_model(Spec(model, {}, model), is_stand_in=False)
        responses, readings = [], []
        for place, item in enumerate(items):
            trials = [Trial(item.id, model, {}, repeat) for repeat in range(4)]
            responses += [Response(trial, Drawn(picture), Provenance(0, "p")) for trial in trials]
            group = Subject(tuple(trial.id for trial in trials))
            for one in range(annotators):
                is_right = one == 0 or place % (most + 2) < 2 + one % 2
                vote = Words("yes" if is_right else "no")
                name = f"annotator {one}"
                readings.append(
                    Reading(group, MatchesPrompt(), "human", vote, "strict@1", Known(is_right), annotator=name)
                )
        with run.lease("test") as lease:
            run.add_responses(lease, responses)
            run.add_readings(lease, readings)
    return run


def _refine(suite: str, refinement: str) -> str:
    name, separator, options = suite.partition(":")
    return f"{name}~{refinement}{separator}{options}"


def _picture(run: Run) -> Stored:
    file = io.BytesIO()
    Image.new("RGB", (64, 64), (20, 90, 90)).save(file, "PNG")
    return run.image_files.save(file.getvalue(), "png")
