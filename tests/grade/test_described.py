"""Kernels as plain data: what they use comes along, and a hostile description is refused."""

import numpy as np
import pytest

from warploom.grade.described import Maker, NotPlain
from warploom.grade.guest import deliver
from warploom.kernel.place import in_numbas_place

SOURCE = """
import math
import numpy as np
from numba import cuda, float32
from math import sqrt

SCALE, NAME = 3, "x"
TABLE = np.array([1.5, 2.5], np.float32)
OFFSETS = (1, 2)


def plain(a, more=2):
    return a * SCALE + more


def maker(extra):
    @cuda.jit(device=True)
    def inner(a):
        return a + extra
    return inner


added = maker(7)


@cuda.jit
def solve(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = added(plain(x[i])) + TABLE[i % 2] + sqrt(float32(OFFSETS[1])) + math.floor(np.float32(1.5))
"""


@pytest.fixture
def numbas_place():
    with in_numbas_place():
        yield


def described(source=SOURCE):
    found = deliver(source, "mine.py", "solve")
    assert "functions" in found, found
    return found


def test_a_kernel_made_anew_does_the_same(numbas_place):
    found = described()
    kernel = Maker(SOURCE, "mine.py", found["functions"]).function(found["first"])
    x, out = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
    kernel[2, 32](x, out)
    wanted = x * 3 + 2 + 7 + np.array([1.5, 2.5], np.float32)[np.arange(40) % 2] + np.sqrt(np.float32(2)) + 1
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[0].update(code=10**6), "cannot be read"),
        (lambda rows: rows[0].update(code=0), "not in the file"),
        (lambda rows: rows[0].update(name="other"), "not in the file"),
        (lambda rows: rows[0]["globals"].update(cuda={"name": "os.system"}), "'os.system' is not a name that kernels have"),
        (lambda rows: rows[0]["globals"].update(cuda={"name": "builtins.eval"}), "is not a name that kernels have"),
        (lambda rows: rows[0]["globals"].update(cuda={"module": "os"}), "cannot be read"),
        (lambda rows: rows[0]["globals"].update(cuda={"array": "|O", "shape": [1], "data": ""}), "not a type of numbers"),
        (lambda rows: rows[0]["globals"].update(cuda={"is": [1]}), "of an unknown kind"),
        (lambda rows: rows[0]["globals"].update(cuda={"function": 999}), "a function that is not there"),
        (lambda rows: rows[0].pop("cells"), "cannot be read"),
        (lambda rows: rows.clear(), "does not describe functions"),
    ],
)
def test_a_hostile_description_is_refused(numbas_place, change, message):
    rows = described()["functions"]
    change(rows)
    with pytest.raises(NotPlain, match=message):
        Maker(SOURCE, "mine.py", rows).function(0)


def test_nothing_of_the_text_is_executed_when_functions_are_made(numbas_place):
    found = described()
    hostile = SOURCE + "\nraise RuntimeError('executed')\n"
    assert Maker(hostile, "mine.py", found["functions"]).function(0).py_func.__name__ == "solve"


def test_a_kernel_imports_nothing_into_the_judge(numbas_place):
    source = "from numba import cuda\n\n@cuda.jit\ndef solve(out):\n    import os\n    out[0] = 1\n"
    with pytest.raises(NotPlain, match="line 5: solve imports os: import it at the head of the file"):
        Maker(source, "mine.py", described(source)["functions"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("from numba import cuda\nT = {1: 2}\n@cuda.jit\ndef solve(out):\n    out[0] = T[1]\n", "solve uses T, a value of type dict"),
        ("from numba import cuda\n@cuda.jit\ndef other(out):\n    out[0] = 1\n", "there is no kernel 'solve' in the file; it has other"),
        ("def solve(out):\n    out[0] = 1\n", "solve is not a kernel"),
        ("import textwrap\nfrom numba import cuda\nsolve = cuda.jit(textwrap.dedent)\n", "dedent does not stand in the file"),
    ],
)
def test_what_cannot_be_handed_over_is_said(numbas_place, source, message):
    assert message in deliver(source, "mine.py", "solve")["error"]
