r"""Relaxation with unlearning: each pattern's multiplier in turn is brought to its best value.

.. math:: \alpha_k \leftarrow \Bigl[\alpha_k + \eta\,
          \frac{t_k - y_k \cdot z - \delta_k^2 \alpha_k}{\|y_k\|^2 + \delta_k^2}\Bigr]_0^{u_k},
          \qquad z = \sum_k \alpha_k y_k

is S4's single-sample relaxation (Algorithm 9, with its factor :math:`\eta < 2`) on the extended
patterns, which may also take back what it gave: ascent of the dual, one coordinate at a time.

- Patterns at an end of their range, with slopes that leave no doubt, are left out for a while.
- Two patterns that are almost alike and have opposite labels push each other up in ever so many
  small steps. Every few sweeps those that moved most are therefore settled among themselves, with
  the matrix of their products.
- A free intercept is the multiplier of the constraint ``sum alpha_k l_k = 0``. In the patterns the
  constant penalises what is missing, and after each sweep the intercept takes up what the last
  weight has grown to (method of multipliers).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin import loops as engine_loops
from maxmargin.compiled import compile_loop
from maxmargin.solvers import loops
from maxmargin.solvers.objective import HARD, Objective
from maxmargin.solvers.passes import Passes
from maxmargin.solvers.progress import Iterate, Progress

__all__ = ["Ascent"]

Floats = npt.NDArray[np.float64]

#: eta. Beyond 1: neighbours in the same direction are overtaken in fewer sweeps.
_RELAXATION = 1.5
#: Sweeps between settlings, and how many patterns settle.
_SETTLE_EVERY, _SETTLERS = 4, 128
_SETTLING_SWEEPS = 500
#: The estimated difference is of weights a sweep old, and so may promise less than there is.
_OPTIMISM = 2.0
#: Without a promise, progress is judged after so many times the sweeps of the time before.
_GROWTH = 1.5


class Ascent:
    """The state of a run.

    Parameters
    ----------
    objective : Objective
    passes : Passes
    start : Iterate
        Its multipliers and, for a free intercept, its last weight are gone on from.
    random : Generator
        Source of the orders.
    """

    def __init__(
        self, objective: Objective, passes: Passes, start: Iterate, random: np.random.Generator
    ) -> None:
        self.objective, self.passes, self.random = objective, passes, random
        patterns = objective.patterns
        self.alpha = start.alpha.copy()
        #: The intercept so far, in the units of the last weight.
        self.offset = float(start.weights[-1]) if objective.free else 0.0
        self.weights = self._combination()
        self.order = np.arange(patterns.count, dtype=np.uint32)
        self.size = patterns.count
        self.limits = np.array([-np.inf, np.inf])
        self.difference = np.inf
        self._settled = self.alpha.copy()
        self._ascend = compile_loop(loops.ascend, type(patterns.rows))
        self._shuffle = compile_loop(engine_loops.shuffle)

    def run(self, progress: Progress) -> None:
        """Sweep until the progress is enough."""
        sweeps, due = 0, 1.0
        over = False
        while not over:
            progress.begin()
            self._sweep()
            sweeps += 1
            if sweeps % _SETTLE_EVERY == 0:
                self._settle()
            promising = self.difference <= _OPTIMISM * progress.allowed(self._dual())
            last = sweeps >= progress.max_iter
            if promising or last or sweeps >= due or self.size == 0:
                due = _GROWTH * sweeps
                progress.offer(self._iterate())
                self.size = self.objective.patterns.count  # whoever was left out is looked at again
            over = progress.count()
            if self.objective.free:
                self.offset += float(self.weights[-1])

    def _sweep(self) -> None:
        objective, patterns = self.objective, self.objective.patterns
        self._shuffle(self.order[: self.size], np.uint64(self.random.integers(2**31)))
        self.passes.rows_read += self.size
        books = objective.slack, objective.caps, _RELAXATION, self.limits
        self.size, lowest, highest, self.difference = self._ascend(
            patterns.rows,
            patterns.labels,
            patterns.squares,
            self.order,
            np.uint64(self.size),
            self._targets(),
            *books,
            self.weights,
            self.alpha,
        )
        if objective.loss == HARD:  # as far as the margins of a sweep tell
            square = objective.square(self.weights)
            self.difference = np.inf
            if lowest > -1.0:
                self.difference = 0.5 * square / (1.0 + lowest) ** 2 - self._dual()
        self.limits[:] = lowest or -np.inf, highest or np.inf

    def _targets(self) -> Floats:
        patterns = self.objective.patterns
        return 1.0 - np.float64(patterns.rho * self.offset) * patterns.labels

    def _combination(self) -> Floats:
        sums = self.passes.class_sums(self.alpha)
        return np.subtract(sums[1], sums[0])

    def _dual(self) -> float:
        """Return the dual, as far as the classes are balanced."""
        square = self.objective.square(self.weights)
        square += float(np.einsum("i,i,i->", self.objective.slack, self.alpha, self.alpha))
        return float(self.alpha.sum()) - 0.5 * square

    def _settle(self) -> None:
        """Solve for the patterns that moved most since the last time, all others resting."""
        objective, patterns = self.objective, self.objective.patterns
        moved = np.abs(self.alpha - self._settled)
        count = min(_SETTLERS, int(np.count_nonzero(moved)))
        chosen = np.argpartition(-moved, count - 1)[:count] if count else np.empty(0, np.intp)
        self._settled = self.alpha.copy()
        if not count:
            return
        matrix = np.empty((count, count))
        loop = compile_loop(loops.products, type(patterns.rows))
        loop(patterns.rows, patterns.labels, chosen, np.zeros(patterns.dimension), matrix)
        alpha, slack = self.alpha[chosen], objective.slack[chosen]
        matrix[np.diag_indices(count)] += slack
        scores = compile_loop(loops.scores_of, type(patterns.rows))(
            patterns.rows, patterns.labels, chosen, self.weights
        )
        slopes = scores + slack * alpha - self._targets()[chosen]
        before = alpha.copy()
        accuracy = 1e-3 * float(np.abs(self.limits[np.isfinite(self.limits)]).max(initial=0.0))
        settle = compile_loop(loops.settle)
        settle(matrix, slopes, objective.caps[chosen], _SETTLING_SWEEPS, accuracy, alpha)
        self.alpha[chosen] = alpha
        steps = (alpha - before) * patterns.labels[chosen]
        compile_loop(loops.add_chosen, type(patterns.rows))(
            patterns.rows, chosen, steps, self.weights
        )
        self._settled[chosen] = alpha
        self.limits[:] = -np.inf, np.inf

    def _iterate(self) -> Iterate:
        """Return the weights at their best length and intercept, and the sums made anew."""
        objective = self.objective
        sums = self.passes.class_sums(self.alpha)
        self.weights = sums[1] - sums[0]
        weights = self.weights.copy()
        weights[-1] += self.offset
        margins = self.passes.scores(weights)
        weights, margins = objective.centred(weights, margins)
        return Iterate(weights, margins, self.alpha, sums)
