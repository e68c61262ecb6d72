"""How GIMBRR's images are named: p801_1_v0.0.5_pd230208.png is the first image of prompt 801."""

import re

from subitize.models.image_folders import FileNaming, last_of_key


def _number_of_prompt(key: str) -> str:
    number = last_of_key(key).removeprefix("p")
    return str(int(number)) if number.isdecimal() else ""


NAMING = FileNaming(
    "gimbrr",
    "p801_1_v0.0.5_pd230208.png",
    re.compile(r"p(?P<key>\d{1,9})_(?P<number>\d{1,9})_v.+", re.ASCII),
    _number_of_prompt,
)
