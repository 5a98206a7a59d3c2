"""Expressions: constants, names, operators, attributes, items."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

from warploom.compiler.ssa import Value
from warploom.isa.diagnostics import nearest
from warploom.kernel.syntax.arithmetic import binary, compared, converted, lifted, truth, unary
from warploom.kernel.syntax.attributes import attribute_of, outside
from warploom.kernel.syntax.carried import read_early
from warploom.kernel.syntax.known_names import NAMES, path_of
from warploom.kernel.syntax.memory import item_of
from warploom.kernel.syntax.mistakes import both
from warploom.kernel.syntax.questions import ask_value, may_divide, may_lack_value
from warploom.kernel.syntax.refused import refuse_launch
from warploom.kernel.syntax.statements import assign, branched, condition_of
from warploom.kernel.syntax.translator import ACTIONS, EXPRESSIONS, Problem, Translator, Unreached, Wait
from warploom.kernel.syntax.tree import assigned_when
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import PENDING, UNKNOWN, Array, Clash, Complex, Formatted, Inner, Number, Pending, Slice, said

LONG_SUM = 8  # operators in a row: from here on they are walked, and of several mistakes in them the first is said
PURE_NODES = (
    ast.Name, ast.Constant, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.cmpop, ast.boolop,
    ast.expr_context, ast.IfExp, ast.Attribute,
)  # fmt: skip


def expression(*kinds: type) -> Callable[[Callable[[Translator, Any], Any]], Callable[[Translator, Any], Any]]:
    """The function below translates these classes of nodes."""

    def add(handler: Callable[[Translator, Any], Any]) -> Callable[[Translator, Any], Any]:
        for kind in kinds:
            EXPRESSIONS[kind] = handler
        return handler

    return add


@expression(ast.Constant)
def constant(t: Translator, node: ast.Constant) -> Any:
    """A literal."""
    return lifted(t, node.value)


@expression(ast.Name)
def name(t: Translator, node: ast.Name) -> Any:
    """A variable, or what the name means outside of the kernel."""
    env = t.frame.env
    if node.id in env:
        value = env[node.id]
        if isinstance(value, Clash):
            t.error(node, *value.mistake(repr(node.id)))
        if node.id in t.frame.maybe:
            t.frame.maybe.discard(node.id)
            t.warn(node, f"{node.id!r} has no value on some path that leads here", "give it a value before the branch")
        ask_value(t, node, node.id)
        return value
    if node.id in t.frame.local:
        read_early(t, node)
        t.error(node, f"{node.id!r} has no value here", "give it a value on every path that leads here")
    try:
        return outside(t, node, t.frame.find(node.id), node.id)
    except KeyError:
        known = [*env, *t.frame.local, *(one[9:] for one in NAMES if one.startswith("builtins."))]
        t.error(node, f"there is no {node.id!r}{nearest(node.id, known)}")
    except ValueError:
        t.error(node, f"{node.id!r} has no value yet")


@expression(ast.Tuple, ast.List)
def tuple_(t: Translator, node: ast.Tuple | ast.List) -> Any:
    """`a, b`."""
    if isinstance(node, ast.List):
        t.error(node, "a kernel cannot have a list", "use a tuple, or cuda.local.array")
    found: list[Any] = []
    parts = both(t, *(one.value if isinstance(one, ast.Starred) else one for one in node.elts))
    for one, inner in zip(node.elts, parts, strict=True):
        if isinstance(one, ast.Starred):
            if not isinstance(inner, tuple):
                t.error(one, f"{said(inner)} cannot be taken apart")
            found += inner
        else:
            found.append(inner)
    return tuple(found)


@expression(ast.BinOp)
def binary_operator(t: Translator, node: ast.BinOp) -> Any:
    """`a + b`; a long sum is a chain of them, which is walked and not descended."""
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    if len(chain) < LONG_SUM:
        left, right = both(t, node.left, node.right)
        return binary(t, node, type(node.op), left, right)
    found: Any = t.expression(chain[-1].left)
    for one in reversed(chain):
        t.b.at = t.where(one)
        right = t.expression(one.right)
        t.b.at = t.where(one)
        found = binary(t, one, type(one.op), found, right)
    return found


@expression(ast.UnaryOp)
def unary_operator(t: Translator, node: ast.UnaryOp) -> Any:
    """`-a`, `not a`, `~a`."""
    value = t.expression(node.operand)
    if isinstance(node.op, ast.USub) and isinstance(value, Number) and value.type.whole and isinstance(value.constant, int):
        return lifted(t, -value.constant)
    return unary(t, node, type(node.op), value)


@expression(ast.Compare)
def comparison(t: Translator, node: ast.Compare) -> Any:
    """`a < b < c`: what follows is not read where a comparison is false already, as in `and`."""
    left, right = both(t, node.left, node.comparators[0])
    return Number(ty.BOOL, _chain(t, node, left, right, 0, t.b.truth(True)))


def _chain(t: Translator, node: ast.Compare, left: Any, right: Any, number: int, so_far: Value) -> Value:
    """The chain from a comparison on. so_far: whether all before it are true, of those that no branch has asked about."""
    op = node.ops[number]
    if isinstance(op, ast.In | ast.NotIn):
        one = _contained(t, node, left, right, isinstance(op, ast.NotIn))
    else:
        one = compared(t, node, type(op), left, right)
    found = t.b.pure("and", so_far, one, type="i1")
    if number + 1 == len(node.ops) or (found.op == "const" and not found.imm):
        return found
    following = node.comparators[number + 1]

    def rest(known: Value) -> Value:
        return _chain(t, node, right, t.expression(following), number + 1, known)

    if found.op == "const" or _may_be_read_anyway(t, following):
        return rest(found)
    true, false = t.b.truth(True), t.b.truth(False)
    result: Number = _either(t, node, found, lambda: Number(ty.BOOL, rest(true)), lambda: Number(ty.BOOL, false))
    return result.value


def _contained(t: Translator, node: ast.AST, item: Any, owner: Any, negated: bool) -> Value:
    if not isinstance(owner, tuple):
        t.error(node, f"`in` needs a tuple, and this is {said(owner)}")
    found = t.b.truth(False)
    for one in owner:
        found = t.b.pure("or", found, compared(t, node, ast.Eq, item, one), type="i1")
    return t.b.pure("eq", found, t.b.truth(False), type="i1") if negated else found


@expression(ast.BoolOp)
def logical(t: Translator, node: ast.BoolOp) -> Any:
    """`a and b`: the value of one of them, without a branch where the right side neither fails nor costs; else as an `if`."""
    if all(map(_is_truth, node.values)):
        return logical_truth(t, node)
    both_true = isinstance(node.op, ast.And)
    first = t.expression(node.values[0])
    for place, following in enumerate(node.values[1:], 1):
        condition = truth(t, first, node)
        if condition.op == "const":
            if bool(condition.imm) != both_true:
                return first
            first = t.expression(following)
            continue
        told = assigned_when(ast.BoolOp(node.op, node.values[:place]), both_true)
        if _may_be_read_anyway(t, following) and isinstance(first, Number):
            second = _unless_it_waits(partial(_read_anyway, t, following, told))
            if isinstance(second, Pending):
                continue
            if isinstance(second, Number):
                kind = ty.unified(first.type, second.type)
                values = [converted(t, one, kind, node).value for one in ((second, first) if both_true else (first, second))]
                first = Number(kind, t.b.pure("sel", condition, *values, type=kind.ssa))
                continue
        asked = condition if both_true else t.b.pure("eq", condition, t.b.truth(False), type="i1")
        first = _either(t, node, asked, partial(_following, t, following, told), partial(_itself, first))
    return first


def _itself(value: Any) -> Any:
    return value


def _following(t: Translator, node: ast.expr, told: set[str]) -> Any:
    """told: variables that the conditions before have assigned."""
    t.frame.maybe -= told
    return t.expression(node)


def tested(t: Translator, node: ast.expr) -> Any:
    """An expression of which only the truth is asked for."""
    return logical_truth(t, node) if isinstance(node, ast.BoolOp) else t.expression(node)


def logical_truth(t: Translator, node: ast.BoolOp) -> Any:
    """`a and b` where only its truth is asked for."""
    both_true = isinstance(node.op, ast.And)
    guess = partial(_guessed, t) if all(map(_is_truth, node.values)) else _as_it_is
    first = guess(partial(tested, t, node.values[0]))
    for place, following in enumerate(node.values[1:], 1):
        condition = truth(t, first, node)
        if condition.op == "const":
            if bool(condition.imm) != both_true:
                return first
            first = guess(partial(tested, t, following))
            continue
        told = assigned_when(ast.BoolOp(node.op, node.values[:place]), both_true)
        if _may_be_read_anyway(t, following):
            value = truth(t, _guessed(t, partial(_read_anyway, t, following, told)), node)
            first = Number(ty.BOOL, t.b.pure("and" if both_true else "or", condition, value, type="i1"))
            continue
        asked = condition if both_true else t.b.pure("eq", condition, t.b.truth(False), type="i1")
        first = _either(t, node, asked, partial(_truth_of, t, following, told), lambda: Number(ty.BOOL, t.b.truth(not both_true)))
    return first


def _is_truth(node: ast.expr) -> bool:
    """Whether an expression can be nothing but a truth value. Of `a and b` with a constant a, the value is that of one of the two."""
    if isinstance(node, ast.BoolOp):
        return all(map(_is_truth, node.values))
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _as_it_is(value: Callable[[], Any]) -> Any:
    return value()


def _guessed(t: Translator, value: Callable[[], Any]) -> Any:
    """One of several conditions; where it is pending, what they give together is a truth value all the same."""
    try:
        return value()
    except Wait:
        return Number(ty.BOOL, t.unknown_truth())


def _may_be_read_anyway(t: Translator, node: ast.expr) -> bool:
    """Whether an expression costs little and does no harm in a lane that does not need it."""
    return all(isinstance(inner, PURE_NODES) for inner in ast.walk(node)) and not (may_lack_value(t, node) or may_divide(t, node))


def _read_anyway(t: Translator, node: ast.expr, told: set[str]) -> Any:
    """told: variables that have a value in all lanes whose result counts."""
    known = t.frame.maybe & told
    t.frame.maybe -= known
    value = t.expression(node)
    t.frame.maybe |= known
    return value


def _truth_of(t: Translator, node: ast.expr, told: set[str]) -> Number:
    """told: variables that the conditions before have assigned."""
    t.frame.maybe -= told
    return Number(ty.BOOL, truth(t, tested(t, node), node))


@expression(ast.IfExp)
def conditional(t: Translator, node: ast.IfExp) -> Any:
    """`a if c else b`: a selection where both sides are cheap, else a branch."""
    condition = _condition(t, node.test)
    if condition.op == "const":
        return t.expression(node.body if condition.imm else node.orelse)
    if _may_be_read_anyway(t, node.body) and _may_be_read_anyway(t, node.orelse):
        x, y = (_unless_it_waits(partial(_read_anyway, t, one, assigned_when(node.test, side))) for one, side in _sides(node))
        if isinstance(x, Number) and isinstance(y, Number):
            kind = ty.unified(x.type, y.type)
            values = [converted(t, one, kind, node).value for one in (x, y)]
            return Number(kind, t.b.pure("sel", condition, *values, type=kind.ssa))
        if isinstance(x, Pending) or isinstance(y, Pending):
            return y if isinstance(x, Pending) else x
        if isinstance(x, Complex) or isinstance(y, Complex):
            return _either(t, node, condition, lambda: x, lambda: y)

    def chosen(value: ast.expr, outcome: bool) -> Any:
        t.frame.maybe -= assigned_when(node.test, outcome)
        return t.expression(value)

    return _either(t, node, condition, lambda: chosen(node.body, True), lambda: chosen(node.orelse, False))


def _condition(t: Translator, test: ast.expr) -> Value:
    """That of a choice; after a mistake in it the sides are not looked at. Raises Problem."""
    problems = t.problems
    condition = condition_of(t, test)
    if t.problems > problems:
        raise Problem
    return condition


def _sides(node: ast.IfExp) -> tuple[tuple[ast.expr, bool], ...]:
    return (node.body, True), (node.orelse, False)


def _unless_it_waits(value: Callable[[], Any]) -> Any:
    """A side of a choice; where one is pending, the other one says what type comes out."""
    try:
        return value()
    except Wait:
        return PENDING


def _either(t: Translator, node: ast.AST, condition: Value, true: Callable[[], Any], false: Callable[[], Any]) -> Any:
    """The value of the side that a condition chooses."""
    result = "value of a branch"  # no variable of the user's has this name

    def side(value: Callable[[], Any]) -> None:
        with contextlib.suppress(Unreached):
            t.frame.env[result] = _unless_it_waits(value)

    t.frame.env = branched(t, node, condition, lambda: side(true), lambda: side(false))
    if t.b.block is None:
        raise Unreached
    return t.frame.env.pop(result, UNKNOWN)


@expression(ast.Subscript)
def item(t: Translator, node: ast.Subscript) -> Any:
    """`a[i]`."""
    owner, index = both(t, node.value, node.slice)
    if path_of(owner) is not None and not isinstance(owner, Array | tuple):
        t.error(node, f"{ast.unparse(node.value)} has no items")
    if getattr(owner, "device", None) is False and hasattr(owner, "py_func"):
        refuse_launch(t, node, ast.unparse(node.value))
    return item_of(t, node, owner, index)


@expression(ast.Slice)
def slice_(t: Translator, node: ast.Slice) -> Slice:
    """`a:b:c`."""
    return Slice(*(None if one is None else t.expression(one) for one in (node.lower, node.upper, node.step)))


@expression(ast.Attribute)
def attribute(t: Translator, node: ast.Attribute) -> Any:
    """`a.b`."""
    return attribute_of(t, node, t.expression(node.value), node.attr)


@expression(ast.NamedExpr)
def assigned_value(t: Translator, node: ast.NamedExpr) -> Any:
    """`(x := a)`."""
    value = t.expression(node.value)
    assign(t, node.target, value)
    return t.frame.env[node.target.id]


@expression(ast.Lambda)
def lambda_(t: Translator, node: ast.Lambda) -> Any:
    """A function without a name, called where it stands."""
    return Inner(node, t.frame)


@expression(ast.JoinedStr)
def formatted(t: Translator, node: ast.JoinedStr) -> str:
    """A formatted string has no meaning on a GPU but in messages that nobody reads there."""
    if all(isinstance(one, ast.Constant) for one in node.values):
        return "".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
    return Formatted(ast.unparse(node))


ACTIONS["tested"] = tested
