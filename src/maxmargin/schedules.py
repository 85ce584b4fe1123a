"""Learning rates as a function of the number of the correction, in blocks of many at once.

A schedule is called with the number of corrections made so far and returns the rates of the
next ones, so that the loop that uses them stays compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import theory

__all__ = ["Schedule", "constant", "following", "inverse", "optimal_fixed_length"]

Floats = npt.NDArray[np.float64]
#: ``schedule(done, count)`` returns the rates of corrections done + 1, ..., done + count.
Schedule = Callable[[int, int], Floats]


def constant(rate: float) -> Schedule:
    """Return the schedule eta_t = rate."""
    return lambda done, count: np.full(count, rate)


def inverse(rate: float) -> Schedule:
    """Return the schedule eta_t = rate / t."""
    return lambda done, count: rate / np.arange(done + 1.0, done + count + 1.0)


def following(function: Callable[[Any], Any], rate: float) -> Schedule:
    """Return the schedule eta_t = rate * function(t), for a function of an array of t."""

    def schedule(done: int, count: int) -> Floats:
        numbers = np.arange(done + 1, done + count + 1)
        try:
            returned = np.asarray(function(numbers))
        except TypeError as error:
            raise TypeError(
                f"schedule must take an array of numbers and failed: {error}"
            ) from error
        if returned.shape != numbers.shape:
            raise ValueError(
                f"schedule must return an array of the shape of its argument, {numbers.shape}, "
                f"got {returned.shape}."
            )
        try:
            rates = rate * returned.astype(np.float64, casting="same_kind")
        except TypeError as error:
            raise ValueError(f"schedule must return an array of real numbers: {error}") from error
        wrong = np.flatnonzero(~(np.isfinite(rates) & (rates >= 0)))
        if wrong.size:
            raise ValueError(
                f"schedule must return finite rates >= 0, got {rates[wrong[0]] / rate} "
                f"for correction {numbers[wrong[0]]}."
            )
        return rates

    return schedule


def optimal_fixed_length(margin: float, R: float, r: float, f_max: float, f_min: float) -> Schedule:
    """Return rates for weights of fixed length by S1, eq. 2.57, not knowing the best margin.

    The best margin is first taken to be its upper bound r. Each time more corrections were
    needed than eq. 2.58 allows under such a guess g, the guess was too high: ``g - beta`` is
    halved and the rate follows.
    """
    rates: list[float] = []
    ends = [0.0]
    guess = r

    def extend(total: int) -> None:
        nonlocal guess
        while ends[-1] < total:
            known = {"R": R, "gamma": guess, "beta": margin, "f_max": f_max}
            rates.append(theory.fixed_length_optimal_rate(**known))
            ends.append(ends[-1] + np.floor(theory.fixed_length_updates(**known, f_min=f_min)))
            guess = margin + (guess - margin) / 2.0

    def schedule(done: int, count: int) -> Floats:
        extend(done + count)
        out = np.empty(count)
        for rate, (first, last) in zip(rates, pairwise(ends), strict=True):
            out[max(0, int(first) - done) : max(0, int(min(last, done + count)) - done)] = rate
        return out

    return schedule
