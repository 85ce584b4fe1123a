"""`LargeMarginClassifier` against everything users can install.

::

    pip install -e ".[benchmark]"
    pip install --no-deps --target benchmarks/.multicore liblinear-multicore==2.50.0
    python -m benchmarks.solvers --write

Peers that are not installed are left out, and named. Fashion-MNIST is Debian's package
``dataset-fashion-mnist``, or comes from OpenML. Each finished entry goes to a JSON file, from which
an interrupted run resumes; delete it to measure again. With ``--write`` the page and the picture
are made of what is in that file.
"""

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path
from typing import Any

from benchmarks import data, solvers_page
from benchmarks.judge import Problem, Try
from benchmarks.race import Race, one_pass
from benchmarks.workers import Workers

__all__ = ["main"]

# The quick ones first; True where the classes are separable.
TASKS: dict[str, tuple[Callable[[], data.Data], bool]] = {
    "german": (data.german, False),
    "colon": (data.colon, True),
    "arcene": (data.arcene, True),
    "mushrooms": (data.mushrooms, True),
    "20news": (data.news20_halves, True),
    "a9a": (data.a9a, False),
    "w8a": (data.w8a, False),
    "give_me_some_credit": (data.give_me_some_credit, False),
    "imdb": (data.imdb, True),
    "fashion-mnist": (data.fashion_mnist, False),
    "covtype": (data.covtype, False),
}
CS = (0.01, 1.0, 100.0)
LIMIT = 60.0
QUICK_LIMIT = 5.0
FRACTIONS = (4, 2, 1)


# Of LIBLINEAR and its like, the same, and of SVC.
KINDS = {"squared": ("squared_hinge", 1.0), "hinge": ("hinge", 1.0), "free": ("hinge", None)}


def problems(kinds: list[str], separable: bool, quick: bool) -> Iterator[Problem]:
    """All problems of some kinds that one data set is tried with."""
    for kind in kinds:
        if kind in KINDS:
            for C in (1.0,) if quick else CS:
                yield Problem(*KINDS[kind], C)
        elif separable:
            yield Problem("hinge", None, inf)


def main() -> None:
    """Measure what has not been measured yet, print each entry, and keep it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers", description=main.__doc__)
    parser.add_argument("--data", nargs="+", choices=TASKS, default=list(TASKS), metavar="NAME")
    choices = [*KINDS, "hard"]
    parser.add_argument("--kinds", nargs="+", choices=choices, default=choices, metavar="KIND")
    parser.add_argument("--quick", action="store_true", help=f"C = 1, {QUICK_LIMIT:g} s a fit")
    parser.add_argument("--json", type=Path, default=Path("solvers.json"), help="kept entries")
    parser.add_argument("--write", action="store_true", help="write the page and the picture")
    arguments = parser.parse_args()

    # Terminated, we still stop the processes we started: native code would not notice.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    kept = json.loads(arguments.json.read_text()) if arguments.json.exists() else {}
    with Workers() as workers:
        for name in arguments.data:
            wanted = list(problems(arguments.kinds, TASKS[name][1], arguments.quick))
            for key, entry in measure(workers, name, wanted, kept, arguments.quick):
                kept[key] = entry
                arguments.json.write_text(json.dumps(kept, indent=1))
                print(f"{key}: {solvers_page.headline(entry)}", flush=True)
    if arguments.write:
        solvers_page.write(list(kept.values()))


def measure(
    workers: Workers, name: str, wanted: list[Problem], kept: dict[str, Any], quick: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run the races of one data set that are not kept yet."""
    load, _ = TASKS[name]
    missing = [problem for problem in wanted if f"{name}, {problem}" not in kept]
    scaling = f"{name}, rows"
    if not missing and (name != "covtype" or scaling in kept):
        return
    X, y = load()
    folder = workers.offer(name, X, y)
    passes = {dtype: one_pass(X.astype(dtype)) for dtype in ("float32", "float64")}
    for problem in missing:
        stopped = stopped_before(name, problem, kept)
        race = Race(workers, folder, X, y, problem, stopped, QUICK_LIMIT if quick else LIMIT)
        race.run()
        yield f"{name}, {problem}", {"data": name, "passes": passes, **race.report()}
    if name == "covtype" and scaling not in kept:
        yield scaling, {"data": name, "rows": seconds_by_rows(workers, X, y)}


def stopped_before(name: str, problem: Problem, kept: dict[str, Any]) -> set[tuple[str, int]]:
    """Peers that took too long at a smaller C, with their threads."""
    return {
        (one.peer, one.threads)
        for entry in kept.values()
        if entry["data"] == name and "problem" in entry
        for before in [Problem(**entry["problem"])]
        if before.kind == problem.kind and before.C < problem.C
        for one in (Try(**stored) for stored in entry["tries"])
        if one.merit is None and one.seconds >= entry["limit"]
    }


def seconds_by_rows(workers: Workers, X: Any, y: Any) -> dict[int, float]:
    """Return our time on a quarter, a half and all of the rows; nothing if we are not there."""
    seconds: dict[int, float] = {}
    problem = Problem("squared_hinge", 1.0, 1.0)
    for fraction in FRACTIONS:
        size = len(y) // fraction
        X_part, y_part = X[:size], y[:size]
        folder = workers.offer(f"rows{size}", X_part, y_part)
        race = Race(workers, folder, X_part, y_part, problem, set(), LIMIT)
        seconds[size] = race.our_seconds()
    return seconds


if __name__ == "__main__":
    main()
