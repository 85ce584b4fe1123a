"""Random problems on which the papers' theorems are tried.

The bounds on times and lengths hold for *any* unit vector u with ``gamma = min y.u > 0``, so a
problem is built around a planted u and no optimiser is needed. Where a theorem is about the
optimal margin, the problem is built so that the optimum is known.
"""

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st

import naive

# The same examples every time: a theorem that fails here fails everywhere.
theorem = settings(max_examples=50, deadline=None, derandomize=True)

# Some of the theorems hold with equality: allow for the rounding of sums of a few dozen doubles.
ROUNDING = 1e-12


def at_most(value, bound, scale=0.0):
    """Whether ``value <= bound`` holds up to rounding; `scale`: size of the terms summed."""
    return value <= bound + ROUNDING * max(abs(bound), scale)


def norm(v):
    return math.sqrt(v @ v)


@dataclass(frozen=True)
class Problem:
    """Reflected patterns `Y` and a unit vector `u` that has the margin `gamma` > 0 on them.

    As data they are rows `X` with `labels`, ``y_k = l_k [x_k, rho]``. Without a `rho` any labels
    will do, as long as there are two classes.
    """

    Y: np.ndarray
    u: np.ndarray | None
    rho: float | None = None

    @property
    def labels(self):
        if self.rho is None:
            return np.where(np.arange(len(self.Y)) % 2, -1, 1)
        return np.where(self.Y[:, -1] > 0, 1, -1)

    @property
    def X(self):  # noqa: N802
        return self.labels[:, None] * (self.Y if self.rho is None else self.Y[:, :-1])

    @property
    def gamma(self):
        return min(float(np.min(self.Y @ self.u)), self.r)  # above r by rounding alone

    @property
    def r(self):
        return math.sqrt(np.min(np.sum(self.Y**2, axis=1)))

    @property
    def R(self):  # noqa: N802
        return math.sqrt(np.max(np.sum(self.Y**2, axis=1)))

    def cosines(self, path):
        """Cosine between u and each weight vector of a path, 0 for a zero vector."""
        return [float(a @ self.u) / (norm(a) or 1.0) for a in path]


def vectors(size, entries):
    return st.lists(entries, min_size=size, max_size=size).map(lambda v: np.array(v, dtype=float))


def matrices(rows, columns, entries):
    flat = vectors(rows * columns, entries)
    return flat.map(lambda v: v.reshape(rows, columns))


SMALL = st.integers(-3, 3)
REAL = st.integers(-1000, 1000).map(lambda k: k / 1000)


@st.composite
def directions(draw, size):
    """A vector of small integers that is not zero."""
    w = draw(vectors(size, SMALL))
    w[draw(st.integers(0, size - 1))] += 0 if w.any() else 1
    return w


@st.composite
def integer_problems(draw, max_patterns=8):
    """Small integers: every sum is exact, ties and repeated patterns occur."""
    n, d = draw(st.integers(2, max_patterns)), draw(st.integers(1, 4))
    w, Y = draw(directions(d)), draw(matrices(n, d, SMALL))
    Y[Y @ w < 0] *= -1
    Y[Y @ w == 0] += w
    return Problem(Y, w / norm(w))


@st.composite
def real_problems(draw, max_patterns=8):
    """Real numbers with a margin of at least 1/8."""
    n, d = draw(st.integers(2, max_patterns)), draw(st.integers(1, 4))
    w, Y = draw(directions(d)), draw(matrices(n, d, REAL))
    u = w / norm(w)
    scores = Y @ u
    Y += np.outer(np.maximum(np.abs(scores), 0.125) - scores, u)
    return Problem(Y, u)


@st.composite
def augmented_problems(draw, max_patterns=8):
    """Small integers on both sides of a hyperplane that misses the origin, and all of them."""
    n, d = draw(st.integers(2, max_patterns)), draw(st.integers(1, 3))
    w, X, rho = draw(directions(d)), draw(matrices(n, d, SMALL)), draw(st.sampled_from([0.5, 4.0]))
    heights = np.unique(X @ w)
    assume(len(heights) > 1)
    threshold = heights[draw(st.integers(0, len(heights) - 2))] + 0.5
    a = np.append(w, -threshold / rho)
    labels = np.where(X @ w > threshold, 1.0, -1.0)
    return Problem(naive.reflect(X, labels, rho), a / norm(a), rho)


def orthogonal_problem(lengths):
    """Orthogonal patterns of the given lengths, and the vector whose margin is the best."""
    u = 1 / np.array(lengths, dtype=float)
    return Problem(np.diag(np.array(lengths, dtype=float)), u / norm(u))


orthonormal_problems = st.integers(2, 12).map(lambda n: orthogonal_problem([1.0] * n))


def separable_problems(max_patterns=8):
    return st.one_of(
        integer_problems(max_patterns),
        real_problems(max_patterns),
        augmented_problems(max_patterns),
        orthonormal_problems,
    )


@st.composite
def problems_with_known_optimum(draw):
    """Patterns ``gamma u + v`` and ``gamma u - v`` with v orthogonal to u, and others beyond.

    Their hull holds ``gamma u`` and lies beyond it: u is the optimal vector, gamma its margin.
    """
    d = draw(st.integers(1, 3))
    pairs, beyond = draw(st.integers(1, 3)), draw(st.integers(0, 3))
    gamma = draw(st.integers(4, 10)) / 10
    across = draw(matrices(pairs + beyond, d, REAL))
    along = [gamma] * pairs + draw(st.lists(st.integers(0, 3), min_size=beyond, max_size=beyond))
    along = np.maximum(np.array(along, dtype=float), gamma)
    near = across[:pairs]
    Y = np.column_stack([np.append(along, along[:pairs]), np.vstack([across, -near])])
    Y = Y[draw(st.permutations(range(len(Y))))]
    mirror = draw(directions(d + 1))
    turn = np.eye(d + 1) - 2 * np.outer(mirror, mirror) / (mirror @ mirror)
    return Problem(Y @ turn, turn[0])


@st.composite
def stepwise_problems(draw, share=0.0):
    """Orthogonal patterns, first m of length 1, then so many of length c that runs pass t_c.

    The first long patterns turn the weights away from u. One visit to each of the n patterns
    goes beyond the t_c of a margin ``beta = share gamma``.
    """
    short, c = draw(st.integers(1, 5)), draw(st.sampled_from([1.0, 2.0, 2.5]))
    enough = math.floor((c * c - 1) * short / (1 - 2 * share)) + 2
    n = enough + draw(st.integers(0, 3))
    return orthogonal_problem([1.0] * short + [c] * (n - short))


factors = st.lists(st.sampled_from([0.5, 1.0, 1.25, 2.0]), min_size=1, max_size=5)
