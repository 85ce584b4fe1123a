"""No magnitude of lengths, rates or margins is too extreme for a bound that is not so itself."""

import inspect
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from maxmargin import theory
from test_theory import VALUES

inf = math.inf
MARGIN = {"R": 1.0, "gamma": 0.5}
STANDARD = {**MARGIN, "b": 1.0, "eta": 1e-200, "f_min": 1e-200}
RELAXED = {"R": 1e-200, "r": 1e-200, "gamma": 1e-200}

EXTREMES = [
    (theory.novikoff_updates, {"R": 1e-300, "gamma": 1e-300}, 1),
    (theory.novikoff_updates, {"R": 1e300, "gamma": 1e-300}, inf),
    (theory.novikoff_updates, {"R": 1e300, "gamma": 1e-9, "theta_norm": 1e-308}, 100),
    (theory.standard_margin_updates, STANDARD, inf),
    (theory.stepwise_onset_standard, STANDARD, inf),
    (theory.stepwise_onset_standard, {"R": 1 + 2.0**-52, "gamma": 1.0}, 2.0**-52 + 2.0**-105),
    (theory.standard_margin_norm_bounds, {"R": 1e-200, "gamma": 1e-200, "t": 9}, (9e-200, 3e-200)),
    (theory.standard_margin_norm_ceiling, {"R": 1e-200, "gamma": 1e-200}, 1e-200),
    (theory.standard_margin_guarantee, {**MARGIN, "R": 1e200, "b": 1e300}, 0.5e-100),
    (theory.relaxation_updates, {**RELAXED, "b_u": 1.0}, 1),
    (theory.relaxation_step_floor, {"R": 1e-200, "b_u": 1.0}, inf),
    (theory.stepwise_onset_free_length, {"R": 5e-200, "gamma": 4e-200, "beta": 2e-200}, 9 / 16),
    (theory.free_length_norm_ceiling, {"R": 1e300, "gamma": 1e300, "beta": 0.0, "t": 2}, 1.5e300),
    (theory.free_length_updates, {"R": 1e200, "gamma": 1e-200, "beta": 0.0}, inf),
    (theory.free_length_updates, {**MARGIN, "beta": 0.2, "N": 10**400}, inf),
    (theory.free_length_updates_simple, {"R": 1e154, "gamma": 1.0, "beta": 0.0}, inf),
    (theory.free_length_updates_near_optimal, {"R": 1e200, "gamma": 1e-200, "beta": 0.0}, inf),
    (theory.free_length_optimal_start, {"R": 2.0**900, "gamma": 2.0**-900, "beta": 0}, 2**1799 + 1),
    (theory.fixed_length_critical_rate, {"R": 4e-200, "gamma": 2e-200, "beta": 1e-200}, 1 / 6),
    (theory.fixed_length_updates, {"R": 1.0, "gamma": 1e-170, "beta": 1e-171}, inf),
    (theory.fixed_length_updates, {"R": 1.0, "gamma": 1.0, "beta": 1e-20}, 0.4e20),
    (theory.fixed_length_optimal_rate, {"R": 1e200, "gamma": 1e200, "beta": 1e-200}, 0.0),
    (theory.augmented_radius, {"rho": 3e-320, "R_x": 4e-320}, 5e-320),
    (theory.augmented_radius, {"rho": 1.7e308, "R_x": 1.7e308}, inf),
    (theory.min_over_updates, {"x": 1e-300, "c": 1e300, "delta": 1e-150}, 2e300),
    (theory.min_over_norm_ceiling, {"x": 1.0, "c": 1.0, "M": 0, "w0_norm": 1e300}, 1e300),
    (theory.separable_fraction, {"n_patterns": 10**30, "n_features": 3}, 0.0),
]


@pytest.mark.parametrize(
    ("function", "arguments", "value"), EXTREMES, ids=[row[0].__name__ for row in EXTREMES]
)
def test_value_at_extremes(function, arguments, value):
    assert function(**arguments) == pytest.approx(value, rel=1e-14, abs=0)


def test_refuses_counts_that_no_memory_holds():
    with pytest.raises(ValueError, match=r"monomials is too large: .*, got n_features=10+, degree"):
        theory.monomials(10**30, 10**30)


# --- units -------------------------------------------------------------------

