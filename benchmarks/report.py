"""A benchmark's result as a table, and the machine it was measured on."""

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Report", "document"]

PACKAGES = ("maxmargin", "scikit-learn", "numba", "numpy", "scipy")


@dataclass
class Report:
    """A table, what it says and how it was measured."""

    title: str
    method: str
    header: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)

    def __str__(self) -> str:
        table = "\n".join(_lines([self.header, *self.rows]))
        return f"## {self.title}\n\n{self.method}\n\n{table}\n"


def _lines(rows: list[Sequence[str]]) -> Iterable[str]:
    """Lines of a Markdown table that is also readable as text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = (
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            first, *others = widths
            rules = [":" + "-" * (first - 1), *("-" * (width - 1) + ":" for width in others)]
            yield f"| {' | '.join(rules)} |"


def document(reports: Iterable[Report]) -> str:
    """All reports as one Markdown page, measured numbers only."""
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES)
    heading = (
        "# Benchmark results\n\n"
        "Written by `python -m benchmarks --write`; do not edit.\n\n"
        f"- Date: {datetime.date.today().isoformat()}\n"
        f"- Machine: {_processor()}, {os.cpu_count()} cores, {platform.system()}\n"
        f"- Versions: Python {platform.python_version()}, {versions}\n"
    )
    return "\n".join([heading, *map(str, reports)])


def _processor() -> str:
    """The name of the processor, which only Linux keeps in a file."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
