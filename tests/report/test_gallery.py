"""Boxes over the pictures of a report: what was counted, what was not, and nothing that a label could do."""

import io
import re
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path

import pytest
from PIL import Image

from subitize.interfaces import NoEvents
from subitize.labels import Rule, interpret
from subitize.records import (
    Ask,
    Box,
    Boxes,
    Confirm,
    Count,
    Draw,
    Drawn,
    Item,
    Provenance,
    Question,
    Reading,
    Response,
    Spec,
    Subject,
    Trial,
)
from subitize.report.gallery import make_gallery
from subitize.report.series import list_series, read_sources
from subitize.report.table import Gallery
from subitize.store import Run
from tests.cases import Case
from tests.report.report_runs import drawn, new_run, page

HOSTILE = "</title></svg><script>alert('label')</script>"
GOOD, TWIN, LOW, OTHER = (
    Box("apple", 0.91, (10.0, 5.0, 60.0, 55.0), "red"),
    Box("apple", 0.8, (11.0, 5.0, 60.0, 55.0), "green"),
    Box("apple", 0.2, (100.0, 5.0, 160.0, 55.0), "red"),
    Box(HOSTILE, 0.99, (0.0, 0.0, 299.0, 199.0)),
)
RULE = Rule("boxes", 0.4, 0.95)


def add_reading(run: Run, item: Item, boxes: Sequence[Box], rule: Rule = RULE, judge: str = "finder") -> None:
    """Have one picture drawn, and a judge find boxes in it."""
    file = io.BytesIO()
    Image.new("RGB", (300, 200), (200, 220, 90)).save(file, "PNG")
    trial, evidence, question = Trial(item.id, "drawer", {}), Boxes(tuple(boxes)), item.asks[0].question
    value = interpret(evidence, question, rule)
    with run.lease("test") as lease:
        run.add_responses(
            lease, [Response(trial, Drawn(run.image_files.save(file.getvalue(), "png")), Provenance(1, "draw"))]
        )
        run.add_readings(lease, [Reading(Subject((trial.id,)), question, judge, evidence, str(rule), value)])


def see(run: Run, item: Item, judge: str, boxes: Sequence[Box]) -> None:
    """Have another judge find boxes in the same picture."""
    trial, evidence, question = Trial(item.id, "drawer", {}), Boxes(tuple(boxes)), item.asks[0].question
    value = interpret(evidence, question, RULE)
    with run.lease("test") as lease:
        run.add_readings(lease, [Reading(Subject((trial.id,)), question, judge, evidence, str(RULE), value)])


Look = tuple[Question, Sequence[Box], Rule]
"""A question about a picture, what was found in it, and the rule it was read by."""


def look_at(folder: Path, *looks: Look) -> Run:
    """Make a run of pictures, each of a category of its own lest the sample leave one out."""
    items = [
        Item(f"production/{place}", Draw("x"), (Ask(question, "How many?", (1, True)),), {"category": f"c{place}"})
        for place, (question, _, _) in enumerate(looks)
    ]
    run = new_run(folder / "run", "production", items)
    run.add_model(Spec("drawer", {}, "drawer"), is_stand_in=False)
    run.add_judge(Spec("finder", {}, "finder"), is_stand_in=False)
    for item, (_, boxes, rule) in zip(items, looks, strict=True):
        add_reading(run, item, boxes, rule)
    return run


def write(folder: Path, *looks: Look) -> str:
    with look_at(folder, *looks) as run:
        return page(run)


def titles(html: str) -> list[list[str]]:
    """What the boxes of each picture are called."""
    overlays = re.findall(r'<svg class="boxes".*?</svg>', html, re.DOTALL)
    return [[unescape(title) for title in re.findall(r"<title>(.*?)</title>", one)] for one in overlays]


def item_of(card: str) -> str:
    (found,) = re.findall(r"<dt>Item</dt><dd><bdi>(.*?)</bdi>", card)
    return str(found)


def test_boxes_that_were_counted_are_told_from_those_that_were_not(tmp_path: Path) -> None:
    html = write(tmp_path, (Count("apple"), [LOW, GOOD, OTHER], RULE))
    assert titles(html) == [[f"{HOSTILE} 0.99, not counted", "apple 0.20, not counted", "apple 0.91, counted"]]
    assert '<rect class="counted" x="10.0" y="5.0" width="50.0" height="50.0">' in html
    assert '<rect x="100.0" y="5.0" width="60.0" height="50.0">' in html
    assert "1 (from 3 boxes, by boxes@1&gt;=0.4,iou=0.95)" in html


