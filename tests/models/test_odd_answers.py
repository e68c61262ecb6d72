"""What no proper server says, and some do: each is an answer, a refusal, a failure or an end, and never a mishap."""

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest

from commands import call
from openai_server import Behaviour, serving
from scripted_server import Answer, Scripted, chat, scripting
from subitize.drawing.stimuli import render
from subitize.records import Drawn, Failed, Outcome, Refused, Said, Stimulus
from subitize.store import Folder, Run

NAMING = "naming:images=1,size_px=128,categories=apples,wordings=category,control_question=false,max_attempts=1"
PRODUCTION = "production:categories=apples,numbers=1-2"
KEY = "sk-abc/DEF+0123456789"
THREE = {"role": "assistant", "content": "3"}
GOOD: Answer = (200, {}, chat(THREE))


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("subitize.runner.trying._FIRST_WAIT_SECONDS", 0.01)


def run(server: Scripted, out: Path, *more: object, options: str = "", suite: str = NAMING) -> tuple[int, str]:
    spec = f"openai:m,base_url={server.base_url}{options}"
    finished = call("run", suite, "--model", spec, "--out", out, *more)
    return finished.code, finished.out + finished.err


def outcomes(out: Path) -> list[Outcome]:
    with Run(Folder(out)) as opened:
        return [stored.response.outcome for stored in opened.responses()]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ((201, {}, chat(THREE)), "3"),
        ((200, {}, chat(THREE, top={"error": None})), "3"),
        ((200, {}, chat({"content": [{"text": "1"}, {"text": "2"}]})), "1\n2"),
        ((200, {}, chat(THREE).replace(b'"3"', b'"3 \\ud83d"')), "3 ?"),
        ((200, {}, chat({"content": ""})), ""),
        ((200, {}, chat({"content": None}, finish_reason="length")), ""),
        ((200, {}, chat(THREE, top={"usage": {"prompt_tokens": -5, "completion_tokens": 1.5}})), "3"),
        ((200, {}, chat(THREE, top={"usage": "none"})), "3"),
        (
            (
                200,
                {},
                chat(THREE, logprobs={"content": [{"token": "3", "logprob": float("-inf")}, {"token": "x"}, 7]}),
            ),
            "3",
        ),
    ],
    ids=["201", "no error", "parts", "half a character", "empty", "cut", "odd usage", "no usage", "odd logprobs"],
)
def test_an_answer_in_an_odd_form_is_read_and_the_run_stays_readable(answer: Answer, text: str, tmp_path: Path) -> None:
    with scripting(lambda *_: answer) as server:
        code, told = run(server, tmp_path / "run", "--limit", 2)
    assert code == 0, told
    assert [outcome.text for outcome in outcomes(tmp_path / "run") if isinstance(outcome, Said)] == [text, text]


@pytest.mark.parametrize(
    "bad",
    [
        (200, {}, chat(THREE, finish_reason="error")),
        (200, {}, chat(THREE, error={"code": 502})),
        (200, {}, chat({"content": None})),
        (200, {}, b'{"choices": []}'),
        (200, {}, b"[]"),
        (204, {}, b""),
        (200, {}, json.dumps({"error": {"message": "overloaded"}}).encode()),
        (408, {}, b"{}"),
        (520, {}, b"<html>"),
    ],
    ids=["finish", "choice", "null", "no choice", "list", "204", "error", "408", "520"],
)
def test_an_answer_that_is_none_is_asked_for_again(bad: Answer, tmp_path: Path) -> None:
    with scripting(lambda ordinal, _: bad if ordinal == 0 else GOOD) as server:
        code, told = run(server, tmp_path / "run", "--limit", 2)
    assert code == 0, told
    assert outcomes(tmp_path / "run") == [Said("3"), Said("3")]


@pytest.mark.parametrize(
    "refusing",
    [
        (403, {}, b'{"error": {"message": "no", "code": "content_policy_violation"}}'),
        (400, {}, b'{"error": {"message": "Your request was rejected by the safety system."}}'),
        (200, {}, chat({"content": "3", "refusal": "I cannot look at people."})),
        (200, {}, chat({"content": "3"}, finish_reason="content_filter")),
    ],
    ids=["403", "words", "refusal", "filter"],
)
def test_a_refusal_in_any_form_is_one(refusing: Answer, tmp_path: Path) -> None:
    with scripting(lambda *_: refusing) as server:
        code, told = run(server, tmp_path / "run", "--limit", 1)
    assert code == 0, told
    (outcome,) = outcomes(tmp_path / "run")
    assert isinstance(outcome, Refused)


