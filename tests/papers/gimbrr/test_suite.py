"""GIMBRR's prompts: their grammar, their words, their conditions, and the options that choose among them."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from subitize.errors import BadValueError, UnknownNameError
from subitize.language.nouns import article, plural, singular
from subitize.language.tokens import word_set
from subitize.papers.gimbrr.generation import generate
from subitize.papers.gimbrr.prompts import (
    ALL,
    CONTROLLED,
    SINGLE,
    TASKS,
    WORDS,
    Meaning,
    Objects,
    classes_of,
    split,
    write_prompt,
)
from subitize.papers.gimbrr.suite import Gimbrr, draw_prompts, read_directory
from subitize.records import Item, task_text
from subitize.registry import make_suite
from tests.cases import Case
from tests.papers.gimbrr.prompt_reader import read_prompt

ITEMS = {item.id.removeprefix("gimbrr/"): item for item in Gimbrr().items(0)}
SEEDS = (0, 1)


drawn = cache(draw_prompts)


def texts(task: str, fresh: int = 0) -> list[str]:
    return [prompt.text for prompt in drawn(fresh) if prompt.task.key == task]


def of_task(task: str) -> list[Item]:
    return [item for item in ITEMS.values() if item.factors["task"] == task]


def test_every_prompt_is_read_as_it_was_meant_and_written_as_it_was_read(case: Case) -> None:
    for seed in SEEDS:
        for key, meanings in generate(seed).items():
            for meaning in meanings:
                text = write_prompt(ALL[key], meaning)
                with case(text):
                    assert read_prompt(ALL[key], text) == meaning


def test_there_are_a_hundred_prompts_of_each_task_and_none_of_the_1100_is_doubled() -> None:
    for seed in SEEDS:
        prompts = [prompt for prompt in drawn(seed) if prompt.task in TASKS]
        assert Counter(prompt.task.key for prompt in prompts) == {task.key: 100 for task in TASKS}
        assert len({prompt.text for prompt in prompts}) == 1100


def test_the_controlled_set_repeats_twenty_objects_in_ten_pairs() -> None:
    single, multiple, counting, two_counting, arithmetic = (Counter(texts(task.key)) for task in CONTROLLED)
    assert (len(single), set(single.values())) == (20, {5})
    assert (len(multiple), set(multiple.values())) == (10, {10})
    assert (len(counting), len(two_counting), len(arithmetic)) == (100, 100, 100)
    assert Counter(item.factors["number"] for item in of_task("controlled-counting")) == dict.fromkeys(
        (2, 4, 6, 8, 12), 20
    )
    assert {item.factors["numbers"] for item in of_task("controlled-two-counting")} == NUMBERS


NUMBERS = {"3,6", "6,12", "2,6", "4,12", "2,8", "6,3", "12,6", "6,2", "12,4", "8,2"}
OPERATIONS = {
    ("3,6", "twice"), ("6,12", "twice"), ("2,6", "three times"), ("4,12", "three times"), ("2,8", "four times"),
    ("6,3", "half"), ("12,6", "half"), ("6,2", "a third"), ("12,4", "a third"), ("8,2", "a quarter"),
}  # fmt: skip


def test_conditions_are_as_balanced_as_in_the_directory() -> None:
    arithmetic = Counter((item.factors["numbers"], item.factors["operation"]) for item in of_task("arithmetic"))
    assert arithmetic == dict.fromkeys(OPERATIONS, 10)
    assert set(Counter(item.factors["number"] for item in of_task("counting")).values()) == {9, 10}
    assert {item.factors["number"] for item in of_task("counting")} == set(range(2, 13))
    assert Counter(item.factors["common"] for item in of_task("multiple")) == {True: 50, False: 50}
    assert min(Counter(item.factors["objects"] for item in of_task("multiple")).values()) >= 32
    assert Counter(item.factors["features"] for item in of_task("chimeras")) == {2: 50, 3: 50}
    conditional = Counter(
        (item.factors["target_position"], item.factors["adjective"]) for item in of_task("conditional")
    )
    assert set(conditional.values()) == {25}
    assert min(Counter(item.factors["relation"] for item in of_task("spatial")).values()) == 16
    assert min(Counter(item.factors["verb"] for item in of_task("actions")).values()) == 14
    words = Counter(len(str(item.factors["text"]).split()) for item in of_task("text"))
    assert set(words) == set(range(1, 7))


def test_the_first_prompts_of_a_task_are_balanced_too() -> None:
    some = list(Gimbrr(tasks=("counting", "multiple"), per_task=12).items(0))
    assert len({item.factors["number"] for item in some if item.factors["task"] == "counting"}) == 11
    assert Counter(item.factors.get("common") for item in some if item.factors["task"] == "multiple") == {
        True: 6,
        False: 6,
    }


def test_articles_fit_their_nouns_and_nouns_have_two_forms(case: Case) -> None:
    for prompt in (prompt for seed in SEEDS for prompt in drawn(seed)):
        with case(prompt.text):
            for found in re.finditer(r"\b(an?) (?=(\w[\w'-]*))", prompt.text.partition('"')[0], re.IGNORECASE):
                if found[2] not in ("third", "quarter"):
                    assert found[1].lower() == article(found[2])
            for noun in classes_of(prompt.meaning):
                assert noun == singular(noun) == singular(plural(noun))


def test_numbers_above_one_have_plurals_and_one_has_none(case: Case) -> None:
    for task in ("counting", "controlled-counting", "arithmetic", "controlled-arithmetic", "controlled-two-counting"):
        for text in texts(task):
            with case(text):
                nouns = re.split(r" and (?:[a-z]+ times as many|an? [a-z]+ as many|[a-z]+ as many|[a-z]+) ", text)
                heads = [nouns[0].partition(" ")[2], *nouns[1:]]
                assert [plural(singular(noun)) for noun in heads] == heads


# Words that image services refuse, or read as such: hurt, weapons, nakedness, drugs, hatred, and real people.
BLOCKED = word_set(
    "abuse alcohol assault beaten beer bikini blood bloody bomb breast bullet butcher cannabis cigar cigarette cocaine"
    " corpse crucified cruel dead death die drug drunk dying evil explosion fascist fight gore gun hang hitler horror"
    " hurt jail kill killer knife lingerie massacre murder naked nazi nude pistol poison porn prison racist revealing"
    " rifle satan sex sexy shoot shot sick slave slaughter stab suicide sword terror torture trump underwear vampire"
    " violence war weapon whiskey wound xi"
)


def test_no_prompt_has_a_word_that_providers_block(case: Case) -> None:
    for prompt in (prompt for seed in SEEDS for prompt in drawn(seed)):
        with case(prompt.text):
            assert BLOCKED.isdisjoint(re.findall(r"[a-z]+", prompt.text.lower()))


def test_what_stands_somewhere_can_and_what_is_unusual_cannot() -> None:
    sizes = {noun: size for size, nouns in enumerate(WORDS["spatial"]["sizes"]) for noun in split(nouns)}
    for item in of_task("spatial"):
        one, other = str(item.factors["classes"]).split(", ")
        if item.factors["relation"] in ("on top of", "under"):
            assert sizes[one] < sizes[other]
        assert abs(sizes[one] - sizes[other]) <= 1 or item.factors["relation"] in ("on top of", "under")
    unusual = WORDS["unusual"]
    lifeless, alive = split(unusual["things"]), split(unusual["animals"])
    for item in of_task("unusual"):
        actor = str(item.factors["classes"]).split(", ")[0]
        assert actor in lifeless or (actor in alive and item.factors["verb"] in unusual["deeds"])


def test_a_fresh_set_has_other_texts_and_is_the_same_for_its_seed() -> None:
    for task in TASKS:
        assert set(texts(task.key)).isdisjoint(texts(task.key, 5))
    assert draw_prompts(5) == drawn(5)
    assert texts("chimeras", 5) != texts("chimeras", 6)
    assert {prompt.key.partition("-")[0] for prompt in drawn(5)} == {"fresh5"}


def test_every_object_to_be_shown_is_linked_to_its_single_object() -> None:
    for key, item in ITEMS.items():
        linked = [one for one in str(item.factors.get("linked", "")).split(",") if one]
        if item.factors["task"] in (SINGLE.key, "controlled-single"):
            assert not linked
            continue
        assert [task_text(ITEMS[one].task) for one in linked] == str(item.factors["classes"]).split(", "), key
        absent = str(item.factors.get("absent", ""))
        assert absent not in str(item.factors["classes"]).split(", ")
    used = {one for item in ITEMS.values() for one in str(item.factors.get("linked", "")).split(",") if one}
    assert used == {key for key in ITEMS if key.startswith("single-")}


FACTORS: dict[str, set[str]] = {
    "conditional": {"absent", "target_position", "adjective"},
    "arithmetic": {"numbers", "operation"},
    "negation": {"absent"},
    "actions": {"verb"},
    "spatial": {"relation"},
    "unusual": {"verb"},
    "compositional": {"attribute"},
    "chimeras": {"features"},
    "counting": {"number"},
    "text": {"text"},
    "multiple": {"objects", "common"},
    "single": set(),
    "controlled-single": set(),
    "controlled-multiple": set(),
    "controlled-counting": {"number"},
    "controlled-two-counting": {"numbers"},
    "controlled-arithmetic": {"numbers", "operation"},
}
ASKS: dict[str, list[str]] = {
    "conditional": ["confirm", "confirm"],
    "arithmetic": ["count", "count"],
    "negation": ["confirm", "confirm"],
    "actions": ["confirm"] * 3,
    "spatial": ["confirm"] * 3,
    "unusual": ["confirm"] * 3,
    "compositional": ["confirm", "confirm"],
    "counting": ["count"],
    "text": ["confirm", "transcribe"],
    "single": ["confirm"],
    "controlled-two-counting": ["count", "count"],
}


def test_each_task_has_its_own_factors_and_asks_about_its_own_parts(case: Case) -> None:
    for task, factors in FACTORS.items():
        with case(task):
            own = of_task(task)
            linked = set() if task in ("single", "controlled-single") else {"linked"}
            assert {frozenset(item.factors) for item in own} == {frozenset({"task", "classes", *factors, *linked})}
            for item in own:
                assert [ask.question.id for ask in item.asks if ask.is_relevant] == ["matches-prompt"]
                if task in ASKS:
                    assert [ask.question.kind for ask in item.asks[1:]] == ASKS[task]


def test_options_choose_prompts_and_leave_their_ids() -> None:
    some = list(make_suite("gimbrr:tasks=counting,per_task=20,linked=true").obj.items(0))
    counting = [item for item in some if item.factors["task"] == "counting"]
    assert len(counting) == 20
    assert all(item == ITEMS[item.id.removeprefix("gimbrr/")] for item in some)
    assert {item.id.partition("/")[2] for item in some if item not in counting} == {
        str(item.factors["linked"]) for item in counting
    }
    assert len(list(Gimbrr(tasks=("single",), per_task=7).items(0))) == 7
    assert len(list(Gimbrr(tasks=("counting",)).items(0))) == 100


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("tasks=sums", UnknownNameError, "no task named 'sums'; known: "),
        ("per_task=0", BadValueError, "per_task=0: should be from 1 to 100"),
        ("fresh=-1", BadValueError, "fresh=-1: should be a seed from 1"),
        ("fresh=1,prompts=x.csv", BadValueError, "take the authors' directory or fresh prompts"),
        ("corrected=true", BadValueError, "corrected= is for the authors' directory; add prompts=FILE"),
    ],
    ids=["task", "per_task", "fresh", "fresh and prompts", "corrected"],
)
def test_options_that_cannot_be_are_refused(spec: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        make_suite(f"gimbrr:{spec}")


@pytest.mark.slow
def test_the_authors_directory_becomes_items_with_their_labels(shared_data: Path) -> None:
    path = shared_data / "gimbrr" / "Prompt_dir_230228_extraVars.csv"
    suite = make_suite(f"gimbrr:prompts={path}").obj
    items = {item.id: item for item in suite.items(0)}
    assert len(items) == 2102
    assert [note.partition(": ")[2][:30] for note in suite.notes] == [
        "left out 200 rows of img2img, ",
        "columns contradict the text of",
    ]
    rows = {row.id: row for row in read_directory(path)}
    for id, row in rows.items():
        item = items[f"gimbrr/{id}"]
        assert task_text(item.task) == row.text
        assert item.factors["classes"] == ", ".join(row.classes)
        assert item.factors.get("linked", "") == ",".join(map(str, row.linked))
    assert items["gimbrr/489"].factors["relation"] == "to the right of"
    corrected = {item.id: item for item in make_suite(f"gimbrr:prompts={path},corrected=true").obj.items(0)}
    assert corrected["gimbrr/489"].factors["relation"] == "to the left of"
    assert corrected["gimbrr/4"].factors["classes"] == "floor"
    alone = [id for id, item in items.items() if len(item.asks) == 1]
    assert sorted(alone) == ["gimbrr/211", "gimbrr/248", "gimbrr/268", "gimbrr/274"]  # outside the grammar


def test_a_directory_without_extra_variables_says_so(shared_data: Path) -> None:
    path = shared_data / "gimbrr" / "Prompt_dir_230228.csv"
    notes = make_suite(f"gimbrr:tasks=chimeras,prompts={path}").obj.notes
    assert any("no extra variables" in note for note in notes)


def test_our_grammar_reads_most_of_the_authors_prompts(shared_data: Path) -> None:
    rows = read_directory(shared_data / "gimbrr" / "Prompt_dir_230228.csv")
    unread = Counter(row.task.key for row in rows if read_prompt(row.task, row.text) is None)
    # Their texts go on after the quotation, games are played without an article, a lake is "not frozen".
    assert unread == {"text": 87, "unusual": 7, "negation": 4, "compositional": 2}


def test_a_meaning_that_a_task_has_no_words_for_is_refused() -> None:
    meaning: Meaning = Objects(("cat",))
    assert write_prompt(SINGLE, meaning) == "cat"
    assert read_prompt(ALL["spatial"], "three apples") is None


def test_the_docs_show_the_first_ten_prompts_of_each_task_and_how_many_there_are() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gimbrr.md").read_text(encoding="utf-8")
    listed = page.partition("## Ten prompts of each task\n")[2]
    shown = [f"**{task.title}** (`{task.key}`)\n\n- " + "\n- ".join(texts(task.key)[:10]) for task in TASKS]
    assert "\n\n".join(shown) in listed
    assert f"| `single` | {len(texts('single'))} |" in page
