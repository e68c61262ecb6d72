"""What drawings look like is kept between processes, and made anew wherever that fails."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import subitize.stimuli.glyphs
import subitize.stimuli.references
from subitize.stimuli.glyphs import GLYPHS
from subitize.stimuli.references import References, all_references, look_at_drawings, references


@pytest.fixture(autouse=True)
def _few_drawings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Looking at all of them takes a second; that there are fewer is forgotten afterwards."""
    few = {noun: GLYPHS[noun] for noun in ("apple", "dot", "pizza")}
    monkeypatch.setattr(subitize.stimuli.references, "GLYPHS", few)
    forget()
    yield
    forget()


def forget() -> None:
    references.cache_clear()
    all_references.cache_clear()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "subitize"


def recall() -> References:
    forget()
    return all_references()


def assert_same(one: References, other: References) -> None:
    assert one.nouns == other.nouns
    for field in fields(References):
        assert np.array_equal(np.asarray(getattr(one, field.name)), np.asarray(getattr(other, field.name)))


def test_what_is_recalled_is_what_was_seen(cache: Path) -> None:
    first, recalled = recall(), recall()
    assert first is not recalled
    assert_same(first, recalled)
    assert_same(recalled, look_at_drawings())
    assert len(list(cache.glob("*"))) == 1


def test_things_drawn_plain_are_known_only_where_they_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, known = references(), recall()
    assert 0 < len(usual.nouns) < len(known.nouns)
    with monkeypatch.context() as patch:
        patch.setattr(subitize.stimuli.references, "BARE", ())
        assert_same(usual, look_at_drawings())


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut short"], ids=["empty", "text", "cut"])
def test_a_spoilt_file_is_replaced(cache: Path, content: bytes) -> None:
    recall()
    (file,) = cache.glob("*")
    whole = file.stat().st_size
    file.write_bytes(content)
    assert recall().nouns
    assert file.stat().st_size == whole


@pytest.mark.parametrize("module", ["stimuli/segmentation.py", "stimuli/cuts.py", "stimuli/glyphs.py"])
def test_where_the_code_that_draws_or_looks_has_changed_it_is_looked_again(
    module: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "package"
    own = Path(subitize.stimuli.references.__file__).parent
    shutil.copytree(own, package / "stimuli", ignore=shutil.ignore_patterns("clipart", "__pycache__"))
    monkeypatch.setattr(subitize.stimuli.references, "__file__", str(package / "stimuli" / "references.py"))
    recall()
    (package / module).write_text("# other code")
    recall()
    assert len(list(cache.glob("*"))) == 2


def test_where_other_drawings_are_whole_it_is_looked_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recall()
    monkeypatch.setattr(subitize.stimuli.glyphs, "UNCUT", {"apple": (0,)})
    recall()
    assert len(list(cache.glob("*"))) == 2


def test_files_of_other_versions_are_removed_after_a_month(cache: Path) -> None:
    cache.mkdir()
    day_seconds = 24 * 3600
    ages = {"references-1.npz": 31, "references-2.npz.7.partial": 31, "references-3.npz": 29, "parts-1-1.npz": 31}
    for name, days in ages.items():
        (cache / name).write_bytes(b"of another version")
        os.utime(cache / name, (time.time() - days * day_seconds,) * 2)
    recall()
    (own,) = {file.name for file in cache.glob("*")} - {"references-3.npz", "parts-1-1.npz"}
    assert own not in ages
    recall()
    assert (cache / own).exists()


def test_without_a_place_to_keep_it_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert recall().nouns


@pytest.mark.slow
def test_of_processes_that_start_together_one_looks(cache: Path) -> None:
    children = [subprocess.Popen([sys.executable, "-c", _LOOK], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = [child.communicate(timeout=60)[0].strip() for child in children]
    assert sorted(told) == ["looked", "recalled"]


# Looks at one drawing, and takes its time.
_LOOK = """
import time
from subitize.stimuli import references
look, told = references.look_at_drawings, ["recalled"]
def look_slowly():
    told[0] = "looked"
    time.sleep(1)
    return look()
references.GLYPHS = {"dot": references.GLYPHS["dot"]}
references.look_at_drawings = look_slowly
references.all_references()
print(told[0])
"""
