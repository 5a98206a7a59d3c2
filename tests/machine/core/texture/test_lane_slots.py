"""Places of single lanes in a sampler: how many a sample takes, and when each is given back."""

import numpy as np
import pytest

from tests.machine.programs import FREE, LANE, WARP, Assembly, machine, run
from warploom.isa import uop as u
from warploom.isa.views import (
    F_RGBA8,
    LINEAR,
    POINT,
    SAMPLER_COLUMNS,
    SAMPLER_FILTER,
    VIEW_BYTES,
    VIEW_COLUMNS,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_LEVELS,
    VIEW_PITCH,
    VIEW_WIDTH,
)
from warploom.machine.run.driver import drive

A, B, C, D = range(FREE, FREE + 4)
TEXTURE = {"texture__count": 1, "texture__latency": 8, "texture__bytes": 512, "texture__ways": 2, "texture__queue": 1}


def picture(code, size=16, filtering=POINT):
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, SAMPLER_COLUMNS), np.int32)
    views[0, [VIEW_BYTES, VIEW_FORMAT, VIEW_WIDTH, VIEW_HEIGHT, VIEW_PITCH, VIEW_LEVELS]] = (
        4 * size * size,
        F_RGBA8,
        size,
        size,
        4 * size,
        1,
    )
    samplers[0, SAMPLER_FILTER] = filtering
    return code.program(threads=16, block=4, views=views, samplers=samplers)


def sampling(masked: bool):
    """Every warp samples in all of its lanes, or in two."""
    code = Assembly()
    if masked:
        code.op("and", A, LANE, imm=1)
        code.branch(A, "end")
    code("i2f", dst=B, a=WARP)
    code("sample", dst=C, a=B, b=B, view=0, imm=0)
    code.label("end")
    code("exit")
    return picture(code)


def first_samples(program, **changes):
    """How many samples have issued before the first is answered."""
    result = run(program, tracing=True, **TEXTURE | changes)
    assert result.status == "done", result.fault
    events = result.detail.events
    pc = next(number for number in range(len(program)) if program.text[number].startswith("sample"))
    issued = events[(events[:, 1] == 0) & (events[:, 4] == pc)][:, 0]
    done = events[(events[:, 1] == 8)][:, 0]
    return int((issued <= done.min()).sum())


@pytest.mark.parametrize(
    ("slots", "masked", "at_once"), [("lane", False, 1), ("lane", True, 2), ("instruction", False, 1), ("instruction", True, 1)]
)
def test_a_masked_sample_takes_the_places_of_its_active_lanes(slots, masked, at_once):
    """Room for one sample of four lanes: two of two lanes fit, where lanes are held."""
    assert first_samples(sampling(masked), texture__slots=slots) == at_once


def test_a_lane_gives_its_place_back_when_its_texels_are_there():
    """Lanes 0 and 1 want a line that is there, lanes 2 and 3 one that is not: two places are free before the sample is done."""
    code = Assembly()
    code.mov(B, 0)
    code("sample", dst=12, a=B, b=B, view=0, imm=0)
    code("mov", dst=16, a=12)  # waits for it: the first line is there
    code.op("shr", A, LANE, imm=1)
    code("i2f", dst=C, a=A)
    code.op("fmul", C, C, imm=int(np.float32(0.5).view(np.uint32)))
    code("sample", dst=20, a=B, b=C, view=0, imm=0)
    code("exit")
    made = machine(picture(code).with_launch(threads=4), memory__lookup="end", texture__slots="lane", **TEXTURE)
    held = []
    while drive(made, engine="python", max_cycles=made.cycle + 1).status == "timeout":
        held.append(int(made.cores["lane_slots"]["held"][0]))
    steps = [one for one, before in zip(held[1:], held, strict=False) if one != before]
    assert steps == [4, 0, 4, 2, 0]


def test_both_engines_agree_on_a_bilinear_sample_of_a_predicated_warp():
    code = Assembly()
    code.op("and", A, LANE, imm=1)
    code("ballot", dst=u.scalar(0), a=A)
    code("i2f", dst=B, a=LANE)
    code.op("fmul", B, B, imm=int(np.float32(0.3).view(np.uint32)))
    code("sample", dst=C, a=B, b=B, view=0, imm=0, predicate=u.scalar(0))
    code.op("add", D, C, imm=1)
    code("exit")
    program = picture(code, filtering=LINEAR)
    found = [
        run(program, engine=engine, tracing=True, texture__slots="lane", memory__lookup="end", **TEXTURE) for engine in ("python", "native")
    ]
    assert found[0].status == "done", found[0].fault
    assert np.array_equal(found[0].detail.events, found[1].detail.events)
