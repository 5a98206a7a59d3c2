"""Splits and joins that a compiler has copied: found in what it made, with the line of C."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.gpu import GPU
from warploom.isa import load, load_with_warnings
from warploom.isa.c import compiler
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.isa.vortex.front_end import guard_warnings

COPIED = """#include <warploom.h>
kernel void k(const volatile int *in, volatile int *out) {
  int i = global_id(), odd = in[i] & 1, large;
  int s = split(odd);
  if (odd) {
    out[i] = 1;
    large = 1;
  } else {
    out[i + 8] = 7;
    large = in[8];
  }
  join(s);
  if (large) {
    out[i + 16] = 9;
    out[i + 24] = 1;
  } else {
    out[i] = in[0];
  }
}
"""
TWO_JOINS = """#include <warploom.h>
kernel void k(const int *in, int *out) {
  int i = global_id(), odd = in[i] & 1;
  int s = split(odd);
  if (odd) {
    out[i] = 1;
    join(s);
    return;
  }
  join(s);
  out[i] = 2;
}
"""
SAME_IN_A_LOOP = """#include <warploom.h>
kernel void k(const int *in, int *out, int n) {
  int i = global_id(), odd = in[i] & 1;
  for (int j = 0; j < n; j++) {
    int s = split(odd);
    if (odd)
      out[n * i + j] += 3;
    else
      out[n * i + j] -= in[j] / 7;
    join(s);
  }
}
"""
BRANCHES_INSIDE = """#include <warploom.h>
kernel void k(const int *in, volatile int *out, int n) {
  int i = global_id(), odd = in[i] & 1;
  for (int j = 0; j < n; j++) {
    int s = split(odd);
    if (odd) {
      if (in[j] > 2) out[n * i + j] += 3;
    } else {
      if (in[j] > 1) out[n * i + j] -= 7;
    }
    join(s);
  }
}
"""
OWN_SPLIT = """#define split_for_all(c) ({ int s_; __asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=r"(s_) : "r"(c)); s_; })
#define join_all(s) __asm__ volatile(".insn r 0x0b, 3, 0, x0, %0, x0" : : "r"(s))
"""
NO_BRANCH = "no branch follows this split: its copies stand on both sides of the branch at "
SAID = "the two sides of this split end at 2 joins"


def needs_compiler():
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")


def written(tmp_path, text):
    path = tmp_path / "kernel.c"
    path.write_text(text)
    return path


def unaware(monkeypatch, target):
    """The compiler as anybody has it, who does not tell it which functions are convergent."""
    plain = [option for option in compiler.TARGETS[target].options if option != "-fconvergent-functions"]
    monkeypatch.setitem(compiler.TARGETS, target, compiler.TARGETS[target]._replace(options=tuple(plain)))


@pytest.mark.parametrize("target", ["vortex-2022", "vortex-2024"])
def test_a_compiler_that_copies_guards_at_o3_is_noticed(target, tmp_path, monkeypatch):
    needs_compiler()
    path = written(tmp_path, COPIED)
    assert guard_warnings(compiler.compile_c([path], target, "3"), str(path))[0] == []
    unaware(monkeypatch, target)
    assert guard_warnings(compiler.compile_c([path], target, "0"), str(path))[0] == []
    ((warning,), sources) = guard_warnings(compiler.compile_c([path], target, "3"), str(path))
    assert warning.message.startswith(SAID) and "-fconvergent-functions" in warning.fix
    assert Path(sources[warning.position.file].path).name == "kernel.c" and warning.position.line == 4


@pytest.mark.parametrize("own", [False, True])
def test_a_branch_that_o3_takes_out_of_its_guard_and_a_loop_is_noticed(own, tmp_path, monkeypatch):
    """Loop unswitching: a loop for each side, a copy of the split in both, and the branch between them before any split."""
    needs_compiler()
    text = SAME_IN_A_LOOP
    if own:  # splits in inline assembly, as programs bring them
        text = OWN_SPLIT + text.replace(" split(", " split_for_all(").replace(" join(", " join_all(")
    path = written(tmp_path, text)
    line = text.splitlines().index(f"    int s = split{'_for_all' * own}(odd);") + 1
    assert guard_warnings(compiler.compile_c([path], level="3"), str(path))[0] == []
    unaware(monkeypatch, "vortex-2024")
    assert guard_warnings(compiler.compile_c([path], level="2"), str(path))[0] == []
    data = compiler.compile_c([path], level="3")
    ((warning,), sources) = guard_warnings(data, str(path))
    assert warning.message.startswith(NO_BRANCH) and "-fconvergent-functions" in warning.fix
    assert (Path(sources[warning.position.file].path).name, warning.position.line) == ("kernel.c", line)
    given = np.array([0, 1, 0, 1], np.int32)
    buffers = {"in": given, "out": np.zeros(8, np.int32)}
    program = load(data, "vortex-2024", options=Options(path=str(tmp_path / "k.elf"), threads=4, buffers=buffers, arguments={"n": 2}))
    assert "lanes of a warp disagree" in str(GPU("vortex-2024", engine="python").run(program).fault)
    parted = GPU("vortex-2024", set={"core.divergence": "stack"}, engine="python").run(program)
    assert read_buffer(parted.program, parted.memory, "out").tolist() == [0, 0, 3, 3, 0, 0, 3, 3]


@pytest.mark.parametrize("target", ["vortex-2022", "vortex-2024"])
def test_a_guard_that_o3_has_emptied_is_noticed_though_its_sides_have_branches(target, tmp_path, monkeypatch):
    needs_compiler()
    path = written(tmp_path, BRANCHES_INSIDE)
    assert guard_warnings(compiler.compile_c([path], target, "3"), str(path))[0] == []
    unaware(monkeypatch, target)
    assert guard_warnings(compiler.compile_c([path], target, "2"), str(path))[0] == []
    ((warning,), _) = guard_warnings(compiler.compile_c([path], target, "3"), str(path))
    assert warning.message.startswith("the condition of this split is a constant: its copies stand on both sides of the branch at ")
    assert warning.position.line == BRANCHES_INSIDE.splitlines().index("    int s = split(odd);") + 1


@pytest.mark.parametrize("condition", ["x & 4", "x > 7"])
def test_a_guard_that_o3_has_emptied_is_noticed_though_its_condition_is_no_constant(condition, tmp_path, monkeypatch):
    needs_compiler()
    text = BRANCHES_INSIDE.replace("in[i] & 1", f"({condition.replace('x', 'in[i]')})").replace(
        "warploom.h>", "warploom.h>\n#include <vx_spawn.h>"
    )
    path = written(tmp_path, text.replace(" split(", " vx_split(").replace(" join(", " vx_join("))
    assert guard_warnings(compiler.compile_c([path], "vortex-2022", "3"), str(path))[0] == []
    unaware(monkeypatch, "vortex-2022")
    assert guard_warnings(compiler.compile_c([path], "vortex-2022", "2"), str(path))[0] == []
    ((warning,), _) = guard_warnings(compiler.compile_c([path], "vortex-2022", "3"), str(path))
    assert warning.message.startswith(
        "no branch that follows this split asks for its condition: its copies stand on both sides of the branch"
    )
    assert warning.position.line == path.read_text().splitlines().index("    int s = vx_split(odd);") + 1


def test_what_is_warned_of_does_go_wrong_and_only_under_masks(tmp_path):
    """Odd lanes should leave with 1, the others with 2; the side whose join is the first continues after the other's."""
    needs_compiler()
    path = written(tmp_path, TWO_JOINS)
    x = np.array([0, 1, 0, 1], np.int32)
    program = load(path, options=Options(path=str(path), threads=4, buffers={"in": x, "out": 0 * x}))
    found = {}
    for mechanism in ("masks", "stack"):
        result = GPU("vortex-2024", set={"core.divergence": mechanism}, engine="python").run(program)
        found[mechanism] = read_buffer(result.program, result.memory, "out").tolist()
    assert found["stack"] == [2, 1, 2, 1] and found["masks"] in ([2, 2, 2, 2], [0, 1, 0, 1])


