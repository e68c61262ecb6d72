"""Picture grids as papers print them: models × prompts, each picture marked right or wrong as `score` counts it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from PIL import Image

from subitize.analysis.frame import ReadOptions, RunFrame, read_frame
from subitize.analysis.overview import find_item, read_names
from subitize.errors import BadValueError, NothingToDoError, UnknownNameError
from subitize.evaluate.sampling import order_items
from subitize.frame import NO_JUDGE, Frame, FrameRow
from subitize.interfaces import Events
from subitize.io.outputs import write_atomic
from subitize.records import FAILED, REFUSED, Ask, Choose, Count, Draw, Drawn, Elsewhere, Item, Picture, task_text
from subitize.report.gallery import describe_outcome, describe_target, describe_value
from subitize.report.pictures import shrink
from subitize.report.plate_svg import PlateGrid, PlateVerdict, Tile, draw
from subitize.report.scores import INFORMED, STAND_IN, TAKE_BACK
from subitize.store import Run, find_spec
from subitize.store.rows import look_up_failures, look_up_responses

USUAL_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class PlateOptions:
    """What a user wants on a plate; the rest is chosen.

    An item is named by its id or its prompt. Pictures are squares of this size. A transposed plate has prompts in rows.
    """

    suite: str | None = None
    items: Sequence[str] = ()
    models: Sequence[str] = ()
    columns: int | None = None
    repeat: int = 0
    seed: int = 0
    size_px: int = 240
    is_transposed: bool = False

    def __post_init__(self) -> None:
        if self.columns is not None and self.columns < 1:
            raise BadValueError(f"`columns` {self.columns}: should be at least 1")
        for option, given in (("`columns`", self.columns), ("`suite`", self.suite)):
            if given is not None and self.items:
                raise BadValueError(f"{option} {given}: it is for prompts chosen at random; leave it out, or `item`")
        if self.repeat < 0:
            raise BadValueError(f"`repeat` {self.repeat}: repeats are counted from 0")


@dataclass(frozen=True, slots=True)
class PlateCell:
    """One model's result on one item, from the trials shown."""

    verdict: PlateVerdict
    trials: tuple[str, ...]
    seen: tuple[FrameRow, ...]
    """What was read for each question, in order."""
    right: int
    """How many questions are answered right."""
    asks: tuple[Ask, ...]
    """The questions that count towards the score."""


@dataclass(frozen=True, slots=True)
class Plate:
    """The cells of some models and items, by model and item id, as one judge read them."""

    models: Sequence[str]
    items: Sequence[Item]
    judge: str
    repeat: int
    is_informed: bool
    cells: Mapping[tuple[str, str], PlateCell] = field(repr=False)

    @property
    def is_drawn(self) -> bool:
        """Whether the models drew the pictures, rather than being shown them."""
        return isinstance(self.items[0].task, Draw)


def write_plate(run: Run, reader: ReadOptions, choice: PlateOptions, path: Path, events: Events) -> Path:
    """Draw a plate into a .png or .svg file, whole or not at all."""
    plate = make_plate(run, reader, choice)
    grid = _lay_out(plate, run)
    load = _Loader(run, choice.size_px, events)
    tiles = [tile for row in (grid.above, *grid.rows) for tile in row]
    events.begin("pictures", sum(tile.box is not None and not isinstance(tile.box, str) for tile in tiles))
    pieces = draw(grid.transposed() if choice.is_transposed else grid, _notes(plate, run), choice.size_px, load)
    if path.suffix.lower() == ".svg":
        return write_atomic(path, (piece.encode() for piece in _shown(pieces, load)))
    import vl_convert

    return write_atomic(path, [vl_convert.svg_to_png("".join(_shown(pieces, load)))])


def make_plate(run: Run, reader: ReadOptions, choice: PlateOptions) -> Plate:
    """Choose models and items, and look up their results."""
    survey = read_frame(run, reader)
    observations = survey.observations.kept()
    named = [_find_item(survey, name) for name in dict.fromkeys(choice.items)]
    suites = list(dict.fromkeys(item.suite for item in named)) or [_choose_suite(observations, choice.suite)]
    own = observations.filter(pl.col("suite").is_in(suites))
    judge = _choose_judge(survey.run, own, suites)
    own = own.filter(pl.col("judge").is_in([judge, NO_JUDGE]))
    # If groups of images were voted on, single ones may not have been judged.
    single = own.filter(pl.col("group") == 1)
    own = single if len(single) else own
    models = _choose_models(survey, suites, choice.models)
    repeats = survey.responses["repeat"].unique().sort().to_list()
    if choice.repeat not in repeats:
        known = ", ".join(map(str, repeats[:20]))
        raise BadValueError(f"`repeat` {choice.repeat}: this run has the repeats {known}")
    at = pl.col("repeat") // pl.col("group") == choice.repeat // pl.col("group")
    own = own.filter(at, pl.col("model").is_in(models))
    items = named or _choose_items(own, models, choice)
    if len({isinstance(item.task, Draw) for item in items}) > 1:
        raise BadValueError("some of these items are drawn and others shown; a plate is of one kind, so leave some out")
    cells = {(model, item.id): _cell(survey, own, model, item, choice.repeat) for model in models for item in items}
    return Plate(models, items, judge, choice.repeat, bool(own.rows["is_informed"].any()), cells)


