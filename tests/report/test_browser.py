"""The report in a real browser: it works without a network, fits desktops and phones, and its controls do something."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.report.report_runs import Written

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@dataclass
class Window:
    """A window of a browser, what its page said to the console or asked of a network, and whether it is as loaded."""

    page: "Page"
    complaints: list[str]
    is_as_loaded: bool = False


@pytest.fixture(scope="module", params=[1280, 390], ids=["desktop", "phone"])
def window(browser: "Browser", request: pytest.FixtureRequest) -> "Iterator[Window]":
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else complaints.append(asked.url))
    yield Window(page, complaints)
    page.close()


@pytest.fixture
def empty_page(window: Window) -> "Iterator[Page]":
    """A page with nothing in it; any complaint of what comes into it fails the test."""
    window.complaints.clear()
    window.is_as_loaded = False
    window.page.goto("about:blank")  # from an anchor of the page to the page is no new load
    yield window.page
    assert window.complaints == []


@pytest.fixture
def page(empty_page: "Page", written: Written) -> "Page":
    """The report as opened from disk."""
    empty_page.goto(written.page.as_uri())
    return empty_page


@pytest.fixture
def shared_page(window: Window, written: Written) -> "Iterator[Page]":
    """The report for a test that leaves it as it was: loading it takes longer than most tests."""
    if not window.is_as_loaded:
        window.complaints.clear()
        window.page.goto("about:blank")
        window.page.goto(written.page.as_uri())
        window.is_as_loaded = True
    yield window.page
    assert window.complaints == []


def test_filters_leave_only_what_they_say(shared_page: "Page") -> None:
    gallery = shared_page.locator("#gallery-naming")
    total = gallery.locator(".card").count()
    gallery.locator("select[name=outcome]").select_option("wrong")
    gallery.locator("select[name=category]").select_option("dots")
    shown = gallery.locator(".card:visible")
    assert 0 < shown.count() < total
    for name, level in (("outcome", "wrong"), ("category", "dots")):
        assert {card.get_attribute(f"data-{name}") for card in shown.all()} == {level}
    assert gallery.locator("output").inner_text() == f"{shown.count()} of {total} pictures"
    for name in ("outcome", "category"):
        gallery.locator(f"select[name={name}]").select_option("")
    assert shown.count() == total


def test_filters_that_leave_nothing_say_so(shared_page: "Page") -> None:
    gallery = shared_page.locator("#gallery-naming")
    outcomes = gallery.locator("select[name=outcome] option").all_inner_texts()[1:]
    models = gallery.locator("select[name=model] option").all_inner_texts()[1:]
    cards = "cards => cards.map((card) => [card.dataset.model, card.dataset.outcome])"
    shown = shared_page.eval_on_selector_all("#gallery-naming .card", cards)
    model, outcome = next(pair for pair in itertools.product(models, outcomes) if [*pair] not in shown)
    note = gallery.locator(".no-match")
    assert not note.is_visible()
    gallery.locator("select[name=model]").select_option(model)
    gallery.locator("select[name=outcome]").select_option(outcome)
    assert note.is_visible()
    gallery.locator("select[name=outcome]").select_option("")
    assert not note.is_visible()
    gallery.locator("select[name=model]").select_option("")


def test_the_published_rows_can_be_put_away(shared_page: "Page") -> None:
    rows = shared_page.locator("[data-table=naming-leaderboard] .row-published")
    assert rows.first.is_visible()
    shared_page.locator("#show-published").uncheck()
    assert not any(row.is_visible() for row in rows.all())
    shared_page.locator("#show-published").check()


def test_a_picture_opens_with_its_story_and_closes(shared_page: "Page") -> None:
    card = shared_page.locator("#gallery-naming .card").first
    card.click()
    dialog = shared_page.locator("dialog")
    assert dialog.is_visible()
    assert dialog.locator(".who").inner_text() == card.get_attribute("data-model")
    assert "Right would be" in dialog.inner_text()
    assert dialog.locator("img").is_visible()
    shared_page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_boxes_can_be_taken_away_and_have_a_legend(shared_page: "Page") -> None:
    gallery = shared_page.locator("#gallery-production")
    boxes, legend = gallery.locator("svg.boxes").first, gallery.locator(".legend")
    assert boxes.is_visible()
    assert legend.is_visible()
    gallery.locator("input[name=boxes]").uncheck()
    assert not boxes.is_visible()
    assert not legend.is_visible()
    gallery.locator("input[name=boxes]").check()


def test_boxes_lie_where_they_are_in_the_picture(shared_page: "Page") -> None:
    card = shared_page.locator("#gallery-production .card").first
    picture, box = card.locator(".picture").bounding_box(), card.locator(".boxes rect").first.bounding_box()
    assert picture is not None
    assert box is not None
    # The first box begins 5 of 200 px below the top of a picture that is 300 px wide and as high as the square allows.
    scale = picture["width"] / 300
    top = picture["y"] + (picture["height"] - 200 * scale) / 2
    assert box["y"] == pytest.approx(top + 5 * scale, abs=2)
    assert box["height"] == pytest.approx(20 * scale, abs=3)


def test_the_numbers_behind_a_figure_can_be_opened(shared_page: "Page") -> None:
    figure = shared_page.locator("[data-figure=naming-accuracy]")
    assert not figure.locator("table").is_visible()
    figure.locator("summary").click()
    assert figure.locator("table").is_visible()
    figure.locator("summary").click()


def test_links_of_the_navigation_lead_to_sections(shared_page: "Page") -> None:
    targets = shared_page.eval_on_selector_all("nav a", "links => links.map((link) => link.hash.slice(1))")
    assert targets
    assert shared_page.evaluate("names => names.every((name) => document.getElementById(name))", targets)


def test_the_page_is_no_wider_than_the_window(page: "Page") -> None:
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window


def test_a_column_sorts_both_ways(page: "Page") -> None:
    table = page.locator("[data-table=naming-leaderboard] table")
    button = table.locator("thead button", has_text=re.compile("^NAE$"))
    button.click()
    upwards = _keys(page)
    button.click()
    assert upwards == sorted(upwards)
    assert _keys(page) == sorted(upwards, reverse=True)


def _keys(page: "Page") -> list[float]:
    """List the keys of the last kind of rows, which have been sorted among themselves."""
    table = page.locator("[data-table=naming-leaderboard]")
    place = table.locator("thead th").all_inner_texts().index("NAE") - 1
    rows = table.locator("tbody").last.locator("tr:not(.kind)")
    return [float(row.locator("td").nth(place).get_attribute("data-key") or "nan") for row in rows.all()]


def test_a_protocol_is_reached_by_its_number_and_opens(page: "Page") -> None:
    link = page.locator("[data-table=protocol-rows] a.fingerprint").first
    protocol = page.locator(link.get_attribute("href") or "")
    assert not protocol.locator("dl").is_visible()
    link.click()
    assert protocol.locator("dl").is_visible()
    assert link.inner_text() in protocol.locator("summary").inner_text()


def test_a_print_is_as_wide_as_its_paper_and_has_the_pictures(browser: "Browser", written: Written) -> None:
    page = browser.new_page()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 1050, "height": 700})  # A4 across
    page.goto(written.page.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 1050
    cards = page.locator("#gallery-naming .card img")
    assert cards.count() > 4
    assert page.evaluate("[...document.querySelectorAll('.card img')].every((one) => one.complete && one.naturalWidth)")
    assert page.locator("#gallery-naming .cards").evaluate("it => it.scrollHeight <= it.clientHeight + 1")
    page.close()


def test_an_anchor_is_reached_at_once(empty_page: "Page", written: Written) -> None:
    """Over a long page a smooth scroll takes a second, in which whoever looks or prints is elsewhere."""
    top = "document.getElementById('provenance').getBoundingClientRect().top"
    empty_page.goto(f"{written.page.as_uri()}#provenance")
    reached_px = empty_page.evaluate(top)
    empty_page.wait_for_timeout(500)
    assert empty_page.evaluate(top) == pytest.approx(reached_px, abs=2)
    bar_px = empty_page.evaluate("innerWidth < 1088 ? document.querySelector('nav').getBoundingClientRect().bottom : 0")
    assert bar_px <= reached_px <= bar_px + 60


def test_boxes_to_spare_are_drawn_only_where_the_picture_is_enlarged(page: "Page") -> None:
    card = page.locator("#gallery-production .card", has=page.locator(".boxes")).first
    card.evaluate("card => card.querySelector('rect').classList.add('spare')")
    assert not card.locator("rect").first.is_visible()
    card.click()
    assert page.locator("dialog rect").first.is_visible()
