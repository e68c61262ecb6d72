"""Logs of Inspect: `.eval`, which is a zip of JSON, and .json."""

import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from subitize.errors import BadFileError, MissingPartError
from subitize.imports.outputs import output
from subitize.imports.outputs.output import Json, Output
from subitize.io.files import open_zip, read_json, reading

_SAMPLE = re.compile(r"samples/.+\.json")
_ZSTANDARD = 93


def is_inspect(record: Mapping[str, Json]) -> bool:
    """Return whether a record is from a log of Inspect."""
    return "samples" in record and "eval" in record


def read_inspect(path: Path) -> list[Output]:
    """Read the samples of a log."""
    if path.suffix == ".json":
        log = output.as_mapping(output.read_file(path))
        header, samples = log, log.get("samples")
    else:
        header, *samples = _read_archive(path)
    of = output.as_mapping(output.take(header, "eval", path.name))
    model, task = output.write(of.get("model")) or "model", output.write(of.get("task")) or path.stem
    logged = samples if isinstance(samples, list) else []
    return [_read_sample(path, model, task, output.as_mapping(one)) for one in logged]


def _read_sample(path: Path, model: str, task: str, sample: Mapping[str, Json]) -> Output:
    asked, target, epoch = sample.get("input"), sample.get("target"), sample.get("epoch")
    answer = output.as_mapping(sample.get("output"))
    reply = _find_reply(answer)
    failure = output.as_mapping(sample.get("error")).get("message") or answer.get("error")
    metadata = output.as_mapping(sample.get("metadata"))
    return Output(
        output.write(output.take(sample, "id", f"{path.name}: a sample")),
        model,
        task.rpartition("/")[2],
        output.join_questions(asked) if isinstance(asked, list) else output.write(asked),
        tuple(map(output.write, target if isinstance(target, list) else [target])),
        reply,
        failure=output.write(failure) if failure else "",
        repeat=epoch - 1 if isinstance(epoch, int) and epoch > 0 else 0,
        picture=output.find_picture(asked),
        scores=dict(_list_scores(output.as_mapping(sample.get("scores")))),
        factors=output.find_factors(metadata),
    )


def _find_reply(answer: Mapping[str, Json]) -> str:
    """Find the reply with its reasoning, which Inspect's `completion` lacks."""
    said = output.as_mapping(output.first_of(answer.get("choices")).get("message"))
    return output.join_content(said.get("content")) or output.write(answer.get("completion"))


def _list_scores(scores: Mapping[str, Json]) -> Iterator[tuple[str, float]]:
    for name, score in scores.items():
        value = output.as_mapping(score).get("value")
        parts = value if isinstance(value, dict) else {"": value}
        for part, own in parts.items():
            credit = output.read_credit(own)
            if credit is not None:
                yield f"{name}/{part}" if part else name, credit


def _read_archive(path: Path) -> Iterator[Mapping[str, Json]]:
    """Yield the header of a log, then its samples."""
    try:
        with reading(path), open_zip(path) as archive:
            members = {member.filename: member for member in archive.infolist()}
            names = ["header.json", *(name for name in members if _SAMPLE.fullmatch(name))]
            if "header.json" not in members:
                raise BadFileError(
                    f"{path.name}: no header.json in it: no log of Inspect, or one that was not finished"
                )
            size = sum(members[name].file_size for name in names)
            if size > output.LARGEST_BYTES:
                raise BadFileError(
                    f"{path.name}: {size:,} bytes when unpacked; at most {output.LARGEST_BYTES:,} are read"
                )
            for name in names:
                text = _read_member(archive, members[name]).decode("utf-8", "replace")
                yield output.as_mapping(read_json(text, f"{path.name} {name}"))
    except (zipfile.BadZipFile, EOFError, RuntimeError, struct.error, zlib.error) as error:  # one may be encrypted
        raise BadFileError(f"{path.name}: no zip that can be read: {error}") from None


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Read a member of an archive; before Python 3.14, Zstandard needs the package of that name."""
    try:
        return archive.read(member)
    except NotImplementedError:
        pass
    if member.compress_type != _ZSTANDARD:
        raise BadFileError(
            f"{archive.filename}: {member.filename} is packed in an unknown way ({member.compress_type})"
        )
    try:
        import zstandard
    except ImportError:
        raise MissingPartError(f"{member.filename} of {archive.filename}", "zstandard", "inspect") from None
    assert archive.fp is not None
    archive.fp.seek(member.header_offset + 26)
    name_length, extra_length = struct.unpack("<HH", archive.fp.read(4))
    archive.fp.seek(name_length + extra_length, 1)
    try:
        with zstandard.ZstdDecompressor().stream_reader(archive.fp.read(member.compress_size)) as unpacked:
            data = unpacked.read(member.file_size)
    except zstandard.ZstdError as error:
        raise BadFileError(f"{archive.filename}: {member.filename} cannot be unpacked: {error}") from None
    return bytes(data)
