"""Heads for image-text matching: as the library computes them one by one, and refused where they cannot work."""

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from subitize.errors import BadFileError, BadValueError, SubitizeError, UnusableModelError
from subitize.io.images import Rgb
from subitize.networks.encoders import DUAL_ENCODERS, DualEncoder, LazyImage
from subitize.networks.generators import GenerationOptions
from subitize.networks.joint import FILLERS, HEADS, MATCHERS, JointNetwork, Regions, open_network, tasks_of
from subitize.networks.weights import Device, name_architecture, read_config
from tests.networks import tiny_matchers
from tests.networks.tiny_weights import find_tiny

pytestmark = pytest.mark.torch

TEXTS = ["two cats", "there are three red zebras on the table .", "how many cats ? [SEP] 2", "no people"]
SIZES = [(40, 60), (64, 33), (20, 30), (3, 4)]
NAMES = [f"{position}.png" for position in range(4)]
CPU = Device("cpu")


def pictures() -> list[Rgb]:
    random = np.random.default_rng(3)
    return [random.integers(0, 256, (*size, 3), dtype=np.uint8) for size in SIZES]


def views(*, are_seen: bool = True) -> list[LazyImage]:
    def hidden() -> Rgb:
        raise AssertionError("who goes by region features needs no pixels")

    shown = pictures()
    return [
        LazyImage(name, partial(shown.__getitem__, position) if are_seen else hidden)
        for position, name in enumerate(NAMES)
    ]


@dataclass(frozen=True, slots=True)
class Network:
    folder: Path
    architecture: str
    regions: Path | None

    def open(self, placement: Device = CPU) -> JointNetwork:
        return JointNetwork(self.folder, self.architecture, placement, self.regions)

    def match(self, placement: Device = CPU) -> Sequence[Mapping[str, float]]:
        return self.open(placement).match(views(are_seen=self.regions is None), TEXTS)


KINDS = {
    "blip": "blip-itm",
    "blip-2": "blip2-itm",
    "blip-2-with-image-token": "blip2-itm-with-image-token",
    "lxmert": "lxmert",
    "vilt": "vilt-itm",
}


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Network]:
    regions = tiny_matchers.write_regions(tmp_path_factory.mktemp("regions") / "regions.npz", NAMES)

    def find(name: str) -> Network:
        folder = find_tiny(KINDS[name], tmp_path_factory)
        architecture = name_architecture(read_config(folder), folder)
        return Network(folder, architecture, regions if name == "lxmert" else None)

    return find


@pytest.fixture(scope="module", params=KINDS)
def network(request: pytest.FixtureRequest, find: Callable[[str], Network]) -> Network:
    """A tiny network."""
    return find(request.param)


@pytest.fixture(scope="module")
def lxmert(find: Callable[[str], Network]) -> Network:
    return find("lxmert")


@pytest.fixture(scope="module")
def vilt(find: Callable[[str], Network]) -> Network:
    return find("vilt")


