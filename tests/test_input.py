"""What users pass to fit and predict: what must work, and what must be refused clearly.

A refusal names what is wrong and where, and leaves the estimator as it was: not half-fitted.
"""

from __future__ import annotations

import copy
import functools
import re
import subprocess
import sys
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

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
from maxmargin.monitor import Monitor
from maxmargin.patterns import Patterns

FAMILY = [
    Perceptron(random_state=0),
    MarginPerceptron(random_state=0),
    BatchPerceptron(),
    RelaxationPerceptron(random_state=0),
    FixedMarginPerceptron(random_state=0),
    BolzanoPerceptron(random_state=0),
    MinOverPerceptron(),
    DynamicMarginPerceptron(random_state=0),
]
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
INT64 = {"indices": np.int64, "indptr": np.int64}

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


# --- must work: values --------------------------------------------------------------------------


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
def test_one_pattern_a_class(model):
    rows = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert_separates(fitted(model, rows, [0, 1]), rows, [0, 1])
    rows = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, -1.0]])
    assert_separates(fitted(model, rows, ["a", "b", "c"]), rows, ["a", "b", "c"])


# --- must work: kinds of arrays -----------------------------------------------------------------


def read_only(X, tmp_path):
    X = X.copy()
    X.flags.writeable = False
    return X


