"""Captions from files of every format, and what is said of files that cannot be read."""

import gzip
import json
import re
from pathlib import Path
from unittest import mock

import polars as pl
import pytest

from subitize.corpus import files as shards
from subitize.corpus.files import (
    CorpusLayout,
    Problems,
    Shard,
    check_shard,
    choose_layout,
    find_shards,
    local_copy,
    read_batches,
)
from subitize.errors import BadFileError, BadValueError, SubitizeError, UnknownNameError
from tests.cases import Case

CAPTIONS = ["two dogs", 'a "cat", asleep', "drei Äpfel"]
ADDRESSES = ["http://a/1", "http://a/2", "http://a/3"]


def read(path: Path, layout: CorpusLayout) -> tuple[list[str | None], list[str | None], Problems]:
    """Read a file as it is read in counting."""
    (shard,) = find_shards([str(path)])
    check_shard(shard, path, layout)
    problems = Problems()
    batches = list(read_batches(shard, path, layout, problems))
    addresses = [one for batch in batches if batch.addresses is not None for one in batch.addresses]
    return [one for batch in batches for one in batch.captions], addresses, problems


def write_all(folder: Path) -> dict[str, CorpusLayout]:
    """Write the same captions in every format, and say how each is laid out."""
    rows = list(zip(CAPTIONS, ADDRESSES, strict=True))
    frame = pl.DataFrame({"TEXT": CAPTIONS, "URL": ADDRESSES})
    frame.write_parquet(folder / "a.parquet")
    frame.write_csv(folder / "a.csv")
    lines = "".join(json.dumps({"text": one, "url": address}) + "\n" for one, address in rows)
    (folder / "a.jsonl").write_text(lines)
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (folder / "cc3m.tsv").write_text("".join(f"{one}\t{address}\n" for one, address in rows))
    (folder / "cc12m.tsv").write_text("".join(f"{address}\t{one}\n" for one, address in rows))
    annotations = [{"image_id": address, "id": 1, "caption": one} for one, address in rows]
    info = {"info": {"annotations": "none"}, "images": [{"id": 3}], "annotations": annotations, "licenses": []}
    (folder / "coco.json").write_text(json.dumps(info))
    talks = [
        {"image": address, "conversations": [{"from": "human", "value": "?"}, {"from": "gpt", "value": one}]}
        for one, address in rows
    ]
    (folder / "sharegpt4v.json").write_text(json.dumps(talks, indent=2))
    laion, lines_layout = choose_layout("laion", None, None), choose_layout("datacomp", None, None)
    return {
        "a.parquet": laion,
        "a.csv": laion,
        "a.jsonl": lines_layout,
        "a.jsonl.gz": lines_layout,
        **{f"{name}.tsv": choose_layout(name, None, None) for name in ("cc3m", "cc12m")},
        **{f"{name}.json": choose_layout(name, None, None) for name in ("coco", "sharegpt4v")},
    }


def test_every_format_gives_the_same_captions(tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "_ROWS", 2)  # so that there are several batches
    monkeypatch.setattr(shards, "_PEEK_BYTES", 40)  # and several pieces of a JSON file
    for name, layout in write_all(tmp_path).items():
        with case(name):
            captions, addresses, problems = read(tmp_path / name, layout)
            assert (captions, addresses, problems.count) == (CAPTIONS, ADDRESSES, 0)


@pytest.mark.spacy
def test_zstandard_is_read(tmp_path: Path) -> None:
    import zstandard

    path = tmp_path / "a.csv.zst"
    frames = [zstandard.compress(text) for text in (b"TEXT\ntwo dogs\n", b"three cats\n" * 100_000)]
    path.write_bytes(b"".join(frames))
    captions, _, problems = read(path, CorpusLayout("TEXT"))
    assert (captions, problems.count) == (["two dogs"] + ["three cats"] * 100_000, 0)


