"""Two rows are comparable exactly when the fingerprints of their protocols are equal."""

import re
import tracemalloc
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from subitize.analysis.frame import ReadOptions, read_frame
from subitize.analysis.protocols import (
    Protocol,
    RowProtocol,
    Unread,
    describe,
    differences,
    read_making,
    read_protocols,
)
from subitize.analysis.provenance import Group, read_contents, read_provenance
from subitize.frame import NO_JUDGE
from subitize.io import files
from subitize.labels import parse_rule
from subitize.records import (
    Answer,
    Ask,
    Count,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Filed,
    Item,
    Known,
    MatchesPrompt,
    Outcome,
    Picture,
    Provenance,
    Reading,
    Refused,
    Response,
    Said,
    Scalar,
    Spec,
    Stimulus,
    Stored,
    Subject,
    Trial,
    Words,
)
from subitize.store import Folder, Run
from subitize.store.reading import trace_readings
from tests.cases import Case


@dataclass(frozen=True)
class Setup:
    """How a run is made; every field changes one thing."""

    suite_options: Mapping[str, str] = field(default_factory=lambda: {"images": "2"})
    seed: int = 1
    category: str = "apples"
    items: int = 6
    of: int = 6
    wording: str = "An image with {} apples"
    model: str = "maker"
    model_options: Mapping[str, str] = field(default_factory=dict)
    repeats: int = 1
    attempts: int = 1
    rewritten: int = 0
    rewriting: str = "A photograph of apples"
    shared_seed: int | None = None
    parameters: Mapping[str, Scalar] = field(default_factory=lambda: {"size": 512, "quality": "high"})
    names_files: bool = False
    revision: str | None = "2025-08"
    weights_hash: str | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: {"subitize": "1.0"})
    tokens_out: int | None = None
    judge: str = "finder"
    judge_options: Mapping[str, str] = field(default_factory=lambda: {"floor": "0.1"})
    judge_revision: str | None = None
    rule: str = "strict@1"
    unread: tuple[int, ...] = ()
    annotators: tuple[str, ...] = ("",)
    excluded: int = 0
    failed: int = 0
    refused: int = 0


def fingerprints(run: Run, reader: ReadOptions | None = None) -> dict[tuple[str, ...], str]:
    """Return the fingerprints of the rows of a score."""
    reader = reader or ReadOptions()
    rows = {*read_frame(run, reader).observations.rows.select(Group._fields).unique().iter_rows()}
    return {place: one for place, one in read_making(run, reader).fingerprints.items() if place in rows}


SETUP = Setup()


def fill(run: Run, setup: Setup) -> None:
    """Put the items, one model's responses and one judge's readings into a run."""
    items = [
        Item(
            f"production/{number}",
            Draw(setup.wording.format(number)),
            (Ask(Count("apple"), "?", (number,)),),
            {"category": setup.category},
        )
        for number in range(setup.of)
    ]
    run.add_suite(Spec("production", setup.suite_options, "production"), setup.seed, items)
    run.add_model(Spec(setup.model, setup.model_options, setup.model), is_stand_in=False)
    run.add_judge(Spec(setup.judge, setup.judge_options, setup.judge), is_stand_in=False)
    responses, readings = [], []
    asked = [
        (item, repeat, attempt)
        for item in items[: setup.items]
        for repeat in range(setup.repeats)
        for attempt in range(setup.attempts)
    ]
    for place, (item, repeat, attempt) in enumerate(asked):
        trial = Trial(item.id, setup.model, setup.model_options, repeat, attempt)
        outcome = _outcome(setup, place)
        responses.append(Response(trial, outcome, _provenance(setup, item, trial, place)))
        if isinstance(outcome, Drawn) and place not in setup.unread:
            how = None if setup.judge_revision is None else Provenance(0, "?", revision=setup.judge_revision)
            value = Known(3)
            readings += [
                Reading(
                    Subject((trial.id,)), Count("apple"), setup.judge, Words("3"), setup.rule, value, who, None, how
                )
                for who in setup.annotators
            ]
    with run.lease("test") as lease:
        run.add_responses(lease, responses)
        run.add_readings(lease, readings)
    for item in items[: setup.excluded]:
        run.exclude(item.id, "misprinted")


