"""The bounds of the papers behind this library as plain functions, one function a bound.

The functions take and return numbers; those over data (section 5.6 of [S4]) take arrays. An
argument for which a bound says nothing raises ValueError with the condition that fails, and so
does one that is no finite real number, or no array of such.

Functions of numbers are evaluated in rational arithmetic on the exact values of their arguments
and rounded once, so the magnitude of lengths, rates and margins does not matter; a bound beyond
the largest float is infinite. Given a Fraction they do not round.

The same names mean the same thing everywhere. `R` and `r` are the largest and the smallest
length of a pattern, reflected and augmented (and extended, when a soft margin is solved as a
hard one among extended patterns: then all lengths are those of the extended patterns). `gamma`
is the margin of *any* unit vector, at most the optimal directional margin `gamma_d`: bounds on
times hold for every such vector and are best for the optimal one. `b` is the margin of the
condition ``p <= b``, `b_u` a target above it, `beta` a directional margin demanded, `eta` the
learning rate, `f_min` and `f_max` bound the step's factor, `t`, `N` and `M` count updates, and
`rho` is the coordinate that augments the patterns.

======================================== ====================== ===========================
function                                 equation               what it gives
======================================== ====================== ===========================
novikoff_updates                         S3 (Novikoff)          updates of the perceptron
geometric_margin                         S3 (geometric margin)  distance to the hyperplane
standard_margin_norm_bounds              S1 (2.10)              length of the weights
standard_margin_updates                  S1 (2.11)              updates with margin b
stepwise_onset_standard                  S1 (2.18)              start of stepwise convergence
standard_margin_updates_floor            S1 (2.19)              what (2.11) exceeds
standard_margin_norm_ceiling             S1 (2.20)              length of the weights
standard_margin_guarantee                S1 (2.21)              margin achieved
relaxation_step_floor                    S1 (2.23)              least factor of a step
relaxation_norm_bounds                   S1 (2.28)              length of the weights
relaxation_updates                       S1 (2.29)              updates of relaxation
stepwise_onset_free_length               S1 (2.35)              start of stepwise convergence
free_length_norm_ceiling                 S1 (2.42)              length of the weights
free_length_updates                      S1 (2.43)              updates with margin beta
margin_ratio_product                     S1 (2.44)              a term of at most 1/4
free_length_updates_simple               S1 (2.45)              updates, simplest bound
free_length_optimal_start                S1 (2.46)              best N for (2.39)
free_length_updates_near_optimal         S1 (2.48)              updates, N nearly the best
fixed_length_critical_rate               S1 (2.51)              rate for stepwise convergence
fixed_length_updates_at_rate             S1 (2.56)              updates at a learning rate
fixed_length_optimal_rate                S1 (2.57)              nearly the best rate
fixed_length_updates                     S1 (2.58)              updates at that rate
intercept_ratio_ceiling                  S1 (2.60)              intercept against weights
directional_margin                       S1 (2.61)              from the geometric margin
geometric_margin_floor                   S1 (2.62)              from the directional margin
augmented_norm_ceiling                   S1 (2.63)              length with the intercept
augmented_radius                         S1 (2.64)              R from R_x and rho
geometric_margin_ceiling                 S1 (2.65)              from the directional margin
optimum_directional_margin_floor         S1 (2.66)              of the best hyperplane
optimal_geometric_margin_interval        S1 (2.67)              between both optimal margins
augmentation_for_tolerance               S1 (2.68)              rho that makes them agree
min_over_norm_ceiling                    S2 (3)                 length of the weights
min_over_updates                         S2 (4)                 updates of min-over
min_over_guarantee                       S2 (5)                 margin achieved
min_over_factor                          S2 (A)                 distance from the optimum
min_over_factor_ceiling                  S2 (6)                 bound on it
min_over_orthogonal_ceiling              S2 (10)                part orthogonal to w*
min_over_projection_ceiling              S2 (12)                part along w*
min_over_final_norm_ceiling              S2 (13)                length of the final weights
monomials                                S2 (monomials)         dimension of an embedding
separable_dichotomies                    S2 (Cover)             labellings separable
separable_fraction                       S4 (5.7)               their share of all
perceptron_criterion                     S4 (J_p)               sum of errors
squared_criterion                        S4 (32)                sum of squared errors
relaxation_criterion                     S4 (33)                the same, by length
hyperplane_distances                     S4 (36)                weights to hyperplanes
score_after_relaxation                   S4 (37)                score after one step
squared_distance_after_relaxation        S4 (38)                distance after one step
progress_towards_solution                S4 (39)                solution's score ahead
relaxation_decrease                      S4 (40)                guaranteed approach
directional_margin_ceiling               S5 (3)                 upper bound on gamma_d
======================================== ====================== ===========================

`equations` returns the second column as a dictionary.

References
----------
[S1] P. Tsampouka and J. Shawe-Taylor, Perceptron-like large margin classifiers, Technical
report, School of Electronics and Computer Science, University of Southampton, 2005.

[S2] B.-J. Falkowski, A note on a large margin perceptron algorithm, 2006.

[S3] Lecture notes on the perceptron convergence theorem and the geometric margin.

[S4] R. O. Duda, P. E. Hart and D. G. Stork, Pattern Classification, 2nd edition, 2001,
sections 5.5 to 5.7.

[S5] H. Panwar and S. Gupta, Marginal perceptron for non-linear and multi class
classification.

Cover's count: T. M. Cover, Geometrical and statistical properties of systems of linear
inequalities with applications in pattern recognition, IEEE Transactions on Electronic
Computers 14, 1965.

Examples
--------
How long may a perceptron take that demands half of the optimal margin, and how long one that
demands nine tenths?

>>> from maxmargin import theory
>>> round(theory.free_length_updates(R=1.0, gamma=0.2, beta=0.1))
161
>>> round(theory.free_length_updates(R=1.0, gamma=0.2, beta=0.18))
1033
"""

