"""Imports the pictures of a folder or zip as a run, with questions about each in the user's words.

The wording decides the kind of answer; files that are not pictures are refused by name."""

import re
import stat
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from subitize import records
from subitize.errors import BadFileError, BadValueError
from subitize.interfaces import Events, watch
from subitize.io.files import open_zip, reading
from subitize.io.images import LARGEST_FILE_BYTES, decode, image_format, read_image, read_zipped
from subitize.language.nouns import singular
from subitize.language.questions import LINES_WORDING
from subitize.models.image_folders import SUFFIXES, FolderTree, storable
from subitize.store import Run
from subitize.store.images import Images

MOST_PICTURES = 100_000
_MOST_ENTRIES = 1_000_000
_MOST_BYTES = 50_000_000_000
# Pictures are compressed already: a zip makes them hardly any smaller.
_MOST_RATIO, _RATIO_FROM_BYTES = 100, 10_000_000
_AT_ONCE, _THREADS = 16, 4


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures, all checked before there is a run."""

    source: "_PictureSource"
    suite: str
    maker: str

    def store(self, run: Run, asks: Sequence[records.Ask], events: Events) -> int:
        """Add the pictures to a run with questions about each, all or none; return how many are new."""
        names = self.source.names
        items = {name: records.Item(f"{self.suite}/{name}", records.Draw(name), tuple(asks), {}) for name in names}
        maker = records.Spec(self.maker, {}, self.maker)
        with run.lease(f"model {self.maker}") as lease:
            run.sweep(lease)  # images that a killed process stored but did not name
            run.add_suite(records.Spec(self.suite, {}, self.suite), 0, items.values())
            run.add_model(maker, is_stand_in=False)
            finished = run.finished(self.maker)
            trials = {name: records.Trial(item.id, maker.text, maker.options) for name, item in items.items()}
            new = {name: trial for name, trial in trials.items() if trial.id not in finished}
            responses = []
            for count, name in enumerate(watch(events, "images", new)):
                responses.append(self._response(run.image_files, new[name], name))
                if count % _AT_ONCE == 0:
                    run.renew(lease)
            run.add_responses(lease, responses)
        return len(new)

    def _response(self, images: Images, trial: records.Trial, name: str) -> records.Response:
        data = self.source.read(name)
        stored = images.save(data, image_format(data))
        return records.Response(trial, records.Drawn(stored), records.Provenance(0, "", parameters={"file": name}))


def open_pictures(path: Path, maker: str = "") -> Pictures:
    """Check all pictures of a folder or zip; refuse them all if one cannot be decoded.

    Their suite is named after the folder or zip, and so is their maker unless one is given.
    """
    source = _ZipSource(path) if path.is_file() else _FolderSource(path)
    if not source.names:
        raise BadFileError(f"{path} has no pictures: files that end in {', '.join(SUFFIXES)}")
    if len(source.names) > MOST_PICTURES:
        raise BadFileError(f"{path} has {len(source.names):,} pictures; at most {MOST_PICTURES:,} make a run")
    _check_all(source)
    stem = re.sub(r"[^\w.-]+", "-", path.resolve().stem) or "pictures"
    return Pictures(source, f"images-{stem}", _check_maker(maker) if maker else stem)


def _check_maker(maker: str) -> str:
    if not (maker.isprintable() and maker.strip() == maker and len(maker) <= 200):
        raise BadValueError(f"`model` {maker[:70]!r}: a name has at most 200 printable characters")
    return maker


def _check_all(source: "_PictureSource") -> None:
    """Decode every picture, a few at a time; nothing is kept."""
    remaining = iter(source.names)
    with ThreadPoolExecutor(_THREADS) as threads:
        while chunk := list(islice(remaining, _AT_ONCE)):
            for fault in threads.map(lambda name: _find_fault(source, name), chunk):
                if fault:
                    raise BadFileError(f"{fault}; nothing was imported")


def _find_fault(source: "_PictureSource", name: str) -> str:
    try:
        decode(source.read(name))
    except BadFileError as error:
        return f"{name}: {error}"
    return ""


class _FolderSource:
    """The pictures in a folder and its subfolders; links that lead out of it are refused."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise BadFileError(f"{path} is neither a folder nor a zip of pictures")
        self._tree, self._seen = FolderTree(path), set[str]()
        with reading(path):
            self._real = {storable(name): name for name in self._list("")}
        self.names: Sequence[str] = sorted(self._real)

    def read(self, name: str) -> bytes:
        """Read a file; refuse one that is too large, or not a regular file, before it is read."""
        return read_image(self._tree.path(self._real[name]))

    def _list(self, folder: str) -> Iterator[str]:
        real = self._tree.resolve(folder) if folder else self._tree.root
        if real in self._seen:  # a link leads back to it
            return
        self._seen.add(real)
        entries = self._tree.entries(folder)
        for one in entries.left:
            raise BadFileError(f"{one}; take it away")
        yield from entries.images
        for below in entries.folders:
            yield from self._list(below)


