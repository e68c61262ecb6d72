"""Networks that read a picture and a text together: image-text matching, gap filling, heads of ready answers.

A text's fit is a similarity, the output of a head trained on matching pairs, or the probability of a yes. Gaps are
filled by masked language modelling, and numerals are ranked. Heads choose among ready answers: ViLT looks at pixels,
LXMERT at region features, made by another detector and read from a file."""

import base64
import math
import pickle
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.io.files import hash_file, open_input, open_zip
from subitize.language.numbers import NUMERALS
from subitize.networks import encoders, weights
from subitize.networks.generators import OTHERS, GenerationOptions, Generator, open_generator
from subitize.networks.region_databases import DATABASE, open_lmdb
from subitize.networks.weights import Device, Untyped, quiet
from subitize.records import Said, Scalar, TaskKind, Token

VQASCORE_PROMPT = 'Does this figure show "{text}"? Please answer yes or no.'


def ask(text: str) -> str:
    """Ask whether a picture shows what a text says: the probability of a yes is VQAScore (Lin et al. 2024).

    It is the probability of the whole answer: by the first token alone, "Yes" and "Yesterday" may count the same. The
    authors' code for CLIP-FlanT5 takes the geometric mean over the answer's tokens; here it is their product, which is
    a probability.
    """
    return VQASCORE_PROMPT.replace("{text}", text)


GAP = "[GAP]"

_OTHER_WORDS = 10


def tasks_of(architecture: str, config: Mapping[str, Any]) -> frozenset[TaskKind]:
    """List what a network can do, by its architecture and config; to score a text, yes must be among its answers."""
    tasks: set[TaskKind] = {"match"} if architecture in MATCHERS else set()
    if architecture in FILLERS:
        tasks.add("fill")
    if not tasks:
        names = config.get("id2label")
        answers = names.values() if isinstance(names, dict) else ()
        can_say_yes = architecture not in HEADS or any(str(name).lower() == "yes" for name in answers)
        tasks = {"answer", "match"} if can_say_yes else {"answer"}
    return frozenset(tasks)


def open_network(
    folder: Path, architecture: str, placement: Device, regions: Path | None, options: GenerationOptions
) -> "JointNetwork | encoders.DualEncoder | Generator":
    """Open a network; LXMERT also needs a file of region features."""
    if architecture in MATCHERS - encoders.DUAL_ENCODERS | FILLERS | HEADS:
        return JointNetwork(folder, architecture, placement, regions)
    encoders.refuse_regions(folder, architecture, regions)
    if architecture in encoders.DUAL_ENCODERS:
        return encoders.DualEncoder(folder, placement)
    return open_generator(folder, architecture, placement, options)


