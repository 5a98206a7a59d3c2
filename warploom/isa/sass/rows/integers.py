"""Rows of moves, integer arithmetic, comparisons and predicates, for lanes and for the uniform unit.

The uniform unit's instructions are the lanes' with registers UR and predicates UP; their opcodes are 0x80 higher.

Source: opcode numbers and bits as NVIDIA's disassembler shows them; NVIDIA, "CUDA Binary Utilities", for the names.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.sass.instruction import Instruction, Row, choice, flag
from warploom.isa.sass.operands import IMMEDIATE, SIGNED, SPECIAL, UNIFORM, Spec, Value
from warploom.isa.sass.places import A, B, D, Sources, is_set, number, predicate, register, sources, uniform
from warploom.isa.sass.word import Coded, Field, bits

COMPARISONS = ("F", "LT", "EQ", "LE", "GT", "NE", "GE", "T")
COMBINATIONS = ("AND", "OR", "XOR")
SHIFT_TYPES = ("S64", "U64", "S32", "U32")
PERMUTATIONS = ("", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16")
SPECIAL_REGISTERS = {
    0x00: "SR_LANEID", 0x01: "SR_CLOCK", 0x02: "SR_VIRTCFG", 0x03: "SR_VIRTID", 0x0F: "SR_ORDERING_TICKET", 0x10: "SR_PRIM_TYPE",
    0x20: "SR_TID", 0x21: "SR_TID.X", 0x22: "SR_TID.Y", 0x23: "SR_TID.Z", 0x25: "SR_CTAID.X", 0x26: "SR_CTAID.Y", 0x27: "SR_CTAID.Z",
    0x28: "SR_NTID", 0x2F: "SR_SWINHI", 0x30: "SR_SWINLO", 0x31: "SR_SWINSZ", 0x32: "SR_SMEMSZ", 0x33: "SR_SMEMBANKS",
    0x38: "SR_EQMASK", 0x39: "SR_LTMASK", 0x3A: "SR_LEMASK", 0x3B: "SR_GTMASK", 0x3C: "SR_GEMASK", 0x43: "SR_VIRTUALSMID",
    0x50: "SR_CLOCKLO", 0x51: "SR_CLOCKHI", 0x52: "SR_GLOBALTIMERLO", 0x53: "SR_GLOBALTIMERHI", 0x88: "SR_CgaCtaId", 0xFF: "SRZ",
}  # fmt: skip
INVERTED = is_set(74)  # .X: sources are inverted, not negated


class Signed(Sources):
    """A source that is negated, or inverted where a carry comes in."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        text = super().text(one)
        inverted = text is not None and text.startswith("-") and INVERTED(one) and self.value(one).kind != IMMEDIATE
        return "~" + text[1:] if inverted and text else text


class SignedFirst(Spec):
    """The first source, negated or inverted."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        text = super().text(one)
        return "~" + text[1:] if text is not None and text.startswith("-") and INVERTED(one) else text


class SpecialRegister(Spec):
    """A special register."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        code = one.at(self.at, 8)
        return SPECIAL_REGISTERS.get(code, f"SR{code}")


class AllPredicates(Spec):
    """All predicates of a lane, as one number."""

    def fields(self, form: int) -> dict[str, Field]:
        """It has no bits."""
        return {}

    def value(self, one: Coded) -> Value:
        """It is the same everywhere."""
        return Value("PR", 0)

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return "PR"


