"""The suite of T2ICountBench's prompts: 525 of them, as the paper words them, and a user's own beside them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from subitize.errors import BadFileError, BadValueError, UnknownNameError
from subitize.papers.t2icountbench import PAPER
from subitize.papers.t2icountbench.suite import OBJECTS, SCENES, STYLES, T2ICountBench, order_cells
from subitize.records import Ask, Count, Item, MatchesPrompt, Scalar, task_text
from subitize.registry import make_suite
from subitize.report.compose import references
from subitize.stimuli.glyphs import GLYPHS
from tests.cases import Case
from tests.commands import call

ITEMS = {item.id: item for item in T2ICountBench().items(0)}
OWN = """
numbers = [3, 20]

[objects.pear]
category = "fruit"
singular = "pear"

[objects.wolf]
category = "animal"
singular = "grey wolf"
plural = "grey wolves"
noun = "dog"

[scenes.beach]
default = "on a sandy beach"
apple = "in a basket on a sandy beach"

[scenes.home]
wolf = "on a carpet"

[styles]
oil = "as an oil painting"
"""


def items(spec: str) -> dict[str, Item]:
    return {item.id.removeprefix("t2icountbench/"): item for item in make_suite(spec).obj.items(0)}


def prompts(spec: str) -> dict[str, str]:
    return {id: task_text(item.task) for id, item in items(spec).items()}


def write(folder: Path, content: str) -> Path:
    path = folder / "own.toml"
    path.write_text(content, encoding="utf-8")
    return path


def count(items: Iterable[Item], *factors: str) -> Counter[tuple[Scalar, ...]]:
    return Counter(tuple(item.factors[factor] for factor in factors) for item in items)


@pytest.mark.parametrize(
    ("factors", "levels", "of_each"),
    [
        (("object",), 7, 75),
        (("number",), 15, 35),
        (("scene", "style"), 5, 105),
        (("difficulty",), 3, 175),
        (("object", "scene", "style", "number"), 525, 1),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, tuple) else "",
)
def test_525_is_15_numbers_of_7_objects_in_5_conditions(factors: tuple[str, ...], levels: int, of_each: int) -> None:
    counts = count(ITEMS.values(), *factors)
    assert len(ITEMS) == 525
    assert (len(counts), set(counts.values())) == (levels, {of_each})


def test_scenes_vary_in_plain_style_and_styles_at_home() -> None:
    assert set(count(ITEMS.values(), "scene", "style")) == {
        ("home", "plain"),
        ("nature", "plain"),
        ("city", "plain"),
        ("home", "watercolor"),
        ("home", "cartoon"),
    }


def test_fruit_has_two_objects_and_the_other_five_categories_one() -> None:
    assert {category: times for (category,), times in count(ITEMS.values(), "category").items()} == {
        "fruit": 150,
        "human": 75,
        "animal": 75,
        "shape": 75,
        "furniture": 75,
        "plant": 75,
    }


def test_no_two_prompts_are_the_same() -> None:
    assert len({task_text(item.task) for item in ITEMS.values()}) == 525


# What a caption leaves out or words otherwise, and what the item has for it; the card lists these.
DIFFERENCES = {
    "the wooden floor": "a wooden floor",
    "on earthy surface": "on the earthy surface",
    "generate an image with ": "Generate ",
}
# Every prompt that the paper prints and does not refine, with the item that it is.
PRINTED = [
    ("intro", "generate an image with 7 apples on a wooden table", "apple/home/plain/7"),
    ("3.2", "Generate 13 chairs on a wooden floor in a watercolor style.", "chair/home/watercolor/13"),
    ("5.1", "12 watermelons on a wooden table in a cartoon style", "watermelon/home/cartoon/12"),
    ("figures 6 and 11", "15 trees in a valley", "plant/nature/plain/15"),
    ("figure 7", "5 watermelons on a wooden table in a watercolor style", "watermelon/home/watercolor/5"),
    ("figure 7", "A flower pot with 5 flowers on a wooden table", "plant/home/plain/5"),
    ("figure 7", "2 humans on a wooden floor", "human/home/plain/2"),
    ("figure 7", "4 cats in a temperate grassland", "cat/nature/plain/4"),
    ("figure 7", "3 triangles on earthy surface", "triangle/nature/plain/3"),
    ("figure 7", "5 chairs on the wooden floor", "chair/home/plain/5"),
    ("figures 2 and 8", "1 apple on an apple tree in a city garden", "apple/city/plain/1"),
    ("figures 2 and 8", "4 triangles on a painting on a wall in a cartoon style", "triangle/home/cartoon/4"),
    ("figures 2 and 8", "9 humans in a city central business district", "human/city/plain/9"),
    ("figures 2 and 8", "9 chairs in a garden", "chair/nature/plain/9"),
    ("figures 2 and 8", "13 trees in a valley", "plant/nature/plain/13"),
    ("figures 2 and 8", "15 cats in an office", "cat/city/plain/15"),
    ("figure 9", "9 chairs on the wooden floor", "chair/home/plain/9"),
    ("figure 9", "5 watermelons on a wooden table", "watermelon/home/plain/5"),
    ("figure 9", "9 human travelers in a valley", "human/nature/plain/9"),
    ("figure 9", "11 triangles on the earthy surface", "triangle/nature/plain/11"),
    ("figure 9", "7 chairs in a bus station", "chair/city/plain/7"),
    ("figure 9", "8 trees alongside a city's main road", "plant/city/plain/8"),
    ("figure 10", "1 apple on an apple tree in a grassland", "apple/nature/plain/1"),
    ("figure 10", "7 watermelons in a farmland", "watermelon/nature/plain/7"),
    ("figure 10", "12 cats on a wooden floor in a cartoon style", "cat/home/cartoon/12"),
    ("figure 10", "10 humans on a wooden floor in a cartoon style", "human/home/cartoon/10"),
    ("figure 10", "7 chairs on a wooden floor in a watercolor style", "chair/home/watercolor/7"),
    (
        "figure 10",
        "a flower pot with 8 flowers on a wooden table in a watercolor style",
        "plant/home/watercolor/8",
    ),
]


def test_every_prompt_that_the_paper_prints_is_an_item(case: Case) -> None:
    for where, printed, id in PRINTED:
        with case(f"{where}: {id}"):
            text = printed
            for theirs, ours in DIFFERENCES.items():
                text = text.replace(theirs, ours)
            if not text.startswith("Generate "):
                text = f"Generate {text[0].lower()}{text[1:]}"
            assert task_text(ITEMS[f"t2icountbench/{id}"].task) == f"{text.removesuffix('.')}."


def test_only_two_places_are_ours() -> None:
    printed = {tuple(id.split("/")[:2]) for _, _, id in PRINTED}
    assert set(count(ITEMS.values(), "object", "scene")) - printed == {("watermelon", "city"), ("triangle", "city")}


def test_the_card_lists_every_printed_prompt() -> None:
    card = re.sub(r"\s+", " ", (Path(__file__).parents[3] / "docs" / "t2icountbench.md").read_text(encoding="utf-8"))
    assert [printed for _, printed, _ in PRINTED if printed not in card] == []


@pytest.mark.parametrize(
    ("id", "prompt"),
    [
        ("apple/home/plain/7", "Generate 7 apples on a wooden table."),
        ("human/nature/plain/1", "Generate 1 human traveler in a valley."),
        ("human/home/plain/1", "Generate 1 human on a wooden floor."),
        ("plant/home/cartoon/1", "Generate a flower pot with 1 flower on a wooden table in a cartoon style."),
        ("plant/city/plain/1", "Generate 1 tree alongside a city's main road."),
        ("watermelon/city/plain/3", "Generate 3 watermelons in a city market."),
        ("triangle/city/plain/3", "Generate 3 triangles on a city billboard."),
    ],
)
def test_one_stands_in_the_singular_and_what_is_not_printed_is_worded_alike(id: str, prompt: str) -> None:
    assert task_text(ITEMS[f"t2icountbench/{id}"].task) == prompt


def test_an_item_has_its_conditions_as_factors_in_the_order_of_the_paper() -> None:
    assert list(ITEMS["t2icountbench/plant/home/plain/11"].factors.items()) == [
        ("category", "plant"),
        ("object", "plant"),
        ("scene", "home"),
        ("style", "plain"),
        ("number", 11),
        ("difficulty", "hard"),
    ]


@pytest.mark.parametrize(
    ("number", "difficulty"),
    [(1, "easy"), (5, "easy"), (6, "medium"), (10, "medium"), (11, "hard"), (15, "hard"), (16, "beyond")],
)
def test_difficulty_goes_by_the_number(number: int, difficulty: str) -> None:
    (item,) = items(f"t2icountbench:numbers={number},objects=cat,scenes=city").values()
    assert item.factors["difficulty"] == difficulty


@pytest.mark.parametrize(
    ("id", "noun", "how_many", "exactly"),
    [
        ("apple/home/plain/7", "apple", "apples", "7 apples"),
        ("apple/home/plain/1", "apple", "apples", "1 apple"),
        ("human/nature/plain/9", "person", "people", "9 human travelers"),
        ("plant/home/plain/5", "flower", "flowers", "5 flowers"),
        ("plant/city/plain/5", "tree", "trees", "5 trees"),
    ],
)
def test_each_image_is_counted_and_four_are_voted_on_together(id: str, noun: str, how_many: str, exactly: str) -> None:
    item = ITEMS[f"t2icountbench/{id}"]
    number = item.factors["number"]
    assert item.asks == (
        Ask(Count(noun), f"How many {how_many} are in the image?", (number,)),
        Ask(MatchesPrompt(), f"Does at least one of these four images show exactly {exactly}?", (True,), group=4),
    )


def test_all_that_is_counted_can_be_drawn_and_seen() -> None:
    nouns = {ask.question.noun for item in ITEMS.values() for ask in item.asks if isinstance(ask.question, Count)}
    assert nouns <= set(GLYPHS)


def test_each_prompt_is_drawn_four_times_and_never_again() -> None:
    suite = make_suite("t2icountbench").obj
    assert (suite.title, suite.repeats, suite.max_attempts, suite.judge) == ("T2ICountBench", 4, 1, "observer")
    assert list(suite.again([])) == []


def test_a_beginning_is_a_fair_sample() -> None:
    order = list(ITEMS.values())
    assert set(count(order[:7], "object").values()) == {1}
    assert set(count(order[:35], "object", "scene", "style").values()) == {1}
    assert set(count(order[:35], "number").values()) == {2, 3}
    assert set(count(order[:105], "object", "number").values()) == {1}
    assert len(count(order[:105], "object", "number")) == 105
    assert set(count(order[:105], "scene", "style", "number").values()) == {1, 2}
    assert len(count(order[:105], "scene", "style", "number")) == 75


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 5, 15), (7, 1, 15), (2, 4, 6), (6, 9, 50), (3, 2, 200), (5, 5, 5)])
def test_every_cell_comes_once_and_rounds_have_each_pair_once(sizes: tuple[int, int, int]) -> None:
    things, conditions, numbers = map(range, sizes)
    cells = list(order_cells(things, conditions, numbers))
    pairs = len(things) * len(conditions)
    assert len(set(cells)) == len(cells) == pairs * len(numbers)
    for start in range(0, len(cells), pairs):
        assert len({cell[:2] for cell in cells[start : start + pairs]}) == pairs
        of_each = Counter(number for _, _, number in cells[: start + pairs])
        assert max(of_each.values()) - min(of_each[number] for number in numbers) <= 1


@pytest.mark.parametrize(
    ("options", "conditions"),
    [
        ("scenes=home,styles=plain", {("home", "plain")}),
        ("scenes=city", {("city", "plain")}),
        ("scenes=city+nature,styles=plain", {("city", "plain"), ("nature", "plain")}),
        ("styles=cartoon", {("home", "cartoon")}),
        ("scenes=home+city", {("home", "plain"), ("city", "plain"), ("home", "watercolor"), ("home", "cartoon")}),
        ("scenes=city,styles=cartoon,cross=true", {("city", "cartoon")}),
    ],
)
def test_scenes_and_styles_narrow_the_design(options: str, conditions: set[tuple[str, str]]) -> None:
    counts = count(items(f"t2icountbench:{options}").values(), "scene", "style")
    assert set(counts) == conditions
    assert set(counts.values()) == {105}


def test_the_full_cross_has_nine_conditions_and_all_published_prompts() -> None:
    crossed = items("t2icountbench:cross=true")
    assert len(crossed) == 945
    assert {id.removeprefix("t2icountbench/") for id in ITEMS} <= set(crossed)
    assert (
        task_text(crossed["human/nature/cartoon/2"].task)
        == "Generate 2 human travelers in a valley in a cartoon style."
    )


def test_numbers_and_objects_are_chosen_and_keep_their_prompts() -> None:
    chosen = items("t2icountbench:numbers=1-50,objects=apple+plant")
    assert len(chosen) == 50 * 2 * 5
    published = {f"t2icountbench/{id}": item for id, item in chosen.items() if item.factors["difficulty"] != "beyond"}
    assert published.items() <= ITEMS.items()


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ("objects=dog", UnknownNameError, "no object named 'dog'; known: apple, cat,"),
        ("scenes=sea", UnknownNameError, "no scene named 'sea'; known: city, home, nature"),
        ("styles=oil", UnknownNameError, "no style named 'oil'; known: cartoon, plain, watercolor"),
        ("numbers=0-3", BadValueError, "numbers=0: should be from 1 to 200"),
        ("numbers=201", BadValueError, "numbers=201: should be from 1 to 200"),
        ("scenes=city,styles=cartoon", BadValueError, "no prompt is left for scene 'city'"),
        (
            "scenes=city,styles=plain+cartoon",
            BadValueError,
            "style 'cartoon': .*; add home to the other .* or cross=true",
        ),
        ("scenes=home+city,styles=cartoon", BadValueError, "scene 'city': .*; add plain to the other .* or cross=true"),
        ("conditions=nowhere.toml", BadFileError, "cannot read nowhere.toml: No such file"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused_with_the_remedy(
    options: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        make_suite(f"t2icountbench:{options}")


def test_a_file_adds_objects_scenes_and_styles_and_sets_the_numbers(tmp_path: Path) -> None:
    found = prompts(f"t2icountbench:conditions={write(tmp_path, OWN)}")
    assert len(found) == 9 * 7 * 2  # nine objects; five conditions, the beach and the oil painting; two numbers
    assert (
        found.items()
        >= {
            "apple/home/plain/3": "Generate 3 apples on a wooden table.",
            "apple/beach/plain/20": "Generate 20 apples in a basket on a sandy beach.",
            "plant/beach/plain/3": "Generate 3 trees on a sandy beach.",
            "pear/home/plain/3": "Generate 3 pears on a wooden table.",
            "pear/nature/plain/3": "Generate 3 pears in a garden.",
            "pear/city/plain/3": "Generate 3 pears in a city garden.",
            "wolf/home/oil/3": "Generate 3 grey wolves on a carpet as an oil painting.",
        }.items()
    )
    assert not any(id.startswith("apple/beach/oil") for id in found)


def test_options_choose_among_what_a_file_adds(tmp_path: Path) -> None:
    options = "objects=wolf,scenes=beach,styles=oil,cross=true,numbers=1-2"
    found = items(f"t2icountbench:{options},conditions={write(tmp_path, OWN)}")
    assert [task_text(item.task) for item in found.values()] == [
        "Generate 1 grey wolf on a sandy beach as an oil painting.",
        "Generate 2 grey wolves on a sandy beach as an oil painting.",
    ]
    assert found["wolf/beach/oil/2"].asks[0] == Ask(Count("dog"), "How many dogs are in the image?", (2,))
    assert found["wolf/beach/oil/2"].factors["category"] == "animal"


@pytest.mark.parametrize(
    ("option", "found"),
    [
        ("numbers=1-15", {"numbers": set(range(1, 16))}),
        ("objects=apple+watermelon+human+cat+triangle+chair+plant", {"objects": set(OBJECTS)}),
        ("scenes=home+nature+city", {"scenes": set(SCENES)}),
        ("styles=plain+watercolor+cartoon", {"styles": set(STYLES)}),
        ("styles=cartoon+watercolor+plain", {"styles": set(STYLES)}),
    ],
)
def test_what_is_named_holds_beside_a_file_even_if_it_is_what_is_published(
    tmp_path: Path, option: str, found: dict[str, set[Scalar]]
) -> None:
    all_there_is = {
        "numbers": {3, 20},
        "objects": {*OBJECTS, "pear", "wolf"},
        "scenes": {*SCENES, "beach"},
        "styles": {*STYLES, "oil"},
    }
    made = list(items(f"t2icountbench:conditions={write(tmp_path, OWN)},{option}").values())
    assert {
        f"{factor}s": {level for (level,) in count(made, factor)} for factor in ("number", "object", "scene", "style")
    } == all_there_is | found


def test_the_options_that_are_not_given_are_no_part_of_the_name_and_are_listed() -> None:
    assert make_suite("t2icountbench").spec.text == "t2icountbench"
    listed = {one["name"]: one["options"] for one in call("list", "suites", "--json").json()}
    assert listed["t2icountbench"] == {
        "numbers": "1-15",
        "objects": "apple+watermelon+human+cat+triangle+chair+plant",
        "scenes": "home+nature+city",
        "styles": "plain+watercolor+cartoon",
        "cross": "false",
        "conditions": "",
    }


def test_a_plural_that_is_given_is_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, '[objects.ox]\ncategory = "animal"\nsingular = "muskox"\nplural = "muskoxen"')
    item = items(f"t2icountbench:objects=ox,conditions={path}")["ox/home/plain/2"]
    assert item.asks[0].wording == "How many muskoxen are in the image?"


def test_another_content_of_the_file_makes_other_items(tmp_path: Path) -> None:
    spec = f"t2icountbench:conditions={write(tmp_path, OWN)}"
    before = items(spec)
    write(tmp_path, OWN.replace("sandy", "stony"))
    after = items(spec)
    assert set(before) == set(after)
    assert {id for id in before if before[id] != after[id]} == {id for id in before if "/beach/" in id}


OBJECT = '[objects.pear]\ncategory = "fruit"\nsingular = "pear"\n'
BAD_FILES = [
    ("", "nothing in it; add objects, scenes, styles, numbers, or leave the file out"),
    ("numbers = [1", "no TOML: "),
    ("numbers = " + "[" * 5000, "no TOML: "),
    ("number = [1]", "number: unknown key; known: objects, scenes, styles, numbers"),
    ("numbers = 3", "numbers: 3: should be a list such as [1, 2, 5]"),
    ("numbers = [1, 0]", "numbers.2: 0: should be a whole number from 1 to 200"),
    ("numbers = [201]", "numbers.1: 201: should be a whole number from 1 to 200"),
    ("numbers = [true]", "numbers.1: True: should be a whole number from 1 to 200"),
    ("numbers = [4, 4]", "numbers: 4 stands there 2 times; once is enough"),
    ("objects = 3", "objects: 3: should be a table"),
    ("[objects]\npear = 3", "objects.pear: 3: should be a table"),
    (OBJECT + "size = 3", "objects.pear.size: unknown key; known: category, singular, plural, noun"),
    ("[objects.pear]\nsingular = 'pear'", "objects.pear.category: not there; add it"),
    (
        "[objects.pear]\ncategory = 'fruit'\nsingular = 3",
        "objects.pear.singular: 3: should be a text in quotation marks",
    ),
    (
        OBJECT + "plural = ' pears'",
        "objects.pear.plural: ' pears': should be a text of 1 to 200 characters in one line",
    ),
    (OBJECT + "noun = ''", "objects.pear.noun: '': should be a text of 1 to 200 characters"),
    (
        "[objects.'a/b']\ncategory = 'c'\nsingular = 'd'",
        "objects.a/b: 'a/b': should be 1 to 40 of A–Z, a–z, 0–9",
    ),
    ("[objects.apple]\ncategory = 'c'\nsingular = 'd'", "objects.apple: the name is taken; give it another"),
    ("[objects.default]\ncategory = 'c'\nsingular = 'd'", "objects.default: the name is taken; give it another"),
    ("[styles]\n'a~b' = 'in red'", "styles.a~b: 'a~b': should be 1 to 40 of A–Z, a–z, 0–9, - and _"),
    ("[styles]\nplain = 'in red'", "styles.plain: the name is taken; give it another"),
    ("[styles]\nred = 'in red.'", "styles.red: 'in red.': should be a text of 1 to 200 characters in one line"),
    ('[styles]\nred = "in\\nred"', "styles.red: 'in\\nred': should be a text"),
    (f"[styles]\nred = '{'a' * 201}'", "styles.red: 'aaa"),
    ("[scenes]\nsea = 'at sea'", "scenes.sea: 'at sea': should be a table"),
    ("[scenes.sea]\naple = 'at sea'", "scenes.sea.aple: no such object; known: apple, watermelon,"),
    ("[scenes.home]\napple = 'here'", "scenes.home.apple: is worded already; give the scene another name"),
    ("[scenes.home]\ndefault = 'here'", "scenes.home.default: is worded already; give the scene another name"),
    ("[scenes.sea]\napple = 'at sea'", "scenes.sea: no place for 'watermelon'; add watermelon or default to it"),
]


def test_a_file_that_cannot_be_used_is_refused_with_key_value_and_remedy(tmp_path: Path, case: Case) -> None:
    for content, said in BAD_FILES:
        spec = f"t2icountbench:conditions={write(tmp_path, content)}"
        with case(said), pytest.raises(BadFileError, match=f"^own.toml: {re.escape(said)}"):
            make_suite(spec)


def test_a_file_that_is_no_text_too_large_or_no_file_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "#" * 1_000_001)
    with pytest.raises(BadFileError, match=r"own\.toml: 1,000,001 bytes; at most 1,000,000 are read"):
        T2ICountBench(conditions=str(path))
    path.write_bytes(b"\xff\xfa")
    with pytest.raises(BadFileError, match=r"own\.toml line 1: not UTF-8"):
        T2ICountBench(conditions=str(path))
    with pytest.raises(BadFileError, match="Is a directory"):
        T2ICountBench(conditions=str(tmp_path))
    with pytest.raises(BadFileError, match="cannot read /dev/zero: not a file"):
        T2ICountBench(conditions="/dev/zero")


def test_the_command_prints_the_prompts_with_their_factors() -> None:
    done = call("make", "prompts", "t2icountbench:numbers=7,objects=apple")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 0
    assert rows[0]["prompt"] == "Generate 7 apples on a wooden table."
    assert list(rows[0]) == ["id", "prompt", "category", "object", "scene", "style", "number", "difficulty"]
    assert len(rows) == 5


@pytest.mark.parametrize(
    "options", ["objects=dog", "scenes=city,styles=cartoon", "conditions=nowhere.toml", "number=3"]
)
def test_the_command_refuses_what_cannot_be_used_in_one_line(options: str) -> None:
    done = call("make", "prompts", f"t2icountbench:{options}")
    assert (done.code, done.out, len(done.err.strip().splitlines())) == (2, "", 1)


def test_a_report_cites_the_paper_for_the_suite_and_for_its_refinements() -> None:
    (cited,) = references(["t2icountbench", "t2icountbench~grid"])
    assert cited.text == PAPER.citation
    assert references(["t2icountbench~grid"]) == (cited,)
