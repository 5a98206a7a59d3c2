"""Rows of floating point: single, double and half precision, conversions, approximate functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from warploom.isa.sass.instruction import Modifier, Row, choice, flag
from warploom.isa.sass.operands import B_WIDE, BFLOATS, DOUBLE, FLOAT, HALVES, REGISTER, Spec
from warploom.isa.sass.places import A, B, D, Other, Sources, predicate, register, sources
from warploom.isa.sass.rows.integers import COMBINATIONS
from warploom.isa.sass.word import Coded, Field, bits, get

COMPARISONS = (
    "F", "LT", "EQ", "LE", "GT", "NE", "GE", "NUM", "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T",
)  # fmt: skip
ROUNDING = ("", "RM", "RP", "RZ")
TO_INTEGER = ("", "FLOOR", "CEIL", "TRUNC")
FUNCTIONS = ("COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT", "TANH")
FLOATS, INTEGERS = {0: "BF16", 1: "F16", 2: "F32", 3: "F64"}, ("8", "16", "32", "64")
FTZ, SATURATE, ROUND = flag(80, "FTZ"), flag(77, "SAT"), choice("rounding", 78, 2, ROUNDING)
_D = register("d", D)
_P = predicate("p", 87, 90)


def _second(shown: str = FLOAT) -> Spec:
    return Other("c", "", B, shown=shown, wide_signs=(63, 62, -1, -1))


def _unary(signs: bool = True) -> Spec:
    return Sources("b", "", B, shown=FLOAT, wide_signs=(63, 62, -1, -1) if signs else (-1, -1, -1, -1))


def _float(code: int, name: str, words: str, meaning: str, *modifiers: Modifier) -> Row:
    return Row(code, name, (_D, *sources(words, "f", FLOAT)), modifiers or (FTZ, ROUND, SATURATE), meaning)


def _set(code: int, name: str, operands: tuple[Spec, ...], meaning: str, *more: Modifier) -> Row:
    modifiers = (*more, choice("compare", 76, 4, COMPARISONS), FTZ, choice("combine", 74, 2, COMBINATIONS))
    return Row(code, name, operands, modifiers, meaning)


def _integer(sign: int, size: int, role: str, usual: int) -> Modifier:
    """S32, U8 and the like: a sign, and a size of two bits."""
    names = {number << 1 | signed: ("S" if signed else "U") + INTEGERS[number] for number in range(4) for signed in range(2)}
    names[usual] = ""
    return Modifier(role, (*bits(sign), *bits(size, 2)), names)


def _type(role: str, low: int, usual: str = "") -> Modifier:
    """F16, F32 or F64."""
    return choice(role, low, 2, {number: "" if name == usual else name for number, name in FLOATS.items()})


class _Half(Sources):
    """A source of halves, of either kind."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        spec = self._spec(one.form)
        return replace(spec, shown=BFLOATS).text(one) if one.word >> 85 & 1 else spec.text(one)


class _PackedByte(Spec):
    """The word whose half is put beside two bytes."""

    def fields(self, form: int) -> dict[str, Field]:
        """The fields of its bits, by name."""
        return super().fields(form) | {"half": bits(72)}

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        return (super().text(one) or "") + ".H1" * one.at(72, 1)


class _AddedHalf(_Half, Other):
    """The second half of a sum."""


class _Argument(Sources):
    """What a function is of: the high word of a double in some."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        text = replace(self._spec(one.form), shown=DOUBLE if one.at(74, 4) in (6, 7) else FLOAT).text(one)
        return f"{text}.H1" if one.at(72, 2) and one.at(60, 1) and one.form == B_WIDE else text


class _Part(Sources):
    """An integer, or a byte or a half of it."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        part = one.at(60, 2) if one.at(84, 2) < 2 and one.form == B_WIDE else 0
        suffix = (".H0", ".H1", ".H2", ".H3") if one.at(84, 2) else (".B0", ".B1", ".B2", ".B3")
        return (super().text(one) or "") + (suffix[part] if part else "")


