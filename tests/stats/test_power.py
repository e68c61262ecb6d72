"""Power and precision are those of studies that are simulated, and read, by code of its own; and what is reported."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import optimize, stats

from subitize.analysis.agreement import agree
from subitize.analysis.compare import Contestant, compare_entries
from subitize.analysis.design import with_units
from subitize.analysis.power import find_least, learn
from subitize.analysis.score import gather_attempts, rate_passes, score
from subitize.frame import Frame, FrameRow, frame_seen
from subitize.records import Ask, Count, Design, Draw, Estimate, Item, MatchesPrompt
from subitize.stats.agreement import fleiss_kappa
from subitize.stats.power import Accuracy, AgreementStudy, ErrorStudy, Simulation, Study, Wanted, summarize
from subitize.stats.ratings import count_ratings
from tests.cases import Case

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Figures = dict[str, float]

PROOF = pytest.mark.proof(
    "subitize.stats.power", "subitize.stats.estimate", "subitize.stats.compare", "subitize.stats.agreement"
)
TEN = (1.0,) * 10

# --- These are the figures that subitize reports. ---


def observe(counts: Integers, study: Accuracy | ErrorStudy, model: str = "painter") -> Frame:
    """Make observations of counts (prompt, image): a prompt of stratum h asks for 10 + h things."""
    strata, seen = np.repeat(np.arange(len(study.sizes)), study.sizes).tolist(), []
    for prompt, (stratum, row) in enumerate(zip(strata, counts.tolist(), strict=True)):
        ask = Ask(Count("dot"), "How many?", (10 + stratum,))
        item = Item(f"dots/{prompt}", Draw(f"{10 + stratum} dots, {prompt}"), (ask,), {"number": 10 + stratum})
        seen += [FrameRow(item, ask, "eligible", value, model, "people", repeat) for repeat, value in enumerate(row)]
    found = frame_seen(seen)
    return Frame(found.rows, found.items, {"dots": Design(strata=("number",))})


def count_right(right: Integers, study: Accuracy) -> Integers:
    """Turn numbers of right images into counts of things: one too many where it is wrong."""
    targets = 10 + np.repeat(np.arange(len(study.sizes)), study.sizes)
    return np.asarray(targets[:, None] + (np.arange(study.images) >= right[:, None]))


def ends(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high


REPORTED = [
    Accuracy(30, 4, rate=0.4),
    Accuracy(31, 3, (1.0, 2.0, 5.0, 0.5), 0.4, 0.2, rate=0.2),
    Accuracy(12, 1, (1.0,) * 6, 0.4, 0.1, rate=0.6),
]


@pytest.mark.parametrize("study", REPORTED)
def test_an_accuracy_is_what_score_reports_of_the_same_study(study: Accuracy) -> None:
    right = study.draw(np.random.default_rng(1), 3)
    for own, estimate in zip(right, study.estimate(right, 0.95), strict=True):
        scores = score(observe(count_right(own[0], study), study), ())
        (reported,) = (one.estimate for one in scores if one.measure == "accuracy")
        assert ends(estimate) == pytest.approx(ends(reported), abs=1e-12)


@pytest.mark.parametrize("study", REPORTED[:2])
def test_success_is_what_score_reports_of_the_same_study(study: Accuracy) -> None:
    success = Accuracy(study.prompts, study.images, study.strata, study.icc, study.icc_within, 0.5, at=2)
    right = success.draw(np.random.default_rng(2), 1)
    attempts = gather_attempts(observe(count_right(right[0, 0], success), success))
    (reported,) = (one.estimate for one in rate_passes(attempts) if one.k == 2)
    assert ends(success.estimate(right, 0.95)[0]) == pytest.approx(ends(reported), abs=1e-12)


def test_an_error_is_what_score_reports_of_the_same_study() -> None:
    study = ErrorStudy(40, 3, (1.0, 1.0, 3.0), 0.4, 0.2, mean=2.0, sd=2.0)
    targets = 10 + np.repeat(np.arange(len(study.sizes)), study.sizes)[:, None]
    counts = targets + np.random.default_rng(3).integers(0, 6, (40, 3))
    errors = (counts - targets).mean(axis=1)
    (reported,) = (one.estimate for one in score(observe(counts, study), ()) if one.measure == "mae")
    assert ends(study.estimate(errors[None], 0.95)[0]) == pytest.approx(ends(reported), abs=1e-12)


def test_differences_are_what_compare_reports_of_the_same_study() -> None:
    study = Accuracy(36, 2, (1.0, 1.0, 2.0), 0.4, 0.2, rate=0.3, models=3, difference=0.15, correlation=0.5)
    right = study.draw(np.random.default_rng(4), 1)
    entries = [
        Contestant(name, "dots", "people", observe(count_right(own, study), study, name))
        for name, own in zip("abc", right[0], strict=True)
    ]
    (board,) = compare_entries(entries, ["accuracy"]).boards
    for found, pair in zip(study.compare(right)[0], board.pairs, strict=True):
        assert ends(found.estimate) == pytest.approx(ends(pair.difference), abs=1e-12)
        assert (found.p, found.p_holm) == (pair.p, pair.p_holm)


def test_agreement_is_what_agree_reports_of_the_same_study() -> None:
    study = AgreementStudy(25, 2, 3, 8, 0.5, 0.4, icc=0.2, habit=0.1)
    answers, who = (one[0] for one in study.draw(np.random.default_rng(5), 1))
    ask, seen, people = Ask(MatchesPrompt(), "Does it?", (True,)), [], []
    for (unit, place), answer in np.ndenumerate(answers):
        item = Item(f"dots/{unit // 2}", Draw(f"dots {unit // 2}"), (ask,), {})
        seen.append(FrameRow(item, ask, "eligible", bool(answer), "painter", "people", unit % 2))
        people.append(f"person {who[unit, place]}")
    found = frame_seen(seen)
    votes = with_units(Frame(found.rows.with_columns(annotator=pl.Series(people)), found.items))
    (reported,) = agree(votes)
    kappa, alpha = study.estimate(answers, who)
    for ours, theirs in ((kappa, reported.kappa), (alpha, reported.alpha)):
        assert ours is not None
        assert theirs is not None
        assert ends(ours) == pytest.approx(ends(theirs), abs=1e-12)


# --- Ten designs, drawn and read by code of its own. ---


def place(sizes: Integers, mean: float, variance: float, link: Callable[[Floats], Floats]) -> Floats:
    """Strata on a line: two equations in two unknowns."""
    if variance <= 0:
        return np.full(len(sizes), mean)
    shares = sizes / sizes.sum()
    at = stats.norm.ppf(np.cumsum(shares) - shares / 2)

    def off(unknown: Floats) -> list[float]:
        found = link(unknown[0] + np.exp(unknown[1]) * at)
        return [shares @ found - mean, np.sqrt(shares @ (found - mean) ** 2) - np.sqrt(variance)]

    start = -stats.norm.ppf(mean) if mean < 1 and link(np.array([9.0]))[0] < 1 else np.log(mean)
    solved = optimize.root(off, [start, -0.5], tol=1e-12)
    assert solved.success
    return np.asarray(link(solved.x[0] + np.exp(solved.x[1]) * at))


def between(icc: float, within: float, variance: float) -> float:
    return (icc - within) / (1 - within) * variance


def strata_of(sizes: Integers) -> Integers:
    return np.repeat(np.arange(len(sizes)), sizes)


def draw_right(study: Accuracy, sizes: Integers, studies: int, random: np.random.Generator) -> Floats:
    """Right images (study, model, prompt); beta laws, and some prompts at one quantile for all models."""
    icc, within, found = study.icc, study.icc_within, []
    shared = random.random((studies, study.prompts))
    alike = 0.0
    laws = []
    for model in range(study.models):
        rate = study.rate + model * study.difference
        rates = place(sizes, rate, between(icc, within, rate * (1 - rate)), lambda at: stats.norm.cdf(-at))
        own = rates[strata_of(sizes)]
        laws.append((own * (1 - within) / within, (1 - own) * (1 - within) / within))
    if study.correlation:
        assert len(sizes) == 1
        grid = (np.arange(20_000) + 0.5) / 20_000
        quantiles = [stats.beta.ppf(grid, *(float(one[0]) for one in law)) for law in laws[:2]]
        alike = study.correlation / float(stats.pearsonr(*quantiles).statistic)
    is_alike = random.random((studies, study.prompts)) < alike
    for a, b in laws:
        chances = random.beta(a, b, (studies, study.prompts))
        if alike:
            table = stats.beta.ppf(grid, float(a[0]), float(b[0]))
            chances = np.where(is_alike, np.interp(shared, grid, table), chances)
        found.append(random.binomial(study.images, chances))
    return np.moveaxis(np.array(found, dtype=np.float64), 0, 1)


def spread(means: Floats, strata: Integers) -> tuple[Floats, Floats, Floats]:
    """Variances of means of studies (rows), degrees of freedom, residuals; the formulae of docs/intervals.md."""
    n, levels = means.shape[1], np.unique(strata)
    residuals = means.copy()
    for one in levels:
        residuals[:, strata == one] -= means[:, strata == one].mean(axis=1, keepdims=True)
    squares = np.array([(residuals[:, strata == one] ** 2).sum(axis=1) for one in levels])
    sizes = np.array([(strata == one).sum() for one in levels])
    assert sizes.min() > 1
    own = (squares + squares.sum(axis=0) / (n - len(levels))) / n**2
    variance = own.sum(axis=0)
    with np.errstate(invalid="ignore"):
        degrees = variance**2 / (own**2 / sizes[:, None]).sum(axis=0)
    return variance, np.fmin(degrees, n - len(levels)), residuals


def least(shares: Floats, strata: Integers, images: float) -> Floats:
    mean, found = shares.mean(axis=1), np.zeros(len(shares))
    for one in np.unique(strata):
        part = shares[:, strata == one]
        p = (part.sum(axis=1) * images + mean) / (part.shape[1] * images + 1)
        found += (part.shape[1] / shares.shape[1]) ** 2 * p * (1 - p) / (part.shape[1] * images)
    return found


def share_ends(shares: Floats, strata: Integers, images: float) -> tuple[Floats, Floats]:
    """Wilson's interval at the number of independent observations of the same variance."""
    mean, z = shares.mean(axis=1), stats.norm.ppf(0.975)
    variance, degrees, _ = spread(shares, strata)
    variance = np.maximum(variance, least(shares, strata, images))
    with np.errstate(divide="ignore", invalid="ignore"):
        size = mean * (1 - mean) / variance * (z / stats.t.ppf(0.975, degrees)) ** 2
    size = np.where(variance > 1e-15, size, shares.shape[1])
    centre = (mean + z**2 / (2 * size)) / (1 + z**2 / size)
    half = z / (1 + z**2 / size) * np.sqrt(mean * (1 - mean) / size + z**2 / (4 * size**2))
    return np.where(mean <= 0, 0, centre - half), np.where(mean >= 1, 1, centre + half)


