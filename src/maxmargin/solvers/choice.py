"""Which solver: the one place where that is decided.

Newton's method keeps a matrix of all products of features; the ascent visits one pattern at a time
and knows no matrix, but has to come again the more often, the longer the costs let multipliers grow
and the more patterns share a feature. What either will take, in nanoseconds, is guessed from the
number of patterns n, of entries e in each, of features d, and from ``c = mean(C_k ||y_k||^2)``:

=======  ===================================================================================
newton   ``rounds (d^3 / 60 + 1.4 n e) + 2 n e^2 / speed``
ascent   ``6 (1 + c)^0.35 + c sqrt(n / d) / 2`` sweeps (at most 1000), of ``1.3 n e`` each
=======  ===================================================================================

A hard margin counts as 1000 sweeps; on small data, of at most 2^16 entries, sweeps count 20 times,
since Newton's method finds the last digit in passing. There are 8 rounds, or 20 for a loss with
corners. The speed of products is 50 numbers a nanosecond for dense rows, which go through BLAS, and
3 for sparse ones. Measured on the data sets of ``benchmarks/solvers.py``.
"""

from __future__ import annotations

import math

from maxmargin.rows import DenseRows
from maxmargin.solvers.objective import HARD, SQUARED_HINGE, Objective

__all__ = ["ASCENT", "NEWTON", "best_method", "has_room", "matrix_bytes", "worth_a_sweep"]

NEWTON, ASCENT = "newton", "ascent"

_MOST_SWEEPS = 1000.0
#: Bytes of a matrix of all pairs of features.
_LARGEST_MATRIX = 2**31
#: Of small problems Newton's method finds the last digit in passing: worth as many sweeps more.
_TO_THE_LAST_DIGIT = 20.0


def best_method(objective: Objective) -> str:
    """Return the method that is expected to take less time."""
    return min((NEWTON, ASCENT), key=lambda method: _nanoseconds(objective, method))


def has_room(objective: Objective) -> bool:
    """Tell whether Newton's method may have the four or five matrices that it needs."""
    return matrix_bytes(objective) <= _LARGEST_MATRIX


def worth_a_sweep(objective: Objective) -> bool:
    """Tell whether one sweep of the ascent spares Newton's method more than it takes.

    Fewer patterns are active then, whose products cost much where BLAS cannot compute them.
    """
    dense = isinstance(objective.patterns.rows, DenseRows)
    return objective.loss == SQUARED_HINGE and not dense and not objective.small


def matrix_bytes(objective: Objective) -> int:
    """Return the size of a matrix of Newton's method."""
    return 8 * objective.patterns.dimension**2


def _nanoseconds(objective: Objective, method: str) -> float:
    patterns, width = objective.patterns, objective.patterns.dimension
    entries = patterns.count * patterns.entries_per_row
    if method == ASCENT:
        return 1.3 * entries * _sweeps(objective)
    if not has_room(objective):
        return math.inf
    speed = 50.0 if isinstance(patterns.rows, DenseRows) else 3.0
    rounds = 8.0 if objective.loss == SQUARED_HINGE else 20.0
    each = width**3 / 60.0 + 1.4 * entries
    return rounds * each + 2.0 * entries * patterns.entries_per_row / speed


def _sweeps(objective: Objective) -> float:
    patterns = objective.patterns
    if objective.loss == HARD:
        return _MOST_SWEEPS
    curved = float(objective.costs @ patterns.squares) / patterns.count
    shared = 0.5 * curved * math.sqrt(patterns.count / patterns.dimension)
    sweeps = 6.0 * (1.0 + curved) ** 0.35 + shared
    return min(sweeps * (_TO_THE_LAST_DIGIT if objective.small else 1.0), _MOST_SWEEPS)
