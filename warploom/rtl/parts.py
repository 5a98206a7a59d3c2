"""Parts that several units are built of: pickers, and the age matrix.

A picker finds the lowest bit of a mask by a prefix OR: log2(n) levels of gates, where a chain of priorities has n.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


def bits_below(mask: Value) -> Value:
    """Bit i: a bit below i is set in the mask."""
    size, step = len(mask), 1
    found = (mask << 1)[:size]
    while step < size:
        found = (found | (found << step))[:size]
        step *= 2
    return found


def lowest(mask: Value) -> Value:
    """The lowest bit of a mask, alone."""
    return (mask & ~bits_below(mask))[: len(mask)]


def number_of(one_hot: Value, count: int) -> Value:
    """The number of the only bit; 0 where there is none."""
    width = max((count - 1).bit_length(), 1)
    return Cat(Cat(one_hot[item] for item in range(count) if item >> place & 1).any() for place in range(width))


def lowest_from(mask: Value, first: Value) -> Value:
    """The lowest bit of a mask that is not below number `first`, going round."""
    above = Cat(Const(item) >= first for item in range(len(mask)))
    upper = mask & above
    return lowest(Mux(upper.any(), upper, mask))


def count_ones(mask: Value) -> Value:
    """How many bits of a mask are set: a tree of adders."""
    counts: list[Any] = list(mask)
    while len(counts) > 1:
        counts = [counts[at] + counts[at + 1] if at + 1 < len(counts) else counts[at] for at in range(0, len(counts), 2)]
    return counts[0]


def chosen(one_hot: Any, values: Any) -> Value:
    """Of some values the one whose bit is set: an AND and an OR, no priorities."""
    return reduce(or_, (Mux(bit, value, 0) for bit, value in zip(one_hot, values, strict=True)))


class AgeMatrix(wiring.Component):
    """Who is older than whom: a flip-flop for each pair. If several become the youngest in one cycle, the lower is the older.

    items: how many. Preston et al., "Design of an 8-wide superscalar RISC microprocessor with simultaneous multithreading", ISSCC 2002.
    """

    def __init__(self, items: int) -> None:
        self.items = items
        super().__init__(
            {
                "youngest": In(items),  # these become the youngest at the clock edge
                "candidates": In(items),  # of these,
                "oldest": Out(items),  # the oldest, a bit
            }
        )
        pairs = [(low, high) for low in range(items) for high in range(low + 1, items)]
        self.cells = {(low, high): Signal(name=f"older_{low}_{high}", init=1) for low, high in pairs}  # low is older than high

    def is_older(self, one: int, other: int) -> Any:
        """Whether one item is older than the other."""
        return self.cells[one, other] if one < other else ~self.cells[other, one]

    def row(self, item: int) -> Value:
        """The items that are older than this one, as the model's matrix has them."""
        return Cat(Const(0) if other == item else self.is_older(other, item) for other in range(self.items))

    def elaborate(self, platform: Any) -> Module:
        """The circuit: the oldest is the candidate whose row holds no candidate."""
        m = Module()
        for item in range(self.items):
            m.d.comb += self.oldest[item].eq(self.candidates[item] & ~(self.row(item) & self.candidates).any())
        for (low, high), cell in self.cells.items():
            with m.If(self.youngest[high]):
                m.d.sync += cell.eq(1)
            with m.Elif(self.youngest[low]):
                m.d.sync += cell.eq(0)
        return m
