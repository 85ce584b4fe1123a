"""The theory's functions: their values, and how they hang together."""

import itertools
import math

import numpy as np
import pytest
from scipy import sparse

from maxmargin import theory

# Problems for relations between bounds: R, gamma, beta, b, eta, f_min, f_max.
PROBLEMS = list(
    itertools.product(
        (1.0, 7.5), (0.04, 0.6), (0.1, 0.7), (0.5, 20.0), (0.01, 3.0), (1.0, 0.4), (1.0, 2.0)
    )
)


# --- values computed by hand -------------------------------------------------

VALUES = [
    (theory.novikoff_updates, {"R": 3, "gamma": 1, "theta_norm": 2}, 36),
    (theory.geometric_margin, {"gamma": -1, "theta_norm": 4}, -0.25),
    (
        theory.standard_margin_norm_bounds,
        {"R": 2, "gamma": 1, "t": 4, "b": 3, "eta": 0.5, "f_min": 1, "f_max": 2},
        (2, math.sqrt(40)),
    ),
    (
        theory.standard_margin_updates,
        {"R": 2, "gamma": 0.5, "b": 3, "eta": 0.5, "f_min": 0.5, "f_max": 2},
        16 * 16 + 2 * 4 * 4 * 3 * 4,
    ),
    (
        theory.stepwise_onset_standard,
        {"R": 2, "gamma": 0.5, "b": 3, "eta": 0.5, "f_min": 0.5, "f_max": 2},
        2 * 15 + 4 * 3 * 4,
    ),
    (
        theory.standard_margin_updates_floor,
        {"R": 2, "gamma": 0.5, "b": 3, "eta": 0.5, "f_min": 0.5, "f_max": 2},
        8 * 78,
    ),
    (
        theory.standard_margin_norm_ceiling,
        {"R": 2, "gamma": 0.5, "b": 3, "eta": 0.5, "f_min": 0.5, "f_max": 2},
        4 * (4 + 6) / 0.5,
    ),
    (
        theory.standard_margin_guarantee,
        {"R": 2, "gamma": 0.5, "b": 3, "eta": 0.5, "f_min": 0.5, "f_max": 2},
        0.125 / (2 + 4 / 3),
    ),
    (theory.relaxation_step_floor, {"R": 2, "b_u": 3, "b": 1}, 0.5),
    (
        theory.relaxation_norm_bounds,
        {"R": 2, "r": 1, "gamma": 0.5, "b_u": 3, "t": 12, "b": 1, "eta": 0.5},
        (1.5, 6),
    ),
    (
        theory.relaxation_updates,
        {"R": 2, "r": 1, "gamma": 0.5, "b_u": 3, "b": 1, "eta": 0.5},
        144 / 0.75,
    ),
    (
        theory.stepwise_onset_free_length,
        {"R": 2, "gamma": 0.5, "beta": 0.125, "f_min": 0.5, "f_max": 1},
        20,
    ),
    (
        theory.free_length_norm_ceiling,
        {"R": 2, "gamma": 0.5, "beta": 0.25, "t": 3, "N": 2, "eta": 3, "f_min": 0.5, "f_max": 1},
        3 * (4 + 0.25 + 8 * 0.5),
    ),
    (theory.margin_ratio_product, {"R": 2, "gamma": 1, "f_min": 0.5, "f_max": 1}, 3 / 16),
    (theory.free_length_optimal_start, {"R": 2, "gamma": 0.5, "beta": 1, "f_max": 1.5}, 7),
    (
        theory.fixed_length_critical_rate,
        {"R": 2, "gamma": 1, "beta": 0.5, "f_max": 2},
        0.25 / 3,
    ),
    (
        theory.fixed_length_updates_at_rate,
        {"R": 1, "gamma": 0.75, "beta": 0.25, "eta": 0.025, "f_min": 0.5, "f_max": 2},
        4 / (0.1 - 0.75 * 0.04 - 0.5 * 0.008),
    ),
    (
        theory.fixed_length_optimal_rate,
        {"R": 2, "gamma": 1.5, "beta": 0.5, "f_max": 2},
        0.5 / 4 / 1.5 / 2,
    ),
    (
        theory.fixed_length_updates,
        {"R": 2, "gamma": 1.5, "beta": 0.5, "f_min": 0.5, "f_max": 1},
        4 * 4 * 1.5 / (1 - 0.5 / 2.25),
    ),
    (theory.intercept_ratio_ceiling, {"rho": 2, "R_x": 5}, 2.5),
    (theory.directional_margin, {"gamma_geom": -2, "w_norm": 3, "a_norm": 5}, -1.2),
    (theory.geometric_margin_floor, {"gamma": 0.3}, 0.3),
    (theory.augmented_norm_ceiling, {"R": 5, "rho": 3, "w_norm": 6}, 10),
    (theory.augmented_radius, {"rho": 0, "R_x": 4}, 4),
    (theory.geometric_margin_ceiling, {"R": 5, "gamma": 3, "rho": 3}, 5),
    (theory.optimum_directional_margin_floor, {"R": 5, "gamma_geom": 5, "rho": 3}, 3),
    (theory.optimal_geometric_margin_interval, {"R": 5, "gamma_d": 3, "rho": 3}, (3, 5)),
    (theory.augmentation_for_tolerance, {"R_x": 4, "tolerance": 2 / 3}, 3),
    (theory.min_over_norm_ceiling, {"x": 4, "c": 1.5, "M": 7, "w0_norm": 3}, 4),
    (theory.min_over_updates, {"x": 4, "c": 1.5, "delta": 0.5, "w0_norm": 3}, 640),
    (theory.min_over_factor, {"x": 0.25, "c": 2, "w_norm": 6, "M": 2, "Lam": 1}, 2),
    (
        theory.min_over_guarantee,
        {"x": 0.25, "c": 2, "delta": 0.5, "w_norm": 6, "M": 2, "Lam": 1},
        (1 / 3, 0.25),
    ),
    (theory.min_over_factor_ceiling, {"x": 4, "c": 2, "M": 8, "w0_norm": 4}, 6.5),
    (theory.min_over_orthogonal_ceiling, {"x": 4, "t": 28, "k0_norm": 3}, 4),
    (
        theory.min_over_projection_ceiling,
        {"x": 4, "c": 2, "delta": 1, "M": 14, "k0_norm": 3},
        4.75,
    ),
    (
        theory.min_over_final_norm_ceiling,
        {"x": 4, "c": 2, "delta": 1, "M": 28, "k0_norm": 3},
        2 * (1 + math.sqrt(63) / 2 + 0.25) + 4,
    ),
    (theory.directional_margin_ceiling, {"a_norm": 3, "t": 4}, 0.75),
    (theory.monomials, {"n_features": 24, "degree": 2}, 325),
    (theory.separable_dichotomies, {"n_patterns": 5, "n_features": 2}, 22),
    (theory.separable_dichotomies, {"n_patterns": 3, "n_features": 2, "intercept": False}, 6),
    (theory.separable_fraction, {"n_patterns": 4, "n_features": 2}, 14 / 16),
]


