"""`verify` reads the data a fit reads, in whatever form, within their bounds and in slices."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from certificates import apart, blobs, certified_apart, quiet
from maxmargin import MinOverPerceptron, Perceptron
from maxmargin.certificate import InvalidCertificate


@pytest.fixture(scope="module", params=[True, False], ids=["intercept", "no intercept"])
def proven(request):
    return certified_apart(request.param)


# --- forms of the same data ---------------------------------------------------


def in_capacity(X):
    """Return a CSR matrix with room for more entries, which holds something by chance."""
    X = sparse.csr_array(X)
    X.data, X.indices = np.append(X.data, 1e300), np.append(X.indices, 0)
    return X


def in_pieces(X):
    """Return a CSR matrix of unsorted entries, each stored in two parts."""
    n, d = X.shape
    halves = np.repeat(X / 3.0, 2, axis=1)
    halves[:, 1::2] = X - halves[:, ::2]
    columns = np.tile(np.repeat(np.arange(d), 2), n).reshape(n, -1)
    order = np.random.default_rng(0).permuted(np.tile(np.arange(2 * d), (n, 1)), axis=1)
    entries = [np.take_along_axis(each, order, axis=1).ravel() for each in (halves, columns)]
    return sparse.csr_array((*entries, np.arange(n + 1) * 2 * d), shape=X.shape)


def with_data(matrix, dtype):
    matrix.data = matrix.data.astype(dtype)
    return matrix


SAME_DATA = {
    "big-endian": lambda X: with_data(sparse.csr_array(X), ">f8"),
    "big-endian, COO": lambda X: with_data(sparse.coo_array(X), ">f8"),
    "big-endian, dense": lambda X: X.astype(">f8"),
    "blocks": lambda X: sparse.bsr_array(X, blocksize=(2, 2)),
    "lists": lambda X: sparse.lil_array(X),
    "a matrix": lambda X: sparse.csr_matrix(X),
    "Fortran": lambda X: np.asfortranarray(X),
    "objects": lambda X: X.astype(object),
    "strings": lambda X: X.astype(str),
    "single precision": lambda X: sparse.csr_array(X.astype(np.float32)),
    "half precision": lambda X: with_data(sparse.csr_array(X), np.float16),
    "in pieces": lambda X: in_pieces(X),
    "in pieces of single precision": lambda X: with_data(in_pieces(X), np.float32),
}


@pytest.mark.parametrize("form", SAME_DATA)
def test_verify_reads_what_fit_reads(form):
    X, y = apart()
    X = SAME_DATA[form](X)
    before = contents(X)
    certificate = MinOverPerceptron(target=400.0).fit(X, y).certificate_
    for labels in (y, y[:, None], y.tolist(), y.astype(float)):
        certificate.verify(X, labels)
    assert contents(X) == before  # SciPy puts in order in place


def contents(X):
    arrays = ["data", "indices", "indptr", "row", "col"]
    return [getattr(X, name).tobytes() for name in arrays if hasattr(X, name)]


def test_verify_passes_over_what_lies_beyond_the_entries(proven):
    X, y, certificate = proven
    found = certificate.verify(sparse.csr_array(X), y)
    assert certificate.verify(in_capacity(X), y) == found
    assert certificate.verify(in_capacity(X.T).T, y) == found


# --- broken data --------------------------------------------------------------


def broken(X, form, name, value):
    X = sparse.csr_array(X).asformat(form)
    getattr(X, name)[1] = value
    return X


@pytest.mark.parametrize(
    ("form", "name", "value"),
    [
        ("csr", "indices", -1),
        ("csr", "indices", 2),
        ("csr", "indices", 2**30),
        ("csc", "indices", 2**30),
        ("csc", "indices", -1),
        ("coo", "row", 2**30),
        ("coo", "col", -(2**30)),
        ("bsr", "indices", 2**30),
        ("csr", "indptr", 2**30),
        ("csc", "indptr", -(2**30)),
    ],
)
def test_verify_does_not_read_out_of_bounds(proven, form, name, value):
    X, y, certificate = proven
    with pytest.raises(ValueError, match=r"out of range|X\.indptr of the sparse X"):
        certificate.verify(broken(X, form, name, value), y)


# --- slices -------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_verify_copies_no_more_than_slices(form):
    rng = np.random.default_rng(0)
    X, y = blobs(rng, 60_000, 20, 12.0)
    X = form(X)
    size = X.nbytes if form is np.asarray else X.data.nbytes + X.indices.nbytes
    certificate = quiet(Perceptron(max_iter=1, random_state=0), X, y).certificate_
    tracemalloc.start()
    certificate.verify(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size


def test_verify_works_on_many_slices():
    """More rows than `verify` reads at once."""
    X, y = blobs(np.random.default_rng(1), 20_001, 2, 12.0)
    certificate = quiet(MinOverPerceptron(), X, y).certificate_
    assert certificate.separable is True and certificate.verify(X, y).lower > 0.0
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(InvalidCertificate, match=r"^lower"):
            certificate.verify(rows, np.append(y[:-1], -y[-1]))
