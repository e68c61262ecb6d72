"""Images made elsewhere are matched to items in every layout, and whatever else lies in the folder is named."""

import asyncio
import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from subitize.errors import BadFileError, UnknownNameError
from subitize.evaluate.sampling import sample_of
from subitize.interfaces import Pixels, Reply, Request
from subitize.io.images import LARGEST_FILE_BYTES
from subitize.models.folder import FolderModel, MatchedImages, plain, plain_names, plain_of_name
from subitize.records import Draw, Failed, Item, Picture, Stimulus
from subitize.registry import make_model, make_suite
from subitize.stimuli.recipes import render
from subitize.store import Folder as RunFolder
from subitize.store import Run
from tests.cases import Case
from tests.commands import call


def png(size_px: int = 4) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (size_px, size_px), "white").save(file, "PNG")
    return file.getvalue()


def put(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png())
    return folder


def item(key: str, prompt: str = "An image with 3 apples") -> Item:
    return Item(f"some/{key}", Draw(prompt), (), {})


def write_lines(folder: Path, *lines: object, name: str = "images.jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def put_prompt(folder: Path, number: str, prompt: str, *samples: str) -> None:
    put(folder / number, "grid.png", *(f"samples/{sample}.png" for sample in samples))
    (folder / number / "metadata.jsonl").write_text(json.dumps({"tag": "counting", "prompt": prompt}))


def match(path: Path, items: Sequence[Item], repeats: int = 1, **options: str) -> MatchedImages:
    return FolderModel(str(path), **options).match(items, repeats)


def respond(folder: FolderModel, of: Item, repeat: int = 0, attempt: int = 0) -> Reply:
    request = Request(of.id, of.task, repeat, attempt, 7, load=no_picture)
    return asyncio.run(folder.respond(request))


def no_picture(picture: Picture) -> bytes:
    raise AssertionError(f"nothing is shown to one who draws: {picture}")


def names(files: Sequence[object]) -> list[str]:
    return [file if isinstance(file, str) else str(getattr(file, "name", file)) for file in files]


@pytest.mark.parametrize(
    ("layout", "files", "of", "expected"),
    [
        ("items", ["apples_3_0.png", "apples_3_1.jpg"], item("apples/3"), ["apples_3_0.png", "apples_3_1.jpg"]),
        ("items", ["apples_3.webp", "apples_3_1.png"], item("apples/3"), ["apples_3.webp", "apples_3_1.png"]),
        ("items", ["Frühstück_1.png"], item("Frühstück"), [None, "Frühstück_1.png"]),
        (
            "geckonum",
            ["geckonum_00012_10.png", "geckonum_00012_9.png"],
            item("geckonum_00012"),
            ["geckonum_00012_9.png", "geckonum_00012_10.png"],
        ),
        ("geckonum", ["geckonum_00012.png"], item("geckonum_00012"), ["geckonum_00012.png", None]),
        (
            "numbersense",
            ["3_4_apples_10.png", "3_3_apples_9.png", "4_3_apples_1.png"],
            item("apples/3"),
            ["3_3_apples_9.png", "3_4_apples_10.png"],
        ),
        (
            "gimbrr",
            ["p801_2_v0.0.5_pd230208.png", "p801_1_v0.0.5_pd230208.png", "p80_1_v0.0.5_pd230208.png"],
            item("counting/801"),
            ["p801_1_v0.0.5_pd230208.png", "p801_2_v0.0.5_pd230208.png"],
        ),
        (
            "t2i-compbench",
            ["two dogs_000007.png", "two dogs_000012.png", "2 dogs_000001.png"],
            item("x", "Two dogs."),
            ["two dogs_000007.png", "two dogs_000012.png"],
        ),
    ],
    ids=["items", "first repeat", "unicode", "geckonum", "no seed", "numbersense", "gimbrr", "t2i-compbench"],
)
def test_a_layout_is_found_from_the_names_and_numbers_become_repeats(
    layout: str, files: list[str], of: Item, expected: list[str | None], tmp_path: Path
) -> None:
    matched = match(put(tmp_path, *files), [of], repeats=2)
    assert matched.layout == layout
    assert [matched.files.get((of.id, repeat)) for repeat in range(2)] == expected
    assert matched.count == sum(file is not None for file in expected)
    assert matched.missing == tuple((of.id, repeat) for repeat in range(2) if expected[repeat] is None)


@pytest.mark.parametrize(
    ("file", "layout"),
    [
        ("3_many_apples_1.png", "numbersense"),
        ("3_>20_apples_000001.png", "numbersense"),
        ("3_small_apples_000001.png", "t2i-compbench"),
        ("geckonum_00012_000001.png", "geckonum"),
        ("1_apples_0.png", "items"),
        ("fresh7_00012_3.png", "items"),
        ("P801_1_v1_2.png", "items"),
        ("GECKONUM_00012_1.PNG", "geckonum"),
    ],
)
def test_a_name_that_fits_several_layouts_is_of_the_most_particular(file: str, layout: str, tmp_path: Path) -> None:
    assert match(put(tmp_path, file), [item("x")]).layout == layout


def test_other_calls_go_on_while_a_picture_is_read(tmp_path: Path) -> None:
    of, done = item("apples/3"), list[str]()
    folder = FolderModel(str(put(tmp_path, "apples_3_0.png")))
    folder.match([of], 1)

    async def read() -> None:
        reply = await folder.respond(Request(of.id, of.task, 0, 0, 7, load=no_picture))
        assert isinstance(reply.content, Pixels)
        done.append("the picture")

    async def do_something_else() -> None:
        done.append("something else")

    async def do_both() -> None:
        await asyncio.gather(read(), do_something_else())

    asyncio.run(do_both())
    assert done == ["something else", "the picture"]


def test_a_number_in_the_layout_items_is_the_repeat_itself(tmp_path: Path) -> None:
    matched = match(put(tmp_path, "apples_3_2.png"), [item("apples/3")], repeats=3)
    assert matched.files == {("some/apples/3", 2): "apples_3_2.png"}


def test_a_folder_of_two_layouts_names_both_and_a_told_layout_takes_its_own(tmp_path: Path) -> None:
    put(tmp_path, "geckonum_00012_0.png", "IMG_1.png", "p801_1_v1.png", "notes.png")
    with pytest.raises(BadFileError, match=r"geckonum \('geckonum_00012_0\.png'\)") as error:
        match(tmp_path, [item("geckonum_00012")])
    for mention in ("3 layouts", "items ('IMG_1.png')", "gimbrr ('p801_1_v1.png')", ",layout=geckonum"):
        assert mention in str(error.value)
    matched = match(tmp_path, [item("geckonum_00012")], layout="geckonum")
    assert matched.count == 1
    assert sorted(names(matched.unknown)) == ["IMG_1.png", "notes.png", "p801_1_v1.png"]
    assert "not named like geckonum_00012_3.png" in matched.unknown[0].reason


def test_names_of_no_layout_are_an_error_that_lists_the_layouts(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match=r"'my cat\.png' is named like no layout") as error:
        match(put(tmp_path, "my cat.png"), [item("x", "a cat")])
    layouts = ("items: apples_3_0.png", "geckonum:", "numbersense:", "gimbrr:", "geneval:", "t2i-compbench:", "jsonl:")
    assert all(layout in str(error.value) for layout in layouts)


def test_a_folder_of_models_says_to_take_one_of_them(tmp_path: Path) -> None:
    put(tmp_path, "muse_a/geckonum_00012_0.png", "dalle_3/geckonum_00012_0.png")
    with pytest.raises(BadFileError, match="has no images, but its folders have: dalle_3, muse_a; take one"):
        match(tmp_path, [item("geckonum_00012")])


@pytest.mark.parametrize(
    ("target", "mentions"),
    [
        ("folder:{0},layout=gecko", "no layout named 'gecko'; known: auto, csv, geckonum, geneval"),
        ("folder:{0},layout=geneval", "no images of the layout geneval, which are like 00000/samples"),
        ("folder:{0},layout=jsonl", "should have one .jsonl file, not 0"),
        ("folder:{0}/nowhere", "not a folder of images, nor a .jsonl, .csv or .tsv file"),
        ("folder:{0}/apples_3_0.png", "not a folder of images, nor a .jsonl, .csv or .tsv file"),
        ("folder:{0}/list/images.jsonl,layout=items", "is a file, and the layout items a folder"),
    ],
)
def test_a_wrong_target_or_layout_is_one_line_and_no_run(target: str, mentions: str, tmp_path: Path) -> None:
    put(tmp_path, "apples_3_0.png")
    write_lines(tmp_path / "list", {"id": "apples/3", "image_path": "x.png"})
    finished = call("run", "production", "--model", target.format(tmp_path), "--out", tmp_path / "run")
    assert finished.code == 2
    assert mentions in finished.err
    assert len(finished.err.splitlines()) == 1
    assert not (tmp_path / "run").exists()


def test_one_name_with_two_endings_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "geckonum_00012_0.png", "geckonum_00012_0.jpg")
    with pytest.raises(BadFileError, match=r"geckonum_00012_0\.jpg and geckonum_00012_0\.png; which"):
        FolderModel(str(tmp_path))


