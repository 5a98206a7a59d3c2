"""`run`, `check` and `profile` of a notebook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from warploom.cli import main

KERNEL = "import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit\ndef fill(a, n):\n    i = cuda.grid(1)\n    a[i + n] = i\n"


def notebook(folder: Path, *cells: str) -> str:
    path = folder / "x.ipynb"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": one} for one in cells], "metadata": {}}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("command", "said"), [("run", "1 launch on"), ("check", "nothing found"), ("profile", "a[i + n] = i")])
def test_commands_take_a_notebook(tmp_path: Path, command: str, said: str) -> None:
    ran = CliRunner().invoke(main, [command, notebook(tmp_path, KERNEL, "a = np.zeros(32)\nfill[1, 32](a, 0)\na[3]")])
    assert ran.exit_code == 0 and said in ran.output


def test_a_fault_and_an_exception_say_the_cell_and_the_line(tmp_path: Path) -> None:
    ran = CliRunner().invoke(main, ["run", notebook(tmp_path, KERNEL, "a = np.zeros(32)\n\nfill[1, 32](a, 9)\n")])
    assert ran.exit_code == 1 and "x.ipynb, cell 1:8:5: error: a[32]" in ran.output
    ran = CliRunner().invoke(main, ["run", notebook(tmp_path, KERNEL, "\n1 / 0")])
    assert ran.exit_code == 1 and 'x.ipynb, cell 2", line 2, in <module>\n    1 / 0\n' in ran.output and "notebook.py" not in ran.output


def test_the_skeleton_runs(tmp_path: Path) -> None:
    path = str(tmp_path / "new.ipynb")
    assert CliRunner().invoke(main, ["new", path]).exit_code == 0
    ran = CliRunner().invoke(main, ["run", path])
    assert ran.exit_code == 0 and "1999.0" in ran.output and "1 launch on" in ran.output