def test_an_account_that_runs_dry_ends_the_run_and_the_same_command_goes_on_later(tmp_path: Path) -> None:
    with scripting(lambda ordinal, _: GOOD if ordinal < 2 else (402, {}, b'{"error": "no money"}')) as server:
        code, told = run(server, tmp_path / "run", "--concurrency", 1)
        assert code == 2
        assert "no credit is left" in told
        assert outcomes(tmp_path / "run") == [Said("3")] * 2


def test_requests_that_are_declined_are_asked_again_by_the_next_run(tmp_path: Path) -> None:
    is_mended = False

    def answer(ordinal: int, _: object) -> Answer:
        return GOOD if is_mended or ordinal < 2 else (400, {}, b'{"error": {"message": "context too long"}}')

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run", "--concurrency", 1)
        assert code == 2
        assert "context too long" in told
        is_mended = True
        code, told = run(server, tmp_path / "run")
        assert code == 0, told
    assert outcomes(tmp_path / "run").count(Said("3")) == 10


def test_a_few_wrong_requests_at_the_start_do_not_end_a_run_that_works(tmp_path: Path) -> None:
    def answer(ordinal: int, _: object) -> Answer:
        if ordinal < 3:
            return 400, {}, b'{"error": {"message": "odd"}}'
        time.sleep(0.3)
        return GOOD

    with scripting(answer) as server:
        code, told = run(server, tmp_path / "run")
    assert code == 0, f"the three get a second round: {told}"
    assert outcomes(tmp_path / "run").count(Said("3")) == 10


@pytest.mark.parametrize("told", [{"Retry-After": "0"}, {"Retry-After": "Thu, 01 Jan 1970 00:00:10 GMT"}, {}])
def test_a_server_that_is_always_busy_is_not_asked_without_pause(
    told: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.runner.trying._LONGEST_BUSY_SECONDS", 1.0)
    with scripting(lambda *_: (429, told, b"{}")) as server:
        code, said = run(server, tmp_path / "run", "--limit", 1, "--tries", 1)
        assert code == 2
        assert "429" in said
        assert len(server.requests) <= 20


@pytest.mark.parametrize("quoted", [KEY, KEY.replace("/", "\\/"), KEY.replace("+", "\\u002B")])
def test_a_key_is_taken_out_however_it_is_written(quoted: str, tmp_path: Path) -> None:
    data = chat({"content": "HERE 3"}).replace(b"HERE", f"Bearer {quoted}".encode())
    with scripting(lambda *_: (200, {}, data)) as server:
        run(server, tmp_path / "run", "--limit", 1)
    assert outcomes(tmp_path / "run") == [Said("Bearer [key] 3")]


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


@pytest.mark.parametrize("form", ["data:image/png;base64,", "\n"])
def test_base64_in_an_odd_form_is_read(form: str, tmp_path: Path) -> None:
    text = encoded()
    written = form + text if form.startswith("data:") else "\n".join([text[:40], text[40:]])
    with scripting(lambda *_: images({"b64_json": written})) as server:
        how = ["--repeats", 1, "--limit", 1, "--judge", "none"]
        assert run(server, tmp_path / "run", *how, suite=PRODUCTION)[0] == 0


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


@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://[bad", "ftp://x/y.png", "http://127.0.0.1:9/x.png"])
def test_an_image_at_no_web_address_is_a_failed_trial(url: str, tmp_path: Path) -> None:
    with scripting(lambda *_: images({"url": url})) as server:
        how = ["--repeats", 1, "--limit", 1, "--judge", "none", "--tries", 1]
        code, told = run(server, tmp_path / "run", *how, suite=PRODUCTION)
    assert code == 2
    assert "could not be fetched" in told or "no image" in told
    (outcome,) = outcomes(tmp_path / "run")
    assert isinstance(outcome, Failed)


def test_a_redirect_takes_no_key_elsewhere(tmp_path: Path) -> None:
    with scripting(lambda *_: GOOD) as other:
        elsewhere = other.base_url.replace("127.0.0.1", "localhost") + "/chat/completions"
        with scripting(lambda *_: (307, {"Location": elsewhere}, b"")) as server:
            run(server, tmp_path / "run", "--limit", 1)
        assert all("authorization" not in headers for _, headers, _ in other.requests)


def test_more_calls_at_once_are_made_where_the_command_line_says_so(tmp_path: Path) -> None:
    with serving(Behaviour(latency_seconds=0.3)) as server:
        spec = f"openai:test-model,base_url={server.base_url}"
        assert call("run", NAMING, "--repeats", 6, "--model", spec, "--out", tmp_path, "--concurrency", 50).code == 0
        assert server.counters().most_at_once > 40
