"""Models and judges of a run: which are the same, where they are reached, and how they are shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from subitize.errors import ConflictError
from subitize.records import Spec
from subitize.store import Entry, Folder, Location, Run, display_names, find_spec, match_entry
from tests.cases import Case
from tests.store.earlier_schemas import take_back

HERE, THERE = "http://here/v1", "http://there/v1"
OPTIONS = {"model": "m", "temperature": ""}


def entry(spec: str = "openai:m", name: str = "", *addresses: str, **options: str) -> Entry:
    return Entry(spec, OPTIONS | options, is_stand_in=False, given_name=name, addresses=addresses or (HERE,))


def earlier(address: str = HERE) -> Entry:
    """A model as versions stored it that took the address for a part of it."""
    return entry(f"openai:m,base_url={address}", "", address.rstrip("/"), base_url=address)


def test_a_model_goes_on_as_what_it_is_in_the_run() -> None:
    assert match_entry([], entry()) == entry()
    assert match_entry([entry()], entry()) == entry()
    # Stored with the address, its ids have it; it is found without.
    assert match_entry([earlier()], entry()) == earlier()
    assert match_entry([earlier(THERE), earlier()], entry()) == earlier()
    assert match_entry([earlier(f"{HERE}/")], entry()) == earlier(f"{HERE}/")
    assert match_entry([replace(entry(), addresses=())], entry()) == entry()


def test_a_model_that_comes_without_an_address_goes_on_as_that_of_its_spec_and_options(tmp_path: Path) -> None:
    def without(name: str = "") -> Entry:
        return replace(entry(name=name), addresses=())

    both = [entry("openai:m", "A"), entry(f"openai:m,base_url={THERE}", "B", THERE, base_url=THERE)]
    assert match_entry([entry()], without()) == entry()
    assert match_entry([entry()], without("N")) == entry("openai:m", "N")
    assert match_entry([earlier()], without()) == earlier()
    assert [match_entry(both, without(name)) for name in ("", "A", "B")] == [both[0], *both]
    with pytest.raises(ConflictError, match="this run has 'openai:m' with the options"):
        match_entry([entry()], replace(without(), options={}))
    with Run(Folder(tmp_path / "run"), create=True) as run:
        for addresses in ((HERE,), ()):
            run.add_model(Spec("openai", OPTIONS, "openai:m"), is_stand_in=False, addresses=addresses)
        assert run.models() == [entry()]


def test_another_version_of_an_api_is_at_the_same_address_and_kept() -> None:
    old, new = f"{HERE}?api-version=1", f"{HERE}?api-version=2"
    assert match_entry([entry("openai:m", "", old)], entry("openai:m", "", new)).addresses == (old, new)


def test_another_server_is_refused_unless_it_is_the_same_model_or_another_by_name() -> None:
    for stored in (entry(), earlier(), entry("openai:m", "A")):
        with pytest.raises(ConflictError, match=f"{HERE}, and now openai:m is reached at {THERE}.*`same_model`.*NAME="):
            match_entry([stored], entry("openai:m", "", THERE))
        same = match_entry([stored], entry("openai:m", "", THERE), is_same_model=True)
        assert same == replace(stored, addresses=(HERE, THERE))
        assert match_entry([same], entry("openai:m", "", THERE)) == same
    with pytest.raises(ConflictError, match="`same_model`"):
        match_entry([entry()], entry("openai:m", "B", THERE))
    with pytest.raises(ConflictError, match="`same_model`"):
        match_entry([entry("openai:m", "A")], entry("openai:m", "A", THERE))
    other = match_entry([entry("openai:m", "A")], entry("openai:m", "B", THERE))
    assert other == entry(f"openai:m,base_url={THERE}", "B", THERE, base_url=THERE)
    both = [entry("openai:m", "A"), other]
    assert match_entry(both, other) == other
    assert match_entry(both, entry("openai:m", "", THERE)) == other
    assert match_entry(both, entry()) == both[0]


def test_which_of_two_is_the_same_elsewhere_is_said_by_its_name() -> None:
    both = [entry("openai:m", "A"), entry(f"openai:m,base_url={THERE}", "B", THERE, base_url=THERE)]
    with pytest.raises(ConflictError, match="say by its name which one it is"):
        match_entry(both, entry("openai:m", "", "http://third/v1"), is_same_model=True)
    found = match_entry(both, entry("openai:m", "B", "http://third/v1"), is_same_model=True)
    assert found == replace(both[1], addresses=(THERE, "http://third/v1"))


def test_an_option_of_that_name_that_says_what_a_model_is_keeps_two_apart() -> None:
    stored = replace(entry("plugin:m,base_url=a", base_url="a"), addresses=())
    wanted = replace(entry("plugin:m,base_url=b", base_url="b"), addresses=())
    assert match_entry([stored], wanted) == wanted


def test_a_judge_and_a_reward_judge_are_known_with_the_address_that_was_in_their_options() -> None:
    of_model = {"model model": "m", "model temperature": "", "policy": "strict"}
    stored = Entry(
        f"vlm:openai:m,base_url={HERE}",
        of_model | {"model": f"openai:m,base_url={HERE}", "model base_url": HERE},
        is_stand_in=False,
        addresses=(HERE,),
    )
    wanted = Entry("vlm:openai:m", of_model | {"model": "openai:m"}, is_stand_in=False, addresses=(HERE,))
    assert match_entry([stored], wanted) == stored
    trained = entry(trained_with=f"vlm:openai:m,base_url={HERE}")
    assert match_entry([trained], entry(trained_with="vlm:openai:m")) == trained
    with pytest.raises(ConflictError, match="with the options"):
        match_entry([trained], entry(trained_with="vlm:openai:other"))


def test_a_name_is_of_one_model_only() -> None:
    assert match_entry([entry("openai:m", "A")], entry("openai:m", "B")).given_name == "B"
    for known, wanted in (
        (entry("openai:m", "A"), entry("openai:n", "A")),
        (entry("random"), entry("openai:m", "random")),
        (entry("openai:m", "random"), entry("random")),
    ):
        with pytest.raises(ConflictError, match=r"is the name of .* already; give each a name of its own"):
            match_entry([known], wanted)


SHOWN = {
    ("openai:gpt-5",): ("gpt-5",),
    ("openai:gpt-5", "openai:gpt-5,temperature=0"): ("gpt-5", "gpt-5 temperature=0"),
    ("openai:a,temperature=0", "openai:b,temperature=0"): ("a", "b"),
    ("openai:a,n=2,temperature=0", "openai:a,n=2,temperature=1"): ("a temperature=0", "a temperature=1"),
    ("openai:org/m", "openai:m"): ("org/m", "m"),
    ("openai:m", "hf-inference:m"): ("openai:m", "hf-inference:m"),
    ("folder:/x/sdxl/", "folder:/y/flux"): ("sdxl", "flux"),
    ("folder:/x/sdxl", "folder:/y/sdxl"): ("/x/sdxl", "/y/sdxl"),
    ("hf-inference:https://h/v1",): ("https://h/v1",),
    ("openai:llama:11b", "painter:weber=0.3"): ("llama:11b", "painter"),
    ("openai:m,base_url=http://a/v1", "openai:m,base_url=http://b/v1"): (
        "m base_url=http://a/v1",
        "m base_url=http://b/v1",
    ),
    ("openai:a", "openai:b|a"): ("openai:a", "a"),
}


def test_what_is_shown_is_the_name_or_the_shortest_text_that_tells_apart(case: Case) -> None:
    for specs, shown in SHOWN.items():
        with case(specs):
            entries = [entry(*one.split("|")) for one in specs]
            assert display_names(entries) == {one.spec: name for one, name in zip(entries, shown, strict=True)}


def test_judges_keep_their_kind_and_what_was_brought_in_its_name() -> None:
    vlm = Entry("vlm:openai:m,policy=total", {"model": "openai:m", "model n": "1"}, is_stand_in=False)
    entries = [vlm, Entry("vlm:observer", {"model": "observer"}, is_stand_in=True), entry("observer")]
    assert list(display_names(entries, keeps_kind=True).values()) == ["vlm:m", "vlm:observer", "observer"]
    command = "counter:python3 '/my dir/count it.py' {noun}"
    assert display_names([Entry(command, {"command": command}, is_stand_in=False)])[command] == command[8:]
    assert display_names([Entry("DALL-E: 3,x=1", {}, is_stand_in=False)]) == {"DALL-E: 3,x=1": "DALL-E: 3,x=1"}


def test_one_is_found_by_its_name_its_spec_or_its_spec_without_the_address() -> None:
    names = {"openai:m,base_url=http://a/v1": "A", "random": "random", "openai:n": "n"}
    for wanted in ("A", "openai:m,base_url=http://a/v1", "openai:m"):
        assert find_spec(wanted, names) == "openai:m,base_url=http://a/v1"
    assert find_spec("openai:n,base_url=http://b/v1", names) == "openai:n"
    assert find_spec("nobody", names) == "nobody"


def test_a_run_keeps_names_and_addresses_and_refuses_another(location: Location) -> None:
    spec = Spec("openai", OPTIONS, "openai:m")
    with Run(location, create=True) as run:
        run.add_model(spec, is_stand_in=False, addresses=(HERE,))
        run.add_model(spec, is_stand_in=False, name="A b", addresses=(HERE,))
        run.add_judge(spec, is_stand_in=False, name="J", addresses=(HERE, THERE))
        with pytest.raises(ConflictError, match="`same_model`"):
            run.add_model(spec, is_stand_in=False, addresses=(THERE,))
    with Run(location) as run:
        assert run.models() == [entry("openai:m", "A b")]
        assert run.judges() == [entry("openai:m", "J", HERE, THERE)]
        assert (run.find_model("A b"), run.find_judge("J")) == ("openai:m", "openai:m")
        assert run.model_names() == {"openai:m": "A b"}


PROVIDERS = ("https://api.openai.com/v1", "https://router.huggingface.co")


def test_an_earlier_run_gets_the_addresses_that_its_models_were_reached_at(location: Location) -> None:
    options = {"model": "m", "base_url": ""}
    of_judge = {"model": "openai:m", "model base_url": "", "model model": "m"}
    with Run(location, create=True) as run:
        run.add_model(Spec("openai", options, "openai:m"), is_stand_in=False)
        run.add_model(Spec("openai", options | {"base_url": HERE}, f"openai:m,base_url={HERE}"), is_stand_in=False)
        run.add_model(Spec("hf-inference", options, "hf-inference:m"), is_stand_in=False)
        endpoint = {"model": "https://e/v1", "base_url": ""}
        run.add_model(Spec("hf-inference", endpoint, "hf-inference:https://e/v1"), is_stand_in=False)
        run.add_model(Spec("random", {}, "random"), is_stand_in=True)
        run.add_judge(Spec("vlm", of_judge, "vlm:openai:m"), is_stand_in=False)
        run.add_judge(Spec("parser", {"policy": "strict"}, "parser"), is_stand_in=False)
    take_back(location, 5)
    with Run(location) as run:
        assert {one.spec: one.addresses for one in (*run.models(), *run.judges())} == {
            "openai:m": PROVIDERS[:1],
            f"openai:m,base_url={HERE}": (HERE,),
            "hf-inference:m": PROVIDERS[1:],
            "hf-inference:https://e/v1": (),
            "random": (),
            "vlm:openai:m": PROVIDERS[:1],
            "parser": (),
        }
        assert all(one.given_name == "" for one in (*run.models(), *run.judges()))
