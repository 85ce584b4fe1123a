"""Perceptrons that demand a directional margin: S1 section 2.2, and the bisection of section 3."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from maxmargin import theory

from .data import (
    Problem,
    at_most,
    integer_problems,
    norm,
    separable_problems,
    stepwise_problems,
    theorem,
)
from .runs import by_all

shares = st.sampled_from([0.0, 0.2, 0.5, 0.8])
some_shares = st.sampled_from([0.1, 0.3, 0.5, 0.8])
forms = st.sampled_from(["unit", "projected"])


def step_factors(problem, beta, step):
    """Bounds of the step's factor, S1 (2.5), for f = 1 and for f as in (2.32)."""
    if step == "unit":
        return {"f_min": 1.0, "f_max": 1.0}
    return {"f_min": 1 - (beta / problem.r) ** 2, "f_max": 1 + beta / problem.r}


def run_free(by, problem, share, step="unit", eta=1.0):
    beta = share * problem.gamma
    trace = by.fixed_margin(problem, beta, step=step, learning_rate=eta, max_epochs=100_000)
    assert trace.converged
    assert all(y @ trace.a > beta * norm(trace.a) for y in problem.Y)
    bounds = {"R": problem.R, "gamma": problem.gamma, "beta": beta}
    return trace, bounds | step_factors(problem, beta, step)


def run_fixed(by, problem, share, step, rate):
    """Run at the learning rate that `rate` gives for the arguments of the bounds."""
    beta = share * problem.gamma
    bounds = {"R": problem.R, "gamma": problem.gamma, "beta": beta}
    bounds |= step_factors(problem, beta, step)
    eta = rate(bounds)
    trace = by.fixed_margin(
        problem, beta, length="fixed", step=step, learning_rate=eta, max_epochs=100_000
    )
    assert trace.converged
    assert all(y @ trace.a > beta * norm(trace.a) for y in problem.Y)
    return trace, bounds, eta


# --- weights of free length --------------------------------------------------


@by_all
@theorem
@given(separable_problems(), shares, forms, st.integers(1, 6), st.sampled_from([0.1, 1.0]))
def test_free_length_is_bounded_at_every_update(by, problem, share, step, N, eta):
    trace, bounds = run_free(by, problem, share, step, eta)
    for t, a in enumerate(trace.path):
        assert at_most(eta * bounds["f_min"] * problem.gamma * t, a @ problem.u)  # (2.7)
        if t > N:
            assert at_most(
                norm(a),
                theory.free_length_norm_ceiling(t=t, N=N, eta=eta, **bounds),  # (2.42)
            )


@by_all
@theorem
@given(separable_problems(), shares, forms, st.integers(1, 6))
def test_free_length_updates_end_within_the_time_bounds(by, problem, share, step, N):
    trace, bounds = run_free(by, problem, share, step)
    assume(bounds["f_max"] * bounds["beta"] < bounds["f_min"] * bounds["gamma"])
    t = len(trace.updates)
    assert at_most(t, theory.free_length_updates(N=N, **bounds))  # (2.43)
    assert at_most(t, theory.free_length_updates_simple(**bounds))  # (2.45)
    N_opt = theory.free_length_optimal_start(**bounds)
    if N_opt > 1:
        limit = theory.free_length_updates_near_optimal(**bounds)  # (2.48)
        assert limit >= N_opt
        assert at_most(t, limit)


@by_all
@theorem
@given(st.data(), st.sampled_from([0.0, 0.1, 0.3]))
def test_free_length_stepwise_convergence(by, data, share):
    """After t_c every update turns the weights towards u; the runs have such updates."""
    problem = data.draw(stepwise_problems(share))
    trace, bounds = run_free(by, problem, share)
    cosines = problem.cosines(trace.path)
    onset = theory.stepwise_onset_free_length(**bounds)  # (2.35)
    late = [t for t in range(1, len(trace.updates)) if t > onset]
    assert late
    assert all(cosines[t + 1] > cosines[t] for t in late)


