"""A certificate and the data it is said to be about, read with suspicion.

Whatever no data could bear out is refused here, before anything is computed.
"""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from maxmargin.sparse_input import check_sparse
from maxmargin.verification import LabelledRows, SoftMargin, largest_entry

if TYPE_CHECKING:
    from maxmargin.certificate import Certificate

__all__ = [
    "POWERS",
    "InvalidCertificate",
    "check_fields",
    "check_sample_weight",
    "hyperplane",
    "labelled_rows",
    "multipliers_of",
    "soft_margin",
]

Floats = npt.NDArray[np.float64]

#: The losses of soft margins, and to which power they take a slack.
POWERS = {"squared_hinge": 2, "hinge": 1}
#: Costs and intercepts outside of 2 to these powers, in units of the data, are refused.
_COSTS_EXPONENT, _INTERCEPT_EXPONENT = 600, 1000


class InvalidCertificate(ValueError):
    """The data do not bear out what the certificate claims."""


def multipliers_of(certificate: Certificate) -> Floats:
    """Return the multipliers as a vector."""
    try:
        weights = check_sparse(certificate.dual_weights)
    except (AttributeError, ValueError) as error:
        raise InvalidCertificate(f"dual_weights cannot be read: {error}") from error
    return sparse.csr_array(weights).toarray().ravel()


def check_fields(c: Certificate, multipliers: Floats) -> None:
    """Refuse what no data can bear out."""
    _check_types(c)
    total, intercept_allowed = float(multipliers.sum()), c.rho is not None or c.free_intercept
    _refuse_first_fault(
        [
            (
                c.separable is None or isinstance(c.separable, bool),
                f"separable={c.separable!r} is none of True, False and None.",
            ),
            (
                c.rho is None or 0.0 < c.rho < np.inf,
                f"rho={c.rho!r} is no positive number, nor None for want of an intercept.",
            ),
            (
                isinstance(c.free_intercept, bool),
                f"free_intercept={c.free_intercept!r} is neither True nor False.",
            ),
            (
                c.rho is None or not c.free_intercept,
                f"rho={c.rho!r} with free_intercept=True: a free intercept has no rho.",
            ),
            (
                intercept_allowed or c.intercept == 0.0,
                f"intercept={c.intercept} without a rho.",
            ),
            (
                np.isfinite(c.coef).all() and np.isfinite(c.intercept),
                "coef or intercept is not finite.",
            ),
            (np.isin(c.positive, c.classes), f"positive={c.positive!r} is none of the classes."),
            (not (multipliers < 0.0).any(), "dual_weights has a negative entry."),
            # Products with much smaller ones could vanish. No multipliers prove nothing: allowed.
            (
                abs(total - 1.0) <= 1e-9 or not multipliers.any(),
                f"dual_weights has the sum {total}, not 1.",
            ),
        ]
    )
    _check_loss(c, multipliers)


def _check_types(c: Certificate) -> None:
    numbers = ["lower", "upper", "margin", "margin_upper", "radius", "intercept"]
    for name in numbers if c.rho is None else [*numbers, "rho"]:
        if not isinstance(getattr(c, name), Real):
            raise InvalidCertificate(f"{name}={getattr(c, name)!r} is no number.")
    if getattr(c.coef, "dtype", None) != np.float64 or c.coef.ndim != 1:
        raise InvalidCertificate("coef is no vector of floats.")


def _check_loss(c: Certificate, multipliers: Floats) -> None:
    known = c.loss is None or (isinstance(c.loss, str) and c.loss in POWERS)
    _refuse_first_fault(
        [
            (known, f"loss={c.loss!r} is none of None, 'squared_hinge' and 'hinge'."),
            (c.loss is None or c.costs is not None, f"loss={c.loss!r} without costs."),
        ]
    )
    costs = c.costs
    if costs is None:
        return
    if getattr(costs, "dtype", None) != np.float64 or costs.shape != multipliers.shape:
        raise InvalidCertificate(f"costs is no vector of {multipliers.size} floats.")
    if c.loss is None:  # of a hard margin costs can but say which patterns count
        if not ((costs == 0.0) | (costs == np.inf)).all():
            raise InvalidCertificate("costs without a loss must be zero or infinite.")
    elif not (np.isfinite(costs) & (costs >= 0.0)).all():
        raise InvalidCertificate("costs has an entry that is negative or not finite.")
    if multipliers[costs == 0.0].any():
        raise InvalidCertificate("dual_weights counts a pattern whose cost is zero.")


def _refuse_first_fault(conditions: Iterable[tuple[Any, str]]) -> None:
    for holds, fault in conditions:
        if not holds:
            raise InvalidCertificate(fault)


