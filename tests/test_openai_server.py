"""The test server is what it claims to be, as seen by OpenAI's own client and by bare sockets."""

import asyncio
import base64
import io
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from email.utils import parsedate_to_datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AuthenticationError,
    BadRequestError,
    DefaultAsyncHttpxClient,
    NotFoundError,
    RateLimitError,
)
from openai.types import ImagesResponse
from openai.types.chat import ChatCompletion
from PIL import Image, UnidentifiedImageError

from openai_server import DAMAGED, Behaviour, Counters, Fault, Server, serving

KEY = "sk-right-key-of-the-tests"
FREE_FAULTS = {
    "busy": RateLimitError,
    "quota": RateLimitError,
    "error_500": APIStatusError,
    "error_502": APIStatusError,
    "error_503": APIStatusError,
    "dropped_before": APIConnectionError,
    "malformed_json": json.JSONDecodeError,
}


def test_a_chat_with_an_image_is_answered_and_counted() -> None:
    with serving(Behaviour(text="There are 7.")) as server:
        answer = _chat(server, _ask(_picture(), text="How many?"))
        assert answer.choices[0].message.content == "There are 7."
        assert answer.choices[0].finish_reason == "stop"
        assert (answer.model, answer.system_fingerprint) == ("test-model-2026-01-01", "fp_0000000000")
        assert answer.usage
        assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (math.ceil(9 / 4) + 255, 3)
        assert server.counters() == Counters(1, 1, {200: 1}, {}, 258, 3, 0, 0.0, 1, 0)


def test_a_counted_hash_depends_on_question_and_image_alone() -> None:
    asked = [(text, _picture(width)) for text in ("How many?", "And now?", "Really?") for width in (10, 20, 30)]
    with serving(Behaviour(answer="count-hash")) as server:
        first, again = ([_tell(_chat(server, _ask(image, text=text))) for text, image in asked] for _ in range(2))
    assert first == again
    assert len(set(first)) > 3
    assert all(1 <= int(answer) <= 10 for answer in first)


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [(1024, 1024, 765), (1024, 2048, 1105), (512, 512, 255), (513, 40, 425), (3000, 300, 765)],
)
def test_an_image_costs_by_its_tiles(shared: Server, width: int, height: int, tokens: int) -> None:
    shared.behave(Behaviour())
    usage = _chat(shared, _ask(_picture(width, height), text="")).usage
    assert usage
    assert usage.prompt_tokens == tokens


@pytest.mark.parametrize(
    ("kind", "options"),
    [("JPEG", {}), ("GIF", {}), ("WEBP", {}), ("WEBP", {"lossless": True}), ("WEBP", {"icc_profile": b"none"})],
    ids=["JPEG", "GIF", "VP8", "VP8L", "VP8X"],
)
def test_images_of_every_accepted_kind_are_measured(shared: Server, kind: str, options: dict[str, Any]) -> None:
    shared.behave(Behaviour())
    image = _picture(600, 300, kind, **options)
    usage = _chat(shared, _ask(image, text="")).usage
    assert usage
    assert usage.prompt_tokens == 85 + 2 * 170


def test_an_image_in_low_detail_costs_the_same_at_any_size(shared: Server) -> None:
    shared.behave(Behaviour())
    usage = _chat(shared, _ask(_picture(2000, 2000), text="", detail="low")).usage
    assert usage
    assert usage.prompt_tokens == 85


def test_max_tokens_cuts_the_answer(shared: Server) -> None:
    shared.behave(Behaviour(text="There are many."))
    answer = _chat(shared, max_tokens=2)
    assert (_tell(answer), answer.choices[0].finish_reason) == ("There ar", "length")
    assert answer.usage
    assert answer.usage.completion_tokens == 2


