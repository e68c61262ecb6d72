"""The prompts of GeckoNum are those of its release, or drawn as they were; a bad file is refused with its line."""

import csv
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import BadFileError
from subitize.language.scene import Comparison, Entity, Halves, Pieces, Relation, Scene
from subitize.papers.geckonum.prompts import (
    COLUMNS,
    TYPES,
    Prompt,
    design,
    find_faults,
    fresh_prompts,
    plain_entities,
    read_prompts,
    scene_of,
    spell_entities,
)
from tests.cases import Case

SAMPLED = ("2-additive", "3-additive", "2-additive-color", "attribute-spatial")
PER_TYPE = {
    "numeric_simple": 600,
    "2-additive": 100,
    "3-additive": 100,
    "approx-2-entity": 45,
    "approx-1-entity": 24,
    "numeric_sentence": 100,
    "fractional-simple": 36,
    "part-whole": 15,
    "fractional-complex": 6,
    "attribute-color": 160,
    "2-additive-color": 100,
    "attribute-spatial": 100,
}


def test_986_prompts_are_those_of_the_release_in_every_column(shared_data: Path) -> None:
    with (shared_data / "geckonum" / "prompts.csv").open(encoding="utf-8", newline="") as file:
        released = [tuple(row.values()) for row in csv.DictReader(file)]
    ours = [row(prompt) for prompt in design(0)]
    same = [place for place, one in enumerate(ours) if one == released[place]]
    assert len(ours) == len(released) == 1386
    assert [place for place, one in enumerate(released) if one[5] not in SAMPLED] == same
    assert len(same) == 986


def row(prompt: Prompt) -> tuple[str, ...]:
    frequent = "-1" if prompt.is_frequent is None else str(int(prompt.is_frequent))
    numeral = str(int(prompt.has_numeral))
    return (str(prompt.index), prompt.text, numeral, frequent, prompt.entities, prompt.type, prompt.id)


def test_the_official_file_is_read_as_it_is(shared_data: Path) -> None:
    prompts = read_prompts(shared_data / "geckonum" / "prompts.csv")
    assert Counter(prompt.type for prompt in prompts) == PER_TYPE
    fixed = [prompt for prompt in prompts if prompt.type not in SAMPLED]
    assert fixed == [prompt for prompt in design(0) if prompt.type not in SAMPLED]


def test_the_text_of_every_prompt_says_what_its_entities_name() -> None:
    check_texts(design(0))


def check_texts(prompts: tuple[Prompt, ...]) -> None:
    spelled = {one: spell_entities(one.type, scene_of(one), one.text) for one in prompts}
    assert [one for one, entities in spelled.items() if entities != plain_entities(one.entities)] == []


def test_the_text_of_every_released_prompt_says_what_its_entities_name(shared_data: Path) -> None:
    check_texts(read_prompts(shared_data / "geckonum" / "prompts.csv"))


def test_a_sampled_text_with_other_entities_is_refused(tmp_path: Path) -> None:
    for prompt in design(3):
        if prompt.type in SAMPLED:
            other = re.sub(r"\d+", lambda found: f"{int(found[0]) + 1}", prompt.entities)
            assert [*find_faults(prompt)] == []
            assert [*find_faults(replace(prompt, entities=other))] == [
                f"entities {other!r} of {prompt.text!r} should be {plain_entities(prompt.entities)!r}"
            ]


def test_types_come_in_the_order_and_the_numbers_of_the_release() -> None:
    prompts = design(0)
    assert Counter(prompt.type for prompt in prompts) == PER_TYPE
    assert list(dict.fromkeys(prompt.type for prompt in prompts)) == list(TYPES) == list(PER_TYPE)


def test_another_seed_draws_other_samples_and_leaves_the_rest() -> None:
    for one, other in zip(design(1), design(2), strict=True):
        assert one.id == other.id
        assert one.type in SAMPLED or one == other
    drawn = [{prompt.text for prompt in design(seed) if prompt.type in SAMPLED} for seed in (1, 2)]
    assert len(drawn[0] & drawn[1]) < 20
    assert design(1) == design(1)


def test_samples_are_all_different_and_of_the_releases_ranges() -> None:
    for type, highest in zip(SAMPLED, (5, 5, 4, 5), strict=True):
        prompts = [prompt for prompt in design(0) if prompt.type == type]
        scenes = [scene_of(prompt) for prompt in prompts]
        assert len({prompt.text for prompt in prompts}) == 100
        assert {entity.number for scene in scenes for entity in scene.entities} == set(range(1, highest + 1))
        things = [{(entity.noun, entity.colour) for entity in scene.entities} for scene in scenes]
        assert {len(own) for own in things} == {3 if type == "3-additive" else 2}
        assert 10 <= sum(not prompt.has_numeral for prompt in prompts) <= 40


