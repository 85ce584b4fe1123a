"""Ctrl-C in a fit: KeyboardInterrupt, soon, and an estimator as it was before.

Every fit runs in a process of its own: what went wrong here once was a crash of the interpreter,
because a compiled call that returns a named tuple makes Numba call Python, which raises
KeyboardInterrupt where Numba expects none. No time is measured; the limits only stop a hang.
"""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals work otherwise there")

LIMIT = 60  # seconds

START = """
import os, signal, threading, warnings
import numpy as np
from maxmargin import *

# A parent that runs in the background may have told us to ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
random = np.random.default_rng(0)
"""

LONG_FIT = """
X = random.normal(size=(200_000, 50))
y = random.integers(0, {classes}, size=len(X))  # noise: no hyperplane separates it
model = {model}.set_params(max_iter=10**9, verbose=1)
try:
    model.fit(X, y)
finally:
    print("left behind:", [name for name in vars(model) if name.endswith("_")], flush=True)
"""

MANY_FITS = """
X, y = random.normal(size=(2000, 20)), random.integers(0, 2, size=2000)
warnings.simplefilter("ignore")
for model in (Perceptron(), BatchPerceptron(), MinOverPerceptron(), DynamicMarginPerceptron()):
    model.set_params(max_iter=3).fit(X, y)  # compiled
    model.set_params(max_iter=10**9)
    before = dict(vars(model))
    for repetition in range(10):
        delay = random.uniform(0.01, 0.04)
        threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            assert vars(model).keys() == before.keys()
            assert all(vars(model)[name] is before[name] for name in before)
            print("interrupted", flush=True)
"""


@pytest.mark.parametrize(
    ("model", "classes"),
    [("Perceptron()", 2), ("Perceptron(n_jobs=2)", 4), ("MinOverPerceptron()", 2)],
)
def test_a_long_fit_can_be_interrupted(model, classes):
    code = START + LONG_FIT.format(model=model, classes=classes)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-u", "-c", code], **pipes) as process:
        try:
            first = process.stdout.readline()  # of the verbose fit: it is under way
            process.send_signal(signal.SIGINT)
            out, errors = process.communicate(timeout=LIMIT)
        finally:
            process.kill()  # if it has not ended; a process that has is left alone
    assert ": epoch 1, " in first, errors
    assert process.returncode in (1, -signal.SIGINT), errors
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert out.splitlines()[-1] == "left behind: []"


def test_no_moment_is_wrong_for_an_interrupt():
    """Interrupts at random moments, none of which may end the process."""
    command = [sys.executable, "-c", START + MANY_FITS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == ["interrupted"] * 40
