"""A real server on a free loopback port rewards counts, and answers whatever else comes with an error that says why."""

import asyncio
import base64
import gzip
import io
import json
import shutil
import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from PIL import Image

from subitize.errors import UnusableModelError
from subitize.evaluate.costs import Budget
from subitize.evaluate.engines import LocalEngine
from subitize.evaluate.looks import JudgePool
from subitize.interfaces import Finding, Judge, JudgeRequest, Pixels, Request, SelfTest
from subitize.io.prices import load_prices
from subitize.labels import parse_rule
from subitize.models.stand_ins import Painter
from subitize.records import Boxes, Count, Draw, Outcome, Question, Spec, Stimulus, Words
from subitize.registry import Resolved, make_judge
from subitize.stimuli.recipes import render
from subitize.training import endpoint
from subitize.training.endpoint import Admission, RewardSettings, admit_judge, make_app
from subitize.web.hosting import listen
from tests import commands
from tests.cases import Case
from tests.models import openai_server

THREE = render(Stimulus("apples", 3, seed=1, size_px=128)).png


def encode(picture: bytes) -> str:
    return base64.b64encode(picture).decode()


def paint(prompt: str) -> str:
    reply = Painter(size_px=256).compute(Request("an item", Draw(prompt), 0, 0, 7, lambda _: b""))
    assert isinstance(reply.content, Pixels)
    return encode(reply.content.data)


def ask(*prompts: str, images: Sequence[str] | None = None) -> dict[str, Any]:
    return {"prompts": prompts, "images": images or [encode(THREE)] * len(prompts)}


class Waiting(Judge):
    """Counts three of everything, once it may; or fails as it is told."""

    is_stand_in = True
    concurrency = 4

    def __init__(self, says: str = "3", error: Exception | None = None, *, may: asyncio.Event | None = None) -> None:
        self._says, self._error, self._may = says, error, may
        self.looks = 0

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        return isinstance(question, Count)

    async def respond(self, exhibit: JudgeRequest, /) -> tuple[Finding, ...]:
        self.looks += 1
        if self._may is not None:
            await self._may.wait()
        if self._error is not None:
            raise self._error
        return (Finding(Words(self._says)),)


class Batched(Judge):
    """Counts nothing at all, and remembers how many pictures came at once."""

    rule = "boxes"
    is_stand_in = True
    asks_together = True
    batch_size = 8

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def can_answer(self, question: Question, outcomes: Sequence[Outcome]) -> bool:
        return isinstance(question, Count)

    def compute_all(self, exhibits: Sequence[JudgeRequest], /) -> list[tuple[Finding, ...]]:
        self.sizes.append(len(exhibits))
        return [(Finding(Boxes(())),) * len(exhibit.inquiries) for exhibit in exhibits]


class Failing(Waiting):
    """Fails its self-test."""

    def self_test(self) -> SelfTest:
        raise UnusableModelError("0 of 8 right")


def made(judge: Judge) -> Resolved[Judge]:
    return Resolved(Spec("odd", {}, "odd"), judge, "odd")


Post = Callable[..., Coroutine[Any, Any, tuple[int, Any]]]


@asynccontextmanager
async def serving(judge: Resolved[Judge], **options: Any) -> AsyncIterator[tuple[str, aiohttp.ClientSession, Post]]:  # noqa: ANN401
    """Serve on a free port, with a client that posts."""
    admission = options.pop("admission", Admission())
    settings = RewardSettings(judge, **options)
    with LocalEngine() as engine, engine.start("judge", judge) as caller:
        rule, meter = settings.rule or parse_rule(judge.obj.rule), settings.budget.meter(judge)
        looks = JudgePool(judge, rule, caller, settings.tries, meter)
        runner = web.AppRunner(make_app(settings, admission, looks), handler_cancellation=True)
        await runner.setup()
        with listen("127.0.0.1", 0) as listening:
            await web.SockSite(runner, listening).start()
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(url, connector=connector) as client:

                async def post(content: dict[str, Any], **how: Any) -> tuple[int, Any]:  # noqa: ANN401
                    async with client.post("/compute", json=content, **how) as answer:
                        return answer.status, await answer.json()

                yield url, client, post
            await runner.cleanup()


OBSERVER = "observer"


