"""Dense arrays of every layout and kind: the same model, copied only if need be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from inputs import X, Y, assert_same, assert_separates, each_member, fitted, of_long_indices
from maxmargin import Perceptron
from maxmargin.patterns import Patterns


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
