"""Scoreboard, as hardware. The model is `warploom.machine.core.warps.scoreboard`.

A flip-flop for each register of each warp: set at issue for what an instruction writes, cleared by its write-back. Every warp's next
instruction is checked in every cycle. The model keeps the cycle in which a register can be used; it is busy here until then.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Scoreboard(wiring.Component):
    """warps: slots. registers: of a warp that can be busy. uses: registers that an instruction reads or writes. write_backs: per cycle."""

    def __init__(self, warps: int, registers: int = 32, uses: int = 4, writes: int = 1, write_backs: int = 2) -> None:
        self.warps, self.registers, self.uses, self.writes, self.write_backs = warps, registers, uses, writes, write_backs
        warp, register = range(max(warps, 2)), range(max(registers, 2))
        super().__init__(
            {
                "clear": In(warps),  # warps that start: nothing is busy
                "next_valid": In(warps * uses),  # which of the following are: a bit per warp and use
                "next": In(register).array(warps * uses),  # registers that each warp's next instruction uses
                "blocked": Out(warps),  # warps of which one is busy
                "issue": In(writes),  # an instruction issues that writes a register; a bit for each that it writes
                "issue_warp": In(warp),  # its warp
                "issue_register": In(register).array(writes),  # and the registers
                "done": In(write_backs),  # results arrive, a bit each
                "done_warp": In(warp).array(write_backs),  # of which warp
                "done_register": In(register).array(write_backs),  # and for which register
            }
        )
        self.busy = [Signal(registers, name=f"busy_{slot}") for slot in range(warps)]

    def state(self) -> dict[str, Value]:
        """The busy registers of each warp."""
        return {f"busy[{warp}]": row for warp, row in enumerate(self.busy)}

    def elaborate(self, platform: Any) -> Module:
        """The circuit: an issue outweighs a write-back of the same register, and the start of a warp both."""
        m = Module()
        for warp, row in enumerate(self.busy):
            used = range(warp * self.uses, (warp + 1) * self.uses)
            m.d.comb += self.blocked[warp].eq(Cat(self.next_valid[use] & row.bit_select(self.next[use], 1) for use in used).any())
            for port in range(self.write_backs):
                with m.If(self.done[port] & (self.done_warp[port] == warp)):
                    m.d.sync += row.bit_select(self.done_register[port], 1).eq(0)
            for port in range(self.writes):
                with m.If(self.issue[port] & (self.issue_warp == warp)):
                    m.d.sync += row.bit_select(self.issue_register[port], 1).eq(1)
            with m.If(self.clear[warp]):
                m.d.sync += row.eq(0)
        return m
