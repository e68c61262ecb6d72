"""A detector of an outside package is a model and a judge, as those in the package are."""

import os
import re
from pathlib import Path

import pytest

from subitize.errors import BadValueError
from subitize.interfaces import Judge, Model
from subitize.registry import make_judge, make_model
from tests.commands import PLUGINS, call

NAMING = "naming:categories=dots,numbers=1-3,images=1,wordings=category,control_question=false,size_px=128"
PRODUCTION = "production:numbers=1-3,categories=dots"


@pytest.fixture(autouse=True)
def _spots(odd_models: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PLUGINS / "spots"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, (PLUGINS / "spots", PLUGINS))))


def test_it_is_a_model_and_a_judge_with_the_options_of_every_detector_and_its_own() -> None:
    model, judge = make_model("spots:darkness=90"), make_judge("spots:threshold=0.3")
    assert isinstance(model.obj, Model)
    assert isinstance(judge.obj, Judge)
    assert model.spec.text == "spots:darkness=90"
    assert judge.obj.rule == "boxes@1>=0.3,iou=1"
    assert list(judge.spec.options) == ["threshold", "iou", "floor", "darkness"]
    described = call("list", "spots", "--json").json()
    assert [one["kind"] for one in described] == ["models", "judges"]
    assert {one["summary"] for one in described} == {"Count spots darker than the brightest ground, whatever they are."}


def test_it_counts_in_a_run_as_a_model_and_as_a_judge(tmp_path: Path) -> None:
    named = call("run", NAMING, "--model", "spots:self_test=false", "--out", tmp_path / "named")
    assert named.code == 0, named.err
    drawn = call(
        *("run", PRODUCTION, "--model", "painter:size_px=256", "--repeats", 2),
        *("--judge", "spots:self_test=false", "--out", tmp_path / "drawn"),
    )
    assert drawn.code == 0, drawn.err
    for run in ("named", "drawn"):
        rows = call("score", tmp_path / run, "--json").json()
        assert {row["value"] for row in rows if row["measure"] == "accuracy"} == {1.0}


def test_what_is_no_detector_is_refused() -> None:
    with pytest.raises(BadValueError, match=r"judge 'unfit' \(spots:Sequence\).* a detector is a subclass"):
        make_judge("unfit")


def test_the_page_on_detectors_shows_it() -> None:
    page = (Path(__file__).parents[2] / "docs" / "detectors.md").read_text()
    ((code),) = re.findall(r"```python\n(from collections.*?)```", page, re.DOTALL)
    assert code.strip() in (PLUGINS / "spots" / "spots.py").read_text()
