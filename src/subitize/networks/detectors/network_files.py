"""The files of a detector's network: weights, configuration, class names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from subitize.errors import BadFileError, UnusableModelError

PLAN_SUFFIXES: Mapping[str, str] = {".pb": ".pbtxt", ".weights": ".cfg", ".onnx": ""}
"""What weights need beside them: TensorFlow's graph its text graph, Darknet's weights their configuration."""

_KINDS = {".pb": "ssd", ".weights": "yolo"}
_NO_NAMES = frozenset({"", "background", "__background__", "bg", "???", "n/a", "unlabeled", "none"})


@dataclass(frozen=True, slots=True)
class NetworkFiles:
    """The files of one network; weights without a plan bring it themselves."""

    weights: Path
    plan: Path | None
    labels: Path | None


def find_network(kind: str, target: str, suffixes: tuple[str, ...], labels: str | None) -> NetworkFiles:
    """Find the one network at a target, a folder or a file of weights, and what lies beside it."""
    path = Path(target).expanduser()
    if path.is_dir():
        weights = _only_network(kind, path, suffixes)
    elif path.is_file():
        weights = path
    else:
        raise BadFileError(f"{kind}: there is no folder or file {path}; name the folder of a network, or its weights")
    if weights.suffix.lower() not in suffixes:
        raise BadFileError(f"{kind}: {weights} is no network for it; name one of {', '.join(suffixes)}{_hint(weights)}")
    if not weights.stat().st_size:
        raise UnusableModelError(f"{kind}: {weights} is empty; copy or export it again")
    return NetworkFiles(weights, _plan(kind, weights), _labels(kind, weights, labels))


def read_labels(path: Path) -> tuple[str, ...]:
    """Read names of classes, one per line, in the order of their numbers; nothing in place of one that is no name."""
    try:
        lines = path.read_text(encoding="utf-8-sig").rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadFileError(f"{path} cannot be read as names of classes, one per line ({error})") from None
    names = [line.strip() for line in lines]
    if not any(names):
        raise BadFileError(f"{path} is empty; write the names of the classes into it, one per line")
    return tuple("" if name.casefold() in _NO_NAMES else name for name in names)


def _only_network(kind: str, folder: Path, suffixes: tuple[str, ...]) -> Path:
    found = _with_suffix(folder, *suffixes)
    if len(found) > 1:
        raise BadFileError(f"{kind}: {folder} has {len(found)} networks; name one: {', '.join(map(str, found))}")
    if not found:
        others = _with_suffix(folder, *PLAN_SUFFIXES)
        held = ", ".join(sorted(entry.name for entry in folder.iterdir())[:6]) or "nothing"
        wanted = ", ".join(f"*{suffix}" for suffix in suffixes)
        hint = _hint(others[0]) if others else ""
        raise BadFileError(f"{kind}: {folder} has no network for it ({wanted}); it has {held}{hint}")
    return found[0]


def _hint(weights: Path) -> str:
    kind = _KINDS.get(weights.suffix.lower())
    return f"; for {weights.name} write {kind}:{weights}" if kind else ""


def _plan(kind: str, weights: Path) -> Path | None:
    suffix = PLAN_SUFFIXES[weights.suffix.lower()]
    if not suffix:
        return None
    same = weights.with_suffix(suffix)
    found = [same] if same.is_file() else _with_suffix(weights.parent, suffix)
    if not found:
        raise UnusableModelError(f"{kind}: {weights.name} needs its {suffix} file beside it, in {weights.parent}")
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise UnusableModelError(
            f"{kind}: {weights.name} may go with any of {names}; call the right one {weights.stem}{suffix}"
        )
    return found[0]


def _labels(kind: str, weights: Path, labels: str | None) -> Path | None:
    if labels:
        path = Path(labels).expanduser()
        if path.is_dir():
            raise BadFileError(f"{kind}: labels={labels} is a folder; name a file in it, with a class per line")
        if not path.is_file():
            raise BadFileError(f"{kind}: labels={labels}: there is no such file")
        return path
    for path in (weights.with_suffix(".names"), weights.with_name("coco.names")):
        if path.is_file():
            return path
    named = _with_suffix(weights.parent, ".names")
    if len(named) > 1:
        names = ", ".join(path.name for path in named)
        raise UnusableModelError(f"{kind}: the classes of {weights.name} may be any of {names}; write labels=FILE")
    plain = [weights.with_name(name) for name in ("labels.txt", "classes.txt")]
    return next((path for path in (*named, *plain) if path.is_file()), None)


def _with_suffix(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in suffixes and path.is_file())
