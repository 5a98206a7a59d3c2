"""The vector unit's instructions on whole numbers, and those between lanes and the scalar unit: VOP1, VOP2, VOP3.

What each does is in `vector_alu.py`, with carries and 64 bits in `carry_alu.py`, of 16 bits in `half_integers.py`, of bytes in
`byte_alu.py`.
"""

from __future__ import annotations

from warploom.isa.gcn.code import Code, Number
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.vector import byte_alu, carry_alu, half_integers
from warploom.isa.gcn.vector import vector_alu as alu
from warploom.isa.gcn.vector.vector_alu import Lower
from warploom.isa.uop import L_MULTIPLY

_PACKED = (
    ("mad_i16", 0, "mad", "abc", "a * b + c"), ("mul_lo_u16", 1, "mul", "ab", "a * b"), ("add_i16", 2, "add", "ab", "a + b"),
    ("sub_i16", 3, "sub", "ab", "a - b"), ("lshlrev_b16", 4, "shl", "ba", "b << (a & 15)"),
    ("lshrrev_b16", 5, "shr", "ba", "b >> (a & 15), zeros come in"), ("ashrrev_i16", 6, "sra", "ba", "b >> (a & 15), the sign comes in"),
    ("max_i16", 7, "max", "ab", "the larger, signed"), ("min_i16", 8, "min", "ab", "the smaller, signed"),
    ("mad_u16", 9, "mad", "abc", "a * b + c"), ("add_u16", 10, "add", "ab", "a + b"), ("sub_u16", 11, "sub", "ab", "a - b"),
    ("max_u16", 12, "maxu", "ab", "the larger, unsigned"), ("min_u16", 13, "minu", "ab", "the smaller, unsigned"),
)  # fmt: skip


def _halves() -> list[Row]:
    """Vega's instructions with a result of 16 bits that keep the other half of its register. Those of three of integers do, unlike those of
    floats: LLVM counts on zeros above min3_f16 (fp16SrcZerosHighBits), and writes an `and` with 0xffff after min3_u16, but none after
    max_u16, whose zeros it knows (GCNSubtarget, zeroesHigh16BitsOfDest)."""
    rows = [("mad_u16", 516, half_integers.half("mad"), "a * b + c", "d a b c"),
            ("mad_i16", 517, half_integers.half("mad", signed=True), "a * b + c", "d a b c"),
            ("add_i16", 670, half_integers.half("add", signed=True), "a + b", "d a b"),
            ("sub_i16", 671, half_integers.half("sub", signed=True), "a - b", "d a b")]  # fmt: skip
    for letter, signed, low, high in (("i", True, "min", "max"), ("u", False, "minu", "maxu")):
        first = 501 if signed else 502
        rows.append((f"min3_{letter}16", first, half_integers.of_three(low, low, signed), "the smallest", "d a b c"))
        rows.append((f"max3_{letter}16", first + 3, half_integers.of_three(high, high, signed), "the largest", "d a b c"))
        rows.append((f"med3_{letter}16", first + 6, half_integers.median(signed), "the one between", "d a b c"))
    return [Row(f"v_{name}", "VOP3", opcode, operands, lower, f"half of d = {meaning}, 16 bits", keeps_half=True)
            for name, opcode, lower, meaning, operands in rows]  # fmt: skip