def straight(network: Network) -> list[dict[str, float]]:
    """What the library itself makes of each picture with its text, one by one."""
    import torch
    import transformers
    from PIL import Image

    model = getattr(transformers, network.architecture).from_pretrained(network.folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(network.folder)

    def see(position: int) -> dict[str, Any]:
        if network.regions is not None:
            features, boxes, _ = Regions.open(network.regions).of(NAMES[position : position + 1])
            return {"visual_feats": torch.tensor(features), "visual_pos": torch.tensor(boxes)}
        processor = transformers.AutoImageProcessor.from_pretrained(network.folder, backend="pil")
        return dict(processor(images=Image.fromarray(pictures()[position]), return_tensors="pt"))

    def score(text: str, seen: dict[str, Any]) -> dict[str, float]:
        told = dict(tokenizer([text], return_tensors="pt", return_token_type_ids=False))
        match network.architecture:
            case "LxmertForPreTraining":
                return {"match": second_share(model(**told, **seen).cross_relationship_score)}
            case "ViltForImageAndTextRetrieval":
                model.config.max_image_length = -1
                return {"logit": model(**told, **seen).logits.item()}
            case "BlipForImageTextRetrieval":
                return {
                    "match": second_share(model(**told, **seen).itm_score),
                    "similarity": model(**told, **seen, use_itm_head=False).itm_score.item(),
                }
            case _:
                return straight_by_blip_2(model, tokenizer, text, seen)

    with torch.inference_mode():
        return [score(text, see(position)) for position, text in enumerate(TEXTS)]


def straight_by_blip_2(model: Any, tokenizer: Any, text: str, seen: dict[str, Any]) -> dict[str, float]:  # noqa: ANN401
    import torch

    ids = tokenizer(text)["input_ids"]
    if model.config.image_token_index is not None:
        ids = [model.config.image_token_index] * model.config.num_query_tokens + ids
    told = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
    matched = model(**told, **seen, use_image_text_matching_head=True).logits_per_image
    near = model(**told, **seen, use_image_text_matching_head=False).logits_per_image
    return {"match": second_share(matched), "similarity": near.item()}


def second_share(logits: Any) -> float:  # noqa: ANN401
    return float(logits.softmax(dim=1)[0, 1])


def test_scores_are_those_of_the_library_one_by_one(network: Network) -> None:
    for wanted, found in zip(straight(network), network.match(), strict=True):
        assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=1e-4)


def test_match_is_a_probability_the_sigmoid_of_the_logit(network: Network) -> None:
    for scores in network.match():
        assert 0 < scores["match"] < 1
        assert scores["match"] == pytest.approx(1 / (1 + math.exp(-scores["logit"])))
        assert (scores["match"] > 0.5) == (scores["logit"] > 0)


def test_a_batch_gives_what_each_gives_alone_in_any_order(network: Network) -> None:
    matcher = network.open()
    together = matcher.match(views(), TEXTS)
    alone = [matcher.match([view], [text])[0] for view, text in zip(views(), TEXTS, strict=True)]
    backwards = matcher.match(views()[::-1], TEXTS[::-1])[::-1]
    for one, other, third in zip(together, alone, backwards, strict=True):
        assert one == pytest.approx(other, abs=1e-4)
        assert one == pytest.approx(third, abs=1e-4)
    assert len({round(scores["match"], 4) for scores in together}) == 4, "what is shown makes a difference"
    assert matcher.match([], []) == []


def test_both_the_picture_and_the_text_make_a_difference(network: Network) -> None:
    matcher = network.open()
    first, second = views()[:2]
    scores = matcher.match([first, second, first], [TEXTS[0], TEXTS[0], TEXTS[1]])
    logits = [score["logit"] for score in scores]
    assert abs(logits[0] - logits[1]) > 1e-3
    assert abs(logits[0] - logits[2]) > 1e-3


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_floats_come_near(network: Network, dtype: str) -> None:
    for exact, found in zip(network.match(), network.match(Device("cpu", dtype)), strict=True):
        assert found["match"] == pytest.approx(exact["match"], abs=0.05)


def test_a_text_that_is_too_long_is_cut_and_says_so(network: Network) -> None:
    matcher = network.open()
    long = " ".join(["two cats"] * 30)
    short, cut, other = matcher.match([views()[0]] * 3, ["two cats", long, f"{long} and a dog"])
    assert "tokens_cut" not in short
    assert (cut["tokens_cut"], other["tokens_cut"]) == (22, 25)
    assert cut["match"] == pytest.approx(other["match"], abs=1e-6)


def test_vilt_looks_at_all_of_a_picture_and_draws_no_lots(vilt: Network) -> None:
    assert read_config(vilt.folder)["max_image_length"] < 4 * 4, "the picture has more patches than its limit"
    matcher = vilt.open()
    logits = {round(matcher.match(views()[:1], TEXTS[:1])[0]["logit"], 5) for _ in range(5)}
    assert len(logits) == 1


