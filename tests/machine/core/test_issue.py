"""The issue of an instruction, call by call: what its wait is accounted to, what it leaves busy, and what becomes of its warp."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, events, mask
from tests.machine.programs import FREE, GLOBAL, Assembly
from warploom.isa import uop as u
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.core.issue import CLOCK, CORE_WARPS, CYCLE, MASK_HIGH, MASK_LOW, THREAD_INSTRUCTIONS, issue
from warploom.machine.engine.bits import lowest
from warploom.machine.engine.unit import FOREVER

WARP, NUMBER, NOW, SINCE = 2, 1, 100, 60  # of scheduler 1
A, B, C = range(FREE, FREE + 3)
ADD, SPECIAL, LOAD, SHARED, TEXTURE, BRANCH, FENCE, LAST = range(8)
WAITED = [r.LONG_SCOREBOARD, r.LG_THROTTLE, r.MIO_THROTTLE, r.TEX_THROTTLE, r.MATH_PIPE_THROTTLE, r.DISPATCH_STALL, r.NOT_SELECTED]


def about_to(pc, tracing=0, **changes):
    """Warp 2 before an instruction, awake since it last issued; all of its lanes but lane 3, which has ended, and lane 2, which waits."""
    code = Assembly()
    code.bundle({"name": "add", "dst": A, "a": B, "b": GLOBAL}, {"name": "add", "dst": C, "a": B, "b": B})
    code.op("fsqrt", A, B)
    code.load(A, B)
    code.load(A, B, space=u.SHARED_SPACE)
    code("sample_fixed", dst=A, a=B, b=B, c=B, imm=0)
    code.bundle({"name": "add", "dst": C, "a": B, "b": B}, {"name": "branch", "a": A, "imm": -1, "target": "last"})
    code("fence")
    code.label("last")
    code("exit")
    gpu, cores, tables = bench(code, core__warps=4, core__schedulers=2, texture__count=1, **changes)
    core, warps = cores[0], cores[0].warps
    tables.profile, tables.code = np.zeros((8, 64), np.int64), tables.code.copy()
    port = int(tables.code[pc, u.PORT])
    gpu.log.tracing = tracing
    warps.pc[WARP], warps.mask[WARP], warps.threads[WARP], warps.launched[WARP] = pc, 0b0011, 0b0111, 0b1111
    warps.since[WARP] = warps.wake[WARP] = NOW
    warps.awake, warps.wants[port], warps.visits[WARP] = mask(1, 2), mask(1, 2), 44
    warps.reason[WARP], warps.scheduler[WARP] = r.LONG_SCOREBOARD, NUMBER
    core.alus.idle, core.specials.idle = mask(min(1, int(core.alus.count) - 1)), mask(0)
    calls = []

    def control(gpu, core, warp, pc, tables, k, now):
        calls.append(("control", warp, pc, k, now))
        core.warps.pc[warp] = LAST
        if pc == BRANCH:
            core.branch_diverged = 1
        return made.fault

    def access(gpu, core, warp, pc, wanted, tables, units, now):
        calls.append(("access", warp, pc, wanted, now))
        return made.fault

    units = SimpleNamespace(
        execute=lambda registers, tables, k, lanes: calls.append(("execute", k, lanes)),
        watch=lambda gpu, core, warp, pc, tables, k, now: calls.append(("watch", warp, pc, k, now)),
        control=control,
        access=access,
    )
    made = SimpleNamespace(gpu=gpu, core=core, warps=warps, tables=tables, units=units, calls=calls, fault=0, pc=pc, port=port)
    core.branch_diverged = 1  # an earlier branch of a different warp
    made.row, made.first = tables.profile[pc], int(tables.code[pc, u.FIRST_UOP])
    return made


def go(made, now=NOW):
    with np.errstate(over="ignore"):  # words wrap around
        issue(made.gpu, made.core, NUMBER, WARP, made.tables, made.units, np.int64(now))


def busy(made, register=A):
    board = made.core.scoreboard
    return int(board.ready[WARP, register]), int(board.reason[WARP, register])


@pytest.mark.parametrize("pc", [ADD, SPECIAL, LOAD, SHARED, TEXTURE, BRANCH, FENCE])
def test_an_issue_counts_its_lanes_and_goes_on(pc):
    made = about_to(pc)
    go(made)
    assert made.row[[r.SELECTED, r.LANES, r.LANES_DIVERGED, r.LANES_ENDED]].tolist() == [1, 2, 1, 1]
    assert made.gpu.log.rows == 0 and not made.row[WAITED].any() and made.warps.since[WARP] == NOW + 1
    assert made.warps.pc[WARP] == (LAST if pc in (BRANCH, FENCE) else pc + 1)
    assert made.row[r.DIVERGED] == (pc == BRANCH) and made.gpu.fault.kind == 0
    k = made.first
    uops = {
        ADD: [("execute", k, 4), ("execute", k + 1, 4)],
        SPECIAL: [("execute", k, 4)],
        BRANCH: [("execute", k, 4), ("control", WARP, pc, k + 1, NOW)],
    }
    units = {LOAD: u.MEMORY, SHARED: u.SHARED, TEXTURE: u.TEXTURE}
    if pc in units:
        assert made.calls == [("access", WARP, pc, units[pc], NOW)]
    else:
        assert made.calls == uops.get(pc, [("control", WARP, pc, k, NOW)])


def test_what_an_instruction_may_read_of_its_machine():
    made = about_to(ADD)
    registers = made.core.registers[WARP]
    made.warps.mask[WARP] = made.warps.threads[WARP] = 0b0011 | (1 << 40)
    made.warps.expanded_from[WARP] = 1
    made.core.thread_instructions = (3 << 32) + 5
    go(made, (7 << 32) + 9)
    assert registers.special[[CLOCK, CYCLE, MASK_LOW, MASK_HIGH]].tolist() == [44, 9, 0b0011, 1 << 8]
    assert registers.special[[CORE_WARPS, THREAD_INSTRUCTIONS]].tolist() == [0, 0]
    assert registers.active[:4].tolist() == [0xFFFFFFFF, 0xFFFFFFFF, 0, 0] and made.warps.expanded_from[WARP] == 0b0011 | (1 << 40)
    assert made.core.thread_instructions == (3 << 32) + 5


def test_a_core_counts_what_its_program_reads():
    made = about_to(ADD)
    made.core.counts, made.core.thread_instructions = 1, (3 << 32) + 5
    made.warps.block[WARP] = 1
    made.core.blocks.alive[1] = mask(1, 2) | np.uint64(1 << 40)
    go(made)
    assert made.core.registers[WARP].special[[CORE_WARPS, THREAD_INSTRUCTIONS]].tolist() == [0b0110, 5]
    assert made.core.thread_instructions == (3 << 32) + 7


@pytest.mark.parametrize(
    "wake, full, held, banks, expected",
    [
        (60, 0, 0, 0, {r.NOT_SELECTED: 40}),
        (70, 0, 0, 0, {r.LONG_SCOREBOARD: 10, r.NOT_SELECTED: 30}),
        (100, 0, 0, 0, {r.LONG_SCOREBOARD: 40}),
        (70, 5, 0, 0, {r.LONG_SCOREBOARD: 10, "full": 5, r.NOT_SELECTED: 25}),
        (70, 1, 0, 0, {r.LONG_SCOREBOARD: 10, "full": 1, r.NOT_SELECTED: 29}),
        (70, 90, 0, 0, {r.LONG_SCOREBOARD: 10, "full": 30}),
        (70, 5, 7, 0, {r.LONG_SCOREBOARD: 10, "full": 5, r.NOT_SELECTED: 25}),
        (70, 5, 7, 2, {r.LONG_SCOREBOARD: 10, "full": 5, r.DISPATCH_STALL: 7, r.NOT_SELECTED: 18}),
        (70, 5, 70, 2, {r.LONG_SCOREBOARD: 10, "full": 5, r.DISPATCH_STALL: 25}),
        (70, 0, 1, 1, {r.LONG_SCOREBOARD: 10, r.DISPATCH_STALL: 1, r.NOT_SELECTED: 29}),
    ],
)
@pytest.mark.parametrize("pc", [ADD, LOAD, SHARED, TEXTURE])
def test_what_a_warp_waited_for_is_accounted_in_its_order(pc, wake, full, held, banks, expected):
    made = about_to(pc, tracing=1)
    core, warps = made.core, made.warps
    warps.since[WARP], warps.wake[WARP] = SINCE, wake
    core.unit_full_cycles[NUMBER, made.port], warps.unit_full_at_wake[WARP] = 1000 + full, 1000
    core.operands.banks, core.operands.held_cycles[NUMBER], warps.held_at_wake[WARP] = banks, 500 + held, 500
    go(made)
    throttle = {ADD: r.MATH_PIPE_THROTTLE, LOAD: r.LG_THROTTLE, SHARED: r.MIO_THROTTLE, TEXTURE: r.TEX_THROTTLE}[pc]
    wanted = {throttle if reason == "full" else reason: cycles for reason, cycles in expected.items()}
    assert {reason: int(made.row[reason]) for reason in WAITED if made.row[reason]} == wanted
    assert warps.since[WARP] == NOW + 1
    stalls = e.of_kind(np.array(events(made.gpu, made.tables)), e.STALL)[["time", "reason", "since"]].tolist()
    ends = np.cumsum([SINCE, *wanted.values()]).tolist()
    assert stalls == list(zip(ends[1:], wanted, ends, strict=False))


def test_a_warp_that_has_issued_is_no_longer_awake():
    made = about_to(ADD)
    made.core.scoreboard.ready[WARP, B] = FOREVER  # which the next instruction reads
    go(made)
    assert made.warps.awake == mask(1) and made.warps.wants[made.port] == mask(1)
    assert made.warps.reason[WARP] == r.LONG_SCOREBOARD
    made = about_to(ADD)
    go(made)
    assert made.warps.awake == mask(1, 2) and made.warps.wake[WARP] == NOW + 1
    assert made.warps.wants[made.port] == mask(1) and made.warps.wants[u.SPECIAL] == mask(2)


@pytest.mark.parametrize("watched", [0, 1])
@pytest.mark.parametrize("pc", [ADD, SPECIAL, BRANCH])
def test_who_looks_on_is_called_before_each_micro_op(pc, watched):
    made = about_to(pc)
    made.core.watched = watched
    go(made)
    looks = [call for call in made.calls if call[0] == "watch"]
    assert looks == ([("watch", WARP, pc, k, NOW) for k in range(made.first, made.first + (1 if pc == SPECIAL else 2))] if watched else [])
    assert (made.calls[0][0] == "watch") == watched


@pytest.mark.parametrize("pc, reason", [(ADD, r.WAIT), (SPECIAL, r.SHORT_SCOREBOARD)])
def test_results_are_there_after_the_latency_of_their_class(pc, reason):
    made = about_to(pc, tracing=1)
    core = made.core
    core.latency[:] = 50 + np.arange(len(core.latency))
    pipes = core.alus if pc == ADD else core.specials
    pipe = lowest(pipes.idle)
    go(made)
    until = NOW + 50 + int(made.tables.code[pc, u.ISSUE_LATENCY])
    assert busy(made) == (until, reason) and pipes.busy[pipe] == 1 and pipes.free[pipe] > NOW
    found = [row for row in events(made.gpu, made.tables) if row[e.KIND] in (e.PIPE, e.ISSUE)]
    assert found[-1] == [NOW, e.ISSUE, 0, WARP, pc, 0b0011, 0b0011, until]
    assert found[:-1] == ([[NOW, e.PIPE, 0, WARP, pc, 0b0011, pipe, int(pipes.free[pipe])]] if pc == ADD else [])
    for other, until in ((LOAD, FOREVER), (BRANCH, NOW + 1), (FENCE, NOW + 1)):
        made = about_to(other, tracing=1)
        go(made)
        found = [row for row in events(made.gpu, made.tables) if row[e.KIND] == e.ISSUE]
        assert found == [[NOW, e.ISSUE, 0, WARP, other, 0b0011, 0b0011, until]]


def test_operands_that_come_late_delay_the_result():
    made = about_to(ADD)
    core = made.core
    core.operands.banks, core.operands.reads, core.operands.window, core.latency[:] = 2, 1, 1, 50
    core.operands.ready[NUMBER, :2] = core.operands.busy[NUMBER] = NOW + 9
    made.tables.code[ADD, u.BANK_READS] = 0x11
    go(made)
    assert busy(made)[0] == NOW + 50 + 9 and core.operands.held[NUMBER] == NOW + 1 + 9
    made = about_to(BRANCH)
    made.core.operands.banks = 2
    go(made)
    assert made.core.operands.held[NUMBER] == 0  # the control unit reads without


@pytest.mark.parametrize("pc", [ADD, LOAD])
def test_a_scheduler_with_pipes_of_its_own_uses_those(pc):
    made = about_to(pc, tracing=1)
    core, partitions = made.core, made.core.partitions
    partitions.own, core.latency[:], partitions.hold[:], partitions.interval[:] = 1, 50, 3, 5
    go(made)
    assert partitions.taken[NUMBER, made.port] == 1 and partitions.taken.sum() == 1
    assert partitions.free[NUMBER, made.port] == NOW + (3 if pc == ADD else 5)
    assert core.alus.busy.sum() == 0
    pipes = [row for row in events(made.gpu, made.tables) if row[e.KIND] == e.PIPE]
    assert pipes == ([[NOW, e.PIPE, 0, WARP, pc, 0b0011, NUMBER * len(u.PORTS) + made.port, NOW + 3]] if pc == ADD else [])
    if pc == ADD:
        assert busy(made) == (NOW + 50, r.WAIT)


@pytest.mark.parametrize("pc", [LOAD, BRANCH])
@pytest.mark.parametrize("own, branch, lanes", [(True, 0, 0b0010), (False, 0b0001, 0b0001), (False, 0, 0b0011)])
def test_a_fault_names_the_lanes_that_have_it(pc, own, branch, lanes):
    made = about_to(pc)
    made.fault, made.warps.wake[WARP] = 5, NOW
    made.core.access.fault, made.core.access.lane, made.core.access.value, made.core.access.limit = int(own), 1, 70, 71
    made.gpu.fault.lanes, made.gpu.fault.value, made.gpu.fault.limit = branch, 80, 81
    go(made)
    fault = made.gpu.fault
    assert (fault.kind, fault.core, fault.warp, fault.pc, fault.lanes, fault.cycle) == (5, 0, WARP, pc, lanes, NOW)
    assert (fault.value, fault.limit) == ((70, 71) if own else (80, 81))
    assert made.warps.awake == mask(1)  # it is not examined again


@pytest.mark.parametrize(
    "latency, opens, waits, reason, wake",
    [
        (1, 0, False, r.NOT_SELECTED, NOW + 1),
        (3, 0, False, r.BRANCH_RESOLVING, NOW + 3),
        (3, NOW + 3, False, r.BRANCH_RESOLVING, NOW + 3),
        (3, NOW + 4, False, r.BARRIER, NOW + 4),
        (1, NOW + 2, False, r.BARRIER, NOW + 2),
        (3, NOW + 9, True, r.BARRIER, FOREVER),
    ],
)
def test_after_a_control_instruction_a_warp_waits_for_its_branch_or_a_barrier(latency, opens, waits, reason, wake):
    made = about_to(BRANCH)
    made.core.branch_latency, made.core.barriers.opens = latency, opens
    made.warps.at_barrier = mask(WARP) if waits else mask(1)
    go(made)
    assert (made.warps.reason[WARP], made.warps.wake[WARP]) == (reason, wake)
    assert (made.warps.awake == mask(1, 2)) == (reason == r.NOT_SELECTED)
    assert made.core.barriers.opens == (0 if reason == r.BARRIER and not waits else opens)


def test_a_warp_without_threads_ends_and_a_buffer_gives_up_its_instruction():
    made = about_to(BRANCH)
    made.warps.threads[WARP], made.warps.active, made.gpu.live = 0, mask(1, 2), 2
    made.core.blocks.alive[0] = mask(1, 2)
    go(made)
    assert made.warps.active == mask(1) and made.core.blocks.alive[0] == mask(1) and made.warps.wake[WARP] == FOREVER
    for pc, buffer, waits, held in ((ADD, 4, 0, 1), (ADD, 1, 1, 1), (ADD, 0, 0, 2), (BRANCH, 4, 0, 0)):  # it jumps
        made = about_to(pc)
        made.core.fetch.buffer, made.core.fetch.waits, made.core.fetch.held[WARP] = buffer, waits, 2
        go(made)
        assert made.core.fetch.held[WARP] == held


@pytest.mark.parametrize(("waits", "held"), [(0, 1), (1, 0)])
def test_a_branch_that_is_not_taken_empties_a_buffer_that_waits_for_branches(waits, held):
    made = about_to(BRANCH)
    made.units.control = lambda gpu, core, warp, pc, *more: core.warps.pc.__setitem__(warp, pc + 1) or 0
    made.core.fetch.buffer, made.core.fetch.waits, made.core.fetch.held[WARP] = 4, waits, 2
    go(made)
    assert made.core.fetch.held[WARP] == held


def test_a_control_instruction_that_writes_a_register_has_it_in_the_next_cycle():
    made = about_to(BRANCH)
    go(made)
    assert busy(made, C) == (NOW + 1, r.WAIT)


@pytest.mark.parametrize("pc", [-1, LAST + 1, 0, LAST])
def test_a_warp_that_leaves_the_program_is_a_fault_wherever_it_waits(pc):
    made = about_to(FENCE)
    made.warps.at_barrier = mask(WARP)
    made.units.control = lambda gpu, core, warp, *more: core.warps.pc.__setitem__(warp, pc) or 0
    go(made)
    fault, outside = made.gpu.fault, pc in (-1, LAST + 1)
    assert (fault.value, fault.limit, fault.cycle) == ((pc, LAST + 1, NOW + 1) if outside else (0, 0, 0))
    assert (made.warps.reason[WARP] == r.BARRIER) == (not outside)


@pytest.mark.parametrize("counts", [0, 1, 2])
def test_a_core_that_counts_more_tells_its_monitor(counts):
    made = about_to(LOAD)
    made.core.counts = counts
    go(made)
    assert (made.core.monitor.instructions, made.core.monitor.loads) == ((1, 2) if counts == 2 else (0, 0))
