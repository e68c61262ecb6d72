"""Suites with refined prompts (the same items, asks and order in other words) and the built-in refinements.

A refinement is a function from a counted prompt to another prompt, or None if it does not apply. The first four come
from T2ICountBench (2025, sections 5.1 and C), the last two are ours. A single thing has no parts to ask for, so none
applies to it. `Rewritten` takes prompts from a file, which a language model wrote."""

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from subitize.errors import BadFileError, BadValueError, SubitizeError
from subitize.interfaces import Attempt, Suite
from subitize.io.files import CsvRow, read_lines, read_text
from subitize.language.counted import CountedPhrase
from subitize.language.nouns import with_article
from subitize.records import REFINED, Draw, Item, Scalar, task_text

LONGEST_PROMPT = 20_000
"""The most characters of a refined prompt."""


Refinement = Callable[[CountedPhrase], str | None]
"""Rewords a prompt without changing its meaning; None if the refinement does not apply."""


COLUMNS = ("item", "base_prompt", "prompt", "model", "revision", "instruction")
"""The columns that `subitize make rewrites` writes; only item and prompt are required."""


@dataclass(frozen=True, slots=True)
class RewrittenPrompt:
    """One rewritten prompt: its item, the text before and after, the model and its instruction."""

    item: str
    base_prompt: str
    prompt: str
    model: str
    revision: str
    instruction: str


class Rewritten:
    """Take the prompts of a CSV file (item,prompt), as `subitize make rewrites` writes it; others stay as they were.

    A row is taken whatever its item asks for. `sha256` is the beginning of the hash of the file, by which a run knows
    it; a file with another is refused.

    Args:
        file: the CSV file
        sha256: how its hash begins, to refuse any other file
    """

    why_kept = "not in the file, or the same in it"

    def __init__(self, *, file: str = "", sha256: str = "") -> None:
        if not file:
            raise BadValueError("refinement 'rewritten' needs file=FILE.csv; `subitize make rewrites` writes one")
        self._path = Path(file)
        read = list(_read(self._path))
        self._lines = {row.item: line for line, row in read}
        self._rows = {row.item: row for _, row in read}
        if not self._rows:
            raise BadFileError(f"{self._path.name}: no rewritten prompts; should have a row for each item")
        hash = hashlib.sha256(read_text(self._path).encode()).hexdigest()[:12]
        if sha256 not in ("", hash):
            raise BadFileError(f"{self._path} has changed: its hash is {hash}, not {sha256}")
        instructions = dict.fromkeys(row.instruction for row in self._rows.values() if row.instruction)
        self.source: Mapping[str, str] = {"sha256": hash, "instruction": " | ".join(instructions)}

    def find(self, item: Item, /) -> str | None:
        """Look up the rewritten prompt; refuse one that was rewritten from another base prompt."""
        row, prompt = self._rows.get(item.id), task_text(item.task)
        if row is None:
            return None
        if row.base_prompt and row.base_prompt != prompt.strip():
            raise BadFileError(
                f"{self._path.name}: {row.item} was rewritten from {row.base_prompt!r}, and is {prompt!r} now; "
                "rewrite it again"
            )
        return row.prompt

    def check(self, items: Collection[str], others: Collection[str] = (), /) -> None:
        """Refuse a file with an unknown item, which is probably a slip, or without any current one."""
        for item, line in self._lines.items():
            if item not in items and item not in others:
                (near,) = get_close_matches(item, items, n=1, cutoff=0.0)
                raise line.error(
                    f"no item {item!r} in this suite, the nearest is {near!r}; mend the row, or take it out"
                )
        if not any(item in items for item in self._rows):
            raise BadFileError(
                f"{self._path.name}: none of its {len(self._rows)} rows is for an item of this suite with these "
                f"options; the first is for {next(iter(self._rows))!r}"
            )

    def factors(self, item: str) -> Mapping[str, Scalar]:
        """Return who rewrote the prompt, if the file says so."""
        row = self._rows.get(item)
        return {"rewriter": row.model} if row is not None and row.model else {}


def read_rows(path: Path) -> dict[str, RewrittenPrompt]:
    """Read the rows by item; errors name the line."""
    return {row.item: row for _, row in _read(path)}


