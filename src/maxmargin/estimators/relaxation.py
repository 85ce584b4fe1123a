"""Relaxation: project the weights towards where a pattern has the score asked for (S4)."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from maxmargin.certificate import Certificate
from maxmargin.engine import Learner
from maxmargin.estimators._documentation import documented
from maxmargin.estimators.base import Look, OnlinePerceptron
from maxmargin.monitor import Solution
from maxmargin.patterns import Patterns
from maxmargin.rules import Relaxation, Rule
from maxmargin.schedules import Schedule, constant

__all__ = ["RelaxationPerceptron"]


@documented
class RelaxationPerceptron(OnlinePerceptron):
    r"""Relaxation with margin, one pattern at a time or all at once (S4, algorithms 8 and 9).

    .. math:: a \leftarrow a + \eta \frac{b_u - y_k \cdot a}{\|y_k\|^2}\, y_k
              \quad\text{when}\quad y_k \cdot a \le b

    moves the weights by the fraction eta of the way to the plane :math:`y_k \cdot a = b_u`: short
    of it for eta < 1 (under-relaxation), beyond it for eta > 1 (over-relaxation). With
    :math:`b_u = b` (S4, eq. 35) the corrections may never end; the run is over as soon as all
    patterns are on the right side. With :math:`b_u > b` (S1, eq. 2.22) it is over when all
    scores exceed b, after at most the number of corrections of S1, eq. 2.29.

    Parameters
    ----------
    margin : float, default=1.0
        b.
    target : float or None, default=None
        b_u, at least b; None is b.
    relaxation : float, default=1.0
        eta, between 0 and 2.
    batch : bool, default=False
        Whether to correct all misclassified patterns at once, each from the same weights. This
        may diverge unless eta is less than 2 divided by their number. Nothing is shuffled then.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import RelaxationPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = RelaxationPerceptron(target=1.5, shuffle=False).fit(X, y == 0)
    >>> model.n_updates_, model.decision_function(X)[y == 0].min() > 1
    (202, np.True_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlinePerceptron._parameter_constraints,
        "margin": [Interval(Real, 0, None, closed="left")],
        "target": [Interval(Real, 0, None, closed="left"), None],
        "relaxation": [Interval(Real, 0, 2, closed="neither")],
        "batch": ["boolean"],
    }

    def __init__(
        self,
        margin: float = 1.0,
        *,
        target: float | None = None,
        relaxation: float = 1.0,
        batch: bool = False,
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
        self.target = target
        self.relaxation = relaxation
        self.batch = batch

    def _rule(self, patterns: Patterns) -> Rule:
        # Scores come out the same however the data are rescaled: no unit here.
        target = self.margin if self.target is None else self.target
        if target < self.margin:
            raise ValueError(f"target={target} is less than margin={self.margin}.")
        if target == 0.0:
            raise ValueError("margin=0 needs a target > 0: no step would leave the zero vector.")
        return Relaxation(float(self.margin), float(target))

    def _schedule(self, patterns: Patterns) -> Schedule:
        return constant(float(self.relaxation))

    def _look(self) -> Look:
        return Learner.all_together if self.batch else Learner.one_by_one

    def _advice(self, solution: Solution, certificate: Certificate) -> str:
        if self.batch:
            return (
                "All at once, corrections may diverge unless relaxation is less than 2 divided by "
                "the number of misclassified patterns: lower relaxation, or use batch=False."
            )
        return super()._advice(solution, certificate)