from ._registry import equations
from .capacity import monomials, separable_dichotomies, separable_fraction
from .descent import (
    hyperplane_distances,
    perceptron_criterion,
    progress_towards_solution,
    relaxation_criterion,
    relaxation_decrease,
    score_after_relaxation,
    squared_criterion,
    squared_distance_after_relaxation,
)
from .dynamic_margin import directional_margin_ceiling
from .fixed_length import (
    fixed_length_critical_rate,
    fixed_length_optimal_rate,
    fixed_length_updates,
    fixed_length_updates_at_rate,
)
from .free_length import (
    free_length_norm_ceiling,
    free_length_optimal_start,
    free_length_updates,
    free_length_updates_near_optimal,
    free_length_updates_simple,
    margin_ratio_product,
    stepwise_onset_free_length,
)
from .geometry import (
    augmentation_for_tolerance,
    augmented_norm_ceiling,
    augmented_radius,
    directional_margin,
    geometric_margin_ceiling,
    geometric_margin_floor,
    intercept_ratio_ceiling,
    optimal_geometric_margin_interval,
    optimum_directional_margin_floor,
)
from .min_over import (
    min_over_factor,
    min_over_factor_ceiling,
    min_over_final_norm_ceiling,
    min_over_guarantee,
    min_over_norm_ceiling,
    min_over_orthogonal_ceiling,
    min_over_projection_ceiling,
    min_over_updates,
)
from .relaxation import relaxation_norm_bounds, relaxation_step_floor, relaxation_updates
from .standard_margin import (
    geometric_margin,
    novikoff_updates,
    standard_margin_guarantee,
    standard_margin_norm_bounds,
    standard_margin_norm_ceiling,
    standard_margin_updates,
    standard_margin_updates_floor,
    stepwise_onset_standard,
)

__all__ = [
    "augmentation_for_tolerance",
    "augmented_norm_ceiling",
    "augmented_radius",
    "directional_margin",
    "directional_margin_ceiling",
    "equations",
    "fixed_length_critical_rate",
    "fixed_length_optimal_rate",
    "fixed_length_updates",
    "fixed_length_updates_at_rate",
    "free_length_norm_ceiling",
    "free_length_optimal_start",
    "free_length_updates",
    "free_length_updates_near_optimal",
    "free_length_updates_simple",
    "geometric_margin",
    "geometric_margin_ceiling",
    "geometric_margin_floor",
    "hyperplane_distances",
    "intercept_ratio_ceiling",
    "margin_ratio_product",
    "min_over_factor",
    "min_over_factor_ceiling",
    "min_over_final_norm_ceiling",
    "min_over_guarantee",
    "min_over_norm_ceiling",
    "min_over_orthogonal_ceiling",
    "min_over_projection_ceiling",
    "min_over_updates",
    "monomials",
    "novikoff_updates",
    "optimal_geometric_margin_interval",
    "optimum_directional_margin_floor",
    "perceptron_criterion",
    "progress_towards_solution",
    "relaxation_criterion",
    "relaxation_decrease",
    "relaxation_norm_bounds",
    "relaxation_step_floor",
    "relaxation_updates",
    "score_after_relaxation",
    "separable_dichotomies",
    "separable_fraction",
    "squared_criterion",
    "squared_distance_after_relaxation",
    "standard_margin_guarantee",
    "standard_margin_norm_bounds",
    "standard_margin_norm_ceiling",
    "standard_margin_updates",
    "standard_margin_updates_floor",
    "stepwise_onset_free_length",
    "stepwise_onset_standard",
]
