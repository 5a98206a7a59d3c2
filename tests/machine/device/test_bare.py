"""Bare machines: which there are, and that their native code differs from that for all machines in nothing but its speed."""

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.machine.device.bare import BARE, SINGLE_ISSUE, bare, single_issue
from warploom.machine.engine.native.piece import ANY
from warploom.machine.engine.unit import groups_of
from warploom.machine.run import compile as compiling
from warploom.machine.run.compile import entry_call
from warploom.machine.run.driver import drive

STORES_KEPT = {"l2.bytes": 1 << 16, "l2.write": "back"}


def program():
    buffers = {"in": np.arange(300, dtype=np.int32), "out": np.zeros(300, np.int32)}
    return warploom.load(EXAMPLES / "vortex" / "diverge.elf", options=Options(threads=300, buffers=buffers))


def form_of(machine):
    return compiling._form(machine).fit


def test_what_is_known_are_settings():
    for kind, settings in BARE + SINGLE_ISSUE:
        assert not settings.keys() - set(groups_of(kind)["settings"])
    assert bare().known and ANY.covers(bare()) and not bare().covers(ANY)
    assert bare().covers(single_issue()) and not single_issue().covers(bare())


@pytest.mark.parametrize("preset", ["vortex-2022", "vortex-2024"])
@pytest.mark.parametrize("settings", [{}, {"gpu.cores": 16}, {"core.lanes": 32, "shared.banks": 32}, {"core.divergence": "stack"}])
def test_vortex_issues_one_instruction_at_a_time(preset, settings):
    assert form_of(GPU(preset, set=settings).machine(program())) == single_issue()


@pytest.mark.parametrize("settings", [{"core.schedulers": 2}, {"fetch.waits": False}, {"fetch.per_cycle": 2}, STORES_KEPT])
def test_a_bare_machine_may_have_more_schedulers_fetch_behind_branches_and_keep_stores(settings):
    assert form_of(GPU("vortex-2024", set=settings).machine(program())) == bare()


@pytest.mark.parametrize("settings", [{"dram.banks": 8, "dram.row": 1024}, {"crossbar.core": 32}, {"core.lock": "lane"}])
def test_a_machine_with_one_of_the_features_is_none(settings):
    assert form_of(GPU("vortex-2024", set=settings).machine(program())) == ANY


def test_a_traced_run_and_other_presets_are_none():
    assert form_of(GPU("vortex-2024").machine(program(), tracing=True)) == ANY
    for name in ("sm", "tiny-simt", "gcn"):
        assert form_of(GPU(name).machine(warploom.load(EXAMPLES / "tiny" / "matmul.asm"))) == ANY


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("preset", "settings", "family"),
    [
        ("vortex-2022", {}, single_issue()),
        ("vortex-2024", {"l2.bytes": 1 << 16}, single_issue()),
        ("vortex-2024", {}, single_issue()),
        ("vortex-2024", {"gpu.cores": 4, "core.divergence": "stack", "core.lanes": 8, "shared.banks": 8}, single_issue()),
        ("vortex-2024", {"core.schedulers": 2, "fetch.per_cycle": 2, **STORES_KEPT, "core.divergence": "stack"}, bare()),
    ],
)
def test_its_code_gives_what_that_for_all_machines_gives(preset, settings, family):
    machines = [GPU(preset, set=settings).machine(program()) for _ in range(2)]
    machines[0].families = ()
    assert [form_of(machine) for machine in machines] == [ANY, family]
    for machine in machines:
        assert drive(machine, call=entry_call(machine, "native", fitted=False), max_cycles=1 << 30).status == "done"
    assert machines[0].state() == machines[1].state()
