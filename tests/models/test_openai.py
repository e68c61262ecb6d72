"""Models behind an OpenAI-compatible server, through the real command line against a real local server."""

import json
import math
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.records import Drawn, Failed, Refused, Said
from subitize.registry import make_model
from subitize.store import Folder, Run, StoredResponse
from subitize.store.rows import read_usages
from tests.cases import Case
from tests.commands import Finished, call, start, subitize
from tests.models.openai_server import Behaviour, Fault, Server, serving

KEY = "sk-test-0123456789abcdef"
NAMING = "naming:images=1,size_px=128,categories=apples+dots,wordings=category,control_question=false"
PRODUCTION = "production:categories=apples,numbers=1-3"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def server(shared: Server) -> Server:
    shared.behave(Behaviour())
    return shared


def run(server: Server, out: Path, *more: object, model: str = "test-model", suite: str = NAMING) -> Finished:
    spec = f"openai:{model},base_url={server.base_url}" if "base_url" not in model else f"openai:{model}"
    return call("run", suite, "--model", spec, "--out", out, "--no-sight-check", *more)


def draw(server: Server, out: Path, *more: object, options: str = "") -> Finished:
    model = f"test-image-model,base_url={server.base_url}{options}"
    return run(server, out, "--judge", "none", *more, model=model, suite=PRODUCTION)


def stored(out: Path) -> list[StoredResponse]:
    with Run(Folder(out)) as opened:
        return list(opened.responses())


def outcomes(out: Path) -> list[object]:
    return [one.response.outcome for one in stored(out)]


def count_unsettled(out: Path) -> int:
    """Count over all rows: a trial may have run out of tries before it was answered."""
    with Run(Folder(out)) as opened:
        usages = read_usages(opened).values()
        return sum(json.loads(usage)["unsettled_tries"] * count for one in usages for usage, count in one.items())


def test_a_chat_sends_the_question_as_it_stands_the_picture_and_the_trial_as_key(
    server: Server, tmp_path: Path
) -> None:
    assert run(server, tmp_path / "run", "--limit", 1, model="test-model").code == 0
    (one,) = stored(tmp_path / "run")
    sent = server.requests()[-1]
    (message,) = sent["body"]["messages"]
    image, text = message["content"]
    assert text == {"type": "text", "text": one.response.provenance.prompt_sent}
    assert image["type"] == "image_url"
    assert sent["headers"]["idempotency-key"].partition("-")[0] == one.trial_id
    assert sent["headers"]["authorization"] == f"Bearer {KEY}"
    assert set(sent["body"]) == {"model", "messages"}, "what has no value is not sent"


def test_a_chat_keeps_what_the_server_tells(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(text="I see 3."))
    options = ",temperature=0.5,max_tokens=9,logprobs=2,system=Be brief.,detail=low,sends_seed=true"
    model = f"test-model,base_url={server.base_url}{options}"
    assert run(server, tmp_path / "run", "--limit", 1, model=model).code == 0
    (one,) = stored(tmp_path / "run")
    outcome, how = one.response.outcome, one.response.provenance
    assert isinstance(outcome, Said)
    assert outcome.text == "I see 3."
    assert "".join(token.text for token in outcome.tokens) == "I see 3."
    assert all(token.logprob <= 0 and len(token.others) == 2 for token in outcome.tokens)
    assert how.revision is not None
    assert how.revision.startswith("test-model-2026-01-01")
    assert how.tokens_out == 2
    assert how.parameters == {
        "base_url": server.base_url,
        "temperature": 0.5,
        "max_tokens": 9,
        "logprobs": True,
        "top_logprobs": 2,
        "system": "Be brief.",
        "detail": "low",
        "sends_seed": True,
    }
    body = server.requests()[-1]["body"]
    assert body["seed"] == how.seed
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}


def test_an_answer_cut_short_says_so(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(text="There are many things to be seen here, namely 3."))
    model = f"test-model,base_url={server.base_url},max_tokens=2"
    assert run(server, tmp_path / "run", "--limit", 1, "--judge", "none", model=model).code == 0
    (one,) = stored(tmp_path / "run")
    assert one.response.provenance.parameters["finish"] == "length"


