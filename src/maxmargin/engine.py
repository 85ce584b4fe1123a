"""The engine: one run of any rule over the patterns, in any of three orders.

A :class:`Learner` holds the state of a run and makes one pass at a time; between passes, and
between compiled calls of bounded length within a long one, Python is in control.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import loops
from maxmargin.compiled import compile_loop
from maxmargin.gram import GramRows
from maxmargin.loops import Seen, State
from maxmargin.orders import Order
from maxmargin.patterns import PRODUCTS_PER_CALL, Patterns, squared_norm
from maxmargin.rules import Rule
from maxmargin.schedules import Schedule, constant

__all__ = ["Cancelled", "Learner"]

Floats = npt.NDArray[np.float64]

#: Passes over the patterns found misclassified, at most, between two passes over all.
ACTIVE_PASSES = 30
_EPSILON = float(np.finfo(np.float64).eps)
_NOTHING_SEEN = Seen(0.0, 0.0, np.inf)


class Cancelled(Exception):
    """Another thread has asked this run to stop."""


class Learner:
    """Weights on their way, ``a = scale * weights``, and the books that are kept of them.

    Parameters
    ----------
    patterns : Patterns
        What to learn.
    schedule : callable
        Learning rates, see :mod:`maxmargin.schedules`.
    order : Order or None
        In which patterns are looked at; None as they come.
    weights, alpha : ndarray or None
        Where to start; ``alpha`` are the multipliers already contained in the weights.
    scale : float
        Initial scale of both. Corrections are made in units of it.
    cancelled : threading.Event or None
        Set by another thread to end the run early.

    Attributes
    ----------
    start : ndarray
        The part of the first weights that is no combination of patterns.
    state : State
        Scale, squared length, sum of multipliers, number of corrections.
    products : float
        Rows multiplied by the weights so far.
    """

    def __init__(
        self,
        patterns: Patterns,
        schedule: Schedule | None = None,
        order: Order | None = None,
        weights: Floats | None = None,
        alpha: Floats | None = None,
        scale: float = 1.0,
        cancelled: threading.Event | None = None,
    ) -> None:
        self.patterns = patterns
        self.schedule = schedule or constant(1.0)
        self.order = order or Order(patterns.count)
        self.cancelled = cancelled
        self.products = 0.0
        self._violators = np.empty_like(self.order.rows)
        self._gram: GramRows | None = None
        self.state = State(scale, 0.0, 0.0, 0.0, 0.0, 0.0)
        self.restart(
            np.zeros(patterns.dimension) if weights is None else weights / scale,
            np.zeros(patterns.count) if alpha is None else alpha / scale,
            scale,
        )
        self.start = self._part_of_its_own()
        anchor = float(np.sqrt(squared_norm(self.start)))
        self.state = self.state._replace(anchor=anchor)

    def _part_of_its_own(self) -> Floats:
        """Return the weights less their combination of patterns."""
        weights, alpha = self.current()
        if not alpha.any():
            return weights
        rest = weights - self.patterns.combine(alpha * self.patterns.labels)
        # What is left by rounding alone is no start of its own.
        noise = 1e-12 * float(alpha.sum()) * self.patterns.longest
        return rest if np.sqrt(squared_norm(rest)) > noise else np.zeros_like(rest)

    def restart(self, weights: Floats, alpha: Floats, scale: float = 1.0) -> None:
        """Go on from other weights, with their multipliers."""
        self.weights, self.alpha = weights.copy(), alpha.copy()
        self._scores: Floats | None = None
        square, mass = scale**2 * squared_norm(weights), scale * float(alpha.sum())
        self.state = State(scale, square, mass, self.state.updates, 0.0, self.state.anchor)
        self._peak, self._rested_scale = square, scale
        self._pending: tuple[float, Floats, Floats] | None = None

    @property
    def updates(self) -> int:
        """Corrections so far."""
        return int(self.state.updates)

    @property
    def passes(self) -> float:
        """Products of a row with the weights, in units of one for each pattern."""
        return self.products / self.patterns.count

    def current(self) -> tuple[Floats, Floats]:
        """Return copies of the weights and the multipliers, scale applied."""
        return self.state.scale * self.weights, self.state.scale * self.alpha

    def one_by_one(self, rule: Rule) -> Seen:
        """Correct each misclassified pattern when it is met, in one pass over all."""
        return self._settled(self._visit(rule, self.order.next()), rule)

    def one_by_one_and_again(self, rule: Rule) -> Seen:
        """Make one pass over all patterns, then some over those it found misclassified.

        Together these take at most as many products again as the pass over all.
        """
        seen = self.one_by_one(rule)
        if seen.violations:
            active = self._violators[: int(seen.violations)].copy()
            for _ in range(min(ACTIVE_PASSES, self.patterns.count // active.size)):
                if not self._visit(rule, active).violations:
                    break
            self._rest()
        return seen

    def _visit(self, rule: Rule, order: npt.NDArray[Any]) -> Seen:
        loop = compile_loop(loops.one_by_one, type(rule), type(self.patterns.rows))
        seen = _NOTHING_SEEN
        for first, last in self.patterns.calls(order.size):
            self.stop_if_cancelled()
            rates = self._rates(int(last - first))
            result = loop(
                rule,
                self.patterns.rows,
                self.patterns.labels,
                self.patterns.squares,
                order[first:last],
                rates,
                self.weights,
                self.alpha,
                self.state,
                self._violators[int(seen.violations) :],
            )
            self.state = State(*result[:6])
            seen = _joined(seen, Seen(*result[6:]))
        self.products += order.size
        return seen

    def _rates(self, count: int) -> Floats:
        """Return the next learning rates, in units of the scale."""
        rates = self.schedule(self.updates, count)
        return rates if self.state.scale == 1.0 else rates / self.state.scale

    def all_together(self, rule: Rule) -> Seen:
        """Look at all patterns, then correct all that are misclassified at once.

        The step is taken at the beginning of the next look, so that what was seen is true of the
        weights until then.
        """
        self._take_pending_step()
        patterns = self.patterns
        loop = compile_loop(loops.all_together, type(rule), type(patterns.rows))
        factors, correction = np.empty(patterns.count), np.zeros(patterns.dimension)
        rate = float(self.schedule(round(self.passes), 1)[0])
        seen = _NOTHING_SEEN
        for first, last in patterns.calls():
            self.stop_if_cancelled()
            part = (first, last, self.weights, self.state, factors, correction)
            books = (patterns.rows, patterns.labels, patterns.squares)
            seen = _joined(seen, Seen(*loop(rule, *books, *part)))
        self.products += patterns.count
        self._pending = rate, factors, correction
        return seen

    def _take_pending_step(self) -> None:
        if self._pending is None:
            return
        rate, factors, correction = self._pending
        self.weights += rate / self.state.scale * correction
        self.alpha += rate / self.state.scale * factors
        mass = self.state.mass + rate * float(factors.sum())
        updates = self.state.updates + np.count_nonzero(factors)
        self.state = self.state._replace(mass=mass, updates=updates)
        self._rest(always=True)

    def worst_first(self, rule: Rule) -> Seen:
        """Correct the worst pattern over and over, as often as there are patterns, or time for it.

        An end is believed only after the scores were computed anew from the weights.
        """
        patterns = self.patterns
        if self._scores is None:
            self._scores = patterns.scores(self.weights)
            self.products += patterns.count
        gram = self._gram = self._gram or GramRows(patterns)
        loop = compile_loop(loops.worst_first, type(rule), type(patterns.rows))
        corrections = min(patterns.count, 1 + PRODUCTS_PER_CALL // patterns.count)
        rates = self._rates(corrections)
        seen = _NOTHING_SEEN
        while seen.violations < corrections:
            self.stop_if_cancelled()
            *books, violations, missing = loop(
                rule,
                patterns.rows,
                patterns.labels,
                patterns.squares,
                self._scores,
                gram.products,
                gram.places,
                rates[int(seen.violations) :],
                self.weights,
                self.alpha,
                self.state,
            )
            self.state = State(*books)
            seen = seen._replace(violations=seen.violations + violations)
            if missing < patterns.count:
                gram.provide(int(missing))
                self.products += patterns.count
            elif seen.violations < corrections:
                break
        if seen.violations == 0:
            self._scores = patterns.scores(self.weights)
            self.products += patterns.count
        lowest = self.state.scale * float(self._scores.min())
        violated = rule.violates(lowest, rule.limit(self.state))
        errors = float(np.count_nonzero(self._scores <= 0.0))
        self._rest()
        return Seen(max(seen.violations, violated), errors, lowest)

    def took(self, state: State, seen: Seen, rule: Rule) -> Seen:
        """Note a pass over all patterns that was made from outside."""
        self.state = state
        self.products += self.patterns.count
        return self._settled(seen, rule)

    def insist(self) -> None:
        """Ask for more than rounding can hide: all scores met the rule, but not provably."""
        patterns = self.patterns
        error = _EPSILON * (patterns.dimension + 16.0) * patterns.longest
        self.state = self.state._replace(slack=4.0 * error * np.sqrt(self.state.square))

    def _settled(self, seen: Seen, rule: Rule) -> Seen:
        """Return what a pass over all patterns has seen, of weights at rest where it matters."""
        if rule.goal is not None and seen.violations and seen.lowest > rule.goal:
            # The scores seen belong to weights on their way: look again.
            self.products += self.patterns.count
            lowest = self.patterns.extremes(self.weights).lowest
            seen = seen._replace(lowest=self.state.scale * lowest)
        self._rest()
        return seen

    def _rest(self, always: bool = False) -> None:
        """Take the squared length anew, where the recursion may have lost digits of it.

        Its error is that of the largest length since it was last taken; each time weights are
        brought back to a fixed length, it may grow.
        """
        scale, square = self.state.scale, self.state.square
        self._peak = max(self._peak, square)
        if always or square < self._peak / 4.0 or scale != self._rested_scale:
            square = scale**2 * squared_norm(self.weights)
            self.state = self.state._replace(square=square)
            self._peak, self._rested_scale = square, scale

    def stop_if_cancelled(self) -> None:
        """Raise Cancelled if another thread has asked for it."""
        if self.cancelled is not None and self.cancelled.is_set():
            raise Cancelled


def _joined(first: Seen, second: Seen) -> Seen:
    return Seen(
        first.violations + second.violations,
        first.errors + second.errors,
        min(first.lowest, second.lowest),
    )
