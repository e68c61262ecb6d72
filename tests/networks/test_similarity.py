"""Similarity of pictures and texts: as the library computes it one by one, whatever stands in the batch."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import SubitizeError, UnusableModelError
from subitize.io.images import Rgb
from subitize.networks.encoders import DUAL_ENCODERS, DualEncoder, LazyImage
from subitize.networks.weights import Device, read_config
from tests.networks.tiny_weights import find_tiny

pytestmark = pytest.mark.torch

TEXTS = ["two cats", "there are three red zebras on the table", "a dog", "two cats"]
KINDS = {
    "AlignModel": "align",
    "AltCLIPModel": "altclip",
    "CLIPModel": "clip",
    "ChineseCLIPModel": "chinese-clip",
    "MetaClip2Model": "metaclip-2",
    "Siglip2Model": "siglip2",
    "SiglipModel": "siglip",
}
CPU = Device("cpu")


def pictures() -> list[Rgb]:
    """Pictures of different sizes, one with sides that could be taken for channels."""
    random = np.random.default_rng(3)
    sizes = [(40, 60), (64, 33), (3, 4), (40, 60)]
    return [random.integers(0, 256, (*size, 3), dtype=np.uint8) for size in sizes]


def view_of(picture: Rgb) -> LazyImage:
    return LazyImage("picture.png", lambda: picture)


VIEWS = [view_of(picture) for picture in pictures()]


@pytest.fixture(scope="module", params=sorted(KINDS))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return find_tiny(KINDS[request.param], tmp_path_factory)


@pytest.fixture(scope="module")
def similarity(folder: Path) -> DualEncoder:
    return DualEncoder(folder, CPU)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return find_tiny("clip", tmp_path_factory)


def straight_logits(folder: Path) -> tuple[list[float], Any]:
    """What the library itself makes of each picture with its text, one by one, and its model."""
    import torch
    import transformers
    from PIL import Image

    model = transformers.AutoModel.from_pretrained(folder).eval()
    processor = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    logits = []
    for picture, text in zip(pictures(), TEXTS, strict=True):
        shown = processor(images=Image.fromarray(picture), return_tensors="pt")
        if "siglip" in model.config.model_type:
            length = model.config.text_config.max_position_embeddings
            padded = tokenizer([text], padding="max_length", max_length=length, truncation=True, return_tensors="pt")
            told = {"input_ids": padded.input_ids}
        else:
            told = dict(tokenizer([text], return_tensors="pt"))
        with torch.inference_mode():
            logits.append(float(model(**shown, **told).logits_per_image))
    return logits, model


def test_every_known_network_is_tested() -> None:
    assert set(KINDS) == DUAL_ENCODERS


def test_scores_are_those_of_the_library_one_by_one(folder: Path, similarity: DualEncoder) -> None:
    logits, model = straight_logits(folder)
    for logit, found in zip(logits, similarity.match(VIEWS, TEXTS), strict=True):
        assert found["logit"] == pytest.approx(logit, abs=1e-4)
        scale = math.exp(1.5) if hasattr(model, "logit_scale") else 1 / 0.3
        bias = -0.7 if hasattr(model, "logit_bias") else 0
        assert found["match"] == pytest.approx((logit - bias) / scale, abs=1e-4)
        assert ("probability" in found) == hasattr(model, "logit_bias")
        if "probability" in found:
            assert found["probability"] == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-4)


def test_a_batch_gives_what_each_gives_alone_in_any_order(folder: Path) -> None:
    together = DualEncoder(folder, CPU).match(VIEWS, TEXTS)
    lonely = DualEncoder(folder, CPU)
    alone = [lonely.match([view], [text])[0] for view, text in zip(VIEWS, TEXTS, strict=True)]
    backwards = DualEncoder(folder, CPU).match(VIEWS[::-1], TEXTS[::-1])[::-1]
    for one, other, third in zip(together, alone, backwards, strict=True):
        assert one == pytest.approx(other, abs=1e-4)
        assert one == pytest.approx(third, abs=1e-4)
    assert len({round(scores["match"], 4) for scores in together}) == 4, "what is shown makes a difference"


def test_all_pairs_hold_those_that_are_matched(similarity: DualEncoder) -> None:
    cosines = similarity.similarities(VIEWS, TEXTS)
    assert cosines.shape == (4, 4)
    assert cosines.dtype == np.float64
    assert np.abs(cosines).max() <= 1
    assert np.diag(cosines) == pytest.approx([scores["match"] for scores in similarity.match(VIEWS, TEXTS)], abs=1e-6)
    assert similarity.similarities(VIEWS[:1], TEXTS)[0] == pytest.approx(cosines[0], abs=1e-4)
    assert similarity.similarities([], TEXTS).shape == (0, 4)
    assert similarity.match([], []) == []


def test_one_picture_with_several_texts_is_as_if_it_were_shown_anew(clip: Path) -> None:
    similarity = DualEncoder(clip, CPU)
    views = [view_of(pictures()[0]), view_of(pictures()[1]), view_of(pictures()[0])]
    found = similarity.match(views, TEXTS[:3])
    assert found[2]["match"] == pytest.approx(similarity.similarities(views[:1], TEXTS)[0, 2], abs=1e-6)


def test_a_text_that_is_too_long_is_cut_and_says_so(similarity: DualEncoder) -> None:
    long = " ".join(["two cats and a red dog on the table"] * 12)
    short, cut, other = similarity.match([VIEWS[0]] * 3, ["a cat", long, f"{long} there are no people"])
    assert "tokens_cut" not in short
    assert 0 < cut["tokens_cut"] < other["tokens_cut"]
    assert cut["match"] == pytest.approx(other["match"], abs=1e-6)


def test_texts_that_were_read_before_score_the_same_after_many_others(clip: Path) -> None:
    similarity = DualEncoder(clip, CPU)
    first = similarity.similarities(VIEWS[:1], TEXTS)
    similarity.similarities(VIEWS[:1], [f"{number} dogs" for number in range(4200)])
    assert similarity.similarities(VIEWS[:1], TEXTS) == pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_floats_come_near(clip: Path, dtype: str) -> None:
    exact = DualEncoder(clip, CPU).similarities(VIEWS, TEXTS)
    assert DualEncoder(clip, Device("cpu", dtype)).similarities(VIEWS, TEXTS) == pytest.approx(exact, abs=0.05)


def test_numbers_that_are_none_are_an_error(clip: Path, tmp_path: Path) -> None:
    import torch
    from transformers import CLIPModel

    model = CLIPModel.from_pretrained(clip)
    with torch.no_grad():
        model.visual_projection.weight.fill_(float("inf"))
    with pytest.raises(ValueError, match="write dtype=float32"):
        DualEncoder(copy(clip, tmp_path / "clip", model), CPU).match(VIEWS, TEXTS)


def copy(folder: Path, to: Path, model: Any = None) -> Path:  # noqa: ANN401
    to.mkdir()
    for file in folder.iterdir():
        (to / file.name).write_bytes(file.read_bytes())
    if model is not None:
        model.save_pretrained(to)
    return to


def remove_tokenizer(folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.json", "merges.txt"):
        (folder / name).unlink(missing_ok=True)


def cut_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])


def rename(architecture: str, kind: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        config = read_config(folder) | {"architectures": [architecture], "model_type": kind}
        (folder / "config.json").write_text(json.dumps(config))

    return change


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(rename("BertModel", "bert"), "is BertModel, which has no similarity", id="bert"),
        pytest.param(
            rename("CLIPForImageClassification", "clip"), "has no similarity .*known: AlignModel", id="labels"
        ),
        pytest.param(rename("SiglipModel", "siglip"), "cannot be loaded", id="weights-of-another"),
        pytest.param(remove_tokenizer, "tokenizer", id="no-tokenizer"),
        pytest.param(lambda folder: (folder / "preprocessor_config.json").unlink(), "image processor", id="no-pixels"),
        pytest.param(cut_weights, "damaged", id="cut-weights"),
    ],
)
def test_a_folder_that_cannot_be_used_is_refused_in_one_line(
    spoil: Callable[[Path], None], told: str, clip: Path, tmp_path: Path
) -> None:
    folder = copy(clip, tmp_path / "spoilt")
    spoil(folder)
    with pytest.raises(SubitizeError, match=told) as caught:
        DualEncoder(folder, CPU)
    assert isinstance(caught.value, UnusableModelError)
    assert "\n" not in str(caught.value)


def test_each_text_needs_its_picture(clip: Path) -> None:
    with pytest.raises(ValueError, match="4 pictures and 1 texts"):
        DualEncoder(clip, CPU).match(VIEWS, TEXTS[:1])


def test_siglip_2_of_fixed_size_reads_texts_in_lower_case(tmp_path_factory: pytest.TempPathFactory) -> None:
    similarity = DualEncoder(find_tiny("siglip2-fixed", tmp_path_factory), CPU)
    [[upper, lower, other]] = similarity.similarities(VIEWS[:1], ["Two DOGS", "two dogs", "two cats"])
    assert upper == lower != other
    scores = similarity.match(VIEWS[:1] * 2, ["TWO" * 40, "two" * 40])
    assert scores[0] == scores[1]
    assert scores[0]["tokens_cut"] > 0
