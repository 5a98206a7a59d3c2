"""Barrier table, as hardware. The model is `warploom.machine.core.warps.barrier`.

Two masks of warps and a count for each barrier of each resident block. One barrier is asked per cycle. When a warp ends, the model asks all
barriers of its block at once; this table takes a cycle for each.
"""

from typing import Any

from amaranth.hdl import Array, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.parts import count_ones


class BarrierTable(wiring.Component):
    """warps: slots of the core. blocks: that are resident at a time. barriers: of a block."""

    def __init__(self, warps: int, blocks: int = 8, barriers: int = 1) -> None:
        self.warps, self.blocks, self.barriers = warps, blocks, barriers
        super().__init__(
            {
                "block": In(range(max(blocks, 2))),  # slot of the block that is concerned
                "number": In(range(max(barriers, 2))),  # and its barrier
                "alive": In(warps),  # warps of the block that have not ended: bit w = warp slot w
                "reset_block": In(1),  # a new block takes the slot: all its barriers are empty
                "arrive": In(1),  # a warp arrives
                "warp": In(range(max(warps, 2))),  # which
                "wait": In(1),  # and waits
                "expected": In(range(warps + 1)),  # warps that must arrive; 0: all that are alive
                "check": In(1),  # a warp has ended: does that open the barrier?
                "freed": Out(warps),  # the warps that go on
            }
        )
        entries = blocks * barriers
        self.arrived = [Signal(warps, name=f"arrived_{entry}") for entry in range(entries)]  # warps that have arrived
        self.waiting = [Signal(warps, name=f"waiting_{entry}") for entry in range(entries)]  # those of them that wait
        self.wanted = [Signal(range(warps + 1), name=f"expected_{entry}") for entry in range(entries)]  # how many must arrive

    def state(self) -> dict[str, Value]:
        """The masks, block after block."""
        rows = {"arrived": self.arrived, "waiting": self.waiting}
        return {f"{name}[{k // self.barriers}][{k % self.barriers}]": row for name, all_ in rows.items() for k, row in enumerate(all_)}

    def elaborate(self, platform: Any) -> Module:
        """The circuit: the entry as it is with this arrival; it opens when nobody is missing."""
        m = Module()
        entry = Signal(range(max(self.blocks * self.barriers, 2)))
        arrived, waiting, wanted = Signal(self.warps), Signal(self.warps), Signal(range(self.warps + 1))
        mine, opens = Signal(self.warps), Signal()
        m.d.comb += [
            entry.eq(self.block * self.barriers + self.number),
            mine.eq(Mux(self.arrive, 1 << self.warp, 0)),
            arrived.eq(Array(self.arrived)[entry] | mine),
            waiting.eq(Array(self.waiting)[entry] | Mux(self.wait, mine, 0)),
            wanted.eq(Mux(self.arrive, self.expected, Array(self.wanted)[entry])),
            opens.eq(arrived.any() & Mux(wanted == 0, ~(self.alive & ~arrived).any(), count_ones(arrived) >= wanted)),
            self.freed.eq(Mux((self.arrive | self.check) & opens, waiting, 0)),
        ]
        with m.If(self.arrive | self.check):
            m.d.sync += [
                Array(self.arrived)[entry].eq(Mux(opens, 0, arrived)),
                Array(self.waiting)[entry].eq(Mux(opens, 0, waiting)),
                Array(self.wanted)[entry].eq(wanted),
            ]
        for block in range(self.blocks):
            with m.If(self.reset_block & (self.block == block)):
                for number in range(self.barriers):
                    place = block * self.barriers + number
                    m.d.sync += [self.arrived[place].eq(0), self.waiting[place].eq(0)]
        return m
