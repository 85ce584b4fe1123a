"""The perceptron with dynamic margin (S5)."""

from __future__ import annotations

from typing import Any, NamedTuple

from maxmargin.rules.base import Rule

__all__ = ["DynamicMargin"]


class DynamicMargin(Rule, NamedTuple("_Parameters", [("epsilon", float)])):
    """Correct when ``y.a <= (1 - epsilon) ||a||^2 / t`` (S5, eq. 5), by ``f = 1``.

    ``||a|| / t`` is an upper bound of the best margin (S5, eq. 3), so the condition asks for
    the fraction ``1 - epsilon`` of what is still thought possible. t is the sum of the
    multipliers; at t = 0 the threshold is 0.
    """

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return ``(1 - epsilon) ||a||^2 / t``."""
        if now.mass == 0.0:
            return 0.0
        return (1.0 - self.epsilon) * now.square / now.mass
