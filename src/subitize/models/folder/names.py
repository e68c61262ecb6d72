"""Layouts that are all in the files' names: what a name says, and how an item would be called there."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from subitize.models.folder.files import Image, Tree, stem_of, storable
from subitize.numerals import singular


@dataclass(frozen=True, slots=True)
class Naming:
    """A way to name files: what names look like, what is told by one, and the key of an item in such names.

    `numbers_are_repeats` where the number in a name is the repeat; elsewhere seeds become repeats in their order.
    """

    name: str
    example: str
    pattern: re.Pattern[str]
    key: Callable[[str], str]
    numbers_are_repeats: bool = False

    def read(self, name: str, tree: Tree) -> Image | None:
        """Read a file's name, or find that it is not named like this."""
        found = self.pattern.fullmatch(stem_of(name))
        if found is None:
            return None
        told = found.groupdict()
        number, tag, count = told["number"], told.get("tag") or "", told.get("count")
        key = "" if "prompt" in told else self.key(f"{told['key']}/{told['target']}" if count else told["key"])
        return Image(
            storable(name),
            tree.path(name),
            # The same index stands with several counts; an image that was made later ("new3") comes after the others.
            order=(tag, int(number or 0), count or ""),
            key=key,
            prompt=told.get("prompt", ""),
            repeat=int(number) if self.numbers_are_repeats else None,
            number=f"{tag}{number}" if tag else int(number) if number else None,
            count=count,
        )


def _key_of_item(key: str) -> str:
    return key.replace("/", "_")


def _last_of_key(key: str) -> str:
    return key.rpartition("/")[2].casefold()


def _category_and_number(key: str) -> str:
    """Write `apples/3` and `Apple/03` alike."""
    category, _, number = key.rpartition("/")
    return f"{_category(category)}/{int(number)}" if category and number.isdecimal() else ""


@cache
def _category(noun: str) -> str:
    return singular(noun.casefold())


def _number_of_prompt(key: str) -> str:
    number = _last_of_key(key).removeprefix("p")
    return str(int(number)) if number.isdecimal() else ""


_GECKONUM = re.compile(r"(?P<key>geckonum_\d{5})(?:_(?P<number>\d{1,9}))?", re.ASCII | re.IGNORECASE)
_GIMBRR = re.compile(r"p(?P<key>\d{1,9})_(?P<number>\d{1,9})_v.+", re.ASCII)
# In the release the index stands after a space, and images that were added have "new" before it: 10_11_people new13.png
_NUMBERSENSE = re.compile(
    r"(?P<target>[0-9]{1,9})_(?P<count>[^_]+)_(?P<key>[^\W\d_]+)[_ ](?P<tag>[a-z]*)(?P<number>[0-9]{1,9})"
)
_COMPBENCH = re.compile(r"(?P<prompt>.+)_(?P<number>\d{6})", re.ASCII | re.DOTALL)
_ITEMS = re.compile(r"(?P<key>.+)_(?P<number>\d{1,9})", re.ASCII | re.DOTALL)

ITEMS = Naming("items", "apples_3_0.png", _ITEMS, _key_of_item, numbers_are_repeats=True)
NAMINGS: tuple[Naming, ...] = (
    Naming("geckonum", "geckonum_00012_3.png", _GECKONUM, _last_of_key),
    Naming("gimbrr", "p801_1_v0.0.5_pd230208.png", _GIMBRR, _number_of_prompt),
    Naming("numbersense", "3_4_apples_17.png", _NUMBERSENSE, _category_and_number),
    Naming("t2i-compbench", "a green bench and a blue bowl_000000.png", _COMPBENCH, _last_of_key),
    ITEMS,
)
"""From the most to the least particular: a name belongs to the first that it fits."""


def naming_of(name: str) -> Naming | None:
    """Find how a file is named."""
    stem = stem_of(name)
    for naming in NAMINGS:
        if naming.pattern.fullmatch(stem) and not (naming.name == "numbersense" and _is_mangled(stem)):
            return naming
    return None


def is_in_its_category(name: str) -> bool:
    """Tell whether a file lies in a folder named like its category, as Numbersense released them."""
    found = _NUMBERSENSE.fullmatch(stem_of(name))
    return found is not None and _category(found["key"]) == _category(name.split("/")[-2])


def read_whole_name(name: str, tree: Tree) -> Image:
    """Read a name as that of an item without a repeat, which is its first."""
    return Image(storable(name), tree.path(name), order=("", 0, "whole"), key=stem_of(name), repeat=0)


def _is_mangled(stem: str) -> bool:
    """Tell the prompt "3 small apples", as 3_small_apples_000001, from a count in words, as 3_many_apples_1."""
    return bool(_COMPBENCH.fullmatch(stem)) and not stem.split("_")[1].strip("<>+").isdecimal()
