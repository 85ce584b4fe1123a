"""The theory's functions refuse arguments outside their range and name what fails."""

import inspect
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse

from maxmargin import theory

STANDARD = {"R": 2.0, "gamma": 1.0, "b": 1.0}
RELAXED = {"R": 2.0, "r": 1.5, "gamma": 1.0, "b_u": 2.0, "b": 1.0}
FIXED = {"R": 2.0, "gamma": 1.0, "beta": 0.5}
SLOW = {**FIXED, "eta": 0.01}
MIN_OVER = {"x": 4.0, "c": 1.0, "delta": 0.5, "M": 10}
STEP = {"a": [0.0, 0.0], "y": [1.0, 0.0], "b_u": 1.0}
TO_SOLUTION = {**STEP, "a_hat": [2.0, 0.0]}
nan, inf = math.nan, math.inf


def outside():
    """Return a sparse matrix with an entry in a column that it does not have."""
    Y = sparse.csr_array([[1.0, 2.0]])
    Y.indices[1] = 7
    return Y


INVALID = [
    (theory.novikoff_updates, {"R": 2.0, "gamma": 1.0}, {"R": 0.0}, "R must satisfy 0 < R < inf"),
    (
        theory.novikoff_updates,
        {"R": 2.0, "gamma": 1.0},
        {"gamma": 5.0, "theta_norm": 2.0},
        r"gamma must satisfy 0 < gamma <= R theta_norm, got gamma=5.0, R=2.0, theta_norm=2.0",
    ),
    (theory.geometric_margin, {"gamma": 1.0, "theta_norm": 1.0}, {"gamma": nan}, "gamma must"),
    (
        theory.geometric_margin,
        {"gamma": 1.0, "theta_norm": 1.0},
        {"theta_norm": 0},
        "0 < theta_norm < inf, got theta_norm=0",
    ),
    *[
        (function, {**STANDARD, **more}, wrong, message)
        for function, more in [
            (theory.standard_margin_norm_bounds, {"t": 3}),
            (theory.standard_margin_updates, {}),
            (theory.stepwise_onset_standard, {}),
            (theory.standard_margin_updates_floor, {}),
            (theory.standard_margin_norm_ceiling, {}),
            (theory.standard_margin_guarantee, {}),
        ]
        for wrong, message in [
            ({"R": -2.0}, "R must satisfy 0 < R < inf, got R=-2.0"),
            ({"R": inf}, "R must satisfy 0 < R < inf, got R=inf"),
            ({"gamma": 3.0}, "gamma must satisfy 0 < gamma <= R, got gamma=3.0, R=2.0"),
            ({"gamma": nan}, "gamma must satisfy 0 < gamma <= R, got gamma=nan"),
            ({"b": -1.0}, "b must satisfy 0 <=? b < inf, got b=-1.0"),
            ({"eta": 0.0}, "eta must satisfy 0 < eta < inf, got eta=0.0"),
            ({"f_min": 0.0}, "f_min must satisfy 0 < f_min <= f_max < inf, got f_min=0.0"),
            ({"f_min": 2.0}, "f_min must satisfy .*, got f_min=2.0, f_max=1.0"),
        ]
    ],
    (theory.standard_margin_norm_bounds, {**STANDARD, "t": 3}, {"t": -1}, "0 <= t < inf"),
    (theory.standard_margin_guarantee, STANDARD, {"b": 0.0}, "b must satisfy 0 < b < inf"),
    (theory.relaxation_step_floor, {"R": 2.0, "b_u": 2.0}, {"R": 0.0}, "0 < R < inf"),
    (theory.relaxation_step_floor, {"R": 2.0, "b_u": 2.0}, {"b_u": 0.0}, "b < b_u < inf"),
    *[
        (function, {**RELAXED, **more}, wrong, message)
        for function, more in [
            (theory.relaxation_norm_bounds, {"t": 3}),
            (theory.relaxation_updates, {}),
        ]
        for wrong, message in [
            ({"R": 0.0}, "R must satisfy 0 < R < inf"),
            ({"r": 3.0}, "r must satisfy 0 < r <= R, got r=3.0, R=2.0"),
            ({"gamma": 1.7}, "gamma must satisfy 0 < gamma <= r, got gamma=1.7, r=1.5"),
            ({"b_u": 1.0}, "b_u must satisfy b < b_u < inf, got b_u=1.0, b=1.0"),
            ({"b": -1.0}, "b must satisfy 0 <= b < inf, got b=-1.0"),
            ({"eta": 2.0}, "eta must satisfy 0 < eta < 2, got eta=2.0"),
        ]
    ],
    (theory.relaxation_norm_bounds, {**RELAXED, "t": 3}, {"t": -1}, "0 <= t < inf"),
    *[
        (function, {**FIXED, **more}, wrong, message)
        for function, more in [
            (theory.stepwise_onset_free_length, {}),
            (theory.free_length_norm_ceiling, {"t": 9}),
            (theory.free_length_updates, {}),
            (theory.free_length_updates_simple, {}),
            (theory.free_length_optimal_start, {}),
            (theory.free_length_updates_near_optimal, {}),
            (theory.fixed_length_updates_at_rate, {"eta": 0.01}),
            (theory.fixed_length_updates, {}),
        ]
        for wrong, message in [
            ({"R": 0.0}, "R must satisfy 0 < R < inf"),
            ({"gamma": 0.0}, "gamma must satisfy 0 < gamma <= R, got gamma=0.0, R=2.0"),
            ({"beta": -0.1}, "beta must satisfy 0 <=? beta .*, got beta=-0.1"),
            ({"f_min": -1.0}, "f_min must satisfy 0 < f_min <= f_max < inf"),
        ]
    ],
    *[
        (function, FIXED, {"gamma": 0.75, "f_min": 2.0, "f_max": 3.0}, message)
        for function in (
            theory.free_length_updates,
            theory.free_length_updates_simple,
            theory.free_length_updates_near_optimal,
        )
        for message in ["beta must satisfy f_max beta < f_min gamma, got beta=0.5, gamma=0.75"]
    ],
    (theory.stepwise_onset_free_length, FIXED, {"beta": 1.0}, "0 <= beta < gamma"),
    (theory.free_length_norm_ceiling, {**FIXED, "t": 9}, {"N": 0}, "N must satisfy 1 <= N < inf"),
    (theory.free_length_norm_ceiling, {**FIXED, "t": 9}, {"N": 1.5}, "N is an integer"),
    (theory.free_length_norm_ceiling, {**FIXED, "t": 9}, {"N": 9}, r"N \+ 1 <= t < inf, got t=9"),
    (theory.free_length_norm_ceiling, {**FIXED, "t": 9}, {"eta": -1}, "0 < eta < inf"),
    (theory.free_length_updates, FIXED, {"N": 0}, "N must satisfy 1 <= N < inf, got N=0"),
    (theory.margin_ratio_product, {"R": 2.0, "gamma": 1.0}, {"gamma": 3.0}, "0 < gamma <= R"),
    (theory.margin_ratio_product, {"R": 2.0, "gamma": 1.0}, {"f_max": 0.5}, "f_min <= f_max"),
    (theory.free_length_optimal_start, FIXED, {"beta": 2.0}, "0 <= beta < R, got beta=2.0, R=2.0"),
    (
        theory.free_length_updates_near_optimal,
        FIXED,
        {"gamma": 1.9, "beta": 0.1},
        "N_opt must satisfy N_opt > 1, got N_opt=1, R=2.0, gamma=1.9, beta=0.1",
    ),
    *[
        (function, arguments, wrong, message)
        for function, arguments in [
            (theory.fixed_length_critical_rate, FIXED),
            (theory.fixed_length_updates_at_rate, SLOW),
            (theory.fixed_length_optimal_rate, FIXED),
            (theory.fixed_length_updates, FIXED),
        ]
        for wrong, message in [
            ({"gamma": 2.5}, "gamma must satisfy 0 < gamma <= R"),
            ({"beta": 0.0}, "beta must satisfy 0 < beta < gamma, got beta=0.0, gamma=1.0"),
            ({"beta": 1.0}, "beta must satisfy 0 < beta < gamma, got beta=1.0, gamma=1.0"),
            ({"f_max": 0.0}, "f_min must satisfy 0 < f_min <= f_max < inf"),
        ]
    ],
    (theory.fixed_length_critical_rate, FIXED, {"gamma": 2.0}, "gamma must satisfy gamma < R"),
    (theory.fixed_length_updates_at_rate, SLOW, {"eta": 0.0}, "0 < eta < inf"),
    (
        theory.fixed_length_updates_at_rate,
        SLOW,
        {"eta": 1.0},
        r"eta must satisfy \(gamma - beta\)/R s - .* > 0 .*, got eta=1.0, R=2.0",
    ),
    (theory.intercept_ratio_ceiling, {"rho": 1.0, "R_x": 1.0}, {"rho": 0.0}, "0 < rho < inf"),
    (theory.intercept_ratio_ceiling, {"rho": 1.0, "R_x": 1.0}, {"R_x": -1.0}, "0 < R_x < inf"),
    *[
        (
            theory.directional_margin,
            {"gamma_geom": 1.0, "w_norm": 1.0, "a_norm": 2.0},
            wrong,
            message,
        )
        for wrong, message in [
            ({"gamma_geom": inf}, "gamma_geom must satisfy -inf < gamma_geom < inf"),
            ({"w_norm": 0.0}, "w_norm must satisfy 0 < w_norm <= a_norm"),
            ({"w_norm": 3.0}, "w_norm must satisfy .*, got w_norm=3.0, a_norm=2.0"),
            ({"a_norm": inf}, "a_norm must satisfy 0 < a_norm < inf"),
        ]
    ],
    (theory.geometric_margin_floor, {"gamma": 1.0}, {"gamma": 0.0}, "0 < gamma < inf"),
    *[
        (function, arguments, wrong, message)
        for function, arguments in [
            (theory.augmented_norm_ceiling, {"R": 2.0, "rho": 1.0, "w_norm": 1.0}),
            (theory.geometric_margin_ceiling, {"R": 2.0, "rho": 1.0, "gamma": 1.0}),
            (theory.optimum_directional_margin_floor, {"R": 2.0, "rho": 1.0, "gamma_geom": 1.0}),
            (theory.optimal_geometric_margin_interval, {"R": 2.0, "rho": 1.0, "gamma_d": 1.0}),
        ]
        for wrong, message in [
            ({"R": 0.0}, "R must satisfy 0 < R < inf"),
            ({"rho": 3.0}, "rho must satisfy 0 < rho <= R, got rho=3.0, R=2.0"),
            ({list(arguments)[-1]: 0.0}, f"{list(arguments)[-1]} must satisfy 0 <"),
        ]
    ],
    (theory.augmented_radius, {"rho": 1.0, "R_x": 1.0}, {"rho": -1.0}, "0 <= rho < inf"),
    (theory.augmented_radius, {"rho": 1.0, "R_x": 1.0}, {"R_x": -1.0}, "0 <= R_x < inf"),
    (
        theory.augmentation_for_tolerance,
        {"R_x": 1.0, "tolerance": 0.1},
        {"tolerance": 0},
        "tolerance must satisfy 0 < tolerance < inf",
    ),
    (theory.augmentation_for_tolerance, {"R_x": 1.0, "tolerance": 1}, {"R_x": 0}, "0 < R_x < inf"),
    *[
        (function, {key: MIN_OVER[key] for key in MIN_OVER if key in names} | more, wrong, message)
        for function, names, more in [
            (theory.min_over_norm_ceiling, "x c M", {}),
            (theory.min_over_updates, "x c delta", {}),
            (theory.min_over_factor, "x c M", {"w_norm": 3.0}),
            (theory.min_over_guarantee, "x c delta M", {"w_norm": 3.0}),
            (theory.min_over_factor_ceiling, "x c M", {}),
            (theory.min_over_orthogonal_ceiling, "x", {"t": 3}),
            (theory.min_over_projection_ceiling, "x c delta M", {}),
            (theory.min_over_final_norm_ceiling, "x c delta M", {}),
        ]
        for wrong, message in [
            ({"x": 0.0}, "x must satisfy 0 < x < inf, got x=0.0"),
            ({"c": 0.0}, "c must satisfy 0 < c < inf, got c=0.0"),
            ({"delta": 3.0}, r"delta must satisfy 0 < delta <= sqrt\(x\), got delta=3.0, x=4.0"),
            ({"M": -1}, "M must satisfy [01] <= M < inf, got M=-1"),
            ({"w_norm": 0.0}, "w_norm must satisfy 0 < w_norm < inf"),
            ({"t": -1}, "t must satisfy 0 <= t < inf"),
        ]
        if next(iter(wrong)) in f"{names} {' '.join(more)}".split()
    ],
    *[
        (function, {**MIN_OVER, **more}, {"M": 0}, "M must satisfy 1 <= M < inf, got M=0")
        for function, more in [
            (theory.min_over_guarantee, {"w_norm": 3.0}),
            (theory.min_over_projection_ceiling, {}),
            (theory.min_over_final_norm_ceiling, {}),
        ]
    ],
    (theory.min_over_factor_ceiling, {"x": 4.0, "c": 1.0, "M": 9}, {"M": 0}, "1 <= M < inf"),
    (theory.min_over_guarantee, {**MIN_OVER, "w_norm": 3.0}, {"Lam": -1}, "0 <= Lam < inf"),
    (theory.min_over_projection_ceiling, MIN_OVER, {"k0_norm": -1}, "0 <= k0_norm < inf"),
    (
        theory.min_over_updates,
        {"x": 4.0, "c": 1.0, "delta": 0.5},
        {"w0_norm": -1},
        "0 <= w0_norm < inf",
    ),
    (theory.directional_margin_ceiling, {"a_norm": 1.0, "t": 1}, {"t": 0}, "0 < t < inf"),
    (theory.directional_margin_ceiling, {"a_norm": 1.0, "t": 1}, {"a_norm": -1}, "0 <= a_norm"),
    (theory.monomials, {"n_features": 1, "degree": 1}, {"n_features": 0}, "1 <= n_features < inf"),
    (theory.monomials, {"n_features": 1, "degree": 1}, {"degree": -1}, "0 <= degree < inf"),
    (theory.monomials, {"n_features": 1, "degree": 1}, {"degree": 0.5}, "degree is an integer"),
    *[
        (
            function,
            {"n_patterns": 3, "n_features": 2},
            {name: 0},
            f"1 <= {name} < inf, got {name}=0",
        )
        for function in (theory.separable_dichotomies, theory.separable_fraction)
        for name in ("n_patterns", "n_features")
    ],
    *[
        (function, {"a": [1.0, 0.0], "Y": [[1.0, 2.0]]}, wrong, message)
        for function in (
            theory.perceptron_criterion,
            theory.squared_criterion,
            theory.relaxation_criterion,
            theory.hyperplane_distances,
        )
        for wrong, message in [
            ({"a": [[1.0, 0.0]]}, r"a must satisfy len\(a.shape\) == 1"),
            ({"a": [1.0]}, r"a must satisfy len\(a\) == Y.shape\[1\], got a=1 numbers"),
            ({"a": [nan, 0.0]}, r"a must satisfy all values finite, got .* \[nan\]"),
            ({"Y": [1.0, 2.0]}, r"Y must satisfy len\(Y.shape\) == 2"),
            ({"Y": sparse.coo_array([1.0, 2.0])}, r"Y must satisfy len\(Y.shape\) == 2"),
            ({"Y": [[1.0, nan]]}, r"Y must satisfy all values finite, got .* \[nan\]"),
            ({"Y": [[0.0, -inf]]}, r"Y must satisfy all values finite, got .* \[-inf\]"),
            ({"Y": sparse.csr_array([[1.0, inf]])}, r"Y must satisfy all values finite"),
            ({"Y": sparse.coo_array([[1.0, nan]])}, r"Y must satisfy all values finite"),
            ({"Y": outside()}, "Y must satisfy all values real numbers: .* must be < 2"),
        ]
    ],
    *[
        (function, {"a": [1.0], "Y": [[1.0]]}, wrong, message)
        for function, target in [
            (theory.relaxation_criterion, "b"),
            (theory.hyperplane_distances, "b_u"),
        ]
        for wrong, message in [
            ({"Y": [[1.0], [0.0]]}, r"Y must satisfy \|\|y\|\| > 0 for all rows y"),
            ({"Y": sparse.csr_array([[0.0], [1.0]])}, r"Y must satisfy \|\|y\|\| > 0"),
            ({target: -1.0}, f"{target} must satisfy 0 <= {target} < inf"),
            ({target: nan}, f"{target} must satisfy 0 <= {target} < inf"),
        ]
    ],
    *[
        (function, arguments, wrong, message)
        for function, arguments in [
            (theory.score_after_relaxation, STEP),
            (theory.squared_distance_after_relaxation, TO_SOLUTION),
            (theory.progress_towards_solution, TO_SOLUTION),
            (theory.relaxation_decrease, STEP),
        ]
        for wrong, message in [
            ({"y": [1.0, 2.0, 3.0]}, r"y must satisfy len\(y\) == 2"),
            ({"y": [0.0, 0.0]}, r"y must satisfy \|\|y\|\| > 0"),
            ({"y": [nan, 1.0]}, "y must satisfy all values finite"),
            ({"b_u": -1.0}, "b_u must satisfy 0 <= b_u < inf"),
            ({"a": [3.0, 0.0]}, "a must satisfy a.y <= b_u"),
        ]
    ],
    *[
        (function, arguments, {"eta": 2.0}, "eta must satisfy 0 < eta < 2, got eta=2.0")
        for function, arguments in [
            (theory.score_after_relaxation, STEP),
            (theory.squared_distance_after_relaxation, TO_SOLUTION),
            (theory.relaxation_decrease, STEP),
        ]
    ],
    (
        theory.progress_towards_solution,
        TO_SOLUTION,
        {"a_hat": [0.5, 0.0]},
        "a_hat must satisfy a_hat.y >= b_u",
    ),
]


