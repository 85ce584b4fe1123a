"""Sparse matrices of every kind: the same model, or a refusal where arrays do not fit together."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from inputs import (
    X,
    Y,
    assert_refused,
    assert_same,
    assert_separates,
    each_member,
    each_variant,
    fitted,
    fitted_once,
    of_long_indices,
)
from maxmargin import Perceptron
from maxmargin.patterns import Patterns

# --- must work ----------------------------------------------------------------------------------


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


# --- must be refused ----------------------------------------------------------------------------


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
            getattr(fitted_once(type(model)), method)(rows)


@each_member
@pytest.mark.parametrize(("place", "value"), [(0, 1), (3, 10**6), (3, -5), (24, 10**6), (24, 2)])
def test_row_starts_out_of_order(model, place, value):
    rows = sparse.csr_array(X)
    rows.indptr = rows.indptr.copy()
    rows.indptr[place] = value
    assert_refused(model, "X.indptr of the sparse X is not a non-decreasing sequence", rows)
    with pytest.raises(ValueError, match=r"X\.indptr of the sparse X"):
        fitted_once(type(model)).predict(rows)


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
