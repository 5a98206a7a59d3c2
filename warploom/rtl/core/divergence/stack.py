"""Reconvergence stack of a warp, as hardware. The model is `warploom.machine.core.divergence.stack`.

An entry is a lane mask, a PC, and the PC at which its lanes reconverge with others. A branch may push two entries within a cycle, and so
may a jump through a register at which lanes part: it is a branch to itself, of those that go elsewhere, which always wait. Paths are popped
one per cycle; the model pops as many as there are at once, so its cycle is here one cycle for each, in which the warp waits.
"""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.parts import count_ones

FIRST_SIDES = ("fall_through", "taken", "smaller")


class ReconvergenceStack(wiring.Component):
    """lanes: of the warp. depth: entries. first: which side of a branch runs first. A PC of all ones is none."""

    def __init__(self, lanes: int, depth: int = 8, pc_bits: int = 16, first: str = "fall_through") -> None:
        self.lanes, self.depth, self.pc_bits, self.first = lanes, depth, pc_bits, first
        self.nowhere = (1 << pc_bits) - 1
        super().__init__(
            {
                "start": In(1),  # the warp starts: `threads` run from `next_pc` on
                "threads": In(lanes),  # lanes whose thread has not ended: bit l = lane l
                "move": In(1),  # the running path continues at `next_pc`
                "next_pc": In(pc_bits),  # a branch: of the instruction after it
                "branch": In(1),  # lanes disagree: neither side is empty
                "apart": In(1),  # ... at a jump through a register, to which next_pc and target lead: `taken` wait there
                "taken": In(lanes),  # those that jump
                "target": In(pc_bits),  # where they jump to
                "reconvergence_pc": In(pc_bits),  # the branch's immediate post-dominator
                "mask": Out(lanes),  # the lanes that run
                "pc": Out(pc_bits),  # where they are
                "settled": Out(1),  # nothing is left to pop: the warp may issue
                "overflow": Out(1),  # the branch finds no room
                "rejoins_at": Out(pc_bits, init=(1 << pc_bits) - 1),  # where the running path reconverges
                "count": Out(range(depth + 1)),  # entries that are taken
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        entry_bits = self.lanes + 2 * self.pc_bits
        entries = Array(Signal(entry_bits, name=f"entry_{number}") for number in range(self.depth))
        running = Signal(self.lanes)
        top = Signal(entry_bits)
        ends = (self.rejoins_at != self.nowhere) & (self.pc == self.rejoins_at)
        m.d.comb += [
            running.eq(self.mask & self.threads),
            top.eq(entries[self.count - 1]),
            self.settled.eq(~(~running.any() | ends) | (self.count == 0)),
        ]
        with m.If(self.start):
            m.d.sync += [self.mask.eq(self.threads), self.pc.eq(self.next_pc), self.rejoins_at.eq(self.nowhere), self.count.eq(0)]
        with m.Elif(self.branch):
            self.diverge(m, entries, running)
        with m.Elif(self.move):
            m.d.sync += [self.pc.eq(self.next_pc), self.mask.eq(running)]
        with m.Elif(~self.settled):
            m.d.sync += [
                Cat(self.mask, self.pc, self.rejoins_at).eq(top),
                self.mask.eq(top[: self.lanes] & self.threads),
                self.count.eq(self.count - 1),
            ]
        return m

    def diverge(self, m: Module, entries: Any, running: Any) -> None:
        """One side runs; below it waits the other one, and below that the entry in which both reconverge."""
        taken, other, taken_first = Signal(self.lanes), Signal(self.lanes), Signal()
        first, first_pc, last, last_pc = Signal(self.lanes), Signal(self.pc_bits), Signal(self.lanes), Signal(self.pc_bits)
        joins, waits, room = Signal(), Signal(), Signal(range(self.depth + 3))
        m.d.comb += [
            taken.eq(running & self.taken),
            other.eq(running & ~self.taken),
            taken_first.eq(self.runs_first(taken, other) & ~self.apart),
            Cat(first, first_pc).eq(Mux(taken_first, Cat(taken, self.target), Cat(other, self.next_pc))),
            Cat(last, last_pc).eq(Mux(taken_first, Cat(other, self.next_pc), Cat(taken, self.target))),
            joins.eq(self.reconvergence_pc != self.rejoins_at),  # else the entry is there already
            waits.eq(last_pc != self.reconvergence_pc),  # else the other side is there already
            room.eq(self.count + joins + waits),
            self.overflow.eq(room > self.depth),
        ]
        joined = Cat(running, self.reconvergence_pc, self.rejoins_at)
        waiting = Cat(last, last_pc, self.reconvergence_pc)
        with m.If(~self.overflow):
            with m.If(joins):
                m.d.sync += entries[self.count].eq(joined)
            with m.If(waits):
                m.d.sync += entries[self.count + joins].eq(waiting)
            m.d.sync += [self.mask.eq(first), self.pc.eq(first_pc), self.rejoins_at.eq(self.reconvergence_pc), self.count.eq(room)]

    def runs_first(self, taken: Any, other: Any) -> Any:
        """Whether the lanes that jump run first."""
        if self.first == "smaller":
            return count_ones(taken) < count_ones(other)
        return Const(int(self.first == "taken"))