class _Byte(Spec):
    """A byte of a register."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return (super().text(one) or "") + ("", ".B1", ".B2", ".B3")[one.at(76, 2)]


def _special(at: int) -> Spec:
    return SpecialRegister("special", SPECIAL, at)


def _pair(name: str, code: int, build: Callable[[str, int, bool], Row]) -> tuple[Row, Row]:
    """The lanes' instruction and the uniform unit's."""
    return build(name, code, False), build(f"U{name}", code | 0x80, True)


def _d(one_for_all: bool) -> Spec:
    return uniform("d", D) if one_for_all else register("d", D)


def _first(one_for_all: bool, negative: int = -1) -> Spec:
    kind = UNIFORM if one_for_all else "R"
    return SignedFirst("a", kind, A, negative)


def _signed(role: str, one_for_all: bool, wide: int, plain: int) -> Spec:
    return Signed(role, "", B, shown=SIGNED, uniform=one_for_all, wide_signs=(wide, -1, -1, -1), plain_signs=(plain, -1, -1, -1))


def _out(role: str, at: int, u: bool, optional: bool = True) -> Spec:
    return predicate(role, at, optional=optional, uniform=u)


def _mov(name: str, code: int, u: bool) -> Row:
    lanes = () if u else (number("lanes", 72, 4, when=lambda one: one.at(72, 4) != 15),)
    return Row(code, name, (_d(u), *sources("b", uniform=u), *lanes), (), "d = b", uniform_guard=u, others={"lanes": bits(72, 4)})


def _sel(name: str, code: int, u: bool) -> Row:
    operands = (_d(u), *sources("ab", uniform=u), predicate("p", 87, 90, uniform=u))
    return Row(code, name, operands, (), "d = p ? a : b", uniform_guard=u)


def _add(name: str, code: int, u: bool) -> Row:
    operands = (
        _d(u), _out("carry", 81, u), _out("carry2", 84, u), _first(u, 72), _signed("b", u, 63, 75), _signed("c", u, 63, 75),
        predicate("p", 87, 90, uniform=u, when=INVERTED), predicate("q", 77, 80, uniform=u, when=INVERTED),
    )  # fmt: skip
    return Row(code, name, operands, (flag(74, "X"),), "d = a + b + c; carry = the sum's carry", uniform_guard=u)


def _imad(name: str, code: int, u: bool, kind: str = "") -> Row:
    operands = (
        _d(u), _out("carry", 81, u), _first(u), _signed("b", u, 63, -1), _signed("c", u, 63, 75),
        predicate("p", 87, 90, uniform=u, when=INVERTED),
    )  # fmt: skip
    modifiers = (flag(73, "", "U32", "signed"), flag(74, "X"))
    fixed = (choice("kind", 105, 0, {0: kind}),) if kind else ()
    return Row(code, name, operands, (*fixed, *modifiers), "d = a * b + c", uniform_guard=u, alias=_multiplier if not kind else None)


def _multiplier(one: Instruction) -> list[str] | None:
    """The names that listings have for a multiplication by 1 or a power of 2, or of nothing."""
    if one.word >> 74 & 1:
        return None
    a, b, c = (one.values[role] for role in "abc")
    unsigned = [] if one.word >> 73 & 1 else ["U32"]
    if a.zero and b.zero:
        if c.kind == UNIFORM:
            return [one.name, *unsigned]
        return [one.name, "MOV", *unsigned]
    if b.kind == IMMEDIATE and b.number == 1 and not b.negative:
        return [one.name, "IADD", *unsigned]
    if b.kind == IMMEDIATE and c.zero and b.number > 1 and b.number not in (0x10000, 1 << 31) and not b.number & (b.number - 1):
        return [one.name, "SHL", *unsigned]
    return None


def _lea(name: str, code: int, u: bool) -> Row:
    high, sign = is_set(80), is_set(73)
    operands = (
        _d(u), _out("carry", 81, u), _first(u, 72),
        Signed("b", "", B, uniform=u, wide_signs=(63, -1, -1, -1), plain_signs=(75, -1, -1, -1)),
        Sources("c", "", B, uniform=u, when=lambda one: high(one) and not sign(one)), number("shift", 75, 5),
        predicate("p", 87, 90, uniform=u, when=INVERTED),
    )  # fmt: skip
    modifiers = (flag(80, "HI"), flag(74, "X"), flag(73, "SX32", when=high))
    return Row(code, name, operands, modifiers, "d = (a << shift) + b; HI: of c:a, high word", uniform_guard=u)


def _lop3(name: str, code: int, u: bool) -> Row:
    operands = (_out("p", 81, u), _d(u), *sources("abc", uniform=u), number("table", 72, 8), predicate("q", 87, 90, uniform=u))
    modifiers = (choice("kind", 105, 0, {0: "LUT"}), flag(80, "PAND"))
    return Row(code, name, operands, modifiers, "d = a table of three bits, bit by bit", uniform_guard=u)


def _prmt(name: str, code: int, u: bool) -> Row:
    return Row(code, name, (_d(u), *sources("abc", uniform=u)), (choice("mode", 72, 3, PERMUTATIONS),), "d = bytes of c:a", uniform_guard=u)


def _shf(name: str, code: int, u: bool) -> Row:
    modifiers = (flag(76, "R", "L", "right"), flag(75, "W"), choice("type", 73, 2, SHIFT_TYPES), flag(80, "HI"))
    return Row(code, name, (_d(u), *sources("abc", uniform=u)), modifiers, "d = a word of c:a, shifted by b", uniform_guard=u)


def _sgxt(name: str, code: int, u: bool) -> Row:
    modifiers = (flag(75, "W"), flag(73, "", "U32", "signed"))
    return Row(code, name, (_d(u), *sources("ab", uniform=u)), modifiers, "d = the low b bits of a, extended", uniform_guard=u)


def _bmsk(name: str, code: int, u: bool) -> Row:
    return Row(code, name, (_d(u), *sources("ab", uniform=u)), (flag(75, "W"),), "d = b ones from bit a on", uniform_guard=u)


def _isetp(name: str, code: int, u: bool) -> Row:
    operands = (
        _out("p", 81, u, False), _out("q", 84, u, False), *sources("ab", shown=SIGNED, uniform=u), predicate("with", 87, 90, uniform=u),
        predicate("low", 68, 71, uniform=u, when=is_set(72)),
    )  # fmt: skip
    modifiers = (
        choice("compare", 76, 3, COMPARISONS), flag(73, "", "U32", "signed"), choice("combine", 74, 2, COMBINATIONS), flag(72, "EX"),
    )  # fmt: skip
    return Row(code, name, operands, modifiers, "p = (a ? b) and with", uniform_guard=u)


def _plop3(name: str, code: int, u: bool) -> Row:
    third = _Third("c", "P", 68, inverted=71)
    operands = (
        _out("p", 81, u, False), _out("q", 84, u, False), predicate("a", 87, 90, uniform=u), predicate("b", 77, 80, uniform=u),
        predicate("c", 68, 71, uniform=True) if u else third, _Table("table", IMMEDIATE, 64), number("table2", 16, 8),
    )  # fmt: skip
    return Row(code, name, operands, (choice("kind", 105, 0, {0: "LUT"}),), "p = a table of three predicates", uniform_guard=u)


class _Third(Spec):
    """The third predicate, which may be a uniform one."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return super().fields(form) | {"c_uniform": bits(67)}

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        found = super().value(one)
        return found._replace(kind="UP") if one.word >> 67 & 1 else found


