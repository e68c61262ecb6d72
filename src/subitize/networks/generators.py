"""Networks that write answers token by token: the most likely token, a random one, or a given one.

These are the networks that AutoModelForImageTextToText loads, and BLIP's. Our logits processors pick each token and
record its probability, so that nothing depends on echoes, padding or a folder's generation settings."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from subitize.errors import BadValueError, UnusableModelError
from subitize.networks import encoders
from subitize.networks.encoders import LazyImage
from subitize.networks.processors import PromptFormat
from subitize.networks.weights import Device, Untyped, load_model, load_part, loading, quiet
from subitize.records import Said, Scalar, Token

if TYPE_CHECKING:
    import torch


# The alternatives to a token that are kept: the default limit of OpenAI's servers.
OTHERS = 5


class TokenSampler:
    """Logits processor that picks the likeliest token, or samples one from each row's own seed, and records it.

    It records each token's log-probability and the next best tokens. A row's sample depends on its seed alone, not on
    its place in a batch or on the other rows.
    """

    def __init__(self, seeds: Sequence[int], temperature: float) -> None:
        import torch

        self._temperature = temperature
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]
        self.chosen: list[list[int]] = [[] for _ in seeds]
        self.logprobs: list[list[float]] = [[] for _ in seeds]
        self.others: list[list[dict[int, float]]] = [[] for _ in seeds]

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Choose a token for every row."""
        logprobs = log_probabilities(scores)
        chosen = self._draw(logprobs) if self._temperature else logprobs.argmax(-1)
        best = logprobs.topk(min(OTHERS + 1, logprobs.shape[-1]))
        columns = (chosen, logprobs.gather(-1, chosen[:, None])[:, 0], best.indices, best.values)
        for row, (id, logprob, ids, values) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            self.chosen[row].append(id)
            self.logprobs[row].append(logprob)
            self.others[row].append({other: value for other, value in zip(ids, values, strict=True) if other != id})
        return _only(scores, chosen)

    def _draw(self, logprobs: "torch.Tensor") -> "torch.Tensor":
        """Sample by adding Gumbel noise: the largest sum is distributed like the probabilities."""
        import torch

        size = logprobs.shape[-1]
        even = torch.stack([torch.rand(size, generator=generator) for generator in self._generators]).clamp_min(1e-20)
        noise = -(-even.log()).clamp_min(1e-20).log()
        return (logprobs / self._temperature + noise.to(logprobs.device)).argmax(-1)


class TokenForcer:
    """Logits processor that forces the same answer on every row and records its log-probability."""

    def __init__(self, said: Sequence[int], ends: Sequence[int], first: Sequence[int]) -> None:
        self._said, self._ends, self._first = said, list(ends), list(first)
        self._step = 0
        self.first_logprobs: list[list[float]] = []
        self.logprobs: list[float] = []

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Add the next token's log-probability; at the end, that of all tokens that end an answer."""
        logprobs = log_probabilities(scores)
        if self._step == 0:
            self.first_logprobs = logprobs[:, self._first].tolist()
            self.logprobs = [0.0] * len(logprobs)
        is_last = self._step == len(self._said)
        next_id = self._ends[0] if is_last else self._said[self._step]
        added = logprobs[:, self._ends].logsumexp(-1) if is_last else logprobs[:, next_id]
        self.logprobs = [total + more for total, more in zip(self.logprobs, added.tolist(), strict=True)]
        self._step += 1
        return _only(scores, logprobs.new_full((len(logprobs),), next_id).long())


def log_probabilities(scores: "torch.Tensor") -> "torch.Tensor":
    """Turn a network's scores into natural-log probabilities; refuse NaN, as half floats overflow in some networks."""
    if scores.isnan().any():
        raise BadValueError("the network computes no numbers (NaN) for this picture; write dtype=float32 or bfloat16")
    return scores.float().log_softmax(-1)


def _only(scores: "torch.Tensor", chosen: "torch.Tensor") -> "torch.Tensor":
    import torch

    return torch.full_like(scores, -torch.inf).scatter_(-1, chosen[:, None], 0.0)


# Ways to write yes; tokenizers differ in how they write the first word of an answer.
YES = ("Yes", "yes", " Yes", " yes")
_LEAST = math.log(1e-6)


