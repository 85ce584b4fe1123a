"""Criteria that error correction descends, and one relaxation step: S4 section 5.6.

Patterns are reflected and augmented; `Y` has one in each row and may be a SciPy sparse matrix
or array, `y` is a single one and `a` holds the weights. A relaxation step moves a by
``eta (b_u - a.y) / ||y||^2 y``. The book's step has the margin b of its condition ``a.y <= b``
for target `b_u`; all equations hold as well for a target above that margin.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ._conditions import require, require_nonnegative, require_relaxation
from ._registry import equation

Vector = npt.NDArray[np.float64]


def _weights(a: npt.ArrayLike, Y: Any) -> Vector:
    weights = _vector("a", a)
    shape = np.shape(Y)
    require(len(shape) == 2, "len(Y.shape) == 2", Y=f"an array of shape {shape}")
    require(len(weights) == shape[1], "len(a) == Y.shape[1]", a=f"{len(weights)} numbers", Y=shape)
    return weights


def _vector(name: str, values: npt.ArrayLike, length: int | None = None) -> Vector:
    vector = np.asarray(values, dtype=np.float64)
    got = {name: f"an array of shape {vector.shape}"}
    require(vector.ndim == 1, f"len({name}.shape) == 1", **got)
    require(length in (None, len(vector)), f"len({name}) == {length}", **got)
    require(bool(np.isfinite(vector).all()), "all values finite", **{name: vector})
    return vector


def _scores(weights: Vector, Y: Any) -> Vector:
    return np.asarray(Y @ weights, dtype=np.float64)


def _squared_lengths(Y: Any) -> Vector:
    squares = Y.multiply(Y) if hasattr(Y, "multiply") else np.square(Y)
    lengths = np.asarray(squares.sum(axis=1), dtype=np.float64).ravel()
    shortest = lengths.min(initial=np.inf)
    require(shortest > 0, "||y|| > 0 for all rows y", Y=f"a row of length {shortest}")
    return lengths


def _step(a: npt.ArrayLike, y: npt.ArrayLike, b_u: float) -> tuple[Vector, Vector, float]:
    """Weights, pattern and the score that the pattern lacks, for a pattern that is corrected."""
    weights = _vector("a", a)
    pattern = _vector("y", y, len(weights))
    require(bool(pattern.any()), "||y|| > 0", y=pattern)
    require_nonnegative(b_u=b_u)
    lack = b_u - float(pattern @ weights)
    require(lack >= 0, "a.y <= b_u", a=weights, y=pattern, b_u=b_u)
    return weights, pattern, lack


@equation("S4", "J_p")
def perceptron_criterion(a: npt.ArrayLike, Y: Any) -> float:
    r"""Perceptron criterion: what the scores of the misclassified patterns lack of zero.

    .. math:: J_p(a) = \sum_{y: a \cdot y \le 0} (-a \cdot y)

    Duda, Hart and Stork (2001), section 5.6 [S4].

    Parameters
    ----------
    a : array-like of shape (n_features,)
        Weights.
    Y : array or sparse matrix of shape (n_patterns, n_features)
        Reflected, augmented patterns.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> perceptron_criterion([1.0, 1.0], [[2.0, 0.0], [0.0, -3.0], [-1.0, 0.0]])
    4.0
    """
    scores = _scores(_weights(a, Y), Y)
    return float(np.maximum(-scores, 0).sum())


@equation("S4", "32")
def squared_criterion(a: npt.ArrayLike, Y: Any) -> float:
    r"""Sum of the squared scores of the misclassified patterns.

    .. math:: J_q(a) = \sum_{y: a \cdot y \le 0} (a \cdot y)^2

    Duda, Hart and Stork (2001), eq. (32) [S4].

    Parameters
    ----------
    a : array-like of shape (n_features,)
        Weights.
    Y : array or sparse matrix of shape (n_patterns, n_features)
        Reflected, augmented patterns.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Examples
    --------
    >>> squared_criterion([1.0, 1.0], [[2.0, 0.0], [0.0, -3.0], [-1.0, 0.0]])
    10.0
    """
    scores = _scores(_weights(a, Y), Y)
    return float(np.square(np.minimum(scores, 0)).sum())


@equation("S4", "33")
def relaxation_criterion(a: npt.ArrayLike, Y: Any, b: float = 0.0) -> float:
    r"""Relaxation criterion: half the squared distances that the weights lack of a margin b.

    .. math:: J_r(a) = \frac12 \sum_{y: a \cdot y \le b} \frac{(a \cdot y - b)^2}{\|y\|^2}

    Duda, Hart and Stork (2001), eq. (33) [S4]. It is zero exactly if no score is below b.

    Parameters
    ----------
    a : array-like of shape (n_features,)
        Weights.
    Y : array or sparse matrix of shape (n_patterns, n_features)
        Reflected, augmented patterns, none of length zero.
    b : float, default 0.0
        Margin, ``b >= 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the shapes do not fit, b is negative or a pattern is zero.

    Examples
    --------
    >>> relaxation_criterion([1.0, 1.0], [[2.0, 0.0], [0.0, -3.0], [-1.0, 0.0]], b=1.0)
    2.888888888888889
    """
    require_nonnegative(b=b)
    lacks = np.maximum(b - _scores(_weights(a, Y), Y), 0)
    return 0.5 * float(np.sum(lacks * lacks / _squared_lengths(Y)))


@equation("S4", "36")
def hyperplane_distances(a: npt.ArrayLike, Y: Any, b_u: float = 0.0) -> Vector:
    r"""Distance of the weights from each pattern's hyperplane of score ``b_u``.

    .. math:: r(k) = \frac{b - a(k) \cdot y^k}{\|y^k\|}

    Duda, Hart and Stork (2001), eq. (36) [S4]. Beyond the hyperplane it is negative.

    Parameters
    ----------
    a : array-like of shape (n_features,)
        Weights.
    Y : array or sparse matrix of shape (n_patterns, n_features)
        Reflected, augmented patterns, none of length zero.
    b_u : float, default 0.0
        Target score, the book's b; ``b_u >= 0``.

    Returns
    -------
    ndarray of shape (n_patterns,)

    Raises
    ------
    ValueError
        If the shapes do not fit, b_u is negative or a pattern is zero.

    Examples
    --------
    >>> hyperplane_distances([1.0, 1.0], [[2.0, 0.0], [0.0, -4.0]], b_u=1.0)
    array([-0.5 ,  1.25])
    """
    require_nonnegative(b_u=b_u)
    lacks: Vector = b_u - _scores(_weights(a, Y), Y)
    return lacks / np.sqrt(_squared_lengths(Y))


@equation("S4", "37")
def score_after_relaxation(
    a: npt.ArrayLike, y: npt.ArrayLike, b_u: float, eta: float = 1.0
) -> float:
    r"""Score of a pattern after a relaxation step on it.

    .. math:: a(k+1) \cdot y^k - b = (1 - \eta) (a(k) \cdot y^k - b)

    Duda, Hart and Stork (2001), eq. (37) [S4], solved for the new score.

    Parameters
    ----------
    a, y : array-like of shape (n_features,)
        Weights before the step and the pattern, ``a.y <= b_u``.
    b_u : float
        Target score, the book's b; ``b_u >= 0``.
    eta : float, default 1.0
        Relaxation rate, ``0 < eta < 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range or the shapes do not fit.

    Examples
    --------
    >>> score_after_relaxation([1.0, 1.0], [0.0, -4.0], b_u=1.0, eta=1.5)
    3.5
    """
    lack = _step(a, y, b_u)[2]
    require_relaxation(eta)
    return b_u - (1 - eta) * lack


@equation("S4", "38")
def squared_distance_after_relaxation(
    a: npt.ArrayLike, y: npt.ArrayLike, a_hat: npt.ArrayLike, b_u: float, eta: float = 1.0
) -> float:
    r"""Squared distance of the weights from a vector after a relaxation step.

    .. math::
        \|a(k+1) - \hat a\|^2 = \|a(k) - \hat a\|^2
        - 2 \eta \frac{b - a(k) \cdot y^k}{\|y^k\|^2} (\hat a - a(k)) \cdot y^k
        + \eta^2 \frac{(b - a(k) \cdot y^k)^2}{\|y^k\|^2}

    Duda, Hart and Stork (2001), eq. (38) [S4].

    Parameters
    ----------
    a, y, a_hat : array-like of shape (n_features,)
        Weights before the step, the pattern with ``a.y <= b_u``, and any vector.
    b_u : float
        Target score, the book's b; ``b_u >= 0``.
    eta : float, default 1.0
        Relaxation rate, ``0 < eta < 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range or the shapes do not fit.

    Examples
    --------
    >>> squared_distance_after_relaxation([0.0, 0.0], [0.0, 2.0], [1.0, 1.0], b_u=1.0)
    1.25
    """
    weights, pattern, lack = _step(a, y, b_u)
    require_relaxation(eta)
    way = _vector("a_hat", a_hat, len(weights)) - weights
    step = eta * lack / float(pattern @ pattern)
    return float(way @ way) - 2 * step * float(way @ pattern) + step * eta * lack


@equation("S4", "39")
def progress_towards_solution(
    a: npt.ArrayLike, y: npt.ArrayLike, a_hat: npt.ArrayLike, b_u: float
) -> tuple[float, float]:
    r"""How far a solution's score is ahead of the weights', and the least it can be.

    .. math:: (\hat a - a(k)) \cdot y^k \ge b - a(k) \cdot y^k \ge 0

    Duda, Hart and Stork (2001), eq. (39) [S4]. The book prints the first relation as strict:
    that is true if ``a_hat.y > b``, and its eq. (40) needs no more than the relation above.

    Parameters
    ----------
    a, y : array-like of shape (n_features,)
        Weights before the step and the pattern, ``a.y <= b_u``.
    a_hat : array-like of shape (n_features,)
        Solution vector, ``a_hat.y >= b_u``.
    b_u : float
        Target score, the book's b; ``b_u >= 0``.

    Returns
    -------
    ahead, least : float

    Raises
    ------
    ValueError
        If an argument is outside its range or the shapes do not fit.

    Examples
    --------
    >>> progress_towards_solution([0.0, 0.0], [0.0, 2.0], [1.0, 1.0], b_u=1.0)
    (2.0, 1.0)
    """
    weights, pattern, lack = _step(a, y, b_u)
    solution = _vector("a_hat", a_hat, len(weights))
    require(float(pattern @ solution) >= b_u, "a_hat.y >= b_u", a_hat=solution, y=pattern, b_u=b_u)
    return float(pattern @ (solution - weights)), lack


@equation("S4", "40")
def relaxation_decrease(a: npt.ArrayLike, y: npt.ArrayLike, b_u: float, eta: float = 1.0) -> float:
    r"""Decrease of the squared distance to every solution that a relaxation step guarantees.

    .. math::
        \|a(k) - \hat a\|^2 - \|a(k+1) - \hat a\|^2
        \ge \eta (2 - \eta) \frac{(b - a(k) \cdot y^k)^2}{\|y^k\|^2}

    Duda, Hart and Stork (2001), eq. (40) [S4], for every vector with ``a_hat.y >= b_u`` and
    steps on one pattern at a time.

    Parameters
    ----------
    a, y : array-like of shape (n_features,)
        Weights before the step and the pattern, ``a.y <= b_u``.
    b_u : float
        Target score, the book's b; ``b_u >= 0``.
    eta : float, default 1.0
        Relaxation rate, ``0 < eta < 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range or the shapes do not fit.

    Examples
    --------
    >>> relaxation_decrease([0.0, 0.0], [0.0, 2.0], b_u=1.0)
    0.25
    """
    _, pattern, lack = _step(a, y, b_u)
    require_relaxation(eta)
    return eta * (2 - eta) * lack * lack / float(pattern @ pattern)
