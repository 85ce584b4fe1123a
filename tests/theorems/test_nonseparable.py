"""Error correction on patterns that no hyperplane separates: S4 section 5.7."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import Perceptron, theory

from .data import SMALL, Problem, at_most, matrices, norm, theorem, vectors
from .runs import by_all, by_package


@st.composite
def nonseparable_problems(draw):
    """Integer patterns whose sum is zero: no weights have all scores positive."""
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    Y = draw(matrices(n, d, SMALL))
    return Problem(np.vstack([Y, -Y.sum(axis=0)]), None)


def states(by, problem, start, epochs):
    """Weights at the beginning of every epoch, and of each epoch all weights in it."""
    a = start
    for _ in range(epochs):
        trace = by.perceptron(problem, max_epochs=1, start=a)
        assert not trace.converged
        yield tuple(a), trace.path
        a = trace.a


@by_all
@theorem
@given(nonseparable_problems(), st.data())
def test_integer_patterns_lead_through_finitely_many_states(by, problem, data):
    """A state returns, and so do all that follow it: the weights stay bounded for ever."""
    start = data.draw(vectors(problem.Y.shape[1], SMALL))
    seen = {}
    for epoch, (state, _) in enumerate(states(by, problem, start, epochs=2000)):
        if state in seen:
            break
        seen[state] = epoch
    else:
        raise AssertionError("no state has returned")
    period = epoch - seen[state]
    cycle = [path for _, path in states(by, problem, np.array(state), epochs=2 * period)]
    for first, second in zip(cycle[:period], cycle[period:], strict=True):
        np.testing.assert_array_equal(first, second)


@by_all
@theorem
@given(nonseparable_problems(), st.sampled_from([1.0, 0.125, 64.0]))
def test_lengths_scale_with_the_learning_rate(by, problem, eta):
    """From zero the states are those of eta = 1, scaled: the bound on lengths scales too."""
    trace = by.perceptron(problem, learning_rate=eta, max_epochs=30)
    reference = by.perceptron(problem, max_epochs=30)
    np.testing.assert_array_equal(trace.path, eta * np.array(reference.path))


@by_all
@theorem
@given(nonseparable_problems())
def test_no_margin_is_left_as_the_updates_go_on(by, problem):
    """Corrections never cease, and ||a_t||/t, which no margin exceeds, tends to 0."""
    trace = by.perceptron(problem, max_epochs=100)
    assert not trace.converged
    R = max(norm(y) for y in problem.Y)
    for t, a in enumerate(trace.path[1:], start=1):
        assert at_most(theory.directional_margin_ceiling(norm(a), t), R / math.sqrt(t))
    assert len(trace.updates) >= 100


@by_package
@theorem
@given(nonseparable_problems())
def test_certificates_promise_no_margin(by, problem):
    model = Perceptron()
    assert not by.fit(model, problem, max_epochs=100)
    certificate, R = model.certificate_, max(norm(y) for y in problem.Y)
    assert certificate.separable is not True
    assert not certificate.lower > 0
    assert at_most(certificate.upper, R / math.sqrt(model.n_updates_), scale=R)
