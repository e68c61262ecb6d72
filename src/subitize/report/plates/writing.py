"""A plate on disk, as PNG or SVG."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from PIL import Image

from subitize.analysis.observations import NO_JUDGE, Reader
from subitize.analysis.overview import find_stand_ins
from subitize.errors import NothingToDoError
from subitize.output_files import write_whole
from subitize.records import Choose, Count, Draw, Drawn, Elsewhere, Item, Picture, task_text
from subitize.report.document.thumbnails import shrink
from subitize.report.plates.contents import Cell, Choice, Plate, make_plate
from subitize.report.plates.drawing import Grid, Tile, draw
from subitize.report.sections.answers import describe_outcome, describe_target, describe_value
from subitize.report.terminal.printing import STAND_IN
from subitize.runner.progress import Progress
from subitize.store import Run
from subitize.store.rows import look_up_failures, look_up_responses


def write_plate(run: Run, reader: Reader, choice: Choice, path: Path, progress: Progress) -> Path:
    """Draw a plate into a .png or .svg file, whole or not at all."""
    plate = make_plate(run, reader, choice)
    grid = _lay_out(plate, run)
    load = _Loader(run, choice.size_px, progress)
    tiles = [tile for row in (grid.above, *grid.rows) for tile in row]
    progress.begin("pictures", sum(tile.box is not None and not isinstance(tile.box, str) for tile in tiles))
    pieces = draw(grid.transposed() if choice.is_transposed else grid, _notes(plate, run), choice.size_px, load)
    if path.suffix.lower() == ".svg":
        return write_whole(path, (piece.encode() for piece in _shown(pieces, load)))
    import vl_convert

    return write_whole(path, [vl_convert.svg_to_png("".join(_shown(pieces, load)))])


class _Loader:
    """Makes pictures small, one at a time, and keeps count of those that can be shown."""

    def __init__(self, run: Run, size_px: int, progress: Progress) -> None:
        self._run, self._size_px, self._progress = run, size_px, progress
        self.shown = self.unshown = self.named = 0

    def __call__(self, pictures: Sequence[Picture]) -> Image.Image | str:
        made = shrink(pictures, self._run.images, self._size_px)
        self._progress.advance(has_failed=isinstance(made, str))
        if not isinstance(made, str):
            self.shown += 1
            return made.image
        self.unshown += 1
        self.named += isinstance(pictures[0], Elsewhere)
        return made


def _shown(pieces: Iterator[str], load: _Loader) -> Iterator[str]:
    """Go through the pieces of a plate; one without any picture is refused."""
    yield from pieces
    if load.shown:
        return
    if load.named:
        raise NothingToDoError(
            f"the {load.named} pictures of this plate are known by name only; attach them first: "
            "subitize attach RUN FOLDER"
        )
    held = f"none of its {load.unshown} pictures can be read" if load.unshown else "nothing of it was drawn"
    raise NothingToDoError(f"there is no picture for this plate: {held}; choose others with --item, --model, --repeat")


def _lay_out(plate: Plate, run: Run) -> Grid:
    """Put models in rows and items in columns; what was shown to the models stands once, above their answers."""
    trials = [id for cell in plate.cells.values() for id in cell.trials]
    responses, failures = look_up_responses(run, trials), look_up_failures(run, trials)
    stand_ins = find_stand_ins(run)

    def make_tile(item: Item, cell: Cell) -> Tile:
        outcomes = [responses[id].outcome for id in cell.trials if id in responses]
        failed = (f"failed: {failures[id]}" for id in cell.trials if id in failures)
        words = next(iter((*map(describe_outcome, outcomes), *failed)), "")
        if plate.is_drawn:
            pictures = [outcome.picture for outcome in outcomes if isinstance(outcome, Drawn)]
            return Tile(_tell_reading(item, cell), pictures or words, cell.verdict)
        read = [value for value in _tell_value(cell) if value != words.strip().rstrip(".")]
        said = f"“{words}”" if read and words else words
        return Tile(" ".join((*read, said)), None, cell.verdict)

    return Grid(
        [_item_tile(item) for item in plate.items],
        [Tile(stand_ins.mark_model(model)) for model in plate.models],
        [[make_tile(item, plate.cells[model, item.id]) for item in plate.items] for model in plate.models],
    )


def _item_tile(item: Item) -> Tile:
    if isinstance(item.task, Draw):
        return Tile(task_text(item.task))
    asks = [ask for ask in item.asks if ask.is_relevant]
    right = f"\nright: {describe_target(item, asks[0])}" if len(asks) == 1 else ""
    return Tile(" ".join(task_text(item.task).split()) + right, [item.task.picture])


def _tell_reading(item: Item, cell: Cell) -> str:
    """Write what was read of a drawing beside what was asked for; whether it matches is told by its sign."""
    if len(cell.asks) > 1:
        return f"{cell.right} of {len(cell.asks)} right" if cell.seen and cell.verdict != "refused" else ""
    for ask in cell.asks:
        if isinstance(ask.question, Count | Choose):
            return ", ".join((*_tell_value(cell), f"asked {describe_target(item, ask)}"))
    return ""


def _tell_value(cell: Cell) -> Iterator[str]:
    for seen in cell.seen:
        if seen.value is not None:
            yield describe_value(seen.value, seen.ask.question, is_short=True)
        elif seen.status == "discarded":
            yield "no count" if isinstance(seen.ask.question, Count) else "no answer"


def _notes(plate: Plate, run: Run) -> list[str]:
    """Say whose judgement the signs are, and what marks behind names mean."""
    stand_ins = find_stand_ins(run)
    suites = ", ".join(dict.fromkeys(item.suite for item in plate.items))
    judge = f"judged by {stand_ins.mark_judge(plate.judge, is_informed=plate.is_informed)}"
    notes = [f"{suites}, repeat {plate.repeat}: {'all was refused' if plate.judge == NO_JUDGE else judge}"]
    if any(len(cell.asks) > 1 for cell in plate.cells.values()):
        notes.append("A picture is right if all questions about it are answered right.")
    if any(stand_ins.has(model, plate.judge) for model in plate.models):
        notes.append(STAND_IN)
    if plate.is_informed:
        notes.append("† informed: the judge knew what was asked for")
    return notes
