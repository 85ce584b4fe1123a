"""Certificates are true: against independent optimisers and in exact arithmetic."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.datasets import load_iris

import naive
from certificates import (
    FAMILY,
    blobs,
    dense,
    directional_truth,
    dot,
    exact,
    has_zero_pattern,
    power_of_two,
    quiet,
    seeded,
    separated_exactly,
)
from maxmargin.certificate import InvalidCertificate

PROBLEMS_EACH = 36
SCALES = [1e-12, 1e-6, 1.0, 1e6, 1e12]
EXTREME_SCALES = [1e-300, 1e-200, 1e200, 1e300]
LABELS = [(0, 1), (-1, 1), ("no", "yes"), (False, True), (3.0, 7.0)]


# --- problems -----------------------------------------------------------------


def separable(rng, n, d):
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=d) - rng.normal() / 2
    y = np.where(scores > np.median(scores), 1, -1)
    return X, y


def xor(rng, n, d):
    X = rng.integers(0, 2, (n, d)).astype(float)
    X[:4] = 0.0
    X[:4, :2] = [[0, 0], [1, 1], [0, 1], [1, 0]]
    return X, np.where(X[:, :2].sum(axis=1) == 1, 1, -1)


def duplicates(rng, n, d):
    X, y = blobs(rng, n, d, 6.0)
    again = rng.integers(0, n, n)
    return np.vstack([X, X[again]]), np.append(y, y[again])


def conflicting(rng, n, d):
    X, y = blobs(rng, n, d, 6.0)
    return np.vstack([X, X[:1]]), np.append(y, -y[0])


def collinear(rng, n, d):
    t = rng.integers(-9, 10, n).astype(float)
    t[:2] = -9.0, 9.0
    return np.outer(t, rng.integers(1, 5, d)), np.where(t > rng.integers(-5, 5), 1, -1)


def touching(rng, n, d):
    """The hulls of the classes share a boundary point: quasi-separable, or separable by 1e-9."""
    t = np.concatenate([np.arange(-n, 1.0), np.arange(0.0, n + 1)])
    X = np.column_stack([t, *rng.integers(-2, 3, (d - 1, t.size))])
    y = np.repeat([-1, 1], n + 1)
    X[np.flatnonzero(t == 0)] = 0.0
    X[t * y > 0, 0] += rng.choice([0.0, 1.0]) * y[t * y > 0]
    X[:, 0] += rng.choice([0.0, 1e-9, -1e-9]) * y
    return X, y


def constant_columns(rng, n, d):
    X, y = blobs(rng, n, d, 5.0)
    X[:, -1] = 3.0
    return np.column_stack([X, np.zeros(n)]), y


def zero_rows(rng, n, d):
    X, y = blobs(rng, n, d, 5.0)
    X[rng.integers(0, n, 2)] = 0.0
    return X, y


def one_a_class(rng, n, d):
    return rng.normal(size=(2, d)), np.array([1, -1])


def one_alone(rng, n, d):
    X, y = rng.normal(size=(n, d)), np.full(n, -1)
    X[0] *= rng.choice([0.1, 9.0])
    y[0] = 1
    return X, y


def uneven(rng, n, d):
    X, y = blobs(rng, n, d, 4.0)
    return X * 10.0 ** rng.uniform(-6, 0, (n, 1)), y


KINDS = [
    separable,
    lambda rng, n, d: blobs(rng, n, d, 9.0),
    lambda rng, n, d: blobs(rng, n, d, 1.0),
    xor,
    duplicates,
    conflicting,
    collinear,
    touching,
    constant_columns,
    zero_rows,
    one_a_class,
    one_alone,
    uneven,
]


def problem(seed):
    """Return X, signs -1 and +1, their names, and the parameters and arguments of a fit."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 21)), int(rng.integers(2, 5))
    kind = KINDS[int(rng.integers(len(KINDS)))]
    provable = seed % 6 == 5  # small enough for a proof of inseparability
    if provable:
        n, d, kind = min(n, 8), 2, xor
    X, signs = kind(rng, n, d)
    if rng.random() < 0.5:
        order = rng.permutation(len(X))
        X, signs = X[order], signs[order]
    scale = rng.choice(EXTREME_SCALES if seed % 9 == 0 else SCALES)
    X *= scale
    if 1e-30 < scale < 1e30 and rng.random() < 0.3:
        X = X.astype(np.float32)
    parameters = {
        "fit_intercept": bool(rng.random() < 0.7),
        "rho": "auto" if rng.random() < 0.5 else float(scale * rng.choice([0.01, 1.0, 30.0])),
        "max_iter": 2000 if provable else int(rng.choice([1, 2, 10, 100, 1000, 2000])),
    }
    arguments = {}
    if rng.random() < 0.2:
        arguments["coef_init"] = rng.normal(size=X.shape[1]) / scale
        if parameters["fit_intercept"]:
            arguments["intercept_init"] = rng.normal()
    names = np.array(LABELS[int(rng.integers(len(LABELS)))])
    X = sparse.csr_array(X) if rng.random() < 0.4 else X
    return X, signs, names[(signs > 0).astype(int)], parameters, arguments


