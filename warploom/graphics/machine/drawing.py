"""A scene drawn by a machine: a run for each mesh, one after the other, on one target."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.graphics.camera import fitting_camera
from warploom.graphics.draw_call import DrawCall
from warploom.graphics.drawing import calls_of
from warploom.graphics.machine.calls import MachineCall, machine_call, set_up_on_host
from warploom.graphics.machine.python_shader import python_program
from warploom.graphics.machine.setup_kernels import MachineSetUp
from warploom.graphics.machine.shader import shader
from warploom.graphics.machine.software import KINDS, UNITS, macros, shader_for
from warploom.graphics.machine.vertices import Launches
from warploom.graphics.own_shader import Shader, pixel_shader
from warploom.graphics.scene import Camera, Mesh, Scene
from warploom.graphics.state import GraphicsError, chosen
from warploom.graphics.target import Target
from warploom.isa import load
from warploom.isa.c.settings import MACROS
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.result import Result

ISA = "vortex-2024"
MOST_CYCLES = 1_000_000_000
COLOR, DEPTH = "color", "depth"
HOST = "host"
SETUPS = (HOST, "machine")


@dataclass(frozen=True)
class MachineDrawn:
    """target: the picture. results: of all runs, by their names, the mesh's or what was done for it. camera: with which it was taken.
    submitted, set_up: triangles. draws: of each mesh's draw call alone."""

    target: Target
    results: list[tuple[str, Result]]
    camera: Camera
    submitted: int
    set_up: int
    draws: list[Result]

    @property
    def cycles(self) -> int:
        """The sum over all draw calls, which follow each other."""
        return sum(result.cycles for _, result in self.results)

    def cycles_of(self) -> dict[str, int]:
        """Cycles of what has a name of its own, in the order in which it began. Meshes with one name are told apart by their numbers."""
        found: dict[str, int] = {}
        drawn = 0
        for name, result in self.results:
            unique = name
            if drawn < len(self.draws) and result is self.draws[drawn]:
                unique = f"{name} {drawn}" if name in found else name
                drawn += 1
            found[unique] = found.get(unique, 0) + result.cycles
        return found

    def counted(self, name: str) -> int:
        """A counter, over all draw calls."""
        return sum(result.counters.get(name, 0) for _, result in self.results)


def draw_on(
    gpu: GPU,
    scene: Scene,
    width: int = 128,
    height: int = 128,
    *,
    max_cycles: int = MOST_CYCLES,
    progress: Callable[[int], None] | None = None,
    watched: int | None = None,
    setup: str = HOST,
    software: str = UNITS,
    **pipeline: object,
) -> MachineDrawn:
    """Draw a scene on a machine with raster engine and output merger. Raises GraphicsError, LaunchError.

    max_cycles: of all runs together. progress: told the cycles so far. watched: number of the mesh whose run writes down all that happens,
    for an explorer. setup: where triangles are set up and binned, "host", or "machine", by kernels. software: what the shader does in the
    place of units, of software.KINDS. pipeline: fields that all pipelines are to have, in place of their own.
    """
    chosen("setup", setup, SETUPS)
    chosen("software", software, KINDS)
    target = _cleared(scene, width, height)
    camera = scene.camera or fitting_camera(scene, width, height)
    log_tile = int(gpu.config["raster.tile"]).bit_length() - 1
    rule = str(gpu.config["raster.rule"])
    launches = Launches(gpu)
    results = launches.results
    draws: list[Result] = []
    submitted = set_up = spent = 0
    for number, (mesh, call) in enumerate(_calls(scene, camera, width, height, pipeline, launches, software)):
        set_ups = set_up_on_host if setup == HOST else MachineSetUp(launches, mesh.name)
        made = machine_call(call, width, height, target.color, target.depth_stencil, log_tile, scene.srgb, set_ups, rule)
        before = spent = sum(result.cycles for _, result in results)
        told = None if progress is None else lambda cycles, before=before: progress(before + cycles)
        seen = number == watched
        result = gpu.run(
            program_of(made, gpu, software), max_cycles=max(max_cycles - spent, 1), progress=told, tracing=seen, recording=seen
        )
        results.append((mesh.name, result))
        submitted, set_up = submitted + len(mesh.triangles), set_up + len(made.primitives.edges)
        draws.append(result)
        _keep(target, mesh.name, result, max_cycles)
    return MachineDrawn(target, results, camera, submitted, set_up, draws)


