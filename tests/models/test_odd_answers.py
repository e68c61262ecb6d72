"""What no proper server says, and some do: each is an answer, a refusal, a failure or an end, and never a mishap."""

import asyncio
import base64
import json
import socket
import threading
import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from subitize.interfaces import TransientError
from subitize.models.http import Answered, Limits, PrivateAddressError, Server
from subitize.records import Drawn, Failed, Outcome, Refused, Said, Stimulus
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.models.scripted_server import Answer, Scripted, chat, scripting

NAMING = "naming:images=1,size_px=128,categories=apples,wordings=category,control_question=false,max_attempts=1"
PRODUCTION = "production:categories=apples,numbers=1-2"
KEY = "sk-abc/DEF+0123456789"
THREE = {"role": "assistant", "content": "3"}
GOOD: Answer = (200, {}, chat(THREE))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("subitize.evaluate.driving._FIRST_WAIT_SECONDS", 0.01)


ONE_BY_ONE = ("--concurrency", 1)


def run(server: Scripted, out: Path, *more: object, options: str = "", suite: str = NAMING) -> tuple[int, str]:
    spec = f"openai:m,base_url={server.base_url}{options}"
    finished = call("run", suite, "--model", spec, "--out", out, "--no-sight-check", *more)
    return finished.code, finished.out + finished.err


def outcomes(out: Path) -> list[Outcome]:
    with Run(Folder(out)) as opened:
        return [stored.response.outcome for stored in opened.responses()]


ODD: dict[str, tuple[Answer, str]] = {
    "201": ((201, {}, chat(THREE)), "3"),
    "no error": ((200, {}, chat(THREE, top={"error": None})), "3"),
    "parts": ((200, {}, chat({"content": [{"text": "1"}, {"text": "2"}]})), "1\n2"),
    "half a character": ((200, {}, chat(THREE).replace(b'"3"', b'"3 \\ud83d"')), "3 ?"),
    "empty": ((200, {}, chat({"content": ""})), ""),
    "cut": ((200, {}, chat({"content": None}, finish_reason="length")), ""),
    "odd usage": ((200, {}, chat(THREE, top={"usage": {"prompt_tokens": -5, "completion_tokens": 1.5}})), "3"),
    "no usage": ((200, {}, chat(THREE, top={"usage": "none"})), "3"),
    "odd logprobs": (
        (200, {}, chat(THREE, logprobs={"content": [{"token": "3", "logprob": float("-inf")}, {"token": "x"}, 7]})),
        "3",
    ),
}


@pytest.mark.slow
def test_an_answer_in_an_odd_form_is_read_and_the_run_stays_readable(tmp_path: Path, case: Case) -> None:
    answers = [answer for answer, _ in ODD.values()]
    with scripting(lambda ordinal, _: answers[ordinal]) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE, "--limit", len(ODD))
    assert code == 0, told
    for outcome, (name, (_, text)) in zip(outcomes(tmp_path / "run"), ODD.items(), strict=True):
        with case(name):
            assert isinstance(outcome, Said)
            assert outcome.text == text


NO_ANSWERS: dict[str, Answer] = {
    "finish": (200, {}, chat(THREE, finish_reason="error")),
    "choice": (200, {}, chat(THREE, error={"code": 502})),
    "null": (200, {}, chat({"content": None})),
    "no choice": (200, {}, b'{"choices": []}'),
    "list": (200, {}, b"[]"),
    "204": (204, {}, b""),
    "error": (200, {}, json.dumps({"error": {"message": "overloaded"}}).encode()),
    "408": (408, {}, b"{}"),
    "520": (520, {}, b"<html>"),
}


