"""`%%warploom` in a notebook."""

import pytest

CELL = """
@cuda.jit
def twice(x):
    i = cuda.grid(1)
    x[i] *= 2

x = np.arange(64.0)
twice[1, 64](x)
twice[2, 32](x)
"""


@pytest.fixture
def shell():
    core = pytest.importorskip("IPython.core.interactiveshell", reason="IPython is not installed")
    made = core.InteractiveShell()
    made.run_line_magic("load_ext", "warploom")
    made.run_cell("import numpy as np\nfrom warploom import cuda").raise_error()
    return made


def test_a_cell_runs_and_shows_its_launches_and_the_longest_ones_profile(shell, capsys):
    profile = shell.run_cell_magic("warploom", "", CELL)
    said = capsys.readouterr().out
    assert shell.user_ns["x"].tolist()[:3] == [0, 4, 8]
    assert said.splitlines()[0].split() == ["launch", "kernel", "grid", "block", "cycles", "instr.", "registers", "mostly", "waits", "for"]
    assert "2 launches on sm" in said and "look closer" not in said
    assert "x[i] *= 2" in profile._repr_html_()


def test_the_machine_is_chosen_for_the_cell_alone(shell, capsys):
    assert shell.run_cell_magic("warploom", "--gpu a100 --set gpu.cores=2 --quiet", CELL) is None
    assert "on a100" in capsys.readouterr().out
    shell.run_cell_magic("warploom", "--quiet", CELL)
    assert "on sm" in capsys.readouterr().out


def test_numba_cuda_is_warplooms_in_the_cell(shell, capsys):
    shell.run_cell_magic("warploom", "--quiet", "from numba import cuda\n" + CELL)
    assert "2 launches" in capsys.readouterr().out


def test_mistakes(shell):
    with pytest.raises(ValueError, match="--launch 7: the cell has 2 launches, numbered from 0"):
        shell.run_cell_magic("warploom", "--launch 7", CELL)
    with pytest.raises(ValueError, match="unrecognized arguments: --nothing"):
        shell.run_cell_magic("warploom", "--nothing", CELL)
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("warploom", "", "1 / 0")
    from warploom.kernel.device.context import CURRENT

    assert CURRENT.watch is None
