"""The perceptron with dynamic margin (S5)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval

from maxmargin.bounds import lower_bounds
from maxmargin.engine import Learner
from maxmargin.estimators._documentation import documented
from maxmargin.estimators.base import Look, OnlinePerceptron, Start
from maxmargin.monitor import Solution
from maxmargin.patterns import Patterns
from maxmargin.rules import DynamicMargin, Rule

__all__ = ["DynamicMarginPerceptron"]

Floats = npt.NDArray[np.float64]


@documented
class DynamicMarginPerceptron(OnlinePerceptron):
    r"""Perceptron that asks for a fraction of the margin it still thinks possible (S5).

    .. math:: a \leftarrow a + y_k \quad\text{when}\quad
              y_k \cdot a \le (1 - \epsilon) \frac{\|a\|^2}{t}

    after t corrections (eq. 5; at t = 0 the threshold is 0). :math:`\|a\| / t` is an upper bound of
    the best margin (eq. 3), so when no pattern violates the condition, the margin is more than
    :math:`1 - \epsilon` of the best one.

    Parameters
    ----------
    epsilon : float, default=0.1
        Accuracy, between 0 and 1.
    recenter : bool, default=True
        Whether to move the boundary midway between the closest patterns of the two classes when
        done, at a score of -1 and +1 (eq. 6 and 7). The geometric margin grows; the directional one
        may shrink, so a boundary that `tol` was reached with stays if the move would lose it.
    active_set : bool, default=True
        Whether to make up to 30 passes over the patterns that a pass over all has found
        below the threshold before the next one over all: the same margin, far fewer products.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import DynamicMarginPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DynamicMarginPerceptron(epsilon=0.05, shuffle=False).fit(X, y == 0)
    >>> print(f"{model.certificate_.margin:.4f} of {model.certificate_.margin_upper:.4f}")
    0.8126 of 0.8556
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlinePerceptron._parameter_constraints,
        "epsilon": [Interval(Real, 0, 1, closed="right")],
        "recenter": ["boolean"],
        "active_set": ["boolean"],
    }

    def __init__(
        self,
        epsilon: float = 0.1,
        *,
        recenter: bool = True,
        active_set: bool = True,
        tol: float | None = None,
        rho: float | str = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            tol=tol,
            rho=rho,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.epsilon = epsilon
        self.recenter = recenter
        self.active_set = active_set

    def _rule(self, patterns: Patterns) -> Rule:
        return DynamicMargin(float(self.epsilon))

    def _look(self) -> Look:
        return Learner.one_by_one_and_again if self.active_set else Learner.one_by_one

    def _last_states(self, patterns: Patterns, classes: Any) -> list[Start]:
        """Return weights short where their multipliers are lost: their length loosens the bound."""
        return [
            start if start.alpha is not None else start.of_length(patterns.longest)
            for start in super()._last_states(patterns, classes)
        ]

    def _hyperplane(self, patterns: Patterns, solution: Solution) -> Floats:
        weights = solution.state.weights
        if not (self.recenter and self.fit_intercept):
            return weights
        scores, positive = patterns.scores(weights), patterns.labels > 0
        closest, farthest = scores[positive].min(), scores[~positive].min()
        width = closest + farthest
        if not width > 0.0:  # the direction does not separate the classes
            return weights
        recentred = 2.0 * weights
        recentred[-1] += (farthest - closest) / patterns.rho
        if self.tol is not None:  # not at the price of the gap that was asked for and reached
            enough = (1.0 - self.tol) * solution.upper.margin
            if lower_bounds(patterns, recentred).margin < enough <= solution.state.lower.margin:
                return weights
        return recentred / width
