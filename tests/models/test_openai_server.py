"""What other tests rely on in the test server: answers and errors as the real API's own client reads them, and a bill
that is right.
"""

import base64
import io
import json
import math
import urllib.request
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tests.cases import Case
from tests.models.openai_server import DAMAGED, Behaviour, Fault, Server, serving

if TYPE_CHECKING:  # importing it takes as long as all these tests, and every process collects them
    from openai import OpenAI
    from openai.types import ImagesResponse
    from openai.types.chat import ChatCompletion

KEY = "sk-right-key-of-the-tests"


@pytest.fixture(scope="module")
def client() -> "Iterator[OpenAI]":
    from openai import DefaultHttpxClient, OpenAI

    # Without certificates, which a plain connection never reads, a client is made ten times faster.
    with OpenAI(api_key=KEY, base_url="http://x", max_retries=0, http_client=DefaultHttpxClient(verify=False)) as made:
        yield made


@pytest.fixture
def server(client: "OpenAI") -> Iterator[Server]:
    with serving() as running:
        client.base_url = running.base_url
        yield running


def ask(client: "OpenAI", text: str = "How many?", *images: bytes, **options: Any) -> "ChatCompletion":  # noqa: ANN401
    urls = [f"data:image/png;base64,{base64.b64encode(image).decode()}" for image in images]
    parts = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    messages = [{"role": "user", "content": [{"type": "text", "text": text}, *parts]}]
    told: dict[str, Any] = {"model": "test-model", "messages": messages} | options
    answer: ChatCompletion = client.chat.completions.create(**told)
    return answer


def make(client: "OpenAI", **options: Any) -> "ImagesResponse":  # noqa: ANN401
    told = {"model": "test-image-model", "prompt": "two dogs", "size": "64x64"} | options
    made: ImagesResponse = client.images.generate(**told)
    return made


def picture(width: int = 64, height: int = 64) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def open_all(made: "ImagesResponse") -> list[bytes]:
    """Get the images of an answer, wherever they are, and make sure that they can be read."""
    files = [_fetch(one.url) if one.url else base64.b64decode(one.b64_json or "") for one in made.data or []]
    for file in files:
        with Image.open(io.BytesIO(file)) as image:
            image.load()
            assert f"{image.width}x{image.height}" == made.size
    return files


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=5) as answer:
        data: bytes = answer.read()
    return data


def test_a_chat_with_an_image_is_answered_and_counted(client: "OpenAI", server: Server) -> None:
    server.behave(Behaviour(text="There are many.", chat_usd_per_million=(2.0, 8.0)))
    answer = ask(client, "How many?", picture(), max_tokens=2)
    (choice,) = answer.choices
    assert (choice.message.content, choice.finish_reason, choice.logprobs) == ("There ar", "length", None)
    assert (answer.model, answer.system_fingerprint) == ("test-model-2026-01-01", "fp_0000000000")
    assert answer.usage
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (math.ceil(9 / 4) + 255, 2)
    counted = server.counters()
    assert (counted.received, counted.completed, counted.by_status, counted.prompt_tokens) == (1, 1, {200: 1}, 258)
    assert counted.billed_usd == pytest.approx((258 * 2 + 2 * 8) / 1e6)
    shown = server.requests()[0]["body"]["messages"][0]["content"][1]["image_url"]["url"]
    assert shown == {"sha256": sha256(picture()).hexdigest(), "length": len(picture())}


@pytest.mark.usefixtures("server")
def test_an_image_in_a_chat_costs_by_its_tiles(client: "OpenAI", case: Case) -> None:
    sizes = {(1024, 1024): 765, (1024, 2048): 1105, (512, 512): 255, (513, 40): 425, (3000, 300): 765}
    for size, tokens in sizes.items():
        with case(size):
            usage = ask(client, "", picture(*size)).usage
            assert usage
            assert usage.prompt_tokens == tokens


@pytest.mark.parametrize("form", ["b64_json", "url"])
def test_images_are_real_each_is_one_of_its_own_and_paid_for(form: str, client: "OpenAI", server: Server) -> None:
    server.behave(Behaviour(revises_prompts=True, image_usd=(("64x48", "low", 0.01),)))
    made = make(client, n=3, size="64x48", quality="low", response_format=form)
    assert len(set(open_all(made))) == 3
    assert made.data
    assert made.data[0].revised_prompt == "A detailed picture: two dogs"
    assert server.counters().images_made == 3
    assert server.counters().billed_usd == pytest.approx(0.03)


