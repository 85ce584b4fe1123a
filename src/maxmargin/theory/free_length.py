"""Perceptrons that demand a fixed directional margin, weights of free length: S1 section 2.2.1.

A pattern is learned whenever ``y . a / ||a|| <= beta``. The weights start at zero and a step
adds ``eta f_t y`` with ``f_min <= f_t <= f_max``. `R` is the largest length of a pattern and
`gamma` the margin of any unit vector.
"""

import math
from fractions import Fraction
from typing import Any

from ._arithmetic import log, rounded
from ._conditions import (
    require,
    require_at_least,
    require_margin,
    require_nonnegative,
    require_step,
)
from ._registry import equation


def _require_attainable(gamma: float, beta: float, f_min: float, f_max: float) -> None:
    require_nonnegative(beta=beta)
    require(
        f_max * beta < f_min * gamma,
        "f_max beta < f_min gamma",
        beta=beta,
        gamma=gamma,
        f_min=f_min,
        f_max=f_max,
    )


def _largest_time(N: int, scale: Any, offset: Any) -> Any:
    """Largest ``t >= N + 1`` with ``t - N <= scale (offset + ln((t - 1) / N) / 2)``, else N.

    The excess of the left side is convex in t. All uses have ``offset >= 1 / (2 N)``, so it
    grows from ``t = N + 1`` on if it is positive there: then no such t exists.
    """
    first, scale, offset = rounded((Fraction(N), scale, offset))
    if math.inf in (first, scale):
        return math.inf

    def excess(t: float) -> float:
        return t - first - scale * (offset + 0.5 * math.log((t - 1) / first))

    low = first + 1
    if excess(low) > 0:
        return first
    high = 2 * low
    while high < math.inf and excess(high) <= 0:
        high *= 2
    while low < (middle := low + (high - low) / 2) < high:
        if excess(middle) <= 0:
            low = middle
        else:
            high = middle
    return high


def _time_scale(R: float, gamma: float, beta: float, f_min: float, f_max: float) -> float:
    """Right-hand side of (2.43), after the checks common to the three time bounds."""
    require_margin(R, gamma)
    require_step(1.0, f_min, f_max)
    _require_attainable(gamma, beta, f_min, f_max)
    spread = f_max / f_min
    return (spread * R / gamma) ** 2 / (1 - spread * beta / gamma)


@equation("S1", "2.35")
def stepwise_onset_free_length(
    R: float, gamma: float, beta: float, f_min: float = 1.0, f_max: float = 1.0
) -> float:
    r"""Time after which every update of a fixed-margin perceptron turns its weights towards u.

    .. math::
        t_c = \frac12 \frac{f_{max}}{f_{min}} \frac{R^2}{\gamma^2}
        \frac{1 - \gamma^2 / R^2}{1 - \beta / \gamma}

    Tsampouka and Shawe-Taylor (2005), eq. (2.35) [S1]: an update that follows t earlier ones
    increases the cosine between weights and u if ``t > t_c`` and ``t >= 1``. The learning rate
    plays no part.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of the unit vector u, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 <= beta < gamma``.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> stepwise_onset_free_length(R=2.0, gamma=0.5, beta=0.25)
    15.0
    """
    require_margin(R, gamma)
    require(0 <= beta < gamma, "0 <= beta < gamma", beta=beta, gamma=gamma)
    require_step(1.0, f_min, f_max)
    return f_max / f_min * (R**2 / gamma**2 - 1) / 2 / (1 - beta / gamma)


@equation("S1", "2.42")
def free_length_norm_ceiling(
    R: float,
    gamma: float,
    beta: float,
    t: float,
    N: int = 1,
    eta: float = 1.0,
    f_min: float = 1.0,
    f_max: float = 1.0,
) -> float:
    r"""Bound on the length of fixed-margin weights after t updates from a zero start.

    .. math::
        \|a_t\| \le \eta f_{max} \left\{R N + \beta (t - N) + \frac12 \frac{f_{max}}{f_{min}}
        \frac{R^2}{\gamma} \left(\ln\frac{t - 1}{N} + \frac1N\right)\right\}

    Tsampouka and Shawe-Taylor (2005), eq. (2.42) [S1], for any ``1 <= N <= t - 1``: the first N
    updates are bounded crudely, the others by their angle.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``beta >= 0``.
    t : float
        Number of updates, ``t >= N + 1``.
    N : int, default 1
        Number of first updates bounded crudely.
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
    >>> free_length_norm_ceiling(R=2.0, gamma=0.5, beta=0.25, t=2)
    6.25
    """
    require_margin(R, gamma)
    require_nonnegative(beta=beta)
    require_at_least(1, N=N)
    require(N + 1 <= t < math.inf, "N + 1 <= t < inf", t=t, N=N)
    require_step(eta, f_min, f_max)
    angle = f_max / f_min * R**2 / gamma * (log((t - 1) / N) + Fraction(1, N)) / 2
    return eta * f_max * (R * N + beta * (t - N) + angle)


