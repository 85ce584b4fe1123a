"""Independent runs side by side in threads: the compiled loops release the interpreter."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from joblib import effective_n_jobs

__all__ = ["in_threads"]

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
