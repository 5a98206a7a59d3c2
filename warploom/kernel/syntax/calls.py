"""Calls: names of the table, types as conversions, methods, and functions of the user's, which are translated in place.

There are no calls in the machine code of a kernel: a GPU's compiler inlines device functions too. A function that calls itself, directly
or through others, is translated once for each depth, which constants among its arguments must decide; else it is refused, with the circle.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from warploom.isa.diagnostics import nearest
from warploom.kernel.syntax.arithmetic import converted, lifted, unary, whole
from warploom.kernel.syntax.array_methods import method
from warploom.kernel.syntax.expressions import expression
from warploom.kernel.syntax.frozen import Frozen
from warploom.kernel.syntax.known_names import NAMES, Dotted, path_of, type_of
from warploom.kernel.syntax.memory import item_of
from warploom.kernel.syntax.merging import joined
from warploom.kernel.syntax.mistakes import both
from warploom.kernel.syntax.refused import refuse_call, stops_for_a_debugger
from warploom.kernel.syntax.statements import statement
from warploom.kernel.syntax.translator import ACTIONS, MOST_INLINED, Frame, Problem, Translator, Unreached
from warploom.kernel.syntax.tree import NoSource, Text, assigned, plain
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import PENDING, Array, Bound, Clash, Complex, Inner, Number, counted, said


@statement(ast.FunctionDef)
def definition(t: Translator, node: ast.FunctionDef) -> None:
    """A function in a function."""
    t.frame.env[node.name] = Inner(node, t.frame)


@expression(ast.Call)
def call(t: Translator, node: ast.Call) -> Any:
    """`f(a, b=c)`."""
    function = t.expression(node.func)
    args: list[Any] = []
    for one, value in zip(node.args, both(t, *(a.value if isinstance(a, ast.Starred) else a for a in node.args)), strict=True):
        if isinstance(one, ast.Starred):
            if not isinstance(value, tuple):
                t.error(one, f"{said(value)} cannot be taken apart")
            args += value
        else:
            args.append(value)
    if any(keyword.arg is None for keyword in node.keywords):
        t.error(node, "a kernel cannot have **arguments")
    named = {str(keyword.arg): t.expression(keyword.value) for keyword in node.keywords}
    return called(t, node, function, args, named)


def called(t: Translator, node: ast.Call, function: Any, args: list[Any], named: dict[str, Any]) -> Any:
    """What a call gives. Raises Problem."""
    if isinstance(function, Bound):
        own = getattr(type(function.owner), function.name, None)
        if getattr(own, "in_kernels", False):
            return inlined(t, node, own, [function.owner, *args], named)
        return _method(t, node, function, args)
    if isinstance(function, Inner):
        return inlined(t, node, function, args, named)
    path = function.path if isinstance(function, Dotted) else path_of(function)
    if path is not None and path in NAMES and NAMES[path].called:
        if path.startswith("numpy.") and any(isinstance(one, Array) for one in args):
            return elementwise(t, node, path, args)
        try:
            return NAMES[path].translate(t, node, *args, **named)
        except TypeError as error:
            if "argument" not in str(error):
                raise
            known = f"{path.removeprefix('builtins.')}({NAMES[path].arguments})"
            if isinstance(unknown := re.search(r"unexpected keyword argument '(\w+)'", str(error)), re.Match):
                t.error(node, f"{known} has no argument {unknown[1]!r} in a kernel")
            t.error(node, f"{known} is called with {counted(len(args) + len(named), 'argument')}")
    if isinstance(function, type) and issubclass(function, enum.Enum) and len(args) == 1 and isinstance(args[0], Number):
        try:
            return lifted(t, function(args[0].constant))
        except ValueError:
            t.error(node, f"{function.__name__} has no member of this value that is known when the kernel is compiled")
    kind = _as_type(function)
    if isinstance(kind, ty.Type):
        return _conversion(t, node, kind, args)
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        try:
            return function(*args, **named)
        except TypeError:
            wanted = ", ".join(function._fields)
            t.error(node, f"{function.__name__}({wanted}) is called with {counted(len(args) + len(named), 'argument')}")
    inner = plain(function)
    module = str(getattr(function, "__module__", None) or "").partition(".")[0]
    if inspect.isfunction(inner) and module != "numpy" and not stops_for_a_debugger(inner):
        declared = getattr(function, "declared_types", None)
        placed = _in_places(t, inner, args, named) if declared is not None else None
        frozen = getattr(function, "frozen", None) if declared is not None else None
        if declared is not None and placed is not None and (types := _declared(t, node, declared, placed)) is not None:
            return _with_declared(t, node, inner, placed, *types, frozen)
        return inlined(t, node, inner, args, named, frozen)
    name = ast.unparse(node.func)
    if isinstance(function, Number | Complex | Array | tuple | str):
        t.error(node.func, f"{name} is {said(function)}, and no function", "write it without the brackets" if not node.args else "")
    return refuse_call(t, node, function, known=path is not None)


def _in_places(t: Translator, function: Any, args: list[Any], named: dict[str, Any]) -> list[Any] | None:
    """The arguments of a call in the order of a function's parameters, for its signature; None where it does not take such arguments."""
    signature = inspect.signature(function)
    by_name = {one.kind for one in signature.parameters.values()} - {inspect.Parameter.POSITIONAL_OR_KEYWORD}
    if not named and not by_name:
        return args
    try:
        bound = signature.bind(*args, **named)
    except TypeError:
        return None
    if by_name & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        return None if bound.kwargs else args
    given = set(bound.arguments)
    bound.apply_defaults()
    return [one if name in given else lifted(t, one) for name, one in bound.arguments.items()]


