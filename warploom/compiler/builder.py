"""The builder of SSA: folds, shares and hoists values while it makes them, so that there is no optimiser pass.

An operation without side effects is folded when its operands allow it (`fold.py`), is made only once where an equal one is in reach (a
hash table a scope), and is placed before the outermost loop in which all of its operands are known.

Sources: Click, "Global Code Motion, Global Value Numbering", PLDI 1995; Braun et al., "Simple and Efficient Construction of SSA Form",
CC 2013 (folding while building).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any, NamedTuple

from warploom.compiler.fold import fold
from warploom.compiler.interval import interval
from warploom.compiler.ssa import COMMUTES, FLOATS, LIMITS, Access, At, Block, Interval, Value, rounded


class Loop(NamedTuple):
    """A loop that is being built: where its invariants go, and the scope that they are known in."""

    preheader: Block
    scope: int


class Builder:
    """Makes values and blocks. `block` is where new operations go; None where nothing can be reached."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.scopes: list[dict[object, Value]] = [{}]
        self.loops: list[Loop] = []
        self.at = At()
        self._values = 0
        self.block: Block | None = self.new_block()

    # ---- blocks

    def new_block(self, before: Iterable[Block] = ()) -> Block:
        """An empty block; before: blocks whose ends are opened to it."""
        block = Block(len(self.blocks), self.at)
        self.blocks.append(block)
        for one in before:
            one.after.append(block)
            block.before.append(one)
        return block

    def place(self, block: Block) -> None:
        """Continue in a block, and let it follow what there is already."""
        self.blocks.remove(block)
        self.blocks.append(block)
        self.block = block

    @property
    def current(self) -> Block:
        """The block that operations go to, where there is one."""
        assert self.block is not None
        return self.block

    def close_scope(self, *, dominates: bool) -> None:
        """Forget what the innermost scope knows, or hand it on where every path from here on comes through it."""
        table = self.scopes.pop()
        if dominates:
            self.scopes[-1].update(table)

    def jump(self, to: Block) -> None:
        """End the current block by going to another one."""
        assert self.block is not None
        self.block.ends, self.block.after = "jump", [to]
        to.before.append(self.block)
        self.block = None

    def branch(self, condition: Value, true: Block, false: Block) -> None:
        """End the current block by going where a condition says."""
        assert self.block is not None
        self.block.ends, self.block.condition, self.block.after = "branch", condition, [true, false]
        true.before.append(self.block)
        false.before.append(self.block)
        self.block = None

    def exit(self) -> None:
        """The thread ends."""
        if self.block is not None:
            self.block.ends = "exit"
            self.block = None

    def bind(self, name: str, value: Value, kind: str = "", words: int = 0) -> None:
        """A variable of the source has a value from here on. kind, words: of the variable, where the value does not say them."""
        if self.block is not None:
            self.block.bound.append((0 if value.op == "phi" and value.block is self.block else self._values, name, value, kind, words))

    def phi(self, block: Block, type: str, args: Iterable[Value]) -> Value:
        """A value that depends on how `block` was come to; an argument for each of its `before`, more may follow."""
        known = list(args)
        value = self._value("phi", known, type)
        value.block, value.level = block, len(self.loops)
        value.lo, value.hi = (min(v.lo for v in known), max(v.hi for v in known)) if known else LIMITS[type]
        block.phis.append(value)
        return value

    # ---- values

    def whole(self, number: int, type: str = "i64") -> Value:
        """A whole constant."""
        return Value("const", [], type, number, lo=number, hi=number)

    def real(self, number: float, type: str) -> Value:
        """A float constant; of `f32` it is rounded."""
        return Value("const", [], type, rounded(number) if type == "f32" else number)

    def truth(self, holds: bool) -> Value:
        """A truth value."""
        return self.whole(1 if holds else 0, "i1")

    def param(self, number: int, type: str, interval: Interval, name: str) -> Value:
        """What the launch gives: 32 bits in scalar register `number`, or 64 in it and the next."""
        return Value("param", [], type, number, lo=interval[0], hi=interval[1], access=Access(name))

    def pure(self, op: str, *args: Value, type: str = "i64", imm: Any = 0) -> Value:
        """The result of an operation without side effects, which may be there already."""
        operands = list(args)
        if op in COMMUTES and operands[0].op == "const" and operands[1].op != "const":
            operands.reverse()
        found = fold(self, op, operands, type, imm)
        if found is not None:
            return found
        assert self.block is not None
        level = max((value.level for value in operands), default=0)
        block, scope = self.block, len(self.scopes) - 1
        if level < len(self.loops):
            block, scope = self.loops[level]
        key = (op, imm, type, *(_identity(value) for value in operands))
        for table in self.scopes[: scope + 1]:
            if key in table:
                return table[key]
        value = self._value(op, operands, type, imm)
        value.block, value.level = block, level
        value.lo, value.hi = interval(value)
        self.scopes[scope][key] = value
        block.code.append(value)
        return value

    def effect(self, op: str, *args: Value, type: str = "", imm: Any = 0, access: Access | None = None) -> Value:
        """An operation with a side effect, or one that depends on more than its operands, as a load does."""
        value = self._value(op, list(args), type, imm)
        value.block, value.level, value.access = self.block, len(self.loops), access
        value.lo, value.hi = LIMITS[type]
        if self.block is not None:
            self.block.code.append(value)
        return value

    def _value(self, op: str, args: list[Value], type: str, imm: Any = 0) -> Value:
        self._values += 1
        return Value(op, args, type, imm, at=self.at, number=self._values)


def _identity(value: Value) -> object:
    if value.op != "const":
        return id(value) if value.op != "param" else ("param", value.imm)
    number = value.imm
    return ("const", value.type in FLOATS and value.type, struct.pack("<d", number) if isinstance(number, float) else number)
