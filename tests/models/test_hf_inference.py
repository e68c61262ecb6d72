"""Models behind Hugging Face's client: what is sent, what comes of answers and errors, and that no key is told."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from subitize.errors import BadValueError, MissingPartError, SubitizeError, UnusableModelError
from subitize.interfaces import Pixels, Reply, Request, TransientError
from subitize.io.images import decode
from subitize.models.hf_inference import HfInference
from subitize.records import Answer, Draw, Drawn, Failed, Picture, Refused, Said, Stimulus, Task
from subitize.registry import make_model, make_suite
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.commands import call
from tests.models.hf_server import serving_images
from tests.models.openai_server import Behaviour, Fault, Server, serving
from tests.models.scripted_server import scripting
from tests.runs import run_suite

pytestmark = pytest.mark.hub

KEY = "hf_oq8rTestKeyThatNobodyMaySee"
QUESTION = Answer(Stimulus("apples", 3, seed=1, size_px=128), "How many apples are there?")
PROMPT = Draw("three apples, on a table")


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", KEY)
    monkeypatch.setattr("subitize.evaluate.driving._FIRST_WAIT_SECONDS", 0.01)


@pytest.fixture(scope="module")
def chat_server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def chat(chat_server: Server) -> Server:
    chat_server.behave(Behaviour())
    return chat_server


def ask(model: object, *tasks: Task) -> Reply:
    """Put tasks one after the other, and give the last reply."""
    assert isinstance(model, HfInference)

    async def put() -> Reply:
        async with model.opened():
            for task in tasks:
                reply = await model.respond(Request("i", task, 0, 0, 4_000_000_007, load, "t"))
        return reply

    return asyncio.run(put())


def load(picture: Picture) -> bytes:
    assert isinstance(picture, Stimulus)
    return render(picture).png


def chat_model(server: Server, **options: object) -> HfInference:
    return HfInference("test-model", base_url=server.base_url, **options)  # type: ignore[arg-type]


def error_of(model: HfInference, *tasks: Task) -> TransientError:
    with pytest.raises(TransientError) as caught:
        ask(model, *tasks)
    assert caught.value.__cause__ is None
    return caught.value


def test_a_question_is_answered_with_all_that_the_server_tells(chat: Server) -> None:
    chat.behave(Behaviour(text="There are three apples.", seed=5))
    model = chat_model(chat, temperature=0.5, max_tokens=20, system="Be brief.", logprobs=2, extra='{"top_p": 0.9}')
    reply = ask(model, QUESTION)
    assert isinstance(reply.content, Said)
    assert reply.content.text == "There are three apples."
    assert [token.text for token in reply.content.tokens][:2] == ["Ther", "e ar"]
    assert set(reply.content.tokens[0].others) == {"Ther", "0"}
    told = reply.provenance
    assert told.revision == "test-model-2026-01-01 fp_0000000005"
    assert (told.tokens_in, told.tokens_out) == (264, 6)
    assert reply.usage is not None
    assert (reply.usage.tokens_in, reply.usage.tokens_out) == (264, 6)
    assert reply.seconds is not None
    assert set(told.versions) == {"subitize", "huggingface_hub"}
    assert told.parameters == {
        "base_url": chat.base_url,
        "temperature": 0.5,
        "max_tokens": 20,
        "system": "Be brief.",
        "logprobs": True,
        "top_logprobs": 2,
        "top_p": 0.9,
        "sends_seed": True,
    }


def test_a_question_is_sent_with_its_picture_its_seed_and_the_key(chat: Server) -> None:
    ask(chat_model(chat, temperature=0.5, system="Be brief."), QUESTION)
    sent = chat.requests()[-1]
    assert sent["path"] == "/v1/chat/completions"
    assert sent["headers"]["authorization"] == f"Bearer {KEY}"
    assert (sent["body"]["model"], sent["body"]["seed"], sent["body"]["temperature"]) == (
        "test-model",
        4_000_000_007,
        0.5,
    )
    system, asked = sent["body"]["messages"]
    assert system == {"role": "system", "content": "Be brief."}
    assert asked["content"][1] == {"type": "text", "text": QUESTION.question}
    assert asked["content"][0]["image_url"]["url"]["length"] == len(load(QUESTION.picture))
    assert "max_tokens" not in sent["body"]


def test_a_picture_is_drawn_as_asked_for_and_kept_as_it_was_sent() -> None:
    with serving_images() as server:
        model = HfInference(
            f"{server.url}/models/test",
            size="96x64",
            steps=4,
            guidance=3.5,
            negative_prompt="blurry",
            extra='{"scheduler": "Euler"}',
        )
        reply = ask(model, PROMPT)
    (sent,) = server.requests
    assert sent["path"] == "/models/test"
    assert sent["body"]["inputs"] == PROMPT.prompt
    assert sent["body"]["parameters"] == {
        "width": 96,
        "height": 64,
        "num_inference_steps": 4,
        "guidance_scale": 3.5,
        "negative_prompt": "blurry",
        "scheduler": "Euler",
        "seed": 4_000_000_007,
    }
    assert reply.content == Pixels(server.drawn[0])
    told = {**sent["body"]["parameters"], "base_url": f"{server.url}/models/test", "sends_seed": True}
    del told["seed"]
    assert reply.provenance.parameters == told
    assert reply.provenance.seed == 4_000_000_007
    assert reply.usage is not None
    assert (reply.usage.pictures, reply.usage.size) == (1, "96x64")


def test_a_seed_is_kept_back_where_a_server_wants_none() -> None:
    with serving_images() as server:
        reply = ask(HfInference("test", base_url=server.url, sends_seed=False), PROMPT)
    assert "seed" not in server.requests[0]["body"].get("parameters", {})
    assert "sends_seed" not in reply.provenance.parameters


def test_an_address_may_be_the_target_of_a_spec(chat: Server) -> None:
    made = make_model(f"hf-inference:{chat.base_url},timeout_seconds=5,temperature=0")
    assert "timeout_seconds" not in made.spec.text
    chat.behave(Behaviour(models=("dummy",)))
    assert isinstance(ask(made.obj, QUESTION).content, Said)
    assert chat.requests()[-1]["body"]["model"] == "dummy"  # what the client sends where no name is given


def test_without_a_key_in_the_environment_none_is_sent_even_if_one_is_saved(
    chat: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "token"
    saved.write_text("hf_saved", encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(saved))
    monkeypatch.delenv("HF_TOKEN")
    ask(chat_model(chat), QUESTION)
    with serving_images() as server:
        ask(HfInference(server.url), PROMPT)
    assert "authorization" not in chat.requests()[-1]["headers"]
    assert "authorization" not in server.requests[0]["headers"]


def test_the_key_may_be_in_another_variable(chat: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "mine")
    ask(chat_model(chat, key_variable="MY_KEY"), QUESTION)
    assert chat.requests()[-1]["headers"]["authorization"] == "Bearer mine"


@pytest.mark.parametrize(
    ("kind", "is_busy", "is_unsettled", "wait_seconds", "words"),
    [
        ("loading", True, False, 0.05, "currently loading"),
        ("busy", True, False, 0.05, "Rate limit reached"),
        ("error_500", False, False, None, "CUDA out of memory"),
        ("error_504", False, True, None, "answered 504"),
        ("dropped", False, True, None, "connection broke"),
        ("slow", False, True, None, "no answer within 0.5 s; timeout_seconds=… waits longer"),
        ("truncated", False, True, None, "truncated or damaged"),
        ("empty", False, True, None, "no image"),
        ("json", False, True, None, "no image"),
        ("html", False, True, None, "no image"),
    ],
)
def test_a_failed_drawing_may_be_tried_again_and_is_never_an_image(
    kind: str, is_busy: bool, is_unsettled: bool, wait_seconds: float | None, words: str
) -> None:
    with serving_images(plan=(kind,)) as server:
        patience = 0.5 if kind == "slow" else 30.0  # a busy machine is no slow server
        error = error_of(HfInference("test", base_url=server.url, timeout_seconds=patience), PROMPT)
        assert len(server.requests) == 1  # the client itself tries nothing again
    assert (error.is_busy, error.is_unsettled, error.retry_after_seconds) == (is_busy, is_unsettled, wait_seconds)
    assert words in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("kind", "is_busy", "is_unsettled", "words"),
    [
        ("busy", True, False, "Rate limit reached"),
        ("error_503", False, False, "answered 503"),
        ("dropped_before", False, True, "connection broke"),
        ("dropped_during", False, True, "connection broke"),
        ("slow", False, True, "no answer within"),
        ("malformed_json", False, True, "cannot be read"),
        ("html", False, True, "cannot be read"),
        ("wrong_shape", False, True, "has no message"),
    ],
)
def test_a_failed_answer_may_be_tried_again(
    chat: Server, kind: str, is_busy: bool, is_unsettled: bool, words: str
) -> None:
    chat.behave(Behaviour(faults=(Fault(kind, calls=(0,)),), retry_after_seconds=7))
    received = chat.counters().received
    error = error_of(chat_model(chat, timeout_seconds=0.5 if kind == "slow" else 30.0), QUESTION)
    assert (error.is_busy, error.is_unsettled) == (is_busy, is_unsettled)
    assert error.retry_after_seconds == (7 if is_busy else None)
    assert words in str(error)
    assert chat.counters().received == received + 1


def test_a_server_that_is_not_there_may_come() -> None:
    error = error_of(HfInference("test", base_url="http://127.0.0.1:9/v1"), QUESTION)
    assert not error.is_unsettled
    assert str(error).startswith("cannot reach http://127.0.0.1:9/v1: ConnectError")
    assert str(error).endswith("is the server running, and base_url right?")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("forbidden", "does not accept the key in HF_TOKEN (status 403)"),
        ("no_credit", "no credit is left at"),
        ("unknown", "has no such model or address (404: Model test does not exist); check the name and base_url"),
        ("unsupported", "has no such model or address (400: Not supported by any provider)"),
    ],
)
def test_what_no_trying_mends_ends_the_run_with_a_line(kind: str, words: str) -> None:
    with serving_images(plan=(kind,)) as server, pytest.raises(UnusableModelError) as caught:
        ask(HfInference("test", base_url=server.url), PROMPT)
    assert words in str(caught.value)


@pytest.mark.parametrize("kind", ["html", "invalid"])
def test_a_server_that_never_gives_an_answer_is_given_up(kind: str) -> None:
    with serving_images(shares={kind: 1.0}) as server:
        model = HfInference("test", base_url=server.url, concurrency=2)
        for _ in range(2):
            try:
                assert isinstance(ask(model, PROMPT).content, Failed)
            except TransientError:
                continue
        with pytest.raises(UnusableModelError, match=r"no image|multiple of 8"):
            ask(model, PROMPT)


def test_a_request_that_is_wrong_fails_alone_and_may_be_asked_again() -> None:
    with serving_images(plan=("", "invalid")) as server:
        reply = ask(HfInference("test", base_url=server.url), PROMPT, PROMPT)
    assert isinstance(reply.content, Failed)
    assert reply.content.is_transient
    assert "`width` must be a multiple of 8" in reply.content.reason


@pytest.mark.parametrize("kind", ["filtered", "filtered_in_words"])
def test_a_drawing_that_is_not_allowed_is_refused(kind: str) -> None:
    with serving_images(plan=(kind,)) as server:
        assert isinstance(ask(HfInference("test", base_url=server.url), PROMPT).content, Refused)


@pytest.mark.parametrize("kind", ["content_filter", "refusal"])
def test_an_answer_that_is_not_given_is_refused(chat: Server, kind: str) -> None:
    chat.behave(Behaviour(faults=(Fault(kind, calls=(0,)),), text="I cannot help with that."))
    reply = ask(chat_model(chat), QUESTION)
    words = "content filter" if kind == "content_filter" else "I cannot help with that."
    assert reply.content == Refused(words)


def test_the_key_is_in_nothing_that_comes_back(chat: Server) -> None:
    chat.behave(Behaviour(echo_headers=True))
    reply = ask(chat_model(chat), QUESTION)
    assert isinstance(reply.content, Said)
    assert "[authorization: Bearer [key]]" in reply.content.text
    chat.behave(Behaviour(echo_headers=True, rejected_parameters=("seed",), faults=()))
    assert KEY not in repr(ask(chat_model(chat), QUESTION))
    with serving_images(plan=("error_500", "", "invalid", "filtered"), echoes_key=True) as server:
        model = HfInference("test", base_url=server.url)
        assert KEY not in str(error_of(model, PROMPT))
        for _ in range(3):
            assert KEY not in repr(ask(model, PROMPT))
        assert KEY.encode() in server.drawn[0]


def test_a_wrong_key_is_not_quoted() -> None:
    with serving_images(key="right") as server, pytest.raises(UnusableModelError) as caught:
        ask(HfInference("test", base_url=server.url), PROMPT)
    assert str(caught.value) == f"{server.url} does not accept the key in HF_TOKEN (status 401)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": "large"}, "size='large': should be width and height, as in size=1024x768"),
        ({"extra": "[]"}, "extra should be a JSON object"),
        ({"base_url": "localhost:8000"}, "base_url='localhost:8000': should be like http://localhost:8000/v1"),
        ({"base_url": "http://me:secret@host"}, "base_url must hold neither a password"),
        (
            {"base_url": "http://host", "provider": "together"},
            "provider=together: no provider is asked, but http://host",
        ),
        ({"concurrency": 101}, "concurrency=101: huggingface_hub makes 100 calls at most"),
        ({"timeout_seconds": 0.0}, "timeout_seconds=0: should be more than 0"),
        ({"key_variable": "NO_SUCH_KEY"}, "hf-inference:a/b needs a key: set the environment variable NO_SUCH_KEY"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "+".join(value),
)
def test_an_option_that_cannot_be_used_is_named(options: dict[str, object], words: str) -> None:
    with pytest.raises(BadValueError) as caught:
        HfInference("a/b", **options).check()  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_without_its_part_the_model_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingPartError) as caught:
        make_model("hf-inference:a/b")
    assert str(caught.value) == "model 'hf-inference:a/b' needs huggingface_hub; run: pip install 'subitize[hub]'"


LISTED = {
    "a/served-in-words": {
        "inferenceProviderMapping": {"together": {"status": "live", "providerId": "x", "task": "conversational"}}
    },
    "a/served-by-none": {"inferenceProviderMapping": {}},
}


@pytest.mark.parametrize(
    ("model", "provider", "words"),
    [
        ("a/unlisted", "together", "the hub shows no model 'a/unlisted' to the key in HF_TOKEN"),
        ("a/served-in-words", "together", "cannot ask provider=together for a/served-in-words: ValueError: Model"),
        ("a/served-in-words", "fal-ai", "is not supported by provider fal-ai"),
        ("a/served-by-none", None, "huggingface_hub cannot ask any provider for a/served-by-none"),
        ("a/b", "nobody", "Provider 'nobody' not supported"),
    ],
)
def test_a_provider_that_cannot_be_asked_is_told_in_a_line(
    model: str, provider: str | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_images(listed=LISTED) as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        with pytest.raises(UnusableModelError) as caught:
            ask(HfInference(model, provider=provider), PROMPT)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert hub.requests == []


def test_a_provider_is_asked_by_its_own_name_for_the_model(chat: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {
        "a/talks": {"together": {"status": "live", "providerId": "test-model", "task": "conversational"}},
        "a/draws": {"nscale": {"status": "live", "providerId": "test-image-model", "task": "text-to-image"}},
    }
    monkeypatch.setattr("huggingface_hub.constants.INFERENCE_PROXY_TEMPLATE", chat.base_url.removesuffix("/v1"))
    with serving_images(listed={name: {"inferenceProviderMapping": served} for name, served in listed.items()}) as hub:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
        answered = ask(HfInference("a/talks", provider="together"), QUESTION)
        drawn = ask(HfInference("a/draws", size="128x64"), PROMPT)  # the first provider that the hub lists
    assert answered.content == Said("There are 3.")
    assert answered.provenance.parameters == {"provider": "together", "sends_seed": True}
    assert isinstance(drawn.content, Pixels)
    assert decode(drawn.content.data).shape == (64, 128, 3)
    talked, drew = chat.requests()[-2:]
    assert (talked["path"], talked["body"]["model"]) == ("/v1/chat/completions", "test-model")
    assert (drew["path"], drew["body"]["model"]) == ("/v1/images/generations", "test-image-model")
    assert talked["body"]["seed"] == drew["body"]["seed"] == 4_000_000_007


def test_a_hub_out_of_reach_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(UnusableModelError, match=r"^cannot reach Hugging Face \(ConnectError: .*\); mend the network"):
        ask(HfInference("a/out-of-reach", provider="together"), PROMPT)


def test_a_client_that_is_told_to_stay_offline_says_so(chat: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UnusableModelError, match="unset the environment variable HF_HUB_OFFLINE"):
        ask(chat_model(chat), QUESTION)


def test_an_address_is_asked_without_a_word_to_the_hub(chat: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    assert isinstance(ask(chat_model(chat), QUESTION).content, Said)
    with serving_images() as server:
        assert isinstance(ask(HfInference(server.url), PROMPT).content, Pixels)


def test_a_price_is_looked_up_by_server_model_and_provider() -> None:
    asked = HfInference("a/b", provider="together")
    assert (asked.base_url, asked.served_name) == ("https://router.huggingface.co", "a/b:together")
    placed = HfInference("a/b", base_url="http://localhost:8000/v1/", size="512x512")
    assert (placed.base_url, placed.served_name) == ("http://localhost:8000/v1", "a/b")
    assert (placed.expect(PROMPT).pictures, placed.expect(PROMPT).size) == (1, "512x512")
    assert placed.expect(QUESTION).tokens_in == 7


NAMING = "naming:images=4,numbers=1-5,categories=apples+dots,wordings=category,control_question=false,size_px=128"
PRODUCTION = "production:numbers=1-10,categories=apples+dots"


def run(folder: Path, suite: str, model: str, repeats: int = 1) -> Run:
    opened = Run(Folder(folder), create=True)
    summary = run_suite(opened, make_suite(suite), make_model(model), repeats=repeats)
    assert (summary.failed, summary.answered) == (0, len(list(opened.responses())))
    return opened


def test_every_question_is_answered_though_three_in_ten_calls_fail(chat: Server, tmp_path: Path) -> None:
    kinds = ("busy", "error_500", "error_502", "dropped_before", "dropped_during", "malformed_json", "wrong_shape")
    faults = tuple(Fault(kind, 0.3 / len(kinds)) for kind in kinds)
    chat.behave(Behaviour(faults=faults, answer="count-hash", retry_after_seconds=0.05, echo_headers=True))
    before = chat.counters()
    done = run(tmp_path / "run", NAMING, f"hf-inference:test-model,base_url={chat.base_url},concurrency=16")
    after = chat.counters()
    assert sum(after.by_fault.values()) - sum(before.by_fault.values()) >= 10
    assert len(list(done.responses())) == 40
    assert all(isinstance(stored.response.outcome, Said) for stored in done.responses())
    assert not any(KEY.encode() in file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file())


def test_every_picture_is_drawn_though_three_in_ten_calls_fail(tmp_path: Path) -> None:
    kinds = ("loading", "busy", "error_500", "error_504", "dropped", "truncated", "empty", "json", "html")
    with serving_images(shares={kind: 0.3 / len(kinds) for kind in kinds}, echoes_key=True) as server:
        spec = f"hf-inference:test,base_url={server.url},concurrency=16,requests_per_minute=12000"
        done = run(tmp_path / "run", PRODUCTION, spec, repeats=2)
    outcomes = [stored.response.outcome for stored in done.responses()]
    assert len(outcomes) == 40
    assert all(isinstance(outcome, Drawn) for outcome in outcomes)
    assert sum(server.faults.values()) - server.faults[""] >= 10
    assert not any(KEY.encode() in file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hf-inference:nope,base_url={url}", "has no such model or address (404"),
        ("hf-inference:test-model,provider=nobody", "Provider 'nobody' not supported"),
        ("hf-inference:test-model,key_variable=NO_SUCH_KEY", "set the environment variable NO_SUCH_KEY"),
    ],
)
def test_a_command_with_a_wrong_model_ends_with_a_line_and_code_2(
    chat: Server, tmp_path: Path, spec: str, words: str
) -> None:
    model = spec.format(url=chat.base_url)
    done = call("run", NAMING, "--model", model, "--out", tmp_path / "run")
    assert (done.code, done.out) == (SubitizeError.exit_code, "")
    assert words in done.err
    assert KEY not in done.err


def test_after_an_error_while_it_is_open_the_client_is_closed_and_can_be_opened_again(chat: Server) -> None:
    model, request = chat_model(chat), Request("i", QUESTION, 0, 0, 7, load, "t")

    async def fail_and_ask() -> None:
        with pytest.raises(ZeroDivisionError):
            async with model.opened():
                raise ZeroDivisionError
        await model.respond(request)

    with pytest.raises(TypeError, match="called while it is not opened"):
        asyncio.run(fail_and_ask())
    assert isinstance(ask(model, QUESTION).content, Said)


def test_a_redirect_to_another_server_is_refused_and_nothing_goes_there() -> None:
    with scripting(lambda *_: (200, {}, b"{}")) as other:
        elsewhere = f"{other.base_url}/chat/completions"
        with scripting(lambda *_: (307, {"Location": elsewhere}, b"")) as server:
            model = HfInference("some/model", base_url=server.base_url)
            with pytest.raises(
                UnusableModelError, match=r"127\.0\.0\.1:\d+ redirects to http://127\.0\.0\.1:\d+, another"
            ):
                ask(model, QUESTION)
        assert len(server.requests) == 1
        assert other.requests == []
