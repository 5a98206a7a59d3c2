"""What is in a machine of cores that run one instruction at a time between two cycles.

Not hardware: what a debugger reads, see `run.protocol.Inspection`. A core is one warp, in slot 0, whose lanes are the threads of its
block.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import numbers
from warploom.isa.program import Program
from warploom.isa.regions import AddressSpace
from warploom.machine.config.schema import Config
from warploom.machine.run.protocol import Places, WarpState, Writer
from warploom.machine.sequencer.states import DONE, IDLE, STATES


class Inspected(Protocol):
    """What is read of the machine."""

    program: Program
    config: Config
    gpu: np.ndarray
    cores: np.ndarray
    memory: np.ndarray
    initial_memory: np.ndarray

    def fault_text(self) -> str:
        """The fault as a sentence with its place; "" when there is none."""


class SequencerInspection:
    """The blocks, registers and memory of a machine of cores that run one instruction at a time, as they are when they are asked for."""

    slots = 1

    def __init__(self, machine: Inspected) -> None:
        self.machine = machine
        self.lanes = machine.config.core.threads_per_block

    @property
    def memory(self) -> np.ndarray:
        """uint8[bytes]: data memory; the machine's own bytes."""
        return self.machine.memory.view(np.uint8)[: len(self.machine.initial_memory)]

    @property
    def space(self) -> AddressSpace:
        """Where in `memory` the byte of an address is: there."""
        return self.machine.program.address_space(len(self.memory))

    def warp_states(self) -> list[WarpState]:
        """Every core with a block."""
        start = int(self.machine.gpu["dispatcher"]["start"])
        return [self._core_state(number) for number in range(len(self.machine.cores)) if start >> number & 1]

    def _core_state(self, number: int) -> WarpState:
        core = self.machine.cores[number]
        mask = int(core["enabled"])
        return WarpState(number, 0, int(core["block"]), 0, STATES[int(core["state"])], None, int(core["pc"]), mask, mask, mask)

    def places(self) -> Places:
        """Where all cores are now; one has issued an instruction when its results are written."""
        cores, start = self.machine.cores, int(self.machine.gpu["dispatcher"]["start"])
        runs = (cores["state"] != IDLE) & (cores["state"] != DONE) & (start >> numbers(len(cores)) & 1 > 0)
        return Places(
            cores["pc"][:, None].copy(),
            np.where(runs, cores["enabled"], 0)[:, None],
            cores["instructions"][:, None].copy(),
            np.zeros((len(cores), 1), bool),
        )

    def issues(self, instructions: np.ndarray | int) -> int | None:
        """Not counted by instruction."""
        return None

    def fragments(self, x: int, y: int) -> tuple[tuple[int, ...], ...]:
        """None: such a core draws nothing."""
        return ()

    def writers(self, before: Places, place: int, count: int) -> list[Writer]:
        """Whom the channels to data memory that have written serve; of several to one byte channel 0 has the last word."""
        data, threads = self.machine.gpu["data"], int(self.lanes)
        found = []
        for channel in range(int(data["channels"]) - 1, -1, -1):
            if int(data["sampled_write"][channel]) and 0 <= int(data["memory_write_address"][channel]) - place < count:
                core, lane = int(data["group"][channel]), int(data["index"][channel])
                if core < len(self.machine.cores) and lane < threads:
                    state = self.machine.cores[core]
                    found.append(Writer(core, 0, lane, int(state["block"]), lane, int(state["pc"])))
        return found

    def registers(self, core: int, slot: int) -> np.ndarray:
        """uint32[registers, lanes]: the registers of a core's threads, hidden ones left out; the machine's own bytes."""
        rows: np.ndarray = self.machine.cores["registers"]["lane"][core]
        return rows[: min(self.machine.program.registers, u.HIDDEN), : self.lanes]

    def scalars(self, core: int, slot: int) -> np.ndarray:
        """uint32[scalars]: the scalar registers of a core; the machine's own bytes."""
        rows: np.ndarray = self.machine.cores["registers"]["scalar"][core]
        return rows[: self.machine.program.scalars]

    def pending_registers(self, core: int, slot: int) -> np.ndarray:
        """bool[registers]: none, as an instruction ends before the next one begins."""
        return np.zeros(min(self.machine.program.registers, u.HIDDEN), bool)

    def shared_memory(self, core: int, slot: int) -> np.ndarray:
        """uint32[0]: there is none."""
        return np.zeros(0, np.uint32)

    def fault_text(self) -> str:
        """The fault as a sentence with its place; "" when there is none."""
        return self.machine.fault_text()

    def edited(self) -> None:
        """Nothing here remembers what has repeated itself."""
