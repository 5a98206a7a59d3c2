"""Notebooks as programs: cells, IPython's lines, and where messages say that something is."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from warploom.isa.diagnostics import SourceError
from warploom.kernel.notebook import read_cells, run_cells


def notebook(folder: Path, *cells: str, **metadata: object) -> Path:
    path = folder / "x.ipynb"
    written = [{"cell_type": "markdown", "source": ["1 +"]}, *({"cell_type": "code", "source": one.splitlines(True)} for one in cells)]
    path.write_text(json.dumps({"cells": written, "metadata": metadata, "nbformat": 4}), encoding="utf-8")
    return path


def test_cells_share_names_and_show_their_last_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_cells(notebook(tmp_path, "a = 3\n'not the last'\na + 1", "print(a)\nNone", "a * 2;", "display('x')"))
    assert capsys.readouterr().out == "4\n3\n'x'\n"


def test_it_runs_in_its_own_folder_as_in_jupyter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data.txt").write_text("7", encoding="utf-8")
    here = Path.cwd()
    run_cells(notebook(tmp_path, "int(open('data.txt').read())"))
    assert capsys.readouterr().out == "7\n" and Path.cwd() == here
    with pytest.raises(FileNotFoundError):
        run_cells(notebook(tmp_path, "open('missing.txt')"))
    assert Path.cwd() == here


def test_lines_of_ipython_run_what_they_measure_and_the_rest_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = notebook(
        tmp_path,
        "%matplotlib inline\n!pip install 'x\ntext = '''\n%d\n''' \\\n    % 7",
        "for i in range(2):\n    %time print(i)\n%timeit -n 3 -r1 print('once')",
        "%%timeit -n 2 a = 1\nprint(a)",
        "%%bash\nls '",
        "print?\n?print",
    )
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run_cells(path)
    assert capsys.readouterr().out == "0\n1\nonce\n1\n"
    assert [str(one.message).removeprefix(f"{path}, ") for one in said] == [
        "cell 1: line 2 is skipped: !pip install 'x",
        "cell 4: the cell is skipped: %%bash does not run here",
    ]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("a = 1\na +", "cell 2:2:4: error: this is not Python"),
        ("files = !ls", "cell 2:1:9: error: what !ls gives in IPython is not there here"),
        ("return 3", "cell 2:1:1: error: this is not Python: 'return' outside function"),
    ],
)
def test_a_mistake_has_its_cell_and_line(tmp_path: Path, cell: str, said: str) -> None:
    with pytest.raises(SourceError) as found:
        read_cells(notebook(tmp_path, "x = 0", cell))
    assert said in str(found.value)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', "[" * 100_000])
def test_what_is_not_a_notebook(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match="this is not a notebook"):
        read_cells(path)


def test_a_notebook_of_another_language(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cells are in R"):
        read_cells(notebook(tmp_path, "x <- 3", language_info={"name": "R"}))


def test_the_older_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": "print(5)"}]}]}), encoding="utf-8")
    run_cells(path)
    assert capsys.readouterr().out == "5\n"
