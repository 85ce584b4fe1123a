"""LargeMarginClassifier finds the optimum that others find, and proves it."""

from __future__ import annotations

import functools
import math
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

import judges
from certificates import blobs
from judges import Settings
from maxmargin import LargeMarginClassifier

SOLVERS = ["newton", "ascent"]
INTERCEPTS = ["free", 1.0, 0.5, None]
SOFT = [
    Settings(loss, C, rho)
    for loss in judges.POWERS
    for C in (0.01, 1.0, 100.0)
    for rho in INTERCEPTS
]
AT_ONE = [settings for settings in SOFT if settings.C == 1.0]
HARD = [Settings("squared_hinge", np.inf, rho) for rho in INTERCEPTS]
each_solver = pytest.mark.parametrize("solver", SOLVERS)


def random_problem(n, d, distance):
    return blobs(np.random.default_rng(n + d), n, d, distance)


def one_informative_feature():
    X, y = random_problem(30, 1, 2.0)
    return np.column_stack([np.zeros((30, 2)), X, np.zeros((30, 2))]), y


def dependent_columns():
    X, y = random_problem(16, 3, 1.0)
    return np.column_stack([X, X[:, :2], np.full(16, 2.0), X[:, 0] - X[:, 1]]), y


def conflicting_duplicates():
    X, y = random_problem(24, 2, 2.0)
    return np.vstack([X, X[:6]]), np.append(y, -y[:6])


PROBLEMS = {
    "overlapping": lambda: random_problem(40, 3, 1.0),
    "separable": lambda: random_problem(30, 3, 9.0),
    "more features than rows": lambda: random_problem(10, 25, 1.0),
    "two rows": lambda: (np.array([[0.0, 1.0], [2.0, 0.5]]), np.array([1, -1])),
    "one informative feature": one_informative_feature,
    "dependent columns": dependent_columns,
    "conflicting duplicates": conflicting_duplicates,
}
LAYOUTS = {
    "float64": np.asarray,
    "CSR": sparse.csr_array,
    "float32": lambda X: np.asarray(X, np.float32),
    "CSR of float32": lambda X: sparse.csr_array(X, dtype=np.float32),
}


def certified(settings, X, y, **parameters):
    """Return a model fitted to 1e-6 without any warning, whose certificates verify."""
    parameters = settings.parameters | {"tol": 1e-6, "random_state": 0} | parameters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LargeMarginClassifier(**parameters).fit(X, y)
    for certificate in model.certificates_:
        assert 0.0 < certificate.lower <= certificate.upper
        assert certificate.gap <= 1e-6
        certificate.verify(X, y)
    return model


@functools.cache
def judged(problem, settings):
    """Return a hyperplane found by others, and its objective."""
    X, y = PROBLEMS[problem]()
    w, b = judges.optimum(settings, X, y)
    return w, judges.objective(settings, X, y, w, b)


def assert_optimal(settings, X, signs, certificate, judge=None):
    """Assert that a hyperplane is as good as that of a judge, and as close to it as that implies.

    An objective that is P above the minimum is of weights at most sqrt(2 P) away from the best.
    """
    if judge is None:
        w, b = judges.optimum(settings, X, signs)
        judge = w, judges.objective(settings, X, signs, w, b)
    found = judges.objective(settings, X, signs, certificate.coef, certificate.intercept)
    w, best = judge
    assert found <= certificate.primal * (1 + 1e-9)
    assert certificate.dual <= best * (1 + 1e-12)
    assert found <= best * (1 + 3e-6)
    assert best <= found * (1 + 1e-3)  # or the judge solved another problem
    allowed = sum(math.sqrt(2.0 * max(P - certificate.dual, 0.0)) for P in (found, best))
    assert np.linalg.norm(certificate.coef - w) <= allowed * (1 + 1e-9)


