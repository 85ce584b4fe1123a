"""Run the benchmarks: ``python -m benchmarks [--write] [NAME ...]``."""

import argparse
from pathlib import Path

from benchmarks import epochs, first_fit, memory, scaling
from benchmarks.report import document

RESULTS = Path(__file__).with_name("RESULTS.md")
BENCHMARKS = {
    "epochs": epochs.run,
    "scaling": scaling.run,
    "first_fit": first_fit.run,
    "memory": memory.run,
}


def main() -> None:
    """Print each report as soon as it is measured; with --write, keep them all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    parser.add_argument("--write", action="store_true", help=f"rewrite {RESULTS.name}")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(BENCHMARKS)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    if arguments.write and arguments.names:
        parser.error("--write keeps a whole run: name no single benchmarks with it")

    reports = []
    for name in arguments.names or BENCHMARKS:
        report = BENCHMARKS[name]()
        print(report, flush=True)
        reports.append(report)
    if arguments.write:
        RESULTS.write_text(document(reports), encoding="utf-8")


if __name__ == "__main__":
    main()