def test_a_dual_encoder_comes_by_the_same_door(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = find_tiny("clip", tmp_path_factory)
    opened = open_network(folder, "CLIPModel", CPU, None, GenerationOptions())
    assert isinstance(opened, DualEncoder)
    assert opened.match(views(), TEXTS) == DualEncoder(folder, CPU).match(views(), TEXTS)
    with pytest.raises(BadValueError, match="looks at pixels; leave regions out"):
        open_network(folder, "CLIPModel", CPU, Path("regions.npz"), GenerationOptions())


def test_every_known_architecture_is_one_of_the_library() -> None:
    import transformers

    assert all(hasattr(transformers, name) for name in MATCHERS | FILLERS)
    assert DUAL_ENCODERS < MATCHERS


@pytest.mark.parametrize(
    ("architecture", "tasks"),
    [
        ("CLIPModel", {"match"}),
        ("LxmertForPreTraining", {"match", "fill"}),
        ("ViltForMaskedLM", {"fill"}),
        ("ViltForQuestionAnswering", {"answer", "match"}),
        ("LxmertForQuestionAnswering", {"answer", "match"}),
        ("Qwen2VLForConditionalGeneration", {"answer", "match"}),
    ],
)
def test_what_a_network_can_do_follows_from_its_architecture(architecture: str, tasks: set[str]) -> None:
    assert tasks_of(architecture, {"id2label": {"0": "Yes", "1": "no"}}) == tasks
    mute = {"answer"} if architecture in HEADS else tasks
    assert tasks_of(architecture, {"id2label": {"0": "2", "1": "3"}}) == mute


def test_a_network_without_the_head_is_refused_not_filled_up_at_random(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = find_tiny("vilt-mlm", tmp_path_factory)
    with pytest.raises(UnusableModelError, match=r"lack rank_output") as caught:
        JointNetwork(folder, "ViltForImageAndTextRetrieval", CPU, None)
    assert "\n" not in str(caught.value)


def test_lxmert_without_a_file_of_regions_is_told_to_name_one(lxmert: Network, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match=r"sees regions, not pixels; write regions=FILE\.npz"):
        JointNetwork(lxmert.folder, lxmert.architecture, CPU, None)
    with pytest.raises(BadFileError, match="there is no file"):
        JointNetwork(lxmert.folder, lxmert.architecture, CPU, tmp_path / "none.npz")


def test_pixels_take_no_regions(vilt: Network, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="looks at pixels; leave regions out"):
        JointNetwork(vilt.folder, vilt.architecture, CPU, tmp_path / "regions.npz")


def test_a_picture_without_regions_is_named(lxmert: Network) -> None:
    matcher = lxmert.open()
    with pytest.raises(SubitizeError, match=r"regions\.npz has no picture 'new\.png'; it has '0\.png', '1\.png'"):
        matcher.match([LazyImage("new.png", views()[0].pixels)], ["two cats"])


def test_regions_for_another_network_are_refused_when_it_is_opened(lxmert: Network, tmp_path: Path) -> None:
    regions = tiny_matchers.write_regions(tmp_path / "wide.npz", NAMES, width=36)
    with pytest.raises(BadFileError, match=r"wide\.npz has regions of 36 numbers; this network takes 20"):
        JointNetwork(lxmert.folder, lxmert.architecture, CPU, regions)


def test_each_text_needs_its_picture(vilt: Network) -> None:
    with pytest.raises(ValueError, match="4 pictures and 1 texts"):
        vilt.open().match(views(), TEXTS[:1])


def test_the_same_network_gives_the_same_numbers_whatever_was_drawn_before(network: Network, tmp_path: Path) -> None:
    import torch

    found = []
    for seed in (1, 2):
        copied = Path(shutil.copytree(network.folder, tmp_path / str(seed)))  # so that it is loaded anew
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        found.append(replace(network, folder=copied).match())
        assert torch.equal(torch.get_rng_state(), before)
    assert found[0] == found[1]
