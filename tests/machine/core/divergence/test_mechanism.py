"""What all mechanisms share, unit by unit. What programs see of each is in the contract suites beside this file."""

from types import SimpleNamespace

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.machine.core.divergence.its import ConvergenceBarriers
from warploom.machine.core.divergence.mechanism import set_aside, start
from warploom.machine.core.divergence.path_table import READY, PathTable
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.unit import mirror, zeros


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


@pytest.mark.parametrize("mechanism", ["stack", "uniform"])
def test_who_cannot_follow_a_jump_to_several_places_names_those_who_can(mechanism):
    program = load(TWO_WAYS, "riscv", options=Options(path="jump.rv", threads=4))
    settings = {"core.divergence": mechanism, "core.lanes": 4}
    fault = GPU("sm", set=settings, engine="python").run(program).fault
    assert "jump.rv:7 (jr t1): lanes of a warp jump to different places through a register: threads 0, 2 go to one" in fault
    assert "add --set core.divergence=minpc or its" in fault
    for named in ("minpc", "its"):
        assert GPU("sm", set={**settings, "core.divergence": named}, engine="python").run(program).status == "done"


@pytest.mark.parametrize("any_order", [0, 1])
def test_lanes_that_stay_behind_are_set_aside_where_lanes_have_paths_of_their_own(any_order):
    warps, paths = (mirror(zeros(1, kind))[0] for kind in (Warps, PathTable))
    paths.limit, warps.mask[5], warps.pc[5] = 8, 0b1111, 7
    set_aside(SimpleNamespace(warps=warps, path_table=paths, any_order=any_order), 5, np.uint64(0b0110))
    assert (int(warps.mask[5]), int(paths.count[5])) == ((0b0110, 1) if any_order else (0b1111, 0))
    if any_order:
        assert (int(paths.mask[5, 0]), int(paths.pc[5, 0]), int(paths.state[5, 0])) == (0b1001, 7, READY)