def program_before(gpu: GPU, scene: Scene, mesh: int, width: int, height: int, *, max_cycles: int = MOST_CYCLES, **pipeline: object) -> Any:
    """The program that draws a mesh, by its number among those with triangles, onto what the meshes before it have drawn.

    Raises GraphicsError, LaunchError, and ValueError where there is no such mesh.
    """
    camera = scene.camera or fitting_camera(scene, width, height)
    target = _cleared(scene, width, height)
    log_tile = int(gpu.config["raster.tile"]).bit_length() - 1
    count = -1
    for count, (one, call) in enumerate(_calls(scene, camera, width, height, pipeline, Launches(gpu))):
        program = program_of(machine_call(call, width, height, target.color, target.depth_stencil, log_tile, scene.srgb), gpu)
        if count == mesh:
            return program
        _keep(target, one.name, gpu.run(program, max_cycles=max_cycles), max_cycles)
    raise ValueError(f"the scene has {count + 1} meshes with triangles, and no mesh {mesh}")


def _calls(
    scene: Scene, camera: Camera, width: int, height: int, pipeline: Mapping[str, object], launches: Launches, software: str = UNITS
) -> Iterator[tuple[Mesh, DrawCall]]:
    """The draw calls of a scene, whose pixel shaders are read: once, however many meshes have them. Raises GraphicsError."""
    shaders: dict[str | int, Shader] = {}
    for mesh, call in calls_of(scene, camera, width, height, pipeline, launches.vertices):
        fragment = shader_for(call.pipeline.fragment, software)
        if fragment is None:
            yield mesh, call
        else:
            name = str(fragment) if isinstance(fragment, str | Path) else id(fragment)
            if name not in shaders:
                shaders[name] = pixel_shader(fragment)
            yield mesh, replace(call, pipeline=replace(call.pipeline, fragment=shaders[name]))


def _cleared(scene: Scene, width: int, height: int) -> Target:
    target = Target(width, height, srgb=scene.srgb)
    target.clear(scene.background)
    return target


def _keep(target: Target, name: str, result: Result, max_cycles: int) -> None:
    """What a run has drawn is the target's. Raises GraphicsError where it has not ended."""
    if result.status != "done":
        ended = result.status != "timeout" and result.messages
        why = result.messages[0] if ended else f"the draw call has not ended after {max_cycles} cycles; give it more"
        raise GraphicsError(f"{name}: {why}")
    for buffer, pixels in ((COLOR, target.color), (DEPTH, target.depth_stencil)):
        pixels[:] = read_buffer(result.program, result.memory, buffer).view(np.uint32)


def program_of(call: MachineCall, gpu: GPU, software: str = UNITS) -> Any:
    """The shader's program with the buffers of a draw call, whose fragment is a Shader or None."""
    buffers: Mapping[str, Any] = call.buffers | {"dcr": call.dcr}
    own: Shader | None = call.fragment
    if own is not None and own.function is not None:
        core = gpu.config.core
        return python_program(own, call.buffers, call.dcr, dict(call.given), (gpu.config.gpu.cores * core.warps, core.lanes))
    code, path = (own.code, own.source) if own else (shader(call.cut, call.face).encode(), "shader.vx")
    return load(code, ISA, options=Options(path=path, buffers=buffers, arguments=call.arguments, more={MACROS: macros(software)}))
