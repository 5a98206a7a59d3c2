"""16 bits at a time, two at once, and what is for graphics, beside the same in Python's and NumPy's numbers, on edge values."""

import numpy as np
import pytest

from tests.isa.gcn.vector.test_vector_alu import EDGES, FLOATS, WORD, bits, check, f, s, triples
from warploom.isa import uop as u
from warploom.isa.diagnostics import Diagnostics, SourceError
from warploom.isa.gcn.kernels.launch import Start
from warploom.isa.gcn.lowering import lower
from warploom.isa.gcn.text.assembler import assemble
from warploom.isa.launch import Launch
from warploom.isa.program import Source

HALF = 0xFFFF
HALVES = np.array([0, -0.0, 1, -1.5, 0.5, 2.75, 65504, -65504, 6e-5, -6e-8, np.inf, -np.inf, 300, -0.1], "e").view("u2").tolist()


def parts(word):
    return word & HALF, word >> 16


def both(function, signed=False):
    """A model of two halves at once, from one of integers."""

    def model(*words):
        low, high = (
            function(*(s(value, 16) if signed else value for value in values)) & HALF for values in zip(*map(parts, words), strict=True)
        )
        return low | high << 16

    return model  # fmt: skip


def within(value, signed):
    return max(min(value, 0x7FFF), -0x8000) if signed else max(min(value, HALF), 0)


def half(word):
    return np.array([word & HALF], "u2").view("e")[0]


def word_of(value):
    return int(np.array(value).astype("e").view("u2"))


def floats(function):
    """A model of two 16-bit floats at once."""

    def model(*words):
        with np.errstate(all="ignore"):
            low, high = (word_of(function(*map(half, values))) for values in zip(*map(parts, words), strict=True))
        return low | high << 16

    return model  # fmt: skip


def kept(value):
    """Into the low half of a register that held 0x55550055."""
    return 0x55550000 | value & HALF


def largest(*words):
    return word_of(max(map(half, words), key=lambda value: (value, not np.signbit(value))))


def fused(a, b, c):
    return np.float64(a) * np.float64(b) + np.float64(c)


def larger(a, b):
    return np.fmax(a, b)


