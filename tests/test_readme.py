"""What the README shows is what happens."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_example_prints_what_the_readme_says(capsys):
    code, printed = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", README.read_text(), re.S
    ).groups()
    exec(compile(code, str(README), "exec"), {})
    assert capsys.readouterr().out == printed
