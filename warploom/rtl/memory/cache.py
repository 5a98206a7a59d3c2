"""Tags of a cache, as hardware. The model is `warploom.machine.memory.cache` with `tag_match` and `replacement`.

A comparator for each way of the set that is asked for, and a bit for each sector that is there. One line is looked up or filled per
cycle. The tags are flip-flops; a large cache has them in an SRAM, which nobody can price here, so sets and ways are kept small.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.hardware import NoHardware
from warploom.rtl.memory.replacement import POLICIES
from warploom.rtl.parts import number_of


class Tags(wiring.Component):
    """sets, ways: of the cache; sets a power of two. line_bits: of a line's number. sectors: of a line. replacement: of `POLICIES`."""

    def __init__(self, sets: int, ways: int, line_bits: int = 25, sectors: int = 4, replacement: str = "lru", seed: int = 1) -> None:
        if sets & (sets - 1):
            raise NoHardware(f"sets = {sets}: a line's set is a few bits of its number, so there is a power of two of them")
        self.sets, self.ways, self.set_bits, self.sectors = sets, ways, sets.bit_length() - 1, sectors
        one = replacement == "random"  # a shift register serves all sets
        self.policies = [POLICIES[replacement](ways, seed) for _ in range(1 if one else sets)]
        super().__init__(
            {
                "line": In(line_bits),  # the line that is looked up, or arrives
                "wanted": In(sectors),  # its sectors that are: bit s = sector s
                "lookup": In(1),  # they are looked up
                "fill": In(1),  # they arrive
                "again": In(ways),  # lru: ways of this set that were used earlier in this cycle
                "missing": Out(sectors),  # the sectors that are not there
                "hit": Out(1),  # the line is there, whatever its sectors
                "way": Out(range(max(ways, 2))),  # where it is, or will be
                "evicts": Out(1),  # a line has to go
                "gone": Out(line_bits),  # which
            }
        )
        blocks = range(sets * ways)
        self.valid = Signal(sets * ways)
        self.tag = [Signal(max(line_bits - self.set_bits, 1), name=f"tag_{block}") for block in blocks]
        self.held = [Signal(sectors, name=f"sectors_{block}") for block in blocks]

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        here, tag = self.line[: self.set_bits], self.line[self.set_bits :]
        mine = Cat(here == number for number in range(self.sets)) if self.sets > 1 else Cat(1)
        rows = [slice(number * self.ways, (number + 1) * self.ways) for number in range(self.sets)]
        tags = [self.of_set([self.tag[row][way] for row in rows], here) for way in range(self.ways)]
        held = [self.of_set([self.held[row][way] for row in rows], here) for way in range(self.ways)]
        valid = self.of_set([self.valid[row] for row in rows], here)
        match, place, sectors, victim = Signal(self.ways), Signal(self.ways), Signal(self.sectors), Signal(range(max(self.ways, 2)))
        free = Signal(range(self.ways + 1))
        policies = self.policies if len(self.policies) == self.sets else self.policies * self.sets
        m.d.comb += [
            match.eq(Cat(valid[way] & (tags[way] == tag) for way in range(self.ways))),
            self.hit.eq(match.any()),
            sectors.eq(Cat((match & Cat(held[way][sector] for way in range(self.ways))).any() for sector in range(self.sectors))),
            self.missing.eq(self.wanted & ~sectors),
            victim.eq(self.of_set([policy.victim for policy in policies], here)),
            free.eq(number_of(~valid & (valid + 1), self.ways)),
            self.evicts.eq(self.fill & ~self.hit & valid.all()),
            self.way.eq(Mux(self.hit, number_of(match, self.ways), Mux(valid.all(), victim, free))),
            self.gone.eq(Cat(here, Array(tags)[self.way])),
            place.eq(1 << self.way),
        ]
        self.remember(m, mine, match, place)
        for number in range(self.sets):
            for way in range(self.ways):
                block = number * self.ways + way
                with m.If(self.fill & mine[number] & place[way]):
                    m.d.sync += [
                        self.held[block].eq(Mux(self.hit, self.held[block] | self.wanted, self.wanted)),
                        self.tag[block].eq(tag),
                        self.valid[block].eq(1),
                    ]
        return m

    def of_set(self, values: list[Any], here: Any) -> Any:
        """The value of the set that is asked for."""
        return Array(values)[here] if self.sets > 1 else values[0]

    def remember(self, m: Module, mine: Any, match: Value, place: Value) -> None:
        """What the policies are told. An arrival in a line that is there does not count as a use."""
        one = len(self.policies) != self.sets
        for number, policy in enumerate(self.policies):
            m.submodules[f"replacement_{number}"] = policy
            enable = 1 if one else mine[number]
            moves = enable & ((self.lookup & self.hit) | (self.fill & ~self.hit))
            m.d.comb += [
                policy.used.eq(Mux(moves, self.again | Mux(self.lookup, match, 0), 0)),
                policy.arrived.eq(Mux(moves & self.fill, place, 0)),
                policy.replace.eq(self.evicts),
            ]
