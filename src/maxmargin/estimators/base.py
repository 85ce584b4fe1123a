"""What the scikit-learn classes of the family share: everything but the rule.

Data goes one way: ``X, y -> Patterns -> engine -> Solution -> Certificate -> attributes``.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, Options

from maxmargin.certificate import Certificate
from maxmargin.engine import Learner
from maxmargin.estimators._linear import LinearClassifier, all_or_nothing
from maxmargin.estimators._outcome import certified, explanation, in_units
from maxmargin.estimators._threads import in_threads
from maxmargin.estimators._validation import (
    at_least_two,
    check_numbers,
    checked_start,
    encoded,
    validated,
)
from maxmargin.loops import Seen
from maxmargin.monitor import Monitor, Solution, run_side_by_side
from maxmargin.orders import Order
from maxmargin.patterns import Patterns
from maxmargin.rules import Rule
from maxmargin.schedules import Schedule, constant

__all__ = ["AdditivePerceptron", "OnlinePerceptron", "Start"]

Floats = npt.NDArray[np.float64]

_LONGEST_START = 1e200  # squared, with room for corrections


Look = Callable[[Learner, Rule], Seen]


class Start(NamedTuple):
    """Where a hyperplane starts; None is zero."""

    weights: Floats | None
    alpha: Floats | None

    def of_length(self, length: float) -> Start:
        """Return the same direction, with weights of this length; zero has none and stays."""
        if self.weights is None or not self.weights.any():
            return self
        largest = np.abs(self.weights).max()  # first: the squares of a short start would vanish
        factor = length / float(np.linalg.norm(self.weights / largest))
        alpha = None if self.alpha is None else self.alpha / largest * factor
        return Start(self.weights / largest * factor, alpha)


class Run(NamedTuple):
    """What there is to learn for one hyperplane."""

    patterns: Patterns
    start: Start
    name: str


class AdditivePerceptron(LinearClassifier):
    """Base class: one hyperplane for two classes, one against the rest for more.

    A member of the family says which rule it is (:meth:`_rule`), at which rates it learns
    (:meth:`_schedule`) and how it looks at the patterns (:meth:`_look`).
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "tol": [Interval(Real, 0, 1, closed="neither"), None],
        "rho": [Interval(Real, 0, None, closed="neither"), Options(str, {"auto"})],
        "fit_intercept": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "warm_start": ["boolean"],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        tol: float | None,
        rho: float | str,
        fit_intercept: bool,
        max_iter: int,
        warm_start: bool,
        n_jobs: int | None,
        verbose: int,
    ) -> None:
        self.tol = tol
        self.rho = rho
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: npt.ArrayLike,
        coef_init: npt.ArrayLike | None = None,
        intercept_init: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            C-ordered floats and canonical CSR are read in place, all else is copied once.
        y : array of shape (n,)
            Labels of at least two classes.
        coef_init : array of shape (d,) or (n_hyperplanes, d), default=None
            Weights to start from, zero if not given.
        intercept_init : float or array of shape (n_hyperplanes,), default=None
            Intercepts to start from; one number is that of all hyperplanes.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        # Beside large numbers small ones may vanish, whatever NumPy was told to think of that.
        with all_or_nothing(self), np.errstate(under="ignore"):
            check_numbers(self)
            self._validate_params()
            X, y = validated(self, X, y, order="C")
            classes, codes = encoded(y)
            at_least_two(self, classes)
            rho = self.rho if isinstance(self.rho, str) else float(self.rho)
            patterns = Patterns.build(X, None, rho if self.fit_intercept else None)
            first = 1 if classes.size == 2 else 0
            tasks = [
                patterns.relabelled(np.where(codes == code, 1, -1).astype(np.int8))
                for code in range(first, classes.size)
            ]
            starts = self._starts(patterns, classes, coef_init, intercept_init)
            solutions = self._solve(tasks, starts, classes[first:])
            self._set_attributes(tasks, solutions, classes)
        self._warn_unless_ended(solutions)
        return self

    def _rule(self, patterns: Patterns) -> Rule:
        """Return the rule, its parameters in the units of the (rescaled) patterns."""
        raise NotImplementedError

    def _schedule(self, patterns: Patterns) -> Schedule:
        """Return the learning rates; 1 where the direction does not depend on them."""
        return constant(1.0)

    def _look(self) -> Look:
        """Return the way in which the learner looks at the patterns."""
        return Learner.one_by_one

    def _learner(self, patterns: Patterns, start: Start, **context: Any) -> Learner:
        """Return the learner at its start."""
        weights, alpha = start
        schedule = self._schedule(patterns)
        learner = Learner(patterns, schedule, weights=weights, alpha=alpha, **context)
        if not learner.state.square < _LONGEST_START:
            raise ValueError(
                "The weights to start from (coef_init, intercept_init, init or those of the last "
                "fit) are too large: their squares would overflow."
            )
        return learner

    def _search(self, monitor: Monitor, patterns: Patterns) -> Solution:
        """Run the algorithm to its end."""
        monitor.run(self._rule(patterns), self._look())
        return monitor.solution()

    def _hyperplane(self, patterns: Patterns, solution: Solution) -> Floats:
        """Return the weights that classify, made of those that were trained."""
        return solution.state.weights

    def _shares_passes(self, patterns: Patterns) -> bool:
        """Tell whether the hyperplanes of several classes learn in the same passes."""
        searches = type(self)._search is not AdditivePerceptron._search
        plain = self._look() is Learner.one_by_one and not searches
        return plain and patterns.rows.gain_side_by_side

    def _learn(
        self,
        runs: Sequence[Run],
        seed: int | None,
        cancelled: threading.Event,
    ) -> list[Solution]:
        """Find hyperplanes over the same rows, in common passes if there are several."""
        random_state = None if seed is None else np.random.RandomState(seed)
        order = Order(runs[0].patterns.count, random_state)
        monitors = []
        for patterns, start, name in runs:
            learner = self._learner(patterns, start, order=order, cancelled=cancelled)
            monitors.append(Monitor(learner, self.max_iter, self.tol, self.verbose, name))
        if len(runs) == 1:
            return [self._search(monitors[0], runs[0].patterns)]
        run_side_by_side(monitors, self._rule(runs[0].patterns))
        return [monitor.solution() for monitor in monitors]

    def _seed(self) -> int | None:
        """Return the seed of the order, the same for all hyperplanes; None: as rows come."""
        return None

    def _solve(self, tasks: list[Patterns], starts: list[Start], positives: Any) -> list[Solution]:
        names = [f"class {positive}" for positive in positives]
        runs = [Run(*run) for run in zip(tasks, starts, names, strict=True)]
        together = self._shares_passes(tasks[0])
        groups = effective_n_jobs(self.n_jobs) if together else len(runs)
        seed, cancelled = self._seed(), threading.Event()
        jobs = [
            partial(self._learn, runs[part[0] : part[-1] + 1], seed, cancelled)
            for part in np.array_split(np.arange(len(runs)), min(groups, len(runs)))
        ]
        return [
            solution for group in in_threads(jobs, self.n_jobs, cancelled) for solution in group
        ]

    def _starts(
        self, patterns: Patterns, classes: Any, coef_init: Any, intercept_init: Any
    ) -> list[Start]:
        """Return weights and multipliers to start each hyperplane from."""
        count = 1 if classes.size == 2 else classes.size
        if coef_init is None and intercept_init is None:
            if not (self.warm_start and hasattr(self, "coef_")):
                return [Start(None, None)] * count
            return self._last_states(patterns, classes)
        coef = np.zeros((count, patterns.dimension - 1))
        if coef_init is not None:
            coef[:] = checked_start("coef_init", coef_init, coef.shape)
        intercept = np.zeros(count)
        if intercept_init is not None:
            intercept[:] = checked_start("intercept_init", intercept_init, (count,))
        if intercept.any() and not self.fit_intercept:
            raise ValueError("intercept_init is not zero, but fit_intercept=False.")
        return [Start(patterns.augmented(w, b), None) for w, b in zip(coef, intercept, strict=True)]

    def _last_states(self, patterns: Patterns, classes: Any) -> list[Start]:
        self._check_same_shape(patterns.dimension - 1, classes)
        starts = []
        for trained, certificate, dual in zip(
            self._trained, self.certificates_, self.dual_coef_, strict=True
        ):
            alpha = None
            if certificate.dual_weights.shape[1] == patterns.count:
                alpha = np.zeros(patterns.count)
                alpha[self.support_] = np.abs(dual)
            starts.append(Start(patterns.augmented(trained[:-1], trained[-1]), alpha))
        return starts

    def _set_attributes(
        self, tasks: list[Patterns], solutions: list[Solution], classes: Any
    ) -> None:
        """Turn the solutions into scikit-learn's attributes."""
        hyperplanes, certificates, trained = [], [], []
        positives = classes[-len(tasks) :]
        for patterns, solution, positive in zip(tasks, solutions, positives, strict=True):
            weights = self._hyperplane(patterns, solution)
            hyperplanes.append(patterns.hyperplane(weights))
            trained.append(patterns.hyperplane(solution.state.weights))
            certificates.append(certified(patterns, weights, solution, classes, positive))
        self.classes_ = classes
        self.coef_ = np.array([coef for coef, _ in hyperplanes])
        self.intercept_ = np.array([intercept for _, intercept in hyperplanes])
        self._trained = np.array([np.append(*hyperplane) for hyperplane in trained])
        histories = [
            in_units(solution.history, patterns.unit)
            for patterns, solution in zip(tasks, solutions, strict=True)
        ]
        self._set_certificates(certificates, histories)
        self.n_iter_ = max(solution.epochs for solution in solutions)
        self.n_updates_ = sum(solution.updates for solution in solutions)
        multipliers = np.array([solution.state.alpha for solution in solutions])
        self.support_ = np.flatnonzero(multipliers.any(axis=0)).astype(np.int32)
        labels = np.array([patterns.labels[self.support_] for patterns in tasks])
        self.dual_coef_ = multipliers[:, self.support_] * labels

    def _warn_unless_ended(self, solutions: list[Solution]) -> None:
        for solution, certificate in zip(solutions, self.certificates_, strict=True):
            if solution.ended_by not in ("rule", "tol"):
                name, advice = type(self).__name__, self._advice(solution, certificate)
                message = explanation(name, solution, certificate, self.max_iter, advice)
                warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _advice(self, solution: Solution, certificate: Certificate) -> str:
        """Name the one thing to change when a run was cut short."""
        if certificate.separable is False:
            return "No number of epochs will separate them."
        return "Raise max_iter."


class OnlinePerceptron(AdditivePerceptron):
    """Base class of the members that look at one pattern at a time, in an order."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AdditivePerceptron._parameter_constraints,
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(self, *, shuffle: bool, random_state: Any, **shared: Any) -> None:
        super().__init__(**shared)
        self.shuffle = shuffle
        self.random_state = random_state

    def _seed(self) -> int | None:
        if not self.shuffle or self._look() is Learner.all_together:
            return None
        return int(check_random_state(self.random_state).randint(2**31 - 1))
