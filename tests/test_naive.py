"""The slow references do what the papers promise, on small separable problems."""

import math
from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVC

import naive


def problem(seed, n=16, d=3):
    """Integer patterns on the two sides of an integer hyperplane, not around the origin."""
    rng = np.random.default_rng(seed)
    while True:
        u, c = rng.integers(-3, 4, d), rng.integers(-6, 7)
        X = rng.integers(-4, 9, (3 * n, d)).astype(float)
        X = X[np.abs(X @ u + c) >= 2][:n]
        y = np.where(X @ u + c > 0, 1, -1)
        if len(X) == n and min(np.sum(y > 0), np.sum(y < 0)) >= 2:
            return X, y


def patterns(seed, n=16, d=3, rho=2.0):
    return naive.reflect(*problem(seed, n, d), rho)


def smallest_margin(Y, a):
    return np.min(Y @ a) / np.linalg.norm(a)


def half(seed):
    """A margin to ask for: half the best."""
    return naive.polytope_margin(patterns(seed))[0] / 2


SEEDS = range(6)
ADDITIVE = {
    "perceptron": lambda Y, m, **kw: naive.perceptron(Y, **kw),
    "margin perceptron": lambda Y, m, **kw: naive.perceptron(Y, margin=5.0, **kw),
    "inverse schedule": lambda Y, m, **kw: naive.perceptron(Y, schedule=lambda t: 1 / t, **kw),
    "normalised": lambda Y, m, **kw: naive.normalised_perceptron(Y, margin=m, **kw),
    "batch": lambda Y, m, **kw: naive.batch_perceptron(Y, **kw),
    "relaxation": lambda Y, m, **kw: naive.relaxation(Y, **kw),
    "batch relaxation": lambda Y, m, **kw: naive.relaxation(Y, relaxation=0.1, batch=True, **kw),
    "relaxation to a target": lambda Y, m, **kw: naive.relaxation(Y, target=2.0, **kw),
    "batch to a target": lambda Y, m, **kw: naive.relaxation(
        Y, target=2.0, relaxation=0.1, batch=True, **kw
    ),
    "fixed margin": lambda Y, m, **kw: naive.fixed_margin(Y, margin=m, **kw),
    "projected": lambda Y, m, **kw: naive.fixed_margin(Y, margin=m, step="projected", **kw),
    "fixed length": lambda Y, m, **kw: naive.fixed_margin(
        Y, margin=m, length="fixed", learning_rate="optimal", **kw
    ),
    "fixed length, projected": lambda Y, m, **kw: naive.fixed_margin(
        Y, margin=m, length="fixed", step="projected", learning_rate="optimal", **kw
    ),
    "bolzano": lambda Y, m, **kw: naive.bolzano(Y, precision=0.01, **kw),
    "bolzano 2": lambda Y, m, **kw: naive.bolzano(Y, variant=2, precision=0.01, **kw),
    "min-over": lambda Y, m, **kw: naive.min_over(Y, target=5.0, **kw),
    "dynamic margin": lambda Y, m, **kw: naive.dynamic_margin(Y, **kw),
}


@pytest.mark.parametrize("from_start", [False, True])
@pytest.mark.parametrize("name", ADDITIVE)
def test_every_algorithm_separates_and_keeps_its_books(name, from_start):
    for seed in SEEDS:
        Y = patterns(seed)
        start = np.array([-1.0, 4.0, 2.0, -3.0]) if from_start else None
        trace = ADDITIVE[name](Y, half(seed), start=start, max_epochs=20_000)
        assert trace.converged
        assert np.min(Y @ trace.a) > 0
        np.testing.assert_allclose(trace.a, trace.start + trace.alpha @ Y, atol=1e-9)
        assert np.all(trace.alpha >= 0)
        if "bolzano" in name:
            continue  # the books are those of the best round
        np.testing.assert_array_equal(trace.path[-1], trace.a)
        if "batch" not in name:
            assert len(trace.path) == len(trace.updates) + 1
        if "length" not in name:
            steps = np.zeros(len(Y))
            for k, step in trace.updates:
                steps[k] += step
            np.testing.assert_allclose(steps, trace.alpha, atol=1e-9)
            np.testing.assert_array_equal(trace.path[0], np.zeros(4) if start is None else start)


