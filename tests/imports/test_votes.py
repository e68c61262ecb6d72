"""Votes on groups of images from a CSV: all of the file or nothing, and every bad line is named."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import copytree

import pytest

from subitize.errors import BadFileError, BadValueError, ConflictError
from subitize.imports.answers import ImportSummary, import_readings
from subitize.imports.votes import import_votes
from subitize.labels import Rule
from subitize.records import (
    Ask,
    Count,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    Known,
    MatchesPrompt,
    Outcome,
    Refused,
    Spec,
    Stored,
    Subject,
    Trial,
    Value,
    Words,
)
from subitize.registry import make_suite
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call
from tests.samples import MODEL, response

SUITE = Spec("fruit", {}, "fruit")
COUNT = Ask(Count("apple"), "How many apples?", (3,))
VOTE = Ask(MatchesPrompt(), "Does at least one show 3 apples?", (True,), group=2)
WHOLE, TWICE, FAILED, BEGUN, REFUSED, UNDRAWN = (
    Item(f"fruit/{name}", Draw("3 apples"), (COUNT, VOTE), {})
    for name in ("whole", "twice", "failed", "begun", "refused", "undrawn")
)
SINGLE = Item("fruit/single", Draw("3 apples"), (COUNT,), {})
PICTURE = Drawn(Elsewhere("apples"))
OUTCOMES: dict[str, list[Outcome]] = {
    WHOLE.id: [PICTURE, Refused("no")],
    TWICE.id: [PICTURE] * 4,
    FAILED.id: [PICTURE, Failed("500", False)],
    BEGUN.id: [PICTURE],
    REFUSED.id: [Refused("no"), Refused("no")],
    SINGLE.id: [PICTURE] * 2,
}
SUITES = ("t2icountbench:objects=apple+cat,numbers=6-8", "t2icountbench~grid:objects=apple+cat,numbers=6-8")
APPLE, CAT = "t2icountbench/apple/home/plain/7", "t2icountbench/cat/home/plain/7"
Import = Callable[..., ImportSummary]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "run"
    with Run(Folder(folder), create=True) as run:
        run.add_suite(SUITE, 0, [WHOLE, TWICE, FAILED, BEGUN, REFUSED, UNDRAWN, SINGLE])
        run.add_model(MODEL, is_stand_in=False)
        with run.lease("model") as lease:
            drawn = [(trial(id, place), one) for id, own in OUTCOMES.items() for place, one in enumerate(own)]
            run.add_responses(lease, [response(of, outcome) for of, outcome in drawn])
    return folder


@pytest.fixture
def run(filled: Path, tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(copytree(filled, tmp_path / "run"))) as run:
        yield run


def trial(item_id: str, repeat: int, model: Spec = MODEL) -> Trial:
    return Trial(item_id, model.text, model.options, repeat)


def group(item_id: str, *repeats: int, model: Spec = MODEL) -> Subject:
    return Subject(tuple(trial(item_id, repeat, model).id for repeat in repeats))


@pytest.fixture
def vote(run: Run, tmp_path: Path) -> Import:
    def vote(*lines: str, head: str = "annotator,model,item,vote", suites: Sequence[str] = ()) -> ImportSummary:
        file = tmp_path / "votes.csv"
        file.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
        return import_votes(run, file, suites=[make_suite(text) for text in suites])

    return vote


def stored(run: Run) -> list[tuple[str, Subject, str, Value]]:
    readings = [one.reading for one in run.readings("human")]
    return [(one.annotator, one.subject, one.question.id, one.value) for one in readings]


def test_a_vote_is_a_reading_of_the_group_in_order_with_what_was_typed(run: Run, vote: Import) -> None:
    assert str(vote(f"ada,random,{WHOLE.id},Success")) == "1 reading added"
    (found,) = [one.reading for one in run.readings()]
    assert (found.subject, found.question, found.judge) == (group(WHOLE.id, 0, 1), MatchesPrompt(), "human")
    assert (found.evidence, found.value, found.rule) == (Words("Success"), Known(True), "votes@1")
    assert found.annotator == "ada"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["yes", "Y", "1", "TRUE", "right", "Correct", "success", "✓"], True),
        (["no", "N", "0", "FALSE", "wrong", "Incorrect", "failure", "✗"], False),
    ],
)
def test_every_word_for_a_vote_is_read(run: Run, vote: Import, words: list[str], value: bool) -> None:
    vote(*(f"person {place},random,{WHOLE.id},{word}" for place, word in enumerate(words)))
    assert [found for *_, found in stored(run)] == [Known(value)] * 8


def test_columns_come_in_any_order_and_a_group_is_named_from_0(run: Run, vote: Import) -> None:
    vote(f"yes,1,{TWICE.id},ada,random", f"no,0,{TWICE.id},ada,random", head="vote,group,item,annotator,model")
    assert stored(run) == [
        ("ada", group(TWICE.id, 2, 3), "matches-prompt", Known(True)),
        ("ada", group(TWICE.id, 0, 1), "matches-prompt", Known(False)),
    ]


def test_the_same_file_again_adds_nothing_and_a_changed_vote_replaces_the_first(run: Run, vote: Import) -> None:
    lines = [f"ada,random,{WHOLE.id},yes", f"bob,random,{WHOLE.id},yes"]
    assert vote(*lines).added == 2
    assert vote(*lines) == ImportSummary(0, 2, 0, ())
    assert vote(f"ada,random,{WHOLE.id},no") == ImportSummary(1, 0, 1, ())
    assert {annotator: value for annotator, *_, value in stored(run)} == {"ada": Known(False), "bob": Known(True)}


BAD = {
    "no vote": (
        f"bob,random,{WHOLE.id},maybe",
        "line 3: vote 'maybe': should be one of yes, y, 1, true, right, correct",
    ),
    "empty vote": (f"bob,random,{WHOLE.id},", "line 3: vote should not be empty"),
    "nobody": (f",random,{WHOLE.id},yes", "line 3: annotator should not be empty"),
    "unknown item": ("bob,random,fruit/hole,yes", "line 3: no item 'fruit/hole'; the nearest is 'fruit/whole'"),
    "no group": (f"bob,random,{SINGLE.id},yes", "line 3: item 'fruit/single' has 0 yes-or-no questions about a group"),
    "unknown model": (
        f"bob,other,{WHOLE.id},yes",
        r"line 3: model 'other' has no images .* have: random\); .* with `suite`",
    ),
    "not drawn": (
        f"bob,random,{UNDRAWN.id},yes",
        r"line 3: model 'random' has no images .*; it was run here: let it draw",
    ),
    "failed": (f"bob,random,{FAILED.id},yes", "line 3: group 0 is not complete: of the repeats 0 to 1 failed 1;"),
    "not complete": (f"bob,random,{BEGUN.id},yes", "line 3: group 0 is not complete: of the repeats 0 to 1 missing 1;"),
    "all refused": (f"bob,random,{REFUSED.id},yes", "line 3: all 2 images of group 0 were refused"),
    "which group": (
        f"bob,random,{TWICE.id},yes",
        "line 3: there are 2 groups of 2 images; name one in the column group: 0, 1",
    ),
    "twice": (f"ada,random,{WHOLE.id},no", "line 3: 'ada' votes on this group a second time, first in line 2"),
    "a field short": (f"bob,random,{WHOLE.id}", "line 3: should have 4 fields, not 3"),
}


def test_a_bad_line_is_named_and_nothing_of_the_file_is_added(run: Run, vote: Import, case: Case) -> None:
    for name, (line, message) in BAD.items():
        with case(name):
            with pytest.raises(BadFileError, match=r"votes\.csv " + message):
                vote(f"ada,random,{WHOLE.id},yes", line)
            assert stored(run) == []


@pytest.mark.parametrize(("place", "message"), [("-1", "group '-1': should be a whole"), ("2", "missing 4, 5")])
def test_a_group_that_is_not_there_is_named(vote: Import, place: str, message: str) -> None:
    with pytest.raises(BadFileError, match=message):
        vote(f"ada,random,{TWICE.id},{place},yes", head="annotator,model,item,group,vote")


def test_a_missing_column_is_named(vote: Import) -> None:
    with pytest.raises(BadFileError, match=r"line 1: no column model in 'annotator,item,vote'; .*optional: group"):
        vote(head="annotator,item,vote")


def test_the_name_of_a_judge_of_ours_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="`judge` observer: this is the name of a judge of ours"):
        import_votes(run, tmp_path / "votes.csv", judge="observer")


def test_images_that_are_elsewhere_are_known_by_name(run: Run, vote: Import) -> None:
    lines = [f"ada,imagen,{APPLE},yes", f"bob,imagen,{APPLE},no", f"ada,glm,{CAT},no"]
    assert vote(*lines, suites=SUITES[:1]).named_images == 8
    assert vote(*lines, suites=SUITES[:1]) == ImportSummary(0, 3, 0, ())
    drawn = [one.response for one in run.responses("imagen")]
    assert [one.outcome for one in drawn] == [Drawn(Elsewhere(f"imagen/{APPLE}/{repeat}")) for repeat in range(4)]
    assert drawn[0].provenance.prompt_sent == "Generate 7 apples on a wooden table."
    assert stored(run)[0][1] == group(APPLE, 0, 1, 2, 3, model=Spec("imagen", {}, "imagen"))
    assert {entry.spec: entry.is_stand_in for entry in run.models()} == {"random": False, "imagen": False, "glm": False}


def test_refined_items_come_by_their_own_suite(run: Run, vote: Import) -> None:
    refined = APPLE.replace("t2icountbench", "t2icountbench~grid")
    vote(f"ada,imagen,{APPLE},yes", f"ada,imagen,{refined},no", suites=SUITES)
    assert {item.id for item in run.items() if item.base == APPLE} == {refined}
    assert [value for *_, value in stored(run)] == [Known(True), Known(False)]


def test_images_of_a_model_that_was_run_here_are_not_made_up(vote: Import) -> None:
    with pytest.raises(BadFileError, match=r"model 'random' has no images of item .*; it was run here: let it draw"):
        vote(f"ada,random,{APPLE},yes", suites=SUITES[:1])


def test_a_model_without_options_that_drew_here_was_run_here(run: Run, vote: Import) -> None:
    plain = Spec("plain", {}, "plain")
    run.add_model(plain, is_stand_in=False)
    with run.lease("model") as lease:
        drawn = Drawn(Stored("0" * 64, "png"))
        run.add_responses(lease, [response(trial(WHOLE.id, repeat, plain), drawn) for repeat in range(2)])
    with pytest.raises(BadFileError, match=r"model 'plain' has no images of item .*; it was run here"):
        vote(f"ada,plain,{APPLE},yes", suites=SUITES[:1])


def test_a_bad_line_leaves_neither_suite_nor_model_nor_judge_behind(run: Run, vote: Import) -> None:
    before = (run.suites(), run.models(), run.judges(), run.items())
    with pytest.raises(BadFileError, match="model 'random' has no images"):
        vote(f"ada,imagen,{APPLE},yes", f"ada,random,{CAT},yes", suites=SUITES)
    assert (run.suites(), run.models(), run.judges(), run.items()) == before
    assert len(list(run.responses())) == sum(map(len, OUTCOMES.values()))


def test_a_second_suite_that_does_not_fit_leaves_the_first_out(run: Run, vote: Import) -> None:
    vote(f"ada,imagen,{APPLE},yes", suites=SUITES[:1])
    with pytest.raises(ConflictError, match="was made with the suite"):
        vote(f"ada,imagen,{APPLE},yes", suites=[SUITES[1], "t2icountbench:numbers=7"])
    assert [entry.name for entry in run.suites()] == ["fruit", "t2icountbench"]


def test_a_bad_file_leaves_no_run_behind(tmp_path: Path) -> None:
    file, run = tmp_path / "votes.csv", tmp_path / "new"
    file.write_text(f"annotator,model,item,vote\nada,imagen,{APPLE}0,yes\n", encoding="utf-8")
    failed = call("import", "votes", file, "--run", run, "--suite", SUITES[0])
    assert failed.code == 2
    assert f"votes.csv line 2: no item '{APPLE}0'; the nearest is '{APPLE}'" in failed.err
    assert not run.exists()
    assert "not a run" in call("import", "votes", file, "--run", run).err


@pytest.mark.parametrize(
    ("judge", "lines", "message"),
    [
        ("observer", [f"ada,imagen,{APPLE},,yes"], "this is the name of a judge of ours"),
        (
            "human",
            [f"ada,imagen,{APPLE},0,yes", f"ada,imagen,{APPLE},1,yes", f"bob,imagen,{APPLE},,yes"],
            "votes.csv line 4: there are 2 groups of 4 images",
        ),
    ],
)
def test_what_is_refused_leaves_no_run_behind(tmp_path: Path, judge: str, lines: list[str], message: str) -> None:
    file, run = tmp_path / "votes.csv", tmp_path / "new"
    file.write_text("\n".join(["annotator,model,item,group,vote", *lines, ""]), encoding="utf-8")
    failed = call("import", "votes", file, "--run", run, "--suite", SUITES[0], "--judge", judge)
    assert failed.code == 2
    assert message in failed.err
    assert not run.exists()


def test_a_file_without_end_is_refused(run: Run) -> None:
    with pytest.raises(BadFileError, match="cannot read /dev/zero: not a file"):
        import_votes(run, Path("/dev/zero"))


def test_the_command_makes_a_run_of_votes_that_is_scored(tmp_path: Path) -> None:
    file, run = tmp_path / "votes.csv", tmp_path / "new"
    votes = [f"{who},imagen,{item},{said}" for item, said in ((APPLE, "1"), (CAT, "0")) for who in ("ada", "bob")]
    file.write_text("\n".join(["annotator,model,item,vote", *votes]), encoding="utf-8")
    done = call("import", "votes", file, "--run", run, "--suite", SUITES[0], "--suite", SUITES[1])
    assert "4 readings added, 8 images added, known by name only" in done.out
    (row,) = call("score", run, "--pass-at-k", "--agreement", "majority", "--json").json()
    assert (row["k"], row["value"], row["n"], row["judge"], row["is_voted"]) == (4, 0.5, 2, "human", True)
    plain = call("score", run).out
    assert re.search(r"imagen +all .* 2 *$", plain, re.MULTILINE), plain
    assert "without accuracy: groups of images judged together, refused ones included" in plain
    printed = call("score", run, "--pass-at-k", "--by", "category").out
    assert "category=fruit" in printed
    assert "‡ from votes" in printed


def test_answers_to_a_question_about_a_group_come_by_import_readings_too(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "answers.csv"
    head = "annotator,item,question,group,repeat,answer\n"
    whole, twice = f"ada,{WHOLE.id},matches-prompt,,,yes\n", f"ada,{TWICE.id},{VOTE.wording},1,,no\n"
    file.write_text(head + whole + twice + f"bob,{TWICE.id},matches-prompt,,3,yes\n", encoding="utf-8")
    assert import_readings(run, file, judge="human", rule=Rule("strict")).added == 3
    assert [(who, subject) for who, subject, *_ in stored(run)] == [
        ("ada", group(WHOLE.id, 0, 1)),
        ("ada", group(TWICE.id, 2, 3)),
        ("bob", group(TWICE.id, 2, 3)),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"ada,other,{WHOLE.id},,matches-prompt,yes", "model 'other' has no response to item 'fruit/whole'"),
        (f"ada,,,{'apples'},matches-prompt,yes", "has 9 responses"),
        (f"ada,random,{FAILED.id},,matches-prompt,yes", "group 0 is not complete: of the repeats 0 to 1 failed 1"),
        (f"ada,random,{BEGUN.id},apples,matches-prompt,yes", "'matches-prompt' is about 2 images together; name them"),
    ],
    ids=["unknown model", "by image", "failed", "one image"],
)
def test_an_answer_about_a_group_that_cannot_be_found_is_named(
    run: Run, tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "answers.csv"
    file.write_text(f"annotator,model,item,image,question,answer\n{line}\n", encoding="utf-8")
    with pytest.raises(BadFileError, match=message):
        import_readings(run, file, judge="human", rule=Rule("strict"))


@pytest.mark.parametrize(
    ("group", "repeat", "message"),
    [
        ("0", "3", "line 2: repeat 3 is in group 1, not 0; leave one of them out"),
        ("", "x", "line 2: repeat 'x': should be a whole number, 0 for the first image of the item"),
        ("1", "-1", "line 2: repeat '-1': should be a whole number"),
        ("x", "3", "line 2: group 'x': should be a whole number"),
    ],
)
def test_a_group_that_is_told_twice_must_be_the_same(
    run: Run, tmp_path: Path, group: str, repeat: str, message: str
) -> None:
    file = tmp_path / "answers.csv"
    line = f"ada,random,{TWICE.id},matches-prompt,{group},{repeat},yes"
    file.write_text(f"annotator,model,item,question,group,repeat,answer\n{line}\n", encoding="utf-8")
    with pytest.raises(BadFileError, match=message):
        import_readings(run, file, judge="human", rule=Rule("strict"))
    assert run.judges() == []


@pytest.mark.parametrize(
    ("content", "more", "told"),
    [
        pytest.param("annotator,model,item,vote\n", (), "votes.csv: no votes in it", id="only a header"),
        pytest.param(None, ("--judge", " "), "--judge is empty", id="a judge without a name"),
        pytest.param(None, ("--suite", "production"), "none of its items has a yes-or-no question", id="another suite"),
    ],
)
def test_what_makes_no_sense_leaves_no_run_behind(
    tmp_path: Path, content: str | None, more: tuple[str, ...], told: str
) -> None:
    file, run = tmp_path / "votes.csv", tmp_path / "new"
    file.write_text(content or f"annotator,model,item,vote\nada,imagen,{APPLE},yes\n", encoding="utf-8")
    done = call("import", "votes", file, "--run", run, "--suite", SUITES[0], *more)
    assert done.code == 2
    assert told in done.err
    assert not run.exists()
