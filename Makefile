# Everyday tasks. The commands are those of the README; only Python and make are needed.

.PHONY: help demo test lint format bench clean

help:  ## this list
	@grep -E '^[a-z]+:.*## ' Makefile | sed 's/:.*## /\t/'

demo:  ## install, and fit the family on data built into scikit-learn
	python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/maxmargin demo

test:  ## install with the test extra, and run all tests
	python3 -m venv .venv && .venv/bin/pip install -e ".[test]" && .venv/bin/python -m pytest -n 2

lint: .venv/bin/ruff  ## style, types and layers
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy
	.venv/bin/lint-imports

format: .venv/bin/ruff  ## let ruff rewrite what it can
	.venv/bin/ruff check --fix
	.venv/bin/ruff format

bench: .venv/bin/ruff  ## run all benchmarks and rewrite benchmarks/RESULTS.md
	.venv/bin/python -m benchmarks --write

.venv/bin/ruff: pyproject.toml
	python3 -m venv .venv && .venv/bin/pip install -e ".[dev]" && touch .venv/bin/ruff

clean:  ## remove what the other tasks made
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
