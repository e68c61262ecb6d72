"""The paper's conclusions on made-up results: which data they are about, and how much they need."""

from collections.abc import Mapping, Sequence

import pytest

from subitize.analysis.claims import Claim
from subitize.papers.seeing_past_words.claims import claims
from subitize.papers.seeing_past_words.tables import NamedNumber, Probed, TextScore
from subitize.records import Ask, Confirm, Elsewhere, Item, Match, Scalar

TUNED: Mapping[str, frozenset[str]] = {"tuned": frozenset({"counting-probe"})}


def item(suite: str, key: str, image: str, factors: Mapping[str, Scalar]) -> Item:
    ask = Ask(Confirm(key, is_informed=True), key, (True,))
    return Item(f"{suite}/{key}", Match(Elsewhere(image), key), (ask,), {"image": image, **factors})


def score(
    part: str, split: str, *, is_right: bool, n: int = 40, number: int = 3, model: str = "tuned"
) -> list[TextScore]:
    """Score probes of a part, each with one foil: all right, or all wrong."""
    found = []
    for place in range(n):
        for caption in ("right", "foil"):
            factors: dict[str, Scalar] = {"part": part, "split": split, "number": number, "format": "declarative"}
            factors |= {"caption": caption, "shown": number + (caption == "foil")}
            key = f"{split}/{part}/{place}/declarative/{caption}"
            own = item("counting-probe", key, f"{part}-{place}.jpg", factors)
            found.append(TextScore(model, own, 0.9 if (caption == "right") == is_right else 0.1, is_probability=True))
    return found


def name(
    said: Sequence[int], number: int, *, part: str = "test", split: str = "standard", **more: Scalar
) -> list[NamedNumber]:
    """Name numbers in probes of a number."""
    factors: dict[str, Scalar] = {"part": part, "split": split, "number": number, **more}
    keys = [f"{split}/{part}/{number}-{place}" for place in range(len(said))]
    return [
        NamedNumber("model", item("counting-probe-vqa", key, key, factors), one)
        for key, one in zip(keys, said, strict=True)
    ]


def decide(probed: Probed) -> dict[str, Claim]:
    return {one.id: one for one in claims(probed)}


@pytest.mark.parametrize("parts", [("validation", "test"), ("train", "validation", "test")], ids=len)
def test_training_data_is_in_no_claim(parts: tuple[str, ...]) -> None:
    texts = [
        one
        for part in parts
        for one in score(part, "interpolated", is_right=part == "train", number=2 + (part != "train"))
    ]
    found = decide(Probed(texts, corpora=TUNED))["4.2.1 interpolated"]
    assert (found.verdict, found.sentence) == ("holds", "tuned: pairs right 0.000 [0.000, 0.046]†")


def test_a_run_of_training_data_alone_says_what_claims_need() -> None:
    probed = Probed(
        score("train", "interpolated", is_right=True), answers=name([2] * 40, 3, part="train"), corpora=TUNED
    )
    found = decide(probed)
    assert {one.verdict for one in found.values()} == {"undecided"}
    assert "trained on counting-probe, outside training data" in found["4.2.1 interpolated"].sentence
    assert found["4.2.2 bias"].sentence.endswith(", outside training data")


def test_each_probe_counts_once_in_a_claim_about_named_numbers() -> None:
    """Twos are said in the standard split with neutral gaps, and nowhere else."""
    twos = name([2] * 40, 3, mask="neutral")
    others = [
        *name([9] * 90, 3, mask="faithful"),
        *name([9] * 90, 3, split="hard", mask="neutral"),
        *name([9] * 90, 3, part="train", mask="neutral"),
    ]
    for gaps in (twos, [*others, *twos]):
        found = decide(Probed(gaps=gaps))["4.2.2 bias"]
        assert (found.verdict, found.sentence[:36]) == ("holds", "model: of wrong numbers 1.000 [0.912")


@pytest.mark.parametrize(
    ("wrong", "verdict"),
    [([2], "undecided"), ([2, 2], "undecided"), ([2] * 10, "holds"), ([5] * 10, "does not hold"), ([5], "undecided")],
)
def test_two_is_mostly_named_only_by_enough_wrong_answers(wrong: list[int], verdict: str) -> None:
    found = decide(Probed(answers=name([3] * 50 + wrong, 3)))["4.2.2 bias"]
    assert found.verdict == verdict
