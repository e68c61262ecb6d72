"""A judge against people, through the store: every figure against the krippendorff package and by brute force."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from scipy.stats import t as student
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa  # type: ignore[import-untyped]

from subitize.analysis.agreement import ALL_MODELS, JudgeAgreement, JudgePair, PairAgreement, compare_judge
from subitize.errors import BadValueError, NothingToDoError, SubitizeError
from subitize.papers.geckonum.files import read_release
from subitize.papers.geckonum.importing import import_geckonum
from subitize.records import (
    Ask,
    Choose,
    Confirm,
    Count,
    Draw,
    Estimate,
    Item,
    Known,
    Question,
    Reading,
    Said,
    Scalar,
    Spec,
    Subject,
    Trial,
    Words,
)
from subitize.stats.agreement import Level
from subitize.stats.estimate import estimate
from subitize.store import Folder, Run
from tests.commands import call
from tests.report.report_runs import composed
from tests.samples import response

OBSERVER, HUMAN = "observer", "human"
MODELS = ("painter", "sketcher")


@dataclass(frozen=True)
class Look:
    """What a judge and some people said of one image of a prompt; None: it did not look."""

    model: str
    prompt: int
    repeat: int
    judge: Scalar | None
    people: tuple[Scalar | None, ...]


def draw_looks(seed: int, people: int = 4, prompts: int = 12) -> list[Look]:
    random = np.random.default_rng(seed)
    found = []
    for model in MODELS:
        for prompt in range(prompts):
            for repeat in range(2):
                true = int(random.integers(1, 8))
                said = np.maximum(0, true + random.choice([-2, -1, 0, 0, 0, 0, 1], people + 1)).tolist()
                told = [None if random.random() < 0.1 else one for one in said[1:]]
                found.append(Look(model, prompt, repeat, said[0], tuple(told)))
    return found


def fill(run: Run, looks: Sequence[Look], question: Question | None = None) -> None:
    asked = question or Count("apple")
    items = {
        number: Item(
            f"fruit/{number}", Draw(f"apples, basket {number}"), (Ask(asked, "?", (1,)),), {"parity": number % 2}
        )
        for number in sorted({look.prompt for look in looks})
    }
    run.add_suite(Spec("fruit", {}, "fruit"), 0, list(items.values()))
    for model in dict.fromkeys(look.model for look in looks):
        run.add_model(Spec(model, {}, model), is_stand_in=False)
    readings = []
    for look in looks:
        trial = Trial(items[look.prompt].id, look.model, {}, look.repeat)
        with run.lease("model") as lease:
            run.add_responses(lease, [response(trial, Said("drawn"))])
        said = [(OBSERVER, "", look.judge), *((HUMAN, f"person {who}", one) for who, one in enumerate(look.people))]
        readings += [
            Reading(Subject((trial.id,)), asked, judge, Words(str(value)), "strict@1", Known(value), who)
            for judge, who, value in said
            if value is not None
        ]
    with run.lease("judge") as lease:
        run.add_readings(lease, readings)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    with Run(Folder(tmp_path / "run"), create=True) as run:
        yield run


def vote(values: Sequence[Scalar | None]) -> Scalar | None:
    """Find the most frequent one, unless several are."""
    counts = Counter(value for value in values if value is not None).most_common()
    is_tied = len(counts) > 1 and counts[0][1] == counts[1][1]
    return None if not counts or is_tied else counts[0][0]


Pair = tuple[Scalar, Scalar, int]  # said, true, prompt


def judge_pairs(looks: Sequence[Look]) -> list[Pair]:
    found = ((look.judge, vote(look.people), look.prompt) for look in looks)
    return [(said, true, prompt) for said, true, prompt in found if said is not None and true is not None]


def people_pairs(looks: Sequence[Look]) -> list[Pair]:
    found: list[Pair] = []
    for look in looks:
        for who, said in enumerate(look.people):
            true = vote([*look.people[:who], *look.people[who + 1 :]])
            if look.judge is not None and said is not None and true is not None:
                found.append((said, true, look.prompt))
    return found


def check(found: PairAgreement, pairs: Sequence[Pair]) -> None:
    said, true, prompts = (np.array(column) for column in zip(*pairs, strict=True))
    off = said - true
    assert (found.pairs, found.prompts) == (len(pairs), len(set(prompts.tolist())))
    for share, is_so in ((found.exact, off == 0), (found.within_one, np.abs(off) <= 1)):
        assert [share] == estimate(is_so.astype(float), prompts)
        assert share is not None
        assert share.value == pytest.approx(is_so.mean())
    assert found.error is not None
    assert found.error.value == pytest.approx(off.mean())
    assert found.error.low < off.mean() < found.error.high
    alphas: dict[Level, Estimate | None] = {"ordinal": found.alpha_ordinal, "interval": found.alpha_interval}
    for level, alpha in alphas.items():
        theirs = krippendorff.alpha(np.array([said, true], dtype=float), level_of_measurement=level)
        assert alpha is not None
        assert alpha.value == pytest.approx(theirs, abs=1e-9)
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(float(fleiss_kappa(aggregate_raters(np.array([said, true]).T)[0])))
    told = {(one.against, one.said): one.n for one in found.confusion}
    assert told == Counter((one[1], one[0]) for one in pairs)
    assert [float(one.against) for one in found.confusion] == sorted(float(one.against) for one in found.confusion)


def by_model(found: Sequence[JudgeAgreement]) -> Mapping[str, JudgeAgreement]:
    return {one.model: one for one in found}


@pytest.mark.slow
@pytest.mark.parametrize("people", [2, 3, 5])
def test_every_figure_is_that_of_the_pairs_made_by_hand(people: int, run: Run) -> None:
    looks = draw_looks(people, people)
    fill(run, looks)
    found = by_model(compare_judge(run, JudgePair(OBSERVER)))
    assert list(found) == [ALL_MODELS, *MODELS]
    for model, one in found.items():
        own = [look for look in looks if one.is_pooled or look.model == model]
        check(one.agreement, judge_pairs(own))
        assert one.ceiling is not None
        check(one.ceiling, people_pairs(own))
        ties = sum(vote(look.people) is None and any(each is not None for each in look.people) for look in own)
        assert (one.agreement.ties, one.agreement.unusable, one.annotators) == (ties, 0, people)


def test_the_signed_error_has_students_interval_over_prompts(run: Run) -> None:
    off = np.array([-1, -1, 0, 0, 1, 1] * 4)  # not skewed, so that nothing is corrected for it
    fill(run, [Look("painter", place, 0, 5 + by, (5,)) for place, by in enumerate(off.tolist())])
    (found,) = compare_judge(run, JudgePair(OBSERVER))
    error = found.agreement.error
    assert error is not None
    half = student.ppf(0.975, len(off) - 1) * off.std(ddof=1) / np.sqrt(len(off))
    assert (error.value, error.high - error.value) == pytest.approx((0, half), rel=0.05)
    assert error.low == pytest.approx(-error.high)


def test_one_person_has_nobody_to_agree_with(run: Run) -> None:
    fill(run, [Look("painter", prompt, 0, prompt, (prompt,)) for prompt in range(5)])
    (found,) = compare_judge(run, JudgePair(OBSERVER))
    assert found.ceiling is None
    assert found.agreement.exact.value == 1
    assert (
        "no two people looked at the same" in call("agree", run.location, "--judge", "observer", "--against", HUMAN).out
    )


def test_a_tie_is_counted_and_the_first_or_the_median_can_be_taken_instead(run: Run) -> None:
    looks = [Look("painter", prompt, 0, 4, (3, 4)) for prompt in range(3)]
    fill(run, [*looks, Look("painter", 9, 0, 4, (4, 4))])
    found = {rule: compare_judge(run, JudgePair(OBSERVER, rule=rule))[0] for rule in ("plurality", "first", "median")}
    told = {rule: (one.agreement.pairs, one.agreement.ties, one.agreement.exact.value) for rule, one in found.items()}
    assert told == {"plurality": (1, 3, 1.0), "first": (4, 0, 0.25), "median": (4, 0, 0.25)}
    assert found["median"].agreement.error is not None
    assert found["median"].agreement.error.value == pytest.approx(3 / 8)
    assert found["first"].agreement.error is not None
    assert found["first"].agreement.error.value == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("question", "values"),
    [(Confirm("there are apples", is_informed=False), (True, False)), (Choose(("none", "few", "many")), (0, 1, 2))],
    ids=["yes or no", "a choice"],
)
def test_yes_and_no_and_choices_have_shares_and_kappa_only(
    question: Question, values: tuple[Scalar, ...], run: Run
) -> None:
    random = np.random.default_rng(5)
    looks = []
    for prompt in range(20):
        said = [values[place] for place in random.choice(len(values), 4)]
        looks.append(Look("painter", prompt, 0, said[0], (said[1], said[1], said[2])))
    fill(run, looks, question)
    (found,) = compare_judge(run, JudgePair(OBSERVER))
    for one, pairs in ((found.agreement, judge_pairs(looks)), (found.ceiling, people_pairs(looks))):
        assert one is not None
        table = np.array([(int(said), int(true)) for said, true, _ in pairs])
        assert one.exact.value == pytest.approx((table[:, 0] == table[:, 1]).mean())
        assert one.kappa is not None
        assert one.kappa.value == pytest.approx(float(fleiss_kappa(aggregate_raters(table)[0])))
        assert (one.within_one, one.error, one.alpha_ordinal, one.alpha_interval) == (None, None, None, None)
        assert {one.said for one in one.confusion} <= set(values)
    printed = call("agree", run.location, "--judge", "observer", "--against", HUMAN).out
    assert ("human: confirm" in printed) == isinstance(values[0], bool)
    assert ("yes × " in printed) == isinstance(values[0], bool)


def test_what_people_did_not_see_or_was_excluded_is_in_no_pair(run: Run) -> None:
    looks = [Look("painter", prompt, 0, 3, (3, 3)) for prompt in range(4)]
    fill(run, [*looks, Look("painter", 8, 0, 3, ()), Look("painter", 9, 0, None, (2, 2))])
    run.exclude("fruit/0", "misprinted")
    (found,) = compare_judge(run, JudgePair(OBSERVER))
    assert (found.agreement.pairs, found.ceiling and found.ceiling.pairs) == (3, 6)


def test_figures_are_split_by_factor(run: Run) -> None:
    looks = [look for look in draw_looks(7) if look.model == "painter"]
    fill(run, looks)
    found = {one.group: one for one in compare_judge(run, JudgePair(OBSERVER), ["parity"])}
    assert list(found) == ["all", "0", "1"]
    for parity in (0, 1):
        check(found[str(parity)].agreement, judge_pairs([look for look in looks if look.prompt % 2 == parity]))


MISTAKES: dict[str, tuple[JudgePair, type[SubitizeError], str]] = {
    "itself": (JudgePair(HUMAN), BadValueError, "`against` human: a judge is not set against itself"),
    "no such judge": (
        JudgePair("vlm"),
        NothingToDoError,
        "no readings by 'vlm'; judges with readings: human, observer;",
    ),
    "no such people": (
        JudgePair(OBSERVER, "crowd"),
        NothingToDoError,
        "no readings by 'crowd'; judges with readings: human",
    ),
    "never met": (
        JudgePair(OBSERVER),
        NothingToDoError,
        "never answered the same question about the same: observer has answered 2, human 3;",
    ),
}


@pytest.mark.parametrize(("sides", "error", "message"), MISTAKES.values(), ids=MISTAKES)
def test_what_cannot_be_compared_is_an_error_that_says_what_there_is(
    sides: JudgePair, error: type[SubitizeError], message: str, run: Run
) -> None:
    seen = [Look("painter", prompt, 0, 3, ()) for prompt in range(2)]
    fill(run, [*seen, *(Look("painter", prompt, 0, None, (3, 3)) for prompt in range(2, 5))])
    with pytest.raises(error, match=message.replace("(", r"\(")):
        compare_judge(run, sides)


def test_ties_only_are_an_error_that_counts_them(run: Run) -> None:
    fill(run, [Look("painter", prompt, 0, 3, (3, 4)) for prompt in range(2)])
    with pytest.raises(NothingToDoError, match=r"looked at 2 of the same answers, and of none do both .*\(2 ties\)"):
        compare_judge(run, JudgePair(OBSERVER))


@pytest.mark.slow
def test_the_command_prints_people_beside_the_judge_and_json_has_all_of_the_confusion(run: Run) -> None:
    looks = draw_looks(3)
    fill(run, looks)
    printed = call("agree", run.location, "--judge", OBSERVER, "--against", HUMAN).out
    assert "suite fruit: observer against human (plurality)" in printed
    assert "people: each person against the others together" in printed
    assert "observer says" in printed
    rows = call("agree", run.location, "--judge", OBSERVER, "--against", HUMAN, "--json").json()
    assert [row["model"] for row in rows] == [ALL_MODELS, *MODELS]
    for row in rows:
        told = row["agreement"]
        assert sum(one["n"] for one in told["confusion"]) == told["pairs"]
        assert {"value", "low", "high", "n"} < set(told["error"])
        assert not row["is_stand_in_judge"]
    without = call("agree", run.location, "--against", HUMAN)
    assert without.code != 0
    assert "name who is held against them with --judge; judges: observer" in without.err
    alone = call("agree", run.location, "--agreement", "median")
    assert alone.code != 0
    assert "--agreement median: it is for --against PEOPLE" in alone.err


@pytest.mark.slow
def test_a_rule_reads_the_judges_evidence_anew_and_leaves_peoples(tmp_path: Path) -> None:
    people, run = tmp_path / "people.csv", tmp_path / "run"
    people.write_text("annotator,item,answer\nann,production/apples/2,2\nann,production/apples/3,3\n")
    suite = "production:categories=apples,numbers=2-3"
    assert call("run", suite, "--repeats", 1, "--model", "painter:size_px=256", "--out", run).code == 0
    assert call("judge", run, "--judge", "vlm:observer").code == 0
    assert call("import", "readings", people, "--run", run).code == 0
    held = ("agree", run, "--judge", "vlm:observer", "--against", "human", "--json")
    assert call(*held).json()[0]["agreement"]["exact"]["value"] == 1
    assert call(*held, "--rule", "final").json()[0]["agreement"]["exact"]["value"] == 1
    bad = call(*held, "--rule", "boxes")
    assert bad.code == 2, bad.err
    alone = call("agree", run, "--rule", "final")
    assert alone.code == 2
    assert "--rule final: it is for --against" in alone.err


@pytest.mark.slow
def test_ties_are_told_by_score_and_in_the_report(run: Run) -> None:
    fill(run, [Look("painter", prompt, 0, 1, (1, 1 + prompt % 2)) for prompt in range(6)])
    for rule, is_told in (("plurality", True), ("first", False)):
        printed = call("score", run.location, "--judge", HUMAN, "--agreement", rule).out
        assert ("unknown: 3 answers with tied readings" in printed) == is_told
    gaps = next(table for table in composed(run).tables() if table.name == "gaps")
    assert "Of the unknown, 3 have readings that are tied." in gaps.caption


def test_of_many_answers_the_most_frequent_are_printed(run: Run) -> None:
    looks = [Look("painter", number, 0, number, (number,)) for number in range(25)]
    fill(run, [*looks, *(Look("painter", 24, repeat, said, (24,)) for repeat, said in enumerate(range(9), 1))])
    printed = call("agree", run.location, "--judge", OBSERVER, "--against", HUMAN).out
    assert "… and 5 rarer answers of human: --json has all" in printed
    assert "0 × 1, 1 × 1, 2 × 1, 3 × 1, 4 × 1, 5 others" in printed


@pytest.mark.slow
def test_people_of_a_published_release_agree_as_counted_by_hand(shared_data: Path, run: Run) -> None:
    import_geckonum(run, read_release(shared_data / "geckonum", tasks=(1,), models=("muse_a",)))
    given: dict[tuple[Subject, Question], dict[str, Scalar]] = {}
    for one in (stored.reading for stored in run.readings()):
        if isinstance(one.question, Count) and isinstance(one.value, Known):
            given.setdefault((one.subject, one.question), {})[one.annotator] = one.value.value
    looks = [Look("", 0, 0, next(iter(said.values())), tuple(said.values())) for said in given.values()]
    with run.lease("judge") as lease:
        run.add_readings(
            lease,
            [
                Reading(*unit, OBSERVER, Words("?"), "strict@1", Known(look.judge))
                for unit, look in zip(given, looks, strict=True)
                if look.judge is not None
            ],
        )
    found = compare_judge(run, JudgePair(OBSERVER, "geckonum-annotators"))[0]
    for agreement, pairs in ((found.agreement, judge_pairs(looks)), (found.ceiling, people_pairs(looks))):
        assert agreement is not None
        off = np.array([float(said) - float(true) for said, true, _ in pairs])
        assert agreement.pairs == len(pairs)
        assert agreement.exact.value == pytest.approx(np.mean(off == 0))
        assert agreement.within_one is not None
        assert agreement.within_one.value == pytest.approx(np.mean(np.abs(off) <= 1))
        assert agreement.error is not None
        assert agreement.error.value == pytest.approx(off.mean())
