"""The data sets of the benchmarks.

They are read from ``$MAXMARGIN_DATA/NAME.npz`` where that variable is set, and otherwise fetched
by scikit-learn. An ``.npz`` file holds ``y`` and either ``X`` or the parts of a CSR matrix:
``X_data``, ``X_indices``, ``X_indptr``, ``X_shape``.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

__all__ = ["a9a", "covtype", "imdb", "news20"]

Data = tuple[Any, Any]


def a9a() -> Data:
    """Adult, 32561 x 123 CSR, two classes."""
    X, y = _load("a9a", lambda: datasets.fetch_openml("a9a", return_X_y=True, as_frame=False))
    return _csr(X), y


def news20() -> Data:
    """20 newsgroups by date, 11314 x about 130000 CSR, TF-IDF, twenty classes."""
    X, y = _load(
        "20news_bydate",
        lambda: datasets.fetch_20newsgroups_vectorized(normalize=False, return_X_y=True),
    )
    return _csr(TfidfTransformer().fit_transform(X)), y


def imdb() -> Data:
    """Film reviews, 25000 x 74851 CSR, TF-IDF of single words, two classes."""
    X, y = _load("imdb_unigram", None)
    return _csr(TfidfTransformer().fit_transform(X)), y


def covtype() -> Data:
    """Forest cover, 581012 x 54 dense, standardised, class 2 against the rest; rows shuffled."""
    X, y = _load("covtype", lambda: datasets.fetch_covtype(return_X_y=True))
    order = np.random.default_rng(0).permutation(len(y))
    X = StandardScaler(copy=False).fit_transform(np.asarray(X, dtype=np.float64)[order])
    return X, np.where(y[order] == 2, 1, -1)


def _load(name: str, fetch: Callable[[], Data] | None) -> Data:
    folder = os.environ.get("MAXMARGIN_DATA")
    if folder:
        return _read(Path(folder) / f"{name}.npz")
    if fetch is None:
        raise FileNotFoundError(f"{name} is read from $MAXMARGIN_DATA only, which is not set")
    return fetch()


def _read(path: Path) -> Data:
    with np.load(path, allow_pickle=False) as stored:
        if "X" in stored:
            return stored["X"], stored["y"]
        parts = stored["X_data"], stored["X_indices"], stored["X_indptr"]
        return sparse.csr_array(parts, shape=tuple(stored["X_shape"])), stored["y"]


def _csr(X: Any) -> Any:
    """Canonical CSR as scikit-learn likes it best: float64 values, 32-bit indices."""
    X = sparse.csr_array(X, dtype=np.float64)
    X.sum_duplicates()
    X.indices = X.indices.astype(np.int32, copy=False)
    X.indptr = X.indptr.astype(np.int32, copy=False)
    return X
