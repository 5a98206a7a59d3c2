"""The control unit call by call: which lanes take part, where the warp is then, which barrier it is at, and where instructions are."""

import random

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, events, mask
from tests.machine.programs import FREE, Assembly
from warploom.isa.uop import NEGATE, NEGATE_PREDICATE, NONE, NUMBER, YIELDS, scalar
from warploom.machine.accounting.events import BARRIER as BARRIER_EVENT
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.core import control
from warploom.machine.core.divergence import ITS
from warploom.machine.core.divergence.path_table import AT_BARRIER
from warploom.machine.core.warps.barrier import CORE_BARRIERS, GRID_BARRIER, NOBODY, WHOLE_WARP
from warploom.machine.engine.bits import EMPTY

WARP, NOW, HERE, GONE = 2, 40, 7, 99  # GONE: a fault's number that nobody else has
STEPS = {
    "branch": "_branch", "branch_scalar": "_branch_scalar", "jump_register": "_jump", "call": "_jump",
    **dict.fromkeys(("barrier", "barrier_arrive", "barrier_count", "barrier_and", "barrier_or"), "_barrier"),
}  # fmt: skip


def at(*uops, **changes):
    """(device, core, tables) of a program of one bundle; warp 2 of eight lanes is at instruction 7 with the lanes 0 to 3 of 0 to 4."""
    code = Assembly()
    code.bundle(*uops)
    gpu, cores, tables = bench(code, core__warps=4, core__lanes=8, core__threads_per_block=8, **changes)
    tables.uops = tables.uops.copy()
    tables.uops[0, control.RECONVERGE] = uops[0].get("reconverge", NONE)  # no matter who needs it
    warps = cores[0].warps
    warps.pc[WARP], warps.mask[WARP], warps.threads[WARP] = HERE, mask(0, 1, 2, 3), mask(0, 1, 2, 3, 4)
    return gpu, cores[0], tables


def recorded(monkeypatch, *names, result=None, of=None):
    """Calls of these functions of the control unit, as (name, arguments that are lanes or numbers)."""
    calls = []

    def step(name, given):
        calls.append((name, *(int(value) for value in given if isinstance(value, int | np.integer))))
        return result

    for name in names:
        monkeypatch.setattr(of or control, name, lambda *given, name=name: step(name, given))
    return calls


OTHERS = ("jump", "exit", "exit_warp", "grid_barrier", "sync_warp", "fence", "nop", "yield", "sleep", "set_mask")


@pytest.mark.parametrize("named", [None, (0, 1, 2, 3, 5), (1, 3), (6,)])
@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("name", [*STEPS, *OTHERS])
def test_the_lanes_that_the_predicate_names_take_part_and_without_one_the_warp_goes_by(monkeypatch, name, negate, named):
    fields = {} if named is None else {"predicate": scalar(0), "flags": NEGATE_PREDICATE if negate else 0}
    if name == "set_mask":
        fields = {}  # it has no predicate
    if name == "branch_scalar":
        fields["a"] = scalar(1)
    gpu, core, tables = at({"name": name, "target": 20, "reconverge": 30, **fields})
    bits = int(mask(*(named or ())))
    core.registers[WARP].scalar[0] = 0xFF ^ bits if negate else bits
    steps = ("_branch", "_branch_scalar", "_jump", "_barrier", "_go", "exit_lanes", "_grid_barrier", "_sync_warp", "change_mask")
    calls = recorded(monkeypatch, *steps, result=GONE)
    monkeypatch.setattr(control, "backward_jump_or_yield", lambda *given: None)
    monkeypatch.setattr(control, "follow_paths", lambda *given: calls.append(("follow",)))
    part = int(mask(*({0, 1, 2, 3} & set(range(8) if named is None or name == "set_mask" else named))))
    fault = control.control(gpu, core, WARP, HERE, tables, 0, NOW)
    whole, moved = part == 0b1111, 0
    expected = [(STEPS.get(name), WARP, part, 0, *([NOW] if STEPS.get(name) == "_barrier" else []))]
    if not part or name in {"fence", "nop", "yield", "sleep"}:
        expected, moved = [], 1
    elif name == "jump":
        expected = [("_go", WARP, part, 20, 30)]
    elif name == "exit":
        expected, moved = [("exit_lanes", WARP, part)], 0 if whole else 1
    elif name == "exit_warp":
        expected = [("exit_lanes", WARP, 0b11111)]
    elif name == "grid_barrier":
        expected = [("_grid_barrier", WARP, part)]
    elif name in {"sync_warp", "set_mask"}:
        expected = [("_sync_warp", WARP, part, 0) if name == "sync_warp" else ("change_mask", WARP, 0)]
    assert calls == [*expected, ("follow",)]
    assert core.warps.pc[WARP] == HERE + moved
    silent = not part or name in {"exit", "exit_warp", "grid_barrier", "sync_warp", "fence", "nop", "yield", "sleep"}
    assert fault == (0 if silent else GONE)


