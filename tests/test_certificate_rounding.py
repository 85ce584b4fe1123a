"""Certificates of rough problems: neither refused nor forged by way of rounding errors."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import naive
from certificates import (
    FAMILY,
    dot,
    exact,
    example,
    has_zero_pattern,
    overlapping,
    quiet,
    seeded,
    separated_exactly,
    weights,
)
from maxmargin import BolzanoPerceptron, DynamicMarginPerceptron, MinOverPerceptron, Perceptron
from maxmargin.certificate import InvalidCertificate
from maxmargin.verification import LabelledRows, hulls_meet, recompute

ROUGH = [
    lambda rng, n, d: rng.normal(size=(n, d)),
    lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-8, 8, (n, 1)),
    lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-8, 8, (1, d)),
    lambda rng, n, d: rng.integers(-3, 4, (n, d)).astype(float),
    lambda rng, n, d: rng.integers(-2, 3, (n, d)) * 0.1,
    lambda rng, n, d: np.outer(rng.integers(-5, 6, n), rng.integers(-3, 4, d)).astype(float),
    lambda rng, n, d: rng.normal(size=(n, 1)) @ rng.normal(size=(1, d)),
]
ROUGH_PROBLEMS_EACH = 60


def rough(seed):
    """Return few rows of very uneven lengths, on a line, repeated, opposite, conflicting, zero."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 14)), int(rng.integers(1, rng.integers(2, 7)))
    X = ROUGH[seed % len(ROUGH)](rng, n, d)
    signs = rng.choice([-1, 1], n) if rng.random() < 0.5 else np.where(X @ np.ones(d) > 0.5, 1, -1)
    signs[:2] = -1, 1
    for chance, row, sign in [(0.3, X[0], -1), (0.2, X[0], 1), (0.2, -X[0], 1), (0.1, 0 * X[0], 1)]:
        if rng.random() < chance:
            X, signs = np.vstack([X, row]), np.append(signs, sign)
    X = X * rng.choice([1e-12, 1e-6, 1.0, 1e6, 1e12])
    return X.astype(np.float32) if rng.random() < 0.3 else X, signs, rng


def separates(X, signs, fit_intercept):
    """Whether HiGHS finds a hyperplane with every row strictly on its side, in exact arithmetic."""
    size = float(np.abs(X).max()) or 1.0
    Y = naive.reflect(X.astype(float), signs, size if fit_intercept else None)
    lengths = np.linalg.norm(Y, axis=1, keepdims=True)
    if not lengths.all():
        return False
    largest = np.abs(Y / lengths).max(axis=0)
    scales = np.where(largest > 0.0, largest, 1.0)
    A = -Y / lengths / scales
    found = linprog(np.zeros(A.shape[1]), A_ub=A, b_ub=-np.ones(len(A)), bounds=(None, None))
    a = [] if found.status else exact(found.x / scales)
    return bool(a) and all(dot(exact(y), a) > 0 for y in Y)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_verify_works_where_numpy_was_told_to_raise(scale):
    X, y = np.array([[1.0, 1e-200], [-1.0, 3e-200], [2.0, 0.0]]) * scale, [1, 0, 1]
    certificate = quiet(MinOverPerceptron(max_iter=40), X, y).certificate_
    with np.errstate(all="raise"):
        certificate.verify(X, y)
        certificate.verify(sparse.csr_array(X), y)
        assert repr(certificate).startswith("Certificate: strictly separable? yes")
        assert certificate.dual <= certificate.primal
        assert replace(certificate, lower=5e-324).gap == 1.0


@pytest.mark.parametrize("number", range(len(FAMILY)), ids=[repr(model) for model in FAMILY])
def test_rough_certificates_are_accepted_and_true(number):
    said = set()
    for seed in range(ROUGH_PROBLEMS_EACH * number, ROUGH_PROBLEMS_EACH * (number + 1)):
        X, signs, rng = rough(seed)
        for fit_intercept in (True, False):
            model = seeded(FAMILY[number], seed, fit_intercept=fit_intercept, max_iter=40)
            if getattr(model, "length", "") == "fixed" and has_zero_pattern(model, X):
                continue
            if rng.random() < 0.3:
                model.set_params(rho=float((np.abs(X).max() or 1.0) * rng.choice([1e-2, 1.0, 1e6])))
            rows = sparse.csr_array(X) if rng.random() < 0.4 else X
            certificate = quiet(model, rows, signs).certificate_
            for each in (rows, X, sparse.csc_array(X)):
                certificate.verify(each, signs)
            if certificate.separable is True:
                assert separated_exactly(X, signs, certificate)
            elif certificate.separable is False:
                assert not separates(X, signs, fit_intercept)
            said.add(certificate.separable)
    assert said == {True, False, None}


UNEVEN = [
    19.71837715520595,
    1.63710556694403e-05,
    2.1556028427367226,
    0.0007027945931778756,
    -2480416.20371578,
    -0.043841258588796214,
    -4.350832137828092e-08,
    -5.948742234010874e-09,
]


@pytest.mark.parametrize("model", [Perceptron(), DynamicMarginPerceptron(), BolzanoPerceptron()])
def test_what_a_fit_takes_for_proven_is_not_refused_for_rounding(model):
    """The proof is about numbers smaller than the rounding errors of the longest row."""
    X, y = np.array(UNEVEN)[:, None], [1, 0, 0, 1, 0, 1, 1, 1]
    certificate = quiet(seeded(model, 0, max_iter=40, fit_intercept=False), X, y).certificate_
    assert certificate.separable is not True
    certificate.verify(X, y)


