import subprocess
import sys

import pytest


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["cost", "--help"]])
def test_help_is_the_same_where_python_drops_docstrings(arguments):
    plain, dropped = (
        subprocess.run([sys.executable, "-B", *flags, "-m", "warploom", *arguments], capture_output=True, text=True, check=True).stdout
        for flags in ([], ["-OO"])
    )
    assert dropped == plain
