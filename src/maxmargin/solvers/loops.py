"""The loops of the solvers, compiled for dense and sparse rows alike.

The first three know nothing of data: they go over the margins of all patterns. Every pattern has a
piece of the function that is minimised: with the multiplier

    alpha(m) = min(max(0, kappa r (t - m)), u)

it falls with slope ``-alpha(m)`` where the margin m is below its target t, ever more steeply, by
``kappa r`` (stiffness and share), until the slope has reached its cap u.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from maxmargin.compiled import INLINED
from maxmargin.patterns import ROWS_PER_SUM
from maxmargin.prefetch import prefetch

__all__ = [
    "add_chosen",
    "ascend",
    "dual_sums",
    "line_search",
    "losses",
    "outer_products",
    "products",
    "respond",
    "scores_of",
    "settle",
]

_AHEAD, _FAR_AHEAD, _ONE = np.uint64(8), np.uint64(16), np.uint64(1)
_STEPS = 200  # of a line search: enough to halve any interval down to nothing


def respond(
    margins: Any, targets: Any, shares: Any, stiffness: Any, caps: Any, alpha: Any, active: Any
) -> Any:
    """Write the multipliers of all margins, and who is active: neither at zero nor at its cap."""
    for k in range(np.uint64(margins.size)):
        value = stiffness * shares[k] * (targets[k] - margins[k])
        inside = 0.0 < value < caps[k]
        alpha[k] = min(max(0.0, value), caps[k])
        active[k] = inside


def line_search(
    margins: Any,
    moves: Any,
    targets: Any,
    shares: Any,
    stiffness: Any,
    caps: Any,
    slope: Any,
    curvature: Any,
    low: Any,
) -> Any:
    """Return the step along ``moves``, not below ``low``, at which the function is smallest.

    ``slope`` and ``curvature`` are those of the quadratic part, ``step * (slope + step *
    curvature / 2)``. Newton's method, kept within the interval known to hold the minimum.
    """
    high, step = np.inf, 1.0
    for _ in range(_STEPS):
        rise, bend = slope + step * curvature, curvature
        size = abs(slope) + abs(step * curvature)
        for k in range(np.uint64(margins.size)):
            stiff = stiffness * shares[k]
            value = stiff * (targets[k] - margins[k] - step * moves[k])
            if value > 0.0:
                if value < caps[k]:
                    bend += stiff * (moves[k] * moves[k])
                else:
                    value = caps[k]
                rise -= value * moves[k]
                size += value * abs(moves[k])
        if abs(rise) <= 1e-12 * size:
            break
        if rise > 0.0:
            high = step
        else:
            low = step
        guess = step - rise / bend if bend > 0.0 else np.inf
        if not low < guess < high or not abs(guess) < np.inf:
            outward = step + (2.0 * abs(step) if high == np.inf else -2.0 * abs(step))
            guess = 0.5 * (low + high) if high - low < np.inf else outward
        if abs(guess - step) <= 1e-14 * abs(step):
            break
        step = guess
    return step


def losses(margins: Any, costs: Any, shift: Any, squared: Any) -> Any:
    """Return ``sum_k C_k max(0, 1 - m_k + shift)``, or of its squares."""
    total = 0.0
    for k in range(np.uint64(margins.size)):
        loss = max(0.0, 1.0 - margins[k] + shift)
        total += costs[k] * (loss * loss if squared else loss)
    return total


def dual_sums(labels: Any, alpha: Any, slack: Any, caps: Any) -> Any:
    """Return, over the negative and the positive class, what bounds are made of.

    That is ``sum alpha``, ``sum slack alpha^2`` and the least ``cap / alpha``.
    """
    out, count = np.zeros((2, 3)), np.uint64(alpha.size)
    out[:, 2] = np.inf
    for first in range(np.uint64(0), count, np.uint64(ROWS_PER_SUM)):  # short chains of roundings
        mass_minus, curved_minus, mass_plus, curved_plus = 0.0, 0.0, 0.0, 0.0
        for k in range(first, min(first + np.uint64(ROWS_PER_SUM), count)):
            # Without branches: labels come in any order.
            value, plus = alpha[k], np.float64(labels[k] > 0)
            square = slack[k] * (value * value)
            mass_minus += (1.0 - plus) * value
            mass_plus += plus * value
            curved_minus += (1.0 - plus) * square
            curved_plus += plus * square
        out[0, 0] += mass_minus
        out[0, 1] += curved_minus
        out[1, 0] += mass_plus
        out[1, 1] += curved_plus
    if caps.size and caps[0] < np.inf:  # then all of them are
        for k in range(np.uint64(alpha.size)):
            if alpha[k] > 0.0:
                side = np.uint64(labels[k] > 0)
                out[side, 2] = min(out[side, 2], caps[k] / alpha[k])
    return out


def outer_products(rows: Any, chosen: Any, factors: Any, out: Any) -> None:
    """Add ``sum_k factor_k [x_k, rho] [x_k, rho]'`` over chosen rows to an upper triangle."""
    for position in range(np.uint64(chosen.size)):
        rows.add_outer(np.uint64(chosen[position]), factors[position], out)


