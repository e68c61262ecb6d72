"""A limit takes a sample: balanced over strata from its beginning on, the same for a seed, and fair over seeds."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from subitize.errors import ConflictError
from subitize.evaluate import sampling
from subitize.evaluate.sampling import SCHEME, order_items, sample_of
from subitize.papers.geckonum.files import read_release
from subitize.papers.geckonum.labels import read_released
from subitize.papers.geckonum.suite import STRATA
from subitize.records import Answer, Ask, Count, Draw, Item, Scalar, Spec
from subitize.registry import make_suite
from subitize.store import SAMPLED_FROM_AT_MOST, Folder, Run, Sample, Sampling
from tests.cases import Case
from tests.commands import call
from tests.goldens.kept_runs import PAINTER, copy_run

PRODUCTION = "production:numbers=1-10"
ASKED = ("--model", "noisy:longest_ms=1", "--judge", "none", "--repeats", 1)


def _item(key: str, factors: dict[str, Scalar], number: int = 1) -> Item:
    ask = Ask(Count("apple"), "How many apples are in the image?", (number,))
    return Item(f"made-up/{key}", Draw(f"{number} apples, {key}"), (ask,), factors)


# Two kinds of things and sizes from one to many: 5 of each cell, 40 more of one of them, and three cells of one item.
EVEN = [_item(f"{a}{b}{n}", {"a": a, "b": b}) for a in "xyz" for b in range(4) for n in range(5)]
UNEVEN = [
    *EVEN,
    *(_item(f"more{n}", {"a": "x", "b": 0}) for n in range(40)),
    *(_item(f"one{a}", {"a": a}) for a in "xyz"),
]


def _cells(items: Sequence[Item]) -> Counter[tuple[object, ...]]:
    return Counter((item.factors["a"], item.factors.get("b")) for item in items)


def test_every_beginning_has_of_equal_strata_the_same_to_within_one() -> None:
    for seed in range(20):
        order = list(order_items(EVEN, ("a", "b"), seed))
        assert sorted(order, key=lambda item: item.id) == sorted(EVEN, key=lambda item: item.id)
        for length in range(1, len(order) + 1):
            counts = _cells(order[:length])
            assert max(counts.values()) - min(counts[cell] for cell in _cells(EVEN)) <= 1


def test_every_beginning_has_each_stratum_and_each_level_in_proportion() -> None:
    whole = _cells(UNEVEN)
    for seed in range(20):
        order = list(order_items(UNEVEN, ("a", "b"), seed))
        for length in range(1, len(order) + 1):
            found, share = _cells(order[:length]), length / len(order)
            assert all(abs(found[cell] - share * size) < 2 for cell, size in whole.items())
            for level in "xyz":
                size = sum(size for (a, _), size in whole.items() if a == level)
                assert abs(sum(n for (a, _), n in found.items() if a == level) - share * size) < 4


def test_the_seed_makes_the_order_and_nothing_else_does() -> None:
    orders = [[item.id for item in order_items(items, ("a",), seed)] for items in (EVEN, EVEN[::-1]) for seed in (0, 1)]
    assert orders[0] == orders[2] != orders[1] == orders[3]


def test_the_order_of_a_scheme_stays_as_it_is(case: Case) -> None:
    for scheme, expected in ORDERED.items():
        with case(scheme):
            order = order_items(UNEVEN, ("a", "b"), 7, scheme)
            assert [item.id.partition("/")[2] for item in islice(order, 8)] == expected


ORDERED = {
    "stratified-1": ["z12", "x32", "more9", "y00", "more30", "more19", "y30", "x22"],
    SCHEME: ["more20", "more16", "y21", "onez", "z32", "more3", "more21", "x24"],
}


def test_every_beginning_asks_for_the_numbers_and_things_of_the_whole() -> None:
    nouns = "ant", "bee", "cow", "dog"
    items = [
        Item(
            f"made-up/{noun}{number}{n}", Draw(f"{number} {noun} {n}"), (Ask(Count(noun), "How many?", (number,)),), {}
        )
        for noun in nouns
        for number in range(1, 9)
        for n in range(4)
    ]
    for seed in range(10):
        order = [(ask.question.id, ask.expects[0]) for item in order_items(items, (), seed) for ask in item.asks]
        for length in (16, 32, 64, 96):
            for which, expected in ((0, length / 4), (1, length / 8)):
                counts = Counter(one[which] for one in order[:length])
                assert all(abs(found - expected) <= 2 for found in counts.values())


def test_a_run_goes_on_by_the_scheme_that_it_was_begun_with(tmp_path: Path, odd_models: None) -> None:
    suite = make_suite(PRODUCTION)
    items, design = list(suite.obj.items(0)), suite.obj.design()
    for scheme in ("stratified-1", "stratified-9"):
        with Run(Folder(tmp_path / scheme), create=True) as run:
            run.add_suite(suite.spec, 0, items, design, Sample(scheme, []))
    assert call("run", PRODUCTION, *ASKED, "--limit", 12, "--out", tmp_path / "stratified-1").code == 0
    with Run(Folder(tmp_path / "stratified-1")) as run:
        taken = {item.id for item in run.items()}
        assert run.samplings() == {"production": Sampling("stratified-1", 40)}
    assert taken == {item.id for item in islice(order_items(items, design.strata, 0, "stratified-1"), 12)}
    refused = call("run", PRODUCTION, *ASKED, "--limit", 12, "--out", tmp_path / "stratified-9")
    assert "sampled by 'stratified-9', which this version does not know" in refused.err
    assert refused.code == 2


@pytest.mark.slow
def test_each_item_is_as_likely_as_any_other_to_be_among_the_first() -> None:
    seeds, length = 300, 20
    found = Counter(item.id for seed in range(seeds) for item in islice(order_items(UNEVEN, ("a", "b"), seed), length))
    expected = seeds * length / len(UNEVEN)
    # Five standard errors of a share; an order that favours a stratum is far beyond.
    bound = 5 * np.sqrt(expected * (1 - length / len(UNEVEN)))
    assert max(abs(found[item.id] - expected) for item in UNEVEN) < bound


def test_without_strata_the_items_are_shuffled_and_spread_over_the_numbers_asked_for() -> None:
    items = [_item(str(number), {}, number) for number in range(1, 101)]
    order = [item.asks[0].expects[0] for item in order_items(items, (), 3)]
    assert sorted(order) == list(range(1, 101))
    for length in (8, 13, 21, 40):
        thirds = Counter((int(number) - 1) * 3 // 100 for number in order[:length])
        assert all(abs(thirds[third] - length / 3) <= 2 for third in range(3))


def test_pictures_come_once_each_before_any_comes_again() -> None:
    suite = make_suite("naming:images=20,numbers=4,categories=dots")
    first = list(islice(sample_of(suite, 0), 20))
    pictures = [item.task.picture for item in first if isinstance(item.task, Answer)]
    assert len(set(pictures)) == len(pictures) == 20
    assert set(Counter(item.factors["wording"] for item in first)) == {"category", "objects", "things"}


def test_a_suite_without_end_is_sampled_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "SAMPLED_FROM_AT_MOST", 50)
    order = list(order_items(UNEVEN, ("a",), 0))
    assert {item.id for item in order[:50]} == {item.id for item in UNEVEN[:50]}
    assert order[:50] != UNEVEN[:50]
    endless = make_suite("naming:images=999999999999")
    assert next(iter(sample_of(endless, 0))).suite == "naming"


def test_a_small_limit_knows_more_than_the_smallest_numbers(tmp_path: Path, odd_models: None) -> None:
    assert call("run", PRODUCTION, *ASKED, "--limit", 8, "--out", tmp_path / "run").code == 0
    with Run(Folder(tmp_path / "run")) as run:
        factors = [item.factors for item in run.items()]
        assert run.samplings() == {"production": Sampling(SCHEME, 40)}
    assert len(factors) == 8
    assert len({one["number"] for one in factors}) >= 6
    assert len({one["category"] for one in factors}) >= 3


@pytest.mark.slow
def test_a_run_goes_on_with_its_sample_and_a_higher_limit_adds_to_it(
    tmp_path: Path, odd_models: None, case: Case
) -> None:
    out = tmp_path / "run"
    steps = [
        (["--limit", 5], "5 answered", 5),
        (["--limit", 5], "0 answered, 0 refused, 0 failed, 5 done before", 5),
        (["--limit", 12], "7 answered, 0 refused, 0 failed, 5 done before", 12),
        (["--limit", 3], "0 answered, 0 refused, 0 failed, 3 done before", 12),
        (["--limit", 400], "28 answered, 0 refused, 0 failed, 12 done before", 40),
        ([], "0 answered, 0 refused, 0 failed, 40 done before", 40),
    ]
    samples = []
    for limit, told, stored in steps:
        with case(limit):
            done = call("run", PRODUCTION, *ASKED, *limit, "--seed", 4, "--out", out)
            assert told in done.out, done.err
            with Run(Folder(out)) as run:
                items = run.items()
            samples.append({item.id for item in items})
            assert len(items) == stored
            order = {item.id: place for place, item in enumerate(make_suite(PRODUCTION).obj.items(4))}
            assert all(order[one.id] < order[other.id] for one, other in pairwise(items))
    assert all(one <= other for one, other in pairwise(samples))


def test_two_models_get_the_same_items_and_a_dry_run_counts_them(tmp_path: Path, odd_models: None) -> None:
    out = tmp_path / "run"
    planned = call("run", PRODUCTION, *ASKED, "--limit", 6, "--out", out, "--dry-run", "--json").json()
    assert (planned[0]["items"], planned[0]["done"]) == (6, 0)
    for model in ("noisy:longest_ms=1", "noisy:longest_ms=2"):
        assert call("run", PRODUCTION, *ASKED[2:], "--model", model, "--limit", 6, "--out", out).code == 0
    again = call("run", PRODUCTION, *ASKED, "--limit", 8, "--out", out, "--dry-run", "--json").json()
    assert (again[0]["items"], again[0]["done"]) == (8, 6)
    with Run(Folder(out)) as run:
        assert len(run.items()) == 6


def test_a_run_of_an_earlier_version_goes_on_with_its_first_items(tmp_path: Path) -> None:
    out = copy_run("unfinished", tmp_path)
    command = ("run", "production:numbers=1-3", "--repeats", 4, "--model", PAINTER, "--judge", "none", "--out", out)
    assert call(*command, "--limit", 3).code == 0
    with Run(Folder(out)) as run:
        assert run.samplings() == {}
        first = [item.id for item in run.items()]
        repeats = Counter(one.item_id for one in run.responses())
    assert [repeats[item] for item in first[:3]] == [4, 4, 4]
    assert len(first) == 12 > len(repeats)


def test_what_is_refined_follows_the_sample_of_its_base(tmp_path: Path) -> None:
    out = tmp_path / "run"
    command = ("run", PRODUCTION, "--repeats", 1, "--model", "painter:size_px=128", "--judge", "none", "--out", out)
    assert call(*command, "--limit", 4, "--seed", 5).code == 0
    assert call(*command, "--limit", 7, "--refine", "list").code == 0
    with Run(Folder(out)) as run:
        bases = {item.id for item in run.items("production")}
        assert {item.base for item in run.items("production~list")} == bases
        assert len(bases) == 7
        assert {entry.seed for entry in run.suites()} == {5}


def test_a_refinement_beside_an_earlier_run_pairs_with_its_first_items(tmp_path: Path) -> None:
    out = copy_run("unfinished", tmp_path)
    command = ("run", "production:numbers=1-3", "--repeats", 1, "--model", PAINTER, "--judge", "none", "--out", out)
    assert call(*command, "--limit", 5, "--refine", "list").code == 0
    with Run(Folder(out)) as run:
        first = {item.id for item in run.items("production")[:5]}
        by_id = {item.id: item for item in run.items("production~list")}
        assert {by_id[one.item_id].base for one in run.responses() if one.item_id in by_id} == first


def test_a_sample_of_which_nothing_can_be_refined_is_refused(tmp_path: Path) -> None:
    command = ("run", "geckonum:types=2-additive+numeric_simple,numbers=1-3", "--model", "painter")
    limits = [call(*command, "--limit", n, "--refine", "grid", "--out", tmp_path / "x", "--dry-run") for n in (1, 40)]
    refused = [one.err for one in limits if one.code]
    assert limits[1].code == 0
    assert all("none of the 1 items that --limit takes can be refined; raise it" in err for err in refused)


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_sample_is_told_and_is_no_gap(tmp_path: Path) -> None:
    out, report = tmp_path / "run", tmp_path / "report.html"
    command = ("run", "production:numbers=1-2", "--repeats", 1, "--model", "painter:size_px=128", "--out", out)
    assert call(*command, "--limit", 3).code == 0
    told = "a sample of 3 of 8 items (stratified-2, seed 0)"
    assert f"suite production:numbers=1-2: {told}" in call("show", out).out
    scored = call("score", out).out
    assert f"production: {told}" in scored
    assert "not yet given" not in scored
    assert call("report", out, "--out", report).code == 0
    assert told in report.read_text(encoding="utf-8")
    assert call(*command).code == 0
    assert "a sample" not in call("show", out).out + call("score", out).out


def _stored(run: Run, items: Sequence[Item], taken: Sequence[int]) -> None:
    run.add_suite(SPEC, 0, items, sample=Sample(SCHEME, [(place, items[place]) for place in taken]))


SPEC = Spec("made-up", {}, "made-up")


def test_a_changed_item_is_refused_whether_or_not_it_was_taken(tmp_path: Path, case: Case) -> None:
    changes = {
        "one that was taken": ([*EVEN[:3], _item("new", {"a": "x", "b": 0}), *EVEN[4:]], EVEN[3].id),
        "one that was not": ([*EVEN[:5], _item("new", {"a": "x", "b": 0}), *EVEN[6:]], "other items"),
        "one more": (UNEVEN, "other items"),
        "one less": (EVEN[:-1], "other items"),
    }
    with Run(Folder(tmp_path / "run"), create=True) as run:
        _stored(run, EVEN, [3, 9])
        for name, (items, told) in changes.items():
            with case(name), pytest.raises(ConflictError, match=told):
                _stored(run, items, [3, 9, 10])
        assert [item.id for item in run.items()] == [EVEN[3].id, EVEN[9].id]
        _stored(run, EVEN, [1, 3])
        assert [item.id for item in run.items()] == [EVEN[place].id for place in (1, 3, 9)]


def test_of_a_suite_without_end_what_was_taken_must_be_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subitize.store.run.SAMPLED_FROM_AT_MOST", 20)
    changed = [*EVEN[:30], _item("new", {"a": "x", "b": 0}), *EVEN[31:]]
    with Run(Folder(tmp_path / "run"), create=True) as run:
        _stored(run, EVEN, [3, 40])
        run.check_suite(SPEC, 0, changed)
        _stored(run, EVEN, [30])
        with pytest.raises(ConflictError, match=EVEN[30].id):
            run.check_suite(SPEC, 0, changed)
        with pytest.raises(ConflictError, match=EVEN[40].id):
            run.check_suite(SPEC, 0, EVEN[:35])


@pytest.mark.slow
def test_an_endless_suite_stores_what_is_needed(tmp_path: Path) -> None:
    done = call("run", "naming:images=999999999999", "--model", "random", "--limit", 5, "--out", tmp_path / "run")
    assert done.code == 0, done.err
    with Run(Folder(tmp_path / "run")) as run:
        items = run.items()
        assert run.samplings()["naming"].sampled_from == SAMPLED_FROM_AT_MOST
    assert len(items) == 5
    assert len({item.factors["number"] for item in items}) > 2
    assert len({item.factors["category"] for item in items}) > 2
    assert "a sample of 5 of the first 20,000 items" in call("show", tmp_path / "run").out


# Of 200 seeds, in points of a model's accuracy in Task 1 by people's labels; the first items in the order of the suite
# were 12 to 19 points easier than the whole.
BARS = {69: 2.7, 139: 1.9, 277: 1.3}


@pytest.mark.parametrize(
    ("seeds", "bias", "wider"),
    [
        pytest.param(20, 1.5, 1.3, marks=pytest.mark.slow),
        pytest.param(
            200, 0.5, 1, marks=pytest.mark.proof("subitize.evaluate.sampling", "subitize.papers.geckonum.suite")
        ),
    ],
)
def test_a_sample_of_geckonum_is_fair(shared_data: Path, case: Case, seeds: int, bias: float, wider: float) -> None:
    folder = shared_data / "geckonum"
    items = list(make_suite(f"geckonum:prompts={folder / 'prompts.csv'}").obj.items(0))
    labels = read_released(read_release(folder, tasks=(1,))).counts.filter(pl.col("seed") < 5)
    place = {item.id: index for index, item in enumerate(items)}
    models = labels["model"].unique().sort().to_list()
    right, asked = np.zeros((2, len(models), len(items)))
    for model, prompt, rights, count in (
        labels.group_by("model", pl.col("item").cast(pl.String)).agg(pl.col("right").sum(), pl.len()).iter_rows()
    ):
        at = models.index(model), place[prompt]
        right[at], asked[at] = rights, count
    whole = right.sum(1) / asked.sum(1)
    errors: dict[int, list[NDArray[np.float64]]] = {size: [] for size in BARS}
    for seed in range(seeds):
        order = [place[item.id] for item in order_items(items, STRATA, seed)]
        for size, found in errors.items():
            taken = order[:size]
            found.append(100 * (right[:, taken].sum(1) / asked[:, taken].sum(1) - whole))
    for size, bar in BARS.items():
        with case(size):
            each = np.array(errors[size])
            assert abs(each.mean(0)).max() <= bias
            assert np.sqrt((each**2).mean()) <= bar * wider
