"""Operations on masks, call by call: which lanes are chosen, who leads them, and what is read and written of a mask."""

from functools import partial

import numpy as np
import pytest

from tests.machine.core.unit_bench import core_of
from warploom.isa.uop import HIGHEST_LEADS, NEGATE, NONE, Uop, scalar
from warploom.machine.core.divergence import masks


@pytest.mark.parametrize("lanes", [1, 4, 33, 64])
def test_lanes_are_chosen_where_one_of_the_bits_is_set(lanes):
    row = np.array([number * 0x9E3779B1 & 0xFFFFFFFF for number in range(64)], np.uint32)
    for bits in (0, 1, 0x80000000, 6, 0xFFFFFFFF):
        for kept in (0, 1, (1 << lanes) - 1, 0xAAAAAAAAAAAAAAAA & (1 << lanes) - 1):
            expected = sum(1 << lane for lane in range(lanes) if int(row[lane]) & bits and kept >> lane & 1)
            assert int(masks.lanes_where(row, np.uint32(bits), np.uint64(kept), lanes)) == expected


def test_the_lowest_active_lane_leads_and_lane_0_where_none_is_active():
    assert [int(masks.leader(np.uint64(mask))) for mask in (1, 0b1100, 1 << 63, 0)] == [0, 2, 63, 0]


@pytest.mark.parametrize("full", [0, 0x80000001_00000006, 0xFFFFFFFF_FFFFFFFF, 0x00000002_00000000])
def test_a_mask_is_read_into_a_pair_of_scalars_and_written_from_it_where_there_are_threads(full):
    _, core, _ = core_of()
    warps, scalar = core.warps, core.registers[3].scalar
    scalar[:6], warps.pc[3], warps.mask[3] = 0x55, 7, np.uint64(full)
    masks._read_mask(core, 3, 2)
    assert (scalar[:6].tolist(), warps.pc[3]) == ([0x55, 0x55, full & 0xFFFFFFFF, full >> 32, 0x55, 0x55], 8)
    for threads in ((1 << 64) - 1, 0x80000000_00000004):
        warps.threads[3] = np.uint64(threads)
        masks._write_mask(core, 3, 2)
        assert int(warps.mask[3]) == full & threads
    assert warps.pc[3] == 10


@pytest.mark.parametrize("fault", ["OK", "OVERFLOW", "UNDERFLOW"])
@pytest.mark.parametrize(
    ("name", "step", "given"),
    [
        ("push_mask", "push_mask", (20,)),
        ("pop_mask", "pop_mask", ()),
        ("mask_nonzero", "mask_nonzero", (0b101,)),
        ("branch_push", "branch_push", (0b101, 20, 30)),
        ("read_mask", "_read_mask", (4,)),
        ("write_mask", "_write_mask", (2,)),
    ],
)
def test_an_operation_on_masks_is_done_by_its_step_and_a_full_or_empty_stack_says_its_size(monkeypatch, name, step, given, fault):
    gpu, core, tables = core_of()
    number, calls = getattr(masks, fault), []
    tables.uops = np.array([Uop(name, dst=scalar(4), a=scalar(2), target=20, reconverge=30).row()])
    core.mask_stack.limit, gpu.fault.limit = 16, 3

    def note(each, *arguments):
        calls.append((each, *map(int, arguments[2 if each[0] == "_" else 3 :])))
        return number

    monkeypatch.setattr(masks, "chosen_lanes", lambda core, warp, tables, k: 0b101)
    for each in ("push_mask", "pop_mask", "mask_nonzero", "branch_push", "_read_mask", "_write_mask"):
        monkeypatch.setattr(masks, each, partial(note, each))
    found = masks.change_mask(gpu, core, 3, tables, 0)
    fails = step[0] != "_" and fault != "OK"
    assert calls == [(step, *given)]
    assert (found, gpu.fault.limit) == ((number, 16) if fails else (masks.OK, 3))


def test_an_operation_that_cores_with_warps_do_not_have_says_its_number():
    gpu, core, tables = core_of()
    tables.uops = np.array([Uop("nop", imm=77).row()])
    assert masks.change_mask(gpu, core, 3, tables, 0) == masks.UNSUPPORTED
    assert gpu.fault.value == 77


@pytest.mark.parametrize("other", [0, NEGATE])
def test_the_highest_lane_speaks_where_the_operation_says_so_and_lane_0_where_there_is_none(other):
    for lanes, lowest, highest in ((0b1, 0, 0), (0b1100, 2, 3), ((1 << 63) | 2, 1, 63), (0, 0, 0)):
        assert masks.spokesman(np.uint64(lanes), other) == lowest
        assert masks.spokesman(np.uint64(lanes), other | HIGHEST_LEADS) == highest


def test_a_row_of_the_mask_stack_has_no_place_where_its_sides_reconverge():
    _, core, _ = core_of()
    stack, warps = core.mask_stack, core.warps
    stack.limit, warps.mask[3], warps.threads[3], warps.pc[3] = 16, 0b1111, 0b1111, 7
    stack.reconvergence_pc[3, :4] = 50  # of rows before
    assert masks.push_mask(stack, warps, 3, 20) == masks.OK
    assert masks.branch_push(stack, warps, 3, np.uint64(0b0011), 30, 40) == masks.OK
    rows = [(int(stack.mask[3, row]), int(stack.pc[3, row]), int(stack.reconvergence_pc[3, row])) for row in range(stack.count[3])]
    assert rows == [(0b1111, 20, NONE), (0b1111, 40, NONE), (0b1100, 30, NONE)]
    assert (warps.mask[3], warps.pc[3]) == (0b0011, 9)
