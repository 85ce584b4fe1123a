"""The command line, ``maxmargin``.

Nothing heavy is imported before a command runs: ``maxmargin --help`` loads neither NumPy nor
scikit-learn nor Numba.
"""

import importlib.metadata
from typing import Annotated

import typer

__all__ = ["app"]

app = typer.Typer(name="maxmargin", no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maxmargin {importlib.metadata.version('maxmargin')}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Perceptron-like large-margin classifiers.

    Every fitted model carries a certificate: a proof of how close its margin is to the best
    possible one.
    """


@app.command()
def demo(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON array of rows instead of tables.")
    ] = False,
) -> None:
    """Fit the whole family on data built into scikit-learn.

    Two of the three data sets are linearly separable; the third is not, and shows what a
    certificate says then.
    """
    from maxmargin.cli.demonstration import print_json, print_tables

    if as_json:
        print_json()
    else:
        print_tables()
