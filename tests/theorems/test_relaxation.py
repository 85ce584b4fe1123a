"""Single-sample relaxation: S1 (2.22) to (2.29) and S4 section 5.6."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import theory

from .data import (
    ROUNDING,
    SMALL,
    at_most,
    norm,
    orthonormal_problems,
    separable_problems,
    theorem,
    vectors,
)
from .runs import by_all

rates = st.sampled_from([0.3, 1.0, 1.7])
targets = st.sampled_from([(0.0, 1.0), (1.0, 1.5), (1.0, 4.0)])


def run(by, problem, b, b_u, eta, start=None):
    trace = by.relaxation(
        problem, margin=b, target=b_u, relaxation=eta, max_epochs=100_000, start=start
    )
    assert trace.converged
    return trace


def corrections(problem, trace):
    """Each correction: weights before, pattern, weights after."""
    for t, (k, _) in enumerate(trace.updates):
        yield trace.path[t], problem.Y[k], trace.path[t + 1]


@by_all
@theorem
@given(separable_problems(), targets, rates)
def test_length_is_squeezed_at_every_update(by, problem, target, eta):
    b, b_u = target
    trace = run(by, problem, b, b_u, eta)
    for t, a in enumerate(trace.path):
        lower, upper = theory.relaxation_norm_bounds(
            problem.R, problem.r, problem.gamma, b_u, t, b, eta
        )  # (2.28)
        assert at_most(lower, a @ problem.u)
        assert at_most(norm(a), upper)


@by_all
@theorem
@given(separable_problems(), targets, rates)
def test_updates_end_within_the_time_bound(by, problem, target, eta):
    b, b_u = target
    trace = run(by, problem, b, b_u, eta)
    assert all(y @ trace.a > b for y in problem.Y)
    limit = theory.relaxation_updates(problem.R, problem.r, problem.gamma, b_u, b, eta)  # (2.29)
    assert at_most(len(trace.updates), limit)


@by_all
@theorem
@given(orthonormal_problems)
def test_time_bound_is_reached_by_orthonormal_patterns(by, problem):
    trace = run(by, problem, 0.0, 1.0, 1.0)
    limit = theory.relaxation_updates(problem.R, problem.r, problem.gamma, b_u=1.0)
    assert len(trace.updates) == pytest.approx(limit)


@by_all
@theorem
@given(separable_problems(), targets, rates, st.data())
def test_factor_of_every_step_has_its_floor(by, problem, target, eta, data):
    b, b_u = target
    start = data.draw(vectors(problem.Y.shape[1], SMALL))
    trace = run(by, problem, b, b_u, eta, start)
    floor = theory.relaxation_step_floor(problem.R, b_u, b)  # (2.23)
    assert all(at_most(eta * floor, step) for _, step in trace.updates)


@by_all
@theorem
@given(separable_problems(), targets, rates, st.sampled_from([1.0, 3.0]), st.data())
def test_every_step_approaches_every_solution(by, problem, target, eta, far, data):
    b, b_u = target
    trace = run(by, problem, b, b_u, eta, start=data.draw(vectors(problem.Y.shape[1], SMALL)))
    solution = far * b_u / problem.gamma * (1 + ROUNDING) * problem.u  # scores of at least b_u
    scale = norm(solution) ** 2 + max(norm(a) for a in trace.path) ** 2
    for a, y, after in corrections(problem, trace):
        before, now = (a - solution) @ (a - solution), (after - solution) @ (after - solution)
        ahead, least = theory.progress_towards_solution(a, y, solution, b_u)  # (39)
        assert ahead >= least - ROUNDING * scale
        assert least >= b_u - b
        exact = theory.squared_distance_after_relaxation(a, y, solution, b_u, eta)  # (38)
        assert now == pytest.approx(exact, abs=ROUNDING * scale)
        decrease = theory.relaxation_decrease(a, y, b_u, eta)  # (40)
        assert now <= before - decrease + ROUNDING * scale


@by_all
@theorem
@given(separable_problems(), targets, rates, st.data())
def test_a_step_relaxes_its_pattern(by, problem, target, eta, data):
    b, b_u = target
    trace = run(by, problem, b, b_u, eta, start=data.draw(vectors(problem.Y.shape[1], SMALL)))
    for a, y, after in corrections(problem, trace):
        size = 1 + norm(y) * (norm(a) + norm(after))
        score = theory.score_after_relaxation(a, y, b_u, eta)  # (37)
        assert after @ y == pytest.approx(score, abs=ROUNDING * size)
        (distance,) = theory.hyperplane_distances(a, [y], b_u)  # (36)
        assert norm(after - a) == pytest.approx(eta * distance, abs=ROUNDING * size)


@by_all
@theorem
@given(separable_problems(), st.sampled_from([0.5, 2.0]), rates, st.data())
def test_relaxation_to_its_own_margin_enters_the_solution_region(by, problem, b, eta, data):
    """Without a higher target the limit may lie on the boundary, but min y.a > 0 is reached."""
    trace = run(by, problem, b, b, eta, start=data.draw(vectors(problem.Y.shape[1], SMALL)))
    assert np.min(problem.Y @ trace.a) > 0
    criterion = [theory.relaxation_criterion(a, problem.Y, b) for a in trace.path]  # (33)
    assert min(criterion) >= 0
    assert (criterion[-1] == 0) == bool(np.min(problem.Y @ trace.a) >= b)


@by_all
@theorem
@given(separable_problems(), targets)
def test_criteria_are_positive_until_the_end(by, problem, target):
    """J_p and J_q while a score is negative, J_r while one is below b."""
    b, b_u = target
    trace = run(by, problem, b, b_u, 1.7)
    for a in trace.path:
        least = np.min(problem.Y @ a)
        assert (theory.perceptron_criterion(a, problem.Y) > 0) == (least < 0)
        assert (theory.squared_criterion(a, problem.Y) > 0) == (least < 0)
        assert (theory.relaxation_criterion(a, problem.Y, b) > 0) == (least < b)
    assert theory.relaxation_criterion(trace.a, problem.Y, b) <= ROUNDING
