"""The scalar unit's instructions: SOP2, SOP1, SOPC, SOPK. What each does is in `scalar_alu.py`
and `scalar_bits.py`."""

from __future__ import annotations

from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.scalar import scalar_alu as alu
from warploom.isa.gcn.scalar import scalar_bits as bits
from warploom.isa.gcn.scalar.scalar_alu import Lower


def _sop2() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a b") -> Row:
        return Row("s_" + name, "SOP2", opcode, operands, lower, meaning)

    rows = [
        one("add_u32", 0, alu.add(False), "d = a + b; SCC = carry"),
        one("sub_u32", 1, alu.add(True), "d = a - b; SCC = borrow"),
        one("add_i32", 2, alu.add(False, signed=True), "d = a + b; SCC = overflow"),
        one("sub_i32", 3, alu.add(True, signed=True), "d = a - b; SCC = overflow"),
        one("addc_u32", 4, alu.add(False, True), "d = a + b + SCC; SCC = carry"),
        one("subb_u32", 5, alu.add(True, True), "d = a - b - SCC; SCC = borrow"),
        one("min_i32", 6, alu.choose("min", "slt", False), "d = the smaller, signed; SCC = it is a"),
        one("min_u32", 7, alu.choose("minu", "sltu", False), "d = the smaller, unsigned; SCC = it is a"),
        one("max_i32", 8, alu.choose("max", "slt", True), "d = the larger, signed; SCC = it is a"),
        one("max_u32", 9, alu.choose("maxu", "sltu", True), "d = the larger, unsigned; SCC = it is a"),
        one("cselect_b32", 10, alu.select, "d = SCC ? a : b"),
        one("cselect_b64", 11, alu.select, "d = SCC ? a : b", "d2 a2 b2"),
    ]
    logic: tuple[tuple[str, int, str, dict[str, bool]], ...] = (
             ("and", 12, "a & b", {}), ("or", 14, "a | b", {}), ("xor", 16, "a ^ b", {}), ("andn2", 18, "a & ~b", {"invert_second": True}),
             ("orn2", 20, "a | ~b", {"invert_second": True}), ("nand", 22, "~(a & b)", {"invert": True}),
             ("nor", 24, "~(a | b)", {"invert": True}), ("xnor", 26, "~(a ^ b)", {"invert": True}))  # fmt: skip
    for name, opcode, meaning, how in logic:
        operation = {"andn2": "and", "orn2": "or", "nand": "and", "nor": "or", "xnor": "xor"}.get(name, name)
        lower = alu.simple(operation, sets=True, **how)
        rows.append(one(f"{name}_b32", opcode, lower, f"d = {meaning}; SCC = d is not 0"))
        rows.append(one(f"{name}_b64", opcode + 1, lower, f"d = {meaning}; SCC = d is not 0", "d2 a2 b2"))
    for name, kind, opcode, meaning in (("lshl", "shl", 28, "a << b"), ("lshr", "shr", 30, "a >> b, zeros come in"),
                                        ("ashr", "sra", 32, "a >> b, the sign comes in")):  # fmt: skip
        letter = "i" if name == "ashr" else "b"
        rows.append(one(f"{name}_{letter}32", opcode, alu.shift(kind), f"d = {meaning}; SCC = d is not 0"))
        rows.append(one(f"{name}_{letter}64", opcode + 1, alu.shift(kind), f"d = {meaning}; SCC = d is not 0", "d2 a2 b"))
    rows += [
        one("bfm_b32", 34, alu.bit_field_mask, "d = a ones from bit b on"),
        one("bfm_b64", 35, alu.bit_field_mask, "d = a ones from bit b on", "d2 a b"),
        one("mul_i32", 36, alu.simple("mul"), "d = low 32 bits of a * b"),
        one("bfe_u32", 37, alu.bit_field(False), "d = b[22:16] bits of a from b[4:0] on; SCC = d is not 0"),
        one("bfe_i32", 38, alu.bit_field(True), "d = such bits with their sign; SCC = d is not 0"),
        one("bfe_u64", 39, alu.bit_field(False), "d = b[22:16] bits of a from b[5:0] on; SCC = d is not 0", "d2 a2 b"),
        one("bfe_i64", 40, alu.bit_field(True), "d = such bits with their sign; SCC = d is not 0", "d2 a2 b"),
        one("absdiff_i32", 42, alu.absolute_difference, "d = |a - b|; SCC = d is not 0"),
        one("mul_hi_u32", 44, alu.simple("mulhu"), "d = high 32 bits of a * b, unsigned"),
        one("mul_hi_i32", 45, alu.simple("mulh"), "d = high 32 bits of a * b, signed"),
        *(one(f"lshl{by}_add_u32", 45 + by, alu.shift_add(by), f"d = (a << {by}) + b; SCC = more than 32 bits") for by in range(1, 5)),
        one("pack_ll_b32_b16", 50, alu.pack(False, False), "d = low half of a, low half of b above it"),
        one("pack_lh_b32_b16", 51, alu.pack(False, True), "d = low half of a, high half of b above it"),
        one("pack_hh_b32_b16", 52, alu.pack(True, True), "d = high half of a, high half of b above it"),
    ]
    return rows


