"""What was stored by an earlier version reads, prints and goes on as it did then."""

import contextlib
import hashlib
import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.commands import call
from tests.goldens.kept_runs import PRINTED, RESUMED, copy_run, expected, print_all
from tests.goldens.texts import without_last_digits

# Whole commands on all runs take seconds: two stand for the others in `make test`.
QUICK = ("naming", "unfinished")
MARKED = {name: pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in PRINTED}
FINISHED = [MARKED[name] for name in RESUMED if name != "unfinished"]


@pytest.mark.usefixtures("undrawn")  # what is compared are the tables behind charts
@pytest.mark.parametrize("name", MARKED.values())
def test_an_earlier_run_prints_the_same(name: str, tmp_path: Path) -> None:
    copy_run(name, tmp_path)
    assert dict(print_all(name, tmp_path)) == expected(name)


# Of runs that several people read: the SHA-256 of scores by the rule that was the default when they were made.
BY_EARLIER_RULE = {
    "geckonum": "5af7b6d277df2cbaded48bf274a922b4f4e40b31e42c6313ad17a2259a4ef90d",
    "released": "2fdb225ae48941549045a57545637faeaf184ea0e18f8f0f4b07f9c587aea3ad",
    "t2icountbench": "a90bd86b45f82e3233f609280dc42ae89fd1d98e5e6f02ebb6ed0240b012f149",
}


@pytest.mark.parametrize("name", BY_EARLIER_RULE)
def test_an_earlier_run_has_the_scores_and_fingerprints_that_it_had_by_the_rule_of_then(
    name: str, tmp_path: Path
) -> None:
    run = copy_run(name, tmp_path)
    assert _digest(call("score", run, "--agreement", "mode", "--json").out) == BY_EARLIER_RULE[name]


@pytest.mark.parametrize("name", FINISHED)
def test_an_earlier_run_that_is_finished_has_nothing_left_to_do(name: str, tmp_path: Path) -> None:
    run = copy_run(name, tmp_path)
    for command in RESUMED[name]:
        done = call(*command, "--out", run)
        assert done.code == 0, done.err
        told = [line for line in done.out.splitlines() if "answered" in line]
        assert told
        for line in told:
            assert " 0 answered" in line
            assert " 0 new readings" in line
    with contextlib.chdir(tmp_path):
        assert without_last_digits(call("score", name, "--json").out) == expected(name)["score.json"]


@pytest.mark.slow
def test_an_earlier_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    run = copy_run("unfinished", tmp_path)
    for _ in range(2):
        done = call(*RESUMED["unfinished"][0], "--out", run)
        assert done.code == 0, done.err
    assert "0 answered, 0 refused, 0 failed, 48 done before, 0 new readings" in done.out
    with contextlib.closing(sqlite3.connect(run / "run.sqlite")) as database:
        trials = database.execute("SELECT count(*), count(DISTINCT trial_id) FROM responses").fetchone()
        subjects = database.execute("SELECT count(*) FROM readings").fetchone()
    assert (trials, subjects) == ((48, 48), (48,))
    assert call("report", run, "-o", tmp_path / "report.html").code == 0


# Of the papers' released data: the SHA-256 of what is printed.
REPRODUCED = {
    "geckonum": "12a086506ab8d5346a688e60d8ce65de91b309315cef19c3eed329a5eb26a970",
    "t2icountbench": "0a84ade2f348dbd3a84593d6f6dc1a85f4b15ee8a26b3a2a50a4116a20a4862c",
}
IMPORTED: dict[tuple[str, ...], str] = {
    ("score", "--json"): "798372fe1ae4c6c6ca07d7f59045aa844361fe1a579a7a8bb5697e53414dbbe6",
    ("score", "--agreement", "mode", "--json"): "208dcb60760adc27319eaf634e04eeda14022550d76f7db2b8848e3d143c6cc0",
    ("agree", "--json"): "e856a6ed7d4d1b55bde0a167603fb7b8a5ce8771f66807b4be45543a30666af4",
    ("show", "--json"): "85ff0c045e9820e2bc96046fcdcb8bcdba8ce949410836018eca19286fcc85dc",
    (
        "report tables",
        "--paper",
        "geckonum",
        "--json",
    ): "12a086506ab8d5346a688e60d8ce65de91b309315cef19c3eed329a5eb26a970",
}