def memory_mapped(X, tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


LAYOUTS = {
    "read-only": read_only,
    "memmap": memory_mapped,
    "F-ordered": lambda X, _: np.asfortranarray(X),
    "every second row": lambda X, _: np.repeat(X, 2, axis=0)[::2],
    "reversed": lambda X, _: X[::-1, ::-1].copy()[::-1, ::-1],
    "integer": lambda X, _: X.astype(np.int64),
    "int8": lambda X, _: X.astype(np.int8),
    "float32": lambda X, _: X.astype(np.float32),
    "float16": lambda X, _: X.astype(np.float16),
    "big-endian": lambda X, _: X.astype(">f8"),
    "object": lambda X, _: X.astype(object),
    "list": lambda X, _: X.tolist(),
    "DataFrame": lambda X, _: pd.DataFrame(X),
}


@each_member
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_dense_arrays(model, layout, tmp_path):
    rows = LAYOUTS[layout](X, tmp_path)
    before = np.array(rows)
    model = fitted(model, rows, rho=2.0)
    assert_same(model, fitted(model, X))
    assert_separates(model, rows, Y)
    np.testing.assert_array_equal(np.array(rows), before)


def unsorted(X):
    matrix = sparse.csr_matrix(X)
    for first, last in zip(matrix.indptr, matrix.indptr[1:], strict=False):
        matrix.indices[first:last] = matrix.indices[first:last][::-1].copy()
        matrix.data[first:last] = matrix.data[first:last][::-1].copy()
    matrix.has_sorted_indices = False
    return matrix


def with_duplicates(X):
    rows, columns = np.nonzero(X)
    starts = np.concatenate([[0], np.cumsum(2 * np.bincount(rows, minlength=len(X)))])
    halves = np.repeat(X[rows, columns] / 2.0, 2)  # exact
    return sparse.csr_matrix((halves, np.repeat(columns, 2), starts), shape=X.shape)


def with_explicit_zeros(X):
    items = (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(len(X) + 1) * X.shape[1])
    return sparse.csr_matrix(items, shape=X.shape)


def of_long_indices(kind):
    def make(X):
        matrix = kind(X)
        matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
        return matrix

    return make


SPARSE = {
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "csr_matrix of int64": of_long_indices(sparse.csr_matrix),
    "csr_array of int64": of_long_indices(sparse.csr_array),
    "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "integer": lambda X: sparse.csr_array(X.astype(np.int64)),
    "csc_array": sparse.csc_array,
    "csc_matrix": sparse.csc_matrix,
    "coo_array": sparse.coo_array,
    "lil_array": sparse.lil_array,
    "unsorted": unsorted,
    "duplicates": with_duplicates,
    "explicit zeros": with_explicit_zeros,
}


def parts(matrix):
    """Return copies of all arrays a sparse matrix is made of."""
    matrix_parts = {name: getattr(matrix, name, None) for name in ("data", "indices", "indptr")}
    return {name: np.array(part) for name, part in matrix_parts.items() if part is not None}


@each_member
@pytest.mark.parametrize("kind", SPARSE)
def test_kinds_of_sparse_matrices(model, kind):
    dense = X.copy()
    dense[4] = 0.0  # an empty row; the class of 1 has it on its side of the intercept
    dense += np.where(Y == 1, 1.0, 0.0)[:, None] * (dense != 0.0)
    dense[4, 1] = 1.0
    dense[dense == -5.0] = 0.0
    rows = SPARSE[kind](dense)
    before = parts(rows)
    model = fitted(model, rows, rho=2.0)
    assert_same(model, fitted(model, dense))
    assert_separates(model, rows, Y)
    after = parts(rows)
    assert after.keys() == before.keys()
    for name, part in before.items():
        assert after[name].dtype == part.dtype
        np.testing.assert_array_equal(after[name], part)


@each_variant
def test_empty_rows(model):
    rows = sparse.csr_array(np.where(Y[:, None] == 1, X, 0.0))
    assert (np.diff(rows.indptr)[12:] == 0).all()
    assert_separates(fitted(model, rows, rho=2.0), rows, Y)


@pytest.mark.parametrize(
    "make",
    [
        lambda: X,
        lambda: X.astype(np.float32),
        lambda: read_only(X, None),
        lambda: sparse.csr_array(X),
        lambda: sparse.csr_matrix(X.astype(np.float32)),
        lambda: of_long_indices(sparse.csr_array)(X),
    ],
    ids=["float64", "float32", "read-only", "csr_array", "csr float32", "csr int64"],
)
def test_floats_in_c_order_and_canonical_csr_are_not_copied(make, monkeypatch):
    rows, seen = make(), []
    build = Patterns.build
    monkeypatch.setattr(Patterns, "build", lambda X, *rest: seen.append(build(X, *rest)) or seen[0])
    Perceptron().fit(rows, Y)
    direct = Patterns.build(rows, np.where(Y == 1, 1, -1), "auto")
    for patterns in (seen[0], direct):
        if sparse.issparse(rows):
            assert np.shares_memory(patterns.rows.values, rows.data)
            assert np.shares_memory(patterns.rows.indices, rows.indices)
            assert np.shares_memory(patterns.rows.starts, rows.indptr)
        else:
            assert np.shares_memory(patterns.rows.values, rows)


def test_memory_mapped_rows_are_not_copied(tmp_path):
    rows = memory_mapped(X, tmp_path)
    patterns = Patterns.build(rows, np.where(Y == 1, 1, -1), "auto")
    assert np.shares_memory(patterns.rows.values, rows)


def with_spare_room(matrix, spare=2):
    """Let the arrays of a matrix go on beyond the entries stored, as they may."""
    rest = np.full((spare, *matrix.data.shape[1:]), np.nan)
    rest[0] = 1e300
    matrix.data = np.concatenate([matrix.data, rest])
    matrix.indices = np.append(matrix.indices, np.full(spare, 99, matrix.indices.dtype))
    return matrix


@each_member
@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "csc_array", "bsr_array"])
def test_what_lies_beyond_the_stored_entries_is_not_read(model, kind):
    rows = with_spare_room(getattr(sparse, kind)(X))
    before = parts(rows)
    model = fitted(model, rows, rho=2.0)
    reference = fitted(model, X)
    assert_same(model, reference)
    assert model.certificate_.radius == reference.certificate_.radius
    np.testing.assert_allclose(model.decision_function(rows), model.decision_function(X))
    for name, part in before.items():
        np.testing.assert_array_equal(getattr(rows, name), part)


