"""Finds, loads and hashes model weights, and turns errors of libraries into one line of advice."""

import hashlib
import json
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.errors import BadFileError, BadValueError, MissingPartError, SubitizeError, UnusableModelError
from subitize.io.files import hash_file, read_text

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, ProcessorMixin


Untyped = Any
"""A network, processor, config or output of a library that has no types."""

DTYPES = ("auto", "float32", "bfloat16", "float16")
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth", "*.onnx", "*.pb", "*.weights")
_COMPUTED = re.compile(r"(?:^|\.)(?:num_batches_tracked|position_ids|relative_position_index|inv_freq)$")
"""Tensors that some folders lack: they are counted or computed, never learnt."""


@dataclass(frozen=True, slots=True)
class Device:
    """A network's device (auto, cpu, cuda, cuda:1, mps, xpu) and floating-point type.

    Auto picks the best device available, and float32 on a CPU, where half floats are slow or missing, else bfloat16.
    """

    device: str = "auto"
    dtype: str = "auto"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"auto|cpu|mps|(?:cuda|xpu)(?::\d{1,2})?", self.device, re.ASCII):
            raise BadValueError(f"device={self.device!r}: should be auto, cpu, cuda, cuda:1, mps or xpu")
        if self.dtype not in DTYPES:
            raise BadValueError(f"dtype={self.dtype!r}: should be {', '.join(DTYPES)}")

    def torch_device(self) -> "torch.device":
        """Find the device; raise BadValueError if this machine does not have it."""
        import torch

        if self.device == "auto":
            has_mps = torch.backends.mps.is_available()
            return torch.device("cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu")
        device = torch.device(self.device)
        try:
            torch.empty(1, device=device)
        except (RuntimeError, AssertionError, NotImplementedError):
            reason = "this machine has none that torch can use; write device=cpu"
            raise BadValueError(f"device={self.device}: {reason}") from None
        return device

    def torch_dtype(self) -> "torch.dtype":
        """Find the floating-point type."""
        import torch

        if self.dtype != "auto":
            named: torch.dtype = getattr(torch, self.dtype)
            return named
        return torch.float32 if self.torch_device().type == "cpu" else torch.bfloat16


@contextmanager
def naming(who: str) -> Iterator[None]:
    """Prefix option errors with the model's name: a command may name several models."""
    try:
        yield
    except BadValueError as error:
        raise BadValueError(f"{who}: {error}") from error


def require(who: str, *packages: str, extra: str = "local") -> None:
    """Raise MissingPartError where an optional package is missing; nothing is imported."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise MissingPartError(who, " and ".join(missing), extra)


def locate(name: str) -> Path:
    """Find a model's folder; fetch it from the hub if the name is owner/name or owner/name@revision."""
    return find_folder(name) or _fetch(name)


def split_name(name: str) -> tuple[str, str | None]:
    """Split a model's name on the hub into owner/name and the revision after an @, if any."""
    repository, _, revision = name.partition("@")
    return repository, revision or None


def find_folder(name: str, index: str = "config.json") -> Path | None:
    """Find a model's folder on this machine; return None for a name on the hub.

    A folder without its index (`config.json`, or `model_index.json` for pipelines) is refused.
    """
    try:
        path = Path(name).expanduser()
        if path.is_dir():
            return _checked(path, index)
        is_there = path.exists()
    except (OSError, RuntimeError) as error:
        raise BadFileError(f"{name[:200]!r}: {str(error)[:100]}; name the folder of a model") from None
    if is_there:
        raise BadFileError(f"{path} is a file; name the folder of a model, the one with {index}")
    if not re.fullmatch(_HUB_NAME, name, re.ASCII):
        raise BadFileError(f"there is no folder {path}; name the folder of a model, or one on the hub as in owner/name")
    return None


_HUB_NAME = r"\w[\w.-]*(?:/\w[\w.-]*)?(?:@\w[\w./-]*)?"


def _checked(folder: Path, index: str) -> Path:
    if (folder / index).is_file():
        return folder
    held = ", ".join(sorted(entry.name for entry in folder.iterdir())[:6]) or "nothing"
    raise BadFileError(f"{folder} is no model: it has no {index} (it has {held}); name the folder that has one")


