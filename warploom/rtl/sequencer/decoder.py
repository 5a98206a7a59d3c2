"""Decoder of a core, as hardware. The model is `warploom.machine.sequencer.decoder`.

A few gates look at the opcode; a register for each control signal is loaded by DECODE's closing edge and held until the next one. The
model loads the number of a row of a table there; what the row says are these signals.
"""

# mypy: disable-error-code="call-arg"

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState, Operation, Source


class Opcode(enum.Enum, shape=4):
    """The opcodes that do something; all others do nothing."""

    NOP = 0
    BR = 1
    CMP = 2
    ADD = 3
    SUB = 4
    MUL = 5
    DIV = 6
    LDR = 7
    STR = 8
    CONST = 9
    RET = 15


class Decoder(wiring.Component):
    """One for all threads of the core."""

    state: In(CoreState)  # of the core
    instruction: In(16)  # the fetcher's instruction register
    read_a: Out(4)  # register of port rs, from the word's bits whatever the opcode
    read_b: Out(4)  # register of port rt, likewise
    condition: Out(3)  # condition bits that a branch asks for
    immediate: Out(8)  # a constant, or a branch's target
    load: Out(1)  # the instruction loads
    store: Out(1)  # it stores
    operation: Out(Operation)  # what the ALU computes
    compare: Out(1)  # the ALU compares, and its result are condition bits
    write: Out(1)  # the instruction has a result
    write_to: Out(4)  # the register that it goes to
    write_from: Out(Source)  # whose result
    branch: Out(1)  # the instruction is a branch
    ends: Out(1)  # it ends the block

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        word = self.instruction
        opcode = Opcode(word[12:16])
        writes = (Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.DIV, Opcode.LDR, Opcode.CONST)
        with m.If(self.state == CoreState.DECODE):
            m.d.sync += [
                self.read_a.eq(word[4:8]),
                self.read_b.eq(word[0:4]),
                self.condition.eq(word[9:12]),
                self.immediate.eq(word[0:8]),
                self.load.eq(opcode == Opcode.LDR),
                self.store.eq(opcode == Opcode.STR),
                self.operation.eq(Operation.ADD),
                self.compare.eq(opcode == Opcode.CMP),
                self.write.eq(word[12:16].matches(*writes)),
                self.write_to.eq(word[8:12]),
                self.write_from.eq(Source.ALU),
                self.branch.eq(opcode == Opcode.BR),
                self.ends.eq(opcode == Opcode.RET),
            ]
            with m.Switch(opcode):
                with m.Case(Opcode.SUB):
                    m.d.sync += self.operation.eq(Operation.SUB)
                with m.Case(Opcode.MUL):
                    m.d.sync += self.operation.eq(Operation.MUL)
                with m.Case(Opcode.DIV):
                    m.d.sync += self.operation.eq(Operation.DIV)
                with m.Case(Opcode.LDR):
                    m.d.sync += self.write_from.eq(Source.LSU)
                with m.Case(Opcode.CONST):
                    m.d.sync += self.write_from.eq(Source.IMMEDIATE)
        return m
