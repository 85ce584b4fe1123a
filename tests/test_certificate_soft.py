"""Certificates of soft margins and of free intercepts are true, in exact arithmetic."""

from __future__ import annotations

import math
from dataclasses import astuple, replace

import numpy as np
import pytest
from scipy import sparse

from certificates import example, weights
from maxmargin.certificate import InvalidCertificate
from objectives import (
    INTERCEPTS,
    LOSSES,
    Problem,
    attempt,
    certificate,
    exact_bounds,
    optimum,
    problem,
    root,
)

CASES = [
    (loss, intercept, cost)
    for loss in LOSSES
    for intercept in INTERCEPTS
    for cost in (["none"] if loss is None else ["uniform", "random", "some zero"])
]
SOFT = [case for case in CASES if case[0] is not None]
PROBLEMS_EACH = 20


def problems(case, count=PROBLEMS_EACH):
    rng = np.random.default_rng(CASES.index(case))
    for _ in range(count):
        yield rng, problem(rng, *case, distance=rng.choice([0.0, 2.0, 6.0]))


def worse_and_better(c, name, by):
    """Return the same certificate with one claim that is weaker, and one that is too good."""
    value, sign = getattr(c, name), -1 if name.endswith("upper") else 1
    step = sign * by * max(abs(value), 1e-3 * c.radius)
    return replace(c, **{name: value - step}), replace(c, **{name: value + step})


# --- truth --------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=str)
def test_verify_finds_the_truth(case):
    for rng, p in problems(case):
        w, b, alpha = attempt(rng, p)
        c = certificate(p, w, b, alpha)
        found = c.verify(p.X, p.signs)
        for name, square in exact_bounds(p, w, b, alpha).items():
            assert getattr(found, name) == pytest.approx(root(square), rel=1e-12, abs=1e-13)
            worse, better = worse_and_better(c, name, 1e-9)
            worse.verify(p.X, p.signs)
            with pytest.raises(InvalidCertificate, match=f"^{name}=.* does not hold for these"):
                better.verify(p.X, p.signs)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_weak_duality(case):
    """Whatever the hyperplane and the multipliers, no bound is on the wrong side of another."""
    for rng, p in problems(case, 60):
        several = [exact_bounds(p, *attempt(rng, p)) for _ in range(5)]
        best = min(each["upper"] for each in several)
        assert all(each["lower"] <= best for each in several)
        best = min(each["margin_upper"] for each in several)
        assert all(each["margin"] <= best for each in several)


