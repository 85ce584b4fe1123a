"""Labelled data seen as one set of vectors that should all have a positive product with a.

A pattern is ``y_k = l_k [x_k, rho]`` with ``l_k`` in {-1, +1}: the row, augmented by a constant
``rho`` (zero: no intercept) and reflected if its label is negative (S1, section 2). A weight
vector ``a = [w, w_0]`` then stands for the hyperplane ``w.x + rho w_0 = 0``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from maxmargin import loops
from maxmargin.compiled import compile_loop
from maxmargin.rows import Rows, rows_of
from maxmargin.sparse_input import canonical

__all__ = ["ROWS_PER_SUM", "Extremes", "Patterns", "squared_norm"]

Floats = npt.NDArray[np.float64]

#: Products for which a compiled call may run; between calls Python sees Ctrl-C.
PRODUCTS_PER_CALL = 2**26
#: Rows summed before the sum is added to the total; keeps rounding errors short chains.
ROWS_PER_SUM = 8192
#: Data with magnitudes outside are rescaled, so that no fourth power overflows.
_LARGEST_EXPONENT = 200


class Extremes(NamedTuple):
    """The worst of a hyperplane's scores ``y_k . a``."""

    lowest: float
    errors: float  #: how many are not positive


@dataclass(frozen=True)
class Patterns:
    """Reflected, augmented patterns over a data matrix that is not copied.

    Attributes
    ----------
    rows : Rows
        The rows ``unit * [x_k, rho]``.
    labels : ndarray of int8
        -1 or +1 for each row.
    squares : ndarray of float64
        ``||y_k||^2``.
    radius : float
        Norm of the longest row, without the constant.
    unit : float
        Power of two by which data of extreme magnitude were multiplied; 1 otherwise.
    entries_per_row : float
        Products that one visit of a row costs.
    """

    rows: Rows
    labels: npt.NDArray[np.int8]
    squares: Floats
    radius: float
    unit: float
    entries_per_row: float

    @classmethod
    def build(cls, X: Any, labels: npt.ArrayLike | None, rho: float | str | None) -> Patterns:
        """Make patterns of a C-ordered array or CSR matrix of floats.

        Parameters
        ----------
        X : ndarray or CSR matrix or array, of float32 or float64
            Shared, unless it is not canonical CSR or its magnitude is extreme.
        labels : array of -1 and +1, or None
            None makes every pattern positive until :meth:`relabelled` is called.
        rho : float, "auto" or None
            The constant appended to the rows: a number, the radius of the data, or none.
        """
        X, unit = canonical(X) if sparse.issparse(X) else X, 1.0
        rows, squares = _measured(X)
        radius = float(np.sqrt(squares.max()))
        if not 2.0**-_LARGEST_EXPONENT < radius < 2.0**_LARGEST_EXPONENT:
            X, unit = _rescaled(X)
            rows, squares = _measured(X)
            radius = float(np.sqrt(squares.max()))
        if not math.isfinite(radius):  # scikit-learn can be told not to look
            raise ValueError("Input X contains NaN or infinity.")
        constant = (radius or 1.0) if rho == "auto" else float(rho or 0.0) * unit
        if rho not in (None, "auto") and not 1e-100 < constant / (radius or 1.0) < 1e100:
            raise ValueError(
                f"rho={rho} is out of all proportion to the data, whose longest row has the norm "
                f"{radius / unit:.6g}."
            )
        squares += constant * constant
        _check_overflow(squares, unit)
        signs = np.ones(squares.size, np.int8) if labels is None else np.asarray(labels, np.int8)
        entries = X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]
        return cls(rows._replace(rho=constant), signs, squares, radius, unit, entries + 1.0)

    def relabelled(self, labels: npt.ArrayLike) -> Patterns:
        """Return patterns over the same rows with other labels."""
        return replace(self, labels=np.asarray(labels, np.int8))

    @property
    def count(self) -> int:
        """Number of patterns n."""
        return self.labels.size

    @property
    def dimension(self) -> int:
        """Length of a weight vector: the features and the constant."""
        return int(self.rows.width) + 1

    @cached_property
    def most_entries(self) -> int:
        """Entries of the row that has most, with the constant."""
        starts = getattr(self.rows, "starts", None)
        return self.dimension if starts is None else int(np.diff(starts).max()) + 1

    @property
    def rho(self) -> float:
        """The constant appended to every row, in rescaled units."""
        return float(self.rows.rho)

    @cached_property
    def longest_squared(self) -> float:
        """R^2, exactly the largest ``||y_k||^2``."""
        return float(self.squares.max())

    @property
    def longest(self) -> float:
        """R, the largest ``||y_k||``."""
        return math.sqrt(self.longest_squared)

    @cached_property
    def shortest(self) -> float:
        """r, the smallest ``||y_k||``."""
        return float(np.sqrt(self.squares.min()))

    @cached_property
    def shortest_nonzero(self) -> float:
        """The smallest ``||y_k||`` that is not zero; 1 if all are."""
        lengths = self.squares[self.squares > 0.0]
        return float(np.sqrt(lengths.min(initial=np.inf))) if lengths.size else 1.0

    def augmented(self, coef: Floats, intercept: float) -> Floats:
        """Return the weight vector of the hyperplane ``coef.x + intercept = 0``."""
        return np.append(coef / self.unit, intercept / self.rho if self.rho else 0.0)

    def hyperplane(self, weights: Floats) -> tuple[Floats, float]:
        """Return coefficients and intercept of a weight vector, for the data as given.

        Where the coefficients would overflow or vanish, both are divided by a power of two.
        """
        _, exponent = np.frexp(np.abs(weights[:-1]).max(initial=0.0))
        _, power = np.frexp(self.unit)
        shift = 0 if abs(exponent + power) < 900 else -exponent - power // 2
        coef, constant = np.ldexp(weights[:-1], shift), np.ldexp(weights[-1], shift)
        return coef * self.unit, float(constant * self.rho)

    def scores(self, weights: Floats) -> Floats:
        """Return ``y_k . weights`` of every pattern."""
        out = np.empty(self.count)
        loop = compile_loop(loops.scores, type(self.rows))
        for first, last in self.calls():
            loop(self.rows, self.labels, first, last, weights, out)
        return out

    def extremes(self, weights: Floats) -> Extremes:
        """Return the worst scores of a weight vector."""
        scores = self.scores(weights)
        return Extremes(float(scores.min()), float(np.count_nonzero(scores <= 0.0)))

    def extremes_side_by_side(
        self, weights: Floats, labels: npt.NDArray[np.int8]
    ) -> list[Extremes]:
        """Return the worst scores of each column of weights, under each column of labels."""
        count = weights.shape[1]
        out = np.array([Extremes(np.inf, 0.0)] * count)
        loop = compile_loop(loops.extremes, type(self.rows))
        for first, last in self.calls(vectors=count):
            loop(self.rows, labels, first, last, weights, out)
        return [Extremes(*row) for row in out.tolist()]

    def combine(self, coefficients: Floats) -> Floats:
        """Return ``sum_k coefficients_k [x_k, rho]``, labels not applied."""
        minus, plus = self.class_sums(coefficients)
        return plus + minus

    def class_sums(self, coefficients: Floats) -> Floats:
        """Return ``sum_k coefficients_k [x_k, rho]`` over the negative and the positive class."""
        loop = compile_loop(loops.add_up, type(self.rows))
        part, total = np.zeros((2, 2, self.dimension))
        books = (self.rows, self.labels, coefficients)
        for first, last in self.calls():
            loop(*books, first, last, np.uint64(ROWS_PER_SUM), part, total)
        return total

    def dense(self, chosen: npt.NDArray[np.intp]) -> Floats:
        """Return chosen patterns as the rows of a matrix, with the constant if there is one."""
        out = np.zeros((chosen.size, self.dimension))
        compile_loop(loops.spread, type(self.rows))(self.rows, self.labels, chosen, out)
        return out if self.rho else out[:, :-1]

    def calls(
        self, count: int | None = None, vectors: int = 1
    ) -> Iterator[tuple[np.uint64, np.uint64]]:
        """Cut all rows, or so many of them, into ranges short enough for one compiled call."""
        return _calls(self.count if count is None else count, self.entries_per_row * vectors)


