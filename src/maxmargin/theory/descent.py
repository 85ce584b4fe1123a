"""Criteria that error correction descends, and one relaxation step: S4 section 5.6.

Patterns are reflected and augmented; `Y` has one in each row and may be a SciPy sparse matrix
or array, `y` is a single one and `a` holds the weights. A relaxation step moves a by
``eta (b_u - a.y) / ||y||^2 y``. The book's step has the margin b of its condition ``a.y <= b``
for target `b_u`; all equations hold as well for a target above that margin.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ._conditions import Vector, require, require_nonnegative, require_relaxation
from ._registry import equation


def _scores(a: Any, Y: Any) -> Vector:
    require(len(a) == Y.shape[1], "len(a) == Y.shape[1]", a=f"{len(a)} numbers", Y=Y.shape)
    return np.asarray(Y @ a)


def _distances(a: Any, Y: Any, b_u: float) -> Vector:
    """Return how far the weights are before the hyperplane of score ``b_u`` of each row."""
    lacks = b_u - _scores(a, Y)
    lengths = _lengths(Y)
    require(bool(np.all(lengths > 0)), "||y|| > 0 for all rows y", Y="a row of length 0")
    return lacks / lengths


def _lengths(Y: Any) -> Vector:
    """Return the length of each row, in units of its largest entry: squares may underflow."""
    if sparse.issparse(Y):
        values, entries = Y.data, np.diff(Y.indptr)
    else:
        values, entries = np.ravel(Y), np.full(len(Y), np.shape(Y)[1])
    count = len(entries)
    rows = np.repeat(np.arange(count), entries)
    largest = np.zeros(count)
    np.maximum.at(largest, rows, np.abs(values))
    return largest * np.sqrt(np.bincount(rows, (values / largest[rows]) ** 2, minlength=count))


def _lack(a: Any, y: Any, b_u: float) -> float:
    """Return the score that a pattern lacks, for a pattern that is corrected."""
    _require_length("y", y, a)
    require(bool(y.any()), "||y|| > 0", y=y)
    require_nonnegative(b_u=b_u)
    lack = b_u - float(y @ a)
    require(lack >= 0, "a.y <= b_u", a=a, y=y, b_u=b_u)
    return lack


def _distance(a: Any, y: Any, b_u: float) -> Any:
    """Return what is left of the way to the pattern's hyperplane of score ``b_u``."""
    return _lack(a, y, b_u) / _lengths([y])[0]


def _require_length(name: str, vector: Any, a: Any) -> None:
    got = {name: f"an array of shape {vector.shape}"}
    require(len(vector) == len(a), f"len({name}) == {len(a)}", **got)


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
        If the shapes do not fit, or a value is not finite.

    Examples
    --------
    >>> perceptron_criterion([1.0, 1.0], [[2.0, 0.0], [0.0, -3.0], [-1.0, 0.0]])
    4.0
    """
    return float(np.maximum(-_scores(a, Y), 0).sum())


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
        If the shapes do not fit, or a value is not finite.

    Examples
    --------
    >>> squared_criterion([1.0, 1.0], [[2.0, 0.0], [0.0, -3.0], [-1.0, 0.0]])
    10.0
    """
    return float(np.square(np.minimum(_scores(a, Y), 0)).sum())


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
        If the shapes do not fit, a value is not finite, b is negative or a pattern is zero.

    Examples
    --------
    >>> relaxation_criterion([1.0, 1.0], [[2.0, 0.0], [0.0, -3.0], [-1.0, 0.0]], b=1.0)
    2.888888888888889
    """
    require_nonnegative(b=b)
    return float(np.square(np.maximum(_distances(a, Y, b), 0)).sum()) / 2


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
        If the shapes do not fit, a value is not finite, b_u is negative or a pattern is zero.

    Examples
    --------
    >>> hyperplane_distances([1.0, 1.0], [[2.0, 0.0], [0.0, -4.0]], b_u=1.0)
    array([-0.5 ,  1.25])
    """
    require_nonnegative(b_u=b_u)
    return _distances(a, Y, b_u)


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
        If an argument is outside its range or not finite, or the shapes do not fit.

    Examples
    --------
    >>> score_after_relaxation([1.0, 1.0], [0.0, -4.0], b_u=1.0, eta=1.5)
    3.5
    """
    lack = _lack(a, y, b_u)
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
        If an argument is outside its range or not finite, or the shapes do not fit.

    Examples
    --------
    >>> squared_distance_after_relaxation([0.0, 0.0], [0.0, 2.0], [1.0, 1.0], b_u=1.0)
    1.25
    """
    move = eta * _distance(a, y, b_u)
    require_relaxation(eta)
    _require_length("a_hat", a_hat, a)
    way = np.subtract(a_hat, a)
    along = np.dot(way, y) / _lengths([y])[0]
    return float(way @ way - 2 * move * along + move * move)


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
        If an argument is outside its range or not finite, or the shapes do not fit.

    Examples
    --------
    >>> progress_towards_solution([0.0, 0.0], [0.0, 2.0], [1.0, 1.0], b_u=1.0)
    (2.0, 1.0)
    """
    lack = _lack(a, y, b_u)
    _require_length("a_hat", a_hat, a)
    require(bool(np.dot(a_hat, y) >= b_u), "a_hat.y >= b_u", a_hat=a_hat, y=y, b_u=b_u)
    return float(np.dot(np.subtract(a_hat, a), y)), lack


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
        If an argument is outside its range or not finite, or the shapes do not fit.

    Examples
    --------
    >>> relaxation_decrease([0.0, 0.0], [0.0, 2.0], b_u=1.0)
    0.25
    """
    distance = _distance(a, y, b_u)
    require_relaxation(eta)
    return float(eta * (2 - eta) * distance * distance)
