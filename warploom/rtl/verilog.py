"""Verilog of a component: what any other tool reads."""

from __future__ import annotations

from warploom.rtl.yosys import folder, run_in

# Processes become multiplexers, and those of many ways trees of two: what no tool has a second reading of.
PASSES = ("proc -noopt", "pmuxtree", "opt_clean -purge")


def verilog(design: str) -> str:
    """A design, in RTLIL, as Verilog. Raises MissingPackage where there is no pyosys."""
    with folder() as place:
        run_in(place, design, [*PASSES, "write_verilog -noattr {folder}/design.v"])
        return (place / "design.v").read_text()
