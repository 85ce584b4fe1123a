"""The flagship with its cost chosen by cross-validation, along warm-started paths."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    process_routing,
)
from sklearn.utils.validation import _check_sample_weight

from maxmargin.estimators._cost_search import (
    Data,
    checked_grid,
    one_number,
    searched,
    shortfall,
    takes_weights,
)
from maxmargin.estimators._linear import LinearClassifier, all_or_nothing
from maxmargin.estimators._validation import at_least_two, check_numbers, encoded, validated
from maxmargin.estimators.large_margin import LargeMarginClassifier

__all__ = ["LargeMarginClassifierCV"]

Floats = npt.NDArray[np.float64]


class LargeMarginClassifierCV(LinearClassifier):
    r"""Large-margin classifier that chooses its cost C by cross-validation.

    .. math:: C^* = \arg\max_{C} \; \frac1K \sum_{k=1}^{K} s(h_{k, C})

    where :math:`h_{k, C}` is a `LargeMarginClassifier` fitted without the k-th fold and s its
    score on that fold; of equally good values the smallest. Each fold goes through the costs in
    ascending order, and starts every fit from the solution before, as LIBLINEAR's ``-C`` does.

    Parameters
    ----------
    Cs : int or array-like of float, default=10
        The costs to try; inf: the hard margin. An int: so many, on a logarithmic scale between
        1e-4 and 1e4.
    cv : int, splitter, iterable or None, default=None
        How to split the rows into folds. An int: so many stratified ones; None: 5.
    scoring : str, callable or None, default=None
        A scikit-learn scorer or its name; None: accuracy.
    refit : bool, default=True
        Whether to fit all rows at the best C. Without, there is no hyperplane and no certificate:
        only the search's own attributes are set, and `predict` fails.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        As for `LargeMarginClassifier`, and so are the following.
    tol : float, default=1e-3
        Certified gap of every fit.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    rho : float or None, default=None
        None: the intercept is free. A number: it is penalised.
    solver : {"auto", "newton", "ascent"}, default="auto"
        Of every fit.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs; balanced ones are those of the rows that a fit learns from.
    max_iter : int, default=1000
        Iterations of every fit.
    n_jobs : int or None, default=None
        Threads: for the folds, then for the last fit.
    random_state : int, RandomState instance or None, default=None
        Source of the order of the ascent. The folds have their own, in `cv`.
    verbose : int, default=0
        1: print a line for every fit; 2: for every iteration, too.

    Attributes
    ----------
    C_ : float
        The best cost.
    Cs_ : ndarray of shape (n_Cs,)
        The costs that were tried.
    scores_ : ndarray of shape (n_folds, n_Cs)
        Scores on the rows that were held back.
    gaps_ : ndarray of shape (n_folds, n_Cs)
        Certified gaps of these fits; nan or above 1 where there is no hard margin.
    n_iter_ : ndarray of shape (n_folds, n_Cs)
        Iterations of these fits.
    classes_ : ndarray of shape (n_classes,)
        The labels, of rows of positive weight.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        Normal vectors of the hyperplanes of all rows at the best cost.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Their constants.
    certificate_ : Certificate
        The proof; of the hyperplane with the largest gap.
    certificates_ : list of Certificate
        One for each hyperplane.
    history_ : structured ndarray
        Of the last fit, as in `LargeMarginClassifier`; of the hyperplane of `certificate_`.
    histories_ : list of structured ndarray
        One for each hyperplane.
    solver_ : str
        What was chosen, for the last fit.
    support_ : ndarray of int
        Rows with multipliers.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Their multipliers times their labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has string column names.

    See Also
    --------
    LargeMarginClassifier : With a cost that is given.

    Notes
    -----
    Where fits end with a gap above `tol`, as those of a hard margin must on rows that no
    hyperplane separates, one ConvergenceWarning sums them up.

    With metadata routing (``enable_metadata_routing=True``) the splitter and the scorer are given
    what they request. Without, a scorer is given the sample weights if it takes them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import LargeMarginClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = LargeMarginClassifierCV(Cs=[0.001, 0.05, 1.0, 10.0]).fit(X, y)
    >>> model.C_
    0.05
    >>> print(model.scores_.mean(axis=0).round(4))
    [0.9508 0.9789 0.9667 0.9649]
    >>> model.certificate_.gap < 1e-6
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LargeMarginClassifier._parameter_constraints,
        "Cs": [Interval(Integral, 1, None, closed="left"), "array-like"],
        "cv": ["cv_object"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
        "refit": ["boolean"],
    }
    del _parameter_constraints["C"], _parameter_constraints["warm_start"]

    def __init__(
        self,
        Cs: int | npt.ArrayLike = 10,
        *,
        cv: Any = None,
        scoring: Any = None,
        refit: bool = True,
        loss: str = "squared_hinge",
        tol: float = 1e-3,
        fit_intercept: bool = True,
        rho: float | None = None,
        solver: str = "auto",
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.loss = loss
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.rho = rho
        self.solver = solver
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, **params: Any
    ) -> Self:
        """Find the best cost, and the hyperplanes of all rows at that cost.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            C-ordered floats and canonical CSR are read in place, all else is copied once; the
            rows of a fold are copied.
        y : array of shape (n,)
            Labels of at least two classes.
        sample_weight : array of shape (n,), default=None
            Factors of the costs of each row.
        **params : dict
            What the splitter and the scorer request, such as ``groups``; needs metadata routing.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        _raise_for_params(params, self, "fit")
        with all_or_nothing(self), np.errstate(under="ignore"):
            check_numbers(self)
            self._validate_params()
            grid = checked_grid(type(self).__name__, self.Cs)
            for name in [name for name in vars(self) if name.endswith("_")]:
                delattr(self, name)  # a search without refit must not leave an old hyperplane
            data = self._data(X, y, sample_weight, params)
            seed = self.random_state
            if not isinstance(seed, Integral):  # threads must not draw from the same generator
                seed = int(check_random_state(seed).randint(2**31 - 1))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)  # summed up below
                self._search(data, grid, seed)
                if self.refit:
                    self._fit_all(data, seed)
        last = self.certificate_.gap if self.refit else 0.0
        message = shortfall(grid, self.gaps_, self.C_, last, self.tol)
        if message:
            message = f"{type(self).__name__}: {message}"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return self

    def _data(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> Data:
        X, y = validated(self, X, y, order="C")
        classes = encoded(y)[0]
        if sample_weight is not None:
            sample_weight = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
            classes = encoded(y[sample_weight > 0.0])[0]
        at_least_two(self, classes, weighted=True)
        self.classes_ = classes
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            return Data(X, y, sample_weight, routed.splitter.split, routed.scorer.score)
        weighing = sample_weight is not None and takes_weights(self._scorer())
        return Data(X, y, sample_weight, {}, {"sample_weight": sample_weight} if weighing else {})

    def _search(self, data: Data, grid: Floats, seed: Any) -> None:
        """Set what is known of every cost, and the best one."""
        splitter = check_cv(self.cv, data.y, classifier=True)
        folds = list(splitter.split(data.X, data.y, **data.split))
        if not folds:
            raise ValueError("cv gives no folds.")
        model = self._classifier(warm_start=True, n_jobs=1, random_state=seed)
        verbose = int(self.verbose)
        paths = searched(model, self._scorer(), data, grid, folds, self.n_jobs, verbose)
        self.Cs_, (self.scores_, self.gaps_, self.n_iter_) = grid, paths
        # Sorted, so that folds that swap their scores have the very same mean.
        means = np.sort(self.scores_, axis=0).mean(axis=0)
        if np.isnan(means).all():
            raise ValueError(f"scoring={self.scoring!r} gives no number for any of the Cs.")
        self.C_ = float(grid[means == np.nanmax(means)].min())

    def _fit_all(self, data: Data, seed: Any) -> None:
        """Fit all rows at the best cost, and take over what comes of it."""
        model = self._classifier(C=self.C_, n_jobs=self.n_jobs, random_state=seed)
        model.fit(data.X, data.y, data.sample_weight)
        if self.verbose:
            print(
                f"all rows, C={self.C_:g}: {model.n_iter_} iterations, certified gap "
                f"{model.certificate_.gap:.3g}"
            )
        for name, value in vars(model).items():
            if name.endswith("_") and name not in vars(self):
                setattr(self, name, value)

    def _classifier(self, **own: Any) -> LargeMarginClassifier:
        return LargeMarginClassifier(
            loss=self.loss,
            tol=self.tol,
            fit_intercept=self.fit_intercept,
            rho=self.rho,
            solver=self.solver,
            class_weight=self.class_weight,
            max_iter=self.max_iter,
            verbose=max(0, int(self.verbose) - 1),
            **own,
        )

    def decision_function(self, X: Any) -> Floats:
        """Return signed scores, positive for the second class or for each class's own rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
        """
        if hasattr(self, "C_") and not hasattr(self, "coef_"):
            raise NotFittedError(
                f"This {type(self).__name__} has only searched for C_, as refit=False asks: it "
                "has no hyperplane."
            )
        return super().decision_function(X)

    def score(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, **params: Any
    ) -> float:
        """Return what `scoring` says of the predictions; accuracy if it is None.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
            The true labels.
        sample_weight : array of shape (n,), default=None
            Weights of the rows.
        **params : dict
            With metadata routing, what else the scorer requests.

        Returns
        -------
        float
        """
        _raise_for_params(params, self, "score")
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        if get_config()["enable_metadata_routing"]:
            params = process_routing(self, "score", **params).scorer.score
        return one_number(self._scorer()(self, X, y, **params))

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who is to be given what, as scikit-learn's metadata routing asks.

        Returns
        -------
        MetadataRouter
        """
        splitting = MethodMapping().add(caller="fit", callee="split")
        scoring = MethodMapping().add(caller="fit", callee="score")
        scoring = scoring.add(caller="score", callee="score")
        router = MetadataRouter(owner=self).add_self_request(self)
        router = router.add(splitter=self.cv, method_mapping=splitting)
        return router.add(scorer=self._scorer(), method_mapping=scoring)

    def _scorer(self) -> Any:
        return get_scorer("accuracy" if self.scoring is None else self.scoring)
