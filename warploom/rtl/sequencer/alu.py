"""ALU of a thread, as hardware. The model is `warploom.machine.sequencer.alu`.

An adder, a subtractor, a multiplier, a divider and a comparison work side by side, all of them in every cycle; the control lines choose
one of the results, and EXECUTE's closing edge loads it into the output register. The divider is combinational, as published: it is
most of the unit's gates and nearly all of its depth.
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState, Operation


class Alu(wiring.Component):
    """compare_flags, divide_zero: the quirks of these names, `quirks.compare_flags` and `quirks.divide_zero`."""

    enable: In(1)  # the thread is in the block
    state: In(CoreState)  # of the core
    operation: In(Operation)  # control signal: what is computed
    compare: In(1)  # control signal: the comparison instead
    rs: In(8)  # first operand, from the register file's port register
    rt: In(8)  # second operand
    out: Out(8)  # output register

    def __init__(self, *, compare_flags: bool = True, divide_zero: bool = True) -> None:
        self.compare_flags, self.divide_zero = compare_flags, divide_zero
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        result = Signal(8)
        with m.If(self.compare):
            m.d.comb += result.eq(self.comparison())
        with m.Else():
            with m.Switch(self.operation):
                with m.Case(Operation.ADD):
                    m.d.comb += result.eq(self.rs + self.rt)
                with m.Case(Operation.SUB):
                    m.d.comb += result.eq(self.rs - self.rt)
                with m.Case(Operation.MUL):
                    m.d.comb += result.eq(self.rs * self.rt)
                with m.Case(Operation.DIV):
                    m.d.comb += result.eq(self.quotient())
        with m.If(self.enable & (self.state == CoreState.EXECUTE)):
            m.d.sync += self.out.eq(result)
        return m

    def comparison(self) -> Any:
        """Condition bits: positive, zero, negative from bit 0 on; with the quirk bit 2 says "different", and bit 0 nothing."""
        equal = self.rs == self.rt
        if self.compare_flags:
            return Cat(Const(0, 1), equal, ~equal)
        return Cat(self.rs > self.rt, equal, self.rs < self.rt)

    def quotient(self) -> Any:
        """Amaranth's division by zero gives 0, and so does the Verilog that is made of it."""
        quotient = self.rs // self.rt
        return quotient if self.divide_zero else Mux(self.rt == 0, 255, quotient)