def test_what_cannot_be_served_is_declined_in_the_apis_form(client: "OpenAI", server: Server, case: Case) -> None:
    from openai import APIStatusError

    faults = (Fault("content_filter", 1, containing="blood"),)
    sold = (("64x64", "low", 0.01),)
    server.behave(Behaviour(key=KEY, rejected_parameters=("top_p",), image_usd=sold, faults=faults))
    stranger = client.with_options(api_key="sk-wrong-key-1234")
    table: list[tuple[str, Callable[[], object], int, str]] = [
        ("key", lambda: ask(stranger), 401, "Incorrect API key provided: sk-wrong*****1234."),
        ("model", lambda: ask(client, model="gpt-none"), 404, "The model `gpt-none` does not exist"),
        ("parameter", lambda: ask(client, top_p=1), 400, "Unknown parameter: 'top_p'"),
        ("image", lambda: ask(client, "", b"no image"), 400, "unsupported image"),
        ("size", lambda: make(client, size="7"), 400, "Invalid size"),
        ("sale", lambda: make(client, quality="high"), 400, "No images of 64x64, high"),
        ("filter", lambda: make(client, quality="low", prompt="blood"), 400, "content_policy_violation"),
        ("address", client.models.list, 404, "Invalid URL (GET /v1/models)"),
    ]
    for name, call, status, words in table:
        with case(name):
            with pytest.raises(APIStatusError) as declined:
                call()
            assert declined.value.status_code == status
            assert isinstance(declined.value.body, dict)
            assert words in str(declined.value.body)
            assert declined.value.body.keys() == {"message", "type", "param", "code"}
    assert server.counters().completed == 0


def test_a_fault_before_the_work_costs_nothing(client: "OpenAI", server: Server, case: Case) -> None:
    from openai import APIConnectionError, APIStatusError, RateLimitError

    free: dict[str, type[Exception]] = {f"error_{status}": APIStatusError for status in (500, 502, 503)}
    free |= {"busy": RateLimitError, "quota": RateLimitError, "dropped_before": APIConnectionError}
    free |= {"malformed_json": json.JSONDecodeError}
    for kind, error in free.items():
        with case(kind):
            server.behave(Behaviour(faults=(Fault(kind, calls=(0, 1)),), retry_after_seconds=1.25))
            for call in (ask, make):
                with pytest.raises(error) as failed:
                    call(client)
            assert server.counters().by_fault[kind] == 2
            if isinstance(failed.value, RateLimitError):
                told = failed.value.response.headers
                waits = (told.get("retry-after"), told.get("retry-after-ms"))
                assert waits == (("2", "1250") if kind == "busy" else (None, None))
    assert server.counters().completed == 0


def test_an_answer_that_is_lost_late_or_withheld_costs(client: "OpenAI", server: Server) -> None:
    from openai import APIConnectionError, APITimeoutError

    kinds = ("dropped_after", "dropped_during", "slow", "content_filter", "refusal")
    faults = tuple(Fault(kind, calls=(place,)) for place, kind in enumerate(kinds))
    server.behave(Behaviour(text="I will not count.", faults=faults, slow_seconds=60))
    for error in (APIConnectionError, APIConnectionError, APITimeoutError):
        with pytest.raises(error):
            ask(client, timeout=0.2)
    filtered, refused = (ask(client).choices[0] for _ in range(2))
    assert (filtered.finish_reason, filtered.message.content) == ("content_filter", None)
    assert (refused.message.content, refused.message.refusal) == (None, "I will not count.")
    assert (server.counters().completed, server.counters().by_fault) == (5, dict.fromkeys(kinds, 1))


def test_a_spoilt_answer_is_none_and_costs_nothing(client: "OpenAI", server: Server, case: Case) -> None:
    for kind in DAMAGED:
        for form in ("b64_json", "url"):
            with case(f"{kind} {form}"):
                server.behave(Behaviour(faults=(Fault(kind, 1),)))
                made = make(client, size="256x256", response_format=form)
                with pytest.raises((OSError, SyntaxError, ValueError)):
                    open_all(made)
    server.behave(Behaviour(faults=(Fault("wrong_shape", 1),)))
    assert not ask(client).choices
    assert make(client).data is None
    server.behave(Behaviour(faults=(Fault("html", 1),)))
    assert str(ask(client)).startswith("<!DOCTYPE html>")
    assert server.counters().completed == 0


def test_more_requests_than_the_limit_are_sent_away(client: "OpenAI", server: Server) -> None:
    from openai import RateLimitError

    server.behave(Behaviour(requests_per_second=0.001, burst=1))
    ask(client)
    with pytest.raises(RateLimitError):
        ask(client)
    assert server.counters().by_fault == {"rate_limited": 1}


def test_a_repeated_key_is_answered_again_free_if_honoured(client: "OpenAI", server: Server) -> None:
    for is_honoured in (False, True):
        server.behave(Behaviour(honours_keys=is_honoured))
        first, again = (ask(client, extra_headers={"Idempotency-Key": str(is_honoured)}) for _ in range(2))
        assert (again.id == first.id) == is_honoured
    assert server.counters().completed == 3
