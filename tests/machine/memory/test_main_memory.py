"""Memory behind the caches: when a kernel has ended, whose stores are still on their way."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import tiny
from warploom.machine.memory import main_memory
from warploom.machine.memory.channels import DATA_ANSWER, DATA_HOLD
from warploom.machine.memory.transactions import EXTRA_SHIFT, LOAD, NOTHING
from warploom.machine.run.driver import drive

STORE = ".threads 4\nSTR %threadIdx, %threadIdx\nRET\n"
PIPELINE = {
    "core.control": "pipeline", "core.lanes": 4, "core.warps": 1, "core.blocks": 1, "lsu.ports": 4, "lsu.coalesce": False, "l1.line": 1,
    "lsu.sector": 1,
}  # fmt: skip


def cycles(text, **changes):
    settings = PIPELINE | {name.replace("__", "."): value for name, value in changes.items()}
    result = GPU("tiny", set=settings).run(tiny.assemble(text))
    assert result.status == "done"
    return result.cycles


def test_a_kernel_has_ended_when_its_last_store_has_its_answer():
    # Instruction 0 issues in cycle 0 and sends in the same one.
    assert cycles(STORE) == DATA_ANSWER


@pytest.mark.parametrize(("channels", "rounds"), [(1, 3), (2, 1), (4, 0), (8, 0)])
def test_stores_that_wait_for_a_channel_keep_the_kernel_running(channels, rounds):
    assert cycles(STORE, memory__data_channels=channels) == DATA_ANSWER + rounds * DATA_HOLD


def test_a_store_through_caches_reaches_memory_too():
    behind = cycles(STORE, l1__bytes=16, l1__latency=2, l2__bytes=16, l2__line=1, l2__latency=4, l2__slices=4)
    assert behind > DATA_ANSWER + 2


def test_a_kernel_without_stores_ends_with_its_last_instruction():
    assert cycles(".threads 4\nRET\n") == 1


@pytest.mark.parametrize("changes", [{}, {"memory.data_channels": 1, "memory.channel_bytes": 1, "lsu.sector": 1}])
def test_both_engines_end_in_the_same_state(changes):
    program = tiny.assemble(".threads 8\nLDS R1, %threadIdx\nBAR\nSTR %threadIdx, %threadIdx\nLDR R0, %threadIdx\nSTR R0, R0\nRET\n")
    states = []
    for engine in ("python", "native"):
        machine = GPU("tiny-simt", set=changes).machine(program)
        assert drive(machine, engine=engine).status == "done"
        states.append(machine.state())
    assert states[0] == states[1]


def test_memory_is_simple_channels_dram_or_dram_with_banks_which_alone_says_later_when_it_is_done(monkeypatch):
    """A request of 32 bytes in cycle 40. Simple channels say 50; DRAM 60, the first cycle after its last."""
    for dram, banks, write, kind, written in product((0, 1), (0, 1, 2), (0, 1), (NOTHING, LOAD), (45, 70)):
        calls = []
        monkeypatch.setattr(main_memory, "channel_request", lambda *given, calls=calls: calls.append(("channels", *given)) or 50)
        monkeypatch.setattr(main_memory, "dram_request", lambda *given, calls=calls: calls.append(("dram", *given)) or 60)
        monkeypatch.setattr(main_memory, "submit", lambda *given, calls=calls: calls.append(("banks", *given)))
        monkeypatch.setattr(main_memory, "schedule", lambda *given, calls=calls: calls.append(("goes on", *given)))
        gpu = SimpleNamespace(has_dram=dram, data_channels="pins", dram=SimpleNamespace(banks=banks), wheel="wheel", written=written)
        finished = SimpleNamespace(tag=np.int64((3 << EXTRA_SHIFT) + 9), kind=kind)
        done = main_memory.serve(gpu, 512, 32, write, finished, 40)
        later = [] if kind == NOTHING else [("goes on", "wheel", 3 + (59 if dram else 50), finished)]
        if not dram:
            assert (done, calls) == (53, [("channels", "pins", 32, 40), *later])
        elif banks:
            assert (done, calls) == (-1, [("banks", gpu, gpu.dram, 512, 32, write, finished, 40)])
        else:
            assert (done, calls) == (62, [("dram", gpu.dram, 512, 32, write, 40), *later])
        assert gpu.written == (max(written, 50) if write and not dram else written)
