"""The flagship: a linear support vector machine, solved to a certified distance of the optimum."""

from __future__ import annotations

import threading
import warnings
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from maxmargin import solvers
from maxmargin.estimators._callbacks import IterationWatch
from maxmargin.estimators._linear import LinearClassifier, all_or_nothing
from maxmargin.estimators._outcome import in_units
from maxmargin.estimators._soft import certified, checked_costs, scaled_costs, warning_about
from maxmargin.estimators._threads import in_threads, one_blas_thread
from maxmargin.estimators._validation import at_least_two, check_numbers, encoded, validated
from maxmargin.patterns import Patterns
from maxmargin.solvers import Objective, Passes, Problem, Progress, Solution, Start

__all__ = ["LargeMarginClassifier"]

Floats = npt.NDArray[np.float64]


class LargeMarginClassifier(CallbackSupportMixin, LinearClassifier):
    r"""Linear classifier of largest soft margin, with a proof that no other one is much better.

    .. math:: \min_{w, b} \; \tfrac12 \|w\|^2
              + \sum_k C_k \max(0, 1 - l_k (w \cdot x_k + b))^p

    with p = 2 (squared hinge) or p = 1 (hinge); for ``C=np.inf`` the hyperplane of the largest
    margin (S1, eq. 2.6). The fit ends when the margin :math:`1 / \sqrt{2 P}` that is achieved is
    within `tol` of :math:`1 / \sqrt{2 D}`, what any hyperplane can have at most by the dual D.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a pattern short of its margin; inf: none may be.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        What it is proportional to: the square of what is missing, or that itself.
    tol : float, default=1e-3
        Certified gap ``1 - lower / upper`` at which the fit ends. The objective is then at most
        ``2 * tol`` above its minimum, relatively.
    fit_intercept : bool, default=True
        Whether there is an intercept; without, the hyperplane goes through the origin.
    rho : float or None, default=None
        None: the intercept is free, as in `SVC`. A number: it is penalised as the weight of a
        feature of that value, as LIBLINEAR's ``intercept_scaling`` (S1, section 2).
    solver : {"auto", "newton", "ascent"}, default="auto"
        Newton's method with a matrix of all pairs of features: for many rows of few features.
        Dual ascent, a row at a time: for many features. See Notes.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs of each class.
    n_jobs : int or None, default=None
        Threads: for the hyperplanes of more than two classes, or the passes over the rows of one.
    warm_start : bool, default=False
        Go on from the last solution, of data of the same width and classes.
    max_iter : int, default=1000
        Steps of Newton's method or sweeps of the ascent after which the fit is cut short, with a
        ConvergenceWarning that states the gap.
    random_state : int, RandomState instance or None, default=None
        Source of the order of the ascent.
    verbose : int, default=0
        Print a line for every iteration.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        Normal vectors of the hyperplanes; one for two classes, else one for each class against
        the rest.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Their constants. Where the best one is not unique, the middle of its interval.
    classes_ : ndarray of shape (n_classes,)
        The labels, of rows of positive weight.
    certificate_ : Certificate
        The proof; of the hyperplane with the largest gap.
    certificates_ : list of Certificate
        One for each hyperplane.
    history_ : structured ndarray
        One row an iteration with fields ``passes`` (row products divided by n), ``lower``,
        ``upper`` and ``certified``. Of the hyperplane of `certificate_`.
    histories_ : list of structured ndarray
        One for each hyperplane.
    n_iter_ : int
        Iterations, of the hyperplane that took most.
    solver_ : str
        What was chosen.
    support_ : ndarray of int
        Rows with multipliers.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        Their multipliers times their labels: the solution of the dual problem.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has string column names.

    See Also
    --------
    LargeMarginClassifierCV : Finds C by cross-validation, from warm starts.

    Notes
    -----
    ``solver="auto"`` takes Newton's method for a few hundred features and many more rows, and for
    all small data; the ascent for thousands of features, sparse ones above all, and where C is so
    small that a few sweeps will do. :mod:`maxmargin.solvers.choice` has the formula.

    Rows of weight zero are left out, as if they were not there.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import LargeMarginClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = LargeMarginClassifier(C=0.1).fit(X, y)
    >>> print(f"{model.certificate_.primal:.4f} {model.score(X, y):.4f}")
    4.3670 0.9877
    >>> model.certificate_.gap < 1e-6
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="right")],
        "loss": [StrOptions({solvers.SQUARED_HINGE, solvers.HINGE})],
        "tol": [Interval(Real, 0, 1, closed="neither")],
        "fit_intercept": ["boolean"],
        "rho": [Interval(Real, 0, None, closed="neither"), None],
        "solver": [StrOptions({"auto", solvers.NEWTON, solvers.ASCENT})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [Integral, None],
        "warm_start": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: str = "squared_hinge",
        tol: float = 1e-3,
        fit_intercept: bool = True,
        rho: float | None = None,
        solver: str = "auto",
        class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        max_iter: int = 1000,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.loss = loss
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.rho = rho
        self.solver = solver
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Find the hyperplanes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            C-ordered floats and canonical CSR are read in place, all else is copied once.
        y : array of shape (n,)
            Labels of at least two classes.
        sample_weight : array of shape (n,), default=None
            Factors of the costs of each row.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        # Before anything can fail: what is torn down at the end must have been set up.
        context = self._init_callback_context(max_subtasks=None)
        given = {"X": X, "y": y}
        with all_or_nothing(self), np.errstate(under="ignore"):
            check_numbers(self)
            self._validate_params()
            context.call_on_fit_task_begin(estimator=self, **given)
            warning = self._fit(X, y, sample_weight, context, given)
            context.call_on_fit_task_end(estimator=self, **given, reconstruction_attributes=dict)
        if warning:
            warnings.warn(warning, ConvergenceWarning, stacklevel=3)
        return self

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, context: Any, given: dict[str, Any]
    ) -> str | None:
        """Fit, and return what there is to warn of."""
        X, y = validated(self, X, y, order="C")
        costs = checked_costs(self, X, y, sample_weight)
        classes, codes = encoded(y)
        labels, counting = classes, costs > 0.0
        if not counting.all():
            X = X[counting]
            classes, codes = encoded(y[counting])
        at_least_two(self, classes, weighted=True)
        cancelled = threading.Event()
        # Several hyperplanes share the threads; of a single one, its blocks of rows do.
        workers = effective_n_jobs(self.n_jobs) if classes.size == 2 else 1
        with solvers.threads(workers) as each_of:
            tasks = self._tasks(X, codes, classes, costs, each_of)
            watches = self._watches(tasks, classes, context, given, cancelled)
            solutions = self._solved(tasks, watches, cancelled)
        positives, unit = classes[-len(tasks) :], tasks[0].objective.patterns.unit
        self._set_certificates(
            [
                certified(task.objective, solution, costs, labels, positive)
                for task, solution, positive in zip(tasks, solutions, positives, strict=True)
            ],
            [in_units(solution.history, unit) for solution in solutions],
        )
        self._set_attributes(tasks, solutions, classes, counting)
        return warning_about(self, [task.objective for task in tasks], solutions)

    def _tasks(
        self,
        X: Any,
        codes: npt.NDArray[np.intp],
        classes: npt.NDArray[Any],
        costs: Floats,
        each_of: Any,
    ) -> list[Problem]:
        """Return what there is to solve, one task for each hyperplane."""
        free = bool(self.fit_intercept) and self.rho is None
        rho = "auto" if free else self.rho if self.fit_intercept else None
        patterns = Patterns.build(X, None, rho)
        hard = self.C == np.inf
        counting = costs > 0.0
        scaled = (
            np.ones(patterns.count) if hard else scaled_costs(costs[counting], patterns, self.C)
        )
        first = 1 if classes.size == 2 else 0
        starts = self._starts(patterns, classes, costs, free)
        passes = Passes(patterns, each_of)
        tasks = []
        for code in range(first, classes.size):
            mine = passes.relabelled(np.where(codes == code, 1, -1))
            loss = solvers.HARD if hard else self.loss
            objective = Objective(mine.patterns, loss, scaled, free)
            method = self._method(objective)
            tasks.append(Problem(objective, mine, method, starts[code - first]))
        return tasks

    def _method(self, objective: Objective) -> str:
        if self.solver == "auto":
            return solvers.best_method(objective)
        if self.solver == solvers.NEWTON and not solvers.has_room(objective):
            size = solvers.matrix_bytes(objective) / 2**30
            raise ValueError(
                f"solver='newton' keeps matrices of all pairs of features: {size:.0f} GiB each "
                f"for {objective.patterns.dimension} of them. solver='ascent' needs none."
            )
        return str(self.solver)

    def _starts(
        self, patterns: Patterns, classes: npt.NDArray[Any], costs: Floats, free: bool
    ) -> list[Start | None]:
        count = 1 if classes.size == 2 else classes.size
        if not (self.warm_start and hasattr(self, "coef_")):
            return [None] * count
        self._check_same_shape(patterns.dimension - 1, classes)
        starts: list[Start | None] = []
        for certificate in self.certificates_:
            alpha = certificate.dual_weights.toarray().ravel()  # they will be scaled as suits
            if alpha.size != costs.size:
                alpha = np.zeros(costs.size)
            weights = patterns.augmented(certificate.coef, certificate.intercept)
            last = None if self.C == np.inf else self.loss, free
            solved = last == (certificate.loss, certificate.free_intercept)
            if certificate.costs is not None:
                solved &= np.array_equal(certificate.costs, costs)
            starts.append(Start(weights, alpha[costs > 0.0], solved))
        return starts

    def _watches(
        self,
        tasks: list[Problem],
        classes: npt.NDArray[Any],
        context: Any,
        given: dict[str, Any],
        cancelled: threading.Event,
    ) -> list[IterationWatch]:
        """Return who is told of the iterations of each hyperplane."""
        listening = bool(getattr(self, "_skl_callbacks", None))
        if len(tasks) == 1:
            made = partial(self._in_between, tasks[0], classes)
            mine = context if listening else None
            return [IterationWatch(self, mine, given, made, "fit", cancelled)]
        watches = []
        for positive in classes:
            name, mine = f"class {positive}", None
            if listening:
                mine = context.subcontext(name, max_subtasks=self.max_iter)
                mine.call_on_fit_task_begin(estimator=self, **given)
            watches.append(IterationWatch(self, mine, given, None, name, cancelled))
        return watches

    def _in_between(
        self, task: Problem, classes: npt.NDArray[Any], progress: Progress
    ) -> dict[str, Any]:
        """Return what a fitted estimator has, before the fit is over."""
        coef, intercept = task.objective.patterns.hyperplane(progress.latest)
        return {
            "classes_": classes,
            "coef_": coef[None, :],
            "intercept_": np.array([intercept]),
            "n_iter_": progress.iterations,
        }

    def _solved(
        self, tasks: list[Problem], watches: list[IterationWatch], cancelled: threading.Event
    ) -> list[Solution]:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        jobs = []
        for task, watch in zip(tasks, watches, strict=True):
            progress = Progress(task.objective, task.passes, self.tol, self.max_iter, watch)
            solve = partial(solvers.solve, task, progress, np.random.default_rng(seed))
            jobs.append(solve if len(tasks) == 1 else partial(watch.closing, solve))
        with one_blas_thread():
            return in_threads(jobs, self.n_jobs, cancelled)

    def _set_attributes(
        self,
        tasks: list[Problem],
        solutions: list[Solution],
        classes: npt.NDArray[Any],
        counting: npt.NDArray[np.bool_],
    ) -> None:
        self.classes_ = classes
        self.coef_ = np.array([certificate.coef for certificate in self.certificates_])
        self.intercept_ = np.array([certificate.intercept for certificate in self.certificates_])
        self.n_iter_ = max(solution.iterations for solution in solutions)
        self.solver_ = tasks[0].method
        signed = np.zeros((len(tasks), counting.size))
        for row, task, solution in zip(signed, tasks, solutions, strict=True):
            patterns = task.objective.patterns
            row[counting] = solution.alpha * patterns.labels
        unit = tasks[0].objective.patterns.unit
        self.support_ = np.flatnonzero(signed.any(axis=0)).astype(np.int32)
        with np.errstate(over="ignore"):  # of data of extreme magnitude they may be no numbers
            self.dual_coef_ = signed[:, self.support_] * unit * unit
