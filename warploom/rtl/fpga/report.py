"""What a bitstream takes of its part, and how fast it is: read from the reports of Yosys and of nextpnr."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

from warploom.isa.numbers import grouped
from warploom.rtl.fpga.parts import Part


class Resource(NamedTuple):
    """What a design takes of a part. there: how many the part has, or None where the router counts something else."""

    name: str
    used: int
    there: int | None

    def __str__(self) -> str:
        if self.there is None:
            return f"{self.name}: {grouped(self.used)}"
        return f"{self.name}: {grouped(self.used)} of {grouped(self.there)}"


@dataclass(frozen=True)
class Bitstream:
    """A design for an FPGA. files: by their names. mhz: the highest clock, by the router's estimate. clock: that of the part's boards."""

    part: str
    files: dict[str, str | bytes]
    resources: tuple[Resource, ...]
    mhz: float
    clock: float
    tools: str

    @property
    def frequency(self) -> str:
        """The clock in words: what the router estimates, and whether a board's is slower."""
        kept = "faster than" if self.mhz >= self.clock else "TOO SLOW FOR"
        return f"{self.mhz:.1f} MHz, {kept} the {self.clock:g} MHz of its boards"

    def body(self) -> dict[str, Any]:
        """Its figures, as an object for JSON."""
        resources = {item.name: {"used": item.used, "available": item.there} for item in self.resources}
        return {"part": self.part, "resources": resources, "mhz": self.mhz, "board_mhz": self.clock, "tools": self.tools}

    def __str__(self) -> str:
        rows = [f"{self.part}, by {self.tools}:", *(f"  {item}" for item in self.resources), f"  clock: {self.frequency}"]
        return "\n".join(rows)


def resources(part: Part, statistics: str, report: dict[str, Any]) -> tuple[Resource, ...]:
    """What a design takes. statistics: Yosys' counts of tables and flip-flops. report: the router's of the rest."""
    cells = dict(json.loads(statistics)["design"]["num_cells_by_type"])

    def counted(beginning: str) -> int:
        return sum(int(count) for kind, count in cells.items() if kind.startswith(beginning))

    used = report["utilization"]
    return (
        Resource("lookup tables", counted(part.luts), None),
        Resource("flip-flops", counted(part.flip_flops), None),
        *(Resource(name, used[cell]["used"], used[cell]["available"]) for name, cell in part.others.items() if cell in used),
    )
