"""The examples in C, compiled and checked against NumPy: generations, levels of optimisation, mechanisms, machines, odd sizes.

A size of each, and one mechanism, are run in plain Python; native code, which does the same, is ten times as fast.
"""

import importlib.util
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

EXAMPLES = Path("examples/vortex")
GENERATIONS = (2022, 2024)
MACHINES = {"4w4t": (1, 4, 4), "2w8t": (1, 2, 8), "8w2t": (1, 8, 2), "2c4w4t": (2, 4, 4)}  # cores, warps, lanes
BLOCK = 8


@lru_cache(maxsize=128)
def compiled(name, number, level):
    from warploom.isa.c.compiler import compile_c

    return compile_c([EXAMPLES / f"{name}.c"], f"vortex-{number}", level)


def run(name, number=2024, *, machine="4w4t", level="2", mechanism="masks", engine="python", block=None, **more):
    """(the buffers after a run, by name, as they were given; the result)."""
    cores, warps, lanes = MACHINES[machine]
    threads, arguments = more.pop("threads", 1), more.pop("arguments", {})
    buffers = more
    options = Options(path=f"{EXAMPLES / name}.elf", threads=threads, block=block, arguments=arguments, buffers=buffers)
    program = load(compiled(name, number, level), f"vortex-{number}", options=options)
    changes = {"core.divergence": mechanism, "gpu.cores": cores, "core.warps": warps, "core.lanes": lanes, "shared.banks": lanes}
    gpu = GPU("vortex-2022" if number == 2022 else "vortex-2024", set=changes, engine=engine)
    result = gpu.run(program, max_cycles=3_000_000)
    assert result.status == "done", result.fault
    found = {name: read_buffer(result.program, result.memory, name).view(value.dtype)[: len(value)] for name, value in buffers.items()}
    return found, result


def floats(count, seed):
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def whole(count, seed, most=100):
    return np.random.default_rng(seed).integers(0, most, count).astype(np.int32)


def diverge_model(x):
    if x & 1:
        return (1000 if x % 3 == 0 else 2000) + x if x > 10 else 3000 + x
    left = x & 15
    return left * (left + 1) // 2


