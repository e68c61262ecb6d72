"""A server of another kind needs a class with a method for each task; pace, key and errors are the base class's."""

import asyncio
import base64
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from subitize.errors import BadValueError, UnusableModelError
from subitize.interfaces import Pixels, Reply, Request, Responds, TransientError, Usage
from subitize.models.http import ServedModel
from subitize.records import Draw, Refused
from tests.models.scripted_server import Answer, scripting

PAGE = Path(__file__).parents[2] / "docs" / "api-models.md"


@pytest.fixture(scope="module")
def sketcher() -> type[ServedModel]:
    """The class that the page shows."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    shown: dict[str, type[ServedModel]] = {}
    exec(code, shown)
    return shown["Sketcher"]


def ask(model: ServedModel) -> Reply:
    async def work() -> Reply:
        async with model.opened():
            return await model.respond(Request("production/1", Draw("3 apples"), 0, 0, 7, lambda _: b"", "trial"))

    return asyncio.run(work())


def say(status: int, said: object) -> Callable[[int, object], Answer]:
    return lambda *_: answer(status, said)


def answer(status: int, said: object) -> Answer:
    return status, {}, json.dumps(said).encode()


def test_the_model_of_the_page_draws_and_says_what_it_used(
    sketcher: type[ServedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKETCHER_KEY", "k" * 20)
    made = {"picture": base64.b64encode(b"png").decode(), "usage": {"input_tokens": 3, "output_tokens": 5}}
    with scripting(say(200, made)) as server:
        model = sketcher("fast", base_url=server.base_url, concurrency=2)
        reply = ask(model)
    assert isinstance(model, Responds)
    assert model.tasks == {"draw"}
    assert model.concurrency == 2
    assert (reply.content, reply.usage) == (Pixels(b"png"), Usage(3, 5))
    assert reply.provenance.parameters == {"base_url": server.base_url}
    ((path, headers, body),) = server.requests
    assert (path, body) == ("/v1/sketch", {"model": "fast", "prompt": "3 apples", "seed": 7})
    assert headers["authorization"] == f"Bearer {'k' * 20}"
    assert headers["idempotency-key"].startswith("trial-")


def test_a_refusal_is_a_reply_and_what_may_pass_is_tried_again(sketcher: type[ServedModel]) -> None:
    refused = {"error": {"code": "content_policy_violation", "message": "no apples"}}
    with scripting(say(400, refused)) as server:
        assert ask(sketcher("fast", base_url=server.base_url)).content == Refused("no apples")
    with scripting(say(503, {})) as server, pytest.raises(TransientError, match="answered 503"):
        ask(sketcher("fast", base_url=server.base_url))
    with scripting(say(404, {})) as server, pytest.raises(UnusableModelError, match="has no such model or address"):
        ask(sketcher("fast", base_url=server.base_url))


def test_its_own_server_wants_a_key(sketcher: type[ServedModel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKETCHER_KEY", raising=False)
    model = sketcher("fast")
    assert (model.base_url, model.served_name) == ("https://example.org/v1", "fast")
    with pytest.raises(BadValueError, match="sketcher:fast needs a key: set the environment variable SKETCHER_KEY"):
        model.check()
    sketcher("fast", base_url="http://127.0.0.1:9/v1").check()
