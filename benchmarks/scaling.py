"""Time linear in the number of rows: covtype at 1/16, 1/4 and all of its rows."""

import math
import time
import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

import maxmargin
from benchmarks import data
from benchmarks.report import Report

__all__ = ["run"]

EPOCHS = 10
REPEATS = 3
PARTS = (16, 4, 1)

METHOD = f"""\
Seconds of a whole public `fit` of {EPOCHS} epochs, the best of {REPEATS}, on the first 1/16, 1/4
and all rows of covtype (dense float64, shuffled once). The exponent is that of the power law
through the smallest and the largest: 1 is linear."""


def run() -> Report:
    """Time one online and one certified-margin algorithm on growing parts of covtype."""
    X, y = data.covtype()
    sizes = [len(y) // part for part in PARTS]
    report = Report(
        "Time against rows", METHOD, ["algorithm", *(f"{size} rows" for size in sizes), "exponent"]
    )
    for estimator_class in (maxmargin.Perceptron, maxmargin.DynamicMarginPerceptron):
        seconds = [fit_seconds(estimator_class, X[:size], y[:size]) for size in sizes]
        exponent = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
        report.rows.append(
            [estimator_class.__name__, *(f"{value:.3f} s" for value in seconds), f"{exponent:.2f}"]
        )
    return report


def fit_seconds(estimator_class: Any, X: Any, y: Any) -> float:
    """Time one public fit, the best of several."""
    best = math.inf
    for _ in range(REPEATS):
        estimator = estimator_class(tol=None, max_iter=EPOCHS, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            start = time.perf_counter()
            estimator.fit(X, y)
            best = min(best, time.perf_counter() - start)
    return best