def check(name, n, **how):
    """Runs an example over n elements, as far as its blocks allow, and compares."""
    if name == "vector_add":
        a, b = floats(n, 1), floats(n, 2)
        found, _ = run(name, threads=n, a=a, b=b, out=np.zeros(n, np.float32), **how)
        assert np.array_equal(found["out"], a + b)
    elif name == "saxpy":
        x, y = floats(n, 1), floats(n, 2)
        found, _ = run(name, threads=n, arguments={"a": 1.5}, x=x, y=y, **how)
        assert np.array_equal(found["y"], (y + 1.5 * x.astype(float)).astype(np.float32))  # a fused multiply-add: rounded once
    elif name in ("sgemm", "sgemm_tiled"):
        size = n if name == "sgemm" else -(-n // 4) * 4
        a, b = floats(size * size, 1), floats(size * size, 2)
        block = {"block": 16} if name == "sgemm_tiled" else {}
        found, _ = run(name, threads=size * size, arguments={"n": size}, a=a, b=b, c=np.zeros(size * size, np.float32), **block, **how)
        np.testing.assert_allclose(found["c"].reshape(size, size), a.reshape(size, size) @ b.reshape(size, size), rtol=1e-4, atol=1e-5)
    elif name == "diverge":
        x = whole(n, 3)
        found, _ = run(name, threads=n, **{"in": x}, out=np.zeros(n, np.int32), **how)
        assert found["out"].tolist() == [diverge_model(int(value)) for value in x]
    elif name == "sort":
        x = whole(n, 4)
        found, _ = run(name, threads=n, arguments={"n": n}, **{"in": x}, out=np.zeros(n, np.int32), **how)
        assert np.array_equal(found["out"], np.sort(x))
    elif name == "stencil":
        x = floats(n, 5)
        found, _ = run(name, threads=n, arguments={"n": n}, **{"in": x}, out=np.zeros(n, np.float32), **how)
        padded = np.concatenate([x[:1], x, x[-1:]])
        np.testing.assert_allclose(found["out"], 0.25 * padded[:-2] + 0.5 * x + 0.25 * padded[2:], rtol=1e-5, atol=1e-6)
    elif name in ("reduction", "prefix_sum"):
        groups = -(-n // BLOCK)
        x = whole(groups * BLOCK, 6)
        rows = x.reshape(groups, BLOCK)
        wanted = rows.sum(axis=1) if name == "reduction" else np.cumsum(rows, axis=1).ravel()
        found, _ = run(name, threads=len(x), block=BLOCK, **{"in": x}, out=np.zeros(len(wanted), np.int32), **how)
        assert np.array_equal(found["out"], wanted)
    else:
        cores, warps, lanes = MACHINES[how.get("machine", "4w4t")]
        n = cores * warps * lanes
        x = whole(n, 7)
        empty = np.zeros(n, np.int32)
        found, _ = run("pipeline", threads=n, arguments={"n": n}, **{"in": x}, first=empty, second=empty, out=empty, **how)
        second = np.roll(2 * x, -(n // 2)) + 1
        assert np.array_equal(found["out"], np.roll(second, 1) - second)


NAMES = ("vector_add", "saxpy", "sgemm", "sgemm_tiled", "diverge", "sort", "stencil", "reduction", "prefix_sum", "pipeline")
BY_NAME = pytest.mark.parametrize("name", NAMES)
BY_NUMBER = pytest.mark.parametrize("number", GENERATIONS)


@pytest.mark.every(3)
@BY_NAME
@BY_NUMBER
def test_sizes(name, number):
    for n, engine in zip((1, 3, 7) if name.startswith("sgemm") else (1, 5, 37), ("native", "python", "native"), strict=True):
        check(name, n, number=number, engine=engine)


@pytest.mark.every(3)
@BY_NAME
@BY_NUMBER
def test_without_optimisation(name, number):
    check(name, 6 if name.startswith("sgemm") else 21, number=number, level="0", engine="native")


@pytest.mark.slow
@BY_NAME
@BY_NUMBER
@pytest.mark.parametrize("level", ["0", "1", "3", "s"])
@pytest.mark.parametrize("mechanism", ["masks", "stack"])
def test_levels_of_optimisation(name, number, level, mechanism):
    check(name, 6 if name.startswith("sgemm") else 21, number=number, level=level, mechanism=mechanism)


@pytest.mark.every(3)
@BY_NAME
@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its", "dwf"])
def test_mechanisms(name, mechanism):
    number, engine = 2022 if mechanism == "its" else 2024, "python" if mechanism == "dwf" else "native"
    check(name, 5 if name.startswith("sgemm") else 21, number=number, mechanism=mechanism, engine=engine)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", ["sgemm_tiled", "diverge", "prefix_sum", "pipeline"])
@BY_NUMBER
@pytest.mark.parametrize("machine", ["2w8t", "8w2t", "2c4w4t"])
def test_machines(name, number, machine):
    check(name, 5 if name.startswith("sgemm") else 29, number=number, machine=machine, engine="native")


@BY_NUMBER
def test_hello(number):
    _, result = run("hello", number, threads=10, engine="native" if number == 2022 else "python")
    assert sorted(result.console) == [f"#{i}: thread {i}: lane {i % 4} of warp {i // 4} on core 0, {i / 4:.6f} turns" for i in range(10)]


def test_the_floor_is_the_picture_of_the_page():
    from PIL import Image

    spec = importlib.util.spec_from_file_location("floor", EXAMPLES / "floor.py")
    floor = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(floor)
    shown = np.asarray(Image.open("docs/pictures/vortex-floor.png"))[::4, ::4]
    found = floor.render("native")
    assert np.array_equal(found, shown)
    left, right = found[2:20, 2:60].astype(int), found[2:20, 68:126].astype(int)
    assert (
        right.std(axis=(0, 1)) > 1.5 * left.std(axis=(0, 1))
    ).all()  # samples along the line of sight keep what a coarser level has lost


TEXTURES = """
#include <vx_texture.h>
#include <warploom.h>
kernel void filters(unsigned *texels, unsigned *out) {
#if WARPLOOM_VORTEX < 2023
  vx_tex_set(1, 1, texels); vx_tex_set(1, 2, 2); vx_tex_set(1, 3, 0); vx_tex_set(1, 5, 0); vx_tex_set(1, 9, 16); vx_tex_set(1, 10, 24);
#endif
  unsigned u = (unsigned)global_id() << 21;
  out[3 * global_id()] = vx_tex_trilinear(1, u, 0, 0x040);
  out[3 * global_id() + 1] = vx_tex_anisotropic(1, u, 0, 1 << 22, 0, 0x100, 1);
  out[3 * global_id() + 2] = vx_lerp8888(0x00FF80FFu, 0xFF00FF01u, 128);
}
"""


@BY_NUMBER
@pytest.mark.parametrize("level", ["0", "2"])
def test_filters_of_the_library(number, level, tmp_path):
    """A row of 4, 2 and 1 texels: between levels, and the mean along a line."""
    from warploom.isa.c.compiler import compile_c

    (tmp_path / "filters.c").write_text(TEXTURES)
    rows = [[0x10, 0x20, 0x30, 0x40], [0x50, 0x70], [0x60]]
    texels = np.array([0x01010101 * value for row in rows for value in row], np.uint32)
    dcr = [6, 1, 7, 0x20000 >> 6, 8, 2, 9, 0, 10, 0, 11, 0, 12, 0, 13, 16, 14, 24]
    buffers = {"texels@0x20000": texels, "out": np.zeros(12, np.uint32)} | ({"dcr": dcr} if number > 2023 else {})
    options = Options(path="filters.elf", threads=4, buffers=buffers)
    program = load(compile_c([tmp_path / "filters.c"], f"vortex-{number}", level), f"vortex-{number}", options=options)
    result = GPU(f"vortex-{number}", engine="python").run(program, max_cycles=1_000_000)
    assert result.status == "done", result.fault
    found = read_buffer(result.program, result.memory, "out").view(np.uint32).reshape(4, 3)
    lerp = [(first * 192 + second * 64) >> 8 for first, second in zip(rows[0], (0x50, 0x50, 0x70, 0x70), strict=True)]
    means = [(0x50 + 0x70) >> 1, (0x50 + 0x70) >> 1, 0x70, 0x70]  # half an image on, clamped
    assert found[:, 0].tolist() == [0x01010101 * value for value in lerp]
    assert found[:, 1].tolist() == [0x01010101 * value for value in means]
    assert set(found[:, 2].tolist()) == {0x7F7FBF80}


@pytest.mark.slow
@BY_NAME
@BY_NUMBER
def test_native(name, number):
    check(name, 24 if name.startswith("sgemm") else 1000, number=number, engine="native", machine="2c4w4t")
