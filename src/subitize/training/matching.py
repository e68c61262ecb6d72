"""Training of networks that say whether a text fits a picture, on right and foiled pairs."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import torch

from subitize.errors import BadFileError, BadValueError, RunError, UnusableModelError
from subitize.io.files import hash_file, read_bounded
from subitize.io.images import Rgb, decode
from subitize.io.specs import parse_spec
from subitize.networks import weights
from subitize.networks.encoders import LazyImage
from subitize.networks.generators import GenerationOptions
from subitize.networks.joint import MATCHERS, JointNetwork, Regions, open_network
from subitize.networks.vilbert import CONFIGS, ViLBertNetwork, ViLBertOptions
from subitize.networks.weights import Device
from subitize.training.loop import Figures, TrainedTask

_OPTIONS = {"transformers": {"regions"}, "vilbert": {"regions", "task", "head"}}
_SMALL_FILES = (".json", ".txt", ".model", ".jinja")


class Pair(NamedTuple):
    """A text, the name of its picture, whether they match, and the set that they belong to."""

    key: str
    picture: str
    text: str
    is_right: bool
    group: str


@dataclass(frozen=True, slots=True)
class Parent:
    """A network to be finetuned, as a spec names it."""

    spec: str
    folder: Path
    network: JointNetwork
    regions: Path | None
    head: str

    @classmethod
    def load(cls, spec: str, seed: int) -> "Parent":
        """Open `transformers:FOLDER` or `vilbert:FOLDER`; a head that it lacks begins at random."""
        kind, target, given = parse_spec(spec)
        if kind not in _OPTIONS:
            raise BadValueError(f"model {spec!r}: what is trained here is transformers:FOLDER or vilbert:FOLDER")
        if unknown := given.keys() - _OPTIONS[kind]:
            raise BadValueError(f"model {spec!r}: training has no option {min(unknown)!r} of a model; leave it out")
        regions = Path(given["regions"]).expanduser() if "regions" in given else None
        placement = Device("cpu", "float32")
        torch.manual_seed(seed)
        if kind == "vilbert":
            folder = Path(target).expanduser()
            if regions is None:
                raise BadValueError(f"{spec}: it sees regions, not pixels; write regions=FILE")
            options = ViLBertOptions(_number(given.get("task")), given.get("head"), is_head_new=True)
            network: Any = ViLBertNetwork(folder, placement, regions, options)
            return cls(spec, folder, network, regions, network.head)
        folder = weights.locate(target)
        architecture = weights.name_architecture(weights.read_config(folder), folder)
        network = None
        if architecture in MATCHERS:
            network = open_network(folder, architecture, placement, regions, GenerationOptions())
        if not isinstance(network, JointNetwork):
            raise UnusableModelError(
                f"{spec} is {architecture}, which has no head for matches; take a LXMERT, ViLT or BLIP that has one, "
                "or vilbert:FOLDER"
            )
        return cls(spec, folder, network, regions, architecture)

    def write(self, folder: Path) -> None:
        """Write the network as it is now, with the small files of its parent: a model of the same kind."""
        own = self.network.network
        config = None
        if isinstance(self.network, ViLBertNetwork):
            config = {**own.config.given, "matching_head": self.head, "matching_task": self.network.task}
        for path in self.folder.iterdir():
            if path.suffix in _SMALL_FILES and path.name not in CONFIGS and not path.name.endswith("index.json"):
                shutil.copy(path, folder)
        if config is None:
            with weights.quiet():
                own.save_pretrained(folder)
            return
        from safetensors.torch import save_file

        (folder / CONFIGS[0]).write_text(json.dumps(config, indent=1), encoding="utf-8")
        save_file(
            {name: one.detach().cpu().clone() for name, one in own.state_dict().items()}, folder / "model.safetensors"
        )


def _number(text: str | None) -> int | None:
    if text is not None and not text.isdecimal():
        raise BadValueError(f"task={text}: should be a number")
    return None if text is None else int(text)


class TrainedPictures(NamedTuple):
    """TrainedPictures by name, as networks take them, and a hash of what is in each."""

    views: Mapping[str, LazyImage]
    hashes: Mapping[str, str]

    @classmethod
    def of(cls, names: Iterable[str], regions: Path | None, files: Mapping[str, Path]) -> "TrainedPictures":
        """Find pictures: their regions, or their files; refuse if one is missing."""
        wanted = list(dict.fromkeys(names))
        opened = Regions.open(regions) if regions else None
        hashes, missing = {}, []
        for name in wanted:
            try:
                hashes[name] = _hash_regions(opened, name) if opened else hash_file(files[name])
            except (KeyError, BadValueError):
                missing.append(name)
        if missing:
            where = regions.name if regions else "the folder of `images`"
            raise BadFileError(
                f"{where} lacks {len(missing):,} of {len(wanted):,} pictures; the first is {missing[0]!r}"
            )
        return cls({name: LazyImage(name, partial(_read_pixels, files.get(name))) for name in wanted}, hashes)


def _read_pixels(path: Path | None) -> Rgb:
    if path is None:
        raise TypeError("a picture that is known by its regions has no pixels here")
    return decode(read_bounded(path))


def _hash_regions(regions: Regions, name: str) -> str:
    features, boxes, _ = regions.of([name])
    return hashlib.sha256(features.tobytes() + boxes.tobytes()).hexdigest()


def refuse_overlap(train: Sequence[Pair], tests: Sequence[Pair], hashes: Mapping[str, str]) -> None:
    """Refuse to train on a picture that is tested on, found by its file name or by what is in it."""
    for kind, identify in (("name", _file_name), ("content", hashes.__getitem__)):
        tested = {identify(pair.picture): pair.picture for pair in tests}
        shared = sorted({pair.picture for pair in train if identify(pair.picture) in tested})
        if shared:
            raise BadValueError(
                f"{len(shared):,} pictures to train on are tested on, too, by their {kind}: the first is {shared[0]!r} "
                f"as {tested[identify(shared[0])]!r}; take them out of one of both"
            )


def _file_name(picture: str) -> str:
    return picture.replace("\\", "/").rpartition("/")[2].lower()


class MatchingTask(TrainedTask[Pair]):
    """Tell right from foiled pairs: the binary cross-entropy of each pair's logit.

    With a head of two outputs this is their cross-entropy, as the logit is the difference of both.
    """

    def __init__(
        self,
        parent: Parent,
        pairs: tuple[Sequence[Pair], Sequence[Pair]],
        pictures: TrainedPictures,
        measure: Callable[[Sequence[Pair], Sequence[float]], Figures],
        headline: str,
    ) -> None:
        self.examples, self.tests = pairs
        self.headline, self._parent, self._pictures, self._measure = headline, parent, pictures, measure
        self.network = _PairLoss(parent.network)

    def encode(self, examples: Sequence[Pair]) -> dict[str, torch.Tensor]:
        """Make the tensors of pairs, with what is right."""
        labels = torch.tensor([float(pair.is_right) for pair in examples], dtype=torch.float64)
        return {"labels": labels, **self._inputs(examples)}

    def describe(self, example: Pair) -> str:
        """Name a pair."""
        return f"{example.key} on {example.picture}"

    def answer(self, examples: Sequence[Pair]) -> list[float]:
        """Compute the probability of a match."""
        with torch.inference_mode():
            found = self._parent.network.compute_match(self._inputs(examples))["logit"]
        if not found.isfinite().all():
            raise RunError(f"{self._parent.spec} computes no number for {self.describe(examples[0])} or those after it")
        scores: list[float] = found.double().sigmoid().tolist()
        return scores

    def measure(self, answers: Sequence[float]) -> Figures:
        """Compute the figures of the tests' scores."""
        return self._measure(self.tests, answers)

    def write(self, folder: Path) -> None:
        """Write the finetuned model."""
        self._parent.write(folder)

    def _inputs(self, examples: Sequence[Pair]) -> dict[str, torch.Tensor]:
        views = [self._pictures.views[pair.picture] for pair in examples]
        return self._parent.network.encode(views, [pair.text for pair in examples])


class _PairLoss(torch.nn.Module):  # type: ignore[misc]
    """The loss of each pair; a module, so that the gradients of several processes are joined."""

    def __init__(self, joint: JointNetwork) -> None:
        super().__init__()
        self.network, self._joint = joint.network, joint

    def forward(self, labels: torch.Tensor, **inputs: torch.Tensor) -> torch.Tensor:
        logits = self._joint.compute_match(inputs)["logit"].double()
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
