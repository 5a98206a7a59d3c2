"""Kernels in Python by NVIDIA's compiler."""

from pathlib import Path

import numpy as np
import pytest

from tests.isa.sass.nvidia.compilers import needs_compilers
from warploom import cuda
from warploom.gpu import GPU
from warploom.isa.diagnostics import SourceError
from warploom.kernel.device.context import CURRENT, NVIDIA
from warploom.kernel.launch import numba_compiler
from warploom.kernel.script import run_script
from warploom.machine.config.presets import load_config

PROGRAM = """
import math
import numpy as np
from numba import cuda, float32

SCALE = 3.0

@cuda.jit(device=True)
def scaled(x):
    return x * SCALE + math.floor(x)

@cuda.jit
def kernel(x, y, n, pair):
    tile = cuda.shared.array(64, float32)
    i = cuda.grid(1)
    if i < n:
        tile[cuda.threadIdx.x] = scaled(x[i, 1])
    cuda.syncthreads()
    if i < n:
        cuda.atomic.add(y, i, pair[0] * tile[cuda.threadIdx.x] + pair[1])
    if i == 0:
        print("n is", n)

x = np.arange(200, dtype=np.float32).reshape(100, 2) / 2
y = np.zeros(100, np.float32)
kernel[2, 64](x, y, 90, (2.0, 1))
want = np.where(np.arange(100) < 90, 2 * (x[:, 1] * 3 + np.floor(x[:, 1])) + 1, 0)
print("right" if np.array_equal(y, want) else y - want)
"""


def one_core(gpu):
    return GPU(load_config(gpu, {"gpu.cores": 1}), engine="python")


@needs_compilers
def test_a_program_runs_as_machine_code_and_prints(tmp_path, capsys):
    path = tmp_path / "k.py"
    path.write_text(PROGRAM)
    seen = []
    run_script(path, gpu=one_core("a40"), watch=seen.append, compiler=NVIDIA)
    assert capsys.readouterr().out.splitlines() == ["n is 90", "right"]
    (result,) = seen
    assert result.program.isa == "sass-86"
    assert result.program.view_names == ("x", "y")
    assert result.remarks[0].startswith("compiled by numba-cuda ")
    assert Path(result.program.source_of(result.program.position(5)).path).name == "k.py"
    assert CURRENT.compiler == "own"


CLOSES = """
import numpy as np
from numba import cuda
import spoken_helpers

@cuda.jit
def kernel(x):
    x[0] += spoken_helpers.STEP
    print("x is", x[0])

x = np.zeros(1, np.int32)
kernel[1, 1](x)
cuda.close()
kernel[1, 1](x)
"""


@needs_compilers
def test_modules_may_print_and_variables_follow_the_device(tmp_path, capsys):
    (tmp_path / "spoken_helpers.py").write_text("STEP = 2\nprint('loaded')\n")
    path = tmp_path / "k.py"
    path.write_text(CLOSES)
    run_script(path, gpu=one_core("a40"), compiler=NVIDIA)
    assert capsys.readouterr().out.splitlines() == ["loaded", "x is 2", "x is 4"]


def test_a_compiler_that_never_ends_is_stopped(monkeypatch):
    def run(*words, timeout, **more):
        raise numba_compiler.subprocess.TimeoutExpired("numba", timeout)

    @cuda.jit
    def k(x):
        x[0] = 1

    monkeypatch.setattr(CURRENT, "compiler", NVIDIA)
    monkeypatch.setattr(numba_compiler, "needed", lambda *words: None)
    monkeypatch.setattr(numba_compiler.subprocess, "run", run)
    with pytest.raises(SourceError, match=r"numba-cuda has not compiled k\(\) in 600 seconds"):
        k[1, 1](np.zeros(1))


@needs_compilers
def test_mistakes_stand_at_their_line(tmp_path):
    path = tmp_path / "k.py"
    path.write_text("from numba import cuda\nimport numpy as np\n\n@cuda.jit\ndef k(x):\n    x[0] = x.nothing\n\nk[1, 1](np.zeros(1))\n")
    with pytest.raises(SourceError) as failed:
        run_script(path, gpu=one_core("sm"), compiler=NVIDIA)
    (one,) = failed.value.diagnostics
    assert one.position.line == 6
    assert one.message.startswith("numba-cuda: ")
    assert "nothing" in one.message


def test_without_the_packages_one_sentence_says_what_to_install(monkeypatch):
    @cuda.jit
    def k(x):
        x[0] = 1

    monkeypatch.setattr(CURRENT, "compiler", NVIDIA)
    monkeypatch.setattr("warploom.isa.sass.nvidia.toolkit.importlib.util.find_spec", lambda name: None)
    with pytest.raises(SourceError, match=r"pip install 'warploom\[nvidia\]'"):
        k[1, 1](np.zeros(1))


def test_an_array_of_the_device_is_not_a_constant():
    there = cuda.to_device(np.zeros(1))

    def k(x):
        x[0] = there[0]

    with pytest.raises(TypeError, match="hand it over as an argument"):
        numba_compiler.pickled(k)
