"""Where weights lie, what computes with them, and what goes wrong on the way, in words that say what to do."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.errors import BadFileError, BadValueError, MissingPartError, SubitizeError, UnusableModelError

if TYPE_CHECKING:
    import torch

DTYPES = ("auto", "float32", "bfloat16", "float16")
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth", "*.onnx", "*.pb", "*.weights")


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a network computes (auto, cpu, cuda, cuda:1, mps) and in what numbers (auto: as the weights are)."""

    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"auto|cpu|mps|(?:cuda|xpu)(?::\d{1,2})?", self.device, re.ASCII):
            raise BadValueError(f"device={self.device!r}: should be auto, cpu, cuda, cuda:1, mps or xpu")
        if self.dtype not in DTYPES:
            raise BadValueError(f"dtype={self.dtype!r}: should be {', '.join(DTYPES)}")

    def torch_device(self) -> "torch.device":
        """Find the device; one that this machine does not have is refused."""
        import torch

        if self.device == "auto":
            return torch.device("cuda" if torch.cuda.is_available() else "mps" if _has_mps() else "cpu")
        device = torch.device(self.device)
        try:
            torch.empty(1, device=device)
        except (RuntimeError, AssertionError, NotImplementedError):
            raise BadValueError(
                f"device={self.device}: this machine has none that torch can use; write device=cpu"
            ) from None
        return device

    def torch_dtype(self) -> "torch.dtype":
        """Find the kind of numbers; on a CPU half floats are slow or missing, so that auto means float32 there."""
        import torch

        if self.dtype != "auto":
            named: torch.dtype = getattr(torch, self.dtype)
            return named
        return torch.float32 if self.torch_device().type == "cpu" else torch.bfloat16


def _has_mps() -> bool:
    import torch

    return bool(torch.backends.mps.is_available())


def require(who: str, *packages: str, extra: str = "local") -> None:
    """Refuse to go on where an optional part is missing; nothing is imported."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingPartError(who, " and ".join(missing), extra)


def find_folder(name: str, index: str = "config.json") -> Path | None:
    """Find the folder of a model that lies on this machine; None for the name of one on the hub.

    A folder without its index (`config.json`, of pipelines `model_index.json`) is no model.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / index).is_file():
            held = ", ".join(sorted(entry.name for entry in path.iterdir())[:6]) or "nothing"
            raise BadFileError(f"{path} is no model: it has no {index} (it has {held}); name the folder that has one")
        return path
    if path.exists():
        raise BadFileError(f"{path} is a file; name the folder of a model, the one with {index}")
    if name.startswith((".", "/", "~")) or name.count("/") > 1 or (os.sep != "/" and os.sep in name):
        raise BadFileError(f"there is no folder {path}; name the folder of a model, or one on the hub as in owner/name")
    return None


def read_config(folder: Path, index: str = "config.json") -> dict[str, Any]:
    """Read the index of a model's folder."""
    path = folder / index
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadFileError(f"{path} cannot be read ({error}); copy the model again") from None
    if not isinstance(config, dict):
        raise BadFileError(f"{path} holds no JSON object; copy the model again")
    return config


@contextmanager
def loading(who: str) -> Iterator[None]:
    """Make one line that says what to do of whatever libraries raise while they load a model."""
    try:
        with quiet():
            yield
    except SubitizeError:
        raise
    except Exception as error:
        raise UnusableModelError(f"{who} cannot be loaded: {_explain(error)}") from error


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether something failed for want of memory, on whatever device."""
    text = str(error).lower()
    told = "out of memory" in text or "not enough memory" in text or "can't allocate memory" in text
    return isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError" or told


def _explain(error: Exception) -> str:
    text = " ".join(str(error).split())
    if is_out_of_memory(error):
        return "there is not enough memory for it; write dtype=bfloat16, or take a smaller model or a larger machine"
    if type(error).__name__ == "SafetensorError" or _DAMAGED.search(text):
        return f"its weights are damaged ({text[:160]}); copy or download the model again"
    if _UNKNOWN.search(text):
        return f"its architecture is not known to transformers {_version('transformers')} ({text[:160]})"
    if _OFFLINE.search(text):
        return f"it is no folder here, and the hub cannot be asked for it ({text[:160]}); name a folder"
    return f"{type(error).__name__}: {text[:300]}"


_DAMAGED = re.compile(
    r"size mismatch|PytorchStreamReader|invalid load key|unexpected EOF|Unpickling|corrupt|HeaderTooLarge|"
    r"MetadataIncompleteBuffer|InvalidHeader|ran out of input|ReadProto|parse.*(?:onnx|tensorflow|graphdef)",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"does not recognize this architecture|Unrecognized (?:model|configuration|processing)|Unknown (?:model|task)|"
    r"trust_remote_code|custom code",
    re.IGNORECASE,
)
_OFFLINE = re.compile(
    r"couldn't connect|offline mode|not a local folder|is not the path to a directory|client has been closed|"
    r"ConnectError|Repository Not Found|cannot find the requested files",
    re.IGNORECASE,
)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' own progress bars, advice and warnings off the terminal: ours says what matters."""
    import logging
    import warnings

    names = ("transformers", "diffusers", "huggingface_hub", "accelerate")
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.ERROR)
    with _no_bars(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            for name, level in before.items():
                logging.getLogger(name).setLevel(level)


@contextmanager
def _no_bars() -> Iterator[None]:
    if find_spec("transformers") is None:
        yield
        return
    from transformers.utils import logging as bars

    was_on = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            bars.enable_progress_bar()


@cache
def hash_weights(path: Path) -> str:
    """Hash a file of weights, or all those under a folder: each file's own hash, in the order of their names."""
    if path.is_file():
        return _hash_file(path)
    files = sorted({file for pattern in _WEIGHTS for file in path.rglob(pattern)})
    if not files:
        raise BadFileError(f"{path} has no weights ({', '.join(_WEIGHTS)}); copy the model again")
    whole = "".join(f"{file.relative_to(path).as_posix()} {_hash_file(file)}\n" for file in files)
    return hashlib.sha256(whole.encode()).hexdigest()


def _hash_file(path: Path) -> str:
    # In the hub's cache a large file is a link to one that is named by its hash.
    if path.is_symlink() and re.fullmatch(r"[0-9a-f]{64}", path.resolve().name):
        return path.resolve().name
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def name_versions(*packages: str) -> dict[str, str]:
    """Name the versions of installed packages."""
    return {package: _version(package) for package in packages}


@cache
def _version(package: str) -> str:
    return version(package)