@register_jitable(**INLINED)
def excess(lack: Any, alpha: Any, slack: Any, cap: Any) -> Any:
    """Return by how much a pattern's loss and its conjugate exceed their product (Fenchel)."""
    loss = max(0.0, lack)
    if slack > 0.0:
        return 0.5 * (loss * loss / slack + slack * alpha * alpha) - alpha * lack
    return cap * loss - alpha * lack if cap < np.inf else 0.0


def ascend(
    rows: Any,
    labels: Any,
    squares: Any,
    order: Any,
    size: Any,
    targets: Any,
    slack: Any,
    caps: Any,
    relaxation: Any,
    limits: Any,
    weights: Any,
    alpha: Any,
) -> Any:
    """Bring one multiplier after the other towards where the dual is largest, and beyond.

    The first ``size`` patterns in ``order`` are looked at. One whose multiplier is at an end of its
    range, with a slope beyond what any other pattern had in the sweep before (``limits``), is moved
    behind them. Returned: how many remain, the extreme slopes, and the sum of what the patterns
    lacked in Fenchel's inequality: an estimate of the difference between primal and dual.
    """
    lowest, highest, difference = 0.0, 0.0, 0.0
    position, last = np.uint64(0), np.uint64(size)
    while position < last:
        if position + _FAR_AHEAD < last:
            rows.prefetch_start(np.uint64(order[position + _FAR_AHEAD]))
            soon = np.uint64(order[position + _AHEAD])
            rows.prefetch_row(soon)
            prefetch(alpha, soon)
            prefetch(squares, soon)
        row = np.uint64(order[position])
        label, old, cap = np.float64(labels[row]), alpha[row], caps[row]
        lack = targets[row] - label * rows.dot(row, weights)
        slope = slack[row] * old - lack
        if (old == 0.0 and slope > limits[1]) or (old == cap and slope < limits[0]):
            last -= _ONE
            order[position], order[last] = order[last], order[position]
            continue
        position += _ONE
        difference += excess(lack, old, slack[row], cap)
        if (old == 0.0 and slope >= 0.0) or (old == cap and slope <= 0.0):
            continue
        lowest, highest = min(lowest, slope), max(highest, slope)
        bend = squares[row] + slack[row]
        new = min(max(0.0, old - relaxation * slope / bend), cap) if bend > 0.0 else cap
        if new != old and new < np.inf:
            alpha[row] = new
            rows.add(row, label * (new - old), weights)
    return last, lowest, highest, difference


def products(rows: Any, labels: Any, chosen: Any, work: Any, out: Any) -> None:
    """Write the products of chosen patterns with each other; ``work`` is zero before and after."""
    count = np.uint64(chosen.size)
    for i in range(count):
        row = np.uint64(chosen[i])
        rows.add(row, np.float64(labels[row]), work)
        for j in range(i + _ONE):
            other = np.uint64(chosen[j])
            value = np.float64(labels[other]) * rows.dot(other, work)
            out[i, j] = value
            out[j, i] = value
        rows.add(row, -np.float64(labels[row]), work)


def scores_of(rows: Any, labels: Any, chosen: Any, weights: Any) -> Any:
    """Return ``y_k . weights`` of chosen patterns."""
    out = np.empty(chosen.size)
    for position in range(np.uint64(chosen.size)):
        row = np.uint64(chosen[position])
        out[position] = np.float64(labels[row]) * rows.dot(row, weights)
    return out


def add_chosen(rows: Any, chosen: Any, steps: Any, weights: Any) -> None:
    """Add ``sum_k steps_k [x_k, rho]`` over chosen rows to ``weights``."""
    for position in range(np.uint64(chosen.size)):
        rows.add(np.uint64(chosen[position]), steps[position], weights)


def settle(matrix: Any, slopes: Any, caps: Any, sweeps: Any, accuracy: Any, alpha: Any) -> None:
    """Do what ``ascend`` does for a few patterns, of which all products are known."""
    count = np.uint64(alpha.size)
    for _ in range(sweeps):
        largest = 0.0
        for i in range(count):
            bend = matrix[i, i]
            if not bend > 0.0:
                continue
            new = min(max(0.0, alpha[i] - slopes[i] / bend), caps[i])
            move = new - alpha[i]
            if move != 0.0:
                alpha[i] = new
                largest = max(largest, abs(move) * bend)
                for j in range(count):
                    slopes[j] += move * matrix[i, j]
        if largest <= accuracy:
            break