def _declared(t: Translator, node: ast.AST, declared: Callable[[list[Any]], Any], args: list[Any]) -> tuple[list[Any], Any] | None:
    """The types that a function's own signature has for these arguments and for its result. Raises Problem where it takes other ones."""
    kinds = [("number", one.type.name, "") if isinstance(one, Number | Complex) else ("host", one) for one in args]
    try:
        found: tuple[list[Any], Any] | None = declared(kinds)
    except TypeError as error:
        t.error(node, str(error))
    return found


def _with_declared(
    t: Translator, node: ast.AST, function: Any, args: list[Any], wanted: list[Any], result: Any, frozen: Frozen | None
) -> Any:
    """A call whose numbers are converted to declared types, and its result too."""
    numbers = (Number, Complex)
    given = [
        converted(t, one, kind, node) if isinstance(kind, ty.Type) and isinstance(one, numbers) and one.type != kind else one
        for one, kind in zip(args, wanted, strict=True)
    ]
    count = len(given) if function.__code__.co_flags & inspect.CO_VARARGS else function.__code__.co_argcount
    by_name = dict(zip(function.__code__.co_varnames[count:], given[count:], strict=False))
    found = inlined(t, node, function, given[:count], by_name, frozen)
    return converted(t, found, result, node) if isinstance(result, ty.Type) and isinstance(found, numbers) else found


def _as_type(thing: Any) -> Any:
    try:
        return type_of(thing)
    except TypeError:
        return None


def _conversion(t: Translator, node: ast.Call, kind: ty.Type, args: list[Any]) -> Any:
    """`float32(x)`, `int(x)`."""
    if not args:
        return converted(t, lifted(t, 0), kind, node)
    if len(args) == 2 and kind.kind == "c":
        one = ty.part(kind)
        return Complex(kind, converted(t, args[0], one, node), converted(t, args[1], one, node))
    if len(args) != 1:
        wanted = "one or two numbers" if kind.kind == "c" else "one number"
        t.error(node, f"{ast.unparse(node.func)}(...) takes {wanted}, {len(args)} are given")
    if isinstance(args[0], str):
        return converted(t, lifted(t, _number_in(t, node, args[0], kind)), kind, node)
    if isinstance(node.func, ast.Name) and node.func.id == "int" and isinstance(args[0], Number) and args[0].type.kind == "u":
        return args[0]
    return converted(t, args[0], kind, node)


def _number_in(t: Translator, node: ast.Call, text: str, kind: ty.Type) -> Any:
    """The number in a text, as in `float("inf")`. Raises Problem."""
    make = complex if kind.kind == "c" else float if kind.kind == "f" else int
    try:
        return make(text)
    except ValueError:
        return t.error(node, f"{text!r} is not a number that {ast.unparse(node.func)}() can read")


def _method(t: Translator, node: ast.Call, function: Bound, args: list[Any]) -> Any:
    owner, name = function.owner, function.name
    if name == "bit_count":
        return NAMES["cuda.popc"].translate(t, node, owner)
    if name == "item":
        return owner if isinstance(owner, Number | Complex) else item_of(t, node, owner, args[0] if len(args) == 1 else tuple(args))
    if name == "conjugate":
        if isinstance(owner, Complex):
            return Complex(owner.type, owner.real, unary(t, node, ast.USub, owner.imag))
        return owner
    if name in ("count", "index"):
        return _in_tuple(t, node, owner, name, args[0])
    if name == "view" and isinstance(owner, Number):
        return _same_bits(t, node, owner, args[0])
    if isinstance(owner, Array):
        return method(t, node, owner, name, args)
    return t.error(node, f"{said(owner)} has no {name!r}")