def _sop1() -> list[Row]:
    def one(name: str, opcode: int, lower: Lower, meaning: str, operands: str = "d a") -> Row:
        return Row("s_" + name, "SOP1", opcode, operands, lower, meaning)

    def both(name: str, opcode: int, lower: Lower, meaning: str, second: str = "d2 a2") -> list[Row]:
        return [one(f"{name}_b32", opcode, lower, meaning), one(f"{name}_b64", opcode + 1, lower, meaning, second)]

    rows = [
        *both("mov", 0, alu.simple("mov"), "d = a"),
        *both("cmov", 2, alu.conditional_move, "d = a, where SCC is set"),
        *both("not", 4, alu.simple("mov", sets=True, invert=True), "d = ~a; SCC = d is not 0"),
        *both("wqm", 6, bits.quads, "of four neighbouring bits all, where one is set; SCC = d is not 0"),
        *both("brev", 8, bits.reverse_bits, "d = a, its bits in reverse"),
        *both("bcnt0_i32", 10, bits.count(True), "d = zeros in a; SCC = d is not 0", "d a2"),
        *both("bcnt1_i32", 12, bits.count(False), "d = ones in a; SCC = d is not 0", "d a2"),
        *both("ff0_i32", 14, bits.find_first(True), "d = number of the lowest zero; -1: none", "d a2"),
        *both("ff1_i32", 16, bits.find_first(False), "d = number of the lowest one; -1: none", "d a2"),
        *both("flbit_i32", 18, bits.leading(False), "d = zeros above the highest one; -1: none", "d a2"),
        one("flbit_i32", 20, bits.leading(True), "d = bits above the highest one that is not the sign; -1: none"),
        one("flbit_i32_i64", 21, bits.leading(True), "d = bits above the highest one that is not the sign; -1: none", "d a2"),
        one("sext_i32_i8", 22, bits.extend(8), "d = low byte of a with its sign"),
        one("sext_i32_i16", 23, bits.extend(16), "d = low half of a with its sign"),
        one("bitset0_b32", 24, bits.set_bit(0), "bit a of d = 0"),
        one("bitset0_b64", 25, bits.set_bit(0), "bit a of d = 0", "d2 a"),
        one("bitset1_b32", 26, bits.set_bit(1), "bit a of d = 1"),
        one("bitset1_b64", 27, bits.set_bit(1), "bit a of d = 1", "d2 a"),
        *both("quadmask", 40, bits.quad_mask, "a bit for each four of a, 1 where one of them is; SCC = d is not 0"),
        one("bitreplicate_b64_b32", 55, bits.replicate, "d = each bit of a twice", "d2 a"),
        one("abs_i32", 48, alu.absolute, "d = |a|; SCC = d is not 0"),
    ]
    saved: tuple[tuple[str, int, str, tuple[str], dict[str, bool]], ...] = (
             ("and", 32, "a & EXEC", ("and",), {}), ("or", 33, "a | EXEC", ("or",), {}), ("xor", 34, "a ^ EXEC", ("xor",), {}),
             ("andn2", 35, "a & ~EXEC", ("and",), {"invert_exec": True}), ("orn2", 36, "a | ~EXEC", ("or",), {"invert_exec": True}),
             ("nand", 37, "~(a & EXEC)", ("and",), {"invert": True}), ("nor", 38, "~(a | EXEC)", ("or",), {"invert": True}),
             ("xnor", 39, "~(a ^ EXEC)", ("xor",), {"invert": True}), ("andn1", 51, "~a & EXEC", ("and",), {"invert_source": True}),
             ("orn1", 52, "~a | EXEC", ("or",), {"invert_source": True}))  # fmt: skip
    for name, opcode, meaning, (operation,), how in saved:
        said = f"d = EXEC; EXEC = {meaning}; SCC = EXEC is not 0"
        rows.append(one(f"{name}_saveexec_b64", opcode, alu.save_exec(operation, **how), said, "d2 a2"))
    rows.append(one("andn1_wrexec_b64", 53, alu.save_exec("and", invert_source=True, keeps=False),
                    "d = EXEC = ~a & EXEC; SCC = it is not 0",
                    "d2 a2"))  # fmt: skip
    rows.append(one("andn2_wrexec_b64", 54, alu.save_exec("and", invert_exec=True, keeps=False),
                    "d = EXEC = a & ~EXEC; SCC = it is not 0",
                    "d2 a2"))  # fmt: skip
    return rows


