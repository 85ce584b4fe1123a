"""Models, data, an example and exact arithmetic for the tests of certificates."""

from __future__ import annotations

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import family
import naive
from maxmargin import (
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
    RelaxationPerceptron,
)
from maxmargin.certificate import Certificate

FAMILY = [
    *family.FAMILY,
    MarginPerceptron(normalized=True, schedule="inverse"),
    RelaxationPerceptron(target=1.5, relaxation=0.2, batch=True),
    FixedMarginPerceptron(length="fixed", step="projected"),
    BolzanoPerceptron(variant=2, max_checks=20),
    MinOverPerceptron(init="perceptron"),
    DynamicMarginPerceptron(epsilon=0.02, recenter=False, active_set=False),
]


# --- data and models ----------------------------------------------------------


def blobs(rng, n, d, distance):
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, d)) + np.outer(y * distance / 2, np.eye(d)[0]), y


def overlapping():
    return blobs(np.random.default_rng(5), 30, 2, 1.0)


def apart():
    return blobs(np.random.default_rng(5), 30, 2, 9.0)


def quiet(model, X, y, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **arguments)


def seeded(model, seed, **parameters):
    model = clone(model).set_params(**parameters)
    return model.set_params(random_state=seed) if hasattr(model, "random_state") else model


def has_zero_pattern(model, X):
    return not model.fit_intercept and (np.abs(dense(X)).max(axis=1) == 0.0).any()


def dense(X):
    return (X.toarray() if sparse.issparse(X) else np.asarray(X)).astype(float)


def power_of_two(X):
    """Return the power of two (in two factors) that brings the largest entry into [1/2, 1)."""
    exponent = -int(np.frexp(np.abs(X).max())[1])
    return 2.0 ** (exponent // 2), 2.0 ** (exponent - exponent // 2)


# --- the truth ----------------------------------------------------------------


def directional_truth(Y):
    """Enclose the best directional margin; zero stands for "not positive"."""
    gamma, u, multipliers = naive.polytope_margin(Y)
    return float(np.min(Y @ u)) if gamma > 0 else 0.0, naive.norm(multipliers @ Y)


def exact(values):
    return [Fraction(float(value)) for value in values]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def separated_exactly(X, signs, certificate):
    """Whether the hyperplane has every row strictly on its side, in rational arithmetic."""
    w, b = exact(certificate.coef), Fraction(certificate.intercept)
    return all(int(s) * (dot(exact(x), w) + b) > 0 for x, s in zip(X, signs, strict=True))


# --- certificates -------------------------------------------------------------


def weights(values):
    return sparse.csr_array(np.asarray(values, dtype=float)[None, :])


def example(**changes):
    certificate = Certificate(
        lower=0.4,
        upper=0.5,
        margin=0.45,
        margin_upper=0.6,
        separable=True,
        radius=2.0,
        rho=1.5,
        dual_weights=weights([0.25, 0.0, 0.75]),
        coef=np.array([1.0, 0.0]),
        intercept=0.5,
        classes=np.array([0, 1]),
        positive=1,
    )
    return replace(certificate, **changes)


def certified_apart(fit_intercept):
    """Return separable rows, their labels, and a certificate of almost the best margin."""
    X, y = apart()
    model = MinOverPerceptron(target=400.0, fit_intercept=fit_intercept).fit(X, y)
    assert 0.0 < model.certificate_.gap < 0.01
    return X, y, model.certificate_