@pytest.mark.parametrize("spare", [2, 1000])  # SciPy would copy what fills less than half
def test_stored_entries_with_spare_room_are_not_copied(spare, monkeypatch):
    rows, seen = with_spare_room(sparse.csr_array(X), spare), []
    build = Patterns.build
    monkeypatch.setattr(Patterns, "build", lambda *given: seen.append(build(*given)) or seen[0])
    Perceptron().fit(rows, Y)
    assert np.shares_memory(seen[0].rows.values, rows.data)
    assert np.shares_memory(seen[0].rows.indices, rows.indices)


@each_member
@pytest.mark.parametrize("order", [[1, 1, 2], [2, 1, 0]], ids=["duplicates", "unsorted"])
def test_indices_written_to_after_scipy_has_looked_at_them(model, order):
    rows = sparse.csr_array(X)
    assert rows.has_canonical_format  # remembered, and out of date as of the next line
    rows.indices[:3] = order
    before, dense = parts(rows), rows.toarray()
    model = fitted(model, rows, rho=2.0)
    reference = fitted(model, dense)
    assert_same(model, reference)
    assert model.certificate_.radius == reference.certificate_.radius
    np.testing.assert_array_equal(model.predict(rows), model.predict(dense))
    for name, part in before.items():
        np.testing.assert_array_equal(getattr(rows, name), part)


@each_member
@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "bsr_array"])
def test_unsigned_indices_of_64_bits(model, kind):
    rows = getattr(sparse, kind)(X)
    rows.indices, rows.indptr = rows.indices.astype(np.uint64), rows.indptr.astype(np.uint64)
    model = fitted(model, rows, rho=2.0)
    assert_same(model, fitted(model, X))
    np.testing.assert_array_equal(model.predict(rows), Y)
    assert rows.indices.dtype == rows.indptr.dtype == np.uint64


# --- must work: labels and names ----------------------------------------------------------------

LABELS = {
    "0/1": Y,
    "-1/1": np.where(Y == 1, 1, -1),
    "floats": Y.astype(np.float64),
    "bool": Y == 1,
    "strings": np.where(Y == 1, "ham", "spam"),
    "objects": np.where(Y == 1, "ham", "spam").astype(object),
    "list": Y.tolist(),
    "large": np.where(Y == 1, 2**64 - 1, 2**63).astype(np.uint64),
    "Series": pd.Series(np.where(Y == 1, "ham", "spam"), index=np.arange(24)[::-1]),
    "Categorical": pd.Categorical(np.where(Y == 1, "ham", "spam"), categories=["x", "spam", "ham"]),
    "three strings": THREE,
    "three integers": np.repeat([7, -1, 3], 8),
}


@each_member
@pytest.mark.parametrize("labels", LABELS)
def test_labels(model, labels):
    y = LABELS[labels]
    rows = X.copy()
    if labels.startswith("three"):
        rows = np.column_stack([np.repeat([9.0, -9.0, 0.0], 8), np.repeat([0.0, 0.0, 9.0], 8)])
    model = fitted(model, rows, y)
    values = np.asarray(y)
    np.testing.assert_array_equal(model.classes_, np.unique(values))
    assert model.predict(rows).dtype == model.classes_.dtype
    assert_separates(model, rows, values)
    positives = [certificate.positive for certificate in model.certificates_]
    np.testing.assert_array_equal(positives, model.classes_[-len(positives) :])


@each_member
def test_names_of_the_columns_of_a_data_frame(model):
    table = pd.DataFrame(X, columns=["one", "two", "three"])
    model = clone(model).fit(table, Y)
    assert model.feature_names_in_.tolist() == ["one", "two", "three"]
    assert model.n_features_in_ == 3
    assert_separates(model, table, Y)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(table[["two", "one", "three"]])


# --- must be refused ----------------------------------------------------------------------------


@functools.cache
def _good(kind):
    return kind().fit(X, Y)


