"""What the engine promises beyond the updates of the papers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
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
    gram,
    rules,
)
from maxmargin.bounds import Upper, lower_bounds
from maxmargin.engine import Learner
from maxmargin.loops import Seen
from maxmargin.monitor import Monitor, Snapshot, Solution
from maxmargin.patterns import Patterns
from maxmargin.side_by_side import SideBySide


def quietly(model, X, y, *start):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, *start)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y == 0


@pytest.mark.parametrize(
    "model", [FixedMarginPerceptron(), MarginPerceptron(normalized=True), BolzanoPerceptron()]
)
def test_weights_that_return_to_zero_do_not_end_the_learning(model):
    # The first two patterns cancel; a squared length of -1e-17 would be no length at all.
    random = np.random.default_rng(5)
    for _ in range(20):
        X = random.normal(size=(200, 3))
        y = np.where(X[:, 0] > 0, 1, -1)
        X[:, 0] += y
        X[1], y[:2] = X[0], (1, -1)
        model = model.set_params(shuffle=False, max_iter=100)
        assert quietly(model, X, y).score(X, y) > 0.98


@pytest.mark.parametrize("epsilon", [0.1, 0.5])
def test_the_dynamic_margin_keeps_its_promise_from_any_start(iris, epsilon):
    X, y = iris
    best = MinOverPerceptron(200.0, max_iter=10_000).fit(X, y).certificate_.lower
    start = Perceptron(shuffle=False).fit(X, y)
    for active_set in (True, False):
        options = {"recenter": False, "active_set": active_set, "shuffle": False, "max_iter": 5000}
        model = DynamicMarginPerceptron(epsilon, **options)
        model.fit(X, y, start.coef_, start.intercept_)
        assert model.certificate_.lower > (1.0 - epsilon) * best
    warm = DynamicMarginPerceptron(0.5, warm_start=True, shuffle=False, max_iter=5000).fit(X, y)
    warm.set_params(epsilon=epsilon).fit(X[:-1], y[:-1])  # other rows: the multipliers are lost
    assert warm.certificate_.lower > (1.0 - epsilon) * best


def test_a_search_cut_short_keeps_its_best_state():
    for seed in range(30):
        X, y = make_blobs(40, centers=[[0, 0], [3, 3]], cluster_std=0.7, random_state=seed)
        model = quietly(BolzanoPerceptron(max_iter=7, shuffle=False), X, y)
        certified = model.history_[model.history_["certified"]]
        assert model.certificate_.lower >= certified["lower"].max()


@pytest.mark.parametrize("variant", [1, 2])
def test_a_search_certifies_its_last_epoch(iris, variant):
    for seed in range(20):
        model = BolzanoPerceptron(variant, random_state=seed).fit(*iris)
        assert model.history_["certified"][-1]


def test_multipliers_that_are_lost_do_not_slow_down_the_next_fit(iris):
    X, y = iris
    for seed in range(3):
        cold = DynamicMarginPerceptron(random_state=seed).fit(X[:100], y[:100])
        warm = DynamicMarginPerceptron(random_state=seed, warm_start=True).fit(X, y)
        warm.fit(X[:100], y[:100])
        assert warm.n_iter_ <= 4 * cold.n_iter_
        assert warm.certificate_.lower >= 0.89 * cold.certificate_.lower


def test_steps_of_length_zero_are_no_updates():
    X, y = [[1.0, 0.0], [0.0, -1.0]], [1, 0]
    model = RelaxationPerceptron(batch=True, relaxation=0.5, fit_intercept=False, max_iter=5)
    # The first pattern is on its plane from the beginning, the second gets there in two steps.
    assert quietly(model, X, y, [1.0, -1.0]).n_updates_ == 2


def test_few_remembered_products_give_the_same_corrections(monkeypatch):
    X, y = make_blobs(60, centers=[[0, 0, 0], [4, 4, 4]], random_state=1)
    X = np.rint(4 * X)
    many = MinOverPerceptron(20.0, rho=8.0, max_iter=5000).fit(X, y)
    monkeypatch.setattr(gram, "_BYTES", 3 * 8 * 60)  # three rows
    few = MinOverPerceptron(20.0, rho=8.0, max_iter=5000).fit(X, y)
    assert many.support_.size > 3
    np.testing.assert_array_equal(few.coef_, many.coef_)
    np.testing.assert_array_equal(few.dual_coef_, many.dual_coef_)
    assert few.history_["passes"][-1] > many.history_["passes"][-1]


@pytest.mark.parametrize("together", [False, True])
def test_a_lazy_scale_is_folded_before_it_vanishes(together):
    X, y = make_blobs(50, centers=[[0, 0], [3, 3]], random_state=0)
    labels = np.where(y == 1, 1, -1)
    patterns = Patterns.build(sparse.csr_array(X), labels, 3.0)
    rule, start = rules.FixedLength(0.2), np.array([0.1, -0.1, 0.1])
    usual = Learner(patterns, weights=start)
    tiny = Learner(patterns, weights=start, scale=1e-99)
    side_by_side = SideBySide([tiny, Learner(patterns, weights=start)])
    for _ in range(5):
        usual.one_by_one(rule)
        side_by_side.one_by_one(rule) if together else tiny.one_by_one(rule)
    assert tiny.state.scale > 1e-100
    np.testing.assert_allclose(tiny.current()[0], usual.current()[0], rtol=1e-9)
    np.testing.assert_allclose(tiny.current()[1], usual.current()[1], rtol=1e-9)


@pytest.mark.parametrize(
    ("usual", "large"),
    [
        (FixedMarginPerceptron(0.25), FixedMarginPerceptron(0.25 * 2.0**900)),
        (
            MarginPerceptron(0.25, normalized=True),
            MarginPerceptron(0.25 * 2.0**900, normalized=True),
        ),
        (FixedMarginPerceptron(0.25, rho=2.0), FixedMarginPerceptron(2.0**898, rho=2.0**901)),
    ],
    ids=repr,
)
def test_margins_and_rho_are_in_the_units_of_the_data(iris, usual, large):
    X, y = iris
    usual.set_params(shuffle=False).fit(X, y)
    large.set_params(shuffle=False).fit(X * 2.0**900, y)
    assert usual.n_updates_ == large.n_updates_
    assert usual.certificate_.lower * 2.0**900 == pytest.approx(large.certificate_.lower, rel=1e-12)


def test_the_automatic_margin_follows_the_learning_rate(iris):
    one, four = (MarginPerceptron(learning_rate=eta, shuffle=False).fit(*iris) for eta in (1, 4))
    np.testing.assert_array_equal(4.0 * one.coef_, four.coef_)
    assert one.n_updates_ == four.n_updates_


def test_a_promising_estimate_is_certified_at_once(iris):
    X, y = iris
    learner = Learner(Patterns.build(X, np.where(y, 1, -1), 1.0))
    monitor = Monitor(learner, max_iter=1000, tol=0.5, verbose=0, name="")
    for lowest in (-1.0, 1e9):  # as if no pattern, then as if every pattern were far away
        certified = []
        for _ in range(40):
            seen = learner.one_by_one(rules.DynamicMargin(1.0))._replace(lowest=lowest)
            monitor.observe(seen, satisfied=False)
            certified.append(monitor._rows[-1][-1])
        assert all(certified) == (lowest > 0.0)


@pytest.mark.parametrize("sparse_rows", [False, True])
@pytest.mark.parametrize("model", [Perceptron(), MinOverPerceptron(1.0)], ids=repr)
def test_every_class_starts_from_its_own_row(model, sparse_rows):
    X, y = make_blobs(60, centers=[[0, 8], [8, 0], [-8, -8]], cluster_std=0.5, random_state=3)
    X = sparse.csr_array(X) if sparse_rows else X
    solved = clone(model).fit(X, y)
    for wrong in ([], [0], [1], [0, 2]):
        coef, intercept = solved.coef_.copy(), solved.intercept_.copy()
        coef[wrong] *= -1.0
        intercept[wrong] -= 500.0
        again = clone(model).fit(X, y, coef, intercept)
        updated = [number for number, h in enumerate(again.histories_) if h["updates"][-1]]
        assert updated == wrong


@pytest.mark.parametrize("asked", [0.9, 1.1])
def test_recentring_does_not_lose_a_gap_that_was_reached(asked):
    # Near the origin, to move the boundary by 0.1 makes the weights, with rho = 0.1, longer by 1.
    patterns = Patterns.build(np.array([[1.4], [-0.6]]), np.array([1, -1]), 0.1)
    weights, moved = np.array([1.0, -3.0]), np.array([1.0, -4.0])
    lower = lower_bounds(patterns, weights)
    lost = 1.0 - lower_bounds(patterns, moved).margin / lower.margin
    assert lost == pytest.approx(1.0 - (1.0 / np.sqrt(17.0)) / (0.9 / np.sqrt(10.0)))
    model = DynamicMarginPerceptron(rho=0.1, tol=asked * lost)
    state, upper = Snapshot(weights, np.ones(2), lower), Upper(lower.margin, 1.0)
    outcome = Solution(state, np.ones(2), upper, np.empty(0), False, 1, 1, "tol")
    found = model._hyperplane(patterns, outcome)
    np.testing.assert_allclose(found, weights if asked < 1.0 else moved)


@pytest.mark.parametrize("step", ["unit", "projected"])
@pytest.mark.parametrize("rate", [1e-5, 1e-3, "optimal"])
@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
def test_a_fixed_length_stays_fixed(step, rate, layout):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 5)), random.integers(0, 3, 300)
    model = FixedMarginPerceptron(length="fixed", step=step, learning_rate=rate, max_iter=300)
    for labels in (y, y == 0):
        quietly(model, layout(X), labels)
        rho = model.certificate_.rho
        lengths = np.hypot(np.linalg.norm(model.coef_, axis=1), model.intercept_ / rho)
        shortest = np.sqrt((X**2).sum(axis=1).min() + rho**2)
        np.testing.assert_allclose(lengths, shortest / 100.0, rtol=1e-6)


@pytest.mark.parametrize("values", ["counts", "one-hot", "reals"])
@pytest.mark.parametrize(
    "model",
    [
        Perceptron(),
        MarginPerceptron(),
        RelaxationPerceptron(),
        FixedMarginPerceptron(length="fixed", learning_rate=0.01),
        DynamicMarginPerceptron(active_set=False, recenter=False),
    ],
    ids=repr,
)
def test_classes_learn_the_same_in_any_company(model, values):
    random = np.random.RandomState(0)
    for far in (False, True, False, True):
        X = {
            "counts": random.poisson(0.7, (60, 12)),
            "one-hot": random.randint(0, 2, (60, 12)),
            "reals": random.standard_normal((60, 12)) * random.randint(0, 2, (60, 12)),
        }[values]
        X, y = sparse.csr_array(X.astype(float)), random.randint(0, 5, 60)
        start = (20.0 * random.standard_normal((5, 12)),) if far else ()
        model.set_params(random_state=0, max_iter=30)
        alone = quietly(clone(model), X, y, *start)
        for n_jobs in (2, 3, 5):
            others = quietly(clone(model).set_params(n_jobs=n_jobs), X, y, *start)
            np.testing.assert_array_equal(alone.coef_, others.coef_)
            np.testing.assert_array_equal(alone.intercept_, others.intercept_)
            np.testing.assert_array_equal(alone.dual_coef_, others.dual_coef_)
            for ours, theirs in zip(alone.histories_, others.histories_, strict=True):
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("label", [1, 2])
def test_a_batch_keeps_its_best_state(label):
    X, y = load_iris(return_X_y=True)
    y = y == label
    rho = np.linalg.norm(X, axis=1).max()
    trace = naive.batch_perceptron(naive.reflect(X, np.where(y, 1, -1), rho), max_epochs=199)
    errors = [np.sum(naive.reflect(X, np.where(y, 1, -1), rho) @ a <= 0) for a in trace.path]
    model = quietly(BatchPerceptron(max_iter=200), X, y)
    scores = np.where(y, 1, -1) * model.decision_function(X)
    assert np.sum(scores <= 0) == min(errors)


def test_a_record_between_two_certificates_is_kept(iris):
    X, y = iris
    learner = Learner(Patterns.build(X, np.where(y, 1, -1), 1.0))
    monitor = Monitor(learner, max_iter=1000, tol=None, verbose=0, name="")
    good = MinOverPerceptron(rho=1.0).fit(X, y)
    for epoch in range(1, 17):
        weights = -learner.patterns.augmented(good.coef_[0], good.intercept_[0])
        learner.restart(-weights if epoch == 11 else weights, np.zeros(150))
        monitor.observe(Seen(1.0, 0.0 if epoch == 11 else 150.0, -1.0), satisfied=False)
    assert monitor.best.lower.errors == 0
    assert monitor._rows[10][-1]


def test_the_warning_speaks_of_the_boundary_that_is_kept():
    told = 0
    for seed in range(300):
        X, y = make_blobs(30, centers=[[0, 0], [3, 3]], cluster_std=0.8, random_state=seed)
        model = DynamicMarginPerceptron(0.001, max_iter=1, active_set=False, random_state=0)
        with pytest.warns(ConvergenceWarning) as caught:
            model.fit(X, y)
        errors = int(np.sum(model.predict(X) != y))
        told += f"It has {errors} of 30 patterns on the wrong side" in str(caught[0].message)
    assert told == 300


def test_estimates_of_a_fixed_length_from_a_start(iris):
    X, y = iris
    model = FixedMarginPerceptron(0.3, length="fixed", shuffle=False, max_iter=50)
    history = quietly(model, X, y, [1.0, 2.0, 3.0, -4.0], 2.0).history_
    truth = MinOverPerceptron().fit(X, y).certificate_
    assert (history["upper"] >= truth.lower).all()
    # An estimate and the certificate of the next power of two are not far apart.
    assert (history["upper"][2:] <= 1.5 * history["upper"][1]).all()


def test_remembered_scores_are_not_believed_at_the_end(iris):
    X, y = iris
    patterns = Patterns.build(X, np.where(y, 1, -1), 1.0)
    learner = Learner(patterns)
    rule = rules.MinOver(1.0)
    learner.worst_first(rule)
    learner._scores = np.full(patterns.count, 2.0)  # as if rounding had lifted them all
    seen = learner.worst_first(rule)
    np.testing.assert_array_equal(learner._scores, patterns.scores(learner.weights))
    assert rule.satisfied(seen) == bool(learner._scores.min() >= 1.0)


def test_the_monitor_tells_starts_of_their_own_from_combinations(iris):
    X, y = iris
    patterns = Patterns.build(X, np.where(y, 1, -1), 1.0)
    alpha = np.linspace(0.0, 1.0, patterns.count)
    weights = patterns.combine(alpha * patterns.labels)
    combination = Learner(patterns, weights=weights, alpha=alpha)
    own = Learner(patterns, weights=weights + 0.5, alpha=alpha)
    assert combination.state.anchor == 0.0
    assert own.state.anchor == pytest.approx(0.5 * np.sqrt(5.0))
    for learner in (combination, own):
        monitor = Monitor(learner, max_iter=10, tol=None, verbose=0, name="")
        monitor.observe(learner.one_by_one(rules.StandardMargin(1.0)), satisfied=False)
        upper = monitor._rows[-1][3]
        assert upper == pytest.approx(monitor.upper.margin, rel=1e-9)
