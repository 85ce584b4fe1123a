"""The order in which patterns are looked at, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from maxmargin import loops
from maxmargin.compiled import compile_loop

__all__ = ["Order"]


class Order:
    """Row numbers: as they come, or shuffled anew for every pass.

    Parameters
    ----------
    count : int
        Number of rows.
    random_state : RandomState or None
        Source of the shuffles; None leaves rows as they come.
    """

    def __init__(self, count: int, random_state: np.random.RandomState | None = None) -> None:
        self.random_state = random_state
        self.rows = np.arange(count, dtype=np.uint32 if count < 2**32 else np.uint64)

    def next(self) -> npt.NDArray[Any]:
        """Return the order of the next pass; it lasts until the one after is asked for."""
        if self.random_state is not None:
            seed = self.random_state.randint(1, 2**64 - 1, dtype=np.uint64)
            with np.errstate(over="ignore"):  # uncompiled, the generator's wrap-around warns
                compile_loop(loops.shuffle)(self.rows, np.uint64(seed))
        return self.rows
