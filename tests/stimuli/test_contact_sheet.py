"""The contact sheet shows every drawing, and the one in the documentation is up to date."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.stimuli.export import contact_sheet

IN_DOCS = Path(__file__).parents[2] / "docs" / "glyphs.png"


@pytest.mark.slow
def test_the_sheet_in_the_documentation_shows_the_drawings_there_are() -> None:
    with Image.open(IN_DOCS) as stored:
        known = np.asarray(stored.convert("RGB")).astype(int)
    now = np.asarray(contact_sheet()).astype(int)
    assert known.shape == now.shape, "run: subitize list glyphs --out docs/glyphs.png"
    differs = np.abs(known - now).max(axis=2) > 60
    assert differs.mean() < 0.001, "run: subitize list glyphs --out docs/glyphs.png"