def _outcome(setup: Setup, place: int) -> Outcome:
    if place < setup.failed:
        return Failed("HTTP 500", is_transient=False)
    if place < setup.failed + setup.refused:
        return Refused("not my thing")
    return Drawn(Elsewhere(f"{place}.png"))


def _provenance(setup: Setup, item: Item, trial: Trial, place: int) -> Provenance:
    assert isinstance(item.task, Draw)
    start = Provenance(trial.seed(setup.seed) if setup.shared_seed is None else setup.shared_seed, item.task.prompt)
    if place < setup.failed:
        return start
    names: dict[str, Scalar] = {"file": f"{place}.png", "seed_in_name": place} if setup.names_files else {}
    return replace(
        start,
        prompt_rewritten=setup.rewriting.format(item.id.rpartition("/")[2]) if place < setup.rewritten else None,
        parameters={**setup.parameters, **names},
        revision=setup.revision,
        weights_hash=setup.weights_hash,
        versions=setup.versions,
        tokens_out=setup.tokens_out,
    )


def followed(folder: Path, setup: Setup, reader: ReadOptions | None = None) -> RowProtocol:
    with Run(Folder(folder), create=True) as run:
        fill(run, setup)
        (found,) = read_protocols(run, read_provenance(run), reader).values()
    return found


def protocol(folder: Path, setup: Setup, reader: ReadOptions | None = None) -> Protocol:
    return followed(folder, setup, reader).protocol


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Protocol:
    return protocol(tmp_path_factory.mktemp("usual") / "run", SETUP)


HASH = "hash [0-9a-f]{12}"
OTHERS = {
    "asking again": (
        replace(SETUP, suite_options={"images": "2", "max_attempts": "5"}),
        ["max_attempts not told against 5"],
    ),
    "conditions": (replace(SETUP, category="pears"), [f"content of the items: {HASH} against {HASH}"]),
    "subset of items": (replace(SETUP, items=4), ["items: 6 against 4"]),
    "prompts": (
        replace(SETUP, wording="{} apples"),
        [f"content of the items: {HASH} against {HASH}"],
    ),
    "repeats": (replace(SETUP, repeats=4), ["answers or images per item: 1 against 4"]),
    "all rewritten": (replace(SETUP, rewritten=6), ["prompts rewritten by the provider: none against some or all"]),
    "some rewritten": (replace(SETUP, rewritten=2), ["prompts rewritten by the provider: none against some or all"]),
    "size": (replace(SETUP, parameters={"size": 1024, "quality": "high"}), ["size 512 against 1024"]),
    "fewer parameters": (replace(SETUP, parameters={"size": 512}), ["quality high against not told"]),
    "one seed for all": (replace(SETUP, shared_seed=7), ["seeds: each trial its own against shared between trials"]),
    "judge": (replace(SETUP, judge="vlm:openai:some"), ["judge: finder against vlm:openai:some"]),
    "judge option": (replace(SETUP, judge_options={"floor": "0.2"}), ["floor 0.1 against 0.2"]),
    "judge revision": (
        replace(SETUP, judge_revision="some-2025-01"),
        ["revision of the judge: not told against some-2025-01"],
    ),
    "rule": (replace(SETUP, rule="total@1"), ["rule, with version and threshold: strict@1 against total@1"]),
    "version of the rule": (replace(SETUP, rule="strict@2"), ["rule, .*: strict@1 against strict@2"]),
    "threshold": (replace(SETUP, rule="boxes@1>=0.4"), ["rule, .*: strict@1 against boxes@1>=0.4"]),
    "half judged": (
        replace(SETUP, unread=(3, 4, 5)),
        [r"left unread by the judge: none against 3 questions about items wholly, 0 in part \([0-9a-f]{6}\)"],
    ),
    "more readings": (
        replace(SETUP, annotators=("ann", "bob")),
        ["readings of an answer: 1 against 2", "agreement of several readings: mode against plurality"],
    ),
    "excluded items": (replace(SETUP, excluded=1), [r"excluded by hand: none against 1 items \([0-9a-f]{6}\)"]),
}


