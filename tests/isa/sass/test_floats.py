"""Double precision rounded up, down and towards zero, against exact fractions."""

import math
from fractions import Fraction

import numpy as np

from tests.isa.sass.nvidia.compilers import needs_compilers
from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.machine.config.presets import load_config

LANES = 32


def _rounded(exact, way):
    near = float(exact)
    if way == "up" and near < exact:
        return math.nextafter(near, math.inf)
    if way == "down" and near > exact:
        return math.nextafter(near, -math.inf)
    if way == "zero" and abs(Fraction(near)) > abs(exact):
        return math.nextafter(near, 0.0)
    return near


def test_doubles_are_rounded_in_every_direction():
    random = np.random.default_rng(3)
    scale = 10.0 ** random.integers(-20, 20, (2, LANES))
    a, b = (random.random((2, LANES)) - 0.5) * scale
    c = np.where(np.arange(LANES, dtype=np.int64) % 3 == 0, random.random(LANES), -(a * b) * (1 + random.random(LANES) * 1e-15))
    buffers = {f"p{number}": values.view(np.uint32) for number, values in enumerate((a, b, c))} | {"p3": np.zeros(14 * LANES, np.uint32)}
    path = str(GOLDEN / "rounding_sm_80.cubin")
    program, warnings = open_source(path, None, Options(path, grid=1, block=LANES, arguments={"p4": LANES}, buffers=buffers))
    assert list(warnings) == []
    result = GPU("sm", engine="python").run(program)
    found = read_buffer(program, result.memory, "p3").view(np.float64).reshape(7, LANES)
    ways = [("up", "mul"), ("down", "mul"), ("zero", "mul"), ("up", "add"), ("down", "add"), ("up", "fma"), ("zero", "fma")]
    for row, (way, name) in zip(found.tolist(), ways, strict=True):
        for lane in range(LANES):
            x, y, z = (Fraction(float(values[lane])) for values in (a, b, c))
            exact = {"mul": x * y, "add": x + y, "fma": x * y + z}[name]
            assert row[lane] == _rounded(exact, way), (way, name, lane)


def test_pairs_of_halves_and_long_integers():
    random = np.random.default_rng(1)
    a, b, c = (random.integers(0, 1 << 32, LANES, dtype=np.uint64).astype(np.uint32) & 0xBFFFBFFF | 0x30003000 for _ in range(3))
    longs = random.integers(-(1 << 63), (1 << 63) - 1, LANES, dtype=np.int64)
    buffers = {"p0": a, "p1": b, "p2": c, "p3": np.zeros(4 * LANES, np.uint32)}
    buffers |= {"p4": longs.view(np.uint32), "p5": np.zeros(6 * LANES, np.uint32)}
    path = str(GOLDEN / "halves_sm_90.cubin")
    program, warnings = open_source(path, None, Options(path, grid=1, block=LANES, arguments={"p6": LANES}, buffers=buffers))
    assert list(warnings) == []
    result = GPU("sm", engine="python").run(program)
    words = read_buffer(program, result.memory, "p3").reshape(4, LANES)
    halves = [values.copy().view(np.uint16) for values in (a, b, words[1], words[2])]
    assert np.array_equal(halves[2], np.minimum(*halves[:2]))
    assert np.array_equal(halves[3].view(np.int16), np.maximum(*(one.view(np.int16) for one in halves[:2])))
    sources = np.stack([one.copy().view(np.uint16) for one in (a, b, c)])
    for x, y, z, found in zip(*sources.tolist(), words[0].copy().view(np.uint16).tolist(), strict=True):
        exact = _brain(x) * _brain(y) + _brain(z)
        near = int(np.float32(float(exact)).view(np.uint32)) >> 16
        assert found == min(range(near - 1, near + 2), key=lambda one: (abs(_brain(one) - exact), one & 1))
    doubles = read_buffer(program, result.memory, "p5").view(np.float64).reshape(3, LANES)
    for row, way in zip(doubles.tolist(), ("up", "down", "zero"), strict=True):
        wanted = [int(value) % (1 << 64) if way == "zero" else int(value) for value in longs]
        assert row == [_rounded(Fraction(value), way) for value in wanted]


def _brain(bits):
    return Fraction(float(np.array([bits << 16], np.uint32).view(np.float32)[0]))


CONVERSIONS = """typedef unsigned u;
extern "C" __global__ void k(const float *in, u *out)
{
    int t = threadIdx.x;
    asm("{.reg .b16 l, h; cvt.rm.f16.f32 l, %1; cvt.rp.f16.f32 h, %1; mov.b32 %0, {l, h};}" : "=r"(out[t]) : "f"(in[t]));
    asm("{.reg .b16 l, h; cvt.rn.bf16.f32 l, %1; cvt.rz.bf16.f32 h, %1; mov.b32 %0, {l, h};}" : "=r"(out[t + 32]) : "f"(in[t]));
    asm("{.reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rmi.f16.f16 h, l; cvt.rni.f16.f16 l, l; mov.b32 %0, {l, h};}"
        : "=r"(out[t + 64]) : "f"(in[t]));
}
"""


@needs_compilers
def test_halves_are_rounded_as_the_instruction_says(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text(CONVERSIONS)
    given = np.concatenate([np.random.default_rng(6).standard_normal(28) * 9, [0.0, 1e9, -1e9, -1e-9]]).astype(np.float32)
    buffers = {"in": given, "out": np.zeros(96, np.uint32)}
    options = Options(machine="sm", block=32, grid=1, buffers=buffers, more={"words": ["-arch=sm_80"]})
    program = open_source(path, "sass", options).program
    result = GPU(load_config("sm", {"gpu.cores": 1}), engine="python").run(program)
    found = read_buffer(program, result.memory, "out").view(np.uint16).reshape(3, 32, 2)
    down, up = found[0, :, 0].view(np.float16).astype(np.float64), found[0, :, 1].view(np.float16).astype(np.float64)
    assert (down <= given).all()
    assert (up >= given).all()
    with np.errstate(over="ignore"):
        nearest = given.astype(np.float16)
        lower, exact = found[0, :, 0].view(np.float16), nearest.astype(np.float32) == given
        assert np.array_equal(np.where(exact, lower, np.nextafter(lower, np.float16(np.inf))), up)
    bits = given.view(np.uint32)
    assert np.array_equal(found[1, :, 0], bits + 0x7FFF + (bits >> 16 & 1) >> 16)
    assert np.array_equal(found[1, :, 1], bits >> 16)
    assert np.array_equal(found[2, :, 0].view(np.float16), np.rint(nearest))
    assert np.array_equal(found[2, :, 1].view(np.float16), np.floor(nearest))
