"""Split and join, as hardware: Vortex's IPDOM stack. The model is `split` and `join` of `warploom.machine.core.divergence.split_join`.

An entry is a lane mask, a PC, and a bit that says whose mask it is. The warp's mask and PC lie in the warp table; the stack says what they
become. A split pushes two entries within a cycle.
"""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class SplitJoin(wiring.Component):
    """lanes: of the warp. depth: entries."""

    def __init__(self, lanes: int, depth: int = 8, pc_bits: int = 16) -> None:
        self.lanes, self.depth, self.pc_bits = lanes, depth, pc_bits
        super().__init__(
            {
                "start": In(1),  # the warp starts: the stack is empty
                "mask": In(lanes),  # the lanes that run: bit l = lane l
                "threads": In(lanes),  # lanes whose thread has not ended
                "next_pc": In(pc_bits),  # of the instruction after this one
                "split": In(1),  # lanes `chosen` run first, the others from here afterwards
                "chosen": In(lanes),  # of those that run
                "join": In(1),  # one side has ended
                "next_mask": Out(lanes),  # the lanes that run from now on
                "to_pc": Out(pc_bits),  # and where
                "fault": Out(1),  # the stack is full, or empty
                "count": Out(range(depth + 1)),  # entries that are taken
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        entry_bits = self.lanes + self.pc_bits + 1
        entries = Array(Signal(entry_bits, name=f"entry_{number}") for number in range(self.depth))
        chosen, others, both, room = Signal(self.lanes), Signal(self.lanes), Signal(), Signal(range(self.depth + 3))
        lanes, pc, both_sides = Signal(self.lanes), Signal(self.pc_bits), Signal()
        m.d.comb += [
            chosen.eq(self.mask & self.chosen),
            others.eq(self.mask & ~self.chosen),
            both.eq(chosen.any() & others.any()),
            room.eq(self.count + 1 + both),
            Cat(lanes, pc, both_sides).eq(entries[self.count - 1]),
            self.next_mask.eq(self.mask),
            self.to_pc.eq(self.next_pc),
        ]
        with m.If(self.start):
            m.d.sync += self.count.eq(0)
        with m.Elif(self.split):
            m.d.comb += self.fault.eq(room > self.depth)
            with m.If(both):
                m.d.comb += self.next_mask.eq(chosen)
            with m.If(~self.fault):
                m.d.sync += [entries[self.count].eq(Cat(self.mask, self.next_pc, Const(1, 1))), self.count.eq(room)]
                with m.If(both):
                    m.d.sync += entries[self.count + 1].eq(Cat(others, self.next_pc, Const(0, 1)))
        with m.Elif(self.join):
            m.d.comb += [
                self.fault.eq(self.count == 0),
                self.next_mask.eq(lanes & self.threads),
                self.to_pc.eq(Mux(both_sides, self.next_pc, pc)),
            ]
            with m.If(~self.fault):
                m.d.sync += self.count.eq(self.count - 1)
        return m
