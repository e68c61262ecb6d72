"""A spec as users write it makes the same thing again, and a wrong one says what would be right."""

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from subitize.errors import BadFileError, BadValueError, UnknownNameError
from subitize.interfaces import Model, Responds, Suite
from subitize.records import Count, Design, Spec, task_text
from subitize.registry import (
    KINDS,
    Kind,
    Resolved,
    adapt,
    find_paper,
    is_outside,
    make_judge,
    make_model,
    make_refined,
    make_suite,
    names,
)
from subitize.report.listing import listings
from subitize.store import Folder, Run
from tests.cases import Case
from tests.commands import call

PLUGINS = Path(__file__).parent / "plugins"
NAMING = {
    "categories": "apples+people+butterflies+dots+fastcards",
    "numbers": "1-10",
    "images": "50",
    "wordings": "category+objects+things",
    "control_question": "true",
    "control": "none",
    "background": "white",
    "overlap": "0",
    "size_px": "1024",
    "max_attempts": "3",
}

# An outside package with an option of every type, a target, and things that cannot be loaded or must not be taken.
_OUTSIDE = '''
from __future__ import annotations


class Everything:
    """Take an option of every type.

    This second paragraph is not shown.
    """

    tasks, is_stand_in = frozenset({"answer"}), True

    async def respond(self, request):
        raise NotImplementedError

    def __init__(
        self,
        path: str,
        /,
        *,
        flag: bool = False,
        number: int = 3,
        ratio: float = 0.15,
        text: str = "a",
        names: tuple[str, ...] = ("a", "b"),
        numbers: tuple[int, ...] = (1, 2, 3),
        lone: tuple[int, ...] = (7,),
    ) -> None:
        self.given = dict(
            path=path, flag=flag, number=number, ratio=ratio, text=text, names=names, numbers=numbers, lone=lone
        )


def a_function(*, number: int = 3) -> Everything:
    """Make it by a function."""
    return Everything("made", number=number)


def dozen(counted, *, word: str = "dozen"):
    """Write twelve as a dozen."""
    return counted.put(f"a {word} {counted.plural}") if counted.number == 12 else None


class Chosen:
    """Say it in the words that were chosen."""

    def __init__(self, *, file: str = "Many") -> None:
        self._text = file

    def __call__(self, counted):
        return f"{self._text} {counted.plural}"


class Own:
    """Draw twelve things."""

    title, judge, repeats, max_attempts = "Own", "observer", 1, 1

    def __init__(self, *, file: str = "apple") -> None:
        self._noun = file

    def items(self, seed):
        from subitize.records import Ask, Count, Draw, Item

        yield Item("own/1", Draw(f"12 {self._noun}s"), (Ask(Count(self._noun), "How many?", (12,)),), {"number": 12})

    def again(self, tried):
        return ()
'''
_ENTRY_POINTS = """
[subitize.models]
everything = outside:Everything
function = outside:a_function
random = outside:Everything
no-module = outside_of_this_world:Model
no-class = outside:Missing

[subitize.suites]
own = outside:Own

[subitize.refinements]
dozen = outside:dozen
chosen = outside:Chosen
grid = outside:dozen
broken = outside:Missing
"""


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "outside.py").write_text(_OUTSIDE)
    metadata = tmp_path / "outside-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(_ENTRY_POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "outside", raising=False)


SPECS: list[tuple[str, dict[str, str], str]] = [
    ("naming", {}, "naming"),
    ("naming:", {}, "naming"),
    ("naming:images=50", {}, "naming"),
    ("naming:images=3", {"images": "3"}, "naming:images=3"),
    ("naming:images=007", {"images": "7"}, "naming:images=7"),
    ("naming:images=3,categories=dots", {"images": "3", "categories": "dots"}, "naming:categories=dots,images=3"),
    ("naming:numbers=1+2+3", {"numbers": "1-3"}, "naming:numbers=1-3"),
    ("naming:numbers=1-2+5", {"numbers": "1+2+5"}, "naming:numbers=1+2+5"),
    ("naming:numbers=3+2+1", {"numbers": "3+2+1"}, "naming:numbers=3+2+1"),
    ("naming:numbers=4-4", {"numbers": "4"}, "naming:numbers=4"),
    ("naming:numbers=1-10", {}, "naming"),
    ("naming:wordings=objects+things", {"wordings": "objects+things"}, "naming:wordings=objects+things"),
]


def test_a_spec_has_all_options_and_shows_those_that_were_changed(case: Case) -> None:
    for text, changed, shown in SPECS:
        with case(text):
            spec = make_suite(text).spec
            assert spec == Spec("naming", NAMING | changed, shown)
            assert make_suite(shown).spec == spec


