"""What is said of a mistake: in a kernel its place, what was found and what to write; of a launch what it wants. One line a message."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import warploom
from warploom import SourceError, cuda
from warploom.isa.frontend import Options
from warploom.isa.launching import BufferError
from warploom.kernel.launch import compile
from warploom.kernel.launch.signature import ArgumentError, kind_of
from warploom.kernel.syntax.tree import NoSource

KINDS = [
    kind_of(one)
    for one in (
        np.zeros(8, np.int64), np.zeros((4, 4), np.float32), np.zeros(4, np.float16), np.zeros(4, np.complex64),
        np.zeros(4, np.dtype([("a", "i4"), ("b", "f4")])), 3, 2.5, 1j, (1, 2.5),
    )
]  # fmt: skip
MODULE = """\
import cmath, collections, enum, math, os
import numpy as np
from numba import float32
from warploom import cuda
K = np.zeros(3)
none = None
point = collections.namedtuple("point", "x y")
class Colour(enum.Enum): RED = 1
class helper: pass
@cuda.jit(device=True)
def f(a, *, key=1): return a
def rec(n): return rec(n)
def kernel(x, m, h, c, r, n, d, z, t):
"""


def records():
    """Of `mistakes.txt`: code with its mistake between « and », and what is said of it, as `! message | fix`."""
    code = []
    for line in Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("    ! "):
            yield pytest.param("\n".join(code), line.removeprefix("    ! "), id="; ".join(code))
            code = []
        else:
            code.append(line)


@pytest.mark.parametrize(("code", "said"), list(records()))
def test_a_mistake_in_a_kernel(code, said, tmp_path):
    path = tmp_path / "mistake.py"
    path.write_text(MODULE + "".join(f"    {line}\n" for line in code.replace("«", "").replace("»", "").splitlines()), encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        compile.build(runpy.run_path(str(path))["kernel"], KINDS, {})
    (found,) = [one for one in caught.value.diagnostics if one.severity == "error"]
    assert f"{found.message} | {found.fix}" == said if " | " in said else (found.message, found.fix) == (said, "")
    lines, line, column = code.splitlines(), found.position.line - MODULE.count("\n") - 1, found.position.column - 5
    marked = lines[line].replace("«", "").replace("»", "")
    lines[line] = f"{marked[:column]}«{marked[column : column + found.length]}»{marked[column + found.length :]}"
    assert "\n".join(lines) == code


@cuda.jit
def kernel(x):
    x[0] = 1


@cuda.jit(device=True)
def part(x):
    return x


@cuda.jit
def many(x, *numbers):
    for one in numbers:
        x[0] += one


X = np.zeros(4)
LAUNCHES = [
    (lambda: kernel[1](X), ValueError, "a launch has a grid and a block: kernel[blocks, threads](...)"),
    (lambda: part[1, 1](X), TypeError, "part is a function for kernels (device=True): it cannot be launched"),
    (lambda: kernel(X), ValueError, "kernel is a kernel: say its grid, as kernel[blocks, threads](...)"),
    (lambda: kernel[1, 1](X, X), TypeError, "kernel() takes 1 argument (x), 2 are given"),
    (lambda: kernel[(1, 1, 1, 1), 1](X), ValueError, "grid = (1, 1, 1, 1): it has one to three dimensions"),
    (lambda: kernel[1, 0](X), ValueError, "block = 0: every dimension is at least 1"),
    (lambda: kernel[7 / 2, 1](X), TypeError, "grid = 3.5: a number of blocks is whole; use // for division"),
    (lambda: kernel[1, 2048](X), ValueError, "block = 2048: a block has at most 1024 threads"),
    (lambda: kernel.forall(-1), ValueError, "forall(-1): a number of threads is not negative"),
    (lambda: cuda.jit(lambda x: None).listing(), ValueError, "the kernel has not been compiled yet: launch it, or give arguments"),
    (lambda: kernel[1, 1](object()), ArgumentError, "kernel: the argument 'x': a value of type object is nothing that a kernel can take"),
    (lambda: kernel[1, 1](np.longdouble(1)), ArgumentError, f"kernel: the argument 'x': a {np.longdouble(1).dtype} is nothing that"),
    (lambda: kernel[1, 1](np.zeros(2, object)), ArgumentError, "kernel: the argument 'x': an array of object is nothing that"),
    (lambda: cuda.to_device(X).copy_to_host(np.zeros(3)), ValueError, "an array of shape (3,) has no room for one of (4,)"),
    (lambda: cuda.to_device(X).copy_to_device(X.astype("f4")), TypeError, "incompatible dtype: float32 and float64"),
    (lambda: cuda.to_device(X).copy_to_device(np.zeros(5)), ValueError, "incompatible shape: (5,) and (4,)"),
    (lambda: cuda.to_device(np.zeros((2, 3))).T.reshape(6), NotImplementedError, "reshape would require copy"),
    (lambda: cuda.declare_device("f", "int32(int32)"), NotImplementedError, "f: functions in CUDA C++ cannot be linked to a kernel here"),
    (lambda: cuda.select_device(1), ValueError, "there is no device 1: there is one, 0"),
    (lambda: cuda.threadIdx.w, AttributeError, "there is no cuda.threadIdx.w"),
    (lambda: cuda.grid(1), RuntimeError, "cuda.grid works in a kernel only"),
    (lambda: cuda.nothing, AttributeError, "warploom's cuda has no 'nothing'"),
    (lambda: many[1, 1](X, *range(300)), SourceError, "the kernel wants"),
]  # fmt: skip


@pytest.mark.parametrize(("launch", "kind", "said"), LAUNCHES, ids=[row[2] for row in LAUNCHES])
def test_a_mistake_in_a_launch(launch, kind, said):
    with pytest.raises(kind) as caught:
        launch()
    assert said in str(caught.value)


BESIDE = """\
from warploom import cuda
import numpy as np
def unset():
    if cuda is None: inner = 1
    def k(x): x[0] = inner
    return k
