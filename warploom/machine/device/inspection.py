"""What is in a machine of cores with warps between two cycles: its warps, their registers, its memory.

Not hardware: what a debugger reads, see `run.protocol.Inspection`.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import numbers
from warploom.isa.program import Program
from warploom.isa.regions import AddressSpace
from warploom.machine.accounting import reasons
from warploom.machine.config.roles import obeys_words
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.waiting import next_paths
from warploom.machine.core.warps.dependence_counters import waits_until
from warploom.machine.core.warps.scoreboard import blocking_group
from warploom.machine.device.report import Reported, fault_text, live_warps
from warploom.machine.engine.unit import FOREVER, mirror
from warploom.machine.run.protocol import Places, WarpState, Writer
from warploom.machine.run.recording import writers
from warploom.machine.run.touched import touched


class Inspected(Reported, Protocol):
    """What is read of the machine."""

    program: Program
    config: Config
    memory: np.ndarray
    initial_memory: np.ndarray
    uops: np.ndarray
    views: np.ndarray

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now."""


class PipelineInspection:
    """The warps, registers and memory of a machine of cores with warps, as they are when they are asked for."""

    def __init__(self, machine: Inspected) -> None:
        self.machine = machine
        self.slots, self.lanes = machine.config.core.warps, machine.config.core.lanes

    @property
    def memory(self) -> np.ndarray:
        """uint8[bytes]: data memory, with room for the pages that may appear; the machine's own bytes."""
        return self.machine.memory.view(np.uint8)[: len(self.machine.initial_memory)]

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is now."""
        return self.machine.space

    # ---- warps

    def warp_states(self) -> list[WarpState]:
        """Every warp that has been launched and has not ended, by core and slot."""
        return [self._warp_state(core, slot) for core, slot in live_warps(self.machine)]

    def _warp_state(self, core: int, slot: int) -> WarpState:
        state, now = self.machine.cores[core], self.machine.cycle
        warps = state["warps"]
        wake, mask, reason = int(warps["wake"][slot]), int(warps["mask"][slot]), int(warps["reason"][slot])
        if int(warps["draining"]) >> slot & 1:
            reason = reasons.DRAIN
        elif int(warps["awake"]) >> slot & 1:
            reason = reasons.NOT_SELECTED
        elif wake <= now or self._has_come(core, slot):  # it is examined in the coming cycle, and may have to wait for something else
            reason, wake = self._next_wait(core, slot)
        return WarpState(
            core,
            slot,
            int(state["blocks"]["number"][int(warps["block"][slot])]),
            int(warps["rank"][slot]),
            reasons.REASONS[reason].name,
            wake if now < wake < FOREVER else None,
            int(warps["pc"][slot]),
            mask,
            int(warps["threads"][slot]),
            int(warps["launched"][slot]),
            tuple(self._waiting(core, slot, mask)),
            self._issued(core, slot),
        )

    def _next_wait(self, core: int, slot: int) -> tuple[int, int]:
        """(reason, until when) of a warp whose waiting ends now: what `examine` will find that its next instruction waits for."""
        machine = self.machine
        warps, fetch, now = machine.cores[core]["warps"], machine.cores[core]["fetch"], machine.cycle
        if int(fetch["buffer"]) and not int(fetch["held"][slot]) and not self._has_come(core, slot):
            return reasons.NO_INSTRUCTION, FOREVER
        board = mirror(machine.cores["scoreboard"][core : core + 1].reshape(()))
        pc, mask = int(warps["pc"][slot]), warps["mask"][slot]
        if not 0 <= pc < len(machine.code):
            return reasons.NOT_SELECTED, now
        if obeys_words(machine.config, machine.program):
            return self._wait_by_word(board.counters, pc, slot)
        group, time = blocking_group(board, machine.code, slot, pc, mask, self.lanes, now)
        if group < 0:
            return reasons.NOT_SELECTED, now
        if int(machine.code[pc, u.PORT]) == u.BUFFER:
            return reasons.WAITCNT, time
        return int(board.reason[slot, group]) if time < FOREVER else reasons.LONG_SCOREBOARD, time

    def _wait_by_word(self, counters: Any, pc: int, slot: int) -> tuple[int, int]:
        """The same of a machine that issues by control words: the stall count, or the counter that is waited for longest."""
        now = self.machine.cycle
        counter, time = waits_until(counters, slot, int(self.machine.code[pc, u.CONTROL_WORD]), now)
        if time <= now:
            return reasons.NOT_SELECTED, now
        return int(counters.reason[slot, counter] if counter >= 0 else counters.why[slot]), int(time)

    def _has_come(self, core: int, slot: int) -> bool:
        """Whether the instruction that a warp waits for has come, and is in its buffer in the coming cycle."""
        state = self.machine.cores[core]
        starved = bool(int(state["warps"]["starved"]) >> slot & 1)
        return starved and int(state["fetch"]["arrives"][slot]) < self.machine.cycle

    def _waiting(self, core: int, slot: int, running: int) -> list[tuple[int, int]]:
        """(lanes, instruction) of the paths of a warp that wait; a lane is named at the path that it runs next."""
        state = self.machine.cores[core]
        waiting = int(state["warps"]["threads"][slot]) & ~running
        return [(lanes, path.pc) for lanes, path in next_paths(state, slot, waiting)]

    def _issued(self, core: int, slot: int) -> bool:
        """Whether a warp issued in the last cycle. `since` is the first cycle not accounted for: an issue accounts for its own."""
        cores, cycle = self.machine.cores, self.machine.cycle
        last = int(cores["registers"]["special"][core, slot, u.SPECIAL_NUMBER["cycle"]])
        visited = int(cores["warps"]["visits"][core, slot]) > 0
        return visited and last == (cycle - 1) & 0xFFFFFFFF and int(cores["warps"]["since"][core, slot]) == cycle

    def places(self) -> Places:
        """Where all warps are now, in a few microseconds."""
        warps, slots = self.machine.cores["warps"], self.slots
        live = (warps["active"] & ~warps["draining"])[:, None] >> np.arange(slots, dtype=np.uint64)[None, :] & np.uint64(1)
        launched = warps["started"][:, :slots] == self.machine.cycle - 1
        return Places(warps["pc"][:, :slots].copy(), warps["mask"][:, :slots] * live, self._issue_stamps(), launched)

    def _issue_stamps(self) -> np.ndarray:
        """uint64[cores, slots]: a number that changes with every issue: its cycle, and how often its scheduler had picked the warp."""
        special = self.machine.cores["registers"]["special"][:, : self.slots].astype(np.uint64)
        found: np.ndarray = special[..., u.SPECIAL_NUMBER["cycle"]] << np.uint64(32) | special[..., u.SPECIAL_NUMBER["clock"]]
        return found

    def issues(self, instructions: np.ndarray | int) -> int | None:
        """How often these instructions have been issued, all together."""
        return int(self.machine.profile[instructions, reasons.ISSUES].sum())

    def fragments(self, x: int, y: int) -> tuple[tuple[int, ...], ...]:
        """By core, the cycle in which it has handed fragments to an output merger last, the warp, and the lanes whose pixel was (x, y)."""
        machine = self.machine
        target, requests = machine.gpu["target"], machine.cores["merger_request"]
        pixel = int(target["color"]) + y * int(target["color_pitch"]) + 4 * x
        found = []
        for core, request in enumerate(requests):
            warp = int(request["warp"])
            lanes = np.flatnonzero(machine.cores["registers"]["active"][core, warp][: self.lanes])
            those = np.flatnonzero(request["color"][: int(request["count"])] == pixel)
            found.append((int(request["issued"]), warp, *lanes[those[those < len(lanes)]].tolist()))
        return tuple(found)

    def writers(self, before: Places, place: int, count: int) -> list[Writer]:
        """The lanes of the stores that were issued in the last cycle, core by core."""
        machine, now = self.machine, self.places()
        writes = writers(machine.uops, machine.code, u.MEMORY)
        found = []
        order = machine.cores["warps"]["scheduler"]  # in which the warps of a core issue
        issued = np.argwhere(before.issues != now.issues).tolist()
        for core, slot in sorted(issued, key=lambda one: (one[0], int(order[one[0], one[1]]))):
            pc = machine.program.launch.entry if now.launched[core, slot] else int(before.pc[core, slot])
            if 0 <= pc < len(writes) and writes[pc]:
                wrote = [
                    one.lane for one in touched(machine, core, slot, pc) if one.place < place + count and place < one.place + one.bytes
                ]
                found += [self._writer(core, slot, lane, pc) for lane in dict.fromkeys(wrote)]
        return found

    def _writer(self, core: int, slot: int, lane: int, pc: int) -> Writer:
        machine, state = self.machine, self.machine.cores[core]
        warps = state["warps"]
        numbered = lane >= 0 and not machine.program.launch.whole_device and machine.config.core.divergence != "dwf"
        thread = int(warps["rank"][slot]) * self.lanes + lane if numbered else -1
        return Writer(core, slot, lane, int(state["blocks"]["number"][int(warps["block"][slot])]), thread, pc)

    # ---- registers and memory

    def registers(self, core: int, slot: int) -> np.ndarray:
        """uint32[registers, lanes]: the lane registers of a warp slot, hidden ones left out; the machine's own bytes."""
        rows: np.ndarray = self.machine.cores["registers"]["lane"][core, slot]
        return rows[: min(self.machine.program.registers, u.HIDDEN), : self.lanes]

    def scalars(self, core: int, slot: int) -> np.ndarray:
        """uint32[scalars]: the scalar registers of a warp slot; the machine's own bytes."""
        rows: np.ndarray = self.machine.cores["registers"]["scalar"][core, slot]
        return rows[: self.machine.program.scalars]

    def pending_registers(self, core: int, slot: int) -> np.ndarray:
        """bool[registers]: what an instruction has written that hardware would still be waiting for."""
        program = self.machine.program
        groups = numbers(min(program.registers, u.HIDDEN)) // program.lock_width
        ready: np.ndarray = self.machine.cores["scoreboard"]["ready"][core, slot][groups]
        return ready > self.machine.cycle

    def shared_memory(self, core: int, slot: int) -> np.ndarray:
        """uint32[words]: the shared memory of a warp's block; the machine's own bytes."""
        state = self.machine.cores[core]
        words = int(state["blocks"]["shared_bytes"]) // 4
        first = int(state["warps"]["block"][slot]) * words
        found: np.ndarray = state["shared"][first : first + words]
        return found

    def fault_text(self) -> str:
        """The fault as a sentence with its place; "" when there is none."""
        return fault_text(self.machine)

    def edited(self) -> None:
        """Something was changed by hand: that counts as progress, so the livelock detector starts over."""
        self.machine.gpu["progress"] = self.machine.cycle
