"""The parts of the solvers: objectives, bounds, best intercepts, line searches, passes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import linalg, optimize, sparse

from maxmargin.compiled import compile_loop
from maxmargin.patterns import Patterns
from maxmargin.solvers import (
    HARD,
    HINGE,
    SQUARED_HINGE,
    Objective,
    Passes,
    best_method,
    loops,
    matrix_bytes,
)
from maxmargin.solvers.objective import Marked, best_shifts, gap_of

LOSSES = [SQUARED_HINGE, HINGE, HARD]
KINDS = [np.asarray, sparse.csr_array]
each_loss = pytest.mark.parametrize("loss", LOSSES)
each_kind = pytest.mark.parametrize("kind", KINDS)


def problem(rng, loss, free, n=12, d=3, kind=np.asarray):
    """Return an objective, and its patterns as a plain array."""
    signs = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(n, d)) + np.outer(signs, np.full(d, 4.0 if loss == HARD else 0.5))
    rho = "auto" if free else 1.5
    patterns = Patterns.build(kind(X), signs, rho)
    costs = np.ones(n) if loss == HARD else rng.uniform(0.1, 9.0, n)
    constant = np.full(n, patterns.rho)
    Y = signs[:, None] * np.column_stack([X * patterns.unit, constant])
    return Objective(patterns, loss, costs, free), Y


@each_loss
@pytest.mark.parametrize("free", [True, False])
def test_no_dual_value_exceeds_a_primal_one(loss, free):
    """Whatever the weights and the multipliers."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        objective, Y = problem(rng, loss, free)
        weights = rng.normal(size=4) * 10.0 ** rng.uniform(-2, 1) + Y.mean(axis=0)
        alpha = rng.exponential(size=12) * (rng.random(12) < 0.7)
        signs = objective.patterns.labels
        rows = signs[:, None] * Y
        sums = np.array([alpha[signs < 0] @ rows[signs < 0], alpha[signs > 0] @ rows[signs > 0]])
        proof = objective.proof(alpha, sums)
        assert 0.0 <= proof.value <= objective.value(Marked(weights, Y @ weights, 0.0))
        multipliers = alpha * np.where(signs > 0, proof.plus, proof.minus)
        if loss == HINGE and proof.value:
            assert (multipliers <= objective.costs * (1 + 1e-12)).all()
        if free and proof.value:
            assert multipliers @ signs == pytest.approx(0.0, abs=1e-12 * multipliers.sum())
        z = multipliers @ Y
        square = z[:-1] @ z[:-1] + (0.0 if free else z[-1] ** 2)
        square += multipliers @ (multipliers * objective.slack)
        value = multipliers.sum() - square / 2 if proof.value else 0.0
        assert proof.value == pytest.approx(value, rel=1e-9, abs=1e-12)


