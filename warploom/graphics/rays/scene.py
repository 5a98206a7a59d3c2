"""A scene for rays: triangles, or instances of several meshes, built into a tree; and rays traced through it on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from warploom.graphics.rays.building import built
from warploom.graphics.rays.splitting import BUILDERS, binary_tree
from warploom.graphics.rays.traced import TracedScene
from warploom.graphics.rays.tracing import (
    H_BACK,
    H_FAULT,
    H_HIT,
    H_INSTANCE,
    H_PRIMITIVE,
    HIT,
    RAY,
    WORK,
    Search,
    search_rays,
    start_walk,
    trace_rays,
    write_hit,
)
from warploom.graphics.rays.tree import LINE, in_bytes, widened
from warploom.graphics.state import GraphicsError
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.native.piece import entry_hook
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.rays.layout import (
    COUNT_SHIFT,
    INSTANCE_LEAF,
    INSTANCES,
    OPAQUE,
    SCENE_BYTES,
    TRIANGLE_LEAF,
    WIDTH_SHIFT,
    WIDTHS,
)
from warploom.machine.rays.leaf import resume, step
from warploom.machine.rays.walk import CANDIDATE, FAULTS, MOST_LEVELS, MOST_STACK, SCENE, TREE, Walk

MOST_NUMBER = 1e12  # of a coordinate: products of three of them are floats
MOST_SKEW = 1e3  # of an instance's matrix: its condition number
ROOM = 2.0**-16  # by which an instance's box is made larger, of the numbers that are computed on the way into it
WORTH_COMPILING = 3_000  # rays, about: what plain Python traces in the time that compiling takes
BY_KERNELS = "kernels"  # a builder
ENGINES = ("auto", "native", "python")


class Instance(NamedTuple):
    """A mesh, placed. mesh: which. matrix: 4 x 4 or 3 x 4, from the mesh to the world. mask: rays that have a bit of it see it. custom: a
    number that comes back with a hit. flags: 1 no culling, 2 faces flipped, 4 opaque, 8 nothing is opaque."""

    mesh: int
    matrix: Any
    mask: int = 255
    custom: int = 0
    flags: int = 0


class Hits(NamedTuple):
    """What n rays have hit. hit: bool[n]; where it is false the other fields say nothing.

    t, u, v: float32[n], where on the ray, and the weights of the triangle's corners 1 and 2. triangle, instance: int64[n]. back: bool[n],
    the corners run clockwise, seen from the origin. work: int64[n, WORK]: nodes, boxes, triangles, leaves, restarts, nodes once more.
    """

    hit: np.ndarray
    t: np.ndarray
    u: np.ndarray
    v: np.ndarray
    triangle: np.ndarray
    instance: np.ndarray
    back: np.ndarray
    work: np.ndarray


class RayScene:
    """A tree of boxes over triangles. corners: float[n, 3, 3], or a list of such meshes with `instances`. width: children of a node.

    builder: "area", the surface area heuristic; "morton", along a curve: built faster, and walked slower; "kernels": the latter by kernels
    on the current GPU, in nodes of two. opaque: bool[n] (of each mesh), false for triangles that a program decides about. words: uint32, as
    a ray unit reads them. Raises GraphicsError.
    """

    def __init__(self, corners: Any, width: int = 4, *, instances: Sequence[Instance] | None = None, opaque: Any = None,
                 builder: str = "area") -> None:  # fmt: skip
        if width not in WIDTHS:
            raise GraphicsError(f"a node of {width} children: there are 2, 4 and 6")
        if builder not in (*BUILDERS, BY_KERNELS):
            raise GraphicsError(f"the builder {builder!r}: there are {', '.join(BUILDERS)} and {BY_KERNELS}")
        if builder == BY_KERNELS and (width != 2 or instances is not None):
            raise GraphicsError("kernels build nodes of two children over one mesh: give width 2, and no instances")
        self.builder = builder
        self.width, self.instances = width, None if instances is None else list(instances)
        meshes = [corners] if instances is None else list(corners)
        opacity = [opaque] if instances is None else list(opaque) if opaque is not None else [None] * len(meshes)
        self.meshes = [_checked(mesh, f"mesh {number}") for number, mesh in enumerate(meshes)]
        self.opaque = [_opacity(one, len(mesh)) for one, mesh in zip(opacity, self.meshes, strict=True)]
        if builder == BY_KERNELS:
            self.words, self.depth = zeros(LINE // 4 * (1 + max(len(self.meshes[0]) - 1, 1) + len(self.meshes[0])), np.uint32), MOST_LEVELS
            self.words[:] = built(self.meshes[0], self.opaque[0])
            return
        if self.instances is None:
            words, leaves, nodes, self.depth = self._mesh_words(0, LINE)
            head = [LINE, WIDTHS[width], nodes, leaves]
        else:
            words, head = self._instance_words()
        self.words = zeros((LINE // 4) + len(words), np.uint32)
        self.words[: SCENE_BYTES // 4], self.words[LINE // 4 :] = head, words

    @property
    def kernel_argument(self) -> TracedScene:
        """What a kernel sees that is given the scene."""
        words = self.words.view()
        words.flags.writeable = False
        return TracedScene(words)

    def _mesh_words(self, mesh: int, start: int) -> tuple[np.ndarray, int, int, int]:
        corners, opaque = self.meshes[mesh], self.opaque[mesh]
        tree = widened(binary_tree(corners.min(axis=1), corners.max(axis=1), self.builder), self.width)
        table = np.zeros((len(corners), 14), np.uint32)
        table[:, 0], table[:, 2] = TRIANGLE_LEAF | 1 << COUNT_SHIFT, opaque * OPAQUE
        table[:, 3] = np.arange(len(corners), dtype=np.int64)
        table[:, 4:13], table[:, 13] = corners.reshape(-1, 9).view(np.uint32), opaque * OPAQUE
        words, _, leaves = in_bytes(tree, lambda number: table[number], start)
        return words, leaves, len(tree.children), tree.depth

    def _instance_words(self) -> tuple[np.ndarray, list[int]]:
        instances = self.instances or []
        if not instances:
            raise GraphicsError("the scene has no instances")
        placed = [_placed(number, one, self.meshes) for number, one in enumerate(instances)]
        low, high = (np.array([one[side] for one in placed], np.float32) for side in (0, 1))
        tree = widened(binary_tree(low, high, self.builder), self.width)
        table = np.zeros((len(instances), 20), np.uint32)
        table[:, 0] = INSTANCE_LEAF | 1 << COUNT_SHIFT
        for number, (one, (_, _, matrix)) in enumerate(zip(instances, placed, strict=True)):
            table[number, 4:16] = matrix.ravel().view(np.uint32)
            table[number, 17:20] = one.custom, number, one.mask & 255 | (one.flags & 255) << 8
        size = len(in_bytes(tree, lambda number: table[number], LINE)[0])
        parts, roots, visits, place, depth = [], {}, {}, LINE + 4 * size, 0
        for mesh in sorted({one.mesh for one in instances}):
            words, leaves, nodes, levels = self._mesh_words(mesh, place)
            parts.append(np.pad(words, (0, -len(words) % (LINE // 4))))
            roots[mesh], visits[mesh], depth = place, nodes + leaves, max(depth, levels)
            place += 4 * len(parts[-1])
        table[:, 16] = [roots[one.mesh] for one in instances]
        self.depth = tree.depth + depth
        top, _, leaves = in_bytes(tree, lambda number: table[number], LINE)
        nodes = len(tree.children) + sum(visits[one.mesh] for one in instances)
        return np.concatenate([top, *parts]), [LINE, INSTANCES | self.width << WIDTH_SHIFT, nodes, leaves]

    def trace(
        self, origins: Any, directions: Any, tmin: Any = 0.0, tmax: Any = np.inf, *, flags: int = 0, mask: int = 255, stack: int = 16,
        engine: str = "auto", decide: Callable[[Any], tuple[int, float]] | None = None,
    ) -> Hits:  # fmt: skip
        """The closest hits of n rays. origins, directions: float[n, 3]; tmin, tmax: numbers, or one a ray; tmin < t < tmax.

        flags, mask: `machine/rays/leaf.py`. stack: entries of the short stack. decide: told the walk of each candidate; its answer is
        an action and t. None: every candidate counts. engine: the result does not depend on it. Raises GraphicsError.
        """
        rays = rays_of(origins, directions, tmin, tmax)
        if not 1 <= stack <= MOST_STACK:
            raise GraphicsError(f"a stack of {stack} entries: there are 1 to {MOST_STACK}")
        walks = walk_of(self.words, stack, flags if decide is not None else flags | 1, mask)
        places, numbers, work = _tables(len(rays))
        arguments = [walks, self.words, self.words.view(np.float32), rays]
        if decide is not None:
            _decide(arguments, places, numbers, work, decide)
        else:
            called(trace_rays, [*arguments, 0, len(rays), places, numbers, work], engine, len(rays))
        wrong = np.flatnonzero(numbers[:, H_FAULT])
        if len(wrong):
            why = FAULTS[numbers[wrong[0], H_FAULT]]
            raise GraphicsError(f"ray {wrong[0]}: the tree {why}, at byte {numbers[wrong[0], H_FAULT + 1]}")
        return _hits(places, numbers, work)

    def search(self, origins: Any, directions: Any, tmin: Any = 0.0, tmax: Any = np.inf, *, engine: str = "auto") -> Hits:
        """The same without a tree: every triangle is tried. The reference for `trace`."""
        rays = rays_of(origins, directions, tmin, tmax)
        placed = self.instances or [Instance(0, np.eye(4))]
        starts = np.concatenate([[0], np.cumsum([len(mesh) for mesh in self.meshes], dtype=np.int64)])
        parts = np.array([[starts[one.mesh], starts[one.mesh + 1], number, self.instances is not None]
                          for number, one in enumerate(placed)], np.int64)  # fmt: skip
        matrices = np.concatenate([_inverse(one.matrix, "instance") for one in placed]).ravel()
        places, numbers, work = _tables(len(rays))
        floats = np.concatenate(self.meshes).ravel()
        matrices = np.ascontiguousarray(matrices)
        called(search_rays, [zeros(1, Search), floats, parts, matrices, rays, 0, len(rays), places, numbers], engine, len(rays))
        return _hits(places, numbers, work)


def walk_of(words: np.ndarray, stack: int, flags: int, mask: int) -> np.ndarray:
    """A walk in a scene that begins at address 0."""
    made = zeros(1, Walk)
    made["stack"], made["flags"], made["mask"], made["end"] = stack, flags, mask, 4 * len(words)
    return made


def rays_of(origins: Any, directions: Any, tmin: Any, tmax: Any) -> np.ndarray:
    """Rays as float32[n, RAY]. Raises GraphicsError."""
    try:
        first, second = np.asarray(origins, np.float32), np.asarray(directions, np.float32)
        first, second = np.broadcast_arrays(np.atleast_2d(first), np.atleast_2d(second))
        if first.ndim != 2 or first.shape[1] != 3:
            raise ValueError
        made = np.zeros((len(first), RAY), np.float32)
        made[:, :3], made[:, 3:6], made[:, 6], made[:, 7] = first, second, tmin, tmax
    except (TypeError, ValueError):
        raise GraphicsError("rays are origins and directions of [n, 3] numbers, with tmin and tmax of one or n") from None
    return made


def _checked(corners: Any, name: str) -> np.ndarray:
    try:
        made = np.ascontiguousarray(corners, np.float32)
    except (TypeError, ValueError):
        raise GraphicsError(f"{name} is not a table of numbers") from None
    if made.ndim != 3 or made.shape[1:] != (3, 3):
        raise GraphicsError(f"{name} has corners [n, 3, 3], and these are {list(made.shape)}")
    if len(made) == 0:
        raise GraphicsError(f"{name} has no triangles")
    if not (np.abs(made) <= MOST_NUMBER).all():
        row = int(np.argwhere(~(np.abs(made) <= MOST_NUMBER))[0][0])
        raise GraphicsError(f"{name}: triangle {row} has a coordinate that is not a number up to {MOST_NUMBER:g}; scale the scene")
    return made


def _opacity(opaque: Any, count: int) -> np.ndarray:
    made = np.ones(count, bool) if opaque is None else np.asarray(opaque, bool)
    if made.shape != (count,):
        raise GraphicsError(f"opaque says yes or no for each of {count} triangles, and this is {list(made.shape)}")
    return made


def _inverse(matrix: Any, name: str) -> np.ndarray:
    """float32[3, 4], from the world to the instance."""
    try:
        given = np.asarray(matrix, np.float64)
        whole = np.vstack([given[:3], [[0, 0, 0, 1]]])
        if whole.shape != (4, 4) or not np.isfinite(whole).all() or np.linalg.cond(whole[:3, :3]) > MOST_SKEW:
            raise ValueError
    except (TypeError, ValueError, IndexError):
        raise GraphicsError(f"{name}: its matrix is 3 x 4 numbers, and scales no axis {MOST_SKEW:g} times as much as another") from None
    return np.ascontiguousarray(np.linalg.inv(whole)[:3], np.float32)


def _placed(number: int, one: Instance, meshes: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The box of an instance in the world, and its matrix. A ray that hits the instance in its own space meets that box in the world."""
    if not 0 <= one.mesh < len(meshes):
        raise GraphicsError(f"instance {number} is of mesh {one.mesh}: there are {len(meshes)}")
    inverse = _inverse(one.matrix, f"instance {number}")
    back = np.linalg.inv(np.vstack([inverse.astype(np.float64), [[0, 0, 0, 1]]]))
    corners = meshes[one.mesh].reshape(-1, 3)
    low, high = corners.min(axis=0).astype(np.float64), corners.max(axis=0).astype(np.float64)
    points = np.array([[(low, high)[place >> axis & 1][axis] for axis in range(3)] + [1.0] for place in range(8)], np.float64) @ back.T
    far = np.abs(points[:, :3]).max() + np.abs(back[:3, 3]).max()
    room = ROOM * far * np.linalg.cond(back[:3, :3])
    return (points[:, :3].min(axis=0) - room), (points[:, :3].max(axis=0) + room), inverse


