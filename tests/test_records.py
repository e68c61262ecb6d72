"""Identity: who is who is the same in every process and on every machine."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from subitize.records import (
    Choose,
    Confirm,
    Count,
    Draw,
    Failed,
    Fit,
    Item,
    MatchesPrompt,
    Name,
    Outcome,
    Place,
    Question,
    Refused,
    Said,
    Subject,
    Transcribe,
    Trial,
    digest,
    is_final,
)
from tests.cases import Case

TRIAL = Trial("naming/apples/3/0/category", "ideal-human", {"weber": "0.15", "subitizing": "4"}, repeat=1, attempt=2)

_PRINT_IDS = """
from subitize.records import Subject, Trial, digest
options = dict([("weber", "0.15"), ("subitizing", "4")][::{step}])
trial = Trial("naming/apples/3/0/category", "ideal-human", options, repeat=1, attempt=2)
print(trial.id, trial.seed(7), Subject((trial.id, "x")).id, digest("é", 1, 0.5, True, {{"b": 1, "a": 2}}))
"""


@pytest.mark.slow
def test_ids_and_seeds_are_the_same_in_every_process() -> None:
    printed = set()
    for hash_seed, step in [("0", 1), ("1", 1), ("12345", -1)]:
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", _PRINT_IDS.format(step=step)]
        printed.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip())
    here = (TRIAL.id, TRIAL.seed(7), Subject((TRIAL.id, "x")).id, digest("é", 1, 0.5, True, {"a": 2, "b": 1}))
    assert printed == {" ".join(map(str, here))}


def test_a_stored_run_can_be_resumed_by_any_later_version() -> None:
    # By sha256sum of the trial as JSON; with another id every trial of every run that exists would be asked again.
    assert TRIAL.id == "2b0bd3ede75e1480ec8921fad01c3f0c"


@pytest.mark.parametrize(
    "other",
    [
        replace(TRIAL, item_id="naming/apples/3/1/category"),
        replace(TRIAL, model="ideal-human:weber=0.15"),
        replace(TRIAL, model_options={"weber": "0.16", "subitizing": "4"}),
        replace(TRIAL, model_options={"weber": "0.15"}),
        replace(TRIAL, repeat=0),
        replace(TRIAL, attempt=0),
        replace(TRIAL, repeat=2, attempt=1),
    ],
    ids=["item", "model", "option's value", "option", "repeat", "attempt", "repeat and attempt swapped"],
)
def test_a_trial_that_differs_in_any_part_is_another_trial(other: Trial) -> None:
    assert other.id != TRIAL.id
    assert other.seed(0) != TRIAL.seed(0)


def test_the_order_of_options_makes_no_difference() -> None:
    assert replace(TRIAL, model_options=dict(reversed(list(TRIAL.model_options.items())))).id == TRIAL.id


def test_two_items_with_equal_text_stay_apart() -> None:
    # GeckoNum's 01253 and 01267 are the same prompt.
    one, other = (Item(f"geckonum/{key}", Draw("1 dog."), (), {}) for key in ("01253", "01267"))
    assert one.task == other.task
    assert one.suite == other.suite == "geckonum"
    assert Trial(one.id, "m", {}).id != Trial(other.id, "m", {}).id


def test_a_trials_seed_depends_on_the_run_and_the_trial_alone() -> None:
    seeds = {TRIAL.seed(run_seed) for run_seed in range(100)}
    assert len(seeds) == 100
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert TRIAL.seed(3) == replace(TRIAL).seed(3)


def test_seeds_of_many_trials_are_spread_evenly() -> None:
    seeds = [Trial(f"s/{index}", "m", {}).seed(0) for index in range(2000)]
    assert len(set(seeds)) > 1995
    assert 0.45 < sum(seed < 2**31 for seed in seeds) / 2000 < 0.55


def test_a_subject_of_one_is_its_trial_and_a_group_is_known_by_its_members_in_order() -> None:
    assert Subject(("a",)).id == "a"
    ids = {Subject(group).id for group in [("a", "b"), ("b", "a"), ("a", "b", "c"), ("ab",), ("a,b",)]}
    assert len(ids) == 5


QUESTIONS: list[tuple[Question, str, bool]] = [
    (Count("dog"), "count:dog", False),
    (Count("dog", "red"), "count:red dog", False),
    (Count("dog", None, Place("left of", "cat")), "count:dog left of cat", False),
    (Count("dog", "red", Place("above", "cat")), "count:red dog above cat", False),
    (Choose(("no dogs", "some dogs")), 'choose:["no dogs", "some dogs"]', False),
    (Confirm("there is a dog", False), "confirm:there is a dog", False),
    (Confirm("there are 3 dogs", True), "confirm:there are 3 dogs", True),
    (MatchesPrompt(), "matches-prompt", True),
    (Name(), "name", False),
    (Transcribe(), "transcribe", False),
    (Fit("3 dogs"), "fit:3 dogs", True),
]


def test_a_questions_id_is_its_meaning_and_it_knows_whether_it_gives_the_prompt_away(case: Case) -> None:
    for question, id, is_informed in QUESTIONS:
        with case(id):
            assert question.id == id
            assert question.is_informed is is_informed


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [(Said("3"), True), (Refused("no"), True), (Failed("400", False), True), (Failed("503", True), False)],
    ids=["said", "refused", "failed for good", "failed for now"],
)
def test_only_a_transient_failure_is_not_final(outcome: Outcome, expected: bool) -> None:
    assert is_final(outcome) is expected
