"""ViLBERT and 12-in-1: their authors' layout tensor by tensor, and the figures of a forward pass written in numpy."""

import json
import math
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError, UnusableModelError
from subitize.models.vilbert import Vilbert
from subitize.networks.encoders import LazyImage
from subitize.networks.joint import Regions
from tests.cases import Case
from tests.networks.tiny_matchers import write_regions
from tests.networks.tiny_weights import find_tiny

pytestmark = pytest.mark.torch

NAMES = [f"{place}.png" for place in range(4)]
TEXTS = ["Two cats", "there are three red zebras on the table .", "how many cats ? [SEP] 2", "no people"]
GAPS = ["there are [GAP] cats .", "[GAP] dogs", "you see [GAP] red zebras on the table .", "a [GAP]"]
VIEWS = [LazyImage(name, lambda: pytest.fail("it sees regions, no pixels")) for name in NAMES]
KINDS = ("vilbert", "vilbert-12-in-1")
Array = Any  # of float64


@pytest.fixture(scope="module")
def regions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_regions(tmp_path_factory.mktemp("regions") / "regions.npz", NAMES)


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    return partial(find_tiny, folders=tmp_path_factory)


@pytest.fixture
def copied(find: Callable[[str], Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(find("vilbert"), tmp_path / "model"))


class Straight:
    """ViLBERT's forward pass for one pair, in float64, as the authors' code has it."""

    def __init__(self, folder: Path, task: int | None) -> None:
        from safetensors.numpy import load_file

        self.w = {name: one.astype(np.float64) for name, one in load_file(folder / "model.safetensors").items()}
        self.c = json.loads((folder / "bert_base_6layer_6conect.json").read_text())
        self.vocabulary = {word: id for id, word in enumerate((folder / "vocab.txt").read_text().split())}
        self.task = task

    def dense(self, name: str, x: Array) -> Array:
        return x @ self.w[f"{name}.weight"].T + self.w[f"{name}.bias"]

    def norm(self, name: str, x: Array) -> Array:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return centred / spread * self.w[f"{name}.weight"] + self.w[f"{name}.bias"]

    def attend(self, q: Array, k: Array, v: Array, heads: int) -> Array:
        size = q.shape[1] // heads
        found = []
        for head in range(heads):
            own = slice(head * size, (head + 1) * size)
            scores = q[:, own] @ k[:, own].T / math.sqrt(size)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            found.append(shares / shares.sum(-1, keepdims=True) @ v[:, own])
        return np.concatenate(found, axis=1)

    def feed(self, prefixes: tuple[str, str], x: Array) -> Array:
        wide = gelu(self.dense(f"{prefixes[0]}.dense", x))
        return self.norm(f"{prefixes[1]}.LayerNorm", self.dense(f"{prefixes[1]}.dense", wide) + x)

    def layer(self, name: str, x: Array, heads: int) -> Array:
        q, k, v = (self.dense(f"{name}.attention.self.{part}", x) for part in ("query", "key", "value"))
        seen = self.dense(f"{name}.attention.output.dense", self.attend(q, k, v, heads))
        x = self.norm(f"{name}.attention.output.LayerNorm", seen + x)
        return self.feed((f"{name}.intermediate", f"{name}.output"), x)

    def connect(self, name: str, v: Array, t: Array) -> tuple[Array, Array]:
        q1, k1, v1 = (self.dense(f"{name}.biattention.{part}1", v) for part in ("query", "key", "value"))
        q2, k2, v2 = (self.dense(f"{name}.biattention.{part}2", t) for part in ("query", "key", "value"))
        heads, out = self.c["bi_num_attention_heads"], f"{name}.biOutput"
        text = self.norm(f"{out}.LayerNorm2", self.dense(f"{out}.dense2", self.attend(q2, k1, v1, heads)) + t)
        image = self.norm(f"{out}.LayerNorm1", self.dense(f"{out}.dense1", self.attend(q1, k2, v2, heads)) + v)
        return (
            self.feed((f"{name}.v_intermediate", f"{name}.v_output"), image),
            self.feed((f"{name}.t_intermediate", f"{name}.t_output"), text),
        )

    def __call__(self, words: list[str], features: Array, boxes: Array) -> tuple[Array, Array]:
        ids = [self.vocabulary[word] for word in ["[CLS]", *words, "[SEP]"]]
        of = "bert.embeddings"
        t = self.w[f"{of}.word_embeddings.weight"][ids] + self.w[f"{of}.position_embeddings.weight"][: len(ids)]
        t = t + self.w[f"{of}.token_type_embeddings.weight"][0]
        if self.task is not None:
            t = np.insert(t, 1, self.w[f"{of}.task_embeddings.weight"][self.task], axis=0)
        t = self.norm(f"{of}.LayerNorm", t)
        seen = np.vstack([features.mean(0), features])
        places = [[*box, (box[2] - box[0]) * (box[3] - box[1])] for box in boxes]
        v = self.dense("bert.v_embeddings.image_embeddings", seen)
        v = v + self.dense("bert.v_embeddings.image_location_embeddings", np.array([[0, 0, 1, 1, 1], *places]))
        v = self.norm("bert.v_embeddings.LayerNorm", v)
        # With connections before regions 0 and 1, and before texts 2 and 3.
        t_layer = partial(self.layer, heads=self.c["num_attention_heads"])
        v_layer = partial(self.layer, heads=self.c["v_num_attention_heads"])
        e = "bert.encoder"
        t = t_layer(f"{e}.layer.1", t_layer(f"{e}.layer.0", t))
        v, t = self.connect(f"{e}.c_layer.0", v, t)
        t, v = t_layer(f"{e}.layer.2", t), v_layer(f"{e}.v_layer.0", v)
        v, t = self.connect(f"{e}.c_layer.1", v, t)
        v = v_layer(f"{e}.v_layer.2", v_layer(f"{e}.v_layer.1", v))
        t = t_layer(f"{e}.layer.3", t)
        t_words = t if self.task is None else np.delete(t, 1, axis=0)
        pooled = np.maximum(self.dense("bert.t_pooler.dense", t[0]), 0)
        pooled = pooled * np.maximum(self.dense("bert.v_pooler.dense", v[0]), 0)
        head = "cls.predictions"
        said = self.norm(f"{head}.transform.LayerNorm", gelu(self.dense(f"{head}.transform.dense", t_words)))
        logits = said @ self.w[f"{of}.word_embeddings.weight"].T + self.w[f"{head}.bias"]
        return pooled, logits


def gelu(x: Array) -> Array:
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def split(text: str) -> list[str]:
    return [word if word.startswith("[") else word.lower() for word in text.split()]


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_a_forward_pass_in_numpy(
    kind: str, find: Callable[[str], Path], regions: Path, case: Case
) -> None:
    folder = find(kind)
    straight = Straight(folder, 7 if "12" in kind else None)
    model = Vilbert(str(folder), regions=str(regions))
    opened = Regions.open(regions)
    scores, words = model.score(VIEWS, TEXTS), model.fill(VIEWS, GAPS)
    for place, name in enumerate(NAMES):
        features, boxes, _ = opened.of([name])
        seen = (features[0].astype(float), boxes[0].astype(float))
        with case(f"{name}, match"):
            logits = straight.dense("cls.bi_seq_relationship", straight(split(TEXTS[place]), *seen)[0])
            assert scores[place]["logit"] == pytest.approx(logits[0] - logits[1], rel=1e-3)  # 0 is a match
            assert scores[place]["match"] == pytest.approx(1 / (1 + math.exp(logits[1] - logits[0])), rel=1e-3)
        with case(f"{name}, gap"):
            masked = split(GAPS[place].replace("[GAP]", "[MASK]"))
            logits = straight(masked, *seen)[1][masked.index("[MASK]") + 1]
            shares = np.exp(logits - logits.max())
            shares /= shares.sum()
            for word in ("two", "3", "a"):
                assert words[place][word] == pytest.approx(shares[straight.vocabulary[word]], rel=1e-3)


def test_a_match_is_read_from_the_other_head_where_asked(find: Callable[[str], Path], regions: Path) -> None:
    folder = find("vilbert-12-in-1")
    straight = Straight(folder, 3)
    model = Vilbert(str(folder), regions=str(regions), head="vil_logit", task=3)
    features, boxes, _ = Regions.open(regions).of(NAMES[:1])
    pooled = straight(split(TEXTS[0]), features[0].astype(float), boxes[0].astype(float))[0]
    (score,) = model.score(VIEWS[:1], TEXTS[:1])
    assert score["logit"] == pytest.approx(straight.dense("vil_logit", pooled)[0], rel=1e-3)
    assert model.parameters() == model.parameters() | {"head": "vil_logit", "task": 3}


def published_layout() -> dict[str, tuple[int, ...]]:
    """The tensors of the authors' pretrained model, written down from their code."""
    found: dict[str, tuple[int, ...]] = {}

    def dense(name: str, given: int, size: int) -> None:
        found[f"{name}.weight"], found[f"{name}.bias"] = (size, given), (size,)

    def norm(name: str, size: int) -> None:
        found[f"{name}.weight"] = found[f"{name}.bias"] = (size,)

    def output(name: str, given: int, size: int) -> None:
        dense(f"{name}.dense", given, size)
        norm(f"{name}.LayerNorm", size)

    def layer(name: str, size: int, wide: int) -> None:
        for part in ("query", "key", "value"):
            dense(f"{name}.attention.self.{part}", size, size)
        output(f"{name}.attention.output", size, size)
        dense(f"{name}.intermediate.dense", size, wide)
        output(f"{name}.output", wide, size)

    for name, rows in (("word", 30522), ("position", 512), ("token_type", 2)):
        found[f"bert.embeddings.{name}_embeddings.weight"] = (rows, 768)
    norm("bert.embeddings.LayerNorm", 768)
    dense("bert.v_embeddings.image_embeddings", 2048, 1024)
    dense("bert.v_embeddings.image_location_embeddings", 5, 1024)
    norm("bert.v_embeddings.LayerNorm", 1024)
    for place in range(12):
        layer(f"bert.encoder.layer.{place}", 768, 3072)
    for place in range(6):
        layer(f"bert.encoder.v_layer.{place}", 1024, 1024)
        own = f"bert.encoder.c_layer.{place}"
        for side, size in ((1, 1024), (2, 768)):
            for part in ("query", "key", "value"):
                dense(f"{own}.biattention.{part}{side}", size, 1024)
            dense(f"{own}.biOutput.dense{side}", 1024, size)
            dense(f"{own}.biOutput.q_dense{side}", 1024, size)
            norm(f"{own}.biOutput.LayerNorm{side}", size)
        dense(f"{own}.v_intermediate.dense", 1024, 1024)
        output(f"{own}.v_output", 1024, 1024)
        dense(f"{own}.t_intermediate.dense", 768, 3072)
        output(f"{own}.t_output", 3072, 768)
    dense("bert.t_pooler.dense", 768, 1024)
    dense("bert.v_pooler.dense", 1024, 1024)
    output("cls.predictions.transform", 768, 768)
    found["cls.predictions.bias"], found["cls.predictions.decoder.weight"] = (30522,), (30522, 768)
    dense("cls.bi_seq_relationship", 1024, 2)
    output("cls.imagePredictions.transform", 1024, 1024)
    dense("cls.imagePredictions.decoder", 1024, 1601)
    return found


def test_the_published_size_has_the_authors_tensors() -> None:
    import torch

    from subitize.networks.vilbert import ViLBert

    sizes = {
        "vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2, "fusion_method": "mul",
        "hidden_size": 768, "intermediate_size": 3072, "num_attention_heads": 12, "num_hidden_layers": 12,
        "v_hidden_size": 1024, "v_intermediate_size": 1024, "v_num_attention_heads": 8, "v_num_hidden_layers": 6,
        "bi_hidden_size": 1024, "bi_num_attention_heads": 8, "v_feature_size": 2048, "v_target_size": 1601,
        "v_biattention_id": [*range(6)], "t_biattention_id": [*range(6, 12)], "hidden_dropout_prob": 0.1,
        "attention_probs_dropout_prob": 0.1, "v_hidden_dropout_prob": 0.1, "v_attention_probs_dropout_prob": 0.1,
    }  # fmt: skip
    with torch.device("meta"):
        plain, multi = ViLBert(sizes), ViLBert(sizes, task=7)
    shapes = {name: tuple(tensor.shape) for name, tensor in plain.state_dict().items()}
    assert shapes == published_layout()
    assert len(shapes) == 533
    extra = {name: tuple(tensor.shape) for name, tensor in multi.state_dict().items() if name not in shapes}
    assert extra == {"bert.embeddings.task_embeddings.weight": (20, 768)}


def test_weights_pickled_on_several_gpus_are_read_too(copied: Path, find: Callable[[str], Path], regions: Path) -> None:
    import torch
    from safetensors.torch import load_file

    found = load_file(copied / "model.safetensors")
    del found["cls.predictions.decoder.weight"]  # it is tied
    torch.save({f"module.{name}": tensor for name, tensor in found.items()}, copied / "pretrained_model.bin")
    (copied / "model.safetensors").unlink()
    one, other = (
        Vilbert(str(folder), regions=str(regions)).score(VIEWS, TEXTS) for folder in (copied, find("vilbert"))
    )
    assert one == other


def respell(change: Callable[[dict[str, Any]], Mapping[str, Any]], folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    changed = change(load_file(folder / "model.safetensors"))
    save_file(dict(changed), folder / "model.safetensors")


def reconfigure(folder: Path, **values: object) -> None:
    path = folder / "bert_base_6layer_6conect.json"
    path.write_text(json.dumps({k: v for k, v in (json.loads(path.read_text()) | values).items() if v is not None}))


_DENSE = "bert.encoder.v_layer.1.output.dense.weight"
SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing tensor": (partial(respell, lambda w: {k: v for k, v in w.items() if k != _DENSE}), f"lack {_DENSE}"),
    "another shape": (
        partial(respell, lambda w: w | {_DENSE: w[_DENSE][:, 1:].contiguous()}),
        "is 12×9, should be 12×10",
    ),
    "another network": (
        partial(respell, lambda w: w | {"bert.dyLinear.bias": w[_DENSE].clone()}),
        "have bert.dyLinear.bias",
    ),
    "other config": (partial(reconfigure, num_hidden_layers=5), "lack bert.encoder.layer.4"),
    "no size": (partial(reconfigure, v_hidden_size=None), "has no 'v_hidden_size'; copy"),
    "other fusion": (partial(reconfigure, fusion_method="cat"), "joins its streams in another way"),
    "two files": (
        lambda folder: shutil.copy(folder / "model.safetensors", folder / "a.bin"),
        "a.bin, model.safetensors",
    ),
    "no config": (
        lambda folder: (folder / "bert_base_6layer_6conect.json").unlink(),
        "no config.json and no bert_base",
    ),
    "no vocabulary": (lambda folder: (folder / "vocab.txt").unlink(), "tokenizer"),
    "cut short": (lambda folder: (folder / "model.safetensors").write_bytes(b"\xff" * 40), "damaged"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_is_wrong_with_a_folder_is_told_in_one_line(name: str, copied: Path, regions: Path) -> None:
    spoil, told = SPOILT[name]
    spoil(copied)
    with pytest.raises((BadFileError, UnusableModelError)) as caught:
        Vilbert(str(copied), regions=str(regions)).check()
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_options_are_refused(find: Callable[[str], Path], regions: Path, tmp_path: Path, case: Case) -> None:
    narrow = write_regions(tmp_path / "narrow.npz", NAMES, width=7)
    for options, told in (
        ({"task": 7}, "vilbert has no tokens of tasks"),
        ({"task": 20}, "task=20: should be from 0 to 19"),
        ({"head": "vil_binary_prediction"}, "head=vil_binary_prediction: should be bi_seq_relationship or vil_logit"),
        ({"head": "vil_logit"}, "its weights lack vil_logit.bias"),
        ({"regions": None}, "write regions=FILE"),
        ({"regions": str(narrow)}, "has regions of 7 numbers; this network takes 20"),
    ):
        with case(str(options)):
            given: dict[str, Any] = {"regions": str(regions)} | options
            with pytest.raises((BadValueError, BadFileError, UnusableModelError)) as caught:
                Vilbert(str(find("vilbert")), **given).check()
            assert told in str(caught.value)
