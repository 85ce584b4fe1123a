"""The parameters and attributes that all members share, described in one place."""

from __future__ import annotations

import inspect
from typing import TypeVar

__all__ = ["documented"]

T = TypeVar("T", bound=type)

_PARAMETERS = {
    "tol": """
tol : float or None, default=None
    Stop as soon as the certified gap of the directional margin is at most this, even if the
    algorithm's own rule would go on. The rule may end the run first, with a larger gap. None: its
    own rule alone.
""",
    "rho": """
rho : float or "auto", default="auto"
    Constant appended to every row, which makes the intercept part of the weights. "auto" is
    the norm of the longest row, and brings the best geometric margin within a factor
    of sqrt(2) of the best directional one (S1, eq. 2.67). Larger values bring them closer
    together and cost more updates. Unused with ``fit_intercept=False``.
""",
    "fit_intercept": """
fit_intercept : bool, default=True
    Whether there is an intercept; without, the hyperplane goes through the origin.
""",
    "max_iter": """
max_iter : int, default=1000
    Epochs after which a run is cut short with a ConvergenceWarning, and the best certified state
    kept: fewest training errors, then the largest margin.
""",
    "shuffle": """
shuffle : bool, default=True
    Whether to look at the patterns in a new random order in every epoch.
""",
    "random_state": """
random_state : int, RandomState instance or None, default=None
    Source of the random orders.
""",
    "warm_start": """
warm_start : bool, default=False
    Start from the weights (and, for as many rows, the multipliers) of the last fit.
""",
    "n_jobs": """
n_jobs : int or None, default=None
    Threads in which the hyperplanes of more than two classes are found; None is 1, -1 all
    processors.
""",
    "verbose": """
verbose : int, default=0
    Print a line for every certified epoch.
""",
}

_ATTRIBUTES = """
coef_ : ndarray of shape (1, d) or (n_classes, d)
    Normal vectors of the hyperplanes; one for two classes, else one for each class against
    the rest.
intercept_ : ndarray of shape (1,) or (n_classes,)
    Their constants.
classes_ : ndarray of shape (n_classes,)
    The labels.
n_iter_ : int
    Epochs made, of the hyperplane that took most.
n_updates_ : int
    Corrections made, over all hyperplanes.
certificate_ : Certificate
    The proof of how close the margin is to the best one; of the hyperplane with the largest gap.
certificates_ : list of Certificate
    One for each hyperplane.
history_ : structured ndarray
    One row an epoch with fields ``passes`` (row products divided by n), ``updates``, ``lower``,
    ``upper`` and ``certified``; bounds that are not certified are estimates. Of the hyperplane
    of `certificate_`.
histories_ : list of structured ndarray
    One for each hyperplane.
support_ : ndarray of int
    Rows that were corrected for.
dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
    Their multipliers times their labels. Weights started from zero are
    ``dual_coef_ @ X[support_]``, after recentring in proportion to it. For data of extreme
    magnitude, which are rescaled, multipliers are those of the rescaled data.
n_features_in_ : int
    Number of features.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Their names, if X has string column names.
"""


def documented(cls: T) -> T:
    """Fill the shared entries into the placeholders of a class's docstring."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    names = inspect.signature(cls).parameters
    shared = "".join(text.lstrip("\n") for name, text in _PARAMETERS.items() if name in names)
    doc = doc.replace("<shared parameters>\n", shared)
    cls.__doc__ = doc.replace("<shared attributes>\n", _ATTRIBUTES.lstrip("\n"))
    return cls
