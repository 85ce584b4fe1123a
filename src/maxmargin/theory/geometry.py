"""Margins in the augmented space and in the original one: S1 section 2.3.

A pattern x becomes ``[x, rho]``, the weights are ``a = [w, w_0]``. `R_x` is the largest length
of a pattern before the augmentation, `R` after it, and `gamma` a directional margin. All
weights meant here classify correctly a sample of two classes, both present.
"""

from ._arithmetic import root
from ._conditions import require, require_finite, require_nonnegative, require_positive
from ._registry import equation


def _require_augmentation(R: float, rho: float) -> None:
    require_positive(R=R)
    require(0 < rho <= R, "0 < rho <= R", rho=rho, R=R)


@equation("S1", "2.60")
def intercept_ratio_ceiling(rho: float, R_x: float) -> float:
    r"""Bound on the intercept's weight relative to the other weights.

    .. math:: \frac{|w_0|}{\|w\|} \le \frac{R_x}{\rho}

    Tsampouka and Shawe-Taylor (2005), eq. (2.60) [S1]: a hyperplane between two classes passes
    the origin at a distance of at most the largest pattern's length.

    Parameters
    ----------
    rho : float
        Value of the additional coordinate.
    R_x : float
        Largest length of a pattern before augmentation.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> intercept_ratio_ceiling(rho=2.0, R_x=3.0)
    1.5
    """
    require_positive(rho=rho, R_x=R_x)
    return R_x / rho


@equation("S1", "2.61")
def directional_margin(gamma_geom: float, w_norm: float, a_norm: float) -> float:
    r"""Directional margin of augmented weights from their geometric margin.

    .. math:: \gamma_d(a) = \frac{\|w\|}{\|a\|} \gamma(a)

    Tsampouka and Shawe-Taylor (2005), eq. (2.61) [S1].

    Parameters
    ----------
    gamma_geom : float
        Geometric margin of the hyperplane in the original space.
    w_norm : float
        Length of the weights without the intercept's.
    a_norm : float
        Length of all weights, ``a_norm >= w_norm``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> directional_margin(gamma_geom=1.0, w_norm=3.0, a_norm=5.0)
    0.6
    """
    require_finite(gamma_geom=gamma_geom)
    require_positive(a_norm=a_norm)
    require(0 < w_norm <= a_norm, "0 < w_norm <= a_norm", w_norm=w_norm, a_norm=a_norm)
    return w_norm / a_norm * gamma_geom


@equation("S1", "2.62")
def geometric_margin_floor(gamma: float) -> float:
    r"""Geometric margin that a directional margin guarantees: as much.

    .. math:: \gamma(a) \ge \gamma_d(a)

    Tsampouka and Shawe-Taylor (2005), eq. (2.62) [S1].

    Parameters
    ----------
    gamma : float
        Directional margin of the augmented weights, ``gamma > 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the argument is outside its range.

    Examples
    --------
    >>> geometric_margin_floor(gamma=0.6)
    0.6
    """
    require_positive(gamma=gamma)
    return gamma


@equation("S1", "2.63")
def augmented_norm_ceiling(R: float, rho: float, w_norm: float) -> float:
    r"""Bound on the length of all weights from the length without the intercept's.

    .. math:: \|a\| \le \|w\| \sqrt{1 + \frac{R_x^2}{\rho^2}} = \|w\| \frac{R}{\rho}

    Tsampouka and Shawe-Taylor (2005), eq. (2.63) [S1].

    Parameters
    ----------
    R : float
        Largest length of an augmented pattern, see eq. (2.64).
    rho : float
        Value of the additional coordinate, ``0 < rho <= R``.
    w_norm : float
        Length of the weights without the intercept's.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> augmented_norm_ceiling(R=5.0, rho=4.0, w_norm=2.0)
    2.5
    """
    _require_augmentation(R, rho)
    require_positive(w_norm=w_norm)
    return w_norm * R / rho


