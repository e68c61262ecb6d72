"""The sight check: a model that cannot see is refused before it is asked about pictures that matter."""

import base64
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from subitize.evaluate import execution, plan, sampling
from subitize.models.openai import OpenAi
from subitize.stimuli.observing import look_at
from subitize.store import Folder, Run
from subitize.suites.sight import NEEDED
from tests.commands import Finished, call
from tests.models.scripted_server import Answer, Scripted, chat, scripting

NAMING = "naming:images=1,size_px=128,categories=apples,numbers=1-2,wordings=category,control_question=false"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


def _say(text: object) -> Answer:
    return 200, {}, chat({"role": "assistant", "content": str(text)})


def _see(body: Any) -> int:  # noqa: ANN401
    """Count what is in the picture that was sent, as a model with eyes would."""
    (message,) = body["messages"]
    url = next(part["image_url"]["url"] for part in message["content"] if part["type"] == "image_url")
    return _count(base64.b64decode(url.partition(",")[2]))


@cache
def _count(picture: bytes) -> int:
    """Count once what is in a picture: every check shows the same twelve."""
    return len(look_at(picture))


def _run(server: Scripted, out: Path, *more: object) -> Finished:
    return call("run", NAMING, "--model", f"openai:m,base_url={server.base_url}", "--out", out, *more)


def _sighted(_: int, body: Any) -> Answer:  # noqa: ANN401
    return _say(f"I see {_see(body)} of them.")


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_model_that_sees_is_checked_once_and_enters_no_figure(tmp_path: Path) -> None:
    with scripting(_sighted) as server:
        done = _run(server, tmp_path / "run")
        assert done.code == 0, done.err
        assert "12 of 12 right" in done.err
        assert len(server.requests) == 12 + 2
        assert _run(server, tmp_path / "run", "--repeats", 2).code == 0
        assert len(server.requests) == 12 + 2 + 2
    rows = call("score", tmp_path / "run", "--json").json()
    assert {row["suite"] for row in rows} == {"naming"}
    assert [row["n"] for row in rows if (row["measure"], row["group"]) == ("accuracy", "all")] == [4]
    assert "not judged" not in call("score", tmp_path / "run").out
    report = tmp_path / "report.html"
    assert call("report", tmp_path / "run", "-o", report).code == 0
    assert "sight check: 12 of 12 right" in report.read_text()


@pytest.mark.slow
def test_a_suite_without_end_is_checked_as_any_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (plan, execution, sampling):
        monkeypatch.setattr(module, "SAMPLED_FROM_AT_MOST", 50)  # the usual 20,000 take seconds to make
    with scripting(_sighted) as server:
        model = f"openai:m,base_url={server.base_url}"
        command = ("run", "naming:images=999999999999,size_px=128", "--model", model, "--limit", 2)
        done = call(*command, "--out", tmp_path / "run")
        assert done.code == 0, done.err
        assert len(server.requests) == 12 + 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [lambda n: 3, lambda n: "I cannot see any image.", lambda n: "", lambda n: "1, 2, 3 or 4"],
    ids=["always 3", "declines", "nothing", "several"],
)
def test_a_server_that_drops_the_picture_is_refused_in_twelve_calls(
    answer: Callable[[int], object], tmp_path: Path
) -> None:
    with scripting(lambda ordinal, body: _say(answer(ordinal))) as server:
        refused = _run(server, tmp_path / "run")
        assert refused.code == 2
        assert "of 12 plain pictures" in refused.err
        assert "1 apple: " in refused.err
        assert "--no-sight-check" in refused.err
        assert len(server.requests) == 12


@pytest.mark.slow
def test_a_server_that_was_mended_is_checked_again(tmp_path: Path) -> None:
    with scripting(lambda ordinal, body: _say(3) if ordinal < 12 else _sighted(ordinal, body)) as server:
        assert _run(server, tmp_path / "run").code == 2
        assert _run(server, tmp_path / "run").code == 0
        assert len(server.requests) == 12 + 12 + 2


@pytest.mark.usefixtures("undrawn")
def test_without_the_check_it_is_run_and_says_so(tmp_path: Path) -> None:
    with scripting(lambda ordinal, body: _say(3)) as server:
        assert _run(server, tmp_path / "run", "--no-sight-check").code == 0
        assert len(server.requests) == 2
        # What was begun without it goes on without it, as runs do that were made before there was one.
        assert _run(server, tmp_path / "run", "--repeats", 2).code == 0
        assert len(server.requests) == 4
    report = tmp_path / "report.html"
    assert call("report", tmp_path / "run", "-o", report).code == 0
    assert "not checked" in report.read_text()


@pytest.mark.slow
def test_a_check_that_was_cut_short_goes_on(tmp_path: Path) -> None:
    is_down = True

    def answer(ordinal: int, body: Any) -> Answer:  # noqa: ANN401
        return (500, {}, b'{"error": {"message": "no"}}') if is_down and ordinal >= 5 else _sighted(ordinal, body)

    with scripting(answer) as server:
        failed = _run(server, tmp_path / "run", "--concurrency", 1, "--tries", 1)
        assert failed.code == 2
        assert "the sight check of m " in failed.err
        asked, is_down = len(server.requests), False
        assert _run(server, tmp_path / "run").code == 0
        assert len(server.requests) == asked + (12 - 5) + 2


def test_its_calls_are_forecast_and_paid_within_the_budget(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        '[[price]]\nhost = "127.0.0.1"\nmodels = ["m"]\nas_of = 2026-11-01\nsource = "made up"\n'
        "[price.chat_usd_per_million]\ninput = 1000.0\noutput = 1000.0\n"
    )
    with scripting(_sighted) as server:
        forecast = _run(server, tmp_path / "run", "--dry-run", "--prices", prices)
        assert "sight-check on" in forecast.out, forecast.err
        assert "12 items" in forecast.out
        stopped = _run(server, tmp_path / "run", "--prices", prices, "--max-cost", 2.5)
        assert stopped.code != 0
        assert 0 < len(server.requests) < 12


def test_stand_ins_are_exempt(tmp_path: Path) -> None:
    assert call("run", NAMING, "--model", "random", "--out", tmp_path / "run").code == 0
    with Run(Folder(tmp_path / "run")) as run:
        assert [entry.name for entry in run.suites()] == ["naming"]


def test_seventy_percent_of_sight_pass_and_guesses_do_not() -> None:
    # Rights among twelve: who sees in 70 % has six or more in .9614 of checks, who guesses one of four in .0544.
    assert binom.sf(NEEDED - 1, 12, 0.7) >= 0.9
    assert binom.sf(NEEDED - 1, 12, 0.25) <= 0.055
    assert binom.cdf(NEEDED - 1, 12, 0.8) <= 0.004
    drawn = np.random.default_rng(0).binomial(12, 0.7, 200)
    assert (drawn >= NEEDED).mean() >= 0.9


def test_a_model_that_sees_regions_only_skips_the_check_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAi, "sees_regions", True)
    with scripting(_sighted) as server:
        first = _run(server, tmp_path / "run")
        assert first.code == 0, first.err
        assert "left out, as it sees regions from a file" in first.err
        assert len(server.requests) == 2
        assert "sight check" not in _run(server, tmp_path / "run", "--repeats", 2).err
