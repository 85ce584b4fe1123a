"""Scikit-learn's callbacks, told of the iterations of one hyperplane."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from maxmargin.solvers import Progress, Solution

__all__ = ["IterationWatch"]


class IterationWatch:
    """Tell the callbacks of an estimator, and whoever reads the screen, of each iteration.

    Parameters
    ----------
    estimator : estimator
        In the middle of its fit.
    context : CallbackContext or None
        Of what the iterations are part of; None if nobody listens.
    data : dict
        X and y as the user gave them.
    attributes : callable or None
        Makes of a Progress the attributes that a fitted estimator has; None where there is no
        estimator in between.
    name : str
        What is being fitted, in words.
    cancelled : Event
        Set when another hyperplane has failed: this one may stop, too.
    """

    def __init__(
        self,
        estimator: Any,
        context: Any,
        data: dict[str, Any],
        attributes: Callable[[Progress], dict[str, Any]] | None,
        name: str,
        cancelled: threading.Event,
    ) -> None:
        self.estimator, self.context, self.data = estimator, context, data
        self.attributes, self.name, self.cancelled = attributes, name, cancelled
        self._iteration: Any = None

    def closing(self, solve: Callable[[], Solution]) -> Solution:
        """Solve for one class of several, and close its context."""
        solution = solve()
        if self.context is not None:
            self.context.call_on_fit_task_end(estimator=self.estimator, **self.data)
        return solution

    def begin(self) -> None:
        """Open the context of an iteration."""
        if self.context is not None:
            self._iteration = self.context.subcontext("iteration")
            self._iteration.call_on_fit_task_begin(estimator=self.estimator, **self.data)

    def end(self, progress: Progress) -> bool:
        """Close it; return whether a callback asks for the end."""
        if self.estimator.verbose:
            print(
                f"{self.name}: iteration {progress.iterations}, {progress.passes.passes:.1f} "
                f"passes, certified gap {progress.gap:.3g}"
            )
        if self.context is None or self.cancelled.is_set():
            return self.cancelled.is_set()
        attributes = self.attributes
        made = None if attributes is None else lambda: attributes(progress)
        return bool(
            self._iteration.call_on_fit_task_end(
                estimator=self.estimator, **self.data, reconstruction_attributes=made
            )
        )
