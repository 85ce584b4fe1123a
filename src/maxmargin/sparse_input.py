"""Refuse sparse matrices whose arrays do not fit together, before anything reads through them.

SciPy does not check what is assigned to ``indices`` or ``indptr`` later, scikit-learn does not
look, and both SciPy's conversions and our compiled loops would read or write out of bounds.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy import sparse

__all__ = ["canonical", "check_sparse"]


def check_sparse(X: Any) -> Any:
    """Return a sparse matrix that is safe to read, or raise ValueError if its arrays are not.

    Parameters
    ----------
    X : sparse matrix or array
        CSR, CSC, BSR and COO are checked; other formats hold no index arrays.

    Returns
    -------
    sparse matrix or array
        X, or another one over the same values: without the spare capacity that arrays may have
        beyond the entries stored, and with indices of a type that SciPy computes with.
    """
    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns, got a sparse array of shape {X.shape}.")
    if X.format in ("csr", "csc", "bsr"):
        return _usable(X, _check_compressed(X))
    if X.format == "coo":
        for name, numbers, limit in zip(("row", "column"), X.coords, X.shape, strict=True):
            _check_numbers(f"{name} numbers", numbers)
            _check_range(f"{name} number", numbers, limit)
            if numbers.size != np.size(X.data):
                raise ValueError(
                    f"The sparse X has {np.size(X.data)} values and {numbers.size} {name} numbers."
                )
    return X


def canonical(X: Any) -> Any:
    """Return a CSR matrix whose rows have sorted indices without duplicates.

    X itself is returned if it is one, or a copy that is. SciPy answers the question once for each
    matrix and misses what is written to its indices later, hence one that it has never seen.
    """
    unseen = sparse.csr_array(X.shape)
    unseen.indices, unseen.indptr = X.indices, X.indptr
    if unseen.has_canonical_format:
        return X
    X = X.copy()
    X.has_sorted_indices = X.has_canonical_format = False
    X.sum_duplicates()
    return X


def _usable(X: Any, count: int) -> Any:
    """Return X with arrays of just the entries stored, as views, and with signed indices."""
    arrays = X.indices, X.indptr
    wide = any(array.dtype == np.uint64 for array in arrays)
    if not wide and len(X.data) == count == X.indices.size:
        return X
    X = copy.copy(X)  # whose arrays are the caller's, to be replaced and not written to
    X.data, X.indices = X.data[:count], X.indices[:count]
    if wide:  # SciPy has no loops for them; all numbers are below the limits just checked
        X.indices, X.indptr = (array.astype(np.int64) for array in (X.indices, X.indptr))
    return X


def _check_compressed(X: Any) -> int:
    """Return the number of stored entries (of blocks for BSR)."""
    major, minor = X.shape[::-1] if X.format == "csc" else X.shape
    if X.format == "bsr":
        major, minor = major // X.blocksize[0], minor // X.blocksize[1]
    starts, indices = X.indptr, X.indices
    _check_numbers("indptr", starts)
    _check_numbers("indices", indices)
    if starts.size != major + 1:
        raise ValueError(f"indptr of the sparse X has {starts.size} entries, not {major + 1}.")
    if starts[0] != 0 or np.any(starts[1:] < starts[:-1]) or starts[-1] > indices.size:
        raise ValueError("X.indptr of the sparse X is not a non-decreasing sequence from 0 to nnz.")
    count = int(starts[-1])
    values = np.shape(X.data)
    if len(values) != (3 if X.format == "bsr" else 1) or values[0] < count:
        raise ValueError(
            f"data of the sparse X has the shape {values}, not that of {count} stored entries."
        )
    axis = "row" if X.format == "csc" else "column"
    _check_range(f"{axis} index", indices[:count], minor, starts)
    return count


def _check_numbers(name: str, array: Any) -> None:
    array = np.asarray(array)
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.dtype.isnative:
        raise ValueError(
            f"{name} of the sparse X must be a flat array of native integers, got an array of "
            f"shape {array.shape} and type {array.dtype.str}."
        )


def _check_range(name: str, numbers: Any, limit: int, starts: Any = None) -> None:
    if not numbers.size or (numbers.min() >= 0 and numbers.max() < limit):
        return
    entry = int(np.flatnonzero((numbers < 0) | (numbers >= limit))[0])
    where = f"Entry {entry}"
    if starts is not None:
        where = f"Row {int(np.searchsorted(starts, entry, side='right')) - 1}"
        where = where if name.startswith("column") else where.replace("Row", "Column")
    raise ValueError(
        f"{where} of the sparse X has the {name} {int(numbers[entry])}, out of range for "
        f"{limit} {'features' if name.startswith('column') else 'rows'}."
    )
