"""Replacement policies of a set, as hardware. The model is `warploom.machine.memory.replacement`.

Each remembers what it needs of one set and names the way that goes. The model keeps the cycle of a line's last use where `lru` has an age
matrix, and that of its arrival where `fifo` has a counter.
"""

from __future__ import annotations

from typing import Any

from amaranth.hdl import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.hardware import NoHardware
from warploom.rtl.parts import AgeMatrix, number_of


class Policy(wiring.Component):
    """What all have in common. ways: blocks of the set."""

    def __init__(self, ways: int, seed: int = 1) -> None:
        self.ways, self.seed = ways, seed
        super().__init__(
            {
                "used": In(ways),  # lines that are used in this cycle: bit w = way w
                "arrived": In(ways),  # the line that arrives
                "replace": In(1),  # the victim is taken
                "victim": Out(range(max(ways, 2))),  # the way whose line goes
            }
        )

    def state(self) -> dict[str, Value]:
        """What it remembers."""
        return {}


class Lru(Policy):
    """Least recently used: an age matrix. If several lines are used in one cycle, the lowest counts as the oldest, as in the model."""

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.submodules.ages = ages = AgeMatrix(self.ways)
        m.d.comb += [
            ages.youngest.eq(self.used | self.arrived),
            ages.candidates.eq((1 << self.ways) - 1),
            self.victim.eq(number_of(ages.oldest, self.ways)),
        ]
        return m


class Fifo(Policy):
    """First in, first out: a counter. Lines arrive in the order of the ways, so the next to go is the one after.

    One line arrives per cycle. Of two that arrive in a set in one cycle the model lets the one in the lower way go first.
    """

    def __init__(self, ways: int, seed: int = 1) -> None:
        super().__init__(ways, seed)
        self.next = Signal(range(max(ways, 2)))

    def state(self) -> dict[str, Value]:
        """The counter."""
        return {"next": self.next}

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.d.comb += self.victim.eq(self.next)
        with m.If(self.arrived.any()):
            m.d.sync += self.next.eq(Mux(self.next == self.ways - 1, 0, self.next + 1))
        return m


class TreePlru(Policy):
    """Tree pseudo-LRU: ways - 1 flip-flops, each of which points to the half that was not used last. ways: a power of two."""

    def __init__(self, ways: int, seed: int = 1) -> None:
        if ways & (ways - 1):
            self._MustUse__silence = True  # Amaranth would say that it was made and never used
            raise NoHardware(f"ways = {ways}: the tree needs a power of two")
        super().__init__(ways, seed)
        self.tree = Signal(ways)  # bit n: node n, whose children are 2n and 2n + 1, points to its upper half; there is no node 0

    def state(self) -> dict[str, Value]:
        """The nodes."""
        return {"tree": self.tree}

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        touched = self.used | self.arrived
        for parent in range(1, self.ways):
            leaves = [way for way in range(self.ways) if _below(way + self.ways, parent)]
            half = len(leaves) // 2
            low, high = (Cat(touched[way] for way in side).any() for side in (leaves[:half], leaves[half:]))
            with m.If(low | high):
                m.d.sync += self.tree[parent].eq(low)
        node: Any = 1
        levels = self.ways.bit_length() - 1
        path: list[Any] = []
        for _ in range(levels):
            bit = Array(self.tree)[node] if path else self.tree[1] if self.ways > 1 else 0
            path.insert(0, bit)
            node = Cat(*path, 1)
        m.d.comb += self.victim.eq(Cat(*path) if path else 0)
        return m


class Random(Policy):
    """A shift register of 64 bits for the whole cache: Marsaglia's xorshift64. It moves on when a line goes."""

    def __init__(self, ways: int, seed: int = 1) -> None:
        super().__init__(ways, seed)
        self.random = Signal(64, init=seed)

    def state(self) -> dict[str, Value]:
        """The shift register."""
        return {"random": self.random}

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        one, two, three = Signal(64), Signal(64), Signal(64)
        m.d.comb += [
            one.eq(self.random ^ (self.random << 13)),
            two.eq(one ^ (one >> 7)),
            three.eq(two ^ (two << 17)),
            self.victim.eq(three[32:] % self.ways),
        ]
        with m.If(self.replace):
            m.d.sync += self.random.eq(three)
        return m


def _below(node: int, parent: int) -> bool:
    """Whether a node of the tree lies below another, or is it."""
    while node > parent:
        node >>= 1
    return node == parent


POLICIES = {"lru": Lru, "fifo": Fifo, "plru": TreePlru, "random": Random}
