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
from maxmargin.solvers.objective import HARD, Marked, Objective
from maxmargin.solvers.passes import Passes
from maxmargin.solvers.progress import Iterate, Progress

__all__ = ["Ascent"]

Floats = npt.NDArray[np.float64]

#: eta. Beyond 1: neighbours in the same direction are overtaken in fewer sweeps.
_RELAXATION = 1.5
#: Sweeps between settlings, and how many patterns settle.
_SETTLE_EVERY, _SETTLERS = 4, 128
_SETTLING_SWEEPS = 500
#: Sweeps after which progress is judged even if it does not promise to be enough; and after so many
#: times as many, and so on.
_FIRST_JUDGED, _GROWTH = 10, 1.4


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
        self.offset = float(start.marked.weights[-1]) if objective.free else 0.0
        self.weights = np.subtract(start.sums[1], start.sums[0])
        self.order = np.arange(patterns.count, dtype=np.uint32)
        self.size = patterns.count
        self.limits = np.array([-np.inf, np.inf])
        #: Between primal and dual, as estimated in the last sweep, and for its end.
        self._on_the_way = self.difference = np.inf
        self.judged = False
        self._settled = self.alpha.copy()
        self._ascend = compile_loop(loops.ascend, type(patterns.rows))
        self._shuffle = compile_loop(engine_loops.shuffle)

    def sketch(self) -> Iterate:
        """Return weights after a single sweep, for others to go on from."""
        self._sweep(1.0)
        if self.objective.free:
            self.offset += float(self.weights[-1])
        return Iterate(self._candidate(), self.alpha, np.zeros((2, self.weights.size)))

    def look(self, progress: Progress) -> None:
        """Judge where the run starts from."""
        progress.look_at(self._iterate(self._candidate()))
        self.judged = True

    def run(self, progress: Progress) -> None:
        """Sweep until the progress is enough."""
        sweeps, due = 0, _FIRST_JUDGED
        while progress.ended_by is None:
            progress.begin()
            self._sweep(1.0 if sweeps < _SETTLE_EVERY else _RELAXATION)
            sweeps += 1
            if sweeps % _SETTLE_EVERY == 0:
                self._settle()
            promised = self.difference <= progress.allowed(self._dual())
            self.judged = False
            if promised or sweeps >= due or self.size == 0:
                due = max(due, int(_GROWTH * sweeps)) if sweeps >= due else due
                self._judge(progress)
                self.size = self.objective.patterns.count  # whoever was left out is looked at again
            progress.latest = self._hyperplane()
            progress.count()
            if self.objective.free:
                self.offset += float(self.weights[-1])
        if not self.judged:
            progress.have_last_word(self._iterate(self._candidate()))

    def _judge(self, progress: Progress) -> None:
        """Judge the weights; the sums are made anew only if the old ones promise enough."""
        marked, dual = self._candidate(), self._dual()
        value = self.objective.value(marked)
        # Of weights that separate nothing yet, it is the proof that matters: is there a margin?
        if value == np.inf or value - dual <= 1.5 * progress.allowed(dual):
            progress.offer(self._iterate(marked))
            self.judged = True

    def _sweep(self, relaxation: float) -> None:
        objective, patterns = self.objective, self.objective.patterns
        self._shuffle(self.order[: self.size], np.uint64(self.random.integers(2**31)))
        self.passes.rows_read += self.size
        books = objective.slack, objective.caps, relaxation, self.limits
        self.size, lowest, highest, difference = self._ascend(
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
            difference = np.inf
            if lowest > -1.0:
                difference = 0.5 * square / (1.0 + lowest) ** 2 - self._dual()
        # That was on the way; by now it will have shrunk once more as it did since the last sweep.
        known = 0.0 < self._on_the_way < np.inf
        rate = min(difference / self._on_the_way, 1.0) if known else 1.0
        self._on_the_way, self.difference = difference, rate * difference
        # Where no slope was of a sign, nobody is left out for having one.
        self.limits[0] = lowest if lowest < 0.0 else -np.inf
        self.limits[1] = highest if highest > 0.0 else np.inf

    def _targets(self) -> Floats:
        patterns = self.objective.patterns
        return 1.0 - np.float64(patterns.rho * self.offset) * patterns.labels

    def _dual(self) -> float:
        """Return the dual, as far as the classes are balanced."""
        square = self.objective.square(self.weights)
        square += float(np.einsum("i,i,i->", self.objective.slack, self.alpha, self.alpha))
        return float(self.alpha.sum()) - 0.5 * square

    def _settle(self) -> None:
        """Solve for the patterns that moved most since the last time, all others resting."""
        objective = self.objective
        moved = np.abs(self.alpha - self._settled)
        count = min(_SETTLERS, int(np.count_nonzero(moved)))
        chosen = np.argpartition(-moved, count - 1)[:count] if count else np.empty(0, np.intp)
        self._settled = self.alpha.copy()
        if not count:
            return
        matrix = self.passes.products(chosen)
        alpha, slack = self.alpha[chosen], objective.slack[chosen]
        matrix[np.diag_indices(count)] += slack
        scores = self.passes.scores_of(chosen, self.weights)
        slopes, before = scores + slack * alpha - self._targets()[chosen], alpha.copy()
        accuracy = 1e-3 * float(np.abs(self.limits[np.isfinite(self.limits)]).max(initial=0.0))
        settle = compile_loop(loops.settle)
        settle(matrix, slopes, objective.caps[chosen], _SETTLING_SWEEPS, accuracy, alpha)
        self.passes.add_chosen(chosen, alpha - before, self.weights)
        self.alpha[chosen] = self._settled[chosen] = alpha
        self.limits[:] = -np.inf, np.inf

    def _hyperplane(self) -> Floats:
        """Return the weights with the intercept that was taken out of them."""
        weights = self.weights.copy()
        weights[-1] += self.offset
        return weights

    def _candidate(self) -> Marked:
        """Return the weights at their best length and intercept, with their margins."""
        weights = self._hyperplane()
        error = self.objective.score_error(weights)
        return self.objective.centred(Marked(weights, self.passes.scores(weights), error))

    def _iterate(self, marked: Marked) -> Iterate:
        """Return weights to be judged beside the multipliers, whose sums are made anew."""
        sums = self.passes.class_sums(self.alpha)
        self.weights = np.subtract(sums[1], sums[0])
        return Iterate(marked, self.alpha, sums)