def assert_refused(model, message, X=X, y=Y, *start, error=ValueError, good=None):
    """Assert that fit raises, and neither begins a fitted state nor touches an old one."""
    first = clone(model)
    with pytest.raises(error, match=message):
        first.fit(X, y, *start)
    assert [name for name in vars(first) if name.endswith("_")] == []
    with pytest.raises(NotFittedError):
        check_is_fitted(first)
    again = copy.copy(good or _good(type(model)))
    again.set_params(**{name: vars(model)[name] for name in model.get_params()})
    before = dict(vars(again))
    with pytest.raises(error, match=message):
        again.fit(X, y, *start)
    assert vars(again).keys() == before.keys()
    assert all(vars(again)[name] is before[name] for name in before)
    check_is_fitted(again)


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
        _good(type(model)).predict(kind(rows))


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
        _good(type(model)).predict(rows)


@each_member
@pytest.mark.parametrize(
    ("labels", "error"),
    [
        (np.array(["spam", 7] * 12, object), TypeError),
        (np.array(["spam", None] * 12, object), TypeError),
        (np.array([b"spam", b"ham"] * 12), TypeError),
        (pd.Series(["spam", None] * 12, dtype="string"), TypeError),
        (np.array(["spam", np.nan] * 12, object), ValueError),
        (np.array([10**30, 3] * 12, object), ValueError),
    ],
    ids=["number", "None", "bytes", "NA", "NaN", "large"],
)
def test_labels_that_cannot_be_told_apart(model, labels, error):
    assert_refused(model, "^The labels in y cannot be told apart", X, labels, error=error)


@each_member
@pytest.mark.parametrize("index", [3, 10**6, -1, -(10**6)])
def test_sparse_indices_out_of_range(model, index):
    rows = sparse.csr_array(X)
    rows.indices = rows.indices.copy()
    item = rows.indptr[7] + 1
    rows.indices[item] = index
    message = re.escape(f"Row 7 of the sparse X has the column index {index}, out of range for 3")
    assert_refused(model, message, rows)
    for method in ("predict", "decision_function"):
        with pytest.raises(ValueError, match=message):
            getattr(_good(type(model)), method)(rows)


@each_member
@pytest.mark.parametrize(("place", "value"), [(0, 1), (3, 10**6), (3, -5), (24, 10**6), (24, 2)])
def test_row_starts_out_of_order(model, place, value):
    rows = sparse.csr_array(X)
    rows.indptr = rows.indptr.copy()
    rows.indptr[place] = value
    assert_refused(model, "X.indptr of the sparse X is not a non-decreasing sequence", rows)
    with pytest.raises(ValueError, match=r"X\.indptr of the sparse X"):
        _good(type(model)).predict(rows)


