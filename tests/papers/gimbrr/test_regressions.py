"""GIMBRR's regressions are those of statsmodels, and its bands those of refitting resampled points one by one."""

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from scipy.stats import f as fisher
from statsmodels.regression.linear_model import OLS  # type: ignore[import-untyped]
from statsmodels.stats.anova import anova_lm  # type: ignore[import-untyped]
from statsmodels.tools import add_constant  # type: ignore[import-untyped]

from subitize.papers.gimbrr.regressions import (
    RESAMPLES,
    RegressionPoint,
    analyse,
    correlate,
    draw_band,
    fit_line,
    link_singles,
    point_at_singles,
)


def draw_points(count: int, seed: int) -> list[RegressionPoint]:
    random = np.random.default_rng(seed)
    x, noise = random.random((2, count))
    return [
        RegressionPoint(f"m{at}", "actions", a, 0.3 * a + 0.5 * b)
        for at, (a, b) in enumerate(zip(x, noise, strict=True))
    ]


def test_a_line_is_that_of_statsmodels() -> None:
    points = draw_points(14, 1)
    x, y = ([getattr(one, axis) for one in points] for axis in "xy")
    theirs = OLS(y, add_constant(x)).fit()
    ours = fit_line(points)
    assert ours is not None
    assert (ours.intercept, ours.slope.value) == pytest.approx(tuple(theirs.params), abs=1e-9)
    assert (ours.slope.low, ours.slope.high) == pytest.approx(tuple(theirs.conf_int()[1]), abs=1e-9)
    assert ours.p == pytest.approx(theirs.pvalues[1], abs=1e-9)
    assert (ours.df, ours.slope.n) == (theirs.df_resid, 14)


def test_effects_are_those_of_statsmodels_with_sum_coding_and_type_i_squares() -> None:
    related, unrelated = draw_points(12, 2), draw_points(8, 3)
    x, y = (np.array([getattr(one, axis) for one in (*related, *unrelated)]) for axis in "xy")
    kind = np.repeat([1.0, -1.0], [12, 8])
    terms = np.column_stack([np.ones(20), x, kind, x * kind])
    models = [OLS(y, terms[:, :width]).fit() for width in (1, 2, 3, 4)]
    table, full = anova_lm(*models), models[-1]
    effects = analyse(related, unrelated)
    assert effects is not None
    for effect, place in zip(effects, (1, 3), strict=True):
        assert effect.squares == pytest.approx(table["ss_diff"][place], abs=1e-9)
        # Their table has the degrees of freedom of each model, but the variance of the last.
        assert effect.p == pytest.approx(fisher.sf(table["F"][place], 1, full.df_resid), abs=1e-9)
        assert effect.coefficient.value == pytest.approx(full.params[place], abs=1e-9)
        assert effect.p_coefficient == pytest.approx(full.pvalues[place], abs=1e-9)
        bounds = effect.coefficient.low, effect.coefficient.high
        assert bounds == pytest.approx(tuple(full.conf_int()[place]), abs=1e-9)
        assert effect.df == full.df_resid == 16


def test_a_band_is_that_of_resampled_points_refitted_one_by_one() -> None:
    points = draw_points(9, 4)
    band = draw_band(points, places=5)
    assert band is not None
    x, y = (np.array([getattr(one, axis) for one in points]) for axis in "xy")
    drawn = np.random.default_rng(0).integers(9, size=(RESAMPLES, 9))
    lines = np.array([np.polyval(np.polyfit(x[some], y[some], 1), band.x) for some in drawn[:500]])
    few_low, few_high = np.quantile(lines, [0.025, 0.975], axis=0)
    assert band.low == pytest.approx(few_low, abs=0.05)
    assert band.high == pytest.approx(few_high, abs=0.05)
    assert (band.low < band.y).all()
    assert (band.y < band.high).all()
    assert RESAMPLES == 10_000


def test_points_that_cannot_be_fitted_give_nothing() -> None:
    points = draw_points(6, 5)
    upright = [one._replace(x=0.5) for one in points]
    assert fit_line(points[:2]) is None
    assert fit_line(upright) is None
    assert draw_band(upright) is None
    assert analyse(upright[:3], upright[3:]) is None
    assert analyse(points[:2], points[2:4]) is None
    level = [one._replace(y=0.0) for one in points]
    assert fit_line(level) is None
    assert draw_band(level) is None
    assert analyse(level[:3], level[3:]) is None


def test_points_on_their_lines_leave_no_doubt() -> None:
    points = [one._replace(y=one.x / 2) for one in draw_points(12, 6)]
    line, effects = fit_line(points), analyse(points[:6], points[6:])
    assert line is not None
    assert line.slope.value == pytest.approx(0.5)
    assert line.p < 1e-9
    assert effects is not None
    assert effects[0].p < 1e-9


def make_ratings(rows: Sequence[tuple[str, str, str, str | None, float]]) -> pl.DataFrame:
    columns = {"model": pl.String, "task": pl.String, "key": pl.String, "linked": pl.String, "right": pl.Float64}
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    return frame.with_columns(item="key", is_first=pl.int_range(pl.len()).over("model", "key") == 0)


def test_a_single_object_counts_once_per_task_with_all_its_ratings() -> None:
    rows: list[tuple[str, str, str, str | None, float]] = [
        *[("m", "actions", f"a{place}", "s1,s2" if place else "s1", 1.0) for place in range(3)],
        *[("m", "single", "s1", None, 1.0), ("m", "single", "s1", None, 0.0), ("m", "single", "s2", None, 0.0)],
        ("m", "single", "s3", None, 1.0),
    ]
    ratings = make_ratings(rows)
    assert link_singles(ratings)["key"].to_list() == ["s1", "s1", "s2"]
    assert point_at_singles(ratings) == [RegressionPoint("m", "actions", 1 / 3, 1.0)]
    assert point_at_singles(ratings, first_only=True)[0].x == pytest.approx(1 / 2)
    assert point_at_singles(ratings, repeat_links=True)[0].x == pytest.approx(3 / 8)


def test_tasks_that_move_together_correlate_and_those_that_never_vary_are_named() -> None:
    shares = {"counting": (0.0, 0.5, 1.0), "actions": (0.0, 0.25, 1.0), "text": (0.0, 0.0, 0.0)}
    rows = [
        (f"m{model}", task, f"{task}{place}", None, float(place < 4 * share))
        for task, own in shares.items()
        for model, share in enumerate(own)
        for place in range(4)
    ]
    found, silent = correlate(make_ratings(rows))
    assert silent == ["text"]
    (pair,) = found
    assert set(pair) == {"counting", "actions"}
    assert found[pair].value == pytest.approx(np.corrcoef(shares["counting"], shares["actions"])[0, 1])
    assert found[pair].n == 3
    two = make_ratings([row for row in rows if row[0] != "m2"])
    assert correlate(two) == ({}, [])