def error_ends(errors: Floats, strata: Integers) -> tuple[Floats, Floats]:
    """Hall's interval: Student's with the skewness of the mean undone."""
    variance, degrees, residuals = spread(errors, strata)
    a = (residuals**3).sum(axis=1) / errors.shape[1] ** 3 / variance**1.5
    t, mean, error = stats.t.ppf(0.975, degrees), errors.mean(axis=1), np.sqrt(variance)
    low, high = (mean - error * 3 / a * (np.cbrt(1 + a * (side - a / 6)) - 1) for side in (t, -t))
    return np.maximum(low, 0), high


def judge(low: Floats, high: Floats, truth: float, against: float | None) -> Figures:
    found = {"half-width": (high - low).mean() / 2, "coverage": ((low <= truth) & (truth <= high)).mean()}
    if against is not None:
        found["power"] = ((low > against) | (high < against)).mean()
    return {name: float(value) for name, value in found.items()}


def own_accuracy(study: Accuracy, sizes: Integers, studies: int, against: float | None) -> Figures:
    right = draw_right(study, sizes, studies, np.random.default_rng(11))[:, 0]
    return judge(*share_ends(right / study.images, strata_of(sizes), study.images), study.rate, against)


def own_success(study: Accuracy, sizes: Integers, studies: int, against: float | None) -> Figures:
    """Success of one of two images, of prompts in one stratum; the rate of images solves a quadratic equation."""
    icc = study.icc
    rate = optimize.brentq(lambda p: 2 * p - p * p - icc * p * (1 - p) - study.rate, 0, 1)
    single = Accuracy(study.prompts, study.images, icc=icc, icc_within=icc, rate=rate)
    right = draw_right(single, sizes, studies, np.random.default_rng(12))[:, 0]
    wrong = study.images - right
    passes = 1 - wrong * (wrong - 1) / (study.images * (study.images - 1))
    return judge(*share_ends(passes, strata_of(sizes), study.images / 2), study.rate, against)


