r"""The objectives of soft margins, from sums over the data.

A pattern short of its place costs :math:`C_k \xi_k^p`, with the slack
:math:`\xi_k = \max(0, 1 - y_k \cdot a)`, p = 2 for the squared hinge and 1 for the hinge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from maxmargin.verification.reading import Part

__all__ = ["SoftMargin", "SoftSums"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SoftMargin:
    """What a soft margin is made of besides the data, in their units.

    Attributes
    ----------
    power : int
        2 for the squared hinge, 1 for the hinge.
    costs : ndarray of shape (n,)
        The factors C of the losses. Where a row counts, they are so near to 1 that no product of
        two of them overflows or vanishes.
    exponent : int
        Times 2 to the power of it, the direction becomes the hyperplane as it is, with its length.
    """

    power: int
    costs: Floats
    exponent: int


@dataclass
class SoftSums:
    """The sums from which objectives follow.

    Attributes
    ----------
    soft : SoftMargin
    losses : ndarray of shape (2,)
        ``sum C xi^p``: as computed, and at least, by the rounding error of each score.
    penalties : ndarray of shape (2,)
        ``sum alpha^2 / (2 C)`` over the negative and the positive class, for the squared hinge.
    boxes : ndarray of shape (2,)
        The least ``C / alpha`` in each class, for the hinge.
    """

    soft: SoftMargin
    losses: Floats = field(default_factory=lambda: np.zeros(2))
    penalties: Floats = field(default_factory=lambda: np.zeros(2))
    boxes: Floats = field(default_factory=lambda: np.full(2, np.inf))

    def add(self, part: Part, scores: Floats, error: Floats, weights: Floats) -> None:
        """Add the patterns of a slice.

        Parameters
        ----------
        part : slice or array of int
        scores, error : ndarrays of shape (m,)
            ``y_k`` times the direction, and how wrong that can be.
        weights : ndarray of shape (2, m)
            Multipliers of the negative and of the positive class.
        """
        costs = self.soft.costs[part]
        for i, favoured in enumerate((scores, scores + error)):
            slacks = np.maximum(1.0 - np.ldexp(favoured, self.soft.exponent), 0.0)
            self.losses[i] += costs @ slacks**self.soft.power
        self.penalties += (weights * (weights / (2.0 * costs))).sum(axis=1)
        room = np.divide(costs, weights, out=np.full_like(weights, np.inf), where=weights > 0.0)
        self.boxes = np.minimum(self.boxes, room.min(axis=1))

    def lower(self, length: float, favour: int) -> float:
        """Return ``1 / sqrt(2 P)`` for a direction of that length."""
        length = float(np.ldexp(length, self.soft.exponent))
        # Of a hyperplane so long that its square overflows the bound is zero: less than the truth.
        return 1.0 / math.sqrt(float(np.square(length)) + 2.0 * float(self.losses[favour]))

    def upper(self, distance: float, shares: Floats) -> float:
        """Return ``1 / sqrt(2 D)`` for multipliers of the sum 1 and the best length for them.

        Parameters
        ----------
        distance : float
            Norm of the combination of the patterns by these multipliers.
        shares : ndarray of shape (2,)
            By what the multipliers of each class are multiplied to have the sum 1 together.
        """
        if self.soft.power == 2:
            return math.hypot(distance, math.sqrt(float((shares * shares * self.penalties).sum())))
        box, square = float((self.boxes / shares).min()), distance * distance
        if square * box >= 1.0:
            return distance
        return 1.0 / math.sqrt(box * (2.0 - box * square))
