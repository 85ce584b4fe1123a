"""The scikit-learn classes; each is a rule with its documentation."""

from maxmargin.estimators.dynamic_margin import DynamicMarginPerceptron
from maxmargin.estimators.fixed_margin import BolzanoPerceptron, FixedMarginPerceptron
from maxmargin.estimators.large_margin import LargeMarginClassifier
from maxmargin.estimators.large_margin_cv import LargeMarginClassifierCV
from maxmargin.estimators.min_over import MinOverPerceptron
from maxmargin.estimators.perceptrons import BatchPerceptron, MarginPerceptron, Perceptron
from maxmargin.estimators.relaxation import RelaxationPerceptron

__all__ = [
    "BatchPerceptron",
    "BolzanoPerceptron",
    "DynamicMarginPerceptron",
    "FixedMarginPerceptron",
    "LargeMarginClassifier",
    "LargeMarginClassifierCV",
    "MarginPerceptron",
    "MinOverPerceptron",
    "Perceptron",
    "RelaxationPerceptron",
]
