"""Values in X that must work, and those that must be refused clearly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from inputs import (
    FAMILY,
    VARIANTS,
    X,
    Y,
    assert_honest,
    assert_refused,
    assert_separates,
    each_member,
    each_variant,
    fitted,
    fitted_once,
)
from maxmargin import BolzanoPerceptron, FixedMarginPerceptron
from maxmargin.monitor import Monitor

# --- must work ----------------------------------------------------------------------------------


@each_variant
def test_duplicates_with_opposite_labels(model):
    rows, labels = np.vstack([X, X[:2]]), np.append(Y, 1 - Y[:2])
    with pytest.warns(ConvergenceWarning, match="patterns on the wrong side"):
        model = clone(model).set_params(max_iter=25).fit(rows, labels)
    assert_honest(model, rows, labels)
    assert model.score(rows, labels) >= 0.5


@each_variant
def test_zero_rows_with_an_intercept(model):
    rows = np.where(Y[:, None] == 1, X, 0.0)
    # An exact rho: a sum of others that should be zero may have them on their side by rounding.
    assert_separates(fitted(model, rows, rho=2.0), rows, Y)


@pytest.mark.parametrize(
    "model", [m for m in [*FAMILY, *VARIANTS] if getattr(m, "length", "") != "fixed"], ids=repr
)
@pytest.mark.parametrize("zeros", [slice(5, 15), slice(None)], ids=["some", "all"])
def test_zero_rows_without_an_intercept(model, zeros):
    rows = X.copy()
    rows[zeros] = 0.0  # 0 . a > 0 for no a
    model = clone(model).set_params(fit_intercept=False, max_iter=10)
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, Y)
    assert_honest(model, rows, Y)


def test_a_pattern_of_length_zero_allows_no_margin():
    rows = X.copy()
    rows[3] = 0.0
    model = FixedMarginPerceptron(length="fixed", fit_intercept=False, max_iter=20)
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, Y)
    assert_honest(model, rows, Y)
    model = FixedMarginPerceptron(0.1, length="fixed", fit_intercept=False)
    assert_refused(model, "margin.*shortest pattern", rows, Y)


@each_variant
def test_constant_columns(model):
    rows = np.column_stack([np.full(24, 7.0), X, np.zeros(24)])
    assert_separates(fitted(model, rows), rows, Y)
    rows = np.full((24, 2), 7.0)
    model = clone(model).set_params(max_iter=10)
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, Y)
    assert_honest(model, rows, Y)


@each_variant
def test_one_pattern_a_class(model):
    rows = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert_separates(fitted(model, rows, [0, 1]), rows, [0, 1])
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]])
    assert_separates(fitted(model, rows, ["a", "b", "c"]), rows, ["a", "b", "c"])


# --- must be refused ----------------------------------------------------------------------------


@each_member
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains inf"), (-np.inf, "contains inf")],
)
def test_values_that_are_not_finite(model, kind, value, message):
    rows = X.copy()
    rows[3, 1] = value
    assert_refused(model, message, kind(rows))
    with pytest.raises(ValueError, match=message):
        fitted_once(type(model)).predict(kind(rows))


@each_member
@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (np.empty((0, 3)), [], r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (sparse.csr_array((0, 3)), [], r"0 sample\(s\) \(shape=\(0, 3\)\)"),
        (np.empty((24, 0)), Y, r"0 feature\(s\) \(shape=\(24, 0\)\)"),
        (sparse.csr_array((24, 0)), Y, r"0 feature\(s\) \(shape=\(24, 0\)\)"),
        (X, np.ones(24, int), "at least 2 classes in y, but the data contains only one class: .*1"),
        (X[:1], [1], "only one class"),
        (X, Y[:-1], r"inconsistent numbers of samples: \[24, 23\]"),
        (X[:, 0], Y, "Expected 2D array, got 1D array"),
        (X[None], Y, "dim 3"),
        (X.astype(complex), Y, "Complex data not supported"),
        (X, np.where(Y == 1, np.nan, 0.0), "Input y contains NaN"),
        (X, Y + 0.5, "Unknown label type: continuous"),
        (X, np.column_stack([Y, Y]), "y should be a 1d array"),
        (X, None, "requires y to be passed"),
        (sparse.coo_array(X[:, 0]), Y, r"rows and columns, got a sparse array of shape \(24,\)"),
    ],
)
def test_data_that_are_no_problem_to_learn(model, rows, labels, message):
    assert_refused(model, message, rows, labels)


@each_member
@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("parameters", [{}, {"rho": 1.0}, {"fit_intercept": False}], ids=str)
def test_values_that_are_not_finite_where_scikit_learn_does_not_look(
    model, kind, value, parameters
):
    rows = X.copy()
    rows[3, 1] = value
    model = clone(model).set_params(**parameters)
    with config_context(assume_finite=True):
        assert_refused(model, "^Input X contains NaN or infinity", kind(rows))


STRUCTURED = np.zeros((24, 3), dtype=[("weight", np.float64)])


@each_member
@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (np.full((24, 3), 10**400, object), ValueError),
        (np.where(X > 3.0, "many", "few"), ValueError),
        (np.full((24, 3), 1j, object), TypeError),
        (STRUCTURED, TypeError),
        (STRUCTURED.view(np.recarray), TypeError),
    ],
    ids=["integers", "words", "complex", "structured", "records"],
)
def test_values_that_are_no_numbers(model, rows, error):
    assert_refused(model, "^X is no matrix of real numbers", rows, error=error)
    with pytest.raises(error, match=r"^X is no matrix of real numbers"):
        fitted_once(type(model)).predict(rows)


@each_member
def test_predictions_for_other_features(model):
    name = type(model).__name__
    for rows in (X[:, :2], np.column_stack([X, X]), sparse.csr_array(X[:, :2])):
        message = f"X has {rows.shape[1]} features, but {name} is expecting 3 features"
        with pytest.raises(ValueError, match=message):
            fitted_once(type(model)).predict(rows)


@each_member
def test_predictions_before_fit(model):
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError, match=f"This {type(model).__name__} instance is not"):
            getattr(clone(model), method)(X)


# --- an end, and what is kept -------------------------------------------------------------------


@each_variant
@pytest.mark.parametrize("labels", [2, 3])
def test_inseparable_data_end_with_a_warning_and_the_best_state_seen(model, labels, monkeypatch):
    random = np.random.default_rng(1)
    rows, y = random.normal(size=(60, 2)), random.integers(0, labels, size=60)
    seen, certify = [], Monitor.certify_lower

    def recorded(self, *arguments):
        state = certify(self, *arguments)
        seen.append((self, state.lower.errors))
        return state

    monkeypatch.setattr(Monitor, "certify_lower", recorded)
    model = clone(model).set_params(max_iter=30)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(rows, y)
    assert model.n_iter_ <= 30
    count = len(model.certificates_)
    assert len(caught) == count
    runs = list(dict.fromkeys(run for run, _ in seen))
    assert len(runs) == count
    scores = model.decision_function(rows).reshape(60, count)
    for k, (certificate, run) in enumerate(zip(model.certificates_, runs, strict=True)):
        errors = np.count_nonzero(np.where(y == certificate.positive, 1, -1) * scores[:, k] <= 0.0)
        assert errors == min(number for owner, number in seen if owner is run)
        text = str(caught[k].message)
        assert text.startswith(type(model).__name__)
        assert (f" for class {certificate.positive} against the others " in text) == (count > 1)
        for part in (
            "the best certified state is kept",
            f"It has {errors} of 60 patterns on the wrong side",
            f"Certified: its geometric margin is {certificate.margin:.4g}",
            f"no hyperplane has more than {certificate.margin_upper:.4g}",
            "separable",
        ):
            assert part in text
        if not isinstance(model, BolzanoPerceptron):
            assert "stopped at max_iter=30 epochs before it was done" in text
        assert certificate.separable is not True
        certificate.verify(rows, y)


@each_variant
def test_the_same_point_in_both_classes_is_proven_inseparable_or_left_open(model):
    rows, y = np.array([[1.0], [1.0], [-2.0], [-2.0]]), [0, 1, 0, 1]
    model = clone(model).set_params(max_iter=50)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(rows, y)
    assert model.certificate_.separable is not True
    known = "are not separable" if model.certificate_.separable is False else "may not be separable"
    assert f"the data {known}" in str(caught[0].message)
    model.certificate_.verify(rows, y)