def test_a_noun_may_come_in_two_colours_but_not_on_both_sides_of_a_relation() -> None:
    scenes = {type: [scene_of(p) for p in design(0) if p.type == type] for type in SAMPLED}
    same = {type: sum(one.entities[0].noun == one.entities[1].noun for one in own) for type, own in scenes.items()}
    assert same["2-additive-color"] > 0
    assert sum(same.values()) == same["2-additive-color"]
    assert {one.relations[0].word for one in scenes["attribute-spatial"]} == {"above", "below", "left of", "right of"}


SCENES = [
    (0, Scene((Entity("dog", 1),))),
    (
        800,
        Scene((Entity("kangaroo", "some"), Entity("crib", "some")), comparisons=(Comparison(0, "fewer", 1),)),
    ),
    (846, Scene((Entity("flower", "many"), Entity("vase", 1)), (Relation(0, "in", 1),))),
    (868, Scene((Entity("rice grain", 0), Entity("table", 1)), (Relation(0, "on", 1),))),
    (970, Scene((Entity("loaf", 1, form=Pieces(4, (1, 1, 1, 1))),))),
    (1005, Scene((Entity("fork", 1, form=Pieces(2)),))),
    (1007, Scene((Entity("fork", 2), Entity("fork", 1, form=Pieces(2))))),
    (1020, Scene((Entity("pencil", 1, form=Pieces(2, (1, 2))),))),
    (1025, Scene((Entity("banana", 1, form=Halves(("orange", "black"))),))),
    (1026, Scene((Entity("apple", 1, "black"),))),
]


def test_a_prompts_scene_follows_from_its_columns(case: Case) -> None:
    prompts = design(0)
    for index, scene in SCENES:
        with case(index):
            assert scene_of(prompts[index]) == scene


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.proof("subitize.papers.geckonum")) for seed in (2, 3))]
)
def test_fresh_prompts_have_the_same_design_and_share_no_text_with_the_official_ones(seed: int) -> None:
    prompts = fresh_prompts(seed)
    assert Counter(prompt.type for prompt in prompts) == PER_TYPE
    assert {prompt.text for prompt in prompts}.isdisjoint(prompt.text for prompt in design(0))
    simple = Counter(prompt.is_frequent for prompt in prompts if prompt.type == "numeric_simple")
    assert simple == Counter(prompt.is_frequent for prompt in design(0) if prompt.type == "numeric_simple")
    check_texts(prompts)


def test_fresh_prompts_share_no_text_with_the_released_file(shared_data: Path) -> None:
    released = {prompt.text for prompt in read_prompts(shared_data / "geckonum" / "prompts.csv")}
    for seed in range(1, 6):
        assert released.isdisjoint(prompt.text for prompt in fresh_prompts(seed))


def test_fresh_prompts_of_another_seed_are_others_and_have_other_ids() -> None:
    one, other = fresh_prompts(1), fresh_prompts(2)
    assert one == fresh_prompts(1)
    assert one[0].id == "fresh1_00000"
    assert {prompt.id for prompt in one}.isdisjoint(prompt.id for prompt in other)
    assert len({prompt.text for prompt in one} & {prompt.text for prompt in other}) < 600


HEADER = ",".join(COLUMNS)
DOG = "0,2 dogs.,0,1,dog:2,numeric_simple,geckonum_00000"
GOOD = [
    DOG,
    '1,Two dogs and 3 cats.,1,-1,"dog:2,cat:3",2-additive,geckonum_00001',
    '2,An image of a vase. There are no flowers in the vase.,0,-1,"flower:no,vase:1",approx-1-entity,geckonum_00002',
]


def write(path: Path, *rows: str, header: str = HEADER) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_shorter_file_of_the_same_columns_is_read(tmp_path: Path) -> None:
    prompts = read_prompts(write(tmp_path / "prompts.csv", *GOOD))
    assert prompts[0] == Prompt(0, "2 dogs.", False, True, "dog:2", "numeric_simple", "geckonum_00000")
    assert prompts[1].is_frequent is None
    assert len(prompts) == 3


