"""Threads: independent runs side by side, while BLAS uses none of its own."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

__all__ = ["in_threads", "one_blas_thread"]

T = TypeVar("T")


def in_threads(
    tasks: Sequence[Callable[[], T]], n_jobs: int | None, cancelled: threading.Event
) -> list[T]:
    """Run tasks and return their results in order.

    An error in one of them, or Ctrl-C, sets `cancelled`, which the others are expected to
    watch, and is raised once all have stopped.
    """
    workers = min(effective_n_jobs(n_jobs), len(tasks))
    if workers == 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            failed = [future for future in done if future.exception() is not None]
        finally:
            if any(not future.done() for future in futures):
                cancelled.set()
                for future in futures:
                    future.cancel()
        if failed:
            raise failed[0].exception()  # type: ignore[misc]
        return [future.result() for future in futures]


class _Limit:
    """The limit in force, for the whole process: whoever is last lifts it."""

    def __init__(self) -> None:
        self.lock, self.holders = threading.Lock(), 0
        self.context: Any = None


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread, as the fits that go on at the same time do.

    On matrices of a few hundred rows more of them cost up to five times what they bring, and change
    the last bits of results. Blocks of rows are what is shared between threads.
    """
    with _LIMIT.lock:
        if not _LIMIT.holders:
            _LIMIT.context = _libraries().limit(limits=1)
        _LIMIT.holders += 1
    try:
        yield
    finally:
        with _LIMIT.lock:
            _LIMIT.holders -= 1
            if not _LIMIT.holders:
                _LIMIT.context.restore_original_limits()


@functools.cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()  # looks through all that are loaded: once is enough
