"""Register file of a thread, as hardware. The model is `warploom.machine.sequencer.registers`.

Thirteen registers of flip-flops, the block's number, and two constants of the chip; REQUEST's closing edge loads the two port registers,
UPDATE's writes the result. Each of the two read ports is a tree that chooses one of sixteen.
"""

from typing import Any

from amaranth.hdl import Array, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState, Source

WRITABLE = 13  # registers below this number can be written
BLOCK = 13  # the register that follows the block's number
COUNT = 16  # registers that four bits can name


class Registers(wiring.Component):
    """thread: its number in the block. threads_per_block: what the read-only register of that name says."""

    enable: In(1)  # the thread is in the block
    state: In(CoreState)  # of the core
    block: In(8)  # the block's number, from the dispatcher
    read_a: In(4)  # control signal: the register of port rs
    read_b: In(4)  # control signal: the register of port rt
    write: In(1)  # control signal: the instruction has a result
    write_to: In(4)  # control signal: the register that it goes to
    write_from: In(Source)  # control signal: whose result
    immediate: In(8)  # control signal: the instruction's constant
    alu: In(8)  # the ALU's output register
    lsu: In(8)  # the load/store unit's output register
    rs: Out(8)  # port register
    rt: Out(8)  # port register
    lane: Out(8).array(COUNT)  # all sixteen registers, for whoever watches

    def __init__(self, thread: int, threads_per_block: int) -> None:
        self.thread, self.threads_per_block = thread, threads_per_block
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        own = [Signal(8, name=f"r{number}") for number in range(BLOCK + 1)]
        lane = Array([*own, Const(self.threads_per_block, 8), Const(self.thread, 8)])
        m.d.comb += [self.lane[number].eq(lane[number]) for number in range(COUNT)]
        value = Signal(8)
        with m.Switch(self.write_from):
            with m.Case(Source.ALU):
                m.d.comb += value.eq(self.alu)
            with m.Case(Source.LSU):
                m.d.comb += value.eq(self.lsu)
            with m.Default():
                m.d.comb += value.eq(self.immediate)
        with m.If(self.enable):
            m.d.sync += own[BLOCK].eq(self.block)
            with m.If(self.state == CoreState.REQUEST):
                m.d.sync += [self.rs.eq(lane[self.read_a]), self.rt.eq(lane[self.read_b])]
            with m.If((self.state == CoreState.UPDATE) & self.write):
                for number in range(WRITABLE):
                    with m.If(self.write_to == number):
                        m.d.sync += own[number].eq(value)
        return m