WHOLE = {
    "v_pk_add_u16 v9, v0, v1": lambda a, b, c: both(lambda x, y: x + y)(a, b),
    "v_pk_add_u16 v9, v0, v1 clamp": lambda a, b, c: both(lambda x, y: within(x + y, False))(a, b),
    "v_pk_sub_u16 v9, v0, v1 clamp": lambda a, b, c: both(lambda x, y: within(x - y, False))(a, b),
    "v_pk_add_i16 v9, v0, v1 clamp": lambda a, b, c: both(lambda x, y: within(x + y, True), True)(a, b),
    "v_pk_sub_i16 v9, v0, v1 clamp": lambda a, b, c: both(lambda x, y: within(x - y, True), True)(a, b),
    "v_pk_mul_lo_u16 v9, v0, v1": lambda a, b, c: both(lambda x, y: x * y)(a, b),
    "v_pk_mul_lo_u16 v9, v0, v1 clamp": lambda a, b, c: both(lambda x, y: within(x * y, False))(a, b),
    "v_pk_mad_u16 v9, v0, v1, v2 clamp": both(lambda x, y, z: within(x * y + z, False)),
    "v_pk_mad_i16 v9, v0, v1, v2 clamp": both(lambda x, y, z: within(x * y + z, True), True),
    "v_pk_mad_i16 v9, v0, v1, v2": both(lambda x, y, z: x * y + z),
    "v_pk_lshlrev_b16 v9, v0, v1": lambda a, b, c: both(lambda x, y: y << (x & 15))(a, b),
    "v_pk_lshrrev_b16 v9, v0, v1": lambda a, b, c: both(lambda x, y: y >> (x & 15))(a, b),
    "v_pk_ashrrev_i16 v9, v0, v1": lambda a, b, c: both(lambda x, y: y >> (x & 15), True)(a, b),
    "v_pk_max_i16 v9, v0, v1": lambda a, b, c: both(max, True)(a, b), "v_pk_min_i16 v9, v0, v1": lambda a, b, c: both(min, True)(a, b),
    "v_pk_max_u16 v9, v0, v1": lambda a, b, c: both(max)(a, b), "v_pk_min_u16 v9, v0, v1": lambda a, b, c: both(min)(a, b),
    "v_pk_sub_i16 v9, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]": lambda a, b, c: both(lambda x, y: x - y)(a >> 16 | a << 16 & WORD, b),
    "v_pk_add_u16 v9, v0, 3 op_sel_hi:[1,0]": lambda a, b, c: both(lambda x, y: x + y)(a, 0x30003),
    "v_add_u16 v9, v0, v1 clamp": lambda a, b, c: within((a & HALF) + (b & HALF), False),
    "v_sub_u16 v9, v0, v1 clamp": lambda a, b, c: within((a & HALF) - (b & HALF), False),
    "v_mul_lo_u16 v9, v0, v1 clamp": lambda a, b, c: within((a & HALF) * (b & HALF), False),
    "v_max_u16 v9, v0, v1 clamp": lambda a, b, c: max(a & HALF, b & HALF),
    "v_mad_legacy_i16 v9, v0, v1, v2 clamp": lambda a, b, c: within(s(a, 16) * s(b, 16) + s(c, 16), True) & HALF,
    "v_mad_u16 v9, v0, v1, v2": lambda a, b, c: kept(a * b + c),
    "v_mad_i16 v9, v0, v1, v2 clamp": lambda a, b, c: kept(within(s(a, 16) * s(b, 16) + s(c, 16), True)),
    "v_add_i16 v9, v0, v1 clamp": lambda a, b, c: kept(within(s(a, 16) + s(b, 16), True)),
    "v_sub_i16 v9, v0, v1 op_sel:[1,0,1]": lambda a, b, c: 0x0055 | ((a >> 16) - b & HALF) << 16,
    "v_min3_i16 v9, v0, v1, v2": lambda a, b, c: kept(min(s(v, 16) for v in (a, b, c))),
    "v_max3_u16 v9, v0, v1, v2": lambda a, b, c: kept(max(v & HALF for v in (a, b, c))),
    "v_med3_i16 v9, v0, v1, v2": lambda a, b, c: kept(sorted(s(v, 16) for v in (a, b, c))[1]),
    "v_mad_u32_u16 v9, v0, v1, v2": lambda a, b, c: (a & HALF) * (b & HALF) + c,
    "v_mad_i32_i16 v9, v0, v1, v2": lambda a, b, c: s(a, 16) * s(b, 16) + c,
    "v_pack_b32_f16 v9, v0, v1": lambda a, b, c: a & HALF | (b & HALF) << 16,
    "v_pack_b32_f16 v9, v0, v1 op_sel:[1,1,0]": lambda a, b, c: a >> 16 | b >> 16 << 16,
    "v_cvt_pk_u16_u32 v9, v0, v1": lambda a, b, c: min(a, HALF) | min(b, HALF) << 16,
    "v_cvt_pk_i16_i32 v9, v0, v1": lambda a, b, c: within(s(a), True) & HALF | (within(s(b), True) & HALF) << 16,
    "v_sat_pk_u8_i16 v9, v0": lambda a, b, c: max(0, min(255, s(a, 16))) | max(0, min(255, s(a >> 16, 16))) << 8,
    "v_sad_u16 v9, v0, v1, v2": lambda a, b, c: c + sum(abs(x - y) for x, y in zip(parts(a), parts(b), strict=True)),
    "v_sad_hi_u8 v9, v0, v1, v2": lambda a, b, c: c + (sum(abs((a >> n & 255) - (b >> n & 255)) for n in (0, 8, 16, 24)) << 16),
}  # fmt: skip
PACKED = {
    "v_pk_add_f16 v9, v0, v1": lambda a, b, c: floats(lambda x, y: x + y)(a, b),
    "v_pk_add_f16 v9, v0, v1 neg_lo:[0,1] neg_hi:[1,0]":
        lambda a, b, c: floats(lambda x, y: x + y)(a ^ 0x80000000, b ^ 0x8000),
    "v_pk_mul_f16 v9, v0, v1": lambda a, b, c: floats(lambda x, y: x * y)(a, b),
    "v_pk_mul_f16 v9, v0, v1 clamp": lambda a, b, c: floats(lambda x, y: np.fmin(np.fmax(x * y, 0), 1) + np.float16(0))(a, b),
    "v_pk_fma_f16 v9, v0, v1, v2": floats(fused),
    "v_pk_max_f16 v9, v0, v1": lambda a, b, c: floats(larger)(a, b),
    "v_pk_add_f16 v9, v0, 2.0 op_sel_hi:[1,0]": lambda a, b, c: floats(lambda x: x + np.float16(2))(a),
    "v_mad_mix_f32 v9, v0, v1, v2 op_sel_hi:[1,1,1]": lambda a, b, c: single(half(a), half(b), half(c)),
    "v_mad_mix_f32 v9, v0, v1, v2 op_sel:[1,0,0] op_sel_hi:[1,1,0]": lambda a, b, c: single(half(a >> 16), half(b), f(c)),
    "v_mad_mixhi_f16 v9, v0, -v1, |v2| op_sel_hi:[1,1,1]":
        lambda a, b, c: 0x0055 | word_of(np.float32(half(a)) * -np.float32(half(b)) + abs(np.float32(half(c)))) << 16,
    "v_mad_mixlo_f16 v9, v0, v1, v2 op_sel_hi:[1,1,1]": lambda a, b, c: kept(word_of(np.float32(half(a)) * np.float32(half(b)) + half(c))),
    "v_fma_f16 v9, v0, v1, v2": lambda a, b, c: kept(word_of(fused(half(a), half(b), half(c)))),
    "v_max3_f16 v9, v0, v1, v2": largest,
    "v_max3_f16 v9, v0, v1, v2 op_sel:[0,0,0,1]": lambda a, b, c: 0x0055 | largest(a, b, c) << 16,
    "v_mac_f16 v9, v0, v1": lambda a, b, c: kept(word_of(half(a) * half(b) + half(0x55))),
    "v_madak_f16 v9, v0, v1, 0x4200": lambda a, b, c: kept(word_of(half(a) * half(b) + np.float16(3))),
    "v_madmk_f16 v9, v0, 0x4200, v1": lambda a, b, c: kept(word_of(half(a) * np.float16(3) + half(b))),
    "v_frexp_mant_f16 v9, v0": lambda a, b, c: word_of(np.frexp(half(a))[0]),
    "v_frexp_exp_i16_f16 v9, v0": lambda a, b, c: int(np.frexp(half(a))[1]) & HALF if np.isfinite(half(a)) else 0,
}  # fmt: skip
CUBES = {
    "v_cubeid_f32 v9, v0, v1, v2": lambda x, y, z: cube(x, y, z)[0], "v_cubema_f32 v9, v0, v1, v2": lambda x, y, z: cube(x, y, z)[1],
    "v_cubesc_f32 v9, v0, v1, v2": lambda x, y, z: cube(x, y, z)[2], "v_cubetc_f32 v9, v0, v1, v2": lambda x, y, z: cube(x, y, z)[3],
}  # fmt: skip


