"""Agreement as the owner sees it equals the known truth of simulated people."""

import asyncio
import time
from pathlib import Path

import numpy as np
import pytest

from subitize.annotation.agreement import AgreementSnapshot, measure_agreement
from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.records import Count
from tests.annotation.studies import folder, item, make_run, opened

PAGES = 40


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[int]]]:
    """Three people: two careful ones who err now and then, and one who guesses."""
    path = tmp_path_factory.mktemp("oversight")
    make_run(
        folder(path), [item(f"cats/{place}", Count("cat"), "How many?", prompt=f"{place}") for place in range(PAGES)]
    )
    random = np.random.default_rng(5)
    truth = random.integers(1, 9, PAGES)
    said = {
        "anna": (truth + (random.random(PAGES) < 0.1)).tolist(),
        "ben": (truth - (random.random(PAGES) < 0.1)).tolist(),
        "guesser": random.integers(1, 9, PAGES).tolist(),
    }
    with opened(folder(path), people_per_image=3) as study:
        for name, answers in said.items():
            for place, answer in enumerate(answers):
                study.save(
                    study.people.invite(name), Assignment(place), 0, AnswerRecord(f"{name}-{place:05}", str(answer))
                )
    return path, said


@pytest.fixture(scope="module")
def found(seen: tuple[Path, dict[str, list[int]]]) -> AgreementSnapshot:
    return measure_agreement(folder(seen[0]), "human")


def test_agreement_of_each_person_is_the_share_of_others_answers_that_are_the_same(
    seen: tuple[Path, dict[str, list[int]]], found: AgreementSnapshot
) -> None:
    _, said = seen
    for person in found.people:
        others = [answers for name, answers in said.items() if name != person.name]
        same = [np.mean([other[place] == said[person.name][place] for other in others]) for place in range(PAGES)]
        assert person.agreement.value == pytest.approx(np.mean(same), abs=1e-12)
        assert person.agreement.n == PAGES
        assert person.agreement.low < person.agreement.value < person.agreement.high
    assert min(found.people, key=lambda one: one.agreement.value).name == "guesser"


def test_pairwise_agreement_and_alpha_are_those_of_the_answers(
    seen: tuple[Path, dict[str, list[int]]], found: AgreementSnapshot
) -> None:
    import krippendorff

    _, said = seen
    (concord,) = found.agreements
    names = list(said)
    pairs = [(one, two) for one in names for two in names if one < two]
    same = np.mean([np.mean(np.array(said[one]) == np.array(said[two])) for one, two in pairs])
    assert concord.pairwise is not None
    assert concord.alpha is not None
    assert concord.pairwise.value == pytest.approx(same, abs=1e-12)
    alpha = krippendorff.alpha(np.array([said[name] for name in names]), level_of_measurement="nominal")
    assert concord.alpha.value == pytest.approx(alpha, abs=1e-12)


def test_disagreements_come_with_everybodys_answer_the_most_divided_first(
    seen: tuple[Path, dict[str, list[int]]], found: AgreementSnapshot
) -> None:
    _, said = seen
    divided = [len(set(answers)) for answers in zip(*said.values(), strict=True)]
    assert [len(set(one.answers.values())) for one in found.disagreements] == sorted(
        (number for number in divided if number > 1), reverse=True
    )[:50]
    assert all(set(one.answers) == set(said) for one in found.disagreements)


def test_the_effect_of_leaving_somebody_out_is_what_the_others_agree_on(
    seen: tuple[Path, dict[str, list[int]]],
) -> None:
    path, said = seen
    without = measure_agreement(folder(path), "human", without="guesser")
    assert {one.name for one in without.people} == {"anna", "ben"}
    assert without.people[0].agreement.value == pytest.approx(
        np.mean(np.array(said["anna"]) == np.array(said["ben"])), abs=1e-12
    )


@pytest.mark.web
@pytest.mark.slow
def test_figures_that_are_too_old_are_not_shown(
    seen: tuple[Path, dict[str, list[int]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from subitize.annotation.agreement import MOST_AGE_SECONDS, AgreementMonitor

    monitor = AgreementMonitor(folder(seen[0]), "human")

    async def compute() -> AgreementSnapshot:
        while (latest := monitor.latest) is None:
            monitor.refresh()
            await asyncio.sleep(0.05)
        return latest

    try:
        latest = asyncio.run(compute())
        oldest = latest.at + latest.took_seconds + MOST_AGE_SECONDS
        for now, is_shown in ((oldest - 1, True), (oldest + 1, False)):
            monkeypatch.setattr(time, "time", lambda now=now: now)
            assert (monitor.latest is not None) == is_shown
    finally:
        monitor.close()