@equation("S1", "2.43")
def free_length_updates(
    R: float, gamma: float, beta: float, N: int = 1, f_min: float = 1.0, f_max: float = 1.0
) -> float:
    r"""Most updates of a fixed-margin perceptron, N first updates bounded crudely.

    The largest ``t >= N + 1`` that satisfies

    .. math::
        \frac{t - N}{N g (1 - g) + \frac{1}{2 N} + \frac12 \ln\frac{t - 1}{N}}
        \le \frac{1}{g^2} \frac{1}{1 - \frac{f_{max}}{f_{min}} \frac{\beta}{\gamma}},
        \qquad g = \frac{f_{min}}{f_{max}} \frac{\gamma}{R},

    or N when there is none. Tsampouka and Shawe-Taylor (2005), eq. (2.43) [S1]. It bounds t
    only if :math:`f_{max} \beta < f_{min} \gamma`.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 <= beta`` and ``f_max beta < f_min gamma``.
    N : int, default 1
        Number of first updates bounded crudely.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> round(free_length_updates(R=2.0, gamma=0.5, beta=0.25), 2)
    95.83
    """
    scale = _time_scale(R, gamma, beta, f_min, f_max)
    require_at_least(1, N=N)
    offset = N * margin_ratio_product(R, gamma, f_min, f_max) + Fraction(1, 2 * N)
    return _largest_time(N, scale, offset)


@equation("S1", "2.44")
def margin_ratio_product(R: float, gamma: float, f_min: float = 1.0, f_max: float = 1.0) -> float:
    r"""Product in the time bound (2.43) that never exceeds one quarter.

    .. math:: g (1 - g) \le \frac14, \qquad g = \frac{f_{min}}{f_{max}} \frac{\gamma}{R}

    Tsampouka and Shawe-Taylor (2005), eq. (2.44) [S1].

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> margin_ratio_product(R=2.0, gamma=0.5)
    0.1875
    """
    require_margin(R, gamma)
    require_step(1.0, f_min, f_max)
    g = f_min / f_max * gamma / R
    return g * (1 - g)


@equation("S1", "2.45")
def free_length_updates_simple(
    R: float, gamma: float, beta: float, f_min: float = 1.0, f_max: float = 1.0
) -> float:
    r"""Most updates of a fixed-margin perceptron, by the simplest of its three bounds.

    The largest ``t >= 2`` that satisfies

    .. math::
        \frac{t - 1}{3 + 2 \ln(t - 1)} \le \frac14
        \left(\frac{f_{max}}{f_{min}} \frac{R}{\gamma}\right)^2
        \frac{1}{1 - \frac{f_{max}}{f_{min}} \frac{\beta}{\gamma}},

    or 1 when there is none. Tsampouka and Shawe-Taylor (2005), eq. (2.45) [S1]. The paper
    prints :math:`\ln(t - 1)^2`, by which it means :math:`2 \ln(t - 1)`. It bounds t only if
    :math:`f_{max} \beta < f_{min} \gamma`.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 <= beta`` and ``f_max beta < f_min gamma``.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> round(free_length_updates_simple(R=2.0, gamma=0.5, beta=0.25), 2)
    98.23
    """
    return _largest_time(1, _time_scale(R, gamma, beta, f_min, f_max), 0.75)


@equation("S1", "2.46")
def free_length_optimal_start(
    R: float, gamma: float, beta: float, f_min: float = 1.0, f_max: float = 1.0
) -> int:
    r"""Number of first updates to bound crudely so that the bound on the length is least.

    .. math::
        N_{opt} = \left[\frac12 \frac{f_{max}}{f_{min}} \frac{R}{\gamma}
        \frac{1}{1 - \beta / R}\right] + 1

    Tsampouka and Shawe-Taylor (2005), eq. (2.46) [S1]. It minimises the bound (2.39) with
    (2.40) put in, that is with the exact sum of ``1 / k``, and not (2.42) as the paper says.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 <= beta < R``.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> free_length_optimal_start(R=2.0, gamma=0.5, beta=0.25)
    3
    """
    require_margin(R, gamma)
    require(0 <= beta < R, "0 <= beta < R", beta=beta, R=R)
    require_step(1.0, f_min, f_max)
    return math.floor(f_max / f_min * R / gamma / 2 / (1 - beta / R)) + 1


@equation("S1", "2.48")
def free_length_updates_near_optimal(
    R: float, gamma: float, beta: float, f_min: float = 1.0, f_max: float = 1.0
) -> float:
    r"""Most updates of a fixed-margin perceptron, with nearly the best number of first updates.

    The largest ``t >= N_opt`` that satisfies

    .. math::
        \frac{t - N_{opt} + 1}{1 + \frac{1}{N_{opt} - 1} + \ln\frac{t - 1}{N_{opt} - 1}}
        \le \frac12 \left(\frac{f_{max}}{f_{min}} \frac{R}{\gamma}\right)^2
        \frac{1}{1 - \frac{f_{max}}{f_{min}} \frac{\beta}{\gamma}}.

    Tsampouka and Shawe-Taylor (2005), eq. (2.48) [S1]. It
    needs ``N_opt > 1`` and bounds t only if :math:`f_{max} \beta < f_{min} \gamma`.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 <= beta`` and ``f_max beta < f_min gamma``.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range, or ``N_opt`` of eq. (2.46) is 1.

    Examples
    --------
    >>> round(free_length_updates_near_optimal(R=2.0, gamma=0.5, beta=0.25), 2)
    85.99
    """
    scale = _time_scale(R, gamma, beta, f_min, f_max)
    N_opt = free_length_optimal_start(R, gamma, beta, f_min, f_max)
    require(N_opt > 1, "N_opt > 1", N_opt=N_opt, R=R, gamma=gamma, beta=beta)
    N = N_opt - 1
    return _largest_time(N, scale, Fraction(1, 2) + Fraction(1, 2 * N))
