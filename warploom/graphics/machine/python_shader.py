"""A pixel shader in Python on a machine: the kernel around it, and its program with the buffers of a draw call.

Each lane of each warp takes quads until there are none, and calls the function for their covered pixels, one after the other. Edge values
are computed from the triangle's edges, in 32 bits that wrap, as the raster engine does it: its own are in registers that kernels in
Python do not have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from warploom.graphics.machine.uniforms import PLANES, STRIDE
from warploom.graphics.original.setup import WORDS
from warploom.graphics.own_shader import Shader
from warploom.graphics.pixel import UV, Color, Fragment, Place, Uniforms
from warploom.isa.diagnostics import SourceError
from warploom.isa.program import Program
from warploom.isa.reading import error
from warploom.isa.vortex.graphics import registers
from warploom.kernel import cuda
from warploom.kernel.launch.arguments import Prepared
from warploom.kernel.launch.compile import Built, build
from warploom.kernel.launch.signature import Placed, kind_of

F, I = np.float32, np.int32
FIRST, BACK = WORDS, WORDS + 3 * len(PLANES)  # words of a triangle: floats, and whether its back is seen
Z_PLANE = 9
ONE, LAST_STEP, MOST, HALF = F(1), F(4095), F(255), F(0.5)
FIXED, DEPTHS = F(1 << 24), F(1 / 0xFFFFFF)
ZERO = F(0)
FIX = "give red, green, blue and alpha, numbers, on every path; DISCARD has four too, so others have as many"


def value_of(floats: Any, triangle: Any, plane: Any, dx: Any, dy: Any) -> Any:
    """An attribute at a pixel."""
    at = FIRST + 3 * plane
    return floats[triangle, at] * dx + floats[triangle, at + 1] * dy + floats[triangle, at + 2]


def byte_of(x: Any, srgb: Any, steps: Any, following: Any) -> Any:
    """The nearest byte of an amount of light."""
    one = min(max(x, ZERO), ONE)
    if srgb == 0:
        return I(one * MOST + HALF)
    found = I(steps[I(one * LAST_STEP)])
    return found + I(1) if one >= following[found] else found


def rgba(color: Any) -> Any:
    """Four float32 of what a shader gives: three or four numbers."""
    if len(color) == 3:
        return Color(F(color[0]), F(color[1]), F(color[2]), ONE)
    return Color(F(color[0]), F(color[1]), F(color[2]), F(color[3]))


def around(pixel: Callable[..., Any]) -> Callable[..., None]:
    """The kernel that draws with a shader."""

    def shade(words: Any, floats: Any, u: Any, srgb: Any, steps: Any, following: Any, triangle: Any, x: Any, y: Any) -> None:
        e0 = F(I(I(words[triangle, 0] * x) + I(words[triangle, 1] * y) + words[triangle, 2]))
        e1 = F(I(I(words[triangle, 3] * x) + I(words[triangle, 4] * y) + words[triangle, 5]))
        e2 = F(I(I(words[triangle, 6] * x) + I(words[triangle, 7] * y) + words[triangle, 8]))
        share = ONE / (e0 + e1 + e2)
        dx, dy = e0 * share, e1 * share
        more = words[triangle, Z_PLANE] * np.int64(dx * FIXED) >> 24
        depth = (words[triangle, Z_PLANE + 1] * np.int64(dy * FIXED) >> 24) + more + words[triangle, Z_PLANE + 2] & 0xFFFFFF
        back = words[triangle, BACK]
        color = Color(
            value_of(floats, triangle, 0, dx, dy), value_of(floats, triangle, 1, dx, dy), value_of(floats, triangle, 2, dx, dy),
            value_of(floats, triangle, 3, dx, dy),
        )  # fmt: skip
        uv = UV(value_of(floats, triangle, 4, dx, dy), value_of(floats, triangle, 5, dx, dy))
        normal = Place(value_of(floats, triangle, 6, dx, dy), value_of(floats, triangle, 7, dx, dy), value_of(floats, triangle, 8, dx, dy))
        place = Place(value_of(floats, triangle, 9, dx, dy), value_of(floats, triangle, 10, dx, dy), value_of(floats, triangle, 11, dx, dy))
        found = rgba(pixel(Fragment(color, place, normal, uv, F(depth) * DEPTHS, x, y, 1 - back, triangle), u))
        if found.alpha >= u.cutoff:
            red, green, blue = (
                byte_of(found.red, srgb, steps, following), byte_of(found.green, srgb, steps, following),
                byte_of(found.blue, srgb, steps, following),
            )  # fmt: skip
            alpha = I(min(max(found.alpha, ZERO), ONE) * MOST + HALF)
            cuda.merge_fragment(y << 16 | x << 1 | back, alpha << 24 | red << 16 | green << 8 | blue, depth)

    def draw(words: Any, floats: Any, u: Any, srgb: Any, steps: Any, following: Any, color: Any, depth: Any, tiles: Any) -> None:
        quad = cuda.take_quad()
        while quad & 1 != 0:
            place = quad >> 32
            column, row = I(place >> 4 & 0x3FFF) * 2, I(place >> 18) * 2
            triangle = I(quad & 0xFFFFFFFF) >> 1
            for p in range(4):
                if place >> p & 1 != 0:
                    shade(words, floats, u, srgb, steps, following, triangle, I(column + (p & 1)), I(row + (p >> 1)))
            quad = cuda.take_quad()

    draw.__name__ = pixel.__name__
    return draw


class _Laid(Prepared):
    """Arguments whose arrays lie at addresses that are chosen already."""

    def __init__(self, args: list[Any], addresses: dict[int, int]) -> None:
        self.addresses = addresses
        super().__init__(SimpleNamespace(device=None), args)  # type: ignore[arg-type]

    def _array(self, argument: Any, kind: Any) -> Placed:
        base = self.addresses[id(argument)]
        return Placed(argument, base, base, max(argument.nbytes, 1))


def _built(pixel: Callable[..., Any], kinds: tuple[Any, ...]) -> Built:
    """The kernel. kinds: of its arguments. Raises SourceError; what does not fit around a function is a mistake of that function."""
    try:
        return build(around(pixel), kinds, {})
    except SourceError as mistake:
        if not str(mistake).startswith(__file__):
            raise
        said = mistake.diagnostics[0].message
        code = pixel.__code__
        given = said if said.startswith(pixel.__name__) else f"what {pixel.__name__}() gives is not a colour: {said}"
        raise error(f"{code.co_filename}:{code.co_firstlineno}", given, FIX) from None


def python_program(
    shader: Shader, buffers: dict[str, np.ndarray], dcr: list[int], given: dict[str, Any], threads: tuple[int, int]
) -> Program:
    """The program of a draw call. shader: one in Python. buffers: "name@address". given: the uniforms but arrays. threads: blocks, and
    lanes of each.

    Raises SourceError with the mistakes in the function.
    """
    contents: dict[str, np.ndarray] = {}
    places: dict[str, int] = {}
    for text, data in buffers.items():
        name, _, address = text.partition("@")
        contents[name], places[name] = data, int(address, 0)
    size = -(-max(places[name] + data.nbytes for name, data in contents.items()) // 4) * 4
    memory = np.zeros(size, np.uint8)
    for name, data in contents.items():
        memory[places[name] : places[name] + data.nbytes] = np.ascontiguousarray(data).view(np.uint8).ravel()
    arrays: dict[int, int] = {}

    def at(name: str, dtype: Any, shape: tuple[int, ...], offset: int = 0) -> np.ndarray:
        """An array that is a part of a buffer."""
        array = np.ndarray(shape, dtype, memory.data, places[name] + offset)
        arrays[id(array)] = places[name] + offset
        return array

    count = max(len(contents["primitives"]) // (STRIDE // 4), 1)
    words, floats = (at("primitives", kind, (count, min(STRIDE // 4, contents["primitives"].size))) for kind in (np.int32, np.float32))
    texels = at("texels" if "texels" in contents else "color", np.uint32, given.pop("shape"))
    u = Uniforms(**given, texels=texels, decoded=at("decoded", np.float32, (256,)))
    srgb = "srgb" in contents
    steps = at("srgb", np.uint8, (4096,)) if srgb else at("decoded", np.uint8, (4,))
    following = at("srgb", np.float32, (256,), 4096) if srgb else at("decoded", np.float32, (1,), 4)
    targets = [at(name, np.uint32, contents[name].shape) for name in ("color", "depth", "tiles")]
    args = [words, floats, u, I(srgb), steps, following, *targets]
    pixel, kinds = shader.function, tuple(kind_of(one) for one in args)
    assert pixel is not None
    found: Built | None = shader.built.get(kinds)
    if found is None:
        found = shader.built[kinds] = _built(pixel, kinds)
    blocks, lanes = threads
    program = found.launched(_Laid(args, arrays), (blocks,), (lanes,), 0, pixel.__name__)
    return replace(program, data=memory, memory_bytes=size, launches=(program.launch,), graphics=registers(dcr))
