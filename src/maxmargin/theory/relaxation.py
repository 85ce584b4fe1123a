"""Time bounds of single-sample relaxation whose target lies above its margin: S1 (2.22)-(2.29).

A step adds ``eta (b_u - p) / ||y||^2 y`` to the weights whenever ``p <= b``, with ``b_u > b``;
the weights start at zero. The bounds are about patterns taken one at a time: relaxation of the
whole batch at once may diverge for the same learning rates.
"""

import math

from ._arithmetic import root
from ._conditions import (
    require,
    require_nonnegative,
    require_positive,
    require_relaxation,
)
from ._registry import equation


def _require_target(b_u: float, b: float) -> None:
    require_nonnegative(b=b)
    require(b < b_u < math.inf, "b < b_u < inf", b_u=b_u, b=b)


def _require_lengths(R: float, r: float, gamma: float) -> None:
    require_positive(R=R)
    require(0 < r <= R, "0 < r <= R", r=r, R=R)
    require(0 < gamma <= r, "0 < gamma <= r", gamma=gamma, r=r)


@equation("S1", "2.23")
def relaxation_step_floor(R: float, b_u: float, b: float = 0.0) -> float:
    r"""Smallest factor f of a relaxation step.

    .. math:: f_{min} = \frac{b_u - b}{R^2}

    Tsampouka and Shawe-Taylor (2005), eq. (2.23) [S1].

    Parameters
    ----------
    R : float
        Largest length of a pattern.
    b_u : float
        Score that a step of full length (``eta = 1``) gives its pattern, ``b_u > b``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> relaxation_step_floor(R=2.0, b_u=3.0, b=1.0)
    0.5
    """
    require_positive(R=R)
    _require_target(b_u, b)
    return (b_u - b) / R**2


@equation("S1", "2.28")
def relaxation_norm_bounds(
    R: float,
    r: float,
    gamma: float,
    b_u: float,
    t: float,
    b: float = 0.0,
    eta: float = 1.0,
) -> tuple[float, float]:
    r"""Bounds on the length of the relaxation weights after t updates from a zero start.

    .. math::
        \eta f_{min} \gamma t \le a_t \cdot u \le \|a_t\|
        \le \frac{b_u}{r} \sqrt{\frac{\eta}{2 - \eta} t}

    Tsampouka and Shawe-Taylor (2005), eq. (2.28) [S1], with the factor of eq. (2.23).

    Parameters
    ----------
    R, r, gamma : float
        Largest and smallest length of a pattern; margin of the unit vector u,
        ``0 < gamma <= r <= R``.
    b_u : float
        Target of a step, ``b_u > b``.
    t : float
        Number of updates, ``t >= 0``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta : float, default 1.0
        Relaxation rate, ``0 < eta < 2``.

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
    >>> relaxation_norm_bounds(R=2.0, r=1.0, gamma=0.5, b_u=3.0, t=4, b=1.0)
    (1.0, 6.0)
    """
    _require_lengths(R, r, gamma)
    require_nonnegative(t=t)
    require_relaxation(eta)
    lower = eta * relaxation_step_floor(R, b_u, b) * gamma * t
    return lower, b_u / r * root(eta / (2 - eta) * t)


@equation("S1", "2.29")
def relaxation_updates(
    R: float,
    r: float,
    gamma: float,
    b_u: float,
    b: float = 0.0,
    eta: float = 1.0,
) -> float:
    r"""Most updates of single-sample relaxation with ``b_u > b`` from a zero start.

    .. math::
        t \le \frac{1}{\eta (2 - \eta)} \left(\frac{R^2}{b_u - b}\right)^2
        \frac{b_u^2}{r^2 \gamma^2}

    Tsampouka and Shawe-Taylor (2005), eq. (2.29) [S1].

    Parameters
    ----------
    R, r, gamma : float
        Largest and smallest length of a pattern; margin of a unit vector,
        ``0 < gamma <= r <= R``.
    b_u : float
        Target of a step, ``b_u > b``.
    b : float, default 0.0
        Margin of the condition ``p <= b``, ``b >= 0``.
    eta : float, default 1.0
        Relaxation rate, ``0 < eta < 2``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> relaxation_updates(R=2.0, r=1.0, gamma=0.5, b_u=3.0, b=1.0)
    144.0
    """
    _require_lengths(R, r, gamma)
    require_relaxation(eta)
    floor = relaxation_step_floor(R, b_u, b)
    return 1 / (eta * (2 - eta)) / floor**2 * b_u**2 / (r**2 * gamma**2)
