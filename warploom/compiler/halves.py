"""Halves: a 16-bit float stays 16 bits in its register, and an operation on such floats is one instruction.

In hardware: a multiprocessor adds, multiplies and compares 16-bit floats as they are (NVIDIA: HADD2, HMUL2, HFMA2, HSETP2, of pairs; here
of one). A front end says it with conversions: widen, compute in 32 bits, round. For a sum, difference or product that is the same as
rounding once, because 24 bits of precision are at least 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", SIGNUM 1995); a
multiply-add it says in 64 bits. Division, roots and all else are computed in 32 bits on hardware too, with the conversions around them.

A value of 32 bits *holds a half* when it was widened from one, or is chosen among such values: of those this pass makes the 16 bits
themselves.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import NamedTuple

from warploom.compiler.ssa import Block, Value

ARITHMETIC = ("fadd", "fsub", "fmul")
EXTREMES = ("fmin", "fmax")
TESTS = ("feq", "flt", "fle")
CHOOSING = ("phi", "sel", "fneg", "fabs", *EXTREMES)  # of halves they make a half, exactly
SIGN, ANY_HALF = 0x8000, 0xFFFF


class Pattern(NamedTuple):
    """What a value looks like: one of some operations, of whose operands each has a pattern itself."""

    ops: tuple[str, ...]
    operands: Pattern | None = None


class Rule(NamedTuple):
    """A pattern, and what stands in its place: an operation on halves and its operands; without a name, the operand itself."""

    pattern: Pattern
    replacement: Callable[[Value], tuple[str, list[Value]]]


HELD = Pattern(())  # any value that holds a half
RULES = (
    # feq(x, y)                  -> half[feq](x, y), and so the other tests
    Rule(Pattern(TESTS, HELD), lambda value: (value.op, value.args)),
    # f2h(x)                     -> x
    Rule(Pattern(("f2h",), HELD), lambda value: ("", value.args)),
    # f2h(fadd(x, y))            -> half[fadd](x, y), and so differences and products
    Rule(Pattern(("f2h",), Pattern(ARITHMETIC, HELD)), lambda value: (value.args[0].op, value.args[0].args)),
    # f2h(fma(f2f x, f2f y, f2f z)) -> half[dfma](x, y, z)
    Rule(
        Pattern(("f2h",), Pattern(("fma",), Pattern(("f2f",), HELD))),
        lambda value: ("dfma", [one.args[0] for one in value.args[0].args]),
    ),
)


def compute_in_halves(blocks: list[Block]) -> None:
    """Make operations `half` of what is widened, computed and rounded; what is no longer needed is left for pruning."""
    _Halves(blocks).rewrite()


def half_bits(number: float) -> int | None:
    """The bits of a float as one of 16 bits that is the same number; None where there is none."""
    try:
        bits = struct.pack("<e", number)
    except (OverflowError, ValueError):
        return None
    (back,) = struct.unpack("<e", bits)
    same = back == number or math.isnan(number)
    return int.from_bytes(bits, "little") if same else None


class _Halves:
    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.narrow_of: dict[Value, Value] = {}
        self.replaced: dict[Value, Value] = {}
        self.holding = {value for block in blocks for value in (*block.phis, *block.code) if self._may_hold(value)}
        while wrong := {value for value in self.holding if not all(map(self.holds, self._chosen(value)))}:
            self.holding -= wrong

    def _may_hold(self, value: Value) -> bool:
        return value.type == "f32" and (value.op == "h2f" or value.op in CHOOSING)

    def _chosen(self, value: Value) -> list[Value]:
        """The values of which one is a value that chooses."""
        return [] if value.op == "h2f" else value.args[1:] if value.op == "sel" else value.args

    def holds(self, value: Value) -> bool:
        """Whether a value holds a half."""
        return value in self.holding or (value.op == "const" and value.type == "f32" and half_bits(value.imm) is not None)

    def rewrite(self) -> None:
        for block in self.blocks:
            for value in list(block.code):
                self._rewrite(value)
        for block in self.blocks:
            for value in (*block.phis, *block.code):
                value.args = [self._final(operand) for operand in value.args]
            if block.condition is not None:
                block.condition = self._final(block.condition)

    def _final(self, value: Value) -> Value:
        while value in self.replaced:
            value = self.replaced[value]
        return value

    def _matches(self, pattern: Pattern, value: Value) -> bool:
        if pattern is HELD:
            return self.holds(value)
        return value.op in pattern.ops and pattern.operands is not None and all(self._matches(pattern.operands, one) for one in value.args)

    def _rewrite(self, value: Value) -> None:
        """Replace a value by the first rule whose pattern it has."""
        rule = next((one for one in RULES if self._matches(one.pattern, value)), None)
        if rule is None:
            return
        name, operands = rule.replacement(value)
        if name:
            value.op, value.imm, value.args = "half", name, [self.narrow(one) for one in operands]
        else:
            self.replaced[value] = self.narrow(operands[0])

    def narrow(self, value: Value) -> Value:
        """The 16 bits of a value that holds a half."""
        if value not in self.narrow_of:
            self.narrow_of[value] = self._narrowed(value)
        return self.narrow_of[value]

    def _narrowed(self, value: Value) -> Value:
        if value.op == "h2f":
            return value.args[0]
        if value.op == "const":
            return _number(half_bits(value.imm) or 0)
        made = Value(value.op, [], "u64", 0, value.block, value.level, value.at, 0, ANY_HALF, number=value.number)
        self.narrow_of[value] = made  # a phi may be its own operand
        block = value.block
        assert block is not None
        if value.op == "phi":
            block.phis.append(made)
        else:
            block.code.insert(block.code.index(value), made)
        operands = [self.narrow(one) for one in self._chosen(value)]
        if value.op == "sel":
            operands = [value.args[0], *operands]
        elif value.op in EXTREMES:
            made.op, made.imm = "half", value.op
        elif value.op in ("fneg", "fabs"):
            if value.op == "fabs":
                size = Value(
                    "and", [*operands, _number(SIGN - 1)], "u64", 0, block, value.level, value.at, 0, ANY_HALF, number=value.number
                )
                block.code.insert(block.code.index(made), size)
                operands = [size]
            made.op, made.imm = "half", "fsub" if value.op == "fneg" else "fadd"  # -0 - x, |x| + -0: sums, as NVIDIA has them
            operands = [_number(SIGN), *operands]
        made.args = operands
        return made


def _number(bits: int) -> Value:
    return Value("const", [], "u64", bits, lo=bits, hi=bits)
