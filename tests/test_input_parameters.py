"""Parameters out of range are refused, and the message names them."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

from inputs import THREE, X, assert_refused
from maxmargin import (
    BatchPerceptron,
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
    Perceptron,
    RelaxationPerceptron,
)

NO_NUMBER = [np.nan, np.inf, -np.inf, "something", [1.0], 1j, True, False, Fraction(1, 3)]
if np.finfo(np.longdouble).max > np.finfo(np.float64).max:
    NO_NUMBER += [np.longdouble("1e4000"), np.longdouble("1e-4000")]
NOT_POSITIVE = [0, -1, *NO_NUMBER]
NEGATIVE = [-1e-300, *NO_NUMBER]
NO_COUNT = [0, -1, 1.5, np.nan, "something", None, True, False, Fraction(2), 10**400, 10**5000]
NO_BOOL = ["yes", None, 2, 0.0]
SHARED = {
    "tol": [0, 1, -0.1, 1.5, *NO_NUMBER],
    "rho": [*NOT_POSITIVE, None],
    "fit_intercept": NO_BOOL,
    "max_iter": NO_COUNT,
    "warm_start": NO_BOOL,
    "n_jobs": [1.5, "something", np.nan, True, False],
    "verbose": [-1, 1.5, "something"],
    "shuffle": NO_BOOL,
    "random_state": [-1, 1.5, "something", True, False],
}
OWN = {
    Perceptron: {"learning_rate": [*NOT_POSITIVE, None]},
    MarginPerceptron: {
        "margin": [*NEGATIVE, None],
        "normalized": NO_BOOL,
        "learning_rate": [*NOT_POSITIVE, None],
        "schedule": ["something", 1.0, None],
    },
    BatchPerceptron: {
        "learning_rate": [*NOT_POSITIVE, None],
        "schedule": ["something", 1.0, None],
    },
    RelaxationPerceptron: {
        "margin": [*NEGATIVE, None],
        "target": NEGATIVE,
        "relaxation": [2, 3.0, *NOT_POSITIVE, None],
        "batch": NO_BOOL,
    },
    FixedMarginPerceptron: {
        "margin": [*NOT_POSITIVE, None],
        "length": ["something", 1, None],
        "step": ["something", 1, None],
        "learning_rate": [*NOT_POSITIVE, None],
    },
    BolzanoPerceptron: {
        "variant": [0, 3, 1.5, "1", None, True],
        "precision": [0.5, *NOT_POSITIVE, None],
        "max_checks": NO_COUNT,
    },
    MinOverPerceptron: {
        "target": [*NOT_POSITIVE, None],
        "init": ["something", 1.0, None],
    },
    DynamicMarginPerceptron: {
        "epsilon": [1.1, *NOT_POSITIVE, None],
        "recenter": NO_BOOL,
        "active_set": NO_BOOL,
    },
}


@pytest.mark.parametrize("kind", OWN)
def test_every_parameter_has_values_that_are_refused(kind):
    bad = {name: values for name, values in SHARED.items() if name in kind().get_params()}
    bad.update(OWN[kind])
    assert bad.keys() == kind().get_params().keys()
    for name, values in bad.items():
        message = rf"The '{name}' parameter of {kind.__name__} must be .* Got .* instead"
        for value in values:
            assert_refused(kind(**{name: value}), f"(?s){message}")
    assert_refused(kind(n_jobs=0), "n_jobs == 0")


@pytest.mark.parametrize(("kind", "name"), [(Perceptron, "rho"), (Perceptron, "learning_rate")])
def test_integers_too_large_for_a_float(kind, name):
    assert_refused(kind(**{name: 10**400}), name)


def test_margins_that_cannot_be_reached():
    radius = np.sqrt((X**2).sum(axis=1).min())
    for model in (
        FixedMarginPerceptron(fit_intercept=False),
        FixedMarginPerceptron(fit_intercept=False, length="fixed"),
        FixedMarginPerceptron(fit_intercept=False, step="projected"),
        MarginPerceptron(fit_intercept=False, normalized=True),
    ):
        for margin in (radius * (1 + 1e-12), 10 * radius, 1e308):
            message = f"margin={re.escape(str(margin))} cannot be reached.* {radius:.6g}"
            assert_refused(clone(model).set_params(margin=margin), message)


def test_a_target_below_the_margin():
    model = RelaxationPerceptron(margin=2.0, target=1.5)
    assert_refused(model, r"target=1\.5 is less than margin=2\.0")


def _failing(t):
    raise RuntimeError("no rate today")


@pytest.mark.parametrize("kind", [MarginPerceptron, BatchPerceptron])
@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda t: 1.0, r"schedule must return an array of the shape .* got \(\)"),
        (lambda t: np.ones(len(t) + 1), "schedule must return an array of the shape"),
        (lambda t: np.ones((len(t), 1)), "schedule must return an array of the shape"),
        (lambda t: None, "schedule must return an array of the shape"),
        (lambda t: -1.0 / t, r"schedule must return finite rates >= 0, got -1\.0 for correction 1"),
        (lambda t: np.where(t > 0, np.nan, t), "schedule must return finite rates >= 0, got nan"),
        (lambda t: np.full(len(t), np.inf), "schedule must return finite rates >= 0, got inf"),
        (lambda t: ["a"] * len(t), "schedule"),
    ],
)
def test_schedules_that_return_no_rates(kind, schedule, message):
    assert_refused(kind(schedule=schedule), message)
    assert_refused(kind(schedule=schedule, n_jobs=2), message, X, THREE)


@pytest.mark.parametrize("kind", [MarginPerceptron, BatchPerceptron])
def test_schedules_that_raise(kind):
    assert_refused(kind(schedule=_failing), "no rate today", error=RuntimeError)
    assert_refused(kind(schedule=lambda: 1.0), "positional argument", error=TypeError)
