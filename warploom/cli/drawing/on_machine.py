"""`warploom draw --gpu`: a scene drawn by a machine, what it cost, and what each of the machine's choices is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, keep_inputs, say, write_file
from warploom.cli.drawing import own_shader

if TYPE_CHECKING:
    from warploom.gpu import GPU
    from warploom.graphics import Scene
    from warploom.graphics.machine.drawing import MachineDrawn

# What the ladder changes, one thing at a time, and settings with which the change is made.
STEPS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("edges drawn once (top-left)", {"raster.rule": "top-left"}),
    ("tiles of 8 pixels", {"raster.tile": 8}),
    ("tiles of 128 pixels", {"raster.tile": 128}),
    ("no cache for triangles", {"raster.bytes": 0}),
    ("no cache for pixels", {"merger.bytes": 0}),
    ("32 triangles ahead", {"raster.queue": 32}),
    ("a triangle's words side by side", {"raster.ports": 9}),
    ("four pixels a cycle", {"merger.ports": 4}),
    ("fragments wait for their pixel", {"merger.interlock": 64}),
    ("quads wait for their place", {"raster.interlock": 64}),
    ("... in strict order", {"raster.interlock": 64, "raster.quads": 1}),
    ("depth tested early", {"raster.early_depth": True}),
    ("... and quads wait", {"raster.early_depth": True, "raster.interlock": 64}),
    ("16 lanes", {"core.lanes": 16}),
    ("16 warps", {"core.warps": 16}),
    ("4 cores", {"gpu.cores": 4}),
)


def machine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a draw on a machine."""
    options = (
        click.option(
            "--gpu", metavar="PRESET", help="Draw on this machine, in cycles: vortex-2024 has the units. Pictures are 128x128 then."
        ),
        click.option(
            "--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as merger.interlock=64."
        ),
        click.option("--max-cycles", type=click.IntRange(1), metavar="N", help="Stop a machine that takes longer. [default: 1000000000]"),
        click.option("--setup", type=click.Choice(["host", "machine"]), help="Where triangles are set up and binned. [default: host]"),
        click.option(
            "--software", type=click.Choice(["raster", "all"]), help="Do in the shader what the raster engine, or the merger too, is for."
        ),
        click.option("--units", is_flag=True, help="Draw it again with the units' work in the shader, and say what the units save."),
        click.option("--profile", is_flag=True, help="Say what each instruction of the shader cost, for the mesh that took longest."),
        click.option(
            "--ladder", is_flag=True, help="Draw it again with each of the machine's choices changed, and say what that is worth."
        ),
        click.option("--explore", metavar="PAGE", help="Write a page on which one can walk through the cycles of one mesh's draw call."),
        click.option("--mesh", type=click.IntRange(0), metavar="N", help="Which mesh --explore is about. [default: 0]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def check(output: str, file: str, options: dict[str, Any]) -> None:
    """Options that do not go together. Raises UserError."""
    only = {
        "changes": "--set",
        "max_cycles": "--max-cycles",
        "setup": "--setup",
        "software": "--software",
        "units": "--units",
        "profile": "--profile",
        "ladder": "--ladder",
        "explore": "--explore",
        "mesh": "--mesh",
    }
    given = next((name for option, name in only.items() if options[option] not in (None, False, ())), "")
    if not options["gpu"]:
        if given:
            raise UserError(f"{given} is about a machine: add --gpu vortex-2024")
        return
    if options["no_early_depth"]:
        raise UserError("--no-early-depth: a machine tests depth after the shader unless --set raster.early_depth=true; leave it out")
    if options["mesh"] is not None and not options["explore"]:
        raise UserError("--mesh says which mesh --explore PAGE is about; add that")
    if options["explore"]:
        keep_inputs("--explore", options["explore"], [file, output])


def gpu_of(options: dict[str, Any]) -> GPU:
    """The machine. Raises UserError where it has no raster engine."""
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting

    changes = dict(parse_setting(text) for text in options["changes"])
    if options["fill_rule"]:
        changes["raster.rule"] = options["fill_rule"]
    if options["tile"]:
        changes["raster.tile"] = int(options["tile"])
    gpu = GPU(options["gpu"], set=own_shader.settings(changes, options), engine=options["engine"])
    for section, said in (("raster", "a raster engine"), ("merger", "an output merger")):
        if gpu.config[f"{section}.cores"] == 0:
            raise UserError(f"drawing needs {said}, which {options['gpu']} does not have; use --gpu vortex-2024")
    return gpu


def draw(scene: Scene, width: int, height: int, options: dict[str, Any], quiet: bool) -> tuple[MachineDrawn, GPU]:
    """Draw, with progress. Raises UserError."""
    from warploom.cli.terminal.progress import Progress
    from warploom.graphics.machine.drawing import HOST, MOST_CYCLES, draw_on
    from warploom.graphics.machine.software import UNITS

    gpu = gpu_of(options)
    limit = options["max_cycles"] or MOST_CYCLES
    watched = (options["mesh"] or 0) if options["explore"] else None
    meshes = sum(len(mesh.triangles) > 0 for mesh in scene.meshes)
    if watched is not None and watched >= meshes:
        there = "1 mesh with triangles: 0" if meshes == 1 else f"{meshes} meshes with triangles: 0 to {meshes - 1}"
        raise UserError(f"--mesh {watched}: the scene has {there}")
    more = {"cull_mode": options["cull"]} if options["cull"] else {}
    progress = Progress("drawing", limit, limit=True, quiet=quiet)
    with progress:
        chosen = {"setup": options["setup"] or HOST, "software": options["software"] or UNITS}
        drawn = draw_on(gpu, scene, width, height, max_cycles=limit, progress=progress, watched=watched, **chosen, **more)
    return drawn, gpu


def facts(drawn: MachineDrawn, gpu: GPU) -> dict[str, Any]:
    """What a machine counted while it drew, over all draw calls."""
    names = (
        "instructions", "quads", "covered_pixels", "helper_lanes", "fragments", "fragments_killed_early",
        "fragments_killed_late", "fragments_overtaken",
        "fragments_out_of_order", "merger_stalls", "merger_full_cycles", "raster_idle_cycles", "raster_cache_hits", "raster_cache_misses",
        "merger_cache_hits", "merger_cache_misses",
    )  # fmt: skip
    return {
        "gpu": gpu.config.name, "width": drawn.target.width, "height": drawn.target.height, "triangles": drawn.submitted,
        "set_up": drawn.set_up, "cycles": drawn.cycles, **{name: drawn.counted(name) for name in names},
        "draws": [{"mesh": name, "cycles": cycles} for name, cycles in drawn.cycles_of().items()],
        "eye": [float(part) for part in drawn.camera.eye],
    }  # fmt: skip


def report(drawn: MachineDrawn, gpu: GPU, scene: Scene) -> None:
    """Print it."""
    from warploom.isa.numbers import grouped

    found = facts(drawn, gpu)
    of = {name: grouped(value) for name, value in found.items() if isinstance(value, int)}
    pixels, lanes = found["width"] * found["height"], 4 * found["quads"]
    say(f"{'triangles':10} {of['triangles']}, {of['set_up']} of them set up")
    full = f"; {100 * found['covered_pixels'] / lanes:.0f} % of their pixels covered, {of['helper_lanes']} not" if lanes else ""
    say(f"{'quads':10} {of['quads']} handed out{full}")
    early = f", {of['fragments_killed_early']} early" if gpu.config["raster.early_depth"] else ""
    dropped = f"{of['fragments_killed_late']} dropped late{early}"
    say(f"{'fragments':10} {of['fragments']}, {found['fragments'] / pixels:.2f} per pixel; {dropped}")
    each = f", {found['cycles'] / found['fragments']:.1f} a fragment" if found["fragments"] else ""
    say(f"{'cycles':10} {of['cycles']}{each}; {of['instructions']} instructions of warps")
    for name, cycles in drawn.cycles_of().items():
        say(f"  {name}: {grouped(cycles)}")
    shaders = sorted({mesh.pipeline.fragment.source for mesh in scene.meshes if mesh.pipeline.fragment is not None})
    if shaders:
        say(f"{'shader':10} {', '.join(shaders)}; core.divergence is {gpu.config['core.divergence']}")
    for unit, waits, what in (
        ("raster", "raster_idle_cycles", "warps waited {} cycles for triangles"),
        ("merger", "merger_full_cycles", "fragments waited {} cycles for room"),
    ):
        hits, misses = found[f"{unit}_cache_hits"], found[f"{unit}_cache_misses"]
        share = f"{100 * hits / (hits + misses):.0f} % of {grouped(hits + misses)} words cached" if hits + misses else "no word read"
        say(f"{unit:10} {share}; {what.format(of[waits])}")


def remarks(drawn: MachineDrawn) -> list[str]:
    """What a user should know of the runs."""
    return [f"{name}: {remark}" for name, result in drawn.results for remark in result.remarks]


def after(drawn: MachineDrawn, scene: Scene, options: dict[str, Any], quiet: bool) -> None:
    """The profile, the ladder and the page that were asked for."""
    if options["explore"]:
        number = options["mesh"] or 0
        write_file(options["explore"], drawn.draws[number].explorer().text)
        name = [mesh.name for mesh in scene.meshes if len(mesh.triangles)][number]
        say(f"{options['explore']} is written: the draw call of {name}", err=True)
    if options["profile"] and not quiet:
        name, result = max(drawn.results, key=lambda one: one[1].cycles)
        say(f"\nthe shader, drawing {name}")
        say(str(result.profile()))
    if options["ladder"] and not quiet:
        _ladder(drawn, scene, options)
    if options["units"] and not quiet:
        _units(drawn, scene, options)


def _units(drawn: MachineDrawn, scene: Scene, options: dict[str, Any]) -> None:
    """The same picture with raster engine and merger in software."""
    from warploom.graphics.machine.drawing import draw_on
    from warploom.graphics.machine.software import ALL, RASTER
    from warploom.isa.numbers import grouped

    gpu, size = gpu_of(options), (drawn.target.width, drawn.target.height)
    more = {"cull_mode": options["cull"]} if options["cull"] else {}
    say(f"\n{'in software':34}{'cycles':>14}{'of before':>11}{'instructions':>15}  picture")
    say(f"{'nothing':34}{grouped(drawn.cycles):>14}{'':>11}{grouped(drawn.counted('instructions')):>15}")
    for name, software in (("the raster engine", RASTER), ("raster engine and output merger", ALL)):
        again = draw_on(gpu, scene, *size, software=software, **more)
        same = "the same" if (again.target.color == drawn.target.color).all() else "differs"
        share = f"{again.cycles / drawn.cycles:.2f}"
        say(f"{name:34}{grouped(again.cycles):>14}{share:>11}{grouped(again.counted('instructions')):>15}  {same}")


def _ladder(drawn: MachineDrawn, scene: Scene, options: dict[str, Any]) -> None:
    """The same picture with one choice changed at a time: cycles, and how many there are for one of the machine as it stands."""
    from warploom.gpu import GPU
    from warploom.graphics.machine.drawing import draw_on
    from warploom.isa.numbers import grouped

    config = gpu_of(options).config
    size = drawn.target.width, drawn.target.height
    more = {"cull_mode": options["cull"]} if options["cull"] else {}
    say(f"\n{'one choice changed':34}{'cycles':>14}{'of before':>11}{'fragments':>11}  picture")
    say(f"{'as it stands':34}{grouped(drawn.cycles):>14}{'':>11}{grouped(drawn.counted('fragments')):>11}")
    for name, changes in STEPS:
        if all(config[setting] == value for setting, value in changes.items()):
            continue
        again = draw_on(GPU(config, set=changes, engine=options["engine"]), scene, *size, **more)
        same = "the same" if (again.target.color == drawn.target.color).all() else "differs"
        share = f"{again.cycles / drawn.cycles:.3f}"
        say(f"{name:34}{grouped(again.cycles):>14}{share:>11}{grouped(again.counted('fragments')):>11}  {same}")
