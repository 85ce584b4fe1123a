"""How many threads BLAS may use."""

from __future__ import annotations

import functools
from contextlib import AbstractContextManager, nullcontext

from threadpoolctl import ThreadpoolController

__all__ = ["calm_blas"]

#: Matrices of fewer rows are worked on by one thread: more cost up to five times what they bring.
_WORTH_THREADS = 512


def calm_blas(size: int) -> AbstractContextManager[object]:
    """Return a context in which BLAS uses one thread, if matrices are of this size or smaller."""
    return _controller().limit(limits=1) if size < _WORTH_THREADS else nullcontext()


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all loaded libraries: once is enough
