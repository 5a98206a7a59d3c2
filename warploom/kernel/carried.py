"""Variables that one round of a loop leaves to the next, and that have no value before the first.

They are read first in its body and assigned later, or assigned on some of its paths only, where the others keep what an earlier round gave.
Their type is not known when the loop begins. The first attempt to translate the kernel finds it where they are assigned; the second starts
them with zero, which nobody reads in a kernel that is right, and counts them as without a value. In the first attempt what such a loop
assigns is unknown after it, and the rest of the kernel is looked at all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from warploom.kernel import types as ty
from warploom.kernel.questions import mark_unassigned
from warploom.kernel.translator import Problem, Translator
from warploom.kernel.values import Number, Unknown, leaves, rebuilt


@dataclass
class Carrier:
    """A loop that is being translated. names: what it assigns. wanted: what was read too early: where, and the loops that carry it.

    unsure: what has no value on a path that meets others inside of the loop, or that leaves it. marks: of what it starts with without a
    value. unsettled: one of its variables has a type that is new.
    """

    key: tuple[Any, ...]
    names: set[str]
    wanted: dict[str, tuple[ast.Name, list[tuple[Any, ...]]]] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)
    unsettled: bool = False


@contextmanager
def carrying(t: Translator, key: tuple[Any, ...], names: set[str]) -> Iterator[Carrier]:
    """Around a loop: gives carried variables a start. At its end the carrier is unsettled where there turn out to be more of them."""
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
        carrier.unsettled |= _settle(t, carrier)


def read_early(t: Translator, node: ast.Name) -> None:
    """A variable without a value is read: raises Problem where a loop around assigns it, which may have done so a round before."""
    around = [one for one in t.frame.carriers if node.id in one.names]
    if around:
        around[-1].wanted.setdefault(node.id, (node, [one.key for one in around]))
        raise Problem


def _settle(t: Translator, carrier: Carrier) -> bool:
    """Carry what was read too early from now on; a mistake is what nothing assigns. Gives whether something new is carried."""
    found = _kept(t, carrier)
    for name, (node, keys) in carrier.wanted.items():
        value = t.frame.given.get(name)
        if isinstance(value, Unknown) and (t.unsettled or t.found.errors):
            continue  # what assigns it has a mistake, which is said there
        if (
            value is None
            or isinstance(value, Unknown)
            or not list(leaves(value))
            or all((*key, name, "carried") in t.types for key in keys)
        ):
            with suppress(Problem):
                t.error(node, f"{name!r} has no value here", "give it a value on every path that leads here")
            continue
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
        if (*carrier.key, name, "carried") in t.types or value is None or isinstance(value, Unknown) or not list(leaves(value)):
            continue
        around = [one for one in t.frame.carriers if name in one.names]
        t.types.update({(*one.key, name, "carried"): value for one in (*around, carrier)})
        found = True
    return found


def _zero(t: Translator, kind: ty.Type) -> Number:
    return Number(kind, t.b.real(0.0, kind.ssa) if kind.kind == "f" else t.b.whole(0, kind.ssa))
