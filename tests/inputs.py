"""Models, data and assertions for the tests of what users pass to fit and predict."""

from __future__ import annotations

import copy
import functools
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from family import FAMILY
from maxmargin import (
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MinOverPerceptron,
    RelaxationPerceptron,
)

VARIANTS = [
    RelaxationPerceptron(batch=True, relaxation=0.1),
    FixedMarginPerceptron(step="projected", random_state=0),
    FixedMarginPerceptron(length="fixed", random_state=0),
    FixedMarginPerceptron(length="fixed", step="projected", random_state=0),
    BolzanoPerceptron(variant=2, random_state=0),
    MinOverPerceptron(init="perceptron"),
    DynamicMarginPerceptron(active_set=False, recenter=False, random_state=0),
]

each_member = pytest.mark.parametrize("model", FAMILY, ids=repr)
each_variant = pytest.mark.parametrize("model", [*FAMILY, *VARIANTS], ids=repr)


# Small integers: sums are exact in whatever order, so that layouts give the very same model.
X = np.random.default_rng(0).integers(-3, 4, size=(24, 3)).astype(np.float64)
X[:12] += 5.0
X[12:] -= 5.0
Y = np.repeat([1, 0], 12)
THREE = np.repeat(["a", "b", "c"], 8)


def fitted(model, X=X, y=Y, **parameters):
    """Return a fitted copy of a model, silently."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clone(model).set_params(**parameters).fit(X, y)


def assert_separates(model, X, y):
    """Assert that a model is right about its training data, with a certificate to prove it."""
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    np.testing.assert_array_equal(model.predict(X), y)
    for certificate in model.certificates_:
        assert 0.0 < certificate.lower <= certificate.upper < np.inf
        assert certificate.separable
        certificate.verify(X, y)


def assert_honest(model, X, y):
    """Assert that a model of data that cannot be separated is finite and claims nothing wrong."""
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    for certificate in model.certificates_:
        assert not certificate.lower > 0.0
        assert certificate.separable is not True
        certificate.verify(X, y)


def assert_same(model, other):
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=1e-9, atol=1e-12)
    assert model.n_updates_ == other.n_updates_


def of_long_indices(kind):
    def make(X):
        matrix = kind(X)
        matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
        return matrix

    return make


@functools.cache
def fitted_once(kind):
    return kind().fit(X, Y)


def assert_refused(model, message, X=X, y=Y, *start, error=ValueError, good=None):
    """Assert that fit raises, and neither begins a fitted state nor touches an old one."""
    first = clone(model)
    with pytest.raises(error, match=message):
        first.fit(X, y, *start)
    assert [name for name in vars(first) if name.endswith("_")] == []
    with pytest.raises(NotFittedError):
        check_is_fitted(first)
    again = copy.copy(good or fitted_once(type(model)))
    again.set_params(**{name: vars(model)[name] for name in model.get_params()})
    before = dict(vars(again))
    with pytest.raises(error, match=message):
        again.fit(X, y, *start)
    assert vars(again).keys() == before.keys()
    assert all(vars(again)[name] is before[name] for name in before)
    check_is_fitted(again)