@pytest.mark.parametrize("name", ADDITIVE)
def test_out_of_epochs_is_not_converged(name):
    Y = np.array([[1.0, 0.2], [-1.0, 0.2], [0.5, 0.3]])  # gamma_d = 0.2
    trace = ADDITIVE[name](Y, 0.19, max_epochs=1)
    assert trace.epochs == 1
    assert not trace.converged


@pytest.mark.parametrize("name", [n for n in ADDITIVE if "bolzano" not in n])
def test_nothing_separates_opposite_patterns(name):
    Y = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    assert not ADDITIVE[name](Y, 0.1, max_epochs=50).converged


def test_reflect():
    np.testing.assert_array_equal(
        naive.reflect([[1, 2], [3, 4]], [1, -1], 5), [[1, 2, 5], [-3, -4, -5]]
    )
    np.testing.assert_array_equal(
        naive.reflect([[1, 2], [3, 4]], [1, -1], None), [[1, 2], [-3, -4]]
    )


def test_perceptron_by_hand():
    Y = np.array([[1.0, 1.0], [-2.0, 1.0], [0.0, 1.0]])
    trace = naive.perceptron(Y)
    # a = (0,0): y_0 wrong, (1,1): y_1 wrong, (-1,2): y_2 right; all right in the second epoch.
    assert trace.updates == [(0, 1.0), (1, 1.0)]
    np.testing.assert_array_equal(trace.path, [[0, 0], [1, 1], [-1, 2]])
    assert (trace.epochs, trace.converged) == (2, True)
    np.testing.assert_array_equal(trace.alpha, [1, 1, 0])


@pytest.mark.parametrize(
    ("algorithm", "epochs"), [(naive.perceptron, 2), (naive.batch_perceptron, 2)]
)
def test_equality_counts_as_an_error(algorithm, epochs):
    # Orthonormal patterns: y.a is 0 until the pattern itself is added, and then never wrong.
    trace = algorithm(np.eye(5))
    assert [k for k, _ in trace.updates] == [0, 1, 2, 3, 4]
    assert trace.epochs == epochs


def test_equality_with_a_margin_counts_as_an_error():
    for batch in (False, True):  # from y.a = b to b_u
        trace = naive.relaxation(np.eye(1), 1.0, target=3.0, batch=batch, start=[1.0])
        assert trace.updates == [(0, 2.0)]
    assert len(naive.perceptron(np.eye(1), margin=2.0).updates) == 3
    assert len(naive.normalised_perceptron(2 * np.eye(1), margin=2.0, max_epochs=9).updates) == 9
    assert len(naive.dynamic_margin(np.eye(1), epsilon=0.0, max_epochs=9).updates) == 9
    assert len(naive.dynamic_margin(np.eye(1), epsilon=0.5).updates) == 1
    assert len(naive.min_over(np.eye(1), target=3.0).updates) == 3  # the one with <, not <=


@pytest.mark.parametrize("seed", SEEDS)
def test_scaling_the_learning_rate_changes_no_update(seed):
    Y, beta = patterns(seed), half(seed)
    for algorithm in (naive.perceptron, partial(naive.normalised_perceptron, margin=beta)):
        one, eight = algorithm(Y), algorithm(Y, learning_rate=8.0)
        assert [(k, 8 * step) for k, step in one.updates] == eight.updates


@pytest.mark.parametrize("seed", SEEDS)
def test_normalised_perceptron_is_fixed_margin(seed):
    Y, beta = patterns(seed), half(seed)
    one, other = naive.normalised_perceptron(Y, beta), naive.fixed_margin(Y, beta)
    assert one.updates == other.updates
    np.testing.assert_array_equal(one.a, other.a)
    assert naive.fixed_margin(Y, beta, learning_rate="optimal").updates == one.updates


