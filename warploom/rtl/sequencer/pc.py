"""Program counter of a thread, and the choice of the core's next one, as hardware. The model is `warploom.machine.sequencer.pc`.

`Pc` is in every thread: it adds 1, or takes the branch's target when a condition bit meets the instruction's mask, and keeps the thread's
condition bits. `Advance` is in every core: it chooses whose next program counter becomes the core's, and, without the quirks
of the published hardware, finds threads that disagree and a program counter that runs off the program.
"""

from typing import Any

from amaranth.hdl import Array, Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState

PC_BITS = 8


def next_pc_bits(wrap: bool) -> int:
    """Bits of a thread's next program counter: without `quirks.wrap_pc` it has room for the first number beyond program memory."""
    return PC_BITS if wrap else PC_BITS + 1


class Pc(wiring.Component):
    """wrap: `quirks.wrap_pc`, the program counter goes from 255 to 0."""

    def __init__(self, *, wrap: bool = True) -> None:
        super().__init__(
            {
                "enable": In(1),  # the thread is in the block
                "state": In(CoreState),  # of the core
                "pc": In(PC_BITS),  # the core's program counter
                "branch": In(1),  # control signal: the instruction is a branch
                "condition": In(3),  # control signal: the condition bits that it asks for
                "target": In(PC_BITS),  # control signal: where it leads
                "compare": In(1),  # control signal: the ALU's result are condition bits
                "alu": In(8),  # the ALU's output register
                "nzp": Out(3),  # condition bits: positive, zero, negative from bit 0 on
                "next_pc": Out(next_pc_bits(wrap)),  # where this thread would go
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        with m.If(self.enable & (self.state == CoreState.EXECUTE)):
            m.d.sync += self.next_pc.eq(self.pc + 1)
            with m.If(self.branch & (self.nzp & self.condition).any()):
                m.d.sync += self.next_pc.eq(self.target)
        with m.If(self.enable & (self.state == CoreState.UPDATE) & self.compare):
            m.d.sync += self.nzp.eq(self.alu)
        return m


class Advance(wiring.Component):
    """No register in here. partial_block, last_lane_decides, wrap: the quirks `partial_block`, `last_lane_decides` and `wrap_pc`."""

    def __init__(self, threads: int, *, partial_block: bool = True, last_lane_decides: bool = True, wrap: bool = True) -> None:
        self.threads, self.wrap = threads, wrap
        self.partial_block, self.last_lane_decides = partial_block, last_lane_decides
        super().__init__(
            {
                "thread_count": In(range(threads + 1)),  # threads of the block
                "enabled": In(threads),  # the same as a mask
                "next_pc": In(next_pc_bits(wrap)).array(threads),  # of every thread
                "branch": In(1),  # control signal: the instruction is a branch
                "target": In(PC_BITS),  # control signal: where it leads
                "program_length": In(PC_BITS + 1),  # instructions of the program
                "following": Out(next_pc_bits(wrap)),  # the deciding thread's next program counter
                "taking": Out(threads),  # threads that go to the branch's target
                "divergence": Out(1),  # some threads of the block take the branch and some do not
                "outside": Out(1),  # there is no instruction at `following`
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        if self.partial_block:
            m.d.comb += self.following.eq(self.next_pc[-1])
        else:
            deciders = Array([self.next_pc[0], *self.next_pc])  # by the number of threads
            m.d.comb += self.following.eq(deciders[self.thread_count])
        if not self.last_lane_decides:
            m.d.comb += [
                self.taking.eq(Cat(following == self.target for following in self.next_pc) & self.enabled),
                self.divergence.eq(self.branch & self.taking.any() & (self.taking != self.enabled)),
            ]
        if not self.wrap:
            m.d.comb += self.outside.eq(self.following >= self.program_length)
        return m
