"""Perceptrons that insist on a directional margin, given or searched for (S1)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from maxmargin.certificate import Certificate
from maxmargin.engine import Learner
from maxmargin.estimators._documentation import documented
from maxmargin.estimators.base import OnlinePerceptron, Start
from maxmargin.estimators.perceptrons import directional_margin
from maxmargin.monitor import Monitor, Solution
from maxmargin.patterns import Patterns
from maxmargin.rules import (
    FixedLength,
    FixedLengthProjected,
    FixedMargin,
    FixedMarginProjected,
    Rule,
)
from maxmargin.schedules import Schedule, constant, optimal_fixed_length
from maxmargin.search import Bisection

__all__ = ["BolzanoPerceptron", "FixedMarginPerceptron"]

_RULES: dict[tuple[str, str], type[FixedMargin]] = {
    ("free", "unit"): FixedMargin,
    ("free", "projected"): FixedMarginProjected,
    ("fixed", "unit"): FixedLength,
    ("fixed", "projected"): FixedLengthProjected,
}


@documented
class FixedMarginPerceptron(OnlinePerceptron):
    r"""Perceptron that insists on a given directional margin beta (S1, section 2.2).

    .. math:: a \leftarrow a + \eta f\, y_k \quad\text{when}\quad
              y_k \cdot \frac{a}{\|a\|} \le \beta

    (eq. 2.30), until every pattern exceeds it. With :math:`\beta \ge \gamma_d` it runs to
    `max_iter`; with :math:`\beta < \gamma_d` weights of free length always get there (eq. 2.42),
    those of fixed length if the learning rate is below a critical one (eq. 2.51). The weights grow
    freely, or are brought back to length beta after every correction (eq. 2.49), which costs
    nothing here.

    Parameters
    ----------
    margin : float or "auto", default="auto"
        beta, less than the norm r of the shortest pattern. "auto" is ``r / 100``.
    length : {"free", "fixed"}, default="free"
        What becomes of the length of the weights. A fixed length starts in the direction of
        the first pattern that is not zero.
    step : {"unit", "projected"}, default="unit"
        f: 1, or :math:`1 - \beta\, u \cdot y_k / \|y_k\|^2` (eq. 2.32; 1 while the weights are
        zero).
    learning_rate : float or "optimal", default="optimal"
        eta. The direction of weights of free length that start from zero does not depend on it,
        and "optimal" is 1. For a fixed length it is eq. 2.57, at a guess of the best margin that
        starts at r and is lowered, halving its distance to beta, each time more corrections were
        needed than eq. 2.58 allows.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    See Also
    --------
    BolzanoPerceptron : Searches for the largest beta.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import FixedMarginPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = FixedMarginPerceptron(0.5, shuffle=False).fit(X, y == 0)
    >>> print(f"{model.certificate_.lower:.3f} of {model.certificate_.upper:.3f}")
    0.505 of 1.311
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlinePerceptron._parameter_constraints,
        "margin": [Interval(Real, 0, None, closed="neither"), Options(str, {"auto"})],
        "length": [StrOptions({"free", "fixed"})],
        "step": [StrOptions({"unit", "projected"})],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), Options(str, {"optimal"})],
    }

    def __init__(
        self,
        margin: float | str = "auto",
        *,
        length: str = "free",
        step: str = "unit",
        learning_rate: float | str = "optimal",
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
        self.margin = margin
        self.length = length
        self.step = step
        self.learning_rate = learning_rate

    def _rule(self, patterns: Patterns) -> Rule:
        return _RULES[self.length, self.step](directional_margin(self.margin, patterns))

    def _schedule(self, patterns: Patterns) -> Schedule:
        if self.learning_rate != "optimal":
            return constant(float(self.learning_rate))
        beta, R, r = directional_margin(self.margin, patterns), patterns.longest, patterns.shortest
        if self.length == "free" or beta >= r:  # no rate would reach beta >= r
            return constant(1.0)
        ratio = beta / r if self.step == "projected" else 0.0
        return optimal_fixed_length(beta, R, r, f_max=1.0 + ratio, f_min=1.0 - ratio**2)

    def _learner(self, patterns: Patterns, start: Start, **context: Any) -> Learner:
        if self.length == "fixed":
            beta = directional_margin(self.margin, patterns)
            start = _with_direction(patterns, start).of_length(beta)
        return super()._learner(patterns, start, **context)


def _with_direction(patterns: Patterns, start: Start) -> Start:
    """Return a start that is not zero: the one given, or the first pattern that is not zero."""
    if start.weights is not None and start.weights.any():
        return start
    alpha = np.zeros(patterns.count)
    alpha[np.argmax(patterns.squares > 0.0)] = 1.0
    weights = patterns.combine(alpha * patterns.labels)
    return Start(weights, alpha) if weights.any() else Start(None, None)


@documented
class BolzanoPerceptron(OnlinePerceptron):
    r"""Bisection for the best margin, asking a perceptron for one after another (S1, section 3).

    Each round runs the fixed-margin perceptron of free length with a margin beta, from the best
    weights so far. Beta starts at r/2, half of its upper bound, and moves by a step that is
    halved after each round: up when the round succeeded, down when it used up its passes. A
    round also fails as soon as its own upper bound says that its beta cannot be had; what the
    failed rounds have proven is part of the certificate.

    Parameters
    ----------
    variant : {1, 2}, default=1
        The second gives half of the passes of a failing round to the weaker condition
        :math:`y_k \cdot a \le b` with :math:`b = \beta \|a_f\|`, and keeps the margin
        :math:`\beta \|a_f\| / \|a_s\|` it may find.
    precision : float, default=1e-3
        The search is over when the step is at most ``precision * r``.
    max_checks : int, default=100
        Passes of a round.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import BolzanoPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BolzanoPerceptron(shuffle=False).fit(X, y == 0)
    >>> print(f"{model.certificate_.lower:.3f} of {model.certificate_.upper:.3f}")
    0.798 of 1.127
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlinePerceptron._parameter_constraints,
        "variant": [Options(Integral, {1, 2})],
        "precision": [Interval(Real, 0, 0.5, closed="neither")],
        "max_checks": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        variant: int = 1,
        *,
        precision: float = 1e-3,
        max_checks: int = 100,
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
        self.variant = variant
        self.precision = precision
        self.max_checks = max_checks

    def _search(self, monitor: Monitor, patterns: Patterns) -> Solution:
        return Bisection(monitor, self.variant, self.precision, self.max_checks).solve()

    def _advice(self, solution: Solution, certificate: Certificate) -> str:
        if solution.ended_by == "search" and certificate.separable is not False:
            return "Raise max_checks."
        return super()._advice(solution, certificate)
