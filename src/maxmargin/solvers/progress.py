"""What a solver has proven so far, and when that is enough."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from maxmargin.bounds import inseparable, sum_error, upper_bounds
from maxmargin.solvers.objective import HARD, Marked, Objective, Proof, gap_of
from maxmargin.solvers.passes import Passes

__all__ = ["Iterate", "Progress", "Proven", "Watch"]

Floats = npt.NDArray[np.float64]
_EPSILON = float(np.finfo(np.float64).eps)


#: Gap that is too small for anybody.
_EXACT = 1e-14
#: Judgements without progress after which rounding errors are blamed: when the gap asked for is
#: there already, and when it is not.
_LAST_WORDS, _PATIENCE = 4, 200
#: Iterations after which it is first asked whether a hard margin is there at all.
_FIRST_LOOK = 8
#: A margin that is smaller, relative to the longest pattern, is none.
_NO_MARGIN = 1e-10


class Proven(NamedTuple):
    """Multipliers with the bound that they prove."""

    alpha: Floats
    sums: Floats
    proof: Proof

    def multipliers(self, objective: Objective) -> Floats:
        """Return them at the length, and balanced as the objective asks, that give the bound."""
        _, minus, plus = self.proof
        return self.alpha * np.where(objective.patterns.labels > 0, plus, minus)


class Iterate(NamedTuple):
    """Weights and multipliers to be judged, arrays that will change thereafter."""

    marked: Marked
    alpha: Floats
    sums: Floats  #: of the rows of each class, times their multipliers


class Watch(Protocol):
    """Whoever wants to know of each iteration."""

    def begin(self) -> None:
        """Take note that an iteration begins."""

    def end(self, progress: Progress) -> bool:
        """Return, at its end, whether the run is to be stopped."""


class Progress:
    """Keep the best weights and the best proof seen, and say when they are good enough.

    Parameters
    ----------
    objective : Objective
    passes : Passes
    tol : float
        Gap at which the run may end.
    max_iter : int
        Iterations after which it has to.
    watch : Watch or None
        Told of each iteration.

    Attributes
    ----------
    primal, dual : float
        The best values, both rounded outward.
    best : Marked or None
        The weights of the best primal value.
    latest : ndarray
        The weights of the last iteration, whether they were judged or not.
    proof : Proven or None
        The multipliers of the best dual value.
    iterations : int
    ended_by : {"tol", "max_iter", "callback", "inseparable", "rounding"} or None
    """

    def __init__(
        self,
        objective: Objective,
        passes: Passes,
        tol: float,
        max_iter: int,
        watch: Watch | None = None,
    ) -> None:
        self.objective, self.passes = objective, passes
        self.tol, self.max_iter, self.watch = tol, max_iter, watch
        self.primal, self.dual = np.inf, 0.0
        self.best: Marked | None = None
        self._best_merit = np.inf
        self.latest: Floats = np.zeros(objective.patterns.dimension)
        self.proof: Proven | None = None
        self.iterations = 0
        self.ended_by: str | None = None
        self.history: list[tuple[float, float, float]] = []
        patterns = objective.patterns
        self._goal = tol
        self.sum_error = sum_error(patterns)
        self._since_better, self._smallest_gap = 0, np.inf
        self._next_look = _FIRST_LOOK

    @property
    def difference(self) -> float:
        """By how much the best weights can still be improved, at most."""
        return self.primal - self.dual

    @property
    def gap(self) -> float:
        """Relative distance of the margins that primal and dual stand for."""
        return gap_of(self.primal, self.dual)

    def allowed(self, dual: float) -> float:
        """Return by how much the primal may exceed a dual value at the end."""
        return dual * (1.0 / (1.0 - self._goal) ** 2 - 1.0)

    def offer(self, iterate: Iterate) -> None:
        """Judge weights and multipliers, and thereby whether the run is over."""
        objective, (weights, margins, error) = self.objective, iterate.marked
        value = objective.value(iterate.marked)
        # Of weights that only rounding errors tell apart, the later ones have converged further.
        # That matters where it is the last digit that is asked for.
        merit = objective.value(iterate.marked._replace(error=0.0)) if objective.small else value
        if self.best is None or merit <= self._best_merit * (1.0 + objective.rounding):
            self._best_merit, self.primal = merit, min(self.primal, value)
            self.best = Marked(weights.copy(), margins.copy(), error)
        proof = objective.proof(iterate.alpha, iterate.sums, self.sum_error)
        if proof.value > self.dual:
            self.dual = proof.value
            self.proof = Proven(iterate.alpha.copy(), iterate.sums.copy(), proof)
        self._judge()

    def to_the_last_digit(self) -> None:
        """Ask for a gap of almost nothing; the gap asked for before will do in the end."""
        self._goal = min(self.tol, _EXACT)

    def look_at(self, start: Iterate) -> None:
        """Judge where a run starts from, as if it were the end of an iteration."""
        self.offer(start)
        self._record()

    def have_last_word(self, iterate: Iterate) -> None:
        """Judge what was not judged when the run ended."""
        self.offer(iterate)
        self.history.pop()
        self._record()

    def begin(self) -> None:
        """Take note that an iteration begins."""
        if self.watch is not None:
            self.watch.begin()

    def count(self) -> bool:
        """Count an iteration that ends; return whether the run is over."""
        self.iterations += 1
        self._record()
        stopped = self.watch is not None and self.watch.end(self)
        if self.ended_by is None:
            if stopped:
                self.ended_by = "callback"
            elif self.iterations >= self.max_iter:
                self.ended_by = "tol" if self.gap <= self.tol else "max_iter"
        return self.ended_by is not None

    def _record(self) -> None:
        self.history.append((self.passes.passes, self.primal, self.dual))

    def _judge(self) -> None:
        gap = self.gap
        self._since_better += 1
        if gap < 0.99 * self._smallest_gap:
            self._since_better, self._smallest_gap = 0, gap
        if gap <= self._goal or (gap <= self.tol and self._since_better >= _LAST_WORDS):
            self.ended_by = "tol"
        elif self.objective.loss == HARD and self.primal == np.inf and self._hopeless():
            self.ended_by = "inseparable"
        elif self._since_better >= _PATIENCE:
            self.ended_by = "rounding"

    def _hopeless(self) -> bool:
        """Tell whether no hyperplane, or none with a margin worth the name, separates the data."""
        if self.proof is None:
            return False
        longest = self.objective.patterns.longest
        if self.dual > 0.0 and (0.5 / self.dual) ** 0.5 <= _NO_MARGIN * longest:
            return True
        if self.iterations < self._next_look:
            return False
        self._next_look = 2 * self._next_look
        alpha = self.proof.multipliers(self.objective)
        return inseparable(
            self.objective.patterns, alpha, upper_bounds(self.objective.patterns, alpha)
        )
