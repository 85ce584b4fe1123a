"""How much hyperplanes can separate: the monomials of S2 and Cover's count."""

import math

from ._conditions import require_at_least
from ._registry import equation


@equation("S2", "monomials")
def monomials(n_features: int, degree: int) -> int:
    r"""Count the monomials of at most a degree, the constant 1 among them.

    .. math:: B(n + i, i) = \binom{n + i}{i}

    Falkowski (2006), section 2 [S2]: the dimension of the polynomial embedding.

    Parameters
    ----------
    n_features : int
        Number n of variables, at least 1.
    degree : int
        Largest degree i, at least 0.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> monomials(n_features=2, degree=2)
    6
    """
    require_at_least(1, n_features=n_features)
    require_at_least(0, degree=degree)
    return math.comb(n_features + degree, degree)


@equation("S2", "Cover")
def separable_dichotomies(n_patterns: int, n_features: int, intercept: bool = True) -> int:
    r"""Count the divisions of patterns into two labelled classes that a hyperplane separates.

    .. math:: C(n, D) = 2 \sum_{k=0}^{D-1} \binom{n - 1}{k}

    with :math:`D = d + 1` for hyperplanes with an intercept, :math:`D = d` for those through
    the origin. Cover's function counting theorem (1965), reference [4] of Falkowski (2006)
    [S2]. It is about patterns in general position: any D of them, augmented by a constant when
    there is an intercept, are linearly independent.

    Parameters
    ----------
    n_patterns : int
        Number n of patterns, at least 1.
    n_features : int
        Their dimension d, at least 1.
    intercept : bool, default True
        Whether the hyperplanes may miss the origin.

    Returns
    -------
    int
        Between 2 and ``2**n_patterns``, which it is for ``n_patterns <= D``.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> separable_dichotomies(n_patterns=4, n_features=2)
    14
    """
    require_at_least(1, n_patterns=n_patterns, n_features=n_features)
    dimension = n_features + intercept
    return 2 * sum(math.comb(n_patterns - 1, k) for k in range(min(dimension, n_patterns)))


@equation("S4", "5.7")
def separable_fraction(n_patterns: int, n_features: int, intercept: bool = True) -> float:
    r"""Fraction of all labellings of patterns in general position that a hyperplane separates.

    .. math:: C(n, D) / 2^n

    Duda, Hart and Stork (2001), section 5.7 [S4]: fewer than 2 D patterns are likely to be
    separable, and with exactly 2 D the fraction is one half.

    Parameters
    ----------
    n_patterns : int
        Number n of patterns, at least 1.
    n_features : int
        Their dimension, at least 1; D is one more with an intercept.
    intercept : bool, default True
        Whether the hyperplanes may miss the origin.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> separable_fraction(n_patterns=6, n_features=2)
    0.5
    """
    count = separable_dichotomies(n_patterns, n_features, intercept)
    digits = count.bit_length()  # to spare the digits of 2^n
    return math.ldexp(count / (1 << digits), digits - n_patterns)
