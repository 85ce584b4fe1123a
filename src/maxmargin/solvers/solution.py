"""From an objective to its solution, with everything a certificate will claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from maxmargin.bounds import Upper, inseparable, upper_bounds
from maxmargin.patterns import squared_norm
from maxmargin.solvers.ascent import Ascent
from maxmargin.solvers.choice import NEWTON, worth_a_sweep
from maxmargin.solvers.newton import Newton
from maxmargin.solvers.objective import HARD, SQUARED_HINGE, Marked, Objective
from maxmargin.solvers.passes import Passes
from maxmargin.solvers.progress import Iterate, Progress

__all__ = ["Problem", "Solution", "Start", "solve"]

Floats = npt.NDArray[np.float64]

#: Rounding errors of a start, in those of its scores, that would spoil all that comes of it.
_LASTING = 100.0
#: Rounding error of the scores of a start that is of no use: it was for data of another magnitude.
_LOST = 1e50
HISTORY_FIELDS = [("passes", float), ("lower", float), ("upper", float), ("certified", bool)]


class Start(NamedTuple):
    """Where a run goes on from."""

    weights: Floats
    alpha: Floats
    solved: bool  #: whether it is thought to be the end already


@dataclass
class Solution:
    """The best weights of a run, and its best proof.

    Attributes
    ----------
    weights : ndarray
        In units of the patterns; those of a hard margin have the smallest margin 1.
    alpha : ndarray of shape (n,)
        Multipliers of the proof.
    lower, upper : float
        Bounds of the best margin of the problem that was solved.
    geometric, geometric_upper : float
        Distance of the nearest pattern from the hyperplane, and what no hyperplane exceeds.
    separable : bool or None
        Whether the patterns are separable; None: not known.
    history : structured array
        One row an iteration.
    iterations : int
    ended_by : str
        As of Progress.
    """

    weights: Floats
    alpha: Floats
    lower: float
    upper: float
    geometric: float
    geometric_upper: float
    separable: bool | None
    history: npt.NDArray[Any]
    iterations: int
    ended_by: str


class Problem(NamedTuple):
    """An objective, and how to solve it.

    Attributes
    ----------
    objective : Objective
    passes : Passes
        Over its patterns.
    method : {"newton", "ascent"}
    start : Start or None
    """

    objective: Objective
    passes: Passes
    method: str
    start: Start | None


def solve(problem: Problem, progress: Progress, random: np.random.Generator) -> Solution:
    """Minimise an objective until the progress is over: the gap certified, or another reason."""
    objective, passes, start = problem.objective, problem.passes, _first(problem)
    if problem.method == NEWTON:
        if problem.start is None and worth_a_sweep(objective):
            start = Ascent(objective, passes, start, random).sketch()
        Newton(objective, passes, start).run(progress)
    else:
        ascent = Ascent(objective, passes, start, random)
        if problem.start is not None and problem.start.solved:
            ascent.look(progress)
        ascent.run(progress)
    return _concluded(objective, progress)


def _first(problem: Problem) -> Iterate:
    """Return where to start: weights and multipliers at the lengths that suit the new costs."""
    objective, passes = problem.objective, problem.passes
    count, size = objective.patterns.count, objective.patterns.dimension
    marked, alpha = Marked(np.zeros(size), np.zeros(count), 0.0), np.zeros(count)
    sums = np.zeros((2, size))
    if problem.start is None or not objective.score_error(problem.start.weights) < _LOST:
        return Iterate(marked, alpha, sums)
    weights = problem.start.weights
    marked = marked._replace(weights=weights)
    if problem.method == NEWTON:
        error = objective.score_error(weights)
        marked = objective.centred(Marked(weights, passes.scores(weights), error))
        error = objective.score_error(marked.weights)
        if marked.error > _LASTING * error:  # they were of another length altogether
            marked = Marked(marked.weights, passes.scores(marked.weights), error)
        if objective.loss == SQUARED_HINGE:  # multipliers follow from the margins
            return Iterate(marked, alpha, sums)
    alpha = np.minimum(problem.start.alpha, objective.caps)
    sums = passes.class_sums(alpha)
    proof = objective.proof(alpha, sums)
    if 0.0 < proof.value < math.inf:
        factors = np.array([proof.minus, proof.plus])
        positive = (objective.patterns.labels > 0).astype(np.intp)
        alpha, sums = np.minimum(alpha * factors[positive], objective.caps), sums * factors[:, None]
    return Iterate(marked, alpha, sums)


def _concluded(objective: Objective, progress: Progress) -> Solution:
    best, patterns = progress.best, objective.patterns
    assert best is not None and progress.ended_by is not None
    centred = objective.centred(best)
    # Where the best intercept is not unique, the middle one may be worse in the last digit.
    if objective.value(centred) <= objective.value(best) * (1.0 + objective.rounding):
        best = centred
    weights, margins, error = best
    # Who verifies that all patterns are on their side has errors of as many terms as features.
    cautious = (
        2.0 * error * (2.0 * patterns.dimension + 16.0) / (2.0 * patterns.most_entries + 16.0)
    )
    lowest, normal = float(margins.min()) - cautious, math.sqrt(squared_norm(weights[:-1]))
    value = objective.value(best)
    if objective.loss == HARD and lowest > 0.0:
        weights = weights / lowest
    alpha, hulls = _proven(objective, progress)
    separable = True if lowest > 0.0 and normal > 0.0 else None
    if objective.loss == HARD and separable is None and inseparable(patterns, alpha, hulls):
        separable = False
    return Solution(
        weights=weights,
        alpha=alpha,
        lower=_lower(objective, value, lowest, normal, weights),
        upper=(0.5 / progress.dual) ** 0.5 * (1.0 + 1e-14) if progress.dual > 0.0 else math.inf,
        geometric=lowest / normal - 1e-14 * abs(lowest / normal) if normal else math.nan,
        geometric_upper=hulls.geometric,
        separable=separable,
        history=_history(progress),
        iterations=progress.iterations,
        ended_by=progress.ended_by,
    )


def _lower(
    objective: Objective, value: float, lowest: float, normal: float, weights: Floats
) -> float:
    """Return the margin that the weights have in the problem that was solved."""
    if objective.loss != HARD or value < math.inf:
        return (0.5 / value) ** 0.5 * (1.0 - 1e-14)
    length = math.sqrt(objective.square(weights))
    return lowest / length * (1.0 + 1e-14) if length else math.nan  # not positive


def _proven(objective: Objective, progress: Progress) -> tuple[Floats, Upper]:
    """Return the multipliers, and how far apart they prove the classes' hulls to be at most."""
    patterns, proof = objective.patterns, progress.proof
    if proof is None:
        return np.zeros(patterns.count), Upper(math.inf, math.inf)
    alpha = proof.multipliers(objective)
    factors = np.array([[proof.proof.minus], [proof.proof.plus]])
    return alpha, upper_bounds(patterns, alpha, factors * proof.sums)


def _history(progress: Progress) -> npt.NDArray[Any]:
    history = np.zeros(len(progress.history), HISTORY_FIELDS)
    if progress.history:
        passes, primal, dual = np.array(progress.history).T
        with np.errstate(divide="ignore"):
            history["passes"], history["certified"] = passes, dual > 0.0
            history["lower"], history["upper"] = (0.5 / primal) ** 0.5, (0.5 / dual) ** 0.5
    return history
