"""Names and addresses of models and judges through the command line, against real local servers."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from tests.cases import Case
from tests.commands import Finished, call
from tests.goldens.kept_runs import RESUMED, copy_run
from tests.models.openai_server import Behaviour, Server, serving

NAMING = "naming:images=1,numbers=1-2,size_px=128,categories=dots,wordings=category,control_question=false"
PRODUCTION = "production:categories=dots,numbers=1"
DONE_BEFORE = "0 answered, 0 refused, 0 failed, 2 done before, 0 new readings"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Server, Server]]:
    with serving(Behaviour(answer="count-hash")) as one, serving(Behaviour(answer="count-hash", seed=1)) as other:
        yield one, other


def ask(out: Path, *models: str, more: tuple[object, ...] = ()) -> Finished:
    given = [part for model in models for part in ("--model", model)]
    return call("run", NAMING, *given, "--no-sight-check", "--out", out, *more)


def at(server: Server, name: str = "", options: str = "") -> str:
    return f"{name}{'=' * bool(name)}openai:test-model,base_url={server.base_url}{options}"


def rows(out: Path, table: str = "models") -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(out / "run.sqlite")) as database:
        return list(database.execute(f"SELECT {table[:-1]}, name, address FROM {table} ORDER BY 1"))


def received(*servers: Server) -> list[int]:
    return [server.counters().received for server in servers]


@pytest.mark.slow
def test_names_are_shown_everywhere_and_specs_stay_beside_them_for_programs(
    servers: tuple[Server, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.chdir(tmp_path)
    here, _ = servers
    name, spec = "Claude <b>[red]", "openai:test-model"
    asked = ask(Path("run"), at(here, name), at(here, options=",temperature=0"), "Dice=random")
    assert f"{name}: 2 answered" in asked.out
    assert "test-model: 2 answered" in asked.out
    judged = call("judge", "run", "--judge", "second=parser:policy=total")
    assert "second: 6 new readings" in judged.out
    for command in ("show", "score", "measure", "compare --models --judge parser", "score --judge second"):
        verb, *more = command.split()
        with case(command):
            shown = call(verb, "run", *more)
            assert shown.code == 0, shown.err
            assert name in shown.out
            assert verb == "show" or spec not in shown.out
            told = call(verb, "run", *more, "--json").out
            assert f'"{spec}",' in told
            assert f'_name": "{name}"' in told
    assert call("score", "run", "--judge", "second", "--json").json()[0]["judge_name"] == "second"
    assert call("report", "plate", "run", "--model", name, "--judge", "second", "-o", "plate.svg").code == 0
    assert "Claude &lt;b&gt;[red]" in Path("plate.svg").read_text(encoding="utf-8")
    assert call("report", "run", "-o", "report.html", "--tables", "tables").code == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Claude &lt;b&gt;[red]" in page
    assert name not in page
    assert name in Path("tables/naming-leaderboard.csv").read_text(encoding="utf-8")
    assert call("export", "run", "-o", "export").code == 0
    observed = pl.read_parquet("export/observations.parquet")
    assert set(observed.filter(pl.col("model") == spec)["model_name"]) == {name}
    assert set(observed["judge_name"]) == {"parser", "second"}


def test_a_judge_goes_by_its_name_and_is_found_by_it(servers: tuple[Server, Server], tmp_path: Path) -> None:
    here, there = servers
    run, judge = tmp_path / "run", f"eyes=vlm:openai:test-model,base_url={here.base_url}"
    drawer = f"openai:test-image-model,base_url={here.base_url},size=64x64"
    drawn = call("run", PRODUCTION, "--repeats", 1, "--model", drawer, "--judge", judge, "--out", run)
    assert "self-test of eyes: " in drawn.err
    assert rows(run, "judges") == [("vlm:openai:test-model", "eyes", here.base_url)]
    scored = call("score", run, "--judge", "eyes")
    assert "eyes" in scored.out
    assert "vlm:openai" not in scored.out
    elsewhere = f"vlm:openai:test-model,base_url={there.base_url}"
    refused = call("judge", run, "--judge", elsewhere)
    assert refused.code == 2
    assert here.base_url in refused.err
    assert there.base_url in refused.err
    assert "eyes: 0 new readings" in call("judge", run, "--judge", elsewhere, "--same-model").out
    assert rows(run, "judges") == [("vlm:openai:test-model", "eyes", f"{here.base_url} {there.base_url}")]
    taken = call("judge", run, "--judge", "eyes=parser")
    assert (taken.code, "'eyes' is the name of 'vlm:openai:test-model' already" in taken.err) == (2, True)


def test_a_name_alone_goes_on_with_what_the_run_has_under_it(servers: tuple[Server, Server], tmp_path: Path) -> None:
    here, _ = servers
    out, before = tmp_path / "run", received(here)[0]
    assert ask(out, at(here, "Claude")).code == 0
    again = ask(out, "Claude")
    assert f"Claude: {DONE_BEFORE}" in again.out
    assert received(here)[0] == before + 2
    assert "eyes: 2 new readings" in call("judge", out, "--judge", "eyes=parser:policy=total").out
    assert "eyes: 0 new readings" in call("judge", out, "--judge", "eyes").out
    assert rows(out) == [("openai:test-model", "Claude", here.base_url)]
    unknown = call("judge", out, "--judge", "ears")
    assert unknown.code == 2
    assert "no judge named 'ears'" in unknown.err


def test_two_servers_never_merge_without_a_word(servers: tuple[Server, Server], tmp_path: Path) -> None:
    here, there = servers
    run, before = tmp_path / "run", received(*servers)
    refused = ask(run, at(here), at(there))
    assert refused.code == 2
    assert all(text in refused.err for text in (here.base_url, there.base_url, "--same-model", "NAME=SPEC"))
    assert not run.exists()
    assert ask(run, at(here)).code == 0
    for model in (at(there), at(there, "B")):
        refused = ask(run, model)
        assert (refused.code, "--same-model" in refused.err) == (2, True)
    assert received(*servers) == [before[0] + 2, before[1]]
    assert ask(run, at(here, "A"), at(there, "B")).out.count("2 answered") == 1
    assert received(*servers) == [before[0] + 2, before[1] + 2]
    assert rows(run) == [
        ("openai:test-model", "A", here.base_url),
        (f"openai:test-model,base_url={there.base_url}", "B", there.base_url),
    ]
    # From now on each is known by its address, whatever it is called.
    assert DONE_BEFORE in ask(run, at(there)).out
    assert DONE_BEFORE in ask(run, at(here)).out


def test_a_run_goes_on_elsewhere_as_the_same_model_and_says_so(servers: tuple[Server, Server], tmp_path: Path) -> None:
    here, there = servers
    run = tmp_path / "run"
    assert ask(run, at(here), more=("--limit", 1)).code == 0
    moved = ask(run, at(there), more=("--same-model",))
    assert f"is the same model at {there.base_url} as at {here.base_url}" in moved.err
    assert "1 answered, 0 refused, 0 failed, 1 done before" in moved.out
    assert rows(run) == [("openai:test-model", "", f"{here.base_url} {there.base_url}")]
    assert ask(run, at(here)).code == ask(run, at(there)).code == 0
    addresses = call("show", run, "--json").json()["models"][0]["addresses"]
    assert addresses == [here.base_url, there.base_url]


@pytest.mark.slow
def test_a_name_given_later_takes_the_place_of_the_earlier_one(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert ask(run, "random", "random:high=5").code == 0
    named = ask(run, "Dice=random")
    assert "random is called Dice from now on" in named.err
    assert f"Dice: {DONE_BEFORE}" in named.out
    assert f"Dice: {DONE_BEFORE}" in ask(run, "random").out
    assert "Dice is called Chance from now on" in ask(run, "Chance=random").err
    both, twice = ["A=random", "B=random"], ["A=random", "random"]
    for models in (["Chance=random:high=5"], ["random=random:high=5"], both, twice):
        refused = ask(run, *models)
        assert refused.code == 2
        assert "name" in refused.err
    assert rows(run) == [("random", "Chance", ""), ("random:high=5", "", "")]


def test_an_address_comes_from_the_environment_and_may_have_the_version_of_the_api(
    servers: tuple[Server, Server], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here, _), key = servers, "sk-test-0123456789abcdef"
    here.behave(Behaviour(answer="count-hash", key=key))
    monkeypatch.setenv("OPENAI_BASE_URL", f"{here.base_url}/?api-version=2026-01-01")
    done = ask(tmp_path / "run", "openai:test-model")
    assert done.code == 0, done.err
    address = f"{here.base_url}?api-version=2026-01-01"
    assert rows(tmp_path / "run") == [("openai:test-model", "", address)]
    for request in here.requests()[-2:]:
        assert request["path"] == "/v1/chat/completions?api-version=2026-01-01"
        assert request["headers"]["api-key"] == key
        assert "authorization" not in request["headers"]
    monkeypatch.delenv("OPENAI_BASE_URL")
    refused = ask(tmp_path / "run", "openai:test-model")
    assert (refused.code, "https://api.openai.com/v1" in refused.err, address in refused.err) == (2, True, True)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://user:hidden@host/v1")
    refused = ask(tmp_path / "other", "openai:test-model")
    assert (refused.code, "OPENAI_BASE_URL must hold neither" in refused.err, "hidden" in refused.err) == (
        2,
        True,
        False,
    )
    here.behave(Behaviour(answer="count-hash"))


SECRETS = [
    {"api_key": "hidden"},
    {"headers": {"Authorization": "Bearer hidden"}},
    {"a": [{"b": {"x-api-key": ["hidden"]}}]},
    {"access-token": "hidden"},
    {"clientSecret": "hidden"},
    {"db_password": "hidden"},
    {"user": "sk-test-0123456789abcdef"},
    {"a": ["b", {"c": "Bearer sk-test-0123456789abcdef!"}]},
    {"sk-test-0123456789abcdef": 1},
]
HARMLESS = {
    "max_completion_tokens": 5,
    "stop_token_ids": [1],
    "eos_token": "</s>",
    "prompt_cache_key": "subitize",
    "tokenizer": {"max_token": 3},
    "top_p": 0.9,
}


def test_a_key_among_further_parameters_is_refused_untold_and_unstored(tmp_path: Path, case: Case) -> None:
    for secret in SECRETS:
        with case(secret):
            model = f"openai:m,base_url=http://127.0.0.1:9/v1,extra={json.dumps(secret)}"
            refused = ask(tmp_path / "run", model)
            assert refused.code == 2
            assert "extra would be stored, and has a secret in " in refused.err
            assert "hidden" not in refused.err
            assert "sk-test" not in refused.err
            assert not (tmp_path / "run").exists()
    model = f"openai:m,base_url=http://127.0.0.1:9/v1,extra={json.dumps(HARMLESS)}"
    assert ask(tmp_path / "run", model, more=("--dry-run",)).code == 0


def test_an_earlier_run_is_named_and_asked_for_without_its_address(tmp_path: Path) -> None:
    run = copy_run("schema_5", tmp_path)
    (verb, suite, *_), _ = RESUMED["schema_5"]
    here, there = "http://127.0.0.1:8000/v1", "http://127.0.0.1:8001/v1"
    models = (f"Here=openai:test-model,base_url={here}", f"There=openai:test-model,base_url={there}")
    done = call(verb, suite, "--model", models[0], "--model", models[1], "--no-sight-check", "--out", run)
    assert done.code == 0, done.err
    assert "Here: 0 answered, 0 refused, 0 failed, 14 done before, 0 new readings" in done.out
    assert "There: 0 answered, 0 refused, 0 failed, 14 done before, 0 new readings" in done.out
    stored = {spec: (name, address) for spec, name, address in rows(run)}
    assert stored[f"openai:test-model,base_url={here}"] == ("Here", here)
    assert stored[f"openai:test-model,base_url={there}/"] == ("There", there)
    refused = call(verb, suite, "--model", "openai:test-model", "--no-sight-check", "--out", run)
    assert (refused.code, "https://api.openai.com/v1" in refused.err) == (2, True)
