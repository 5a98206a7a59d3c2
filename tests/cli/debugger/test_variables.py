"""Names of the source in the debugger: variables wherever the compiler has put them, elements of arrays, conditions and watchpoints."""

import pytest
from click.testing import CliRunner

from warploom.cli import main

KERNEL = """\
import numpy as np
from numba import cuda, float32


@cuda.jit(device=True)
def twice(y):
    z = y * float32(2)
    return z + float32(1)


@cuda.jit
def f(x, out, scale):
    tile = cuda.shared.array((8, 8), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    tile[ty, tx] = x[ty * 8 + tx]
    cuda.syncthreads()
    best = tile[tx, ty]
    total = float32(0)
    for k in range(x.shape[0] // 8):
        item = twice(tile[ty, k]) * scale
        total += item
        if item > best:
            best = item
    out[ty, tx] = total + best


x = np.arange(64, dtype=np.float32)
f[1, (8, 8)](x, np.zeros((8, 8)), float32(0.5))
"""
TOTAL, BRANCH, WORSE, OUT = 21, 22, 23, 24  # lines


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("kernel") / "k.py"
    path.write_text(KERNEL)
    return path


def debug(file, *commands):
    asked = [word for command in commands for word in ("-x", command)]
    found = CliRunner().invoke(main, ["debug", str(file), "--engine", "python", *asked], env={"COLUMNS": "400"})
    return found.stdout + found.stderr


def value_of(text, name):
    """The numbers of `name = ...`."""
    line = next(line for line in text.splitlines() if line.startswith(f"{name} = "))
    return line.partition(" = ")[2].partition("  (")[0].split()


def tile(row, column):
    return float(8 * row + column)


def item(row, k):
    return (2 * tile(row, k) + 1) * 0.5


def test_a_breakpoint_waits_for_a_variables_value(file):
    said = debug(file, f"break {TOTAL} if k == 3 and lane == 9", "continue", "print k", "print total[9]", "print item[9]", "print ty[9]")
    assert f"breakpoint 1: warp 0:0 at {file}:{TOTAL}" in said
    assert set(value_of(said, "k")) == {"3"}
    assert value_of(said, "ty[9]") == ["1"]
    assert value_of(said, "total[9]") == [str(sum(item(1, k) for k in range(3)))]
    assert value_of(said, "item[9]") == [str(item(1, 3))]


def test_of_a_line_that_is_partly_moved_out_of_its_loop_the_part_in_the_loop_is_meant(file):
    said = debug(file, f"break {TOTAL - 1} if k == 5 and lane == 0", "continue", "print k[0]")
    assert value_of(said, "k[0]") == ["5"]


def test_two_names_of_one_value_are_told_apart_where_one_is_given_another(file):
    lanes = (0, 1, 8, 9, 30)
    wanted = [f"print best[{lane}]" for lane in lanes]
    said = debug(
        file, f"break {BRANCH} if k == 2 and warp 0:0", "continue", *wanted, "delete 1", f"break {OUT} warp 0:0", "continue", *wanted
    )
    told = [float(line.split()[2]) for line in said.splitlines() if line.startswith("best[")]
    old = [max(tile(lane % 8, lane // 8), *(item(lane // 8, k) for k in range(2))) for lane in lanes]
    new = [max(tile(lane % 8, lane // 8), *(item(lane // 8, k) for k in range(8))) for lane in lanes]
    assert told == [*old, *new]


def test_arguments_shapes_and_variables_of_functions_have_names(file):
    said = debug(file, f"break {TOTAL}", "continue", "print scale", "print x.shape[0]", "registers", "print twice.z[1]")
    assert value_of(said, "scale") == ["0.5"]
    assert value_of(said, "x.shape[0]") == ["64"]
    assert "twice.z is in no register at line" in said  # it is a part of a fused multiply-add
    assert any(line.startswith("v") and " total " in line for line in said.splitlines())


def test_elements_of_arrays_are_named_by_their_indices(file):
    said = debug(file, f"break {TOTAL}", "continue", "print x[37]", "print tile[3, 7]", "print tile[3][7]", "end", "print out[0, 1]")
    assert value_of(said, "x[37]") == ["37.0"]
    assert value_of(said, "tile[3, 7]") == value_of(said, "tile[3][7]") == ["31.0"]
    assert value_of(said, "out[0, 1]") == [str(sum(item(0, k) for k in range(8)) + max(tile(1, 0), *(item(0, k) for k in range(8))))]


def test_a_variable_is_watched_in_one_lane(file):
    said = debug(file, f"break {TOTAL}", "continue", "delete 1", "watch total if lane == 9", "continue", "continue")
    told = [line for line in said.splitlines() if line.startswith("watchpoint 1: ")]
    first, second = item(1, 0), item(1, 0) + item(1, 1)
    assert told[0].startswith(f"watchpoint 1: total[9] of warp 0:0 was 0.0 and is {first}")
    assert f"was {first} and is {second}" in told[1]


def test_an_element_is_watched_and_who_has_written_it_is_said(file):
    said = debug(file, "watch out[5, 2]", "continue")
    assert "watchpoint 1 on out[5, 2], mem[" in said
    value = sum(item(5, k) for k in range(8)) + max(tile(2, 5), *(item(5, k) for k in range(8)))
    told = " ".join(said.split())  # a screen's line is broken
    assert f"watchpoint 1: out[5, 2] was 0.0 and is {value}, written by thread (2,5) of block 0 (warp 0:1, lane 10) at " in told
    assert f":{OUT} (out[ty, tx] = total + best)" in told


def test_a_variable_can_be_set(file):
    before = [f"break {TOTAL} if k == 0 and warp 0:0", "continue", "set item[2] = 100.0", "print item[2]"]
    said = debug(file, *before, "delete 1", f"break {OUT} warp 0:0", "continue", "print total[2]")
    assert value_of(said, "item[2]") == ["100.0"]
    assert value_of(said, "total[2]") == [str(100 + sum(item(0, k) for k in range(1, 8)))]


@pytest.mark.parametrize(
    ("commands", "message"),
    [
        ([f"break {TOTAL}", "continue", "print totl"], "there is no variable and no register 'totl', did you mean 'total'?"),
        ([f"break {TOTAL} if totl == 3"], "there is no variable 'totl'; the program has "),
        (["break 14 if total > 3"], "total is in no register at line 14"),
        ([f"break {TOTAL} if k == abc"], "'abc' is not a number"),
        ([f"break {TOTAL} if lane > 3"], "a breakpoint is for one lane: write lane == 3"),
        ([f"break {TOTAL}", "continue", "print x[64]"], "there is no element 64 of 64"),
        ([f"break {TOTAL}", "continue", "print tile[3]"], "the array has 2 dimensions"),
        ([f"break {TOTAL}", "continue", "print total[99]"], "there is no lane 99"),
        (["break 14", "continue", "print total"], "total is in no register at line 14"),
        ([f"break {TOTAL}", "continue", "set tile[0, 0] = 1.0"], "(shared memory) cannot be set"),
    ],
)
def test_what_is_not_there_is_said(file, commands, message):
    said = debug(file, *commands)
    assert message in said and "Traceback" not in said
