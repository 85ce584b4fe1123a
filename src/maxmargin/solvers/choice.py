"""Which solver: the one place where that is decided.

Newton's method keeps a matrix of all products of features; the ascent visits one pattern at a time
and knows no matrix, but needs more visits the less the costs allow the multipliers to stay small.
What either will take, in nanoseconds, is guessed from the number of patterns n, of their entries,
of features d and from ``c = mean(C_k ||y_k||^2)``:

=======  ================================================================
newton   ``rounds d^3 / 3 / 20 + 2 n (entries per pattern)^2 / speed``
ascent   ``20 sqrt(1 + c)`` (at most 1000) sweeps of n times the entries
=======  ================================================================

The speed of products, in numbers a nanosecond, is 15 for dense blocks, which go through BLAS, and 1
for sparse rows.
"""

from __future__ import annotations

import math

from maxmargin.rows import DenseRows
from maxmargin.solvers.objective import HARD, SQUARED_HINGE, Objective

__all__ = ["ASCENT", "NEWTON", "best_method", "matrix_bytes"]

NEWTON, ASCENT = "newton", "ascent"

_ROUNDS = {SQUARED_HINGE: 8.0}
_ROUNDS_WITH_CORNERS = 20.0
_MOST_SWEEPS = 1000.0


def best_method(objective: Objective) -> str:
    """Return the method that is expected to take less time."""
    return min((NEWTON, ASCENT), key=lambda method: _nanoseconds(objective, method))


def matrix_bytes(objective: Objective) -> int:
    """Return the size of the matrix of Newton's method."""
    return 8 * objective.patterns.dimension**2


def _nanoseconds(objective: Objective, method: str) -> float:
    patterns = objective.patterns
    entries = patterns.count * patterns.entries_per_row
    if method == ASCENT:
        curved = math.inf
        if objective.loss != HARD:
            curved = float(objective.costs @ patterns.squares) / patterns.count
        return entries * min(20.0 * math.sqrt(1.0 + curved), _MOST_SWEEPS)
    speed = 15.0 if isinstance(patterns.rows, DenseRows) else 1.0
    rounds = _ROUNDS.get(objective.loss, _ROUNDS_WITH_CORNERS)
    solving = rounds * patterns.dimension**3 / 60.0
    return solving + 2.0 * entries * patterns.entries_per_row / speed