@pytest.mark.slow
def test_what_is_another_protocol_has_another_fingerprint_and_is_told(
    usual: Protocol, tmp_path: Path, case: Case
) -> None:
    for name, (setup, told) in OTHERS.items():
        with case(name):
            other = protocol(tmp_path / name, setup)
            assert other.fingerprint != usual.fingerprint
            found = differences(usual, other)
            assert len(found) == len(told)
            assert all(re.fullmatch(pattern, text) for pattern, text in zip(told, found, strict=True)), found


SAME = {
    "another model": replace(SETUP, model="drawer", model_options={"steps": "50"}),
    "another suite option": replace(SETUP, suite_options={"images": "3", "prompts": "elsewhere.csv"}),
    "another seed": replace(SETUP, seed=2),
    "a number as text": replace(SETUP, parameters={"size": "512", "quality": "high"}),
    "another revision": replace(SETUP, revision="2025-09"),
    "other weights": replace(SETUP, weights_hash="feedbeef"),
    "other versions": replace(SETUP, versions={"subitize": "2.0", "torch": "3.0"}),
    "other tokens": replace(SETUP, tokens_out=77),
    "files that it came from": replace(SETUP, names_files=True),
    "another server": replace(SETUP, parameters={"size": 512, "quality": "high", "base_url": "http://here/v1"}),
    "another provider": replace(SETUP, parameters={"size": 512, "quality": "high", "model": "m", "provider": "p"}),
    "several images per call": replace(SETUP, parameters={"size": 512, "quality": "high", "n": 4}),
    "more items planned than asked": replace(SETUP, of=9),
    "asked again": replace(SETUP, attempts=2),
    "prompts given back as they were": replace(SETUP, rewritten=6, rewriting=SETUP.wording),
    "a failed call": replace(SETUP, failed=1),
    "a refusal": replace(SETUP, refused=2),
}


@pytest.mark.slow
def test_what_is_a_rows_own_leaves_the_fingerprint(usual: Protocol, tmp_path: Path, case: Case) -> None:
    for name, setup in SAME.items():
        with case(name):
            other = protocol(tmp_path / name, setup)
            assert differences(usual, other) == []
            assert other.fingerprint == usual.fingerprint


def test_another_date_leaves_the_fingerprint(usual: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1e9)
    later = followed(tmp_path / "later", SETUP)
    assert later.calls.first_at == 1e9
    assert later.protocol.fingerprint == usual.fingerprint


def test_a_single_image_is_not_told_apart_by_its_file(tmp_path: Path) -> None:
    one = replace(SETUP, items=1)
    named = followed(tmp_path / "named", replace(one, names_files=True))
    assert named.protocol.fingerprint == protocol(tmp_path / "plain", one).fingerprint
    assert set(named.varying) == {"file", "seed_in_name"}


def test_how_often_and_into_what_a_provider_rewrote_is_the_models(tmp_path: Path) -> None:
    some = followed(tmp_path / "some", replace(SETUP, rewritten=2))
    more = followed(tmp_path / "more", replace(SETUP, rewritten=4, rewriting="Other words"))
    assert some.protocol.fingerprint == more.protocol.fingerprint
    answers = some.calls.answers(), more.calls.answers()
    assert [(one.rewritten, one.responses) for one in answers] == [(2, 6), (4, 6)]


