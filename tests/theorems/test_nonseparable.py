"""Error correction on patterns that no hyperplane separates: S4 section 5.7."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from maxmargin import theory

from .data import SMALL, at_most, matrices, norm, theorem, vectors


@st.composite
def nonseparable_patterns(draw):
    """Integer patterns whose sum is zero: no weights have all scores positive."""
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    Y = draw(matrices(n, d, SMALL))
    return np.vstack([Y, -Y.sum(axis=0)])


def states(Y, start, epochs):
    """Weights at the beginning of every epoch, and of each epoch all weights in it."""
    a = start
    for _ in range(epochs):
        trace = naive.perceptron(Y, max_epochs=1, start=a)
        assert not trace.converged
        yield tuple(a), trace.path
        a = trace.a


@theorem
@given(nonseparable_patterns(), st.data())
def test_integer_patterns_lead_through_finitely_many_states(Y, data):
    """A state returns, and so do all that follow it: the weights stay bounded for ever."""
    start = data.draw(vectors(Y.shape[1], SMALL))
    seen = {}
    for epoch, (state, _) in enumerate(states(Y, start, epochs=2000)):
        if state in seen:
            break
        seen[state] = epoch
    else:
        raise AssertionError("no state has returned")
    period = epoch - seen[state]
    cycle = [path for _, path in states(Y, np.array(state), epochs=2 * period)]
    for first, second in zip(cycle[:period], cycle[period:], strict=True):
        np.testing.assert_array_equal(first, second)


@theorem
@given(nonseparable_patterns(), st.sampled_from([1.0, 0.125, 64.0]))
def test_lengths_scale_with_the_learning_rate(Y, eta):
    """From zero the states are those of eta = 1, scaled: the bound on lengths scales too."""
    trace = naive.perceptron(Y, learning_rate=eta, max_epochs=30)
    reference = naive.perceptron(Y, max_epochs=30)
    np.testing.assert_array_equal(trace.path, eta * np.array(reference.path))


@theorem
@given(nonseparable_patterns())
def test_no_margin_is_left_as_the_updates_go_on(Y):
    """Corrections never cease, and ||a_t||/t, which no margin exceeds, tends to 0."""
    trace = naive.perceptron(Y, max_epochs=100)
    assert not trace.converged
    R = max(norm(y) for y in Y)
    for t, a in enumerate(trace.path[1:], start=1):
        assert at_most(theory.directional_margin_ceiling(norm(a), t), R / math.sqrt(t))
    assert len(trace.updates) >= 100