@pytest.mark.parametrize(("name", "value", "kind"), [("trap", -3, "trap"), ("illegal", 0xFFFFFFFD, "illegal")])
def test_a_trap_says_its_number_with_a_sign_and_an_illegal_word_is_one_of_32_bits(name, value, kind):
    gpu, core, tables = at({"name": name, "imm": -3})
    assert control.control(gpu, core, WARP, HERE, tables, 0, NOW) == FAULT_NUMBER[kind]
    assert gpu.fault.value == value


def test_a_write_to_what_can_only_be_read_names_the_lanes_that_write():
    gpu, core, tables = at({"name": "read_only_register", "imm": 0xCC0, "predicate": scalar(0)})
    core.registers[WARP].scalar[0] = 0b100
    assert control.control(gpu, core, WARP, HERE, tables, 0, NOW) == FAULT_NUMBER["read_only_register"]
    assert (gpu.fault.value, gpu.fault.lanes) == (0xCC0, 0b100)


@pytest.mark.parametrize("waits", [False, True])
def test_a_jump_back_and_a_yield_give_the_others_a_chance_and_a_jump_ahead_does_not(monkeypatch, waits):
    for name, target, left, expected in (
        ("jump", HERE - 1, 1, (0, int(waits))), ("jump", HERE, 1, (0, int(waits))), ("jump", HERE + 1, 1, None), ("jump", HERE, 0, None),
        ("yield", 0, 1, (1, int(waits))), ("yield", 0, 0, None), ("sleep", 0, 1, (1, int(waits))),
    ):  # fmt: skip
        gpu, core, tables = at({"name": name, "target": target, "flags": YIELDS if waits else NEGATE})
        core.warps.mask[WARP] = mask(0, 1) if left else EMPTY
        monkeypatch.setattr(control, "follow_paths", lambda *given: None)
        calls = recorded(monkeypatch, "backward_jump_or_yield")
        control.control(gpu, core, WARP, HERE, tables, 0, NOW)
        assert calls == ([] if expected is None else [("backward_jump_or_yield", WARP, *expected)])


def test_somebody_is_looked_for_where_no_lane_runs_and_some_wait(monkeypatch):
    for lanes, waiting, expected in (((), 1, True), ((), 2, True), ((), 0, False), ((1,), 1, False)):
        gpu, core, tables = at({"name": "nop"})
        core.warps.mask[WARP], core.path_table.count[WARP] = mask(*lanes), waiting
        calls = recorded(monkeypatch, "select_path", "_no_lane_runs")
        control.follow_paths(gpu, core, WARP, tables, NOW)
        assert [name for name, *_ in calls] == ["select_path", "_no_lane_runs"][: 1 + expected]


