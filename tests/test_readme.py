"""What the README and CONTRIBUTING show is what happens."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from maxmargin.engine import Learner
from maxmargin.patterns import Patterns

ROOT = Path(__file__).parents[1]


def examples():
    readme = (ROOT / "README.md").read_text()
    return re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", readme, re.S)


@pytest.mark.parametrize(("code", "printed"), examples(), ids=["certificate", "flagship"])
def test_the_examples_print_what_the_readme_says(code, printed, capsys):
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_the_rule_of_contributing_is_one(tmp_path):
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    code = re.search(r"   ```python\n(.*?)   ```", contributing, re.S).group(1)
    file = tmp_path / "equal_steps.py"
    file.write_text(textwrap.dedent(code))
    spec = importlib.util.spec_from_file_location("equal_steps", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    X, y = np.array([[3.0, 4.0], [-1.0, 0.0], [0.0, 0.0]]), np.array([1, -1, 1])
    for layout in (np.asarray, sparse.csr_array):
        learner = Learner(Patterns.build(layout(X), y, None))
        learner.one_by_one(module.EqualSteps(0.5))
        np.testing.assert_allclose(learner.alpha, [0.2, 0.0, 0.0])
        learner.one_by_one(module.EqualSteps(1.0))
        np.testing.assert_allclose(learner.current()[0], [1.6, 0.8, 0.0])