class _ZipSource:
    """The pictures in a zip, read from it one by one: nothing is unpacked."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = open_zip(path)
        except BadFileError as error:
            raise BadFileError(f"{path} is neither a folder nor a zip of pictures ({error})") from None
        entries = self._archive.infolist()
        if len(entries) > _MOST_ENTRIES:
            raise BadFileError(
                f"{path.name} has {len(entries):,} members; at most {_MOST_ENTRIES:,} are looked through"
            )
        members: dict[str, zipfile.ZipInfo] = {}
        for entry in entries:
            _check_member(path.name, entry)
            if _is_picture(entry):
                if entry.filename in members:
                    raise BadFileError(f"{path.name}: {entry.filename!r} is in it twice; which is meant?")
                members[entry.filename] = entry
        total = sum(entry.file_size for entry in members.values())
        if total > _MOST_BYTES:
            raise BadFileError(f"{path.name}: {total:,} bytes once unpacked are too many; at most {_MOST_BYTES:,}")
        self.names: Sequence[str] = sorted(members)

    def read(self, name: str) -> bytes:
        """Read a member up to the size of the largest picture."""
        return read_zipped(self._archive, name)


_PictureSource = _FolderSource | _ZipSource


def _is_picture(entry: zipfile.ZipInfo) -> bool:
    parts = PurePosixPath(entry.filename).parts
    is_hidden = any(part.startswith(".") or part == "__MACOSX" for part in parts)
    return not entry.is_dir() and not is_hidden and entry.filename.lower().endswith(SUFFIXES)


def _check_member(archive: str, entry: zipfile.ZipInfo) -> None:
    """Refuse a member that no well-meant zip of pictures has."""
    name = entry.filename
    parts = PurePosixPath(name).parts
    fault = ""
    if name.startswith("/") or ".." in parts or "\\" in name or ":" in name or not name.isprintable():
        fault = "its name leads out of the zip, or cannot be a file's"
    elif stat.S_ISLNK(entry.external_attr >> 16):
        fault = "a link"
    elif entry.flag_bits & 0x1:
        fault = "encrypted"
    elif _is_picture(entry) and entry.file_size > LARGEST_FILE_BYTES:
        fault = f"{entry.file_size:,} bytes; at most {LARGEST_FILE_BYTES:,} are read, so resize the picture first"
    elif entry.file_size > max(_RATIO_FROM_BYTES, _MOST_RATIO * entry.compress_size) and _is_picture(entry):
        fault = f"{entry.file_size:,} bytes packed into {entry.compress_size:,}, as no picture is"
    if fault:
        raise BadFileError(f"{archive}: {name!r}: {fault}; make the zip without it")


_LINE_BREAK = "|"
_HOW_MANY = re.compile(r"how many (?P<noun>.+?)(?: (?:are|is|do|does|can|in|on) .*)?\?*", re.IGNORECASE)
_WRITTEN = re.compile(r"what (?:text |words? )?(?:is|are|does it|do they) (?:written|say)\b.*", re.IGNORECASE)
_WHAT = re.compile(r"what\b.*", re.IGNORECASE)


def read_asks(texts: Iterable[str]) -> tuple[records.Ask, ...]:
    """Read questions: `How many X …?` asks for a count, `What …?` for words, any other for yes or no.

    Texts separated by | are a choice. The right answers are not known.
    """
    known: dict[str, records.Ask] = {}
    for text in (" ".join(text.split()) for text in texts):
        question = _read_question(text)
        ask = records.Ask(question, LINES_WORDING if isinstance(question, records.Choose) else text, ())
        other = known.setdefault(ask.question.id, ask)
        if other is not ask:
            raise BadValueError(f"`question` {ask.wording!r} asks the same as {other.wording!r}; leave one out")
    return tuple(known.values())


def _read_question(text: str) -> records.Question:
    if not text:
        raise BadValueError("`question` is empty; ask something, as in `question` 'How many apples are there?'")
    if _LINE_BREAK in text:
        return records.Choose(_read_lines(text))
    if counted := _HOW_MANY.fullmatch(text):
        return records.Count(singular(counted["noun"].lower()))
    if _WRITTEN.fullmatch(text):
        return records.Transcribe()
    return records.Name() if _WHAT.fullmatch(text) else records.Confirm(text, is_informed=False)


def _read_lines(text: str) -> tuple[str, ...]:
    lines = tuple(line.strip() for line in text.split(_LINE_BREAK))
    if not 2 <= len(set(lines)) == len(lines) <= 9 or not all(lines):
        raise BadValueError(f"`question` {text!r}: a choice has 2 to 9 different lines, as in 'few cats | many cats'")
    return lines
