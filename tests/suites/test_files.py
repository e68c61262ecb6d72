"""Suites that YAML files define: what they mean, what is wrong with them, and that they run like any other."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from subitize.errors import BadFileError
from subitize.interfaces import Suite
from subitize.labels import find_parts_rule
from subitize.records import (
    Answer,
    Ask,
    Choose,
    Confirm,
    Count,
    Discarded,
    Draw,
    Filed,
    Item,
    Known,
    Stimulus,
    digest,
    task_text,
)
from subitize.registry import Resolved, make_suite
from tests.cases import Case
from tests.commands import call

Make = Callable[..., Resolved[Suite]]
ROOT = Path(__file__).parents[2]

CATS = """\
prompts: "{number} {noun(s)}"
words:
  noun: [apple, cat]
  number: 1-3
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def make_of(text: str, name: str = "my-suite.yaml") -> Resolved[Suite]:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return make_suite(f"file:{path}")

    return make_of


def prompts(made: Resolved[Suite]) -> list[str]:
    return [task_text(item.task) for item in made.obj.items(0)]


def asks(made: Resolved[Suite]) -> list[tuple[Ask, ...]]:
    return [item.asks for item in made.obj.items(0)]


def test_a_template_is_filled_with_every_combination_of_its_words(make: Make) -> None:
    items = list(make(CATS).obj.items(0))
    assert [task_text(item.task) for item in items] == ["1 apple", "2 apples", "3 apples", "1 cat", "2 cats", "3 cats"]
    assert items[1] == Item(
        "my-suite.yaml/apple/2",
        Draw("2 apples"),
        (Ask(Count("apple"), "How many apples are in the image?", (2,)),),
        {"number": 2, "category": "apple"},
    )


FORMS = {
    "{noun}, {nouns}": "apple, apples",
    "{a noun} and {A noun}": "an apple and An apple",
    "{number} {noun(s)}, {many} {noun(s)}": "1 apple, 7 apples",
    "{number in words} {noun(s)} and {many in words} {noun(s)}": "one apple and seven apples",
    "{{noun}} {noun}": "{noun} apple",
    "{an noun}": "an apple",
}


def test_a_gap_has_the_form_that_it_is_written_in(make: Make, case: Case) -> None:
    words = {"noun": "apple", "number": "1", "many": "7"}
    for template, text in FORMS.items():
        with case(template):
            lists = ", ".join(f"{name}: [{word}]" for name, word in words.items() if name in template)
            assert prompts(make(f'prompts: "{template}"\nwords: {{{lists}}}\nask: match\n')) == [text]


def test_a_text_may_be_folded(make: Make) -> None:
    assert prompts(make("prompts: >\n  two\n  cats\n")) == ["two cats"]


def test_words_are_text_whatever_yaml_makes_of_them(make: Make) -> None:
    odd = ["no", "on", "Yes", "~", "null", "1_000", "012", "0x1F", ".nan", "1e3", "2024-01-01", "12:30", "="]
    made = make(f'prompts: "the word {{word}}"\nwords:\n  word: [{", ".join(odd)}]\nask: match\n')
    assert prompts(made) == [f"the word {word}" for word in odd]


def test_lists_that_belong_together_are_taken_row_by_row(make: Make) -> None:
    table = (
        'prompts: "{a noun} without {parts}"\nwords:\n  noun, part:\n    cat: [tail, ear]\n    car: [door]\nask: match'
    )
    rows = (
        'prompts: "{a noun} without {parts}"\nwords:\n  noun, part: [[cat, tail], [cat, ear], [car, door]]\nask: match'
    )
    assert prompts(make(table)) == ["a cat without tails", "a cat without ears", "a car without doors"]
    assert make(table).spec == make(rows).spec


def test_a_prompt_without_words_is_an_item_of_its_own_name(make: Make) -> None:
    assert [item.id for item in make("prompts: Half a pizza.").obj.items(0)] == ["my-suite.yaml/half-a-pizza"]


def test_words_that_are_written_alike_in_an_id_are_told_apart(make: Make) -> None:
    first, second = make('prompts: "the word {word}"\nwords: {word: [T-shirt, t shirt]}\nask: match').obj.items(0)
    assert first.id == "my-suite.yaml/t-shirt"
    assert re.fullmatch(r"my-suite\.yaml/t-shirt-[0-9a-f]{6}", second.id)


