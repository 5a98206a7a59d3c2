"""Barriers against sets of warps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.unit_bench import bench
from tests.machine.programs import BLOCK, FREE, GLOBAL, THREAD, WARP, Assembly, config, issues, words
from tests.machine.programs import run as ran
from tests.machine.two_engines import both
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.needs import REDUCTIONS
from warploom.isa.uop import IMMEDIATE
from warploom.machine.accounting import events as e
from warploom.machine.accounting.status import LaunchError
from warploom.machine.core.warps.barrier import MAX_BARRIERS, Barriers, arrive, leave_barriers, release, reset
from warploom.machine.engine.unit import unit

ARRIVE, END, RESET = range(3)
NUMBERS = 3
A, B, C, D = range(FREE, FREE + 4)


@unit
def drive(tables, steps, freed):
    """Rows of `steps`: kind, block, barrier, warp, waits, expected, alive. Row of `freed`: the mask that each barrier sets going."""
    barriers = tables[0]
    for k in range(steps.shape[0]):
        block, number, warp, alive = steps[k, 1], steps[k, 2], steps[k, 3], np.uint64(steps[k, 6])
        if steps[k, 0] == ARRIVE:
            freed[k, number] = arrive(barriers, block, number, warp, steps[k, 4], steps[k, 5], alive)
        elif steps[k, 0] == END:
            for each in range(NUMBERS):
                freed[k, each] = release(barriers, block, each, alive)
        else:
            reset(barriers, block)


def run(steps):
    tables = np.zeros(1, Barriers)
    tables["count"] = NUMBERS
    rows = np.array(steps, np.int64).reshape(-1, 7)
    _, after = both(drive, tables, rows, np.zeros((len(rows), NUMBERS), np.uint64))
    return [[set_of(int(mask)) for mask in row] for row in after[2]], after[0][0]


def set_of(mask):
    return {warp for warp in range(64) if mask >> warp & 1}


def mask_of(warps):
    return sum(1 << warp for warp in warps)


class Sets:
    """The barriers of one block: who has arrived, who waits, how many must."""

    def __init__(self, alive):
        self.alive = set(alive)
        self.arrived = [set() for _ in range(NUMBERS)]
        self.waiting = [set() for _ in range(NUMBERS)]
        self.expected = [0] * NUMBERS

    def open(self, number):
        arrived, expected = self.arrived[number], self.expected[number]
        complete = len(arrived) >= expected if expected else self.alive <= arrived
        if not arrived or not complete:
            return set()
        freed = self.waiting[number]
        self.arrived[number], self.waiting[number] = set(), set()
        return freed


@st.composite
def scenarios(draw):
    blocks = {0: Sets(range(5)), 7: Sets([10, 20, 63])}
    steps, expected = [], []
    for _ in range(draw(st.integers(0, 30))):
        block = draw(st.sampled_from(sorted(blocks)))
        sets = blocks[block]
        free = sorted(warp for warp in sets.alive if not any(warp in waiting for waiting in sets.waiting))
        kind = draw(st.sampled_from([ARRIVE, ARRIVE, ARRIVE, END, RESET]))
        if kind == RESET:
            blocks[block] = Sets(range(5) if block == 0 else [10, 20, 63])
            steps.append((RESET, block, 0, 0, 0, 0, 0))
            expected.append([set()] * NUMBERS)
        elif free:
            warp = draw(st.sampled_from(free))
            if kind == ARRIVE:
                number, waits, count = draw(st.integers(0, NUMBERS - 1)), draw(st.booleans()), draw(st.sampled_from([0, 0, 0, 1, 2]))
                sets.arrived[number].add(warp)
                sets.expected[number] = count
                if waits:
                    sets.waiting[number].add(warp)
                steps.append((ARRIVE, block, number, warp, waits, count, to_signed(sets.alive)))
                expected.append([sets.open(each) if each == number else set() for each in range(NUMBERS)])
            else:
                sets.alive.discard(warp)
                steps.append((END, block, 0, warp, 0, 0, to_signed(sets.alive)))
                expected.append([sets.open(number) for number in range(NUMBERS)])
    return steps, expected


def to_signed(warps):
    mask = mask_of(warps)
    return mask - (1 << 64) if mask >> 63 else mask


@settings(max_examples=200, deadline=None)
@given(scenarios())
def test_agrees_with_sets(scenario):
    steps, expected = scenario
    freed, _ = run(steps)
    assert freed == expected


def step(kind, warp, alive, *, waits=1, expected=0, number=0, block=0):
    return (kind, block, number, warp, waits, expected, mask_of(alive))


def test_the_last_to_arrive_sets_all_going():
    freed, _ = run([step(ARRIVE, warp, {0, 1, 2}) for warp in (1, 0, 2)])
    assert [row[0] for row in freed] == [set(), set(), {0, 1, 2}]


def test_barriers_of_a_block_do_not_know_each_other():
    freed, _ = run([step(ARRIVE, 0, {0, 1}, number=0), step(ARRIVE, 1, {0, 1}, number=1), step(ARRIVE, 1, {0, 1}, number=0)])
    assert [row[0] for row in freed] == [set(), set(), {0, 1}]


def test_a_warp_that_arrives_and_goes_on_is_counted_and_not_held():
    freed, _ = run([step(ARRIVE, 0, {0, 1}, waits=0), step(ARRIVE, 1, {0, 1})])
    assert [row[0] for row in freed] == [set(), {1}]


def test_a_warp_that_ends_opens_a_barrier_that_waited_only_for_it():
    freed, _ = run([step(ARRIVE, 0, {0, 1, 2}), step(ARRIVE, 2, {0, 1, 2}), step(END, 1, {0, 2})])
    assert [row[0] for row in freed] == [set(), set(), {0, 2}]


def test_a_warp_that_arrived_and_then_ended_does_not_stand_for_one_that_has_not_arrived():
    freed, _ = run([step(ARRIVE, 0, {0, 1, 2}, waits=0), step(END, 0, {1, 2}), step(ARRIVE, 1, {1, 2}), step(ARRIVE, 2, {1, 2})])
    assert [row[0] for row in freed] == [set(), set(), set(), {1, 2}]


def test_a_barrier_for_some_warps_opens_when_as_many_have_come():
    freed, _ = run([step(ARRIVE, warp, {0, 1, 2, 3}, expected=2) for warp in (3, 1, 0)])
    assert [row[0] for row in freed] == [set(), {1, 3}, set()]


def test_a_new_block_finds_empty_barriers():
    freed, left = run([step(ARRIVE, 0, {0, 1}, number=2), step(RESET, 0, set()), step(ARRIVE, 1, {0, 1}, number=2)])
    assert freed[2][2] == set()
    assert set_of(int(left["arrived"][0, 2])) == {1}
    assert left["arrived"].shape[1] == MAX_BARRIERS


def barrier_cycles(warps, **settings):
    """Cycles of a barrier that so many warps meet at, one of many in a row."""

    def cycles(count):
        code = Assembly()
        for _ in range(count):
            code("barrier")
        code("exit")
        changes = {"memory.bytes": 1 << 16, "fetch.buffer": 0} | {name.replace("__", "."): value for name, value in settings.items()}
        return GPU("sm", set=changes, engine="python").run(code.program(threads=32 * warps, block=32 * warps)).cycles

    return (cycles(20) - cycles(10)) / 10


@pytest.mark.parametrize("warps", [1, 4, 8, 32])
def test_a_barrier_takes_an_arrival_every_other_cycle_and_then_its_latency(warps):
    """The CUDA Programming Guide's 16 threads a cycle, and the way back."""
    assert barrier_cycles(warps) == 2 * warps + 20
    assert barrier_cycles(warps, core__barrier_latency=50) == 2 * warps + 50


