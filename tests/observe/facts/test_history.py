"""History of a run: against the counters, which are kept in another way, and as text. Recorded histories: test_golden_guppy.py."""

import numpy as np
import pytest

from warploom import GPU, guppy, tiny
from warploom.machine.accounting.reasons import READY, REASONS
from warploom.observe.facts.history import ACTIVE, EMPTY, IDLE, NOBODY, STALLED, history

LOOP = """
.threads 96
.group 32
.buffer t0 96 iota
.buffer u0 96

    mul.u32 r0.x, thread_id, u(4)
    ld r1.x, t0.x, r0.x
    mov r2.x, u(0)
    push_mask END
LOOP:
    lt.u32 r3.x, r2.x, lane_id
    mask_nz r3.x
    add.u32 r2.x, r2.x, u(4)
    div.u32 r4.x, r1.x, u(3)
    jmp LOOP
END:
    st u0.x, r0.x, r4.x
    ret
"""
MACHINE = {"core.warps": 2, "core.schedulers": 1, "alu.count": 1}


def run(**changes):
    settings = MACHINE | {name.replace("__", "."): value for name, value in changes.items()}
    return GPU("guppy", set=settings, engine="python").run(guppy.assemble(LOOP, "loop.guppy"), tracing=True)


@pytest.mark.parametrize("scheduler", ["round_robin", "greedy_oldest", "two_level", "vortex"])
@pytest.mark.parametrize("cores", [1, 2])
def test_states_add_up_to_the_counters(scheduler, cores):
    result = run(core__scheduler=scheduler, gpu__cores=cores)
    ran = history(result)
    assert ran.state.shape == (result.cycles, cores, 2)
    warps = 3
    assert (ran.state == ACTIVE).sum() == result.counters["instructions"] - warps  # the cycle of a `ret` shows an empty slot
    for state, chosen in ((IDLE, True), (STALLED, False)):
        spent = [
            result.counters[f"{reason.name}_warp_cycles"]
            for number, reason in enumerate(REASONS)
            if (number in READY) == chosen and reason.name != "selected"
        ]
        assert (ran.state == state).sum() == sum(spent)


@pytest.mark.parametrize("scheduler", ["round_robin", "guppy"])
def test_a_warp_is_active_with_its_mask_and_leads_to_its_next_instruction(scheduler):
    result = run(core__scheduler=scheduler)
    ran = history(result)
    cycles, cores, warps = np.nonzero(ran.state == ACTIVE)
    assert len(cycles) > 100
    for cycle, core, warp in zip(cycles, cores, warps, strict=True):
        fresh = cycle == 0 or ran.state[cycle - 1, core, warp] == EMPTY
        before = 0 if fresh else ran.pc[cycle - 1, core, warp]
        jumps = result.program.text[before].split()[0] in ("jmp", "mask_nz")
        assert jumps or ran.pc[cycle, core, warp] == before + 1
    assert set(np.unique(ran.mask[ran.state == ACTIVE]).tolist()) >= {0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFE0}


def test_an_alu_holds_a_divide_for_four_cycles():
    ran = history(run())
    held = (ran.alu[:, 0, 0] != NOBODY).sum()
    counts = run().detail.profile[:, 0]
    lengths = [2, 0, 1, 0, 1, 0, 1, 4, 0, 0, 0]  # mul mov lt add div
    assert held == (counts * lengths).sum()


def test_a_window_is_a_part_of_the_whole():
    result = run()
    whole, part = history(result), history(result, 20, 50)
    assert (len(whole), len(part), part.start) == (result.cycles, 30, 20)
    assert part.rows() == whole.rows()[20:50]
    assert len(history(result, 40, 10_000)) == result.cycles - 40


def test_rows_read_as_the_article_draws_them():
    rows = history(run()).rows()
    assert rows[0] == "A:ffffffff@1 I:ffffffff@0 | 0"
    assert rows[-1] == ". . | -2"


def test_a_run_without_events_says_what_is_missing():
    sentence = "a history needs the events of a run on cores with warps: run it with tracing=True"
    quiet = GPU("guppy", set=MACHINE, engine="python").run(guppy.assemble(LOOP, "loop.guppy"))
    for result in (quiet, GPU("tiny").run(tiny.program([0xF000], [], 1))):
        with pytest.raises(ValueError) as caught:
            history(result)
        assert str(caught.value) == sentence


def test_strips_are_the_rows_on_their_side():
    ran = history(run(gpu__cores=2))
    strips = ran.strips()
    assert [strip[:14] for strip in strips[:3]] == ["core 0 warp 0 ", "core 0 warp 1 ", "core 0 alu 0  "]
    letters = [strip[15:] for strip in strips if "warp" in strip]
    for cycle, row in enumerate(ran.rows()):
        assert [letter[cycle] for letter in letters] == [cell[0] for cell in row.split(" | ")[0].split()]
    assert [strip[:8] for strip in history(run()).strips()] == ["warp 0  ", "warp 1  ", "alu 0   "]
