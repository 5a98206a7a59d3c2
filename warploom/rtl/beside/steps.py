"""Steps: what a unit of hardware is given in a clock cycle and what it must answer; and the simulation that plays them.

A trace is a list of steps from reset on. An output is compared before the clock edge, or with what the unit remembers after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Cat, Module, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Flow, In, Out
from amaranth.sim import Simulator

PATIENCE = 256  # cycles that a unit may take until it says that it has settled

Values = Mapping[str, Any]  # numbers, or sequences of them for ports that are arrays


@dataclass(frozen=True)
class Step:
    """A clock cycle. drive: inputs, the others are 0. before, after: outputs, and for `after` what the unit remembers too.

    cycle: of the model. settles: an output for which the unit is given more cycles until it is 1; "" for none. edge: there is a clock edge.
    """

    cycle: int
    drive: Values
    before: Values = field(default_factory=dict)
    after: Values = field(default_factory=dict)
    settles: str = ""


@dataclass(frozen=True)
class Mismatch:
    """Where a unit answers differently. where: which of the model's units. field: the output."""

    where: str
    cycle: int
    field: str
    model: int
    hardware: int

    def __str__(self) -> str:
        return f"cycle {self.cycle}, {self.where}: {self.field} is {self.hardware} in the hardware, the model says {self.model}"


@dataclass(frozen=True)
class Played:
    """What came out. steps: that were compared; values: compared in them; clocks: that the hardware took."""

    steps: int
    values: int
    clocks: int
    mismatch: Mismatch | None


class Packed(wiring.Component):
    """A component between two wide vectors: a simulator sets and reads each at once. It has a reset of its own."""

    def __init__(self, unit: Any) -> None:
        self.unit = unit
        inputs: dict[str, Any] = {}
        outputs: dict[str, Any] = {}
        for name, member in unit.signature.members.items():
            ports = getattr(unit, name)
            chosen = inputs if member.flow is Flow.In else outputs
            if isinstance(ports, list):
                chosen |= {f"{name}[{place}]": port for place, port in enumerate(ports)}
            else:
                chosen[name] = ports
        outputs |= unit.state() if hasattr(unit, "state") else {}
        self.inputs = {name: Value.cast(port) for name, port in inputs.items()}
        self.outputs = {name: Value.cast(port) for name, port in outputs.items()}
        self.places = _places(self.inputs)
        self.shown = _places(self.outputs)
        super().__init__(
            {
                "again": In(1),  # reset
                "stimulus": In(max(sum(map(len, self.inputs.values())), 1)),  # all inputs
                "probe": Out(max(sum(map(len, self.outputs.values())), 1)),  # all outputs, and what it remembers
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.submodules.unit = ResetInserter(self.again)(self.unit)
        kept = Signal()
        m.d.sync += kept.eq(~kept)  # a unit may have no register, and a clock needs one
        m.d.comb += [Cat(self.inputs.values()).eq(self.stimulus), self.probe.eq(Cat(self.outputs.values()))]
        return m

    def stimulus_of(self, drive: Values) -> int:
        """Inputs as one number."""
        found = 0
        for name, value in flat(drive):
            start, width = self.places[name]
            found |= (value & ((1 << width) - 1)) << start
        return found

    def output(self, probe: int, name: str) -> int:
        """One output of the probe."""
        start, width = self.shown[name]
        return probe >> start & ((1 << width) - 1)

    def first_wrong(self, probe: int, wanted: Values) -> tuple[str, int, int] | None:
        """(field, the model's value, the hardware's) of the first output that is not as wanted. Values are compared modulo their width."""
        for name, value in flat(wanted):
            found = self.output(probe, name)
            expected = value & ((1 << self.shown[name][1]) - 1)
            if found != expected:
                return name, value, found
        return None


def flat(values: Values) -> list[tuple[str, int]]:
    """Values by name, those of arrays one by one."""
    found: list[tuple[str, int]] = []
    for name, value in values.items():
        if isinstance(value, Sequence):
            found += [(f"{name}[{place}]", int(item)) for place, item in enumerate(value)]
        else:
            found.append((name, int(value)))
    return found


def play(unit: Any, traces: Mapping[str, Sequence[Step]], vcd: str | None = None) -> Played:
    """Simulate a unit through each trace, from reset, until the first mismatch. traces: by where in the model they were taken."""
    packed = Packed(unit)
    found = {"steps": 0, "values": 0, "clocks": 0}
    mismatch: list[Mismatch] = []

    async def bench(ctx: Any) -> None:
        for where, steps in traces.items():
            ctx.set(packed.again, 1)
            await ctx.tick()
            ctx.set(packed.again, 0)
            for step in steps:
                wrong = await _play_step(ctx, packed, step, found)
                if wrong is not None:
                    mismatch.append(Mismatch(where, step.cycle, *wrong))
                    return

    simulator = Simulator(packed)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    if vcd is None:
        simulator.run()
    else:
        with simulator.write_vcd(vcd):
            simulator.run()
    return Played(found["steps"], found["values"], found["clocks"], mismatch[0] if mismatch else None)


async def _play_step(ctx: Any, packed: Packed, step: Step, found: dict[str, int]) -> tuple[str, int, int] | None:
    ctx.set(packed.stimulus, packed.stimulus_of(step.drive))
    if step.before:
        wrong = packed.first_wrong(ctx.get(packed.probe), step.before)
        if wrong is not None:
            return wrong
    await ctx.tick()
    found["clocks"] += 1
    if step.settles:
        held = {name: value for name, value in step.drive.items() if name in HELD}
        ctx.set(packed.stimulus, packed.stimulus_of(held))
        for _ in range(PATIENCE):
            if packed.output(ctx.get(packed.probe), step.settles):
                break
            await ctx.tick()
            found["clocks"] += 1
    found["steps"] += 1
    found["values"] += len(flat(step.before)) + len(flat(step.after))
    return packed.first_wrong(ctx.get(packed.probe), step.after) if step.after else None


HELD = ("threads", "held")  # inputs that other units hold up while this one settles


def _places(ports: Mapping[str, Value]) -> dict[str, tuple[int, int]]:
    """Where each port lies in a vector: its first bit and its width."""
    found, start = {}, 0
    for name, port in ports.items():
        found[name] = (start, len(port))
        start += len(port)
    return found
