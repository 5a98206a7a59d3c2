"""What instructions of the vector unit do, beside the same in Python's own numbers, a lane at a time."""

import math
import struct

import numpy as np
import pytest

from tests.isa.gcn.snippets import run

WORD, WIDE = (1 << 32) - 1, (1 << 64) - 1
EDGES = [0, 1, 2, 3, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0x80000001, WORD, 0xFFFF, 0x8000, 0x12345678, 0xDEADBEEF, 0x00FFFFFF, 0x00800000]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.75, 1e10, -1e10, 3e9, 1e-40, -1e-40, 1e38, math.inf, -math.inf, math.nan, 7.25, 0.1]


def s(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def f(word):
    return struct.unpack("<f", struct.pack("<I", word & WORD))[0]


def bits(value):
    with np.errstate(all="ignore"):
        return int(np.array(value, np.float64).astype(np.float32).view(np.uint32)) if not math.isnan(value) else 0x7FC00000


def first_one(value):
    return WORD if value == 0 else (value & -value).bit_length() - 1


def leading(value):
    return WORD if value == 0 else 32 - value.bit_length()


def field(a, first, count, signed):
    value = (s(a) if signed else a) >> (first & 31)
    count &= 31
    part = value & (1 << count) - 1
    return 0 if count == 0 else s(part, count) if signed else part


def bytes_chosen(a, b, c):
    source, found = a << 32 | b, 0
    for byte in range(4):
        which = c >> 8 * byte & 255
        if which < 8:
            chosen = source >> 8 * which & 255
        elif which < 12:
            chosen = 255 if source >> 16 * (which - 8) + 15 & 1 else 0
        else:
            chosen = 0 if which == 12 else 255
        found |= chosen << 8 * byte
    return found


WHOLE = {
    "v_mov_b32 v9, v0": lambda a, b, c: a, "v_not_b32 v9, v0": lambda a, b, c: ~a,
    "v_bfrev_b32 v9, v0": lambda a, b, c: int(f"{a:032b}"[::-1], 2), "v_ffbh_u32 v9, v0": lambda a, b, c: leading(a),
    "v_ffbl_b32 v9, v0": lambda a, b, c: first_one(a), "v_ffbh_i32 v9, v0": lambda a, b, c: leading(a ^ (WORD if a >> 31 else 0)),
    "v_add_u32 v9, v0, v1": lambda a, b, c: a + b, "v_sub_u32 v9, v0, v1": lambda a, b, c: a - b,
    "v_subrev_u32 v9, v0, v1": lambda a, b, c: b - a, "v_lshlrev_b32 v9, v0, v1": lambda a, b, c: b << (a & 31),
    "v_lshrrev_b32 v9, v0, v1": lambda a, b, c: b >> (a & 31), "v_ashrrev_i32 v9, v0, v1": lambda a, b, c: s(b) >> (a & 31),
    "v_and_b32 v9, v0, v1": lambda a, b, c: a & b, "v_or_b32 v9, v0, v1": lambda a, b, c: a | b,
    "v_xor_b32 v9, v0, v1": lambda a, b, c: a ^ b, "v_min_i32 v9, v0, v1": lambda a, b, c: min(s(a), s(b)),
    "v_max_i32 v9, v0, v1": lambda a, b, c: max(s(a), s(b)), "v_min_u32 v9, v0, v1": lambda a, b, c: min(a, b),
    "v_max_u32 v9, v0, v1": lambda a, b, c: max(a, b), "v_mul_lo_u32 v9, v0, v1": lambda a, b, c: a * b,
    "v_mul_hi_u32 v9, v0, v1": lambda a, b, c: a * b >> 32, "v_mul_hi_i32 v9, v0, v1": lambda a, b, c: s(a) * s(b) >> 32,
    "v_mul_i32_i24 v9, v0, v1": lambda a, b, c: s(a, 24) * s(b, 24),
    "v_mul_hi_i32_i24 v9, v0, v1": lambda a, b, c: s(a, 24) * s(b, 24) >> 32,
    "v_mul_u32_u24 v9, v0, v1": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF),
    "v_mul_hi_u32_u24 v9, v0, v1": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32,
    "v_mad_u32_u24 v9, v0, v1, v2": lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c,
    "v_mad_i32_i24 v9, v0, v1, v2": lambda a, b, c: s(a, 24) * s(b, 24) + c,
    "v_add_u16 v9, v0, v1": lambda a, b, c: a + b & 0xFFFF, "v_sub_u16 v9, v0, v1": lambda a, b, c: a - b & 0xFFFF,
    "v_mul_lo_u16 v9, v0, v1": lambda a, b, c: a * b & 0xFFFF, "v_lshlrev_b16 v9, v0, v1": lambda a, b, c: b << (a & 15) & 0xFFFF,
    "v_lshrrev_b16 v9, v0, v1": lambda a, b, c: (b & 0xFFFF) >> (a & 15),
    "v_ashrrev_i16 v9, v0, v1": lambda a, b, c: s(b, 16) >> (a & 15) & 0xFFFF,
    "v_max_i16 v9, v0, v1": lambda a, b, c: max(s(a, 16), s(b, 16)) & 0xFFFF,
    "v_min_u16 v9, v0, v1": lambda a, b, c: min(a & 0xFFFF, b & 0xFFFF),
    "v_mad_legacy_u16 v9, v0, v1, v2": lambda a, b, c: a * b + c & 0xFFFF,
    "v_bfe_u32 v9, v0, v1, v2": lambda a, b, c: field(a, b, c, False), "v_bfe_i32 v9, v0, v1, v2": lambda a, b, c: field(a, b, c, True),
    "v_bfi_b32 v9, v0, v1, v2": lambda a, b, c: a & b | ~a & c, "v_bfm_b32 v9, v0, v1": lambda a, b, c: ((1 << (a & 31)) - 1) << (b & 31),
    "v_alignbit_b32 v9, v0, v1, v2": lambda a, b, c: (a << 32 | b) >> (c & 31),
    "v_alignbyte_b32 v9, v0, v1, v2": lambda a, b, c: (a << 32 | b) >> 8 * (c & 3), "v_perm_b32 v9, v0, v1, v2": bytes_chosen,
    "v_add3_u32 v9, v0, v1, v2": lambda a, b, c: a + b + c, "v_lshl_add_u32 v9, v0, v1, v2": lambda a, b, c: (a << (b & 31)) + c,
    "v_add_lshl_u32 v9, v0, v1, v2": lambda a, b, c: (a + b & WORD) << (c & 31), "v_xad_u32 v9, v0, v1, v2": lambda a, b, c: (a ^ b) + c,
    "v_lshl_or_b32 v9, v0, v1, v2": lambda a, b, c: a << (b & 31) | c, "v_and_or_b32 v9, v0, v1, v2": lambda a, b, c: a & b | c,
    "v_or3_b32 v9, v0, v1, v2": lambda a, b, c: a | b | c, "v_min3_i32 v9, v0, v1, v2": lambda a, b, c: min(s(a), s(b), s(c)),
    "v_max3_u32 v9, v0, v1, v2": max, "v_med3_i32 v9, v0, v1, v2": lambda a, b, c: sorted([s(a), s(b), s(c)])[1],
    "v_med3_u32 v9, v0, v1, v2": lambda a, b, c: sorted([a, b, c])[1], "v_sad_u32 v9, v0, v1, v2": lambda a, b, c: abs(a - b) + c,
    "v_sad_u8 v9, v0, v1, v2": lambda a, b, c: c + sum(abs((a >> n & 255) - (b >> n & 255)) for n in (0, 8, 16, 24)),
    "v_bcnt_u32_b32 v9, v0, v1": lambda a, b, c: bin(a).count("1") + b,
    "v_add_u32_sdwa v9, v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_2 src1_sel:WORD_1":
        lambda a, b, c: 0x55550055 | (((a >> 16 & 255) + (b >> 16)) & 255) << 8,
    "v_add_u32_sdwa v9, sext(v0), v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD":
        lambda a, b, c: ((s(a, 8) + b) & 0xFFFF) << 16,
    "v_add_u32_sdwa v9, v0, v1 dst_sel:BYTE_0 dst_unused:UNUSED_SEXT src0_sel:DWORD src1_sel:DWORD": lambda a, b, c: s(a + b, 8),
}  # fmt: skip
PAIRS = {  # of v[0:1] and v[2:3]: 64 bits
    "v_lshlrev_b64 v[9:10], v4, v[0:1]": lambda a, b, c: a << (c & 63), "v_lshrrev_b64 v[9:10], v4, v[0:1]": lambda a, b, c: a >> (c & 63),
    "v_ashrrev_i64 v[9:10], v4, v[0:1]": lambda a, b, c: s(a, 64) >> (c & 63), "v_lshlrev_b64 v[9:10], 5, v[0:1]": lambda a, b, c: a << 5,
    "v_lshrrev_b64 v[9:10], 40, v[0:1]": lambda a, b, c: a >> 40, "v_ashrrev_i64 v[9:10], 63, v[0:1]": lambda a, b, c: s(a, 64) >> 63,
    "v_lshlrev_b64 v[9:10], 32, v[0:1]": lambda a, b, c: a << 32, "v_ashrrev_i64 v[9:10], 9, v[0:1]": lambda a, b, c: s(a, 64) >> 9,
    "v_mad_u64_u32 v[9:10], vcc, v0, v4, v[2:3]": lambda a, b, c: (a & WORD) * c + b,
    "v_mad_i64_i32 v[9:10], vcc, v0, v4, v[2:3]": lambda a, b, c: s(a) * s(c) + b,
}  # fmt: skip
CARRIES = {  # (result, carry) of a, b and a carry in
    "v_add_co_u32 v9, vcc, v0, v1": lambda a, b, c: (a + b, a + b > WORD), "v_sub_co_u32 v9, vcc, v0, v1": lambda a, b, c: (a - b, a < b),
    "v_subrev_co_u32 v9, vcc, v0, v1": lambda a, b, c: (b - a, b < a),
    "v_addc_co_u32 v9, vcc, v0, v1, vcc": lambda a, b, c: (a + b + c, a + b + c > WORD),
    "v_subb_co_u32 v9, vcc, v0, v1, vcc": lambda a, b, c: (a - b - c, a < b + c),
    "v_subbrev_co_u32 v9, vcc, v0, v1, vcc": lambda a, b, c: (b - a - c, b < a + c),
}  # fmt: skip


