"""What drawings look like is kept between processes, and made anew wherever that fails."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from subitize.vision.references import References, look_at_drawings, references
from thoroughness import thorough


@pytest.fixture(scope="module")
def seen() -> References:
    return look_at_drawings()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "subitize"


def recall() -> References:
    references.cache_clear()
    return references()


def assert_same(one: References, other: References) -> None:
    assert one.nouns == other.nouns
    for field in fields(References):
        assert np.array_equal(np.asarray(getattr(one, field.name)), np.asarray(getattr(other, field.name)))


def test_what_is_recalled_is_what_was_seen(cache: Path, seen: References) -> None:
    first, recalled = recall(), recall()
    assert first is not recalled
    assert_same(first, recalled)
    assert_same(recalled, seen)
    assert len(list(cache.glob("*"))) == 1


@thorough
@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut short"], ids=["empty", "text", "cut"])
def test_a_spoilt_file_is_replaced(cache: Path, content: bytes) -> None:
    recall()
    (file,) = cache.glob("*")
    whole = file.stat().st_size
    file.write_bytes(content)
    assert recall().nouns
    assert file.stat().st_size == whole


def test_without_a_place_to_keep_it_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert recall().nouns
