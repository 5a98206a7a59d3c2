"""Places of single lanes in a sampler: how many a sample takes, and when each is given back."""

import random
from types import SimpleNamespace

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
from warploom.machine.core.texture.lane_slots import LaneSlots, hold_lanes, serve_lanes, warps_without_slots
from warploom.machine.core.texture.sampler import TEXELS, Texels
from warploom.machine.engine.unit import FOREVER, mirror, zeros
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


def core_of_lanes(lanes, capacity):
    slots, texels = mirror(zeros(1, LaneSlots))[0], mirror(zeros(1, Texels))[0]
    slots.capacity = capacity
    warps = SimpleNamespace(lanes=lanes, mask=np.zeros(4, np.uint64))
    return SimpleNamespace(number=1, lane_slots=slots, texels=texels, warps=warps)


def lanes_held(slots):
    """(access, lines that are not there) of each entry, in no order."""
    left = [(int(slots.access[entry]), sorted(line for line in slots.line[entry].tolist() if line >= 0)) for entry in range(slots.held)]
    assert [len(lines) for _, lines in left] == slots.left[: slots.held].tolist()
    return sorted(left)


@pytest.mark.parametrize("seed", range(6))
def test_a_lane_is_held_until_its_last_line_is_there_and_the_core_wakes_when_one_is_let_go(seed):
    """Against a list: samples of four accesses over lines of 64 bytes, which come in any order. Line 0 is one like any other."""
    source, held = random.Random(seed), []
    core, gpu = core_of_lanes(8, 99), SimpleNamespace(wake=[FOREVER, FOREVER])
    for now in range(120):
        if len(held) < 24 and source.random() < 0.4:
            core.lane_slots.rows = rows = source.choice((1, 4, 8))
            core.texels.address[:] = -1
            core.texels.address[:, :8] = [[source.choice((-1, source.randrange(256))) for _ in range(8)] for _ in range(TEXELS)]
            access, taking = source.randrange(4), source.getrandbits(8)
            hold_lanes(core, access, np.uint64(taking), 6)
            found = [(access, core.texels.address[:rows, lane].tolist()) for lane in range(8) if taking >> lane & 1]
            held += [(access, sorted(where >> 6 for where in texels if where >= 0)) for access, texels in found if max(texels) >= 0]
        else:
            access, line = source.randrange(4), source.randrange(4)
            gpu.wake[1] = before = source.choice((FOREVER, now + 1, now + 2, now))
            serve_lanes(gpu, core, access, line, now)
            after = [(owner, [other for other in lines if owner != access or other != line]) for owner, lines in held]
            held = [entry for entry in after if entry[1]]
            assert gpu.wake == [FOREVER, min(before, now + 1) if len(held) < len(after) else before]
        assert lanes_held(core.lane_slots) == sorted(held)


def test_a_unit_that_holds_instructions_has_no_places_of_lanes():
    core, gpu = core_of_lanes(8, 0), SimpleNamespace(wake=[FOREVER, FOREVER])
    core.lane_slots.held, core.lane_slots.left[0], core.lane_slots.line[0, 0] = 1, 1, 3
    serve_lanes(gpu, core, 0, 3, 7)
    assert (core.lane_slots.held, core.lane_slots.left[0], gpu.wake) == (1, 1, [FOREVER, FOREVER])


@pytest.mark.parametrize("held", [0, 4, 5, 7, 8])
def test_a_warp_samples_when_there_are_places_for_all_of_its_lanes(held):
    core = core_of_lanes(8, 8)
    core.lane_slots.held, core.warps.mask[:] = held, [0b1, 0b1111, 0b10101, 0xFF]
    for asking in range(16):
        expected = [warp for warp, lanes in enumerate((1, 4, 3, 8)) if asking >> warp & 1 and lanes > 8 - held]
        assert int(warps_without_slots(core, np.uint64(asking))) == sum(1 << warp for warp in expected)
