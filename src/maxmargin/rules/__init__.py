"""The published updates, one small class each: when to correct a pattern, and by how much."""

from maxmargin.rules.base import Rule
from maxmargin.rules.dynamic_margin import DynamicMargin
from maxmargin.rules.fixed_margin import (
    FixedLength,
    FixedLengthProjected,
    FixedMargin,
    FixedMarginProjected,
)
from maxmargin.rules.min_over import MinOver
from maxmargin.rules.perceptron import StandardMargin
from maxmargin.rules.relaxation import Relaxation

__all__ = [
    "DynamicMargin",
    "FixedLength",
    "FixedLengthProjected",
    "FixedMargin",
    "FixedMarginProjected",
    "MinOver",
    "Relaxation",
    "Rule",
    "StandardMargin",
]
