"""The perceptron with dynamic margin (S5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxmargin.rules.base import Rule

__all__ = ["DynamicMargin"]


class DynamicMargin(Rule, NamedTuple("_Parameters", [("epsilon", float)])):
    """Correct when ``y.a <= (1 - epsilon) ||a|| (||a|| + ||a_0||) / t`` by ``f = 1``.

    For ``a_0 = 0`` this is S5, eq. 5: ``||a|| / t`` is an upper bound of the best margin (eq. 3),
    and the condition asks for the fraction ``1 - epsilon`` of what is still thought possible. t is
    the sum of the multipliers; at t = 0 the threshold is 0. From a start that is no combination of
    patterns ``a.u >= t gamma - ||a_0||``, so ``(||a|| + ||a_0||) / t`` is a bound; at t = 0 there
    is none, and every pattern is corrected.
    """

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return the fraction of the bound, times ``||a||``."""
        if now.mass == 0.0:
            return np.inf if now.anchor > 0.0 else 0.0
        square = now.square + now.anchor * np.sqrt(now.square)
        return (1.0 - self.epsilon) * square / now.mass