@pytest.mark.parametrize("case", SOFT, ids=str)
def test_the_optimum_has_no_gap(case):
    for _, p in problems(case):
        c = certificate(p, *optimum(p))
        assert abs(c.gap) < 1e-4  # the optimiser's
        assert c.primal == pytest.approx(c.dual, rel=3e-4)
        assert c.primal / c.dual - 1.0 == pytest.approx((c.upper / c.lower) ** 2 - 1.0, abs=1e-12)
        c.verify(p.X, p.signs)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize(
    ("loss", "C", "w", "P"),
    [
        ("hinge", 0.125, 0.25, 7 / 32),  # P = w^2 / 2 + 2 C (1 - w)
        ("hinge", 2.0, 1.0, 1 / 2),
        ("squared_hinge", 0.5, 2 / 3, 1 / 3),  # P = w^2 / 2 + 2 C (1 - w)^2
        ("squared_hinge", 1.5, 6 / 7, 3 / 7),
    ],
)
def test_two_points_by_hand(intercept, loss, C, w, P):
    """At -1 and 1, where the best w lies in the box or on its border."""
    rho = 2.0 if intercept == "augmented" else None
    p = Problem(
        np.array([[-1.0], [1.0]]),
        np.array([-1, 1]),
        loss,
        rho,
        intercept == "free",
        np.array([C, C]),
    )
    c = certificate(p, [w], 0.0, np.array([0.5, 0.5]))
    found = c.verify(p.X, p.signs)
    assert found.lower == pytest.approx(1.0 / math.sqrt(2.0 * P), rel=1e-14)
    assert found.upper == pytest.approx(found.lower, rel=1e-14)
    assert found.margin == found.margin_upper == 1.0
    assert c.primal == pytest.approx(P, rel=1e-14) and c.dual == pytest.approx(P, rel=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
def test_unbalanced_multipliers_are_balanced_for_a_free_intercept(loss):
    rng = np.random.default_rng(3)
    for _ in range(20):
        p = problem(rng, loss, "free")
        w, b, alpha = attempt(rng, p)
        scaled = np.where(p.signs > 0, 100.0, 1.0) * alpha
        c, other = certificate(p, w, b, alpha), certificate(p, w, b, scaled / scaled.sum())
        assert other.upper == pytest.approx(c.upper, rel=1e-12)
        other.verify(p.X, p.signs)


# --- forms of the data, and their units ---------------------------------------


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("factor", [1.0, 1e60, 1e-60])
def test_honest_claims_are_accepted_in_any_form_and_unit(case, factor):
    for rng, p in problems(case):
        p = p.scaled(factor)
        w, b, alpha = attempt(rng, p)
        if rng.random() < 0.3:
            X = (p.X.astype(np.float32) if factor == 1.0 else p.X).astype(float)
            X[len(X) - 1 :] = 0.0
            p = replace(p, X=X)
        c = certificate(p, w / factor, b, alpha)
        forms = [p.X, sparse.csr_array(p.X), sparse.csc_array(p.X)]
        if factor == 1.0 and np.array_equal(p.X, p.X.astype(np.float32)):
            forms += [p.X.astype(np.float32), sparse.csr_array(p.X.astype(np.float32))]
        with np.errstate(all="raise"):
            for X in forms:
                c.verify(X, p.signs)
        for name in ("lower", "upper"):
            with pytest.raises(InvalidCertificate, match=f"^{name}="):
                worse_and_better(c, name, 1e-9)[1].verify(p.X, p.signs)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_honest_claims_of_uneven_data_are_accepted(case):
    """Sums of terms of very different sizes are known to their rounding errors."""
    for rng, p in problems(case, 40):
        n, d = p.X.shape
        X = p.X * 10.0 ** rng.uniform(-9, 9, (n, 1) if rng.random() < 0.5 else (1, d))
        costs = None if p.costs is None else p.costs * 10.0 ** rng.uniform(-9, 9, n)
        p = replace(p, X=X, costs=costs)
        w, b, alpha = attempt(rng, p)
        w, alpha = w * 10.0 ** rng.uniform(-9, 9, d), alpha * 10.0 ** rng.uniform(-9, 0, n)
        certificate(p, w, b, alpha / alpha.sum(), separable=None).verify(X, p.signs)


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES[1:])
def test_many_slices(loss, intercept):
    rng = np.random.default_rng(0)
    small = replace(problem(rng, loss, intercept), costs=None)
    copies = 10_001
    n = len(small.signs)
    p = replace(small, costs=rng.uniform(0.5, 2.0, n) * (np.arange(n) != 3))
    w, b, alpha = attempt(rng, p)
    c = certificate(replace(p, costs=p.costs * copies), w, b, alpha)
    repeated = replace(
        c, costs=np.tile(p.costs, copies), dual_weights=weights(np.tile(alpha / copies, copies))
    )
    X, y = np.tile(p.X, (copies, 1)), np.tile(p.signs, copies)
    for rows in (X, sparse.csr_array(X)):
        repeated.verify(rows, y)
        for name in ("lower", "upper", "margin", "margin_upper"):
            with pytest.raises(InvalidCertificate, match=f"^{name}="):
                worse_and_better(repeated, name, 1e-9)[1].verify(rows, y)


# --- rows that do not count ---------------------------------------------------


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES[1:])
@pytest.mark.parametrize("value", [0.0, 1e300, np.nan, -np.inf])
def test_rows_of_cost_zero_are_left_out_of_all_claims(loss, intercept, value):
    p = problem(np.random.default_rng(1), loss, intercept, "uniform", distance=9.0)
    c = certificate(p, *optimum(p))
    assert c.separable is True
    found = astuple(c.verify(p.X, p.signs))
    X, y = np.insert(p.X, 1, value, axis=0), np.insert(p.signs, 1, 1)
    alpha = np.insert(c.dual_weights.toarray().ravel(), 1, 0.0)
    more = replace(c, dual_weights=weights(alpha), costs=np.insert(c.costs, 1, 0.0))
    for rows in (X, sparse.csr_array(X)):
        for label in (-1, 1):
            y[1] = label
            assert astuple(more.verify(rows, y)) == pytest.approx(found, rel=1e-14)


# --- hyperplanes at the edge --------------------------------------------------


@pytest.mark.parametrize("intercept", INTERCEPTS)
@pytest.mark.parametrize("loss", LOSSES[1:])
def test_weights_of_zero_have_a_soft_margin(loss, intercept):
    rng = np.random.default_rng(0)
    p = problem(rng, loss, intercept)
    _, b, alpha = attempt(rng, p)
    for intercept_value in {0.0, b}:
        c = certificate(p, np.zeros(p.X.shape[1]), intercept_value, alpha)
        assert c.lower > 0.0 and math.isnan(c.margin)
        c.verify(p.X, p.signs)
        if intercept_value == 0.0:
            assert c.primal == pytest.approx(p.costs.sum(), rel=1e-12)


def test_weights_of_zero_have_no_geometric_margin():
    rng = np.random.default_rng(0)
    p = problem(rng, None, "free")
    c = certificate(p, np.zeros(p.X.shape[1]), 1.0, attempt(rng, p)[2])
    assert math.isnan(c.lower) and math.isnan(c.verify(p.X, p.signs).lower)