class JointNetwork:
    """A network that reads a picture and a text together; its architecture says which of its methods it can do."""

    def __init__(self, folder: Path, architecture: str, placement: Device, regions: Path | None = None) -> None:
        import transformers

        self._architecture = architecture
        opened = _open_regions(folder, architecture, regions)
        self.network: Any = weights.load_model(getattr(transformers, architecture), folder, placement, str(folder))
        config = self.network.config
        if architecture.startswith("Vilt"):
            # Without a limit, beyond which the network would sample patches.
            config.max_image_length = -1
        text_config = getattr(config, "qformer_config", None) or config.get_text_config()
        self.tokens = encoders.Tokens.load(folder, text_config.max_position_embeddings)
        self._tokenizer: Any = self.tokens.tokenizer
        if architecture in FILLERS and self._tokenizer.mask_token is None:
            raise UnusableModelError("the tokenizer has no mask token, so that no gap can be filled; take another")
        self._answers = _read_names(folder, config) if architecture in HEADS else {}
        if opened:
            self._prepare = prepare_regions(opened, config)
        else:
            process = encoders.load_images(folder)
            self._prepare = lambda views: process([view.pixels() for view in views])

    def match(self, views: Sequence[encoders.LazyImage], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Score each text against its picture: "match" is the probability of a match, the sigmoid of "logit"."""
        if not texts:
            return []
        with self._at_work():
            found = self.compute_match(self.encode(views, texts))
        columns = {name: encoders.numbers(column) for name, column in found.items()}
        columns = {"match": 1 / (1 + np.exp(-columns["logit"]))} | columns
        return [
            encoders.with_cut({name: float(column[row]) for name, column in columns.items()}, cut)
            for row, cut in enumerate(self.tokens.count_cut(texts))
        ]

    def fill(self, views: Sequence[encoders.LazyImage], texts: Sequence[str], /) -> list[Mapping[str, float]]:
        """Give the probabilities of all numerals in the gap of each text, and of the ten likeliest other words.

        They are over the whole vocabulary, so that they add up to less than 1. Pieces of words, special tokens and
        punctuation are left out. A text longer than the network reads is refused.
        """
        if not texts:
            return []
        masked = [self._mask(text) for text in texts]
        with self._at_work():
            inputs = self.encode(views, masked)
            gaps = (inputs["input_ids"] == self._tokenizer.mask_token_id).int().argmax(dim=1)
            shares = encoders.numbers(self._compute_words(inputs, gaps).double().softmax(dim=-1))
        return [self._words(row) for row in shares]

    def answer(
        self, views: Sequence[encoders.LazyImage], questions: Sequence[str], seeds: Sequence[int], /
    ) -> list[Said]:
        """Choose the likeliest answer as a single token, and the next few as its alternatives."""
        return [self._read(logprobs) for logprobs in self._logprobs(views, questions)]

    def probability_of_yes(self, views: Sequence[encoders.LazyImage], questions: Sequence[str], /) -> list[float]:
        """Give the probability of the answer yes; those of all answers need not add up to 1."""
        yes = next(number for number, name in self._answers.items() if name.lower() == "yes")
        return [math.exp(logprobs[yes]) for logprobs in self._logprobs(views, questions)]

    def describe(self) -> dict[str, Scalar]:
        """Describe how questions are put: as they are."""
        return {}

    def encode(self, views: Sequence[encoders.LazyImage], texts: Sequence[str]) -> encoders.Tensors:
        """Make the inputs of pictures with one text each, on the network's device."""
        if len(views) != len(texts):
            raise ValueError(f"{len(views)} pictures and {len(texts)} texts: each text goes with its picture")
        return encoders.to_device(self.network, self._prepare(views) | self.tokens.encode(texts))

    def compute_match(self, inputs: encoders.Tensors) -> dict[str, Any]:
        """Compute the logit of each match, and similarities, as tensors that gradients can be taken of."""
        return _MATCHING[self._architecture](self.network, inputs)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Compute without gradients, from the same random numbers each time: ViLT shuffles patches."""
        import torch

        with torch.inference_mode(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            yield

    def _mask(self, text: str) -> str:
        """Put the tokenizer's mask in the gap; refuse a text without just one gap, or too long to read."""
        count, mask = text.count(GAP), self._tokenizer.mask_token
        if count != 1:
            raise ValueError(f"the text has {count or 'no'} {GAP}: {text[:80]!r}; write one, where a word is missing")
        if mask in text:
            raise ValueError(f"{text[:80]!r} has a {mask} besides its {GAP}; leave it out")
        masked = text.replace(GAP, mask)
        cut = self.tokens.count_cut([masked])[0]
        if cut:
            most = self.tokens.most
            raise ValueError(f"{text[:80]!r} has {most + cut} tokens; this network reads {most}: shorten the text")
        return masked

    def _compute_words(self, inputs: encoders.Tensors, gaps: Untyped) -> Untyped:
        return self.network(**inputs)[_FILLING[self._architecture]][range(len(gaps)), gaps]

    def _words(self, shares: NDArray[np.float64]) -> dict[str, float]:
        numerals = {word: float(shares[id]) for word, id in self._numerals.items()}
        best = self._others[np.argsort(-shares[self._others], kind="stable")[:_OTHER_WORDS]]
        others = {str(self._tokenizer.convert_ids_to_tokens(int(id))): float(shares[id]) for id in best}
        return dict(sorted((numerals | others).items(), key=lambda pair: (-pair[1], pair[0])))

    @cached_property
    def _numerals(self) -> dict[str, int]:
        vocabulary = self._vocabulary()
        return {word: vocabulary[word] for word in NUMERALS if word in vocabulary}

    @cached_property
    def _others(self) -> NDArray[np.int64]:
        others = {id for word, id in self._vocabulary().items() if word not in self._numerals and word.isalnum()}
        return np.array(sorted(others), np.int64)

    def _vocabulary(self) -> dict[str, int]:
        """List the tokens that the network has an output for, without special ones."""
        most = self.network.config.vocab_size
        special = set(self._tokenizer.all_special_tokens)
        found = self._tokenizer.get_vocab().items()
        return {word: id for word, id in found if id < most and word not in special}

    def _logprobs(self, views: Sequence[encoders.LazyImage], questions: Sequence[str]) -> list[list[float]]:
        import torch

        for question, cut in zip(questions, self.tokens.count_cut(questions), strict=True):
            if cut:
                longer = f"{cut} tokens longer than the {self.tokens.most} that this network reads"
                raise BadValueError(f"the question {question[:40]!r} is {longer}; shorten it")
        with self._at_work(), quiet():
            scores = self.network(**self.encode(views, questions))[_ANSWERING[self._architecture]]
            # Both networks were trained on each answer by itself: several may be right.
            found: list[list[float]] = encoders.numbers(torch.nn.functional.logsigmoid(scores.double())).tolist()
        return found

    def _read(self, logprobs: Sequence[float]) -> Said:
        best, *others = sorted(self._answers, key=lambda number: -logprobs[number])[: OTHERS + 1]
        alternatives = {self._answers[number]: logprobs[number] for number in others}
        return Said(self._answers[best], (Token(self._answers[best], logprobs[best], alternatives),))


def _open_regions(folder: Path, architecture: str, regions: Path | None) -> "Regions | None":
    if not architecture.startswith("Lxmert"):
        encoders.refuse_regions(folder, architecture, regions)
        return None
    if regions is None:
        raise BadValueError(f"{folder.name} ({architecture}) sees regions, not pixels; write regions=FILE.npz")
    return Regions.open(regions)


LXMERT_DETECTOR = "faster-rcnn-resnet101"
"""The detector of bottom-up attention, trained on Visual Genome."""


def prepare_regions(
    regions: "Regions", config: Untyped, detector: str = LXMERT_DETECTOR
) -> Callable[[Sequence[encoders.LazyImage]], encoders.Tensors]:
    """Return how the regions of pictures become tensors; refuse those of another detector, by name or by width."""
    import torch

    if regions.detector not in ("", detector):
        raise BadFileError(
            f"{regions.path.name} has regions of the detector {regions.detector!r}; this network was trained with "
            f"{detector!r} and sees nothing else"
        )

    def prepare(names: Sequence[str]) -> encoders.Tensors:
        features, boxes, mask = regions.of(names)
        if features.shape[2] != config.visual_feat_dim:
            held, taken = features.shape[2], config.visual_feat_dim
            raise BadFileError(f"{regions.path.name} has regions of {held} numbers; this network takes {taken}")
        found = {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": mask}
        return {name: torch.from_numpy(array) for name, array in found.items()}

    prepare([min(regions.names)])  # a file for another network is refused before anything is made
    return lambda views: prepare([view.name for view in views])


def _read_names(folder: Path, config: Untyped) -> dict[int, str]:
    names = {int(number): str(name) for number, name in config.id2label.items()}
    expected = getattr(config, "num_qa_labels", len(names))
    is_complete = sorted(names) == list(range(expected))
    if not is_complete or all(re.fullmatch(r"LABEL_\d+", name) for name in names.values()):
        raise UnusableModelError(
            f"the config.json of {folder} does not name its {expected} answers; add them as id2label, in the order it "
            'was trained with: {"0": "net", "1": "pitcher", …}'
        )
    return names


def _match_by_blip(model: Untyped, inputs: encoders.Tensors) -> dict[str, Untyped]:
    found = model(**inputs)
    # For the similarity the text is read without the picture; the picture's encoding is reused.
    read = model.text_encoder(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
    picture = model.vision_proj(found.last_hidden_state[:, 0])
    text = model.text_proj(read.last_hidden_state[:, 0])
    return {"logit": _odds(found.itm_score), "similarity": _cosine(picture, text)}


def _match_by_blip_2(model: Untyped, inputs: encoders.Tensors) -> dict[str, Untyped]:
    import torch

    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    queries = model.query_tokens.expand(len(ids), -1, -1)
    if model.config.image_token_index is None:
        told = {"input_ids": ids, "attention_mask": mask}
    else:
        # Newer folders expect one placeholder per query in front of the text; the network drops them again.
        front = torch.full(queries.shape[:2], model.config.image_token_index, dtype=ids.dtype, device=ids.device)
        told = {
            "input_ids": torch.cat([front, ids], dim=1),
            "attention_mask": torch.cat([torch.ones_like(front), mask], dim=1),
        }
    found = model(pixel_values=inputs["pixel_values"], use_image_text_matching_head=True, **told)
    looked = model.qformer(
        query_embeds=queries, encoder_hidden_states=found.vision_model_output.last_hidden_state
    ).last_hidden_state
    read = model.qformer(
        query_embeds=model.embeddings(input_ids=ids), query_length=0, attention_mask=mask
    ).last_hidden_state
    numeric = model.vision_projection.weight.dtype
    pictures = model.vision_projection(looked.to(numeric))
    texts = model.text_projection(read[:, 0].to(numeric))
    return {"logit": _odds(found.logits_per_image), "similarity": _cosine(pictures, texts[:, None]).max(dim=1).values}


def _odds(logits: Untyped) -> Untyped:
    """Return the logit of a match against no match: its sigmoid is the softmax's second probability."""
    return logits.double()[:, 1] - logits.double()[:, 0]


def _cosine(pictures: Untyped, texts: Untyped) -> Untyped:
    import torch

    return torch.nn.functional.cosine_similarity(pictures.double(), texts.double(), dim=-1)


_MATCHING: Mapping[str, Callable[[Any, encoders.Tensors], dict[str, Any]]] = {
    "Blip2ForImageTextRetrieval": _match_by_blip_2,
    "BlipForImageTextRetrieval": _match_by_blip,
    "LxmertForPreTraining": lambda model, inputs: {"logit": _odds(model(**inputs).cross_relationship_score)},
    "ViltForImageAndTextRetrieval": lambda model, inputs: {"logit": model(**inputs).logits[:, 0]},
}
_FILLING = {"LxmertForPreTraining": "prediction_logits", "ViltForMaskedLM": "logits"}
_ANSWERING = {"LxmertForQuestionAnswering": "question_answering_score", "ViltForQuestionAnswering": "logits"}
MATCHERS: frozenset[str] = encoders.DUAL_ENCODERS | _MATCHING.keys()
FILLERS: frozenset[str] = frozenset(_FILLING)
HEADS: frozenset[str] = frozenset(_ANSWERING)


Floats = NDArray[np.float32]
T = TypeVar("T")

MOST_REGIONS = 100
"""In one picture, as many as detectors for these networks give (Anderson et al. 2018)."""
_SLACK = 0.01  # of a picture's side, for boxes that were clipped and divided in half floats


@dataclass(frozen=True, slots=True)
class Regions:
    """The region features and boxes of pictures by name, read when asked for.

    Per picture the file has `<name>.features` (regions × numbers) and `<name>.boxes` (regions × 4: left, top, right,
    bottom as shares of width and height). Pictures may differ in how many regions they have, at most MOST_REGIONS. The
    files of bottom-up attention and of LXMERT (.tsv) name pictures by number: 7 for v7w_7.jpg.
    """

    path: Path
    names: frozenset[str]
    _read: Callable[[str], NDArray[np.generic]]
    detector: str = ""
    """Which detector saw them, if the file says so."""

    @classmethod
    def open(cls, path: Path) -> "Regions":
        """Open a .npz, .safetensors, .tsv or .lmdb file; only its table of contents is kept."""
        if not path.is_file() and not (path.suffix == ".lmdb" and path.is_dir()):
            raise BadFileError(f"there is no file {path}; name the file of the region features: {_FORMATS}")
        if path.suffix not in _OPENERS:
            raise BadFileError(f"{path.name} is no file of region features; write them as {_FORMATS}")
        keys, read = _reading(path, lambda: _OPENERS[path.suffix](path))
        detector = str(_reading(path, lambda: read("detector"))) if "detector" in keys else ""
        names = frozenset(key.removesuffix(".features") for key in keys if key.endswith(".features"))
        if not names:
            held = ", ".join(sorted(keys)[:3]) or "nothing"
            raise BadFileError(f"{path.name} has no region features (it has {held}); call them 'PICTURE.features'")
        return cls(path, names, read, detector)

    def of(self, names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
        """Get features, boxes and mask of pictures, padded with zeros to the most regions in any of them."""
        each = {name: self._of_one(name) for name in dict.fromkeys(names)}
        widths = {features.shape[1] for features, _ in each.values()}
        if len(widths) != 1:
            told = " and ".join(map(str, sorted(widths)))
            raise BadFileError(f"{self.path.name}: pictures have regions of {told} numbers; make them equal")
        most = max(len(boxes) for _, boxes in each.values())
        features = np.zeros((len(names), most, widths.pop()), np.float32)
        boxes, mask = np.zeros((len(names), most, 4), np.float32), np.zeros((len(names), most), np.float32)
        for row, name in enumerate(names):
            count = len(each[name][1])
            features[row, :count], boxes[row, :count] = each[name]
            mask[row, :count] = 1
        return features, boxes, mask

    def _of_one(self, picture: str) -> tuple[Floats, Floats]:
        name = _take_number(picture) if self.path.suffix in (".tsv", ".lmdb") and picture not in self.names else picture
        if name not in self.names:
            known = sorted(self.names)
            more = f" and {len(known) - 3:,} more" if len(known) > 3 else ""
            some = ", ".join(map(repr, known[:3]))
            raise BadValueError(f"{self.path.name} has no picture {picture!r}; it has {some}{more}")
        features, boxes = self._floats(f"{name}.features"), self._floats(f"{name}.boxes")
        if features.ndim != 2 or boxes.shape != (len(features), 4) or not features.size:
            held = f"features of {_shape(features)} and boxes of {_shape(boxes)}"
            raise BadFileError(f"{self.path.name}: {name!r} has {held}; they should be n × d and n × 4")
        if len(boxes) > MOST_REGIONS:
            raise BadFileError(
                f"{self.path.name}: {name!r} has {len(boxes)} regions; keep the surest {MOST_REGIONS} of a picture"
            )
        if boxes.min() < -_SLACK or boxes.max() > 1 + _SLACK or (boxes[:, :2] > boxes[:, 2:]).any():
            wanted = "left, top, right, bottom from 0 to 1; divide by the picture's width and height"
            raise BadFileError(f"{self.path.name}: the boxes of {name!r} should be {wanted}")
        return features, boxes

    def _floats(self, key: str) -> Floats:
        try:
            found = _reading(self.path, lambda: self._read(key))
        except KeyError:
            raise BadFileError(f"{self.path.name} has no {key!r}; each picture has .features and .boxes") from None
        if found.dtype.kind not in "fiu" or not np.isfinite(found).all():
            raise BadFileError(f"{self.path.name}: {key!r} holds something that is no finite number; write it again")
        return found.astype(np.float32)


_Opened = tuple[Iterable[str], Callable[[str], NDArray[np.generic]]]


def _open_npz(path: Path) -> _Opened:
    # Not by numpy.load, which leaves a damaged file open.
    archive = open_zip(path)

    def read(key: str) -> NDArray[np.generic]:
        with archive.open(f"{key}.npy") as file:
            found: NDArray[np.generic] = np.lib.format.read_array(file, allow_pickle=False)
            file.read()  # only at its end is an entry compared with its checksum
            return found

    return [name.removesuffix(".npy") for name in archive.namelist()], read


def _open_safetensors(path: Path) -> _Opened:
    weights.require(f"{path.name}", "safetensors")
    from safetensors import safe_open

    archive: Any = safe_open(path, framework="numpy")
    keys = frozenset(archive.keys())

    def read(key: str) -> NDArray[np.generic]:
        if key not in keys:
            raise KeyError(key)
        found: NDArray[np.generic] = archive.get_tensor(key)
        return found

    return keys, read


# By their number, the columns of bottom-up attention's files, and of LXMERT's, which also have labels.
_COLUMNS = {
    6: ("id", "width", "height", "count", "boxes", "features"),
    10: ("id", "height", "width", *("label",) * 4, "count", "boxes", "features"),
}


def _open_tsv(path: Path) -> _Opened:
    """Find where the line of each picture begins; if a picture comes twice, as in some releases, the first counts."""
    starts: dict[str, int] = {}
    start = 0
    with open_input(path, None) as file:
        for line in file:
            if line.strip():
                starts.setdefault(line.partition(b"\t")[0].decode("ascii"), start)
            start += len(line)
    if not starts:
        raise ValueError("it is empty")

    def read(key: str) -> NDArray[np.generic]:
        name, _, kind = key.rpartition(".")
        with open_input(path, None) as file:
            file.seek(starts[name])
            cells = file.readline().rstrip(b"\r\n").split(b"\t")
        if len(cells) not in _COLUMNS:
            raise ValueError(f"{name} has {len(cells)} columns instead of 6 or 10")
        # The columns that share a name are not read.
        row = dict(zip(_COLUMNS[len(cells)], cells, strict=True))
        array = np.frombuffer(base64.b64decode(row[kind], validate=True), "<f4").reshape(int(row["count"]), -1)
        sides = np.array([int(row["width"]), int(row["height"])] * 2, np.float32)
        return array / sides if kind == "boxes" and array.shape[1:] == sides.shape else array

    return [f"{name}.{kind}" for name in starts for kind in ("features", "boxes")], read


_NUMBERED = re.compile(r"(?:v7w_|COCO_\w+_)?0*(\d+)(?:\.\w+)?")


def _take_number(picture: str) -> str:
    """Extract the number from a file name of Visual7W, Visual Genome or COCO."""
    found = _NUMBERED.fullmatch(picture)
    return found[1] if found else picture


_OPENERS: dict[str, Callable[[Path], _Opened]] = {
    ".npz": _open_npz,
    ".safetensors": _open_safetensors,
    ".tsv": _open_tsv,
    ".lmdb": open_lmdb,
}
_FORMATS = ".npz, .safetensors, bottom-up attention's .tsv, or ViLBERT's .lmdb"


def hash_regions(path: Path) -> str:
    """Hash the file of regions."""
    return hash_file(path / DATABASE if path.is_dir() else path)


def _reading(path: Path, read: Callable[[], T]) -> T:
    try:
        return read()
    except Exception as error:
        if not isinstance(error, _DAMAGE) and type(error).__name__ != "SafetensorError":
            raise
        raise BadFileError(f"{path.name} cannot be read as region features ({error}); write it again") from None


_DAMAGE = (
    BadFileError,
    OSError,
    EOFError,
    pickle.UnpicklingError,
    ValueError,
    TypeError,
    zipfile.BadZipFile,
    zlib.error,
)


def _shape(array: Floats) -> str:
    return " × ".join(map(str, array.shape)) or "one number"