async def until_under_way(client: aiohttp.ClientSession, requests: int) -> None:
    """Wait until so many requests are being answered."""
    while True:
        async with client.get("/health") as health:
            if (await health.json())["requests_under_way"] == requests:
                return


def compute(content: dict[str, Any], judge: Resolved[Judge] | None = None, **options: Any) -> tuple[int, Any]:  # noqa: ANN401
    async def work() -> tuple[int, Any]:
        async with serving(judge or make_judge(OBSERVER), **options) as (_, _, post):
            return await post(content)

    return asyncio.run(work())


def test_pictures_are_counted_and_rewarded_in_their_order() -> None:
    prompts = ["3 apples", "2 red apples and 3 cats", "2 dogs above 1 cat", "5 wombats", "4 forks"]
    images = [*map(paint, ("3 apples", "2 red apples and 2 cats", "2 dogs above 1 cat")), paint("3 apples"), "bm9uZQ=="]
    status, answer = compute(ask(*prompts, images=images))
    assert status == 200
    assert answer["rewards"] == [1.0, 0.0, 1.0, None, None]
    assert answer["details"][1] == {
        "counts": {"apple": 2, "red apple": 2, "cat": 2},
        "expected": {"apple": 2, "red apple": 2, "cat": 3},
        "reason": None,
    }
    assert "not understood" in answer["details"][3]["reason"]
    assert "not a PNG, JPEG, WebP or GIF file" in answer["details"][4]["reason"]


def test_a_graded_reward_tells_how_far_off_a_count_is() -> None:
    _, answer = compute(ask("4 apples", "3 apples", "9 apples"), kind="graded")
    assert answer["rewards"] == pytest.approx([0.75, 1.0, 1 / 3])


def test_what_the_judge_does_not_know_is_null_and_never_0() -> None:
    scene, photograph = Image.new("RGB", (128, 128), "white"), io.BytesIO()
    scene.paste(Image.effect_noise((16, 16), 90), (50, 50))  # too small for a part, which takes long to learn
    scene.save(photograph, "PNG")
    for judge, images, told in (
        (make_judge(OBSERVER), [encode(photograph.getvalue())], "cannot tell: "),
        (made(Waiting("I'm sorry, I can't help with that.")), None, "apple: "),
        (made(Waiting(error=ValueError("no such thing"))), None, "apple: ValueError: no such thing"),
        (made(Waiting(error=UnusableModelError("the key is wrong"))), None, ""),
    ):
        status, answer = compute(ask("3 apples", images=images), judge)
        if told:
            assert (status, answer["rewards"]) == (200, [None])
            assert told in answer["details"][0]["reason"]
        else:
            assert (status, answer) == (503, {"error": "the key is wrong"})


def test_a_judge_says_which_things_it_cannot_see() -> None:
    status, answer = compute({**ask("x"), "expected": [[{"noun": "wombat", "count": 3}]]})
    assert (status, answer["rewards"]) == (200, [None])
    assert answer["details"][0]["reason"] == "judge observer does not answer 'count:wombat'"


def test_a_rule_reads_the_evidence_in_place_of_the_judges_own() -> None:
    words = made(Waiting("I see 2 red ones and 1 green one: 3 in total"))
    assert compute(ask("3 apples"), words)[1]["rewards"] == [None]
    assert compute(ask("3 apples"), words, rule=parse_rule("total"))[1]["rewards"] == [1.0]


def test_a_judge_that_fails_its_self_test_rewards_nothing() -> None:
    judge = made(Failing())
    admission = admit_judge(judge)

    async def work() -> None:
        async with serving(judge, admission=admission) as (_, client, post):
            status, answer = await post(ask("3 apples"))
            assert (status, answer) == (503, {"error": "judge odd failed its self-test: 0 of 8 right"})
            async with client.get("/health") as health:
                assert health.status == 503
                assert await health.json() == {
                    "status": "unfit",
                    "judge": "odd",
                    "judge_name": "odd",
                    "reward": "exact",
                    "requests_under_way": 0,
                    "reason": "judge odd failed its self-test: 0 of 8 right",
                }

    asyncio.run(work())