def _find_item(survey: RunFrame, name: str) -> Item:
    items = survey.whole.items
    by_words = (item for item in items.values() if task_text(item.task) == name)
    found = items.get(name) or next(by_words, None) or find_item(survey.run, name)
    reason = survey.run.exclusions().get(found.id)
    if reason is not None:
        remedy = f"take it back first: subitize show RUN --exclude {found.id} --reason WHY --undo"
        raise BadValueError(f"item {found.id!r} is excluded ({reason}); {remedy}")
    return found


def _choose_suite(observations: Frame, name: str | None) -> str:
    known = observations.rows["suite"].unique().sort().to_list()
    if not known:
        raise NothingToDoError(f"everything is excluded; {TAKE_BACK}")
    if name is not None and name not in known:
        raise UnknownNameError("suite with readings", name, known)
    if name is None and len(known) > 1:
        raise BadValueError(f"a plate shows one suite; name it with `suite`: {', '.join(known)}")
    return name or known[0]


def _choose_judge(run: Run, observations: Frame, suites: Sequence[str]) -> str:
    judges = [name for name in observations.rows["judge"].unique().sort() if name != NO_JUDGE]
    if len(judges) > 1:
        names = ", ".join(run.judge_names().get(name, name) for name in judges)
        raise BadValueError(f"{', '.join(suites)} was judged by {names}; name one with `judge`")
    return judges[0] if judges else NO_JUDGE


def _choose_models(survey: RunFrame, suites: Sequence[str], wanted: Sequence[str]) -> list[str]:
    suite = pl.col("item").str.extract("^([^/]*)")
    known = survey.responses.filter(suite.is_in(list(suites)))["model"].unique().sort().to_list()
    names = survey.run.model_names()
    chosen = [find_spec(name, names) for name in wanted]
    for name, model in zip(wanted, chosen, strict=True):
        if model not in known:
            raise UnknownNameError("model with answers", name, [names[one] for one in known])
    return list(dict.fromkeys(chosen)) or known


def _choose_items(observations: Frame, models: Sequence[str], choice: PlateOptions) -> list[Item]:
    """Sample items at random, spread over strata and numbers; those that all models have come first."""
    counts = observations.rows.group_by("item", maintain_order=True).agg(pl.col("model").n_unique())
    if not counts.height:
        raise NothingToDoError(f"no answer of repeat {choice.repeat} has been judged; name another with `repeat`")
    order: list[Item] = []
    for is_whole in (True, False):
        ids = counts.filter((pl.col("model") == len(models)) == is_whole)["item"]
        items = [observations.items[id] for id in ids]
        strata = next((observations.designs[item.suite].strata for item in items[:1]), ())
        order += order_items(items, strata, choice.seed)
    chosen = {item.id for item in order[: choice.columns or USUAL_COLUMNS]}
    return [item for item in observations.seen_items() if item.id in chosen]


def _cell(survey: RunFrame, observations: Frame, model: str, item: Item, repeat: int) -> PlateCell:
    size = int(observations.rows["group"].min() or 1)  # type: ignore[arg-type]
    asks = tuple(ask for ask in item.asks if ask.is_relevant and ask.group == size)
    place, block = (pl.col("model") == model, pl.col("item") == item.id), pl.col("repeat") // size == repeat // size
    shown = survey.responses.filter(*place, block).sort("repeat")
    read = observations.rows.filter(*place).to_dicts()
    seen = tuple(observations.row(row) for row in read)
    right = sum(row["is_right"] for row in read)
    return PlateCell(_verdict(set(shown["kind"]), read, len(asks)), tuple(shown["trial"]), seen, right, asks)


def _verdict(kinds: set[str], rows: Sequence[Mapping[str, Any]], asks: int) -> PlateVerdict:
    """Judge an item: right if all questions about it are, wrong as soon as one is not."""
    if not kinds or kinds == {FAILED}:
        return "failed" if kinds else "unasked"
    if kinds == {REFUSED} or (rows and all(row["status"] == "refused" for row in rows)):
        return "refused"
    judged = [row for row in rows if row["status"] != "unknown"]
    if not all(row["is_right"] for row in judged):
        return "wrong"
    return "right" if judged and len(judged) == asks else "unjudged"


