"""Plates: the signs are those of the score, stand on their pictures, and nothing that others wrote can break one."""

import io
import re
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
from PIL import Image

from subitize.analysis.frame import ReadOptions, observe_run
from subitize.errors import BadValueError, NothingToDoError, SubitizeError, UnknownNameError
from subitize.interfaces import NoEvents
from subitize.records import (
    Answer,
    Ask,
    Count,
    Discarded,
    Draw,
    Drawn,
    Elsewhere,
    Failed,
    Item,
    Known,
    MatchesPrompt,
    Outcome,
    Provenance,
    Reading,
    Refused,
    Response,
    Said,
    Spec,
    Stimulus,
    Stored,
    Subject,
    Trial,
    Value,
    Words,
)
from subitize.report.plate_svg import MEANINGS, measure, wrap
from subitize.report.plates import Plate, PlateOptions, make_plate, write_plate
from subitize.store import Folder, Run
from tests.commands import call
from tests.report import report_runs

SVG = "{http://www.w3.org/2000/svg}"
SIDE = 120
# A point of each sign, in its square of 24, that only its own colour covers; a refusal is a ring around white.
DISC = {"right": (0, 128, 92), "wrong": (194, 59, 22), "unjudged": (92, 101, 112), "unasked": (92, 101, 112)}
HOSTILE = '<script>alert("x")</script>]]>&amp; \x00\x1b[31m\u202e' + "five apples " * 300


def write(run: Run, path: Path, choice: PlateOptions | None = None, size_px: int = SIDE, **reader: str) -> Path:
    chosen = replace(choice or PlateOptions(), size_px=size_px)
    return write_plate(run, ReadOptions(**reader), chosen, path, NoEvents())  # type: ignore[arg-type]


def plate(run: Run, **choice: object) -> Plate:
    return make_plate(run, ReadOptions(), PlateOptions(**choice))  # type: ignore[arg-type]


def marks(path: Path) -> list[tuple[str, float, float, float]]:
    """The signs in an SVG file, those of the legend left out: verdict, left, top and side."""
    found = []
    for group in ElementTree.parse(path).iter(f"{SVG}g"):
        left, top, scale = map(float, re.findall(r"[\d.]+", group.attrib["transform"]))
        found.append((group.attrib["class"].removeprefix("mark "), left, top, 24 * scale))
    largest = max(side for *_, side in found)
    return [mark for mark in found if mark[3] == largest]


def words(path: Path) -> str:
    return " ".join(text for text in ElementTree.parse(path).getroot().itertext())