def own_errors(study: ErrorStudy, sizes: Integers, studies: int, against: float | None) -> Figures:
    """Errors image by image."""
    random, strata = np.random.default_rng(13), strata_of(sizes)
    part = between(study.icc, study.icc_within, study.sd**2)
    means = place(sizes, study.mean, part, np.exp)[strata]
    relative = (study.sd**2 - part) / (means**2).mean()
    first = relative * study.icc_within
    second = relative * (1 - study.icc_within) / (1 + first)
    errors = np.empty((studies, study.prompts))
    for begin in range(0, studies, 1_000):
        rows = errors[begin : begin + 1_000]
        prompts = means * random.gamma(1 / first, first, rows.shape)
        rows[:] = (prompts[..., None] * random.gamma(1 / second, second, (*rows.shape, study.images))).mean(axis=2)
    return judge(*error_ends(errors, strata), study.mean, against)


def own_comparison(study: Accuracy, sizes: Integers, studies: int, against: float | None) -> Figures:
    """Signs of residuals flipped by lots of its own, in each pair of models; Holm's adjustment by hand."""
    random, strata, flips = np.random.default_rng(14), strata_of(sizes), 1_999
    right = draw_right(study, sizes, studies, random) / study.images
    floors = np.array([least(right[:, model], strata, study.images) for model in range(study.models)])
    pairs = list(combinations(range(study.models), 2))
    p, halves, covers = np.empty((3, len(pairs), studies))
    for place, (first, second) in enumerate(pairs):
        differences = right[:, first] - right[:, second]
        variance, _, residuals = spread(differences, strata)
        error = np.sqrt(np.maximum(variance, floors[first] + floors[second]))
        mean, truth = differences.mean(axis=1), (first - second) * study.difference
        for begin in range(0, studies, 500):
            own = slice(begin, begin + 500)
            extreme = np.sort(np.abs(_flip(residuals[own], strata, flips, random)), axis=1)
            critical = extreme[:, -99]  # of 2,000, the 99 largest and the study itself are 5 %
            t = np.abs(mean[own]) / error[own]
            p[place, own] = (1 + (extreme >= t[:, None] * (1 - 1e-9)).sum(axis=1)) / (1 + flips)
            halves[place, own] = critical * error[own]
            covers[place, own] = np.abs(mean[own] - truth) <= halves[place, own]
    order = np.sort(p, axis=0)
    adjusted = np.maximum.accumulate(order * np.arange(len(pairs), 0, -1)[:, None], axis=0)
    is_found = np.take_along_axis(adjusted, p.argsort(axis=0).argsort(axis=0), axis=0) < 0.05
    neighbours = [place for place, (first, second) in enumerate(pairs) if second == first + 1]
    found = {"half-width": halves.mean(), "coverage": covers.mean(), "power": is_found[neighbours].mean()}
    if len(pairs) > 1:
        found |= {
            "any difference found": is_found.any(axis=0).mean(),
            "all differences found": is_found.all(axis=0).mean(),
        }
    return {name: float(value) for name, value in found.items()}