@pytest.mark.spacy
def test_damaged_zstandard_counts_up_to_there(tmp_path: Path, case: Case) -> None:
    import zstandard

    whole = zstandard.compress(b"TEXT\n" + b"".join(b"%d dogs\n" % (n * 7919 % 100_003) for n in range(100_000)))
    broken = whole[: len(whole) // 2] + bytes(100) + whole[len(whole) // 2 + 100 :]
    for name, data in {"cut": whole[: len(whole) // 2], "broken": broken}.items():
        path = tmp_path / f"{name}.csv.zst"
        path.write_bytes(data)
        with case(name):
            captions, _, problems = read(path, CorpusLayout("TEXT"))
            assert len(captions) < 100_000
            assert "ends too early" in problems.first[0]
    (tmp_path / "other.csv.zst").write_bytes(b"not zstandard")
    with pytest.raises(BadFileError, match="cannot be unpacked"):
        read(tmp_path / "other.csv.zst", CorpusLayout("TEXT"))


@pytest.mark.spacy
def test_addresses_are_fetched() -> None:
    import fsspec

    files = fsspec.filesystem("memory")
    for name in "ab":
        files.pipe(f"/corpus/{name}.csv", b"TEXT\ntwo dogs\n")
    found = find_shards(["memory://corpus/*.csv"])
    assert [shard.name for shard in found] == ["memory:///corpus/a.csv", "memory:///corpus/b.csv"]
    with local_copy(found[0]) as path:
        assert next(read_batches(found[0], path, CorpusLayout("TEXT"), Problems())).captions.to_list() == ["two dogs"]
    assert not path.exists()


def test_missing_captions_are_missing(tmp_path: Path) -> None:
    pl.DataFrame({"TEXT": ["two dogs", None]}).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_text('{"TEXT": null}\n\n{"TEXT": 3}\n')
    assert read(tmp_path / "a.parquet", CorpusLayout("TEXT"))[0] == ["two dogs", None]
    assert read(tmp_path / "b.jsonl", CorpusLayout("TEXT"))[0] == [None, "3"]


def test_a_broken_part_of_a_parquet_file_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    captions = [f"{number} dogs and {number} cats" for number in range(40_000)]
    pl.DataFrame({"TEXT": captions}).write_parquet(path, row_group_size=10_000, compression="zstd")
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 200] = bytes(200)
    path.write_bytes(data)
    found, _, problems = read(path, CorpusLayout("TEXT"))
    assert 20_000 <= len(found) < 40_000
    assert set(found) < set(captions)
    assert problems.count >= 1
    assert re.search(r"a\.parquet: rows [\d,]+ to [\d,]+ cannot be read", problems.first[0])


def test_broken_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"TEXT": "two dogs"}\n{"TEXT": \n{"TEXT": "a cat"}\n')
    captions, _, problems = read(tmp_path / "a.jsonl", CorpusLayout("TEXT"))
    assert captions == ["two dogs", "a cat"]
    assert problems.count == 1
    assert "a.jsonl line 2: no JSON" in problems.first[0]
    (tmp_path / "a.tsv").write_text("http://a\ttwo dogs\nhttp://b\nhttp://c\ta cat\n")
    captions, _, problems = read(tmp_path / "a.tsv", choose_layout("cc12m", None, None))
    assert captions == ["two dogs", "a cat"]
    assert "a.tsv line 2: 1 fields instead of 2" in problems.first[0]
    (tmp_path / "a.csv").write_text(f"TEXT\ntwo dogs\n{'x' * 200_000}\na cat\n")
    captions, _, problems = read(tmp_path / "a.csv", CorpusLayout("TEXT"))
    assert captions == ["two dogs", "a cat"]
    assert "a.csv line 3: field larger than field limit" in problems.first[0]


def test_a_csv_may_have_semicolons_and_blank_rows(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        '\ufeffTEXT;URL\ntwo dogs, asleep;http://a\n;\n\n"a; cat";http://b\n', encoding="utf-8"
    )
    captions, addresses, problems = read(tmp_path / "a.csv", CorpusLayout("TEXT", "URL"))
    assert (captions, addresses, problems.count) == (["two dogs, asleep", "a; cat"], ["http://a", "http://b"], 0)


def test_a_file_that_ends_too_early_counts_up_to_there(tmp_path: Path) -> None:
    lines = "TEXT\n" + "".join(f"{number} dogs\n" for number in range(100_000))
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(lines.encode())[:-50_000])
    captions, _, problems = read(tmp_path / "a.csv.gz", CorpusLayout("TEXT"))
    assert 1_000 < len(captions) < 100_000
    assert "ends too early" in problems.first[0]
    (tmp_path / "a.json").write_text('[{"TEXT": "two dogs"}, {"TEXT": "a c')
    captions, _, problems = read(tmp_path / "a.json", CorpusLayout("TEXT"))
    assert captions == ["two dogs"]
    assert "the rest is no JSON" in problems.first[0]


def test_after_a_broken_entry_a_json_is_read_no_further(tmp_path: Path) -> None:
    """Reading on, in the hope that more text mends it, takes time that grows with the square of the file."""
    shard = tmp_path / "a.json"
    shard.write_text('[{"TEXT": "two dogs"}, {"TEXT" "a cat"}, ' + '{"TEXT": "three cats"}, ' * 200_000 + "]")
    with mock.patch("json.JSONDecoder.raw_decode", autospec=True, side_effect=json.JSONDecoder.raw_decode) as decoded:
        captions, _, problems = read(shard, CorpusLayout("TEXT"))
    assert captions == ["two dogs"]
    assert "the rest is no JSON (Expecting ':' delimiter" in problems.first[0]
    assert decoded.call_count < 5  # of 200,000 entries that follow


def test_entries_cut_anywhere_by_the_pieces_of_a_file_are_read_whole(tmp_path: Path) -> None:
    shard, captions = tmp_path / "a.json", [f'{number} dögs 😀 \\ " of {number}' for number in range(300)]
    entries = [{"TEXT": caption, "n": -1.5e-300, "is": False, "other": None} for caption in captions]
    shard.write_text(json.dumps(entries))
    for size in (1, 2, 3, 5, 17):
        with mock.patch("subitize.corpus.files._PEEK_BYTES", size):
            assert read(shard, CorpusLayout("TEXT"))[0] == captions


def test_what_cannot_be_read_is_said(tmp_path: Path, case: Case) -> None:
    write_all(tmp_path)
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "binary.parquet").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "binary.jsonl.gz").write_bytes(b"not gzip")
    (tmp_path / "words.jsonl").write_text("two dogs\na cat\n")
    (tmp_path / "words.json").write_text("two dogs")
    (tmp_path / "numbers.jsonl").write_text("1\n2\n")
    (tmp_path / "empty.csv").write_text("")
    pl.DataFrame({"TEXT": [1, 2]}).write_parquet(tmp_path / "numbers.parquet")
    cases: list[tuple[str, CorpusLayout, type[SubitizeError], str]] = [
        ("a.parquet", CorpusLayout("text"), BadValueError, "no column 'text'; there are: TEXT, URL"),
        ("a.csv", CorpusLayout("text"), BadValueError, "no column 'text'; there are: TEXT, URL"),
        ("a.csv", CorpusLayout("TEXT", "address"), BadValueError, "no column 'address'; there are: TEXT, URL"),
        ("a.jsonl", CorpusLayout("caption"), BadValueError, "no column 'caption'; there are: text, url"),
        ("binary.csv", CorpusLayout("TEXT"), BadFileError, "a binary file, not CSV"),
        ("binary.parquet", CorpusLayout("TEXT"), BadFileError, "no Parquet file that can be read"),
        ("binary.jsonl.gz", CorpusLayout("TEXT"), BadFileError, "cannot be unpacked"),
        ("words.jsonl", CorpusLayout("TEXT"), BadFileError, "no line of it is JSON"),
        ("words.json", CorpusLayout("TEXT"), BadFileError, "no list of JSON objects"),
        ("numbers.jsonl", CorpusLayout("TEXT"), BadFileError, "'1' is no JSON object"),
        ("numbers.parquet", CorpusLayout("TEXT"), BadFileError, "column 'TEXT' holds Int64, not text"),
        ("empty.csv", CorpusLayout("TEXT"), BadValueError, "no column 'TEXT'; there are: none"),
    ]
    for name, layout, kind, message in cases:
        with case(name), pytest.raises(kind, match=re.escape(message)):
            read(tmp_path / name, layout)


