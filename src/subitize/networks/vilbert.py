"""ViLBERT and 12-in-1 (Lu et al. 2019, 2020): two streams that attend to one another, in their authors' layout.

Parameters are named as in the authors' checkpoints. Computed is what they were pretrained for: whether text and picture
match, and which words are missing. Their heads for other tasks are left out."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.networks import weights
from subitize.networks.encoders import Tensors, Tokens
from subitize.networks.joint import JointNetwork, Regions, prepare_regions
from subitize.networks.weights import Device

CONFIGS = ("config.json", "bert_base_6layer_6conect.json")
"""Where a folder has its configuration; the second name is as the authors spell it."""
ARCHITECTURE = "ViLBERT"
DETECTOR = "faster-rcnn-resnext152"
"""The authors' detector, trained on Visual Genome."""
HEADS = ("bi_seq_relationship", "vil_logit")
"""Heads that a match may be read from; the second is there where it was finetuned."""
RETRIEVAL_TASK = 7
"""The task token of 12-in-1 for retrieval of COCO's captions, the task nearest to matching."""
_OTHER_HEADS = re.compile(r"vil_\w+\..+|(?:vision|linguisic)_logit\..+")
_EPSILON = 1e-12
_MASKED = -10000.0
_DROPOUT = 0.1  # before the heads, whatever the config says
_NO_MATCH, _MATCH = 1, 0  # as ViLBERT was pretrained: the other way round than LXMERT


def find_config(folder: Path) -> str:
    """Find the name of the configuration in a folder."""
    found = [name for name in CONFIGS if (folder / name).is_file()]
    if not found:
        raise BadFileError(f"{folder} has no {' and no '.join(CONFIGS)}; put the authors' file beside the weights")
    return found[0]


