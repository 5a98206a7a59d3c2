"""Mistakes in a launch end in a sentence with the caret at the user's line, not in frames of ours."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main

PROGRAM = """import numpy as np
from numba import cuda


@cuda.jit
def f(x):
    x[0] = 1


@cuda.jit(device=True)
def d(x):
    return x


def go():
    a = np.zeros(4)
    {}


go()
"""
CALLS = {
    "f(a)": "f is a kernel: say its grid, as f[blocks, threads](...)",
    "f[1, 2048](a)": "block = 2048: a block has at most 1024 threads",
    "f[1, 32](a, a)": "f() takes 1 argument (x), 2 are given",
    "f[1, 32]()": "f() takes 1 argument (x), 0 are given",
    "d[1, 1](a)": "d is a function for kernels (device=True): it cannot be launched",
    "f[1.5, 2](a)": "grid = 1.5: a number of blocks is whole; use // for division",
    "f[1](a)": "a launch has a grid and a block: kernel[blocks, threads](...)",
    "f[1, 1]([1, 2])": "a value of type list is nothing that a kernel can take; make it an array: np.array(...)",
    "f[1, 1](x=a)": "f: a launch takes its arguments by position: give x without its name",
    "cuda.device_array((2, -1))": "an array of shape (2, -1): no dimension is negative",
    "cuda.pinned_array(-1)": "negative dimensions are not allowed",
    "cuda.device_array(4, 'no')": "data type 'no' not understood",
    "cuda.device_array(1 << 31)": "17179869184 bytes: the device has 268435456 bytes of memory, 0 of them are taken",
}


def run(folder, call, *more):
    path = folder / "mine.py"
    path.write_text(PROGRAM.format(call))
    return CliRunner().invoke(main, ["run", str(path), *more]), path


@pytest.mark.parametrize("call", CALLS)
def test_the_sentence_has_the_place(call, tmp_path):
    done, path = run(tmp_path, call)
    first, line, caret, *_ = [line for line in done.stderr.splitlines() if line]
    assert done.exit_code in (1, 2)
    assert first.startswith(f"{path}:17:5: error: ") and CALLS[call] in first
    assert line.strip() == call and caret.strip(" ~") == "^"
    assert "Traceback" not in done.stderr and "launch.py" not in done.stderr


@pytest.mark.parametrize(
    ("call", "said"), [("int('x')", "invalid literal"), ("__import__('json').loads('{')", "Expecting"), ("np.eye(-1)", "nega")]
)
def test_what_others_raise_is_shown_as_python_shows_it(call, said, tmp_path):
    done, _ = run(tmp_path, call)
    assert "Traceback" in done.stderr and said in done.stderr


def test_a_mistake_is_said_in_json(tmp_path):
    assert json.loads(run(tmp_path, "f(a)", "--json")[0].stdout)["error"]


@pytest.mark.parametrize("launch", ["f[1, 32](np.zeros(8), 8)", "with np.errstate(): f[1, 32](np.zeros(8), 8)"])
def test_a_mistake_in_a_kernel_has_its_own_place_and_no_second_one(launch, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit\ndef f(a, n):\n    a[n / 2] = 1\n\n\n{launch}\n")
    done = CliRunner().invoke(main, ["run", str(path)])
    assert done.exit_code == 2
    assert done.stderr.startswith(f"{path}:7:7: error: an index is a whole number")
    assert "contextlib" not in done.stderr and done.stderr.count("error: ") == 1
