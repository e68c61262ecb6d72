"""`subitize measure` as a user meets it."""

from pathlib import Path

import pytest

from subitize.analysis.measures import CountingReport, CountMeasure
from subitize.records import Estimate, Refused, Spec
from subitize.stats.estimate import wilson_interval
from subitize.store import Folder, Run
from tests.commands import PLUGINS, call
from tests.report.report_runs import exact, fill, naming_items, new_run

SUITE = "naming:images=3,numbers=1-3,categories=apples+dots,size_px=256"


pytestmark = pytest.mark.usefixtures("odd_models")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small finished run of a model that guesses, and of one that always says three."""
    folder = tmp_path_factory.mktemp("measure") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PLUGINS))
        patch.setenv("PYTHONPATH", str(PLUGINS))
        assert call("run", SUITE, "--model", "random", "--model", "instant", "--out", folder).code == 0
    return folder


def test_one_table_per_suite_with_intervals_and_what_they_rest_on(run: Path) -> None:
    found = call("measure", run)
    assert found.code == 0
    assert "naming, judged by parser" in found.out
    assert "random *" in found.out
    assert "(ideal human, exact)" in found.out
    assert "(perfect counter, exact)" in found.out
    (head,) = (line for line in found.out.splitlines() if line.startswith("model") and "nae" in line)
    assert "answered" not in head, "everything has a count"
    assert "3: 1.000 [" in found.out
    assert "* an embedded stand-in" in found.out
    assert "! some category has fewer than 20 answers" in found.out
    instant = next(line for line in found.out.splitlines() if "instant" in line)
    assert instant.split()[2:5] == ["0.333", "[0.198,", "0.503]"]
    assert instant.split()[-2:] == ["18", "!"]


@pytest.mark.slow
def test_json_has_every_figure(run: Path) -> None:
    found = {one["model"]: one for one in call("measure", run, "--json").json()}
    assert set(found) == {"random", "instant"}
    instant = found["instant"]
    assert instant["is_stand_in"] is True
    assert instant["run"] == str(run)
    assert instant["accuracy"]["value"] == pytest.approx(1 / 3)
    assert (instant["knower"]["level"], instant["knower_all"]["low"], instant["knower_all"]["high"]) == (0, 0, 0)
    assert [(one["answer"], one["share"]["value"]) for one in instant["anchoring"]["anchors"]] == [(3, 1.0)]
    assert instant["human_correlation"] == instant["human_correlation_all"]
    assert [one["wording"] for one in instant["wordings"]] == ["category", "objects", "things"]
    assert (instant["control"]["value"], instant["control"]["n"]) == (0.0, 9)
    assert instant["matrices"]["all"][:4] == [[0, 0, 0], [0, 0, 0], [6, 6, 6], [0, 0, 0]]
    assert (instant["scalar"], instant["cues"]) == (None, None)


@pytest.mark.slow
def test_why_there_is_no_weber_fraction_is_said(run: Path) -> None:
    found = {one["model"]: one["weber"] for one in call("measure", run, "--json").json()}
    reason = "responses do not rise with number"
    assert found["instant"] == {"reason": reason, "subitizing": 0, "estimate": None}
    assert f"none: {reason}" in call("measure", run).out


@pytest.mark.slow
def test_a_line_of_the_table_is_a_measure_in_json_and_with_a_heading_at_the_terminal(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_half(one: CountingReport) -> Estimate:
        return wilson_interval(int((one.rows["number"] <= 2).sum()), len(one.rows))

    line = CountMeasure(first_half, "up to two")
    line.__set_name__(CountingReport, "first_half")
    monkeypatch.setattr(CountingReport, "first_half", line, raising=False)
    rows = call("measure", run, "--json").json()
    assert [round(one["first_half"]["value"], 3) for one in rows] == [0.667, 0.667]
    assert list(rows[0])[-3:] == ["matrices", "first_half", "is_stand_in"]
    printed = call("measure", run).out.splitlines()
    heading = next(line for line in printed if "weber" in line)
    assert heading.split()[-3:] == ["up", "to", "two"]
    assert sum("0.667 [0.437, 0.837]" in line for line in printed) == 2


@pytest.mark.slow
def test_several_runs_are_told_apart(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert call("run", f"{SUITE},control=area", "--model", "random", "--out", other).code == 0
    found = call("measure", run, other, "--json").json()
    random = [one for one in found if one["model"] == "random"]
    assert [one["run"] for one in random] == [str(run), str(other)]
    assert [one["cues"]["n"] for one in random] == [36, 36]
    assert call("measure", run, other).out.count(str(other)) == 2


def test_where_something_was_refused_the_paper_s_own_figures_stand_beside(tmp_path: Path) -> None:
    items = naming_items()
    with new_run(tmp_path / "shy", "naming", items) as shy:
        fill(
            shy,
            items,
            Spec("shy", {}, "shy"),
            lambda item, place: exact(item, place) if place % 2 else (Refused("no"), None),
        )
    found = call("measure", tmp_path / "shy").out.splitlines()
    headings = next(line for line in found if "accuracy" in line)
    names = [name.strip() for name in headings.split("  ") if name.strip()]
    assert names[3:8] == ["coverage", "level", "level answered", "human", "human answered"]
    row = next(line for line in found if line.strip().startswith("shy"))
    assert "0.500 [" in row


def test_an_excluded_item_is_told(run: Path) -> None:
    with Run(Folder(run)) as opened:
        item = opened.items()[0].id
    assert call("show", run, "--exclude", item, "--reason", "a smudge").code == 0
    try:
        assert "1 excluded" in call("measure", run).out
    finally:
        assert call("show", run, "--exclude", item, "--reason", "dust", "--undo").code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--judge", "pasrer"], "has no readings by 'pasrer'; judges with readings: parser"),
        (["--rule", "totals"], "no rule named 'totals'; known: boxes, compared, final, geckonum, strict, total"),
        (["--rule", "boxes"], "rule 'boxes' cannot read words"),
    ],
)
def test_a_wrong_option_is_one_line_that_names_it(run: Path, options: list[str], message: str) -> None:
    found = call("measure", run, *options)
    assert (found.code, found.out) == (2, "")
    assert message in found.err
    assert found.err.count("\n") == 1


def test_no_run_is_an_error(tmp_path: Path) -> None:
    found = call("measure", tmp_path / "nowhere")
    assert found.code == 2
    assert "nowhere" in found.err


def test_a_run_given_twice_is_refused_however_it_is_written(run: Path) -> None:
    done = call("measure", run, run.parent / "." / "nowhere" / ".." / run.name)
    assert done.code == 2
    assert "is given 2 times; once is enough" in done.err
