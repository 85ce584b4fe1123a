"""The perceptron with the standard margin condition (S3; S4 5.5; S1, section 2.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

from maxmargin.rules.base import Rule

__all__ = ["StandardMargin"]


class StandardMargin(Rule, NamedTuple("_Parameters", [("margin", float)])):
    """Correct when ``y.a <= b`` (S1, eq. 2.2), by ``f = 1``; ``b = 0`` is Rosenblatt's rule."""

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return b."""
        return self.margin
