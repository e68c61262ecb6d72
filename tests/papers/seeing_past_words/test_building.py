"""Probes from the data of others: splits, foils, captions, and what is left out."""

import contextlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest

from subitize.errors import BadFileError, SubitizeError
from subitize.papers.seeing_past_words.build import Recipe, build_probes, draw_foils, find_images
from subitize.papers.seeing_past_words.probes import CaptionPair, Probe, read_records, write_records
from subitize.papers.seeing_past_words.sources import Skipped, pair_captions, read_captions
from tests.cases import Case
from tests.commands import call
from tests.papers.seeing_past_words.probe_files import make_probes, write_questions, write_visual7w

SIZES = {"standard": (2439, 7283), "hard": (1130, 3378), "interpolated": (1331, 3969)}  # Table 6, validation


def released(**changed: object) -> dict[str, object]:
    entry: dict[str, object] = {"image_file": "v7w_1.jpg", "caption": "How many dogs are there?", "answer": 2}
    entry |= {"split": "valid", "foils": [1, 3, 3, 2], "declarative_statement": "There are 2 dogs."}
    texts = ["There is 1 dog.", "There are 3 dogs.", "There are 3 dogs.", "There are 2 dogs."]
    return entry | {"declarative_statement_foils": texts} | changed


def write_json(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def answers_of(probes: Sequence[Probe], split: str, part: str) -> list[int]:
    return [probe.answer for probe in probes if (probe.split, probe.part) == (split, part)]


def test_the_released_splits_are_read_whole_and_keep_their_statements(shared_data: Path) -> None:
    files = sorted((shared_data / "counting-probe").glob("*.val.json"))
    built = build_probes(files, Recipe())
    assert not built.omitted.found
    for path in files:
        entries = json.loads(path.read_text(encoding="utf-8"))
        split = next(name for name in SIZES if name[:10] in path.name)
        own = [probe for probe in built.probes if probe.split == split]
        assert (len(own), sum(len(probe.foils) for probe in own)) == SIZES[split]
        for probe in own:
            entry = entries[probe.id]
            assert [probe.statement, *probe.statement_foils] == [
                entry["declarative_statement"],
                *entry["declarative_statement_foils"],
            ]
            assert probe.part == "validation"


def test_foils_that_are_right_or_stand_there_twice_are_never_asked_about(tmp_path: Path) -> None:
    (probe,) = build_probes([write_json(tmp_path / "hard.val.json", {"a": released()})], Recipe()).probes
    assert [one.number for one in probe.candidates()] == [2, 1, 3]
    assert probe.count_invalid() == 2
    assert (probe.split, probe.part, probe.foils) == ("hard", "validation", (1, 3, 3, 2))


@pytest.mark.parametrize("foil", [1001, 5_000_000])
def test_a_foil_above_every_answer_is_kept(foil: int, tmp_path: Path) -> None:
    entry = released(foils=[1, foil], declarative_statement_foils=["There is 1 dog.", f"There are {foil} dogs."])
    file = write_json(tmp_path / "interpolation.train.json", {"a": entry})
    assert call("make", "probes", file, "--out", tmp_path / "probes.jsonl").err == ""
    (probe,) = read_records(tmp_path / "probes.jsonl", Probe)
    assert (probe.foils, probe.statement_foils[1]) == ((1, foil), f"There are {foil} dogs.")
    rows = call("list", tmp_path / "probes.jsonl", "--json").json()
    counts = {row["column"]: row["ours"] for row in rows if row["table"] == "table6"}
    assert (counts["correct"], counts["foiled"], counts["invalid foils"]) == (1, 2, 0)


def test_foils_of_every_source_may_be_above_every_answer(tmp_path: Path) -> None:
    question = "How many dogs are there?"
    visual7w = write_visual7w(tmp_path / "dataset.json", [(1, "val", question, "2.", ["1.", "2000."])])
    (tmp_path / "own.csv").write_text(f"image,question,answer,foils\na.jpg,{question},1000,2000 5\n", encoding="utf-8")
    for source, foils in ((visual7w, (1, 2000)), (tmp_path / "own.csv", (2000, 5))):
        built = build_probes([source], Recipe(["standard"]))
        assert [probe.foils for probe in built.probes] == [foils]
        assert not built.omitted.found


def test_foils_are_drawn_around_the_largest_answer(tmp_path: Path) -> None:
    built = build_probes([write_questions(tmp_path / "own.csv", [1000, 1000])], Recipe(["standard"]))
    assert all(probe.foils for probe in built.probes)


def test_released_statements_can_be_corrected(tmp_path: Path) -> None:
    entry = released(caption="How many yellow buses are there?", foils=[1], declarative_statement_foils=["x"])
    (probe,) = build_probes([write_json(tmp_path / "a.json", {"a": entry})], Recipe(mode="corrected")).probes
    assert probe.statement_foils == ("There is 1 yellow bus.",)


def test_visual7w_is_split_as_in_the_release(tmp_path: Path) -> None:
    """One question per image, that of the answer that comes last; a cap on answers; even numbers apart from odd."""
    dogs = "How many dogs are there?"
    rows = [
        (image, "train", dogs, f"{answer}.", ["1.", "Two.", "many"]) for image, answer in enumerate([2, 2, 2, 3, 24])
    ]
    rows += [
        (9, "val", dogs, "Four.", ["5."]),
        (9, "val", "How many cats?", "One.", ["0."]),
        (9, "val", "Why?", "No.", []),
    ]
    rows += [(8, "test", dogs, "Four.", []), (7, "test", dogs, "plenty", [])]
    built = build_probes([write_visual7w(tmp_path / "dataset.json", rows)], Recipe(cap=2))
    assert answers_of(built.probes, "standard", "train") == [2, 2, 2, 3, 24]
    assert answers_of(built.probes, "hard", "train") == [2, 2, 3]
    assert answers_of(built.probes, "interpolated", "train") == [2, 2, 2, 24]
    assert answers_of(built.probes, "standard", "validation") == [1]
    assert answers_of(built.probes, "interpolated", "validation") == [1]
    assert answers_of(built.probes, "interpolated", "test") == []
    assert answers_of(built.probes, "hard", "test") == [4]
    assert (built.probes[0].id, built.probes[0].image, built.probes[0].foils) == (
        "counting_visual7w_0",
        "v7w_0.jpg",
        (1, 2),
    )
    assert {reason: len(found) for reason, found in built.omitted.found.items()} == {
        "choices that are no numbers": 5,
        "no whole number from 0 to 1000 as its answer": 1,
    }


def test_tallyqa_is_read_with_every_question_of_an_image(tmp_path: Path) -> None:
    rows = [
        {"answer": n, "data_source": "amt", "image": "VG_100K/1.jpg", "image_id": 91, "question_id": n, "question": q}
        for n, q in enumerate(["How many dogs?", "How many cats?", "How many hats do the 2 dogs wear?"])
    ]
    built = build_probes([write_json(tmp_path / "train.json", rows)], Recipe(["standard"]))
    assert [(probe.id, probe.part, probe.statement) for probe in built.probes] == [
        ("0", "train", "There are 0 dogs."),
        ("1", "train", "There is 1 cat."),
        ("2", "train", "The 2 dogs wear 2 hats."),
    ]
    assert built.probes[2].masked == "The 2 dogs wear [GAP] hats."
    assert all(probe.foils for probe in built.probes)


def test_an_id_of_0_is_an_id_and_a_count_may_be_written_as_2_0(tmp_path: Path) -> None:
    rows = [
        {"answer": answer, "image": "1.jpg", "question_id": id, "question": "How many dogs?"}
        for id, answer in ((1, 2.0), (0, "2.0"), (3, 2.5))
    ]
    built = build_probes([write_json(tmp_path / "test.json", rows)], Recipe(["standard"]))
    assert [(probe.id, probe.answer) for probe in built.probes] == [("1", 2), ("0", 2)]
    assert [*built.omitted.found.values()] == [["How many dogs? 2.5"]]


def test_own_tables_may_name_ids_parts_and_foils(tmp_path: Path) -> None:
    lines = ["image,question,answer,id,part,foils", "a.jpg,How many dogs?,two,x,val,1 3"]
    (tmp_path / "own.csv").write_text("\n".join(lines), encoding="utf-8")
    row = {"image": "a.jpg", "question": "How many dogs?", "answer": 2, "id": "x", "part": "val", "foils": [1, 3]}
    write_json(tmp_path / "own.jsonl", row)
    for name in ("own.csv", "own.jsonl"):
        (probe,) = build_probes([tmp_path / name], Recipe(["standard"])).probes
        assert (probe.id, probe.part, probe.answer, probe.foils) == ("x", "validation", 2, (1, 3))


def test_valse_keeps_what_two_annotators_chose(tmp_path: Path) -> None:
    def entry(chosen: int, answer: object = 1, foil: int = 4) -> dict[str, object]:
        return {
            "image_file": "v7w_1.jpg",
            "caption": f"There is exactly {answer} dog.",
            "foil": f"There are exactly {foil} dogs.",
            "classes": answer,
            "classes_foil": [foil],
            "mturk": {"caption": chosen, "foil": 3 - chosen, "other": 0},
        }

    entries = {"a": entry(3), "b": entry(2), "c": entry(1), "d": entry(3, "many")}
    built = build_probes([write_json(tmp_path / "counting-hard.json", entries)], Recipe())
    assert [probe.id for probe in built.probes] == ["a", "b"]
    first = built.probes[0]
    assert (first.split, first.question, first.statement_foils) == ("counting-hard", "", ("There are exactly 4 dogs.",))
    assert first.masked == "There are exactly [GAP] dogs."
    assert first.masked_faithful == "There is exactly [GAP] dog."
    assert list(map(len, built.omitted.found.values())) == [1, 1]


def valse(caption: str | list[str], foil: str, chosen: int = 3, **more: object) -> dict[str, object]:
    entry = {"image_file": "v7w_1.jpg", "caption": caption, "foil": foil, **more}
    return entry | {"mturk": {"caption": chosen, "foil": 3 - chosen, "other": 0}}


def test_valse_without_numbers_is_refused_though_it_has_the_fields_of_the_counting_probe(tmp_path: Path) -> None:
    more = {"answer": 0, "declarative_statement": "There are no dogs.", "classes": 0}
    entries = {
        str(place): valse("There are no dogs.", "There are dogs.", 1 + place, **more, classes_foil=wrong)
        for place, wrong in enumerate((None, 3, "some"))
    }
    plural = valse("A single dog.", "A number of dogs.", classes="a single", classes_foil="a number of")
    for name, found in (("existence", entries), ("plurals", {"0": plural, "1": plural, "2": plural})):
        ended = call("make", "probes", write_json(tmp_path / f"{name}.json", found), "--out", tmp_path / "out.jsonl")
        assert (ended.code, ended.out) == (2, "")
        assert "left out, no number in its caption or in its foil: " in ended.err
        assert ("fewer than 2 annotators chose the caption: 1" in ended.err) == (name == "existence")
    assert not (tmp_path / "out.jsonl").exists()


def test_valse_with_numbers_is_read_however_its_classes_are_written(tmp_path: Path) -> None:
    entries = {
        "words": valse("There are exactly two dogs.", "There are exactly 3 dogs.", classes="two", classes_foil="3"),
        "none": valse(["There are 2 dogs."], "There are 1200 dogs."),
        "zero": valse("There are no dogs.", "There are 4 dogs.", classes=[0], classes_foil=[4]),
        "statement": valse("There is 1 dog.", "There are 5 dogs.", declarative_statement="x", answer=1),
        "contradiction": valse("There are 2 dogs.", "There are 3 dogs.", classes=7, classes_foil=3),
    }
    built = build_probes([write_json(tmp_path / "counting-small-quant.json", entries)], Recipe())
    assert {probe.id: (probe.answer, probe.foils) for probe in built.probes} == {
        "words": (2, (3,)), "none": (2, (1200,)), "zero": (0, (4,)), "statement": (1, (5,)),
    }  # fmt: skip
    assert built.probes[1].statement == "There are 2 dogs."
    assert built.omitted.found == {"no number in its caption or in its foil": ["contradiction"]}


SKEWED = [0] * 70 + [1] * 260 + [2] * 300 + [3] * 140 + [4] * 90 + [5] * 60 + [7] * 30 + [9] * 20 + [15] * 10


def test_symmetric_foils_give_nothing_away() -> None:
    """As often as a number is the foil of another, the other is its foil: no rule of numbers is right more often."""
    found = draw_foils(SKEWED, "symmetric", 1)
    pairs = Counter((answer, foil) for answer, own in zip(SKEWED, found, strict=True) for foil in own)
    assert all(pairs[foil, answer] == times for (answer, foil), times in pairs.items())
    assert min(map(len, found)) >= 1
    assert sum(map(len, found)) > 2.5 * len(SKEWED)
    near = sum(times for (answer, foil), times in pairs.items() if abs(answer - foil) <= 2)
    assert near / pairs.total() > 0.55


@pytest.mark.parametrize("rule", ["symmetric", "as-released"])
@pytest.mark.parametrize("answers", [[0], [1, 1, 1], [5] * 40, SKEWED, []], ids=len)
def test_foils_are_near_different_and_by_lot(rule: str, answers: list[int]) -> None:
    found = draw_foils(answers, rule, 1)  # type: ignore[arg-type]
    assert found == draw_foils(answers, rule, 1)  # type: ignore[arg-type]
    for answer, own in zip(answers, found, strict=True):
        assert len({answer, *own}) == len(own) + 1
        assert 1 <= len(own) <= 3
        assert min(own) >= 0
    if len(set(answers)) > 1:
        assert found != draw_foils(answers, rule, 2)  # type: ignore[arg-type]


def test_foils_as_released_lie_above_as_often_as_there() -> None:
    found = draw_foils(SKEWED, "as-released", 1)
    pairs = [(answer, foil) for answer, own in zip(SKEWED, found, strict=True) for foil in own]
    assert sum(foil > answer for answer, foil in pairs) / len(pairs) == pytest.approx(0.72, abs=0.03)


def test_probes_survive_writing(tmp_path: Path) -> None:
    probes = [*make_probes(tmp_path), Probe("é\u2028\x85\n", "s", "test", "a", "", 1, (), '"', (), "", "")]
    write_records(tmp_path / "probes.jsonl", probes)
    assert read_records(tmp_path / "probes.jsonl", Probe) == probes
    assert [path.name for path in tmp_path.glob("*probes*")] == ["probes.jsonl"]


def test_captions_are_paired_with_one_of_another_image_that_is_not_their_own(tmp_path: Path) -> None:
    images = [{"id": n, "file_name": f"{n}.jpg"} for n in range(60)]
    texts = [(n, f"a thing {n % 20}.") for n in range(60)] + [(n, "A  Thing 0") for n in range(30)]
    annotations = [{"id": n, "image_id": image, "caption": text} for n, (image, text) in enumerate(texts)]
    captions = read_captions(write_json(tmp_path / "captions.json", {"images": images, "annotations": annotations}))
    pairs = pair_captions(captions, "coco", images=50, seed=3)
    assert len({pair.image for pair in pairs}) == 50
    fold = str.maketrans("", "", " .")
    chosen = {text for pair in pairs for text in captions[pair.image]}
    for pair in pairs:
        own = {text.lower().translate(fold) for text in captions[pair.image]}
        assert pair.caption in captions[pair.image]
        assert pair.foil.lower().translate(fold) not in own
        assert pair.foil in chosen
    assert pairs == pair_captions(captions, "coco", images=50, seed=3) != pair_captions(captions, "coco", images=50)


def test_conceptual_captions_and_tables_are_read(tmp_path: Path) -> None:
    (tmp_path / "gcc.tsv").write_text("a dog\thttp://x/y/dog.jpg?w=3\na cat\thttp://x/cat.png\n", encoding="utf-8")
    (tmp_path / "own.csv").write_text("image,caption\ndog.jpg,a dog\ncat.png,a cat\n", encoding="utf-8")
    assert read_captions(tmp_path / "gcc.tsv") == read_captions(tmp_path / "own.csv")
    assert read_captions(tmp_path / "own.csv") == {"dog.jpg": ["a dog"], "cat.png": ["a cat"]}


def test_images_whose_urls_end_alike_are_left_out(tmp_path: Path) -> None:
    lines = ("a dog\thttp://x/1.jpg", "a cat\thttp://y/1.jpg", "a cow\thttp://x/2.jpg", "a bull\thttp://x/2.jpg?w=1")
    (tmp_path / "gcc.tsv").write_text("\n".join(lines), encoding="utf-8")
    omitted = Skipped()
    assert read_captions(tmp_path / "gcc.tsv", omitted) == {"2.jpg": ["a cow", "a bull"]}
    assert [*omitted.found.values()] == [["1.jpg"]]


def test_images_are_found_by_path_or_by_name(tmp_path: Path) -> None:
    (tmp_path / "VG_100K").mkdir()
    for name in ("VG_100K/1.jpg", "2.jpg", "VG_100K/4.jpg", "4.jpg"):
        (tmp_path / name).touch()
    (tmp_path.parent / "outside.jpg").touch()
    absent = ["other/4.jpg", "3.jpg", "../outside.jpg", str(tmp_path.parent / "outside.jpg"), "x" * 5000, "a\0b", ""]
    found = find_images(["VG_100K/1.jpg", "1.jpg", "other/2.jpg", *absent], tmp_path)
    assert sorted(found) == ["1.jpg", "VG_100K/1.jpg", "other/2.jpg"]


BAD_FILES = {
    "cut.json": ('{"a": {"caption": "How', "it ends too soon; get the whole file"),
    "broken.json": ('{"a": b}', "no JSON at column 7: Expecting value"),
    "other.json": ('{"a": 1}', "neither the released probes"),
    "list.json": ("[1]", "entry 1: should be a JSON object, not 1"),
    "released.json": ('{"a": {"declarative_statement": "x"}}', "a: no image_file"),
    "empty.csv": ("", "no column image, question, answer"),
    "short.csv": ("image,question,answer\na.jpg,How many dogs?,", "line 2: no answer"),
    "foils.csv": ("image,question,answer,foils\na.jpg,How many dogs?,2,-1", "foils '-1': should be whole numbers"),
    "row.jsonl": ("3", "line 1: should be a JSON object"),
    "none.csv": ("image,question,answer\na.jpg,Why?,2", "no probe can be made of none.csv: left out, a question"),
    "negative.csv": ("image,question,answer\na.jpg,How many dogs?,-2", "'How many dogs? -2'"),
    "absurd.csv": ("image,question,answer\na.jpg,How many dogs?,123456", "'How many dogs? 123456'"),
    "surrogate.jsonl": (
        json.dumps({"image": "a", "question": "How many \ud800?", "answer": 2}),
        "a text cannot be written as UTF-8",
    ),
    "twice.csv": ("image,question,answer,id\na.jpg,How many dogs?,2,x\nb.jpg,How many?,3,x", "give each file once"),
}
BAD_CAPTIONS = {
    "captions.json": ('{"images": []}', "captions.json: no annotations; should have one"),
    "lost.json": ('{"images": [], "annotations": [{"image_id": 1}]}', "lost.json, annotations, 0: no caption"),
    "captions.tsv": ("a dog", "line 1: should be a caption, a tab and a URL"),
    "captions.txt": ("a dog", "should be COCO's .json"),
    "empty.tsv": ("", "has no captions"),
    "same.csv": ("image,caption\na.jpg,A dog\nb.jpg,a dog.", "has no foil: no other image has another caption"),
}


def test_bad_input_is_said_in_one_line_and_nothing_is_written(tmp_path: Path, case: Case) -> None:
    out = tmp_path / "out.jsonl"
    for files, command in ((BAD_FILES, "probes"), (BAD_CAPTIONS, "caption-probes")):
        for name, (content, message) in files.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
            with case(name):
                ended = call("make", command, tmp_path / name, "--out", out)
                assert (ended.code, ended.err.count("\n"), ended.out) == (2, 1, "")
                assert message in ended.err
                assert not out.exists()


def probe_line(**changed: object) -> str:
    probe = Probe("a", "hard", "test", "a.jpg", "How many?", 2, (1, 3), "x", ("y", "z"), "", "")
    return json.dumps({**asdict(probe), **changed})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a"}', "line 1: no split; should have one"),
        ("{", "line 1: no JSON at column 2: it ends too soon"),
        ("", "is empty"),
        (
            '{"id": "a", "source": "b", "image": "c", "caption": 3, "foil": "e"}',
            "line 1, caption: should be a valid string, not 3",
        ),
        (probe_line(answer=-1), "line 1, answer: should be greater than or equal to 0, not -1"),
        (probe_line(foils=[3]), "1 foils and 2 statements of them"),
    ],
)
def test_a_damaged_probe_file_names_its_line(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "probes.jsonl").write_text(line, encoding="utf-8")
    kind = CaptionPair if "source" in line else Probe
    with pytest.raises(BadFileError, match=message):
        read_records(tmp_path / "probes.jsonl", kind)  # type: ignore[type-var]