@pytest.mark.parametrize(
    ("weber", "written"),
    [("0.15", "0.15"), (".2", "0.2"), ("1", "1"), ("1.", "1"), ("2e-3", "0.002"), ("0.1234567891", "0.1234567891"),
     ("1e-7", "1e-07"), ("0", "0")],
)  # fmt: skip
def test_a_number_is_written_so_that_it_reads_as_the_same_number(weber: str, written: str) -> None:
    spec = make_model(f"ideal-human:weber={weber}").spec
    assert spec.options["weber"] == written
    assert make_model(spec.text).spec == spec


def test_two_numbers_that_differ_in_the_last_digit_are_two_models() -> None:
    one, other = (make_model(f"ideal-human:weber={weber}").spec for weber in ("0.1234567", "0.1234568"))
    assert one != other
    assert one.options != other.options


def test_a_path_may_hold_commas_and_equals_signs(tmp_path: Path, case: Case) -> None:
    for name in ("images", "a,b", "run=3", "a, b=c", "x:y", "with space", "ünï", "trailing,", "Model,Key=Value", "a+b"):
        with case(name):
            folder = tmp_path / name
            folder.mkdir()
            (folder / "apples_3_0.png").write_bytes(b"")
            spec = make_model(f"folder:{folder}").spec
            assert spec == Spec("folder", {"path": str(folder), "layout": "auto"}, f"folder:{folder}")
            assert make_model(spec.text).spec == spec


def test_another_target_is_another_identity_and_not_only_another_name(outside: None) -> None:
    assert make_model("everything:one").spec.options != make_model("everything:two").spec.options


@pytest.mark.parametrize(
    ("make", "text", "message"),
    [
        (
            make_suite,
            "gecko",
            "no suite named 'gecko'; known: alignment-probe, counting-probe, counting-probe-masked, "
            "counting-probe-vqa, file, geckonum, geckonum-vqa, geneval, geneval2, gimbrr, naming, production",
        ),
        (make_suite, "", "no suite named ''; known: alignment-probe, counting-probe, counting-probe-masked, "),
        (make_suite, "Naming", "no suite named 'Naming'"),
        (
            make_model,
            "gpt",
            "no model named 'gpt'; known: counter, detr, diffusers, folder, grounding-dino, hf-inference, ideal-human, "
            "mm-grounding-dino, molmo2, observer, openai, owlv2, painter, random, rf-detr, rt-detr, sam3, ssd, "
            "transformers, vilbert, yolo",
        ),
        (
            make_judge,
            "gpt",
            "no judge named 'gpt'; known: clip, clipscore, counter, detr, dsg, fit, grounding-dino, "
            "mm-grounding-dino, molmo2, observer, ocr, owlv2, parser, parts, rf-detr, rt-detr, sam3, ssd, vlm, yolo",
        ),
        (make_judge, "random", "no judge named 'random'"),
        (make_suite, "naming:categories=cars", "no category named 'cars'; known: apples"),
    ],
    ids=["suite", "nothing", "case", "model", "judge", "of another kind", "category"],
)
def test_an_unknown_name_lists_the_known_ones(make: Callable[[str], object], text: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(message)):
        make(text)


WRONG_SPECS: dict[str, tuple[Callable[[str], object], str, str]] = {
    "option": (make_suite, "naming:image=3", "suite 'naming' has no option 'image'; known options: categories, "),
    "no options": (make_model, "observer:weber=1", "model 'observer' has no option 'weber'; known options: none"),
    "target": (
        make_suite,
        "naming:dots",
        "suite 'naming' takes options as key=value, not 'dots'; known options: categories",
    ),
    "target and option": (make_suite, "naming:dots,images=3", "takes options as key=value, not 'dots'"),
    "no target": (make_model, "folder", "model 'folder' needs PATH: write folder:PATH"),
    "empty target": (make_model, "folder:", "model 'folder' needs PATH: write folder:PATH"),
    "option for target": (make_model, "folder:repeat=1", "model 'folder' needs PATH"),
    "twice": (make_suite, "naming:images=3,images=4", "'naming:images=3,images=4' gives images twice"),
    "number twice": (
        make_suite,
        "naming:numbers=1-3+2",
        "suite 'naming': numbers: 2 stands there 2 times; once is enough",
    ),
    "name twice": (
        make_suite,
        "naming:categories=dots+dots",
        "suite 'naming': categories: dots stands there 2 times",
    ),
}