def triples(count, edges, seed):
    random = np.random.default_rng(seed)
    found = [
        [int(random.choice(edges)) if random.random() < 0.6 else int(random.integers(0, 1 << 32)) for _ in range(3)] for _ in range(count)
    ]
    return found


def through(lines, inputs, results):
    """The registers v9, v10 ... after each of some instructions. inputs: by lane, what v0, v1 ... hold. results: registers of each."""
    width, total = len(inputs[0]), sum(results)
    data = np.array(inputs, np.uint64).astype(np.uint32)
    text = ["s_load_dwordx4 s[8:11], s[4:5], 0x0", "v_mov_b32 v30, v0", f"v_mul_u32_u24 v31, {4 * width}, v30", "s_waitcnt lgkmcnt(0)"]
    text += [f"global_load_dword v{20 + n}, v31, s[8:9] offset:{4 * n}" for n in range(width)]
    text += ["s_waitcnt vmcnt(0)", "v_mov_b32 v32, 0x55550055", f"s_movk_i32 s20, {4 * total:#x}", "v_mul_lo_u32 v31, v30, s20"]
    for line, count in zip(lines, results, strict=True):
        text += [f"v_mov_b32 v{n}, v{20 + n}" for n in range(width)]
        text += ["v_mov_b32 v9, v32", "s_mov_b64 vcc, 0x0f0f0f0f", *line.split("; ")]
        for n in range(count):
            text += [f"global_store_dword v31, v{9 + n}, s[10:11]", "v_add_u32 v31, 4, v31"]
    out = run([*text, "s_endpgm"], {"x": data, "y": np.zeros(len(inputs) * total, np.uint32)}, threads=len(inputs))["y"]
    return out.reshape(len(inputs), total).tolist()