def test_files_are_found_once_and_in_order(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c.txt"):
        (tmp_path / name).write_text("TEXT\n")
    found = find_shards([str(tmp_path / "*.csv"), str(tmp_path / "a.csv")])
    assert [Path(shard.name).name for shard in found] == ["a.csv", "b.csv"]
    with pytest.raises(BadFileError, match=r"no file matches .*\*\.parquet"):
        find_shards([str(tmp_path / "*.parquet")])
    with pytest.raises(BadFileError, match="no known format; its name should end in"):
        find_shards([str(tmp_path / "c.txt")])


def test_a_file_with_brackets_in_its_name_is_found_by_it_and_by_patterns(tmp_path: Path) -> None:
    for name in ("captions[1].csv", "captions[2].csv", "captions1.csv"):
        (tmp_path / name).write_text("caption\ntwo dogs\n")
    found = find_shards([str(tmp_path / "captions[1].csv")])
    assert [Path(shard.name).name for shard in found] == ["captions[1].csv"]
    found = find_shards([str(tmp_path / "captions[[]*.csv")])
    assert [Path(shard.name).name for shard in found] == ["captions[1].csv", "captions[2].csv"]


def test_a_layout_is_a_preset_or_a_column() -> None:
    assert choose_layout("laion", None, None) == CorpusLayout("TEXT", "URL")
    assert choose_layout("laion", "caption", None) == CorpusLayout("caption", "URL")
    assert choose_layout(None, "caption", "link") == CorpusLayout("caption", "link")
    with pytest.raises(BadValueError, match="`column` NAME or `preset` laion"):
        choose_layout(None, None, None)
    with pytest.raises(UnknownNameError, match="known: cc12m, cc3m, coco"):
        choose_layout("laoin", None, None)


def test_a_file_of_another_time_is_another_shard() -> None:
    assert Shard("a.csv", 1, "1") != Shard("a.csv", 1, "2")
