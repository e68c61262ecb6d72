"""What every suite must hold, run on all of them."""

from collections import Counter
from pathlib import Path

import pytest

from subitize.interfaces import Attempt, Suite
from subitize.io import codec
from subitize.labels import parse_rule
from subitize.records import Draw, Item, Known, Stimulus
from subitize.registry import Resolved, make_judge, make_suite
from subitize.report.listing import listings
from tests.papers.geckonum.geckonum_release import SOME, write_images, write_release
from tests.papers.seeing_past_words.probe_files import write_suites
from tests.suites import geneval_files
from tests.suites.own_tables import write_own_suites

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
SUITES = [*(listing.name for listing in listings("suites")), *(path.name for path in EXAMPLES)]
_COUNTED = 'prompts: "How many {nouns}?"\nshow: "{number} {nouns}"\npictures: 2\nwords: {noun: [cat, dog], number: 1-4}'


@pytest.fixture(scope="session")
def of_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The suites that are made of the user's files."""
    (counted := tmp_path_factory.mktemp("files") / "counted.yaml").write_text(_COUNTED, encoding="utf-8")
    return {
        "geckonum-vqa": _vqa(tmp_path_factory),
        "file": f"file:{counted}",
        **{path.name: str(path) for path in EXAMPLES},
        **write_suites(tmp_path_factory.mktemp("probes")),
        **geneval_files.write_suites(tmp_path_factory.mktemp("geneval")),
        **write_own_suites(tmp_path_factory.mktemp("own")),
    }


def _vqa(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder, prompts = tmp_path_factory.mktemp("vqa"), [prompt for prompt in SOME if prompt.type == "2-additive"]
    release = write_release(folder / "release", ["muse_a"], prompts=prompts, seeds=1)
    return f"geckonum-vqa:{release},images={write_images(folder / 'images', ['muse_a'], prompts, 1)}"


@pytest.fixture(scope="module", params=SUITES)
def made(request: pytest.FixtureRequest) -> Resolved[Suite]:
    known = {"naming": "naming:images=5", **request.getfixturevalue("of_files")}
    return make_suite(known.get(request.param, request.param))


@pytest.fixture(scope="module")
def suite(made: Resolved[Suite]) -> Suite:
    return made.obj


@pytest.fixture(scope="module")
def items(suite: Suite) -> list[Item]:
    return list(suite.items(0))


def test_ids_are_unique_and_begin_with_the_suites_name(made: Resolved[Suite], items: list[Item]) -> None:
    assert len({item.id for item in items}) == len(items) > 0
    assert {item.suite for item in items} == {made.spec.name}


def test_the_same_seed_makes_the_same_items(suite: Suite, items: list[Item]) -> None:
    assert list(suite.items(0)) == items


def test_another_seed_keeps_the_ids_and_changes_what_is_random(suite: Suite, items: list[Item]) -> None:
    for before, after in zip(items, suite.items(4), strict=True):
        assert before.id == after.id
        has_recipe = not isinstance(before.task, Draw) and isinstance(before.task.picture, Stimulus)
        assert (before.task != after.task) == has_recipe


def test_every_item_asks_something_that_can_be_right(items: list[Item]) -> None:
    for item in items:
        assert item.asks
        assert all(ask.expects and ask.wording for ask in item.asks)
        ids = [ask.question.id for ask in item.asks]
        assert len(set(ids)) == len(ids)
        assert all(ask.parent is None or ask.parent in ids for ask in item.asks)


def test_items_survive_storing(items: list[Item]) -> None:
    for item in items[:50]:
        assert codec.task.validate_json(codec.encode(codec.task, item.task)) == item.task
        assert codec.asks.validate_json(codec.encode(codec.asks, item.asks)) == item.asks
        assert codec.factors.validate_json(codec.encode(codec.factors, item.factors)) == item.factors


def test_a_beginning_is_balanced_over_the_conditions(items: list[Item]) -> None:
    cells = {tuple(item.factors.items()) for item in items}
    beginning = Counter(tuple(item.factors.items()) for item in items[: len(cells)])
    assert set(beginning) == cells
    assert set(beginning.values()) == {1}


def test_its_own_judge_exists_and_reads_by_a_known_rule(suite: Suite) -> None:
    assert parse_rule(make_judge(suite.judge).obj.rule)


def test_nothing_is_asked_again_when_all_is_right(suite: Suite, items: list[Item]) -> None:
    def right(item: Item) -> Attempt:
        return Attempt(item, 0, 0, {ask.question.id: Known(ask.expects[0]) for ask in item.asks})

    assert list(suite.again([right(item) for item in items])) == []


def test_the_design_names_factors_of_the_items(suite: Suite, items: list[Item]) -> None:
    design = suite.design()
    assert set(design.strata) <= {name for item in items for name in item.factors}
    assert design.asks_again or suite.max_attempts == 1


def test_repeats_and_attempts_are_at_least_one(suite: Suite) -> None:
    assert suite.repeats >= 1
    assert suite.max_attempts >= 1
    assert suite.title
