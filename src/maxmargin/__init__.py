"""Large-margin classifiers that carry a proof of how close their margin is to the best one.

Names are imported when first used, so that ``import maxmargin`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "BatchPerceptron": "maxmargin.estimators",
    "BolzanoPerceptron": "maxmargin.estimators",
    "Certificate": "maxmargin.certificate",
    "DynamicMarginPerceptron": "maxmargin.estimators",
    "FixedMarginPerceptron": "maxmargin.estimators",
    "InvalidCertificate": "maxmargin.certificate",
    "LargeMarginClassifier": "maxmargin.estimators",
    "LargeMarginClassifierCV": "maxmargin.estimators",
    "MarginPerceptron": "maxmargin.estimators",
    "MinOverPerceptron": "maxmargin.estimators",
    "Perceptron": "maxmargin.estimators",
    "RelaxationPerceptron": "maxmargin.estimators",
}

__all__ = [
    "BatchPerceptron",
    "BolzanoPerceptron",
    "Certificate",
    "DynamicMarginPerceptron",
    "FixedMarginPerceptron",
    "InvalidCertificate",
    "LargeMarginClassifier",
    "LargeMarginClassifierCV",
    "MarginPerceptron",
    "MinOverPerceptron",
    "Perceptron",
    "RelaxationPerceptron",
    "__version__",
    "theory",
]

if TYPE_CHECKING:
    from maxmargin import theory
    from maxmargin.certificate import Certificate, InvalidCertificate
    from maxmargin.estimators import (
        BatchPerceptron,
        BolzanoPerceptron,
        DynamicMarginPerceptron,
        FixedMarginPerceptron,
        LargeMarginClassifier,
        LargeMarginClassifierCV,
        MarginPerceptron,
        MinOverPerceptron,
        Perceptron,
        RelaxationPerceptron,
    )


def __getattr__(name: str) -> Any:
    if name == "theory":
        return importlib.import_module("maxmargin.theory")
    if name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
