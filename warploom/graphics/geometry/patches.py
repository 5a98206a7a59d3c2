"""Patches: surfaces with a domain, factors and a domain shader, which the tessellator makes triangles of.

    def shader(u, v, corners):                      # of one patch: u and v are float64[n], 0 to 1
        x, y, z = across(u, v, corners).T
        return np.stack([x, y + np.sin(x), z], axis=1)

    mesh = Patches(corners, outer=8, inner=8, shader=shader).mesh(name="waves")

Where two patches meet, no crack is left if their common edge has the same factor on both sides, and if the shader gives its points the same
places from both: what depends on the place of a point does, as a height at x and z.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from warploom.graphics.geometry.partitioning import ONE, PARTITIONINGS
from warploom.graphics.geometry.tessellator import DOMAINS, Tessellated, tessellated
from warploom.graphics.scene import MOST_TRIANGLES, Mesh
from warploom.graphics.state import GraphicsError, chosen

ATTRIBUTES = ("positions", "uv", "colors", "normals")  # of Mesh, that a domain shader may give
DomainShader = Callable[[np.ndarray, np.ndarray, np.ndarray], Any]


def across(u: np.ndarray, v: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Points between a patch's corners: float64[n, k]. corners: [4, k], at (u, v) = (0, 0), (1, 0), (1, 1), (0, 1), or [3, k].

    Of a triangle, where u, v and w = 1 - u - v are the weights of its corners. Along an edge nothing but its two ends counts.
    """
    if len(corners) not in (3, 4):
        raise GraphicsError(f"`across` takes the 3 corners of a triangle or the 4 of a quad, and this patch has {len(corners)}")
    u, v = u[:, None], v[:, None]
    if len(corners) == 3:
        a, b, c = corners
        return np.asarray(u * a + v * b + (1 - u - v) * c)
    a, b, c, d = corners
    return np.asarray((1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * d)


@dataclass(eq=False)
class Patches:
    """corners: [p, k, ...], what the shader gets of each patch; without one, its 4 or 3 corners [p, k, 3], counterclockwise.

    outer: factors of the edges, [p, 4] of a quad or [p, 3] of a triangle; inner: of the inside, [p, 2] or [p, 1]; or one number for all.
    Edges: u = 0, v = 0, u = 1, v = 1; of a triangle u = 0, v = 0, w = 0, each opposite of its corner. shader: from u, v, float64[n] each,
    and a patch's corners to positions [n, 3], or to a dict of these with uv, colors, normals; as it is, patches are flat.
    """

    corners: Any
    outer: Any = 1.0
    inner: Any = 1.0
    shader: DomainShader = across
    domain: str = "quad"
    partitioning: str = "integer"

    def __post_init__(self) -> None:
        chosen("domain", self.domain, list(DOMAINS))
        chosen("partitioning", self.partitioning, list(PARTITIONINGS))
        self.corners = _numbers("corners of patches", self.corners, np.float64)
        if self.corners.ndim < 2:
            raise GraphicsError(f"corners of patches are [patches, corners, ...], and these are {list(self.corners.shape)}")
        if self.shader is across and self.corners.shape[1:] != (DOMAINS[self.domain][0], 3):
            raise GraphicsError(
                f"corners of a flat {self.domain} are [patches, {DOMAINS[self.domain][0]}, 3], and these are {list(self.corners.shape)}; "
                "a domain shader can have others"
            )
        for what, count in zip(("outer", "inner"), DOMAINS[self.domain], strict=True):
            given = _numbers(f"{what} factors", getattr(self, what), np.float32)
            try:
                setattr(self, what, np.broadcast_to(given, (len(self.corners), count)))
            except ValueError:
                raise GraphicsError(
                    f"{what} factors are [{len(self.corners)}, {count}] for these patches, or one number, and these are {list(given.shape)}"
                ) from None

    def tessellated(self) -> list[Tessellated]:
        """What the tessellator makes of each patch. Raises GraphicsError where that is more than can be drawn."""
        kept: dict[tuple[float, ...], Tessellated] = {}
        made, total = [], 0
        for outer, inner in zip(self.outer.tolist(), self.inner.tolist(), strict=True):
            if (*outer, *inner) not in kept:
                kept[*outer, *inner] = tessellated(self.domain, outer, inner, self.partitioning)
            made.append(kept[*outer, *inner])
            total += len(made[-1].triangles)
            if total > MOST_TRIANGLES:
                raise GraphicsError(f"the first {len(made)} patches have {total} triangles: at most {MOST_TRIANGLES} can be drawn")
        return made

    def mesh(self, **more: Any) -> Mesh:
        """The surface as triangles, patch after patch; patches have no vertices in common. more: fields of Mesh. Raises GraphicsError."""
        found: list[dict[str, np.ndarray]] = []
        triangles, first = [np.zeros((0, 3), np.int64)], 0
        for number, (corners, made) in enumerate(zip(self.corners, self.tessellated(), strict=True)):
            if len(made.points):
                u, v = (made.points / ONE).T
                found.append(self._given(number, self.shader(u, v, corners), len(u)))
                if found[-1].keys() != found[0].keys():
                    raise GraphicsError(
                        f"the domain shader gives {', '.join(found[-1])} for patch {number}, and {', '.join(found[0])} before"
                    )
                triangles.append(made.triangles + first)
                first += len(u)
        names = found[0] if found else {"positions": np.zeros((0, 3), np.float64)}
        joined = {name: np.concatenate([one[name] for one in found]) if found else value for name, value in names.items()}
        return Mesh(triangles=np.concatenate(triangles), **{"name": "patches", **joined, **more})

    def _given(self, number: int, given: Any, count: int) -> dict[str, np.ndarray]:
        """What the shader gives for a patch, by name: [count, k] each."""
        what: Mapping[str, Any] = given if isinstance(given, Mapping) else {"positions": given}
        if "positions" not in what:
            raise GraphicsError(f"the domain shader gives no positions for patch {number}, but {', '.join(what) or 'nothing'}")
        made = {}
        for name, value in what.items():
            chosen("a domain shader's attribute", name, ATTRIBUTES)
            made[name] = _numbers(f"the domain shader's {name} for patch {number}", value, np.float64)
            if made[name].ndim != 2 or len(made[name]) != count:
                raise GraphicsError(
                    f"the domain shader's {name} for patch {number} are {list(made[name].shape)}: it gives a row for each of {count} points"
                )
        return made


def _numbers(what: str, given: Any, kind: type) -> np.ndarray:
    """A table of numbers. Raises GraphicsError."""
    try:
        with np.errstate(over="ignore"):
            return np.asarray(given, kind)
    except (TypeError, ValueError):
        raise GraphicsError(f"{what} are not a table of numbers") from None
