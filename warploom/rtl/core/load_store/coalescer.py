"""Coalescer, as hardware. The model is `warploom.machine.core.load_store.coalescer`.

A row of comparators: the lowest lane that waits names a line, and every lane with the same line goes with it. A transaction leaves
per cycle; the model lists all of them at once, in this order, and counts a cycle for each. A lane whose access straddles two
lines asks twice.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.parts import chosen, lowest

LARGEST = 4  # log2 of the bytes of a lane's widest access


class Coalescer(wiring.Component):
    """lanes: of the warp. line, sector: log2 of their bytes. merge: lanes that touch a line share it. aligned: no access straddles lines.

    The addresses stay up until the last transaction has left.
    """

    def __init__(
        self, lanes: int, line: int = 7, sector: int = 5, address_bits: int = 32, *, merge: bool = True, aligned: bool = True
    ) -> None:
        self.lanes, self.line_shift, self.sector_shift, self.merge, self.aligned = lanes, line, sector, merge, aligned
        self.line_bits, self.sectors = address_bits - line, 1 << (line - sector)
        super().__init__(
            {
                "load": In(1),  # an access comes
                "active": In(lanes),  # lanes that take part: bit l = lane l
                "size": In(range(LARGEST + 1)),  # log2 of the bytes of each
                "address": In(address_bits).array(lanes),  # their byte addresses
                "valid": Out(1),  # a transaction leaves
                "line": Out(self.line_bits),  # its line
                "wanted": Out(self.sectors),  # the sectors that some lane wants: bit s = sector s
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit. A lane has two places in `pending`: its first line, and the one after."""
        m = Module()
        pieces = 1 if self.aligned else 2
        lines, sectors, straddles = [], [], []
        for lane in range(self.lanes):
            line, low, high = self.parts(m, lane)
            lines += [line, (line + 1)[: self.line_bits]][:pieces]
            sectors += [low, high][:pieces]
            straddles += [self.active[lane], self.active[lane] & high.any()][:pieces]
        pending, leader, together = (Signal(self.lanes * pieces, name=name) for name in ("pending", "leader", "together"))
        same = Cat(line == self.line for line in lines) if self.merge else leader
        m.d.comb += [
            leader.eq(lowest(pending)),
            self.valid.eq(pending.any()),
            self.line.eq(chosen(leader, lines)),
            together.eq(pending & same),
            self.wanted.eq(chosen(together, sectors)),
        ]
        with m.If(self.load):
            m.d.sync += pending.eq(Cat(straddles))
        with m.Else():
            m.d.sync += pending.eq(pending & ~together)
        return m

    def parts(self, m: Module, lane: int) -> tuple[Any, Any, Any]:
        """(a lane's first line, the sectors of it that it wants, those of the next line)."""
        address = self.address[lane]
        offset, last = address[: self.line_shift], Signal(self.line_shift + 1, name=f"last_{lane}")
        m.d.comb += last.eq(offset + ((1 << self.size) - 1))
        touched = Signal(2 * self.sectors, name=f"sectors_{lane}")
        from_sector, to_sector = offset[self.sector_shift :], last[self.sector_shift :]
        m.d.comb += touched.eq(Cat((from_sector <= sector) & (sector <= to_sector) for sector in range(2 * self.sectors)))
        return address[self.line_shift :], touched[: self.sectors], Mux(self.aligned, 0, touched[self.sectors :])
