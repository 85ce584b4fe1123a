"""The arithmetic of the bounds: rational numbers, rounded once, when a bound is returned.

A bound multiplies and divides squares of lengths, rates and margins, any of which may be large
or small beyond the range of floats although the bound itself is not. In rational numbers no
intermediate result overflows, vanishes or loses digits, and an equation can be written as the
paper prints it. Roots and logarithms alone are rounded on the way.
"""

import math
from fractions import Fraction
from typing import Any

_ROOT_BITS = 128  # more than twice those of a float


def exact(value: Any) -> Any:
    """Return the rational number that a finite float is, and anything else as it is."""
    return Fraction(value) if isinstance(value, float) and math.isfinite(value) else value


def rounded(value: Any) -> Any:
    """Return the float nearest to a rational number, and anything else as it is.

    Beyond the largest float it is infinity. Tuples are rounded number by number.
    """
    if isinstance(value, tuple):
        return tuple(map(rounded, value))
    if not isinstance(value, Fraction):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def root(value: float) -> Any:
    """Return the square root of a rational number, a rational number too."""
    square = Fraction(value)
    size = square.numerator.bit_length() - square.denominator.bit_length()
    shift = max(0, _ROOT_BITS - size // 2)
    bits = math.isqrt((square.numerator << 2 * shift) // square.denominator)
    return Fraction(bits, 1 << shift)


def log(value: float) -> Any:
    """Return the logarithm of a rational number within the range of floats."""
    return Fraction(math.log(value))
