"""The data sets of the benchmarks.

They are read from ``$MAXMARGIN_DATA/NAME.npz`` where that variable is set, and otherwise fetched
by scikit-learn (Fashion-MNIST comes from Debian's package, if it is there). An ``.npz`` file holds
``y`` and either ``X`` or the parts of a CSR matrix: ``X_data``, ``X_indices``, ``X_indptr``,
``X_shape``.
"""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import StandardScaler

__all__ = [
    "a9a",
    "arcene",
    "colon",
    "covtype",
    "fashion_mnist",
    "german",
    "give_me_some_credit",
    "imdb",
    "mushrooms",
    "news20",
    "news20_halves",
    "w8a",
]

Data = tuple[Any, Any]

# Where Debian's package dataset-fashion-mnist keeps its files.
FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")


def a9a() -> Data:
    """Adult, 32561 x 123 CSR, two classes."""
    X, y = _load("a9a", _openml("a9a"))
    return _csr(X), y


def news20() -> Data:
    """20 newsgroups by date, 11314 x about 130000 CSR, TF-IDF, twenty classes."""
    X, y = _load(
        "20news_bydate",
        lambda: datasets.fetch_20newsgroups_vectorized(normalize=False, return_X_y=True),
    )
    return _csr(TfidfTransformer().fit_transform(X)), y


def news20_halves() -> Data:
    """20 newsgroups, the first ten groups against the last ten; separable."""
    X, y = news20()
    return X, np.where(y < 10, 1, -1)


def imdb() -> Data:
    """Film reviews, 25000 x 74851 CSR, TF-IDF of single words, two classes."""
    X, y = _load("imdb_unigram", None)
    return _csr(TfidfTransformer().fit_transform(X)), y


def covtype() -> Data:
    """Forest cover, 581012 x 54 dense, standardised, class 2 against the rest; rows shuffled."""
    X, y = _load("covtype", lambda: datasets.fetch_covtype(return_X_y=True))
    return _shuffled(_standardised(X), np.where(y == 2, 1, -1))


def w8a() -> Data:
    """Web pages, 49749 x 300 CSR, two classes; rows shuffled."""
    X, y = _load("w8a", _openml("w8a"))
    return _shuffled(_csr(X), y)


def mushrooms() -> Data:
    """Mushrooms, 8124 x 112 CSR, two classes, separable; rows shuffled."""
    X, y = _load("mushrooms", None)
    return _shuffled(_csr(X), np.where(y == 2, 1, -1))


def give_me_some_credit() -> Data:
    """Loans, 150000 x 10 dense, medians imputed, standardised, 6.7 % positive; rows shuffled."""
    X, y = _load("give_me_some_credit", _openml("GiveMeSomeCredit"))
    X = SimpleImputer(strategy="median").fit_transform(np.asarray(X, dtype=np.float64))
    return _shuffled(_standardised(X), np.where(y.astype(int) == 1, 1, -1))


def german() -> Data:
    """German credit in numbers, 1000 x 24 dense, standardised, two classes."""
    X, y = _load("german_numeric", None)
    return _standardised(X), np.where(y == 2, 1, -1)


def fashion_mnist() -> Data:
    """Pictures of clothes, 60000 x 784 dense, standardised, classes 0 to 4 against 5 to 9."""
    if FASHION_MNIST.is_dir():
        X = _idx(FASHION_MNIST / "train-images-idx3-ubyte.gz")
        y = _idx(FASHION_MNIST / "train-labels-idx1-ubyte.gz")
    else:
        X, y = _openml("Fashion-MNIST")()
    X, y = X[:60000].reshape(60000, -1), y[:60000].astype(int)
    return _standardised(X), np.where(y < 5, 1, -1)


def arcene() -> Data:
    """Mass spectra, 100 x 10000 dense, standardised, two classes, separable."""
    X, y = _load("arcene", _openml("arcene"))
    return _standardised(X), y


def colon() -> Data:
    """Gene expression, 62 x 2000 dense, standardised, two classes, separable."""
    X, y = _load("colon", None)
    return _standardised(X), y


def _openml(name: str) -> Callable[[], Data]:
    return lambda: datasets.fetch_openml(name, return_X_y=True, as_frame=False)


def _idx(path: Path) -> Any:
    """Read an array of bytes in the format of MNIST: two zeros, type, dimensions, lengths."""
    content = gzip.decompress(path.read_bytes())
    dimensions = content[3]
    shape = np.frombuffer(content, dtype=">i4", count=dimensions, offset=4)
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def _standardised(X: Any) -> Any:
    return StandardScaler().fit_transform(np.asarray(X, dtype=np.float64))


def _shuffled(X: Any, y: Any) -> Data:
    order = np.random.default_rng(0).permutation(len(y))
    return X[order], y[order]


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