@pytest.mark.parametrize("seed", SEEDS)
def test_schedule_counts_updates_from_one(seed):
    Y = patterns(seed)
    trace = naive.perceptron(Y, learning_rate=3.0, schedule=lambda t: 1 / t)
    assert [step for _, step in trace.updates] == [
        3 * (1 / (t + 1)) for t in range(len(trace.updates))
    ]
    trace = naive.normalised_perceptron(Y, half(seed), schedule=lambda t: t)
    assert [step for _, step in trace.updates] == list(range(1, len(trace.updates) + 1))
    batch = naive.batch_perceptron(Y, schedule=lambda t: 1 / t)
    steps = [step for _, step in batch.updates]
    assert steps == sorted(steps, reverse=True)
    assert set(steps) == {1 / k for k in range(1, len(batch.path))}


@pytest.mark.parametrize("seed", SEEDS)
def test_margins_promised_are_held(seed):
    Y = patterns(seed)
    gamma = naive.polytope_margin(Y)[0]
    q = np.sum(Y * Y, axis=1)
    R2 = np.max(q)

    trace = naive.perceptron(Y, margin=100.0, max_epochs=20_000)
    assert np.min(Y @ trace.a) > 100
    assert smallest_margin(Y, trace.a) > gamma / (2 + R2 / 100)  # S1 (2.21)
    assert len(trace.updates) <= (R2 + 200) / gamma**2  # S1 (2.11)

    for step in ("unit", "projected"):
        for length in ("free", "fixed"):
            trace = naive.fixed_margin(
                Y, 0.8 * gamma, length, step, learning_rate="optimal", max_epochs=20_000
            )
            assert smallest_margin(Y, trace.a) > 0.8 * gamma
            if length == "fixed":
                np.testing.assert_allclose([np.linalg.norm(a) for a in trace.path], 0.8 * gamma)

    assert np.min(Y @ naive.relaxation(Y, 1.0, 1.5).a) > 1.0
    trace = naive.relaxation(Y, 1.0, 1.5, relaxation=1.9, max_epochs=20_000)
    bound = R2**2 * 1.5**2 / (1.9 * 0.1 * 0.5**2 * np.min(q) * gamma**2)
    assert len(trace.updates) <= bound  # S1 (2.29)

    for eps in (0.5, 0.1, 0.02):
        trace = naive.dynamic_margin(Y, epsilon=eps, max_epochs=20_000)
        upper = np.linalg.norm(trace.a) / len(trace.updates)
        assert upper >= gamma * (1 - 1e-12)
        assert smallest_margin(Y, trace.a) > (1 - eps) * upper

    for multipliers in (None, np.arange(len(Y)) / 4):
        trace = naive.min_over(Y, 20.0, multipliers, max_epochs=20_000)
        assert np.min(Y @ trace.a) >= 20.0
        assert smallest_margin(Y, trace.a) >= gamma / trace.A
        assert trace.epochs == len(trace.updates) + 1


def test_min_over_by_hand():
    Y = np.array([[2.0, 0.0], [1.0, 1.0]])
    trace = naive.min_over(Y, 1.5, [0.5, 1.0])
    # x = 4, w_0 = (2, 1), y.w = (4, 3): nothing to do.
    np.testing.assert_array_equal(trace.path, [[2, 1]])
    assert (trace.updates, trace.A) == ([], pytest.approx(5 / (1.5 * 1.5)))
    trace = naive.min_over(Y, 3.5, [0.5, 1.0])
    np.testing.assert_array_equal(trace.path, [[2, 1], [2.25, 1.25]])
    np.testing.assert_array_equal(trace.alpha, [0.5, 1.25])
    assert pytest.approx((2.25**2 + 1.25**2) / (3.5 * (1 / 4 + 1.5))) == trace.A
    assert naive.min_over(Y, 50.0, max_epochs=3).A == math.inf


