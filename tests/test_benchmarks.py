"""The judge of the benchmarks is right about a problem small enough for paper and pencil."""

import math

import numpy as np
import pytest
from scipy import sparse

from benchmarks.judge import Problem, Try, best, gap, geometric_mean, merit

X = np.array([[2.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
Y = np.array([1, 1, -1])
W, B = np.array([1.0, 0.5]), 0.25  # scores 2.25, 0.75, 1.25: one row lacks 0.25


@pytest.mark.parametrize("data", [X, sparse.csr_array(X)])
@pytest.mark.parametrize(
    ("loss", "rho", "expected"),
    [
        ("hinge", None, 0.625 + 4.0 * 0.25),
        ("squared_hinge", None, 0.625 + 4.0 * 0.25**2),
        ("squared_hinge", 1.0, 0.625 + 0.03125 + 4.0 * 0.25**2),
        ("squared_hinge", 2.0, 0.625 + 0.0078125 + 4.0 * 0.25**2),
    ],
)
def test_objective(data, loss, rho, expected):
    assert merit(Problem(loss, rho, 4.0), data, Y, W, B) == pytest.approx(expected, rel=1e-15)


def test_hard_margin_is_the_distance_to_the_nearest_row():
    problem = Problem("hinge", None, math.inf)
    assert merit(problem, X, Y, W, B) == pytest.approx(0.75 / np.linalg.norm(W))
    assert merit(problem, X, Y, -W, B) < 0.0
    assert gap(problem, 0.9, 1.0) == pytest.approx(0.1)


def test_what_was_stopped_or_is_not_finite_reaches_no_gap():
    problem = Problem("hinge", 1.0, 1.0)
    assert gap(problem, None, 1.0) == gap(problem, math.nan, 1.0) == math.inf
    assert not gap(problem, 1.0, math.nan) <= 1.0


def test_the_oracle_takes_the_fastest_fit_that_reached_the_gap():
    problem = Problem("hinge", 1.0, 1.0)
    fast, right, slow = (
        Try("peer", 1, setting, seconds, value)
        for setting, seconds, value in (("a", 1.0, 1.1), ("b", 2.0, 1.009), ("c", 3.0, 1.0))
    )
    stopped = Try("other", 1, "d", 0.5)
    assert best(problem, 1.0, [slow, stopped, fast, right], 1e-2) is right
    assert best(problem, 1.0, [stopped, fast], 1e-2) is None


def test_geometric_mean():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    assert math.isnan(geometric_mean([]))
