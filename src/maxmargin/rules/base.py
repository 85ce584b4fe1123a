"""What every published update has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from maxmargin.compiled import Compilable

if TYPE_CHECKING:
    from maxmargin.loops import Seen

__all__ = ["Rule"]


class Rule(Compilable):
    r"""When a pattern calls for a correction, and how much of it is added.

    A rule is a named tuple of floats with the methods below, all but the first with a default.
    The engine does the rest, with one and the same additive update for the whole family
    (S1, eq. 2.1):

    .. math:: a_{t+1} = a_t + \eta_t f_t y_k

    where :math:`\eta_t` comes from the learning-rate schedule and :math:`f_t` from
    :meth:`factor`. All but the last are called from compiled code, and are their own
    reference when called from Python. ``now`` is a :class:`~maxmargin.loops.State`:
    ``square`` is :math:`\|a\|^2`, ``mass`` the sum of the multipliers.
    """

    __slots__ = ()

    def threshold(self, now: Any) -> Any:
        """Return the score below which patterns count as misclassified, given the weights."""
        raise NotImplementedError

    def limit(self, now: Any) -> Any:
        """Return the threshold, and a little more where rounding has blurred it."""
        return self.threshold(now) + now.slack

    def violates(self, score: Any, threshold: Any) -> Any:
        """Tell whether a score calls for a correction: ``<=``, unless a rule says otherwise."""
        return score <= threshold

    def factor(self, score: Any, square: Any, now: Any) -> Any:
        """Return f_t for a pattern with this score and squared length."""
        return 1.0

    def shrink(self, now: Any) -> Any:
        """Return the factor that brings the corrected weights to their prescribed length."""
        return 1.0

    @property
    def goal(self) -> float | None:
        """The score all patterns have to exceed at the end, if other than the threshold."""
        return None

    def satisfied(self, seen: Seen) -> bool:
        """Tell whether the run is over, after a look at all patterns by weights at rest."""
        return seen.violations == 0 if self.goal is None else seen.lowest > self.goal