def png(colour: str | tuple[int, int, int], size: tuple[int, int] = (64, 64)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


def huge() -> bytes:
    """A file of a few bytes that says that it is a picture of 400 megapixels."""
    small = png("navy")
    header = b"IHDR" + struct.pack(">II", 20_000, 20_000) + small[24:29]
    return small[:12] + header + struct.pack(">I", zlib.crc32(header)) + small[33:]


ASKS = (Ask(Count("apple"), "How many apples?", (5,)),)
PAIR = (*ASKS, Ask(Count("pear"), "How many pears?", (2,)))


def draws(*prompts: str, asks: Sequence[Ask] = ASKS) -> list[Item]:
    return [Item(f"pets/{place}", Draw(prompt), tuple(asks), {"number": 5}) for place, prompt in enumerate(prompts)]


Made = tuple[Outcome | None, Sequence[Value]]


def store(folder: Path, items: Sequence[Item], made: dict[str, Callable[[Run, Item], Made]]) -> Run:
    """A run of models that each make of an item an outcome, and the values that a judge reads of it."""
    run = report_runs.new_run(folder, "pets", items)
    for model, make in made.items():
        run.add_model(Spec(model, {}, model), is_stand_in=False)
        responses, readings = [], []
        for item in items:
            outcome, values = make(run, item)
            if outcome is not None:
                trial = Trial(item.id, model, {})
                responses.append(Response(trial, outcome, Provenance(0, "p")))
                readings += [
                    Reading(Subject((trial.id,)), ask.question, "parser", Words(""), "strict@1", value)
                    for ask, value in zip(item.asks, values, strict=False)
                ]
        with run.lease("test") as lease:
            run.add_responses(lease, responses)
            run.add_readings(lease, readings)
    return run


def drew(*values: int, colour: str = "navy") -> Callable[[Run, Item], Made]:
    return lambda run, _: (Drawn(run.image_files.save(png(colour), "png")), [Known(value) for value in values])


def gave(outcome: Outcome | None) -> Callable[[Run, Item], Made]:
    return lambda *_: (outcome, ())


@pytest.fixture(scope="module")
def painted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plates") / "run"
    models = ("--model", "painter:size_px=128", "--model", "painter:size_px=128,weber=0.5")
    done = call("run", "production:numbers=2-7,categories=apples+dots", "--repeats", 2, *models, "--out", folder)
    assert done.code == 0, done.err
    return folder


def test_signs_are_what_the_score_is_made_of(painted: Path) -> None:
    with Run(Folder(painted)) as run:
        shown = plate(run, columns=100, repeat=1)
        scored = observe_run(run).rows.filter(pl.col("repeat") == 1)
    is_right = {(row["model"], row["item"]): row["is_right"] for row in scored.to_dicts()}
    assert {place: cell.verdict == "right" for place, cell in shown.cells.items()} == is_right
    assert {cell.verdict for cell in shown.cells.values()} == {"right", "wrong"}


@pytest.mark.slow
def test_signs_stand_on_their_pictures_in_both_formats(painted: Path, tmp_path: Path) -> None:
    for is_transposed in (False, True):
        with Run(Folder(painted)) as run:
            found = plate(run, columns=4)
            vector, pixels = (
                write(run, tmp_path / f"plate.{kind}", PlateOptions(columns=4, is_transposed=is_transposed))
                for kind in ("svg", "png")
            )
        verdicts = [[found.cells[model, item.id].verdict for item in found.items] for model in found.models]
        ordered = list(zip(*verdicts, strict=True)) if is_transposed else verdicts
        signs = marks(vector)
        assert [verdict for verdict, *_ in signs] == [verdict for row in ordered for verdict in row]
        root = ElementTree.parse(vector).getroot()
        pictures = [{name: float(one.attrib[name]) for name in ("x", "y")} for one in root.iter(f"{SVG}image")]
        image = Image.open(pixels).convert("RGB")
        assert image.size == (int(root.attrib["width"]), int(root.attrib["height"]))
        for (verdict, left, top, side), picture in zip(signs, pictures, strict=True):
            assert picture["x"] < left < picture["x"] + SIDE < left + side
            assert top < picture["y"] < top + side
            assert image.getpixel((round(left + side / 2), round(top + side * 4 / 24))) == DISC[verdict]


@pytest.mark.slow
def test_a_plate_is_the_same_every_time(painted: Path, tmp_path: Path) -> None:
    for kind in ("svg", "png"):
        with Run(Folder(painted)) as run:
            one, two = (write(run, tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
            other = write(run, tmp_path / f"other.{kind}", PlateOptions(seed=1)).read_bytes()
        assert one == two != other


def test_counts_stand_beside_what_was_asked_for(painted: Path, tmp_path: Path) -> None:
    with Run(Folder(painted)) as run:
        text = words(write(run, tmp_path / "plate.svg"))
        found = plate(run)
    for (_, id), cell in found.cells.items():
        assert f"{cell.seen[0].value}, asked {id.rpartition('/')[2]}" in text
    assert "judged by observer *" in text
    assert "an embedded stand-in" in text


def test_prompts_are_spread_over_numbers_and_stand_in_the_suites_order(painted: Path) -> None:
    with Run(Folder(painted)) as run:
        items = plate(run).items
        order = [item.id for item in run.items()]
    assert {item.factors["number"] for item in items} == set(range(2, 8))
    assert [item.id for item in items] == sorted((item.id for item in items), key=order.index)


def test_every_outcome_has_its_own_sign_and_the_legend_names_those_that_are_there(tmp_path: Path) -> None:
    made = {
        "a": drew(5),
        "b": drew(4),
        "c": gave(Refused("not < allowed")),
        "d": gave(Failed("503 & out", is_transient=True)),
        "e": drew(),
        "f": gave(None),
    }
    with store(tmp_path / "run", draws("five apples"), made) as run:
        path = write(run, tmp_path / "plate.svg", PlateOptions(models=[*made][:5]))
        assert [verdict for verdict, *_ in marks(path)] == ["right", "wrong", "refused", "failed", "unjudged"]
        text = " ".join(words(path).split())
        assert all(part in text for part in ("refused: not < allowed", "failed: 503 & out", "5, asked 5", "4, asked 5"))
        assert all(meaning in text for verdict, meaning in MEANINGS.items() if verdict != "unasked")
        assert MEANINGS["unasked"] not in text
        pixels = Image.open(write(run, tmp_path / "plate.png", PlateOptions(models=[*made][:5]))).convert("RGB")
        seen = {pixels.crop((int(x), int(y), int(x + side), int(y + side))).tobytes() for _, x, y, side in marks(path)}
        assert len(seen) == 5


def test_what_a_model_was_not_asked_has_a_sign_and_prompts_that_all_have_come_first(tmp_path: Path) -> None:
    items = draws("one", "two", "three", "four")
    made = {"all": drew(5), "some": lambda run, item: drew(5)(run, item) if item.id == "pets/2" else (None, ())}
    with store(tmp_path / "run", items, made) as run:
        assert [item.id for item in plate(run, columns=1).items] == ["pets/2"]
        found = plate(run, items=["two"])
        assert [found.cells[model, "pets/1"].verdict for model in ("all", "some")] == ["right", "unasked"]


def test_a_picture_is_right_only_if_all_questions_about_it_are(tmp_path: Path) -> None:
    made = {"both": drew(5, 2), "half": drew(5, 3), "one-unread": drew(5), "wrong-and-unread": drew(4)}
    with store(tmp_path / "run", draws("five apples and two pears", asks=PAIR), made) as run:
        found = plate(run)
        verdicts = {model: cell.verdict for (model, _), cell in found.cells.items()}
        text = words(write(run, tmp_path / "plate.svg"))
    assert verdicts == {"both": "right", "half": "wrong", "one-unread": "unjudged", "wrong-and-unread": "wrong"}
    assert "2 of 2 right" in text
    assert "A picture is right if all questions" in text


def test_the_latest_attempt_is_shown(tmp_path: Path) -> None:
    (item,) = draws("five apples")
    with store(tmp_path / "run", [item], {"again": drew(4)}) as run:
        trial = Trial(item.id, "again", {}, attempt=1)
        later = Drawn(run.image_files.save(png("gold"), "png"))
        with run.lease("test") as lease:
            run.add_responses(lease, [Response(trial, later, Provenance(0, "p"))])
            reading = Reading(Subject((trial.id,)), Count("apple"), "parser", Words(""), "strict@1", Known(5))
            run.add_readings(lease, [reading])
        (cell,) = plate(run).cells.values()
    assert (cell.verdict, cell.trials) == ("right", (trial.id,))


@pytest.mark.slow
def test_groups_that_were_voted_on_are_shown_together(tmp_path: Path) -> None:
    with report_runs.voted(tmp_path / "run", "t2icountbench:numbers=1-3") as run:
        found = plate(run, columns=2, repeat=3)
        assert {len(cell.trials) for cell in found.cells.values()} == {4}
        assert {ask.question for cell in found.cells.values() for ask in cell.asks} == {MatchesPrompt()}
        scored = observe_run(run).rows
        for (model, id), cell in found.cells.items():
            (is_right,) = scored.filter(pl.col("model") == model, pl.col("item") == id)["is_right"]
            assert (cell.verdict == "right") == is_right
        assert "† informed" in words(write(run, tmp_path / "plate.svg", PlateOptions(columns=2)))


def test_what_models_were_shown_stands_once_above_their_answers(tmp_path: Path) -> None:
    with report_runs.named(tmp_path / "run") as run:
        path = write(run, tmp_path / "plate.svg", PlateOptions(columns=3))
        found = plate(run, columns=3)
    root = ElementTree.parse(path).getroot()
    assert len(list(root.iter(f"{SVG}image"))) == 3
    assert len(marks(path)) == 3 * len(found.models)
    assert all(f"right: {item.factors['number']}" in words(path) for item in found.items)


def test_text_of_others_cannot_break_a_plate(tmp_path: Path) -> None:
    name = HOSTILE[:60]
    shown = Item("pets/0", Answer(Stimulus("apples", 5, seed=1, size_px=128), HOSTILE), ASKS, {})
    said = {name: lambda *_: (Said(HOSTILE), [Known(5)])}
    for place, (items, made) in enumerate(((draws(HOSTILE), {name: drew(5)}), ([shown], said))):
        with store(tmp_path / f"run{place}", items, made) as run:  # type: ignore[arg-type]
            root = ElementTree.parse(write(run, tmp_path / "plate.svg")).getroot()
            assert not list(root.iter(f"{SVG}script"))
            assert not list(root.iter("script"))
            assert '<script>alert("x")' in "".join(root.itertext())
            with Image.open(write(run, tmp_path / "plate.png")) as image:
                assert image.height < 4 * SIDE


def test_pictures_that_cannot_be_shown_are_named(tmp_path: Path) -> None:
    damaged = png("navy")[:40]
    made: dict[str, Callable[[Run, Item], Made]] = {
        "elsewhere": lambda *_: (Drawn(Elsewhere("cats_3.png")), [Known(5)]),
        "damaged": lambda run, _: (Drawn(run.image_files.save(damaged, "png")), [Known(5)]),
        "gone": lambda *_: (Drawn(Stored("ab" * 32, "png")), [Known(5)]),
        "huge": lambda run, _: (Drawn(run.image_files.save(huge(), "png")), [Known(5)]),
    }
    with store(tmp_path / "run", draws("five apples"), made | {"fine": drew(5)}) as run:
        path = write(run, tmp_path / "plate.svg")
        text = "".join(words(path).split())
        for part in ("known by name only: cats_3.png", "damaged", "is gone", "is too large"):
            assert "".join(part.split()) in text
        assert len(marks(path)) == 5
        with pytest.raises(NothingToDoError, match="1 pictures of this plate are known by name only; attach them"):
            write(run, tmp_path / "none.svg", PlateOptions(models=["elsewhere"]))
        with pytest.raises(NothingToDoError, match="none of its 1 pictures can be read; choose others"):
            write(run, tmp_path / "none.png", PlateOptions(models=["gone"]))
    assert not [*tmp_path.glob("*none*"), *tmp_path.glob(".*partial")]


def test_pictures_of_any_shape_keep_it(tmp_path: Path) -> None:
    wide = {"wide": lambda run, _: (Drawn(run.image_files.save(png("navy", (300, 100)), "png")), [Known(5)])}
    with store(tmp_path / "run", draws("five apples"), wide) as run:  # type: ignore[arg-type]
        vector, pixels = (write(run, tmp_path / f"plate.{kind}") for kind in ("svg", "png"))
    (found,) = ElementTree.parse(vector).getroot().iter(f"{SVG}image")
    left, top = int(found.attrib["x"]), int(found.attrib["y"])
    image = Image.open(pixels).convert("RGB")
    column = [image.getpixel((left + SIDE // 2, top + y)) for y in range(1, SIDE - 1)]
    blue = [pixel for pixel in column if isinstance(pixel, tuple) and pixel[2] > 100 > pixel[0]]
    assert abs(len(blue) - SIDE / 3) <= 2
    assert column[0] == column[-1] == (255, 255, 255)


def test_excluded_items_are_left_out(tmp_path: Path) -> None:
    with store(tmp_path / "run", draws("one", "two"), {"m": drew(5)}) as run:
        run.exclude("pets/0", "a fly sat on it")
        assert [item.id for item in plate(run).items] == ["pets/1"]
        with pytest.raises(BadValueError, match=r"'pets/0' is excluded \(a fly sat on it\)"):
            plate(run, items=["pets/0"])
        run.exclude("pets/1", "another fly")
        with pytest.raises(NothingToDoError, match="everything is excluded; take an exclusion back"):
            plate(run)


def test_what_was_read_stands_before_what_was_said_where_they_differ(tmp_path: Path) -> None:
    shown = Item("pets/0", Answer(Stimulus("apples", 5, seed=1, size_px=128), "How many?"), ASKS, {})
    made: dict[str, Callable[[Run, Item], Made]] = {
        "plain": lambda *_: (Said("5."), [Known(5)]),
        "wordy": lambda *_: (Said("I see four"), [Known(4)]),
        "vague": lambda *_: (Said("a few"), [Discarded("no number")]),
    }
    with store(tmp_path / "run", [shown], made) as run:
        path = write(run, tmp_path / "plate.svg", None, 240)
    texts = ["".join(text.itertext()) for text in ElementTree.parse(path).getroot().iter(f"{SVG}text")]
    assert [text for text in texts if text in ("5.", "4 “I see four”", "no count “a few”")] == [
        "5.",
        "no count “a few”",
        "4 “I see four”",
    ]


def test_items_and_models_come_in_the_order_given(painted: Path) -> None:
    with Run(Folder(painted)) as run:
        ids = ["production/dots/4", "production/apples/2"]
        models = ["painter:weber=0.5,size_px=128", "painter:size_px=128"]
        found = plate(run, items=[ids[0], "An image with 2 apples"], models=models)
    assert ([item.id for item in found.items], found.models) == (ids, models)


REFUSED: dict[str, tuple[dict[str, object], type[SubitizeError], str]] = {
    "suite": ({"suite": "naming"}, UnknownNameError, "no suite with readings named 'naming'; known: production"),
    "item": ({"items": ["fish"]}, BadValueError, "no item 'fish' in this run; its items read like production/"),
    "model": ({"models": ["dalle"]}, UnknownNameError, "no model with answers named 'dalle'; known: painter"),
    "columns": ({"columns": 0}, BadValueError, "`columns` 0: should be at least 1"),
    "repeat": ({"repeat": 7}, BadValueError, "`repeat` 7: this run has the repeats 0, 1"),
    "negative": ({"repeat": -1}, BadValueError, "`repeat` -1: repeats are counted from 0"),
    "both": ({"columns": 2, "items": ["x"]}, BadValueError, "`columns` 2: it is for prompts chosen at random"),
}


@pytest.mark.parametrize(("choice", "kind", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_chosen_is_refused(
    painted: Path, choice: dict[str, object], kind: type[SubitizeError], message: str
) -> None:
    with Run(Folder(painted)) as run, pytest.raises(kind, match=re.escape(message)):
        plate(run, **choice)


def test_the_command_says_in_a_line_what_is_wrong(painted: Path, tmp_path: Path) -> None:
    wrong = {
        "--out plate.pdf: should end in .png or .svg": ("report", "plate", painted, "-o", "plate.pdf"),
        "there is no folder": ("report", "plate", painted, "-o", tmp_path / "none" / "plate.png"),
        "is a folder; name a file in it": ("report", "plate", painted, "-o", _folder(tmp_path / "folder.png")),
        "is not a run": ("report", "plate", tmp_path / "nothing", "-o", tmp_path / "plate.png"),
        "has no readings by 'people'": ("report", "plate", painted, "-o", tmp_path / "plate.png", "--judge", "people"),
        "--size-px 5: should be from 64 to 1024": (
            "report",
            "plate",
            painted,
            "-o",
            tmp_path / "p.png",
            "--size-px",
            5,
        ),
    }
    for message, command in wrong.items():
        done = call(*command)
        assert (done.code, done.out) == (2, ""), message
        assert message in done.err
        assert len(done.err.splitlines()) == 1
    done = call(
        "report", "plate", painted, "-o", tmp_path / "plate.SVG", "--transpose", "--columns", 2, "--rule", "boxes>=0.2"
    )
    assert (done.code, done.out) == (0, f"{tmp_path / 'plate.SVG'}\n"), done.err


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_a_plate_is_of_one_suite_one_judge_and_one_kind_of_task(tmp_path: Path) -> None:
    shown = Item("pets/9", Answer(Stimulus("apples", 5, seed=1, size_px=128), "How many?"), ASKS, {})
    with store(tmp_path / "run", [*draws("five apples"), shown], {"m": drew(5)}) as run:
        with pytest.raises(BadValueError, match="some of these items are drawn and others shown"):
            plate(run, items=["pets/0", "pets/9"])
        (item,) = draws("six apples")
        run.add_suite(Spec("more", {}, "more"), 0, [replace(item, id="more/0")])
        trial = Trial("more/0", "m", {})
        with run.lease("test") as lease:
            run.add_responses(lease, [Response(trial, Refused("no"), Provenance(0, "p"))])
        with pytest.raises(BadValueError, match="a plate shows one suite; name it with `suite`: more, pets"):
            plate(run)
        run.add_judge(Spec("second", {}, "second"), is_stand_in=False)
        subject = Subject((Trial("pets/0", "m", {}).id,))
        with run.lease("test") as lease:
            run.add_readings(lease, [Reading(subject, Count("apple"), "second", Words(""), "strict@1", Known(4))])
        with pytest.raises(BadValueError, match="pets was judged by parser, second; name one with `judge`"):
            plate(run, items=["pets/0"])
        (cell,) = make_plate(run, ReadOptions("second"), PlateOptions(items=["pets/0"])).cells.values()
    assert cell.verdict == "wrong"


def test_a_plate_that_is_too_large_is_refused_before_a_picture_is_read(tmp_path: Path) -> None:
    gone = {f"model {place}": gave(Drawn(Stored("ab" * 32, "png"))) for place in range(8)} | {"judged": drew(5)}
    with (
        store(tmp_path / "run", draws(*map(str, range(9))), gone) as run,
        pytest.raises(BadValueError, match="too large"),
    ):
        write(run, tmp_path / "plate.svg", PlateOptions(columns=9), 1024)


WRAPPED = {
    "blanks": ("five red apples on a table", 80),
    "a model's name": ("openai:gpt-image-1,size=1024x1024,quality=high", 90),
    "one long word": ("W" * 200, 60),
    "wide letters": ("五个红苹果在桌子上" * 4, 70),
    "nothing": ("", 50),
}


@pytest.mark.parametrize(("text", "width"), WRAPPED.values(), ids=WRAPPED)
def test_lines_fit_and_lose_nothing_until_there_are_too_many(text: str, width: int) -> None:
    whole = wrap(text, width, 12, 1_000)
    assert "".join("".join(whole).split()) == "".join(text.split())
    assert all(measure(line, 12) <= width for line in whole)
    few = wrap(text, width, 12, 2)
    assert len(few) <= 2
    assert all(measure(line, 12) <= width for line in few)
    assert (few == whole) != bool(few and few[-1].endswith("…"))
