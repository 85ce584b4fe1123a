"""The proof, carried by every fitted model, of how close its margin is to the best one.

This module knows nothing of how models are found: :meth:`Certificate.verify` recomputes every claim
from the data, with code of its own (:mod:`maxmargin.verification`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin.consistency import (
    InvalidCertificate,
    check_fields,
    check_sample_weight,
    hyperplane,
    labelled_rows,
    multipliers_of,
    soft_margin,
)
from maxmargin.verification import Recomputed, VerifiedBounds, recompute

__all__ = ["Certificate", "InvalidCertificate", "VerifiedBounds"]

Floats = npt.NDArray[np.float64]


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
    All bounds are widened by the rounding errors of their sums.

    For a *free intercept* the margin is the geometric one. With :math:`\mu_\pm`, the means of the
    two classes weighted by the multipliers, it lies between

    .. math:: \frac{\min_+ w \cdot x - \max_- w \cdot x}{2 \|w\|} \;\le\; \gamma \;\le\;
              \frac{\|\mu_+ - \mu_-\|}{2} .

    A *soft margin* is :math:`1 / \sqrt{2 P}` with the least possible

    .. math:: P = \tfrac12 \|a\|^2 + \sum_k C_k \max(0, 1 - y_k \cdot a)^p ,

    p = 2 for the squared hinge and 1 for the hinge, and a without the intercept if that is free.
    `lower` is that of the hyperplane as stored. `upper` is :math:`1 / \sqrt{2 D}`, where D is the
    dual objective of the multipliers at the best length they allow:
    :math:`1 / (2 \|z\|^2 + \sum_k \alpha_k^2 / C_k)` for the squared hinge, and for the hinge
    :math:`s - s^2 \|z\|^2 / 2` with :math:`s = \min(1 / \|z\|^2, \min_k C_k / \alpha_k)`, where
    :math:`z = \sum_k \alpha_k y_k`. For a free intercept the multipliers of both classes are first
    brought to the same sum.

    Attributes
    ----------
    lower, upper : float
        Bounds of the best margin of the problem that was solved: directional, geometric for a
        free intercept, or soft.
    margin : float
        Geometric margin of the fitted hyperplane, the distance from it to the nearest row;
        negative when rows are on the wrong side, NaN when ``w = 0``.
    margin_upper : float
        No hyperplane has a larger geometric margin: half the distance between the means of the
        two classes, weighted by the multipliers. There is no rho in it. Without an
        intercept, only hyperplanes through the origin compete, and it is
        ``||sum alpha_k y_k|| / sum alpha_k``, which equals `upper` if the margin is hard.
    separable : bool or None
        Whether some hyperplane has every row strictly on its side; None: not known.
    radius : float
        Norm of the longest row.
    rho : float or None
        The constant appended to the rows; None without an intercept, or with a free one.
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
    free_intercept : bool
        Whether the intercept is free: no part of the length of a hyperplane.
    loss : {None, "squared_hinge", "hinge"}
        What the slacks of a soft margin cost; None: a hard margin.
    costs : ndarray of shape (n,) or None
        The factors C of a soft margin. Rows of cost zero do not count: the certificate says
        nothing about them.

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
    free_intercept: bool = False
    loss: str | None = None
    costs: Floats | None = field(default=None, compare=False)

    @property
    def gap(self) -> float:
        """Relative distance ``1 - lower / upper`` between the bounds of the problem solved."""
        return _gap(self.lower, self.upper)

    @property
    def margin_gap(self) -> float:
        """Relative distance between the geometric margin and the best possible one."""
        return _gap(self.margin, self.margin_upper)

    @property
    def primal(self) -> float:
        """The objective P of the problem solved, ``1 / (2 lower^2)``.

        That of a hard margin is ``||a||^2 / 2`` at the length where all ``y_k.a >= 1``, that of a
        soft margin also counts the losses. The relative gap of the objectives is
        ``primal / dual - 1 = (upper / lower)^2 - 1``.
        """
        return _half_inverse_square(self.lower)

    @property
    def dual(self) -> float:
        """What P is at least, ``1 / (2 upper^2)``; unbounded for a hard margin of inseparable data.

        The objective D of the dual problem, for the multipliers at their best length.
        """
        return _half_inverse_square(self.upper)

    def __repr__(self) -> str:
        known = {True: "yes, proven", False: "no, proven", None: "not known"}[self.separable]
        against = f" for {self.positive} against the others" if len(self.classes) > 2 else ""
        lines = [
            f"Certificate{against}: strictly separable? {known}",
            f"  {'margin':<12}{'achieved':>14}{'best possible <=':>18}{'gap':>12}",
        ]
        rows = [("geometric", self.margin, self.margin_upper, self.margin_gap)]
        if self.loss is not None:
            rows.append(("soft", self.lower, self.upper, self.gap))
        elif not self.free_intercept:
            rows.append(("directional", self.lower, self.upper, self.gap))
        for name, achieved, possible, gap in rows:
            relative = f"{gap:.6g}" if achieved > 0.0 else "-"  # to a margin that there is not
            lines.append(f"  {name:<12}{achieved:>14.6g}{possible:>18.6g}{relative:>12}")
        if self.loss is not None:
            lines.append(f"  objective {self.primal:.6g}, best possible >= {self.dual:.6g}")
        intercept = "no intercept" if self.rho is None else f"rho {self.rho:.6g}"
        if self.free_intercept:
            intercept = "intercept free"
        lines.append(
            f"  radius {self.radius:.6g}, {intercept}, "
            f"proof on {self.dual_weights.nnz} of {self.dual_weights.shape[1]} patterns"
        )
        return "\n".join(lines)

    @np.errstate(over="ignore", under="ignore")  # in the units of the data, bounds may do so
    def verify(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> VerifiedBounds:
        """Recompute every claim from the data, the hyperplane and the multipliers.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows the model was fitted to, in the same order.
        y : array of shape (n,) or (n, 1)
            Their labels.
        sample_weight : array of shape (n,) or None
            The weights of the rows in the fit. In each class the costs must be proportional to
            them; without costs, all must be positive.

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
        multipliers = multipliers_of(self)
        check_fields(self, multipliers)
        data = labelled_rows(self, X, y, multipliers.size)
        if sample_weight is not None:
            check_sample_weight(self, sample_weight, data.signs)
        direction, exponent = hyperplane(self, data)
        soft = soft_margin(self, data, exponent)
        recomputed = recompute(data, direction, multipliers, soft)
        self._compare(recomputed)
        if self.separable is False and not recomputed.inseparable(multipliers):
            raise InvalidCertificate("separable=False is not proven by the multipliers.")
        return recomputed.bounds()

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
        if self.lower > self.upper:  # within the errors of the sums made here each may hold alone
            raise InvalidCertificate(
                f"lower={self.lower!r} exceeds upper={self.upper!r}: one of them is wrong."
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