class Thing:
    def __call__(self): pass
def f0(x): return x
"""


@pytest.mark.parametrize(
    ("source", "kind", "said"),
    [
        ("k = unset()", SourceError, "'inner' has no value yet"),
        ("def k(x): x[0] = f70(1)", SourceError, "functions call functions to a depth of more than 60"),
        (
            "k = eval('lambda x: x')",
            NoSource,
            "the text of '<lambda>' is not known (<string>): write it into a file, or keep the text in linecache",
        ),
        ("def k(x): x[0] = made(1)\nmade = eval('lambda v: v')", SourceError, "the text of '<lambda>' is not known (<string>)"),
        (
            "def k(x):\n    s = cuda.shared.array(x.size, np.int8)",
            SourceError,
            "the size of a shared array must be known when the kernel is",
        ),
    ],
)
def test_a_mistake_beside_the_kernel(source, kind, said, tmp_path):
    deep = "".join(f"def f{number}(x): return f{number - 1}(x)\n" for number in range(1, 71))
    (tmp_path / "beside.py").write_text(BESIDE + deep + source + "\n")
    names = runpy.run_path(str(tmp_path / "beside.py"))
    with pytest.raises(kind) as caught:
        compile.build(names["k"], [kind_of(np.zeros(4))], {})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("program", "wanted", "said"),
    [
        ("", None, "the program launches no kernel; write kernel[blocks, threads](...)"),
        ("k = cuda.jit(f0)\n", "f0", "the program launches no kernel; write kernel[blocks, threads](...)"),
        ("def doubled(x): x[0] *= 2\ncuda.jit(doubled)[1, 1](np.ones(1))\n", "duobled",
         "there is no launch 'duobled', did you mean 'doubled'?; there are 0 doubled"),
    ],
)  # fmt: skip
def test_a_program_without_that_launch(program, wanted, said, tmp_path):
    (tmp_path / "idle.py").write_text(BESIDE + program)
    with pytest.raises(BufferError, match=re.escape(said)):
        warploom.load(tmp_path / "idle.py", options=Options(more={"launch": wanted}))