def test_the_bound_of_a_free_intercept_is_that_of_the_best_one():
    p = Problem(np.array([[0.0], [2.0], [5.0]]), np.array([-1, 1, 1]), None, None, True, None)
    for b in (-1.0, -1.5, 7.0, 1e100):
        c = certificate(p, [1.0], b, np.array([0.5, 0.5, 0.0]))
        found = c.verify(p.X, p.signs)
        assert found.lower == found.upper == found.margin_upper == 1.0
        assert found.margin == pytest.approx(min(2.0 + b, -b), rel=1e-14)
        assert c.separable is (True if b > -2.0 and b < 0.0 else None)


# --- separability -------------------------------------------------------------


XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([-1, -1, 1, 1])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("factor", [1.0, 1e-20, 1e20])
def test_xor_is_inseparable_with_a_free_intercept(loss, factor):
    X, y = XOR
    costs = None if loss is None else np.ones(4) / factor**2
    p = Problem(X * factor, y, loss, None, True, costs)
    quarter = np.full(4, 0.25)
    c = certificate(p, np.array([1.0, 0.5]) / factor, -0.5, quarter, separable=False)
    c.verify(p.X, y)
    for alpha in ([0.25, 0.25, 0.5, 0.0], [0.3, 0.3, 0.2, 0.2], [0.5, 0.0, 0.5, 0.0]):
        with pytest.raises(InvalidCertificate, match=r"^separable=False is not proven"):
            certificate(p, c.coef, -0.5, np.array(alpha), separable=False).verify(p.X, y)


def test_multipliers_that_are_not_balanced_do_not_prove_inseparability():
    """Through the origin nothing separates 1 from 3, but 2 does."""
    X, y, alpha = np.array([[1.0], [3.0]]), np.array([1, -1]), np.array([0.75, 0.25])
    through_origin = certificate(Problem(X, y, None, None, False, None), [1.0], 0.0, alpha)
    replace(through_origin, separable=False).verify(X, y)
    free = certificate(Problem(X, y, None, None, True, None), [-1.0], 2.0, alpha)
    assert free.separable is True
    free.verify(X, y)
    with pytest.raises(InvalidCertificate, match=r"^separable=False is not proven"):
        replace(free, separable=False).verify(X, y)


# --- sample weights -----------------------------------------------------------


def test_sample_weights_are_the_costs_but_for_a_factor_of_each_class():
    p = problem(np.random.default_rng(4), "hinge", "free", "some zero")
    assert not p.costs.all()
    c = certificate(p, *optimum(p))
    for factors in (np.ones(len(p.signs)), np.where(p.signs > 0, 1e-5, 3e200)):
        weight = p.costs * factors
        c.verify(p.X, p.signs, weight)
        c.verify(p.X, p.signs, sample_weight=weight.tolist())
        for k in range(len(weight)):
            other = weight.copy()
            other[k] = other[k] * 1.001 or 1.0
            with pytest.raises(InvalidCertificate, match=r"^costs are (not prop|zero where samp)"):
                c.verify(p.X, p.signs, other)


def test_sample_weights_of_a_hard_margin():
    p = problem(np.random.default_rng(4), None, "free")
    c = certificate(p, *attempt(np.random.default_rng(4), p))
    weight = np.arange(1.0, len(p.signs) + 1.0)
    assert c.verify(p.X, p.signs, weight) == c.verify(p.X, p.signs)
    weight[0] = 0.0
    with pytest.raises(InvalidCertificate, match=r"^sample_weight leaves out rows, but the certif"):
        c.verify(p.X, p.signs, weight)


# --- what it looks like -------------------------------------------------------


def test_repr_of_a_soft_margin():
    costs = np.array([1.0, 0.0, 2.0])
    soft = {"loss": "hinge", "costs": costs, "separable": False, "margin": -0.25}
    assert repr(example(**soft)) == (
        "Certificate: strictly separable? no, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric            -0.25               0.6           -\n"
        "  soft                   0.4               0.5         0.2\n"
        "  objective 3.125, best possible >= 2\n"
        "  radius 2, rho 1.5, proof on 2 of 3 patterns"
    )
    assert repr(example(**soft, rho=None, free_intercept=True)).endswith(
        "\n  radius 2, intercept free, proof on 2 of 3 patterns"
    )


def test_repr_of_a_free_intercept():
    assert repr(example(rho=None, free_intercept=True, lower=0.45, upper=0.6)) == (
        "Certificate: strictly separable? yes, proven\n"
        "  margin            achieved  best possible <=         gap\n"
        "  geometric             0.45               0.6        0.25\n"
        "  radius 2, intercept free, proof on 2 of 3 patterns"
    )