def test_other_exclusions_of_as_many_items_are_another_protocol(tmp_path: Path) -> None:
    found: list[str] = []
    for name, item in (("first", "production/0"), ("last", "production/5")):
        with Run(Folder(tmp_path / name), create=True) as run:
            fill(run, SETUP)
            run.exclude(item, "misprinted")
            found += fingerprints(run).values()
    assert len(set(found)) == 2


@pytest.mark.parametrize(
    "reader",
    [ReadOptions(rule=parse_rule("total")), ReadOptions(agreement="majority")],
    ids=["read anew by another rule", "another agreement"],
)
def test_how_scores_are_read_is_part_of_the_protocol(usual: Protocol, tmp_path: Path, reader: ReadOptions) -> None:
    assert protocol(tmp_path / "run", SETUP, reader).fingerprint != usual.fingerprint


@pytest.mark.slow
def test_the_rule_that_was_the_default_keeps_its_fingerprints_and_the_new_one_has_its_own(tmp_path: Path) -> None:
    of: dict[tuple[int, str], str] = {}
    for people in (("ann",), ("ann", "bob")):
        setup = replace(SETUP, annotators=people)
        for rule in ("mode", "first", "plurality", "median", "majority"):
            found = protocol(tmp_path / f"{len(people)}-{rule}", setup, ReadOptions(agreement=rule))
            of[len(people), rule] = found.fingerprint
    # One reading of each answer is what it is by all rules that were not there before.
    assert of[1, "mode"] == of[1, "first"] == of[1, "plurality"] == of[1, "median"] != of[1, "majority"]
    assert of[2, "mode"] == of[2, "first"]
    assert len({of[2, rule] for rule in ("mode", "plurality", "median", "majority")}) == 4


def test_models_of_one_run_with_the_same_settings_are_comparable(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, SETUP)
        fill(run, replace(SETUP, model="drawer", revision="other"))
        fill(run, replace(SETUP, model="half", items=3))
        found = fingerprints(run)
    assert found["production", "maker", "finder"] == found["production", "drawer", "finder"]
    assert found["production", "maker", "finder"] != found["production", "half", "finder"]
    assert set(found) == {("production", model, "finder") for model in ("maker", "drawer", "half")}


def test_one_judge_alone_may_be_asked_for(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, SETUP)
        fill(run, replace(SETUP, model="drawer", judge="other"))
        found = fingerprints(run, ReadOptions("other"))
    assert set(found) == {("production", "drawer", "other")}


def test_where_all_was_refused_no_judge_is_needed(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, replace(SETUP, refused=6))
        (place,) = fingerprints(run)
    assert place == Group("production", "maker", NO_JUDGE)


def test_a_failed_call_that_was_made_again_is_not_another_prompt(usual: Protocol, tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, SETUP)
        trial = Trial("production/0", "maker", {})
        with run.lease("test") as lease:
            run.add_responses(lease, [Response(trial, Failed("timed out", True), Provenance(0, "as it was planned"))])
        (found,) = fingerprints(run).values()
    assert found == usual.fingerprint


def test_a_prompt_with_half_a_character_is_read_as_it_was_stored(tmp_path: Path) -> None:
    odd = protocol(tmp_path / "odd", replace(SETUP, wording='{} "apples",\\ \ud83d'))
    mark = protocol(tmp_path / "mark", replace(SETUP, wording='{} "apples",\\ ?'))
    assert odd.fingerprint == mark.fingerprint


PIXELS = b"\x89PNG of an apple"