@pytest.mark.parametrize("negate", [False, True])
def test_a_branch_is_taken_by_the_lanes_in_which_one_of_its_bits_is_set(monkeypatch, negate):
    gpu, core, tables = at({"name": "branch", "a": FREE, "imm": -(1 << 31) | 6, "target": 20, "reconverge": 30, "flags": NEGATE * negate})
    row = core.registers[WARP].lane[FREE]
    for values, part in (((0, 2, 4, 1 << 31), (0, 1, 2)), ((1, 9, 0, 8), (0, 1, 2, 3)), ((6, 2, 4, 2), (0, 2)), ((6, 1, 1, 1), (1, 2))):
        row[:4], core.warps.pc[WARP] = values, HERE
        calls = recorded(monkeypatch, "_go", result=GONE)
        fault = control._branch(gpu, core, WARP, mask(*part), tables, 0)
        taken = int(mask(*(lane for lane in part if bool(values[lane] & 0x80000006) != negate)))
        assert (calls, fault) == (([("_go", WARP, taken, 20, 30)], GONE) if taken else ([], 0))
        assert core.warps.pc[WARP] == HERE + (not taken)


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize("value", [0, 1, 6, 8, 1 << 31])
def test_a_branch_on_a_scalar_asks_the_bits_of_its_register(monkeypatch, value, negate):
    fields = {"a": scalar(3), "imm": -(1 << 31) | 7, "flags": NEGATE if negate else YIELDS}
    gpu, core, tables = at({"name": "branch_scalar", "target": 20, "reconverge": 30, **fields})
    core.registers[WARP].scalar[3] = value
    calls = recorded(monkeypatch, "_go", result=GONE)
    fault = control._branch_scalar(gpu, core, WARP, mask(0, 1), tables, 0)
    taken = bool(value & 0x80000007) != negate
    assert (calls, fault) == (([("_go", WARP, 3, 20, 30)], GONE) if taken else ([], 0))
    assert core.warps.pc[WARP] == HERE + (not taken)


def test_lanes_that_go_together_just_go_and_others_part(monkeypatch):
    gpu, core, _ = at({"name": "nop"})
    calls = recorded(monkeypatch, "diverge", result=GONE)
    core.branch_diverged = 0
    assert control._go(gpu, core, WARP, mask(0, 1, 2, 3), 20, 30) == 0
    assert (core.warps.pc[WARP], core.branch_diverged, calls) == (20, 0, [])
    assert control._go(gpu, core, WARP, mask(0, 2), 25, 30) == GONE
    assert (core.warps.pc[WARP], core.branch_diverged, calls) == (20, 1, [("diverge", WARP, 5, 25, 30)])


@pytest.mark.parametrize("fault", [0, GONE])
@pytest.mark.parametrize("name", ["call", "jump_register"])
@pytest.mark.parametrize("destination", [-1, 0, 9, scalar(0), scalar(2)])
def test_a_call_leaves_the_address_of_what_follows_in_the_lanes_that_jump(monkeypatch, name, destination, fault):
    gpu, core, tables = at({"name": name, "dst": destination, "a": FREE, "target": 20, "reconverge": 30})
    registers = core.registers[WARP]
    registers.lane[:32, :], registers.scalar[:] = 5, 5
    monkeypatch.setattr(control, "address_after", lambda core, tables, number: np.int64(0x80000000 + int(number)))
    monkeypatch.setattr(control, "_go", lambda *given: np.int64(fault))
    monkeypatch.setattr(control, "_jump_to_register", lambda *given: (np.int64(fault), mask(1)))
    assert control._jump(gpu, core, WARP, mask(0, 1), tables, 0) == fault
    jumped = () if fault else (0, 1) if name == "call" else (1,)
    lanes, scalars = np.full((32, 8), 5), np.full(len(registers.scalar), 5)
    if 0 <= destination < scalar(0):
        lanes[destination, list(jumped)] = 0x80000000 + HERE
    elif destination >= scalar(0) and not fault:
        scalars[destination - scalar(0)] = 0x80000000 + HERE
    assert registers.lane[:32, :8].tolist() == lanes.tolist()
    assert registers.scalar.tolist() == scalars.tolist()


