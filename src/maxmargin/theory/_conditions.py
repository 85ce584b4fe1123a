"""Conditions on arguments: each check raises ValueError naming the condition that fails.

The first functions read an argument of one kind, the others check what a bound needs of it.
"""

import math
import reprlib
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ._arithmetic import rounded

Vector = npt.NDArray[np.float64]


def require(holds: bool, condition: str, **values: object) -> None:
    """Raise ValueError with the condition and the offending values unless it holds.

    The first keyword names the argument that the message blames.
    """
    if not holds:
        blamed = next(iter(values))
        got = ", ".join(f"{name}={rounded(value)}" for name, value in values.items())
        raise ValueError(f"{blamed} must satisfy {condition}, got {got}")


# --- kinds of arguments ------------------------------------------------------


def read_number(name: str, value: Any) -> Any:
    """Return a real number as a float, infinite beyond the largest; a Fraction stays one."""
    require(isinstance(value, Real), f"{name} is a real number", **{name: reprlib.repr(value)})
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value if isinstance(value, Fraction) else number


def read_integer(name: str, value: Any) -> int:
    """Return an integer of any type as Python's, which has no largest one."""
    require(isinstance(value, Integral), f"{name} is an integer", **{name: reprlib.repr(value)})
    return int(value)


def read_truth(name: str, value: Any) -> bool:
    """Return a truth value."""
    is_truth = isinstance(value, bool | np.bool_)
    require(is_truth, f"{name} is True or False", **{name: reprlib.repr(value)})
    return bool(value)


def read_vector(name: str, values: Any) -> Vector:
    """Return a vector of finite floats."""
    return _array(name, values, 1)


def read_matrix(name: str, values: Any) -> Any:
    """Return a dense or a canonical CSR matrix of finite floats."""
    if not sparse.issparse(values):
        return _array(name, values, 2)
    _require_dimensions(name, values.shape, 2)
    try:
        if hasattr(values, "check_format"):
            values.check_format(full_check=True)
        matrix = sparse.csr_array(values).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must satisfy all values real numbers: {error}") from error
    matrix.sum_duplicates()
    _require_finite(name, matrix.data)
    return matrix


def _array(name: str, values: Any, dimensions: int) -> Vector:
    try:
        array = np.asarray(values).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must satisfy all values real numbers: {error}") from error
    _require_dimensions(name, array.shape, dimensions)
    _require_finite(name, array)
    return array


def _require_dimensions(name: str, shape: tuple[int, ...], dimensions: int) -> None:
    got = {name: f"an array of shape {shape}"}
    require(len(shape) == dimensions, f"len({name}.shape) == {dimensions}", **got)


def _require_finite(name: str, values: Vector) -> None:
    wrong = values[~np.isfinite(values)]
    require(wrong.size == 0, "all values finite", **{name: f"an array with {wrong[:1]}"})


# --- ranges ------------------------------------------------------------------


def require_positive(**values: float) -> None:
    """Each value must be a positive finite number."""
    for name, value in values.items():
        require(0 < value < math.inf, f"0 < {name} < inf", **{name: value})


def require_nonnegative(**values: float) -> None:
    """Each value must be a finite number, zero allowed."""
    for name, value in values.items():
        require(0 <= value < math.inf, f"0 <= {name} < inf", **{name: value})


def require_finite(**values: float) -> None:
    """Each value must be a finite number."""
    for name, value in values.items():
        require(-math.inf < value < math.inf, f"-inf < {name} < inf", **{name: value})


def require_at_least(least: float, **values: float) -> None:
    """Each value must be a finite number of at least ``least``."""
    for name, value in values.items():
        require(least <= value < math.inf, f"{least} <= {name} < inf", **{name: value})


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
