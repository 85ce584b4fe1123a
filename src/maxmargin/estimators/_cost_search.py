"""The search of a cost by cross-validation: a path of fits for every fold, each scored."""

from __future__ import annotations

import inspect
import threading
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn import config_context, get_config
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import _check_method_params

from maxmargin.estimators._threads import in_threads

__all__ = ["Data", "Paths", "checked_grid", "one_number", "searched", "shortfall", "takes_weights"]

Floats = npt.NDArray[np.float64]

#: Powers of ten between which an integer number of costs is spread.
_LEAST, _MOST = -4, 4


class Data(NamedTuple):
    """What is learnt from, and what the splitter and the scorer are told beyond it."""

    X: Any
    y: npt.NDArray[Any]
    sample_weight: Floats | None
    split: dict[str, Any]
    score: dict[str, Any]


class Paths(NamedTuple):
    """What came of the fits of one fold, at every cost; of several, one row for each."""

    scores: Floats
    gaps: Floats
    iterations: npt.NDArray[np.int_]


def checked_grid(name: str, Cs: Any) -> Floats:
    """Return the costs to try, in the order in which they were given."""
    if isinstance(Cs, Integral):
        return np.logspace(_LEAST, _MOST, int(Cs))
    try:
        array = np.asarray(Cs)
        fine = array.ndim == 1 and array.size > 0 and array.dtype.kind in "iufO"
        grid = array.astype(np.float64) if fine else np.zeros(1)
    except (TypeError, ValueError, ArithmeticError):
        grid = np.zeros(1)
    if not (grid > 0.0).all():
        raise InvalidParameterError(
            f"The 'Cs' parameter of {name} must be an int or a list of positive numbers, inf "
            f"allowed. Got {Cs!r} instead."
        )
    return grid


def searched(
    model: Any, scorer: Any, data: Data, grid: Floats, folds: Any, n_jobs: int | None, verbose: int
) -> Paths:
    """Fit copies of a model at all costs in every fold, and score them.

    Parameters
    ----------
    model : LargeMarginClassifier
        Its parameters, with warm_start=True.
    scorer : callable
    data : Data
    grid : ndarray of shape (n_Cs,)
        The costs.
    folds : list of pairs of indices
        Rows to learn from, and rows held back.
    n_jobs : int or None
        Threads, for the folds.
    verbose : int
        Whether to print a line for every fit.
    """
    cancelled = threading.Event()
    settings = get_config()  # a thread starts with scikit-learn's defaults
    walk = partial(_path, scorer=scorer, data=data, grid=grid, cancelled=cancelled, verbose=verbose)

    def job(number: int, train: Any, test: Any) -> Paths:
        with config_context(**settings):
            return walk(clone(model), number, train, test)

    jobs = [partial(job, number, *fold) for number, fold in enumerate(folds)]
    paths = in_threads(jobs, n_jobs, cancelled)
    return Paths(*(np.array(part) for part in zip(*paths, strict=True)))


def _path(
    model: Any,
    number: int,
    train: Any,
    test: Any,
    *,
    scorer: Any,
    data: Data,
    grid: Floats,
    cancelled: threading.Event,
    verbose: int,
) -> Paths:
    """Fit one fold at all costs, the smallest first, each from the solution before."""
    X, y, weight = (None if part is None else _safe_indexing(part, train) for part in data[:3])
    held_back = _safe_indexing(data.X, test), _safe_indexing(data.y, test)
    params = _check_method_params(data.X, data.score, test)
    path = Paths(np.zeros(grid.size), np.zeros(grid.size), np.zeros(grid.size, dtype=int))
    for place in np.argsort(grid, kind="stable"):
        if cancelled.is_set():
            break
        C = float(grid[place])
        try:
            model.set_params(C=C).fit(X, y, weight)
            score = one_number(scorer(model, *held_back, **params))
        except Exception as error:
            error.add_note(f"In fold {number} of the search, at C={C:g}.")
            raise
        gap = model.certificate_.gap
        path.scores[place], path.gaps[place], path.iterations[place] = score, gap, model.n_iter_
        if verbose:
            print(
                f"fold {number}, C={C:g}: {model.n_iter_} iterations, certified gap {gap:.3g}, "
                f"score {score:.6g}"
            )
    return path


def takes_weights(scorer: Any) -> bool:
    """Tell whether a scorer, or the function it is made of, has an argument for weights."""
    function = getattr(scorer, "_score_func", scorer)
    return "sample_weight" in inspect.signature(function).parameters


def one_number(score: Any) -> float:
    """Return a score as a float, or say that it is none."""
    if not isinstance(score, Real):
        raise ValueError(f"scoring must give one number, got {score!r}.")
    return float(score)


def shortfall(grid: Floats, gaps: Floats, C: float, last: float, tol: float) -> str | None:
    """Say which fits ended above the gap asked for, and what to change; or nothing.

    Parameters
    ----------
    grid : ndarray of shape (n_Cs,)
    gaps : ndarray of shape (n_folds, n_Cs)
        Those of the search.
    C, last : float
        Cost and gap of the last fit, 0 if there was none.
    tol : float
    """
    missed = ~(gaps <= tol)
    parts, hopeless = [], []
    if missed.any():
        where = []
        for cost, fits, reached in zip(grid, missed.T, gaps.T, strict=True):
            if fits.any():
                hopeless.append(cost == np.inf and not reached.max() < 1.0)
                where.append(f"C={cost:g} ({fits.sum()} folds, {_reached(cost, reached)})")
        parts.append(f"{missed.sum()} of {missed.size} fits of the search: {', '.join(where)}")
    if not last <= tol:
        hopeless.append(C == np.inf and not last < 1.0)
        parts.append(f"the last fit, of all rows at C={C:g} ({_reached(C, np.array([last]))})")
    if not parts:
        return None
    advice = "Raise max_iter, or scale the features to similar ranges."
    if all(hopeless):
        advice = "Leave inf out of Cs."
    return f"a certified gap of tol={tol:g} was not reached in {'; and in '.join(parts)}. {advice}"


def _reached(C: float, gaps: Floats) -> str:
    largest = gaps.max()
    if C == np.inf and not largest < 1.0:
        return "no hard margin"
    return f"gap up to {largest:.3g}"