@pytest.mark.parametrize("fault", [0, GONE])
@pytest.mark.parametrize("source", [FREE, scalar(0)])
def test_a_jump_goes_where_the_first_lane_says_with_those_that_say_the_same(monkeypatch, source, fault):
    """An address in lanes loses its lowest bit, one in a scalar register does not; both wrap at 32 bits."""
    gpu, core, tables = at({"name": "jump_register", "a": source, "imm": -4, "reconverge": 30})
    registers = core.registers[WARP]
    registers.lane[FREE, :8], registers.scalar[0] = (0x21, 0x11, 0x10, 0x13, 0x11, 0x11, 0x11, 0x11), 3
    asked = recorded(monkeypatch, "diverge_indirect", result=np.int64(fault))
    went = recorded(monkeypatch, "_go", result=np.int64(0))
    monkeypatch.setattr(control, "instruction_at", lambda core, tables, address: int(address))
    core.branch_diverged, core.code_rows = 0, 1 << 32
    for part, lanes in (((1, 2), (1, 2)), ((1, 2, 3), (1, 2)), ((0, 1), (0,)), ((), ())):
        del asked[:], went[:]
        core.branch_diverged = 0
        there = lanes if source == FREE else part
        address = (0x21 if part[:1] != (1,) else 0x10) - 4 & ~1 if source == FREE else 0xFFFFFFFF
        found, jump = control._jump_to_register(gpu, core, WARP, mask(*part), tables, 0)
        parts = part != there
        assert (int(jump), core.branch_diverged) == (int(mask(*there)), int(parts))
        assert asked == ([("diverge_indirect", WARP, int(mask(*part)), int(mask(*there)), 0)] if parts else [])
        stopped = parts and fault != 0
        assert went == ([] if stopped else [("_go", WARP, int(mask(*there)), address, 30)])
        assert found == (fault if stopped else 0)


@pytest.mark.parametrize(("number", "there"), [(0, True), (8, True), (9, False), (10, False)])
def test_a_jump_to_where_there_is_no_instruction_is_a_fault_of_the_lanes_that_jump(monkeypatch, number, there):
    gpu, core, tables = at({"name": "jump_register", "a": FREE, "reconverge": 30})
    core.registers[WARP].lane[FREE, :8] = 0x12
    core.code_rows = 9
    went = recorded(monkeypatch, "_go", result=np.int64(GONE))
    monkeypatch.setattr(control, "instruction_at", lambda core, tables, address: number)
    fault, going = control._jump_to_register(gpu, core, WARP, mask(1, 2), tables, 0)
    assert int(going) == mask(1, 2)
    if there:
        assert (fault, went) == (GONE, [("_go", WARP, int(mask(1, 2)), number, 30)])
    else:
        assert (fault, went) == (FAULT_NUMBER["no_code"], [])
        assert (int(gpu.fault.lanes), int(gpu.fault.value)) == (int(mask(1, 2)), 0x12)


@pytest.mark.parametrize("first", [0, 0x100, 0xFFFFFF00])
def test_instructions_of_one_size_are_found_by_counting_and_others_by_search(first):
    """Of several parts of an instruction, at one address, the first is meant."""
    _, core, tables = at({"name": "nop"})
    source = random.Random(first)
    for step, count in ((4, 1), (4, 6), (8, 5), (0, 1), (0, 2), (0, 5), (0, 12)):
        gaps = [step] * (count - 1) if step else [source.choice((0, 2, 4, 8)) for _ in range(count - 1)]
        addresses = [first + sum(gaps[:number]) for number in range(count)]
        tables.code = np.zeros((count, tables.code.shape[1]), np.int32)
        tables.code[:, control.ADDRESS] = np.array(addresses, np.uint32).view(np.int32)
        core.code_step, core.code_rows = step, count
        for address in range(first - 9, addresses[-1] + 17):
            expected = addresses.index(address) if address in addresses else count
            assert control.instruction_at(core, tables, np.int64(address)) == expected
        for number in range(count - 1):
            assert control.address_after(core, tables, np.int64(number)) == addresses[number + 1]
        assert control.address_after(core, tables, np.int64(count - 1)) == addresses[-1] + step


@pytest.mark.parametrize("name", ["barrier", "barrier_arrive", "barrier_count", "barrier_and", "barrier_or"])
@pytest.mark.parametrize("opens", [0, 1])
@pytest.mark.parametrize("part", [(0, 1, 2, 3), (1, 2)])
def test_lanes_arrive_at_a_barrier_and_are_set_aside_where_others_are_not_there(monkeypatch, name, part, opens):
    gpu, core, tables = at({"name": name, "a": FREE, "b": FREE + 1, "c": FREE + 2, "imm": 1}, core__barriers=4)
    registers = core.registers[WARP]
    for row, value in ((FREE, 2), (FREE + 1, 64)):
        registers.lane[row, :8] = value
        registers.lane[row, :1] = 0 if part[0] else value  # the lowest lane that takes part is asked
    registers.lane[FREE + 2, :8] = 0, 1, 0, 1 << 31, 1, 1, 1, 1
    core.warps.block[WARP] = 3
    calls = recorded(monkeypatch, "vote", "set_aside", "arrive_at_barrier", "arrive_at", result=opens)
    assert control._barrier(gpu, core, WARP, mask(*part), tables, 0, NOW) == 0
    waits, lanes = name != "barrier_arrive", int(mask(*part))
    holds = int(mask(*({1, 3} & set(part))))
    expected = [("vote", 3, 3, WARP, 0, lanes, holds)] if name not in {"barrier", "barrier_arrive"} else []
    expected += [("set_aside", WARP, lanes)] if waits and lanes != 0b1111 else []
    expected += [("arrive_at_barrier", WARP, 3, 64)] if waits else []
    expected += [("arrive_at", WARP, 3, int(waits), 64, NOW)] if opens or not waits else []
    assert calls == expected
    assert core.warps.pc[WARP] == HERE + 1


