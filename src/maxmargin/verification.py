"""What a certificate claims, recomputed from the data in plain NumPy, with bounds of its rounding.

No hyperplane and no multipliers are found here. Whoever has found some asks :func:`hulls_meet` and
:func:`rounding_of_sums` what will be accepted.

Rounding errors are those of any order of summation: BLAS chooses its own. Where a product may
vanish, ``_TINY`` is added to what its error is proportional to, as ``_EPSILON * _TINY`` is the
smallest number there is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = [
    "LabelledRows",
    "Recomputed",
    "VerifiedBounds",
    "hulls_meet",
    "largest_entry",
    "recompute",
    "rounding_of_sums",
]

Floats = npt.NDArray[np.float64]

_EPSILON = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).smallest_normal)
#: Rows are read in slices of so many, or fewer that a cache has room for.
_ROWS_AT_ONCE, _ENTRIES_AT_ONCE = 8192, 2**17
#: Inseparability is proven by an eigenvalue problem of the number of features, up to this.
_WIDEST_PROOF = 500
_SIDES = np.array([-1.0, 1.0])


@dataclass(frozen=True)
class VerifiedBounds:
    """What :meth:`~maxmargin.Certificate.verify` recomputed from the data."""

    lower: float
    upper: float
    margin: float
    margin_upper: float


@dataclass(frozen=True)
class LabelledRows:
    """Data, to be read a slice at a time and in units in which nothing overflows.

    Attributes
    ----------
    X : ndarray or CSR array
        Neither written to nor copied as a whole.
    signs : ndarray of shape (n,)
        -1 or +1 for each row.
    unit : float
        Power of two by which the rows are multiplied.
    constant : float
        What is appended to the rows, in the same units; 0 without an intercept.
    """

    X: Any
    signs: Floats
    unit: float
    constant: float

    def patterns(self, chosen: npt.NDArray[np.intp]) -> Floats:
        """Return chosen patterns as the rows of a matrix, with the constant if there is one."""
        rows = _rows(self.X, chosen) * self.unit
        rows = rows.toarray() if sparse.issparse(rows) else rows
        if self.constant:
            rows = np.column_stack([rows, np.full(chosen.size, self.constant)])
        return self.signs[chosen, None] * rows


@dataclass(frozen=True)
class Recomputed:
    """The sums over the data from which all bounds follow.

    Attributes
    ----------
    data : LabelledRows
    direction : ndarray of shape (d + 1,)
        The hyperplane, as a weight vector.
    lowest : ndarray of shape (3,)
        Its smallest score: at least, as computed, and at most, by the rounding error of each.
    longest : float
        Norm of the longest row.
    mass, total, size : ndarrays of shape (2,), (2, d) and (2, d)
        Sums of the multipliers, of the rows times their multipliers, and of the absolute values of
        these, over the negative and the positive class.
    """

    data: LabelledRows
    direction: Floats
    lowest: Floats
    longest: float
    mass: Floats
    total: Floats
    size: Floats

    @property
    def radius(self) -> float:
        """Norm of the longest row, in the units of the data."""
        return self.longest / self.data.unit

    @property
    def separated(self) -> bool:
        """Whether every row is on its side, whatever the rounding errors."""
        return bool(self.lowest[0] > 0.0)

    @property
    def farthest(self) -> float:
        """What the combination of the patterns by the multipliers is at most long."""
        return self._distance() + self._distance_error()

    def bounds(self, favour: int = 0) -> VerifiedBounds:
        """Return the bounds as computed, or (1) with all rounding errors in favour of a claim."""
        length, normal = _norm(self.direction), _norm(self.direction[:-1])
        lowest = float(self.lowest[1 + favour])
        if favour and not self.separated:  # a positive margin is not a matter of rounding
            lowest = min(lowest, 0.0)
        mass, unit = float(self.mass.sum()), self.data.unit
        upper = np.inf
        if mass > 0.0:
            upper = max(self._distance() - favour * self._distance_error(), 0.0) / mass
        margin_upper = self._half_distance(favour) if self.data.constant else upper
        return VerifiedBounds(
            lower=float(np.divide(lowest / length, unit)) if length else np.nan,
            upper=float(np.divide(upper, unit)),
            margin=float(np.divide(lowest, normal) / unit) if normal else np.nan,
            margin_upper=float(np.divide(margin_upper, unit)),
        )

    def _distance(self) -> float:
        minus, plus = self.mass
        return math.hypot(_norm(self.total[1] - self.total[0]), self.data.constant * (plus - minus))

    def _distance_error(self) -> float:
        size = math.hypot(_norm(self.size.sum(axis=0)), self.data.constant * float(self.mass.sum()))
        return self._rounding * (size + self.direction.size * _TINY)

    def _half_distance(self, favour: int) -> float:
        """Return half the distance between the classes' means."""
        if not self.mass.min() > 0.0:
            return np.inf
        minus, plus = self.total / self.mass[:, None]
        error = 0.0
        for size, mass in zip(self.size, self.mass, strict=True):
            error += self._rounding * (_norm(size) + self.direction.size * _TINY) / float(mass)
        return max(_norm(plus - minus) - favour * error, 0.0) / 2.0

    @property
    def _rounding(self) -> float:
        count, width = self.data.X.shape
        return rounding_of_sums(count, width, _rows_in_slice(self.data.X))


