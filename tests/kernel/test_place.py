"""Numba's place: a program that wants `cuda` alone does not import the package, one that wants anything else has the real one."""

import subprocess
import sys

KERNEL = """
import numpy as np
import sys

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

x = np.arange(5, dtype=np.int32)
double[1, 32](x)
print(x.tolist(), "numba.core" in sys.modules)
"""
RUN = """
import sys
from warploom.kernel.script import run_script
run_script(sys.argv[1])
print([name for name in sys.modules if name == "numba" or name.startswith(("numba.cuda", "numba_cuda"))])
"""


def ran(tmp_path, text):
    """What a program prints in a process of its own, and which names of Numba's are there afterwards."""
    (tmp_path / "program.py").write_text(text)
    command = [sys.executable, "-c", RUN, str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_program_of_kernels_does_not_import_numba(tmp_path):
    begin = "import importlib.util\nfrom numba import cuda\nimport numba.cuda\nassert numba.cuda is cuda\nimport numba_cuda_mlir\n"
    looks = "assert importlib.util.find_spec('numba') is numba.__spec__\nassert not hasattr(numba, '__wrapped__')\n"
    assert ran(tmp_path, begin + looks + KERNEL) == ["[0, 2, 4, 6, 8] False", "[]"]


def test_one_that_wants_more_has_the_real_package_beside_the_kernels(tmp_path):
    begin = "import numba\nfrom numba import cuda, njit, vectorize\nfrom numba.cuda.types import float32\nimport numba.cuda.random\n"
    more = """
import numba.np.numpy_support
import numba.core.types as types

@njit
def add(a, b):
    return a + b

@vectorize(["int64(int64)"])
def one_more(v):
    return v + 1

@vectorize(["float32(float32)"], target="cuda")
def half(v):
    return v / np.float32(2)

print(add(1, 2), one_more(np.arange(3)).tolist(), half(np.ones(2, np.float32)).tolist())
assert float32 is types.float32 is numba.float32 is sys.modules["numba"].float32
assert sys.modules["numba"].cuda is numba.cuda is cuda and numba.__version__ == sys.modules["numba"].__version__
numba.config.OF_A_TEST = 1
assert sys.modules["numba"].config.OF_A_TEST == 1
"""
    lines = ran(tmp_path, begin + KERNEL + more)
    assert lines[:2] == ["[0, 2, 4, 6, 8] True", "3 [1, 2, 3] [0.5, 0.5]"]
    assert lines[2] == "['numba']"


def test_a_part_of_the_package_may_come_first(tmp_path):
    begin = "import numba.core.types as types\nimport numba.cuda as cuda\n"
    missing = "try:\n    import numba.nowhere\nexcept ModuleNotFoundError as error:\n    assert error.name == 'numba.nowhere', error\n"
    assert ran(tmp_path, begin + missing + KERNEL)[0] == "[0, 2, 4, 6, 8] True"
