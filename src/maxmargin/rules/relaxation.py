"""Relaxation procedures (S4, algorithms 8 and 9; S1, eq. 2.22)."""

from __future__ import annotations

from typing import Any, NamedTuple

from maxmargin.rules.base import Rule

__all__ = ["Relaxation"]


class Relaxation(Rule, NamedTuple("_Parameters", [("margin", float), ("target", float)])):
    """Correct when ``y.a <= b``, by ``f = (b_u - y.a) / ||y||^2``: onto the plane ``y.a = b_u``.

    With ``b_u = b`` corrections may never end, each one smaller than the last, although the
    weights soon classify every pattern; so such a run is over as soon as ``y.a > 0`` for all
    patterns. With ``b_u > b`` it is over when ``y.a > b`` for all.
    """

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return b."""
        return self.margin

    def factor(self, score: Any, square: Any, now: Any) -> Any:
        """Return f; a pattern of length zero cannot be helped."""
        if square == 0.0:
            return 0.0
        return (self.target + now.slack - score) / square

    @property
    def goal(self) -> float | None:
        """The score that all patterns have to exceed, if it is not the threshold."""
        return 0.0 if self.target == self.margin else None
