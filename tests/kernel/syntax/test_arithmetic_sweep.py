"""Every operator over all pairs of types and values at their edges: the types and results of kernels are those of Numba's njit.

Numba compiles functions for a CPU as it types kernels for a GPU, so it says what a result is, where no GPU is. Where a GPU's instruction,
or numba.cuda's own lowering, gives something else, a row of EXCEPTIONS says so, and what is right there.
"""

from __future__ import annotations

import itertools
import linecache
import warnings

import numba
import numpy as np
import pytest

import warploom
from tests.kernel.texts import of_text

KINDS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
BINARY = ("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">=", "and", "or")
UNARY = ("-{}", "+{}", "~{}", "not {}", "abs({})")
FUNCTIONS = ("min({}, {})", "max({}, {})")
EXPRESSIONS = tuple(f"{{}} {op} {{}}" for op in BINARY) + FUNCTIONS
SHIFTS = ("<<", ">>")
ENGINE = "python"


def edges(kind):
    """Values of a type: zero, one, small ones, and where the type, or one of fewer bits, ends."""
    dtype = np.dtype(kind)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "f":
        rest = np.finfo(dtype)
        wide = [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, 0.1, 7.0, np.inf, -np.inf, np.nan, rest.max, rest.tiny, 2.0**31, -(2.0**31) - 1.0]
        return np.array(wide, dtype)
    ends = np.iinfo(dtype)
    numbers = {0, 1, 2, 3, 7, 31, 100, ends.max, ends.max - 1, ends.min, ends.min + 1}
    numbers |= {-1, -2, -7} if ends.min else {ends.max // 2, ends.max // 2 + 1}
    return np.array(sorted(numbers), dtype)


def why(expression, x, y, left, right):
    """The row of exceptions that holds for operands and the results of both sides, or ''. left: Numba's result, right: ours."""
    op = expression.split()[1] if " " in expression and "(" not in expression else expression
    whole = np.dtype(x).kind in "biu" and (y is None or np.dtype(y).kind in "biu")
    for row, (holds, _) in EXCEPTIONS.items():
        if holds(op, x, y, left, right, whole):
            return row
    return ""


def _far(op, x, y, left, right, whole):
    """A shift by more bits than the type has, or by a negative number."""
    return op in SHIFTS and not 0 <= int(y) < 64


def _rest(op, x, y, left, right, whole):
    return op in ("//", "%") and not whole


def _nan(op, x, y, left, right, whole):
    return op in ("min({}, {})", "max({}, {})") and not whole and (np.isnan(x) or np.isnan(y) or x == y == 0)


EXCEPTIONS = {
    "far": (_far, "LLVM says nothing of such a shift; PTX clamps the count (PTX ISA, shl, shr)"),
    "rest": (_rest, "numba.cuda's // and % of floats are by the naive formula, as a device computes them (float_division.py)"),
    "number": (_nan, "of a number and a NaN the instruction min, max gives the number, and orders zeros"),
}


def both(expression, kinds):
    """Values and results of an expression for all pairs of edges: Numba's and ours; None where one of them refuses it.

    Numba's model of errors is NumPy's, as on a device: a whole number divided by zero is 0.
    """
    names = "xy"[: len(kinds)]
    text = expression.format(*names)
    path = f"<{text} of {' '.join(kinds)}>"
    values = [np.array(one) for one in zip(*itertools.product(*(edges(kind) for kind in kinds)), strict=True)]
    values = [np.array(list(one), kind) for one, kind in zip(values, kinds, strict=True)]
    source = f"def f({', '.join(names)}):\n    return {text}\n"
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    space = {}
    exec(compile(source, path, "exec"), space)
    compiled = numba.njit(space["f"], error_model="numpy")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numbas = [compiled(*one) for one in zip(*values, strict=True)]
            kind = compiled.nopython_signatures[0].return_type
    except numba.core.errors.NumbaError:
        numbas, kind = None, None
    return values, numbas, kind, _ours(text, names, path, values, kind)


def _ours(text, names, path, values, kind):
    dtype = np.dtype(str(kind)) if kind is not None else np.dtype(np.float64)
    arrays = ", ".join(f"{name}_" for name in names)
    loads = "".join(f"        {name} = {name}_[i]\n" for name in names)
    source = f"def k({arrays}, out):\n    i = cuda.grid(1)\n    if i < out.size:\n{loads}        out[i] = {text}\n"
    kernel = of_text(source, f"{path}, kernel").on(warploom.GPU("sm", engine=ENGINE))
    out = np.zeros(len(values[0]), dtype)
    try:
        kernel[-(-out.size // 64), 64](*values, out)
    except warploom.SourceError:
        return None
    return out


def _same(ours, numbas):
    return ours == numbas or (ours != ours and numbas != numbas)


def differences(expression, kinds):
    """What is not Numba's, and has no row: operands, Numba's result, ours."""
    values, numbas, kind, ours = both(expression, kinds)
    if numbas is None or ours is None:
        return [] if numbas is ours is None else [(expression, kinds, "refused by", "Numba" if numbas is None else "us")]
    found = []
    for number, left in enumerate(numbas):
        x, y = values[0][number], values[1][number] if len(kinds) > 1 else None
        right = ours[number]
        if not _same(right, np.dtype(str(kind)).type(left)) and not why(expression, x, y, left, right):
            found.append((expression, kinds, x, y, left, right))
    return found


ALONE = [(expression, (kind,)) for expression in UNARY for kind in KINDS]
# A sample: of each operator a few pairs, of all operators together every type on both sides.
SAMPLE = [
    (expression, (KINDS[k], KINDS[(k * 4 + number) % len(KINDS)]))
    for number, expression in enumerate(EXPRESSIONS)
    for k in range(number % 6, len(KINDS), 6)
]


@pytest.mark.every(3)
@pytest.mark.parametrize(("expression", "kinds"), ALONE + SAMPLE, ids=lambda one: one if isinstance(one, str) else "-".join(one))
def test_an_operator_is_typed_and_computed_as_numba_has_it(expression, kinds):
    assert differences(expression, kinds) == []


@pytest.mark.slow
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_pair_of_types(expression):
    assert [found for kinds in itertools.product(KINDS, repeat=2) for found in differences(expression, kinds)] == []


def test_each_exception_is_met():
    """A row that nothing needs any more goes."""
    needed = {"far": ("{} << {}", ("int32", "int64")), "rest": ("{} % {}", ("float64", "float64")),
              "number": ("max({}, {})", ("float32", "float32"))}  # fmt: skip
    assert needed.keys() == EXCEPTIONS.keys()
    for row, (expression, kinds) in needed.items():
        values, numbas, kind, ours = both(expression, kinds)
        rows = {
            why(expression, x, y, left, right)
            for x, y, left, right in zip(*values, numbas, ours, strict=True)
            if not _same(right, np.dtype(str(kind)).type(left))
        }
        assert row in rows
