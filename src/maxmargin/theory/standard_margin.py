"""Perceptrons with the standard condition ``p <= b``: S1 section 2.1 and S3's theorem.

In all functions `R` is the largest length of a pattern and `gamma` the margin of any unit
vector, so at most the optimal directional margin. The weights start at zero and a step adds
``eta f_t y`` with ``f_min <= f_t <= f_max``.
"""

from ._arithmetic import root, rounded
from ._conditions import (
    require,
    require_finite,
    require_margin,
    require_nonnegative,
    require_positive,
    require_step,
)
from ._registry import equation


@equation("S3", "Novikoff")
def novikoff_updates(R: float, gamma: float, theta_norm: float = 1.0) -> float:
    r"""Most updates that the perceptron makes from a zero start on separable data.

    .. math:: k \le \frac{R^2 \|\theta^*\|^2}{\gamma^2} = \frac{R^2}{\gamma_{geom}^2}

    Novikoff's theorem as in the perceptron lecture notes [S3]. One line of the notes prints
    :math:`R^2 \|\theta\| / \gamma^2` and :math:`R^2 / \gamma_{geom}`; the squares belong there.

    Parameters
    ----------
    R : float
        Largest length of a pattern.
    gamma : float
        Smallest score ``y . theta`` of a pattern, ``0 < gamma <= R theta_norm``.
    theta_norm : float, default 1.0
        Length of the separating vector theta.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> novikoff_updates(R=2.0, gamma=0.5)
    16.0
    """
    require_positive(R=R, theta_norm=theta_norm)
    require(
        0 < gamma <= rounded(R * theta_norm),  # gamma is such a product, rounded
        "0 < gamma <= R theta_norm",
        gamma=gamma,
        R=R,
        theta_norm=theta_norm,
    )
    return R**2 * theta_norm**2 / gamma**2


@equation("S3", "geometric margin")
def geometric_margin(gamma: float, theta_norm: float) -> float:
    r"""Distance from the hyperplane normal to theta to the pattern with the smallest score.

    .. math:: \gamma_{geom} = \frac{\gamma}{\|\theta\|}

    Perceptron lecture notes [S3]. It is negative when that pattern is on the wrong side.

    Parameters
    ----------
    gamma : float
        Smallest score ``y . theta`` of a pattern.
    theta_norm : float
        Length of theta.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> geometric_margin(gamma=3.0, theta_norm=4.0)
    0.75
    """
    require_finite(gamma=gamma)
    require_positive(theta_norm=theta_norm)
    return gamma / theta_norm


