"""Perceptrons that demand a fixed directional margin, weights of fixed length: S1 section 2.2.2.

A pattern is learned whenever ``y . a / ||a|| <= beta``; a step adds ``eta f_t y`` and scales
the weights back to length beta. They start as a multiple of a pattern. `R` is the largest
length of a pattern and `gamma` the margin of any unit vector.
"""

from ._conditions import require, require_margin, require_step
from ._registry import equation


def _require_problem(R: float, gamma: float, beta: float) -> None:
    require_margin(R, gamma)
    require(0 < beta < gamma, "0 < beta < gamma", beta=beta, gamma=gamma)


@equation("S1", "2.51")
def fixed_length_critical_rate(R: float, gamma: float, beta: float, f_max: float = 1.0) -> float:
    r"""Learning rate below which every fixed-length update turns the weights towards u.

    .. math:: \eta_c = \frac{2}{f_{max}} \frac{(\gamma - \beta) \beta}{R^2 - \gamma^2}

    Tsampouka and Shawe-Taylor (2005), eq. (2.51) [S1]. With ``gamma = R`` there is no
    critical rate, so ``R > gamma`` is required.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of the unit vector u, ``0 < gamma < R``.
    beta : float
        Directional margin demanded, ``0 < beta < gamma``.
    f_max : float, default 1.0
        Upper bound of the step's factor.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> fixed_length_critical_rate(R=1.0, gamma=0.5, beta=0.25)
    0.16666666666666666
    """
    _require_problem(R, gamma, beta)
    require(gamma < R, "gamma < R", gamma=gamma, R=R)
    require_step(1.0, f_max, f_max)
    return 2 / f_max * (gamma - beta) * beta / (R**2 - gamma**2)


@equation("S1", "2.56")
def fixed_length_updates_at_rate(
    R: float, gamma: float, beta: float, eta: float, f_min: float = 1.0, f_max: float = 1.0
) -> float:
    r"""Number that the updates of a fixed-length perceptron stay below, at a learning rate.

    .. math::
        t < \frac{f_{max}}{f_{min}} \left\{\frac{\gamma - \beta}{R} s
        - \frac12 \left(1 + \frac{2 \beta}{R}\right) s^2 - \frac12 s^3\right\}^{-1},
        \qquad s = \frac{\eta f_{max} R}{\beta}

    Tsampouka and Shawe-Taylor (2005), eq. (2.56) [S1]. It says nothing unless the brace is
    positive, that is unless the learning rate is small enough.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 < beta < gamma``.
    eta : float
        Learning rate.
    f_min, f_max : float, default 1.0
        Bounds of the step's factor, ``0 < f_min <= f_max``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range, or the brace is not positive.

    Examples
    --------
    >>> round(fixed_length_updates_at_rate(R=1.0, gamma=0.5, beta=0.25, eta=0.05), 6)
    62.5
    """
    _require_problem(R, gamma, beta)
    require_step(eta, f_min, f_max)
    s = eta * f_max * R / beta
    gain = (gamma - beta) / R * s - (1 + 2 * beta / R) * s**2 / 2 - s**3 / 2
    require(
        gain > 0,
        "(gamma - beta)/R s - (1 + 2 beta/R) s^2/2 - s^3/2 > 0 with s = eta f_max R/beta",
        eta=eta,
        R=R,
        gamma=gamma,
        beta=beta,
        f_max=f_max,
    )
    return f_max / f_min / gain


@equation("S1", "2.57")
def fixed_length_optimal_rate(R: float, gamma: float, beta: float, f_max: float = 1.0) -> float:
    r"""Learning rate at which the bound (2.56) is nearly the least.

    .. math::
        \eta_{opt} = \frac{1}{f_{max}} \frac{(\gamma - \beta) \beta}{R^2}
        \left(1 + \frac{2 \beta}{R}\right)^{-1}

    Tsampouka and Shawe-Taylor (2005), eq. (2.57) [S1]. It minimises the bound without its
    cubic term; the true minimiser is somewhat smaller.

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 < beta < gamma``.
    f_max : float, default 1.0
        Upper bound of the step's factor.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> round(fixed_length_optimal_rate(R=1.0, gamma=0.5, beta=0.25), 6)
    0.041667
    """
    _require_problem(R, gamma, beta)
    require_step(1.0, f_max, f_max)
    return (gamma - beta) * beta / R**2 / (1 + 2 * beta / R) / f_max


@equation("S1", "2.58")
def fixed_length_updates(
    R: float, gamma: float, beta: float, f_min: float = 1.0, f_max: float = 1.0
) -> float:
    r"""Number that the updates of a fixed-length perceptron stay below, at the rate (2.57).

    .. math::
        t < 2 \frac{f_{max}}{f_{min}} \frac{R^2}{(\gamma - \beta)^2}
        \left(1 + \frac{2 \beta}{R}\right)
        \left(1 - \frac{\gamma - \beta}{R} \left(1 + \frac{2 \beta}{R}\right)^{-2}\right)^{-1}

    Tsampouka and Shawe-Taylor (2005), eq. (2.58) [S1]. It is (2.56) at the rate (2.57).

    Parameters
    ----------
    R, gamma : float
        Largest length of a pattern; margin of a unit vector, ``0 < gamma <= R``.
    beta : float
        Directional margin demanded, ``0 < beta < gamma``.
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
    >>> round(fixed_length_updates(R=1.0, gamma=0.5, beta=0.25), 6)
    54.0
    """
    _require_problem(R, gamma, beta)
    require_step(1.0, f_min, f_max)
    gap = (gamma - beta) / R
    stretch = 1 + 2 * beta / R
    return 2 * f_max / f_min * stretch / gap**2 / (1 - gap / stretch**2)
