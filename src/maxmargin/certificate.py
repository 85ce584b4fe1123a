"""The proof, carried by every fitted model, of how close its margin is to the best one.

This module knows nothing of how models are found: :meth:`Certificate.verify` recomputes every claim
from the data, with code of its own (:mod:`maxmargin.verification`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from maxmargin.sparse_input import check_sparse
from maxmargin.verification import (
    LabelledRows,
    Recomputed,
    VerifiedBounds,
    hulls_meet,
    largest_entry,
    recompute,
)

__all__ = ["Certificate", "InvalidCertificate", "VerifiedBounds"]

Floats = npt.NDArray[np.float64]


class InvalidCertificate(ValueError):
    """The data do not bear out what the certificate claims."""


@dataclass(frozen=True, repr=False)
class Certificate:
    r"""Bounds of the best margin, with the hyperplane and the multipliers that prove them.

    A pattern is :math:`y_k = l_k [x_k, \rho]`, a hyperplane :math:`a = [w, b / \rho]`. For any
    hyperplane and any multipliers :math:`\alpha_k \ge 0` the best directional margin
    :math:`\gamma_d = \max_{\|u\|=1} \min_k y_k \cdot u` lies between

    .. math:: \min_k \frac{y_k \cdot a}{\|a\|} \;\le\; \gamma_d \;\le\;
              \frac{\|\sum_k \alpha_k y_k\|}{\sum_k \alpha_k} .

    The left side is what the model achieves, the right side a point of the convex hull of the
    patterns, from which no hyperplane can stand farther off (S5, eq. 3, for any multipliers).
    Both bounds are widened by the rounding errors of their sums.

    Attributes
    ----------
    lower, upper : float
        Bounds of the best directional margin: the problem that was solved.
    margin : float
        Geometric margin of the fitted hyperplane, the distance from it to the nearest row;
        negative when rows are on the wrong side, NaN when ``w = 0``.
    margin_upper : float
        No hyperplane has a larger geometric margin: half the distance between the means of the
        two classes, weighted by the multipliers. There is no rho in it. Without an
        intercept, only hyperplanes through the origin compete and it equals `upper`.
    separable : bool or None
        Whether some hyperplane has every row strictly on its side; None: not known.
    radius : float
        Norm of the longest row.
    rho : float or None
        The constant appended to the rows; None without an intercept.
    dual_weights : csr_array of shape (1, n)
        The multipliers, scaled to sum to 1: the proof of the upper bounds.
    coef : ndarray of shape (d,)
        Normal vector w of the hyperplane.
    intercept : float
        Its constant b.
    classes : ndarray
        All labels that occurred.
    positive : object
        The label on the positive side; every other one is on the negative side.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import MinOverPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MinOverPerceptron().fit(X, y == 0)
    >>> model.certificate_
    Certificate: strictly separable? yes, proven
      margin            achieved  best possible <=         gap
      geometric         0.813615          0.818901  0.00645463
      directional       0.809434          0.813446  0.00493147
      radius 11.1113, rho 11.1113, proof on 9 of 150 patterns
    >>> model.certificate_.verify(X, y == 0).margin >= model.certificate_.margin
    True
    """

    lower: float
    upper: float
    margin: float
    margin_upper: float
    separable: bool | None
    radius: float
    rho: float | None
    dual_weights: Any = field(compare=False)
    coef: Floats = field(compare=False)
    intercept: float
    classes: npt.NDArray[Any] = field(compare=False)
    positive: Any

    @property
    def gap(self) -> float:
        """Relative distance ``1 - lower / upper`` between the bounds of the directional margin."""
        return _gap(self.lower, self.upper)

    @property
    def margin_gap(self) -> float:
        """Relative distance between the geometric margin and the best possible one."""
        return _gap(self.margin, self.margin_upper)

    @property
    def primal(self) -> float:
        """``min ||a||^2 / 2`` subject to ``y_k.a >= 1``, from above: ``1 / (2 lower^2)``."""
        return _half_inverse_square(self.lower)

    @property
    def dual(self) -> float:
        """The same minimum from below, ``1 / (2 upper^2)``; unbounded for inseparable data."""
        return _half_inverse_square(self.upper)

    def __repr__(self) -> str:
        known = {True: "yes, proven", False: "no, proven", None: "not known"}[self.separable]
        against = f" for {self.positive} against the others" if len(self.classes) > 2 else ""
        lines = [
            f"Certificate{against}: strictly separable? {known}",
            f"  {'margin':<12}{'achieved':>14}{'best possible <=':>18}{'gap':>12}",
        ]
        for name, achieved, possible, gap in (
            ("geometric", self.margin, self.margin_upper, self.margin_gap),
            ("directional", self.lower, self.upper, self.gap),
        ):
            relative = f"{gap:.6g}" if achieved > 0.0 else "-"  # to a margin that there is not
            lines.append(f"  {name:<12}{achieved:>14.6g}{possible:>18.6g}{relative:>12}")
        rho = "no intercept" if self.rho is None else f"rho {self.rho:.6g}"
        lines.append(
            f"  radius {self.radius:.6g}, {rho}, "
            f"proof on {self.dual_weights.nnz} of {self.dual_weights.shape[1]} patterns"
        )
        return "\n".join(lines)

    @np.errstate(over="ignore", under="ignore")  # in the units of the data, bounds may do so
    def verify(self, X: Any, y: npt.ArrayLike) -> VerifiedBounds:
        """Recompute every claim from the data, the hyperplane and the multipliers.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows the model was fitted to, in the same order.
        y : array of shape (n,) or (n, 1)
            Their labels.

        Returns
        -------
        VerifiedBounds
            The bounds as recomputed, not widened for rounding.

        Raises
        ------
        InvalidCertificate
            If a claim does not hold: other data, other labels or a certificate tampered with.
        ValueError
            If X is no matrix of numbers, or sparse with arrays that do not fit together.
        """
        multipliers = self._multipliers()
        self._check_consistency(multipliers)
        data = self._labelled(X, y, multipliers.size)
        recomputed = recompute(data, self._direction(), multipliers)
        self._compare(recomputed)
        if self.separable is False and not hulls_meet(
            multipliers, recomputed.farthest, data.patterns
        ):
            raise InvalidCertificate("separable=False is not proven by the multipliers.")
        return recomputed.bounds()

    def _multipliers(self) -> Floats:
        try:
            weights = check_sparse(self.dual_weights)
        except (AttributeError, ValueError) as error:
            raise InvalidCertificate(f"dual_weights cannot be read: {error}") from error
        return sparse.csr_array(weights).toarray().ravel()

    def _check_consistency(self, multipliers: Floats) -> None:
        """Refuse what no data can bear out."""
        self._check_types()
        total, hyperplane = float(multipliers.sum()), np.append(self.coef, self.intercept)
        conditions = [
            (
                self.separable is None or isinstance(self.separable, bool),
                f"separable={self.separable!r} is none of True, False and None.",
            ),
            (
                self.rho is None or 0.0 < self.rho < np.inf,
                f"rho={self.rho!r} is no positive number, nor None for want of an intercept.",
            ),
            (
                self.rho is not None or self.intercept == 0.0,
                f"intercept={self.intercept} without a rho.",
            ),
            (np.isfinite(hyperplane).all(), "coef or intercept is not finite."),
            (
                np.isin(self.positive, self.classes),
                f"positive={self.positive!r} is none of the classes.",
            ),
            (not (multipliers < 0.0).any(), "dual_weights has a negative entry."),
            # Products with much smaller ones could vanish. No multipliers prove nothing: allowed.
            (
                abs(total - 1.0) <= 1e-9 or not multipliers.any(),
                f"dual_weights has the sum {total}, not 1.",
            ),
        ]
        for holds, fault in conditions:
            if not holds:
                raise InvalidCertificate(fault)

    def _check_types(self) -> None:
        numbers = ["lower", "upper", "margin", "margin_upper", "radius", "intercept"]
        for name in numbers if self.rho is None else [*numbers, "rho"]:
            if not isinstance(getattr(self, name), Real):
                raise InvalidCertificate(f"{name}={getattr(self, name)!r} is no number.")
        if getattr(self.coef, "dtype", None) != np.float64 or self.coef.ndim != 1:
            raise InvalidCertificate("coef is no vector of floats.")

    def _labelled(self, X: Any, y: npt.ArrayLike, count: int) -> LabelledRows:
        """Return the data as what the certificate is about, if they can be."""
        y, shape = np.asarray(y), (count, self.coef.size)
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
        if not np.isin(y, self.classes).all():
            raise InvalidCertificate("y has labels that the certificate does not know.")
        signs = np.where(y == self.positive, 1.0, -1.0)
        if abs(signs.sum()) == count:
            raise InvalidCertificate(f"All labels in y are on one side of {self.positive}.")
        largest = largest_entry(X)
        if not np.isfinite(largest):
            raise InvalidCertificate("The certificate does not hold for data that are not finite.")
        # A power of two: exact, and its own inverse is a number too.
        unit = 0.5 ** float(np.clip(np.frexp(largest or self.rho or 1.0)[1], -1000, 1000))
        constant = float(self.rho or 0.0) * unit
        if self.rho is not None and not 1e-150 < constant < 1e150:
            raise InvalidCertificate(f"rho={self.rho} is out of all proportion to the data.")
        return LabelledRows(X, signs, unit, constant)

    def _direction(self) -> Floats:
        """Return [w, b / rho] times a power of two, with entries below 1; nothing overflows."""
        values, exponents = np.frexp(np.append(self.coef, self.intercept).astype(np.float64))
        if self.rho is not None:
            rho, exponent = np.frexp(self.rho)
            values[-1] /= 2.0 * rho  # at most 1
            exponents[-1] += 1 - exponent
        return np.ldexp(values, exponents - exponents.max(initial=-5000, where=values != 0.0))

    def _compare(self, recomputed: Recomputed) -> None:
        """Refuse claims that are better than what was found, but for rounding errors."""
        found, limits, radius = recomputed.bounds(), recomputed.bounds(1), recomputed.radius
        claims = {
            "lower": _not_above(self.lower, limits.lower),
            "upper": limits.upper <= self.upper,
            "margin": _not_above(self.margin, limits.margin),
            "margin_upper": limits.margin_upper <= self.margin_upper,
            "radius": abs(self.radius - radius) <= 1e-9 * radius,
            "separable": not self.separable or recomputed.separated,
        }
        for name, holds in claims.items():
            if not holds:
                raise InvalidCertificate(
                    f"{name}={getattr(self, name)!r} does not hold for these data; found {found}."
                )


def _not_above(small: float, large: float) -> bool:
    """Tell whether small <= large, or neither is defined."""
    return bool(small <= large or (np.isnan(small) and np.isnan(large)))


def _half_inverse_square(margin: float) -> float:
    """Return ``1 / (2 margin^2)``, which may be too large or too small for a number."""
    margin = float(margin)
    return 0.5 / margin / margin if margin > 0.0 else np.inf


def _gap(lower: float, upper: float) -> float:
    with np.errstate(all="ignore"):
        return float(1.0 - np.divide(lower, upper))
