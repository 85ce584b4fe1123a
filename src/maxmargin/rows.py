"""How a row of the data matrix is read: the only code that knows dense from sparse.

All kinds of rows answer the same calls, so a loop is written once and runs on any. Those for
several weight vectors side by side (``dots``, ``prefetch_weights``) are for sparse rows alone.
Weight vectors have one coordinate more than the data, the last one belonging to the constant
``rho`` appended to every row (zero when there is no intercept).

Row numbers and indices are unsigned: Numba adds a wrap-around test to signed ones, which
costs a factor of four on sparse data.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxmargin.compiled import Compilable
from maxmargin.prefetch import prefetch

__all__ = ["DenseRows", "Rows", "SparseRows", "UniformRows", "rows_of"]

_ONE, _TWO, _THREE, _FOUR = (np.uint64(number) for number in (1, 2, 3, 4))
# Of a cache line of 64 bytes: values in float64, indices in 32 bits.
_ITEMS_PER_LINE, _INDICES_PER_LINE = np.uint64(8), np.uint64(16)


class CompressedRows(Compilable):
    """What the rows of all CSR matrices have in common."""

    __slots__ = ()
    # Left to reorder sums, LLVM turns gathered products into vectors: four times as slow. Nor may
    # it fuse products and sums: a class has the same scores alone and beside others.
    exact_arithmetic = True
    # Dense rows gain nothing: their sums are vector arithmetic with one weight vector already.
    gain_side_by_side = True

    indices: Any
    starts: Any

    def prefetch_start(self, row: Any) -> None:
        """Fetch where a row is that will be visited later."""
        prefetch(self.starts, row)

    def prefetch_weights(self, row: Any, flat: Any, width: Any) -> None:
        """Fetch the weights of a row's features, of ``width`` vectors side by side."""
        for item in range(self.starts[row], self.starts[row + _ONE]):
            first = np.uint64(self.indices[item]) * width
            for column in range(np.uint64(0), width, _ITEMS_PER_LINE):
                prefetch(flat, first + column)
            prefetch(flat, first + width - _ONE)


class UniformRows(
    CompressedRows,
    NamedTuple(
        "_Uniform",
        [("value", Any), ("indices", Any), ("starts", Any), ("width", Any), ("rho", Any)],
    ),
):
    """Rows of a CSR matrix whose stored values are all the same, as in one-hot codes.

    The values need not be read: a third of the memory traffic of other sparse rows.
    """

    __slots__ = ()

    def dot(self, row: Any, weights: Any) -> Any:
        """Return ``[x, rho] . weights`` for one row, summed up in the order of ``dots``."""
        item, last = np.uint64(self.starts[row]), np.uint64(self.starts[row + _ONE])
        total = 0.0
        while item + _THREE < last:
            pair = weights[self.indices[item]] + weights[self.indices[item + _ONE]]
            other = weights[self.indices[item + _TWO]] + weights[self.indices[item + _THREE]]
            total += pair + other
            item += _FOUR
        while item < last:
            total += weights[self.indices[item]]
            item += _ONE
        return self.value * total + self.rho * weights[self.width]

    def dots(self, row: Any, weights: Any, out: Any) -> None:
        """Write ``[x, rho] . weights`` for every column of the weights."""
        columns = range(np.uint64(out.size))
        item, last = np.uint64(self.starts[row]), np.uint64(self.starts[row + _ONE])
        out[:] = 0.0
        while item + _THREE < last:  # four at a time: fewer visits of the sums
            i, j = np.uint64(self.indices[item]), np.uint64(self.indices[item + _ONE])
            k, m = np.uint64(self.indices[item + _TWO]), np.uint64(self.indices[item + _THREE])
            for column in columns:
                pair, other = weights[i, column] + weights[j, column], weights[k, column]
                out[column] += pair + (other + weights[m, column])
            item += _FOUR
        while item < last:
            i = np.uint64(self.indices[item])
            for column in columns:
                out[column] += weights[i, column]
            item += _ONE
        for column in columns:
            out[column] = self.value * out[column] + self.rho * weights[self.width, column]

    def add(self, row: Any, step: Any, weights: Any) -> None:
        """Add ``step [x, rho]`` to ``weights``."""
        move = step * self.value
        for item in range(self.starts[row], self.starts[row + _ONE]):
            weights[self.indices[item]] += move
        weights[self.width] += step * self.rho

    def square(self, row: Any) -> Any:
        """Return ``||x||^2``, without the constant."""
        return (self.starts[row + _ONE] - self.starts[row]) * (self.value * self.value)

    def add_outer(self, row: Any, factor: Any, out: Any) -> None:
        """Add ``factor [x, rho] [x, rho]'`` to the upper triangle of a matrix."""
        last = self.starts[row + _ONE]
        move = factor * (self.value * self.value)
        for first in range(self.starts[row], last):
            line = out[self.indices[first]]
            for item in range(first, last):
                line[self.indices[item]] += move
            line[self.width] += factor * (self.value * self.rho)
        out[self.width, self.width] += factor * (self.rho * self.rho)

    def prefetch_row(self, row: Any) -> None:
        """Fetch a row that will be visited soon."""
        for item in range(self.starts[row], self.starts[row + _ONE], _INDICES_PER_LINE):
            prefetch(self.indices, item)
        prefetch(self.indices, self.starts[row + _ONE] - _ONE)


