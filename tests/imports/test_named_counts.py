"""Counts in the names of files become one annotator's readings, once."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import BadValueError, BusyError, NothingToDoError, UnknownNameError
from subitize.imports.releases import import_named_counts
from subitize.records import (
    Ask,
    Count,
    Discarded,
    Drawn,
    Known,
    Provenance,
    Response,
    Spec,
    Stimulus,
    Stored,
    Trial,
    Value,
    Words,
)
from subitize.stimuli.recipes import render
from subitize.store import Folder, Run
from tests.commands import call
from tests.samples import drawing_item

NAMES = ["3_3_apples_0.png", "3_4_apple 1.png", "4_20+_apples_new1.png", "4_many_apples_2.png", "4_0_apples_1.png"]


def draw(folder: Path, *names: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(render(Stimulus("apples", 3, 1, 128)).png)
    return folder


def run_folder(images: Path, out: Path, repeats: int = 3) -> str:
    suite, model = "production:categories=apples,numbers=3-4", f"folder:{images}"
    call("run", suite, "--model", model, "--repeats", repeats, "--judge", "none", "--out", out)
    return model


@pytest.fixture
def model(tmp_path: Path) -> str:
    return run_folder(draw(tmp_path / "images", *NAMES), tmp_path / "run")


@pytest.fixture
def run(model: str, tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run")) as run:
        yield run


def told(run: Run) -> dict[str, Value]:
    files = {stored.trial_id: str(stored.response.provenance.parameters.get("file")) for stored in run.responses()}
    return {files[one.reading.subject.id]: one.reading.value for one in run.readings("human")}


def test_a_count_in_a_name_is_one_annotators_reading(run: Run, model: str) -> None:
    assert import_named_counts(run, model) == 5
    assert told(run) == {
        "3_3_apples_0.png": Known(3),
        "3_4_apple 1.png": Known(4),
        "4_20+_apples_new1.png": Discarded("at least 20"),
        "4_many_apples_2.png": Discarded("vague: 'many'"),
        "4_0_apples_1.png": Known(0),
    }
    readings = [stored.reading for stored in run.readings()]
    assert {(one.judge, one.annotator, one.rule, one.question.id) for one in readings} == {
        ("human", "file names", "strict@2", "count:apple")
    }
    assert Words("20+") in [one.evidence for one in readings]
    assert [judge.spec for judge in run.judges()] == ["human"]


def test_a_second_import_adds_only_what_is_new(run: Run, model: str, tmp_path: Path) -> None:
    import_named_counts(run, model)
    assert import_named_counts(run, model) == 0
    draw(tmp_path / "images", "3_5_apples_9.png")
    run_folder(tmp_path / "images", tmp_path / "run")
    assert import_named_counts(run, model) == 1
    assert len(told(run)) == 6


def test_what_the_names_say_is_scored_like_any_judge(run: Run, model: str, tmp_path: Path) -> None:
    import_named_counts(run, model)
    rows = call("score", tmp_path / "run", "--judge", "human", "--json").json()
    found = {row["measure"]: (row["value"], row["n"]) for row in rows if row["group"] == "all"}
    # Right: 3 of 3. Wrong: 4 of 3. Not countable, and so not right: 20+, many, and nothing drawn.
    assert (found["accuracy"], found["accuracy_read"]) == ((0.2, 5), (0.5, 2))


def test_an_image_that_could_not_be_read_has_no_reading(tmp_path: Path) -> None:
    images = draw(tmp_path / "images", "3_3_apples_0.png")
    (images / "4_4_apples_0.png").write_text("I am text")
    model = run_folder(images, tmp_path / "run", repeats=1)
    with Run(Folder(tmp_path / "run")) as run:
        assert import_named_counts(run, model) == 1


def test_a_model_without_counts_and_one_that_is_not_there_are_named(tmp_path: Path) -> None:
    model = run_folder(draw(tmp_path / "images", "apples_3_0.png"), tmp_path / "run", repeats=1)
    with Run(Folder(tmp_path / "run")) as run:
        with pytest.raises(NothingToDoError, match=r"no image of .* has a count in its name; a layout that has"):
            import_named_counts(run, model)
        with pytest.raises(UnknownNameError, match="no model named 'folder:elsewhere'; known: images"):
            import_named_counts(run, "folder:elsewhere")
        assert run.judges() == []


def test_nothing_is_added_while_another_adds_to_the_same_judge(run: Run, model: str) -> None:
    with run.lease("judge human"), pytest.raises(BusyError):
        import_named_counts(run, model)
    assert list(run.readings()) == []


def test_an_item_with_two_counts_is_refused_and_nothing_is_added(tmp_path: Path) -> None:
    one, two = drawing_item(3), drawing_item(4)
    two = replace(two, asks=(*two.asks, Ask(Count("pear"), "How many pears are in the image?", (1,))))
    spec = Spec("folder", {"path": "x", "layout": "auto"}, "folder:x")
    with Run(Folder(tmp_path / "run"), create=True) as run:
        run.add_suite(Spec("production", {}, "production"), 0, [one, two])
        run.add_model(spec, is_stand_in=False)
        responses = [
            Response(
                Trial(item.id, spec.text, spec.options),
                Drawn(Stored("0" * 64, "png")),
                Provenance(1, "x", parameters={"count_in_name": "3"}),
            )
            for item in (one, two)
        ]
        with run.lease(spec.text) as lease:
            run.add_responses(lease, responses)
        with pytest.raises(BadValueError, match="'production/apples/4' asks for 2 counts, and a file name has one"):
            import_named_counts(run, spec.text)
        assert list(run.readings()) == []
        assert run.judges() == []
