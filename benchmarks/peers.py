"""Who competes in `benchmarks.solvers`, on which problems, with which settings, on what data.

Every peer solves exactly the problem it is judged by: where its own intercept is not penalised
as the problem wants it, it gets the rows with a column of ones and fits without an intercept.
SVM-light's Python package (svmlight 0.4) is no peer: it installs, but Python 3 cannot import it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import linear_model, svm

from benchmarks.judge import Problem

__all__ = ["MULTICORE", "OURS", "PEERS", "Peer", "Setting", "label", "prepare"]

Setting = Mapping[str, Any]
Hyperplane = tuple[Any, float]

# Both of LIBLINEAR's packages are called liblinear: the one with threads has a folder of its own.
MULTICORE = Path(__file__).with_name(".multicore")


@dataclass(frozen=True)
class Peer:
    """A solver: `fit` is timed, the other functions are not.

    `ladders` holds the settings for each kind of problem, the loosest first; `defaults` what is
    set where no more than the problem is stated. `layout` is the form the data are in before the
    clock starts, see `prepare`; `site` a folder of packages that nobody else shall see.
    """

    name: str
    layout: str
    fit: Callable[[Any, Any, Problem, Setting, int], Any]
    hyperplane: Callable[[Any], Hyperplane]
    ladders: Mapping[str, Sequence[Setting]]
    defaults: Mapping[str, Setting] = field(default_factory=dict)
    threads: Sequence[int] = (1,)
    site: Path | None = None


def label(setting: Setting) -> str:
    """Say what was set, without what the name of the peer says."""
    return ", ".join(
        f"{key}={value:.3g}" for key, value in setting.items() if key not in ("dual", "s")
    )


def prepare(layout: str, X: Any, y: Any) -> tuple[Any, Any]:
    """Convert float64 data to the form in which a peer likes them best."""
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
    if "ones" in layout:
        ones = np.ones((len(y), 1))
        X = sparse.csr_matrix(sparse.hstack([X, ones])) if sparse.issparse(X) else _beside(X, ones)
    if "float32" in layout:
        X = X.astype(np.float32)
    if layout == "nodes":
        from liblinear.liblinear import problem

        return problem(y.astype(np.float64), sparse.csr_matrix(X), 1), y
    return X, y


def _beside(X: Any, ones: Any) -> Any:
    return np.ascontiguousarray(np.hstack([X, ones]))


def _ours(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    from maxmargin import LargeMarginClassifier

    model = LargeMarginClassifier(
        C=problem.C,
        loss=problem.loss,
        rho=problem.rho,
        n_jobs=threads,
        random_state=0,
        **setting,
    )
    return model.fit(X, y)


def _linear_svc(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    parameters = {"C": problem.C, "loss": problem.loss, "random_state": 0, "max_iter": 10**7}
    return svm.LinearSVC(**{**parameters, **setting}).fit(X, y)


def _svc(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    parameters = {"kernel": "linear", "C": problem.C, "cache_size": 1000}
    return svm.SVC(**{**parameters, **setting}).fit(X, y)


def _sgd(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    model = linear_model.SGDClassifier(
        loss=problem.loss,
        alpha=1.0 / (problem.C * len(y)),
        fit_intercept=False,
        random_state=0,
        **{"tol": None, **setting},
    )
    return model.fit(X, y)


def _liblinear(nodes: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    from liblinear.liblinearutil import train

    options = {"s": 1, "c": problem.C, "B": 1, **setting}
    if threads > 1:
        options["m"] = threads
    return train(nodes, " ".join(f"-{key} {value}" for key, value in options.items()) + " -q")


def _cyanure(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    from cyanure.estimators import Classifier

    model = Classifier(
        loss="sqhinge",  # half of what we call the squared hinge
        penalty="l2",
        lambda_1=0.5 / (problem.C * len(y)),
        fit_intercept=False,
        n_threads=threads,
        verbose=False,
        **setting,
    )
    return model.fit(X, y)


def _snapml(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    from snapml import SupportVectorMachine

    model = SupportVectorMachine(
        loss=problem.loss,
        regularizer=1.0 / problem.C,
        fit_intercept=True,
        n_jobs=threads,
        random_state=0,
        **setting,
    )
    return model.fit(X, y)


def _skglm(X: Any, y: Any, problem: Problem, setting: Setting, threads: int) -> Any:
    from skglm import LinearSVC

    return LinearSVC(**{"C": problem.C, "max_iter": 10**6, **setting}).fit(X, y)


def _estimator(model: Any) -> Hyperplane:
    w = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
    return np.ravel(w), float(np.ravel(model.intercept_)[0])


def _augmented(model: Any) -> Hyperplane:
    a = np.ravel(model.coef_)
    return a[:-1], float(a[-1])


def _nodes(model: Any) -> Hyperplane:
    a = np.ctypeslib.as_array(model.w, (model.nr_feature + 1,)) * model.label[0]
    return a[:-1], float(a[-1])


# The fixed ladders of tolerances, or of passes.
DUAL = (1, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
PRIMAL = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6)
RELATIVE = (0.1, 0.03, 0.01, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6)
PASSES = (3, 10, 30, 100, 300, 1000)

SQUARED, HINGE, FREE, HARD = "squared hinge", "hinge", "hinge, free intercept", "hard margin"


def _steps(key: str, values: Sequence[float], **fixed: Any) -> list[Setting]:
    return [{**fixed, key: value} for value in values]


def _of_margin(*gaps: float) -> list[float]:
    """Gaps of the margin, ``1 - lower / upper``, that are those of the objective, ``P / D - 1``."""
    return [1.0 - (1.0 + gap) ** -0.5 for gap in gaps]


def _us(dtype: str) -> Peer:
    soft = _steps("tol", _of_margin(1e-2, 1e-4))
    ladders = {SQUARED: soft, HINGE: soft, FREE: soft, HARD: _steps("tol", [1e-3])}
    return Peer(f"maxmargin {dtype}", dtype, _ours, _estimator, ladders, threads=(1, 2))


def _liblinear_dual(name: str, threads: int, site: Path | None = None) -> Peer:
    ladders = {SQUARED: _steps("e", DUAL, s=1), HINGE: _steps("e", DUAL, s=3)}
    defaults: dict[str, Setting] = {SQUARED: {"s": 1}, HINGE: {"s": 3}}
    return Peer(name, "nodes", _liblinear, _nodes, ladders, defaults, (threads,), site)


def _liblinear_primal(name: str, threads: int, site: Path | None = None) -> Peer:
    ladders = {SQUARED: _steps("e", PRIMAL, s=2)}
    return Peer(name, "nodes", _liblinear, _nodes, ladders, {SQUARED: {"s": 2}}, (threads,), site)


# LinearSVC penalises its intercept: less so the larger the scale of its extra feature is.
HARD_LINEAR_SVC: list[Setting] = [
    {"C": 1e6, "intercept_scaling": scale, "tol": tol}
    for scale, tol in ((10, 1e-2), (10, 1e-3), (100, 1e-3), (100, 1e-4), (1000, 1e-5))
]

OURS = (_us("float32"), _us("float64"))

# Those that tend to be fast first: a slow one is stopped when it cannot be the fastest any more.
PEERS = (
    Peer(
        "LinearSVC dual",
        "float64",
        _linear_svc,
        _estimator,
        {
            SQUARED: _steps("tol", DUAL, dual=True),
            HINGE: _steps("tol", DUAL, dual=True),
            HARD: HARD_LINEAR_SVC,
        },
        {SQUARED: {"max_iter": 1000}, HINGE: {"max_iter": 1000}},
    ),
    Peer(
        "LinearSVC primal",
        "float64",
        _linear_svc,
        _estimator,
        {SQUARED: _steps("tol", PRIMAL, dual=False)},
    ),
    _liblinear_dual("liblinear-official dual", 1),
    _liblinear_primal("liblinear-official primal", 1),
    _liblinear_dual("liblinear-multicore dual", 2, MULTICORE),
    _liblinear_primal("liblinear-multicore primal", 2, MULTICORE),
    Peer(
        "cyanure",
        "float32 with ones",
        _cyanure,
        _augmented,
        {SQUARED: _steps("tol", RELATIVE)},
        {SQUARED: {}},
        (1, 2),
    ),
    Peer(
        "snapml",
        "float32",
        _snapml,
        _estimator,
        {SQUARED: _steps("tol", RELATIVE), HINGE: _steps("tol", RELATIVE)},
        {SQUARED: {}, HINGE: {}},
        (1, 2),
    ),
    Peer(
        "SGDClassifier",
        "float64 with ones",
        _sgd,
        _augmented,
        {
            SQUARED: _steps("max_iter", PASSES),
            HINGE: _steps("max_iter", PASSES),
        },
        {SQUARED: {"tol": 1e-3}, HINGE: {"tol": 1e-3}},
    ),
    Peer(
        "skglm",
        "float64 with ones",
        _skglm,
        _augmented,
        {HINGE: _steps("tol", DUAL)},
        {HINGE: {"max_iter": 50}},
    ),
    Peer(
        "SVC",
        "float64",
        _svc,
        _estimator,
        {
            FREE: _steps("tol", DUAL),
            HARD: _steps("tol", DUAL, C=1e10),
        },
        {FREE: {"cache_size": 200}},
    ),
)
