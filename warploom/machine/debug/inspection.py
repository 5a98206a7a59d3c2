"""What is in a machine between two cycles: its warps, their registers, its memory. The same for both kinds of core.

A core that runs one instruction at a time is one warp, in slot 0, whose lanes are the threads of its block.
"""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.machine.accounting import reasons
from warploom.machine.core.warps.scoreboard import hazard, hazard_time
from warploom.machine.device import report as pipeline_report
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.unit import FOREVER, mirror
from warploom.machine.run.protocol import Places, WarpState
from warploom.machine.run.recording import waiting_paths
from warploom.machine.sequencer.machine import SequencerMachine
from warploom.machine.sequencer.states import DONE, IDLE, STATES

AnyMachine = PipelineMachine | SequencerMachine


def warp_states(machine: AnyMachine) -> list[WarpState]:
    """Every warp that has been launched and has not ended, by core and slot."""
    if isinstance(machine, SequencerMachine):
        start = int(machine.gpu["dispatcher"]["start"])
        return [_core_state(machine, number) for number in range(len(machine.cores)) if start >> number & 1]
    return [_warp_state(machine, core, slot) for core, slot in pipeline_report.live_warps(machine)]


def _core_state(machine: SequencerMachine, number: int) -> WarpState:
    core = machine.cores[number]
    mask = int(core["enabled"])
    return WarpState(number, 0, int(core["block"]), 0, STATES[int(core["state"])], None, int(core["pc"]), mask, mask)


def _warp_state(machine: PipelineMachine, core: int, slot: int) -> WarpState:
    warps, now = machine.cores[core]["warps"], machine.cycle
    wake, mask, reason = int(warps["wake"][slot]), int(warps["mask"][slot]), int(warps["reason"][slot])
    if int(warps["draining"]) >> slot & 1:
        reason = reasons.DRAIN
    elif int(warps["awake"]) >> slot & 1:
        reason = reasons.NOT_SELECTED
    elif wake <= now:  # it is looked at in the coming cycle, and may have to wait for something else
        reason, wake = _looked_at(machine, core, slot)
    return WarpState(
        core,
        slot,
        int(machine.cores[core]["blocks"]["number"][int(warps["block"][slot])]),
        int(warps["rank"][slot]),
        reasons.REASONS[reason].name,
        wake if now < wake < FOREVER else None,
        int(warps["pc"][slot]),
        mask,
        int(warps["threads"][slot]),
        tuple(_other_paths(machine, core, slot, mask)),
        _issued(machine, core, slot),
    )


def _looked_at(machine: PipelineMachine, core: int, slot: int) -> tuple[int, int]:
    """(reason, until when) of a warp whose waiting ends now: what `examine` will find that its next instruction waits for."""
    warps, fetch, now = machine.cores[core]["warps"], machine.cores[core]["fetch"], machine.cycle
    if int(fetch["buffer"]) and not int(fetch["held"][slot]):
        return reasons.NO_INSTRUCTION, FOREVER
    board = mirror(machine.cores["scoreboard"][core : core + 1].reshape(()))
    pc, mask, lanes = int(warps["pc"][slot]), warps["mask"][slot], machine.config.core.lanes
    if not 0 <= pc < len(machine.code):
        return reasons.NOT_SELECTED, now
    group = hazard(board, machine.code, slot, pc, mask, lanes, now)
    if group < 0:
        return reasons.NOT_SELECTED, now
    time = hazard_time(board, slot, group, mask, lanes)
    return int(board.reason[slot, group]) if time < FOREVER else reasons.LONG_SCOREBOARD, time


def _other_paths(machine: PipelineMachine, core: int, slot: int, running: int) -> list[tuple[int, int]]:
    """(lanes, instruction) of the paths of a warp that wait; a lane is named where it goes on first."""
    found, named = [], running
    for _, mask, pc, _ in reversed(waiting_paths(machine, core, slot)):
        lanes = mask & (1 << 64) - 1 & int(machine.cores[core]["warps"]["threads"][slot]) & ~named
        if lanes:
            found.append((lanes, pc))
        named |= lanes
    return found