@pytest.mark.parametrize("number", [-1, 0, 3, 4])
def test_a_block_has_as_many_barriers_as_the_core_says(monkeypatch, number):
    gpu, core, tables = at({"name": "barrier", "imm": number}, core__barriers=4)
    calls = recorded(monkeypatch, "arrive_at_barrier", result=0)
    fault = control._barrier(gpu, core, WARP, mask(0, 1, 2, 3), tables, 0, NOW)
    there = 0 <= number < 4
    assert fault == (0 if there else FAULT_NUMBER["barrier_number"])
    assert calls == ([("arrive_at_barrier", WARP, number, 0)] if there else [])
    assert there or (gpu.fault.value, gpu.fault.limit) == (number, 4)
    assert core.warps.pc[WARP] == HERE + there


@pytest.mark.parametrize("part", [(0, 1, 2, 3), (1, 2)])
@pytest.mark.parametrize("whole", [0, 1])
def test_a_warp_arrives_at_the_barrier_of_the_grid_when_all_its_lanes_are_there(monkeypatch, part, whole):
    gpu, core, _ = at({"name": "nop"})
    core.warps.at_barrier, core.barriers.at_grid, gpu.grid.waiting = mask(0), mask(1), 5
    calls = recorded(monkeypatch, "set_aside", "arrive_at_barrier", result=whole)
    control._grid_barrier(gpu, core, WARP, mask(*part))
    aside = [] if len(part) == 4 else [("set_aside", WARP, 0b0110)]
    assert calls == [*aside, ("arrive_at_barrier", WARP, GRID_BARRIER, 0)]
    arrived = (mask(0, WARP), mask(1, WARP), 6) if whole else (mask(0), mask(1), 5)
    assert (core.warps.at_barrier, core.barriers.at_grid, gpu.grid.waiting, core.warps.pc[WARP]) == (*arrived, HERE + 1)


@pytest.mark.parametrize("independent", [False, True])
@pytest.mark.parametrize("part", [(0, 1, 2, 3), (1, 2)])
def test_lanes_that_have_paths_of_their_own_wait_for_those_that_they_name(monkeypatch, part, independent):
    for fields, named in (({}, (1 << 64) - 1), ({"a": FREE}, 0x90), ({"a": FREE, "b": FREE + 1}, 0x8000000500000090)):
        _, core, tables = at({"name": "sync_warp", **fields}, core__divergence="its" if independent else "stack")
        core.registers[WARP].lane[[FREE, FREE + 1], part[0]] = 0x90, 0x80000005
        calls = recorded(monkeypatch, "set_aside", "its_sync")
        control._sync_warp(core, WARP, mask(*part), tables, 0)
        aside = [] if len(part) == 4 else [("set_aside", WARP, 0b0110)]
        assert calls == ([*aside, ("its_sync", WARP, named | int(mask(*part)))] if independent else [])
        assert (core.warps.pc[WARP], core.divergence == ITS) == (HERE + 1, independent)


