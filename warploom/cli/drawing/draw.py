"""`warploom draw`: a scene as a picture, through raster engine, shader and output merger, or by rays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import DONE, UserError, json_option, keep_inputs, print_json, say, stopped, write_file
from warploom.cli.drawing import by_rays, on_machine, own_shader, vertices

if TYPE_CHECKING:
    from warploom.graphics import Drawn, Scene
    from warploom.graphics.machine.drawing import MachineDrawn


@click.command()
@click.argument("file", metavar="SCENE")
@click.option("-o", "--output", metavar="OUT.png", help="Where the picture goes. [default: the scene's name, .png, in this folder]")
@click.option("--size", metavar="WxH", help="Pixels; one number is both. [default: 512x512; 128x128 on a machine]")
@click.option("--depth", "kind", flag_value="depth", help="Draw depths: near is bright.")
@click.option("--overdraw", "kind", flag_value="overdraw", help="Draw how many fragments were shaded at each pixel.")
@click.option("--quads", "kind", flag_value="quads", help="Draw how full the quads of the shader were.")
@click.option("--from", "front", metavar="X,Y,Z", help="Where the camera stands, seen from the model's middle; it fills the picture.")
@click.option("--fill-rule", type=click.Choice(["top-left", "inclusive"]), help="Pixels on an edge: drawn once, or by both triangles.")
@click.option("--cull", type=click.Choice(["none", "back", "front"]), help="Which faces are left out. [default: as the scene says]")
@click.option("--tile", type=click.Choice(["8", "16", "32", "64", "128"]), help="Pixels of a tile's side.")
@click.option("--no-early-depth", is_flag=True, help="Test depth after the shader only.")
@click.option(
    "--shader",
    metavar="FILE",
    help="Your own pixel shader, in C or Python, on a machine (`warploom new pixel.c` or pixel.py), or `lit`: light for each pixel.",
)
@click.option(
    "--vertex-shader",
    metavar="FILE",
    help="Your own vertex shader, in C or Python (`warploom new vertex.c` or vertex.py), on the host, or on the machine of --gpu.",
)
@click.option("--arg", "uniforms", multiple=True, metavar="NAME=VALUE", help="Give the shaders a number, or up to four: tint=1,0.5,0.")
@vertices.cache_option
@by_rays.ray_options
@on_machine.machine_options
@click.option("--engine", type=click.Choice(["auto", "native", "python"]), default="auto", show_default=True, help="Result is the same.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
@json_option
@click.pass_context
def command(ctx: click.Context, file: str, output: str | None, size: str | None, kind: str | None, as_json: bool, **options: Any) -> None:
    """Draw SCENE into a PNG file, and say what it took. A scene is

    \b
      model.gltf, .glb  glTF: geometry, transforms, colours, textures, camera
      model.obj         Wavefront, with its materials; .ply, .stl and .off too
      scene.py          a Python file that makes `scene`, a graphics.Scene

    A model without a camera is seen so that it fills the picture.

    \b
    Examples:
      warploom draw model.glb
      warploom draw vase.obj -o vase.png --size 800x600 --from 0,1,3
      warploom draw scene.py --overdraw -o overdraw.png
      warploom draw scene.py --both --visits
      warploom draw model.glb --shader toon.c
      warploom draw model.glb --vertex-shader wave.py --arg height=0.3
      warploom draw model.glb --gpu vortex-2024 --profile --ladder
    """
    from warploom.cli.terminal.progress import Busy, Progress
    from warploom.graphics.drawing import draw
    from warploom.graphics.pictures import KINDS
    from warploom.isa.pictures import png

    quiet = options["quiet"] or as_json
    output = output or _named_after(file)
    if not output.lower().endswith(".png"):
        raise UserError(f"the picture is a PNG file: -o {output} ends otherwise")
    keep_inputs("-o", output, [file])
    with Busy("reading the scene", quiet=quiet):
        scene = own_shader.used(_scene(file), options)
    width, height = _size(size or ("128x128" if options["gpu"] else "512x512"))
    on_machine.check(output, file, options)
    by_rays.check(kind, options)
    vertices.check(options, options["how"] != by_rays.RASTER)
    changes: dict[str, Any] = {"early_depth": False} if options["no_early_depth"] else {}
    changes |= {"fill_rule": options["fill_rule"]} if options["fill_rule"] else {}
    changes |= {"cull_mode": options["cull"]} if options["cull"] else {}
    changes |= {"tile": int(options["tile"])} if options["tile"] else {}
    if options["front"]:
        scene.camera = _from(scene, options["front"], width, height)
    if options["gpu"] and kind in ("overdraw", "quads"):
        raise UserError(f"--{kind} is counted where no machine draws: leave --gpu out")
    if options["gpu"] and options["how"] == by_rays.RASTER:
        ctx.exit(_on_machine(ctx, scene, (width, height), output, kind, as_json, options))
    if options["how"] != by_rays.RASTER:
        ctx.exit(_by_rays(ctx, scene, (width, height), output, kind, as_json, options, changes))
    total = sum(len(mesh.triangles) for mesh in scene.meshes)
    progress = Progress("drawing", total, quiet=quiet, unit="triangles")
    try:
        with progress:
            drawn = draw(scene, width, height, engine=options["engine"], progress=lambda done, _: progress(done), **changes)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    write_file(output, png(KINDS[kind or "color"](drawn.target)))
    facts = _facts(drawn) | vertices.facts(scene, options)
    if as_json:
        print_json({"output": output, "warnings": list(scene.warnings), **facts})
        ctx.exit(DONE)
    for sentence in [*scene.warnings, *_nothing_seen(facts)]:
        say(f"warning: {sentence}", err=True)
    if not quiet:
        _report(output, facts)


def _on_machine(
    ctx: click.Context, scene: Scene, size: tuple[int, int], output: str, kind: str | None, as_json: bool, options: dict[str, Any]
) -> int:
    """Draw the scene on a machine, and say what that took. Returns the exit status."""
    from warploom.graphics.pictures import KINDS
    from warploom.isa.pictures import png

    quiet = options["quiet"] or as_json
    try:
        drawn, gpu = on_machine.draw(scene, *size, options, quiet)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    write_file(output, png(KINDS[kind or "color"](drawn.target)))
    found = on_machine.facts(drawn, gpu) | vertices.facts(scene, options)
    warnings = [*scene.warnings, *on_machine.remarks(drawn)]
    if as_json:
        print_json({"output": output, "warnings": warnings, **found})
    else:
        for sentence in [*warnings, *_nothing_seen(found)]:
            say(f"warning: {sentence}", err=True)
        if not quiet:
            vertices.report(found)
            on_machine.report(drawn, gpu, scene)
            say(f"{output} is written", err=True)
    on_machine.after(drawn, scene, options, quiet)
    return DONE


def _by_rays(
    ctx: click.Context, scene: Scene, size: tuple[int, int], output: str, kind: str | None, as_json: bool, options: dict[str, Any],
    changes: dict[str, Any],
) -> int:  # fmt: skip
    """Draw the scene by rays, or both ways, and say what that took. Returns the exit status."""
    from warploom.cli.terminal.progress import Progress
    from warploom.graphics.drawing import draw
    from warploom.isa.pictures import png

    quiet, both = options["quiet"] or as_json, options["how"] == by_rays.BOTH
    try:
        with Progress("tracing", size[0] * size[1], quiet=quiet, unit="rays") as progress:
            rays = by_rays.draw(scene, size, options, changes, progress)
        raster: Drawn | MachineDrawn | None = None
        if both and options["gpu"]:
            raster, gpu = on_machine.draw(scene, *size, options, quiet)
            of_raster = on_machine.facts(raster, gpu)
        elif both:
            raster = draw(scene, *size, engine=options["engine"], **changes)
            of_raster = _facts(raster)
    except KeyboardInterrupt as signal:
        how, status = stopped(signal)
        say(f"{how}; no file was written", err=True)
        ctx.exit(status)
    write_file(output, png(by_rays.side_by_side(raster, rays, kind) if raster else by_rays.picture(rays, kind)))
    found, warnings = by_rays.facts(rays), [*scene.warnings, *rays.warnings]
    if raster is not None:
        apart = by_rays.differences(raster, rays)
        whole = {"raster": of_raster, "rays": found, **apart}
    if as_json:
        print_json({"output": output, "warnings": warnings, **(found if raster is None else whole)})
        return DONE
    missed = [] if found["covered"] else [f"none of the {found['triangles']} triangles is in the picture"]
    for sentence in [*warnings, *missed]:
        say(f"warning: {sentence}", err=True)
    if not quiet:
        if raster is None:
            by_rays.report(found)
        else:
            by_rays.report_both(of_raster, found, apart)
        say(f"{output} is written", err=True)
    return DONE


def _named_after(file: str) -> str:
    from pathlib import Path

    return Path(file).stem + ".png"


def _size(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) > 2 or not all(part.isascii() and part.isdigit() for part in parts):
        raise UserError(f"--size {text}: pixels as 640x480, or one number for both")
    return int(parts[0]), int(parts[-1])


def _from(scene: Scene, text: str, width: int, height: int) -> Any:
    from warploom.graphics.camera import fitting_camera

    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"--from {text}: three numbers, as 0,1,3") from None
    if not (x or y or z):
        raise UserError("--from 0,0,0: the camera needs a direction")
    return fitting_camera(scene, width, height, (x, y, z))


def _scene(file: str) -> Scene:
    from warploom.graphics.files import PYTHON, load_scene

    if not file.lower().endswith(PYTHON):
        return load_scene(file)
    from warploom.graphics.script import scene_of

    return scene_of(file)


def _facts(drawn: Drawn) -> dict[str, Any]:
    counts = drawn.target.counts
    covered = sum(counts[name] for name in ("late", "written", "cut"))
    return {
        "width": drawn.target.width, "height": drawn.target.height, "triangles": drawn.submitted, "set_up": drawn.set_up,
        "tiles": counts["tiles"], "quads": counts["quads"], "fragments": counts["fragments"], "shaded": covered,
        "helper_lanes": counts["helpers"], "early": counts["early"], "cut": counts["cut"], "late": counts["late"],
        "written": counts["written"], "eye": [float(part) for part in drawn.camera.eye],
    }  # fmt: skip


def _nothing_seen(facts: dict[str, Any]) -> list[str]:
    if facts["fragments"]:
        return []
    why = (
        "each is culled, outside of it, or smaller than the space between pixels"
        if facts["set_up"] == 0
        else "none covers a pixel's centre"
    )
    return [f"none of the {facts['triangles']} triangles is in the picture: {why}"]


def _report(output: str, facts: dict[str, Any]) -> None:
    from warploom.isa.numbers import grouped

    pixels = facts["width"] * facts["height"]
    lanes = 4 * facts["quads"]
    vertices.report(facts)
    of = {name: grouped(value) for name, value in facts.items() if isinstance(value, int)}
    say(f"{'triangles':10} {of['triangles']}, {of['set_up']} of them in the picture; tiles that they touch: {of['tiles']}")
    full = f"; {100 * facts['shaded'] / lanes:.0f} % of their lanes covered, {of['helper_lanes']} helper lanes" if lanes else ""
    say(f"{'quads':10} {of['quads']} shaded{full}")
    say(f"{'fragments':10} {of['fragments']}, {facts['fragments'] / pixels:.2f} per pixel; {of['written']} written")
    say(f"{'dropped':10} {of['early']} before the shader, {of['late']} by the merger, {of['cut']} for their alpha")
    say(f"{output} is written", err=True)
