"""The list of equations: which function states which numbered result."""

import re
from collections.abc import Callable
from typing import TypeVar

Bound = TypeVar("Bound", bound=Callable[..., object])

_EQUATIONS: dict[str, Callable[..., object]] = {}


def equation(paper: str, number: str) -> Callable[[Bound], Bound]:
    """Enter the decorated function as the statement of one equation of one paper."""

    def enter(function: Bound) -> Bound:
        _EQUATIONS[f"{paper} ({number})"] = function
        return function

    return enter


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
