r"""Newton's method on the pieces of all patterns; where they have corners, around centres.

A squared hinge is quadratic on either side of its target, and Newton's method finds the minimum in
a few steps: each solves for the patterns that are active now, and an exact line search over all
pieces finds how far to go. The hinge and the hard margin have corners. In the j-th round

.. math:: \max_{0 \le \alpha \le u} \; \alpha (1 - m)
          - \frac{(\alpha - \bar\alpha_j)^2}{2 \kappa_j}
          \;=\; \text{quadratic between corners, with the target } 1 + \bar\alpha_j / \kappa_j

takes their place, and the maximiser is the centre of the next (Rockafellar's proximal method of
multipliers). Around the right centre the minimum is that of the corner itself, so the stiffness
:math:`\kappa` need not grow beyond all bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.compiled import compile_loop
from maxmargin.solvers import loops
from maxmargin.solvers.gram_matrix import GramMatrix
from maxmargin.solvers.objective import HARD, SQUARED_HINGE, Marked, Objective
from maxmargin.solvers.passes import Passes
from maxmargin.solvers.progress import Iterate, Progress

__all__ = ["Newton"]

Floats = npt.NDArray[np.float64]

#: Factor by which pieces get stiffer from round to round.
_STIFFER = 2.0
_STIFF_IF_WARM = 4.0
#: The stiffest start, in units of 1 / R^2; and the stiffest end, in units of the start.
_STIFFEST_START, _STIFFEST = 1e6, 1e15
#: A round is over when what it can still bring is less than this part of the difference.
_ROUND_OVER = 0.5


class Newton:
    """The state of a run.

    Parameters
    ----------
    objective : Objective
    passes : Passes
    start : Iterate
        Weights with their margins, and multipliers that are the first centres.
    """

    def __init__(self, objective: Objective, passes: Passes, start: Iterate) -> None:
        self.objective, self.passes = objective, passes
        weights, margins, error = start.marked
        self.weights, self.margins = weights.copy(), margins.copy()
        self.gram = GramMatrix(objective, passes)
        self.active = np.empty(self.margins.size, bool)
        #: By how much the margins may have drifted away from the scores of the weights.
        self.drift = error
        smooth = objective.loss == SQUARED_HINGE
        self.centres: Floats | None = None if smooth else start.alpha
        self.stiffness = self._first_stiffness(bool(start.alpha.any()))
        self.stiffest = _STIFFEST * self.stiffness
        self.alpha, self.sums = start.alpha, start.sums

    def run(self, progress: Progress) -> None:
        """Step until the progress is enough."""
        if self.objective.small and not self.weights.any():
            # Then a few more steps take no time, and make the model the same whether a pattern
            # comes twice or has twice the weight.
            progress.to_the_last_digit()
        self._begin(progress)
        while progress.ended_by is None:
            progress.begin()
            self._step()
            progress.offer(self._iterate())
            progress.latest = self.weights
            if not progress.count() and self.centres is not None and self._round_is_over(progress):
                self.centres = self.alpha
                self.stiffness = min(_STIFFER * self.stiffness, self.stiffest)
                self._aim()

    def _begin(self, progress: Progress) -> None:
        """Aim for the first time; where there are weights, they are judged."""
        if self.centres is None:  # multipliers follow from the margins alone
            self._aim()
        if self.weights.any():
            progress.look_at(self._iterate())
        if self.centres is not None and progress.ended_by is None:
            self._aim()

    def _iterate(self) -> Iterate:
        error = self.drift + self.objective.score_error(self.weights)
        marked = Marked(self.weights, self.margins, error)
        if self.objective.loss == HARD:
            marked = self.objective.centred(marked)
        return Iterate(marked, self.alpha, self.sums)

    def _first_stiffness(self, warm: bool) -> float:
        objective = self.objective
        if objective.loss == SQUARED_HINGE:
            return 2.0 * objective.mean_cost
        if objective.loss == HARD:
            return 10.0 / (objective.patterns.longest_squared or 1.0)
        # Wide enough for all patterns to be active at first; not needed around known centres.
        # Where costs are next to infinite, multipliers will not come near to them.
        enough = _STIFFEST_START / (objective.patterns.longest_squared or 1.0)
        return min((_STIFF_IF_WARM if warm else 0.5) * objective.mean_cost, enough)

    def _aim(self) -> None:
        """Set the targets of a round, and respond to them."""
        self.targets = np.ones(self.margins.size)
        if self.centres is not None:
            self.targets += self.centres / (self.stiffness * self.objective.shares)
        self._respond()

    def _respond(self) -> None:
        objective = self.objective
        self.alpha = np.empty_like(self.margins)
        compile_loop(loops.respond)(self.margins, *self._pieces(), self.alpha, self.active)
        self.sums = self.passes.class_sums(self.alpha)
        self.gradient = objective.ridge * self.weights - (self.sums[1] - self.sums[0])

    def _pieces(self) -> tuple[Floats, Floats, float, Floats]:
        return self.targets, self.objective.shares, self.stiffness, self.objective.caps

    def _step(self) -> None:
        ridge = self.objective.ridge
        self.gram.follow(self.active)
        direction = -self.gram.solve(self.stiffness, self.gradient)
        moves = self.passes.scores(direction)
        slope = float(np.einsum("i,i,i->", ridge, direction, self.weights))
        curvature = float(np.einsum("i,i,i->", ridge, direction, direction))
        search = compile_loop(loops.line_search)
        step = float(search(self.margins, moves, *self._pieces(), slope, curvature, 0.0))
        self.weights += step * direction
        self.margins += step * moves
        self.drift += abs(step) * self.objective.score_error(direction)
        self.drift += 0.1 * self.objective.score_error(self.weights)  # the roundings of these sums
        self._respond()

    def _round_is_over(self, progress: Progress) -> bool:
        """Tell whether the minimum of the pieces is close: within half the squared gradient."""
        rest = 0.5 * self.objective.square(self.gradient)
        return rest <= _ROUND_OVER * progress.difference
