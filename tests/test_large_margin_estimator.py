"""LargeMarginClassifier as scikit-learn sees it."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import LargeMarginClassifier

VARIANTS = [
    LargeMarginClassifier(random_state=0),
    LargeMarginClassifier(solver="newton"),
    LargeMarginClassifier(solver="newton", loss="hinge"),
    LargeMarginClassifier(loss="hinge", rho=1.0, random_state=0),
    # The checks of weights compare digits that only the tightest tolerance settles.
    LargeMarginClassifier(solver="ascent", tol=1e-15, random_state=0),
]
each_solver = pytest.mark.parametrize("solver", ["newton", "ascent"])
each_loss = pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


# Where a tolerance is beyond rounding errors, a warning says so.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(VARIANTS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_attributes_of_a_model(iris):
    X, y = iris
    model = LargeMarginClassifier(random_state=0).fit(X, y)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert model.coef_.shape == (3, 4) and model.intercept_.shape == (3,)
    assert model.dual_coef_.shape == (3, model.support_.size)
    assert model.solver_ in ("newton", "ascent")
    assert len(model.certificates_) == len(model.histories_) == 3
    gaps = [certificate.gap for certificate in model.certificates_]
    assert model.certificate_ is model.certificates_[int(np.argmax(gaps))]
    assert model.history_ is model.histories_[int(np.argmax(gaps))]
    assert model.n_iter_ == max(len(history) for history in model.histories_)
    for history in model.histories_:
        assert history.dtype.names == ("passes", "lower", "upper", "certified")
        assert (np.diff(history["passes"]) > 0.0).all()
        assert (np.diff(history["lower"]) >= 0.0).all()
        assert (np.diff(history["upper"]) <= 0.0).all()
    scores = model.decision_function(X)
    assert scores.shape == (150, 3)
    np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


@each_solver
@each_loss
def test_one_against_the_rest_is_the_binary_problems(loss, solver, iris):
    X, y = iris
    model = LargeMarginClassifier(0.1, loss=loss, solver=solver, random_state=0)
    several, rest = clone(model).fit(X, y), OneVsRestClassifier(model).fit(X, y)
    for k, binary in enumerate(rest.estimators_):
        np.testing.assert_array_equal(several.coef_[k], binary.coef_[0])
        np.testing.assert_array_equal(several.intercept_[k], binary.intercept_[0])


@each_solver
@each_loss
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("classes", [2, 5])
def test_threads_change_no_bit(classes, kind, loss, solver):
    X, y = make_blobs(300, centers=classes, n_features=4, cluster_std=6.0, random_state=5)
    model = LargeMarginClassifier(0.01, loss=loss, solver=solver, random_state=0)
    alone, together = (clone(model).set_params(n_jobs=n).fit(kind(X), y) for n in (1, 4))
    np.testing.assert_array_equal(alone.coef_, together.coef_)
    np.testing.assert_array_equal(alone.intercept_, together.intercept_)
    np.testing.assert_array_equal(alone.dual_coef_, together.dual_coef_)


@each_solver
def test_threads_that_share_the_rows_of_two_classes_change_no_bit(solver):
    X, y = make_blobs(60_000, centers=2, n_features=40, cluster_std=9.0, random_state=5)
    model = LargeMarginClassifier(1e-6, solver=solver, random_state=0)
    alone, together = (clone(model).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(alone.coef_, together.coef_)
    np.testing.assert_array_equal(alone.intercept_, together.intercept_)


@each_loss
def test_the_ascent_follows_its_seed(loss, iris):
    X, y = iris
    model = LargeMarginClassifier(0.1, loss=loss, solver="ascent", tol=0.1)
    first, same, other = (
        clone(model).set_params(random_state=seed).fit(X, y) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.coef_, same.coef_)
    assert not np.array_equal(first.coef_, other.coef_)


def test_pickled_and_cloned_models(iris):
    X, y = iris
    model = LargeMarginClassifier(0.5, loss="hinge", random_state=0).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    for certificate in copy.certificates_:
        certificate.verify(X, y)
    again = clone(model)
    with pytest.raises(NotFittedError, match="This LargeMarginClassifier instance is not fitted"):
        again.predict(X)
    np.testing.assert_array_equal(again.fit(X, y).coef_, model.coef_)


def test_grid_search_in_a_pipeline(iris):
    pipeline = make_pipeline(StandardScaler(), LargeMarginClassifier(random_state=0))
    grid = {"largemarginclassifier__C": [1e-3, 1.0], "largemarginclassifier__rho": [None, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(*iris)
    assert search.best_params_["largemarginclassifier__C"] == 1.0
    assert search.best_score_ > 0.9


def test_sample_weights_are_routed(iris):
    X, y = iris
    weight = np.where(y == "versicolor", 0.0, 1.0)
    with config_context(enable_metadata_routing=True):
        model = LargeMarginClassifier(random_state=0).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        pipeline = make_pipeline(MinMaxScaler(), model).fit(X, y, sample_weight=weight)
        assert pipeline.classes_.tolist() == ["setosa", "virginica"]
        scored = cross_validate(
            pipeline, X, y, params={"sample_weight": weight}, return_estimator=True, cv=3
        )
    assert all(each.classes_.size == 2 for each in scored["estimator"])


def test_names_of_the_columns_of_a_data_frame(iris):
    X, y = iris
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = LargeMarginClassifier(random_state=0).fit(table, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    for certificate in model.certificates_:
        certificate.verify(table, y)
    with pytest.raises(ValueError, match="Feature names must be in the same order"):
        model.predict(table[["b", "a", "c", "d"]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(model.predict(table), model.fit(X, y).predict(X))


def test_verbose_prints_every_iteration(capsys, iris):
    X, y = iris
    model = LargeMarginClassifier(verbose=1, random_state=0).fit(X, y == "setosa")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0].startswith("fit: iteration 1, ") and "certified gap" in lines[0]
    model.fit(X, y)
    assert "class virginica: iteration 1, " in capsys.readouterr().out
