"""The min-over algorithm from any non-negative start: S2."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maxmargin import theory

from .data import (
    SMALL,
    at_most,
    norm,
    problems_with_known_optimum,
    separable_problems,
    theorem,
    vectors,
)
from .runs import by_all

targets = st.sampled_from([0.2, 1.0, 3.0])
multipliers = st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.5]), min_size=12, max_size=12)


def run(by, problem, c, lam, start=None):
    """Run from the start with multipliers lam; the trace, lam and x."""
    lam = np.array(lam[: len(problem.Y)])
    trace = by.min_over(problem, c, start_multipliers=lam, start=start, max_epochs=200_000)
    assert trace.converged
    return trace, lam, problem.R**2


@by_all
@theorem
@given(separable_problems(), targets, multipliers)
def test_length_and_updates(by, problem, c, lam):
    trace, lam, x = run(by, problem, c, lam)
    w0_norm = norm(lam @ problem.Y)
    for M, w in enumerate(trace.path):
        assert at_most(norm(w), theory.min_over_norm_ceiling(x, c, M, w0_norm))  # (3)
        assert at_most(problem.gamma * (M / x + lam.sum()), w @ problem.u)  # (2)
    limit = theory.min_over_updates(x, c, problem.gamma, w0_norm)  # (4)
    assert at_most(len(trace.updates), limit)


@by_all
@theorem
@given(separable_problems(), targets, multipliers)
def test_margin_found(by, problem, c, lam):
    trace, lam, x = run(by, problem, c, lam)
    M, w_norm = len(trace.updates), norm(trace.a)
    assume(M >= 1)
    achieved, promised = theory.min_over_guarantee(x, c, problem.gamma, w_norm, M, lam.sum())  # (5)
    assert at_most(achieved, np.min(problem.Y @ trace.a) / w_norm)
    assert at_most(promised, achieved)
    factor = theory.min_over_factor(x, c, w_norm, M, lam.sum())
    assert trace.A == pytest.approx(factor)
    assert at_most(factor, theory.min_over_factor_ceiling(x, c, M, norm(lam @ problem.Y)))  # (6)


def across(w, u):
    """Length of the part of w orthogonal to u."""
    return norm(w - (w @ u) * u)


@by_all
@theorem
@given(problems_with_known_optimum(), targets, multipliers)
def test_parts_along_and_across_the_optimal_vector(by, problem, c, lam):
    trace, lam, x = run(by, problem, c, lam)
    M = len(trace.updates)
    k0_norm = across(lam @ problem.Y, problem.u)
    for t, w in enumerate(trace.path):
        ceiling = theory.min_over_orthogonal_ceiling(x, t, k0_norm)  # (10)
        assert at_most(across(w, problem.u), ceiling, scale=norm(w))
    if M >= 1:
        end = {"x": x, "c": c, "delta": problem.gamma, "M": M, "k0_norm": k0_norm}
        along = trace.a @ problem.u / (c / problem.gamma)
        assert at_most(along, theory.min_over_projection_ceiling(**end))  # (12)
        assert at_most(norm(trace.a), theory.min_over_final_norm_ceiling(**end))  # (13)


@by_all
@theorem
@given(problems_with_known_optimum(), st.sampled_from([1.0, 30.0]), st.data())
def test_any_start_will_do_for_large_targets(by, problem, c, data):
    """Once the component along the optimal vector is no longer negative (13) holds from there."""
    start = data.draw(vectors(problem.Y.shape[1], SMALL))
    trace, _, x = run(by, problem, c, [0.0] * len(problem.Y), start=start)
    t = next(t for t, w in enumerate(trace.path) if w @ problem.u >= 0)
    M = len(trace.updates) - t
    if M >= 1:
        k_norm = across(trace.path[t], problem.u)
        ceiling = theory.min_over_final_norm_ceiling(x, c, problem.gamma, M, k_norm)
        assert at_most(norm(trace.a), ceiling)
        reached = np.min(problem.Y @ trace.a) / norm(trace.a)
        assert at_most(c / ceiling, reached)
        assert at_most(reached, problem.gamma)


@by_all
@theorem
@given(problems_with_known_optimum(), multipliers)
def test_margin_tends_to_the_optimum(by, problem, lam):
    """(14): by (13) with M from (4) the margin reached has a bound before the run."""
    c = 50.0
    trace, lam, x = run(by, problem, c, lam)
    w0_norm = norm(lam @ problem.Y)
    M = theory.min_over_updates(x, c, problem.gamma, w0_norm)
    ceiling = theory.min_over_final_norm_ceiling(x, c, problem.gamma, M, w0_norm)
    reached = np.min(problem.Y @ trace.a) / norm(trace.a)
    assert at_most(c / ceiling, reached)
    assert at_most(reached, problem.gamma)
