"""Livelock: warps that go round for ever although nothing that they read can change any more.

Not hardware: hardware spins until somebody pulls the plug. Here the run is stopped, and the message names the lanes that
spin, where, and the lanes that they keep waiting. The usual cause is a lock that a lane of the same warp holds.

How it is found. While no memory cell changes, no warp ends and no barrier opens (`gpu.progress`), each warp is a machine of
its own: what it does next follows from its PC, masks, stacks and registers alone. So a warp that returns to an earlier state,
having issued in between, never leaves its loop. When that holds for every warp that does not wait at a
barrier, the kernel never ends. Where warps are formed anew, a whole core is such a machine. Two states are
compared by their digests. A program that reads a clock is left alone.

What it costs. One warp is examined, after 32768 cycles without progress, then ever more rarely, so that a long computation
that stores nothing pays for a few hundred checks at most. Only when that warp has repeated itself are all of them examined.
"""

from __future__ import annotations

import weakref
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.program import Program
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.accounting.status import FAULT
from warploom.machine.core.divergence.path_table import READY
from warploom.machine.core.divergence.waiting import next_paths, state_bytes
from warploom.machine.engine.unit import FOREVER

QUIET = 1 << 15  # cycles without progress before the first check
SPACING = 1 << 13  # cycles between two checks, at least; else a sixteenth of the cycles without progress
BURST = 512  # checks of all warps before it gives up
STRIDE = 97  # cycles between two of those, at most
CLOCKS = (u.SPECIAL_NUMBER["clock"], u.SPECIAL_NUMBER["cycle"])
ISSUED = u.SPECIAL_NUMBER["cycle"]  # the special register that holds the cycle of a warp's last issue

Warp = tuple[int, int]  # core, warp slot


class Spin(NamedTuple):
    """Where a warp spins: at an instruction, with some of its lanes (a mask)."""

    instruction: int
    lanes: int


class Watched(Protocol):
    """What the detector reads of a machine of cores with warps. `gpu` is where it writes the fault down."""

    program: Program
    gpu: np.ndarray
    cores: np.ndarray
    forms_warps: bool

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""