@each_solver
@pytest.mark.parametrize("settings", SOFT, ids=str)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_soft_margins(problem, settings, solver):
    X, y = PROBLEMS[problem]()
    model = certified(settings, X, y, solver=solver)
    assert_optimal(settings, X, y, model.certificate_, judged(problem, settings))


@each_solver
@pytest.mark.parametrize("settings", SOFT, ids=str)
def test_columns_that_are_all_equal(settings, solver):
    X, y = np.full((20, 3), 2.0), np.where(np.arange(20) % 3, 1, -1)
    assert_optimal(settings, X, y, certified(settings, X, y, solver=solver).certificate_)


@each_solver
@pytest.mark.parametrize("settings", HARD, ids=str)
@pytest.mark.parametrize("problem", ["separable", "more features than rows", "two rows"])
def test_hard_margins(problem, settings, solver):
    X, y = PROBLEMS[problem]()
    model = certified(settings, X, y, solver=solver)
    assert model.certificate_.separable is True
    assert_optimal(settings, X, y, model.certificate_, judged(problem, settings))


@each_solver
@pytest.mark.parametrize("loss", judges.POWERS)
def test_the_loss_does_not_matter_to_a_hard_margin(loss, solver):
    X, y = PROBLEMS["separable"]()
    settings = Settings(loss, np.inf, "free")
    svc = SVC(kernel="linear", C=1e10, tol=1e-10).fit(X, y)
    model = certified(settings, X, y, solver=solver)
    assert model.certificate_.loss is None
    allowed = math.sqrt(2.0 * (model.certificate_.primal - model.certificate_.dual))
    assert np.linalg.norm(model.coef_ - svc.coef_) <= allowed + 1e-6
    assert model.intercept_[0] == pytest.approx(svc.intercept_[0], abs=1e-3)


@each_solver
@pytest.mark.parametrize("settings", [*AT_ONE, *HARD], ids=str)
@pytest.mark.parametrize("layout", list(LAYOUTS)[1:])
def test_layouts(layout, settings, solver):
    X, y = PROBLEMS["separable" if settings.C == np.inf else "overlapping"]()
    X = LAYOUTS[layout](X)
    model = certified(settings, X, y, solver=solver)
    assert_optimal(settings, X, y, model.certificate_)


@each_solver
@pytest.mark.parametrize("layout", ["float64", "CSR"])
@pytest.mark.parametrize("settings", [*AT_ONE, *HARD], ids=str)
def test_three_classes_are_each_against_the_rest(settings, layout, solver):
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], 8)
    distance = 9.0 if settings.C == np.inf else 3.0
    X = LAYOUTS[layout](distance * np.repeat(np.eye(3), 8, axis=0) + rng.normal(size=(24, 3)))
    model = certified(settings, X, y, solver=solver)
    assert model.coef_.shape == (3, 3) and len(model.certificates_) == 3
    for label, certificate in zip("abc", model.certificates_, strict=True):
        assert certificate.positive == label
        assert_optimal(settings, X, np.where(y == label, 1, -1), certificate)


@pytest.mark.parametrize("settings", [SOFT[0], SOFT[-1], HARD[0]], ids=str)
@pytest.mark.parametrize("problem", ["separable", "more features than rows"])
def test_auto_is_one_of_the_solvers(problem, settings):
    X, y = PROBLEMS[problem]()
    model = certified(settings, X, y)
    same = certified(settings, X, y, solver=model.solver_)
    assert model.solver_ in SOLVERS
    np.testing.assert_array_equal(model.coef_, same.coef_)
    np.testing.assert_array_equal(model.intercept_, same.intercept_)


