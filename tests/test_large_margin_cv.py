"""The cost chosen by cross-validation, against a search that fits every cost from nothing."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError, UnsetMetadataPassedError
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import LargeMarginClassifier, LargeMarginClassifierCV

CS = [0.001, 0.03, 1.0, 30.0]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=1)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X)[:, :12], np.where(y, "benign", "malign")


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def scores_of(grid):
    count = grid.n_splits_
    return np.array([grid.cv_results_[f"split{k}_test_score"] for k in range(count)])


# Hard margins of folds that no hyperplane separates are part of these checks, and say so.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([LargeMarginClassifierCV(3, cv=3, random_state=0)])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("layout", [np.asarray, np.float32, sparse.csr_array])
@pytest.mark.parametrize(
    ("data", "how", "scoring"),
    [
        ("cancer", {}, None),
        ("iris", {}, None),
        ("cancer", {"class_weight": "balanced"}, "balanced_accuracy"),
        ("iris", {"class_weight": {"setosa": 3.0}}, "f1_macro"),
        ("cancer", {"solver": "ascent", "rho": 1.0, "tol": 1e-9}, "roc_auc"),
        ("iris", {"solver": "newton", "loss": "hinge"}, "accuracy"),
    ],
)
def test_it_finds_what_a_search_from_nothing_finds(data, layout, how, scoring, request):
    X, y = request.getfixturevalue(data)
    X = layout(X)
    one = LargeMarginClassifierCV(CS, cv=FOLDS, scoring=scoring, random_state=0, **how).fit(X, y)
    model = LargeMarginClassifier(random_state=0, **how)
    grid = GridSearchCV(model, {"C": CS}, cv=FOLDS, scoring=scoring).fit(X, y)
    np.testing.assert_array_equal(one.scores_, scores_of(grid))
    assert one.C_ == grid.best_params_["C"] and isinstance(one.C_, float)
    np.testing.assert_array_equal(one.predict(X), grid.predict(X))
    np.testing.assert_allclose(one.coef_, grid.best_estimator_.coef_, rtol=1e-5, atol=1e-8)
    assert one.score(X, y) == grid.score(X, y)
    for certificate in one.certificates_:
        certificate.verify(X, y)


@pytest.mark.parametrize("data", ["cancer", "iris"])
def test_attributes_are_those_of_a_fit_at_the_best_cost(data, request):
    X, y = request.getfixturevalue(data)
    model = LargeMarginClassifierCV(CS, cv=4, random_state=0).fit(X, y)
    alone = LargeMarginClassifier(model.C_, random_state=0).fit(X, y)
    known = {name for name in vars(alone) if name.endswith("_")}
    assert known - vars(model).keys() == set()
    assert {"C_", "Cs_", "scores_", "gaps_"} == {n for n in vars(model) if n.endswith("_")} - known
    for name in ("coef_", "intercept_", "dual_coef_", "support_", "history_", "classes_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(alone, name))
    for part in (model.scores_, model.gaps_, model.n_iter_):
        assert part.shape == (4, len(CS))
    assert (model.gaps_ <= model.tol).all() and (model.gaps_ >= 0.0).all()
    assert (model.n_iter_ >= 1).all() and model.n_iter_.dtype.kind == "i"
    np.testing.assert_array_equal(model.Cs_, CS)


def test_costs_keep_their_order_and_the_smallest_of_equals_wins(cancer):
    X, y = cancer
    order = [2, 0, 3, 1, 0]
    model = LargeMarginClassifierCV(CS, cv=FOLDS).fit(X, y)
    mixed = LargeMarginClassifierCV([CS[k] for k in order], cv=FOLDS).fit(X, y)
    np.testing.assert_array_equal(mixed.Cs_, np.array(CS)[order])
    np.testing.assert_array_equal(mixed.scores_, model.scores_[:, order])
    assert mixed.C_ == model.C_

    # These two costs swap the scores of their folds, which rounding must not tell apart.
    swapped = {3.0: [0.1, 0.7, 0.3], 2.0: [0.3, 0.1, 0.7], 1.0: [0.2, 0.2, 0.2]}

    def scorer(model, X, y):
        return swapped[model.C].pop(0)

    assert LargeMarginClassifierCV([3.0, 1.0, 2.0], cv=3, scoring=scorer).fit(X, y).C_ == 2.0


def test_an_int_is_so_many_costs(iris):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LargeMarginClassifierCV(3, cv=3).fit(*iris)
    np.testing.assert_allclose(model.Cs_, [1e-4, 1.0, 1e4])
    assert LargeMarginClassifierCV(np.int32(1), cv=3).fit(*iris).Cs_.shape == (1,)


def test_hard_margins_may_be_tried(iris):
    X, y = iris
    y = y == "setosa"
    model = LargeMarginClassifierCV([np.inf, 1e-4], cv=3).fit(X, y)
    assert (model.gaps_ <= 1e-3).all() and model.C_ == np.inf
    assert model.certificate_.separable
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("solver", ["newton", "ascent"])
def test_warm_starts_save_passes(solver, monkeypatch):
    X, y = make_classification(4000, 30, n_informative=10, flip_y=0.1, random_state=0)
    costs, spent, fit = np.logspace(-3, 0, 8), [], LargeMarginClassifier.fit

    def counted(model, *data, **more):
        fit(model, *data, **more)
        # A start that is good enough has no history: it took two passes to see that.
        history = model.history_["passes"]
        spent.append(history[-1] if history.size else 2.0)
        return model

    monkeypatch.setattr(LargeMarginClassifier, "fit", counted)
    model = LargeMarginClassifierCV(costs, cv=3, solver=solver, refit=False, random_state=0)
    model.fit(X, y)
    assert len(spent) == 24
    warm = sum(spent)
    spent.clear()
    cold = LargeMarginClassifier(solver=solver, random_state=0)
    GridSearchCV(cold, {"C": costs}, cv=3, refit=False).fit(X, y)
    assert len(spent) == 24 and warm < 0.8 * sum(spent)


def test_threads_change_nothing(cancer):
    source = np.random.RandomState(3)
    model = LargeMarginClassifierCV(CS[:2], solver="ascent", random_state=source)
    one, two = clone(model).fit(*cancer), clone(model).set_params(n_jobs=2).fit(*cancer)
    np.testing.assert_array_equal(one.scores_, two.scores_)
    np.testing.assert_array_equal(one.gaps_, two.gaps_)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_without_refit_there_is_only_the_cost(iris):
    X, y = iris
    model = LargeMarginClassifierCV(CS).fit(X, y)
    cost, scores = model.C_, model.scores_
    model.set_params(refit=False).fit(X, y)
    assert model.C_ == cost and model.n_features_in_ == 4
    np.testing.assert_array_equal(model.scores_, scores)
    assert not hasattr(model, "coef_") and not hasattr(model, "certificate_")
    for method in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError, match="has only searched for C_, as refit=False asks"):
            method(X)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        LargeMarginClassifierCV().predict(X)


def test_folds_of_all_kinds(iris):
    X, y = iris
    even, odd = list(range(0, 150, 2)), tuple(range(1, 150, 2))
    pairs = [(odd, even), (even, odd)]
    masks = [(np.arange(150) % 2 == k, np.arange(150) % 2 != k) for k in (1, 0)]
    expected = LargeMarginClassifierCV(CS, cv=pairs).fit(X, y).scores_
    assert expected.shape == (2, 4)
    for cv in (masks, iter(pairs)):
        np.testing.assert_array_equal(
            LargeMarginClassifierCV(CS, cv=cv).fit(X, y).scores_, expected
        )


# --- weights and metadata ----------------------------------------------------


def test_weights_count_in_fits_and_scores(cancer):
    X, y = cancer
    weight = np.random.default_rng(0).integers(0, 4, y.size)
    model = LargeMarginClassifierCV(CS, cv=FOLDS).fit(X, y, sample_weight=weight)
    plain = GridSearchCV(LargeMarginClassifier(), {"C": CS}, cv=FOLDS)
    np.testing.assert_array_equal(model.scores_, scores_of(plain.fit(X, y, sample_weight=weight)))
    assert model.score(X, y, sample_weight=weight) == accuracy_score(
        y, model.predict(X), sample_weight=weight
    )

    def unweighted(model, X, y):
        return float(np.mean(model.predict(X) == y))

    own = LargeMarginClassifierCV(CS, cv=FOLDS, scoring=unweighted).fit(X, y, weight)
    assert (own.scores_ != model.scores_).any()
    model.certificate_.verify(X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_metadata_reach_the_splitter_and_the_scorer(cancer, n_jobs):
    X, y = cancer
    groups, weight = np.arange(y.size) % 7, np.linspace(0.1, 3.0, y.size)
    benign = (y == "benign").astype(float)
    seen = []

    def share(true, predicted, benign):
        seen.append((true == "benign") == benign)
        return np.mean(true == predicted)

    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(share).set_score_request(benign=True)
        model = LargeMarginClassifierCV(CS, cv=GroupKFold(3), scoring=scorer, n_jobs=n_jobs)
        model.fit(X, y, weight, groups=groups, benign=benign)
        assert len(seen) == 12 and np.concatenate(seen).all()
        assert model.score(X, y, benign=benign) == np.mean(model.predict(X) == y)
        plain = LargeMarginClassifier().set_fit_request(sample_weight=True)
        grid = GridSearchCV(plain, {"C": CS}, cv=GroupKFold(3), scoring="accuracy")
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            LargeMarginClassifierCV(CS).fit(X, y, weight)
        grid.set_params(scoring=get_scorer("accuracy").set_score_request(sample_weight=False))
        grid.fit(X, y, groups=groups, sample_weight=weight)
    np.testing.assert_array_equal(model.scores_, scores_of(grid))


def test_weights_reach_a_scorer_that_requests_them(cancer):
    X, y = cancer
    weight = np.random.default_rng(0).integers(0, 4, y.size)
    scores = []
    with config_context(enable_metadata_routing=True):
        for wanted in (True, False):
            scorer = get_scorer("accuracy").set_score_request(sample_weight=wanted)
            model = LargeMarginClassifierCV(CS, cv=FOLDS, scoring=scorer)
            scores.append(model.fit(X, y, sample_weight=weight).scores_)
        router = model.set_fit_request(sample_weight=True).get_metadata_routing()
        assert router.consumes("fit", ["sample_weight"]) == {"sample_weight"}
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            clone(model),
        )
        pipeline.fit(X, y, sample_weight=weight)
    weighted = LargeMarginClassifierCV(CS, cv=FOLDS).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(scores[0], weighted.scores_)
    assert (scores[0] != scores[1]).any()


def test_metadata_need_routing(iris):
    with pytest.raises(ValueError, match=r"only supported if\s+enable_metadata_routing=True"):
        LargeMarginClassifierCV().fit(*iris, groups=iris[1])
    with pytest.raises(ValueError, match=r"only supported if\s+enable_metadata_routing=True"):
        LargeMarginClassifierCV(2).fit(*iris).score(*iris, groups=iris[1])


# --- what is refused ---------------------------------------------------------

NO_COSTS = "The 'Cs' parameter of LargeMarginClassifierCV must be"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *[
            ({"Cs": Cs}, NO_COSTS)
            for Cs in (
                [1.0, 0.0],
                [-1.0],
                [1.0, np.nan],
                [],
                0,
                -3,
                True,
                2.5,
                None,
                "10",
                ["1"],
                [[1.0, 2.0]],
                [1.0, None],
                [1.0, 10**400],
                [1j],
                [True],
                {1.0: 2.0},
            )
        ],
        ({"cv": 1}, "The 'cv' parameter of LargeMarginClassifierCV must be"),
        ({"cv": []}, "cv gives no folds"),
        ({"cv": "five"}, "The 'cv' parameter of LargeMarginClassifierCV must be"),
        ({"cv": 60}, "n_splits=60 cannot be greater than the number of members in each class"),
        ({"scoring": "beauty"}, "The 'scoring' parameter of LargeMarginClassifierCV must be"),
        ({"scoring": lambda model, X, y: "good"}, "scoring must give one number, got 'good'"),
        ({"scoring": lambda model, X, y: np.nan}, "gives no number for any of the Cs"),
        ({"refit": "yes"}, "The 'refit' parameter of LargeMarginClassifierCV must be"),
        ({"loss": "log"}, "The 'loss' parameter of LargeMarginClassifierCV must be"),
        ({"tol": 0.0}, "The 'tol' parameter of LargeMarginClassifierCV must be"),
        ({"max_iter": True}, "The 'max_iter' parameter of LargeMarginClassifierCV must be"),
        ({"Cs": [1.0, 1e300]}, "out of all proportion to the data"),
    ],
)
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_bad_parameters_are_refused_and_change_nothing(parameters, message, n_jobs, iris):
    with pytest.raises(ValueError, match=message):
        LargeMarginClassifierCV(**parameters, n_jobs=n_jobs).fit(*iris)
    model = LargeMarginClassifierCV([0.1, 1.0], cv=2).fit(*iris)
    before = dict(vars(model.set_params(**parameters, n_jobs=n_jobs)))
    with pytest.raises(ValueError, match=message):
        model.fit(*iris)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


def test_bad_data_are_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="at least 2 classes in y, with positive weights"):
        LargeMarginClassifierCV().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="only one class: 'setosa'"):
        LargeMarginClassifierCV().fit(X, y, sample_weight=y == "setosa")
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        LargeMarginClassifierCV().fit(X, y, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match=r"X.*NaN"):
        LargeMarginClassifierCV().fit(np.where(X > 5, np.nan, X), y)


def test_an_error_says_in_which_fold_it_was(iris):
    X, y = iris
    alone = [(np.arange(100), np.arange(100, 150)), (np.arange(50), np.arange(50, 150))]
    with pytest.raises(ValueError, match="only one class: 'setosa'") as caught:
        LargeMarginClassifierCV([2.0], cv=alone).fit(X, y)
    assert caught.value.__notes__ == ["In fold 1 of the search, at C=2."]


# --- what is said ------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_one_warning_sums_up_the_hard_margins_that_are_not_there(iris, n_jobs):
    with pytest.warns(ConvergenceWarning) as caught:
        model = LargeMarginClassifierCV(
            [np.inf, 1.0, 1e-3], cv=3, n_jobs=n_jobs, scoring=lambda model, X, y: -model.C
        ).fit(*iris)
    assert [str(each.message) for each in caught] == [
        "LargeMarginClassifierCV: a certified gap of tol=0.001 was not reached in 3 of 9 fits of "
        "the search: C=inf (3 folds, no hard margin). Leave inf out of Cs."
    ]
    assert caught[0].filename == __file__
    assert not (model.gaps_[:, 0] < 1.0).any() and (model.gaps_[:, 1:] <= 1e-3).all()


def test_one_warning_sums_up_the_fits_that_were_cut_short(cancer):
    X, y = cancer
    with pytest.warns(ConvergenceWarning) as caught:
        model = LargeMarginClassifierCV([1e-6, 1.0, 100.0, np.inf], max_iter=2).fit(X, y)
    assert len(caught) == 1
    short = (model.gaps_ > 1e-3).sum(axis=0)
    assert short[0] == 0 and 0 < short[1] <= short[2]
    message = str(caught[0].message)
    for text in (
        f"in {short.sum()} of 20 fits of the search: C=1 ({short[1]} folds, gap up to "
        f"{model.gaps_[:, 1].max():.3g}), C=100 ({short[2]} folds, gap up to",
        f"; and in the last fit, of all rows at C={model.C_:g} (gap up to "
        f"{model.certificate_.gap:.3g}). Raise max_iter, or scale the features",
    ):
        assert text in message


def test_it_fits_where_convergence_warnings_are_errors(iris):
    model = LargeMarginClassifierCV([1.0, np.inf], cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ConvergenceWarning, match="3 of 6 fits"):
            model.fit(*iris)
    assert model.scores_.shape == (3, 2) and hasattr(model, "coef_")


def test_verbose_prints_a_line_for_every_fit(iris, capsys):
    model = LargeMarginClassifierCV([1.0, 0.1], cv=2, verbose=1).fit(*iris)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert lines[0].startswith(f"fold 0, C=0.1: {model.n_iter_[0, 1]} iterations, certified gap ")
    assert lines[0].endswith(f"score {model.scores_[0, 1]:.6g}")
    assert lines[4].startswith(f"all rows, C={model.C_:g}: ")
    model.set_params(verbose=2).fit(*iris)
    assert "class setosa: iteration 1, " in capsys.readouterr().out


def test_pickled_and_cloned(cancer):
    X, y = cancer
    model = LargeMarginClassifierCV(np.array(CS), cv=FOLDS, scoring="roc_auc").fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(copy.scores_, model.scores_)
    copy.certificate_.verify(X, y)
    assert copy.score(X, y) == get_scorer("roc_auc")(model, X, y)
    again = clone(model)
    assert not hasattr(again, "C_")
    assert again.fit(X, y).C_ == model.C_
