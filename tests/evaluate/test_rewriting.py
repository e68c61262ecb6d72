"""Prompts rewritten by a language model, through the real command line against a real local server."""

import csv
import io
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from subitize.evaluate.rewriting import INSTRUCTION, LONGEST_REWRITTEN, _mend, clean
from subitize.evaluate.sampling import sample_of
from subitize.records import task_text
from subitize.registry import make_suite
from subitize.store import Folder, Run
from subitize.suites.refined import COLUMNS, read_rows
from tests.cases import Case
from tests.commands import Finished, call, start
from tests.models.openai_server import Behaviour, Fault, Server, serving

KEY = "sk-test-0123456789abcdef"
SUITE = "production:categories=apples+dots,numbers=1-3"
BASE = [item.id for item in make_suite(SUITE).obj.items(0)]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def server(shared: Server) -> Server:
    shared.behave(Behaviour(text='Here is the new prompt:\n"Three apples in a row"'))
    return shared


def spec(server: Server) -> str:
    return f"openai:test-model,base_url={server.base_url}"


def rewrite(server: Server, out: Path, *more: object, model: str = "") -> Finished:
    return call("make", "rewrites", SUITE, "--model", model or spec(server), "--out", out, *more)


def test_every_prompt_is_sent_as_text_and_kept_with_who_wrote_it(server: Server, tmp_path: Path) -> None:
    before = server.counters().received
    done = rewrite(server, tmp_path / "own.csv", "--instruction", "Say it, better")
    assert done.code == 0, done.err
    assert "6 rewritten, 0 failed; " in done.out
    with (tmp_path / "own.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["item"] for row in rows} == set(BASE)
    first = next(row for row in rows if row["item"] == "production/dots/3")
    assert first == {
        "item": "production/dots/3",
        "base_prompt": "3 filled dots in white background",
        "prompt": "Three apples in a row",
        "model": spec(server),
        "revision": "test-model-2026-01-01 fp_0000000000",
        "instruction": "Say it, better",
    }
    sent = [one["body"]["messages"] for one in server.requests()[-6:]]
    assert [{"role": "user", "content": "Say it, better\n\nPrompt: 3 filled dots in white background"}] in sent
    assert server.counters().received == before + 6


def test_a_prompt_that_looks_like_a_formula_is_inert_in_the_file_and_itself_when_read(
    server: Server, tmp_path: Path
) -> None:
    server.behave(Behaviour(text="=three apples"))
    assert rewrite(server, tmp_path / "own.csv", "--instruction", "-- briefly").code == 0
    assert ",'=three apples," in (tmp_path / "own.csv").read_text(encoding="utf-8")
    assert {row.prompt for row in read_rows(tmp_path / "own.csv").values()} == {"=three apples"}
    again = rewrite(server, tmp_path / "own.csv", "--instruction", "-- briefly")
    assert "0 rewritten" in again.out


def test_what_is_in_the_file_is_not_asked_for_again(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "deeper" / "own.csv"
    assert "2 rewritten, 0 failed" in rewrite(server, own, "--limit", 2).out
    taken = islice(sample_of(make_suite(SUITE), 0), 2)
    assert set(read_rows(own)) == {item.id for item in taken}
    assert "4 rewritten, 0 failed, 2 done before" in rewrite(server, own).out
    before = server.counters().received
    assert "0 rewritten, 0 failed, 6 done before" in rewrite(server, own).out
    assert server.counters().received == before


@pytest.mark.slow
def test_a_killed_rewriting_loses_nothing_and_goes_on(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(text="Dots.", latency_seconds=0.15))
    own, arguments = tmp_path / "own.csv", ("make", "rewrites", SUITE, "--model", f"{spec(server)},concurrency=1")
    process = start(*arguments, "--out", own)
    deadline = time.monotonic() + 60
    while (not own.exists() or own.read_bytes().count(b"\n") < 3) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    kept = own.read_bytes()
    assert 2 <= len(read_rows(own)) < 6
    own.write_bytes(kept + b'production/apples/3,"cut off in the mi')
    assert call(*arguments, "--out", own).code == 0
    assert own.read_bytes().startswith(kept)
    assert set(read_rows(own)) == set(BASE)


def test_a_last_line_without_its_end_is_kept_if_it_is_whole(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    rewrite(server, own, "--limit", 2)
    own.write_bytes(own.read_bytes().rstrip(b"\n"))
    assert "4 rewritten, 0 failed, 2 done before" in rewrite(server, own).out
    own.write_bytes(b"item,base_")
    assert "6 rewritten" in rewrite(server, own).out


@pytest.mark.slow
@pytest.mark.parametrize("instruction", ["two\nlines", 'say "x",\n"y"', "größer"])
def test_a_file_that_was_cut_anywhere_goes_on(tmp_path: Path, instruction: str) -> None:
    own, text = tmp_path / "own.csv", io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    ends = []
    for number in (1, 2):
        prompt = f'An "image", größer, with {number}\napples'
        writer.writerow([f"production/apples/{number}", prompt, "Apples, größer", "openai:any,x=1", "r", instruction])
        ends.append(len(text.getvalue().encode()))
    whole = text.getvalue().encode()
    for cut in range(len(whole) + 1):
        own.write_bytes(whole[:cut])
        _mend(own, instruction, 1)
        # Without the end of its line a row is whole all the same.
        assert len(read_rows(own)) == sum(cut >= end - 1 for end in ends), cut
        assert own.read_bytes().endswith(b"\n")


def test_a_file_with_an_open_quotation_mark_is_not_cut(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    rewrite(server, own)
    lines = own.read_text().splitlines(keepends=True)
    lines[2] = lines[2].replace("production", '"production', 1)
    own.write_text("".join(lines))
    done = rewrite(server, own)
    assert done.code == 2
    assert "own.csv line 3: a quotation mark that is not closed; mend it, or name another file" in done.err
    assert own.read_text() == "".join(lines)


@pytest.mark.slow
def test_two_do_not_write_one_file(server: Server, tmp_path: Path) -> None:
    server.behave(Behaviour(text="Dots.", latency_seconds=0.5))
    own = tmp_path / "own.csv"
    process = start("make", "rewrites", SUITE, "--model", f"{spec(server)},concurrency=1", "--out", own)
    deadline = time.monotonic() + 60
    while (not own.exists() or own.read_bytes().count(b"\n") < 2) and time.monotonic() < deadline:
        time.sleep(0.01)
    second = rewrite(server, own)
    assert second.code == 2
    assert f"another `subitize make rewrites` is writing {own}; wait for it, or name another file" in second.err
    process.kill()
    process.communicate()
    server.behave(Behaviour(text="Dots."))
    assert rewrite(server, own, model=f"{spec(server)},concurrency=1").code == 0


def test_the_next_command_can_be_pasted(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "my prompts.csv"
    done = rewrite(server, own, "--limit", 1)
    assert f"see: subitize run {SUITE} --refine 'rewritten:file={own}' --model NAME" in done.out


@pytest.mark.parametrize("content", ["item,prompt\na,b\n", "my notes", "\x00\x01"])
def test_a_file_of_another_kind_is_left_alone(server: Server, tmp_path: Path, content: str) -> None:
    own = tmp_path / "notes.txt"
    own.write_text(content)
    done = rewrite(server, own)
    assert done.code == 2
    assert f"line 1: the columns should be {','.join(COLUMNS)}; name another file" in done.err
    assert own.read_text() == content


def test_another_model_or_instruction_needs_another_file(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    rewrite(server, own, "--limit", 1)
    before = own.read_bytes()
    other = rewrite(server, own, "--instruction", "Otherwise")
    (first,) = read_rows(own)
    assert f"has {first} by the instruction {INSTRUCTION!r}, not 'Otherwise'; name another" in other.err
    model = f"{spec(server)},temperature=0"
    assert f"by the model {spec(server)!r}, not {model!r}" in rewrite(server, own, model=model).err
    assert own.read_bytes() == before


def test_what_fails_is_named_and_tried_by_the_same_command(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    faults = (Fault("refusal", 1.0, containing="2 apples"), Fault("busy", calls=(0,)))
    server.behave(Behaviour(text="Apples.", faults=faults, retry_after_seconds=0.01))
    done = rewrite(server, own)
    assert done.code == 2
    assert "5 rewritten, 1 failed" in done.out
    assert "some failed: production/apples/2: Apples." in done.err
    server.behave(Behaviour(text="Apples."))
    assert "1 rewritten, 0 failed, 5 done before" in rewrite(server, own).out


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("   ", "", "an answer of 0 characters; should be 1 to 4,000"),
        ("x" * (LONGEST_REWRITTEN + 1), "", "an answer of 4,001 characters; should be 1 to 4,000"),
        ("A long story about apples.", ",max_tokens=2", "the answer is cut short; a larger max_tokens=… lets it end"),
    ],
    ids=["nothing", "too long", "cut short"],
)
def test_an_answer_that_is_no_prompt_is_not_kept(
    server: Server, tmp_path: Path, text: str, options: str, reason: str
) -> None:
    own = tmp_path / "own.csv"
    server.behave(Behaviour(text=text))
    done = rewrite(server, own, "--limit", 1, model=spec(server) + options)
    assert done.code == 2
    assert reason in done.err
    assert read_rows(own) == {}


def test_the_key_is_neither_shown_nor_kept(server: Server, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    server.behave(Behaviour(text="Apples", echo_headers=True))
    done = rewrite(server, own, "--limit", 1)
    assert server.requests()[-1]["headers"]["authorization"] == f"Bearer {KEY}"
    assert "[key]" in own.read_text()
    assert KEY not in own.read_text() + done.out + done.err


@pytest.mark.slow
def test_rewritten_prompts_are_run_beside_their_base(server: Server, tmp_path: Path, odd_models: None) -> None:
    own, run = tmp_path / "own.csv", tmp_path / "run"
    rewrite(server, own, "--limit", 4, "--instruction", "Better")
    refine = ("--refine", f"rewritten:file={own}", "--model", "noisy:longest_ms=1", "--judge", "none", "--repeats", 1)
    done = call("run", SUITE, *refine, "--out", run)
    assert done.code == 0, done.err
    kept = "2 of 6 prompts as they were (not in the file, or the same in it)"
    assert f"production~rewritten: {kept}" in done.out
    with Run(Folder(run)) as opened:
        items = opened.items("production~rewritten")
        assert [item.base for item in items] == BASE
        assert len(list(opened.responses())) == 12
        rewritten = read_rows(own)
    changed = {item.base for item in items if task_text(item.task) == "Three apples in a row"}
    assert changed == {*rewritten}  # in the order in which they were answered
    assert {item.factors.get("rewriter") for item in items} == {spec(server), None}
    own.write_text(own.read_text().replace("Three apples in a row", "Three"))
    assert "was made with the suite" in call("run", SUITE, *refine, "--out", run).err


def test_a_dry_run_shows_what_would_be_sent_and_asks_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    own = tmp_path / "own.csv"
    done = call("make", "rewrites", SUITE, "--model", "openai:any", "--out", own, "--dry-run")
    assert done.out == (f"6 prompts; the first would be sent as:\n\n{INSTRUCTION}\n\nPrompt: An image with 1 apple\n")
    assert not own.exists()
    assert "needs a key" in call("make", "rewrites", SUITE, "--model", "openai:any", "--out", own).err
    assert not own.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((SUITE, "--model", "painter"), "model 'painter' cannot write texts; take openai:MODEL"),
        (
            ("naming:images=1", "--model", "openai:any"),
            "suite 'naming:images=1' has no prompt that asks",
        ),
        (("production~grid", "--model", "openai:any"), "suite 'production~grid' is refined already; take 'production'"),
        ((SUITE, "--model", "openai:any", "--limit", 0), "--limit 0: should be at least 1"),
        ((SUITE, "--model", "openai:any", "--instruction", " "), "--instruction is empty"),
        ((SUITE, "--model", "openai:any", "--out", "run.sqlite"), "run.sqlite is the name of a run's database"),
    ],
    ids=["model", "suite", "refined", "limit", "instruction", "file"],
)
def test_what_cannot_be_done_says_why(arguments: tuple[object, ...], message: str) -> None:
    done = call("make", "rewrites", *arguments, "--dry-run")
    assert done.code == 2
    assert message in done.err


CLEANED = [
    ("Three apples.", "Three apples."),
    ('"Three apples."', "Three apples."),
    ("“Three apples.”", "Three apples."),
    ("Here is the rewritten prompt:\n\nThree apples.", "Three apples."),
    ("Sure! Here's a better one: 'Three apples.'", "Three apples."),
    ("Here is a description: three apples", "three apples"),
    ("**Rewritten version:** Three apples.", "Three apples."),
    ("Here is what I would say:\n\nThree apples.", "Three apples."),
    ("Of course: here is the new prompt: A photo: 3 cats", "A photo: 3 cats"),
    (
        "Here is a bowl with 3 apples: red, green and yellow.",
        "Here is a bowl with 3 apples: red, green and yellow.",
    ),
    ("Here's a table: 'three' apples", "Here's a table: 'three' apples"),
    ("Here is a photo at 12:30 of 3 cats", "Here is a photo at 12:30 of 3 cats"),
    ("Here are three cats:", "Here are three cats:"),
    ("Here is the prompt:", "Here is the prompt:"),
    ("**Prompt:** Three apples.", "Three apples."),
    ("Rewritten prompt: Three apples.", "Three apples."),
    ("<think>They want three.\n</think>\nThree apples.", "Three apples."),
    ("```text\nThree apples.\n```", "Three apples."),
    ("Three apples\nin a row.", "Three apples in a row."),
    ('"Three" apples and "four" pears', '"Three" apples and "four" pears'),
    ("Here is a table with 3 apples", "Here is a table with 3 apples"),
    ("Grid: three rows of apples", "Grid: three rows of apples"),
    ("Prompt:", "Prompt:"),
    ("A sign that says 'apples'", "A sign that says 'apples'"),
    ("", ""),
]


def test_only_what_surrounds_a_prompt_is_taken_off(case: Case) -> None:
    for answer, prompt in CLEANED:
        with case(answer):
            assert clean(answer) == prompt


PRICES = """
[[price]]
host = "127.0.0.1"
models = ["test-model"]
as_of = 2026-11-01
source = "made up"
chat_usd_per_million = { input = 1000, output = 1000 }
"""


def test_rewriting_stops_before_it_costs_more_than_its_limit(server: Server, tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES, encoding="utf-8")
    before, own = server.counters().received, tmp_path / "own.csv"
    without_price = rewrite(server, own, "--max-cost", 1)
    assert "--max-cost needs the price of 'openai:test-model" in without_price.err
    assert server.counters().received == before
    done = rewrite(server, own, "--max-cost", 0.4, "--prices", tmp_path / "prices.toml")
    assert done.code == 2
    assert "stopped at --max-cost 0.4: US$ 0." in done.err
    assert 1 <= server.counters().received - before < len(BASE)
    assert len(read_rows(own)) == server.counters().received - before
    rest = rewrite(server, own, "--max-cost", 10, "--prices", tmp_path / "prices.toml")
    assert rest.code == 0
    assert len(read_rows(own)) == len(BASE)