# Any of these may crash the interpreter if it is not refused, hence a process of their own.
BROKEN = """
import numpy as np
from scipy import sparse
from maxmargin import Perceptron

X = np.tile(np.random.default_rng(0).normal(size=(40, 4)), (1000, 1)) + np.array([9.0, 0, 0, 0])
X[::2] *= -1
y = np.arange(len(X)) % 2
good = Perceptron().fit(X, y)

def broken(kind, **changes):
    matrix = kind(X)
    for name, change in changes.items():
        setattr(matrix, name, change(getattr(matrix, name)))
    return matrix

def swapped(a):
    return a.astype(a.dtype.newbyteorder())

csr, csc, coo = sparse.csr_array, sparse.csc_array, sparse.coo_matrix
CASES = {
    "data too short": lambda: broken(csr, data=lambda a: a[:5].copy()),
    "row starts too short": lambda: broken(csr, indptr=lambda a: a[:5].copy()),
    "row starts too long": lambda: broken(csr, indptr=lambda a: np.append(a, a[-1])),
    "no row starts": lambda: broken(csr, indptr=lambda a: a[:0]),
    "data of two dimensions": lambda: broken(csr, data=lambda a: a[:, None]),
    "indices of floats": lambda: broken(csr, indices=lambda a: a.astype(float)),
    "indices of the other byte order": lambda: broken(csr, indices=swapped),
    "row starts of floats": lambda: broken(csr, indptr=lambda a: a.astype(float)),
    "row starts of the other byte order": lambda: broken(csr, indptr=swapped),
    "integers, row starts too large": lambda: broken(lambda X: csr(X.astype(int)),
                                                     indptr=lambda a: a * 10**4),
    "csc index too large": lambda: broken(csc, indices=lambda a: a + 10**8),
    "csc index negative": lambda: broken(csc, indices=lambda a: a - 10**8),
    "csc column starts": lambda: broken(csc, indptr=lambda a: a * 10**4),
    "coo row too large": lambda: broken(coo, row=lambda a: a + 10**8),
    "coo row negative": lambda: broken(coo, row=lambda a: a - 10**8),
}
for case in {cases}:
    for method in ("fit", "predict"):
        print(case, method, end=": ", flush=True)
        matrix = CASES[case]()
        try:
            Perceptron().fit(matrix, y) if method == "fit" else good.predict(matrix)
        except ValueError as error:
            print(error, flush=True)
        else:
            # Neither order of bytes is wrong, if it is understood.
            right = "byte order" in case and (good.predict(csr(X)) == y).all()
            print("understood" if right else "ACCEPTED", flush=True)
"""


def test_sparse_matrices_broken_otherwise():
    code = BROKEN.replace("{cases}", "CASES")
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 30
    for line in lines:
        assert "sparse X" in line or line.endswith("understood"), line


# --- must be refused: parameters ----------------------------------------------------------------

NO_NUMBER = [np.nan, np.inf, -np.inf, "something", [1.0], 1j, True, False, Fraction(1, 3)]
if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
    NO_NUMBER += [np.longdouble("1e4000"), np.longdouble("1e-4000")]
NOT_POSITIVE = [0, -1, *NO_NUMBER]
NEGATIVE = [-1e-300, *NO_NUMBER]
NO_COUNT = [0, -1, 1.5, np.nan, "something", None, True, False, Fraction(2), 10**400, 10**5000]
NO_BOOL = ["yes", None, 2, 0.0]
SHARED = {
    "tol": [0, 1, -0.1, 1.5, *NO_NUMBER],
    "rho": [*NOT_POSITIVE, None],
    "fit_intercept": NO_BOOL,
    "max_iter": NO_COUNT,
    "warm_start": NO_BOOL,
    "n_jobs": [1.5, "something", np.nan, True, False],
    "verbose": [-1, 1.5, "something"],
    "shuffle": NO_BOOL,
    "random_state": [-1, 1.5, "something", True, False],
}
OWN = {
    Perceptron: {"learning_rate": [*NOT_POSITIVE, None]},
    MarginPerceptron: {
        "margin": [*NEGATIVE, None],
        "normalized": NO_BOOL,
        "learning_rate": [*NOT_POSITIVE, None],
        "schedule": ["something", 1.0, None],
    },
    BatchPerceptron: {
        "learning_rate": [*NOT_POSITIVE, None],
        "schedule": ["something", 1.0, None],
    },
    RelaxationPerceptron: {
        "margin": [*NEGATIVE, None],
        "target": NEGATIVE,
        "relaxation": [2, 3.0, *NOT_POSITIVE, None],
        "batch": NO_BOOL,
    },
    FixedMarginPerceptron: {
        "margin": [*NOT_POSITIVE, None],
        "length": ["something", 1, None],
        "step": ["something", 1, None],
        "learning_rate": [*NOT_POSITIVE, None],
    },
    BolzanoPerceptron: {
        "variant": [0, 3, 1.5, "1", None, True],
        "precision": [0.5, *NOT_POSITIVE, None],
        "max_checks": NO_COUNT,
    },
    MinOverPerceptron: {
        "target": [*NOT_POSITIVE, None],
        "init": ["something", 1.0, None],
    },
    DynamicMarginPerceptron: {
        "epsilon": [1.1, *NOT_POSITIVE, None],
        "recenter": NO_BOOL,
        "active_set": NO_BOOL,
    },
}


