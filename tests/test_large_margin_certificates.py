"""Whatever LargeMarginClassifier was given and wherever it was stopped, its certificate holds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from certificates import blobs
from maxmargin import LargeMarginClassifier


def random_rows(rng):
    """Return rows that overlap or not, some of them alike, on one scale or on many."""
    n, d = int(rng.integers(2, 200)), int(rng.integers(1, 12))
    X, y = blobs(rng, n, d, rng.choice([0.0, 1.0, 9.0]))
    kind = rng.integers(5)
    if kind == 0:
        X = np.round(X)
    elif kind == 1:
        X[:] = rng.normal()
    elif kind == 2:
        X = X * 10.0 ** rng.integers(-8, 9, size=d)
    X = X * 10.0 ** rng.choice([0, 0, 90, -90])
    return X, y if rng.random() < 0.7 or n < 3 else np.arange(n) % 3


def random_parameters(rng, scale):
    C = rng.choice([1e-4, 1.0, 100.0, 1e6, np.inf, np.inf])
    return {
        "C": C / scale**2,
        "loss": str(rng.choice(["hinge", "squared_hinge"])),
        "rho": rng.choice([None, scale, 0.1 * scale]),
        "fit_intercept": bool(rng.random() < 0.8),
        "solver": str(rng.choice(["newton", "newton", "ascent"])),
        "tol": rng.choice([1e-1, 1e-3, 1e-6]),
        "max_iter": int(rng.choice([1, 3, 30, 300])),
    }


@pytest.mark.parametrize("seed", range(12))
def test_certificates_hold(seed):
    rng = np.random.default_rng(seed)
    for _ in range(50):
        X, y = random_rows(rng)
        parameters = random_parameters(rng, np.abs(X).max())
        rows = sparse.csr_array(X) if rng.random() < 0.3 else X
        weight = rng.choice([0.0, 0.3, 1.0, 7.0], size=len(y)) if rng.random() < 0.3 else None
        if weight is not None:
            weight[:3] = 1.0  # of each class
        model = LargeMarginClassifier(**parameters, random_state=0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            model.fit(rows, y, weight)
        for certificate in model.certificates_:
            certificate.verify(rows, y, weight)
        reached = all(certificate.gap <= model.tol for certificate in model.certificates_)
        assert reached == (caught == []), parameters


def test_a_hard_margin_of_rows_that_are_all_alike():
    """Weights of almost nothing have margins that are all rounding error."""
    X, y = np.full((20, 3), 2.0), np.where(np.arange(20) % 3, 1, -1)
    for solver in ("newton", "ascent"):
        for max_iter in (1, 3, 300):
            model = LargeMarginClassifier(
                np.inf, solver=solver, max_iter=max_iter, tol=1e-6, random_state=0
            )
            with pytest.warns(ConvergenceWarning, match="no hyperplane separates"):
                model.fit(X, y)
            model.certificate_.verify(X, y)
