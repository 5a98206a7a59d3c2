"""The device library by NVIDIA's names, `__nv_sinf` and its like, for code that other compilers have made.

A name is that of a function for 64-bit floats; one with an `f` at its end is for 32 bits. What they do is in `device_functions.py`.

Source: NVIDIA, "libdevice User's Guide", chapter 3 (names and meanings).
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from warploom.compiler.builder import Builder
from warploom.compiler.ssa import Value
from warploom.isa.program import Source
from warploom.kernel.names import everything
from warploom.kernel.names.device_functions import KNOWN, applied
from warploom.kernel.syntax.translator import Frame, Translator
from warploom.kernel.syntax.tree import Text
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Number

assert everything.TABLES
PREFIX = "__nv_"


def signature(name: str) -> tuple[str, ty.Type] | None:
    """Of `__nv_sinf` ("sin", float32); None for what is not in the library."""
    if not name.startswith(PREFIX):
        return None
    inner = name.removeprefix(PREFIX)
    if inner in KNOWN:
        return inner, ty.FLOAT64
    if inner.endswith("f") and inner[:-1] in KNOWN:
        return inner[:-1], ty.FLOAT32
    return None


def translate(b: Builder, name: str, values: Sequence[Value]) -> Sequence[Value] | None:
    """The results of a call, made where the builder is; None where the library has no such function.

    values: arguments, floats of its type or whole numbers. A function with several results, as sincos, gives them all.
    """
    found = signature(name)
    if found is None:
        return None
    inner, kind = found
    arguments = [Number(kind if not one.is_int else ty.INT32, one) for one in values]
    settled: dict[Any, Any] = {}
    node = ast.parse("call()", mode="eval").body
    while True:  # types of the library's loops are found first, in code that is thrown away
        trial = _translator(Builder(), settled)
        kept = [Number(one.type, _stand_in(trial.b, one)) for one in arguments]
        applied(trial, node, inner, kind, kept)
        if not (trial.learned or trial.left_out):
            break
        trial.thorough = not trial.learned
    made = applied(_translator(b, settled), node, inner, kind, arguments)
    return [one.value for one in made]


def _translator(b: Builder, types: dict[Any, Any]) -> Translator:
    t = Translator([Source()], types, {}, thorough=True)
    t.b = b
    definition = ast.parse("def call(): pass").body[0]
    assert isinstance(definition, ast.FunctionDef)
    t.frames.append(Frame("", Text(definition, 0, 0, Source()), 0, lambda name: None, {}, set(), called=b.at))
    return t


def _stand_in(b: Builder, one: Number) -> Value:
    """An argument of unknown value for a trial; a constant stays one."""
    if one.value.op == "const":
        return one.value
    return b.effect("load", b.whole(0), type=one.value.type)
