"""Perceptrons that insist on a directional margin (S1, section 2.2)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from maxmargin.rules.base import Rule

__all__ = ["FixedLength", "FixedLengthProjected", "FixedMargin", "FixedMarginProjected"]


class FixedMargin(Rule, NamedTuple("_Parameters", [("margin", float)])):
    """Correct when ``y.a <= beta ||a||`` (S1, eq. 2.30; S3), by ``f = 1``."""

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return ``beta ||a||``."""
        return self.margin * np.sqrt(now.square)


class FixedMarginProjected(FixedMargin):
    """The same condition, with ``f = 1 - beta u.y / ||y||^2`` (S1, eq. 2.32); f = 1 at a = 0."""

    __slots__ = ()

    def factor(self, score: Any, square: Any, now: Any) -> Any:
        """Return f; a pattern of length zero cannot be helped."""
        if now.square == 0.0:
            return 1.0
        if square == 0.0:
            return 0.0
        # Not below zero, where the pattern is shorter than beta: multipliers never fall.
        return max(0.0, 1.0 - self.margin * score / (np.sqrt(now.square) * square))


class FixedLength(FixedMargin):
    """The same condition, the weights brought back to length beta each time (S1, eq. 2.49)."""

    __slots__ = ()

    def shrink(self, now: Any) -> Any:
        """Return ``beta / ||a||``."""
        return self.margin / np.sqrt(now.square) if now.square > 0.0 else 1.0


class FixedLengthProjected(FixedLength):
    """Fixed length with the step of eq. 2.32."""

    __slots__ = ()
    factor = FixedMarginProjected.factor
