"""Certificates are true: against independent optimisers, in exact arithmetic, and when forged.

The optimisers of `naive` enclose the truth between what a hyperplane achieves and the length of a
point of the hull. Each is known to its rounding errors, a few 1e-16 of R at these sizes, less than
the certificates concede for theirs: bounds are compared with the enclosure without any tolerance.
"""

from __future__ import annotations

import math
import pickle
import tracemalloc
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import naive
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
from maxmargin.certificate import Certificate, InvalidCertificate
from maxmargin.verification import LabelledRows, hulls_meet, recompute

FAMILY = [
    Perceptron(),
    MarginPerceptron(),
    BatchPerceptron(),
    RelaxationPerceptron(),
    FixedMarginPerceptron(),
    BolzanoPerceptron(),
    MinOverPerceptron(),
    DynamicMarginPerceptron(),
    MarginPerceptron(normalized=True, schedule="inverse"),
    RelaxationPerceptron(target=1.5, relaxation=0.2, batch=True),
    FixedMarginPerceptron(length="fixed", step="projected"),
    BolzanoPerceptron(variant=2, max_checks=20),
    MinOverPerceptron(init="perceptron"),
    DynamicMarginPerceptron(epsilon=0.02, recenter=False, active_set=False),
]
PROBLEMS_EACH = 36
SCALES = [1e-12, 1e-6, 1.0, 1e6, 1e12]
EXTREME_SCALES = [1e-300, 1e-200, 1e200, 1e300]
LABELS = [(0, 1), (-1, 1), ("no", "yes"), (False, True), (3.0, 7.0)]


# --- problems ----------------------------------------------------------------


def blobs(rng, n, d, distance):
    y = np.where(np.arange(n) % 2, 1, -1)
    return rng.normal(size=(n, d)) + np.outer(y * distance / 2, np.eye(d)[0]), y


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


def quiet(model, X, y, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **arguments)


def seeded(model, seed, **parameters):
    model = clone(model).set_params(**parameters)
    return model.set_params(random_state=seed) if hasattr(model, "random_state") else model


def has_zero_pattern(model, X):
    return not model.fit_intercept and (np.abs(dense(X)).max(axis=1) == 0.0).any()


def dense(X):
    return (X.toarray() if sparse.issparse(X) else np.asarray(X)).astype(float)


def power_of_two(X):
    """Return the power of two (in two factors) that brings the largest entry into [1/2, 1)."""
    exponent = -int(np.frexp(np.abs(X).max())[1])
    return 2.0 ** (exponent // 2), 2.0 ** (exponent - exponent // 2)


# --- the truth ---------------------------------------------------------------


def directional_truth(Y):
    """Enclose the best directional margin; zero stands for "not positive"."""
    gamma, u, multipliers = naive.polytope_margin(Y)
    return float(np.min(Y @ u)) if gamma > 0 else 0.0, naive.norm(multipliers @ Y)


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


def exact(values):
    return [Fraction(float(value)) for value in values]


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def separated_exactly(X, signs, certificate):
    """Whether the hyperplane has every row strictly on its side, in rational arithmetic."""
    w, b = exact(certificate.coef), Fraction(certificate.intercept)
    return all(int(s) * (dot(exact(x), w) + b) > 0 for x, s in zip(X, signs, strict=True))


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


# --- hundreds of problems ----------------------------------------------------


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


def many_epochs(model):
    return seeded(model, 0, max_iter=2000)


# --- rough problems ----------------------------------------------------------

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


# --- separable? --------------------------------------------------------------


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e12])
def test_xor_is_proven_inseparable(model, scale):
    X, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]) * scale, [0, 0, 1, 1]
    certificate = quiet(many_epochs(model), X, y).certificate_
    assert certificate.separable is False
    certificate.verify(X, y)


TOUCHING = [
    # Quasi-separable: a common boundary point, an edge shared by two squares, a zero pattern.
    # False may be said of them, too: it excludes strict separation only.
    ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], True),
    ([[0, 0], [1, 0], [0, 1], [1, 1], [1, 0], [2, 0], [1, 1], [2, 1]], [0] * 4 + [1] * 4, True),
    ([[0.0, 0.0], [1.0, 1.0], [-1.0, -2.0]], [0, 1, 0], False),
]


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("case", range(len(TOUCHING)))
def test_quasi_separable_data_are_never_called_separable(model, case):
    X, y, fit_intercept = TOUCHING[case]
    if getattr(model, "length", "") == "fixed" and not fit_intercept:
        return  # "auto" would be a length of zero
    model = many_epochs(model).set_params(fit_intercept=fit_intercept)
    certificate = quiet(model, X, y).certificate_
    assert certificate.separable is not True and not certificate.lower > 0.0
    certificate.verify(X, y)


