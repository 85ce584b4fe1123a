"""The sums over the data from which all bounds follow, and the bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from maxmargin.verification.hulls import hulls_meet
from maxmargin.verification.reading import LabelledRows, rows_in_slice
from maxmargin.verification.rounding import TINY, norm, rounding_of_scores, rounding_of_sums
from maxmargin.verification.soft import SoftMargin, SoftSums

__all__ = ["Recomputed", "VerifiedBounds", "recompute"]

Floats = npt.NDArray[np.float64]

_SIDES = np.array([-1.0, 1.0])
#: What the multipliers of each class have to sum up to, or balanced ones could not be computed.
_LEAST_MASS = 1e-30


@dataclass(frozen=True)
class VerifiedBounds:
    """What :meth:`~maxmargin.Certificate.verify` recomputed from the data."""

    lower: float
    upper: float
    margin: float
    margin_upper: float


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
    apart : ndarray of shape (3,)
        The same of the least ``w.x`` of the positive class less the largest of the negative one.
    longest : float
        Norm of the longest row.
    mass, total, size : ndarrays of shape (2,), (2, d) and (2, d)
        Sums of the multipliers, of the rows times their multipliers, and of the absolute values of
        these, over the negative and the positive class.
    soft : SoftSums or None
        The sums of a soft margin.
    """

    data: LabelledRows
    direction: Floats
    lowest: Floats
    apart: Floats
    longest: float
    mass: Floats
    total: Floats
    size: Floats
    soft: SoftSums | None

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

    def inseparable(self, multipliers: Floats) -> bool:
        """Tell whether the multipliers prove that no hyperplane separates the rows."""

        def patterns(chosen: npt.NDArray[np.intp]) -> Floats:
            return self.data.patterns(chosen, self._constant)

        return hulls_meet(multipliers, self.farthest, patterns)

    def bounds(self, favour: int = 0) -> VerifiedBounds:
        """Return the bounds as computed, or (1) with all rounding errors in favour of a claim."""
        unit, normal = self.data.unit, norm(self.direction[:-1])
        lowest = _claimable(self.lowest, favour)
        upper = self._hull_distance(favour)
        margin_upper = self._half_distance(favour) if self.data.constant else upper
        if self.data.free:
            upper, lower = margin_upper, _claimable(self.apart, favour) / 2.0
            length = normal
        else:
            lower, length = lowest, norm(self.direction)
        if self.soft:
            # The error of the sums is relative: all their terms have one sign.
            lower = self.soft.lower(length, favour) * (1.0 + favour * self._rounding)
            upper = self._soft_upper(self.soft, upper) * (1.0 - favour * self._rounding)
        else:
            lower = float(np.divide(lower, length)) if length else np.nan
        return VerifiedBounds(
            lower=float(np.divide(lower, unit)),
            upper=float(np.divide(upper, unit)),
            margin=float(np.divide(lowest, normal) / unit) if normal else np.nan,
            margin_upper=float(np.divide(margin_upper, unit)),
        )

    def _soft_upper(self, soft: SoftSums, distance: float) -> float:
        shares = np.full(2, self.mass.sum())
        if self.data.free:
            shares = 2.0 * self.mass
        if not shares.min() > _LEAST_MASS:
            return np.inf
        return soft.upper(distance, 1.0 / shares)

    @property
    def _constant(self) -> float:
        """The constant of the patterns; for a free intercept any will do."""
        return (self.longest or 1.0) if self.data.free else self.data.constant

    def _distance(self) -> float:
        minus, plus = self.mass
        return math.hypot(norm(self.total[1] - self.total[0]), self._constant * (plus - minus))

    def _distance_error(self) -> float:
        size = math.hypot(norm(self.size.sum(axis=0)), self._constant * float(self.mass.sum()))
        return self._rounding * (size + self.direction.size * TINY)

    def _hull_distance(self, favour: int) -> float:
        """Return the length of a point of the patterns' hull."""
        mass = float(self.mass.sum())
        if not mass > 0.0:
            return np.inf
        return max(self._distance() - favour * self._distance_error(), 0.0) / mass

    def _half_distance(self, favour: int) -> float:
        """Return half the distance between the classes' means."""
        if not self.mass.min() > 0.0:
            return np.inf
        minus, plus = self.total / self.mass[:, None]
        error = 0.0
        for size, mass in zip(self.size, self.mass, strict=True):
            error += self._rounding * (norm(size) + self.direction.size * TINY) / float(mass)
        return max(norm(plus - minus) - favour * error, 0.0) / 2.0

    @property
    def _rounding(self) -> float:
        count, width = self.data.X.shape
        return rounding_of_sums(count, width, rows_in_slice(self.data.X))


def recompute(
    data: LabelledRows, direction: Floats, multipliers: Floats, soft: SoftMargin | None = None
) -> Recomputed:
    """Sum up what bounds follow from, in one pass over the data.

    Parameters
    ----------
    data : LabelledRows
    direction : ndarray of shape (d + 1,)
        A weight vector with entries of magnitude one at most; of a free intercept, any.
    multipliers : ndarray of shape (n,)
        Non-negative, with sum one.
    soft : SoftMargin or None
        None: a hard margin.
    """
    w, shift = direction[:-1], data.constant * float(direction[-1])
    lowest, of_class, longest = np.full(3, np.inf), np.full((2, 3), np.inf), 0.0
    mass, total, size = np.zeros(2), np.zeros((2, w.size)), np.zeros((2, w.size))
    sums = SoftSums(soft) if soft else None
    for part, rows in data.parts():
        signs, magnitudes = data.signs[part], abs(rows)
        projections, reach = rows @ w, magnitudes @ abs(w)
        scores = signs * (projections + shift)
        rounding = rounding_of_scores(w.size)
        error = rounding * (reach + abs(shift) + TINY)
        lowest = np.minimum(lowest, _enclosed_least(scores, error))
        sides = signs == _SIDES[:, None]
        for i, side in enumerate(sides):
            least = _enclosed_least((signs * projections)[side], rounding * (reach[side] + TINY))
            of_class[i] = np.minimum(of_class[i], least)
        longest = max(longest, math.sqrt((rows * rows).sum(axis=1).max()))
        weights = multipliers[part] * sides
        mass += weights.sum(axis=1)
        total += weights @ rows
        size += weights @ magnitudes
        if sums:
            sums.add(part, scores, error, weights)
    apart = of_class.sum(axis=0)
    return Recomputed(data, direction, lowest, apart, longest, mass, total, size, sums)


def _enclosed_least(values: Floats, error: Floats) -> Floats:
    """Return the smallest value: at least, as computed, and at most."""
    return np.array([each.min(initial=np.inf) for each in (values - error, values, values + error)])


def _claimable(enclosed: Floats, favour: int) -> float:
    """Return a margin as computed, or as much as may be claimed."""
    if favour and not enclosed[0] > 0.0:  # a positive margin is not a matter of rounding
        return min(float(enclosed[2]), 0.0)
    return float(enclosed[1 + favour])