@pytest.mark.parametrize("form", ["b64_json", "url"])
def test_drawings_are_kept_with_the_prompt_as_the_provider_rewrote_it(
    form: str, server: Server, tmp_path: Path
) -> None:
    server.behave(Behaviour(image_format="url" if form == "url" else "b64_json", revises_prompts=True))
    assert draw(server, tmp_path / "run", "--repeats", 1, options=",size=256x256,quality=low").code == 0
    responses = [one.response for one in stored(tmp_path / "run")]
    assert all(isinstance(response.outcome, Drawn) for response in responses)
    assert {response.provenance.prompt_sent for response in responses}.isdisjoint(
        {response.provenance.prompt_rewritten for response in responses}
    )
    assert all(response.provenance.prompt_rewritten for response in responses)
    assert all(response.provenance.parameters["size"] == "256x256" for response in responses)


def test_the_key_does_not_go_to_where_an_image_is_kept(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(image_format="url"))
    assert draw(server, tmp_path / "run", "--limit", 1, "--repeats", 1).code == 0
    fetched = [one for one in server.requests() if one["method"] == "GET" and one["path"].startswith("/images/")]
    assert fetched
    assert all("authorization" not in one["headers"] for one in fetched)


def test_several_pictures_of_a_prompt_come_in_one_call(server: Server, tmp_path: Path) -> None:
    before = server.counters()
    assert draw(server, tmp_path / "run", "--repeats", 5, options=",n=4,size=64x64").code == 0
    after = server.counters()
    assert len(stored(tmp_path / "run")) == 15
    assert after.received - before.received == 6
    assert after.images_made - before.images_made == 15
    hashes = [outcome.picture for outcome in outcomes(tmp_path / "run") if isinstance(outcome, Drawn)]
    assert len(set(hashes)) == 15, "each trial has a picture of its own"


EVERYTHING = (
    "busy", "error_500", "error_502", "error_503", "dropped_before", "malformed_json", "wrong_shape", "dropped_during",
    "dropped_after",
)  # fmt: skip