# --- the truth ----------------------------------------------------------------


# The optimisers of `naive` enclose the truth between what a hyperplane achieves and the length of
# a point of the hull. Each is known to its rounding errors, a few 1e-16 of R at these sizes, less
# than the certificates concede for theirs: bounds are compared with the enclosure without any
# tolerance.


def geometric_truth(X, signs):
    """Enclose the best geometric margin of a free intercept."""
    gamma, w, _ = naive.geometric_margin(X, signs)
    if gamma == 0.0:
        return 0.0, 1e-10 * naive.norm(np.abs(X).max(axis=0))
    achieved = (np.min(X[signs > 0] @ w) - np.max(X[signs < 0] @ w)) / 2
    return float(achieved), gamma * (1 + 1e-12)


def strictly_separable(Y):
    """Whether HiGHS finds an a with ``y.a >= 1``; rows of length one do not change that."""
    lengths = np.linalg.norm(Y, axis=1, keepdims=True)
    Y = np.divide(Y, lengths, out=np.zeros_like(Y), where=lengths > 0)
    found = linprog(np.zeros(Y.shape[1]), A_ub=-Y, b_ub=-np.ones(len(Y)), bounds=(None, None))
    assert found.status in (0, 2), found.message
    return found.status == 0


def solved(A, b):
    """Solve a linear system of rational numbers; None if it is singular."""
    rows = [[*row, value] for row, value in zip(A, b, strict=True)]
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                rows[k] = [a - rows[k][i] * c for a, c in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def vanishing_exactly(Y, multipliers):
    """Whether positive multipliers exist for which some patterns sum up to zero *exactly*.

    Corrects the multipliers given by the least that makes the sum vanish, in rational numbers.
    """
    order = np.argsort(-multipliers, kind="stable")[: np.count_nonzero(multipliers)]
    for count in sorted({min(Y.shape[1] * 4**k, order.size) for k in range(4)}):
        rows = [exact(y) for y in Y[order[:count]]]
        # What the multipliers left out contribute has to be corrected, too.
        z = [dot(exact(multipliers), exact(column)) for column in Y.T]
        columns = list(zip(*rows, strict=True))
        step = solved([[dot(u, v) for v in columns] for u in columns], z)
        if step is not None and all(
            Fraction(float(multipliers[k])) > dot(row, step)
            for k, row in zip(order[:count], rows, strict=True)
        ):
            return True
    return False


# --- hundreds of problems -----------------------------------------------------


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("number", range(len(FAMILY)), ids=[repr(model) for model in FAMILY])
def test_certificates_are_true(number):
    claims = []
    for seed in range(PROBLEMS_EACH * number, PROBLEMS_EACH * (number + 1)):
        X, signs, y, parameters, arguments = problem(seed)
        model = seeded(FAMILY[number], seed, **parameters)
        if getattr(model, "length", "") == "fixed" and has_zero_pattern(model, X):
            continue  # "auto" would be a length of zero
        certificate = quiet(model, X, y, **arguments).certificate_
        check_bounds(certificate, model, dense(X), signs)
        check_verified(certificate, X, y)
        claims.append(certificate.separable)
    # None is allowed, but both proofs have to come off regularly.
    assert claims.count(True) >= 6 and claims.count(False) >= 3, claims


def check_bounds(c, model, X, signs):
    rho = c.rho or 0.0
    assert (c.rho is None) == (not model.fit_intercept)
    half, other = power_of_two(X)
    X, rho = X * half * other, rho * half * other
    lower, upper = c.lower * half * other, c.upper * half * other
    margin, margin_upper = c.margin * half * other, c.margin_upper * half * other
    Y = naive.reflect(X, signs, rho if model.fit_intercept else None)
    R = math.sqrt(np.max(np.sum(Y * Y, axis=1)))

    assert np.isclose(c.radius * half * other, np.linalg.norm(X, axis=1).max(), rtol=1e-12)
    if model.fit_intercept:
        assert model.rho == "auto" or c.rho == model.rho
        assert model.rho != "auto" or c.rho == c.radius

    least, most = directional_truth(Y)
    assert most - least <= 1e-9 * R  # the optimiser has done its work
    assert upper >= least and upper >= 0.0
    assert lower <= most or (np.isnan(lower) and not c.coef.any() and c.intercept == 0.0)
    if model.fit_intercept:
        least, most = geometric_truth(X, signs)
        assert most - least <= 1e-9 * R
    else:
        assert margin_upper == upper
    assert margin_upper >= least and margin_upper >= 0.0
    assert margin <= most or (np.isnan(margin) and not c.coef.any())

    if c.separable is True:
        assert separated_exactly(X, signs, scaled(c, half, other))
        assert lower > 0.0 and margin > 0.0
        # HiGHS allows itself errors of 1e-7, and cannot see a slit of that width.
        assert strictly_separable(Y) or most < 1e-7 * R
    else:
        assert not lower > 0.0 and not margin > 0.0
    if c.separable is False:
        assert not strictly_separable(Y)
        assert vanishing_exactly(Y, c.dual_weights.toarray().ravel())


def scaled(c, half, other):
    return replace(c, coef=c.coef / half / other)


def check_verified(c, X, y):
    copied = pickle.loads(pickle.dumps(c))
    assert repr(copied) == repr(c)
    for each in (c, copied):
        found = each.verify(X, y)
        for claim, value in [(c.lower, found.lower), (c.margin, found.margin)]:
            # Not widened, so not worse than claimed, but for the rounding of a few operations.
            assert value >= claim * (1 - 1e-15) or (np.isnan(value) and np.isnan(claim))
        assert c.upper >= found.upper * (1 - 1e-15)
        assert c.margin_upper >= found.margin_upper * (1 - 1e-15)
        size = math.hypot(c.radius, c.rho or 0.0)
        assert c.upper == found.upper or c.upper - found.upper <= 1e-11 * size
        assert np.isnan(c.lower) or found.lower - c.lower <= 1e-11 * size
    c.verify(sparse.csc_array(X), list(y))
    c.verify(dense(X), np.array(y, dtype=object))


def test_the_problems_are_of_every_kind():
    drawn = [problem(seed) for seed in range(PROBLEMS_EACH * len(FAMILY))]
    assert len(drawn) >= 300
    truths = []
    for X, signs, *_ in drawn:
        half, other = power_of_two(dense(X))
        truths.append(strictly_separable(naive.reflect(dense(X) * half * other, signs, 1.0)))
    assert min(truths.count(True), truths.count(False)) >= 100
    for X, *_ in drawn:
        assert np.isfinite(dense(X)).all()
    for property_ in [
        lambda X, y, p, a: sparse.issparse(X),
        lambda X, y, p, a: X.dtype == np.float32,
        lambda X, y, p, a: float(abs(X).max()) > 1e150,
        lambda X, y, p, a: float(abs(X).max()) < 1e-150,
        lambda X, y, p, a: not p["fit_intercept"],
        lambda X, y, p, a: p["rho"] == "auto",
        lambda X, y, p, a: "coef_init" in a,
        lambda X, y, p, a: X.shape[0] == 2,
    ]:
        count = sum(property_(X, y, p, a) for X, _, y, p, a in drawn)
        assert 15 <= count <= len(drawn) - 15


# --- several classes ----------------------------------------------------------


@pytest.mark.parametrize("model", FAMILY, ids=repr)
def test_one_certificate_for_each_class(model):
    X, y = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[y]
    model = quiet(clone(model).set_params(max_iter=20), X, y)
    assert [c.positive for c in model.certificates_] == model.classes_.tolist()
    gaps = [c.gap for c in model.certificates_]
    worst = int(np.argmax(np.nan_to_num(gaps, nan=np.inf)))
    assert model.certificate_ is model.certificates_[worst]
    assert model.history_ is model.histories_[worst]
    for certificate, coef, intercept in zip(
        model.certificates_, model.coef_, model.intercept_, strict=True
    ):
        np.testing.assert_array_equal(certificate.coef, coef)
        assert certificate.intercept == intercept
        found = certificate.verify(X, y)
        signs = np.where(y == certificate.positive, 1, -1)
        distances = signs * (X @ coef + intercept) / np.linalg.norm(coef)
        assert found.margin == pytest.approx(distances.min(), rel=1e-9)
        check_bounds(certificate, model, X, signs)
    assert model.certificates_[1].separable is not True  # versicolor is in the middle
    # A certificate is about one of the classes.
    with pytest.raises(InvalidCertificate):
        replace(model.certificates_[0], positive="versicolor").verify(X, y)
