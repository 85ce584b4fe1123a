"""Peak memory of a second fit beyond X, in a process that does nothing else.

Two measures, as neither sees everything: tracemalloc counts what Python and NumPy allocate but
not what compiled loops or BLAS do; the peak of the resident set counts pages of the process but
can hide what fits into memory that an earlier step has freed. The kernel is asked for the second
through /proc, so it is missing outside Linux.
"""

import gc
import json
import subprocess
import sys
import tempfile
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from benchmarks import data
from benchmarks.report import Report

__all__ = ["run"]

EPOCHS = 3
NAMES = ("Perceptron", "DynamicMarginPerceptron", "MinOverPerceptron")
MEGABYTE = 2**20

METHOD = f"""\
Peak memory in MiB of the second `fit` of a process ({EPOCHS} epochs), beyond what it held before:
`tracemalloc` counts Python's and NumPy's allocations, `resident` the pages of the whole process.
Required: at most 10 % of X plus O(n + d). The last column is that second part, the larger of the
two measures less 10 % of X, in bytes for each of the n + d rows and features."""


def run() -> Report:
    """Measure each algorithm on covtype (dense) and imdb (CSR)."""
    report = Report(
        "Memory of a second fit",
        METHOD,
        ["data", "algorithm", "X", "10 % of X", "tracemalloc", "resident", "remainder"],
    )
    loaders: dict[str, Callable[[], Any]] = {"covtype": data.covtype, "imdb": data.imdb}
    for dataset, load in loaders.items():
        with tempfile.TemporaryDirectory() as folder:
            save(Path(folder), *load())
            for name in NAMES:
                report.rows.append([dataset, name, *describe(measure_in_subprocess(name, folder))])
    return report


def describe(sizes: dict[str, int]) -> list[str]:
    """Format the bytes measured in a child process as cells."""
    tenth = sizes["X"] / 10
    remainder = max(sizes["traced"], sizes.get("resident", 0)) - tenth
    return [
        *(f"{size / MEGABYTE:.1f}" for size in (sizes["X"], tenth, sizes["traced"])),
        f"{sizes['resident'] / MEGABYTE:.1f}" if "resident" in sizes else "not measured",
        f"{max(0.0, remainder) / sizes['n_plus_d']:.0f}",
    ]


def measure_in_subprocess(name: str, folder: str) -> dict[str, int]:
    """Run this module as a program, once a measure: tracing costs memory of its own."""
    sizes: dict[str, int] = {}
    for measure in ("traced", "resident"):
        result = subprocess.run(
            [sys.executable, "-m", "benchmarks.memory", measure, name, folder],
            cwd=Path(__file__).parents[1],
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        sizes |= json.loads(result.stdout)
    return sizes


def save(folder: Path, X: Any, y: Any) -> None:
    """Store the plain arrays, which a child loads without a temporary copy."""
    arrays = (
        {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape)}
        if sparse.issparse(X)
        else {"dense": X}
    )
    for key, array in {**arrays, "y": y}.items():
        np.save(folder / f"{key}.npy", array)


def load(folder: Path) -> tuple[Any, Any, int]:
    """Read what `save` wrote; the third value is the size of X in bytes."""
    arrays = {path.stem: np.load(path) for path in folder.glob("*.npy")}
    y = arrays.pop("y")
    if "dense" in arrays:
        return arrays["dense"], y, arrays["dense"].nbytes
    parts = arrays["data"], arrays["indices"], arrays["indptr"]
    X = sparse.csr_array(parts, shape=tuple(arrays["shape"]))
    return X, y, sum(part.nbytes for part in parts)


def second_fit(measure: str, name: str, folder: Path) -> dict[str, int]:
    """Fit twice, and measure the peak of the second time beyond what was held before it."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, y, size = load(folder)
    estimator_class = getattr(maxmargin, name)
    estimator_class(max_iter=EPOCHS).fit(X, y)
    gc.collect()
    estimator = estimator_class(max_iter=EPOCHS)
    peak = {"traced": traced_peak, "resident": resident_peak}[measure](lambda: estimator.fit(X, y))
    sizes = {"X": size, "n_plus_d": sum(X.shape)}
    return sizes if peak is None else {**sizes, measure: peak}


def traced_peak(work: Callable[[], Any]) -> int:
    """Peak of the allocations that Python and NumPy report, in bytes."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak - before


def resident_peak(work: Callable[[], Any]) -> int | None:
    """Peak of the resident set above its present size, in bytes; None where there is no /proc."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
    before = _kilobytes(status, "VmRSS")
    work()
    return (_kilobytes(status, "VmHWM") - before) * 1024


def _kilobytes(status: Path, key: str) -> int:
    line = next(line for line in status.read_text().splitlines() if line.startswith(key))
    return int(line.split()[1])


if __name__ == "__main__":
    measure, name, folder = sys.argv[1:]
    print(json.dumps(second_fit(measure, name, Path(folder))))