@pytest.mark.slow
def test_an_answer_that_is_none_is_asked_for_again(tmp_path: Path, case: Case) -> None:
    bad = list(NO_ANSWERS.values())
    with scripting(lambda ordinal, _: GOOD if ordinal % 2 else bad[ordinal // 2]) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE, "--limit", len(bad))
        asked = [body for _, _, body in server.requests]
    assert code == 0, told
    for name, first, again in zip(NO_ANSWERS, asked[::2], asked[1::2], strict=True):
        with case(name):
            assert first == again
    assert outcomes(tmp_path / "run") == [Said("3")] * len(bad)


REFUSALS: dict[str, Answer] = {
    "403": (403, {}, b'{"error": {"message": "no", "code": "content_policy_violation"}}'),
    "words": (400, {}, b'{"error": {"message": "Your request was rejected by the safety system."}}'),
    "refusal": (200, {}, chat({"content": "3", "refusal": "I cannot look at people."})),
    "filter": (200, {}, chat({"content": "3"}, finish_reason="content_filter")),
}


def test_a_refusal_in_any_form_is_one(tmp_path: Path, case: Case) -> None:
    answers = list(REFUSALS.values())
    with scripting(lambda ordinal, _: answers[ordinal]) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE, "--limit", len(answers))
    assert code == 1, told
    for outcome, name in zip(outcomes(tmp_path / "run"), REFUSALS, strict=True):
        with case(name):
            assert isinstance(outcome, Refused)


# As Azure and OpenAI answer for their newer models.
MAX_TOKENS_REFUSED: Answer = (
    400,
    {},
    json.dumps(
        {
            "error": {
                "message": "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "type": "invalid_request_error",
                "param": "max_tokens",
                "code": "unsupported_parameter",
            }
        }
    ).encode(),
)


@pytest.mark.parametrize("more", [ONE_BY_ONE, ()], ids=["one by one", "side by side"])
def test_where_max_tokens_is_refused_its_newer_name_is_sent_and_kept(tmp_path: Path, more: tuple[object, ...]) -> None:
    with scripting(lambda _, body: MAX_TOKENS_REFUSED if "max_tokens" in body else GOOD) as server:
        code, told = run(server, tmp_path / "run", *more, options=",max_tokens=9,temperature=0.5")
        asked = [body for _, _, body in server.requests]
    assert code == 0, told
    answered = [body for body in asked if "max_tokens" not in body]
    assert [(body["max_completion_tokens"], body["temperature"]) for body in answered] == [(9, 0.5)] * 10
    assert 1 <= len(asked) - len(answered) <= (1 if more else 10), "a server is known once it has refused"
    assert outcomes(tmp_path / "run") == [Said("3")] * 10
    with Run(Folder(tmp_path / "run")) as opened:
        kept = [stored.response.provenance.parameters for stored in opened.responses()]
    assert all(one["max_completion_tokens"] == 9 and "max_tokens" not in one for one in kept)


def test_where_the_newer_name_is_refused_too_the_request_is_declined(tmp_path: Path) -> None:
    with scripting(lambda *_: MAX_TOKENS_REFUSED) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE, options=",max_tokens=9")
    assert code == 2
    assert "declines every request: Unsupported parameter: 'max_tokens'" in told


def test_an_account_that_runs_dry_ends_the_run_and_the_same_command_goes_on_later(tmp_path: Path) -> None:
    with scripting(lambda ordinal, _: GOOD if ordinal < 2 else (402, {}, b'{"error": "no money"}')) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE)
        assert code == 2
        assert "no credit is left" in told
        assert outcomes(tmp_path / "run") == [Said("3")] * 2


def test_requests_that_are_declined_are_asked_again_by_the_next_run(tmp_path: Path) -> None:
    is_mended = False

    def answer(ordinal: int, _: object) -> Answer:
        return GOOD if is_mended or ordinal < 2 else (400, {}, b'{"error": {"message": "context too long"}}')

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE)
        assert code == 2
        assert "context too long" in told
        is_mended = True
        code, told = run(server, tmp_path / "run")
        assert code == 0, told
    assert outcomes(tmp_path / "run").count(Said("3")) == 10


def test_a_few_wrong_requests_at_the_start_do_not_end_a_run_that_works(tmp_path: Path) -> None:
    all_are_under_way = threading.Barrier(10)

    def answer(ordinal: int, _: object) -> Answer:
        if ordinal >= 10:
            return GOOD
        all_are_under_way.wait(30)
        if ordinal < 3:
            return 400, {}, b'{"error": {"message": "odd"}}'
        time.sleep(0.05)  # the wrong ones come back first
        return GOOD

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run")
    assert code == 0, f"the three get a second round: {told}"
    assert outcomes(tmp_path / "run").count(Said("3")) == 10


