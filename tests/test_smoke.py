"""One short run of every front end, as a user starts it: `pytest -m smoke`, beside README's commands, takes two minutes."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

pytestmark = pytest.mark.smoke

SCALE = "kernel void scale(float a, global float *y, int n) {\n  int i = get_global_id(0);\n  if (i < n)\n    y[i] = a * y[i];\n}\n"
RUNS = {
    "tiny": ("run", "tiny/matmul.asm"),
    "guppy": ("run", "guppy/saxpy.guppy"),
    "python": ("run", "python/saxpy.py"),
    "a notebook": ("run", "python/launch.ipynb"),
    "riscv": ("run", "riscv/squares.rv"),
    "an ELF file": ("run", "riscv/collatz.elf"),
    "C for Vortex": ("run", "vortex/hello.c"),
    "gcn": ("run", "gcn/saxpy.gcn"),
    "avx512": ("run", "avx512/if_else.avx512"),
    "check": ("check", "python/reduction.py"),
    "profile": ("profile", "python/transpose.py"),
}
NEEDS = {"C for Vortex": "ziglang", "a notebook": "matplotlib"}


def run(*words):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", RUNS)
def test_a_front_end_runs(name, tmp_path, monkeypatch):
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"the package {NEEDS[name]} is not installed")
    monkeypatch.chdir(tmp_path)
    command, example = RUNS[name]
    assert run(command, str(EXAMPLES / example))


def test_opencl_runs(tmp_path, monkeypatch):
    pytest.importorskip("ziglang", reason="the package ziglang is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.cl").write_text(SCALE)
    np.save(tmp_path / "y.npy", np.arange(100, dtype=np.float32))
    run("run", "scale.cl", "--grid", "2", "--arg", "a=3", "--arg", "n=100", "--buffer", "y=y.npy", "--save", "y=out.npy", "--quiet")
    assert np.array_equal(np.load(tmp_path / "out.npy"), 3 * np.arange(100, dtype=np.float32))
