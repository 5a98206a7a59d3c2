"""The vector unit's instructions on floats, and conversions: VOP1, VOP2, VOP3, VOP3P.

What each does is in `floats.py`, of 16 bits in `halves.py`, of 64 bits in `wide_floats.py` too.
"""

from __future__ import annotations

from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.vector import conversions, floats, graphics, halves, wide_floats
from warploom.isa.gcn.vector.floats import DOWN, NEAREST, TO_ZERO, UP
from warploom.isa.gcn.vector.vector_alu import Lower, plain
from warploom.isa.uop import L_FMA, L_SPECIAL

_HALVES_OF_ONE = (
    ("rcp", 61, halves.plain("frcp", "a"), "1 / a"), ("sqrt", 62, halves.plain("fsqrt", "a"), "square root of a"),
    ("rsq", 63, halves.plain("frsqrt", "a"), "1 / square root of a"), ("log", 64, halves.plain("flog2", "a"), "logarithm of a to base 2"),
    ("exp", 65, halves.plain("fexp2", "a"), "2 to the power a"),
    ("floor", 68, halves.rounded(DOWN), "the largest whole number not above a"),
    ("ceil", 69, halves.rounded(UP), "the smallest whole number not below a"),
    ("trunc", 70, halves.rounded(TO_ZERO), "a without its fraction"),
    ("rndne", 71, halves.rounded(NEAREST), "the nearest whole number"), ("fract", 72, halves.fraction, "a - floor(a)"),
)  # fmt: skip
_HALVES_OF_TWO = (
    ("add", 31, halves.plain("fadd"), "a + b"), ("sub", 32, halves.plain("fsub"), "a - b"),
    ("subrev", 33, halves.plain("fsub", "ba"), "b - a"),
    ("mul", 34, halves.plain("fmul"), "a * b"), ("mac", 35, halves.multiply_add("abd"), "a * b + d"),
    ("max", 45, halves.plain("fmax"), "the larger"), ("min", 46, halves.plain("fmin"), "the smaller"),
    ("ldexp", 51, halves.scale, "a times 2 to the power b"),
)  # fmt: skip
_HALVES_OF_THREE = (
    ("mad_legacy", 490, halves.multiply_add(), "a * b + c, rounded twice"), ("fma_legacy", 494, halves.fma, "a * b + c, rounded once"),
    ("div_fixup_legacy", 495, halves.divide_fix, "c / b, at the end of a division"),
    ("min3", 500, halves.chain("fmin", "fmin"), "the smallest"), ("max3", 503, halves.chain("fmax", "fmax"), "the largest"),
    ("med3", 506, halves.median, "the one between"), ("mad", 515, halves.multiply_add(), "a * b + c, rounded twice"),
    ("fma", 518, halves.fma, "a * b + c, rounded once"), ("div_fixup", 519, halves.divide_fix, "c / b, at the end of a division"),
)  # fmt: skip

_PACKED = (("fma", 14, "fma", "a * b + c, rounded once"), ("add", 15, "fadd", "a + b"), ("mul", 16, "fmul", "a * b"),
           ("min", 17, "fmin", "the smaller"), ("max", 18, "fmax", "the larger"))  # fmt: skip
# In Vega; what is called legacy there is GCN 3's, which writes zeros. Those of three write zeros above a low half (LLVM,
# AMDGPUISelDAGToDAG.cpp, fp16SrcZerosHighBits), and so do mac, madak and madmk, but on processors before Vega only.
_KEEPING = ("mad", "fma", "div_fixup", "min3", "max3", "med3")
_ZERO_ABOVE = ("min3", "max3", "med3")
_VEGA_KEEPS = ("mac", "madak", "madmk")


