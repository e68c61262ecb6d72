"""Two rows are comparable exactly when the fingerprints of their protocols are equal."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from subitize.analysis.observations import NO_JUDGE, Reader
from subitize.analysis.protocols import (
    Followed,
    Place,
    Protocol,
    describe,
    differences,
    fingerprints,
    follow_protocols,
    follow_trails,
)
from subitize.labels import parse_rule
from subitize.records import (
    Ask,
    Count,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    Known,
    Outcome,
    Provenance,
    Reading,
    Refused,
    Response,
    Scalar,
    Spec,
    Subject,
    Trial,
    Words,
)
from subitize.store import Folder, Run


@dataclass(frozen=True)
class Setup:
    """How a run is made; every field changes one thing."""

    suite_options: Mapping[str, str] = field(default_factory=lambda: {"images": "2"})
    seed: int = 1
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
    excluded: int = 0
    failed: int = 0
    refused: int = 0


SETUP = Setup()


def fill(run: Run, setup: Setup) -> None:
    """Put the items, one model's responses and one judge's readings into a run."""
    items = [
        Item(f"production/{number}", Draw(setup.wording.format(number)), (Ask(Count("apple"), "?", (number,)),), {})
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
        if isinstance(outcome, Drawn):
            how = None if setup.judge_revision is None else Provenance(0, "?", revision=setup.judge_revision)
            value = Known(3)
            readings.append(
                Reading(Subject((trial.id,)), Count("apple"), setup.judge, Words("3"), setup.rule, value, "", None, how)
            )
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


def followed(folder: Path, setup: Setup, reader: Reader | None = None) -> Followed:
    with Run(Folder(folder), create=True) as run:
        fill(run, setup)
        (found,) = follow_protocols(run, follow_trails(run), reader).values()
    return found


def protocol(folder: Path, setup: Setup, reader: Reader | None = None) -> Protocol:
    return followed(folder, setup, reader).protocol


@pytest.fixture
def usual(tmp_path: Path) -> Protocol:
    return protocol(tmp_path / "usual", SETUP)


OTHERS = {
    "suite option": (replace(SETUP, suite_options={"images": "3"}), ["images 2 against 3"]),
    "new suite option": (
        replace(SETUP, suite_options={"images": "2", "max_attempts": "5"}),
        ["max_attempts not told against 5"],
    ),
    "seed": (replace(SETUP, seed=2), ["seed of the run: 1 against 2"]),
    "subset of items": (replace(SETUP, items=4), ["items: 6 against 4"]),
    "prompts": (
        replace(SETUP, wording="{} apples"),
        [r"prompts as sent: hash [0-9a-f]{12} against hash [0-9a-f]{12}"],
    ),
    "repeats": (replace(SETUP, repeats=4), ["answers or images per item: 1 against 4"]),
    "all rewritten": (replace(SETUP, rewritten=6), ["prompts rewritten by the provider: none against all"]),
    "some rewritten": (replace(SETUP, rewritten=2), ["prompts rewritten by the provider: none against some"]),
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
    "excluded items": (replace(SETUP, excluded=1), [r"excluded by hand: none against 1 items \([0-9a-f]{6}\)"]),
}


@pytest.mark.parametrize(("setup", "told"), OTHERS.values(), ids=OTHERS)
def test_what_is_another_protocol_has_another_fingerprint_and_is_told(
    usual: Protocol, tmp_path: Path, setup: Setup, told: list[str]
) -> None:
    other = protocol(tmp_path / "other", setup)
    assert other.fingerprint != usual.fingerprint
    found = differences(usual, other)
    assert len(found) == len(told)
    assert all(re.fullmatch(pattern, text) for pattern, text in zip(told, found, strict=True)), found


SAME = {
    "another model": replace(SETUP, model="drawer", model_options={"steps": "50"}),
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


@pytest.mark.parametrize("setup", SAME.values(), ids=SAME)
def test_what_is_a_rows_own_leaves_the_fingerprint(usual: Protocol, tmp_path: Path, setup: Setup) -> None:
    other = protocol(tmp_path / "other", setup)
    assert differences(usual, other) == []
    assert other.fingerprint == usual.fingerprint


def test_another_date_leaves_the_fingerprint(usual: Protocol, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1e9)
    later = followed(tmp_path / "later", SETUP)
    assert later.particulars.first_at == 1e9
    assert later.protocol.fingerprint == usual.fingerprint


def test_a_single_image_is_not_told_apart_by_its_file(tmp_path: Path) -> None:
    one = replace(SETUP, items=1)
    named = followed(tmp_path / "named", replace(one, names_files=True))
    assert named.protocol.fingerprint == protocol(tmp_path / "plain", one).fingerprint
    assert set(named.particulars.varying) == {"file", "seed_in_name"}


def test_how_often_and_into_what_a_provider_rewrote_is_the_models(tmp_path: Path) -> None:
    some = followed(tmp_path / "some", replace(SETUP, rewritten=2))
    more = followed(tmp_path / "more", replace(SETUP, rewritten=4, rewriting="Other words"))
    assert some.protocol.fingerprint == more.protocol.fingerprint
    assert (some.particulars.rewritten, more.particulars.rewritten, more.particulars.answered) == (2, 4, 6)


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
    [Reader(rule=parse_rule("total")), Reader(agreement="majority")],
    ids=["read anew by another rule", "another agreement"],
)
def test_how_scores_are_read_is_part_of_the_protocol(usual: Protocol, tmp_path: Path, reader: Reader) -> None:
    assert protocol(tmp_path / "run", SETUP, reader).fingerprint != usual.fingerprint


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
        found = fingerprints(run, Reader("other"))
    assert set(found) == {("production", "drawer", "other")}


def test_where_all_was_refused_no_judge_is_needed(tmp_path: Path) -> None:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        fill(run, replace(SETUP, refused=6))
        (place,) = fingerprints(run)
    assert place == Place("production", "maker", NO_JUDGE)


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


def test_a_fingerprint_is_the_same_on_every_machine(usual: Protocol) -> None:
    assert usual.fingerprint == "5bfa2da12acd"


def test_a_protocol_is_told_in_words(usual: Protocol) -> None:
    told = dict(describe(usual))
    assert told["Suite options"] == ("images = 2",)
    assert told["Parameters of the call"] == ("quality = high", "size = 512")
    assert told["Items"] == ("6",)
    assert told["Rule, with version and threshold"] == ("strict@1",)


def test_what_is_a_rows_own_is_kept_beside_the_protocol(tmp_path: Path) -> None:
    own = followed(tmp_path / "run", replace(SETUP, names_files=True, attempts=2, failed=1)).particulars
    assert own.settings["Revision"] == {"2025-08": 11}
    assert own.settings["Versions"] == {"subitize 1.0": 11}
    assert own.prompts == tuple(f"An image with {number} apples" for number in range(3))
    assert (own.responses, own.answered, own.asked_again) == (12, 11, 6)
    assert len(own.varying["file"]) == 11
