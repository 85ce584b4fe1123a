"""Every kind of problem a certificate can be about: its exact bounds, and its optimum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import minimize

from certificates import dense, dot, exact, weights
from maxmargin.certificate import Certificate

LOSSES = [None, "squared_hinge", "hinge"]
INTERCEPTS = ["augmented", "free", "none"]


@dataclass(frozen=True)
class Problem:
    X: np.ndarray
    signs: np.ndarray
    loss: str | None
    rho: float | None
    free: bool
    costs: np.ndarray | None

    @property
    def counting(self):
        return np.full(len(self.signs), True) if self.costs is None else self.costs > 0.0

    def scaled(self, factor):
        """Return the same problem in other units of length."""
        rho = self.rho and self.rho * factor
        costs = None if self.costs is None else self.costs / factor / factor
        return Problem(self.X * factor, self.signs, self.loss, rho, self.free, costs)


def problem(rng, loss, intercept, cost="random", distance=2.0):
    n, d = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    signs = np.where(np.arange(n) % 2, 1, -1)
    X = rng.normal(size=(n, d)) + np.outer(signs * distance / 2, np.eye(d)[0])
    rho = float(rng.uniform(0.5, 3.0)) if intercept == "augmented" else None
    costs = None
    if loss is not None:
        costs = np.full(n, 10.0 ** rng.uniform(-2, 2))
        if cost != "uniform":
            costs *= 10.0 ** rng.uniform(-1, 1, n)
        if cost == "some zero":
            costs[2:] *= rng.random(n - 2) < 0.6
    return Problem(X, signs, loss, rho, intercept == "free", costs)


def attempt(rng, p):
    """Return any hyperplane, and any multipliers of the patterns that count."""
    n, d = p.X.shape
    w = rng.normal(size=d) * 10.0 ** rng.uniform(-2, 1)
    b = rng.normal() if p.free or p.rho else 0.0
    alpha = rng.exponential(size=n) * (rng.random(n) < 0.7) * p.counting
    for side in (-1, 1):
        alpha[np.flatnonzero(p.counting & (p.signs == side))[0]] += 0.1
    return w, b, alpha / alpha.sum()


# --- the truth ----------------------------------------------------------------


def root(signed):
    """Return a float from its square, which has its sign; None is infinity."""
    if signed is None:
        return math.inf
    return math.copysign(math.sqrt(abs(signed)), signed)


def signed_square(value):
    return value * abs(value)


def exact_bounds(p, w, b, alpha):
    """Return the squares of lower, upper, margin and margin_upper, with the signs of these."""
    keep = np.flatnonzero(p.counting)
    rows, signs = [exact(x) for x in dense(p.X)[keep]], [int(s) for s in p.signs[keep]]
    w, b, alpha = exact(w), Fraction(b), exact(alpha[keep])
    costs = None if p.costs is None else exact(p.costs[keep])
    rho = Fraction(p.rho) if p.rho else None
    scores = [s * (dot(x, w) + b) for x, s in zip(rows, signs, strict=True)]
    square = dot(w, w) + ((b / rho) ** 2 if rho else 0)
    margin = signed_square(min(scores)) / dot(w, w) if any(w) else None

    mass = {
        side: sum(a for a, s in zip(alpha, signs, strict=True) if s == side) for side in (-1, 1)
    }
    balanced = None
    if all(mass.values()):
        balanced = [a / mass[s] / 2 for a, s in zip(alpha, signs, strict=True)]
    half = None if balanced is None else squared_norm(balanced, rows, signs)
    whole = squared_norm(alpha, rows, signs, rho) / sum(alpha) ** 2

    if p.loss is None:
        lower = signed_square(min(scores)) / square if square else None
        if p.free and any(w):
            spread = min(s * dot(x, w) for x, s in zip(rows, signs, strict=True) if s > 0)
            spread += min(s * dot(x, w) for x, s in zip(rows, signs, strict=True) if s < 0)
            lower = signed_square(spread / 2) / square
        upper = half if p.free else whole
    else:
        lower = 1 / (2 * primal(p.loss, square, scores, costs))
        multipliers = balanced if p.free else alpha
        D = 0
        if multipliers is not None:
            z = squared_norm(multipliers, rows, signs, rho)
            D = dual(p.loss, z, multipliers, costs)
        upper = 1 / (2 * D) if D else None
    return {
        "lower": lower,
        "upper": upper,
        "margin": margin,
        "margin_upper": half if p.free or rho else whole,
    }


def squared_norm(alpha, rows, signs, rho=None):
    """``||sum alpha_k y_k||^2``, with the constant if there is one."""
    signed = [a * s for a, s in zip(alpha, signs, strict=True)]
    z = [dot(signed, column) for column in zip(*rows, strict=True)]
    return dot(z, z) + ((sum(signed) * rho) ** 2 if rho else 0)


def primal(loss, square, scores, costs):
    power = {"squared_hinge": 2, "hinge": 1}[loss]
    return square / 2 + sum(C * max(0, 1 - s) ** power for s, C in zip(scores, costs, strict=True))


def dual(loss, z, alpha, costs):
    """The largest dual objective on the ray of some multipliers."""
    total = sum(alpha)
    if loss == "squared_hinge":
        curvature = z + sum(a * a / (2 * C) for a, C in zip(alpha, costs, strict=True))
        return total * total / curvature / 2
    s = min(C / a for a, C in zip(alpha, costs, strict=True) if a)
    s = min(s, total / z) if z else s
    return s * total - s * s * z / 2


# --- certificates -------------------------------------------------------------


def certificate(p, w, b, alpha, **changes):
    """Return a certificate that claims the truth, rounded to floats."""
    squares = exact_bounds(p, w, b, alpha)
    claims = {name: root(square) for name, square in squares.items()}
    claims |= {name: math.nan for name in ("lower", "margin") if squares[name] is None}
    radius = max(root(dot(exact(x), exact(x))) for x in dense(p.X)[p.counting])
    claims |= {
        "separable": True if claims["margin"] > 0.0 else None,
        "radius": radius,
        "rho": p.rho,
        "dual_weights": weights(alpha),
        "coef": np.asarray(w, dtype=float),
        "intercept": float(b),
        "classes": np.array([-1, 1]),
        "positive": 1,
        "free_intercept": p.free,
        "loss": p.loss,
        "costs": p.costs,
    }
    return Certificate(**(claims | changes))


def optimum(p):
    """Return w, b and multipliers of the best soft margin, by way of the dual problem."""
    X, signs, C = p.X[p.counting], p.signs[p.counting], p.costs[p.counting]
    Y = signs[:, None] * (np.column_stack([X, np.full(len(X), p.rho)]) if p.rho else X)
    squared = p.loss == "squared_hinge"
    K = Y @ Y.T + (np.diag(0.5 / C) if squared else 0.0)
    found = minimize(
        lambda alpha: (alpha @ K @ alpha / 2 - alpha.sum(), K @ alpha - 1.0),
        np.zeros(len(C)),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, None if squared else each) for each in C],
        constraints=[{"type": "eq", "fun": lambda a: a @ signs, "jac": lambda a: signs}] * p.free,
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    alpha = np.maximum(found.x, 0.0)
    z = alpha @ Y
    w, b = z[: X.shape[1]], z[-1] * p.rho if p.rho else 0.0
    if p.free:
        # Some pattern is where its multiplier says, at the best intercept for these weights.
        candidates = signs * (1.0 - (alpha / (2.0 * C) if squared else 0.0)) - X @ w
        b = min(candidates, key=lambda b: objective(p, X, signs, C, w, b))
    everything = np.zeros(len(p.signs))
    everything[p.counting] = alpha / alpha.sum()
    return w, float(b), everything


def objective(p, X, signs, C, w, b):
    slacks = np.maximum(1.0 - signs * (X @ w + b), 0.0)
    return w @ w / 2 + C @ slacks ** (2 if p.loss == "squared_hinge" else 1)
