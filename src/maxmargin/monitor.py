"""Watching a run: what it has proven so far, when that is enough, and its best state."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.bounds import Lower, Upper, lower_bounds, upper_bounds
from maxmargin.engine import Learner
from maxmargin.loops import Seen
from maxmargin.patterns import Extremes, squared_norm
from maxmargin.rules import Rule
from maxmargin.side_by_side import SideBySide

__all__ = ["HISTORY_FIELDS", "Monitor", "Snapshot", "Solution", "run_side_by_side"]

Floats = npt.NDArray[np.float64]

HISTORY_FIELDS = [
    ("passes", float),
    ("updates", int),
    ("lower", float),
    ("upper", float),
    ("certified", bool),
]
#: Certificates out of turn wait for so many times the epochs of the one before.
_GROWTH = 1.25
_OVERFLOWING = 1e250


@dataclass
class Snapshot:
    """Weights with their multipliers and what they achieve."""

    weights: Floats
    alpha: Floats
    lower: Lower

    @property
    def rank(self) -> tuple[float, float]:
        """Order of merit, smallest best: fewest training errors, then the largest margin."""
        margin = self.lower.margin
        return self.lower.errors, -margin if np.isfinite(margin) else np.inf


@dataclass
class Solution:
    """The outcome of a run.

    Attributes
    ----------
    state : Snapshot
        The weights that were settled on.
    proof, upper : ndarray, Upper
        The multipliers of the smallest upper bound seen, and that bound.
    history : structured array
        One row an epoch.
    anchored : bool
        Whether the run started from weights that are no combination of patterns.
    epochs, updates : int
        What it took.
    ended_by : {"rule", "tol", "max_iter", "overflow", "search"}
        Why the run is over; "search": no round of a bisection succeeded.
    """

    state: Snapshot
    proof: Floats
    upper: Upper
    history: npt.NDArray[Any]
    anchored: bool
    epochs: int
    updates: int
    ended_by: str


class Monitor:
    """Keep the history of a run, certify it now and then, and remember the best of it.

    Bounds are estimated after every epoch from the books of the engine. They are certified,
    in two passes of their own, after epochs 1, 2, 4, 8, ...; closer together when a gap is asked
    for; and when the estimates promise the gap. A state that met fewer errors than any before is
    kept until then, or a while, to be judged as well.

    Parameters
    ----------
    learner : Learner
        The run to watch.
    max_iter : int
        Epochs after which it has to end.
    tol : float or None
        Certified gap that ends it.
    verbose : int
        Print each certified row of the history.
    name : str
        What to call the run when printing.
    """

    def __init__(
        self, learner: Learner, max_iter: int, tol: float | None, verbose: int, name: str
    ) -> None:
        self.learner, self.max_iter, self.tol = learner, max_iter, tol
        self.verbose, self.name = verbose, name
        self.epochs = 0
        self.ended_by: str | None = None
        self.best: Snapshot | None = None
        self.upper, self.proof = Upper(np.inf, np.inf), learner.alpha.copy()
        self._last: Snapshot | None = None
        self._certified_epochs = 0
        self._record: tuple[int, Floats, Floats] | None = None
        self.due = self._in_turn = self._satisfied = self._overflow = False
        self._rows: list[tuple[float, int, float, float, bool]] = []
        self._fewest_errors = np.inf

    def run(self, rule: Rule, look: Callable[[Learner, Rule], Seen]) -> None:
        """Repeat one way of looking at the patterns until the run is over."""
        over = False
        while not over:
            seen = look(self.learner, rule)
            over = self.observe(seen, rule.satisfied(seen))

    def observe(self, seen: Seen, satisfied: bool) -> bool:
        """Record an epoch; return whether the run is over, and say why in `ended_by`."""
        self.note(seen, satisfied)
        return self.conclude()

    def note(self, seen: Seen, satisfied: bool) -> None:
        """Record the estimates of an epoch, and find out in `due` whether to certify it."""
        self.epochs += 1
        state = self.learner.state
        lower, upper = self.estimates(seen)
        self._rows.append((self.learner.passes, self.learner.updates, lower, upper, False))
        promising = self.tol is not None and lower >= (1.0 - self.tol) * upper
        self._overflow = not state.square < _OVERFLOWING
        self._satisfied = satisfied and not self._overflow
        last = self._satisfied or self.epochs >= self.max_iter
        # A gap to be reached, or a record, is worth a closer look, but not one every epoch.
        self._in_turn = self.epochs >= _GROWTH * self._certified_epochs
        power_of_two = self.epochs & (self.epochs - 1) == 0
        due = last or promising or power_of_two or (self._in_turn and self.tol is not None)
        self.due = due and not self._overflow
        if seen.errors < self._fewest_errors and not self._overflow:
            self._fewest_errors = seen.errors
            self._record = None if self.due else (self.epochs, *self.learner.current())

    def conclude(self, extremes: Extremes | None = None) -> bool:
        """Certify the epoch noted last if that is due, and return whether the run is over.

        Parameters
        ----------
        extremes : Extremes or None
            The worst scores of the weights, if they are known.
        """
        if self._record is not None and (self.due or self._in_turn or self._overflow):
            self._certified_epochs = self.epochs
            epoch, weights, alpha = self._record
            self.certify_lower(weights, alpha)
            self._mark_certified(epoch)
            self._record = None
        if self.due:
            self._certified_epochs = self.epochs
            weights, alpha = self.learner.current()
            lower = None
            if extremes is not None and 1e-200 < self.learner.state.square < 1e200:
                lower = lower_bounds(self.learner.patterns, weights, extremes)
            self.certify_lower(weights, alpha, lower)
            self.certify_upper(alpha)
            self._mark_certified(self.epochs)
        if self._satisfied and not self._holds():
            self.learner.insist()
        elif self._satisfied:
            self.ended_by = "rule"
            return True
        if self.due and self.within_tol():
            self.ended_by = "tol"
        elif self._overflow:
            self.ended_by = "overflow"
        elif self.epochs >= self.max_iter:
            self.ended_by = "max_iter"
        return self.ended_by is not None

    def _holds(self) -> bool:
        """Tell whether the state certified last has all patterns on their side, provably."""
        assert self._last is not None
        return self._last.lower.margin > 0.0

    def _mark_certified(self, epoch: int) -> None:
        """Put the bounds certified last into the row of an epoch."""
        assert self._last is not None
        passes, updates, *_ = self._rows[epoch - 1]
        lower, upper = self._last.lower.margin, self.upper.margin
        self._rows[epoch - 1] = (passes, updates, lower, upper, True)
        if self.verbose:
            unit = self.learner.patterns.unit
            print(
                f"{self.name}: epoch {epoch}, passes {passes:.1f}, updates {updates}, "
                f"margin in [{lower / unit:.6g}, {upper / unit:.6g}]"
            )

    def estimates(self, seen: Seen) -> tuple[float, float]:
        """Return what the books make of the bounds: a hint, until certified."""
        learner, state = self.learner, self.learner.state
        length, mass = math.sqrt(state.square), float(state.mass)
        lower = float(seen.lowest) / length if length > 0.0 else math.nan
        if state.anchor > 0.0:
            with np.errstate(all="ignore"):  # of weights beyond all bounds, it may be anything
                start = learner.start * (state.anchor / np.sqrt(squared_norm(learner.start)))
                length = math.sqrt(squared_norm(state.scale * learner.weights - start))
        return lower, length / mass if mass > 0.0 else math.inf

    def certify_lower(self, weights: Floats, alpha: Floats, lower: Lower | None = None) -> Snapshot:
        """Certify what a state achieves, and remember it if it is the best so far."""
        lower = lower or lower_bounds(self.learner.patterns, weights)
        state = Snapshot(weights, alpha, lower)
        self._last = state
        if self.best is None or state.rank < self.best.rank:
            self.best = state
        return state

    def certify_upper(self, alpha: Floats) -> None:
        """Certify what no state can exceed, and remember the smallest such bound."""
        upper = upper_bounds(self.learner.patterns, alpha)
        if upper.margin <= self.upper.margin:
            self.upper, self.proof = upper, alpha

    def certify(self) -> None:
        """Certify both bounds of the present state out of turn, in the row of the last epoch."""
        weights, alpha = self.learner.current()
        self.certify_lower(weights, alpha)
        self.certify_upper(alpha)
        self._mark_certified(self.epochs)
        if self.ended_by is None and self.within_tol():
            self.ended_by = "tol"

    def within_tol(self) -> bool:
        """Tell whether the best state is certified to the gap asked for."""
        if self.tol is None or self.best is None:
            return False
        return self.best.lower.margin >= (1.0 - self.tol) * self.upper.margin

    def solution(self) -> Solution:
        """Return the outcome: the last state if it met the rule, or the best."""
        assert self.ended_by is not None
        met = self.ended_by == "rule" and self._satisfied  # and not a search, its rounds over
        last = self._last if met else self.best
        # None: the very first epoch overflowed.
        state = last or self.certify_lower(self.learner.start, self.proof)
        return Solution(
            state,
            self.proof,
            self.upper,
            np.array(self._rows, dtype=HISTORY_FIELDS),
            self.learner.state.anchor > 0.0,
            self.epochs,
            self.learner.updates,
            self.ended_by,
        )


def run_side_by_side(monitors: Sequence[Monitor], rule: Rule) -> None:
    """Do what ``monitor.run(rule, Learner.one_by_one)`` does for each, in common passes.

    The learners must have the same rows and order.
    """
    monitors = list(monitors)
    while len(monitors) > 1:
        together = SideBySide([monitor.learner for monitor in monitors])
        # A learner at its end only takes up room, but to close ranks costs a copy of all weights.
        while 2 * len(together.running) > len(monitors):
            running = [monitors[number] for number in together.running]
            for monitor, seen in zip(running, together.one_by_one(rule), strict=True):
                monitor.note(seen, rule.satisfied(seen))
            extremes: Sequence[Extremes | None] = [None] * len(running)
            if 3 * sum(monitor.due for monitor in running) > len(monitors):
                extremes = together.extremes()
            together.running = [
                number
                for number, monitor, worst in zip(together.running, running, extremes, strict=True)
                if not monitor.conclude(worst)
            ]
        together.part()
        monitors = [monitors[number] for number in together.running]
    for monitor in monitors:
        monitor.run(rule, Learner.one_by_one)
