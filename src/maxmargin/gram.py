"""Products of patterns with each other, a bounded number of rows of them at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from maxmargin.patterns import Patterns

__all__ = ["GramRows"]

Floats = npt.NDArray[np.float64]

_BYTES = 2**25  # for the rows kept, whatever the number of patterns


class GramRows:
    """Rows ``y_j . y_k`` (k = 1, ..., n) of the patterns last asked for.

    Attributes
    ----------
    products : ndarray of shape (m, n)
        The rows kept, and room for more.
    places : ndarray of shape (n,)
        Where in `products` the row of a pattern is; -1 if it is not kept.
    """

    def __init__(self, patterns: Patterns) -> None:
        self.patterns = patterns
        limit = max(2, min(patterns.count, _BYTES // (8 * patterns.count)))
        # Room that is not used yet takes up no memory.
        self.products: Floats = np.empty((limit, patterns.count))
        self.places: npt.NDArray[np.int32] = np.full(patterns.count, -1, np.int32)
        self._owners: list[int] = []

    def provide(self, row: int) -> None:
        """Compute the products of a pattern, instead of the oldest ones if there is no room."""
        patterns = self.patterns
        if len(self._owners) == len(self.products):
            oldest = self._owners.pop(0)
            place, self.places[oldest] = int(self.places[oldest]), -1
        else:
            place = len(self._owners)
        unit = np.zeros(patterns.count)
        unit[row] = float(patterns.labels[row])
        self.products[place] = patterns.scores(patterns.combine(unit))
        self.places[row] = place
        self._owners.append(row)
