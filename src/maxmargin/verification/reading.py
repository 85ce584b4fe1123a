"""Labelled data, read a slice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = [
    "MOST_ROWS_AT_ONCE",
    "LabelledRows",
    "Part",
    "largest_entry",
    "rows_at_once",
    "rows_in_slice",
    "slices",
]

Floats = npt.NDArray[np.float64]
#: Some of the rows: all of a range, or those of it that count.
Part = slice | npt.NDArray[np.intp]

#: Rows are read in slices of so many, or fewer that a cache has room for.
MOST_ROWS_AT_ONCE, _ENTRIES_AT_ONCE = 8192, 2**17


@dataclass(frozen=True)
class LabelledRows:
    """Data, to be read a slice at a time and in units in which nothing overflows.

    Attributes
    ----------
    X : ndarray or CSR array
        Neither written to nor copied as a whole.
    signs : ndarray of shape (n,)
        -1 or +1 for each row; 0 for a row that does not count.
    unit : float
        Power of two by which the rows are multiplied.
    constant : float
        What the last weight is multiplied by in a score, in the same units; 0 without an
        intercept.
    free : bool
        Whether the intercept is no part of the length of a hyperplane.
    """

    X: Any
    signs: Floats
    unit: float
    constant: float
    free: bool = False

    def parts(self) -> Iterator[tuple[Part, Any]]:
        """Go through the rows that count, with their numbers."""
        for part in _counting(self.X, self.signs):
            yield part, _rows(self.X, part) * self.unit

    def patterns(self, chosen: npt.NDArray[np.intp], constant: float) -> Floats:
        """Return chosen patterns as the rows of a matrix, with a constant if it is not zero."""
        rows = _rows(self.X, chosen) * self.unit
        rows = rows.toarray() if sparse.issparse(rows) else rows
        if constant:
            rows = np.column_stack([rows, np.full(chosen.size, constant)])
        return self.signs[chosen, None] * rows


def largest_entry(X: Any, signs: Floats) -> float:
    """Return the largest magnitude in the rows that count; NaN if they have such an entry."""
    largest = 0.0
    for part in _counting(X, signs):
        rows = _rows(X, part)
        entries = rows.data if sparse.issparse(rows) else rows
        largest = float(np.maximum(largest, np.abs(entries).max(initial=0.0)))
    return largest


def rows_in_slice(X: Any) -> int:
    """Return how many rows of a matrix are read at once."""
    count, width = X.shape
    return rows_at_once(X.nnz / count if sparse.issparse(X) else width, width)


def rows_at_once(entries: float, width: int) -> int:
    """Return for how many rows there is room; sums of all features are made for each slice."""
    room = max(_ENTRIES_AT_ONCE, 4 * width)
    return int(np.clip(room / max(entries, 1.0), 1, MOST_ROWS_AT_ONCE))


def slices(last: int, size: int, first: int = 0) -> Iterator[slice]:
    """Cut a range into slices."""
    for start in range(first, last, size):
        yield slice(start, min(start + size, last))


def _counting(X: Any, signs: Floats) -> Iterator[Part]:
    for part in slices(X.shape[0], rows_in_slice(X)):
        counting = signs[part] != 0.0
        if counting.all():
            yield part
        elif counting.any():
            yield part.start + np.flatnonzero(counting)


def _rows(X: Any, chosen: Part) -> Any:
    """Return rows in float64, as a copy; entries stored twice are summed up as in a fit."""
    rows = X[chosen].copy()  # all rows of a matrix would be the matrix itself
    if sparse.issparse(rows):
        rows.sum_duplicates()
    return rows.astype(np.float64, copy=False)