class ViLBert(nn.Module):  # type: ignore[misc]
    """The network; with a task, 12-in-1, whose texts have a token of the task after their first."""

    def __init__(self, config: Mapping[str, Any], task: int | None = None, head: str = HEADS[0]) -> None:
        super().__init__()
        self.config = _Config(config)
        self._task, self._head = task, head
        size, seen, joint = config["hidden_size"], config["v_hidden_size"], config["bi_hidden_size"]
        embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(config["vocab_size"], size, padding_idx=0),
                "position_embeddings": nn.Embedding(config["max_position_embeddings"], size),
                "token_type_embeddings": nn.Embedding(config["type_vocab_size"], size),
                "LayerNorm": nn.LayerNorm(size, _EPSILON),
            }
        )
        if task is not None:
            embeddings["task_embeddings"] = nn.Embedding(_TASKS, size)
        self.bert = nn.ModuleDict(
            {
                "embeddings": embeddings,
                "v_embeddings": nn.ModuleDict(
                    {
                        "image_embeddings": nn.Linear(config["v_feature_size"], seen),
                        "image_location_embeddings": nn.Linear(5, seen),
                        "LayerNorm": nn.LayerNorm(seen, _EPSILON),
                    }
                ),
                "encoder": _Encoder(config),
                "t_pooler": _dense(size, joint),
                "v_pooler": _dense(seen, joint),
            }
        )
        words = _transform(size) | {"decoder": nn.Linear(size, config["vocab_size"], bias=False)}
        objects = _transform(seen) | {"decoder": nn.Linear(seen, config["v_target_size"])}
        self.cls = nn.ModuleDict(
            {
                "predictions": _Words(words, config["vocab_size"]),
                "bi_seq_relationship": nn.Linear(joint, 2),
                "imagePredictions": nn.ModuleDict(objects),
            }
        )
        if head == "vil_logit":
            self.vil_logit = nn.Linear(joint, 1)
        self.cls["predictions"].decoder.weight = embeddings["word_embeddings"].weight
        self._dropout = nn.Dropout(config["hidden_dropout_prob"])
        self._head_dropout = nn.Dropout(_DROPOUT)

    @property
    def device(self) -> torch.device:
        """The device that it is on."""
        return next(self.parameters()).device

    @property
    def dtype(self) -> torch.dtype:
        """The floating-point type of its weights."""
        return next(self.parameters()).dtype

    def num_parameters(self) -> int:
        """Count the parameters, tied ones once."""
        return sum(parameter.numel() for parameter in self.parameters())

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        visual_feats: torch.Tensor,
        visual_pos: torch.Tensor,
        visual_attention_mask: torch.Tensor,
    ) -> Tensors:
        """Compute the logit of a match, and those of words at each place of the text."""
        text = self._embed_text(input_ids)
        if self._task is not None:
            attention_mask = torch.cat([attention_mask[:, :1], attention_mask], dim=1)
        own = self.bert["v_embeddings"]
        boxes = own["image_location_embeddings"](visual_pos)
        image = self._dropout(own["LayerNorm"](own["image_embeddings"](visual_feats) + boxes))
        masks = [
            ((1 - mask.to(self.dtype)) * _MASKED)[:, None, None] for mask in (attention_mask, visual_attention_mask)
        ]
        text, image = self.bert["encoder"](text, image, *masks)
        pooled = [
            self.bert[f"{side}_pooler"]["dense"](states[:, 0]).relu() for side, states in (("t", text), ("v", image))
        ]
        both = pooled[0] + pooled[1] if self.config.fusion_method == "sum" else pooled[0] * pooled[1]
        if self._task is not None:
            text = torch.cat([text[:, :1], text[:, 2:]], dim=1)
        return {"logit": self._match(self._head_dropout(both)), "states": text}

    def words(self, states: torch.Tensor) -> torch.Tensor:
        """Compute the logits of words at places of the text, from their states."""
        logits: torch.Tensor = self.cls["predictions"](states)
        return logits

    def _embed_text(self, ids: torch.Tensor) -> torch.Tensor:
        own = self.bert["embeddings"]
        places = torch.arange(ids.shape[1], device=ids.device)
        found = own["word_embeddings"](ids) + own["position_embeddings"](places)
        found = found + own["token_type_embeddings"](torch.zeros_like(ids))
        if self._task is not None:
            task = own["task_embeddings"](torch.full_like(ids[:, :1], self._task))
            found = torch.cat([found[:, :1], task, found[:, 1:]], dim=1)
        embedded: torch.Tensor = self._dropout(own["LayerNorm"](found))
        return embedded

    def _match(self, both: torch.Tensor) -> torch.Tensor:
        if self._head == "vil_logit":
            return self.vil_logit(both).double()[:, 0]
        logits = self.cls["bi_seq_relationship"](both).double()
        difference: torch.Tensor = logits[:, _MATCH] - logits[:, _NO_MATCH]
        return difference


_TASKS = 20  # of 12-in-1's token embeddings
_PARTS = ("query", "key", "value")


