"""Margins in the augmented and in the original space: S1 section 2.3."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
from maxmargin import MinOverPerceptron, theory

from .data import REAL, SMALL, Problem, at_most, directions, matrices, norm, theorem, vectors
from .runs import by_all, by_package

rhos = st.sampled_from([0.1, 1.0, 7.0])


@st.composite
def labelled_problems(draw):
    """Patterns of two classes and the weights of a hyperplane ``w.x + w_0 rho = 0`` between."""
    d, rho = draw(st.integers(1, 3)), draw(rhos)
    w, X = draw(directions(d)), draw(matrices(6, d, st.one_of(SMALL, REAL)))
    heights = np.sort(X @ w)
    cut = draw(st.integers(1, 5))
    assume(heights[cut] - heights[cut - 1] > 0.1)
    threshold = draw(st.sampled_from([0.2, 0.5, 0.9]))
    threshold = heights[cut - 1] + threshold * (heights[cut] - heights[cut - 1])
    labels = np.where(X @ w > threshold, 1.0, -1.0)
    a = np.append(w, -threshold / rho)
    return Problem(naive.reflect(X, labels, rho), a / norm(a), rho)


@by_all
@theorem
@given(labelled_problems())
def test_margins_of_any_separating_weights(by, problem):
    trace = by.perceptron(problem, max_epochs=100_000)
    assert trace.converged
    check_margins(problem, trace.a)
    check_margins(problem, problem.u)


def check_margins(problem, a):
    rho, w, w_0 = problem.rho, a[:-1], a[-1]
    R_x = max(norm(x) for x in problem.X)
    R = theory.augmented_radius(rho, R_x)  # (2.64)
    assert problem.R == pytest.approx(R)
    assert at_most(abs(w_0) / norm(w), theory.intercept_ratio_ceiling(rho, R_x))  # (2.60)
    assert at_most(norm(a), theory.augmented_norm_ceiling(R, rho, norm(w)))  # (2.63)
    directional = np.min(problem.Y @ a) / norm(a)
    geometric = np.min(problem.labels * (problem.X @ w + w_0 * rho)) / norm(w)
    assert directional == pytest.approx(
        theory.directional_margin(geometric, norm(w), norm(a)), abs=1e-12 * R
    )  # (2.61)
    assert at_most(theory.geometric_margin_floor(directional), geometric, R)  # (2.62)
    assert at_most(geometric, theory.geometric_margin_ceiling(R, directional, rho), R)  # (2.65)


@st.composite
def shifted_classes(draw):
    """Two classes whose best hyperplane is ``x_1 = shift``, with the margin half of 1 to 2 rho.

    Both optima are known: the classes' closest patterns average to ``shift +- gamma`` along the
    first axis. In the augmented space these two averages span a segment whose point nearest to
    the origin has the length ``gamma rho / sqrt(shift^2 + rho^2)``.
    """
    rho = draw(rhos)
    gamma = draw(st.sampled_from([0.05, 0.5, 2.0])) * rho
    shift = draw(st.sampled_from([0.0, 0.1, 1.0, 5.0]))
    across = draw(matrices(4, draw(st.integers(1, 2)), REAL))
    rows = []
    for label, v in zip((1, 1, -1, -1), across, strict=True):
        beyond = gamma * draw(st.sampled_from([1.0, 2.0]))
        rows += [(label, [shift + label * gamma, *v]), (label, [shift + label * gamma, *-v])]
        rows += [(label, [shift + label * beyond, *draw(vectors(len(v), REAL))])]
    labels = np.array([label for label, _ in rows], dtype=float)
    return np.array([x for _, x in rows]), labels, rho, gamma, shift


@theorem
@given(shifted_classes())
def test_the_two_optimal_margins(problem):
    X, labels, rho, gamma, shift = problem
    gamma_d = gamma * rho / np.hypot(shift, rho)
    R_x = max(norm(x) for x in X)
    R = theory.augmented_radius(rho, R_x)
    lower, upper = theory.optimal_geometric_margin_interval(R, gamma_d, rho)  # (2.67)
    assert at_most(lower, gamma)
    assert at_most(gamma, upper)
    # The geometrically optimal hyperplane, as weights [1, 0, .., -shift / rho].
    a = np.zeros(X.shape[1] + 1)
    a[0], a[-1] = 1.0, -shift / rho
    directional = np.min(naive.reflect(X, labels, rho) @ a) / norm(a)
    floor = theory.optimum_directional_margin_floor(R, gamma, rho)  # (2.66)
    assert at_most(floor, directional)


@theorem
@given(shifted_classes())
def test_the_known_optima_are_optimal(problem):
    """The construction above, by a solver that knows nothing of it."""
    X, labels, rho, gamma, shift = problem
    gamma_d, _, _ = naive.polytope_margin(naive.reflect(X, labels, rho))
    assert gamma_d == pytest.approx(gamma * rho / np.hypot(shift, rho), rel=1e-6)


@by_package
@theorem
@given(shifted_classes())
def test_certificates_enclose_both_optimal_margins(by, problem):
    X, labels, rho, gamma, shift = problem
    model = MinOverPerceptron(tol=0.05)
    by.fit(model, Problem(naive.reflect(X, labels, rho), None, rho), max_epochs=200)
    certificate, R = model.certificate_, theory.augmented_radius(rho, max(norm(x) for x in X))
    gamma_d = gamma * rho / np.hypot(shift, rho)
    assert at_most(certificate.lower, gamma_d)
    assert at_most(gamma_d, certificate.upper)
    assert at_most(certificate.margin, gamma)
    assert at_most(gamma, certificate.margin_upper)
    assert at_most(gamma, theory.geometric_margin_ceiling(R, certificate.upper, rho))  # (2.67)


@by_package
@theorem
@given(shifted_classes(), st.sampled_from([1e-3, 0.1, 1.0]))
def test_the_margins_agree_for_large_rho(by, problem, tolerance):
    X, labels, _, gamma, shift = problem
    rho = theory.augmentation_for_tolerance(max(norm(x) for x in X), tolerance)  # (2.68)
    gamma_d = gamma * rho / np.hypot(shift, rho)
    assert gamma / gamma_d <= 1 + tolerance
    model = MinOverPerceptron()
    by.fit(model, Problem(naive.reflect(X, labels, rho), None, rho), max_epochs=20)
    assert at_most(gamma, (1 + tolerance) * model.certificate_.upper)