def shown(folder: Path, picture: Picture | None, ask: Ask | None = None) -> Protocol:
    """Make a run of one answer about a picture, in a file of the folder's own unless another is given."""
    file = folder / "images" / "one.png"
    if picture is None:
        file.parent.mkdir(parents=True)
        file.write_bytes(PIXELS)
    question = ask or Ask(Count("apple"), "How many?", (1,))
    item = Item("naming/one", Answer(picture or Filed(str(file)), "How many?"), (question,), {})
    trial = Trial(item.id, "teller", {})
    reading = Reading(Subject((trial.id,)), question.question, "parser", Words("1"), "strict@1", Known(1))
    with Run(Folder(folder / "run"), create=True) as run:
        run.add_suite(Spec("naming", {"images": str(file.parent)}, "naming"), 1, [item])
        run.add_model(Spec("teller", {}, "teller"), is_stand_in=False)
        with run.lease("test") as lease:
            run.add_responses(lease, [Response(trial, Said("1"), Provenance(1, "How many?"))])
            run.add_readings(lease, [reading])
        (found,) = read_protocols(run, read_provenance(run)).values()
    return found.protocol


def test_the_same_pictures_in_another_folder_or_in_the_run_are_the_same(tmp_path: Path) -> None:
    kept = Stored(sha256(PIXELS).hexdigest(), "png")
    found = [shown(tmp_path / name, picture) for name, picture in (("may", None), ("june", None), ("kept", kept))]
    assert len({one.fingerprint for one in found}) == 1


RECIPE = Stimulus("apples", 3, 7)
CONTENTS = {
    "pixels": (Stored("aa", "png"), Stored("bb", "png")),
    "recipe": (RECIPE, replace(RECIPE, number=4)),
    "name": (Elsewhere("one"), Elsewhere("two")),
}


@pytest.mark.parametrize(("one", "other"), CONTENTS.values(), ids=CONTENTS)
def test_another_picture_is_another_protocol(tmp_path: Path, one: Picture, other: Picture) -> None:
    found = differences(shown(tmp_path / "one", one), shown(tmp_path / "other", other))
    assert [line.partition(":")[0] for line in found] == ["content of the items"]


ASK = Ask(Count("apple"), "How many?", (1,))
ASKS = {
    "what is right": replace(ASK, expects=(2,)),
    "wording": replace(ASK, wording="How many are there?"),
    "question": replace(ASK, question=Count("pear")),
    "parent": replace(ASK, parent="count:pear"),
    "relevance": replace(ASK, is_relevant=False),
    "group": replace(ASK, group=4),
}


def test_another_ground_truth_or_question_is_another_protocol(tmp_path: Path, case: Case) -> None:
    one = shown(tmp_path / "one", RECIPE, ask=ASK)
    for name, ask in ASKS.items():
        with case(name):
            other = shown(tmp_path / name, RECIPE, ask=ask)
            assert one.fingerprint != other.fingerprint
            assert differences(one, other)[0].startswith("content of the items: hash ")


def test_a_picture_that_is_gone_is_told_by_its_name(tmp_path: Path) -> None:
    gone = shown(tmp_path / "gone", Filed(str(tmp_path / "gone.png")))
    there = shown(tmp_path / "there", None)
    assert dict(describe(gone))["Unknown pictures"] == ("unknown picture gone.png",)
    assert "unknown pictures: unknown picture gone.png against none" in differences(gone, there)


def test_each_file_is_read_once_however_many_items_show_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.png"
    file.write_bytes(PIXELS)
    items = [Item(f"naming/{n}", Answer(Filed(str(file)), f"{n}?"), (ASK,), {}) for n in range(20)]
    opened: list[object] = []

    def note(path: Path, mode: str) -> IO[Any]:
        opened.append(path)
        return open(path, mode)

    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(Spec("naming", {}, "naming"), 1, items)
        monkeypatch.setattr(files, "open", note, raising=False)
        assert len({content.hash for content in read_contents(run, {item.id for item in items}).values()}) == 20
    assert opened.count(file) == 1


def test_which_answers_are_unread_matters_and_not_only_how_many(tmp_path: Path) -> None:
    first = protocol(tmp_path / "first", replace(SETUP, unread=(0, 1, 2)))
    last = protocol(tmp_path / "last", replace(SETUP, unread=(3, 4, 5)))
    assert first.fingerprint != last.fingerprint
    assert len(differences(first, last)) == 1