@equation("S1", "2.64")
def augmented_radius(rho: float, R_x: float) -> float:
    r"""Largest length of a pattern after augmentation.

    .. math:: R = \sqrt{\rho^2 + R_x^2}

    Tsampouka and Shawe-Taylor (2005), eq. (2.64) [S1].

    Parameters
    ----------
    rho : float
        Value of the additional coordinate, ``rho >= 0``.
    R_x : float
        Largest length of a pattern before augmentation, ``R_x >= 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> augmented_radius(rho=4.0, R_x=3.0)
    5.0
    """
    require_nonnegative(rho=rho, R_x=R_x)
    return root(rho**2 + R_x**2)


@equation("S1", "2.65")
def geometric_margin_ceiling(R: float, gamma: float, rho: float) -> float:
    r"""Bound on the geometric margin of the same hyperplane from its directional margin.

    .. math:: \gamma(a) \le \frac{R}{\rho} \gamma_d(a)

    Tsampouka and Shawe-Taylor (2005), eq. (2.65) [S1].

    Parameters
    ----------
    R : float
        Largest length of an augmented pattern, see eq. (2.64).
    gamma : float
        Directional margin of the augmented weights, ``gamma > 0``.
    rho : float
        Value of the additional coordinate, ``0 < rho <= R``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> geometric_margin_ceiling(R=5.0, gamma=0.5, rho=4.0)
    0.625
    """
    _require_augmentation(R, rho)
    require_positive(gamma=gamma)
    return R / rho * gamma


@equation("S1", "2.66")
def optimum_directional_margin_floor(R: float, gamma_geom: float, rho: float) -> float:
    r"""Directional margin that the hyperplane of largest geometric margin has at least.

    .. math:: \gamma \le \frac{R}{\rho} \gamma_d(a_{opt})

    Tsampouka and Shawe-Taylor (2005), eq. (2.66) [S1], solved for the directional margin.

    Parameters
    ----------
    R : float
        Largest length of an augmented pattern, see eq. (2.64).
    gamma_geom : float
        Largest geometric margin in the original space, ``gamma_geom > 0``.
    rho : float
        Value of the additional coordinate, ``0 < rho <= R``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> optimum_directional_margin_floor(R=5.0, gamma_geom=0.625, rho=4.0)
    0.5
    """
    _require_augmentation(R, rho)
    require_positive(gamma_geom=gamma_geom)
    return gamma_geom * rho / R


@equation("S1", "2.67")
def optimal_geometric_margin_interval(R: float, gamma_d: float, rho: float) -> tuple[float, float]:
    r"""Interval of the largest geometric margin, from the largest directional one.

    .. math:: 1 \le \frac{\gamma}{\gamma_d} \le \frac{R}{\rho}

    Tsampouka and Shawe-Taylor (2005), eq. (2.67) [S1]. The upper end needs the optimal
    directional margin itself, not just that of some unit vector.

    Parameters
    ----------
    R : float
        Largest length of an augmented pattern, see eq. (2.64).
    gamma_d : float
        Optimal directional margin, ``0 < gamma_d <= R``.
    rho : float
        Value of the additional coordinate, ``0 < rho <= R``.

    Returns
    -------
    lower, upper : float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> optimal_geometric_margin_interval(R=5.0, gamma_d=0.5, rho=4.0)
    (0.5, 0.625)
    """
    _require_augmentation(R, rho)
    require(0 < gamma_d <= R, "0 < gamma_d <= R", gamma_d=gamma_d, R=R)
    return gamma_d, R / rho * gamma_d


@equation("S1", "2.68")
def augmentation_for_tolerance(R_x: float, tolerance: float) -> float:
    r"""Value of rho from which on the two optimal margins agree to a tolerance.

    .. math::
        \lim_{\rho \to \infty} \gamma_d = \gamma, \qquad
        \frac{\gamma}{\gamma_d} \le 1 + \epsilon \quad\text{for}\quad
        \rho \ge \frac{R_x}{\sqrt{\epsilon (2 + \epsilon)}}

    Tsampouka and Shawe-Taylor (2005), eq. (2.68) [S1], made quantitative by (2.64) and (2.67).

    Parameters
    ----------
    R_x : float
        Largest length of a pattern before augmentation.
    tolerance : float
        The relative excess epsilon allowed, ``tolerance > 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> augmentation_for_tolerance(R_x=3.0, tolerance=0.25)
    4.0
    """
    require_positive(R_x=R_x, tolerance=tolerance)
    return R_x / root(tolerance * (2 + tolerance))
