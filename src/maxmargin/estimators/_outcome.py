"""From the outcome of a run to what the user sees: its certificate, and a warning."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from maxmargin.bounds import inseparable, lower_bounds
from maxmargin.certificate import Certificate
from maxmargin.monitor import Solution
from maxmargin.patterns import Patterns

__all__ = ["certified", "explanation", "in_units"]

Floats = npt.NDArray[np.float64]


@np.errstate(over="ignore")  # only bounds that say nothing anyway exceed the largest number
def certified(
    patterns: Patterns, weights: Floats, solution: Solution, classes: Any, positive: Any
) -> Certificate:
    """Return the certificate of a hyperplane, in the units of the data as given."""
    lower = solution.state.lower
    if weights is not solution.state.weights:
        lower = lower_bounds(patterns, weights)
    separable = True if lower.margin > 0.0 else None
    if separable is None and inseparable(patterns, solution.proof, solution.upper):
        separable = False
    total = solution.proof.sum()
    coef, intercept = patterns.hyperplane(weights)
    unit = patterns.unit
    return Certificate(
        lower=lower.margin / unit,
        upper=solution.upper.margin / unit,
        margin=lower.geometric / unit,
        margin_upper=solution.upper.geometric / unit,
        separable=separable,
        radius=patterns.radius / unit,
        rho=patterns.rho / unit or None,
        dual_weights=sparse.csr_array(solution.proof[None, :] / (total or 1.0)),
        coef=coef,
        intercept=intercept,
        classes=classes,
        positive=positive,
    )


@np.errstate(over="ignore")
def in_units(history: npt.NDArray[Any], unit: float) -> npt.NDArray[Any]:
    """Return a history with its bounds in the units of the data as given."""
    history["lower"] /= unit
    history["upper"] /= unit
    return history


def explanation(
    name: str, solution: Solution, certificate: Certificate, max_iter: int, advice: str
) -> str:
    """Say why a run was cut short, what is certified all the same, and what to change."""
    reason = {
        "max_iter": f"stopped at max_iter={max_iter} epochs before it was done",
        "overflow": "stopped because its weights grew beyond all bounds",
        "search": "found no margin that it could hold",
    }[solution.ended_by]
    if len(certificate.classes) > 2:
        name = f"{name} for class {certificate.positive} against the others"
    # A boundary moved to the middle has no errors left if it has a margin.
    errors = 0 if certificate.separable else solution.state.lower.errors
    known = {True: "are separable", False: "are not separable", None: "may not be separable"}
    return (
        f"{name} {reason}; the best certified state is kept. It has {errors} of "
        f"{certificate.dual_weights.shape[1]} patterns on the wrong side. Certified: its geometric "
        f"margin is {certificate.margin:.4g}, no hyperplane has more than "
        f"{certificate.margin_upper:.4g}, the data {known[certificate.separable]}. {advice}"
    )
