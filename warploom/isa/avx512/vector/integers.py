"""Vector instructions on integers of 32 bits: arithmetic, logic, shifts, comparisons into a mask, moves.

Each is a micro-op or a few, in the lanes that the opmask names. A count of 32 or more shifts everything out, unlike RISC-V's and GCN's,
which
look at five bits of it. Source: Intel SDM, volume 2.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Immediate, Memory
from warploom.isa.avx512.registers import LANES, mask
from warploom.isa.uop import NEGATE_PREDICATE

Lower = Callable[[Code], None]
COMPARISONS = ("eq", "lt", "le", "false", "neq", "nlt", "nle", "true")
ONES = 0xFFFFFFFF


def binary(name: str) -> Lower:
    """The micro-op `name` of two vectors."""
    return lambda code: code.put(name, code.vector(1), code.vector(2))


def unary(name: str) -> Lower:
    """The micro-op `name` of a vector."""
    return lambda code: code.put(name, code.vector(1))


def _and_not(code: Code) -> None:
    code.put("and", code.lane("xor", code.vector(1), Number(ONES)), code.vector(2))


def _absolute(code: Code) -> None:
    source = code.vector(1)
    code.put("max", source, code.lane("sub", code.lane("mov", Number(0)), source))


def _shift(name: str) -> Lower:
    """By an immediate."""

    def lower(code: Code) -> None:
        by = code.immediate(2)
        if by >= 32 and name != "sra":
            code.put("mov", Number(0))
        else:
            code.put(name, code.vector(1), Number(min(by, 31)))

    return lower


def _shift_lanes(name: str) -> Lower:
    """Each lane by a count of its own."""

    def lower(code: Code) -> None:
        source, by = code.vector(1), code.vector(2)
        if name == "sra":
            code.put("sra", source, code.lane("minu", by, Number(31)))
            return
        fits = code.lane("sltu", by, Number(32))
        code.put("sel", code.lane(name, source, by), Number(0), fits)

    return lower


def _rotate(left: bool) -> Lower:
    def lower(code: Code) -> None:
        source = code.vector(1)
        if isinstance(code.operands[2], Immediate):
            by = code.immediate(2) % 32
            code.put("shrd", source, source, Number(-by % 32 if left else by))
            return
        by_lane = code.vector(2)
        code.put("shrd", source, source, code.lane("sub", code.lane("mov", Number(0)), by_lane) if left else by_lane)

    return lower


def truth_table(code: Code, table: int, a: int, b: int, c: int) -> None:
    """vpternlogd: bit (a << 2 | b << 1 | c) of a table, for each bit: as exclusive or of products (Zhegalkin's polynomial)."""
    coefficients = [table >> row & 1 for row in range(8)]
    for bit in (1, 2, 4):
        for row in range(8):
            if row & bit:
                coefficients[row] ^= coefficients[row ^ bit]
    terms: list[int] = []
    pair: dict[int, int] = {4: a, 2: b, 1: c}
    for row in range(1, 8):
        if coefficients[row]:
            bits = [bit for bit in (4, 2, 1) if row & bit]
            found = pair[bits[0]]
            for bit in bits[1:]:
                found = code.lane("and", found, pair[bit])
            terms.append(found)
    constant = Number(ONES if coefficients[0] else 0)
    if not terms:
        code.put("mov", constant)
        return
    found = terms[0]
    for term in terms[1:-1]:
        found = code.lane("xor", found, term)
    if len(terms) > 1 and constant.value:
        found = code.lane("xor", found, terms[-1])
        code.put("xor", found, constant)
    elif len(terms) > 1:
        code.put("xor", found, terms[-1])
    else:
        code.put("xor", found, constant)


def _ternary(code: Code) -> None:
    truth_table(code, code.immediate(3), code.register(0).number, code.vector(1), code.vector(2))


def compare(code: Code, kind: int, signed: bool, a: int, b: int) -> None:
    """One of COMPARISONS into a mask."""
    less = "slt" if signed else "sltu"
    if kind in (3, 7):
        holds = code.lane("mov", Number(int(kind == 7)))
    elif kind in (0, 4):
        holds = code.lane("seq" if kind == 0 else "sne", a, b)
    elif kind in (1, 6):
        holds = code.lane(less, a, b) if kind == 1 else code.lane(less, b, a)
    else:
        holds = code.lane("xor", code.lane(less, *((b, a) if kind == 2 else (a, b))), Number(1))
    code.put_mask(holds)


def _compare(signed: bool, kind: int | None = None) -> Lower:
    return lambda code: compare(code, code.immediate(3) & 7 if kind is None else kind, signed, code.vector(1), code.vector(2))


def _test(zero: bool) -> Lower:
    def lower(code: Code) -> None:
        found = code.lane("and", code.vector(1), code.vector(2))
        code.put_mask(code.lane("seq", found, Number(0)) if zero else found)

    return lower


def _move(code: Code) -> None:
    target = code.operands[0]
    if isinstance(target, Memory):
        address, offset = code.lane_address(target)
        code.add("store", a=address, b=code.register(1).number, imm=offset, predicate=code.restriction())
    elif isinstance(code.operands[1], Memory):
        address, offset = code.lane_address(code.operands[1])
        code.add("load", target.number, address, imm=offset, predicate=code.restriction())  # type: ignore[union-attr]
        code.clear_rest(target.number)  # type: ignore[union-attr]
    else:
        code.put("mov", code.vector(1))


def _blend(code: Code) -> None:
    """Lanes of the mask from the second source, the others from the first, or zero."""
    first, second = code.vector(1), code.vector(2)
    number = code.one.written.mask
    if number and not code.one.written.zeroing:
        kept = code.add("mov", code.lane_temporary(), second)
        code.add("mov", kept, first, predicate=mask(number), flags=NEGATE_PREDICATE)
        code.add("mov", code.register(0).number, kept)
        if code.lanes < LANES:
            width = code.scalar("mov", Number((1 << code.lanes) - 1))
            code.add("mov", code.register(0).number, Number(0), predicate=width, flags=NEGATE_PREDICATE)
    else:
        code.put("mov", second)


def both(
    name: str, opcode: str, lower: Lower, meaning: str, *, prefix: str = "66.0F", operands: str = "vr vv vmb", w: str = "W0", vex: str = ""
) -> list[Row]:
    """An instruction under EVEX, and the form that AVX2 has under VEX, where `vex` names it or is "same"."""
    rows = [Row(name, f"EVEX.{prefix}.{w} {opcode}", operands, lower, meaning, masks="kz")]
    if vex:
        old = name if vex == "same" else vex
        rows.append(Row(old, f"VEX.{prefix} {opcode}", operands.replace("vmb", "vm"), lower, meaning))
    return rows


def _rows() -> list[Row]:
    rows: list[Row] = []
    for name, opcode, uop, meaning in (
        ("vpaddd", "FE", "add", "v1 = v2 + v3"),
        ("vpsubd", "FA", "sub", "v1 = v2 - v3"),
    ):
        rows += both(name, opcode, binary(uop), meaning, vex="same")
    for name, opcode, uop, meaning in (
        ("vpmulld", "40", "mul", "v1 = low 32 bits of v2 * v3"),
        ("vpminsd", "39", "min", "the smaller, signed"),
        ("vpmaxsd", "3D", "max", "the larger, signed"),
        ("vpminud", "3B", "minu", "the smaller, unsigned"),
        ("vpmaxud", "3F", "maxu", "the larger, unsigned"),
    ):
        rows += both(name, opcode, binary(uop), meaning, prefix="66.0F38", vex="same")
    for name, opcode, lower, meaning in (
        ("vpand", "DB", binary("and"), "v1 = v2 & v3"),
        ("vpandn", "DF", _and_not, "v1 = ~v2 & v3"),
        ("vpor", "EB", binary("or"), "v1 = v2 | v3"),
        ("vpxor", "EF", binary("xor"), "v1 = v2 ^ v3"),
    ):
        rows += both(name + "d", opcode, lower, meaning, vex=name)
        rows.append(Row(name + "q", f"EVEX.66.0F.W1 {opcode}", "vr vv vm", lower, meaning + "; no mask: its elements have 64 bits"))
    for name, opcode, uop, meaning in (
        ("vpsllvd", "47", "shl", "v1 = v2 << v3; 0 from 32 on"),
        ("vpsrlvd", "45", "shr", "v1 = v2 >> v3; 0 from 32 on"),
        ("vpsravd", "46", "sra", "v1 = v2 >> v3 with the sign; only that from 32 on"),
    ):
        rows += both(name, opcode, _shift_lanes(uop), meaning, prefix="66.0F38", vex="same")
    for name, digit, uop, meaning in (
        ("vpslld", 6, "shl", "v1 = v2 << imm8"),
        ("vpsrld", 2, "shr", "v1 = v2 >> imm8"),
        ("vpsrad", 4, "sra", "v1 = v2 >> imm8, with the sign"),
    ):
        rows.append(Row(name, f"EVEX.66.0F.W0 72 /{digit}", "vv vmb ib", _shift(uop), meaning, masks="kz"))
        rows.append(Row(name, f"VEX.66.0F 72 /{digit}", "vv vm ib", _shift(uop), meaning))
    rows += [
        Row("vprold", "EVEX.66.0F.W0 72 /1", "vv vmb ib", _rotate(True), "v1 = v2 rotated left by imm8", masks="kz"),
        Row("vprord", "EVEX.66.0F.W0 72 /0", "vv vmb ib", _rotate(False), "v1 = v2 rotated right by imm8", masks="kz"),
        *both("vprolvd", "15", _rotate(True), "v1 = v2 rotated left by v3", prefix="66.0F38"),
        *both("vprorvd", "14", _rotate(False), "v1 = v2 rotated right by v3", prefix="66.0F38"),
        *both("vpabsd", "1E", _absolute, "v1 = absolute value of v2", prefix="66.0F38", operands="vr vmb", vex="same"),
        *both("vplzcntd", "44", unary("clz"), "v1 = leading zeros of v2", prefix="66.0F38", operands="vr vmb"),
        *both("vpopcntd", "55", unary("popc"), "v1 = ones in v2", prefix="66.0F38", operands="vr vmb"),
        *both("vpblendmd", "64", _blend, "v1 = v3 in the mask's lanes, v2 elsewhere", prefix="66.0F38"),
        *both("vblendmps", "65", _blend, "v1 = v3 in the mask's lanes, v2 elsewhere", prefix="66.0F38"),
        Row(
            "vpternlogd",
            "EVEX.66.0F3A.W0 25",
            "vr vv vmb ib",
            _ternary,
            "v1 = bit (v1 << 2 | v2 << 1 | v3) of imm8, bit by bit",
            masks="kz",
        ),
        Row("vpternlogq", "EVEX.66.0F3A.W1 25", "vr vv vm ib", _ternary, "as vpternlogd; no mask: its elements have 64 bits"),
        Row("vpcmpeqd", "EVEX.66.0F.W0 76", "kr vv vmb", _compare(True, 0), "k1 = v2 == v3", masks="k"),
        Row("vpcmpgtd", "EVEX.66.0F.W0 66", "kr vv vmb", _compare(True, 6), "k1 = v2 > v3, signed", masks="k"),
        Row("vptestmd", "EVEX.66.0F38.W0 27", "kr vv vmb", _test(False), "k1 = (v2 & v3) != 0", masks="k"),
        Row("vptestnmd", "EVEX.F3.0F38.W0 27", "kr vv vmb", _test(True), "k1 = (v2 & v3) == 0", masks="k"),
    ]
    for suffix, opcode, signed in (("d", "1F", True), ("ud", "1E", False)):
        how = "signed" if signed else "unsigned"
        for kind, name in enumerate(COMPARISONS):
            if name not in ("false", "true"):
                rows.append(
                    Row(
                        f"vpcmp{name}{suffix}",
                        f"EVEX.66.0F3A.W0 {opcode}",
                        "kr vv vmb",
                        _compare(signed, kind),
                        f"k1 = v2 {('==', '<', '<=', '', '!=', '>=', '>')[kind]} v3, {how}",
                        masks="k",
                        immediate=kind,
                    )
                )
        rows.append(
            Row(
                f"vpcmp{suffix}",
                f"EVEX.66.0F3A.W0 {opcode}",
                "kr vv vmb ib",
                _compare(signed),
                f"k1 = v2 and v3 compared as imm8 says, {how}: 0 ==, 1 <, 2 <=, 4 !=, 5 >=, 6 >",
                masks="k",
            )
        )
    for name, load, store, prefix in (
        ("vmovdqu32", "6F", "7F", "F3.0F"),
        ("vmovdqa32", "6F", "7F", "66.0F"),
        ("vmovups", "10", "11", "0F"),
        ("vmovaps", "28", "29", "0F"),
    ):
        rows.append(Row(name, f"EVEX.{prefix}.W0 {load}", "vr vm", _move, "v1 = v2 or memory", masks="kz"))
        rows.append(Row(name, f"EVEX.{prefix}.W0 {store}", "m vr", _move, "memory = v1, in the mask's lanes", masks="k"))
        old = name.removesuffix("32")
        rows.append(Row(old, f"VEX.{prefix} {load}", "vr vm", _move, "v1 = v2 or memory"))
        rows.append(Row(old, f"VEX.{prefix} {store}", "m vr", _move, "memory = v1"))
    for name, prefix in (("vmovdqu64", "F3.0F"), ("vmovdqa64", "66.0F")):
        rows.append(Row(name, f"EVEX.{prefix}.W1 6F", "vr vm", _move, "v1 = v2 or memory; no mask: its elements have 64 bits"))
        rows.append(Row(name, f"EVEX.{prefix}.W1 7F", "m vr", _move, "memory = v1; no mask: its elements have 64 bits"))
    return rows


ROWS = tuple(_rows())