def test_one_sample_of_geneval_with_two_endings_is_refused(tmp_path: Path) -> None:
    put_prompt(tmp_path, "00003", "two clocks", "0000", "cover")
    put(tmp_path, "00003/samples/0000.jpg", "00003/samples/cover.jpg")
    for layout in ("auto", "geneval"):
        with pytest.raises(BadFileError, match=r"00003/samples/0000\.jpg and 00003/samples/0000\.png; which"):
            FolderModel(str(tmp_path), layout=layout)


def test_of_two_files_for_one_trial_the_first_is_taken_and_the_other_named(tmp_path: Path) -> None:
    put(tmp_path, "p801_1_v0.0.5_pd230208.png", "p801_1_v0.0.6_pd230301.png", "p801_2_v0.0.5_pd230208.png")
    matched = match(tmp_path, [item("801")], repeats=2)
    assert list(matched.files.values()) == ["p801_1_v0.0.5_pd230208.png", "p801_2_v0.0.5_pd230208.png"]
    assert names(matched.duplicates) == ["p801_1_v0.0.6_pd230301.png"]
    assert "p801_1_v0.0.5_pd230208.png is taken" in matched.duplicates[0].reason


def test_names_as_numbersense_released_them_are_read_with_their_counts(tmp_path: Path) -> None:
    put(tmp_path, "apples/10_10_apple 3.png", "apples/10_8_apples 12.png", "apples/1_1_apple 0.png")
    put(tmp_path, "people/10_11_people new13.png", "people/10_20_people 5.png", "people/10_12_people new4.png")
    items = list(make_suite("production:categories=apples+people,numbers=1+10").obj.items(0))
    matched = match(tmp_path, items, repeats=3)
    assert matched.layout == "numbersense"
    assert matched.files == {
        ("production/apples/1", 0): "apples/1_1_apple 0.png",
        ("production/apples/10", 0): "apples/10_10_apple 3.png",
        ("production/apples/10", 1): "apples/10_8_apples 12.png",
        ("production/people/10", 0): "people/10_20_people 5.png",
        ("production/people/10", 1): "people/10_12_people new4.png",
        ("production/people/10", 2): "people/10_11_people new13.png",
    }
    assert matched.counts == 6
    assert matched.missing_items == ("production/people/1",)


