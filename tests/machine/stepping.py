"""Straight runs, for the tests of what steps a machine backwards."""

from __future__ import annotations

from typing import Any

from warploom import GPU, Program, load
from warploom.machine.debug.session import Session
from warploom.machine.run.driver import drive
from warploom.observe.facts.timeline import ACTIVITY, CORE, MASK, PC, WAITING, WARP, timeline

# A kernel of each kind of machine: preset, file, settings.
RUNS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("tiny", "tiny/matmul.asm", {}),
    ("tiny-simt", "tiny/matmul.asm", {}),
    ("tiny-simt", "tiny/shared_reduction.asm", {"core.divergence": "its"}),
    ("guppy", "guppy/if_else.guppy", {}),
    ("sm", "guppy/if_else.guppy", {"memory.bytes": 1 << 16}),
)
CYCLES = 120  # of a run that are compared
NAMES = [f"{preset}-{kernel}" for preset, kernel, _ in RUNS]


def gpu_and_program(preset: str, kernel: str, settings: dict[str, Any]) -> tuple[GPU, Program]:
    return GPU(preset, set=settings, engine="python"), load(f"examples/{kernel}")


def session(preset: str, kernel: str, settings: dict[str, Any]) -> Session:
    gpu, program = gpu_and_program(preset, kernel, settings)
    return Session(gpu.machine(program), engine="python")


class Straight:
    """What a machine's bytes are at each cycle of a run that only ever goes forwards, slice by slice."""

    def __init__(self, gpu: GPU, program: Program) -> None:
        self.gpu, self.program = gpu, program

    def state(self, cycle: int) -> tuple[bytes, ...]:
        """At a cycle, or at the end when that comes first."""
        machine = self.gpu.machine(self.program)
        drive(machine, engine="python", max_cycles=cycle)
        return machine.state()


def assert_agrees_with_timeline(run: tuple[str, str, dict[str, Any]]) -> None:
    """What warps are about to do, cycle by cycle, is what the timeline of the whole run says they did."""
    gpu, program = gpu_and_program(*run)
    line = timeline(gpu.run(program, tracing=True))
    found = session(*run)
    sequencer = run[0] == "tiny"
    compared = 0
    for cycle in range(1, CYCLES):
        found.goto(cycle)
        if found.ended:
            break
        # The timeline of cores that run one instruction at a time has the state after a cycle's edge.
        at = cycle - 1 if sequencer else cycle
        spans = {(int(span[CORE]), int(span[WARP])): span for span in line.part(at, at + 1)}
        for state in found.machine.inspection.warp_states():
            span = spans.get((state.core, state.slot))
            if span is None or state.activity in ("idle", "done", "drain"):
                continue
            did = line.activities[int(span[ACTIVITY])]
            if state.activity == "not_selected":
                assert did.kind != WAITING, (cycle, state, did.name)
            else:
                assert did.name == state.activity, (cycle, state)
            assert (state.pc, state.mask) == (int(span[PC]), int(span[MASK])), cycle
            compared += 1
    assert compared > 10