@pytest.mark.parametrize("model", FAMILY, ids=repr)
@pytest.mark.parametrize("slit", [1e-6, 1e-9, 1e-12, 1e-15])
def test_a_slit_is_never_called_inseparable(model, slit):
    X, y = np.array([[0.0], [1.0], [1.0 + slit], [2.0]]), [0, 0, 1, 1]
    assert X[2, 0] > 1.0
    certificate = quiet(many_epochs(model), X, y).certificate_
    assert certificate.separable is not False
    assert certificate.margin_upper >= (X[2, 0] - 1.0) / 2.0


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("model", FAMILY, ids=repr)
def test_nothing_but_zeros(model, fit_intercept):
    X, y = np.zeros((3, 2)), [0, 1, 1]
    model = seeded(model, 0, fit_intercept=fit_intercept, max_iter=20)
    try:
        certificate = quiet(model, X, y).certificate_
    except ValueError as error:  # a refusal that says why
        assert "margin" in str(error) and not fit_intercept
        return
    assert certificate.separable is not True and not certificate.lower > 0.0
    assert np.isnan(certificate.margin) and certificate.radius == 0.0
    assert certificate.upper >= 0.0 and certificate.margin_upper >= 0.0
    certificate.verify(X, y)


# --- verify refuses ----------------------------------------------------------


def overlapping():
    return blobs(np.random.default_rng(5), 30, 2, 1.0)


def apart():
    return blobs(np.random.default_rng(5), 30, 2, 9.0)


def weights(values):
    return sparse.csr_array(np.asarray(values, dtype=float)[None, :])


def out_of_range(matrix):
    broken = matrix.copy()
    broken.indices[-1] = matrix.shape[1]
    return broken


def moved(c, k, by):
    values = c.dual_weights.toarray().ravel()
    values[k] += by
    return weights(values)


