"""The checker: hands a machine the watch and its tables, and keeps what is known before the first cycle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from warploom.checks.findings import Fault
from warploom.checks.shadow import HELD, LOCKSTEP, RETURNS, SHARED_ROWS, SHARED_WORDS, new_tables
from warploom.checks.watch import watch
from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting.faults import FAULTS
from warploom.machine.accounting.status import LaunchError


class Checker:
    """For one run. unwritten: (first byte, bytes of a mask) of pieces of global memory: 1 where nobody has written a byte yet.

    returns: a thread may end before the kernel's last statement, so lanes that a mask names may rightly be gone.
    """

    unit = staticmethod(watch)

    def __init__(self, unwritten: Sequence[tuple[int, np.ndarray]] = (), returns: bool | None = None) -> None:
        self.unwritten, self.returns = unwritten, returns
        self.found: dict[str, np.ndarray] = {}
        self._machine: Any = None

    def tables(self, machine: Any) -> dict[str, np.ndarray]:
        """The tables of a machine before its first cycle. Raises LaunchError for a machine whose threads move between warps."""
        if machine.forms_warps:
            raise LaunchError(f"{machine.config.name!r} forms warps anew (core.divergence = 'dwf'): lanes have no warp to be checked in")
        config, program, grid = machine.config, machine.program, machine.gpu["grid"]
        self._machine = machine
        words = (machine.storage.constant_place + len(program.constants) + 3) // 4 + 2
        core = machine.cores[0]
        shared = int(core["blocks"]["slots"]) * int(core["blocks"]["shared_bytes"]) // 4 + 1
        size = int(grid["block_threads"])
        slots = config.core.warps * config.core.lanes * config.gpu.cores
        blocks = int(grid["blocks"])
        self.found = new_tables(words, shared * config.gpu.cores, blocks * max(size, 1) + config.core.lanes, blocks, slots)
        head = self.found["findings"][0]
        head[SHARED_ROWS], head[SHARED_WORDS] = words, shared
        head[LOCKSTEP] = int(not knows_lanes(program))
        head[RETURNS] = int(self.returns if self.returns is not None else _ends(program) > 1)
        for first, mask in self.unwritten:
            self._mark(first, mask)
        return self.found

    def fault(self, text: str) -> Fault | None:
        """After the run: why the machine has stopped it. text: its sentence."""
        fault = self._machine.gpu["fault"]
        kind = int(fault["kind"])
        return Fault(FAULTS[kind].name, int(fault["pc"]), text) if kind else None

    def _mark(self, first: int, mask: np.ndarray) -> None:
        """Note the bytes that nobody has written. first: a multiple of 4."""
        padded = np.zeros(-(-len(mask) // 4) * 4, np.int64)
        padded[: len(mask)] = mask
        bits = (padded.reshape(-1, 4) << np.arange(4)).sum(axis=1)
        self.found["shadow"][first // 4 : first // 4 + len(bits), HELD] = bits

    def written(self, first: int, size: int) -> np.ndarray:
        """bool[size]: after the run, which bytes of such a piece have been written."""
        rows = self.found["shadow"][first // 4 : (first + size + 3) // 4, HELD]
        return (((rows[:, None] >> np.arange(4)) & 1) == 0).reshape(-1)[:size]


def knows_lanes(program: Program) -> bool:
    """Whether lanes of a warp may run on their own in the program's language, so that only a syncwarp keeps them in step."""
    return program.isa == "python"


def _ends(program: Program) -> int:
    return int(np.isin(program.uops[:, u.OP], [u.NUMBER["exit"], u.NUMBER["exit_warp"]]).sum())