def failing(*kinds: str, share: float = 0.3) -> Behaviour:
    faults = tuple(Fault(kind, probability=share / len(kinds)) for kind in kinds)
    return Behaviour(answer="count-hash", faults=faults, retry_after_seconds=0.02)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less between tries: the waits are tested elsewhere."""
    monkeypatch.setattr("subitize.evaluate.driving._FIRST_WAIT_SECONDS", 0.01)


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_with_30_percent_of_the_chats_failing_every_trial_is_answered(server: Server, tmp_path: Path) -> None:
    server.behave(failing(*EVERYTHING))
    before = server.counters()
    finished = run(server, tmp_path / "run", "--repeats", 7)
    after = server.counters()
    assert finished.code == 0, finished.err
    assert len(stored(tmp_path / "run")) == 140
    assert all(isinstance(outcome, Said) for outcome in outcomes(tmp_path / "run"))
    kinds = {kind for kind in after.by_fault if after.by_fault[kind] > before.by_fault.get(kind, 0)}
    assert kinds >= set(EVERYTHING)
    lost = sum(after.by_fault[kind] - before.by_fault.get(kind, 0) for kind in ("dropped_during", "dropped_after"))
    assert after.completed - before.completed == 140 + lost
    unsettled = count_unsettled(tmp_path / "run")
    assert unsettled >= lost
    assert f"{unsettled} tries cut short that may have been paid for" in finished.out


@pytest.mark.usefixtures("hurried")
def test_with_30_percent_of_the_drawings_failing_every_trial_is_drawn(server: Server, tmp_path: Path) -> None:
    kinds = [*EVERYTHING, "truncated_base64", "truncated_image", "not_an_image", "empty_image"]
    server.behave(failing(*kinds))
    finished = draw(server, tmp_path / "run", "--repeats", 20, options=",size=64x64,n=2")
    assert finished.code == 0, finished.err
    assert len(stored(tmp_path / "run")) == 60
    assert all(isinstance(outcome, Drawn) for outcome in outcomes(tmp_path / "run"))


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_a_time_out_is_tried_again_and_counted_as_perhaps_paid(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(faults=(Fault("slow", calls=(0, 1)),), slow_seconds=60))
    model = f"test-model,base_url={server.base_url},timeout_seconds=0.5"
    finished = run(server, tmp_path / "run", "--limit", 2, model=model)
    assert finished.code == 0, finished.err
    assert count_unsettled(tmp_path / "run") == 2
    assert "2 tries cut short that may have been paid for" in finished.out


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("kind", ["truncated_base64", "truncated_image", "not_an_image", "empty_image"])
def test_an_image_that_is_none_is_a_failure_and_never_a_picture(kind: str, server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(faults=(Fault(kind, probability=1.0),)))
    finished = draw(server, tmp_path / "run", "--limit", 1, "--repeats", 1)
    assert finished.code == 2
    assert "image" in finished.err
    (outcome,) = outcomes(tmp_path / "run")
    assert isinstance(outcome, Failed)
    assert not list((tmp_path / "run" / "images").glob("??/*"))


@pytest.mark.parametrize("suite", ["chat", "images"])
def test_a_content_filter_is_a_refusal_that_is_stored_and_final(suite: str, server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(faults=(Fault("content_filter", probability=1.0),)))
    for code in (1, 0):
        before = server.counters().received
        finished = (
            run(server, tmp_path / "run", "--limit", 3)
            if suite == "chat"
            else draw(server, tmp_path / "run", "--repeats", 1)
        )
        assert finished.code == code, finished.err
        calls = server.counters().received - before
    assert calls == 0, "nothing is asked again"
    assert [type(outcome) for outcome in outcomes(tmp_path / "run")] == [Refused] * 3


def test_a_refusal_in_the_message_is_stored_with_its_words(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(faults=(Fault("refusal", probability=1.0),)))
    finished = run(server, tmp_path / "run", "--limit", 1)
    (outcome,) = outcomes(tmp_path / "run")
    assert isinstance(outcome, Refused)
    assert finished.code == 1
    assert f"nothing was answered: 1 refused, most as: {outcome.reason}" in finished.err


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("behaviour", "options", "words"),
    [
        (Behaviour(key="sk-another"), "", ("OPENAI_API_KEY", "401")),
        (Behaviour(models=("other",)), "", ("test-model", "404", "check the name")),
        (Behaviour(faults=(Fault("quota", probability=1.0),)), "", ("no credit is left",)),
        (
            Behaviour(faults=(Fault("busy", probability=1.0),), retry_after_seconds=7200),
            "",
            ("asks to come again in 7,200 s", "the same command goes on"),
        ),
        (Behaviour(faults=(Fault("html", probability=1.0),)), "", ("HTML", "base_url")),
        (Behaviour(faults=(Fault("malformed_json", probability=1.0),)), "", ("no JSON", "base_url")),
        (Behaviour(rejected_parameters=("temperature",)), ",temperature=1", ("declined", "temperature")),
    ],
    ids=["key", "model", "quota", "long pause", "HTML", "no JSON", "declined"],
)
def test_what_cannot_work_ends_at_once_with_one_line_that_says_what_to_do(
    behaviour: Behaviour, options: str, words: tuple[str, ...], server: Server, tmp_path: Path
) -> None:
    server.behave(behaviour)
    before = server.counters().received
    finished = run(server, tmp_path / "run", model=f"test-model,base_url={server.base_url}{options}")
    assert finished.code == 2
    (line,) = [line for line in finished.err.splitlines() if line.startswith("subitize: ")]
    assert all(word in line for word in words), line
    assert KEY not in finished.err + finished.out
    assert server.counters().received - before <= 64, "two rounds of what may be under way at most"


@pytest.mark.usefixtures("hurried")
def test_a_server_that_is_not_there_is_named_with_the_remedy(tmp_path: Path) -> None:
    finished = call("run", NAMING, "--model", "openai:m,base_url=http://127.0.0.1:9/v1", "--out", tmp_path / "run")
    assert finished.code == 2
    assert "cannot reach http://127.0.0.1:9/v1: Connection refused; is the server running" in finished.err


WRONG_OPTIONS = {
    "openai:gpt-4o": "set the environment variable OPENAI_API_KEY",
    "openai:gpt-4o,key_variable=MY_KEY": "set the environment variable MY_KEY",
    "openai": "needs MODEL: write openai:MODEL",
    "openai:m,base_url=ftp://x": "should be like http://",
    "openai:m,base_url=localhost:8000": "should be like http://",
    "openai:m,base_url=http://[::1": "should be like http://",
    "openai:m,base_url=http://user:secret@host/v1": "a key is read from the environment only",
    "openai:m,base_url=http://host/v1?key=secret": "a key is read from the environment only",
    "openai:m,base_url=user:secret@host": "should be like http://",
    'openai:m,base_url=http://host/v1,extra={"top_p":NaN}': "should be a JSON object",
    "openai:m,base_url=http://host/v1,n=0": "n=0",
    "openai:m,base_url=http://host/v1,extra=[1]": "should be a JSON object",
    "openai:m,base_url=http://host/v1,concurrency=0": "concurrency=0",
    "openai:m,base_url=http://host/v1,requests_per_minute=-1": "requests_per_minute=-1",
    "openai:m,base_url=http://host/v1,temperature=hot": "should be a number",
}


def test_a_wrong_option_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for spec, words in WRONG_OPTIONS.items():
        with case(spec):
            finished = call("run", NAMING, "--model", spec, "--out", tmp_path / "run")
            assert finished.code == 2
            assert words in finished.err
            assert "secret" not in finished.err
            assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("hurried")
def test_the_key_is_in_no_file_no_message_and_no_answer(
    server: Server, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server.behave(
        Behaviour(echo_headers=True, faults=(Fault("error_500", probability=0.2), Fault("busy", probability=0.1)))
    )
    spec = f"openai:test-model,base_url={server.base_url}"
    finished = call("run", NAMING, "--model", spec, "--out", tmp_path / "run", "--tries", 2)
    server.behave(Behaviour(key="sk-right", echo_headers=True))
    refused = call("run", NAMING, "--model", spec, "--out", tmp_path / "run", "--repeats", 2)
    assert refused.code == 2
    told = finished.out + finished.err + refused.out + refused.err
    assert KEY not in told
    assert capfd.readouterr() == ("", "")
    for file in (tmp_path / "run").rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    texts = [outcome.text for outcome in outcomes(tmp_path / "run") if isinstance(outcome, Said)]
    assert any("[key]" in text for text in texts), "the server did quote the key"


def test_a_rate_limit_and_a_time_out_are_no_part_of_what_a_model_is(server: Server) -> None:
    plain = f"openai:test-model,base_url={server.base_url}"
    made = make_model(f"{plain},requests_per_minute=60,timeout_seconds=5,concurrency=3,key_variable=OTHER")
    assert made.spec == make_model(plain).spec
    assert make_model(f"{plain},temperature=0").spec != make_model(plain).spec


@pytest.mark.slow
def test_a_limited_server_is_paced_from_this_side(server: Server, tmp_path: Path) -> None:
    # On a busy machine the server may not get to what was sent in a second, and then takes it for a burst.
    server.behave(Behaviour(requests_per_second=30, burst=16))
    before, start_at = server.counters(), time.monotonic()
    model = f"test-model,base_url={server.base_url},requests_per_minute=900"
    assert run(server, tmp_path / "run", model=model).code == 0
    assert time.monotonic() - start_at >= 1.2, "20 calls, one every fifteenth of a second"
    after = server.counters()
    assert after.completed - before.completed == 20
    assert after.received == before.received + 20, "none is sent away, where 20 at once would be"


@pytest.mark.slow
def test_a_server_that_says_later_is_obeyed_by_all_calls(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(faults=(Fault("busy", calls=(0,)),), retry_after_seconds=0.3, latency_seconds=0.01))
    start_at = time.monotonic()
    assert run(server, tmp_path / "run", "--limit", 2, "--concurrency", 1).code == 0
    assert time.monotonic() - start_at >= 0.3
    assert [one.response.tries for one in stored(tmp_path / "run")] == [1, 1], "being sent away is no try"


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_after_a_kill_no_committed_answer_is_asked_for_again(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(latency_seconds=0.05))
    out, concurrency, trials = tmp_path / "run", 8, 100
    spec = f"openai:test-model,base_url={server.base_url}"
    command = [
        "run",
        NAMING,
        "--model",
        spec,
        "--out",
        out,
        "--no-sight-check",
        "--repeats",
        5,
        "--concurrency",
        concurrency,
    ]
    before = server.counters()
    process = start(*command)
    while committed(out) < 40:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.communicate()
    keys = {one.trial_id for one in stored(out)}
    in_the_middle = server.counters()
    assert subitize(*command).code == 0
    after = server.counters()
    assert len(stored(out)) == trials
    assert after.completed - before.completed - trials <= concurrency, "at most those under way"
    asked = server.requests()[-(after.received - in_the_middle.received) :]
    assert keys.isdisjoint(one["headers"]["idempotency-key"].partition("-")[0] for one in asked)


def committed(out: Path) -> int:
    if not (out / "run.sqlite").exists():
        return 0
    connection = sqlite3.connect(f"file:{out / 'run.sqlite'}?mode=ro", uri=True)
    try:
        (count,) = connection.execute("SELECT count(*) FROM responses").fetchone()
        return int(count)
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


PRICES = """
[[price]]
host = "127.0.0.1"
models = ["test-model"]
as_of = 2026-11-01
source = "made up"
[price.chat_usd_per_million]
input = 2.5
output = 10.0

