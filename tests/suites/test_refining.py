"""Refinements say the same number in other words, of every item that they are made for, and of no other."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import BadFileError, BadValueError, ConflictError, UnknownNameError
from subitize.interfaces import Attempt, Suite
from subitize.language.counted import CountedPhrase, find_counted_phrase
from subitize.language.nouns import plural
from subitize.language.numbers import in_words
from subitize.records import Ask, Count, Design, Discarded, Draw, Item, Known, MatchesPrompt, Place, task_text
from subitize.registry import make_refined, make_suite, names
from subitize.store import Folder, Run
from subitize.suites.refined import (
    Refined,
    Refinement,
    additive,
    factor,
    grid,
    multiplicative,
    position,
    positions,
    spell_out,
)
from tests.cases import Case
from tests.commands import call

OWN = (multiplicative, additive, grid, position, spell_out, positions)
NAMES = [name for name in names("refinements") if name != "rewritten"]
some_and_all = pytest.mark.parametrize(
    "suites",
    [
        pytest.param(
            ("production", "t2icountbench:numbers=1+6", "geckonum:types=numeric_simple,numbers=1+6"), id="some"
        ),
        pytest.param(
            ("production", "t2icountbench", "geckonum:types=numeric_simple"),
            id="all",
            marks=pytest.mark.proof("subitize.suites", "subitize.language"),
        ),
    ],
)


def item(prompt: str, noun: str, number: int, *more: Ask) -> Item:
    ask = Ask(Count(noun), f"How many {plural(noun)} are in the image?", (number,))
    return Item("own/1", Draw(prompt), (ask, *more), {"number": number})


def take_apart(prompt: str, noun: str, number: int) -> CountedPhrase:
    counted = find_counted_phrase(item(prompt, noun, number))
    assert counted is not None
    return counted


@pytest.mark.parametrize(
    ("refine", "prompt", "noun", "number", "refined"),
    [
        (multiplicative, "Generate 12 watermelons on a wooden table in a cartoon style.", "watermelon", 12,
         "Generate 3 times 4 watermelons on a wooden table in a cartoon style."),
        (multiplicative, "14 apples on a wooden table", "apple", 14, "2 times 7 apples on a wooden table"),
        (additive, "Generate 11 triangles on a painting on a wall.", "triangle", 11,
         "Generate 5 plus 6 triangles on a painting on a wall."),
        (additive, "12 humans on a wooden floor", "person", 12, "6 plus 6 humans on a wooden floor"),
        (grid, "Generate 12 watermelons on a wooden table in a cartoon style.", "watermelon", 12,
         "Generate 12 watermelons on a wooden table in a cartoon style, with a 3 row 4 column grid."),
        (grid, "12 humans on a wooden floor", "person", 12, "12 humans on a wooden floor, with a 3 row 4 column grid"),
        (position, "Generate 11 triangles on a painting on a wall.", "triangle", 11,
         "Generate 5 triangles on the left, 6 triangles on the right, on a painting on a wall."),
        (position, "14 cats on a wooden floor", "cat", 14,
         "7 cats on the left, 7 cats on the right, on a wooden floor"),
    ],
)  # fmt: skip
def test_the_examples_of_the_paper_come_out(
    refine: Refinement, prompt: str, noun: str, number: int, refined: str
) -> None:
    assert refine(take_apart(prompt, noun, number)) == refined


@pytest.mark.parametrize(
    ("refine", "prompt", "noun", "number", "refined"),
    [
        (spell_out, "Generate 3 human travelers in a valley.", "person", 3,
         "Generate a human traveler, a human traveler and a human traveler in a valley."),
        (spell_out, "2 apples.", "apple", 2, "An apple and an apple."),
        (position, "Generate a flower pot with 3 flowers on a wooden table.", "flower", 3,
         "Generate a flower pot with 1 flower on the left, 2 flowers on the right, on a wooden table."),
        (position, "Five filled dots in white background", "dot", 5,
         "Two filled dots on the left, three filled dots on the right, in white background"),
        (positions, "An image with 3 persons", "person", 3,
         "An image with 1 person at row 1 column 1, 1 person at row 1 column 2 and 1 person at row 2 column 1"),
        (multiplicative, "Seven fish.", "fish", 7, "One times seven fish."),
        (grid, "a photo of twenty-one apples", "apple", 21,
         "a photo of twenty-one apples, with a three row seven column grid"),
    ],
)  # fmt: skip
def test_numbers_and_things_stay_as_the_prompt_writes_them(
    refine: Refinement, prompt: str, noun: str, number: int, refined: str
) -> None:
    assert refine(take_apart(prompt, noun, number)) == refined


@pytest.mark.parametrize("refine", OWN)
def test_none_applies_to_one_thing(refine: Refinement) -> None:
    for prompt in ("Generate 1 apple on a table.", "One apple.", "An apple."):
        assert refine(take_apart(prompt, "apple", 1)) is None


def test_what_is_said_adds_up_to_the_number(case: Case) -> None:
    for number in range(2, 60):
        with case(number):
            check_sums(number)


def check_sums(number: int) -> None:
    counted = take_apart(f"Generate {number} apples on a table.", "apple", number)
    product = re.search(r"(\d+) times (\d+) apples on", str(multiplicative(counted)))
    total = re.search(r"(\d+) plus (\d+) apples on", str(additive(counted)))
    sides = re.findall(r"(\d+) apples? on the (?:left|right)", str(position(counted)))
    cells = re.search(r"a (\d+) row (\d+) column grid", str(grid(counted)))
    assert product is not None
    assert total is not None
    assert cells is not None
    assert int(product[1]) * int(product[2]) == int(cells[1]) * int(cells[2]) == number
    assert int(product[1]) <= int(product[2])
    assert int(total[1]) + int(total[2]) == sum(map(int, sides)) == number
    assert abs(int(total[2]) - int(total[1])) == number % 2
    if number > 50:
        assert (spell_out(counted), positions(counted)) == (None, None)
        return
    places = re.findall(r"1 apple at (row \d+ column \d+)", str(positions(counted)))
    assert str(spell_out(counted)).count("an apple") == number
    assert len(set(places)) == len(places) == number


def test_the_factors_are_the_closest_to_a_square() -> None:
    for number in range(1, 200):
        pairs = [(a, number // a) for a in range(1, number + 1) if number % a == 0 and a * a <= number]
        assert factor(number) == min(pairs, key=lambda pair: pair[1] - pair[0])


@pytest.mark.parametrize(
    ("prompt", "noun", "number", "parts"),
    [
        ("3 apples on 3 plates", "apple", 3, ("", "apples", " on 3 plates")),
        ("Three apples and a pear tree", "apple", 3, ("", "apples", " and a pear tree")),
        ("Generate 5 trees alongside a city's main road.", "tree", 5,
         ("Generate ", "trees", " alongside a city's main road.")),
        ("There are 4 loaves of bread here", "loaf of bread", 4, ("There are ", "loaves of bread", " here")),
        ("7 tennis rackets, seen from above", "racket", 7, ("", "tennis rackets", ", seen from above")),
        ("2 cats in 2026", "cat", 2, ("", "cats", " in 2026")),
        ("Generate 1 human traveler in a valley", "person", 1, ("Generate ", "human travelers", " in a valley")),
        ("Generate a flower pot with 1 flower.", "flower", 1, ("Generate a flower pot with ", "flowers", ".")),
        ("5 human travelers walking in a valley", "person", 5, ("", "human travelers", " walking in a valley")),
    ],
)  # fmt: skip
def test_the_counted_phrase_is_found_in_the_text(
    prompt: str, noun: str, number: int, parts: tuple[str, str, str]
) -> None:
    counted = take_apart(prompt, noun, number)
    assert (counted.before, counted.plural, counted.after) == parts


RELEVANT = Ask(Count("dog"), "How many dogs are in the image?", (2,))


@pytest.mark.parametrize(
    "unfit",
    [
        item("2 cats and 2 dogs", "cat", 2, RELEVANT),
        item("many cats", "cat", 3),
        item("3.5 cats", "cat", 3),
        item("3 humans and 3 travelers", "person", 3),
        replace(item("0 cats", "cat", 0)),
        replace(item("2 red cats", "cat", 2), asks=(Ask(Count("cat", "red"), "How many?", (2,)),)),
        replace(
            item("2 cats left of a dog", "cat", 2), asks=(Ask(Count("cat", None, Place("left of", "dog")), "?", (2,)),)
        ),
        replace(item("2 or 3 cats", "cat", 2), asks=(Ask(Count("cat"), "How many?", (2, 3)),)),
        replace(item("2 cats", "cat", 2), asks=()),
    ],
    ids=lambda unfit: task_text(unfit.task),
)
def test_what_is_not_about_one_number_of_one_kind_is_not_taken_apart(unfit: Item) -> None:
    assert find_counted_phrase(unfit) is None


def test_a_question_about_the_group_or_beside_the_point_does_not_matter() -> None:
    group = Ask(MatchesPrompt(), "Does one of these show 2 cats?", (True,), group=4)
    assert find_counted_phrase(item("2 cats", "cat", 2, group, replace(RELEVANT, is_relevant=False))) is not None


@pytest.mark.parametrize(
    ("prompt", "noun", "number"),
    [
        ("2 cups of tea on a table", "cup", 2),
        ("2 octopodes", "octopus", 2),
        ("2 matrices", "matrix", 2),
        ("3 axes", "axis", 3),
        ("3 boxes of apples", "apple", 3),
    ],
)
def test_what_is_not_certain_is_not_taken_apart(prompt: str, noun: str, number: int) -> None:
    assert find_counted_phrase(item(prompt, noun, number)) is None


@pytest.mark.parametrize(
    ("prompt", "noun", "forms"),
    [
        ("2 Matryoshka dolls on a table", "Matryoshka doll", ("Matryoshka doll", "Matryoshka dolls")),
        ("2 Apples", "apple", ("Apple", "Apples")),
        ("An image with 5 persons", "person", ("person", "persons")),
    ],
)
def test_capitals_and_nouns_that_are_known_are_no_hindrance(prompt: str, noun: str, forms: tuple[str, str]) -> None:
    (number,) = map(int, re.findall(r"\d", prompt))
    counted = take_apart(prompt, noun, number)
    assert (counted.singular, counted.plural) == forms


@pytest.mark.parametrize(
    ("refine", "refined"),
    [
        (position, "There is 1 samosa on the left, 2 samosas on the right."),
        (spell_out, "There is a samosa, a samosa and a samosa."),
        (additive, "There are 1 plus 2 samosas."),
        (grid, "There are 3 samosas, with a 1 row 3 column grid."),
    ],
)
def test_the_verb_agrees_with_the_first_thing(refine: Refinement, refined: str) -> None:
    assert refine(take_apart("There are 3 samosas.", "samosa", 3)) == refined


OWN_OBJECTS = """
numbers = [1, 2, 3]
[objects.matrix]
category = "x"
singular = "matrix"
plural = "matrices"
[objects.octopus]
category = "x"
singular = "octopus"
plural = "octopodes"
[objects.cup]
category = "x"
singular = "cup of tea"
plural = "cups of tea"
noun = "cup"
[objects.bus]
category = "x"
singular = "red London bus"
noun = "bus"
[objects.star]
category = "x"
singular = "5-pointed star"
noun = "star"
[objects.scissors]
category = "x"
singular = "pair of scissors"
[scenes.three]
default = "beside 3 cups of tea and 2 matrices"
"""


@pytest.mark.parametrize("name", NAMES)
def test_own_objects_are_refined_wholly_in_their_own_words(name: str, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN_OBJECTS, encoding="utf-8")
    before = list(make_suite(f"t2icountbench:conditions={file}").obj.items(0))
    after = {
        str(one.base): task_text(one.task) for one in make_suite(f"t2icountbench~{name}:conditions={file}").obj.items(0)
    }
    assert list(after) == [one.id for one in before]
    expected = {
        "position": (
            "Generate 1 matrix on the left, 2 matrices on the right, on a wooden table.",
            "Generate 1 cup of tea on the left, 1 cup of tea on the right, on a wooden table.",
        ),
        "list": (
            "Generate a matrix, a matrix and a matrix on a wooden table.",
            "Generate a cup of tea and a cup of tea on a wooden table.",
        ),
    }
    if name in expected:
        ids = ("t2icountbench/matrix/home/plain/3", "t2icountbench/cup/home/plain/2")
        assert tuple(after[id] for id in ids) == expected[name]
        assert "octopode " not in " ".join(after.values())


def test_a_suite_takes_no_prompt_apart_that_it_did_not_make() -> None:
    suite = make_suite("t2icountbench").obj
    (own, *_) = suite.items(0)
    assert suite.find_counted(own) is not None
    for other in (
        replace(own, task=Draw("3 apples")),
        replace(own, id="t2icountbench/pear/home/plain/3"),
        replace(own, id="t2icountbench/apple"),
    ):
        assert suite.find_counted(other) is None


@pytest.mark.slow
@some_and_all
def test_a_counting_suite_is_refined_wholly_and_pairs_with_its_base(suites: tuple[str, ...], case: Case) -> None:
    for spec in suites:
        base = make_suite(spec)
        before = list(base.obj.items(0))
        for name in NAMES:
            with case(f"{spec}~{name}"):
                made = make_refined(spec, name)
                after = list(made.obj.items(0))
                assert [one.base for one in after] == [one.id for one in before]
                assert {one.suite for one in after} == {f"{base.spec.name}~{name}"} == {made.spec.name}
                for one, other in zip(before, after, strict=True):
                    is_refined = one.factors["number"] != 1
                    assert other.asks == one.asks
                    assert other.factors == {**one.factors, "refinement": name, "is_refined": is_refined}
                    assert (task_text(other.task) != task_text(one.task)) == is_refined
                for attribute in ("title", "judge", "repeats", "max_attempts", "asks_again", "strata", "sampled"):
                    assert getattr(made.obj, attribute) == getattr(base.obj, attribute)


@some_and_all
def test_the_thing_is_named_as_its_prompt_names_it(suites: tuple[str, ...], case: Case) -> None:
    for one in (one for spec in suites for one in make_suite(spec).obj.items(0)):
        with case(one.id):
            counted, number = find_counted_phrase(one), one.factors["number"]
            assert counted is not None
            assert isinstance(number, int)
            written = counted.before + counted.count(number) + counted.after
            assert written.lower() == task_text(one.task).lower()
            assert not re.search(r"\d|\b(?:in|on|at|with)\b", counted.plural)
            assert counted.style == ("digits" if str(number) in task_text(one.task) else "words") or number == 1
            assert counted.write(number) in (str(number), in_words(number))


def test_what_cannot_be_refined_is_left_out_and_the_order_stays() -> None:
    base = [one.id for one in make_suite("geckonum").obj.items(0)]
    refined = [str(one.base) for one in make_suite("geckonum~grid").obj.items(0)]
    assert len(refined) == 700 < len(base)
    kept = set(refined)
    assert [id for id in base if id in kept] == refined


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("naming~grid", "suite 'naming' cannot be refined: it shows pictures"),
        ("geckonum~grid:types=2-additive", "suite 'geckonum' cannot be refined: no prompt asks for a number of one"),
        ("production~grid~list", "a refinement of a refinement is none; take production~grid"),
        ("production~grid:most=3", "suite 'production~grid' has no option 'most'; known options: categories, numbers"),
        ("production~list:most=three", "refinement 'list': most='three': should be a whole number"),
        ("production~list:fifty", "suite 'production' takes options as key=value, not 'fifty'"),
        ("production~rewritten", "refinement 'rewritten' needs file=FILE.csv"),
    ],
)
def test_what_cannot_be_made_says_why(spec: str, message: str) -> None:
    with pytest.raises(BadValueError, match=re.escape(message)):
        make_suite(spec)


@pytest.mark.parametrize("spec", ["production~cube", "production~", "unknown~grid"])
def test_an_unknown_refinement_or_suite_lists_the_known_ones(spec: str) -> None:
    with pytest.raises(UnknownNameError, match=r"known: .*(positions, rewritten|production)"):
        make_suite(spec)


def test_a_refined_suite_is_not_refined_again() -> None:
    with pytest.raises(BadValueError, match="is refined already; take 'production'"):
        make_refined("production~grid", "list")


def test_a_prompt_is_asked_again_where_the_base_would() -> None:
    refined = make_suite("production~grid:numbers=2-4").obj
    tried = [
        Attempt(one, repeat, 0, {"count:x": Known(repeat)} if one.factors["number"] != 3 else {"x": Discarded("?")})
        for one in refined.items(0)
        for repeat in (0, 1)
    ]
    again = list(refined.again(tried))
    assert again == [one for one in tried if one.repeat == 0 and one.item.factors["number"] != 3]


class Recorder(Suite):
    """A suite of which one item is asked again: that which it knows by its own id and factors."""

    title, judge, max_attempts = "Recorder", "observer", 2

    def items(self, seed: int) -> Iterator[Item]:
        return iter([item("2 cats", "cat", 2), replace(item("3 cats", "cat", 3), id="own/2")])

    def again(self, tried: Sequence[Attempt]) -> Sequence[Attempt]:
        return [one for one in tried if one.item.id == "own/2" and one.item.factors == {"number": 3}]


@pytest.mark.parametrize("text", ["", "  ", "x" * 20_001, 3])
def test_what_a_refinement_gives_is_checked(text: str) -> None:
    refined = Refined(Recorder(), "odd", lambda counted: text)
    with pytest.raises(BadValueError, match=r"refinement 'odd' gives .* for own/1; should be a prompt"):
        list(refined.items(0))


def test_the_base_sees_its_own_items() -> None:
    refined = Refined(Recorder(), "grid", grid)
    tried = [Attempt(one, 0, 0, {}) for one in refined.items(0)]
    assert [one.item.id for one in refined.again(tried)] == ["own~grid/2"]


def test_a_suite_that_does_not_say_how_it_is_designed_asks_again_where_it_has_several_attempts() -> None:
    refined = Refined(Recorder(), "grid", grid)
    assert Recorder().design() == refined.design() == Design(asks_again=True, strata=())


def test_a_refinement_that_fails_is_named_with_the_item() -> None:
    refined = Refined(Recorder(), "odd", lambda counted: str(1 / 0))
    with pytest.raises(BadValueError, match="refinement 'odd' fails on own/1: ZeroDivisionError"):
        list(refined.items(0))


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_rewritten_prompts_are_read_from_a_file_and_the_others_stay(tmp_path: Path) -> None:
    file = write(
        tmp_path / "own.csv",
        "item,prompt,model,instruction",
        'production/apples/2,"Two apples, side by side",openai:x,Say it better',
    )
    made = make_refined("production:numbers=1-2,categories=apples", f"rewritten:file={file}")
    one, two = made.obj.items(0)
    assert (task_text(one.task), one.factors["is_refined"]) == ("An image with 1 apple", False)
    assert task_text(two.task) == "Two apples, side by side"
    assert two.factors == {
        "category": "apples", "number": 2, "refinement": "rewritten", "is_refined": True, "rewriter": "openai:x",
    }  # fmt: skip
    assert made.spec.options["instruction"] == "Say it better"
    assert make_suite(made.spec.text).spec == made.spec


def test_a_changed_file_is_a_conflict_with_the_run(tmp_path: Path) -> None:
    file = write(tmp_path / "own.csv", "item,prompt", "production/apples/2,Two apples")
    run = Run(Folder(tmp_path / "run"), create=True)
    made = make_refined("production", f"rewritten:file={file}")
    run.add_suite(made.spec, 0, made.obj.items(0))
    write(file, "item,prompt", "production/apples/2,2 apples")
    changed = make_refined("production", f"rewritten:file={file}")
    with pytest.raises(ConflictError, match=re.escape(f"was made with the suite {made.spec.text!r}, not")):
        run.add_suite(changed.spec, 0, changed.obj.items(0))
    assert made.spec.text != changed.spec.text
    with pytest.raises(BadFileError, match=r"own\.csv has changed"):
        make_suite(made.spec.text)
    run.close()


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["prompt", "x"],
            "own.csv line 1: no column item in 'prompt'; a comma, a semicolon or a tab between columns: item,",
        ),
        (["item,prompt,prompt", "a,b,c"], "own.csv line 1: column 'prompt' stands there twice"),
        (["item,prompt", "a,b\0"], "own.csv line 2: prompt 'b\\x00' has a NUL character in it"),
        (["item,prompt"], "own.csv: no rewritten prompts"),
        (["item,prompt", "production/apples/2"], "own.csv line 2: should have 2 fields, not 1"),
        (["item,prompt", "production/apples/2,"], "own.csv line 2: no prompt"),
        (["item,prompt", "a,b", "a,c"], "own.csv line 3: a stands there twice"),
        (
            ["item,prompt", "production/apples/2,b", "production/aples/3,c"],
            "own.csv line 3: no item 'production/aples/3' in this suite, the nearest is 'production/apples/3'; mend",
        ),
        (
            ["item,base_prompt,prompt", "production/apples/2,Two apples,2 apples"],
            "production/apples/2 was rewritten from 'Two apples', and is 'An image with 2 apples' now",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_refused(lines: list[str], message: str, tmp_path: Path) -> None:
    file = write(tmp_path / "own.csv", *lines)
    with pytest.raises(BadFileError, match=re.escape(message)):
        list(make_refined("production", f"rewritten:file={file}").obj.items(0))


def test_a_row_is_taken_whatever_its_item_asks_for(tmp_path: Path) -> None:
    spec = "geckonum:types=2-additive"
    first, second, *_ = make_suite(spec).obj.items(0)
    file = write(tmp_path / "own.csv", " item , prompt ", f"{first.id},All of them", f"{second.id},More")
    made = make_refined(spec, f"rewritten:file={file}")
    assert [(one.base, task_text(one.task)) for one in made.obj.items(0)] == [
        (first.id, "All of them"),
        (second.id, "More"),
    ]


def test_a_row_for_what_shows_a_picture_is_refused(tmp_path: Path) -> None:
    (first, *_) = make_suite("naming:images=1").obj.items(0)
    file = write(tmp_path / "own.csv", "item,prompt", f"{first.id},Draw it")
    with pytest.raises(BadValueError, match="suite 'naming' cannot be refined: it shows pictures"):
        make_refined("naming:images=1", f"rewritten:file={file}")


@pytest.mark.parametrize("name", ["list", "positions"])
@pytest.mark.parametrize("most", [-3, 1])
def test_a_most_that_applies_to_nothing_is_refused(name: str, most: int) -> None:
    done = call("make", "prompts", "production", "--refine", f"{name}:most={most}")
    assert done.code == 2
    assert f"refinement '{name}': most={most}: should be at least 2" in done.err


SMALL = "production:categories=apples+people,numbers=1-2"


@pytest.mark.slow
def test_a_run_takes_the_same_items_of_a_suite_and_its_refinements(tmp_path: Path, odd_models: None) -> None:
    refine = ("--refine", "additive+position", "--refine", "list:most=3")
    arguments = (
        "run",
        "geckonum:types=numeric_simple+2-additive,numbers=1-5",
        *refine,
        "--model",
        "noisy:longest_ms=1",
    )
    run = tmp_path / "run"
    done = call(*arguments, "--judge", "none", "--repeats", 1, "--limit", 30, "--out", run)
    drawn: dict[str, list[str]] = {}
    with Run(Folder(run)) as opened:
        by_id = {one.id: one for one in opened.items()}
        for stored in opened.responses():
            one = by_id[stored.response.trial.item_id]
            drawn.setdefault(one.suite, []).append(one.base or one.id)
        refinable = [one.id for one in opened.items("geckonum") if find_counted_phrase(one)]
    assert len(drawn["geckonum"]) == 30 > len(refinable) > 1
    for name in ("additive", "position", "list"):
        assert sorted(drawn[f"geckonum~{name}"]) == sorted(refinable)
        left_out = next(one.id for one in by_id.values() if one.suite == "geckonum" and one.id not in refinable)
        told = f"{30 - len(refinable)} items are left out, the first {left_out}: no single number of one kind of things"
        assert f"geckonum~{name}: {told} is found in its prompt" in done.out


def test_a_run_tells_how_many_prompts_stayed_as_they_were(tmp_path: Path, odd_models: None) -> None:
    arguments = ("run", SMALL, "--refine", "grid", "--model", "noisy", "--judge", "none", "--repeats", 1)
    done = call(*arguments, "--out", tmp_path / "run")
    assert "production~grid: 2 of 4 prompts as they were (the refinement does not apply)" in done.out
    assert "\nproduction~grid on noisy: " in done.out
    planned = call(*arguments, "--out", tmp_path / "none", "--dry-run")
    assert f"{SMALL.replace(':', '~grid:')} on noisy: 4 items, 4 trials, 0 of them done" in planned.out
    assert not (tmp_path / "none").exists()
    for suite in (SMALL, SMALL.replace(":", "~grid:")):
        assert re.search(rf"^ *{re.escape(suite)} +noisy ", planned.out, re.MULTILINE), planned.out
    alone = call("run", SMALL, "--model", "noisy", "--judge", "none", "--out", tmp_path / "none", "--dry-run")
    assert "suite" not in alone.out


def test_a_dry_run_refuses_what_the_run_would_refuse(tmp_path: Path, odd_models: None) -> None:
    file = tmp_path / "own.toml"
    file.write_text("numbers = [1, 2]", encoding="utf-8")
    suite = f"t2icountbench:conditions={file},objects=apple,scenes=home,styles=plain"
    arguments = ("run", suite, "--refine", "grid", "--model", "noisy:longest_ms=1", "--judge", "none")
    where = ("--repeats", 1, "--out", tmp_path / "run")
    assert call(*arguments, *where).code == 0
    assert call(*arguments, *where, "--dry-run").code == 0
    file.write_text("numbers = [1, 3]", encoding="utf-8")
    for more in ((), ("--dry-run",)):
        failed = call(*arguments, *where, *more)
        assert failed.code == 2
        assert "a file behind the suite, or subitize itself, has changed" in failed.err


def test_prompts_are_listed_beside_those_that_they_refine() -> None:
    listed = call("make", "prompts", "production:numbers=4,categories=apples", "--refine", "grid").out.splitlines()
    assert listed == [
        "id,prompt,base,category,number,refinement,is_refined",
        "production/apples/4,An image with 4 apples,,apples,4,,",
        'production~grid/apples/4,"An image with 4 apples, with a 2 row 2 column grid",'
        "production/apples/4,apples,4,grid,True",
    ]
    assert call("make", "prompts", "production~grid:numbers=4,categories=apples").out.splitlines() == [
        listed[0],
        listed[2],
    ]


@pytest.mark.parametrize(
    ("refine", "message"),
    [
        (["grid", "additive+grid"], "--refine grid is given 2 times; once is enough"),
        (["cube"], "no refinement named 'cube'; known: additive, grid, list, multiplicative, position, positions"),
        (["list:ten"], "refinement 'list' takes options as key=value, not 'ten'; known options: most"),
    ],
)
def test_a_wrong_refinement_says_what_would_be_right(refine: list[str], message: str) -> None:
    done = call("make", "prompts", SMALL, *(part for one in refine for part in ("--refine", one)))
    assert done.code == 2
    assert message in done.err


def test_refinements_are_listed_with_their_options() -> None:
    listed = {one["name"]: one for one in call("list", "refinements", "--json").json()}
    assert listed["list"]["options"] == {"most": "50"}
    assert listed["rewritten"]["options"] == {"file": "", "sha256": ""}
    assert listed["grid"]["summary"].startswith("Name a grid")


def test_a_file_may_have_more_rows_than_the_options_leave_of_the_suite(tmp_path: Path) -> None:
    file = tmp_path / "own.csv"
    file.write_text("item,prompt\nproduction/apples/2,Two\nproduction/apples/3,Three\n", encoding="utf-8")
    items = list(make_suite(f"production~rewritten:numbers=2,categories=apples,file={file}").obj.items(0))
    assert [item.task for item in items] == [Draw("Two")]
    with pytest.raises(BadFileError, match="none of its 2 rows is for an item of this suite with these options"):
        make_suite(f"production~rewritten:numbers=5,file={file}")


def test_nothing_is_drawn_where_a_refined_suite_is_not_that_of_the_run(tmp_path: Path) -> None:
    command = ("run", "production:numbers=2+3,categories=dots", "--repeats", 1, "--model", "painter:size_px=128")
    assert call(*command, "--limit", 1, "--refine", "list", "--out", tmp_path / "run").code == 0
    done = call(*command, "--refine", "list:most=5", "--out", tmp_path / "run")
    assert done.code == 2
    assert "most=5" in done.err
    with Run(Folder(tmp_path / "run")) as run:
        assert {stored.response.trial.item_id for stored in run.responses()} == {
            "production/dots/3",
            "production~list/dots/3",
        }
