"""Sequencer: the control of a core, as hardware. The model is `warploom.machine.sequencer.sequencer`.

A state machine of eight states and the program counter. Every other unit of the core watches its state.
"""

from typing import Any

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState


class Sequencer(wiring.Component):
    """skip_wait: `core.skip_wait`, an instruction without a memory access goes from REQUEST to EXECUTE."""

    start: In(1)  # the dispatcher's start line
    fetched: In(1)  # the fetcher has the instruction
    access: In(1)  # control signal: the instruction accesses memory
    busy: In(1)  # some thread's load/store unit has no answer yet
    ends: In(1)  # control signal: the instruction ends the block
    following: In(8)  # the program counter that comes next
    stop: In(1)  # a fault: the instruction at the program counter is the last one
    state: Out(CoreState)  # of the core
    pc: Out(8)  # the core's program counter
    done: Out(1)  # the block has ended: the dispatcher's done line

    def __init__(self, *, skip_wait: bool = False) -> None:
        self.skip_wait = skip_wait
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.d.comb += self.done.eq(self.state == CoreState.DONE)
        with m.Switch(self.state):
            with m.Case(CoreState.IDLE):
                with m.If(self.start):
                    m.d.sync += self.state.eq(CoreState.FETCH)
            with m.Case(CoreState.FETCH):
                with m.If(self.fetched):
                    m.d.sync += self.state.eq(CoreState.DECODE)
            with m.Case(CoreState.DECODE):
                m.d.sync += self.state.eq(CoreState.REQUEST)
            with m.Case(CoreState.REQUEST):
                waits = self.access if self.skip_wait else 1
                m.d.sync += self.state.eq(Mux(waits, CoreState.WAIT, CoreState.EXECUTE))
            with m.Case(CoreState.WAIT):
                with m.If(~self.busy):
                    m.d.sync += self.state.eq(CoreState.EXECUTE)
            with m.Case(CoreState.EXECUTE):
                m.d.sync += self.state.eq(CoreState.UPDATE)
            with m.Case(CoreState.UPDATE):
                with m.If(self.ends):
                    m.d.sync += self.state.eq(CoreState.DONE)
                with m.Elif(~self.stop):
                    m.d.sync += [self.pc.eq(self.following), self.state.eq(CoreState.FETCH)]
        return m
