"""The names of `numba.cuda` in kernels: numbers of threads, memory, barriers. Atomics are in `atomics.py`, warps in `warp_names.py`."""

from __future__ import annotations

import ast
import math
from typing import Any

from warploom.compiler.ssa import Value
from warploom.isa.views import ViewShape
from warploom.kernel.syntax.arithmetic import lifted, truth
from warploom.kernel.syntax.attributes import constant_array
from warploom.kernel.syntax.calls import static_shape
from warploom.kernel.syntax.known_names import Dotted, constant, function, type_of
from warploom.kernel.syntax.packed import packed_items
from warploom.kernel.syntax.translator import DYNAMIC, Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import ALIGNED, Array, Number, said

AXES = "xyz"
MOST_SHARED = 1 << 20


def special(t: Translator, name: str) -> Value:
    """A special register."""
    return t.b.pure("special", imm=name)


def _axis(kind: str, axis: str) -> Any:
    def translate(t: Translator, node: ast.AST) -> Number:
        return Number(ty.INT32, special(t, f"{kind}_{axis}"))

    return translate


def _three(kind: str) -> Any:
    def translate(t: Translator, node: ast.AST) -> tuple[Number, ...]:
        return tuple(Number(ty.INT32, special(t, f"{kind}_{axis}")) for axis in AXES)

    return translate


for _name, _kind, _meaning in (
    ("threadIdx", "thread", "number of the thread in its block"),
    ("blockIdx", "block", "number of the block in the grid"),
    ("blockDim", "block_dim", "threads of a block"),
    ("gridDim", "grid_dim", "blocks of the grid"),
):
    for _letter in AXES:
        constant(f"cuda.{_name}.{_letter}", f"{_meaning}, in dimension {_letter}")(_axis(_kind, _letter))
    constant(f"cuda.{_name}", f"{_meaning}, by dimension")(_three(_kind))


@constant("cuda.laneid", "number of the lane in its warp")
def laneid(t: Translator, node: ast.AST) -> Number:
    """`cuda.laneid`."""
    return Number(ty.INT32, special(t, "lane"))


@constant("cuda.warpsize", "lanes of a warp")
def warpsize(t: Translator, node: ast.AST) -> Number:
    """`cuda.warpsize`."""
    return Number(ty.INT32, special(t, "lanes"))


def _dimensions(t: Translator, node: ast.Call, count: Any) -> int:
    number = count.constant if isinstance(count, Number) else None
    if number not in (1, 2, 3):
        t.error(node.args[0] if node.args else node, "the number of dimensions is 1, 2 or 3, and known when the kernel is compiled")
    return int(number)


@function("cuda.grid", "ndim", "number of the thread in the whole grid; of several dimensions a tuple")
def grid(t: Translator, node: ast.Call, ndim: Any) -> Any:
    """`cuda.grid(n)`."""
    found = []
    for axis in AXES[: _dimensions(t, node, ndim)]:
        first = t.b.pure("mul", special(t, f"block_{axis}"), special(t, f"block_dim_{axis}"))
        found.append(Number(ty.INT64, t.b.pure("add", first, special(t, f"thread_{axis}"))))
    return found[0] if len(found) == 1 else tuple(found)


@function("cuda.gridsize", "ndim", "threads of the whole grid; of several dimensions a tuple")
def gridsize(t: Translator, node: ast.Call, ndim: Any) -> Any:
    """`cuda.gridsize(n)`."""
    found = []
    for axis in AXES[: _dimensions(t, node, ndim)]:
        found.append(Number(ty.INT64, t.b.pure("mul", special(t, f"grid_dim_{axis}"), special(t, f"block_dim_{axis}"))))
    return found[0] if len(found) == 1 else tuple(found)


# ---------------------------------------------------------------------------------------------------------
# Memory


