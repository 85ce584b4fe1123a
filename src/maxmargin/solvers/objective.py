r"""What the flagship minimises, and the proof of how far from the minimum it is.

.. math:: P(w, b) = \tfrac12 \|w\|^2 + \sum_k C_k \max(0, 1 - l_k (w \cdot x_k + b))^p

with p = 2 (squared hinge), p = 1 (hinge), or without any loss allowed (hard margin). Where rho is
a number, ``w_0 = b / rho`` is penalised as a coordinate of w; else the intercept is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.compiled import compile_loop
from maxmargin.patterns import Patterns, squared_norm
from maxmargin.solvers import loops

__all__ = [
    "HARD",
    "HINGE",
    "SQUARED_HINGE",
    "Marked",
    "Objective",
    "Proof",
    "best_shifts",
    "gap_of",
]

Floats = npt.NDArray[np.float64]

_EPSILON = float(np.finfo(np.float64).eps)
SQUARED_HINGE, HINGE, HARD = "squared_hinge", "hinge", "hard"
#: Entries of the data of a small problem.
_SMALL = 2**16
#: Stiffness, in units of the costs, of a corner that was rounded off for Newton's method.
_ALMOST_A_KINK = 1e11


class Marked(NamedTuple):
    """Weights with the margins of all patterns, and what these may be wrong by."""

    weights: Floats
    margins: Floats
    error: float


class Proof(NamedTuple):
    """A lower bound of the minimum, and the factors of each class's multipliers that give it."""

    value: float
    minus: float
    plus: float


