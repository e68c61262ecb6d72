"""Sizes of pictures, as options say them."""

import re

from subitize.errors import BadValueError


def read_size(size: str | None) -> tuple[int, int] | None:
    """Read width and height; None where no size is given."""
    if not size:
        return None
    shape = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})", size, re.ASCII)
    if not shape:
        raise BadValueError(f"size={size!r}: should be width and height, as in size=1024x768")
    return int(shape[1]), int(shape[2])