@pytest.fixture(scope="module")
def reproduced(shared_data: Path) -> dict[str, str]:
    """What `reproduce --json` prints."""
    return {
        "geckonum": call("report", "reproduce", "geckonum", shared_data / "geckonum", "--json").out,
        "t2icountbench": call("report", "reproduce", "t2icountbench", "--json").out,
    }


@pytest.mark.slow
def test_published_figures_are_reproduced_as_before(reproduced: dict[str, str]) -> None:
    assert {name: _digest(text) for name, text in reproduced.items()} == REPRODUCED


@pytest.mark.slow
def test_a_published_release_is_imported_and_scored_as_before(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("import", "release", "geckonum", shared_data / "geckonum", "--out", "run").code == 0
    printed = {command: call(*command[0].split(), "run", *command[1:]).out for command in IMPORTED}
    assert {command: _digest(text) for command, text in printed.items()} == IMPORTED


# Of tables the SHA-256 of all but intervals, as they were before these followed the design.
POINTS = {
    "geckonum": ["1cbd191737bba47519b710e84d5fa418d2b9c98cb94e827084bffd141fb4914c"],
    "released": ["12e565ffb79decf6c6b3789d03071bae76f53fda8aad1df842a26d138f00c6de"],
    "t2icountbench": [
        "555f82cff9ee5ee286851e11649d0aef22bd9dd4b77accc4f9bd5b18e9d55aff",
        "e4f0009de7ffe66c4e51a69c0be2e5aa404c70cb37ca34d853d380effc6964d3",
    ],
}
REPRODUCED_POINTS = {
    "geckonum": "9d1793831787bbd091ae56800e86ebff5774f96e0e1bc70535018ad15dbc8762",
    "t2icountbench": "16ed162c6b30d2d0e0c3e89adc2d4a6814e853409d0bab3f1fff9238fd40b0e2",
}


@pytest.mark.parametrize("name", POINTS)
def test_values_in_tables_do_not_depend_on_how_intervals_are_computed(name: str, tmp_path: Path) -> None:
    run = copy_run(name, tmp_path)
    options = [rest for verb, *rest in PRINTED[name] if verb == "report tables"]
    assert [_digest_points(call("report", "tables", run, *rest).out) for rest in options] == POINTS[name]


@pytest.mark.slow
def test_published_values_do_not_depend_on_how_intervals_are_computed(reproduced: dict[str, str]) -> None:
    assert {name: _digest_points(text) for name, text in reproduced.items()} == REPRODUCED_POINTS


_LATER = {"low", "high", "method", "caution", "model_name", "judge_name", "row_name"}


def _digest_points(text: str) -> str:
    """Digest the cells of tables, but for their intervals and names; comparisons of models are no cells."""
    found = json.loads(text, object_hook=lambda row: {key: row[key] for key in row.keys() - _LATER})
    if isinstance(found, dict):
        points = [found[name] for name in ("cells", "means", "text") if name in found]
    else:
        points = [cell for cell in found if cell["table"] not in ("paired", "ranks")]
    return _digest(json.dumps(points, sort_keys=True))


def _digest(text: str) -> str:
    """Digest what is printed as it was before names and addresses stood beside specs."""
    return hashlib.sha256(_NAMES.sub("", without_last_digits(text)).encode()).hexdigest()


_NAMES = re.compile(r',\n *("(model|judge|first|second|row)_name": "[^"]*"|"addresses": \[\])')
