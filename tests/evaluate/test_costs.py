"""Money is put aside before a call, counted after it, and never promised beyond the limit."""

import random
from pathlib import Path

import pytest

from subitize.errors import BadValueError
from subitize.evaluate.costs import Affordable, Budget
from subitize.interfaces import Model, Usage
from subitize.io.prices import PriceList, load_prices
from subitize.records import Answer, Draw, Elsewhere, Filed, Spec, Stimulus, Task
from subitize.registry import Resolved

PRICES = """
[[price]]
host = "here"
models = ["chat"]
as_of = 2026-11-01
source = "made up"
chat_usd_per_million = { input = 1.0, output = 10.0 }
image_in_chat = { rule = "fixed", tokens = 100 }

[[price]]
host = "here"
models = ["pictures"]
as_of = 2026-11-01
source = "made up"
usd_per_image.low = { "64x64" = 0.5 }
"""


class Meters(Model):
    """Something paid for by use."""

    base_url = "http://here/v1"

    def __init__(self, served_name: str, size: str = "64x64", *, is_low_detail: bool = False) -> None:
        self.served_name, self._size, self._is_low_detail = served_name, size, is_low_detail

    def expect(self, task: Task, /) -> Usage:
        if isinstance(task, Draw):
            return Usage(10, 0, 1, self._size, "low")
        return Usage(20, 3, is_low_detail=self._is_low_detail)


@pytest.fixture
def prices(tmp_path: Path) -> PriceList:
    (tmp_path / "prices.toml").write_text(PRICES)
    return load_prices(tmp_path / "prices.toml")


def made(it: object) -> Resolved[object]:
    return Resolved(Spec("it", {}, "it"), it, "it")


QUESTION = Answer(Stimulus("dots", 3, 0), "How many?")


def test_a_question_is_expected_to_cost_its_text_its_picture_and_its_answer(prices: PriceList) -> None:
    meter = Budget(prices).meter(made(Meters("chat")))
    assert meter.expect_usd([QUESTION, QUESTION]) == pytest.approx(2 * (120 * 1.0 + 3 * 10.0) / 1e6)
    assert meter.expect(Answer(Filed("x.png"), "?")) == meter.expect(Answer(Elsewhere("x"), "?"))


def test_what_answers_cost_is_heeded_where_it_is_dearer_than_expected(prices: PriceList) -> None:
    meter = Budget(prices).meter(made(Meters("chat")))
    expected = meter.expect_usd([QUESTION])
    assert meter.settle(0.0, [Usage(120, 300)]) == [pytest.approx(0.00312)]
    assert meter.expect_usd([QUESTION]) == pytest.approx(0.00312)
    assert expected < 0.00312


def test_an_answer_whose_usage_is_not_told_counts_as_expected(prices: PriceList) -> None:
    ledger = Budget(prices, limit_usd=1.0)
    assert ledger.meter(made(Meters("chat"))).settle(0.6, [None, None]) == [0.3, 0.3]
    assert ledger.spent_usd == 0.6


def test_cached_tokens_and_low_detail_cost_what_they_cost(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        PRICES.replace("output = 10.0 }", "output = 10.0, cached_input = 0.1 }").replace(
            'rule = "fixed", tokens = 100', 'rule = "tiles", base = 85, per_tile = 170'
        )
    )
    meter = Budget(load_prices(tmp_path / "p.toml")).meter(made(Meters("chat")))
    assert meter.settle(0.0, [Usage(100, 0, cached_in=90)]) == [pytest.approx((10 * 1.0 + 90 * 0.1) / 1e6)]
    assert meter.expect(QUESTION).tokens_in == 20 + 85 + 4 * 170
    meter.metered = Meters("chat", is_low_detail=True)
    assert meter.expect(QUESTION).tokens_in == 20 + 85


def test_a_try_that_may_have_been_paid_for_is_reckoned_as_paid(prices: PriceList) -> None:
    ledger = Budget(prices)
    meter = ledger.meter(made(Meters("pictures")))
    assert ledger.reserve(0.5)
    assert meter.write_off(0.5)
    assert meter.write_off(0.5)
    meter.settle(0.5, [])
    assert (ledger.spent_usd, ledger.reserved_usd) == (1.0, 0.0)


def test_a_lost_try_is_not_followed_by_another_that_there_is_no_money_for(prices: PriceList) -> None:
    ledger = Budget(prices, limit_usd=1.2)
    meter = ledger.meter(made(Meters("pictures")))
    assert ledger.reserve(0.5)
    assert meter.write_off(0.5)
    assert not meter.write_off(0.5)
    assert ledger.is_exhausted


def test_a_free_model_needs_no_price_and_no_money() -> None:
    ledger = Budget(limit_usd=0.01, spent_usd=0.02)
    jobs = Affordable([QUESTION, QUESTION], ledger.meter(made(Model())), lambda task: [task])
    assert len(list(jobs)) == 2
    assert not ledger.is_exhausted


@pytest.mark.parametrize("seed", range(5))
def test_jobs_are_handed_out_only_while_spent_and_promised_stay_within_the_limit(seed: int, prices: PriceList) -> None:
    chance = random.Random(seed)
    limit = chance.uniform(1, 20)
    ledger = Budget(prices, limit)
    meter = ledger.meter(made(Meters("pictures")))
    jobs = Affordable([Draw("x")] * 60, meter, lambda task: [task])
    under_way, done = [], 0
    while True:
        for funded in jobs:
            under_way.append(funded)
            assert ledger.spent_usd + ledger.reserved_usd <= limit + 1e-9
            if len(under_way) == 8:
                break
        if not under_way and not jobs.has_more():
            break
        while under_way and chance.random() < 0.8:
            meter.settle(under_way.pop()[1], [Usage(0, 0, 1, "64x64", "low")])
            done += 1
    assert jobs.work_off(lambda: None) == (done < 60)
    assert done == min(60, int(limit / 0.5))
    assert ledger.spent_usd == pytest.approx(0.5 * done)
    assert ledger.is_exhausted == (done < 60)


def test_a_limit_with_a_size_that_has_no_price_is_refused_and_not_taken_for_free(prices: PriceList) -> None:
    meter = Budget(prices, limit_usd=1.0).meter(made(Meters("pictures", size="99x99")))
    with pytest.raises(
        BadValueError,
        match=r"`max_cost` needs the price of pictures of size 99x99 and quality low by 'it'.*`prices` FILE",
    ):
        meter.expect_usd([Draw("x")])
