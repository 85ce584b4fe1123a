"""Sample weights and class weights of LargeMarginClassifier: costs of rows and of classes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse

import judges
from certificates import blobs
from judges import Settings
from maxmargin import LargeMarginClassifier

SETTINGS = [Settings(loss, 1.0, rho) for loss in judges.POWERS for rho in ("free", 1.0, None)]
HARD = [Settings("squared_hinge", np.inf, rho) for rho in ("free", 1.0, None)]
each_solver = pytest.mark.parametrize("solver", ["newton", "ascent"])
each_soft = pytest.mark.parametrize("settings", SETTINGS, ids=str)
each_setting = pytest.mark.parametrize("settings", [*SETTINGS, *HARD], ids=str)


def data(settings=None):
    distance = 9.0 if settings in HARD else 1.5
    return blobs(np.random.default_rng(3), 40, 3, distance)


def fitted(settings, solver, X, y, weight=None, **parameters):
    parameters = settings.parameters | {"solver": solver, "random_state": 0} | parameters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return LargeMarginClassifier(**parameters).fit(X, y, weight)


def assert_same(model, other, rtol):
    scale = np.abs(other.coef_).max()
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=0.0, atol=rtol * scale)
    np.testing.assert_allclose(model.intercept_, other.intercept_, rtol=0.0, atol=rtol * scale)


@pytest.mark.parametrize("solver", ["newton", "ascent", "auto"])
@each_soft
def test_whole_weights_are_repetitions(settings, solver):
    X, y = data()
    times = np.random.default_rng(0).integers(0, 4, size=len(y))
    weighted = fitted(settings, solver, X, y, times)
    repeated = fitted(settings, solver, np.repeat(X, times, axis=0), np.repeat(y, times))
    weighted.certificate_.verify(X, y, times)
    if solver != "ascent":  # which ends at tol, also where Newton's method goes on to the end
        assert_same(weighted, repeated, 1e-7)
    first, second = weighted.certificate_, repeated.certificate_
    assert max(first.lower, second.lower) <= min(first.upper, second.upper)


@each_solver
@each_setting
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_of_weight_zero_are_not_there(kind, settings, solver):
    X, y = data(settings)
    weight = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], size=len(y))
    rest = weight > 0.0
    with_zeros = fitted(settings, solver, kind(X), y, weight)
    without = fitted(settings, solver, kind(X[rest]), y[rest], weight[rest])
    np.testing.assert_array_equal(with_zeros.coef_, without.coef_)
    np.testing.assert_array_equal(with_zeros.intercept_, without.intercept_)
    np.testing.assert_array_equal(with_zeros.dual_coef_, without.dual_coef_)
    np.testing.assert_array_equal(with_zeros.support_, np.flatnonzero(rest)[without.support_])
    certificate = with_zeros.certificate_
    assert certificate.upper == without.certificate_.upper
    assert certificate.dual_weights.shape == (1, len(y))
    certificate.verify(kind(X), y, weight)
    X[~rest] = 1e6  # nor do they have anything to say about it
    certificate.verify(kind(X), y, weight)


def test_a_class_without_weight_is_none():
    X, _ = data()
    y = np.repeat(["a", "b", "c", "d"], 10)
    model = LargeMarginClassifier(random_state=0).fit(X, y, np.where(y == "c", 0.0, 1.0))
    assert model.classes_.tolist() == ["a", "b", "d"]
    assert model.coef_.shape == (3, 3)
    for certificate in model.certificates_:
        assert certificate.classes.tolist() == ["a", "b", "c", "d"]
        certificate.verify(X, y, np.where(y == "c", 0.0, 1.0))


@each_solver
@pytest.mark.parametrize("settings", HARD, ids=str)
def test_positive_weights_do_not_matter_to_a_hard_margin(settings, solver):
    X, y = data(settings)
    weight = np.random.default_rng(1).uniform(0.1, 9.0, size=len(y))
    weighted = fitted(settings, solver, X, y, weight)
    np.testing.assert_array_equal(weighted.coef_, fitted(settings, solver, X, y).coef_)
    weighted.certificate_.verify(X, y, weight)


@each_solver
@each_soft
@pytest.mark.parametrize("class_weight", ["balanced", {-1: 2.0, 1: 0.25}, {1: 4.0}], ids=str)
def test_class_weights_are_weights_of_rows(class_weight, settings, solver):
    X, y = data()
    X, y = X[5:], np.where(np.arange(5, 40) % 3, -1, 1)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    factors = class_weight
    if class_weight == "balanced":
        factors = {label: len(y) / 2 / (y == label).sum() for label in (-1, 1)}
    of_rows = np.array([factors.get(label, 1.0) for label in y])
    model = fitted(settings, solver, X, y, weight, class_weight=class_weight)
    assert_same(model, fitted(settings, solver, X, y, weight * of_rows), 1e-12)
    np.testing.assert_allclose(model.certificate_.costs, weight * of_rows, rtol=1e-15)
    model.certificate_.verify(X, y, weight)


@each_solver
@each_soft
def test_weighted_optima_are_those_that_others_find(settings, solver):
    X, y = data()
    weight = np.random.default_rng(1).choice([1e-3, 0.5, 1.0, 3.0, 40.0], size=len(y))
    model = fitted(settings, solver, X, y, weight, tol=1e-6)
    w, b = judges.optimum(settings, X, y, weight)
    best = judges.objective(settings, X, y, w, b, weight)
    found = judges.objective(settings, X, y, model.coef_[0], model.intercept_[0], weight)
    assert model.certificate_.dual <= best * (1 + 1e-12)
    assert best * (1 - 1e-3) <= found <= best * (1 + 3e-6)
    assert model.certificate_.primal == pytest.approx(found, rel=1e-9)


def test_the_weights_of_each_class_against_the_rest():
    X, _ = data()
    y = np.repeat([0, 1, 2, 3], 10)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    class_weight = {0: 1.0, 1: 3.0, 2: 0.5, 3: 1.0}
    model = LargeMarginClassifier(tol=1e-6, class_weight=class_weight, random_state=0)
    model.fit(X, y, weight)
    of_rows = weight * np.array([class_weight[label] for label in y])
    for label, coef, certificate in zip(range(4), model.coef_, model.certificates_, strict=True):
        binary = LargeMarginClassifier(tol=1e-6, random_state=0).fit(X, y == label, of_rows)
        np.testing.assert_allclose(coef, binary.coef_[0], rtol=1e-6)
        certificate.verify(X, y, of_rows)