@pytest.mark.parametrize(
    ("function", "arguments", "wrong", "message"),
    INVALID,
    ids=[f"{row[0].__name__}-{'-'.join(row[2])}" for row in INVALID],
)
def test_refuses(function, arguments, wrong, message):
    function(**arguments)  # it is the wrong value alone that is refused
    with pytest.raises(ValueError, match=message):
        function(**{**arguments, **wrong})


# --- arguments of the wrong kind ---------------------------------------------

VALID = {function: arguments for function, arguments, _, _ in INVALID}
NO_NUMBERS = ["1", b"1", None, 1j, [1.0], np.ones(1), np.ones((2, 2)), sparse.csr_array([[1.0]])]
NO_ARRAYS = ["a", None, ["1"], [None], [1j], np.array([1 + 0j]), [[1.0], [1.0, 2.0]], {1.0}]
WRONG_KINDS = {
    float: (NO_NUMBERS, "{name} is a real number"),
    int: ([*NO_NUMBERS, 1.5, 2.0, nan], "{name} is an integer"),
    bool: ([*NO_NUMBERS, 1, 1.0], "{name} is True or False"),
    npt.ArrayLike: ([*NO_ARRAYS, sparse.csr_array([[1.0]])], "all values real numbers"),
    Any: ([*NO_ARRAYS, sparse.csr_array([[1j]])], "all values real numbers"),
}


