"""The compiled loops: every algorithm of the family runs in one of the first three.

They are plain Python over named tuples and arrays; ``compiled.compile_loop`` specialises
them for a rule and a kind of rows. A rule says *when* a pattern calls for a correction and
*how much* of it is added; the loops say in which order patterns are looked at, and keep the
books: the weights, the multipliers alpha whose combination of patterns they are, the squared
length, and what was seen on the way.

Weights and multipliers share a lazy scale, ``a = scale * weights``, so that bringing a back
to a fixed length costs nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxmargin.prefetch import prefetch

__all__ = [
    "Seen",
    "State",
    "add_up",
    "all_together",
    "lengths",
    "one_by_one",
    "scores",
    "shuffle",
    "worst_first",
]

_AHEAD = np.uint64(16)  # rows between asking for one and reading it
_ONE = np.uint64(1)
_ROUNDING = 1e-12  # more than the rounding errors of a few operations
_SMALL, _LARGE = 1e-100, 1e100  # a scale outside is folded into the vectors it belongs to


class State(NamedTuple):
    """What a rule may know of the weights a."""

    scale: float  #: of the stored weights and multipliers
    square: float  #: ||a||^2, by recursion over the updates
    mass: float  #: sum of the multipliers
    updates: float  #: corrections so far


class Seen(NamedTuple):
    """What a sweep saw; scores are those at the moment a pattern was looked at."""

    violations: float  #: patterns that met the misclassification condition
    errors: float  #: patterns with y.a <= 0
    lowest: float  #: smallest y.a
    near: float  #: patterns noted as close to the threshold


def one_by_one(
    rule: Any,
    rows: Any,
    labels: Any,
    squares: Any,
    order: Any,
    rates: Any,
    weights: Any,
    alpha: Any,
    state: Any,
    near: Any,
) -> Any:
    """Look at the patterns in ``order``, correcting each that the rule calls misclassified.

    The u-th correction adds ``rates[u] * rule.factor(...) * y``. Patterns within reach of the
    threshold are listed in ``near``.
    """
    scale, square, mass, updates = state.scale, state.square, state.mass, state.updates
    violations, errors, noted, corrected = 0, 0, np.uint64(0), np.uint64(0)
    lowest = np.inf
    threshold = rule.threshold(state)
    reach = rule.reach(threshold)
    count = np.uint64(order.size)
    for position in range(count):
        if position + _AHEAD < count:
            soon = np.uint64(order[position + _AHEAD])
            rows.expect(soon)
            prefetch(alpha, soon)
            prefetch(squares, soon)
        row = np.uint64(order[position])
        label = np.float64(labels[row])
        score = scale * (label * rows.dot(row, weights))
        lowest = min(lowest, score)
        if score <= 0.0:
            errors += 1
        if score <= reach:
            near[noted] = order[position]
            noted += _ONE
        if not rule.violates(score, threshold):
            continue
        violations += 1
        factor = rule.factor(score, squares[row], State(scale, square, mass, updates))
        step = rates[corrected] * factor
        if step == 0.0:
            continue
        rows.add(row, label * (step / scale), weights)
        alpha[row] += step / scale
        square += step * (2.0 * score + step * squares[row])
        mass += step
        updates += 1.0
        corrected += _ONE
        shrink = rule.shrink(State(scale, square, mass, updates))
        if shrink != 1.0:
            scale, square, mass = scale * shrink, square * shrink * shrink, mass * shrink
            if not _SMALL < scale < _LARGE:
                weights *= scale
                alpha *= scale
                scale = 1.0
        threshold = rule.threshold(State(scale, square, mass, updates))
        reach = rule.reach(threshold)
    return State(scale, square, mass, updates), Seen(violations, errors, lowest, noted)


def all_together(
    rule: Any,
    rows: Any,
    labels: Any,
    squares: Any,
    first: Any,
    last: Any,
    rate: Any,
    weights: Any,
    state: Any,
    steps: Any,
    correction: Any,
) -> Any:
    """Look at the rows from ``first`` to ``last`` and sum up what the misclassified ask for.

    Neither weights nor multipliers move: ``steps`` receives the step of each pattern,
    ``correction`` the sum of ``step * y``.
    """
    violations, errors = 0, 0
    lowest = np.inf
    threshold = rule.threshold(state)
    for row in range(first, last):
        label = np.float64(labels[row])
        score = state.scale * (label * rows.dot(row, weights))
        lowest = min(lowest, score)
        if score <= 0.0:
            errors += 1
        steps[row] = 0.0
        if rule.violates(score, threshold):
            violations += 1
            steps[row] = rate * rule.factor(score, squares[row], state)
            rows.add(row, label * steps[row], correction)
    return Seen(violations, errors, lowest, 0)


def worst_first(
    rule: Any,
    rows: Any,
    labels: Any,
    squares: Any,
    candidates: Any,
    known: Any,
    floor: Any,
    longest: Any,
    rates: Any,
    weights: Any,
    alpha: Any,
    state: Any,
) -> Any:
    """Correct the pattern of smallest score, again and again, while it is sure to be that.

    ``known`` are the scores of all patterns at the start, at weights s; those of the patterns
    outside ``candidates`` are at least ``floor``. When the weights have moved by D, in part along
    s, ``D = c s + D'``, the scores outside are at least ``(1 + c) floor - R ||D'||`` (for
    ``floor >= 0``; else at least ``floor - R ||D||``). Once the smallest candidate is not below
    that, the caller must look at all patterns again. All of it follows from the scores before
    and now of the patterns corrected. Ties go to the lowest index. Makes at most ``len(rates)``
    rounds.
    """
    scale, square, mass, updates = state.scale, state.square, state.mass, state.updates
    rounds, violations = 0, 0
    lowest = np.inf
    along, moved, sure = 0.0, 0.0, floor  # s.D, ||D||^2, lower bound of the scores outside
    for position in range(rates.size):
        rounds += 1
        lowest = np.inf
        worst = np.uint64(0)
        for candidate in candidates:
            row = np.uint64(candidate)
            score = scale * (np.float64(labels[row]) * rows.dot(row, weights))
            if score < lowest:
                lowest, worst = score, row
        current = State(scale, square, mass, updates)
        if not (lowest < sure and rule.violates(lowest, rule.threshold(current))):
            break
        violations += 1
        step = rates[position] * rule.factor(lowest, squares[worst], current)
        rows.add(worst, np.float64(labels[worst]) * (step / scale), weights)
        alpha[worst] += step / scale
        square += step * (2.0 * lowest + step * squares[worst])
        mass += step
        updates += 1.0
        along += step * known[worst]
        moved += step * (2.0 * (lowest - known[worst]) + step * squares[worst])
        share = along / state.square if state.square > 0.0 and floor >= 0.0 else 0.0
        aside = max(moved - share * along, 0.0) + _ROUNDING * moved
        sure = (1.0 + share) * floor - longest * np.sqrt(aside)
        sure -= _ROUNDING * abs(sure)
    return State(scale, square, mass, updates), Seen(violations, 0, lowest, rounds)


def scores(rows: Any, labels: Any, first: Any, last: Any, weights: Any, out: Any) -> None:
    """Write ``y_k . weights`` for the rows from ``first`` to ``last``."""
    for row in range(first, last):
        out[row] = np.float64(labels[row]) * rows.dot(row, weights)


def add_up(rows: Any, coefficients: Any, first: Any, last: Any, out: Any) -> None:
    """Add ``sum_k coefficients_k [x_k, rho]`` over the rows from ``first`` to ``last``."""
    for row in range(first, last):
        if coefficients[row] != 0.0:
            rows.add(row, coefficients[row], out)


def lengths(rows: Any, first: Any, last: Any, out: Any) -> None:
    """Write ``||x_k||^2`` for the rows from ``first`` to ``last``."""
    for row in range(first, last):
        out[row] = rows.square(row)


def shuffle(order: Any, seed: Any) -> None:
    """Shuffle row numbers in place (Fisher and Yates, on a xorshift generator)."""
    bits = np.uint64(seed)
    for count in range(np.uint64(order.size), _ONE, -1):
        bits ^= bits << np.uint64(13)
        bits ^= bits >> np.uint64(7)
        bits ^= bits << np.uint64(17)
        last = np.uint64(count) - _ONE
        chosen = ((bits >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
        order[last], order[chosen] = order[chosen], order[last]
