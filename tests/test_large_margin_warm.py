"""Warm starts of LargeMarginClassifier really start where the last fit ended."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from maxmargin import LargeMarginClassifier


def overlapping(distance=1.6, n=4000, d=20):
    """Return rows enough for a fit to end at tol, not at the last digit as one of few does."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, d)) + np.outer(y * distance / 2, np.eye(d)[0]), y


def apart():
    return overlapping(9.0)


def wide(n=3000, d=20000, entries=30):
    """Return rows as texts have them: a few of many words, some of which are frequent."""
    rng = np.random.default_rng(0)
    columns = np.minimum((5.0 * rng.pareto(0.6, size=(n, entries))).astype(int), d - 1)
    items = np.ones(columns.size), (np.repeat(np.arange(n), entries), columns.ravel())
    X = sparse.csr_array(items, shape=(n, d))
    y = np.where(X @ rng.normal(size=d) + 3.0 * rng.normal(size=n) > 0.0, 1, -1)
    return X / np.sqrt(entries), y


def passes(model):
    return sum(history["passes"][-1] for history in model.histories_)


def quiet(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


@pytest.mark.parametrize(
    ("data", "solver", "loss", "C"),
    [
        (overlapping, "newton", "squared_hinge", 0.01),
        (overlapping, "newton", "squared_hinge", 1.0),
        (overlapping, "newton", "hinge", 0.01),
        (overlapping, "newton", "hinge", 1.0),
        (overlapping, "ascent", "squared_hinge", 0.01),
        (overlapping, "ascent", "squared_hinge", 1.0),
        (wide, "ascent", "squared_hinge", 0.01),
        (wide, "ascent", "hinge", 0.01),
    ],
)
@pytest.mark.parametrize("rho", [None, 1.0])
def test_fitting_again_takes_four_passes_at_most(data, solver, loss, rho, C):
    X, y = data()
    model = LargeMarginClassifier(C, loss=loss, rho=rho, solver=solver, random_state=0)
    first = passes(model.set_params(warm_start=True).fit(X, y))
    again = passes(model.fit(X, y))
    assert again <= min(4.0, first)
    assert model.certificate_.gap <= model.tol
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("rho", [None, 1.0])
@pytest.mark.parametrize("solver", ["newton", "ascent"])
def test_fitting_a_hard_margin_again_takes_four_passes_at_most(solver, rho):
    X, y = apart()
    model = LargeMarginClassifier(np.inf, rho=rho, solver=solver, warm_start=True, random_state=0)
    first = passes(model.fit(X, y))
    assert passes(model.fit(X, y)) <= 4.0 < first
    assert model.certificate_.gap <= model.tol
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("solver", ["newton", "ascent"])
def test_fitting_several_classes_again_takes_four_passes_each(solver):
    X, _ = overlapping()
    y = np.digitize(X[:, 0] + np.random.default_rng(1).normal(size=len(X)), [-1.0, 1.0])
    model = LargeMarginClassifier(0.01, solver=solver, warm_start=True, random_state=0).fit(X, y)
    model.fit(X, y)
    assert all(history["passes"][-1] <= 4.0 for history in model.histories_)
    assert all(certificate.gap <= model.tol for certificate in model.certificates_)


@pytest.mark.parametrize(
    ("solver", "loss", "last"),
    [("ascent", "squared_hinge", 1.0), ("newton", "hinge", 1e3), ("auto", "hinge", 1e3)],
)
def test_a_path_over_costs_takes_a_third_of_the_passes(solver, loss, last):
    X, y = overlapping()
    cold, warm = 0.0, 0.0
    model = LargeMarginClassifier(loss=loss, solver=solver, warm_start=True, random_state=0)
    for C in np.geomspace(1e-3, last, 20):
        warm += passes(model.set_params(C=C).fit(X, y))
        assert model.certificate_.gap <= model.tol
        cold += passes(quiet(clone(model).set_params(warm_start=False), X, y))
    assert warm <= cold / 3.0
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("solver", ["newton", "ascent"])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_any_last_fit_is_a_start_for_any_other_of_the_same_shape(loss, solver):
    """Other rows, costs, losses, weights and intercepts: a proof is one whatever the start."""
    X, y = overlapping(n=300, d=3)
    model = LargeMarginClassifier(loss=loss, solver=solver, warm_start=True, random_state=0)
    starts = [
        ({"C": 100.0}, slice(None), None),
        ({"loss": "hinge"}, slice(50, None), None),
        ({"rho": 2.0}, slice(None), np.arange(300) % 3),
        ({"fit_intercept": False}, slice(10, 60), None),
        ({"C": 1e-6, "loss": "squared_hinge"}, slice(None), None),
    ]
    for parameters, rows, weight in starts:
        other = clone(model).set_params(**parameters)
        quiet(other, X[rows], y[rows]) if weight is None else other.fit(X, y, weight)
        other.set_params(**model.get_params()).fit(X, y)
        assert other.certificate_.gap <= model.tol
        other.certificate_.verify(X, y)


@pytest.mark.parametrize("solver", ["newton", "ascent"])
def test_a_start_in_other_units_is_a_start(solver):
    X, y = overlapping(n=300, d=3)
    model = LargeMarginClassifier(1e-60, solver=solver, warm_start=True, random_state=0)
    model.fit(1e30 * X, y)
    for factor in (1.0, 1e-30, 1.0):
        model.set_params(C=1.0 / factor**2).fit(X * factor, y)
        assert model.certificate_.gap <= model.tol
        model.certificate_.verify(X * factor, y)


def test_a_start_needs_the_same_classes_and_features():
    X, y = overlapping(n=300, d=3)
    model = LargeMarginClassifier(warm_start=True, random_state=0).fit(X, y)
    before = dict(vars(model))
    for rows, labels, message in (
        (X, np.where(y > 0, "b", "a"), r"the classes of the last fit, \[-1  1\], got \['a' 'b'\]"),
        (X, np.arange(300) % 3, r"the classes of the last fit, \[-1  1\], got \[0 1 2\]"),
        (X[:, :2], y, "the 3 features of the last fit, got 2"),
    ):
        with pytest.raises(ValueError, match=f"warm_start=True needs {message}"):
            model.fit(rows, labels)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is before[name] for name in before)
    model.set_params(warm_start=False).fit(X[:, :2], np.arange(300) % 3)
    assert model.coef_.shape == (3, 2)
