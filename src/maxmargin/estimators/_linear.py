"""What all linear classifiers share once they are fitted: scores, labels, certificates."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from maxmargin.certificate import Certificate
from maxmargin.estimators._validation import validated

__all__ = ["LinearClassifier", "all_or_nothing"]

Floats = npt.NDArray[np.float64]


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """One hyperplane for two classes, one against the rest for more, each with a certificate."""

    def _set_certificates(
        self, certificates: list[Certificate], histories: list[npt.NDArray[Any]]
    ) -> None:
        self.certificates_, self.histories_ = certificates, histories
        worst = int(np.argmax([np.nan_to_num(c.gap, nan=np.inf) for c in certificates]))
        self.certificate_, self.history_ = certificates[worst], histories[worst]

    def _check_same_shape(self, width: int, classes: npt.NDArray[Any]) -> None:
        """Refuse to go on from a fit to data of another kind."""
        if not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start=True needs the classes of the last fit, {self.classes_}, "
                f"got {classes}."
            )
        last = self.coef_.shape[1]
        if last != width:
            raise ValueError(
                f"warm_start=True needs the {last} features of the last fit, got {width}."
            )

    def decision_function(self, X: Any) -> Floats:
        """Return signed scores, positive for the second class or for each class's own rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
        """
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        with np.errstate(under="ignore"):
            scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if self.classes_.size == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[codes]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@contextmanager
def all_or_nothing(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was if its fit fails."""
    before = copy.copy(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