def _tables(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros((count, 3), np.float32), np.zeros((count, HIT), np.int64), np.zeros((count, WORK), np.int64)


def _hits(places: np.ndarray, numbers: np.ndarray, work: np.ndarray) -> Hits:
    t, u, v = places.T
    return Hits(numbers[:, H_HIT] != 0, t, u, v, numbers[:, H_PRIMITIVE], numbers[:, H_INSTANCE], numbers[:, H_BACK] != 0, work)


def called(entry: Callable[..., Any], arguments: list[Any], engine: str, count: int) -> None:
    """Call an entry with these arguments, natively or not. count: rays, which say what is worth compiling. Raises GraphicsError."""
    if engine not in ENGINES:
        raise GraphicsError(f"engine is {engine!r}; there are {', '.join(ENGINES)}")
    if engine == "native" or (engine == "auto" and (count > WORTH_COMPILING or native().is_compiled(entry_hook(entry, tuple(arguments))))):
        code = native()
        code.entry(entry, tuple(arguments))(*[code.place(one) for one in arguments])
        return
    with np.errstate(all="ignore"):
        entry(*[mirror(one) if isinstance(one, np.ndarray) and one.dtype.names else one for one in arguments])


def _decide(
    arguments: list[np.ndarray], places: np.ndarray, numbers: np.ndarray, work: np.ndarray, decide: Callable[[Any], tuple[int, float]]
) -> None:
    """Trace in plain Python, and put every candidate to `decide`."""
    walk, words, floats, rays = mirror(arguments[0][0].reshape(())), *arguments[1:]
    with np.errstate(all="ignore"):
        for row in range(len(rays)):
            start_walk(walk, rays, row)
            while walk.state in (SCENE, TREE, CANDIDATE):
                if walk.state == CANDIDATE:
                    action, t = decide(walk)
                    resume(walk, action, np.float32(t))
                else:
                    step(walk, words, floats)
            write_hit(walk, row, places, numbers, work)
