"""Refuse sparse matrices whose arrays do not fit together, before anything reads through them.

SciPy does not check what is assigned to ``indices`` or ``indptr`` later, scikit-learn does not
look, and both SciPy's conversions and our compiled loops would read or write out of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["check_sparse"]


def check_sparse(X: Any) -> None:
    """Raise ValueError unless the arrays of a sparse matrix describe one.

    Parameters
    ----------
    X : sparse matrix or array
        CSR, CSC, BSR and COO are checked; other formats hold no index arrays.
    """
    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns, got a sparse array of shape {X.shape}.")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format == "coo":
        for name, numbers, limit in zip(("row", "column"), X.coords, X.shape, strict=True):
            _check_numbers(f"{name} numbers", numbers)
            _check_range(f"{name} number", numbers, limit)
            if numbers.size != np.size(X.data):
                raise ValueError(
                    f"The sparse X has {np.size(X.data)} values and {numbers.size} {name} numbers."
                )


def _check_compressed(X: Any) -> None:
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