def _issued(machine: PipelineMachine, core: int, slot: int) -> bool:
    """Whether a warp issued in the last cycle. `since` is the first cycle that is not accounted for: an issue accounts for its own."""
    last = int(machine.cores["registers"]["special"][core, slot, u.SPECIAL_NUMBER["cycle"]])
    visited = int(machine.cores["warps"]["visits"][core, slot]) > 0
    return visited and last == (machine.cycle - 1) & 0xFFFFFFFF and int(machine.cores["warps"]["since"][core, slot]) == machine.cycle


def _issues(machine: PipelineMachine) -> np.ndarray:
    """uint64[cores, slots]: a number that changes with every issue: its cycle, and how often its scheduler had looked at the warp."""
    special = machine.cores["registers"]["special"][:, : machine.config.core.warps].astype(np.uint64)
    found: np.ndarray = special[..., u.SPECIAL_NUMBER["cycle"]] << np.uint64(32) | special[..., u.SPECIAL_NUMBER["clock"]]
    return found


def places(machine: AnyMachine) -> Places:
    """Where all warps are now: what breakpoints are decided by, in a few microseconds."""
    cores = machine.cores
    if isinstance(machine, SequencerMachine):
        start = int(machine.gpu["dispatcher"]["start"])
        runs = (cores["state"] != IDLE) & (cores["state"] != DONE) & (start >> np.arange(len(cores)) & 1 > 0)
        return Places(
            cores["pc"][:, None].copy(),
            np.where(runs, cores["enabled"], 0)[:, None],
            cores["instructions"][:, None].copy(),
            np.zeros((len(cores), 1), bool),
        )
    count = machine.config.core.warps
    warps = cores["warps"]
    live = (warps["active"] & ~warps["draining"])[:, None] >> np.arange(count, dtype=np.uint64)[None, :] & np.uint64(1)
    launched = warps["started"][:, :count] == machine.cycle - 1
    return Places(warps["pc"][:, :count].copy(), warps["mask"][:, :count] * live, _issues(machine), launched)


def slots(machine: AnyMachine) -> int:
    """Warp slots a core."""
    return 1 if isinstance(machine, SequencerMachine) else machine.config.core.warps


def lanes(machine: AnyMachine) -> int:
    """Lanes a warp."""
    return machine.config.core.threads_per_block if isinstance(machine, SequencerMachine) else machine.config.core.lanes


def registers(machine: AnyMachine, core: int, slot: int) -> np.ndarray:
    """uint32[registers, lanes]: the lane registers of a warp slot, hidden ones left out; the machine's own bytes."""
    rows = machine.cores["registers"]["lane"]
    rows = rows[core] if isinstance(machine, SequencerMachine) else rows[core, slot]
    return rows[: min(machine.program.registers, u.HIDDEN), : lanes(machine)]


def scalars(machine: AnyMachine, core: int, slot: int) -> np.ndarray:
    """uint32[scalars]: the scalar registers of a warp slot; the machine's own bytes."""
    rows = machine.cores["registers"]["scalar"]
    rows = rows[core] if isinstance(machine, SequencerMachine) else rows[core, slot]
    return rows[: machine.program.scalars]


def on_their_way(machine: AnyMachine, core: int, slot: int) -> np.ndarray:
    """bool[registers]: what an instruction has written that hardware would still be waiting for."""
    count = min(machine.program.registers, u.HIDDEN)
    if isinstance(machine, SequencerMachine):
        return np.zeros(count, bool)
    groups = np.arange(count) // machine.program.lock_width
    ready: np.ndarray = machine.cores["scoreboard"]["ready"][core, slot][groups]
    return ready > machine.cycle


def memory(machine: AnyMachine) -> np.ndarray:
    """uint8[bytes]: data memory; the machine's own bytes."""
    return machine.memory.view(np.uint8)[: len(machine.initial_memory)]


def shared_memory(machine: AnyMachine, core: int, slot: int) -> np.ndarray:
    """uint32[words]: the shared memory of a warp's block; empty where there is none."""
    if isinstance(machine, SequencerMachine):
        return np.zeros(0, np.uint32)
    state = machine.cores[core]
    words = int(state["blocks"]["shared_bytes"]) // 4
    first = int(state["warps"]["block"][slot]) * words
    found: np.ndarray = state["shared"][first : first + words]
    return found


def fault_text(machine: AnyMachine) -> str:
    """The fault as a sentence with its place; "" when there is none."""
    return machine.fault_text() if isinstance(machine, SequencerMachine) else pipeline_report.fault_text(machine)
