"""Reviewers, adjudicators and whoever makes a study, in a real browser and by keyboard alone."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.annotation.screening import read_held
from subitize.imports.pictures import open_pictures, read_asks
from subitize.interfaces import NoEvents
from subitize.records import Count, Known, MatchesPrompt
from subitize.store import Run
from tests.annotation.studies import COUNTS, LINES, folder, item, make_run, opened
from tests.annotation.visitors import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.web, pytest.mark.slow]

SIZE = {"width": 1100, "height": 750}
SCREENSHOTS = os.environ.get("SUBITIZE_SCREENSHOTS")


@pytest.fixture
def visit(browser: "Browser") -> "Iterator[Callable[[str], Page]]":
    """Open a link in a window of its own; any complaint of the page fails the test."""
    complaints: list[str] = []
    with ExitStack() as stack:

        def opened_at(link: str) -> "Page":
            page = browser.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
            stack.callback(page.context.close)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda told: None if "status of 422" in told.text else complaints.append(told.text))
            page.goto(link)
            return page

        yield opened_at
    assert complaints == []


def photograph(page: "Page", name: str) -> None:
    """Keep what the page looks like, for whoever wants to look at it."""
    if SCREENSHOTS:
        page.wait_for_load_state("networkidle")
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}.png", full_page=True)


def values(path: Path, purpose: str) -> list[object]:
    with Run(folder(path)) as run:
        found = [one.reading for one in run.readings("human", with_reviews=True) if one.reading.purpose == purpose]
    return [one.value.value for one in found if isinstance(one.value, Known)]


def answer_differently(path: Path, review: float = 0.0) -> None:
    """Let two people answer three pages: they agree on the first only."""
    with opened(folder(path), people_per_image=2, review=review) as study:
        for name, texts in (("anna", ("3", "4", "5")), ("ben", ("3", "5", "6"))):
            for place, text in enumerate(texts):
                study.save(study.people.invite(name), Assignment(place), 0, AnswerRecord(f"{name}-{place:05}", text))


def wait_until_done(page: "Page", done: int) -> None:
    page.get_by_text(re.compile(rf"^{done} of \d+ done$")).wait_for()


def test_a_reviewer_confirms_or_corrects_by_keyboard_alone(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    from playwright.sync_api import expect

    make_run(folder(tmp_path), COUNTS)
    answer_differently(tmp_path, review=1.0)
    people = ("--person", "anna", "--person", "ben", "--reviewer", "ruth", "--review", 1)
    with served(tmp_path / "run", *people) as links:
        page = visit(links["ruth"])
        page.get_by_text("Somebody answered this").wait_for()
        photograph(page, "review")
        page.keyboard.press("Alt+1")
        wait_until_done(page, 1)
        page.get_by_role("button", name="3 (confirm)").wait_for()
        page.keyboard.type("7")
        page.keyboard.press("Enter")
        wait_until_done(page, 2)
        page.reload()
        wait_until_done(page, 2)
        page.locator("#answer").wait_for()
        page.keyboard.press("Alt+b")  # the second thought about the latest review
        expect(page.locator("#answer")).to_have_value("7")
        page.keyboard.press("Control+a")
        page.keyboard.type("8")
        page.keyboard.press("Enter")
        for done, text in enumerate("4556", start=3):
            page.get_by_role("button", name=f"{text} (confirm)").wait_for()
            page.locator("#form:not([inert])").wait_for()
            page.keyboard.press("Alt+1")
            wait_until_done(page, done)
        page.get_by_text("nothing left").wait_for()
    assert sorted(map(str, values(tmp_path, "review"))) == ["3", "4", "5", "5", "6", "8"]
    assert len(values(tmp_path, "answer")) == 6


def test_the_owner_settles_what_people_disagree_about_by_keyboard_alone(
    visit: "Callable[[str], Page]", tmp_path: Path
) -> None:
    make_run(folder(tmp_path), COUNTS)
    answer_differently(tmp_path)
    with served(tmp_path / "run", "--person", "anna", "--person", "ben") as links:
        page = visit(links["owner"])
        page.get_by_text("0 of 2 pages on which people disagree are settled").wait_for()
        page.get_by_role("row", name="anna").get_by_text("annotator").wait_for()
        photograph(page, "owner")
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "adjudicate":
                break
        page.keyboard.press("Enter")
        page.get_by_text("Take one of their answers, or give your own").wait_for()
        page.get_by_role("button", name="4 (one person)").wait_for()
        photograph(page, "adjudication")
        page.keyboard.press("Alt+2")
        wait_until_done(page, 1)
        page.get_by_role("button", name="6 (one person)").wait_for()
        page.keyboard.type("9")
        page.keyboard.press("Enter")
        page.get_by_text("nothing left").wait_for()
        page.goto(links["owner"])
        page.get_by_text("2 of 2 pages on which people disagree are settled").wait_for()
        assert not page.locator("#adjudicate").is_visible()
        page.close()
    assert values(tmp_path, "adjudication") == [5, 9]


@pytest.mark.parametrize(
    ("form", "text", "told", "key", "value"),
    [("choose", "many cats", "many cats (confirm)", "1", 0), ("click", "[[30, 20]]", "1 marked (confirm)", "Alt+1", 1)],
)
def test_answers_in_other_forms_are_reviewed_too(
    visit: "Callable[[str], Page]", tmp_path: Path, form: str, text: str, told: str, key: str, value: object
) -> None:
    make_run(folder(tmp_path), [LINES if form == "choose" else COUNTS[0]])
    with opened(folder(tmp_path), forms=[form], people_per_image=1, review=1.0) as study:
        study.save(study.people.invite("anna"), Assignment(0), 0, AnswerRecord("answered", text))
    options = ("--person", "anna", "--reviewer", "ruth", "--review", 1, "--form", form)
    with served(tmp_path / "run", *options) as links:
        page = visit(links["ruth"])
        page.get_by_role("button", name=told).wait_for()
        page.keyboard.press(key)
        page.get_by_text("nothing left").wait_for()
    assert values(tmp_path, "review") == [value]


def test_parts_of_a_prompt_are_shown_on_request(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    from playwright.sync_api import expect

    whole = replace(
        item("both", MatchesPrompt(), "Does it match?", prompt="a cat and a dog"), factors={"linked": "cat"}
    )
    make_run(folder(tmp_path), [whole, item("cat", Count("cat"), "How many?", prompt="a cat")])
    with served(tmp_path / "run", "--form", "match") as links:
        page = visit(links["annotator"])
        page.locator("#begin").click()
        page.get_by_text("a cat and a dog").wait_for()
        assert page.locator("#linked img").count() == 0
        page.keyboard.press("Alt+l")
        page.locator("#linked img").wait_for()
        assert page.locator("#linked figcaption").all_inner_texts() == ["a cat"]
        expect(page.locator("#linked img")).not_to_have_js_property("naturalWidth", 0)
        photograph(page, "linked")
        page.keyboard.press("Alt+l")
        assert page.locator("#linked img").count() == 0
        page.keyboard.press("y")
        page.get_by_text("nothing left").wait_for()
    assert values(tmp_path, "answer") == [True]


def test_a_study_is_made_by_keyboard_alone_and_its_link_works(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    with served(tmp_path) as links:
        assert list(links) == ["make a study"]
        page = visit(links["make a study"])
        page.get_by_text("count: type how many there are (6 pages)").wait_for()
        photograph(page, "making")

        def go_to(id: str) -> None:
            for _ in range(60):
                page.keyboard.press("Tab")
                if page.evaluate("document.activeElement.id || document.activeElement.value") == id:
                    return
            raise AssertionError(id)

        go_to("name")
        page.keyboard.type("counts")
        go_to("count")
        page.keyboard.press("Space")
        go_to("people")
        page.keyboard.type("anna, ben")
        go_to("instructions")
        page.keyboard.type("Look closely.")
        tab_to(page, "More: images, checks, codes")
        page.keyboard.press("Enter")
        go_to("sample")
        page.keyboard.press("ArrowDown")
        go_to("size")
        page.keyboard.type("4")
        go_to("pass_mark")
        page.keyboard.type(".7")
        tab_to(page, "Make the study")
        page.keyboard.press("Enter")
        page.get_by_text("The study is served").wait_for()
        photograph(page, "made")
        assert page.locator("#links dt").all_inner_texts() == ["anna", "ben", "owner"]
        answering = visit(str(page.locator("#links a").first.get_attribute("href")))
        answering.get_by_text("Look closely.").wait_for()  # it is shown before the first picture
        answering.keyboard.press("Enter")
        answering.get_by_text("0 of 4 done").wait_for()
        answering.keyboard.press("Alt+h")
        answering.get_by_text("Look closely.").wait_for()
        answering.keyboard.press("Alt+h")
        answering.locator("#answer").focus()
        answering.keyboard.type("2")
        answering.keyboard.press("Enter")
        wait_until_done(answering, 1)
        page.reload()
        page.get_by_text("count: type").wait_for()
        page.locator("#name").fill("counts")  # the same again
        page.locator("#name").press("Enter")
        page.get_by_text("is served already; name another").wait_for()
    assert values(tmp_path, "answer") == [2]


def test_the_owners_page_fits_a_desktop_and_is_short_on_a_phone(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    make_run(folder(tmp_path), [item(f"cats/{place:02}", Count("cat"), "How many?") for place in range(12)])
    with opened(folder(tmp_path), people_per_image=2) as study:
        for name in ("anna", "benedict-of-the-long-name"):
            for place in range(12):
                text = str(place % 3 + len(name) % 2)
                study.save(study.people.invite(name), Assignment(place), 0, AnswerRecord(f"answer-{place:03}", text))
    people = ("--person", "anna", "--person", "benedict-of-the-long-name")
    with served(tmp_path / "run", *people) as links:
        page = visit(links["owner"])
        page.locator("#disagreements li").first.wait_for(timeout=60_000)
        page.set_viewport_size({"width": 1280, "height": 800})
        leave = page.get_by_role("button", name="Leave out benedict-of-the-long-name")
        box = leave.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 1280 - 40
        page.set_viewport_size({"width": 390, "height": 844})
        page.reload()
        page.get_by_role("row", name="anna").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        assert page.evaluate("document.documentElement.scrollHeight") < 2 * 844
        page.locator("summary", has_text="What people disagree about").click()
        page.locator("#disagreements li").first.wait_for(timeout=60_000)
        page.close()


def test_what_is_wrong_with_a_study_is_said_at_its_button_in_the_forms_own_words(
    visit: "Callable[[str], Page]", tmp_path: Path
) -> None:
    make_run(folder(tmp_path), COUNTS)
    answer_differently(tmp_path)
    with served(tmp_path) as links:
        page = visit(links["make a study"])
        page.get_by_text("count: type how many there are (6 pages)").wait_for()
        shown = page.locator("input:visible, select:visible, textarea:visible")
        assert shown.evaluate_all("all => all.map((one) => one.id || one.value)") == [
            *("run", "name", "count", "click", "earlier", "people", "people_per_image", "instructions", "consent")
        ]
        page.get_by_text("3 images are answered already by anna and ben.").wait_for()
        assert page.locator("#name").input_value() == ""
        page.locator("#name").fill("second")
        page.locator("#earlier").select_option("ask")
        page.locator("#more summary").click()
        page.locator("#reviewers").fill("ruth")
        page.locator("#more summary").click()
        page.get_by_role("button", name="Make the study").click()
        page.get_by_text("'ruth' has nothing to do").wait_for()
        told = page.locator("#notice")
        assert "“The share of the answered pages that reviewers check” .2" in told.inner_text()
        assert "--" not in told.inner_text()
        box, height = told.bounding_box(), page.viewport_size["height"]  # type: ignore[index]
        assert box
        assert 0 <= box["y"] < box["y"] + box["height"] <= height
        page.close()


def tab_to(page: "Page", name: str) -> None:
    """Go to a button, by keyboard alone."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(document.activeElement.ariaLabel ?? document.activeElement.textContent).trim()") == name:
            return
    raise AssertionError(name)


