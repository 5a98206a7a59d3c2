"""Miss-status holding registers, as hardware. The model is `warploom.machine.memory.mshr`.

A comparator for each entry, and a list of those who wait for its line. A miss per cycle joins an entry or takes the lowest free one.
When a line has come, those who wait for it are named one per cycle, in the order in which they came; the model takes them all at once.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.parts import lowest, number_of


class Mshr(wiring.Component):
    """entries: lines that are on their way at a time. merges: waiters of an entry. waiter_bits: of the number of who waits."""

    def __init__(self, entries: int = 16, merges: int = 8, line_bits: int = 25, sectors: int = 4, waiter_bits: int = 6) -> None:
        self.entries, self.merges, self.line_bits, self.sectors, self.waiter_bits = entries, merges, line_bits, sectors, waiter_bits
        super().__init__(
            {
                "line": In(line_bits),  # the line of a miss, or the one that has come
                "wanted": In(sectors),  # the sectors that are missed: bit s = sector s
                "waiter": In(waiter_bits),  # who waits
                "miss": In(1),  # a miss wants to be noted
                "come": In(1),  # sectors `wanted` of the line have come
                "take": In(1),  # its first waiter is told; the last one's entry ends
                "known": Out(1),  # the line is on its way
                "room": Out(1),  # the miss can be noted
                "asked": Out(sectors),  # the sectors that were asked for already
                "waiting": Out(range(merges + 1)),  # how many wait for the line
                "first": Out(waiter_bits),  # the first of them
                "used": Out(range(entries + 1)),  # entries that are taken
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        entries = range(self.entries)
        valid = Signal(self.entries)
        lines = [Signal(self.line_bits, name=f"line_{entry}") for entry in entries]
        asked = [Signal(self.sectors, name=f"asked_{entry}") for entry in entries]
        counts = [Signal(range(self.merges + 1), name=f"waiting_{entry}") for entry in entries]
        lists = [[Signal(self.waiter_bits, name=f"waiter_{entry}_{place}") for place in range(self.merges)] for entry in entries]
        match, place = Signal(self.entries), Signal(self.entries)
        mine = number_of(match, self.entries)
        m.d.comb += [
            match.eq(Cat(valid[entry] & (lines[entry] == self.line) for entry in entries)),
            self.known.eq(match.any()),
            self.asked.eq(Mux(self.known, Array(asked)[mine], 0)),
            self.waiting.eq(Mux(self.known, Array(counts)[mine], 0)),
            self.first.eq(Mux(self.known, Array(names[0] for names in lists)[mine], 0)),
            self.room.eq(Mux(self.known, self.waiting != self.merges, ~valid.all())),
            place.eq(Mux(self.known, match, lowest(~valid))),
        ]
        with m.If(self.miss & self.room & ~self.known):
            m.d.sync += self.used.eq(self.used + 1)
        with m.Elif(self.take & self.known & (self.waiting <= 1)):
            m.d.sync += self.used.eq(self.used - 1)
        for entry in entries:
            count, names = counts[entry], lists[entry]
            with m.If(self.miss & self.room & place[entry]):
                m.d.sync += [
                    valid[entry].eq(1),
                    lines[entry].eq(self.line),
                    asked[entry].eq(self.asked | self.wanted),
                    count.eq(self.waiting + 1),
                    Array(names)[self.waiting].eq(self.waiter),
                ]
            with m.Elif(self.come & match[entry]):
                m.d.sync += asked[entry].eq(self.asked & ~self.wanted)
            with m.Elif(self.take & match[entry]):
                m.d.sync += [count.eq(count - 1), *(one.eq(after) for one, after in pairwise(names))]
                with m.If(self.waiting <= 1):
                    m.d.sync += valid[entry].eq(0)
        return m
