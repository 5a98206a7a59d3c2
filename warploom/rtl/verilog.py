"""Verilog of a component: what any other tool reads."""

from __future__ import annotations

from warploom.rtl.yosys import folder, run_in


def verilog(design: str) -> str:
    """A design, in RTLIL, as Verilog. Raises MissingPackage where there is no pyosys."""
    with folder() as place:
        run_in(place, design, ["proc", "memory_collect", "write_verilog -noattr {folder}/design.v"])
        return (place / "design.v").read_text()
