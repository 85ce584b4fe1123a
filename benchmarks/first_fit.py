"""What a fresh process waits for: importing maxmargin, and the first fit, cold and warm."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.report import Report

__all__ = ["run"]

REPEATS = 3
NAMES = (
    "Perceptron",
    "MarginPerceptron",
    "BatchPerceptron",
    "RelaxationPerceptron",
    "FixedMarginPerceptron",
    "BolzanoPerceptron",
    "MinOverPerceptron",
    "DynamicMarginPerceptron",
)

METHOD = f"""\
Each number comes from fresh processes that first import `numba` and `sklearn.linear_model`.
Import: `import maxmargin` with its estimators resolved. Cold: the first `fit` with an empty
`NUMBA_CACHE_DIR`. Warm: the first `fit` of a process that finds the cache filled. Import and warm
are medians of {REPEATS} processes, cold is one. Data: 200 x 10, dense and CSR, float64.
Required: import 0.2 s, warm 1 s, cold 10 s at most."""

PROGRAM = """
import json, sys, time, warnings
import numba, numpy as np, scipy.sparse, sklearn.linear_model
name, layout = sys.argv[1:]
start = time.perf_counter()
import maxmargin
estimator = getattr(maxmargin, name)()
imported = time.perf_counter()
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 10))
y = X @ rng.normal(size=10) > 0
X = scipy.sparse.csr_array(X) if layout == "CSR" else X
warnings.simplefilter("ignore")
ready = time.perf_counter()
estimator.fit(X, y)
print(json.dumps({"import": imported - start, "fit": time.perf_counter() - ready}))
"""


def run() -> Report:
    """Measure every algorithm in fresh processes, dense and sparse."""
    report = Report("The first fit", METHOD, ["algorithm", "data", "import", "cold", "warm"])
    for name in NAMES:
        for layout in ("dense", "CSR"):
            with tempfile.TemporaryDirectory() as cache:
                cold = fresh_process(name, layout, cache)
                warm = [fresh_process(name, layout, cache) for _ in range(REPEATS)]
            report.rows.append(
                [
                    name,
                    layout,
                    f"{statistics.median(seconds['import'] for seconds in warm):.2f} s",
                    f"{cold['fit']:.2f} s",
                    f"{statistics.median(seconds['fit'] for seconds in warm):.2f} s",
                ]
            )
    return report


def fresh_process(name: str, layout: str, cache: str) -> dict[str, float]:
    """Import and fit in a new interpreter that knows no cache but `cache`."""
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, layout],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    seconds: dict[str, float] = json.loads(result.stdout)
    return seconds
