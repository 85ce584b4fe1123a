"""When `tol` ends a run, and what the history of a run has proven on the way."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import naive
from certificates import FAMILY, apart, directional_truth, power_of_two, quiet, seeded
from maxmargin import (
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    ("model", "tol"),
    [
        *[(MinOverPerceptron(target=1e4), tol) for tol in (0.5, 0.05, 0.01)],
        *[(DynamicMarginPerceptron(1e-6, recenter=False), tol) for tol in (0.5, 0.05, 0.01)],
        (DynamicMarginPerceptron(1e-6, recenter=False, active_set=False), 0.05),
        (FixedMarginPerceptron(), 0.5),
        (FixedMarginPerceptron(), 0.2),
        (MarginPerceptron(margin=1e9), 0.6),
        (BolzanoPerceptron(precision=1e-6, max_checks=1000), 0.05),
    ],
    ids=repr,
)
def test_tol_ends_a_run_when_its_gap_is_certified(model, tol, fit_intercept):
    X, y = apart()
    Y = naive.reflect(X, y, np.linalg.norm(X, axis=1).max() if fit_intercept else None)
    gamma, _, _ = naive.polytope_margin(Y)
    model = seeded(model, 1, tol=tol, fit_intercept=fit_intercept, max_iter=20_000)
    if isinstance(model, FixedMarginPerceptron):
        model.set_params(margin=float((1 - 1e-6) * gamma))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X, y)
    certificate = model.certificate_
    # 1 - lower / upper itself is rounded.
    assert certificate.gap <= tol + 1e-15
    assert certificate.lower >= (1 - tol) * gamma
    assert model.n_iter_ < model.max_iter
    certificate.verify(X, y)
    if isinstance(model, MinOverPerceptron):  # not by its own rule
        assert (y * model.decision_function(X)).min() < model.target
    # Nothing certified before the end had this gap.
    certified = model.history_[model.history_["certified"]]
    best = np.fmax.accumulate(certified["lower"])  # weights of zero have none
    assert (best[:-1] < (1 - tol) * certified["upper"][:-1]).all()


def test_without_tol_the_rule_ends_the_run():
    X, y = apart()
    with_tol = DynamicMarginPerceptron(tol=0.4, random_state=0).fit(X, y)
    without = DynamicMarginPerceptron(random_state=0).fit(X, y)
    assert with_tol.n_iter_ <= without.n_iter_
    assert without.certificates_[0].gap < 0.2


@pytest.mark.parametrize("tol", [None, 1e-9])
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e300])
@pytest.mark.parametrize("model", FAMILY, ids=repr)
def test_history_brackets_the_truth(model, scale, tol):
    X, y = apart()
    X = X * scale
    model = seeded(model, 3, max_iter=37, tol=tol)
    history = quiet(model, X, y).history_
    assert len(history) == model.n_iter_
    assert history.dtype.names == ("passes", "updates", "lower", "upper", "certified")
    assert history["passes"][0] > 0 and (np.diff(history["passes"]) >= 0).all()
    assert (np.diff(history["updates"]) >= 0).all()
    assert history["updates"][-1] == model.n_updates_

    epochs = np.flatnonzero(history["certified"]) + 1
    assert epochs[0] == 1 and epochs[-1] == len(history)
    growth = 2 if tol is None else 1.25
    assert (epochs[1:] <= np.ceil(growth * epochs[:-1])).all()

    c = model.certificate_
    half, other = power_of_two(X)
    least, most = directional_truth(naive.reflect(X * half * other, y, c.rho * half * other))
    certified = history[history["certified"]]
    assert not (certified["lower"] * half * other > most).any()
    weightless = np.isnan(certified["lower"])  # a batch looks at weights of zero first
    assert not weightless[1:].any() and certified["updates"][weightless].sum() == 0
    assert (certified["upper"] * half * other >= least).all()
    assert (np.diff(certified["upper"]) <= 0.0).all()
    assert certified["upper"][-1] == c.upper
    if not getattr(model, "recenter", False):  # recentred weights have no row
        assert c.lower in certified["lower"]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_bisection_keeps_what_its_failed_rounds_have_proven(fit_intercept):
    X, y = apart()
    model = BolzanoPerceptron(random_state=0, fit_intercept=fit_intercept).fit(X, y)
    assert model.certificate_.upper <= model.history_["upper"].min() * (1 + 1e-9)
    model.certificate_.verify(X, y)


def test_certificates_are_renewed_at_powers_of_two():
    # Right from the first epoch on, so that no epoch has fewer errors than ever before.
    model = quiet(MinOverPerceptron(target=1e4, max_iter=100), [[1.0], [-1.0]], [1, 0])
    assert model.n_iter_ == 100
    epochs = np.flatnonzero(model.history_["certified"]) + 1
    assert epochs.tolist() == [1, 2, 4, 8, 16, 32, 64, 100]
