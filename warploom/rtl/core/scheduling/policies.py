"""Scheduling policies, as hardware. The model is `warploom.machine.core.scheduling.policies`.

Each is handed the warps that can issue and puts out one of them, without a register on the way. What a policy remembers is loaded at the
clock edge, when the pick has been taken.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.parts import AgeMatrix, lowest, lowest_from, number_of


class RoundRobin(wiring.Component):
    """Loose round robin: the next warp after the last one that can issue. warps: slots of the core."""

    def __init__(self, warps: int) -> None:
        self.warps = warps
        super().__init__(
            {
                "eligible": In(warps),  # warps that can issue: bit w = warp w
                "issue": In(1),  # the pick is taken
                "pick": Out(range(max(warps, 2))),  # the warp that issues
                "valid": Out(1),  # there is one
                "last": Out(range(max(warps, 2)), init=warps - 1),  # the warp that was picked last; at first the one before warp 0
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit: the lowest warp above the last one, or else the lowest of all."""
        m = Module()
        above = Signal(self.warps)
        m.d.comb += [above[warp].eq(self.eligible[warp] & (self.last < warp)) for warp in range(self.warps)]
        m.d.comb += self.valid.eq(self.eligible.any())
        for candidates in (self.eligible, above):
            for warp in reversed(range(self.warps)):
                with m.If(candidates[warp]):
                    m.d.comb += self.pick.eq(warp)
        with m.If(self.issue & self.valid):
            m.d.sync += self.last.eq(self.pick)
        return m


class Oldest(wiring.Component):
    """The oldest warp that can issue, by an age matrix. warps: slots of the core."""

    def __init__(self, warps: int) -> None:
        self.warps = warps
        super().__init__(
            {
                "eligible": In(warps),  # warps that can issue: bit w = warp w
                "start": In(warps),  # warps that start: they become the youngest
                "pick": Out(range(max(warps, 2))),  # the warp that issues
                "valid": Out(1),  # there is one
            }
        )
        self.ages = AgeMatrix(warps)

    def state(self) -> dict[str, Value]:
        """What it remembers, by the model's names."""
        return {f"older[{warp}]": self.ages.row(warp) for warp in range(self.warps)}

    def elaborate(self, platform: Any) -> Module:
        """The circuit: the matrix says it all."""
        m = Module()
        m.submodules.ages = ages = self.ages
        m.d.comb += [
            ages.youngest.eq(self.start),
            ages.candidates.eq(self.eligible),
            self.pick.eq(number_of(ages.oldest, self.warps)),
            self.valid.eq(self.eligible.any()),
        ]
        return m


class GreedyOldest(wiring.Component):
    """Greedy-then-oldest: the last warp as long as it can issue, then the oldest. warps: slots of the core."""

    def __init__(self, warps: int) -> None:
        self.warps = warps
        super().__init__(
            {
                "eligible": In(warps),  # warps that can issue: bit w = warp w
                "start": In(warps),  # warps that start: they become the youngest
                "issue": In(1),  # the pick is taken
                "pick": Out(range(max(warps, 2))),  # the warp that issues
                "valid": Out(1),  # there is one
            }
        )
        self.ages = AgeMatrix(warps)
        self.last = Signal(warps)  # the warp that was picked last, as a bit; at first none

    def state(self) -> dict[str, Value]:
        """What it remembers, by the model's names; `last` as a bit."""
        return {"last": self.last} | {f"older[{warp}]": self.ages.row(warp) for warp in range(self.warps)}

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.submodules.ages = ages = self.ages
        pick, stays = Signal(self.warps), Signal()
        m.d.comb += [
            ages.youngest.eq(self.start),
            ages.candidates.eq(self.eligible),
            stays.eq((self.last & self.eligible).any()),
            pick.eq(Mux(stays, self.last, ages.oldest)),
            self.pick.eq(number_of(pick, self.warps)),
            self.valid.eq(self.eligible.any()),
        ]
        with m.If(self.issue & self.valid):
            m.d.sync += self.last.eq(pick)
        return m


class TwoLevel(wiring.Component):
    """Two-level: round robin inside a group until all of it wait for memory, then the next group.

    warps: slots of the core. group_size: warps of a scheduler in a group. schedulers: of the core, which take its warps in turn.
    """

    def __init__(self, warps: int, group_size: int = 8, schedulers: int = 1) -> None:
        self.warps, span = warps, max(group_size, 1) * schedulers
        self.members = [range(first, min(first + span, warps)) for first in range(0, warps, span)]
        super().__init__(
            {
                "active": In(warps),  # warps that run: bit w = warp w
                "eligible": In(warps),  # of those, the ones that can issue
                "waiting_memory": In(warps),  # of those, the ones that wait for a load
                "issue": In(1),  # the pick is taken
                "pick": Out(range(max(warps, 2))),  # the warp that issues
                "valid": Out(1),  # there is one
                "last": Out(range(max(warps, 2)), init=warps - 1),  # the warp that was picked last
                "group": Out(range(max(len(self.members), 2))),  # the group that runs
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit: from this group on, the first one of which a warp can issue or computes."""
        m = Module()
        count = len(self.members)
        ready, stays, found = Signal(count), Signal(count), Signal(count)
        busy = self.active & ~self.waiting_memory
        for number, group in enumerate(self.members):
            m.d.comb += ready[number].eq(self.eligible[group.start : group.stop].any())
            m.d.comb += stays[number].eq(ready[number] | busy[group.start : group.stop].any())
        of_found = Cat(found[number] for number, group in enumerate(self.members) for _ in group)
        candidates, pick = Signal(self.warps), Signal(self.warps)
        m.d.comb += [
            found.eq(lowest_from(stays, self.group)),
            candidates.eq(Mux((found & ready).any(), self.eligible & of_found, self.eligible)),
            pick.eq(lowest_from(candidates, self.last + 1)),
            self.pick.eq(number_of(pick, self.warps)),
            self.valid.eq(self.eligible.any()),
        ]
        with m.If(self.issue & self.valid):
            m.d.sync += self.last.eq(self.pick)
            with m.If(stays.any()):
                m.d.sync += self.group.eq(number_of(found, count))
        return m


class Vortex(wiring.Component):
    """Vortex's four masks: the lowest visible warp that is neither stalled nor at a barrier. warps: slots of the core."""

    def __init__(self, warps: int) -> None:
        self.warps = warps
        super().__init__(
            {
                "active": In(warps),  # warps that run: bit w = warp w
                "awake": In(warps),  # of those, the ones that wait for no register, barrier or instruction
                "at_barrier": In(warps),  # those that wait at a barrier
                "issue": In(1),  # a warp is picked in this cycle
                "pick": Out(range(max(warps, 2))),  # the warp that it is
                "valid": Out(1),  # there is one
                "visible": Out(warps),  # the warps still to be served in this round
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit: when no visible warp can run, all active ones are visible again, in the same cycle."""
        m = Module()
        able, visible, pick = Signal(self.warps), Signal(self.warps), Signal(self.warps)
        m.d.comb += [
            able.eq(self.active & self.awake & ~self.at_barrier),
            visible.eq(Mux((self.visible & able).any(), self.visible, self.active)),
            pick.eq(lowest(visible & able)),
            self.pick.eq(number_of(pick, self.warps)),
            self.valid.eq(pick.any()),
        ]
        with m.If(self.issue):
            m.d.sync += self.visible.eq(visible & ~pick)
        return m
