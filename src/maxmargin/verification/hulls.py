"""The proof that no hyperplane has all patterns on one side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from maxmargin.verification.reading import MOST_ROWS_AT_ONCE, slices
from maxmargin.verification.rounding import EPSILON, TINY

__all__ = ["hulls_meet"]

Floats = npt.NDArray[np.float64]

#: Inseparability is proven by an eigenvalue problem of the number of features, up to this.
_WIDEST_PROOF = 500


def hulls_meet(
    multipliers: Floats,
    distance: float,
    patterns: Callable[[npt.NDArray[np.intp]], Floats],
    caution: float = 1.0,
) -> bool:
    r"""Prove that no hyperplane has all patterns strictly on its positive side.

    A combination :math:`z = \sum_k \lambda_k y_k` that is almost zero proves nothing yet. But if
    some of its patterns Y span all coordinates, their multipliers can be corrected by at most
    :math:`\|z\| / \sigma_{min}(Y)` to make it exactly zero; when that is less than the smallest
    of them, all stay positive.

    Parameters
    ----------
    multipliers : ndarray of shape (n,)
        If they are not all finite and non-negative, nothing is proven.
    distance : float
        Norm of their combination, rounded up.
    patterns : callable
        Returns the patterns of given numbers, dense.
    caution : float
        Multiplies the rounding errors of the eigenvalues. More than 1 where others, whose errors
        differ, will have to come to the same conclusion.
    """
    if not (
        np.isfinite(multipliers).all() and (multipliers >= 0.0).all() and 0 <= distance < np.inf
    ):
        return False
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
        for part in slices(count, MOST_ROWS_AT_ONCE, done):
            Y = patterns(support[part])
            gram += Y.T @ Y
        done = count
        rounding = EPSILON * (count + 4.0 * width) * (np.trace(gram) + width * TINY)
        smallest = np.linalg.eigvalsh(gram)[0] - caution * rounding
        if smallest > 0.0 and distance < np.sqrt(smallest) * multipliers[support[count - 1]]:
            return True
    return False