class _Loader:
    """Shrinks pictures, one at a time, and counts those that can be shown."""

    def __init__(self, run: Run, size_px: int, events: Events) -> None:
        self._run, self._size_px, self._events = run, size_px, events
        self.shown = self.unshown = self.named = 0

    def __call__(self, pictures: Sequence[Picture]) -> Image.Image | str:
        made = shrink(pictures, self._run.image_files, self._size_px)
        self._events.advance(has_failed=isinstance(made, str))
        if not isinstance(made, str):
            self.shown += 1
            return made.image
        self.unshown += 1
        self.named += isinstance(pictures[0], Elsewhere)
        return made


def _shown(pieces: Iterator[str], load: _Loader) -> Iterator[str]:
    """Yield the pieces of a plate; refuse one without any picture."""
    yield from pieces
    if load.shown:
        return
    if load.named:
        remedy = "attach them first: subitize import attachments RUN FOLDER"
        raise NothingToDoError(f"the {load.named} pictures of this plate are known by name only; {remedy}")
    held = f"none of its {load.unshown} pictures can be read" if load.unshown else "nothing of it was drawn"
    raise NothingToDoError(f"there is no picture for this plate: {held}; choose others with `item`, `model`, `repeat`")


def _lay_out(plate: Plate, run: Run) -> PlateGrid:
    """Put models in rows and items in columns; pictures shown to the models appear once, above their answers."""
    trials = [id for cell in plate.cells.values() for id in cell.trials]
    responses, failures = look_up_responses(run, trials), look_up_failures(run, trials)
    names = read_names(run)

    def make_tile(item: Item, cell: PlateCell) -> Tile:
        outcomes = [responses[id].outcome for id in cell.trials if id in responses]
        failed = (f"failed: {failures[id]}" for id in cell.trials if id in failures)
        words = next(iter((*map(describe_outcome, outcomes), *failed)), "")
        if plate.is_drawn:
            pictures = [outcome.picture for outcome in outcomes if isinstance(outcome, Drawn)]
            return Tile(_describe_reading(item, cell), pictures or words, cell.verdict)
        read = [value for value in _describe_values(cell) if value != words.strip().rstrip(".")]
        said = f"“{words}”" if read and words else words
        return Tile(" ".join((*read, said)), None, cell.verdict)

    return PlateGrid(
        [_item_tile(item) for item in plate.items],
        [Tile(names.mark_model(model)) for model in plate.models],
        [[make_tile(item, plate.cells[model, item.id]) for item in plate.items] for model in plate.models],
    )


def _item_tile(item: Item) -> Tile:
    if isinstance(item.task, Draw):
        return Tile(task_text(item.task))
    asks = [ask for ask in item.asks if ask.is_relevant]
    right = f"\nright: {describe_target(item, asks[0])}" if len(asks) == 1 else ""
    return Tile(" ".join(task_text(item.task).split()) + right, [item.task.picture])


def _describe_reading(item: Item, cell: PlateCell) -> str:
    """Write what was read of a drawing and what was asked for; the sign shows whether they match."""
    if len(cell.asks) > 1:
        return f"{cell.right} of {len(cell.asks)} right" if cell.seen and cell.verdict != "refused" else ""
    for ask in cell.asks:
        if isinstance(ask.question, Count | Choose):
            return ", ".join((*_describe_values(cell), f"asked {describe_target(item, ask)}"))
    return ""


def _describe_values(cell: PlateCell) -> Iterator[str]:
    for seen in cell.seen:
        if seen.value is not None:
            yield describe_value(seen.value, seen.ask.question, is_short=True)
        elif seen.status == "discarded":
            yield "no count" if isinstance(seen.ask.question, Count) else "no answer"


def _notes(plate: Plate, run: Run) -> list[str]:
    """Name the judge, and explain the marks behind names."""
    names = read_names(run)
    suites = ", ".join(dict.fromkeys(item.suite for item in plate.items))
    judge = f"judged by {names.mark_judge(plate.judge, is_informed=plate.is_informed)}"
    notes = [f"{suites}, repeat {plate.repeat}: {'all was refused' if plate.judge == NO_JUDGE else judge}"]
    if any(len(cell.asks) > 1 for cell in plate.cells.values()):
        notes.append("A picture is right if all questions about it are answered right.")
    if any(names.has(model, plate.judge) for model in plate.models):
        notes.append(STAND_IN)
    if plate.is_informed:
        notes.append(INFORMED)
    return notes
