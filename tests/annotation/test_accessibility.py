"""Every page of the annotation app as axe, a checker of accessibility, sees it: nothing serious, by mouse or phone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from subitize.annotation.assignment import AnswerRecord, Assignment
from subitize.records import Item
from tests.annotation.studies import COUNTS, LINES, STATEMENT, VOTE, folder, make_run, opened
from tests.annotation.visitors import served
from tests.cases import Case

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.axe, pytest.mark.browser, pytest.mark.web, pytest.mark.slow]

SIZES = {"desktop": {"width": 1100, "height": 750}, "phone": {"width": 390, "height": 844}}
FORMS: dict[str, list[Item]] = {"count": COUNTS, "line": [LINES], "statement": [STATEMENT], "vote": [VOTE]}


def list_violations(page: "Page") -> list[str]:
    """Let axe look at a page; minor matters are left out."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in ("serious", "critical")]


def flag_two(path: Path) -> None:
    """Let somebody flag two pictures, of which one is held back: the owner sees both."""
    with opened(folder(path), people_per_image=1, review=1.0) as study:
        for place in range(2):
            study.save(
                study.people.invite("anna"),
                Assignment(place),
                0,
                AnswerRecord(f"flagged-{place}", "2", is_flagged=True),
            )
        study.hold_back(dict.fromkeys(study.pages[0].images, "ugly"))


def test_no_page_has_a_serious_violation(browser: "Browser", tmp_path: Path, case: Case) -> None:
    for name, items in FORMS.items():
        make_run(folder(tmp_path / name), items, repeats=4)
        if name == "count":
            flag_two(tmp_path / name)
        with served(tmp_path / name / "run", "--person", "anna", "--reviewer", "ruth", "--review", 1) as links:
            assert len(links) == 4
            # The forms differ for those who answer only.
            shown = links if name == "count" else ["anna"]
            for who in shown:
                page = browser.new_context().new_page()
                page.goto(links[who])
                page.wait_for_load_state("networkidle")
                if page.locator("#begin").is_visible():
                    with case(f"{name}, {who}, before the first picture"):
                        assert list_violations(page) == []
                    page.locator("#begin").click()
                    page.wait_for_load_state("networkidle")
                for size, width_and_height in SIZES.items():
                    page.set_viewport_size(width_and_height)  # type: ignore[arg-type]
                    with case(f"{name}, {who}, {size}"):
                        assert list_violations(page) == []
                page.context.close()


def test_axe_sees_what_is_wrong(browser: "Browser") -> None:
    page = browser.new_page()
    page.set_content('<html lang="en"><title>A page</title><main><img src="data:,"></main></html>')
    assert [one.partition(":")[0] for one in list_violations(page)] == ["image-alt"]
    page.close()
