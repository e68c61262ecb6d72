"""How GeckoNum's images are named: geckonum_00012_3.png is the fourth image of the twelfth prompt."""

import re

from subitize.models.image_folders import FileNaming, last_of_key

NAMING = FileNaming(
    "geckonum",
    "geckonum_00012_3.png",
    re.compile(r"(?P<key>geckonum_\d{5})(?:_(?P<number>\d{1,9}))?", re.ASCII | re.IGNORECASE),
    last_of_key,
)