def _in_tuple(t: Translator, node: ast.AST, owner: tuple[Any, ...], name: str, wanted: Any) -> Any:
    places = [
        place for place, one in enumerate(owner)
        if isinstance(one, Number) and isinstance(wanted, Number) and one.constant is not None and one.constant == wanted.constant
    ]  # fmt: skip
    if name == "count":
        return lifted(t, len(places))
    return lifted(t, places[0]) if places else t.error(node, "the tuple has no such item")


def _same_bits(t: Translator, node: ast.AST, number: Number, wanted: Any) -> Number:
    """`x.view(type)`: the same bits as another type."""
    kind = _as_type(wanted)
    if not isinstance(kind, ty.Type) or kind.bits != number.type.bits or kind == ty.FLOAT16:
        t.error(node, f"{said(number)} can be viewed as a type of {number.type.bits} bits only")
    b = t.b
    bits = b.pure("bits", number.value, type="u64") if number.type.kind == "f" else number.value
    if kind.kind == "f":
        return Number(kind, b.pure("float", bits, type=kind.ssa))
    return Number(kind, b.pure("wrap", bits, type=kind.ssa, imm=kind.bits))


def elementwise(t: Translator, node: ast.Call, path: str, args: list[Any]) -> Any:
    """A function of NumPy on arrays, into the array that is its last argument: a loop over the items."""
    inputs = int(getattr(getattr(np, path.removeprefix("numpy.")), "nin", 1))
    if len(args) != inputs + 1 or not isinstance(args[-1], Array):
        t.error(node, f"{path} of arrays needs an array for its results: {path}({', '.join('xyz'[:inputs])}, out)")
    depth = len(args[-1].shape)
    indices = ", ".join(f"i{axis}" for axis in range(depth))
    names = [f"x{place}" for place in range(inputs)]
    items = [f"{name}[{indices}]" if isinstance(one, Array) and one.shape else name for name, one in zip(names, args, strict=False)]
    text = "".join(f"{' ' * axis}for i{axis} in range(n{axis}):\n" for axis in range(depth))
    text += f"{' ' * depth}out[{indices or '()'}] = operation({', '.join(items)})\n"
    loop = ast.parse(text).body[0]
    for inner in ast.walk(loop):
        ast.copy_location(inner, node)
    saved = t.frame.env
    sizes = {f"n{axis}": Number(ty.INT64, one) for axis, one in enumerate(args[-1].shape)}
    given = {
        name: item_of(t, node, one, ()) if isinstance(one, Array) and not one.shape else one
        for name, one in zip(names, args, strict=False)
    }  # fmt: skip
    t.frame.env = dict(saved) | sizes | given | {"out": args[-1], "operation": Dotted(path), "range": range}
    problems = t.problems
    t.statements([loop])
    t.frame.env = saved
    if t.problems > problems:
        raise Problem
    return args[-1]


# ---------------------------------------------------------------------------------------------------------
# Functions of the user's