def test_a_template_takes_only_the_words_that_it_names(make: Make) -> None:
    made = make('prompts: {one: "{a noun}", old: "{a age} {noun}"}\nwords: {noun: [cat], age: [old, new]}\nask: match')
    assert {task_text(item.task): item.factors for item in made.obj.items(0)} == {
        "a cat": {"template": "one", "noun": "cat"},
        "an old cat": {"template": "old", "age": "old", "noun": "cat"},
        "a new cat": {"template": "old", "age": "new", "noun": "cat"},
    }


def test_questions_follow_from_a_prompt_that_is_understood(make: Make) -> None:
    (portion,), (compared,), none, counts = (
        asks(make(f'prompts: "{text}"'))[0]
        for text in ("half a pizza", "fewer cats than books", "an apple with no seeds", "2 red cats and 3 dogs")
    )
    assert (portion.wording, portion.expects) == ("Is there half of a pizza?", (True,))
    assert isinstance(compared.question, Choose)
    assert compared.question.lines[int(compared.expects[0])].endswith("There are fewer cats than books.")
    assert [(ask.question.id, ask.expects) for ask in none] == [("count:apple", (1,)), ("count:seed", (0,))]
    assert [(ask.question.id, ask.expects) for ask in counts] == [
        ("count:cat", (2,)),
        ("count:red cat", (2,)),
        ("count:dog", (3,)),
    ]


def test_nouns_of_the_file_are_understood_besides_those_that_can_be_drawn(make: Make) -> None:
    made = make('prompts: "{number} {noun(s)}"\nwords: {noun: [gizmo, tegumen, Tuba], number: [2]}')
    assert [own[0].question for own in asks(made)] == [Count("gizmo"), Count("tegumen"), Count("tuba")]


def test_questions_are_those_that_the_file_asks(make: Make) -> None:
    made = make(
        """\
prompts: "{number} cats and {a noun} saying 'hi'"
words: {number: [3], noun: [dog]}
ask:
  - match
  - count: cats
  - count: red cat
    is: [0, 2-3]
  - shown: "{noun}"
  - absent: mice
  - absent: some rice
  - shown: some snow
  - confirm: Is the dog asleep?
  - confirm: Are there 4 cats?
    is: no
  - choose: ["more {nouns}", more cats]
    is: 2
    question: Which are more?
  - text: hi
"""
    )
    match, *parts = asks(made)[0]
    assert (match.question.id, match.is_relevant) == ("matches-prompt", True)
    assert [(ask.question.id, ask.wording, ask.expects) for ask in parts] == [
        ("count:cat", "How many cats are in the image?", (3,)),
        ("count:red cat", "How many red cats are in the image?", (0, 2, 3)),
        ("confirm:there are some dogs", "Is there a dog?", (True,)),
        ("confirm:there are no mice", "Is the image free of mice?", (True,)),
        ("confirm:there is no rice", "Is the image free of rice?", (True,)),
        ("confirm:there is some snow", "Is there any snow?", (True,)),
        ("confirm:Is the dog asleep?", "Is the dog asleep?", (True,)),
        ("confirm:Are there 4 cats?", "Are there 4 cats?", (False,)),
        ('choose:["more dogs", "more cats"]', "Which are more?", (1,)),
        ("transcribe", "What text is written in the image?", ("hi",)),
    ]
    assert not any(ask.is_relevant for ask in parts)
    informed = {ask.wording for ask in parts if isinstance(ask.question, Confirm) and ask.question.is_informed}
    assert informed == {"Are there 4 cats?"}


def test_a_yes_or_no_question_that_says_as_much_as_the_prompt_is_informed(make: Make) -> None:
    (told, blind) = asks(make("prompts: A cat.\nask: [{shown: cat}, {absent: dog}]"))[0]
    assert (told.question.is_informed, blind.question.is_informed) == (True, False)