@pytest.mark.parametrize("kind", OWN)
def test_every_parameter_has_values_that_are_refused(kind):
    bad = {name: values for name, values in SHARED.items() if name in kind().get_params()}
    bad.update(OWN[kind])
    assert bad.keys() == kind().get_params().keys()
    for name, values in bad.items():
        message = rf"The '{name}' parameter of {kind.__name__} must be .* Got .* instead"
        for value in values:
            assert_refused(kind(**{name: value}), f"(?s){message}")
    assert_refused(kind(n_jobs=0), "n_jobs == 0")


@pytest.mark.parametrize(("kind", "name"), [(Perceptron, "rho"), (Perceptron, "learning_rate")])
def test_integers_too_large_for_a_float(kind, name):
    assert_refused(kind(**{name: 10**400}), name)


@each_variant
def test_values_that_overflow_even_after_rescaling(model):
    rows = np.full((24, 5), np.finfo(np.float64).max) * np.where(Y == 1, 1.0, -1.0)[:, None]
    assert_refused(model, "Row 0 of X is too long: its norm, with rho, overflows", rows)
    rows = sparse.csr_array(rows)
    rows.data[:20] = 1.0
    assert_refused(model, "Row 4 of X is too long", rows)


@each_member
def test_starts_that_do_not_fit(model):
    for start in ([1.0, 2.0], np.ones((2, 3)), np.ones((3, 1)), np.ones((1, 1, 3))):
        message = re.escape(f"coef_init has shape {np.shape(start)}, expected (1, 3)")
        assert_refused(model, message, X, Y, start)
    assert_refused(model, r"coef_init has shape \(3,\), expected \(3, 3\)", X, THREE, [1.0] * 3)
    for value in (np.nan, np.inf):
        assert_refused(model, "coef_init has entries that are not finite", X, Y, [1.0, value, 0.0])
        assert_refused(model, "intercept_init has entries that are not fin", X, Y, None, value)
    for start in ([1.0, 2.0], [[1.0]]):
        message = re.escape(f"intercept_init has shape {np.shape(start)}, expected (1,)")
        assert_refused(model, message, X, Y, None, start)
    assert_refused(model, r"shape \(2,\), expected \(3,\)", X, THREE, None, [1.0, 2.0])
    without = clone(model).set_params(fit_intercept=False)
    assert_refused(without, "intercept_init is not zero, but fit_intercept=False", X, Y, None, 1.0)


def test_one_number_is_no_start_for_several_weights():
    assert_refused(Perceptron(), r"coef_init has shape \(\), expected \(1, 3\)", X, Y, 5.0)


@pytest.mark.parametrize(
    "start",
    [
        "words",
        [[1.0], [2.0, 3.0]],
        [1j, 0.0, 0.0],
        [10**400, 0, 0],
        np.array(["2020", "2021", "2022"], "datetime64[Y]"),
        np.array([1, 2, 3], "timedelta64[s]"),
    ],
    ids=str,
)
def test_starts_that_are_no_numbers(start):
    assert_refused(Perceptron(), "coef_init", X, Y, start)
    assert_refused(Perceptron(), "intercept_init", X, Y, None, start)


def test_margins_that_cannot_be_reached():
    radius = np.sqrt((X**2).sum(axis=1).min())
    for model in (
        FixedMarginPerceptron(fit_intercept=False),
        FixedMarginPerceptron(fit_intercept=False, length="fixed"),
        FixedMarginPerceptron(fit_intercept=False, step="projected"),
        MarginPerceptron(fit_intercept=False, normalized=True),
    ):
        for margin in (radius * (1 + 1e-12), 10 * radius, 1e308):
            message = f"margin={re.escape(str(margin))} cannot be reached.* {radius:.6g}"
            assert_refused(clone(model).set_params(margin=margin), message)