@pytest.mark.parametrize(
    ("function", "arguments", "value"), VALUES, ids=[row[0].__name__ for row in VALUES]
)
def test_value(function, arguments, value):
    assert function(**arguments) == pytest.approx(value, rel=1e-13)


def test_counts_are_integers():
    assert isinstance(theory.free_length_optimal_start(1.0, 0.1, 0.05), int)
    assert isinstance(theory.monomials(3, 2), int)
    assert isinstance(theory.separable_dichotomies(9, 2), int)


# --- relations between bounds ------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS)
def test_standard_margin_relations(problem):
    R, ratio, _, b, eta, low, high = problem
    arguments = {"R": R, "gamma": ratio * R, "b": b, "eta": eta, "f_min": low, "f_max": high}
    updates = theory.standard_margin_updates(**arguments)
    floor = theory.standard_margin_updates_floor(**arguments)
    assert updates - floor == pytest.approx((high / low) ** 2, abs=1e-9 * updates)
    # The bounds of (2.10) meet at t_N, and their common value there is (2.20).
    lower, upper = theory.standard_margin_norm_bounds(t=updates, **arguments)
    assert lower == pytest.approx(upper, rel=1e-12)
    ceiling = theory.standard_margin_norm_ceiling(**arguments)
    assert upper == pytest.approx(ceiling, rel=1e-12)
    guarantee = theory.standard_margin_guarantee(**arguments)
    assert guarantee == pytest.approx(b / ceiling, rel=1e-12)
    assert guarantee < ratio * R / 2