def _read(path: Path) -> Iterator[tuple[CsvRow, RewrittenPrompt]]:
    seen: set[str] = set()
    known = "item, prompt; optional: base_prompt, model, revision, instruction"
    for line in read_lines(path, (("item",), ("prompt",)), known):
        row = RewrittenPrompt(*(line.get(name) for name in COLUMNS))
        if not row.item or not row.prompt:
            raise line.error(f"no {'prompt' if row.item else 'item'}")
        if row.item in seen:
            raise line.error(f"{row.item} stands there twice; once is enough")
        seen.add(row.item)
        yield line, row


class Refined(Suite):
    """A suite whose prompts are reworded by a refinement; items that cannot be refined are left out.

    If the refinement does not apply, the prompt stays as it is, with the factor `is_refined` False.
    """

    why_kept = "the refinement does not apply"

    def __init__(
        self, base: Suite, name: str, refinement: Refinement | Rewritten, *, others: Collection[str] = ()
    ) -> None:
        self.title, self.judge = base.title, base.judge
        self.repeats, self.max_attempts = base.repeats, base.max_attempts
        self.asks_again, self.strata, self.sampled = base.asks_again, base.strata, base.sampled
        self.base, self._name, self._refinement = base, name, refinement
        if isinstance(refinement, Rewritten):
            self.why_kept = refinement.why_kept
            refinement.check({item.id for item in base.items(0)}, others)
        if next(self.items(0) if isinstance(refinement, Rewritten) else find_refinable(base, 0), None) is None:
            raise BadValueError(_why_not(next(iter(base.items(0)))))

    def items(self, seed: int) -> Iterator[Item]:
        """Refine the items in the base's order, so that any beginning pairs with a beginning of the base."""
        for item in self.base.items(seed):
            text = self._reword(item)
            if text is not None:
                yield self._refine(item, text)

    def again(self, tried: Sequence[Attempt]) -> Iterable[Attempt]:
        """Repeat the attempts that the base would repeat."""
        by_place = {(one.item.base, one.repeat, one.attempt): one for one in tried}
        chosen = self.base.again([replace(one, item=self._unrefine(one.item)) for one in tried])
        return (by_place[one.item.id, one.repeat, one.attempt] for one in chosen)

    def _reword(self, item: Item) -> str | None:
        """Return the refined prompt, the old one if the refinement does not apply, or None if none can."""
        if isinstance(self._refinement, Rewritten) and isinstance(item.task, Draw):
            text = self._refinement.find(item)
            if text is not None:
                return self._check(text, item.id)
        counted = self.base.find_counted(item)
        if counted is None or isinstance(self._refinement, Rewritten):
            return None if counted is None else counted.prompt
        return self._ask(self._refinement, counted)

    def _refine(self, item: Item, text: str) -> Item:
        suite, _, key = item.id.partition("/")
        told = {**self._factors(item.id), "is_refined": text != task_text(item.task)}
        return Item(f"{suite}{REFINED}{self._name}/{key}", Draw(text), item.asks, {**item.factors, **told})

    def _unrefine(self, item: Item) -> Item:
        """Return the base suite's item, but with the refined prompt."""
        own = self._factors(str(item.base))
        factors = {name: value for name, value in item.factors.items() if name not in own}
        return replace(item, id=str(item.base), factors=factors)

    def _factors(self, item: str) -> dict[str, Scalar]:
        """Return the factors that a refined item adds to its base."""
        told = self._refinement.factors(item) if isinstance(self._refinement, Rewritten) else {}
        return {"refinement": self._name, "is_refined": True, **told}

    def _ask(self, refinement: Refinement, counted: CountedPhrase) -> str:
        """Call the refinement, which may be a plug-in's."""
        try:
            text = refinement(counted)
        except SubitizeError:
            raise
        except Exception as error:
            raise BadValueError(
                f"refinement {self._name!r} fails on {counted.item}: {type(error).__name__}: {error}"
            ) from error
        return counted.prompt if text is None else self._check(text, counted.item)

    def _check(self, text: object, item: str) -> str:
        if isinstance(text, str) and text.strip() and len(text) <= LONGEST_PROMPT:
            return text
        raise BadValueError(
            f"refinement {self._name!r} gives {text!r:.80} for {item}; should be a prompt of 1 to "
            f"{LONGEST_PROMPT:,} characters, or None"
        )


