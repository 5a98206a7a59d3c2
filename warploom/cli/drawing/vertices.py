"""`warploom draw --vertex-cache N`: what a cache of transformed vertices would save the vertex shader."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, say

if TYPE_CHECKING:
    from warploom.graphics import Scene

MOST_ENTRIES = 65536

cache_option: Callable[[Any], Any] = click.option(
    "--vertex-cache", type=click.IntRange(0, MOST_ENTRIES), metavar="N",
    help="Say how many vertices are shaded with a cache of N transformed ones, as 32; 0 is none.",
)  # fmt: skip


def check(options: dict[str, Any], by_rays: bool) -> None:
    """Raises UserError."""
    if options["vertex_cache"] is not None and by_rays:
        raise UserError("--vertex-cache counts what comes before the raster engine: leave --rays and --both out")


def facts(scene: Scene, options: dict[str, Any]) -> dict[str, int]:
    """Counts of all draw calls together, each of which begins with an empty cache; none where nobody has asked."""
    from warploom.graphics.geometry import transformed

    entries = options["vertex_cache"]
    if entries is None:
        return {}
    found = [transformed(mesh.triangles, entries) for mesh in scene.meshes]
    return {
        "vertex_cache": entries,
        "vertices_fetched": sum(one.fetched for one in found),
        "vertices_shaded": sum(one.shaded for one in found),
        "vertices": sum(one.used for one in found),
    }


def report(found: dict[str, Any]) -> None:
    """Print a line of what `facts` found."""
    from warploom.isa.numbers import grouped

    if "vertex_cache" not in found:
        return
    fetched, shaded = found["vertices_fetched"], found["vertices_shaded"]
    each = f"{3 * shaded / fetched:.2f} a triangle; " if fetched else ""
    hits = f"{100 * (fetched - shaded) / fetched:.1f} %" if fetched else "none"
    say(f"{'vertices':10} {grouped(shaded)} shaded, {each}{hits} of {grouped(fetched)} found in {found['vertex_cache']} entries")