def test_health_says_when_the_judge_stopped_working_and_when_it_works_again() -> None:
    judge = Waiting(error=UnusableModelError("not enough memory"))

    async def work() -> None:
        async with serving(made(judge)) as (_, client, post):
            async with client.get("/health") as health:
                assert (health.status, (await health.json())["status"]) == (200, "ok")
            assert (await post(ask("3 apples")))[0] == 503
            async with client.get("/health") as health:
                assert (health.status, (await health.json())["reason"]) == (503, "not enough memory")
            judge._error = None
            assert (await post(ask("3 apples")))[1]["rewards"] == [1.0]
            async with client.get("/health") as health:
                assert health.status == 200

    asyncio.run(work())


PRICES = """
[[price]]
host = "127.0.0.1"
models = ["test-model"]
as_of = 2026-11-01
source = "made up"
chat_usd_per_million = { input = 1000.0, output = 1000.0 }
image_in_chat = { rule = "fixed", tokens = 100 }
"""


def test_a_judge_that_is_paid_for_counts_no_more_once_the_money_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    (tmp_path / "prices.toml").write_text(PRICES)

    async def spend(server: openai_server.Server, limit_usd: float) -> list[int]:
        judge = make_judge(f"vlm:openai:test-model,base_url={server.base_url}")
        ledger = Budget(load_prices(tmp_path / "prices.toml"), limit_usd)
        async with serving(judge, budget=ledger) as (_, client, post):
            answers = [await post(ask("three apples")) for _ in range(5)]
            assert answers[0] == (200, {"rewards": [1.0], "details": answers[0][1]["details"]})
            assert "stopped at `max_cost`" in answers[-1][1]["error"]
            assert ledger.spent_usd <= limit_usd
            assert ledger.reserved_usd == pytest.approx(0)
            async with client.get("/health") as health:
                assert health.status == 503
            return [status for status, _ in answers]

    with openai_server.serving(openai_server.Behaviour(text="3")) as server:
        statuses = asyncio.run(spend(server, 0.4))
        assert statuses == sorted(statuses)
        assert server.counters().received == statuses.count(200)


def test_a_limit_needs_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    judge = "vlm:openai:nobody-knows,base_url=http://127.0.0.1:9/v1"
    finished = commands.call("train", "serve", "--judge", judge, "--max-cost", 1, "--port", 0)
    assert finished.code == 2
    assert "--max-cost needs the price of" in finished.err


def test_pictures_of_several_requests_are_looked_at_in_batches() -> None:
    judge = Batched()

    async def work() -> None:
        async with serving(made(judge)) as (_, _, post):
            answers = await asyncio.gather(*(post(ask(*["3 apples"] * 5)) for _ in range(8)))
            assert [answer["rewards"] for _, answer in answers] == [[0.0] * 5] * 8

    asyncio.run(work())
    assert sum(judge.sizes) == 40
    assert max(judge.sizes) == 8
    assert len(judge.sizes) < 20


@pytest.mark.slow
def test_a_thousand_requests_at_once_are_all_answered() -> None:
    judge = Waiting()

    async def work() -> None:
        async with serving(made(judge)) as (_, _, post):
            answers = await asyncio.gather(*(post(ask("3 apples")) for _ in range(1_000)))
            assert {(status, *answer["rewards"]) for status, answer in answers} == {(200, 1.0)}

    asyncio.run(work())
    assert judge.looks == 1_000


def test_more_than_can_be_held_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "MOST_REQUESTS", 3)

    async def work() -> None:
        may = asyncio.Event()
        async with serving(made(Waiting(may=may))) as (_, client, post):
            held = [asyncio.create_task(post(ask("3 apples"))) for _ in range(3)]
            await until_under_way(client, 3)
            async with client.post("/compute", json=ask("3 apples")) as answer:
                assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
                assert (await answer.json())["error"].startswith("3 requests are under way")
            may.set()
            assert [status for status, _ in await asyncio.gather(*held)] == [200] * 3
            assert (await post(ask("3 apples")))[0] == 200

    asyncio.run(work())


def test_one_who_hangs_up_is_not_looked_at() -> None:
    async def work() -> None:
        may = asyncio.Event()
        judge = Waiting(may=may)
        async with serving(made(judge)) as (_, client, post):
            posting = asyncio.create_task(post(ask(*["3 apples"] * 20)))
            while judge.looks < judge.concurrency:
                await asyncio.sleep(0.01)
            posting.cancel()
            await until_under_way(client, 0)
            may.set()
            assert (await post(ask("3 apples")))[1]["rewards"] == [1.0]
            assert judge.looks == Waiting.concurrency + 1

    asyncio.run(work())