def test_without_such_costs_a_barrier_takes_the_issue_slots_alone():
    assert barrier_cycles(8, core__barrier_latency=0, core__barrier_interval=0) == 2


def test_a_barrier_that_a_warp_s_end_opens_has_its_latency_too():
    def cycles(latency):
        code = Assembly()
        code.branch(WARP, "end")
        code("barrier")
        code("exit")
        code.label("end")
        for _ in range(50):
            code("nop")
        code("exit")
        gpu = GPU("sm", set={"memory.bytes": 1 << 16, "core.barrier_latency": latency}, engine="python")
        return gpu.run(code.program(threads=64, block=64)).cycles

    assert cycles(30) - cycles(10) == 20


MECHANISMS = ("uniform", "stack", "minpc", "its", "dwf")


def reducing(name, *, threads, block, diverging=False):
    """Every thread brings bit 0 of a word of memory, and writes down what the barrier gives it, twice."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    if diverging:
        code.op("and", C, GLOBAL, imm=1)
        code.branch(C, "odd")
        code(name, dst=D, c=B, imm=1)
        code("jump", target="end")
        code.label("odd")
        code(name, dst=D, c=B, imm=1)
        code.label("end")
    else:
        code(name, dst=D, c=B, imm=1)
    code.store(A, D, 512)
    code.op("seq", B, B, imm=0)
    code(name, dst=D, c=B, imm=1)
    code.store(A, D, 1024)
    code("exit")
    return code.program(threads=threads, block=block)


def reduced(name, bits):
    return {"barrier_count": sum(bits), "barrier_and": int(all(bits)), "barrier_or": int(any(bits))}[name]


@pytest.mark.every(3)
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", REDUCTIONS)
@settings(deadline=None, max_examples=8)
@given(bits=st.lists(st.booleans() | st.just(True), min_size=1, max_size=40), block=st.integers(1, 16))
def test_a_reduction_gives_all_threads_of_a_block_what_they_brought(mechanism, name, bits, block):
    data = np.array(bits, np.uint32) * 6  # any number but 0 counts
    result = ran(reducing(name, threads=len(bits), block=block).with_data(data.view(np.uint8)), core__divergence=mechanism)
    assert result.fault == ""
    for first in range(0, len(bits), block):
        part = bits[first : first + block]
        for place, brought in ((128, part), (256, [not bit for bit in part])):
            assert words(result)[place + first : place + first + len(part)].tolist() == [reduced(name, brought)] * len(part)


@pytest.mark.parametrize("mechanism", ["its", "minpc"])
def test_lanes_may_come_to_a_reduction_from_different_places(mechanism):
    bits = [1, 0, 1, 1, 0, 0, 1, 0]
    program = reducing("barrier_count", threads=8, block=8, diverging=True).with_data(np.array(bits, np.uint32).view(np.uint8))
    result = ran(program, core__divergence=mechanism)
    assert result.fault == "" and words(result)[128:136].tolist() == [4] * 8 and words(result)[256:264].tolist() == [4] * 8


def test_threads_that_have_ended_are_not_counted():
    code = Assembly()
    code.op("slt", A, THREAD, imm=5)
    code.branch(A, "stay")
    code("exit")
    code.label("stay")
    code("barrier_and", dst=B, c=A)
    code("barrier_count", dst=C, c=A)
    code.op("shl", A, THREAD, imm=3)
    code.store(A, B)
    code.store(A, C, 4)
    code("exit")
    assert words(ran(code.program(threads=8, block=8)))[:12].tolist() == [1, 5] * 5 + [0, 0]


def test_a_result_is_recorded_in_the_cycle_in_which_the_barrier_opens():
    code = Assembly()
    code.op("slt", A, WARP, imm=1)
    code.branch(A, "first")
    for _ in range(30):
        code.op("add", B, B, imm=1)
    code.label("first")
    code("barrier_count", dst=C, c=A)
    code("exit")
    found = GPU(config(), engine="python").run(code.program(threads=8, block=8), tracing=True, recording=True)
    changes = found.detail.recording.registers
    opened = [int(row[0]) for row in changes if row[3] == C]
    rows = found.detail.events
    last = int(rows[rows[:, e.KIND] == e.BARRIER][-1, e.TIME])
    assert opened == [last, last]


def grid_program(threads=16, block=4, **fields):
    """Every thread writes a word, and after the barrier reads that of a thread of a different block."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.op("add", B, GLOBAL, imm=1)
    code.op("and", C, GLOBAL, imm=1)
    code.branch(C, "soon")
    for _ in range(20):
        code.op("add", C, C, imm=1)
    code.label("soon")
    code.store(A, B)
    code("grid_barrier")
    code.op("xor", C, A, imm=32)
    code.load(B, C)
    code.store(A, B, 1024)
    code("grid_barrier")
    code("exit")
    return code.program(threads=threads, block=block, **fields)


