"""The min-over algorithm from a non-negative start: S2.

The pattern with the smallest score is learned while that score is below `c`; a step adds
``y / x``, where `x` is the largest *squared* length of a pattern. `delta` is the optimal
directional margin, `M` the number of updates at the stop, `Lam` the sum of the start's
multipliers (none negative), `w0_norm` the start's length and `k0_norm` the length of its part
orthogonal to the optimal vector.
"""

from ._arithmetic import root, rounded
from ._conditions import require, require_at_least, require_nonnegative, require_positive
from ._registry import equation


def _require_problem(x: float, c: float, delta: float) -> None:
    require_positive(x=x, c=c)
    # Rounded, as x is that square in all likelihood.
    require(0 < delta <= rounded(root(x)), "0 < delta <= sqrt(x)", delta=delta, x=x)


@equation("S2", "3")
def min_over_norm_ceiling(x: float, c: float, M: float, w0_norm: float = 0.0) -> float:
    r"""Bound on the length of the weights after M updates.

    .. math:: \|w_M\|^2 \le M \frac{2 c + 1}{x} + \|w_0\|^2

    Falkowski (2006), eq. (3) [S2]; the function returns the square root.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    M : float
        Number of updates, ``M >= 0``.
    w0_norm : float, default 0.0
        Length of the start.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_norm_ceiling(x=4.0, c=1.5, M=9)
    3.0
    """
    require_positive(x=x, c=c)
    require_nonnegative(M=M, w0_norm=w0_norm)
    return root(M * (2 * c + 1) / x + w0_norm**2)


@equation("S2", "4")
def min_over_updates(x: float, c: float, delta: float, w0_norm: float = 0.0) -> float:
    r"""Most updates of the min-over algorithm.

    .. math:: M \le \frac{x^2}{\Delta^2} \left(\frac{2 c + 1}{x} + \|w_0\|^2\right)

    Falkowski (2006), eq. (4) [S2]. The derivation divides by M, so it is about ``M >= 1``; a
    run without updates satisfies it trivially. Any unit vector's margin may stand for delta.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    delta : float
        Directional margin of a unit vector, ``0 < delta <= sqrt(x)``.
    w0_norm : float, default 0.0
        Length of the start, a non-negative combination of the patterns.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_updates(x=4.0, c=1.5, delta=0.5)
    64.0
    """
    _require_problem(x, c, delta)
    require_nonnegative(w0_norm=w0_norm)
    return x**2 / delta**2 * ((2 * c + 1) / x + w0_norm**2)


@equation("S2", "A")
def min_over_factor(x: float, c: float, w_norm: float, M: float, Lam: float = 0.0) -> float:
    r"""Factor A within which the margin found is optimal.

    .. math:: A = \frac{\|w_M\|^2}{c (M / x + \Lambda)}

    Falkowski (2006), above eq. (6) [S2]. The paper prints :math:`(M + \Lambda) / x`; true is
    :math:`M / x + \Lambda`, and for ``x < 1`` the printed factor promises too much.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    w_norm : float
        Length of the final weights.
    M : float
        Number of updates, ``M >= 1``.
    Lam : float, default 0.0
        Sum of the start's multipliers, ``Lam >= 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_factor(x=4.0, c=1.5, w_norm=3.0, M=8, Lam=1.0)
    2.0
    """
    require_positive(x=x, c=c, w_norm=w_norm)
    require_at_least(1, M=M)
    require_nonnegative(Lam=Lam)
    return w_norm**2 / (c * (M / x + Lam))


@equation("S2", "5")
def min_over_guarantee(
    x: float, c: float, delta: float, w_norm: float, M: float, Lam: float = 0.0
) -> tuple[float, float]:
    r"""Margins that the final weights have at least, without and with the optimum.

    .. math:: \Delta_c \ge \frac{c}{\|w_M\|} \ge \frac{\Delta}{A}

    Falkowski (2006), eq. (5) [S2], with A as in `min_over_factor`, which corrects the paper's.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    delta : float
        Directional margin of a unit vector, ``0 < delta <= sqrt(x)``.
    w_norm : float
        Length of the final weights.
    M : float
        Number of updates, ``M >= 1``.
    Lam : float, default 0.0
        Sum of the start's multipliers, ``Lam >= 0``.

    Returns
    -------
    achieved, promised : float
        ``c / ||w_M||`` and ``delta / A``.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_guarantee(x=4.0, c=1.5, delta=0.5, w_norm=3.0, M=8, Lam=1.0)
    (0.5, 0.25)
    """
    _require_problem(x, c, delta)
    factor = min_over_factor(x, c, w_norm, M, Lam)
    return c / w_norm, delta / factor