def test_images_of_two_models_are_never_mixed(tmp_path: Path) -> None:
    put(tmp_path, "DALL-E/3_4_apples_1.png", "SDXL/3_4_apples_2.png")
    with pytest.raises(BadFileError, match="has no images, but its folders have: DALL-E, SDXL; take one"):
        match(tmp_path, [item("apples/3")])
    put(tmp_path, "3_3_apples_0.png")
    assert match(tmp_path, [item("apples/3")], repeats=9).count == 1


def test_one_index_with_several_counts_is_several_images(tmp_path: Path) -> None:
    put(tmp_path, "3_4_dots_1.png", "3_5_dots_1.png", "3_>20_dots_1.png")
    matched = match(tmp_path, [item("dots/3")], repeats=5)
    assert (matched.count, matched.duplicates) == (3, ())


@pytest.mark.slow
def test_every_released_name_of_geckonum_is_matched(shared_data: Path, tmp_path: Path) -> None:
    released = set()
    for task in (1, 2, 3):
        with (shared_data / "geckonum" / f"task_{task}_imagen_c.csv").open(encoding="utf-8", newline="") as file:
            released |= {row["image_id"] for row in csv.DictReader(file)}
    for name in released:
        (tmp_path / f"{name}.png").touch()
    suite = make_suite(f"geckonum:prompts={shared_data / 'geckonum' / 'prompts.csv'}")
    matched = match(tmp_path, list(suite.obj.items(0)), repeats=10)
    assert (matched.layout, matched.count) == ("geckonum", len(released))
    assert (matched.unknown, matched.ambiguous, matched.duplicates, matched.surplus) == ((), (), (), ())
    assert all(name.rpartition("_")[0] == item_id.rpartition("/")[2] for (item_id, _), name in matched.files.items())


def test_every_released_name_of_gimbrr_is_matched(shared_data: Path, tmp_path: Path) -> None:
    with (shared_data / "gimbrr" / "annotations_df_230311.csv").open(encoding="utf-8", newline="") as file:
        released = {row["File_name"]: row["ID"] for row in csv.DictReader(file)}
    for name in released:
        (tmp_path / name).touch()
    with (shared_data / "gimbrr" / "Prompt_dir_230228.csv").open(encoding="utf-8", newline="") as file:
        items = [Item(f"gimbrr/{row['ID']}", Draw(row["Prompt"]), (), {}) for row in csv.DictReader(file)]
    matched = match(tmp_path, items)
    assert (matched.layout, matched.count, matched.unknown) == ("gimbrr", 2102, ())
    assert {name: item_id.removeprefix("gimbrr/") for (item_id, _), name in matched.files.items()} == released


def test_geneval_is_matched_by_the_prompt_in_its_metadata(tmp_path: Path) -> None:
    put_prompt(tmp_path, "00000", "a photo of two clocks", "00000", "00001", "00010")
    put_prompt(tmp_path, "00001", "a photo of a bench", "0000", "cover")
    put(tmp_path, "00002/samples/0000.png", "__MACOSX/00000/samples/0000.png")
    clocks, other = item("a", "A photo of two clocks."), item("b", "a photo of three clocks")
    matched = match(tmp_path, [clocks, other], repeats=2)
    assert matched.layout == "geneval"
    assert list(matched.files.values()) == ["00000/samples/00000.png", "00000/samples/00001.png"]
    assert matched.surplus == ("00000/samples/00010.png",)
    assert matched.missing_items == (other.id,)
    assert {file.name: file.reason for file in matched.unknown} == {
        "00001/samples/0000.png": "no item of the suite",
        "00001/samples/cover.png": "not named like 00000/samples/0000.png",
        "00002/samples/0000.png": "no 00002/metadata.jsonl that tells the prompt",
    }


