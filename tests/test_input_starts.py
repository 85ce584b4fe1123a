"""Starts that do not fit the problem are refused, be they weights, multipliers or a last fit."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone

from inputs import THREE, X, Y, assert_refused, each_member, fitted
from maxmargin import MinOverPerceptron, Perceptron


@each_member
def test_starts_that_do_not_fit(model):
    for start in ([1.0, 2.0], np.ones((2, 3)), np.ones((3, 1)), np.ones((1, 1, 3))):
        message = re.escape(f"coef_init has shape {np.shape(start)}, expected (1, 3)")
        assert_refused(model, message, X, Y, start)
    assert_refused(model, r"coef_init has shape \(3,\), expected \(3, 3\)", X, THREE, [1.0] * 3)
    for value in (np.nan, np.inf):
        assert_refused(model, "coef_init has entries that are not finite", X, Y, [1.0, value, 0.0])
        assert_refused(model, "intercept_init has entries that are not fin", X, Y, None, value)
    for start in ([1.0, 2.0], [[1.0]]):
        message = re.escape(f"intercept_init has shape {np.shape(start)}, expected (1,)")
        assert_refused(model, message, X, Y, None, start)
    assert_refused(model, r"shape \(2,\), expected \(3,\)", X, THREE, None, [1.0, 2.0])
    without = clone(model).set_params(fit_intercept=False)
    assert_refused(without, "intercept_init is not zero, but fit_intercept=False", X, Y, None, 1.0)


def test_one_number_is_no_start_for_several_weights():
    assert_refused(Perceptron(), r"coef_init has shape \(\), expected \(1, 3\)", X, Y, 5.0)


@pytest.mark.parametrize(
    "start",
    [
        "words",
        [[1.0], [2.0, 3.0]],
        [1j, 0.0, 0.0],
        [10**400, 0, 0],
        np.array(["2020", "2021", "2022"], "datetime64[Y]"),
        np.array([1, 2, 3], "timedelta64[s]"),
    ],
    ids=str,
)
def test_starts_that_are_no_numbers(start):
    assert_refused(Perceptron(), "coef_init", X, Y, start)
    assert_refused(Perceptron(), "intercept_init", X, Y, None, start)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (np.ones(23), r"init has shape \(23,\), expected one multiplier for each of 24 patterns"),
        (np.ones((2, 24)), r"init has shape \(2, 24\), .* 24 patterns and 1 hyperplanes"),
        (np.append(np.ones(23), -1e-9), "init must have multipliers that are not negative"),
        (np.append(np.ones(23), np.nan), "init has entries that are not finite"),
        (np.append(np.ones(23), np.inf), "init has entries that are not finite"),
        (["a"] * 24, "init"),
    ],
)
def test_multipliers_min_over_cannot_start_from(init, message):
    assert_refused(MinOverPerceptron(init=init), message)


@pytest.mark.parametrize("start", [([1.0, 0.0, 0.0],), (None, 1.0), ([1.0, 0.0, 0.0], 1.0)])
def test_min_over_cannot_start_from_weights_and_multipliers(start):
    message = "init has multipliers to start from, coef_init or intercept_init weights"
    assert_refused(MinOverPerceptron(init=np.ones(24)), message, X, Y, *start)


@each_member
def test_warm_starts_from_another_problem(model):
    model = fitted(model, warm_start=True)
    before = dict(vars(model))
    for rows, labels, message in (
        (X, np.where(Y == 1, "b", "a"), r"classes of the last fit, \[0 1\], got \['a' 'b'\]"),
        (X, Y + 1, r"classes of the last fit, \[0 1\], got \[1 2\]"),
        (X[:, :2], Y, "needs the 3 features of the last fit, got 2"),
        (np.column_stack([X, X]), Y, "needs the 3 features of the last fit, got 6"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(rows, labels)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[name] is before[name] for name in before)
