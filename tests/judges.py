"""Soft and hard margins as others find them: LIBLINEAR, LIBSVM, and Lawson and Hanson."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import naive
from certificates import dense

POWERS = {"squared_hinge": 2, "hinge": 1}


class Settings(NamedTuple):
    """What is to be minimised: rho is a number, "free" for a free intercept, or None for none."""

    loss: str
    C: float
    rho: float | str | None

    @property
    def parameters(self):
        """Return those of LargeMarginClassifier."""
        rho = None if self.rho == "free" else self.rho
        return {"loss": self.loss, "C": self.C, "rho": rho, "fit_intercept": self.rho is not None}


def objective(settings, X, signs, w, b, weight=1.0):
    """Return P; that of a hard margin at the length where the smallest score is 1."""
    scores = signs * (dense(X) @ w + b)
    square = w @ w + ((b / settings.rho) ** 2 if isinstance(settings.rho, float) else 0.0)
    if settings.C == np.inf:
        return square / scores.min() ** 2 / 2 if scores.min() > 0.0 else np.inf
    losses = np.maximum(0.0, 1.0 - scores) ** POWERS[settings.loss]
    return square / 2 + settings.C * (weight * losses).sum()


def optimum(settings, X, signs, weight=None):
    """Return w and b of about the best hyperplane, zeros where none separates."""
    X, weight = dense(X), np.ones(len(signs)) if weight is None else weight
    if settings.C == np.inf:
        return _hard_margin(settings, X, signs)
    if settings.rho == "free":
        return _libsvm(settings, X, signs, weight)
    model = LinearSVC(
        C=settings.C,
        loss=settings.loss,
        dual=settings.loss == "hinge",
        tol=1e-10,
        max_iter=10**5,
        fit_intercept=settings.rho is not None,
        intercept_scaling=settings.rho or 1.0,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, signs, weight)
    return model.coef_[0], float(np.ravel(model.intercept_)[0])


def _libsvm(settings, X, signs, weight):
    """A squared hinge is a hard margin of patterns that have a coordinate of their own each."""
    if settings.loss == "squared_hinge":
        kernel = X @ X.T + np.diag(0.5 / (settings.C * weight))
        model = SVC(kernel="precomputed", C=1e10, tol=1e-10).fit(kernel, signs)
    else:
        model = SVC(kernel="linear", C=settings.C, tol=1e-10).fit(X, signs, weight)
    return model.dual_coef_[0] @ X[model.support_], float(model.intercept_[0])


def _hard_margin(settings, X, signs):
    if settings.rho == "free":
        margin, w, b = naive.geometric_margin(X, signs)
        return (w / margin, b / margin) if margin > 0.0 else (np.zeros_like(w), 0.0)
    rho = settings.rho or 0.0
    margin, a, _ = naive.polytope_margin(signs[:, None] * np.insert(X, X.shape[1], rho, axis=1))
    return (a[:-1] / margin, a[-1] * rho / margin) if margin > 0.0 else (a[:-1], 0.0)
