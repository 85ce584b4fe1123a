"""Passes over the data: each a map over blocks of rows and a sum of small results.

Nothing else in the solvers touches a row of the data but the ascent of one multiplier after the
other. Blocks are the same whatever the number of threads, and results are added in their order, so
that threads change no bit of them.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import loops as engine_loops
from maxmargin.compiled import compile_loop
from maxmargin.patterns import ROWS_PER_SUM, Patterns
from maxmargin.rows import DenseRows
from maxmargin.solvers import loops

__all__ = ["Passes", "threads"]

Floats = npt.NDArray[np.float64]
EachOf = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
Chosen = npt.NDArray[np.uint32]

_ENTRIES_PER_BLOCK = 2**20
_ROWS_FOR_A_MEAN = 1024
_ROWS_PER_PRODUCT = 2048  # of a dense block that BLAS multiplies with itself


class Passes:
    """The patterns, in blocks.

    Parameters
    ----------
    patterns : Patterns
    each_of : callable
        Maps a function over blocks, in order; :func:`map`, or that of :func:`threads`.
    """

    def __init__(self, patterns: Patterns, each_of: EachOf = map) -> None:
        self.patterns, self._each_of = patterns, each_of
        self._of_all, self._lock = dict[Any, Floats](), threading.Lock()
        #: Rows read so far.
        self.rows_read = 0.0
        # A block's result has a few times as many numbers as there are features.
        entries = max(_ENTRIES_PER_BLOCK, 4 * patterns.dimension)
        self._size = max(1, int(entries / patterns.entries_per_row))
        self._rows, self._labels = patterns.rows, patterns.labels

    @property
    def passes(self) -> float:
        """Rows read, divided by their number."""
        return self.rows_read / self.patterns.count

    def relabelled(self, labels: npt.ArrayLike) -> Passes:
        """Return the same rows with other labels; what does not depend on labels is shared."""
        other = Passes(self.patterns.relabelled(labels), self._each_of)
        other._of_all, other._lock = self._of_all, self._lock
        return other

    def scores(self, weights: Floats) -> Floats:
        """Return ``y_k . weights`` of every pattern."""
        out = np.empty(self.patterns.count)
        loop = self._compiled(engine_loops.scores)

        def block(first: np.uint64, last: np.uint64) -> None:
            loop(self._rows, self._labels, first, last, weights, out)

        for _ in self._map(block, self.patterns.count):
            pass
        return out

    def class_sums(self, coefficients: Floats) -> Floats:
        """Return ``sum_k coefficients_k [x_k, rho]`` over the negative and the positive class."""
        loop = self._compiled(engine_loops.add_up)

        def block(first: np.uint64, last: np.uint64) -> Floats:
            part, total = np.zeros((2, 2, self.patterns.dimension))
            books = (self._rows, self._labels, coefficients)
            loop(*books, first, last, np.uint64(ROWS_PER_SUM), part, total)
            return total

        used = float(np.count_nonzero(coefficients))
        return self._sum(block, self.patterns.count, np.zeros((2, self.patterns.dimension)), used)

    def middle(self) -> Floats:
        """Return about the mean of dense rows; zero for sparse ones, which a shift would fill."""
        if not isinstance(self._rows, DenseRows):
            return np.zeros(self.patterns.dimension - 1)
        X = self._rows.values.reshape(self.patterns.count, -1)
        return X[:: max(1, len(X) // _ROWS_FOR_A_MEAN)].mean(axis=0, dtype=np.float64)

    def outer_products(
        self, chosen: Chosen, factors: Floats, dtype: Any = np.float64, shift: Any = 0.0
    ) -> Floats:
        """Return ``sum_k factor_k [x_k, rho] [x_k, rho]'`` over chosen rows, its upper triangle.

        Dense rows go through BLAS in pieces, those with positive and negative factors apart. Only
        within these pieces ``dtype`` is what is computed with, and ``shift`` taken from each row.
        """
        if isinstance(self._rows, DenseRows):
            X = self._rows.values.reshape(self.patterns.count, -1)
            return self._products_of_blocks(X, chosen, factors, dtype, shift)
        loop = self._compiled(loops.outer_products)

        def block(first: np.uint64, last: np.uint64) -> Floats:
            out = np.zeros((self.patterns.dimension,) * 2)
            loop(self._rows, chosen[first:last], factors[first:last], out)
            return out

        return self._sum(block, chosen.size, np.zeros((self.patterns.dimension,) * 2))

    def products(self, chosen: Any) -> Floats:
        """Return the products of chosen patterns with each other."""
        out = np.empty((chosen.size, chosen.size))
        work = np.zeros(self.patterns.dimension)
        self._compiled(loops.products)(self._rows, self._labels, chosen, work, out)
        self.rows_read += chosen.size * (chosen.size + 1) / 2.0 + chosen.size
        return out

    def scores_of(self, chosen: Any, weights: Floats) -> Floats:
        """Return ``y_k . weights`` of chosen patterns."""
        self.rows_read += chosen.size
        return self._compiled(loops.scores_of)(self._rows, self._labels, chosen, weights)

    def add_chosen(self, chosen: Any, steps: Floats, weights: Floats) -> None:
        """Add ``sum_k steps_k y_k`` over chosen patterns to weights."""
        self.rows_read += chosen.size
        signed = steps * self._labels[chosen]
        self._compiled(loops.add_chosen)(self._rows, chosen, signed, weights)

    def products_of_all(self, factors: Floats, dtype: Any, shift: Floats) -> Floats:
        """Return the outer products of all rows, computed once for factors that never change."""
        with self._lock:
            if dtype not in self._of_all:
                everybody = np.arange(self.patterns.count, dtype=np.uint32)
                self._of_all[dtype] = self.outer_products(everybody, factors, dtype, shift)
            return self._of_all[dtype]

    def _products_of_blocks(
        self, X: Any, chosen: Chosen, factors: Floats, dtype: Any, shift: Any
    ) -> Floats:
        total = np.zeros((self.patterns.dimension,) * 2)
        for sign in (1.0, -1.0):
            signed = factors * sign > 0.0
            rows, roots = chosen[signed], np.sqrt(sign * factors[signed]).astype(dtype)
            weighted, everybody = bool((roots != 1.0).any()), rows.size == len(X)

            def block(first: Any, last: Any, rows: Any = rows, roots: Any = roots) -> Any:
                room = np.empty((int(last - first), self.patterns.dimension), dtype)
                mine = X[first:last] if everybody else X[rows[first:last]]  # noqa: B023
                np.subtract(mine, shift, out=room[:, :-1], casting="same_kind")
                room[:, -1] = self.patterns.rho
                if weighted:  # noqa: B023
                    room *= roots[first:last, None]
                return room.T @ room

            for product in self._map(block, rows.size, size=_ROWS_PER_PRODUCT):
                total += sign * product
        return total

    def _compiled(self, loop: Callable[..., Any]) -> Callable[..., Any]:
        return compile_loop(loop, type(self._rows))

    def _sum(self, block: Any, count: int, total: Floats, rows: float | None = None) -> Floats:
        for part in self._map(block, count, rows):
            total += part
        return total

    def _map(
        self, block: Any, count: int, rows: float | None = None, size: int | None = None
    ) -> Iterator[Any]:
        """Yield the results of a function of ranges of rows, in order."""
        self.rows_read += count if rows is None else rows
        size = self._size if size is None else size
        ranges = [
            (np.uint64(first), np.uint64(min(first + size, count)))
            for first in range(0, count, size)
        ]
        if len(ranges) == 1:  # nothing to share
            yield block(*ranges[0])
        else:
            yield from self._each_of(lambda each: block(*each), ranges)


@contextmanager
def threads(workers: int) -> Iterator[EachOf]:
    """Provide what maps a function over a list in so many threads.

    No more results wait for their turn than twice the threads: they may be matrices.
    """
    if workers == 1:
        yield map
        return
    with ThreadPoolExecutor(workers) as pool:

        def each_of(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
            waiting: deque[Future[Any]] = deque()
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

        yield each_of
