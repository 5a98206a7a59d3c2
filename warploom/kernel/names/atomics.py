"""Atomics of kernels: read, change and write an item with nothing in between; the old value is the result.

A NaN that is offered to `min` and `max` of floats is ignored, and one that is in memory stays there; `nanmin` and `nanmax` put a
number in its place.
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.compiler.ssa import Access, Value
from warploom.kernel.syntax.arithmetic import converted, lifted, unary
from warploom.kernel.syntax.known_names import function
from warploom.kernel.syntax.memory import address_of, check_writable
from warploom.kernel.syntax.statements import branched
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Array, Number, article, said


def _place(t: Translator, node: ast.Call, array: Any, index: Any) -> tuple[Array, ty.Type, Value]:
    if not isinstance(array, Array):
        t.error(node, f"an array is wanted, and this is {said(array)}")
    check_writable(t, node, array)
    kind = array.item
    if not isinstance(kind, ty.Type) or kind.bits not in (32, 64) or kind.kind not in "iuf":
        t.error(node, f"there is no atomic operation on {said(array)}", "use an array of int32, uint32, int64, uint64, float32 or float64")
    if array.align < kind.bits // 8 and not array.viewed:
        place = f"multiple of {array.align} bytes" if array.align > 1 else "byte"
        lies = f"{article(str(kind))} of {array.name or 'this array'} may lie at any {place}"
        t.error(node, f"an atomic operation needs the whole number at once, and {lies}", "make the records with align=True")
    return array, kind, address_of(t, node, array, index)


def _emit(t: Translator, op: str, array: Array, kind: ty.Type, address: Value, *args: Value) -> Number:
    access = Access(array.space, array.view, kind.bits // 8, kind.kind == "i")
    old = t.b.effect(op, address, *args, type=kind.ssa, access=access)
    if kind.kind != "f":
        bits = kind.bits
        old.lo, old.hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind.kind == "i" else (0, (1 << bits) - 1)
    return Number(kind, old)


def _operation(names: dict[str, str]) -> Any:
    def translate(t: Translator, node: ast.Call, array: Any, index: Any, value: Any) -> Any:
        place, kind, address = _place(t, node, array, index)
        op = names.get(kind.kind)
        if op is None:
            t.error(node, f"there is no such operation on {kind}", "use an array of whole numbers")
        return _emit(t, op, place, kind, address, converted(t, value, kind, node).value)

    return translate


def _both(op: str) -> dict[str, str]:
    return {"i": op, "u": op}


ADD = {"i": "atomic_add", "u": "atomic_add", "f": "atomic_fadd"}
NAMES = "array, index, value"
function("cuda.atomic.add", NAMES, "array[index] += value")(_operation(ADD))
function("cuda.atomic.and_", NAMES, "array[index] &= value")(_operation(_both("atomic_and")))
function("cuda.atomic.or_", NAMES, "array[index] |= value")(_operation(_both("atomic_or")))
function("cuda.atomic.xor", NAMES, "array[index] ^= value")(_operation(_both("atomic_xor")))
function("cuda.atomic.exch", NAMES, "array[index] = value")(_operation(_both("atomic_exchange")))
function("cuda.atomic.inc", NAMES, "array[index] + 1, or 0 from value on; of unsigned numbers")(_operation({"u": "atomic_inc"}))
function("cuda.atomic.dec", NAMES, "array[index] - 1, or value where it is 0 or above value; of unsigned numbers")(
    _operation({"u": "atomic_dec"})
)


@function("cuda.atomic.sub", NAMES, "array[index] -= value")
def sub(t: Translator, node: ast.Call, array: Any, index: Any, value: Any) -> Any:
    """Adds the negative."""
    place, kind, address = _place(t, node, array, index)
    negative = converted(t, unary(t, node, ast.USub, converted(t, value, kind, node)), kind, node)
    return _emit(t, ADD[kind.kind], place, kind, address, negative.value)


def _held(t: Translator, array: Array, kind: ty.Type, address: Value) -> Value:
    """The float in memory. With checks it is read by an atomic that changes nothing: no other atomic races with it."""
    access = Access(array.space, array.view, kind.bits // 8, False)
    if not t.options.get("check"):
        return t.b.effect("load", address, type=kind.ssa, access=access)
    bits = t.b.effect("atomic_or", address, t.b.whole(0), type="u64", access=access)
    bits.lo, bits.hi = 0, (1 << kind.bits) - 1
    return t.b.pure("float", bits, type=kind.ssa)


def _extreme(smaller: bool) -> Any:
    name = "min" if smaller else "max"

    def translate(t: Translator, node: ast.Call, array: Any, index: Any, value: Any) -> Any:
        place, kind, address = _place(t, node, array, index)
        given = converted(t, value, kind, node)
        if kind.kind != "f":
            return _emit(t, f"atomic_{name}{'u' if kind.kind == 'u' else ''}", place, kind, address, given.value)
        # A NaN in memory stays: the operation is done where there is none.
        held = _held(t, place, kind, address)
        result = f"{node.lineno}:{node.col_offset} old"
        number = t.b.pure("feq", held, held, type="i1")

        def operate() -> None:
            t.frame.env[result] = _emit(t, f"atomic_f{name}", place, kind, address, given.value)

        def leave() -> None:
            t.frame.env[result] = Number(kind, held)

        t.frame.env = branched(t, node, number, operate, leave)
        return t.frame.env.pop(result)

    return translate


function("cuda.atomic.min", NAMES, "the smaller of array[index] and value; a NaN in memory stays")(_extreme(True))
function("cuda.atomic.max", NAMES, "the larger of array[index] and value; a NaN in memory stays")(_extreme(False))
for _name in ("min", "max"):
    function(f"cuda.atomic.nan{_name}", NAMES, f"as {_name}; a number takes the place of a NaN")(
        _operation({"i": f"atomic_{_name}", "u": f"atomic_{_name}u", "f": f"atomic_f{_name}"})
    )


@function("cuda.atomic.cas", "array, index, old, value", "array[index] = value where it is old")
def cas(t: Translator, node: ast.Call, array: Any, index: Any, old: Any, value: Any) -> Any:
    """Compare and swap."""
    place, kind, address = _place(t, node, array, index)
    if kind.kind == "f":
        t.error(node, f"there is no compare-and-swap of {kind}", "use an array of whole numbers")
    return _emit(t, "atomic_cas", place, kind, address, *(converted(t, one, kind, node).value for one in (old, value)))


@function("cuda.atomic.compare_and_swap", "array, old, value", "array[0] = value where it is old")
def compare_and_swap(t: Translator, node: ast.Call, array: Any, old: Any, value: Any) -> Any:
    """Of the first item."""
    return cas(t, node, array, lifted(t, 0), old, value)
