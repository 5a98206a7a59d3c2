"""`warploom disasm` of a Python program: the instructions of its kernels."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.compiler.text import parsed, printed

PROGRAM = """
import sys
import numpy as np
from numba import cuda

@cuda.jit
def first(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] += 1

@cuda.jit
def second(a):
    a[0] = a[END]

a = np.arange(8, dtype=np.int32)
first[2, 4](a)
first[1, 8](a.astype(np.float64))
first[1, 8](a)
print(a.tolist())
second[1, 1](a)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(PROGRAM.replace("END", "3"))
    return path


def disasm(*arguments):
    return CliRunner().invoke(main, ["disasm", *map(str, arguments)])


def test_each_kernel_is_shown_once_for_each_kind_of_arguments(script):
    found = disasm(script)
    assert found.exit_code == 0, found.output
    assert [line for line in found.stdout.splitlines() if line.startswith("launch")] == ["launches 0, 2", "launch 1", "launch 3"]
    assert found.stdout.startswith("launches 0, 2\nfirst: ") and "\n   10          a[i] += 1\n           " in found.stdout
    assert found.stderr == "[2, 3, 4, 5, 6, 7, 8, 9]\n"  # the program's own words


@pytest.mark.parametrize(("wanted", "number", "name"), [("0", 0, "first"), ("1", 1, "first"), ("second", 3, "second")])
def test_one_launch_is_shown_alone(script, wanted, number, name):
    body = json.loads(disasm(script, "--launch", wanted, "--json").stdout)
    (kernel,) = body["kernels"]
    assert (kernel["kernel"], kernel["launches"]) == (name, [number])
    assert kernel["instructions"][-1]["text"] == "exit"


def test_a_file_takes_the_listing_but_not_over_the_program(script, tmp_path):
    out = tmp_path / "out.txt"
    assert disasm(script, "-o", out).stderr.endswith(f"3 kernels written to {out}\n")
    assert out.read_text() == disasm(script).stdout
    assert disasm(script, "-o", script).exit_code == 2
    assert script.read_text().startswith("\nimport sys")


def test_a_kernel_that_does_not_end_well_is_shown_too(script):
    script.write_text(PROGRAM.replace("END", "300"))
    found = disasm(script)
    assert found.exit_code == 1
    assert "a[300]: it has 8 elements" in found.stderr and "launch 3\nsecond: " in found.stdout


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        (
            PROGRAM,
            ["--launch", "frist"],
            "there is no launch 'frist', did you mean 'first'?; there are 0 first, 1 first, 2 first, 3 second",
        ),
        ("print(1)", [], "the program launches no kernel; write kernel[blocks, threads](...)"),
        (PROGRAM, ["--gpu", "tiny"], "keeps no memory between launches"),
    ],
)
def test_what_cannot_be_shown_says_why(tmp_path, text, arguments, said):
    path = tmp_path / "k.py"
    path.write_text(text.replace("END", "3"))
    found = disasm(path, *arguments)
    assert (found.exit_code, found.stdout) == (2, "") and said in found.stderr


def test_launches_are_of_python_programs(tmp_path):
    words = tmp_path / "k.hex"
    words.write_text("// .isa tiny\n0000\n")
    assert "is not a Python program, of whose launches one is chosen" in disasm(words, "--launch", "1").stderr


def test_a_program_that_ends_before_its_first_launch_leaves_no_file(tmp_path):
    path, out = tmp_path / "k.py", tmp_path / "out.txt"
    path.write_text("import sys\nsys.exit(3)\n")
    found = disasm(path, "-o", out)
    assert (found.exit_code, found.output, out.exists()) == (3, "", False)


def test_the_passes_of_the_compiler_are_shown(script):
    text = disasm(script, "--launch", "0", "--ssa").stdout
    assert [line.split(":")[0] for line in text.splitlines() if line.startswith("SSA ")] == [
        "SSA as it is built", "SSA after prune", "SSA after halves", "SSA after offsets", "SSA after sweep", "SSA after neighbours",
        "SSA after ranges",
    ]  # fmt: skip
    assert "SSA" not in disasm(script, "--launch", "0").stdout


def test_one_pass_is_shown_before_and_after_it(script):
    (kernel,) = json.loads(disasm(script, "--launch", "0", "--pass", "ranges", "--json").stdout)["kernels"]
    before, after = kernel["ssa"].values()
    assert [heading.split(":")[0] for heading in kernel["ssa"]] == ["before ranges", "after ranges"]
    assert "\n".join(printed(parsed(before))) == before
    assert parsed(after)


def test_a_pass_that_is_not_there_is_named(script):
    assert (
        "--pass halfs: there is no such pass, did you mean 'halves'?; there are prune, halves," in disasm(script, "--pass", "halfs").stderr
    )


def test_ssa_is_of_python_programs(tmp_path):
    words = tmp_path / "k.hex"
    words.write_text("// .isa tiny\n0000\n")
    assert "is not a Python program, and only those are compiled here by way of SSA" in disasm(words, "--ssa").stderr
