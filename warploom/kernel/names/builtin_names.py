"""Python's own functions in kernels: range, len, min, max, abs, round, and what takes tuples apart."""

from __future__ import annotations

import ast
from functools import reduce
from typing import Any

from warploom.kernel.syntax.arithmetic import binary, compared, converted, in_own_width, library, lifted, truth, unary, whole
from warploom.kernel.syntax.known_names import function
from warploom.kernel.syntax.memory import few, item_of
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Array, Complex, Formatted, Lazy, Number, Range, Record, said


@function("builtins.range", "start, stop, step", "whole numbers for a loop, which may have an `else`")
def range_(t: Translator, node: ast.Call, *args: Any) -> Range:
    """`range(...)`."""
    if not 1 <= len(args) <= 3:
        t.error(node, f"range() takes 1 to 3 numbers, {len(args)} are given")
    for one in args:
        whole(t, one, node, "a range")
    zero, one = lifted(t, 0), lifted(t, 1)
    if len(args) == 1:
        return Range(zero, args[0], one)
    return Range(args[0], args[1], args[2] if len(args) == 3 else one)


@function("builtins.len", "x", "items of a tuple, or of an array's first dimension")
def len_(t: Translator, node: ast.Call, x: Any) -> Number:
    """`len(x)`."""
    if isinstance(x, Array) and x.shape:
        return Number(ty.INT64, x.shape[0])
    if isinstance(x, tuple | str):
        return lifted(t, len(x))
    return t.error(node, f"{said(x)} has no length")


def _extreme(smaller: bool) -> Any:
    def translate(t: Translator, node: ast.Call, *args: Any) -> Any:
        values = list(args[0]) if len(args) == 1 and isinstance(args[0], tuple) else list(args)
        if not values or not all(isinstance(one, Number) for one in values):
            given = ", ".join(said(one) for one in values) or "nothing"
            t.error(node, f"{ast.unparse(node.func)}() takes numbers, and is given {given}")
        kind = reduce(ty.unified, [one.type for one in values])
        found = converted(t, values[0], kind, node).value
        for one in values[1:]:
            value = converted(t, one, kind, node).value
            found = t.b.pure(("f" if kind.kind == "f" else "") + ("min" if smaller else "max"), found, value, type=kind.ssa)
        return Number(kind, found)

    return translate


function("builtins.min", "a, b, ...", "the smallest number")(_extreme(True))
function("builtins.max", "a, b, ...", "the largest number")(_extreme(False))


@function("builtins.abs numpy.absolute numpy.abs numpy.fabs math.fabs", "x", "magnitude of a number")
def abs_(t: Translator, node: ast.Call, x: Any) -> Any:
    """`abs(x)`."""
    if isinstance(x, Complex):
        return library(t, node, "hypot", x.real, x.imag)
    if not isinstance(x, Number):
        t.error(node, f"a number is wanted, and this is {said(x)}")
    if x.type.kind == "f":
        return Number(x.type, t.b.pure("fabs", x.value, type=x.type.ssa))
    if x.type.kind == "u":
        return x
    value = in_own_width(t, t.b.pure("max", x.value, t.b.pure("sub", t.b.whole(0), x.value)), x.type)
    return Number(x.type if x.type.kind != "b" else ty.INT8, value)


