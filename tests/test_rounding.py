"""Where rounding errors, rows of length zero or extreme magnitudes would decide."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from maxmargin import (
    BatchPerceptron,
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
    Perceptron,
    RelaxationPerceptron,
)

BARELY = [Perceptron(), MarginPerceptron(0.0), BatchPerceptron(), RelaxationPerceptron()]


def quietly(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", BARELY, ids=lambda model: type(model).__name__)
def test_scores_within_rounding_of_zero_are_not_positive(model, layout):
    # With rho the largest norm, the row of zeros has scores that vanish but for rounding.
    X, y = np.array([[0.0], [0.2], [0.1]]), [0, 1, 1]
    model.fit(layout(X), y)
    np.testing.assert_array_equal(model.predict(layout(X)), y)
    assert model.certificate_.separable is True
    for x in np.random.RandomState(0).standard_normal((100, 1, 4)):
        pair = np.vstack([x, 0.0 * x])
        assert model.fit(layout(pair), [1, 0]).score(layout(pair), [1, 0]) == 1.0


def test_scores_within_rounding_of_zero_side_by_side():
    X = sparse.csr_array(np.array([[0.0, 0.0], [0.2, 0.0], [0.0, 0.2]]))
    model = Perceptron().fit(X, [0, 1, 2])
    np.testing.assert_array_equal(model.predict(X), [0, 1, 2])
    assert all(certificate.separable for certificate in model.certificates_)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(shuffle=False, fit_intercept=False),
        DynamicMarginPerceptron(shuffle=False, fit_intercept=False),
        Perceptron(learning_rate=1e-30),
        BatchPerceptron(learning_rate=1e-30),
        FixedMarginPerceptron(length="fixed", learning_rate=1e-3),
    ],
    ids=repr,
)
@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_coefficients_neither_vanish_nor_overflow(model, size):
    X, y = size * np.array([[2.0, 1.0], [1.0, 3.0], [-2.0, -1.0], [-1.0, -2.0]]), [1, 1, 0, 0]
    model.fit(X, y)
    assert model.coef_.all() and np.isfinite(model.coef_).all()
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.certificate_.separable is True
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("length", ["free", "fixed"])
@pytest.mark.parametrize("first", [0.0, 1e-170])
def test_multipliers_never_fall(length, first):
    X = np.array([[first, 0.0], [1.0, 0.0], [1.0, 0.001], [-0.001, 0.0005], [-0.0002, -0.001]])
    model = FixedMarginPerceptron(step="projected", length=length, fit_intercept=False)
    certificate = quietly(model, X, [1, 1, 1, 0, 0]).certificate_
    assert certificate.dual_weights.data.min() >= 0.0
    assert certificate.separable is not False or first == 0.0
    certificate.verify(X, [1, 1, 1, 0, 0])


def test_relaxation_never_steps_back_where_it_insists():
    # Rows of very different lengths, most of whose scores rounding blurs beyond the target.
    for seed in (167, 266, 369, 437, 468):
        random = np.random.default_rng(seed)
        X = random.normal(size=(13, 4)) * 10.0 ** random.uniform(-8, 8, (13, 1))
        y = np.arange(13) % 2
        model = quietly(
            RelaxationPerceptron(fit_intercept=False, max_iter=40, random_state=0), X, y
        )
        assert model.certificate_.dual_weights.data.min() >= 0.0
        model.certificate_.verify(X, y)


@pytest.mark.parametrize("model", [Perceptron, DynamicMarginPerceptron, BolzanoPerceptron])
def test_rho_that_vanishes_beside_the_data_is_refused(model):
    X = np.array([[1e300], [-1e300], [3e300]])
    with pytest.raises(ValueError, match="rho=1e-30 is out of all proportion"):
        model(rho=1e-30).fit(X, [1, 0, 1])


def test_a_normal_that_is_tiny_beside_the_intercept_has_a_margin():
    X, y = np.array([[1e-170, 0.0], [-1e-170, 0.0], [0.0, 1e-170]]), np.array([1, 0, 1])
    model = quietly(MinOverPerceptron(rho=1.0 / 2**300, max_iter=4), X, y)
    assert np.isfinite(model.certificate_.margin)
    model.certificate_.verify(X, y)


def test_a_search_among_rows_of_zeros_has_a_history():
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [-2.0, -1.0]]), [1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="BolzanoPerceptron found no margin"):
        model = BolzanoPerceptron(fit_intercept=False).fit(X, y)
    assert model.n_iter_ == model.history_.size > 0


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(learning_rate=1e308),
        MinOverPerceptron(target=5e-324),
        FixedMarginPerceptron(length="fixed", warm_start=True, fit_intercept=False),
    ],
    ids=repr,
)
def test_extreme_parameters_end_without_numerical_warnings(model):
    X, y = np.array([[2.0, 1.0], [1.0, 3.0], [-2.0, -1.0], [-1.0, -2.0]]), [1, 1, 0, 0]
    quietly(model, X, y)
    quietly(model, X * 1e-300, y)
