"""The list of equations: which function states which numbered result, and how it is called."""

import functools
import inspect
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from ._arithmetic import exact, rounded
from ._conditions import (
    read_integer,
    read_matrix,
    read_number,
    read_truth,
    read_vector,
    require,
)

Bound = TypeVar("Bound", bound=Callable[..., Any])

_EQUATIONS: dict[str, Callable[..., Any]] = {}
_READERS: dict[Any, Callable[[str, Any], Any]] = {
    float: read_number,
    int: read_integer,
    bool: read_truth,
    npt.ArrayLike: read_vector,
    Any: read_matrix,
}


def equation(paper: str, number: str) -> Callable[[Bound], Bound]:
    """Enter the decorated function as the statement of one equation of one paper.

    When it is called, every argument is read as what its annotation says it is. A function of
    numbers is evaluated in rational numbers and its value rounded, a function of data in floats.
    """

    def enter(function: Bound) -> Bound:
        signature = inspect.signature(function)
        kinds = {name: known.annotation for name, known in signature.parameters.items()}
        evaluate = _over_data if npt.ArrayLike in kinds.values() else _exactly

        @functools.wraps(function)
        def stated(*args: Any, **keywords: Any) -> Any:
            given = signature.bind(*args, **keywords)
            given.apply_defaults()
            values = {
                name: _READERS[kind](name, given.arguments[name]) for name, kind in kinds.items()
            }
            return evaluate(function, values)

        _EQUATIONS[f"{paper} ({number})"] = stated
        return cast(Bound, stated)

    return enter


def _exactly(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Return a function of rational numbers, rounded unless it was asked for with such."""
    try:
        value = function(**{name: exact(value) for name, value in values.items()})
    except OverflowError as error:  # a count that no memory could hold
        got = ", ".join(f"{name}={value}" for name, value in values.items())
        raise ValueError(f"{function.__name__} is too large: {error}, got {got}") from error
    asked_exactly = any(isinstance(value, Fraction) for value in values.values())
    return value if asked_exactly else rounded(value)


def _over_data(function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Return a function of arrays, which has to be within the range of floats."""
    with np.errstate(all="ignore"):
        value = function(**{name: rounded(value) for name, value in values.items()})
    name = function.__name__
    require(bool(np.isfinite(value).all()), f"|{name}| < inf", **{name: value})
    return value


def _numbers(tag: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", tag))


def equations() -> dict[str, Callable[..., object]]:
    """Every equation of this module, by paper and number, in the papers' own order.

    Results that a paper states without a number come first and are listed by name.

    Returns
    -------
    dict
        ``{"S1 (2.11)": standard_margin_updates, ...}``.

    Examples
    --------
    >>> from maxmargin import theory
    >>> theory.equations()["S1 (2.11)"].__name__
    'standard_margin_updates'
    """
    return {tag: _EQUATIONS[tag] for tag in sorted(_EQUATIONS, key=_numbers)}