def test_relaxation_lands_on_its_target():
    Y = np.array([[2.0, 0.0], [1.0, 1.0]])
    trace = naive.relaxation(Y, margin=1.0)
    np.testing.assert_array_equal(trace.path, [[0, 0], [0.5, 0], [0.75, 0.25]])
    assert trace.converged  # min y.a > 0, though y_1.a = b
    assert trace.epochs == 2  # the scores of the first were of weights on their way
    trace = naive.relaxation(Y, margin=1.0, target=1.0, batch=True)
    np.testing.assert_array_equal(trace.path, [[0, 0], [1, 0.5]])
    assert trace.epochs == 2
    with pytest.raises(ValueError, match="target"):
        naive.relaxation(Y, margin=1.0, target=0.5)


@pytest.mark.parametrize("batch", [False, True])
def test_relaxation_without_a_target_is_content_with_separation(batch):
    trace = naive.relaxation(np.eye(1), 1.0, relaxation=0.5, batch=batch)
    # A batch leaves a = 0.5 as it is. One by one, the second pass sees 0.5, corrects it, and ends.
    np.testing.assert_array_equal(trace.path, [[0], [0.5]] if batch else [[0], [0.5], [0.75]])
    assert (trace.converged, trace.epochs) == (True, 2)


@pytest.mark.parametrize("batch", [False, True])
def test_relaxation_leaves_zero_patterns_alone(batch):
    Y = np.array([[0.0, 0.0], [1.0, 1.0]])
    for target in (None, 2.0):
        trace = naive.relaxation(Y, 1.0, target, batch=batch, max_epochs=5)
        assert not trace.converged
        assert [k for k, _ in trace.updates] == [1]


def test_fixed_margin_refuses_what_no_pattern_can_have():
    Y = np.array([[3.0, 4.0], [0.0, 6.0]])
    with pytest.raises(ValueError, match="shortest"):
        naive.fixed_margin(Y, 5.0)
    with pytest.raises(ValueError, match="positive"):
        naive.fixed_margin(Y, 0.0, length="fixed")


def test_projected_step_by_hand():
    Y = np.array([[2.0, 0.0], [-1.0, 2.0]])
    trace = naive.fixed_margin(Y, 0.5, step="projected", max_epochs=1)
    # y_0: f = 1; then u = (1, 0), u.y_1 = -1, f = 1 + 0.5/5.
    assert trace.updates == [(0, 1.0), (1, pytest.approx(1.1))]


def test_fixed_length_by_hand(monkeypatch):
    def remember(*arguments):
        seen.append(arguments)
        return original(*arguments)

    seen, original = [], naive.fixed_length_rates
    monkeypatch.setattr(naive, "fixed_length_rates", remember)
    Y = np.array([[3.0, 4.0], [4.0, 3.0]])
    for step, f_min, f_max, f in (
        ("unit", 1, 1, 1),
        ("projected", 1 - 0.98**2, 1.98, 1 - 4.9 * 4.8 / 25),
    ):
        trace = naive.fixed_margin(
            Y, 4.9, length="fixed", step=step, learning_rate="optimal", max_epochs=1
        )
        np.testing.assert_allclose(trace.path[0], 4.9 * np.array([0.6, 0.8]))
        eta = 0.1 * 4.9 / 25 / (1 + 9.8 / 5) / f_max  # u.y_0 = 5, and u.y_1 = 4.8 is too little
        assert trace.updates == [(1, pytest.approx(eta * f))]
        assert seen.pop() == ("optimal", 4.9, 5, 5, pytest.approx(f_min), pytest.approx(f_max))
        np.testing.assert_allclose(
            trace.alpha, np.array([0.98, eta * f]) * 4.9 / np.linalg.norm([0.98, eta * f] @ Y)
        )


