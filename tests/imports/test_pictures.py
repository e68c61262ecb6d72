"""Pictures from a folder or a zip: what is one makes a run, and everything else is refused by its name."""

import io
import os
import re
import stat
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from subitize.annotation.pages import collect_pages
from subitize.errors import BadFileError, BadValueError, ConflictError
from subitize.imports.pictures import open_pictures, read_asks
from subitize.interfaces import NoEvents
from subitize.records import Choose, Confirm, Count, Name, Question, Transcribe
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call

HOW_MANY = "How many apples are there?"


def png(level: int = 90, size: tuple[int, int] = (30, 20)) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.full((size[1], size[0], 3), level, dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def zipped(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def test_pictures_of_a_folder_or_a_zip_are_pages_of_a_run(tmp_path: Path) -> None:
    members = {"a.png": png(1), "more/b.PNG": png(2), "notes.txt": b"hello", "__MACOSX/a.png": b"", ".hid.png": b""}
    for name, data in members.items():
        (tmp_path / "crate" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "crate" / name).write_bytes(data)
    (tmp_path / "crate" / "more" / "back").symlink_to(tmp_path / "crate")
    zipped(tmp_path / "box.zip", members)
    for source, maker in (("crate", "crate"), ("box.zip", "box")):
        done = call("import", "images", tmp_path / source, "--out", tmp_path / "run", "--question", HOW_MANY)
        assert (done.code, done.err) == (0, "")
        assert done.out == f"2 images added; see: subitize annotate {tmp_path / 'run'}\n"
        with Run(Folder(tmp_path / "run")) as run:
            pages = [page for page in collect_pages(run).pages if page.model == maker]
            assert [page.prompt for page in pages] == ["a.png", "more/b.PNG"]
            assert {(page.forms, page.asks[0].question) for page in pages} == {(("count",), Count("apple"))}
            assert [run.image_files.load(page.pictures[0]) for page in pages] == [png(1), png(2)]
    again = call("import", "images", tmp_path / "crate", "--out", tmp_path / "run", "--question", HOW_MANY)
    assert "0 images added, 2 there already" in again.out


def test_other_questions_about_the_same_pictures_are_refused(tmp_path: Path) -> None:
    pictures = open_pictures(zipped(tmp_path / "box.zip", {"a.png": png()}))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        pictures.store(run, read_asks([HOW_MANY]), NoEvents())
        with pytest.raises(ConflictError):
            pictures.store(run, read_asks(["Is it sharp?"]), NoEvents())


QUESTIONS: dict[str, Question] = {
    "How many red apples are there?": Count("red apple"),
    "how many people": Count("person"),
    "How many cats can you see?": Count("cat"),
    "few cats | many cats": Choose(("few cats", "many cats")),
    "What is written in it?": Transcribe(),
    "What does it show?": Name(),
    "Are there more cats than dogs?": Confirm("Are there more cats than dogs?", is_informed=False),
}


def test_the_words_of_a_question_tell_how_it_is_answered(case: Case) -> None:
    for text, question in QUESTIONS.items():
        with case(text):
            assert [ask.question for ask in read_asks([text])] == [question]
    for bad in ([" "], ["one |"], ["a | a"], [HOW_MANY, "How many apples do you see?"]):
        with case(bad), pytest.raises(BadValueError):
            read_asks(bad)


def image_bomb() -> bytes:
    """A few bytes that decode to 4 gigapixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 65_535, 65_535, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def link() -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("link.png")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


NO_PICTURES: dict[str, bytes] = {
    "vector.png": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
    "page.png": b"<!doctype html><script>alert(1)</script>",
    "huge.png": image_bomb(),
    "cut.png": png()[:60],
    "empty.png": b"",
}


def test_what_is_no_picture_is_refused_by_its_name_and_leaves_no_run(tmp_path: Path, case: Case) -> None:
    for name, data in NO_PICTURES.items():
        folder = tmp_path / f"folder of {name}"
        folder.mkdir()
        (folder / name).write_bytes(data)
        (folder / "a.png").write_bytes(png())
        archive = zipped(tmp_path / f"{name}.zip", {"a.png": png(), name: data})
        for source in (folder, archive):
            with case((name, source.name)):
                done = call("import", "images", source, "--out", tmp_path / "run", "--question", HOW_MANY)
                assert done.code == 2
                assert done.err.startswith(f"subitize: {name}: ")
                assert not (tmp_path / "run").exists()


def test_members_that_no_honest_zip_has_are_refused_by_their_names(tmp_path: Path, case: Case) -> None:
    names = ("../out.png", "/etc/out.png", "a/../../out.png", "..\\out.png", "C:out.png", "a\nb.png")
    for name in names:
        with case(name), pytest.raises(BadFileError, match="leads out of the zip") as refused:
            open_pictures(zipped(tmp_path / "box.zip", {name: png()}))
        assert repr(name) in str(refused.value)
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as archive:
        archive.writestr(link(), "/etc/passwd")
    with pytest.raises(BadFileError, match=r"'link\.png': a link"):
        open_pictures(tmp_path / "links.zip")


def change(archive: Path, find: bytes, put: Callable[[bytearray, int], None]) -> Path:
    """Change a zip at every place where something stands."""
    data = bytearray(archive.read_bytes())
    place = data.find(find)
    while place >= 0:
        put(data, place)
        place = data.find(find, place + 1)
    archive.write_bytes(data)
    return archive


def test_damaged_and_encrypted_members_are_refused(tmp_path: Path) -> None:
    def encrypt(data: bytearray, place: int) -> None:
        data[place + 8] |= 1

    with pytest.raises(BadFileError, match="encrypted"):
        open_pictures(change(zipped(tmp_path / "locked.zip", {"a.png": png()}), b"PK\x01\x02", encrypt))
    damaged = zipped(tmp_path / "damaged.zip", {"a.png": png()}, zipfile.ZIP_STORED)
    with pytest.raises(BadFileError, match=r"a\.png: cannot be unpacked"):
        open_pictures(change(damaged, b"IDAT", lambda data, place: data.__setitem__(place + 6, data[place + 6] ^ 255)))
    (tmp_path / "no.zip").write_bytes(b"PK no zip")
    with pytest.raises(BadFileError, match="neither a folder nor a zip"):
        open_pictures(tmp_path / "no.zip")
    with pytest.raises(BadFileError, match="no pictures"):
        open_pictures(zipped(tmp_path / "words.zip", {"a.txt": b"hello"}))


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    with (
        zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("bomb.png", "w", force_zip64=True) as member,
    ):
        for _ in range(40):
            member.write(bytes(1_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(BadFileError, match=r"'bomb\.png': 40,000,000 bytes packed into"):
            open_pictures(tmp_path / "bomb.zip")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_a_member_that_is_too_large_or_lies_about_its_size_is_refused(tmp_path: Path, case: Case) -> None:
    for claimed, message in ((100, r"a\.png: "), (300_000_000, r"'a\.png': 300,000,000 bytes; at most 256,000,000")):

        def claim(data: bytearray, place: int, claimed: int = claimed) -> None:
            data[place + 24 : place + 28] = struct.pack("<I", claimed)

        archive = zipped(tmp_path / "box.zip", {"a.png": png(size=(300, 300))}, zipfile.ZIP_STORED)
        with case(claimed), pytest.raises(BadFileError, match=message):
            open_pictures(change(archive, b"PK\x01\x02", claim))


def test_links_out_of_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "secret.png").write_bytes(png())
    os.symlink(tmp_path / "secret.png", tmp_path / "folder" / "inside.png")
    with pytest.raises(BadFileError, match=r"inside\.png: a link that leads out"):
        open_pictures(tmp_path / "folder")


@pytest.mark.slow
def test_what_nobody_knows_the_answer_to_has_no_accuracy(tmp_path: Path) -> None:
    zipped(tmp_path / "box.zip", {f"{place}.png": png(place) for place in range(3)})
    call("import", "images", tmp_path / "box.zip", "--out", tmp_path / "run", "--question", HOW_MANY)
    said = [f"{person},{place}.png,{place}" for person in ("ann", "ben") for place in range(3)]
    (tmp_path / "said.csv").write_text("\n".join(["annotator,image,answer", *said]), encoding="utf-8")
    assert call("import", "readings", tmp_path / "said.csv", "--run", tmp_path / "run").code == 0
    measures = {one["measure"] for one in call("score", tmp_path / "run", "--json").json()}
    assert measures == {"discarded", "refused"}
    (concord,) = call("agree", tmp_path / "run", "--json").json()
    assert concord["units"] == 3
    assert call("report", tmp_path / "run", "-o", tmp_path / "report.html").code == 0
    report = (tmp_path / "report.html").read_text("utf-8")
    assert set(re.findall(r"data-outcome=\"(\w+)\"", report)) == {"unknown"}