CONDITIONS = (("eq", "seq", False, False, "=="), ("lg", "sne", False, False, "!="), ("gt", "slt", True, False, ">"),
              ("ge", "slt", False, True, ">="), ("lt", "slt", False, False, "<"), ("le", "slt", True, True, "<="))  # fmt: skip


def _comparisons() -> list[Row]:
    rows = []
    for place, (name, operation, swapped, negated, sign) in enumerate(CONDITIONS):
        for letter, first in (("i", 0), ("u", 6)):
            used = operation + "u" if letter == "u" and operation == "slt" else operation
            told = "signed" if letter == "i" else "unsigned"
            rows.append(Row(f"s_cmp_{name}_{letter}32", "SOPC", first + place, "a b", alu.compare(used, swapped, negated),
                            f"SCC = a {sign} b, {told}"))  # fmt: skip
            lower = alu.compare(used, swapped, negated, constant=True, signed=letter == "i")
            rows.append(Row(f"s_cmpk_{name}_{letter}32", "SOPK", 2 + first + place, "d hex", lower, f"SCC = d {sign} number, {told}"))
    rows += [
        Row("s_bitcmp0_b32", "SOPC", 12, "a b", alu.bit_compare(0), "SCC = bit b of a is 0"),
        Row("s_bitcmp1_b32", "SOPC", 13, "a b", alu.bit_compare(1), "SCC = bit b of a is 1"),
        Row("s_bitcmp0_b64", "SOPC", 14, "a2 b", alu.bit_compare(0), "SCC = bit b of a is 0"),
        Row("s_bitcmp1_b64", "SOPC", 15, "a2 b", alu.bit_compare(1), "SCC = bit b of a is 1"),
        Row("s_cmp_eq_u64", "SOPC", 18, "a2 b2", alu.compare_wide("seq"), "SCC = a == b"),
        Row("s_cmp_lg_u64", "SOPC", 19, "a2 b2", alu.compare_wide("sne"), "SCC = a != b"),
        Row("s_movk_i32", "SOPK", 0, "d hex", alu.with_number("mov"), "d = a number with its sign"),
        Row("s_cmovk_i32", "SOPK", 1, "d hex", alu.with_number("sel"), "d = a number with its sign, where SCC is set"),
        Row("s_addk_i32", "SOPK", 14, "d hex", alu.with_number("add", True), "d = d + a number; SCC = overflow"),
        Row("s_mulk_i32", "SOPK", 15, "d hex", alu.with_number("mul"), "d = d * a number"),
    ]
    return rows


ROWS = (*_sop2(), *_sop1(), *_comparisons())