WRONG: list[tuple[list[str], str]] = [
    (
        [*GOOD, "3,2 cats.,0,1,dog:two,numeric_simple,geckonum_00003"],
        "line 5: entities 'dog:two' of '2 cats.' should be 'cat:2'",
    ),
    (["0,2 dogs.,0,1,dog,numeric_simple,geckonum_00000"], "line 2: entities 'dog' of '2 dogs.' should be 'dog:2'"),
    (["0,2 dogs.,0,1,:2,numeric_simple,geckonum_00000"], "line 2: entities ':2' of '2 dogs.' should be 'dog:2'"),
    (["0,12 dogs.,0,1,dog:²,numeric_simple,geckonum_00000"], "entities 'dog:²' of '12 dogs.' should be 'dog:12'"),
    ([DOG, DOG], "line 3: geckonum_00000 stands in line 2 already"),
    (
        ["0,2 dogs.,0,1,dog:2,numeric,geckonum_00000"],
        "line 2: no prompt_type named 'numeric'; known: numeric_simple",
    ),
    (["0,2 dogs.,0,1,dog:2"], "line 2: 5 columns instead of 7; the file may be cut off"),
    (
        ["0,2 dogs.,0,1,dog:2,numeric_simple,geckonum_000"],
        "line 2: dataset_id 'geckonum_000': should be geckonum_00000",
    ),
    (["x,2 dogs.,0,1,dog:2,numeric_simple,geckonum_00000"], "line 2: index 'x': should be digits"),
    (["0,2 dogs.,2,1,dog:2,numeric_simple,geckonum_00000"], "line 2: has_numeral '2': should be 0 or 1"),
    (["0,2 dogs.,0,yes,dog:2,numeric_simple,geckonum_00000"], "line 2: is_frequent 'yes': should be -1, 0 or 1"),
    (
        ["0,13 dogs.,0,1,dog:12,numeric_simple,geckonum_00000"],
        "line 2: entities 'dog:12' of '13 dogs.' should be 'dog:13'",
    ),
    (
        ["0,3 dogs.,0,1,dog:2,numeric_simple,geckonum_00000"],
        "line 2: entities 'dog:2' of '3 dogs.' should be 'dog:3'",
    ),
    (
        ["0,3 dogs.,1,1,dog:3,numeric_simple,geckonum_00000"],
        "line 2: has_numeral '1' of '3 dogs.' should be '0'",
    ),
    (
        ["0,3 dogs.,0,0,dog:3,numeric_simple,geckonum_00000"],
        "line 2: is_frequent '0' of '3 dogs.' should be '1'",
    ),
    (
        ["0,3 dogs.,0,1,dog:3,numeric_sentence,geckonum_00000"],
        "line 2: prompt_type 'numeric_sentence' of '3 dogs.' should be 'numeric_simple'",
    ),
    (
        ["0,Some blorple.,0,1,dog:2,numeric_simple,geckonum_00000"],
        "line 2: prompt 'Some blorple.' is not understood",
    ),
    (['0,2 dogs.,0,-1,"dog:fewer,cat:2",approx-2-entity,geckonum_00000'], "of '2 dogs.' should be 'dog:2'"),
    (
        ['0,An image of a cup. There are few dogs in the cup.,0,-1,"dog:some,cup:1",approx-1-entity,geckonum_00000'],
        "should be 'dog:few,cup:1'",
    ),
    (['0,12 dogs.,0,-1,"dog:12",approx-1-entity,geckonum_00000'], "'approx-1-entity' does not suit '12 dogs.'"),
    (
        ["0,A pie cut into bits.,0,-1,pie:bits,fractional-simple,geckonum_00000"],
        "prompt 'A pie cut into bits.' is not understood",
    ),
    (["0,No forks.,0,-1,fork:0,part-whole,geckonum_00000"], "prompt_type 'part-whole' does not suit 'No forks.'"),
    (["0,2 dogs.,0,-1,dog:2,attribute-color,geckonum_00000"], "prompt_type 'attribute-color' of '2 dogs.' should be"),
    (
        ['0,2 dogs near 2 cats.,0,-1,"dog:2,cat:2",attribute-spatial,geckonum_00000'],
        "'2 dogs near 2 cats.' is not understood",
    ),
    ([], "no prompts; the official file has a row for each"),
]


def test_a_wrong_row_is_refused_with_its_line(tmp_path: Path, case: Case) -> None:
    for rows, message in WRONG:
        with case(message):
            with pytest.raises(BadFileError) as caught:
                read_prompts(write(tmp_path / "prompts.csv", *rows))
            assert str(caught.value).startswith("prompts.csv")
            assert message in str(caught.value)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("<!DOCTYPE html>", "line 1: a web page, not CSV; download the file itself"),
        ("index,prompt,entities", "line 1: no column 'has_numeral'; should have index, prompt"),
        (",".join(reversed(COLUMNS)), "line 1: columns dataset_id, prompt_type"),
        ("", "line 1: no column 'index'"),
    ],
)
def test_another_kind_of_file_is_refused(tmp_path: Path, header: str, message: str) -> None:
    with pytest.raises(BadFileError, match=message):
        read_prompts(write(tmp_path / "prompts.csv", header=header))


def test_a_file_that_is_not_there_or_not_utf_8_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="cannot read"):
        read_prompts(tmp_path / "prompts.csv")
    (tmp_path / "prompts.csv").write_bytes(f"{HEADER}\n0,Zwei Gänse".encode("latin-1"))
    with pytest.raises(BadFileError, match=r"prompts\.csv line 2: not UTF-8"):
        read_prompts(tmp_path / "prompts.csv")


def test_the_released_file_cut_anywhere_is_refused_or_ends_with_a_whole_row(shared_data: Path, tmp_path: Path) -> None:
    whole = (shared_data / "geckonum" / "prompts.csv").read_text(encoding="utf-8")
    for end in range(len(whole) // 20, len(whole) // 20 + 70):
        path = tmp_path / "prompts.csv"
        path.write_text(whole[:end], encoding="utf-8")
        last = whole[:end].rstrip("\n").rpartition("\n")[2]
        if f"\n{last}\n" in whole:
            assert read_prompts(path)
            continue
        with pytest.raises(BadFileError, match=r"prompts\.csv line \d+"):
            read_prompts(path)
