"""The table of instructions on general registers; what they do is in `scalars.py`. Source: Intel SDM, volume 2."""

from __future__ import annotations

from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.scalar.scalars import (
    and_not,
    arithmetic,
    choose,
    count_bits,
    exchange,
    extend,
    invert,
    load_address,
    logic,
    move,
    multiply,
    negate,
    nothing,
    pop_operand,
    push_operand,
    set_byte,
    sign_into_rdx,
    step,
    widen_rax,
)
from warploom.isa.avx512.scalar.shifts import shift, shift_by_register
from warploom.isa.avx512.scalar.values import ALL, CONDITIONS, condition_flags


def _rows() -> list[Row]:
    rows: list[Row] = []
    two = (
        ("add", 0, arithmetic(False), "a = a + b", ""),
        ("or", 1, logic("or"), "a = a | b", ""),
        ("adc", 2, arithmetic(False, with_carry=True), "a = a + b + CF", "C"),
        ("sbb", 3, arithmetic(True, with_carry=True), "a = a - b - CF", "C"),
        ("and", 4, logic("and"), "a = a & b", ""),
        ("sub", 5, arithmetic(True), "a = a - b", ""),
        ("xor", 6, logic("xor"), "a = a ^ b", ""),
        ("cmp", 7, arithmetic(True, keeps=False), "flags of a - b", ""),
    )
    for name, digit, lower, meaning, reads in two:
        for encoding, operands in (
            (f"{8 * digit + 1:02X}", "rm r"),
            (f"{8 * digit + 3:02X}", "r rm"),
            (f"83 /{digit}", "rm ibs"),
            (f"81 /{digit}", "rm id"),
            (f"{8 * digit + 5:02X}", "eax id"),
            (f"66 {8 * digit + 1:02X}", "rm16 r16"),
            (f"66 {8 * digit + 3:02X}", "r16 rm16"),
            (f"66 83 /{digit}", "rm16 ibs"),
            (f"{8 * digit + 4:02X}", "al ib"),
            (f"{8 * digit:02X}", "rm8 r8"),
            (f"{8 * digit + 2:02X}", "r8 rm8"),
            (f"80 /{digit}", "rm8 ib"),
        ):
            rows.append(Row(name, encoding, operands, lower, meaning, reads=reads, writes=ALL))
    test = logic("and", keeps=False)
    for encoding, operands in (
        ("85", "rm r"),
        ("F7 /0", "rm id"),
        ("A9", "eax id"),
        ("66 85", "rm16 r16"),
        ("A8", "al ib"),
        ("84", "rm8 r8"),
        ("F6 /0", "rm8 ib"),
    ):
        rows.append(Row("test", encoding, operands, test, "flags of a & b", writes=ALL))
    for encoding, operands in (
        ("89", "rm r"),
        ("8B", "r rm"),
        ("B8 +", "o32 id"),
        ("W1.C7 /0", "rm64 id"),
        ("C7 /0", "rm32 id"),
        ("W1.B8 +", "o64 iq"),
        ("88", "rm8 r8"),
        ("8A", "r8 rm8"),
        ("C6 /0", "rm8 ib"),
        ("66.89", "rm16 r16"),
        ("66.8B", "r16 rm16"),
    ):
        parts = encoding.split(".")
        text = f"{'.'.join(parts[:-1])} {parts[-1]}" if len(parts) > 1 else encoding
        text = "W0 " + text if operands in ("o32 id", "rm32 id") else text
        rows.append(Row("mov", text, operands, move, "a = b"))
    for name, encoding, operands, lower, meaning, reads, writes in (
        ("inc", "FF /0", "rm", step(False), "a = a + 1; CF stays", "", "PZSO"),
        ("dec", "FF /1", "rm", step(True), "a = a - 1; CF stays", "", "PZSO"),
        ("neg", "F7 /3", "rm", negate, "a = -a", "", ALL),
        ("not", "F7 /2", "rm", invert, "a = ~a", "", ""),
        ("shl", "C1 /4", "rm ib", shift("shl"), "a = a << b", "", ALL),
        ("shr", "C1 /5", "rm ib", shift("shr"), "a = a >> b", "", ALL),
        ("sar", "C1 /7", "rm ib", shift("sra"), "a = a >> b, with the sign", "", ALL),
        ("shl", "D1 /4", "rm 1", shift("shl"), "a = a << 1", "", ALL),
        ("shr", "D1 /5", "rm 1", shift("shr"), "a = a >> 1", "", ALL),
        ("sar", "D1 /7", "rm 1", shift("sra"), "a = a >> 1, with the sign", "", ALL),
        ("shl", "D3 /4", "rm cl", shift("shl"), "a = a << cl", "", ALL),
        ("shr", "D3 /5", "rm cl", shift("shr"), "a = a >> cl", "", ALL),
        ("sar", "D3 /7", "rm cl", shift("sra"), "a = a >> cl, with the sign", "", ALL),
        ("shlx", "VEX.L0.66.0F38 F7", "r rm v", lambda code: shift_by_register(code, "shl"), "a = b << c", "", ""),
        ("shrx", "VEX.L0.F2.0F38 F7", "r rm v", lambda code: shift_by_register(code, "shr"), "a = b >> c", "", ""),
        ("sarx", "VEX.L0.F3.0F38 F7", "r rm v", lambda code: shift_by_register(code, "sra"), "a = b >> c, with the sign", "", ""),
        ("imul", "0F AF", "r rm", multiply, "a = a * b", "", ALL),
        ("imul", "6B", "r rm ibs", multiply, "a = b * c", "", ALL),
        ("imul", "69", "r rm id", multiply, "a = b * c", "", ALL),
        ("lea", "8D", "r m0", load_address, "a = the address itself", "", ""),
        ("movzx", "0F B6", "r rm8", extend(False), "a = b, zeros above", "", ""),
        ("movzx", "0F B7", "r rm16", extend(False), "a = b, zeros above", "", ""),
        ("movsx", "0F BE", "r rm8", extend(True), "a = b, its sign above", "", ""),
        ("movsx", "0F BF", "r rm16", extend(True), "a = b, its sign above", "", ""),
        ("movsxd", "W1 63", "r64 rm32", extend(True), "a = b, its sign above", "", ""),
        ("cdqe", "W1 98", "", widen_rax, "rax = eax, its sign above", "", ""),
        ("cdq", "W0 99", "", sign_into_rdx, "edx = the sign of eax", "", ""),
        ("cqo", "W1 99", "", sign_into_rdx, "rdx = the sign of rax", "", ""),
        ("andn", "VEX.L0.0F38 F2", "r v rm", and_not, "a = ~b & c", "", ALL),
        ("popcnt", "F3.0F B8", "r rm", count_bits("popc", "Z"), "a = ones in b", "", ALL),
        ("tzcnt", "F3.0F BC", "r rm", count_bits("ctz", "CZ"), "a = trailing zeros of b", "", ALL),
        ("lzcnt", "F3.0F BD", "r rm", count_bits("clz", "CZ"), "a = leading zeros of b", "", ALL),
        ("bsf", "0F BC", "r rm", count_bits("bsf", "Z"), "a = number of b's lowest one", "", ALL),
        ("bsr", "0F BD", "r rm", count_bits("bsr", "Z"), "a = number of b's highest one", "", ALL),
        ("push", "50 +", "o64", push_operand, "rsp = rsp - 8; memory at rsp = a", "", ""),
        ("push", "6A", "ibs", push_operand, "as above, of a number", "", ""),
        ("push", "68", "id", push_operand, "as above, of a number", "", ""),
        ("push", "FF /6", "rm64", push_operand, "as above", "", ""),
        ("pop", "58 +", "o64", pop_operand, "a = memory at rsp; rsp = rsp + 8", "", ""),
        ("xchg", "87", "rm r", exchange, "a and b change places", "", ""),
        ("nop", "90", "", nothing, "nothing", "", ""),
        ("nop", "66 90", "", nothing, "nothing", "", ""),
        ("nop", "0F 1F /0", "rm", nothing, "nothing", "", ""),
        ("nop", "66.0F 1F /0", "rm", nothing, "nothing", "", ""),
        ("endbr64", "F3.0F 1E /7", "rm64", nothing, "nothing", "", ""),
    ):
        rows.append(Row(name, encoding, operands, lower, meaning, reads=reads, writes=writes))
    for number, name in enumerate(CONDITIONS):
        reads = condition_flags(number)
        rows.append(Row("set" + name, f"0F {0x90 + number:02X} /0", "rm8", set_byte(number), f"a = 1 where {name}, else 0", reads=reads))
        rows.append(Row("cmov" + name, f"0F {0x40 + number:02X}", "r rm", choose(number), f"a = b where {name}", reads=reads))
    return rows


ROWS = tuple(_rows())
