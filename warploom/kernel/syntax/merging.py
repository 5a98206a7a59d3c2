"""Where paths meet: variables that differ become phis, of the smallest type that holds what each path brings."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial, reduce
from typing import Any

from warploom.compiler.ssa import Block, Value
from warploom.kernel.syntax.arithmetic import converted
from warploom.kernel.syntax.questions import mark_values
from warploom.kernel.syntax.translator import Ends, Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import PENDING, UNKNOWN, Array, Clash, Complex, Number, Pending, Record, Unknown, alike, leaves, rebuilt

MISSING = object()


def meet(t: Translator, node: ast.AST, ends: Ends) -> None:
    """Continue with the variables of all ends, in a block to which they lead."""
    t.frame.maybe = set(ends.maybe)
    t.frame.env = joined(t, node, ends)


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
        there = [value for value in values if value is not MISSING and not isinstance(value, Pending)]
        if any(value is MISSING for value in values):
            t.frame.maybe.add(name)
            for carrier in t.frame.carriers:
                carrier.unsure.add(name)
        if not there or any(value is UNKNOWN for value in there):
            env[name] = UNKNOWN if there else PENDING
            continue
        first = there[0]
        if all(value is first for value in there):
            env[name] = first
            continue
        env[name] = kind = reduce(partial(common, name), there)
        if not isinstance(kind, Clash):
            columns[name] = []
            for block, value in zip(blocks, values, strict=True):
                t.b.block = block
                t.b.scopes.append({})  # what is made here is known on this path alone
                columns[name].append(as_kind(t, first if value is MISSING or isinstance(value, Pending) else value, kind, node))
                t.b.scopes.pop()
    meeting = b.new_block()
    for block in blocks:
        b.block = block
        b.jump(meeting)
    b.block = meeting
    for name, column in columns.items():
        parts = [list(leaves(value)) for value in column]
        merged = [_phi(t, meeting, [one[place] for one in parts]) for place in range(len(parts[0]))]
        env[name] = rebuilt(env[name], iter(merged))
        if isinstance(env[name], Number):
            t.bind(env[name].value, name)
    return env


def common(name: str, x: Any, y: Any) -> Any:
    """A value of the kind that a variable has which is x on one path and y on another one; a Clash where there is none."""
    if isinstance(x, Clash) or isinstance(y, Clash):
        return Clash(name, [*(x.values if isinstance(x, Clash) else [x]), *(y.values if isinstance(y, Clash) else [y])])
    if isinstance(x, Number | Complex) and isinstance(y, Number | Complex):
        wide = ty.unified(x.type, y.type)
        return x if x.type == wide else y if y.type == wide else _of_type(wide, x)
    if isinstance(x, tuple) and type(x) is type(y) and len(x) == len(y):
        parts = [common(name, p, q) for p, q in zip(x, y, strict=True)]
        if not any(isinstance(part, Clash) for part in parts):
            return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    kind = alike([x, y])
    return Clash(name, [x, y]) if kind is None and x is not y else kind


def _of_type(kind: ty.Type, x: Any) -> Any:
    """Something of a type, of which only that counts."""
    one = x.real if isinstance(x, Complex) else x
    if kind.kind != "c":
        return replace(one, type=kind)
    return Complex(kind, replace(one, type=ty.part(kind)), replace(one, type=ty.part(kind)))


def as_kind(t: Translator, value: Any, kind: Any, node: ast.AST) -> Any:
    """A value with the types of `kind`, which `common` has found for it and others."""
    if isinstance(kind, Number | Complex):
        return converted(t, value, kind.type, node)
    if isinstance(kind, tuple):
        parts = [as_kind(t, one, other, node) for one, other in zip(value, kind, strict=True)]
        return type(kind)(*parts) if hasattr(kind, "_fields") else tuple(parts)
    if isinstance(kind, Array):
        return replace(value, align=kind.align, writable=kind.writable)
    return replace(value, align=kind.align) if isinstance(kind, Record) else value


def types_in(kind: Any) -> list[ty.Type | int]:
    """The types of what a value consists of; of arrays and records how they are aligned, and of arrays whether they may be written. Of two
    values that have a kind in common, those with the same types are of the same kind."""
    if isinstance(kind, tuple):
        return [one for part in kind for one in types_in(part)]
    if isinstance(kind, Array):
        return [kind.align, kind.writable]
    if isinstance(kind, Record):
        return [kind.align]
    return [kind.type] if isinstance(kind, Number | Complex) else []


def _phi(t: Translator, block: Block, numbers: list[Number]) -> Number:
    kind, values = numbers[0].type, [number.value for number in numbers]
    first = values[0]
    if all(value is first or _equal(value, first) for value in values):
        return numbers[0]
    return Number(kind, t.b.phi(block, kind.ssa, values))


def _equal(x: Value, y: Value) -> bool:
    return x.op == y.op == "const" and x.type == y.type and repr(x.imm) == repr(y.imm)


def at_head(t: Translator, node: ast.AST, names: set[str], key: tuple[Any, ...], head: Block) -> dict[str, Any]:
    """At the head of a loop: the variables that it changes become phis, whose second argument follows. They are returned by name."""
    found: dict[str, Any] = {}
    env = t.frame.env
    t.b.block = head.before[0]
    for name in sorted(names & set(env)):
        value, known = env[name], t.types.get((*key, name), PENDING)
        if isinstance(value, Pending):
            kind = value = known
        elif isinstance(value, Unknown):
            continue
        else:
            kind = value if known is PENDING else common(name, value, known)
        if isinstance(kind, Unknown):
            env[name] = found[name] = kind
            continue
        value = _anywhere(as_kind(t, value, kind, node))
        numbers = [Number(one.type, t.b.phi(head, one.type.ssa, [one.value])) for one in leaves(value)]
        for one in numbers:
            one.value.lo, one.value.hi = limits_of(one.type)
        env[name] = found[name] = rebuilt(value, iter(numbers))
    t.b.block = head
    for name, value in found.items():
        if isinstance(value, Number):
            t.bind(value.value, name)
    return found


def at_end(t: Translator, node: ast.AST, heads: dict[str, Any], key: tuple[Any, ...]) -> bool:
    """Give the phis of a loop's head what the end of a round brings. Gives whether a variable turns out to be of a different kind."""
    learned = False
    for name, head in heads.items():
        value = t.frame.env.get(name, PENDING)
        unknown = value is UNKNOWN or isinstance(value, Pending) or isinstance(head, Clash)
        kind = PENDING if unknown else value if isinstance(head, Pending) else common(name, head, value)
        settled = not isinstance(kind, Unknown) and not isinstance(head, Unknown) and types_in(kind) == types_in(head)
        if not unknown and not settled:
            t.types[(*key, name)] = kind
            learned = True
        phis = [] if isinstance(head, Unknown) else [one.value for one in leaves(head)]
        brought = [one.value for one in leaves(as_kind(t, value, head, node))] if settled else [phi.args[0] for phi in phis]
        for phi, one in zip(phis, brought, strict=True):
            phi.args.append(one)
    return learned


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
