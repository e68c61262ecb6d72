"""GeckoNum as a suite: 1386 prompts in twelve types and three tasks, official, drawn, or fresh."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from subitize.errors import BadValueError
from subitize.interfaces import Attempt
from subitize.language.scene import Halves
from subitize.papers.geckonum.fresh import Wishes, fresh_prompts
from subitize.papers.geckonum.items import STRATA, items_of
from subitize.papers.geckonum.nouns import read_nouns
from subitize.papers.geckonum.prompts import COLOURS, TYPES, Prompt, design, read_prompts, scene_of
from subitize.records import Item
from subitize.suites.checks import check_known, interleave

_QUANTIFIERS = ("no", "few", "many", "fewer", "as many", "more")
_SEED = 0  # of the 400 prompts that are drawn: the same in every run, so that runs compare


class Geckonum:
    """Draw exact numbers, approximate quantities, and parts, each prompt 5 times (GeckoNum).

    Args:
        tasks: 1 exact numbers, 2 approximate quantities, 3 parts
        types: which types of prompt
        colours: which colours, where a prompt names one
        quantifiers: which words for approximate quantities
        prompts: the authors' prompts.csv, in place of prompts by their design
        nouns: file of own nouns for fresh prompts, 40 or more, one per line
    """

    title = "GeckoNum"
    judge = "observer"
    repeats = 5
    max_attempts = 1
    asks_again = False
    strata: tuple[str, ...] = STRATA

    def __init__(
        self,
        *,
        tasks: tuple[int, ...] = (1, 2, 3),
        types: tuple[str, ...] = tuple(TYPES),
        numbers: tuple[int, ...] = tuple(range(1, 11)),
        colours: tuple[str, ...] = COLOURS,
        quantifiers: tuple[str, ...] = _QUANTIFIERS,
        prompts: str = "",
        fresh: int = 0,
        nouns: str = "",
    ) -> None:
        check_known("task", (str(task) for task in tasks), [str(task) for task in set(TYPES.values())])
        check_known("type", types, TYPES)
        check_known("colour", colours, COLOURS)
        check_known("quantifier", quantifiers, _QUANTIFIERS)
        self._kept = [type for type in types if TYPES[type] in tasks]
        self._numbers, self._colours, self._quantifiers = frozenset(numbers), frozenset(colours), frozenset(quantifiers)
        if nouns and not fresh:
            raise BadValueError("suite 'geckonum': nouns= are for fresh prompts; add fresh=1")
        wishes = Wishes(read_nouns(Path(nouns)) if nouns else None, colours, tuple(sorted(numbers)))
        self._prompts = [prompt for prompt in _choose(prompts, fresh, wishes) if self._keeps(prompt)]
        if not self._prompts:
            raise BadValueError("suite 'geckonum': no prompt is left with these options; take more types or numbers")

    def items(self, seed: int) -> Iterator[Item]:
        """Go through the prompts, all types mixed; the seed changes nothing, as the prompts are fixed."""
        return iter(interleave(items_of(self._prompts), "type"))

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Ask nothing again."""
        return ()

    def _keeps(self, prompt: Prompt) -> bool:
        """Whether a prompt has only those numbers (in Task 1), colours and quantifiers that are wanted."""
        if prompt.type not in self._kept:
            return False
        scene = scene_of(prompt)
        colours = {entity.colour for entity in scene.entities} - {None}
        colours |= {colour for one in scene.entities if isinstance(one.form, Halves) for colour in one.form.colours}
        numbers = {entity.number for entity in scene.entities} if TYPES[prompt.type] == 1 else set()
        quantifiers: set[str] = {comparison.word for comparison in scene.comparisons}
        if prompt.type == "approx-1-entity":
            quantifiers.add(str(scene.entities[0].number or "no"))
        return numbers <= self._numbers and colours <= self._colours and quantifiers <= self._quantifiers


def _choose(prompts: str, fresh: int, wishes: Wishes) -> tuple[Prompt, ...]:
    """The prompts of the file, fresh ones, or those of the design."""
    if prompts and fresh:
        raise BadValueError("suite 'geckonum': prompts= and fresh=: take the official file or fresh prompts")
    if fresh < 0:
        raise BadValueError(
            f"suite 'geckonum': fresh={fresh}: should be a seed from 1, or 0 for GeckoNum's own prompts"
        )
    if prompts:
        return read_prompts(Path(prompts))
    if fresh:
        return fresh_prompts(fresh, wishes)
    return design(_SEED)