def test_a_picture_matches_if_all_its_parts_hold(make: Make) -> None:
    rule = find_parts_rule("my-suite.yaml~grid")
    made = make('prompts: "2 cats saying \\"hi\\""\nask: [match, {count: cat, is: 2}, {text: hi you}]')
    (item,) = made.obj.items(0)
    assert rule is not None
    assert [ask.question.kind for ask in rule.list_parts(item)] == ["count", "transcribe"]
    read = {"count:cat": Known(2), "transcribe": Known("Oh, HI you!")}
    unread = Discarded("too dark", is_refusal=True)
    assert rule.join(item, read) == Known(True)
    assert rule.join(item, {**read, "count:cat": Known(3)}) == Known(False)
    assert rule.join(item, {**read, "transcribe": Known("hi")}) == Known(False)
    assert isinstance(rule.join(item, {**read, "count:cat": unread}), Discarded)
    assert rule.join(item, {"count:cat": Known(2)}) is None
    waiting = rule.name_waiting([item], lambda question: question.kind == "count")
    assert waiting == "1 of 1 items wait for people or another judge"
    assert rule.name_waiting([item], lambda _: True) == ""


def test_things_are_shown_alone_besides_and_linked_to_the_prompts_that_they_are_in(make: Make) -> None:
    made = make(
        'prompts: "{a noun} without {parts}"\nwords: {"noun, part": {cat: [tail, ear]}}\nsingles: noun\n'
        'ask: [match, {shown: "{noun}"}]'
    )
    items = {item.id.removeprefix("my-suite.yaml/"): item for item in made.obj.items(0)}
    assert list(items) == ["cat/tail", "single/cat", "cat/ear"]
    assert items["cat/tail"].factors == {"task": "my-suite", "noun": "cat", "part": "tail", "linked": "single/cat"}
    single = items["single/cat"]
    assert (task_text(single.task), single.factors) == ("cat", {"task": "single", "noun": "cat"})
    assert [(ask.question.id, ask.is_relevant) for ask in single.asks] == [
        ("matches-prompt", True),
        ("confirm:there are some cats", False),
    ]
    assert made.obj.strata == ("task",)


def test_factors_are_sampled_where_the_file_says_so_and_fixed_no_longer(make: Make) -> None:
    text = 'prompts: {plain: "{number} {noun(s)}", there: "There are {number} {noun(s)}"}\n'
    text += "words: {number: [2, 3], noun: [cat, dog]}\n"
    plain, sampled = make(text), make(text + "sampled: [category, template]\n")
    assert plain.obj.design().sampled == {}
    assert plain.obj.strata == ("template", "number")
    assert sampled.obj.design().sampled == {"category": "category", "template": "template"}
    assert sampled.obj.strata == ("number",)
    assert sampled.spec != plain.spec


SHOWN = """\
prompts: "How many {nouns} do you see?"
show: "{number} {nouns}"
words: {noun: [cat, book], number: [2, 5]}
pictures: 2
"""


def test_pictures_are_shown_and_their_number_is_asked_for(make: Make) -> None:
    suite = make(SHOWN).obj
    first, *_ = items = list(suite.items(0))
    assert (len(items), suite.judge) == (8, "parser")
    assert isinstance(first.task, Answer)
    assert isinstance(first.task.picture, Stimulus)
    assert replace(first.task.picture, seed=0) == Stimulus("cat", 2, 0)
    assert first.asks == (Ask(Count("cat"), "How many cats do you see?", (2,)),)
    assert len({item.task for item in items} | {item.task for item in suite.items(1)}) == 16


def test_whether_a_statement_is_right_may_be_a_word_of_the_list(make: Make) -> None:
    made = make(
        'prompts: "Are there {guess} cats?"\nshow: "{number} cats"\n'
        'words: {"number, guess, answer": [[3, 3, yes], [3, 4, no]]}\n'
        'ask: {confirm: "Are there {guess} cats?", is: "{answer}"}'
    )
    (right,), (wrong,) = asks(made)
    assert (right.wording, right.expects, wrong.expects) == ("Are there 3 cats?", (True,), (False,))


