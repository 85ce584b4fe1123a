"""Min-over: always correct the worst pattern (Krauth and Mezard; S2, section 3)."""

from __future__ import annotations

from typing import Any, NamedTuple

from maxmargin.rules.base import Rule

__all__ = ["MinOver"]


class MinOver(Rule, NamedTuple("_Parameters", [("target", float)])):
    """Correct the pattern of smallest score while ``y.w < c``, strictly (S2, eq. 1)."""

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return c."""
        return self.target

    def violates(self, score: Any, threshold: Any) -> Any:
        """Tell whether ``score < c``."""
        return score < threshold