@pytest.mark.parametrize(
    ("metadata", "mentions"),
    [
        ("", "no JSON"),
        ("[]", "should be an object"),
        ('{"tag": "counting"}', "no prompt in"),
        ('{"prompt": 3}', "prompt '3': should be text"),
        ("[" * 100_000, "nested too deeply"),
        ('{"prompt": "' + "x" * 1_000_001 + '"}', "at most 1,000,000 are read"),
    ],
    ids=["empty", "list", "no prompt", "number", "deep", "large"],
)
def test_bad_metadata_are_named(metadata: str, mentions: str, tmp_path: Path) -> None:
    put_prompt(tmp_path, "00000", "x", "0000")
    (tmp_path / "00000" / "metadata.jsonl").write_text(metadata)
    with pytest.raises(BadFileError, match=r"00000/metadata\.jsonl") as error:
        FolderModel(str(tmp_path))
    assert mentions in str(error.value)
    assert len(str(error.value)) < 300


def test_metadata_and_samples_outside_the_folder_are_not_read(tmp_path: Path) -> None:
    put_prompt(tmp_path / "outside", "00000", "a secret", "0000")
    put_prompt(tmp_path / "images", "00000", "two clocks", "0000")
    put_prompt(tmp_path / "images", "00001", "two clocks")
    (tmp_path / "images" / "00001" / "samples").symlink_to(tmp_path / "outside" / "00000" / "samples")
    assert match(tmp_path / "images", [item("a", "two clocks")], repeats=2).count == 1
    metadata = tmp_path / "images" / "00000" / "metadata.jsonl"
    metadata.unlink()
    metadata.symlink_to(tmp_path / "outside" / "00000" / "metadata.jsonl")
    with pytest.raises(BadFileError, match=r"00000/metadata\.jsonl is a link that leads out of the folder") as error:
        FolderModel(str(tmp_path / "images"))
    assert "secret" not in str(error.value)


WRITTEN_AS = [
    ("Two dogs.", "Two dogs."),
    ("Two dogs.", "two dogs"),
    ("Two dogs.", "Two_dogs"),
    ("An image showing 2 dogs", "an image  showing 2 dogs"),
    ('A sign that says "3 cats"', "A sign that says 3 cats"),
    ('A sign that says "3 cats"', "A sign that says _3 cats_"),
    ("How many? 1/2 of a cake", "How many 1 2 of a cake"),
    ("How many? 1/2 of a cake", "How many- 1-2 of a cake"),
    ("a café", "a cafe\u0301"),
    ("a half-eaten apple", "a half-eaten apple"),
]


def test_a_prompt_is_found_again_in_what_became_of_it_as_a_file_name(tmp_path: Path, case: Case) -> None:
    for place, (prompt, name) in enumerate(WRITTEN_AS):
        with case(name):
            of = item("x", prompt)
            matched = match(put(tmp_path / str(place), f"{name}_000003.png"), [of, item("y", "something else")])
            assert list(matched.files) == [(of.id, 0)]
            assert matched.reworded == ()


@pytest.mark.parametrize(
    ("prompt", "name"),
    [
        ("1/2 apples", "12 apples"),
        ("2 dogs", "12 dogs"),
        ("2 dogs", "2 dogs and a cat"),
        ("two dogs", "2 dogs"),
        ("x² cats", "x2 cats"),
        ("½ cake", "1 2 cake"),
        ("③ cats", "3 cats"),
    ],
)
def test_a_file_name_never_becomes_another_number(prompt: str, name: str, tmp_path: Path) -> None:
    assert plain_of_name(name) not in plain_names(prompt)
    assert match(put(tmp_path, f"{name}_000003.png"), [item("x", prompt)]).count == 0


def test_plain_texts_differ_only_in_how_they_are_set() -> None:
    assert plain("  Two\u00a0 DOGS … ") == plain("two dogs.") != plain("two. dogs")


def test_a_prompt_to_the_letter_goes_before_one_that_is_set_otherwise(tmp_path: Path) -> None:
    upper, lower = item("a", "Two dogs"), item("b", "two dogs.")
    put(tmp_path, "two dogs._000000.png", "Two dogs_000001.png")
    assert match(tmp_path, [upper, lower]).files == {
        (upper.id, 0): "Two dogs_000001.png",
        (lower.id, 0): "two dogs._000000.png",
    }


def test_images_of_items_with_the_same_prompt_are_dealt_out_in_the_order_of_a_list(tmp_path: Path) -> None:
    items = [item("a", "Two dogs."), item("b", "Two dogs.")]
    files = [f"{number}.png" for number in (0, 1, 10, 9)]
    write_lines(put(tmp_path, *files), *({"prompt": "two dogs", "image_path": file} for file in files))
    assert match(tmp_path, items, repeats=2).files == {
        ("some/a", 0): "0.png",
        ("some/a", 1): "1.png",
        ("some/b", 0): "10.png",
        ("some/b", 1): "9.png",
    }


def test_file_names_of_the_same_prompt_are_never_dealt_out(tmp_path: Path) -> None:
    put(tmp_path, "Two dogs._000000.png", "Two dogs._000001.png")
    matched = match(tmp_path, [item("a", "Two dogs."), item("b", "Two dogs.")])
    assert (matched.count, len(matched.ambiguous)) == (0, 2)
    assert "replaced the other's as they were written" in matched.ambiguous[0].reason