def labelled_rows(c: Certificate, X: Any, y: npt.ArrayLike, count: int) -> LabelledRows:
    """Return the data as what the certificate is about, if they can be."""
    y, shape = np.asarray(y), (count, c.coef.size)
    y = y.ravel() if y.shape == (count, 1) else y
    if sparse.issparse(X):
        X = sparse.csr_array(check_sparse(X))  # the arrays of a CSR matrix stay the caller's
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
    else:
        X = np.asarray(X)
    if X.shape != shape or y.shape != shape[:1]:
        raise InvalidCertificate(
            f"The certificate is about X of shape {shape} with one label a row, "
            f"got X of shape {X.shape} and y of shape {y.shape}."
        )
    if not np.isin(y, c.classes).all():
        raise InvalidCertificate("y has labels that the certificate does not know.")
    signs = np.where(y == c.positive, 1.0, -1.0)
    if abs(signs.sum()) == count:
        raise InvalidCertificate(f"All labels in y are on one side of {c.positive}.")
    if c.costs is not None:
        signs[c.costs == 0.0] = 0.0
        if not {-1.0, 1.0} <= set(signs):
            raise InvalidCertificate(f"All costs on one side of {c.positive} are zero.")
    return LabelledRows(X, signs, *_units(c, largest_entry(X, signs)), free=c.free_intercept)


def _units(c: Certificate, largest: float) -> tuple[float, float]:
    """Return the unit of the data and the constant in it."""
    if not np.isfinite(largest):
        raise InvalidCertificate("The certificate does not hold for data that are not finite.")
    # A power of two: exact, and its own inverse is a number too.
    unit = 0.5 ** float(np.clip(np.frexp(largest or c.rho or 1.0)[1], -1000, 1000))
    if c.rho is None:
        return unit, float(c.free_intercept)
    constant = float(c.rho) * unit
    if not 1e-150 < constant < 1e150:
        raise InvalidCertificate(f"rho={c.rho} is out of all proportion to the data.")
    return unit, constant


def hyperplane(c: Certificate, data: LabelledRows) -> tuple[Floats, int]:
    """Return [w, b / constant] in units of the data, divided by a power of two, and the power.

    The entries are below 1, so that nothing overflows. A free intercept, which is no part of the
    length, must not make those of w vanish: it may be larger.
    """
    values, exponents = np.frexp(np.append(c.coef, c.intercept).astype(np.float64))
    exponents[:-1] -= np.frexp(data.unit)[1] - 1
    if data.constant:
        constant, exponent = np.frexp(data.constant)
        values[-1] /= 2.0 * constant  # at most 1
        exponents[-1] += 1 - exponent
    decisive = values != 0.0
    if c.free_intercept and c.coef.any():
        decisive[-1] = False
    exponent = int(exponents.max(initial=-5000, where=decisive))
    if c.intercept and exponents[-1] - exponent > _INTERCEPT_EXPONENT:
        raise InvalidCertificate(f"intercept={c.intercept} is out of all proportion to coef.")
    return np.ldexp(values, exponents - exponent), exponent


def soft_margin(c: Certificate, data: LabelledRows, exponent: int) -> SoftMargin | None:
    """Return what makes the margin soft, in units of the data; None if it is hard."""
    if c.loss is None or c.costs is None:
        return None
    mantissas, exponents = np.frexp(c.costs)
    exponents -= 2 * (np.frexp(data.unit)[1] - 1)
    if np.abs(exponents[data.signs != 0.0]).max() > _COSTS_EXPONENT:
        raise InvalidCertificate("costs are out of all proportion to the data.")
    costs = np.ldexp(mantissas, exponents)
    return SoftMargin(POWERS[c.loss], costs, exponent)


def check_sample_weight(c: Certificate, sample_weight: npt.ArrayLike, signs: Floats) -> None:
    """Refuse sample weights that, but for a factor of each class, the costs are not."""
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != signs.shape:
        raise InvalidCertificate(
            f"sample_weight has the shape {weight.shape}, not {signs.shape}: one for each row."
        )
    if not (np.isfinite(weight) & (weight >= 0.0)).all():
        raise InvalidCertificate("sample_weight has an entry that is negative or not finite.")
    if c.costs is None:
        if not weight.all():
            raise InvalidCertificate(
                "sample_weight leaves out rows, but the certificate has no costs: it is about all."
            )
        return
    if weight[signs == 0.0].any():
        raise InvalidCertificate("costs are zero where sample_weight is not.")
    if c.loss is None:
        if not weight[signs != 0.0].all():
            raise InvalidCertificate("sample_weight leaves out rows that the certificate counts.")
        return
    for side in (-1.0, 1.0):
        costs, expected = (each[signs == side] for each in (c.costs, weight))
        costs, expected = costs / costs.max(), expected / (expected.max() or 1.0)
        if not (np.abs(costs - expected) <= 1e-9 * expected).all():
            raise InvalidCertificate("costs are not proportional to sample_weight in each class.")
