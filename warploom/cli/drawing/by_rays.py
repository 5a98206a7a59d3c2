"""`warploom draw --rays` and `--both`: a scene drawn by rays, and beside what the raster engine draws, with what each has done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from warploom.cli.common import UserError, say

if TYPE_CHECKING:
    from warploom.gpu import GPU
    from warploom.graphics import Drawn, Scene
    from warploom.graphics.machine.drawing import MachineDrawn
    from warploom.graphics.rays.drawing import RayDrawn

RASTER, RAYS, BOTH = "raster", "rays", "both"
ONLY_RASTER = ("fill_rule", "tile", "no_early_depth")


def ray_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a draw by rays."""
    options = (
        click.option("--raster", "how", flag_value=RASTER, default=RASTER, help="Draw triangles, pixel by pixel. [default]"),
        click.option("--rays", "how", flag_value=RAYS, help="Draw pixels, by a ray each through a tree of boxes."),
        click.option("--both", "how", flag_value=BOTH, help="Draw both, side by side, and say what each has done."),
        click.option("--branches", type=click.Choice(["2", "4", "6"]), help="Children of a node of the tree. [default: 4]"),
        click.option("--stack", type=click.IntRange(1, 32), metavar="N", help="Entries of the short stack of a ray. [default: 16]"),
        click.option("--visits", "kind", flag_value="visits", help="Draw how many nodes of the tree were visited, with --rays or --both."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def check(kind: str | None, options: dict[str, Any]) -> None:
    """Options that do not go together. Raises UserError."""
    how = options["how"]
    if how == RASTER:
        for name, said in (("branches", "--branches"), ("stack", "--stack")):
            if options[name] is not None:
                raise UserError(f"{said} is for rays: add --rays or --both")
        if kind == "visits":
            raise UserError("--visits counts what rays visit: add --rays or --both")
        return
    if options["gpu"]:
        _check_machine(kind, options)
    if kind == "quads":
        raise UserError("--quads is about quads of the raster engine: leave --rays and --both out")
    if how == RAYS:
        for name in ONLY_RASTER:
            if options[name]:
                raise UserError(f"--{name.replace('_', '-')} is about the raster engine: leave --rays out")


def _check_machine(kind: str | None, options: dict[str, Any]) -> None:
    """What a machine that traces rays does not do. Raises UserError."""
    if kind == "visits":
        raise UserError("--visits counts for each pixel, which the ray unit does not: leave --gpu out")
    if options["stack"] is not None:
        raise UserError(f"a machine has its own stack: --set rays.stack={options['stack']} in place of --stack")
    for name in ("profile", "ladder", "explore", "units", "software", "setup"):
        if options[name]:
            raise UserError(f"--{name} is about the shader of a raster engine's picture: leave --rays and --both out")


def machine_of(options: dict[str, Any]) -> GPU:
    """The machine that traces rays."""
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting

    return GPU(options["gpu"], set=dict(parse_setting(text) for text in options["changes"]), engine=options["engine"])


def draw(scene: Scene, size: tuple[int, int], options: dict[str, Any], changes: dict[str, Any], told: Callable[[int], None]) -> RayDrawn:
    """Draw by rays. told: how many rays are done."""
    from warploom.graphics.rays.drawing import draw_by_rays

    chosen: dict[str, Any] = {"branches": int(options["branches"] or 4), "stack": options["stack"] or 16, "engine": options["engine"]}
    kept = {name: value for name, value in changes.items() if name == "cull_mode"}
    width, height = size
    if options["gpu"]:
        from warploom.graphics.rays.on_machine import MachineTracer

        chosen["tracer"] = MachineTracer(machine_of(options))
    return draw_by_rays(scene, width, height, progress=lambda done, _: told(done), **chosen, **kept)


def picture(drawn: RayDrawn, kind: str | None) -> np.ndarray:
    """One of the pictures: uint8[height, width, 4]."""
    from warploom.graphics.pictures import KINDS, scaled

    if kind == "visits":
        return scaled(drawn.nodes / max(int(drawn.nodes.max()), 1), drawn.nodes > 0)
    return KINDS[kind or "color"](drawn.target)


def side_by_side(raster: Drawn | MachineDrawn, rays: RayDrawn, kind: str | None) -> np.ndarray:
    """What the raster engine has drawn, and to the right what rays have."""
    from warploom.graphics.pictures import KINDS

    left = KINDS["color" if kind in (None, "visits") else kind](raster.target)
    return np.concatenate([left, picture(rays, kind)], axis=1)


def facts(drawn: RayDrawn) -> dict[str, Any]:
    """What it took."""
    return {"width": drawn.target.width, "height": drawn.target.height, **drawn.counts, "most_nodes": int(drawn.nodes.max()),
            "eye": [float(part) for part in drawn.camera.eye]}  # fmt: skip


def differences(raster: Drawn | MachineDrawn, rays: RayDrawn) -> dict[str, int]:
    """How far the two pictures are from each other, in pixels."""
    one, other = (target.pixels().astype(np.int64) for target in (raster.target, rays.target))
    covered = raster.target.depth() < 1 if hasattr(raster, "results") else raster.target.shaded.reshape(one.shape[:2]) > 0
    return {
        "different_pixels": int((one != other).any(axis=2).sum()),
        "most_difference": int(np.abs(one - other).max()),
        "different_silhouette": int((rays.covered != covered).sum()),
    }


def report(found: dict[str, Any]) -> None:
    """Say what rays have done."""
    of, each = _grouped(found), max(found["rays"], 1)
    most = "" if "cycles" in found else f"; {of['most_nodes']} at most for a pixel"
    say(f"{'triangles':10} {of['triangles']}, in a tree of {of['tree_depth']} levels, {of['tree_bytes']} bytes")
    say(f"{'rays':10} {of['rays']}; {of['fragments']} fragments at {of['covered']} pixels")
    say(f"{'nodes':10} {of['nodes']} visited, {found['nodes'] / each:.1f} a ray{most}")
    tested = f"{of['tested']} triangles, {found['tested'] / each:.1f} a ray"
    say(f"{'tests':10} {of['boxes']} boxes, {found['boxes'] / each:.1f} a ray; {tested}")
    say(f"{'restarts':10} {of['restarts']}, with {of['again']} nodes visited once more")
    if "cycles" in found:
        say(f"{'cycles':10} {of['cycles']}, {found['cycles'] / each:.1f} a ray; shading and merging are the host's")


def report_both(raster: dict[str, Any], rays: dict[str, Any], apart: dict[str, int]) -> None:
    """One table of both."""
    one, other = _grouped(raster), _grouped(rays)
    pixels = raster["width"] * raster["height"]
    rows = [
        ("", "raster engine", "rays"),
        ("begins with", f"{one['triangles']} triangles", f"{other['rays']} rays"),
        ("looks for", f"{one['tiles']} tiles, {one['quads']} quads" if "tiles" in one else f"{one['quads']} quads",
         f"{other['nodes']} nodes, {other['boxes']} boxes"),
        ("tests", f"{one['fragments']} covered pixels", f"{other['tested']} triangles"),
        ("shades", f"{one.get('shaded', one['fragments'])} fragments", f"{other['fragments']} fragments"),
        ("each pixel", f"{raster['fragments'] / pixels:.2f} fragments", f"{rays['nodes'] / pixels:.1f} nodes"),
        ("unused", f"{one['helper_lanes']} helper lanes" + (f", {one['early']} hidden" if "early" in one else ""),
         f"{other['restarts']} restarts"),
    ]  # fmt: skip
    if "cycles" in rays:
        rows.append(("cycles", f"{one['cycles']}, with the shader", f"{other['cycles']}, without shading"))
    left, middle = (max(len(row[k]) for row in rows) for k in range(2))
    for name, first, second in rows:
        say(f"{name:{left}}  {first:{middle}}  {second}".rstrip())
    different = _grouped(apart)
    say(f"pixels that differ: {different['different_pixels']}, by {different['most_difference']} of 255 at most; "
        f"{different['different_silhouette']} covered in one of them only")  # fmt: skip


def _grouped(found: dict[str, Any]) -> dict[str, str]:
    from warploom.isa.numbers import grouped

    return {name: grouped(value) for name, value in found.items() if isinstance(value, int)}
