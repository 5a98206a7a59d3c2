"""Loops: `for` over ranges, tuples and arrays, `while`, break and continue.

A loop is turned: the condition is asked once before it, then at its end, so that a round has one branch. A short one of a known number of
rounds is unrolled.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from warploom.compiler.builder import Loop
from warploom.compiler.ssa import Value
from warploom.kernel.syntax.arithmetic import converted, lifted, truth
from warploom.kernel.syntax.carried import carrying
from warploom.kernel.syntax.memory import few, item_of
from warploom.kernel.syntax.merging import at_end, at_head, limits_of, meet
from warploom.kernel.syntax.questions import marks_of
from warploom.kernel.syntax.statements import assign, statement
from warploom.kernel.syntax.translator import ACTIONS, Ends, Problem, Translator, Unreached, Wait
from warploom.kernel.syntax.tree import assigned, assigned_when
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import PENDING, UNKNOWN, Array, Lazy, Number, Range, said

MOST_UNROLLED = 400  # nodes of the syntax tree that a loop may become
MOST_ROUNDS = 32


@statement(ast.For)
def for_loop(t: Translator, node: ast.For) -> None:
    """`for x in ...`."""
    try:
        over = t.expression(node.iter)
    except Problem as problem:
        condition = t.unknown_condition(problem)
        for name in assigned([node]):
            t.frame.env[name] = PENDING if isinstance(problem, Wait) else UNKNOWN
        t.b.at = t.where(node)
        _loop(t, node, lambda: condition, lambda: None, lambda: None)
        return
    if isinstance(over, tuple):
        few(t, node.iter, len(over))
        _unrolled(t, node, list(over))
    elif isinstance(over, Range):
        _over_range(t, node, over)
    elif isinstance(over, Array) and over.shape:
        zero, one = lifted(t, 0), lifted(t, 1)
        _over_range(t, node, Range(zero, Number(ty.INT64, over.shape[0]), one), lambda index: item_of(t, node.iter, over, index))
    elif isinstance(over, Lazy):
        _over_range(t, node, Range(lifted(t, 0), Number(ty.INT64, over.length), lifted(t, 1)), over.item)
    else:
        t.error(node.iter, f"a kernel's for runs over range(...), a tuple or an array, and this is {said(over)}", "for i in range(n):")


def _unrolled(t: Translator, node: ast.For, values: list[Any]) -> None:
    """The body once for each value; break and continue meet where they must."""
    left = Ends()
    names = assigned(node.body) | assigned_by(node)
    with carrying(t, (*t.frame.path, node.lineno, node.col_offset, len(t.b.loops)), assigned(node.body)) as carrier:
        for value in values:
            if t.b.block is None:
                break
            _unrolled_round(t, node, value, left)
    _otherwise(t, node, left)
    if left.places:
        if t.b.block is not None:
            left.add(t.b.block, t.frame)
        meet(t, node, left)
    if carrier.learned:
        t.forget(names)


def _unrolled_round(t: Translator, node: ast.For, value: Any, left: Ends) -> None:
    around = Ends()
    assign(t, node.target, value)
    t.frame.loops.append((around, left))
    t.b.scopes.append({})
    t.statements(node.body)
    t.frame.loops.pop()
    t.b.close_scope(dominates=not around.places and not left.places)
    if around.places:
        if t.b.block is not None:
            around.add(t.b.block, t.frame)
        meet(t, node, around)


def _over_range(t: Translator, node: ast.For, over: Range, item: Callable[[Number], Any] | None = None) -> None:
    b = t.b
    kind = ty.UINT64 if any(one.type == ty.UINT64 for one in (over.start, over.stop)) else ty.INT64
    start, stop, step = (converted(t, one, kind, node).value for one in (over.start, over.stop, over.step))
    if step.op == "const" and step.imm == 0:
        t.error(node.iter, "the step of range() is not 0")
    if start.op == stop.op == step.op == "const":
        rounds = range(int(start.imm), int(stop.imm), int(step.imm))
        size = sum(1 for statement in node.body for _ in ast.walk(statement))
        inside = (ast.For, ast.While, ast.Break, ast.Continue, ast.Return)
        leaves_early = any(isinstance(one, inside) for statement in node.body for one in ast.walk(statement))
        if not leaves_early and len(rounds) <= MOST_ROUNDS and len(rounds) * size <= MOST_UNROLLED:
            numbers = [Number(kind, b.whole(number, kind.ssa)) for number in rounds]
            _unrolled(t, node, [item(one) if item else one for one in numbers])
            return
    counter = f"{node.lineno}:{node.col_offset}:{len(b.loops)} counter"  # no variable of the user's has this name
    t.frame.env[counter] = Number(kind, start)
    upwards = step.op == "const" and step.imm > 0
    downwards = step.op == "const" and step.imm < 0

    def test() -> Value:
        now = t.frame.env[counter].value
        if upwards:
            return b.pure("lt", now, stop, type="i1")
        if downwards:
            return b.pure("lt", stop, now, type="i1")
        rising = b.pure("lt", b.whole(0), step, type="i1")
        below, above = b.pure("lt", now, stop, type="i1"), b.pure("lt", stop, now, type="i1")
        falling = b.pure("lt", step, b.whole(0), type="i1")
        return b.pure("or", b.pure("and", rising, below, type="i1"), b.pure("and", falling, above, type="i1"), type="i1")

    def first() -> None:
        now = t.frame.env[counter]
        if upwards and start.lo >= limits_of(kind)[0]:
            now.value.lo, now.value.hi = start.lo, max(stop.hi - 1, start.lo)
        elif downwards:
            now.value.lo, now.value.hi = min(stop.lo + 1, start.hi), start.hi
        assign(t, node.target, item(now) if item else now)

    def after() -> None:
        t.frame.env[counter] = Number(kind, b.pure("add", t.frame.env[counter].value, step, type=kind.ssa))

    _loop(t, node, test, first, after, {counter})
    t.frame.env.pop(counter, None)


@statement(ast.While)
def while_loop(t: Translator, node: ast.While) -> None:
    """`while`."""
    asked: list[ast.expr] = []

    def test() -> Value:
        try:
            found = truth(t, ACTIONS["tested"](t, node.test), node.test)
        except Problem as problem:
            waits = isinstance(problem, Wait)
            t.frame.env.update(dict.fromkeys(assigned([node.test]), PENDING if waits else UNKNOWN))
            return t.unknown_truth() if waits and asked else t.unknown_condition(problem)
        else:
            return found if asked or not t.is_guessed(found) else t.unknown_condition(Wait())
        finally:
            asked.append(node.test)

    def first() -> None:
        t.frame.maybe -= assigned_when(node.test, True)

    _loop(t, node, test, first, lambda: None)


def _loop(
    t: Translator, node: ast.For | ast.While, test: Callable[[], Value], first: Callable[[], None], after: Callable[[], None],
    more: frozenset[str] | set[str] = frozenset(),
) -> None:  # fmt: skip
    """`if test: do first, body, after while test`."""
    b = t.b
    key = (*t.frame.path, node.lineno, node.col_offset, len(b.loops))
    condition = test()
    if condition.op == "const" and not condition.imm:
        t.statements(node.orelse)
        return
    leaving = Ends()
    broken = Ends() if node.orelse else leaving
    before = b.new_block()
    skipped = None
    if condition.op == "const":
        b.jump(before)
    else:
        skipped = b.new_block()
        b.branch(condition, before, skipped)
        leaving.add(skipped, t.frame)
        t.frame.env = dict(t.frame.env)
    b.place(before)
    head = b.new_block()
    b.scopes.append({})
    b.jump(head)
    b.loops.append(Loop(before, len(b.scopes) - 1))
    b.scopes.append({})
    b.block = head
    changed = assigned(node.body) | assigned_by(node)
    with carrying(t, key, changed) as carrier:
        heads = at_head(t, node, changed | marks_of(t, changed) | carrier.marks | set(more), key, head)
        around = Ends()
        t.frame.loops.append((around, broken))
        b.scopes.append({})
        first()
        t.statements(node.body)
        t.frame.loops.pop()
        if b.block is not None:
            around.add(b.block, t.frame)
        b.close_scope(dominates=len(around.places) == 1)
        if around.places:
            meet(t, node, around)
        for _, env in broken.places[1 if skipped is not None and broken is leaving else 0 :]:  # by break
            carrier.unsure |= changed - set(env)
    if around.places:
        b.at = t.where(node)
        after()
        try:
            again = test()
        except Unreached:
            again = None
        if again is None:
            pass
        elif again.op == "const" and not again.imm:  # nothing comes back to the head
            leaving.add(b.current, t.frame)
        else:
            carrier.learned |= at_end(t, node, heads, key)
            if again.op == "const":
                b.jump(head)
            else:
                leave = b.new_block()
                b.branch(again, head, leave)
                leaving.add(leave, t.frame)
    b.loops.pop()
    b.scopes.pop()
    b.scopes.pop()
    if skipped is not None:
        b.place(skipped)
    meet(t, node, leaving)
    if node.orelse:
        _otherwise(t, node, broken)
        if broken.places:
            if b.block is not None:
                broken.add(b.block, t.frame)
            meet(t, node, broken)
    if carrier.learned:
        t.forget(changed)


def _otherwise(t: Translator, node: ast.For | ast.While, broken: Ends) -> None:
    """A loop's `else`, which is for those that no `break` has taken out of it."""
    t.b.scopes.append({})
    t.statements(node.orelse)
    t.b.close_scope(dominates=not broken.places)


def assigned_by(node: ast.For | ast.While) -> set[str]:
    """The variables that a loop itself gives values: the target of a `for`, and what a condition assigns."""
    return {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)} if isinstance(node, ast.For) else assigned([node.test])


@statement(ast.Break)
def break_(t: Translator, node: ast.Break) -> None:
    """`break`."""
    assert t.b.block is not None
    t.frame.loops[-1][1].add(t.b.block, t.frame)
    t.b.block = None


@statement(ast.Continue)
def continue_(t: Translator, node: ast.Continue) -> None:
    """`continue`."""
    assert t.b.block is not None
    t.frame.loops[-1][0].add(t.b.block, t.frame)
    t.b.block = None