def check(lines, inputs, results, expected):
    wrong = []
    for lane, row in enumerate(through(lines, inputs, results)):
        place = 0
        for line, count in zip(lines, results, strict=True):
            got = sum(word << 32 * n for n, word in enumerate(row[place : place + count]))
            want = expected(line, lane) & (1 << 32 * count) - 1
            wrong += [(line, [hex(word) for word in inputs[lane]], hex(got), hex(want))] if got != want else []
            place += count
    assert not wrong, wrong[:5]


def test_whole_numbers():
    inputs = triples(64, EDGES, 3)
    check(list(WHOLE), inputs, [1] * len(WHOLE), lambda line, lane: WHOLE[line](*inputs[lane]))


def test_whole_numbers_of_64_bits():
    random = np.random.default_rng(4)
    wide = [0, 1, WIDE, 1 << 63, 0xFFFFFFFF, 0x123456789ABCDEF0]
    inputs = []
    for _ in range(64):
        a, b = (wide[random.integers(0, 6)] if random.random() < 0.4 else int(random.integers(0, WIDE, dtype=np.uint64)) for _ in range(2))
        inputs.append([a & WORD, a >> 32, b & WORD, b >> 32, int(random.choice([0, 1, 31, 32, 33, 63, 64, 0x87654321]))])
    of = lambda row: (row[0] | row[1] << 32, row[2] | row[3] << 32, row[4])  # noqa: E731
    check(list(PAIRS), inputs, [2] * len(PAIRS), lambda line, lane: PAIRS[line](*of(inputs[lane])))


