"""Fault register of the GPU, as hardware: which core found something impossible first. The model is `warploom.machine.accounting.faults`.

Every core says in each cycle whether it has found a fault, of which kind, and which threads are concerned. The first one is kept for
the host to read; of several in one cycle it is the lowest core's. From then on no core goes on to another instruction.
"""

# mypy: disable-error-code="call-arg"

from typing import Any

from amaranth.hdl import Array, Module, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out


class FaultKind(enum.Enum, shape=2):
    """Kinds of faults, with the model's numbers."""

    NONE = 0
    DIVERGENCE = 1
    PC_OUT_OF_RANGE = 2
    ADDRESS_OUT_OF_RANGE = 3


class Faults(wiring.Component):
    """cores, threads_per_block: of the GPU."""

    def __init__(self, cores: int, threads_per_block: int) -> None:
        self.cores, self.threads_per_block = cores, threads_per_block
        super().__init__(
            {
                # from the cores
                "found": In(FaultKind).array(cores),  # what each has found in this cycle
                "found_pc": In(8).array(cores),  # at which instruction
                "found_lanes": In(threads_per_block).array(cores),  # and the threads concerned
                # to the cores
                "stop": Out(cores),  # there is a fault: of an earlier cycle, of this core, or of a lower one
                # for the host
                "kind": Out(FaultKind),  # of the first fault; it stays until reset
                "core": Out(range(max(cores, 2))),  # that found it
                "pc": Out(8),  # at this instruction
                "lanes": Out(threads_per_block),  # and the threads concerned
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        stop: Any = self.kind != FaultKind.NONE
        first = Signal(range(max(self.cores, 2)))
        for core in range(self.cores):
            found = self.found[core] != FaultKind.NONE
            chained = Signal(name=f"stop_after_{core}")
            m.d.comb += [chained.eq(stop | found), self.stop[core].eq(chained)]
            stop = chained
        for core in reversed(range(self.cores)):
            with m.If(self.found[core] != FaultKind.NONE):
                m.d.comb += first.eq(core)
        with m.If((self.kind == FaultKind.NONE) & stop):
            m.d.sync += [
                self.kind.eq(Array(found.as_value() for found in self.found)[first]),
                self.core.eq(first),
                self.pc.eq(Array(self.found_pc)[first]),
                self.lanes.eq(Array(self.found_lanes)[first]),
            ]
        return m
