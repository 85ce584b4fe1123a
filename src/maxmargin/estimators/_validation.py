"""What is checked before anything is learnt or predicted, in words that name what is wrong."""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from maxmargin.sparse_input import check_sparse

__all__ = ["at_least_two", "check_numbers", "checked_start", "encoded", "numbers", "validated"]

Floats = npt.NDArray[np.float64]

#: Integers in a range of so many are counted.
_CLOSE = 2**15

_X, _Y = "X is no matrix of real numbers", "The labels in y cannot be told apart"
_REFUSED = (TypeError, ValueError, ArithmeticError)


def check_numbers(estimator: BaseEstimator) -> None:
    """Refuse parameters that scikit-learn takes for numbers, but that are none to compute with."""
    for name, value in estimator.get_params(deep=False).items():
        constraints = estimator._parameter_constraints.get(name, ["boolean"])
        if "boolean" in constraints or not isinstance(value, Real):
            continue
        if isinstance(value, bool):
            wanted, fine = "a number, not a boolean", "verbose" in constraints
        else:
            wanted, fine = "a float or an int in the range of floats", _is_float(value)
        if not fine:
            raise InvalidParameterError(
                f"The {name!r} parameter of {type(estimator).__name__} must be {wanted}. "
                f"Got {_shown(value)} instead."
            )


def _shown(value: Any) -> str:
    """Return a short text for any number; Python does not print the largest integers."""
    return f"an int of {value.bit_length()} bits" if type(value) is int else reprlib.repr(value)


def _is_float(value: Any) -> bool:
    """Tell whether a number becomes a float of about the same value."""
    if not isinstance(value, int | float | np.integer | np.floating):
        return False  # fractions, which NumPy cannot tell from NaN
    try:
        number = float(value)
    except OverflowError:
        return False
    overflows = math.isinf(number) and abs(value) != math.inf
    return not overflows and (number != 0.0 or value == 0)


def validated(estimator: BaseEstimator, X: Any, y: Any = "no_validation", **how: Any) -> Any:
    """Return X, or X and y, checked by scikit-learn and as arrays, C-ordered or CSR of floats."""
    if getattr(getattr(X, "dtype", None), "kind", None) == "V":
        raise TypeError(f"{_X}: it is a structured array.")
    if sparse.issparse(X):
        X = check_sparse(X)
    how |= {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}
    try:
        return validate_data(estimator, X, y, **how)
    except _REFUSED as error:
        refused = error
    if not _names_its_cause(refused):  # once more, one by one: who is it?
        with _named(_X):
            validate_data(estimator, X, **how)
        with _named(_Y):
            validate_data(estimator, y=y)
    raise refused


def encoded(y: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Return the labels that occur, in order, and the number of each row's among them."""
    with _named(_Y):  # strings among numbers, bytes
        if y.dtype.kind in "biu":  # classes of any kind, and often to be told without sorting
            classes = _integers_in(y)
        else:
            check_classification_targets(y)
            classes = np.unique(y)
        if classes.size == 2:
            return classes, (y == classes[1]).astype(np.intp)
        return np.unique(y, return_inverse=True)


def at_least_two(
    estimator: BaseEstimator, classes: npt.NDArray[Any], weighted: bool = False
) -> None:
    """Refuse labels that are all the same, of those that count."""
    if classes.size < 2:
        those = "y, with positive weights," if weighted else "y,"
        raise ValueError(
            f"{type(estimator).__name__} needs samples of at least 2 classes in {those} "
            f"but the data contains only one class: {classes.tolist()[0]!r}"
        )


def _integers_in(y: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the different integers of an array in order, in one pass if they are close."""
    if y.dtype.kind == "b" or not y.size or not int(y.max()) - int(y.min()) < _CLOSE:
        return np.unique(y)
    smallest = y.min().astype(np.int64)
    present = np.flatnonzero(np.bincount(y.astype(np.int64, copy=False) - smallest))
    return (present + smallest).astype(y.dtype)


def numbers(name: str, value: Any) -> Floats:
    """Return an argument as an array of floats, or name it in an error."""
    try:
        array = np.asarray(value)
        if array.dtype.kind in "cmM":  # the last two: dates and times
            raise TypeError(f"got {array.dtype}")
        array = array.astype(np.float64)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{name} must be an array of real numbers: {error}") from error
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite.")
    return array


def checked_start(name: str, value: Any, shape: tuple[int, ...]) -> Floats:
    """Return coefficients or intercepts to start from, or say what shape they should have.

    One hyperplane may come without its axis, and one intercept for all as a number.
    """
    array = numbers(name, value)
    may_be_short = shape[0] == 1 or len(shape) == 1
    if array.shape != shape and not (may_be_short and array.shape == shape[1:]):
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}.")
    return array


@contextmanager
def _named(trouble: str) -> Iterator[None]:
    """Say what is wrong in errors that do not even tell X from y."""
    try:
        yield
    except _REFUSED as error:
        if _names_its_cause(error):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{trouble}: {error}") from error


def _names_its_cause(error: Exception) -> bool:
    return re.search(r"\b[Xy]\b", str(error)) is not None