def squared_norm(vector: Floats) -> float:
    """Return ``v.v`` without BLAS, whose threads cost more than they bring for one vector."""
    vector = np.ascontiguousarray(vector)  # or a column of a matrix is summed in another order
    return float(np.einsum("i,i->", vector, vector))


def _calls(count: int, entries_per_row: float) -> Iterator[tuple[np.uint64, np.uint64]]:
    size = max(1, int(PRODUCTS_PER_CALL / max(entries_per_row, 1.0)))
    for first in range(0, count, size):
        yield np.uint64(first), np.uint64(min(first + size, count))


def _measured(X: Any) -> tuple[Rows, Floats]:
    """Return the rows of a matrix, without a constant, and their squared norms."""
    rows, n = rows_of(X, 0.0), X.shape[0]
    squares, loop = np.empty(n), compile_loop(loops.lengths, type(rows))
    for first, last in _calls(n, X.nnz / n if sparse.issparse(X) else X.shape[1]):
        loop(rows, first, last, squares)
    return rows, squares


def _rescaled(X: Any) -> tuple[Any, float]:
    """Return X times a power of two that brings an extreme magnitude to 1, and that power."""
    values = X.data if sparse.issparse(X) else X
    magnitude = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    _, exponent = np.frexp(magnitude)
    if magnitude == 0.0 or abs(exponent) <= _LARGEST_EXPONENT:
        return X, 1.0
    unit = 2.0 ** -float(np.clip(exponent, -1000, 1000))  # its own inverse is a number too
    return X * unit, unit


def _check_overflow(squares: Floats, unit: float) -> None:
    with np.errstate(over="ignore"):
        overflowing = np.flatnonzero(~np.isfinite(np.sqrt(squares) / unit))
    if overflowing.size:
        raise ValueError(
            f"Row {int(np.argmax(squares))} of X is too long: its norm, with rho, overflows even "
            "after rescaling. Scale the data down."
        )
