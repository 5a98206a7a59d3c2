"""What is allowed and most likely not meant: a mask of the lanes that did not take a branch which is always empty.

After `vpcmp k1 {k1}, ...` the new mask is a part of the old one. The lanes of an else branch are those of the old mask that are not in the
new one, old & ~new. `andn d, a, b` is ~a & b: the complement comes first. With the sources exchanged it is ~old & new, which is empty
whatever the lanes hold, and the else branch never runs.

Found by numbering values along the code: a value is known as a part of others, until two paths that hold different ones meet.
"""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.avx512.decoder import Decoded
from warploom.isa.avx512.lowering import decoded
from warploom.isa.avx512.operands import Immediate, Memory, Register
from warploom.isa.diagnostics import Diagnostic, Severity
from warploom.isa.image import Image
from warploom.isa.program import Position

Name = tuple[str, int]  # "k" or "r", and a number
Values = dict[Name, int]  # the value that a register holds, by its number
JOINS = 1 << 16  # instructions beyond which nothing is looked for


def lessons(image: Image) -> list[Diagnostic]:
    """Warnings about masks that are empty whatever the lanes hold."""
    instructions = decoded(image)
    return _Numbering(image.lines).of(instructions) if len(instructions) <= JOINS else []


class _Numbering:
    def __init__(self, lines: Mapping[int, Position]) -> None:
        self.lines = lines
        self.parts: list[frozenset[int]] = []  # of a value, all that it is a part of, itself too
        self.found: list[Diagnostic] = []

    def of(self, instructions: list[Decoded]) -> list[Diagnostic]:
        targets = self._targets(instructions)
        values: Values = {}
        waiting: dict[int, Values] = {}  # what registers hold where a jump forward leads, by address
        for one in instructions:
            if one.address in targets[1]:
                values = {}  # a loop begins: what it changes is not known here
            if (other := waiting.pop(one.address, None)) is not None:
                values = {name: value for name, value in values.items() if other.get(name) == value}
            self._step(one, values)
            if one.address in targets[0]:
                goal = targets[0][one.address]
                held = waiting.get(goal)
                waiting[goal] = dict(values) if held is None else {name: value for name, value in held.items() if values.get(name) == value}
            if one.row is None or one.row.mnemonic in ("jmp", "ret", "call"):
                values = {}
        return self.found

    @staticmethod
    def _targets(instructions: list[Decoded]) -> tuple[dict[int, int], set[int]]:
        """(address of a jump forward: where it goes; where jumps back go)."""
        forward: dict[int, int] = {}
        back: set[int] = set()
        for one in instructions:
            if one.row is not None and one.row.operand_text.startswith("rel") and isinstance(goal := one.written.operands[0], Immediate):
                if goal.value > one.address:
                    forward[one.address] = goal.value
                else:
                    back.add(goal.value)
        return forward, back

    def _new(self, *wholes: int) -> int:
        number = len(self.parts)
        self.parts.append(frozenset({number}).union(*(self.parts[whole] for whole in wholes)))
        return number

    def _value(self, name: Name, values: Values) -> int:
        if name not in values:
            values[name] = self._new()
        return values[name]

    def _step(self, one: Decoded, values: Values) -> None:
        row, written = one.row, one.written
        if row is None or not written.operands:
            return
        name, operands = row.mnemonic, written.operands
        names = [_name(operand) if isinstance(operand, Register) else None for operand in operands]
        target = names[0]
        if name.startswith(("cmp", "test", "kortest", "ktest", "j", "push")):
            return
        if name in ("kmovw", "mov") and target and len(names) == 2 and names[1]:
            values[target] = self._value(names[1], values)
        elif name in ("kandw", "andn", "kandnw") and target and names[1] and names[2]:
            first, second = self._value(names[1], values), self._value(names[2], values)
            if name != "kandw" and first in self.parts[second]:
                self._warn(one, name, operands)
            values[target] = self._new(*((first, second) if name == "kandw" else (second,)))
        elif target and target[0] == "k" and written.mask:
            values[target] = self._new(self._value(("k", written.mask), values))
        elif target and not isinstance(operands[0], Memory):
            values[target] = self._new()
        if row.masks == "K":
            values[("k", written.mask)] = self._new()

    def _warn(self, one: Decoded, name: str, operands: tuple[object, ...]) -> None:
        target, first, second = operands
        said = (
            f"{name} {target}, {first}, {second} is ~{first} & {second}, and {second} is a part of {first}: "
            "the mask is empty whatever the lanes hold, and what it guards never runs"
        )
        fix = f"the complement comes first: {name} {target}, {second}, {first} gives the lanes of {first} that are not in {second}"
        position = self.lines.get(one.address, Position())
        self.found.append(Diagnostic(Severity.WARNING, said, position, len(name), fix))


def _name(register: Register) -> Name | None:
    """A mask or a general register; of a vector none."""
    if register.kind == "k":
        return "k", register.number
    return ("r", register.number) if register.kind in ("r32", "r64") else None
