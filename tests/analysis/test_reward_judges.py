"""A model that is judged by what it was trained with is said to be, and nothing changes for others."""

from pathlib import Path

import pytest

from subitize.analysis.advice import is_reward_judge
from subitize.store import Folder, Run
from tests.commands import call

SUITE = "production:numbers=1-2,categories=apples"
DRAWN = ("run", SUITE, "--model", "painter:size_px=128", "--repeats", 1)
WARNING = "painter was trained with observer, which judges it here: the figures may flatter it; take another"


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_a_model_judged_by_its_reward_judge_is_told_of_in_run_score_and_report(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert WARNING in call(*DRAWN, "--trained-with", "observer", "--out", run).err
    assert WARNING in call("score", run).err
    assert call("report", run, "--out", tmp_path / "report.html").code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert WARNING in page
    assert "Trained with this judge" in page
    assert "trained_with = observer" in page


def test_another_judge_of_it_is_not_warned_of(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert call(*DRAWN, "--trained-with", "vlm:observer", "--out", run).err == ""
    assert call("score", run).err == ""
    assert "painter was trained with vlm:observer" in call("judge", run, "--judge", "vlm:observer").err
    assert call("score", run, "--judge", "observer").err == ""


def test_what_a_model_was_trained_with_is_part_of_it_and_others_are_as_before(tmp_path: Path) -> None:
    for name, options in (("plain", ()), ("trained", ("--trained-with", "observer"))):
        assert call(*DRAWN, *options, "--out", tmp_path / name).code == 0
    with Run(Folder(tmp_path / "plain")) as plain, Run(Folder(tmp_path / "trained")) as trained:
        assert "trained_with" not in plain.models()[0].options
        assert trained.models()[0].options == {**plain.models()[0].options, "trained_with": "observer"}
    resumed = call(*DRAWN, "--out", tmp_path / "trained")
    assert resumed.code == 2
    assert "trained_with" in resumed.err


def test_a_judge_is_the_same_with_other_options_but_not_with_another_model() -> None:
    trained = {"trained_with": "vlm:openai:eye,policy=total"}
    assert is_reward_judge("vlm:openai:eye", trained)
    assert not is_reward_judge("vlm:openai:other", trained)
    assert not is_reward_judge("observer", trained)
    assert not is_reward_judge("observer", {})
