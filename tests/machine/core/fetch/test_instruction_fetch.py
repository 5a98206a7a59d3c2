"""Instruction fetch: buffers stepped cycle by cycle against lists, and the time that a hit and a miss take."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.rung import rung
from tests.machine.two_engines import both
from warploom.machine.config.presets import load_config
from warploom.machine.core.fetch.instruction_fetch import (
    Fetch,
    _deliver,
    consume,
    fetch_from_l0,
    fetch_instructions,
    receive_instructions,
    redirect,
)
from warploom.machine.core.fetch.shared_instruction_cache import SharedFetch
from warploom.machine.core.warps.alarms import next_ringing
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.bits import bit
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import FOREVER, mirror, record, unit
from warploom.machine.memory.channels import PROGRAM_ANSWER, PROGRAM_HOLD, Channels

ROWS = 20  # instructions of the program
Device = record(
    program_channels=Channels, shared_fetch=SharedFetch
)  # what a fetch unit sees of the device, which is a thousand times as large


@unit
def drive(gpus, fetches, tables, jumps, seen, every):
    """Warps that issue whenever their buffer has an instruction, if they are not busy.

    Row w of `jumps`: of warp w, [0] the instruction behind which it jumps, [1] to where, [2] cycles that an instruction keeps it.
    Row (cycle, warp) of `seen`: the instruction that it issued + 1. every: 1: the fetch unit is stepped in every cycle, else when it asks
    to be or a warp issues. Returns how often it was stepped.
    """
    fetch = fetches[0]
    warps = tables[0]
    steps = 0
    wake = np.int64(0)
    for now in range(seen.shape[0]):
        busy = 0
        for warp in range(warps.slots):
            if warps.pc[warp] < ROWS and warps.wake[warp] <= now:
                busy = 1
        if every != 0 or busy != 0 or wake <= now:
            receive_instructions(fetch, warps, ROWS, np.int64(now))
        rung(warps, now)
        for warp in range(warps.slots):
            if warps.active & bit(warp) != np.uint64(0) and warps.wake[warp] <= now:
                if fetch.held[warp] == 0:
                    warps.starved = warps.starved | bit(warp)
                    warps.wake[warp] = FOREVER
                elif warps.pc[warp] < ROWS:
                    busy = 1
                    before = np.int64(warps.pc[warp])
                    seen[now, warp] = before + 1
                    warps.pc[warp] = jumps[warp, 1] if before == jumps[warp, 0] else before + 1
                    consume(fetch, warp, before, np.int64(warps.pc[warp]), False)
                    warps.wake[warp] = now + jumps[warp, 2]
        if every != 0 or busy != 0 or wake <= now:
            wake = fetch_instructions(gpus[0], fetch, warps, ROWS, np.int64(now))
            wake = min(wake, next_ringing(fetch.coming.ringing, np.int64(now)))
            steps += 1
    return steps


def run(
    *,
    jumps,
    cycles=200,
    every=1,
    channels=0,
    buffer=2,
    per_cycle=1,
    line=4,
    sets=0,
    ways=1,
    latency=1,
    miss_latency=6,
    l0_sets=0,
    line_shift=0,
):
    gpus, fetches, tables = np.zeros(1, Device), np.zeros(1, Fetch), np.zeros(1, Warps)
    program = gpus[0]["program_channels"]
    program["count"], program["width"], program["hold"], program["answer"] = 1, 1, PROGRAM_HOLD, PROGRAM_ANSWER
    fetch = fetches[0]
    for name, value in {"buffer": buffer, "per_cycle": per_cycle, "line": line, "sets": sets, "ways": ways, "latency": latency,
                        "miss_latency": miss_latency, "channels": channels, "line_shift": line_shift,
                        "l0_sets": l0_sets, "l0_ways": 2, "l0_latency": 1}.items():  # fmt: skip
        fetch[name] = value
    fetch["arrives"][:] = FOREVER
    warps = tables[0]
    warps["slots"], warps["active"] = len(jumps), (1 << len(jumps)) - 1
    fetch["l0_slots"][0] = warps["active"]
    rows = np.array(jumps, np.int64)
    steps, after = both(drive, gpus, fetches, tables, rows, np.zeros((cycles, len(jumps)), np.int64), every)
    issued = [[(now, pc - 1) for now, pc in enumerate(after[4][:, warp].tolist()) if pc] for warp in range(len(jumps))]
    return issued, after[1][0], steps


STRAIGHT = (ROWS, 0, 1)  # never jumps, issues in every cycle


def test_an_instruction_is_there_in_the_cycle_behind_its_miss():
    issued, fetch, _ = run(jumps=[STRAIGHT], miss_latency=6, buffer=1, cycles=30)
    # Without a cache every instruction is a miss, and a buffer of one asks when it has become empty.
    assert [now for now, _ in issued[0]][:4] == [6, 12, 18, 24]
    assert (fetch["misses"], fetch["hits"]) == (5, 0)


def test_a_cache_brings_whole_lines():
    issued, fetch, _ = run(jumps=[STRAIGHT], sets=2, ways=2, line=4, latency=1, miss_latency=10, buffer=2)
    times = [now for now, _ in issued[0]]
    assert [pc for _, pc in issued[0]] == list(range(ROWS))
    assert times[:4] == [10, 11, 12, 13]
    assert fetch["misses"] == ROWS // 4
    assert fetch["hits"] == ROWS - ROWS // 4


def test_a_loop_that_fits_hits_always():
    _, fetch, _ = run(jumps=[(7, 0, 1)], sets=2, ways=1, line=4, cycles=300)
    assert fetch["misses"] == 2


def test_lines_that_share_a_set_throw_each_other_out_unless_there_are_ways():
    assert run(jumps=[(7, 0, 1)], sets=1, ways=1, line=4, cycles=300)[1]["misses"] > 20
    assert run(jumps=[(7, 0, 1)], sets=1, ways=2, line=4, cycles=300)[1]["misses"] == 2


def test_the_line_used_least_recently_goes():
    # Lines 0, 1, 2 in turn, two ways: each is the one that went last.
    assert run(jumps=[(11, 0, 1)], sets=1, ways=2, line=4, cycles=400, buffer=1)[1]["misses"] > 20


def test_a_jump_empties_the_buffer():
    issued, _, _ = run(jumps=[(3, 10, 1)], sets=4, ways=4, line=4, buffer=4, miss_latency=9)
    assert [pc for _, pc in issued[0]] == [0, 1, 2, 3, *range(10, ROWS)]


def test_program_memory_with_channels_serves_one_instruction_of_a_line_after_the_other():
    issued, _, _ = run(jumps=[STRAIGHT], sets=4, ways=1, line=4, channels=1, buffer=1, cycles=60)
    assert issued[0][0] == (3 * PROGRAM_HOLD + PROGRAM_ANSWER, 0)


@settings(max_examples=30, deadline=None)
@given(
    jumps=st.lists(st.tuples(st.integers(0, ROWS), st.integers(0, ROWS - 1), st.integers(1, 12)), min_size=1, max_size=3),
    shift=st.integers(1, 4), sets=st.integers(1, 5), l0_sets=st.integers(0, 3),
)  # fmt: skip
def test_lines_are_counted_alike_by_shifts_and_by_divisions(jumps, shift, sets, l0_sets):
    shape = {"jumps": jumps, "line": 1 << shift, "sets": sets, "ways": 2, "l0_sets": l0_sets, "cycles": 80}
    divided, shifted = run(**shape), run(**shape, line_shift=shift)
    assert divided[0] == shifted[0]
    assert (divided[1]["hits"], divided[1]["misses"]) == (shifted[1]["hits"], shifted[1]["misses"])


def test_a_line_need_not_hold_a_power_of_two_of_instructions():
    _, fetch, _ = run(jumps=[(ROWS - 1, 0, 1)], line=6, sets=3, ways=2, cycles=300)
    assert fetch["misses"] == -(-ROWS // 6)


@pytest.mark.parametrize("per_cycle", [1, 2, 4])
def test_a_core_fetches_for_as_many_warps_a_cycle_as_it_has_ports(per_cycle):
    issued, _, _ = run(jumps=[STRAIGHT] * 4, sets=8, ways=1, line=32, buffer=1, per_cycle=per_cycle, cycles=101, miss_latency=1)
    assert abs(sum(len(warp) for warp in issued) - min(per_cycle * 100, 4 * ROWS)) <= 4
    first = sorted(warp[0][0] for warp in issued)
    assert first == [1 + warp // per_cycle for warp in range(4)]


jumps = st.tuples(st.integers(0, ROWS), st.integers(0, ROWS - 1), st.integers(1, 12))


@settings(max_examples=80, deadline=None)
@given(
    jumps=st.lists(jumps, min_size=1, max_size=4), buffer=st.integers(1, 4), per_cycle=st.integers(1, 2), sets=st.sampled_from([0, 1, 4]),
    latency=st.integers(1, 3), miss_latency=st.integers(1, 20) | st.sampled_from([63, 64, 65, 130]), channels=st.integers(0, 1),
    l0_sets=st.sampled_from([0, 0, 1, 2]),
)  # fmt: skip
def test_warps_get_their_instructions_in_order_and_sleeping_cycles_change_nothing(jumps, **shape):
    stepped, fetch, _ = run(jumps=jumps, every=1, **shape)
    asleep, lazy, _ = run(jumps=jumps, every=0, **shape)
    assert stepped == asleep
    assert (fetch["hits"], fetch["misses"]) == (lazy["hits"], lazy["misses"])
    for (behind, to, busy), issued in zip(jumps, stepped, strict=True):
        expected = 0
        for number, (now, pc) in enumerate(issued):
            assert pc == expected
            assert number == 0 or now - issued[number - 1][0] >= busy
            expected = to if pc == behind else pc + 1


def test_a_full_buffer_needs_no_steps():
    _, _, steps = run(jumps=[(ROWS, 0, 150)], every=0, buffer=2, miss_latency=3)
    assert steps < 15


@pytest.mark.parametrize("l0_sets", [0, 1])
def test_a_buffer_fills_though_nothing_else_happens(l0_sets):
    """A line comes, and its four instructions follow one another into the buffer of a warp that is busy with its first."""
    _, fetch, _ = run(jumps=[(ROWS, 0, 50)], cycles=15, every=0, buffer=3, sets=1, l0_sets=l0_sets)
    assert (fetch["held"][0], fetch["following"][0]) == (3, 4)  # it has issued one


@pytest.mark.parametrize("waits", [0, 1])
@pytest.mark.parametrize("after, is_control", [(7, False), (7, True), (6, False), (6, True), (8, False), (3, True)])
def test_the_next_instruction_comes_from_the_buffer_where_nothing_was_in_doubt(after, is_control, waits):
    (fetch,) = mirror(np.zeros(1, Fetch))
    fetch.waits = waits
    fetch.held[:], fetch.following[:], fetch.arrives[:] = 3, 9, 50
    fetch.requested = np.uint64(0b110000)
    consume(fetch, 5, 6, after, is_control)
    stays = after == 7 and not (waits and is_control)
    assert (fetch.held[5], fetch.following[5], fetch.arrives[5]) == ((2, 9, 50) if stays else (0, after, FOREVER))
    assert (fetch.held[4], fetch.following[4], fetch.arrives[4]) == (3, 9, 50)
    assert fetch.requested == (0b110000 if stays else 0b010000)


@unit
def start_over(fetches):
    fetch = fetches[0]
    redirect(fetch, 5, np.int64(7))
    return fetch.held[5] * 100 + fetch.following[5]


def test_a_warp_that_starts_has_an_empty_buffer():
    fetches = np.zeros(1, Fetch)
    fetches["held"][0, 5] = 3
    said, after = both(start_over, fetches)
    assert said == 7
    assert after[0][0]["arrives"][5] == FOREVER


def test_a_scheduler_s_cache_of_one_cycle_feeds_an_instruction_each_cycle_into_a_buffer_of_one():
    """But for the first of each line, which has to come."""
    issued, _, _ = run(jumps=[STRAIGHT], cycles=60, buffer=1, line=4, sets=4, l0_sets=1)
    times = {pc: now for now, pc in issued[0]}
    assert all(times[pc] - times[pc - 1] == 1 for pc in range(ROWS) if pc % 4)
    assert times[4] - times[3] > 1


@pytest.mark.parametrize(
    ("sets", "pcs", "counted"),
    [
        (0, [0], (0, 1, 0, 1)),
        (0, [0, 1, 2, 3, 1], (4, 1, 0, 1)),
        (0, [0, 4, 0, 8, 0, 4], (2, 4, 0, 4)),  # of lines 0, 1, 0, 2, 0, 1 two have room: line 2 takes the place of line 1
        (1, [0, 4, 0, 8, 0, 4], (2, 4, 1, 3)),  # and the core's cache, of three lines, still has that
    ],
)  # fmt: skip
def test_lookups_of_both_caches_are_counted_once_each(sets, pcs, counted):
    (gpu,), (fetch,) = mirror(np.zeros(1, Device)), mirror(np.zeros(1, Fetch))
    fetch.line, fetch.miss_latency, fetch.latency, fetch.l0_latency = 4, 6, 1, 1
    fetch.sets, fetch.ways, fetch.l0_sets, fetch.l0_ways = sets, 3, 1, 2
    for number, pc in enumerate(pcs):
        fetch_from_l0(gpu, fetch, 1, pc, ROWS, np.int64(10 + 10 * number))
    assert (fetch.l0_hits, fetch.l0_misses, fetch.hits, fetch.misses) == counted


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fetch.l0_sets": 512, "fetch.l0_ways": 4}, "there is room for 512"),
        ({"fetch.sets": 0}, "set fetch.sets"),
    ],
)
def test_what_cannot_be_is_refused(changes, said):
    with pytest.raises(ConfigError, match=said):
        load_config("sm", changes)


@pytest.mark.parametrize(("held", "following", "full"), [(0, 5, False), (1, 5, True), (0, ROWS - 2, False), (0, ROWS - 1, True)])
@pytest.mark.parametrize("starved", [False, True])
@pytest.mark.parametrize("now", [40, 41])
def test_an_instruction_that_arrives_is_held_and_wakes_a_warp_that_waited_for_it(held, following, full, starved, now):
    """A buffer of two instructions; warp 3, whose instruction arrives in cycle 40 and is in the buffer in cycle 41."""
    (fetch,), (warps,) = mirror(np.zeros(1, Fetch)), mirror(np.zeros(1, Warps))
    fetch.buffer, fetch.held[3], fetch.following[3], fetch.arrives[3] = 2, held, following, 40
    fetch.requested, fetch.full, warps.starved = bit(3) | bit(5), bit(5), (bit(3) if starved else 0) | bit(5)
    _deliver(fetch, warps, 3, ROWS, np.int64(41), np.int64(now))
    assert (fetch.held[3], fetch.following[3], fetch.arrives[3]) == (held + 1, following + 1, FOREVER)
    assert (fetch.requested, fetch.full) == (bit(5), bit(5) | (bit(3) if full else np.uint64(0)))
    assert warps.starved == bit(5)
    assert rung(warps, 41) == (bit(3) if starved else 0)