class LivelockDetector:
    """Examines a machine between two slices of its run.

    next_check: the cycle before which `check` need not be called again. spinning: where each warp spins that was found to, by
    (core, warp slot); empty until `check` has returned True.
    """

    def __init__(self, machine: Watched) -> None:
        self.machine = weakref.proxy(machine)  # the machine has this one: a circle would keep its memory until a collection
        self.next_check = FOREVER if _reads_clock(machine.program) else QUIET
        self.progress = -1
        self.spinning: dict[Warp, Spin] = {}
        self._seen: dict[Warp, dict[bytes, int]] = {}
        self._places: dict[Warp, int] = {}  # warps that have repeated themselves, and the PC at which they did
        self._burst = 0

    def check(self) -> bool:
        """Examine the machine, in a cycle from `next_check` on. True: it spins for ever, which is now its fault."""
        now, progress = self.machine.cycle, int(self.machine.gpu["progress"])
        if progress != self.progress:
            self._start_over(now, progress)
            return False
        warps = self._running()
        if not warps:
            self.next_check = now + SPACING
            return False
        if not self._burst:
            self.next_check = now + max(SPACING, (now - progress) // 16)
            if self._repeats(warps[0]):
                self._burst, self.next_check = 1, now + 1
            return False
        for warp in warps:
            if warp not in self._places:
                self._repeats(warp)
        if all(warp in self._places for warp in warps):
            self._stop(warps, now)
            return True
        self._burst += 1
        self.next_check = now + 1 + self._burst * 37 % STRIDE  # steps of many lengths, so that no loop is always met in the same phase
        if self._burst > BURST:
            self._forget()
            self.next_check = now + max(SPACING, (now - progress) // 2)
        return False

    def snapshot(self) -> tuple[Any, ...]:
        """What it has seen so far, for `restore`."""
        seen = {warp: dict(digests) for warp, digests in self._seen.items()}
        return self.next_check, self.progress, dict(self.spinning), seen, dict(self._places), self._burst

    def restore(self, snapshot: tuple[Any, ...]) -> None:
        """Go back to what it had seen when the snapshot was taken; the machine's bytes are those of that cycle again."""
        self.next_check, self.progress, spinning, seen, places, self._burst = snapshot
        self.spinning, self._places = dict(spinning), dict(places)
        self._seen = {warp: dict(digests) for warp, digests in seen.items()}

    def _start_over(self, now: int, progress: int) -> None:
        self.progress = progress
        self._forget()
        self.next_check = max(progress + QUIET, now + 1)

    def _forget(self) -> None:
        self._seen, self._places, self._burst = {}, {}, 0

    def _running(self) -> list[Warp]:
        """The warps that have not ended and do not wait at a barrier."""
        tables = self.machine.cores["warps"]
        masks = tables["active"] & ~tables["draining"] & ~tables["at_barrier"]
        return [(core, warp) for core, mask in enumerate(masks.tolist()) for warp in range(64) if mask >> warp & 1]

    def _repeats(self, warp: Warp) -> bool:
        """Whether a warp is in a state that it was seen in before, and has issued since."""
        issued = int(self.machine.cores["registers"]["special"][warp][ISSUED])
        seen = self._seen.setdefault(warp, {})
        if seen.setdefault(self._digest(warp), issued) == issued:
            return False
        self._places[warp] = int(self.machine.cores["warps"]["pc"][warp])
        return True

    def _digest(self, warp: Warp) -> bytes:
        """The state that determines what a warp does next. Where threads change warps, that is the state of all warps of its core."""
        parts = self._state(warp)
        if self.machine.forms_warps:
            core = self.machine.cores[warp[0]]
            pool, warps = core["thread_pool"], [number for where, number in self._running() if where == warp[0]]
            parts += [part for number in warps for part in self._state((warp[0], number))]
            parts += [pool["majority"].tobytes(), core["schedulers"]["last"].tobytes(), core["warps"]["awake"].tobytes()]
            parts.append(np.unique(pool["arrived"][warps], return_inverse=True)[1].tobytes())  # who came before whom
        return blake2b(b"".join(parts), digest_size=16).digest()

    def _state(self, warp: Warp) -> list[bytes]:
        """Where a warp's threads are, and their registers."""
        cores, program = self.machine.cores, self.machine.program
        parts = [cores["warps"][name][warp].tobytes() for name in ("pc", "mask", "threads")]
        parts.append(cores["registers"]["lane"][warp][: program.registers].tobytes())
        parts.append(cores["registers"]["scalar"][warp].tobytes())
        return parts + state_bytes(cores[warp[0]], warp[1])

    def _stop(self, warps: list[Warp], now: int) -> None:
        """Write the fault down: the first warp that spins, where it reads what never changes."""
        flow = Flow(self.machine.program)
        self.spinning = {warp: self._spin(flow, warp) for warp in warps}
        self.end("livelock", warps[0], *self.spinning[warps[0]], 0, now)

    def end(self, kind: str, warp: Warp, pc: int, lanes: int, value: int, now: int) -> None:
        """The run ends here, with a fault of a kind that is about a warp's lanes at an instruction."""
        gpu = self.machine.gpu
        fault = gpu["fault"]
        fault["kind"], (fault["core"], fault["warp"]), fault["cycle"] = FAULT_NUMBER[kind], warp, now
        fault["pc"], fault["lanes"], fault["value"] = pc, lanes, value
        gpu["stop"], gpu["end"] = FAULT, now

    def _spin(self, flow: Flow, warp: Warp) -> Spin:
        """Where a warp spins, and which of its lanes: those that are in the loop, also while a different group of them runs."""
        loop = _loop_around(flow, self._places[warp])
        core, table = self.machine.cores[warp[0]], self.machine.cores["warps"]
        running, threads = int(table["mask"][warp]), int(table["threads"][warp])
        lanes = running if int(table["pc"][warp]) in loop else 0
        for there, path in next_paths(core, warp[1], threads & ~running):
            lanes |= there if path.state == READY and path.pc in loop else 0
        return Spin(_reading(flow, self._places[warp], loop), lanes or running)


def _reads_clock(program: Program) -> bool:
    """Whether a program reads a clock: then its registers alone do not say what it does next."""
    rows = program.uops
    return bool(np.isin(rows[rows[:, u.OP] == u.NUMBER["special"], u.IMM], CLOCKS).any())


def _loop_around(flow: Flow, pc: int) -> list[int]:
    """The instructions of the innermost loop around an instruction; itself where there is none."""
    around = [loop for loop in flow.loops if flow.block_of(pc) in loop.blocks]
    if not around:
        return [pc]
    blocks = min(around, key=lambda loop: len(loop.blocks)).blocks
    return [number for block in blocks for number in range(flow.blocks[block].first, flow.blocks[block].last + 1)]


def _reading(flow: Flow, pc: int, loop: list[int]) -> int:
    """The first instruction of a loop that reads memory; `pc` where there is none."""
    code, uops = flow.program.code, flow.program.uops
    for number in loop:
        rows = uops[code[number, u.FIRST_UOP] : code[number, u.FIRST_UOP] + code[number, u.COUNT]]
        if any(row[u.UNIT] in (u.MEMORY, u.SHARED) and "d" in u.OPERATIONS[row[u.OP]].operands for row in rows.tolist()):
            return number
    return pc