[[price]]
host = "127.0.0.1"
models = ["test-image-model"]
as_of = 2026-11-01
source = "made up"
[price.usd_per_image.medium]
64x64 = 0.04
"""
SOLD = Behaviour(
    answer="count-hash", chat_usd_per_million=(2.5, 10.0), image_usd=(("64x64", "medium", 0.04),), latency_seconds=0.01
)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    file = tmp_path / "prices.toml"
    file.write_text(PRICES)
    return file


@pytest.mark.parametrize("is_drawing", [False, True], ids=["chats", "images"])
def test_the_estimate_is_within_a_tenth_of_the_bill_and_nothing_is_made_for_it(
    is_drawing: bool, server: Server, tmp_path: Path, prices: Path
) -> None:
    server.behave(SOLD)
    out, how = tmp_path / "run", ["--prices", prices, "--repeats", 3]

    def go(*more: str) -> Finished:
        return (
            draw(server, out, *how, *more, options=",size=64x64,n=2") if is_drawing else run(server, out, *how, *more)
        )

    before = server.counters()
    (told,) = json.loads(go("--dry-run", "--json").out)
    expected = told["expenses"][0]
    assert server.counters().received == before.received
    assert not out.exists()
    assert (told["trials"], told["done"]) == ((9, 0) if is_drawing else (60, 0))
    assert go().code == 0
    after = server.counters()
    assert expected["calls"] == after.received - before.received
    assert expected["usd"] == pytest.approx(after.billed_usd - before.billed_usd, rel=0.1)
    paid = sum(one.response.provenance.price_usd or math.nan for one in stored(out))
    assert paid == pytest.approx(after.billed_usd - before.billed_usd, rel=1e-9)
    (told,) = json.loads(go("--dry-run", "--json").out)
    assert (told["done"], told["expenses"][0]["calls"]) == (told["trials"], 0)


@pytest.mark.slow
def test_a_limit_of_cost_is_kept_and_counts_what_was_spent_before(server: Server, tmp_path: Path, prices: Path) -> None:
    server.behave(SOLD)
    before = server.counters().billed_usd
    limit = 0.0007 * 30  # half of it
    how = ["--repeats", 3, "--prices", prices, "--max-cost", limit]
    finished = run(server, tmp_path / "run", *how)
    billed = server.counters().billed_usd - before
    assert finished.code == 2
    assert f"stopped at --max-cost {limit:g}" in finished.err
    assert 0.9 * limit <= billed <= limit
    again = run(server, tmp_path / "run", *how)
    assert again.code == 2
    assert server.counters().billed_usd - before <= limit, "the same command spends no second time"
    assert run(server, tmp_path / "run", "--repeats", 3, "--prices", prices, "--max-cost", 9).code == 0
    assert len(stored(tmp_path / "run")) == 60


def test_a_limit_without_a_price_is_refused_before_there_is_a_run(server: Server, tmp_path: Path) -> None:
    finished = run(server, tmp_path / "run", "--max-cost", 1)
    assert finished.code == 2
    assert "--max-cost needs the price of" in finished.err
    assert "--prices FILE" in finished.err
    assert not (tmp_path / "run").exists()


def test_a_limit_that_is_no_sum_is_refused(server: Server, tmp_path: Path, prices: Path, case: Case) -> None:
    for limit in ("0", "-1", "nan", "inf"):
        with case(limit):
            finished = run(server, tmp_path / "run", "--prices", prices, "--max-cost", limit)
            assert finished.code == 2
            assert "should be a sum in US dollars above 0" in finished.err
            assert not (tmp_path / "run").exists()


def test_a_limit_is_kept_within_the_calls_in_flight_though_answers_are_lost(
    server: Server, tmp_path: Path, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.evaluate.driving._FIRST_WAIT_SECONDS", 0.01)
    server.behave(replace(SOLD, faults=(Fault("dropped_after", probability=0.4),)))
    before = server.counters()
    how = ["--repeats", 10, "--prices", prices, "--max-cost", 0.03, "--concurrency", 8]
    assert run(server, tmp_path / "run", *how).code == 2
    after = server.counters()
    each = (after.billed_usd - before.billed_usd) / (after.completed - before.completed)
    assert 0.02 <= after.billed_usd - before.billed_usd <= 0.03 + 8 * each


def test_another_seed_is_another_call_though_its_trials_have_the_same_names(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(answer="count-hash", honours_keys=True))
    before = server.counters().completed
    for seed in (1, 2):
        assert run(server, tmp_path / str(seed), "--seed", seed, "--limit", 3).code == 0
    assert server.counters().completed - before == 6


def test_what_a_run_costs_is_told_without_a_key_and_a_key_is_wanted_only_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    command = ["run", NAMING, "--model", "openai:gpt-4o", "--out", tmp_path / "run"]
    told = call(*command, "--dry-run")
    assert told.code == 0
    assert "expected: US$ 0.0" in told.out
    refused = call(*command)
    assert refused.code == 2
    assert "set the environment variable OPENAI_API_KEY" in refused.err
    assert not (tmp_path / "run").exists()


def test_a_judge_is_estimated_by_the_pictures_it_will_see(server: Server, tmp_path: Path, prices: Path) -> None:
    server.behave(SOLD)
    judge = f"vlm:openai:test-model,base_url={server.base_url}"
    out = tmp_path / "run"
    assert (
        call("run", PRODUCTION, "--repeats", 2, "--model", "painter:size_px=256", "--judge", "none", "--out", out).code
        == 0
    )
    told = call("judge", out, "--judge", judge, "--prices", prices, "--dry-run").out
    expected = float(told.partition("expected: US$ ")[2].split()[0])
    before = server.counters().billed_usd
    assert call("judge", out, "--judge", judge, "--prices", prices).code == 0
    assert expected == pytest.approx(server.counters().billed_usd - before, rel=0.1)


def test_calls_go_through_the_proxy_that_the_environment_names(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.base_url.removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "other.invalid")
    run(server, tmp_path / "run", "--limit", 1, model="test-model,base_url=http://model.invalid/v1")
    assert server.requests()[-1]["path"] == "http://model.invalid/v1/chat/completions"