@pytest.mark.slow
def test_a_server_that_is_always_busy_is_not_asked_without_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.setattr("subitize.evaluate.driving._LONGEST_BUSY_SECONDS", 0.2)
    told: list[dict[str, str]] = [{"Retry-After": "0"}, {"Retry-After": "Thu, 01 Jan 1970 00:00:10 GMT"}, {}]
    for place, headers in enumerate(told):
        with case(headers), scripting(lambda *_, headers=headers: (429, headers, b"{}")) as server:
            code, said = run(server, tmp_path / str(place), "--limit", 1, "--tries", 1)
            assert code == 2
            assert "429" in said
            assert len(server.requests) <= 12


def test_a_server_that_says_it_is_used_up_is_left_alone_until_its_reset(tmp_path: Path) -> None:
    asked_at: list[float] = []

    def answer(*_: object) -> Answer:
        asked_at.append(time.monotonic())
        return 200, {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "200ms"}, chat(THREE)

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run", *ONE_BY_ONE, "--limit", 2)
    assert code == 0, told
    first, second = asked_at
    assert second - first >= 0.2


def test_a_key_is_taken_out_however_it_is_written(tmp_path: Path) -> None:
    quoted = [KEY, KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B")]
    data = [chat({"content": "HERE 3"}).replace(b"HERE", f"Bearer {key}".encode()) for key in quoted]
    with scripting(lambda ordinal, _: (200, {}, data[ordinal])) as server:
        run(server, tmp_path / "run", *ONE_BY_ONE, "--limit", len(data))
    assert outcomes(tmp_path / "run") == [Said("Bearer [key] 3")] * len(data)


def test_a_key_that_is_a_word_does_not_spoil_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "are")
    with scripting(lambda *_: (200, {}, chat({"content": "There are 3."}))) as server:
        run(server, tmp_path / "run", "--limit", 1)
    assert outcomes(tmp_path / "run") == [Said("There are 3.")]


