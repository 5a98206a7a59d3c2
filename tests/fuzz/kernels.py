"""Kernels in Python that nobody has written: statements, expressions and arrays that a seed gives, compiled and launched.

Most of them mean something, many have a mistake: a name without a value, a float as an index, a tuple that is called. Each ends in numbers,
or in a mistake of the user's with its place.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import math
import random
import warnings
from pathlib import Path

import numpy as np

from warploom import GPU, cuda
from warploom.kernel.device.context import CURRENT
from warploom.kernel.launch.launch import Kernel, KernelError

ATOMS = (
    "i", "n", "x", "y", "a[i]", "b[i]", "0", "1", "-1", "2.5", "True", "1 << 40", "a.size", "b.shape[0]", "cuda.blockDim.x", "s[i % 8]",
    "float('nan')", "np.float32(3)", "np.uint8(200)", "1j", "(x, y)", "a", "None", "missing", "math.pi", "T[1]", "'text'",
)  # fmt: skip
BINARY = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", "and", "or", "in")
CALLS = (
    "int", "float", "abs", "np.int16", "math.sqrt", "math.floor", "min", "max", "helper", "cuda.popc", "bool", "len", "np.sign", "round",
)  # fmt: skip
TARGETS = ("x", "y", "n", "a[i]", "b[i]", "s[i % 8]", "x, y", "a[x]", "T[0]", "missing.field")
CYCLES = 3000


def take(data: bytes, path: Path) -> None:
    """Make a kernel from a seed, compile it and run its beginning."""
    chance = random.Random(data)
    text = f"def kernel(a, b, n):\n{_body(chance, 1, chance.randint(1, 7))}\ndef helper(x):\n    return {expression(chance, 2)}\n"
    name = f"{path}: {data.hex()}"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"cuda": cuda, "np": np, "math": math, "T": (1, 2.5, 3)}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(text, name, "exec"), scope)
        kinds = [np.dtype(chance.choice(("i1", "u4", "i8", "u8", "f2", "f4", "f8", "c8"))) for _ in range(2)]
        CURRENT.use(GPU("sm", engine="python"))
        try:
            kernel = Kernel(scope["kernel"], kept={"max_cycles": CYCLES})
            kernel[1, 4](*(np.arange(8, dtype=np.int64).astype(kind) for kind in kinds), 3)
        except KernelError:
            pass  # it has begun
        finally:
            CURRENT.use(None)
            del linecache.cache[name]


def expression(chance: random.Random, depth: int) -> str:
    """An expression that Python reads."""
    kind = chance.randrange(7) if depth else 0
    if kind < 2:
        return chance.choice(ATOMS)
    inner = [expression(chance, depth - 1) for _ in range(2)]
    if kind == 2:
        return f"{chance.choice(CALLS)}({', '.join(inner[: chance.randint(1, 2)])})"
    if kind == 3:
        return f"({chance.choice(('-', 'not ', '~', '+'))}{inner[0]})"
    if kind == 4:
        return f"({inner[0]} if {expression(chance, depth - 1)} else {inner[1]})"
    return f"({inner[0]} {chance.choice(BINARY)} {inner[1]})"


def _body(chance: random.Random, depth: int, count: int) -> str:
    begin = ["i = cuda.grid(1)", "s = cuda.shared.array(8, np.float32)", "x = y = 0"] if depth == 1 else []
    lines = [line for one in range(count) for line in _statement(chance, depth)]
    return "\n".join("    " * depth + line for line in begin) + "\n" * bool(begin) + "\n".join(lines)


def _statement(chance: random.Random, depth: int) -> list[str]:
    indent, kind = "    " * depth, chance.randrange(9 if depth < 4 else 5)
    if kind < 3:
        return [f"{indent}{chance.choice(TARGETS)} = {expression(chance, 3)}"]
    if kind == 3:
        return [f"{indent}{chance.choice(TARGETS[:6])} {chance.choice(BINARY[:12])}= {expression(chance, 2)}"]
    if kind == 4:
        plain = ("cuda.syncthreads()", "pass", "return", "cuda.atomic.add(b, 0, x)", "print(x)", expression(chance, 1))
        return [indent + chance.choice(plain)]
    head = (
        f"if {expression(chance, 2)}:", f"while {expression(chance, 2)}:", f"for x in range({expression(chance, 1)}):",
        f"for y in {chance.choice(('T', 'a', '(1, 2)', 'range(3)'))}:",
    )[kind - 5]  # fmt: skip
    inner = _body(chance, depth + 1, chance.randint(1, 3)).splitlines()
    return [indent + head, *inner, *([f"{indent}    break"] if chance.random() < 0.2 and not head.startswith("if") else [])]
