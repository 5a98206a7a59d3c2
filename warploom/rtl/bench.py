"""Test bench: the GPU between three wide vectors, so that a simulator needs to know those and a clock, whatever the design is.

`stimulus` is all that the outside drives, `requests` what it has to look at in each cycle, `probe` every field of the flat trace. What a
cycle is, is laid down by tiny-gpu's own bench: the requests before a clock edge are answered after it, and the state after both is the
trace's line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from amaranth.hdl import Cat, Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.isa.counts import running_sum
from warploom.rtl.hardware import Hardware
from warploom.rtl.sequencer.external_memory import ExternalMemory
from warploom.rtl.sequencer.gpu import Gpu
from warploom.rtl.sequencer.trace import fields

CONTROL = 19  # bits of the stimulus before the memories' answers: start, control_write, control, program_length


class Bench(wiring.Component):
    """The GPU with its vectors. names: of the probe's fields."""

    def __init__(self, hardware: Hardware) -> None:
        self.gpu = gpu = Gpu(hardware)
        self.driven = [gpu.start, gpu.control_write, gpu.control, gpu.program_length, gpu.data_read_ready, gpu.data_write_ready]
        self.driven += [*gpu.data_read_data, gpu.program_read_ready, *gpu.program_read_data]
        self.watched = [gpu.done, gpu.data_read, gpu.data_write, *gpu.data_read_address, *gpu.data_write_address, *gpu.data_write_data]
        self.watched += [gpu.program_read, *gpu.program_read_address]
        if hardware.faults:
            self.watched.append(Value.cast(gpu.fault).any())
        shown = fields(gpu)
        self.names, self.shown = tuple(shown), list(shown.values())
        widths = [len(signal) for signal in self.shown]
        self._starts = running_sum([0, *widths[:-1]])
        self._weights = np.concatenate([np.uint64(1) << np.arange(width, dtype=np.uint64) for width in widths])
        super().__init__(
            {
                "stimulus": In(sum(map(len, self.driven))),  # what the outside drives
                "requests": Out(sum(map(len, self.watched))),  # what it looks at in every cycle
                "probe": Out(sum(widths)),  # every field of the flat trace
            }
        )
        self.probe_bytes = -(-sum(widths) // 8)
        self.fault_bit = sum(map(len, self.watched)) - 1 if hardware.faults else None

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.submodules.gpu = self.gpu
        m.d.comb += [Cat(self.driven).eq(self.stimulus), self.requests.eq(Cat(self.watched)), self.probe.eq(Cat(self.shown))]
        return m

    def row(self, probe: bytes) -> np.ndarray:
        """uint64[fields]: the probe's fields. probe: its bytes, the lowest first."""
        bits = np.unpackbits(np.frombuffer(probe, np.uint8), count=len(self._weights), bitorder="little")
        return np.add.reduceat(bits * self._weights, self._starts)


class Host:
    """What drives a bench: the host, who writes the number of threads and says go, and the memories."""

    def __init__(self, hardware: Hardware, program: Sequence[int], data: Sequence[int], threads: int) -> None:
        self.memory = ExternalMemory(hardware, program, data)
        length = len(program) << 10
        self.before = 1 << 1 | threads << 2 | length  # the first edge loads the device control register
        self.running = 1 | length

    def next(self, requests: int) -> int:
        """The stimulus after the next clock edge. requests: as they are before it."""
        return self.running | self.memory.answer(requests >> 1) << CONTROL
