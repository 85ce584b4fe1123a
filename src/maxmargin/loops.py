"""The compiled loops: every algorithm of the family runs in one of the first four.

They are plain Python over named tuples and arrays; ``compiled.compile_loop`` specialises
them for a rule and a kind of rows. A rule says *when* a pattern calls for a correction and
*how much* of it is added; the loops say in which order patterns are looked at, and keep the
books: the weights, the multipliers alpha whose combination of patterns they are, the squared
length, and what was seen on the way.

Weights and multipliers share a lazy scale, ``a = scale * weights``, so that bringing a back
to a fixed length costs nothing.

Loops return plain tuples, the fields of :class:`State` and :class:`Seen` in a row: to make a
named tuple Numba would call Python, where a Ctrl-C could strike and end the process.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable

from maxmargin.compiled import INLINED
from maxmargin.prefetch import prefetch

__all__ = [
    "Seen",
    "State",
    "add_up",
    "all_together",
    "extremes",
    "lengths",
    "one_by_one",
    "scores",
    "shuffle",
    "side_by_side",
    "spread",
    "worst_first",
]

# Rows between asking for one and reading it, and between asking where it is and reading it.
_AHEAD, _FAR_AHEAD = np.uint64(8), np.uint64(16)
_ONE, _SOON = np.uint64(1), np.uint64(3)
_SMALL, _LARGE = 1e-100, 1e100  # a scale outside is folded into the vectors it belongs to


class State(NamedTuple):
    """What a rule may know of the weights a."""

    scale: float  #: of the stored weights and multipliers
    square: float  #: ||a||^2, by recursion over the updates
    mass: float  #: sum of the multipliers
    updates: float  #: corrections so far
    slack: float  #: added to thresholds, where scores have been within rounding errors of them
    anchor: float  #: length of the part of a, its start, that is no combination of patterns


class Seen(NamedTuple):
    """What a sweep saw; scores are those at the moment a pattern was looked at."""

    violations: float  #: patterns that met the misclassification condition
    errors: float  #: patterns with y.a <= 0
    lowest: float  #: smallest y.a


@register_jitable(**INLINED)
def fields(state: Any) -> Any:
    """Return the books as a plain tuple."""
    books = (state.scale, state.square, state.mass, state.updates)
    return *books, state.slack, state.anchor


@register_jitable(**INLINED)
def after(state: Any, step: Any, score: Any, squared: Any) -> Any:
    """Return the books after the correction ``a + step y``, where ``||y||^2 = squared``."""
    # Weights that return to zero must not leave a negative square behind.
    square = max(0.0, state.square + step * (2.0 * score + step * squared))
    mass, updates = state.mass + step, state.updates + 1.0
    return State(state.scale, square, mass, updates, state.slack, state.anchor)


@register_jitable(**INLINED)
def shrunk(state: Any, shrink: Any, weights: Any, alpha: Any) -> Any:
    """Return the books of ``shrink a``, a matter of the scale alone unless that is extreme."""
    scale = state.scale * shrink
    if not _SMALL < scale < _LARGE:
        weights *= scale
        alpha *= scale
        scale = 1.0
    square, anchor = state.square * (shrink * shrink), state.anchor * shrink
    return State(scale, square, state.mass * shrink, state.updates, state.slack, anchor)


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
    violators: Any,
) -> Any:
    """Look at the patterns in ``order``, correcting each that the rule calls misclassified.

    The u-th correction adds ``rates[u] * rule.factor(...) * y``, rates being in units of the scale
    at the beginning. ``violators`` lists who was misclassified.
    """
    violations, errors, corrected = np.uint64(0), 0, np.uint64(0)
    lowest, threshold = np.inf, rule.limit(state)
    beginning, since = state.scale, 1.0
    count = np.uint64(order.size)
    for position in range(count):
        if position + _FAR_AHEAD < count:
            rows.prefetch_start(np.uint64(order[position + _FAR_AHEAD]))
            soon = np.uint64(order[position + _AHEAD])
            rows.prefetch_row(soon)
            prefetch(alpha, soon)
            prefetch(squares, soon)
        row = np.uint64(order[position])
        label = np.float64(labels[row])
        score = (state.scale * label) * rows.dot(row, weights)
        lowest = min(lowest, score)
        if score <= 0.0:
            errors += 1
        if not rule.violates(score, threshold):
            continue
        violators[violations] = order[position]
        violations += _ONE
        factor = rule.factor(score, squares[row], state)
        if factor == 0.0:
            continue
        move = rates[corrected] * factor * since
        corrected += _ONE
        rows.add(row, label * move, weights)
        alpha[row] += move
        state = after(state, move * state.scale, score, squares[row])
        shrink = rule.shrink(state)
        if shrink != 1.0:
            state = shrunk(state, shrink, weights, alpha)
            since = beginning / state.scale
        threshold = rule.limit(state)
    return *fields(state), float(violations), float(errors), lowest


def side_by_side(
    rule: Any,
    rows: Any,
    labels: Any,
    squares: Any,
    order: Any,
    rates: Any,
    weights: Any,
    alpha: Any,
    books: Any,
    seen: Any,
    running: Any,
    products: Any,
) -> None:
    """Do what ``one_by_one`` does for several weight vectors, the columns of ``weights``.

    Labels have a column, multipliers, rates, ``books`` (the fields of State) and ``seen`` (those
    of Seen) a row for each; those that are not in ``running`` rest. A row of the data is read
    once for all of them.
    """
    flat, signs, width = weights.reshape(-1), labels.reshape(-1), np.uint64(weights.shape[1])
    corrected, beginning = np.zeros(width, np.uint64), books[:, 0].copy()
    count = np.uint64(order.size)
    for position in range(count):
        if position + _FAR_AHEAD < count:
            rows.prefetch_start(np.uint64(order[position + _FAR_AHEAD]))
            soon = np.uint64(order[position + _SOON])
            rows.prefetch_row(soon)
            prefetch(squares, soon)
            prefetch(signs, soon * width)
            rows.prefetch_weights(np.uint64(order[position + _ONE]), flat, width)
        row = np.uint64(order[position])
        rows.dots(row, weights, products)
        for number in range(np.uint64(running.size)):
            k = np.uint64(running[number])
            state = State(
                books[k, 0], books[k, 1], books[k, 2], books[k, 3], books[k, 4], books[k, 5]
            )
            label = np.float64(labels[row, k])
            score = (state.scale * label) * products[k]
            seen[k, 2] = min(seen[k, 2], score)
            if score <= 0.0:
                seen[k, 1] += 1.0
            if not rule.violates(score, rule.limit(state)):
                continue
            seen[k, 0] += 1.0
            factor = rule.factor(score, squares[row], state)
            if factor == 0.0:
                continue
            move = rates[k, corrected[k]] * factor
            if state.scale != beginning[k]:
                move *= beginning[k] / state.scale
            corrected[k] += _ONE
            rows.add(row, label * move, weights[:, k])
            alpha[k, row] += move
            state = after(state, move * state.scale, score, squares[row])
            shrink = rule.shrink(state)
            if shrink != 1.0:
                state = shrunk(state, shrink, weights[:, k], alpha[k])
            books[k, 0], books[k, 1], books[k, 2] = state.scale, state.square, state.mass
            books[k, 3], books[k, 5] = state.updates, state.anchor


def all_together(
    rule: Any,
    rows: Any,
    labels: Any,
    squares: Any,
    first: Any,
    last: Any,
    weights: Any,
    state: Any,
    factors: Any,
    correction: Any,
) -> Any:
    """Look at the rows from ``first`` to ``last`` and sum up what the misclassified ask for.

    Neither weights nor multipliers move: ``factors`` receives the factor of each pattern,
    ``correction`` the sum of ``factor * y``.
    """
    violations, errors = 0, 0
    lowest = np.inf
    threshold = rule.limit(state)
    for row in range(first, last):
        label = np.float64(labels[row])
        score = state.scale * (label * rows.dot(row, weights))
        lowest = min(lowest, score)
        if score <= 0.0:
            errors += 1
        factors[row] = 0.0
        if rule.violates(score, threshold):
            violations += 1
            factors[row] = rule.factor(score, squares[row], state)
            rows.add(row, label * factors[row], correction)
    return float(violations), float(errors), lowest


def worst_first(
    rule: Any,
    rows: Any,
    labels: Any,
    squares: Any,
    scores: Any,
    products: Any,
    places: Any,
    rates: Any,
    weights: Any,
    alpha: Any,
    state: Any,
) -> Any:
    """Correct the pattern of smallest score, again and again, at most ``len(rates)`` times.

    Rates are in units of the scale.

    The scores of all patterns (in units of the scale) follow each correction by the products
    of its pattern j with all others, ``products[places[j]]``. Where these are missing
    (``places[j] < 0``) the caller has to provide them: the last value returned is j then, and
    n otherwise. Ties go to the lowest index.
    """
    count = np.uint64(scores.size)
    violations, missing = np.uint64(0), np.uint64(scores.size)
    lowest = 0.0
    for position in range(rates.size):
        worst = np.uint64(0)
        for candidate in range(count):
            if scores[np.uint64(candidate)] < scores[worst]:
                worst = np.uint64(candidate)
        lowest = state.scale * scores[worst]
        if not rule.violates(lowest, rule.limit(state)):
            break
        if places[worst] < 0:
            missing = worst
            break
        violations += _ONE
        move = rates[position] * rule.factor(lowest, squares[worst], state)
        place = np.uint64(places[worst])
        for row in range(count):
            scores[row] += move * products[place, row]
        rows.add(worst, np.float64(labels[worst]) * move, weights)
        alpha[worst] += move
        state = after(state, move * state.scale, lowest, squares[worst])
    return *fields(state), violations, missing


def scores(rows: Any, labels: Any, first: Any, last: Any, weights: Any, out: Any) -> None:
    """Write ``y_k . weights`` for the rows from ``first`` to ``last``."""
    for row in range(first, last):
        out[row] = np.float64(labels[row]) * rows.dot(row, weights)


def extremes(rows: Any, labels: Any, first: Any, last: Any, weights: Any, out: Any) -> None:
    """Update the smallest score, and the number of those that are not positive, for some rows.

    ``weights`` and ``labels`` have a column for each hyperplane, ``out`` a row.
    """
    products = np.empty(weights.shape[1])
    flat, width = weights.reshape(-1), np.uint64(weights.shape[1])
    for row in range(first, last):
        if row + _ONE < last:
            rows.prefetch_weights(row + _ONE, flat, width)
        rows.dots(row, weights, products)
        for k in range(width):
            score = np.float64(labels[row, k]) * products[k]
            out[k, 0] = min(out[k, 0], score)
            if score <= 0.0:
                out[k, 1] += 1.0


def add_up(
    rows: Any,
    labels: Any,
    coefficients: Any,
    first: Any,
    last: Any,
    block: Any,
    part: Any,
    total: Any,
) -> None:
    """Add ``sum_k coefficients_k [x_k, rho]`` over the rows from ``first`` to ``last``.

    The negative class is summed up in the first row of ``total``, the positive one in the
    second. Blocks of rows are summed up in ``part`` (zero before and after), so that rounding
    errors are those of short chains.
    """
    for start in range(first, last, block):
        for row in range(start, min(start + block, last)):
            if coefficients[row] != 0.0:
                rows.add(row, coefficients[row], part[np.uint64(labels[row] > 0)])
        total += part
        part[:] = 0.0


def spread(rows: Any, labels: Any, chosen: Any, out: Any) -> None:
    """Write chosen patterns into the (zero) rows of a dense matrix."""
    for position in range(np.uint64(chosen.size)):
        row = np.uint64(chosen[position])
        rows.add(row, np.float64(labels[row]), out[position])


def lengths(rows: Any, first: Any, last: Any, out: Any) -> None:
    """Write ``||x_k||^2`` for the rows from ``first`` to ``last``."""
    for row in range(first, last):
        out[row] = rows.square(row)


def shuffle(order: Any, seed: Any) -> None:
    """Shuffle row numbers in place (Fisher and Yates, on the splitmix generator).

    Its numbers are functions of a counter, so none waits for the one before.
    """
    for count in range(np.uint64(order.size), _ONE, -1):
        bits = np.uint64(seed) + np.uint64(count) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        last = np.uint64(count) - _ONE
        chosen = ((bits >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)
        order[last], order[chosen] = order[chosen], order[last]
