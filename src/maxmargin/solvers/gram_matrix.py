"""The second derivative as a matrix that follows who is active."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import linalg

from maxmargin.rows import DenseRows
from maxmargin.solvers.objective import Objective
from maxmargin.solvers.passes import Passes

__all__ = ["GramMatrix"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

#: Smallest curvature of the constant, relative to what it would be with all patterns active: a
#: free intercept that nobody is active for has none.
_LEAST_CURVATURE = 1e-10
#: Added to a diagonal of ones, and more if need be: columns may be multiples of each other.
_JITTER = 1e-14
#: Norms of which squares, and sums of them, are numbers in single precision.
_LOW, _HIGH = 1e-10, 1e10


class GramMatrix:
    """``sum_active share x x'``, kept up to date by the patterns whose status changed.

    Of dense rows it is summed up from products in single precision at first: a direction need not
    be exact, as the gradient is. :meth:`refine` makes it anew in double precision.

    Over a whole run about two n patterns change, whatever the number of steps.
    """

    def __init__(self, objective: Objective, passes: Passes) -> None:
        self.objective, self.passes = objective, passes
        size = objective.patterns.dimension
        # An intercept that is free takes up any shift of dense rows, whose products would else be
        # those of what all rows have in common.
        self.shift = passes.middle() if objective.free else np.zeros(size - 1)
        self.matrix = np.zeros((size, size))
        dense = isinstance(objective.patterns.rows, DenseRows)
        self.single = dense and _LOW < objective.patterns.longest < _HIGH
        self._active: Mask = np.zeros(objective.costs.size, bool)

    def follow(self, active: Mask) -> None:
        """Add who has become active, and take away who no longer is."""
        changed = np.flatnonzero(active != self._active).astype(np.uint32)
        if not changed.size and self.single:  # nothing new, and yet not enough
            self.refine()
            return
        if changed.size and active.all():
            factors = self.objective.shares
            self.matrix = self.passes.products_of_all(factors, self._dtype, self.shift).copy()
            changed = changed[:0]
        if changed.size > np.count_nonzero(active):  # anew, also without the old rounding errors
            self.matrix[:] = 0.0
            changed = np.flatnonzero(active).astype(np.uint32)
        if changed.size:
            signs = np.where(active[changed], 1.0, -1.0)
            factors = signs * self.objective.shares[changed]
            self.matrix += self.passes.outer_products(changed, factors, self._dtype, self.shift)
        self._active = active.copy()

    @property
    def _dtype(self) -> type[np.floating[Any]]:
        return np.float32 if self.single else np.float64

    def refine(self) -> None:
        """Make the matrix anew in double precision, and go on in it."""
        self.single = False
        chosen = np.flatnonzero(self._active).astype(np.uint32)
        factors = self.objective.shares[chosen]
        self.matrix = self.passes.outer_products(chosen, factors, shift=self.shift)

    def solve(self, stiffness: float, right: Floats) -> Floats:
        """Return v with ``(ridge + stiffness sum_active share x x') v = right``."""
        ridge = self.objective.ridge.copy()
        if self.objective.free:
            constant = float(self.objective.shares.sum()) * self.objective.patterns.rho**2
            ridge[-1] = _LEAST_CURVATURE * stiffness * constant
        # Features come on all scales: in units in which the diagonal is 1.
        units = 1.0 / np.sqrt(np.maximum(stiffness * self.matrix.diagonal(), 0.0) + ridge)
        jitter = _JITTER
        while True:
            scaled = self.matrix * (stiffness * units)
            scaled *= units[:, None]
            np.fill_diagonal(scaled, 1.0 + jitter)
            try:  # on the transpose, which LAPACK need not copy
                factor = linalg.cho_factor(
                    scaled.T, lower=True, overwrite_a=True, check_finite=False
                )
            except linalg.LinAlgError:
                if self.single:
                    self.refine()
                    return self.solve(stiffness, right)
                jitter *= 100.0
                continue
            shift = self.shift / (self.objective.patterns.rho or 1.0)
            shifted = np.append(right[:-1] - shift * right[-1], right[-1])
            solution = units * linalg.cho_solve(factor, units * shifted, check_finite=False)
            solution[-1] -= float(np.einsum("i,i->", shift, solution[:-1]))
            return solution
