"""Fetcher of a core, as hardware. The model is `warploom.machine.sequencer.fetcher`.

A state machine of three states, an address and an instruction register. With `core.prefetch` it asks for the next instruction while
this one executes, and compares the address with the program counter before the core may use what has come. The instruction
cache that the model can have (`fetch.sets`) has no hardware.
"""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState, FetcherState


class Fetcher(wiring.Component):
    """prefetch: `core.prefetch`."""

    core: In(CoreState)  # state of the core
    pc: In(8)  # the core's program counter
    ends: In(1)  # control signal: the instruction ends the block, so that nothing follows it
    program_length: In(9)  # instructions of the program: beyond them nothing is prefetched
    state: Out(FetcherState)  # its own
    address: Out(8)  # instruction number that is fetched, or was last
    instruction: Out(16)  # instruction register
    valid: Out(1)  # request line, up until the answer is here
    ready: In(1)  # the answer is here
    data: In(16)  # and this is it
    fetched: Out(1)  # the instruction register holds what lies at the program counter

    def __init__(self, *, prefetch: bool = False) -> None:
        self.prefetch = prefetch
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        wanted = self.address == self.pc if self.prefetch else 1
        m.d.comb += self.fetched.eq((self.state == FetcherState.FETCHED) & wanted)
        with m.Switch(self.state):
            with m.Case(FetcherState.IDLE):
                with m.If(self.core == CoreState.FETCH):
                    m.d.sync += self.ask(self.pc)
                if self.prefetch:
                    following = self.pc + 1
                    with m.If((self.core == CoreState.REQUEST) & ~self.ends & (following < self.program_length)):
                        m.d.sync += self.ask(following)
            with m.Case(FetcherState.FETCHING):
                with m.If(self.ready):
                    m.d.sync += [self.state.eq(FetcherState.FETCHED), self.valid.eq(0), self.instruction.eq(self.data)]
            with m.Case(FetcherState.FETCHED):
                with m.If(self.core == CoreState.DECODE):
                    m.d.sync += self.state.eq(FetcherState.IDLE)
                if self.prefetch:
                    with m.If((self.core == CoreState.FETCH) & ~self.fetched):
                        m.d.sync += self.ask(self.pc)
        return m

    def ask(self, address: Any) -> list[Any]:
        """Raise the request line to the program memory controller."""
        return [self.state.eq(FetcherState.FETCHING), self.valid.eq(1), self.address.eq(address)]
