"""Filling gaps: the library's own probabilities by word, every numeral among them."""

import shutil
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from subitize.errors import BadValueError, UnusableModelError
from subitize.io.images import Rgb
from subitize.language.numbers import NUMERALS
from subitize.networks.encoders import LazyImage
from subitize.networks.joint import FILLERS, JointNetwork, Regions
from subitize.networks.weights import Device
from tests.networks import tiny_matchers
from tests.networks.tiny_weights import find_tiny

pytestmark = pytest.mark.torch

TEXTS = [
    "There are [GAP] zebras .",
    "[GAP] dogs",
    "you see [GAP] red bicycles on the table in the picture .",
    "a [GAP]",
]
NAMES = [f"{position}.png" for position in range(4)]
CPU = Device("cpu")
KINDS = {"LxmertForPreTraining": "lxmert", "ViltForMaskedLM": "vilt-mlm"}


def pictures() -> list[Rgb]:
    random = np.random.default_rng(3)
    return [random.integers(0, 256, (*size, 3), dtype=np.uint8) for size in [(40, 60), (64, 33), (20, 30), (3, 4)]]


VIEWS = [LazyImage(name, partial(pictures().__getitem__, position)) for position, name in enumerate(NAMES)]


class Network(NamedTuple):
    folder: Path
    architecture: str
    regions: Path | None

    def open(self, placement: Device = CPU) -> JointNetwork:
        return JointNetwork(self.folder, self.architecture, placement, self.regions)


@pytest.fixture(scope="module", params=sorted(KINDS))
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Network:
    """A tiny network."""
    is_lxmert = "Lxmert" in request.param
    file = tmp_path_factory.mktemp("regions") / "regions.npz"
    regions = tiny_matchers.write_regions(file, NAMES) if is_lxmert else None
    return Network(find_tiny(KINDS[request.param], tmp_path_factory), request.param, regions)


@pytest.fixture(scope="module")
def wanted(network: Network) -> list[dict[str, float]]:
    """The library's own softmax at the mask, by token, of each picture with its text, one by one."""
    import torch
    import transformers
    from PIL import Image

    model = getattr(transformers, network.architecture).from_pretrained(network.folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(network.folder)

    def fill(position: int) -> dict[str, float]:
        told = tokenizer([TEXTS[position].replace("[GAP]", "[MASK]")], return_tensors="pt")
        if network.regions is not None:
            features, boxes, _ = Regions.open(network.regions).of(NAMES[position : position + 1])
            found = model(**told, visual_feats=torch.tensor(features), visual_pos=torch.tensor(boxes)).prediction_logits
        else:
            model.config.max_image_length = -1
            processor = transformers.AutoImageProcessor.from_pretrained(network.folder, backend="pil")
            found = model(**told, **processor(images=Image.fromarray(pictures()[position]), return_tensors="pt")).logits
        place = told["input_ids"][0].tolist().index(tokenizer.mask_token_id)
        shares = found[0, place].softmax(dim=-1).tolist()
        return {tokenizer.convert_ids_to_tokens(id): share for id, share in enumerate(shares)}

    with torch.inference_mode():
        return [fill(position) for position in range(len(TEXTS))]


def test_every_filler_is_tested() -> None:
    assert set(KINDS) == FILLERS


def test_probabilities_are_those_of_the_library_one_by_one(network: Network, wanted: list[dict[str, float]]) -> None:
    for found, shares in zip(network.open().fill(VIEWS, TEXTS), wanted, strict=True):
        assert found == pytest.approx({word: shares[word] for word in found}, abs=1e-4)
        assert 0 < sum(found.values()) < 1


def test_all_numerals_and_the_ten_likeliest_other_words_are_given(
    network: Network, wanted: list[dict[str, float]]
) -> None:
    numerals = {word for word in tiny_matchers.WORDS if word in NUMERALS}
    assert {"zero", "twenty", "hundred", "100", "a", "an", "no"} < numerals
    words = {word for word in tiny_matchers.WORDS if word.isalpha()} - numerals
    for found, shares in zip(network.open().fill(VIEWS, TEXTS), wanted, strict=True):
        likeliest = sorted(words, key=shares.__getitem__)[-10:]
        assert found.keys() == numerals | set(likeliest)
        assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_batch_gives_what_each_gives_alone_in_any_order(network: Network) -> None:
    filler = network.open()
    together = filler.fill(VIEWS, TEXTS)
    alone = [filler.fill([view], [text])[0] for view, text in zip(VIEWS, TEXTS, strict=True)]
    backwards = filler.fill(VIEWS[::-1], TEXTS[::-1])[::-1]
    for one, other, third in zip(together, alone, backwards, strict=True):
        assert one == pytest.approx(other, abs=1e-4)
        assert one == pytest.approx(third, abs=1e-4)
    assert len({round(found["two"], 6) for found in together}) == 4, "what is shown makes a difference"
    assert filler.fill([], []) == []


def test_the_picture_makes_a_difference(network: Network) -> None:
    one, other = network.open().fill(VIEWS[:2], ["[GAP] dogs"] * 2)
    assert max(abs(one[word] - other[word]) for word in NUMERALS if word in one) > 1e-4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("two dogs", r"the text has no \[GAP\]: 'two dogs'; write one, where a word is missing"),
        ("[GAP] dogs and [GAP] cats", r"the text has 2 \[GAP\]: .*; write one"),
        ("[GAP] dogs and [MASK] cats", r"has a \[MASK\] besides its \[GAP\]; leave it out"),
        ("[GAP] " + "dogs " * 40, "has 43 tokens; this network reads 40: shorten the text"),
    ],
    ids=["none", "two", "a-mask-too", "too-long"],
)
def test_a_text_needs_one_gap_and_is_read_whole(text: str, told: str, network: Network) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        network.open().fill(VIEWS[:2], ["[GAP] dogs", text])
    assert "\n" not in str(caught.value)


def test_lxmert_without_a_file_of_regions_is_told_to_name_one(network: Network) -> None:
    if network.regions is not None:
        with pytest.raises(BadValueError, match=r"write regions=FILE\.npz"):
            JointNetwork(network.folder, network.architecture, CPU, None)
    else:
        with pytest.raises(BadValueError, match="leave regions out"):
            JointNetwork(network.folder, network.architecture, CPU, Path("regions.npz"))


def test_a_tokenizer_without_a_mask_is_refused(network: Network, tmp_path: Path) -> None:
    import transformers

    folder = Path(shutil.copytree(network.folder, tmp_path / "no-mask"))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.mask_token = None
    tokenizer.save_pretrained(folder)
    with pytest.raises(UnusableModelError, match="has no mask token"):
        JointNetwork(folder, network.architecture, CPU, network.regions)