def test_the_command_says_so_and_still_writes_the_file(tmp_path):
    needs_compiler()
    path, out = written(tmp_path, TWO_JOINS), tmp_path / "k.elf"
    done = CliRunner().invoke(main, ["cc", str(path), "-o", str(out), "-O3"])
    assert done.exit_code == 0 and out.exists()
    assert f"kernel.c:4:11: warning: {SAID}" in done.output and "int s = split(odd);" in done.output
    told = json.loads(CliRunner().invoke(main, ["cc", str(path), "-o", str(out), "-O3", "--json"]).stdout)
    assert [one["line"] for one in told["warnings"]] == [4]


def test_so_does_everything_that_loads_the_program(tmp_path):
    needs_compiler()
    path = written(tmp_path, TWO_JOINS)
    x = np.zeros(4, np.int32)
    _, warnings = load_with_warnings(path, options=Options(path=str(path), threads=4, buffers={"in": x, "out": x}))
    assert [one.message[: len(SAID)] for one in warnings] == [SAID]


@pytest.mark.parametrize("end", ["b: vx_join t1\n j end", "b: vx_join t1\n nop"])
def test_joins_after_which_both_sides_do_the_same_are_sound(end):
    text = f"vx_split t1, t0\n beqz t0, b\n vx_join t1\n j end\n{end}\nend: vx_tmc zero\n"
    _, warnings = load_with_warnings(text.encode(), "vortex-2024", options=Options(path="k.vx"))
    assert len(warnings) == ("nop" in end)


def test_splits_inside_each_other_keep_their_joins():
    inner = "vx_split t3, t2\n beqz t2, {0}\n nop\n{0}: vx_join t3\n"
    text = f"vx_split t1, t0\n beqz t0, b\n{inner.format('one')} j end\nb: {inner.format('two')}\nend: vx_join t1\n vx_tmc zero\n"
    assert not load_with_warnings(text.encode(), "vortex-2024", options=Options(path="k.vx"))[1]


@pytest.mark.every(2)
@pytest.mark.parametrize("level", ["0", "3"])
@pytest.mark.parametrize("target", ["vortex-2022", "vortex-2024"])
def test_the_guards_of_the_examples_are_whole(target, level):
    needs_compiler()
    for path in sorted((EXAMPLES / "vortex").glob("*.c")):
        if target == "vortex-2022" and path.stem == "rays":  # which it has no instructions for
            continue
        assert guard_warnings(compiler.compile_c([path], target, level), path.name)[0] == [], path.name