@each_solver
def test_attributes_agree_with_each_other(solver):
    X, y = PROBLEMS["overlapping"]()
    for settings in (*SOFT, Settings("hinge", 1.0, 2.0)):
        model = certified(settings, X, y, solver=solver)
        signs, costs = y[model.support_], model.certificate_.costs[model.support_]
        assert (np.sign(model.dual_coef_[0]) == signs).all()
        alpha = model.dual_coef_[0] * signs
        slack = alpha @ (alpha / costs) / 2 if settings.loss == "squared_hinge" else 0.0
        w = model.dual_coef_[0] @ X[model.support_]
        square = w @ w
        if settings.rho == "free":
            assert abs(model.dual_coef_.sum()) <= 1e-12 * alpha.sum()
        elif settings.rho:
            square += (settings.rho * model.dual_coef_.sum()) ** 2
        D = alpha.sum() - (square + slack) / 2  # the dual objective, at these very multipliers
        np.testing.assert_allclose(D, model.certificate_.dual, rtol=1e-9)
        assert len(model.history_) == model.n_iter_
        assert (np.diff(model.history_["passes"]) >= 0.0).all()


# --- the intercept ------------------------------------------------------------------------------


@each_solver
@pytest.mark.parametrize("C", [1e-3, 0.01])
def test_the_intercept_of_a_hinge_is_the_middle_of_its_interval(C, solver):
    """With all multipliers at their cap, w is the difference of sums; b is in an interval."""
    X, y = random_problem(20, 2, 2.0)
    w = C * (y @ X)
    low, high = (-1 - X[y < 0] @ w).max(), (1 - X[y > 0] @ w).min()
    assert low < high
    model = certified(Settings("hinge", C, "free"), X, y, solver=solver)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-6)
    assert model.intercept_[0] == pytest.approx((low + high) / 2, abs=1e-5)
    svc = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    assert model.intercept_[0] == pytest.approx(svc.intercept_[0], abs=1e-5)


@each_solver
def test_the_intercept_of_a_hard_margin_is_midway_between_the_classes(solver):
    X, y = PROBLEMS["separable"]()
    model = certified(Settings("hinge", np.inf, "free"), X, y, solver=solver)
    scores = model.decision_function(X)
    assert scores[y > 0].min() == pytest.approx(1.0, rel=1e-9)
    assert scores[y < 0].max() == pytest.approx(-1.0, rel=1e-9)


@each_solver
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_free_intercept_of_a_hinge_is_that_of_libsvm(C, solver):
    X, y = PROBLEMS["overlapping"]()
    model = certified(Settings("hinge", C, "free"), X, y, solver=solver)
    svc = SVC(kernel="linear", C=C, tol=1e-10).fit(X, y)
    assert model.intercept_[0] == pytest.approx(svc.intercept_[0], abs=2e-3)


# --- scales -------------------------------------------------------------------------------------


@each_solver
@pytest.mark.parametrize("factor", [1e100, 1e-100, 2.0**-40])
@pytest.mark.parametrize("settings", [*AT_ONE, *HARD], ids=str)
def test_the_units_of_the_data_do_not_matter(settings, factor, solver):
    X, y = PROBLEMS["separable"]()
    one = certified(settings, X, y, solver=solver)
    rho = settings.rho * factor if isinstance(settings.rho, float) else settings.rho
    scaled = settings._replace(C=settings.C / factor / factor, rho=rho)
    model = certified(scaled, X * factor, y, solver=solver)
    np.testing.assert_allclose(model.coef_ * factor, one.coef_, rtol=2e-3, atol=2e-3)
    assert model.certificate_.lower == pytest.approx(one.certificate_.lower * factor, rel=2e-6)


@pytest.mark.parametrize("solver", ["newton", "auto"])
@pytest.mark.parametrize("loss", judges.POWERS)
@pytest.mark.parametrize("scales", [(1e-8, 1.0, 1e8), (1e-4, 1.0, 1e4)], ids=str)
def test_features_on_different_scales(scales, loss, solver):
    X, y = PROBLEMS["overlapping"]()
    model = LargeMarginClassifier(loss=loss, solver=solver, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X * scales, y)
    model.certificate_.verify(X * scales, y)
    messages = [str(warning.message) for warning in caught]
    assert model.certificate_.gap <= model.tol or "Scale the features" in " ".join(messages)
    assert (model.certificate_.gap <= model.tol) == (messages == [])
