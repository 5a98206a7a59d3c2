"""Simulators of hardware: Amaranth's own, which needs nothing else. `verilated.py` has the fast one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from amaranth.hdl import Module
from amaranth.sim import Simulator

from warploom.rtl.bench import Bench

# What drives a simulation. It is given the requests, and a function that reads the probe, and returns the stimulus after the next clock
# edge; None ends the simulation. It is called before the first edge, and after each with the stimulus that it returned in place.
Drive = Callable[[int, Callable[[], bytes]], int | None]


class Simulation(Protocol):
    """A way to simulate a bench."""

    def run(self, before: int, drive: Drive) -> None:
        """Simulate from reset until `drive` returns None. before: the stimulus until the first clock edge."""


class Pysim:
    """Amaranth's simulator: some thousand cycles per second. vcd: a file for the waveforms of all signals, or None."""

    def __init__(self, bench: Bench, vcd: str | Path | None = None) -> None:
        self.bench, self.vcd = bench, vcd

    def run(self, before: int, drive: Drive) -> None:
        """Simulate from reset until `drive` returns None. before: the stimulus until the first clock edge."""
        bench = self.bench
        top = Module()
        top.submodules.bench = bench

        async def play(ctx: Any) -> None:
            ctx.set(bench.stimulus, before)
            while True:
                stimulus = drive(ctx.get(bench.requests), lambda: ctx.get(bench.probe).to_bytes(bench.probe_bytes, "little"))
                if stimulus is None:
                    return
                await ctx.tick()
                ctx.set(bench.stimulus, stimulus)

        simulator = Simulator(top)
        simulator.add_clock(1e-6)
        simulator.add_testbench(play)
        if self.vcd is None:
            simulator.run()
        else:
            with simulator.write_vcd(str(self.vcd)):
                simulator.run()
