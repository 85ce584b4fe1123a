"""From costs to a solved problem to what the user sees: its certificate, and a warning."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from maxmargin.certificate import Certificate
from maxmargin.patterns import Patterns
from maxmargin.solvers import HARD, Objective, Solution, best_method

__all__ = ["certified", "checked_costs", "scaled_costs", "warning_about"]

Floats = npt.NDArray[np.float64]

#: Range of what a pattern may cost, times its square: beyond, squares of it are no numbers.
_LEAST, _MOST = 1e-150, 1e150
#: A constant so many times as large as a row hides what the row says.
_FAR_OUT = 1e4


def checked_costs(estimator: Any, X: Any, y: npt.NDArray[Any], sample_weight: Any) -> Floats:
    """Return C times the weights of each row and of its class; zero where a row does not count."""
    weight = np.ones(X.shape[0])
    if sample_weight is not None:
        weight = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        ).astype(np.float64)
    if estimator.class_weight is not None:
        classes, codes = np.unique(y, return_inverse=True)
        counted = y[weight > 0.0]  # "balanced" is about rows that count
        factors = np.zeros(classes.size)
        among = np.isin(classes, counted)
        factors[among] = compute_class_weight(
            estimator.class_weight, classes=classes[among], y=counted
        )
        if not (np.isfinite(factors) & (factors >= 0.0)).all():
            raise ValueError("class_weight has a weight that is negative or not finite.")
        with np.errstate(over="ignore"):
            weight = weight * factors[codes]
    counting = weight > 0.0
    if not counting.any():
        raise ValueError("The product of sample_weight and class_weight is zero for every row.")
    costs = np.zeros(weight.size)
    with np.errstate(over="ignore"):
        costs[counting] = float(estimator.C) * weight[counting]
    if not costs[counting].all():
        raise ValueError(
            f"C={estimator.C:g} times the weights is zero for rows that have a weight."
        )
    return costs


def scaled_costs(costs: Floats, patterns: Patterns, C: float) -> Floats:
    """Return costs for the rescaled patterns, or say that they are of no use."""
    with np.errstate(over="ignore", under="ignore"):
        scaled = costs / patterns.unit / patterns.unit
        reach = scaled * (patterns.longest_squared or 1.0)
        if not (reach.min() > _LEAST and reach.max() < _MOST):
            raise ValueError(
                f"C={C:g} (with the weights) is out of all proportion to the data, whose longest "
                f"row has the norm {patterns.radius / patterns.unit:.6g}. Scale the data."
            )
    return scaled


@np.errstate(over="ignore")
def certified(
    objective: Objective,
    solution: Solution,
    costs: Floats,
    classes: npt.NDArray[Any],
    positive: Any,
) -> Certificate:
    """Return the certificate of a solution, in the units of the data as given.

    ``costs`` are those of all rows; the solution is about those of positive cost.
    """
    patterns, unit = objective.patterns, objective.patterns.unit
    counting = costs > 0.0
    coef, intercept = patterns.hyperplane(solution.weights)
    loss = None if objective.loss == HARD else objective.loss
    return Certificate(
        lower=solution.lower / unit,
        upper=solution.upper / unit,
        margin=solution.geometric / unit,
        margin_upper=solution.geometric_upper / unit,
        separable=solution.separable,
        radius=patterns.radius / unit,
        rho=None if objective.free else patterns.rho / unit or None,
        dual_weights=_shares(solution.alpha, counting),
        coef=coef,
        intercept=intercept,
        classes=classes,
        positive=positive,
        free_intercept=objective.free,
        loss=loss,
        costs=None if loss is None and counting.all() else costs,
    )


def _shares(alpha: Floats, counting: npt.NDArray[np.bool_]) -> Any:
    """Return multipliers of the rows that count as those of all rows, with the sum 1."""
    used = np.flatnonzero(alpha)
    values, ends = alpha[used] / (alpha.sum() or 1.0), np.array([0, used.size])
    rows = np.flatnonzero(counting)[used] if not counting.all() else used
    return sparse.csr_array((values, rows, ends), shape=(1, counting.size))


def warning_about(
    estimator: Any, objectives: list[Objective], solutions: list[Solution]
) -> str | None:
    """Say what was not reached, what is certified all the same, and what to change; or nothing.

    Of several hyperplanes it is said of the one that is farthest from the best, and of how many.
    """
    found = zip(objectives, solutions, estimator.certificates_, strict=True)
    missed = [
        (objective, solution, certificate)
        for objective, solution, certificate in found
        if solution.ended_by not in ("tol", "callback") and not certificate.gap <= estimator.tol
    ]
    if not missed:
        return None
    worst = max(missed, key=lambda each: np.nan_to_num(each[2].gap, nan=np.inf))
    text = _explanation(estimator, *worst, one_of_many=len(solutions) > 1)
    return text if len(missed) == 1 else f"{text} (The farthest of {len(missed)} such classes.)"


def _explanation(
    estimator: Any,
    objective: Objective,
    solution: Solution,
    certificate: Certificate,
    one_of_many: bool,
) -> str:
    name = type(estimator).__name__
    if one_of_many:
        name = f"{name} for class {certificate.positive} against the others"
    if objective.loss == HARD and not certificate.lower > 0.0:
        upper = f"none can be larger than {certificate.margin_upper:.3g}"
        if certificate.separable is False:
            return (
                f"{name}: it is proven that no hyperplane separates the data, so there is no hard "
                f"margin; {upper}. Use a finite C."
            )
        return (
            f"{name}: no hyperplane separates the data as far as could be found; of hard margins "
            f"{upper}. Use a finite C, or scale the features to similar ranges if the data are "
            "known to be separable."
        )
    reason, advice = f"max_iter={estimator.max_iter} iterations", "Raise max_iter."
    if solution.ended_by == "rounding":
        reason, advice = "the rounding errors of float64", "Scale the features to similar ranges."
        if certificate.rho is not None and certificate.rho > _FAR_OUT * certificate.radius:
            advice = "Use a rho that is not so much larger than the rows."
    elif estimator.solver_ != best_method(objective):
        advice = 'Use solver="auto".'
    return (
        f"{name} was stopped by {reason} at a certified gap of {certificate.gap:.3g}, more than "
        f"tol={estimator.tol:g}: its margin is at least {certificate.lower:.6g}, and no "
        f"hyperplane has more than {certificate.upper:.6g}. {advice}"
    )
