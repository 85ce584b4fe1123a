"""Min-over: always correct the worst pattern (Krauth and Mezard; S2)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval, StrOptions

from maxmargin.engine import Learner
from maxmargin.estimators._documentation import documented
from maxmargin.estimators._validation import numbers
from maxmargin.estimators.base import AdditivePerceptron, Look, Start
from maxmargin.monitor import Monitor, Solution
from maxmargin.patterns import Patterns
from maxmargin.rules import MinOver, Rule, StandardMargin
from maxmargin.schedules import Schedule, constant

__all__ = ["MinOverPerceptron"]


@documented
class MinOverPerceptron(AdditivePerceptron):
    r"""Perceptron that always corrects the pattern of smallest score (S2, section 3).

    .. math:: w \leftarrow w + \frac{1}{x} y_j, \quad j = \arg\min_k y_k \cdot w,
              \qquad\text{while}\quad y_j \cdot w < c,\qquad x = \max_k \|y_k\|^2

    From any non-negative start :math:`w_0 = \sum \lambda_k y_k` the margin approaches the best one
    as c grows. After M corrections it is at least :math:`\gamma_d / A` with

    .. math:: A = \frac{\|w_M\|^2}{c\,(M/x + \sum \lambda_k)}

    Parameters
    ----------
    target : float, default=50.0
        c.
    init : {"zero", "perceptron"} or array of shape (n,) or (n_classes, n), default="zero"
        The start: no multipliers, those of a perceptron run first (with learning rate 1/x),
        or given ones, not negative.
    <shared parameters>

    Attributes
    ----------
    guarantee_ : float
        A, the largest of all hyperplanes; NaN for a start by `coef_init` or unless c was reached.
    <shared attributes>

    Notes
    -----
    A correction changes the scores of all n patterns, by products of two patterns that are computed
    once and kept, up to 32 MB of them. That is n additions, beside the d of the other members, and
    fits data that are separable and not too many: it is never done with data that are not.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import MinOverPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MinOverPerceptron().fit(X, y == 0)
    >>> print(f"{model.guarantee_:.4f} {model.certificate_.gap:.4f}")
    1.0051 0.0049
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AdditivePerceptron._parameter_constraints,
        "target": [Interval(Real, 0, None, closed="neither")],
        "init": [StrOptions({"zero", "perceptron"}), "array-like"],
    }

    def __init__(
        self,
        target: float = 50.0,
        *,
        init: str | npt.ArrayLike = "zero",
        tol: float | None = None,
        rho: float | str = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            tol=tol,
            rho=rho,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.target = target
        self.init = init

    def _rule(self, patterns: Patterns) -> Rule:
        return MinOver(float(self.target))

    def _schedule(self, patterns: Patterns) -> Schedule:
        return constant(1.0 / (patterns.longest_squared or 1.0))

    def _starts(self, patterns: Patterns, classes: Any, *given: Any) -> list[Start]:
        starts = super()._starts(patterns, classes, *given)
        if not isinstance(self.init, str) and any(start is not None for start in given):
            raise ValueError(
                "init has multipliers to start from, coef_init or intercept_init weights: "
                "only one of the two can be the start."
            )
        if isinstance(self.init, str) or any(start.weights is not None for start in starts):
            return starts
        multipliers = np.atleast_2d(numbers("init", self.init))
        if multipliers.shape != (len(starts), patterns.count):
            raise ValueError(
                f"init has shape {np.shape(self.init)}, expected one multiplier for each of "
                f"{patterns.count} patterns and {len(starts)} hyperplanes."
            )
        if not multipliers.min() >= 0.0:
            raise ValueError("init must have multipliers that are not negative.")
        return [Start(None, alpha) for alpha in multipliers]

    def _learner(self, patterns: Patterns, start: Start, **context: Any) -> Learner:
        if start.weights is None and start.alpha is not None:
            start = Start(patterns.combine(start.alpha * patterns.labels), start.alpha)
        # In units of 1/x corrections are whole patterns: exact on integer data.
        scale = 1.0 / (patterns.longest_squared or 1.0)
        return super()._learner(patterns, start, scale=scale, **context)

    def _search(self, monitor: Monitor, patterns: Patterns) -> Solution:
        if isinstance(self.init, str) and self.init == "perceptron":
            rosenblatt = StandardMargin(0.0)
            while monitor.ended_by is None:
                seen = monitor.learner.one_by_one(rosenblatt)
                if monitor.observe(seen, satisfied=False) or not seen.violations:
                    break
        if monitor.ended_by is not None:
            return monitor.solution()
        return super()._search(monitor, patterns)

    def _set_attributes(
        self, tasks: list[Patterns], solutions: list[Solution], classes: Any
    ) -> None:
        super()._set_attributes(tasks, solutions, classes)
        self.guarantee_ = float(np.max([self._guarantee(solution) for solution in solutions]))

    def _guarantee(self, solution: Solution) -> float:
        """Return A, if the run ended at c."""
        weights, alpha = solution.state.weights, solution.state.alpha
        if solution.ended_by != "rule" or solution.anchored:
            return np.nan
        with np.errstate(over="ignore"):  # a tiny target guarantees nothing: A = infinity
            return float(weights @ weights / alpha.sum() / self.target)

    def _look(self) -> Look:
        return Learner.worst_first