@pytest.mark.parametrize("mechanism", MECHANISMS[1:])
@pytest.mark.parametrize("cores", [1, 2])
def test_blocks_of_a_grid_wait_for_each_other(mechanism, cores):
    result = ran(grid_program(), core__divergence=mechanism, gpu__cores=cores, core__warps=4)
    assert result.fault == ""
    assert words(result)[256:272].tolist() == [(number ^ 8) + 1 for number in range(16)]


def test_the_grids_barrier_takes_the_way_to_the_second_level_cache_and_back():
    near, far = (ran(grid_program(), l2__latency=latency).cycles for latency in (8, 108))
    assert far >= near + 2 * 2 * 100


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_result_is_delivered_once(name):
    """A barrier after the reduction opens without a result: what the first instruction wrote, and the reduction, stay."""
    code = Assembly()
    code.mov(A, 7)
    code(name, dst=C, c=A)
    code.mov(C, 5)
    code("barrier")
    code.op("shl", D, GLOBAL, imm=3)
    code.store(D, A)
    code.store(D, C, 4)
    code("exit")
    assert words(ran(code.program(threads=8, block=8)))[:16].tolist() == [7, 5] * 8


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(("level", "latency"), [("l2", 8), ("l2", 30), ("dram", 20)])
def test_the_last_arrival_opens_the_grids_barrier_for_all_in_the_same_cycle(cores, level, latency):
    """The last warp arrives in cycle 5. The news takes the way there and back, so that warps go on in the cycle after it."""
    code = Assembly()
    code.branch(BLOCK, "late")
    code("grid_barrier")
    code("exit")
    code.label("late")
    for _ in range(4):
        code("nop")
    code("grid_barrier")
    code("exit")
    changes = {"l2__latency": latency} if level == "l2" else {"l2__bytes": 0, "l1__bytes": 0, "dram__latency": latency}
    result = ran(code.program(threads=8, block=4), tracing=True, gpu__cores=cores, core__schedulers=2, **changes)
    ends = [time for time, _, pc, _ in issues(result) if pc in (2, 8)]
    assert ends == [5 + 1 + 2 * latency] * 2


