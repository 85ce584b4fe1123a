"""``python -m maxmargin``: the command line."""

from maxmargin.cli import app

if __name__ == "__main__":
    app()
