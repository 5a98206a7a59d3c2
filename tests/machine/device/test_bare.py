"""Bare machines: which there are, and that their native code differs from that for all machines in nothing but its speed."""

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.machine.device.bare import BARE, bare
from warploom.machine.engine.native.fitting import fit_to
from warploom.machine.engine.native.piece import ANY
from warploom.machine.engine.unit import groups_of
from warploom.machine.run import compile as compiling
from warploom.machine.run.compile import entry_call
from warploom.machine.run.driver import drive


def program():
    buffers = {"in": np.arange(300, dtype=np.int32), "out": np.zeros(300, np.int32)}
    return warploom.load(EXAMPLES / "vortex" / "diverge.elf", options=Options(threads=300, buffers=buffers))


def is_bare(machine):
    return bare().covers(fit_to(machine.arguments(native=True)))


def test_what_is_known_are_settings():
    for kind, settings in BARE:
        assert not settings.keys() - set(groups_of(kind)["settings"])
    assert bare().known and ANY.covers(bare()) and not bare().covers(ANY)


@pytest.mark.parametrize("settings", [{}, {"gpu.cores": 16}, {"core.lanes": 32, "shared.banks": 32}, {"core.divergence": "stack"}])
def test_vortex_is_one(settings):
    for name in ("vortex-2022", "vortex-2024"):
        assert is_bare(GPU(name, set=settings).machine(program()))


@pytest.mark.parametrize(
    "settings", [{"dram.banks": 8, "dram.row": 1024}, {"crossbar.core": 32}, {"core.lock": "lane"}, {"core.schedulers": 2}]
)
def test_a_machine_with_one_of_the_features_is_none(settings):
    machine = GPU("vortex-2024", set=settings).machine(program())
    assert not is_bare(machine)
    assert compiling._form(machine).fit == ANY


def test_a_traced_run_and_other_presets_are_none():
    assert not is_bare(GPU("vortex-2024").machine(program(), tracing=True))
    for name in ("sm", "tiny-simt", "gcn"):
        assert not is_bare(GPU(name).machine(warploom.load(EXAMPLES / "tiny" / "matmul.asm")))


@pytest.mark.parametrize("settings", [{}, {"gpu.cores": 4, "core.divergence": "stack", "core.lanes": 8, "shared.banks": 8}])
def test_its_code_gives_what_that_for_all_machines_gives(settings):
    machines = [GPU("vortex-2024", set=settings).machine(program()) for _ in range(2)]
    machines[0].families = ()
    assert [compiling._form(machine).fit for machine in machines] == [ANY, bare()]
    for machine in machines:
        assert drive(machine, call=entry_call(machine, "native", fitted=False), max_cycles=1 << 30).status == "done"
    assert machines[0].state() == machines[1].state()
