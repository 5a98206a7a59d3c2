"""Raster engine and output merger in the machine: a draw against the same quads merged one after the other."""

from pathlib import Path

import numpy as np
import pytest

from tests.isa.vortex.programs import START
from tests.machine.device.drawing import COLORS, DEPTHS, FIRST_MERGER, draw, triangles_of
from warploom.gpu import GPU
from warploom.graphics.original.shader import stamps_of
from warploom.isa import load
from warploom.isa.c.compiler import compile_c
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.device.merger_unit import Target, write_registers
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.merger.fragment import merge
from warploom.machine.merger.registers import BLEND_MODES, COMPARES, FACTORS, LOGIC, Merger

ENGINES = pytest.mark.parametrize("engine", ["python", pytest.param("native", marks=pytest.mark.slow)])
SIZE = 24
BLENDED = {14: 0, 15: 7 << 24 | 7 << 16 | 6 << 8 | 6}  # add; source alpha, one minus source alpha
TESTED = {5: 2, 6: 1}  # depth: less, written


def wanted(primitives, size, registers, log_tile=5, **options):
    """The picture by a loop over the stamps."""
    merging, target = zeros(1, Merger), zeros(1, Target)
    write_registers(mirror(merging)[0], mirror(target)[0], [registers.get(k, 0) for k in range(18)])
    colors, depths = np.full(size * size, 0xFF000000, np.uint32), np.full(size * size, 0xFFFFFFFF, np.uint32)
    stamps = stamps_of(primitives, size, size, log_tile=log_tile, **options)
    for triangle, x, y, mask in zip(*(part.tolist() for part in stamps), strict=True):
        for p in range(4):
            if mask >> p & 1:
                place = (y + (p >> 1)) * size + x + (p & 1)
                merge(mirror(merging)[0], colors, depths, place, 0, 0x80000040 | triangle << 8, 1000 * triangle)
    return colors.reshape(size, size), depths.reshape(size, size)


@ENGINES
@pytest.mark.parametrize("state", [{}, TESTED, BLENDED | TESTED], ids=["overwrite", "depth", "blend"])
def test_one_warp_draws_what_a_loop_over_the_quads_draws(state, engine):
    primitives = triangles_of(np.random.default_rng(3), 4, SIZE)
    made = draw(primitives, SIZE, merger=state, engine=engine, core__warps=1)
    registers = {2: 15, 15: 0x0101} | state
    colors, depths = wanted(primitives, SIZE, registers)
    assert (made.colors == colors).all()
    assert (made.depths == depths).all()
    assert made.result.status == "done"


HARTS, EACH = 16, 6  # each thread has a pixel of its own, and gives it so many fragments
OWN_PIXEL = """
    csrr t0, warp_id
    csrr t1, num_threads
    mul t0, t0, t1
    csrr t1, thread_id
    add t0, t0, t1          # this thread's pixel
    slli a0, t0, 1
    csrr t3, mscratch
    lw a1, 0(t3)
    li t2, {row}
    mul t2, t2, t0
    add a1, a1, t2
    li a2, {each}
next:
    lw a3, 0(a1)            # the face that is seen, a colour, a depth
    lw a4, 4(a1)
    lw a5, 8(a1)
    or a3, a3, a0
    vx_om a3, a4, a5
    addi a1, a1, 12
    addi a2, a2, -1
    bnez a2, next
    vx_tmc zero
"""