def test_carries_are_masks():
    inputs = triples(64, EDGES, 5)
    lines = [f"{line}; v_cndmask_b32 v10, 0, 1, vcc" for line in CARRIES]

    def expected(line, lane):
        a, b, _ = inputs[lane]
        value, carry = CARRIES[line.partition(";")[0]](a, b, 0x0F0F0F0F >> lane & 1)
        return value & WORD | int(carry) << 32

    check(lines, inputs, [2] * len(lines), expected)


SIGN = 1 << 31
FLOAT_MODELS = {
    "v_add_f32 v9, v0, v1": lambda a, b, c: f(a) + f(b), "v_sub_f32 v9, v0, v1": lambda a, b, c: f(a) - f(b),
    "v_subrev_f32 v9, v0, v1": lambda a, b, c: f(b) - f(a), "v_mul_f32 v9, v0, v1": lambda a, b, c: f(a) * f(b),
    "v_add_f32 v9, -v0, |v1|": lambda a, b, c: -f(a) + abs(f(b)), "v_mul_f32 v9, v0, v1 mul:2": lambda a, b, c: r(f(a) * f(b)) * 2,
    "v_mul_f32 v9, v0, v1 div:2": lambda a, b, c: r(f(a) * f(b)) / 2,
    "v_mul_legacy_f32 v9, v0, v1": lambda a, b, c: 0.0 if f(a) == 0 or f(b) == 0 else f(a) * f(b),
    "v_mad_f32 v9, v0, v1, v2": lambda a, b, c: r(f(a) * f(b)) + f(c),
    "v_div_fixup_f32 v9, v2, v1, v0": lambda a, b, c: float(np.float64(f(a)) / np.float64(f(b))),
    "v_trunc_f32 v9, v0": lambda a, b, c: around(a, math.trunc), "v_ceil_f32 v9, v0": lambda a, b, c: around(a, math.ceil),
    "v_floor_f32 v9, v0": lambda a, b, c: around(a, math.floor), "v_rndne_f32 v9, v0": lambda a, b, c: around(a, round),
    "v_cvt_f32_i32 v9, v0": lambda a, b, c: float(s(a)), "v_cvt_f32_u32 v9, v0": lambda a, b, c: float(a),
    "v_cvt_f32_ubyte0 v9, v0": lambda a, b, c: float(a & 255), "v_cvt_f32_ubyte3 v9, v0": lambda a, b, c: float(a >> 24),
    "v_cvt_off_f32_i4 v9, v0": lambda a, b, c: s(a, 4) / 16, "v_ldexp_f32 v9, v0, 5": lambda a, b, c: f(a) * 32,
    "v_ldexp_f32 v9, v0, -3": lambda a, b, c: f(a) / 8, "v_rcp_f32 v9, v0": lambda a, b, c: float(np.float64(1) / np.float64(f(a))),
}  # fmt: skip
CONVERTED = {
    "v_cvt_i32_f32 v9, v0": lambda a: clamped(f(a), -(1 << 31), (1 << 31) - 1, math.trunc),
    "v_cvt_u32_f32 v9, v0": lambda a: clamped(f(a), 0, WORD, math.trunc),
    "v_cvt_flr_i32_f32 v9, v0": lambda a: clamped(f(a), -(1 << 31), (1 << 31) - 1, math.floor),
    "v_frexp_exp_i32_f32 v9, v0": lambda a: 0 if not math.isfinite(f(a)) else math.frexp(f(a))[1],
    "v_frexp_mant_f32 v9, v0": lambda a: a if not math.isfinite(f(a)) else bits(math.frexp(f(a))[0]),
}


