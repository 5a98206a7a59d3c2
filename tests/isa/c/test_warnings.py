"""Warnings of clang about a program that compiles."""

import importlib.util

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.isa.c.warnings import compiler_warnings, texts_of
from warploom.isa.frontend import Options
from warploom.isa.frontends import load_with_warnings
from warploom.isa.program import Position, Source

KERNEL = """#include <warploom.h>
#include "twice.h"
kernel void k(int *out) {
  int é = 3, i = global_id();
  out[i] = helper(1); int after;
}
"""
HEADER = "static int helper(int x) { int y; return x + y; }\n"
UNUSED = "unused variable 'é' [-Wunused-variable]"
SAID = """In file included from a.c:2:
a.h:1:3: warning: first [-Wone]
    1 |   text
      |   ^
a.c:4:7: warning: unused variable 'é' [-Wunused-variable]
    4 |   int é = 3, i = global_id();
      |       ^~
a.h:1:3: warning: first [-Wone]
a.c:5:32: warning: local memory global used by non-kernel function
ld.lld: warning: cannot find entry symbol _start; not setting start address
a.c:4:7: note: a note [-Wnone]
a.c:5:28: warning: unused variable 'after' [-Wunused-variable]
    5 |   out[i] = é + helper(1); int after;
      |            ~~~            ^~~~~~~~~
"""


def test_each_warning_is_said_once_with_its_place(tmp_path, monkeypatch):
    """A column of clang's counts bytes. What the code generator and the linker say is no warning about the source."""
    monkeypatch.chdir(tmp_path)
    sources = (Source("", "a.elf"), Source("\n\n\n\n  out[i] = é + helper(1); int after;\n", "a.c"))
    found = compiler_warnings(SAID, sources)
    assert [one.message for one in found] == ["a.h:1:3: first [-Wone]", UNUSED, "unused variable 'after' [-Wunused-variable]"]
    assert [one.position for one in found] == [Position(), Position(4, 1, 1), Position(5, 27, 1)]
    assert found[2].length == 9


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the compiler")
@pytest.mark.parametrize("target", ["vortex-2024", "vortex-2022", "riscv", "gcn"])
def test_a_program_that_compiles_has_its_warnings(tmp_path, target):
    path, out = tmp_path / "k.c", tmp_path / "k.elf"
    (tmp_path / "twice.h").write_text(HEADER)
    text = KERNEL.replace("warploom.h", "gcn.h").replace("global_id()", "0") if target == "gcn" else KERNEL
    path.write_text(text)
    _, found = load_with_warnings(path, target, Options(buffers={"out": np.zeros(4, np.int32)}))
    said = [(one.position.line, one.position.column, one.message) for one in found if "[-W" in one.message]
    assert said[-2:] == [(4, 7, UNUSED), (5, 27, "unused variable 'after' [-Wunused-variable]")]
    assert said[0][2].endswith("variable 'y' is uninitialized when used here [-Wuninitialized]")
    assert len(said) == 3
    result = CliRunner().invoke(main, ["cc", str(path), "-o", str(out), "--target", target])
    assert result.exit_code == 0
    assert result.stderr.count("warning:") == 3
    assert f"twice.h:1:46: warning: {said[0][2].partition('46: ')[2] or said[0][2]}\n    static int helper" in result.stderr
    assert f"k.c:4:7: warning: {UNUSED}\n      int é = 3, i =" in result.stderr
    again = CliRunner().invoke(main, ["cc", str(path), "-o", str(out), "--target", target])  # with the runtime that was kept
    assert again.stderr == result.stderr


def test_texts_are_those_that_can_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.c").write_text("x")
    assert [text.path for text in texts_of(SAID, ["a.c"])] == ["a.c"]
