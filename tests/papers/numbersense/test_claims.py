"""What Numbersense concludes: of its printed tables, and of models of which the truth is known."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from subitize.analysis.claims import Claim
from subitize.analysis.papers import CountingModels
from subitize.papers.numbersense.claims import CLAIMS, PERFECT, claims
from subitize.papers.numbersense.release import read
from subitize.papers.numbersense.reproduction import claims_of_printed
from subitize.papers.numbersense.tables import rows
from subitize.stats.confusion import human_matrix
from tests.commands import call
from tests.papers.numbersense.numbersense_names import CATEGORIES, touch, write_names

Draw = Callable[[int, np.random.Generator], int]


def by_id(found: list[Claim]) -> dict[str, Claim]:
    return {one.id: one for one in found}


@pytest.fixture(scope="module")
def printed() -> Mapping[str, Claim]:
    return by_id(claims_of_printed())


def measure(folder: Path) -> dict[str, Claim]:
    return by_id(claims(rows(read(folder).seen())))


def draw(
    folder: Path, law: Draw, *, images: int = 20, highest: int = 10, categories: tuple[str, ...] = CATEGORIES
) -> None:
    random = np.random.default_rng(len(folder.name))
    names = [
        f"{number}_{max(1, law(number, random))}_{category}_{index}.png"
        for category in categories
        for number in range(1, highest + 1)
        for index in range(images)
    ]
    touch(folder, *names)


def test_every_claim_is_held_against_the_printed_tables(printed: Mapping[str, Claim]) -> None:
    assert set(printed) == set(CLAIMS.functions)
    assert all(one.claim == CLAIMS.functions[id][0] and one.sentence for id, one in printed.items())


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("1", "holds"),
        ("3a", "holds"),
        ("3b", "holds"),
        ("3c", "holds"),
        ("3.1a", "holds"),
        ("3.1b", "holds"),
        ("3.1c", "undecided"),
        ("3.2a", "holds"),
        ("3.2b", "undecided"),
        ("3.2c", "holds"),
        ("3.2d", "holds"),
        ("3.2e", "undecided"),
        ("4", "undecided"),
    ],
)
def test_the_printed_tables_decide(id: str, verdict: str, printed: Mapping[str, Claim]) -> None:
    assert printed[id].verdict == verdict


def test_printed_figures_get_no_interval_and_tendencies_have_models_as_units(printed: Mapping[str, Claim]) -> None:
    assert "[" not in printed["3a"].sentence
    assert "Qwen-7B with 7 billion parameters 0.82, GPT-4V with >1000? 0.74" in printed["1"].sentence
    assert "under in 16 of 35 cells, over in 3" in printed["3.1c"].sentence
    (tendency,) = printed["3.1c"].comparisons
    # Table 2, row by row: categories with too few minus those with too many, of five.
    assert tendency.difference.value == pytest.approx(np.mean([2, 5, 0, 1, 3, -1, 3]) / 5)
    (drop,) = printed["3.2b"].comparisons
    naming, drawing = [0.89, 0.82, 0.60, 0.74, 0.37, 0.28, 0.29], [0.44, 0.41, 0.34, 0.28, 0.32]
    assert drop.difference.value == pytest.approx(np.mean(naming) - np.mean(drawing))


def test_one_who_never_errs_correlates_with_people_as_is_said() -> None:
    human = human_matrix(range(1, 11), 20)
    assert np.corrcoef(np.eye(20)[:, :10].ravel(), human.ravel())[0, 1] == pytest.approx(PERFECT, abs=5e-4)


@pytest.mark.slow
def test_of_a_model_that_never_errs_claims_of_weakness_do_not_hold(tmp_path: Path) -> None:
    draw(tmp_path / "exact", lambda number, _: number)
    found = measure(tmp_path / "exact")
    assert {found[id].verdict for id in ("3a", "3.2a", "3.2c")} == {"does not hold"}
    # Four prompts of a number cannot show that it is known beyond doubt.
    assert {found[id].verdict for id in ("3b", "3.2d")} == {"undecided"}
    assert found["3b"].sentence == "level: exact 10 [0, no end]"
    assert found["3c"].verdict == "holds"
    assert found["3.2e"].verdict == "undecided"


def test_of_a_model_that_estimates_as_people_do_scalar_variability_holds(tmp_path: Path) -> None:
    draw(tmp_path / "people", lambda number, random: round(random.normal(number, 0.15 * number)))
    found = measure(tmp_path / "people")
    verdicts = {id: found[id].verdict for id in ("3a", "3c", "4")}
    assert verdicts == {"3a": "holds", "3c": "holds", "4": "holds"}


@pytest.mark.slow
def test_of_models_that_always_draw_too_many_the_tendency_holds(tmp_path: Path) -> None:
    for place in range(6):
        draw(tmp_path / ("model" + "s" * place), lambda number, _: number + 2, images=5)
    found = measure(tmp_path)
    assert found["3.2e"].verdict == "holds"
    assert found["3.2a"].verdict == "holds"
    assert "over in 24 of 24 cells" in found["3.2e"].sentence


@pytest.mark.slow
def test_of_models_that_draw_too_few_the_opposite_does_not_hold(tmp_path: Path) -> None:
    for place in range(6):
        draw(tmp_path / ("model" + "s" * place), lambda number, _: number - 2, images=5)
    assert measure(tmp_path)["3.2e"].verdict == "does not hold"


def test_one_model_alone_is_judged_by_its_bias_on_the_whole(tmp_path: Path) -> None:
    draw(tmp_path / "one", lambda number, _: number + 1)
    found = measure(tmp_path / "one")["3.2e"]
    assert (found.verdict, found.comparisons) == ("holds", ())


@pytest.mark.slow
def test_intervals_of_several_models_are_wider_by_the_normal_law(tmp_path: Path) -> None:
    for model in ("a", "b"):
        write_names(tmp_path / model, images=10)
    ranges = rows(read(tmp_path).seen()).reports
    alone, both = (by_id(claims(CountingModels(own)))["3.2a"] for own in (ranges[:1], ranges))
    accuracy = ranges[0].accuracy_read
    assert accuracy is not None
    assert f"[{accuracy.low:.3f}, {accuracy.high:.3f}]" in alone.sentence
    times = norm.ppf(1 - 0.05 / 4) / norm.ppf(0.975)
    low = accuracy.value - times * (accuracy.value - accuracy.low)
    assert f"[{low:.3f}, " in both.sentence
    assert "intervals: 97.5 %, 95 % for all models of a task together" in both.sentence


def test_a_part_of_the_design_decides_nothing_about_the_whole(tmp_path: Path) -> None:
    draw(tmp_path / "few", lambda number, _: number + 3, highest=3)
    found = measure(tmp_path / "few")
    for id in ("3c", "3.2a", "3.2b", "3.2e", "4"):
        assert found[id].verdict == "undecided"
        assert "of which these have a part: few" in found[id].sentence
    assert found["3a"].verdict == "holds"  # one error is proof


def test_a_level_beyond_the_numbers_that_were_tried_has_no_end(tmp_path: Path) -> None:
    draw(tmp_path / "few", lambda number, _: number, highest=3, images=100)
    found = measure(tmp_path / "few")["3b"]
    assert (found.verdict, found.sentence) == ("undecided", "level: few 3 [0, no end]")


def test_one_who_is_asked_for_larger_numbers_is_not_measured_by_the_bound_of_smaller_ones(tmp_path: Path) -> None:
    run, model = tmp_path / "run", ("--model", "painter:size_px=128", "--repeats", 2)
    assert call("run", "production:numbers=1+11,categories=apples", *model, "--out", run).code == 0
    found = call("report", "tables", run, "--paper", "numbersense", "--claims", "--json").json()
    (one,) = (claim for claim in found if claim["id"] == "3c")
    assert (one["verdict"], one["sentence"].partition(";")[0]) == (
        "undecided",
        "it needs answers to just the numbers of the paper: its bound is of these",
    )


def test_a_smaller_model_that_is_better_shows_that_size_does_not_decide(tmp_path: Path) -> None:
    draw(tmp_path / "small", lambda number, _: number)
    draw(tmp_path / "large", lambda number, _: number + 3)
    reports = rows(read(tmp_path).seen()).reports
    sizes = {"small": 7_000_000_000, "large": 70_000_000_000}
    found = by_id(claims(CountingModels(reports, sizes)))["1"]
    assert found.verdict == "holds"
    assert "small with 7 billion parameters" in found.sentence
    assert by_id(claims(CountingModels(reports)))["1"].verdict == "undecided"