def test_a_wrong_spec_says_what_would_be_right(case: Case) -> None:
    for name, (make, text, message) in WRONG_SPECS.items():
        with case(name), pytest.raises(BadValueError, match=re.escape(message)):
            make(text)


@pytest.mark.parametrize(
    ("option", "values", "right"),
    [
        ("number", ["", "three", "3.0", "1e3", " 3", "٣", "3_000", "0x3", "9" * 5000], "should be a whole number"),
        ("ratio", ["", "nan", "inf", "1,5", "1e999", "9" * 400, "1_0", ".", "e5", "--1", "٣"], "should be a number"),
        ("flag", ["", "yes", "True", "1"], "should be true or false"),
        (
            "numbers",
            ["", "1,2", "one", "1-", "-1", "1--3", "1+", "1.5", "1-2-3", "99999999"],
            "should be whole numbers such as 1-10 or 1+2+5",
        ),
        ("numbers", ["3-1", "1-20000"], "should go up, and be at most 10,000 numbers"),
    ],
    ids=["int", "float", "bool", "tuple of ints", "range"],
)
def test_a_bad_value_is_shown_with_what_would_be_right(
    option: str, values: list[str], right: str, outside: None
) -> None:
    for value in values:
        with pytest.raises(BadValueError) as caught:
            make_model(f"everything:x,{option}={value}")
        assert str(caught.value).startswith(f"model 'everything': {option}="), value
        assert str(caught.value).endswith(right), value


def test_options_of_every_type_arrive_as_what_they_are(outside: None) -> None:
    text = "everything:./a=b/c,d,flag=true,number=-4,ratio=-1.5e2,text=x=y, z,names=p+q r,numbers=2-4+9,lone=8"
    made = make_model(text)
    assert vars(made.obj)["given"] == {
        "path": "./a=b/c,d",
        "flag": True,
        "number": -4,
        "ratio": -150.0,
        "text": "x=y, z",
        "names": ("p", "q r"),
        "numbers": (2, 3, 4, 9),
        "lone": (8,),
    }
    assert made.spec.options == {
        "path": "./a=b/c,d",
        "flag": "true",
        "number": "-4",
        "ratio": "-150",
        "text": "x=y, z",
        "names": "p+q r",
        "numbers": "2+3+4+9",
        "lone": "8",
    }
    assert make_model(made.spec.text).spec == made.spec


def test_defaults_survive_being_written_out(outside: None) -> None:
    spec = make_model("everything:x").spec
    assert spec.text == "everything:x"
    written = ",".join(f"{key}={value}" for key, value in spec.options.items() if key != "path")
    assert make_model(f"everything:x,{written}").spec == spec


# The same package before and after it got an option more.
_EARLIER = '''
from typing import Annotated

from subitize.interfaces import NotInOldIds, Model, Reply
from subitize.records import Ask, Count, Draw, Item, Said


class Guesser:
    """Say three."""

    tasks, is_stand_in, concurrency = frozenset({"answer"}), True, 4

    def __init__(self, name: str, /, *, number: int = 3) -> None:
        pass

    async def respond(self, request, /):
        return Reply(Said("3"), request.provenance())


class Own:
    """Ask for twelve things."""

    title, judge, repeats, max_attempts = "Own", "observer", 1, 1

    def __init__(self, *, noun: str = "apple") -> None:
        pass

    def items(self, seed):
        yield Item("grown/1", Draw("12 apples"), (Ask(Count("apple"), "How many?", (12,)),), {"number": 12})


def asker(model: Model, /, *, floor: float = 0.5) -> object:
    """Ask a model."""
    from types import SimpleNamespace

    return SimpleNamespace(rule="strict", is_stand_in=True, asks_together=True, compute=print)


def doubled(counted, *, word: str = "twice") -> None:
    """Say it twice."""
'''
_LATER = (
    _EARLIER.replace("number: int = 3", "number: int = 3, added: Annotated[int, NotInOldIds] = 7")
    .replace('noun: str = "apple"', 'noun: str = "apple", added: Annotated[tuple[str, ...], NotInOldIds] = ("a", "b")')
    .replace("floor: float = 0.5", "floor: float = 0.5, also: Annotated[bool, NotInOldIds] = True")
    .replace('word: str = "twice"', 'word: str = "twice", again: Annotated[float | None, NotInOldIds] = None')
)


