"""Agreement of people on groups of images, from a CSV through the store, against statsmodels."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import krippendorff
import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa  # type: ignore[import-untyped]

from subitize.analysis.agreement import ALL_MODELS, RaterAgreement, agree, agree_run, gather_votes, tally_votes
from subitize.analysis.design import cluster_of, with_units
from subitize.errors import NothingToDoError
from subitize.frame import Frame, FrameRow, frame_seen
from subitize.imports.votes import import_votes
from subitize.records import Answer, Ask, Count, Draw, Item, MatchesPrompt, Stimulus
from subitize.registry import make_suite
from subitize.stats.agreement import LEVELS
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.samples import MODEL, naming_item, reading, response, trial
from tests.samples import SUITE as NAMING

SUITE = "t2icountbench:objects=apple"
ASK = Ask(MatchesPrompt(), "Does at least one of these four?", (True,), group=4)
COUNT = Ask(Count("apple"), "How many?", (3,))


def votes_of(*tables: NDArray[np.int64], models: Sequence[str] = ("imagen",), is_count: bool = False) -> Frame:
    """Lay out tables (unit, rater) of 0 and 1, one per model; -1 is no vote."""
    found, annotators = [], []
    ask = COUNT if is_count else ASK
    for model, table in zip(models, tables, strict=True):
        for (unit, who), vote in np.ndenumerate(table):
            if vote >= 0:
                draw = Draw(f"3 apples, in basket {unit}")
                item = Item(f"fruit/{unit}", draw, (ask,), {"parity": "odd" if unit % 2 else "even"})
                value = int(vote) if is_count else bool(vote)
                found.append(FrameRow(item, ask, "eligible", value, model, "human"))
                annotators.append(f"person {who}")
    seen = frame_seen(found)
    return with_units(Frame(seen.rows.with_columns(annotator=pl.Series(annotators)), seen.items))


def draw_table(seed: int, units: int = 40, raters: int = 5, noise: float = 0.2) -> NDArray[np.int64]:
    random = np.random.default_rng(seed)
    truth = random.random((units, 1)) < 0.4
    return np.where(random.random((units, raters)) < noise, ~truth, truth).astype(np.int64)


def only(votes: Frame) -> RaterAgreement:
    (found,) = agree(votes)
    return found


def theirs(table: NDArray[np.int64]) -> float:
    return float(fleiss_kappa(aggregate_raters(table)[0]))


def test_kappa_is_that_of_statsmodels(case: Case) -> None:
    for seed in range(8):
        table = draw_table(seed, raters=2 + seed % 4, noise=0.05 + 0.05 * seed)
        found = only(votes_of(table))
        with case(f"seed {seed}"):
            assert found.kappa is not None
            assert found.kappa.value == pytest.approx(theirs(table), abs=1e-9)
            assert found.kappa.low < found.kappa.value < found.kappa.high
            assert (found.units, found.votes, found.annotators) == (40, table.size, table.shape[1])


def write_votes(path: Path, tables: dict[str, NDArray[np.int64]], items: list[str]) -> None:
    rows = ["annotator,model,item,vote"]
    for model, table in tables.items():
        for item, votes in zip(items, table.tolist(), strict=True):
            rows += [f"person {who},{model},{item},{('no', 'yes')[vote]}" for who, vote in enumerate(votes)]
    path.write_text("\n".join(rows), encoding="utf-8")


@pytest.mark.slow
def test_votes_of_a_file_have_their_kappa_by_model_and_pooled(tmp_path: Path) -> None:
    suite = make_suite(SUITE)
    items = [item.id for item in suite.obj.items(0)]
    tables = {"imagen": draw_table(1, len(items)), "glm": draw_table(2, len(items))}
    write_votes(tmp_path / "votes.csv", tables, items)
    with Run(Folder(tmp_path / "run"), create=True) as run:
        import_votes(run, tmp_path / "votes.csv", suites=[suite])
        found = {one.model: one for one in agree_run(run)}
        ratings = tally_votes(gather_votes(run).rows)
    expected = {model: theirs(table) for model, table in tables.items()}
    expected[ALL_MODELS] = theirs(np.concatenate(list(tables.values())))
    assert list(found) == [ALL_MODELS, "glm", "imagen"]
    assert {name: one.kappa and one.kappa.value for name, one in found.items()} == pytest.approx(expected, abs=1e-9)
    assert int(ratings.units.sum()) == 2 * len(items)
    rows = call("agree", tmp_path / "run", "--by", "difficulty", "--json").json()
    assert {row["published_kappa"] for row in rows} == {0.58}
    assert {row["group"] for row in rows} == {"all", "easy", "hard", "medium"}
    printed = call("agree", tmp_path / "run").out
    assert "T2ICountBench reports a Fleiss' κ of 0.58" in printed
    assert "all models" in printed


def test_a_model_named_all_models_is_not_taken_for_all_of_them() -> None:
    tables = {ALL_MODELS: draw_table(1), "glm": draw_table(2)}
    found = agree(votes_of(*tables.values(), models=list(tables)))
    kappas = {(one.model, one.is_pooled): one.kappa and one.kappa.value for one in found}
    assert kappas == pytest.approx(
        {
            (ALL_MODELS, True): theirs(np.concatenate(list(tables.values()))),
            (ALL_MODELS, False): theirs(tables[ALL_MODELS]),
            ("glm", False): theirs(tables["glm"]),
        }
    )


def test_raw_agreement_ties_and_the_share_of_yes_are_counted() -> None:
    table = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0], [1, -1, -1, -1], [1, 1, -1, -1]])
    found = only(votes_of(table))
    assert (found.units, found.single, found.votes, found.ties, found.annotators) == (5, 1, 18, 1, 4)
    assert (found.unanimous.value, found.unanimous.n) == (3 / 5, 5)
    assert found.yes is not None
    assert found.yes.value == pytest.approx((1 + 0 + 1 / 2 + 1 / 4 + 1) / 5)
    assert found.yes.n == 5


def test_agreement_by_factor_is_that_of_the_votes_at_each_level() -> None:
    table = draw_table(3)
    found = {one.group: one for one in agree(votes_of(table), ["parity"])}
    for level, rows in (("all", table), ("even", table[::2]), ("odd", table[1::2])):
        kappa = found[level].kappa
        assert kappa is not None
        assert kappa.value == pytest.approx(theirs(rows), abs=1e-9)


@pytest.mark.parametrize("table", [[[1, 1, 1], [0, 0, 0]] * 10, [[1, 1, 0]] * 20], ids=["all agree", "none do"])
def test_where_all_units_are_alike_the_interval_still_has_a_width(table: list[list[int]]) -> None:
    found = only(votes_of(np.array(table)))
    for one in (found.kappa, found.ac1, found.alpha, found.unanimous, found.yes):
        assert one is not None
        assert one.high - one.low > 0.05
        assert -1 <= one.low <= one.value <= one.high <= 1


def test_where_all_say_yes_kappa_is_not_defined_but_raw_agreement_is() -> None:
    found = only(votes_of(np.ones((10, 3), dtype=np.int64)))
    assert (found.kappa, found.alpha) == (None, None)
    assert found.ac1 is not None
    assert (found.ac1.value, found.unanimous.value) == (1, 1)


def test_counts_are_compared_as_they_are_and_have_no_share_of_yes() -> None:
    table = np.random.default_rng(0).integers(1, 5, (30, 3))
    table[:15] = table[:15, :1]
    found = only(votes_of(table, is_count=True))
    assert (found.question, found.yes) == ("count", None)
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(theirs(table), abs=1e-9)


def test_counts_have_alpha_at_all_levels_and_the_share_of_pairs_that_agree(case: Case) -> None:
    table = np.random.default_rng(0).integers(1, 5, (60, 4))
    table[:40] = table[:40, :1]
    table[::7, 2] = -1
    found, matrix = only(votes_of(table, is_count=True)), np.where(table < 0, np.nan, table).T
    alphas = (found.alpha, found.alpha_ordinal, found.alpha_interval, found.alpha_ratio)
    for level, alpha in zip(LEVELS, alphas, strict=True):
        with case(level):
            assert alpha is not None
            assert alpha.value == pytest.approx(krippendorff.alpha(matrix, level_of_measurement=level), abs=1e-9)
            assert alpha.low < alpha.value < alpha.high
    pairs = [[one == other for one, other in combinations(row[row >= 0].tolist(), 2)] for row in table]
    assert found.pairwise is not None
    assert found.pairwise.value == pytest.approx(np.mean([np.mean(unit) for unit in pairs]))


def test_yes_and_no_have_alpha_for_names_only() -> None:
    found = only(votes_of(draw_table(0)))
    assert found.alpha is not None
    assert (found.alpha_ordinal, found.alpha_interval, found.alpha_ratio) == (None, None, None)


def test_several_models_share_the_prompts_that_intervals_are_over() -> None:
    tables = [draw_table(1), draw_table(2)]
    pooled, *_ = agree(votes_of(*tables, models=["glm", "imagen"]))
    assert (pooled.units, pooled.prompts, pooled.annotators) == (80, 40, 5)
    assert pooled.kappa is not None
    assert pooled.kappa.method == "Fleiss' κ, Student's interval over 40 prompts and 5 annotators"


def test_the_same_answers_to_images_of_fewer_prompts_say_less() -> None:
    votes = votes_of(np.repeat(draw_table(4), 4, axis=0))
    alike = votes.rows.with_columns(cluster=pl.col("item").str.extract(r"(\d+)$").cast(pl.Int64) // 4)
    ours, theirs = only(Frame(alike, votes.items)).unanimous, only(votes).unanimous
    assert ours.value == theirs.value
    assert ours.high - ours.low > 1.8 * (theirs.high - theirs.low)
    assert ours.method == "share, for these annotators, over 40 prompts, Wilson interval"


def test_where_little_was_answered_it_is_said_beside_the_figures(tmp_path: Path) -> None:
    suite = make_suite(SUITE)
    items = [item.id for item in suite.obj.items(0)][:6]
    write_votes(tmp_path / "votes.csv", {"imagen": draw_table(1, 6, 2)}, items)
    with Run(Folder(tmp_path / "run"), create=True) as run:
        import_votes(run, tmp_path / "votes.csv", suites=[suite])
        (found,) = agree_run(run)
    people = "2 annotators: the interval is for these people, not for others like them"
    assert found.caution == f"only 6 prompts; {people}"
    assert f"too little to rely on: imagen, matches-prompt, all: {found.caution}" in call("agree", tmp_path / "run").out


def test_wordings_of_a_picture_are_one_cluster_and_prompts_are_their_text() -> None:
    picture = Stimulus("dots", 3, 0)
    first, second = (Item(f"naming/{n}", Answer(picture, wording), (COUNT,), {}) for n, wording in enumerate("ab"))
    other = Item("naming/c", Answer(replace(picture, seed=1), "a"), (COUNT,), {})
    assert cluster_of(first) == cluster_of(second) != cluster_of(other)
    drawn = [Item(f"{suite}/3", Draw("3 apples"), (COUNT,), {}) for suite in ("one", "two")]
    assert {cluster_of(item) for item in drawn} == {"3 apples"}


def test_a_question_that_an_item_asks_twice_is_voted_on_once(tmp_path: Path) -> None:
    ask = Ask(Count("apple"), "How many?", (3,))
    item = replace(naming_item(), asks=(ask, replace(ask, expects=(4,))))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(NAMING, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        with run.lease("test") as lease:
            run.add_responses(lease, [response(trial(item))])
            run.add_readings(lease, [reading(trial(item), annotator=name) for name in ("ada", "bob", "eve")])
        (found,) = agree_run(run)
    assert (found.units, found.votes, found.annotators) == (1, 3, 3)


def test_nothing_is_said_of_answers_by_one_person_each() -> None:
    assert agree(votes_of(np.array([[1], [0]]))) == []


def test_a_run_that_only_one_person_voted_on_says_so(tmp_path: Path) -> None:
    suite = make_suite(SUITE)
    items = [item.id for item in suite.obj.items(0)][:3]
    write_votes(tmp_path / "votes.csv", {"imagen": draw_table(1, 3, 1)}, items)
    with Run(Folder(tmp_path / "run"), create=True) as run:
        import_votes(run, tmp_path / "votes.csv", suites=[suite])
        with pytest.raises(NothingToDoError, match="no question that two people answered; first: subitize import"):
            agree_run(run)


def test_an_excluded_item_is_left_out(tmp_path: Path) -> None:
    suite = make_suite(SUITE)
    items = [item.id for item in suite.obj.items(0)][:10]
    write_votes(tmp_path / "votes.csv", {"imagen": draw_table(1, 10, 3)}, items)
    with Run(Folder(tmp_path / "run"), create=True) as run:
        import_votes(run, tmp_path / "votes.csv", suites=[suite])
        run.exclude(items[0], "blurred")
        (found,) = agree_run(run, "human")
    assert found.units == 9


PROOF = pytest.mark.proof("subitize.analysis.agreement", "subitize.stats.agreement", "subitize.stats.ratings")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("units", "noise", "runs"),
    [
        (35, 0.1, 25),
        *(pytest.param(units, noise, 400, marks=PROOF) for units, noise in ((35, 0.1), (75, 0.2), (525, 0.3))),
    ],
)
def test_the_interval_of_kappa_covers_that_of_endless_units(units: int, noise: float, runs: int) -> None:
    """Five people err independently with a known probability, so that κ of all units there could be is known."""
    share = 0.4
    agreed, yes = noise**2 + (1 - noise) ** 2, share * (1 - noise) + (1 - share) * noise
    chance = yes**2 + (1 - yes) ** 2
    truth = (agreed - chance) / (1 - chance)
    found = [only(votes_of(draw_table(seed, units, 5, noise))).kappa for seed in range(runs)]
    covered = sum(one is not None and one.low <= truth <= one.high for one in found)
    assert covered / runs >= 0.92