def test_what_was_read_of_some_answers_only_is_told_apart_from_what_was_not_read(tmp_path: Path) -> None:
    found = protocol(tmp_path / "run", replace(SETUP, repeats=2, unread=(0, 1, 2)))
    assert found.unread[:2] == (1, 1)


def test_a_call_that_failed_or_was_refused_is_not_left_unread(tmp_path: Path) -> None:
    found = protocol(tmp_path / "run", replace(SETUP, failed=2, refused=2))
    assert found.unread == Unread(0, 0, "")


def test_a_reading_of_an_earlier_attempt_does_not_stand_for_the_last(tmp_path: Path) -> None:
    found = protocol(tmp_path / "run", replace(SETUP, attempts=2, unread=(1, 3, 5, 7, 9, 11)))
    assert found.unread[:2] == (6, 0)


def test_answers_with_more_readings_than_others_are_told_by_their_share(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, SETUP)
        trial = Trial("production/0", "maker", {})
        again = Reading(Subject((trial.id,)), Count("apple"), "finder", Words("3"), "strict@1", Known(3), "bob")
        with run.lease("test") as lease:
            run.add_readings(lease, [again])
        (found,) = read_protocols(run, read_provenance(run)).values()
    assert dict(describe(found.protocol))["Readings of an answer"] == ("1 (83 %), 2 (17 %)",)


def test_a_group_of_repeats_is_read_as_one(tmp_path: Path) -> None:
    item = Item("production/0", Draw("4 apples"), (Ask(MatchesPrompt(), "?", (True,), group=2),), {})
    trials = [Trial(item.id, "maker", {}, repeat) for repeat in range(5)]
    groups = [Subject((trials[n].id, trials[n + 1].id)) for n in (0, 2)]
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(Spec("production", {}, "production"), 1, [item])
        run.add_model(Spec("maker", {}, "maker"), is_stand_in=False)
        with run.lease("test") as lease:
            run.add_responses(
                lease, [Response(one, Drawn(Elsewhere("x")), Provenance(one.repeat, "4 apples")) for one in trials]
            )
            run.add_readings(
                lease, [Reading(one, MatchesPrompt(), "people", Words("y"), "strict@1", Known(True)) for one in groups]
            )
        (found,) = read_protocols(run, read_provenance(run)).values()
    assert found.protocol.unread == Unread(0, 0, "")
    assert found.protocol.readings == ((1, 100),)


def test_which_items_were_asked_more_often_matters(tmp_path: Path) -> None:
    found = []
    for name, item in (("first", "production/0"), ("last", "production/5")):
        with Run(Folder(tmp_path / name), create=True) as run:
            fill(run, SETUP)
            trial = Trial(item, "maker", {}, 1)
            with run.lease("test") as lease:
                run.add_responses(lease, [Response(trial, Failed("gone", False), Provenance(9, "?"))])
            (one,) = read_protocols(run, read_provenance(run)).values()
        found.append(one.protocol)
    (told,) = differences(*found)
    assert re.fullmatch(r"answers .*: 1 \(5 items\), 2 \(1 items\), hash \w{6} against .*", told)


def test_a_judge_is_known_by_the_name_its_model_is_served_by(tmp_path: Path) -> None:
    monday = followed(tmp_path / "monday", replace(SETUP, judge_revision="gpt-9 fp_1"))
    tuesday = followed(tmp_path / "tuesday", replace(SETUP, judge_revision="gpt-9 fp_2"))
    assert monday.protocol.fingerprint == tuesday.protocol.fingerprint
    assert monday.protocol.judge_revisions == ("gpt-9",)
    assert tuesday.readings.revisions() == ("gpt-9 fp_2",)