@each_loss
@pytest.mark.parametrize("free", [True, False])
def test_the_centre_is_no_worse_and_the_best_there_is(loss, free):
    """Of the intercepts, and thereafter of the lengths."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        objective, Y = problem(rng, loss, free)
        weights = Y.mean(axis=0) * 10.0 ** rng.uniform(-1, 1)
        before = Marked(weights, Y @ weights, 0.0)
        centred, margins, error = objective.centred(before)
        np.testing.assert_allclose(margins, Y @ centred, rtol=1e-9, atol=1e-9)
        assert 0.0 < error < 1e-12 * np.abs(margins).max()
        value = objective.value(Marked(centred, margins, 0.0))
        assert value <= objective.value(before) * (1 + 1e-6)
        for factor in (0.5, 0.9, 1.0 / 0.9, 2.0):
            scaled = centred * factor
            assert value <= objective.value(Marked(scaled, Y @ scaled, 0.0)) * (1 + 1e-5)


def test_the_best_intercepts_of_a_hinge():
    rng = np.random.default_rng(2)
    for _ in range(200):
        n = int(rng.integers(2, 9))
        plus = np.arange(n) % 2 == 1
        margins = rng.integers(-3, 4, n).astype(float)
        costs = rng.integers(1, 4, n).astype(float)

        def loss(shift, plus=plus, margins=margins, costs=costs):
            return costs @ np.maximum(0.0, 1.0 - margins - np.where(plus, shift, -shift))

        low, high = best_shifts(margins, plus, costs)
        least = min(loss(shift) for shift in np.arange(-5.0, 6.0))  # all corners are whole numbers
        assert low <= high
        assert loss(low) == loss(high) == loss((low + high) / 2) == least
        assert loss(low - 0.5) > least and loss(high + 0.5) > least


def test_line_searches_find_the_minimum():
    rng = np.random.default_rng(3)
    search = compile_loop(loops.line_search)
    for _ in range(200):
        n = 10
        margins, moves = rng.normal(size=(2, n))
        targets, shares = 1.0 + rng.random(n), rng.uniform(0.1, 2.0, n)
        caps = np.where(rng.random(n) < 0.5, np.inf, rng.uniform(0.1, 3.0, n))
        stiffness, slope, curvature = 2.0, rng.normal(), rng.uniform(0.1, 2.0)

        def rise(step, a=(margins, moves, targets, shares, caps), b=(slope, curvature)):
            margins, moves, targets, shares, caps = a
            alpha = 2.0 * shares * (targets - margins - step * moves)
            return b[0] + step * b[1] - np.clip(alpha, 0.0, caps) @ moves

        step = search(margins, moves, targets, shares, stiffness, caps, slope, curvature, -np.inf)
        best = optimize.brentq(rise, -1e4, 1e4, xtol=1e-12, rtol=1e-14)
        assert step == pytest.approx(best, rel=1e-7, abs=1e-9)


def test_gaps():
    assert gap_of(2.0, 2.0) == 0.0
    assert gap_of(4.0, 1.0) == 0.5
    assert gap_of(1.0, 0.0) == gap_of(np.inf, 1.0) == gap_of(0.0, 0.0) == 1.0


def in_threads(function, values):
    with ThreadPoolExecutor(3) as pool:
        return pool.map(function, values)


@each_kind
@pytest.mark.parametrize("each_of", [map, in_threads])
@pytest.mark.parametrize("n", [7, 3000])
def test_passes_are_products(kind, each_of, n):
    rng = np.random.default_rng(4)
    objective, Y = problem(rng, SQUARED_HINGE, True, n, 5, kind)
    patterns = objective.patterns
    passes = Passes(patterns, each_of)
    passes._size = 100  # rows in a block, so that there are many
    weights, alpha = rng.normal(size=6), rng.exponential(size=n) * (rng.random(n) < 0.5)
    signs = patterns.labels
    np.testing.assert_allclose(passes.scores(weights), Y @ weights, rtol=1e-12, atol=1e-12)
    assert passes.passes == 1.0
    rows = signs[:, None] * Y
    expected = [alpha[signs < 0] @ rows[signs < 0], alpha[signs > 0] @ rows[signs > 0]]
    np.testing.assert_allclose(passes.class_sums(alpha), expected, rtol=1e-11, atol=1e-11)
    assert passes.rows_read == n + np.count_nonzero(alpha)


@each_kind
def test_newton_costs_memory_that_is_known_before(kind):
    objective, _ = problem(np.random.default_rng(5), SQUARED_HINGE, True, 12, 30, kind)
    assert matrix_bytes(objective) == 8 * 31**2


def test_the_choice_of_a_solver():
    rng = np.random.default_rng(6)
    tall, _ = problem(rng, SQUARED_HINGE, True, 20_000, 5)
    many = sparse.random_array((200, 50_000), density=1e-3, rng=rng, format="csr")
    signs = np.where(np.arange(200) % 2, 1, -1)
    wide = Objective(Patterns.build(many, signs, "auto"), SQUARED_HINGE, np.ones(200), True)
    assert best_method(tall) == "newton"
    assert best_method(wide) == "ascent"


@each_loss
def test_products_of_chosen_patterns(loss):
    rng = np.random.default_rng(7)
    for kind in KINDS:
        objective, Y = problem(rng, loss, True, kind=kind)
        patterns, chosen = objective.patterns, np.array([5, 0, 11, 2])
        work, matrix = np.zeros(4), np.empty((4, 4))
        loop = compile_loop(loops.products, type(patterns.rows))
        loop(patterns.rows, patterns.labels, chosen, work, matrix)
        np.testing.assert_allclose(matrix, Y[chosen] @ Y[chosen].T, rtol=1e-12)
        assert linalg.norm(work) <= 1e-12
