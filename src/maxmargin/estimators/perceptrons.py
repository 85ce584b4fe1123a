"""Perceptrons with the standard margin condition, one pattern at a time or all at once."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval, Options, StrOptions

from maxmargin.engine import Learner
from maxmargin.estimators._documentation import documented
from maxmargin.estimators.base import AdditivePerceptron, Look, OnlinePerceptron
from maxmargin.patterns import Patterns
from maxmargin.rules import FixedMargin, Rule, StandardMargin
from maxmargin.schedules import Schedule, constant, following, inverse

__all__ = ["BatchPerceptron", "MarginPerceptron", "Perceptron"]

ScheduleWord = str | Callable[[Any], Any]
_RATE = [Interval(Real, 0, None, closed="neither")]
_SCHEDULE = [StrOptions({"constant", "inverse"}), callable]


@documented
class Perceptron(OnlinePerceptron):
    r"""Rosenblatt's perceptron: correct a pattern whenever it is on the wrong side.

    .. math:: a \leftarrow a + \eta\, y_k \quad\text{when}\quad y_k \cdot a \le 0

    (S3; S4, section 5.5; S1, eq. 2.2 with b = 0), until an epoch goes by without a correction.
    There are at most :math:`R^2 / \gamma_d^2` of them (Novikoff,
    :func:`maxmargin.theory.novikoff_updates`); the margin found may be any.

    Parameters
    ----------
    learning_rate : float, default=1.0
        eta. Scales the weights; only their relation to a start depends on it.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    See Also
    --------
    MarginPerceptron : Asks for a margin.
    DynamicMarginPerceptron : Approaches the best margin.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import Perceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Perceptron(shuffle=False).fit(X, y == 0)
    >>> model.n_updates_, model.score(X, y == 0), model.certificate_.separable
    (31, 1.0, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlinePerceptron._parameter_constraints,
        "learning_rate": _RATE,
    }

    def __init__(
        self,
        learning_rate: float = 1.0,
        *,
        tol: float | None = None,
        rho: float | str = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            tol=tol,
            rho=rho,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.learning_rate = learning_rate

    def _rule(self, patterns: Patterns) -> Rule:
        return StandardMargin(0.0)

    def _schedule(self, patterns: Patterns) -> Schedule:
        return constant(float(self.learning_rate))


@documented
class MarginPerceptron(OnlinePerceptron):
    r"""Perceptron that also corrects patterns on the right side but too close.

    .. math:: a \leftarrow a + \eta_t\, y_k \quad\text{when}\quad y_k \cdot a \le b

    (S1, eq. 2.2; S4, section 5.5). The margin found is at least
    :math:`\gamma_d / (2 + \eta R^2 / b)` (S1, eq. 2.21), never surely more than half of the best.
    With ``normalized=True`` the condition is :math:`y_k \cdot a \le \beta \|a\|` (S3), which
    insists on the directional margin beta and is `FixedMarginPerceptron` of free length.

    Parameters
    ----------
    margin : float or "auto", default="auto"
        b, or beta when `normalized`. "auto" is ``learning_rate * R^2``, by about which a
        correction raises its pattern's score (S4, section 5.5), or ``r / 100``; R and r are the
        norms of the longest and the shortest pattern.
    normalized : bool, default=False
        Whether the margin is relative to the length of the weights.
    learning_rate : float, default=1.0
        Factor of the schedule.
    schedule : {"constant", "inverse"} or callable, default="constant"
        The rate of the t-th correction is ``learning_rate`` times 1, 1/t, or the callable's
        value at t; it is called with an array of t and returns an array of rates >= 0.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import MarginPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MarginPerceptron(shuffle=False).fit(X, y == 0)
    >>> print(f"{model.certificate_.gap:.3f}")
    0.403
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlinePerceptron._parameter_constraints,
        "margin": [Interval(Real, 0, None, closed="left"), Options(str, {"auto"})],
        "normalized": ["boolean"],
        "learning_rate": _RATE,
        "schedule": _SCHEDULE,
    }

    def __init__(
        self,
        margin: float | str = "auto",
        *,
        normalized: bool = False,
        learning_rate: float = 1.0,
        schedule: ScheduleWord = "constant",
        tol: float | None = None,
        rho: float | str = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            tol=tol,
            rho=rho,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.margin = margin
        self.normalized = normalized
        self.learning_rate = learning_rate
        self.schedule = schedule

    def _rule(self, patterns: Patterns) -> Rule:
        if self.normalized:
            return FixedMargin(directional_margin(self.margin, patterns))
        if self.margin == "auto":
            return StandardMargin(float(self.learning_rate) * patterns.longest_squared)
        return StandardMargin(float(self.margin) * patterns.unit * patterns.unit)

    def _schedule(self, patterns: Patterns) -> Schedule:
        return schedule_of(self.schedule, float(self.learning_rate))


@documented
class BatchPerceptron(AdditivePerceptron):
    r"""Perceptron that corrects all misclassified patterns at once.

    .. math:: a \leftarrow a + \eta_k \sum_{j \in Y_k} y_j ,\qquad
              Y_k = \{j : y_j \cdot a \le 0\}

    (S3), until no pattern is misclassified: a smoother path than one pattern at a time. It
    converges for any rates with :math:`\sum \eta_k = \infty` and
    :math:`\sum \eta_k^2 / (\sum \eta_k)^2 \to 0`.

    Parameters
    ----------
    learning_rate : float, default=1.0
        Factor of the schedule.
    schedule : {"constant", "inverse"} or callable, default="constant"
        The rate of the k-th step is ``learning_rate`` times 1, 1/k, or the callable's value
        at k; it is called with an array of k and returns an array of rates >= 0.
    <shared parameters>

    Attributes
    ----------
    <shared attributes>

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import BatchPerceptron
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BatchPerceptron().fit(X, y == 0)
    >>> model.n_iter_, model.score(X, y == 0)
    (20, 1.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **AdditivePerceptron._parameter_constraints,
        "learning_rate": _RATE,
        "schedule": _SCHEDULE,
    }

    def __init__(
        self,
        learning_rate: float = 1.0,
        *,
        schedule: ScheduleWord = "constant",
        tol: float | None = None,
        rho: float | str = "auto",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            tol=tol,
            rho=rho,
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            warm_start=warm_start,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.learning_rate = learning_rate
        self.schedule = schedule

    def _rule(self, patterns: Patterns) -> Rule:
        return StandardMargin(0.0)

    def _schedule(self, patterns: Patterns) -> Schedule:
        return schedule_of(self.schedule, float(self.learning_rate))

    def _look(self) -> Look:
        return Learner.all_together


def schedule_of(schedule: ScheduleWord, rate: float) -> Schedule:
    """Return the learning rates that the words of a constructor ask for."""
    if callable(schedule):
        return following(schedule, rate)
    return {"constant": constant, "inverse": inverse}[schedule](rate)


def directional_margin(margin: float | str, patterns: Patterns) -> float:
    """Return beta in the units of the patterns, which the shortest of them must allow."""
    if margin == "auto":  # with a pattern of length zero no margin can be reached
        return patterns.shortest_nonzero / 100.0
    beta = float(margin) * patterns.unit
    if beta >= patterns.shortest:
        raise ValueError(
            f"margin={margin} cannot be reached: no directional margin exceeds the norm of the "
            f"shortest pattern, {patterns.shortest / patterns.unit:.6g} (with rho appended)."
        )
    return beta