@pytest.mark.parametrize(
    ("judge", "told"),
    [
        ("parser", "parser:policy=total"),
        ("vlm:openai:some,temperature=0.5", "vlm:openai:some,temperature=0.5,policy=total"),
        ("odd:size=3", "odd:policy=total,size=3"),
    ],
)
def test_a_rule_named_when_scoring_is_that_named_when_judging(tmp_path: Path, judge: str, told: str) -> None:
    rule = parse_rule("total")
    strict = replace(SETUP, judge=judge, judge_options={"policy": "strict", "size": "3"})
    total = replace(SETUP, judge=told, judge_options={"policy": "total", "size": "3"}, rule=str(rule))
    anew = protocol(tmp_path / "anew", strict, ReadOptions(rule=rule))
    stored = protocol(tmp_path / "stored", total)
    assert differences(anew, stored) == []
    assert anew.fingerprint == stored.fingerprint
    assert stored.fingerprint != protocol(tmp_path / "strict", strict).fingerprint


def test_where_a_judges_model_is_served_makes_no_other_protocol_but_its_settings_do(tmp_path: Path) -> None:
    def judged(name: str, port: int, temperature: str) -> str:
        url = f"http://127.0.0.1:{port}/v1"
        model = f"openai:some,base_url={url},temperature={temperature}"
        options = {"model": model, "model base_url": url, "model temperature": temperature}
        told = f"vlm:{model}"
        return protocol(tmp_path / name, replace(SETUP, judge=told, judge_options=options)).fingerprint

    assert judged("one", 8000, "0") == judged("other", 9000, "0") != judged("warm", 8000, "1")


def test_an_option_that_names_no_rule_is_the_judges_own(tmp_path: Path) -> None:
    judge = replace(SETUP, judge_options={"policy": "lenient"})
    assert protocol(tmp_path / "run", judge).judge_options == {"policy": "lenient"}


def test_prompts_that_were_sent_otherwise_than_items_word_them_are_told(usual: Protocol, tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, replace(SETUP, items=5))
        trial = Trial("production/5", "maker", {})
        parameters: dict[str, Scalar] = {"size": 512, "quality": "high"}
        how = Provenance(9, "Be exact. 5 apples", parameters=parameters)
        with run.lease("test") as lease:
            run.add_responses(lease, [Response(trial, Refused("no"), how)])
        (found,) = read_protocols(run, read_provenance(run)).values()
    (told,) = differences(usual, found.protocol)
    assert re.fullmatch(f"prompts as sent: as the items word them against otherwise, {HASH}", told)


_texts = st.text("ab 1", max_size=3)
_counts = st.integers(0, 2)
_options = st.dictionaries(st.sampled_from(["size", "n"]), st.sampled_from(["1", "512", "not told"]), max_size=2)
_hashes = st.sampled_from(["0" * 32, "1" * 32])
_pairs = st.lists(st.tuples(_counts, _counts), max_size=2).map(tuple)
_names = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=5, unique=True).map(tuple)
_PROTOCOLS = st.builds(
    Protocol,
    suite=_texts,
    asking_again=_options,
    items=_counts,
    contents=_hashes,
    unknown_pictures=_names,
    prompts=st.none() | _hashes,
    excluded=_counts,
    exclusions=_hashes,
    repeats=_pairs,
    repeated=_hashes,
    is_rewritten=st.booleans(),
    has_own_seeds=st.booleans(),
    parameters=_options,
    judge=_texts,
    judge_options=_options,
    judge_revisions=_names,
    unread=st.builds(Unread, _counts, _counts, _hashes),
    readings=_pairs,
    rules=_names,
    agreement=_texts,
    scoring_version=_counts,
)


@settings(max_examples=40)
@given(_PROTOCOLS, st.data())
def test_fingerprints_differ_exactly_where_there_is_something_to_say(one: Protocol, data: st.DataObject) -> None:
    source = data.draw(_PROTOCOLS)
    names = data.draw(st.sets(st.sampled_from([each.name for each in fields(Protocol)]), max_size=2))
    other = replace(one, **{name: getattr(source, name) for name in names})
    assert (one.fingerprint != other.fingerprint) == bool(differences(one, other))


