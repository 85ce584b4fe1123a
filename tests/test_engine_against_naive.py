"""The compiled engine makes the updates of the slow references, in the same order.

On small integers all sums are exact (but for fixed length, which divides), so nothing is left to
rounding: weights and multipliers are compared after every epoch.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy import sparse

import naive
from maxmargin import rules
from maxmargin.engine import ACTIVE_PASSES, Learner
from maxmargin.estimators import (
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MinOverPerceptron,
)
from maxmargin.estimators.base import Start
from maxmargin.monitor import Monitor, run_side_by_side
from maxmargin.orders import Order
from maxmargin.patterns import Patterns
from maxmargin.rows import UniformRows
from maxmargin.schedules import constant, following, inverse, optimal_fixed_length
from maxmargin.search import Bisection
from maxmargin.side_by_side import SideBySide

pytestmark = pytest.mark.nojit

EPOCHS = 6
LAYOUTS = {
    "dense": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr": lambda X: sparse.csr_matrix(X),
    "csr_array64": lambda X: with_wide_indices(sparse.csr_array(X)),
}


def with_wide_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def problems(count=12, seed=0):
    """Small integer problems, most of them separable; the labels of the others are random."""
    random = np.random.RandomState(seed)
    for number in range(count):
        n, d = random.randint(4, 24), random.randint(1, 5)
        X = random.randint(-5, 6, (n, d)).astype(float)
        direction, offset = random.randint(-3, 4, d), random.randint(-2, 3)
        y = np.where(X @ direction + offset + 0.5 > 0, 1, -1)
        if number % 4 == 3:
            y = random.choice([-1, 1], n)
        yield X, y, float(random.randint(1, 4)), random.randint(-3, 4, d + 1).astype(float)


def assert_same_path(learner, look, rule, reference, Y, tolerance=0.0):
    """Compare weights and multipliers with the reference's, epoch by epoch."""
    for epochs in range(1, EPOCHS + 1):
        look(learner, rule)
        # The step of a batch is taken by the next look.
        trace = reference(Y, max_epochs=epochs - (look is Learner.all_together))
        weights, alpha = learner.current()
        np.testing.assert_allclose(alpha, trace.alpha, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(weights, trace.a, rtol=tolerance, atol=tolerance)
        assert learner.updates == len(trace.updates)


# Rule, schedule, reference, and tolerance where steps are no integers: rates 1/t round sums.
ONE_BY_ONE = {
    "rosenblatt": (
        rules.StandardMargin(0.0),
        constant(1.0),
        lambda Y, **k: naive.perceptron(Y, **k),
        0.0,
    ),
    "margin": (
        rules.StandardMargin(7.0),
        constant(2.0),
        lambda Y, **k: naive.perceptron(Y, margin=7.0, learning_rate=2.0, **k),
        0.0,
    ),
    "inverse": (
        rules.StandardMargin(0.0),
        inverse(1.0),
        lambda Y, **k: naive.perceptron(Y, schedule=lambda t: 1 / t, **k),
        1e-13,
    ),
    "callable": (
        rules.StandardMargin(3.0),
        following(lambda t: np.where(t < 5, 4.0, 2.0), 0.5),
        lambda Y, **k: naive.perceptron(
            Y, margin=3.0, learning_rate=0.5, schedule=lambda t: 4.0 if t < 5 else 2.0, **k
        ),
        0.0,
    ),
    "normalised": (
        rules.FixedMargin(0.25),
        constant(1.0),
        lambda Y, **k: naive.normalised_perceptron(Y, margin=0.25, **k),
        0.0,
    ),
    "dynamic": (
        rules.DynamicMargin(0.25),
        constant(1.0),
        lambda Y, **k: naive.dynamic_margin(Y, epsilon=0.25, **k),
        0.0,
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_one_by_one(name, layout):
    rule, schedule, reference, tolerance = ONE_BY_ONE[name]
    for X, y, rho, _ in problems():
        learner = Learner(Patterns.build(LAYOUTS[layout](X), y, rho), schedule)
        Y = naive.reflect(X, y, rho)
        assert_same_path(learner, Learner.one_by_one, rule, reference, Y, tolerance)


@pytest.mark.parametrize("name", ["rosenblatt", "margin", "normalised", "dynamic"])
def test_one_by_one_on_values_all_the_same(name):
    rule, schedule, reference, _ = ONE_BY_ONE[name]
    for X, y, rho, _ in problems():
        X = 2.0 * (X > 0)
        patterns = Patterns.build(sparse.csr_matrix(X), y, rho)
        assert isinstance(patterns.rows, UniformRows) or not X.any()
        Y = naive.reflect(X, y, rho)
        np.testing.assert_array_equal(patterns.squares, (Y**2).sum(axis=1))
        assert_same_path(Learner(patterns, schedule), Learner.one_by_one, rule, reference, Y)


SPARSE = {
    "csr": LAYOUTS["csr"],
    "csr_array64": LAYOUTS["csr_array64"],
    "csr32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "uniform": lambda X: sparse.csr_matrix(2.0 * (X > 0)),
}


@pytest.mark.parametrize("layout", SPARSE)
@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_side_by_side(name, layout):
    rule, schedule, reference, tolerance = ONE_BY_ONE[name]
    for X, y, rho, _ in problems():
        X = SPARSE[layout](X)
        patterns = Patterns.build(X, y, rho)
        # More columns than a vector register holds, some of them the same.
        labels = [y, -y, np.where(np.arange(y.size) % 3, 1, -1), np.ones(y.size), y, -y, y]
        order = Order(y.size)
        learners = [Learner(patterns.relabelled(signs), schedule, order=order) for signs in labels]
        together = SideBySide(learners)
        together.running.remove(1)
        for epochs in range(1, EPOCHS + 1):
            together.one_by_one(rule)
            for number in together.running:
                trace = reference(
                    naive.reflect(X.toarray(), labels[number], rho), max_epochs=epochs
                )
                weights, alpha = learners[number].current()
                np.testing.assert_allclose(alpha, trace.alpha, rtol=tolerance, atol=tolerance)
                np.testing.assert_allclose(weights, trace.a, rtol=tolerance, atol=tolerance)
                assert learners[number].updates == len(trace.updates)
        assert not learners[1].alpha.any() and not learners[1].weights.any()


def test_worst_scores_side_by_side():
    for layout in SPARSE.values():
        for X, y, rho, start in problems():
            patterns = Patterns.build(layout(X), y, rho)
            weights = np.column_stack([start, 2.0 * start, -start])
            labels = np.column_stack([y, -y, y]).astype(np.int8)
            found = patterns.extremes_side_by_side(weights, labels)
            for k in range(3):
                assert found[k] == patterns.relabelled(labels[:, k]).extremes(weights[:, k].copy())


def monitors(X, labels, start, tol, common_order):
    """Watch one run for each set of labels, in the same random order."""
    patterns = Patterns.build(sparse.csr_array(X), labels[0], 2.0)
    orders = [Order(patterns.count, np.random.RandomState(3)) for _ in labels]
    for signs, own in zip(labels, orders, strict=True):
        order = orders[0] if common_order else own
        # With this rate no relaxation step ends on the very boundary.
        schedule = constant(0.75)
        learner = Learner(patterns.relabelled(signs), schedule, weights=start, order=order)
        yield Monitor(learner, max_iter=40, tol=tol, verbose=0, name="")


@pytest.mark.parametrize("tol", [None, 0.3])
@pytest.mark.parametrize(
    "rule", [rules.StandardMargin(2.0), rules.Relaxation(1.0, 1.0), rules.FixedLength(0.5)]
)
def test_runs_side_by_side_are_the_runs_alone(rule, tol):
    for X, y, _, start in problems():
        thirds = np.where(np.arange(y.size) % 3, 1, -1)
        labels = [y, -y, np.where(X[:, 0] > 0, 1, -1), thirds]
        common, own = (list(monitors(X, labels, start + 0.5, tol, c)) for c in (True, False))
        run_side_by_side(common, rule)
        for ours, alone in zip(common, own, strict=True):
            alone.run(rule, Learner.one_by_one)
            assert (ours.ended_by, ours.epochs) == (alone.ended_by, alone.epochs)
            assert ours.learner.updates == alone.learner.updates
            assert ours.learner.products == alone.learner.products
            one, other = ours.solution(), alone.solution()
            np.testing.assert_allclose(one.state.weights, other.state.weights, rtol=1e-9)
            np.testing.assert_allclose(one.state.alpha, other.state.alpha, rtol=1e-9)
            np.testing.assert_array_equal(one.history["certified"], other.history["certified"])
            np.testing.assert_allclose(one.upper, other.upper, rtol=1e-9)


@pytest.mark.parametrize("name", ["rosenblatt", "margin", "normalised", "dynamic"])
def test_one_by_one_from_a_start(name):
    rule, schedule, reference, _ = ONE_BY_ONE[name]
    for X, y, rho, start in problems():
        learner = Learner(Patterns.build(X, y, rho), schedule, weights=start)
        Y = naive.reflect(X, y, rho)
        from_start = partial(reference, start=start)
        assert_same_path(learner, Learner.one_by_one, rule, from_start, Y)


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_passes_over_the_active_set(layout, start):
    again = partial(naive.dynamic_margin, epsilon=0.25, again=ACTIVE_PASSES)
    for X, y, rho, weights in problems(count=24):
        patterns = Patterns.build(LAYOUTS[layout](X), y, rho)
        reference = partial(again, start=weights) if start else again
        learner = Learner(patterns, weights=weights if start else None)
        look = Learner.one_by_one_and_again
        assert_same_path(
            learner, look, rules.DynamicMargin(0.25), reference, naive.reflect(X, y, rho)
        )


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("schedule", ["constant", "inverse"])
def test_batch_perceptron(schedule, layout):
    schedules = {"constant": (constant(2.0), None), "inverse": (inverse(2.0), lambda k: 1 / k)}
    ours, theirs = schedules[schedule]
    tolerance = 0.0 if schedule == "constant" else 1e-13
    for X, y, rho, _ in problems():
        learner = Learner(Patterns.build(LAYOUTS[layout](X), y, rho), ours)

        def reference(Y, max_epochs):
            return naive.batch_perceptron(
                Y, learning_rate=2.0, schedule=theirs, max_epochs=max_epochs
            )

        Y = naive.reflect(X, y, rho)
        look = Learner.all_together
        assert_same_path(learner, look, rules.StandardMargin(0.0), reference, Y, tolerance)


@pytest.mark.parametrize("relaxation", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("target", [1.0, 1.5])
@pytest.mark.parametrize("batch", [False, True])
def test_relaxation(batch, target, relaxation):
    look = Learner.all_together if batch else Learner.one_by_one
    for X, y, rho, _ in problems():
        learner = Learner(Patterns.build(X, y, rho), constant(relaxation))
        rule = rules.Relaxation(1.0, target)
        for epochs in range(1, EPOCHS + 1):
            seen = look(learner, rule)
            reference = partial(
                naive.relaxation,
                naive.reflect(X, y, rho),
                margin=1.0,
                target=target,
                relaxation=relaxation,
                batch=batch,
            )
            trace = reference(max_epochs=epochs - batch)
            size = 1e-12 * max(1.0, np.abs(trace.alpha).max())
            np.testing.assert_allclose(learner.current()[1], trace.alpha, rtol=1e-9, atol=size)
            if target > 1.0:  # else steps become ever smaller, and rounding decides which are zero
                assert learner.updates == len(trace.updates)
            assert rule.satisfied(seen) == reference(max_epochs=epochs).converged
            if rule.satisfied(seen):
                break


@pytest.mark.parametrize("rate", [0.1, "optimal"])
@pytest.mark.parametrize("step", ["unit", "projected"])
@pytest.mark.parametrize("length", ["free", "fixed"])
def test_fixed_margin(length, step, rate):
    for X, y, rho, _ in problems():
        patterns = Patterns.build(X, y, rho)
        Y = naive.reflect(X, y, rho)
        model = FixedMarginPerceptron(0.2, length=length, step=step, learning_rate=rate)
        learner = model._learner(patterns, Start(None, None))

        def reference(Y, max_epochs):
            return naive.fixed_margin(
                Y,
                margin=0.2,
                length=length,
                step=step,
                learning_rate=rate,
                max_epochs=max_epochs,
            )

        look, tolerance = Learner.one_by_one, 1e-10
        assert_same_path(learner, look, model._rule(patterns), reference, Y, tolerance)


def test_the_optimal_rate_survives_many_halvings():
    schedule = optimal_fixed_length(0.2, R=4.0, r=1.0, f_max=1.2, f_min=0.96)
    ours = np.concatenate([schedule(0, 300), schedule(300, 4000), schedule(4300, 20000)])
    rates = naive.fixed_length_rates("optimal", 0.2, 1.0, 4.0, 0.96, 1.2)
    theirs = [next(rates) for _ in range(ours.size)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert np.unique(ours).size > 3


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", ["zero", "multipliers"])
@pytest.mark.parametrize("seed", range(4))
def test_min_over(seed, start, layout):
    target = 4.0 + 2.0**-10  # never met exactly, where dividing by x would decide
    ended = 0
    for X, y, rho, _ in problems(seed=seed):
        patterns = Patterns.build(LAYOUTS[layout](X), y, rho)
        Y = naive.reflect(X, y, rho)
        scale = 1.0 / patterns.longest_squared
        # Other multipliers are no multiples of 1/x; those here keep scores from being equal.
        given = np.zeros(len(y)) if start == "zero" else np.sqrt(np.arange(len(y)) % 7) / 9.0
        trace = naive.min_over(Y, target=target, start_multipliers=given, max_epochs=4000)
        weights = patterns.combine(given * y)
        learner = Learner(patterns, constant(scale), weights=weights, alpha=given, scale=scale)
        rule, done = rules.MinOver(target), False
        while not done and learner.updates < 4000 - len(y):
            done = rule.satisfied(learner.worst_first(rule))
            alpha = given.copy()
            for k, step in trace.updates[: learner.updates]:
                alpha[k] += step
            np.testing.assert_allclose(learner.current()[1], alpha, rtol=1e-12)
        assert done == trace.converged
        if done:
            ended += 1
            assert learner.updates == len(trace.updates)
            if start == "zero":
                np.testing.assert_array_equal(learner.alpha, np.rint(trace.alpha / scale))
    assert ended >= 6


def test_min_over_from_a_perceptron():
    for X, y, rho, _ in problems():
        Y = naive.reflect(X, y, rho)
        x = np.max(np.sum(Y * Y, axis=1))
        first = naive.perceptron(Y, learning_rate=1.0, max_epochs=200)
        if not first.converged:
            continue
        trace = naive.min_over(Y, 4.0, start_multipliers=first.alpha / x, max_epochs=4000)
        model = MinOverPerceptron(4.0, init="perceptron", rho=rho).fit(X, y)
        assert model.n_updates_ == len(first.updates) + len(trace.updates)
        np.testing.assert_allclose(model.coef_[0], trace.a[:-1], rtol=1e-12, atol=1e-12)
        assert model.guarantee_ == pytest.approx(trace.A, rel=1e-12)


@pytest.mark.parametrize("variant", [1, 2])
@pytest.mark.parametrize("max_checks", [2, 7, 50])
def test_bolzano(max_checks, variant):
    for X, y, rho, _ in problems():
        patterns = Patterns.build(X, y, rho)
        Y = naive.reflect(X, y, rho)
        trace = naive.bolzano(Y, variant=variant, precision=0.01, max_checks=max_checks)
        monitor = Monitor(Learner(patterns), max_iter=1000, tol=None, verbose=0, name="")
        search = Bisection(monitor, variant, precision=0.01, max_checks=max_checks)
        solution = search.solve()
        assert solution.epochs == trace.epochs
        assert search.best_margin == pytest.approx(trace.best_margin, rel=1e-14)
        if trace.best_margin:
            weights, alpha = search.best
            np.testing.assert_array_equal(alpha, trace.alpha)
            np.testing.assert_array_equal(weights, trace.a)
            assert solution.state.lower.margin >= trace.best_margin * (1.0 - 1e-12)


def test_recentred_boundary():
    for X, y, rho, _ in problems():
        trained = naive.dynamic_margin(naive.reflect(X, y, rho), 0.25, max_epochs=1000)
        if not trained.converged:
            continue
        w, b = naive.recenter(trained.a, naive.reflect(X, y, rho), y, rho)
        options = {"epsilon": 0.25, "rho": rho, "active_set": False, "shuffle": False}
        model = DynamicMarginPerceptron(**options).fit(X, y)
        np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12, atol=1e-12)
        assert model.intercept_[0] == pytest.approx(b, rel=1e-12, abs=1e-12)