@pytest.mark.parametrize(
    ("layout", "prompts", "sent"),
    [
        ("t2i-compbench", ["What? 3 cats", "What: 3 cats"], "What 3 cats"),
        ("t2i-compbench", ["two cats", "two cats."], "Two_cats"),
        ("geneval", ["two cats", "two cats."], "Two cats"),
        ("jsonl", ["two cats", "two cats."], "two  cats!"),
    ],
    ids=["left out of a name", "name", "folders", "list"],
)
def test_images_that_fit_several_prompts_are_given_to_none(
    layout: str, prompts: list[str], sent: str, tmp_path: Path
) -> None:
    if layout == "t2i-compbench":
        put(tmp_path, f"{sent}_000000.png", f"{sent}_000001.png")
    elif layout == "geneval":
        put_prompt(tmp_path, "00000", sent, "0000")
        put_prompt(tmp_path, "00001", sent, "0000")
    else:
        files = ["x.png", "y.png"]
        write_lines(put(tmp_path, *files), *({"prompt": sent, "image_path": file} for file in files))
    matched = match(tmp_path, [item(str(number), prompt) for number, prompt in enumerate(prompts)])
    assert (matched.layout, matched.count) == (layout, 0)
    reason = "2 images for the 2 items some/0, some/1, whose prompts are not the same to the letter"
    assert [file.reason for file in matched.ambiguous] == [reason] * 2


def test_samples_of_one_folder_are_not_dealt_out_to_two_items(tmp_path: Path) -> None:
    put_prompt(tmp_path, "00000", "Two dogs.", "0000", "0001")
    matched = match(tmp_path, [item("a", "Two dogs."), item("b", "Two dogs.")])
    assert matched.count == 0
    assert matched.ambiguous[0].reason == "2 images for the 2 items some/a, some/b, in 1 folders"


def test_a_folder_each_is_dealt_out_even_if_one_has_fewer_samples(tmp_path: Path) -> None:
    put_prompt(tmp_path, "00004", "Two dogs.", "0000")
    put_prompt(tmp_path, "00009", "Two dogs.", "0000", "0001")
    matched = match(tmp_path, [item("a", "Two dogs."), item("b", "Two dogs.")], repeats=2)
    assert matched.files == {
        ("some/a", 0): "00004/samples/0000.png",
        ("some/b", 0): "00009/samples/0000.png",
        ("some/b", 1): "00009/samples/0001.png",
    }


def test_images_that_cannot_be_dealt_out_are_named_and_not_given(tmp_path: Path) -> None:
    items = [item("a", "Two dogs."), item("b", "Two dogs.")]
    folder = FolderModel(str(put(tmp_path, *(f"Two dogs._{number:06d}.png" for number in range(3)))))
    matched = folder.match(items, 2)
    assert (matched.count, len(matched.ambiguous), matched.unknown) == (0, 3, ())
    assert "3 images for the 2 items some/a, some/b" in matched.ambiguous[0].reason
    assert isinstance(respond(folder, items[0]).content, Failed)


@pytest.mark.parametrize("alias", ["b.png", "./b.png", "far/../b.png", "link.png", "below/b.png", "B.png"])
def test_a_file_that_is_listed_twice_for_an_item_counts_once(alias: str, tmp_path: Path) -> None:
    put(tmp_path, "b.png", "c.png", "far/c.png")
    (tmp_path / "link.png").symlink_to("b.png")
    (tmp_path / "below").symlink_to(".")
    if not (tmp_path / "B.png").exists():
        os.link(tmp_path / "b.png", tmp_path / "B.png")
    write_lines(tmp_path, *({"id": "a", "image_path": path} for path in ("b.png", alias, "c.png", "far/c.png")))
    matched = match(tmp_path, [item("a")], repeats=4)
    assert list(matched.files.values()) == ["b.png", "c.png", "far/c.png"]
    assert [file.reason for file in matched.duplicates] == ["line 2 is the same file as line 1"]
    assert alias.rpartition("/")[2] not in names(matched.unknown)


def test_a_missing_file_that_is_listed_twice_counts_once(tmp_path: Path) -> None:
    write_lines(tmp_path, *({"id": "a", "image_path": "gone.png"} for _ in range(2)))
    matched = match(tmp_path, [item("a")], repeats=2)
    assert (matched.count, names(matched.duplicates), names(matched.faulty)) == (1, ["gone.png"], ["gone.png"])


def test_a_file_may_be_listed_for_two_items_and_equal_files_may_share_their_bytes(tmp_path: Path) -> None:
    put(tmp_path, "black.png")
    os.link(tmp_path / "black.png", tmp_path / "also black.png")
    lines = [("a", "black.png"), ("b", "black.png"), ("a", "also black.png")]
    write_lines(tmp_path, *({"id": key, "image_path": path} for key, path in lines))
    matched = match(tmp_path, [item("a"), item("b")], repeats=2)
    assert (matched.count, matched.duplicates) == (3, ())