@function("builtins.pow", "x, y", "x to the power y")
def pow_(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """`pow(x, y)`."""
    return binary(t, node, ast.Pow, x, y)


@function("builtins.round", "x, digits", "the nearest whole number, of two the even one; with digits a float")
def round_(t: Translator, node: ast.Call, x: Any, digits: Any = None) -> Any:
    """`round(x)`."""
    if not isinstance(x, Number) or x.type.kind != "f":
        return x if isinstance(x, Number) else t.error(node, f"a number is wanted, and this is {said(x)}")
    if digits is None:
        return converted(t, library(t, node, "round_even", x), ty.INT64, node)
    return library(t, node, "round_digits", x, converted(t, digits, ty.INT64, node))


@function("builtins.divmod", "x, y", "quotient, rounded down, and rest")
def divmod_(t: Translator, node: ast.Call, x: Any, y: Any) -> Any:
    """`divmod(x, y)`."""
    return binary(t, node, ast.FloorDiv, x, y), binary(t, node, ast.Mod, x, y)


def _items(t: Translator, node: ast.AST, x: Any) -> list[Any]:
    if isinstance(x, tuple):
        return list(x)
    if isinstance(x, Range) and x.start.constant is not None and x.stop.constant is not None and x.step.constant is not None:
        few(t, node, len(range(int(x.start.constant), int(x.stop.constant), int(x.step.constant))))
        return [lifted(t, one) for one in range(int(x.start.constant), int(x.stop.constant), int(x.step.constant))]
    if isinstance(x, Array) and x.shape and x.shape[0].op == "const":
        few(t, node, int(x.shape[0].imm))
        return [item_of(t, node, x, lifted(t, place)) for place in range(int(x.shape[0].imm))]
    return t.error(node, f"the length of {said(x)} must be known when the kernel is compiled", "write a loop over range(...)")


def _lazy(t: Translator, node: ast.AST, x: Any, *, known: bool = False) -> Lazy | None:
    """Something to loop over; None for what is known now. known: also of that, where its items can be asked for by number."""
    if isinstance(x, Lazy):
        return x
    if isinstance(x, Array) and x.shape and (known or x.shape[0].op != "const"):
        return Lazy(x.shape[0], lambda place: item_of(t, node, x, place))
    if isinstance(x, Range) and (known or x.start.constant is None or x.stop.constant is None or x.step.constant is None):
        rounds = t.b.pure("floordiv", t.b.pure("sub", x.start.value, x.stop.value), x.step.value)  # less than 0: rounded up then
        length = t.b.pure("sub", t.b.whole(0), rounds)
        return Lazy(length, lambda place: binary(t, node, ast.Add, x.start, binary(t, node, ast.Mult, place, x.step)))
    return None


@function("builtins.enumerate", "x", "numbers and items of a tuple")
def enumerate_(t: Translator, node: ast.Call, x: Any) -> Any:
    """`enumerate(x)`."""
    over = _lazy(t, node, x)
    if over is not None:
        return Lazy(over.length, lambda place: (place, over.item(place)))
    return tuple((lifted(t, place), one) for place, one in enumerate(_items(t, node, x)))


@function("builtins.zip", "a, b, ...", "items of several tuples side by side")
def zip_(t: Translator, node: ast.Call, *args: Any) -> Any:
    """`zip(a, b)`."""
    over = [_lazy(t, node, one) for one in args]
    if any(over):
        over = [_lazy(t, node, one, known=True) for one in args]
    if args and all(over):
        several = [one for one in over if one is not None]
        length = reduce(lambda p, q: t.b.pure("min", p, q), [one.length for one in several])
        return Lazy(length, lambda place: tuple(one.item(place) for one in several))
    return tuple(zip(*(_items(t, node, one) for one in args), strict=False))


@function("builtins.tuple", "x", "a tuple")
def tuple_(t: Translator, node: ast.Call, x: Any = ()) -> Any:
    """`tuple(x)`."""
    return tuple(_items(t, node, x))


@function("builtins.sum", "x", "the sum of a tuple")
def sum_(t: Translator, node: ast.Call, x: Any, start: Any = None) -> Any:
    """`sum(x)`."""
    return reduce(lambda p, q: binary(t, node, ast.Add, p, q), _items(t, node, x), start if start is not None else lifted(t, 0))


def _reduced(every: bool) -> Any:
    def translate(t: Translator, node: ast.Call, x: Any) -> Any:
        found = t.b.truth(every)
        for one in _items(t, node, x):
            found = t.b.pure("and" if every else "or", found, truth(t, one, node), type="i1")
        return Number(ty.BOOL, found)

    return translate


function("builtins.all", "x", "whether all items of a tuple are true")(_reduced(True))
function("builtins.any", "x", "whether an item of a tuple is true")(_reduced(False))


@function("builtins.hash builtins.id builtins.str", "x", "")
def refused(t: Translator, node: ast.Call, *_: Any) -> Any:
    """What has no meaning on a GPU."""
    return t.error(node, f"a kernel cannot call {ast.unparse(node.func)}")


@function("builtins.print", "a, b, ...", "write texts and numbers on the host's output, when the kernel has ended")
def print_(t: Translator, node: ast.Call, *args: Any) -> None:
    """`print(...)`: the values go on the log of the run, the texts stay with the host."""
    parts: list[Any] = []
    values = []
    for one in args:
        if isinstance(one, Formatted):
            t.error(node, "a kernel cannot print a formatted string", 'write its parts one after the other: print("thread", i)')
        if isinstance(one, str):
            parts.append(one)
            continue
        if isinstance(one, Complex | Record | Array) or not isinstance(one, Number):
            t.error(node, f"a kernel prints texts and numbers, and this is {said(one)}")
        parts.append(one.type)
        values.append(one.value)
    number = len(t.resources.notes)
    t.resources.notes.append(("print", "", parts, [one for one in parts if isinstance(one, ty.Type)]))
    t.b.effect("note", *values, imm=number)


OPERATORS = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod, "pow": ast.Pow,
    "and_": ast.BitAnd, "or_": ast.BitOr, "xor": ast.BitXor, "lshift": ast.LShift, "rshift": ast.RShift,
}  # fmt: skip
COMPARISONS = {"eq": ast.Eq, "ne": ast.NotEq, "lt": ast.Lt, "le": ast.LtE, "gt": ast.Gt, "ge": ast.GtE}
UNARY = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "not_": ast.Not}


def _operator(op: type) -> Any:
    return lambda t, node, x, y: binary(t, node, op, x, y)


def _comparison(op: type) -> Any:
    return lambda t, node, x, y: Number(ty.BOOL, compared(t, node, op, x, y))


def _unary(op: type) -> Any:
    return lambda t, node, x: unary(t, node, op, x)


for _name, _op in OPERATORS.items():
    function(f"operator.{_name} operator.i{_name.rstrip('_')}", "x, y", "the operator of this name")(_operator(_op))
for _name, _test in COMPARISONS.items():
    function(f"operator.{_name}", "x, y", "the comparison of this name")(_comparison(_test))
for _name, _sign in UNARY.items():
    function(f"operator.{_name}", "x", "the operator of this name")(_unary(_sign))
