"""Variables that one round of a loop leaves to the next: how their types settle.

A loop's variable has the type that holds what comes before the loop and what a round leaves. That is known at the loop's end, and wanted at
its beginning. So a kernel is translated in attempts. Each takes the types that earlier ones have found; what depends on a type that is not
known yet is pending, it and all that is made from it, and where paths meet the path that is known decides. An attempt that has learned a
type is followed by one more. When an attempt learns nothing the types have settled, and what is still read without a value is a mistake;
all of them are said. It is the fixed point that Numba's propagation over the graph of a function's variables reaches.

A variable may have no value before the first round: it is read first in the body and assigned later, or assigned on some of its paths only,
where the others keep what an earlier round gave. When its type is known it starts with zero, which nobody reads in a kernel that is right,
and counts as without a value.

Source: numba/core/typeinfer.py, where a constraint that lacks a type is tried again as long as some variable's type grows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from warploom.kernel.syntax.questions import mark_unassigned
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import UNKNOWN, Number, leaves, rebuilt


@dataclass
class Carrier:
    """A loop that is being translated. names: what it assigns. wanted: what was read too early: where, and the loops that carry it.

    unsure: what has no value on a path that meets others inside of the loop, or that leaves it. marks: of what it starts with without a
    value. learned: one of its variables has a type that is new.
    """

    key: tuple[Any, ...]
    names: set[str]
    wanted: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    learned: bool = False


@contextmanager
def carrying(t: Translator, key: tuple[Any, ...], names: set[str]) -> Iterator[Carrier]:
    """Around a loop: gives carried variables a start. At its end there may turn out to be more of them."""
    carrier = Carrier(key, names)
    for name in sorted(names - set(t.frame.env)):
        value = t.types.get((*key, name, "carried"))
        if value is not None:
            t.frame.env[name] = rebuilt(value, iter([_zero(t, one.type) for one in leaves(value)]))
            t.frame.maybe.add(name)
            carrier.marks |= mark_unassigned(t, name)
    frame, depth = t.frame, len(t.frame.carriers)
    frame.carriers.append(carrier)
    try:
        yield carrier
    finally:
        del frame.carriers[depth:]
        carrier.learned |= _settle(t, carrier)


def read_early(t: Translator, node: ast.Name) -> None:
    """A variable without a value is read: raises Wait where a loop around assigns it, which may have done so a round before."""
    around = [one for one in t.frame.carriers if node.id in one.names]
    if around:
        around[-1].wanted.setdefault(node.id, [one.key for one in around])
        t.missed.setdefault((t.frame.path, node.id), (t.where(node), node.id, t.frame))
        t.wait()


def say_missed(t: Translator) -> None:
    """The types have settled: what was read without a value is a mistake, unless what would give it one has a mistake itself."""
    for at, name, frame in t.missed.values():
        if frame.given.get(name) is not UNKNOWN:
            t.missing(at, name)


def _settle(t: Translator, carrier: Carrier) -> bool:
    """Carry from now on what was read too early and has a value at the end. Gives whether something new is carried."""
    found = _kept(t, carrier)
    for name, keys in carrier.wanted.items():
        value = t.frame.given.get(name)
        if list(leaves(value)) and any((*key, name, "carried") not in t.types for key in keys):
            t.types.update({(*key, name, "carried"): value for key in keys})
            found = True
    return found


def _kept(t: Translator, carrier: Carrier) -> bool:
    """Carry what a round may leave as it was: it has a value at the end of a round, and none on some path."""
    found = False
    if t.b.block is None:
        return found
    for name in sorted(carrier.unsure & carrier.names):
        value = t.frame.env.get(name)
        if (*carrier.key, name, "carried") in t.types or not list(leaves(value)):
            continue
        around = [one for one in t.frame.carriers if name in one.names]
        t.types.update({(*one.key, name, "carried"): value for one in (*around, carrier)})
        found = True
    return found


def _zero(t: Translator, kind: ty.Type) -> Number:
    return Number(kind, t.b.real(0.0, kind.ssa) if kind.kind == "f" else t.b.whole(0, kind.ssa))
