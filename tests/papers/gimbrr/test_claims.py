"""GIMBRR's conclusions, computed: of the authors' data as the paper has them, of other data as these are."""

from collections.abc import Mapping

import polars as pl
import pytest

from subitize.analysis.claims import Claim
from subitize.io.frames import make_frame
from subitize.papers.gimbrr.claims import CLAIMS, claims
from subitize.papers.gimbrr.prompts import ALL
from subitize.papers.gimbrr.ratings import ROWS, TaskRatings, describe_ratings
from subitize.papers.gimbrr.suite import MATCH
from subitize.records import Draw, Item, Scalar
from tests.cases import Case

PROMPTS = 40


def make_ratings(shares: Mapping[str, Mapping[str, float]], **factors: list[Scalar]) -> TaskRatings:
    """Rate 40 prompts of each task such that a model is right in just this share of them, whatever else varies."""
    items, rows = [], []
    for task in dict.fromkeys(task for own in shares.values() for task in own):
        for place in range(PROMPTS):
            more = {name: levels[place % len(levels)] for name, levels in factors.items()}
            items.append(Item(f"gimbrr/{task}-{place}", Draw(f"{task} {place}"), (MATCH,), {"task": task, **more}))
    for model, own in shares.items():
        for task, share in own.items():
            for place in range(PROMPTS):
                is_right = (place * 7 % PROMPTS) < share * PROMPTS
                rows.append((model, f"gimbrr/{task}-{place}", 0, float(is_right)))
    return describe_ratings(make_frame(rows, ROWS), items)


def claim(ratings: TaskRatings, id: str) -> Claim:
    return next(one for one in claims(ratings) if one.id == id)


@pytest.mark.slow
def test_the_papers_conclusions_hold_of_its_data_but_one(released_ratings: TaskRatings, case: Case) -> None:
    found = {one.id: one for one in claims(released_ratings)}
    assert list(found) == list(CLAIMS)
    for id, one in found.items():
        with case(id):
            assert one.verdict == ("undecided" if id == "13" else "holds")
            assert one.claim == CLAIMS[id]
    for id, told in {
        "1": "DALL-E 2 − Midjourney is 0.083",
        "2": "Midjourney in Compositional characteristics, 0.710",
        "7": "b is 0.394 [−0.075, 0.863], p = 0.097, 36 points",
        "8": "b is 0.621",
        "10": "p = 0.031 by F (type I) and p = 0.060 by t of its coefficient; 16 residual degrees",
        "13": "uncommon − common is 0.079",
    }.items():
        with case((id, told)):
            assert told in found[id].sentence


def test_the_opposite_does_not_hold(case: Case) -> None:
    """A model that is best at what the paper finds hardest."""
    hard = dict.fromkeys(ALL, 0.1) | {"text": 0.9, "arithmetic": 0.95, "controlled-two-counting": 0.9}
    ratings = make_ratings({"one": hard, "two": hard}, number=[2, 9], objects=[4, 2], common=[True, False])
    for id in ("3", "4", "5"):
        with case(id):
            assert claim(ratings, id).verdict == "does not hold"
    with case("6"):
        assert claim(ratings, "6").verdict == "does not hold"


def test_a_perfect_model_is_near_perfect() -> None:
    assert claim(make_ratings({"one": dict.fromkeys(ALL, 1.0)}), "2").verdict == "undecided"  # 40 of 40 may be luck
    many = [make_ratings({"one": dict.fromkeys(ALL, 1.0)})]
    rows = pl.concat(
        one.rows.with_columns(
            cluster=pl.col("cluster") + 10_000 * copy,
            unit_prompt=pl.col("unit_prompt") + 10_000 * copy,
        )
        for copy in range(5)
        for one in many
    )
    assert claim(TaskRatings(rows), "2").verdict == "does not hold"


def test_what_is_missing_is_named_and_nothing_decided(case: Case) -> None:
    ratings = make_ratings({"one": {"counting": 0.5, "single": 0.9}})
    told = {
        "1": "it needs ratings of DALL-E 2, Midjourney and SD 2.1",
        "2": "it needs Conditional generation, Simple arithmetic",
        "5": "it needs Controlled multiple objects, Controlled multiple object counting and",
        "7": "it needs Conditional generation, Negation",
        "8": "it needs Multiple objects, Directed actions, Spatial relationships and Unusual arrangements",
        "10": "it needs Multiple objects",
        "11": "it needs prompts with 2–6 and 7–12",
        "13": "common and uncommon sets",
    }
    for id, needed in told.items():
        with case(id):
            one = claim(ratings, id)
            assert one.verdict == "undecided"
            assert needed in one.sentence


def test_a_relation_needs_models_that_differ() -> None:
    one = claim(make_ratings({"one": dict.fromkeys(ALL, 0.5)}), "8")
    assert (one.verdict, one.sentence) == ("undecided", "it needs models that differ, two at least")


def test_a_relation_is_found_where_there_is_one(case: Case) -> None:
    levels = {f"m{place}": place / 10 for place in range(1, 9)}
    tasks = ("multiple", "actions", "spatial", "unusual", "conditional", "compositional")
    together = make_ratings({model: dict.fromkeys(tasks, share) for model, share in levels.items()})
    with case("related tasks rise"):
        assert claim(together, "8").verdict == "holds"
    with case("unrelated ones, too"):
        assert claim(together, "9").verdict == "does not hold"
    apart = {
        model: {task: 1 - share if task in ("actions", "spatial", "unusual") else share for task in tasks}
        for model, share in levels.items()
    }
    with case("a fall"):
        assert claim(make_ratings(apart), "8").verdict == "does not hold"
    with case("two slopes"):
        assert claim(make_ratings(apart), "10").verdict == "does not hold"
