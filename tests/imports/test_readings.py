"""People's answers from a CSV: all of the file or nothing, and every bad line is named."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from shutil import copytree
from threading import Barrier

import pytest

from subitize.errors import BadFileError, BadValueError, BusyError
from subitize.imports.answers import ImportSummary, import_readings
from subitize.labels import parse_rule
from subitize.records import (
    Ask,
    Choose,
    Confirm,
    Count,
    Discarded,
    Drawn,
    Failed,
    Known,
    Refused,
    Said,
    Spec,
    Stored,
    Trial,
    Value,
    Words,
)
from subitize.store import Folder, Location, Run
from tests.cases import Case
from tests.samples import MODEL, SUITE, drawing_item, naming_item, response, trial

OTHER = Spec("other", {}, "other")
NAMED, TWICE, REFUSED, BROKEN, UNASKED = (naming_item(index) for index in range(5))
DRAWN = replace(
    drawing_item(),
    asks=(*drawing_item().asks, Ask(Confirm("there is a table", is_informed=False), "Is there a table?", (True,))),
)
AGAIN = drawing_item(4)
PRODUCTION = Spec("production", {}, "production")
ROUNDS = 5

Import = Callable[..., ImportSummary]


def fill(run: Run) -> None:
    """Put in an answer, one with two models and repeats, a refusal, a failure, a picture, and one asked again."""
    run.add_suite(SUITE, 0, [NAMED, TWICE, REFUSED, BROKEN, UNASKED])
    run.add_suite(PRODUCTION, 0, [DRAWN, AGAIN])
    run.add_model(MODEL, is_stand_in=True)
    run.add_model(OTHER, is_stand_in=False)
    with run.lease("model") as lease:
        run.add_responses(
            lease,
            [
                response(trial(NAMED), Said("three")),
                response(trial(TWICE), Said("three")),
                response(trial(TWICE, repeat=1), Said("four")),
                response(trial(TWICE, model=OTHER), Said("five")),
                response(trial(REFUSED), Refused("no")),
                response(trial(BROKEN), Failed("400", False)),
                response(trial(DRAWN), Drawn(picture("three apples"))),
                response(trial(AGAIN, attempt=1), Drawn(picture("four apples"))),
                response(trial(AGAIN), Drawn(picture("nothing"))),
            ],
        )


def picture(of: str) -> Stored:
    return Stored(f"{of.encode().hex():0<64}"[:64], "png")


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled") / "run"
    with Run(Folder(folder), create=True) as run:
        fill(run)
    return folder


@pytest.fixture
def run(filled: Path, tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(copytree(filled, tmp_path / "run"))) as run:
        yield run


@pytest.fixture
def import_csv(run: Run, tmp_path: Path) -> Import:
    def import_csv(*lines: str, rule: str = "strict") -> ImportSummary:
        return import_lines(run, tmp_path, *lines, rule=rule)

    return import_csv


def import_lines(run: Run, folder: Path, *lines: str, rule: str = "strict") -> ImportSummary:
    return import_bytes(run, folder, "".join(f"{line}\n" for line in lines).encode(), rule=rule)


def import_bytes(run: Run, folder: Path, content: bytes, *, rule: str = "strict") -> ImportSummary:
    (folder / "answers.csv").write_bytes(content)
    return import_readings(run, folder / "answers.csv", judge="human", rule=parse_rule(rule))


def stored(run: Run) -> list[tuple[str, str, str, Value]]:
    readings = [one.reading for one in run.readings("human")]
    return [(one.annotator, one.subject.id, one.question.id, one.value) for one in readings]


IMAGE = picture("three apples").hash
COUNT = ("ada", trial(DRAWN).id, "count:apple", Known(3))


FOUND: dict[str, tuple[list[str], tuple[str, str, str, Value]]] = {
    "item": (["annotator,item,answer", f"ada,{NAMED.id},3"], ("ada", trial(NAMED).id, "count:apple", Known(3))),
    "any order of columns": (
        ["answer,extra,item,annotator", f"3,x,{NAMED.id},ada"],
        ("ada", trial(NAMED).id, "count:apple", Known(3)),
    ),
    "spaces": (
        [" annotator , item,answer ", f" ada , {NAMED.id} , 3 "],
        ("ada", trial(NAMED).id, "count:apple", Known(3)),
    ),
    "trailing commas": (
        ["annotator,item,answer,,", f"ada,{NAMED.id},3,,"],
        ("ada", trial(NAMED).id, "count:apple", Known(3)),
    ),
    "blank lines": (
        ["annotator,item,answer", "", f"ada,{NAMED.id},3", ""],
        ("ada", trial(NAMED).id, "count:apple", Known(3)),
    ),
    "question by id": (["annotator,item,question,answer", f"ada,{DRAWN.id},count:apple,3"], COUNT),
    "question by wording": (
        ["annotator,item,question,answer", f"ada,{DRAWN.id},How many apples are in the image?,3"],
        COUNT,
    ),
    "image by hash": (["annotator,image,question,answer", f"ada,{IMAGE},count:apple,3"], COUNT),
    "image by file name": (["annotator,image,question,answer", f"ada,{IMAGE}.png,count:apple,3"], COUNT),
    "image by path": (["annotator,image,question,answer", f"ada,images/{IMAGE[:2]}/{IMAGE}.png,count:apple,3"], COUNT),
    "image and item": (["annotator,image,item,question,answer", f"ada,{IMAGE},{DRAWN.id},count:apple,3"], COUNT),
    "yes or no": (
        ["annotator,item,question,answer", f"ada,{DRAWN.id},Is there a table?,No"],
        ("ada", trial(DRAWN).id, "confirm:there is a table", Known(False)),
    ),
    "model and repeat": (
        ["annotator,item,model,repeat,answer", f"ada,{TWICE.id},random,1,4"],
        ("ada", trial(TWICE, repeat=1).id, "count:apple", Known(4)),
    ),
    "model alone": (
        ["annotator,item,model,answer", f"ada,{TWICE.id},other,5"],
        ("ada", trial(TWICE, model=OTHER).id, "count:apple", Known(5)),
    ),
    "the latest attempt": (
        ["annotator,item,answer", f"ada,{AGAIN.id},4"],
        ("ada", trial(AGAIN, attempt=1).id, "count:apple", Known(4)),
    ),
    "an earlier attempt by its image": (
        ["annotator,image,answer", f"ada,{picture('nothing').hash},0"],
        ("ada", trial(AGAIN).id, "count:apple", Known(0)),
    ),
}


def test_an_answer_finds_its_response(filled: Path, tmp_path: Path, case: Case) -> None:
    for name, (lines, expected) in FOUND.items():
        with case(name), Run(Folder(copytree(filled, tmp_path / name))) as run:
            assert str(import_lines(run, tmp_path, *lines)) == "1 reading added"
            assert stored(run) == [expected]


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfannotator,item,answer\r\nad\xc3\xa9,ITEM,3\r\n",
        b"annotator,item,answer\nad\xc3\xa9,ITEM,3",
        b"annotator,item,answer\rad\xc3\xa9,ITEM,3\r",
        b'"annotator","item","answer"\n"ad\xc3\xa9","ITEM","3"\n',
    ],
    ids=["byte order mark and CRLF", "no newline at the end", "old Macintosh", "quoted"],
)
def test_files_of_all_editors_are_read(run: Run, tmp_path: Path, content: bytes) -> None:
    import_bytes(run, tmp_path, content.replace(b"ITEM", NAMED.id.encode()))
    assert stored(run) == [("adé", trial(NAMED).id, "count:apple", Known(3))]


@pytest.mark.parametrize("mark", ["\u2028", "\x85", "\x0c", "\x1c"], ids=ascii)
def test_only_a_newline_ends_a_line(run: Run, import_csv: Import, mark: str) -> None:
    import_csv("annotator,item,answer", f"ada,{NAMED.id},3{mark}apples")
    (reading,) = run.readings("human")
    assert reading.reading.evidence == Words(f"3{mark}apples")


def test_the_raw_answer_is_kept_and_read_by_the_rule(run: Run, import_csv: Import) -> None:
    import_csv("annotator,item,answer", f"ada,{NAMED.id},3-4", rule="geckonum")
    (reading,) = run.readings("human")
    assert (reading.reading.evidence, reading.reading.rule) == (Words("3-4"), "geckonum@2")
    assert reading.reading.value == Known(3.5)


def test_a_digit_chooses_a_line_by_its_position_as_people_code_them(tmp_path: Path) -> None:
    lines = ("No cats.", "Some cats.", "Many cats.")
    item = replace(NAMED, id="naming/lines", asks=(Ask(Choose(lines), "Which line?", (1,)),))
    with Run(Folder(tmp_path / "lines"), create=True) as run:
        run.add_suite(SUITE, 0, [item])
        run.add_model(MODEL, is_stand_in=True)
        with run.lease("m") as lease:
            run.add_responses(lease, [response(trial(item))])
        import_bytes(run, tmp_path, b"annotator,item,answer\nada,naming/lines,1\nbob,naming/lines,Many cats\n")
        assert [value for *_, value in stored(run)] == [Known(1), Known(2)]


def test_an_answer_without_a_value_is_kept_and_told(run: Run, import_csv: Import) -> None:
    summary = import_csv("annotator,item,answer", f"ada,{NAMED.id},a few", f"bob,{NAMED.id},3")
    assert summary.added == 2
    assert re.fullmatch(r"2 readings added, 1 have no value, the first at line 2: .+", str(summary))
    assert isinstance(stored(run)[0][3], Discarded)


def test_the_same_file_again_adds_nothing(location: Location, tmp_path: Path) -> None:
    content = f"annotator,item,answer\nada,{NAMED.id},3\nbob,{NAMED.id},4\n".encode()
    with Run(location, create=True) as run:
        fill(run)
        assert import_bytes(run, tmp_path, content) == ImportSummary(2, 0, 0, ())
        before = list(run.readings())
        again = import_bytes(run, tmp_path, content)
        assert again == ImportSummary(0, 2, 0, ())
        assert str(again) == "0 readings added, 2 were there already"
        assert list(run.readings()) == before


def test_a_longer_file_adds_what_is_new(run: Run, import_csv: Import) -> None:
    import_csv("annotator,item,answer", f"ada,{NAMED.id},3")
    assert import_csv("annotator,item,answer", f"ada,{NAMED.id},3", f"bob,{NAMED.id},4") == ImportSummary(1, 1, 0, ())


def test_a_changed_mind_replaces_the_first_answer_and_may_change_back(run: Run, import_csv: Import) -> None:
    for answer in ("3", "4", "3"):
        summary = import_csv("annotator,item,answer", f"ada,{NAMED.id},{answer}", f"bob,{NAMED.id},5")
        assert [one[3] for one in sorted(stored(run))] == [Known(int(answer)), Known(5)]
    assert str(summary) == "1 reading added, 1 of them replace earlier ones, 1 were there already"


def test_another_judge_does_not_change_the_minds_of_the_first(run: Run, import_csv: Import, tmp_path: Path) -> None:
    import_csv("annotator,item,answer", f"ada,{NAMED.id},3")
    import_readings(run, tmp_path / "answers.csv", judge="expert", rule=parse_rule("strict"))
    assert [(one.reading.judge, one.reading.replaces) for one in run.readings()] == [("human", None), ("expert", None)]


GOOD = f"ada,{NAMED.id},3"


BAD: dict[str, tuple[list[str], str]] = {
    "empty file": (
        [],
        "line 1: no column annotator, answer, item or image in ''; a comma, a semicolon or a tab between columns: ",
    ),
    "no answer": (["annotator,item", GOOD], "line 1: no column answer"),
    "neither item nor image": (["annotator,answer", "ada,3"], "line 1: no column item or image"),
    "colons": (["annotator:item:answer", "ada:x:3"], "answer, item or image in 'annotator:item:answer'; a comma"),
    "a count that is none": (["annotator,item,answer", f"ada,{NAMED.id},1.5"], "line 2: answer '1.5' to 'count:apple'"),
    "column twice": (["annotator,item,answer,answer", f"{GOOD},4"], "line 1: column 'answer' stands there twice"),
    "HTML": (["<!DOCTYPE html>", "<html><body>Sign in</body></html>"], "line 1: no column annotator, answer"),
    "empty answer": (
        ["annotator,item,answer", GOOD, f"bob,{NAMED.id},"],
        "line 3: annotator and answer should not be empty",
    ),
    "empty annotator": (
        ["annotator,item,answer", GOOD, f" ,{NAMED.id},3"],
        "line 3: annotator and answer should not be empty",
    ),
    "unknown item": (
        ["annotator,item,answer", GOOD, "bob,naming/pears/3,3"],
        "line 3: no response with item 'naming/pears/3' in this run; `subitize export` lists what it has",
    ),
    "empty item": (["annotator,item,answer", GOOD, "bob,,3"], "line 3: no response with item '' in this run"),
    "item without response": (
        ["annotator,item,answer", GOOD, f"bob,{UNASKED.id},3"],
        f"line 3: no response with item '{UNASKED.id}'",
    ),
    "refused item": (
        ["annotator,item,answer", GOOD, f"bob,{REFUSED.id},3"],
        f"line 3: no response with item '{REFUSED.id}'",
    ),
    "failed item": (
        ["annotator,item,answer", GOOD, f"bob,{BROKEN.id},3"],
        f"line 3: no response with item '{BROKEN.id}'",
    ),
    "unknown image": (
        ["annotator,image,answer", "bob,cat.png,3"],
        "line 2: no response with image 'cat.png' in this run",
    ),
    "unknown question": (
        ["annotator,item,question,answer", f"bob,{DRAWN.id},count:pear,3"],
        f"line 2: question 'count:pear' is not one of item '{DRAWN.id}'; it has: 'count:apple', 'confirm:there",
    ),
    "question left out of two": (
        ["annotator,item,answer", f"bob,{DRAWN.id},3"],
        "line 2: question '' is not one of item",
    ),
    "ambiguous": (
        ["annotator,item,answer", GOOD, f"bob,{TWICE.id},3"],
        f"line 3: item '{TWICE.id}' has 3 responses (random repeat 0, random repeat 1, other repeat 0), of which "
        "3 fit; name one by the columns item, model and repeat",
    ),
    "two fit": (["annotator,item,model,answer", f"bob,{TWICE.id},random,3"], "of which 2 fit"),
    "unknown model": (["annotator,item,model,answer", f"bob,{TWICE.id},gpt,3"], "of which 0 fit"),
    "unknown repeat": (["annotator,item,repeat,answer", f"bob,{NAMED.id},7,3"], "of which 0 fit"),
    "image of another item": (["annotator,image,item,answer", f"bob,{IMAGE},{NAMED.id},3"], "of which 0 fit"),
    "too few fields": (["annotator,item,answer", GOOD, f"bob,{NAMED.id}"], "line 3: should have 3 fields, not 2"),
    "too many fields": (["annotator,item,answer", GOOD, f"bob,{NAMED.id},3,4"], "line 3: should have 3 fields, not 4"),
    "unclosed quote": (["annotator,item,answer", GOOD, f'bob,{NAMED.id},"3'], "line 3: no CSV: unexpected end of data"),
    "unclosed quote above": (
        ["annotator,item,answer", f'ada,{NAMED.id},"3', *[GOOD] * 9],
        "line 2: no CSV: unexpected end of data",
    ),
    "text after a quote": (["annotator,item,answer", GOOD, f'bob,{NAMED.id},"3" or 4'], "line 3: no CSV: "),
    "endless field": (
        ["annotator,item,answer", GOOD, f"bob,{NAMED.id},{'3' * 200_000}"],
        "line 3: no CSV: field larger than",
    ),
    "twice": (
        ["annotator,item,answer", GOOD, f"bob,{NAMED.id},3", GOOD],
        "line 4: 'ada' answers 'count:apple' of this response a second time in this file",
    ),
}


def test_a_bad_line_is_named_and_nothing_of_the_file_is_added(run: Run, import_csv: Import, case: Case) -> None:
    for name, (lines, message) in BAD.items():
        with case(name):
            with pytest.raises(BadFileError) as caught:
                import_csv(*lines)
            assert str(caught.value).startswith("answers.csv ")
            assert message in str(caught.value)
            assert stored(run) == []


def test_bytes_that_are_not_utf8_are_named_by_their_line(run: Run, tmp_path: Path, case: Case) -> None:
    for start, line, before in product([b"", b"\xef\xbb\xbf"], [1, 2, 3], [b"", b"ad", b"long enough"]):
        lines = [b"annotator,item,answer", GOOD.encode(), GOOD.encode()]
        lines[line - 1] = before + b"\xe9" + lines[line - 1]
        told = pytest.raises(BadFileError, match=rf"answers\.csv line {line}: not UTF-8; save the file as UTF-8")
        with case((start, line, before)), told:
            import_bytes(run, tmp_path, start + b"\r\n".join(lines))
    assert stored(run) == []


def test_a_quoted_answer_may_go_over_lines_and_errors_name_the_line_a_record_begins_on(
    run: Run, import_csv: Import
) -> None:
    note = f'bob,{NAMED.id},"3\n\napples"'
    import_csv("annotator,item,answer", note)
    (reading,) = run.readings("human")
    assert reading.reading.evidence == Words("3\n\napples")
    with pytest.raises(BadFileError, match=r"answers\.csv line 5: no response"):
        import_csv("annotator,item,answer", note, "ada,nothing,3")
    with pytest.raises(BadFileError, match=r"answers\.csv line 3: no response"):
        import_csv("annotator,item,answer", f"ada,{NAMED.id},3", 'bob,nothing,"3\n\napples"')
    summary = import_csv("annotator,item,answer", f'eve,{NAMED.id},"a\nfew"', f"zoe,{NAMED.id},some")
    assert [text.partition(":")[0] for text in summary.discarded] == ["line 2", "line 4"]


@pytest.mark.parametrize(("name", "reason"), [("missing.csv", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_said(run: Run, tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(BadFileError, match=rf"cannot read {re.escape(str(tmp_path / name))}: {reason}"):
        import_readings(run, tmp_path / name, judge="human", rule=parse_rule("strict"))


def test_a_rule_that_cannot_read_words_is_refused(run: Run, import_csv: Import) -> None:
    with pytest.raises(BadValueError, match="rule 'boxes' cannot read words"):
        import_csv("annotator,item,answer", GOOD, rule="boxes")
    assert stored(run) == []


def test_two_imports_at_once_do_not_add_an_answer_twice(run: Run, tmp_path: Path) -> None:
    path, start = tmp_path / "answers.csv", Barrier(2)

    def import_here() -> None:
        with Run(run.location) as mine:
            start.wait(timeout=30)
            with suppress(BusyError):
                import_readings(mine, path, judge="human", rule=parse_rule("strict"))

    for attempt in range(ROUNDS):
        path.write_text(f"annotator,item,answer\nannotator {attempt},{NAMED.id},3\n")
        with ThreadPoolExecutor(2) as threads:
            for done in [threads.submit(import_here) for _ in range(2)]:
                done.result(timeout=60)
    assert [one[0] for one in stored(run)] == [f"annotator {attempt}" for attempt in range(ROUNDS)]


def test_a_header_alone_adds_nothing(import_csv: Import) -> None:
    assert str(import_csv("annotator,item,answer")) == "0 readings added"


def test_an_image_that_two_trials_share_is_told_apart_by_the_item(run: Run, import_csv: Import) -> None:
    blank = Drawn(picture("three apples"))
    again: Trial = trial(AGAIN, repeat=1)
    with run.lease("model") as lease:
        run.add_responses(lease, [response(again, blank)])
    with pytest.raises(BadFileError, match="has 2 responses"):
        import_csv("annotator,image,question,answer", f"ada,{IMAGE},count:apple,3")
    import_csv("annotator,image,item,question,answer", f"ada,{IMAGE},{AGAIN.id},count:apple,3")
    assert stored(run) == [("ada", again.id, Count("apple").id, Known(3))]


SAMPLES = {0: "00000/samples/0000.png", 1: "00001/samples/0000.png", 2: "00001/samples/0001.png"}


def add_samples(run: Run) -> None:
    with run.lease("model") as lease:
        for repeat, file in SAMPLES.items():
            drawn = response(trial(AGAIN, repeat=repeat + 1), Drawn(picture(file)))
            told = replace(drawn.provenance, parameters={"file": file})
            run.add_responses(lease, [replace(drawn, provenance=told)])


@pytest.mark.parametrize(
    ("image", "sample"),
    [
        ("00000/samples/0000.png", 0),
        ("00001/samples/0000.png", 1),
        ("/data/flux/00001/samples/0000.png", 1),
        ("./00001/samples/0000.png", 1),
        ("samples/0001.png", 2),
        ("0001.png", 2),
    ],
)
def test_an_image_in_a_folder_is_found_by_its_whole_name_or_by_as_much_as_is_unique(
    run: Run, import_csv: Import, image: str, sample: int
) -> None:
    add_samples(run)
    import_csv("annotator,image,answer", f"ada,{image},3")
    assert stored(run) == [("ada", trial(AGAIN, repeat=sample + 1).id, "count:apple", Known(3))]


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("0000.png", "image '0000.png' has 2 responses"),
        ("samples/0000.png", "has 2 responses"),
        ("00002/samples/0001.png", "no response with image '00002/samples/0001.png'"),
    ],
    ids=["bare", "half", "another folder"],
)
def test_an_image_name_that_fits_two_or_differs_in_its_folder_is_refused(
    run: Run, import_csv: Import, image: str, message: str
) -> None:
    add_samples(run)
    with pytest.raises(BadFileError, match=re.escape(message)):
        import_csv("annotator,image,answer", f"ada,{image},3")
    assert stored(run) == []


def test_a_bare_name_that_several_images_have_is_told_apart_by_the_repeat(run: Run, import_csv: Import) -> None:
    add_samples(run)
    import_csv("annotator,image,repeat,answer", "ada,0000.png,2,3")
    assert stored(run) == [("ada", trial(AGAIN, repeat=2).id, "count:apple", Known(3))]
