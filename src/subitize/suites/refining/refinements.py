"""The built-in refinements: each is one function from a counted prompt to another prompt, or None if it does not apply.

The first four are those of T2ICountBench (2025, sections 5.1 and C), the last two are ours. To ask for one thing in
parts is no use, so that none applies to a single thing.
"""

import math
from collections.abc import Sequence

from subitize.errors import BadValueError
from subitize.language.counted import CountedPhrase
from subitize.language.nouns import article


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
    one = f"{article(counted.singular)} {counted.singular}"
    return counted.put(_enumerate([one] * counted.number), begins_with_one=True)


def positions(counted: CountedPhrase, *, most: int = 50) -> str | None:
    """Give each one its place, row by row: "1 apple at row 1 column 1, 1 apple at row 1 column 2, …"."""
    _check_most("positions", most)
    if not 2 <= counted.number <= most:
        return None
    columns = math.isqrt(counted.number - 1) + 1  # as near a square as can be, the last row not always full
    places = [(index // columns + 1, index % columns + 1) for index in range(counted.number)]
    each = [f"{counted.count(1)} at row {counted.write(row)} column {counted.write(column)}" for row, column in places]
    return _put_places(counted, _enumerate(each), begins_with_one=True)


def factor(number: int) -> tuple[int, int]:
    """The two factors closest to a square, the smaller one first: 12 is 3 times 4, a prime 1 times itself."""
    smaller = next(one for one in range(math.isqrt(number), 0, -1) if number % one == 0)
    return smaller, number // smaller


def halve(number: int) -> tuple[int, int]:
    """Two halves, the smaller one first."""
    return number // 2, number - number // 2


def _enumerate(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _put_places(counted: CountedPhrase, phrase: str, *, begins_with_one: bool) -> str:
    """Put a phrase that ends with a place; a comma keeps it from what is said of the scene."""
    return counted.put(f"{phrase}," if counted.after[:1] == " " else phrase, begins_with_one=begins_with_one)


def _check_most(name: str, most: int) -> None:
    if most < 2:
        raise BadValueError(f"refinement {name!r}: most={most}: should be at least 2, as it applies to no single thing")