def _rows() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, floats: int = 32, operands: str = "d a") -> Row:
        return Row("v_" + name, "VOP1", opcode, operands, lower, meaning, floats=floats)

    def two(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b", floats: int = 32) -> Row:
        keeps = floats == 16 and name.removesuffix("_f16") in _VEGA_KEEPS
        return Row("v_" + name, "VOP2", opcode, operands, lower, meaning, floats=floats, vega_keeps=keeps)

    def three(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b c", floats: int = 32) -> Row:
        kind, halves = name.removesuffix("_f16") if floats == 16 else "", name.startswith("cvt_pknorm") and floats == 16
        return Row("v_" + name, "VOP3", opcode, operands, lower, meaning, floats=floats, keeps_half=kind in _KEEPING,
                   zeros_above=kind in _ZERO_ABOVE, half_sources=halves)  # fmt: skip

    return [
        one("cvt_i32_f64", 3, conversions.from_wide("d2i", True), "d = a as a signed integer, towards zero; of NaN 0", 64, "d a2"),
        one("cvt_f64_i32", 4, conversions.to_wide("i2d"), "d = the signed integer a as a float", 0, "d2 a"),
        one("cvt_f32_i32", 5, plain("i2f"), "d = the signed integer a as a float", 0),
        one("cvt_f32_u32", 6, plain("u2f"), "d = the unsigned integer a as a float", 0),
        one("cvt_u32_f32", 7, conversions.to_whole("f2u"), "d = a as an unsigned integer, towards zero; of NaN 0"),
        one("cvt_i32_f32", 8, conversions.to_whole("f2i"), "d = a as a signed integer, towards zero; of NaN 0"),
        one("cvt_f16_f32", 10, plain("f2h"), "d = a as a 16-bit float"),
        one("cvt_f32_f16", 11, plain("h2f"), "d = the 16-bit float a", 16),
        one("cvt_rpi_i32_f32", 12, conversions.to_whole("f2i", DOWN, True), "d = floor(a + 0.5)"),
        one("cvt_flr_i32_f32", 13, conversions.to_whole("f2i", DOWN), "d = floor(a)"),
        one("cvt_off_f32_i4", 14, conversions.from_nibble, "d = the signed low four bits of a, in sixteenths", 0),
        one("cvt_f32_f64", 15, conversions.from_wide("d2f"), "d = a as a 32-bit float", 64, "d a2"),
        one("cvt_f64_f32", 16, conversions.to_wide("f2d"), "d = a as a 64-bit float", 32, "d2 a"),
        *(one(f"cvt_f32_ubyte{n}", 17 + n, conversions.from_byte(n), f"d = byte {n} of a as a float", 0) for n in range(4)),
        one("cvt_u32_f64", 21, conversions.from_wide("d2u", True), "d = a as an unsigned integer, towards zero; of NaN 0", 64, "d a2"),
        one("cvt_f64_u32", 22, conversions.to_wide("u2d"), "d = the unsigned integer a as a float", 0, "d2 a"),
        one("fract_f32", 27, floats.fraction, "d = a - floor(a)"),
        one("trunc_f32", 28, floats.rounded(TO_ZERO), "d = a without its fraction"),
        one("ceil_f32", 29, floats.rounded(UP), "d = the smallest whole number not below a"),
        one("rndne_f32", 30, floats.rounded(NEAREST), "d = the nearest whole number, of two the even one"),
        one("floor_f32", 31, floats.rounded(DOWN), "d = the largest whole number not above a"),
        one("exp_f32", 32, plain("fexp2"), "d = 2 to the power a"),
        one("log_f32", 33, plain("flog2"), "d = logarithm of a to base 2"),
        one("rcp_f32", 34, plain("frcp", latency=L_SPECIAL), "d = 1 / a"),
        one("rcp_iflag_f32", 35, plain("frcp", latency=L_SPECIAL), "d = 1 / a, for divisions of integers"),
        one("rsq_f32", 36, plain("frsqrt"), "d = 1 / square root of a"),
        one("sqrt_f32", 39, plain("fsqrt", latency=L_SPECIAL), "d = square root of a"),
        one("sin_f32", 41, floats.angle("fsin"), "d = sine of a revolutions"),
        one("cos_f32", 42, floats.angle("fcos"), "d = cosine of a revolutions"),
        one("frexp_exp_i32_f32", 51, floats.exponent, "d = exponent of a, whose mantissa is from 0.5 to 1"),
        one("frexp_mant_f32", 52, floats.mantissa, "d = mantissa of a, from 0.5 to 1"),
        two("add_f32", 1, plain("fadd"), "d = a + b"),
        two("sub_f32", 2, plain("fsub"), "d = a - b"),
        two("subrev_f32", 3, plain("fsub", True), "d = b - a"),
        two("mul_legacy_f32", 4, graphics.legacy_multiply, "d = a * b; 0 times anything is 0"),
        two("mul_f32", 5, plain("fmul"), "d = a * b"),
        two("min_f32", 10, plain("fmin"), "d = the smaller; the other one where one is NaN"),
        two("max_f32", 11, plain("fmax"), "d = the larger; the other one where one is NaN"),
        two("mac_f32", 22, floats.accumulate("fmad"), "d = a * b + d, rounded twice"),
        two("madmk_f32", 23, floats.with_literal(False), "d = a * number + b, rounded twice", "d a literal b"),
        two("madak_f32", 24, floats.with_literal(True), "d = a * b + number, rounded twice", "d a b literal"),
        *(one(f"{name}_f16", opcode, lower, f"d = {meaning}, 16-bit floats", 16) for name, opcode, lower, meaning in _HALVES_OF_ONE),
        *(two(f"{name}_f16", opcode, lower, f"d = {meaning}, 16-bit floats", floats=16) for name, opcode, lower, meaning in _HALVES_OF_TWO),
        two("madmk_f16", 36, halves.with_literal(False), "d = a * number + b, 16-bit floats", "d a literal b", 16),
        two("madak_f16", 37, halves.with_literal(True), "d = a * b + number, 16-bit floats", "d a b literal", 16),
        *(three(f"{name}_f16", opcode, lower, f"d = {meaning}, 16-bit floats", floats=16)
          for name, opcode, lower, meaning in _HALVES_OF_THREE),
        one("cvt_f16_u16", 57, halves.from_whole("u2f", False), "d = the unsigned half a as a 16-bit float", 0),
        one("cvt_f16_i16", 58, halves.from_whole("i2f", True), "d = the signed half a as a 16-bit float", 0),
        one("cvt_u16_f16", 59, halves.to_whole("f2u", False), "d = the 16-bit float a as unsigned 16 bits; of NaN 0", 16),
        one("cvt_i16_f16", 60, halves.to_whole("f2i", True), "d = the 16-bit float a as signed 16 bits; of NaN 0", 16),
        one("trunc_f64", 23, wide_floats.rounded_wide("zero"), "d = a without its fraction", 64, "d2 a2"),
        one("ceil_f64", 24, wide_floats.rounded_wide("up"), "d = the smallest whole number not below a", 64, "d2 a2"),
        one("rndne_f64", 25, wide_floats.rounded_wide("nearest"), "d = the nearest whole number, of two the even one", 64, "d2 a2"),
        one("floor_f64", 26, wide_floats.rounded_wide("down"), "d = the largest whole number not above a", 64, "d2 a2"),
        one("rcp_f64", 37, wide_floats.reciprocal_wide(False), "d = 1 / a", 64, "d2 a2"),
        one("rsq_f64", 38, wide_floats.reciprocal_wide(True), "d = 1 / square root of a", 64, "d2 a2"),
        one("sqrt_f64", 40, wide_floats.root_wide, "d = square root of a", 64, "d2 a2"),
        one("frexp_exp_i32_f64", 48, wide_floats.exponent_wide, "d = exponent of a, whose mantissa is from 0.5 to 1", 64, "d a2"),
        one("frexp_mant_f64", 49, wide_floats.mantissa_wide, "d = mantissa of a, from 0.5 to 1", 64, "d2 a2"),
        one("fract_f64", 50, wide_floats.fraction_wide, "d = a - floor(a)", 64, "d2 a2"),
        three("mad_legacy_f32", 448, graphics.legacy_multiply_add, "d = a * b + c; 0 times anything is 0"),
        three("mad_f32", 449, plain("fmad"), "d = a * b + c, rounded twice"),
        three("cubeid_f32", 452, graphics.face, "d = number of the face of a cube that the direction a, b, c meets"),
        three("cubesc_f32", 453, graphics.across, "d = place on that face from left to right, times |cubema|"),
        three("cubetc_f32", 454, graphics.down, "d = place on that face from top to bottom, times |cubema|"),
        three("cubema_f32", 455, graphics.major, "d = twice the largest of a, b and c"),
        three("fma_f32", 459, plain("fma"), "d = a * b + c, rounded once"),
        three("fma_f64", 460, floats.wide("dfma"), "d = a * b + c, rounded once", "d2 a2 b2 c2", 64),
        three("min3_f32", 464, floats.chain("fmin", "fmin"), "d = the smallest"),
        three("max3_f32", 467, floats.chain("fmax", "fmax"), "d = the largest"),
        three("med3_f32", 470, floats.median, "d = the one between"),
        three("div_fixup_f32", 478, floats.divide_fix, "d = c / b, at the end of a division"),
        three("div_fixup_f64", 479, floats.divide_fix_wide, "d = c / b, at the end of a division", "d2 a2 b2 c2", 64),
        three("div_scale_f32", 480, floats.divide_scale, "d = a, scaled for a division of c by b; mask = it was", "d em a b c"),
        three("div_scale_f64", 481, floats.divide_scale_wide, "d = a, scaled for a division; mask = it was", "d2 em a2 b2 c2", 64),
        three("div_fmas_f32", 482, plain("fma", latency=L_FMA), "d = a * b + c, scaled back where VCC says so"),
        three("div_fmas_f64", 483, floats.wide("dfma"), "d = a * b + c, scaled back where VCC says so", "d2 a2 b2 c2", 64),
        three("add_f64", 640, floats.wide("dadd"), "d = a + b", "d2 a2 b2", 64),
        three("mul_f64", 641, floats.wide("dmul"), "d = a * b", "d2 a2 b2", 64),
        three("min_f64", 642, floats.wide("dmin"), "d = the smaller", "d2 a2 b2", 64),
        three("max_f64", 643, floats.wide("dmax"), "d = the larger", "d2 a2 b2", 64),
        three("ldexp_f64", 644, floats.scale_wide, "d = a times 2 to the power b", "d2 a2 b", 64),
        three("ldexp_f32", 648, floats.scale_float, "d = a times 2 to the power b", "d a b"),
        three("cvt_pk_u8_f32", 477, conversions.pack_byte, "d = c, its byte b being the whole number nearest to a, 0 to 255", "d a b c"),
        three("cvt_pknorm_i16_f32", 660, conversions.pack_fractions(True), "d = a and b, -1 to 1, as -32767 to 32767", "d a b"),
        three("cvt_pknorm_u16_f32", 661, conversions.pack_fractions(False), "d = a and b, 0 to 1, as 0 to 65535", "d a b"),
        three("cvt_pkrtz_f16_f32", 662, conversions.pack_halves, "d = a and b as 16-bit floats, towards zero", "d a b"),
        one("frexp_mant_f16", 66, halves.mantissa, "d = mantissa of a, from 0.5 to 1, 16-bit floats", 16),
        one("frexp_exp_i16_f16", 67, halves.exponent, "d = exponent of a 16-bit float, whose mantissa is from 0.5 to 1", 16),
        one("sin_f16", 73, halves.angle("fsin"), "d = sine of a revolutions, 16-bit floats", 16),
        one("cos_f16", 74, halves.angle("fcos"), "d = cosine of a revolutions, 16-bit floats", 16),
        one("exp_legacy_f32", 75, plain("fexp2"), "d = 2 to the power a"),
        one("log_legacy_f32", 76, plain("flog2"), "d = logarithm of a to base 2"),
        one("cvt_norm_i16_f16", 77, halves.norm(True), "d = a, -1 to 1, as -32767 to 32767", 16),
        one("cvt_norm_u16_f16", 78, halves.norm(False), "d = a, 0 to 1, as 0 to 65535", 16),
        three("cvt_pkaccum_u8_f32", 496, conversions.pack_byte, "d, its byte b being the whole number nearest to a, 0 to 255", "d a b"),
        three("cvt_pknorm_i16_f16", 665, halves.pack_norms(True), "d = a and b, -1 to 1, as -32767 to 32767", "d a b", 16),
        three("cvt_pknorm_u16_f16", 666, halves.pack_norms(False), "d = a and b, 0 to 1, as 0 to 65535", "d a b", 16),
        *(Row(f"v_pk_{name}_f16", "VOP3P", opcode, "d a b c" if name == "fma" else "d a b", halves.packed(operation),
              f"d = {meaning}, of two 16-bit floats at once", floats=16) for name, opcode, operation, meaning in _PACKED),
        Row("v_mad_mix_f32", "VOP3P", 32, "d a b c", halves.mixed(None), "d = a * b + c, sources of 16 or 32 bits", floats=32),
        Row("v_mad_mixlo_f16", "VOP3P", 33, "d a b c", halves.mixed(0), "low half of d = a * b + c, sources of 16 or 32 bits", floats=32),
        Row("v_mad_mixhi_f16", "VOP3P", 34, "d a b c", halves.mixed(1), "high half of d = a * b + c, sources of 16 or 32 bits", floats=32),
    ]  # fmt: skip


ROWS = tuple(_rows())