def test_image_files_are_shown(make: Make, tmp_path: Path) -> None:
    (tmp_path / "cats.jpg").write_bytes(b"\xff\xd8\xff")
    made = make(
        'prompts: How many cats?\nshow: "{file}.jpg"\nwords: {"file, seen": [[cats, 4]]}\n'
        'ask: {count: cat, is: "{seen}"}'
    )
    (item,) = made.obj.items(0)
    assert item.task == Answer(Filed(str(tmp_path / "cats.jpg")), "How many cats?")
    assert item.asks == (Ask(Count("cat"), "How many cats?", (4,)),)
    assert item.factors["number"] == 4


def test_a_sample_is_different_prompts_with_each_number_as_often(make: Make) -> None:
    many = 'prompts: "{number} {adjective} {noun(s)}"\nask: {count: "{noun}"}\nwords:\n  number: 1-5\n'
    many += "".join(f"  {name}: [{', '.join(f'{name}{i}' for i in range(200))}]\n" for name in ("noun", "adjective"))
    items = list(make(f"{many}sample: 52\n").obj.items(0))
    assert len({task_text(item.task) for item in items}) == 52
    assert sorted(Counter(item.factors["number"] for item in items).values()) == [10, 10, 10, 11, 11]
    assert items == list(make(f"{many}sample: 52\n").obj.items(0))
    assert items != list(make(f"{many}sample: 52\nseed: 1\n").obj.items(0))
    with pytest.raises(
        BadFileError, match=r"line 4: 200,000 combinations .*; at most 100,000: shorten a list, or add samp"
    ):
        make(many)


SAMPLES = {  # how many nouns, how many in the sample, and the hash of its prompts
    (3, 1): "be5239dd",
    (3, 15): "07d10464",
    (40, 52): "2d7b8b3f",
    (200, 52): "c9f013de",
    (200, 999): "f76e0ad9",
}