def test_novikoff_is_the_standard_bound_without_margin():
    assert theory.novikoff_updates(3.0, 0.7) == pytest.approx(
        theory.standard_margin_updates(3.0, 0.7), rel=1e-15
    )
    gamma_geom = theory.geometric_margin(1.4, 2.0)
    assert theory.novikoff_updates(3.0, 1.4, 2.0) == pytest.approx((3.0 / gamma_geom) ** 2)


@pytest.mark.parametrize("eta", [0.1, 1.0, 1.9])
def test_relaxation_bounds_meet_at_the_time_bound(eta):
    problem = {"R": 3.0, "r": 1.5, "gamma": 0.4, "b_u": 2.0, "b": 1.2, "eta": eta}
    t = theory.relaxation_updates(**problem)
    lower, upper = theory.relaxation_norm_bounds(t=t, **problem)
    assert lower == pytest.approx(upper, rel=1e-12)


FIXED_PROBLEMS = [
    {"R": R, "gamma": share * R, "beta": part * share * R * low / high, "f_min": low, "f_max": high}
    for R, share, part, b, eta, low, high in PROBLEMS
    if (b, eta) == (0.5, 3.0)
]


@pytest.mark.parametrize("problem", FIXED_PROBLEMS)
def test_free_length_time_bounds_are_where_the_norm_bounds_meet(problem):
    for N in (1, 5, 60):
        t = theory.free_length_updates(N=N, **problem)
        lower = problem["f_min"] * problem["gamma"] * t  # (2.7) with eta = 1
        if t > N + 1:
            assert theory.free_length_norm_ceiling(t=t, N=N, **problem) == pytest.approx(lower)
            assert theory.free_length_norm_ceiling(t=1.01 * t, N=N, **problem) < 1.01 * lower


@pytest.mark.parametrize("problem", FIXED_PROBLEMS)
def test_free_length_bounds_loosen_as_they_simplify(problem):
    simple = theory.free_length_updates_simple(**problem)
    assert simple >= theory.free_length_updates(**problem)
    N_opt = theory.free_length_optimal_start(**problem)
    if N_opt > 1:
        near = theory.free_length_updates_near_optimal(**problem)
        assert near >= theory.free_length_updates(N=N_opt - 1, **problem) * (1 - 1e-12)
    if N_opt > 2:  # a real choice, which pays
        assert near < simple
    onset = {key: problem[key] for key in ("R", "gamma", "f_min", "f_max")}
    assert 0 < theory.margin_ratio_product(**onset) <= 0.25


@pytest.mark.parametrize("problem", FIXED_PROBLEMS)
def test_simple_free_length_bound_is_the_largest_solution(problem):
    R, gamma, beta, low, high = problem.values()
    right = 0.25 * (high / low * R / gamma) ** 2 / (1 - high / low * beta / gamma)

    def left(t):
        return (t - 1) / (3 + 2 * math.log(t - 1))

    t = theory.free_length_updates_simple(**problem)
    assert left(t) == pytest.approx(right, rel=1e-9)
    assert all(left(factor * t) > right for factor in (1.001, 2, 1e3, 1e9))


def test_free_length_bounds_without_solution_are_the_first_updates():
    # gamma = R: all patterns are the same, one update is enough.
    assert theory.free_length_updates(1.0, 1.0, 0.2) == 1
    assert theory.free_length_updates(1.0, 1.0, 0.2, N=3) == 3
    assert theory.free_length_updates_simple(1.0, 1.0, 0.2) == 1


@pytest.mark.parametrize("problem", FIXED_PROBLEMS)
def test_optimal_start_minimises_the_exact_sum(problem):
    R, gamma, beta, low, high = problem.values()
    N_opt = theory.free_length_optimal_start(**problem)
    t = N_opt + 40
    starts = np.arange(1, t)
    tails = np.cumsum((1 / starts)[::-1])[::-1]  # tails[N - 1] = sum of 1/k, k = N .. t-1
    bounds = R * starts + beta * (t - starts) + 0.5 * high / low * R**2 / gamma * tails
    assert bounds[N_opt - 1] == pytest.approx(bounds.min(), rel=1e-12)