def _rows() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a") -> Row:
        return Row("v_" + name, "VOP1", opcode, operands, lower, meaning)

    def two(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b") -> Row:
        return Row("v_" + name, "VOP2", opcode, operands, lower, meaning)

    def three(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b c", floats: int = 0, halves: bool = False) -> Row:
        return Row("v_" + name, "VOP3", opcode, operands, lower, meaning, floats=floats, half_sources=halves)

    def nothing(code: Code) -> None:
        code.lane("mov", Number(0))

    return [
        Row("v_nop", "VOP1", 0, "", nothing, "nothing", only_short=True),
        one("mov_b32", 1, alu.plain("mov"), "d = a"),
        Row("v_readfirstlane_b32", "VOP1", 2, "ds a", alu.read_first, "scalar d = a of the lowest active lane, of lane 0 where none is",
            only_short=True),
        one("not_b32", 43, alu.complement, "d = ~a"),
        one("bfrev_b32", 44, alu.plain("brev"), "d = a, its bits in reverse"),
        one("ffbh_u32", 45, alu.first_bit("clz"), "d = zeros above the highest one; -1: none"),
        one("ffbl_b32", 46, alu.first_bit("ctz"), "d = number of the lowest one; -1: none"),
        one("ffbh_i32", 47, alu.first_bit("clz", True), "d = bits above the highest one that is not the sign; -1: none"),
        Row("v_clrexcp", "VOP1", 53, "", nothing, "forgets exceptions: nothing here", only_short=True),
        Row("v_swap_b32", "VOP1", 81, "d a", alu.swap, "d and a change places", only_short=True),
        Row("v_cndmask_b32", "VOP2", 0, "d a b cm", alu.select_lane, "d = mask ? b : a", floats=32),
        two("mul_i32_i24", 6, alu.multiply_24(True, False), "d = low 32 bits of the product of 24 bits each, signed"),
        two("mul_hi_i32_i24", 7, alu.multiply_24(True, True), "d = high 32 bits of such a product"),
        two("mul_u32_u24", 8, alu.multiply_24(False, False), "d = low 32 bits of the product of 24 bits each, unsigned"),
        two("mul_hi_u32_u24", 9, alu.multiply_24(False, True), "d = high 32 bits of such a product"),
        two("min_i32", 12, alu.plain("min"), "d = the smaller, signed"),
        two("max_i32", 13, alu.plain("max"), "d = the larger, signed"),
        two("min_u32", 14, alu.plain("minu"), "d = the smaller, unsigned"),
        two("max_u32", 15, alu.plain("maxu"), "d = the larger, unsigned"),
        two("lshrrev_b32", 16, alu.plain("shr", True), "d = b >> (a & 31), zeros come in"),
        two("ashrrev_i32", 17, alu.plain("sra", True), "d = b >> (a & 31), the sign comes in"),
        two("lshlrev_b32", 18, alu.plain("shl", True), "d = b << (a & 31)"),
        two("and_b32", 19, alu.plain("and"), "d = a & b"),
        two("or_b32", 20, alu.plain("or"), "d = a | b"),
        two("xor_b32", 21, alu.plain("xor"), "d = a ^ b"),
        two("add_co_u32", 25, carry_alu.carrying(False), "d = a + b; mask = carry", "d em a b"),
        two("sub_co_u32", 26, carry_alu.carrying(True), "d = a - b; mask = borrow", "d em a b"),
        two("subrev_co_u32", 27, carry_alu.carrying(True, True), "d = b - a; mask = borrow", "d em a b"),
        two("addc_co_u32", 28, carry_alu.carrying(False, carry_in=True), "d = a + b + a mask's bit; mask = carry", "d em a b cm"),
        two("subb_co_u32", 29, carry_alu.carrying(True, carry_in=True), "d = a - b - a mask's bit; mask = borrow", "d em a b cm"),
        two("subbrev_co_u32", 30, carry_alu.carrying(True, True, True), "d = b - a - a mask's bit; mask = borrow", "d em a b cm"),
        two("add_u16", 38, half_integers.half("add"), "d = a + b, 16 bits"),
        two("sub_u16", 39, half_integers.half("sub"), "d = a - b, 16 bits"),
        two("subrev_u16", 40, half_integers.half("sub", True), "d = b - a, 16 bits"),
        two("mul_lo_u16", 41, half_integers.half("mul"), "d = a * b, 16 bits"),
        two("lshlrev_b16", 42, half_integers.half("shl", True, shift=True), "d = b << (a & 15), 16 bits"),
        two("lshrrev_b16", 43, half_integers.half("shr", True, shift=True), "d = b >> (a & 15), 16 bits, zeros come in"),
        two("ashrrev_i16", 44, half_integers.half("sra", True, True, shift=True), "d = b >> (a & 15), 16 bits, the sign comes in"),
        two("max_u16", 47, half_integers.half("maxu"), "d = the larger of 16 bits, unsigned"),
        two("max_i16", 48, half_integers.half("max", signed=True), "d = the larger of 16 bits, signed"),
        two("min_u16", 49, half_integers.half("minu"), "d = the smaller of 16 bits, unsigned"),
        two("min_i16", 50, half_integers.half("min", signed=True), "d = the smaller of 16 bits, signed"),
        two("add_u32", 52, carry_alu.saturating(False), "d = a + b"),
        two("sub_u32", 53, carry_alu.saturating(True), "d = a - b"),
        two("subrev_u32", 54, carry_alu.saturating(True, swapped=True), "d = b - a"),
        three("mad_i32_i24", 450, alu.multiply_24(True, False, True), "d = a * b + c, factors of 24 bits, signed"),
        three("mad_u32_u24", 451, alu.multiply_24(False, False, True), "d = a * b + c, factors of 24 bits, unsigned"),
        three("bfe_u32", 456, alu.bit_field(False), "d = c bits of a from bit b on"),
        three("bfe_i32", 457, alu.bit_field(True), "d = c bits of a from bit b on, with their sign"),
        three("bfi_b32", 458, alu.bit_field_insert, "d = b where a has ones, c elsewhere"),
        three("alignbit_b32", 462, alu.align(False), "d = low 32 bits of a (high), b (low) >> c"),
        three("alignbyte_b32", 463, alu.align(True), "d = low 32 bits of a (high), b (low) >> 8 * c"),
        three("min3_i32", 465, alu.chain("min", "min"), "d = the smallest, signed"),
        three("min3_u32", 466, alu.chain("minu", "minu"), "d = the smallest, unsigned"),
        three("max3_i32", 468, alu.chain("max", "max"), "d = the largest, signed"),
        three("max3_u32", 469, alu.chain("maxu", "maxu"), "d = the largest, unsigned"),
        three("med3_i32", 471, alu.median(True), "d = the one between, signed"),
        three("med3_u32", 472, alu.median(False), "d = the one between, unsigned"),
        three("sad_u8", 473, byte_alu.distance_of_bytes, "d = c + the sum of the distances of four bytes"),
        three("msad_u8", 484, byte_alu.distance_of_masked_bytes, "d = c + the sum of the distances of those bytes that are not 0 in b"),
        three("lerp_u8", 461, byte_alu.mean_of_bytes, "d = means of four bytes, halves rounded up where the byte of c is odd"),
        three("sad_u32", 476, alu.distance, "d = c + |a - b|, unsigned"),
        three("mad_u64_u32", 488, carry_alu.multiply_add_wide(False), "d = a * b + c, 64 bits; mask = carry", "d2 em a b c2"),
        three("mad_i64_i32", 489, carry_alu.multiply_add_wide(True), "d = a * b + c, 64 bits, signed; mask = carry", "d2 em a b c2"),
        three("mad_legacy_u16", 491, half_integers.half("mad"), "d = a * b + c, 16 bits"),
        three("mad_legacy_i16", 492, half_integers.half("mad", signed=True), "d = a * b + c, 16 bits"),
        three("perm_b32", 493, byte_alu.permute_bytes, "d = four of the bytes of a and b, as c says"),
        three("xad_u32", 499, alu.chain("xor", "add"), "d = (a ^ b) + c"),
        three("lshl_add_u32", 509, alu.chain("shl", "add"), "d = (a << b) + c"),
        three("add_lshl_u32", 510, alu.chain("add", "shl"), "d = (a + b) << c"),
        three("add3_u32", 511, alu.chain("add", "add"), "d = a + b + c"),
        three("lshl_or_b32", 512, alu.chain("shl", "or"), "d = (a << b) | c"),
        three("and_or_b32", 513, alu.chain("and", "or"), "d = (a & b) | c"),
        three("or3_b32", 514, alu.chain("or", "or"), "d = a | b | c"),
        three("mul_lo_u32", 645, alu.plain("mul", latency=L_MULTIPLY), "d = low 32 bits of a * b", "d a b"),
        three("mul_hi_u32", 646, alu.plain("mulhu", latency=L_MULTIPLY), "d = high 32 bits of a * b, unsigned", "d a b"),
        three("mul_hi_i32", 647, alu.plain("mulh", latency=L_MULTIPLY), "d = high 32 bits of a * b, signed", "d a b"),
        three("readlane_b32", 649, alu.read_lane, "scalar d = a of lane b", "ds a b"),
        three("writelane_b32", 650, alu.write_lane, "lane b of d = a, active or not", "d a b"),
        three("bcnt_u32_b32", 651, alu.bit_count, "d = ones in a, plus b", "d a b"),
        three("mbcnt_lo_u32_b32", 652, alu.below(False), "d = ones in a below this lane, plus b: the lower half of a mask", "d a b"),
        three("mbcnt_hi_u32_b32", 653, alu.below(True), "d = ones in a below this lane, plus b: the upper half", "d a b"),
        three("lshlrev_b64", 655, carry_alu.shift_wide("shl"), "d = b << (a & 63)", "d2 a b2"),
        three("lshrrev_b64", 656, carry_alu.shift_wide("shr"), "d = b >> (a & 63), zeros come in", "d2 a b2"),
        three("ashrrev_i64", 657, carry_alu.shift_wide("sra"), "d = b >> (a & 63), the sign comes in", "d2 a b2"),
        three("bfm_b32", 659, alu.bit_field_mask, "d = a ones from bit b on", "d a b"),
        three("add_i32", 668, carry_alu.saturating(False, signed=True), "d = a + b", "d a b"),
        three("sub_i32", 669, carry_alu.saturating(True, signed=True), "d = a - b", "d a b"),
        three("sad_hi_u8", 474, byte_alu.distance_in_high_half, "d = c + the sum of the distances of four bytes, times 65536"),
        three("sad_u16", 475, byte_alu.distance_of_halves, "d = c + the sum of the distances of both halves"),
        three("cvt_pk_u16_u32", 663, half_integers.saturated_pair(False), "d = a and b as 16 bits, at most 65535", "d a b"),
        three("cvt_pk_i16_i32", 664, half_integers.saturated_pair(True), "d = a and b as signed 16 bits, -32768 to 32767", "d a b"),
        one("sat_pk_u8_i16", 79, half_integers.bytes_of_halves, "d = the signed halves of a as unsigned bytes, 0 to 255"),
        three("mad_u32_u16", 497, half_integers.multiply_add_into_word(False), "d = a * b + c, factors of 16 bits, unsigned", halves=True),
        three("mad_i32_i16", 498, half_integers.multiply_add_into_word(True), "d = a * b + c, factors of 16 bits, signed", halves=True),
        three("pack_b32_f16", 672, half_integers.pack, "d = b (high), a (low), 16 bits each", "d a b", 16, True),
        *_halves(),
        *(Row(f"v_pk_{name}", "VOP3P", opcode, "d a b c" if operation == "mad" else "d a b",
              half_integers.packed(operation, letters, "_i" in name, "sh" in name), f"d = {meaning}, of two halves at once")
          for name, opcode, operation, letters, meaning in _PACKED),
    ]  # fmt: skip


ROWS = tuple(_rows())
