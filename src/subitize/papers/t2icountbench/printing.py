"""T2ICountBench's tables on the terminal: a run's beside the paper's, and what the paper's own cells come to."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from subitize.papers.t2icountbench.beyond import DrawnNumbers, HalfPoint
from subitize.papers.t2icountbench.checks import VERDICTS
from subitize.papers.t2icountbench.published import AVERAGE, CATEGORIES, CONDITIONS
from subitize.papers.t2icountbench.reproduction import Reproduction
from subitize.papers.t2icountbench.runs import PaperTables
from subitize.papers.t2icountbench.tables import DIFFICULTIES, SCENES, STYLES, TableCell
from subitize.records import Estimate
from subitize.report.claims import print_claims
from subitize.report.comparisons import print_pairs
from subitize.report.scores import cell
from subitize.report.terminal import describe_cautions, print_line, print_table

_TITLES = {
    "table2": "Table 2: success by category",
    "figure1": "Figure 1: success by difficulty",
    "figure3": "Figure 3: success by style, at home",
    "figure4": "Figure 4: success by scene, in plain style",
    "figure5": "Figure 5: success by scene and style, all models",
    "table3": "Table 3: success by refinement, at home in plain style",
    "table3_applied": "Table 3 without the prompts that could not be refined",
}

_ORDER = (*CATEGORIES, *CONDITIONS, *DIFFICULTIES, *SCENES, *STYLES)
"""The columns in the paper's order; those that it has not come after them, and averages last."""


def print_tables(found: PaperTables) -> None:
    """Print the tables of a run, where its models stand among the paper's, and the observations."""
    images = f"at least one of {found.k} images" if found.k > 1 else "one image"
    print_line(f"judged by {found.judge}; success: {images} of a prompt is right")
    for name in dict.fromkeys(one.table for one in found.cells):
        _print_table(_TITLES[name], [one for one in found.cells if one.table == name])
    print_line(
        "value [95 % interval] n prompts; per image: the share of images that are right, averaged likewise, with its n "
        "where that is another; paper: as printed, tables as shares, what its text says in percent"
    )
    for line in describe_cautions(_cautions(found.cells)):
        print_line(line)
    if found.placements:
        rows = (
            (one.model, cell(one.average), f"{one.rank} of {one.of}", f"{one.best} to {one.worst}")
            for one in found.placements
        )
        title = "among the paper's fifteen, by average (1 is the best)"
        print_table(["model", "average", "rank", "range"], rows, title=title)
    print_claims(found.statements, title="observations")
    if found.beyond:
        if found.beyond.refinements:
            print_pairs(found.beyond.refinements)
        if found.beyond.drawn_numbers:  # votes tell nothing of numbers
            _print_drawn(found.beyond.drawn_numbers)
        _print_half_points(found.beyond.half_points)


def print_checks(found: Reproduction) -> None:
    """Print which printed means follow from the printed cells, what the text says of them, and the observations."""
    print_line(found.citation)
    print_line("No images or votes were released: these are checks of the printed cells against one another.")
    names = ["table", "row", "mean", "printed", "of the cells", "before rounding", "verdict"]
    means = (
        (*one.place, one.printed, f"{one.recomputed:.4f}", f"{one.low:.4f} to {one.high:.4f}", one.verdict)
        for one in found.means
    )
    print_table(names, means, title="printed means")
    counted = Counter(one.verdict for one in found.means)
    for verdict, meaning in VERDICTS.items():
        print_line(f"{counted[verdict]} {verdict}: {meaning}")
    said = ((one.where, one.said, one.found, "agrees" if one.agrees else "does not agree") for one in found.text)
    heads = ["section", "said", "the printed cells", ""]
    print_table(heads, said, title="what the text says of the tables")
    print_claims(found.statements, title="observations")
    print_line("units are the fifteen models; a printed cell may be .005 off")


def _print_table(title: str, cells: Sequence[TableCell]) -> None:
    there = {one.column: None for one in cells}
    others = (name for name in there if name != AVERAGE)
    columns = [name for name in dict.fromkeys((*_ORDER, *others, AVERAGE)) if name in there]
    rows: dict[tuple[str, bool], dict[str, TableCell]] = {}
    for one in cells:
        rows.setdefault((one.row, one.is_published), {})[one.column] = one
    lines = []
    for (row, is_published), own in rows.items():
        texts = [_text(own[column]) if column in own else "" for column in columns]
        lines.append([f"{row} (paper)" if is_published else row, *texts])
        if any(one.per_image for one in own.values()):
            lines.append(["  per image", *(_per_image(own.get(column)) for column in columns)])
    print_table(["", *columns], lines, title=title)


def _cautions(cells: Iterable[TableCell]) -> Iterator[str]:
    for one in cells:
        yield from (figure.caution for figure in (one.value, one.per_image) if isinstance(figure, Estimate))


def _per_image(one: TableCell | None) -> str:
    if one is None or one.per_image is None:
        return ""
    is_same = isinstance(one.value, Estimate) and one.value.n == one.per_image.n
    return cell(one.per_image) + f" {one.per_image.n}" * (not is_same)


def _text(one: TableCell) -> str:
    if isinstance(one.value, str):
        return one.value
    fallbacks = f" ({one.fallbacks} unrefined)" if one.fallbacks else ""
    return f"{cell(one.value)} {one.value.n}{fallbacks}"


def _print_drawn(numbers: Iterable[DrawnNumbers]) -> None:
    names = ["suite", "model", "asked", "drawn − asked", "standard deviation", "images", "prompts"]
    rows = []
    for one in numbers:
        figures = (cell(one.error), cell(one.spread))
        rows.append((one.suite, one.model, str(one.number), *figures, str(one.error.n), str(one.prompts)))
    print_table(names, rows, title="numbers drawn")


def _print_half_points(points: Iterable[HalfPoint]) -> None:
    rows = []
    for one in points:
        measure = f"success of {one.k}" if one.measure == "success" else "per image"
        rows.append((one.suite, one.model, measure, str(one.crossing), str(one.crossing.n)))
    title = "the number at which less than half is right"
    print_table(["suite", "model", "measure", "number", "n"], rows, title=title)
