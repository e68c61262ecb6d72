"""GenEval's and GenEval 2's prompt files as suites, and their rules on our judges' evidence."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from subitize.analysis.rescoring import Rescored, rescore_run
from subitize.errors import BadFileError, UnknownNameError
from subitize.labels import interpret, parse_rule
from subitize.records import Box, Boxes, Count, Draw, Reading, Spec, Subject
from subitize.registry import make_suite
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.suites.geneval_files import GENEVAL, GENEVAL2, write_prompts, write_suites


def asks_of(spec: str) -> dict[str, dict[str, tuple[object, ...]]]:
    items = make_suite(spec).obj.items(0)
    return {item.id: {ask.question.id: ask.expects for ask in item.asks} for item in items}


def test_a_prompt_of_geneval_asks_for_numbers_colours_and_places(tmp_path: Path) -> None:
    spec = write_suites(tmp_path)["geneval"]
    assert asks_of(spec) == {
        "geneval/00000": {"count:apple": (1,)},
        "geneval/00001": {"count:apple": (1,), "count:cat": (1,)},
        "geneval/00002": {"count:apple": (3,)},
        "geneval/00003": {"count:apple": (1,), "count:red apple": (1,)},
        "geneval/00004": {"count:cat": (1,), "count:apple": (1,), "count:apple left of cat": (1,)},
        "geneval/00005": {"count:apple": (1,), "count:red apple": (1,), "count:cat": (1,), "count:blue cat": (1,)},
    }
    suite = make_suite(spec).obj
    counting = next(item for item in suite.items(0) if item.id == "geneval/00002")
    assert counting.task == Draw("a photo of three apples")
    assert counting.factors == {"tag": "counting", "category": "apple", "number": 3}
    assert counting.asks[0].wording == "How many apples are in the image?"
    assert [item.id for item in make_suite(f"{spec},tags=counting").obj.items(0)] == ["geneval/00002"]
    with pytest.raises(UnknownNameError, match="no tag named 'x'; known: color_attr"):
        make_suite(f"{spec},tags=x")


def test_a_prompt_of_geneval_2_asks_its_own_questions(tmp_path: Path) -> None:
    assert asks_of(write_suites(tmp_path)["geneval2"]) == {
        "geneval2/0000": {
            "confirm:there are some apples": (True,),
            "count:apple": (2,),
            "confirm:there are some cats": (True,),
        },
        "geneval2/0001": {"count:red apple": (3,), "confirm:Do the apples shine?": (True,)},
        "geneval2/0002": {"confirm:there are some apples": (True,), "count:apple": (5,)},
    }


def bad(record: Mapping[str, Any], **changes: object) -> dict[str, Any]:
    return {**record, **changes}


BAD = {
    "no prompt": (bad(GENEVAL[0], prompt=" "), "line 1: no prompt"),
    "no tag": (bad(GENEVAL[0], tag=None), "line 1: tag None: should be text"),
    "no include": (bad(GENEVAL[0], include=[]), "include is empty"),
    "no class": (bad(GENEVAL[0], include=[{"count": 1}]), "include 0: class None: should be text"),
    "count": (bad(GENEVAL[0], include=[{"class": "cat", "count": "2"}]), "count '2': should be a whole number"),
    "position": (
        bad(GENEVAL[0], include=[{"class": "cat", "count": 1, "position": ["near", 0]}]),
        r"position \['near', 0\]: should be like \['left of', 0\]",
    ),
    "colour": (bad(GENEVAL[0], include=[{"class": "cat", "count": 1, "color": 3}]), "color 3: should be text"),
    "exclude": (bad(GENEVAL[1], exclude=[{"class": "cat", "count": 2}]), "exclude belongs to counting only"),
}
BAD2 = {
    "pair": (bad(GENEVAL2[0], vqa_list=["x"]), "'x' should be a question and its answer"),
    "number": (bad(GENEVAL2[0], vqa_list=[["How many apples?", "lots"]]), "'lots' .* should be a number"),
    "yes": (bad(GENEVAL2[0], vqa_list=[["Is it red?", "perhaps"]]), "should be Yes or No"),
    "none": (bad(GENEVAL2[0], vqa_list=[]), "should be questions, and their number"),
}


def test_what_is_wrong_with_a_file_is_named_with_its_line(case: Case, tmp_path: Path) -> None:
    for suite, cases in (("geneval", BAD), ("geneval2", BAD2)):
        for name, (record, told) in cases.items():
            path = write_prompts(tmp_path / f"{suite} {name}.jsonl", [record])
            with case(f"{suite} {name}"), pytest.raises(BadFileError, match=told):
                make_suite(f"{suite}:{path}")
    for name, text, told in (
        ("empty", "", "empty has no rows"),
        ("cut", json.dumps(GENEVAL[0])[:-9], "ends too soon"),
        ("list", "[]", "list line 1: .* should be an object"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with case(name), pytest.raises(BadFileError, match=told):
            make_suite(f"geneval:{tmp_path / name}")
    with case("missing"), pytest.raises(BadFileError, match="cannot read"):
        make_suite(f"geneval2:{tmp_path / 'nothing'}")


@pytest.fixture(scope="module")
def surplus(tmp_path_factory: pytest.TempPathFactory) -> list[Rescored]:
    """One thing too many in every drawing."""
    folder = tmp_path_factory.mktemp("surplus")
    spec, run = write_suites(folder)["geneval"], folder / "run"
    done = call("run", spec, "--model", "painter:over=1,size_px=256", "--repeats", "1", "--out", run)
    assert done.code == 0, done.err
    assert "licence: MIT" in done.err
    assert "please cite: Dhruba Ghosh" in done.err
    with Run(Folder(run)) as opened:
        return rescore_run(opened, ["geneval", "t2i-compbench:numeracy"])


def test_a_surplus_is_right_by_genevals_rule_and_wrong_by_ours(surplus: list[Rescored]) -> None:
    by_tag = {one.group: one for one in surplus if one.scorer == "geneval"}
    assert by_tag["counting"].theirs.value == 0
    assert by_tag["single_object"].theirs.value == by_tag["two_object"].theirs.value == 1
    assert all(one.ours.value == 0 for one in by_tag.values())
    assert {one.reason for one in by_tag["single_object"].differences} == {"surplus"}
    (presence,) = (one for one in surplus if one.scorer == "t2i-compbench:numeracy")
    assert presence.theirs.value == 0.5  # everything is there, and no number is right


def test_the_whole_is_the_mean_of_the_tags(surplus: list[Rescored]) -> None:
    by_tag = {one.group: one.theirs for one in surplus if one.scorer == "geneval"}
    whole = by_tag.pop("all")
    assert whole.value == pytest.approx(sum(one.value for one in by_tag.values()) / len(by_tag))
    assert whole.n == sum(one.n for one in by_tag.values())


def test_tags_weigh_the_same_however_many_prompts_they_have(tmp_path: Path) -> None:
    records = [GENEVAL[2], *[GENEVAL[0]] * 3]
    spec, run = f"geneval:{write_prompts(tmp_path / 'few.jsonl', records)}", tmp_path / "run"
    assert call("run", spec, "--model", "painter:over=1,size_px=256", "--repeats", "1", "--out", run).code == 0
    with Run(Folder(run)) as opened:
        whole = rescore_run(opened, ["geneval"])[0]
    assert (whole.group, whole.theirs.value, whole.theirs.n) == ("all", 0.5, 4)


def test_what_the_judge_cannot_answer_waits_for_another(tmp_path: Path) -> None:
    spec, run = write_suites(tmp_path)["geneval2"], tmp_path / "run"
    assert call("run", spec, "--model", "painter:size_px=256", "--out", run).code == 0
    done = call("score", run, "--scorer", "geneval2:hard-am")
    assert re.search(r"^painter .*geneval2:hard-am .* 2 +1 +observer", done.out, re.MULTILINE), done.out
    assert "Left out: In neither: they wait for a judge, or have no score." in done.out


def test_the_folders_of_geneval_are_matched_with_its_prompts(tmp_path: Path) -> None:
    spec = write_suites(tmp_path)["geneval"]
    for number, record in enumerate(GENEVAL):
        samples = tmp_path / "images" / f"{number:05}" / "samples"
        samples.mkdir(parents=True)
        (samples.parent / "metadata.jsonl").write_text(json.dumps(record), encoding="utf-8")
        Image.new("RGB", (64, 64), "white").save(samples / "0000.png")
    folder = tmp_path / "images"
    done = call(
        "run", spec, "--model", f"folder:{folder}", "--repeats", "1", "--judge", "none", "--out", tmp_path / "r"
    )
    assert done.code == 0, done.err
    assert "6 answered" in done.out


def test_boxes_on_top_of_each_other_are_two_things_and_looks_at_the_same_one(tmp_path: Path) -> None:
    path = write_prompts(tmp_path / "red.jsonl", [GENEVAL[3] | {"tag": "counting", "prompt": "a photo of a red apple"}])
    location = Folder(tmp_path / "run")
    given = ("--model", "painter:size_px=256", "--repeats", "1", "--judge", "none", "--out", location.path)
    assert call("run", f"geneval:{path}", *given).code == 0
    box = Box("apple", 0.95, (0, 0, 9, 9))
    with Run(location) as run, run.lease("judge detector") as lease:
        run.add_judge(Spec("detector", {}, "detector"), is_stand_in=False)
        subject = Subject((next(run.responses()).trial_id,))
        rule = parse_rule("boxes>=0.5,iou=0.5")
        for question, found in (
            (Count("apple"), Boxes((box, box))),
            (Count("apple", "red"), Boxes((replace(box, colour="red"),) * 2)),
        ):
            value = interpret(found, question, rule)
            run.add_readings(lease, [Reading(subject, question, "detector", found, str(rule), value)])
        whole = rescore_run(run, ["geneval"])[0]
    assert (whole.theirs.value, whole.ours.value) == (0, 1)  # they see two, and we suppress one
    assert [(one.reason, one.we_are_stricter) for one in whole.differences] == [("threshold", False)]
