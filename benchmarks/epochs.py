"""The throughput of one epoch, against scikit-learn's perceptron.

An epoch is timed as the difference of two public ``fit`` calls that differ in ``max_iter`` only,
so validation, label encoding and the like cancel on both sides.
"""

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from benchmarks import data
from benchmarks.report import Report

__all__ = ["run"]

REPEATS = 5
REQUIRED = 4.0

METHOD = f"""\
Milliseconds an epoch, `(fit(many) - fit(few)) / (many - few)`, each `fit` the best of {REPEATS},
the two sides alternating: `maxmargin.Perceptron(shuffle=True, tol=None)` against
`sklearn.linear_model.Perceptron(shuffle=True, tol=None)`, both with an intercept, float64, one
thread. Ours includes its certificates at epochs 1, 2, 4, 8, ... To the newsgroups, which are
separable, one pattern was added once with every label, so that neither side can stop early.
Required: {REQUIRED:.0f} times the throughput."""


@dataclass(frozen=True)
class Task:
    """A classification problem and the two numbers of epochs whose difference is timed."""

    name: str
    X: Any
    y: Any
    few: int
    many: int


def tasks() -> Iterator[Task]:
    """Load one data set after the other."""
    yield Task("a9a (CSR)", *data.a9a(), few=32, many=256)
    X, y = inseparable(*data.news20())
    yield Task("20news, groups 0-9 against 10-19 (CSR)", X, y < 10, few=8, many=64)
    yield Task("20news, 20 classes (CSR)", X, y, few=8, many=64)
    yield Task("covtype (dense)", *data.covtype(), few=4, many=32)


def inseparable(X: Any, y: Any) -> tuple[Any, Any]:
    """Add the first pattern once with every label: no class is separable from the others."""
    labels = np.unique(y)
    copies = X[np.zeros(len(labels), dtype=np.intp)]
    return sparse.vstack([X, copies], format="csr"), np.concatenate([y, labels])


def run() -> Report:
    """Measure every task on both sides."""
    report = Report(
        "One epoch", METHOD, ["data", "rows", "maxmargin", "scikit-learn", "throughput"]
    )
    for task in tasks():
        ours, theirs = seconds_per_epoch(task, [maxmargin.Perceptron, linear_model.Perceptron])
        report.rows.append(
            [
                task.name,
                f"{task.X.shape[0]}",
                f"{ours * 1e3:.2f} ms",
                f"{theirs * 1e3:.2f} ms",
                f"{theirs / ours:.1f} x",
            ]
        )
    return report


def seconds_per_epoch(task: Task, classes: list[Any]) -> list[float]:
    """Time one epoch of each class; the sides alternate, so that drift hits them alike."""
    best = np.full((len(classes), 2), np.inf)
    for _ in range(REPEATS):
        for side, estimator_class in enumerate(classes):
            for column, epochs in enumerate((task.few, task.many)):
                seconds = fit_seconds(estimator_class, task, epochs)
                best[side, column] = min(best[side, column], seconds)
    return [float(many - few) / (task.many - task.few) for few, many in best]


def fit_seconds(estimator_class: Any, task: Task, epochs: int) -> float:
    """Time one public fit, and make sure that it ran all its epochs."""
    estimator = estimator_class(shuffle=True, tol=None, max_iter=epochs, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        start = time.perf_counter()
        estimator.fit(task.X, task.y)
        seconds = time.perf_counter() - start
    if estimator.n_iter_ != epochs:
        raise RuntimeError(f"{estimator} stopped after {estimator.n_iter_} epochs on {task.name}")
    return seconds
