"""The batch perceptron of S3.

Novikoff's bound is not about its steps. With steps of 1 and n patterns at most ``n R^2/gamma^2``
patterns are corrected, one counted as often as it is, in at most ``(n+1)^2/(4n) R^2/gamma^2``
steps: in each step between 1 and n patterns are, and the sums of these numbers and of their
squares are as far apart as the lengths' bounds.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .data import ROUNDING, Problem, at_most, separable_problems, theorem
from .runs import by_all


@by_all
@theorem
@given(separable_problems())
def test_corrections_and_steps(by, problem):
    trace = by.batch_perceptron(problem, max_epochs=100_000)
    assert trace.converged
    n, difficulty = len(problem.Y), (problem.R / problem.gamma) ** 2
    assert at_most(len(trace.updates), n * difficulty)
    assert at_most(len(trace.path) - 1, (n + 1) ** 2 / (4 * n) * difficulty)


@by_all
@pytest.mark.parametrize("n", [2, 3, 5])
def test_corrections_of_repeated_patterns_reach_the_bound(by, n):
    problem = Problem(np.array([[2.0, 1.0]] * n), np.array([2.0, 1.0]) / math.sqrt(5))
    trace = by.batch_perceptron(problem)
    assert len(trace.updates) == pytest.approx(n * (problem.R / problem.gamma) ** 2)


@by_all
@theorem
@given(separable_problems(), st.sampled_from([lambda k: 1 / k, math.sqrt, lambda k: 1.0 + k % 3]))
def test_learning_rate_schedules(by, problem, schedule):
    """At every step: (gamma sum m_k eta_k)^2 <= R^2 sum (m_k eta_k)^2, m_k patterns corrected."""
    trace = by.batch_perceptron(problem, schedule=schedule, max_epochs=60)
    a = np.zeros(problem.Y.shape[1])
    masses = []
    for k in range(1, len(trace.path)):
        wrong = problem.Y @ a <= 0
        masses.append(schedule(k) * np.count_nonzero(wrong))
        a = trace.path[k]
    total, squares = np.cumsum(masses), np.cumsum(np.square(masses))
    assert np.all((problem.gamma * total) ** 2 <= problem.R**2 * squares * (1 + ROUNDING))
    assert len(masses) >= 1