@pytest.mark.parametrize("problem", FIXED_PROBLEMS)
def test_fixed_length_relations(problem):
    rate_problem = {key: problem[key] for key in ("R", "gamma", "beta", "f_max")}
    eta = theory.fixed_length_optimal_rate(**rate_problem)
    assert eta < theory.fixed_length_critical_rate(**rate_problem)
    at_rate = theory.fixed_length_updates_at_rate(eta=eta, **problem)
    assert theory.fixed_length_updates(**problem) == pytest.approx(at_rate, rel=1e-12)
    # The minimiser of (2.56) is a root of a quadratic: smaller by a share of the order of gap.
    R, gamma, beta, _, high = problem.values()
    gap, stretch = (gamma - beta) / R, 1 + 2 * beta / R
    best = beta / (high * R) * (math.sqrt(stretch**2 + 6 * gap) - stretch) / 3
    assert (1 - 1.5 * gap / stretch**2) * eta <= best < eta
    assert theory.fixed_length_updates_at_rate(eta=best, **problem) <= at_rate
    for other in (0.99 * best, 1.01 * best):
        assert theory.fixed_length_updates_at_rate(
            eta=best, **problem
        ) < theory.fixed_length_updates_at_rate(eta=other, **problem)
    with pytest.raises(ValueError, match="eta must satisfy"):
        theory.fixed_length_updates_at_rate(eta=2 * eta, **problem)


def test_stepwise_onset_of_free_length_is_the_standard_one_without_margin():
    standard = theory.stepwise_onset_standard(2.0, 0.3, f_min=0.5, f_max=3.0)
    assert theory.stepwise_onset_free_length(2.0, 0.3, 0.0, 0.5, 3.0) == pytest.approx(standard)


@pytest.mark.parametrize("tolerance", [1e-6, 0.01, 0.5, 3.0])
def test_augmentation_for_tolerance_reaches_it(tolerance):
    rho = theory.augmentation_for_tolerance(2.0, tolerance)
    R = theory.augmented_radius(rho, 2.0)
    lower, upper = theory.optimal_geometric_margin_interval(R, 0.1, rho)
    assert upper / lower == pytest.approx(1 + tolerance, rel=1e-12)


def test_geometry_is_consistent():
    rho, R_x = 1.5, 4.0
    R = theory.augmented_radius(rho, R_x)
    w_norm = 2.0
    a_norm = math.hypot(w_norm, w_norm * theory.intercept_ratio_ceiling(rho, R_x))
    assert theory.augmented_norm_ceiling(R, rho, w_norm) == pytest.approx(a_norm)
    gamma = theory.directional_margin(0.9, w_norm, a_norm)
    assert theory.geometric_margin_floor(gamma) < 0.9
    assert theory.geometric_margin_ceiling(R, gamma, rho) == pytest.approx(0.9)
    assert theory.optimum_directional_margin_floor(R, 0.9, rho) == pytest.approx(gamma)


def test_min_over_relations():
    x, c, M, w0_norm = 3.0, 5.0, 40, 2.0
    longest = theory.min_over_norm_ceiling(x, c, M, w0_norm)
    factor = theory.min_over_factor(x, c, longest, M)
    assert theory.min_over_factor_ceiling(x, c, M, w0_norm) == pytest.approx(factor)
    assert theory.min_over_factor_ceiling(x, c, M) == pytest.approx(2 + 1 / c)
    # Weights as short as S2 (2) allows: what is promised is achieved.
    shortest = 0.3 * (M / x + 1.5)
    achieved, promised = theory.min_over_guarantee(x, c, 0.3, shortest, M, 1.5)
    assert achieved == pytest.approx(promised)
    # From a zero start (3) and the lower bound delta M / x meet at (4).
    M = theory.min_over_updates(x, c, 0.3)
    assert theory.min_over_norm_ceiling(x, c, M) == pytest.approx(0.3 * M / x)