def test_the_owner_holds_pictures_back_and_shows_them_again_by_keyboard_alone(
    visit: "Callable[[str], Page]", tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    make_run(folder(tmp_path), COUNTS)
    answer_differently(tmp_path)
    with opened(folder(tmp_path), people_per_image=2) as study:
        for place, comment in ((1, "a knife"), (2, "blood")):
            study.save(
                study.people.invite("anna"),
                Assignment(place),
                0,
                AnswerRecord(f"flag-{place:04}", "4", is_flagged=True, comment=comment),
            )
    with served(tmp_path / "run", "--person", "anna", "--person", "ben") as links:
        page, ben = visit(links["owner"]), visit(links["ben"])
        expect(page.locator("#screening")).to_have_text(
            "2 pictures are flagged and still shown; 0 are held back from people."
        )
        expect(page.locator("#flagged img").first).not_to_have_js_property("naturalWidth", 0)
        tab_to(page, "Hold back: picture 1, flagged: a knife")
        page.keyboard.press("Enter")
        expect(page.locator("#screening")).to_have_text(
            "1 picture is flagged and still shown; 1 is held back from people."
        )
        expect(page.locator("#screening-title")).to_be_focused()
        photograph(page, "screening")
        expect(ben.locator("#answer")).to_be_visible()
        tab_to(page, "Hold back all that is flagged")
        page.keyboard.press("Enter")
        expect(page.locator("#progress")).to_have_text("2 of 8 answered (4 pages, 2 people each).")
        tab_to(page, "Show again: picture 2, flagged: blood")
        page.keyboard.press("Space")
        expect(page.locator("#screening")).to_have_text(
            "0 pictures are flagged and still shown; 1 is held back from people."
        )
        expect(page.locator("#progress")).to_contain_text("4 of 10 answered (5 pages, 2 people each)")
        page.close()
        ben.close()
    with Run(folder(tmp_path)) as run:
        assert list(read_held(run).values()) == ["flagged: a knife"]


@pytest.mark.detect
def test_the_owner_has_pictures_with_faces_held_back(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    import skimage.data

    (tmp_path / "photos").mkdir()
    for name in ("astronaut", "coffee"):
        pixels = Image.fromarray(getattr(skimage.data, name)())
        pixels.save(tmp_path / "photos" / f"{name}.png")
    with Run(folder(tmp_path), create=True) as run:
        open_pictures(tmp_path / "photos").store(run, read_asks(["How many people are there?"]), NoEvents())
    with served(tmp_path / "run") as links:
        page = visit(links["owner"])
        page.get_by_text("0 pictures are flagged").wait_for()
        tab_to(page, "Look for faces, and hold these pictures back")
        page.keyboard.press("Enter")
        page.get_by_text("Looked at 2 pictures: 1 show faces and are held back. Note: faces may be missed").wait_for(
            timeout=60_000
        )
        photograph(page, "faces")
        tab_to(page, "Show again: picture 1, shows faces")
        page.keyboard.press("Enter")
        page.get_by_text("0 are held back").wait_for()
        page.close()


def test_the_owners_place_among_buttons_is_kept_when_figures_change(
    visit: "Callable[[str], Page]", tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    make_run(folder(tmp_path), COUNTS)
    with served(tmp_path / "run", "--person", "anna") as links:
        page, anna = visit(links["owner"]), visit(links["anna"])
        leave = page.get_by_role("button", name="Leave out anna")
        leave.focus()
        anna.locator("#begin").click()
        anna.locator("#answer").fill("2")
        anna.keyboard.press("Enter")
        wait_until_done(anna, 1)
        page.get_by_text("1 of 6 answered").wait_for()  # the table was written anew
        expect(leave).to_be_focused()
        page.close()
        anna.close()


def test_the_owner_leaves_somebody_out_after_seeing_the_effect(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    answer_differently(tmp_path)
    with served(tmp_path / "run", "--person", "anna", "--person", "ben") as links:
        page = visit(links["owner"])
        page.get_by_role("button", name="Leave out ben").click()
        page.get_by_text(re.compile("pairwise agreement .* → –")).wait_for(timeout=60_000)
        page.keyboard.type("a robot")
        page.keyboard.press("Enter")
        page.locator("tr.withdrawn").wait_for()
        page.locator("#person").fill("rolf")
        page.keyboard.press("Tab")
        page.keyboard.press("r")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_role("row", name="rolf").get_by_text("reviewer").wait_for()
        page.close()
    assert values(tmp_path, "answer") == [3, 4, 5]


def test_who_does_not_agree_is_shown_nothing_and_the_way_back(visit: "Callable[[str], Page]", tmp_path: Path) -> None:
    make_run(folder(tmp_path), COUNTS)
    (tmp_path / "consent.txt").write_text("We keep what you answer.")
    options = ("--recruit", "--consent", tmp_path / "consent.txt", "--no-consent-code", "NO")
    with served(tmp_path / "run", *options) as links:
        page = visit(links["everybody"].partition("?")[0])
        page.get_by_role("button", name="I do not agree").click()
        page.get_by_text("You have not agreed to take part").wait_for()
        page.locator("#completion").wait_for()
        assert str(page.locator("#completion").get_attribute("href")).endswith("?cc=NO")
        assert not page.locator("#page").is_visible()


def test_a_study_on_mturk_opens_in_a_tab_and_ends_with_the_code_that_its_frame_posts(
    visit: "Callable[[str], Page]", tmp_path: Path
) -> None:
    make_run(folder(tmp_path), COUNTS[:1])
    with served(tmp_path / "run", "--recruit", "--recruiter", "mturk") as links:
        address, token = links["everybody"].split("/mturk/")
        query = "assignmentId=A1&workerId=W&hitId=H&turkSubmitTo=https://www.mturk.com"
        frame = visit(f"{address}/mturk/{token}?{query}")
        photograph(frame, "mturk")
        posted: list[str] = []

        def take(route: "Route") -> None:
            posted.append(str(route.request.post_data))
            route.fulfill(body="thank you")

        frame.context.route("https://www.mturk.com/**", take)
        with frame.context.expect_page() as opening:
            frame.get_by_role("link", name="Open the study").click()
        study = opening.value
        study.locator("#begin").click()
        study.locator("#answer").fill("2")
        study.locator("#answer").press("Enter")
        study.get_by_text("type this code where you began").wait_for()
        code = study.locator("#done-code strong").inner_text()
        frame.get_by_label("Code").fill(code)
        frame.get_by_role("button", name="Submit").click()
        frame.get_by_text("thank you").wait_for()
        assert sorted(posted[0].split("&")) == ["assignmentId=A1", f"code={code}"]
        evil = frame.context.new_page()
        html = f'<iframe src="{address}/mturk/{token}?{query}"></iframe>'
        evil.route("https://evil.example/", lambda route: route.fulfill(body=html, content_type="text/html"))
        evil.goto("https://evil.example/")
        evil.wait_for_timeout(500)
        assert not any("Open the study" in one.content() for one in evil.frames)