def _fetch(name: str) -> Path:
    """Get a model from the hub, or from its cache where the hub cannot be reached.

    Only the weights that are loaded are fetched: safetensors if there are any, else torch's own format. From
    subfolders only files other than weights are fetched, such as a second tokenizer.
    """
    require(f"{name} (no folder here)", "huggingface_hub")
    from huggingface_hub import snapshot_download

    wanted = ["*.json", "*.txt", "*.model", "*.jinja", "model.safetensors", "model-*.safetensors"]
    repository, revision = split_name(name)
    with fetching(name):
        get = partial(snapshot_download, repository, revision=revision, ignore_patterns=_NOT_FETCHED)
        folder = Path(get(allow_patterns=wanted))
        if not any((folder / file).is_file() for file in _SETS[:2]):
            get(allow_patterns=[*wanted, "pytorch_model.bin", "pytorch_model-*.bin"])
    return _checked(folder, "config.json")


# In these patterns a star matches slashes, too.
_NOT_FETCHED = ["*/*/*", "*/*.safetensors", "*/*.bin"]
_SETS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
"""Where transformers looks for weights, and in which order; an index names the files of a set."""


@contextmanager
def fetching(who: str, otherwise: str = "name another") -> Iterator[None]:
    """Turn any error of the hub into one line; `otherwise` is the advice where the name is another kind of model."""
    try:
        yield
    except SubitizeError:
        raise
    except Exception as error:
        raise UnusableModelError(f"{who} is no folder here, and {_explain_hub(error, otherwise)}") from error


def _explain_hub(error: Exception, otherwise: str) -> str:
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return "the hub is not asked while HF_HUB_OFFLINE is set; name a folder, or unset it"
    kinds = set(_name_causes(error))
    if "GatedRepoError" in kinds:
        return "on the hub its owner asks for consent: give it on the model's page, run `hf auth login`, try again"
    if "RepositoryNotFoundError" in kinds:
        return "the hub has no model of that name, or a private one; check the name, or run `hf auth login`"
    if "RevisionNotFoundError" in kinds:
        return "the hub has no such revision of it; check what is written after the @"
    if kinds & {"EntryNotFoundError", "RemoteEntryNotFoundError"}:
        return f"what the hub has of that name is no such model; {otherwise}"
    told = "" if "LocalEntryNotFoundError" in kinds else f" ({type(error).__name__}: {brief(str(error))})"
    return f"the hub cannot be asked for it{told}; name a folder, or try again when online"


def _name_causes(error: BaseException | None) -> Iterator[str]:
    """Name an error and its causes: libraries wrap what the hub's client raises."""
    while error is not None:
        yield type(error).__name__
        error = error.__cause__ or error.__context__


def brief(text: str, most: int = 160) -> str:
    """Shorten a library's message to whole sentences, or to whole words where the first sentence is too long."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    return line[:most].rpartition(". ")[0] or textwrap.shorten(line, most, placeholder=" …")


def read_config(folder: Path, index: str = "config.json") -> dict[str, Any]:
    """Read the index of a model's folder."""
    path = folder / index
    try:
        config = json.loads(read_text(path))
    except (BadFileError, ValueError) as error:
        raise BadFileError(f"{path} cannot be read ({error}); copy the model again") from None
    if not isinstance(config, dict):
        raise BadFileError(f"{path} holds no JSON object; copy the model again")
    return config


def name_architecture(config: Mapping[str, Any], where: object) -> str:
    """Name the network that a config.json describes: the first of its architectures."""
    named = config.get("architectures")
    if not isinstance(named, list) or not named:
        raise BadFileError(f"the config.json of {where} names no architectures; copy the model again")
    return _NAMED_BY_BODY.get(str(named[0]), str(named[0]))


# The hub names LXMERT after its body, but its weights include the pretraining heads.
_NAMED_BY_BODY = {"LxmertModel": "LxmertForPreTraining"}


def require_transformers(architecture: str, who: str) -> None:
    """Refuse a network that needs a later version of transformers than the installed one."""
    first = next((release for start, release in _FIRST_RELEASES.items() if architecture.startswith(start)), (0, 0))
    installed = version("transformers")
    if tuple(int(part) for part in re.findall(r"\d+", installed)[:2]) < first:
        needed = f"transformers {first[0]}.{first[1]} or later, and {installed} is installed"
        raise UnusableModelError(f"{who} needs {needed}; run: pip install --upgrade transformers")


# Networks newer than the version that the extra `local` requires.
_FIRST_RELEASES = {"Molmo2": (5, 20), "RfDetr": (5, 9)}


