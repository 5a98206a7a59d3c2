"""What all mechanisms share, unit by unit. What programs see of each is in the contract suites beside this file."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.uop import FLAGS, NEGATE, NONE, NUMBER, OP, PREDICATE, RECONVERGE, TARGET, YIELDS, scalar
from warploom.machine.core import control
from warploom.machine.core.divergence import mechanism
from warploom.machine.core.divergence.its import ConvergenceBarriers
from warploom.machine.core.divergence.mechanism import exit_lanes, set_aside, start
from warploom.machine.core.divergence.path_table import READY, PathTable
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import mirror, zeros

WARP = 2


@pytest.mark.parametrize("warp", [0, 1, 5])
def test_a_warp_that_starts_has_no_paths_and_waits_for_nobody_and_the_others_keep_theirs(warp):
    names = {"warps": Warps, "path_table": PathTable, "mask_stack": PathTable, "convergence_barriers": ConvergenceBarriers}
    tables = {name: zeros(1, kind) for name, kind in names.items()}
    for name in ("path_table", "mask_stack", "convergence_barriers"):
        tables[name]["count"] = 3
    tables["convergence_barriers"]["syncing"] = 6
    tables["convergence_barriers"]["backward_jumps"] = 9
    tables["warps"]["diverged"] = 0b110011
    start(SimpleNamespace(**{name: mirror(table)[0] for name, table in tables.items()}), warp)
    assert tables["warps"]["diverged"][0] == 0b110011 & ~(1 << warp)
    for name, field, value in (
        ("path_table", "count", 3),
        ("mask_stack", "count", 3),
        ("convergence_barriers", "count", 3),
        ("convergence_barriers", "syncing", 6),
        ("convergence_barriers", "backward_jumps", 9),
    ):
        row = tables[name][field][0]
        assert row[warp] == 0 and np.delete(row, warp).tolist() == [value] * (len(row) - 1), (name, field)


@pytest.mark.parametrize("warp", [0, 1, 5])
@pytest.mark.parametrize("left", [0, 0b0110])
def test_a_warp_whose_last_lane_ends_has_no_paths_and_waits_for_nobody(warp, left):
    """While lanes are left of it, the paths and the barriers stay: lanes that have not ended wait there."""
    _, cores, _ = bench(core__warps=6)
    core = cores[0]
    paths, barriers = core.path_table, core.convergence_barriers
    for row in (paths.count, barriers.count, barriers.syncing, barriers.backward_jumps):
        row[:] = 3
    core.warps.threads[:] = 0b1111
    core.warps.mask[warp] = 0b1001
    exit_lanes(core, warp, mask(0, 1, 2, 3) & ~np.uint64(left))
    assert (int(core.warps.threads[warp]), int(core.warps.mask[warp])) == (left, 0)
    for row in (paths.count, barriers.count, barriers.syncing, barriers.backward_jumps):
        assert row[warp] == (3 if left else 0) and np.delete(row, warp).tolist() == [3] * (len(row) - 1)


@pytest.mark.parametrize("rows, taken", [((), 0), ((0b0001,), 1), ((0b0110,), 1), ((0b0110, 0b0111), 1), ((0b0100, 0b1001, 0b0001), 3)])
@pytest.mark.parametrize("paths", [0, 1, 2])
def test_lanes_of_the_mask_stack_that_have_not_ended_continue_where_their_row_says(rows, taken, paths):
    """Lanes 1 and 2 are left. Rows of lanes that have ended are dropped; a mechanism with paths of its own leaves the stack alone."""
    _, cores, _ = bench(core__warps=6)
    core, stack = cores[0], cores[0].mask_stack
    core.path_table.count[WARP], stack.count[WARP] = paths, len(rows)
    for row, lanes in enumerate(rows):
        stack.mask[WARP, row], stack.pc[WARP, row] = lanes, 20 + row
    core.warps.threads[WARP], core.warps.mask[WARP], core.warps.pc[WARP] = 0b1111, 0b1001, 9
    exit_lanes(core, WARP, mask(0, 3))
    if paths:
        taken = 0
    left = rows[len(rows) - taken] & 0b0110 if taken else 0
    pc = 20 + len(rows) - taken if taken else 9
    assert (int(stack.count[WARP]), int(core.warps.mask[WARP]), int(core.warps.pc[WARP])) == (len(rows) - taken, left, pc)
    core.warps.mask[WARP] = core.warps.threads[WARP] = 0b0110
    before = int(stack.count[WARP])
    exit_lanes(core, WARP, mask(1))  # a lane is left that runs
    assert (int(stack.count[WARP]), int(core.warps.mask[WARP]), int(core.warps.pc[WARP])) == (before, 0b0100, pc)


TWO_WAYS = b"""
_start:
    andi t0, a0, 1
    slli t0, t0, 3
    la   t1, there
    add  t1, t1, t0
    jr   t1
there:
    li   t2, 1
    ret
    li   t2, 2
    ret