def install(folder: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package, or another version of it."""
    folder.mkdir(exist_ok=True)
    (folder / "growing.py").write_text(source)
    metadata = folder / "growing-1.0.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: growing\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(
        "[subitize.models]\nguesser = growing:Guesser\n[subitize.suites]\ngrown = growing:Own\n"
        "[subitize.judges]\nasker = growing:asker\n[subitize.refinements]\ndoubled = growing:doubled\n"
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "growing", raising=False)
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)


GROWN: list[tuple[Callable[[str], Resolved[Any]], str, str, str]] = [
    (make_model, "guesser:x", ",added=7", ",added=8"),
    (make_suite, "grown", ":added=a+b", ":added=b"),
    (make_suite, "grown~doubled", ":again=", ":again=2"),
    (make_judge, "asker:observer", ",also=true", ",also=false"),
    (make_judge, "asker:guesser:x", ",added=7", ",added=8"),
]


def test_an_option_that_was_added_later_is_part_of_a_spec_only_where_it_is_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    install(tmp_path / "package", _EARLIER, monkeypatch)
    before = {text: make(text).spec for make, text, *_ in GROWN}
    install(tmp_path / "package", _LATER, monkeypatch)
    for make, text, default, other in GROWN:
        with case(text):
            assert make(text).spec == before[text]
            if not default.endswith("="):  # what is not given cannot be written out
                assert make(text + default).spec == before[text]
            changed = make(text + other).spec
            key, value = other[1:].split("=")
            assert value in [changed.options.get(key), changed.options.get(f"model {key}")]
            assert changed.text == before[text].text + other


def test_a_run_goes_on_with_an_option_added_later_and_not_without_one_that_it_was_made_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["run", "naming:images=1,numbers=1,categories=dots", "--out", tmp_path / "run", "--model"]
    install(tmp_path / "package", _EARLIER, monkeypatch)
    assert call(*command, "guesser:x").code == 0
    with Run(Folder(tmp_path / "run")) as run:
        trials = run.finished("guesser:x")
    install(tmp_path / "package", _LATER, monkeypatch)
    assert " 0 answered" in call(*command, "guesser:x").out
    assert " 0 answered" not in call(*command, "guesser:x,added=8").out
    with Run(Folder(tmp_path / "run")) as run:
        assert run.finished("guesser:x") == trials
        assert len(run.finished("guesser:x,added=8") - trials) == len(trials)
    install(tmp_path / "package", _EARLIER.replace("*, number: int = 3", "*, other: int = 3"), monkeypatch)
    refused = call(*command, "guesser:x")
    assert refused.code == 2
    assert 'with the options {"name":"x","number":"3"}, not {"name":"x","other":"3"}' in refused.err


def test_what_a_class_that_inherits_nothing_does_not_say_is_as_its_role_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "package", _EARLIER, monkeypatch)
    made, suite, judge = make_model("guesser:x"), make_suite("grown"), make_judge("asker:observer")
    made.obj.check()
    assert (type(made.obj).__module__, made.addresses, made.obj.repeats_per_call) == ("growing", (), 1)
    assert is_outside(suite)
    assert (suite.obj.notes, suite.obj.design(), suite.obj.count_items()) == ((), Design(), None)
    assert [item.id for item in suite.obj.items(0)] == ["grown/1"]
    assert not list(suite.obj.again([]))
    assert (judge.obj.why_not(Count("apple")), judge.obj.asks_model) == ("", False)
    assert str(judge.obj.self_test()) == "cannot be tested, as it has no test of its own"


def test_what_a_class_that_inherits_nothing_can_do_is_seen_by_its_methods() -> None:
    class Ready:
        tasks, concurrency, repeats_per_call = frozenset({"draw"}), 1, 2

        def match(self, items: object, repeats: int, /) -> str:
            return "found"

        async def respond(self, request: object, /) -> None: ...

        @property
        def network(self) -> object:
            raise RuntimeError("a property may load a network")

    it = adapt("models", "model 'ready'", Ready())
    assert (it.is_ready_made, it.is_self_tested, it.match([], 1), it.repeats_per_call) == (True, False, "found", 2)
    assert isinstance(it, Model)
    assert isinstance(it, Responds)


def test_a_constructor_may_be_a_function(outside: None) -> None:
    made = make_model("function:number=5")
    assert vars(made.obj)["given"]["number"] == 5
    assert made.spec == Spec("function", {"number": "5"}, "function:number=5")


def test_models_of_an_installed_package_are_known_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnknownNameError):
        make_model("instant")
    monkeypatch.syspath_prepend(PLUGINS)
    made = make_model("instant:concurrency=2")
    assert type(made.obj).__module__ == "odd_models"
    assert made.spec == Spec("instant", {"concurrency": "2"}, "instant:concurrency=2")
    assert "instant" in {one.name for one in listings("models")}
    with pytest.raises(UnknownNameError, match="instant"):
        make_model("gpt")


def test_an_outside_package_cannot_replace_a_built_in(outside: None) -> None:
    assert type(make_model("random").obj).__module__ == "subitize.models.random"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("no-module", "model 'no-module' (outside_of_this_world:Model) cannot be loaded: No module named"),
        ("no-class", "model 'no-class' (outside:Missing) cannot be loaded: "),
    ],
)
def test_a_broken_outside_model_is_named_and_does_not_hide_the_others(name: str, reason: str, outside: None) -> None:
    with pytest.raises(BadValueError, match=re.escape(reason)):
        make_model(name)
    found = {one.name: one for one in listings("models")}
    assert found[name].summary.startswith(reason)
    assert found["random"].options == {"low": "1", "high": "20"}


def test_a_listing_shows_the_first_line_the_target_and_the_defaults(outside: None) -> None:
    (listing,) = [one for one in listings("models") if one.name == "everything"]
    assert listing.summary == "Take an option of every type."
    assert listing.target == "path"
    assert listing.options == {
        "flag": "false",
        "number": "3",
        "ratio": "0.15",
        "text": "a",
        "names": "a+b",
        "numbers": "1-3",
        "lone": "7",
    }


def prompts(suite: Resolved[Suite]) -> list[str]:
    return [task_text(item.task) for item in suite.obj.items(0)]


def test_a_refinement_of_an_installed_package_is_one_function_and_its_options(outside: None) -> None:
    made = make_suite("production~dozen:numbers=11-12,categories=apples")
    assert prompts(made) == ["An image with 11 apples", "An image with a dozen apples"]
    made = make_suite("production~dozen:numbers=12,categories=apples,word=round dozen")
    assert prompts(made) == ["An image with a round dozen apples"]
    assert made.spec.text == "production~dozen:categories=apples,numbers=12,word=round dozen"
    assert make_suite(made.spec.text).spec == made.spec
    assert made.spec.options == {"categories": "apples", "numbers": "12", "max_attempts": "5", "word": "round dozen"}


def test_a_refinement_may_be_a_class_that_is_made_once(outside: None) -> None:
    assert prompts(make_refined("production:numbers=2,categories=apples", "chosen:file=Some")) == ["Some apples"]


def test_where_suite_and_refinement_have_an_option_in_common_the_plain_name_is_the_suites(outside: None) -> None:
    made = make_suite("own~chosen:file=pear,chosen_file=Countless")
    assert prompts(made) == ["Countless pears"]
    assert made.spec == Spec(
        "own~chosen", {"file": "pear", "chosen_file": "Countless"}, "own~chosen:file=pear,chosen_file=Countless"
    )
    assert make_refined("own:file=pear", "chosen:file=Countless").spec == made.spec


def test_an_outside_refinement_replaces_no_built_in_and_a_broken_one_hides_no_other(outside: None) -> None:
    assert prompts(make_suite("own~grid")) == ["12 apples, with a 3 row 4 column grid"]
    found = {one.name: one.summary for one in listings("refinements")}
    assert found["dozen"] == "Write twelve as a dozen."
    assert found["broken"].startswith("refinement 'broken' (outside:Missing) cannot be loaded")


def test_refined_suites_are_not_listed_among_the_suites() -> None:
    assert not [name for name in names("suites") if "~" in name]


@pytest.mark.parametrize("kind", KINDS)
def test_everything_built_in_has_a_summary_and_is_listed_by_name(kind: Kind) -> None:
    names = [one.name for one in listings(kind)]
    assert names == sorted(names)
    assert all(one.summary.endswith((".", ").")) for one in listings(kind))


MAKERS: dict[Kind, Callable[[str], object]] = {
    "suites": make_suite,
    "models": make_model,
    "judges": make_judge,
    "refinements": lambda name: make_refined("production", name),
    "papers": find_paper,
}
# "rewritten" needs a file, and has no default for it.
BY_DEFAULT = [
    pytest.param(kind, one.name, id=f"{kind}-{one.name}", marks=pytest.mark.ocr if one.name == "ocr" else ())
    for kind in KINDS
    for one in listings(kind)
    if one.target is None and one.name != "rewritten"
]


@pytest.mark.parametrize(("kind", "name"), BY_DEFAULT)
def test_everything_built_in_is_made_by_its_own_defaults(kind: Kind, name: str) -> None:
    assert MAKERS[kind](name)


def test_the_error_of_a_constructor_reaches_the_user_as_it_is() -> None:
    with pytest.raises(BadFileError, match="/no/such is not a folder"):
        make_model("folder:/no/such")