def test_a_grid_that_does_not_fit_at_once_is_refused():
    with pytest.raises(LaunchError, match="all 8 must be on the machine at once, and it has room for 4: 4 in each of 1 core; launch"):
        ran(grid_program(threads=32))
    with pytest.raises(LaunchError, match=r"needs whole blocks in its cores; add --set gpu\.dispatch=spread"):
        ran(grid_program(), gpu__dispatch="split")


def test_a_grid_of_which_some_wait_elsewhere_says_who_is_missing():
    code = Assembly()
    code.branch(BLOCK, "later")
    code("grid_barrier")
    code("exit")
    code.label("later")
    code("barrier", b=IMMEDIATE, imm=2)
    code("exit")
    said = ran(code.program(threads=8, block=4)).fault
    assert "the barrier of the grid waits for 2 warps, and 1 came" in said


def test_warps_that_have_ended_are_not_waited_for_by_the_grid():
    code = Assembly()
    code.branch(BLOCK, "end")
    code("grid_barrier")
    code.label("end")
    code("exit")
    assert ran(code.program(threads=8, block=4)).status == "done"


@pytest.mark.parametrize("name, expected", [("barrier_count", 3), ("barrier_and", 0), ("barrier_or", 1)])
@pytest.mark.parametrize("reduces", [0, 1])
def test_a_warp_that_ends_opens_the_barrier_that_waited_for_it_and_leaves_the_others_their_votes(name, expected, reduces):
    """Warp 1 was the last that barrier 2 of block 1 waited for; warp 3, of which nothing is known, must still come to barrier 1."""
    code = Assembly()
    code(name, dst=C, c=A)
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, core__schedulers=1)
    assert tables.uops[0, u.DST] == C
    core, block = cores[0], 1
    barriers = core.barriers
    barriers.reduces, barriers.latency, barriers.count = reduces, 0, 3
    core.blocks.alive[block] = 0b1001
    for number, warps in ((1, 0b0001), (2, 0b1001)):
        barriers.arrived[block, number], barriers.waiting[block, number] = warps, 0b0001
        barriers.counted[block, number], barriers.holding[block, number] = 4, 3
    barriers.reduction[0, :4] = 1
    leave_barriers(gpu, core, block, tables, np.int64(50))
    assert core.registers[0].lane[C, :4].tolist() == [expected * reduces] * 4
    assert barriers.counted[block, 1:3].tolist() == [4, 4 * (1 - reduces)]
    assert barriers.holding[block, 1:3].tolist() == [3, 3 * (1 - reduces)]
    assert barriers.waiting[block, 1:3].tolist() == [0b0001, 0]
