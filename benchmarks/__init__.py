"""Measurements of maxmargin: ``python -m benchmarks``."""
