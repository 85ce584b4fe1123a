"""The perceptron with dynamic margin, and its upper bound on the margin: S5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import DynamicMarginPerceptron, theory

from .data import (
    at_most,
    norm,
    orthonormal_problems,
    problems_with_known_optimum,
    separable_problems,
    theorem,
)
from .runs import by_all, by_package

epsilons = st.sampled_from([0.1, 0.5, 0.9])


@by_all
@theorem
@given(separable_problems(), epsilons)
def test_upper_bound_holds_at_every_update(by, problem, epsilon):
    trace = by.dynamic_margin(problem, epsilon, max_epochs=200)
    for t, a in enumerate(trace.path[1:], start=1):
        assert at_most(problem.gamma, theory.directional_margin_ceiling(norm(a), t))  # (3)


@by_all
@theorem
@given(problems_with_known_optimum(), epsilons)
def test_stop_is_within_epsilon_of_the_optimum(by, problem, epsilon):
    trace = by.dynamic_margin(problem, epsilon, max_epochs=100_000)
    assert trace.converged
    lower = np.min(problem.Y @ trace.a) / norm(trace.a)
    upper = theory.directional_margin_ceiling(norm(trace.a), len(trace.updates))
    assert at_most((1 - epsilon) * upper, lower)
    assert at_most(problem.gamma, upper)
    assert at_most(lower, problem.gamma)
    assert at_most((1 - epsilon) * problem.gamma, lower)


@by_package
@theorem
@given(problems_with_known_optimum(), epsilons)
def test_stop_is_as_good_with_passes_over_few_patterns(by, problem, epsilon):
    model = DynamicMarginPerceptron(epsilon, active_set=True)
    assert by.fit(model, problem, max_epochs=100_000)
    assert at_most((1 - epsilon) * problem.gamma, model.certificate_.lower)
    assert at_most(model.certificate_.lower, problem.gamma)
    assert at_most(problem.gamma, model.certificate_.upper)


@by_all
@theorem
@given(orthonormal_problems)
def test_orthonormal_patterns_reach_the_bound(by, problem):
    trace = by.dynamic_margin(problem, 0.5)
    upper = theory.directional_margin_ceiling(norm(trace.a), len(trace.updates))
    assert upper == pytest.approx(problem.gamma)


@by_all
@theorem
@given(
    separable_problems(),
    st.sampled_from(
        [
            lambda by, problem: by.perceptron(problem, margin=1.0, schedule=lambda t: 1 + 1 / t),
            lambda by, problem: by.batch_perceptron(problem, max_epochs=50),
            lambda by, problem: by.relaxation(problem, margin=1.0, target=2.0, relaxation=1.5),
            lambda by, problem: by.min_over(
                problem, target=1.0, start_multipliers=np.full(len(problem.Y), 0.3)
            ),
            lambda by, problem: by.fixed_margin(
                problem, 0.01, length="fixed", learning_rate=0.002, max_epochs=20
            ),
        ]
    ),
)
def test_upper_bound_holds_for_the_multipliers_of_other_rules(by, problem, algorithm):
    trace = algorithm(by, problem)
    np.testing.assert_allclose(trace.alpha @ problem.Y, trace.a, atol=1e-9 * (1 + norm(trace.a)))
    upper = theory.directional_margin_ceiling(norm(trace.alpha @ problem.Y), trace.alpha.sum())
    assert at_most(problem.gamma, upper)
