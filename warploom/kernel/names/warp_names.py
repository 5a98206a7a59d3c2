"""Warps in kernels: shuffles, votes, matches. What numba's simulator leaves out is here: warps are what the machine is made of.

Masks name lanes. The machine executes these operations for the lanes that are active together; a mask that names others is wrong on
a GPU.
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.arithmetic import truth, whole
from warploom.kernel.syntax.known_names import function
from warploom.kernel.syntax.questions import LANES, ask
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number, said


def ask_lanes(t: Translator, node: ast.AST, mask: Any) -> None:
    """A kernel that is checked asks whether the lanes that a mask names are there."""
    ask(t, node, LANES, _mask(t, node, mask), about=getattr(getattr(node, "func", None), "attr", "this operation"))


def _shuffled(t: Translator, node: ast.Call, op: str, value: Any, lane: Any, segment: Value | None = None) -> Number:
    if not isinstance(value, Number) or value.type.bits not in (32, 64):
        t.error(node, f"a number of 32 or 64 bits is wanted, and this is {said(value)}")
    number = whole(t, lane, node, "a lane")
    lanes = segment or t.b.pure("special", imm="lanes")
    kind = value.type
    found = t.b.effect("shuffle", value.value, number, lanes, type=kind.ssa, imm=op)
    if kind.whole:
        found.lo, found.hi = (-(1 << kind.bits - 1), (1 << kind.bits - 1) - 1) if kind.kind == "i" else (0, (1 << kind.bits) - 1)
        if kind.bits == 64:  # what is moved has its own bounds
            found.lo, found.hi = min(value.value.lo, 0), max(value.value.hi, 0)
    return Number(kind, found)


def _shuffle(op: str) -> Any:
    def translate(t: Translator, node: ast.Call, mask: Any, value: Any, lane: Any) -> Number:
        ask_lanes(t, node, mask)
        return _shuffled(t, node, op, value, lane)

    return translate


function("cuda.shfl_sync", "mask, value, lane", "the value of a lane")(_shuffle("shuffle"))
function("cuda.shfl_up_sync", "mask, value, distance", "the value of the lane so many below")(_shuffle("shuffle_up"))
function("cuda.shfl_down_sync", "mask, value, distance", "the value of the lane so many above")(_shuffle("shuffle_down"))
function("cuda.shfl_xor_sync", "mask, value, bits", "the value of the lane whose number differs in these bits")(_shuffle("shuffle_xor"))


@function("cuda.shfl_sync_intrinsic", "mask, mode, value, lane, clamp", "any of the shuffles by its number; a tuple with a truth value")
def shfl_sync_intrinsic(t: Translator, node: ast.Call, mask: Any, mode: Any, value: Any, lane: Any, clamp: Any) -> Any:
    """Modes: 0 lane, 1 up, 2 down, 3 xor."""
    ask_lanes(t, node, mask)
    op = ("shuffle", "shuffle_up", "shuffle_down", "shuffle_xor")[int(mode.constant or 0)]
    return _shuffled(t, node, op, value, lane), Number(ty.BOOL, t.b.truth(True))


def _ballot(t: Translator, value: Value) -> Value:
    return t.b.effect("ballot", value, type="u64")


def _bounded(value: Value) -> Value:
    value.lo, value.hi = 0, (1 << 32) - 1
    return value


@function("cuda.ballot_sync cuda.ballot", "mask, predicate", "a bit a lane: those whose predicates are true")
def ballot_sync(t: Translator, node: ast.Call, mask: Any, predicate: Any) -> Number:
    """`cuda.ballot_sync(mask, p)`."""
    return Number(ty.UINT32, _voted(t, node, mask, predicate))


def _voted(t: Translator, node: ast.Call, mask: Any, predicate: Any) -> Value:
    ask_lanes(t, node, mask)
    votes = _bounded(_ballot(t, truth(t, predicate, node)))
    return t.b.pure("and", votes, _mask(t, node, mask), type="u64")


def _mask(t: Translator, node: ast.AST, mask: Any) -> Value:
    return t.b.pure("and", whole(t, mask, node, "a mask"), t.b.whole(0xFFFFFFFF), type="u64")


@function("cuda.activemask", "", "a bit a lane: those that execute this")
def activemask(t: Translator, node: ast.Call) -> Number:
    """`cuda.activemask()`."""
    return Number(ty.UINT32, _bounded(_ballot(t, t.b.truth(True))))


@function("cuda.lanemask_lt", "", "a bit a lane: those below this one")
def lanemask_lt(t: Translator, node: ast.Call) -> Number:
    """`cuda.lanemask_lt()`."""
    lane = t.b.pure("special", imm="lane")
    return Number(ty.UINT32, t.b.pure("sub", t.b.pure("shl", t.b.whole(1), lane), t.b.whole(1)))


def _vote(name: str) -> Any:
    def translate(t: Translator, node: ast.Call, mask: Any, predicate: Any) -> Number:
        b = t.b
        if name == "any":
            return Number(ty.BOOL, b.pure("ne", _voted(t, node, mask, predicate), b.whole(0), type="i1"))
        here = b.pure("and", _bounded(_ballot(t, b.truth(True))), _mask(t, node, mask), type="u64")
        votes = _voted(t, node, mask, predicate)
        every = b.pure("eq", votes, here, type="i1")
        if name == "all":
            return Number(ty.BOOL, every)
        return Number(ty.BOOL, b.pure("or", every, b.pure("eq", votes, b.whole(0), type="i1"), type="i1"))

    return translate


function("cuda.all_sync", "mask, predicate", "whether all lanes' predicates are true")(_vote("all"))
function("cuda.any_sync", "mask, predicate", "whether a lane's predicate is true")(_vote("any"))
function("cuda.eq_sync", "mask, predicate", "whether all lanes' predicates are the same")(_vote("eq"))


@function("cuda.match_any_sync", "mask, value", "a bit a lane: those that have the same value")
def match_any_sync(t: Translator, node: ast.Call, mask: Any, value: Any) -> Number:
    """`cuda.match_any_sync(mask, x)`."""
    return Number(ty.UINT32, _matched(t, node, mask, value))


def _matched(t: Translator, node: ast.Call, mask: Any, value: Any) -> Value:
    if not isinstance(value, Number):
        t.error(node, f"a number is wanted, and this is {said(value)}")
    ask_lanes(t, node, mask)
    found = _bounded(t.b.effect("match", value.value, type="u64"))
    return t.b.pure("and", found, _mask(t, node, mask), type="u64")


@function("cuda.match_all_sync", "mask, value", "the lanes and True where all have the same value, else 0 and False")
def match_all_sync(t: Translator, node: ast.Call, mask: Any, value: Any) -> Any:
    """`cuda.match_all_sync(mask, x)`."""
    b = t.b
    lanes = b.pure("and", _mask(t, node, mask), _bounded(_ballot(t, b.truth(True))), type="u64")
    same = b.pure("eq", _matched(t, node, mask, value), lanes, type="i1")
    return Number(ty.UINT32, b.pure("sel", same, lanes, b.whole(0), type="u64")), Number(ty.BOOL, same)


@function("cuda.syncwarp", "mask", "wait until the lanes in the mask have come here, and see what they stored; without: all lanes")
def syncwarp(t: Translator, node: ast.Call, mask: Any = None) -> None:
    """`cuda.syncwarp(mask)`."""
    lanes = t.b.whole(0xFFFFFFFF) if mask is None else _mask(t, node, mask)
    t.b.effect("syncwarp", lanes)
