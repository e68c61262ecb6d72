"""Which images people read is drawn by lot, evenly and once."""

from collections import Counter
from pathlib import Path

import pytest

from subitize.annotation.pages import Page, PageSet, collect_pages
from subitize.annotation.sampling import draw_sample, filter_to_sample, keep_quota
from subitize.records import Count, Item, Subject
from subitize.store import Run
from tests.annotation.studies import folder, item, make_run
from tests.commands import call

NUMBERS = [1] * 12 + [2] * 6 + [3] * 2


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("samples")
    made = [item(f"cats/{place}", Count("cat"), "How many?", prompt=f"cats {place}") for place in range(20)]
    numbered = [Item(one.id, one.task, one.asks, {"number": NUMBERS[place]}) for place, one in enumerate(made)]
    make_run(folder(path), numbered)
    return path


@pytest.fixture(scope="module")
def pages(run: Path) -> PageSet:
    with Run(folder(run)) as opened:
        return collect_pages(opened)


def test_every_image_is_drawn_as_often_as_any_other(pages: PageSet) -> None:
    drawn: Counter[str] = Counter()
    for seed in range(1000):
        drawn.update(draw_sample(pages, "s", 5, ["number"], seed).subjects)
    assert len(drawn) == 20
    # 1000 draws with a chance of 1/4: four standard deviations are 55.
    assert all(abs(times - 250) < 55 for times in drawn.values())


def test_each_level_has_its_share_but_for_less_than_one(pages: PageSet) -> None:
    numbers = {page.subject.id: page.factors["number"] for page in pages.pages}
    for seed in range(50):
        levels = Counter(numbers[one] for one in draw_sample(pages, "s", 10, ["number"], seed).subjects)
        assert all(abs(levels[level] - NUMBERS.count(level) / 2) < 1 for level in (1, 2, 3))


def test_a_sample_is_stored_once_and_restricts_the_study(run: Path) -> None:
    drawn = call("annotate", "sample", run / "run", "--n", 8, "--by", "number", "--name", "eight", "--json").json()
    assert (drawn["frame"], drawn["probability"], drawn["by"], drawn["seed"]) == (20, 0.4, ["number"], 0)
    with Run(folder(run)) as opened:
        kept = filter_to_sample(opened, "eight", collect_pages(opened))
        assert [page.subject.id for page in kept.pages] == [
            page.subject.id for page in collect_pages(opened).pages if page.subject.id in drawn["subjects"]
        ]
    again = call("annotate", "sample", run / "run", "--n", 8, "--name", "eight")
    assert again.code == 2
    assert "there is a sample 'eight' already" in again.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--n", 0], "take 1 to 20"),
        (["--n", 21], "take 1 to 20"),
        (["--n", 3, "--by", "colour"], "no factor named 'colour'; known: number"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(run: Path, options: list[object], message: str) -> None:
    refused = call("annotate", "sample", run / "run", *options)
    assert refused.code == 2
    assert message in refused.err


def test_at_most_so_many_images_of_each_model_are_kept_by_lot() -> None:
    pages = [
        Page(Subject((f"{model}-{place}",)), (), (), (), "", "sketches", model, {})
        for model, count in (("many", 40), ("few", 3))
        for place in range(count)
    ]
    kept = {seed: keep_quota(PageSet(pages, 7), 10, seed) for seed in (0, 0, 1)}
    for found in kept.values():
        assert Counter(page.model for page in found.pages) == {"many": 10, "few": 3}
        assert found.pages == [page for page in pages if page in found.pages]  # their order stays
        assert found.without_image == 7
    assert kept[0].pages != kept[1].pages
    assert keep_quota(PageSet(pages, 7), 10, 0) == kept[0]
