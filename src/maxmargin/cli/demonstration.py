"""``maxmargin demo``: the whole family on data built into scikit-learn, as tables or as JSON."""

from __future__ import annotations

import json
import math
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["Problem", "Row", "fit_family", "load_problems", "print_json", "print_tables"]

CAPTION = (
    "margin: smallest distance of a pattern to the boundary; "
    "at most: no boundary has a larger margin; "
    "gap: certified distance from the best margin of the augmented problem that was solved; "
    "passes: row products / rows; ms: time of fit, compilation excluded; "
    "!: stopped before it was done"
)


@dataclass(frozen=True)
class Problem:
    """Two classes to tell apart, scaled so that every margin is a fraction of the radius."""

    name: str
    X: Any
    y: Any


@dataclass(frozen=True)
class Row:
    """What one algorithm made of one problem."""

    problem: str
    n_samples: int
    n_features: int
    algorithm: str
    converged: bool
    epochs: int
    passes: float
    updates: int
    margin: float
    margin_upper: float
    margin_gap: float
    lower: float
    upper: float
    gap: float
    separable: bool | None
    seconds: float


def load_problems() -> list[Problem]:
    """Two separable problems and one that is not, from data built into scikit-learn."""
    from sklearn.datasets import load_digits, load_iris

    flowers, species = load_iris(return_X_y=True)
    images, digits = load_digits(return_X_y=True)
    threes_or_eights = (digits == 3) | (digits == 8)
    return [
        _centred("iris: setosa against the others", flowers, species == 0),
        _centred("digits: 3 against 8", images[threes_or_eights], digits[threes_or_eights] == 3),
        _centred("iris: versicolor against virginica", flowers[50:], species[50:] == 1),
    ]


def _centred(name: str, X: Any, y: Any) -> Problem:
    """Move the mean to the origin and the farthest pattern to distance one."""
    import numpy as np

    X = X - X.mean(axis=0)
    return Problem(name, X / np.linalg.norm(X, axis=1).max(), y)


def family() -> list[Any]:
    """One estimator of each algorithm, with margins that suit patterns of length one."""
    import maxmargin as mm

    return [
        mm.Perceptron(random_state=0),
        mm.MarginPerceptron(random_state=0),
        mm.BatchPerceptron(),
        mm.RelaxationPerceptron(random_state=0),
        mm.FixedMarginPerceptron(margin=0.05, random_state=0),
        mm.BolzanoPerceptron(random_state=0),
        mm.MinOverPerceptron(target=5.0),
        mm.DynamicMarginPerceptron(random_state=0),
    ]


def fit_family(problem: Problem) -> Iterator[Row]:
    """Fit every algorithm on `problem`, one row after the other."""
    for estimator in family():
        _compile(estimator, problem)
        yield _fit(estimator, problem)


def _compile(estimator: Any, problem: Problem) -> None:
    """Run one epoch untimed: the first run ever compiles, and later ones load the result."""
    from sklearn import clone

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(estimator).set_params(max_iter=1).fit(problem.X, problem.y)


def _fit(estimator: Any, problem: Problem) -> Row:
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        estimator.fit(problem.X, problem.y)
        seconds = time.perf_counter() - start
    certificate = estimator.certificate_
    certificate.verify(problem.X, problem.y)  # an error here would be a false proof
    return Row(
        problem=problem.name,
        n_samples=problem.X.shape[0],
        n_features=problem.X.shape[1],
        algorithm=type(estimator).__name__,
        converged=not any(issubclass(w.category, ConvergenceWarning) for w in caught),
        epochs=int(estimator.n_iter_),
        passes=float(estimator.history_["passes"][-1]),
        updates=int(estimator.n_updates_),
        margin=float(certificate.margin),
        margin_upper=float(certificate.margin_upper),
        margin_gap=float(certificate.margin_gap),
        lower=float(certificate.lower),
        upper=float(certificate.upper),
        gap=float(certificate.gap),
        separable=certificate.separable,
        seconds=seconds,
    )


def print_json() -> None:
    """Print all rows as one JSON array; what is not finite becomes null."""
    rows = [asdict(row) for problem in load_problems() for row in fit_family(problem)]
    finite = [
        {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row.items()
        }
        for row in rows
    ]
    print(json.dumps(finite, indent=2, allow_nan=False))


def print_tables() -> None:
    """Print one table a problem as soon as it is fitted, and the legend under the last one."""
    from rich.console import Console

    console = Console()
    progress = Console(stderr=True)
    for problem in load_problems():
        with progress.status(f"{problem.name} (the first run compiles, which takes a while)"):
            table = _table(problem, list(fit_family(problem)))
        _roomy(console, table).print(table, "")
    console.print(CAPTION, style="dim")


def _roomy(console: Console, table: Table) -> Console:
    """Return a console as wide as a table needs, or numbers would be cut short."""
    from rich.console import Console

    unbounded = Console(width=10_000, height=console.height)
    needed = unbounded.measure(table).maximum
    return Console(width=max(console.width, needed), height=console.height)


def _table(problem: Problem, rows: list[Row]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    n_samples, n_features = problem.X.shape
    table = Table(
        title=f"{problem.name} ({n_samples} x {n_features}), {_separability(rows)}",
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
    )
    table.add_column("algorithm", no_wrap=True)
    for header in ("passes", "updates", "margin", "at most", "gap", "ms"):
        table.add_column(header, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.algorithm,
            f"{row.passes:.0f}" + (" " if row.converged else "!"),
            f"{row.updates}",
            f"{row.margin:.4f}",
            f"{row.margin_upper:.4f}",
            f"{row.gap:.2%}" if row.lower > 0 else "-",
            f"{row.seconds * 1e3:.1f}",
        )
    return table


def _separability(rows: list[Row]) -> str:
    """What the certificates of all rows together prove about the data."""
    proofs = {row.separable for row in rows}
    if True in proofs:
        return "proven separable"
    if False in proofs:
        return "proven not separable"
    return "no separation found"