def any_state(number, rng):
    """The merger's registers: settings in which over 16 numbers each function of each kind has its turn."""
    factors = [(number * step + start) % len(FACTORS) for step, start in ((1, 0), (2, 3), (4, 7), (7, 11))]
    blending = [(number // 2 + start) % len(BLEND_MODES) for start in (0, 2)]
    stencil = {7 + k: int(rng.permutation(8)[number % 8]) << 16 | (number + k) % 8 for k in range(4)}
    masks = {11 + k: int(rng.integers(0, 256)) << 16 | int(rng.integers(0, 256)) for k in range(3)}
    whole = {5: number % len(COMPARES), 6: number >> 1 & 1, 2: 15 if number % 3 else int(rng.integers(1, 16))}
    color = {14: blending[1] << 16 | blending[0], 15: factors[3] << 24 | factors[2] << 16 | factors[1] << 8 | factors[0]}
    if number % 4 == 3:  # bits of words, whatever else is asked for
        color[14] = LOGIC << 16 | LOGIC
    return whole | stencil | masks | color | {16: int(rng.integers(0, 1 << 32)), 17: number // 4 % 16}


@pytest.mark.parametrize("part", range(4))
def test_every_function_on_the_machine_is_that_of_the_arithmetic_core(part):
    """Under schedulers, widths and with the interlock or not, in turn; depths are small, so that they meet equal ones."""
    seen = {"compare": set(), "blend": set(), "logic": set(), "stencil": set()}
    for number in range(16 * part, 16 * part + 16):
        rng = np.random.default_rng(number)
        state = any_state(number, rng)
        fragments = np.stack(
            [rng.integers(0, 2, HARTS * EACH), rng.integers(0, 1 << 32, HARTS * EACH), rng.integers(0, 4, HARTS * EACH)], axis=1
        )  # fmt: skip
        colors, depths = (rng.integers(0, 1 << 32, HARTS, np.uint64).astype(np.uint32) for _ in range(2))
        depths = depths & 0xFF000003
        registers = {0: COLORS >> 6, 1: 4 * HARTS, 3: DEPTHS >> 6, 4: 4 * HARTS} | state
        buffers = {
            "fragments": fragments.astype(np.uint32).ravel(), f"colors@{COLORS:#x}": colors, f"depths@{DEPTHS:#x}": depths,
            "dcr": [word for k, value in registers.items() for word in (FIRST_MERGER + k, value)],
        }  # fmt: skip
        text = START[2024] + OWN_PIXEL.format(row=12 * EACH, each=EACH)
        program = load(text.encode(), "vortex-2024", options=Options(path="a.vx", buffers=buffers, arguments={"fragments": "fragments"}))
        lanes = (4, 8, 2, 16)[number % 4]
        changes = {
            "core.scheduler": list(POLICIES)[number % len(POLICIES)], "core.lanes": lanes, "core.warps": HARTS // lanes,
            "merger.interlock": 64 * (number & 1), "merger.ports": 1 + number % 3,
        }  # fmt: skip
        result = GPU("vortex-2024", set=changes, engine="python").run(program, max_cycles=200_000)
        assert result.status == "done"
        merging, target = zeros(1, Merger), zeros(1, Target)
        write_registers(mirror(merging)[0], mirror(target)[0], [registers.get(k, 0) for k in range(18)])
        for place, (face, color, depth) in enumerate(fragments.tolist()):
            merge(mirror(merging)[0], colors, depths, place // EACH, face, color, depth)
        assert (read_buffer(program, result.memory, "colors").view(np.uint32) == colors).all(), (number, changes)
        assert (read_buffer(program, result.memory, "depths").view(np.uint32) == depths).all(), (number, changes)
        seen["compare"].add(state[5])
        seen["blend"].add(state[14] & 0xFFFF)
        seen["logic"].add(state[17])
        seen["stencil"] |= {state[7 + k] >> shift & 7 for k in range(4) for shift in (0, 16)}
    assert (len(seen["compare"]), len(seen["blend"]), len(seen["stencil"])) == (8, 6, 8)
    assert seen["logic"] == {4 * (part % 4) + k for k in range(4)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cores", "ports", "cycles", "recorded"),
    [(1, 1, 38_387, 84_270), (4, 1, 18_055, 89_398), (4, 4, 10_943, 89_398), (16, 1, 10_702, 110_184), (16, 4, 10_440, 110_184)],
)
def test_a_target_is_filled_in_the_instructions_that_are_recorded(cores, ports, cycles, recorded):
    """docs/triangle-to-pixel.md has these figures. recorded: thread-instructions of Vortex's own test, in its simulator of 2022."""
    pytest.importorskip("ziglang")
    side = 128
    registers = {0: COLORS >> 6, 1: 4 * side, 2: 15, 3: COLORS >> 6, 4: 4 * side, 15: 0x0101}
    buffers = {
        f"colors@{COLORS:#x}": np.zeros(side * side, np.uint32),
        "dcr": [word for k, value in registers.items() for word in (FIRST_MERGER + k, value)],
    }  # fmt: skip
    code = compile_c([Path(__file__).parent / "fill.c"])
    arguments = {"color": 0x12345678, "depth": 7, "tasks": 16 * cores}
    program = load(code, "vortex-2024", options=Options(path="fill.elf", buffers=buffers, arguments=arguments))
    result = GPU("vortex-2024", set={"gpu.cores": cores, "merger.ports": ports}, engine="native").run(program, max_cycles=200_000)
    assert (read_buffer(program, result.memory, "colors").view(np.uint32) == 0x12345678).all()
    assert result.cycles == cycles
    assert result.counters["thread_instructions"] == pytest.approx(recorded, rel=0.01)