def test_min_over_norm_tends_to_the_optimal_one():
    x, delta = 2.0, 0.3
    excess = []
    for c in (1e2, 1e4, 1e6, 1e8):
        M = theory.min_over_updates(x, c, delta)
        excess.append(theory.min_over_final_norm_ceiling(x, c, delta, M) / (c / delta) - 1)
    assert np.all(np.diff(excess) < 0)
    assert excess[-1] < 2e-3


# --- relaxation, section 5.6 of S4 -------------------------------------------


A = np.array([1.0, -2.0, 0.5])
PATTERNS = np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 2.0], [-1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
SCORES = [0.0, 0.0, 0.0, -6.0]


def test_criteria_by_hand():
    Y = np.vstack([PATTERNS, [[3.0, 0.0, 0.0], [0.0, 0.5, 0.0]]])  # scores 3 and -1
    assert theory.perceptron_criterion(A, Y) == 7.0
    assert theory.squared_criterion(A, Y) == 37.0
    expected = 0.5 * (1 / 5 + 1 / 6 + 1 / 5 + 49 / 9 + 4 / 0.25)
    assert theory.relaxation_criterion(A, Y, b=1.0) == pytest.approx(expected)
    distances = [1 / math.sqrt(5), 1 / math.sqrt(6), 1 / math.sqrt(5), 7 / 3, -2 / 3, 4.0]
    assert theory.hyperplane_distances(A, Y, b_u=1.0) == pytest.approx(distances)


def test_relaxation_criterion_is_half_the_squared_distances():
    distances = theory.hyperplane_distances(A, PATTERNS, b_u=2.0)
    assert theory.relaxation_criterion(A, PATTERNS, b=2.0) == pytest.approx(
        0.5 * np.sum(distances**2)
    )


def test_criteria_vanish_at_solutions():
    Y = np.array([[1.0, 2.0], [3.0, -1.0]])
    assert theory.perceptron_criterion([1.0, 1.0], Y) == 0
    assert theory.squared_criterion([1.0, 1.0], Y) == 0
    assert theory.relaxation_criterion([1.0, 1.0], Y, b=2.0) == 0
    assert theory.relaxation_criterion([1.0, 1.0], Y, b=2.5) > 0


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, np.ndarray.tolist])
def test_criteria_take_sparse_patterns_and_lists(kind):
    Y = kind(PATTERNS)
    assert theory.perceptron_criterion(A, Y) == theory.perceptron_criterion(A, PATTERNS)
    assert theory.squared_criterion(A, Y) == theory.squared_criterion(A, PATTERNS)
    assert theory.relaxation_criterion(A, Y, 1.0) == theory.relaxation_criterion(A, PATTERNS, 1.0)
    assert theory.hyperplane_distances(A, Y, 1.0).tolist() == pytest.approx(
        theory.hyperplane_distances(A, PATTERNS, 1.0).tolist()
    )


@pytest.mark.parametrize("eta", [0.3, 1.0, 1.7])
def test_relaxation_step(eta):
    y, a_hat, b_u = PATTERNS[3], np.array([1.0, 2.0, 3.0]), 1.5
    after = A + eta * (b_u - A @ y) / (y @ y) * y
    assert theory.score_after_relaxation(A, y, b_u, eta) == pytest.approx(after @ y)
    squared = theory.squared_distance_after_relaxation(A, y, a_hat, b_u, eta)
    assert squared == pytest.approx(np.sum((after - a_hat) ** 2))
    ahead, least = theory.progress_towards_solution(A, y, a_hat, b_u)
    assert (ahead, least) == (12.0, 7.5)
    assert np.sum((A - a_hat) ** 2) - squared >= theory.relaxation_decrease(A, y, b_u, eta)
    # The decrease is exact for a solution on the pattern's hyperplane.
    on_it = a_hat + (b_u - a_hat @ y) / (y @ y) * y
    squared = theory.squared_distance_after_relaxation(A, y, on_it, b_u, eta)
    assert np.sum((A - on_it) ** 2) - squared == pytest.approx(
        theory.relaxation_decrease(A, y, b_u, eta)
    )
