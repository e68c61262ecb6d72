"""A request is read whole, or refused with the field that is wrong; a sample that cannot be judged says why."""

import base64
import json
from typing import Any

import pytest

from subitize.errors import BadValueError
from subitize.evaluate.looks import MOST_KINDS, MOST_SAMPLES, RewardSample, Unscorable, read_samples
from subitize.io.images import data_url
from subitize.records import Stimulus
from subitize.stimuli.recipes import render
from tests.cases import Case

PICTURE = render(Stimulus("apples", 3, seed=1, size_px=128)).png
TEXT = base64.b64encode(PICTURE).decode()
THREE = [{"noun": "apple", "count": 3}]

WRONG: dict[str, tuple[bytes | dict[str, Any], str]] = {
    "not JSON": (b"{", "body: not JSON ("),
    "no text at all": (b"\xff\xfe\x00", "body: not JSON ("),
    "NaN": (b'{"prompts": [NaN], "images": []}', "body: not JSON ("),
    "deep": (b"[" * 1_000_000, "body: not JSON (recursion limit"),
    "half a character": (b'{"prompts": ["\\ud800"], "images": ["x"]}', "body: not JSON ("),
    "a list": (b"[]", "body: a list of 0; should be an object"),
    "unknown": ({"prompts": ["x"], "images": ["x"], "pickle": "x"}, "'pickle': no such field; known: prompts"),
    "no prompts": ({"images": [TEXT]}, "prompts: missing"),
    "no images": ({"prompts": ["3 apples"]}, "images: missing"),
    "a text": ({"prompts": "3 apples", "images": [TEXT]}, "prompts: '3 apples'; should be a list"),
    "none": ({"prompts": [], "images": []}, "prompts: a list of 0; should be 1 to 1,024"),
    "many": ({"prompts": ["x"] * 1_000_000, "images": []}, "prompts: a list of 1,000,000; should be 1 to 1,024"),
    "a number": ({"prompts": ["3 apples", 3], "images": [TEXT] * 2}, "prompts[1]: 3; should be a text"),
    "null": ({"prompts": ["3 apples"], "images": [None]}, "images[0]: null; should be a text"),
    "unequal": ({"prompts": ["3 apples"], "images": [TEXT] * 2}, "images: 2 of them for 1 prompts"),
    "no base64": ({"prompts": ["3 apples"] * 2, "images": [TEXT, "%%%"]}, "images[1]: not base64 ("),
    "cut short": ({"prompts": ["3 apples"], "images": [TEXT.rstrip("=")[:-1]]}, "images[0]: not base64 ("),
    "an address": ({"prompts": ["3 apples"], "images": ["http://a.b/c.png"]}, "images[0]: not base64 ("),
    "expected, unequal": ({"expected": [THREE] * 2}, "expected: 2 of them for 1 prompts"),
    "expected, an object": ({"expected": {}}, "expected: an object; should be a list"),
    "expected, nothing": ({"expected": [[]]}, f"expected[0]: a list of 0; should be 1 to {MOST_KINDS}"),
    "expected, much": ({"expected": [THREE * (MOST_KINDS + 1)]}, f"expected[0]: a list of {MOST_KINDS + 1}"),
    "expected, twice": ({"expected": [[*THREE, {"noun": "apples", "count": 2}]]}, "expected[0]: 'apple' stands"),
    "expected, a word": ({"expected": [["apple"]]}, "expected[0][0]: 'apple'; should be an object as"),
    "expected, no noun": ({"expected": [[{"noun": " ", "count": 3}]]}, "expected[0][0].noun: ' '; should be"),
    "expected, a control": ({"expected": [[{"noun": "a\nb", "count": 3}]]}, "expected[0][0].noun: 'a\\nb'; should"),
    "expected, a float": ({"expected": [[{"noun": "apple", "count": 2.5}]]}, "expected[0][0].count: 2.5; should be"),
    "expected, a truth": ({"expected": [[{"noun": "apple", "count": True}]]}, "expected[0][0].count: true; should"),
    "expected, less": ({"expected": [[{"noun": "apple", "count": -1}]]}, "expected[0][0].count: -1; should be"),
    "expected, huge": ({"expected": [[{"noun": "apple", "count": 10**999}]]}, "expected[0][0].count: a huge number"),
}
UNJUDGED = {
    "5 wombats": "the prompt is not understood (no drawing of 'wombat'); say in `expected`",
    "some apples": "the prompt gives no exact number of whole things for 'apple'",
    "half of an apple": "the prompt gives no exact number of whole things for 'apple'",
    "x" * 20_000: "the prompt has 20,000 characters; 10,000 are read",
}


def write(**fields: Any) -> bytes:  # noqa: ANN401
    return json.dumps({"prompts": ["3 apples"], "images": [TEXT], **fields}).encode()


def test_what_is_wrong_with_a_request_is_told_with_its_field(case: Case) -> None:
    for name, (given, told) in WRONG.items():
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        if name.startswith("expected"):
            assert isinstance(given, dict)
            body = write(**given)
        with case(name):
            with pytest.raises(BadValueError) as error:
                read_samples(body)
            assert str(error.value).startswith(told)
            assert len(str(error.value)) < 300


def test_a_prompt_without_exact_numbers_has_no_reward_and_says_why(case: Case) -> None:
    for prompt, told in UNJUDGED.items():
        with case(prompt[:40]):
            (sample,) = read_samples(write(prompts=[prompt]))
            assert isinstance(sample, Unscorable)
            assert sample.reason.startswith(told)


def test_the_prompt_says_what_is_to_be_counted() -> None:
    (sample,) = read_samples(write(prompts=["two red apples left of three cats"]))
    assert isinstance(sample, RewardSample)
    assert sample.image == PICTURE
    assert {ask.question.id: ask.expects for ask in sample.asks} == {
        "count:apple": (2,),
        "count:red apple": (2,),
        "count:cat": (3,),
        "count:apple left of cat": (2,),
        "count:cat right of apple": (3,),
    }


def test_what_is_expected_goes_before_the_prompt_and_null_leaves_it_to_the_prompt() -> None:
    wombats = [{"noun": " Wombats", "count": 0}, {"noun": "hot  dog", "count": 2}]
    named, read = read_samples(write(prompts=["anything", "3 apples"], images=[TEXT] * 2, expected=[wombats, None]))
    assert isinstance(named, RewardSample)
    assert isinstance(read, RewardSample)
    assert {ask.question.id: ask.expects for ask in named.asks} == {"count:wombat": (0,), "count:hot dog": (2,)}
    assert [ask.wording for ask in named.asks] == [
        "How many wombats are in the image?",
        "How many hot dogs are in the image?",
    ]
    assert {ask.question.id: ask.expects for ask in read.asks} == {"count:apple": (3,)}


def test_an_image_may_be_a_data_url() -> None:
    (sample,) = read_samples(write(images=[data_url(PICTURE)]))
    assert isinstance(sample, RewardSample)
    assert (sample.image, sample.format) == (PICTURE, "png")


def test_a_file_that_is_no_image_costs_only_its_own_reward() -> None:
    one, other = read_samples(write(prompts=["3 apples"] * 2, images=[base64.b64encode(b"cPickle").decode(), TEXT]))
    assert isinstance(one, Unscorable)
    assert one.reason.startswith("not a PNG, JPEG, WebP or GIF file")
    assert isinstance(other, RewardSample)


def test_the_most_samples_that_are_promised_are_taken() -> None:
    assert len(read_samples(write(prompts=["3 apples"] * MOST_SAMPLES, images=[TEXT] * MOST_SAMPLES))) == MOST_SAMPLES