def test_a_release_is_no_file_of_probes_and_is_not_called_cut(tmp_path: Path) -> None:
    file = tmp_path / "hard.val.json"
    for indent in (4, 0):
        file.write_text(json.dumps({"a": released()}, indent=indent), encoding="utf-8")
        for command in (
            ["list", file],
            ["run", f"counting-probe:{file}", "--model", "random", "--out", tmp_path / "run"],
        ):
            ended = call(*command)
            assert (ended.code, ended.out) == (2, "")
            assert f"has one per line; make one of it: subitize make probes {file}" in ended.err
    file.write_text(file.read_text(encoding="utf-8")[:-1], encoding="utf-8")
    assert "it ends too soon; get the whole file" in call("list", file).err


def test_the_command_counts_and_names_what_is_missing(tmp_path: Path) -> None:
    questions = write_questions(tmp_path / "questions.csv")
    questions.write_text(f"{questions.read_text(encoding='utf-8')}x.png,Why?,3\n", encoding="utf-8")
    (tmp_path / "2.png").touch()
    out = tmp_path / "probes.jsonl"
    ended = call("make", "probes", questions, "--out", out, "--images", tmp_path, "--split", "standard")
    assert ended.code == 0
    assert "left out, a question that no template fits: 1 ('Why?')" in ended.err
    assert "5 of 6 (0.png, 1.png, 3.png, …)" in ended.err
    assert ended.out.startswith("6 probes, 6 right and ")
    assert len(read_records(out, Probe)) == 6


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--split", "easy", "no split named 'easy'; known: hard, interpolated, standard"),
        ("--statements", "loose", "no kind of statements named 'loose'"),
        ("--foils", "random", "no kind of foils named 'random'"),
        ("--cap", "0", "cap 0, largest 20: should be at least 1 and 0"),
        ("--images", "nowhere", "nowhere: no such folder"),
    ],
)
def test_options_of_building_are_checked(option: str, value: str, message: str, tmp_path: Path) -> None:
    ended = call("make", "probes", write_questions(tmp_path / "a.csv"), "--out", tmp_path / "out", option, value)
    assert ended.code == 2
    assert message in ended.err
    assert not (tmp_path / "out").exists()