REFUSED = {
    "lower": (lambda c: {"lower": c.lower * 1.0001}, r"^lower=0\.\d+|^lower=\d"),
    "lower infinite": (lambda c: {"lower": np.inf}, r"^lower=inf does not hold"),
    "lower undefined": (lambda c: {"lower": np.nan}, r"^lower=nan does not hold"),
    "upper": (lambda c: {"upper": c.upper * 0.9999}, r"^upper=.* does not hold for these data"),
    "upper zero": (lambda c: {"upper": 0.0}, r"^upper=0\.0 does not hold"),
    "upper undefined": (lambda c: {"upper": np.nan}, r"^upper=nan does not hold"),
    "margin": (lambda c: {"margin": c.margin * 1.0001}, r"^margin=.* does not hold for"),
    "margin undefined": (lambda c: {"margin": np.nan}, r"^margin=nan does not hold"),
    "margin_upper": (
        lambda c: {"margin_upper": c.margin_upper * 0.9999},
        r"^margin_upper=.* does not hold for",
    ),
    "margin_upper undefined": (lambda c: {"margin_upper": np.nan}, r"^margin_upper=nan does"),
    "radius larger": (lambda c: {"radius": c.radius * 1.0001}, r"^radius=.* does not hold"),
    "radius smaller": (lambda c: {"radius": c.radius * 0.9999}, r"^radius=.* does not hold"),
    "inseparable": (lambda c: {"separable": False}, r"^separable=False is not proven by the"),
    "negative multiplier": (
        lambda c: {"dual_weights": moved(c, 0, -1.0 - c.dual_weights[0, 0])},
        r"^dual_weights has a negative entry\.$",
    ),
    "undefined multiplier": (lambda c: {"dual_weights": moved(c, 0, np.nan)}, r"^dual_weights|^up"),
    "infinite multiplier": (lambda c: {"dual_weights": moved(c, 0, np.inf)}, r"^dual_weights|^up"),
    "equal multipliers": (
        lambda c: {"dual_weights": weights(np.full(30, 1 / 30))},
        r"^upper=.* does not hold for",
    ),
    "one multiplier moved": (
        lambda c: {"dual_weights": moved(c, 0, 1.0) / 2.0},
        r"^(margin_)?upper=.* does not hold for",
    ),
    "no multipliers": (
        lambda c: {"dual_weights": weights(np.zeros(c.dual_weights.shape[1]))},
        r"^upper=.* does not hold for.* found .*upper=inf",
    ),
    "coef": (
        lambda c: {"coef": c.coef + np.array([0.0, np.abs(c.coef).max()])},
        r"^lower=.* does not hold",
    ),
    "coef reversed": (lambda c: {"coef": -c.coef}, r"^lower=.* does not hold"),
    "coef zero": (lambda c: {"coef": 0.0 * c.coef, "intercept": 0.0}, r"^lower=.* found .*nan"),
    "coef undefined": (lambda c: {"coef": np.nan * c.coef}, r"^coef or intercept is not finite"),
    "nothing defined": (
        lambda c: {
            "coef": np.inf * c.coef,
            **dict.fromkeys(["lower", "upper", "margin", "margin_upper"], np.nan),
        },
        r"^coef or intercept is not finite\.$",
    ),
    "upper negative": (lambda c: {"upper": -1e-300}, r"^upper=-1e-300 does not hold"),
    "vanishing multipliers": (
        lambda c: {"dual_weights": c.dual_weights * 1e-322, "upper": 1e-3, "margin_upper": 1e-3},
        r"^dual_weights has the sum \d.*e-32\d, not 1\.$",
    ),
    "multipliers twice": (
        lambda c: {"dual_weights": c.dual_weights * 2.0},
        r"^dual_weights has the sum (2\.0|1\.99999\d*), not 1\.$",
    ),
    "multipliers out of range": (
        lambda c: {"dual_weights": out_of_range(c.dual_weights)},
        r"^dual_weights cannot be read: .* out of range",
    ),
    "multipliers of another kind": (
        lambda c: {"dual_weights": c.dual_weights.toarray()},
        r"^dual_weights cannot be read",
    ),
    "large rho": (
        lambda c: {"rho": 1e12, "lower": 5.0, "margin": 5.0, "upper": np.inf, "margin_upper": 0.0},
        r"^(lower=5|intercept=|margin_upper=0)",
    ),
    "separable 0": (lambda c: {"separable": 0}, r"^separable=0 is none of True, False and None"),
    "separable 1": (lambda c: {"separable": 1}, r"^separable=1 is none of True, False and None"),
    "separable of NumPy": (
        lambda c: {"separable": np.False_},
        r"^separable=np.False_ is none of True, False and None\.$",
    ),
    "positive unknown": (
        lambda c: {
            "positive": "nobody",
            "coef": 0.0 * c.coef,
            "intercept": -1.0 if c.rho else 0.0,
            "lower": c.rho or 0.0,
            "upper": np.inf,
            "margin": np.nan,
            "margin_upper": np.inf,
        },
        r"^positive='nobody' is none of the classes\.$",
    ),
    "other side": (lambda c: {"positive": c.classes[0]}, r"^lower=.* does not hold"),
}


@pytest.fixture(scope="module", params=[True, False], ids=["intercept", "no intercept"])
def proven(request):
    X, y = apart()
    model = MinOverPerceptron(target=400.0, fit_intercept=request.param).fit(X, y)
    assert 0.0 < model.certificate_.gap < 0.01
    return X, y, model.certificate_


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NaN and infinity among the multipliers
@pytest.mark.parametrize("what", REFUSED)
def test_verify_refuses_what_was_tampered_with(proven, what):
    X, y, certificate = proven
    certificate.verify(X, y)
    change, message = REFUSED[what]
    tampered = replace(certificate, **change(certificate))
    with pytest.raises(InvalidCertificate, match=message):
        tampered.verify(X, y)


def test_verify_refuses_another_intercept():
    X, y = apart()
    certificate = MinOverPerceptron(target=400.0).fit(X, y).certificate_
    size = float(np.linalg.norm(certificate.coef))
    for by in (-0.1, 0.1):
        with pytest.raises(InvalidCertificate, match=r"^(lower|margin)=.* does not hold"):
            replace(certificate, intercept=certificate.intercept + by * size).verify(X, y)