class _Table(Spec):
    """Eight bits in two places."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return {self.role: (*bits(64, 3), *bits(72, 5))}

    def value(self, one: Coded) -> Value:
        """What it is in an instruction."""
        return super().value(one)._replace(number=one.at(64, 3) | one.at(72, 5) << 3)


def _count(name: str, code: int, u: bool) -> Row:
    """FLO: where the highest one is."""
    modifiers = (flag(73, "", "U32", "signed"), flag(74, "SH"))
    return Row(code, name, (_d(u), _out("p", 81, u), _inverted_source(u)), modifiers, "d = the place of b's highest one", uniform_guard=u)


def _inverted_source(u: bool) -> Spec:
    return Sources("b", "", B, uniform=u, wide_signs=(-1, -1, 63, -1))


_KIND = choice("type", 72, 2, ("U32", "", "U16x2", "S16x2"))
_RELU = flag(76, "RELU")
_SELECT = predicate("p", 87, 90)
ROWS: tuple[Row, ...] = (
    *_pair("MOV", 0x002, _mov),
    *_pair("SEL", 0x007, _sel),
    *_pair("IADD3", 0x010, _add),
    *_pair("LEA", 0x011, _lea),
    *_pair("LOP3", 0x012, _lop3),
    Row(0x013, "IABS", (register("d", D), *sources("b")), (), "d = the absolute value of b"),
    Row(0x015, "VABSDIFF4", (register("d", D), *sources("abc")), (flag(73, "", "U8", "signed"), flag(75, "ACC")), "differences of bytes"),
    Row(
        0x014,
        "VABSDIFF",
        (register("d", D), predicate("p", 81, optional=True), *sources("abc")),
        (flag(73, "", "U32", "signed"),),
        "d = the difference of a and b without its sign, + c",
    ),
    *_pair("PRMT", 0x016, _prmt),
    Row(0x017, "IMNMX", (register("d", D), *sources("ab", shown=SIGNED), _SELECT), (flag(73, "", "U32", "signed"),), "d = p ? min : max"),
    *_pair("SHF", 0x019, _shf),
    *_pair("SGXT", 0x01A, _sgxt),
    *_pair("BMSK", 0x01B, _bmsk),
    *_pair("ISETP", 0x00C, _isetp),
    *_pair("PLOP3", 0x01C, _plop3),
    *_pair("IMAD", 0x024, _imad),
    *_pair("IMAD", 0x025, lambda name, code, u: _imad(name, code, u, "WIDE")),
    *_pair("IMAD", 0x027, lambda name, code, u: _imad(name, code, u, "HI")),
    Row(
        0x026,
        "IDP",
        (register("d", D), *sources("ab"), Signed("c", "", B, wide_signs=(63, -1, -1, -1), plain_signs=(75, -1, -1, -1))),
        (
            choice("kind", 76, 2, ("4A", "2A.LO", "INVALID2", "2A.HI")),
            flag(73, "S8", "U8", "a_signed", lambda one: not one.at(76, 1)),
            flag(73, "S16", "U16", "a_signed", is_set(76)),
            flag(74, "S8", "U8", "b_signed"),
        ),
        "d = a . b + c, by bytes",
    ),
    Row(
        0x036,
        "VIADD",
        (register("d", D), _first(False, 72), Sources("b", "", B, wide_signs=(63, -1, -1, -1), plain_signs=(75, -1, -1, -1))),
        (flag(73, "16x2"),),
        "d = a + b",
    ),
    Row(
        0x048,
        "VIMNMX",
        (register("d", D), *sources("ab", shown=SIGNED), _SELECT),
        (_KIND, _RELU),
        "d = p ? min : max",
        others={"unused": bits(81, 6)},
    ),
    Row(
        0x046,
        "VIADDMNMX",
        (
            register("d", D),
            register("a", A),
            Sources("b", "", B, wide_signs=(63, -1, -1, -1), plain_signs=(75, -1, -1, -1)),
            *sources("c"),
            _SELECT,
        ),
        (_KIND, _RELU),
        "d = p ? min : max of a + b and c",
    ),
    Row(0x00F, "VIMNMX3", (register("d", D), *sources("abc", shown=SIGNED), _SELECT), (_KIND, _RELU), "d = p ? min : max of a, b and c"),
    Row(0x100, "FLO", _count("FLO", 0x100, False).operands, _count("FLO", 0x100, False).modifiers, "d = the place of b's highest one"),
    _count("UFLO", 0x0BD, True),
    Row(0x101, "BREV", (register("d", D), *sources("b")), (), "d = b, bits in reverse"),
    Row(0x0BE, "UBREV", (uniform("d", D), *sources("b", uniform=True)), (), "d = b, bits in reverse", uniform_guard=True),
    Row(0x109, "POPC", (register("d", D), _inverted_source(False)), (), "d = number of ones in b"),
    Row(0x0BF, "UPOPC", (uniform("d", D), _inverted_source(True)), (), "d = number of ones in b", uniform_guard=True),
    Row(0x119, "S2R", (register("d", D), _special(72)), (), "d = a special register"),
    Row(0x1C3, "S2UR", (uniform("d", D), _special(72)), (), "d = a special register", uniform_guard=True),
    Row(0x005, "CS2R", (register("d", D), _special(72)), (flag(80, "", "32", "wide"),), "d = a special register, 64 bits"),
    Row(
        0x003,
        "P2R",
        (register("d", D), AllPredicates("which", "PR", 0), register("a", A), *sources("b")),
        (choice("byte", 76, 2, ("", "B1", "B2", "B3")),),
        "d = a with predicates in the bits of b",
    ),
    Row(
        0x004,
        "R2P",
        (AllPredicates("which", "PR", 0), _Byte("a", "R", A), *sources("b")),
        (),
        "predicates = bits of a, where b has ones",
        others={"byte": bits(76, 2)},
    ),
    *(
        Row(
            code,
            "R2UR",
            (_out("p", 81, False), uniform("d", D), register("a", A)),
            (flag(84, "OR"),),
            "d = a of a lane; p = whether a differs from it",
        )
        for code in (0x1C2, 0x0CA)
    ),
)
