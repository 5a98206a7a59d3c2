"""F: 32-bit IEEE floats, with five rounding modes and five flags.

Most programs round to nearest and never look at the flags: their operations are one micro-op each. An instruction that names a different
mode, and every one in a program that sets `frm` or reads `fflags`, takes the way of exact result and rounding (`uop.py`, exact_... and
round_...), in the same bundle. Registers have 32 bits, so there is nothing to box.

Source: RISC-V Unprivileged Specification 20240411, chapter "F".
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import DYNAMIC, STATIC_MODES, Instruction, Lowering, Operands, Refusal, temporary
from warploom.isa.uop import IMMEDIATE, Uop

SIGN, MAGNITUDE = -(1 << 31), (1 << 31) - 1
SIGNALLING, ANY_NAN = 1 << 8, 3 << 8  # class bits
INVALID_SHIFT = 4  # the flag "invalid" is 1 << 4
PAIR, MODE, NEW_FLAGS, OTHER, NEGATED_A, NEGATED_C = 0, 2, 3, 4, 6, 7  # hidden registers; the first is a pair


def _row(mnemonic: str, encoding: str, operands: str, meaning: str, lower: Lowering) -> Instruction:
    return Instruction(mnemonic, "F", Encoding(encoding), operands, meaning, lower, defaults={"rm": DYNAMIC})


def _fd(o: Operands) -> int:
    return o.f("rd")


def _needs_rounding(o: Operands, own_mode: int) -> bool:
    """Whether an instruction takes the way of exact result and rounding. own_mode: the one that its plain micro-op has."""
    mode = o["rm"]
    if mode not in (*range(len(STATIC_MODES)), DYNAMIC):
        raise Refusal(f"rounding mode {mode} is reserved")
    if mode == DYNAMIC:
        return o.floats.flags or o.floats.modes or own_mode != 0
    return o.floats.flags or mode != own_mode


def _rounded(o: Operands, exact: list[Uop], destination: int, rounding: str = "round_float") -> list[Uop]:
    """The exact result in the pair PAIR, rounded into a register. The flags come first: the destination may be frm's reader's source."""
    pair = temporary(PAIR)
    mode = {"b": o.floats.mode} if o["rm"] == DYNAMIC else {"b": IMMEDIATE, "imm": o["rm"]}
    found = list(exact)
    if o.floats.flags:
        found += [Uop(f"{rounding}_flags", dst=temporary(NEW_FLAGS), a=pair, **mode), o.floats.raised(temporary(NEW_FLAGS))]
    return [*found, Uop(rounding, dst=destination, a=pair, **mode)]


def _arithmetic(plain: str, exact: str, sources: int = 2) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        operands = dict(zip("ab", (o.f("rs1"), *([o.f("rs2")] if sources == 2 else [])), strict=False))
        if not _needs_rounding(o, 0):
            return [Uop(plain, dst=_fd(o), **operands)]
        return _rounded(o, [Uop(exact, dst=temporary(PAIR), **operands)], _fd(o))

    return lower


def _fused(negate_product: bool, negate_addend: bool) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        found = []
        a, c = o.f("rs1"), o.f("rs3")
        if negate_product:
            a = temporary(NEGATED_A)
            found.append(Uop("xor", dst=a, a=o.f("rs1"), b=IMMEDIATE, imm=SIGN))
        if negate_addend:
            c = temporary(NEGATED_C)
            found.append(Uop("xor", dst=c, a=o.f("rs3"), b=IMMEDIATE, imm=SIGN))
        if not _needs_rounding(o, 0):
            return [*found, Uop("fma", dst=_fd(o), a=a, b=o.f("rs2"), c=c)]
        return _rounded(o, [*found, Uop("exact_fma", dst=temporary(PAIR), a=a, b=o.f("rs2"), c=c)], _fd(o))

    return lower


def _to_integer(plain: str, rounding: str) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        if not _needs_rounding(o, STATIC_MODES.index("rtz")):
            return [Uop(plain, dst=o.rd, a=o.f("rs1"))]
        return _rounded(o, [Uop("exact_float", dst=temporary(PAIR), a=o.f("rs1"))], o.rd, rounding)

    return lower


def _to_float(plain: str, exact: str) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        if not _needs_rounding(o, 0):
            return [Uop(plain, dst=_fd(o), a=o.rs1)]
        return _rounded(o, [Uop(exact, dst=temporary(PAIR), a=o.rs1)], _fd(o))

    return lower


def _compared(operation: str, classes: int, float_result: bool) -> Lowering:
    """Comparisons, smaller and larger: invalid where an operand is of one of `classes`."""

    def lower(o: Operands) -> list[Uop]:
        a, b = o.f("rs1"), o.f("rs2")
        result = Uop(operation, dst=_fd(o) if float_result else o.rd, a=a, b=b)
        if not o.floats.flags:
            return [result]
        new, other = temporary(NEW_FLAGS), temporary(OTHER)
        return [
            Uop("fclass", dst=new, a=a),
            Uop("fclass", dst=other, a=b),
            Uop("or", dst=new, a=new, b=other),
            Uop("and", dst=new, a=new, b=IMMEDIATE, imm=classes),
            Uop("sne", dst=new, a=new, b=IMMEDIATE, imm=0),
            Uop("shl", dst=new, a=new, b=IMMEDIATE, imm=INVALID_SHIFT),
            o.floats.raised(new),
            result,
        ]

    return lower


def _sign(kind: str) -> Lowering:
    def lower(o: Operands) -> list[Uop]:
        a, b, sign, rest = o.f("rs1"), o.f("rs2"), temporary(0), temporary(1)
        if a == b and kind == "copy":
            return [Uop("mov", dst=_fd(o), a=a)]
        found = [Uop("and", dst=sign, a=b, b=IMMEDIATE, imm=SIGN)]
        if kind == "exclusive":
            return [*found, Uop("xor", dst=_fd(o), a=a, b=sign)]
        if kind == "negated":
            found.append(Uop("xor", dst=sign, a=sign, b=IMMEDIATE, imm=SIGN))
        return [*found, Uop("and", dst=rest, a=a, b=IMMEDIATE, imm=MAGNITUDE), Uop("or", dst=_fd(o), a=rest, b=sign)]

    return lower


_ARITHMETIC = "{} rs2 rs1 rm rd 1010011"
_UNARY = "{} rs1 rm rd 1010011"
_FIXED = "{} rs2 rs1 {} rd 1010011"
_FUSED = "rs3 00 rs2 rs1 rm rd {}"
_THREE, _FOUR, _TWO = "fd, fs1, fs2, rm", "fd, fs1, fs2, fs3, rm", "fd, fs1, fs2"

INSTRUCTIONS: tuple[Instruction, ...] = (
    _row("flw", "imm[11:0] rs1 010 rd 0000111", "fd, imm(rs1)", "fd = the 32 bits at rs1 + imm",
         lambda o: [Uop("load", dst=_fd(o), a=o.rs1, imm=o.imm)]),
    _row("fsw", "imm[11:5] rs2 rs1 010 imm[4:0] 0100111", "fs2, imm(rs1)", "the 32 bits at rs1 + imm = fs2",
         lambda o: [Uop("store", a=o.rs1, b=o.f("rs2"), imm=o.imm)]),
    _row("fmadd.s", _FUSED.format("1000011"), _FOUR, "fd = fs1 * fs2 + fs3, rounded once", _fused(False, False)),
    _row("fmsub.s", _FUSED.format("1000111"), _FOUR, "fd = fs1 * fs2 - fs3, rounded once", _fused(False, True)),
    _row("fnmsub.s", _FUSED.format("1001011"), _FOUR, "fd = -(fs1 * fs2) + fs3, rounded once", _fused(True, False)),
    _row("fnmadd.s", _FUSED.format("1001111"), _FOUR, "fd = -(fs1 * fs2) - fs3, rounded once", _fused(True, True)),
    _row("fadd.s", _ARITHMETIC.format("0000000"), _THREE, "fd = fs1 + fs2", _arithmetic("fadd", "exact_add")),
    _row("fsub.s", _ARITHMETIC.format("0000100"), _THREE, "fd = fs1 - fs2", _arithmetic("fsub", "exact_sub")),
    _row("fmul.s", _ARITHMETIC.format("0001000"), _THREE, "fd = fs1 * fs2", _arithmetic("fmul", "exact_mul")),
    _row("fdiv.s", _ARITHMETIC.format("0001100"), _THREE, "fd = fs1 / fs2", _arithmetic("fdiv", "exact_div")),
    _row("fsqrt.s", _UNARY.format("0101100 00000"), "fd, fs1, rm", "fd = square root of fs1", _arithmetic("fsqrt", "exact_sqrt", 1)),
    _row("fsgnj.s", _FIXED.format("0010000", "000"), _TWO, "fd = fs1 with the sign of fs2", _sign("copy")),
    _row("fsgnjn.s", _FIXED.format("0010000", "001"), _TWO, "fd = fs1 with the opposite sign of fs2", _sign("negated")),
    _row("fsgnjx.s", _FIXED.format("0010000", "010"), _TWO, "fd = fs1, negated where fs2 is negative", _sign("exclusive")),
    _row("fmin.s", _FIXED.format("0010100", "000"), _TWO, "fd = the smaller; the other one where one is NaN",
         _compared("fmin", SIGNALLING, True)),
    _row("fmax.s", _FIXED.format("0010100", "001"), _TWO, "fd = the larger; the other one where one is NaN",
         _compared("fmax", SIGNALLING, True)),
    _row("fcvt.w.s", _UNARY.format("1100000 00000"), "rd, fs1, rm", "rd = fs1 as a signed integer, saturated",
         _to_integer("f2i", "round_int")),
    _row("fcvt.wu.s", _UNARY.format("1100000 00001"), "rd, fs1, rm", "rd = fs1 as an unsigned integer, saturated",
         _to_integer("f2u", "round_uint")),
    _row("fmv.x.w", "1110000 00000 rs1 000 rd 1010011", "rd, fs1", "rd = the bits of fs1", lambda o: [Uop("mov", dst=o.rd, a=o.f("rs1"))]),
    _row("feq.s", _FIXED.format("1010000", "010"), "rd, fs1, fs2", "rd = 1 where fs1 == fs2, else 0", _compared("feq", SIGNALLING, False)),
    _row("flt.s", _FIXED.format("1010000", "001"), "rd, fs1, fs2", "rd = 1 where fs1 < fs2, else 0", _compared("flt", ANY_NAN, False)),
    _row("fle.s", _FIXED.format("1010000", "000"), "rd, fs1, fs2", "rd = 1 where fs1 <= fs2, else 0", _compared("fle", ANY_NAN, False)),
    _row("fclass.s", "1110000 00000 rs1 001 rd 1010011", "rd, fs1", "rd = one of ten bits that says what fs1 is",
         lambda o: [Uop("fclass", dst=o.rd, a=o.f("rs1"))]),
    _row("fcvt.s.w", _UNARY.format("1101000 00000"), "fd, rs1, rm", "fd = the signed integer rs1", _to_float("i2f", "exact_int")),
    _row("fcvt.s.wu", _UNARY.format("1101000 00001"), "fd, rs1, rm", "fd = the unsigned integer rs1", _to_float("u2f", "exact_uint")),
    _row("fmv.w.x", "1111000 00000 rs1 000 rd 1010011", "fd, rs1", "fd = the bits of rs1", lambda o: [Uop("mov", dst=_fd(o), a=o.rs1)]),
)  # fmt: skip
