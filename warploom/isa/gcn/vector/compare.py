"""VOPC: comparisons of lanes, whose result is a mask.

In hardware: a bit a lane, side by side into a pair of scalar registers. Lanes that are not active have 0, so that a comparison is also a
narrower EXEC; `v_cmpx` writes it there too. In 32 bits the mask goes to VCC.

Source: AMD "Vega" Instruction Set Architecture, section 12.9.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import Code, Number, Value
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.registers import EXEC
from warploom.isa.gcn.vector.floats import pairs
from warploom.isa.gcn.vector.wide_floats import class_of_half, class_of_wide
from warploom.isa.uop import scalar

Lower = Callable[[Code], None]
FLOAT_NAMES = ("f", "lt", "eq", "le", "gt", "lg", "ge", "o", "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru")
WHOLE_NAMES = ("f", "lt", "eq", "le", "gt", "ne", "ge", "t")
SIGNS = {"f": "never", "lt": "a < b", "eq": "a == b", "le": "a <= b", "gt": "a > b", "lg": "a < b or a > b", "ge": "a >= b",
         "o": "neither is NaN", "u": "one is NaN", "nge": "not a >= b", "nlg": "not (a < b or a > b)", "ngt": "not a > b",
         "nle": "not a <= b", "neq": "not a == b", "nlt": "not a < b", "tru": "always", "ne": "a != b", "t": "always"}  # fmt: skip
CLASSES = "d = lanes in which a is of a class that b names"


def put(code: Code, holds: Value) -> None:
    """The mask of a comparison."""
    code.put_mask("d", holds)
    if "_cmpx_" in code.row.mnemonic and code.place("d") != EXEC:
        for part in range(2):
            code.add("mov", scalar(EXEC + part), scalar(code.place("d") + part))


def _inverted(code: Code, value: int) -> int:
    return code.lane("xor", value, Number(1))


def _whole(name: str, bits: int, signed: bool) -> Lower:
    less = "slt" if signed else "sltu"

    def lower(code: Code) -> None:
        a, b = code.source("a"), code.source("b")
        if bits == 16:
            shift = Number(16)
            a, b = (code.lane("sra" if signed else "shr", code.lane("shl", value, shift), shift) for value in (a, b))
        if name in "ft":
            put(code, Number(1 if name == "t" else 0))
        elif name in ("eq", "ne"):
            put(code, code.lane("seq" if name == "eq" else "sne", a, b))
        elif name in ("lt", "gt"):
            put(code, code.lane(less, *((a, b) if name == "lt" else (b, a))))
        else:
            put(code, _inverted(code, code.lane(less, *((a, b) if name == "ge" else (b, a)))))

    return lower


def _wide(name: str, signed: bool) -> Lower:
    less = "slt" if signed else "sltu"

    def lower(code: Code) -> None:
        (a, a_high), (b, b_high) = code.pair("a"), code.pair("b")
        if name in "ft":
            put(code, Number(1 if name == "t" else 0))
            return
        equal_high = code.lane("seq", a_high, b_high)
        if name in ("eq", "ne"):
            same = code.lane("and", equal_high, code.lane("seq", a, b))
            put(code, same if name == "eq" else _inverted(code, same))
            return
        swaps = name in ("gt", "le")
        first, second = ((b, b_high), (a, a_high)) if swaps else ((a, a_high), (b, b_high))
        below = code.lane("sel", code.lane("sltu", first[0], second[0]), code.lane(less, first[1], second[1]), equal_high)
        put(code, below if name in ("lt", "gt") else _inverted(code, below))

    return lower


def _float(name: str, wide: bool = False, half: bool = False) -> Lower:
    equal, less, less_equal = ("deq", "dlt", "dle") if wide else ("feq", "flt", "fle")

    def lower(code: Code) -> None:
        if name in ("f", "tru"):
            put(code, Number(1 if name == "tru" else 0))
            return
        a, b = pairs(code) if wide else [code.lane("h2f", value) if half else value for value in (code.source("a"), code.source("b"))]
        negated = name.startswith("n")
        plain = name[1:] if negated else name
        if plain in ("o", "u"):
            found = code.lane("and", code.lane(equal, a, a), code.lane(equal, b, b))
            negated = plain == "u"
        elif plain == "lg":
            found = code.lane("or", code.lane(less, a, b), code.lane(less, b, a))
        else:
            operation = {"lt": less, "gt": less, "le": less_equal, "ge": less_equal, "eq": equal}[plain]
            found = code.lane(operation, *((b, a) if plain in ("gt", "ge") else (a, b)))
        put(code, _inverted(code, found) if negated else found)

    return lower


def _classes(code: Code) -> None:
    """AMD's ten classes: signaling NaN, quiet NaN, -infinity, -normal, -denormal, -0, +0, +denormal, +normal, +infinity."""
    found = code.lane("fclass", code.source("a"))
    named = code.source("b")
    # The machine has the same eight in the middle, two places lower, and the two kinds of NaN above them.
    middle = code.lane("and", code.lane("shl", found, Number(2)), Number(0x3FC))
    both = code.lane("or", middle, code.lane("and", code.lane("shr", found, Number(8)), Number(3)))
    put(code, code.lane("and", both, named))


def _class_named(classify: Callable[[Code], int]) -> Lower:
    def lower(code: Code) -> None:
        put(code, code.lane("and", classify(code), code.source("b")))

    return lower


def _rows() -> list[Row]:
    rows: list[Row] = []

    def both(name: str, opcode: int, operands: str, lower: Lower, meaning: str, floats: int = 0, step: int = 16) -> None:
        rows.append(Row(f"v_cmp_{name}", "VOPC", opcode, operands, lower, meaning, floats=floats))
        rows.append(Row(f"v_cmpx_{name}", "VOPC", opcode + step, operands, lower, meaning.replace("d =", "d = EXEC ="), floats=floats))

    both("class_f32", 16, "dm a b", _classes, CLASSES, 32, 1)
    both("class_f64", 18, "dm a2 b", _class_named(class_of_wide), CLASSES, 64, 1)
    both("class_f16", 20, "dm a b", _class_named(class_of_half), CLASSES, 16, 1)
    for bits, first in ((16, 32), (32, 64), (64, 96)):
        for place, name in enumerate(FLOAT_NAMES):
            lower = _float(name, bits == 64, bits == 16)
            both(f"{name}_f{bits}", first + place, "dm a2 b2" if bits == 64 else "dm a b", lower, f"d = lanes with {SIGNS[name]}", bits)
    for letter, bits, first in (("i", 16, 160), ("u", 16, 168), ("i", 32, 192), ("u", 32, 200), ("i", 64, 224), ("u", 64, 232)):
        for place, name in enumerate(WHOLE_NAMES):
            lower = _wide(name, letter == "i") if bits == 64 else _whole(name, bits, letter == "i")
            said = f"d = lanes with {SIGNS[name]}, {'signed' if letter == 'i' else 'unsigned'}"
            both(f"{name}_{letter}{bits}", first + place, "dm a2 b2" if bits == 64 else "dm a b", lower, said)
    return rows


ROWS = tuple(_rows())