class _Config:
    """What the code for all networks asks of a configuration, by attribute."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.vocab_size: int = given["vocab_size"]
        self.visual_feat_dim: int = given["v_feature_size"]
        self.max_position_embeddings: int = given["max_position_embeddings"]
        self.fusion_method: str = given["fusion_method"]


class _Words(nn.Module):  # type: ignore[misc]
    def __init__(self, parts: Mapping[str, nn.Module], size: int) -> None:
        super().__init__()
        self.transform, self.decoder = parts["transform"], parts["decoder"]
        self.bias = nn.Parameter(torch.zeros(size))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        own: Any = self.transform
        logits: torch.Tensor = self.decoder(own["LayerNorm"](nn.functional.gelu(own["dense"](states)))) + self.bias
        return logits


class _Encoder(nn.Module):  # type: ignore[misc]
    """Twelve layers of text, six of regions, and six connections: before each, the layers that come first."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        text, image = _Stream.of(config, ""), _Stream.of(config, "v_")
        self.layer = nn.ModuleList(_Layer(text) for _ in range(config["num_hidden_layers"]))
        self.v_layer = nn.ModuleList(_Layer(image) for _ in range(config["v_num_hidden_layers"]))
        self._connected = list(zip(config["v_biattention_id"], config["t_biattention_id"], strict=True))
        size, heads = config["bi_hidden_size"], config["bi_num_attention_heads"]
        self.c_layer = nn.ModuleList(_Connection(text, image, size, heads) for _ in self._connected)

    def forward(
        self, text: torch.Tensor, image: torch.Tensor, text_mask: torch.Tensor, image_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        start_image = start_text = 0
        for (end_image, end_text), connection in zip(self._connected, self.c_layer, strict=True):
            for place in range(start_text, end_text):
                text = self.layer[place](text, text_mask)
            for place in range(start_image, end_image):
                image = self.v_layer[place](image, image_mask)
            text, image = connection(text, image, text_mask, image_mask)
            start_image, start_text = end_image, end_text
        for layer in self.v_layer[start_image:]:
            image = layer(image, image_mask)
        for layer in self.layer[start_text:]:
            text = layer(text, text_mask)
        return text, image


class _Stream:
    """The sizes of one stream."""

    def __init__(self, sizes: Mapping[str, int], dropout: float, attention_dropout: float) -> None:
        self.size, self.wide, self.heads = (
            sizes["hidden_size"],
            sizes["intermediate_size"],
            sizes["num_attention_heads"],
        )
        self.dropout, self.attention_dropout = dropout, attention_dropout

    @classmethod
    def of(cls, config: Mapping[str, Any], prefix: str) -> "_Stream":
        sizes = {key: config[prefix + key] for key in ("hidden_size", "intermediate_size", "num_attention_heads")}
        return cls(sizes, config[f"{prefix}hidden_dropout_prob"], config[f"{prefix}attention_probs_dropout_prob"])


class _Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, stream: _Stream) -> None:
        super().__init__()
        size = stream.size
        own = nn.ModuleDict({part: nn.Linear(size, size) for part in _PARTS})
        self.attention = nn.ModuleDict({"self": own, "output": _Output(size, size, stream.dropout)})
        self.intermediate = _dense(size, stream.wide)
        self.output = _Output(stream.wide, size, stream.dropout)
        self._heads, self._chance = stream.heads, stream.attention_dropout

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        own: Any = self.attention["self"]
        chance = self._chance if self.training else 0.0
        found = _attend([own[part](states) for part in _PARTS], mask, self._heads, chance)
        states = self.attention["output"](found, states)
        wide = nn.functional.gelu(self.intermediate["dense"](states))
        after: torch.Tensor = self.output(wide, states)
        return after


