"""Positions in what Molmo 2 says: read as its authors write them, and nothing guessed."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from subitize.errors import BadValueError
from subitize.interfaces import ComputesSeveral, JudgeQuestion, JudgeRequest, Request
from subitize.io.images import Rgb, encode_png
from subitize.labels import interpret, parse_rule
from subitize.networks.detectors.hub import Molmo2, read_points
from subitize.networks.encoders import LazyImage
from subitize.records import Answer, Count, Discarded, Drawn, Filed, Known, Refused, Said, Stored, Value
from subitize.registry import make_judge, make_model
from tests.cases import Case
from tests.networks.tiny_vlms import write_molmo2
from tests.networks.tiny_weights import find_tiny

if TYPE_CHECKING:
    import torch

READ: dict[str, list[tuple[float, float]]] = {
    # The format and the first example are those of arXiv 2601.10611, appendix A, for one picture.
    '<points coords="1 1 555 169">Inline text</points>': [(0.555, 0.169)],
    '<points coords="1 1 308 305 2 752 377">ramps</points>': [(0.308, 0.305), (0.752, 0.377)],
    'Counting the <points coords="1 1 042 7 2 0 1000">cats</points> shows a total of 9.': [(0.042, 0.007), (0.0, 1.0)],
    '<points coords="1 1 100 200;1 2 300 400">cats</points>': [(0.1, 0.2), (0.3, 0.4)],
    '<points alt="two cats" coords="1 1 10 20 2 30 40"/>': [(0.01, 0.02), (0.03, 0.04)],
    '<points coords="1 1 10 20">cats</points> and <points coords="1 2 30 40">a dog</points>': [
        (0.01, 0.02),
        (0.03, 0.04),
    ],
    # The same place twice is two points, whatever their numbers.
    '<points coords="1 1 10 20 1 10 20">cats</points>': [(0.01, 0.02), (0.01, 0.02)],
    "There are none.": [],
    "\n there are none! ": [],
}
UNREAD = (
    "",
    "7",
    "There are 3 cats.",
    "There are none of those, but 4 dogs.",
    "I cannot see any.",
    "<points>cats</points>",
    '<points coords="">cats</points>',
    '<points coords="1">cats</points>',
    '<points coords="1 1 10">cats</points>',
    '<points coords="1 1 10 20 2 30">cats</points>',
    '<points coords="2 1 10 20">cats of another picture</points>',
    '<points coords="0.5 1 10 20">cats of a video</points>',
    '<points coords="1 1 10 1001">cats outside</points>',
    '<points coords="1 1 -10 20">cats outside</points>',
    '<points coords="1 1 10 99999999999999999999">cats outside</points>',
    '<points coords="1 1 10 20 2 30 4',
    '<points coords="1 1 10 20">cats</points> <points coords="1 1 3',
    '<points coords="1 1 １0 20">cats</points>',
    '<points coords="1  1 10 20;;">cats</points>',
    '<point x="10.0" y="20.0" alt="cats">cats</point>',
    '<tracks coords="1 1 10 20">cats</tracks>',
)


def test_the_positions_in_a_reply_are_shares_of_width_and_height(case: Case) -> None:
    for text, points in READ.items():
        with case(text):
            found = read_points(text)
            assert found is not None
            assert found.shape == (len(points), 2)
            np.testing.assert_allclose(found, np.array(points).reshape(-1, 2))


def test_a_reply_that_neither_points_nor_denies_is_not_read(case: Case) -> None:
    for text in UNREAD:
        with case(text):
            assert read_points(text) is None


def test_a_reply_of_any_length_is_read_in_one_go(case: Case) -> None:
    many = " ".join(f"{place % 10_000} {place % 1001} 5" for place in range(20_000))
    found = read_points(f'<points coords="1 {many}">dots</points>')
    assert found is not None
    assert len(found) == 20_000
    for hostile in ("<points", '<points coords="', "<points " + 'coords="1 ', "<points" + " " * 199, "1 1 1 ;"):
        with case(hostile):
            assert read_points(hostile * 5_000) is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return find_tiny("molmo2", tmp_path_factory)


@pytest.fixture(scope="module")
def picture() -> Rgb:
    return np.random.default_rng(2).integers(0, 256, (100, 200, 3), np.uint8)


@pytest.mark.torch
def test_points_are_boxes_without_extent_in_the_pixels_of_the_picture(folder: Path, picture: Rgb) -> None:
    detector = Molmo2(str(folder), device="cpu")
    (said,) = detector.generator.answer([LazyImage.of_pixels("picture", picture)], ["Point to the apples."], [0])
    shares = read_points(said.text)
    assert shares is not None
    (found,) = detector.detect([picture], ["apple"], 0.0)
    assert len(found) == len(shares) > 0
    np.testing.assert_allclose(found.xyxy, np.hstack([shares, shares]) * (200, 100, 200, 100))
    assert set(found.scores) == {1.0}
    assert not found.unread


@pytest.mark.torch
def test_what_is_said_without_points_or_cut_off_is_kept_and_is_no_count(
    folder: Path, picture: Rgb, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chat = Molmo2(str(find_tiny("molmo2-chat", tmp_path_factory)), device="cpu", max_tokens=5)
    (rambling,) = chat.detect([picture], ["apple"], 0.0)
    assert len(rambling) == 0
    assert rambling.unread["apple"].startswith("cut off at max_tokens=5: ")
    (cut,) = Molmo2(str(folder), device="cpu", max_tokens=1).detect([picture], ["apple"], 0.0)
    assert len(cut) == 0
    assert cut.unread["apple"].startswith('cut off at max_tokens=1: <points coords="1 1 ')


@pytest.mark.torch
def test_a_reply_without_points_is_unknown_to_a_judge_and_none_of_a_models_numbers(
    picture: Rgb, tmp_path: Path
) -> None:
    vague = write_molmo2(tmp_path / "vague", replies=("I see some.",))
    none = write_molmo2(tmp_path / "none", replies=("There are none.",))
    values, answers = zip(*(_ask(folder, picture) for folder in (vague, none)), strict=True)
    assert values == (Discarded("cannot tell: I see some.", is_refusal=True), Known(0))
    assert answers == (Refused("cannot tell: I see some."), Said("0"))


def _ask(folder: Path, picture: Rgb) -> tuple[Value, object]:
    """Have the judge and the model count apples in a picture."""
    judge, model = make_judge(f"molmo2:{folder}").obj, make_model(f"molmo2:{folder}").obj
    assert isinstance(judge, ComputesSeveral)
    assert isinstance(model, ComputesSeveral)
    data, question = encode_png(Image.fromarray(picture)), "How many apples are there?"
    inquiry = JudgeQuestion(Count("apple"), question)
    ((finding,),) = judge.compute_all([JudgeRequest((Drawn(Stored("0" * 64, "png")),), (inquiry,), lambda _: data)])
    (reply,) = model.compute_all([Request("a/b", Answer(Filed("x.png"), question), 0, 0, 1, lambda _: data)])
    return interpret(finding.evidence, inquiry.question, parse_rule(judge.rule)), reply.content


@pytest.mark.torch
def test_options_that_mean_nothing_are_refused(folder: Path) -> None:
    with pytest.raises(BadValueError, match=r"^molmo2:\S+: max_tokens=0: should be at least 1"):
        Molmo2(str(folder), max_tokens=0)


@pytest.mark.torch
def test_the_first_tile_is_the_whole_picture_made_smaller_without_smoothing(folder: Path, picture: Rgb) -> None:
    import torch

    from subitize.networks.processors import open_processor

    inputs = open_processor(folder).image_processor(images=[Image.fromarray(picture)], return_tensors="pt")
    pixels = torch.from_numpy(picture).permute(2, 0, 1)[None].double()
    small = _resize_by_hand(pixels, 32)[0].round() / 127.5 - 1
    patches = small.reshape(3, 4, 8, 4, 8).permute(1, 3, 2, 4, 0).reshape(16, -1)
    torch.testing.assert_close(inputs["pixel_values"][0].double(), patches, atol=1e-6, rtol=0)


def _resize_by_hand(pixels: "torch.Tensor", side: int) -> "torch.Tensor":
    """Weigh the two nearest pixels in each direction, the centres of both grids being aligned."""
    import torch

    for axis in (2, 3):
        length = pixels.shape[axis]
        places = ((torch.arange(side) + 0.5) * length / side - 0.5).clamp(0, length - 1)
        low = places.floor().long()
        high = (low + 1).clamp(max=length - 1)
        share = (places - low).reshape([-1, 1] if axis == 2 else [-1])
        pixels = pixels.index_select(axis, low) * (1 - share) + pixels.index_select(axis, high) * share
    return pixels