def test_one_image_has_no_foil() -> None:
    with pytest.raises(SubitizeError, match="should be at least 2"):
        pair_captions({"a": ["b"]}, "x", images=1)
    with pytest.raises(SubitizeError, match="has no foil"):
        pair_captions({"a": ["b"]}, "x")


ODD: list[object] = [None, 3, True, "", "x", [], [[]], {}, {"a": 1}, -1, 10**9, 2.5]


@pytest.mark.slow
def test_no_odd_value_anywhere_in_a_file_is_more_than_an_error(tmp_path: Path, case: Case) -> None:
    """Every field of every kind of file is replaced by values that nobody would expect there."""
    valse: dict[str, object] = {
        "image_file": "a",
        "caption": "2 dogs",
        "foil": "3 dogs",
        "classes": 2,
        "classes_foil": 3,
        "mturk": {"caption": 3},
    }
    pair: dict[str, object] = {"question": "How many dogs?", "answer": "2", "multiple_choices": ["3"]}
    image: dict[str, object] = {"image_id": 1, "filename": "a.jpg", "split": "val", "qa_pairs": [pair]}
    row: dict[str, object] = {
        "image": "a",
        "question": "How many dogs?",
        "answer": 2,
        "id": 1,
        "part": "val",
        "foils": [1],
    }
    files: dict[str, tuple[dict[str, object], Callable[[dict[str, object]], object]]] = {
        "released": (released(), lambda entry: {"a": entry}),
        "valse": (valse, lambda entry: {"a": entry}),
        "visual7w": (image, lambda entry: {"images": [entry]}),
        "choices": (pair, lambda entry: {"images": [image | {"qa_pairs": [entry]}]}),
        "rows": (row, lambda entry: [entry]),
    }
    for name, (entry, wrap) in files.items():
        for key in entry:
            for value in ODD:
                with case((name, key, value)), contextlib.suppress(SubitizeError):
                    build_probes([write_json(tmp_path / "file.json", wrap(entry | {key: value}))], Recipe())