def test_verify_refuses_an_intercept_that_the_problem_does_not_have():
    X, y = apart()
    certificate = MinOverPerceptron(fit_intercept=False).fit(X, y).certificate_
    with pytest.raises(InvalidCertificate, match="intercept"):
        replace(certificate, intercept=1e3).verify(X, y)
    for rho in (0.0, -0.0, False):
        with pytest.raises(InvalidCertificate, match=r"^rho="):
            replace(certificate, rho=rho, intercept=1e6, margin_upper=np.inf).verify(X, y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("rho", [-1.0, 0.0, np.nan, np.inf, 1e308, 5e-324])
def test_verify_refuses_a_rho_that_is_none(rho):
    X, y = apart()
    certificate = MinOverPerceptron().fit(X, y).certificate_
    with pytest.raises(InvalidCertificate, match=r"^rho="):
        replace(certificate, rho=rho).verify(X, y)


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


def test_verify_refuses_other_data(proven):
    X, y, certificate = proven
    shape = re_escape("about X of shape (30, 2) with one label a row")
    farther = X.copy()
    farther[3] *= 3.0
    nearer = X.copy()
    nearer[3] *= 0.01
    flipped = y.copy()
    flipped[3] *= -1
    unknown = y.copy()
    unknown[3] = 7
    for other_X, other_y, message in [
        (farther, y, r"^(radius|lower|margin)=.* does not hold"),
        (nearer, y, r"^(lower|margin)=.* does not hold"),
        (0.5 * X, y, r"^lower=.* does not hold"),
        (2.0 * X, y, r"^(upper|radius)=.* does not hold"),
        (-X, y, r"^lower=.* does not hold"),
        (X * np.nan, y, r"does not hold for data that are not finite"),
        (np.where(X == X[3, 0], np.inf, X), y, r"does not hold for data that are not finite"),
        (X, flipped, r"^lower=.* does not hold"),
        (X, -y, r"^lower=.* does not hold"),
        (X[:-1], y[:-1], shape + re_escape(", got X of shape (29, 2) and y of shape (29,).")),
        (X[:, :1], y, shape),
        (X, y[:-1], shape),
        (X, y[None], shape),
        (X, np.abs(y), r"^All labels in y are on one side of 1\.$"),
        (X, -np.abs(y), r"^All labels in y are on one side of 1\.$"),
        (X[0], y, shape),
        (X, unknown, r"^y has labels that the certificate does not know\.$"),
    ]:
        with pytest.raises(InvalidCertificate, match=message):
            certificate.verify(other_X, other_y)
        if np.ndim(other_X) == 2:
            with pytest.raises(InvalidCertificate, match=message):
                certificate.verify(sparse.csr_array(other_X), other_y)


def in_capacity(X):
    """Return a CSR matrix with room for more entries, which holds something by chance."""
    X = sparse.csr_array(X)
    X.data, X.indices = np.append(X.data, 1e300), np.append(X.indices, 0)
    return X


def in_pieces(X):
    """Return a CSR matrix of unsorted entries, each stored in two parts."""
    n, d = X.shape
    halves = np.repeat(X / 3.0, 2, axis=1)
    halves[:, 1::2] = X - halves[:, ::2]
    columns = np.tile(np.repeat(np.arange(d), 2), n).reshape(n, -1)
    order = np.random.default_rng(0).permuted(np.tile(np.arange(2 * d), (n, 1)), axis=1)
    entries = [np.take_along_axis(each, order, axis=1).ravel() for each in (halves, columns)]
    return sparse.csr_array((*entries, np.arange(n + 1) * 2 * d), shape=X.shape)


def with_data(matrix, dtype):
    matrix.data = matrix.data.astype(dtype)
    return matrix


SAME_DATA = {
    "big-endian": lambda X: with_data(sparse.csr_array(X), ">f8"),
    "big-endian, COO": lambda X: with_data(sparse.coo_array(X), ">f8"),
    "big-endian, dense": lambda X: X.astype(">f8"),
    "blocks": lambda X: sparse.bsr_array(X, blocksize=(2, 2)),
    "lists": lambda X: sparse.lil_array(X),
    "a matrix": lambda X: sparse.csr_matrix(X),
    "Fortran": lambda X: np.asfortranarray(X),
    "objects": lambda X: X.astype(object),
    "strings": lambda X: X.astype(str),
    "single precision": lambda X: sparse.csr_array(X.astype(np.float32)),
    "half precision": lambda X: with_data(sparse.csr_array(X), np.float16),
    "in pieces": lambda X: in_pieces(X),
    "in pieces of single precision": lambda X: with_data(in_pieces(X), np.float32),
}


@pytest.mark.parametrize("form", SAME_DATA)
def test_verify_reads_what_fit_reads(form):
    X, y = apart()
    X = SAME_DATA[form](X)
    before = contents(X)
    certificate = MinOverPerceptron(target=400.0).fit(X, y).certificate_
    for labels in (y, y[:, None], y.tolist(), y.astype(float)):
        certificate.verify(X, labels)
    assert contents(X) == before  # SciPy puts in order in place


def contents(X):
    arrays = ["data", "indices", "indptr", "row", "col"]
    return [getattr(X, name).tobytes() for name in arrays if hasattr(X, name)]


def test_verify_passes_over_what_lies_beyond_the_entries(proven):
    X, y, certificate = proven
    found = certificate.verify(sparse.csr_array(X), y)
    assert certificate.verify(in_capacity(X), y) == found
    assert certificate.verify(in_capacity(X.T).T, y) == found


def broken(X, form, name, value):
    X = sparse.csr_array(X).asformat(form)
    getattr(X, name)[1] = value
    return X


@pytest.mark.parametrize(
    ("form", "name", "value"),
    [
        ("csr", "indices", -1),
        ("csr", "indices", 2),
        ("csr", "indices", 2**30),
        ("csc", "indices", 2**30),
        ("csc", "indices", -1),
        ("coo", "row", 2**30),
        ("coo", "col", -(2**30)),
        ("bsr", "indices", 2**30),
        ("csr", "indptr", 2**30),
        ("csc", "indptr", -(2**30)),
    ],
)
def test_verify_does_not_read_out_of_bounds(proven, form, name, value):
    X, y, certificate = proven
    with pytest.raises(ValueError, match=r"out of range|X\.indptr of the sparse X"):
        certificate.verify(broken(X, form, name, value), y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_verify_copies_no_more_than_slices(form):
    rng = np.random.default_rng(0)
    X, y = blobs(rng, 60_000, 20, 12.0)
    X = form(X)
    size = X.nbytes if form is np.asarray else X.data.nbytes + X.indices.nbytes
    certificate = quiet(Perceptron(max_iter=1, random_state=0), X, y).certificate_
    tracemalloc.start()
    certificate.verify(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < size


def re_escape(text):
    for character in "()[].":
        text = text.replace(character, "\\" + character)
    return text


def test_verify_refuses_separability_of_inseparable_data():
    X, y = overlapping()
    certificate = quiet(Perceptron(random_state=0, max_iter=300), X, y).certificate_
    assert certificate.separable is False
    certificate.verify(X, y)
    with pytest.raises(InvalidCertificate, match=r"^separable=True does not hold for these data"):
        replace(certificate, separable=True).verify(X, y)
    # To say less is allowed.
    replace(certificate, separable=None).verify(X, y)


def test_verify_refuses_inseparability_without_its_proof():
    X, y = overlapping()
    certificate = quiet(Perceptron(random_state=0, max_iter=300), X, y).certificate_
    one = np.zeros(len(y))
    one[0] = 1.0
    loose = replace(certificate, upper=np.inf, margin_upper=np.inf, dual_weights=weights(one))
    replace(loose, separable=None).verify(X, y)
    with pytest.raises(InvalidCertificate, match=r"^separable=False is not proven by the mult"):
        loose.verify(X, y)


def test_verify_accepts_weaker_claims(proven):
    X, y, certificate = proven
    weaker = replace(
        certificate,
        lower=certificate.lower * 0.9,
        upper=certificate.upper * 1.1,
        margin=certificate.margin * 0.9,
        margin_upper=certificate.margin_upper * 1.1,
        separable=None,
    )
    assert weaker.verify(X, y) == certificate.verify(X, y)


def test_an_invalid_certificate_is_a_value_error():
    assert issubclass(InvalidCertificate, ValueError)


def test_verify_works_on_many_slices():
    """More rows than `verify` reads at once."""
    X, y = blobs(np.random.default_rng(1), 20_001, 2, 12.0)
    certificate = quiet(MinOverPerceptron(), X, y).certificate_
    assert certificate.separable is True and certificate.verify(X, y).lower > 0.0
    for rows in (X, sparse.csr_array(X)):
        with pytest.raises(InvalidCertificate, match=r"^lower"):
            certificate.verify(rows, np.append(y[:-1], -y[-1]))


# --- what it says ------------------------------------------------------------


def example(**changes):
    certificate = Certificate(
        lower=0.4,
        upper=0.5,
        margin=0.45,
        margin_upper=0.6,
        separable=True,
        radius=2.0,
        rho=1.5,
        dual_weights=weights([0.25, 0.0, 0.75]),
        coef=np.array([1.0, 0.0]),
        intercept=0.5,
        classes=np.array([0, 1]),
        positive=1,
    )
    return replace(certificate, **changes)


def test_gaps_primal_and_dual():
    certificate = example()
    assert certificate.gap == pytest.approx(0.2, rel=1e-14)
    assert certificate.margin_gap == pytest.approx(0.25, rel=1e-14)
    assert certificate.primal == pytest.approx(1 / (2 * 0.4**2), rel=1e-14)
    assert certificate.dual == pytest.approx(1 / (2 * 0.5**2), rel=1e-14)
    assert certificate.dual < certificate.primal
    assert example(lower=-0.4).primal == example(lower=0.0).primal == math.inf
    assert example(lower=np.nan).primal == math.inf
    assert example(upper=0.0).dual == math.inf
    assert example(upper=np.inf).gap == 1.0 and example(upper=np.inf).dual == 0.0
    assert example(lower=-0.5).gap == 2.0
    assert np.isnan(example(lower=np.nan).gap) and np.isnan(example(margin=np.nan).margin_gap)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", [float, np.float64])
def test_primal_and_dual_of_extreme_bounds(number):
    for bound, minimum in [
        (1e300, 0.0),
        (1e170, 0.0),
        (1e-170, math.inf),
        (1e-300, math.inf),
        (5e-324, math.inf),
        (math.inf, 0.0),
    ]:
        certificate = example(lower=number(bound), upper=number(bound))
        assert certificate.primal == certificate.dual == minimum
    assert example(lower=number(1e-150)).primal == pytest.approx(5e299, rel=1e-14)
    assert example(upper=number(1e150)).dual == pytest.approx(5e-301, rel=1e-14)


def test_repr_is_a_table():
    assert repr(example()) == (
        "Certificate: strictly separable? yes, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric             0.45               0.6        0.25\n"
        "  directional            0.4               0.5         0.2\n"
        "  radius 2, rho 1.5, proof on 2 of 3 patterns"
    )
    assert repr(
        example(separable=False, rho=None, margin=np.nan, margin_upper=np.inf, lower=-1e-20)
    ) == (
        "Certificate: strictly separable? no, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric              nan               inf         nan\n"
        "  directional         -1e-20               0.5           1\n"
        "  radius 2, no intercept, proof on 2 of 3 patterns"
    )
    assert repr(example(separable=None)).startswith("Certificate: strictly separable? not known\n")


def test_repr_of_a_fit():
    X, y = [[3.0], [1.0], [-1.0]], [1, 1, 0]
    model = Perceptron(rho=1.0, shuffle=False).fit(X, y)
    # a = (3, 1) after the first pattern, and that is all: scores 10, 4, 2
    assert model.coef_.tolist() == [[3.0]] and model.intercept_.tolist() == [1.0]
    assert repr(model.certificate_) == (
        "Certificate: strictly separable? yes, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric         0.666667               inf           1\n"
        "  directional       0.632456           3.16228         0.8\n"
        "  radius 3, rho 1, proof on 1 of 3 patterns"
    )


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


# --- tol and the history -----------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("model", "tol"),
    [
        *[(MinOverPerceptron(target=1e4), tol) for tol in (0.5, 0.05, 0.01)],
        *[(DynamicMarginPerceptron(1e-6, recenter=False), tol) for tol in (0.5, 0.05, 0.01)],
        (DynamicMarginPerceptron(1e-6, recenter=False, active_set=False), 0.05),
        (FixedMarginPerceptron(), 0.5),
        (FixedMarginPerceptron(), 0.2),
        (MarginPerceptron(margin=1e9), 0.6),
        (BolzanoPerceptron(precision=1e-6, max_checks=1000), 0.05),
    ],
    ids=repr,
)
def test_tol_ends_a_run_when_its_gap_is_certified(model, tol, fit_intercept):
    X, y = apart()
    Y = naive.reflect(X, y, np.linalg.norm(X, axis=1).max() if fit_intercept else None)
    gamma, _, _ = naive.polytope_margin(Y)
    model = seeded(model, 1, tol=tol, fit_intercept=fit_intercept, max_iter=20_000)
    if isinstance(model, FixedMarginPerceptron):
        model.set_params(margin=float((1 - 1e-6) * gamma))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X, y)
    certificate = model.certificate_
    # 1 - lower / upper itself is rounded.
    assert certificate.gap <= tol + 1e-15
    assert certificate.lower >= (1 - tol) * gamma
    assert model.n_iter_ < model.max_iter
    certificate.verify(X, y)
    if isinstance(model, MinOverPerceptron):  # not by its own rule
        assert (y * model.decision_function(X)).min() < model.target
    # Nothing certified before the end had this gap.
    certified = model.history_[model.history_["certified"]]
    best = np.fmax.accumulate(certified["lower"])  # weights of zero have none
    assert (best[:-1] < (1 - tol) * certified["upper"][:-1]).all()


def test_without_tol_the_rule_ends_the_run():
    X, y = apart()
    with_tol = DynamicMarginPerceptron(tol=0.4, random_state=0).fit(X, y)
    without = DynamicMarginPerceptron(random_state=0).fit(X, y)
    assert with_tol.n_iter_ <= without.n_iter_
    assert without.certificates_[0].gap < 0.2


@pytest.mark.parametrize("tol", [None, 1e-9])
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e300])
@pytest.mark.parametrize("model", FAMILY, ids=repr)
def test_history_brackets_the_truth(model, scale, tol):
    X, y = apart()
    X = X * scale
    model = seeded(model, 3, max_iter=37, tol=tol)
    history = quiet(model, X, y).history_
    assert len(history) == model.n_iter_
    assert history.dtype.names == ("passes", "updates", "lower", "upper", "certified")
    assert history["passes"][0] > 0 and (np.diff(history["passes"]) >= 0).all()
    assert (np.diff(history["updates"]) >= 0).all()
    assert history["updates"][-1] == model.n_updates_

    epochs = np.flatnonzero(history["certified"]) + 1
    assert epochs[0] == 1 and epochs[-1] == len(history)
    growth = 2 if tol is None else 1.25
    assert (epochs[1:] <= np.ceil(growth * epochs[:-1])).all()

    c = model.certificate_
    half, other = power_of_two(X)
    least, most = directional_truth(naive.reflect(X * half * other, y, c.rho * half * other))
    certified = history[history["certified"]]
    assert not (certified["lower"] * half * other > most).any()
    weightless = np.isnan(certified["lower"])  # a batch looks at weights of zero first
    assert not weightless[1:].any() and certified["updates"][weightless].sum() == 0
    assert (certified["upper"] * half * other >= least).all()
    assert (np.diff(certified["upper"]) <= 0.0).all()
    assert certified["upper"][-1] == c.upper
    if not getattr(model, "recenter", False):  # recentred weights have no row
        assert c.lower in certified["lower"]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_bisection_keeps_what_its_failed_rounds_have_proven(fit_intercept):
    X, y = apart()
    model = BolzanoPerceptron(random_state=0, fit_intercept=fit_intercept).fit(X, y)
    assert model.certificate_.upper <= model.history_["upper"].min() * (1 + 1e-9)
    model.certificate_.verify(X, y)


def test_certificates_are_renewed_at_powers_of_two():
    # Right from the first epoch on, so that no epoch has fewer errors than ever before.
    model = quiet(MinOverPerceptron(target=1e4, max_iter=100), [[1.0], [-1.0]], [1, 0])
    assert model.n_iter_ == 100
    epochs = np.flatnonzero(model.history_["certified"]) + 1
    assert epochs.tolist() == [1, 2, 4, 8, 16, 32, 64, 100]