@pytest.mark.parametrize("waits", [0, 1])
@pytest.mark.parametrize("freed", [(), (1, 3), (1, WARP)])
@pytest.mark.parametrize("reduces", [0, 1])
def test_a_warp_that_arrives_waits_or_wakes_those_that_its_arrival_frees(monkeypatch, waits, freed, reduces):
    gpu, core, tables = at({"name": "nop"})
    gpu.log.tracing, core.barriers.reduces, core.barriers.opens = 1, reduces, 11
    core.warps.block[WARP], core.blocks.alive[3], core.warps.at_barrier = 3, 6, mask(0)
    calls = recorded(monkeypatch, "deliver", "wake")
    monkeypatch.setattr(control, "arrive", lambda barriers, *given: calls.append(("arrive", *map(int, given))) or mask(*freed))
    monkeypatch.setattr(control, "take", lambda barriers, now: now + 2)
    control.arrive_at(gpu, core, WARP, 1, waits, 64, tables, NOW)
    lanes = int(mask(*freed))
    delivered = [("deliver", 3, 1, lanes)] if reduces and freed else []
    assert calls == [("arrive", 3, 1, WARP, waits, 64, 6), *delivered, ("wake", lanes, NOW + 2, NOW)]
    assert core.warps.at_barrier == (mask(0, WARP) if waits else mask(0))
    assert core.barriers.opens == (NOW + 2 if WARP in freed else 11)
    assert [row[1:] for row in events(gpu, tables)] == [[BARRIER_EVENT, core.number, WARP, HERE - 1, 0b1111, 1, int(bool(freed))]]
    assert events(gpu, tables)[0][0] == NOW


@pytest.mark.parametrize("number", [-1, WHOLE_WARP, GRID_BARRIER, 0, 2, CORE_BARRIERS + 1])
def test_where_no_lane_runs_the_warp_arrives_where_all_wait_and_else_waits_for_ever(monkeypatch, number):
    gpu, core, tables = at({"name": "nop"})
    core.warps.at_barrier, core.path_table.expected[WARP] = mask(0), 64
    core.warps.pc[WARP] = core.code_rows
    core.path_table.state[WARP, 1] = AT_BARRIER + number
    monkeypatch.setattr(control, "left_at_barrier", lambda paths, warp: 1 if number >= 0 else -1)
    calls = recorded(monkeypatch, "call", "run_group", "arrive_at_barrier", "select_path", "arrive_as_warp")
    control._no_lane_runs(gpu, core, WARP, tables, NOW)
    assert core.warps.at_barrier == (mask(0, WARP) if number < 0 else mask(0))
    assert core.warps.pc[WARP] == core.code_rows - (number < 0)
    common = [("run_group", WARP, 1), ("arrive_at_barrier", WARP, number, 64), ("select_path", WARP)]
    last = ("arrive_as_warp", WARP, number, 64, NOW)
    executes = [("call", WARP), ("select_path", WARP)]  # the instruction, which is for the whole warp
    assert calls == ([] if number < 0 else executes if number == WHOLE_WARP else [*common, last])


def test_a_warp_arrives_at_the_barrier_that_its_number_means_and_at_none_that_expects_nobody(monkeypatch):
    gpu, core, tables = at({"name": "nop"})
    calls = recorded(monkeypatch, "_arrive_at_grid_barrier", "arrive_with_core", "arrive_at")
    for number, expected in ((GRID_BARRIER, 0), (CORE_BARRIERS, 2), (CORE_BARRIERS + 3, NOBODY), (0, 0), (3, 1), (3, NOBODY)):
        control.arrive_as_warp(gpu, core, WARP, number, expected, tables, NOW)
    across = [("arrive_with_core", WARP, 0, 2), ("arrive_with_core", WARP, 3, NOBODY)]
    here = [("arrive_at", WARP, 0, 1, 0, NOW), ("arrive_at", WARP, 3, 1, 1, NOW)]
    assert calls == [("_arrive_at_grid_barrier", WARP), *across, *here]


def test_the_lowest_lane_speaks_for_those_that_take_part():
    _, core, tables = at({"name": "nop", "a": FREE, "b": scalar(2)})
    core.registers[WARP].lane[FREE, :8] = range(10, 18)
    core.registers[WARP].scalar[2] = 0xFFFFFFFF
    found = [int(control.value_of_leader(core, WARP, mask(*part), tables, 0, column, 1)) for part, column in
             (((2, 3), control.A), ((), control.A), ((5,), control.A), ((2,), control.B), ((2,), control.C))]  # fmt: skip
    assert found == [12, 10, 15, 0xFFFFFFFF, 0]
    assert NUMBER["nop"] == control.NOP