def test_a_file_that_is_listed_twice_is_not_dealt_out_to_two_items(tmp_path: Path) -> None:
    write_lines(put(tmp_path, "x.png"), *({"prompt": "Two dogs.", "image_path": "x.png"} for _ in range(2)))
    matched = match(tmp_path, [item("a", "Two dogs."), item("b", "Two dogs.")])
    assert (matched.count, names(matched.ambiguous), names(matched.duplicates)) == (0, ["x.png"], ["x.png"])


@pytest.mark.parametrize("prompt", ["three cats", "Three cats."], ids=["to the letter", "set otherwise"])
def test_an_id_and_a_prompt_of_different_items_are_given_to_neither(prompt: str, tmp_path: Path) -> None:
    items = [item("a", "two cats"), item("b", "three cats")]
    write_lines(put(tmp_path, "x.png"), {"id": "a", "prompt": prompt, "image_path": "x.png"})
    matched = match(tmp_path, items)
    assert (matched.count, matched.unknown) == (0, ())
    assert [(file.name, file.reason) for file in matched.ambiguous] == [
        ("x.png", "its id names some/a, its prompt some/b")
    ]


def test_an_id_tells_items_with_the_same_prompt_apart_and_a_prompt_those_with_the_same_key(tmp_path: Path) -> None:
    items = [item("a", "two cats"), item("b", "two cats"), Item("other/a", Draw("two dogs"), (), {})]
    write_lines(
        put(tmp_path, "x.png", "y.png"),
        {"id": "b", "prompt": "two cats", "image_path": "x.png"},
        {"id": "a", "prompt": "two dogs", "image_path": "y.png"},
    )
    matched = match(tmp_path, items)
    assert matched.files == {("some/b", 0): "x.png", ("other/a", 0): "y.png"}
    assert matched.ambiguous == ()


def test_a_listing_names_items_by_id_by_key_or_by_prompt(tmp_path: Path) -> None:
    items = [item("a/1", "one"), item("a/2", "two"), item("a/3", "three")]
    put(tmp_path, "x.png", "below/y.png", "z.png", "more.png", "apples_3_0.png", "unlisted.png")
    write_lines(
        tmp_path,
        {"id": "some/a/1", "image_path": "x.png"},
        {"id": "a/2", "prompt": "zwei", "image_path": "below/y.png", "width": 512},
        "",
        {"id": "17", "prompt": "Three.", "image_path": "z.png"},
        {"prompt": "three", "image_path": "more.png"},
        {"prompt": "four", "image_path": str(tmp_path / "apples_3_0.png")},
    )
    for path in (tmp_path, tmp_path / "images.jsonl"):
        matched = match(path, items, repeats=2)
        assert matched.layout == "jsonl"
        assert matched.files == {
            ("some/a/1", 0): "x.png",
            ("some/a/2", 0): "below/y.png",
            ("some/a/3", 0): "z.png",
            ("some/a/3", 1): "more.png",
        }
        assert [(file.name, file.reason) for file in matched.reworded] == [("below/y.png", "zwei")]
        assert names(matched.unknown) == [str(tmp_path / "apples_3_0.png"), "unlisted.png"]


BAD_LINES: list[tuple[object, str]] = [
    ("{", "no JSON at column 2"),
    ("[1]", "should be an object"),
    ("[" * 100_000, "nested too deeply"),
    ({"id": "a"}, "no image_path in"),
    ({"image_path": "x.png"}, "no id or prompt in"),
    ({"image_path": "", "id": "a"}, "image_path ''"),
    ({"image_path": 3, "id": "a"}, "image_path '3'"),
    ({"image_path": "x\0.png", "id": "a"}, "without NUL"),
    ({"image_path": "x.png", "prompt": "\ud800"}, "half characters"),
    ({"image_path": "../x.png", "id": "a"}, "leads out of the file's folder"),
    ({"image_path": "out/x.png", "id": "a"}, "leads out of the file's folder"),
]


def test_a_bad_line_is_named_with_its_file_and_number(tmp_path: Path, case: Case) -> None:
    outside = put(tmp_path / "outside", "x.png")
    write_lines(tmp_path / "list")
    (tmp_path / "list" / "out").symlink_to(outside)
    for line, mentions in BAD_LINES:
        with case(mentions):
            listing = write_lines(tmp_path / "list", {"id": "a", "image_path": "x.png"}, line)
            with pytest.raises(BadFileError, match=r"images\.jsonl line 2: ") as error:
                FolderModel(str(listing))
            assert mentions in str(error.value)
            assert len(str(error.value)) < 300


def test_a_listing_that_is_no_text_or_too_large_or_empty_is_named(tmp_path: Path) -> None:
    listing = tmp_path / "images.jsonl"
    for content, mentions in ((b"{}\n\xff", "line 2: not UTF-8"), (b"\n", "lists no images")):
        listing.write_bytes(content)
        with pytest.raises(BadFileError, match=mentions):
            FolderModel(str(listing))
    os.truncate(listing, 64_000_001)
    with pytest.raises(BadFileError, match="at most 64,000,000 are read"):
        FolderModel(str(listing))


def test_a_log_beside_the_images_is_no_listing(tmp_path: Path) -> None:
    write_lines(tmp_path, {"step": 1})
    assert match(put(tmp_path, "apples_3_0.png"), [item("apples/3")]).layout == "items"