def test_logprobs_come_when_asked_for_and_add_up_to_at_most_one(shared: Server) -> None:
    shared.behave(Behaviour(text="7"))
    assert _chat(shared).choices[0].logprobs is None
    logprobs = _chat(shared, logprobs=True, top_logprobs=20).choices[0].logprobs
    assert logprobs
    assert logprobs.content
    (token,) = logprobs.content
    assert (token.token, len(token.top_logprobs)) == ("7", 20)
    assert len({one.token for one in token.top_logprobs}) == 20
    assert sum(math.exp(one.logprob) for one in token.top_logprobs) == pytest.approx(1, abs=1e-3)


def test_images_are_real_and_each_is_one_of_its_own() -> None:
    with serving(Behaviour(revises_prompts=True)) as server:
        made = _make(server, prompt="two dogs", n=3, size="64x48", quality="low")
        assert made.data
        pictures = [base64.b64decode(one.b64_json or "") for one in made.data]
        assert len(set(pictures)) == 3
        for picture in pictures:
            with Image.open(io.BytesIO(picture)) as image:
                assert image.size == (64, 48)
                colours = image.getcolors()
                assert colours is not None
                assert len(colours) == 2
        assert made.data[0].revised_prompt == "A detailed picture: two dogs"
        assert made.usage
        assert (made.usage.input_tokens, made.usage.output_tokens) == (2, 3)
        assert server.counters() == Counters(1, 1, {200: 1}, {}, 2, 3, 3, 0.0, 1, 0)


@pytest.mark.parametrize(("size", "quality", "tokens"), [("1024x1024", "high", 4160), ("1024x1536", "medium", 1584)])
def test_an_image_costs_what_gpt_image_would(shared: Server, size: str, quality: str, tokens: int) -> None:
    shared.behave(Behaviour())
    usage = _make(shared, size=size, quality=quality).usage
    assert usage
    assert usage.output_tokens == tokens


def test_an_image_by_url_can_be_fetched(shared: Server) -> None:
    shared.behave(Behaviour())
    made = _make(shared, size="32x32", response_format="url")
    assert made.data
    with Image.open(io.BytesIO(_fetch(made.data[0].url or ""))) as image:
        image.load()
        assert image.size == (32, 32)


def test_models_are_listed(shared: Server) -> None:
    shared.behave(Behaviour(models=("a", "b")))
    with urllib.request.urlopen(f"{shared.base_url}/models", timeout=5) as answer:
        assert [model["id"] for model in json.load(answer)["data"]] == ["a", "b"]


def test_a_wrong_key_is_half_quoted_and_a_right_one_taken(shared: Server) -> None:
    shared.behave(Behaviour(key=KEY))
    with pytest.raises(AuthenticationError) as wrong:
        _chat(shared, key="sk-wrong-key-1234")
    assert wrong.value.code == "invalid_api_key"
    assert "sk-wrong*****1234" in str(wrong.value)
    assert _tell(_chat(shared, key=KEY)) == "There are 3."


def test_an_unknown_model_is_not_found(shared: Server) -> None:
    shared.behave(Behaviour())
    with pytest.raises(NotFoundError) as unknown:
        _chat(shared, model="gpt-none")
    assert isinstance(unknown.value.body, dict)
    assert unknown.value.body.keys() == {"message", "type", "param", "code"}
    assert unknown.value.code == "model_not_found"


def test_a_wrong_url_is_not_found(shared: Server) -> None:
    with pytest.raises(NotFoundError, match=r"Invalid URL \(POST /chat/completions\)"):
        _chat(Server(shared.port), base_url=shared.base_url.removesuffix("/v1"))