"""


def test_who_cannot_follow_a_jump_to_several_places_names_those_who_can():
    program = load(TWO_WAYS, "riscv", options=Options(path="jump.rv", threads=4))
    settings = {"core.divergence": "uniform", "core.lanes": 4}
    fault = GPU("sm", set=settings, engine="python").run(program).fault
    assert "jump.rv:7 (jr t1): lanes of a warp jump to different places through a register: lanes 0, 2 go to one" in fault
    assert "add --set core.divergence=stack, minpc or its" in fault
    for named in ("stack", "minpc", "its"):
        assert GPU("sm", set={**settings, "core.divergence": named}, engine="python").run(program).status == "done"


@pytest.mark.parametrize("any_order", [0, 1])
def test_lanes_that_stay_behind_are_set_aside_where_lanes_have_paths_of_their_own(any_order):
    warps, paths = (mirror(zeros(1, kind))[0] for kind in (Warps, PathTable))
    paths.limit, warps.mask[5], warps.pc[5] = 8, 0b1111, 7
    set_aside(SimpleNamespace(warps=warps, path_table=paths, any_order=any_order), 5, np.uint64(0b0110))
    assert (int(warps.mask[5]), int(paths.count[5])) == ((0b0110, 1) if any_order else (0b1111, 0))
    if any_order:
        assert (int(paths.mask[5, 0]), int(paths.pc[5, 0]), int(paths.state[5, 0])) == (0b1001, 7, READY)


@pytest.mark.parametrize(
    ("name", "target", "flags", "told"),
    [
        ("yield", 9, 0, (1, 0)), ("yield", 9, YIELDS, (1, 1)), ("jump", 3, 0, (0, 0)), ("jump", 3, YIELDS, (0, 1)),
        ("jump", 5, YIELDS | NEGATE, (0, 1)), ("jump", 6, YIELDS, None), ("nop", 9, YIELDS, None),
    ],
)  # fmt: skip
def test_the_mechanism_is_told_of_a_jump_back_and_of_a_yield(monkeypatch, name, target, flags, told):
    """A warp at instruction 5. A jump to itself is one back; a warp of which no lane is left has not jumped."""
    for active in (0b0110, 0):
        gpu, cores, tables = bench(core__warps=4)
        core, asked = cores[0], []
        monkeypatch.setattr(control, "backward_jump_or_yield", lambda core, warp, *told, asked=asked: asked.append(told))
        tables.uops = np.zeros((1, tables.uops.shape[1]), np.int32)
        tables.uops[0, [OP, TARGET, RECONVERGE, FLAGS, PREDICATE]] = NUMBER[name], target, NONE, flags, NONE
        core.warps.pc[2], core.warps.mask[2], core.warps.threads[2] = 5, active, mask(0, 1, 2)
        assert control.control(gpu, core, 2, 5, tables, 0, np.int64(30)) == 0
        assert asked == ([told] if told and active else [])
        assert core.warps.pc[2] == (target if name == "jump" else 6)


@pytest.mark.parametrize(("named", "pc", "left"), [(0, 6, 0b0111), (0b0010, 6, 0b0101), (0b1010, 6, 0b0101), (0b1111, 5, 0)])
def test_an_exit_with_a_predicate_ends_the_lanes_that_it_names_and_the_others_go_on(named, pc, left):
    gpu, cores, tables = bench(core__warps=4)
    core = cores[0]
    tables.uops = np.zeros((1, tables.uops.shape[1]), np.int32)
    tables.uops[0, [OP, PREDICATE]] = NUMBER["exit"], scalar(1)
    core.registers[2].scalar[1] = named
    core.warps.pc[2], core.warps.mask[2], core.warps.threads[2] = 5, 0b0111, 0b0111
    assert control.control(gpu, core, 2, 5, tables, 0, np.int64(30)) == 0
    assert (int(core.warps.pc[2]), int(core.warps.mask[2]), int(core.warps.threads[2])) == (pc, left, left)


@pytest.mark.parametrize(
    ("name", "branches", "selects"),
    [
        ("stack", ("stack_branch", WARP, 5, 20, 30), "stack_select_path"),
        ("minpc", ("split_group", WARP, 5, 20), "minpc_select_path"),
        ("dwf", ("split_group", WARP, 5, 20), "minpc_select_path"),
        ("its", ("its_branch", WARP, 5, 20, 30), "its_select_path"),
    ],
)
def test_a_branch_that_parts_lanes_and_what_follows_it_are_the_mechanisms_own(monkeypatch, name, branches, selects):
    gpu, cores, _ = bench(core__divergence=name)
    core, calls, room = cores[0], [], 1

    def step(each, *given):
        calls.append((each, *(int(value) for value in given if isinstance(value, int | np.integer))))
        return room

    for each in ("stack_branch", "split_group", "its_branch", "stack_select_path", "minpc_select_path", "its_select_path"):
        monkeypatch.setattr(mechanism, each, partial(step, each))
    core.path_table.limit = 16
    assert mechanism.diverge(gpu, core, WARP, mask(0, 2), 20, 30) == 0
    mechanism.select_path(core, WARP)
    assert calls == [branches, (selects, WARP)]
    room = 0  # the reconvergence stack is full; the others need none
    full = mechanism.diverge(gpu, core, WARP, mask(0, 2), 20, 30)
    assert (full, gpu.fault.limit) == ((mechanism.STACK_OVERFLOW, 16) if name == "stack" else (0, 0))
