"""Every unit of the modern core on random stimulus, right and with a wrong line."""

import pytest

from tests.rtl.beside.random_units import UNITS, watched
from tests.rtl.mutants import mutate


@pytest.mark.every(3)
@pytest.mark.parametrize("name", UNITS)
def test_the_hardware_answers_as_the_model_does(name):
    found, watcher = watched(*UNITS[name])
    assert found.mismatch is None, str(found.mismatch)
    assert found.values > 300
    assert found.steps == sum(map(len, watcher.traces.values()))


# by unit: module.class.method, right, wrong, and the output where it is seen
MUTANTS = {
    "scheduler round_robin": ("core.scheduling.policies.RoundRobin.elaborate", "self.last < warp", "self.last <= warp", "pick"),
    "scheduler oldest": ("parts.AgeMatrix.elaborate", "cell.eq(1)", "cell.eq(0)", "pick"),
    "scheduler greedy_oldest": ("core.scheduling.policies.GreedyOldest.elaborate", "self.last & self.eligible", "self.last", "pick"),
    "scheduler two_level": ("core.scheduling.policies.TwoLevel.elaborate", "~self.waiting_memory", "~self.eligible", "group"),
    "scheduler vortex": ("core.scheduling.policies.Vortex.elaborate", "& ~self.at_barrier", "", "valid"),
    "scoreboard": ("core.warps.scoreboard.Scoreboard.elaborate", "self.done_warp[port] == warp", "1", "busy"),
    "stack fall_through": ("core.divergence.stack.ReconvergenceStack.elaborate", "lanes] & self.threads", "lanes]", "mask"),
    "stack taken": ("core.divergence.stack.ReconvergenceStack.diverge", "last_pc != self.reconvergence_pc", "1", "count"),
    "stack smaller": ("core.divergence.stack.ReconvergenceStack.runs_first", "<", "<=", "mask"),
    "minimum PC": ("core.divergence.minpc.MinimumPc.elaborate", "self.threads & ~self.held", "self.threads", "mask"),
    "split and join": ("core.divergence.split_join.SplitJoin.elaborate", "self.count + 1 + both", "self.count + 2", "count"),
    "barrier table": ("core.warps.barrier.BarrierTable.elaborate", "self.alive & ~arrived", "self.alive & ~waiting", "freed"),
    "coalescer": ("core.load_store.coalescer.Coalescer.parts", "(1 << self.size) - 1", "(1 << self.size)", "wanted"),
    "coalescer, lanes that straddle lines": ("core.load_store.coalescer.Coalescer.elaborate", "line + 1", "line", "wanted"),
    "no coalescing": ("core.load_store.coalescer.Coalescer.elaborate", "chosen(together, sectors)", "sectors[0]", "wanted"),
    "bank conflicts": ("core.load_store.shared_memory.BankConflicts.elaborate", "~self.atomic & ", "", "busy"),
    "tags lru": ("memory.replacement.Lru.elaborate", "self.used | self.arrived", "self.arrived", "way"),
    "tags fifo": ("memory.replacement.Fifo.elaborate", "self.arrived.any()", "(self.arrived | self.used).any()", "way"),
    "tags plru": ("memory.replacement.TreePlru.elaborate", "self.tree[parent].eq(low)", "self.tree[parent].eq(high)", "way"),
    "tags random": ("memory.replacement.Random.elaborate", "one >> 7", "one >> 6", "way"),
    "MSHRs": ("memory.mshr.Mshr.elaborate", "self.waiting <= 1", "1", "waiting"),
}  # fmt: skip


def test_lanes_that_jump_elsewhere_wait_whichever_side_runs_first(monkeypatch):
    mutate(monkeypatch, "core.divergence.stack.ReconvergenceStack.diverge", " & ~self.apart", "")
    assert watched(*UNITS["stack fall_through"])[0].mismatch is None  # there they do anyway
    for first in ("taken", "smaller"):
        found, _ = watched(*UNITS[f"stack {first}"])
        assert found.mismatch is not None and found.mismatch.field.startswith("mask")


def test_every_unit_has_a_mutant():
    assert set(MUTANTS) == set(UNITS)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_line_is_found(name, monkeypatch):
    place, right, wrong, field = MUTANTS[name]
    mutate(monkeypatch, place, right, wrong)
    found, _ = watched(*UNITS[name])
    assert found.mismatch is not None
    assert found.mismatch.field.startswith(field), str(found.mismatch)
    assert "in the hardware, the model says" in str(found.mismatch)
