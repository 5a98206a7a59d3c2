"""The kernels in C for AVX-512, compiled at all levels and checked against NumPy; level 2 in plain Python, the others natively."""

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

FOLDER = Path("examples/avx512")
LEVELS = ("0", "1", "2", "3")
PARTS = [1, 16, 37]  # threads: a warp with one lane, a full one, a last one that is not full


@lru_cache(maxsize=64)
def compiled(name, level):
    from warploom.isa.c.compiler import compile_c

    return compile_c([FOLDER / f"{name}.c"], "avx512", level)


def run(name, threads, level="2", engine=None, arguments=None, **buffers):
    """The buffers after a run, by name, as they were given."""
    path = str(FOLDER / f"{name}.elf")
    options = Options(path=path, threads=threads, arguments=arguments or {}, buffers=buffers)
    program = load(compiled(name, level), "avx512", options=options)
    result = GPU("avx512", engine=engine or ("python" if level == "2" else "native")).run(program, max_cycles=3_000_000)
    assert result.status == "done", result.fault
    return {name: read_buffer(program, result.memory, name).view(value.dtype)[: len(value)] for name, value in buffers.items()}


@pytest.mark.every(3)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("threads", PARTS)
def test_vector_add(level, threads):
    a, b = (np.random.default_rng(seed).standard_normal(threads).astype(np.float32) for seed in (1, 2))
    assert run("vector_add", threads, level, a=a, b=b, sum=np.zeros(threads, np.float32))["sum"].tolist() == (a + b).tolist()


def escapes(threads, width, height, most):
    """The same steps in the same order: floats are rounded alike."""
    f = np.float32
    thread = np.arange(threads, dtype=np.int32)
    y = ((thread.astype(f) + f(0.5)) / f(width)).astype(np.int32)
    x = thread - y * width
    re, im = x.astype(f) * f(3) / f(width) - f(2.25), y.astype(f) * f(2.5) / f(height) - f(1.25)
    zr, zi = np.zeros(threads, f), np.zeros(threads, f)
    count, inside = np.zeros(threads, np.int32), np.ones(threads, bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(most):
            rr, ii = zr * zr, zi * zi
            inside &= rr + ii <= 4
            count += inside
            zi, zr = f(2) * zr * zi + im, rr - ii + re
    return count


@pytest.mark.parametrize("level", ["1", "2", "3"])
def test_mandelbrot(level):
    given = {"width": 12, "height": 7, "most": 25}
    steps = run("mandelbrot", 84, level, arguments=given, steps=np.zeros(84, np.int32))["steps"]
    wanted = escapes(84, **given)
    assert np.count_nonzero(steps != wanted) <= 2  # clang fuses a product and a sum, which rounds once: a pixel at the edge may differ
    assert len(set(steps.tolist())) > 8


@pytest.mark.parametrize("level", LEVELS)
def test_nested_loops(level):
    limit = np.random.default_rng(3).integers(0, 9, 37).astype(np.int32)
    wanted = []
    for thread, most in enumerate(limit.tolist()):
        total = 0
        for i in range(most):
            for j in range(thread & 7):
                if total > 40:
                    break
                if (i + j) & 1:
                    continue
                total += i * j + 1
        wanted.append(total)
    assert run("nested_loops", 37, level, limit=limit, out=np.zeros(37, np.int32))["out"].tolist() == wanted


@pytest.mark.every(2)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("spread", [1, 16])
def test_histogram_of_values_that_are_alike_and_that_differ(level, spread):
    values = np.random.default_rng(4).integers(0, spread, 37).astype(np.int32)
    counts = run("histogram", 37, level, arguments={"bins": 16}, values=values, counts=np.zeros(48, np.int32))["counts"]
    assert counts.reshape(3, 16).tolist() == [np.bincount(part, minlength=16).tolist() for part in np.split(values, [16, 32])]


@pytest.mark.parametrize("level", LEVELS)
def test_reduction(level):
    values = np.random.default_rng(5).integers(-99, 99, 203).astype(np.int32)
    sums = run("reduction", 32, level, arguments={"count": 203, "warps": 2}, values=values, sums=np.zeros(2, np.int32))["sums"]
    share = np.resize(np.append(values, np.zeros(224 - 203, np.int32)), (7, 2, 16))
    assert sums.tolist() == share.sum(axis=(0, 2)).tolist()


def test_natively_it_is_the_same():
    given = {"arguments": {"width": 12, "height": 7, "most": 25}, "steps": np.zeros(84, np.int32)}
    assert run("mandelbrot", 84, engine="native", **given)["steps"].tolist() == run("mandelbrot", 84, **given)["steps"].tolist()
