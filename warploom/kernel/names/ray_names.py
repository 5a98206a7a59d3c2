"""The ray unit in kernels: `cuda.trace_ray(...)` starts a ray, `cuda.await_ray(handle)` waits for it, of machines that have one.

numba.cuda has neither; they are what Vortex of 2026 has as `vx_rt_trace` and `vx_rt_wait`. Programs use them through a scene
(`graphics/rays/traced.py`): `scene.trace(origin, direction, tmin, tmax)`.
"""

from __future__ import annotations

import ast
from typing import Any

from warploom.compiler.ssa import Value
from warploom.kernel.syntax.arithmetic import converted, whole
from warploom.kernel.syntax.known_names import function
from warploom.kernel.syntax.translator import Translator
from warploom.kernel.types import types as ty
from warploom.kernel.types.values import Array, Number

FLOATS, WORDS = (1, 2, 3), (4, 5)  # registers of an answer: t, u, v; triangle, instance


@function(
    "cuda.trace_ray", "words, x, y, z, dx, dy, dz, tmin, tmax, flags",
    "a ray begins its way through a scene, in the ray unit: its handle. flags: of the ray | mask << 16",
)  # fmt: skip
def trace_ray(
    t: Translator, node: ast.Call, words: Any, x: Any, y: Any, z: Any, dx: Any, dy: Any, dz: Any, tmin: Any, tmax: Any, flags: Any
) -> Number:
    """`cuda.trace_ray(words, x, y, z, dx, dy, dz, tmin, tmax, flags)`. words: the scene, an array of uint32."""
    if not isinstance(words, Array) or words.item != ty.UINT32:
        t.error(node, "a scene is an array of uint32", "give a RayScene to the kernel, and call its trace()")
    floats = [converted(t, one, ty.FLOAT32, node).value for one in (x, y, z, dx, dy, dz, tmin, tmax)]
    return _word(t.b.effect("trace_ray", *floats, words.base, whole(t, flags, node, "the flags"), type="i64"))


@function("cuda.await_ray", "handle", "waits for a ray: status, t, u, v, triangle, instance. status 0: it has hit something")
def await_ray(t: Translator, node: ast.Call, handle: Any) -> tuple[Number, ...]:
    """`cuda.await_ray(handle)`. status: 0 hit, 1 nothing, 128 and more a damaged scene."""
    status = t.b.effect("await_ray", whole(t, handle, node, "a handle"), type="i64")
    floats = [Number(ty.FLOAT32, t.b.effect("ray_answer", status, type="f32", imm=place)) for place in FLOATS]
    words = [_word(t.b.effect("ray_answer", status, type="i64", imm=place)) for place in WORDS]
    return _word(status), *floats, *words


def _word(value: Value) -> Number:
    """A whole number of 32 bits."""
    value.lo, value.hi = 0, (1 << 32) - 1
    return Number(ty.INT64, value)