# How arguments and values change with the units of patterns and of weights: powers of the two.
UNITS = {
    **dict.fromkeys(["R", "r", "gamma", "beta", "rho", "R_x", "gamma_d"], (1, 0)),
    **dict.fromkeys(["w_norm", "a_norm", "theta_norm"], (0, 1)),
    **dict.fromkeys(["t", "tolerance", "f_min", "f_max"], (0, 0)),
    **dict.fromkeys(["b", "b_u"], (1, 1)),
    "eta": (-1, 1),
}
VALUES_IN_UNITS = {
    theory.standard_margin_norm_bounds: (0, 1),
    theory.standard_margin_updates: (0, 0),
    theory.stepwise_onset_standard: (0, 0),
    theory.standard_margin_updates_floor: (0, 0),
    theory.standard_margin_norm_ceiling: (0, 1),
    theory.standard_margin_guarantee: (1, 0),
    theory.relaxation_step_floor: (-1, 1),
    theory.stepwise_onset_free_length: (0, 0),
    theory.free_length_norm_ceiling: (0, 1),
    theory.margin_ratio_product: (0, 0),
    theory.free_length_optimal_start: (0, 0),
    theory.fixed_length_updates: (0, 0),
    theory.augmented_norm_ceiling: (0, 1),
    theory.augmented_radius: (1, 0),
    theory.geometric_margin_ceiling: (1, 0),
    theory.optimal_geometric_margin_interval: (1, 0),
    theory.augmentation_for_tolerance: (1, 0),
}


@pytest.mark.parametrize("pattern", [2.0**-400, 2.0**400])
@pytest.mark.parametrize("weight", [2.0**-500, 2.0**500])
@pytest.mark.parametrize("function", VALUES_IN_UNITS, ids=lambda function: function.__name__)
def test_units_do_not_matter(function, pattern, weight):
    """Squares of these lengths, and some products, lie outside the range of floats."""
    arguments = next(arguments for known, arguments, _ in VALUES if known is function)
    units = {name: pattern**p * weight**w for name, (p, w) in UNITS.items() if name in arguments}
    scaled = {name: value * units.get(name, 1) for name, value in arguments.items()}
    p, w = VALUES_IN_UNITS[function]
    expected = np.multiply(function(**arguments), pattern**p * weight**w)
    assert np.all(np.equal(function(**scaled), expected))


# --- rational arithmetic -----------------------------------------------------


OF_NUMBERS = [row for row in VALUES if "n_features" not in row[1]]


@pytest.mark.parametrize(
    ("function", "arguments", "value"), OF_NUMBERS, ids=[row[0].__name__ for row in OF_NUMBERS]
)
def test_no_float_slips_in_on_the_way(function, arguments, value):
    """A float among rational numbers would turn all that follow into floats."""
    kinds = inspect.signature(function).parameters
    rational = {
        name: Fraction(given) if kinds[name].annotation is float else given
        for name, given in arguments.items()
    }
    returned = function(**rational)
    for number in returned if isinstance(returned, tuple) else [returned]:
        assert isinstance(number, Fraction | int)
    assert np.array(returned, dtype=float) == pytest.approx(np.array(value), rel=1e-13)


# --- data --------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-500, 2.0**500, 2.0**900])
def test_distances_of_patterns_of_any_length(kind, scale):
    Y = np.array([[3.0, 4.0], [0.0, -1.0], [1.0, 0.0]])
    a = np.array([2.0, 1.0])
    expected = theory.hyperplane_distances(a, Y)
    assert theory.hyperplane_distances(a, kind(scale * Y)).tolist() == expected.tolist()
    assert theory.relaxation_criterion(a, kind(scale * Y)) == 0.5
    units = Y * np.array([[scale], [1.0], [1 / scale]])  # next to each other
    assert theory.hyperplane_distances(a, kind(units)).tolist() == expected.tolist()
    y = scale * np.array([0.0, -1.0])
    assert theory.relaxation_decrease(a, y, 0.0) == 1.0
    assert theory.squared_distance_after_relaxation(a, y, [2.0, 0.0], 0.0) == 0.0


def test_refuses_values_beyond_the_floats():
    for function in (theory.perceptron_criterion, theory.squared_criterion):
        for kind in (np.array, sparse.csr_array):
            with pytest.raises(ValueError, match=rf"\|{function.__name__}\| < inf, got"):
                function([1e200, 1e200], kind([[-1e200, 1e190]]))
    with pytest.raises(ValueError, match=r"\|hyperplane_distances\| < inf, got .*inf"):
        theory.hyperplane_distances([1e200], [[1e200]])


def test_duplicate_entries_of_sparse_patterns_are_summed():
    Y = sparse.coo_array(([1.0, 2.0, 4.0], ([0, 0, 0], [0, 0, 1])), shape=(1, 2))
    Y = sparse.csr_array((Y.data, Y.coords[1], [0, 3]), shape=(1, 2))
    assert not Y.has_canonical_format
    assert theory.hyperplane_distances([1.0, -1.0], Y).tolist() == [0.2]
    assert Y.nnz == 3  # the caller's own is left alone