def find_refinable(suite: Suite, seed: int) -> Iterator[Item]:
    """Iterate over the items of a suite that can be refined."""
    return (item for item in suite.items(seed) if suite.find_counted(item) is not None)


def _why_not(first: Item) -> str:
    if not isinstance(first.task, Draw):
        return (
            f"suite {first.suite!r} cannot be refined: it shows pictures, and a refinement rewords prompts to draw; "
            "take a suite that draws, as production does"
        )
    return (
        f"suite {first.suite!r} cannot be refined: no prompt asks for a number of one kind of things and nothing "
        "else; take others by its options"
    )


def multiplicative(counted: CountedPhrase) -> str | None:
    """Ask for a product: "3 times 4 apples"; for a prime "1 times 7 apples"."""
    if counted.number < 2:
        return None
    rows, columns = factor(counted.number)
    return counted.put(f"{counted.write(rows)} times {counted.write(columns)} {counted.plural}")


def additive(counted: CountedPhrase) -> str | None:
    """Ask for a sum: "5 plus 6 apples"."""
    if counted.number < 2:
        return None
    first, second = halve(counted.number)
    return counted.put(f"{counted.write(first)} plus {counted.write(second)} {counted.plural}")


def grid(counted: CountedPhrase) -> str | None:
    """Name a grid after all the rest: "12 apples on a table, with a 3 row 4 column grid"."""
    if counted.number < 2:
        return None
    rows, columns = factor(counted.number)
    end = "." if counted.prompt.endswith(".") else ""
    said = counted.prompt.removesuffix(".")
    return f"{said}, with a {counted.write(rows)} row {counted.write(columns)} column grid{end}"


def position(counted: CountedPhrase) -> str | None:
    """Ask for two halves: "5 apples on the left, 6 apples on the right, on a table"."""
    if counted.number < 2:
        return None
    left, right = halve(counted.number)
    places = f"{counted.count(left)} on the left, {counted.count(right)} on the right"
    return _put_places(counted, places, begins_with_one=left == 1)


def spell_out(counted: CountedPhrase, *, most: int = 50) -> str | None:
    """Name each one: "an apple, an apple and an apple"; above `most` the list is no longer one that is read."""
    _check_most("list", most)
    if not 2 <= counted.number <= most:
        return None
    return counted.put(_enumerate([with_article(counted.singular)] * counted.number), begins_with_one=True)


def positions(counted: CountedPhrase, *, most: int = 50) -> str | None:
    """Give each one its place, row by row: "1 apple at row 1 column 1, 1 apple at row 1 column 2, …"."""
    _check_most("positions", most)
    if not 2 <= counted.number <= most:
        return None
    columns = math.isqrt(counted.number - 1) + 1  # as close to a square as possible; the last row may be partly filled
    places = [(index // columns + 1, index % columns + 1) for index in range(counted.number)]
    each = [f"{counted.count(1)} at row {counted.write(row)} column {counted.write(column)}" for row, column in places]
    return _put_places(counted, _enumerate(each), begins_with_one=True)


def factor(number: int) -> tuple[int, int]:
    """Return the two factors closest to a square, the smaller one first: 12 is 3 times 4, a prime 1 times itself."""
    smaller = next(one for one in range(math.isqrt(number), 0, -1) if number % one == 0)
    return smaller, number // smaller


def halve(number: int) -> tuple[int, int]:
    """Return two halves, the smaller one first."""
    return number // 2, number - number // 2


def _enumerate(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _put_places(counted: CountedPhrase, phrase: str, *, begins_with_one: bool) -> str:
    """Insert a phrase that ends with a place; a comma separates it from the scene."""
    return counted.put(f"{phrase}," if counted.after[:1] == " " else phrase, begins_with_one=begins_with_one)


def _check_most(name: str, most: int) -> None:
    if most < 2:
        raise BadValueError(f"refinement {name!r}: most={most}: should be at least 2, as it applies to no single thing")
