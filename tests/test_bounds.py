"""What a compiler is asked for is bounded by the length of the text, not by the numbers in it."""

import subprocess
import sys

import numpy as np
import pytest

from warploom import cuda
from warploom.isa.diagnostics import SourceError

HUGE = 10**9


@cuda.jit
def two_of_many(x):
    a, b = cuda.shared.array(HUGE, np.int32)
    x[0] = a + b


@cuda.jit
def a_tuple_of_many(x):
    parts = tuple(range(HUGE))
    x[0] = parts[3]


@cuda.jit
def a_sum_of_many(x):
    x[0] = sum(range(HUGE))


@cuda.jit
def numbered_items(x):
    for i, item in enumerate(cuda.shared.array(HUGE, np.int32)):
        x[0] += i + item


@pytest.mark.parametrize("kernel", [two_of_many, a_tuple_of_many, a_sum_of_many, numbered_items], ids=lambda kernel: kernel.__name__)
def test_many_items_are_refused_before_there_are_any(kernel):
    with pytest.raises(SourceError, match=r"variables are to be given 1000000000 values|1000000000 items are taken one by one here"):
        kernel[1, 1](np.zeros(1))


@cuda.jit
def large_numbers(x):
    x[0] = 2**HUGE
    x[1] = 1 << HUGE
    x[2] = x[2] ** HUGE


def test_large_exponents_take_no_longer_than_small_ones():
    x = np.ones(3)
    large_numbers[1, 1](x)
    assert x.tolist() == [0, 0, 1]


def test_a_sum_that_python_cannot_read_ends_in_a_sentence(tmp_path):
    total = " + ".join(["a[1]"] * 3000)
    text = f"import numpy as np\nfrom numba import cuda\n\n\n@cuda.jit\ndef k(a):\n    a[0] = {total}\n\n\nk[1, 1](np.zeros(2))\n"
    (tmp_path / "long.py").write_text(text)
    done = subprocess.run([sys.executable, "-m", "warploom", "run", "long.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert done.returncode == 2 and "write parts of it one after the other" in done.stderr


MANY = (1.0,) * 1_000_000


@cuda.jit
def a_loop_over_many(x):
    for item in MANY:
        x[0] += item


def test_a_loop_over_a_long_tuple_is_refused_before_it_is_unrolled():
    with pytest.raises(SourceError, match="1000000 items are taken one by one here"):
        a_loop_over_many[1, 1](np.zeros(1))