def test_refusals_are_tried_with_every_function():
    assert set(VALID) == set(theory.equations().values())


@pytest.mark.parametrize("function", VALID, ids=lambda function: function.__name__)
def test_refuses_other_kinds_of_arguments(function):
    for name, parameter in inspect.signature(function).parameters.items():
        values, condition = WRONG_KINDS[parameter.annotation]
        for value in values:
            message = f"^{name} must satisfy {condition.format(name=name)}"
            with pytest.raises(ValueError, match=message):
                function(**{**VALID[function], name: value})


def test_takes_numbers_of_any_type():
    exact = theory.novikoff_updates(3.0, 0.5)
    for three, half in [(3, 0.5), (np.int8(3), np.float32(0.5)), (np.float64(3), np.float16(0.5))]:
        value = theory.novikoff_updates(three, half)
        assert type(value) is float
        assert value == exact
    assert theory.monomials(np.int8(100), np.uint8(100)) == math.comb(200, 100)
    assert theory.separable_fraction(np.int64(70), 2, np.True_) == 2 * (1 + 69 + 69 * 34) / 2**70
    integers = theory.perceptron_criterion([1, -1], [[-2, 3], [4, 1]])
    assert integers == theory.perceptron_criterion([1.0, -1.0], [[-2.0, 3.0], [4.0, 1.0]]) == 5
