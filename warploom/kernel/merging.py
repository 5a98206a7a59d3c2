"""Where paths meet: variables that differ become phis, of the smallest type that holds what each path brings."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from warploom.compiler.ssa import Block, Value
from warploom.kernel import types as ty
from warploom.kernel.arithmetic import converted
from warploom.kernel.questions import mark_values
from warploom.kernel.translator import Ends, Translator
from warploom.kernel.values import UNKNOWN, Array, Complex, Number, Record, Unknown, alike, leaves, rebuilt, said

MISSING = object()


def joined(t: Translator, node: ast.AST, ends: Ends) -> dict[str, Any]:
    """Continue in a block to which all ends lead; returns the variables there. Without ends nothing can be reached any more."""
    b = t.b
    if not ends.places:
        b.block = None
        return {}
    if len(ends.places) == 1:
        b.block = ends.places[0][0]
        return ends.places[0][1]
    mark_values(t, ends)
    names = list(dict.fromkeys(name for _, env in ends.places for name in env))
    blocks = [block for block, _ in ends.places]
    env: dict[str, Any] = {}
    columns: dict[str, list[Any]] = {}
    for name in names:
        values = [one.get(name, MISSING) for _, one in ends.places]
        if any(isinstance(value, Unknown) for value in values):
            env[name] = UNKNOWN
            continue
        there = [value for value in values if value is not MISSING]
        if len(there) < len(values):
            t.frame.maybe.add(name)
            for carrier in t.frame.carriers:
                carrier.unsure.add(name)
        first = there[0]
        if all(value is first for value in there):
            env[name] = first
            continue
        kind = alike(there)
        if kind is None:
            env[name] = Clash(name, there)
            continue
        columns[name] = _converted(t, node, kind, blocks, [first if value is MISSING else value for value in values], values)
        env[name] = kind
    meeting = b.new_block()
    for block in blocks:
        b.block = block
        b.jump(meeting)
    b.block = meeting
    for name, column in columns.items():
        parts = [list(leaves(value)) for value in column]
        merged = [_phi(t, meeting, [one[place] for one in parts]) for place in range(len(parts[0]))]
        env[name] = rebuilt(column[0] if _same_kind(column[0], env[name]) else env[name], iter(merged))
    return env


class Clash(Unknown):
    """A variable that is of different kinds on different paths; it may not be used."""

    def __init__(self, name: str, values: Sequence[Any]) -> None:
        self.name, self.values = name, values

    def __str__(self) -> str:
        kinds = list(dict.fromkeys(said(one) for one in self.values))
        if len(kinds) > 1:
            return f"of different kinds on different paths: {' and '.join(kinds)}"
        return f"{kinds[0]} on each path, and not the same one: which one it is must be known when the kernel is compiled"


def _same_kind(x: Any, y: Any) -> bool:
    return isinstance(x, Number | Complex) and isinstance(y, Number | Complex)


def _phi(t: Translator, block: Block, numbers: list[Number]) -> Number:
    kind, values = numbers[0].type, [number.value for number in numbers]
    first = values[0]
    if all(value is first or _equal(value, first) for value in values):
        return numbers[0]
    return Number(kind, t.b.phi(block, kind.ssa, values))


def _equal(x: Value, y: Value) -> bool:
    return x.op == y.op == "const" and x.type == y.type and repr(x.imm) == repr(y.imm)


def _converted(t: Translator, node: ast.AST, kind: Any, blocks: list[Block], values: list[Any], given: list[Any]) -> list[Any]:
    """The values, each converted in its own block to the type of all."""
    columns = [list(leaves(value)) for value in values]
    if any(isinstance(value, Complex) for value in values):
        types = [value.type for value, one in zip(values, given, strict=True) if one is not MISSING]
        found = reduce(ty.unified, types)
        made = []
        for block, value in zip(blocks, values, strict=True):
            t.b.block = block
            made.append(converted(t, value, found, node))
        return made
    kinds = [
        reduce(ty.unified, [column[place].type for column, one in zip(columns, given, strict=True) if one is not MISSING])
        for place in range(len(columns[0]))
    ]
    made = []
    for block, value, column in zip(blocks, values, columns, strict=True):
        t.b.block = block
        numbers = iter([converted(t, number, one, node) for number, one in zip(column, kinds, strict=True)])
        made.append(rebuilt(value, numbers))
    return made


def changed_phis(t: Translator, node: ast.AST, names: set[str], key: tuple[Any, ...], head: Block) -> dict[str, list[Number]]:
    """At the head of a loop: the variables that it changes become phis, whose second argument follows. By name, its phis."""
    found: dict[str, list[Number]] = {}
    env = t.frame.env
    before = head.before[0]
    for name in sorted(names & set(env)):
        value = env[name]
        if isinstance(value, Unknown):
            continue
        t.b.block = before
        if isinstance(value, Number) and (*key, name, "complex") in t.types:
            value = converted(t, value, t.types[(*key, name, "complex")], node)
        numbers = list(leaves(value))
        phis = []
        for place, number in enumerate(numbers):
            kind = ty.unified(t.types.get((*key, name, place), number.type), number.type)
            first = converted(t, number, kind, node) if kind != number.type else number
            phi = t.b.phi(head, kind.ssa, [first.value])
            phi.lo, phi.hi = limits_of(kind)
            numbers[place] = Number(kind, phi)
            phis.append(numbers[place])
        if phis:
            env[name] = rebuilt(_anywhere(value), iter(numbers))
            found[name] = phis
    t.b.block = head
    return found


def _anywhere(value: Any) -> Any:
    """A value of which a later iteration may name a different array: what bounds it is not known when the kernel is compiled."""
    if isinstance(value, tuple):
        parts = [_anywhere(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return replace(value, view=-1, name="") if isinstance(value, Array | Record) else value


def limits_of(kind: ty.Type) -> tuple[int, int]:
    """The bounds of a type's numbers."""
    if not kind.whole:
        return 0, 0
    if kind.kind == "b":
        return 0, 1
    return (0, (1 << kind.bits) - 1) if kind.kind == "u" else (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1)