def load_model(
    auto_class: type["PreTrainedModel"], folder: Path, placement: Device, who: str, *, may_lack: Collection[str] = ()
) -> "PreTrainedModel":
    """Load a network of transformers (AutoModelFor…, or a class of its own) onto its device.

    Transformers fills what a file lacks, or has in another shape, with random numbers and a warning; here that is
    refused, except for computed tensors and names under `may_lack`. Code that comes with a model is never run.
    """
    with loading(who):
        device, dtype = placement.torch_device(), placement.torch_dtype()
        model, info = auto_class.from_pretrained(
            folder,
            dtype=dtype,
            local_files_only=True,
            trust_remote_code=False,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
        )
        refuse_random_weights(info, who, may_lack)
        return model.to(device).eval()


def load_part(auto_class: type["ProcessorMixin"], folder: Path, who: str, **options: object) -> "ProcessorMixin":
    """Load a processor, tokenizer or config (AutoTokenizer, AutoImageProcessor, …), without running code of its own.

    Without a vocabulary transformers makes a tokenizer that knows no words; here that is refused.
    """
    with loading(who):
        part = auto_class.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    refuse_wordless(part, who)
    return part


def refuse_wordless(part: Untyped, who: str) -> None:
    """Refuse a tokenizer, or a processor with one, that knows no words."""
    tokenizer: Untyped = getattr(part, "tokenizer", part)
    if hasattr(tokenizer, "get_vocab") and set(tokenizer.get_vocab()) <= set(tokenizer.all_special_tokens):
        raise UnusableModelError(f"{who} cannot be loaded: {_NO_TOKENIZER}")


def refuse_random_weights(info: Mapping[str, Any], who: str, may_lack: Collection[str] = ()) -> None:
    """Refuse a network that a library filled up with random numbers, as its loading report says."""
    for name, found, wanted in sorted(info["mismatched_keys"]):
        reason = f"its weights do not fit its config.json ({name} is {_times(found)}, should be {_times(wanted)})"
        raise UnusableModelError(f"{who} cannot be loaded: {reason}; {_AGAIN}")
    missing = [name for name in sorted(info["missing_keys"]) if not _COMPUTED.search(name)]
    lacking = [name for name in missing if not name.startswith(tuple(may_lack))]
    if lacking:
        more = f" and {len(lacking) - 1} more tensors" if len(lacking) > 1 else ""
        reason = f"its weights lack {lacking[0]}{more}, which would be random"
        remedy = "take a model that was trained for this, or copy or download it again"
        raise UnusableModelError(f"{who} cannot be loaded: {reason}; {remedy}")


def _times(shape: Collection[int]) -> str:
    return "×".join(map(str, shape)) or "a number"


