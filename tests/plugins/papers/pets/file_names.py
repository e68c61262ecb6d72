"""How the paper's images are named: pet-dog-3-0.png is the first image of three dogs."""

import re

from subitize.models.image_folders import FileNaming

NAMING = FileNaming(
    "pets",
    "pet-dog-3-0.png",
    re.compile(r"pet-(?P<key>[a-z]+-\d{1,3})-(?P<number>\d{1,3})", re.ASCII),
    key=lambda key: key.replace("/", "-"),
    numbers_are_repeats=True,
)