def _flip(residuals: Floats, strata: Integers, flips: int, random: np.random.Generator) -> Floats:
    """t of every study (row) for flips of signs (columns)."""
    signs = random.choice([-1.0, 1.0], (flips, residuals.shape[1]))
    n, levels = residuals.shape[1], np.unique(strata)
    sums = [residuals[:, strata == one] @ signs[:, strata == one].T for one in levels]
    sizes = [int((strata == one).sum()) for one in levels]
    squares = [
        (residuals[:, strata == one] ** 2).sum(axis=1)[:, None] - own**2 / size
        for one, own, size in zip(levels, sums, sizes, strict=True)
    ]
    pooled = sum(squares) / (n - len(levels))
    variance = sum(one + pooled for one in squares) / n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(sum(sums) / n / np.sqrt(variance)))


def own_agreement(study: AgreementStudy, sizes: Integers, studies: int, against: float | None) -> Figures:
    """Answers one annotator after the other; the interval is that of the package."""
    random, low, high = np.random.default_rng(15), np.full(studies, -1.0), np.ones(studies)
    looked, share = 1 - study.habit, study.share
    outer, total = study.icc / looked**2, study.kappa / looked**2
    inner = (total - outer) / (1 - outer)
    units = np.repeat(np.arange(study.prompts * study.images), study.raters)
    for one in range(studies):
        centre = random.beta(share * (1 / outer - 1), (1 - share) * (1 / outer - 1), study.prompts) if outer else share
        means = np.repeat(np.clip(centre * np.ones(study.prompts), 1e-9, 1 - 1e-9), study.images)
        yes = random.beta(means * (1 / inner - 1), (1 - means) * (1 / inner - 1))
        who = np.array([random.choice(study.annotators, study.raters, replace=False) for _ in means])
        habit = random.random(study.annotators) < share
        is_blind = random.random(who.shape) < study.habit
        said = np.where(is_blind, habit[who], random.random(who.shape) < yes[:, None])
        if 0 < said.mean() < 1:
            votes = count_ratings(units, said.ravel() * 1.0, clusters=units // study.images, annotators=who.ravel())
            kappa = fleiss_kappa(votes)
            assert kappa is not None
            low[one], high[one] = kappa.coefficient.low, kappa.coefficient.high
    return judge(low, high, study.kappa, against)


Own = Callable[..., Figures]
DESIGNS: dict[str, tuple[Study, Own, list[int], float | None]] = {
    "accuracy, few prompts": (Accuracy(12, 4, rate=0.1, icc=0.3, icc_within=0.3), own_accuracy, [12], 0.35),
    "accuracy, one image": (Accuracy(60, 1, rate=0.05, icc=0.3, icc_within=0.3), own_accuracy, [60], 0.15),
    "accuracy, unequal strata": (
        Accuracy(44, 5, (4.0, 20.0, 8.0, 12.0), 0.5, 0.15, 0.35),
        own_accuracy,
        [4, 20, 8, 12],
        0.45,
    ),
    "accuracy, production": (Accuracy(40, 100, TEN, 0.6, 0.2, 0.5), own_accuracy, [4] * 10, 0.58),
    "success of two of four images": (Accuracy(50, 4, rate=0.5, at=2), own_success, [50], 0.65),
    "errors, heavy tails": (ErrorStudy(50, 2, mean=0.4, sd=0.8, icc=0.3, icc_within=0.3), own_errors, [50], 0.6),
    "errors, strata": (ErrorStudy(60, 5, TEN, 0.5, 0.2, mean=0.3, sd=0.3), own_errors, [6] * 10, 0.35),
    "difference, correlated": (
        Accuracy(40, 4, rate=0.3, icc=0.5, icc_within=0.5, models=2, difference=0.15, correlation=0.6),
        own_comparison,
        [40],
        None,
    ),
    "three models, strata": (
        Accuracy(60, 3, (1.0,) * 6, 0.4, 0.2, 0.3, models=3, difference=0.12),
        own_comparison,
        [10] * 6,
        None,
    ),
    "kappa, a pool of annotators": (AgreementStudy(30, 2, 3, 8, 0.5, 0.3, 0.2, 0.1), own_agreement, [30], 0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize(
    ("ours", "theirs", "within"),
    [(250, 250, 0.15), pytest.param(10_000, 40_000, 0.015, marks=PROOF)],
    ids=["few", "many"],
)
def test_figures_are_those_of_studies_drawn_and_read_by_other_code(
    name: str, ours: int, theirs: int, within: float, case: Case
) -> None:
    study, own, sizes, against = DESIGNS[name]
    columns = Simulation(study, Wanted(against=against), ours).run()
    for figure, value in own(study, np.array(sizes), theirs, against).items():
        with case(figure):
            assert summarize(columns[figure]).value == pytest.approx(value, abs=within)


# --- What studies are made of. ---


@pytest.mark.parametrize(
    ("study", "rate"),
    [
        (Accuracy(60, 6, TEN, 0.5, 0.2, 0.3), 0.3),
        (Accuracy(61, 6, (1.0, 3.0, 9.0), 0.3, 0.1, 0.6), 0.6),
        (Accuracy(50, 6, rate=0.05, icc=0.8, icc_within=0.8), 0.05),
        (Accuracy(50, 6, rate=0.9, icc=0.0, icc_within=0.0), 0.9),
        (Accuracy(50, 6, rate=0.3, icc=1.0, icc_within=1.0), 0.3),
    ],
    ids=["strata", "unequal strata", "rare", "all prompts alike", "all or nothing"],
)
def test_images_have_the_rate_and_the_correlations_that_were_asked_for(study: Accuracy, rate: float) -> None:
    right = study.draw(np.random.default_rng(21), 4_000)[:, 0].astype(np.float64)
    pairs = right * (right - 1) / study.images / (study.images - 1)  # both of two images are right
    shares, of_strata = right / study.images, strata_of(study.sizes)
    assert shares.mean() == pytest.approx(rate, abs=0.005)
    assert (pairs.mean() - rate**2) / rate / (1 - rate) == pytest.approx(study.icc, abs=0.02)
    rates = np.array([shares[:, of_strata == one].mean() for one in range(len(study.sizes))])[of_strata]
    within = (pairs.mean() - (rates**2).mean()) / (rates * (1 - rates)).mean()
    assert within == pytest.approx(study.icc_within, abs=0.02)


@pytest.mark.parametrize("at", [1, 2, 4])
def test_success_of_k_images_has_the_rate_that_was_named(at: int) -> None:
    study = Accuracy(40, 4, (1.0, 2.0, 1.0), 0.4, 0.2, 0.3, at=at)
    found = study.estimate(study.draw(np.random.default_rng(22), 2_000), 0.95)
    assert np.mean([one.value for one in found]) == pytest.approx(0.3, abs=0.006)


@pytest.mark.slow
def test_models_have_the_difference_and_the_correlation_that_were_asked_for() -> None:
    study = Accuracy(40, 8, TEN, 0.5, 0.3, 0.3, models=3, difference=0.1, correlation=0.6)
    right = study.draw(np.random.default_rng(23), 4_000) / 8
    assert right.mean(axis=(0, 2)) == pytest.approx([0.3, 0.4, 0.5], abs=0.006)
    strata = strata_of(study.sizes)
    rates = np.stack([right[:, :, strata == one].mean(axis=(0, 2)) for one in range(10)], axis=1)[:, strata]
    residuals = right - rates
    chances = np.sqrt(0.3 * (rates * (1 - rates)).mean(axis=1))
    assert (residuals[:, 0] * residuals[:, 1]).mean() / chances[0] / chances[1] == pytest.approx(0.6, abs=0.03)


def test_errors_have_the_mean_spread_and_correlation_that_were_asked_for() -> None:
    study = ErrorStudy(50, 1, TEN, 0.5, 0.2, mean=0.4, sd=0.5)
    errors = study.draw(np.random.default_rng(24), 20_000)
    assert (errors.mean(), errors.std()) == (pytest.approx(0.4, abs=0.005), pytest.approx(0.5, abs=0.01))
    of_two = ErrorStudy(50, 2, TEN, 0.5, 0.2, mean=0.4, sd=0.5).draw(np.random.default_rng(25), 20_000)
    assert 2 * (of_two.var() / errors.var()) - 1 == pytest.approx(0.5, abs=0.03)


def test_people_agree_as_was_asked_for() -> None:
    study = AgreementStudy(60, 2, 2, 6, 0.5, 0.3, icc=0.2, habit=0.2)
    answers, who = study.draw(np.random.default_rng(26), 3_000)
    spread = 0.3 * 0.7
    assert answers.mean() == pytest.approx(0.3, abs=0.01)
    assert (answers[..., 0] & answers[..., 1]).mean() == pytest.approx(0.09 + 0.5 * spread, abs=0.01)
    first, second = answers[:, ::2, 0], answers[:, 1::2, 1]
    is_other = who[:, ::2, 0] != who[:, 1::2, 1]
    assert (first & second)[is_other].mean() == pytest.approx(0.09 + 0.2 * spread, abs=0.01)


def test_strata_that_cannot_differ_so_much_differ_as_much_as_they_can() -> None:
    study = Accuracy(20, 4, (1.0, 1.0), 0.9, 0.1, 0.1)
    assert study.rates == pytest.approx(np.array([[0.2, 0.0]]), abs=1e-3)
    assert study.attained_icc < 0.3


@pytest.mark.parametrize("start", [2, 40, 900])
def test_the_least_number_is_found_from_anywhere(start: int) -> None:
    tried: list[int] = []

    def is_enough(number: int) -> bool:
        tried.append(number)
        return number >= 334

    assert find_least(is_enough, range(2, 1_001), start) in range(334, 339)
    assert len(tried) < 20
    assert find_least(is_enough, range(2, 301), start) is None
    assert find_least(is_enough, range(600, 1_001), start) == 600


def test_a_search_that_begins_near_the_last_number_tries_it_before_it_gives_up() -> None:
    assert find_least(lambda number: number >= 334, range(2, 301), 299) is None
    assert find_least(lambda number: number >= 300, range(2, 301), 299) == 300


def test_simulations_are_repeatable_and_tell_their_error() -> None:
    study, wanted = Accuracy(20, 4, rate=0.3), Wanted(against=0.5)
    one, same, other = (Simulation(study, wanted, 500, seed).run()["power"] for seed in (1, 1, 2))
    assert one.tolist() == same.tolist()
    assert one.tolist() != other.tolist()
    found = summarize(one)
    assert found.low < found.value < found.high
    assert found.n == 500


@pytest.mark.parametrize("study", [Accuracy(5_000, 1), Accuracy(9, 1, models=3), AgreementStudy(9, 1, 2, 2, 0.5, 0.5)])
def test_who_watches_is_told_of_every_piece(study: Study) -> None:
    told: list[tuple[str, list[int]]] = []

    def track(what: str, pieces: Sequence[int]) -> Sequence[int]:
        told.append((what, list(pieces)))
        return pieces

    found = Simulation(study, Wanted(), 120, 0, track).run()
    ((what, pieces),) = told
    assert what == f"120 studies of {study.prompts} prompts × 1"
    assert sum(pieces) == len(found["half-width"]) == 120
    assert len(pieces) > 1


# --- What is learnt from a run. ---


def sample(values: Floats, clusters: Integers, strata: Integers) -> pl.DataFrame:
    return pl.DataFrame({"measured": values, "cluster": clusters, "stratum": strata})


def sample_images(right: Integers, images: int, strata: Integers) -> pl.DataFrame:
    flags = (np.arange(images) < right[:, None]).astype(np.float64)
    return sample(flags.ravel(), np.repeat(np.arange(len(right)), images), np.repeat(strata, images))


def test_what_is_learnt_from_images_is_what_they_were_drawn_with() -> None:
    study = Accuracy(4_000, 6, TEN, 0.5, 0.2, 0.3, models=2, difference=0.1, correlation=0.7)
    right = study.draw(np.random.default_rng(31), 1)[0]
    first, second = (sample_images(own, 6, strata_of(study.sizes)) for own in right)
    found = learn(first, second)
    assert found["mean"] == pytest.approx(0.3, abs=0.02)
    assert found["icc"] == pytest.approx(0.5, abs=0.03)
    assert found["icc_within"] == pytest.approx(0.2, abs=0.03)
    assert found["correlation"] == pytest.approx(0.7, abs=0.07)
    assert "correlation" not in learn(first)


def test_correlations_of_unequal_clusters_are_those_of_an_analysis_of_variance() -> None:
    random = np.random.default_rng(32)
    clusters = np.repeat(np.arange(8), random.integers(1, 7, 8))
    values = random.normal(size=len(clusters)) + random.normal(size=8)[clusters]
    groups = [values[clusters == one] for one in range(8)]
    f = stats.f_oneway(*groups).statistic
    sizes = np.array([len(one) for one in groups])
    size = (len(values) - (sizes**2).sum() / len(values)) / 7
    found = learn(sample(values, clusters, np.zeros(len(values), dtype=np.int64)))
    assert found["icc"] == pytest.approx((f - 1) / (f - 1 + size), abs=1e-9)
    assert found["icc_within"] == found["icc"]


def test_one_image_per_prompt_cannot_tell_how_images_hang_together() -> None:
    one_each = sample(np.array([0.0, 1.0, 1.0]), np.arange(3), np.zeros(3, dtype=np.int64))
    all_wrong = sample(np.zeros(6), np.repeat(np.arange(3), 2), np.zeros(6, dtype=np.int64))
    assert "icc" not in learn(one_each)
    assert "icc" not in learn(all_wrong)


# --- Nouns that prompts share. ---

OF_NOUNS: dict[str, Accuracy | ErrorStudy] = {
    "accuracy": Accuracy(200, 4, TEN, 0.5, 0.2, rate=0.4, nouns=20, noun_correlation=0.5),
    "nouns that differ in nothing": Accuracy(200, 4, TEN, 0.5, 0.2, rate=0.4, nouns=20),
    "error": ErrorStudy(200, 4, TEN, 0.5, 0.2, mean=0.3, sd=0.4, nouns=20, noun_correlation=0.5),
}


@pytest.mark.parametrize("name", OF_NOUNS)
def test_prompts_of_one_noun_are_correlated_as_planned_and_each_as_before(name: str) -> None:
    study, random = OF_NOUNS[name], np.random.default_rng(1)
    drawn = study.draw(random, 600)
    values = (drawn[:, 0] if isinstance(study, Accuracy) else drawn).astype(float)
    if isinstance(study, Accuracy):
        values = values / study.images
    plain = replace(study, nouns=0, noun_correlation=0.0)
    usual = plain.draw(random, 600)
    others = usual[:, 0] / study.images if isinstance(study, Accuracy) else usual
    assert values.mean() == pytest.approx(others.mean(), abs=0.01)
    assert values.std(axis=0).mean() == pytest.approx(others.std(axis=0).mean(), rel=0.03)
    shared = np.mean([np.corrcoef(values[:, at], values[:, at + 20])[0, 1] for at in range(100)])
    apart = np.mean([np.corrcoef(values[:, at], values[:, at + 21])[0, 1] for at in range(100)])
    assert abs(apart) < 0.02
    assert bool(shared > 0.1) is (study.noun_correlation > 0)


def test_a_plan_with_nouns_has_intervals_over_nouns_that_hold_the_truth() -> None:
    wide = Simulation(OF_NOUNS["accuracy"], Wanted(), 200, 2).run()
    plain = Simulation(Accuracy(200, 4, TEN, 0.5, 0.2, rate=0.4), Wanted(), 200, 2).run()
    assert wide["coverage"].mean() >= 0.93 - 3 * (0.05 * 0.95 / 200) ** 0.5
    assert wide["half-width"].mean() > 1.4 * plain["half-width"].mean()


@PROOF
@pytest.mark.parametrize("name", OF_NOUNS)
def test_plans_with_nouns_cover_the_truth(name: str) -> None:
    assert 0.93 <= Simulation(OF_NOUNS[name], Wanted(), 2000, 3).run()["coverage"].mean() <= 0.975
