"""Conditions on arguments: each check raises ValueError naming the condition that fails."""

import math
from numbers import Integral


def require(holds: bool, condition: str, **values: object) -> None:
    """Raise ValueError with the condition and the offending values unless it holds.

    The first keyword names the argument that the message blames.
    """
    if not holds:
        blamed = next(iter(values))
        got = ", ".join(f"{name}={value}" for name, value in values.items())
        raise ValueError(f"{blamed} must satisfy {condition}, got {got}")


def require_positive(**values: float) -> None:
    """Each value must be a positive finite number."""
    for name, value in values.items():
        require(0 < value < math.inf, f"0 < {name} < inf", **{name: value})


def require_nonnegative(**values: float) -> None:
    """Each value must be a finite number, zero allowed."""
    for name, value in values.items():
        require(0 <= value < math.inf, f"0 <= {name} < inf", **{name: value})


def require_at_least(least: float, **values: float) -> None:
    """Each value must be a finite number of at least ``least``."""
    for name, value in values.items():
        require(least <= value < math.inf, f"{least} <= {name} < inf", **{name: value})


def require_count(least: int, **values: int) -> None:
    """Each value must be an integer of at least ``least``."""
    for name, value in values.items():
        require_at_least(least, **{name: value})
        require(isinstance(value, Integral), f"{name} is an integer", **{name: value})


def require_margin(R: float, gamma: float) -> None:
    """No unit vector has a margin above the longest pattern's length."""
    require_positive(R=R)
    require(0 < gamma <= R, "0 < gamma <= R", gamma=gamma, R=R)


def require_step(eta: float, f_min: float, f_max: float) -> None:
    """Steps ``eta f_t`` need a positive learning rate and factors bounded as in S1 (2.5)."""
    require_positive(eta=eta)
    require(0 < f_min <= f_max < math.inf, "0 < f_min <= f_max < inf", f_min=f_min, f_max=f_max)


def require_relaxation(eta: float) -> None:
    """Relaxation approaches solutions only with rates between 0 and 2."""
    require(0 < eta < 2, "0 < eta < 2", eta=eta)
