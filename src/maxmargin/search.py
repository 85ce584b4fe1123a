"""Bolzano's bisection for the largest directional margin (S1, section 3)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from maxmargin.monitor import Monitor, Solution
from maxmargin.rules import FixedMargin, Rule, StandardMargin

__all__ = ["Bisection"]


class Bisection:
    """Ask for one margin after another, halving the step, each round from the best so far.

    A round asks for ``y.a > beta ||a||`` with at most `max_checks` passes. Successful or not, the
    step is halved and beta moved up or down by it; the first beta and step are r/2. A round also
    ends as soon as an upper bound proves that its beta cannot be had.

    The second variant spends half of the passes of a round that fails on the weaker condition
    ``y.a > b``, with ``b = beta ||a_f||`` where the first half ended. Its success yields the margin
    ``b / ||a_s||``, and a later round whose beta is already held is skipped as successful.

    Parameters
    ----------
    monitor : Monitor
        Watches the run; its learner does the work.
    variant : {1, 2}
    precision : float
        The search is over once the step is at most this fraction of r.
    max_checks : int
        Passes in a round.
    """

    def __init__(self, monitor: Monitor, variant: int, precision: float, max_checks: int) -> None:
        self.monitor, self.learner = monitor, monitor.learner
        self.variant, self.precision = variant, precision
        self.second_checks = max_checks // 2 if variant == 2 else 0
        self.checks = max_checks - self.second_checks
        self.best, self.best_margin = self.learner.current(), 0.0

    def solve(self) -> Solution:
        """Run all rounds; the outcome is the best state that was certified on the way."""
        shortest = self.learner.patterns.shortest_nonzero
        beta = step = shortest / 2.0
        while step > self.precision * shortest and self.monitor.ended_by is None:
            success = self._round(beta)
            step /= 2.0
            beta += step if success else -step
        if self.monitor.ended_by is None:
            self.monitor.ended_by = "rule" if self.best_margin > 0.0 else "search"
        return self.monitor.solution()

    def _round(self, beta: float) -> bool:
        if self.variant == 2 and beta < self.best_margin:
            return True
        self.learner.restart(*self.best)
        outcome = self._ask(FixedMargin(beta), self.checks, beta)
        if outcome != "over":  # the next round starts anew: keep what a failed one has proven
            self.monitor.certify()
        if outcome == "held":
            self.best, self.best_margin = self.learner.current(), beta
        elif self.variant == 2 and outcome == "undecided":
            b = beta * self._length()
            second = self._ask(StandardMargin(b), self.second_checks)
            if second != "over":
                self.monitor.certify()
            if second == "held" and b / self._length() > self.best_margin:
                self.best, self.best_margin = self.learner.current(), b / self._length()
        return outcome == "held"

    def _ask(
        self, rule: Rule, checks: int, beta: float = -np.inf
    ) -> Literal["held", "refuted", "undecided", "over"]:
        """Make passes until one finds no violation, or beta is out of reach, or none are left."""
        for _ in range(checks):
            seen = self.learner.one_by_one(rule)
            over = self.monitor.observe(seen, satisfied=False)
            if seen.violations == 0:
                return "held"
            if over:
                return "over"
            if self.monitor.estimates(seen)[1] <= beta:
                return "refuted"
        return "undecided"

    def _length(self) -> float:
        return float(np.sqrt(self.learner.state.square))
