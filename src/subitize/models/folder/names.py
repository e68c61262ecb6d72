"""Layouts that are all in the files' names: what a name says, and how an item would be called there."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from subitize import plugins
from subitize.language.nouns import singular
from subitize.models.folder.files import Image, Tree, stem_of, storable
from subitize.records import Scalar


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
    has_category_folders: bool = False
    """Whether images may lie in folders named like their categories."""
    is_other: Callable[[str], bool] = lambda _: False
    """Tells a name that looks like this but is another's."""

    def fits(self, stem: str) -> bool:
        """Tell whether a file is named like this."""
        return self.pattern.fullmatch(stem) is not None and not self.is_other(stem)

    def is_in_its_category(self, name: str) -> bool:
        """Tell whether a file lies in a folder named like its category."""
        found = self.pattern.fullmatch(stem_of(name)) if self.has_category_folders else None
        return found is not None and _category(found["key"]) == _category(name.split("/")[-2])

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


def key_of_item(key: str) -> str:
    """Write an item's key as one name."""
    return key.replace("/", "_")


def name_file(item_id: str, repeat: int) -> str:
    """Name the image of an item's repeat as the layout `items` does."""
    return f"{key_of_item(item_id.partition('/')[2])}_{repeat}.png"


def last_of_key(key: str) -> str:
    """Take what stands after the last slash."""
    return key.rpartition("/")[2].casefold()


def category_and_number(key: str) -> str:
    """Write `apples/3` and `Apple/03` alike."""
    category, _, number = key.rpartition("/")
    return f"{_category(category)}/{int(number)}" if category and number.isdecimal() else ""


@cache
def _category(noun: str) -> str:
    return singular(noun.casefold())


_COMPBENCH = re.compile(r"(?P<prompt>.+)_(?P<number>\d{6})", re.ASCII | re.DOTALL)
_ITEMS = re.compile(r"(?P<key>.+)_(?P<number>\d{1,9})", re.ASCII | re.DOTALL)

ITEMS = Naming("items", "apples_3_0.png", _ITEMS, key_of_item, numbers_are_repeats=True)
_PROMPTS = Naming("t2i-compbench", "a green bench and a blue bowl_000000.png", _COMPBENCH, last_of_key)


def namings() -> tuple[Naming, ...]:
    """List the layouts from the most to the least particular: a name belongs to the first that it fits."""
    return (*plugins.load_all("file_names").values(), _PROMPTS, ITEMS)


def is_named_by_prompt(stem: str) -> bool:
    """Tell whether a file's name may be a prompt and a number."""
    return _COMPBENCH.fullmatch(stem) is not None


_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SEED = re.compile(
    rf"(?P<prompt>.*?\w.*?)[\s_-]+\(?(?:seed[\s_-]*)?(?P<number>\d{{1,20}}|{_UUID}|[0-9a-f]*\d[0-9a-f]*)\)?",
    re.IGNORECASE | re.DOTALL,
)
_SHORTEST_HASH = 6
_MOST_SEEDS = 2


def read_prompt_name(name: str, tree: Tree) -> Image:
    """Read a name as a prompt, with or without a seed, an index or a hash after it: "three apples_42"."""
    prompt = stem_of(name)
    cuts = list(_cut_seeds(prompt))
    return Image(
        storable(name),
        tree.path(name),
        order=_natural_order(prompt),
        prompt=prompt,
        number=cuts[0]["number"] if cuts else None,
        shorter_prompts=tuple(found["prompt"] for found in cuts),
    )


def _cut_seeds(text: str) -> Iterator[re.Match[str]]:
    """Cut off what may be a seed, an index or a hash, one after the other."""
    for _ in range(_MOST_SEEDS):
        found = _SEED.fullmatch(text)
        if found is None or (not found["number"].isdecimal() and len(found["number"]) < _SHORTEST_HASH):
            return
        yield found
        text = found["prompt"]


def read_in_prompt_folder(name: str, tree: Tree) -> Image:
    """Read a name as that of an image in a folder that is named by its prompt."""
    folder = name.rpartition("/")[0]
    stem = stem_of(name)
    return Image(storable(name), tree.path(name), order=_natural_order(stem), prompt=folder, number=stem, source=folder)


def _natural_order(stem: str) -> tuple[Scalar, ...]:
    """Order names as people do: 9 before 10."""
    return tuple(part.rjust(20, "0") if part.isdecimal() else part for part in re.split(r"(\d+)", stem))


def read_whole_name(name: str, tree: Tree) -> Image:
    """Read a name as that of an item without a repeat, which is its first."""
    return Image(storable(name), tree.path(name), order=("", 0, "whole"), key=stem_of(name), repeat=0)
