"""Double precision rounded up, down and towards zero, against exact fractions."""

import lzma
import math
from fractions import Fraction

import numpy as np

from tests.isa.sass.nvidia.compilers import needs_compilers
from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.isa.sass import front_end
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


def nearest(number, digits, most, how):
    """An integer with so many binary digits, rounded to nearest even, toward zero, down or up; what is larger than `most` overflows."""
    size = abs(number)
    cut = max(0, size.bit_length() - digits)
    kept, lost, half = size >> cut, size & (1 << cut) - 1, 1 << cut - 1 if cut else 0
    kept += {"n": lost > half or (lost == half != 0 and kept & 1), "z": False, "d": number < 0 < lost, "u": number > 0 < lost}[how]
    overflow = math.inf if how == "n" or (how == "d" and number < 0) or (how == "u" and number > 0) else most
    return math.copysign(kept << cut if kept << cut <= most else overflow, number)


def test_integers_become_halves_and_bf16_and_bf16_whole_numbers():
    """I2F.F16 and .BF16 of 32 and 64 bits, each rounded once; FRND.BF16 (narrow.cu)."""
    rng = np.random.default_rng(1)
    given = rng.integers(-(1 << 63), (1 << 63) - 1, 32, dtype=np.int64) >> rng.integers(0, 63, 32, dtype=np.int64)
    given[:13] = 0, -1, 2049, 2051, 65519, 65520, -65520, (1 << 63) - 1, -(1 << 63), 0x101800000000001, 0x101800000000000, 257, 0x1018001
    brain = rng.integers(0, 1 << 16, 32, dtype=np.int64).astype(np.uint16)
    brain[:6] = 0x3F00, 0x3FC0, 0xBF00, 0x7F80, 0x7FC1, 0x8000
    data = lzma.decompress((GOLDEN / "narrow_sm_90.cubin.xz").read_bytes())
    buffers = {"in": given.view(np.uint32), "b": brain, "o": np.zeros(288, np.uint16)}
    program = front_end.load(data, Options(str(GOLDEN / "k.cubin"), machine="sm", grid=1, block=32, buffers=buffers)).program
    result = GPU(load_config("sm", {"gpu.cores": 1}), engine="python").run(program, max_cycles=50_000)
    assert result.status == "done"
    found = read_buffer(program, result.memory, "o").reshape(9, 32)
    halves, wide = found.view(np.float16), (found.astype(np.uint32) << 16).view(np.float32)
    most = 255 << 120
    for row, (numbers, how) in enumerate([(given, "n"), (given.view(np.uint64), "n"), (given, "z"), (given, "d")]):
        assert halves[row].tolist() == [nearest(int(number), 11, 65504, how) for number in numbers]
    assert halves[6].tolist() == [nearest(int(number), 11, 65504, "u") for number in given.astype(np.uint32)]
    assert wide[4].tolist() == [nearest(int(number), 8, most, "n") for number in given]
    assert wide[5].tolist() == [nearest(int(number), 8, most, "n") for number in given.astype(np.int32)]
    single = (brain.astype(np.uint32) << 16).view(np.float32)
    assert np.array_equal(wide[7], np.rint(single), equal_nan=True)
    assert np.array_equal(wide[8], np.floor(single), equal_nan=True)