@equation("S2", "6")
def min_over_factor_ceiling(x: float, c: float, M: float, w0_norm: float = 0.0) -> float:
    r"""Bound on the factor A that needs no final weights.

    .. math:: A \le \frac{x}{c} \left(\frac{2 c + 1}{x} + \frac{\|w_0\|^2}{M}\right)

    Falkowski (2006), eq. (6) [S2], for ``M >= 1``. From a zero start it is ``2 + 1/c``.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    M : float
        Number of updates, ``M >= 1``.
    w0_norm : float, default 0.0
        Length of the start, a non-negative combination of the patterns.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_factor_ceiling(x=4.0, c=2.0, M=8, w0_norm=2.0)
    3.5
    """
    require_positive(x=x, c=c)
    require_at_least(1, M=M)
    require_nonnegative(w0_norm=w0_norm)
    return x / c * ((2 * c + 1) / x + w0_norm**2 / M)


@equation("S2", "10")
def min_over_orthogonal_ceiling(x: float, t: float, k0_norm: float = 0.0) -> float:
    r"""Bound on the weights' part orthogonal to the optimal vector, after t updates.

    .. math:: \|k_t\| \le \sqrt{\frac{t}{x} + \|k_0\|^2}

    Falkowski (2006), eq. (10) [S2], from a non-negative start.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    t : float
        Number of updates, ``t >= 0``.
    k0_norm : float, default 0.0
        Length of the start's part orthogonal to the optimal vector.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_orthogonal_ceiling(x=4.0, t=16)
    2.0
    """
    require_positive(x=x)
    require_nonnegative(t=t, k0_norm=k0_norm)
    return root(t / x + k0_norm**2)


@equation("S2", "12")
def min_over_projection_ceiling(
    x: float, c: float, delta: float, M: float, k0_norm: float = 0.0
) -> float:
    r"""Bound on the final weights' component along the optimal solution ``||w*|| = c/delta``.

    .. math::
        a(M) = \frac{w_M \cdot w^*}{\|w^*\|^2}
        \le \frac{c + \sqrt{M - 1 + x \|k_0\|^2}}{c} + \frac{\Delta}{c \sqrt{x}}

    Falkowski (2006), eq. (12) [S2], for ``M >= 1``. In eq. (8) the paper divides by the length
    of the optimal solution; meant is its square, as here.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    delta : float
        Optimal directional margin, ``0 < delta <= sqrt(x)``.
    M : float
        Number of updates at the stop, ``M >= 1``.
    k0_norm : float, default 0.0
        Length of the start's part orthogonal to the optimal vector.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_projection_ceiling(x=4.0, c=2.0, delta=1.0, M=17)
    3.25
    """
    _require_problem(x, c, delta)
    require_at_least(1, M=M)
    require_nonnegative(k0_norm=k0_norm)
    return (c + root(M - 1 + x * k0_norm**2)) / c + delta / (c * root(x))


@equation("S2", "13")
def min_over_final_norm_ceiling(
    x: float, c: float, delta: float, M: float, k0_norm: float = 0.0
) -> float:
    r"""Bound on the length of the final weights that shows their margin tend to the optimum.

    .. math::
        \|w_M\| \le \frac{c}{\Delta} \left\{\frac{c + \sqrt{M - 1 + x \|k_0\|^2}}{c}
        + \frac{\Delta}{c \sqrt{x}}
        + \frac{\Delta}{c} \sqrt{\frac{M}{x} + \|k_0\|^2}\right\}

    Falkowski (2006), eq. (13) [S2], for ``M >= 1``. As M grows at most linearly with c, the
    quotient of both sides by :math:`\|w^*\| = c / \Delta` tends to 1 with growing c.

    Parameters
    ----------
    x : float
        Largest squared length of a pattern.
    c : float
        Score demanded of every pattern.
    delta : float
        Optimal directional margin, ``0 < delta <= sqrt(x)``.
    M : float
        Number of updates at the stop, ``M >= 1``.
    k0_norm : float, default 0.0
        Length of the start's part orthogonal to the optimal vector.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> min_over_final_norm_ceiling(x=4.0, c=2.0, delta=1.0, M=16) < 8.4
    True
    """
    along = min_over_projection_ceiling(x, c, delta, M, k0_norm)
    return c / delta * along + min_over_orthogonal_ceiling(x, M, k0_norm)