def r(value):
    with np.errstate(all="ignore"):
        return float(np.float32(value))


def around(a, how):
    return f(a) if not math.isfinite(f(a)) else math.copysign(float(how(f(a))), f(a))


def clamped(value, low, high, how):
    return 0 if math.isnan(value) else low if value <= low else high if value >= high else how(value)


def test_floats():
    edges = [bits(value) for value in FLOATS]
    random = np.random.default_rng(6)
    inputs = [[int(random.choice(edges)) if random.random() < 0.7 else bits(random.normal()) for _ in range(3)] for _ in range(64)]
    lines = [*FLOAT_MODELS, *CONVERTED]

    def expected(line, lane):
        with np.errstate(all="ignore"):
            if line in CONVERTED:
                return CONVERTED[line](inputs[lane][0])
            return bits(FLOAT_MODELS[line](*inputs[lane]))

    check(lines, inputs, [1] * len(lines), expected)


NAMES = ("f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru")


def holds(name, x, y):
    ordered = x == x and y == y
    plain = {"f": False, "lt": x < y, "eq": x == y, "le": x <= y, "gt": x > y, "lg": x < y or x > y, "ge": x >= y, "o": ordered, "t": True}
    if name in plain:
        return plain[name]
    return {"u": not ordered, "tru": True, "ne": x != y}.get(name) if name in ("u", "tru", "ne") else not plain[name[1:]]


def test_comparisons_give_masks():
    edges = [bits(value) for value in FLOATS] + [0, 1, WORD, 1 << 31]
    inputs = triples(64, edges, 7)
    lines = [f"v_cmp_{name}_f32 vcc, v0, v1; v_cndmask_b32 v9, 0, 1, vcc" for name in NAMES]
    whole = [f"v_cmp_{name}_{kind}{size} vcc, {'v[0:1], v[1:2]' if size == 64 else 'v0, v1'}; v_cndmask_b32 v9, 0, 1, vcc"
             for name in ("f", "lt", "eq", "le", "gt", "ne", "ge", "t") for kind in "iu" for size in (16, 32, 64)]  # fmt: skip

    def expected(line, lane):
        a, b, c = inputs[lane]
        name, kind = line.split()[0].split("_")[2:]
        if kind == "f32":
            return int(holds(name, f(a), f(b)))
        size = int(kind[1:])
        x, y = (a | b << 32, b | c << 32) if size == 64 else (a & (1 << size) - 1, b & (1 << size) - 1)
        return int(holds(name, *((s(x, size), s(y, size)) if kind[0] == "i" else (x, y))))

    check([*lines, *whole], inputs, [1] * (len(lines) + len(whole)), expected)


def test_lanes_that_are_not_active_have_0_in_a_mask_and_keep_their_registers():
    lines = [
        "s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v5, 3, v0", "v_mov_b32 v1, 7", "v_mov_b32 v2, 0", "s_waitcnt lgkmcnt(0)",
        "s_mov_b64 s[10:11], exec", "s_mov_b64 exec, 0xff00", "v_cmp_ge_u32 vcc, v0, v0", "v_mov_b32 v1, 9", "s_mov_b64 exec, s[10:11]",
        "v_cndmask_b32 v2, 0, 1, vcc", "global_store_dword v5, v1, s[8:9]", "global_store_dword v5, v2, s[8:9] offset:4", "s_endpgm",
    ]  # fmt: skip
    out = run(lines, {"out": np.zeros(128, np.uint32)})["out"].reshape(64, 2).tolist()
    assert out == [[9, 1] if 8 <= lane < 16 else [7, 0] for lane in range(64)]


