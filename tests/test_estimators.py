"""The estimators as scikit-learn sees them, and what they share."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import maxmargin
from family import FAMILY
from maxmargin import (
    BatchPerceptron,
    BolzanoPerceptron,
    DynamicMarginPerceptron,
    FixedMarginPerceptron,
    MarginPerceptron,
    MinOverPerceptron,
    Perceptron,
    RelaxationPerceptron,
)

# Rules, orders and steps that the defaults do not reach.
VARIANTS = [
    MarginPerceptron(normalized=True, schedule="inverse"),
    RelaxationPerceptron(batch=True, relaxation=0.01),
    FixedMarginPerceptron(length="fixed"),
    FixedMarginPerceptron(step="projected"),
    BolzanoPerceptron(variant=2),
    MinOverPerceptron(init="perceptron"),
    DynamicMarginPerceptron(active_set=False, recenter=False, epsilon=0.2),
]
for model in VARIANTS:
    if hasattr(model, "random_state"):
        model.set_params(random_state=0)


def named(model):
    return repr(model)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.where(y == 0, "setosa", "other")


# Their data are not always separable, and a family that says so is right to warn.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([*FAMILY, *VARIANTS])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_every_public_name_is_there():
    for name in maxmargin.__all__:
        assert getattr(maxmargin, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Nonsense'"):
        _ = maxmargin.Nonsense


@pytest.mark.parametrize("model", [*FAMILY, *VARIANTS], ids=named)
def test_attributes_agree_with_each_other(model, iris):
    X, y = iris
    model = clone(model).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.coef_.shape == (1, 4) and model.intercept_.shape == (1,)
    assert model.classes_.tolist() == ["other", "setosa"]
    assert model.dual_coef_.shape == (1, model.support_.size)
    assert 1 <= model.n_iter_ <= model.max_iter and model.n_updates_ > 0
    assert len(model.history_) == model.n_iter_
    assert model.history_["updates"][-1] == model.n_updates_
    assert (np.diff(model.history_["passes"]) > -1e-12).all()
    assert model.history_["certified"][-1]
    # scikit-learn's sign: positive multipliers for the positive class
    labels = np.where(y == "setosa", 1, -1)[model.support_]
    assert (np.sign(model.dual_coef_[0]) == labels).all()
    if not getattr(model, "recenter", False):
        np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, rtol=1e-9)
        rho = model.certificate_.rho
        np.testing.assert_allclose(model.dual_coef_.sum() * rho**2, model.intercept_, rtol=1e-9)
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", FAMILY, ids=named)
def test_one_against_the_rest_is_the_binary_problems(model, layout):
    X, y = make_blobs(90, centers=[[0, 8], [8, 0], [-8, -8]], cluster_std=0.5, random_state=3)
    model = clone(model).set_params(**({"shuffle": False} if hasattr(model, "shuffle") else {}))
    X = layout(X)
    several = clone(model).fit(X, y)
    rest = OneVsRestClassifier(model).fit(X, y)
    assert several.coef_.shape == (3, 2) and several.dual_coef_.shape == (3, several.support_.size)
    for k, binary in enumerate(rest.estimators_):
        np.testing.assert_array_equal(several.coef_[k], binary.coef_[0])
        np.testing.assert_array_equal(several.intercept_[k], binary.intercept_[0])
        assert several.certificates_[k].gap == binary.certificate_.gap
    assert several.certificate_.gap == max(c.gap for c in several.certificates_)
    assert several.n_updates_ == sum(binary.n_updates_ for binary in rest.estimators_)
    np.testing.assert_array_equal(several.predict(X), y)


@pytest.mark.parametrize("model", [Perceptron(), DynamicMarginPerceptron()], ids=named)
def test_threads_change_nothing(model):
    X, y = make_blobs(200, centers=5, cluster_std=0.4, random_state=5)
    model = clone(model).set_params(random_state=7, max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        alone = clone(model).fit(X, y)
        together = clone(model).set_params(n_jobs=4).fit(X, y)
    np.testing.assert_array_equal(alone.coef_, together.coef_)
    np.testing.assert_array_equal(alone.intercept_, together.intercept_)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(shuffle=False),
        BatchPerceptron(),
        RelaxationPerceptron(batch=True, relaxation=0.01),
    ],
    ids=named,
)
def test_what_is_not_random_leaves_the_global_generator_alone(model, iris):
    before = np.random.get_state()[1:3]
    clone(model).fit(*iris)
    after = np.random.get_state()[1:3]
    np.testing.assert_array_equal(before[0], after[0])
    assert before[1] == after[1]


def test_an_error_in_one_thread_reaches_the_caller():
    X, y = make_blobs(60, centers=3, random_state=5)

    def schedule(t):
        raise RuntimeError("no rate today")

    with pytest.raises(RuntimeError, match="no rate today"):
        MarginPerceptron(schedule=schedule, n_jobs=3).fit(X, y)


@pytest.mark.parametrize("model", [*FAMILY, *VARIANTS], ids=named)
def test_a_start_is_where_it_starts(model, iris):
    X, y = iris
    solved = clone(model).fit(X, y)
    again = clone(model).fit(X, y, solved.coef_, solved.intercept_)
    # A solution of its own rule needs no correction. But a bisection asks for more, t = 0 for the
    # dynamic margin, and relaxation ends where no score is negative, short of its margin.
    asks_more = BolzanoPerceptron | DynamicMarginPerceptron | RelaxationPerceptron
    if not isinstance(model, asks_more):
        assert again.n_updates_ == 0
    assert again.score(X, y) == 1.0
    again.certificate_.verify(X, y)


def test_the_direction_of_a_start_counts(iris):
    X, y = iris
    wrong = Perceptron(shuffle=False).fit(X, y, coef_init=[0.0, 0.0, 50.0, 0.0])
    right = Perceptron(shuffle=False).fit(X, y, [0.0, 0.0, -50.0, 0.0], intercept_init=125)
    assert right.n_updates_ == 0 < wrong.n_updates_
    np.testing.assert_array_equal(right.coef_, [[0.0, 0.0, -50.0, 0.0]])
    assert right.intercept_[0] == pytest.approx(125)
    assert right.certificate_.upper == np.inf  # no multipliers, no proof


@pytest.mark.parametrize("model", [*FAMILY, *VARIANTS], ids=named)
def test_warm_start_goes_on_from_the_last_state(model, iris):
    X, y = iris
    model = clone(model).set_params(warm_start=True)
    if hasattr(model, "random_state"):
        model.set_params(random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = clone(model).fit(X, y)
        model.fit(X, y)
        again = model.fit(X, y)
    assert first.n_updates_ > 0
    if isinstance(model, BolzanoPerceptron):  # starts its bisection anew, from better weights
        assert again.n_updates_ < first.n_updates_
    elif isinstance(model, RelaxationPerceptron) and not model.batch:
        assert again.n_iter_ == 1  # its corrections end when all scores are positive
    elif not caught:
        assert again.n_updates_ == 0
    else:
        assert again.certificate_.gap < first.certificate_.gap
    again.certificate_.verify(X, y)


def test_warm_start_in_pieces_is_one_run(iris):
    X, y = iris
    whole = DynamicMarginPerceptron(0.05, shuffle=False, active_set=False, max_iter=40)
    pieces = clone(whole).set_params(max_iter=1, warm_start=True)
    with pytest.warns(ConvergenceWarning):
        whole.fit(X, y)
        for _ in range(40):
            pieces.fit(X, y)
    assert np.abs(pieces.dual_coef_).sum() == whole.n_updates_


def test_shuffling_follows_the_seed(iris):
    X, y = iris
    first, same, other = (Perceptron(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.coef_, same.coef_)
    assert not np.array_equal(first.coef_, other.coef_)


def test_normalised_margin_perceptron_is_the_fixed_margin_one(iris):
    X, y = iris
    one = MarginPerceptron(0.5, normalized=True, shuffle=False).fit(X, y)
    other = FixedMarginPerceptron(0.5, length="free", step="unit", shuffle=False).fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    assert one.n_updates_ == other.n_updates_


def test_learning_rate_only_scales_rosenblatts_weights(iris):
    X, y = iris
    one, eight = (Perceptron(rate, shuffle=False).fit(X, y) for rate in (1.0, 8.0))
    assert one.n_updates_ == eight.n_updates_
    np.testing.assert_array_equal(8.0 * one.coef_, eight.coef_)


def test_recentring_puts_the_boundary_midway(iris):
    X, y = iris
    model = DynamicMarginPerceptron(0.2, shuffle=False).fit(X, y)
    plain = clone(model).set_params(recenter=False).fit(X, y)
    scores = model.decision_function(X)
    assert scores[y == "setosa"].min() == pytest.approx(1.0)
    assert scores[y == "other"].max() == pytest.approx(-1.0)
    assert model.certificate_.margin >= plain.certificate_.margin
    assert model.certificate_.upper == plain.certificate_.upper
    assert plain.certificate_.lower > (1 - 0.2) * plain.certificate_.upper


def test_min_over_keeps_its_guarantee(iris):
    X, y = iris
    for c, init in ((1.0, "zero"), (50.0, "perceptron"), (50.0, np.linspace(0, 0.1, 150))):
        model = MinOverPerceptron(c, init=init).fit(X, y)
        certificate = model.certificate_
        assert certificate.upper / certificate.lower <= model.guarantee_ * (1 + 1e-9)
        assert model.decision_function(X)[y == "setosa"].min() >= c * (1 - 1e-12)


def test_tol_ends_a_run_early(iris):
    X, y = iris
    model = MinOverPerceptron(200.0)
    slow = clone(model).fit(X, y)
    fast = clone(model).set_params(tol=0.05).fit(X, y)
    assert fast.certificate_.gap <= 0.05
    assert fast.n_updates_ < slow.n_updates_


def test_verbose_prints_certified_epochs(iris, capsys):
    X, y = iris
    model = Perceptron(verbose=1, shuffle=False).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.history_["certified"].sum()
    assert lines[0].startswith("class setosa: epoch 1, passes 1.0, updates ")


def test_pickled_models_predict_the_same(iris):
    X, y = iris
    model = DynamicMarginPerceptron().fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    copy.certificate_.verify(X, y)


def test_grid_search_in_a_pipeline(iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), DynamicMarginPerceptron(random_state=0))
    grid = GridSearchCV(pipeline, {"dynamicmarginperceptron__epsilon": [0.1, 0.5]}, cv=3)
    assert grid.fit(X, y).best_score_ == 1.0
