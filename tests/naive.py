"""Every algorithm of the source papers, slowly and obviously: what the compiled code must equal.

Linear kernel, NumPy and plain loops, nothing shared with the package. A pattern is a row
``y_k = l_k [x_k, rho]`` of `Y` (`reflect` makes them), so that classifying means ``y_k . a > 0``.
Patterns are visited cyclically in the order 0..n-1; sums are exact on small integers, and then
updates can be compared one by one. The papers:

- S1: Tsampouka and Shawe-Taylor, Perceptron-like large margin classifiers
- S2: Falkowski, A note on a large margin perceptron algorithm
- S3: lecture notes on the perceptron convergence theorem, margin and batch perceptron
- S4: Duda, Hart and Stork, Pattern classification, 5.5 to 5.7
- S5: Panwar and Gupta, Marginal perceptron for non-linear and multi class classification
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import nnls


@dataclass
class Trace:
    """What an algorithm did. At every moment ``a = start + alpha @ Y`` (but for Winnow)."""

    a: np.ndarray  # the weights
    alpha: np.ndarray  # sum of the steps on each pattern
    start: np.ndarray  # the start vector, or what renormalisations have left of it
    path: list  # the weights after every update (batch: after every step), first the start
    updates: list = field(default_factory=list)  # (pattern, step), in order
    epochs: int = 0  # passes over the n patterns, the last one without violation included
    converged: bool = False  # the algorithm's own rule stopped it
    rounds: list = field(default_factory=list)  # bolzano: (beta, success)
    best_margin: float = 0.0  # bolzano: the directional margin it promises
    A: float = math.inf  # min_over: the performance guarantee of S2 (5)

    @classmethod
    def begin(cls, Y, start):
        a = np.zeros(Y.shape[1]) if start is None else np.array(start, dtype=float)
        return cls(a=a, alpha=np.zeros(len(Y)), start=a, path=[a])

    def correct(self, Y, patterns, steps):
        """Add ``sum_k step_k y_k`` to the weights: one pattern, or a batch of them at once."""
        self.a = self.a + np.asarray(steps, dtype=float) @ Y[patterns]
        for k, step in zip(patterns, steps, strict=True):
            self.alpha[k] += step
            self.updates.append((int(k), float(step)))
        self.path.append(self.a)

    def rescale(self, factor):
        self.a, self.alpha, self.start = factor * self.a, factor * self.alpha, factor * self.start
        self.path[-1] = self.a


def reflect(X, y, rho):
    """Reflected, augmented patterns ``y_k [x_k, rho]``; `rho` None: not augmented."""
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if rho is not None:
        X = np.column_stack([X, np.full(len(X), float(rho))])
    return y[:, None] * X


def cycle(Y, trace, max_epochs):
    """Visit the patterns 0..n-1 again and again, until an epoch has brought no update."""
    while trace.epochs < max_epochs and not trace.converged:
        trace.epochs += 1
        before = len(trace.updates)
        yield from range(len(Y))
        trace.converged = len(trace.updates) == before


def norm(v):
    return math.sqrt(v @ v)


def rate(learning_rate, schedule, t):
    return learning_rate if schedule is None else learning_rate * schedule(t)


def perceptron(Y, margin=0.0, learning_rate=1.0, schedule=None, max_epochs=1000, start=None):
    """Perceptron with margin: S1 (2.1) and (2.2), S3 for ``margin=0``. Violated: ``y.a <= b``.

    The t-th update (t = 1, 2, ...) has the step ``learning_rate * schedule(t)``.
    """
    trace = Trace.begin(Y, start)
    for k in cycle(Y, trace, max_epochs):
        if Y[k] @ trace.a <= margin:
            trace.correct(Y, [k], [rate(learning_rate, schedule, len(trace.updates) + 1)])
    return trace


def normalised_perceptron(Y, margin, learning_rate=1.0, schedule=None, max_epochs=1000, start=None):
    """Margin perceptron of S3 ("M-Perceptron"). Violated: ``y.a <= beta ||a||``."""
    trace = Trace.begin(Y, start)
    for k in cycle(Y, trace, max_epochs):
        if Y[k] @ trace.a <= margin * norm(trace.a):
            trace.correct(Y, [k], [rate(learning_rate, schedule, len(trace.updates) + 1)])
    return trace


def batch_perceptron(Y, learning_rate=1.0, schedule=None, max_epochs=1000, start=None):
    """Batch perceptron of S3. In step k all patterns with ``y.a <= 0`` are corrected by eta_k."""
    trace = Trace.begin(Y, start)
    while trace.epochs < max_epochs:
        trace.epochs += 1
        wrong = np.flatnonzero(Y @ trace.a <= 0)
        if len(wrong) == 0:
            trace.converged = True
            break
        eta = rate(learning_rate, schedule, trace.epochs)
        trace.correct(Y, wrong, [eta] * len(wrong))
    return trace


def relaxation(
    Y, margin=1.0, target=None, relaxation=1.0, batch=False, max_epochs=1000, start=None
):
    """Relaxation with margin: S4 algorithms 8 (batch) and 9, with b_u of S1 (2.22).

    Violated: ``y.a <= b``, corrected by ``eta (b_u - y.a) / ||y||^2``, S4 (34). A step of length
    zero is no update. Without a target ``b_u = b``, the limit may lie on the boundary and never
    be reached: stop when ``min y.a > 0`` for weights at rest (single sample: looked at after an
    epoch that has met ``y.a > 0`` only). With ``b_u > b`` stop when all ``y.a > b``.
    """
    target = margin if target is None else target
    if target < margin:
        raise ValueError("target must not be below margin")
    good = margin if target > margin else 0.0
    q = np.sum(Y * Y, axis=1)
    trace = Trace.begin(Y, start)
    while trace.epochs < max_epochs and not trace.converged:
        trace.epochs += 1
        if batch:
            p = Y @ trace.a
            trace.converged = bool(np.min(p) > good)
            wrong = [k for k in np.flatnonzero(p <= margin) if q[k] > 0 and p[k] != target]
            if wrong and not trace.converged:
                trace.correct(Y, wrong, [relaxation * (target - p[k]) / q[k] for k in wrong])
            continue
        trace.converged, lowest = True, math.inf
        for k in range(len(Y)):
            p = Y[k] @ trace.a
            lowest = min(lowest, p)
            if p <= margin:
                trace.converged = False
                if q[k] > 0 and p != target:
                    trace.correct(Y, [k], [relaxation * (target - p) / q[k]])
        if target == margin and lowest > 0:  # all seen on the right side: look at rest
            trace.converged = bool(np.min(Y @ trace.a) > 0)
    return trace


def fixed_margin(
    Y, margin, length="free", step="unit", learning_rate=1.0, max_epochs=1000, start=None
):
    """Fixed directional margin: S1 2.2.1 (free length) and 2.2.2 (fixed length beta).

    Violated: ``y.a <= beta ||a||``, S1 (2.30), corrected by ``eta f``: f = 1 ("unit"), or
    ``1 - beta (u.y)/||y||^2``, S1 (2.32) ("projected"; 1 while a = 0). Fixed length starts at
    ``beta y_0/||y_0||`` and renormalises after each update, S1 (2.49), alpha too.
    """
    norms = np.sqrt(np.sum(Y * Y, axis=1))
    r, R = np.min(norms), np.max(norms)
    if margin >= r:
        raise ValueError("margin must be below the length of the shortest pattern")
    if length == "fixed" and margin <= 0:
        raise ValueError("a weight vector of fixed length needs a positive margin")
    if length == "free" and learning_rate == "optimal":
        learning_rate = 1.0  # free length does not depend on it
    f_max = 1.0 if step == "unit" else 1.0 + margin / r
    f_min = 1.0 if step == "unit" else 1.0 - margin**2 / r**2
    rates = fixed_length_rates(learning_rate, margin, r, R, f_min, f_max)
    trace = Trace.begin(Y, start)
    if length == "fixed":
        if start is None:
            trace.a, trace.alpha[0] = Y[0], 1.0  # no pattern is zero, as beta < r
        trace.rescale(margin / norm(trace.a))
    for k in cycle(Y, trace, max_epochs):
        p, size = Y[k] @ trace.a, norm(trace.a)
        if p <= margin * size:
            f = 1.0
            if step == "projected" and size > 0:
                f = 1.0 - margin * (p / size) / norms[k] ** 2
            trace.correct(Y, [k], [next(rates) * f])
            if length == "fixed":
                trace.rescale(margin / norm(trace.a))
    return trace


def fixed_length_rates(learning_rate, beta, r, R, f_min, f_max):
    """Learning rate of update 1, 2, ...: a constant, or "optimal".

    S1 (2.57) needs the unknown gamma_d. Its guess g is r at first; when the updates that S1 (2.58)
    allows at g are used up, ``g - beta`` is halved.
    """
    while learning_rate != "optimal":
        yield learning_rate
    g = r
    while True:
        eta = (g - beta) * beta / (f_max * R**2 * (1 + 2 * beta / R))
        allowed = 2 * (f_max / f_min) * (R / (g - beta)) ** 2 * (1 + 2 * beta / R)
        allowed /= 1 - (g - beta) / R / (1 + 2 * beta / R) ** 2
        for _ in range(math.floor(allowed)):
            yield eta
        g = beta + (g - beta) / 2


def bolzano(Y, variant=1, precision=1e-3, max_checks=100, max_epochs=1000, start=None):
    """Bisection for the best directional margin: S1 section 3, first and second implementation.

    Round by round, unit steps seek the margin beta, violated: ``y.a <= beta ||a||``, from the best
    weights so far; a pass without violation is success. Then the step is halved, and beta moved
    by the halved step. A round also ends, as failed, when a pass has proven that ``gamma_d <=
    beta``. Variant 2 goes on from an undecided round with ``y.a <= b = beta ||a_f||``.
    """
    trace = Trace.begin(Y, start)
    r = math.sqrt(np.min(np.sum(Y * Y, axis=1)))
    beta = step = r / 2
    second_checks = max_checks // 2 if variant == 2 else 0
    checks = max_checks - second_checks
    best_a, best_alpha = trace.a, trace.alpha
    while step > precision * r:
        if variant == 2 and beta < trace.best_margin:
            success = True  # the best weights hold it already
        else:
            trace.a, trace.alpha = best_a, best_alpha.copy()
            passes = min(checks, max_epochs - trace.epochs)
            outcome = unit_steps(Y, trace, passes, beta=beta)
            if outcome == "undecided" and passes < checks:
                break  # out of epochs
            success = outcome == "success"
            if success:
                best_a, best_alpha, trace.best_margin = trace.a, trace.alpha, beta
            elif variant == 2 and outcome == "undecided":
                b = beta * norm(trace.a)
                passes = min(second_checks, max_epochs - trace.epochs)
                outcome = unit_steps(Y, trace, passes, b=b)
                if outcome == "success" and b / norm(trace.a) > trace.best_margin:
                    best_a, best_alpha = trace.a, trace.alpha
                    trace.best_margin = b / norm(trace.a)
        trace.rounds.append((beta, success))
        step /= 2
        beta = beta + step if success else beta - step
    trace.converged = step <= precision * r
    trace.a, trace.alpha = best_a, best_alpha
    return trace


def unit_steps(Y, trace, passes, beta=None, b=None):
    """Passes with unit steps, S1 (2.30) with beta or (2.2) with b, for `bolzano`.

    "failed": ``gamma_d <= ||sum alpha y|| / sum alpha <= beta`` at the end of a pass.
    """
    for _ in range(passes):
        trace.epochs += 1
        clean = True
        for k in range(len(Y)):
            if Y[k] @ trace.a <= (b if beta is None else beta * norm(trace.a)):
                trace.correct(Y, [k], [1.0])
                clean = False
        if clean:
            return "success"
        if beta is not None and norm(trace.alpha @ Y) / np.sum(trace.alpha) <= beta:
            return "failed"
    return "undecided"


def min_over(Y, target=50.0, start_multipliers=None, max_epochs=1000, start=None):
    """Krauth and Mezard's algorithm from any non-negative start: S2 3.1.

    The pattern of smallest ``y.w`` (the first of equals) is added, divided by ``x = max ||y||^2``,
    while ``y.w < c``. Kept here as ``v = x w``, exact on integers. One update is one epoch.
    """
    x = np.max(np.sum(Y * Y, axis=1))
    lam = np.zeros(len(Y)) if start_multipliers is None else np.asarray(start_multipliers, float)
    trace = Trace.begin(Y, start)
    trace.a, trace.alpha = trace.a + lam @ Y, lam.copy()
    trace.path = [trace.a]
    v = x * trace.start + (x * lam) @ Y
    used = np.zeros(len(Y))
    while trace.epochs < max_epochs:
        trace.epochs += 1
        p = Y @ v
        k = int(np.argmin(p))
        if p[k] >= target * x:
            trace.converged = True
            break
        v = v + Y[k]
        used[k] += 1
        trace.updates.append((k, float(1 / x)))
        trace.path.append(v / x)
    trace.a, trace.alpha = v / x, lam + used / x
    weight = len(trace.updates) / x + np.sum(lam)
    if trace.converged and start is None and weight > 0:
        trace.A = (v @ v) / x**2 / (target * weight)
    return trace


def dynamic_margin(Y, epsilon=0.1, max_epochs=1000, start=None, again=0):
    """Perceptron with dynamic margin: S5 (5) and figure 2.

    Violated: ``y.a <= theta``, with ``theta = (1 - epsilon) ||a||^2 / t`` after t updates, 0 for
    t = 0; ``||a||^2`` by its recursion. From a start a_0, ``||a|| (||a|| + ||a_0||) / t`` takes the
    place of ``||a||^2 / t``, and all are violated at t = 0.

    After an epoch, the patterns it found violated are visited up to `again` times, until none is,
    and at most n of them in all.
    """
    trace = Trace.begin(Y, start)
    anchor = norm(trace.a)
    squared, theta = trace.a @ trace.a, math.inf if anchor else 0.0

    def visit(order):
        nonlocal squared, theta
        violated = []
        for k in order:
            p = Y[k] @ trace.a
            if p <= theta:
                violated.append(k)
                trace.correct(Y, [k], [1.0])
                squared = squared + (2 * p + Y[k] @ Y[k])
                theta = squared + anchor * math.sqrt(squared)
                theta = (1 - epsilon) * theta / len(trace.updates)
        return violated

    while trace.epochs < max_epochs and not trace.converged:
        trace.epochs += 1
        active = visit(range(len(Y)))
        trace.converged = not active
        for _ in range(min(again, len(Y) // len(active)) if active else 0):
            if not visit(active):
                break
    return trace


def recenter(a, Y, labels, rho):
    """Boundary midway between the classes' closest patterns, at distance 1: S5 (6) and (7).

    Returns ``(w, b)`` with ``l (w.x + b) >= 1``, equal to 1 for the closest pattern of each class.
    """
    p = Y @ a
    p1, p2 = np.min(p[np.asarray(labels) > 0]), np.min(p[np.asarray(labels) < 0])
    if p1 + p2 <= 0:
        raise ValueError("this direction does not separate the classes")
    return 2 * a[:-1] / (p1 + p2), (2 * a[-1] * rho + p2 - p1) / (p1 + p2)


def balanced_winnow(Y, promotion=2.0, max_epochs=1000):
    """Balanced Winnow: S4 algorithm 7 from weights 1, ``a = a+ - a-``. Violated: ``y.a <= 0``.

    ``a`` is no sum of patterns; alpha counts the updates. On reflected patterns its lines 3 and 4
    are one: ``a+_i *= promotion^{y_i}``, ``a-_i *= promotion^{-y_i}``.
    """
    trace = Trace.begin(Y, None)
    plus, minus = np.ones(Y.shape[1]), np.ones(Y.shape[1])
    for k in cycle(Y, trace, max_epochs):
        if Y[k] @ trace.a <= 0:
            plus, minus = plus * promotion ** Y[k], minus * promotion ** -Y[k]
            trace.correct(Y, [k], [1.0])
            trace.a = trace.path[-1] = plus - minus
    return trace


def polytope_margin(Y):
    """The best directional margin gamma_d, S1 (2.4), as the distance of the patterns' hull from 0.

    ``min ||Y' m||^2 + (sum m - 1)^2`` over ``m >= 0`` has, up to its scale, the minimum-norm point
    of the hull as its solution; on its support all ``y.u`` are equal, which gives the last digits.
    Returns ``(gamma_d, u, lambda)``, ``u = Y' lambda / gamma_d``; zeros for gamma_d and u when the
    hull holds 0 (to 1e-10 of the radius).
    """
    R = math.sqrt(np.max(np.sum(Y * Y, axis=1))) or 1.0
    m, _ = nnls(np.vstack([Y.T / R, np.ones(len(Y))]), np.append(np.zeros(Y.shape[1]), 1.0))
    lam = m / np.sum(m)
    z = lam @ Y
    if norm(z) <= 1e-10 * R:
        return 0.0, np.zeros_like(z), lam
    polished = np.linalg.lstsq(Y[m > 0] / R, np.ones(np.sum(m > 0)))[0]
    u = max(z / norm(z), polished / norm(polished), key=lambda u: np.min(Y @ u))
    gamma = np.min(Y @ u)
    if norm(z) > gamma * (1 + 1e-5) + 1e-10 * R:
        raise RuntimeError("nnls has not found the point nearest to 0")
    return gamma, u, lam


def geometric_margin(X, y):
    """The best geometric margin with a free intercept: half the distance of the classes' hulls.

    The differences ``x_i - x_j`` of patterns of the two classes have the hull whose point nearest
    to 0 is asked for: `polytope_margin` of a few pairs, to which the worst one is added as long as
    there is one. Returns ``(gamma, w, b)`` with ``||w|| = 1`` and ``y (w.x + b) >= gamma``.
    """
    X = np.asarray(X, dtype=float)
    positive, negative = X[np.asarray(y) > 0], X[np.asarray(y) < 0]
    pairs = [positive[0] - negative[0]]
    while True:
        distance, w, _ = polytope_margin(np.array(pairs))
        if distance == 0:
            return 0.0, np.zeros(X.shape[1]), 0.0
        i, j = np.argmin(positive @ w), np.argmax(negative @ w)
        worst = positive[i] - negative[j]
        if w @ worst >= distance * (1 - 1e-12) or any(np.array_equal(worst, p) for p in pairs):
            return distance / 2, w, -(positive[i] + negative[j]) @ w / 2
        pairs.append(worst)
