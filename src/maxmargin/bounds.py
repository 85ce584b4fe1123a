"""The bounds of a certificate, computed from compiled passes over the patterns.

Two passes in float64: the scores of a hyperplane give the lower bounds, the combination of
patterns by multipliers the upper ones. :class:`~maxmargin.certificate.Certificate` verifies
both with other code.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.patterns import ROWS_PER_SUM, Extremes, Patterns, squared_norm
from maxmargin.verification import hulls_meet, rounding_of_sums

__all__ = ["Lower", "Upper", "inseparable", "lower_bounds", "sum_error", "upper_bounds"]

Floats = npt.NDArray[np.float64]
_EPSILON = float(np.finfo(np.float64).eps)


class Lower(NamedTuple):
    """What a hyperplane achieves."""

    margin: float  #: directional
    geometric: float
    errors: int  #: patterns not strictly on their side


class Upper(NamedTuple):
    """What no hyperplane can exceed, by a set of multipliers."""

    margin: float  #: directional
    geometric: float


def lower_bounds(patterns: Patterns, weights: Floats, extremes: Extremes | None = None) -> Lower:
    """Return the margins that a weight vector achieves, less the rounding error of a score.

    Parameters
    ----------
    patterns : Patterns
    weights : ndarray
    extremes : Extremes or None
        The worst scores of these weights, if they are known.
    """
    if extremes is None:
        weights = _near_one(weights)
        extremes = patterns.extremes(weights)
    length, normal = _length(weights), _length(weights[:-1])
    # Twice what is needed, so that sums in another order still find the claim true.
    terms = 2.0 * patterns.dimension + 16.0
    reach = patterns.radius * normal + patterns.rho * abs(float(weights[-1]))
    lowest = extremes.lowest - _EPSILON * terms * reach
    return Lower(
        lowest / length * _down(lowest) if length else np.nan,
        lowest / normal * _down(lowest) if normal else np.nan,
        int(extremes.errors),
    )


def upper_bounds(patterns: Patterns, alpha: Floats, sums: Floats | None = None) -> Upper:
    """Return the distance of the patterns' hull from zero, and of the classes' hulls halved.

    Parameters
    ----------
    patterns : Patterns
    alpha : ndarray
        The multipliers.
    sums : ndarray of shape (2, d + 1) or None
        Of the rows of each class, times these multipliers, if they are known.
    """
    if sums is None:
        alpha = _near_one(alpha)
        sums = patterns.class_sums(alpha)
    positive, (minus, plus) = patterns.labels > 0, sums
    mass_plus, mass_minus = float(alpha[positive].sum()), float(alpha[~positive].sum())
    rounding, up = sum_error(patterns), _down(-1.0)
    margin = geometric = np.inf
    if mass_plus + mass_minus > 0.0:
        distance = _length(plus - minus)
        margin = (distance / (mass_plus + mass_minus) + rounding) * up
    if patterns.rho == 0.0:
        geometric = margin
    elif mass_plus > 0.0 and mass_minus > 0.0:
        distance = _length((plus / mass_plus - minus / mass_minus)[:-1])
        geometric = (distance / 2.0 + rounding) * up
    return Upper(margin, geometric)


def sum_error(patterns: Patterns) -> float:
    """Bound the error of the norm of a sum of patterns, divided by that of their multipliers.

    Both sums, and twice what either can be wrong by.
    """
    terms = patterns.dimension + 2.0 * (ROWS_PER_SUM + patterns.count / ROWS_PER_SUM) + 16.0
    return _EPSILON * terms * patterns.longest


def _near_one(vector: Floats) -> Floats:
    """Return a vector times a power of two, so that its squares neither vanish nor overflow."""
    _, exponent = np.frexp(np.abs(vector).max(initial=0.0))
    return vector if abs(exponent) < 300 else np.ldexp(vector, -exponent)


def _length(vector: Floats) -> float:
    """Return the norm of a vector, even where its squares would vanish or overflow."""
    _, exponent = np.frexp(np.abs(vector).max(initial=0.0))
    if abs(exponent) < 300:
        return math.sqrt(squared_norm(vector))
    return math.ldexp(math.sqrt(squared_norm(np.ldexp(vector, -exponent))), int(exponent))


def _down(value: float) -> float:
    """Return the factor that moves a value by a few roundings towards minus infinity."""
    return 1.0 - 8.0 * _EPSILON if value > 0.0 else 1.0 + 8.0 * _EPSILON


def inseparable(patterns: Patterns, alpha: Floats, upper: Upper) -> bool:
    """Tell whether the multipliers prove that no hyperplane has all patterns on one side.

    Who verifies it has other rounding errors, and allows for them: a claim has to hold for twice
    as many. It is made of the very multipliers that the certificate will have.
    """
    total = float(alpha.sum())
    if not 0.0 < total < math.inf:
        return False
    allowed = 2.0 * rounding_of_sums(patterns.count, patterns.dimension) * patterns.longest
    return hulls_meet(alpha / total, upper.margin + allowed, patterns.dense, caution=4.0)