Row = Mapping[str, "torch.Tensor"]
"""The inputs of a network for one picture and its question."""


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How answers are generated: at most so many tokens, how randomly, and from which system prompt and form."""

    max_tokens: int = 32
    temperature: float = 0.0
    system: str | None = None
    form: str | None = None


class Generator:
    """A network that writes its answer token by token."""

    def __init__(
        self, network: Untyped, prompts: PromptFormat, options: GenerationOptions, ends: Sequence[int], *, pads: bool
    ) -> None:
        self.network, self._prompts, self._options = network, prompts, options
        self._ends, self._pads = ends, pads
        self._tokenizer = prompts.tokenizer
        written = (self._tokenizer(form, add_special_tokens=False)["input_ids"] for form in YES)
        self._yes = list(dict.fromkeys(tuple(ids) for ids in written if ids))

    def describe(self) -> dict[str, Scalar]:
        """Describe how questions are put, for the provenance."""
        return self._prompts.describe()

    def answer(self, views: Sequence[LazyImage], questions: Sequence[str], seeds: Sequence[int], /) -> list[Said]:
        """Answer each question about its picture; refuse a question too long for the network."""
        said: dict[int, Said] = {}
        rows = self._rows(views, questions, self._options.max_tokens)
        for places, batch in batches(rows, self._pad_id, pads=self._pads):
            chooser = TokenSampler([seeds[place] for place in places], self._options.temperature)
            self._generate(batch, chooser, self._options.max_tokens)
            said |= {place: self._read(chooser, number) for number, place in enumerate(places)}
        return [said[place] for place in range(len(rows))]

    def probability_of_yes(self, views: Sequence[LazyImage], questions: Sequence[str], /) -> list[float]:
        """Give the probability that the whole answer to each question is yes.

        It sums over the ways to write yes; each is the product over its tokens and the end of the answer. Ways whose
        first token has a probability below one in a million are left out.
        """
        yes = [0.0] * len(views)
        rows = self._rows(views, questions, max(map(len, self._yes)) + 1)
        first_ids = [ids[0] for ids in self._yes]
        first: list[list[float]] = [[0.0] * len(self._yes) for _ in rows]
        for way, ids in enumerate(self._yes):
            likely = [place for place in range(len(rows)) if first[place][way] >= _LEAST]
            for numbers, batch in batches([rows[place] for place in likely], self._pad_id, pads=self._pads):
                forcer = TokenForcer(ids, self._ends, first_ids)
                self._generate(batch, forcer, len(ids) + 1)
                for number, logprob, logprobs in zip(numbers, forcer.logprobs, forcer.first_logprobs, strict=True):
                    yes[likely[number]] += math.exp(logprob)
                    first[likely[number]] = logprobs
        return [min(1.0, probability) for probability in yes]

    @property
    def _pad_id(self) -> int:
        pad_id: int | None = self._tokenizer.pad_token_id
        return self._ends[0] if pad_id is None else pad_id

    def _rows(self, views: Sequence[LazyImage], questions: Sequence[str], new_tokens: int) -> list[Row]:
        with quiet():
            asked = zip(views, questions, strict=True)
            prepared = [self._prompts.inputs(view.pixels(), question) for view, question in asked]
        rows = [place_row(inputs, self.network) for inputs in prepared]
        room = _find_room(self.network.config)
        for row, question in zip(rows, questions, strict=True):
            if room is not None and length(row) + new_tokens > room:
                remedy = "lower max_tokens or shorten it" if length(row) < room else "shorten it"
                given = f"the question {question[:40]!r} and its picture are {length(row)} tokens"
                more = f"with {new_tokens} for the answer that is more than the {room} this network can hold"
                raise BadValueError(f"{given}; {more}; {remedy}")
        return rows

    def _generate(self, batch: dict[str, Any], chooser: TokenSampler | TokenForcer, new_tokens: int) -> None:
        import torch
        from transformers import LogitsProcessorList

        with torch.inference_mode(), quiet():
            self.network.generate(**batch, logits_processor=LogitsProcessorList([chooser]), max_new_tokens=new_tokens)

    def _read(self, chooser: TokenSampler, row: int) -> Said:
        chosen = chooser.chosen[row]
        end = next((place for place, id in enumerate(chosen) if id in self._ends), len(chosen))
        text = self._tokenizer.decode(chosen[:end], skip_special_tokens=True).strip()
        return Said(text, tuple(self._token(chooser, row, place) for place in range(end)))

    def _token(self, chooser: TokenSampler, row: int, place: int) -> Token:
        def write(id: int) -> str:
            return str(self._tokenizer.decode([id]))

        others: dict[str, float] = {}
        for id, logprob in chooser.others[row][place].items():
            others.setdefault(write(id), logprob)
        return Token(write(chooser.chosen[row][place]), chooser.logprobs[row][place], others)


def open_generator(folder: Path, architecture: str, placement: Device, options: GenerationOptions) -> Generator:
    """Load a network that writes its answers."""
    from transformers import AutoModelForImageTextToText, AutoModelForVisualQuestionAnswering

    with loading(str(folder)):
        _check_architecture(folder, architecture)
        prompts = PromptFormat(folder, architecture, system=options.system, form=options.form)
        is_blip = architecture == _BLIP
        kind = AutoModelForVisualQuestionAnswering if is_blip else AutoModelForImageTextToText
        network: Any = load_model(kind, folder, placement, str(folder))
        ends = _find_ends(network, prompts.tokenizer)
        if not ends:
            raise UnusableModelError(
                f"{folder} names no token that ends an answer; add eos_token_id to its generation_config.json"
            )
        _reset_generation_config(network, ends)
        row = place_row(prompts.try_out(_image_token(network.config)), network)
        room = _find_room(network.config)
        if room is not None and length(row) < room < length(row) + options.max_tokens:
            # The answer does not fit even after the shortest question about a small picture.
            own = f"those of the picture and the question ({length(row)} or more) included"
            held = f"this network can hold {room} tokens, {own}"
            raise BadValueError(f"max_tokens={options.max_tokens}: {held}; lower max_tokens")
        # BLIP attends to the padding of questions, so its questions are not padded.
        return Generator(network, prompts, options, ends, pads=not is_blip)


_BLIP = "BlipForQuestionAnswering"


def _check_architecture(folder: Path, architecture: str) -> None:
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES as WRITERS

    config = load_part(AutoConfig, folder, str(folder))
    if architecture not in (_BLIP, WRITERS.get(config.model_type)):
        lacks = (
            "neither answers nor scores nor fills gaps in a way known here; docs/local-models.md lists those that do"
        )
        raise UnusableModelError(f"{folder} is a {architecture}, which {lacks}")


def _reset_generation_config(network: Untyped, ends: Sequence[int]) -> None:
    """Keep what tokens mean, and drop beams, penalties and sampling: our options say how tokens are chosen."""
    from transformers import GenerationConfig

    for module in network.modules():
        settings = getattr(module, "generation_config", None)
        if settings is not None:
            kept = {name: getattr(settings, name, None) for name in _MEANINGS}
            module.generation_config = GenerationConfig(**kept, eos_token_id=list(ends))


_MEANINGS = ("bos_token_id", "pad_token_id", "decoder_start_token_id")


def _find_ends(network: Untyped, tokenizer: Untyped) -> list[int]:
    """Find the tokens that end an answer; BLIP's decoder ends at the separator."""
    words = network.config.get_text_config()
    named = network.generation_config.eos_token_id if network.can_generate() else words.sep_token_id
    for ends in (named, words.eos_token_id, tokenizer.eos_token_id):
        if ends is not None:
            return list(ends) if isinstance(ends, list | tuple) else [ends]
    return []


