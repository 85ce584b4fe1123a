"""Several hyperplanes over the same rows, each with its own labels, learnt in the same passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from maxmargin import loops
from maxmargin.compiled import compile_loop
from maxmargin.engine import Learner
from maxmargin.loops import Seen, State
from maxmargin.patterns import Extremes
from maxmargin.rules import Rule

__all__ = ["SideBySide"]

Floats = npt.NDArray[np.float64]


class SideBySide:
    """Learners that look at a row together, and correct what each would have corrected alone.

    Their weights lie side by side, so that a row is read once, and its products with all weight
    vectors are vector arithmetic. The learners must share rows and order; while they are
    together, their weights and multipliers are views of the common arrays.

    Parameters
    ----------
    learners : sequence of Learner

    Attributes
    ----------
    running : list of int
        Numbers of the learners that still learn; the others rest.
    """

    def __init__(self, learners: Sequence[Learner]) -> None:
        self.learners = list(learners)
        self.running = list(range(len(self.learners)))
        self.patterns = self.learners[0].patterns
        self.labels = np.stack([learner.patterns.labels for learner in self.learners], axis=1)
        self.weights = np.stack([learner.weights for learner in self.learners], axis=1)
        self.alpha = np.stack([learner.alpha for learner in self.learners])
        self._room = np.empty((len(self.learners), 0))  # for learning rates
        for number, learner in enumerate(self.learners):
            learner.weights, learner.alpha = self.weights[:, number], self.alpha[number]

    def one_by_one(self, rule: Rule) -> list[Seen]:
        """Make one pass over all patterns; return what each running learner has seen."""
        patterns, order = self.patterns, self.learners[0].order.next()
        loop = compile_loop(loops.side_by_side, type(rule), type(patterns.rows))
        count = len(self.learners)
        running, products = np.array(self.running, np.uint64), np.empty(count)
        books = np.array([learner.state for learner in self.learners])
        seen = np.array([Seen(0.0, 0.0, np.inf)] * count)
        for first, last in patterns.calls(order.size, count):
            self.learners[0].stop_if_cancelled()
            loop(
                rule,
                patterns.rows,
                self.labels,
                patterns.squares,
                order[first:last],
                self._rates(books, int(last - first)),
                self.weights,
                self.alpha,
                books,
                seen,
                running,
                products,
            )
        return [
            self.learners[number].took(State(*books[number]), Seen(*seen[number]), rule)
            for number in self.running
        ]

    def _rates(self, books: Floats, count: int) -> Floats:
        """Return the next learning rates of each learner, in units of its scale."""
        if self._room.shape[1] != count:
            self._room = np.empty((len(self.learners), count))
        for number in self.running:
            state = State(*books[number])
            self._room[number] = self.learners[number].schedule(int(state.updates), count)
            if state.scale != 1.0:
                self._room[number] /= state.scale
        return self._room

    def extremes(self) -> list[Extremes]:
        """Return the worst scores of the running learners' weights at rest."""
        scales = np.array([learner.state.scale for learner in self.learners])
        # Scaled before, not after: in the same order as by each learner alone.
        weights = self.weights if (scales == 1.0).all() else self.weights * scales
        found = self.patterns.extremes_side_by_side(weights, self.labels)
        return [found[k] for k in self.running]

    def part(self) -> None:
        """Give the running learners weights and multipliers of their own."""
        for learner in (self.learners[number] for number in self.running):
            learner.weights, learner.alpha = learner.weights.copy(), learner.alpha.copy()