def test_a_sample_is_the_same_whatever_python_does_to_shuffle_and_sample(
    make: Make, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    for name in ("shuffle", "sample"):
        monkeypatch.delattr(Random, name)
    for (nouns, number), expected in SAMPLES.items():
        text = 'prompts: "{number} {noun(s)}"\nask: {count: "{noun}"}\nwords:\n  number: 1-5\n'
        text += f"  noun: [{', '.join(f'noun{place}' for place in range(nouns))}]\nsample: {number}\n"
        with case(f"{number} of {nouns * 5}"):
            assert digest([task_text(item.task) for item in make(text).obj.items(0)])[:8] == expected


def test_a_suite_is_what_its_file_means_wherever_it_lies_and_however_it_is_laid_out(make: Make) -> None:
    laid_out = "# of ours\nwords: {number: [1, 2-3], \"noun\": ['apple', cat]}\n\nprompts: >-\n  {number} {noun(s)}\n"
    made, other = make(CATS), make(laid_out, "My Suite.yml")
    assert made.spec == other.spec
    assert list(made.obj.items(0)) == list(other.obj.items(0))
    changed = make(CATS.replace("1-3", "1-4"))
    assert changed.spec.name == made.spec.name == "my-suite.yaml"
    assert changed.spec.options != made.spec.options
    assert made.obj.title == "My suite"


WRONG = {
    # what a file says, the line, and what is said about it
    "": (1, "the file is empty"),
    "- a\n": (1, "the file: should be keys with values"),
    "words: {noun: [a]}\n": (1, "no prompts; add a line such as prompts:"),
    "prompts: a\npromts: b\n": (2, "unknown key 'promts'; did you mean prompts?"),
    "prompts: a\nzzz: b\n": (2, "unknown key 'zzz'; known: name, version, prompts"),
    "prompts: a\nprompts: b\n": (2, "'prompts' stands there twice, first on line 1"),
    "prompts: {number} cats\n": (1, "a text with {, ? or : in it stands in quotation marks"),
    "prompts: cats: two\n": (1, "a text with {, ? or : in it stands in quotation marks"),
    "prompts: {noun}\nwords: {noun: [a]}\n": (1, "prompts: should be a text; a text that begins with {"),
    'prompts: "{nuon}"\nwords:\n  noun: [cat]\n': (1, "no list of words for {nuon}; did you mean {noun}?"),
    'prompts: "{noun"\nwords:\n  noun: [cat]\n': (1, "a single {; write {{ for the character itself"),
    'prompts: "{noun(s)}"\nwords:\n  noun: [cat]\n': (1, "{noun(s)} follows a number"),
    'prompts: "{numbers}"\nwords:\n  number: 1-3\n': (1, "{numbers} does not suit 'number', a list of numbers"),
    'prompts: "{noun in words}"\nwords:\n  noun: [cat]\n': (1, "does not suit 'noun', a list of words"),
    'prompts: "{number}"\nwords:\n\n  number: 1-x\n': (4, "number '1-x': write a range like 1-10 or a list like [1, 2"),
    'prompts: "{number}"\nwords:\n  number: 5-1\n': (3, "should go up"),
    'prompts: "{number}"\nwords:\n  number: 0-999999\n': (3, "at most 100,000 numbers"),
    'prompts: "{noun}"\nwords:\n  noun: cat, dog\n': (3, "noun 'cat, dog': write a list like [cat, dog]"),
    'prompts: "{noun}"\nwords:\n  noun: []\n': (3, "noun: write a list like [cat, dog]"),
    'prompts: "{noun}"\nwords:\n  nouns: [cat]\n': (3, "list 'nouns': name it 'noun'; {nouns} is then the plural"),
    'prompts: "{noun}"\nwords:\n  noun: [cat, cat]\n': (3, "'cat' stands there twice"),
    'prompts: "{noun}"\nwords:\n  noun:\n    - cat\n    - dog\n    - cat\n': (6, "'cat' stands there twice"),
    'prompts: "{number}"\nwords:\n  number:\n    - 1\n    - two\n': (5, "number 'two': should be a whole number"),
    "prompts: []\n": (1, "an empty list"),
    'prompts: "{noun}"\nwords:\n  noun:\n    - cat\n    - [dog]\n': (5, "noun: should be a text"),
    'prompts: "{noun}"\nwords:\n  noun, part:\n    - [cat]\n': (4, "a row should be 2 words: [noun, part]"),
    'prompts: "{noun}"\nwords:\n  noun, part: 3\n': (3, "noun, part: write rows like - [noun, part]"),
    'prompts: "{task}"\nwords:\n  task: [cat]\n': (3, "name 'task': it is taken"),
    'prompts: "{noun}"\nwords:\n  noun: [cat]\n  age: [old]\nask: match\n': (
        4,
        "no prompt names 'age'; write {age} int",
    ),
    'prompts: "{noun}"\nwords:\n  noun: [cat]\nask:\n  - shown: "{age}"\n': (5, "no list of words for {age}"),
    "prompts: [a, b]\nask: matches\n": (2, "question 'matches': should be match, or a kind"),
    "prompts: a\nask:\n  - cuont: cat\n": (3, "unknown key 'cuont' in a question; did you mean count?"),
    "prompts: a\nask:\n  - count: cat\n": (3, "count: what is right? add is, as in is: 3"),
    "prompts: a\nask:\n  - {count: cat, is: many}\n": (3, "is 'many': write a range like 1-10"),
    "prompts: a\nask:\n  - {count: cat, shown: dog}\n": (3, "this has count and shown"),
    "prompts: a\nask:\n  - {shown: dog, is: 2}\n": (3, "shown has no is"),
    "prompts: a\nask:\n  - {confirm: So?, is: no}\n": (3, "a text with {, ? or : in it stands in quotation marks"),
    "prompts: a\nask:\n  - {confirm: 'So?', is: maybe}\n": (3, "is 'maybe': should be yes or no"),
    "prompts: a\nask:\n  - {confirm: 'So?', is: [yes, no]}\n": (3, "should be yes or no"),
    "prompts: a\nask:\n  - {choose: [a, b], is: c}\n": (
        3,
        "is 'c': should be one of the lines, or its place from 1 to 2",
    ),
    "prompts: a\nask:\n  - {choose: [a, a], is: a}\n": (3, "two lines are the same"),
    "prompts: a\nask:\n  - {count: cat, is: []}\n": (3, "what is right? is has nothing in it"),
    "prompts: a\nask:\n  - text: hi\n": (3, "text is looked for as a part of a match; add match"),
    "prompts: a\nask:\n  - shown: cat\n  - shown: cats\n": (4, "two questions about 'a' are the same"),
    "prompts: seven gizmos at sea\n": (1, "prompt 'seven gizmos at sea' is not understood"),
    "prompts: some red apples and 2 green apples\n": (1, "is not understood (no question tells things apart)"),
    'prompts: [a cat, "{a noun}"]\nwords: {noun: [cat]}\n': (1, "prompt 'a cat' is made twice"),
    "prompts:\n  - a cat\n  - a cat\n": (3, "prompt 'a cat' stands there twice"),
    f"prompts: a cat\nversion: {'1' * 41}\n": (2, "should be at most 40 characters"),
    "prompts: a cat\nsample: 3\n": (2, "has 1 combinations; take at most 1"),
    "prompts: a cat\nsample: 0\n": (2, "sample '0': should be a whole number from 1"),
    "prompts: a cat\nrepeats: 1e3\n": (2, "repeats '1e3': should be a whole number"),
    "prompts: a cat\nstrata: [hue]\n": (2, "strata 'hue': no such factor; known: number, category"),
    "prompts: a cat\nsampled: [hue]\n": (2, "sampled 'hue': no such factor; known: number, category"),
    "prompts: a cat\nstrata: category\nsampled: category\n": (3, "sampled 'category': strata are fixed; name it under"),
    "prompts: a cat\nname: My Cats\n": (2, "name 'My Cats': should be 1 to 40 of a–z, 0–9 and -"),
    "prompts: a cat\n\njudge: obsrever\n": (3, "judge: no judge named 'obsrever'; known: clip,"),
    "prompts: a cat\njudge: observer:flor=1\n": (2, "judge: judge 'observer' has no option 'flor'"),
    "prompts: a cat\njudge: vlm\n": (2, "judge: judge 'vlm' needs MODEL: write vlm:MODEL"),
    "prompts: a cat\njudge: vlm:opnai:gpt\n": (2, "judge: no model named 'opnai'"),
    "prompts: a cat\njudge: [observer]\n": (2, "judge: should be a text"),
    "prompts: a cat\nsingles: noun\n": (2, "singles 'noun': should be a list of words; known: none"),
    "prompts: a cat\npictures: 3\n": (2, "for several drawings: repeats"),
    "prompts: a cat\nfactors: {kind: a, linked: b}\n": (2, "name 'linked': it is taken"),
    "prompts: How many?\nshow: 3 red cats\n": (2, "should be a number of one kind of things"),
    "prompts: How many?\nshow: 3 gizmos\n": (2, "should be a number of one kind of things"),
    "prompts: How many?\nshow: 3000 cats\n": (2, "show"),
    "prompts: How many?\nshow: cats.png\n": (2, "show 'cats.png': no such file"),
    "prompts: How many?\nshow: 3 cats\nask: match\n": (3, "about a picture one question is asked"),
    'prompts: "{number}?"\nshow: "{number} cats"\nwords: {number: [3]}\n': (1, "{number} gives the answer away"),
    'prompts: "{number} cats"\nwords: {number: [3]}\nask:\n  - count: cat\n    question: "{number}?"\n': (
        5,
        "gives the answ",
    ),
    "a: &x [1]\nprompts: *x\n": (1, "anchors and aliases (&, *) are not read"),
    "prompts: a\nwords:\n  <<: {noun: [cat]}\n": (3, "name '<<': should be 1 to 40 of a–z"),
    "prompts: !!python/object/apply:os.system [ls]\n": (1, "tags (!) are not read"),
    "prompts: !!int 3\n": (1, "tags (!) are not read"),
    "prompts: a\n---\nprompts: b\n": (2, "a second document; one file is one suite"),
    "prompts: a\n\tb: c\n": (2, "no YAML"),
    "words:\n\tnoun: [cat]\n": (2, "indent by spaces, not by tabs"),
    "prompts: 'a\n": (2, "no YAML"),
    "? [a]\n: b\n": (1, "a key should be a text"),
    "prompts: a\0b\n": (1, "no YAML: the character '\\x00'"),
    "prompts:\n" + "[" * 900: (2, "nested more than 10 deep"),
    'prompts: "a\\nb"\n': (1, "should be a text in one line"),
}


@pytest.mark.slow
def test_what_is_wrong_is_said_with_its_line(make: Make, case: Case) -> None:
    for text, (line, message) in WRONG.items():
        with case(text[:60]):
            with pytest.raises(BadFileError) as caught:
                make(text)
            assert str(caught.value).startswith(f"my-suite.yaml line {line}: ")
            assert message in str(caught.value)


def test_a_file_that_is_too_large_or_no_text_is_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(BadFileError, match="at most 1,000,000 are read"):
        make("#" * 1_000_001)
    (tmp_path / "latin.yaml").write_bytes(b"prompts: a\nname: \xe9\n")
    with pytest.raises(BadFileError, match=r"latin.yaml line 2: not UTF-8"):
        make_suite(str(tmp_path / "latin.yaml"))


@pytest.mark.slow
def test_a_run_goes_on_with_what_the_file_meant_and_refuses_what_it_means_now(tmp_path: Path) -> None:
    file, run = tmp_path / "my-cats.yaml", tmp_path / "run"
    file.write_text(CATS.replace("1-3", "1-2"), encoding="utf-8")
    first = call("run", file, "--model", "painter:size_px=256", "--limit", 2, "--out", run)
    assert first.code == 0, first.err
    (tmp_path / "elsewhere").mkdir()
    moved = file.rename(tmp_path / "elsewhere" / file.name)
    moved.write_text(f"# moved\n{moved.read_text(encoding='utf-8')}", encoding="utf-8")
    second = call("run", f"file:{moved}", "--model", "painter:size_px=256", "--out", run)
    assert second.code == 0, second.err
    assert "2 done before" in second.out
    scores = call("score", run, "--json").json()
    (accuracy,) = (one for one in scores if (one["measure"], one["group"]) == ("accuracy", "all"))
    assert (accuracy["suite"], accuracy["value"], accuracy["n"]) == ("my-cats.yaml", 1.0, 4)
    before = make_suite(str(moved)).spec.text
    moved.write_text(CATS, encoding="utf-8")
    third = call("run", moved, "--model", "painter:size_px=256", "--out", run)
    assert third.code == 2
    assert f"was made with the suite {before!r}, not {make_suite(str(moved)).spec.text!r}" in third.err


def test_a_file_is_described_and_its_prompts_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "my-cats.yaml"
    file.write_text(CATS, encoding="utf-8")
    described = call("list", file).out.splitlines()
    assert described[1:3] == ["title: My cats", "items: 6 to draw"]
    assert "factors: number (1, 2, 3); category (apple, cat)" in described
    assert call("make", "prompts", file).out.splitlines()[:2] == [
        "id,prompt,number,category",
        "my-cats.yaml/apple/1,1 apple,1,apple",
    ]
    assert "my-cats.yaml~grid/cat/2" in call("make", "prompts", f"{file}~grid").out
    assert call("make", "prompts", f"{file}:fresh=2").err.startswith("subitize: suite 'file' has no option 'fresh'")
    assert (
        call("make", "prompts", tmp_path / "none.yaml").err
        == f"subitize: cannot read {tmp_path / 'none.yaml'}: No such file or directory\n"
    )


def test_the_files_of_the_page_have_as_many_items_as_it_says(make: Make) -> None:
    page = (ROOT / "docs" / "suite-files.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"^```yaml (\S+)\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL))
    found = {name.removesuffix(".yaml"): list(make(text, name).obj.items(0)) for name, text in files.items()}
    sizes = {"animals": 15, "parts": 4, "halves": 4, "fewer": 8, "herd": 2, "counting": 16, "negation": 49}
    assert {name: len(items) for name, items in found.items() if name != "colours"} == sizes
    assert Counter(item.factors["template"] for item in found["colours"]) == {"plain": 8, "coloured": 16}
    assert files["negation.yaml"] == (ROOT / "examples" / "negation.yaml").read_text(encoding="utf-8")
    with pytest.raises(BadFileError) as caught:
        make(files["animals.yaml"].replace("1-5", "1-x"), "animals.yaml")
    assert str(caught.value) in page
