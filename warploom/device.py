"""Device: a GPU with memory that lives across launches, as a stream of kernels finds it.

    device = warploom.GPU("sm").device()
    x = device.allocate(4000)
    device.write(x, numpy.arange(1000, dtype=numpy.float32))
    result = device.run(program)
    found = device.read(x, 4000).view(numpy.float32)

Addresses below 256 are never handed out, so that 0 is not an array. Between launches the second-level cache stays as a kernel leaves it
(`machine/device/held.py`); first-level caches begin empty.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.numbers import whole_number
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.schema import Config
from warploom.machine.device.held import Held
from warploom.machine.device.machine import PipelineMachine, Watcher
from warploom.machine.run.compile import entry_call, is_compiled
from warploom.machine.run.driver import PROGRAM_MAX_CYCLES, cycle_limit, drive
from warploom.machine.run.runnable import Blocks, Listener, Notice, Progress
from warploom.result import Result

FIRST = 256  # the first address that is handed out
ALIGN = 256  # bytes: CUDA C++ Programming Guide, "Device Memory Accesses": any address from an allocation is aligned to at least 256
MOST_MACHINES = 8  # that are kept for the next launch of their program
MOST_BYTES = (1 << 32) - (1 << 20)  # addresses have 32 bits, and local memory has some of them


class DeviceError(ValueError):
    """Memory of a device that is not there, or cannot be had. One sentence."""


class _Kept(NamedTuple):
    """A machine that has run, its native entry, and what its key names by place, which must stay where it is."""

    machine: PipelineMachine
    call: Callable[[int], int] | None
    named: tuple[Program, np.ndarray]


class Device:
    """A GPU of a configuration with memory that is kept. `GPU.device()` makes one.

    memory_bytes: of its memory. Raises LaunchError for a machine whose cores run one instruction at a time.
    """

    def __init__(self, config: Config, engine: str, units: Mapping[str, Callable[..., int]], memory_bytes: int) -> None:
        if not config.has.kept_memory:
            raise LaunchError(
                f"{config.name!r} has core.control = {config.core.control!r}, which keeps no memory between launches; choose sm"
            )
        self.config, self.engine, self.units = config, engine, units
        self.memory_bytes = whole_number("memory_bytes", memory_bytes, FIRST, MOST_BYTES)
        self.held = Held(self.memory_bytes)
        self._starts: list[int] = []  # of what is allocated, in order
        self._sizes: dict[int, int] = {}
        self._machines: dict[tuple[Any, ...], _Kept] = {}  # the last ones used

    def allocate(self, size: int, align: int = ALIGN) -> int:
        """The address of `size` bytes that nobody else has, a multiple of `align`: the lowest that are free.

        What they hold is left as it is. Raises DeviceError where there is no room.
        """
        size, align = whole_number("size", size, 0), whole_number("align", align, 1)
        begin = FIRST
        for place, start in enumerate([*self._starts, self.memory_bytes]):
            address = -(-begin // align) * align
            if address + max(size, 1) <= start:
                self._starts.insert(place, address)
                self._sizes[address] = size
                self._note_used()
                return address
            begin = start + max(self._sizes.get(start, 0), 1)
        raise DeviceError(
            f"{size} bytes: the device has {self.memory_bytes} bytes of memory, {self.taken_bytes} of them are taken; "
            "free some, or give it more: --memory 2G of a command, device(memory_bytes=...) of the library"
        )

    @property
    def taken_bytes(self) -> int:
        """Bytes that are allocated."""
        return sum(self._sizes.values())

    def free(self, address: int) -> None:
        """Give back what `allocate` has handed out. Raises DeviceError for any other address."""
        if address not in self._sizes:
            raise DeviceError(f"free({address}): nothing is allocated from that address on")
        self._starts.remove(address)
        del self._sizes[address]
        self._note_used()

    def write(self, address: int, data: Any) -> None:
        """The bytes of an array, in C order, into allocated memory. Raises DeviceError where that is not."""
        given = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        self._piece(address, len(given))[:] = given

    def read(self, address: int, size: int) -> np.ndarray:
        """uint8[size], a copy: what is in allocated memory. Raises DeviceError where that is not."""
        return self._piece(address, size).copy()

    def drop_caches(self) -> None:
        """The next launch finds the second-level cache empty."""
        self.held.drop_caches()

    def run(
        self,
        program: Program,
        *,
        caches: str = "kept",
        snapshot: bool = False,
        max_cycles: int = PROGRAM_MAX_CYCLES,
        progress: Progress | None = None,
        blocks: Blocks | None = None,
        notice: Notice | None = None,
        tracing: bool = False,
        recording: bool = False,
        listener: Listener | None = None,
        watcher: Watcher | None = None,
    ) -> Result:
        """Run a program over the device's memory, with its own launch.

        caches: "kept", or "dropped" to begin with an empty second-level cache. snapshot: keep a copy of memory from before and from after
        the run, in the result, so that the run can be repeated and drawn; else `result.memory` is empty. tracing, recording, listener: as
        for `GPU.run`; they keep one too. max_cycles, progress, blocks, notice: as there, but that a launch of a program may be longer.
        watcher: looks at the run from inside. Raises LaunchError and ProgramError as `GPU.run` does.
        """
        max_cycles = cycle_limit(max_cycles)
        if caches not in ("kept", "dropped"):
            raise ValueError(f"caches = {caches!r}: it is kept or dropped")
        if program.regions or len(program.data) or program.memory_bytes > self.memory_bytes:
            raise LaunchError(
                f"{program.source.path}: a program that brings its own memory runs with GPU.run; on a device it is allocated and written"
            )
        if caches == "dropped":
            self.drop_caches()
        if snapshot or tracing or recording or watcher is not None:
            machine, call = self._watched(program, tracing, recording, watcher), None
            machine.listener = listener
        else:
            machine, call = self._ready(program)
        outcome = drive(
            machine, engine=self.engine, max_cycles=max_cycles, progress=progress, blocks=blocks, notice=notice, at_once=True, call=call
        )
        result = Result.of(machine.finish(outcome))
        self.held.take_from(machine.gpu["l2"]["cache"], machine.cycle)
        return result

    def _watched(self, program: Program, tracing: bool, recording: bool, watcher: Watcher | None) -> PipelineMachine:
        """A machine for a run that can be repeated."""
        before = self.held.copy()
        return PipelineMachine(
            self.config, program, units=self.units, tracing=tracing, recording=recording, held=self.held, before=before, watcher=watcher
        )

    def _ready(self, program: Program) -> tuple[PipelineMachine, Callable[[int], int] | None]:
        """A machine for a program, before its first cycle, and its native entry, if that lies ready.

        It is the one of an earlier launch where that differs in views and scalars alone: that one is ready several times sooner.
        """
        key = self._key(program)
        kept = self._machines.pop(key, None)
        if kept is None:
            machine = PipelineMachine(self.config, program, units=self.units, held=self.held, reusable=True)
            kept = _Kept(machine, None, (program, self.held.words))
        else:
            kept.machine.begin_again(program)
            if kept.call is None and self.engine != "python" and is_compiled(kept.machine):
                kept = kept._replace(call=entry_call(kept.machine, "native"))
        self._machines[key] = kept
        if len(self._machines) > MOST_MACHINES:
            del self._machines[next(iter(self._machines))]
        return kept.machine, kept.call

    def _key(self, program: Program) -> tuple[Any, ...]:
        """What two launches have in common that one machine can execute. Arrays are told apart by where they are."""
        launch = program.launch
        arrays = (program.uops, program.code, program.samplers, program.constants, self.held.words)
        shape = (launch.threads, launch.block, launch.grid, launch.entry, launch.registers, launch.shared_bytes, launch.local_bytes)
        used = (launch.argument, len(launch.scalars), len(program.views), program.registers, program.scalars, self.held.used)
        return (*map(id, arrays), *shape, *used)

    def _note_used(self) -> None:
        """A launch may access everything up to the end of what is allocated."""
        end = max((start + self._sizes[start] for start in self._starts[-1:]), default=0)
        self.held.used = min(-(-end // 4) * 4, self.memory_bytes)

    def _piece(self, address: int, size: int) -> np.ndarray:
        place = bisect_right(self._starts, address) - 1
        start = self._starts[place] if place >= 0 else -1
        if start < 0 or address + size > start + self._sizes[start]:
            raise DeviceError(f"{size} bytes from address {address} on: they do not lie in one piece of memory that is allocated")
        return self.held.bytes[address : address + size]