def test_optimal_learning_rate_tightens_its_guess():
    beta, r, R = 0.5, 1.0, 2.0
    rates = naive.fixed_length_rates("optimal", beta, r, R, 1.0, 1.0)
    seen = [next(rates) for _ in range(1000)]
    first = 0.5 * 0.5 / 4 / (1 + 0.5)  # S1 (2.57) at g = r
    allowed = math.floor(2 * 4 / 0.25 * 1.5 / (1 - 0.5 / 2 / 1.5**2))  # S1 (2.58) at g = r
    assert seen[0] == seen[allowed - 1] == pytest.approx(first)
    assert seen[allowed] == pytest.approx(first / 2)
    assert set(np.diff(np.nonzero(np.diff(seen))[0])) <= {
        math.floor(2 * 4 / 0.0625 * 1.5 / (1 - 0.25 / 2 / 1.5**2)),
        math.floor(2 * 4 / 0.015625 * 1.5 / (1 - 0.125 / 2 / 1.5**2)),
    }


def test_bolzano_by_hand():
    # gamma_d = sqrt(2). Round 1 takes (0, 0) to (2, 2), checked in a second pass. Round 2 is
    # refuted after one pass, (4, 4) with alpha = (2, 2). Round 3 finds nothing to correct.
    trace = naive.bolzano(2 * np.eye(2), precision=0.0625)
    assert trace.rounds == [(1.0, True), (1.5, False), (1.25, True)]
    assert [k for k, _ in trace.updates] == [0, 1, 0, 1]
    assert (trace.epochs, trace.best_margin, trace.converged) == (4, 1.25, True)
    np.testing.assert_array_equal(trace.path, [[0, 0], [2, 0], [2, 2], [4, 2], [4, 4]])
    np.testing.assert_array_equal(trace.a, [2, 2])
    np.testing.assert_array_equal(trace.alpha, [1, 1])


