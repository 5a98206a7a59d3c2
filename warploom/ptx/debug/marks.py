"""Marks in a function's instructions: from here on a variable is what a register holds. And variables where ways meet.

A mark is an instruction that reads and writes nothing: names change no code. Compilers say of a variable where it is line by line; where
ways meet on which it is in different places, a register that has each of them on its way has the variable: that is found on values.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from warploom.compiler import ssa
from warploom.compiler.builder import Builder
from warploom.compiler.interval import whole_limits
from warploom.ptx.debug.said import Described, Held, Piece
from warploom.ptx.module import Function, Instruction, Label, Name, Number, Vector

MARK = "="  # the operation of a mark; its modifiers are the variable's name, its kind and its bytes
LEAVES = ("bra", "brx", "ret", "exit")


def described(function: Function) -> Described:
    """What debug information says of a function."""
    return function.debug.of(function.said_as) if function.debug is not None else Described()


def marked(function: Function, prefix: str = "") -> Iterator[Instruction | Label]:
    """A function's body with marks. prefix: in front of its variables' names."""
    said = described(function)
    if not said.pieces:
        yield from function.body
        return
    targets, events = function.branched_to(), sorted(_events(said.pieces), key=lambda one: one.line)
    holds: dict[str, list[tuple[Piece, Held]]] = {}
    for piece in said.pieces:
        for held in piece.held:
            holds.setdefault(held.register, []).append((piece, held))
    before: list[Instruction | Label] = []  # since the last instruction, with it
    place = 0
    for one in function.body:
        if isinstance(one, Instruction):
            edge = any((isinstance(x, Label) and x.name in targets) or (isinstance(x, Instruction) and x.op in LEAVES) for x in before)
            while place < len(events) and events[place].line < one.place.text_line:
                event = events[place]
                place += 1
                if event.held is not None or not edge:
                    yield _mark(event.piece, event.held, prefix, one)
            before = []
        yield one
        before.append(one)
        if isinstance(one, Instruction):
            for register in _written(one):
                for piece, held in holds.get(register, ()):
                    if held.first <= one.place.text_line < held.stop:
                        yield _mark(piece, held, prefix, one)


class _Event(NamedTuple):
    """What happens to a piece at a line: it is somewhere, or, with None, nowhere any more."""

    line: int
    piece: Piece
    held: Held | None


def _events(pieces: Iterable[Piece]) -> Iterator[_Event]:
    for piece in pieces:
        if piece.everywhere:
            continue
        begins = {one.first for one in piece.held}
        for one in piece.held:
            yield _Event(one.first, piece, one)
            if one.stop not in begins:
                yield _Event(one.stop, piece, None)


def _mark(piece: Piece, held: Held | None, prefix: str, near: Instruction) -> Instruction:
    operands: tuple[Name | Number, ...] = ()
    if held is not None and held.register:
        operands = (Name(held.register),)
    elif held is not None and held.number is not None:
        operands = (Number(held.number),)
    return Instruction(MARK, (prefix + piece.name, piece.kind, str(piece.bytes)), operands, None, near.place)


def _written(one: Instruction) -> Iterator[str]:
    target = one.operands[0] if one.operands else None
    for item in target.items if isinstance(target, Vector) else (target,):
        if isinstance(item, Name):
            yield item.name


NOWHERE = ssa.Value("const", [], "i64", 0)  # a value that is in no register


class Bound(NamedTuple):
    """What a variable is. value: None where it is nowhere."""

    value: ssa.Value | None
    kind: str = ""
    bytes: int = 0


Values = dict[str, Bound]


@dataclass
class Bindings:
    """The variables of a kernel while it is translated. last: of each block, what its marks leave."""

    last: dict[int, Values] = field(default_factory=dict)

    def mark(self, number: int, b: Builder, one: Instruction, env: Mapping[str, ssa.Value]) -> None:
        """Bind a variable in a block. env: what registers hold; those that it lacks hold nothing that is known."""
        name, kind, size = one.modifiers
        operand = one.operands[0] if one.operands else None
        value = b.whole(operand.value) if isinstance(operand, Number) else env.get(operand.name) if isinstance(operand, Name) else None
        bound = Bound(value if value is not None and _shows(value, kind, int(size)) else None, kind, int(size))
        self.last.setdefault(number, {})[name] = bound
        if value is None or value.op != "param":  # what the launch gives is always there
            b.bind(name, bound.value if bound.value is not None else NOWHERE, kind, _words(bound))

    def meet(
        self, order: list[int], before: Mapping[int, list[int]], begins: Mapping[int, ssa.Block],
        phis: Mapping[int, Mapping[str, ssa.Value]], envs: Mapping[int, Mapping[str, ssa.Value]],
    ) -> None:  # fmt: skip
        """Bind what ways that meet agree on, register by register. before: of each block; phis: of each block by register."""
        if not self.last:
            return
        entry: dict[int, Values] = {order[0]: {}}
        work = True
        while work:  # a variable goes from unknown to a value, to a phi, to nothing: never back
            work = False
            for number in order[1:]:
                ways = [(one, {**entry[one], **self.last.get(one, {})}) for one in before[number] if one in entry]
                found = _met(ways, phis[number], envs, entry.get(number))
                if found != entry.get(number):
                    entry[number], work = found, True
        for number in order[1:]:
            left = [{**entry[one], **self.last.get(one, {})} for one in before[number]]
            for name, bound in entry[number].items():
                if any(not _same(way.get(name), bound) for way in left):
                    begins[number].bound.insert(0, (0, name, bound.value or NOWHERE, bound.kind, _words(bound)))


def _met(
    ways: list[tuple[int, Values]], phis: Mapping[str, ssa.Value], envs: Mapping[int, Mapping[str, ssa.Value]], was: Values | None
) -> Values:
    found: Values = {}
    for name in dict.fromkeys(name for _, way in ways for name in way):
        all_ = [way.get(name, Bound(None)) for _, way in ways]
        first = all_[0]
        known = was.get(name) if was is not None else None
        if was is not None and (known is None or known.value is None):
            found[name] = Bound(None, first.kind, first.bytes)
        elif all(_same(one, first) for one in all_[1:]) and (known is None or _same(known, first)):
            found[name] = first
        else:
            phi = next((phi for key, phi in phis.items() if _brings(key, ways, all_, envs)), None)
            kept = known is None or phi is None or known.value is phi or known.value not in phis.values()
            found[name] = Bound(phi if kept else None, first.kind, first.bytes)
    return found


def _brings(register: str, ways: list[tuple[int, Values]], bound: list[Bound], envs: Mapping[int, Mapping[str, ssa.Value]]) -> bool:
    """Whether a register holds on every way what a variable is there."""
    return all(_agree(one.value, envs[number].get(register)) for (number, _), one in zip(ways, bound, strict=True))


def _same(one: Bound | None, other: Bound) -> bool:
    return one is not None and one[1:] == other[1:] and (one.value is other.value or _agree(one.value, other.value))


def _agree(one: ssa.Value | None, other: ssa.Value | None) -> bool:
    """Whether two values are one, or the same bits."""
    if one is None or other is None:
        return False
    return one is other or (one.op == other.op == "const" and _bits(one) == _bits(other))


def _bits(value: ssa.Value) -> int:
    if isinstance(value.imm, float):
        return int.from_bytes(struct.pack("<f" if value.type == "f32" else "<d", value.imm), "little")
    return int(value.imm)


def _shows(value: ssa.Value, kind: str, size: int) -> bool:
    """Whether a register's number is the variable's: what is narrower than a register may have other bits above."""
    if size >= 4 or kind in ("f", "b") or value.op == "const":
        return True
    low, high = whole_limits("i64" if kind == "i" else "u64", 8 * size)
    return low <= value.lo and value.hi <= high


def _words(bound: Bound) -> int:
    return 2 if bound.bytes > 4 else 1