def _own_array(t: Translator, node: ast.Call, shape: tuple[int, ...], dtype: Any, space: str, base: Value) -> Array:
    item = _item(t, node, dtype)
    size = item.dtype.itemsize if isinstance(item, ty.Type) else item.itemsize
    strides = [size * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    b = t.b
    start = int(base.imm) if base.op == "const" else DYNAMIC
    name = f"a {space} array"
    t.resources.arrays.setdefault((space, start), (name, ViewShape(shape, size)))
    return Array(item, base, tuple(map(b.whole, shape)), tuple(map(b.whole, strides)), space, -1, name, align=packed_items(item, ALIGNED))


def _item(t: Translator, node: ast.AST, dtype: Any) -> Any:
    try:
        item = type_of(dtype)
    except TypeError:
        item = None
    if item is None:
        t.error(node, f"the type of the array's items is not known: {said(dtype)}", "write float32 or int32, of numpy or numba")
    return item


def _room(used: int, align: int, size: int) -> tuple[int, int]:
    start = -(-used // align) * align
    return start, start + size


@function("cuda.shared.array", "shape, dtype", "an array that the threads of a block share; shape 0: as large as the launch says")
def shared_array(t: Translator, node: ast.Call, shape: Any, dtype: Any, alignment: Any = None) -> Array:
    """`cuda.shared.array(shape, dtype)`: one for each place in the program that makes one."""
    sizes = static_shape(t, node, shape, "shared")
    item = _item(t, node, dtype)
    size = item.dtype.itemsize if isinstance(item, ty.Type) else item.itemsize
    used = t.resources
    if sizes == (0,):
        used.dynamic_shared = True
        base = t.b.param(0, "i64", (0, MOST_SHARED), "dynamic shared")
        t.bases[base] = 0, ALIGNED
        length = t.b.param(1, "i64", (0, MOST_SHARED), "dynamic shared bytes")
        array = _own_array(t, node, (0,), dtype, "shared", base)
        count = t.b.pure("floordiv", length, t.b.whole(size))
        return Array(array.item, base, (count,), array.strides, "shared", -1, "a shared array", align=array.align)
    key = ("shared", t.frame.path, node.lineno, node.col_offset)
    if key not in used.placed:
        used.placed[key], used.shared_bytes = _room(used.shared_bytes, _alignment(t, node, alignment, size), size * math.prod(sizes))
    return _own_array(t, node, sizes, dtype, "shared", t.b.whole(used.placed[key]))


def _alignment(t: Translator, node: ast.AST, alignment: Any, size: int) -> int:
    usual = max(16, size & -size)
    if alignment is None:
        return usual
    number = alignment.constant if isinstance(alignment, Number) else None
    if not isinstance(number, int) or isinstance(number, bool):
        t.error(node, "alignment must be an integer")
    if number <= 0 or number & (number - 1) or number % 4:
        t.error(node, f"alignment = {number}: it is a power of two, and a multiple of 4")
    return max(usual, number)


@function("cuda.local.array", "shape, dtype", "an array of the thread's own, in local memory")
def local_array(t: Translator, node: ast.Call, shape: Any, dtype: Any, alignment: Any = None) -> Array:
    """`cuda.local.array(shape, dtype)`."""
    sizes = static_shape(t, node, shape, "local")
    item = _item(t, node, dtype)
    size = item.dtype.itemsize if isinstance(item, ty.Type) else item.itemsize
    key = ("local", t.frame.path, node.lineno, node.col_offset)
    used = t.resources
    if key not in used.placed:
        used.placed[key], used.local_bytes = _room(used.local_bytes, _alignment(t, node, alignment, size), size * math.prod(sizes))
    return _own_array(t, node, sizes, dtype, "local", t.b.whole(used.placed[key]))


@function("cuda.const.array_like", "array", "an array of the host in constant memory")
def const_array(t: Translator, node: ast.Call, array: Any) -> Array:
    """`cuda.const.array_like(a)`: names of arrays outside are constant arrays already."""
    if isinstance(array, Array):
        return array
    return constant_array(t, node, array)


# ---------------------------------------------------------------------------------------------------------
# Barriers and fences


@function("cuda.syncthreads", "", "wait until all threads of the block have come here")
def syncthreads(t: Translator, node: ast.Call) -> None:
    """`cuda.syncthreads()`."""
    t.b.effect("barrier")


def _reduction(name: str) -> Any:
    def translate(t: Translator, node: ast.Call, predicate: Any) -> Number:
        value = t.b.effect("barrier_count", truth(t, predicate, node), type="i64", imm=name)
        value.lo, value.hi = 0, 1024 if name == "count" else 1
        return Number(ty.INT32, value)

    return translate


function("cuda.syncthreads_count", "predicate", "as syncthreads, and how many threads' predicates are true")(_reduction("count"))
function("cuda.syncthreads_and", "predicate", "as syncthreads, and whether all threads' predicates are true")(_reduction("and"))
function("cuda.syncthreads_or", "predicate", "as syncthreads, and whether some thread's predicate is true")(_reduction("or"))


@function("cuda.threadfence", "", "what this thread stored is seen by the whole device before what it stores next")
@function("cuda.threadfence_system", "", "as threadfence")
def threadfence(t: Translator, node: ast.Call) -> None:
    """`cuda.threadfence()`."""
    t.b.effect("fence", imm="device")


@function("cuda.threadfence_block", "", "what this thread stored is seen by its block before what it stores next")
def threadfence_block(t: Translator, node: ast.Call) -> None:
    """`cuda.threadfence_block()`."""
    t.b.effect("fence", imm="block")


@function("cuda.nanosleep", "nanoseconds", "a hint: the thread may rest")
def nanosleep(t: Translator, node: ast.Call, nanoseconds: Any) -> None:
    """`cuda.nanosleep(n)`."""


@function("cuda.cg.this_grid", "", "the whole grid, of which `sync()` waits for all threads; the launch must fit the machine at once")
def this_grid(t: Translator, node: ast.Call) -> Dotted:
    """`cuda.cg.this_grid()`."""
    return Dotted("cuda.cg.grid_group")


@function("cuda.cg.grid_group.sync", "", "wait until all threads of the grid have come here")
def grid_sync(t: Translator, node: ast.Call) -> Number:
    """`grid.sync()`."""
    t.resources.cooperative = True
    t.b.effect("grid_barrier")
    return lifted(t, 1)
