"""The perceptron with and without margin: S1 section 2.1 and Novikoff's theorem of S3."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import theory

from .data import (
    ROUNDING,
    SMALL,
    at_most,
    factors,
    integer_problems,
    norm,
    orthogonal_problem,
    orthonormal_problems,
    separable_problems,
    stepwise_problems,
    theorem,
    vectors,
)
from .runs import by_all

margins = st.sampled_from([0.0, 0.3, 1.0, 5.0])
rates = st.sampled_from([0.1, 1.0, 3.0])


def run(by, problem, b, eta, steps, start=None):
    """Run with the factors f_t taken from `steps` in turn; also the arguments of the bounds."""
    trace = by.perceptron(
        problem,
        margin=b,
        learning_rate=eta,
        schedule=None if steps == [1.0] else lambda t: steps[t % len(steps)],
        max_epochs=100_000,
        start=start,
    )
    assert trace.converged
    bounds = {
        "R": problem.R,
        "gamma": problem.gamma,
        "b": b,
        "eta": eta,
        "f_min": min(steps),
        "f_max": max(steps),
    }
    return trace, bounds


@by_all
@theorem
@given(separable_problems(), margins, rates, factors)
def test_length_is_squeezed_at_every_update(by, problem, b, eta, steps):
    trace, bounds = run(by, problem, b, eta, steps)
    for t, a in enumerate(trace.path):
        lower, upper = theory.standard_margin_norm_bounds(t=t, **bounds)  # (2.10)
        assert at_most(lower, a @ problem.u)
        assert at_most(norm(a), upper)
        assert at_most(norm(a), theory.standard_margin_norm_ceiling(**bounds))  # (2.20)


@by_all
@theorem
@given(separable_problems(), margins, rates, factors)
def test_updates_end_within_the_time_bound(by, problem, b, eta, steps):
    trace, bounds = run(by, problem, b, eta, steps)
    assert at_most(len(trace.updates), theory.standard_margin_updates(**bounds))  # (2.11)


@by_all
@theorem
@given(separable_problems(), st.sampled_from([1, 2, 7]))
def test_novikoff(by, problem, scale):
    """For any length of the separating vector ``theta = scale u``."""
    trace, _ = run(by, problem, 0.0, 1.0, [1.0])
    limit = theory.novikoff_updates(problem.R, scale * problem.gamma, scale)
    assert at_most(len(trace.updates), limit)
    gamma_geom = theory.geometric_margin(scale * problem.gamma, scale)
    assert limit == pytest.approx((problem.R / gamma_geom) ** 2)


@by_all
@theorem
@given(orthonormal_problems)
def test_novikoff_is_reached_by_orthonormal_patterns(by, problem):
    trace, bounds = run(by, problem, 0.0, 1.0, [1.0])
    assert len(trace.updates) == pytest.approx(theory.standard_margin_updates(**bounds))
    assert len(trace.updates) == len(problem.Y)


@by_all
@theorem
@given(separable_problems(), st.sampled_from([0.3, 1.0, 5.0]), rates, factors)
def test_margin_achieved(by, problem, b, eta, steps):
    trace, bounds = run(by, problem, b, eta, steps)
    achieved = np.min(problem.Y @ trace.a) / norm(trace.a)
    assert achieved > theory.standard_margin_guarantee(**bounds) * (1 - ROUNDING)  # (2.21)


@by_all
@theorem
@given(stepwise_problems(), st.integers(0, 6))
def test_stepwise_convergence(by, problem, multiple):
    """After t_c every update turns the weights towards u; the runs have such updates."""
    b = float(multiple * problem.r**2)
    trace, bounds = run(by, problem, b, 1.0, [1.0])
    cosines = problem.cosines(trace.path)
    onset = theory.stepwise_onset_standard(**bounds)  # (2.18)
    late = [t for t in range(1, len(trace.updates)) if t > onset]
    if b == 0 or problem.r == problem.R:
        assert late
    assert all(cosines[t + 1] > cosines[t] for t in late)


@by_all
@theorem
@given(st.integers(2, 12), st.integers(1, 8))
def test_stepwise_convergence_starts_late_with_a_margin(by, n, multiple):
    """Orthonormal patterns turn the weights away from u shortly before t_c."""
    problem = orthogonal_problem([1.0] * n)
    trace, bounds = run(by, problem, float(multiple), 1.0, [1.0])
    cosines = problem.cosines(trace.path)
    onset = theory.stepwise_onset_standard(**bounds)
    assert onset == pytest.approx((n - 1) / 2 + multiple * n)
    last = range(multiple * n, len(trace.updates))
    turned_away = [t for t in last if cosines[t + 1] <= cosines[t]]
    assert turned_away
    assert max(turned_away) <= onset
    assert any(t > onset for t in last)


@by_all
@theorem
@given(separable_problems(), margins, rates, factors, st.data())
def test_any_start(by, problem, b, eta, steps, data):
    """A start a_0 costs 2 ||a_0|| / (eta f_min gamma) updates, half of it if a_0.u >= 0."""
    start = data.draw(vectors(problem.Y.shape[1], SMALL))
    trace, bounds = run(by, problem, b, eta, steps, start=start)
    detour = norm(start) / (eta * min(steps) * problem.gamma)
    times = 1 if start @ problem.u >= 0 else 2
    assert at_most(len(trace.updates), theory.standard_margin_updates(**bounds) + times * detour)


@by_all
@theorem
@given(integer_problems(), st.sampled_from([2.0**-20, 0.5, 2.0, 2.0**30]))
def test_learning_rate_does_not_matter_without_margin(by, problem, eta):
    reference, _ = run(by, problem, 0.0, 1.0, [1.0])
    trace, _ = run(by, problem, 0.0, eta, [1.0])
    assert [k for k, _ in trace.updates] == [k for k, _ in reference.updates]


@by_all
@theorem
@given(
    separable_problems(),
    margins,
    st.sampled_from([lambda t: 1 / t, math.sqrt, lambda t: 1 + t % 3]),
)
def test_learning_rate_schedules(by, problem, b, schedule):
    """Any steps: (gamma sum eta)^2 <= R^2 sum eta^2 + 2 b sum eta, at every update."""
    trace = by.perceptron(problem, margin=b, schedule=schedule, max_epochs=40)
    steps = np.array([step for _, step in trace.updates])
    total, squares = np.cumsum(steps), np.cumsum(steps**2)
    assert np.all(
        (problem.gamma * total) ** 2 <= (problem.R**2 * squares + 2 * b * total) * (1 + ROUNDING)
    )