def inlined(t: Translator, node: ast.AST, function: Any, args: Sequence[Any], named: dict[str, Any], frozen: Frozen | None = None) -> Any:
    """Translate a function's body in the place of its call. frozen: what names meant where it was decorated, if it has a signature."""
    own = function.node if isinstance(function, Inner) else function
    if len(t.frames) > MOST_INLINED:
        t.error(node, f"functions call functions to a depth of more than {MOST_INLINED}", "write some of them in place of their calls")
    path = (*t.frame.path, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    frame = _frame(t, node, function, args, named, path, frozen)
    around = [one for one in t.frames if one.function is own]
    if around and not _changes_a_constant(frame, around[-1]):
        names = [one.name for one in t.frames[t.frames.index(around[0]) :]]
        t.error(
            node, f"a kernel cannot have recursion whose depth is not known: {' calls '.join([*names, names[0]])}",
            "write it as a loop, or let an argument that is known when the kernel is compiled count down",
        )  # fmt: skip
    b, at = t.b, t.b.at
    t.frames.append(frame)
    depth = len(b.scopes)
    b.scopes.append({})
    problems = t.problems
    t.statements(frame.text.body)
    if b.block is not None:
        frame.ends.places.append((b.block, {"return": None}))
    b.close_scope(dominates=len(frame.ends.places) == 1)
    assert len(b.scopes) == depth
    t.frames.pop()
    b.at = at
    if not frame.ends.places:
        b.block = None
        raise Unreached
    found = joined(t, node, frame.ends).get("return")
    if t.problems > problems:
        raise Problem
    if isinstance(found, Clash):
        return Clash(found.name, found.values, function=frame.name)
    return PENDING if found is None and frame.waits else found


def _changes_a_constant(frame: Frame, before: Frame) -> bool:
    """Whether a function that calls itself gives a parameter another constant: what it does there is decided when it is compiled."""
    for name, value in frame.bound.items():
        was = before.bound.get(name)
        known = [one.constant for one in (value, was) if isinstance(one, Number) and one.constant is not None]
        if len(known) == 2 and known[0] != known[1]:
            return True
    return False


def _frame(
    t: Translator, node: ast.AST, function: Any, args: Sequence[Any], named: dict[str, Any], path: tuple[Any, ...], frozen: Frozen | None
) -> Frame:
    if isinstance(function, Inner):
        outer = function.frame
        bound = _bound(t, node, function.node, "the function", args, named, t.expression)
        text = Text(function.node, outer.text.line, outer.text.column, outer.text.source)
        visible = dict(outer.env)

        def find(name: str) -> Any:
            return visible[name] if name in visible else outer.find(name)

        return Frame(
            getattr(function.node, "name", "<lambda>"), text, outer.file, find, bound,
            assigned(text.body) | set(bound), path=path, function=function.node, bound=dict(bound),
            called=outer.called, frozen=outer.frozen,
        )  # fmt: skip
    try:
        frame = t.enter(function, {}, path, t.where(node), frozen)
    except NoSource as error:
        t.error(node, str(error))
    defaults = dict(
        zip(function.__code__.co_varnames[: function.__code__.co_argcount][::-1], (function.__defaults__ or ())[::-1], strict=False)
    )
    definition = frame.text.node
    bound = _bound(t, node, definition, f"{function.__name__}()", args, named, None, defaults | (function.__kwdefaults__ or {}))
    frame.env, frame.bound = bound, dict(bound)
    frame.local |= set(bound)
    return frame


def _bound(
    t: Translator, node: ast.AST, definition: ast.FunctionDef | ast.Lambda, name: str, args: Sequence[Any], named: dict[str, Any],
    default: Any, defaults: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The variables that arguments give values to."""
    wanted = [one.arg for one in (*definition.args.posonlyargs, *definition.args.args)]
    keywords = [one.arg for one in definition.args.kwonlyargs]
    env: dict[str, Any] = dict(zip(wanted, args, strict=False))
    rest = tuple(args[len(wanted) :])
    if definition.args.vararg is not None:
        env[definition.args.vararg.arg] = rest
    elif rest:
        t.error(node, f"{name} takes {counted(len(wanted), 'argument')}, {len(args)} are given")
    for key, value in named.items():
        if key not in wanted + keywords or key in env:
            t.error(node, f"{name} has no argument {key!r}{nearest(key, wanted)}")
        env[key] = value
    if default is not None:
        for one, expression_node in zip(wanted[::-1], definition.args.defaults[::-1], strict=False):
            if one not in env:
                env[one] = default(expression_node)
    for key, value in (defaults or {}).items():
        env.setdefault(key, lifted(t, value))
    missing = [one for one in wanted + keywords if one not in env]
    if missing:
        t.error(node, f"{name} takes {counted(len(wanted), 'argument')}, {len(args) + len(named)} are given: {missing[0]!r} has no value")
    return env


def static_shape(t: Translator, node: ast.AST, shape: Any, what: str) -> tuple[int, ...]:
    """A shape that is known when the kernel is compiled. Raises Problem."""
    sizes = shape if isinstance(shape, tuple) else (shape,)
    for place, one in enumerate(sizes):
        whole(t, one, node, "a size")
        if one.constant is None:
            inner = node.args[0] if isinstance(node, ast.Call) and node.args else node
            if isinstance(inner, ast.Tuple):
                inner = inner.elts[place]
            t.error(
                inner, f"the size of a {what} array must be known when the kernel is compiled",
                "use a constant of the module" + (", or shape 0 and the launch's fourth number" if what == "shared" else ""),
            )  # fmt: skip
    return tuple(int(one.constant) for one in sizes)


ACTIONS["inline"] = inlined
