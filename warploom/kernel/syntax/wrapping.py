"""Warnings that Numba never gives: an index that may be below zero, where it counts from the end, or that rounding puts beyond the end.

`x[i - 1]` of thread 0 is the array's last item, which is rarely meant. Nothing is said where a condition of the function looks at one of
the variables of the index, or a condition of one that calls it at what it hands on: it may well keep the index from falling below zero.

`x[int(u * n)]` of a random number u from 0 to 1 is x[n] where u has been rounded up to 1.0, as one of 32 bits is once in 2^25 numbers.
"""

from __future__ import annotations

import ast

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.translator import Frame, Translator
from warploom.kernel.types.values import Number

FARTHEST = -(1 << 20)  # bounds below this are those of a type, of which nothing is known
LIMITING = ("min", "max", "abs", "clamp")
UNIFORM = 2.0**-53  # what random bits are multiplied by
PASSING = ("add", "sub", "mul", "wrap", "f2i", "f2f", "ffloor", "fadd", "fsub", "fmul", "fma")
MOST_STEPS = 32


def warn_of_wrapping(t: Translator, node: ast.AST, index: ast.AST, number: Value) -> None:
    """Warn of an index `x - 1` whose bounds reach below zero and above it. Of `n - 1 - x` nothing is said: the two may well go together."""
    if not _below(number) or not isinstance(node, ast.Subscript):
        return
    if _names(index) & _looked_at(t.frame.text.body) or any(_looks_at(frame, number) for frame in t.frames[:-1]):
        return
    t.warn(
        index, f"this index may be {number.lo}, and an index below zero counts from the end of the array",
        "put a condition around it, or write % for an index that goes round",
    )  # fmt: skip


def warn_of_one(t: Translator, node: ast.AST, index: ast.AST, number: Value) -> None:
    """Warn of an index that a random number of 32 bits is a factor of, where no condition or function limits it."""
    if not isinstance(node, ast.Subscript) or not _of_random(number) or _names(index) & _looked_at(t.frame.text.body):
        return
    t.warn(
        index, "this index may be beyond the end: xoroshiro128p_uniform_float32 is rounded to 1.0 once in 33 million numbers",
        "take the smaller one of it and the last index, with min(); or xoroshiro128p_uniform_float64, which stays below 1",
    )  # fmt: skip


def _of_random(number: Value) -> bool:
    """Whether a number is computed from a random one of 32 bits by sums, products and rounding down alone."""
    ahead, steps = [number], 0
    while ahead and steps < MOST_STEPS:
        one, steps = ahead.pop(), steps + 1
        if one.op == "f2f" and one.type == "f32" and _is_uniform(one.args[0]):
            return True
        if one.op in PASSING:
            ahead += one.args
    return False


def _is_uniform(value: Value) -> bool:
    """Whether a number is what `xoroshiro128p_uniform_float64` gives: 53 bits, divided by 2^53."""
    return value.op == "fmul" and any(one.op == "const" and one.imm == UNIFORM for one in value.args)


def _below(number: Value) -> bool:
    """Whether a number is one that is never below zero, less a constant, and may be below zero thereby."""
    constants = [one for one in number.args if one.op == "const"]
    others = [one for one in number.args if one.op != "const"]
    apart = number.op in ("add", "sub") and len(constants) == len(others) == 1 and others[0] is number.args[0]
    return apart and others[0].lo >= 0 and FARTHEST < number.lo < 0 <= number.hi


def _looks_at(frame: Frame, number: Value) -> bool:
    """Whether a function that calls this one has a condition on the number from which a constant is taken."""
    variables = (frame.env.get(name) for name in _looked_at(frame.text.body))
    return any(isinstance(one, Number) and one.value in number.args for one in variables)


def _names(node: ast.AST) -> set[str]:
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _looked_at(body: list[ast.stmt]) -> set[str]:
    """The variables in conditions, and in functions that limit a number; those from which such a variable is computed as well."""
    nodes = [inner for statement in body for inner in ast.walk(statement)]
    found: set[str] = set()
    for one in nodes:
        if isinstance(one, ast.If | ast.While | ast.IfExp | ast.Assert):
            found |= _names(one.test)
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in LIMITING:
            found |= _names(one)
    for one in nodes:
        if isinstance(one, ast.Assign) and any(_names(target) & found for target in one.targets):
            found |= _names(one.value)
    return found