@contextmanager
def loading(who: str) -> Iterator[None]:
    """Turn any error that libraries raise while loading a model into one line of advice."""
    try:
        with quiet():
            yield
    except SubitizeError:
        raise
    except Exception as error:
        raise UnusableModelError(f"{who} cannot be loaded: {_explain(error)}") from error


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that memory ran out, on any device."""
    is_named_so = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return is_named_so or _NO_MEMORY.search(str(error)) is not None


_NO_MEMORY = re.compile(
    r"(?:out of|not enough|insufficient|allocate) memory|failed to allocate|ALLOC_FAILED", re.IGNORECASE
)


def _explain(error: Exception) -> str:
    if is_out_of_memory(error):
        return f"there is not enough memory for it; {_IN_LESS_MEMORY}"
    text = " ".join(str(error).split())
    said = f"{'ImportError' if isinstance(error, ImportError) else type(error).__name__}: {text}"
    for pattern, advice in _ADVICE.items():
        if found := re.search(pattern, said):
            named = re.search(r"model type `([^`]{1,60})`", text)
            part, of_type = found.groupdict().get("part") or "weights", f" ({named[1]})" if named else ""
            version = _version("transformers") if "{version}" in advice else ""
            return advice.format(told=brief(text), part=part, version=version, of_type=of_type)
    if _OFFLINE.search(text):
        return f"it is no folder here, and {_explain_hub(error, 'name another')}"
    return f"{type(error).__name__}: {brief(text, 300)}"


_IN_LESS_MEMORY = "write dtype=bfloat16, as another model of the run, or take a smaller model or a larger machine"
_AGAIN = "copy or download the model again"
_NO_TOKENIZER = f"its folder lacks the files of its tokenizer; {_AGAIN}, with all files"
_ADVICE = {
    "^(?:UnpicklingError|EOFError):": (
        f"its weights are damaged or hold more than numbers, which is never run; {_AGAIN}, as safetensors"
    ),
    # As diffusers and transformers say it.
    "expected shape|ignore_mismatched_sizes": f"its weights do not fit its config.json; {_AGAIN}",
    "^SafetensorError:|(?i:Unable to load weights|size mismatch|automatic conversion of the weights|"
    "PytorchStreamReader|invalid load key|unexpected EOF|Unpickling|corrupt|HeaderTooLarge|MetadataIncompleteBuffer|"
    "InvalidHeader|ran out of input|ReadProto|parse.*(?:onnx|tensorflow|graphdef))": (
        f"its weights are damaged ({{told}}); {_AGAIN}"
    ),
    "^JSONDecodeError:|not a valid JSON file": f"one of its files is damaged ({{told}}); {_AGAIN}",
    "trust_remote_code|custom code": (
        "it comes with code of its own, which is never run; take a model that transformers itself knows"
    ),
    "kind of AutoModel": "it is a model for something else ({told})",
    "(?i:does not recognize this architecture|Unrecognized (?:model|configuration|processing)|"
    "Unknown (?:model|task))": "its architecture is not known to transformers {version}{of_type}; upgrade it",
    r"Can't load (?P<part>[a-z ]{4,40}) for '|no file named (?=model\.safetensors)": (
        f"its folder lacks the files of its {{part}}; {_AGAIN}, with all files"
    ),
    "Couldn't instantiate the backend tokenizer": _NO_TOKENIZER,
    "^ImportError:": "it needs a package that is not here ({told})",
}
"""What to do about an error of a library, by its kind and text."""
_OFFLINE = re.compile(
    r"couldn't connect|offline mode|not a local folder|is not the path to a directory|client has been closed|"
    r"ConnectError|Repository Not Found|cannot find the requested files",
    re.IGNORECASE,
)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' progress bars, advice and warnings off the terminal: our messages say what matters."""
    import logging
    import warnings

    # A library imported meanwhile sets up loggers of its own: only a global limit silences those.
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with no_bars("transformers"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


@contextmanager
def no_bars(library: str) -> Iterator[None]:
    """Keep the progress bars of transformers or diffusers off the terminal, if installed."""
    if find_spec(library) is None:
        yield
        return
    bars = import_module(f"{library}.utils.logging")
    was_on = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            bars.enable_progress_bar()


def count_parameters(network: Untyped) -> int:
    """Count a network's parameters: tied weights once, and packed ones as the weights they encode."""
    return int(network.num_parameters())


@cache
def hash_weights(path: Path) -> str:
    """Hash a file of weights, or a folder's files of weights in the order of their names.

    In a folder of transformers these are the files that are loaded, elsewhere all below it.
    """
    if path.is_file():
        return _hash_file(path)
    files = _find_loaded(path) or sorted({file for pattern in _WEIGHTS for file in path.rglob(pattern)})
    if not files:
        raise BadFileError(f"{path} has no weights ({', '.join(_WEIGHTS)}); copy the model again")
    whole = "".join(f"{file.relative_to(path).as_posix()} {_hash_file(file)}\n" for file in files)
    return hashlib.sha256(whole.encode()).hexdigest()


def _find_loaded(folder: Path) -> list[Path]:
    first = next((folder / name for name in _SETS if (folder / name).is_file()), None)
    if first is None or first.suffix != ".json":
        return [first] if first else []
    named = read_config(folder, first.name).get("weight_map")
    names = named.values() if isinstance(named, dict) else ()
    return sorted(path for name in {str(name) for name in names} if (path := folder / name).is_file())


def _hash_file(path: Path) -> str:
    # In the hub's cache a large file is a link to a file named by its hash.
    if path.is_symlink() and re.fullmatch(r"[0-9a-f]{64}", path.resolve().name):
        return path.resolve().name
    return hash_file(path)


def name_versions(*packages: str) -> dict[str, str]:
    """Name the versions of installed packages."""
    return {package: _version(package) for package in packages}


_version = cache(version)

CONFIG = "config.json"
PIPELINE_INDEX = "model_index.json"
"""The index of a diffusers pipeline, in place of config.json."""


def is_pipeline(model: str) -> bool:
    """Return whether a folder holds a pipeline of diffusers, not a network of transformers."""
    return _has(model, PIPELINE_INDEX) and not _has(model, CONFIG)


def is_network(model: str) -> bool:
    """Return whether a folder holds a network of transformers or one part of a pipeline, not a whole pipeline."""
    return _has(model, CONFIG) and not _has(model, PIPELINE_INDEX)


def _has(model: str, name: str) -> bool:
    try:
        return (Path(model).expanduser() / name).is_file()
    except (OSError, RuntimeError):  # not a path at all; find_folder says so
        return False
