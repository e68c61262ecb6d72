"""The probes as suites: which texts are put to a model, and what of the data can be left out."""

from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import SubitizeError
from subitize.papers.seeing_past_words.probes import write_records
from subitize.papers.seeing_past_words.tables import tabulate_run
from subitize.records import Answer, Confirm, Draw, Elsewhere, Filed, Fill, Match, task_text
from subitize.registry import make_model, make_suite
from subitize.store import Folder, Run
from tests.networks.tiny_weights import find_tiny
from tests.papers.seeing_past_words.probe_files import ANSWERS, make_probes, write_suites
from tests.runs import run_suite


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return write_suites(tmp_path_factory.mktemp("probes"))


def test_right_and_wrong_statements_are_scored_in_both_formats(specs: dict[str, str]) -> None:
    items = list(make_suite(specs["counting-probe"]).obj.items(0))
    right = [item for item in items if item.factors["caption"] == "right"]
    assert len(right) == 2 * len(ANSWERS) < len(items)
    texts = {item.task.text for item in items if isinstance(item.task, Match)}
    assert {"There are 2 apples in the picture.", "How many apples are in the picture? [SEP] 2"} <= texts
    for item in items:
        (ask,) = item.asks
        assert isinstance(ask.question, Confirm)
        assert ask.question.is_informed
        assert ask.expects == (item.factors["shown"] == item.factors["number"],)
        assert item.factors["caption"] == ("right" if ask.expects[0] else "foil")


def test_gaps_are_neutral_and_as_the_paper_has_them(specs: dict[str, str]) -> None:
    items = list(make_suite(specs["counting-probe-masked"]).obj.items(0))
    texts = {
        (item.factors["mask"], item.factors["number"]): item.task.text for item in items if isinstance(item.task, Fill)
    }
    assert len(items) == 2 * len(ANSWERS)
    assert texts["neutral", 1] == texts["neutral", 4] == "There are [GAP] apples in the picture."
    assert texts["faithful", 1] == "There is [GAP] apple in the picture."


def test_questions_are_put_as_they_are(specs: dict[str, str]) -> None:
    items = list(make_suite(specs["counting-probe-vqa"]).obj.items(0))
    assert [item.asks[0].expects for item in items] == [(answer,) for answer in ANSWERS]
    assert {item.task.question for item in items if isinstance(item.task, Answer)} == {
        "How many apples are in the picture?"
    }


def test_images_are_files_or_names(specs: dict[str, str]) -> None:
    spec = specs["alignment-probe"]
    for kind, text in {Filed: spec, Elsewhere: spec.partition(",images=")[0]}.items():
        items = list(make_suite(text).obj.items(0))
        assert len(items) == 2 * len(ANSWERS)
        assert all(isinstance(item.task, Match) and isinstance(item.task.picture, kind) for item in items)


def test_whoever_is_blind_sees_the_image_of_another_probe(specs: dict[str, str]) -> None:
    for spec in specs.values():
        seeing, blind = (list(make_suite(text).obj.items(0)) for text in (spec, f"{spec},blind=true"))
        assert [item.id for item in seeing] == [item.id for item in blind]
        for one, other in zip(seeing, blind, strict=True):
            assert not isinstance(one.task, Draw)
            assert not isinstance(other.task, Draw)
            assert one.task.picture != other.task.picture
            assert (task_text(one.task), one.factors) == (task_text(other.task), other.factors)


def test_splits_parts_and_formats_are_chosen(specs: dict[str, str]) -> None:
    spec = specs["counting-probe"]
    assert len(list(make_suite(f"{spec},splits=standard,parts=test,formats=qa").obj.items(0))) * 2 == len(
        list(make_suite(spec).obj.items(0))
    )
    for option, message in {
        "splits=hard": "no split named 'hard'; known: standard",
        "parts=train": "no part named 'train'; known: test",
        "formats=prose": "no format named 'prose'; known: declarative, qa",
    }.items():
        with pytest.raises(SubitizeError, match=message):
            make_suite(f"{spec},{option}")


def test_a_file_without_foils_or_images_is_refused(tmp_path: Path) -> None:
    probes = [replace(probe, foils=(), statement_foils=()) for probe in make_probes(tmp_path)]
    write_records(tmp_path / "probes.jsonl", probes)
    with pytest.raises(SubitizeError, match=r"no probe of .* has a valid foil"):
        make_suite(f"counting-probe:{tmp_path / 'probes.jsonl'}")
    with pytest.raises(SubitizeError, match=r"none of the images is there; the first is '0\.png'"):
        make_suite(f"counting-probe-vqa:{tmp_path / 'probes.jsonl'},images={tmp_path}")
    assert list(make_suite(f"counting-probe-vqa:{tmp_path / 'probes.jsonl'}").obj.items(0))


def test_probes_that_lack_what_a_framing_needs_are_left_out_with_a_note(tmp_path: Path) -> None:
    first, second, *_ = make_probes(tmp_path)
    write_records(tmp_path / "p.jsonl", [replace(first, question=""), replace(second, masked="", masked_faithful="")])
    for suite, needed in {
        "counting-probe-vqa:{}": "a question",
        "counting-probe:{},formats=qa": "a question, as the format qa needs",
        "counting-probe-masked:{}": "a statement with a gap",
    }.items():
        made = make_suite(suite.format(tmp_path / "p.jsonl")).obj
        assert made.notes == (f"p.jsonl: left out 1 probe without {needed}",)
    whole = make_suite(f"counting-probe:{tmp_path / 'p.jsonl'}").obj
    assert not whole.notes


@pytest.mark.torch
def test_networks_that_match_or_fill_run_the_probes(
    specs: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Run(Folder(tmp_path_factory.mktemp("run")), create=True) as run:
        for suite, network in {"counting-probe": "vilt-itm", "counting-probe-masked": "vilt-mlm"}.items():
            model = make_model(f"transformers:{find_tiny(network, tmp_path_factory)}")
            summary = run_suite(run, make_suite(specs[suite]), model)
            assert (summary.refused, summary.failed) == (0, 0)
        found = {one.table for one in tabulate_run(run, None, extensions=False).records}  # type: ignore[attr-defined]
    assert {"table2, test", "table4, neutral, test", "table4, faithful, test", "guessing, standard, test"} <= found