@pytest.mark.parametrize("image", [b"no image", b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"])
def test_an_image_that_is_none_is_declined(shared: Server, image: bytes) -> None:
    shared.behave(Behaviour())
    with pytest.raises(BadRequestError, match="unsupported image"):
        _chat(shared, _ask(image))


@pytest.mark.parametrize(
    "options", [{"n": 11}, {"size": "7"}, {"size": "9999x9"}, {"quality": "best"}, {"response_format": "svg"}]
)
def test_an_image_that_cannot_be_made_is_declined(shared: Server, options: dict[str, Any]) -> None:
    shared.behave(Behaviour())
    with pytest.raises(BadRequestError) as declined:
        _make(shared, **options)
    assert declined.value.param in options


def test_a_parameter_can_be_unknown_to_the_server(shared: Server) -> None:
    shared.behave(Behaviour(rejected_parameters=("response_format",)))
    with pytest.raises(BadRequestError, match="Unknown parameter: 'response_format'"):
        _make(shared, response_format="b64_json")
    assert _make(shared).data


def test_requests_are_kept_with_headers_and_abbreviated_images() -> None:
    image = _picture()
    with serving(Behaviour(requests_kept=2)) as server:
        for trial in ("t1", "t2", "t3"):
            _chat(server, _ask(image), extra_headers={"Idempotency-Key": trial})
        kept = server.requests()
    assert [request["headers"]["idempotency-key"] for request in kept] == ["t2", "t3"]
    assert kept[0]["headers"]["authorization"] == f"Bearer {KEY}"
    assert (kept[0]["method"], kept[0]["path"]) == ("POST", "/v1/chat/completions")
    shown = kept[0]["body"]["messages"][0]["content"][1]["image_url"]["url"]
    assert shown == {"sha256": sha256(image).hexdigest(), "length": len(image)}


@pytest.mark.parametrize("kind", FREE_FAULTS)
@pytest.mark.parametrize("is_chat", [True, False], ids=["chat", "images"])
def test_a_fault_before_the_work_costs_nothing(shared: Server, kind: str, is_chat: bool) -> None:
    shared.behave(Behaviour(faults=(Fault(kind, calls=(0,)),)))
    call = _chat if is_chat else _make
    before = shared.counters()
    with pytest.raises(FREE_FAULTS[kind]) as failed:
        call(shared)
    after = shared.counters()
    assert after.by_fault[kind] == before.by_fault.get(kind, 0) + 1
    assert after.completed == before.completed
    call(shared)
    assert shared.counters().completed == before.completed + 1
    if isinstance(failed.value, APIStatusError):
        assert str(failed.value.status_code) in {"busy": "429", "quota": "429"}.get(kind, kind)
        assert isinstance(failed.value.body, dict)


def test_no_quota_is_told_from_too_many_requests(shared: Server) -> None:
    shared.behave(Behaviour(faults=(Fault("quota", calls=(0,)), Fault("busy", calls=(1,)))))
    failed = [_fail(shared), _fail(shared)]
    assert [error.code for error in failed] == ["insufficient_quota", "rate_limit_exceeded"]
    assert "retry-after" not in failed[0].response.headers


def test_retry_after_comes_in_the_forms_asked_for(shared: Server) -> None:
    busy = Behaviour(faults=(Fault("busy", 1),), retry_after_seconds=1.25)
    shared.behave(busy)
    headers = _fail(shared).response.headers
    assert (headers["retry-after"], headers["retry-after-ms"]) == ("2", "1250")
    shared.behave(replace(busy, retry_after_forms=("date",)))
    headers = _fail(shared).response.headers
    assert 0 < parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time() < 3
    assert "retry-after-ms" not in headers


@pytest.mark.parametrize("kind", ["dropped_after", "dropped_during"])
def test_a_connection_dropped_after_the_work_costs(shared: Server, kind: str) -> None:
    shared.behave(Behaviour(faults=(Fault(kind, 1),)))
    before = shared.counters()
    with pytest.raises(APIConnectionError):
        _chat(shared)
    after = shared.counters()
    assert (after.completed, after.by_status) == (before.completed + 1, before.by_status)


def test_a_slow_answer_costs_although_nobody_waits_for_it() -> None:
    with serving(Behaviour(faults=(Fault("slow", calls=(0,)),), slow_seconds=0.6)) as server:
        with pytest.raises(APITimeoutError):
            _chat(server, timeout=0.1)
        assert server.counters().completed == 1
        assert server.counters().by_fault == {"slow": 1}


def test_latency_is_kept_by_every_call(shared: Server) -> None:
    shared.behave(Behaviour(latency_seconds=0.15))
    start = time.monotonic()
    _chat(shared)
    assert time.monotonic() - start >= 0.15


def test_html_comes_with_status_200(shared: Server) -> None:
    shared.behave(Behaviour(faults=(Fault("html", 1),)))
    status, body = _status_and_body(shared)
    assert status == 200
    assert body.startswith(b"<!DOCTYPE html>")


def test_the_wrong_shape_is_json_without_the_answer(shared: Server) -> None:
    shared.behave(Behaviour(faults=(Fault("wrong_shape", 1),)))
    status, body = _status_and_body(shared)
    assert status == 200
    assert json.loads(body).keys() >= {"id", "usage"}
    assert "choices" not in json.loads(body)
    assert _make(shared).data is None


def test_a_spoilt_answer_costs_if_its_fault_says_so() -> None:
    with serving(Behaviour(faults=(Fault("wrong_shape", 1, is_billed=True),))) as server:
        _chat(server)
        assert server.counters().completed == 1


@pytest.mark.parametrize("form", ["b64_json", "url"])
@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_image_cannot_be_read(shared: Server, kind: str, form: str) -> None:
    shared.behave(Behaviour(faults=(Fault(kind, 1),)))
    made = _make(shared, size="256x256", response_format=form)
    assert made.data
    with pytest.raises((OSError, SyntaxError, UnidentifiedImageError, ValueError)):  # noqa: PT012
        encoded = made.data[0].b64_json
        picture = base64.b64decode(encoded) if encoded is not None else _fetch(made.data[0].url or "")
        with Image.open(io.BytesIO(picture)) as image:
            image.load()


def test_a_damaged_image_is_no_fault_of_a_chat() -> None:
    with serving(Behaviour(faults=(Fault("empty_image", 1),))) as server:
        _chat(server)
        assert (server.counters().completed, server.counters().by_fault) == (1, {})


def test_the_content_filter_declines_a_picture_and_ends_a_chat() -> None:
    with serving(Behaviour(faults=(Fault("content_filter", 1, containing="blood"),))) as server:
        with pytest.raises(BadRequestError) as declined:
            _make(server, prompt="two drops of blood")
        assert declined.value.code == "content_policy_violation"
        choice = _chat(server, _ask(text="how many drops of blood?")).choices[0]
        assert (choice.finish_reason, choice.message.content) == ("content_filter", None)
        assert _tell(_chat(server)) == "There are 3."
        assert (server.counters().completed, server.counters().by_fault) == (2, {"content_filter": 2})


def test_a_refusal_has_its_own_text(shared: Server) -> None:
    shared.behave(Behaviour(text="I will not count.", faults=(Fault("refusal", 1),)))
    message = _chat(shared).choices[0].message
    assert (message.content, message.refusal) == (None, "I will not count.")


def test_answers_and_errors_can_quote_the_authorization(shared: Server) -> None:
    shared.behave(Behaviour(echo_headers=True, revises_prompts=True, faults=(Fault("error_500", calls=(2,)),)))
    made = _make(shared)
    assert made.data
    told = [made.data[0].revised_prompt, _tell(_chat(shared)), str(_fail(shared))]
    assert all(f"authorization: Bearer {KEY}" in (text or "") for text in told)


def test_faults_by_chance_have_their_share_and_the_same_seed_the_same_faults() -> None:
    behaviour = Behaviour(seed=3, faults=(Fault("error_500", 0.2), Fault("html", 0.1)))
    seen = []
    with serving(behaviour) as server:
        for _ in range(2):
            server.behave(behaviour)
            seen.append(_call_raw(server, 1000))
        counted = server.counters()
    assert seen[0] == seen[1]
    assert 0.16 < seen[0].count(500) / 1000 < 0.24
    assert counted.by_fault["error_500"] == counted.by_status[500] == 2 * seen[0].count(500)
    assert 0.06 < counted.by_fault["html"] / 2000 < 0.14
    assert counted.completed == 2000 - counted.by_fault["error_500"] - counted.by_fault["html"]


def test_requests_are_limited_to_their_rate() -> None:
    with serving(Behaviour(requests_per_second=100, burst=5)) as server:
        start = time.monotonic()
        statuses: list[int] = []
        while time.monotonic() - start < 0.7:
            statuses += _call_raw(server, 20)
        seconds = time.monotonic() - start
        assert server.counters().by_fault == {"rate_limited": statuses.count(429)}
    assert statuses.count(429) > 0
    assert 100 * seconds * 0.9 - 2 <= statuses.count(200) <= 100 * seconds + 5


def test_limits_are_told_only_if_the_server_tells_them(shared: Server) -> None:
    limited = Behaviour(requests_per_second=2, burst=1, tokens_per_minute=60_000)
    shared.behave(limited)
    _chat(shared)
    silent = _fail(shared).response.headers
    assert 0 < int(silent["retry-after-ms"]) <= 500
    assert not [name for name in silent if name.startswith("x-ratelimit")]
    shared.behave(replace(limited, tells_limits=True))
    _chat(shared)
    told = _fail(shared).response.headers
    assert (told["x-ratelimit-limit-requests"], told["x-ratelimit-remaining-requests"]) == ("120", "0")
    assert told["x-ratelimit-reset-requests"].endswith("ms")
    assert told["x-ratelimit-limit-tokens"] == "60000"


def test_tokens_are_limited_to_their_rate(shared: Server) -> None:
    shared.behave(Behaviour(tokens_per_minute=6000))
    assert _call_raw(shared, 60, text="x" * 68).count(200) == pytest.approx(100 / 20, abs=1)
    assert _fail(shared, text="x" * 68).type == "tokens"


def test_a_repeated_key_is_counted_and_answered_again_free_if_honoured() -> None:
    with serving(Behaviour(answer="count-hash")) as server:
        key = {"Idempotency-Key": "t1"}
        _chat(server, extra_headers=key)
        _chat(server, extra_headers=key)
        assert (server.counters().completed, server.counters().repeated_keys) == (2, 1)
        server.behave(Behaviour(honours_keys=True))
        first = _chat(server, extra_headers={"Idempotency-Key": "t2"})
        again = _chat(server, extra_headers={"Idempotency-Key": "t2"})
        assert again.id == first.id
        assert (server.counters().completed, server.counters().repeated_keys) == (3, 2)


def test_money_is_counted_by_tokens_and_by_picture() -> None:
    sold = (("64x64", "low", 0.01), ("64x64", "high", 0.05))
    with serving(Behaviour(chat_usd_per_million=(2.0, 8.0), image_usd=sold)) as server:
        usage = _chat(server, _ask(_picture())).usage
        assert usage
        _make(server, size="64x64", quality="high", n=2)
        chat_usd = (usage.prompt_tokens * 2 + usage.completion_tokens * 8) / 1e6
        assert server.counters().billed_usd == pytest.approx(chat_usd + 0.1)
        with pytest.raises(BadRequestError, match="No images of 64x64, medium"):
            _make(server, size="64x64")


def test_the_most_calls_at_once_are_counted() -> None:
    with serving(Behaviour(latency_seconds=0.1)) as server:

        async def call_together() -> None:
            async with _client(server) as client:
                await asyncio.gather(
                    *(client.chat.completions.create(model="test-model", messages=_ask()) for _ in range(7))
                )

        asyncio.run(call_together())
        assert server.counters().most_at_once == 7


def test_one_connection_serves_many_requests_even_sent_together(shared: Server) -> None:
    shared.behave(Behaviour())
    assert _call_raw(shared, 50) == [200] * 50


def test_the_server_ends_with_a_killed_parent() -> None:
    program = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from openai_server import serving\n"
        "with serving() as server:\n    print(server.port, flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", program, str(Path(__file__).parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        port = int(parent.stdout.readline())
        socket.create_connection(("127.0.0.1", port)).close()
        os.kill(parent.pid, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionError:
            return
        time.sleep(0.02)
    pytest.fail("the server outlived its parent by 5 seconds")


def test_an_unknown_fault_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="no fault named 'explodes'; known: busy, quota"):
        Fault("explodes")


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    """A server for tests that set its behaviour, and do not need its counters to start from nothing."""
    with serving() as server:
        yield server


def _picture(width: int = 64, height: int = 64, kind: str = "PNG", **options: Any) -> bytes:  # noqa: ANN401
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(buffer, kind, **options)
    return buffer.getvalue()


def _ask(*images: bytes, text: str = "How many?", detail: str = "auto") -> Any:  # noqa: ANN401
    urls = [f"data:image/png;base64,{base64.b64encode(image).decode()}" for image in images]
    parts = [{"type": "image_url", "image_url": {"url": url, "detail": detail}} for url in urls]
    return [{"role": "user", "content": [{"type": "text", "text": text}, *parts]}]


def _client(server: Server, **options: Any) -> AsyncOpenAI:  # noqa: ANN401
    # Without certificates, which a plain connection never reads, a client is made ten times faster.
    bare = DefaultAsyncHttpxClient(verify=False)
    told: dict[str, Any] = {"base_url": server.base_url, "api_key": KEY, "max_retries": 0, "timeout": 10}
    return AsyncOpenAI(**told | options, http_client=bare)


def _chat(server: Server, messages: Any = None, **options: Any) -> ChatCompletion:  # noqa: ANN401
    """Ask once; key and base_url go to the client, everything else into the call."""
    named = {"key": "api_key", "base_url": "base_url"}
    reaching = {name: options.pop(told) for told, name in named.items() if told in options}

    async def call() -> Any:  # noqa: ANN401
        async with _client(server, **reaching) as client:
            told = {"model": "test-model", "messages": messages or _ask()} | options
            return await client.chat.completions.create(**told)

    answer: ChatCompletion = asyncio.run(call())
    return answer


def _make(server: Server, **options: Any) -> ImagesResponse:  # noqa: ANN401
    async def call() -> Any:  # noqa: ANN401
        async with _client(server) as client:
            told = {"model": "test-image-model", "prompt": "two dogs", "size": "64x64"} | options
            return await client.images.generate(**told)

    made: ImagesResponse = asyncio.run(call())
    return made


def _fail(server: Server, text: str = "How many?") -> APIStatusError:
    with pytest.raises(APIStatusError) as failed:
        _chat(server, _ask(text=text))
    return failed.value


def _tell(answer: ChatCompletion) -> str:
    return answer.choices[0].message.content or ""


def _fetch(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=5) as answer:
        data: bytes = answer.read()
    return data


def _call_raw(server: Server, n: int, text: str = "How many?") -> list[int]:
    """Send n chats down one connection, all before the first answer is read, and list the statuses."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(_format_chat(text) * n)
        with connection.makefile("rb") as answers:
            return [_read_answer(answers)[0] for _ in range(n)]


def _status_and_body(server: Server) -> tuple[int, bytes]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(_format_chat("How many?"))
        with connection.makefile("rb") as answers:
            return _read_answer(answers)


def _format_chat(text: str) -> bytes:
    body = json.dumps({"model": "test-model", "messages": _ask(text=text)})
    return f"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def _read_answer(answers: BinaryIO) -> tuple[int, bytes]:
    status = int(answers.readline().split()[1])
    length = 0
    while (line := answers.readline()) != b"\r\n":
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    return status, answers.read(length)