def _image_token(config: Untyped) -> int | None:
    """Find the placeholder token of pictures, if the network has one."""
    names = ("image_token_id", "image_token_index")
    found: int | None = next((id for name in names if (id := getattr(config, name, None)) is not None), None)
    return found


def _find_room(config: Untyped) -> int | None:
    """Find how many tokens a network can hold; None where positions are relative."""
    room: int | None = getattr(config.get_text_config(), "max_position_embeddings", None)
    return room


def batches(rows: Sequence[Row], pad_id: int, *, pads: bool) -> Iterator[tuple[list[int], dict[str, "torch.Tensor"]]]:
    """Group rows into batches without changing any result; yield their positions, too.

    Each picture and its question went through the processor alone, as if there were no others. Rows are then padded in
    front, those of different length only if padding is allowed; and what cannot be joined with others (another number
    of tiles) makes a batch of its own.
    """
    groups: dict[object, list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(_shape(row, pads=pads), []).append(place)
    for places in groups.values():
        yield places, _join([rows[place] for place in places], pad_id)


def place_row(inputs: Mapping[str, Untyped], network: Untyped) -> Row:
    """Move a processor's output to the network's device, its floats to the network's type.

    Anything but tensors is refused: it cannot be batched, and leaving it out might leave out the picture.
    """
    import torch

    made = {name: values for name, values in inputs.items() if name != "labels"}
    strange = sorted(name for name, values in made.items() if not isinstance(values, torch.Tensor))
    if strange:
        raise UnusableModelError(
            f"its processor gives {' and '.join(strange)} in a form that is not known here; take another model"
        )
    if not any(values.is_floating_point() for values in made.values()):
        raise UnusableModelError("its processor makes no numbers of a picture; take a model that sees")
    return encoders.to_device(network, made)


def length(row: Row) -> int:
    """Count the tokens of a row, those of the picture included."""
    return int(row["input_ids"].shape[1])


def _shape(row: Row, *, pads: bool) -> object:
    shapes = [(name, tuple(values.shape[1:])) for name, values in row.items() if not _is_sequence(name, row)]
    return (*shapes, None if pads else length(row))


def _is_sequence(name: str, row: Row) -> bool:
    return name in _PER_TOKEN and row[name].shape == row["input_ids"].shape


_PER_TOKEN = {"input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids"}


def _join(rows: Sequence[Row], pad_id: int) -> dict[str, "torch.Tensor"]:
    import torch

    longest = max(map(length, rows))
    joined = {}
    for name in rows[0]:
        if _is_sequence(name, rows[0]):
            filler = pad_id if name == "input_ids" else 0
            parts = [torch.nn.functional.pad(row[name], (longest - length(row), 0), value=filler) for row in rows]
        elif name == _PATCH_PLACES:
            parts = _shift_places(rows)
        else:
            parts = [row[name] for row in rows]
        joined[name] = torch.cat(parts)
    return joined


_PATCH_PLACES = "image_token_pooling"


def _shift_places(rows: Sequence[Row]) -> list["torch.Tensor"]:
    """Shift the patch indices of Molmo 2's picture tokens by the number of patches in the rows before."""
    counts = [row["pixel_values"].shape[:2].numel() for row in rows]
    starts = accumulate(counts, initial=0)
    return [row[_PATCH_PLACES] + start * (row[_PATCH_PLACES] >= 0) for row, start in zip(rows, starts, strict=False)]
