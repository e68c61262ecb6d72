"""The fast way finds what the plain one does; a corpus is counted once, however often it is killed."""

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from benchmarks.captions import make_captions
from subitize.corpus import counting
from subitize.corpus import tagging as windows
from subitize.corpus.counting import CachedTagger, Corpus, count_corpus, load_counts, to_plain
from subitize.corpus.files import choose_layout, find_shards
from subitize.corpus.numerosities import OPTIONAL, CaptionRule, may_have_number
from subitize.corpus.tagging import FastTagger, Found, SpacyTagger, load_pipeline, make_tagger
from subitize.interfaces import NoEvents, Pixels, Request
from subitize.models.stand_ins import Painter
from subitize.records import Draw
from tests.commands import call, start

pytestmark = pytest.mark.spacy
CAPTIONS = Path(__file__).with_name("captions.csv")
RULES = (CaptionRule(), CaptionRule(3, participles=True, proper_nouns=True, exclude=OPTIONAL))
_ODD = ["_", "é", "½", "３", "\u00a0", "\u200b", "🐶", "...", "-", "'s", "(", '"', "#", "x2", "\t", "\n", "°", "一"]


@pytest.fixture
def own_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tagger loads a pipeline of its own: words are forgotten with it."""
    monkeypatch.setattr(windows, "load_pipeline", load_pipeline)


def mix_captions(count: int, seed: int) -> Iterator[str]:
    """Give made captions, captions of the table, and both with odd characters, joins, and in other cases."""
    chance = random.Random(seed)
    table = pl.read_csv(CAPTIONS)["caption"].to_list()
    for made in make_captions(count, candidates=0.5, seed=seed):
        caption = chance.choice(table) if chance.random() < 0.3 else made
        change = chance.random()
        if change < 0.3:
            words = caption.split()
            words.insert(chance.randrange(len(words) + 1), chance.choice([*_ODD, *words]))
            caption = chance.choice([" ", " ", " ", "  ", chance.choice(_ODD)]).join(words)
        elif change < 0.4:
            caption = chance.choice([caption.upper(), caption.lower(), caption.title(), caption[::-1]])
        elif change < 0.45:
            caption = " ".join([caption] * chance.randrange(2, 30))
        yield caption


def find_fast(captions: list[str], rule: CaptionRule) -> list[Found]:
    """Find numerosities as a corpus is counted: what cannot have any is passed over, what repeats is remembered."""
    is_candidate = may_have_number(pl.Series(captions)).to_list()
    tagger = CachedTagger(FastTagger(rule, load_pipeline()))
    found = iter(tagger.find([caption for caption, is_one in zip(captions, is_candidate, strict=True) if is_one]))
    return [next(found) if is_one else () for is_one in is_candidate]


def assert_same(captions: list[str], rule: CaptionRule) -> None:
    plain = SpacyTagger(rule).find(captions)
    fast = find_fast(captions, rule)
    assert sum(map(bool, plain)) > len(captions) / 10
    differing = [both for both in zip(captions, plain, fast, strict=True) if both[1] != both[2]]
    assert differing == []


@pytest.mark.parametrize("rule", RULES)
def test_the_fast_way_finds_what_tagging_everything_finds(rule: CaptionRule) -> None:
    assert_same(list(mix_captions(500, seed=1)), rule)


@pytest.mark.proof("subitize.corpus", "subitize.language")
@pytest.mark.parametrize(("rule", "count"), [(RULES[0], 200_000), (RULES[1], 50_000)])
@pytest.mark.timeout(3_000)
@pytest.mark.usefixtures("own_pipelines")
def test_the_fast_way_finds_what_tagging_everything_finds_in_200_000_captions(rule: CaptionRule, count: int) -> None:
    for seed in range(count // 10_000):
        assert_same(list(mix_captions(10_000, seed=100 + seed)), rule)


@pytest.mark.usefixtures("own_pipelines")
def test_memory_that_is_full_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    captions = list(mix_captions(600, seed=2))
    expected = find_fast(captions, CaptionRule())
    monkeypatch.setattr(windows, "_MOST_WORDS", 50)
    monkeypatch.setattr(windows, "_MOST_NEW_WORDS", 300)
    monkeypatch.setattr(windows, "_AT_ONCE", 20)
    monkeypatch.setattr(counting, "_REMEMBERED", 10)
    assert find_fast(captions, CaptionRule()) == expected


def test_an_unknown_pipeline_is_noticed_and_used_as_it_is() -> None:
    warnings: list[str] = []
    changed = load_pipeline()
    changed.get_pipe("attribute_ruler").add([[{"LOWER": "dogs"}]], {"POS": "VERB"})
    tagger = make_tagger(CaptionRule(), warnings.append, changed)
    assert isinstance(tagger, SpacyTagger)
    assert tagger.find(["two dogs and two cats"]) == [((2, "cat"),)]
    other = load_pipeline()
    other.get_pipe("tok2vec").model.layers[1].attrs["pad"] = 7
    assert isinstance(make_tagger(CaptionRule(), warnings.append, other), SpacyTagger)
    assert [text.split(":")[0] for text in warnings] == [
        "this version of spaCy is not known (its tags differ)",
        "this version of spaCy is not known (UnknownNetworkError",
    ]


def test_every_command_that_reads_captions_warns_of_an_unknown_pipeline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = load_pipeline()
    changed.get_pipe("attribute_ruler").add([[{"LOWER": "dogs"}]], {"POS": "VERB"})
    monkeypatch.setattr(windows, "load_pipeline", lambda **_: changed)
    captions = tmp_path / "captions.csv"
    captions.write_text("image,caption,numerosity\n1.png,1 apple,1\n")
    image = Painter(size_px=256).compute(Request("", Draw("1 apple"), 0, 0, 1, lambda _: b"")).content
    assert isinstance(image, Pixels)
    (tmp_path / "1.png").write_bytes(image.data)
    warning = "subitize: this version of spaCy is not known (its tags differ): every word is tagged"
    for command in (
        (captions, "--column", "caption"),
        ("check", captions),
        ("pairs", captions, "--images", tmp_path, "--judge", "observer"),
    ):
        done = call("corpus", *command)
        assert (done.code, done.err.count(warning)) == (0, 1), command
        assert "spaCy" not in done.out, command


def write_corpus(folder: Path, shards: int, rows: int) -> list[str]:
    """Write a corpus in several files and give all its captions."""
    captions = list(make_captions(shards * rows, candidates=0.3, seed=3))
    for shard in range(shards):
        own = captions[shard * rows : (shard + 1) * rows]
        addresses = [f"http://{shard}/{place}" for place in range(rows)]
        pl.DataFrame({"TEXT": own, "URL": addresses}).write_parquet(folder / f"{shard}.parquet")
    return captions


def open_corpus(folder: Path, out: Path | None = None) -> Corpus:
    shards = tuple(find_shards([str(folder / "*.parquet")]))
    return Corpus(shards, choose_layout("laion", None, None), CaptionRule(), folder=out)


def test_a_corpus_is_counted_as_its_captions_are(tmp_path: Path) -> None:
    captions = write_corpus(tmp_path, shards=2, rows=500)
    counts = count_corpus(open_corpus(tmp_path), NoEvents(), 1)
    sums = [sum(one.number for one in own) for own in SpacyTagger(CaptionRule()).find(captions)]
    assert counts.numerosities == {number: sums.count(number) for number in set(sums) - {0}}
    assert (counts.captions, counts.counted) == (1_000, sum(map(bool, sums)))
    assert all(sample.address.startswith("http://") for own in counts.samples.values() for sample in own)


def test_a_second_count_adds_only_what_is_new_or_has_changed(tmp_path: Path) -> None:
    write_corpus(tmp_path, shards=2, rows=100)
    out = tmp_path / "out"
    first = count_corpus(open_corpus(tmp_path, out), NoEvents(), 1)
    assert to_plain(count_corpus(open_corpus(tmp_path, out), NoEvents(), 1)) == to_plain(first)
    pl.DataFrame({"TEXT": ["9 dogs"], "URL": [""]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"TEXT": ["8 dogs"], "URL": [""]}).write_parquet(tmp_path / "2.parquet")
    second = count_corpus(open_corpus(tmp_path, out), NoEvents(), 1)
    assert second.captions == 102
    assert to_plain(load_counts(out).counts) == to_plain(second)
    assert to_plain(second) == to_plain(count_corpus(open_corpus(tmp_path), NoEvents(), 1))


@pytest.mark.slow
def test_a_count_that_is_killed_goes_on_and_counts_nothing_twice(tmp_path: Path) -> None:
    write_corpus(tmp_path, shards=12, rows=300)
    arguments = ("corpus", tmp_path / "*.parquet", "--preset", "laion", "--out", tmp_path / "out", "--processes")
    process = start(*arguments, 2)
    states = tmp_path / "out" / "shards"
    while process.poll() is None and len(list(states.glob("*.json"))) < 2:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert 2 <= len(list(states.glob("*.json"))) < 12
    kept = {path: path.stat().st_mtime_ns for path in states.glob("*.json")}
    assert call(*arguments, 1).code == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    whole = count_corpus(open_corpus(tmp_path), NoEvents(), 1)
    assert to_plain(load_counts(tmp_path / "out").counts) == to_plain(whole)


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    write_corpus(tmp_path, shards=1, rows=20)
    (tmp_path / "a.csv").write_bytes(bytes(range(256)))
    one = str(tmp_path / "0.parquet")
    for arguments, message in (
        ((one,), "where are the captions? give --column NAME or --preset"),
        ((one, "--column", "caption"), "no column 'caption'; there are: TEXT, URL"),
        ((str(tmp_path / "*.jsonl"), "--column", "x"), "no file matches"),
        ((str(tmp_path / "a.csv"), "--column", "x"), "a binary file, not CSV"),
        ((one, "--column", "TEXT", "--exclude", "cash"), "known: bytes, degrees"),
        ((one, "--column", "TEXT", "--start", "0"), "--start 0: should be 1 or more"),
        ((one, "--column", "TEXT", "--out", one), "is a file, not a folder"),
    ):
        found = call("corpus", *arguments)
        assert (found.code, found.out) == (2, ""), arguments
        assert message in found.err


def test_a_corpus_without_numbers_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("TEXT\na cat\na dog\n")
    found = call("corpus", tmp_path / "a.csv", "--column", "TEXT")
    assert found.code == 0
    assert "2 captions in 1 file; 0 might hold a number" in found.out
    assert "no caption has a numerosity" in found.out


def test_what_could_not_be_read_is_said_with_the_figures(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"TEXT": "two dogs"}\n{"TEX\n')
    found = call("corpus", tmp_path / "a.jsonl", "--column", "TEXT")
    assert found.code == 0
    assert "NOT COUNTED: 1 parts of files could not be read" in found.out
    assert "a.jsonl line 2: no JSON" in found.out


def test_options_may_come_before_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("TEXT\ntwo dogs\n")
    found = call("corpus", "--json", "--column", "TEXT", tmp_path / "a.csv")
    assert found.json()["rows"][0]["number"] == 2


def test_captions_with_known_answers_are_checked() -> None:
    found = call("corpus", "check", CAPTIONS, "--json").json()
    assert found["accuracy"]["value"] == pytest.approx(225 / 252)
    assert {"caption": "size 10 shoes on a shelf", "expected": 0, "found": 10} in found["misses"]
    assert "size 10 shoes on a shelf" in call("corpus", "check", CAPTIONS).out