class DenseRows(Compilable, NamedTuple("_Dense", [("values", Any), ("width", Any), ("rho", Any)])):
    """Rows of a C-ordered array, seen flat."""

    __slots__ = ()
    gain_side_by_side = False

    def dot(self, row: Any, weights: Any) -> Any:
        """Return ``[x, rho] . weights`` for one row."""
        first = row * self.width
        total = 0.0
        for column in range(self.width):
            total += self.values[first + column] * weights[column]
        return total + self.rho * weights[self.width]

    def add(self, row: Any, step: Any, weights: Any) -> None:
        """Add ``step [x, rho]`` to ``weights``."""
        first = row * self.width
        for column in range(self.width):
            weights[column] += step * self.values[first + column]
        weights[self.width] += step * self.rho

    def square(self, row: Any) -> Any:
        """Return ``||x||^2``, without the constant."""
        first = row * self.width
        total = 0.0
        for column in range(self.width):
            value = np.float64(self.values[first + column])
            total += value * value
        return total

    def prefetch_start(self, row: Any) -> None:
        """Do nothing: where a dense row is needs no look-up."""

    def prefetch_row(self, row: Any) -> None:
        """Fetch a row that will be visited soon."""
        first = row * self.width
        for column in range(np.uint64(0), self.width, _ITEMS_PER_LINE):
            prefetch(self.values, first + column)
        prefetch(self.values, first + self.width - _ONE)


class SparseRows(
    CompressedRows,
    NamedTuple(
        "_Sparse",
        [("values", Any), ("indices", Any), ("starts", Any), ("width", Any), ("rho", Any)],
    ),
):
    """Rows of a CSR matrix or array."""

    __slots__ = ()

    def dot(self, row: Any, weights: Any) -> Any:
        """Return ``[x, rho] . weights`` for one row, summed up in the order of ``dots``."""
        item, last = np.uint64(self.starts[row]), np.uint64(self.starts[row + _ONE])
        total = self.rho * weights[self.width]
        while item + _THREE < last:
            i, j, k = item + _ONE, item + _TWO, item + _THREE
            pair = self.values[item] * weights[self.indices[item]]
            pair += self.values[i] * weights[self.indices[i]]
            other = self.values[j] * weights[self.indices[j]]
            total += pair + (other + self.values[k] * weights[self.indices[k]])
            item += _FOUR
        while item < last:
            total += self.values[item] * weights[self.indices[item]]
            item += _ONE
        return total

    def dots(self, row: Any, weights: Any, out: Any) -> None:
        """Write ``[x, rho] . weights`` for every column of the weights."""
        columns = range(np.uint64(out.size))
        item, last = np.uint64(self.starts[row]), np.uint64(self.starts[row + _ONE])
        for column in columns:
            out[column] = self.rho * weights[self.width, column]
        while item + _THREE < last:  # four at a time: fewer visits of the sums
            i, j = np.uint64(self.indices[item]), np.uint64(self.indices[item + _ONE])
            k, m = np.uint64(self.indices[item + _TWO]), np.uint64(self.indices[item + _THREE])
            p, q = np.float64(self.values[item]), np.float64(self.values[item + _ONE])
            r, s = np.float64(self.values[item + _TWO]), np.float64(self.values[item + _THREE])
            for column in columns:
                pair = p * weights[i, column] + q * weights[j, column]
                out[column] += pair + (r * weights[k, column] + s * weights[m, column])
            item += _FOUR
        while item < last:
            i, p = np.uint64(self.indices[item]), np.float64(self.values[item])
            for column in columns:
                out[column] += p * weights[i, column]
            item += _ONE

    def add(self, row: Any, step: Any, weights: Any) -> None:
        """Add ``step [x, rho]`` to ``weights``."""
        for item in range(self.starts[row], self.starts[row + _ONE]):
            weights[self.indices[item]] += step * self.values[item]
        weights[self.width] += step * self.rho

    def square(self, row: Any) -> Any:
        """Return ``||x||^2``, without the constant."""
        total = 0.0
        for item in range(self.starts[row], self.starts[row + _ONE]):
            value = np.float64(self.values[item])
            total += value * value
        return total

    def add_outer(self, row: Any, factor: Any, out: Any) -> None:
        """Add ``factor [x, rho] [x, rho]'`` to the upper triangle of a matrix."""
        last = self.starts[row + _ONE]
        for first in range(self.starts[row], last):
            line = out[self.indices[first]]
            move = factor * self.values[first]
            for item in range(first, last):
                line[self.indices[item]] += move * self.values[item]
            line[self.width] += move * self.rho
        out[self.width, self.width] += factor * (self.rho * self.rho)

    def prefetch_row(self, row: Any) -> None:
        """Fetch a row that will be visited soon."""
        for item in range(self.starts[row], self.starts[row + _ONE], _INDICES_PER_LINE):
            prefetch(self.values, item)
            prefetch(self.values, item + _ITEMS_PER_LINE)
            prefetch(self.indices, item)


Rows = DenseRows | SparseRows | UniformRows


def rows_of(X: Any, rho: float) -> Rows:
    """Return the rows of a C-ordered array or canonical CSR matrix, sharing its memory."""
    width = np.uint64(X.shape[1])
    if hasattr(X, "indptr"):
        indices, starts = _unsigned(X.indices), _unsigned(X.indptr)
        values = X.data
        if values.size and values[0] == values[-1] and values.min() == values.max():
            value = float(values[0])
            return UniformRows(value, indices, starts, width, float(rho))
        return SparseRows(_read_only(X.data), indices, starts, width, float(rho))
    return DenseRows(_read_only(X.reshape(-1)), width, float(rho))


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    # One kind of array, so that memory-mapped input does not compile a second time.
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _unsigned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return _read_only(array.view(f"u{array.dtype.itemsize}"))