PACKED = (*bits(78), *bits(89, 2))
PACK, MERGE, UNPACK, PACK_MERGE = 0, 1, 2, 5  # how F2FP puts its results together
MADE = (*bits(76), *bits(86, 2))
HALF, BRAIN, E5M2, E4M3 = 0, 1, 4, 5  # what it makes
_MADE = {HALF: "F16", BRAIN: "BF16", E5M2: "E5M2", E4M3: "E4M3"}


class _Made(Modifier):
    """What F2FP makes; a half is not written before sm_89."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        kind = get(one.word, self.field)
        return "" if kind == HALF and one.architecture < 89 else self.names.get(kind, f"???{kind}")


class _Packed(Modifier):
    """What is packed, and how it is put together."""

    def text(self, one: Coded) -> str:
        """How a listing writes it."""
        how = get(one.word, self.field)
        of = "" if one.architecture < 89 else "F32." if how != UNPACK else ("E5M2.", "E4M3.")[one.at(73, 1)]
        rounds = "" if one.at(79, 3) == 0 else ".RZ" if one.at(79, 3) == 3 else f".???{one.at(79, 3)}"
        return (
            of + {PACK: "PACK_AB", MERGE: "MERGE_C", UNPACK: "UNPACK_B", PACK_MERGE: "PACK_AB_MERGE_C"}.get(how, f"INVALID{how}") + rounds
        )


def packs(*kinds: int) -> Callable[[Coded], bool]:
    """Whether F2FP is of one of these kinds."""
    return lambda one: get(one.word, PACKED) in kinds


class _PackedSource(Sources):
    """A source of F2FP: a half word of it, where there are two results in one."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        text = super().text(one)
        if text is None:
            return None
        upper = one.at(88, 1) if self.role == "b" else one.at(72, 1)
        halves = get(one.word, PACKED) == (UNPACK if self.role == "b" else PACK_MERGE) or (self.role == "c" and packs(MERGE)(one))
        return text + ".H1" if upper and halves else text


def _compared(code: int, name: str, results: tuple[Spec, ...], meaning: str, *more: Modifier) -> Row:
    """A comparison of halves."""
    operands = (
        *results,
        Spec("a", REGISTER, A, 72, 73, shown=HALVES, swizzle=74),
        _ComparedHalf("c", "", B, shown=HALVES, wide_signs=_WIDE),
    )
    modifiers = (choice("kind", 64, 2, ("", "INVALID1", "BF16_V2", "INVALID3")), *more[:1], choice("compare", 76, 4, COMPARISONS), FTZ)
    return Row(code, name, (*operands, predicate("with", 87, 90)), (*modifiers, *more[1:], choice("combine", 69, 2, COMBINATIONS)), meaning)


_WIDE = (63, 62, -1, 60)


class _ComparedHalf(Other):
    """The second half of a comparison, of either kind."""

    def text(self, one: Coded) -> str | None:
        """How a listing writes it."""
        spec = self._spec(one.form)
        return replace(spec, shown=BFLOATS).text(one) if one.word >> 65 & 1 else spec.text(one)


def _halves(code: int, name: str, words: str, meaning: str, *first: Modifier) -> Row:
    signs = {"b": ((63, 62, -1, 60), (75, 74, -1, 81)), "c": ((63, 62, -1, 60), (84, 83, -1, 81))}
    found: list[Spec] = [_D, Spec("a", REGISTER, A, 72, 73, shown=HALVES, swizzle=74)]
    for word in words[1:]:
        wide, plain = signs[word]
        plain = signs["c"][1] if len(words) == 3 else plain  # the bits of b's signs are those of a's choice of halves
        kind = _AddedHalf if words == "ac" else _Half
        found.append(kind(word, "", B, shown=HALVES, wide_signs=wide, plain_signs=plain))
    fused = (flag(76, "FMZ"),) if len(words) == 3 else ()
    modifiers = (*first, flag(85, "BF16_V2"), flag(78, "F32"), *fused, FTZ, SATURATE, *((flag(79, "RELU"),) if fused else ()))
    return Row(code, name, tuple(found), modifiers, meaning, others={"p": bits(87, 3), "p_not": bits(90)})


