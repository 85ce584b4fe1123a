"""Callbacks by scikit-learn's protocol: who is told what of a fit, and who may end it."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest
from sklearn.callback import ProgressBar
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import check_is_fitted

from certificates import blobs
from maxmargin import LargeMarginClassifier

X, Y = blobs(np.random.default_rng(0), 80, 4, 2.0)
THREE = np.digitize(X[:, 1] + X[:, 2], [-0.5, 0.5])
each_solver = pytest.mark.parametrize("solver", ["newton", "ascent"])


class Recorder:
    """Keep what happened; ask for an end after an iteration of this number."""

    def __init__(self, last=None):
        self.last, self.events, self.estimators = last, [], []

    def setup(self, estimator, context):
        self.events.append(("setup", context.task_name, context.task_id))

    def teardown(self, estimator, context):
        self.events.append(("teardown", context.task_name, context.task_id))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.events.append(("begin", context.task_name, context.task_id))
        self.data = X, y

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.events.append(("end", context.task_name, context.task_id))
        if fitted_estimator is not None:
            self.estimators.append(fitted_estimator)
        return context.task_name == "iteration" and context.task_id == self.last


class Failing(Recorder):
    def on_fit_task_end(self, estimator, context):
        raise RuntimeError("no more of this")


def running_threads():
    """Return those that keep the interpreter alive; scikit-learn leaves others to themselves."""
    return [thread for thread in threading.enumerate() if not thread.daemon]


def iterations(events):
    return [event for event in events if event[1] == "iteration"]


@each_solver
def test_the_beginning_and_the_end_of_all_there_is(solver):
    recorder = Recorder()
    model = LargeMarginClassifier(solver=solver, random_state=0).set_callbacks(recorder).fit(X, Y)
    expected = [("setup", "fit", 0), ("begin", "fit", 0)]
    for number in range(model.n_iter_):
        expected += [("begin", "iteration", number), ("end", "iteration", number)]
    assert recorder.events == [*expected, ("end", "fit", 0), ("teardown", "fit", 0)]
    assert recorder.data[0] is X and recorder.data[1] is Y
    plain = LargeMarginClassifier(solver=solver, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(plain.coef_, model.coef_)


@each_solver
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_each_class_against_the_rest_is_a_task(solver, n_jobs):
    recorder = Recorder()
    model = LargeMarginClassifier(solver=solver, n_jobs=n_jobs, random_state=0)
    model.set_callbacks(recorder).fit(X, THREE)
    events = recorder.events
    assert events[:2] == [("setup", "fit", 0), ("begin", "fit", 0)]
    assert events[-2:] == [("end", "fit", 0), ("teardown", "fit", 0)]
    for number in range(3):
        assert events.count(("begin", f"class {number}", number)) == 1
        assert events.count(("end", f"class {number}", number)) == 1
    assert len(iterations(events)) == 2 * sum(len(history) for history in model.histories_)


@each_solver
@pytest.mark.parametrize("y", [Y, THREE], ids=["two classes", "three"])
def test_a_callback_can_end_a_fit_without_a_warning(solver, y):
    recorder = Recorder(last=1)
    model = LargeMarginClassifier(solver=solver, tol=1e-9, random_state=0).set_callbacks(recorder)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X, y)
    assert model.n_iter_ == 2
    assert model.certificate_.gap > 1e-9
    assert recorder.events[-1] == ("teardown", "fit", 0)
    for certificate in model.certificates_:
        certificate.verify(X, y)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 iterations"):
        LargeMarginClassifier(solver=solver, tol=1e-9, max_iter=2, random_state=0).fit(X, y)


@each_solver
def test_there_is_a_fitted_estimator_after_each_iteration(solver):
    recorder = Recorder()
    model = LargeMarginClassifier(solver=solver, random_state=0).set_callbacks(recorder).fit(X, Y)
    assert len(recorder.estimators) == model.n_iter_ + 1
    for number, estimator in enumerate(recorder.estimators[:-1], 1):
        check_is_fitted(estimator)
        assert estimator.n_iter_ == number
        assert set(estimator.predict(X)) <= {-1, 1}
    np.testing.assert_array_equal(recorder.estimators[-1].coef_, model.coef_)
    scores = [estimator.score(X, Y) for estimator in recorder.estimators]
    assert scores[-2] == scores[-1] == model.score(X, Y)


@each_solver
@pytest.mark.parametrize("y", [Y, THREE], ids=["two classes", "three"])
def test_progress_bars_leave_no_thread_behind(solver, y, capsys):
    before = running_threads()
    model = LargeMarginClassifier(solver=solver, random_state=0).set_callbacks(ProgressBar())
    model.fit(X, y)
    assert running_threads() == before
    assert "LargeMarginClassifier" in capsys.readouterr().out
    with pytest.raises(ValueError, match="only one class"):
        model.fit(X, np.zeros(80))
    assert running_threads() == before


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("y", [Y, THREE], ids=["two classes", "three"])
def test_a_callback_that_fails_is_torn_down_and_leaves_nothing(y, n_jobs):
    recorder = Failing()
    model = LargeMarginClassifier(n_jobs=n_jobs, random_state=0).set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="no more of this"):
        model.fit(X, y)
    assert recorder.events[-1] == ("teardown", "fit", 0)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    assert [name for name in vars(model) if name.endswith("_")] == []


@pytest.mark.parametrize(
    ("change", "labels", "message"),
    [({}, np.ones(80), "only one class"), ({"C": -1.0}, Y, "The 'C' parameter")],
)
def test_a_fit_that_fails_is_torn_down_and_leaves_all_as_it_was(change, labels, message):
    recorder = Recorder()
    model = LargeMarginClassifier(random_state=0).set_callbacks(recorder).fit(X, Y)
    model.set_params(**change)
    before = dict(vars(model))
    recorder.events.clear()
    with pytest.raises(ValueError, match=message):
        model.fit(X, labels)
    assert recorder.events[0] == ("setup", "fit", 0)
    assert recorder.events[-1] == ("teardown", "fit", 0)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[name] is before[name] for name in before)


def test_a_search_propagates_its_callbacks():
    recorder = Recorder()
    recorder.max_propagation_depth = None
    search = GridSearchCV(LargeMarginClassifier(random_state=0), {"C": [0.1, 1.0]}, cv=2)
    search.set_callbacks(recorder).fit(X, Y)
    kinds = [kind for kind, *_ in iterations(recorder.events)]
    assert kinds.count("begin") == kinds.count("end") >= 5  # of four fits, and one of the best C
    assert [kind for kind, *_ in recorder.events].count("teardown") == 1
