"""A suite that a YAML file defines (docs/suite-files.md)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from subitize.errors import SubitizeError
from subitize.records import OF_FILE, Answer, Item, Spec, Stimulus, digest, title_of_file
from subitize.suites.asked_once import AskedOnce
from subitize.suites.files.consistency import check_definition
from subitize.suites.files.definitions import Definition, read_definition
from subitize.suites.files.items import ItemMaker
from subitize.suites.item_order import interleave


class SuiteFile(AskedOnce):
    """Ask what a YAML file of yours says, file:my-suite.yaml or just my-suite.yaml (docs/suite-files.md)."""

    def __init__(self, file: str, /) -> None:
        path = Path(file).expanduser()
        said = read_definition(path)
        check_definition(said)
        name = f"{said.name}{OF_FILE}"
        items = ItemMaker(said, name, path.parent).make()
        self.title = title_of_file(name)
        self.judge = said.judge or ("parser" if said.show else "observer")
        self._place_of_judge = said.place_of("judge")
        self.repeats = said.repeats
        self.strata = _choose_strata(said, items)
        is_mixed = self.strata and all(self.strata[0] in item.factors for item in items)
        self._items = interleave(items, self.strata[0]) if is_mixed else items
        meaning = digest(repr(said))[:12]
        shown = f"{name} version {said.version} ({meaning})"
        self.spec = Spec(name, {"version": said.version, "meaning": meaning}, shown)

    def check_judge(self, check: Callable[[str], None], /) -> None:
        """Have the judge checked, and tell where the file names one that is not right."""
        try:
            check(self.judge)
        except SubitizeError as error:
            raise self._place_of_judge.error(f"judge: {error}") from None

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the items; the seed changes the pictures that are drawn, and nothing else."""
        return (_reseed(item, seed) for item in self._items)


def _choose_strata(said: Definition, items: Sequence[Item]) -> tuple[str, ...]:
    """Take the factors that the file fixes; if it does not say, the task, the template and the numbers."""
    known = list(dict.fromkeys(name for item in items for name in item.factors))
    if said.strata is None:
        return tuple(name for name in ("task", "template", *said.number_lists) if name in known)
    for name in said.strata:
        if name not in known:
            raise said.place_of("strata").error(f"strata {name!r}: no such factor; known: {', '.join(known)}")
    return said.strata


def _reseed(item: Item, seed: int) -> Item:
    match item.task:
        case Answer(picture=Stimulus() as picture) as task:
            own = replace(picture, seed=int(digest(seed, item.id)[:8], 16))
            return replace(item, task=replace(task, picture=own))
    return item