def test_a_point_is_drawn_as_a_small_box_around_it(tmp_path: Path) -> None:
    html = write(tmp_path, (Count("apple"), [Box("apple", 1.0, (30.0, 40.0, 30.0, 40.0))], RULE))
    assert '<rect class="counted" x="24.0" y="34.0" width="12.0" height="12.0">' in html


def test_a_label_cannot_leave_its_place(tmp_path: Path) -> None:
    html = write(tmp_path, (Count("apple"), [OTHER], RULE))
    assert HOSTILE not in html
    assert html.count("<script") == 1


COUNTED: dict[str, tuple[Question, Rule, list[float]]] = {
    "no threshold": (Count("apple"), Rule("boxes"), [0.91, 0.8, 0.2]),
    "threshold": (Count("apple"), Rule("boxes", 0.4), [0.91, 0.8]),
    "overlap": (Count("apple"), Rule("boxes", 0.4, 0.9), [0.91]),
    "colour": (Count("apple", "red"), Rule("boxes"), [0.91, 0.2]),
    "other thing": (Count("pear"), Rule("boxes"), []),
    "statement": (Confirm("there are some apples", is_informed=True), Rule("boxes", 0.85), [0.91]),
}


def test_what_is_drawn_as_counted_is_what_the_rule_counts(tmp_path: Path, case: Case) -> None:
    html = write(tmp_path, *((question, [GOOD, TWIN, LOW], rule) for question, rule, _ in COUNTED.values()))
    of_item = {item_of(card): card for card in re.findall(r'<button type="button" class="card.*?</button>', html, re.S)}
    for place, (name, (_, _, counted)) in enumerate(COUNTED.items()):
        with case(name):
            (drawn,) = titles(of_item[f"production/{place}"])
            assert sorted(title for title in drawn if title.endswith(", counted")) == sorted(
                f"apple {score:.2f}, counted" for score in counted
            )
            assert len(drawn) == 3


def test_pictures_read_by_several_rules_are_each_drawn_by_their_own(tmp_path: Path) -> None:
    looks = [(Count("apple"), [GOOD, LOW], rule) for rule in (Rule("boxes"), Rule("boxes", 0.5))]
    drawn = titles(write(tmp_path, *looks))
    assert sorted(sum(title.endswith(", counted") for title in one) for one in drawn) == [1, 2]


def test_hundreds_of_boxes_do_not_swell_the_page(tmp_path: Path) -> None:
    many = [Box("apple", place / 1000, (1.0 * place, 1.0, place + 9.0, 9.0)) for place in range(300)]
    html = write(tmp_path, (Count("apple"), [*many, GOOD], RULE))
    (drawn,) = titles(html)
    assert len(drawn) == 31
    assert drawn[0] == "apple 0.30, not counted"


def test_a_small_picture_has_only_the_best_boxes_that_were_not_counted(tmp_path: Path) -> None:
    many = [Box("apple", place / 1000, (1.0 * place, 1.0, place + 9.0, 9.0)) for place in range(20)]
    html = write(tmp_path, (Count("apple"), [*many, GOOD], RULE))
    classes = re.findall(r'<rect(?: class="(\w+)")? x="[\d.]+" y="[\d.]+" width="[\d.]+" height="[\d.]+"><title>', html)
    assert classes == [""] * 8 + ["spare"] * 12 + ["counted"]


SMALL = "not counted, the 8 with the best scores are drawn"
MOST = "counted, the 200 with the best scores are drawn"


@pytest.mark.parametrize(
    ("counted", "others", "said"),
    [
        pytest.param(200, 8, [], id="all are drawn"),
        pytest.param(200, 9, [f"{SMALL}, and all of them once it is enlarged by a click"], id="all are drawn enlarged"),
        pytest.param(1, 31, [f"{SMALL}, and the best 30 once it is enlarged by a click"], id="too many others"),
        pytest.param(201, 0, [MOST], id="too many counted"),
        pytest.param(
            201, 31, [MOST, f"{SMALL}, and the best 30 once it is enlarged by a click"], id="too many of both"
        ),
    ],
)
def test_what_is_not_drawn_is_said(tmp_path: Path, counted: int, others: int, said: list[str]) -> None:
    boxes = [Box("apple", 0.9, (10.0 * place, 1.0, 10.0 * place + 9, 9.0)) for place in range(counted)]
    boxes += [Box("pear", 0.9, (10.0 * place, 1.0, 10.0 * place + 9, 9.0)) for place in range(others)]
    with look_at(tmp_path, (Count("apple"), boxes, RULE)) as run:
        gallery = make_gallery("production", list_series(read_sources([run])), NoEvents())
    assert isinstance(gallery, Gallery)
    assert re.findall(r"Of the boxes on a picture that were (.*?)\.", gallery.caption) == said


