"""The judge of `benchmarks.solvers`: one objective and one arithmetic for everybody.

Everything here is NumPy in float64 on float64 data, with the hyperplane as it was returned: no
code of maxmargin and no code of a peer.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Problem", "Try", "best", "gap", "geometric_mean", "merit"]


@dataclass(frozen=True)
class Problem:
    """What is asked: ``min (||w||^2 + (b / rho)^2) / 2 + C sum_k loss(l_k (w.x_k + b))``.

    Without `rho` the intercept is free; with ``C = inf`` no row may have a loss.
    """

    loss: str
    rho: float | None
    C: float

    @property
    def hard(self) -> bool:
        """Whether the margin is hard."""
        return math.isinf(self.C)

    @property
    def gaps(self) -> tuple[float, ...]:
        """The gaps to be reached: of the margin where it is hard, else of the objective."""
        return (1e-3,) if self.hard else (1e-2, 1e-4)

    @property
    def kind(self) -> str:
        """The heading under which this problem goes."""
        if self.hard:
            return "hard margin"
        intercept = ", free intercept" if self.rho is None else ""
        return self.loss.replace("_", " ") + intercept

    def __str__(self) -> str:
        return f"{self.kind}, C={self.C:g}"


@dataclass(frozen=True)
class Try:
    """One fit of a peer: its setting, what it took and what it is worth.

    `merit` is None for a fit that was stopped after `seconds`.
    """

    peer: str
    threads: int
    setting: str
    seconds: float
    merit: float | None = None
    passes: float | None = None
    warned: bool = False


def merit(problem: Problem, X: Any, y: Any, w: Any, b: float) -> float:
    """Value of a hyperplane: the primal objective or, of a hard margin, the geometric margin."""
    w = np.asarray(w, dtype=np.float64).ravel()
    scores = y * (X @ w + b)
    if problem.hard:
        return float(scores.min() / max(float(np.linalg.norm(w)), np.finfo(float).tiny))
    losses = np.maximum(0.0, 1.0 - scores)
    if problem.loss == "squared_hinge":
        losses **= 2
    penalty = 0.0 if problem.rho is None else (b / problem.rho) ** 2
    return 0.5 * (float(w @ w) + penalty) + problem.C * float(losses.sum())


def gap(problem: Problem, value: float | None, reference: float) -> float:
    """Distance from the reference: ``P / D - 1``, of a hard margin ``1 - margin / bound``."""
    if value is None or not math.isfinite(value):
        return math.inf
    return 1.0 - value / reference if problem.hard else value / reference - 1.0


def best(problem: Problem, reference: float, tries: Iterable[Try], wanted: float) -> Try | None:
    """The fastest of the fits that reached the gap, the oracle's choice; None if none did."""
    reached = (one for one in tries if gap(problem, one.merit, reference) <= wanted)
    return min(reached, key=lambda one: one.seconds, default=None)


def geometric_mean(ratios: Iterable[float]) -> float:
    """Geometric mean; NaN of nothing."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else math.nan
