"""How the images of Numbersense are named: 3_4_apples_17.png shows four apples where three were asked for."""

import re

from subitize.models.image_folders import FileNaming, category_and_number, is_named_by_prompt

# In the release the index stands after a space, and images that were added have "new" before it: 10_11_people new13.png
_NAME = re.compile(
    r"(?P<target>[0-9]{1,9})_(?P<count>[^_]+)_(?P<key>[^\W\d_]+)[_ ](?P<tag>[a-z]*)(?P<number>[0-9]{1,9})"
)


def _is_a_prompt(stem: str) -> bool:
    """Tell the prompt "3 small apples", as 3_small_apples_000001, from a count in words, as 3_many_apples_1."""
    return is_named_by_prompt(stem) and not stem.split("_")[1].strip("<>+").isdecimal()


NAMING = FileNaming(
    "numbersense", "3_4_apples_17.png", _NAME, category_and_number, has_category_folders=True, is_other=_is_a_prompt
)
