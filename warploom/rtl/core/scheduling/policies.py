"""Scheduling policies, as hardware. The model is `warploom.machine.core.scheduling.policies`.

Each is handed the warps that can issue and puts out one of them, without a register on the way. What a policy remembers is loaded at the
clock edge, when the pick has been taken.
"""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


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
