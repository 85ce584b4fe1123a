"""Monomials and Cover's count against enumeration."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin import theory


@pytest.mark.parametrize(("n", "degree"), list(itertools.product((1, 2, 3, 5), range(5))))
def test_monomials_by_enumeration(n, degree):
    powers = itertools.product(range(degree + 1), repeat=n)
    assert theory.monomials(n, degree) == sum(sum(power) <= degree for power in powers)


def separable(X, labels):
    """Whether some w has ``labels (X w) >= 1``."""
    result = linprog(
        np.zeros(X.shape[1]),
        A_ub=-labels[:, None] * X,
        b_ub=-np.ones(len(X)),
        bounds=(None, None),
    )
    return result.status == 0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 1), (3, 2), (5, 2), (6, 2), (5, 3), (6, 3)])
def test_cover_by_enumeration(n, d, intercept):
    X = np.random.default_rng(7).normal(size=(n, d))  # in general position almost surely
    if intercept:
        X = np.column_stack([X, np.ones(n)])
    count = sum(
        separable(X, np.array(labels)) for labels in itertools.product((-1.0, 1.0), repeat=n)
    )
    assert theory.separable_dichotomies(n, d, intercept) == count
    assert theory.separable_fraction(n, d, intercept) == count / 2**n


@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_few_patterns_are_always_separable(d):
    for n in range(1, d + 2):
        assert theory.separable_dichotomies(n, d) == 2**n
    assert theory.separable_dichotomies(d + 2, d) == 2 ** (d + 2) - 2
    assert theory.separable_fraction(2 * (d + 1), d) == 0.5


def test_large_counts_are_exact():
    count = theory.separable_dichotomies(5000, 3)
    assert count == 2 * (1 + 4999 + 4999 * 4998 // 2 + 4999 * 4998 * 4997 // 6)
    assert theory.separable_fraction(5000, 3) == 0.0
