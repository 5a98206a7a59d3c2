"""Buffers and registers of a draw call: where they lie, and that the machine reads from registers what a pipeline says."""

from itertools import pairwise

import numpy as np
import pytest

from tests.graphics.machine.test_drawing import CHECKS, scene
from warploom.graphics import ALPHA_BLENDING, Blend, BlendPart, Camera, Depth, Mesh, Pipeline, Scene, Shading, StencilFace, Target
from warploom.graphics.drawing import calls_of
from warploom.graphics.machine.calls import machine_call, merger_registers
from warploom.graphics.state import merger_of
from warploom.machine.device.merger_unit import Target as Places
from warploom.machine.device.merger_unit import write_registers
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.merger.registers import Merger

PIPELINES = [
    Pipeline(),
    Pipeline(depth=Depth("greater", write=False), blend=ALPHA_BLENDING, write_mask="ga"),
    Pipeline(depth=None, stencil_front=StencilFace("less", "invert", "zero", "replace", 5, 0xF0, 0x3C), stencil_back=StencilFace("equal")),
    Pipeline(blend=Blend(BlendPart("min"), BlendPart("subtract", "dst", "constant"), constant=(1, 2, 3, 4))),
    Pipeline(blend=Blend(logic="xor")),
]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_a_pipeline_survives_the_way_through_the_registers(pipeline):
    merging, places = zeros(1, Merger), zeros(1, Places)
    write_registers(mirror(merging)[0], mirror(places)[0], merger_registers(pipeline, 0x1000, 0x2000, 24))
    assert merging.tobytes() == merger_of(pipeline).tobytes()
    assert places[0].tolist() == (0x1000, 96, 0x2000, 96)


def test_buffers_lie_apart_in_blocks():
    target = Target(10, 10)
    _, call = next(calls_of(scene(CHECKS), scene().camera, 10, 10, {}))
    made = machine_call(call, 10, 10, target.color, target.depth_stencil, 5, False)
    places = sorted((int(name.partition("@")[2], 16), data.nbytes) for name, data in made.buffers.items())
    assert len(places) == 5 and all(start % 64 == 0 for start, _ in places)
    assert all(start + size <= after for (start, size), (after, _) in pairwise(places))
    assert np.array(made.dcr).reshape(-1, 2)[:, 0].tolist() == [*range(6, 13), *range(0x1C, 0x35)]


@pytest.mark.parametrize(("cutoff", "least"), [(0.0, 0), (-1.0, 0), (0.5, 127), (1.0, 254), (7.0, 509), (float("inf"), 509)])
def test_the_least_alpha_that_is_drawn(cutoff, least):
    """An alpha of n / 255 is the byte n - 1, since the machine's shader cuts off."""
    _, call = next(calls_of(Scene(Mesh([[0, 1, 0], [-1, -1, 0], [1, -1, 0]], shading=Shading(cutoff=cutoff)), CAMERA), CAMERA, 8, 8, {}))
    target = Target(8, 8)
    assert machine_call(call, 8, 8, target.color, target.depth_stencil, 5, False).cut == least


CAMERA = Camera((0, 0, 3))
