"""Lowest PC first, as hardware. The model is `warploom.machine.core.divergence.minpc`.

A PC per lane, and a tree of comparators: the lanes at the lowest PC run. The model has rows of lanes that share a PC, which
stand in for the PCs of the lanes; the lanes that run are the same, and so is their PC.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class MinimumPc(wiring.Component):
    """lanes: of the warp."""

    def __init__(self, lanes: int, pc_bits: int = 16) -> None:
        self.lanes, self.pc_bits = lanes, pc_bits
        super().__init__(
            {
                "start": In(1),  # the warp starts: all lanes are at `next_pc`
                "threads": In(lanes),  # lanes whose thread has not ended: bit l = lane l
                "held": In(lanes),  # lanes that wait at a barrier
                "move": In(1),  # the lanes that run continue at `next_pc`
                "next_pc": In(pc_bits),  # a branch: of the instruction after it
                "branch": In(1),  # the lanes that run disagree
                "taken": In(lanes),  # those that jump
                "target": In(pc_bits),  # where they jump to
                "mask": Out(lanes),  # the lanes that run
                "pc": Out(pc_bits),  # where they are
            }
        )
        self.pcs = [Signal(pc_bits, name=f"pc_{lane}") for lane in range(lanes)]

    def state(self) -> dict[str, Value]:
        """The PC of every lane."""
        return {f"pc[{lane}]": pc for lane, pc in enumerate(self.pcs)}

    def elaborate(self, platform: Any) -> Module:
        """The circuit: a lane that cannot run counts as at a PC above all others."""
        m = Module()
        ready = Signal(self.lanes)
        m.d.comb += ready.eq(self.threads & ~self.held)
        level: list[Any] = [Cat(pc, ~ready[lane]) for lane, pc in enumerate(self.pcs)]
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [Mux(one < other, one, other) for one, other in pairs] + level[len(level) & ~1 :]
        m.d.comb += [
            self.pc.eq(level[0][: self.pc_bits]),
            self.mask.eq(Cat(ready[lane] & (pc == self.pc) for lane, pc in enumerate(self.pcs))),
        ]
        for lane, pc in enumerate(self.pcs):
            with m.If(self.start):
                m.d.sync += pc.eq(self.next_pc)
            with m.Elif(self.branch & self.mask[lane]):
                m.d.sync += pc.eq(Mux(self.taken[lane], self.target, self.next_pc))
            with m.Elif(self.move & self.mask[lane]):
                m.d.sync += pc.eq(self.next_pc)
        return m
