"""How large the rounding errors of sums can be, whatever their order."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from maxmargin.verification.reading import MOST_ROWS_AT_ONCE, rows_at_once

__all__ = ["EPSILON", "TINY", "norm", "rounding_of_scores", "rounding_of_sums"]

EPSILON = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).smallest_normal)


def rounding_of_scores(width: int) -> float:
    """Bound the error of a score ``w.x + b``, relative to ``|w|.|x| + |b|``.

    That of the products and their sum, of the division of the intercept by rho, and of the norm
    of w, by which the score will be divided.

    Parameters
    ----------
    width : int
        Number of features.
    """
    return EPSILON * (width + 8.0)


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
        fewest = rows_at_once(width, width)
        return max(rounding_of_sums(count, width, each) for each in (fewest, MOST_ROWS_AT_ONCE))
    chain = min(count, at_once) + count / at_once + 1.0
    return EPSILON * (2.0 * chain + width + 16.0)


def norm(vector: npt.NDArray[np.float64]) -> float:
    """Return the norm of a vector, of which no square vanishes or overflows."""
    exponent = int(np.frexp(np.abs(vector).max(initial=0.0))[1])
    return math.ldexp(float(np.linalg.norm(np.ldexp(vector, -exponent))), exponent)
