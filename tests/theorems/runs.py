"""One run, made by the slow references and by the package: a theorem is about all of them.

`Reference` and `Package` offer each algorithm under the same name with the same arguments, and
give the same account of what it did, a `naive.Trace`. The package is run by the public `fit` of
its estimators. To see every single update the same run is made a second time by the engine, in
the smallest portions it knows, which has to end where `fit` did.
"""

import warnings
from itertools import islice

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import naive
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
from maxmargin.patterns import Patterns
from maxmargin.search import Bisection


class Reference:
    """The algorithms of `naive`, on the patterns of a problem."""

    def __getattr__(self, algorithm):
        run = getattr(naive, algorithm)
        return lambda problem, *arguments, **named: run(problem.Y, *arguments, **named)


class Package:
    """The estimators of the package, on data of one layout."""

    def __init__(self, layout):
        self.layout = layout

    def perceptron(self, problem, margin=0.0, learning_rate=1.0, schedule=None, **limits):
        if margin == 0.0 and schedule is None:
            return self._run(Perceptron(learning_rate), problem, **limits)
        words = {"learning_rate": learning_rate, "schedule": over_arrays(schedule)}
        return self._run(MarginPerceptron(margin, **words), problem, **limits)

    def batch_perceptron(self, problem, learning_rate=1.0, schedule=None, **limits):
        model = BatchPerceptron(learning_rate, schedule=over_arrays(schedule))
        return self._run(model, problem, **limits)

    def relaxation(self, problem, margin=1.0, target=None, relaxation=1.0, **limits):
        model = RelaxationPerceptron(margin, target=target, relaxation=relaxation)
        return self._run(model, problem, **limits)

    def fixed_margin(
        self, problem, margin, length="free", step="unit", learning_rate=1.0, **limits
    ):
        if margin == 0.0:  # then all forms of the step are one
            model = MarginPerceptron(0.0, normalized=True, learning_rate=learning_rate)
        else:
            words = {"length": length, "step": step, "learning_rate": learning_rate}
            model = FixedMarginPerceptron(margin, **words)
        return self._run(model, problem, **limits)

    def bolzano(self, problem, variant=1, precision=1e-3, max_checks=100, **limits):
        model = WatchedBolzano(variant, precision=precision, max_checks=max_checks)
        converged = self.fit(model, problem, **limits)
        a, alpha = hyperplane(model, problem)
        rounds, best = model.search_.rounds, model.search_.best_margin
        return naive.Trace(a, alpha, 0 * a, [a], [], model.n_iter_, converged, rounds, best)

    def min_over(self, problem, target=50.0, start_multipliers=None, **limits):
        init = (
            "zero" if start_multipliers is None or not any(start_multipliers) else start_multipliers
        )
        return self._run(MinOverPerceptron(target, init=init), problem, **limits)

    def dynamic_margin(self, problem, epsilon=0.1, **limits):
        model = DynamicMarginPerceptron(epsilon, recenter=False, active_set=False)
        return self._run(model, problem, **limits)

    def fit(self, model, problem, max_epochs=1000, start=None):
        """Fit an estimator to a problem, in its order; return whether it met its own rule."""
        model.set_params(fit_intercept=problem.rho is not None, max_iter=max_epochs)
        if problem.rho is not None:
            model.set_params(rho=problem.rho)
        if hasattr(model, "shuffle"):
            model.set_params(shuffle=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(self.layout(problem.X), problem.labels, *initial(problem, start))
        assert {warning.category for warning in caught} <= {ConvergenceWarning}
        return not caught

    def _run(self, model, problem, start=None, **limits):
        converged = self.fit(model, problem, start=start, **limits)
        trace = self._again(model, problem, start)
        assert len(trace.updates) == model.n_updates_
        if converged:  # otherwise the model is the best of the run, not its last state
            a, alpha = hyperplane(model, problem)
            np.testing.assert_allclose(trace.a, a, rtol=1e-9, atol=1e-12 * naive.norm(a))
            np.testing.assert_allclose(trace.alpha, alpha, rtol=1e-9, atol=1e-12 * alpha.sum())
            trace.a, trace.alpha = a, alpha
        trace.epochs, trace.converged = model.n_iter_, converged
        trace.A = getattr(model, "guarantee_", np.inf)
        return trace

    def _again(self, model, problem, start):
        """Repeat the updates of a fit and look at the weights after each."""
        patterns = Patterns.build(self.layout(problem.X), problem.labels, problem.rho)
        (begin,) = model._starts(patterns, model.classes_, *initial(problem, start))
        learner = model._learner(patterns, begin)
        size = problem.Y.shape[1]
        a, alpha = learner.current()
        trace = naive.Trace(a[:size], alpha, a[:size], [a[:size]])
        looks = portions(model, learner, model._rule(patterns))
        for corrected in islice(looks, model.n_iter_ * patterns.count):
            if len(corrected):
                a, alpha = learner.current()
                trace.updates += [(k, alpha[k] - trace.alpha[k]) for k in corrected]
                trace.a, trace.alpha = a[:size], alpha
                trace.path.append(trace.a)
            if learner.updates >= model.n_updates_:
                break
        return trace


def portions(model, learner, rule):
    """Look at as few patterns as the algorithm allows, over and over; yield those corrected.

    Whoever looks on after an epoch without a correction knows that it was not the end: `fit` has
    found the scores positive, but not provably, and has insisted on more.
    """
    if isinstance(model, BatchPerceptron):
        return at_once(learner, learner.all_together, rule)
    if isinstance(model, MinOverPerceptron):
        rates = learner.schedule
        learner.schedule = lambda done, count: rates(done, 1)  # for one correction only
        return at_once(learner, learner.worst_first, rule)
    return one_by_one(learner, rule)


def at_once(learner, look, rule):
    while True:
        before = learner.alpha.copy()
        look(rule)
        corrected = np.flatnonzero(learner.alpha != before)
        yield corrected
        if len(corrected) == 0:
            learner.insist()


def one_by_one(learner, rule):
    while True:
        start_of_epoch = learner.updates
        for row in range(learner.patterns.count):
            learner.order = Alone(row)
            before = learner.updates
            learner.one_by_one(rule)
            yield [row] * (learner.updates - before)
        if learner.updates == start_of_epoch:
            learner.insist()


class Alone:
    """The order that consists of one row."""

    def __init__(self, row):
        self.rows = np.array([row], dtype=np.uint32)

    def next(self):
        return self.rows


class WatchedBisection(Bisection):
    """A bisection that tells of its rounds."""

    rounds = ()

    def _round(self, beta):
        success = super()._round(beta)
        self.rounds = [*self.rounds, (beta, success)]
        return success


class WatchedBolzano(BolzanoPerceptron):
    """A Bolzano perceptron that leaves its bisection to be looked at."""

    def _search(self, monitor, patterns):
        self.search_ = WatchedBisection(monitor, self.variant, self.precision, self.max_checks)
        return self.search_.solve()


def initial(problem, start):
    """Return coefficients and intercept of a start vector."""
    if start is None:
        return None, None
    if problem.rho is None:
        return start, None
    return start[:-1], start[-1] * problem.rho


def hyperplane(model, problem):
    """Return the weight vector and the multipliers of a fitted model."""
    a = model.coef_[0]
    if problem.rho is not None:
        a = np.append(a, model.intercept_[0] / problem.rho)
    alpha = np.zeros(len(problem.Y))
    alpha[model.support_] = model.dual_coef_[0] * problem.labels[model.support_]
    return a, alpha


def over_arrays(schedule):
    """Return a schedule as the estimators want it: a word, or a function of an array."""
    if schedule is None:
        return "constant"
    return lambda numbers: np.array([schedule(int(number)) for number in numbers], dtype=float)


DENSE, CSR = Package(np.ascontiguousarray), Package(sparse.csr_array)
by_all = pytest.mark.parametrize("by", [Reference(), DENSE, CSR], ids=["naive", "dense", "csr"])
by_package = pytest.mark.parametrize("by", [DENSE, CSR], ids=["dense", "csr"])
