"""The steps of forming warps anew, call by call: who chooses a path, what is counted at each place, and which priority that gives."""

import pytest

from tests.machine.core.unit_bench import core_of, mask
from warploom.machine.core.divergence import dwf
from warploom.machine.core.divergence.path_table import AT_RECONVERGENCE, READY
from warploom.machine.core.divergence.thread_pool import LOWEST_PC, MAJORITY, TIME_STAMP


@pytest.mark.parametrize("buffer", [0, 2])
@pytest.mark.parametrize("forms", [0, 1])
def test_the_first_stage_of_a_cycle_notes_counts_chooses_forms_and_ranks(monkeypatch, buffer, forms):
    """Of the warps 0 to 5, 1 to 4 have several groups, 3 is at a barrier and 4 has ended. 0, 1, 3 have issued; 1, 2, 5 are ready."""
    gpu, core, tables = core_of()
    warps, calls = core.warps, []
    warps.active, warps.draining = mask(0, 1, 2, 3, 4, 5), mask(4)
    warps.diverged, warps.at_barrier = mask(1, 2, 3, 4), mask(3)
    core.fetch.buffer, core.thread_pool.forms = buffer, forms
    monkeypatch.setattr(dwf, "note_issue", lambda core, warp: calls.append(("note", warp)) or int(warp in {0, 1, 3, 4}))
    monkeypatch.setattr(dwf, "ready_warps", lambda core, now: mask(1, 2, 5))
    monkeypatch.setattr(dwf, "_count_places", lambda core, ready: calls.append(("count", int(ready))))
    monkeypatch.setattr(dwf, "_choose", lambda gpu, core, warp, tables, now: calls.append(("choose", warp)))
    monkeypatch.setattr(dwf, "_form", lambda gpu, core, ready, tables, now: calls.append(("form", int(ready))))
    monkeypatch.setattr(dwf, "_rank", lambda core: calls.append(("rank",)))
    dwf.form_warps(gpu, core, tables, 40)
    ready = int(mask(1, 2, 5))
    chosen = [("choose", warp) for warp in ((1,) if buffer else (1, 2))]
    noted = [("note", warp) for warp in (0, 1, 2, 3, 5)]
    assert calls == [*noted, ("count", ready), *chosen, *([("form", ready)] if forms else []), ("rank",)]


def test_places_are_counted_thread_by_thread_and_the_majority_stays_while_one_is_left():
    _, core, _ = core_of()
    warps, paths, pool = core.warps, core.path_table, core.thread_pool
    pool.heuristic, pool.majority = MAJORITY, 99
    warps.pc[:4], warps.mask[:4] = (7, 3, 7, 1), (0b0001, 0b0111, 0b1110, 0b1111)
    paths.count[0], paths.pc[0, :3], paths.mask[0, :3] = 3, (3, 5, 9), (2, 4, 8)
    paths.state[0, :3] = READY, READY, AT_RECONVERGENCE
    dwf._count_places(core, mask(0, 1, 2))
    found = [(int(pool.pc[place]), int(pool.threads[place])) for place in range(pool.places)]
    assert found == [(7, 4), (3, 4), (5, 1)]
    assert pool.majority == 3  # of several the lowest
    warps.mask[2] = 0b1111
    dwf._count_places(core, mask(0, 1, 2))
    assert pool.majority == 3  # though there are more at 7 now
    dwf._count_places(core, mask(2, 3))
    assert pool.majority == 1
    dwf._count_places(core, mask())
    assert (pool.majority, pool.places) == (-1, 0)


def test_priorities_are_the_pc_the_oldest_arrival_or_the_number_of_threads():
    _, core, _ = core_of()
    pool = core.thread_pool
    pool.heuristic = LOWEST_PC
    assert dwf._priority(pool, 2, mask(0, 1), 17) == 17
    pool.heuristic, pool.arrived[2, :4] = TIME_STAMP, (9, 6, 8, 2)
    assert [int(dwf._priority(pool, 2, mask(*lanes), 17)) for lanes in ((0,), (0, 1), (0, 2), (1, 2, 3))] == [9, 6, 8, 2]
    pool.heuristic, pool.majority, pool.places, pool.pc[:3], pool.threads[:3] = MAJORITY, 5, 3, (3, 5, 7), (6, 8, 1)
    order = [int(dwf._priority(pool, 2, mask(0), pc)) for pc in (5, 3, 7, 8)]
    assert order == sorted(set(order))  # the majority's first, then the more threads the sooner, last where none was ready
    assert order[0] == 0
