"""The annotation page in a real browser: keyboard alone, reloads, a lost network, a phone, a screen reader's tree."""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from subitize.records import Ask, Confirm, Item, Known
from subitize.store import Run
from tests.annotation.studies import COUNTS, LINES, STATEMENT, VOTE, add_gold, folder, make_run
from tests.annotation.visitors import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.slow]

DESKTOP, PHONE = {"width": 1100, "height": 750}, {"width": 390, "height": 844}


@pytest.fixture
def open_study(browser: "Browser", tmp_path: Path) -> "Iterator[Callable[..., Page]]":
    """Open a study of these items in a window; any complaint of the page fails the test."""
    complaints: list[str] = []
    with contextlib.ExitStack() as stack:

        def opened(items: list[Item], *options: object, repeats: int = 1, size: dict[str, int] = DESKTOP) -> "Page":
            make_run(folder(tmp_path), items, repeats=repeats)
            links = stack.enter_context(served(tmp_path / "run", *options))
            page = browser.new_context(viewport=size).new_page()  # type: ignore[arg-type]
            stack.callback(page.context.close)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda told: None if "DISCONNECTED" in told.text else complaints.append(told.text))
            page.goto(links["annotator"])
            page.locator("#begin").click()
            page.locator("#page").wait_for(state="visible")
            return page

        yield opened
    assert complaints == []


def answers(path: Path) -> list[object]:
    with Run(folder(path)) as run:
        values = [stored.reading.value for stored in run.readings("human")]
    return [value.value if isinstance(value, Known) else None for value in values]


def wait_until_done(page: "Page", done: int) -> None:
    page.get_by_text(re.compile(rf"^{done} of \d+ done$")).wait_for()


def expect_answer(page: "Page", text: str) -> None:
    from playwright.sync_api import expect

    expect(page.locator("#answer")).to_have_value(text)


