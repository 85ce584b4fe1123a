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
        return "\n\n".join(filter(None, [f"## {self.title}", self.method, table])) + "\n"


def _lines(rows: list[Sequence[str]]) -> Iterable[str]:
    """Lines of a Markdown table that is also readable as text."""
    widths = [max(2, *map(len, column)) for column in zip(*rows, strict=True)]
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


def document(
    reports: Iterable[Report],
    title: str = "Benchmark results",
    command: str = "python -m benchmarks --write",
    packages: Sequence[str] = PACKAGES,
) -> str:
    """All reports as one Markdown page, measured numbers only."""
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    heading = (
        f"# {title}\n\n"
        f"Written by `{command}`; do not edit.\n\n"
        f"- Date: {datetime.date.today().isoformat()}\n"
        f"- Machine: {_processor()}, {os.cpu_count()} cores, {platform.system()}\n"
        f"- Versions: Python {platform.python_version()}, {versions}\n"
    )
    return "\n".join([heading, *map(str, reports)])


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """The name of the processor, which only Linux keeps in a file."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