def test_a_target_below_the_margin():
    model = RelaxationPerceptron(margin=2.0, target=1.5)
    assert_refused(model, r"target=1\.5 is less than margin=2\.0")


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.ones(23), r"init has shape \(23,\), expected one multiplier for each of 24 patterns"),
        (np.ones((2, 24)), r"init has shape \(2, 24\), .* 24 patterns and 1 hyperplanes"),
        (np.append(np.ones(23), -1e-9), "init must have multipliers that are not negative"),
        (np.append(np.ones(23), np.nan), "init has entries that are not finite"),
        (np.append(np.ones(23), np.inf), "init has entries that are not finite"),
        (["a"] * 24, "init"),
    ],
)
def test_multipliers_min_over_cannot_start_from(init, message):
    assert_refused(MinOverPerceptron(init=init), message)


@pytest.mark.parametrize("start", [([1.0, 0.0, 0.0],), (None, 1.0), ([1.0, 0.0, 0.0], 1.0)])
def test_min_over_cannot_start_from_weights_and_multipliers(start):
    message = "init has multipliers to start from, coef_init or intercept_init weights"
    assert_refused(MinOverPerceptron(init=np.ones(24)), message, X, Y, *start)


def _failing(t):
    raise RuntimeError("no rate today")


@pytest.mark.parametrize("kind", [MarginPerceptron, BatchPerceptron])
@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda t: 1.0, r"schedule must return an array of the shape .* got \(\)"),
        (lambda t: np.ones(len(t) + 1), "schedule must return an array of the shape"),
        (lambda t: np.ones((len(t), 1)), "schedule must return an array of the shape"),
        (lambda t: None, "schedule must return an array of the shape"),
        (lambda t: -1.0 / t, r"schedule must return finite rates >= 0, got -1\.0 for correction 1"),
        (lambda t: np.where(t > 0, np.nan, t), "schedule must return finite rates >= 0, got nan"),
        (lambda t: np.full(len(t), np.inf), "schedule must return finite rates >= 0, got inf"),
        (lambda t: ["a"] * len(t), "schedule"),
    ],
)
def test_schedules_that_return_no_rates(kind, schedule, message):
    assert_refused(kind(schedule=schedule), message)
    assert_refused(kind(schedule=schedule, n_jobs=2), message, X, THREE)


@pytest.mark.parametrize("kind", [MarginPerceptron, BatchPerceptron])
def test_schedules_that_raise(kind):
    assert_refused(kind(schedule=_failing), "no rate today", error=RuntimeError)
    assert_refused(kind(schedule=lambda: 1.0), "positional argument", error=TypeError)


@each_member
def test_warm_starts_from_another_problem(model):
    model = fitted(model, warm_start=True)
    before = dict(vars(model))
    for rows, labels, message in (
        (X, np.where(Y == 1, "b", "a"), r"classes of the last fit, \[0 1\], got \['a' 'b'\]"),
        (X, Y + 1, r"classes of the last fit, \[0 1\], got \[1 2\]"),
        (X[:, :2], Y, "needs the 3 features of the last fit, got 2"),
        (np.column_stack([X, X]), Y, "needs the 3 features of the last fit, got 6"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(rows, labels)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is before[name] for name in before)


@each_member
def test_predictions_for_other_features(model):
    name = type(model).__name__
    for rows in (X[:, :2], np.column_stack([X, X]), sparse.csr_array(X[:, :2])):
        message = f"X has {rows.shape[1]} features, but {name} is expecting 3 features"
        with pytest.raises(ValueError, match=message):
            _good(type(model)).predict(rows)


@each_member
def test_predictions_before_fit(model):
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError, match=f"This {type(model).__name__} instance is not"):
            getattr(clone(model), method)(X)


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