def test_counts_are_typed_and_the_next_picture_comes_by_itself(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS)
    for turn in range(1, 7):
        expect_answer(page, "")
        page.keyboard.type(str(turn))
        page.keyboard.press("Enter")
        wait_until_done(page, turn)
    page.get_by_text("nothing left").wait_for()
    assert answers(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_how_to_answer_is_shown_once_with_two_examples_before_the_first_picture(
    browser: "Browser", tmp_path: Path
) -> None:
    make_run(folder(tmp_path), COUNTS)
    with served(tmp_path / "run") as links:
        page = browser.new_page(viewport=PHONE)  # type: ignore[arg-type]
        page.goto(links["annotator"])
        page.get_by_text("Count what you are asked for").wait_for()
        assert page.locator("#examples dd").all_inner_texts() == ["→ 2.5", "→ 0"]
        assert not page.locator("#page").is_visible()
        assert not page.locator("#keys").is_visible()
        page.keyboard.press("Enter")  # by keyboard alone
        page.locator("#answer").wait_for()
        assert not page.locator("#instructions").is_visible()
        page.reload()
        page.locator("#answer").wait_for()
        page.close()


def test_the_end_says_how_much_was_done_and_that_the_page_may_be_closed(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS[:2], size=PHONE)
    for text in ("1", "2"):
        answer(page, text)
    told = "You have answered 2 pages, and all of it is stored. There is nothing left for you to answer; you may close"
    page.get_by_text(told).wait_for()


def test_an_example_that_another_tab_has_answered_is_passed_over(browser: "Browser", tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 2)
    with served(tmp_path / "run", "--gold", "gold", "--training", 2) as links:
        first = browser.new_context(viewport=DESKTOP).new_page()  # type: ignore[arg-type]
        first.goto(links["annotator"])
        first.locator("#begin").click()
        first.locator("#answer").wait_for()
        second = first.context.new_page()
        second.goto(first.url)
        second.locator("#answer").wait_for()
        answer(second, "2")
        second.get_by_text("The right answer is 2.").wait_for()
        answer(first, "7")
        first.get_by_text("this example is answered already").wait_for()
        answer(first, "2")
        first.get_by_text("The right answer is 2.").wait_for()
        first.keyboard.press("Enter")
        answer(first, "4")
        wait_until_done(first, 1)  # the training is passed
        first.context.close()


def test_a_page_that_is_being_stored_does_not_come_again(open_study: "Callable[..., Page]", tmp_path: Path) -> None:
    page = open_study(COUNTS)
    waiting: list[object] = []

    def hold(route: "Route") -> None:
        """Let the server list pages before it knows of an answer, and hear of the list only afterwards."""
        response = route.fetch()
        time.sleep(0.4)
        route.fulfill(response=response)
        waiting.append(response)

    page.route("**/api/pages?count=*", hold)
    for turn in range(1, 7):
        expect_answer(page, "")
        page.keyboard.type(str(turn))
        page.keyboard.press("Enter")
        wait_until_done(page, turn)
    page.get_by_text("nothing left").wait_for()
    page.unroute_all(behavior="ignoreErrors")
    assert waiting
    assert answers(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_nothing_is_chosen_beforehand_and_nothing_is_stored_without_an_answer(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study([STATEMENT], "--form", "yes-no")
    assert page.locator("input:checked").count() == 0
    page.get_by_role("button", name="Save and go on").click()
    page.get_by_text("Answer first").wait_for()
    assert answers(tmp_path) == []


@pytest.mark.parametrize(
    ("item", "form", "keys", "value"),
    [(LINES, "choose", ["2"], 1), (STATEMENT, "yes-no", ["n"], False), (VOTE, "match", ["y"], True)],
    ids=["choose", "yes-no", "match"],
)
def test_choices_take_one_key(
    open_study: "Callable[..., Page]", tmp_path: Path, item: Item, form: str, keys: list[str], value: object
) -> None:
    page = open_study([item], "--form", form, repeats=4)
    assert page.locator("#prompt").is_visible() == (form == "match")
    assert page.locator(".picture").count() == (4 if form == "match" else 1)
    for key in keys:
        page.keyboard.press(key)
    wait_until_done(page, 1)
    assert answers(tmp_path) == [value]


def test_things_are_clicked_on_undone_and_marked_by_keyboard_alone(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS, "--form", "click", size=PHONE)
    page.wait_for_load_state("networkidle")
    box = page.locator(".picture").bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.get_by_text("1 marked").wait_for()
    page.locator(".picture").focus()
    for key in ("ArrowLeft", "Space", "ArrowUp", "Space", "Backspace"):
        page.keyboard.press(key)
    assert page.locator(".dot").all_inner_texts() == ["1", "2"]
    page.keyboard.press("Enter")
    wait_until_done(page, 1)
    page.keyboard.press("Enter")  # that there are none must be said
    page.get_by_text("Answer first").wait_for()
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    wait_until_done(page, 2)
    assert answers(tmp_path) == [2, 0]
    with Run(folder(tmp_path)) as run:
        first = next(iter(run.readings("human"))).reading.evidence
    assert [list(each.xyxy[:2]) for each in first.boxes] == [[30.0, 20.0], [pytest.approx(28.8), 20.0]]  # type: ignore[union-attr]


def test_a_held_key_answers_once(open_study: "Callable[..., Page]", tmp_path: Path) -> None:
    page = open_study(COUNTS)
    page.keyboard.type("3")
    for _ in range(10):
        page.keyboard.down("Enter")  # the browser tells that it is held
    page.keyboard.up("Enter")
    wait_until_done(page, 1)
    page.wait_for_timeout(300)
    assert answers(tmp_path) == [3]


def test_what_is_typed_outlives_a_reload_and_what_is_saved_is_not_asked_again(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS)
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    wait_until_done(page, 1)
    page.keyboard.type("12")
    page.keyboard.press("Alt+u")
    page.reload()
    wait_until_done(page, 1)
    assert page.input_value("#answer") == "12"
    assert page.locator("#unsure").is_checked()
    page.keyboard.press("Enter")
    wait_until_done(page, 2)
    assert answers(tmp_path) == [4, 12]


def test_an_answer_is_changed_by_going_back(open_study: "Callable[..., Page]", tmp_path: Path) -> None:
    page = open_study(COUNTS)
    for turn, text in enumerate(("1", "2"), 1):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
        wait_until_done(page, turn)
    page.reload()  # earlier answers can be reached afterwards, too
    wait_until_done(page, 2)
    page.keyboard.press("Alt+b")
    page.keyboard.press("Alt+b")
    expect_answer(page, "1")
    page.fill("#answer", "7")
    with page.expect_response(lambda response: response.request.method == "PUT" and response.ok):
        page.keyboard.press("Enter")  # the page goes on before the server has stored it
    expect_answer(page, "2")
    page.keyboard.press("Enter")
    expect_answer(page, "")
    assert sorted(map(str, answers(tmp_path))) == ["2", "7"]


def test_without_a_network_nothing_is_lost_and_the_page_says_so(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS)
    page.context.set_offline(True)
    for text in ("1", "2", "3"):
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    page.get_by_text("3 answers are kept on this device").wait_for()
    assert answers(tmp_path) == []
    page.context.set_offline(False)
    wait_until_done(page, 3)
    assert not page.locator("#notice").is_visible()
    assert answers(tmp_path) == [1, 2, 3]


def test_a_count_that_is_not_read_comes_back_to_whoever_typed_it(browser: "Browser", tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with served(tmp_path / "run") as links:
        page = browser.new_page(viewport=DESKTOP)  # type: ignore[arg-type]
        page.goto(links["annotator"])
        page.locator("#begin").click()
        page.locator("#answer").wait_for()
        page.keyboard.type("2-5")
        page.get_by_text("Not a count yet: a range: 2 to 5").wait_for()
        page.keyboard.press("Enter")
        page.get_by_text("Not stored: a range: 2 to 5").wait_for()
        expect_answer(page, "2-5")
        page.fill("#answer", "4")
        page.keyboard.press("Enter")
        wait_until_done(page, 1)
        page.close()
    assert answers(tmp_path) == [4]


def test_a_question_is_skipped_with_a_reason(open_study: "Callable[..., Page]", tmp_path: Path) -> None:
    page = open_study(COUNTS)
    page.get_by_role("button", name="Skip").click()
    page.get_by_text("Choose a reason to skip.").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Alt+s")
    wait_until_done(page, 1)
    assert answers(tmp_path) == [None]


def test_in_training_the_right_answer_is_shown_and_who_fails_twice_is_told(browser: "Browser", tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 2)
    with served(tmp_path / "run", "--gold", "gold", "--training", 2) as links:
        page = browser.new_page(viewport=DESKTOP)  # type: ignore[arg-type]
        page.goto(links["annotator"])
        page.locator("#begin").click()
        page.locator("#answer").wait_for()
        for _ in range(4):
            expect_answer(page, "")
            page.keyboard.type("7")
            page.keyboard.press("Enter")
            page.get_by_text("The right answer is 2.").wait_for()
            page.keyboard.press("Enter")
        page.get_by_text("this study ends here").wait_for()
        page.close()
    assert answers(tmp_path) == []


def stored_texts(path: Path) -> dict[str, list[str]]:
    """What people said of each item, every row in its order."""
    with Run(folder(path)) as run, run.reading() as connection:
        items = {stored.trial_id: stored.item_id for stored in run.responses()}
        rows = connection.exec_driver_sql("SELECT subject_id, text FROM study_answers ORDER BY id").all()
    found: dict[str, list[str]] = {}
    for subject, text in rows:
        found.setdefault(items[subject], []).append(text)
    return found


class Gate:
    """Holds back what a page sends, until it is opened."""

    def __init__(self, page: "Page", url: str = "**/questions/*") -> None:
        self.held: list[Route] = []
        self._page, self._is_open = page, False
        page.route(url, self._pass)

    def _pass(self, route: "Route") -> None:
        if self._is_open:
            route.continue_()
        else:
            self.held.append(route)

    def open(self) -> None:
        self._is_open = True
        for route in self.held:
            route.continue_()


def answer(page: "Page", text: str) -> None:
    expect_answer(page, "")
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def test_how_a_count_is_read_does_not_replace_the_right_answer(browser: "Browser", tmp_path: Path) -> None:
    from playwright.sync_api import expect

    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 1)
    with served(tmp_path / "run", "--gold", "gold", "--training", 1) as links:
        page = browser.new_page(viewport=DESKTOP)  # type: ignore[arg-type]
        gate = Gate(page, "**/read")
        page.goto(links["annotator"])
        page.locator("#begin").click()
        page.locator("#answer").wait_for()
        with page.expect_request("**/read"):
            page.keyboard.type("7")
        page.keyboard.press("Enter")
        page.get_by_text("The right answer is").wait_for()
        with page.expect_response("**/read"):
            gate.open()
        page.evaluate("() => new Promise((done) => setTimeout(done, 100))")  # the page has had the reply
        expect(page.locator("#feedback")).to_contain_text("The right answer is")
        page.close()


def test_it_is_shown_that_an_answer_is_on_its_way_and_when_it_is_stored(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    page = open_study(COUNTS)
    expect(page.locator("#saving")).to_have_text("")
    gate = Gate(page)
    answer(page, "3")
    expect(page.locator("#saving")).to_have_text("· saving …")
    assert answers(tmp_path) == []
    gate.open()
    expect(page.locator("#saving")).to_have_text("· stored")
    assert answers(tmp_path) == [3]


def test_an_answer_that_is_changed_while_it_is_on_its_way_is_the_last_one(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS[:2])
    gate = Gate(page)
    answer(page, "1")
    expect_answer(page, "")
    page.keyboard.press("Alt+b")
    expect_answer(page, "1")
    page.fill("#answer", "7")
    page.keyboard.press("Enter")
    answer(page, "2")
    gate.open()
    page.get_by_text("nothing left").wait_for()
    assert sorted(stored_texts(tmp_path).values()) == [["1", "7"], ["2"]]
    assert sorted(map(str, answers(tmp_path))) == ["2", "7"]


def test_a_tab_that_is_closed_too_early_loses_nothing(open_study: "Callable[..., Page]", tmp_path: Path) -> None:
    page = open_study(COUNTS)
    link = page.url
    Gate(page)  # it is never opened: nothing of this tab arrives
    for text in ("1", "2"):
        answer(page, text)
    expect_answer(page, "")
    again = page.context.new_page()
    page.close()
    again.goto(link)
    wait_until_done(again, 2)
    expect_answer(again, "")
    assert answers(tmp_path) == [1, 2]


def test_of_two_tabs_none_loses_what_the_other_keeps_and_the_later_answer_stands(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    first = open_study(COUNTS)
    second = first.context.new_page()
    second.goto(first.url)
    second.locator("#answer").wait_for()
    gates = [Gate(first), Gate(second)]
    with first.expect_request("**/questions/*"):
        answer(first, "1")
    for page, texts in ((second, "23"), (first, "45")):  # the same pages in both, the latest answers last
        for text in texts:
            answer(page, text)
    second.close()
    gates[0].open()
    wait_until_done(first, 3)
    assert sorted(stored_texts(tmp_path).values()) == [["1", "2"], ["4"], ["5"]]  # "1" was on its way already
    assert first.locator("#saving").inner_text() == "· stored"


def test_a_second_enter_in_training_answers_nothing(browser: "Browser", tmp_path: Path) -> None:
    from playwright.sync_api import expect

    make_run(folder(tmp_path), COUNTS)
    add_gold(folder(tmp_path), 2)
    with served(tmp_path / "run", "--gold", "gold", "--training", 2) as links:
        page = browser.new_page(viewport=DESKTOP)  # type: ignore[arg-type]
        page.goto(links["annotator"])
        page.locator("#begin").click()
        page.locator("#answer").wait_for()
        gate = Gate(page)
        page.keyboard.type("2")
        for _ in range(3):
            page.keyboard.press("Enter")
        expect(page.locator("#saving")).to_have_text("· saving …")
        gate.open()
        page.get_by_text("The right answer is 2.").wait_for()
        page.keyboard.press("Enter")
        expect_answer(page, "")
        page.close()
    assert list(stored_texts(tmp_path).values()) == [["2"]]


def test_the_page_goes_on_by_itself_after_a_long_time_without_a_network(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    page = open_study(COUNTS)
    page.context.set_offline(True)
    for text in ("1", "2", "3", "4"):  # so many pages were there beforehand
        answer(page, text)
    page.get_by_text("4 answers are kept on this device").wait_for()
    page.locator("#page").wait_for(state="hidden")  # after one more try
    page.context.set_offline(False)
    for text in ("5", "6"):
        answer(page, text)
    page.get_by_text("nothing left").wait_for()
    assert not page.locator("#notice").is_visible()
    assert sorted(map(str, answers(tmp_path))) == list("123456")


def test_every_question_of_a_page_is_gone_back_to_after_a_reload(
    open_study: "Callable[..., Page]", tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    wordings = [f"Are there {number} cats?" for number in range(3)]
    asks = tuple(Ask(Confirm(text, is_informed=False), text, (True,)) for text in wordings)
    page = open_study([replace(COUNTS[0], asks=asks), replace(COUNTS[1], asks=asks)], "--form", "yes-no")
    for turn in range(1, 5):  # a page, and the first question of the next
        expect(page.locator("#wording")).to_have_text(wordings[(turn - 1) % 3])
        with page.expect_response(lambda response: response.request.method == "PUT" and response.ok):
            page.keyboard.press("y")
    page.reload()
    for place in (1, 0, 2, 1, 0):
        expect(page.locator("#wording")).to_have_text(wordings[place])
        page.keyboard.press("Alt+b")
    expect(page.locator("#back")).to_be_disabled()
    with page.expect_response(lambda response: response.request.method == "PUT" and response.ok):
        page.keyboard.press("n")
    expect(page.locator("#wording")).to_have_text(wordings[1])
    assert len(answers(tmp_path)) == 4


def test_pictures_are_zoomed_and_moved(open_study: "Callable[..., Page]") -> None:
    page = open_study(COUNTS)
    page.keyboard.press("Alt+i")
    assert "scale(1.4)" in page.locator(".layer").get_attribute("style")  # type: ignore[operator]
    page.locator(".picture").focus()
    page.keyboard.press("ArrowRight")
    assert "translate(-40px" in page.locator(".layer").get_attribute("style")  # type: ignore[operator]
    page.keyboard.press("Alt+o")
    assert "translate(0px, 0px) scale(1)" in page.locator(".layer").get_attribute("style")  # type: ignore[operator]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_fits_its_window_and_every_control_has_a_name(
    open_study: "Callable[..., Page]", size: dict[str, int]
) -> None:
    page = open_study(COUNTS, size=size)
    page.keyboard.press("Alt+h")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for control in page.locator("button, input, select, textarea").all():
        if control.is_visible():
            assert control.evaluate(_NAMED)
    page.get_by_text("Count what you are asked for").wait_for()


_NAMED = "one => one.labels?.length || one.textContent.trim() || one.getAttribute('aria-labelledby')"