def rounding_of_sums(count: int, width: int, at_once: int | None = None) -> float:
    """Bound the error of the norm of a sum over rows, divided by the sum of their multipliers.

    It is relative to the norm of the sum of absolute values.

    Parameters
    ----------
    count, width : int
        Rows and features.
    at_once : int or None
        Rows that are summed up before their sum is added to the others; None: as many as rows of
        any number of entries would be.
    """
    if at_once is None:
        fewest = _rows_at_once(width, width)
        return max(rounding_of_sums(count, width, each) for each in (fewest, _ROWS_AT_ONCE))
    chain = min(count, at_once) + count / at_once + 1.0
    return _EPSILON * (2.0 * chain + width + 16.0)


def largest_entry(X: Any) -> float:
    """Return the largest magnitude in a matrix; NaN if it has such an entry."""
    largest = 0.0
    for part in _slices(X.shape[0], _rows_in_slice(X)):
        rows = _rows(X, part)
        entries = rows.data if sparse.issparse(rows) else rows
        largest = float(np.maximum(largest, np.abs(entries).max(initial=0.0)))
    return largest


def recompute(data: LabelledRows, direction: Floats, multipliers: Floats) -> Recomputed:
    """Sum up what bounds follow from, in one pass over the data.

    Parameters
    ----------
    data : LabelledRows
    direction : ndarray of shape (d + 1,)
        A weight vector with entries of magnitude one at most.
    multipliers : ndarray of shape (n,)
        Non-negative, with sum one.
    """
    w, shift = direction[:-1], data.constant * float(direction[-1])
    lowest, longest = np.full(3, np.inf), 0.0
    mass, total, size = np.zeros(2), np.zeros((2, w.size)), np.zeros((2, w.size))
    for part in _slices(data.signs.size, _rows_in_slice(data.X)):
        rows, signs = _rows(data.X, part) * data.unit, data.signs[part]
        magnitudes = abs(rows)
        scores = signs * (rows @ w + shift)
        # Of the products and their sum, of the division of the intercept and of the norm of w.
        error = _EPSILON * (w.size + 8.0) * (magnitudes @ abs(w) + abs(shift) + _TINY)
        worst = (scores - error).min(), scores.min(), (scores + error).min()
        lowest = np.minimum(lowest, worst)
        longest = max(longest, math.sqrt((rows * rows).sum(axis=1).max()))
        weights = multipliers[part] * (signs == _SIDES[:, None])
        mass += weights.sum(axis=1)
        total += weights @ rows
        size += weights @ magnitudes
    return Recomputed(data, direction, lowest, longest, mass, total, size)


def hulls_meet(
    multipliers: Floats,
    distance: float,
    patterns: Callable[[npt.NDArray[np.intp]], Floats],
    caution: float = 1.0,
) -> bool:
    r"""Prove that no hyperplane has all patterns strictly on its positive side.

    A combination :math:`z = \sum_k \lambda_k y_k` that is almost zero proves nothing yet. But if
    some of its patterns Y span all coordinates, their multipliers can be corrected by at most
    :math:`\|z\| / \sigma_{min}(Y)` to make it exactly zero; when that is less than the smallest
    of them, all stay positive.

    Parameters
    ----------
    multipliers : ndarray of shape (n,)
        If they are not all finite and non-negative, nothing is proven.
    distance : float
        Norm of their combination, rounded up.
    patterns : callable
        Returns the patterns of given numbers, dense.
    caution : float
        Multiplies the rounding errors of the eigenvalues. More than 1 where others, whose errors
        differ, will have to come to the same conclusion.
    """
    if not (
        np.isfinite(multipliers).all() and (multipliers >= 0.0).all() and 0 <= distance < np.inf
    ):
        return False
    support = np.flatnonzero(multipliers)
    if not support.size:
        return False
    width = patterns(support[:1]).shape[1]
    if not width <= support.size or width > _WIDEST_PROOF:
        return False
    # The larger multipliers alone may do: fewer patterns, but a larger smallest multiplier.
    support = support[np.argsort(-multipliers[support], kind="stable")]
    gram, done = np.zeros((width, width)), 0
    for count in sorted({min(width * 2**k, support.size) for k in range(0, 8, 2)}):
        for part in _slices(count, _ROWS_AT_ONCE, done):
            Y = patterns(support[part])
            gram += Y.T @ Y
        done = count
        rounding = _EPSILON * (count + 4.0 * width) * (np.trace(gram) + width * _TINY)
        smallest = np.linalg.eigvalsh(gram)[0] - caution * rounding
        if smallest > 0.0 and distance < np.sqrt(smallest) * multipliers[support[count - 1]]:
            return True
    return False


def _rows(X: Any, chosen: slice | npt.NDArray[np.intp]) -> Any:
    """Return rows in float64, as a copy; entries stored twice are summed up as in a fit."""
    rows = X[chosen].copy()  # all rows of a matrix would be the matrix itself
    if sparse.issparse(rows):
        rows.sum_duplicates()
    return rows.astype(np.float64, copy=False)


def _rows_in_slice(X: Any) -> int:
    count, width = X.shape
    return _rows_at_once(X.nnz / count if sparse.issparse(X) else width, width)


def _rows_at_once(entries: float, width: int) -> int:
    """Return for how many rows there is room; sums of all features are made for each slice."""
    room = max(_ENTRIES_AT_ONCE, 4 * width)
    return int(np.clip(room / max(entries, 1.0), 1, _ROWS_AT_ONCE))


def _slices(last: int, size: int, first: int = 0) -> Iterator[slice]:
    for start in range(first, last, size):
        yield slice(start, min(start + size, last))


def _norm(vector: Floats) -> float:
    """Return the norm of a vector, of which no square vanishes or overflows."""
    exponent = int(np.frexp(np.abs(vector).max(initial=0.0))[1])
    return math.ldexp(float(np.linalg.norm(np.ldexp(vector, -exponent))), exponent)