def test_hulls_do_not_meet_by_anything_but_a_convex_combination():
    def patterns(chosen):
        return np.array([[1.0], [-1.0], [1.0]])[chosen]

    proven = np.array([0.5, 0.5, 0.0])
    assert hulls_meet(proven, 0.0, patterns)
    assert not hulls_meet(0.0 * proven, 0.0, patterns)
    for distance in (-1e-300, -1.0, np.nan, np.inf, 1.0):
        assert not hulls_meet(proven, distance, patterns)
    for bad in (-1e-3, np.nan, np.inf, -np.inf):
        assert not hulls_meet(np.array([0.5, 0.5, bad]), 0.0, patterns)


# --- rounding errors are no excuse --------------------------------------------


@pytest.mark.parametrize("better", [{"margin": 2.0}, {"margin_upper": 1e-3}, {"margin": 1e-9}])
def test_a_large_rho_is_no_excuse(better):
    """There is no rho in the geometric margin, and none in its rounding errors."""
    X, y = overlapping()
    certificate = quiet(Perceptron(random_state=0, max_iter=50, rho=1e12), X, y).certificate_
    assert certificate.margin < 0.0
    certificate.verify(X, y)
    with pytest.raises(InvalidCertificate, match=f"^{next(iter(better))}="):
        replace(certificate, **better).verify(X, y)


def test_a_long_row_is_no_excuse():
    """The sums that matter are of short rows, and so are their rounding errors."""
    X, y = [[1e12], [1.0], [-1.0]], [1, 1, 0]
    honest = example(
        lower=0.99,
        upper=1.0,
        margin=0.99,
        margin_upper=1.0,
        radius=1e12,
        rho=None,
        dual_weights=weights([0.0, 0.5, 0.5]),
        coef=np.array([1.0]),
        intercept=0.0,
    )
    honest.verify(X, y)
    for name, better in [("lower", 1.01), ("upper", 0.99), ("margin", 1.01)]:
        with pytest.raises(InvalidCertificate, match=f"^{name}="):
            replace(honest, **{name: better}).verify(X, y)


def test_multipliers_of_one_class_too_small_for_products():
    """A mean of multipliers that are not numbers to ten digits is not known to ten digits."""
    X, y = np.array([[0.3, 0.0], [0.0, 0.3], [-1.0, 0.0]]), [1, 1, 0]
    wrong = []
    for count in range(1, 40):
        tiny = count * 5e-324
        values = np.array([tiny, 3 * tiny, 1.0])
        truth = np.linalg.norm([0.3 / 4 + 1.0, 3 * 0.3 / 4]) / 2.0
        forged = example(
            lower=-np.inf,
            upper=np.inf,
            margin=-np.inf,
            margin_upper=truth * (1 + 1e-9),
            separable=None,
            radius=1.0,
            rho=1.0,
            dual_weights=weights(values),
        )
        forged.verify(X, y)  # true, so not to be refused for the errors of such products
        wrong.append(forged.verify(X, y).margin_upper > forged.margin_upper)
    assert any(wrong)


def test_verify_is_not_taken_in_by_rounding():
    """A row and its fivefold on different sides of the origin, but for their rounding errors."""
    rng = np.random.default_rng(0)
    X, y = np.outer([1.0, 5.0], np.ones(8)), [1, 0]
    fooled = 0
    for _ in range(1000):
        coef = rng.normal(size=8) * 10.0 ** rng.integers(0, 3, 8)
        coef[-1] = -coef[:-1].sum()
        coef = rng.permutation(coef)
        fooled += X[0] @ coef > 0.0 > X[1] @ coef
        forged = example(
            lower=0.0,
            upper=1.0,
            margin=0.0,
            margin_upper=1.0,
            radius=5.0 * math.sqrt(8.0),
            rho=None,
            dual_weights=weights([5 / 6, 1 / 6]),
            coef=coef,
            intercept=0.0,
        )
        replace(forged, separable=None).verify(X, y)
        with pytest.raises(InvalidCertificate, match=r"^separable=True"):
            forged.verify(X, y)
        # As much is said by a positive margin.
        for name in ("lower", "margin"):
            with pytest.raises(InvalidCertificate, match=f"^{name}=1e-300"):
                replace(forged, separable=None, **{name: 1e-300}).verify(X, y)
    assert fooled


def test_what_is_recomputed_is_known_to_its_rounding_errors():
    uncertain = 0
    for seed in range(300):
        X, signs, rng = rough(seed)
        X = X.astype(float) / (np.abs(X).max() or 1.0)
        a = rng.normal(size=X.shape[1] + 1) * 10.0 ** rng.uniform(-9, 0, X.shape[1] + 1)
        multipliers = 10.0 ** rng.uniform(-9, 0, len(X))
        constant = float(rng.choice([0.0, 1.0, 1e-6, 1e6]))
        got = recompute(LabelledRows(X, signs.astype(float), 1.0, constant), a, multipliers)
        Y = naive.reflect(X, signs, constant)
        lowest = min(dot(exact(y), exact(a)) for y in Y)
        assert got.lowest[0] <= lowest <= got.lowest[2]
        z = [dot(exact(column), exact(multipliers)) for column in Y.T]
        mass = sum(exact(multipliers))
        least, most = Fraction(got.bounds(1).upper) * mass, Fraction(got.farthest)
        assert (least * (1 - Fraction(1, 2**50))) ** 2 <= dot(z, z) <= most**2
        uncertain += got.lowest[0] < got.lowest[1] and least < most
    assert uncertain > 250