def _late(one: Coded) -> bool:
    return one.architecture >= 90


ROWS: tuple[Row, ...] = (
    Row(0x021, "FADD", (_D, *sources("a", "f"), _second()), (FTZ, ROUND, SATURATE), "d = a + b"),
    _float(
        0x020, "FMUL", "ab", "d = a * b", FTZ, choice("scale", 84, 3, ("INVALID0", "D8", "D4", "D2", "", "M2", "M4", "M8")), ROUND, SATURATE
    ),
    _float(0x023, "FFMA", "abc", "d = a * b + c, rounded once"),
    Row(0x008, "FSEL", (_D, *sources("ab", "f", FLOAT), _P), (FTZ,), "d = p ? a : b"),
    Row(0x009, "FMNMX", (_D, *sources("ab", "f", FLOAT), _P), (FTZ, flag(81, "NAN"), flag(82, "XORSIGN")), "d = p ? min : max"),
    _set(0x00A, "FSET", (_D, *sources("ab", "f", FLOAT), _P), "d = a ? b", choice("kind", 105, 0, {0: "BF"})),
    _set(
        0x00B,
        "FSETP",
        (predicate("p", 81), predicate("q", 84), *sources("ab", "f", FLOAT), predicate("with", 87, 90)),
        "p = (a ? b) and with",
    ),
    Row(0x022, "FSWZADD", (_D, *sources("a"), register("c", 64)), (FTZ, ROUND), "d = a and b, added by a table"),
    Row(0x028, "DMUL", (_D, *sources("ab", "f", DOUBLE)), (ROUND,), "d = a * b"),
    Row(
        0x029,
        "DADD",
        (_D, *sources("a", "f"), Sources("c", "", B, shown=DOUBLE, wide_signs=(63, 62, -1, -1), plain_signs=(75, 74, -1, -1))),
        (ROUND,),
        "d = a + c",
    ),
    Row(0x02B, "DFMA", (_D, *sources("abc", "f", DOUBLE)), (ROUND,), "d = a * b + c, rounded once"),
    Row(
        0x02A,
        "DSETP",
        (predicate("p", 81), predicate("q", 84), *sources("a", "f"), _second(DOUBLE), predicate("with", 87, 90)),
        (choice("compare", 76, 4, ("MIN", *COMPARISONS[1:15], "MAX")), choice("combine", 74, 2, COMBINATIONS)),
        "p = (a ? b) and with",
    ),
    _halves(0x030, "HADD2", "ac", "d = a + c, two halves"),
    _halves(0x032, "HMUL2", "ab", "d = a * b, two halves"),
    _halves(0x031, "HFMA2", "abc", "d = a * b + c, two halves"),
    _halves(0x035, "HFMA2", "abc", "d = a * b + c, two halves", choice("kind", 105, 0, {0: "MMA"})),
    _compared(0x033, "HSET2", (_D,), "d = a ? c, two halves", flag(71, "BF", role="as_float")),
    _compared(
        0x034, "HSETP2", (predicate("p", 81), predicate("q", 84)), "p = (a ? c) and with", flag(66, ""), flag(71, "H_AND", role="both")
    ),
    Row(
        0x040,
        "HMNMX2",
        (
            _D,
            Spec("a", REGISTER, A, 72, 73, shown=HALVES, swizzle=74),
            _AddedHalf("c", "", B, shown=HALVES, wide_signs=_WIDE),
            predicate("p", 87, 90),
        ),
        (flag(85, "BF16_V2"), FTZ, flag(81, "NAN"), flag(82, "XORSIGN")),
        "d = p ? min : max, two halves",
    ),
    Row(
        0x038,
        "I2I",
        (_D, _unary(False)),
        (choice("to", 76, 2, ("U8", "S8", "U16", "S16")), choice("kind", 105, 0, {0: "S32.SAT"})),
        "d = b as a shorter integer, saturated",
    ),
    Row(
        0x043,
        "F2IP",
        (_D, Spec("a", REGISTER, A), _unary(False), _PackedByte("c", REGISTER, 64)),
        (
            choice("to", 76, 2, ("U8", "S8", "INVALID2", "INVALID3")),
            choice("kind", 105, 0, {0: "F32"}),
            choice("rounding", 78, 2, ("", "INVALID1", "INVALID2", "TRUNC")),
            flag(74, "NTZ"),
            flag(75, "RELU"),
        ),
        "d = a and b as two bytes above the low half of c",
    ),
    Row(
        0x03E,
        "F2FP",
        (
            _D,
            Spec("a", REGISTER, A, 72, 73, when=packs(PACK, PACK_MERGE)),
            _PackedSource("b", "", B, shown=FLOAT, wide_signs=(63, 62, -1, -1), plain_signs=(75, 74, -1, -1)),
            _PackedSource("c", "", B, when=packs(MERGE, PACK_MERGE)),
        ),
        (flag(77, "SATFINITE"), flag(75, "RELU"), _Made("type", MADE, _MADE), _Packed("kind", PACKED, {})),
        "two floats as halves",
        others={"of": bits(73, 2), "c_half": bits(72), "b_half": bits(88), "rounding": bits(79, 3)},
    ),
    Row(
        0x108,
        "MUFU",
        (_D, _Argument("b", "", B, wide_signs=(63, 62, -1, -1))),
        (choice("function", 74, 4, FUNCTIONS), choice("type", 72, 2, ("", "F16", "BF16", "INVALID3"))),
        "d = a function of b, approximately",
        others={"half": bits(60), "more": bits(78, 2)},
    ),
    Row(
        0x102, "FCHK", (predicate("p", 81), *sources("ab", "f", FLOAT)), (choice("kind", 105, 0, {0: ""}),), "p = a / b needs the slow way"
    ),
    *(
        Row(
            code,
            "F2I",
            (_D, _unary()),
            (FTZ, _integer(72, 75, "to", 5), _type("from", 84, "F32"), choice("rounding", 78, 2, TO_INTEGER), flag(77, "NTZ")),
            "d = b as an integer",
        )
        for code in (0x105, 0x111)
    ),
    *(
        Row(
            code,
            "I2F",
            (_D, _Part("b", "", B)),
            (_type("to", 75, "F32"), _integer(74, 84, "from", 5), ROUND),
            "d = the integer b as a float",
            others={"byte": bits(60, 2)},
        )
        for code in (0x106, 0x112)
    ),
    *(
        Row(code, "F2F", (_D, _unary()), (FTZ, _type("to", 75), _type("from", 84), ROUND), "d = b as another float")
        for code in (0x104, 0x110)
    ),
    *(
        Row(code, "FRND", (_D, _unary()), (FTZ, _type("to", 75, "F32"), choice("rounding", 78, 2, TO_INTEGER)), "d = b as a whole float")
        for code in (0x107, 0x113)
    ),
    Row(
        0x03C,
        "HMMA",
        (_D, register("a", A), register("b", B), register("c", 64)),
        (
            Modifier("shape", (*bits(75), *bits(78)), {0: "1688", 1: "16816", 2: "1684"}),
            flag(76, "F32", "F16", "wide"),
            choice("type", 82, 2, ("", "BF16", "TF32")),
        ),
        "d = a * b + c, matrices of halves",
    ),
    Row(
        0x03F,
        "DMMA",
        (_D, register("a", A), register("b", B), register("c", 64)),
        (choice("kind", 105, 0, {0: "884"}, lambda one: one.architecture < 90), choice("kind", 105, 0, {0: "8x8x4"}, _late)),
        "d = a * b + c, matrices of doubles",
    ),
    Row(0x045, "I2FP", (_D, _Part("b", "", B)), (_type("to", 75), _integer(74, 84, "from", 9), ROUND), "d = the integer b as a float"),
)
