"""The command line: what it prints, how it exits, and what it does not import."""

import json
import math
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from maxmargin.cli import app
from maxmargin.cli.demonstration import fit_family, load_problems

FAMILY = {
    "Perceptron",
    "MarginPerceptron",
    "BatchPerceptron",
    "RelaxationPerceptron",
    "FixedMarginPerceptron",
    "BolzanoPerceptron",
    "MinOverPerceptron",
    "DynamicMarginPerceptron",
}


def run(*arguments, **options):
    return CliRunner().invoke(app, list(arguments), **options)


@pytest.fixture(scope="module")
def json_rows():
    result = run("demo", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_version_is_that_of_the_package():
    from importlib.metadata import version

    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout == f"maxmargin {version('maxmargin')}\n"


def test_help_lists_the_commands():
    result = run("--help")
    assert result.exit_code == 0
    assert "demo" in result.stdout


@pytest.mark.parametrize("arguments", [["no-such-command"], ["demo", "--no-such-option"], []])
def test_wrong_usage_exits_with_2(arguments):
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["demo", "--help"]])
def test_light_commands_load_nothing_heavy(arguments):
    program = f"""
import sys
from maxmargin.cli import app
try:
    app({arguments!r})
except SystemExit as end:
    assert not end.code, end.code
heavy = {{"numba", "numpy", "scipy", "sklearn"}} & set(sys.modules)
assert not heavy, heavy
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_problems_are_fractions_of_their_radius():
    import numpy as np

    for problem in load_problems():
        assert np.linalg.norm(problem.X, axis=1).max() == pytest.approx(1)
        assert np.unique(problem.y).size == 2


def test_demo_fits_the_whole_family_on_every_problem(json_rows):
    algorithms = {}
    for row in json_rows:
        algorithms.setdefault(row["problem"], set()).add(row["algorithm"])
    assert list(algorithms.values()) == [FAMILY] * len(load_problems())


def test_demo_certifies_what_is_separable_and_only_that(json_rows):
    setosa, digits, virginica = (
        [row for row in json_rows if row["problem"] == problem.name] for problem in load_problems()
    )
    for row in setosa + digits:
        assert row["converged"] and row["separable"] is True, row
        assert 0 < row["margin"] <= row["margin_upper"]
        assert 0 <= row["gap"] < 1
    for row in virginica:
        assert not row["converged"] and row["separable"] is not True, row
        assert row["margin"] < 0 <= row["margin_upper"]


def test_margins_of_a_problem_agree(json_rows):
    """No algorithm finds a larger margin than another one has proven possible."""
    for problem in load_problems():
        rows = [row for row in json_rows if row["problem"] == problem.name]
        assert max(row["margin"] for row in rows) <= min(row["margin_upper"] for row in rows)


def test_json_has_no_numbers_that_json_does_not_know(json_rows):
    for row in json_rows:
        assert all(not isinstance(value, float) or math.isfinite(value) for value in row.values())


def test_rows_come_one_by_one():
    row = next(fit_family(load_problems()[0]))
    assert row.seconds > 0
    assert row.updates > 0


@pytest.mark.parametrize("columns", [20, 50, 70, 200])
def test_demo_prints_one_table_a_problem(columns, json_rows):
    result = run("demo", env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    for problem in load_problems():
        assert problem.name in result.stdout
    assert "proven separable" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    cells = [line for line in lines if line and line[0] in FAMILY]
    assert len(cells) == len(json_rows)
    for row, (algorithm, passes, updates, margin, margin_upper, *_) in zip(
        json_rows, cells, strict=True
    ):
        assert algorithm == row["algorithm"]
        assert passes.rstrip("!") == f"{row['passes']:.0f}"
        assert updates == str(row["updates"])
        assert margin == f"{row['margin']:.4f}"
        assert margin_upper == f"{row['margin_upper']:.4f}"
