"""The child process of `benchmarks.solvers`: it holds the data and fits what it is told to.

It reads requests, one JSON object a line, and answers each with ``{"ready": true}`` as soon as
data and code are warm, and with the outcome of one timed fit; or with ``{"error": ...}``. What
native code prints goes nowhere.
"""

import json
import os
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from benchmarks.judge import Problem
from benchmarks.memory import load
from benchmarks.peers import OURS, PEERS, Peer, prepare

FEW = 100
BY_NAME = {peer.name: peer for peer in (*OURS, *PEERS)}


class Memory:
    """One data set, in each layout that was asked for, and who was warmed up on what."""

    def __init__(self) -> None:
        self.folder = ""
        self.layouts: dict[str, tuple[Any, Any]] = {}
        self.warm: set[str] = set()

    def data(self, folder: str, layout: str) -> tuple[Any, Any]:
        """Return the data of a folder in a layout, which is made once."""
        if folder != self.folder:
            self.folder, self.layouts = folder, {}
            X, y, _ = load(Path(folder))
            self.layouts["float64"] = prepare("float64", X, y)
        if layout not in self.layouts:
            self.layouts[layout] = prepare(layout, *self.layouts["float64"])
        return self.layouts[layout]

    def warm_up(self, peer: Peer, problem: Problem, threads: int) -> None:
        """Fit once, so that what is compiled at the first fit is compiled.

        A few rows do for the peers; how we solve a problem may depend on all of it.
        """
        X, y = self.layouts["float64"]
        if peer in OURS:
            key, rows = f"{peer.name}, {self.folder}, {problem}", np.arange(len(y))
        else:
            key = f"{peer.name}, {problem.kind}, sparse: {issparse(X)}"
            rows = np.concatenate([np.flatnonzero(y == label)[:FEW] for label in (-1, 1)])
            problem = problem if problem.hard else replace(problem, C=1.0)
        if key not in self.warm:
            setting = peer.ladders[problem.kind][0 if peer in OURS else -1]
            peer.fit(*prepare(peer.layout, X[rows], y[rows]), problem, setting, threads)
            self.warm.add(key)


def fit(memory: Memory, request: dict[str, Any], say: Any) -> dict[str, Any]:
    """Fit once; the hyperplane goes into a file, the rest is returned."""
    peer = BY_NAME[request["peer"]]
    problem = Problem(**request["problem"])
    X, y = memory.data(request["folder"], peer.layout)
    memory.warm_up(peer, problem, request["threads"])
    say({"ready": True})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        model = peer.fit(X, y, problem, request["setting"], request["threads"])
        seconds = time.perf_counter() - start
    w, b = peer.hyperplane(model)
    np.save(request["hyperplane"], np.append(w, b))
    warned = any(issubclass(one.category, ConvergenceWarning) for one in caught)
    return {"seconds": seconds, "warned": warned, **ours(model, X, y)}


def ours(model: Any, X: Any, y: Any) -> dict[str, Any]:
    """Return passes and verified bounds of a model that has a certificate."""
    if not hasattr(model, "certificate_"):
        return {}
    model.certificate_.verify(X, y)
    return {
        "passes": float(model.history_["passes"][-1]),
        "dual": float(model.certificate_.dual),
        "margin_upper": float(model.certificate_.margin_upper),
    }


def main() -> None:
    """Answer until there are no more requests."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    memory = Memory()
    for line in sys.stdin:
        try:
            say(fit(memory, json.loads(line), say))
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