def test_a_password_file_is_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".netrc").write_text("default login me password secret\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    monkeypatch.delenv("OPENAI_API_KEY")
    with scripting(lambda *_: GOOD) as server:
        assert run(server, tmp_path / "run", "--limit", 1)[0] == 0
        assert "authorization" not in server.requests[0][1]


PNG = render(Stimulus("apples", 1, 0, 128)).png


def images(*entries: dict[str, Any]) -> Answer:
    return 200, {}, json.dumps({"data": list(entries)}).encode()


def encoded(data: bytes = PNG) -> str:
    return base64.b64encode(data).decode()


def test_one_broken_picture_of_four_costs_only_itself(tmp_path: Path) -> None:
    def answer(_: int, body: Any) -> Answer:  # noqa: ANN401
        good = [{"b64_json": encoded()}] * body["n"]
        return images(*good[:1], {"b64_json": encoded()[:100]}, *good[2:]) if body["n"] > 1 else images(*good)

    with scripting(answer) as server:
        how = ["--repeats", 4, "--judge", "none"]
        code, told = run(server, tmp_path / "run", *how, options=",n=4", suite=PRODUCTION)
        assert code == 0, told
        assert [body["n"] for _, _, body in server.requests] == [4, 4, 1, 1]
        keys = {headers["idempotency-key"] for _, headers, _ in server.requests}
    assert len(keys) == 4, "another call has another key"
    assert sum(isinstance(outcome, Drawn) for outcome in outcomes(tmp_path / "run")) == 8


def test_a_server_that_gives_one_picture_whatever_is_asked_for_is_asked_for_one(tmp_path: Path) -> None:
    with scripting(lambda *_: images({"b64_json": encoded()})) as server:
        how = ["--repeats", 3, "--judge", "none"]
        code, told = run(server, tmp_path / "run", *how, options=",n=3", suite=PRODUCTION)
    assert code == 0, told
    assert sum(isinstance(outcome, Drawn) for outcome in outcomes(tmp_path / "run")) == 6


def test_base64_in_an_odd_form_is_read(tmp_path: Path) -> None:
    text = encoded()
    written = [f"data:image/png;base64,{text}", f"{text[:40]}\n{text[40:]}"]
    with scripting(lambda ordinal, _: images({"b64_json": written[ordinal]})) as server:
        how = [*ONE_BY_ONE, "--repeats", 1, "--judge", "none"]
        assert run(server, tmp_path / "run", *how, suite=PRODUCTION)[0] == 0
    assert [type(outcome) for outcome in outcomes(tmp_path / "run")] == [Drawn, Drawn]


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is slept on the way is a hundredth of it."""
    sleep = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", lambda seconds: sleep(seconds / 100))


@pytest.mark.usefixtures("hurried")
def test_an_image_that_cannot_be_fetched_at_once_is_fetched_again_and_not_made_again(tmp_path: Path) -> None:
    address = ""

    def answer(ordinal: int, body: object) -> Answer:
        if body is not None:
            return images({"url": address})
        return (404, {}, b"") if ordinal == 1 else (200, {"Content-Type": "image/png"}, PNG)

    with scripting(answer) as server:
        address = server.base_url.replace("/v1", "/there.png")
        how = ["--repeats", 1, "--limit", 1, "--judge", "none"]
        assert run(server, tmp_path / "run", *how, suite=PRODUCTION)[0] == 0
        assert [sent is None for _, _, sent in server.requests] == [False, True, True]


@pytest.mark.usefixtures("hurried")
def test_an_image_at_no_web_address_is_a_failed_trial(tmp_path: Path, case: Case) -> None:
    urls = ["file:///etc/passwd", "http://[bad", "ftp://x/y.png", "http://127.0.0.1:9/x.png"]
    with scripting(lambda ordinal, _: images({"url": urls[ordinal]})) as server:
        how = [*ONE_BY_ONE, "--repeats", 2, "--judge", "none", "--tries", 1]
        code, told = run(server, tmp_path / "run", *how, suite=PRODUCTION)
    assert code == 2
    assert "could not be fetched" in told
    for url, outcome in zip(urls, outcomes(tmp_path / "run"), strict=True):
        with case(url):
            assert isinstance(outcome, Failed)
            assert "could not be fetched" in outcome.reason


def test_after_an_error_while_it_is_open_the_server_is_closed_and_can_be_opened_again() -> None:
    with scripting(lambda *_: GOOD) as scripted:
        server = Server(scripted.base_url, "OPENAI_API_KEY", Limits(1, None, None, 5))

        async def post() -> Answered:
            return await server.post("/chat/completions", b"{}", tokens=1, idempotency_key="")

        async def fail_and_post() -> None:
            with pytest.raises(ZeroDivisionError):
                async with server.opened():
                    raise ZeroDivisionError
            await post()

        async def open_and_post() -> Answered:
            async with server.opened():
                return await post()

        with pytest.raises(TypeError, match="called while it is not opened"):
            asyncio.run(fail_and_post())
        content, _ = asyncio.run(open_and_post())
        assert content == json.loads(GOOD[2])


@pytest.mark.parametrize("status", [302, 307, 308])
def test_a_redirect_to_another_server_is_refused_and_nothing_goes_there(tmp_path: Path, status: int) -> None:
    with scripting(lambda *_: GOOD) as other:
        elsewhere = f"{other.base_url}/chat/completions?key=1"
        with scripting(lambda *_: (status, {"Location": elsewhere}, b"")) as server:
            code, told = run(server, tmp_path / "run", "--limit", 1)
        here, there = server.base_url.removesuffix("/v1"), other.base_url.removesuffix("/v1")
        assert code == 2
        assert f"{here} redirects to {there}, another server, to which nothing was sent" in told
        assert other.requests == []


def test_a_redirect_within_the_server_is_followed(tmp_path: Path) -> None:
    def answer(ordinal: int, _: object) -> Answer:
        return GOOD if ordinal else (307, {"Location": "/v2/chat/completions"}, b"")

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run", "--limit", 1)
    assert code == 0, told
    assert [path for path, *_ in server.requests][:2] == ["/v1/chat/completions", "/v2/chat/completions"]


def test_a_redirect_without_end_or_to_no_address_is_told(tmp_path: Path, case: Case) -> None:
    for place, (location, why) in enumerate(
        [("/v1/chat/completions", "has no such model or address (307"), ("http://[bad", "redirects to no web address")]
    ):
        with case(location), scripting(lambda *_, to=location: (307, {"Location": to}, b"")) as server:
            code, told = run(server, tmp_path / f"run-{place}", "--limit", 1)
            assert code == 2
            assert why in told


@pytest.mark.slow
def test_more_calls_at_once_are_made_where_the_command_line_says_so(tmp_path: Path) -> None:
    all_are_under_way = threading.Barrier(50)

    def answer(*_: object) -> Answer:
        all_are_under_way.wait(30)
        return GOOD

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run", "--repeats", 5, "--concurrency", 50)
    assert code == 0, told


def _fetch(scripted: Scripted, url: str, *, allow_private: bool = False) -> bytes:
    """Fetch what a server at localhost says is a picture; 127.0.0.1 is then another host."""
    address = scripted.base_url.replace("127.0.0.1", "localhost")
    server = Server(address, "OPENAI_API_KEY", Limits(1, None, None, 5), allow_private=allow_private)

    async def fetch() -> bytes:
        async with server.opened():
            return await server.fetch(url)

    return asyncio.run(fetch())


PRIVATE = ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "169.254.169.254", "0.0.0.0")


def test_a_picture_on_a_private_network_is_not_fetched(case: Case) -> None:
    with scripting(lambda *_: (200, {"Content-Type": "image/png"}, PNG)) as scripted:
        port = urlsplit(scripted.base_url).port
        for host in PRIVATE:
            with case(host), pytest.raises(PrivateAddressError, match=r"a private address .* allow_private=true"):
                _fetch(scripted, f"http://{host}:{port}/x.png")
        assert scripted.requests == []
        assert _fetch(scripted, f"http://localhost:{port}/x.png") == PNG
        assert _fetch(scripted, f"http://127.0.0.1:{port}/x.png", allow_private=True) == PNG


def test_a_picture_behind_a_redirect_to_a_private_network_is_not_fetched() -> None:
    def answer(ordinal: int, body: object) -> Answer:
        return 302, {"Location": f"http://127.0.0.1:{port}/inside"}, b""

    with scripting(answer) as scripted:
        port = urlsplit(scripted.base_url).port
        with pytest.raises(PrivateAddressError):
            _fetch(scripted, f"http://localhost:{port}/x.png")
        assert len(scripted.requests) == 1


def test_a_name_is_looked_up_once_and_only_its_public_addresses_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up = []

    def look_up(host: str, port: int, *_: object, **__: object) -> list[object]:
        looked_up.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    with scripting(lambda *_: (200, {"Content-Type": "image/png"}, PNG)) as scripted:
        port = urlsplit(scripted.base_url).port
        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        with pytest.raises(PrivateAddressError, match=r"pictures\.example"):
            _fetch(scripted, f"http://pictures.example:{port}/x.png")
        monkeypatch.setattr("subitize.models.http.is_public", lambda address: bool(ip_address(address)))
        assert _fetch(scripted, f"http://pictures.example:{port}/x.png") == PNG
    assert looked_up == ["pictures.example"] * 2


def test_what_is_no_picture_is_not_kept_as_one() -> None:
    with scripting(lambda *_: (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>")) as scripted:
        port = urlsplit(scripted.base_url).port
        with pytest.raises(TransientError, match="could not be fetched: text/html is not a picture"):
            _fetch(scripted, f"http://localhost:{port}/x.png")


def test_what_a_server_marks_as_thinking_is_no_part_of_the_answer(tmp_path: Path) -> None:
    thought = [{"type": "thinking", "thinking": "3 or 4"}, {"type": "reasoning", "text": "3, 4"}]
    message = {"role": "assistant", "content": [*thought, {"type": "text", "text": "7"}], "reasoning_content": "3 or 4"}
    with scripting(lambda *_: (200, {}, chat(message))) as server:
        assert run(server, tmp_path / "run", "--limit", 1)[0] == 0
    assert outcomes(tmp_path / "run") == [Said("7")]