class _Connection(nn.Module):  # type: ignore[misc]
    """Each stream asks the other: its queries meet the other's keys and values. In names, 1 is the picture."""

    def __init__(self, text: _Stream, image: _Stream, size: int, heads: int) -> None:
        super().__init__()
        streams = {"1": image, "2": text}
        self.biattention = nn.ModuleDict(
            {f"{part}{side}": nn.Linear(one.size, size) for side, one in streams.items() for part in _PARTS}
        )
        self.biOutput = nn.ModuleDict()
        for side, one in streams.items():
            self.biOutput[f"dense{side}"] = nn.Linear(size, one.size)
            self.biOutput[f"LayerNorm{side}"] = nn.LayerNorm(one.size, _EPSILON)
            self.biOutput[f"q_dense{side}"] = nn.Linear(size, one.size)  # in the checkpoints, but never used
            self.biOutput[f"dropout{side}"] = nn.Dropout(one.dropout)
        self.v_intermediate, self.v_output = (
            _dense(image.size, image.wide),
            _Output(image.wide, image.size, image.dropout),
        )
        self.t_intermediate, self.t_output = _dense(text.size, text.wide), _Output(text.wide, text.size, text.dropout)
        self._heads, self._chances = heads, (image.attention_dropout, text.attention_dropout)

    def forward(
        self, text: torch.Tensor, image: torch.Tensor, text_mask: torch.Tensor, image_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        by_image, by_text = self._project(image, "1"), self._project(text, "2")
        chances = self._chances if self.training else (0.0, 0.0)
        for_text = _attend([by_text[0], *by_image[1:]], image_mask, self._heads, chances[0])
        for_image = _attend([by_image[0], *by_text[1:]], text_mask, self._heads, chances[1])
        image, text = self._add(for_image, image, "1"), self._add(for_text, text, "2")
        image = self.v_output(nn.functional.gelu(self.v_intermediate["dense"](image)), image)
        text = self.t_output(nn.functional.gelu(self.t_intermediate["dense"](text)), text)
        return text, image

    def _project(self, states: torch.Tensor, side: str) -> list[torch.Tensor]:
        return [self.biattention[f"{part}{side}"](states) for part in _PARTS]

    def _add(self, found: torch.Tensor, states: torch.Tensor, side: str) -> torch.Tensor:
        own = self.biOutput
        added: torch.Tensor = own[f"LayerNorm{side}"](own[f"dropout{side}"](own[f"dense{side}"](found)) + states)
        return added


class _Output(nn.Module):  # type: ignore[misc]
    def __init__(self, given: int, size: int, dropout: float) -> None:
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(given, size), nn.LayerNorm(size, _EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, found: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        added: torch.Tensor = self.LayerNorm(self.dropout(self.dense(found)) + states)
        return added


def _attend(parts: Sequence[torch.Tensor], mask: torch.Tensor, heads: int, chance: float) -> torch.Tensor:
    parted = [one.unflatten(-1, (heads, -1)).transpose(1, 2) for one in parts]
    found = nn.functional.scaled_dot_product_attention(*parted, attn_mask=mask, dropout_p=chance)
    return found.transpose(1, 2).flatten(2)


def _dense(given: int, size: int) -> nn.ModuleDict:
    return nn.ModuleDict({"dense": nn.Linear(given, size)})


def _transform(size: int) -> dict[str, nn.Module]:
    parts = {"dense": nn.Linear(size, size), "LayerNorm": nn.LayerNorm(size, _EPSILON)}
    return {"transform": nn.ModuleDict(parts)}


@dataclass(frozen=True, slots=True)
class ViLBertOptions:
    """The task's token, of 12-in-1 only, and the head that a match is read from; None for the usual ones.

    A new head, for training, may be missing in the weights; its numbers are random.
    """

    task: int | None = None
    head: str | None = None
    is_head_new: bool = False

    def __post_init__(self) -> None:
        if self.task is not None and not 0 <= self.task < _TASKS:
            raise BadValueError(f"task={self.task}: should be from 0 to {_TASKS - 1}")
        if self.head is not None and self.head not in HEADS:
            raise BadValueError(f"head={self.head}: should be {' or '.join(HEADS)}; others take no single picture")


class ViLBertNetwork(JointNetwork):
    """ViLBERT or 12-in-1 in a folder: the authors' configuration and weights, and the vocabulary of their BERT."""

    def __init__(self, folder: Path, placement: Device, regions: Path, options: ViLBertOptions) -> None:
        from transformers import BertTokenizer

        config, found = _read_config(folder), _read_weights(folder)
        is_multi_task = "bert.embeddings.task_embeddings.weight" in found
        if options.task is not None and not is_multi_task:
            raise BadValueError(
                f"task={options.task}: {folder.name} has no tokens of tasks, as 12-in-1 has; leave it out"
            )
        usual = config.get("matching_task", RETRIEVAL_TASK) if is_multi_task else None
        self.task = usual if options.task is None else options.task
        self.head = options.head or str(config.get("matching_head", HEADS[0]))
        try:
            self.network: Any = ViLBert(config, self.task, self.head)
        except KeyError as error:
            raise BadFileError(f"{folder / find_config(folder)} has no {error}; copy the authors' file again") from None
        _fill(self.network, found, folder, may_lack=("vil_logit.",) if options.is_head_new else ())
        self.network.to(placement.torch_device(), placement.torch_dtype()).eval()
        self._tokenizer: Any = weights.load_part(
            BertTokenizer,
            folder,
            f"the tokenizer of {folder}",
            do_lower_case=True,
        )
        self._tokenizer.padding_side = "right"
        self.tokens = Tokens(self._tokenizer, config["max_position_embeddings"])
        self._architecture, self._answers = ARCHITECTURE, {}
        prepare = prepare_regions(Regions.open(regions), self.network.config, DETECTOR)
        self._prepare = lambda views: _add_mean(prepare(views))

    def compute_match(self, inputs: Tensors) -> dict[str, Any]:
        """Compute the logit of a match."""
        return {"logit": self.network(**inputs)["logit"]}

    def _compute_words(self, inputs: Tensors, gaps: torch.Tensor) -> torch.Tensor:
        states = self.network(**inputs)["states"]
        words: torch.Tensor = self.network.words(states[range(len(gaps)), gaps])
        return words


def _add_mean(tensors: Tensors) -> Tensors:
    """Put the mean of a picture's regions, with a box around all of it, before them; add to each box its area."""
    features, boxes, mask = (tensors[f"visual_{name}"] for name in ("feats", "pos", "attention_mask"))
    mean = features.sum(dim=1, keepdim=True) / mask.sum(dim=1)[:, None, None]
    sides = boxes[..., 2:] - boxes[..., :2]
    boxes = torch.cat([boxes, sides.prod(dim=-1, keepdim=True)], dim=-1)
    whole = torch.tensor([0.0, 0, 1, 1, 1]).expand(len(boxes), 1, 5)
    return {
        "visual_feats": torch.cat([mean, features], dim=1),
        "visual_pos": torch.cat([whole, boxes], dim=1),
        "visual_attention_mask": torch.cat([torch.ones(len(mask), 1), mask], dim=1),
    }


_USUAL = {"fusion_method": "mul", "v_target_size": 1601, "v_feature_size": 2048, "type_vocab_size": 2}


def _read_config(folder: Path) -> dict[str, Any]:
    config = _USUAL | weights.read_config(folder, find_config(folder))
    if config["fusion_method"] not in ("mul", "sum") or config.get("dynamic_attention"):
        raise UnusableModelError(
            f"{folder} joins its streams in another way than ViLBERT and 12-in-1 (fusion_method or dynamic_attention); "
            "take weights of the authors"
        )
    return config


def _read_weights(folder: Path) -> dict[str, torch.Tensor]:
    files = sorted(path for suffix in ("safetensors", "bin") for path in folder.glob(f"*.{suffix}"))
    if len(files) != 1:
        held = ", ".join(path.name for path in files) or "none"
        raise BadFileError(f"{folder} should have one file of weights, .bin or .safetensors; it has {held}")
    with weights.loading(str(folder)):
        if files[0].suffix == ".safetensors":
            from safetensors.torch import load_file

            found: dict[str, torch.Tensor] = load_file(files[0])
        else:
            found = torch.load(files[0], map_location="cpu", weights_only=True)
    # Those saved on several GPUs are named after the wrapper.
    return {name.removeprefix("module."): tensor for name, tensor in found.items()}


def _fill(network: nn.Module, found: Mapping[str, torch.Tensor], folder: Path, may_lack: Collection[str]) -> None:
    """Load weights, shape by shape; refuse what is missing or of another shape, and tensors of another network."""
    wanted = network.state_dict()
    tied = {_TIED: found[_WORDS]} if _WORDS in found else {}
    found = tied | dict(found)
    others = [name for name in found.keys() - wanted.keys() if not _OTHER_HEADS.fullmatch(name)]
    if others:
        raise UnusableModelError(
            f"{folder} cannot be loaded: its weights have {min(others)}, which ViLBERT and 12-in-1 do not; take theirs"
        )
    told = {
        "missing_keys": wanted.keys() - found.keys(),
        "mismatched_keys": [
            (name, tuple(found[name].shape), tuple(tensor.shape))
            for name, tensor in wanted.items()
            if name in found and found[name].shape != tensor.shape
        ],
    }
    weights.refuse_random_weights(told, str(folder), may_lack)
    network.load_state_dict({name: found[name] for name in wanted.keys() & found.keys()}, strict=False)


_WORDS, _TIED = "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"
