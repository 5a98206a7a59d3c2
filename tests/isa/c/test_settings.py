"""Macros and folders of headers: in the code, in messages, and on the command line."""

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.isa.c.settings import compile_source
from warploom.isa.diagnostics import SourceError
from warploom.isa.elf.lines import read_lines

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

SOURCE = """#include <gcn.h>
#include "tile.h"
kernel void fill(global int *y) { y[global_id(x)] = tile(N) + ONE; }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "tile.h").write_text("static inline int tile(int n) { return n * TILE; }\n")
    (tmp_path / "fill.c").write_text(SOURCE)
    np.save("y.npy", np.zeros(64, np.int32))
    return tmp_path


def test_lines_of_a_header_are_found_beside_the_program(folder):
    data = compile_source("fill.c", "gcn", {"macros": ("N=3", "TILE=16", "ONE"), "folders": ("headers",), "optimise": "0"}).data
    assert str(folder).encode() not in data
    sources, _ = read_lines(data, folder, 4)
    assert [source.path for source in sources if source.path.endswith("tile.h")] == ["headers/tile.h"]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"macros": ("3",)}, "-D 3: this is not a macro"),
        ({"macros": ("",)}, "-D : this is not a macro"),
        ({"macros": ("a b=3",)}, "-D a b=3: this is not a macro"),
        ({"folders": ("nowhere",)}, "-I nowhere: there is no such folder"),
    ],
)
def test_what_cannot_be_told(folder, told, said):
    with pytest.raises(SourceError, match=said):
        compile_source("fill.c", "gcn", told)


TOLD = ["-D", "N=3", "-DTILE=16", "-D", "ONE", "-I", "headers"]


@pytest.mark.parametrize("command", [["run", "--quiet", "--save", "y=after.npy"], ["check"], ["debug", "-x", "continue", "-x", "x y"]])
def test_commands_that_run_a_program(folder, command):
    done = CliRunner().invoke(main, [command[0], "fill.c", *TOLD, "--buffer", "y=y.npy", *command[1:]])
    assert done.exit_code == 0, done.output
    if command[0] == "run":
        assert np.load("after.npy").tolist() == [49] * 64


@pytest.mark.parametrize(
    "command", [["run"], ["check"], ["profile"], ["ladder"], ["compare", "--over", "core.warps=1,2"], ["disasm"], ["asm"]]
)
@pytest.mark.parametrize(("file", "text"), [("k.asm", ".threads 4\nRET\n"), ("k.py", "print(1)\n")])
def test_what_is_not_in_c_takes_no_macros(folder, command, file, text):
    (folder / file).write_text(text)
    done = CliRunner().invoke(main, [command[0], file, "-D", "N=3", *command[1:]])
    assert done.exit_code == 2
    assert done.stderr == f"error: -D N=3 is for programs in C, and {file} is none: leave it out\n"