def test_bolzano_knows_a_hopeless_round():
    # The mean is (1, 0, 0, 0), so gamma_d = 1 = beta, which one pass proves by equality.
    Y = np.array([[1, 1, 1, 1], [1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], dtype=float)
    trace = naive.bolzano(Y, precision=0.25)
    assert (trace.rounds, trace.epochs) == ([(1.0, False)], 1)
    np.testing.assert_array_equal(trace.path[-1], [4, 0, 0, 0])
    np.testing.assert_array_equal(trace.a, np.zeros(4))


def test_second_variant_by_hand():
    # One pass for each module: the first is undecided at (2, 2), the second finds it good.
    trace = naive.bolzano(2 * np.eye(2), variant=2, precision=0.0625, max_checks=2)
    assert trace.rounds == [(1.0, False), (0.5, True), (0.75, True)]
    assert (trace.epochs, trace.best_margin, trace.converged) == (2, 1.0, True)
    np.testing.assert_array_equal(trace.a, [2, 2])


@pytest.mark.parametrize("variant", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_bolzano_brackets_the_best_margin(seed, variant):
    Y = patterns(seed)
    gamma = naive.polytope_margin(Y)[0]
    r = np.sqrt(np.min(np.sum(Y * Y, axis=1)))
    trace = naive.bolzano(Y, variant, precision=0.02, max_checks=5000, max_epochs=100_000)
    assert trace.converged
    step = r / 2
    for beta, success in trace.rounds:
        assert success == (beta < gamma)
        assert abs(beta - gamma) <= step
        step /= 2
    assert len(trace.rounds) == 5  # r/2 -> r/64
    assert gamma - r * 0.04 <= trace.best_margin < gamma
    assert smallest_margin(Y, trace.a) > trace.best_margin


@pytest.mark.parametrize("max_checks", [2, 5, 30])
@pytest.mark.parametrize("variant", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_bolzano_on_a_budget(seed, variant, max_checks):
    Y = patterns(seed)
    trace = naive.bolzano(Y, variant, precision=0.01, max_checks=max_checks)
    assert trace.converged
    assert trace.epochs <= max_checks * len(trace.rounds)
    held = [beta for beta, success in trace.rounds if success]
    assert trace.best_margin >= max(held, default=0.0)
    if trace.best_margin > 0:
        assert smallest_margin(Y, trace.a) > trace.best_margin


def test_second_variant_uses_failed_rounds():
    beyond = 0  # a second module that beats every successful round
    for seed in range(40):
        trace = naive.bolzano(patterns(seed), variant=2, precision=0.01, max_checks=10)
        held = [beta for beta, success in trace.rounds if success]
        beyond += trace.best_margin > max(held, default=0.0)
    assert beyond > 3


def test_recenter():
    for seed in SEEDS:
        X, y = problem(seed)
        a = naive.dynamic_margin(naive.reflect(X, y, 3.0), max_epochs=20_000).a
        w, b = naive.recenter(a, naive.reflect(X, y, 3.0), y, 3.0)
        p = y * (X @ w + b)
        assert np.min(p[y > 0]) == pytest.approx(1)
        assert np.min(p[y < 0]) == pytest.approx(1)
        assert 1 / np.linalg.norm(w) <= naive.geometric_margin(X, y)[0] * (1 + 1e-12)
        with pytest.raises(ValueError, match="separate"):
            naive.recenter(-a, naive.reflect(X, y, 3.0), y, 3.0)
        with pytest.raises(ValueError, match="separate"):
            naive.recenter(0 * a, naive.reflect(X, y, 3.0), y, 3.0)


@pytest.mark.parametrize("seed", SEEDS)
def test_balanced_winnow(seed):
    Y = patterns(seed) / 6
    trace = naive.balanced_winnow(Y, promotion=1.5)
    assert trace.converged
    assert np.min(Y @ trace.a) > 0
    np.testing.assert_allclose(trace.a, 2 * np.sinh(math.log(1.5) * trace.alpha @ Y))
    assert trace.updates[0] == (0, 1.0)  # sign(0) is an error


def nearest_point(P):
    """The minimum-norm point of the hull, by a general-purpose optimiser."""
    best = minimize(
        lambda m: np.sum((m @ P) ** 2),
        np.full(len(P), 1 / len(P)),
        jac=lambda m: 2 * P @ (m @ P),
        method="SLSQP",
        bounds=[(0, 1)] * len(P),
        constraints={"type": "eq", "fun": lambda m: np.sum(m) - 1},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return np.linalg.norm(best.x @ P)


@pytest.mark.parametrize("seed", range(12))
def test_polytope_margin_is_the_best_directional_margin(seed):
    Y = patterns(seed, n=10, d=1 + seed % 4)
    gamma, u, lam = naive.polytope_margin(Y)
    assert np.linalg.norm(u) == pytest.approx(1)
    assert np.min(Y @ u) == pytest.approx(gamma)
    assert np.linalg.norm(lam @ Y) == pytest.approx(gamma)
    assert np.min(lam) >= 0
    assert np.sum(lam) == pytest.approx(1)
    assert nearest_point(Y) == pytest.approx(gamma, rel=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_geometric_margin_is_that_of_a_support_vector_machine(seed):
    X, y = problem(seed, n=10, d=1 + seed % 4)
    gamma, w, b = naive.geometric_margin(X, y)
    assert np.linalg.norm(w) == pytest.approx(1)
    assert np.min(y * (X @ w + b)) == pytest.approx(gamma)
    pairs = np.array([p - q for p in X[y > 0] for q in X[y < 0]])
    assert nearest_point(pairs) / 2 == pytest.approx(gamma, rel=1e-5)
    svc = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
    size = np.linalg.norm(svc.coef_)
    assert 1 / size == pytest.approx(gamma, rel=1e-4)
    np.testing.assert_allclose(svc.coef_[0] / size, w, atol=1e-3)
    for rho in (1.0, 10.0):  # S1 (2.67)
        directional = naive.polytope_margin(naive.reflect(X, y, rho))[0]
        R = math.sqrt(rho**2 + np.max(np.sum(X * X, axis=1)))
        assert directional <= gamma * (1 + 1e-12)
        assert gamma <= R / rho * directional * (1 + 1e-12)


def test_no_margin_where_nothing_separates():
    X, y = np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [0.0, 3.0]]), np.array([1, 1, -1, -1])
    assert naive.polytope_margin(naive.reflect(X, y, 1.0))[0] == 0
    assert naive.geometric_margin(X, y)[0] == 0
    assert naive.polytope_margin(np.zeros((3, 2)))[0] == 0
