"""What a page says of lanes that wait for others of their warp: what for, and where they go on."""

import pytest

import warploom
from tests.observe.explorer.browser import settled, texts
from warploom.gpu import GPU
from warploom.isa.frontend import Options
from warploom.machine.run import recording as r
from warploom.observe.explorer.page import page

# Lanes 0, 1 and 2 wait, each for something else, while lane 3 counts; in the end none can continue.
PROGRAM = """
    li t0, -1
    vx_tmc t0
    csrr a0, thread_id
    li t0, 3
    li t1, 2
    bnez a0, one
    vx_bar t0, t1
one:
    addi a0, a0, -1
    bnez a0, two
    lui t0, 0x80000
    vx_bar t0, t1
two:
    addi a0, a0, -1
    bnez a0, three
    vx_tmc zero
three:
    li t2, 30
count:
    addi t2, t2, -1
    bnez t2, count
    vx_bar t0, t1
    vx_tmc zero
"""


def shown(show, result):
    """{lanes: text} of the paths that a page shows when the last of three waits."""
    paths = result.detail.recording.paths
    now = next(row[r.TIME] for row in paths.tolist() if row[r.LEVEL] == 2 and row[r.KIND] == r.IS_OF_WHOLE_WARP)
    view = settled(show(page(result), f"#cycle={now}&core=0&warp=0"))
    lanes = view.eval_on_selector_all(".paths .mask", "masks => masks.map((mask) => mask.dataset.lanes)")
    return dict(zip(lanes, texts(view, ".paths li"), strict=True))


@pytest.mark.parametrize("mechanism", ["minpc", "its"])
def test_lanes_wait_at_a_barrier_of_the_core_or_across_cores_or_for_their_warp(show, mechanism):
    program = warploom.load(PROGRAM.encode(), "vortex-2024", options=Options(path="p.vx"))
    changes = {"core.divergence": mechanism, "core.lanes": 4, "shared.banks": 4, "core.barriers": 4}
    result = GPU("vortex-2024", set=changes, engine="python").run(program, tracing=True, recording=True)
    found = {
        "1000": "barrier groupcontinue at addi a0, a0, -1 (line 10), wait at barrier 3",
        "0100": "barrier groupcontinue at addi a0, a0, -1 (line 15), wait at barrier 0 across cores",
        "0010": "whole-warp groupwait for the others of the warp at vx_tmc zero (line 17)",
    }
    assert shown(show, result) == found
    paths = result.detail.recording.paths
    paths[(paths[:, r.KIND] == r.IS_AT_BARRIER), r.KIND] = r.IS_AT_GRID_BARRIER  # which no program for Vortex has
    assert shown(show, result) == found | {"1000": "barrier groupcontinue at addi a0, a0, -1 (line 10), wait at the barrier of the grid"}
