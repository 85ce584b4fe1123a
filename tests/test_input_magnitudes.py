"""Numbers next to zero and to overflow, in the data, the parameters and the starts."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from inputs import X, Y, assert_refused, assert_separates, each_variant, fitted
from maxmargin import (
    BatchPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
    Perceptron,
    RelaxationPerceptron,
)

# --- data ---------------------------------------------------------------------------------------


@each_variant
@pytest.mark.parametrize("exponent", [-1074, -1040, -1000, 300, 1016])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_extreme_magnitudes(model, exponent, fit_intercept):
    rows = np.ldexp(X, exponent)
    model = fitted(model, rows, fit_intercept=fit_intercept)
    assert_separates(model, rows, Y)
    one = fitted(model, X).certificate_  # of the same parameters, fit_intercept too
    for name in ("lower", "upper", "margin", "margin_upper"):
        claim, expected = getattr(model.certificate_, name), np.ldexp(getattr(one, name), exponent)
        assert claim == pytest.approx(expected, rel=1e-6, abs=5e-324)


@each_variant
@pytest.mark.parametrize("value", [1e-300, 1e300, 5e-324])
def test_extreme_values_of_either_kind_of_matrix(model, value):
    rows = np.rint(X) * value
    assert_separates(fitted(model, rows), rows, Y)
    rows = sparse.csr_array(rows)
    assert_separates(fitted(model, rows), rows, Y)


@each_variant
@pytest.mark.parametrize("scales", [[1e-300, 1.0, 1e300], [5e-324, 1e-160, 1.0], [1.0, 5e-324, 0]])
def test_mixed_magnitudes(model, scales):
    rows = X * scales
    model = fitted(model, rows)
    assert np.isfinite(model.coef_).all()
    assert_separates(model, rows, Y)


@each_variant
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
@pytest.mark.parametrize("scales", [[1e-300, 1.0, 1e300], [1e-320, 1e-160, 1.0], [5e-324] * 3])
@pytest.mark.parametrize("labels", [Y, 1 - np.arange(24) % 2], ids=["separable", "mixed"])
def test_mixed_magnitudes_where_numpy_was_told_to_raise(model, kind, scales, labels):
    rows = kind(X * scales)
    expected = fitted(model, rows, labels, max_iter=5)
    with np.errstate(all="raise"):
        model = fitted(model, rows, labels, max_iter=5)
        scores = model.decision_function(rows)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(scores, expected.decision_function(rows))


@each_variant
def test_almost_the_largest_number_there_is(model):
    half = np.finfo(np.float64).max / 2.0  # its power of two has no normal inverse
    rows = np.where(Y == 1, half, -half)[:, None]
    model = fitted(model, rows, fit_intercept=False)
    assert_separates(model, rows, Y)
    assert model.certificate_.radius == pytest.approx(half, rel=1e-12)


@each_variant
def test_values_that_overflow_even_after_rescaling(model):
    rows = np.full((24, 5), np.finfo(np.float64).max) * np.where(Y == 1, 1.0, -1.0)[:, None]
    assert_refused(model, "Row 0 of X is too long: its norm, with rho, overflows", rows)
    rows = sparse.csr_array(rows)
    rows.data[:20] = 1.0
    assert_refused(model, "Row 4 of X is too long", rows)


# --- weights beyond all bounds ------------------------------------------------------------------


@each_variant
@pytest.mark.parametrize("size", [1e-320, 1e-200, 1e130, 1e308])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_starts_of_extreme_length_are_never_silently_wrong(model, size, sign):
    start = np.full(3, sign * size)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = clone(model).set_params(max_iter=10).fit(X, Y, start)
    except ValueError as error:
        assert "coef_init" in str(error)
        return
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    model.certificate_.verify(X, Y)
    if not any(issubclass(w.category, ConvergenceWarning) for w in caught):
        assert_learnt(model)


def assert_learnt(model):
    """Assert that a model separates and knows it; after a start it may have no upper bound."""
    assert np.isfinite(model.coef_).all() and model.score(X, Y) == 1.0
    assert model.certificate_.lower > 0.0 and model.certificate_.separable
    model.certificate_.verify(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        *[Perceptron(rate) for rate in (1e-320, 1e-200, 1e-170, 1e130, 1e200, 1e308)],
        *[BatchPerceptron(rate) for rate in (1e-320, 1e-200, 1e200)],
        *[MarginPerceptron(learning_rate=rate) for rate in (1e-200, 1e200, 1e308)],
        *[RelaxationPerceptron(margin) for margin in (1e-200, 5e-324, 0, 1e200, 1e308)],
        RelaxationPerceptron(0, target=1e-300),
        RelaxationPerceptron(1, target=1e308),
        *[FixedMarginPerceptron(1e-200, length="fixed", step=s) for s in ("unit", "projected")],
        *[FixedMarginPerceptron(length="fixed", learning_rate=r) for r in (1e-200, 1e200)],
        *[MinOverPerceptron(target) for target in (5e-324, 1e-200, 1e200, 1e308)],
        *[MinOverPerceptron(init=np.full(24, size)) for size in (1e-200, 1e200, 1e308)],
        *[DynamicMarginPerceptron(rho=rho) for rho in (1e-300, 1e-150, 1e150, 1e300)],
        *[Perceptron(rho=rho) for rho in (5e-324, 1e-300, 1e300)],
    ],
    ids=repr,
)
def test_extreme_parameters_are_never_silently_wrong(model):
    """Learn, warn, or refuse; but a certificate always holds."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = clone(model).set_params(max_iter=20).fit(X, Y)
    except ValueError:
        return
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    model.certificate_.verify(X, Y)
    if not any(issubclass(w.category, ConvergenceWarning) for w in caught):
        assert_learnt(model)


def test_a_margin_and_tiny_data():
    rows = np.ldexp(X, -1000)
    model = fitted(MarginPerceptron(0.0), rows)
    assert_separates(model, rows, Y)
    with pytest.warns(ConvergenceWarning):  # a score of 1 is out of reach in 10 epochs
        MarginPerceptron(1.0, max_iter=10).fit(rows, Y)
