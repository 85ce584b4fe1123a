"""The proof, carried by every fitted model, of how close its margin is to the best one.

This module knows nothing of how models are found: it imports nothing of the package, and
:meth:`Certificate.verify` recomputes every claim from the data with plain NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

__all__ = ["Certificate", "InvalidCertificate", "VerifiedBounds"]

Floats = npt.NDArray[np.float64]
_EPSILON = float(np.finfo(np.float64).eps)
_ROWS_AT_ONCE = 8192
#: Inseparability is proven by an eigenvalue problem of the number of features, up to this.
_WIDEST_PROOF = 500


class InvalidCertificate(ValueError):
    """The data do not bear out what the certificate claims."""


@dataclass(frozen=True)
class VerifiedBounds:
    """What :meth:`Certificate.verify` recomputed from the data."""

    lower: float
    upper: float
    margin: float
    margin_upper: float


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
        rows = [
            ("margin", "achieved", "best possible <=", "gap"),
            ("geometric", self.margin, self.margin_upper, self.margin_gap),
            ("directional", self.lower, self.upper, self.gap),
        ]
        lines = [f"Certificate: strictly separable? {known}"]
        for name, *values in rows:
            cells = [v if isinstance(v, str) else f"{v:.6g}" for v in values]
            lines.append(f"  {name:<12}{cells[0]:>14}{cells[1]:>18}{cells[2]:>12}")
        rho = "no intercept" if self.rho is None else f"rho {self.rho:.6g}"
        lines.append(
            f"  radius {self.radius:.6g}, {rho}, "
            f"proof on {self.dual_weights.nnz} of {self.dual_weights.shape[1]} patterns"
        )
        return "\n".join(lines)

    def verify(self, X: Any, y: npt.ArrayLike) -> VerifiedBounds:
        """Recompute every claim from the data, the hyperplane and the multipliers.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows the model was fitted to.
        y : array of shape (n,)
            Their labels.

        Returns
        -------
        VerifiedBounds
            The bounds as recomputed, not widened for rounding.

        Raises
        ------
        InvalidCertificate
            If a claim does not hold: other data, other labels or a certificate tampered with.
        """
        X, labels = self._checked(X, y)
        size = max(float(abs(X).max()), self.rho or 0.0)
        unit = 0.5 ** float(np.clip(np.frexp(size)[1], -1000, 1000))  # exact; nothing overflows
        a = np.append(self.coef / unit, self.intercept / (self.rho * unit) if self.rho else 0.0)
        a = np.ldexp(a, -int(np.frexp(np.abs(a).max())[1]))  # only its direction counts
        constant = (self.rho or 0.0) * unit
        multipliers = self.dual_weights.toarray().ravel()

        scores = np.empty(labels.size)
        squares = np.empty(labels.size)
        sums = {1.0: np.zeros(a.size), -1.0: np.zeros(a.size)}
        for part in _slices(0, labels.size):
            rows = X[part].astype(np.float64) * unit
            scores[part] = labels[part] * (rows @ a[:-1] + constant * a[-1])
            squares[part] = np.asarray((rows * rows).sum(axis=1)).ravel()
            for label, total in sums.items():
                weights = multipliers[part] * (labels[part] == label)
                total += np.append(weights @ rows, constant * weights.sum())
        mass = {label: float(multipliers[labels == label].sum()) for label in sums}
        length, normal = float(np.linalg.norm(a)), float(np.linalg.norm(a[:-1]))
        lowest = float(scores.min())
        upper = margin_upper = np.inf
        if sum(mass.values()) > 0.0:
            upper = np.linalg.norm(sums[1.0] - sums[-1.0]) / sum(mass.values()) / unit
        if min(mass.values()) > 0.0:
            middle = sums[1.0] / mass[1.0] - sums[-1.0] / mass[-1.0]
            margin_upper = np.linalg.norm(middle[:-1]) / 2.0 / unit
        found = VerifiedBounds(
            lower=lowest / length / unit if length else np.nan,
            upper=float(upper),
            margin=lowest / normal / unit if normal else np.nan,
            margin_upper=float(upper if self.rho is None else margin_upper),
        )
        radius, tilt = float(np.sqrt(squares.max())) / unit, length / (normal or np.nan)
        share = abs(float(a[-1])) / (length or 1.0)
        largest_score = radius * (normal / (length or 1.0)) + (self.rho or 0.0) * share
        self._compare(found, radius, tilt, largest_score)
        if self.separable is False:
            distance = (found.upper + self._rounding(radius)) * unit * multipliers.sum()
            if not self._meets(X, labels, unit, multipliers, distance):
                raise InvalidCertificate("separable=False is not proven by the multipliers.")
        return found

    def _checked(self, X: Any, y: npt.ArrayLike) -> tuple[Any, Floats]:
        """Return X and y as -1 and +1, of the shape the certificate is about."""
        # A copy where SciPy would put X in order in place: the arrays are the caller's.
        X = sparse.csr_array(X, copy=True) if sparse.issparse(X) else np.asarray(X)
        y = np.asarray(y)
        shape = (self.dual_weights.shape[1], self.coef.size)
        if X.shape != shape or y.shape != shape[:1]:
            raise InvalidCertificate(
                f"The certificate is about X of shape {shape} with one label a row, "
                f"got X of shape {X.shape} and y of shape {y.shape}."
            )
        if not np.isin(y, self.classes).all():
            raise InvalidCertificate("y has labels that the certificate does not know.")
        if self.rho is None and self.intercept != 0.0:
            raise InvalidCertificate(f"intercept={self.intercept} without a rho.")
        if self.dual_weights.nnz and not self.dual_weights.data.min() >= 0.0:
            raise InvalidCertificate("dual_weights has a negative entry.")
        return X, np.where(y == self.positive, 1.0, -1.0)

    def _compare(
        self, found: VerifiedBounds, radius: float, tilt: float, largest_score: float
    ) -> None:
        """Refuse claims that are better than what was found, but for rounding errors."""
        rounding = self._rounding(radius)
        of_a_score = 0.5 * _EPSILON * (self.coef.size + 8.0) * largest_score
        claims = [
            ("lower", _not_above(self.lower, found.lower + rounding)),
            ("upper", _not_above(found.upper - rounding, self.upper)),
            ("margin", _not_above(self.margin, found.margin + rounding * tilt)),
            ("margin_upper", _not_above(found.margin_upper - rounding, self.margin_upper)),
            ("radius", abs(self.radius - radius) <= 1e-9 * radius),
            ("separable", not self.separable or found.lower > of_a_score),
        ]
        for name, holds in claims:
            if not holds:
                raise InvalidCertificate(
                    f"{name}={getattr(self, name)!r} does not hold for these data; found {found}."
                )

    def _rounding(self, radius: float) -> float:
        terms = self.coef.size + 2.0 * _ROWS_AT_ONCE + self.dual_weights.shape[1] / _ROWS_AT_ONCE
        return 4.0 * _EPSILON * terms * (radius + (self.rho or 0.0))

    def _meets(
        self, X: Any, labels: Floats, unit: float, multipliers: Floats, distance: float
    ) -> bool:
        def patterns(chosen: npt.NDArray[np.intp]) -> Floats:
            rows = X[chosen]
            rows = (rows.toarray() if sparse.issparse(rows) else rows).astype(np.float64) * unit
            if self.rho is not None:
                rows = np.column_stack([rows, np.full(chosen.size, self.rho * unit)])
            return labels[chosen, None] * rows

        return hulls_meet(multipliers, distance, patterns)


def hulls_meet(
    multipliers: Floats, distance: float, patterns: Callable[[npt.NDArray[np.intp]], Floats]
) -> bool:
    r"""Prove that no hyperplane has all patterns strictly on its positive side.

    A combination :math:`z = \sum_k \lambda_k y_k` that is almost zero proves nothing yet. But if
    some of its patterns Y span all coordinates, their multipliers can be corrected by at most
    :math:`\|z\| / \sigma_{min}(Y)` to make it exactly zero; when that is less than the smallest
    of them, all stay positive.

    Parameters
    ----------
    multipliers : ndarray of shape (n,)
        Non-negative.
    distance : float
        Norm of their combination, rounded up.
    patterns : callable
        Returns the patterns of given numbers, dense.
    """
    support = np.flatnonzero(multipliers)
    if not support.size:
        return False
    width = patterns(support[:1]).shape[1]
    if not width <= support.size or width > _WIDEST_PROOF:
        return False
    # The larger multipliers alone may do: fewer patterns, but a larger smallest multiplier.
    support = support[np.argsort(-multipliers[support], kind="stable")]
    gram, done = np.zeros((width, width)), 0
    for count in sorted({min(width * 2**k, support.size) for k in range(0, 8, 2)}):
        for part in _slices(done, count):
            Y = patterns(support[part])
            gram += Y.T @ Y
        done = count
        smallest = np.linalg.eigvalsh(gram)[0] - 4.0 * width * _EPSILON * np.trace(gram)
        if smallest > 0.0 and distance < np.sqrt(smallest) * multipliers[support[count - 1]]:
            return True
    return False


def _not_above(small: float, large: float) -> bool:
    """Tell whether small <= large, or neither is defined."""
    return bool(small <= large or (np.isnan(small) and np.isnan(large)))


def _slices(first: int, last: int) -> Iterator[slice]:
    for start in range(first, last, _ROWS_AT_ONCE):
        yield slice(start, min(start + _ROWS_AT_ONCE, last))


def _half_inverse_square(margin: float) -> float:
    """Return ``1 / (2 margin^2)``, which may be too large or too small for a number."""
    margin = float(margin)
    return 0.5 / margin / margin if margin > 0.0 else np.inf


def _gap(lower: float, upper: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(1.0 - np.divide(lower, upper))