@pytest.mark.slow
def test_what_is_too_large_is_refused_before_it_is_kept(case: Case) -> None:
    json_type = {"Content-Type": "application/json"}

    async def work() -> None:
        async with serving(made(Waiting()), max_body_bytes=100_000) as (_, client, post):
            told = (413, {"error": "body: more than 100,000 bytes; send fewer or smaller images, or raise `max_body`"})
            with case("a picture of 50 MB"):
                body = json.dumps(ask("3 apples", images=[encode(b"\x89PNG\r\n\x1a\n" + bytes(50_000_000))])).encode()
                async with client.post("/compute", data=io.BytesIO(body), headers=json_type) as answer:
                    assert (answer.status, await answer.json()) == told

            async def pieces() -> AsyncIterator[bytes]:
                for _ in range(20):
                    yield bytes(10_000)

            with case("in pieces"):
                async with client.post("/compute", data=pieces(), headers=json_type) as answer:
                    assert (answer.status, await answer.json()) == told
            with case("packed"):
                packed = gzip.compress(bytes(50_000_000))
                assert len(packed) < 100_000
                headers = {**json_type, "Content-Encoding": "gzip"}
                async with client.post("/compute", data=packed, headers=headers) as answer:
                    assert (answer.status, await answer.json()) == told
            assert (await post(ask("3 apples")))[0] == 200

    asyncio.run(work())


