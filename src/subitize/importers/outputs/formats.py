"""Which program a file of outputs is from, and its replies."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from subitize.errors import BadFileError, UnknownNameError
from subitize.importers.outputs.evalscope import is_evalscope, read_evalscope
from subitize.importers.outputs.inspect_logs import is_inspect, read_inspect
from subitize.importers.outputs.lmms_eval import is_lmms_eval, read_lmms_eval
from subitize.importers.outputs.output import Json, Output, as_mapping, read_file, read_lines
from subitize.importers.outputs.vlmevalkit import is_vlmevalkit, read_vlmevalkit


class Format(NamedTuple):
    """How a program's files end, how a record of one is told from others', and how they are read."""

    suffixes: tuple[str, ...]
    fits: Callable[[Mapping[str, Json]], bool]
    read: Callable[[Path], list[Output]]


FORMATS = {
    "lmms-eval": Format((".jsonl", ".json"), is_lmms_eval, read_lmms_eval),
    "vlmevalkit": Format((".xlsx", ".tsv", ".json"), is_vlmevalkit, read_vlmevalkit),
    "inspect": Format((".eval", ".json"), is_inspect, read_inspect),
    "evalscope": Format((".jsonl",), is_evalscope, read_evalscope),
}


def read_outputs(path: Path, format: str | None = None) -> tuple[str, list[Output]]:
    """Read a file, and tell which program it is from."""
    if format not in (None, *FORMATS):
        raise UnknownNameError("format", str(format), FORMATS)
    if not path.is_file():
        what = "a folder; name a file in it" if path.is_dir() else "not a file" if path.exists() else "no such file"
        raise BadFileError(f"cannot read {path}: {what}")
    if path.suffix in (".pkl", ".pickle"):
        raise BadFileError(
            f"{path.name}: a pickle can run any program when it is read, and is never opened; have VLMEvalKit write "
            "PRED_FORMAT=tsv, or convert it where it was made"
        )
    try:
        name = _detect(path, [format] if format else [*FORMATS])
        outputs = FORMATS[name].read(path)
    except RecursionError:
        raise BadFileError(f"{path.name}: nested too deeply") from None
    if not outputs:
        raise BadFileError(f"{path.name}: no replies in it")
    return name, outputs


def _detect(path: Path, names: Sequence[str]) -> str:
    """Find which of these formats a file has: by its ending, and of JSON by what a record has."""
    ending = [name for name in names if path.suffix in FORMATS[name].suffixes]
    if not ending:
        known = "; ".join(f"{name}: {', '.join(FORMATS[name].suffixes)}" for name in names)
        raise BadFileError(f"{path.name}: not named like the outputs of a known program ({known})")
    if path.suffix not in _JSON:
        return ending[0]
    record = _find_record(path)
    fitting = [name for name in ending if FORMATS[name].fits(record)]
    if len(fitting) != 1:
        fields = ", ".join(map(str, record))[:120] or "nothing"
        which = f"is like the outputs of {' and '.join(fitting)}" if fitting else f"has none of {', '.join(ending)}"
        raise BadFileError(f"{path.name}: {which}: its first record has {fields}; name the program with --format")
    return fitting[0]


_JSON = (".json", ".jsonl")


def _find_record(path: Path) -> Mapping[str, Json]:
    """Find the first record of a file, or what the whole file is."""
    if path.suffix == ".jsonl":
        return next((record for _, record in read_lines(path)), {})
    whole = read_file(path)
    return as_mapping(whole[0] if isinstance(whole, list) and whole else whole)