def single(a, b, c):
    with np.errstate(all="ignore"):
        return bits(float(np.float32(a) * np.float32(b) + np.float32(c)))


def cube(x, y, z):
    """(face, twice the largest, across, down): Vega's manual, word for word."""
    if abs(z) >= abs(x) and abs(z) >= abs(y):
        return (5 if z < 0 else 4), 2 * z, (-x if z < 0 else x), -y
    if abs(y) >= abs(x):
        return (3 if y < 0 else 2), 2 * y, x, (-z if y < 0 else z)
    return (1 if x < 0 else 0), 2 * x, (z if x < 0 else -z), -y


def test_halves_of_whole_numbers():
    inputs = triples(64, [*EDGES, 0x7FFF8000, 0x80007FFF, 0x00010001, 0xFFFF8001], 11)
    check(list(WHOLE), inputs, [1] * len(WHOLE), lambda line, lane: WHOLE[line](*inputs[lane]))


def test_two_floats_of_16_bits_at_once():
    random = np.random.default_rng(12)
    finite = [word for word in HALVES if np.isfinite(half(word))]  # inf - inf is a NaN, of which NumPy chooses the sign
    inputs = [[int(random.choice(finite)) | int(random.choice(finite)) << 16 for _ in range(3)] for _ in range(64)]

    def expected(line, lane):
        with np.errstate(all="ignore"):
            return PACKED[line](*inputs[lane])

    check(list(PACKED), inputs, [1] * len(PACKED), expected)


def test_processors_before_vega_write_zeros_above_a_multiply_add():
    text = ".kernel main\nv_mac_f16 v9, v0, v1\nv_madak_f16 v9, v0, v1, 0x4200\nv_add_f16 v9, v0, v1\nv_fma_f16 v9, v0, v1, v2\ns_endpgm\n"
    source = Source(text, "half.gcn")
    image = assemble(source, Diagnostics(source)).found.image

    def last(vega):
        """By instruction, the operation that gives its result: `or` where something is kept."""
        program = lower(image, Start(Launch(threads=64), vega=vega))[0]
        ends = program.code[1:, u.FIRST_UOP] + program.code[1:, u.COUNT] - 1
        return [u.OPERATIONS[number].name for number in program.uops[ends, u.OP]][:4]

    assert last(vega=True) == ["or", "or", "mov", "or"]
    assert last(vega=False) == ["mov", "mov", "mov", "or"]


def test_the_face_of_a_cube():
    random = np.random.default_rng(13)
    edges = [bits(value) for value in FLOATS if value == value]
    inputs = [[int(random.choice(edges)) if random.random() < 0.5 else bits(random.normal()) for _ in range(3)] for _ in range(64)]
    check(list(CUBES), inputs, [1] * len(CUBES), lambda line, lane: bits(CUBES[line](*map(f, inputs[lane]))))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("v_add_u32_e64 v4, v4, v4 op_sel:[1,1,0]", "takes no 'op_sel"),
        ("v_add_f16_e64 v5, v4, v4 op_sel:[0,0,1]", "takes no 'op_sel"),
        ("v_mad_u16 v5, v4, v4, v4 op_sel:[0,0,1,1,1,1]", "takes 3 or 4 bits, not 6"),
        ("v_mad_u16 v5, v4, v4, v4 op_sel:[1]", "takes 3 or 4 bits, not 1"),
        ("v_pack_b32_f16 v5, v4, v4 op_sel:[0,0,1]", "op_sel of what has no 16 bits to choose"),
        ("v_pk_add_u16 v5, v4, v4 op_sel:[0,0,0,0,1]", "takes 2 bits, not 5"),
        ("v_pk_add_u16 v5, v4, v4 neg_lo:[1,0]", "a sign of a source that is not a float"),
    ],
)
def test_what_chooses_no_half_is_refused(line, reason):
    with pytest.raises(SourceError, match=reason):
        check([line], [[0, 0, 0]] * 64, [1], lambda line, lane: 0)