@dataclass(frozen=True)
class Objective:
    """The problem, over patterns of positive cost.

    Attributes
    ----------
    patterns : Patterns
        With the constant as their last coordinate, whether it is penalised or not.
    loss : {"squared_hinge", "hinge", "hard"}
    costs : ndarray of shape (n,)
        C_k in units of the patterns; ones for a hard margin.
    free : bool
        Whether the last coordinate is not penalised.
    """

    patterns: Patterns
    loss: str
    costs: Floats
    free: bool

    @cached_property
    def ridge(self) -> Floats:
        """1 for each coordinate that is penalised, 0 for the one that is not."""
        ridge = np.ones(self.patterns.dimension)
        ridge[-1] = 0.0 if self.free else 1.0
        return ridge

    @property
    def small(self) -> bool:
        """Whether a pass over the data takes next to no time."""
        return self.patterns.count * self.patterns.entries_per_row <= _SMALL

    @cached_property
    def caps(self) -> Floats:
        """Largest multiplier of each pattern."""
        return self.costs if self.loss == HINGE else np.full(self.costs.size, np.inf)

    @cached_property
    def slack(self) -> Floats:
        """``delta_k^2 = 1 / (2 C_k)`` of the extended patterns; 0 without a squared loss."""
        soft = self.loss == SQUARED_HINGE
        return 0.5 / self.costs if soft else np.zeros(self.costs.size)

    @cached_property
    def mean_cost(self) -> float:
        """Mean of all C_k."""
        return float(self.costs.mean())

    @cached_property
    def shares(self) -> Floats:
        """C_k in proportion to their mean."""
        return self.costs / self.mean_cost

    @property
    def rounding(self) -> float:
        """Relative error of sums of numbers that are not negative."""
        return _EPSILON * (self.costs.size + self.patterns.dimension + 16.0)

    def square(self, vector: Floats) -> float:
        """Return the squared norm of the penalised coordinates."""
        return squared_norm(vector[:-1] if self.free else vector)

    def value(self, marked: Marked) -> float:
        """Return P of weights, rounded up by what their margins may be wrong by.

        For a hard margin that is P of the multiple of the weights whose smallest margin is 1.
        """
        weights, margins, error = marked
        half = 0.5 * self.square(weights) * (1.0 + self.rounding)
        if self.loss == HARD:
            lowest = float(margins.min()) - error
            return half / lowest**2 if lowest > 0.0 else math.inf
        total = compile_loop(loops.losses)
        squared = self.loss == SQUARED_HINGE
        loss = float(total(margins, self.costs, error, squared))
        return half + loss * (1.0 + self.rounding)

    def proof(self, alpha: Floats, sums: Floats, error: float = 0.0) -> Proof:
        """Return the bound that multipliers prove.

        Parameters
        ----------
        alpha : ndarray of shape (n,)
            Multipliers.
        sums : ndarray of shape (2, d + 1)
            Those of each class's rows times their multipliers.
        error : float
            What the rounding errors of the sums may amount to, per multiplier.
        """
        books = self.patterns.labels, alpha, self.slack, self.caps
        masses, curved, boxes = compile_loop(loops.dual_sums)(*books).T
        if not masses.any() or (self.free and not masses.all()):
            return Proof(0.0, 1.0, 1.0)
        # Where the classes must have equal sums, the larger one is scaled down.
        factors = masses.min() / masses if self.free else np.ones(2)
        mass = float(factors @ masses)
        length = math.sqrt(self.square(factors[1] * sums[1] - factors[0] * sums[0]))
        square = (length + error * mass) ** 2 + float(factors**2 @ curved)
        if not square < math.inf:
            return Proof(0.0, 1.0, 1.0)
        scale = min(mass / square if square > 0.0 else math.inf, float((boxes / factors).min()))
        if scale == math.inf:
            return Proof(math.inf, *factors.tolist())
        value = scale * mass - 0.5 * scale * scale * square
        return Proof(value * (1.0 - 3.0 * self.rounding), *(scale * factors).tolist())

    @cached_property
    def _score_terms(self) -> float:
        # Twice what is needed, so that sums in another order still find a claim true.
        return 2.0 * self.patterns.most_entries + 16.0

    def score_error(self, weights: Floats) -> float:
        """Bound the rounding error of a score of these weights."""
        reach = self.patterns.radius * math.sqrt(squared_norm(weights[:-1]))
        return _EPSILON * self._score_terms * (reach + self.patterns.rho * abs(float(weights[-1])))

    def centred(self, marked: Marked) -> Marked:
        """Return weights with the free intercept, and at the length, of least value.

        One after the other: what remains is a matter of the direction.
        """
        weights, margins, error = marked
        if self.free:
            signs: Floats = self.patterns.labels * np.float64(self.patterns.rho)
            move = self._intercept_move(margins, signs)
            weights = weights.copy()
            weights[-1] += move
            margins = margins + move * signs
        square = self.square(weights)
        if self.loss != HARD and square > 0.0:
            factor = self._search(np.zeros_like(margins), margins, square)
            weights, margins, error = weights * factor, margins * factor, error * abs(factor)
        return Marked(weights, margins, error + self.score_error(weights))

    def _intercept_move(self, margins: Floats, signs: Floats) -> float:
        """Return by how much the last weight should change."""
        plus = signs > 0.0
        if self.loss == HARD:
            return float(margins[~plus].min() - margins[plus].min()) / (2.0 * self.patterns.rho)
        if self.loss == HINGE:
            low, high = best_shifts(margins, plus, self.costs)
            return 0.5 * (low + high) / self.patterns.rho
        return self._search(margins, signs, 0.0)

    def _search(self, margins: Floats, moves: Floats, curvature: float) -> float:
        """Return the step along ``moves`` of the smallest value; for the hinge, about."""
        stiffness = self.mean_cost * (2.0 if self.loss == SQUARED_HINGE else _ALMOST_A_KINK)
        books = np.ones_like(margins), self.shares, stiffness, self.caps
        return float(
            compile_loop(loops.line_search)(margins, moves, *books, 0.0, curvature, -math.inf)
        )


def best_shifts(margins: Floats, plus: npt.NDArray[np.bool_], costs: Floats) -> tuple[float, float]:
    """Return the ends of the interval of intercepts, to be added, at which the hinge is smallest.

    A pattern of the positive class loses with slope -C_k below ``1 - m_k``, one of the negative
    class with slope C_k above ``m_k - 1``; so the slope of the sum changes by C_k at each.
    """
    corners = np.where(plus, 1.0 - margins, margins - 1.0)
    order = np.argsort(corners)
    corners = corners[order]
    slopes = np.cumsum(costs[order]) - costs[plus].sum()
    flat = 1e-12 * costs.sum()
    first = int(np.argmax(slopes >= -flat))
    last = int(np.argmax(slopes > flat)) if slopes[-1] > flat else first
    return float(corners[first]), float(corners[last])


def gap_of(primal: float, dual: float) -> float:
    """Return ``1 - lower / upper`` of the margins ``1 / sqrt(2 P)`` and ``1 / sqrt(2 D)``."""
    return 1.0 - math.sqrt(max(dual, 0.0) / primal) if 0.0 < primal < math.inf else 1.0