def test_without_boxes_there_is_no_legend(tmp_path: Path) -> None:
    html = write(tmp_path, (Count("apple"), [], RULE))
    assert 'class="caption legend"' not in html
    assert 'name="boxes"' not in html
    assert 'class="caption legend"' in write(tmp_path / "other", (Count("apple"), [GOOD], RULE))


def with_judges(folder: Path, found: Mapping[str, Sequence[Sequence[Box]]]) -> list[dict[str, str]]:
    """Report on pictures that several judges saw, and list what the cards say of themselves."""
    pictures, asks = len(next(iter(found.values()))), (Ask(Count("apple"), "How many?", (1,)),)
    items = [
        Item(f"production/{place}", Draw("apples"), asks, {"category": "apples", "number": 1})
        for place in range(pictures)
    ]
    first, *others = found
    with new_run(folder / "run", "production", items) as run:
        run.add_model(Spec("drawer", {}, "drawer"), is_stand_in=False)
        for judge in found:
            run.add_judge(Spec(judge, {}, judge), is_stand_in=False)
        for place, item in enumerate(items):
            add_reading(run, item, found[first][place], judge=first)
            for judge in others:
                see(run, item, judge, found[judge][place])
        html = page(run)
    cards = re.findall(r'<button type="button" class="card.*?</button>', html, re.DOTALL)
    return [
        {
            **dict(re.findall(r'data-(\w+)="(.*?)"', card)),
            "who": "; ".join(
                re.sub(r"<.*?>", "", one) for one in re.findall(r'<span class="who.*?">(.*?)</span>', card)
            ),
            "item": item_of(card),
            "filter": str('<select name="judge">' in html),
        }
        for card in cards
    ]


def test_a_picture_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    with drawn(tmp_path / "run") as run:
        next((tmp_path / "run" / "images").glob("??/*.png")).unlink()
        assert page(run).count(" is gone; restore it from a backup") == 1


LONG = "yolo:weights/a-network-with-a-long-name,floor=0"


def test_of_several_judges_each_card_names_its_own_in_a_line_of_its_own(tmp_path: Path) -> None:
    cards = with_judges(tmp_path, {LONG: [[GOOD]], f"{LONG},iou=0": [[GOOD, LOW]]})
    assert [card["who"] for card in cards] == [f"drawer; judged by {LONG}", f"drawer; judged by {LONG},iou=0"]
    assert [card["judge"] for card in cards] == [LONG, f"{LONG},iou=0"]
    assert {card["model"] for card in cards} == {"drawer"}
    assert {card["filter"] for card in cards} == {"True"}


def test_one_judge_alone_is_not_named_on_every_card(tmp_path: Path) -> None:
    (card,) = with_judges(tmp_path, {"finder": [[GOOD]]})
    assert (card["who"], card["filter"]) == ("drawer", "False")


@pytest.mark.slow
def test_what_is_right_or_wrong_comes_before_what_was_discarded_one_picture_after_the_other(tmp_path: Path) -> None:
    """The pictures of which a detector found nothing at all are discarded; the other detector saw something."""
    blind, seeing = [[], [], [], [GOOD]], [[GOOD], [GOOD], [GOOD], [GOOD, TWIN]]
    cards = with_judges(tmp_path, {"blind": blind, "seeing": seeing})
    outcomes = [card["outcome"] for card in cards]
    assert outcomes[-3:] == ["discarded"] * 3
    assert set(outcomes[:-3]) <= {"right", "wrong"}
    assert len(cards) == 8
    both = [place for place, card in enumerate(cards) if card["item"] == "production/3"]
    assert both[1] == both[0] + 1


def test_what_judges_disagree_about_comes_first(tmp_path: Path) -> None:
    asks = (Ask(Count("apple"), "How many?", (1,)),)
    items = [Item(f"production/{place}", Draw("x"), asks, {"task": f"task {place // 6}"}) for place in range(12)]
    with new_run(tmp_path / "run", "production", items) as run:
        run.add_model(Spec("drawer", {}, "drawer"), is_stand_in=False)
        for judge in ("finder", "second"):
            run.add_judge(Spec(judge, {}, judge), is_stand_in=False)
        for item in items:
            add_reading(run, item, [GOOD])
            see(run, item, "second", [] if item.id in ("production/5", "production/10") else [GOOD])
        gallery = make_gallery("production", list_series(read_sources([run])), NoEvents())
    assert isinstance(gallery, Gallery)
    first = [dict(card.details)["Item"] for card in gallery.cards[:4]]
    assert sorted(first) == ["production/10", "production/10", "production/5", "production/5"]
    assert first[0] == first[1]  # side by side
    assert "Pictures that judges disagree about come first." in gallery.caption
    assert gallery.filters["category"] == ("task 0", "task 1")