@equation("S1", "2.10")
def standard_margin_norm_bounds(
    R: float,
    gamma: float,
    t: float,
    b: float = 0.0,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> tuple[float, float]:
    r"""Bounds on the length of the weights after t updates from a zero start.

    .. math::
        \eta f_{min} \gamma t \le a_t \cdot u \le \|a_t\|
        \le \sqrt{(\eta^2 f_{max}^2 R^2 + 2 \eta f_{max} b) t}

    Tsampouka and Shawe-Taylor (2005), eq. (2.10) [S1].

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of the unit vector u, ``0 < gamma <= R``.
    t : float
        Number of updates, ``t >= 0``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta, f_min, f_max : float, default 1.0
        Learning rate and bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    lower, upper : float
        The first bounds the projection ``a_t . u`` as well.

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> standard_margin_norm_bounds(R=2.0, gamma=0.5, t=9)
    (4.5, 6.0)
    """
    require_margin(R, gamma)
    require_nonnegative(t=t, b=b)
    require_step(eta, f_min, f_max)
    growth = eta**2 * f_max**2 * R**2 + 2 * eta * f_max * b
    return eta * f_min * gamma * t, root(growth * t)


@equation("S1", "2.11")
def standard_margin_updates(
    R: float,
    gamma: float,
    b: float = 0.0,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> float:
    r"""Most updates of a perceptron with margin b from a zero start.

    .. math::
        t \le t_N = 2 \frac{f_{max}}{f_{min}} \left(\frac12 \frac{f_{max}}{f_{min}}
        \frac{R^2}{\gamma^2} + \frac{1}{\eta f_{min}} \frac{b}{\gamma^2}\right)

    Tsampouka and Shawe-Taylor (2005), eq. (2.11) [S1]. With b = 0 and f = 1 it is Novikoff's.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta, f_min, f_max : float, default 1.0
        Learning rate and bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> standard_margin_updates(R=2.0, gamma=0.5, b=1.0)
    24.0
    """
    require_margin(R, gamma)
    require_nonnegative(b=b)
    require_step(eta, f_min, f_max)
    spread = f_max / f_min
    return 2 * spread * (spread * R**2 / gamma**2 / 2 + b / gamma**2 / (eta * f_min))


@equation("S1", "2.18")
def stepwise_onset_standard(
    R: float,
    gamma: float,
    b: float = 0.0,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> float:
    r"""Time after which every update turns a margin-b perceptron's weights towards u.

    .. math::
        t_c = \frac12 \frac{f_{max}}{f_{min}} \frac{R^2}{\gamma^2}
        \left(1 - \frac{\gamma^2}{R^2}\right) + \frac{1}{\eta f_{min}} \frac{b}{\gamma^2}

    Tsampouka and Shawe-Taylor (2005), eq. (2.18) [S1]: an update that follows t earlier ones
    increases the cosine between weights and u if ``t > t_c`` and ``t >= 1``.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of the unit vector u, ``0 < gamma <= R``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta, f_min, f_max : float, default 1.0
        Learning rate and bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> stepwise_onset_standard(R=2.0, gamma=0.5, b=1.0)
    11.5
    """
    require_margin(R, gamma)
    require_nonnegative(b=b)
    require_step(eta, f_min, f_max)
    return f_max / f_min * (R**2 / gamma**2 - 1) / 2 + b / gamma**2 / (eta * f_min)


@equation("S1", "2.19")
def standard_margin_updates_floor(
    R: float,
    gamma: float,
    b: float = 0.0,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> float:
    r"""Value that the time bound (2.11) exceeds, from the onset of stepwise convergence.

    .. math:: t_N > 2 \frac{f_{max}}{f_{min}} t_c

    Tsampouka and Shawe-Taylor (2005), eq. (2.19) [S1]: stepwise convergence sets in before
    half of the time bound is used up. The difference is :math:`(f_{max}/f_{min})^2`.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta, f_min, f_max : float, default 1.0
        Learning rate and bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> standard_margin_updates_floor(R=2.0, gamma=0.5, b=1.0)
    23.0
    """
    onset = stepwise_onset_standard(R, gamma, b, eta, f_min, f_max)
    return 2 * f_max / f_min * onset


@equation("S1", "2.20")
def standard_margin_norm_ceiling(
    R: float,
    gamma: float,
    b: float = 0.0,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> float:
    r"""Length that the weights of a perceptron with margin b never exceed.

    .. math:: \|a_t\| \le \frac{f_{max}}{f_{min}} \frac{\eta f_{max} R^2 + 2 b}{\gamma}

    Tsampouka and Shawe-Taylor (2005), eq. (2.20) [S1]. The paper prints
    :math:`(\eta R^2 + 2 b)/\gamma`, which is the case :math:`f_{min} = f_{max} = 1`; true in
    general is the formula above.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta, f_min, f_max : float, default 1.0
        Learning rate and bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> standard_margin_norm_ceiling(R=2.0, gamma=0.5, b=1.0)
    12.0
    """
    require_margin(R, gamma)
    require_nonnegative(b=b)
    require_step(eta, f_min, f_max)
    return f_max / f_min * (eta * f_max * R**2 + 2 * b) / gamma


@equation("S1", "2.21")
def standard_margin_guarantee(
    R: float,
    gamma: float,
    b: float,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> float:
    r"""Directional margin that a perceptron with margin ``b > 0`` has when it stops.

    .. math::
        \beta_{min} = \frac{f_{min}}{f_{max}} \frac{\gamma}{2 + \eta f_{max} R^2 / b}

    Tsampouka and Shawe-Taylor (2005), eq. (2.21) [S1]. It stays below half of `gamma`.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    b : float
        Margin of the condition ``p <= b``, ``b > 0``.
    eta, f_min, f_max : float, default 1.0
        Learning rate and bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> standard_margin_guarantee(R=2.0, gamma=0.5, b=2.0)
    0.125
    """
    require_margin(R, gamma)
    require_positive(b=b)
    require_step(eta, f_min, f_max)
    return f_min / f_max * gamma / (2 + eta * f_max * R**2 / b)