@pytest.mark.slow
def test_a_picture_that_would_fill_the_memory_is_not_decoded_and_the_others_are_judged() -> None:
    file = io.BytesIO()
    Image.new("1", (9_000, 9_000)).save(file, "PNG")
    damaged = encode(THREE[: len(THREE) // 2])
    status, answer = compute(ask(*["3 apples"] * 3, images=[encode(file.getvalue()), damaged, encode(THREE)]))
    assert (status, answer["rewards"]) == (200, [None, None, 1.0])
    assert "too large: 9000 × 9000 px" in answer["details"][0]["reason"]
    assert "truncated or damaged" in answer["details"][1]["reason"]


def test_many_bad_pictures_do_not_make_a_bad_judge() -> None:
    bad = encode(THREE[: len(THREE) // 2])
    status, answer = compute(ask(*["3 apples"] * 61, images=[*[bad] * 60, encode(THREE)]))
    assert (status, answer["rewards"]) == (200, [*[None] * 60, 1.0])


def test_every_error_is_json_that_says_what_is_wrong(case: Case) -> None:
    json_type = {"Content-Type": "application/json"}

    async def work() -> None:
        async with serving(made(Waiting())) as (_, client, _):
            for method, path, body, headers, status, told in (
                ("GET", "/compute", None, None, 405, "GET /compute: Method Not Allowed; there are GET /health"),
                ("GET", "/", None, None, 404, "GET /: Not Found; there are GET /health and POST /compute"),
                (
                    "POST",
                    "/compute",
                    b"{}",
                    None,
                    415,
                    "Content-Type 'application/octet-stream': should be application/json",
                ),
                ("POST", "/compute", b"{}", json_type, 400, "prompts: missing; give a list of texts"),
                ("POST", "/compute", b"\x80\x04K\x01.", json_type, 400, "body: not JSON ("),
                ("POST", "/compute", b"", json_type, 400, "body: not JSON ("),
            ):
                with case(f"{method} {path} {body!r}"):
                    async with client.request(method, path, data=body, headers=headers) as answer:
                        assert answer.status == status
                        assert (await answer.json())["error"].startswith(told)

    asyncio.run(work())


def test_a_token_keeps_others_out_and_is_never_told(case: Case) -> None:
    async def work() -> None:
        async with serving(made(Waiting()), token="geheim-ö") as (_, client, post):
            right = {"Authorization": "Bearer geheim-ö"}
            assert (await post(ask("3 apples"), headers=right))[0] == 200
            for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": "Bearer geheim"}):
                with case(headers):
                    status, answer = await post(ask("3 apples"), headers=headers)
                    assert status == 401
                    assert "geheim" not in str(answer)
                    async with client.get("/health", headers=headers) as health:
                        assert health.status == 401

    asyncio.run(work())


def test_what_cannot_be_served_is_refused_before_anything_starts(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUBITIZE_TOKEN", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for arguments, told in (
            (
                ["--port", port],
                f"cannot listen at 127.0.0.1, port {port}: Address already in use; name another with --port",
            ),
            (["--port", 99999], "--port 99999: should be from 0 (any that is free) to 65535"),
            (["--port", 0, "--host", "no such host"], "cannot listen at no such host, port 0: "),
            (["--port", 0, "--reward", "fair"], "no reward named 'fair'; known: exact, graded"),
            (["--port", 0, "--rule", "strict"], "rule 'strict' cannot read what judge 'observer' finds"),
            (["--port", 0, "--max-body", 0], "--max-body 0: should be at least 1"),
            (
                ["--port", 0, "--token-variable", "SUBITIZE_TOKEN"],
                "--token-variable SUBITIZE_TOKEN: there is no token in it",
            ),
            (["--port", 0, "--judge", "parser"], "judge 'parser' does not count what is in pictures"),
        ):
            with case(arguments):
                done = commands.call("train", "serve", "--judge", "observer", *arguments)
                assert (done.code, done.out) == (2, "")
                assert told in done.err


@pytest.mark.slow
def test_the_command_serves_until_it_is_told_to_stop_and_finishes_what_is_under_way() -> None:
    pictures = [encode(render(Stimulus("apples", 3, seed=seed, size_px=256)).png) for seed in range(30)]

    async def work(address: str, stop: Callable[[], None]) -> list[tuple[int, Any]]:
        async with aiohttp.ClientSession(address) as client:

            async def post() -> tuple[int, Any]:
                async with client.post("/compute", json=ask(*["3 apples"] * 30, images=pictures)) as answer:
                    return answer.status, (await answer.json())["rewards"]

            posting = [asyncio.create_task(post()) for _ in range(3)]
            await until_under_way(client, 3)
            stop()
            return await asyncio.gather(*posting)

    with commands.serving("train", "serve", "--judge", OBSERVER) as (process, address):
        assert asyncio.run(work(address, process.terminate)) == [(200, [1.0] * 30)] * 3
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("stopped; every request that was under way has its answer\n")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_example_that_is_printed_works_and_ctrl_c_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "a-secret-token")
    (tmp_path / "picture.png").write_bytes(base64.b64decode(paint("3 apples")))
    with commands.serving(
        "train", "serve", "--judge", OBSERVER, "--token-variable", "MY_TOKEN", "--host", "0.0.0.0"
    ) as (
        process,
        address,
    ):
        assert process.stdout is not None
        example = process.stdout.readline()
        done = subprocess.run(["sh", "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["rewards"] == [1.0]
        for garbage in (b"\x16\x03\x01\x00garbage\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=30) as connection:
                connection.sendall(garbage)
                connection.recv(1000)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert "a-secret-token" not in example


@pytest.mark.slow
def test_a_thousand_at_once_are_answered_where_few_files_may_be_open() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)

    async def work(address: str) -> set[tuple[int, Any]]:
        connector, timeout = aiohttp.TCPConnector(limit=0), aiohttp.ClientTimeout(120)
        async with aiohttp.ClientSession(address, connector=connector, timeout=timeout) as client:

            async def post() -> tuple[int, Any]:
                async with client.post("/compute", json=ask("3 apples")) as answer:
                    return answer.status, str((await answer.json())["rewards"])

            return {*await asyncio.gather(*(post() for _ in range(1_000)))}

    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    with commands.serving("train", "serve", "--judge", OBSERVER) as (process, address):
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
        assert asyncio.run(work(address)) == {(200, "[1.0]")}
        process.terminate()
        _, err = process.communicate(timeout=60)
    assert err == ""


@pytest.mark.slow
def test_a_host_that_others_reach_is_warned_of() -> None:
    with commands.serving("train", "serve", "--judge", OBSERVER, "--host", "0.0.0.0") as (process, _):
        process.terminate()
        _, err = process.communicate(timeout=60)
    told = "--host 0.0.0.0: whoever reaches this address may use it; --token-variable keeps others out"
    assert err == f"subitize: {told}\n"