def test_images_beside_a_listing_that_it_does_not_explain_are_another_layout(tmp_path: Path) -> None:
    put(tmp_path, "x.png", "geckonum_00012_0.png")
    write_lines(tmp_path, {"id": "a", "image_path": "x.png"})
    with pytest.raises(BadFileError, match=r"2 layouts: geckonum .*, jsonl \('images\.jsonl'\)"):
        FolderModel(str(tmp_path))


def test_whatever_lies_in_a_folder_nothing_is_followed_and_nothing_breaks(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", "apples_1_0.png")
    folder = put(
        tmp_path / "images",
        "apples_3_0.png", ".apples_4_0.png", "._apples_3_0.png", "__MACOSX/apples_4_0.png", "below/apples_4_0.png",
        "'; DROP TABLE items; --_0.png", "..apples_4_0.png", "äpfel\u202e\x1b[31m_0.png", '"quoted"_1.png',
        f"{'x' * 240}_1.png", "%s{0}_1.png", "\n_1.png",
    )  # fmt: skip
    (folder / "apples_1_0.png").symlink_to(outside / "apples_1_0.png")
    (folder / "apples_2_0.png").symlink_to(folder / "apples_3_0.png")
    (folder / "apples_5_0.png").mkdir()
    (folder / "apples_6_0.png").write_bytes(b"")
    (folder / "apples_7_0.png").write_text("I am text")
    (folder / "apples_8_0.png").symlink_to(folder / "apples_8_0.png")
    os.mkfifo(folder / "apples_9_0.png")
    with open(os.fsencode(folder) + b"/\xff_1.png", "wb") as file:
        file.write(png())
    items = [item(f"apples/{number}") for number in range(1, 10)]
    model = FolderModel(str(folder))
    matched = model.match(items, 1)
    assert [key.rpartition("/")[2] for key, _ in matched.files] == ["2", "3", "6", "7"]
    left = {file.name: file.reason for file in matched.unknown}
    assert left["apples_1_0.png"] == "a link that leads out of the folder"
    assert {left[f"apples_{number}_0.png"] for number in (5, 8, 9)} == {"no file"}
    assert "\\xff_1.png" in left
    assert len(left) == 4 + 7
    assert [(file.name, "0 bytes" in file.reason) for file in matched.faulty] == [("apples_6_0.png", True)]
    assert all(line.isprintable() and len(line) < 500 for line in matched.lines())
    for one in items:
        content = respond(model, one).content
        assert isinstance(content, Pixels) == (one.id[-1] in "237")


def test_an_image_of_too_many_bytes_is_not_read(tmp_path: Path) -> None:
    put(tmp_path, "apples_3_0.png")
    os.truncate(tmp_path / "apples_3_0.png", LARGEST_FILE_BYTES + 1)
    folder = FolderModel(str(tmp_path))
    assert names(folder.match([item("apples/3")], 1).faulty) == ["apples_3_0.png"]
    content = respond(folder, item("apples/3")).content
    assert isinstance(content, Failed)
    assert "apples_3_0.png: 256,000,001 bytes are too many" in content.reason


def test_a_listed_image_that_is_not_there_is_faulty_and_its_place_is_kept(tmp_path: Path) -> None:
    long = f"{'x' * 300}.png"
    write_lines(
        put(tmp_path, "y.png"),
        *({"id": "a", "image_path": path} for path in ("gone.png", "y.png", long)),
    )
    folder = FolderModel(str(tmp_path))
    matched = folder.match([item("a")], 3)
    assert names(matched.faulty) == ["gone.png", long]
    assert matched.files["some/a", 1] == "y.png"
    assert isinstance(respond(folder, item("a"), 2).content, Failed)


def test_a_response_tells_file_and_seed_and_asked_again_is_the_same(tmp_path: Path) -> None:
    put(tmp_path, "3_4_apples_17.png", "3_5_apples_new2.png")
    folder, of = FolderModel(str(tmp_path)), item("apples/3")
    folder.match([of], 2)
    first, again, second = respond(folder, of), respond(folder, of, attempt=1), respond(folder, of, repeat=1)
    assert first == again
    told = {"file": "3_4_apples_17.png", "seed_in_name": 17, "count_in_name": "4", "layout": "numbersense"}
    assert first.provenance.parameters == told
    assert second.provenance.parameters["seed_in_name"] == "new2"
    assert first.provenance.prompt_sent == "An image with 3 apples"


def test_the_prompt_that_a_listing_tells_is_the_one_that_was_sent(tmp_path: Path) -> None:
    write_lines(put(tmp_path, "x.png"), {"id": "a", "prompt": "Drei Äpfel", "image_path": "x.png"})
    assert respond(FolderModel(str(tmp_path)), item("a")).provenance.prompt_sent == "Drei Äpfel"


@pytest.mark.parametrize("name", ["geckonum_00012_4.png", "Two dogs_000004.png", "geckonum_00012_0.gif"])
def test_an_image_is_found_without_matching_first(name: str, tmp_path: Path) -> None:
    folder, of = FolderModel(str(put(tmp_path, name))), item("geckonum_00012", "two dogs.")
    assert isinstance(respond(folder, of).content, Pixels)
    missing = respond(folder, of, repeat=1).content
    assert isinstance(missing, Failed)
    assert missing.is_transient
    assert "has 1 images in the folder, none for repeat 1" in missing.reason


def test_the_report_says_what_matched_what_is_missing_and_what_is_unknown(tmp_path: Path) -> None:
    put(tmp_path, *(f"3_{count}_apples_{count}.png" for count in range(2, 6)), "9_1_cars_0.png", "cover.png")
    matched = match(tmp_path, [item("apples/3"), item("apples/4")], repeats=2)
    assert matched.lines() == [
        "layout numbersense: 2 of 4 images found",
        "missing: 2 (some/apples/4 repeat 0, some/apples/4 repeat 1); 1 item without any",
        "unknown, left alone: 2 (9_1_cars_0.png: no item of the suite, cover.png: not named like 3_4_apples_17.png)",
        "more than the repeats, left alone: 2 (3_4_apples_4.png, 3_5_apples_5.png)",
        "with a count in the name: 2",
    ]
    assert str(matched) == "\n".join(matched.lines())


def test_items_that_are_not_drawn_are_not_looked_for(tmp_path: Path) -> None:
    naming = next(make_suite("naming:images=1,numbers=3,categories=apples").obj.items(0))
    matched = match(put(tmp_path, "apples_3_0.png"), [item("apples/3"), replace(naming)])
    assert (matched.count, matched.missing) == (1, ())


def test_the_layout_is_part_of_what_the_model_is(tmp_path: Path) -> None:
    put(tmp_path, "apples_3_0.png")
    assert make_model(f"folder:{tmp_path}").spec.options == {"path": str(tmp_path), "layout": "auto"}
    assert make_model(f"folder:{tmp_path},layout=items").spec.text == f"folder:{tmp_path},layout=items"
    with pytest.raises(UnknownNameError, match="no layout named 'x'"):
        FolderModel(str(tmp_path), layout="x")


@pytest.mark.parametrize(
    "layout", ["items", "geckonum", "numbersense", "geneval", "t2i-compbench", "jsonl"], ids=lambda layout: str(layout)
)
def test_a_run_stores_the_images_of_every_layout(layout: str, tmp_path: Path) -> None:
    images, suite = tmp_path / "images", "production:categories=apples,numbers=3"
    place = {
        "items": "apples_3_0.png",
        "geckonum": "geckonum_00020_3.png",
        "numbersense": "3_3_apples_8.png",
        "geneval": "00000/samples/0000.png",
        "t2i-compbench": "an_image_with_3_apples_000000.png",
        "jsonl": "x.png",
    }[layout]
    put(images, place)
    (images / place).write_bytes(render(Stimulus("apples", 3, 1, 256)).png)
    if layout == "geckonum":
        suite = "geckonum:types=numeric_simple,numbers=3"
        (images / place).rename(images / f"{next(iter(sample_of(make_suite(suite), 0))).id.partition('/')[2]}_3.png")
    if layout == "geneval":
        (images / "00000" / "metadata.jsonl").write_text('{"prompt": "An image with 3 apples"}')
    if layout == "jsonl":
        write_lines(images, {"prompt": "an image with 3 apples", "image_path": "x.png"})
    out = tmp_path / "run"
    command = ["run", suite, "--model", f"folder:{images}", "--repeats", 1, "--limit", 1, "--judge", "none"]
    finished = call(*command, "--out", out)
    assert finished.code == 0, finished.err
    with Run(RunFolder(out)) as run:
        (stored,) = run.responses()
    assert stored.response.outcome.kind == "drawn"
    assert stored.response.provenance.parameters["layout"] == layout


def test_a_run_names_the_files_that_are_no_images_and_keeps_the_others(tmp_path: Path) -> None:
    images = put(tmp_path / "images", "3_3_apples_0.png")
    (images / "4_4_apples_0.png").write_text("I am text")
    (images / "5_5_apples_0.png").write_bytes(b"")
    out = tmp_path / "run"
    suite = "production:categories=apples,numbers=3-5"
    command = ["run", suite, "--model", f"folder:{images}", "--repeats", 1, "--judge", "none", "--out", out]
    finished = call(*command)
    assert finished.code == 2
    for mention in ("4_4_apples_0.png: not a PNG", "5_5_apples_0.png: the image is empty (0 bytes)"):
        assert mention in finished.err
    put(images, "4_4_apples_0.png", "5_5_apples_0.png")
    assert call(*command).code == 0


@pytest.mark.parametrize("layout", ["auto", "numbersense"])
def test_each_folder_is_gone_through_once(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "3_3_apples_0.png", "apples/3_4_apples_1.png", "people/3_4_people_1.png", "00000/samples/0000.png")
    scan, seen = os.scandir, []

    def scan_and_note(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        seen.append(os.path.relpath(path, tmp_path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_and_note)
    assert FolderModel(str(tmp_path), layout=layout).match([item("apples/3")], 2).count == 2
    assert sorted(seen) == sorted({".", "apples", "people", "00000"})