@pytest.mark.parametrize(("mask", "first"), [(WIDE, 0), (1 << 5, 5), (0b1100 << 40, 42), (0, 0)])
def test_words_go_between_lanes_and_the_scalar_unit_whatever_exec_says(mask, first):
    lines = [
        "s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v5, 2, v0", "v_add_u32 v1, 100, v0", "s_mov_b64 s[10:11], exec",
        f"s_mov_b32 exec_lo, {mask & WORD:#x}", f"s_mov_b32 exec_hi, {mask >> 32:#x}", "v_readfirstlane_b32 s20, v1",
        "v_readlane_b32 s21, v1, 63", "s_movk_i32 s22, 0x47", "v_readlane_b32 s22, v1, s22", "v_writelane_b32 v1, s20, 1",
        "v_writelane_b32 v1, s21, 2", "v_writelane_b32 v1, s22, 3", "s_mov_b64 exec, s[10:11]", "s_waitcnt lgkmcnt(0)",
        "global_store_dword v5, v1, s[8:9]", "s_endpgm",
    ]  # fmt: skip
    out = run(lines, {"out": np.zeros(64, np.uint32)})["out"].tolist()
    assert out[:4] == [100, 100 + first, 163, 107] and out[4:] == list(range(104, 164))


def test_data_moves_between_lanes():
    """ds_bpermute and ds_swizzle read 0 from lanes that are not active; DPP keeps what has no source, or takes 0 with bound_ctrl."""
    lines = [
        "s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v5, 2, v0", "v_add_u32 v1, 100, v0", "v_sub_u32 v2, 63, v0",
        "v_lshlrev_b32 v2, 2, v2", "v_mov_b32 v3, 7", "v_mov_b32 v4, 7", "v_mov_b32 v6, 7", "v_mov_b32 v7, 7", "v_mov_b32 v8, 7",
        "s_mov_b64 s[10:11], exec", "s_andn2_b64 exec, exec, 1", "ds_bpermute_b32 v3, v2, v1",
        'ds_swizzle_b32 v4, v1 offset:swizzle(BITMASK_PERM,"pppp0")', "s_mov_b64 exec, s[10:11]",
        "v_mov_b32_dpp v6, v1 row_shr:1 row_mask:0xf bank_mask:0xf", "v_mov_b32_dpp v7, v1 quad_perm:[1,0,3,2] row_mask:0x5 bank_mask:0xf",
        "v_add_u32_dpp v8, v1, v1 row_shl:15 row_mask:0xf bank_mask:0xf bound_ctrl:0", "s_waitcnt lgkmcnt(0)",
        *(f"global_store_dword v5, v{register}, s[8:9] offset:{256 * place}" for place, register in enumerate((3, 4, 6, 7, 8))), "s_endpgm",
    ]  # fmt: skip
    out = run(lines, {"out": np.zeros(320, np.uint32)})["out"].reshape(5, 64).tolist()
    assert out[0] == [7] + [163 - lane for lane in range(1, 63)] + [0]
    assert out[1] == [7, 0] + [100 + (lane & ~1) for lane in range(2, 64)]
    assert out[2] == [99 + lane if lane % 16 else 7 for lane in range(64)]
    assert out[3] == [100 + (lane ^ 1) if lane // 16 in (0, 2) else 7 for lane in range(64)]
    assert out[4] == [100 + lane + (115 + lane if lane % 16 == 0 else 0) for lane in range(64)]


def test_ones_below_a_lane_are_counted():
    lines = [
        "s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v5, 2, v0", "v_mov_b32 v2, 0xf0f0f0f0", "v_mov_b32 v3, 0xff00ff",
        "v_mbcnt_lo_u32_b32 v1, v2, 10", "v_mbcnt_hi_u32_b32 v1, v3, v1", "s_waitcnt lgkmcnt(0)", "global_store_dword v5, v1, s[8:9]",
        "s_endpgm",
    ]  # fmt: skip
    mask = 0xFF00FF << 32 | 0xF0F0F0F0
    assert run(lines, {"out": np.zeros(64, np.uint32)})["out"].tolist() == [10 + bin(mask & (1 << n) - 1).count("1") for n in range(64)]
