"""Every numbered result of the papers is stated by one function, which says so."""

import inspect
import re

import pytest

from maxmargin import theory

STATED_BY = {
    "S1": {
        "2.10": theory.standard_margin_norm_bounds,
        "2.11": theory.standard_margin_updates,
        "2.18": theory.stepwise_onset_standard,
        "2.19": theory.standard_margin_updates_floor,
        "2.20": theory.standard_margin_norm_ceiling,
        "2.21": theory.standard_margin_guarantee,
        "2.23": theory.relaxation_step_floor,
        "2.28": theory.relaxation_norm_bounds,
        "2.29": theory.relaxation_updates,
        "2.35": theory.stepwise_onset_free_length,
        "2.42": theory.free_length_norm_ceiling,
        "2.43": theory.free_length_updates,
        "2.44": theory.margin_ratio_product,
        "2.45": theory.free_length_updates_simple,
        "2.46": theory.free_length_optimal_start,
        "2.48": theory.free_length_updates_near_optimal,
        "2.51": theory.fixed_length_critical_rate,
        "2.56": theory.fixed_length_updates_at_rate,
        "2.57": theory.fixed_length_optimal_rate,
        "2.58": theory.fixed_length_updates,
        "2.60": theory.intercept_ratio_ceiling,
        "2.61": theory.directional_margin,
        "2.62": theory.geometric_margin_floor,
        "2.63": theory.augmented_norm_ceiling,
        "2.64": theory.augmented_radius,
        "2.65": theory.geometric_margin_ceiling,
        "2.66": theory.optimum_directional_margin_floor,
        "2.67": theory.optimal_geometric_margin_interval,
        "2.68": theory.augmentation_for_tolerance,
    },
    "S2": {
        "3": theory.min_over_norm_ceiling,
        "4": theory.min_over_updates,
        "5": theory.min_over_guarantee,
        "6": theory.min_over_factor_ceiling,
        "10": theory.min_over_orthogonal_ceiling,
        "12": theory.min_over_projection_ceiling,
        "13": theory.min_over_final_norm_ceiling,
    },
    "S4": {
        "32": theory.squared_criterion,
        "33": theory.relaxation_criterion,
        "36": theory.hyperplane_distances,
        "37": theory.score_after_relaxation,
        "38": theory.squared_distance_after_relaxation,
        "39": theory.progress_towards_solution,
        "40": theory.relaxation_decrease,
    },
    "S5": {"3": theory.directional_margin_ceiling},
}
# Results that the papers state without a number, and what the docstring says of their place.
UNNUMBERED = {
    "S2 (A)": (theory.min_over_factor, "above eq. (6)"),
    "S2 (monomials)": (theory.monomials, "section 2"),
    "S2 (Cover)": (theory.separable_dichotomies, "Cover's function counting theorem (1965)"),
    "S3 (Novikoff)": (theory.novikoff_updates, "Novikoff's theorem"),
    "S3 (geometric margin)": (theory.geometric_margin, "Perceptron lecture notes"),
    "S4 (J_p)": (theory.perceptron_criterion, "section 5.6"),
    "S4 (5.7)": (theory.separable_fraction, "section 5.7"),
}
TABLE = {
    f"{paper} ({number})": (function, f"eq. ({number})")
    for paper, functions in STATED_BY.items()
    for number, function in functions.items()
} | UNNUMBERED


@pytest.mark.parametrize(("tag", "function", "place"), [(tag, *row) for tag, row in TABLE.items()])
def test_equation_is_stated_and_documented(tag, function, place):
    assert theory.equations()[tag] is function
    assert getattr(theory, function.__name__) is function
    paper = tag.split()[0]
    words = " ".join(inspect.getdoc(function).split())
    assert place in words
    assert f"[{paper}]" in words
    sections = re.findall(r"^(\w+)\n-+$", inspect.getdoc(function), flags=re.MULTILINE)
    assert sections == ["Parameters", "Returns", "Raises", "Examples"]
    assert ".. math::" in function.__doc__


def test_nothing_else_is_stated():
    assert theory.equations().keys() == TABLE.keys()
    names = [function.__name__ for function, _ in TABLE.values()]
    assert sorted([*names, "equations"]) == sorted(theory.__all__)


def test_the_table_of_the_docstring_is_complete():
    for tag, (function, _) in TABLE.items():
        rows = [line for line in theory.__doc__.splitlines() if f" {tag} " in line]
        assert [row.split()[0] for row in rows] == [function.__name__]


def test_equations_are_in_the_order_of_the_papers():
    tags = list(theory.equations())
    assert tags.index("S1 (2.10)") < tags.index("S1 (2.67)") < tags.index("S2 (3)")
    assert tags.index("S2 (4)") < tags.index("S2 (13)") < tags.index("S5 (3)")
