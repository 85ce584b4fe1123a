"""The bound that the perceptron with dynamic margin puts in the place of the margin: S5."""

from ._conditions import require_nonnegative, require_positive
from ._registry import equation


@equation("S5", "3")
def directional_margin_ceiling(a_norm: float, t: float) -> float:
    r"""Bound on the optimal directional margin from the weights after t unit steps.

    .. math:: \gamma_d \le \frac{\|a_t\|}{t}

    Panwar and Gupta, eq. (3) [S5], for ``t > 0`` steps ``a += y`` from a zero start. With
    steps of other sizes t is the sum of their non-negative multipliers.

    Parameters
    ----------
    a_norm : float
        Length of the weights.
    t : float
        Number of updates, or the sum of the multipliers, ``t > 0``.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If an argument is outside its range.

    Examples
    --------
    >>> directional_margin_ceiling(a_norm=3.0, t=6)
    0.5
    """
    require_nonnegative(a_norm=a_norm)
    require_positive(t=t)
    return a_norm / t