@by_all
@theorem
@given(integer_problems(), shares, st.sampled_from([2.0**-20, 0.5, 2.0, 2.0**30]))
def test_learning_rate_does_not_matter_for_free_length(by, problem, share, eta):
    reference, _ = run_free(by, problem, share)
    trace, _ = run_free(by, problem, share, eta=eta)
    assert [k for k, _ in trace.updates] == [k for k, _ in reference.updates]


# --- weights of fixed length -------------------------------------------------


@by_all
@theorem
@given(separable_problems(), some_shares, forms, st.sampled_from([0.1, 0.5, 0.9]))
def test_fixed_length_stepwise_convergence(by, problem, share, step, part):
    """Below the critical rate every update, the first one too, turns the weights towards u."""
    assume(problem.R > problem.gamma)
    trace, _, _ = run_fixed(
        by,
        problem,
        share,
        step,
        lambda bounds: part * theory.fixed_length_critical_rate(*critical(bounds)),  # (2.51)
    )
    cosines = problem.cosines(trace.path)
    assert cosines[0] > 0
    assert all(later > earlier for earlier, later in pairwise(cosines))


def critical(bounds):
    return [bounds[name] for name in ("R", "gamma", "beta", "f_max")]


@by_all
@theorem
@given(separable_problems(), some_shares, forms, st.sampled_from([0.1, 0.5, 0.9]))
def test_fixed_length_updates_end_within_the_time_bound(by, problem, share, step, part):
    def rate(bounds):
        """A part of the rate at which the brace of (2.56) vanishes."""
        stretch = 1 + 2 * bounds["beta"] / bounds["R"]
        gap = (bounds["gamma"] - bounds["beta"]) / bounds["R"]
        root = math.sqrt(stretch**2 / 4 + 2 * gap) - stretch / 2
        return part * root * bounds["beta"] / (bounds["f_max"] * bounds["R"])

    trace, bounds, eta = run_fixed(by, problem, share, step, rate)
    assert len(trace.updates) < theory.fixed_length_updates_at_rate(eta=eta, **bounds)  # (2.56)


@by_all
@theorem
@given(separable_problems(), some_shares, forms)
def test_fixed_length_updates_at_the_optimal_rate(by, problem, share, step):
    trace, bounds, _ = run_fixed(
        by,
        problem,
        share,
        step,
        lambda bounds: theory.fixed_length_optimal_rate(*critical(bounds)),  # (2.57)
    )
    assert len(trace.updates) < theory.fixed_length_updates(**bounds)  # (2.58)


# --- bisection ---------------------------------------------------------------


@by_all
@theorem
@given(
    st.integers(2, 12),
    st.lists(st.integers(0, 359), min_size=1, max_size=3),
    st.sampled_from([1, 2]),
)
def test_bisection_halves_the_deviation(by, level, angles, variant):
    """``|beta_j - gamma_d| <= step_j``, as each round succeeds exactly when beta < gamma_d.

    All patterns have length 1 and the optimal margin is an odd multiple of 1/32, so no margin
    that is tried comes closer to it than 1/32.
    """
    gamma = (2 * level + 1) / 32
    across = math.sqrt(1 - gamma**2)
    turns = np.radians(angles)
    rows = np.array(
        [
            [gamma, sign * across * math.cos(turn), sign * across * math.sin(turn)]
            for turn in turns
            for sign in (1, -1)
        ]
    )
    problem, checks = Problem(rows, np.array([1.0, 0.0, 0.0])), 50_000
    trace = by.bolzano(problem, variant, precision=0.06, max_checks=checks, max_epochs=10 * checks)
    assert trace.converged
    step = 0.5
    for beta, success in trace.rounds:
        assert success == (beta < gamma)
        assert abs(beta - gamma) <= step
        step /= 2
    assert len(trace.rounds) == 4
    assert at_most(gamma - 1 / 32, trace.best_margin)
    assert trace.best_margin < gamma
    achieved = np.min(rows @ trace.a) / norm(trace.a)
    assert at_most(trace.best_margin, achieved)
    assert at_most(achieved, gamma)
