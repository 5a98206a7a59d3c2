"""Spans: they cover every warp from its launch to its end, and add up to the counters."""

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.machine.accounting import reasons
from warploom.observe.facts import timeline as t


def run(file, preset, **changes):
    return warploom.GPU(preset, set=changes, engine="python").run(warploom.load(EXAMPLES / file), tracing=True)


@pytest.mark.parametrize(
    ("file", "preset"), [("tiny/matmul.asm", "tiny-simt"), ("guppy/if_else.guppy", "guppy"), ("guppy/four_warps.guppy", "guppy")]
)
def test_the_spans_of_a_warp_join_and_add_up_to_the_counters(file, preset):
    result = run(file, preset)
    found = t.timeline(result)
    totals = found.totals()
    for reason in reasons.REASONS:
        assert totals[reason.name] == result.counters[f"{reason.name}_warp_cycles"]
    for place in {(row[t.CORE], row[t.WARP], row[t.BLOCK], row[t.RANK]) for row in found.spans}:
        mine = found.spans[(found.spans[:, (t.CORE, t.WARP, t.BLOCK, t.RANK)] == place).all(axis=1)]
        assert np.array_equal(mine[1:, t.START], mine[:-1, t.STOP])
    assert (found.spans[:, t.STOP] > found.spans[:, t.START]).all()
    assert found.spans[:, t.STOP].max() <= result.cycles


def test_a_core_that_runs_one_instruction_at_a_time_is_one_warp_slot():
    result = run("tiny/matadd.asm", "tiny")
    found = t.timeline(result)
    assert (found.cores, found.warps, found.lanes) == (2, 1, 4)
    totals = found.totals()
    for state in ("fetch", "decode", "request", "wait", "execute", "update"):
        assert totals[state] * found.lanes == result.counters[f"{state}_thread_cycles"]
    assert {tuple(row) for row in found.spans[:, (t.CORE, t.BLOCK)]} == {(0, 0), (1, 1)}


def test_a_part_is_cut_at_its_ends():
    found = t.timeline(run("tiny/matadd.asm", "tiny-simt"))
    part = found.part(10, 20, cores=[1])
    assert part[:, t.START].min() == 10
    assert part[:, t.STOP].max() == 20
    assert set(part[:, t.CORE]) == {1}


def test_without_events_it_says_what_to_do():
    result = warploom.GPU("guppy", engine="python").run(warploom.load(EXAMPLES / "guppy/if_else.guppy"))
    with pytest.raises(ValueError, match="tracing=True"):
        t.timeline(result)
