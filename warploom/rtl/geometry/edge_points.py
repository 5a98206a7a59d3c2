"""Points on an edge, as hardware: a point a cycle. The model is `placed` in `warploom.graphics.geometry.partitioning`.

A factor has 7 whole and 16 fraction bits. Half of it says between which two numbers of segments the edge is; a table of 64 reciprocals
gives the length of a segment among either. Two small multipliers, 6 x 17 bits, place the point among the fewer and among the more; two
larger ones weigh these by how far the youngest segment has grown. The second half of an edge is the first, mirrored: a subtraction.
"""

from typing import Any

from amaranth.hdl import Array, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

FRACTION = 16
ONE, HALF = 1 << FRACTION, 1 << FRACTION - 1
MOST = 64  # segments
RECIPROCALS = (0, *((ONE + segments // 2) // segments for segments in range(1, MOST + 1)))
COUNT_BITS = 7
FACTOR_BITS = COUNT_BITS + FRACTION
HALF_BITS = COUNT_BITS - 1  # of a number of points of half an edge
LEVELS = 5  # highest bit of that number


class EdgePoints(wiring.Component):
    """place: of point `number` of an edge, 0 to 1 in 16 fraction bits, one cycle later; count: the edge's points, in the same cycle.

    factor: in the range of its partitioning, rounded up where that is integer. odd: its segments are odd in number. number: below count.
    """

    enable: In(1)
    factor: In(FACTOR_BITS)
    odd: In(1)
    number: In(COUNT_BITS)
    count: Out(COUNT_BITS)
    place: Out(FRACTION + 1)

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        rounded, half = Signal(FACTOR_BITS), Signal(FACTOR_BITS)
        fewer, more, grown = Signal(HALF_BITS), Signal(HALF_BITS), half[:FRACTION]
        m.d.comb += [
            rounded.eq((self.factor + 1) >> 1),
            half.eq(rounded + Mux(self.odd | (rounded == HALF), HALF, 0)),
            fewer.eq(half >> FRACTION),
            more.eq(fewer + grown.any()),
            self.count.eq((more << 1) + ~self.odd),
        ]
        mirrored, near = Signal(), Signal(HALF_BITS)
        m.d.comb += [mirrored.eq(self.number >= more), near.eq(Mux(mirrored, self.count - 1 - self.number, self.number))]
        lower = self._lower(m, near, fewer, more, grown)
        with m.If(self.enable):
            with m.If(~self.odd & (self.number == more)):
                m.d.sync += self.place.eq(HALF)
            with m.Else():
                m.d.sync += self.place.eq(Mux(mirrored, ONE - lower, lower))
        return m

    def _lower(self, m: Module, near: Signal, fewer: Signal, more: Signal, grown: Any) -> Signal:
        """The place of a point of the first half."""
        before, first, then, lower = Signal(HALF_BITS), Signal(FRACTION + 1), Signal(FRACTION + 1), Signal(FRACTION + 1)
        table = Array(Const(value, FRACTION + 1) for value in RECIPROCALS)
        m.d.comb += [
            before.eq(near - (grown.any() & (near > self._youngest(m, fewer)))),
            first.eq(before * table[((fewer << 1) - self.odd)[:COUNT_BITS]]),
            then.eq(near * table[((more << 1) - self.odd)[:COUNT_BITS]]),
            lower.eq((first * (ONE - grown) + then * grown + HALF) >> FRACTION),
        ]
        return lower

    def _youngest(self, m: Module, fewer: Signal) -> Signal:
        """After which point of a half the next segment grows: the number of the half's segments without its highest bit, twice, and 1."""
        segments, rest, found = Signal(HALF_BITS), Signal(HALF_BITS), Signal(HALF_BITS + 1)
        m.d.comb += [segments.eq(fewer - self.odd), found.eq(Mux(self.odd & (fewer == 1), 0, (rest << 1) + 1))]
        for bit in range(LEVELS + 1):  # the last one that is set decides
            with m.If(segments[bit]):
                m.d.comb += rest.eq(segments[:bit])
        return found