@pytest.mark.slow
def test_prompts_of_judges_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subitize.store.reading._ROWS_AT_ONCE", 100)
    provenance = Provenance(0, "?" * 10_000)
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, SETUP)
        reading = Reading(
            Subject(("x",)), Count("apple"), "other", Words("3"), "strict@1", Known(3), "", None, provenance
        )
        with run.lease("test") as lease:
            run.add_readings(lease, [reading] * 3_000)
        tracemalloc.start()
        found = trace_readings(run)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert found.height == 3_006
    # All of them would be 30 MB.
    assert max(peak, found.estimated_size()) < 5e6


def test_a_reading_that_was_replaced_is_not_gone_through(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, replace(SETUP, items=1))
        (old,) = run.readings()
        with run.lease("test") as lease:
            run.add_readings(lease, [replace(old.reading, value=Known(4), rule="total@1", replaces=old.id)])
        assert trace_readings(run)["rule"].to_list() == ["total@1"]


def test_a_fingerprint_is_the_same_on_every_machine(usual: Protocol) -> None:
    assert usual.fingerprint == "3444b45d351f"


_HASH = "0123456789abcdef" * 2
PLAIN = Protocol(
    suite="production",
    asking_again={"max_attempts": "5"},
    items=1234,
    contents=_HASH,
    unknown_pictures=(),
    prompts="",
    excluded=0,
    exclusions=_HASH,
    repeats=((4, 1234),),
    repeated=_HASH,
    is_rewritten=False,
    has_own_seeds=True,
    parameters={},
    judge=NO_JUDGE,
    judge_options={},
    judge_revisions=(),
    unread=Unread(0, 0, ""),
    readings=(),
    rules=(),
    agreement="mode",
    scoring_version=2,
)
UNTOLD = replace(PLAIN, prompts=None)
RICH = replace(
    PLAIN,
    unknown_pictures=("a.png", "b.png", "c.png", "d.png"),
    prompts=_HASH,
    excluded=1200,
    repeats=((1, 2), (4, 1232)),
    is_rewritten=True,
    has_own_seeds=False,
    parameters={"size": "512"},
    judge="vlm:x",
    judge_options={"floor": "0.1"},
    judge_revisions=("x-1", "x-2"),
    unread=Unread(1, 2000, _HASH),
    readings=((1, 3), (5, 97)),
    rules=("boxes@1", "strict@2"),
)


def test_fingerprints_stay_as_they_are() -> None:
    # By the version that first printed fingerprints: whoever has one of a run must find it again.
    known = {"dc27fcb5498d": PLAIN, "37b909d2f4cd": RICH, "d450e75ec09b": UNTOLD}
    assert [one.fingerprint for one in known.values()] == list(known)
    assert len(differences(PLAIN, RICH)) > 10
    assert differences(PLAIN, replace(PLAIN)) == []


def test_a_protocol_is_told_in_words(usual: Protocol) -> None:
    told = dict(describe(usual))
    assert told["Asking again"] == ("none",)
    assert told["Parameters of the call"] == ("quality = high", "size = 512")
    assert told["Items"] == ("6",)
    assert told["Rule, with version and threshold"] == ("strict@1",)


def test_what_is_a_rows_own_is_kept_beside_the_protocol(tmp_path: Path) -> None:
    own = followed(tmp_path / "run", replace(SETUP, names_files=True, attempts=2, failed=1))
    facts = own.calls.facts()
    assert (own.suite_options, own.seed) == ({"images": "2"}, 1)
    assert facts["Revision"] == {"2025-08": 11}
    assert facts["Versions"] == {"subitize 1.0": 11}
    assert own.calls.prompts() == tuple(f"An image with {number} apples" for number in range(3))
    assert (own.calls.responses, own.calls.answers().responses, own.calls.asked_again) == (12, 11, 6)
    assert len(own.varying["file"]) == 11
